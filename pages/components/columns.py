"""The columns of all tables: how each is written and what it means, from ``columns.csv``.

A row of the file is about a column of one table; without a table, of every table that has it; and
without a column it says what the table holds, for who cannot see it.
"""

from __future__ import annotations

import csv
from collections.abc import Collection, Mapping
from pathlib import Path

import streamlit as st

_KINDS = {
    "number": st.column_config.NumberColumn,
    "text": st.column_config.TextColumn,
    "datetime": st.column_config.DatetimeColumn,
    "link": st.column_config.LinkColumn,
}


def _read(path: Path) -> dict[tuple[str, str], dict[str, object]]:
    """Return the settings by table and column."""
    found = {}
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            said: dict[str, object] = {k: row[k] for k in ("format", "help", "label") if row[k]}
            if width := row["width"]:
                said["width"] = int(width) if width.isdecimal() else width
            if row["pinned"]:
                said["pinned"] = True
            found[row["table"], row["column"]] = _KINDS[row["kind"]](**said)
    return found


COLUMNS = _read(Path(__file__).with_name("columns.csv"))


def held(table: str) -> str | None:
    """Return what a table holds, where the file says it."""
    return COLUMNS.get((table, ""), {}).get("help")


def config(
    table: str, columns: Collection[str], own: Mapping[str, object] | None = None
) -> dict[str, object]:
    """Return how the columns of a table are drawn.

    Parameters
    ----------
    table
        Its name in the file.
    columns
        The columns that it has.
    own
        What only the drawn table can say of a column: a whole setting, or the format alone.
    """
    found = {}
    for name in columns:
        if known := COLUMNS.get((table, name)) or COLUMNS.get(("", name)):
            found[name] = known
    for name, said in (own or {}).items():
        if name not in columns:
            continue
        if isinstance(said, str):
            before = found.get(name) or _KINDS["number"]()
            said = {**before, "type_config": {"type": "number", "format": said}}  # noqa: PLW2901
        found[name] = said
    return found
