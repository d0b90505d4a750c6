"""The offers of a model, and what the work costs there a month: by the token, own servers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import TypeVar

from core.answers.asked import Asked
from core.answers.data import model, models, prices_on
from core.domain import (
    BEST_FIRST,
    Access,
    BadRequestError,
    Bill,
    BillElsewhere,
    ConditionAnswer,
    Conditions,
    Demand,
    Hardware,
    Lacking,
    Model,
    ModelFact,
    MonthlyCost,
    NotKnown,
    OfferTerms,
    OnSale,
    OwnPrice,
    OwnSale,
    Price,
    Purchase,
    Region,
    SalePeriod,
    Status,
    Task,
    TokenProfile,
    WhyUnknown,
    Work,
    Workload,
    WorkloadLine,
)
from core.domain.procurement import OFFERED
from core.evidence.catalogue import OWN_RESULT
from core.evidence.store import Store
from core.memory import remembered
from core.procurement import bill as billing
from core.procurement.conditions import (
    SELF_HOSTED,
    apply_conditions,
    by_platform,
    offers_of,
    on_sale,
    served_in,
    with_own_sales,
)
from core.procurement.hosting import HOURS_A_MONTH, Capacity, Hosting, capacity, hosting
from core.procurement.shortlist import category_weights

Lines = tuple[WorkloadLine, ...]
OwnFact = TypeVar("OwnFact", ConditionAnswer, OwnPrice, OwnSale)


_MEETS = BEST_FIRST[:2]
BAA = "baa"
"""The condition that asks for a signed business associate agreement."""


def regions_asked(store: Store, conditions: Conditions) -> dict[str, str]:
    """Return the region that each condition asks for, where one does."""
    kinds = store.catalogue.condition_kinds
    return {it: kinds[it].region for it in conditions.required if kinds[it].region}


def offer_terms(
    store: Store, names: tuple[str, ...], conditions: Conditions, where: str = "any"
) -> Mapping[str, tuple[OfferTerms, ...]]:
    """Return the terms of every offer of each model; empty where no condition is set."""
    limits = (conditions.max_retention_days, conditions.min_context_tokens)
    if not (conditions.required or conditions.platforms) and limits == (None, None):
        return {}
    return terms_of_every_offer(store, names, conditions, where)


@remembered(maxsize=128)
def terms_of_every_offer(
    store: Store,
    names: tuple[str, ...],
    conditions: Conditions,
    where: str = "any",
    own_prices: tuple[OwnPrice, ...] = (),
) -> Mapping[str, tuple[OfferTerms, ...]]:
    """Return the terms of every offer of each model, with all conditions that are asked.

    ``where`` is *vendor* or *own* for the offers of that kind only. Of a model that no vendor is
    known to offer, the vendor is still to be asked. A platform that named the hospital a price
    offers the model, whether or not a list has it.
    """
    # A hospital's own result is bought as the model that was tried.
    bought = {name: name.removesuffix(OWN_RESULT) for name in names}
    known = [*models(store, bought.values()).values()]
    catalogue = store.catalogue
    # As the maker or the platform itself says, whether there is a price or not. Where a list has it
    # and no source says whether it is sold, that is a question.
    listed = {(key.product, key.platform) for key in catalogue.list_keys}
    selling = [
        row
        for row in catalogue.lifecycle
        if row.status in ("on sale", "deprecated")
        or (row.status == "not found" and (row.product, row.platform) in listed)
    ]
    sold_as = {m.id: catalogue.sold_as.get(m.id, ()) for m in known}
    sold_at = {
        name: [row.platform for row in selling if row.product in products]
        + [own.platform for own in told_of(store, conditions.own_sales, name)]
        + [own.platform for own in told_of(store, own_prices, name) if own.platform]
        for name, products in sold_as.items()
    }
    told = [
        replace(own, platform=name)
        for name in sold_as
        for own in told_of(store, conditions.own_answers, name)
    ]
    asked = regions_asked(store, conditions)
    only = conditions.platforms
    found = apply_conditions(
        conditions,
        known,
        offers_of(known, catalogue.prices, catalogue.platforms, sold_at, where, only),
        kinds=catalogue.condition_kinds,
        # What the buyer was told goes before what is shipped.
        answers=(*catalogue.condition_answers, *conditions.own_answers, *told),
        licence=catalogue.licence,
        served=served_in(sold_as, catalogue.regions, asked) if asked else {},
        products=sold_as,
    )
    return {
        name: found[of] if name == of else tuple(replace(it, model=name) for it in found[of])
        for name, of in bought.items()
    }


def told_of(store: Store, own: Sequence[OwnFact], name: str) -> list[OwnFact]:
    """Return what the hospital was told of a model, under any name of its one product.

    In the order given, what was said under this very name last.
    """
    if not own:
        return []
    under = [(it.platform if isinstance(it, ConditionAnswer) else it.model, it) for it in own]

    def one(model_id: str) -> str:
        """Return the one product that a model is; its id where it is none or may be several."""
        products = store.catalogue.sold_as.get(model_id, ())
        return products[0] if len(products) == 1 else model_id

    found = [(said, it) for said, it in under if one(said) == one(name)]
    return [it for _, it in sorted(found, key=lambda each: each[0] == name)]


def offers_at(store: Store, own: Sequence[OwnPrice], name: str) -> tuple[OwnPrice, ...]:
    """Return the hospital's own prices of a model, of several for one platform the last."""
    return tuple({it.platform: it for it in told_of(store, own, name)}.values())


