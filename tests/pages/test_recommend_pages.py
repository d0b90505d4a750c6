"""The landing page and its list against the answers behind them, and the app's own file."""

import asyncio
import csv
import io
import re
import runpy
import shutil
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import date
from pathlib import Path
from threading import Event
from urllib.parse import parse_qs, urlencode, urlsplit

import numpy as np
import pytest
import streamlit as st
from reading import number, press, said, table, tables, turn_to
from streamlit.runtime.pages_manager import PagesManager

from core import logs
from core.answers import recommend
from core.answers.asked import ask
from core.answers.market import market
from core.domain import Snapshot
from core.evidence.snapshots import manifest, write_manifest
from core.figures import count, day_in_words
from core.sharing import link
from core.sharing.market import MARKET_COLUMNS, market_document, product_records
from core.sheets import to_csv
from core.words.candidate import GRADES_ARE_WORTH
from core.words.recommendation import in_short, title
from core.words.shortlist import could_be_best
from core.words.tiles import tiles
from pages.components import evidence

DECIDE = (
    *("recommend/answer", "replace/candidates", "recommend/how_sure", "replace/side_by_side"),
    *("conditions/platforms", "cost/quality"),
    *("cost/own_servers", "recommend/kept"),
)
BAA = "Business associate agreement (BAA)"
DOCUMENTATION = {
    "evidence": "BRIDGE",
    "task": "Documentation",
    "budget": "300",
    "gates": BAA,
    "sale_on": "2026-11-22",
}
SUPPORT = {"sale_on": "2026-01-31", "task": "Decision support"}


def answer(query):
    store = evidence.store()
    found = link.from_query(parse_qs(query), store.catalogue, store.snapshots).question
    return recommend.recommendation(ask(store, found, evidence.priced_on(found)))


@pytest.mark.parametrize(("asked", "strength"), [(DOCUMENTATION, "shortlist"), (SUPPORT, "choose")])
def test_the_landing_page_gives_the_recommendation(asked, strength, visit):
    """What a first visit says, which is to take one, is held by the words of the tab."""
    at, decided = visit(**asked), answer(urlencode(asked))
    assert decided.strength == strength
    text, day = said(at), evidence.priced_on(decided.question)
    assert text.splitlines().count(f"#### {title(decided)}") == 1
    sentences = in_short(decided, day)
    assert len(sentences) <= 3
    assert all(sentence in text for sentence in sentences)
    # Several are in rows or next to each other, and each has its four figures.
    lines = [line.replace("\\", "") for line in text.splitlines()]
    shown = decided.test_these or decided.choose
    for n, each in enumerate(shown, 1):
        begin = f"{n}. " if decided.test_these else "- "
        assert f"{begin}**{each.model.name}**" in lines
    figures = [tile for each in shown for tile in tiles(each)]
    assert len(figures) == 4 * len(shown)
    for tile in figures:
        assert f"*{tile.name}* **{tile.figure}** {tile.about}".rstrip() in "\n".join(lines)
    listed = [line.strip().removeprefix("- ").split(" · ")[0] for line in text.splitlines()]
    roles = (decided.as_good[:4], decided.worth_testing[:4], (decided.step_down,))
    rest = [each.model.name for role in roles for each in role if each]
    assert [name for name in listed if name in rest] == rest


