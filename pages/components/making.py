"""Files that are made outside a run, when somebody asks: few at a time, for who is still there."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from streamlit import runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx

from core.domain import BadRequestError
from core.domain.patience import asking

MOST_PENDING = 2
"""So many files of one session are made or wait to be made."""
_LOOK_SECONDS = 0.1
_PENDING: Counter[str] = Counter()
_COUNTING = threading.Lock()
_ONE_AT_A_TIME = threading.Lock()
"""Python does one thing at a time, and the pages of others come first."""


class _LeftError(Exception):
    """Who asked has left."""


def for_session(make: Callable[[], bytes | str]) -> Callable[[], bytes | str]:
    """Return what makes a file for this session, for a download button.

    It refuses a third file while two are pending, and gives up when the session has left. Call it
    in the run that draws the button.
    """
    context = get_script_run_ctx(suppress_warning=True)
    session = context.session_id if context else ""

    def made() -> bytes | str:
        with _pending(session), asking(lambda: _still_here(session)), _turn(session):
            return make()

    return made


@contextmanager
def _pending(session: str) -> Iterator[None]:
    with _COUNTING:
        if _PENDING[session] >= MOST_PENDING:
            raise BadRequestError(f"{MOST_PENDING} files are being made for you: wait for them.")
        _PENDING[session] += 1
    try:
        yield
    finally:
        with _COUNTING:
            _PENDING[session] -= 1
            if not _PENDING[session]:
                del _PENDING[session]


@contextmanager
def _turn(session: str) -> Iterator[None]:
    while not _ONE_AT_A_TIME.acquire(timeout=_LOOK_SECONDS):
        _still_here(session)
    try:
        _still_here(session)
        yield
    finally:
        _ONE_AT_A_TIME.release()


def _still_here(session: str) -> None:
    if runtime.exists() and not runtime.get_instance().is_active_session(session):
        raise _LeftError("The file was not made: who asked for it has left.")