def sales(asked: Asked, names: tuple[str, ...]) -> Mapping[str, OnSale]:
    """Return whether each model stays on sale for as long as is asked, else on the day alone.

    Judged at the providers that meet the other conditions, and on own servers but where only a
    vendor's service is asked for. A hospital's own result is bought as the model that was tried.
    """
    of = asked.question
    return _sales(asked.store, names, of.to_meet, of.sale, of.access, asked.day)


def sold_anywhere(
    asked: Asked, names: tuple[str, ...], platforms: tuple[str, ...] = ()
) -> Mapping[str, OnSale]:
    """Return whether each model stays on sale at some or any platform, whatever the conditions.

    Weights that can be kept do not count where only a vendor's service is asked for.
    """
    of = asked.question
    told = Conditions(platforms=platforms, own_sales=of.conditions.own_sales)
    where: Access = "vendor" if of.access == "vendor" else "any"
    return _sales(asked.store, names, told, of.sale, where, asked.day)


@remembered(maxsize=32)
def _sales(
    store: Store,
    names: tuple[str, ...],
    conditions: Conditions,
    period: SalePeriod,
    access: Access,
    day: date,
) -> Mapping[str, OnSale]:
    where = access if access in ("vendor", "own") else "any"
    offers = offer_terms(store, names, conditions, where)
    bought = {name: name.removesuffix(OWN_RESULT) for name in names}
    known, found = models(store, bought.values()), {}
    begins = date.fromisoformat(period.on_sale_on) if period.on_sale_on else day
    regions: dict[str, list[Region]] = {}
    for region in store.catalogue.regions:
        regions.setdefault(region.product, []).append(region)
    for name in names:
        sold_as = store.catalogue.sold_as.get(bought[name], ())
        able = (offer.platform for offer in offers.get(name, ()) if offer.status != "fails")
        platforms = frozenset(able) if name in offers else None
        rows = [row for row in store.catalogue.lifecycle if row.product in sold_as]
        told = told_of(store, conditions.own_sales, bought[name])
        found[name] = on_sale(
            known[bought[name]],
            with_own_sales(rows, told),
            begins,
            period.on_sale_months or 0,
            platforms,
            regions=[it for product in sold_as for it in regions.get(product, ())],
            own_servers=where != "vendor" and (platforms is None or SELF_HOSTED in platforms),
            licence=store.catalogue.licence(known[bought[name]])
            if known[bought[name]].access == "open"
            else None,
        )
    return found


@remembered(maxsize=8)
def _profiles(store: Store, *, by_kind: bool, reasoning: bool) -> dict[str, TokenProfile]:
    """Return the tokens of a request by category, or by kind of request.

    Counted are the models that write out their reasoning, or the rest: MedHELM let the former
    write up to 4,000 tokens where others were allowed one. The counts of the rest are the visible
    answer of every model; those of the former are only a cap.
    """
    catalogue = store.catalogue
    benchmarks = [b for found in catalogue.benchmarks.values() for b in found]
    rows = [row for row in catalogue.tokens if catalogue.model(row.model).reasoning == reasoning]
    if by_kind:
        return billing.kind_profiles(catalogue.requests, rows, benchmarks)
    return billing.token_profiles(rows, benchmarks)


