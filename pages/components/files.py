"""Files that come and go.

Those that a reader takes away are made when somebody asks, few at a time. Those that somebody
brings are read once: what was read of them stays with the session, and their bytes do not.
"""

from __future__ import annotations

import asyncio
import secrets
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass
from functools import partial
from mimetypes import guess_type
from typing import TYPE_CHECKING, Literal, TypeVar, cast

import streamlit as st
from streamlit import runtime
from streamlit.proto.BackMsg_pb2 import BackendOperationRequest
from streamlit.proto.ForwardMsg_pb2 import BackendOperationResponse
from streamlit.runtime import app_session
from streamlit.runtime.backend_operation_handler import DeferredFileHandler
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.uploaded_file_manager import UploadedFile, UploadedFileRec

from core.domain import BadRequestError, FactList, FormularyError, Snapshot
from core.memory import asking
from core.results.files import MAX_BYTES
from core.sharing import export
from core.sheets import table_csv
from pages.components import evidence
from pages.components.notices import plain

if TYPE_CHECKING:
    import pandas as pd
    from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager

    from core.charts.kit import Picture

LARGEST_MB = MAX_BYTES // 2**20
"""Of a file that somebody brings."""
MOST_PENDING = 2
"""So many files of one session are made or wait to be made; as many more that need no turn."""
MOST_IN_ALL = 40
"""So many files of all sessions have a turn or wait for one."""
_THREADS = 100
"""Callers in the queue: each holds one of Streamlit's six threads, and others need files too."""
_EXCEL = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
_AT_ONCE = ("csv", "json")
"""Kinds of files that are made at once; a PDF waits for PDFs alone, and others for one another.
Python does one thing at a time, and the pages of others come first."""
_LOOK_SECONDS = 0.1
"""Seconds between two checks, by a waiting caller, that it is still wanted."""
FULL = "More files are asked for than this server can make now. Try again in a minute."
_LANES: dict[str, list[object]] = {"pdf": [], "other": []}
"""The tickets: the first is at work, the others wait."""
_CHANGED = threading.Condition()
_PENDING: Counter[tuple[str, bool]] = Counter()
_COUNTING = threading.Lock()
_WHY: ContextVar[list[str] | None] = ContextVar("why", default=None)


