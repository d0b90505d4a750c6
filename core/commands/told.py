"""What every command takes and tells, and how that is printed."""

import argparse
import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, date, datetime
from pathlib import Path

from core.domain import BadRequestError, Snapshot
from core.evidence.store import Store, open_store

Arguments = argparse.Namespace
TableRows = Sequence[Mapping[str, object]]
Told = tuple[object, TableRows] | tuple[object, TableRows | None, Sequence[str]] | None
"""What a command answers: its document, and for people its table, if any, with lines before it."""
Command = Callable[[Arguments], Told]
Add = Callable[[str, Command, str], argparse.ArgumentParser]
_WIDEST = 70
BAD_DATA = 3
"""Exit status where the data, or a source of it, is at fault."""


def print_document(
    document: object, table: TableRows | None, lines: Sequence[str] = (), *, as_json: bool
) -> None:
    """Print the document as JSON, or lines and its main table for people."""
    if as_json:
        lines = [json.dumps(_clean(document), ensure_ascii=False, indent=1, allow_nan=False)]
    elif table:
        lines = [*lines, *_in_columns(table)]
    elif table is not None:
        lines = [*lines, "Nothing to show."]
    print(*lines, sep="\n")


def _in_columns(table: TableRows) -> list[str]:
    """Write rows below the names of their columns, to the right, each cell cut at 70 characters."""
    names = list(dict.fromkeys(name for row in table for name in row))
    cells = [names, *([_cell(row.get(name)) for name in names] for row in table)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return [" ".join(map(str.rjust, line, widths)) for line in cells]


def _cell(value: object) -> str:
    if isinstance(value, float):
        # Six digits, but no large amount in powers of ten.
        value = f"{value:{'.6g' if abs(value) < 1e5 else '.0f'}}" if math.isfinite(value) else ""
    text = " ".join(str("" if value is None else value).split())
    return text if len(text) <= _WIDEST else f"{text[: _WIDEST - 3]}..."


def _clean(value: object) -> object:
    """Turn numbers that JSON cannot hold into null: a gap is never a number."""
    if isinstance(value, dict):
        return {key: _clean(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_clean(item) for item in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value


def manifests(*found: Snapshot | None) -> list[dict[str, object]]:
    """Return the manifests of the snapshots behind a result."""
    return [asdict(snapshot) for snapshot in found if snapshot is not None]


def opened_store(arguments: Arguments) -> Store:
    """Open the store; what is wrong with a snapshot becomes a warning."""
    store = open_store()
    arguments.warnings += [fault.message for fault in store.faults]
    return store


def today() -> date:
    """Return the day on which prices are asked."""
    return datetime.now(UTC).date()


def file_name(text: str) -> Path:
    """Read the name of a file; one that cannot be looked up, such as too long a one, is refused."""
    path = Path(text)
    try:
        path.exists()
    except OSError as error:
        raise argparse.ArgumentTypeError(f"{text[:80]}: {error.strerror}") from None
    return path


def there(path: Path) -> Path:
    """Return the path of a file that is read, if it is there."""
    if not path.exists():
        raise BadRequestError(f"{path} is not there.")
    return path


def write_file(path: Path, content: bytes) -> None:
    """Write what a command makes; what stops it is one sentence."""
    try:
        path.write_bytes(content)
    except OSError as error:
        raise BadRequestError(f"{path} cannot be written: {error.strerror}.") from None


def in_lines(document: Mapping[str, object]) -> list[dict[str, object]]:
    """Return a document as a table for people, a line a key."""
    return [{"what": key, "value": value} for key, value in document.items()]