def test_an_end_of_sale_that_nobody_asked_about_is_said(visit):
    """OpenAI ends GPT-5 mini on 10 December 2026; it names GPT-6.1 terra in its place."""
    query = {"evidence": "MedHELM", "task": "Documentation"}
    end = "GPT-5 mini (2025-08-07) is on sale until 10 December 2026, at OpenAI API; its maker's "
    assert f"{end}successor is GPT-6.1 terra." in said(visit(**query, sale="Not asked"))
    assert end not in said(visit(**query))


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
    # One L4 at 0.708 an hour, the lowest of its providers, for 730 hours: a 4 B model at least.
    at = visit(evidence="BRIDGE", access="Our own servers only", budget="100")
    known, least = number(r"lowest known cost is about \$([\d,]+) .* at least \$([\d,]+) a", at)
    assert (known, least) == (2910, 516)
    # Bedrock sells two Claude, R1 and Llama 3.3, and no GPT-5.
    gpt = {"only": "GPT-5 (2025-08-07)", "platform": ["AWS Bedrock"], "sale": "Not asked"}
    at = visit(evidence="MedHELM", **gpt)
    assert "at AWS Bedrock, only the model you chose: no model fits all of it." in said(at)
    assert re.findall(r"Without (.*?), (\d+) model", said(at)) == [
        ("your choice of models", "4"),
        ("your choice of platforms", "1"),
    ]
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
    both = {"language": "Spanish", "platform": ["Google Vertex AI", "AWS Bedrock"]}
    for spoken, language in (({}, ""), (both, "Spanish · Google, AWS · ")):
        at = visit(evidence="BRIDGE", **spoken)
        begins = f"All kinds of work · {language}"
        assert at.button(key="asked").label.startswith(begins)
        assert ("on 14 tests in Spanish" in said(at)) == bool(spoken)
    own = {"access": "Our own servers only", "gpu": "H100 80GB", "owned": 2, "sale": 36}
    line = visit(evidence="All evidence", **own).button(key="asked").label
    assert line.endswith(" · on sale\\: 36 months · 2 × H100 80GB · change")


def test_a_row_of_long_tasks_shows_the_time_of_a_task(visit):
    at = visit(evidence="χ-Bench, agents")
    place = list(at.dataframe[0].value["Model"]).index("Claude Opus 5 with Claude Code")
    at.session_state["row"] = {"selection": {"rows": [place], "columns": [], "cells": []}}
    at.session_state["scores_fold"] = True
    shown = table(at.run(), "Minutes per task").set_index("Benchmark")
    # Printed: 1,278.47 seconds.
    assert shown.loc["Care management", "Minutes per task"] == pytest.approx(1278.47 / 60)


def test_a_cost_of_whole_tasks_is_said_to_be_one(visit):
    told = "10,000 requests a month, each a task in χ-Bench: public prices of "
    assert told in said(visit(evidence="χ-Bench, agents"))


HOW_SURE, SALE = "recommend/how_sure", {"sale": "Not asked"}


@pytest.mark.parametrize(
    ("evidence", "differ"),
    [("MedHELM", True), ("GerMedBench, German", False)],
    ids=["several tests of a kind", "one test of each kind"],
)
def test_tests_are_drawn_again_only_where_draws_differ(visit, evidence, differ):
    assert ("drawn again" in said(visit(HOW_SURE, evidence=evidence, **SALE))) is differ


EXAMS = {"evidence": "Open Medical-LLM"}


@pytest.fixture
def models(exams):
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
    assert "**Of the 13 ranked models of MedHELM that fit, o4-mini" in said(at).replace("\\", "")
    assert "Among the first three" in said(at)
    # Weights are not all that may vary, so the 57 % do not contradict this.
    assert "or tests of this kind might change the order: at your weights any of" in said(at)
    assert "models could be the best. Choose among them" in said(at)
    assert "at your weights either of two models could be the best." in could_be_best(2)


def test_of_few_models_it_is_said_how_few_they_are(visit):
    asked = {"task": "Prior authorisation", "platform": ["OpenAI API"], "budget": "13000"}
    at = visit(HOW_SURE, evidence="All evidence", **asked)
    (n,) = (len(shown) for shown in tables(at, "First, %"))
    assert n < 6
    assert f"Of the {count(n)} of your models that χ-Bench ranks, " in said(at)
    assert "Among the first three" not in said(at)


def test_one_suite_with_one_of_those_named_gives_no_order(visit):
    """BRIDGE has gpt-oss-120b, and not GPT-5.2."""
    at = visit(HOW_SURE, evidence="All evidence", task="Decision support")
    assert "gpt-oss-120b: LiveMedBench: " in said(at).replace("*", "")
    assert not tables(at, "Rank")


