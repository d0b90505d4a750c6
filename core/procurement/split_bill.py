"""The bill of models that share a workload: who answers which requests, and for how much."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from core.domain import Bill


@dataclass(frozen=True, slots=True)
class SplitLine:
    """One line of a shared bill."""

    requests: str
    """A task category, or a kind of request in a hospital's words."""
    category: str
    """The weighted category that sends these requests to the model; empty where none does."""
    model: str
    usd: float | None
    """US dollars a month; ``None`` where the model's bill is unknown."""


def split_bill(
    assignment: Sequence[tuple[str, str]],
    bills: Mapping[str, Bill | None],
    *,
    stand_in: str,
    kinds: Mapping[str, Sequence[str]] | None = None,
) -> tuple[SplitLine, ...]:
    """Send each line of a workload to the model of its category.

    Parameters
    ----------
    assignment : sequence of (category, model)
    bills
        Monthly bills of models for one workload, so that their lines have the same names; a
        missing or ``None`` bill is unknown.
    stand_in : str
        The model that answers requests of no category of the assignment.
    kinds
        Where lines are kinds of requests: the categories of each, the narrowest first. ``None``
        where lines are categories; a category without a line is then unknown, not free.

    Returns
    -------
    tuple of SplitLine
        In the order of the bills' lines; of the assignment where no model has a bill.
    """
    model_of = dict(assignment)
    names = next((tuple(dict(bill.lines)) for bill in bills.values() if bill), ())
    if kinds is None or not names:
        names = tuple(model_of)
    found = []
    for name in names:
        places = (kinds or {}).get(name, (name,))
        category = next((place for place in places if place in model_of), "")
        model = model_of.get(category, stand_in)
        bill = bills.get(model)
        usd = None if bill is None else dict(bill.lines).get(name)
        found.append(SplitLine(name, category, model, usd))
    return tuple(found)


def split_total(lines: Sequence[SplitLine]) -> float | None:
    """Add up a shared bill, in US dollars a month.

    ``None`` where a line is unknown. Also where no line is of any category that counts: then one
    model would answer everything, and the sum would be no bill of a combination.
    """
    known = [line.usd for line in lines if line.usd is not None]
    if len(known) < len(lines) or not any(line.category for line in lines):
        return None
    return math.fsum(known)
