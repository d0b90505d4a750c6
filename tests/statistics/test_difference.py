"""Intervals on these and on other tests, differences, side by side, and the ranks of models.

R's figures come from R 4:

    x <- c(0.021, -0.034, 0.012, 0.055, -0.008, 0.027, -0.015)
    y <- c(-0.04, 0.01, -0.06, -0.02, 0.005, -0.03)
"""

from math import inf, sqrt
from operator import itemgetter

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from core.domain import BadRequestError, Difference, Interval, TooFewError
from core.statistics.difference import (
    Gap,
    Means,
    combine,
    difference_at,
    differences,
    on_each_benchmark,
    scores,
    verdict_of,
    weighted_means,
)
from core.statistics.ranks import holm, rank_bands, rank_sets

Z = 1.959963984540054
X = [0.021, -0.034, 0.012, 0.055, -0.008, 0.027, -0.015]
Y = [-0.04, 0.01, -0.06, -0.02, 0.005, -0.03]
nan = np.nan


def difference(matrix, model, other, **options):
    (found,) = differences(matrix, [model], other, **options)
    return found


def other_tests(values, weights=None):
    values = np.array([values], dtype=float)
    return weighted_means(values, np.ones(values.shape[1]) if weights is None else weights)


def ends(interval):
    return interval.ci_low, interval.ci_high


def test_equal_weights_give_the_t_interval_of_r():
    # t.test(x); t.test(x, mu = -0.02, alternative = "greater")
    found = other_tests(X)
    (interval,) = found.intervals(0)
    assert found.mean[0] == pytest.approx(0.00828571428571429)
    assert interval.standard_error == pytest.approx(0.0112370863146786)
    assert (interval.basis, interval.dof) == ("on other tests", pytest.approx(6))
    assert ends(interval) == pytest.approx((-0.0192104453900118, 0.0357818739614403))
    assert found.p_above(-0.02)[0] == pytest.approx(0.0227301272931074)


@pytest.mark.parametrize(
    ("weights", "effective"),
    [
        ([1] * 5, 5),
        ([1] * 4, 4),
        # J = 25 / 5 = 5 by five alike, and a sixth of weight 0 is none.
        ([1, 1, 1, 1, 1, 0], 5),
        # J = 36 / (4 + 4) = 4.5 effective tests out of five.
        ([2, 1, 1, 1, 1], 4.5),
        # J = 64 / (4 + 4 + 4) = 5.33 out of six, J = 64 / (4 + 6) = 6.4 out of seven.
        ([2, 2, 1, 1, 1, 1], 64 / 12),
        ([2, 1, 1, 1, 1, 1, 1], 6.4),
    ],
)
def test_uneven_weights_count_as_effective_tests_and_five_say_something(weights, effective):
    found = other_tests(X[: len(weights)], np.array(weights, dtype=float))
    if effective < 5:
        assert (found.basis, found.intervals(0)) == (("none",), ())
        assert np.isnan(found.ends).all()
        assert found.p_above(-1.0)[0] == 1  # without a basis it can show nothing
        return
    assert found.basis == ("on other tests",)
    assert found.intervals(0)[0].dof == pytest.approx(effective - 1)


def test_item_errors_add_in_squares_by_hand(make_matrix):
    matrix = make_matrix(
        [[0.8, 0.6, nan], [0.7, 0.7, 0.9]], standard_errors=[[0.03, 0.01, nan], [0.04] * 3]
    )
    found = difference(matrix, "m0", "m1", weights={"b0": 3, "b1": 1, "b2": 5})
    # 3/4 of 0.1 minus 1/4 of 0.1; errors 0.05 and √0.0017.
    half = Z * sqrt((0.75 * 0.05) ** 2 + 0.25**2 * 0.0017)
    assert found.difference == pytest.approx(0.05)
    assert (found.ci_low, found.ci_high) == pytest.approx((0.05 - half, 0.05 + half))
    assert (found.basis, found.n_benchmarks) == ("on these tests", 2)
    (interval,) = found.intervals  # two tests say nothing of others
    assert interval.dof == inf


def test_one_missing_item_error_leaves_no_answer_on_these_tests(make_matrix):
    errors = [[0.01] * 6, [0.01] * 5 + [nan]]
    matrix = make_matrix([[0.5] * 6, [0.4, 0.5, 0.4, 0.3, 0.4, 0.4]], standard_errors=errors)
    assert difference(matrix, "m0", "m1").basis == "on other tests"
    without = {f"b{j}": 1 for j in range(5)}
    assert difference(matrix, "m0", "m1", weights=without).basis == "on these tests"
    assert difference(matrix, "m0", "m1", weights={"b0": 1, "b5": 1}).basis == "none"
    # A weight of 0 is as if the test were not there.
    assert difference(matrix, "m0", "m1", weights=without | {"b5": 0}).basis == "on these tests"


