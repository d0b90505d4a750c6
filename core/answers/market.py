"""The market: what can be bought for a kind of work, over all suites, and what to start with."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import combinations
from typing import Literal

import numpy as np

from core.answers import bills
from core.answers.asked import Asked
from core.answers.data import ALL_MODELS, matrix, models, products
from core.answers.model import names_by_id
from core.answers.other_suites import (
    Standings,
    ids_elsewhere,
    result_in,
    safety,
    standings,
    tested_as,
)
from core.domain import (
    ALL_EVIDENCE,
    BEST_FIRST,
    NOT_ASKED,
    Candidate,
    Directness,
    Evidence,
    Grade,
    Judged,
    LeftOut,
    Licence,
    LineOfWork,
    Market,
    Model,
    MonthlyCost,
    Offer,
    OfferTerms,
    OnSale,
    Placed,
    Question,
    Relaxed,
    Rule,
    Selection,
    Unattended,
    Work,
    WorkloadLine,
)
from core.domain.procurement import OFFERED
from core.evidence.store import Store
from core.evidence.tables import first_day
from core.memory import remembered
from core.procurement.bill import TOKENS_SUITE, near, unknown_cost
from core.procurement.conditions import NO_PLATFORM, SELF_HOSTED, add_months
from core.procurement.grades import LEAST_PRODUCTS, OLDEST_MONTHS, grade_of, third_of
from core.procurement.market import market_choice, ordered
from core.procurement.replacement import judge
from core.procurement.shortlist import benchmark_weights, first_rule, of_the_model
from core.sharing.controls import LIMITS
from core.sharing.link import OWN_TASK
from core.statistics.difference import scores

_MOST_NAMED = 3


@dataclass(frozen=True, slots=True)
class Line:
    """What one suite says of a kind of work, as it counts on a day."""

    rule: LineOfWork
    kind: Directness
    why_near: Literal["", "language", "not separated"]
    work: Work
    """The suite's own kind of work, whose scores these are."""
    there: Standings
    as_of: str
    """ISO day or month of the scores; empty where none is published."""
    languages: tuple[str, ...]
    n_cases: int | None
    """Both as in `Placed`."""

    @property
    def selection(self) -> Selection:
        """The scores that count for it."""
        return Selection(self.rule.suite, language=self.work.language)


@remembered(maxsize=32)
def lines(store: Store, work: str, language: str, on: date) -> tuple[Line, ...]:
    """Return the lines of a kind of work that count on a day: direct ones, then near, then general.

    A line has at least 8 products and is at most 24 months old. One that tests the work counts as
    near where its own interval cannot tell its first product from its last, and where a language
    is asked in which it has no test.
    """
    found = []
    for rule in store.catalogue.lines:
        if rule.work != work or rule.language not in ("", language):
            continue
        if not (releases := store.of_suite(rule.suite)):
            continue
        as_of = releases[0].as_of
        day = first_day(as_of or releases[0].retrieved_at)
        if day is None or add_months(day, OLDEST_MONTHS) < on:
            continue
        spoken = {b.language for b in store.catalogue.benchmarks[rule.suite] if b.scored}
        told = language if language in spoken else ""
        asked = Work(rule.task or "balanced", language=told)
        there = standings(store, rule.suite, asked.task, told)
        if len(there.rows) < LEAST_PRODUCTS and told:
            told, asked = "", replace(asked, language="")
            there = standings(store, rule.suite, asked.task)
        if len(there.rows) < LEAST_PRODUCTS:
            continue
        kind = rule.kind
        why: Literal["", "language", "not separated"] = ""
        if kind == "direct" and language and not told:
            kind, why = "near", "language"
        elif kind == "direct" and there.separates is False:
            kind, why = "near", "not separated"
        found.append(
            Line(rule, kind, why, asked, there, as_of, *_of_tests(store, rule.suite, asked))
        )
    order = ("direct", "near", "general")
    return tuple(sorted(found, key=lambda line: order.index(line.kind)))


