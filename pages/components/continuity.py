"""What the reader is told when the storage of the evidence, or their own session, was lost.

A session lives in the memory of one process. When that process ends, the browser opens a new
session, there or on another machine, and the question comes back from the address. Results that
the visitor brought do not. So that nobody reads a page as if they were still in it, the address
says so while they are.
"""

from __future__ import annotations

import streamlit as st

from core.evidence import remote_data
from core.evidence.store import data_address
from pages.components import evidence
from pages.components.notices import plain

_MARK = "own_results"
_NOW_AND_THEN = "12h"
# Where the server writes into the address of the page that is shown, Streamlit makes that a step
# of its own in the history, and one press of Back would seem to do nothing.
ONE_STEP_A_PAGE = """<script>
if (!history.oneStepAPage) {
  const push = history.pushState;
  history.oneStepAPage = true;
  history.pushState = function (state, title, url) {
    const here = new URL(url, location).pathname === location.pathname;
    (here ? history.replaceState : push).call(history, state, title, url);
  };
}
</script>"""
_WERE_HERE, _MISSING = "own_results_were_here", "own_results_missing"


def draw() -> None:
    """Say what of the evidence is not the newest, or no longer here."""
    if (address := data_address()) and (notice := remote_data.in_use(address).notice):
        st.info(plain(notice), icon=":material/cloud_off:")
    _own_results()
    st.html(ONE_STEP_A_PAGE, unsafe_allow_javascript=True)
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
