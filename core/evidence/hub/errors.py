"""What can go wrong with the Hub: for the caller, and between the client and the tries."""

from __future__ import annotations

from typing import Literal

from core.domain import FormularyError

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
STAYS = "the last good snapshot stays in use"


class RemoteError(FormularyError):
    """The Hub could not give what was asked for; nothing on disk has changed."""

    def __init__(self, message: str, kind: Kind) -> None:
        super().__init__(message)
        self.kind: Kind = kind


class RefusedError(Exception):
    """The server answered with an error."""

    def __init__(self, status: int, code: str, retry_after_s: float | None) -> None:
        super().__init__(status)
        self.status = status
        self.code = code
        self.retry_after_s = retry_after_s


class BrokenError(Exception):
    """The way to the server or back failed."""

    def __init__(self, how: Kind, detail: str = "") -> None:
        super().__init__(how)
        self.how: Kind = how
        self.detail = detail


def unexpected(what: str) -> RemoteError:
    """Return the error for an answer that is none of the Hub's."""
    return RemoteError(
        f"The answer for {what} is not one of the Hub's: check HF_ENDPOINT, and whether a proxy "
        f"answers in its place; {STAYS}.",
        "unexpected",
    )
