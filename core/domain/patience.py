"""Long work that is given up when nobody waits for it any more.

Whoever starts work may say how to find out; the work asks between its blocks.
"""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_ASK: ContextVar[Callable[[], None]] = ContextVar("still_wanted", default=lambda: None)


def still_wanted() -> None:
    """Go on where somebody waits for this work; else raise what who started it has chosen.

    Costs next to nothing: call it between blocks of some milliseconds.
    """
    _ASK.get()()


def asked_by_now() -> Callable[[], None]:
    """Return how to ask here and now; it does nothing where nobody has said how."""
    return _ASK.get()


@contextmanager
def asking(ask: Callable[[], None]) -> Iterator[None]:
    """Let the work in this block ask so whether it is still wanted.

    Parameters
    ----------
    ask
        Raises where it is not.
    """
    before = _ASK.set(ask)
    try:
        yield
    finally:
        _ASK.reset(before)
