"""From one database of saved shortlists to another, such as from a file to PostgreSQL."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, insert, select

from core.domain import BadDataError
from core.saved.tables import SHORTLISTS

if TYPE_CHECKING:
    from core.saved.database import Database

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Copied:
    """What became of the entries of a database that was copied."""

    shortlists: int
    already_there: int
    """Entries of which the other database has the id."""
    damaged: int
    """Entries that cannot be read, and so were left where they are."""


def copy(source: Database, target: Database) -> Copied:
    """Copy all saved shortlists, as they are, into another database.

    Nothing in either is changed or deleted, so it can be done again after it was interrupted, and
    again for what was saved meanwhile. Either all entries come over or none.

    Raises
    ------
    BadDataError
        When one database cannot be read or the other not written, or what was written does not
        come back as it was.
    """
    with source.reading() as reading, target.writing() as writing:
        rows, damaged = _rows(reading)
        there = set(writing.execute(select(SHORTLISTS.c.id)).scalars())
        new = [row for row in rows if row["id"] not in there]
        if new:
            writing.execute(insert(SHORTLISTS), new)
        back = {row["id"]: row for row in _rows(writing)[0]}
        if any(back.get(row["id"]) != row for row in new):
            raise BadDataError(
                "What was copied does not come back as it was, so nothing was copied."
            )
    return Copied(len(new), len(rows) - len(new), damaged)


def _rows(connection: Connection) -> tuple[list[Row], int]:
    """Return the entries that can be read, and how many cannot."""
    found, damaged = [], 0
    keys = select(SHORTLISTS.c.id).order_by(SHORTLISTS.c.id)
    for key in connection.execute(keys).scalars().all():
        try:
            row = connection.execute(select(SHORTLISTS).where(SHORTLISTS.c.id == key)).one()
            kinds = [column.type.python_type for column in SHORTLISTS.c]
            if not all(isinstance(v, kind) for v, kind in zip(row, kinds, strict=True)):
                raise TypeError("a cell of another kind")
            found.append(dict(row._mapping))
        except (ValueError, TypeError):
            damaged += 1
    return found, damaged
