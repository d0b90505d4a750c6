"""How many cases a margin takes, and what a test is items."""

import math
from itertools import combinations

import numpy as np
import pytest
from scipy.integrate import dblquad
from scipy.special import ndtr, stdtrit
from scipy.stats import norm

from core.answers import data
from core.domain import BadRequestError, Requirements
from core.statistics import items
from core.statistics.difference import Means, belief_sd, gaps

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
    found = items.sample_size(margin, difference=difference, sd=sd, power=power)
    assert found.n_t == found.n_cases == np.ceil(n)
    assert found.n_score is None


def test_printed_figures():
    # (1.960 + 0.842)² = 7.849 of variance over the squared gap, by hand.
    assert items.sample_size(0.05, discordance=0.1).n_normal == 314  # 0.1 · 3139.6
    assert (
        items.sample_size(0.05, difference=-0.02, discordance=0.2).n_normal == 1741
    )  # 0.1996 · 8721.0
    assert items.sample_size(0.05, sd=0.2).n_normal == 126  # 0.04 · 3139.6 = 125.6
    assert items.sample_size(0.02, sd=0.2, power=0.9).n_normal == 1051  # 10.507 · 0.04 / 0.0004
    # Connor (Biometrics 43, 1987, page 209), as powerandsamplesize.com prints its formula with
    # discordant shares 0.45 and 0.05, 5 % two-sided, 80 %: 23. Nam's number at a margin of 0.
    assert items.sample_size(0, difference=0.4, discordance=0.5).n_score == 23


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
    size = items.sample_size(margin, difference=difference, discordance=discordance, power=power)
    error = right_wrong_share(rng, size.n_cases, -margin, discordance, margin)
    assert error < MOST or within(error, MOST)
    shown = right_wrong_share(rng, size.n_cases, difference, discordance, margin)
    # By the score test it may be shown more often, never less.
    assert within(shown, power) or (size.few_differ and shown > power)


@pytest.mark.slow
@pytest.mark.parametrize(("margin", "difference", "sd", "power", "steps"), SCORES)
def test_scores_by_simulation(margin, difference, sd, power, steps):
    rng = np.random.default_rng(16)
    n = items.sample_size(margin, difference=difference, sd=sd, power=power).n_cases
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
    low = items.paired_difference(a[0], b[0]).ci_low
    assert not items.margin_test(a[0], b[0], margin).by_score
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
        items.sample_size(given.pop("margin"), **given)


MEDHELM = (
    *("o4-mini (2025-04-16)", "GPT-5 (2025-08-07)", "GPT-5 mini (2025-08-07)"),
    "o3-mini (2025-01-31)",
)
BRIDGE = ("gemini-2.5-flash", "DeepSeek-R1", "gpt-4o-0806", "Qwen3-Next-80B-A3B-Thinking")


def test_the_known_answers():
    # Jones 1948: 1/√π, 3/(2√π), and 6/(π√π) · arctan √2; Harter 1961 prints 1.16296 for five.
    closed = (0.0, 1 / math.sqrt(math.pi), 1.5 / math.sqrt(math.pi))
    four = 6 / math.pi**1.5 * math.atan(math.sqrt(2))
    found = [items.expected_maximum(k) for k in range(1, 6)]
    assert found == pytest.approx([*closed, four, 1.16296], abs=5e-6)
    for n_cases, points, per_cent in ((None, 1.65, 37), (50, 0.62, 11), (200, 0.25, 2)):
        assert round(100 * items.expected_loss(4, 0.016, 0.2, n_cases), 2) == points
        assert round(100 * items.chance_wrong(4, 0.016, 0.2, 0.02, n_cases)) == per_cent
        # No doubt loses nothing.
        assert items.expected_loss(4, 0.0, 0.2, n_cases) == 0
        assert items.chance_wrong(4, 0.0, 0.2, 0.0, n_cases) == 0
    assert items.suggested_cases(4, 0.0, 0.2, 0.02) == 50


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
    assert items.expected_loss(2, sd, spread, n_cases) == pytest.approx(loss, rel=1e-5)
    four_errors = 4 * math.sqrt(wrong * (1 - wrong) / 20_000)
    found = items.chance_wrong(2, sd, spread, margin, n_cases)
    assert found == pytest.approx(wrong, abs=four_errors)
    # Without a test a choice is wrong as often as the other is better. The difference has SD
    # √2 · 3 points: over 2 points in 31.87 % of cases on the one side.
    expected = norm.sf(0.02 / (math.sqrt(2) * 0.03))
    assert items.chance_wrong(2, 0.03, 0.4, 0.02, None) == pytest.approx(expected, abs=0.013)


@pytest.mark.parametrize(("k", "spread"), [(4, 0.4), (4, 0.447), (3, 0.4), (2, 0.5)])
def test_the_suggested_size_is_the_least_that_is_enough(k, spread):
    n = items.suggested_cases(k, 0.03, spread, 0.02)
    assert n > 50
    assert n % 25 == 0
    assert items.chance_wrong(k, 0.03, spread, 0.02, n) <= 1 / 8
    assert items.chance_wrong(k, 0.03, spread, 0.02, n - 25) > 1 / 8


# What is believed


@pytest.mark.parametrize(
    ("suite", "first_four", "points"), [("medhelm", MEDHELM, 4.7), ("bridge", BRIDGE, 4.9)]
)
def test_the_doubt_about_the_first_four_as_tried(bundled, suite, first_four, points):
    """All benchmarks alike."""
    scored = data.matrix(bundled, data.selection_of(Requirements(suite=suite)))
    at = [scored.models.index(name) for name in first_four]
    first, second = np.array(list(combinations(at, 2))).T
    assert round(100 * belief_sd(gaps(scored, first, second)), 1) == points


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
