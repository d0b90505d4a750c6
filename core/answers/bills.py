"""The ways to get a model, and what the work costs there a month: by the token, own servers."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING

from core.answers.data import model, prices_on
from core.answers.remembering import remembered
from core.domain import BadRequestError, Price, Requirements
from core.domain.choice import CONDITIONS, SALE, WORK, WORKLOAD
from core.evidence.catalogue import OWN_RESULT
from core.procurement.bill import bills as bills_at
from core.procurement.bill import (
    flat_request_cost_usd,
    hidden_tokens,
    kind_profiles,
    mean_tokens,
    request_cost_usd,
    request_profile,
    suggested,
    token_profiles,
    volume_workload,
    workload,
)
from core.procurement.gates import (
    SELF_HOSTED,
    apply_gates,
    best_standing,
    routes,
    where_allowed,
    with_own,
)
from core.procurement.hosting import (
    HOURS_A_MONTH,
    USUAL_BITS,
    USUAL_UTILISATION,
    Setup,
    capacity,
    hosting,
)
from core.procurement.hosting import requests_a_month as served
from core.procurement.monthly_cost import bill_cost, measured_cost, servers_cost, unknown_cost
from core.procurement.products import on_sale, products_of
from core.procurement.requirements import category_weights
from core.words import cost as words

if TYPE_CHECKING:
    from collections.abc import Mapping

    from core.domain import (
        Benchmark,
        Bill,
        GateAnswer,
        MonthlyCost,
        OnSale,
        Price,
        RequestKind,
        Requirements,
        RouteVerdict,
        Task,
        TokenProfile,
        TokenRow,
        Volume,
        WhyUnknown,
        WorkloadLine,
    )
    from core.evidence.store import Store
    from core.procurement.hosting import Capacity, Hosting

OWN_PRICE = "own"
"""The provider of a price that the hospital was offered."""


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
    # As the maker or the platform itself says, whether there is a price or not.
    selling = [row for row in catalogue.lifecycle if row.status in ("on sale", "deprecated")]
    sold_at = {
        m.id: [row.platform for row in selling if row.product in sold_as]
        for m in models
        for sold_as in [set(products_of(m.id, catalogue.crosswalk))]
    }
    found = apply_gates(
        requirements,
        models,
        where_allowed(routes(models, catalogue.prices, facts.platforms, sold_at), where),
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


def _counted(store: Store, *, reasoning: bool) -> tuple[list[TokenRow], list[Benchmark]]:
    """Return token counts of the models that write out their reasoning, or of the rest.

    MedHELM let the former write up to 4,000 tokens where others were allowed one. The counts of
    the rest are the visible answer of every model; those of the former are only a cap.
    """
    catalogue = store.catalogue
    benchmarks = [b for found in catalogue.benchmarks.values() for b in found]
    rows = [row for row in catalogue.tokens if catalogue.model(row.model).reasoning == reasoning]
    return rows, benchmarks


@remembered(maxsize=8)
def _profiles(store: Store, *, reasoning: bool) -> dict[str, TokenProfile]:
    return token_profiles(*_counted(store, reasoning=reasoning))


@remembered(maxsize=8)
def _kind_tokens(store: Store, *, reasoning: bool) -> dict[str, TokenProfile]:
    kinds = store.catalogue.procurement.requests
    return kind_profiles(kinds, *_counted(store, reasoning=reasoning))


def weights_of(store: Store, requirements: Requirements) -> tuple[tuple[str, float], ...]:
    """Return the category weights that the requirements come to; empty without evidence."""
    benchmarks = store.catalogue.benchmarks.get(requirements.suite)
    if benchmarks is None:
        store.snapshot(requirements.suite)  # says which suites there are
        raise BadRequestError(f"{requirements.suite} has no benchmarks.")
    return category_weights(requirements, benchmarks, task_of(store, requirements))


def task_of(store: Store, requirements: Requirements) -> Task:
    """Return the kind of work that is asked about; one that nobody knows is refused."""
    if requirements.task not in store.catalogue.tasks:
        known = ", ".join(task.name for task in store.catalogue.tasks.values())
        raise BadRequestError(f'There is no task "{requirements.task[:80]}"; there are {known}.')
    return store.catalogue.tasks[requirements.task]


def task_costs(store: Store, requirements: Requirements) -> Mapping[str, Mapping[str, float]]:
    """Return US dollars for a task by model and benchmark, as the source of a suite recorded them.

    Such tasks take an agent many calls, of which no tokens are printed: MedHELM's tokens of one
    answer say nothing about them. Empty for other suites; what was not recorded is not there.
    """
    return _recorded(store, requirements.part("suite", "revision"), "cost_usd_per_task:")


def task_seconds(store: Store, requirements: Requirements) -> Mapping[str, Mapping[str, float]]:
    """Return seconds for a task as ``task_costs`` does US dollars."""
    return _recorded(store, requirements.part("suite", "revision"), "seconds_per_task:")


@remembered(maxsize=16)
def _recorded(store: Store, asked: Requirements, field: str) -> Mapping[str, Mapping[str, float]]:
    found: dict[str, dict[str, float]] = {}
    if store.of_suite(asked.suite):
        for fact in store.facts(store.snapshot(asked.suite, asked.revision)):
            if fact.field.startswith(field):
                benchmark = fact.field.removeprefix(field)
                found.setdefault(fact.model, {})[benchmark] = float(fact.value)
    return found


def workload_of(
    store: Store, requirements: Requirements, *, reasoning: bool = False, developer: str = ""
) -> tuple[WorkloadLine, ...]:
    """Return the requests and tokens a month behind the bills.

    By kind of request where volumes are given, else by task category; empty where neither
    volumes nor evidence for the task are there. For a model that reasons they are the same
    requests and answers, with hidden reasoning on top: as measured of its developer, or of all
    developers where none is given.
    """
    lines = _answers(store, requirements)
    if not reasoning:
        return lines
    caps = _caps(store, requirements)
    return tuple(
        replace(
            line,
            profile=replace(
                line.profile,
                hidden=hidden_tokens(
                    store.catalogue.reasoning_tokens,
                    developer,
                    visible=line.profile.output_tokens,
                    cap=request_profile(line.category, caps, None, None).output_tokens,
                    own=requirements.reasoning_tokens_per_request,
                ),
            ),
        )
        for line in lines
    )


def workloads(
    store: Store, models: tuple[str, ...], requirements: Requirements
) -> dict[str, tuple[WorkloadLine, ...]]:
    """Return the workload of each model; it differs only in hidden reasoning."""
    kinds: dict[tuple[bool, str], tuple[WorkloadLine, ...]] = {}
    found = {}
    for name in models:
        asked = model(store, name)
        kind = (asked.reasoning, asked.developer if asked.reasoning else "")
        if kind not in kinds:
            kinds[kind] = workload_of(store, requirements, reasoning=kind[0], developer=kind[1])
        found[name] = kinds[kind]
    return found


def _answers(store: Store, requirements: Requirements) -> tuple[WorkloadLine, ...]:
    """Return the workload without any hidden reasoning."""
    if requirements.volumes:
        return volume_workload(
            store.catalogue.procurement.requests,
            dict(requirements.volumes),
            _kind_tokens(store.shared, reasoning=False),
            [
                own
                for own in requirements.own_tokens
                if own.kind in {kind for kind, _ in requirements.volumes}
            ],
        )
    weights = weights_of(store, requirements)
    own = (requirements.input_tokens_per_request, requirements.output_tokens_per_request)
    if not weights or (None in own and task_costs(store, requirements)):
        return ()
    return workload(
        weights,
        _profiles(store.shared, reasoning=False),
        requests_per_month=requirements.requests_per_month,
        input_tokens=requirements.input_tokens_per_request,
        output_tokens=requirements.output_tokens_per_request,
    )


def _caps(store: Store, requirements: Requirements) -> dict[str, TokenProfile]:
    """Return what reasoning models were allowed to write, by the names of the workload's lines."""
    if not requirements.volumes:
        return _profiles(store.shared, reasoning=True)
    found = _kind_tokens(store.shared, reasoning=True)
    return {kind.name: found[kind.id] for kind in store.catalogue.procurement.requests}


