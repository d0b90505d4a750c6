"""The page before all others where this server has a login, the way there and out again.

After a login Streamlit itself comes back to the landing page, without the question. `LoginReturn`
notes the address from which a login begins in a cookie of ten minutes, and puts it into the
redirect with which the login ends. It knows no session, so any replica can finish a login.
A login that fails leads back too, with a word that the login page turns into a sentence.
"""

from __future__ import annotations

import base64
import binascii
import zlib
from http.cookies import CookieError, SimpleCookie
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlencode, urlsplit

import streamlit as st
from streamlit import config
from streamlit.auth_util import get_validated_redirect_uri
from streamlit.errors import StreamlitAuthError

from core import logs
from pages.components import visitor
from pages.components.notices import plain

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

FAULT = "login_fault"
"""The parameter that says why a login failed."""
LONGEST_LINK = 3500
"""Characters of a link that come back: browsers tell no more than 4,096 of the page before."""
_COOKIE = b"formulary_return"
_USER = b"_streamlit_user"
_SECONDS = 600
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
        status, headers = ends[path](scope, answer, base)
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": b""})


def _begins(scope: Scope, answer: list[Message], base: str) -> tuple[int, list]:
    """Note where the login begins; without a way to the provider, go back there at once."""
    origin = _own_address(_header(scope, b"referer").decode("latin-1"), base)
    if not answer or answer[0]["status"] >= 400:
        return 302, [(b"location", _with_fault(origin, "unreachable"))]
    packed = base64.urlsafe_b64encode(zlib.compress(origin.encode("ascii")))
    return answer[0]["status"], [*_kept(answer), (b"set-cookie", _cookie(packed, _SECONDS))]


def _ends(scope: Scope, answer: list[Message], base: str) -> tuple[int, list]:
    """Go on to where the login began, or say that it failed."""
    headers = _kept(answer)
    asked = dict(parse_qsl(scope.get("query_string", b"").decode("latin-1")))
    fault = "refused" if "error" in asked else "unfinished"
    if not asked.keys() & {"state", "error"}:
        return 302, headers or [(b"location", base.encode())]  # back from logging out
    origin = _noted(scope, base)
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
    return found if inside and clean and len(found) <= LONGEST_LINK else base


def _noted(scope: Scope, base: str) -> str:
    """Return the address in the cookie; nobody signed it, so it is checked like any other."""
    try:
        value = SimpleCookie(_header(scope, b"cookie").decode("latin-1"))[_COOKIE.decode()].value
        inflate = zlib.decompressobj()
        text = inflate.decompress(base64.urlsafe_b64decode(value), 2 * LONGEST_LINK)
        return _own_address(text.decode("ascii"), base)
    except (KeyError, CookieError, zlib.error, binascii.Error, ValueError):
        return base


def _with_fault(address: str, fault: str) -> bytes:
    return f"{address}{'&' if '?' in address else '?'}{FAULT}={fault}".encode("ascii")


def _cookie(value: bytes, seconds: int) -> bytes:
    secure = b"; Secure" if _is_https() else b""
    rest = b"; Path=/; HttpOnly; SameSite=Lax; Max-Age=%d" % seconds
    return _COOKIE + b"=" + value + rest + secure


def _is_https() -> bool:
    return (get_validated_redirect_uri() or "").startswith("https://")


def _header(scope: Scope, name: bytes) -> bytes:
    return next((value for key, value in scope["headers"] if key == name), b"")