def test_metrics_of_the_same_items_add_as_they_are(make_matrix, make_benchmark):
    """Errors .03, .06, .04; a and b of the same items, thirds each: √((.03 + .06)² + .04²) / 3."""
    benchmarks = [
        make_benchmark("a", same_items="cases"),
        make_benchmark("b", same_items="cases"),
        make_benchmark("c"),
    ]
    errors = [[0.03, 0.06, 0.04], [0.03, 0.03, 0.02]]
    matrix = make_matrix([[0.5] * 3] * 2, standard_errors=errors, benchmarks=benchmarks)
    same = scores(matrix).standard_error[0, 0]
    assert same == pytest.approx(sqrt(0.09**2 + 0.04**2) / 3)
    # Without a and of uneven weights: (2 × .06)² + .04², over 3.
    found = scores(matrix, {"b": 2, "c": 1}).standard_error[0, 0]
    assert found == pytest.approx(sqrt(0.12**2 + 0.04**2) / 3)
    # Of two models, each adds up its own before the squares: .09 and .06, then .04 and .02.
    gap = difference(matrix, "m0", "m1").intervals[0].standard_error
    assert gap == pytest.approx(sqrt(0.09**2 + 0.06**2 + 0.04**2 + 0.02**2) / 3)


def test_errors_of_runs_are_in_no_interval(make_matrix, make_benchmark):
    runs = [make_benchmark(f"b{j}", error_of="runs") for j in range(6)]
    for n, basis in ((6, "on other tests"), (2, "none")):
        errors = [[0.001] * n]
        matrix = make_matrix([[0.5] * n], standard_errors=errors, benchmarks=runs[:n])
        assert scores(matrix).basis == (basis,)


@pytest.mark.parametrize("score", [0.0, 1.0])
def test_items_all_alike_reach_the_end_of_wilsons_interval(make_matrix, make_benchmark, score):
    """Every one of 25 right, or none: scipy's Wilson interval ends at 86.7, or at 13.3 %."""
    exam = make_benchmark("exam", item_mean=True, n_items=25)
    found = scores(make_matrix([[score]], standard_errors=[[0.0]], benchmarks=[exam]))
    wilson = stats.binomtest(round(25 * score), 25).proportion_ci(method="wilson")
    low, high = found.ends
    assert low[0] == pytest.approx(wilson.low if score else -wilson.high)
    assert high[0] == pytest.approx(2 - wilson.low if score else wilson.high)


def test_p_values_and_ends_of_either_basis_are_those_of_scipy():
    rng = np.random.default_rng(4)
    values, weights = rng.normal(0, 0.05, (3, 8)), rng.uniform(1, 2, 8)
    found = weighted_means(values, weights, [np.full((3, 8), 0.04)] * 2)
    w = weights / weights.sum()
    mean = values @ w
    dof = 1 / (w**2).sum() - 1
    spread = (w**2 * (values - mean[:, None]) ** 2).sum(axis=1) / (1 - (w**2).sum())
    items = stats.norm(mean, 0.04 * sqrt(2) * sqrt((w**2).sum()))
    tests = stats.t(dof, mean, np.sqrt(spread))
    for of, known in ((found, items), (found.weaker(), tests)):
        np.testing.assert_allclose(of.ends, known.interval(0.95))
        np.testing.assert_allclose(of.p_above(0.01), known.cdf(0.01))
    # The weaker of one basis is none.
    alone = weighted_means(values, weights).weaker()
    assert np.isnan(alone.ends).all()
    assert alone.p_above(-1).tolist() == [1, 1, 1]
    # An error of 0 decides by the sign alone. 10 points worse, and exactly 2: neither shows that
    # it is above −2.
    found = weighted_means(np.array([[-0.1], [-0.02], [0.1]]), np.ones(1), [np.zeros((3, 1))])
    assert found.p_above(-0.02).tolist() == [1.0, 0.5, 0.0]


