"""The shortlist against the answers behind it, what a gap reads as, and the app's own file."""

import asyncio
import runpy
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from pathlib import Path
from threading import Event
from urllib.parse import parse_qs

import numpy as np
import pandas as pd
import pytest
import streamlit as st
from reading import number, press, said, tables
from streamlit.runtime.pages_manager import PagesManager

from core import logs
from core.answers import recommend
from core.evidence.catalogue import load
from core.evidence.store import Store
from core.sharing import export, link
from core.sharing.controls import BY_KEY
from core.sharing.inputs import size_label
from pages.components import evidence
from pages.components.notices import plain

ROOT = Path(__file__).parents[2]
CATALOGUE = load(ROOT / "data" / "catalogue")
ODD_LINKS = (
    "evidence=MedHELM",
    "evidence=BRIDGE&task=Decision+support&access=Our+own+servers+only&max_params=33+B&budget=500",
    "evidence=Taxonomy+paper%2C+33+models&max_params=14+B&margin=5",
    "evidence=BenchHealth&task=Research&data=arxiv-2405.00716+%28no+hash%29",
    "evidence=BRIDGE&task=Own+weights&category=Research&category=Billing+%26+Coding&w_research=2.5",
    "evidence=BRIDGE&task=Own+weights&category=Nothing&w_research=2",
    "evidence=BRIDGE&protocol=Step+by+step&access=Our+own+servers+only&max_params=4.5+B",
    "evidence=MedHELM&protocol=Step+by+step&category=Research",
    "budget=24.5&requests=1000&tokens_in=100&tokens_out=7&margin=1.25",
    "requests=1000.5&tokens_in=2.5",
    "evidence=Open+Medical-LLM&flagged=true",
    "evidence=Open+Medical-LLM&flagged=maybe",
    "max_params=70.6+B&margin=0.1",
    "max_params=1000",
    "max_params=999.0+B",
    "sale=Not+asked",
    "sale=On+the+day&sale_on=2026-01-31",
    "sale=99+months&sale_on=tomorrow",
    "sale_on=2026-01-31&gates=Business+associate+agreement",
    "budget=&requests=&margin=&max_params=&task=&access=&evidence=",
    "budget=30&budget=50&max_params=14+B&max_params=1000+B",
    *(
        f"max_params={n}&budget={n}&requests={n}&tokens_in={n}&tokens_out={n}&margin={n}"
        for n in ("plenty", "1e999", "-inf", "nan", "-1", "1.5e300", "0x10", "1_0", "%D9%A3%D9%A3")
    ),
)


@pytest.fixture
def asked(bundled):
    """The requirements that a link stands for."""

    def found(query):
        parameters = link.parse_url(f"?{query}")
        return link.from_query(parameters, bundled.catalogue, bundled.snapshots).requirements

    return found


@pytest.fixture
def listed(bundled, asked):
    """The shortlist that a link stands for."""
    return lambda query: recommend.shortlist(bundled, asked(query), evidence.today())


@pytest.mark.parametrize("query", ODD_LINKS)
def test_the_page_shows_what_the_link_stands_for(query, visit, listed, asked, bundled):
    at = visit(**parse_qs(query, keep_blank_values=True))
    found = listed(query)
    assert not at.error
    if not found.rows:
        assert not at.dataframe or "Place" not in at.dataframe[0].value
        return
    table = at.dataframe[0].value
    assert list(table["Model"]) == [row.model.name for row in found.rows]
    for column, ranks in (
        ("Place", [row.rank for row in found.rows]),
        ("Overall", [row.rank_all for row in found.rows]),
    ):
        assert [None if pd.isna(rank) else rank for rank in table[column]] == ranks
    figures = {
        "Score": [row.score * 100 for row in found.rows],
        "From": [None if row.ci_low is None else row.ci_low * 100 for row in found.rows],
        "To": [None if row.ci_high is None else row.ci_high * 100 for row in found.rows],
        "Tests": [row.n_benchmarks for row in found.rows],
        "Missing": [len(row.missing) for row in found.rows],
        "Size, B": [row.model.params_b for row in found.rows],
        "Cost, $ a month": [row.cost.likely for row in found.rows],
    }
    for column, values in figures.items():
        expected = np.array(values, dtype=float)
        assert np.array_equal(table[column].astype(float), expected, equal_nan=True), column
    decided = recommend.recommendation(bundled, asked(query), evidence.today())
    parts = export.decisions_of(decided)
    assert list(table["Decision"]) == [parts.get(row.model.id, "") for row in found.rows]
    # Of several to choose from none is to take, not even the one of caution.
    named = [mark.value for mark in at.markdown if mark.value.startswith("#### ")]
    taken = [decided.take] if decided.strength == "take" else []
    assert named == [
        *(f"#### Take {plain(each.model.name)}" for each in taken),
        *(f"#### {plain(each.model.name)}" for each in decided.choose),
    ]