def _of_tests(store: Store, suite: str, work: Work) -> tuple[tuple[str, ...], int | None]:
    """Return the languages and the number of cases of the tests that count, as in `Placed`."""
    weights = dict(bills.weights_of(store, suite, work))
    tests = [
        it
        for it in store.catalogue.benchmarks[suite]
        if it.scored and not weights.keys().isdisjoint((it.category, it.subcategory))
    ]
    spoken = Counter(it.language for it in tests)
    languages = () if {"English", ""} & spoken.keys() else (it for it, _ in spoken.most_common())
    sizes = [it.n_items or 0 for it in tests]
    return tuple(languages), (sum(sizes) or None) if all(sizes) else None


@remembered(maxsize=4096)
def graded(
    store: Store, model_id: str, work: str, language: str, on: date
) -> tuple[Grade, tuple[Placed, ...]]:
    """Return the grade of a model or product for a kind of work, and its place in each line.

    Of two releases of one suite the newer that has the product counts.
    """
    found, names = {}, ids_elsewhere(store, model_id)
    for line in lines(store, work, language, on):
        rows = line.there.rows
        if held := [it for it in names if it[0] in rows]:
            (name, kind), *others = held
            one = result_in(store, line.rule.suite, name, kind, line.work.task, line.work.language)
            third = third_of(rows[name][0], len(rows))
            as_close = tuple((each, rows[each][0]) for each, how in others if how == kind)
            found[line.rule.suite] = Placed(
                *(line.kind, third, one, line.why_near, as_close),
                *(line.languages, line.n_cases),
                store.catalogue.suites[line.rule.suite].cautions,
            )
    for suite in store.catalogue.suites.values():
        if suite.id in found and suite.instead_of:
            found.pop(suite.instead_of, None)
    return grade_of((line.kind, line.third) for line in found.values()), tuple(found.values())


def grades(store: Store, model_id: str, day: date) -> dict[str, tuple[Grade, tuple[Placed, ...]]]:
    """Return the grade and the lines of a model or product for each kind of work."""
    works = dict.fromkeys(rule.work for rule in store.catalogue.lines)
    return {work: graded(store, model_id, work, "", day) for work in works}


def basis_of_cost(asked: Asked) -> Asked:
    """Return the question whose tokens make the bill: MedHELM's requests of this kind of work.

    Where MedHELM does not test the work: those of the first suite that tests it directly.
    """
    work = bills.task_of(asked.store, asked.question.work.task)
    tested_by, lines_of = [suite for suite, _ in work.weights], asked.store.catalogue.lines
    suite = TOKENS_SUITE
    if work.id != "balanced" and tested_by and TOKENS_SUITE not in tested_by:
        direct = (it.suite for it in lines_of if (it.work, it.kind) == (work.id, "direct"))
        suite = next(direct, tested_by[0])
    return asked.having(suite=suite, cohort=ALL_MODELS, language="", revision="")


def volume(asked: Asked) -> tuple[tuple[WorkloadLine, ...], float]:
    """Return the workload behind the costs of a market, and else how many tasks a month."""
    demand = basis_of_cost(asked).question.demand
    lines = bills.workload_of(asked.store, demand)
    return lines, 0 if lines else bills.requests_a_month(demand.workload)


def over_all_evidence(asked: Asked) -> Asked:
    """Return the question without what one suite has alone: of its release, cohort and models.

    Own weights are of one suite: its market is that of all kinds of work.
    """
    of = asked.question.work
    work = Work("balanced" if of.task == OWN_TASK else of.task, language=of.language)
    return asked.having(evidence=ALL_OF_IT, work=work, only=())


