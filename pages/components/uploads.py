"""Files are read once: what was read of them stays with the session, and their bytes do not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.uploaded_file_manager import UploadedFile, UploadedFileRec

from core.domain import FormularyError

Found = TypeVar("Found")


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a file could not be read, without what Python holds beside an exception."""

    kind: type[FormularyError]
    text: str


def each(
    key: str,
    files: Sequence[UploadedFile],
    read: Callable[[list[tuple[str, bytes]], list[Found]], list[Found]],
) -> list[Found]:
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
    held: dict[str, Found] = st.session_state.setdefault(f"read_{key}", {})
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
    key: str, file: UploadedFile | None, read: Callable[[str, bytes], Found]
) -> Found | Fault | None:
    """Return what was read of the one file of an uploader, or why it could not be."""
    found = each(key, [file] if file else [], lambda new, _: [attempt(read, *new[0])])
    return found[0] if found else None


def sound(found: Found | Fault) -> Found:
    """Return what was read, or raise why it could not be."""
    if isinstance(found, Fault):
        raise found.kind(found.text)
    return found


def attempt(read: Callable[[str, bytes], Found], name: str, content: bytes) -> Found | Fault:
    """Return what was read, or why it could not be."""
    try:
        return read(name, content)
    except FormularyError as fault:
        return Fault(type(fault), str(fault))


def _taken_out(file: UploadedFile) -> bytes:
    """Return the bytes of a file, which the server no longer holds from here on.

    Streamlit holds them by its session, and again in what its uploader returned.
    """
    content = file.getvalue()
    file.truncate(0)
    context = get_script_run_ctx()
    manager = context.uploaded_file_mgr
    if file.file_id in manager.file_storage.get(context.session_id, ()):
        manager.add_file(
            context.session_id, UploadedFileRec(file.file_id, file.name, file.type, b"")
        )
    return content
