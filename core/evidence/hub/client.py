"""The client that the library sends its requests with: it keeps to the limits of the call."""

from __future__ import annotations

import re
import threading
import time
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any

from core.evidence.hub.errors import BrokenError, RefusedError
from core.evidence.hub.limits import LIMITS
from core.evidence.hub.repositories import origin

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import httpx2

    from core.evidence.hub.limits import Limits

_INSTALLING = threading.Lock()
_installed: list[bool] = []


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
            if isinstance(error, (httpx2.ReadError, httpx2.WriteError)):
                return BrokenError("cut off")
            if isinstance(error, httpx2.RemoteProtocolError):
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
