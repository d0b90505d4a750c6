"""A test on a hospital's own notes: its plan, what public evidence said, its jury."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Literal

import numpy as np

from core.answers.asked import Asked, ask
from core.answers.bills import monthly_costs, requests_a_month
from core.answers.data import matrix, model, prices_on, products
from core.answers.market import basis_of_cost, judged_in, lines, market
from core.answers.other_suites import tested_as
from core.answers.recommend import recommendation, shortlist
from core.answers.replacing import ALL_BENCHMARKS, pair
from core.domain import NOT_ASKED, BadRequestError, Selection, Tier, TooFewError
from core.evidence.catalogue import OWN_RESULT
from core.evidence.store import Store
from core.evidence.tables import read_table
from core.local_test.plan import (
    FEWEST_MODELS,
    MOST_MODELS,
    Basis,
    JudgedAs,
    Plan,
    TestedModel,
)
from core.memory import remembered
from core.procurement.recommendation import (
    MINUTES_PER_CASE,
    RATERS,
    Recommendation,
    TestWorth,
)
from core.procurement.replacement import gaps_to
from core.statistics import sample_size as worth
from core.statistics.difference import belief_sd, gaps
from core.statistics.score_matrix import select


@dataclass(frozen=True, slots=True)
class PublishedAgreement:
    """An agreement that a paper prints: ICC(3,k) with its 95 % interval."""

    benchmarks: str
    compared: Literal["jury", "clinicians"]
    """``jury`` for jury with clinicians, ``clinicians`` for clinicians with one another."""
    icc: float
    ci_low: float
    ci_high: float
    n_instances: int
    source: str


@remembered(maxsize=4)
def published_agreement(store: Store) -> tuple[PublishedAgreement, ...]:
    """Return how MedHELM's jury and clinicians agreed, the whole check first."""
    path = store.data / "catalogue" / "published" / "medhelm-jury.csv"
    return read_table(path, PublishedAgreement)


ASSUMED: dict[JudgedAs, float] = {"right/wrong": 0.2, "rubric": 0.25}
"""Where no items tell how two models differ. Of the 19 pairs of MedAgentsBench that are within 5
points of each other, one is right and the other wrong on 11 to 25 % of the questions, half of them
above 18 %. A quarter of the scale is one mark of 1 to 5."""
BY_MARKS = ("documentation", "patient-messages")
"""Work whose answers people judge by marks unless they say otherwise: no two notes are the same, so
no reference says which is right."""
_AT_FIRST = 2
"""Candidates that are proposed where the answer names none."""


def to_test(asked: Asked, reference: str = "") -> tuple[str, tuple[str, ...]]:
    """Return the model that the others are compared with, and whom to compare with it, by id.

    They are what the answer names, the first of them the reference unless one is given: the model
    in use. Where it names no other, candidates are what is worth a test, what is as good, and then
    the next in the list; over all evidence the next of the market.
    """
    if not asked.question.evidence.suite:
        whole = market(asked)
        named: Sequence[str] = whole.choice.names
        listed = [it.model.id for it in (*whole.buyable, *whole.ask)]
        nothing = "Nothing on sale meets the question in the side bar."
        return _first_and_others(reference, named, listed, nothing)
    decided = recommendation(asked, reference)
    rows = decided.test_these or decided.choose or filter(None, [decided.take])
    others = (*decided.worth_testing, *decided.as_good, *shortlist(asked).rows)
    named, listed = ([row.model.id for row in each] for each in (rows, others))
    nothing = "No model fits the question in the side bar: Recommend says why."
    return _first_and_others(reference, named, listed, nothing)


def _first_and_others(
    reference: str, named: Sequence[str], listed: Sequence[str], nothing: str
) -> tuple[str, tuple[str, ...]]:
    first = reference or next(iter([*named, *listed]), "")
    if not first:
        raise TooFewError(nothing)
    others = [name for name in named if name != first][: MOST_MODELS - 1]
    others = others or [name for name in dict.fromkeys(listed) if name != first][:_AT_FIRST]
    return first, tuple(others)


def tested_models(
    asked: Asked, reference: str, candidates: Sequence[str]
) -> tuple[TestedModel, ...]:
    """Return models with their names, exact ids and what one answer costs, the reference first.

    The id is that of the provider from whom the model would be bought, where a price names one.
    """
    names = (reference, *candidates)
    if not asked.question.evidence.suite:
        asked = basis_of_cost(asked)
    costs = monthly_costs(asked.having(sale=NOT_ASKED), names)  # They are tested now.
    apart = _apart(asked, names)
    requests = requests_a_month(asked.question.workload)
    prices = prices_on(asked.store.shared, asked.day)

    def tested(name: str) -> TestedModel:
        cost = costs[name]
        known = requests and cost.likely is not None and cost.kind != "own servers"
        served = [
            price.provider_model
            for price in (cost.price, *prices.get(name.removesuffix(OWN_RESULT), ()))
            if price and price.provider == cost.provider
        ]
        return TestedModel(
            name=model(asked.store, name).name,
            id=f"{cost.provider}:{served[0]}" if served else name,
            reference=name == reference,
            usd_per_case=cost.likely / requests if known and cost.likely is not None else None,
            difference=apart.get(name),
        )

    found = {name: tested(name) for name in names}
    ids = [each.id for each in found.values()]
    # Two runs of one product, such as at another effort, are told apart by their names.
    return tuple(
        each if ids.count(each.id) == 1 else replace(each, id=name) for name, each in found.items()
    )