def test_scores_by_hand(make_matrix):
    matrix = make_matrix(
        [[0.8, 0.4, 0.6], [0.8, nan, nan], [nan] * 3, [0.5, 0.5, 0.5]],
        standard_errors=[[0.03, 0.04, 0.06], [nan] * 3, [nan] * 3, [0.1, nan, 0.1]],
    )
    found = scores(matrix, {"b0": 1, "b1": 1, "b2": 2})
    np.testing.assert_allclose(found.mean, [0.6, 0.8, nan, 0.5])
    half = Z * 0.13 / 4  # √(.03² + .04² + (2 × .06)²), over 4
    low, high = found.ends
    np.testing.assert_allclose(low, [0.6 - half, nan, nan, nan])
    np.testing.assert_allclose(high, [0.6 + half, nan, nan, nan])
    assert found.basis == ("on these tests", "none", "none", "none")
    assert found.n_benchmarks.tolist() == [3, 1, 0, 3]


def test_weights_and_margins_are_checked(make_matrix):
    matrix = make_matrix([[0.1], [0.2]])
    for weights, said in (
        *(({"b0": weight}, "weight must be") for weight in (-1.0, nan, inf)),
        *((none, "weight above 0") for none in ({}, {"b0": 0.0}, {"other": 1.0})),
    ):
        with pytest.raises(BadRequestError, match=said):
            scores(matrix, weights)
    with pytest.raises(BadRequestError, match="no model m9"):
        difference(matrix, "m0", "m9")
    for margin in (-0.01, nan):
        with pytest.raises(BadRequestError, match="margin"):
            verdict_of(given_difference(-0.1, 0.1), margin)


def given_difference(low, high):
    found = () if low is None else (Interval("on these tests", 0.01, inf, low, high),)
    return Difference("x", "y", 0.0, 2, found)


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (-0.01, 0.03, "equivalent"),
        (-0.02, 0.03, "cannot tell"),
        (0.01, 0.03, "equivalent"),
        (-0.05, -0.03, "worse"),
        (-0.05, -0.02, "cannot tell"),
        (-0.05, 0.05, "cannot tell"),
        (None, None, "cannot tell"),
    ],
)
def test_verdict(low, high, expected):
    assert verdict_of(given_difference(low, high), 0.02) == expected


def means(mean, items, tests, n=5):
    """The difference of one pair in one suite: error and degrees of freedom by either basis."""
    errors, dofs = np.array([items, tests], dtype=float).T[:, :, None]
    return Means(np.array([mean]), np.array([n]), errors, dofs)


def test_two_suites_by_their_own_tests_are_as_welch_satterthwaite_in_r():
    # w <- t.test(x, -y); w$conf.int / 2; w$parameter; w$stderr / 2; the halves, since each suite
    # has one vote of two. t.test(x, -y, mu = -0.04, alternative = "greater")$p.value
    found = combine([other_tests(X), other_tests(Y)])
    (interval,) = found.intervals(0)
    assert found.mean[0] == pytest.approx(-0.00710714285714286)
    assert interval.dof == pytest.approx(10.9551727013437)
    assert interval.standard_error == pytest.approx(0.00783988906453514)
    assert ends(interval) == pytest.approx((-0.0243712407982696, 0.0101569550839839))
    assert found.p_above(-0.02)[0] == pytest.approx(0.0642145659422241)
    assert found.n_benchmarks.tolist() == [13]


NONE = (nan, nan)


def test_a_basis_stays_only_where_every_suite_has_it():
    both = means(0.1, (0.03, inf), (0.05, 6))
    items, tests = means(0.3, (0.04, inf), NONE), means(0.3, NONE, (0.05, 4))
    found = combine([both, items])
    assert found.mean[0] == pytest.approx(0.2)
    assert found.standard_error[:, 0] == pytest.approx([0.05 / 2, nan], nan_ok=True)
    assert found.dof[0, 0] == inf
    assert combine([both, tests]).basis == ("on other tests",)
    assert combine([items, tests]).basis == ("none",)
    # A suite in which two models share nothing has no vote.
    sure, silent = means(0.1, (0.03, inf), NONE), means(nan, NONE, NONE, n=0)
    found = combine([sure, silent])
    assert (found.mean[0], found.standard_error[0, 0]) == pytest.approx((0.1, 0.03))
    assert found.n_benchmarks.tolist() == [5]
    nothing = combine([silent, silent])
    assert (np.isnan(nothing.mean[0]), nothing.basis) == (True, ("none",))
    assert difference_at(nothing, 0, "x", "y") == Difference("x", "y", None, 0)
    assert combine([sure]) is sure


@pytest.mark.parametrize(
    ("p", "adjusted"),
    [
        # p.adjust(p, "holm") of R. Sorted .005 × 6, .01 × 5, .03 × 4, .04 × 3 raised to .12, …
        ([0.01, 0.04, 0.03, 0.005, 0.2, 0.6], [0.05, 0.12, 0.12, 0.03, 0.4, 0.6]),
        ([0.3, 0.3, 0.02, 0.9], [0.9, 0.9, 0.08, 0.9]),
        ([0.7, 0.6], [1.0, 1.0]),
        ([0.024], [0.024]),
        ([], []),
    ],
)
def test_holm(p, adjusted):
    assert holm(np.array(p, dtype=float)).tolist() == pytest.approx(adjusted)


