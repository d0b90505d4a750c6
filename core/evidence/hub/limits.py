"""What a running call may take: time, bytes, and who may see the token."""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass

TRIES = 3


@dataclass(frozen=True, slots=True)
class Limits:
    """What the call that runs in this thread may take."""

    timeout_s: float
    ends_at: float
    max_bytes: int
    origin: tuple[str, str]


LIMITS: ContextVar[Limits | None] = ContextVar("limits", default=None)