def test_an_address_that_asks_nothing_asks_the_evidence_with_a_choice(visit, listed):
    """Two of MedHELM's models stay on sale, of BRIDGE's dozens."""
    at = visit()
    rows = listed("evidence=BRIDGE").rows
    n_fit = sum(row.rank is not None for row in rows)
    (why,) = (one.value for one in at.sidebar.caption if one.value.startswith("Chosen for"))
    assert f"BRIDGE: {n_fit} of its models fit; of MedHELM only 2." in why
    assert list(at.dataframe[0].value["Model"]) == [row.model.name for row in rows]


def test_a_link_sets_the_controls(visit):
    at = visit(
        evidence="BRIDGE",
        protocol="Step by step",
        task="Own weights",
        category=["Research", "Billing & Coding"],
        w_research="2",
        access="Our own servers only",
        max_params="33 B",
        budget="500",
        requests="700",
        tokens_in="900",
        tokens_out="50",
        margin="3.5",
    )
    assert at.selectbox(key="evidence").value == "BRIDGE"
    assert at.selectbox(key="protocol").value == "Step by step"
    assert at.selectbox(key="task").value == "Own weights"
    assert set(at.multiselect(key="category").value) == {"Research", "Billing & Coding"}
    assert at.selectbox(key="access").value == "Our own servers only"
    assert at.select_slider(key="max_params").value == "33 B"
    numbers = ("w_research", "budget", "requests", "tokens_in", "tokens_out", "margin")
    values = [at.number_input(key=key).value for key in numbers]
    assert values == [2, 500, 700, 900, 50, 3.5]
    assert not at.warning


def test_an_old_link_on_severe_harm_sets_the_control_to_safety(visit, listed):
    query = "evidence=NOHARM%2C+safety&task=Own+weights&category=Severe+harm&w_severe_harm=2"
    at = visit(**parse_qs(query))
    assert at.multiselect(key="category").value == ["Safety"]
    assert set(at.multiselect(key="category").options) == {
        *("Safety", "Harmful advice", "Completeness", "Advice left out"),
        *("Restraint", "Advice not called for"),
    }
    assert at.number_input(key="w_safety").value == 2
    assert len(at.warning) == 1
    assert list(at.dataframe[0].value["Model"]) == [r.model.name for r in listed(query).rows]


def test_a_control_set_by_hand_gives_the_same_as_its_link(visit, listed):
    at = visit(evidence="MedHELM")
    at.selectbox(key="task").set_value("Research").run()
    at.number_input(key="budget").set_value(100.0).run()
    at.select_slider(key="max_params").set_value("80 B").run()
    found = listed("task=Research&budget=100&max_params=80+B")
    assert [row.model.name for row in found.rows] == list(at.dataframe[0].value["Model"])
    assert number(r"up to (\d+) B parameters, within \$(\d+) a month", at) == [80, 100]