def two_sided(values, weights, errors, items):
    """The gap of two rows in scores and its p-value, as scipy has it; 1 where nothing is known."""
    both = [j for j, w in enumerate(weights) if w > 0 and not np.isnan(values[:, j]).any()]
    if not both:
        return 0, 1.0
    w = weights[both] / weights[both].sum()
    d = values[0, both] - values[1, both]
    gap, effective, variance = float(w @ d), 1 / (w**2).sum(), nan
    if errors is not None:
        shares = pd.DataFrame((w * errors[:, both]).T)
        sums = shares.groupby([items[j] or str(j) for j in both]).sum(min_count=1)
        variance = nan if shares.isna().any(axis=None) else (sums**2).to_numpy().sum()
    if not np.isnan(variance):
        return gap, 2 * stats.norm.sf(abs(gap) / sqrt(variance))
    if effective < 5 - 1e-9:
        return gap, 1.0
    spread = (w**2 * (d - gap) ** 2).sum() / (1 - 1 / effective)
    if not spread:
        return gap, float(abs(gap) < 1e-9)
    return gap, 2 * stats.t.sf(abs(gap) / sqrt(spread), effective - 1)


P = itemgetter(1)


def by_brute_force(values, weights, errors, items):
    """Rank sets pair by pair: Holm's rule at 5 % over the two-sided p-values, and counting."""
    n, found = len(values), []
    for i in range(n):
        rows = ([i, k] for k in range(n) if k != i)
        pairs = [
            two_sided(values[row], weights, None if errors is None else errors[row], items)
            for row in rows
        ]
        above = below = 0
        for left, (gap, p) in zip(range(n - 1, 0, -1), sorted(pairs, key=P), strict=True):
            if p * left >= 0.05:
                break
            above += gap < 0
            below += gap > 0
        found.append((1 + above, n - below))
    return found


@pytest.mark.slow
@pytest.mark.parametrize("missing", [0.15, 0.0], ids=["scores missing", "nothing missing"])
@pytest.mark.parametrize("seed", range(12))
def test_rank_sets_are_those_of_brute_force(seed, missing):
    """Missing scores, missing errors, shared items and uneven weights: bases mix in one table.

    Where nothing is missing all pairs are compared alike, those of equal rows too.
    """
    rng = np.random.default_rng(seed)
    n, b = 14, 9
    skill = np.linspace(0, 0.3, n)[:, None]
    values = 0.4 + skill + rng.normal(0, 0.03 + 0.02 * (seed % 3), (n, b))
    values[3], values[5] = values[2], values[4] + 0.05
    values[rng.random((n, b)) < missing] = nan
    weights = rng.uniform(0.5, 1.5, b)
    weights[0] = 0.0
    errors = rng.uniform(0.01, 0.04, (n, b))
    errors[rng.random((n, b)) < missing / 3] = nan
    items = ["", "cases", "cases", "", "notes", "notes", "", "", ""]
    for known in (None, errors):
        found = rank_sets(values, weights, known, items)
        assert found == by_brute_force(values, weights, known, items)
        assert len(set(found)) > 3


def of_one_test(make_matrix, *scores):
    errors = np.full((len(scores), 1), 0.01)
    return rank_bands(make_matrix([[score] for score in scores], standard_errors=errors), None)


def test_rank_sets_by_hand(make_matrix):
    # A difference of 3 points has z = 3 / √2 = 2.12, p = .034; of 5 3.54, p = .0004; of 8 more.
    # Four rows make three tests each. First: .034 alone is above .05 / 1? It is tested last, with
    # one left, and .034 < .05: all three are below it. Second: the same with its neighbour.
    found = of_one_test(make_matrix, 0.90, 0.87, 0.82, 0.50)
    assert found == [(1, 1), (2, 2), (3, 3), (4, 4)]
    # With 2.5 points z = 1.77, p = .077: the first two cannot be told apart, in either row.
    found = of_one_test(make_matrix, 0.90, 0.875, 0.82, 0.50)
    assert found == [(1, 2), (1, 2), (3, 3), (4, 4)]
    # Five are 3 points below, p = .034 each: none is below .05 / 5, so nothing is shown. A pair
    # alone is.
    assert of_one_test(make_matrix, 0.90, *[0.87] * 5) == [(1, 6)] * 6
    assert of_one_test(make_matrix, 0.90, 0.87) == [(1, 1), (2, 2)]
    # Without any basis all ranks are possible.
    assert rank_sets(np.array([[0.9], [0.1]]), np.ones(1)) == [(1, 2), (1, 2)]
    assert rank_sets(np.full((2, 5), 0.3), np.ones(5)) == [(1, 2), (1, 2)]
    assert rank_sets(np.array([[0.9] * 4]), np.ones(4)) == [(1, 1)]
    assert rank_sets(np.empty((0, 3)), np.ones(3)) == []
    # A row without a score may have any.
    values = np.array([[0.9] * 6, [nan] * 6, [0.1, 0.12, 0.1, 0.09, 0.1, 0.1]])
    assert rank_sets(values, np.ones(6)) == [(1, 2), (1, 3), (2, 3)]


