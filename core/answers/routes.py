"""The ways to get a model: what each meets of the conditions, and for how long it is on sale."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING

from core.answers.data import model
from core.answers.remembering import remembered
from core.domain.choice import CONDITIONS
from core.evidence.catalogue import OWN_RESULT
from core.procurement.gates import (
    SELF_HOSTED,
    apply_gates,
    routes,
    where_allowed,
    with_own,
)
from core.procurement.products import on_sale, products_of

if TYPE_CHECKING:
    from core.domain import GateAnswer, Model, OnSale, Requirements, RouteVerdict
    from core.evidence.store import Store

Gone = frozenset[tuple[str, str]]
"""Pairs of a model's id and a platform that no longer sells it."""


def has_gates(requirements: Requirements) -> bool:
    """Say whether the requirements set any gate."""
    limits = (requirements.max_retention_days, requirements.min_context_tokens)
    return bool(requirements.gates) or any(limit is not None for limit in limits)


def gate_answers(store: Store, requirements: Requirements) -> tuple[GateAnswer, ...]:
    """Return the answers on gates: the hospital's own in place of the catalogue's."""
    return with_own(store.catalogue.procurement.gates, requirements.own_answers)


def route_verdicts(
    store: Store, models: tuple[str, ...], requirements: Requirements, where: str = "any"
) -> dict[str, tuple[RouteVerdict, ...]]:
    """Return all gates on every way to get each model; empty where no gate is set.

    ``where`` is *vendor* or *own* for the ways of that kind only. Of a model that no vendor is
    known to offer, the vendor is still to be asked.
    """
    if not has_gates(requirements):
        return {}
    return _route_verdicts(store, models, requirements.part(*CONDITIONS), where)


@remembered(maxsize=128)
def _route_verdicts(
    store: Store, names: tuple[str, ...], requirements: Requirements, where: str
) -> dict[str, tuple[RouteVerdict, ...]]:
    # A hospital's own result is bought as the model that was tried.
    bought = {name: name.removesuffix(OWN_RESULT) for name in names}
    models = [model(store, name) for name in dict.fromkeys(bought.values())]
    facts, catalogue = store.catalogue.procurement, store.catalogue
    found = apply_gates(
        requirements,
        models,
        where_allowed(
            routes(models, catalogue.prices, facts.platforms, _sold_at(store, models)), where
        ),
        kinds=facts.gate_kinds,
        answers=gate_answers(store, requirements),
        licences={m.id: catalogue.licence(m) for m in models},
    )
    return {
        name: tuple(replace(verdict, model=name) for verdict in found[of])
        if name != of
        else found[of]
        for name, of in bought.items()
    }


def _sold_at(store: Store, models: list[Model]) -> dict[str, list[str]]:
    """Return the platforms that sell each model as its maker or they themselves say."""
    catalogue = store.catalogue
    selling = [row for row in catalogue.lifecycle if row.status in ("on sale", "deprecated")]
    found = {}
    for one in models:
        products = set(products_of(one.id, catalogue.crosswalk))
        found[one.id] = [row.platform for row in selling if row.product in products]
    return found


def day_of_sale(requirements: Requirements, on: date) -> date:
    """Return the day from which sale is counted: the one that was set, else that of the prices."""
    return date.fromisoformat(requirements.on_sale_on) if requirements.on_sale_on else on


def sales(
    store: Store, models: tuple[str, ...], requirements: Requirements, on: date
) -> dict[str, OnSale]:
    """Return whether each model stays on sale for long enough; empty where that is not asked.

    Judged at the providers that meet the other conditions, and on own servers but where only a
    vendor's service is asked for. A hospital's own result is bought as the model that was tried.
    """
    if requirements.on_sale_months is None:
        return {}
    return _sales(
        store,
        models,
        requirements.part(*CONDITIONS),
        "vendor" if requirements.access == "vendor" else "any",
        requirements.on_sale_months,
        day_of_sale(requirements, on),
    )


@remembered(maxsize=32)
def _sales(
    store: Store,
    models: tuple[str, ...],
    requirements: Requirements,
    where: str,
    months: int,
    day: date,
) -> dict[str, OnSale]:
    ways = route_verdicts(store, models, requirements, where)
    catalogue, found = store.catalogue, {}
    for name in models:
        bought = name.removesuffix(OWN_RESULT)
        sold_as = set(products_of(bought, catalogue.crosswalk))
        platforms = None
        if name in ways:
            platforms = frozenset(way.platform for way in ways[name] if way.status != "fails")
        found[name] = on_sale(
            model(store, bought),
            [row for row in catalogue.lifecycle if row.product in sold_as],
            day,
            months,
            platforms,
            own_servers=where == "any" and (platforms is None or SELF_HOSTED in platforms),
        )
    return found


def gone(store: Store, models: tuple[str, ...], requirements: Requirements, on: date) -> Gone:
    """Return the models with the platforms whose prices do not count.

    There every version has ended, or ends before the months are over that are asked for.
    """
    asked = replace(requirements, on_sale_months=requirements.on_sale_months or 0)
    return frozenset(
        (name.removesuffix(OWN_RESULT), platform)
        for name, sale in sales(store, models, asked, on).items()
        for platform in sale.failing_platforms
    )