def _apart(asked: Asked, names: Sequence[str]) -> Mapping[str, float]:
    """Return how far models are from the first, of those that the question's evidence has."""
    weights = dict(shortlist(asked).benchmark_weights)
    scored = matrix(asked.store, asked.selection())
    held = [name for name in names[1:] if name in scored.models]
    if not held or not weights or names[0] not in scored.models:
        return {}
    means = gaps_to(scored, names[0], held, weights).mean.tolist()
    return {name: mean for name, mean in zip(held, means, strict=True) if not math.isnan(mean)}


def measured_basis(asked: Asked, tested: TestedModel, reference: str, candidate: str) -> Basis:
    """Return how often one of two models is right where the other is wrong, from item results.

    Of the evidence in use where that has items of both, else of the first suite that has; assumed
    where none has.
    """
    for suite in dict.fromkeys([asked.question.evidence.suite, *asked.store.catalogue.suites]):
        if found := _apart_in(asked.store, suite, reference, candidate):
            value, n_items = found
            where = asked.store.catalogue.suites[suite].name
            return Basis("measured", value, tested.id, where=where, n_items=n_items)
    return Basis(source="assumed", value=ASSUMED["right/wrong"], candidate=tested.id)


@remembered(maxsize=512)
def _apart_in(store: Store, suite: str, reference: str, candidate: str) -> tuple[float, int] | None:
    """Return the share of a suite's items that one of two models alone gets right, with n."""
    snapshots = store.of_suite(suite)
    if not snapshots or not snapshots[0].items_sha256:
        return None
    held = products(store, Selection(suite)).models
    both = [tested_as(store, name, held)[0] for name in (candidate, reference)]
    try:
        found = pair(store, suite, ALL_BENCHMARKS, *both)
    except (BadRequestError, TooFewError):
        return None  # one of the two has no items there, or both are one run
    if found.only_a is None or found.only_b is None:
        return None
    return (found.only_a + found.only_b) / found.n_items, found.n_items


def public_tier(asked: Asked, reference: str, candidate: str) -> Tier | None:
    """Return what public evidence says of the pair; ``None`` where it has not both of them.

    Over all evidence: what the direct tests of the work that have both say, if they agree.
    """
    if not asked.question.evidence.suite:
        among = lines(asked.store, *asked.work_on)
        found = [judged_in(asked, it, reference, (candidate,)) for it in among]
        tiers = {each[candidate].tier for each in found if candidate in each}
        return tiers.pop() if len(tiers) == 1 else None
    try:
        judged = recommendation(asked, reference).choice.judged
    except (BadRequestError, TooFewError):
        return None
    return judged[candidate].tier if candidate in judged else None


@remembered(maxsize=64)
def test_worth(asked: Asked, models: tuple[str, ...]) -> TestWorth | None:
    """Return what a test would bring and take, by the question's weights, margin and prices.

    ``models`` are up to four ids of the question's evidence, the one to start with first: cases
    differ as the plan of a test against it has them, for the pair that needs most. ``None`` for
    fewer than two; one that has no scores is a ``BadRequestError``.
    """
    if len(models) < FEWEST_MODELS:
        return None
    weights = dict(shortlist(asked).benchmark_weights)
    scored = select(matrix(asked.store, asked.selection()), models)
    rows, others = np.triu_indices(len(models), 1)
    known = belief_sd(gaps(scored, rows, others, weights=weights)) if weights else None
    tested = tested_models(asked, models[0], models[1:])
    bases = [
        measured_basis(asked, each, models[0], name)
        for each, name in zip(tested[1:], models[1:], strict=True)
    ]
    spread = math.sqrt(max(basis.value for basis in bases))
    key = (len(models), worth.ASSUMED_SD if known is None else known, spread)
    margin = asked.question.margin
    n = worth.suggested_cases(*key, margin)
    usd = [math.nan if each.usd_per_case is None else each.usd_per_case for each in tested]
    return TestWorth(
        models=models,
        n_cases=n,
        loss_without=worth.expected_loss(*key, None),
        loss_with=n and worth.expected_loss(*key, n),
        p_wrong_without=worth.chance_wrong(*key, margin, None),
        p_wrong_with=n and worth.chance_wrong(*key, margin, n),
        cost_usd=None if n is None or math.isnan(sum(usd)) else n * math.fsum(usd),
        rater_hours=n and n * RATERS * MINUTES_PER_CASE / 60,
        margin=margin,
        assumed=known is None,
    )


def worth_of_plan(found: Plan, margin: float) -> TestWorth:
    """Return what a test of a plan's size is worth, with the assumed spread of models."""
    spread = math.sqrt(found.basis.value) if found.judged == "right/wrong" else found.basis.value
    asked = (len(found.models), worth.ASSUMED_SD, spread)
    n = found.n_cases
    return TestWorth(
        models=tuple(each.id for each in found.models),
        n_cases=n,
        loss_without=worth.expected_loss(*asked, None),
        loss_with=worth.expected_loss(*asked, n),
        p_wrong_without=worth.chance_wrong(*asked, margin, None),
        p_wrong_with=worth.chance_wrong(*asked, margin, n),
        cost_usd=None,
        rater_hours=found.hours,
        margin=margin,
        assumed=True,
    )


def worth_of(store: Store, found: Recommendation, day: date) -> TestWorth | None:
    """Return what a test is worth of those to test, or to choose between; else ``None``."""
    named = found.test_these or found.choose
    return test_worth(ask(store, found.question, day), tuple(each.model.id for each in named))
