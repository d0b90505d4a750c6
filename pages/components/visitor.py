"""Who is in front of the screen, and what they may do here: the one place of that policy.

Without a login, a local run may do everything, and a deployed server lets everybody read and
nobody write. With a login, its roles decide, on a local run as well.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping

import streamlit as st
from streamlit import config, runtime
from streamlit.auth_util import get_secrets_auth_section

from core import serving
from core.domain import BadRequestError
from pages.components import evidence
from pages.components.roles import Standing, judge

_NOBODY = Standing(may_view=False)


def has_login() -> bool:
    """Say whether this server has a login; without one, ``st.user`` knows nothing of it."""
    return hasattr(st.user, "is_logged_in")


def must_have_login() -> bool:
    """Say whether this server shows nothing as long as its login is not set up."""
    return os.environ.get("FORMULARY_REQUIRE_LOGIN") == "1"


def standing() -> Standing:
    """Return what the login of this visitor allows; nothing without one."""
    if not (has_login() and st.user.is_logged_in):
        return _NOBODY
    return _judged(st.user.to_dict())


def _judged(claims: Mapping[str, object]) -> Standing:
    return judge(claims, os.environ, time.time(), several=len(providers()) > 1)


def providers() -> tuple[str, ...]:
    """Return the names of the login providers; "" is the unnamed one, which is alone."""
    settings = get_secrets_auth_section()
    named = tuple(
        name
        for name in settings
        if isinstance(settings[name], Mapping) and "client_id" in settings[name]
    )
    return named if named and "client_id" not in settings else ("",)


def may_view() -> bool:
    """Say whether this visitor may see the pages."""
    return standing().may_view if has_login() else not must_have_login()


def may_upload(session: str) -> bool:
    """Say whether the visitor of a session may upload; asked by the server, outside any page."""
    if not get_secrets_auth_section():
        return not must_have_login()
    found = runtime.get_instance()._session_mgr.get_active_session_info(session)
    told = found.session._user_info if found else {}
    return bool(told.get("is_logged_in")) and _judged(told).may_view


def uploads_of(session: str) -> Mapping[str, int]:
    """Return the bytes that the server holds for a session by the ids of its files."""
    files = runtime.get_instance().uploaded_file_mgr.file_storage.get(session, {})
    return {file_id: len(file.data) for file_id, file in list(files.items())}


def is_administrator() -> bool:
    """Say whether this visitor may change what all others see."""
    return standing().is_administrator if has_login() else evidence.is_local_run()


def still_here() -> None:
    """Let Streamlit end this run where its browser has left or asks for another page.

    Of itself Streamlit looks only when something is drawn or the session is read.
    """
    "run" in st.session_state  # noqa: B015 - it is the look that counts


def who() -> str:
    """Return the name under which a visitor keeps things; empty without a login.

    It is the e-mail address that the login provider has confirmed, else the provider's own
    identifier of the person.
    """
    found = standing()
    return found.owner if found.may_view else ""


def may_keep() -> bool:
    """Say whether this visitor may keep things of their own on this server."""
    return bool(who()) if has_login() else evidence.is_local_run()


def reader() -> str | None:
    """Return for whom saved things are looked up: ``None`` sees all, on a local run only."""
    return None if evidence.is_local_run() and not has_login() else who()


def check_writing(owner: str | None) -> None:
    """Ask anew whether this visitor may write what belongs to somebody; for callbacks.

    A button stays on the screen when the login behind it has ended.

    Parameters
    ----------
    owner
        Whose it is, as ``reader`` said when the button was drawn.

    Raises
    ------
    BadRequestError
        When the visitor may not, with the reason.
    """
    if not may_keep() or reader() != owner:
        raise BadRequestError(why_not())


def why_not() -> str:
    """Say in a sentence why this visitor may keep nothing."""
    if has_login():
        return "Log in to keep shortlists and to see those that you kept."
    if serving.asks_for_local_run():
        return serving.why_no_local_run(config.get_option("server.address"))
    return (
        "This server has no login, so it keeps nothing: nobody could tell your shortlists from "
        "those of others. “Copy link” holds your whole question; keep that."
    )


_MARK = "own_results"
_NOW_AND_THEN = "12h"
_WERE_HERE, _MISSING = "own_results_were_here", "own_results_missing"


def lost_session() -> None:
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
