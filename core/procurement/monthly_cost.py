"""What a model costs a month: by the token, as a suite measured it, or on own servers.

Two things make the range of a monthly cost, and they differ in kind. Of one of them nobody knows
the figure, but it is the same for every model: the share of the allowed answer that is really
written, or the rent of one kind of GPU. The other is each model's own: hidden reasoning, or how
many GPUs it takes. A saving holds the first alike for both models, and lets the second vary for
each by itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.domain import MonthlyCost, Price, Saving, WhyUnknown, WorkloadLine
from core.procurement.bill import CASES, BillAssumptions, bill_at, case_lines, request_cost_usd
from core.procurement.gates import SELF_HOSTED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.domain import Model, ShortlistRow
    from core.procurement.bill import BillRange, RequestCost
    from core.procurement.hosting import HourlyPrice

OWN_SERVERS = "own servers"


@dataclass(frozen=True, slots=True)
class Costed:
    """One model with its quality and its cost."""

    model: Model
    quality: float
    """0 to 1, higher is better."""
    ci_low: float | None
    ci_high: float | None
    cost: float | None
    """In the unit of the axis, likely where there is a range; ``None`` is unknown, never 0, also
    where ``cost_low`` is the least that it is."""
    cost_low: float | None
    cost_high: float | None
    """Ends of the range of a monthly cost; ``None`` on other axes."""
    basis: str
    """Where the cost comes from, with its date; empty where it is unknown."""
    is_estimate: bool
    on_frontier: bool
    beaten_by: str | None
    """Id of the best model of the frontier that is at least as good and costs no more."""
    deprecated: bool = False
    """Whether the price list marks the model as deprecated at the provider of the cost."""


@dataclass(frozen=True, slots=True)
class ModelBill:
    """One model of the shortlist with its bill."""

    row: ShortlistRow
    found: BillRange | None
    """``None`` where there is no price that may be used: unknown, never free."""
    n_providers: int
    """Providers whose price may be used."""
    only_failing: bool
    """Whether there are public prices, but only at platforms that fail a condition."""


def unknown_cost(model: str, basis: str, why: WhyUnknown = "no price") -> MonthlyCost:
    """Return the cost of a model of which none is known, with the reason in words and as a key."""
    return MonthlyCost(model, "unknown", None, None, None, "", "", "", "", basis, why=why)


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
            bill_at(price, case_lines(lines, case, share), request_cost).monthly_usd
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
        deprecated=price.deprecated,
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
    number = f"{sets[1]} sets of {gpus[1]}" if sets[1] > 1 else f"{gpus[1]}"
    taken = f"{number} × {hourly.gpu}"
    unpublished = "" if known else ", capacity not published"
    return MonthlyCost(
        model=model,
        cost_is="own servers",
        low=figures[0][0] if known else figures[1][1],
        likely=figures[1][1] if known else None,
        high=figures[2][2] if known else None,
        from_whom=f"own servers: {taken}{unpublished}",
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
        gpus=taken,
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