def button(
    label: str,
    *,
    data: Callable[[], bytes | str],
    name: str,
    kind: str,
    help: str | None = None,
    type: Literal["primary", "secondary", "tertiary"] = "secondary",
) -> None:
    """Draw the button that hands out one file; every file of every page goes through here.

    Streamlit keeps the files of all visitors in one place. It names one of more than 1 MiB by
    its length, its file name and three samples of its bytes, so that two long files that differ
    elsewhere would share an address, and one visitor would get the other's. So each file name
    ends in characters that no other drawing of a button has.

    Parameters
    ----------
    data
        Makes the file, when somebody asks for it.
    name, kind
        Begin and end the file's name, and tell the buttons of a page apart.
    """
    st.download_button(
        label,
        data=for_session(data, kind),
        file_name=f"{name}-{secrets.token_hex(6)}.{kind}",
        mime=guess_type(f"x.{kind}")[0] or _EXCEL,  # not every system knows the latter
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
    snapshot: Snapshot | Sequence[FactList] | None,
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
        The evidence, or the public lists, named in the file.
    frame, picture
        What there is to take.
    """
    of = (snapshot,) if isinstance(snapshot, Snapshot | None) else snapshot
    source = export.source_line(*of)
    files = {}
    if frame is not None:
        files["csv"] = partial(table_csv, frame, source)
    if picture is not None:
        from core.charts.kit import image  # noqa: PLC0415 - a quarter of a second to import

        for kind in ("png", "svg"):
            files[kind] = partial(image, picture, kind, title=title, source=source)
    with st.container(horizontal=True, gap="small"):
        for kind, make in files.items():
            button(
                kind.upper(),
                data=make,
                name=f"{name}-{evidence.this_day()}",
                kind=kind,
                type="tertiary",
                help=plain(f"Download: {title}"),
            )


class SaysWhy(DeferredFileHandler):
    """Answers with the sentence of a fault, where Streamlit says only that there was one."""

    async def handle(
        self, request: BackendOperationRequest, session_id: str
    ) -> BackendOperationResponse:
        """Have one file made."""
        why: list[str] = []
        _WHY.set(why)
        answer = await super().handle(request, session_id)
        if why:
            return BackendOperationResponse(request_id=request.request_id, error_msg=why[0])
        return answer


def serve() -> None:
    """Make a fresh server hand out files so; called within its event loop."""
    app_session.DeferredFileHandler = SaysWhy  # type: ignore[attr-defined]
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(_THREADS))


def for_session(make: Callable[[], bytes | str], kind: str) -> Callable[[], bytes | str]:
    """Return what makes a file of a kind for this session, for a download button.

    It refuses a third file while two are pending, and gives up when the session has left. Call it
    in the run that draws the button.
    """
    context = get_script_run_ctx(suppress_warning=True)
    session = context.session_id if context else ""
    lane = kind if kind == "pdf" else "other"

    def here() -> None:
        if runtime.exists() and not runtime.get_instance().is_active_session(session):
            raise BadRequestError("The file was not made: who asked for it has left.")

    def made() -> bytes | str:
        at_once = kind in _AT_ONCE
        turn = nullcontext() if at_once else _turn(lane, here)
        try:
            with _pending(session, at_once), asking(here), turn:
                return make()
        except FormularyError as error:
            if (why := _WHY.get()) is not None:
                why.append(str(error))
            raise

    return made


@contextmanager
def _turn(lane: str, here: Callable[[], None]) -> Iterator[None]:
    """Wait for a turn in a lane, and have it in this block; who came first is first."""
    ticket, lined_up = object(), _LANES[lane]
    with _CHANGED:
        if sum(map(len, _LANES.values())) >= MOST_IN_ALL:
            raise BadRequestError(FULL)
        lined_up.append(ticket)
    try:
        with _CHANGED:
            here()
            while lined_up[0] is not ticket:
                _CHANGED.wait(_LOOK_SECONDS)
                here()
        yield
    finally:
        with _CHANGED:
            lined_up.remove(ticket)
            _CHANGED.notify_all()


@contextmanager
def _pending(session: str, at_once: bool) -> Iterator[None]:
    key = session, at_once
    with _COUNTING:
        if _PENDING[key] >= MOST_PENDING:
            raise BadRequestError(f"{MOST_PENDING} files are being made for you: wait for them.")
        _PENDING[key] += 1
    try:
        yield
    finally:
        with _COUNTING:
            _PENDING[key] -= 1
            if not _PENDING[key]:
                del _PENDING[key]


Got = TypeVar("Got")


@dataclass(frozen=True, slots=True)
class FileFault:
    """Why a file could not be read, without what Python holds along with an exception."""

    kind: type[FormularyError]
    text: str


def each(
    key: str,
    files: Sequence[UploadedFile],
    read: Callable[[list[tuple[str, bytes]], list[Got]], list[Got]],
) -> list[Got]:
    """Return what was read of the files of an uploader, in its order.

    What was read of a file ends when the file is taken out of the uploader.

    Parameters
    ----------
    key
        Of the uploader.
    read
        Reads the names and contents that are new, and is given what was read before. It must
        draw nothing: a run that ends there would lose what it has read.
    """
    # Changed in place, for the same reason: Streamlit may end a run where its state is touched.
    held: dict[str, Got] = st.session_state.setdefault(f"read_{key}", {})
    given = st.session_state.get(key)
    # What an uploader returns are copies of what the session holds.
    for file in given if isinstance(given, list) else [given]:
        if isinstance(file, UploadedFile):
            file.truncate(0)
    for gone in held.keys() - {file.file_id for file in files}:
        del held[gone]
    contents = [(file.file_id, file.name, _taken_out(file)) for file in files]
    new = [(name, content) for file_id, name, content in contents if file_id not in held]
    if new:
        ids = [file_id for file_id, _, _ in contents if file_id not in held]
        del contents
        held.update(zip(ids, read(new, list(held.values())), strict=True))
    return [held[file.file_id] for file in files]


def one(
    key: str, file: UploadedFile | None, read: Callable[[str, bytes], Got]
) -> Got | FileFault | None:
    """Return what was read of the one file of an uploader, or why it could not be."""
    found = each(key, [file] if file else [], lambda new, _: [attempt(read, *new[0])])
    return found[0] if found else None


def sound(found: Got | FileFault) -> Got:
    """Return what was read, or raise why it could not be."""
    if isinstance(found, FileFault):
        raise found.kind(found.text)
    return found


def attempt(read: Callable[[str, bytes], Got], name: str, content: bytes) -> Got | FileFault:
    """Return what was read, or why it could not be."""
    try:
        return read(name, content)
    except FormularyError as fault:
        return FileFault(type(fault), str(fault))


def _taken_out(file: UploadedFile) -> bytes:
    """Return the bytes of a file, which the server no longer holds from here on.

    Streamlit holds them by its session, and again in what its uploader returned.
    """
    content = file.getvalue()
    file.truncate(0)
    context = get_script_run_ctx()
    if context is None:
        return content
    manager = cast("MemoryUploadedFileManager", context.uploaded_file_mgr)
    if file.file_id in manager.file_storage.get(context.session_id, ()):
        manager.add_file(
            context.session_id, UploadedFileRec(file.file_id, file.name, file.type, b"")
        )
    return content
