"""Does this server work as it should? For those who run it."""

import streamlit as st

from pages.components import evidence, visitor
from pages.data import server_health


def draw() -> None:
    """Draw the tab."""
    store = evidence.store()
    st.markdown("Does this server work as it should?")
    if not visitor.is_administrator():
        st.info(
            "This page is for those who run this server: log in as an administrator to see it."
            if visitor.has_login()
            else "This page is for those who run this server. It has no login, so nobody can be told "
            "from anybody else, and the page is shown on a local run only.",
            icon=":material/lock:",
        )
    else:
        server_health.draw(store)
