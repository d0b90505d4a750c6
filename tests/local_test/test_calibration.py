"""How often a verdict errs, by simulation: strict raters, patients, looks, few cases, many rivals.

The ordinary tests draw a tenth of what ``make test-tools`` draws. A verdict is that of
``margin_test``; each simulation judges a table of counts once, however often it is drawn.
"""

from functools import cache

import numpy as np
import pytest

from core.local_test.verdict import verdict
from core.statistics.items import ALPHA, margin_test, sample_size
from core.statistics.ranks import holm
from tests.local_test.test_verdict import results, scored

TENTH = pytest.param(0.1, marks=pytest.mark.slow)
WHOLE = pytest.param(1.0, marks=pytest.mark.tools)
both = pytest.mark.parametrize("part", [TENTH, WHOLE])


def at_most(errors, promised):
    errors = np.asarray(errors, dtype=float)
    assert errors.mean() <= promised + 2.5 * np.sqrt(promised * (1 - promised) / errors.size)


def counts(n, ups, downs):
    a = np.r_[np.ones(ups), np.zeros(n - ups)]
    b = np.r_[np.zeros(ups), np.ones(downs), np.zeros(n - ups - downs)]
    return a, b


@cache
def of_counts(n, ups, downs, margin):
    return margin_test(*counts(n, ups, downs), margin)


def test_a_strict_rater_of_one_model_makes_no_difference():
    # r1 gives both models 1; r2, who gives a quarter less, saw b only: +12.5 by all scores.
    cases = range(100)
    rows = [(m, f"c{i}", 1, "r1", 1.0) for i in cases for m in "ab"]
    rows += [("b", f"c{i}", 1, "r2", 0.75) for i in cases]
    rows += [("a", "c100", 1, "r1", 1.0), ("b", "c100", 1, "r2", 0.75)]
    found = verdict(results(*rows), "a", "b", 0.05, planned=100)
    assert (found.difference.difference, found.tier, found.better) == (0, "shown", False)
    # Nothing differs: the score interval is ± z²/(n + z²).
    assert found.difference.ci_high == pytest.approx(3.8415 / 103.8415, abs=1e-5)
    assert found.n_unshared == 1


@both
def test_raters_of_different_strictness_do_not_err(part):
    # Each case has two raters for both models and one, the strict one, for b alone. Truly −0.1.
    rng = np.random.default_rng(21)
    n, wrong = 40, []
    for _ in range(int(400 * part)):
        truth = rng.normal(0.6, 0.1, (n, 1))
        marks = np.clip(np.round((truth + rng.normal(0, 0.1, (n, 2))) * 20) / 20, 0.2, 1)
        lost = marks - 0.1 + rng.integers(-1, 2, (n, 2)) * 0.05
        rows = [("a", f"c{i}", 1, f"r{j}", lost[i, j]) for i in range(n) for j in (0, 1)]
        rows += [("b", f"c{i}", 1, f"r{j}", marks[i, j]) for i in range(n) for j in (0, 1)]
        rows += [("b", f"c{i}", 1, "strict", max(marks[i].mean() - 0.2, 0)) for i in range(n)]
        found = verdict(results(*rows), "a", "b", 0.1, planned=n)
        wrong.append(found.tier in ("shown", "likely"))
        assert found.difference.difference < 0
    at_most(wrong, ALPHA)


def of_patients(rng, n_patients, discordance, difference, alike=0.3, cases=5):
    """Differences of cases of patients, correlated by ``alike`` within one (Dirichlet)."""
    shares = np.array([discordance + difference, discordance - difference]) / 2
    weights = np.maximum([*shares, 1 - discordance], 1e-9) * (1 - alike) / alike
    p = rng.dirichlet(weights, n_patients)
    drawn = (rng.random((n_patients, cases, 1)) > p.cumsum(axis=1)[:, None, :2]).sum(axis=-1)
    return np.array([1.0, -1.0, 0.0])[drawn].ravel()


@both
@pytest.mark.parametrize(
    ("n_patients", "margin", "discordance"),
    [(24, 0.05, 0.06), (24, 0.1, 0.2), (40, 0.05, 0.1), (60, 0.1, 0.35)],
)
def test_five_cases_a_patient_err_as_single_ones(part, n_patients, margin, discordance):
    rng = np.random.default_rng(5)
    who = np.repeat(np.arange(n_patients), 5)
    wrong = []
    for _ in range(int(6000 * part)):
        d = of_patients(rng, n_patients, discordance, -margin)
        found = margin_test(np.maximum(d, 0), np.maximum(-d, 0), margin, clusters=who)
        wrong.append(found.p_above < ALPHA)
    at_most(wrong, ALPHA)


