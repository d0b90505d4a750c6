"""The tab How sure against the answer behind it, and where there is no order to test."""

import pytest
from reading import number, said, table

from core.answers import recommend
from core.domain import Requirements
from pages.components import evidence

PAGE, SALE = "recommend/how_sure", {"sale": "Not asked"}
EXAMS = {"evidence": "Open Medical-LLM"}


@pytest.fixture
def models(exams):
    """Write models by their scores in knowledge exams, and in all other benchmarks."""
    kinds = ("Clinical Decision Support", "Medical Research Assistance")
    return lambda *levels: exams(
        *(
            {"Medical knowledge exams": knowledge, **dict.fromkeys(kinds, other)}
            for knowledge, other in levels
        )
    )


def test_the_page_says_what_the_answer_holds(visit, bundled):
    at = visit(PAGE, **SALE)
    found = recommend.robustness(bundled, Requirements(on_sale_months=None), evidence.today())
    first = found.models[0]
    assert number(r"is first in (\d+) % of ([\d,]+) plausible", at) == [
        round(first.first_share * 100),
        2000,
    ]
    shown = table(at, "First, %")
    assert list(shown["Model"]) == [spread.model for spread in found.models]
    assert list(shown["First, %"]) == [spread.first_share * 100 for spread in found.models]
    assert sum(shown["First, %"]) == pytest.approx(100)
    # The published check: 57 % of weightings.
    assert (first.model, round(first.first_share, 2)) == ("o4-mini (2025-04-16)", 0.57)
    flips = table(at, "Flips at, %")
    assert list(flips["First then"]) == [flip.model for flip in found.flips]
    assert list(flips["Flips at, %"]) == [flip.flips_at * 100 for flip in found.flips]


def test_where_no_weight_changes_the_first_place(visit, models):
    models((0.9, 0.9), (0.7, 0.7))
    at = visit(PAGE, **EXAMS)
    assert number(r"m0 is first in (\d+) % of ([\d,]+)", at) == [100, 2000]
    assert set(table(at, "Flips at, %")["First then"]) == {"never"}
    assert table(at, "Flips at, %")["Flips at, %"].isna().all()


def test_a_single_category_has_no_weights_to_vary(visit):
    at = visit(PAGE, **SALE, task="Own weights", category=["Administration and Workflow"])
    assert "Administration and Workflow" in said(at)
    assert not [one for one in at.dataframe if "Flips at, %" in one.value]
    shown = table(at, "May be")
    assert "First, %" not in shown


@pytest.mark.parametrize("query", [{"max_params": "1 B"}, {}], ids=["none", "one"])
def test_without_an_order_a_sentence_says_why(query, visit, models):
    models((0.9, 0.5))
    at = visit(PAGE, **EXAMS, **query)
    assert not at.error
    (told,) = at.info
    assert "no order to test" in told.value
