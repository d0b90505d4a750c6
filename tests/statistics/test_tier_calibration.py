"""Simulation: what is called shown or likely errs as seldom as promised, and rank sets hold.

Seeded, so each share is the same in every run; docs/methods.md prints them. A share of n
repetitions has the standard error √(p(1 − p)/n), and three of these are allowed.
"""

from math import sqrt
from pathlib import Path

import numpy as np
import pytest

from core.procurement.replacement import judge
from core.statistics.difference import ALPHA, weighted_means
from core.statistics.ranks import holm, rank_sets

pytestmark = pytest.mark.slow

METHODS = Path(__file__).parents[2] / "docs/methods.md"
MARGIN = 0.02
N_CANDIDATES = 10
N_ITEMS = 400
REPEATS = 4000
TESTS = (5, 9, 37, 87)


def at_most(promise, n):
    return promise + 3 * sqrt(promise * (1 - promise) / n)


def other_tests(rng, n_tests, true):
    """Scores of models on tests drawn from all tests like these, shape (repeats, models, tests)."""
    level = rng.normal(0.6, 0.1, (REPEATS, 1, n_tests))
    own = rng.normal(0, 0.05, (REPEATS, len(true), n_tests))
    return level + own + np.array(true)[None, :, None]


def these_tests(rng, n_tests, true):
    """Shares right of 400 items a test, with the tests as they are."""
    level = rng.uniform(0.3, 0.8, (1, 1, n_tests))
    share = level + np.array(true)[None, :, None]
    right = rng.binomial(N_ITEMS, np.broadcast_to(share, (REPEATS, len(true), n_tests)))
    return right / N_ITEMS


def binomial(values):
    return np.sqrt(values * (1 - values) / (N_ITEMS - 1))


def p_values(values, leader, basis):
    """One-sided p of "worse by the margin", shape (repeats, candidates)."""
    n_tests = values.shape[2]
    columns = []
    for candidate in range(values.shape[1]):
        if candidate == leader:
            continue
        pair = [values[:, candidate], values[:, leader]]
        errors = [binomial(scores) for scores in pair] if basis == "these" else []
        means = weighted_means(pair[0] - pair[1], np.ones(n_tests), errors, [""] * n_tests)
        columns.append(means.p_above(-MARGIN))
    return np.stack(columns, axis=1)


def errors_of(basis, n_tests):
    """Shares of repetitions in which a tier errs: ten candidates, each exactly the margin worse."""
    rng = np.random.default_rng(n_tests)
    true = [0.0, *[-MARGIN] * N_CANDIDATES]
    make = these_tests if basis == "these" else other_tests
    p = p_values(make(rng, n_tests, true), 0, basis)
    shown = np.mean([(holm(row) < ALPHA).any() for row in p])
    return float(np.mean(p[:, 0] < ALPHA)), float(shown), float((p < ALPHA).any(axis=1).mean())


def one_of(basis, n_tests, n_candidates):
    """Share of repetitions in which any of so many, each exactly the margin worse, is likely."""
    rng = np.random.default_rng(n_tests)
    make = these_tests if basis == "these" else other_tests
    p = p_values(make(rng, n_tests, [0.0, *[-MARGIN] * n_candidates]), 0, basis)
    return float((p < ALPHA).any(axis=1).mean())


def ranks_of(basis, n_tests, repeats=500):
    """Shares in which a rank set misses the true rank, and the true best is outside the first."""
    rng = np.random.default_rng(100 + n_tests)
    true = [0.0, -0.005, -0.01, -0.02, -0.02, -0.03, -0.04, -0.06, -0.08, -0.1, -0.12]
    # Equal models share their ranks: any of these is true.
    allowed = [(i + 1, i + 1) for i in range(len(true))]
    allowed[3] = allowed[4] = (4, 5)
    make = these_tests if basis == "these" else other_tests
    missed = np.zeros(len(true))
    outside = 0
    for values in make(rng, n_tests, true)[:repeats]:
        errors = binomial(values) if basis == "these" else None
        found = rank_sets(values, np.ones(n_tests), errors, [""] * n_tests)
        for i, ((first, last), (low, high)) in enumerate(zip(found, allowed, strict=True)):
            missed[i] += first > high or last < low
        outside += found[0][0] > 1
    return float(missed.max() / repeats), outside / repeats


@pytest.mark.parametrize("n_tests", TESTS)
@pytest.mark.parametrize("basis", ["these", "other"])
def test_shown_and_likely_keep_their_promises(basis, n_tests):
    likely, shown, _ = errors_of(basis, n_tests)
    assert likely <= at_most(ALPHA, REPEATS)
    assert shown <= at_most(ALPHA, REPEATS)


@pytest.mark.parametrize("n_tests", TESTS)
@pytest.mark.parametrize("basis", ["these", "other"])
def test_rank_sets_hold_the_true_rank_and_the_first_group_the_best(basis, n_tests):
    missed, outside = ranks_of(basis, n_tests)
    assert missed <= at_most(0.05, 500)
    assert outside <= at_most(0.05, 500)


def test_uneven_weights_keep_the_promise_by_the_effective_number_of_tests():
    rng = np.random.default_rng(5)
    weights = np.array([0.3, 0.2, 0.15, 0.1, 0.1, 0.08, 0.07])
    assert 1 / np.square(weights).sum() > 5
    d = rng.normal(-MARGIN, 0.05, (40_000, 7))
    p = weighted_means(d, weights).p_above(-MARGIN)
    assert np.mean(p < ALPHA) <= at_most(ALPHA, 40_000) + 0.002  # an approximation here


def test_worse_keeps_its_level(make_matrix):
    """Candidates exactly the margin worse: 2.5 % are called worse, not 5."""
    rng = np.random.default_rng(12)
    d = rng.normal(-MARGIN, 0.05, (REPEATS, 9))
    matrix = make_matrix(np.vstack([np.zeros(9), d]))
    model, *others = matrix.models
    weights = {benchmark.id: 1.0 for benchmark in matrix.benchmarks}
    found = judge(
        model, others, matrix=matrix, weights=weights, categories={}, margin=MARGIN, safety={}
    )
    share = np.mean([one.tier == "worse" for one in found.values()])
    assert abs(share - ALPHA) <= 3 * sqrt(ALPHA * (1 - ALPHA) / REPEATS)


def test_a_pair_that_is_as_good_is_found_with_many_tests():
    rng = np.random.default_rng(3)
    d = rng.normal(0, 0.05, (REPEATS, 87))
    assert np.mean(weighted_means(d, np.ones(87)).p_above(-MARGIN) < ALPHA) > 0.9


def test_the_documents_print_these_shares():
    text = METHODS.read_text("utf-8")
    for basis, words in (("these", "on these tests"), ("other", "on other tests")):
        for n_tests in TESTS:
            likely, shown, take = errors_of(basis, n_tests)
            twenty = one_of(basis, n_tests, 20)
            missed, outside = ranks_of(basis, n_tests)
            shares = " | ".join(
                f"{100 * share:.1f} %" for share in (likely, shown, take, twenty, missed, outside)
            )
            assert f"| {words} | {n_tests} | {shares} |" in text
