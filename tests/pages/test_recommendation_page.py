"""The answer on the landing page and on Smaller equivalents, against the answer behind it."""

import math

import pytest
from places import turn_to
from reading import number, press, said, table

from core.answers import recommend
from core.sharing import link
from core.words.figures import estimate, money
from core.words.recommendation import alerts, in_short, tiles, title
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
    """Return what the pages were to show."""
    store = evidence.store()
    asked = {key: [value] for key, value in query.items()}
    found = link.from_query(asked, store.catalogue, store.snapshots).requirements
    return recommend.recommendation(store, found, evidence.priced_on(found))


def roles(decided):
    """Return the names that a recommendation gives each role, in their order."""
    found = {}
    for role, each in decided.decisions():
        found.setdefault(role, []).append(each.model.name)
    return found


@pytest.mark.parametrize(
    ("asked", "strength"),
    [(DOCUMENTATION, "shortlist"), (OWN, "take"), (JANUARY, "take"), (SUPPORT, "choose")],
    ids=["documentation", "own servers", "January", "decision support"],
)
def test_the_landing_page_gives_the_recommendation(asked, strength, visit):
    at, decided = visit(**asked), answer(asked)
    expected = roles(decided)
    assert decided.strength == strength
    text, day = said(at), evidence.priced_on(decided.requirements)
    assert text.splitlines().count(f"#### {title(decided)}") == 1
    sentences = in_short(decided, day)
    assert len(sentences) <= 3
    assert set(alerts(decided, day)[:1]) <= set(sentences)
    assert all(sentence in text for sentence in sentences)
    # Several stand in rows or beside each other, and each has its four figures.
    (drawn,) = (one.value for one in at.markdown if one.value.startswith("#### "))
    lines = drawn.replace("\\", "").splitlines()
    named = expected.get("test first", []) + expected.get("test", [])
    several = named or [each.model.name for each in decided.choose]
    begin = [f"{n}. " if named else "- " for n in range(1, len(several) + 1)]
    rows = [
        line for line in lines if line.endswith("**") and not line.lstrip("- ").startswith("*S")
    ]
    assert rows == [f"{b}**{name}**" for b, name in zip(begin, several, strict=True)]
    shown = decided.test_these or decided.choose or (decided.take,)
    figures = [(each, tile) for each in shown for tile in tiles(each)]
    assert len(figures) == 4 * len(shown)
    for _, tile in figures:
        assert f"*{tile.name}* **{tile.figure}** {tile.about}".rstrip() in "\n".join(lines)
    cost = (decided.take or decided.test_these[0]).cost
    at_open = cost.likely is None and cost.open_usd is not None
    assert ("*Cost a month* **not known**" in drawn) == at_open
    assert (estimate(cost.open_usd) if at_open else money(cost).removesuffix(" a month")) in text
    listed = [line.strip().removeprefix("- ").split(" · ")[0] for line in text.splitlines()]
    rest = [
        name
        for role in ("as good", "worth a test", "step down")
        for name in expected.get(role, [])[:4]
    ]
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
        {"max_params": "1 B", "budget": "1"},
        {"evidence": "Open Medical-LLM", "only": "GPT-4", "sale": "Not asked", "model": "GPT-4"},
        {"evidence": "NOHARM, safety", "task": "Research"},
    ]:
        at = visit(**query)
        for page in DECIDE:
            turn_to(at, page)
            assert not at.exception, page
            # A fault of ours is said on the page.
            assert not at.error, (page, [one.value for one in at.error])
            assert at.title, page
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
