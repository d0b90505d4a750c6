"""A hospital's own answers, prices and tokens: kept in the link, edited on the pages about them."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

import streamlit as st

from core.domain import BadRequestError
from core.evidence.store import Store
from core.sharing.controls import CONTROLS
from core.sharing.inputs import Lines
from core.sharing.link_reader import MOST_OWN, Reader
from pages.components.undrawn import keep_in_address

_CONTROLS = {control.key: control for control in CONTROLS if control.fold == "own"}


def draw(store: Store) -> None:
    """Draw what of this the question holds, so that the link keeps it and each can be removed."""
    if not keep_in_address(dict.fromkeys(_CONTROLS)):
        return
    found = {key: lines(store, key) for key in _CONTROLS}
    if not any(found.values()):
        return
    with st.expander("Your own figures"):
        for key, control in _CONTROLS.items():
            if found[key]:
                st.multiselect(
                    control.label, found[key], key=key, bind="query-params", help=control.help
                )


def lines(store: Store, key: str) -> list[str]:
    """Return the usable lines that the question holds, of several about the same the last."""
    chosen = st.session_state.get(key)
    if chosen is None:
        chosen = st.query_params.get_all(key)
    # What is at fault with the others, the notes of the link say.
    return list(Reader({key: chosen}).lines(key, *_read_and_about(store, key)))


def put(store: Store, key: str, line: str) -> None:
    """Add a line in place of any about the same; for a callback, before the page is drawn.

    Raises
    ------
    BadRequestError
        When the line is not usable, or there are too many.
    """
    about = _about(store, key)
    subject = about(line)
    others = [other for other in lines(store, key) if about(other) != subject]
    if len(others) >= MOST_OWN:
        raise BadRequestError(
            f"A question carries at most {MOST_OWN} of your own entries: take one out first."
        )
    st.session_state[key] = [*others, line]


def take_out(store: Store, key: str, line: str) -> None:
    """Take a line out; for a callback."""
    st.session_state[key] = [other for other in lines(store, key) if other != line]


def _about(store: Store, key: str) -> Callable[[str], object]:
    read, about = _read_and_about(store, key)
    return lambda line: about(read(line))


def _read_and_about(
    store: Store, key: str
) -> tuple[Callable[[str], object], Callable[[object], object]]:
    kind = cast("Lines", _CONTROLS[key].kind)
    return lambda line: kind.read(line, store.catalogue), kind.about
