"""Two runs item by item: hand-worked values, published tables, and calibration by simulation."""

from dataclasses import replace
from math import comb, sqrt

import numpy as np
import pytest
from scipy.stats import t as student

from core.domain import ItemErrors, TooFewError
from core.statistics import items
from core.statistics.difference import differences, gaps, scores, side_by_side
from core.statistics.ranks import holm, rank_bands

A = np.array([1.0, 1.0, 0.0, 1.0])
B = np.array([1.0, 0.0, 0.0, 0.0])


def test_a_pair_by_hand():
    found = items.paired_difference(A, B)
    # Differences 0, 1, 0, 1: mean 1/2, variance 1/3, so the error is √(1/3/4).
    assert (found.mean_a, found.mean_b, found.difference) == (0.75, 0.25, 0.5)
    assert (found.standard_error, found.dof) == pytest.approx((sqrt(1 / 12), 3))
    assert found.ci_high == pytest.approx(0.5 + 3.182446305 * sqrt(1 / 12))
    # Sums of d − 1/2 in clusters {0, 1} and {2, 3} are 0 and 0; in {0, 2} and {1, 3} −1 and 1.
    assert items.paired_difference(A, B, clusters=np.array([0, 0, 1, 1])).standard_error == 0
    found = items.paired_difference(A, B, clusters=np.array([0, 1, 0, 1]))
    assert (found.standard_error, found.dof) == pytest.approx((sqrt(2 * (1 + 1)) / 4, 1))
    assert items.paired_difference(A[:1], B[:1]).standard_error is None
    with pytest.raises(TooFewError, match="no item in common"):
        items.paired_difference(A[:0], B[:0])


def test_benchmarks_weigh_alike_by_hand(make_matrix):
    blocks = [np.stack([B, A]), np.array([[0.0, 0.0], [1.0, 0.0]])]
    (found,) = differences(with_items(make_matrix, blocks), ["b"], "a")
    # Half of each: 1/2 and 1/2, with squared errors 1/12 and 1/4, of 3 and 1 degrees.
    assert found.difference == 0.5
    assert found.strongest.standard_error == pytest.approx(sqrt(1 / 12 + 1 / 4) / 2)
    assert found.strongest.dof == pytest.approx((1 / 3) ** 2 / ((1 / 12) ** 2 / 3 + (1 / 4) ** 2))
    # Score test: shares of 1/2 and 0 of 1/(1/4/4 + 1/4/2) items. Student's t is wider below.
    low = items.score_interval(8 / 6, 0, 16 / 6)[0]
    half = student.ppf(0.975, found.strongest.dof) * found.strongest.standard_error
    assert (found.ci_low, found.ci_high) == pytest.approx((min(low, 0.5 - half), 0.5 + half))


def test_weights_by_item_leave_the_counts_as_they_are(make_matrix):
    rng = np.random.default_rng(4)
    level = rng.random(40)
    blocks = [(rng.random((2, n)) < level[:n]).astype(float) for n in (40, 10)]
    matrix = with_items(make_matrix, blocks)
    names = [benchmark.id for benchmark in matrix.benchmarks]
    weights = dict(zip(names, (40, 10), strict=True))
    found = gaps(matrix, np.array([1]), np.array([0]), weights=weights)
    d = np.concatenate([x[1] - x[0] for x in blocks])
    expected = [(d > 0).mean(), (d < 0).mean(), 50]
    assert found.shares[:, 0] == pytest.approx(np.array(expected))


def test_alike_throughout_is_open(make_matrix):
    (found,) = differences(with_items(make_matrix, [np.ones((2, 25))]), ["b"], "a")
    assert found.strongest.standard_error == 0
    assert (found.ci_low, found.ci_high) == pytest.approx((-0.13319225, 0.13319225), abs=1e-8)


def test_two_runs_are_compared_on_what_both_have():
    nan = float("nan")
    scores = np.array([[1, 0, 1, nan], [1, 1, 0, 0], [nan, nan, nan, 1]])
    variance, gains, n = items.pair_errors(scores)
    assert n.tolist()[:2] == [[3, 3, pytest.approx(nan, nan_ok=True)], [3, 4, 1]]
    # Their own means: 2/3 and 1/2.
    assert np.diagonal(gains).tolist() == pytest.approx([2 / 3, 1 / 2, 1])
    assert np.diagonal(variance)[:2].tolist() == pytest.approx([(2 / 3) * (1 / 3) / 2, 1 / 4 / 3])
    # Differences 0, −1, 1: mean 0 and variance 1; each gains 1/3.
    assert variance[0, 1] == variance[1, 0] == pytest.approx(1 / 3)
    assert gains[0, 1] == gains[1, 0] == pytest.approx(1 / 3)
    assert np.isnan(variance[2]).all()
    assert (gains[1, 2], gains[2, 1]) == (0, 1)


