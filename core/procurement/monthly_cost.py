"""What a model costs a month, by the token or on own servers; the best model of each category.

Two things make the range of a monthly cost, and they differ in kind. Of one of them nobody knows
the figure, but it is the same for every model: the share of the allowed answer that is really
written, or the rent of one kind of GPU. The other is each model's own: hidden reasoning, or how
many GPUs it takes. A saving holds the first alike for both models, and lets the second vary for
each by itself.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from core.domain import (
    Lacking,
    MonthlyCost,
    Price,
    Saving,
    Servers,
    TooFewError,
    WhyUnknown,
    WorkloadLine,
)
from core.procurement.bill import CASES, LOW_OUTPUT_SHARE, bill_at
from core.procurement.gates import SELF_HOSTED
from core.procurement.hosting import HOURS_A_MONTH

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from core.domain import Bill, Model, Requirements
    from core.procurement.hosting import Hosting
    from core.procurement.requirements import ByCategory


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
    where ``monthly`` has the least that it is."""
    monthly: MonthlyCost | None
    """Range and basis of a monthly cost; ``None`` on other axes."""
    source: str
    """Where the cost of another axis comes from; empty where it is not known."""
    on_frontier: bool
    beaten_by: str | None
    """Id of the best model of the frontier that is at least as good and costs no more."""


def unknown_cost(
    model: str, why: WhyUnknown = "no price", lacking: tuple[Lacking, ...] = (), suite: str = ""
) -> MonthlyCost:
    """Return the cost of a model of which none is known, with the reason."""
    return MonthlyCost(model, "unknown", None, None, None, why=why, lacking=lacking, suite=suite)


def measured_cost(
    model: str,
    usd: float,
    requests: float,
    suite: str,
    *,
    ran_on: str,
    rescaled: tuple[float, float, float] | None,
) -> MonthlyCost:
    """Return what so many tasks cost where each costs what a suite's run of the model took.

    ``rescaled`` is what list prices since ``ran_on`` make of a dollar, where that is known.
    """
    low, likely, high = (usd * requests * share for share in rescaled or (1.0, 1.0, 1.0))
    return MonthlyCost(
        model,
        "measured",
        low,
        likely,
        high,
        as_of=ran_on,
        figures=((low, likely, high),),
        per_task=usd,
        suite=suite,
        rescaled=rescaled,
    )


def rescaled(then: Sequence[Price], now: Price) -> tuple[float, float, float]:
    """Return what a dollar spent at one of several prices is at another, low, likely and high.

    How much a task read and wrote is not known, so low and high are the ends of the ratios of both
    rates over all prices that may have held then, and likely is the middle.
    """
    ratios = [
        round(ratio, _DIGITS)
        for price in then
        for ratio in (
            now.input_usd_per_mtok / price.input_usd_per_mtok,
            now.output_usd_per_mtok / price.output_usd_per_mtok,
        )
    ]
    low, high = min(ratios), max(ratios)
    return low, (low + high) / 2, high


def bill_cost(bill: Bill, lines: Sequence[WorkloadLine]) -> MonthlyCost:
    """Return what a model costs by the token at one provider.

    Likely: the whole answer that was allowed, and likely reasoning, as in `bills`. Low: half of an
    answer that is an upper bound, and little reasoning. High: the whole answer, and as much
    reasoning as was allowed. The number of requests is taken as stated.
    """
    price = bill.price
    figures = tuple(
        tuple(bill_at(price, lines, case, share).monthly_usd for case in CASES)
        for share in (LOW_OUTPUT_SHARE, 1.0)
    )
    return MonthlyCost(
        model=price.model,
        cost_is="bill",
        low=figures[0][0],
        likely=figures[1][1],
        high=figures[1][2],
        provider=price.provider,
        platform=price.platform,
        as_of=price.as_of,
        figures=figures,
        shared="the answer",
        bill=bill,
        tokens=lines[0].profile,
    )


def servers_cost(
    model: str,
    hosted: Hosting,
    serves: Sequence[float | None],
    asked: Requirements,
    load: float,
) -> MonthlyCost:
    """Return what a model costs on rented GPUs of one kind: GPUs x sets x rent x paid hours.

    ``serves`` are the requests a month of one set, low, likely and high, and ``load`` is what is
    asked of all. A case never has fewer GPUs than the one below it, where a copy on more GPUs
    needs fewer sets. Spares are sets on top. Where what a set serves is not known, the cost is at
    least that of one and the spares at the likely rent, and no more is known.
    """
    assert hosted.gpus is not None
    assert hosted.hourly is not None
    sets = [max(1, math.ceil(load / each)) for each in serves if each is not None]
    known, hourly = len(sets) == len(hosted.gpus), hosted.hourly
    totals: list[int] = []
    for each, copies in zip(hosted.gpus, sets if known else (1, 1, 1), strict=True):
        totals.append(max(each * (copies + asked.spares), *totals[-1:], 1))
    rents = (hourly.low, hourly.likely, hourly.high)
    figures = tuple(tuple(rent * HOURS_A_MONTH * number for number in totals) for rent in rents)
    return MonthlyCost(
        model=model,
        cost_is="own servers",
        low=figures[0][0] if known else figures[1][1],
        likely=figures[1][1] if known else None,
        high=figures[2][2] if known else None,
        provider="own servers",
        platform=SELF_HOSTED,
        as_of=hourly.newest,
        figures=figures if known else (),
        shared=hourly.gpu,
        servers=_servers(hosted, asked, sets[1] if known else None, serves[1] if known else None),
    )


