"""A link from another day: what it took then and takes today, with both a click away."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import streamlit as st

from core.answers import documents
from core.domain import Requirements
from core.evidence.store import Store
from core.sharing import link
from core.words.figures import day_in_words
from core.words.shortlist import then_and_today
from pages.components import evidence
from pages.components.notices import plain

_HELD = "other_day"
"""Holds the day of prices and the revision of a link from another day while today's is shown."""


def draw(store: Store, asked: Requirements) -> None:
    """Lead with both answers where the question is of another day, or was."""
    today, state = evidence.today(), st.session_state
    shown = documents.is_of_another_day(store, asked, today)
    if shown:
        state[_HELD] = asked.prices_on, asked.revision
    elif _HELD not in state:
        return
    prices_on, revision = state[_HELD]
    if revision not in {snapshot.revision for snapshot in store.of_suite(asked.suite)}:
        revision = ""
    asked = replace(asked, prices_on=prices_on, revision=revision)
    of = store.snapshot(asked.suite, revision)
    day = prices_on or of.as_of or of.retrieved_at
    with st.spinner("Weighing the evidence…"):
        then = documents.taken(store, asked, evidence.priced_on(asked))
        newest = documents.of_today(asked, today)
        now = documents.taken(store, newest, today, then.name)
    said = then_and_today(day, then, now, documents.changes(then, now))
    st.markdown(f"**{plain(said)}**")
    priced = date.fromisoformat(prices_on) if prices_on else None
    with st.container(horizontal=True, gap="small"):
        _switch(f"As of {day_in_words(day)}", priced, link.data_label(of), disabled=shown)
        label = link.data_label(store.snapshot(asked.suite))
        _switch("Today", None, label, disabled=not shown)


def _switch(name: str, prices: date | None, data: str, *, disabled: bool) -> None:
    st.button(
        name,
        disabled=disabled,
        icon=":material/visibility:" if disabled else None,
        help="This answer is shown below." if disabled else None,
        on_click=st.session_state.update,
        kwargs={"prices": prices, "data": data},
    )
