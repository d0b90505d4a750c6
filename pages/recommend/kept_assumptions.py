"""A hospital's own answers and prices on their own: keep them under a name, use them again."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core.domain import BadRequestError, FormularyError, Requirements
from core.evidence.store import Store
from core.saved.assumptions import EVERYONE, Assumptions, found, keep, remove
from core.saved.database import Database
from core.saved.kept import LONGEST_NAME
from core.sharing.own_figures import answer_line, price_line
from pages.components import own_figures, saving, visitor, wording
from pages.components.notices import plain

_DONE, _REFUSED = "assumptions_done", "assumptions_refused"
_NAME, _REPLACE, _FOR_ALL = "assumptions_name", "assumptions_replace", "assumptions_for_all"
_NOT_YOURS = "Your login has ended, or this set is not yours to change."


def draw(store: Store, asked: Requirements) -> None:
    """Draw the sets of this visitor and of the hospital, and the form that keeps more."""
    _said()
    database, owner = saving.database(store), visitor.who()
    sets, damaged = found(database, owner)
    if visitor.has_login():
        of_all, damaged_of_all = found(database, EVERYONE)
        sets, damaged = [*sets, *of_all], damaged + damaged_of_all
    if damaged:
        st.warning(
            f"{wording.counted(damaged, 'set')} cannot be read and left out: the record in the "
            "database is damaged.",
            icon=":material/database_off:",
        )
    if sets:
        st.dataframe(
            pd.DataFrame(
                {
                    "Name": [one.name for one in sets],
                    "Answers": [len(one.answers) for one in sets],
                    "Prices": [len(one.prices) for one in sets],
                    "Of": ["everyone" if one.saved_by == EVERYONE else "you" for one in sets],
                    "Changed, UTC": [one.changed_at.replace(tzinfo=None) for one in sets],
                }
            ),
            hide_index=True,
            column_config={
                "Changed, UTC": st.column_config.DatetimeColumn(format="YYYY-MM-DD HH:mm")
            },
            alt="Kept sets: " + ", ".join(one.name for one in sets),
        )
        with st.container(horizontal=True, vertical_alignment="bottom"):
            labels = wording.told_apart({one.id: _label(one) for one in sets})
            of_id = {one.id: one for one in sets}
            chosen = of_id.get(
                st.selectbox(
                    "Set of answers and prices",
                    list(of_id),
                    format_func=lambda key: labels.get(key, key),
                    key="assumptions_chosen",
                )
            )
            if chosen:
                st.button("Use in this question", on_click=_use, args=(store, chosen))
                if chosen.saved_by == owner or visitor.is_administrator():
                    st.button("Delete this set", on_click=_delete, args=(database, chosen))
    else:
        st.markdown("No set is kept yet.")
    n_answers, n_prices = len(asked.own_answers), len(asked.own_prices)
    if not n_answers and not n_prices:
        st.caption(
            "This question holds no answers and no prices of your own. Where it does, they can be "
            "kept here under a name and brought into any other question."
        )
        return
    with st.form("keep_assumptions"):
        st.caption(
            f"This question holds {wording.counted(n_answers, 'own answer')} and "
            f"{wording.counted(n_prices, 'own price')}."
        )
        st.text_input("Name of the set", max_chars=LONGEST_NAME, key=_NAME)
        st.checkbox("Replace the set of this name, if there is one", key=_REPLACE)
        if visitor.has_login() and visitor.is_administrator():
            st.checkbox(
                "For everyone who is logged in",
                key=_FOR_ALL,
                help="Others can use the set. Only administrators can replace or delete it.",
            )
        seen = {(one.saved_by, one.name): one.version for one in sets}
        st.form_submit_button("Keep these", on_click=_keep, args=(database, asked, seen))


def _label(one: Assumptions) -> str:
    return f"{one.name} (for everyone)" if one.saved_by == EVERYONE else one.name


def _may_change(owner: str) -> bool:
    """Say whether the visitor of this moment may write the sets of an owner."""
    if owner == EVERYONE:
        return visitor.has_login() and visitor.is_administrator()
    return visitor.may_keep() and owner == visitor.who()


def _said() -> None:
    """Say what the last click has done, or why it was refused."""
    done, refused = (st.session_state.pop(key, "") for key in (_DONE, _REFUSED))
    if done:
        st.success(plain(done), icon=":material/check:")
    if refused:
        st.warning(f"Nothing was changed. {plain(refused)}", icon=":material/warning:")


def _keep(database: Database, asked: Requirements, seen: dict[tuple[str, str], int]) -> None:
    name = " ".join(st.session_state[_NAME].split())
    owner = EVERYONE if st.session_state.get(_FOR_ALL) else visitor.who()
    try:
        if not _may_change(owner):
            raise BadRequestError(_NOT_YOURS)
        made = keep(
            database,
            name,
            asked.own_answers,
            asked.own_prices,
            owner=owner,
            replaces=seen.get((owner, name)) if st.session_state[_REPLACE] else None,
        )
    except FormularyError as error:
        st.session_state[_REFUSED] = str(error)
    else:
        st.session_state.update({_DONE: f"Kept as {made.name}.", _NAME: "", _REPLACE: False})


def _use(store: Store, chosen: Assumptions) -> None:
    """Put a set in place of the question's own answers and prices; for a callback."""
    refused = []
    for key, lines in (
        ("own_answer", [answer_line(one) for one in chosen.answers]),
        ("own_price", [price_line(one) for one in chosen.prices]),
    ):
        st.session_state[key] = []
        for line in lines:
            try:
                own_figures.put(store, key, line)
            except FormularyError as error:
                refused.append(str(error))
    n = len(refused)
    left_out = f" {wording.counted(n, 'line')} of it could not be used: {refused[0]}" if n else ""
    st.session_state[_DONE] = f"{chosen.name} is now part of your question.{left_out}"


def _delete(database: Database, chosen: Assumptions) -> None:
    try:
        if not _may_change(chosen.saved_by):
            raise BadRequestError(_NOT_YOURS)
        remove(database, chosen.id, chosen.version, owner=chosen.saved_by)
    except FormularyError as error:
        st.session_state[_REFUSED] = str(error)
    else:
        st.session_state[_DONE] = f"{chosen.name} was deleted."
