"""What the work costs: the workload, the ways to get a model, and the bill at each."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from core.answers.evidence import ALL_MODELS, model
from core.answers.prices import prices_on
from core.domain import BadRequestError, Price, Requirements
from core.evidence.catalogue import OWN_RESULT
from core.procurement import costs
from core.procurement.costs import flat_request_cost_usd, token_profiles, workload
from core.procurement.gate_checks import GateRequirements
from core.procurement.gates import apply_gates, best_first, routes, with_own
from core.procurement.prices import request_cost_usd
from core.procurement.requirements import category_weights
from core.procurement.volumes import kind_profiles, volume_workload

if TYPE_CHECKING:
    from datetime import date

    from core.domain import (
        Benchmark,
        Bill,
        GateAnswer,
        OwnPrice,
        RouteVerdict,
        TokenProfile,
        TokenRow,
        WorkloadLine,
    )
    from core.evidence.store import Store

OWN_PRICE = "own"
"""The provider of a price that the hospital was offered."""


def _counted(store: Store, *, reasoning: bool) -> tuple[list[TokenRow], list[Benchmark]]:
    """Return token counts of the models that write out their reasoning, or of the rest.

    MedHELM let the former write up to 4,000 tokens where others were allowed one, so one
    figure for both would be wrong for both.
    """
    catalogue = store.catalogue
    benchmarks = [b for found in catalogue.benchmarks.values() for b in found]
    rows = [row for row in catalogue.tokens if catalogue.model(row.model).reasoning == reasoning]
    return rows, benchmarks


@lru_cache(maxsize=8)
def _profiles(store: Store, *, reasoning: bool) -> dict[str, TokenProfile]:
    return token_profiles(*_counted(store, reasoning=reasoning))


@lru_cache(maxsize=8)
def kind_tokens(store: Store, *, reasoning: bool = False) -> dict[str, TokenProfile]:
    """Return the tokens of one request of each kind, as MedHELM's counts give them."""
    kinds = store.catalogue.procurement.requests
    return kind_profiles(kinds, *_counted(store, reasoning=reasoning))


def weights_of(store: Store, requirements: Requirements) -> tuple[tuple[str, float], ...]:
    """Return the category weights that the requirements come to; empty without evidence.

    Raises
    ------
    BadRequestError
        When the suite, the task or a category does not exist.
    """
    benchmarks = store.catalogue.benchmarks.get(requirements.suite)
    if benchmarks is None:
        store.snapshot(requirements.suite)  # says which suites there are
        raise BadRequestError(f"{requirements.suite} has no benchmarks.")
    if requirements.task not in store.catalogue.tasks:
        raise BadRequestError(f'There is no task "{requirements.task[:80]}".')
    return category_weights(requirements, benchmarks, store.catalogue.tasks[requirements.task])


def workload_of(
    store: Store, requirements: Requirements, *, reasoning: bool = False
) -> tuple[WorkloadLine, ...]:
    """Return the requests and tokens a month behind the bills.

    By kind of request where volumes are given, else by task category; empty where neither
    volumes nor evidence for the task are there.
    """
    if requirements.volumes:
        return volume_workload(
            store.catalogue.procurement.requests,
            dict(requirements.volumes),
            kind_tokens(store, reasoning=reasoning),
            [
                own
                for own in requirements.own_tokens
                if own.kind in {kind for kind, _ in requirements.volumes}
            ],
        )
    weights = weights_of(store, requirements)
    if not weights:
        return ()
    return workload(
        weights,
        _profiles(store, reasoning=reasoning),
        requests_per_month=requirements.requests_per_month,
        input_tokens=requirements.input_tokens_per_request,
        output_tokens=requirements.output_tokens_per_request,
    )


def requests_a_month(store: Store, requirements: Requirements) -> float:
    """Return the requests a month of the whole workload."""
    if requirements.volumes:
        return sum(number for _, number in requirements.volumes)
    return float(requirements.requests_per_month)


def has_gates(requirements: Requirements) -> bool:
    """Say whether the requirements set any gate."""
    limits = (requirements.max_retention_days, requirements.min_context_tokens)
    return bool(requirements.gates) or any(limit is not None for limit in limits)


def gate_answers(store: Store, requirements: Requirements) -> tuple[GateAnswer, ...]:
    """Return the answers on gates: the hospital's own in place of the catalogue's."""
    return with_own(store.catalogue.procurement.gates, requirements.own_answers)