def test_over_all_evidence_those_named_are_compared_test_by_test(visit):
    """Of the four of the landing page one has a test in common with the first."""
    at = visit(HOW_SURE, evidence="All evidence")
    told = said(at).replace("*", "")
    assert "No test of this work shows that GPT-5.2 differs from the other three named." in told
    assert "Claude Opus 5: No test of this work has both this model and GPT-5.2." in told
    assert GRADES_ARE_WORTH in told
    assert not tables(at, "First, %")


def test_a_model_best_at_every_kind_of_work_is_always_first(visit, models):
    models((0.9, 0.9), (0.7, 0.7))
    at = visit(HOW_SURE, **EXAMS)
    assert number(r"m0 is first in (\d+) % of ([\d,]+)", at) == [100, 2000]


def test_a_single_category_has_no_weights_to_vary(visit):
    at = visit(HOW_SURE, **SALE, task="Own weights", category=["Administration and Workflow"])
    assert "Administration and Workflow" in said(at)
    shown = table(at, "Possible ranks")
    assert "First, %" not in shown


ROOT = Path(__file__).parents[2]
ODD_LINKS = (
    "evidence=BRIDGE&task=Decision+support&access=Our+own+servers+only&max_params=33+B&budget=500",
    "evidence=BRIDGE&task=Own+weights&category=Research&category=Billing+%26+Coding&w_research=2.5",
    "evidence=MedHELM&protocol=Step+by+step&category=Research&sale=Not+asked",
    "requests=1000.5&tokens_in=2.5&margin=0.1&max_params=999.0+B",
    "sale=99+months&sale_on=2026-01-31&gates=Business+associate+agreement+%28BAA%29",
    "budget=&requests=&margin=&max_params=&task=&access=&evidence=",
    "budget=30&budget=50&max_params=14+B&max_params=1000+B",
    "max_params=nan&budget=1e999&requests=plenty&tokens_in=-1&tokens_out=%D9%A3&margin=-1",
)


@pytest.mark.parametrize("query", ODD_LINKS)
def test_the_page_shows_what_the_link_means(query, visit):
    at, found = visit(**parse_qs(query, keep_blank_values=True)), answer(query)
    assert not at.error
    if not (rows := found.shortlist.rows):
        assert not at.dataframe or "Place" not in at.dataframe[0].value
        return
    table = at.dataframe[0].value
    assert list(table["Model"]) == [row.model.name for row in rows]
    figures = {
        "Place": lambda row: row.rank,
        "Score": lambda row: row.score * 100,
        "From": lambda row: None if row.ci_low is None else row.ci_low * 100,
        "To": lambda row: None if row.ci_high is None else row.ci_high * 100,
        "Tests": lambda row: row.n_benchmarks,
        "Size, B": lambda row: row.model.params_b,
        "Cost, $ a month": lambda row: row.cost.likely,
        "Severe harm, %": lambda row: row.safety and row.safety.share * 100,
    }
    for column, of in figures.items():
        expected = np.array([of(found.dossier(row)) for row in rows], dtype=float)
        assert np.array_equal(table[column].astype(float), expected, equal_nan=True), column
    judged = found.choice.judged
    tiers = [judged[row.model.id].tier if row.model.id in judged else "" for row in rows]
    assert list(table["As good as the first?"]) == tiers


WORDS = {
    **{"evidence": "BRIDGE", "protocol": "Step by step", "task": "Own weights"},
    **{"access": "Our own servers only", "max_params": "33 B"},
    "category": ["Research", "Billing & Coding"],
}
NUMBERS = {
    **{"w_research": "2", "budget": "500", "requests": "700", "tokens_in": "900"},
    **{"tokens_out": "50", "margin": "3.5"},
}


