"""Who is in front of the screen, what they may do here, and the way in and out.

Without a login, a local run may do everything, and a deployed server lets everybody read and
nobody write. With a login, its roles decide, on a local run as well.

After a login Streamlit itself comes back to the landing page, without the question. `LoginReturn`
notes the address from which a login begins in a cookie of ten minutes, and puts it into the
redirect with which the login ends. It knows no session, so any replica can finish a login.
A login that fails leads back too, with a word that the login page turns into a sentence.
"""

import logging
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

import streamlit as st
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit import config, runtime
from streamlit.auth_util import (
    get_secrets_auth_section,
    get_validated_redirect_uri,
    validate_auth_credentials,
)
from streamlit.errors import StreamlitAuthError
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager

from core import logs, serving
from core.domain import BadRequestError
from pages.components import evidence
from pages.components.notices import plain

_Headers = list[tuple[bytes, bytes]]
_HOURS = 12.0
_CLOCKS_APART_S = 300
"""How far the provider's clock may be ahead."""
_LONGEST_NAME = 80


@dataclass(frozen=True, slots=True)
class LoginRights:
    """What one login may do here."""

    may_view: bool = False
    is_administrator: bool = False
    owner: str = ""
    """The name under which things are kept: the confirmed e-mail address, else the identifier."""
    name: str = ""
    """How the person is called on the screen."""
    why_not: str = ""
    """One sentence, where the person may not view."""
    has_ended: bool = False
    """The login was fine and is too old."""


def has_login() -> bool:
    """Say whether this server has a login; without one, ``st.user`` knows nothing of it."""
    return hasattr(st.user, "is_logged_in")


def _must_have_login() -> bool:
    # Whoever writes "yes" or "true" wants it closed.
    return os.environ.get("FORMULARY_REQUIRE_LOGIN", "0").strip() not in ("", "0")


def login_rights() -> LoginRights:
    """Return what the login of this visitor allows; nothing without one."""
    if not (has_login() and st.user.is_logged_in):
        return LoginRights()
    return _judged(st.user.to_dict())


def _judged(claims: Mapping[str, Any]) -> LoginRights:
    return rights_of(claims, os.environ, time.time(), several=len(providers()) > 1)


def providers() -> tuple[str, ...]:
    """Return the names of the login providers; "" is the unnamed one, which is alone."""
    settings = get_secrets_auth_section()
    named = tuple(
        name
        for name in settings
        if isinstance(settings[name], Mapping) and "client_id" in settings[name]
    )
    return named if named and "client_id" not in settings else ("",)


def check_login() -> None:
    """Write to the log what the settings of a login lack, else only who logs in would see it."""
    for name in providers() if get_secrets_auth_section() else ():
        try:
            validate_auth_credentials(name or "default")
        except StreamlitAuthError as fault:
            why = " ".join(str(fault).split())
            logs.event("login", "The login is not set up in full", level=logging.ERROR, why=why)


def may_view() -> bool:
    """Say whether this visitor may see the pages."""
    return login_rights().may_view if has_login() else not _must_have_login()


def may_upload(session: str) -> bool:
    """Say whether the visitor of a session may upload; asked by the server, outside any page."""
    if not get_secrets_auth_section():
        return not _must_have_login()
    found = runtime.get_instance()._session_mgr.get_active_session_info(session)
    told = found.session._user_info if found else {}
    return bool(told.get("is_logged_in")) and _judged(told).may_view


def uploads() -> dict[str, list[int]]:
    """Return the bytes of each file that the server holds, by session."""
    manager = cast(MemoryUploadedFileManager, runtime.get_instance().uploaded_file_mgr)
    held = list(manager.file_storage.items())
    return {session: [len(file.data) for file in list(files.values())] for session, files in held}


def is_administrator() -> bool:
    """Say whether this visitor may change what all others see."""
    return login_rights().is_administrator if has_login() else evidence.is_local_run()


def still_here() -> None:
    """Let Streamlit end this run where its browser has left or asks for another page.

    Of itself Streamlit looks only when something is drawn or the session is read.
    """
    "run" in st.session_state  # noqa: B015 - it is the look that counts


def who() -> str:
    """Return the name under which a visitor keeps things; empty without a login."""
    found = login_rights()
    return found.owner if found.may_view else ""


def may_keep() -> bool:
    """Say whether this visitor may keep things of their own on this server."""
    return bool(who()) if has_login() else evidence.is_local_run()


def reader() -> str | None:
    """Return for whom saved things are looked up: ``None`` sees all, on a local run only."""
    return None if evidence.is_local_run() and not has_login() else who()


