"""Win rates by hand, with ties, gaps and few rivals."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.domain import BadRequestError, Exclusion
from core.statistics.ranks import win_rates

nan = np.nan


def by_model(result):
    return {row.model: row for row in result.rows}


def test_half_ties_and_missing_by_hand(make_matrix):
    # b0: m0 > m1 = m2, b1: only m0 and m1.
    result = win_rates(make_matrix([[0.9, 0.2], [0.5, 0.4], [0.5, nan]]))
    rows = by_model(result)
    assert [row.model for row in result.rows] == ["m1", "m0", "m2"]
    assert rows["m0"].win_rate == pytest.approx((1 + 0) / 2)
    assert rows["m1"].win_rate == pytest.approx((0.25 + 1) / 2)
    assert rows["m2"].win_rate == pytest.approx(0.25)
    # m0 wins 1 of 2 against m1 and 1 of 1 against m2: population SD of 0.5 and 1.
    assert rows["m0"].win_sd == pytest.approx(0.25)
    assert rows["m1"].win_sd == pytest.approx(0.25)
    assert rows["m2"].win_sd == pytest.approx(0)
    assert rows["m0"].macro_avg == pytest.approx(0.55)
    assert rows["m0"].sd == pytest.approx(0.7 / np.sqrt(2))
    assert rows["m2"].sd is None
    assert [row.n_benchmarks for row in result.rows] == [2, 2, 1]
    assert all(row.ci_low is None for row in result.rows)
    assert all(row.rank_band == (1, 3) for row in result.rows)


def test_direction_and_scale(make_matrix, make_benchmark):
    benchmarks = [
        make_benchmark("jury", scale_min=1, scale_max=5),
        make_benchmark("harm", scale_max=10, lower_is_better=True),
    ]
    result = win_rates(make_matrix([[5, 2], [3, 7]], benchmarks=benchmarks))
    assert by_model(result)["m0"].win_rate == 1
    assert by_model(result)["m0"].macro_avg == pytest.approx(0.9)
    assert by_model(result)["m1"].macro_avg == pytest.approx(0.4)


def test_skipped_benchmarks_and_excluded_models(make_matrix):
    matrix = make_matrix([[0.9, nan], [0.5, nan], [nan, 0.3], [nan, nan]])
    matrix = replace(matrix, excluded=(Exclusion("q", "why"),))
    result = win_rates(matrix)
    assert result.skipped == ("b1",)
    assert [row.model for row in result.rows] == ["m0", "m1"]
    reason = "no score on a benchmark that a rival has too"
    assert result.excluded == (
        Exclusion("q", "why"),
        Exclusion("m2", reason),
        Exclusion("m3", reason),
    )


@pytest.fixture
def two_categories(make_matrix, make_benchmark):
    benchmarks = [
        make_benchmark("a", category="Notes", subcategory="Visits"),
        make_benchmark("b", category="Notes", subcategory="Letters"),
        make_benchmark("c", category="Research"),
    ]
    return make_matrix([[0.8, 0.2, nan], [0.2, 0.3, 0.4]], benchmarks=benchmarks)


def test_category_and_subcategory(two_categories):
    assert by_model(win_rates(two_categories, category="Visits"))["m0"].win_rate == 1
    result = win_rates(two_categories, category="Notes")
    assert [row.win_rate for row in result.rows] == [0.5, 0.5]
    assert result.category == "Notes"
    notes, research = result.categories
    assert notes[0] == "Notes"
    assert dict(notes[1]) == pytest.approx({"m0": 0.5, "m1": 0.25})
    assert research == ("Research", (("m0", None), ("m1", 0.4)))


@pytest.mark.parametrize("category", ["Surgery", ""])
def test_unknown_category(two_categories, category):
    with pytest.raises(BadRequestError, match="it has Notes, Research"):
        win_rates(two_categories, category=category)


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
    one = win_rates(make_matrix(scores))
    other = win_rates(
        make_matrix(
            np.vstack([scores[order], np.full(5, nan)]), models=[*(f"m{i}" for i in order), "empty"]
        )
    )
    assert [row.model for row in one.rows] == [row.model for row in other.rows]
    for a, b in zip(one.rows, other.rows, strict=True):
        assert a.rank_band == b.rank_band
        assert a.win_rate == pytest.approx(b.win_rate)
        assert a.win_sd == pytest.approx(b.win_sd)
        assert a.ci_low == pytest.approx(b.ci_low)
        assert a.macro_avg == pytest.approx(b.macro_avg)
