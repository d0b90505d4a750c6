"""Back from the login provider to the page and the question of the link that was opened.

Streamlit itself comes back to the landing page, without the question. This layer of the server
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

from streamlit import config
from streamlit.auth_util import get_validated_redirect_uri

from core import logs

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

FAULT = "login_fault"
"""The parameter that says why a login failed."""
LONGEST_LINK = 3500
"""Characters of a link that come back: browsers tell no more than 4,096 of the page before."""
_COOKIE = b"formulary_return"
_USER = b"_streamlit_user"
_SECONDS = 600


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
