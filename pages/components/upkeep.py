"""What happens to the evidence: refreshing it, what is flagged, what changed."""

from __future__ import annotations

import os

import pandas as pd
import streamlit as st

from core import logs
from core.answers import data
from core.domain import FormularyError
from core.evidence import sources
from core.evidence.hub import Hub
from core.evidence.refresh import refresh
from core.evidence.store import Store, data_address, writable_data_folder
from pages.components import visitor, wording
from pages.components.notices import plain


def refreshing(store: Store) -> None:
    """Offer to take the newest revision of each live source, where this visitor may."""
    st.subheader("Refresh")
    if not visitor.is_administrator():
        st.caption(
            "This server is shared, so its evidence is refreshed by whoever runs it, with the "
            "command “python -m core refresh”."
        )
        return
    if data_address():
        st.caption(
            "The evidence of this server lies in a storage that it only reads. It is refreshed "
            "where the storage is filled from, and taken up here within ten minutes."
        )
        return
    names = {store.catalogue.suites[suite].name: suite for suite in sources.LIVE}
    chosen = st.multiselect(
        "Live sources",
        list(names),
        default=list(names),
        help="Leaderboards that are read from Hugging Face, each at a pinned revision.",
    )
    if not st.button("Refresh now", icon=":material/sync:", disabled=not chosen):
        return
    hub = Hub(token=os.environ.get("HF_TOKEN") or _secret("HF_TOKEN"))
    for name in chosen:
        with st.status(f"Refreshing {name}") as status:
            bar = st.progress(0.0)

            def progress(done: int, total: int, bar: object = bar) -> None:
                bar.progress(min(1.0, done / max(total, 1)), f"{done} of {total} files")

            try:
                found = refresh(
                    writable_data_folder(),
                    names[name],
                    hub,
                    known_benchmarks=store.catalogue.benchmark_ids(),
                    progress=progress,
                )
            except FormularyError as error:
                logs.event("refresh", "A source was not refreshed", suite=names[name])
                st.markdown(plain(str(error)))
                status.update(label=f"{name}: not refreshed", state="error", expanded=True)
            else:
                st.markdown(plain(found.message))
                label = "a new snapshot" if found.snapshot else "already the newest"
                new = found.snapshot.revision if found.snapshot else "none"
                logs.event("refresh", "A source was asked", suite=names[name], new_snapshot=new)
                status.update(label=f"{name}: {label}", state="complete", expanded=True)


def _secret(key: str) -> str | None:
    try:
        return st.secrets.get(key)
    except FileNotFoundError:
        return None


def flagged(store: Store) -> None:
    """List the runs that do not look plausible, each with what was seen."""
    st.subheader("Flagged runs")
    st.caption(
        "Runs whose scores do not look as an honest test of that model would. A flag is a hint, "
        "not a verdict. Flagged runs stay out of every figure unless you bring them in. Scores "
        "that were seen in training are noticed only where they lift some benchmarks more than "
        "others: a run that is inflated evenly everywhere looks like a better model, and has no "
        "flag."
    )
    flags = [
        flag
        for snapshot in store.snapshots
        for protocol in store.catalogue.suites[snapshot.suite].protocols or ("",)
        for flag in store.flags(snapshot, protocol)
    ]
    if not flags:
        st.info("No run is flagged.")
        return
    st.dataframe(
        pd.DataFrame(
            {
                "Suite": [store.catalogue.suites[f.suite].name for f in flags],
                "Model": [data.model(store, f.model).name for f in flags],
                "Why": [f.rule for f in flags],
                "What was seen": [f.detail for f in flags],
                "Run": [f.run for f in flags],
            }
        ),
        hide_index=True,
        alt="Flagged runs with their reasons",
    )


def labelled(store: Store) -> None:
    """List the runs that were not made as the others of their suite were."""
    rows = [
        (
            store.catalogue.suites[made.suite].name,
            data.model(store, made.model).name,
            made.label,
            made.run,
        )
        for snapshot in store.snapshots
        for protocol in store.catalogue.suites[snapshot.suite].protocols or ("",)
        for made in store.provenance(snapshot, protocol)
    ]
    if not rows:
        return
    st.subheader("Made otherwise")
    st.caption(
        "Runs that were not made as the rest of their suite was. They are shown, and stay out of "
        "rank bands and first places. Figures from elsewhere: no standard error and at most four "
        "decimals, as a printed table gives them. Another protocol: asked otherwise than the "
        "suite asks, such as the best of several prompts."
    )
    frame = pd.DataFrame(rows, columns=["Suite", "Model", "How", "Run"])
    st.dataframe(frame, hide_index=True, alt="Runs that were made otherwise, and how")


def changed(store: Store) -> None:
    """Compare two snapshots of a suite."""
    st.subheader("What changed")
    several = {
        store.catalogue.suites[suite].name: store.of_suite(suite)
        for suite in store.catalogue.suites
        if len(store.of_suite(suite)) > 1
    }
    if not several:
        st.caption(
            "There is one snapshot of each suite. After a refresh, what changed stands here."
        )
        return
    name = st.selectbox("Suite to compare", list(several), key="changed", bind="query-params")
    newest, *older = several[name]
    revisions = [snapshot.revision for snapshot in older]
    before = st.selectbox(
        f"Compare {newest.revision} with", revisions, key="changed_from", bind="query-params"
    )
    found = data.changes(store, newest.suite, before, newest.revision)
    kinds = pd.Series([change.what for change in found.changes], dtype="str").value_counts()
    st.markdown(
        f"{wording.counted(len(found.new_models), 'new model')}, "
        f"{wording.counted(len(found.gone_models), 'model')} gone, "
        + (", ".join(wording.counted(n, what) for what, n in kinds.items()) or "nothing else")
        + " changed."
    )
    moved = [(c.model, c.what, c.item, c.before, c.after) for c in found.changes]
    came = [(model, "new model", "", None, None) for model in found.new_models]
    went = [(model, "model gone", "", None, None) for model in found.gone_models]
    frame = pd.DataFrame([*came, *went, *moved], columns=["Model", "What", "Of", "Before", "After"])
    frame["Model"] = [data.model(store, model).name for model in frame["Model"]]
    for column in ("Before", "After"):
        frame[column] = [
            "" if value is None else f"{value:.4g}" if isinstance(value, float) else value
            for value in frame[column]
        ]
    st.dataframe(frame, hide_index=True, alt=f"Changes of {name}")
