"""One question to the Hub, within limits and a bounded number of times."""

from __future__ import annotations

import os
import re
import time
from typing import TYPE_CHECKING, TypeVar

from core.domain import FormularyError
from core.evidence.hub.client import install_client
from core.evidence.hub.errors import BrokenError, RefusedError, RemoteError
from core.evidence.hub.explanations import explain, translate
from core.evidence.hub.limits import LIMITS, TRIES, Limits
from core.evidence.hub.repositories import HUB, origin

if TYPE_CHECKING:
    from collections.abc import Callable

    from huggingface_hub import HfApi

T = TypeVar("T")
_PATIENCE = 15
"""A call may last this many timeouts: a server that drips one byte at a time never times out."""
_BACKOFF_S = 0.5
_LONGEST_WAIT_S = 10.0
"""A server that asks for more than this is not waited for: the message says how long."""
_MAX_ANSWER_BYTES = 50_000_000


class Door:
    """The way to one endpoint, with its token and its limit on silence.

    Parameters
    ----------
    endpoint, token, timeout_s
        As ``core.evidence.hub.Hub`` takes them.
    """

    def __init__(self, endpoint: str | None, token: str | None, timeout_s: float) -> None:
        self._endpoint = (endpoint or os.environ.get("HF_ENDPOINT") or HUB).rstrip("/")
        self._token = (token if token is not None else os.environ.get("HF_TOKEN", "")).strip()
        self.timeout_s = timeout_s
        if not re.fullmatch(r"[!-~]*", self._token):
            # Such a token cannot stand in a header, and the error of the client would print it.
            raise RemoteError(
                "The access token holds characters that no token has: set HF_TOKEN anew.", "refused"
            )

    @property
    def host(self) -> str:
        """Name of the endpoint, which is all that may be printed of the way there."""
        return origin(self._endpoint)[1]

    def ask(
        self, what: str, action: Callable[[HfApi], T], *, max_bytes: int = _MAX_ANSWER_BYTES
    ) -> T:
        """Run an action of the library within limits, a bounded number of times.

        Raises
        ------
        RemoteError
            Where every try failed, or another one is no use.
        BadDataError
            Where the disk or the download folder is at fault.
        """
        install_client()
        from huggingface_hub import HfApi  # noqa: PLC0415 - heavy, and most runs need none of it

        # ``False`` keeps the library from sending a token that somebody logged in with.
        api = HfApi(self._endpoint, token=self._token or False, library_name="llm-formulary")
        for attempt in range(1, TRIES + 1):
            limits = Limits(
                self.timeout_s,
                time.monotonic() + _PATIENCE * self.timeout_s,
                max_bytes,
                origin(self._endpoint),
            )
            reset = LIMITS.set(limits)
            try:
                return action(api)
            except (RefusedError, BrokenError) as trouble:
                wait = _wait_s(trouble, attempt)
                if wait is None or attempt == TRIES:
                    raise explain(
                        what, trouble, timeout_s=self.timeout_s, has_token=bool(self._token)
                    ) from None
            except FormularyError:
                raise
            except Exception as error:
                raise translate(what, error) from None
            finally:
                LIMITS.reset(reset)
            time.sleep(wait)
        raise AssertionError("unreachable")


def _wait_s(trouble: RefusedError | BrokenError, attempt: int) -> float | None:
    """Return how long to wait before the next try, ``None`` where another one is no use."""
    backoff = _BACKOFF_S * 2 ** (attempt - 1)
    if isinstance(trouble, BrokenError):
        # What was slow for all the time that a call may take would be so again.
        final = trouble.how in ("too large", "refused") or trouble.detail == "slow"
        return None if final else backoff
    if trouble.status not in (408, 429) and trouble.status < 500:
        return None
    wait = backoff if trouble.retry_after_s is None else trouble.retry_after_s
    return wait if wait <= _LONGEST_WAIT_S else None
