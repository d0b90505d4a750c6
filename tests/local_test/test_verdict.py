"""The verdict on own cases: by hand, as R has it, and how often its tiers err by simulation."""

from functools import cache
from itertools import product

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from core.domain import BadRequestError, TooFewError
from core.local_test.verdict import verdict as judged
from core.results.collected import RESULT_COLUMNS, Results
from core.statistics.items import ALPHA, margin_test, score_interval
from core.statistics.ranks import holm
from core.statistics.sample_size import sample_size
from core.words import local_test as words

A = [0.9, 0.8, 0.75, 1, 0.6, 0.5, 0.85, 0.7]
B = [0.8, 0.85, 0.7, 0.9, 0.65, 0.45, 0.8, 0.75]
NAN = float("nan")
UNNAMED = (
    "The cases name no patient (the column patient is missing or empty), so each counts as a "
    "patient of its own: where a patient has several cases, fill in the column patient."
)


def verdict(scores, a="a", b="b", margin=0.05, planned=2, **more):
    """Judge where all cases that were planned are there."""
    return judged(scores, a, b, margin, planned=planned, **more)


def results(*rows, patients=None):
    """Rows of model, item, attempt, rater, score, and what of tokens, seconds, cost there is."""
    full = [(*row, *(NAN,) * (len(RESULT_COLUMNS) - len(row))) for row in rows]
    return Results("test", pd.DataFrame(full, columns=RESULT_COLUMNS), patients=patients or {})


def scored(patients=None, **scores):
    rows = [
        (model, f"c{i:04}", 1, "", float(x))
        for model, of in scores.items()
        for i, x in enumerate(of)
    ]
    return results(*rows, patients={f"c{i:04}": f"p{who}" for i, who in enumerate(patients or ())})


def right_wrong(both, only_a, only_b, neither):
    a = [1] * (both + only_a) + [0] * (only_b + neither)
    b = [1] * both + [0] * only_a + [1] * only_b + [0] * neither
    return scored(a=a, b=b)


def test_scores_as_in_r():
    # a <- c(.9, .8, .75, 1, .6, .5, .85, .7); b <- c(.8, .85, .7, .9, .65, .45, .8, .75)
    # t.test(a, b, paired = TRUE)$conf.int
    found = verdict(scored(a=A, b=B))
    gap = found.difference
    assert (gap.n_items, gap.difference) == (8, pytest.approx(0.025))
    half = stats.t(7).ppf(0.975) * gap.standard_error
    ends = gap.difference - half, gap.difference + half
    assert ends == pytest.approx((-0.0297304165134, 0.0797304165134), rel=1e-9)
    # Of eight cases in all, the score interval is the wider: b = 0.35/8 and c = 0.15/8.
    assert (gap.ci_low, gap.ci_high) == pytest.approx(
        [float(end) for end in score_interval(0.35, 0.15, 8)]
    )
    assert found.table is None
    assert found.scores_a.tolist() == A
    gap = verdict(scored(a=A * 4, b=B * 4)).difference
    ends = stats.ttest_rel(A * 4, B * 4).confidence_interval()
    assert (gap.ci_low, gap.ci_high) == pytest.approx(ends)


def test_right_and_wrong_as_in_r():
    # binom.test(5, 20)$p.value
    found = verdict(right_wrong(60, 15, 5, 20))
    assert found.table.mcnemar_p == pytest.approx(0.04138946533203125)
    assert (found.table.both, found.table.only_a, found.table.only_b) == (60, 15, 5)
    assert found.difference.difference == pytest.approx(0.1)
    assert (found.tier, found.better) == ("shown", True)


@pytest.mark.parametrize(
    ("counts", "margin", "tier"),
    [
        # d = 0, s² = 40/199, so 0.05 and 0.10 are 1.57 and 3.15 standard errors of 0.0317.
        ((100, 20, 20, 60), 0.05, "open"),
        # d = −0.2 of 200, s² = (0.3 − 0.04)·200/199: −0.10 is 2.77 errors above.
        ((80, 10, 50, 60), 0.1, "worse"),
        # Twice 15 of 800: s² = 30/800, 0.05 is 7.3 errors.
        ((600, 15, 15, 170), 0.05, "shown"),
        # No case differs: √(n·0.05/0.95) is 1.47 for 41 and 2.06 for 81.
        ((41, 0, 0, 0), 0.05, "open"),
        ((80, 0, 0, 1), 0.05, "shown"),
    ],
)
def test_tiers_by_hand(counts, margin, tier):
    # With the last of the planned cases it is judged; with one less, or no plan, it is open.
    n = sum(counts)
    for planned, said in ((2, tier), (n, tier), (n + 1, "open"), (None, "open")):
        found = verdict(right_wrong(*counts), "a", "b", margin, planned=planned)
        assert found.tier == said


