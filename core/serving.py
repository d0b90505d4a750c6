"""What the server says with each answer: security headers, and the addresses it keeps to itself.

It counts each byte of an upload before it is held: Streamlit keeps what is uploaded in memory, 20
MB a file and any number of files, from whoever has a session, whether or not the page asks for one.

Plain ASGI, so that a test can hold it against any application. ``python -m core.serving`` asks
the app on this machine whether it is well; a container does that every half minute.
"""

import base64
import hashlib
import os
import re
import sys
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException
from ipaddress import ip_address

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse, RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_INLINE_SCRIPT = re.compile(r"<script>(.*?)</script>", re.DOTALL)
# Both tell about the server, and the second makes it run the app once for whoever asks.
_FOR_OPERATORS = ("/_stcore/metrics", "/_stcore/script-health-check")
# Drives the app for programs; Streamlit has it off, and answers to it all the same.
_FOR_NOBODY = re.compile(r"/_stcore/agent(/|$)")
# The landing page has no name in its address, and somebody who types one finds it all the same.
_LANDING = "/recommend"
_ADDRESS = re.compile(r"/_stcore/upload_file/([^/]+)/[^/]+/?$")
MOST_A_SESSION = 40 * 2**20
"""Bytes that one session may hold: the largest file twice."""
MOST_UPLOADED = 200 * 2**20
"""Bytes that all sessions may hold together."""
_LEAST = 4096
"""A file counts at least this many bytes, since even an empty one is kept with its names."""
_MOST_PASSED = 21 * 2**20
"""Bytes of a refused file that are let pass unread: the largest one that a browser sends."""
LOG_IN = "Log in to upload a file."
# What pages of the app never use, so that nothing that creeps in could.
_PERMISSIONS = ", ".join(
    f"{feature}=()"
    for feature in (
        *("accelerometer", "camera", "display-capture", "geolocation", "gyroscope"),
        *("magnetometer", "microphone", "midi", "payment", "usb"),
    )
)


@dataclass(frozen=True, slots=True)
class Rules:
    """How this server is to be reached."""

    frame_ancestors: str = "'self'"
    """Who may show the app inside another page: sources as a content security policy has them."""
    allowed_hosts: tuple[str, ...] = ("*",)
    """Names under which the server answers; ``*`` is any."""
    metrics: bool = False
    """Whether the figures for monitoring are handed out."""


def rules(environment: Mapping[str, str] = os.environ) -> Rules:
    """Read the rules from ``FORMULARY_FRAME_ANCESTORS``, ``_ALLOWED_HOSTS`` and ``_METRICS``.

    This machine itself is always among the allowed hosts, for its own checks of health. On a
    local run it is the only one unless others are named: a page under a foreign name that points
    here must not act with the rights of the person in front of the machine. A ``ValueError`` where
    the frame ancestors hold a character that would end the rule and begin another.
    """
    ancestors = " ".join(environment.get("FORMULARY_FRAME_ANCESTORS", "").split())
    if not re.fullmatch(r"[\w.:/*' -]*", ancestors, re.ASCII):
        raise ValueError("FORMULARY_FRAME_ANCESTORS holds more than addresses with spaces between.")
    hosts = re.split(r"[\s,]+", environment.get("FORMULARY_ALLOWED_HOSTS", "").lower())
    named = tuple(filter(None, hosts))
    any_host = not named and not asks_for_local_run(environment)
    return Rules(
        frame_ancestors=ancestors or "'self'",
        allowed_hosts=("*",) if any_host else (*named, "localhost", "127.0.0.1", "[::1]"),
        metrics=environment.get("FORMULARY_METRICS") == "1",
    )


def asks_for_local_run(environment: Mapping[str, str] = os.environ) -> bool:
    """Say whether ``FORMULARY_LOCAL_RUN=1`` asks for the rights of a local run."""
    return environment.get("FORMULARY_LOCAL_RUN") == "1"


