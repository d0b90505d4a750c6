"""Time and memory of the taxonomy of a whole leaderboard, against scipy's own floor.

The Open LLM Leaderboard v2 has 3,827 complete rows of 6 benchmarks. The floors are ``linkage``
alone on ready condensed distances, and ``pdist`` with ``linkage``; all three alternate in one
process, and medians are compared.

Run: python -m benchmarks.taxonomy_scale
"""

from __future__ import annotations

import tracemalloc
from pathlib import Path
from statistics import median
from time import perf_counter

import numpy as np
import pandas as pd
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import pdist

from benchmarks.taxonomy_speed import made_up
from core.domain import ScoreMatrix
from core.statistics.taxonomy import build_taxonomy

FULL = Path(__file__).parents[2] / "shared" / "bench" / "open_llm_v2_full.csv"
BENCHMARKS = ["ifeval", "bbh", "math_lvl_5", "gpqa", "musr", "mmlu_pro"]
REPETITIONS = 9


def leaderboard() -> ScoreMatrix:
    """Return the whole leaderboard, or one of its size made up where it is not here."""
    if FULL.exists():
        return made_up(pd.read_csv(FULL)[BENCHMARKS].dropna().to_numpy(dtype=float))
    rng = np.random.default_rng(1)
    return made_up(rng.uniform(0, 1, (3827, 1)) + rng.normal(0, 0.1, (3827, 6)))


def main() -> None:
    """Print medians in milliseconds, both ratios, and the highest memory of the arrays."""
    matrix = leaderboard()
    standardised = build_taxonomy(matrix).standardised
    condensed = pdist(standardised, "cityblock")
    alone, floor, ours = [], [], []
    for _ in range(REPETITIONS):
        start = perf_counter()
        linkage(condensed, "complete")
        first = perf_counter()
        linkage(pdist(standardised, "cityblock"), "complete")
        second = perf_counter()
        build_taxonomy(matrix)
        alone.append(first - start)
        floor.append(second - first)
        ours.append(perf_counter() - second)
    one, both, taken = (median(times) * 1000 for times in (alone, floor, ours))
    n = len(matrix.models)
    print(f"taxonomy of {n} models: {taken:.0f} ms")
    print(f"linkage alone: {one:.0f} ms, ratio {taken / one:.2f}")
    print(f"pdist and linkage: {both:.0f} ms, ratio {taken / both:.2f}")
    del condensed
    tracemalloc.start()
    build_taxonomy(matrix)
    print(f"highest memory: {tracemalloc.get_traced_memory()[1] / 1e6:.0f} MB", end=", ")
    pairs = n * (n - 1) // 2 * 8
    print(f"that of the distances of all pairs: {pairs / 1e6:.0f} MB")
    tracemalloc.stop()


if __name__ == "__main__":
    main()
