"""Which runs have item results, and what these say of the scores of a matrix."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from core.evidence.items import of_benchmark
from core.statistics.items import item_errors

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from core.domain import FloatArray, ScoreMatrix
    from core.evidence.store import Store

_MOST_CELLS = 5_000_000
"""Models by items of a benchmark, or thrice the pairs of models by benchmarks, looked at in 40 MB.
Beyond, items serve the comparison of two runs only."""


def with_items(store: Store, matrix: ScoreMatrix) -> ScoreMatrix:
    """Return a matrix with the errors of its scores as items have them, where there are items."""
    runs = runs_of(store, matrix)
    n = len(matrix.models)
    if not runs or 3 * n * n * len(matrix.benchmarks) > _MOST_CELLS or matrix.snapshot is None:
        return matrix
    counts = store.item_counts(matrix.snapshot)
    most = counts.groupby("benchmark")["n_items"].max()
    position = {run: matrix.models.index(model) for model, run in runs.items()}
    path = store.item_file(matrix.snapshot)
    per_benchmark: list[tuple[NDArray[np.intp], FloatArray, NDArray[np.intp] | None] | None] = []
    for benchmark in matrix.benchmarks:
        if benchmark.id not in most or len(runs) * int(most[benchmark.id]) > _MOST_CELLS:
            per_benchmark.append(None)
            continue
        rows = of_benchmark(path, list(position), benchmark.id)
        names, run = np.unique(rows["run"].to_numpy(dtype=str), return_inverse=True)
        _, first, item = np.unique(
            rows["item"].to_numpy(dtype=str), return_index=True, return_inverse=True
        )
        scores: FloatArray = np.full((len(names), len(first)), np.nan)
        scores[run, item] = rows["score"].to_numpy(dtype=float)
        task = rows["task"].to_numpy(dtype=str)[first]
        if benchmark.lower_is_better:
            scores = 1 - scores
        clusters = np.unique(task, return_inverse=True)[1] if (task != "").all() else None
        placed: NDArray[np.intp] = np.array([position[name] for name in names.tolist()], np.intp)
        per_benchmark.append((placed, scores, clusters) if len(placed) else None)
    return replace(matrix, items=item_errors(n, per_benchmark))


def runs_of(store: Store, matrix: ScoreMatrix) -> dict[str, str]:
    """Return, by model, the run that stands for it in a matrix, where that run has items."""
    if matrix.snapshot is None or not matrix.snapshot.items_sha256:
        return {}
    known = set(store.item_counts(matrix.snapshot)["run"])
    found = {}
    for model, label in zip(matrix.models, matrix.runs, strict=True):
        # A label may name the mirror before the run, and the precision behind it.
        bare = label.rpartition(" (")[0]
        names = (label, bare, label.partition(": ")[2], bare.partition(": ")[2])
        run = next((name for name in names if name in known), None)
        if run is not None:
            found[model] = run
    return found