@remembered(maxsize=64)
def market(asked: Asked) -> Market:
    """Return what can be bought for a kind of work under the conditions, graded over all suites.

    Own servers count where the question is about them. Weights whose licence forbids commercial use
    are to be asked about, since their maker may sell another one, and so are those whose licence
    nobody has read.
    """
    store, question, basis = asked.store, asked.question, basis_of_cost(asked)
    among = lines(store, *asked.work_on)
    own = question.counts_own_servers
    every = models(store, _universe(store, among, own=own))
    known = {name: it for name, it in every.items() if it.released_on <= asked.day.isoformat()}
    names = tuple(known)
    terms = _terms(basis, known, own=own)
    sold, anywhere = bills.sales(basis, names), bills.sold_anywhere(asked, names)
    priced = _bills(basis, terms)
    on_own: Mapping[str, MonthlyCost] = {}
    if own:
        on_own = bills.monthly_costs(basis.having(access="own"), names)
    only = question.limits.only
    chosen = {name for one in only for name in names_by_id(store, one)}
    unheard = (one for one in only if known.keys().isdisjoint(names_by_id(store, one)))
    left_out = [LeftOut(one, "not here") for one in unheard]
    harm = safety(store, names)
    kept: list[Candidate] = []
    for name, model in known.items():
        costs = dict(priced[name])
        if name in on_own:
            costs[SELF_HOSTED] = on_own[name]
        offers = _within(
            question.limits.monthly_budget_usd, _offers(terms[name], sold[name], costs), costs
        )
        best = offers[0] if offers else None
        cost = costs.get(best.platform) if best and best.standing != "out" else None
        cost = cost or unknown_cost(name, "no price")
        rule = _rule(question, model, offers, cost, own=name in on_own)
        if only and name not in chosen:
            rule = "not chosen"
        if rule:
            left_out.append(
                LeftOut(
                    name,
                    rule,
                    name=model.name,
                    terms=tuple(it.terms for it in offers if it.terms)
                    if rule == "condition"
                    else (),
                    params_b=model.params_b,
                    cost=on_own[name] if rule == "no room" else cost,
                    sale=sold[name] if rule == "sale" else None,
                    grade=graded(store, name, *asked.work_on)[0]
                    if rule == "over budget" and best and best.standing == "buyable"
                    else None,
                )
            )
            continue
        grade, held = graded(store, name, *asked.work_on)
        licence = store.catalogue.licence(model)
        living = _living(offers, question.limits.monthly_budget_usd, cost, licence)
        cost = costs.get(living[0].platform) or unknown_cost(name, "no price")
        kept.append(
            Candidate(model, grade, held, living, cost, harm.get(name), licence, anywhere[name])
        )
    # Each in an order of its own: what cannot be bought holds nothing back that can.
    buyable = ordered([it for it in kept if it.is_buyable])
    found = Market(
        work=question.work.task,
        language=question.work.language,
        buyable=buyable,
        ask=ordered([it for it in kept if not it.is_buyable]),
        left_out=tuple(left_out),
        choice=market_choice(
            buyable,
            lambda one, other: [
                judged
                for line in among
                for judged in judged_in(asked, line, other, (one,)).values()
            ],
        ),
        columns=tuple(
            (line.rule.suite, store.catalogue.suites[line.rule.suite].name, line.kind, line.as_of)
            for line in among
        ),
        unattended=_unattended(store, among),
    )
    common = question.work.task != "balanced" or _has_common_work(store, found.named())
    return replace(found, has_common_work=common)


def _has_common_work(store: Store, named: Sequence[Candidate]) -> bool:
    """Say whether a single kind of work has a test of every one that has any; of one it has."""
    direct = [it for it in store.catalogue.lines if it.kind == "direct" and it.work != "balanced"]
    suites = [{line.tested.suite for line in each.of("direct")} for each in named]
    works = [{it.work for it in direct if it.suite in there} for there in suites if there]
    return not works or bool(set.intersection(*works))


def _unattended(store: Store, among: Sequence[Line]) -> Unattended | None:
    """Return how far the best agent comes where every test of the work has agents do it."""
    direct = [line for line in among if line.kind == "direct"]
    if not direct or not all(bills.has_agents(store, line.rule.suite) for line in direct):
        return None
    line = direct[0]
    tests = products(store, line.selection).benchmarks
    spread = benchmark_weights(bills.weights_of(store, line.rule.suite, line.work), tests)
    n_tasks = sum(test.n_items or 0 for test in tests if spread.get(test.id))
    best = max(value for _, value, *_ in line.there.rows.values())
    others = best_of_others(store, line.selection, spread, best)
    return Unattended(best, n_tasks, by_publisher=True, best_of_others=others)