def test_a_link_sets_the_controls_and_reset_gives_each_its_default(visit):
    at = visit(**WORDS, **NUMBERS)
    assert not at.warning
    drawn = (*at.selectbox, *at.multiselect, *at.select_slider, *at.number_input)
    held = {one.key: one.value for one in drawn}
    assert {key: held[key] for key in WORDS} == WORDS
    assert {key: held[key] for key in NUMBERS} == {k: float(v) for k, v in NUMBERS.items()}
    at = visit(**WORDS, **NUMBERS | {"tokens_out": "nothing", "sale_on": "2026-12-01"})
    assert at.warning
    press(at, "Reset")
    assert not at.warning
    # The evidence is not what it was, but what a first visit asks.
    assert used(at) == "All evidence"
    default = visit()
    for one in (at, default):
        for fold in ("conditions_fold", "workload_fold", "more_fold"):
            one.session_state[fold] = True
        one.run()
    # The address names the evidence and the conditions of a first visit, and nothing else.
    assert set(at.query_params) == set(default.query_params) == {"evidence", "gates"}
    kinds = ("selectbox", "radio", "select_slider", "number_input", "multiselect", "date_input")
    for kind in kinds:
        values = [{one.key: one.value for one in getattr(each, kind)} for each in (at, default)]
        assert values[0] == values[1], kind


def test_a_gap_is_never_a_zero(exams, visit, bundled):
    """Of four models one lacks three benchmarks: two are empty, one has no row."""
    found = [benchmark.id for benchmark in bundled.catalogue.benchmarks["open-medical-llm"]]
    gap = [*((b, None) for b in found[1:3]), *((b, 0.7) for b in found[3:])]
    exams(0.8, 0.6, 0.4, others=[("org/gap", *each) for each in gap])
    at = visit(evidence="Open Medical-LLM")
    table = at.dataframe[0].value.set_index("Model")
    row = table.loc["gap"]
    assert row["Score"] == pytest.approx(70)
    assert np.isnan(row["Place"])
    assert row[["Possible ranks", "Tests"]].to_list() == ["not ranked", len(found) - 3]
    assert table.loc["m0", "Place"] == 1
    # Nothing is known of these models: neither size nor price.
    assert table[["Size, B", "Cost, $ a month", "Severe harm, %"]].isna().all(axis=None)
    assert at.dataframe[0].proto.placeholder == "not known"
    assert "$0" not in said(at)
    at = visit("evidence/clusters", evidence="Open Medical-LLM")
    assert set(at.dataframe[0].value["Model"]) == {"m0", "m1", "m2"}
    assert at.dataframe[0].value["Size, B"].isna().all()
    at.session_state["left_out"] = True
    (left_out,) = tables(at.run(), "Reason")
    assert list(left_out["Model"]) == ["gap"]
    at = visit("evidence/win_rates", evidence="Open Medical-LLM")
    (rates,) = tables(at, "Macro-average")
    row = rates[rates["Model"] == "gap"].loc[:, "Benchmarks":].iloc[0, 1:]
    assert set(row.dropna().round(9)) == {70}
    paper = "The taxonomy paper's rule (size only, both taxonomies)"
    at = visit("replace/candidates", evidence="Open Medical-LLM", rule=paper)
    assert "gap" not in at.selectbox(key="in_use").options
    assert not at.dataframe


def test_a_fault_is_shown_with_the_reference_that_is_in_the_log(visit, monkeypatch, caplog):
    def broken(*_):
        raise RuntimeError("typed by ana@hospital.example")

    monkeypatch.setattr(logs.LOGGER, "propagate", True)
    monkeypatch.setattr(recommend, "shortlist", broken)
    at = visit(evidence="MedHELM")
    assert len(at.error) == 1
    facts = caplog.records[-1].facts
    assert f"the reference {facts['reference']}." in at.error[0].value
    assert (facts["kind"], facts["page"]) == ("RuntimeError", "Recommend")
    assert "ana@" not in f"{facts} {at.error[0].value}"


