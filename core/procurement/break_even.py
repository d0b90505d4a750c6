"""From how many requests a month own servers cost less than paying per token."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from core.domain import BadRequestError

if TYPE_CHECKING:
    from core.domain import FloatArray

_POINTS = 201


@dataclass(frozen=True, slots=True, eq=False)
class BreakEven:
    """Where two bills meet, and both bills over a range of volumes."""

    requests: float | None
    """Lowest volume a month at which both cost the same; ``None`` where there is none or it is
    not known whether the servers can serve it."""
    at_least: float
    """Below this volume the price per token is cheaper for certain, whatever the servers can
    serve: it is where the bill reaches the cost of one set."""
    for_good: float | None
    """Volume from which own servers never cost more again, steps included; ``None`` as above."""
    capacity: float | None
    """Requests a month that one set serves; ``None`` where it is unknown."""
    reason: str
    """What the figures say, in one sentence."""
    volumes: FloatArray
    """Requests a month, shape (n,)."""
    api_usd: FloatArray
    """US dollars a month for each volume."""
    hosting_usd: FloatArray
    """The same on own servers: one more set for each time that the capacity is used up; the
    cost of one set throughout where the capacity is unknown."""


def break_even(
    api_usd_per_request: float,
    set_usd_per_month: float,
    capacity: float | None,
    *,
    up_to: float | None = None,
) -> BreakEven:
    """Find the monthly volume at which own servers cost the same as paying per token.

    With a price a per request, a cost H of one set of GPUs and a capacity C of requests a
    month, n requests cost a n there and H ceil(n / C) here. Within the k-th set both are equal
    at n = k H / a, which the sets can serve where H / a <= C. After each further set the price
    per token may be cheaper again for a while, until k >= H / (a C - H).

    Parameters
    ----------
    api_usd_per_request : float
        US dollars of one request of mean length.
    set_usd_per_month : float
        US dollars a month for one set of GPUs that runs the model.
    capacity : float or None
        Requests a month that one set serves at the utilisation assumed.
    up_to : float, optional
        Largest volume of the curves; without it, twice the volume where the bills meet, or
        would meet.

    Returns
    -------
    BreakEven
        No volume where the capacity is unknown: then only ``at_least`` is certain.

    Raises
    ------
    BadRequestError
        If a figure is not above 0.
    """
    for what, value in (
        ("The price of a request", api_usd_per_request),
        ("The cost of a set of GPUs", set_usd_per_month),
        ("The capacity", 1.0 if capacity is None else capacity),
        ("The largest volume", 1.0 if up_to is None else up_to),
    ):
        if not 0 < value < math.inf:
            raise BadRequestError(f"{what} must be above 0, not {value:g}.")
    least = set_usd_per_month / api_usd_per_request
    requests = for_good = None
    if capacity is None:
        reason = (
            f"Below {least:,.0f} requests a month the price per token is cheaper for certain. "
            "Whether one set of GPUs can serve more is not known."
        )
    elif least > capacity:
        reason = (
            f"Never: one set of GPUs serves {capacity:,.0f} requests a month, and it would take "
            f"{least:,.0f} to pay for it."
        )
    else:
        requests = least
        spare = api_usd_per_request * capacity - set_usd_per_month
        if spare > 0:
            for_good = max(1, math.ceil(set_usd_per_month / spare)) * least
        reason = f"From {least:,.0f} requests a month on, own servers cost no more."
        if for_good is None or for_good > least:
            reason += " Each further set of GPUs can make the price per token cheaper for a while."
    volumes = np.linspace(0.0, 2 * least if up_to is None else up_to, _POINTS)
    sets = np.ones_like(volumes) if capacity is None else np.ceil(volumes / capacity).clip(min=1)
    api_usd, hosting_usd = volumes * api_usd_per_request, sets * set_usd_per_month
    for array in (volumes, api_usd, hosting_usd):
        array.setflags(write=False)
    return BreakEven(requests, least, for_good, capacity, reason, volumes, api_usd, hosting_usd)