def test_attempts_then_raters_are_averaged_and_an_item_counts_once():
    found = verdict(
        results(
            ("a", "x", 1, "r1", 1.0),
            ("a", "x", 1, "r2", 0.5),
            ("a", "x", 2, "r1", 0.25),
            ("a", "y", 1, "r1", 0.5),
            ("b", "x", 1, "r1", 0.5),
            ("b", "y", 1, "r1", 0.0),
        )
    )
    assert found.scores_a.tolist() == [0.625, 0.5]  # (1 + 0.25)/2; r2 has no score of b
    assert found.scores_b.tolist() == [0.5, 0.0]
    assert found.difference.difference == 0.3125
    assert found.table is None
    assert found.apart == ("y", "x")


def test_items_of_one_model_are_named_and_do_not_count():
    rows = scored(a=[1, 1, 0, 1], b=[1, 0, 1]).frame
    more = results(("b", "z9", 1, "", 0.0), ("c", "only c", 1, "", 1.0)).frame
    found = verdict(Results("test", pd.concat([rows, more])))
    assert (found.only_a, found.only_b) == (("c0003",), ("z9",))
    assert found.items == ("c0000", "c0001", "c0002")
    assert found.difference.mean_a == pytest.approx(2 / 3)


def test_what_no_person_gave_does_not_count_where_persons_rated():
    rows = [
        (m, f"c{i}", 1, r, 1.0 if r else 0.0) for m in "ab" for i in range(3) for r in ("", "r1")
    ]
    found = verdict(results(*rows))
    assert found.scores_a.tolist() == [1, 1, 1]
    said = "6 scores that no person gave do not count, because people rated."
    assert words.not_counted(found) == (said, UNNAMED)


def test_the_widest_apart_come_first_then_by_id():
    a = [0.5, 1.0, 0.0, 0.75, 0.5, *[0.6] * 12]
    b = [0.5, 0.0, 1.0, 0.5, 0.5, *[0.5] * 12]
    found = verdict(scored(a=a, b=b))
    assert list(found.apart) == ["c0001", "c0002", "c0003", *(f"c{i:04}" for i in range(5, 12))]


# Shrout and Fleiss 1979, table 2: 6 targets, 4 judges; table 4: ICC(3,1) 0.71, ICC(3,4) 0.91.
SHROUT = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]


def test_agreement_as_printed_by_shrout_and_fleiss():
    rows = [
        ("ab"[i % 2], f"c{i // 2}", 1, f"r{j}", mark / 10)
        for i, marks in enumerate(SHROUT)
        for j, mark in enumerate(marks)
    ]
    whole = verdict(results(*rows))
    (found,) = whole.agreement
    assert "the same mark on 0 %, agreement" in words.raters_and_strays(whole)[0]
    assert (found.raters, found.n_answers, found.same) == (("r0", "r1", "r2", "r3"), 6, 0)
    assert round(found.icc_k, 2) == 0.91
    assert round(found.icc_k / (4 - 3 * found.icc_k), 2) == 0.71


POORLY = "But the raters agree poorly, which may hide a difference."
CHANCE = "But the raters agree hardly better than chance: do not rely on this result."


@pytest.mark.parametrize(
    ("shared", "lower", "margin", "planned", "said"),
    [
        pytest.param(0.0, 0, 0.3, 90, CHANCE, id="noise alone, shown"),
        pytest.param(0.0, 0.4, 0.3, 90, CHANCE, id="noise alone, probably worse"),
        pytest.param(0.0, 0.4, 0.01, 90, CHANCE, id="noise alone, worse"),
        pytest.param(0.0, 0, 0.3, 95, CHANCE, id="noise alone, too few cases"),
        pytest.param(0.5, 0, 0.3, 90, POORLY, id="poorly, shown"),
        pytest.param(0.5, 0, 0.01, 90, POORLY, id="poorly, open"),
        pytest.param(0.5, 0.5, 0.01, 90, "to −3.3).", id="poorly, worse"),
    ],
)
def test_raters_who_agree_poorly_are_said_with_the_verdict(shared, lower, margin, planned, said):
    rng = np.random.default_rng(3)
    rows = []
    for case, model in product(range(90), "ab"):
        true = shared * rng.normal()
        for rater in "xy":
            mark = 5 + true + rng.normal() - lower * (model == "a")
            rows.append((model, f"c{case}", 1, rater, min(max(mark, 0), 10) / 10))
    found = verdict(results(*rows), "a", "b", margin, planned=planned)
    assert words.verdict_in_words(found, "A", "B").endswith(said)


