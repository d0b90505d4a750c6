"""What the log and the reader are told below a page: its time, and evidence that is old."""

from __future__ import annotations

import logging

import streamlit as st

from core import logs
from core.answers import data
from core.evidence.store import Store
from pages.components import controls, evidence


def rendered(page: str, store: Store, seconds: float) -> None:
    """Write to the log that a page was drawn, where the log is to have that much."""
    if not logs.LOGGER.isEnabledFor(logging.DEBUG):
        return
    asked = controls.question(store).requirements
    logs.event(
        "page",
        "A page was drawn",
        level=logging.DEBUG,
        page=page,
        milliseconds=round(seconds * 1000),
        suite=asked.suite,
        rows=store.snapshot(asked.suite, asked.revision).n_rows,
    )


def aged(store: Store) -> None:
    """Say below the page that its scores or prices have grown old."""
    found = data.aged(store, controls.question(store).requirements, evidence.today())
    said = []
    if found.scores:
        said.append(
            f"The scores of this evidence are of {found.scores}, over a year ago: models that "
            "came later are not among them."
        )
    if found.prices:
        said.append(f"Public prices were last checked on {found.prices}, over 90 days ago.")
    if said:
        st.caption(" ".join(said))
