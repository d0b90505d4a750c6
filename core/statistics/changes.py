"""What changed between two score matrices of one suite: models, scores, ranks, clusters."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from core.domain import BadRequestError, Change
from core.statistics.difference import scores
from core.statistics.score_matrix import complete, known, select_benchmarks, select_models
from core.statistics.taxonomy import build_taxonomy

if TYPE_CHECKING:
    from core.domain import ScoreMatrix

_MIN_FOR_CLUSTERS = 3


def score_changes(before: ScoreMatrix, after: ScoreMatrix) -> list[Change]:
    """List the scores that differ, on the benchmark's own scale.

    Models and benchmarks of both matrices are compared; a score that came or went has ``None``
    on its other side. Order: models, then benchmarks, as in ``after``.
    """
    _check(before, after)
    old_model = {model: i for i, model in enumerate(before.models)}
    old_benchmark = {benchmark.id: j for j, benchmark in enumerate(before.benchmarks)}
    found = []
    for i, model in enumerate(after.models):
        if model not in old_model:
            continue
        for j, benchmark in enumerate(after.benchmarks):
            if benchmark.id not in old_benchmark:
                continue
            was = float(before.scores[old_model[model], old_benchmark[benchmark.id]])
            now = float(after.scores[i, j])
            if was != now and not (np.isnan(was) and np.isnan(now)):
                found.append(Change(model, "score", benchmark.id, known(was), known(now)))
    return found


def rank_changes(before: ScoreMatrix, after: ScoreMatrix) -> list[Change]:
    """List the models whose rank among the complete models of both matrices moved.

    Ranked by the mean normalised score over the benchmarks with scores in both, ties by model
    id; models in only one matrix do not move the others. Order: rank after.
    """
    _check(before, after)
    was, now = (_ranks(matrix) for matrix in _shared(before, after))
    return [
        Change(model, "rank", "", float(was[model]), float(rank))
        for model, rank in now.items()
        if was[model] != rank
    ]


def cluster_changes(before: ScoreMatrix, after: ScoreMatrix) -> list[Change]:
    """List the models that moved between the high and the low cluster.

    Each matrix forms its own two clusters from its own complete models. With fewer than three
    of them there are no clusters, and nothing moved. Order: models of ``after``.
    """
    _check(before, after)
    clusters = []
    for matrix in (before, after):
        if len(complete(matrix).models) < _MIN_FOR_CLUSTERS:
            return []
        tree = build_taxonomy(matrix)
        clusters.append(dict(zip(tree.models, tree.labels, strict=True)))
    was, now = clusters
    return [
        Change(model, "cluster", "", was[model], label)
        for model, label in now.items()
        if model in was and was[model] != label
    ]


def _check(before: ScoreMatrix, after: ScoreMatrix) -> None:
    if before.suite != after.suite:
        raise BadRequestError(
            f"Only snapshots of one suite compare; these are {before.suite} and {after.suite}."
        )


def _shared(before: ScoreMatrix, after: ScoreMatrix) -> tuple[ScoreMatrix, ScoreMatrix]:
    scored = [
        {
            benchmark.id
            for benchmark, column in zip(matrix.benchmarks, matrix.scores.T, strict=True)
            if not np.isnan(column).all()
        }
        for matrix in (before, after)
    ]
    benchmarks = [b.id for b in after.benchmarks if b.id in scored[0] & scored[1]]
    old, new = (select_benchmarks(matrix, benchmarks) for matrix in (before, after))
    models = sorted(set(complete(old).models) & set(complete(new).models))
    return select_models(old, models), select_models(new, models)


def _ranks(matrix: ScoreMatrix) -> dict[str, int]:
    if not matrix.models:
        return {}
    means = scores(matrix).mean
    order = sorted(range(len(matrix.models)), key=lambda i: (-means[i], matrix.models[i]))
    return {matrix.models[i]: rank for rank, i in enumerate(order, start=1)}
