"""The answer on the landing page and on Smaller equivalents, against the answer behind it."""

import csv
from datetime import date
from pathlib import Path

import pandas as pd
import pytest
import streamlit as st
from places import turn_to
from reading import number, press, said, table
from streamlit.testing.v1 import AppTest

from core.answers import recommend
from core.domain import Requirements
from core.procurement.products import written
from core.sharing import export, link
from pages.components import evidence
from pages.components.notices import plain

ROOT = Path(__file__).parents[2]
SHORTLIST, EQUIVALENTS = "recommend/answer", "replace/candidates"
DECIDE = (
    *(SHORTLIST, EQUIVALENTS, "recommend/how_sure", "replace/side_by_side"),
    *("conditions/platforms", "cost/bill", "cost/quality"),
    *("cost/own_servers", "cost/combinations", "recommend/kept"),
)
DOCUMENTATION = {
    "task": "Documentation",
    "budget": "300",
    "gates": "Business associate agreement",
    "sale_on": "2026-11-22",
}
OWN = {"evidence": "BRIDGE", "access": "Our own servers only", "max_params": "33 B"}
JANUARY = {"sale_on": "2026-01-31"}
SUPPORT = {**JANUARY, "task": "Decision support"}
IN_USE = "GPT-4o (2024-05-13)"
ASKED = {
    "documentation": DOCUMENTATION,
    "own servers": OWN,
    "January": JANUARY,
    "decision support": SUPPORT,
}
STRENGTHS = {
    "documentation": "shortlist",
    "own servers": "take",
    "January": "take",
    "decision support": "choose",
}


@pytest.fixture(scope="module")
def seen(own_store_file):
    """Open a page of the bundled evidence, each link once; tests only look at it."""
    st.cache_resource.clear()
    opened = {}

    def page(query, path=SHORTLIST):
        key = (path, str(query))
        if key not in opened:
            at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
            for name, value in query.items():
                at.query_params[name] = value
            at.run()
            if path != SHORTLIST:
                turn_to(at, path)
            assert not at.exception, at.exception
            assert not at.error, at.error
            opened[key] = at
        return opened[key]

    yield page
    st.cache_resource.clear()


def answer(query, in_place_of=""):
    """Return what the pages were to show."""
    store = evidence.store()
    asked = {key: [value] for key, value in query.items()}
    found = link.from_query(asked, store.catalogue, store.snapshots).requirements
    return recommend.recommendation(store, found, evidence.priced_on(found), in_place_of)


def roles(decided):
    """Return the names that a recommendation gives each role, in their order."""
    found = {}
    for role, each in export.decisions(decided):
        found.setdefault(role, []).append(each.model.name)
    return found


@pytest.mark.parametrize("asked", ASKED)
def test_the_landing_page_gives_the_recommendation(asked, seen):
    at, decided = seen(ASKED[asked]), answer(ASKED[asked])
    expected = roles(decided)
    assert decided.strength == STRENGTHS[asked]
    text = said(at)
    assert text.count(f"**{decided.headline}**") == 1
    for alert in decided.alerts:
        assert alert in text
    # One is taken; several stand beside each other; those to test are numbered.
    boxes = [one.value for one in at.markdown if one.value.startswith("#### ")]
    tests = [line for line in text.splitlines() if line.startswith(("1. ", "2. ", "3. ", "4. "))]
    chosen = [each.model.name for each in decided.choose]
    taken = [f"#### Take {plain(name)}" for name in expected.get("take", [])]
    assert boxes == [*taken, *(f"#### {plain(name)}" for name in chosen)]
    named = expected.get("test first", []) + expected.get("test", [])
    assert [line.split("**")[1] for line in tests] == named
    first = decided.take or decided.test_these[0]
    likely, least = first.cost.likely, first.cost.low
    usd = f"bout ${likely:,.0f}" if likely is not None else f"least ${least:,.0f}"
    assert usd in text
    listed = [line.split(" · ")[0] for line in text.splitlines() if " · " in line]
    rest = [
        name
        for role in ("as good", "worth a test", "step down")
        for name in expected.get(role, [])[:4]
    ]
    assert [name for name in listed if name in rest] == rest


