"""Small matrices and frames for the tests of statistics."""

from __future__ import annotations

import numpy as np
import pytest

from core.domain import ScoreMatrix


@pytest.fixture(scope="session")
def make_benchmark(make_benchmark):
    """As for all tests, but with an id by default, and of no category."""

    def make(key="b0", **fields):
        return make_benchmark(key, **{"category": "", "domain": "general", **fields})

    return make


@pytest.fixture(scope="session")
def make_matrix(make_benchmark):
    """Matrix of models m0, m1, … from rows of scores."""

    def make(scores, *, standard_errors=None, benchmarks=None, models=None):
        scores = np.array(scores, dtype=float)
        errors = scores * np.nan if standard_errors is None else standard_errors
        n, b = scores.shape
        return ScoreMatrix(
            suite="suite",
            cohort="all",
            models=tuple(models or (f"m{i}" for i in range(n))),
            benchmarks=tuple(benchmarks or (make_benchmark(f"b{j}") for j in range(b))),
            scores=scores,
            standard_errors=np.array(errors, dtype=float),
            runs=("run",) * n,
            excluded=(),
            snapshot=None,
        )

    return make