def test_reset_gives_every_control_its_default(visit, listed):
    at = visit(
        evidence="MedHELM",
        task="Own weights",
        category="Medical Research Assistance",
        access="Our own servers only",
        max_params="33 B",
        budget="500",
        requests="500",
        tokens_in="900",
        tokens_out="nothing",
        margin="4",
    )
    assert at.warning
    assert len(at.number_input) > 2, "the controls that the link sets are drawn"
    press(at, "Reset")
    assert not at.warning
    # Also the evidence follows the question again: not what it was, but what a first visit asks.
    proposed = [row.model.name for row in listed("evidence=BRIDGE").rows]
    assert list(at.dataframe[0].value["Model"]) == proposed
    default = visit()
    for one in (at, default):
        for fold in ("conditions_fold", "workload_fold", "more_fold"):
            one.session_state[fold] = True
        one.run()
    # The address names the evidence that was proposed, in its version, and nothing else.
    assert set(at.query_params) == set(default.query_params) == {"evidence", "data"}
    for kind in ("selectbox", "radio", "select_slider", "number_input", "multiselect"):
        values = [{one.key: one.value for one in getattr(each, kind)} for each in (at, default)]
        assert values[0] == values[1], kind


@pytest.fixture
def gaps(data, write_snapshot):
    """Four models of which one lacks three benchmarks: two are empty, one has no row."""
    benchmarks = [benchmark.id for benchmark in CATALOGUE.benchmarks["open-medical-llm"]]
    records = [
        (model, benchmark, score)
        for model, score in (("org/high", 0.8), ("org/mid", 0.6), ("org/low", 0.4))
        for benchmark in benchmarks
    ]
    records += [("org/gap", benchmark, 0.7) for benchmark in benchmarks[3:]]
    records += [("org/gap", benchmark, None) for benchmark in benchmarks[1:3]]
    write_snapshot(data, "open-medical-llm", records)
    return benchmarks


def column(at, name, of):
    """Return a cell of the shortlist table."""
    table = at.dataframe[0].value
    return table[name][list(table["Model"]).index(of)]


def test_a_gap_is_never_a_zero_on_the_shortlist(gaps, visit):
    at = visit(evidence="Open Medical-LLM")
    assert column(at, "Score", "gap") == pytest.approx(70)
    assert pd.isna(column(at, "Place", "gap"))
    assert pd.isna(column(at, "Overall", "gap"))
    assert column(at, "May be", "gap") == "not ranked"
    assert (column(at, "Tests", "gap"), column(at, "Missing", "gap")) == (len(gaps) - 3, 3)
    assert (column(at, "Place", "high"), column(at, "Overall", "high")) == (1, 1)
    assert column(at, "Decision", "gap") == ""
    table = at.dataframe[0].value
    # Nothing is known of these models: neither size nor price nor licence.
    assert table["Size, B"].isna().all()
    assert table["Cost, $ a month"].isna().all()
    assert table["Severe harm, %"].isna().all()
    assert set(table["Licence"]) == {"not known"}
    assert at.dataframe[0].proto.placeholder == "not known"
    assert "$0" not in said(at)


def test_a_gap_is_not_measured_in_the_details(gaps, visit):
    at = visit(evidence="Open Medical-LLM")
    place = list(at.dataframe[0].value["Model"]).index("gap")
    at.session_state["row"] = {"selection": {"rows": [place], "columns": [], "cells": []}}
    at.session_state["scores_fold"] = True
    at.run()
    assert "gap" in [heading.value for heading in at.subheader]
    (table,) = (each for each in at.dataframe if each.proto.placeholder == "not measured")
    assert list(table.value["Points"].isna()) == [True] * 3 + [False] * (len(gaps) - 3)
    assert list(table.value["Score"].isna()) == [True] * 3 + [False] * (len(gaps) - 3)
    assert set(table.value["Points"].dropna().round(9)) == {70}
    assert table.value["Standard error"][:3].isna().all()


def test_a_gap_is_no_zero_on_the_other_pages(gaps, visit):
    at = visit("evidence/clusters", evidence="Open Medical-LLM")
    assert set(at.dataframe[0].value["Model"]) == {"high", "mid", "low"}
    assert at.dataframe[0].value["Size, B"].isna().all()
    at.session_state["left_out"] = True
    at.run()
    (left_out,) = tables(at, "Reason")
    assert list(left_out["Model"]) == ["gap"]
    at = visit("evidence/win_rates", evidence="Open Medical-LLM", wins_show="Task categories")
    scores = next(t for t in at.dataframe if t.proto.placeholder == "not measured").value
    row = scores[scores["Model"] == "gap"].drop(columns="Model").iloc[0]
    assert set(row.dropna().round(9)) == {70}
    paper = "The taxonomy paper's rule (size only, both taxonomies)"
    at = visit("replace/candidates", evidence="Open Medical-LLM", rule=paper)
    assert "gap" not in at.selectbox(key="model").options
    assert not at.dataframe