@pytest.mark.parametrize("asked", ASKED)
def test_the_table_gives_every_model_its_part(asked, seen):
    table, decided = seen(ASKED[asked]).dataframe[0].value, answer(ASKED[asked])
    for role, names in roles(decided).items():
        assert sorted(table["Model"][table["Decision"] == role]) == sorted(names), role
    for _, each in export.decisions(decided):
        row = table[table["Model"] == each.model.name].iloc[0]
        if each.cost.likely is None:
            assert pd.isna(row["Cost, $ a month"])
        else:
            assert row["Cost, $ a month"] == each.cost.likely
        assert row["As good as the first?"] == (each.judged.tier if each.judged else "")
        if each.safety:
            assert row["Severe harm, %"] == pytest.approx(each.safety.share * 100)
        else:
            assert pd.isna(row["Severe harm, %"])
    # No model that does not fit has a part; nobody has two.
    assert len(table) >= decided.n_fit


def test_documentation_within_300_dollars_and_with_an_agreement(seen):
    """Of MedHELM only the two open models have no announced end; R1 leads, at Bedrock."""
    at = seen(DOCUMENTATION)
    table = at.dataframe[0].value
    assert list(table["Model"]) == ["DeepSeek R1", "Llama 3.3 Instruct (70B)"]
    # Too few for an answer: the better one is to be tested, the other is 13 points behind.
    assert list(table["Decision"]) == ["test first", ""]
    # Databricks gives an agreement on a condition; Bedrock and Groq end within six months.
    assert table["Cost from"][1] == "Databricks"
    assert (table["Cost, $ a month"] < 300).all()
    # Fourth of all 13 by score, first of the two that can be bought.
    assert (table["Place"][0], table["Overall"][0]) == (1, 4)


