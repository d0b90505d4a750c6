"""The blinded rating sheet: who rates what in which order, and what the letters stand for."""

import io
import itertools

import openpyxl
import pytest
from scipy import stats

from core.local_test import package

MODELS = ("GPT-5", "o3", "Llama 3.3")
CASES = package.case_ids(12)


def letters(models, cases, seed):
    """Give the models of each case in the order of its letters."""
    rows = package.key(models, cases, seed)
    return [tuple(r["model"] for r in rows if r["case"] == case) for case in cases]


def test_in_every_case_a_letter_stands_for_one_model_and_a_model_for_one_letter():
    rows = package.key(MODELS, CASES, 3)
    assert [(r["case"], r["letter"]) for r in rows] == [(c, x) for c in CASES for x in "ABC"]
    assert all(sorted(one) == sorted(MODELS) for one in letters(MODELS, CASES, 3))
    # Cases are numbered with three digits, or as many as there must be.
    assert package.case_ids(2) == ["case-001", "case-002"]
    assert package.case_ids(1000)[::999] == ["case-0001", "case-1000"]


def test_the_letters_and_orders_of_a_seed_stay_what_they_are():
    # A key that a later release makes anew must not map ratings to other models. These come from
    # sha256sum: 1|letter|case-001|0 begins with ff2b, …|1 with 52df, so the second model is A;
    # case-002 31db and ec2c, case-003 5b5e and 0986; 1|order|1|case-001 9b5a, eac8 and 3d4b.
    cases = ["case-001", "case-002", "case-003"]
    assert letters(("a", "b"), cases, 1) == [("b", "a"), ("a", "b"), ("b", "a")]
    rows = package.sheet(cases, 2, 1, "rubric", 1)
    assert [r["case"] for r in rows[::2]] == ["case-003", "case-001", "case-002"]


def test_all_permutations_and_places_are_equally_likely():
    for models in ("wx", "wxy", "wxyz"):
        drawn = [one for seed in range(600) for one in letters(models, CASES[:4], seed)]
        counts = [drawn.count(order) for order in itertools.permutations(models)]
        assert sum(counts) == 2400
        assert stats.chisquare(counts).pvalue > 0.001
    # Neighbouring cases and seeds are permuted independently.
    drawn = [letters(("x", "y"), CASES[:2], seed) for seed in range(1000)]
    same = sum(first == second for first, second in drawn)
    assert stats.binomtest(same, 1000).pvalue > 0.001
    same = sum(drawn[i][0] == drawn[i + 1][0] for i in range(999))
    assert stats.binomtest(same, 999).pvalue > 0.001
    # Every place of the order is equally likely for a case.
    orders = (
        [r["case"] for r in package.sheet(CASES[:6], 2, rater, "rubric", seed)[::2]]
        for seed in range(600)
        for rater in package.RATERS
    )
    places = [order.index("case-001") for order in orders]
    assert stats.chisquare([places.count(i) for i in range(6)]).pvalue > 0.001


def test_raters_see_the_cases_in_different_orders_and_each_of_them_once():
    one, two = (package.sheet(CASES, 3, rater, "rubric", 3) for rater in (1, 2))
    assert [r["case"] for r in one] != [r["case"] for r in two]
    for rater, rows in ((1, one), (2, two)):
        assert [r["case"] for r in rows] != sorted(r["case"] for r in rows)
        assert sorted((r["case"], r["letter"]) for r in rows) == [
            (case, letter) for case in CASES for letter in "ABC"
        ]
        assert [r["order"] for r in rows] == list(range(1, 37))
        assert {r["rater"] for r in rows} == {rater}
        assert {(r["answer"], r["rating"], r["comment"]) for r in rows} == {(None,) * 3}


@pytest.mark.parametrize(
    ("judged", "column", "scale"),
    [("rubric", "rating", '"1,2,3,4,5"'), ("right/wrong", "right", '"1,0"')],
)
def test_the_workbook_has_a_sheet_a_rater_that_takes_only_the_scale(judged, column, scale):
    sheets = [package.sheet(CASES, 3, rater, judged, 3) for rater in (1, 2)]
    book = openpyxl.load_workbook(io.BytesIO(package.workbook(sheets, judged)))
    assert book.sheetnames == ["Rater 1", "Rater 2"]
    for page, rows in zip(book, sheets, strict=True):
        head, *cells = page.iter_rows(values_only=True)
        assert head == ("rater", "order", "case", "letter", "answer", column, "comment", "patient")
        assert [dict(zip(head, line, strict=True)) for line in cells] == rows
        (rule,) = page.data_validations.dataValidation
        assert (rule.type, rule.formula1, str(rule.sqref)) == ("list", scale, "F2:F37")
        assert rule.showErrorMessage
