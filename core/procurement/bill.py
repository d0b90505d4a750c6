"""What a month of work costs: by the token, or on own servers, with a range.

An unknown price gives no bill, never 0. Written tokens come from MedHELM's maximum, so the likely
bill is an upper estimate in that respect, and only the low case takes less.

Two things make the range of a monthly cost, and they differ in kind. Of one of them nobody knows
the figure, but it is the same for every model: the share of the allowed answer that is really
written, or the rent of one kind of GPU. The other is each model's own: hidden reasoning, or how
many GPUs it takes. A saving holds the first alike for both models, and lets the second vary for
each by itself.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from core.domain import (
    BadRequestError,
    Bill,
    MonthlyCost,
    Price,
    Saving,
    TokenProfile,
    WorkloadLine,
)
from core.procurement.gates import SELF_HOSTED
from core.procurement.prices import request_cost_usd
from core.procurement.reasons import UNPUBLISHED
from core.procurement.workload import UPPER_BOUND, check_positive

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from core.procurement.hosting import HourlyPrice

    RequestCost = Callable[[Price, float, float], float]

Case = Literal["low", "likely", "high"]
MONTHS = 12
OWN_SERVERS = "own servers"
CASES: tuple[Case, ...] = ("low", "likely", "high")


def bills(
    prices: Sequence[Price],
    lines: Sequence[WorkloadLine],
    *,
    request_cost: RequestCost = request_cost_usd,
) -> tuple[Bill, ...]:
    """Work out what a workload costs a month with one model at each of its providers.

    A bill is the sum over lines, of which there must be one, of requests times the cost of one
    request of that line's mean length, with the likely hidden reasoning of a model that reasons
    among the tokens written. Cheapest first, equals in the order of ``prices``; empty where there
    is no price, which means unknown.

    Parameters
    ----------
    request_cost
        US dollars of one request, from a price, input tokens and output tokens. The default looks
        the public price up with its tiers for long requests; give `flat_request_cost_usd` for
        prices typed in by hand.
    """
    if not lines:
        raise BadRequestError("A bill needs a workload of at least one line.")
    if len({price.model for price in prices}) > 1:
        raise BadRequestError("A bill is for one model; the prices are of several.")
    for line in lines:
        check_positive(f"Requests per month of {line.category}", line.requests_per_month)
        check_positive(f"Input tokens of {line.category}", line.profile.input_tokens)
        check_positive(f"Output tokens of {line.category}", line.profile.output_tokens)
    found = [_bill_at(price, lines, request_cost) for price in prices]
    return tuple(sorted(found, key=lambda each: each.monthly_usd))


def flat_request_cost_usd(price: Price, input_tokens: float, output_tokens: float) -> float:
    """Return US dollars of one request at the printed rates alone, whatever its length."""
    input_usd = input_tokens * price.input_usd_per_mtok
    return (input_usd + output_tokens * price.output_usd_per_mtok) / 1e6


def _bill_at(price: Price, lines: Sequence[WorkloadLine], request_cost: RequestCost) -> Bill:
    usd = tuple(
        (
            line.category,
            line.requests_per_month
            * request_cost(price, line.profile.input_tokens, line.profile.written_tokens),
        )
        for line in lines
    )
    return Bill(price.model, math.fsum(amount for _, amount in usd), usd, price)


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

    Without a price there is no bill: that is unknown, and not free. The likely bill equals that of
    `bills`, and low <= likely <= high where a longer answer never costs less.
    """
    likely = bills(prices, lines, request_cost=request_cost)
    error, share = assumptions.volume_error, assumptions.low_output_share
    if not 0 <= error < 1:
        raise BadRequestError(f"The volumes may be off by 0 to 99 %, not {error * 100:g} %.")
    if not 0 < share <= 1:
        raise BadRequestError(
            f"The share of output must be above 0 and at most 100 %, not {share * 100:g} %."
        )
    if not likely:
        return None
    fewer, more = (
        case_lines(lines, "low", share, 1 - error),
        case_lines(lines, "high", 1, 1 + error),
    )
    low = bills(prices, fewer, request_cost=request_cost)
    high = bills(prices, more, request_cost=request_cost)
    # Among equals the first of the list, as for the cheapest.
    dearest = max(high, key=lambda each: each.monthly_usd)
    return BillRange(low[0], likely[0], dearest)


def case_lines(
    lines: Sequence[WorkloadLine], case: Case, output_share: float, volume: float = 1.0
) -> tuple[WorkloadLine, ...]:
    """Return a workload with the hidden reasoning of one case as the likely one.

    Of the requests ``volume`` times the stated number is taken, and of a visible answer that is
    what was allowed, not what the user set, only a share.
    """

    def profile_of(line: WorkloadLine) -> TokenProfile:
        profile, hidden = line.profile, line.profile.hidden
        share = output_share if profile.basis.endswith(UPPER_BOUND) else 1.0
        return replace(
            profile,
            output_tokens=profile.output_tokens * share,
            hidden=hidden and replace(hidden, likely=getattr(hidden, case)),
        )

    return tuple(
        replace(line, requests_per_month=line.requests_per_month * volume, profile=profile_of(line))
        for line in lines
    )


