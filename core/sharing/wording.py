"""Numbers and choices as the reader sees them, on the pages and in the documents alike.

Unknown is a word, never a number.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from core.procurement.reasons import dollars

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.domain import Bill, Equivalent, Requirements, Shortlist

UNKNOWN = "not known"


def points(share: float | None) -> str:
    """Write a score on the 0 to 1 scale as points out of 100."""
    return UNKNOWN if share is None else f"{share * 100:.1f}"


def signed_points(share: float | None) -> str:
    """Write a difference in points with its sign, a true minus for a loss."""
    return UNKNOWN if share is None else f"{share * 100:+.1f}".replace("-", "−")


def interval(low: float | None, high: float | None) -> str:
    """Write an interval in points, or that there is none."""
    if low is None or high is None:
        return "no interval"
    return f"{low * 100:.1f} to {high * 100:.1f}"


def signed_interval(low: float | None, high: float | None) -> str:
    """Write the interval of a difference in points."""
    if low is None or high is None:
        return "no interval"
    return f"{signed_points(low)} to {signed_points(high)}"


def signed_gaps(
    differences: Sequence[float], lows: Sequence[float], highs: Sequence[float]
) -> list[str]:
    """Write many differences, each with its interval in brackets; ``nan`` is unknown.

    As `signed_points` and `signed_interval` do, in a third of their time for thousands.
    """
    found = [
        f"{middle * 100:+.1f} ({low * 100:+.1f} to {high * 100:+.1f})"
        if low == low and high == high and middle == middle  # noqa: PLR0124 - nan is not itself
        else f"{UNKNOWN if math.isnan(middle) else f'{middle * 100:+.1f}'} (no interval)"
        for middle, low, high in zip(differences, lows, highs, strict=True)
    ]
    return "\n".join(found).replace("-", "−").split("\n") if found else []


def size(params_b: float | None) -> str:
    """Write a number of parameters."""
    return "size not disclosed" if params_b is None else f"{params_b:.3g} B parameters"


def sentence(text: str) -> str:
    """Begin with a capital and leave the rest as it is."""
    return text[:1].upper() + text[1:]


def money(bill: Bill | None) -> str:
    """Write a monthly bill, or that nobody prints a price."""
    return "no public price" if bill is None else f"about {dollars(bill.monthly_usd)} a month"


def counted(number: int, noun: str) -> str:
    """Write a count with its noun in the right number."""
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def list_of(names: list[str]) -> str:
    """Join names as a sentence does."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def question(requirements: Requirements, shortlist: Shortlist) -> str:
    """Say what is being asked, to begin a sentence with."""
    names = [name.lower() for name, _ in shortlist.weights]
    many = requirements.task == "balanced" or not 1 <= len(names) <= 3
    parts = ["For all task categories alike" if many else f"For {list_of(names)}"]
    if requirements.access == "open":
        parts.append("on your own servers")
    if requirements.max_params_b is not None:
        parts.append(f"up to {requirements.max_params_b:g} B parameters")
    if requirements.monthly_budget_usd is not None:
        parts.append(f"within ${requirements.monthly_budget_usd:,.0f} a month")
    limits = (requirements.max_retention_days, requirements.min_context_tokens)
    if conditions := len(requirements.gates) + sum(limit is not None for limit in limits):
        parts.append(f"under {counted(conditions, 'condition')} of purchase")
    if requirements.only:
        parts.append(f"among the {counted(len(requirements.only), 'model')} you chose")
    return ", ".join(parts)


def replacement(equivalent: Equivalent | None) -> str:
    """Name the smaller equivalent of a row, if there is one."""
    if equivalent is None:
        return "none found"
    return f"{equivalent.name}: {equivalent.verdict}"