def test_raters_who_never_rated_the_same_are_set_in_pairs():
    marks = {"r1": [1, 0, 1, 1, 0, 1], "r2": [1, 0, 1, 0, 0, 1], "r3": [0, 1, 1]}
    rows = [("a", f"c{i}", 1, r, float(x)) for r, of in marks.items() for i, x in enumerate(of)]
    rows = [row for row in rows if row[3] != "r2" or row[1] not in ("c0", "c1")]
    rows += [("b", f"c{i}", 1, "r1", 0.0) for i in range(2)]
    found = verdict(results(*rows)).agreement
    # r1 with r2 share c2 to c5, r1 with r3 c0 to c2, r2 with r3 only c2.
    assert [(each.raters, each.n_answers) for each in found] == [
        (("r1", "r2"), 4),
        (("r1", "r3"), 3),
    ]
    assert found[0].same == 0.75
    assert verdict(scored(a=A, b=B)).agreement == ()


def test_cost_tokens_and_seconds_are_of_one_answer_where_recorded():
    found = verdict(
        results(
            ("a", "x", 1, "r1", 1.0, 100.0, 2.0, 0.01),
            ("a", "x", 1, "r2", 1.0, 100.0, 2.0, 0.01),
            ("a", "y", 1, "r1", 1.0, 300.0, NAN, 0.02),
            ("b", "x", 1, "r1", 1.0),
            ("b", "y", 1, "r1", 1.0),
        )
    )
    first, second = found.measured
    assert (first.n_answers, first.tokens) == (2, 200)
    assert (first.usd, first.seconds) == (0.015, 2.0)
    assert np.isnan([second.usd, second.tokens, second.seconds]).all()
    assert second.n_answers == 2


OPEN = "it is open whether X is as good as Y within"


@pytest.mark.parametrize(
    ("scores", "margin", "said"),
    [
        (
            (600, 15, 19, 166),
            0.05,
            "is as good as Y within 5 points: shown (−0.5 points, 95 % interval −1.9 to +0.9)",
        ),
        (
            (100, 20, 20, 60),
            0.01,
            f"{OPEN} 1 point: the cases cannot tell (0.0 points, 95 % interval −6.3 to +6.3)",
        ),
        (
            *((100, 5, 20, 75), 0.05),
            "X is worse than Y (−7.5 points, 95 % interval −12.8 to −2.7); whether by more than "
            "5 points is open",
        ),
        (
            *((500, 15, 40, 245), 0.1),
            "is worse than Y, by less than 10 points: shown (−3.1 points, 95 % interval −4.9 to "
            "−1.3)",
        ),
        (
            (80, 10, 50, 60),
            0.1,
            "is worse than Y by more than 10 points (−20.0 points, 95 % interval −27.1 to −12.9)",
        ),
        (
            (60, 15, 5, 20),
            0.05,
            "is better than Y: shown (+10.0 points, 95 % interval +1.3 to +18.7)",
        ),
    ],
)
def test_sentences(scores, margin, said):
    found, n = verdict(right_wrong(*scores), margin=margin), sum(scores)
    is_open = said.startswith(OPEN) or said.endswith("is open")
    said = f"On your {n} cases {said}." if is_open else f"On your {n} cases X {said}."
    assert words.verdict_in_words(found, "X", "Y") == said
    assert (
        words.verdict_in_words(found, "X", "Y", "likely") == f"{said} Public evidence said: likely."
    )


def test_what_rounds_to_nothing_has_no_sign():
    # Ten cases 0.1 better and ten 0.1008 worse: −0.0004 on average.
    found = verdict(scored(a=[0.6] * 10 + [0.3992] * 10, b=[0.5] * 20))
    assert "(0.0 points, 95 % interval −" in words.verdict_in_words(found, "X", "Y")


def test_shown_is_for_the_whole_list_of_candidates():
    # R: t.test(a, b, paired = TRUE, mu = -0.05, alternative = "greater")$p.value is 0.0118: below
    # 0.025, and not below 0.025/3 where two others of the list are not better.
    n, apart = 250, 15
    a = [1] * apart + [0] * apart + [1] * (n - 2 * apart)
    b = [0] * apart + [1] * apart + [1] * (n - 2 * apart)
    alike = scored(a=a, b=b, c=a, d=a)
    alone = verdict(alike)
    assert alone.p_value == pytest.approx(0.0117991191947)
    assert alone.tier == "shown"
    assert verdict(alike, candidates=("a", "c", "d")).tier == "likely"
    assert verdict(alike, candidates=("a", "missing")).tier == "shown"
    # Two more were agreed and have no results: as many as were agreed are promised.
    assert verdict(alike, candidates=("a",), n_agreed=3).tier == "likely"
    assert verdict(alike, candidates=("a",), n_agreed=1).tier == "shown"


