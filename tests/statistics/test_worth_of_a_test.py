"""What a test is worth: known answers, the limits, and independent numerical integration."""

import math
from itertools import combinations

import numpy as np
import pytest
from scipy.integrate import dblquad
from scipy.stats import norm

from core.answers import data
from core.domain import Requirements
from core.statistics import sample_size as worth
from core.statistics.difference import Means, gaps

FIRST_FOUR = {
    "medhelm": (
        *("o4-mini (2025-04-16)", "GPT-5 (2025-08-07)"),
        *("GPT-5 mini (2025-08-07)", "o3-mini (2025-01-31)"),
    ),
    "bridge": ("gemini-2.5-flash", "DeepSeek-R1", "gpt-4o-0806", "Qwen3-Next-80B-A3B-Thinking"),
}


def test_expected_maximum_in_closed_form():
    # Jones 1948: 1/√π, 3/(2√π), and 6/(π√π) · arctan √2; Harter 1961 prints 1.16296 for five.
    closed = (0.0, 1 / math.sqrt(math.pi), 1.5 / math.sqrt(math.pi))
    four = 6 / math.pi**1.5 * math.atan(math.sqrt(2))
    found = [worth.expected_maximum(k) for k in range(1, 6)]
    assert found == pytest.approx([*closed, four, 1.16296], abs=5e-6)


@pytest.mark.parametrize(
    ("n_cases", "points", "per_cent"), [(None, 1.65, 37), (50, 0.62, 11), (200, 0.25, 2)]
)
def test_the_known_answers(n_cases, points, per_cent):
    asked = 4, 0.016, 0.2
    assert round(100 * worth.expected_loss(*asked, n_cases), 2) == points
    assert round(100 * worth.chance_wrong(*asked, 0.02, n_cases)) == per_cent


@pytest.mark.parametrize("sd", [0.047, 0.049])
def test_fifty_cases_lower_the_loss_from_five_points_to_under_half_a_point(sd):
    assert 100 * worth.expected_loss(4, sd, 0.2, None) == pytest.approx(5, abs=0.2)
    assert round(100 * worth.expected_loss(4, sd, 0.2, 50), 1) == 0.4
    assert 100 * worth.expected_loss(4, sd, 0.4, 50) == pytest.approx(1.1, abs=0.06)


def test_no_doubt_loses_nothing():
    for n_cases in (None, 50):
        assert worth.expected_loss(4, 0.0, 0.2, n_cases) == 0
        assert worth.chance_wrong(4, 0.0, 0.2, 0.0, n_cases) == 0
    assert worth.suggested_cases(4, 0.0, 0.2, 0.02) == 50


def test_more_cases_never_lose_more_and_more_doubt_never_less():
    sizes = (None, 10, 50, 100, 200, 1_000, 100_000)
    for kind in (worth.expected_loss, lambda *a: worth.chance_wrong(*a[:3], 0.02, a[3])):
        for k in (2, 3, 4):
            found = [kind(k, 0.03, 0.4, n) for n in sizes]
            assert found == sorted(found, reverse=True)
            assert len(set(found)) == len(found)
    by_doubt = [worth.expected_loss(4, sd, 0.4, 50) for sd in (0, 0.01, 0.02, 0.04)]
    assert by_doubt == sorted(by_doubt)
    assert [worth.expected_loss(k, 0.03, 0.4, 50) for k in (2, 3, 4)] == sorted(
        worth.expected_loss(k, 0.03, 0.4, 50) for k in (2, 3, 4)
    )


def of_two(sd, spread, margin, n_cases):
    """Loss and chance of a wrong choice of two, by integration over what is true and what is seen.

    The true difference is normal with variance 2s², and a test sees it with error τ²/n.
    """
    true = norm(scale=math.sqrt(2) * sd)
    error = norm(scale=spread / math.sqrt(n_cases))
    ends = 10 * math.sqrt(2) * sd
    wrong = dblquad(
        lambda seen_off, d: true.pdf(d) * error.pdf(seen_off),
        *(margin, ends),
        *(lambda _: -10 * error.std(), lambda d: max(-d, -10 * error.std())),
    )[0]
    loss = dblquad(
        lambda seen_off, d: d * true.pdf(d) * error.pdf(seen_off),
        *(0, ends),
        *(lambda _: -10 * error.std(), lambda d: max(-d, -10 * error.std())),
    )[0]
    return 2 * loss, 2 * wrong


@pytest.mark.parametrize(
    ("sd", "spread", "margin", "n_cases"),
    [(0.016, 0.2, 0.02, 50), (0.04, 0.45, 0.02, 100), (0.03, 0.4, 0.0, 25)],
)
def test_two_candidates_as_by_integration(sd, spread, margin, n_cases):
    loss, wrong = of_two(sd, spread, margin, n_cases)
    assert worth.expected_loss(2, sd, spread, n_cases) == pytest.approx(loss, rel=1e-5)
    four_errors = 4 * math.sqrt(wrong * (1 - wrong) / 20_000)
    assert worth.chance_wrong(2, sd, spread, margin, n_cases) == pytest.approx(
        wrong, abs=four_errors
    )