def requests_a_month(store: Store, requirements: Requirements) -> float:
    """Return the requests a month of the whole workload."""
    if requirements.volumes:
        return sum(number for _, number in requirements.volumes)
    return float(requirements.requests_per_month)


def provider_bills(
    store: Store, model_id: str, requirements: Requirements, on: date
) -> tuple[Bill, ...]:
    """Return the monthly bill of a model at each provider that counts, cheapest first.

    The hospital's own price stands in place of the public ones. Where gates are set, providers
    count whose platform meets them, on a condition or not; where there is none, those where a
    question is open; those that fail never. One that has ended the model, or ends it before the
    months of sale are over, never counts. Empty where no price is known, which is not free.
    """
    return every_bill(store, (model_id,), requirements, on)[model_id]


def every_bill(
    store: Store, models: tuple[str, ...], requirements: Requirements, on: date
) -> dict[str, tuple[Bill, ...]]:
    """Return the bills of several models, each as ``provider_bills`` gives them."""
    return _every_bill(store, models, bill_question(requirements), on)


def platform_of(store: Store, provider: str) -> str:
    """Return the platform behind a provider of the price list; the provider's id without one."""
    known = {it.provider: it.platform for it in store.catalogue.procurement.platforms}
    return known.get(provider, provider)


def _bills_of(
    store: Store,
    model_id: str,
    requirements: Requirements,
    on: date,
    lines: tuple[WorkloadLine, ...],
    verdicts: tuple[RouteVerdict, ...],
    ended: Gone,
) -> tuple[Bill, ...]:
    if not lines:
        return ()
    bought = model_id.removesuffix(OWN_RESULT)
    own = [
        Price(
            model=bought,
            provider=OWN_PRICE,
            provider_name="your own offer",
            provider_model=bought,
            input_usd_per_mtok=price.input_usd_per_mtok,
            output_usd_per_mtok=price.output_usd_per_mtok,
            as_of=price.as_of,
            source=price.source,
        )
        for price in requirements.own_prices
        if price.model == bought
    ]
    if own:
        return bills_at(own, lines, request_cost=flat_request_cost_usd)
    public = {
        price.provider: price
        for price in prices_on(store.shared, on).get(bought, ())
        if (bought, platform_of(store, price.provider)) not in ended
    }
    # Of providers that ask the same, the one that meets the gates better comes first.
    counting = best_standing(verdicts, public) if verdicts else public
    return bills_at([public[p] for p in counting], lines, request_cost=request_cost_usd)


