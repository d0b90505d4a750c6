"""A hospital's own answers, prices and tokens: kept in the link, edited on the pages about them."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from core.domain import BadRequestError
from core.evidence.store import Store
from core.sharing import own_figures
from core.sharing.link_keys import OWN_FIGURES
from core.sharing.link_reader import MOST_OWN
from pages.components.undrawn import keep_in_address

_LABELS = {
    "own_tokens": ("Your own tokens of a request", "kind of request; read; written"),
    "own_answer": (
        "Your own answers on conditions",
        "platform or model; condition; answer; days; date; source; detail",
    ),
    "own_price": (
        "Your own prices",
        "model; US dollars per million tokens read; written; date; source",
    ),
}


def draw(store: Store) -> None:
    """Draw what of this the question holds, so that the link keeps it and each can be removed."""
    if not keep_in_address(dict.fromkeys(OWN_FIGURES)):
        return
    found = {key: lines(store, key) for key in OWN_FIGURES}
    if not any(found.values()):
        return
    with st.expander("Your own figures"):
        for key, (label, parts) in _LABELS.items():
            if found[key]:
                st.multiselect(
                    label,
                    found[key],
                    key=key,
                    bind="query-params",
                    help=f"Each entry reads: {parts}. They are part of the link. Take one out "
                    "here; add or change one on its page.",
                )


def lines(store: Store, key: str) -> list[str]:
    """Return the usable lines that the question holds, of several about the same the last."""
    chosen = st.session_state.get(key)
    if chosen is None:
        chosen = st.query_params.get_all(key)
    found: dict[object, str] = {}
    for line in chosen:
        try:
            about = _about(store, key)(line)
        except BadRequestError:
            continue  # the notes of the link say so
        found.pop(about, None)
        found[about] = line
    return list(found.values())[:MOST_OWN]


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
    facts = store.catalogue.procurement
    if key == "own_tokens":
        return lambda line: own_figures.read_tokens(line, facts.requests).kind
    if key == "own_price":
        return lambda line: own_figures.read_price(line).model

    def answered(line: str) -> tuple[str, str]:
        answer = own_figures.read_answer(line, facts.gate_kinds)
        return answer.platform, answer.gate

    return answered
