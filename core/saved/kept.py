"""What is kept of a shortlist, and what its name and note may be.

A row that cannot be used is a ``BadDataError``, a name or note that cannot a ``BadRequestError``.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from core.domain import BadDataError, BadRequestError

KeptValue = str | int | float | None
KeptRow = dict[str, KeptValue]
"""One row of a shortlist, as its CSV has it."""

LONGEST_NAME = 120
LONGEST_NOTE = 2_000
LONGEST_OWNER = 320
"""As long as an e-mail address can be."""
LONGEST_QUERY = 60_000


@dataclass(frozen=True, slots=True)
class Saved:
    """What is known about a saved shortlist without its rows."""

    id: str
    name: str
    note: str
    query: str
    """The question, as the link to its page has it, from behind the ``?``."""
    evidence: str
    """Name of the evidence base."""
    priced_on: str
    """ISO day of the public prices behind its bills."""
    receipt: str
    """Number of the receipt; empty where none was given."""
    n_models: int
    first_model: str
    """Name of the first model; empty where none fitted."""
    saved_by: str
    """Who saved it; empty without a login."""
    saved_at: datetime
    changed_by: str
    changed_at: datetime
    shared: bool
    """Whether others who are logged in may see it."""
    version: int
    """Counts the changes, from 1."""


@dataclass(frozen=True, slots=True)
class Kept:
    """What a question and its answer were, to be saved."""

    query: str
    evidence: str
    priced_on: str
    receipt: str
    records: Sequence[Mapping[str, KeptValue]]


_NUMBER = (int, float, type(None))
_READ = {"model": (str,), "name": (str,), "monthly_cost_usd": _NUMBER}
_IN_ONE_SUITE = _READ | dict.fromkeys(("rank", "score", "n_benchmarks"), _NUMBER)
_OVER_ALL = _READ | dict.fromkeys(("grade", "platform"), (str,))
"""What is read of the rows that were saved, and its kind."""
DAMAGED = "What was saved of it cannot be read: its record in the database is damaged."


def usable(rows: list[KeptRow]) -> list[KeptRow]:
    """Return the rows of a saved shortlist, checked for what is read of them."""
    for row in rows:
        for key, kinds in (_OVER_ALL if "grade" in row else _IN_ONE_SUITE).items():
            if not isinstance(row.get(key, ...), kinds):
                raise BadDataError(DAMAGED)
    return rows


def may_change(saved: Saved, editor: str | None) -> bool:
    """Say whether somebody may rename or delete a saved shortlist."""
    return editor is None or saved.saved_by == editor


def named(name: str, note: str) -> dict[str, str]:
    """Return a name on one line and a note, both without characters that cannot be shown."""
    name = " ".join("".join(c if c.isprintable() else " " for c in name).split())
    note = "".join(c for c in note.replace("\r\n", "\n") if c.isprintable() or c in "\n\t").strip()
    if not 1 <= len(name) <= LONGEST_NAME:
        raise BadRequestError(
            f"A name has 1 to {LONGEST_NAME} characters; this one has {len(name):,}."
        )
    if len(note) > LONGEST_NOTE:
        raise BadRequestError(
            f"A note has at most {LONGEST_NOTE:,} characters; this has {len(note):,}."
        )
    return {"name": name, "note": note}