@pytest.mark.parametrize(
    ("day", "words", "is_said"),
    [
        (date(2026, 11, 22), "1 November 2025", True),
        (date(2026, 11, 1), "1 November 2025", False),
        # The list is of 10 November, and 90 days are over on 8 February.
        (date(2027, 2, 9), "The older list of public prices is from 10 November 2026", True),
        (date(2027, 2, 8), "The older list of public prices is from 10 November 2026, over", False),
    ],
)
def test_scores_over_a_year_and_prices_over_90_days_old_are_said(
    visit, monkeypatch, day, words, is_said
):
    monkeypatch.setattr(evidence, "this_day", lambda: day)
    assert (words in said(visit(evidence="BRIDGE"))) is is_said


def test_without_usable_evidence_the_page_is_a_sentence(data, visit):
    at = visit()
    assert ["No snapshot" in error.value for error in at.error] == [True]
    assert not at.title


def test_read_as_a_module_the_file_is_the_server(monkeypatch):
    monkeypatch.setattr(PagesManager, "uses_pages_directory", True)
    warmed = Event()
    monkeypatch.setattr(evidence, "warm_up", warmed.set)
    module = runpy.run_path(str(ROOT / "app.py"), run_name="app")
    assert isinstance(module["app"], st.App)

    async def live():
        async with module["start"](module["app"]):
            return PagesManager.uses_pages_directory

    # A thread of its own, since a browser test may have left an event loop in this one.
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(asyncio.run, live()).result() is False
    assert warmed.wait(5)


def test_run_as_a_script_the_file_draws_and_makes_no_server(visit, monkeypatch):
    def refuse(*_, **__):
        raise AssertionError("a server inside a script run")

    monkeypatch.setattr(st, "App", refuse)
    assert visit().title[0].value == "Recommend"


def told(at):
    return [one for one in at.info if one.icon == ":material/restart_alt:"]


def test_an_address_made_with_own_results_says_that_they_are_not_here(visit, own_table):
    at = visit(own_results="true", max_params="15 B")
    assert len(told(at)) == 1
    assert "true" in at.query_params["own_results"]
    assert "15 B" in at.query_params["max_params"]
    at.run()  # it stays until the reader has answered
    assert len(told(at)) == 1
    press(at, "Go on without them")
    assert told(at) == []
    assert "own_results" not in at.query_params
    at.session_state["own_tables"] = (own_table(),)
    at.run()
    assert "true" in at.query_params["own_results"]
    assert told(at) == []
    at.session_state["own_tables"] = ()
    at.run()
    assert "own_results" not in at.query_params
    assert told(at) == []
    at = visit(own_results="<b>true</b>")
    assert told(at) == []
    assert "own_results" not in at.query_params


FILES = [
    *("List (CSV)", "Decision memo (PDF)", "Decision memo (HTML)", "Excel workbook"),
    *("Full evidence (CSV)", "Recommendation (JSON)"),
]


def files_of(at):
    """Open the menu; return the labels of its files, without those of the picture."""
    assert "Excel workbook" not in [button.label for button in at.get("download_button")]
    at.session_state["export"] = True
    labels = [button.label for button in at.run().get("download_button")]
    return [label for label in labels if label not in ("PNG", "SVG")]


def receipt_of(at):
    (said,) = [text.value for text in at.caption if text.value.startswith("Receipt ")]
    return said.splitlines()[0].strip()


def test_the_menu_has_every_file_and_the_receipt(visit):
    at = visit(evidence="MedHELM")
    assert files_of(at) == FILES
    assert len(receipt_of(at).removeprefix("Receipt ").replace(" ", "")) == 12
    at = visit(max_params="0.1 B")
    assert files_of(at) == FILES[1:]
    assert receipt_of(at)


def test_the_market_has_its_files_and_the_reader_picks_the_finalists(visit):
    at = visit()
    assert files_of(at) == [
        *("Decision memo (PDF)", "Decision memo (HTML)", "Excel workbook"),
        *("List (CSV)", "Answer (JSON)"),
    ]
    (memo,) = [box for box in at.multiselect if box.label == "Models in the memo"]
    assert 2 <= len(memo.value) <= 4
    assert all(name in said(at) for name in memo.value)
    # The memo of a model in use refers to the workbook, too.
    at = visit("replace/candidates", evidence="All evidence", in_use="GPT-4.1")
    assert "Excel workbook" not in [button.label for button in at.get("download_button")]
    at.session_state["export_in_place"] = True
    assert "Excel workbook" in [it.label for it in at.run().get("download_button")]


