"""From one database of saved things to another, such as from a file to PostgreSQL."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, Table, insert, select

from core.domain import BadDataError
from core.saved.tables import ASSUMPTIONS, SHORTLISTS

if TYPE_CHECKING:
    from core.saved.database import Database

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Copied:
    """What became of the entries of a database that was copied."""

    shortlists: int
    sets: int
    already_there: int
    """Entries of which the other database has the id, or, for a set, its owner's name for it."""
    damaged: int
    """Entries that cannot be read, and so were left where they are."""


def copy(source: Database, target: Database) -> Copied:
    """Copy all saved shortlists and sets, as they are, into another database.

    Nothing in either is changed or deleted, so it can be done again after it was interrupted, and
    again for what was saved meanwhile. Either all entries come over or none.

    Raises
    ------
    BadDataError
        When one database cannot be read or the other not written, or what was written does not
        come back as it was.
    """
    counts: dict[str, int] = {}
    there = damaged = 0
    with source.reading() as reading, target.writing() as writing:
        for table in (SHORTLISTS, ASSUMPTIONS):
            rows, unreadable = _rows(reading, table)
            held = {_name(table, row) for row in _rows(writing, table)[0]}
            held |= set(writing.execute(select(table.c.id)).scalars())
            new = [row for row in rows if held.isdisjoint({row["id"], _name(table, row)})]
            if new:
                writing.execute(insert(table), new)
            back = {row["id"]: row for row in _rows(writing, table)[0]}
            if any(back.get(row["id"]) != row for row in new):
                raise BadDataError(
                    "What was copied does not come back as it was, so nothing was copied."
                )
            counts[table.name] = len(new)
            there += len(rows) - len(new)
            damaged += unreadable
    return Copied(counts[SHORTLISTS.name], counts[ASSUMPTIONS.name], there, damaged)


def _name(table: Table, row: Row) -> object:
    """Return what may be there only once beside the id."""
    return (row["saved_by"], row["name"]) if table is ASSUMPTIONS else row["id"]


def _rows(connection: Connection, table: Table) -> tuple[list[Row], int]:
    """Return the rows of a table that can be read, and how many cannot."""
    found, damaged = [], 0
    for key in connection.execute(select(table.c.id).order_by(table.c.id)).scalars().all():
        try:
            row = connection.execute(select(table).where(table.c.id == key)).one()
            kinds = [column.type.python_type for column in table.c]
            if not all(isinstance(v, kind) for v, kind in zip(row, kinds, strict=True)):
                raise TypeError("a cell of another kind")
            found.append(dict(row._mapping))
        except (ValueError, TypeError):
            damaged += 1
    return found, damaged
