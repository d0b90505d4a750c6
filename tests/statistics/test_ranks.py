"""Ranks: ties, how two orders agree, and the Pareto frontier."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import rankdata, spearmanr

from core.domain import BadRequestError
from core.statistics.ranks import average_ranks, dominated_by, frontier, order_agreement


@given(
    arrays(
        float,
        st.tuples(st.integers(1, 9), st.integers(1, 4)),
        elements=st.sampled_from([0.1, 0.2, 0.3, np.nan]),
    )
)
def test_missing_values_take_no_rank(values):
    expected = rankdata(values, axis=0, nan_policy="omit")
    np.testing.assert_array_equal(average_ranks(values), expected)


def agreement(x, y):
    return order_agreement(np.array(x, float), np.array(y, float))


def test_by_hand():
    # Σd² = 4, so ρ = 1 − 6 · 4/(5 · 24) = 0.8, and s = √((1 + .32)/2).
    found = agreement([1, 2, 3, 4, 5], [20, 10, 40, 30, 50])
    assert (found.n_models, found.rho) == (5, pytest.approx(0.8))
    half = 1.959963984540054 * math.sqrt(0.66)
    expected = math.tanh(math.atanh(0.8) - half), math.tanh(math.atanh(0.8) + half)
    assert (found.ci_low, found.ci_high) == pytest.approx(expected)
    assert (found.ci_low, found.ci_high) == pytest.approx((-0.457124, 0.990843), abs=1e-6)
    assert found.says == "cannot tell"
    # Few models, and a constant order.
    assert agreement([1, 2], [1, 2]).rho is None
    three = agreement([1, 2, 3], [1, 3, 2])
    assert (three.rho, three.ci_low, three.says) == (pytest.approx(0.5), None, "too few models")
    assert agreement([1, 2, 3, 4], [1, 2, 4, 3]).ci_low is None
    assert agreement([1, 2, 3, 4, 5], [7, 7, 7, 7, 7]).rho is None


def test_ties_have_their_mean_rank():
    rng = np.random.default_rng(4)
    for _ in range(5):
        x, y = rng.integers(0, 4, size=(2, 12)).astype(float)
        assert agreement(x, y).rho == pytest.approx(spearmanr(x, y).statistic)


def test_disagree_only_where_the_interval_excludes_zero():
    values = np.arange(12.0)
    nearly = values.copy()
    nearly[[0, 1]] = nearly[[1, 0]]
    assert agreement(values, nearly).says == "agree"
    assert agreement(values, -nearly).says == "disagree"
    assert agreement(values, -np.roll(values, 5)).says == "cannot tell"
    for sign in (1, -1):  # the same order has no end on the scale
        found = agreement(values, sign * values)
        assert (found.rho, found.ci_low, found.ci_high) == (pytest.approx(sign), None, None)


@pytest.mark.parametrize(("n", "r"), [(10, 0.0), (10, 0.7), (20, -0.5)])
def test_the_interval_holds_the_true_value_in_95_of_100(n, r):
    """Of two normal scores with correlation r, the true ρ is 6/π · arcsin(r/2)."""
    rng = np.random.default_rng(n)
    true, held = 6 / math.pi * math.asin(r / 2), 0
    for _ in range(1000):
        x = rng.normal(size=n)
        found = order_agreement(x, r * x + math.sqrt(1 - r * r) * rng.normal(size=n))
        held += found.ci_low is None or found.ci_low <= true <= found.ci_high
    # Three standard errors of 1,000 draws are 2.1 points.
    assert held / 1000 >= 0.95 - 0.021


nan = np.nan


def ask(function, *options):
    quality, cost = (np.array(column, dtype=float) for column in zip(*options, strict=True))
    return function(quality, cost).tolist()


def test_the_frontier_by_hand():
    # Cheap and weak, dear and strong, between them, dearer than between yet weaker, and as
    # strong as the strongest but dearer.
    options = [(0.2, 1), (0.9, 10), (0.6, 3), (0.5, 4), (0.9, 11)]
    assert ask(frontier, *options) == [True, True, True, False, False]
    assert ask(dominated_by, *options) == [-1, -1, -1, 2, 1]
    # What is unknown is neither on it nor beaten nor beats.
    options = [(0.9, nan), (0.2, 1), (nan, 0), (0.1, 2)]
    assert ask(frontier, *options) == [False, True, False, False]
    assert ask(dominated_by, *options) == [-1, -1, -1, 1]
    with pytest.raises(BadRequestError, match="there are 1 and 2"):
        frontier(np.zeros(1), np.zeros(2))


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=1, max_size=25))
def test_the_definition_pair_by_pair(options):
    def dominates(a, b):
        return a[0] >= b[0] and a[1] <= b[1] and a != b

    expected = [not any(dominates(other, one) for other in options) for one in options]
    assert ask(frontier, *options) == expected
    for one, on, by in zip(options, expected, ask(dominated_by, *options), strict=True):
        assert (by == -1) == on
        if not on:
            assert expected[by]
            assert dominates(options[by], one)
            assert options[by][0] == max(o[0] for o in options if o[1] <= one[1])
