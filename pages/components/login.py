"""The page before all others where this server has a login, and the way out again."""

from __future__ import annotations

import streamlit as st
from streamlit.errors import StreamlitAuthError

from pages.components import visitor
from pages.components.login_return import FAULT, LONGEST_LINK
from pages.components.notices import plain

_FAULTS = {
    "unreachable": "The login provider cannot be reached or did not answer as expected. "
    "Try again in a moment; if it stays so, tell those who run this server.",
    "refused": "The login provider refused this login. Try again, or with another account.",
    "unfinished": "The login was not finished, or took too long. Try again.",
}


def draw() -> None:
    """Draw the login page: why nothing else is shown, and the button to go on."""
    found = visitor.standing()
    st.title("LLM Formulary")
    if not visitor.has_login():
        st.error(
            "This server shows its pages only to people who have logged in, and its login is not "
            "set up. Tell those who run it.",
            icon=":material/lock:",
        )
        return
    if fault := _FAULTS.get(st.query_params.get(FAULT, "")):
        st.warning(fault, icon=":material/link_off:")
    if found.why_not:
        st.info(plain(found.why_not), icon=":material/lock:")
    else:
        st.markdown("Which language models should a hospital try, on which evidence?")
    if st.user.is_logged_in and not found.has_ended:
        st.markdown(f"You are logged in as {plain(found.name)}.")
        _leave("Log out")
        return
    if len(str(dict(st.query_params))) > LONGEST_LINK:
        st.caption("The link that you opened is long. Keep it: after the login, open it once more.")
    else:
        st.caption("After the login you come back to the page and the question of your link.")
    for provider in visitor.providers():
        label = f"Log in with {provider.capitalize()}" if provider else "Log in"
        if st.button(label, key=f"login_{provider}", type="primary", icon=":material/login:"):
            try:
                st.login(provider or None)
            except StreamlitAuthError:
                st.error(
                    "The login of this server is not set up completely. Tell those who run it.",
                    icon=":material/error:",
                )


def account() -> None:
    """Say who is logged in, and offer the way out; nothing without a login."""
    if not visitor.has_login():
        return
    st.query_params.pop(FAULT, None)
    found = visitor.standing()
    role = "administrator" if found.is_administrator else "viewer"
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(f"{plain(found.name)}, {role}")
        _leave("Log out")


def _leave(label: str) -> None:
    if st.button(label, key="log_out", icon=":material/logout:"):
        st.logout()