def check_writing(owner: str | None) -> None:
    """Ask again whether this visitor may write what belongs to somebody; for callbacks.

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
        "This server has no login, so it keeps nothing: it could not tell your shortlists from "
        "other people's. “Copy link” holds your whole question; keep that."
    )


def rights_of(
    claims: Mapping[str, Any], settings: Mapping[str, str], now: float, *, several: bool = False
) -> LoginRights:
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
    try:
        hours = float(settings.get("FORMULARY_LOGIN_HOURS", ""))
    except ValueError:
        hours = _HOURS
    hours = hours if 0 < hours <= 24 * 30 else _HOURS
    begun = claims.get("iat")
    if isinstance(begun, (int, float)) and begun - now > _CLOCKS_APART_S:
        return LoginRights(
            why_not="Your login begins in the future: the clock of this server or of the login "
            "provider is wrong. Tell your administrator.",
        )
    # Not a number is neither later nor earlier.
    if not isinstance(begun, (int, float)) or not now - begun <= hours * 3600:
        return LoginRights(
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
        return LoginRights(name=name, why_not="Your login provider does not say who you are.")
    named = settings.get("FORMULARY_ADMIN_PROVIDER", "").strip()
    is_named = provider == named if named else not several
    # An address, or "@" and its domain.
    known = {it.strip().lower() for it in settings.get("FORMULARY_ADMIN_EMAILS", "").split(",")}
    is_known = bool(email) and not known.isdisjoint((email, f"@{email.rpartition('@')[2]}"))
    if is_named and (is_known or _has_claim(claims, settings.get("FORMULARY_ADMIN_CLAIM", ""))):
        return LoginRights(may_view=True, is_administrator=True, owner=owner, name=name)
    asked = settings.get("FORMULARY_VIEWER_DOMAINS", "").strip()
    domains = [part for text in asked.split(",") if (part := text.strip().lower().lstrip("@"))]
    if not asked or email.rpartition("@")[2] in domains:
        return LoginRights(may_view=True, owner=owner, name=name)
    if not domains:
        why = (
            "This server lets people in by their e-mail domain, and names none. Tell your "
            "administrator."
        )
    elif not email:
        why = (
            "Your login provider has not confirmed your e-mail address, and this server "
            "lets people in by their address. Ask your administrator to confirm it."
        )
    else:
        why = f"This server is for e-mail addresses of {' and '.join(domains)} only."
    return LoginRights(owner=owner, name=name, why_not=why)


def _confirmed_email(claims: Mapping[str, Any]) -> str:
    """Return the address only where the provider vouches for it; else anybody could type it."""
    # Entra ID has no email_verified; its xms_edov says that the domain's owner confirmed it.
    vouched = (claims.get(key) in (True, "true", 1, "1") for key in ("email_verified", "xms_edov"))
    email = str(claims.get("email") or "")
    name, _, domain = email.partition("@")
    # Two "@", a blank or a line's end would let the end of a stranger's address pass for it.
    plain = email.isprintable() and " " not in email and domain.isascii() and "@" not in domain
    return email.lower() if any(vouched) and plain and name and domain else ""


def _has_claim(claims: Mapping[str, Any], setting: str) -> bool:
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


FAULT = "login_fault"
"""The parameter that says why a login failed."""
LONGEST_WAY_BACK = 3500
"""Characters of a link that come back: browsers tell no more than 4,096 of the page before."""
_COOKIE = "formulary_return"
_USER = b"_streamlit_user"
_SECONDS = 600
_FAULTS = {
    "unreachable": "The login provider cannot be reached or did not answer as expected. "
    "Try again in a moment; if it stays so, tell your administrator.",
    "refused": "The login provider refused this login. Try again, or with another account.",
    "unfinished": "The login was not finished, or took too long. Try again.",
}


def draw_login() -> None:
    """Draw the login page: why nothing else is shown, and the button to go on."""
    found = login_rights()
    st.title("LLM Formulary")
    if not has_login():
        st.error(
            "This server shows its pages only to people who have logged in, and its login is not "
            "set up. Tell your administrator.",
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
        _leave()
        return
    if len(str(dict(st.query_params))) > LONGEST_WAY_BACK:
        st.caption("The link that you opened is long. Keep it: after the login, open it once more.")
    else:
        st.caption("After the login you come back to the page and the question of your link.")
    for provider in providers():
        label = f"Log in with {provider.capitalize()}" if provider else "Log in"
        if st.button(label, key=f"login_{provider}", type="primary", icon=":material/login:"):
            try:
                st.login(provider or None)
            except StreamlitAuthError:
                st.error(
                    "The login of this server is not set up completely. Tell your administrator.",
                    icon=":material/error:",
                )


def draw_account() -> None:
    """Say who is logged in, and offer the way out; nothing without a login."""
    if not has_login():
        return
    st.query_params.pop(FAULT, None)
    found = login_rights()
    role = "administrator" if found.is_administrator else "viewer"
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(f"{plain(found.name)}, {role}")
        _leave()


def _leave() -> None:
    if st.button("Log out", key="log_out", icon=":material/logout:"):
        st.logout()


class LoginReturn:
    """The layer of the server around Streamlit's addresses for logging in."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass everything on but the two addresses of a login."""
        base = "/" + (config.get_option("server.baseUrlPath") or "").strip("/")
        path = scope.get("path", "")
        ends = {
            base.rstrip("/") + "/auth/login": _begins,
            base.rstrip("/") + "/oauth2callback": _ends,
        }
        if scope["type"] != "http" or path not in ends:
            await self.app(scope, receive, send)
            return
        answer: list[Message] = []

        async def keep(message: Message) -> None:
            answer.append(message)

        try:
            await self.app(scope, receive, keep)
        except Exception as error:
            logs.fault(error, "Login")
            answer = []
        status, headers = ends[path](Request(scope), answer, base)
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": b""})


