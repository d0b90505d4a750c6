"""The verdict on own cases: by hand, as R has it, and how often its tiers err by simulation."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from core.domain import BadRequestError, TooFewError
from core.local_test.verdict import verdict as judged
from core.results.collected import COLUMNS, Results
from core.statistics.items import score_interval
from core.words import local_test as words

A = [0.9, 0.8, 0.75, 1, 0.6, 0.5, 0.85, 0.7]
B = [0.8, 0.85, 0.7, 0.9, 0.65, 0.45, 0.8, 0.75]
NAN = float("nan")
UNNAMED = (
    "The cases name no patient and count as one of their own each: where a patient has several "
    "cases, give the column patient."
)


def verdict(scores, a="a", b="b", margin=0.05, planned=2, **more):
    """Judge where all cases that were planned are there."""
    return judged(scores, a, b, margin, planned=planned, **more)


def results(*rows, patients=None):
    """Rows of model, item, attempt, rater, score, and what of tokens, seconds, cost there is."""
    full = [(*row, *(NAN,) * (len(COLUMNS) - len(row))) for row in rows]
    return Results("test", pd.DataFrame(full, columns=COLUMNS), patients=patients or {})


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
    # With the last of the planned cases it is judged, with one less it is open.
    for planned, said in ((2, tier), (sum(counts), tier), (sum(counts) + 1, "open")):
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
    said = "6 scores that no person gave do not count, since persons rated."
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
    (found,) = verdict(results(*rows)).agreement
    assert (found.raters, found.n_answers, found.same) == (("r0", "r1", "r2", "r3"), 6, 0)
    assert round(found.icc_k, 2) == 0.91
    assert round(found.icc_k / (4 - 3 * found.icc_k), 2) == 0.71


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
        ((600, 15, 19, 166), 0.05, "is as good within 5 points: shown (−0.5, −1.9 to +0.9)"),
        ((100, 20, 20, 60), 0.01, f"{OPEN} 1 point: the cases cannot tell (+0.0, −6.3 to +6.3)"),
        ((100, 5, 20, 75), 0.05, f"{OPEN} 5 points: probably not (−7.5, −12.8 to −2.7)"),
        (
            *((500, 15, 40, 245), 0.1),
            "is worse, by less than 10 points: shown (−3.1, −4.9 to −1.3)",
        ),
        ((80, 10, 50, 60), 0.1, "is worse by more than 10 points (−20.0, −27.1 to −12.9)"),
        ((60, 15, 5, 20), 0.05, "is better: shown (+10.0, +1.3 to +18.7)"),
    ],
)
def test_sentences(scores, margin, said):
    found, n = verdict(right_wrong(*scores), margin=margin), sum(scores)
    is_open = said.startswith(OPEN)
    said = f"On your {n} cases {said}." if is_open else f"On your {n} cases X {said}, against Y."
    assert words.verdict(found, "X", "Y") == said
    assert words.verdict(found, "X", "Y", "likely") == f"{said} Public evidence said: likely."


def test_shown_is_for_the_whole_list_of_candidates():
    # R: t.test(a, b, paired = TRUE, mu = -0.05, alternative = "greater")$p.value is 0.0118: below
    # 0.025, and not below 0.025/3 where two others of the list are no better.
    n, apart = 250, 15
    a = [1] * apart + [0] * apart + [1] * (n - 2 * apart)
    b = [0] * apart + [1] * apart + [1] * (n - 2 * apart)
    alike = scored(a=a, b=b, c=a, d=a)
    alone = verdict(alike)
    assert alone.p_value == pytest.approx(0.0117991191947)
    assert alone.tier == "shown"
    assert verdict(alike, candidates=("a", "c", "d")).tier == "likely"
    assert verdict(alike, candidates=("a", "missing")).tier == "shown"


@pytest.mark.parametrize(
    ("a", "b", "margin", "kind", "said"),
    [
        ("x", "b", 0.05, BadRequestError, 'There is no result of "x"; there are: a, b, c.'),
        ("a", "a", 0.05, BadRequestError, 'Both are the model "a": give two different ones.'),
        ("a", "b", 1, BadRequestError, "The margin must be 0 or more and below 1; it is 1."),
        ("a", "c", 0.05, TooFewError, "rated for both models; a and c share 1."),
    ],
)
def test_what_cannot_be_judged_is_one_sentence(a, b, margin, kind, said):
    with pytest.raises(kind, match=said):
        verdict(scored(a=A, b=B, c=[1.0]), a, b, margin)
