"""Simulation: how often the rule takes a model that is truly worse by the margin or more.

Eleven models on tests drawn from tests like these: one truly best, the others a given number of
points worse and cheaper. Seeded; docs/methods.md prints the shares of all draws.
"""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from building import a_cost

from core.domain import Dossier, ScoreMatrix
from core.procurement.recommendation import choose
from core.statistics.ranks import rank_bands
from tests.conftest import a_benchmark, a_model

METHODS = Path(__file__).parents[2] / "docs/methods.md"
MARGIN = 0.02
TESTS = (5, 9, 37, 87)
ALL_DRAWS = 2000


@pytest.fixture
def errs():
    def of(n_tests, deficits, repeats):
        rng = np.random.default_rng(n_tests)
        names = [f"m{i:02}" for i in range(len(deficits))]
        benchmarks = tuple(a_benchmark(f"b{j}") for j in range(n_tests))
        weights = {benchmark.id: 1 / n_tests for benchmark in benchmarks}
        # The best is the dearest; each next one costs a tenth less.
        plain = [
            Dossier(a_model(name, access="open"), a_cost(name, 100.0 * 0.9**i), 0.0)
            for i, name in enumerate(names)
        ]
        taken = wrong = 0
        for _ in range(repeats):
            level = rng.normal(0.6, 0.1, n_tests)
            values = (
                level - np.array(deficits)[:, None] + rng.normal(0, 0.05, (len(names), n_tests))
            )
            none = np.full(values.shape, np.nan)
            matrix = ScoreMatrix(
                "suite", "all", tuple(names), benchmarks, values, none, tuple(names), (), None
            )
            bands = rank_bands(matrix, weights)
            found = choose(
                [
                    replace(each, score=float(score), rank_band=band)
                    for each, score, band in zip(plain, values.mean(axis=1), bands, strict=True)
                ],
                matrix=matrix,
                weights=weights,
                categories={"Category": weights},
                margin=MARGIN,
            )
            if found.strength == "take":
                taken += 1
                wrong += deficits[names.index(found.take)] >= MARGIN
        return taken / repeats, wrong / repeats

    return of


NEAR = {
    "all ten": [0.0, *[MARGIN] * 10],
    "three": [0.0, *[MARGIN] * 3, *[0.10] * 7],
    "one": [0.0, MARGIN, *[0.10] * 9],
}
"""How many of the other ten are exactly the margin worse; the rest are far below."""


def printed(near, n_tests):
    begins = f"| {near} | {n_tests} |"
    (row,) = (line for line in METHODS.read_text("utf-8").splitlines() if line.startswith(begins))
    return [float(cell.strip(" %")) / 100 for cell in row.split("|")[3:5]]


@pytest.mark.slow
@pytest.mark.parametrize("n_tests", TESTS)
@pytest.mark.parametrize("near", NEAR)
def test_a_tenth_of_the_draws_is_near_what_the_methods_print(errs, near, n_tests):
    repeats = ALL_DRAWS // 10
    for share, told in zip(errs(n_tests, NEAR[near], repeats), printed(near, n_tests), strict=True):
        assert abs(share - told) <= 3 * np.sqrt(max(told * (1 - told), 0.005) / repeats)


@pytest.mark.tools
@pytest.mark.parametrize("n_tests", TESTS)
@pytest.mark.parametrize("near", NEAR)
def test_the_methods_print_the_shares_of_all_draws(errs, near, n_tests):
    shares = errs(n_tests, NEAR[near], ALL_DRAWS)
    assert [f"{share:.1%}" for share in shares] == [
        f"{told:.1%}" for told in printed(near, n_tests)
    ]