def test_clusters_of_uneven_size_are_fewer_than_their_number():
    # Sums of d in {0, 1, 2} and {3}: 1 and 1; of 4 items 16/(9 + 1) clusters.
    variance, gains, n = items.pair_errors(np.stack([A, B]), np.array([0, 0, 0, 1]))
    assert n[0, 1] == pytest.approx(1.6)
    assert (gains[0, 1], gains[1, 0]) == (0.5, 0)
    assert variance[0, 1] == pytest.approx(2 * (0.5**2 + 0.5**2) / 16)
    # What one cluster gains in one item and loses in another is neither.
    assert items.pair_errors(np.stack([A, B]), np.array([0, 1, 1, 1]))[1][1, 0] == 0


def test_counts_and_exact_mcnemar():
    found = items.right_wrong(A, B)
    assert (found.both, found.only_a, found.only_b, found.neither) == (1, 2, 0, 1)
    assert (found.discordance, found.mcnemar_p) == (0.5, 0.5)
    assert items.right_wrong(A, B / 2) is None
    for only_a, only_b, p in (
        (0, 0, 1.0),
        (3, 3, 1.0),
        (0, 6, 2 / 64),
        (5, 15, 0.04138946533203125),  # R: binom.test(5, 20)$p.value
        (49, 40, 2 * sum(comb(89, k) for k in range(41)) / 2**89),
    ):
        assert items.mcnemar_p(only_a, only_b) == pytest.approx(p, rel=1e-9)
        assert items.mcnemar_p(only_b, only_a) == pytest.approx(p, rel=1e-9)


# By R, a likelihood restricted to the difference and maximised by optimize(), its score statistic
# solved by uniroot(); 1 and 7 of 21 are printed as −0.517 to −0.026 by Fagerland, Lydersen and
# Laake (Statistics in Medicine 33, 2014), 40 and 20 of 160 are the example of PropCIs' scoreci.mp.
SCORE_INTERVALS = [
    (1, 7, 21, -0.51723228, -0.02600303),
    (40, 20, 160, 0.03086453, 0.21806424),
    (6, 16, 161, -0.12402343, -0.00543340),
    (3, 0, 25, -0.02917532, 0.29955794),
    (2.5, 0.75, 40, -0.06676373, 0.16731390),
    (0, 0, 25, -(1.959963984540054**2) / (25 + 1.959963984540054**2), 0.13319225),
    (25, 0, 25, 0.7336154981, 1.0),
]


def test_the_score_interval_is_that_of_other_software():
    *counts, low, high = np.array(SCORE_INTERVALS).T
    assert np.array(items.score_interval(*counts)) == pytest.approx(np.array([low, high]), abs=1e-8)
    only_a, only_b, n = counts
    swapped = items.score_interval(only_b, only_a, n)
    assert np.array(swapped) == pytest.approx(np.array([-high, -low]), abs=1e-8)
    assert np.isnan(items.score_interval(float("nan"), 1.0, 3)).all()


def test_the_score_test_takes_parts_of_items():
    found = items.score_p(
        np.array([8, 2.5, 3]), np.array([2, 0.75, 0]), np.array([50, 40, 25]), 0.02
    )
    assert found[1] == pytest.approx(0.0933529975, rel=1e-7)
    assert items.score_p(3, 0, 25, -0.1) == pytest.approx(0.3694413402, rel=1e-7)
    assert items.score_p(0, 0, 25, 0) == 0.5


def with_items(make_matrix, per_benchmark):
    """A matrix of models a, b, c … by benchmarks from item scores (models, items)."""
    n = len(per_benchmark[0])
    means = np.array([np.nanmean(values, axis=1) for values in per_benchmark]).T
    matrix = make_matrix(means, models="abcdefghijkl"[:n])
    rows = np.arange(n)
    errors = items.item_errors(n, [(rows, values, None) for values in per_benchmark])
    return replace(matrix, items=errors)


@pytest.fixture
def three(make_matrix):
    rng = np.random.default_rng(5)
    return [(rng.random((3, 60)) < np.array([[0.7], [0.6], [0.2]])).astype(float) for _ in "xy"]


