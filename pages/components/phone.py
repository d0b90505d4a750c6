"""The question on a narrow screen: one line on the page, and the controls over the whole screen.

On a wide screen the side bar stands open, and nothing of this is seen.
"""

from __future__ import annotations

import streamlit as st

from core.sharing import link
from core.sharing.wording import counted
from pages.components.notices import plain

_NARROW = "(max-width: 767px)"
# The button that opens the side bar is there only while it is closed.
_STYLE = f"""<style>
@media {_NARROW} {{
  body:not(:has([data-testid=stExpandSidebarButton])) [data-testid=stSidebar] {{
    width: 100vw !important; min-width: 100vw; max-width: 100vw;
  }}
  .st-key-show_answer {{position: sticky; bottom: 0; z-index: 1;}}
}}
@media not all and {_NARROW} {{.st-key-asked, .st-key-show_answer {{display: none}}}}
</style>"""
# Streamlit's own buttons open and close the side bar; no function of it does.
OPENS_AND_CLOSES = """<script>
if (!document.questionOnAPhone) {
  document.questionOnAPhone = true;
  document.addEventListener('click', event => {
    const press = where => document.querySelector(where)?.click();
    if (event.target.closest('.st-key-asked button')) {
      press('[data-testid=stExpandSidebarButton]');
    } else if (event.target.closest('.st-key-show_answer button')) {
      press('[data-testid=stSidebarCollapseButton] button');
    }
  });
}
</script>"""


def asked() -> None:
    """Draw the question in one line, which opens the side bar."""
    st.html(_STYLE)
    st.html(OPENS_AND_CLOSES, unsafe_allow_javascript=True)
    st.button(
        f"{plain(_in_a_line())} · change",
        key="asked",
        type="tertiary",
        icon=":material/tune:",
        width="stretch",
    )


def show_answer(n_fit: int | None) -> None:
    """Draw the button that closes the side bar.

    Parameters
    ----------
    n_fit
        How many models fit, where the page says that.
    """
    label = "Show the answer" if n_fit is None else f"Show {counted(n_fit, 'model')}"
    with st.sidebar:
        st.button(label, key="show_answer", type="primary", width="stretch")


def _in_a_line() -> str:
    state = st.session_state
    parts = [state.get("task"), state.get("access")]
    if state.get("max_params") not in (None, link.size_label(None)):
        parts.append(f"up to {state['max_params']}")
    if state.get("budget") is not None:
        parts.append(f"${state['budget']:,.0f} a month")
    if state.get("gates"):
        parts.append(counted(len(state["gates"]), "condition"))
    return " · ".join(str(part) for part in parts if part)