@pytest.fixture
def matrix(make_matrix, make_benchmark):
    """Clear, unclear, without standard error, missing, and a jury score on 1 to 5."""
    benchmarks = [make_benchmark(f"b{j}") for j in range(4)]
    benchmarks.append(make_benchmark("jury", scale_min=1, scale_max=5))
    errors = [[0.03, 0.03, nan, nan, 0.12], [0.04, 0.04, 0.01, 0.01, 0.16], [0.01] * 5]
    rows = [[0.5, 0.5, 0.5, nan, 3], [0.6, 0.51, 0.4, 0.7, 2], [0.5, 0.5, 0.5, 0.5, 3]]
    return make_matrix(rows, standard_errors=errors, benchmarks=benchmarks)


def test_side_by_side_by_hand(matrix):
    (pair,) = on_each_benchmark(matrix, ["m0", "m1"]).pairs
    assert (pair.model, pair.other) == ("m1", "m0")
    clear, unclear, bare, missing, jury = pair.gaps
    # √(.03² + .04²) = .05, and 1.96 of it is .098.
    assert (clear.difference, clear.standing) == (pytest.approx(0.1), "better")
    assert (clear.ci_low, clear.ci_high) == pytest.approx((0.002, 0.198), abs=1e-4)
    assert (unclear.standing, unclear.ci_low) == ("cannot tell", pytest.approx(-0.088, abs=1e-4))
    assert bare == Gap("b2", pytest.approx(-0.1), None, None, "no interval")
    assert missing == Gap("b3", None, None, None, "not measured")
    # −1 on a scale 4 wide is −.25; √(.12² + .16²)/4 = .05.
    assert (jury.difference, jury.standing) == (pytest.approx(-0.25), "worse")
    assert (jury.ci_low, jury.ci_high) == pytest.approx((-0.348, -0.152), abs=1e-4)
    # Counts and overall.
    assert (pair.n_shared, pair.n_with_interval) == (4, 3)
    assert (pair.n_ahead(), pair.n_behind()) == (2, 2)
    assert (pair.n_ahead(clearly=True), pair.n_behind(clearly=True)) == (1, 1)
    assert pair.overall.difference == pytest.approx((0.1 + 0.01 - 0.1 - 0.25) / 4)
    (weighted,) = on_each_benchmark(matrix, ["m0", "m1"], {"b0": 3, "b1": 1}).pairs
    assert weighted.overall.difference == pytest.approx((3 * 0.1 + 0.01) / 4)
    assert weighted.overall.basis == "on these tests"
    # Independent errors add in squares: √(9 · .05² + .05²)/4.
    assert weighted.overall.ci_low == pytest.approx(0.0775 - 1.96 * np.sqrt(0.025) / 4, abs=1e-5)
    # Every model is compared with the first.
    found = on_each_benchmark(matrix, ["m2", "m0", "m1", "m0"])
    assert found.scores.models == ("m2", "m0", "m1")
    assert [(pair.model, pair.other) for pair in found.pairs] == [("m0", "m2"), ("m1", "m2")]
    assert found.normalised[:, 4] == pytest.approx([0.5, 0.5, 0.25])
    assert (found.pairs[0].n_ahead(), found.pairs[0].n_behind()) == (0, 0)


def test_errors(matrix, make_matrix):
    many = make_matrix(np.zeros((6, 1)))
    for scored, models, error, said in (
        *((matrix, models, TooFewError, "at least two") for models in ([], ["m0"], ["m0", "m0"])),
        (matrix, ["m0", "q"], BadRequestError, "no model q"),
        (many, many.models, BadRequestError, "At most 5"),
    ):
        with pytest.raises(error, match=said):
            on_each_benchmark(scored, models)
