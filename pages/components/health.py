"""What the log says of a page that was drawn, and what the reader is told of old evidence."""

from __future__ import annotations

import logging

import streamlit as st

from core import logs
from core.answers import data
from core.evidence.store import Store
from core.sharing import wording
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


def old_evidence(store: Store) -> str:
    """Say which suites are more than a year old; empty where none is."""
    old = data.old_suites(store, evidence.today())
    if not old:
        return ""
    named = wording.list_of([f"{name} ({day})" for name, day in old])
    return f"More than a year old: {named}. Models that came later are not in this evidence."
