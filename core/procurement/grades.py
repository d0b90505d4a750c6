"""Grades: how many independent tests of a kind of work put a product in their upper third.

A line is what one suite says of one kind of work: the places of its products by that task's score.
A grade counts lines that agree. It is not a score, it is never carried to another version, and it
always comes with its lines.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from core.domain import Directness, Grade, Placed, Third

LEAST_PRODUCTS = 8
"""A line with fewer products says too little."""
OLDEST_MONTHS = 24
"""A line that is older does not count."""
_LAST = 2.0
"""Behind every share of places, which end at 1."""


def third_of(place: int, n: int) -> Third:
    """Return the third of a line in which a place lies.

    Upper up to n/3 and always the first; lower beyond 2n/3. Of equal values each has the better
    place.
    """
    if place <= max(1.0, n / 3):
        return "upper"
    return "lower" if place > 2 * n / 3 else "middle"


def grade_of(lines: Iterable[tuple[Directness, Third]]) -> Grade:
    """Return the grade of a product by its lines of a kind of work.

    - A: two or more direct lines upper, at least two thirds of the direct lines, none lower.
    - B: a direct line upper, none lower.
    - C: other direct lines; or a near line upper, none lower.
    - D: other near lines, or general ones only.
    - E: none.
    """
    found: dict[Directness, list[Third]] = {"direct": [], "near": [], "general": []}
    for kind, third in lines:
        found[kind].append(third)
    direct, near = found["direct"], found["near"]
    n_upper = direct.count("upper")
    if n_upper and "lower" not in direct:
        return "A" if n_upper >= 2 and 3 * n_upper >= 2 * len(direct) else "B"
    if direct or ("upper" in near and "lower" not in near):
        return "C"
    return "D" if near or found["general"] else "E"


def order_of(lines: Sequence[Placed], monthly_usd: float | None) -> tuple[float, ...]:
    """Return what orders products of one grade: smaller comes first.

    The mean share of places over direct lines, then over near ones, then over general ones, then
    the likely cost. What is missing comes last.
    """
    means = []
    for kind in ("direct", "near", "general"):
        shares = [line.share for line in lines if line.kind == kind]
        # Rounded, so that equal means summed in another order still tie.
        means.append(round(math.fsum(shares) / len(shares), 12) if shares else _LAST)
    return (*means, math.inf if monthly_usd is None else monthly_usd)


def stands_above(one: Mapping[str, int], other: Mapping[str, int]) -> bool:
    """Say whether one product has the better place in every direct line that both have.

    ``one`` and ``other`` are places by suite; without a shared line neither is above.
    """
    shared = one.keys() & other.keys()
    # A loop, since this is asked of every pair.
    for suite in shared:
        if one[suite] >= other[suite]:
            return False
    return bool(shared)


def direct_places(lines: Iterable[Placed]) -> dict[str, int]:
    """Return the places of a product in its direct lines, by suite."""
    return {line.tested.suite: line.place for line in lines if line.kind == "direct"}
