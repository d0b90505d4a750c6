"""The client that ``huggingface_hub`` sends its requests with: it keeps to the limits of the call.

That library retries for long, waits as long as a server asks it to and sets no time limit on its
API calls. This client ends what takes too long or is too large, and turns every fault into one of
two exceptions that the library does not know and so does not retry.
"""

from __future__ import annotations

import math
import re
import threading
import time
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import httpx2

Kind = Literal[
    "gated",
    "missing",
    "rate limited",
    "server fault",
    "stalled",
    "cut off",
    "too large",
    "offline",
    "refused",
    "unexpected",
    "unsafe",
]


@dataclass(frozen=True, slots=True)
class Limits:
    """What the call that runs in this thread may take."""

    timeout_s: float
    ends_at: float
    max_bytes: int
    origin: tuple[str, str]


LIMITS: ContextVar[Limits | None] = ContextVar("limits", default=None)
HUB = "https://huggingface.co"
_LONGEST_WAIT_S = 10.0
"""A server that asks for more than this is not waited for: the message says how long."""
_INSTALLING = threading.Lock()
_installed: list[bool] = []


class RefusedError(Exception):
    """The server answered with an error."""

    def __init__(self, status: int, code: str, retry_after_s: float | None) -> None:
        super().__init__(status)
        self.status = status
        self.code = code
        self.retry_after_s = retry_after_s

    def wait_s(self, backoff_s: float) -> float | None:
        """Return how long to wait before the next try, ``None`` where another one is no use."""
        if self.status not in (408, 429) and self.status < 500:
            return None
        wait = backoff_s if self.retry_after_s is None else self.retry_after_s
        return wait if wait <= _LONGEST_WAIT_S else None

    def explained(
        self, what: str, *, tries: int, timeout_s: float, has_token: bool
    ) -> tuple[str, Kind]:
        """Say what happened and what to do, as a sentence without its end."""
        page, status = f"{HUB}/{_page_of(what)}", self.status
        said: str
        kind: Kind
        if status == 429:
            seconds = math.ceil(self.retry_after_s or 60)
            higher = "" if has_token else ", or set HF_TOKEN for a higher limit"
            said = f"The Hub limits requests and refused {what}: try again in {seconds} seconds"
            said, kind = said + higher, "rate limited"
        elif status >= 500 or status == 408:
            said, kind = (
                f"The Hub answered {tries} times with a fault of its own ({status}) for {what}: "
                "try again later",
                "server fault",
            )
        elif self.code == "GatedRepo":
            said, kind = (
                f"{opening(what)} is gated: accept its terms at {page} and set HF_TOKEN to a token "
                "of that account",
                "gated",
            )
        elif status == 403:
            reader = "this token" if has_token else "a reader without a token"
            said, kind = (
                f"The Hub does not let {reader} have {what}: ask for access at {page} and set "
                "HF_TOKEN to a token that has it",
                "gated",
            )
        elif status == 401 and self.code != "RepoNotFound":
            asks = "refused the token" if has_token else "asks for a token"
            said, kind = (
                f"The Hub {asks} for {what}, which may be private, gated or gone: look at {page} "
                "and set HF_TOKEN to a token that may read it",
                "gated",
            )
        elif self.code == "EntryNotFound":
            said, kind = (
                f"{opening(what)} does not hold what was asked for any more: its maintainers moved "
                "or renamed it, so a newer version of this program may be needed",
                "missing",
            )
        elif status in (401, 404, 410):
            said, kind = (
                f"{opening(what)} was not found on the Hub: it was moved, deleted or made private, "
                f"so look at {page}, and set HF_TOKEN if it is private",
                "missing",
            )
        else:
            said, kind = (
                f"The Hub refused {what} ({status}): check HF_ENDPOINT and the proxy",
                "refused",
            )
        return said, kind


class BrokenError(Exception):
    """The way to the server or back failed."""

    def __init__(self, how: Kind, detail: str = "") -> None:
        super().__init__(how)
        self.how: Kind = how
        self.detail = detail

    def wait_s(self, backoff_s: float) -> float | None:
        """Return how long to wait before the next try, ``None`` where another one is no use."""
        # What was slow for all the time that a call may take would be so again.
        final = self.how in ("too large", "refused") or self.detail == "slow"
        return None if final else backoff_s

    def explained(
        self, what: str, *, tries: int, timeout_s: float, has_token: bool
    ) -> tuple[str, Kind]:
        """Say what happened and what to do, as a sentence without its end."""
        said = {
            "too large": f"{opening(what)} is larger than the {self.detail} bytes that were "
            "announced, so the download was stopped: try again later, and report it if it stays so",
            "stalled": f"{opening(what)} stalled, with no full answer while the limit is "
            f"{timeout_s:g} seconds: try again later or from a better connection",
            "cut off": f"The connection broke in the middle of {what}"
            f"{' (' + self.detail + ')' if self.detail else ''}: try again later",
            "offline": f"The Hub could not be reached for {what}: check the network, the proxy and "
            "HF_ENDPOINT, then try again",
            "refused": f"The Hub's certificate could not be verified for {what}: where a proxy "
            "inspects traffic, set SSL_CERT_FILE to its certificates",
        }[self.how]
        return said, self.how


