"""What one model would cost this buyer a month, with its range, and what another would save.

Two things make the range, and they differ in kind. Of one of them nobody knows the figure, but it
is the same for every model: the share of the allowed answer that is really written, or the rent
of one kind of GPU. The other is each model's own: hidden reasoning, or how many GPUs it takes. A
saving holds the first alike for both models, and lets the second vary for each by itself.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from core.domain import MonthlyCost, Saving
from core.procurement.bill_range import BillAssumptions, case_profile
from core.procurement.gate_checks import SELF_HOSTED
from core.procurement.prices import request_cost_usd

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.domain import Price, WorkloadLine
    from core.procurement.bill_range import Case
    from core.procurement.costs import RequestCost
    from core.procurement.hosting import HourlyPrice

OWN_SERVERS = "own servers"
CASES: tuple[Case, ...] = ("low", "likely", "high")


def unknown_cost(model: str, why: str) -> MonthlyCost:
    """Return the cost of a model of which none is known, with the reason."""
    return MonthlyCost(model, "unknown", None, None, None, "", "", "", "", why)


def bill_cost(
    price: Price,
    lines: Sequence[WorkloadLine],
    *,
    platform: str,
    request_cost: RequestCost = request_cost_usd,
) -> MonthlyCost:
    """Return what a model costs by the token at one provider.

    Likely: the whole answer that was allowed, and likely reasoning; the bill of
    `core.procurement.costs.bill`. Low: half of an answer that is an upper bound, and little
    reasoning. High: the whole answer, and as much reasoning as was allowed. The number of
    requests is taken as stated.

    Parameters
    ----------
    price : Price
        The price of the model at the provider.
    lines : sequence of WorkloadLine
        A month's work for this model; at least one line.
    platform : str
        The platform behind the provider.
    request_cost : callable, optional
        As for `core.procurement.costs.bill`.
    """

    def usd(share: float, reasoning: Case) -> float:
        profiles = [case_profile(line.profile, reasoning, share) for line in lines]
        return math.fsum(
            line.requests_per_month
            * request_cost(price, profile.input_tokens, profile.written_tokens)
            for line, profile in zip(lines, profiles, strict=True)
        )

    shares = (BillAssumptions().low_output_share, 1.0)
    figures = tuple(tuple(usd(share, case) for case in CASES) for share in shares)
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
    sets: tuple[int, int, int],
    *,
    hours: float,
    bits: int,
    load: str,
) -> MonthlyCost:
    """Return what a model costs on rented GPUs of one kind.

    Parameters
    ----------
    model : str
    hourly : HourlyPrice
        Low, likely and high rent of one GPU.
    gpus : (int, int, int)
        GPUs that hold one copy, low, likely and high.
    sets : (int, int, int)
        Copies that serve the load, for each of these.
    hours : float
        Hours a month that are paid.
    bits : int
        Bits per weight.
    load : str
        What is known of the load, in words.

    Returns
    -------
    MonthlyCost
        GPUs times sets times rent times hours. A case never has fewer GPUs than the one below it,
        where a copy on more GPUs needs fewer sets.
    """
    totals: list[int] = []
    for each, copies in zip(gpus, sets, strict=True):
        totals.append(max(each * copies, *totals[-1:], 1))
    rents = (hourly.low, hourly.likely, hourly.high)
    figures = tuple(tuple(rent * hours * number for number in totals) for rent in rents)
    likely = f"{sets[1]} sets of {gpus[1]}" if sets[1] > 1 else f"{gpus[1]}"
    return MonthlyCost(
        model=model,
        cost_is="own servers",
        low=figures[0][0],
        likely=figures[1][1],
        high=figures[2][2],
        from_whom=f"own servers: {likely} × {hourly.gpu}",
        provider=OWN_SERVERS,
        platform=SELF_HOSTED,
        as_of=hourly.newest,
        basis=(
            f"rent of {hourly.gpu}, ${hourly.low:g} to ${hourly.high:g} an hour, likely "
            f"${hourly.likely:g}, for {hours:g} hours, weights at {bits} bits; {load}"
        ),
        figures=figures,
        shared=hourly.gpu,
        gpu=hourly.gpu,
    )


def saving(model: MonthlyCost, candidate: MonthlyCost) -> Saving | None:
    """Return what a candidate saves a month against a model.

    Likely is the difference of the two likely costs. Low and high are the least and the most over
    all cases: what both costs share is the same in both, what is each model's own varies by
    itself. Costs that share nothing, such as a bill and own servers, both vary by themselves.

    Returns
    -------
    Saving or None
        ``None`` where one of the two costs is unknown: it is no saving, and no loss.
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
