"""Two runs item by item, how many cases a margin takes, and what a test is worth."""

import math
from dataclasses import replace
from math import comb, sqrt

import numpy as np
import pytest
from scipy.integrate import dblquad
from scipy.special import ndtr, stdtrit
from scipy.stats import binomtest, norm
from scipy.stats import t as student

from core.domain import BadRequestError, ItemErrors, TooFewError
from core.statistics import items
from core.statistics import sample_size as cases
from core.statistics.difference import (
    Means,
    belief_sd,
    differences,
    gaps,
    on_each_benchmark,
    scores,
)
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


def test_counts_of_right_and_wrong():
    found = items.right_wrong(A, B)
    assert (found.both, found.only_a, found.only_b, found.neither) == (1, 2, 0, 1)
    assert (found.discordance, found.mcnemar_p) == (0.5, 0.5)
    assert items.right_wrong(A, B / 2) is None


@pytest.mark.parametrize(
    ("only_a", "only_b", "p"),
    [
        (0, 0, 1.0),
        (3, 3, 1.0),
        (0, 6, 2 / 64),
        (5, 15, 0.04138946533203125),  # R: binom.test(5, 20)$p.value
        (49, 40, 2 * sum(comb(89, k) for k in range(41)) / 2**89),
    ],
)
def test_exact_mcnemar(only_a, only_b, p):
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


def with_items(make_matrix, per_benchmark, **more):
    n = len(per_benchmark[0])
    means = np.array([np.nanmean(values, axis=1) for values in per_benchmark]).T
    matrix = make_matrix(means, models="abcdefghijkl"[:n], **more)
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
    assert scores(matrix).basis == ("items",) * 3
    of_one = on_each_benchmark(matrix, ["a", "b"]).pairs[0].gaps[0]
    alone = items.paired_difference(three[0][1], three[0][0])
    assert (of_one.ci_low, of_one.ci_high) == pytest.approx((alone.ci_low, alone.ci_high))


def test_a_score_of_items_all_alike_reaches_the_end_of_wilsons_interval(
    make_matrix, make_benchmark
):
    """None, all and 5 of 25 tasks: an error of 0 had made the first two intervals points."""
    done = np.array([[0.0] * 25, [1.0] * 25, [1.0] * 5 + [0.0] * 20])
    exam = [make_benchmark("exam", item_mean=True, n_items=25)]
    low, high = scores(with_items(make_matrix, [done], benchmarks=exam)).ends
    none, every = (binomtest(k, 25).proportion_ci(method="wilson") for k in (0, 25))
    assert (high[0], low[1]) == pytest.approx((none.high, every.low))
    # What differs keeps its own error, by Student's t.
    error = done[2].std(ddof=1) / 5
    assert high[2] - 0.2 == pytest.approx(student(24).ppf(0.975) * error)


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
    assert np.ravel(found.ends) == pytest.approx(np.array([low, high]))
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


REPETITIONS = 10_000
MOST = 0.031  # what Student's t errs where just enough cases differ; 2.5 % is promised
# margin, true difference, discordance, power: from many cases that differ to hardly any
RIGHT_WRONG = [
    (0.05, 0, 0.10, 0.8),
    (0.05, 0, 0.10, 0.9),
    (0.05, 0, 0.20, 0.8),
    (0.10, 0, 0.20, 0.8),
    (0.10, 0, 0.30, 0.9),
    (0.05, -0.02, 0.20, 0.8),
    (0.05, 0.02, 0.20, 0.9),
    (0.02, 0, 0.10, 0.8),
    (0.05, 0, 0.06, 0.9),
]
# margin, true difference, standard deviation, power, steps of the scale
SCORES = [
    (0.05, 0, 0.20, 0.8, 8),  # two raters' mean of marks of 1 to 5
    (0.10, 0, 0.25, 0.9, 4),  # one rater's
    (0.05, 0.01, 0.15, 0.8, 8),
]


