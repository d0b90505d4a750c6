"""The shortlist: which models meet the requirements, in which order, and why.

Gates come first and scores second. A rule that leaves models out is named with its models, and
what is not known about a model is turned into a question, never into a no or a zero.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from core.domain import (
    Exclusion,
    Exclusions,
    Requirements,
    Shortlist,
    ShortlistRow,
)
from core.procurement.equivalents import candidates_of_each
from core.procurement.gate_checks import SELF_HOSTED
from core.procurement.gates import best_first, gated_out
from core.procurement.reasons import questions, reasons
from core.procurement.requirements import benchmark_weights
from core.statistics.difference import rank_bands, scores, weighted_means
from core.statistics.score_matrix import normalised, select_benchmarks, select_models

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from core.domain import (
        Benchmark,
        Bill,
        FloatArray,
        Model,
        RouteVerdict,
        ScoreMatrix,
        Taxonomy,
        WorkloadLine,
    )
    from core.procurement.equivalents import Candidates
    from core.procurement.requirements import Weights

FLAGGED = "flagged: "
"""Begins the reason of a model whose only run does not look plausible."""
FAILS_CONDITION = "Fails a condition of purchase"
_CLOSEST = 10
"""Equivalents are sought among so many of the closest cluster-mates."""


@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """A shortlist before any margin: it names no equivalents yet."""

    shortlist: Shortlist
    candidates: Candidates
    models: Mapping[str, Model]


def rank_models(
    requirements: Requirements,
    *,
    weights: Weights,
    matrices: Sequence[ScoreMatrix],
    taxonomies: Sequence[Taxonomy],
    models: Mapping[str, Model],
    bills: Mapping[str, Bill | None],
    workload: Sequence[WorkloadLine],
    reasoning_workload: Sequence[WorkloadLine] = (),
    vote_groups: Sequence[Sequence[str]] = (),
    routes: Mapping[str, Sequence[RouteVerdict]] | None = None,
) -> Ranking:
    """Answer one set of requirements but for the margin, which ``judged`` adds.

    Parameters
    ----------
    requirements
        The limits. The one on parameters leaves out models of undisclosed size, under a
        rule of its own, since nobody can show that they meet it. The budget leaves out models
        whose public price exceeds it; models without a public price stay and carry a question.
    weights
        Category weights that sum to 1; empty where the suite has no benchmark for the task.
    matrices, taxonomies
        The suite of the shortlist first; a second suite counts for equivalents only. Empty
        taxonomies mean that too few models are complete: there are then no clusters.
    models
        Facts on every model of the first matrix and of the taxonomies.
    bills
        Monthly bills at public prices; a missing or ``None`` bill is unknown.
    workload, reasoning_workload
        The workload behind the bills, and that of models that write out their reasoning.
    vote_groups
        Groups of benchmarks that share one vote within a category; none by default.
    routes
        All gates on every way to get each model; ``None`` or empty sets no gate. A model of
        which every way fails is left out. On own servers only, other ways do not count.

    Returns
    -------
    Ranking
        Complete models first, by weighted mean of normalised scores, ties by model id; then
        models that lack benchmarks, which have a score over fewer benchmarks and no rank.
    """
    matrix = matrices[0]
    spread = benchmark_weights(weights, matrix.benchmarks, vote_groups)
    counted = select_benchmarks(matrix, [b.id for b in matrix.benchmarks if b.id in spread])
    n_compared = len(matrix.models) + len(matrix.excluded)
    snapshots = tuple(m.snapshot for m in matrices if m.snapshot is not None)
    nobody = candidates_of_each((), matrices=(), taxonomies=(), models={}, bills={})

    def answer(rows: Sequence[ShortlistRow], exclusions: Sequence[Exclusions]) -> Shortlist:
        return Shortlist(
            requirements=requirements,
            rows=tuple(rows),
            equivalents=nobody.best(models, requirements.margin),
            exclusions=tuple(exclusions),
            weights=tuple(weights),
            benchmarks=counted.benchmarks,
            benchmark_weights=tuple((b.id, spread[b.id]) for b in counted.benchmarks),
            workload=tuple(workload),
            reasoning_workload=tuple(reasoning_workload),
            n_compared=n_compared,
            n_unpriced=sum(row.bill is None for row in rows),
            snapshots=snapshots,
        )

    if not spread:
        return Ranking(answer([], []), nobody, models)
    ways = _ways(routes or {}, requirements)
    eligible, exclusions = _gates(requirements, counted, models, bills, ways)
    if not eligible:
        return Ranking(answer([], exclusions), nobody, models)
    chosen = select_models(counted, eligible)
    values, _ = normalised(chosen)
    means = scores(chosen, spread)
    mean: list[float] = means.mean.tolist()
    lacking: list[list[int]] = [row.nonzero()[0].tolist() for row in np.isnan(values)]
    complete = [not columns for columns in lacking]
    positions = sorted(
        range(len(eligible)),
        # Rounded, so that equal scores summed in another order still tie.
        key=lambda i: (not complete[i], -round(mean[i], 12), eligible[i]),
    )
    ranked = [i for i in positions if complete[i]]
    bands = dict(zip(ranked, rank_bands(chosen, spread, ranked), strict=True))
    clusters = (
        dict(zip(taxonomies[0].models, taxonomies[0].labels, strict=True)) if taxonomies else {}
    )
    in_all = set(eligible).intersection(*(t.models for t in taxonomies)) if taxonomies else set()
    candidates = candidates_of_each(
        sorted(in_all),
        matrices=matrices,
        taxonomies=taxonomies,
        models=models,
        bills=bills,
        weights=spread,
        limit=_CLOSEST,
    )
    names = [benchmark.name for benchmark in chosen.benchmarks]
    by_category = _category_scores(weights, chosen.benchmarks, values)
    low, high = _known(means.ci_low), _known(means.ci_high)
    n_benchmarks = means.n_benchmarks.tolist()
    rows = []
    for number, i in enumerate(positions, start=1):
        model = models[eligible[i]]
        row = ShortlistRow(
            rank=number if complete[i] else None,
            rank_band=bands.get(i),
            model=model,
            score=mean[i],
            ci_low=low[i],
            ci_high=high[i],
            interval_basis=means.basis[i],
            n_benchmarks=n_benchmarks[i],
            missing=tuple(names[j] for j in lacking[i]),
            category_scores=by_category[i],
            run=chosen.runs[i],
            bill=bills.get(model.id),
            cluster=clusters.get(model.id),
            reasons=(),
            questions=(),
            routes=best_first(ways.get(model.id, ()), bills.get(model.id)),
        )
        rows.append(
            replace(
                row,
                reasons=reasons(row),
                questions=questions(row, requirements),
                conditions=row.routes[0].words("conditional") if row.routes else (),
            )
        )
    return Ranking(answer(rows, exclusions), candidates, models)


def judged(ranking: Ranking, requirements: Requirements) -> Shortlist:
    """End a shortlist: name the equivalent of each row at the margin of the requirements."""
    return replace(
        ranking.shortlist,
        requirements=requirements,
        equivalents=ranking.candidates.best(ranking.models, requirements.margin),
    )


def _ways(
    routes: Mapping[str, Sequence[RouteVerdict]], requirements: Requirements
) -> Mapping[str, Sequence[RouteVerdict]]:
    """Keep the ways that the buyer allows."""
    if requirements.access == "any":
        return routes
    return {
        name: [verdict for verdict in found if verdict.platform == SELF_HOSTED]
        for name, found in routes.items()
    }


def _gates(
    requirements: Requirements,
    matrix: ScoreMatrix,
    models: Mapping[str, Model],
    bills: Mapping[str, Bill | None],
    routes: Mapping[str, Sequence[RouteVerdict]],
) -> tuple[list[str], list[Exclusions]]:
    """Return the models that pass, and one entry per rule that left any out, in their order."""
    exclusions = []
    flagged = tuple(e for e in matrix.excluded if e.reason.startswith(FLAGGED))
    unusable = tuple(e for e in matrix.excluded if e not in flagged)
    if unusable:
        exclusions.append(Exclusions("No usable run", "no score in this suite", unusable))
    if flagged:
        exclusions.append(Exclusions("Flagged", "the run does not look plausible", flagged))
    remaining = list(matrix.models)
    scored = {m for m, row in zip(remaining, matrix.scores, strict=True) if not np.isnan(row).all()}
    limit, budget = requirements.max_params_b, requirements.monthly_budget_usd
    chosen = set(requirements.only)
    known = {*remaining, *(left_out.model for left_out in matrix.excluded)}
    if untested := tuple(m for m in requirements.only if m not in known):
        reason = "chosen by you, but this evidence has no such model"
        unknown = tuple(Exclusion(model, reason) for model in untested)
        exclusions.append(Exclusions("Not in this evidence", reason, unknown))

    def apply(rule: str, detail: str, fails: Callable[[Model], str]) -> None:
        nonlocal remaining
        out = tuple(Exclusion(m, why) for m in remaining if (why := fails(models[m])))
        if out:
            exclusions.append(Exclusions(rule, detail, out))
            gone = {e.model for e in out}
            remaining = [m for m in remaining if m not in gone]

    if chosen:
        apply(
            "Not among the models you chose",
            "you asked for some models only",
            lambda m: "" if m.id in chosen else "not among the models you chose",
        )
    apply(
        "Not a product",
        "reference lines of a leaderboard",
        lambda m: "a line to compare with, not a product" if m.is_reference else "",
    )
    apply(
        "Never tested on this",
        "no score on any chosen benchmark",
        lambda m: "" if m.id in scored else "no score on any of the chosen benchmarks",
    )
    if requirements.access == "open":
        apply(
            "Cannot run on your own servers",
            "closed weights",
            lambda m: "closed weights: only as a service" if m.access == "closed" else "",
        )
        apply(
            "Unknown whether it can run on your own servers",
            "nobody states whether the weights are open",
            lambda m: "whether the weights are open is not known" if m.access == "unknown" else "",
        )
    failed = {out.model: out.reason for out in gated_out(routes)}
    if failed:
        apply(
            FAILS_CONDITION,
            "a condition of purchase is not met",
            lambda m: failed.get(m.id, ""),
        )
    if limit is not None:
        apply(
            "Too large",
            f"more than {limit:g} B parameters",
            lambda m: f"{m.params_b:.3g} B parameters" if (m.params_b or 0) > limit else "",
        )
        apply(
            "Size not disclosed",
            f"cannot be shown to have at most {limit:g} B parameters",
            lambda m: "number of parameters not disclosed" if m.params_b is None else "",
        )
    if budget is not None:

        def over(model: Model) -> str:
            bill = bills.get(model.id)
            if bill is None or bill.monthly_usd <= budget:
                return ""
            return f"about ${bill.monthly_usd:,.2f} a month"

        apply("Over budget", f"more than ${budget:,.12g} a month", over)
    return remaining, exclusions


def _category_scores(
    weights: Weights, benchmarks: Sequence[Benchmark], values: FloatArray
) -> list[tuple[tuple[str, float | None], ...]]:
    """Mean normalised score per weighted category, for each model; ``None`` without any score."""
    columns = []
    for name, _ in weights:
        inside = np.array([name in (b.category, b.subcategory) for b in benchmarks], dtype=float)
        found = weighted_means(values, inside, n_resamples=1).mean
        columns.append([(name, value) for value in _known(found)])
    return list(zip(*columns, strict=True))


def _known(values: FloatArray) -> list[float | None]:
    return [None if math.isnan(value) else value for value in values.tolist()]
