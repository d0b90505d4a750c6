"""What the reader is told when their own session was lost.

A session lives in the memory of one process. When that process ends, the browser opens a new
session, there or on another machine, and the question comes back from the address. Results that
the visitor brought do not. So that nobody reads a page as if they were still in it, the address
says so while they are.
"""

from __future__ import annotations

import streamlit as st

from pages.components import evidence

_MARK = "own_results"
_NOW_AND_THEN = "12h"
_WERE_HERE, _MISSING = "own_results_were_here", "own_results_missing"


def draw() -> None:
    """Say what of the visitor's evidence is no longer here."""
    _own_results()
    _drawn_again_after_a_break()


@st.fragment(run_every=_NOW_AND_THEN)
def _drawn_again_after_a_break() -> None:
    """Do nothing, but make the browser ask for the page when its connection was renewed.

    Streamlit's browser side asks by itself only where something on the page runs by the clock.
    Else the page of the lost session would stand, with downloads that no process holds.
    """


def _own_results() -> None:
    state = st.session_state
    if evidence.own_tables():
        state[_WERE_HERE], state[_MISSING] = True, False
    elif state.pop(_WERE_HERE, False):  # taken out by the visitor
        state[_MISSING] = False
    elif st.query_params.get(_MARK) == "true" and _MISSING not in state:
        state[_MISSING] = True
    if state.get(_WERE_HERE) or state.get(_MISSING):
        if st.query_params.get(_MARK) != "true":
            st.query_params[_MARK] = "true"
    else:
        st.query_params.pop(_MARK, None)
    if state.get(_MISSING):
        st.info(
            "Own results are no longer part of this page. They were held in the memory of one "
            "session, and this is a new one: the connection was renewed, or the link came from "
            "somebody else. The question itself is unchanged. To see them again, bring the file "
            "in under Data, Own results.",
            icon=":material/restart_alt:",
        )
        st.button("Go on without them", on_click=_accept)


def _accept() -> None:
    st.session_state[_MISSING] = False
