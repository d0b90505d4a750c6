"""The page on combinations: what it says, against the answers behind it, and with few models."""

from dataclasses import replace

import pytest

from core.answers import combinations, recommend
from core.domain import Requirements, TooFewError
from pages.components import evidence
from pages.cost import combinations as parts

PAGE = "cost/combinations"
EXAMS = "open-medical-llm"
ALL = Requirements(on_sale_months=None)
"""Every model that MedHELM tested, whether or not it can still be bought."""
SALE = {"sale": "Not asked"}


def said(at):
    """All that stands on the page in words."""
    groups = (at.markdown, at.caption, at.info, at.warning)
    return "\n".join(one.value for group in groups for one in group).replace("\\", "")


def table(at, column):
    return next(one.value for one in at.dataframe if column in one.value)


@pytest.fixture
def models(data, write_snapshot, bundled):
    """Write models by their scores in knowledge exams, decision support, and research."""
    found = bundled.catalogue.benchmarks[EXAMS]
    order = ("Medical knowledge exams", "Clinical Decision Support", "Medical Research Assistance")

    def write(*levels):
        write_snapshot(
            data,
            EXAMS,
            [
                (f"org/m{i}", b.id, level[order.index(b.category)])
                for i, level in enumerate(levels)
                for b in found
            ],
        )

    return write


def test_the_held_out_gain_of_choosing_is_the_answer(visit, bundled):
    at = visit(PAGE, **SALE)
    found = combinations.combinations(bundled, ALL, evidence.today()).found
    held = dict(found.held_out_gains)
    assert max(held.values()) < 0 < found.largest_gain
    pair, three = (f"{held[size] * 100:+.1f}".replace("-", "−") for size in (2, 3))
    text = said(at)
    assert (
        f"**No combination is shown to beat {found.best_single}: chosen on one half of the "
        f"benchmarks and judged on the other, the best pair gains {pair} points and the best "
        f"three {three} points.**" in text
    )
    assert f"{found.n_better} of {found.n_tried} combinations tried look better" in text
    assert not any("Held-out gain" in frame.value for frame in at.dataframe)
    offered = at.selectbox(key="combination").options
    assert offered == [" + ".join(one.models) for one in found.found]


def test_a_chosen_combination_shows_its_categories_and_its_bill(visit, bundled):
    found = combinations.combinations(bundled, ALL, evidence.today()).found
    one = found.found[1]
    at = visit(PAGE, **SALE, combination=" + ".join(one.models))
    text = said(at)
    signed = [f"{share * 100:+.1f}".replace("-", "−") for share in (one.gain, one.ci_low)]
    assert f"which flatters, it gains {signed[0]} points" in text
    assert f"95 % interval {signed[1]} to " in text
    shown = table(at, "Gain")
    assert list(zip(shown["Category"], shown["Answered by"], strict=True)) == list(one.assignment)
    assert (shown["Gain"] * shown["Weight, %"]).sum() / 100 == pytest.approx(one.gain * 100)
    assert shown["Benchmarks"].sum() == 37
    lines = table(at, "Price of")
    assert lines["Bill, $ a month"].sum() == pytest.approx(one.monthly_usd)
    assert lines["Requests a month"].sum() == pytest.approx(10_000)
    assert f"Together about ${one.monthly_usd:,.0f} a month" in text
    assert f"{found.best_single} alone: ${found.best_single_usd:,.0f} a month" in text


def test_an_unknown_combination_in_a_link_is_said(visit):
    at = visit(PAGE, **SALE, combination="One + Another")
    assert any("One + Another" in note.value.replace("\\", "") for note in at.warning)
    assert not at.error


def test_unpriced_models_are_to_be_asked_for_and_never_free(visit, bundled):
    found = combinations.combinations(bundled, Requirements(suite="bridge"), evidence.today()).found
    unpriced = next(one for one in found.found if one.unpriced)
    assert unpriced.monthly_usd is None
    shown = visit(PAGE, evidence="BRIDGE").selectbox(key="combination").options
    name = shown[found.found.index(unpriced)]
    at = visit(PAGE, evidence="BRIDGE", combination=name)
    assert "The bill is not known." in said(at)
    lines = table(at, "Price of")
    assert "no public price: ask the vendor" in set(lines["Price from"])
    assert not (lines["Bill, $ a month"] == 0).any()


def test_models_that_complete_each_other(visit, models):
    # Alone .6 at the most; m0 and m1 have .9 and .9 and, in research, .3 or .6.
    models((0.9, 0.3, 0.3), (0.3, 0.9, 0.6), (0.3, 0.3, 0.3), (0.1, 0.1, 0.1))
    at = visit(PAGE, evidence="Open Medical-LLM", combination="m0 + m1")
    text = said(at)
    assert "A combination may beat m1, which scores 60.0" in text
    assert "for want of a second benchmark: Medical Research Assistance" in text
    shown = table(at, "Gain").set_index("Category")
    assert shown["Answered by"].to_dict() == {
        "Medical knowledge exams": "m0",
        "Clinical Decision Support": "m1",
        "Medical Research Assistance": "m1",
    }
    assert (shown["Gain"] * shown["Weight, %"]).sum() / 100 == pytest.approx(20)


def test_where_one_model_is_best_throughout(visit, models):
    models((0.9, 0.9, 0.9), (0.6, 0.7, 0.6), (0.4, 0.5, 0.4))
    at = visit(PAGE, evidence="Open Medical-LLM")
    assert "No combination beats m0 alone: of 4 combinations tried, none scores higher" in said(at)
    assert not at.dataframe


@pytest.mark.parametrize("n", [1, 2])
def test_few_models_give_a_sentence_and_why(visit, models, n):
    models(*((0.9, 0.5, 0.5), (0.5, 0.9, 0.5))[:n])
    at = visit(PAGE, evidence="Open Medical-LLM")
    assert not at.error
    assert "There is nothing to combine." in said(at)
    assert len(at.dataframe) == 1


def test_a_single_category_has_nothing_to_combine(visit):
    at = visit(
        PAGE, evidence="MedHELM", task="Own weights", category=["Administration and Workflow"]
    )
    assert "A combination takes at least 2 task categories; there is 1." in said(at)
    assert list(table(at, "Best model")["Category"]) == ["Administration and Workflow"]


def test_sides_of_one_answer_cannot_be_shared_out(visit):
    at = visit(PAGE, evidence="NOHARM, safety")
    assert "The categories of NOHARM are sides of the same answers" in said(at)


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
    with pytest.raises(TooFewError, match="at least 2 models"):
        combinations.combinations(
            bundled, Requirements(only=("o4-mini (2025-04-16)",)), evidence.today()
        )