def test_a_choice_of_two_without_a_test_is_wrong_as_often_as_the_other_is_better():
    # The difference has SD √2 · 3 points: over 2 points in 31.87 % of cases on the one side.
    expected = norm.sf(0.02 / (math.sqrt(2) * 0.03))
    assert worth.chance_wrong(2, 0.03, 0.4, 0.02, None) == pytest.approx(expected, abs=0.013)


def test_the_loss_of_four_is_that_of_a_simulation_of_cases():
    """With other draws, case by case in place of the formula."""
    random = np.random.default_rng(1)
    true = random.normal(0, 0.03, (20_000, 4))
    # A paired difference of two has variance τ² a case, so each score τ²/2.
    seen = true + random.normal(0, 0.4 / math.sqrt(2), (20_000, 4, 50)).mean(axis=2)
    lost = true.max(axis=1) - true[np.arange(20_000), seen.argmax(axis=1)]
    error = lost.std() / math.sqrt(20_000)
    assert worth.expected_loss(4, 0.03, 0.4, 50) == pytest.approx(lost.mean(), abs=4 * error)
    assert worth.chance_wrong(4, 0.03, 0.4, 0.02, 50) == pytest.approx(
        (lost > 0.02).mean(), abs=0.015
    )


@pytest.mark.parametrize(("k", "spread"), [(4, 0.4), (4, 0.447), (3, 0.4), (2, 0.5)])
def test_the_suggested_size_is_the_least_that_is_enough(k, spread):
    n = worth.suggested_cases(k, 0.03, spread, 0.02)
    assert n > 50
    assert n % 25 == 0
    assert worth.chance_wrong(k, 0.03, spread, 0.02, n) <= 1 / 8
    assert worth.chance_wrong(k, 0.03, spread, 0.02, n - 25) > 1 / 8


def test_no_size_is_suggested_where_a_thousand_cases_are_not_enough():
    assert worth.suggested_cases(4, 0.02, 1.0, 0.0) is None
    assert worth.chance_wrong(4, 0.02, 1.0, 0.0, 1_000) > 1 / 8


# What is believed


@pytest.mark.parametrize(("suite", "points"), [("medhelm", 4.7), ("bridge", 4.9)])
def test_the_doubt_about_the_first_four_as_tried(bundled, suite, points):
    """All benchmarks alike."""
    scored = data.matrix(bundled, data.selection_of(Requirements(suite=suite)))
    at = [scored.models.index(name) for name in FIRST_FOUR[suite]]
    first, second = np.array(list(combinations(at, 2))).T
    assert round(100 * worth.belief_sd(gaps(scored, first, second)), 1) == points


def test_the_doubt_by_hand(make_matrix):
    # Differences over five tests: 1, 3, 5, 7, 9 points. Variance 10, on one more 10 · 6/5 = 12.
    scored = make_matrix([[0.51, 0.53, 0.55, 0.57, 0.59], [0.5] * 5])
    pair = gaps(scored, np.array([0]), np.array([1]))
    assert 100 * worth.belief_sd(pair) == pytest.approx(math.sqrt(12 / 2))


def means(*pairs, from_items=None):
    """Pairs of (item error, error on other tests, effective tests); which are of single items."""
    on_these, on_others, tests = np.array(pairs).T
    return Means(
        mean=np.zeros(len(pairs)),
        n_benchmarks=tests,
        standard_error=np.stack([on_these, on_others]),
        dof=np.stack([np.full(len(pairs), np.inf), tests - 1]),
        shares=None if from_items is None else np.where(from_items, [[0.1], [0.1], [50]], np.nan),
    )


def test_what_paired_items_explain_is_taken_off_and_never_below_nothing():
    # s_d² = 5 · 4 = 20, on one more test 24; items give 5 · 1 = 5 a test.
    plain = means((1.0, 2.0, 5.0))
    assert worth.belief_sd(plain) == pytest.approx(math.sqrt(24 / 2))  # a bound: nothing known
    paired = means((1.0, 2.0, 5.0), from_items=np.array([True]))
    assert worth.belief_sd(paired) == pytest.approx(math.sqrt((24 - 5) / 2))
    # The mean over pairs counts: 19 and 24 − 45 = −21 give less than nothing.
    two = means((1.0, 2.0, 5.0), (3.0, 2.0, 5.0), from_items=np.array([True, True]))
    assert worth.belief_sd(two) == 0.0
    # And 19 and 24, of a pair without items, give 21.5.
    mixed = means((1.0, 2.0, 5.0), (3.0, 2.0, 5.0), from_items=np.array([True, False]))
    assert worth.belief_sd(mixed) == pytest.approx(math.sqrt(21.5 / 2))


def test_too_few_tests_say_nothing(make_matrix):
    scored = make_matrix([[0.5, 0.6, 0.7, 0.8], [0.5] * 4])
    assert worth.belief_sd(gaps(scored, np.array([0]), np.array([1]))) is None
    assert worth.belief_sd(means((1.0, 2.0, 5.0), (np.nan, np.nan, np.nan))) is None
    nobody = np.array([], dtype=np.intp)
    assert worth.belief_sd(gaps(scored, nobody, nobody)) is None
