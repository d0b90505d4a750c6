"""Ranks: ties, how two orders agree, the Pareto frontier, and win rates."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import rankdata, spearmanr

from core.domain import BadRequestError, Exclusion
from core.statistics.ranks import average_ranks, frontier, order_agreement, win_rates


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
    # What is unknown is neither on it nor beaten nor beats.
    options = [(0.9, nan), (0.2, 1), (nan, 0), (0.1, 2)]
    assert ask(frontier, *options) == [False, True, False, False]
    with pytest.raises(BadRequestError, match="there are 1 and 2"):
        frontier(np.zeros(1), np.zeros(2))


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=1, max_size=25))
def test_the_definition_pair_by_pair(options):
    def dominates(a, b):
        return a[0] >= b[0] and a[1] <= b[1] and a != b

    expected = [not any(dominates(other, one) for other in options) for one in options]
    assert ask(frontier, *options) == expected


def by_model(result):
    return {row.model: row for row in result.rows}


def test_half_ties_and_missing_by_hand(make_matrix):
    # b0: m0 > m1 = m2, b1: only m0 and m1.
    result = win_rates(make_matrix([[0.9, 0.2], [0.5, 0.4], [0.5, nan]]))
    assert [row.model for row in result.rows] == ["m1", "m0", "m2"]
    one, first, last = result.rows
    assert first.win_rate == pytest.approx((1 + 0) / 2)
    assert one.win_rate == pytest.approx((0.25 + 1) / 2)
    assert last.win_rate == pytest.approx(0.25)
    # m0 wins 1 of 2 against m1 and 1 of 1 against m2: population SD of 0.5 and 1.
    assert [row.win_sd for row in result.rows] == pytest.approx([0.25, 0.25, 0])
    assert (first.macro_avg, first.sd) == pytest.approx((0.55, 0.7 / np.sqrt(2)))
    assert [row.n_benchmarks for row in result.rows] == [2, 2, 1]
    assert {(row.ci_low, row.rank_band) for row in result.rows} == {(None, (1, 3))}
    assert last.sd is None


def test_direction_and_scale(make_matrix, make_benchmark):
    benchmarks = [
        make_benchmark("jury", scale_min=1, scale_max=5),
        make_benchmark("harm", scale_max=10, lower_is_better=True),
    ]
    first, last = win_rates(make_matrix([[5, 2], [3, 7]], benchmarks=benchmarks)).rows
    assert (first.model, first.win_rate) == ("m0", 1)
    assert (first.macro_avg, last.macro_avg) == pytest.approx((0.9, 0.4))


def test_skipped_benchmarks_and_excluded_models(make_matrix):
    matrix = make_matrix([[0.9, nan], [0.5, nan], [nan, 0.3], [nan, nan]])
    matrix = replace(matrix, excluded=(Exclusion("q", "why"),))
    result = win_rates(matrix)
    assert result.skipped == ("b1",)
    assert [row.model for row in result.rows] == ["m0", "m1"]
    out = dict.fromkeys(("m2", "m3"), "no score on a benchmark that a rival has too")
    assert {it.model: it.reason for it in result.excluded} == {"q": "why"} | out


def test_category_and_subcategory(make_matrix, make_benchmark):
    benchmarks = [
        make_benchmark("a", category="Notes", subcategory="Visits"),
        make_benchmark("b", category="Notes", subcategory="Letters"),
        make_benchmark("c", category="Research"),
    ]
    matrix = make_matrix([[0.8, 0.2, nan], [0.2, 0.3, 0.4]], benchmarks=benchmarks)
    assert by_model(win_rates(matrix, category="Visits"))["m0"].win_rate == 1
    result = win_rates(matrix, category="Notes")
    assert [row.win_rate for row in result.rows] == [0.5, 0.5]
    assert result.category == "Notes"
    notes, research = result.categories
    assert notes[0] == "Notes"
    assert dict(notes[1]) == pytest.approx({"m0": 0.5, "m1": 0.25})
    assert research == ("Research", (("m0", None), ("m1", 0.4)))
    for unknown in ("Surgery", ""):
        with pytest.raises(BadRequestError, match="it has Notes, Research"):
            win_rates(matrix, category=unknown)


def test_the_interval_is_students_over_the_shares_won(make_matrix):
    """Of 5 models m0 beats 4, 2, 0, 3, 4 and 1 of 4: t.test(c(1, .5, 0, .75, 1, .25)) in R.

    R ends it at 1.0118; nobody wins more than all, so it is cut there.
    """
    rivals = np.tile([[0.1], [0.2], [0.3], [0.4]], 6)
    first = [0.5, 0.25, 0.0, 0.35, 0.5, 0.15]
    row = by_model(win_rates(make_matrix([first, *rivals])))["m0"]
    assert row.win_rate == pytest.approx(3.5 / 6)
    assert (row.ci_low, row.ci_high) == pytest.approx((0.154903027393948, 1.0))
    of_four = by_model(win_rates(make_matrix([first[:4], *rivals[:, :4]])))["m0"]
    assert (of_four.ci_low, of_four.ci_high) == (None, None)


def test_rank_sets_are_of_the_shares_won_and_not_of_the_scores(make_matrix):
    # m0 is ahead on each of 8 benchmarks, by a hair on all but one: its wins are certain. Its
    # scores are not: 11.3 points with an error of 11.2.
    ahead, level = np.array([0.9] + [0.001] * 7), np.full(8, 0.05)
    found = by_model(win_rates(make_matrix([level + ahead, level])))
    assert [found[name].rank_band for name in ("m0", "m1")] == [(1, 1), (2, 2)]
    # On half of 8 either way nothing is certain.
    turns = np.array([0.001, -0.001] * 4)
    found = by_model(win_rates(make_matrix([level + turns, level])))
    assert {row.rank_band for row in found.values()} == {(1, 2)}


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6))
def test_order_of_models_and_empty_models_do_not_matter(make_matrix, seed):
    rng = np.random.default_rng(seed)
    scores = rng.random((6, 5)).round(1)
    scores[rng.random(scores.shape) < 0.2] = nan
    # Two whole columns, so that every model has a rival.
    scores[:, :2] = rng.random((6, 2)).round(1)
    order = rng.permutation(6)
    more, names = np.vstack([scores[order], np.full(5, nan)]), [*(f"m{i}" for i in order), "empty"]
    one, other = win_rates(make_matrix(scores)), win_rates(make_matrix(more, models=names))
    for a, b in zip(one.rows, other.rows, strict=True):
        assert (a.model, a.rank_band) == (b.model, b.rank_band)
        for key in ("win_rate", "win_sd", "ci_low", "macro_avg"):
            assert getattr(a, key) == pytest.approx(getattr(b, key)), key