def why_no_local_run(listens_on: str | None, environment: Mapping[str, str] = os.environ) -> str:
    """Say in a sentence why a server has no rights of a local run; empty where it has them.

    It listens on an address, where ``None`` or empty is all of this machine's.
    """
    if not asks_for_local_run(environment):
        return "This server was not started as a local run."
    address = listens_on or ""
    try:
        is_loopback = address == "localhost" or ip_address(address.strip("[]")).is_loopback
    except ValueError:
        is_loopback = False
    if not is_loopback:
        return (
            "FORMULARY_LOCAL_RUN=1 has no effect here: it is for one machine, and this server "
            "listens to others; start it with --server.address 127.0.0.1."
        )
    if environment.get("FORMULARY_ALLOWED_HOSTS", "").strip(" ,"):
        return (
            "FORMULARY_LOCAL_RUN=1 has no effect here: it is for one machine, and "
            "FORMULARY_ALLOWED_HOSTS names others."
        )
    return ""


def content_policy(page: str, frame_ancestors: str = "'self'") -> str:
    """Return the content security policy for the page that Streamlit serves.

    Everything comes from this server. The one exception is style: Streamlit and its tables set
    it from scripts, element by element. The page's own inline scripts are named by their hashes,
    and none is let evaluate text, since Streamlit draws charts without it.
    """
    digests = (hashlib.sha256(script.encode()).digest() for script in _INLINE_SCRIPT.findall(page))
    hashes = "".join(f" 'sha256-{base64.b64encode(digest).decode()}'" for digest in digests)
    parts = {
        "default-src": "'none'",
        "script-src": f"'self'{hashes}",
        "style-src": "'self' 'unsafe-inline'",
        "img-src": "'self' data: blob:",
        "font-src": "'self' data:",
        "connect-src": "'self'",
        "manifest-src": "'self'",
        "base-uri": "'self'",
        "form-action": "'self'",
        "frame-ancestors": frame_ancestors,
    }
    return "; ".join(f"{name} {value}" for name, value in parts.items())


