"""The answer on the landing page, and how sure it is."""

import math

import pytest
from reading import number, press, said, table, turn_to

from core.answers import recommend
from core.sharing import link
from core.words.recommendation import in_short, tiles, title
from pages.components import evidence

SHORTLIST, EQUIVALENTS = "recommend/answer", "replace/candidates"
DECIDE = (
    *(SHORTLIST, EQUIVALENTS, "recommend/how_sure", "replace/side_by_side"),
    *("conditions/platforms", "cost/quality"),
    *("cost/own_servers", "cost/combinations", "recommend/kept"),
)
DOCUMENTATION = {
    "task": "Documentation",
    "budget": "300",
    "gates": "Business associate agreement (BAA)",
    "sale_on": "2026-11-22",
}
OWN = {"evidence": "BRIDGE", "access": "Our own servers only", "max_params": "33 B"}
JANUARY = {"sale_on": "2026-01-31"}
SUPPORT = {**JANUARY, "task": "Decision support"}


def answer(query):
    store = evidence.store()
    asked = {key: [value] for key, value in query.items()}
    found = link.from_query(asked, store.catalogue, store.snapshots).requirements
    return recommend.recommendation(store, found, evidence.priced_on(found))


@pytest.mark.parametrize(
    ("asked", "strength"),
    [(DOCUMENTATION, "shortlist"), (OWN, "take"), (JANUARY, "take"), (SUPPORT, "choose")],
    ids=["documentation", "own servers", "January", "decision support"],
)
def test_the_landing_page_gives_the_recommendation(asked, strength, visit):
    at, decided = visit(**asked), answer(asked)
    assert decided.strength == strength
    text, day = said(at), evidence.priced_on(decided.requirements)
    assert text.splitlines().count(f"#### {title(decided)}") == 1
    sentences = in_short(decided, day)
    assert len(sentences) <= 3
    assert all(sentence in text for sentence in sentences)
    # Several stand in rows or beside each other, and each has its four figures.
    (drawn,) = (one.value for one in at.markdown if one.value.startswith("#### "))
    lines = drawn.replace("\\", "").splitlines()
    for n, each in enumerate(decided.test_these or decided.choose, 1):
        begin = f"{n}. " if decided.test_these else "- "
        assert f"{begin}**{each.model.name}**" in lines
    shown = decided.test_these or decided.choose or (decided.take,)
    figures = [tile for each in shown for tile in tiles(each)]
    assert len(figures) == 4 * len(shown)
    for tile in figures:
        assert f"*{tile.name}* **{tile.figure}** {tile.about}".rstrip() in "\n".join(lines)
    listed = [line.strip().removeprefix("- ").split(" · ")[0] for line in text.splitlines()]
    roles = (decided.as_good[:4], decided.worth_testing[:4], (decided.step_down,))
    rest = [each.model.name for role in roles for each in role if each]
    assert [name for name in listed if name in rest] == rest
    table = at.dataframe[0].value
    for _, each in decided.decisions():
        row = table[table["Model"] == each.model.name].iloc[0]
        assert row["As good as the first?"] == (each.judged.tier if each.judged else "")
        cost, harm = each.cost.likely, each.safety and each.safety.share * 100
        figures = [math.nan if it is None else it for it in (cost, harm)]
        shown = row[["Cost, $ a month", "Severe harm, %"]].tolist()
        assert shown == pytest.approx(figures, nan_ok=True)


