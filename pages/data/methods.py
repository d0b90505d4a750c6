"""How is each number made?"""

import streamlit as st

from core import handbook
from core.answers.asked import Asked


def draw(_asked: Asked) -> None:
    """Draw the tab."""
    st.caption("Open a section; the address bar then holds a link to it.")
    for section in handbook.sections():
        fold = st.expander(
            section.title,
            key=f"about-{section.anchor}",
            on_change="rerun",
            bind="query-params",
        )
        if fold.open:
            with fold:
                st.markdown(section.text)
