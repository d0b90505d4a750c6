"""Taking the newest revision of each live source, for whoever runs the server."""

from __future__ import annotations

import os

import streamlit as st

from core import logs
from core.domain import FormularyError
from core.evidence import sources
from core.evidence.hub import Hub
from core.evidence.refresh import refresh
from core.evidence.store import Store, data_address, writable_data_folder
from pages.components import visitor
from pages.components.notices import plain


def draw(store: Store) -> None:
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
        _one(store, hub, name, names[name])


def _one(store: Store, hub: Hub, name: str, suite: str) -> None:
    """Ask one source, and say what came of it."""
    with st.status(f"Refreshing {name}") as status:
        bar = st.progress(0.0)
        try:
            found = refresh(
                writable_data_folder(),
                suite,
                hub,
                known_benchmarks=store.catalogue.benchmark_ids(),
                progress=lambda done, total: bar.progress(
                    min(1.0, done / max(total, 1)), f"{done} of {total} files"
                ),
            )
        except FormularyError as error:
            logs.event("refresh", "A source was not refreshed", suite=suite)
            st.markdown(plain(str(error)))
            status.update(label=f"{name}: not refreshed", state="error", expanded=True)
            return
        st.markdown(plain(found.message))
        label = "a new snapshot" if found.snapshot else "already the newest"
        new = found.snapshot.revision if found.snapshot else "none"
        logs.event("refresh", "A source was asked", suite=suite, new_snapshot=new)
        status.update(label=f"{name}: {label}", state="complete", expanded=True)


def _secret(key: str) -> str | None:
    try:
        return st.secrets.get(key)
    except FileNotFoundError:
        return None
