"""What is due on kept lists: a review, the end of a sale, and an answer that has changed."""

from __future__ import annotations

import os
from datetime import timedelta
from typing import TYPE_CHECKING

from core.answers.documents import recorded_take, take_today
from core.domain import Due, FormularyError
from core.saved.shelf import found, open_database, records, sqlite_url

if TYPE_CHECKING:
    from datetime import date

    from core.domain.choice import Overdue
    from core.evidence.store import Store
    from core.saved.kept import Saved
    from core.saved.shelf import Database

_OVER = ("rejected", "retired")
_SAME_PRICE = 0.01
"""Costs within 1 % are equal."""


def saved_address(store: Store) -> str:
    """Return the address of the database of kept lists: ``FORMULARY_DATABASE_URL``, else a file.

    The file lies in the data folder, or beside the derived store where that was put elsewhere.
    """
    folder = store.path.parent if os.environ.get("FORMULARY_STORE") else store.data
    return os.environ.get("FORMULARY_DATABASE_URL") or sqlite_url(folder / "saved.sqlite")


def watch(store: Store, on: date, days: int) -> tuple[Due, ...]:
    """Return what is due on all kept lists within some days, in the order of the lists.

    A list that was rejected or retired has nothing due.
    """
    database = open_database(saved_address(store))
    lists, n_damaged = found(database, None)
    due = [
        each
        for one in lists
        if one.status not in _OVER
        for each in _due(store, database, one, on, days)
    ]
    damaged = Due("", "", "damaged", "", "", "It was written by another program, or is damaged.")
    return (*[damaged] * n_damaged, *due)


def _due(store: Store, database: Database, one: Saved, on: date, days: int) -> list[Due]:
    said: list[tuple[Overdue, str, str, str]] = []
    last = (on + timedelta(days=days)).isoformat()
    try:
        took = recorded_take(records(database, one.id, None))
        today = take_today(store, one.query, on)
    except FormularyError as error:
        said.append(("cannot be asked", "", "", " ".join(str(error).split())))
    else:
        if took:
            name, usd = str(took["name"]), took["monthly_cost_usd"]
            ends = str(took.get("on_sale_until") or "")
            if ends and ends <= last:
                said.append(("sale ends", ends, name, str(took["on_sale"])))
            if name != today.name:
                tests = ", ".join(today.test_these)
                said.append(("take", "", name, today.name or (tests and f"test {tests}")))
            elif usd != today.monthly_usd and not _alike(usd, today.monthly_usd):
                said.append(("price", "", _dollars(usd), _dollars(today.monthly_usd)))
    if one.review_by is not None and one.review_by.isoformat() <= last:
        said.append(("review", one.review_by.isoformat(), "", ""))
    return [Due(one.id, one.name, *each) for each in said]


def _alike(then: object, now: float | None) -> bool:
    return isinstance(then, float) and now is not None and abs(now - then) <= _SAME_PRICE * then


def _dollars(usd: object) -> str:
    return f"{usd:.2f}" if isinstance(usd, float) else ""
