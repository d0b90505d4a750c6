"""The page on combinations: what it says, against the answers behind it, and with few models."""

from dataclasses import replace

import pytest

from core.answers import combinations, recommend
from core.domain import Requirements, TooFewError
from pages.components import evidence
from pages.cost import combination_tables as parts

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


def test_the_answer_says_what_the_search_gains_on_benchmarks_that_had_no_say(visit, bundled):
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
    shown = table(at, "Clusters")
    assert shown["Models"][0] == f"{found.best_single} alone"
    assert list(shown["Gain"][1:]) == [one.gain * 100 for one in found.found]
    assert list(shown["Bill, $ a month"][1:]) == [one.monthly_usd for one in found.found]
    assert "US dollars for 10,000 requests a month, at public list prices of" in text


def test_a_chosen_combination_shows_its_categories_and_its_bill(visit, bundled):
    found = combinations.combinations(bundled, ALL, evidence.today()).found
    one = found.found[1]
    at = visit(PAGE, **SALE, combination=" + ".join(one.models))
    search = f"{dict(found.held_out_gains)[len(one.models)] * 100:+.1f}".replace("-", "−")
    own = f"{one.gain * 100:+.1f}".replace("-", "−")
    (sentence,) = [part.value for part in at.markdown if "in this way gains" in part.value]
    assert sentence.replace("\\", "").startswith(
        f"**Choosing a {'pair' if len(one.models) == 2 else 'three'} in this way gains {search} "
    )
    assert own != search
    assert sentence.replace("\\", "").index(own) > sentence.index("flatters")
    shown = table(at, "Answered by")
    assert list(zip(shown["Category"], shown["Answered by"], strict=True)) == list(one.assignment)
    assert (shown["Gain"] * shown["Weight, %"]).sum() / 100 == pytest.approx(one.gain * 100)
    assert shown["Benchmarks"].sum() == 37
    lines = table(at, "Price of")
    assert lines["Bill, $ a month"].sum() == pytest.approx(one.monthly_usd)
    assert lines["Requests a month"].sum() == pytest.approx(10_000)
    text = said(at)
    assert f"Together about ${one.monthly_usd:,.0f} a month" in text
    assert f"{found.best_single} alone: ${found.best_single_usd:,.0f} a month" in text


def test_an_unknown_combination_in_a_link_is_said(visit):
    at = visit(PAGE, **SALE, combination="One + Another")
    assert any("One + Another" in note.value.replace("\\", "") for note in at.warning)
    assert not at.error


def bill_of(store, model):
    listed = recommend.shortlist(store, ALL, evidence.today())
    return next(row.bill.monthly_usd for row in listed.rows if row.model.id == model)


def test_unpriced_models_are_to_be_asked_for_and_never_free(visit):
    at = visit(PAGE, evidence="BRIDGE")
    shown = table(at, "Clusters").set_index("Models")
    unknown = shown[shown["Bill, $ a month"].isna()]
    assert len(unknown)
    assert unknown["Price"].str.startswith("no public price: ask the vendor of ").all()
    assert not (shown["Bill, $ a month"] == 0).any()
    at = visit(PAGE, evidence="BRIDGE", combination=unknown.index[0])
    assert "The bill is not known." in said(at)
    assert "no public price: ask the vendor" in set(table(at, "Price of")["Price from"])


def test_models_that_complete_each_other(visit, models):
    # Alone .6 at the most; m0 and m1 have .9 and .9 and, in research, .3 or .6.
    models((0.9, 0.3, 0.3), (0.3, 0.9, 0.6), (0.3, 0.3, 0.3), (0.1, 0.1, 0.1))
    at = visit(PAGE, evidence="Open Medical-LLM")
    text = said(at)
    assert "A combination may beat m1, which scores 60.0" in text
    assert "This figure has no interval, so it is a hint and no proof." in text
    assert "for want of a second benchmark: Medical Research Assistance" in text
    shown = table(at, "Clusters").set_index("Models")
    assert shown.loc["m0 + m1", "Gain"] == pytest.approx(20)
    assert shown.loc["m0 + m1", "Who does what"] == "m0: Medical knowledge exams; m1: all else"


def test_where_one_model_is_best_throughout(visit, models):
    models((0.9, 0.9, 0.9), (0.6, 0.7, 0.6), (0.4, 0.5, 0.4))
    at = visit(PAGE, evidence="Open Medical-LLM")
    assert "No combination beats m0 alone: of 4 combinations tried, none scores higher" in said(at)
    assert list(table(at, "Clusters")["Models"]) == ["m0 alone"]


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
    text = parts.bill(one, found.found, names, "")
    assert "You gave no requests for" in text.replace("\\", "")


def test_kinds_that_no_category_covers(bundled):
    # BRIDGE has categories of its own, none of which is one of MedHELM's.
    asked = Requirements(suite="bridge", volumes=(("visit-notes", 1000.0),))
    found = combinations.combinations(bundled, asked, evidence.today()).found
    assert {one.monthly_usd for one in found.found} == {None}
    assert found.best_single_usd is not None
    text = parts.bill(found.found[0], found, {m: m for m in found.candidates}, "")
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
    assert f"these go to {best}" in parts.bill(one, found, names, "").replace("\\", "")


def test_too_few_is_an_answer_of_its_own(bundled):
    with pytest.raises(TooFewError, match="at least 2 models"):
        combinations.combinations(
            bundled, Requirements(only=("o4-mini (2025-04-16)",)), evidence.today()
        )
