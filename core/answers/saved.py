"""A saved shortlist as it was, as it would come out again, and as it is today."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date
from typing import TYPE_CHECKING

from core.answers.choice import shortlist_link
from core.answers.documents import shortlist_records
from core.domain import BadRequestError
from core.saved.changes import Differences, compare
from core.saved.kept import Kept
from core.sharing import link

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from core.evidence.store import Store
    from core.saved.kept import Cell, Saved
    from core.sharing.link import Opened


@dataclass(frozen=True, slots=True)
class Since:
    """What has changed since a shortlist was saved."""

    notes: tuple[str, ...]
    """What of its question can no longer be used, such as evidence that is not here."""
    again: Differences
    """From what was saved to the same question today, on the same evidence and prices. Anything
    here was changed by the program, the catalogue or a hospital's own results."""
    today: Differences
    """From what was saved to today's evidence at today's prices."""
    revision_then: str
    revision_today: str
    priced_then: date
    priced_today: date

    @property
    def newer_evidence(self) -> bool:
        """Return whether today's snapshot is another than that of the saved question."""
        return self.revision_then != self.revision_today


def to_keep(store: Store, opened: Opened, on: date, receipt: str = "") -> Kept:
    """Return what is saved of a question and its shortlist at the public prices of a day.

    Raises
    ------
    BadRequestError
        When no page shows the question.
    """
    address = shortlist_link(store, opened.requirements, on)
    if not address:
        raise BadRequestError("No page shows this question, so it cannot be kept.")
    return Kept(
        query=address.removeprefix("?"),
        evidence=opened.evidence.name,
        priced_on=on.isoformat(),
        receipt=receipt,
        records=shortlist_records(store, opened.requirements, on, address),
    )


def since(store: Store, saved: Saved, records: Sequence[Mapping[str, Cell]], on: date) -> Since:
    """Compare a saved shortlist with the same question asked again, then and today.

    Parameters
    ----------
    records
        The rows that were saved.
    on
        The day of today's public prices.

    Raises
    ------
    BadRequestError, BadDataError
        When the question cannot be asked any more, as for ``shortlist``.
    """
    opened = link.from_query(link.parse_url(f"?{saved.query}"), store.catalogue, store.snapshots)
    asked = opened.requirements
    then = date.fromisoformat(saved.priced_on)
    newest = replace(asked, revision="", prices_on="")
    return Since(
        notes=opened.notes,
        again=compare(records, shortlist_records(store, asked, then)),
        today=compare(records, shortlist_records(store, newest, on)),
        revision_then=store.snapshot(asked.suite, asked.revision).revision,
        revision_today=store.snapshot(asked.suite).revision,
        priced_then=then,
        priced_today=on,
    )
