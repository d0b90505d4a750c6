"""Who is in front of the screen, and what they may do here: the one place of that policy.

Without a login, a local run may do everything, and a deployed server lets everybody read and
nobody write. With a login, its roles decide, on a local run as well.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from dataclasses import dataclass

import streamlit as st
from streamlit import config, runtime
from streamlit.auth_util import get_secrets_auth_section

from core import serving
from core.domain import BadRequestError
from pages.components import evidence

_HOURS = 12.0
_CLOCKS_APART_S = 300
"""The provider's clock may be ahead by so much."""
_LONGEST_NAME = 80


@dataclass(frozen=True, slots=True)
class Standing:
    """What one login may do here."""

    may_view: bool
    is_administrator: bool = False
    owner: str = ""
    """The name under which things are kept: the confirmed e-mail address, else the identifier."""
    name: str = ""
    """How the person is called on the screen."""
    why_not: str = ""
    """One sentence, where the person may not view."""
    has_ended: bool = False
    """The login was fine and is too old."""


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


def judge(
    claims: Mapping[str, object], settings: Mapping[str, str], now: float, *, several: bool = False
) -> Standing:
    """Say what a login may do.

    Parameters
    ----------
    claims
        What the provider's signed token says of the person.
    settings
        The environment of the server, see docs/login.md.
    now
        Seconds since 1970. A login counts from the moment the provider says (``iat``).
    several
        Whether this server has several login providers. Then one of them could confirm an
        address that belongs to a person of another, so people are told apart by provider and
        identifier, and administrators come from the provider that is named for it only.
    """
    hours = hours_of_a_login(settings)
    begun = claims.get("iat")
    if isinstance(begun, (int, float)) and begun - now > _CLOCKS_APART_S:
        return Standing(
            may_view=False,
            why_not="Your login begins in the future: the clock of this server or of the login "
            "provider is wrong. Tell those who run this server.",
        )
    # Not a number is neither later nor earlier.
    if not isinstance(begun, (int, float)) or not now - begun <= hours * 3600:
        return Standing(
            may_view=False,
            why_not=f"Your login has ended: one lasts {hours:g} hours here. Log in again.",
            has_ended=True,
        )
    email = _confirmed_email(claims)
    # The identifier never looks like an address, which a provider may let a person choose.
    known_as, provider = str(claims.get("sub") or ""), str(claims.get("provider") or "")
    owner = f"{provider or 'id'}:{known_as}" if known_as else ""
    if not several:
        owner = email or owner
    name = str(claims.get("name") or email or "an unnamed person")[:_LONGEST_NAME]
    if not owner:
        return Standing(
            may_view=False, name=name, why_not="Your login provider does not say who you are."
        )
    named = settings.get("FORMULARY_ADMIN_PROVIDER", "").strip()
    is_named = provider == named if named else not several
    if is_named and (
        _has_claim(claims, settings.get("FORMULARY_ADMIN_CLAIM", ""))
        or _is_among(email, settings.get("FORMULARY_ADMIN_EMAILS", ""))
    ):
        return Standing(may_view=True, is_administrator=True, owner=owner, name=name)
    asked = settings.get("FORMULARY_VIEWER_DOMAINS", "").strip()
    domains = _listed(asked)
    if not asked or email.rpartition("@")[2] in domains:
        return Standing(may_view=True, owner=owner, name=name)
    if not domains:
        why = "This server lets people in by their e-mail domain, and names none. Tell those who "
        why += "run it."
    elif not email:
        why = (
            "Your login provider has not confirmed an e-mail address of yours, and this server "
            "lets people in by their address. Ask those who run your login to confirm it."
        )
    else:
        why = f"This server is for e-mail addresses of {' and '.join(domains)} only."
    return Standing(may_view=False, owner=owner, name=name, why_not=why)


def hours_of_a_login(settings: Mapping[str, str]) -> float:
    """Return how long a login lasts, in hours: ``FORMULARY_LOGIN_HOURS``, else 12."""
    try:
        hours = float(settings.get("FORMULARY_LOGIN_HOURS", ""))
    except ValueError:
        return _HOURS
    return hours if 0 < hours <= 24 * 30 else _HOURS


def _confirmed_email(claims: Mapping[str, object]) -> str:
    """Return the address only where the provider vouches for it; else anybody could type it."""
    # Entra ID has no email_verified; its xms_edov says that the domain's owner confirmed it.
    vouched = (claims.get(key) in (True, "true", 1, "1") for key in ("email_verified", "xms_edov"))
    email = str(claims.get("email") or "")
    name, _, domain = email.partition("@")
    # Two signs "@", a blank or a line's end would let the end of a stranger's address pass for it.
    plain = email.isprintable() and " " not in email and domain.isascii() and "@" not in domain
    return email.lower() if any(vouched) and plain and name and domain else ""


def _listed(setting: str) -> list[str]:
    return [part for text in setting.split(",") if (part := text.strip().lower().lstrip("@"))]


def _is_among(email: str, setting: str) -> bool:
    """Say whether an address, or "@" and its domain, stands in a list."""
    known = {part.strip().lower() for part in setting.split(",")}
    return bool(email) and (email in known or f"@{email.rpartition('@')[2]}" in known)


def _has_claim(claims: Mapping[str, object], setting: str) -> bool:
    """Say whether a claim has a value, as in ``groups=formulary`` or ``realm_access.roles=x``."""
    path, equals, wanted = setting.partition("=")
    if not (path.strip() and equals and wanted.strip()):
        return False
    found: object = claims.get(path.strip())
    if found is None:
        found = claims
        for part in path.strip().split("."):
            found = found.get(part) if isinstance(found, Mapping) else None
    values = found if isinstance(found, (list, tuple)) else [found]
    return wanted.strip() in [value for value in values if isinstance(value, str)]