def owned_cost(
    model: str, hosted: Hosting, serves: float | None, asked: Requirements, load: float
) -> MonthlyCost:
    """Say whether a model fits the GPUs that the hospital owns and, where known, serves the load.

    ``serves`` are the requests a month of the likely set. No rent is counted.
    """
    if hosted.memory_gb is None:
        return unknown_cost(model, "no servers", (hosted.lacking,))
    owned = asked.gpus_owned or 0
    copies, sets = owned // hosted.gpus[1] if hosted.gpus else 0, None
    why: WhyUnknown = "owned" if copies > asked.spares else "no room"
    if why == "no room":
        serves = None
    elif serves is not None:
        sets = max(1, math.ceil(load / serves))
        why = "too slow" if sets + asked.spares > copies else why
    lacking = (hosted.lacking,) if hosted.gpus is None else ()
    on = replace(_servers(hosted, asked, sets, serves), owned=owned, hourly=None)
    return replace(unknown_cost(model, why, lacking), servers=on, platform=SELF_HOSTED)


def _servers(
    hosted: Hosting, asked: Requirements, sets: int | None, serves: float | None
) -> Servers:
    return Servers(
        gpu=hosted.gpu,
        bits=asked.bits,
        gpus=hosted.gpus and hosted.gpus[1],
        sets=sets,
        serves=serves,
        utilisation=asked.utilisation,
        hourly=hosted.hourly,
        spares=asked.spares,
        memory_gb=hosted.memory_gb or 0.0,
        weights_only=hosted.weights_only,
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


_DIGITS = 12
"""Scores that agree to so many digits are equal: they were summed in another order."""


@dataclass(frozen=True, slots=True)
class CategoryBest:
    """One weighted category and the model that scores best in it."""

    category: str
    weight: float
    """The weights of all categories sum to 1."""
    n_benchmarks: int
    model: str
    score: float
    """0 to 1, as ``single_score``."""
    single_score: float
    """Of the one model for all, in this category."""
    usd: float | None
    """US dollars a month of its requests at the model; ``None`` where that is not known."""
    single_usd: float | None
    """The same at the one model for all."""


@dataclass(frozen=True, slots=True)
class BestByCategory:
    """A model for each category, against one model for all."""

    single: str
    """The best over all categories, by id."""
    categories: tuple[CategoryBest, ...]
    strays_usd: float | None
    """Of requests of no category, which the one model answers; 0 without any."""

    @property
    def gain(self) -> float:
        """Return the weighted mean of the best scores minus that of the one model; 0 or more."""
        return sum(one.weight * (one.score - one.single_score) for one in self.categories)

    def monthly_usd(self, *, single: bool = False) -> float | None:
        """Return what both bills come to; ``None`` where a part is unknown."""
        usd = [one.single_usd if single else one.usd for one in self.categories]
        known = [each for each in (*usd, self.strays_usd) if each is not None]
        return math.fsum(known) if len(known) > len(usd) else None


def best_by_category(
    table: ByCategory,
    bills: Mapping[str, Bill | None],
    *,
    kinds: Mapping[str, Sequence[str]] | None = None,
) -> BestByCategory:
    """Find the best model of each category and the best over all; of equals the first id.

    The gain is of the tests that chose the models, so it flatters: what made a model the best of
    several is in part chance. `TooFewError` where there are fewer than two categories.

    Parameters
    ----------
    bills
        Of one workload, so that their lines have the same names; missing or ``None`` is unknown.
        Where no line is of a category that counts, nothing of it is known.
    kinds
        Where lines are kinds of requests: the categories of each, the narrowest first.
    """
    if len(table.categories) < 2:
        raise TooFewError("Different models take at least 2 task categories; there is 1.")
    names, weights = table.matrix.models, dict(table.categories)

    def usd(model: str, category: str) -> float | None:
        if (bill := bills.get(model)) is None:
            return None
        of = [
            (next((place for place in (kinds or {}).get(line, (line,)) if place in weights), ""), n)
            for line, n in bill.lines
        ]
        return math.fsum(n for place, n in of if place == category) if any(dict(of)) else None

    # Positions are in the order of ids, and argmax takes the first: ties go by id.
    single = int(np.round(table.scores @ table.share, _DIGITS).argmax())
    best = np.round(table.scores, _DIGITS).argmax(axis=0).tolist()
    found = tuple(
        CategoryBest(
            category=category,
            weight=weight,
            n_benchmarks=int((spread > 0).sum()),
            model=names[i],
            score=float(column[i]),
            single_score=float(column[single]),
            usd=usd(names[i], category),
            single_usd=usd(names[single], category),
        )
        for (category, weight), spread, column, i in zip(
            table.categories, table.spreads, table.scores.T, best, strict=True
        )
    )
    return BestByCategory(names[single], found, usd(names[single], ""))