def best_of_others(
    store: Store, selection: Selection, spread: Mapping[str, float], best: float
) -> float | None:
    """Return the highest mean over ``best`` among runs that other teams report of all that counts.

    ``None`` where none is higher; what lacks a benchmark that counts is not compared.
    """
    scored = matrix(store.published, replace(selection, include_flagged=True))
    counts = [i for i, test in enumerate(scored.benchmarks) if spread.get(test.id)]
    whole = np.isfinite(scored.scores[:, counts]).all(axis=1)
    highest = float(np.max(scores(scored, spread).mean, where=whole, initial=0.0))
    return highest if highest > best else None


NO_LIMITS = Question(sale=NOT_ASKED)
ALL_OF_IT = Evidence(ALL_EVIDENCE.suite, ALL_MODELS)


@remembered(maxsize=8)
def nearest(asked: Asked) -> tuple[Relaxed, ...]:
    """Return which conditions to drop for something to be bought, the fewest first.

    One condition or limit at a time; where that is not enough, two. The most models first. Nothing
    where something can be bought.
    """
    if market(asked).buyable:
        return ()
    free = {field: NO_LIMITS.value(field) for field in LIMITS}
    held = [field for field in LIMITS if asked.question.value(field) != free[field]]
    dropped = [*asked.question.conditions.required, *held]
    for several in (1, 2):
        found = []
        for some in combinations(dropped, several):
            kept = tuple(it for it in asked.question.conditions.required if it not in some)
            limits = {field: free[field] for field in some if field in free}
            buyable = market(asked.having(required=kept, **limits)).buyable
            if buyable:
                names = tuple(each.model.name for each in buyable[:_MOST_NAMED])
                n_own = sum(each.is_own for each in buyable)
                found.append(Relaxed(some, len(buyable), n_own, names))
        if found:
            return tuple(sorted(found, key=lambda it: -it.n_buyable)[:_MOST_NAMED])
    return ()


@remembered(maxsize=1)
def _sold(store: Store) -> tuple[str, ...]:
    catalogue = store.catalogue
    priced = (it.model for it in catalogue.prices if it.model not in catalogue.sold_as)
    return tuple(dict.fromkeys((*(it.product for it in catalogue.crosswalk), *priced)))


def _universe(store: Store, among: Sequence[Line], *, own: bool) -> tuple[str, ...]:
    """Return every product and all that has a price, under the name by which it is sold.

    Where own servers count, also the open models that a line has tested.
    """
    catalogue = store.catalogue
    products = dict.fromkeys(_sold(store))
    if own:
        tested_ones = (
            name for line in among for name in line.there.rows if name not in catalogue.sold_as
        )
        products |= dict.fromkeys(n for n in tested_ones if catalogue.model(n).access == "open")
    return tuple(products)


def _terms(
    asked: Asked, known: Mapping[str, Model], *, own: bool
) -> dict[str, tuple[OfferTerms, ...]]:
    names = tuple(known)
    found: dict[str, tuple[OfferTerms, ...]] = dict.fromkeys(names, ())
    if asked.question.access != "own":
        mine = asked.question.workload.own_prices
        sold = bills.terms_of_every_offer(
            asked.store, names, asked.question.to_meet, "vendor", mine
        )
        found = {n: tuple(it for it in sold[n] if it.platform != NO_PLATFORM) for n in names}
    if own:
        # Platforms under contract say nothing about the hospital's own servers.
        open_ones = tuple(name for name in names if known[name].access == "open")
        here = bills.terms_of_every_offer(
            asked.store, open_ones, replace(asked.question.to_meet, platforms=()), "own"
        )
        found |= {name: (*found[name], *here[name]) for name in open_ones}
    return found


