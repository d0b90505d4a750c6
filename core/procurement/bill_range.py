"""A monthly bill with its low and its high case, under two stated assumptions.

The likely case is the bill as the shortlist has it. Written tokens come from MedHELM's maximum,
so the likely bill is an upper estimate in that respect, and only the low case takes less. Hidden
reasoning comes on top, with a low, a likely and a high figure of its own.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from core.domain import BadRequestError
from core.procurement.costs import UPPER_BOUND, bills
from core.procurement.prices import request_cost_usd

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.domain import Bill, Price, TokenProfile, WorkloadLine
    from core.procurement.costs import RequestCost

Case = Literal["low", "likely", "high"]
MONTHS = 12


@dataclass(frozen=True, slots=True)
class BillAssumptions:
    """How far the true workload may be from the stated one."""

    volume_error: float = 0.2
    """How far requests may be above or below the stated number, as a share of it."""
    low_output_share: float = 0.5
    """Share of the allowed output that is really written in the low case."""


@dataclass(frozen=True, slots=True)
class BillRange:
    """One model's bill in three cases, each with the provider that it is at."""

    low: Bill
    likely: Bill
    high: Bill


def bill_range(
    prices: Sequence[Price],
    lines: Sequence[WorkloadLine],
    assumptions: BillAssumptions,
    *,
    request_cost: RequestCost = request_cost_usd,
) -> BillRange | None:
    """Work out a month's bill of one model, low, likely and high.

    Low is at the provider that is cheapest for the low workload: fewer requests, of the output
    that was allowed only a share, and little hidden reasoning. Likely is at the provider that is
    cheapest for the stated workload. High is at the provider that is dearest for the high
    workload: more requests, all of the output, and as much reasoning as was allowed. Output that
    the user set is taken as it is in every case.

    Parameters
    ----------
    prices : sequence of Price
        Prices of the one model, one per provider that may be used.
    lines : sequence of WorkloadLine
        The stated workload of a month.
    assumptions : BillAssumptions
        The two shares.
    request_cost : callable, optional
        As for `core.procurement.costs.bill`.

    Returns
    -------
    BillRange or None
        ``None`` where there is no price, which is unknown and not free. The likely bill equals
        that of `core.procurement.costs.bill`, and low <= likely <= high where a longer answer
        never costs less.

    Raises
    ------
    BadRequestError
        If the volume error is not from 0 to below 1, the share of output is not above 0 and at
        most 1, or as `core.procurement.costs.bills` raises it.
    """
    likely = bills(prices, lines, request_cost=request_cost)
    fewer, more = low_lines(lines, assumptions), high_lines(lines, assumptions)
    if not likely:
        return None
    low = bills(prices, fewer, request_cost=request_cost)
    high = bills(prices, more, request_cost=request_cost)
    # Among equals the first of the list, as for the cheapest.
    dearest = max(high, key=lambda each: each.monthly_usd)
    return BillRange(low[0], likely[0], dearest)


def low_lines(
    lines: Sequence[WorkloadLine], assumptions: BillAssumptions
) -> tuple[WorkloadLine, ...]:
    """Return the workload of the low case; errors as for `bill_range`."""
    _check(assumptions)
    return tuple(
        replace(
            line,
            requests_per_month=line.requests_per_month * (1 - assumptions.volume_error),
            profile=case_profile(line.profile, "low", assumptions.low_output_share),
        )
        for line in lines
    )


def high_lines(
    lines: Sequence[WorkloadLine], assumptions: BillAssumptions
) -> tuple[WorkloadLine, ...]:
    """Return the workload of the high case; errors as for `bill_range`."""
    _check(assumptions)
    return tuple(
        replace(
            line,
            requests_per_month=line.requests_per_month * (1 + assumptions.volume_error),
            profile=case_profile(line.profile, "high"),
        )
        for line in lines
    )


def case_profile(profile: TokenProfile, reasoning: Case, output_share: float = 1.0) -> TokenProfile:
    """Return a profile with the hidden reasoning of one case as the likely one.

    Of a visible answer that is an upper bound, only a share is taken.
    """
    hidden = profile.hidden
    return replace(
        profile,
        output_tokens=profile.output_tokens * (output_share if is_upper_bound(profile) else 1.0),
        hidden=hidden and replace(hidden, likely=getattr(hidden, reasoning)),
    )


def is_upper_bound(profile: TokenProfile) -> bool:
    """Say whether the output of a profile is what was allowed, not what the user set."""
    return profile.basis.endswith(UPPER_BOUND)


def _check(assumptions: BillAssumptions) -> None:
    error, share = assumptions.volume_error, assumptions.low_output_share
    if not 0 <= error < 1:
        raise BadRequestError(f"The volumes may be off by 0 to 99 %, not {error * 100:g} %.")
    if not 0 < share <= 1:
        raise BadRequestError(
            f"The share of output must be above 0 and at most 100 %, not {share * 100:g} %."
        )
