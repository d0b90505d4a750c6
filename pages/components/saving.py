"""Keep a shortlist: the database of this server, and the form below a shortlist."""

from __future__ import annotations

import os
from datetime import date
from typing import TYPE_CHECKING

import streamlit as st

from core.answers import documents, recommend
from core.domain import BadRequestError, FormularyError
from core.evidence.store import Store
from core.saved.kept import LONGEST_NAME, LONGEST_NOTE
from core.sharing.link import Opened
from pages.components import entries, evidence, own_cases, visitor
from pages.components.notices import plain

if TYPE_CHECKING:
    from core.saved.database import Database

_NAME, _NOTE, _SHARED = "keep_name", "keep_note", "keep_shared"
_DONE, _REFUSED = "keep_done", "keep_refused"


def database(store: Store) -> Database:
    """Return the database of saved things: ``FORMULARY_DATABASE_URL``, else a file.

    The file lies in the data folder, or beside the derived store where that was put elsewhere.
    """
    # Imported when somebody saves or looks, so that the first page does not wait for it.
    from core.saved.database import sqlite_url  # noqa: PLC0415

    folder = store.path.parent if os.environ.get("FORMULARY_STORE") else store.data
    url = os.environ.get("FORMULARY_DATABASE_URL") or sqlite_url(folder / "saved.sqlite")
    return _database(url)


@st.cache_resource(max_entries=2, show_spinner=False)
def _database(url: str) -> Database:
    from core.saved.database import open_database  # noqa: PLC0415 - as above

    return open_database(url)


def form(store: Store, opened: Opened, on: date) -> None:
    """Draw the form that saves a shortlist, for those who may."""
    if not visitor.may_keep():
        return
    with (
        # With a key it stays open, and keeps what was typed, when the question above it changes.
        st.expander("Keep this shortlist", key="keep_fold", icon=":material/bookmark_add:"),
        st.form("keep_shortlist", border=False),
    ):
        st.text_input(
            "Name", max_chars=LONGEST_NAME, placeholder="Discharge letters, first round", key=_NAME
        )
        st.text_area("Note", max_chars=LONGEST_NOTE, height=80, key=_NOTE)
        if visitor.who():
            st.checkbox(
                "Others who are logged in may see it",
                key=_SHARED,
                help="They can open it and compare it. Only you can change or delete it.",
            )
        st.caption(
            "Kept are the question with its evidence and the day of its prices, your own answers "
            "and prices in it, and every row, so that Kept lists can show what was to take."
        )
        # The callback has the list that was on the screen when the button was pressed.
        st.form_submit_button("Keep", type="primary", on_click=_keep, args=(store, opened, on))
    if refused := st.session_state.pop(_REFUSED, ""):
        st.error(f"It was not kept. {plain(refused)}", icon=":material/error:")
    if done := st.session_state.pop(_DONE, ""):
        st.success(f"Kept as {plain(done)}.", icon=":material/bookmark_added:")
        entries.link("recommend", "Kept lists", label="Open kept lists", icon="bookmark")


def _keep(store: Store, opened: Opened, on: date) -> None:
    """Save what the form says; what was typed stays where it cannot be saved."""
    from core.saved import shelf  # noqa: PLC0415 - as above

    state, asked = st.session_state, opened.requirements
    try:
        if not visitor.may_keep():  # The login ended while the form was on the screen.
            raise BadRequestError(visitor.why_not())
        receipt = documents.receipt(store, asked, on, made_on=evidence.today())
        made = shelf.save(
            database(store),
            documents.to_keep(store, opened, on, receipt.in_groups()),
            name=state[_NAME],
            note=state[_NOTE],
            owner=visitor.who(),
            shared=state.get(_SHARED, False),
        )
        decided = recommend.recommendation(store, asked, on)
        if found := own_cases.about(decided):
            shelf.put_local_result(
                database(store), made.id, made.version, found[-1], editor=visitor.reader()
            )
    except FormularyError as error:
        state[_REFUSED] = str(error)
    else:
        state.update({_NAME: "", _NOTE: "", _DONE: made.name})
