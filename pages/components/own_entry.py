"""The form for one of a hospital's own figures: what it says, since when, and from where."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date
from types import SimpleNamespace

import streamlit as st

from core.domain import BadRequestError
from core.evidence.store import Store
from core.sharing.controls import BY_KEY
from core.sharing.inputs import LONGEST_TEXT, Lines
from pages.components import controls, evidence
from pages.components.notices import plain


def own_entry(
    store: Store,
    key: str,
    button: str,
    draw: Callable[[], None],
    *,
    without_day: str = "",
    wrong: Callable[[Mapping[str, object]], str] = lambda _: "",
    **fixed: str,
) -> None:
    """Draw the form for one line of own figures, which then stands in the side bar and the link.

    Parameters
    ----------
    key
        Of the control of the question.
    draw
        Draws the controls of the parts, each under the key and the field of the part; date and
        source follow.
    without_day
        What stands for a date that is left empty.
    wrong
        Says what is wrong with the parts beside what the reader of lines finds.
    fixed
        Parts that have no control.
    """
    kind, state = BY_KEY[key].kind, st.session_state
    assert isinstance(kind, Lines)
    source = next((field for field in ("source", "source_url") if field in kind.parts), "")

    def keep() -> None:
        said: dict[str, object] = {}
        for field in kind.parts:
            value = fixed.get(field, state.get(f"{key}_{field}"))
            value = value.isoformat() if isinstance(value, date) else value
            said[field] = value.strip() if isinstance(value, str) else value
        if source:
            said["as_of"] = said["as_of"] or without_day
        try:
            if fault := wrong(said):
                raise BadRequestError(fault)
            controls.put(store, key, kind.write(SimpleNamespace(**said)))
        except BadRequestError as error:
            state[f"{key}_fault"] = str(error)

    if text := state.pop(f"{key}_fault", ""):
        st.warning(plain(text), icon=":material/edit_off:")
    with st.form(f"{key}_form", border=False, enter_to_submit=False):
        draw()
        if source:
            left, right = st.columns(2)
            left.date_input("Date", value=None, max_value=evidence.today(), key=f"{key}_as_of")
            right.text_input(
                "Source",
                max_chars=LONGEST_TEXT,
                placeholder="A contract, a letter, the number of an offer",
                key=f"{key}_{source}",
            )
        st.form_submit_button(button, on_click=keep)
