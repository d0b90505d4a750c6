"""Small matrices and frames for the tests of statistics."""

from __future__ import annotations

import numpy as np
import pandas as pd
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
        errors = np.full_like(scores, np.nan)
        if standard_errors is not None:
            errors = np.array(standard_errors, dtype=float)
        n, b = scores.shape
        return ScoreMatrix(
            suite="suite",
            cohort="all",
            models=tuple(models or (f"m{i}" for i in range(n))),
            benchmarks=tuple(benchmarks or (make_benchmark(f"b{j}") for j in range(b))),
            scores=scores,
            standard_errors=errors,
            runs=("run",) * n,
            excluded=(),
            snapshot=None,
        )

    return make


@pytest.fixture(scope="session")
def make_frame():
    """Long frame from tuples of model, run, run_at, precision, benchmark, score[, error]."""

    def make(*rows):
        names = ["model", "run", "run_at", "precision", "benchmark", "score", "standard_error"]
        full = [(*row, np.nan)[:7] for row in rows]
        return pd.DataFrame(full, columns=names)

    return make
