"""What could take the place of the model in use: candidates, proof, and models side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from math import inf

import numpy as np

from core.answers.asked import Asked
from core.answers.bills import by_the_task, monthly_costs, sold_anywhere
from core.answers.data import matrix, models, products, runs_of
from core.answers.market import (
    Line,
    basis_of_cost,
    graded,
    judged_by_suite,
    lines,
    market,
)
from core.answers.model import called, known, names_by_id, nearest_names, successor_at
from core.answers.other_suites import standings, tested_as
from core.answers.recommend import compared, known_as, shortlist
from core.domain import (
    NOT_ASKED,
    BadRequestError,
    Equivalent,
    InItsPlace,
    InUse,
    ModelFact,
    Selection,
)
from core.domain.market import ended_by_maker
from core.evidence import items as item_results
from core.evidence.store import Store
from core.figures import squeezed
from core.memory import remembered
from core.procurement.bill import saving, unknown_cost
from core.procurement.recommendation import LARGER
from core.procurement.replacement import smaller_equivalents as find_equivalents
from core.statistics import difference as comparing
from core.statistics.difference import SideBySide, weighted_means
from core.statistics.items import item_errors, paired, right_wrong
from core.statistics.score_matrix import select


@remembered(maxsize=16)
def in_use(asked: Asked, name: str) -> InUse:
    """Return a model in use, and what of the market has at least its grade, over all evidence.

    ``name`` is any of its names; one of several models or of none is an ``UnclearError``.
    """
    named = called(asked.store, name)
    bought = named.id
    about = known(asked.store, named, asked.day, asked.question)
    among = lines(asked.store, *asked.work_on)
    grade, held = graded(asked.store, bought, *asked.work_on)
    under_contract = asked.question.conditions.platforms
    # Weights that can be kept are a reason to stay only where own servers are an offer.
    sold = asked if asked.question.counts_own_servers else asked.having(access="vendor")
    anywhere = sold_anywhere(sold, (bought,))[bought]
    sale = sold_anywhere(sold, (bought,), under_contract)[bought]
    sale = sale if sale.at else anywhere
    by_maker = ended_by_maker(about.model, anywhere)
    cost = unknown_cost(bought, "ended")
    if not sale.has_ended:
        paid, ran = basis_of_cost(asked).having(sale=NOT_ASKED), bought
        if by_the_task(asked.store, paid.question.demand):
            rows = standings(asked.store, paid.question.evidence.suite).rows
            ran = tested_as(asked.store, bought, rows)[0] or bought
        cost = monthly_costs(paid, (ran,))[ran]
    whole = market(asked)
    others = [each for each in whole.buyable if each.model.id != bought]
    if asked.question.access == "own":  # One of unknown size is not known to be larger.
        most = LARGER * (about.model.params_b or inf)
        others = [each for each in others if (each.model.params_b or 0.0) <= most]
    least = grade
    if sale.has_ended or sale.ends_too_soon:  # Then something takes its place, whatever its grade.
        least = max(grade, min((each.grade for each in others), default=grade))
    found = [each for each in others if each.grade <= least]
    names = [each.model.id for each in found]
    judged = judged_by_suite(asked, among, bought, names)
    harness = _harnesses(asked.store, among)
    after = successor_at(asked.store, named, under_contract) or about.successor
    cannot = {it.model.name: it for it in whole.ask} | {it.name: it for it in whole.left_out}
    return InUse(
        model=replace(about.model, id=bought),
        grade=grade,
        lines=held,
        sale=sale,
        has_ended=sale.has_ended,
        cost=cost,
        harm=about.safety,
        by_maker=None if sale.kept or by_maker in sale.at else by_maker,
        budget_usd=asked.question.limits.monthly_budget_usd,
        successor=after.name if after else "",
        named_by=after.named_by if after else "",
        successor_grade=graded(asked.store, after.name, *asked.work_on)[0] if after else None,
        successor_as=cannot.get(after.name) if after else None,
        places=tuple(
            InItsPlace(
                each,
                judged[each.model.id],
                saving(cost, each.cost),
                frozenset(
                    asked.store.catalogue.suites[suite].name
                    for suite, of in harness.items()
                    if len({of.get(it.tested.tested_as) for it in (*held, *each.lines)} - {None})
                    > 1
                ),
            )
            for each in found
        ),
    )


def _harnesses(store: Store, among: Sequence[Line]) -> dict[str, dict[str, str]]:
    """Return the agent harness of each run, by suite and run, where a suite ran models in one."""
    found = {}
    for line in among:
        facts = store.derived(ModelFact, store.of_suite(line.rule.suite)[0])
        if of := {fact.model: fact.value for fact in facts if fact.field == "harness"}:
            found[line.rule.suite] = of
    return found


def equivalents(
    store: Store, model: str, selections: Sequence[Selection], margin: float
) -> tuple[Equivalent, ...]:
    """Return the smaller candidates for a model over one or more suites, as the paper has it.

    All benchmarks count alike.
    """
    model = known_as(store, selections[0], model)
    matrices, trees = compared(store, selections)
    if not trees:
        raise BadRequestError("Too few models have every benchmark to form a taxonomy.")
    return find_equivalents(
        model,
        matrices=matrices,
        taxonomies=trees,
        models=models(store, {name for scores in matrices for name in scores.models}),
        margin=margin,
    )


@remembered(maxsize=32)
def replacement_proof(
    asked: Asked, suites: tuple[str, ...], model_id: str, candidate: str, *, by_task: bool
) -> tuple[SideBySide, ...]:
    """Return the candidate against the model, benchmark by benchmark, one result per suite.

    ``by_task`` counts the task's benchmarks of the first suite as the shortlist weighs them;
    else, and in a second suite, all count alike.
    """
    pair = (model_id, candidate)
    return tuple(
        side_by_side(asked, pair)
        if by_task and number == 0
        else comparing.on_each_benchmark(products(asked.store, asked.selection(suite)), pair)
        for number, suite in enumerate(suites)
    )


@remembered(maxsize=32)
def side_by_side(asked: Asked, models: tuple[str, ...]) -> SideBySide:
    """Return models on every benchmark of the task, and overall by the shortlist's weights.

    Where the suite has no benchmark for the task, all of its benchmarks count alike. Errors as for
    ``shortlist`` and ``on_each_benchmark``.
    """
    weights = dict(shortlist(asked).benchmark_weights)
    scores = products(asked.store, asked.selection())
    if weights:
        counted = [b.id for b in scores.benchmarks if b.id in weights]
        scores = select(scores, benchmarks=counted)
    return comparing.on_each_benchmark(scores, models, weights or None)


ALL_BENCHMARKS = "all"
_BY_ITEM = ("chi-bench",)
"""Suites whose own overall score weighs each item alike, not each benchmark."""


@dataclass(frozen=True, slots=True)
class PairOfRuns:
    """Two runs of a suite compared item by item; the counts are of right or wrong, in one try."""

    a: str
    b: str
    benchmark: str
    n_items: int
    n_attempts_a: int
    """Over all items."""
    n_attempts_b: int
    mean_a: float
    mean_b: float
    difference: float
    standard_error: float | None
    ci_low: float | None
    ci_high: float | None
    both: int | None = None
    only_a: int | None = None
    only_b: int | None = None
    neither: int | None = None
    mcnemar_p: float | None = None


def pair(store: Store, suite: str, benchmark: str, a: str, b: str) -> PairOfRuns:
    """Compare two runs, or the runs that stand for two models, on the items that both have.

    ``benchmark`` is one of the suite, or ``all`` that are scored: then benchmarks weigh alike, or
    items, as the suite's own overall score has it; the interval is that of ``differences`` at these
    weights. Items that belong to a task are clustered by it. What is not there, and one run given
    twice, are a ``BadRequestError``.
    """
    snapshot = store.snapshot(suite)
    counts = store.item_counts(snapshot)
    if counts.empty:
        raise BadRequestError(
            f"{suite} has no item results, so its runs cannot be compared item by item."
        )
    there = sorted(set(counts["benchmark"]))
    if benchmark not in (*there, ALL_BENCHMARKS):
        listed = ", ".join((*there, ALL_BENCHMARKS))
        raise BadRequestError(f'{suite} has no items of "{benchmark[:80]}"; it has {listed}.')
    known = set(counts["run"])
    runs = tuple(_run_with_items(store, suite, known, asked) for asked in (a, b))
    if runs[0] == runs[1]:
        raise BadRequestError(f'Both are the run "{runs[0][:120]}": give two different ones.')
    only = "" if benchmark == ALL_BENCHMARKS else benchmark
    rows = item_results.of_pair(store.item_file(snapshot), (runs[0], runs[1]), only)
    if not only:
        scored = [one.id for one in store.catalogue.benchmarks[suite] if one.scored]
        rows = rows[rows["benchmark"].isin(scored)].reset_index(drop=True)
    if rows.empty:
        raise BadRequestError(f"{runs[0][:120]} and {runs[1][:120]} have no item in common.")
    met, strata = np.unique(rows["benchmark"].to_numpy(dtype=str), return_inverse=True)
    task, scores = rows["task"].to_numpy(dtype=str), rows[["a", "b"]].to_numpy(dtype=float).T
    both, inside = np.arange(2, dtype=np.intp), [strata == j for j in range(len(met))]
    clusters = [
        np.unique(task[own], return_inverse=True)[1] if (task[own] != "").all() else None
        for own in inside
    ]
    items = item_errors(
        2, [(both, scores[:, own], of) for own, of in zip(inside, clusters, strict=True)]
    )
    weight = np.bincount(strata).astype(float) if suite in _BY_ITEM else np.ones(len(met))
    means = np.stack([scores[:, own].mean(axis=1) for own in inside], axis=1)
    same_items = {one.id: one.same_items for one in store.catalogue.benchmarks[suite]}
    found = weighted_means(
        means[:1] - means[1:],
        weight,
        [np.full((1, len(met)), np.nan)],
        [same_items.get(name, "") for name in met.tolist()],
        paired(items, both[:1], both[1:]),
    )
    mean_a, mean_b = (means @ weight / weight.sum()).tolist()
    interval = found.intervals(0)[0] if found.from_items[0] else None
    once = bool((rows[["n_a", "n_b"]] == 1).all(axis=None))
    table = right_wrong(scores[0], scores[1]) if once else None
    return PairOfRuns(
        a=runs[0],
        b=runs[1],
        benchmark=benchmark,
        n_items=len(rows),
        n_attempts_a=int(rows["n_a"].sum()),
        n_attempts_b=int(rows["n_b"].sum()),
        mean_a=mean_a,
        mean_b=mean_b,
        difference=float(found.mean[0]),
        standard_error=interval.standard_error if interval else None,
        ci_low=interval.ci_low if interval else None,
        ci_high=interval.ci_high if interval else None,
        **(asdict(table) if table else {}),
    )


def _run_with_items(store: Store, suite: str, known: set[str], asked: str) -> str:
    """Return a run by its id, else the run that stands for a model."""
    if asked in known:
        return asked
    scores = matrix(store, Selection(suite))
    name = known_as(store, Selection(suite), asked)
    left_out = {e.model: e.reason for e in scores.excluded}
    if name not in scores.models:
        spellings = {squeezed(at): [it] for it in scores.models for at in names_by_id(store, it)}
        why = f": {left_out[name]}." if name in left_out else ""
        why = why or f". {nearest_names(asked, scores.models, spellings)[1]}"
        raise BadRequestError(f'{suite} has no run or model "{asked[:120]}" with scores{why}')
    run = runs_of(store, scores).get(name)
    if run is None:
        raise BadRequestError(f'"{asked[:120]}" has no item results in {suite}.')
    return run