def weights_of(store: Store, suite: str, work: Work) -> tuple[tuple[str, float], ...]:
    """Return the category weights of a kind of work in a suite; empty without evidence."""
    benchmarks = store.catalogue.benchmarks.get(suite)
    if benchmarks is None:
        store.snapshot(suite)  # says which suites there are
        raise BadRequestError(f"{suite} has no benchmarks.")
    spoken = sorted({benchmark.language for benchmark in benchmarks} - {""})
    if work.language and work.language not in spoken:
        raise BadRequestError(
            f"{suite} has no test in {work.language[:80]}; its tests are in "
            f"{', '.join(spoken) or 'a language that no source says'}."
        )
    return category_weights(suite, work, benchmarks, task_of(store, work.task))


def task_of(store: Store, task: str) -> Task:
    """Return the kind of work that is asked about; one that nobody knows is refused."""
    if task not in store.catalogue.tasks:
        known = ", ".join(it.name for it in store.catalogue.tasks.values())
        raise BadRequestError(f'There is no task "{task[:80]}"; there are {known}.')
    return store.catalogue.tasks[task]


def has_agents(store: Store, suite: str) -> bool:
    """Say whether agents do the tasks of a suite, with many calls of their model for each."""
    return any(of == suite for of, _ in store.catalogue.agent_tokens)


@remembered(maxsize=16)
def seconds_a_task(
    store: Store, suite: str, revision: str = ""
) -> Mapping[str, Mapping[str, float]]:
    """Return how long a task took, by run and benchmark, where its source recorded that."""
    found: dict[str, dict[str, float]] = {}
    if store.of_suite(suite):
        for fact in store.derived(ModelFact, store.snapshot(suite, revision)):
            what, _, benchmark = fact.field.partition("_per_task:")
            if benchmark and what == "seconds":
                found.setdefault(fact.model, {})[benchmark] = float(fact.value)
    return found


def by_the_task(store: Store, demand: Demand) -> bool:
    """Say whether a request is a whole task of an agent, by the tokens of the suite's own runs."""
    return has_agents(store, demand.suite) and not workload_of(store, demand)


def billed(store: Store, names: tuple[str, ...], demand: Demand) -> dict[str, Lines]:
    """Return what each model is billed for: its workload, or the tasks of its own run's agent.

    Those are weighted as the score is. Empty where a run's tokens of what counts are not known.
    """
    if not by_the_task(store, demand):
        return workloads(store, names, demand)
    tests, requests = store.catalogue.benchmarks[demand.suite], requests_a_month(demand.workload)
    suite, found = store.catalogue.suites[demand.suite].name, {}
    for name in names:
        took = store.catalogue.agent_tokens.get((demand.suite, name.removesuffix(OWN_RESULT)), {})
        lines = []
        for category, weight in weights_of(store, demand.suite, demand.work):
            every = [took.get(it.id) for it in tests if category in (it.category, it.subcategory)]
            known = [it for it in every if it is not None]
            if len(known) < len(every):
                break
            read, again, written = (
                sum(getattr(it, part) for it in known) / len(known)
                for part in ("input_tokens", "cached_tokens", "output_tokens")
            )
            tokens = TokenProfile(
                category,
                read,
                written,
                len(known),
                f"a task in {suite}, taken by this model with its agent",
                cached_share=again / read,
                many_calls=True,
            )
            lines.append(WorkloadLine(category, weight * requests, tokens))
        else:
            found[name] = tuple(lines)
    return {name: found.get(name, ()) for name in names}


def workloads(store: Store, names: tuple[str, ...], demand: Demand) -> dict[str, Lines]:
    """Return the workload of each model; it differs only in hidden reasoning."""
    known = models(store, names)
    kinds = {name: known[name].developer if known[name].reasoning else None for name in names}
    lines = {kind: workload_of(store, demand, kind) for kind in dict.fromkeys(kinds.values())}
    return {name: lines[kind] for name, kind in kinds.items()}