@pytest.mark.parametrize(
    ("a", "b", "margin", "kind", "said"),
    [
        ("x", "b", 0.05, BadRequestError, 'There is no result for "x"; there are: a, b, c.'),
        ("a", "a", 0.05, BadRequestError, 'Both are the model "a": give two different ones.'),
        ("a", "b", 1, BadRequestError, "The margin must be 0 or more and below 1; it is 1."),
        ("a", "c", 0.05, TooFewError, "rated for both models; a and c share 1."),
    ],
)
def test_what_cannot_be_judged_is_one_sentence(a, b, margin, kind, said):
    with pytest.raises(kind, match=said):
        verdict(scored(a=A, b=B, c=[1.0]), a, b, margin)


def test_one_patient_and_one_planned_case_are_too_few():
    with pytest.raises(TooFewError, match=r"at least 2 patients; all are from one\.$"):
        verdict(scored([7] * 8, a=A, b=B))
    with pytest.raises(BadRequestError, match="must be 2 or more; they are 1"):
        verdict(scored(a=A, b=B), planned=1)


def test_a_rival_with_one_case_is_no_test_more():
    alone = verdict(scored(a=A, b=B), candidates=("a", "c"))
    assert verdict(scored(a=A, b=B, c=[1.0]), candidates=("a", "c")).p_value == alone.p_value
    assert verdict(scored(a=A, b=B, c=[1.0]), candidates=("a", "c")).tier == alone.tier


def test_scores_below_0_have_no_bound_to_cut_an_interval_at():
    """Of 0 to 1 no difference is beyond 1; of marks down to −5 it may be."""
    for lowest, is_cut in ((0.0, True), (-5.0, False)):
        found = verdict(scored(a=[1.0, 1.0, lowest], b=[lowest, lowest, 1.0])).difference
        assert (found.ci_low < -1, found.ci_high > 1) == (not is_cut,) * 2


def test_without_a_plan_it_is_open_since_nobody_said_how_many():
    said = words.verdict_in_words(verdict(right_wrong(600, 15, 19, 166), planned=None), "X", "Y")
    assert said.startswith(
        f"On your 800 cases {OPEN} 5 points: you have not said how many cases were"
    )


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


@both
@pytest.mark.parametrize(
    ("n", "loss", "share", "noise"),
    [(50, 1, 0.05, 0.05), (100, 1, 0.05, 0.05), (100, 0.75, 1 / 15, 0.125)],
)
def test_graded_answers_rarely_but_badly_worse_are_not_shown(part, n, loss, share, noise):
    # Truly 5 points worse, by few cases; t alone, and signs in the switch, err in over 5 %.
    rng = np.random.default_rng(50)
    said, by_t = [], []
    for _ in range(int(2000 * part)):
        d = np.where(rng.random(n) < share, -loss, rng.choice([noise, -noise], n))
        found = margin_test(np.maximum(d, 0), np.maximum(-d, 0), 0.05)
        said.append(found.p_if_rare < ALPHA)
        by_t.append(found.p_above < ALPHA)
    at_most(said, 0.04)
    assert np.mean(by_t) > (0.055 if loss == 1 else 0.03)


def test_a_rare_large_loss_keeps_the_verdict_at_likely():
    """One of 60 falls by all, 30 gain a twentieth: +0.8; the score test has p = 0.0495."""
    b = np.r_[1.0, np.full(59, 0.5)]
    a = np.r_[0.0, np.full(30, 0.55), np.full(29, 0.5)]
    found = verdict(scored(a=a, b=b), "a", "b", 0.05, planned=60)
    assert (found.tier, found.may_be_rarely_worse) == ("likely", True)
    assert margin_test(a, b, 0.05).p_if_rare == pytest.approx(0.0495, abs=5e-5)
    said = words.verdict_in_words(found, "A", "B")
    assert said.endswith("So few graded cases do not rule out that it is rarely, but badly, worse.")
    assert not verdict(scored(a=b, b=b), "a", "b", 0.1, planned=60).may_be_rarely_worse


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


@pytest.mark.parametrize(
    ("downs", "p", "tier"), [(31, 0.03671, "open"), (32, 0.02648, "open"), (33, 0.01885, "worse")]
)
def test_worse_is_said_at_two_and_a_half_percent_and_no_earlier(downs, p, tier):
    # Of 100 cases a is right alone on 10 and b on 31, 32, 33. By scipy's ttest_1samp(d, −0.1,
    # alternative="less") p is 3.67, 2.65 and 1.89 %.
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