def _begins(asked: Request, answer: list[Message], base: str) -> tuple[int, _Headers]:
    """Note where the login begins; without a way to the provider, go back there at once."""
    origin = _own_address(asked.headers.get("referer", ""), base)
    if not answer or answer[0]["status"] >= 400:
        return 302, [(b"location", _with_fault(origin, "unreachable"))]
    # What a path may hold and a cookie may not.
    noted = quote(origin, safe="/?&=%+~:@()").encode("ascii")
    return answer[0]["status"], [*_kept(answer), (b"set-cookie", _cookie(noted, _SECONDS))]


def _ends(asked: Request, answer: list[Message], base: str) -> tuple[int, _Headers]:
    """Go on to where the login began, or say that it failed."""
    headers = _kept(answer)
    fault = "refused" if "error" in asked.query_params else "unfinished"
    if not asked.query_params.keys() & {"state", "error"}:
        return 302, headers or [(b"location", base.encode())]  # back from logging out
    # Nobody signed the cookie, so it is checked like any other address.
    origin = _own_address(asked.cookies.get(_COOKIE, ""), base)
    logged_in = any(
        k == b"set-cookie" and v.split(b"=", 1)[0] == _USER and b"Max-Age=0" not in v
        for k, v in headers
    )
    target = origin.encode("ascii") if logged_in else _with_fault(origin, fault)
    headers = [(k, v) for k, v in headers if k != b"location"]
    return 302, [*headers, (b"location", target), (b"set-cookie", _cookie(b"", 0))]


def _kept(answer: list[Message]) -> list[tuple[bytes, bytes]]:
    """Return the headers of Streamlit's answer, cookies safe from being sent in the clear."""
    if not answer:
        return []
    secure = b"; Secure" if _is_https() else b""
    return [
        (k, v + secure if k == b"set-cookie" and b"; secure" not in v.lower() else v)
        for k, v in answer[0]["headers"]
        if k not in (b"content-length", b"content-type")
    ]


def _own_address(url: str, base: str) -> str:
    """Return path and question of an address, never another host; the landing page if unfit."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return base
    path = "/" + parts.path.lstrip("/\\")
    query = urlencode([p for p in parse_qsl(parts.query, keep_blank_values=True) if p[0] != FAULT])
    found = f"{path}?{query}" if query else path
    inside = path == base or path.startswith(base.rstrip("/") + "/")
    clean = all("!" <= letter <= "~" for letter in found) and "\\" not in path
    return found if inside and clean and len(found) <= LONGEST_WAY_BACK else base


def _with_fault(address: str, fault: str) -> bytes:
    return f"{address}{'&' if '?' in address else '?'}{FAULT}={fault}".encode("ascii")


def _cookie(value: bytes, seconds: int) -> bytes:
    secure = b"; Secure" if _is_https() else b""
    rest = b"; Path=/; HttpOnly; SameSite=Lax; Max-Age=%d" % seconds
    return f"{_COOKIE}=".encode() + value + rest + secure


def _is_https() -> bool:
    return (get_validated_redirect_uri() or "").startswith("https://")
