"""Which of the evidence has grown old: scores after a year, prices after 90 days."""

from __future__ import annotations

from datetime import date, timedelta
from typing import TYPE_CHECKING

from core.evidence.tables import is_date, rows

if TYPE_CHECKING:
    from core.domain import Snapshot
    from core.evidence.store import Store

OLD_SCORES = timedelta(days=365)
OLD_PRICES = timedelta(days=90)


def old_snapshot(snapshot: Snapshot, today: date) -> str:
    """Return the date of a snapshot's scores where that is more than a year ago, else "".

    The date is as the source gives it; a year or a month counts from its first day. An undated
    snapshot counts as of the day on which it was retrieved.
    """
    written, day = snapshot.as_of or snapshot.retrieved_at, day_of_scores(snapshot)
    return written if day is not None and today - day > OLD_SCORES else ""


def day_of_scores(snapshot: Snapshot) -> date | None:
    """Return the day of a snapshot's scores, by the rule above."""
    return _day(snapshot.as_of or snapshot.retrieved_at)


def old_suites(store: Store, today: date) -> list[tuple[str, str]]:
    """Return the suites whose newest snapshot is more than a year old, each with its date."""
    found = []
    for suite in store.catalogue.suites.values():
        newest = next(iter(store.of_suite(suite.id)), None)
        if newest and (written := old_snapshot(newest, today)):
            found.append((suite.name, written))
    return found


def old_prices(store: Store, today: date) -> date | None:
    """Return the day on which public prices were last checked, where that is over 90 days ago.

    It is the newest day in ``prices.csv`` of the catalogue, which names the entries of the
    price list.
    """
    path = store.data / "catalogue" / "prices.csv"
    days = [_day(row.cells["checked_on"]) for row in rows(path, ("checked_on",))]
    newest = max((day for day in days if day), default=None)
    return newest if newest is not None and today - newest > OLD_PRICES else None


def _day(text: str) -> date | None:
    """Read a day, a month or a year; ``None`` where it is none of these."""
    return date.fromisoformat(f"{text}-01-01"[:10]) if is_date(text) else None