def route_verdicts(
    store: Store, models: tuple[str, ...], requirements: Requirements
) -> dict[str, tuple[RouteVerdict, ...]]:
    """Return all gates on every way to get each model; empty where no gate is set."""
    if not has_gates(requirements):
        return {}
    return _route_verdicts(
        store,
        models,
        Requirements(
            gates=requirements.gates,
            max_retention_days=requirements.max_retention_days,
            min_context_tokens=requirements.min_context_tokens,
            own_answers=requirements.own_answers,
        ),
    )


@lru_cache(maxsize=32)
def _route_verdicts(
    store: Store, names: tuple[str, ...], requirements: Requirements
) -> dict[str, tuple[RouteVerdict, ...]]:
    # A hospital's own result is bought as the model that was tried.
    bought = {name: name.removesuffix(OWN_RESULT) for name in names}
    models = [model(store, name) for name in dict.fromkeys(bought.values())]
    facts, catalogue = store.catalogue.procurement, store.catalogue
    found = apply_gates(
        GateRequirements(
            requirements.gates, requirements.max_retention_days, requirements.min_context_tokens
        ),
        models,
        routes(models, catalogue.prices, facts.platforms),
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


def provider_bills(
    store: Store, model_id: str, requirements: Requirements, on: date
) -> tuple[Bill, ...]:
    """Return the monthly bill of a model at each provider, cheapest first.

    The hospital's own price stands in place of the public ones. A provider whose platform fails
    a gate is left out. Empty where no price is known, which is not free.
    """
    lines = workload_of(store, requirements, reasoning=model(store, model_id).reasoning)
    verdicts = route_verdicts(store, (model_id,), requirements).get(model_id, ())
    return _bills_of(store, model_id, requirements, on, lines, verdicts)


def _bills_of(
    store: Store,
    model_id: str,
    requirements: Requirements,
    on: date,
    lines: tuple[WorkloadLine, ...],
    verdicts: tuple[RouteVerdict, ...],
) -> tuple[Bill, ...]:
    if not lines:
        return ()
    bought = model_id.removesuffix(OWN_RESULT)
    own = next((price for price in requirements.own_prices if price.model == bought), None)
    if own is not None:
        return costs.bills([_offered(own)], lines, request_cost=flat_request_cost_usd)
    public = prices_on(store, on).get(bought, ())
    if verdicts:
        # Of providers that ask the same, the one that meets the gates better comes first.
        order = [p for v in best_first(verdicts, None) if v.status != "fails" for p in v.providers]
        public = tuple(
            sorted(
                (p for p in public if p.provider in order), key=lambda p: order.index(p.provider)
            )
        )
    return costs.bills(public, lines, request_cost=request_cost_usd)


def _offered(price: OwnPrice) -> Price:
    return Price(
        model=price.model,
        provider=OWN_PRICE,
        provider_name="your own offer",
        provider_model=price.model,
        input_usd_per_mtok=price.input_usd_per_mtok,
        output_usd_per_mtok=price.output_usd_per_mtok,
        as_of=price.as_of,
        source=price.source,
    )


def bills(
    store: Store, models: tuple[str, ...], requirements: Requirements, on: date
) -> dict[str, Bill | None]:
    """Return the monthly bill of each model at its cheapest provider, or ``None``.

    Prices, gates and what is unknown are as for ``provider_bills``.
    """
    question = replace(
        requirements,  # What a bill depends on, so that other choices find it computed.
        cohort=ALL_MODELS,
        protocol="",
        revision="",
        access="any",
        max_params_b=None,
        monthly_budget_usd=None,
        margin=0.0,
        include_flagged=False,
        only=(),
        overlap_once=False,
        prices_on="",
    )
    return _bills(store, models, question, on)


@lru_cache(maxsize=256)
def _bills(
    store: Store, models: tuple[str, ...], requirements: Requirements, on: date
) -> dict[str, Bill | None]:
    lines = {kind: workload_of(store, requirements, reasoning=kind) for kind in (False, True)}
    verdicts = route_verdicts(store, models, requirements)
    found: dict[str, Bill | None] = {}
    for name in models:
        reasoning = model(store, name).reasoning
        ways = verdicts.get(name, ())
        every = _bills_of(store, name, requirements, on, lines[reasoning], ways)
        found[name] = next(iter(every), None)
    return found
