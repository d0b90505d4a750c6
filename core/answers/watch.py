"""What is due on kept lists: the end of a sale, and an answer that has changed."""

from __future__ import annotations

import os
from datetime import date, timedelta

from core.answers.documents import (
    as_recorded,
    changes_between,
    closing_of_kept,
    ends_of_kept,
    take_today,
)
from core.domain import Altered, Due, FormularyError, Overdue
from core.evidence.store import Store
from core.saved.kept import Saved
from core.saved.shelf import Database, found, kept_records, open_database, sqlite_url
from core.words.shortlist import to_take


def saved_address(store: Store) -> str:
    """Return the address of the database of kept lists: ``FORMULARY_DATABASE_URL``, else a file.

    The file is in the data folder, or next to the derived store where that was put elsewhere.
    """
    folder = store.path.parent if os.environ.get("FORMULARY_STORE") else store.data
    return os.environ.get("FORMULARY_DATABASE_URL") or sqlite_url(folder / "saved.sqlite")


def watch(store: Store, day: date, days: int) -> tuple[Due, ...]:
    """Return what is due on all kept lists within some days, as ``due`` does for a reader."""
    return due(store, open_database(saved_address(store)), day, days, None)


def due(
    store: Store, database: Database, day: date, days: int, reader: str | None
) -> tuple[Due, ...]:
    """Return what is due within some days on the kept lists that a reader sees, in their order."""
    lists, n_damaged = found(database, reader)
    found_due = [each for one in lists for each in _due(store, database, one, day, days, reader)]
    damaged = Due("", "", "damaged", "", "", "It was written by another program, or is damaged.")
    return (*[damaged] * n_damaged, *found_due)


def _due(
    store: Store, database: Database, one: Saved, day: date, days: int, reader: str | None
) -> list[Due]:
    said: list[tuple[Overdue, str, str, str]] = []
    last = (day + timedelta(days=days)).isoformat()
    try:
        rows = kept_records(database, one.id, reader)
        took = as_recorded(store, rows)
        today = take_today(store, one.query, day, took.first)
    except FormularyError as error:
        said.append(("cannot be asked", "", "", " ".join(str(error).split())))
    else:
        said += [end for end in ends_of_kept(rows) if end[1] <= last]
        said += [("sale closes", *each) for each in closing_of_kept(rows) if each[0] <= last]
        told: dict[Altered, tuple[str, str]] = {
            "take": (to_take(took), to_take(today)),
            "price": (_dollars(took.monthly_usd), _dollars(today.monthly_usd)),
            "sale": (took.until, today.sale),
            "terms": (took.terms, today.terms),
            "evidence": (took.evidence, today.evidence),
        }
        said += [(what, "", *told[what]) for what in changes_between(took, today)]
    return [Due(one.id, one.name, *each) for each in said]


def _dollars(usd: float | None) -> str:
    return "" if usd is None else f"{usd:.2f}"