def unknown_cost(model: str, why: str) -> MonthlyCost:
    """Return the cost of a model of which none is known, with the reason."""
    return MonthlyCost(model, "unknown", None, None, None, "", "", "", "", why)


def measured_cost(model: str, usd: float, requests: float, suite: str) -> MonthlyCost:
    """Return what so many tasks cost where each costs what a suite's run of the model took."""
    likely = usd * requests
    return MonthlyCost(
        model=model,
        cost_is="measured",
        low=likely,
        likely=likely,
        high=likely,
        from_whom=f"what a task cost in {suite}",
        provider="",
        platform="",
        as_of="",
        basis=f"${usd:,.2f} a task, the mean that {suite} recorded for the model with its agent",
        figures=((likely,) * len(CASES),),
    )


def bill_cost(
    price: Price,
    lines: Sequence[WorkloadLine],
    *,
    platform: str,
    request_cost: RequestCost = request_cost_usd,
) -> MonthlyCost:
    """Return what a model costs by the token at one provider.

    Likely: the whole answer that was allowed, and likely reasoning, as in `bills`. Low: half of an
    answer that is an upper bound, and little reasoning. High: the whole answer, and as much
    reasoning as was allowed. The number of requests is taken as stated.
    """
    figures = tuple(
        tuple(
            _bill_at(price, case_lines(lines, case, share), request_cost).monthly_usd
            for case in CASES
        )
        for share in (BillAssumptions().low_output_share, 1.0)
    )
    hidden = next((line.profile.hidden for line in lines if line.profile.hidden), None)
    reasoning = f"; hidden reasoning {hidden.basis}" if hidden else ""
    return MonthlyCost(
        model=price.model,
        cost_is="bill",
        low=figures[0][0],
        likely=figures[1][1],
        high=figures[1][2],
        from_whom=price.provider_name,
        provider=price.provider,
        platform=platform,
        as_of=price.as_of,
        basis=f"{price.source}; tokens: {lines[0].profile.basis}{reasoning}",
        figures=figures,
        shared="the answer",
    )


def servers_cost(
    model: str,
    hourly: HourlyPrice,
    gpus: tuple[int, int, int],
    sets: tuple[int, int, int] | None,
    *,
    hours: float,
    bits: int,
    load: str,
) -> MonthlyCost:
    """Return what a model costs on rented GPUs of one kind: GPUs x sets x rent x paid hours.

    ``gpus`` hold one copy and ``sets`` are the copies that serve the load, low, likely and high;
    ``load`` says in words what is known of it. A case never has fewer GPUs than the one below it,
    where a copy on more GPUs needs fewer sets. Where ``sets`` are not known, the cost is at least
    that of one at the likely rent, and no more is known.
    """
    known, sets = sets is not None, sets or (1, 1, 1)
    totals: list[int] = []
    for each, copies in zip(gpus, sets, strict=True):
        totals.append(max(each * copies, *totals[-1:], 1))
    rents = (hourly.low, hourly.likely, hourly.high)
    figures = tuple(tuple(rent * hours * number for number in totals) for rent in rents)
    likely = f"{sets[1]} sets of {gpus[1]}" if sets[1] > 1 else f"{gpus[1]}"
    return MonthlyCost(
        model=model,
        cost_is="own servers",
        low=figures[0][0] if known else figures[1][1],
        likely=figures[1][1] if known else None,
        high=figures[2][2] if known else None,
        from_whom=f"own servers: {likely} × {hourly.gpu}{'' if known else UNPUBLISHED}",
        provider=OWN_SERVERS,
        platform=SELF_HOSTED,
        as_of=hourly.newest,
        basis=(
            f"rent of {hourly.gpu}, ${hourly.low:g} to ${hourly.high:g} an hour, likely "
            f"${hourly.likely:g}, for {hours:g} hours, weights at {bits} bits; {load}"
        ),
        figures=figures if known else (),
        shared=hourly.gpu,
        gpu=hourly.gpu,
    )


def saving(model: MonthlyCost, candidate: MonthlyCost) -> Saving | None:
    """Return what a candidate saves a month against a model.

    Likely is the difference of the two likely costs. Low and high are the least and the most over
    all cases: what both costs share is the same in both, what is each model's own varies by
    itself. Costs that share nothing, such as a bill and own servers, both vary by themselves.
    Where one of the two is unknown there is no saving, and no loss.
    """
    if model.likely is None or candidate.likely is None:
        return None
    if model.shared == candidate.shared:
        pairs = list(zip(model.figures, candidate.figures, strict=True))
    else:
        pairs = [(mine, other) for mine in model.figures for other in candidate.figures]
    return Saving(
        low=min(min(mine) - max(other) for mine, other in pairs),
        likely=model.likely - candidate.likely,
        high=max(max(mine) - min(other) for mine, other in pairs),
    )


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
    """Send each line of a workload to the model of its category, in the order of the bills' lines.

    Parameters
    ----------
    bills
        Of one workload, so that their lines have the same names; missing or ``None`` is unknown.
    stand_in
        The model that answers requests of no category of the assignment.
    kinds
        Where lines are kinds of requests: the categories of each, the narrowest first. ``None``
        where lines are categories; a category without a line is then unknown, not free.
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