def test_items_are_the_basis_where_both_models_have_them(make_matrix, three):
    matrix = with_items(make_matrix, three)
    (found,) = differences(matrix, ["b"], "a")
    parts = [items.paired_difference(x[1], x[0]) for x in three]
    assert found.basis == "items"
    assert found.difference == pytest.approx(np.mean([part.difference for part in parts]))
    squares = [part.standard_error**2 for part in parts]
    assert found.strongest.standard_error == pytest.approx(sqrt(sum(squares)) / 2)
    dof = sum(squares) ** 2 / (sum(np.square(squares)) / 59)
    assert found.strongest.dof == pytest.approx(dof)
    assert scores(matrix).basis == ("items",) * 3
    of_one = side_by_side(matrix, ["a", "b"]).pairs[0].gaps[0]
    alone = items.paired_difference(three[0][1], three[0][0])
    assert (of_one.ci_low, of_one.ci_high) == pytest.approx((alone.ci_low, alone.ci_high))


def test_where_one_model_has_no_items_the_errors_are_independent(make_matrix, three):
    matrix = with_items(make_matrix, three)
    parts = [of.copy() for of in (matrix.items.variance, matrix.items.gains, matrix.items.clusters)]
    for of in parts:
        of[1, 2, :] = of[1, :, 2] = np.nan
    part = replace(matrix, items=ItemErrors(*parts))
    assert differences(part, ["b"], "a")[0].basis == "items"
    assert differences(part, ["c"], "a")[0].basis != "items"


def test_rank_sets_of_items_are_those_of_holm_over_paired_tests(make_matrix):
    rng = np.random.default_rng(8)
    share = np.array([0.75, 0.7, 0.6, 0.55, 0.3])[:, None]
    blocks = [(rng.random((5, n)) < share).astype(float) for n in (60, 40)]
    matrix, expected = with_items(make_matrix, blocks), []
    for i in range(5):
        others = np.array([j for j in range(5) if j != i])
        found = differences(matrix, [matrix.models[j] for j in others], matrix.models[i])
        of_t = [
            2 * student.sf(abs(d.difference) / d.strongest.standard_error, d.strongest.dof)
            for d in found
        ]
        gained, lost, n = gaps(matrix, others, np.full(4, i)).shares
        of_score = 2 * student.sf(np.abs(gained - lost) * np.sqrt(n / (gained + lost)), np.inf)
        p = np.maximum(of_t, of_score)
        shown = holm(p) < 0.05
        above = sum(d.difference > 0 for d, yes in zip(found, shown, strict=True) if yes)
        expected.append((1 + above, 5 - (sum(shown) - above)))
    assert rank_bands(matrix, None) == expected
    assert len(set(expected)) > 2


def test_the_wider_of_student_and_score_counts_on_each_side(make_matrix):
    # 8 and 2 of 25: Student's t −0.0065 to 0.4865, the score interval −0.0089 to 0.4647.
    a, b = np.repeat([1.0, 0.0, 0.0], [8, 2, 15]), np.repeat([0.0, 1.0, 0.0], [8, 2, 15])
    found = gaps(with_items(make_matrix, [np.stack([b, a])]), np.array([1]), np.array([0]))
    error = sqrt((0.4 - 0.24**2) / 24)
    low, high = float(items.score_interval(8, 2, 25)[0]), 0.24 + student.ppf(0.975, 24) * error
    assert low < 0.24 - student.ppf(0.975, 24) * error
    assert high > items.score_interval(8, 2, 25)[1]
    assert np.ravel(found.ends()) == pytest.approx(np.array([low, high]))
    (interval,) = found.intervals(0)
    assert (interval.ci_low, interval.ci_high) == pytest.approx((low, high))
    for threshold in (-0.02, 0.0, 0.3):
        of_t = student.sf((0.24 - threshold) / error, 24)
        of_score = items.score_p(8, 2, 25, -threshold)
        assert found.p_above(threshold) == pytest.approx(max(of_t, of_score))
    assert items.score_p(8, 2, 25, 0) > 0.025
    assert found.p_above(0.0) > 0.025


def test_a_place_is_shown_only_where_the_score_test_rejects_too(make_matrix):
    # 4 of 25 tasks half done: t = 0.08/0.0374 = 2.14 of 24, p 0.043; the score test √(0.08 · 25).
    a = np.repeat([0.5, 0.0], [4, 21])
    half, whole = (with_items(make_matrix, [np.stack([a * k, a * 0])]) for k in (1, 2))
    assert rank_bands(half, None) == [(1, 2), (1, 2)]
    assert rank_bands(whole, None) == [(1, 1), (2, 2)]
