"""Saved shortlists: keep, list, open, change and take away, each for those who may.

Who asks is a name, or ``None`` for the person in front of a local run, who may see and change
everything. Others see their own and what was shared, and change only their own.
"""

from __future__ import annotations

import json
import uuid
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING

from sqlalchemy import ColumnElement, delete, func, insert, or_, select, true, update

from core.domain import BadDataError, BadRequestError
from core.saved.kept import DAMAGED, LONGEST_QUERY, Kept, Record, Saved, named, owner_name
from core.saved.tables import SHORTLISTS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy import Connection, Row

    from core.saved.database import Database
    from core.saved.kept import Cell

MOST_SAVED = 500
"""So many shortlists one owner may keep."""
_CHANGED_MEANWHILE = (
    "Somebody else has changed or deleted this shortlist in the meantime: look at it as it is "
    "now, then change it again."
)
_HEAD = tuple(column for column in SHORTLISTS.c if column.name != "records")


def save(
    database: Database, kept: Kept, *, name: str, note: str, owner: str, shared: bool = False
) -> Saved:
    """Save a shortlist; the new one has a new id.

    Raises
    ------
    BadRequestError
        When the name or the note is too long or empty, or the owner has ``MOST_SAVED`` already.
    BadDataError
        When the database cannot be written.
    """
    if len(kept.query) > LONGEST_QUERY:
        raise BadRequestError("This question is too long to be saved: choose fewer models.")
    owner, now = owner_name(owner), datetime.now(UTC)
    first = kept.records[0] if kept.records else {}
    row = {
        "id": uuid.uuid4().hex,
        **named(name, note),
        "query": kept.query,
        "evidence": kept.evidence,
        "priced_on": kept.priced_on,
        "receipt": kept.receipt,
        "records": _packed(kept.records),
        "n_models": len(kept.records),
        "first_model": str(first.get("name") or first.get("model") or ""),
        "saved_by": owner,
        "saved_at": now,
        "changed_by": owner,
        "changed_at": now,
        "shared": shared,
        "version": 1,
    }
    with database.writing(owner) as connection:
        count = select(func.count()).where(SHORTLISTS.c.saved_by == owner)
        if (connection.execute(count).scalar() or 0) >= MOST_SAVED:
            raise BadRequestError(
                f"There are {MOST_SAVED} saved shortlists already: delete one first."
            )
        connection.execute(insert(SHORTLISTS).values(row))
        return _saved(_head(connection, str(row["id"]), owner))


def listed(database: Database, reader: str | None) -> list[Saved]:
    """Return what a reader may see and can be read, the newest first; else as ``found``."""
    return found(database, reader)[0]


def found(database: Database, reader: str | None) -> tuple[list[Saved], int]:
    """Return what a reader may see, the newest first, and how many more are damaged.

    Raises
    ------
    BadDataError
        When the database cannot be read.
    """
    order = (SHORTLISTS.c.saved_at.desc(), SHORTLISTS.c.id)
    with database.reading() as connection:
        asked = select(*_HEAD).where(_visible(reader)).order_by(*order)
        try:
            return [_saved(row) for row in connection.execute(asked)], 0
        except (ValueError, TypeError):
            pass  # One is damaged: they are read one by one.
        keys = select(SHORTLISTS.c.id).where(_visible(reader)).order_by(*order)
        whole, damaged = [], 0
        for key in connection.execute(keys).scalars().all():
            try:
                whole.append(_saved(_head(connection, key, reader)))
            except (ValueError, TypeError):
                damaged += 1
        return whole, damaged


def records(database: Database, key: str, reader: str | None) -> list[Record]:
    """Return the rows of a saved shortlist as they were, best first.

    Raises
    ------
    BadRequestError
        When there is none, or the reader may not see it.
    BadDataError
        When the database cannot be read, or this record is damaged.
    """
    asked = select(SHORTLISTS.c.records).where(SHORTLISTS.c.id == key, _visible(reader))
    with database.reading() as connection:
        found = connection.execute(asked).scalar_one_or_none()
    if found is None:
        raise BadRequestError("There is no such saved shortlist any more.")
    return _unpacked(found)


def change(
    database: Database,
    key: str,
    version: int,
    *,
    name: str,
    note: str,
    shared: bool,
    editor: str | None,
) -> Saved:
    """Give a saved shortlist another name and note, or share it.

    Parameters
    ----------
    version
        The one that the editor has seen: where somebody else was faster, nothing is changed.

    Raises
    ------
    BadRequestError
        When the name or the note is unusable, it was changed meanwhile, or is not the editor's.
    BadDataError
        When the database cannot be written.
    """
    new = named(name, note)
    now, by = datetime.now(UTC), editor or ""
    with database.writing() as connection:
        done = connection.execute(
            update(SHORTLISTS)
            .where(SHORTLISTS.c.id == key, SHORTLISTS.c.version == version, _owned(editor))
            .values(**new, shared=shared, changed_at=now, changed_by=by, version=version + 1)
        )
        if done.rowcount != 1:
            raise BadRequestError(_CHANGED_MEANWHILE)
        return _saved(_head(connection, key, editor))


def remove(database: Database, key: str, version: int, *, editor: str | None) -> None:
    """Delete a saved shortlist for good.

    Raises
    ------
    BadRequestError
        When it was changed meanwhile, is gone, or is not the editor's.
    BadDataError
        When the database cannot be written.
    """
    with database.writing() as connection:
        done = connection.execute(
            delete(SHORTLISTS).where(
                SHORTLISTS.c.id == key, SHORTLISTS.c.version == version, _owned(editor)
            )
        )
        if done.rowcount != 1:
            raise BadRequestError(_CHANGED_MEANWHILE)


def _visible(reader: str | None) -> ColumnElement[bool]:
    if reader is None:
        return true()
    return or_(SHORTLISTS.c.saved_by == reader, SHORTLISTS.c.shared)


def _owned(editor: str | None) -> ColumnElement[bool]:
    return true() if editor is None else SHORTLISTS.c.saved_by == editor


def _head(connection: Connection, key: str, reader: str | None) -> Row[tuple[object, ...]]:
    asked = select(*_HEAD).where(SHORTLISTS.c.id == key, _visible(reader))
    return connection.execute(asked).one()


def _saved(row: Row[tuple[object, ...]]) -> Saved:
    """Return what a row holds.

    Raises
    ------
    ValueError
        When the row is damaged: SQLite takes any text for a number.
    """
    made = Saved(**row._mapping)
    date.fromisoformat(made.priced_on)
    if not (isinstance(made.n_models, int) and isinstance(made.version, int)):
        raise ValueError("no number")
    return made


def _packed(rows: Sequence[Mapping[str, Cell]]) -> str:
    """Write rows with each column's name once, since a leaderboard may have thousands."""
    columns = list(rows[0]) if rows else []
    cells = [[row[column] for column in columns] for row in rows]
    return json.dumps({"columns": columns, "rows": cells}, allow_nan=False, separators=(",", ":"))


def _unpacked(packed: str) -> list[Record]:
    try:
        found = json.loads(packed)
        return [dict(zip(found["columns"], row, strict=True)) for row in found["rows"]]
    except (ValueError, TypeError, KeyError):
        raise BadDataError(DAMAGED) from None