def test_a_category_that_a_model_was_never_tested_on_stays_empty(gaps, data, write_snapshot, visit):
    first = CATALOGUE.benchmarks["open-medical-llm"][0].category
    others = [b.id for b in CATALOGUE.benchmarks["open-medical-llm"] if b.category != first]
    assert others
    every = [b.id for b in CATALOGUE.benchmarks["open-medical-llm"]]
    records = [(f"org/m{i}", benchmark, 0.3 + i / 10) for i in range(3) for benchmark in every]
    records += [("org/part", benchmark, 0.45) for benchmark in others]
    write_snapshot(data, "open-medical-llm", records, revision="r2", as_of="2026-02-01")
    at = visit("evidence/win_rates", evidence="Open Medical-LLM", wins_show="Task categories")
    scores = next(t for t in at.dataframe if t.proto.placeholder == "not measured").value
    part = scores[scores["Model"] == "part"].iloc[0]
    assert pd.isna(part[first])
    assert set(part.drop("Model").dropna().round(9)) == {45}


def test_the_tab_of_flags_says_which_runs_are_flagged_and_which_made_otherwise(visit):
    at = visit("data/upkeep")
    (flagged,) = tables(at, "Why")
    copied = flagged[flagged["Why"] == "file made from that of another model"]
    assert set(copied["Model"]) == {
        *("meditron-70b", "OpenBioLLM-Llama3-70B", "OpenBioLLM-Llama3-8B")
    }
    (made,) = tables(at, "How")
    assert dict(zip(made["Model"], made["How"], strict=True))["Med-PaLM 2 (best)"] == (
        "another protocol: best of several prompts"
    )
    assert len(made) == 30  # five of them were reported to χ-Bench by their own teams
    assert number(r"(\d+) runs do not look", at) == [flagged["Run"].nunique()]


def test_a_rerun_of_the_flags_reads_nothing_from_the_store_again(visit, monkeypatch, own_memory):
    at = visit("data/upkeep")
    read = []
    query = Store._query
    monkeypatch.setattr(Store, "_query", lambda *asked: read.append(asked) or query(*asked))
    assert len(at.run().dataframe) == 2
    assert not read


def test_a_fault_is_shown_with_the_reference_that_stands_in_the_log(visit, monkeypatch, caplog):
    def broken(*_):
        raise RuntimeError("typed by ana@hospital.example")

    monkeypatch.setattr(logs.LOGGER, "propagate", True)
    monkeypatch.setattr(recommend, "shortlist", broken)
    at = visit()
    assert len(at.error) == 1
    facts = caplog.records[-1].facts
    assert f"under the reference {facts['reference']}." in at.error[0].value
    assert (facts["kind"], facts["page"]) == ("RuntimeError", "Recommend")
    assert "ana@" not in f"{facts} {at.error[0].value}"


def test_evidence_over_a_year_old_says_so_below_every_page(visit, monkeypatch):
    monkeypatch.setattr(evidence, "today", lambda: date(2026, 11, 22))
    assert "2025-11-01" in said(visit(evidence="BRIDGE"))
    monkeypatch.setattr(evidence, "today", lambda: date(2026, 11, 1))
    assert "2025-11-01" not in said(visit(evidence="BRIDGE"))


def test_prices_over_90_days_old_say_so_below_every_page(visit, monkeypatch):
    for day, old in ((date(2027, 2, 21), False), (date(2027, 2, 22), True)):
        monkeypatch.setattr(evidence, "today", lambda day=day: day)
        assert ("Public prices were last checked on 2026-11-23" in said(visit())) is old


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


def test_the_size_stops_are_words_that_a_link_can_carry():
    for stop in BY_KEY["max_params"].kind.stops:
        query = {"max_params": [size_label(stop)]}
        assert link.from_query(query, CATALOGUE, ()).requirements.max_params_b == stop