@remembered(maxsize=128)
def workload_of(store: Store, demand: Demand, developer: str | None = None) -> Lines:
    """Return the requests and tokens a month behind the bills.

    By kind of request where volumes are given, else by MedHELM's task categories of the work, or
    the suite's own where the buyer weighs these or MedHELM does not test the work; empty where
    neither volumes nor evidence for the task are there. For the models of a ``developer`` that
    reason they are the same requests and answers, with hidden reasoning on top, as measured of its
    models, and of all where it has no name.
    """
    by_kind = bool(demand.workload.volumes)
    if developer is not None:
        # What reasoning models were allowed to write, by the names of the workload's lines.
        allowed = _profiles(store.shared, by_kind=by_kind, reasoning=True)
        caps = {cap.category: cap for cap in allowed.values()}
        rows = store.catalogue.reasoning_tokens
        return tuple(
            replace(
                line,
                profile=replace(
                    line.profile,
                    hidden=billing.hidden_tokens(
                        rows,
                        developer,
                        visible=line.profile.output_tokens,
                        cap=billing.request_profile(line.category, caps, None, None).output_tokens,
                        own=demand.workload.reasoning_tokens_per_request,
                    ),
                ),
            )
            for line in workload_of(store, demand)
        )
    of, profiles = demand.workload, _profiles(store.shared, by_kind=by_kind, reasoning=False)
    if by_kind:
        volumes = dict(of.volumes)
        own_tokens = [own for own in of.own_tokens if own.kind in volumes]
        lines = billing.volume_workload(store.catalogue.requests, volumes, profiles, own_tokens)
    else:
        weights = weights_of(store, demand.suite, demand.work)
        read, written = of.input_tokens_per_request, of.output_tokens_per_request
        unknown = read is None or written is None
        if not weights or (unknown and has_agents(store, demand.suite)):
            return ()
        if not demand.work.weights:
            # The same work costs the same, whichever suite tests it.
            counted = weights_of(store, billing.TOKENS_SUITE, replace(demand.work, language=""))
            weights = counted or weights
        lines = billing.workload(
            weights,
            profiles,
            requests_per_month=of.requests_per_month,
            input_tokens=read,
            output_tokens=written,
        )
    return tuple(
        replace(line, profile=replace(line.profile, cached_share=of.cached_share)) for line in lines
    )


def requests_a_month(workload: Workload) -> float:
    """Return the requests a month of the whole workload."""
    if workload.volumes:
        return sum(number for _, number in workload.volumes)
    return float(workload.requests_per_month)


def _counting(
    every: Sequence[tuple[Bill, Status]], sold: OnSale, *, sale_asked: bool
) -> tuple[tuple[Bill, Status], ...]:
    """Return bills, cheapest first, without the public ones that the hospital's own replaces.

    That is the one at the platform that it names. Without a platform it replaces all, but where
    conditions are set it is not known to meet them, and replaces none. Where sale is asked, a
    platform that is known to sell it for long enough comes before one of which that is not known.
    Of equals that which meets the conditions better comes first, then one promised for long enough;
    a platform that is shut to new customers is as good as one of which something is not known.
    """
    replaced = {
        bill.price.platform
        for bill, status in every
        if bill.price.offered and (bill.price.platform != OFFERED or status in _MEETS)
    }

    known = {it.platform for it in sold.at if it.lasts is not None}
    shut = sold.for_existing

    open_ended = {it.platform for it in sold.at if it.state == "no end known"}

    def order(it: tuple[Bill, Status]) -> tuple[bool, float, int, bool, bool]:
        price, status = it[0].price, it[1]
        unsure = sale_asked and not price.offered and price.platform not in known
        is_shut = price.platform in shut
        met = max(BEST_FIRST.index(status), BEST_FIRST.index("open") if is_shut else 0)
        is_open = price.platform in open_ended
        return unsure, billing.near(it[0].monthly_usd), met, is_shut, is_open

    counting = (
        (bill, status)
        for bill, status in every
        if bill.price.offered or not {bill.price.platform, OFFERED} & replaced
    )
    return tuple(sorted(counting, key=order))


