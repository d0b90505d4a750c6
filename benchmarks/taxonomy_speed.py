"""Time from a score matrix of 33 models by 6 benchmarks to a taxonomy, against scipy's own floor.

The floor is ``pdist`` and ``linkage`` on the same standardised array. Both are timed by turns in
one process, and the medians are compared.

Run: python -m benchmarks.taxonomy_speed
"""

from __future__ import annotations

from statistics import median
from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import pdist

from core.domain import Benchmark, ScoreMatrix
from core.statistics.taxonomy import build_taxonomy

if TYPE_CHECKING:
    from core.domain import FloatArray

N_MODELS, REPETITIONS = 33, 3000
N_ITEMS = (541, 5761, 1324, 1192, 756, 12032)
N_BENCHMARKS = len(N_ITEMS)


def synthetic_matrix() -> ScoreMatrix:
    """Make two groups of models from a seeded generator, with ties as real accuracies have."""
    rng = np.random.default_rng(20240829)
    level = np.where(np.arange(N_MODELS) < 20, 0.6, 0.35)
    share = np.clip(level[:, None] + rng.normal(0, 0.06, (N_MODELS, N_BENCHMARKS)), 0, 1)
    return made_up(rng.binomial(N_ITEMS, share) / N_ITEMS)


def made_up(scores: FloatArray) -> ScoreMatrix:
    """Return a matrix of these scores, with made-up models and benchmarks around them."""
    n, b = scores.shape
    return ScoreMatrix(
        suite="synthetic",
        cohort="all",
        models=tuple(f"model-{i:02}" for i in range(n)),
        benchmarks=tuple(_benchmark(j) for j in range(b)),
        scores=scores,
        standard_errors=np.full_like(scores, np.nan),
        runs=("",) * n,
        excluded=(),
        snapshot=None,
    )


def _benchmark(j: int) -> Benchmark:
    return Benchmark(
        id=f"b{j}",
        suite="synthetic",
        name=f"Benchmark {j}",
        category="",
        subcategory="",
        category_reason="",
        domain="general",
        metric="accuracy",
        scale_min=0.0,
        scale_max=1.0,
        lower_is_better=False,
        n_items=None,
        is_accuracy=True,
        access="public",
        source="",
    )


def main() -> None:
    """Print one line with both medians and their ratio."""
    matrix = synthetic_matrix()
    standardised = build_taxonomy(matrix).standardised
    floor, full = [], []
    for _ in range(REPETITIONS):
        start = perf_counter()
        linkage(pdist(standardised, "cityblock"), "complete")
        middle = perf_counter()
        build_taxonomy(matrix)
        floor.append(middle - start)
        full.append(perf_counter() - middle)
    ours, scipys = median(full[100:]) * 1e6, median(floor[100:]) * 1e6
    print(
        f"taxonomy {N_MODELS}x{N_BENCHMARKS}: {ours:.0f} us, scipy pdist + linkage "
        f"{scipys:.0f} us, ratio {ours / scipys:.2f}"
    )


if __name__ == "__main__":
    main()
