"""What a visitor keeps: the verdict on their own cases for the session, a shortlist for good."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import streamlit as st

from core.answers import documents
from core.answers.asked import Asked
from core.domain import BadRequestError, FormularyError
from core.evidence.store import Store
from core.saved.kept import LONGEST_NAME, LONGEST_NOTE
from core.words.shortlist import evidence_name
from pages.components import entries, evidence, visitor
from pages.components.notices import plain

if TYPE_CHECKING:
    from core.saved.shelf import Database


_OWN_CASES = "own_cases"


@dataclass(frozen=True, slots=True)
class OwnVerdict:
    """A verdict on two models, and their ids in the catalogue where they are known there."""

    sentence: str
    names: tuple[str, str]
    ids: tuple[str, str]


def hold(found: OwnVerdict) -> None:
    """Hold a verdict as long as the session lasts; a newer one of the same pair takes its place."""
    others = [each for each in own_verdicts() if each.names != found.names]
    st.session_state[_OWN_CASES] = (*others, found)


def own_verdicts() -> tuple[OwnVerdict, ...]:
    """Return the verdicts that the session holds, the newest last."""
    found: tuple[OwnVerdict, ...] = st.session_state.get(_OWN_CASES, ())
    return found


def forget(verdict: OwnVerdict) -> None:
    """Hold a verdict no longer."""
    st.session_state[_OWN_CASES] = tuple(each for each in own_verdicts() if each != verdict)


def own_results_about(names: Collection[str]) -> tuple[str, ...]:
    """Return the verdicts on any of some models, each a sentence, the newest last."""
    named = {*names} - {""}
    return tuple(each.sentence for each in own_verdicts() if {*each.ids} & named)


_NAME, _NOTE, _SHARED = "keep_name", "keep_note", "keep_shared"
CHANGED, _REFUSED = "saved_said", "saved_refused"


def database(store: Store) -> Database:
    """Return the database of saved things."""
    # Imported when somebody saves or looks, so that the first page does not wait for it.
    from core.answers.watch import saved_address  # noqa: PLC0415

    return _database(saved_address(store))


@st.cache_resource(max_entries=2, show_spinner=False)
def _database(url: str) -> Database:
    from core.saved.shelf import open_database  # noqa: PLC0415 - as above

    return open_database(url)


def form(asked: Asked) -> None:
    """Draw the form that saves a shortlist, for those who may."""
    if not visitor.may_keep():
        return
    # With a key it stays open, and keeps what was typed, when the question above it changes.
    fold = st.expander(
        "Keep this shortlist", key="keep_fold", icon=":material/bookmark_add:", on_change="rerun"
    )
    if fold.open:
        with fold, st.form("keep_shortlist", border=False):
            first = "Discharge letters, first round"
            st.text_input("Name", max_chars=LONGEST_NAME, placeholder=first, key=_NAME)
            st.text_area("Note", max_chars=LONGEST_NOTE, height=80, key=_NOTE)
            if visitor.who():
                st.checkbox(
                    "Others who are logged in may see it",
                    key=_SHARED,
                    help="They can open it and compare it. Only you can change or delete it.",
                )
            st.caption(
                "This keeps the question with its evidence and the day of its prices, your own "
                "answers and prices, and every row, so that Kept lists can show what was "
                "recommended."
            )
            # The callback has the list that was on the screen when the button was pressed.
            st.form_submit_button("Keep", type="primary", on_click=_keep, args=(asked,))
    if show_outcome():
        entries.link("recommend", "Kept lists", label="Open kept lists", icon="bookmark")


def _keep(asked: Asked) -> None:
    """Save what the form says; what was typed stays where it cannot be saved."""
    from core.saved import shelf  # noqa: PLC0415 - as above

    state = st.session_state
    with refusals():
        if not visitor.may_keep():  # The login ended while the form was on the screen.
            raise BadRequestError(visitor.why_not())
        number = ""
        if asked.question.evidence.suite:
            number = documents.receipt(asked, made_on=evidence.this_day()).in_groups()
        name = evidence_name(asked.question, asked.store.catalogue)
        made = shelf.save(
            database(asked.store),
            documents.to_keep(asked, name, number),
            name=state[_NAME],
            note=state[_NOTE],
            owner=visitor.who(),
            shared=state.get(_SHARED, False),
        )
        state.update({_NAME: "", _NOTE: "", CHANGED: f"Kept as {made.name}."})


@contextmanager
def refusals(typed: str = "") -> Iterator[None]:
    """Record why what a click asks is refused, with what was typed; `show_outcome` says it."""
    try:
        yield
    except FormularyError as error:
        st.session_state[_REFUSED] = (str(error), typed)


def show_outcome() -> bool:
    """Say what the last click has done, or why it was refused, with what had been typed."""
    if words := st.session_state.pop(CHANGED, ""):
        st.success(plain(words), icon=":material/check:")
    refused, typed = st.session_state.pop(_REFUSED, ("", ""))
    if refused:
        st.warning(f"Nothing was changed. {plain(refused)}", icon=":material/warning:")
    if typed:
        st.caption("What you typed:")
        st.text(typed)
    return bool(words)