@pytest.mark.parametrize(
    ("margin", "difference", "sd", "power", "n"),
    [
        # power.t.test(delta = margin + difference, sd = sd, sig.level = 0.025, power = power,
        #   type = "paired", alternative = "one.sided")$n, R 4.2.2
        (0.05, 0, 0.20, 0.8, 127.516137398),
        (0.05, 0, 0.20, 0.9, 170.051128298),
        (0.10, 0, 0.30, 0.8, 72.5840748882),
        (0.05, -0.03, 0.25, 0.8, 1228.30957505),
        (0.08, 0.02, 0.10, 0.8, 9.93786390032),
        (0.15, 0.05, 0.30, 0.9, 25.6398984688),
    ],
)
def test_scores_as_in_r(margin, difference, sd, power, n):
    found = cases.sample_size(margin, difference=difference, sd=sd, power=power)
    assert found.n_t == found.n_cases == np.ceil(n)
    assert found.n_score is None


def test_printed_figures():
    # (1.960 + 0.842)² = 7.849 of variance over the squared gap, by hand.
    assert cases.sample_size(0.05, discordance=0.1).n_normal == 314  # 0.1 · 3139.6
    assert (
        cases.sample_size(0.05, difference=-0.02, discordance=0.2).n_normal == 1741
    )  # 0.1996 · 8721.0
    assert cases.sample_size(0.05, sd=0.2).n_normal == 126  # 0.04 · 3139.6 = 125.6
    assert cases.sample_size(0.02, sd=0.2, power=0.9).n_normal == 1051  # 10.507 · 0.04 / 0.0004
    # Connor (Biometrics 43, 1987, page 209), as powerandsamplesize.com prints its formula with
    # discordant shares 0.45 and 0.05, 5 % two-sided, 80 %: 23. Nam's number at a margin of 0.
    assert cases.sample_size(0, difference=0.4, discordance=0.5).n_score == 23


def test_the_restricted_share_is_where_the_likelihood_is_highest():
    only_a, only_b, margin = 0.06, 0.11, 0.07
    q = np.linspace(margin, (1 + margin) / 2, 1_000_001)[1:-1]
    rest = 1 - only_a - only_b
    likelihood = only_a * np.log(q - margin) + only_b * np.log(q)
    likelihood += rest * np.log(1 - 2 * q + margin)
    best = q[likelihood.argmax()]
    assert items.restricted_share(only_a, only_b, margin) == pytest.approx(best, abs=1e-6)


def test_the_score_test_by_hand():
    # At a margin of 0 it is McNemar's: (8 − 2)/√10.
    assert items.score_p(8, 2, 50, 0) == pytest.approx(ndtr(-6 / np.sqrt(10)))
    # Without any that differ z = √(n m/(1 − m)): 73 items are the first to show 5 points.
    assert items.score_p(0, 0, 73, 0.05) == pytest.approx(ndtr(-np.sqrt(73 * 0.05 / 0.95)))
    assert items.score_p(0, 0, 72, 0.05) > items.ALPHA > items.score_p(0, 0, 74, 0.05)


def as_good(a, b, margin):
    return items.margin_test(a, b, margin).p_above < items.ALPHA


def judged(ups, downs, mean, variance, n, margin):
    """Do as ``margin_test`` for many repetitions at once; held to it below."""
    t = mean - stdtrit(n - 1, 1 - items.ALPHA) * np.sqrt(variance / n) > -margin
    pairs, where = np.unique(np.stack([ups, downs]), axis=1, return_inverse=True)
    few = [
        n * (items.restricted_share(u / n, d / n, margin) - margin) < items.LEAST_EXPECTED
        for u, d in pairs.T
    ]
    score = [items.score_p(u, d, n, margin) < items.ALPHA for u, d in pairs.T]
    return t & (~np.array(few) | np.array(score))[where]


def right_wrong_share(rng, n, difference, discordance, margin):
    up, down = (discordance + difference) / 2, (discordance - difference) / 2
    counts = rng.multinomial(n, [max(up, 0), down, 1 - discordance], REPETITIONS)
    ups, downs = counts[:, 0], counts[:, 1]
    mean = (ups - downs) / n
    variance = ((ups + downs) / n - mean**2) * n / (n - 1)
    return judged(ups, downs, mean, variance, n, margin).mean()


