"""What a reader can take away from a page: files made when somebody asks, few at a time."""

from __future__ import annotations

import secrets
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

import pandas as pd
import streamlit as st
from streamlit import runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx

from core.charts.blocks import Picture
from core.charts.picture_files import image
from core.domain import BadRequestError, Snapshot
from core.domain.patience import asking
from core.sharing import export
from pages.components import evidence
from pages.components.notices import plain

MOST_PENDING = 2
"""So many files of one session are made or wait to be made."""
_LOOK_SECONDS = 0.1
_PENDING: Counter[str] = Counter()
_COUNTING = threading.Lock()
_ONE_AT_A_TIME = threading.Lock()
"""Python does one thing at a time, and the pages of others come first."""


def button(
    label: str,
    *,
    data: Callable[[], bytes | str],
    name: str,
    kind: str,
    mime: str,
    help: str | None = None,
    type: str = "secondary",
) -> None:
    """Draw the button that hands out one file; every file of every page goes through here.

    Streamlit keeps the files of all visitors in one place. It names one of more than 1 MiB by
    its length, its file name and three samples of its bytes, so that two long files that differ
    elsewhere would share an address, and one visitor would get the other's. So each file name
    ends in signs that no other drawing of a button has.

    Parameters
    ----------
    data
        Makes the file, when somebody asks for it.
    name, kind
        Begin and end the file's name, and tell the buttons of a page apart.
    """
    st.download_button(
        label,
        data=for_session(data),
        file_name=f"{name}-{secrets.token_hex(6)}.{kind}",
        mime=mime,
        key=f"{name}_{kind}",
        icon=":material/download:",
        type=type,
        on_click="ignore",
        help=help,
    )


def downloads(
    name: str,
    *,
    title: str,
    snapshot: Snapshot | None,
    frame: pd.DataFrame | None = None,
    picture: Picture | None = None,
) -> None:
    """Draw the buttons; a file is made only when somebody asks for it.

    Parameters
    ----------
    name
        Begins the file's name and tells the buttons of a page apart.
    title
        What the table or picture shows, as written above the picture.
    snapshot
        The evidence, named in the file.
    frame, picture
        What there is to take.
    """
    source = export.source_line(snapshot)
    files = []
    if frame is not None:
        files.append(("CSV", "text/csv", partial(export.table_csv, frame, source)))
    if picture is not None:
        for kind, mime in (("png", "image/png"), ("svg", "image/svg+xml")):
            make = partial(image, picture, kind, title=title, source=source)
            files.append((kind.upper(), mime, make))
    with st.container(horizontal=True, gap="small"):
        for kind, mime, make in files:
            button(
                kind,
                data=make,
                name=f"{name}-{evidence.today()}",
                kind=kind.lower(),
                mime=mime,
                type="tertiary",
                help=plain(f"Download: {title}"),
            )


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
