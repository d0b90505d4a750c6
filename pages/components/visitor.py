"""Who is in front of the screen, and what they may do here: the one place of that policy.

Without a login, a local run may do everything, and a deployed server lets everybody read and
nobody write. With a login, its roles decide, on a local run as well.
"""

from __future__ import annotations

import os
import time

import streamlit as st

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
    return judge(st.user.to_dict(), os.environ, time.time())


def may_view() -> bool:
    """Say whether this visitor may see the pages."""
    return standing().may_view if has_login() else not must_have_login()


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


def why_not() -> str:
    """Say in a sentence why this visitor may keep nothing."""
    if has_login():
        return "Log in to keep shortlists and to see those that you kept."
    return (
        "This server has no login, so it keeps nothing: nobody could tell your shortlists from "
        "those of others. “Copy link” in the side bar holds your whole question; keep that."
    )
