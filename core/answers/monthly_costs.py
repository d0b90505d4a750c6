"""What each model would cost this buyer a month: by the token, or on own servers."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from core.answers.bills import (
    OWN_PRICE,
    bill_question,
    every_bill,
    platform_of,
    requests_a_month,
    task_costs,
    weights_of,
    workloads,
)
from core.answers.data import model, prices_on
from core.answers.remembering import remembered
from core.evidence.catalogue import OWN_RESULT
from core.procurement.bill import (
    bill_cost,
    flat_request_cost_usd,
    measured_cost,
    servers_cost,
    unknown_cost,
)
from core.procurement.capacity import USUAL_UTILISATION, capacity
from core.procurement.capacity import requests_a_month as served
from core.procurement.hosting import USUAL_BITS, Setup, hosting
from core.procurement.prices import request_cost_usd
from core.procurement.reasons import ELSEWHERE, NOT_RECORDED
from core.procurement.workload import mean_tokens

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import date

    from core.domain import MonthlyCost, Price, Requirements, WorkloadLine
    from core.evidence.store import Store
    from core.procurement.capacity import Capacity
    from core.procurement.hosting import Hosting

_UNMEASURED = "at least one set: nobody published what it serves"


def monthly_costs(
    store: Store,
    models: tuple[str, ...],
    requirements: Requirements,
    on: date,
) -> dict[str, MonthlyCost]:
    """Return what each model costs a month, the way the buyer would get it.

    On own servers where the requirements ask for own servers only: the cheapest GPUs on offer
    that hold the model and the load, or the buyer's own kind, and never a price per token; where
    nobody published what any of them serves, at least one set. Else by the token, at the provider
    with the lowest likely bill of those that count.

    One of which no cost is known says why.
    """
    own = requirements.access == "own"
    question = replace(
        bill_question(requirements),
        access="own" if own else "any",
        gpu=requirements.gpu if own else "",
    )
    return _monthly_costs(store, models, question, on)


@remembered(maxsize=64)
def _monthly_costs(
    store: Store, models: tuple[str, ...], requirements: Requirements, on: date
) -> dict[str, MonthlyCost]:
    lines = workloads(store, models, requirements)
    if requirements.access == "own":
        return {name: _on_own_servers(store, name, requirements, lines[name]) for name in models}
    measured = task_costs(store, requirements)
    if measured and not any(lines.values()):
        return {name: _measured(store, requirements, name, measured) for name in models}
    bills = every_bill(store, models, requirements, on)
    public = prices_on(store.shared, on)
    found = {}
    for name in models:
        if bills[name]:
            found[name] = _by_the_token(store, name, bills[name][0].price, lines[name])
        elif not lines[name]:
            found[name] = unknown_cost(name, "this evidence has no work to price")
        else:
            priced = name.removesuffix(OWN_RESULT) in public
            why = ELSEWHERE if priced else "no public price"
            found[name] = unknown_cost(name, f"{why}: ask the vendor")
    return found


def _measured(
    store: Store, requirements: Requirements, name: str, recorded: Mapping[str, Mapping[str, float]]
) -> MonthlyCost:
    """Return the cost by what the suite's own runs cost a task, weighted as the score is."""
    usd, suite = 0.0, store.catalogue.suites[requirements.suite].name
    for category, weight in weights_of(store, requirements):
        costs = [
            recorded.get(name, {}).get(test.id)
            for test in store.catalogue.benchmarks[requirements.suite]
            if category in (test.category, test.subcategory)
        ]
        known = [cost for cost in costs if cost is not None]
        if len(known) < len(costs):
            return unknown_cost(name, f"{NOT_RECORDED} {suite}")
        usd += weight * sum(known) / len(known)
    return measured_cost(name, usd, requests_a_month(store, requirements), suite)


def hosted_as(store: Store, name: str, setup: Setup) -> Hosting:
    """Return what one copy of a model takes and costs on rented GPUs."""
    facts = store.catalogue.procurement
    return hosting(
        model(store, name),
        setup,
        offers=facts.gpus,
        architectures=facts.architectures,
        models=store.catalogue.models,
    )


def capacity_of(
    store: Store, name: str, setup: Setup, gpus: int, lines: tuple[WorkloadLine, ...]
) -> Capacity:
    """Return what so many GPUs serve of the requests of a workload, as measured."""
    read, written = mean_tokens(lines)
    return capacity(
        model(store, name),
        store.catalogue.procurement.throughput,
        store.catalogue.models,
        gpu=setup.gpu,
        gpus=gpus,
        bits=setup.bits,
        input_tokens=read,
        output_tokens=written,
    )


def _by_the_token(
    store: Store, name: str, price: Price, lines: tuple[WorkloadLine, ...]
) -> MonthlyCost:
    own = price.provider == OWN_PRICE
    cost = bill_cost(
        price,
        lines,
        platform=platform_of(store, price.provider),
        request_cost=flat_request_cost_usd if own else request_cost_usd,
    )
    return replace(cost, model=name)


def _on_own_servers(
    store: Store, name: str, requirements: Requirements, lines: tuple[WorkloadLine, ...]
) -> MonthlyCost:
    offers = store.catalogue.procurement.gpus
    most = max(offer.gpus_in_offer for offer in offers)
    gpus = [requirements.gpu] if requirements.gpu else dict.fromkeys(o.gpu for o in offers)
    found: list[MonthlyCost] = []
    reasons: dict[str, None] = {}
    for gpu in gpus:
        cost, n_gpus = _on_gpu(store, name, requirements, lines, gpu)
        if cost.low is None:
            reasons[cost.basis] = None
        elif n_gpus <= most or requirements.gpu:
            found.append(cost)
        else:
            reasons[f"It needs more than the {most} GPUs that the largest machine has."] = None
    if not found:
        return unknown_cost(name, " ".join(reasons))
    # A bound is never cheaper than a cost; among equals the first in the table of GPUs.
    return min(found, key=lambda cost: (cost.likely is None, cost.for_budget or math.inf))


def _on_gpu(
    store: Store,
    name: str,
    requirements: Requirements,
    lines: tuple[WorkloadLine, ...],
    gpu: str,
) -> tuple[MonthlyCost, int]:
    """Return the cost on one kind of GPU, and how many of them hold the model."""
    setup = Setup(gpu=gpu, bits=USUAL_BITS)
    hosted = hosted_as(store, name, setup)
    if hosted.gpus is None or hosted.hourly is None:
        return unknown_cost(name, hosted.reason), 0
    sets, said = [], _UNMEASURED
    for number in hosted.gpus:
        able = capacity_of(store, name, setup, number, lines) if lines else None
        if able is None or able.requests_per_second is None:
            continue
        serves = served(able.requests_per_second, utilisation=USUAL_UTILISATION)
        sets.append(max(1, math.ceil(requests_a_month(store, requirements) / serves)))
        if number == hosted.gpus[1]:
            said = (
                f"a set serves about {float(f'{serves:.2g}'):,.0f} requests a month at "
                f"{USUAL_UTILISATION:.0%} of full load"
            )
    every = len(sets) == len(hosted.gpus)
    cost = servers_cost(
        name,
        hosted.hourly,
        hosted.gpus,
        (sets[0], sets[1], sets[2]) if every else None,
        hours=setup.hours,
        bits=setup.bits,
        load=said if every else _UNMEASURED,
    )
    return cost, hosted.gpus[1]