def _bills(
    asked: Asked, terms: Mapping[str, Sequence[OfferTerms]]
) -> Mapping[str, Mapping[str, MonthlyCost]]:
    """Return what each product costs a month at each platform, the cheapest first.

    Where agents do the work, by the tokens of its own run in the suite that costs rest on.
    """
    purchase, runs = asked.question.purchase, {name: name for name in terms}
    if bills.by_the_task(asked.store, purchase.demand):
        there = standings(asked.store, purchase.demand.suite).rows
        runs = {name: tested_as(asked.store, name, there)[0] for name in terms}
    names = tuple(dict.fromkeys(filter(None, runs.values())))
    lines = bills.billed(asked.store, names, purchase.demand)
    costs = bills.platform_costs(asked.store, names, purchase, asked.day)
    found: dict[str, Mapping[str, MonthlyCost]] = {}
    for name, run in runs.items():
        here = {at: replace(it, model=name) for at, it in costs.get(run, {}).items()}
        found[name] = _as_offered(here, terms[name])
        if not lines.get(run):
            unknown = unknown_cost(name, "not recorded")
            found[name] = dict.fromkeys((offer.platform for offer in terms[name]), unknown)
    return found


def _as_offered(
    costs: Mapping[str, MonthlyCost], terms: Sequence[OfferTerms]
) -> Mapping[str, MonthlyCost]:
    """Return the costs with an offer that names no platform in place of all public prices.

    Where conditions are asked it is not known to meet them, and takes the place of none.
    """
    anywhere = costs.get(OFFERED)
    if anywhere is None or any(offer.checks for offer in terms):
        return costs
    named = {at: cost for at, cost in costs.items() if cost.price and cost.price.offered}
    return {offer.platform: anywhere for offer in terms} | named


def _offers(
    terms: Sequence[OfferTerms], sold: OnSale, costs: Mapping[str, MonthlyCost]
) -> tuple[Offer, ...]:
    """Return the offers of a product: what can be bought first, then the cheapest, then by name.

    Of those that cost the same that which meets the conditions better goes first, then one promised
    for long enough.
    """
    found = []
    for each in terms:
        here = each.platform == SELF_HOSTED
        sale = None if here else sold.where(each.platform)
        lasts = True if sale is None else sale.lasts
        cost = costs.get(each.platform)
        if (
            each.status == "fails"
            or lasts is False
            or (here and (cost is None or cost.fits_nowhere))
        ):
            standing: Literal["buyable", "ask", "out"] = "out"
        else:
            standing = "ask" if each.status == "open" or lasts is None else "buyable"
        usd = cost.likely if cost else None
        mine = bool(cost and cost.price and cost.price.offered)
        found.append(Offer(each.platform, standing, each if each.checks else None, sale, usd, mine))
    order = ("buyable", "ask", "out")
    return tuple(
        sorted(
            found,
            key=lambda it: (
                order.index(it.standing),
                math.inf if it.monthly_usd is None else near(it.monthly_usd),
                BEST_FIRST.index(it.terms.status) if it.terms else 0,
                it.sale is not None and it.sale.state == "no end known",
                it.platform,
            ),
        )
    )


def _within(
    budget: float | None, offers: tuple[Offer, ...], costs: Mapping[str, MonthlyCost]
) -> tuple[Offer, ...]:
    """Leave out the offers over the budget where another is within it; else return all."""
    alive = [it for it in offers if it.standing != "out" and it.platform in costs]
    if budget is None or not alive:
        return offers
    usd = {it.platform: costs[it.platform].for_budget for it in alive}
    over = {name for name, known in usd.items() if known is not None and known > budget}
    is_within = any(known is not None and name not in over for name, known in usd.items())
    return tuple(it for it in offers if it.platform not in over) if is_within else offers


