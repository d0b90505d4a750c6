"""What is loaded, from where, how old and under which licence."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core.evidence.store import Store
from pages.components import evidence, health, wording
from pages.components.blocks import table
from pages.components.notices import own_choice, plain
from pages.data import refreshing

_SNAPSHOT_COLUMNS = {
    "As of": st.column_config.TextColumn(help="The day of the scores, as the source says."),
    "Runs": st.column_config.NumberColumn(
        help="One run is one test of one model. A model may have several."
    ),
    "Source": st.column_config.LinkColumn(),
    "Fingerprint": st.column_config.TextColumn(
        help="The beginning of the SHA-256 hash of the scores. Links carry it, so that a reader "
        "sees whether the evidence has changed."
    ),
}
_BENCHMARK_COLUMNS = {
    "Questions": st.column_config.NumberColumn(
        help="How many questions or texts the benchmark has; the more, the surer the score."
    ),
    "Data": st.column_config.TextColumn(
        help="Public: anyone can read it, models may have seen it in training. Gated: on request. "
        "Private: only its owner has it."
    ),
}


def draw() -> None:
    """Draw the tab."""
    store = evidence.store()
    _loaded(store)
    refreshing.draw(store)
    _benchmarks(store)


def _loaded(store: Store) -> None:
    """List the snapshots, and say which have grown old."""
    suites, loaded = store.catalogue.suites, store.snapshots
    st.markdown(
        f"**All evidence comes from {wording.counted(len(loaded), 'snapshot')}, each checked "
        "against its fingerprint when the app started.** Every one is kept."
    )
    if old := health.old_evidence(store):
        st.caption(plain(old))
    table(
        pd.DataFrame(
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
            }
        ),
        name="snapshots",
        title="Snapshots that are loaded",
        snapshot=None,
        columns=_SNAPSHOT_COLUMNS,
    )


def _benchmarks(store: Store) -> None:
    """List the benchmarks of the chosen suite with their categories."""
    st.subheader("Benchmarks and their categories")
    suites = {suite.name: suite for suite in store.catalogue.suites.values()}
    own_choice("suite", "The suite", suites, next(iter(suites)))
    name = st.selectbox("Suite", list(suites), key="suite", bind="query-params")
    suite = suites[name]
    st.markdown(f"{suite.description} Source: {suite.citation}.")
    chosen = store.catalogue.benchmarks[suite.id]
    table(
        pd.DataFrame(
            {
                "Benchmark": [b.name for b in chosen],
                "Category": [b.category for b in chosen],
                "Subcategory": [b.subcategory for b in chosen],
                "Why there": [b.category_reason for b in chosen],
                "Kind": [b.domain for b in chosen],
                "Measure": [b.metric for b in chosen],
                "Scale": [f"{b.scale_min:g} to {b.scale_max:g}" for b in chosen],
                "Questions": pd.array([b.n_items for b in chosen], dtype="Int64"),
                "Data": [b.access or wording.UNKNOWN for b in chosen],
            }
        ),
        name="benchmarks",
        title=f"Benchmarks of {name}",
        snapshot=None,
        columns=_BENCHMARK_COLUMNS,
    )