def within(share, promised):
    return 3 * np.sqrt(promised * (1 - promised) / REPETITIONS) >= abs(share - promised)


@pytest.mark.slow
@pytest.mark.parametrize(("margin", "difference", "discordance", "power"), RIGHT_WRONG)
def test_right_and_wrong_by_simulation(margin, difference, discordance, power):
    rng = np.random.default_rng(16)
    size = cases.sample_size(margin, difference=difference, discordance=discordance, power=power)
    error = right_wrong_share(rng, size.n_cases, -margin, discordance, margin)
    assert error < MOST or within(error, MOST)
    shown = right_wrong_share(rng, size.n_cases, difference, discordance, margin)
    # By the score test it may be shown more often, never less.
    assert within(shown, power) or (size.few_differ and shown > power)


@pytest.mark.slow
@pytest.mark.parametrize(("margin", "difference", "sd", "power", "steps"), SCORES)
def test_scores_by_simulation(margin, difference, sd, power, steps):
    rng = np.random.default_rng(16)
    n = cases.sample_size(margin, difference=difference, sd=sd, power=power).n_cases
    rounding = 1 / (6 * steps**2)  # what rounding up or down by chance adds to the variance
    for truth, promised in ((-margin, items.ALPHA), (difference, power)):
        exact = rng.normal(truth, np.sqrt(sd**2 - rounding), (REPETITIONS, n))
        d = np.floor(exact * steps + rng.random(exact.shape)) / steps
        ups, downs = (d > 0).sum(axis=1), (d < 0).sum(axis=1)
        share = judged(ups, downs, d.mean(axis=1), d.var(axis=1, ddof=1), n, margin).mean()
        assert within(share, promised)


def test_the_simulated_judgement_is_that_of_the_product():
    rng = np.random.default_rng(1)
    n, margin = 120, 0.05
    for discordance in (0.05, 0.1, 0.3):
        shares = [discordance / 2, 1 - discordance, discordance / 2]
        d = rng.choice([1.0, 0.0, -1.0], (40, n), p=shares)
        ups, downs = ((sign * d > 0).sum(axis=1) for sign in (1, -1))
        found = judged(ups, downs, d.mean(axis=1), d.var(axis=1, ddof=1), n, margin)
        a, b = np.maximum(d, 0), np.maximum(-d, 0)
        assert found.tolist() == [as_good(*pair, margin) for pair in zip(a, b, strict=True)]
        assert 0 < found.sum() < 40
    # Where the score test has no say it is the printed interval.
    alone = items.paired_difference(a[0], b[0])
    low = alone.ci_low
    assert items.margin_test(a[0], b[0], margin).difference == alone
    assert as_good(a[0], b[0], -low + 1e-9)
    assert not as_good(a[0], b[0], -low - 1e-9)
    # Two cases alike prove nothing.
    right, wrong = np.ones(2), np.zeros(2)
    assert not as_good(right, right, 0.05)
    assert items.margin_test(wrong, right, 0.05).p_below > items.ALPHA
    assert as_good(np.ones(80), np.ones(80), 0.05)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"margin": 1, "sd": 0.2}, "The margin must be 0 or more and below 1; it is 1."),
        ({"margin": float("nan"), "sd": 0.2}, "it is nan"),
        ({"margin": 0.05, "difference": -0.05, "sd": 0.2}, "truly is 5 points worse is never"),
        ({"margin": 0.0, "sd": 0.2}, "truly is 0 points worse is never"),
        ({"margin": 0.05, "difference": 2, "sd": 0.2}, "must lie between -1 and 1; it is 2"),
        ({"margin": 0.05, "discordance": 0}, "must be above 0 and at most 1; it is 0"),
        ({"margin": 0.05, "difference": 0.2, "discordance": 0.1}, "on 10 % of the cases cannot be"),
        ({"margin": 0.05, "sd": 1.5}, "must be above 0 and at most 1; it is 1.5"),
        ({"margin": 0.05}, "Give either the discordance or the standard deviation."),
        ({"margin": 0.05, "sd": 0.2, "discordance": 0.1}, "Give either"),
        ({"margin": 0.05, "sd": 0.2, "power": 1}, "The power must be 0.5 to 0.99; it is 1."),
        ({"margin": 0.0001, "sd": 0.5}, "needs more than 1,000,000 cases"),
    ],
)
def test_what_is_out_of_range_is_one_sentence(given, said):
    with pytest.raises(BadRequestError, match=said):
        cases.sample_size(given.pop("margin"), **given)


