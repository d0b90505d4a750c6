"""What a visitor keeps: the verdict on their own cases for the session, a shortlist for good."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

import streamlit as st

from core.answers import documents, recommend
from core.domain import BadRequestError, FormularyError
from core.evidence.store import Store
from core.procurement.recommendation import Recommendation
from core.saved.kept import (
    FIRST_DAY,
    LAST_DAY,
    LONGEST_NAME,
    LONGEST_NOTE,
    STATUSES,
    LocalResult,
    Saved,
)
from core.sharing import export
from core.sharing.link import Opened
from pages.components import entries, evidence, visitor
from pages.components.notices import plain

if TYPE_CHECKING:
    from core.saved.shelf import Database


_OWN_CASES = "own_cases"


@dataclass(frozen=True, slots=True)
class OwnVerdict:
    """A verdict, and the ids of its two models in the catalogue where they are known there."""

    result: LocalResult
    candidate: str
    reference: str


def hold(found: OwnVerdict) -> None:
    """Hold a verdict as long as the session lasts; a newer one of the same pair takes its place."""
    pair = found.result.model_a, found.result.model_b
    others = [each for each in held() if (each.result.model_a, each.result.model_b) != pair]
    st.session_state[_OWN_CASES] = (*others, found)


def held() -> tuple[OwnVerdict, ...]:
    """Return the verdicts of this session, the newest last."""
    return st.session_state.get(_OWN_CASES, ())


def own_results_about(found: Recommendation) -> tuple[LocalResult, ...]:
    """Return the verdicts on models that a recommendation names."""
    named = {*export.decisions_of(found), found.in_place_of}
    return tuple(
        each.result for each in held() if {each.candidate, each.reference} & (named - {""})
    )


_NAME, _NOTE, _SHARED = "keep_name", "keep_note", "keep_shared"
_CHANGED, _NOT_CHANGED = "saved_said", "saved_refused"


def database(store: Store) -> Database:
    """Return the database of saved things."""
    # Imported when somebody saves or looks, so that the first page does not wait for it.
    from core.answers.watch import saved_address  # noqa: PLC0415

    return _database(saved_address(store))


@st.cache_resource(max_entries=2, show_spinner=False)
def _database(url: str) -> Database:
    from core.saved.shelf import open_database  # noqa: PLC0415 - as above

    return open_database(url)


def form(store: Store, opened: Opened, on: date) -> None:
    """Draw the form that saves a shortlist, for those who may."""
    if not visitor.may_keep():
        return
    # With a key it stays open, and keeps what was typed, when the question above it changes.
    fold = st.expander(
        "Keep this shortlist", key="keep_fold", icon=":material/bookmark_add:", on_change="rerun"
    )
    if fold.open:
        with fold, st.form("keep_shortlist", border=False):
            _fields(store, opened, on)
    if said():
        entries.link("recommend", "Kept lists", label="Open kept lists", icon="bookmark")


def _fields(store: Store, opened: Opened, on: date) -> None:
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
        if found := own_results_about(decided):
            shelf.put_local_result(
                database(store), made.id, made.version, found[-1], editor=visitor.reader()
            )
    except FormularyError as error:
        state[_NOT_CHANGED] = (str(error), "")
    else:
        state.update({_NAME: "", _NOTE: "", _CHANGED: f"Kept as {made.name}."})


def said() -> bool:
    """Say what the last click has done, or why it was refused, with what had been typed."""
    if words := st.session_state.pop(_CHANGED, ""):
        st.success(plain(words), icon=":material/check:")
    refused, typed = st.session_state.pop(_NOT_CHANGED, ("", ""))
    if refused:
        st.warning(f"Nothing was changed. {plain(refused)}", icon=":material/warning:")
    if typed:
        st.caption("What you typed:")
        st.text(typed)
    return bool(words)


def editing(database: Database, chosen: Saved, editor: str | None) -> None:
    """Draw the two forms; their callbacks know the version that was on the screen."""
    stamp = f"{chosen.id}_{chosen.version}"
    with st.expander("Decide, rename or share"), st.form(f"edit_{stamp}", border=False):
        status, decided_on, review_by = st.columns(3)
        at = STATUSES.index(chosen.status)
        status.selectbox("Status", STATUSES, at, key=f"status_{stamp}")
        days = {"format": "YYYY-MM-DD", "min_value": FIRST_DAY, "max_value": LAST_DAY}
        decided_on.date_input("Decided on", chosen.decided_on, key=f"decided_{stamp}", **days)
        review_by.date_input("Review by", chosen.review_by, key=f"review_{stamp}", **days)
        st.text_input("Name", chosen.name, max_chars=LONGEST_NAME, key=f"name_{stamp}")
        st.text_area("Note", chosen.note, max_chars=LONGEST_NOTE, key=f"note_{stamp}")
        if visitor.has_login():
            st.checkbox("Others who are logged in may see it", chosen.shared, key=f"shared_{stamp}")
        if found := held():
            st.checkbox(
                "Put what your own cases said beside it",
                key=f"verdict_{stamp}",
                help=f"{plain(found[-1].result.sentence)} No row of a case is kept.",
            )
        st.form_submit_button("Save changes", on_click=_change, args=(database, chosen, editor))
    with st.expander("Delete"), st.form(f"delete_{stamp}", border=False):
        st.checkbox(f"Delete {plain(chosen.name)} for good", key=f"sure_{stamp}")
        st.form_submit_button("Delete", on_click=_remove, args=(database, chosen, editor))


def _change(database: Database, seen: Saved, editor: str | None) -> None:
    from core.saved import shelf  # noqa: PLC0415 - as above

    state, stamp = st.session_state, f"{seen.id}_{seen.version}"
    name, note, status, decided_on, review_by = (
        state[f"{field}_{stamp}"] for field in ("name", "note", "status", "decided", "review")
    )
    try:
        visitor.check_writing(editor)
        changed = shelf.change(
            database,
            seen.id,
            seen.version,
            name=name,
            note=note,
            shared=state.get(f"shared_{stamp}", seen.shared),
            status=status,
            decided_on=decided_on,
            review_by=review_by,
            editor=editor,
        )
        if state.get(f"verdict_{stamp}"):
            newest = held()[-1].result
            shelf.put_local_result(database, seen.id, changed.version, newest, editor=editor)
    except FormularyError as error:
        typed = (name, note, status, decided_on, review_by)
        state[_NOT_CHANGED] = (str(error), "\n".join(str(each) for each in typed if each))
    else:
        state[_CHANGED] = f"{name} was changed."


def _remove(database: Database, seen: Saved, editor: str | None) -> None:
    from core.saved import shelf  # noqa: PLC0415 - as above

    try:
        if not st.session_state[f"sure_{seen.id}_{seen.version}"]:
            raise BadRequestError("Tick the box first.")
        visitor.check_writing(editor)
        shelf.remove(database, seen.id, seen.version, editor=editor)
    except FormularyError as error:
        st.session_state[_NOT_CHANGED] = (str(error), "")
    else:
        st.session_state[_CHANGED] = f"{seen.name} was deleted."