def install_client() -> None:
    """Give the library a client that keeps to the limits of the running call.

    The client is one for the whole process and keeps the request hooks of the library's own,
    which see to its offline mode. Proxies and certificates stay those of the environment.
    """
    with _INSTALLING:
        if _installed:
            return
        import httpx2  # noqa: PLC0415 - heavy, and most runs need none of it
        import huggingface_hub  # noqa: PLC0415
        from huggingface_hub import constants  # noqa: PLC0415
        from huggingface_hub.utils.tqdm import disable_progress_bars  # noqa: PLC0415

        class Bounded(httpx2.SyncByteStream):
            """A body that ends where the limits do."""

            def __init__(self, stream: httpx2.SyncByteStream, limits: Limits) -> None:
                self.stream = stream
                self.limits = limits

            def __iter__(self) -> Iterator[bytes]:
                n_bytes = 0
                try:
                    for chunk in self.stream:
                        n_bytes += len(chunk)
                        if n_bytes > self.limits.max_bytes:
                            raise BrokenError("too large", f"{self.limits.max_bytes:,}")
                        if time.monotonic() > self.limits.ends_at:
                            raise BrokenError("stalled", "slow")
                        yield chunk
                except httpx2.TransportError as error:
                    raise _broken(error) from None

            def close(self) -> None:
                self.stream.close()

        def _broken(error: httpx2.TransportError) -> BrokenError:
            if isinstance(error, httpx2.ConnectError) and "CERTIFICATE" in str(error):
                return BrokenError("refused")
            if isinstance(error, (httpx2.ReadError, httpx2.WriteError, httpx2.RemoteProtocolError)):
                return BrokenError("cut off")
            if isinstance(error, (httpx2.ReadTimeout, httpx2.WriteTimeout, httpx2.PoolTimeout)):
                return BrokenError("stalled")
            return BrokenError("offline")

        class Client(httpx2.Client):
            """Raises refusals and breaks as exceptions that the library leaves alone."""

            def send(
                self,
                request: httpx2.Request,
                *,
                stream: bool = False,
                **rest: Any,  # noqa: ANN401
            ) -> httpx2.Response:
                limits = LIMITS.get()
                if limits is None:
                    return super().send(request, stream=stream, **rest)
                if time.monotonic() > limits.ends_at:
                    raise BrokenError("stalled", "slow")
                try:
                    response = super().send(request, stream=True, **rest)
                except httpx2.TransportError as error:
                    raise _broken(error) from None
                try:
                    if response.status_code >= 400:
                        code = response.headers.get("x-error-code", "")
                        wait = _retry_after_s(response.headers)
                        raise RefusedError(response.status_code, code, wait)
                    length = response.headers.get("content-length", "")
                    body = response.is_success and request.method != "HEAD"
                    if body and length.isdigit() and int(length) > limits.max_bytes:
                        raise BrokenError("too large", f"{limits.max_bytes:,}")
                    assert isinstance(response.stream, httpx2.SyncByteStream)
                    response.stream = Bounded(response.stream, limits)
                    if not stream:
                        response.read()
                except BaseException:
                    response.close()
                    raise
                return response

        def keep_to_limits(request: httpx2.Request) -> None:
            limits = LIMITS.get()
            if limits is None:
                return
            request.extensions["timeout"] = httpx2.Timeout(limits.timeout_s).as_dict()
            # Compressed, the length that the server announces would not be that of the file.
            request.headers["Accept-Encoding"] = "identity"
            if origin(str(request.url)) != limits.origin:
                # The next page of a listing may be anywhere; the token is for the Hub alone.
                request.headers.pop("Authorization", None)

        kept = huggingface_hub.get_session().event_hooks["request"]

        def make_client() -> httpx2.Client:
            hooks = {"request": [*kept, keep_to_limits]}
            return Client(event_hooks=hooks, follow_redirects=True, timeout=20)

        huggingface_hub.set_client_factory(make_client)
        # The faster transfer has a network stack of its own, without time limits.
        constants.HF_HUB_DISABLE_XET = True
        disable_progress_bars()
        _installed.append(True)


def _retry_after_s(headers: Mapping[str, str]) -> float | None:
    """Read how long the server wants to be left alone: seconds, a date, or the Hub's own."""
    if value := headers.get("retry-after", "").strip():
        if value.isdigit():
            return float(value)
        try:
            return max(0.0, (parsedate_to_datetime(value) - datetime.now(UTC)).total_seconds())
        except (TypeError, ValueError):
            return None
    spent = re.search(r"\br=0\s*;\s*t=(\d+)", headers.get("ratelimit", ""))
    return float(spent[1]) if spent else None


def origin(address: str) -> tuple[str, str]:
    """Return scheme and host of an address, without a user's name and password."""
    parts = urlsplit(address)
    return parts.scheme, parts.netloc.rpartition("@")[2].lower()


def opening(what: str) -> str:
    """Return words as they open a sentence; a path that comes first stays as it is."""
    return what[:1].upper() + what[1:] if what.startswith("the ") else what


def _page_of(what: str) -> str:
    """Return the path of a repository's page from the words that name it."""
    kind, repo_id = what.rpartition("the ")[2].split(" ", 1)
    return {"dataset": "datasets/", "Space": "spaces/"}.get(kind, "") + repo_id
