"""Which models stay on sale for long enough, and where they no longer are."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

from core.answers.bills import condition_question, route_verdicts
from core.answers.evidence import model
from core.answers.remembering import remembered
from core.evidence.catalogue import OWN_RESULT
from core.procurement.products import on_sale, products_of

if TYPE_CHECKING:
    from core.answers.bills import Gone
    from core.domain import OnSale, Requirements
    from core.evidence.store import Store


def day_of_sale(requirements: Requirements, on: date) -> date:
    """Return the day from which sale is counted: the one that was set, else that of the prices."""
    return date.fromisoformat(requirements.on_sale_on) if requirements.on_sale_on else on


def sales(
    store: Store, models: tuple[str, ...], requirements: Requirements, on: date
) -> dict[str, OnSale]:
    """Return whether each model stays on sale for long enough; empty where that is not asked.

    Judged at the providers that meet the other conditions. A hospital's own result is bought as
    the model that was tried.
    """
    if requirements.on_sale_months is None:
        return {}
    return _sales(
        store,
        models,
        condition_question(requirements),
        requirements.on_sale_months,
        day_of_sale(requirements, on),
    )


@remembered(maxsize=32)
def _sales(
    store: Store, models: tuple[str, ...], requirements: Requirements, months: int, day: date
) -> dict[str, OnSale]:
    ways = route_verdicts(store, models, requirements)
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
        )
    return found


def gone(sold: dict[str, OnSale]) -> Gone:
    """Return the models with the platforms whose prices no longer count."""
    return frozenset(
        (name.removesuffix(OWN_RESULT), platform)
        for name, sale in sold.items()
        for platform in sale.failing_platforms
    )
