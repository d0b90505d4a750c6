"""A data folder that lies elsewhere: its local copy, made and kept up to date through fsspec.

``FORMULARY_DATA`` may be an address such as ``s3://bucket/folder``. The catalogue and the
snapshots there are copied into a folder of this machine, from which everything else reads. A
copy is made under another name, checked whole, and only then takes the place of the last one;
snapshots that the last copy has are not downloaded again. Where the address cannot be reached,
or what lies there is half written, the last good copy stays in use, and a notice says so.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import re
import shutil
import tempfile
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from filelock import FileLock, Timeout

from core.domain import BadDataError, BadRequestError, FormularyError
from core.evidence import catalogue, snapshots
from core.evidence.own_folder import own_temporary_folder

if TYPE_CHECKING:
    from typing import Any

    Marks = dict[str, str]
    """Of each file there: its path below the folder, and what changes when the file does."""

_ADDRESS = re.compile(r"[a-z][a-z0-9+.:-]*://", re.IGNORECASE)
_NAME = r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}"
_TAKEN = re.compile(
    rf"catalogue/(?:{_NAME}/)?{_NAME}\.csv"
    rf"|snapshots/{_NAME}/{_NAME}/(?:manifest\.toml|scores\.csv|facts\.csv|items\.parquet)"
)
"""What a data folder consists of; whatever else lies there is not touched."""
_CURRENT, _ABOUT = "current", "copied.json"
_PATIENCE_SECONDS = 300
_SECONDS_BETWEEN_TRIES = 15
"""Without any copy, readers do not each ask a storage that did not answer a moment ago."""
_LOG = logging.getLogger("llm_formulary")


@dataclass(frozen=True, slots=True)
class Copy:
    """The local copy of a data folder that lies elsewhere."""

    folder: Path
    notice: str = ""
    """What a reader should know of it, in a sentence or two; empty where it is up to date."""
    n_downloaded: int = 0
    """Files that the last look at the storage brought."""


_IN_USE: dict[str, Copy] = {}
_FAILED: dict[str, tuple[float, FormularyError]] = {}
_ONE_UPDATE = threading.Lock()


def is_address(text: str) -> bool:
    """Say whether a setting is the address of a storage rather than a path of this machine."""
    return bool(_ADDRESS.match(text))


def in_use(address: str) -> Copy:
    """Return the copy that this process reads; the first call looks for one, or makes it.

    A copy of an earlier start is returned at once, without asking the storage: ``update`` does
    that. Where there is none and none can be made, both raise a ``FormularyError``.
    """
    if (found := _IN_USE.get(address)) is not None:
        return found
    held = _last_copy(_place(address))
    if held is not None:
        return _IN_USE.setdefault(address, Copy(held, str(_about(held).get("notice", ""))))
    failed_at, error = _FAILED.get(address, (0.0, None))
    if error is not None and time.monotonic() - failed_at < _SECONDS_BETWEEN_TRIES:
        raise error
    return update(address)


def update(address: str) -> Copy:
    """Look whether the storage has changed, and take up what is new there.

    Returns the new copy; else the last good one, with a notice that says why. Processes that
    share the cache folder wait for each other. Nothing is downloaded where nothing has changed.
    """
    with _ONE_UPDATE:
        place = _place(address)
        try:
            found = _updated(address, place)
        except FormularyError as error:
            # Where the storage and the copy lie is for the log; visitors read the sentence.
            facts = {"address": _shown(address), "why": str(error)}
            extra = {"event": "storage", "facts": facts}
            _LOG.warning("The evidence in storage was not taken up", extra=extra)
            held = _last_copy(place)
            if held is None:
                _FAILED[address] = (time.monotonic(), error)
                raise
            copied_at = _about(held).get("copied_at", "an earlier start")
            found = Copy(held, f"{error} The copy of {copied_at} stays in use.")
        _FAILED.pop(address, None)
        _IN_USE[address] = found
        return found


def _place(address: str) -> Path:
    """Return where the copies of an address lie: ``FORMULARY_CACHE``, or the temporary folder."""
    name = hashlib.sha256(address.encode()).hexdigest()[:12]
    if configured := os.environ.get("FORMULARY_CACHE"):
        return Path(configured) / name
    return own_temporary_folder() / name


def _updated(address: str, place: Path) -> Copy:
    try:
        place.mkdir(parents=True, exist_ok=True, mode=0o700)
        with FileLock(place / ".lock", timeout=_PATIENCE_SECONDS):
            return _taken_up(address, place)
    except Timeout:
        raise BadDataError("Another process is still copying the evidence.") from None
    except OSError as error:
        raise BadDataError(
            f"The copy of the evidence cannot be written ({error.strerror}): see to the folder "
            "that FORMULARY_CACHE names."
        ) from None


def _taken_up(address: str, place: Path) -> Copy:
    """Make a new copy where the storage differs from the last one, or that one was damaged."""
    storage = _Storage(address)
    marks = storage.listing()
    held = _last_copy(place)
    about = _about(held) if held else {}
    sound = _sound(held) if held else None
    if held and sound is not None and about.get("marks") == marks:
        return Copy(held, str(about.get("notice", "")))
    draft = Path(tempfile.mkdtemp(prefix=".draft-", dir=place))
    try:
        before = about.get("marks", {})
        wanted = [
            path
            for path, mark in marks.items()
            if not (
                held
                and sound is not None
                and before.get(path) == mark
                and Path(path).parent in sound
                and _linked(held / path, draft / path)
            )
        ]
        storage.download(wanted, draft)
        if storage.listing() != marks:
            raise BadDataError("The evidence in storage is being changed at the moment.")
        notice = _checked(draft)
        copied_at = time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime())
        now = {"marks": marks, "notice": notice, "copied_at": copied_at}
        (draft / _ABOUT).write_text(json.dumps(now, indent=1), "utf-8")
        target = place / f"copy-{time.time_ns()}"
        draft.rename(target)
        pointer = place / f".{_CURRENT}-{os.getpid()}"
        pointer.write_text(target.name, "utf-8")
        pointer.replace(place / _CURRENT)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    _remove_others(place, keep={target, held})
    return Copy(target, notice, len(wanted))


def _sound(held: Path) -> set[Path] | None:
    """Return the snapshots of a copy, as paths in it; ``None`` where the copy was damaged."""
    try:
        catalogue.load(held / "catalogue")
    except BadDataError:
        return None
    good, faults = snapshots.check_all(held / "snapshots")
    return None if faults else {Path("snapshots", s.suite, s.revision) for s in good}


def _linked(old: Path, new: Path) -> bool:
    """Take a file of a snapshot from the last copy, where it is there."""
    new.parent.mkdir(parents=True, exist_ok=True)
    try:
        os.link(old, new)
    except OSError:
        # Gone, or a file system without links: it is downloaded.
        return False
    return True


def _checked(draft: Path) -> str:
    """Check a copy; remove the snapshots that are not whole, of which one must be, and say so."""
    try:
        catalogue.load(draft / "catalogue")
    except BadDataError as error:
        raise BadDataError(f"The evidence in storage is not whole. {error}") from None
    good, faults = snapshots.check_all(draft / "snapshots")
    if not good:
        why = faults[0].message if faults else "There is no snapshot."
        raise BadDataError(f"The evidence in storage is not whole. {why}")
    for fault in faults:
        shutil.rmtree(draft / "snapshots" / fault.suite / fault.revision)
    if not faults:
        return ""
    left_out = ", ".join(f"{fault.suite} {fault.revision}" for fault in faults)
    return f"In the storage of the evidence this is not whole yet, and was left out: {left_out}."


def _last_copy(place: Path) -> Path | None:
    try:
        name = (place / _CURRENT).read_text("utf-8")
    except OSError:
        return None
    found = place / name
    return found if name.startswith("copy-") and (found / _ABOUT).exists() else None


def _about(copy: Path) -> dict[str, Any]:
    try:
        return dict(json.loads((copy / _ABOUT).read_text("utf-8")))
    except (OSError, ValueError):
        return {}


def _remove_others(place: Path, keep: set[Path | None]) -> None:
    """Remove older copies, but not the last one: a page may be reading from it."""
    for other in (*place.glob("copy-*"), *place.glob(".draft-*")):
        if other not in keep:
            shutil.rmtree(other, ignore_errors=True)


class _Storage:
    """The folder at an address; whatever goes wrong there becomes one sentence."""

    def __init__(self, address: str) -> None:
        # Here since only a server with its data elsewhere needs it.
        import fsspec  # type: ignore[import-untyped]  # noqa: PLC0415

        try:
            self._files, root = fsspec.url_to_fs(address)
        except ImportError as error:
            raise BadRequestError(
                f"FORMULARY_DATA names a storage, and what reads it is not installed: {error}."
            ) from None
        except Exception as error:  # Each kind of storage has its own.
            raise BadRequestError(
                "FORMULARY_DATA names a storage that cannot be understood "
                f"({type(error).__name__})."
            ) from None
        self._root = root.rstrip("/") + "/"

    def listing(self) -> Marks:
        """Return the files of the data folder with what changes when they do."""
        try:
            self._files.invalidate_cache()
            marks: Marks = {}
            # Else a folder that cannot be listed would pass for an empty one.
            for folder, _, files in self._files.walk(self._root, on_error="raise"):
                for file in files:
                    name = f"{folder.rstrip('/')}/{file}"
                    path = name.removeprefix(self._root)
                    if _TAKEN.fullmatch(path):
                        marks[path] = str(self._files.checksum(name))
        except Exception as error:  # Each kind of storage has its own.
            raise self._fault(error) from None
        if not marks:
            raise BadDataError("There is no evidence in the storage.")
        return dict(sorted(marks.items()))

    def download(self, paths: list[str], folder: Path) -> None:
        """Bring files into a folder, under the same paths."""
        for path in paths:
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
        if not paths:
            return
        try:
            self._files.get([self._root + p for p in paths], [str(folder / p) for p in paths])
        except Exception as error:  # Each kind of storage has its own.
            raise self._fault(error) from None

    def _fault(self, error: Exception) -> BadDataError:
        # The kind alone: a message of a storage may repeat a key or a signed address.
        return BadDataError(
            f"The evidence in storage cannot be read at the moment ({type(error).__name__})."
        )


def _shown(address: str) -> str:
    """Return an address without the name, password or signature that it may hold."""
    with suppress(ValueError):
        parts = urlsplit(address)
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
    return "the storage"
