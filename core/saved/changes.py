"""What differs between two shortlists, row by row."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from core.saved.kept import Cell

What = Literal["new", "gone", "changed", "same"]
_CLOSE = 1e-9
"""Relative: machines may differ in the last digits of a score, and that is no change."""


@dataclass(frozen=True, slots=True)
class Standing:
    """Where one model stood. ``None`` is not ranked or not known, never zero."""

    rank: int | None
    score: float | None
    n_benchmarks: int | None
    monthly_usd: float | None
    price_as_of: str | None


@dataclass(frozen=True, slots=True)
class Moved:
    """One model in two shortlists; ``None`` where a shortlist does not have it."""

    model: str
    name: str
    before: Standing | None
    after: Standing | None
    what: What
    rank: bool
    """Whether the rank differs; never for a model that is in one list only."""
    score: bool
    bill: bool


@dataclass(frozen=True, slots=True)
class Differences:
    """All models of two shortlists, those of the second first, in their order."""

    rows: tuple[Moved, ...]
    order_changed: bool
    """Whether the models that both have stand in another order."""

    @property
    def new(self) -> tuple[Moved, ...]:
        """Return the models that only the second list has."""
        return tuple(row for row in self.rows if row.what == "new")

    @property
    def gone(self) -> tuple[Moved, ...]:
        """Return the models that only the first list has."""
        return tuple(row for row in self.rows if row.what == "gone")

    @property
    def changed(self) -> tuple[Moved, ...]:
        """Return every model about which anything differs."""
        return tuple(row for row in self.rows if row.what != "same")


def compare(
    before: Sequence[Mapping[str, Cell]], after: Sequence[Mapping[str, Cell]]
) -> Differences:
    """Hold two shortlists against each other, each as the records of its CSV.

    A bill differs where the amount does, or where one list knows a price and the other does
    not. Figures that agree to nine digits are the same.
    """
    was, now = ({str(row["model"]): row for row in rows} for rows in (before, after))
    rows = tuple(
        _moved(model, was.get(model), now.get(model)) for model in dict.fromkeys([*now, *was])
    )
    both = [model for model in was if model in now]
    return Differences(rows, both != [model for model in now if model in was])


def _moved(
    model: str, before: Mapping[str, Cell] | None, after: Mapping[str, Cell] | None
) -> Moved:
    name = str((after or before or {}).get("name") or model)
    was, now = _standing(before), _standing(after)
    if was is None or now is None:
        return Moved(model, name, was, now, "gone" if now is None else "new", False, False, False)
    rank = was.rank != now.rank
    score = not _same(was.score, now.score) or was.n_benchmarks != now.n_benchmarks
    bill = not _same(was.monthly_usd, now.monthly_usd)
    what: What = "changed" if rank or score or bill else "same"
    return Moved(model, name, was, now, what, rank, score, bill)


def _standing(record: Mapping[str, Cell] | None) -> Standing | None:
    if record is None:
        return None
    rank, count, day = record["rank"], record["n_benchmarks"], record.get("price_as_of")
    score, bill = record["score"], record["monthly_cost_usd"]
    return Standing(
        rank=None if rank is None else int(rank),
        score=None if score is None else float(score),
        n_benchmarks=None if count is None else int(count),
        monthly_usd=None if bill is None else float(bill),
        price_as_of=None if day is None else str(day),
    )


def _same(before: float | None, after: float | None) -> bool:
    if before is None or after is None:
        return before is after
    return math.isclose(before, after, rel_tol=_CLOSE, abs_tol=1e-12)