def test_the_known_answers():
    # Jones 1948: 1/√π, 3/(2√π), and 6/(π√π) · arctan √2; Harter 1961 prints 1.16296 for five.
    closed = (0.0, 1 / math.sqrt(math.pi), 1.5 / math.sqrt(math.pi))
    four = 6 / math.pi**1.5 * math.atan(math.sqrt(2))
    found = [cases.expected_maximum(k) for k in range(1, 6)]
    assert found == pytest.approx([*closed, four, 1.16296], abs=5e-6)
    for n_cases, points, per_cent in ((None, 1.65, 37), (50, 0.62, 11), (200, 0.25, 2)):
        assert round(100 * cases.expected_loss(4, 0.016, 0.2, n_cases), 2) == points
        assert round(100 * cases.chance_wrong(4, 0.016, 0.2, 0.02, n_cases)) == per_cent
        # No doubt loses nothing.
        assert cases.expected_loss(4, 0.0, 0.2, n_cases) == 0
        assert cases.chance_wrong(4, 0.0, 0.2, 0.0, n_cases) == 0
    assert cases.suggested_cases(4, 0.0, 0.2, 0.02) == 50


def of_two(sd, spread, margin, n_cases):
    """Loss and chance of a wrong choice of two, by integration over what is true and what is seen.

    The true difference is normal with variance 2s², and a test sees it with error τ²/n.
    """
    true = norm(scale=math.sqrt(2) * sd)
    error = norm(scale=spread / math.sqrt(n_cases))
    ends = 10 * math.sqrt(2) * sd

    def over(worth, low):
        return dblquad(
            lambda seen_off, d: worth(d) * true.pdf(d) * error.pdf(seen_off),
            *(low, ends, lambda _: -10 * error.std(), lambda d: max(-d, -10 * error.std())),
        )[0]

    return 2 * over(lambda d: d, 0), 2 * over(lambda _: 1, margin)


@pytest.mark.parametrize(
    ("sd", "spread", "margin", "n_cases"),
    [(0.04, 0.45, 0.02, 100), (0.03, 0.4, 0.0, 25)],
)
def test_two_candidates_as_by_integration(sd, spread, margin, n_cases):
    loss, wrong = of_two(sd, spread, margin, n_cases)
    assert cases.expected_loss(2, sd, spread, n_cases) == pytest.approx(loss, rel=1e-5)
    four_errors = 4 * math.sqrt(wrong * (1 - wrong) / 20_000)
    found = cases.chance_wrong(2, sd, spread, margin, n_cases)
    assert found == pytest.approx(wrong, abs=four_errors)
    # Without a test a choice is wrong as often as the other is better. The difference has SD
    # √2 · 3 points: over 2 points in 31.87 % of cases on the one side.
    expected = norm.sf(0.02 / (math.sqrt(2) * 0.03))
    assert cases.chance_wrong(2, 0.03, 0.4, 0.02, None) == pytest.approx(expected, abs=0.013)


@pytest.mark.parametrize(("k", "spread"), [(4, 0.4), (4, 0.447), (3, 0.4), (2, 0.5)])
def test_the_suggested_size_is_the_least_that_is_enough(k, spread):
    n = cases.suggested_cases(k, 0.03, spread, 0.02)
    assert n > 50
    assert n % 25 == 0
    assert cases.chance_wrong(k, 0.03, spread, 0.02, n) <= 1 / 8
    assert cases.chance_wrong(k, 0.03, spread, 0.02, n - 25) > 1 / 8


