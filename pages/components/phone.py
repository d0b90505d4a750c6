"""The question on a narrow screen: one line on the page, and the controls over the whole screen.

On a wide screen the side bar stands open, and nothing of this is seen.
"""

from __future__ import annotations

import streamlit as st

from core.sharing.link_reader import size_label
from core.sharing.wording import counted
from pages.components.notices import plain

_N_FIT = "n_fit"
# The button that opens the side bar is there only while it is closed; two arrows alone do not say
# that the seven entries are behind it.
_STYLE = """<style>
@media (max-width: 767px) {
  body:not(:has([data-testid=stExpandSidebarButton])) [data-testid=stSidebar] {
    width: 100vw !important; min-width: 100vw; max-width: 100vw;
  }
  .st-key-show_answer {position: sticky; bottom: 0; z-index: 1;}
  [data-testid=stExpandSidebarButton] {width: auto; padding: 0 0.5rem;}
  [data-testid=stExpandSidebarButton]::after {content: "Menu"; font-size: 0.875rem;}
}
@media not all and (max-width: 767px) {.st-key-asked, .st-key-show_answer {display: none}}
</style>"""


def asked() -> None:
    """Draw the question in one line, which opens the side bar."""
    st.html(_STYLE)
    st.button(
        f"{plain(_in_a_line())} · change",
        key="asked",
        type="tertiary",
        icon=":material/tune:",
        width="stretch",
    )


def n_fit(number: int) -> None:
    """Take down how many models fit, for the button that shows them."""
    st.session_state[_N_FIT] = number


def show_answer() -> None:
    """Draw the button that closes the side bar, with the number of models where any fit."""
    number = st.session_state.pop(_N_FIT, None)
    label = f"Show {counted(number, 'model')}" if number else "Show the answer"
    with st.sidebar:
        st.button(label, key="show_answer", type="primary", width="stretch")


def _in_a_line() -> str:
    state = st.session_state
    parts = [state.get("task"), state.get("access")]
    if state.get("max_params") not in (None, size_label(None)):
        parts.append(f"up to {state['max_params']}")
    if state.get("budget") is not None:
        parts.append(f"${state['budget']:,.0f} a month")
    if state.get("gates"):
        parts.append(counted(len(state["gates"]), "condition"))
    return " · ".join(str(part) for part in parts if part)