def test_the_matrix_the_csv_and_the_json_have_the_same_figures(visit):
    """Grade, cost, platform and end of sale of each model, as three documents say it."""
    query = {"evidence": "All evidence", "task": "Documentation", "gates": BAA}
    at = visit(**query)
    (matrix,) = (it.value for it in at.markdown if it.value.startswith("|"))
    store = evidence.store()
    question = link.from_query(
        parse_qs(urlencode(query)), store.catalogue, store.snapshots
    ).question
    asked = ask(store, question, evidence.priced_on(question))
    found = market(asked)
    made = market_document(
        found, question, store.catalogue, [], volume=((), 0), on="2026-12-01", link=""
    )
    rows = to_csv(product_records(found, {}, 10_000, "2026-12-01", ""), MARKET_COLUMNS).decode(
        "utf-8-sig"
    )
    in_csv = list(csv.DictReader(io.StringIO(rows)))
    lines = [line.replace("\\", "").split(" | ") for line in matrix.splitlines()[2:]]
    assert len(lines) == 12
    for cells, row, entry in zip(lines, in_csv, made["candidates"], strict=False):
        grade, name, usd, _, sale, place = cells[:6]
        assert (grade.strip("| "), name[1:].split("](")[0]) == (row["grade"], row["name"])
        assert (entry["grade"], entry["name"]) == (row["grade"], row["name"])
        likely = float(row["monthly_cost_usd"])
        assert entry["monthly_cost_usd"]["likely"] == pytest.approx(likely)
        assert float(usd.strip("$ ").replace(",", "")) == pytest.approx(likely, rel=0.03)
        until = row["sale_until"]
        assert sale.startswith(f"{until[5:7]}/{until[:4]}" if until else "no end known")
        assert place.split(" +")[0] in row["platform"]
        (offer, *_) = entry["offers"]
        assert (offer["platform"], offer["sale_until"] or "") == (row["platform"], until)


def test_the_matrix_can_be_ordered_by_severe_harm(visit):
    at = visit()
    next(it for it in at.toggle if it.label == "Fewest severe harms first").set_value(True).run()
    (matrix,) = (it.value for it in at.markdown if it.value.startswith("|"))
    cells = [row.replace("\\", "").split("|")[4] for row in matrix.splitlines()[2:]]
    shares = [float(cell.split(" %")[0]) for cell in cells if "%" in cell]
    assert len(shares) > 1
    assert shares == sorted(shares)
    # Whoever was never tested for it comes last, and is not a 0 %.
    assert {cell.strip() for cell in cells[len(shares) :]} == {"untested"}
    assert "caution" in cells[len(shares) - 1]


def test_a_market_link_of_another_day_answers_twice(visit):
    at = visit(evidence="All evidence", task="Documentation", prices="2026-06-01")
    led = said(at).splitlines()[0]
    assert led.startswith("**As of 1 June 2026")
    assert "oday: test" in led
    assert led.endswith("Both use the tests loaded now.")
    shown = {button.label: button.disabled for button in at.main.button}
    assert (shown["As of 1 June 2026"], shown["Today"]) == (True, False)
    next(button for button in at.main.button if button.label == "Today").click().run()
    assert not at.error
    shown = {button.label: button.disabled for button in at.main.button}
    assert (shown["As of 1 June 2026"], shown["Today"]) == (False, True)


@pytest.mark.parametrize(
    "place",
    [
        *("recommend/how_sure", "replace/candidates", "cost/quality", "cost/own_servers"),
        *("conditions/platforms", "local_test/plan"),
    ],
)
def test_no_page_shows_another_days_answer_as_todays(visit, place):
    at = visit(place, evidence="All evidence", in_use="GPT-4.1", prices="2026-06-01")
    assert "**As of 1 June 2026, not today.**" in said(at)
    next(it for it in at.main.button if it.label == "Ask today").click().run()
    assert not at.exception
    assert "not today" not in said(at)