@pytest.mark.parametrize(
    ("query", "ahead"),
    [
        ({"sale_on": "2026-11-22"}, ("o4-mini (2025-04-16)", "GPT-5 (2025-08-07)")),
        # Azure, which sells to the latest day, gives the agreement too.
        (DOCUMENTATION, ("GPT-5 mini (2025-08-07)", "GPT-5 (2025-08-07)")),
    ],
)
def test_what_scored_higher_and_is_off_sale_is_named_with_date_and_successor(query, ahead, seen):
    at = seen(query)
    # Only one model is named to be tested: who was ahead stands with its reasons, as help.
    text = next(one.proto.help for one in at.markdown if one.value.startswith("1. "))
    text = text.replace("\\", "")
    with (ROOT / "data/catalogue/lifecycle.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    for name in ahead:  # First and second of 13 by score; DeepSeek R1 is fifth, or fourth.
        sold = [row for row in rows if row["product"] == name]
        (maker,) = (row for row in sold if row["platform"] == "OpenAI API")
        told = text[text.index(name) :][:300]
        assert written(max(row["shutdown_on"] for row in sold)) in told, name
        assert maker["successor"] in told, name
        assert name not in set(at.dataframe[0].value["Model"])


def test_severe_harm_is_said_beside_what_is_named_first(seen):
    """NOHARM: R1 9.8 % of 100 cases; GPT-5 mini 14.1 %, 18th of 32; physicians 16.7 %."""
    at = seen(ASKED["January"])
    assert number(r"([\d.]+) % of 100 cases.* ([\d.]+) %.*18th of 32", at) == [14.1, 16.7]
    assert number(r"1\. DeepSeek R1 .*severe harm ([\d.]+) %", seen(DOCUMENTATION)) == [9.8]


def test_in_january_the_first_is_marked_and_not_taken(seen):
    """The o4-mini leads with 20.9 % of cases with severe harm, 31st of 32 systems."""
    at = seen(JANUARY)
    table = at.dataframe[0].value
    parts = dict(zip(table["Model"], table["Decision"], strict=True))
    assert table["Model"][0] == "o4-mini (2025-04-16)"
    assert table["Severe harm, %"][0] == pytest.approx(20.9)
    assert parts["GPT-5 mini (2025-08-07)"] == "take"
    assert parts["o4-mini (2025-04-16)"] == "as good"
    assert parts["Llama 3.3 Instruct (70B)"] == "step down"
    marked = [line.split(" · ")[0] for line in said(at).splitlines() if "caution: harm" in line]
    assert marked == ["o4-mini (2025-04-16)"]


def test_own_servers_cost_servers_and_never_tokens(seen):
    table = seen(OWN).dataframe[0].value
    assert (table["Size, B"] <= 33).all()
    # Never tested for harm is no zero.
    assert pd.isna(table["Severe harm, %"][list(table["Decision"]).index("take")])
    assert table["Cost from"].str.match(r"(at least \$.*)?own servers: .*× |not known").all()
    assert {"gemini-2.5-flash", "gpt-4o-0806"}.isdisjoint(table["Model"])
    parts = dict(zip(table["Model"], table["Decision"], strict=True))
    # What the others serve is not known, so none is known to be cheaper.
    assert parts["Qwen3-30B-A3B-Thinking-2507"] == "take"


def test_smaller_equivalents_name_the_best_buy_first(seen):
    """In place of GPT-4o of May 2024, counted from January: better, and cheaper by hundreds."""
    at = seen({**JANUARY, "model": IN_USE}, EQUIVALENTS)
    decided = answer(JANUARY, IN_USE)
    table = at.dataframe[0].value
    assert (table["Model"][0], table["Decision"][0]) == ("GPT-5 mini (2025-08-07)", "take")
    assert table["As good?"][0] == "shown"
    assert table["Difference"][0] == pytest.approx(3.7, abs=0.05)
    assert table["From"][0] > 0
    assert table["Saves, $ a month"][0] == decided.take.saves.likely > 300
    named = [each.model.name for _, each in export.decisions(decided) if each.judged]
    assert list(table["Model"]) == named
    assert at.selectbox(key="proof").value == "GPT-5 mini (2025-08-07)"
    # Among the models as good the best buy comes first, whatever its mark of caution.
    good = table[table["Decision"] == "as good"]
    assert list(good["Severe harm, %"] > 20) == [True, True, False, False]


@pytest.mark.parametrize(
    ("query", "model"),
    [
        ({"max_params": "1 B", "budget": "1"}, ""),
        ({"sale": "Not asked", "only": IN_USE}, IN_USE),
        ({"evidence": "NOHARM, safety", "task": "Research"}, ""),
        ({"evidence": "Open Medical-LLM", "only": "GPT-4", "sale": "Not asked"}, "GPT-4"),
        ({"sale": "Not asked"}, ""),
        ({"sale": "99 months"}, ""),
    ],
    ids=["no model fits", "one fits", "no such task", "a labelled run", "not asked", "99 months"],
)
def test_no_page_fails(query, model, seen):
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    for name, value in query.items():
        at.query_params[name] = value
    if model:
        at.query_params["model"] = model
    at.run()
    for page in DECIDE:
        turn_to(at, page)
        assert not at.exception, page
        # A fault of ours is said on the page; a question that has no answer is no error.
        assert not at.error, (page, [one.value for one in at.error])
        assert at.title, page
    notes = " ".join(one.value for one in at.warning)
    assert ("99 months" in notes) == (query.get("sale") == "99 months")


def test_a_time_on_sale_that_is_none_gives_the_usual_one(seen):
    usual, odd = seen(JANUARY), seen({**JANUARY, "sale": "99 months"})
    assert odd.selectbox(key="sale").value == usual.selectbox(key="sale").value == "6 months"
    assert list(odd.dataframe[0].value["Model"]) == list(usual.dataframe[0].value["Model"])
    free = seen({"sale": "Not asked"}).dataframe[0].value
    assert len(free) == 13
    assert "On sale" not in free
    assert date.fromisoformat(JANUARY["sale_on"]) < evidence.today()


def test_evidence_that_cannot_answer_offers_one_that_can_with_its_count(visit, bundled):
    """One 80 GB GPU: MedHELM holds no model up to 33 B on sale, BRIDGE dozens."""
    at = visit(access="Our own servers only", max_params="33 B")
    asked = Requirements(suite="bridge", access="own", max_params_b=33.0)
    n_fit = sum(
        row.rank is not None for row in recommend.shortlist(bundled, asked, evidence.today()).rows
    )
    assert n_fit > 20
    assert number(r"BRIDGE has (\d+) models that fit", at) == [n_fit]
    press(at, "Use BRIDGE")
    assert at.selectbox(key="evidence").value == "BRIDGE"
    assert at.select_slider(key="max_params").value == "33 B"
    assert any(one.value.startswith("#### ") for one in at.markdown)


def test_a_row_of_long_tasks_shows_what_a_task_cost_and_how_long_it_took(visit):
    at = visit(evidence="χ-Bench, agents")
    place = list(at.dataframe[0].value["Model"]).index("Claude Opus 5 with Claude Code")
    at.session_state["row"] = {"selection": {"rows": [place], "columns": [], "cells": []}}
    at.session_state["scores_fold"] = True
    shown = table(at.run(), "Cost a task").set_index("Benchmark")
    # Printed: 3.44517 dollars.
    assert shown.loc["Prior authorisation, provider side", "Cost a task"] == pytest.approx(3.44517)
    assert (shown["Minutes a task"] > 1).all()
