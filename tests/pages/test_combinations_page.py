"""The tab on combinations against the answers behind it, and where there is nothing to combine."""

from dataclasses import replace

import pytest
from reading import number, table

from core.answers import combinations, recommend
from core.domain import Requirements, TooFewError
from pages.components import evidence
from pages.cost import combinations as parts

PAGE = "cost/combinations"
ALL = Requirements(on_sale_months=None)
"""Every model that MedHELM tested, whether or not it can still be bought."""
SALE = {"sale": "Not asked"}
EXAMS = {"evidence": "Open Medical-LLM"}


def of_kinds(knowledge, decisions, research):
    return {
        "Medical knowledge exams": knowledge,
        "Clinical Decision Support": decisions,
        "Medical Research Assistance": research,
    }


def test_the_held_out_gain_of_choosing_is_the_answer(visit, bundled):
    at = visit(PAGE, **SALE)
    found = combinations.combinations(bundled, ALL, evidence.today()).found
    held = dict(found.held_out_gains)
    assert max(held.values()) < 0 < found.largest_gain
    gains = number(r"pair gains ([−+\d.]+) points and the best three ([−+\d.]+) points", at)
    assert gains == pytest.approx([held[2] * 100, held[3] * 100], abs=0.05)
    assert number(r"([\d,]+) of ([\d,]+) combinations tried", at) == [found.n_better, found.n_tried]
    offered = at.selectbox(key="combination").options
    assert offered == [" + ".join(one.models) for one in found.found]


def test_a_chosen_combination_shows_its_categories_and_its_bill(visit, bundled):
    found = combinations.combinations(bundled, ALL, evidence.today()).found
    one = found.found[1]
    at = visit(PAGE, **SALE, combination=" + ".join(one.models))
    said = number(r"it gains ([−+\d.]+) points .* interval ([−+\d.]+) to ([−+\d.]+)\)", at)
    assert said == pytest.approx([g * 100 for g in (one.gain, one.ci_low, one.ci_high)], abs=0.05)
    shown = table(at, "Gain")
    assert list(zip(shown["Category"], shown["Answered by"], strict=True)) == list(one.assignment)
    assert (shown["Gain"] * shown["Weight, %"]).sum() / 100 == pytest.approx(one.gain * 100)
    assert shown["Benchmarks"].sum() == 37
    lines = table(at, "Price of")
    assert lines["Bill, $ a month"].sum() == pytest.approx(one.monthly_usd)
    assert lines["Requests a month"].sum() == pytest.approx(10_000)
    usd = number(r"about \$([\d,]+) a month.* alone: \$([\d,]+) a month", at)
    assert usd == pytest.approx([one.monthly_usd, found.best_single_usd], abs=0.5)


def test_unpriced_models_are_to_be_asked_for_and_never_free(visit, bundled):
    found = combinations.combinations(bundled, Requirements(suite="bridge"), evidence.today()).found
    unpriced = next(one for one in found.found if one.unpriced)
    assert unpriced.monthly_usd is None
    shown = visit(PAGE, evidence="BRIDGE").selectbox(key="combination").options
    at = visit(PAGE, evidence="BRIDGE", combination=shown[found.found.index(unpriced)])
    lines = table(at, "Price of")
    assert "no public price: ask the vendor" in set(lines["Price from"])
    assert not (lines["Bill, $ a month"] == 0).any()


def test_models_that_complete_each_other(visit, exams):
    # Alone .6 at the most; m0 and m1 have .9 and .9 and, in research, .3 or .6.
    levels = ((0.9, 0.3, 0.3), (0.3, 0.9, 0.6), (0.3, 0.3, 0.3), (0.1, 0.1, 0.1))
    exams(*(of_kinds(*level) for level in levels))
    at = visit(PAGE, **EXAMS, combination="m0 + m1")
    assert number(r"beat m1, which scores ([\d.]+)", at) == [60]
    shown = table(at, "Gain").set_index("Category")
    assert shown["Answered by"].to_dict() == of_kinds("m0", "m1", "m1")
    assert (shown["Gain"] * shown["Weight, %"]).sum() / 100 == pytest.approx(20)


def test_where_one_model_is_best_throughout(visit, exams):
    exams(of_kinds(0.9, 0.9, 0.9), of_kinds(0.6, 0.7, 0.6), of_kinds(0.4, 0.5, 0.4))
    at = visit(PAGE, **EXAMS)
    assert number(r"beats m0 alone: of (\d+) combinations tried", at) == [4]
    assert not at.dataframe


@pytest.mark.parametrize(
    ("query", "rows"),
    [
        (
            {"task": "Own weights", "category": ["Administration and Workflow"]},
            ["Administration and Workflow"],
        ),
        ({"evidence": "NOHARM, safety"}, None),
    ],
    ids=["one category", "sides of one answer"],
)
def test_where_nothing_can_be_shared_out_a_sentence_says_why(visit, query, rows):
    at = visit(PAGE, **query)
    assert not at.error
    assert [one.icon for one in at.info] == [":material/search_off:"]
    assert rows is None or list(table(at, "Best model")["Category"]) == rows


def test_kinds_of_requests_go_to_the_model_of_their_category(bundled):
    volumes = (("visit-notes", 1000.0), ("prior-authorisations", 500.0))
    asked = replace(ALL, volumes=volumes)
    found = combinations.combinations(bundled, asked, evidence.today())
    one = found.found.found[0]
    model_of = dict(one.assignment)
    assert [(line.category, line.model) for line in one.lines] == [
        (category, model_of[category])
        for category in ("Clinical Note Generation", "Administration and Workflow")
    ]
    listed = recommend.shortlist(bundled, asked, evidence.today())
    bills = {row.model.id: dict(row.bill.lines) for row in listed.rows}
    assert one.monthly_usd == sum(bills[line.model][line.requests] for line in one.lines)
    names = {row.model.id: row.model.name for row in listed.rows}
    text = parts.bill_in_words(one, found.found, names)
    assert "You gave no requests for" in text.replace("\\", "")


def test_kinds_that_no_category_covers(bundled):
    # BRIDGE has categories of its own, none of which is one of MedHELM's.
    asked = Requirements(suite="bridge", volumes=(("visit-notes", 1000.0),))
    found = combinations.combinations(bundled, asked, evidence.today()).found
    assert {one.monthly_usd for one in found.found} == {None}
    assert found.best_single_usd is not None
    text = parts.bill_in_words(found.found[0], found, {m: m for m in found.candidates})
    assert "None of your requests belongs to a category that counts here" in text
    # One of two categories counts: the other's requests go to the better member overall.
    weights = (("Administration and Workflow", 1.0), ("Clinical Decision Support", 1.0))
    volumes = (("prior-authorisations", 500.0), ("visit-notes", 1000.0))
    asked = replace(ALL, task="own", weights=weights, volumes=volumes)
    found = combinations.combinations(bundled, asked, evidence.today()).found
    for one in found.found:
        stray = next(line for line in one.lines if not line.category)
        listed = recommend.shortlist(bundled, asked, evidence.today()).rows
        best = next(row.model.id for row in listed if row.model.id in one.models)
        assert stray.model == best
    names = {m: m for m in found.candidates}
    assert f"these go to {best}" in parts.bill_in_words(one, found, names).replace("\\", "")


def test_too_few_is_an_answer_of_its_own(bundled):
    only = Requirements(only=("o4-mini (2025-04-16)",))
    with pytest.raises(TooFewError, match="at least 2 models"):
        combinations.combinations(bundled, only, evidence.today())
