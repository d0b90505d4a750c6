"""What is loaded, from where, how old and under which licence."""

import pandas as pd
import streamlit as st

from core import figures
from core.answers import data
from core.answers.asked import Asked
from core.evidence.store import Store
from core.sources.lists import SOURCES
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
        named = figures.listed([f"{name} ({day})" for name, day in old])
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
    _benchmarks(store)


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


def _benchmarks(store: Store) -> None:
    st.subheader("Benchmarks and their categories")
    suites = {suite.name: suite for suite in store.catalogue.suites.values()}
    suite = picked("Suite", suites, key="suite", what="The suite")
    know = f" To know: {'; '.join(suite.cautions)}." if suite.cautions else ""
    st.markdown(f"{suite.description}{know} Source: {suite.citation}.")
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
    )