def _living(
    offers: Sequence[Offer], budget: float | None, cost: MonthlyCost, licence: Licence | None
) -> tuple[Offer, ...]:
    """Return the offers that are not out, the one to buy or to ask about first.

    ``cost`` is that of the first. What is to be asked about has the fewest questions first, so that
    they are put to the one whose price is shown.
    """
    living = tuple(it for it in offers if it.standing != "out")
    if budget is not None and cost.for_budget is None:
        living = tuple(replace(it, standing="ask") for it in living)
    if not licence or licence.commercial_use not in ("yes", "conditional"):
        asked_for = (replace(it, standing="ask") for it in living if it.is_own)
        living = (*(it for it in living if not it.is_own), *asked_for)
    if any(it.standing == "buyable" for it in living):
        return living
    most = math.inf if budget is None else budget
    return tuple(sorted(living, key=lambda it: ((it.monthly_usd or 0.0) > most, it.n_questions)))


def _rule(
    question: Question, model: Model, offers: Sequence[Offer], cost: MonthlyCost, *, own: bool
) -> Rule | None:
    """Return the first rule that leaves a product out; ``None`` where none does."""
    limit, budget = question.limits.max_params_b, question.limits.monthly_budget_usd
    alive = [it for it in offers if it.standing != "out"]
    # Its servers are the only offer, and cannot be told or do not hold it.
    homeless = not alive and own and all(it.platform == SELF_HOSTED for it in offers)
    fails = [it for it in offers if it.terms is not None and it.terms.status == "fails"]
    return first_rule(
        of_the_model(question, model)
        | {
            "elsewhere": not offers and bool(question.conditions.platforms),
            "not sold": not offers,
            "condition": not alive and bool(fails) and len(fails) == len(offers),
            "sale": not alive and not homeless,
            "size unknown": model.params_b is None and bool(homeless or (limit and alive)),
            "no room": homeless,
            "over budget": budget is not None and (cost.for_budget or 0.0) > budget,
        }
    )


def judged_by_suite(
    asked: Asked, among: Sequence[Line], model: str, candidates: Sequence[str]
) -> dict[str, tuple[tuple[str, Judged], ...]]:
    """Judge candidates for the place of a model in each suite that tests the work and has both.

    By candidate, in the order given; with the name of each suite.
    """
    found = {
        asked.store.catalogue.suites[line.rule.suite].name: judged_in(
            asked, line, model, candidates
        )
        for line in among
    }
    return {
        each: tuple((suite, it[each]) for suite, it in found.items() if each in it)
        for each in candidates
    }


def named_compared(
    asked: Asked, found: Market
) -> tuple[tuple[Candidate, tuple[tuple[str, Judged], ...]], ...]:
    """Judge those that the answer names after the first for its place, suite by suite."""
    named = found.named()
    if len(named) < 2:
        return ()
    among = lines(asked.store, *asked.work_on)
    others = [each.model.id for each in named[1:]]
    judged = judged_by_suite(asked, among, named[0].model.id, others)
    return tuple((each, judged[each.model.id]) for each in named[1:])


def judged_in(asked: Asked, line: Line, model: str, candidates: Sequence[str]) -> dict[str, Judged]:
    """Judge candidates for the place of a model, those that a direct line has as well as it."""
    rows = line.there.rows
    used = tested_as(asked.store, model, rows)[0]
    names = {each: tested_as(asked.store, each, rows)[0] for each in candidates}
    names = {each: name for each, name in names.items() if name and name != used}
    if line.kind != "direct" or not used or not names:
        return {}
    matrix = products(asked.store.published, line.selection)
    weights = bills.weights_of(asked.store, line.rule.suite, line.work)
    several = tuple(dict.fromkeys(names.values()))
    found = judge(
        used,
        several,
        matrix=matrix,
        weights=benchmark_weights(weights, matrix.benchmarks),
        categories={
            name: benchmark_weights(((name, 1.0),), matrix.benchmarks) for name, _ in weights
        },
        margin=asked.question.margin,
        safety=safety(asked.store, (used, *several)),
    )
    return {each: found[name] for each, name in names.items()}
