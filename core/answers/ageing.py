"""Which of the evidence behind a question has grown old."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.answers.remembering import remembered
from core.evidence import staleness

if TYPE_CHECKING:
    from datetime import date

    from core.domain import Requirements
    from core.evidence.store import Store


@dataclass(frozen=True, slots=True)
class Aged:
    """The dates of what has grown old; ``""`` and ``None`` where it has not."""

    scores: str
    prices: date | None


def aged(store: Store, requirements: Requirements, today: date) -> Aged:
    """Say whether the scores of a question are over a year old, and the prices over 90 days.

    Prices count as old only where the question asks for those of today.
    """
    snapshot = store.snapshot(requirements.suite, requirements.revision)
    return Aged(
        scores=staleness.old_snapshot(snapshot, today),
        prices=None if requirements.prices_on else old_prices(store, today),
    )


@remembered(maxsize=4)
def old_prices(store: Store, today: date) -> date | None:
    """Return the day on which public prices were last checked, where that is over 90 days ago."""
    return staleness.old_prices(store, today)


@remembered(maxsize=4)
def old_suites(store: Store, today: date) -> tuple[tuple[str, str], ...]:
    """Return the suites whose newest scores are over a year old, each with its date."""
    return tuple(staleness.old_suites(store, today))
