"""The shortlist: which models meet the requirements, in which order, and why.

Gates come first and scores second. A rule that leaves models out is named with its models, and
what is not known about a model is turned into a question, never into a no or a zero.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from core.domain import Exclusion, Exclusions, Requirements, Shortlist, ShortlistRow
from core.procurement.gates import best_first, gated_out
from core.procurement.requirements import benchmark_weights
from core.statistics.difference import scores, weighted_means
from core.statistics.ranks import rank_bands
from core.statistics.score_matrix import normalised, select_benchmarks, select_models
from core.words.figures import billions
from core.words.shortlist import questions, reasons

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from core.domain import (
        Benchmark,
        Bill,
        FloatArray,
        Model,
        MonthlyCost,
        OnSale,
        RouteVerdict,
        ScoreMatrix,
        WorkloadLine,
    )
    from core.procurement.requirements import Weights

FLAGGED = "flagged: "
"""Begins the reason of a model whose only run does not look plausible."""
OWN_TEAM = "run and reported by its own team"
"""The reason of a model that the publisher of its suite did not run."""
FAILS_CONDITION = "Fails a condition of purchase"
NOT_ON_SALE = "Not on sale for long enough"
CLOSED_WEIGHTS = ("Weights are closed", "Cannot run on your own servers")
"""The rule where open weights are asked for, and where own servers are."""


def rank_models(
    requirements: Requirements,
    *,
    weights: Weights,
    matrix: ScoreMatrix,
    models: Mapping[str, Model],
    clusters: Mapping[str, str],
    costs: Mapping[str, MonthlyCost],
    bills: Mapping[str, Bill | None],
    workload: Sequence[WorkloadLine],
    reasoning_workload: Sequence[WorkloadLine] = (),
    vote_groups: Sequence[Sequence[str]] = (),
    routes: Mapping[str, Sequence[RouteVerdict]] | None = None,
    sales: Mapping[str, OnSale] | None = None,
    labels: Mapping[str, str] | None = None,
) -> Shortlist:
    """Answer one set of requirements, but for what the margin decides.

    Parameters
    ----------
    requirements
        The limits. The one on parameters leaves out models of undisclosed size, under a
        rule of its own, since nobody can show that they meet it. The budget leaves out models
        whose likely cost exceeds it, or the least that they cost where no more is known; models
        of unknown cost stay and carry a question.
    weights
        Category weights that sum to 1; empty where the suite has no benchmark for the task.
    matrix, models
        All models of the suite, and facts on each.
    clusters
        Cluster by model; a model in none is not in it.
    costs, bills
        What each model costs a month where it may run, and its bill by the token behind that; a
        missing bill is unknown, or not what counts.
    workload, reasoning_workload
        Behind the bills, and that of models that write out their reasoning.
    vote_groups
        Groups of benchmarks that share one vote within a category.
    routes
        All gates on every way to get each model that the buyer allows; without any, no gate is
        set. A model of which every way fails is left out.
    sales
        Whether each model stays on sale for long enough; without any, that is not asked.
    labels
        By model, why its scores stand outside rank bands and first places, in words.

    Returns
    -------
    Shortlist
        Complete models first, by weighted mean of normalised scores, ties by model id; then
        models that lack benchmarks or carry a label, which have a score and no rank.
    """
    spread = benchmark_weights(weights, matrix.benchmarks, vote_groups)
    counted = select_benchmarks(matrix, [b.id for b in matrix.benchmarks if b.id in spread])
    labels, sales, ways = labels or {}, sales or {}, routes or {}

    def answer(rows: Sequence[ShortlistRow], exclusions: Sequence[Exclusions]) -> Shortlist:
        return Shortlist(
            requirements=requirements,
            rows=tuple(rows),
            exclusions=tuple(exclusions),
            weights=tuple(weights),
            benchmarks=counted.benchmarks,
            benchmark_weights=tuple((b.id, spread[b.id]) for b in counted.benchmarks),
            workload=tuple(workload),
            reasoning_workload=tuple(reasoning_workload),
            n_compared=len(matrix.models) + len(matrix.excluded),
            places=tuple(places.items()),
            n_unpriced=sum(row.cost.low is None for row in rows),
            snapshots=(matrix.snapshot,) if matrix.snapshot is not None else (),
        )

    places = _places(counted, models, spread, labels) if spread else {}
    if not spread:
        return answer([], [])
    eligible, exclusions = _gates(requirements, counted, models, costs, ways, sales)
    if not eligible:
        return answer([], exclusions)
    chosen = select_models(counted, eligible)
    values, _ = normalised(chosen)
    means = scores(chosen, spread)
    mean: list[float] = means.mean.tolist()
    lacking: list[list[int]] = [row.nonzero()[0].tolist() for row in np.isnan(values)]
    ranks = [not columns and eligible[i] not in labels for i, columns in enumerate(lacking)]
    positions = sorted(
        range(len(eligible)),
        # Rounded, so that equal scores summed in another order still tie.
        key=lambda i: (not ranks[i], -round(mean[i], 12), eligible[i]),
    )
    ranked = [i for i in positions if ranks[i]]
    among = select_models(chosen, [eligible[i] for i in ranked])
    bands = dict(zip(ranked, rank_bands(among, spread) if ranked else (), strict=True))
    names = [benchmark.name for benchmark in chosen.benchmarks]
    by_category = _category_scores(weights, chosen.benchmarks, values)
    low, high = (_known(end) for end in means.ends())
    n_benchmarks = means.n_benchmarks.tolist()
    rows = []
    for number, i in enumerate(positions, start=1):
        model = models[eligible[i]]
        row = ShortlistRow(
            rank=number if ranks[i] else None,
            rank_band=bands.get(i),
            rank_all=places.get(model.id),
            n_fit=len(ranked),
            n_all=len(places),
            model=model,
            score=mean[i],
            ci_low=low[i],
            ci_high=high[i],
            interval_basis=means.basis[i],
            on_other_tests=next((it for it in means.intervals(i)[1:]), None),
            n_benchmarks=n_benchmarks[i],
            missing=tuple(names[j] for j in lacking[i]),
            category_scores=by_category[i],
            run=chosen.runs[i],
            label=labels.get(model.id, ""),
            cost=costs[model.id],
            bill=bills.get(model.id),
            cluster=clusters.get(model.id),
            sale=sales.get(model.id),
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
    return answer(rows, exclusions)


def _places(
    matrix: ScoreMatrix,
    models: Mapping[str, Model],
    spread: Mapping[str, float],
    labels: Mapping[str, str],
) -> dict[str, int]:
    """Return the place of each product with all scores, whether or not it fits; ties by id."""
    missing: list[list[bool]] = np.isnan(matrix.scores).tolist()
    products = [
        name
        for name, lacks in zip(matrix.models, missing, strict=True)
        if not any(lacks) and not models[name].is_reference and name not in labels
    ]
    if not products:
        return {}
    mean = scores(select_models(matrix, products), spread).mean.tolist()
    order = sorted(range(len(products)), key=lambda i: (-round(mean[i], 12), products[i]))
    return {products[i]: place for place, i in enumerate(order, start=1)}


def _gates(
    requirements: Requirements,
    matrix: ScoreMatrix,
    models: Mapping[str, Model],
    costs: Mapping[str, MonthlyCost],
    routes: Mapping[str, Sequence[RouteVerdict]],
    sales: Mapping[str, OnSale],
) -> tuple[list[str], list[Exclusions]]:
    """Return the models that pass, and one entry per rule that left any out, in their order."""
    exclusions = []
    flagged = tuple(e for e in matrix.excluded if e.reason.startswith(FLAGGED))
    own_team = tuple(e for e in matrix.excluded if e.reason == OWN_TEAM)
    unusable = tuple(e for e in matrix.excluded if e not in (*flagged, *own_team))
    if unusable:
        exclusions.append(Exclusions("No usable run", "no score in this suite", unusable))
    if flagged:
        exclusions.append(Exclusions("Flagged", "the run does not look plausible", flagged))
    if own_team:
        exclusions.append(Exclusions("Reported by its own team", OWN_TEAM, own_team))
    remaining = list(matrix.models)
    scored = {m for m, row in zip(remaining, matrix.scores, strict=True) if not np.isnan(row).all()}
    limit, budget = requirements.max_params_b, requirements.monthly_budget_usd
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

    if requirements.only:
        apply(
            "Not among the models you chose",
            "you asked for some models only",
            lambda m: "" if m.id in requirements.only else "not among the models you chose",
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
    if requirements.access in ("open", "own"):
        own = requirements.access == "own"
        apply(
            CLOSED_WEIGHTS[own],
            "closed weights",
            lambda m: "closed weights: only as a service" if m.access == "closed" else "",
        )
        apply(
            "Unknown whether it can run on your own servers"
            if own
            else "Unknown whether the weights are open",
            "nobody states whether the weights are open",
            lambda m: "whether the weights are open is not known" if m.access == "unknown" else "",
        )
    failed = {out.model: out.reason for out in gated_out(routes)}
    apply(FAILS_CONDITION, "a condition of purchase is not met", lambda m: failed.get(m.id, ""))
    if sales:
        apply(
            NOT_ON_SALE,
            f"for at least {requirements.on_sale_months} months",
            lambda m: sales[m.id].words if sales[m.id].standing == "fails" else "",
        )
    if limit is not None:
        apply(
            "Too large",
            f"more than {limit:g} B parameters",
            lambda m: (
                f"{billions(m.params_b)} B parameters" if m.params_b and m.params_b > limit else ""
            ),
        )
        apply(
            "Size not disclosed",
            f"cannot be shown to have at most {limit:g} B parameters",
            lambda m: "number of parameters not disclosed" if m.params_b is None else "",
        )
    if budget is not None:

        def over(model: Model) -> str:
            cost = costs[model.id]
            if cost.for_budget is None or cost.for_budget <= budget:
                return ""
            about = "about" if cost.likely is not None else "at least"
            return f"{about} ${cost.for_budget:,.2f} a month"

        apply("Over budget", f"more than ${budget:,.12g} a month", over)
    return remaining, exclusions


def _category_scores(
    weights: Weights, benchmarks: Sequence[Benchmark], values: FloatArray
) -> list[tuple[tuple[str, float | None], ...]]:
    """Mean normalised score per weighted category, for each model; ``None`` without any score."""
    columns = []
    for name, _ in weights:
        inside = np.array([name in (b.category, b.subcategory) for b in benchmarks], dtype=float)
        found = weighted_means(values, inside).mean
        columns.append([(name, value) for value in _known(found)])
    return list(zip(*columns, strict=True))


def _known(values: FloatArray) -> list[float | None]:
    return [None if math.isnan(value) else value for value in values.tolist()]