def test_where_nothing_fits_one_click_widens_the_question(visit):
    at = visit(evidence="MedHELM", access="Our own servers only", max_params="1 B")
    assert "no model fits all of it." in said(at)
    assert "The smallest model tested is Llama 3.3 Instruct (70B) with 70." in said(at)
    (wider,) = (one.label for one in at.button if one.label.startswith("Raise the limit to 70"))
    press(at, wider)
    assert list(at.dataframe[0].value["Model"]) == ["Llama 3.3 Instruct (70B)"]
    at = visit(evidence="MedHELM", budget="1")
    assert "The lowest known cost is about $" in said(at)
    (wider,) = (one.label for one in at.button if one.label.startswith("Raise the budget to $"))
    assert len(press(at, wider).dataframe[0].value) == 1
    # One L4 at 0.7564 an hour, the median of its providers, for 730 hours: a 4 B model at least.
    at = visit(evidence="BRIDGE", access="Our own servers only", budget="100")
    known, least = number(r"lowest known cost is about \$([\d,]+) .* at least \$([\d,]+) a", at)
    assert (known, least) == (2913, 552)
    at = visit(evidence="Open Medical-LLM", task="Documentation", sale="Not asked")
    offers = [one.label for one in at.main.button if one.label.startswith("Use ")]
    assert offers == ["Use MedHELM", "Use BRIDGE", "Use BenchHealth", "Use GerMedBench, German"]
    press(at, offers[0])
    assert at.selectbox(key="evidence").value == "MedHELM"
    assert len(at.dataframe[0].value) > 5
    for query in [
        {"evidence": "Open Medical-LLM", "only": "GPT-4", "sale": "Not asked", "model": "GPT-4"},
        {"evidence": "NOHARM, safety", "task": "Research", "max_params": "1 B", "budget": "1"},
    ]:
        at = visit(**query)
        for page in DECIDE:
            turn_to(at, page)
            # A fault of ours is said on the page.
            assert (list(at.exception), list(at.error)) == ([], []), page
    for spoken, language in (({}, ""), ({"language": "Spanish"}, "Spanish · ")):
        at = visit(SHORTLIST, evidence="BRIDGE", **spoken)
        begins = f"All kinds of work · {language}"
        assert at.button(key="asked").label.startswith(begins)
        assert ("on 14 tests in Spanish" in said(at)) == bool(spoken)


def test_a_row_of_long_tasks_shows_what_a_task_cost_and_how_long_it_took(visit):
    at = visit(evidence="χ-Bench, agents")
    place = list(at.dataframe[0].value["Model"]).index("Claude Opus 5 with Claude Code")
    at.session_state["row"] = {"selection": {"rows": [place], "columns": [], "cells": []}}
    at.session_state["scores_fold"] = True
    shown = table(at.run(), "Cost a task").set_index("Benchmark")
    # Printed: 3.44517 dollars.
    assert shown.loc["Prior authorisation, provider side", "Cost a task"] == pytest.approx(3.44517)
    assert (shown["Minutes a task"] > 1).all()


HOW_SURE, SALE = "recommend/how_sure", {"sale": "Not asked"}
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


def test_the_published_share_of_weightings_comes_out(visit):
    at = visit(HOW_SURE, **SALE)
    assert number(r"o4-mini .* is first in (\d+) % of ([\d,]+)", at) == [57, 2000]


def test_where_no_weight_changes_the_first_place(visit, models):
    models((0.9, 0.9), (0.7, 0.7))
    at = visit(HOW_SURE, **EXAMS)
    assert number(r"m0 is first in (\d+) % of ([\d,]+)", at) == [100, 2000]
    assert set(table(at, "Flips at, %")["First then"]) == {"never"}
    assert table(at, "Flips at, %")["Flips at, %"].isna().all()


def test_a_single_category_has_no_weights_to_vary(visit):
    at = visit(HOW_SURE, **SALE, task="Own weights", category=["Administration and Workflow"])
    assert "Administration and Workflow" in said(at)
    assert not [one for one in at.dataframe if "Flips at, %" in one.value]
    shown = table(at, "May be")
    assert "First, %" not in shown


@pytest.mark.parametrize("query", [{"max_params": "1 B"}, {}], ids=["none", "one"])
def test_without_an_order_a_sentence_says_why(query, visit, models):
    models((0.9, 0.5))
    at = visit(HOW_SURE, **EXAMS, **query)
    assert not at.error
    (told,) = at.info
    assert "no order to test" in told.value