def bills(
    store: Store, models: tuple[str, ...], requirements: Requirements, on: date
) -> dict[str, Bill | None]:
    """Return the monthly bill of each model at its cheapest provider that counts, or ``None``.

    Prices, gates, sale and what is unknown are as for ``provider_bills``.
    """
    found = every_bill(store, models, requirements, on)
    return {name: next(iter(found[name]), None) for name in models}


def bill_question(requirements: Requirements) -> Requirements:
    """Return what a bill depends on, so that other choices find it computed."""
    return requirements.part("suite", *WORK, *WORKLOAD, *CONDITIONS, *SALE)


@remembered(maxsize=256)
def _every_bill(
    store: Store, models: tuple[str, ...], requirements: Requirements, on: date
) -> dict[str, tuple[Bill, ...]]:
    lines = workloads(store, models, requirements)
    verdicts = route_verdicts(store, models, requirements)
    ended = gone(store, models, requirements, on)
    return {
        name: _bills_of(store, name, requirements, on, lines[name], verdicts.get(name, ()), ended)
        for name in models
    }


def suggested_volumes(
    store: Store, sizes: tuple[tuple[str, float], ...]
) -> tuple[tuple[RequestKind, Volume | None, float | None], ...]:
    """Return each kind of request, the sourced quantity, and requests a month for the size.

    ``sizes`` says how many there are of what the sources count for, such as a staffed bed; the
    requests are rounded to whole ones. ``None`` without source, and without requests where there
    is no size. Errors as for `core.procurement.bill.suggested`.
    """
    facts = store.catalogue.procurement
    requests = suggested(facts.requests, facts.volumes, dict(sizes))
    return tuple(
        (kind, facts.volumes.get(kind.volume), None if number is None else float(round(number)))
        for kind in facts.requests
        for number in [requests[kind.id]]
    )


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
            price = bills[name][0].price
            cost_of = flat_request_cost_usd if price.provider == OWN_PRICE else request_cost_usd
            platform = platform_of(store, price.provider)
            cost = bill_cost(price, lines[name], platform=platform, request_cost=cost_of)
            found[name] = replace(cost, model=name, basis=words.bill_basis(price, lines[name]))
        elif not lines[name]:
            found[name] = unknown_cost(name, words.why_unknown("no work"), "no work")
        else:
            priced = name.removesuffix(OWN_RESULT) in public
            why: WhyUnknown = "elsewhere" if priced else "no price"
            found[name] = unknown_cost(name, words.why_unknown(why), why)
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
            return unknown_cost(name, words.why_unknown("not recorded", suite), "not recorded")
        usd += weight * sum(known) / len(known)
    whose, basis = words.measured(usd, suite)
    found = measured_cost(name, usd, requests_a_month(store, requirements))
    return replace(found, from_whom=whose, basis=basis)


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
            reasons[f"it needs more than the {most} GPUs that the largest machine has"] = None
    if not found:
        return unknown_cost(name, "; ".join(reasons), "no servers")
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
        return unknown_cost(name, words.lacking(hosted.lacking), "no servers"), 0
    sets, speeds = [], []
    for number in hosted.gpus:
        able = capacity_of(store, name, setup, number, lines) if lines else None
        if able is None or able.requests_per_second is None:
            continue
        speeds.append(served(able.requests_per_second, utilisation=USUAL_UTILISATION))
        sets.append(max(1, math.ceil(requests_a_month(store, requirements) / speeds[-1])))
    known = (sets[0], sets[1], sets[2]) if len(sets) == len(hosted.gpus) else None
    cost = servers_cost(name, hosted.hourly, hosted.gpus, known, hours=HOURS_A_MONTH)
    one = hosted.gpus[1]
    which = (known[1], setup.bits, speeds[1]) if known else (None, setup.bits, None)
    whose, basis = words.servers(hosted.hourly, one, *which)
    return replace(cost, from_whom=whose, basis=basis), one
