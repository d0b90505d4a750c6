"""Small matrices and frames for the tests of statistics."""

from __future__ import annotations

import numpy as np
import pytest

from tests.conftest import a_matrix


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
        rows = dict(zip(models or (f"m{i}" for i in range(len(scores))), scores, strict=True))
        columns = benchmarks or [make_benchmark(f"b{j}") for j in range(len(scores[0]))]
        return a_matrix(rows, columns, error=np.nan if standard_errors is None else standard_errors)

    return make
