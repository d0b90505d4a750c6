"""What is loaded, from where, how old and under which licence."""

import pandas as pd
import streamlit as st

from core import figures
from core.answers import data, market, other_suites
from core.answers.asked import Asked
from core.domain import Suite
from core.evidence.store import Store
from core.sources.lists import SOURCES
from core.words.model import systems_in_words, value_in_words
from pages.components import evidence, renewal
from pages.components.blocks import picked, table
from pages.components.notices import plain


def draw(asked: Asked) -> None:
    """Draw the tab."""
    store = asked.store
    suites, loaded = store.catalogue.suites, store.snapshots
    st.markdown(
        f"**All evidence comes from {figures.counted(len(loaded), 'snapshot')}, each checked "
        "against its fingerprint when it was loaded.** All of them are kept."
    )
    if old := data.old_suites(store, evidence.this_day()):
        named = figures.listed([f"{name} ({figures.day_in_words(day)})" for name, day in old])
        later = "Models that came later are not in this evidence."
        st.caption(plain(f"More than a year old: {named}. {later}"))
    table(
        {
            "Suite": [suites[s.suite].name for s in loaded],
            "Version": [s.revision for s in loaded],
            "As of": [s.as_of or "not published" for s in loaded],
            "Retrieved": [s.retrieved_at for s in loaded],
            "Models": [s.n_models for s in loaded],
            "Benchmarks": [s.n_benchmarks for s in loaded],
            "Runs": [s.n_runs for s in loaded],
            "Scores": [s.n_rows for s in loaded],
            "Licence": [s.licence for s in loaded],
            "Source": [s.source_url for s in loaded],
            "Fingerprint": [s.sha256[:12] for s in loaded],
            "Note": [s.note for s in loaded],
        },
        "snapshots",
        "Snapshots that are loaded",
    )
    _lists(store)
    renewal.draw_section(store)


def _lists(store: Store) -> None:
    st.subheader("Public lists of prices and ends of sale")
    days = ["As of", "Last read"]
    columns = ["List", "Version", *days, "Entries", "Ends of sale", "Source", "Fingerprint"]
    rows = [
        (
            *(SOURCES[it.list].title, it.revision, it.as_of, max(it.retrieved_at, it.seen_on)),
            *(it.n_entries, it.n_ends, it.source_url, it.sha256[:12]),
        )
        for name in SOURCES
        for it in data.of_list(store, name)
    ]
    frame = pd.DataFrame(rows, columns=columns)
    table(frame, "fact-lists", "Public lists that are loaded")


def one_suite(asked: Asked) -> None:
    """Draw what one suite is, the place of each model in it, and its benchmarks."""
    store = asked.store
    suites = {suite.name: suite for suite in store.catalogue.suites.values()}
    suite = picked("Suite", suites, key="suite", what="The suite")
    know = f" To know: {'; '.join(suite.cautions)}." if suite.cautions else ""
    st.markdown(f"{suite.description}{know} Source: {suite.citation}.")
    _places(asked, suite)
    st.subheader("Benchmarks and their categories")
    chosen = store.catalogue.benchmarks[suite.id]
    table(
        {
            "Benchmark": [b.name for b in chosen],
            "Category": [b.category for b in chosen],
            "Subcategory": [b.subcategory for b in chosen],
            "Why there": [b.category_reason for b in chosen],
            "Kind": [b.domain for b in chosen],
            "Measure": [b.metric for b in chosen],
            "Scale": [f"{b.scale_min:g} to {b.scale_max:g}" for b in chosen],
            "Questions": pd.array([b.n_items for b in chosen], dtype="Int64"),
            "Data": [b.access or figures.UNKNOWN for b in chosen],
        },
        "benchmarks",
        f"Benchmarks of {suite.name}",
        next(iter(store.of_suite(suite.id)), None),
    )


def _places(asked: Asked, suite: Suite) -> None:
    store, among = asked.store, market.lines(asked.store, *asked.work_on)
    line = next((it for it in among if it.rule.suite == suite.id), None)
    counts = (line.work.task, line.work.language) if line else ("balanced", "")
    there = other_suites.standings(store, suite.id, *counts)
    if not there.rows:
        return
    work = store.catalogue.tasks[asked.question.work.task].name.lower()
    told = f"as they count for {work}" if line else f"by its overall score; none counts for {work}"
    st.subheader("Models and their places")
    many = systems_in_words(len(there.rows), other_suites.n_models(store, there.rows))
    st.caption(plain(f"{many}, {told}: {there.metric}."))
    found = [
        other_suites.result_in(store, suite.id, it, "same version", *counts) for it in there.rows
    ]
    table(
        {
            "Place": [it.rank for it in found],
            "Model": [data.model(store, it.tested_as).name for it in found],
            "Score, with its interval": [value_in_words(it) for it in found],
        },
        "places",
        f"Places of models in {suite.name}",
        store.of_suite(suite.id)[0],
    )