class Guard:
    """Puts the headers on every answer, errors too, and hides what is for operators only.

    ``page`` is the HTML that Streamlit serves, for the content security policy.
    """

    def __init__(self, app: ASGIApp, page: str, rules: Rules) -> None:
        self.app, self.rules = app, rules
        self._headers = {
            "Content-Security-Policy": content_policy(page, rules.frame_ancestors),
            "Cross-Origin-Opener-Policy": "same-origin",
            "Cross-Origin-Resource-Policy": "same-origin",
            "Permissions-Policy": _PERMISSIONS,
            # A link holds what a hospital assumes: other sites must not learn it.
            "Referrer-Policy": "same-origin",
            "X-Content-Type-Options": "nosniff",
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request; anything but HTTP passes through."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        started = False
        told = Headers(scope=scope).get("x-forwarded-proto", "")
        https = "https" in (scope.get("scheme"), told.split(",")[0].strip().lower())

        async def with_headers(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                headers = MutableHeaders(
                    raw=[(name.lower(), value) for name, value in message.get("headers", ())]
                )
                headers.update(self._headers)
                if https:
                    headers["Strict-Transport-Security"] = "max-age=31536000"
                message = {**message, "headers": headers.raw}
            await send(message)

        path = scope["path"]
        hidden = not self.rules.metrics and path.rstrip("/").endswith(_FOR_OPERATORS)
        if hidden or _FOR_NOBODY.search(path):
            await PlainTextResponse("Not Found", 404)(scope, receive, with_headers)
            return
        if path.rstrip("/").endswith(_LANDING):
            folder = "../" if path.endswith("/") else "./"
            query = scope["query_string"].decode("latin-1")
            answer = RedirectResponse(f"{folder}?{query}" if query else folder)
            await answer(scope, receive, with_headers)
            return
        try:
            await self.app(scope, receive, with_headers)
        except Exception:
            # The server's own answer to a fault would go out without the headers.
            if not started:
                failed = PlainTextResponse("Internal Server Error", 500)
                await failed(scope, receive, with_headers)
            raise


class _TooMuchError(Exception):
    """More came than may be held; the sentence says so."""


class Uploads:
    """Counts uploaded bytes by session and in all, and refuses those of strangers.

    ``held`` gives the bytes of each file that is held, by session, and ``may_upload`` says whether
    the person of a session may upload.
    """

    def __init__(
        self,
        app: ASGIApp,
        held: Callable[[], Mapping[str, Collection[int]]],
        may_upload: Callable[[str], bool],
    ) -> None:
        self.app, self._held, self._may_upload = app, held, may_upload
        self._coming: defaultdict[str, int] = defaultdict(int)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass everything on but an upload that is too much or not allowed."""
        found = _ADDRESS.search(scope.get("path", "")) if scope["type"] == "http" else None
        if found is None or scope["method"] != "PUT":
            await self.app(scope, receive, send)
            return
        session = found[1]
        if not self._may_upload(session):
            await _refuse(403, LOG_IN, scope, receive, send)
            return
        came, started = 0, False

        async def counted() -> Message:
            nonlocal came
            message = await receive()
            size = len(message.get("body", b""))
            came += size
            self._coming[session] += size
            self._check(session)
            return message

        async def watched(message: Message) -> None:
            nonlocal came, started
            if message["type"] == "http.response.start":  # by now it is held, or discarded
                started = True
                self._coming[session] -= came
                came = 0
            await send(message)

        try:
            # What is announced; 0 where nothing or nonsense is.
            announced = Headers(scope=scope).get("content-length", "")
            usable = announced.isdecimal() and announced.isascii() and len(announced) < 20
            self._check(session, max(int(announced) if usable else 0, _LEAST))
            await self.app(scope, counted, watched)
        except _TooMuchError as error:
            if not started:
                await _refuse(413, str(error), scope, receive, send)
        finally:
            self._coming[session] -= came
            if not self._coming[session]:
                del self._coming[session]

    def _check(self, session: str, more: int = 0) -> None:
        held = {key: sum(max(n, _LEAST) for n in files) for key, files in self._held().items()}
        if held.get(session, 0) + self._coming.get(session, 0) + more > MOST_A_SESSION:
            raise _TooMuchError(
                f"One visit may hold {MOST_A_SESSION // 2**20} MB of files. Remove one, or "
                "close this page and open it again."
            )
        if sum(held.values()) + sum(self._coming.values()) + more > MOST_UPLOADED:
            raise _TooMuchError(
                "This server cannot hold any more uploaded files for now. Try again later."
            )


async def _refuse(status: int, text: str, scope: Scope, receive: Receive, send: Send) -> None:
    """Answer with one sentence, after the rest has come and gone.

    A browser that is still sending when the connection closes shows no answer at all.
    """
    passed, more = 0, True
    while more and passed < _MOST_PASSED:
        message = await receive()
        passed += len(message.get("body", b""))
        more = message.get("more_body", False)
    await PlainTextResponse(text, status)(scope, receive, send)


def is_well(environment: Mapping[str, str] = os.environ) -> bool:
    """Ask the app on this machine for its health.

    It is looked for where ``STREAMLIT_SERVER_PORT`` and ``STREAMLIT_SERVER_BASE_URL_PATH`` say.
    """
    base = environment.get("STREAMLIT_SERVER_BASE_URL_PATH", "").strip("/")
    port = int(environment.get("STREAMLIT_SERVER_PORT") or 8501)
    connection = HTTPConnection("127.0.0.1", port, timeout=4)
    try:
        connection.request("GET", f"{base and '/' + base}/_stcore/health")
        return connection.getresponse().status == 200
    except (OSError, HTTPException):
        return False
    finally:
        connection.close()


if __name__ == "__main__":
    sys.exit(not is_well())