def test_the_doubt_by_hand(make_matrix):
    # Differences over five tests: 1, 3, 5, 7, 9 points. Variance 10, on one more 10 · 6/5 = 12.
    scored = make_matrix([[0.51, 0.53, 0.55, 0.57, 0.59], [0.5] * 5])
    pair = gaps(scored, np.array([0]), np.array([1]))
    assert 100 * belief_sd(pair) == pytest.approx(math.sqrt(12 / 2))


@pytest.mark.parametrize(
    ("pairs", "from_items", "variance"),
    [
        # s_d² = 5 · 4 = 20, on one more test 24; items give 5 · 1 = 5 a test.
        ([(1.0, 2.0, 5.0)], None, 24),  # a bound: nothing known
        ([(1.0, 2.0, 5.0)], [True], 24 - 5),
        # The mean over pairs counts: 19 and 24 − 45 = −21 give less than nothing.
        ([(1.0, 2.0, 5.0), (3.0, 2.0, 5.0)], [True, True], 0),
        # And 19 and 24, of a pair without items, give 21.5.
        ([(1.0, 2.0, 5.0), (3.0, 2.0, 5.0)], [True, False], 21.5),
    ],
)
def test_what_paired_items_explain_is_taken_off(pairs, from_items, variance):
    """Pairs of (item error, error on other tests, effective tests); which are of single items."""
    on_these, on_others, tests = np.array(pairs).T
    found = Means(
        mean=np.zeros(len(pairs)),
        n_benchmarks=tests,
        standard_error=np.stack([on_these, on_others]),
        dof=np.stack([np.full(len(pairs), np.inf), tests - 1]),
        shares=None if from_items is None else np.where(from_items, [[0.1], [0.1], [50]], np.nan),
    )
    assert belief_sd(found) == pytest.approx(math.sqrt(variance / 2))


def test_the_margin_that_cases_show_is_the_inverse_of_their_number():
    # (1.95996 + 0.84162) · √0.2 / 10 and the same of a standard deviation of 20 points.
    assert cases.shown_margin(100, discordance=0.2) == pytest.approx(0.12529, abs=5e-6)
    assert cases.shown_margin(100, sd=0.2) == pytest.approx(0.056032, abs=5e-7)
    for given in ({"sd": 0.3, "difference": -0.02}, {"discordance": 0.2, "difference": -0.1}):
        margin = cases.shown_margin(400, power=0.9, **given)
        assert cases.sample_size(margin + 1e-9, power=0.9, **given).n_normal == 400
    # One that is better by more than that is shown to be better.
    assert cases.shown_margin(100, sd=0.1, difference=0.1) == 0.0


def test_the_cases_that_rule_out_rare_losses_by_hand():
    """Gained 0.2/√(2π) = 0.0798 a case; at −0.05 the likelihood keeps 0.0609 of it: 12/0.0609."""
    assert cases.fewest_graded(0.05, 0.2) == 198
    # Whoever is better gains more a case, and nothing is left of a loss as large as all gains.
    assert cases.fewest_graded(0.05, 0.2, 0.03) < 198 < cases.fewest_graded(0.05, 0.2, -0.02)


@pytest.mark.slow
@pytest.mark.parametrize("sd", [0.16, 0.24])
def test_graded_cases_show_from_there_on_and_are_likely_below(sd):
    """Two that are equally good, at the margin that so many cases show by the normal formula."""
    rng = np.random.default_rng(31)

    def found(n):
        margin = cases.shown_margin(n, sd=sd)
        pairs = np.clip(0.6 + rng.normal(0, sd / np.sqrt(2), (400, 2, n)), -0.4, 1.6)
        tests = [items.margin_test(a, b, margin) for a, b in pairs]
        return [np.mean([p < 0.025 for p in of]) for of in zip(*map(judged_by, tests), strict=True)]

    def judged_by(test):
        return test.p_above, max(test.p_above, test.p_if_rare)

    enough = next(
        n for n in range(50, 999) if n >= cases.fewest_graded(cases.shown_margin(n, sd=sd), sd)
    )
    likely, shown = found(enough)
    assert min(likely, shown) > 0.74
    likely, shown = found(enough // 2)
    assert likely > 0.74
    assert shown < 0.3
