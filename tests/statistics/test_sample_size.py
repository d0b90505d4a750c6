"""Cases for a margin: R's figures, printed figures, and simulation of the test that judges."""

import numpy as np
import pytest
from scipy.special import ndtr, stdtrit

from core.domain import BadRequestError
from core.statistics.items import (
    LEAST_EXPECTED,
    margin_test,
    paired_difference,
    restricted_share,
    score_p,
)
from core.statistics.sample_size import ALPHA, sample_size

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
    found = sample_size(margin, difference=difference, sd=sd, power=power)
    assert found.n_t == found.n_cases == np.ceil(n)
    assert found.n_score is None


def test_printed_figures():
    # (1.960 + 0.842)² = 7.849 of variance over the squared gap, by hand.
    assert sample_size(0.05, discordance=0.1).n_normal == 314  # 0.1 · 3139.6
    assert sample_size(0.05, difference=-0.02, discordance=0.2).n_normal == 1741  # 0.1996 · 8721.0
    assert sample_size(0.05, sd=0.2).n_normal == 126  # 0.04 · 3139.6 = 125.6
    assert sample_size(0.02, sd=0.2, power=0.9).n_normal == 1051  # 10.507 · 0.04 / 0.0004
    # Connor (Biometrics 43, 1987, page 209), as powerandsamplesize.com prints its formula with
    # discordant shares 0.45 and 0.05, 5 % two-sided, 80 %: 23. Nam's number at a margin of 0.
    assert sample_size(0, difference=0.4, discordance=0.5).n_score == 23


def test_the_restricted_share_is_where_the_likelihood_is_highest():
    only_a, only_b, margin = 0.06, 0.11, 0.07
    q = np.linspace(margin, (1 + margin) / 2, 1_000_001)[1:-1]
    rest = 1 - only_a - only_b
    likelihood = only_a * np.log(q - margin) + only_b * np.log(q)
    likelihood += rest * np.log(1 - 2 * q + margin)
    best = q[likelihood.argmax()]
    assert restricted_share(only_a, only_b, margin) == pytest.approx(best, abs=1e-6)


def test_the_score_test_by_hand():
    # At a margin of 0 it is McNemar's: (8 − 2)/√10.
    assert score_p(8, 2, 50, 0) == pytest.approx(ndtr(-6 / np.sqrt(10)))
    # Without any that differ z = √(n m/(1 − m)): 73 items are the first to show 5 points.
    assert score_p(0, 0, 73, 0.05) == pytest.approx(ndtr(-np.sqrt(73 * 0.05 / 0.95)))
    assert score_p(0, 0, 72, 0.05) > ALPHA > score_p(0, 0, 74, 0.05)


def as_good(a, b, margin):
    return margin_test(a, b, margin).p_above < ALPHA


def judged(ups, downs, mean, variance, n, margin):
    """Do as ``margin_test`` for many repetitions at once; held to it below."""
    t = mean - stdtrit(n - 1, 1 - ALPHA) * np.sqrt(variance / n) > -margin
    pairs, where = np.unique(np.stack([ups, downs]), axis=1, return_inverse=True)
    few = [
        n * (restricted_share(u / n, d / n, margin) - margin) < LEAST_EXPECTED for u, d in pairs.T
    ]
    score = [score_p(u, d, n, margin) < ALPHA for u, d in pairs.T]
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
    size = sample_size(margin, difference=difference, discordance=discordance, power=power)
    error = right_wrong_share(rng, size.n_cases, -margin, discordance, margin)
    assert error < MOST or within(error, MOST)
    shown = right_wrong_share(rng, size.n_cases, difference, discordance, margin)
    # By the score test it may be shown more often, never less.
    assert within(shown, power) or (size.few_differ and shown > power)


@pytest.mark.slow
@pytest.mark.parametrize(("margin", "difference", "sd", "power", "steps"), SCORES)
def test_scores_by_simulation(margin, difference, sd, power, steps):
    rng = np.random.default_rng(16)
    n = sample_size(margin, difference=difference, sd=sd, power=power).n_cases
    rounding = 1 / (6 * steps**2)  # what rounding up or down by chance adds to the variance
    for truth, promised in ((-margin, ALPHA), (difference, power)):
        exact = rng.normal(truth, np.sqrt(sd**2 - rounding), (REPETITIONS, n))
        d = np.floor(exact * steps + rng.random(exact.shape)) / steps
        ups, downs = (d > 0).sum(axis=1), (d < 0).sum(axis=1)
        share = judged(ups, downs, d.mean(axis=1), d.var(axis=1, ddof=1), n, margin).mean()
        assert within(share, promised)


def test_the_simulated_judgement_is_that_of_the_product():
    rng = np.random.default_rng(1)
    n, margin = 120, 0.05
    for discordance in (0.05, 0.1, 0.3):
        d = rng.choice(
            [1.0, 0.0, -1.0], (40, n), p=[discordance / 2, 1 - discordance, discordance / 2]
        )
        found = judged(
            (d > 0).sum(axis=1),
            (d < 0).sum(axis=1),
            d.mean(axis=1),
            d.var(axis=1, ddof=1),
            n,
            margin,
        )
        a, b = np.maximum(d, 0), np.maximum(-d, 0)
        assert found.tolist() == [as_good(*pair, margin) for pair in zip(a, b, strict=True)]
        assert 0 < found.sum() < 40
    # Where the score test has no say it is the printed interval.
    low = paired_difference(a[0], b[0]).ci_low
    assert not margin_test(a[0], b[0], margin).by_score
    assert as_good(a[0], b[0], -low + 1e-9)
    assert not as_good(a[0], b[0], -low - 1e-9)


def test_two_cases_alike_prove_nothing():
    right, wrong = np.ones(2), np.zeros(2)
    assert not as_good(right, right, 0.05)
    assert margin_test(wrong, right, 0.05).p_below > ALPHA
    assert as_good(np.ones(80), np.ones(80), 0.05)


def test_a_wider_margin_takes_fewer_cases():
    margins = (0.01, 0.02, 0.03, 0.04, 0.05, 0.075, 0.1, 0.15, 0.2)
    for discordance in (0.03, 0.05, 0.1, 0.2, 0.4):
        cases = [sample_size(m, discordance=discordance).n_cases for m in margins]
        assert cases == sorted(cases, reverse=True)


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
        sample_size(given.pop("margin"), **given)