@remembered(maxsize=128)
def bills_by_platform(
    store: Store, names: tuple[str, ...], purchase: Purchase, day: date
) -> Mapping[str, tuple[tuple[Bill, Status], ...]]:
    """Return the monthly bills of each model and their platform's status, the best first.

    Those where it is known to be sold, if that is asked, then the cheapest. A platform that has
    ended the model, or ends it before the months of sale are over, has no bill; at such a one the
    hospital's own price fails.
    """
    lines = billed(store, names, purchase.demand)
    stands = by_platform(offer_terms(store, names, purchase.conditions))
    regions = tuple(regions_asked(store, purchase.conditions).values())
    sold = _sales(store, names, purchase.conditions, purchase.sale, "any", day)
    public = prices_on(store.shared, day, regions)
    mine = purchase.demand.workload.own_prices
    found = {}
    for name in names:
        bought, gone = name.removesuffix(OWN_RESULT), sold[name].failing_platforms
        listed = {p.provider: p for p in public.get(bought, ()) if p.platform not in gone}
        every: list[tuple[Bill, Status]] = []
        own = (offered(replace(it, model=bought)) for it in offers_at(store, mine, bought))
        for price in (*own, *listed.values()):
            at, status = stands.get(name), BEST_FIRST[0]
            if price.platform in gone:
                status = "fails"
            elif at is not None and (at or not price.offered):
                # Of the platform of an own price nothing need be known.
                status = at.get(price.platform, "open" if price.offered else "fails")
            if lines[name]:
                every.append((billing.bill_at(price, lines[name]), status))
        asked = purchase.sale.on_sale_months is not None
        found[name] = _counting(every, sold[name], sale_asked=asked)
    return found


@remembered(maxsize=128)
def platform_costs(
    store: Store, names: tuple[str, ...], purchase: Purchase, day: date
) -> Mapping[str, Mapping[str, MonthlyCost]]:
    """Return what each model costs a month at each platform, the cheapest first.

    Of several prices at a platform the cheapest counts.
    """
    lines = billed(store, names, purchase.demand)
    found: dict[str, dict[str, MonthlyCost]] = {}
    for name, bills in bills_by_platform(store, names, purchase, day).items():
        found[name] = {}
        for bill, _ in bills:
            platform = bill.price.platform
            if platform not in found[name]:
                found[name][platform] = replace(billing.bill_cost(bill, lines[name]), model=name)
    return found


def offered(price: OwnPrice) -> Price:
    """Return the hospital's own price as one of the list."""
    at = f" at {price.platform}" if price.platform else ""
    return Price(
        model=price.model,
        provider=OFFERED,
        provider_name=f"your own offer{at}",
        provider_model=price.model,
        input_usd_per_mtok=price.input_usd_per_mtok,
        output_usd_per_mtok=price.output_usd_per_mtok,
        as_of=price.as_of,
        source=price.source,
        offered=True,
        platform=price.platform or OFFERED,
        cache_read_usd_per_mtok=price.cached_usd_per_mtok,
    )


def provider_bills(asked: Asked, names: tuple[str, ...]) -> dict[str, tuple[Bill, ...]]:
    """Return the monthly bills of each model, one a provider that counts, cheapest first.

    Where conditions are set, providers count whose platform is known to meet them, if need be on a
    proviso. Empty where no price is known, which is not free.
    """
    every = bills_by_platform(asked.store, names, asked.question.purchase, asked.day)
    return {
        name: tuple(bill for bill, status in offers if status in _MEETS)
        for name, offers in every.items()
    }


def monthly_costs(asked: Asked, names: tuple[str, ...]) -> Mapping[str, MonthlyCost]:
    """Return what each model costs a month, the way the buyer would get it.

    On own servers where own servers only are asked for: the cheapest GPUs on offer
    that hold the model and the load, or the buyer's own kind, and never a price per token; where
    nobody published what any of them serves, at least one set. Else by the token, at the provider
    with the lowest likely bill of those that count.

    A model whose cost is unknown carries the reason.
    """
    of = asked.question
    return _monthly_costs(asked.store, names, of.purchase, of.access, of.servers, asked.day)