def test_the_verdict_takes_patients_as_clusters():
    rng = np.random.default_rng(5)
    d, who = of_patients(rng, 60, 0.35, 0), np.repeat(np.arange(60), 5)
    a, b = np.maximum(d, 0), np.maximum(-d, 0)
    found = verdict(scored(who.tolist(), a=a, b=b), "a", "b", 0.1, planned=300)
    expected = margin_test(a, b, 0.1, clusters=who)
    assert found.p_value == pytest.approx(expected.p_above)
    assert found.difference.standard_error == pytest.approx(expected.difference.standard_error)
    assert found.n_patients == (300, 60)
    # By hand: squared sums of residuals within patients, 60/59 of them over 300².
    sums = (d - d.mean()).reshape(60, 5).sum(axis=1)
    error = np.sqrt(60 / 59 * (sums**2).sum()) / 300
    assert found.difference.standard_error == pytest.approx(error)


@both
def test_looking_every_25_cases_does_not_err_before_the_planned_number(part):
    # Truly 5 points worse; 250 cases are planned. All looks would err in 8 %.
    rng = np.random.default_rng(25)
    said, naive = [], []
    for _ in range(int(2000 * part)):
        d = rng.choice([1, -1, 0], 250, p=[0.075, 0.125, 0.8])
        looks = [
            of_counts(n, int((d[:n] > 0).sum()), int((d[:n] < 0).sum()), 0.05).p_above < ALPHA
            for n in range(25, 251, 25)
        ]
        naive.append(any(looks))
        said.append(looks[-1])
    at_most(said, ALPHA)
    assert np.mean(naive) > 2 * np.mean(said)


def test_below_the_planned_number_and_without_one_it_is_open():
    a, b = counts(200, 30, 2)
    for planned, better, worse in (
        *((None, "open", "open"), (201, "open", "open")),
        *((200, "shown", "worse"), (150, "shown", "worse")),
    ):
        assert verdict(scored(a=a, b=b), "a", "b", 0.05, planned=planned).tier == better
        assert verdict(scored(a=b, b=a), "a", "b", 0.05, planned=planned).tier == worse


@both
@pytest.mark.parametrize("discordance", [0.05, 0.1, 0.2, 0.35])
@pytest.mark.parametrize("difference", [0, -0.05])
def test_intervals_of_twenty_cases_hold_the_truth(part, discordance, difference):
    rng = np.random.default_rng(20)
    shares = [(discordance + difference) / 2, (discordance - difference) / 2, 1 - discordance]
    drawn = rng.multinomial(20, np.maximum(shares, 0), int(4000 * part))[:, :2].tolist()
    missed = []
    for ups, downs in drawn:
        gap = of_counts(20, ups, downs, 0.05).difference
        assert gap.ci_high - gap.ci_low > 0.1
        missed.append(not gap.ci_low <= difference <= gap.ci_high)
    at_most(missed, 0.06)


@both
def test_worse_errs_in_two_and_a_half_percent(part):
    # Truly worse by exactly the margin; of a hundred cases, 30 differ.
    rng = np.random.default_rng(26)
    drawn = rng.multinomial(100, [0.1, 0.2, 0.7], int(10_000 * part))[:, :2].tolist()
    at_most([of_counts(100, *pair, 0.1).p_below < ALPHA for pair in drawn], ALPHA)


def test_worse_is_said_at_two_and_a_half_percent_and_no_earlier():
    # Of 100 cases a is right alone on 10 and b on 31, 32, 33. By scipy's ttest_1samp(d, −0.1,
    # alternative="less") p is 3.67, 2.65 and 1.89 %.
    for downs, p, tier in ((31, 0.03671, "open"), (32, 0.02648, "open"), (33, 0.01885, "worse")):
        a, b = counts(100, 10, downs)
        found = verdict(scored(a=a, b=b), "a", "b", 0.1, planned=100)
        assert found.tier == tier
        assert of_counts(100, 10, downs, 0.1).p_below == pytest.approx(p, abs=1e-5)


@both
@pytest.mark.parametrize("rivals", ["as good", "much worse"])
def test_the_power_under_holm_for_three_candidates(part, rivals):
    # The reference's own answers are shared: what it gets wrong counts for all three.
    rng = np.random.default_rng(3)
    margin, discordance = 0.1, 0.2
    n = sample_size(margin, discordance=discordance, n_candidates=3).n_cases
    shown = []
    for _ in range(int(3000 * part)):
        reference = rng.random(n) < 0.7
        p = []
        for other in range(3):
            flip = np.where(reference, 1 / 7, 1 / 3)  # 0.7/7 = 0.3/3 = 0.1 each way
            scores = reference ^ (rng.random(n) < flip)
            if other and rivals == "much worse":
                scores &= rng.random(n) < 0.6
            d = scores.astype(int) - reference
            p.append(of_counts(n, int((d > 0).sum()), int((d < 0).sum()), margin).p_above)
        shown.append(holm(np.array(p))[0] < ALPHA)
    assert np.mean(shown) >= 0.8 - 2.5 * 0.4 / np.sqrt(len(shown))
    if rivals == "much worse":
        assert np.mean(shown) <= 0.8 + 2.5 * 0.4 / np.sqrt(len(shown)) + 0.02