def test_tests_of_an_older_release_are_said_beside_prices_of_today(visit, bundled_snapshot):
    folder = bundled_snapshot("open-medical-llm")
    older = manifest(folder, Snapshot)
    newer = replace(older, revision="2026-06-30", as_of="2026-06-30")
    write_manifest(shutil.copytree(folder, folder.with_name(newer.revision)), newer)
    at = visit("cost/quality", evidence="Open Medical-LLM", data=link.data_label(older))
    of = day_in_words(older.as_of)
    assert f"**The tests are those of {of}; newer ones are loaded.**" in said(at)
    next(it for it in at.main.button if it.label == "Ask today").click().run()
    assert "newer ones are loaded" not in said(at)


def test_what_is_known_of_a_model_is_told_as_of_today(visit):
    today = said(visit("model/known", model="GPT-5 mini"))
    assert said(visit("model/known", model="GPT-5 mini", prices="2026-06-01")) == today


def used(at):
    return at.selectbox(key="evidence").value


def ask_for(at, task, access="Anywhere", largest="No limit"):
    at.selectbox(key="task").select(task)
    at.selectbox(key="access").select(access)
    at.select_slider(key="max_params").set_value(largest)
    return at.run()


def linked(at):
    """Open the menu of the link; return the evidence that the link to copy asks."""
    at.session_state["share"] = True
    query = parse_qs(urlsplit(at.run().code[0].value).query)
    return query.get("evidence", ["MedHELM"])[0]


def test_the_work_never_changes_the_evidence_and_the_link_asks_the_same(visit):
    at = visit()
    assert (used(at), linked(at)) == ("All evidence", "All evidence")
    ask_for(at, "Prior authorisation")
    assert (used(at), linked(at)) == ("All evidence", "All evidence")
    ask_for(at, "All kinds of work", "Our own servers only", "33 B")
    turn_to(at, "evidence/clusters")
    assert (used(at), linked(at)) == ("All evidence", "All evidence")
    # What somebody chose stays.
    at.selectbox(key="evidence").select("BenchHealth").run()
    ask_for(at, "Prior authorisation")
    assert (used(at), linked(at)) == ("BenchHealth", "BenchHealth")
    press(at, "Reset")
    assert (used(at), linked(at)) == ("All evidence", "All evidence")


def test_one_suite_says_that_it_is_asked_alone_and_leads_back(visit):
    at = visit(evidence="BRIDGE", task="Documentation")
    assert "Based on BRIDGE alone: it has tested " in said(at)
    press(at, "Ask all evidence")
    assert used(at) == "All evidence"
    ask_for(at, "Prior authorisation")
    assert "none should run unattended" in said(at)
    turn_to(at, "evidence/clusters")
    assert "Based on χ-Bench, agents alone: this view needs one suite." in said(at)


def test_an_end_of_sale_is_shown_though_nobody_asked(visit):
    at = visit(evidence="MedHELM", sale="Not asked")
    (shown,) = (it.value for it in at.markdown if "On sale until" in it.value)
    assert "*On sale until* **10 December 2026** OpenAI API" in shown


def test_a_profile_keeps_the_conditions_of_ones_own(visit):
    """A chip stays chosen with more conditions than its own, and another takes these along."""
    zero, no_training = "Zero data retention (ZDR)", "No training on our data"
    us = ["Business associate agreement (BAA)", no_training, zero]
    at = visit("recommend/answer", evidence="All evidence", gates=us)
    chip = at.get("button_group")[0]
    assert chip.value == "Patient data, US"
    chip.set_value("Patient data, EU").run()
    held = at.session_state["gates"]
    assert {zero, no_training} < {*held}
    assert "Business associate agreement (BAA)" not in held
    at.get("button_group")[0].set_value("No patient data").run()
    assert at.session_state["gates"] == []
