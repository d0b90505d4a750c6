"""What is loaded, from where, how old and under which licence."""

import pandas as pd
import streamlit as st

from pages.components import evidence, health, wording
from pages.components.notices import own_choice, plain
from pages.data import upkeep


def draw() -> None:
    """Draw the tab."""
    store = evidence.store()
    suites = store.catalogue.suites

    st.markdown(
        "All evidence on these pages comes from the copies below. Each was checked against its "
        "fingerprint when the app started, and every copy is kept."
    )
    if old := health.old_evidence(store):
        st.caption(plain(old))
    st.dataframe(
        pd.DataFrame(
            {
                "Suite": [suites[s.suite].name for s in store.snapshots],
                "Version": [s.revision for s in store.snapshots],
                "As of": [s.as_of or "not published" for s in store.snapshots],
                "Retrieved": [s.retrieved_at for s in store.snapshots],
                "Models": [s.n_models for s in store.snapshots],
                "Benchmarks": [s.n_benchmarks for s in store.snapshots],
                "Runs": [s.n_runs for s in store.snapshots],
                "Scores": [s.n_rows for s in store.snapshots],
                "Licence": [s.licence for s in store.snapshots],
                "Source": [s.source_url for s in store.snapshots],
                "Fingerprint": [s.sha256[:12] for s in store.snapshots],
                "Note": [s.note for s in store.snapshots],
            }
        ),
        column_config={
            "As of": st.column_config.TextColumn(help="The day of the scores, as the source says."),
            "Runs": st.column_config.NumberColumn(
                help="One run is one test of one model. A model may have several."
            ),
            "Source": st.column_config.LinkColumn(),
            "Fingerprint": st.column_config.TextColumn(
                help="The beginning of the SHA-256 hash of the scores. Links carry it, so that a "
                "reader sees whether the evidence has changed."
            ),
        },
        hide_index=True,
        alt="Snapshots that are loaded",
    )

    upkeep.refreshing(store)

    st.subheader("Benchmarks and their categories")
    names = [suite.name for suite in suites.values()]
    own_choice("suite", "The suite", names, names[0])
    name = st.selectbox(
        "Suite",
        names,
        key="suite",
        bind="query-params",
    )
    suite = next(suite for suite in suites.values() if suite.name == name)
    st.markdown(f"{suite.description} Source: {suite.citation}.")
    chosen = store.catalogue.benchmarks[suite.id]
    st.dataframe(
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
        column_config={
            "Questions": st.column_config.NumberColumn(
                help="How many questions or texts the benchmark has; the more, the surer the score."
            ),
            "Data": st.column_config.TextColumn(
                help="Public: anyone can read it, models may have seen it in training. Gated: on "
                "request. Private: only its owner has it."
            ),
        },
        hide_index=True,
        placeholder=wording.UNKNOWN,
        alt=f"Benchmarks of {name}",
    )
