"""The shortlist: which models meet the question, in which order, and why.

Conditions come first and scores second. A rule that leaves models out is named with its models, and
what is not known about a model is turned into a question, never into a no or a zero.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, get_args

import numpy as np

from core.domain import (
    BadRequestError,
    Benchmark,
    Dossier,
    LeftOut,
    Model,
    MonthlyCost,
    OfferTerms,
    OnSale,
    Question,
    Rule,
    ScoreMatrix,
    Shortlist,
    Task,
    Work,
)
from core.procurement.conditions import best_first
from core.statistics.benchmarks import one_vote_per_group
from core.statistics.difference import scores, weighted_means
from core.statistics.ranks import rank_bands
from core.statistics.score_matrix import normalised, select

if TYPE_CHECKING:
    from core.domain import FloatArray

Weights = tuple[tuple[str, float], ...]
_IN_ORDER: tuple[Rule, ...] = get_args(Rule)


def rank_models(
    question: Question,
    *,
    weights: Weights,
    matrix: ScoreMatrix,
    models: Mapping[str, Model],
    clusters: Mapping[str, str],
    costs: Mapping[str, MonthlyCost],
    vote_groups: Sequence[Sequence[str]] = (),
    terms: Mapping[str, Sequence[OfferTerms]] | None = None,
    sales: Mapping[str, OnSale] | None = None,
    labels: Mapping[str, str] | None = None,
) -> Shortlist:
    """Answer one set of question, but for what the margin decides.

    Parameters
    ----------
    question
        The limits. The one on parameters leaves out models of undisclosed size, under a
        rule of its own, since nothing shows that they meet it. The budget leaves out models
        whose likely cost exceeds it, or the least that they cost where no more is known; models
        of unknown cost stay and carry a question.
    weights
        Category weights that sum to 1; empty where the suite has no benchmark for the task.
    matrix, models
        All models of the suite, and facts on each, also on those that it leaves out.
    clusters
        Cluster by model; a model in none is not in it.
    costs
        What each model costs a month where it may run.
    vote_groups
        Groups of benchmarks that share one vote within a category.
    terms
        The terms of every offer of each model that the buyer allows; without any, no condition is
        set. A model whose every offer fails is left out.
    sales
        Whether each model stays on sale for long enough; without any, that is not asked.
    labels
        By model, why its scores are outside rank bands and first places, in words.

    Returns
    -------
    Shortlist
        Complete models first, by weighted mean of normalised scores, ties by model id; then
        models that lack benchmarks or carry a label, which have a score and no rank.
    """
    spread = benchmark_weights(weights, matrix.benchmarks, vote_groups)
    counted = select(matrix, benchmarks=[b.id for b in matrix.benchmarks if b.id in spread])
    labels, sales, terms = labels or {}, sales or {}, terms or {}

    rows: list[Dossier] = []
    left_out: list[LeftOut] = []
    eligible: list[str] = []
    places = _places(counted, models, spread, labels) if spread else {}
    if spread:
        eligible, left_out = _rules(question, counted, models, costs, terms, sales)
    if eligible:
        chosen = select(counted, eligible)
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
        among = select(chosen, [eligible[i] for i in ranked])
        bands = dict(zip(ranked, rank_bands(among, spread) if ranked else (), strict=True))
        names = [benchmark.name for benchmark in chosen.benchmarks]
        by_category = _category_scores(weights, chosen.benchmarks, values)
        n_benchmarks = means.n_benchmarks.tolist()
        for number, i in enumerate(positions, start=1):
            model = models[eligible[i]]
            # What an interval by t would put beyond the scale is cut off.
            within = [
                replace(it, ci_low=max(it.ci_low, 0.0), ci_high=min(it.ci_high, 1.0))
                for it in means.intervals(i)
            ]
            strongest, other = (*within, None, None)[:2]
            rows.append(
                Dossier(
                    model=model,
                    cost=costs[model.id],
                    score=mean[i],
                    rank=number if ranks[i] else None,
                    rank_band=bands.get(i),
                    rank_all=places.get(model.id),
                    n_fit=len(ranked),
                    n_all=len(places),
                    ci_low=strongest.ci_low if strongest else None,
                    ci_high=strongest.ci_high if strongest else None,
                    interval_basis=strongest.basis if strongest else "none",
                    on_other_tests=other,
                    n_benchmarks=n_benchmarks[i],
                    missing=tuple(names[j] for j in lacking[i]),
                    category_scores=by_category[i],
                    run=chosen.runs[i],
                    label=labels.get(model.id, ""),
                    cluster=clusters.get(model.id),
                    sale=sales.get(model.id),
                    terms=best_first(terms.get(model.id, ()), costs[model.id].bill),
                )
            )
    return Shortlist(
        question=question,
        rows=tuple(rows),
        left_out=tuple(
            replace(
                out,
                name=models[out.model].name if out.model in models else out.model,
                place=places.get(out.model),
            )
            for out in left_out
        ),
        weights=tuple(weights),
        benchmarks=counted.benchmarks,
        benchmark_weights=tuple((b.id, spread[b.id]) for b in counted.benchmarks),
        n_compared=len(matrix.models) + len(matrix.excluded),
        places=tuple(places.items()),
        n_unpriced=sum(row.cost.low is None and not row.cost.is_owned for row in rows),
        snapshots=(matrix.snapshot,) if matrix.snapshot is not None else (),
    )


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
    mean = scores(select(matrix, products), spread).mean.tolist()
    order = sorted(range(len(products)), key=lambda i: (-round(mean[i], 12), products[i]))
    return {products[i]: place for place, i in enumerate(order, start=1)}


def _rules(
    question: Question,
    matrix: ScoreMatrix,
    models: Mapping[str, Model],
    costs: Mapping[str, MonthlyCost],
    terms: Mapping[str, Sequence[OfferTerms]],
    sales: Mapping[str, OnSale],
) -> tuple[list[str], list[LeftOut]]:
    """Return the models that pass, and those that a rule left out, in the order of the rules."""
    out = [LeftOut(e.model, e.rule, detail=e.reason) for e in matrix.excluded]
    left_out = [each for rule in _IN_ORDER for each in out if each.rule == rule]
    known = {*matrix.models, *(each.model for each in left_out)}
    left_out += [LeftOut(model, "not here") for model in question.limits.only if model not in known]
    scored = {
        m for m, row in zip(matrix.models, matrix.scores, strict=True) if not np.isnan(row).all()
    }
    only, budget = question.limits.only, question.limits.monthly_budget_usd
    # An unknown is a question, not a refusal.
    failed = {m for m, of in terms.items() if of and all(offer.status == "fails" for offer in of)}

    def rule_of(name: str) -> Rule | None:
        model, cost = models[name], costs[name]
        return first_rule(
            of_the_model(question, model)
            | {
                "not chosen": bool(only) and name not in only,
                "reference": model.is_reference,
                "untested": name not in scored,
                "elsewhere": name in terms and not terms[name],
                "condition": name in failed,
                "sale": name in sales and sales[name].standing == "fails",
                "size unknown": question.limits.max_params_b is not None and model.params_b is None,
                "no room": cost.why in ("no room", "too slow"),
                "over budget": budget is not None and (cost.for_budget or 0.0) > budget,
            }
        )

    rules = {name: rule_of(name) for name in matrix.models}
    left_out += [
        LeftOut(
            name,
            rule,
            terms=tuple(terms[name]) if rule == "condition" else (),
            params_b=models[name].params_b,
            cost=costs[name],
            sale=sales[name] if rule == "sale" else None,
        )
        for rule in _IN_ORDER
        for name, its in rules.items()
        if its == rule
    ]
    return [name for name, rule in rules.items() if rule is None], left_out


def of_the_model(question: Question, model: Model) -> dict[Rule, bool]:
    """Return, of each limit on a model itself, whether it leaves one out, wherever it is had."""
    limit = question.limits.max_params_b
    needs_weights = question.access in ("open", "own")
    return {
        "closed": needs_weights and model.access == "closed",
        "weights unknown": needs_weights and model.access == "unknown",
        "too large": limit is not None and (model.params_b or 0.0) > limit,
    }


def first_rule(holds: Mapping[Rule, bool]) -> Rule | None:
    """Return the first rule that leaves a model out; ``None`` where none does."""
    for rule in _IN_ORDER:
        if holds.get(rule):
            return rule
    return None


def _category_scores(
    weights: Weights, benchmarks: Sequence[Benchmark], values: FloatArray
) -> list[tuple[tuple[str, float | None], ...]]:
    """Mean normalised score per weighted category, for each model; ``None`` without any score."""
    columns = []
    for name, _ in weights:
        inside = np.array([name in (b.category, b.subcategory) for b in benchmarks], dtype=float)
        found = weighted_means(values, inside).mean.tolist()
        columns.append([(name, None if math.isnan(value) else value) for value in found])
    return list(zip(*columns, strict=True))


def categories(benchmarks: Sequence[Benchmark]) -> tuple[str, ...]:
    """Return the categories that can count in a score, in the order of the catalogue."""
    return tuple(dict.fromkeys(b.category for b in benchmarks if b.scored))


def all_categories(benchmarks: Sequence[Benchmark]) -> tuple[str, ...]:
    """Return categories and, after each, its subcategories; a name occurs once."""
    names: dict[str, None] = {}
    for category in categories(benchmarks):
        names[category] = None
        for benchmark in benchmarks:
            if benchmark.scored and benchmark.category == category:
                names[benchmark.subcategory] = None
    return tuple(names)


def category_weights(
    suite: str, work: Work, benchmarks: Sequence[Benchmark], task: Task | None
) -> Weights:
    """Return the weight of each category of a suite, summing to 1.

    Own weights of 0 drop the category; own weights without any category, and the task
    ``balanced``, weigh all categories alike. ``task`` is the preset that the question names,
    ``None`` for own weights. Of one language, a preset weighs a category by its tests in it.
    Empty where the suite has no benchmark at all for it: there is then no evidence, which is not
    the same as a score of 0.
    """
    if work.weights:
        known = all_categories(benchmarks)
        for name, weight in work.weights:
            if name not in known:
                listed = ", ".join(categories(benchmarks))
                raise BadRequestError(
                    f'"{name[:80]}" is not a task category of {suite}; its categories are '
                    f"{listed}; their subcategories can be weighed, too."
                )
            if not 0 <= weight < float("inf"):
                raise BadRequestError(f"The weight of {name} must be 0 or more, not {weight}.")
        own = dict(work.weights)
        found = tuple((name, own[name]) for name in known if own.get(name, 0) > 0)
        if not found:
            raise BadRequestError("At least one task category needs a weight above 0.")
    else:
        every = tuple((name, 1.0) for name in categories(benchmarks))
        presets = dict(task.weights) if task is not None else {}
        # Balanced counts every category but where a suite says otherwise.
        is_every = task is None or task.id == "balanced" or not task.weights
        found = presets.get(suite, every if is_every else ())
    if work.language:
        spoken = [b for b in benchmarks if b.language == work.language]
        counts = ((len(_of(name, spoken)), len(_of(name, benchmarks))) for name, _ in found)
        # Each test keeps its weight among the others, but where the buyer weighs the category.
        found = tuple(
            (name, weight if work.weights else weight * n / of)
            for (name, weight), (n, of) in zip(found, counts, strict=True)
            if n
        )
    total = sum(weight for _, weight in found)
    return tuple((name, weight / total) for name, weight in found)


def _of(name: str, benchmarks: Sequence[Benchmark]) -> list[Benchmark]:
    """Return the scored benchmarks whose category or subcategory a name is."""
    return [b for b in benchmarks if b.scored and name in (b.category, b.subcategory)]


def benchmark_weights(
    weights: Weights, benchmarks: Sequence[Benchmark], vote_groups: Sequence[Sequence[str]] = ()
) -> dict[str, float]:
    """Spread each category's weight evenly over its benchmarks.

    A name counts for the scored benchmarks whose category or subcategory it is. Benchmarks
    without weight are left out. Benchmarks of one of ``vote_groups`` share one vote within a
    category, as ``core.statistics.vote_groups.one_vote_per_group`` has it.
    """
    spread: dict[str, float] = {}
    for name, weight in weights:
        members = [benchmark.id for benchmark in _of(name, benchmarks)]
        shares = {member: weight / len(members) for member in members}
        if vote_groups:
            shares = one_vote_per_group(shares, vote_groups)
        for member, share in shares.items():
            spread[member] = spread.get(member, 0.0) + share
    return spread