@remembered(maxsize=64)
def _monthly_costs(
    store: Store,
    names: tuple[str, ...],
    purchase: Purchase,
    access: Access,
    hardware: Hardware,
    day: date,
) -> Mapping[str, MonthlyCost]:
    lines = workloads(store, names, purchase.demand)
    if access == "own":
        return {
            name: _on_own_servers(store, name, hardware, purchase.demand, lines[name])
            for name in names
        }
    agents = by_the_task(store, purchase.demand)
    lines = billed(store, names, purchase.demand)
    offers, public = bills_by_platform(store, names, purchase, day), prices_on(store.shared, day)
    signed: Mapping[str, Mapping[str, Status]] = {}
    if BAA not in purchase.conditions.required:  # else every bill is one with an agreement
        and_signed = replace(purchase.conditions, required=(*purchase.conditions.required, BAA))
        signed = by_platform(offer_terms(store, names, and_signed))
    found = {}
    for name in names:
        at = signed.get(name, {})
        if bill := next((bill for bill, status in offers[name] if status in _MEETS), None):
            able = [
                (billing.near(it.monthly_usd), BEST_FIRST.index(at[it.price.platform]), it)
                for it, _ in offers[name]
                if not it.price.offered and at.get(it.price.platform) in _MEETS
            ]
            *_, least = min(able, key=lambda each: each[:2], default=(None,))
            with_baa = BillElsewhere(least.monthly_usd, least.price.platform) if least else None
            found[name] = replace(billing.bill_cost(bill, lines[name], with_baa), model=name)
            continue
        if beside := next((bill for bill, status in offers[name] if status == "open"), None):
            there = BillElsewhere(beside.monthly_usd, beside.price.provider_name)
            found[name] = MonthlyCost(name, NotKnown("condition", where_open=there))
            continue
        why: WhyUnknown = "not recorded" if agents else "no work"
        suite = ""
        if lines[name]:
            why = "elsewhere" if name.removesuffix(OWN_RESULT) in public else "no price"
        elif agents:
            suite = store.catalogue.suites[purchase.demand.suite].name
        found[name] = billing.unknown_cost(name, why, suite=suite)
    return found


def hosted_on(store: Store, name: str, hardware: Hardware, gpu: str) -> Hosting:
    """Return what one copy of a model takes on GPUs of one kind."""
    known = store.catalogue
    return hosting(
        _as_tested(store, name),
        gpu,
        hardware,
        offers=known.gpus,
        kinds=known.gpu_kinds,
        architectures=known.architectures,
        models=store.catalogue.models,
    )


def _as_tested(store: Store, name: str) -> Model:
    """Return a product under every name by which suites tested the same version.

    Architectures and measurements are by one of these names. Any other model is as it is.
    """
    links = store.catalogue.crosswalk
    same = [it.model for it in links if (it.product, it.kind) == (name, "same version")]
    tested = model(store, same[0] if same else name)
    return replace(tested, aliases=(*tested.aliases, *same))


def capacity_of(
    store: Store, name: str, bits: int, gpu: str, gpus: int, lines: Lines
) -> Capacity | None:
    """Return what this many GPUs serve of a workload, as measured; ``None`` without a workload."""
    if not lines:
        return None
    read, written = billing.mean_tokens(lines)
    return capacity(
        _as_tested(store, name),
        store.catalogue.throughput,
        store.catalogue.models,
        gpu=gpu,
        gpus=gpus,
        bits=bits,
        input_tokens=read,
        output_tokens=written,
    )


def _on_own_servers(
    store: Store, name: str, hardware: Hardware, demand: Demand, lines: Lines
) -> MonthlyCost:
    offers = store.catalogue.gpus
    found: list[MonthlyCost] = []
    lacking: dict[Lacking, None] = {}
    load = requests_a_month(demand.workload)
    for gpu in [hardware.gpu] if hardware.gpu else dict.fromkeys(o.gpu for o in offers):
        hosted = hosted_on(store, name, hardware, gpu)
        able = (capacity_of(store, name, hosted.bits, gpu, n, lines) for n in hosted.gpus or ())
        serves = [
            it.requests_per_second * 3600 * HOURS_A_MONTH * hardware.utilisation
            if it and it.requests_per_second
            else None
            for it in able
        ]
        if hardware.gpu and hardware.gpus_owned:
            return billing.owned_cost(name, hosted, serves[1] if serves else None, hardware, load)
        if hosted.lacking:
            lacking[hosted.lacking] = None
        elif hosted.weights_only and not hardware.gpu:
            lacking["number format"] = None
        else:
            found.append(billing.servers_cost(name, hosted, serves, hardware, load))
    if not found:
        return billing.unknown_cost(name, "no servers", tuple(lacking))
    # A bound is never cheaper than a cost; among equals the first in the table of GPUs.
    return min(found, key=lambda cost: (cost.likely is None, cost.for_budget or math.inf))
