"""The full evidence behind a shortlist: one row per model and benchmark."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from core.domain.patience import still_wanted

if TYPE_CHECKING:
    from core.domain import FloatArray, ScoreMatrix, Shortlist
    from core.sharing.export import Cell

COLUMNS = (
    *("model", "name", "rank", "benchmark", "benchmark_name", "category", "subcategory"),
    *("weight", "score", "scale_min", "scale_max", "direction", "points"),
    *("standard_error", "error_of", "error_bound"),
    *("n_items", "metric", "run", "suite", "snapshot", "as_of", "source"),
)
"""The columns of the CSV in their order."""


def records(
    found: Shortlist, matrix: ScoreMatrix, shares: FloatArray, item_errors: FloatArray
) -> list[dict[str, Cell]]:
    """Return one flat record per model of the shortlist and benchmark that counts.

    Benchmarks that a suite shows and does not score follow with no weight. ``score`` and
    ``standard_error`` are on the benchmark's own scale, ``points`` on 0 to 100 with 100 the best,
    ``weight`` is the benchmark's share of the score. ``error_of`` says what varied behind the
    standard error, items or runs; ``error_bound`` is the upper bound over items where no such
    error is printed, on the benchmark's own scale. A benchmark that was never run on a model has
    a row whose score is ``None``: it is never 0.

    Parameters
    ----------
    matrix
        The scores that the shortlist was made from, shape (n_models, n_benchmarks).
    shares, item_errors
        The same on the 0 to 1 scale with 1 the best, and the errors that intervals are made of,
        as `core.statistics.score_matrix.normalised` gives them; ``nan`` for a gap.
    """
    weight = dict(found.benchmark_weights)
    columns = [j for j, b in enumerate(matrix.benchmarks) if b.id in weight]
    columns += [j for j, b in enumerate(matrix.benchmarks) if not b.scored]
    place = {model: i for i, model in enumerate(matrix.models)}
    snapshot = matrix.snapshot
    version = f"{snapshot.revision} {snapshot.sha256[:12]}" if snapshot else None
    as_of = (snapshot.as_of or "not published") if snapshot else None
    listed: list[dict[str, Cell]] = []
    for row in found.rows:
        still_wanted()
        i = place[row.model.id]
        for j in columns:
            benchmark = matrix.benchmarks[j]
            share, error = _known(shares[i, j]), _known(matrix.standard_errors[i, j])
            is_bound = error is None or benchmark.error_of == "runs"
            bound = _known(item_errors[i, j]) if is_bound else None
            width = benchmark.scale_max - benchmark.scale_min
            listed.append(
                {
                    "model": row.model.id,
                    "name": row.model.name,
                    "rank": row.rank,
                    "benchmark": benchmark.id,
                    "benchmark_name": benchmark.name,
                    "category": benchmark.category,
                    "subcategory": benchmark.subcategory or None,
                    "weight": weight.get(benchmark.id),
                    "score": _known(matrix.scores[i, j]),
                    "scale_min": benchmark.scale_min,
                    "scale_max": benchmark.scale_max,
                    "direction": "lower is better"
                    if benchmark.lower_is_better
                    else "higher is better",
                    "points": None if share is None else share * 100,
                    "standard_error": error,
                    "error_of": None if error is None else benchmark.error_of,
                    "error_bound": None if bound is None else bound * width,
                    "n_items": benchmark.n_items,
                    "metric": benchmark.metric,
                    "run": row.run,
                    "suite": matrix.suite,
                    "snapshot": version,
                    "as_of": as_of,
                    "source": benchmark.source,
                }
            )
    return listed


def _known(value: float) -> float | None:
    return None if math.isnan(value) else float(value)
