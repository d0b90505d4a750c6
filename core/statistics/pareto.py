"""The Pareto frontier of quality and cost: what nothing else both matches and undercuts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from core.domain import BadRequestError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from core.domain import FloatArray


def frontier(quality: FloatArray, cost: FloatArray) -> NDArray[np.bool_]:
    """Say which options no other dominates.

    One option dominates another when it is at least as good and costs at most as much, and is
    strictly better in one of the two. Options that are equal in both are all kept. An option
    whose quality or cost is ``nan``, unknown, is never on the frontier and dominates nobody.
    """
    on = np.zeros(len(quality), dtype=bool)
    known = _known(quality, cost)
    order = known[np.lexsort((-quality[known], cost[known]))]
    best = -np.inf
    start = 0
    while start < len(order):
        # Of one price, only the best count, and only if nothing cheaper is as good.
        same = order[start:][cost[order[start:]] == cost[order[start]]]
        top = quality[same[0]]
        if top > best:
            on[same[quality[same] == top]] = True
            best = top
        start += len(same)
    return on


def dominated_by(quality: FloatArray, cost: FloatArray) -> NDArray[np.intp]:
    """Name, for each option, the best option of the frontier that dominates it.

    Position of the frontier's option with the highest quality among those that cost at most as
    much, the first of several equal ones; −1 for an option on the frontier or unknown.
    """
    on = frontier(quality, cost)
    result = np.full(len(quality), -1, dtype=np.intp)
    steps = np.flatnonzero(on)
    # Along the frontier quality rises with cost; stable, so that equal ones keep their order.
    steps = steps[np.argsort(cost[steps], kind="stable")]
    for i in _known(quality, cost):
        if not on[i]:
            affordable = steps[: np.searchsorted(cost[steps], cost[i], side="right")]
            top = quality[affordable[-1]]
            result[i] = affordable[np.flatnonzero(quality[affordable] == top)[0]]
    return result


def _known(quality: FloatArray, cost: FloatArray) -> NDArray[np.intp]:
    if quality.shape != cost.shape:
        raise BadRequestError(
            f"Quality and cost must be of the same options; there are {len(quality)} and "
            f"{len(cost)}."
        )
    return np.flatnonzero(~(np.isnan(quality) | np.isnan(cost)))
