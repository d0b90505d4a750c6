"""Whose turn it is to have a long file made, where one of a kind is made at a time."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

from core.domain import BadRequestError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_LOOK_SECONDS = 0.1
"""Who waits looks so often whether they themselves are still there."""
FULL = "More files are asked for than this server can make now. Try again in a minute."


class Turns:
    """In each lane one at a time: of those who wait, whoever has had no turn for longest.

    So nobody has two turns in a row while another waits. ``most`` wait or are at work in all
    lanes together.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._changed = threading.Condition()
        self._asked: dict[object, tuple[str, str]] = {}
        self._at_work: dict[str, object] = {}
        self._turns: dict[tuple[str, str], int] = {}

    @contextmanager
    def take(self, lane: str, who: str, still_here: Callable[[], None]) -> Iterator[None]:
        """Wait for a turn in a lane, and have it in this block.

        Parameters
        ----------
        still_here
            Raises where nobody waits for this any more; asked before the turn, and while waiting.

        Raises
        ------
        BadRequestError
            At once, where as many wait as may.
        """
        ticket = object()
        with self._changed:
            if len(self._asked) >= self._most:
                raise BadRequestError(FULL)
            self._asked[ticket] = lane, who
        try:
            with self._changed:
                still_here()
                while self._next(lane) is not ticket:
                    self._changed.wait(_LOOK_SECONDS)
                    still_here()
                self._at_work[lane] = ticket
                self._turns[lane, who] = 1 + max(self._turns.values(), default=0)
            yield
        finally:
            with self._changed:
                del self._asked[ticket]
                if self._at_work.get(lane) is ticket:
                    del self._at_work[lane]
                if not self._asked:
                    self._turns.clear()
                self._changed.notify_all()

    def _next(self, lane: str) -> object:
        """Return who begins now; nobody while one is at work."""
        if lane in self._at_work:
            return None
        waiting = (ticket for ticket, (theirs, _) in self._asked.items() if theirs == lane)
        return min(waiting, key=lambda ticket: self._turns.get(self._asked[ticket], 0))
