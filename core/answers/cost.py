"""What each model of a shortlist costs: quality against cost, and bills low, likely and high."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

import numpy as np

from core.answers.bills import OWN_PRICE, provider_bills, workload_of, workloads
from core.answers.data import prices_on, selection_of
from core.answers.evidence import win_rates
from core.answers.monthly_costs import monthly_costs
from core.answers.recommend import shortlist
from core.answers.remembering import remembered
from core.evidence import supplements
from core.evidence.catalogue import OWN_RESULT
from core.procurement.bill import (
    BillAssumptions,
    BillRange,
    bill_range,
    flat_request_cost_usd,
    saving,
)
from core.procurement.prices import request_cost_usd
from core.procurement.workload import tokens_per_month
from core.statistics.ranks import dominated_by, frontier

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import date

    from core.domain import (
        Model,
        MonthlyCost,
        Price,
        Requirements,
        Shortlist,
        ShortlistRow,
        WorkloadLine,
    )
    from core.evidence.store import Store
    from core.evidence.supplements import BenchmarkCost

CostAxis = Literal["bill", "benchmark", "parameters"]
"""US dollars a month; US dollars for running the suite once, without its jury; billions of
parameters."""
QualityAxis = Literal["score", "win rate"]


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


@dataclass(frozen=True, slots=True)
class CostQuality:
    """The models that fit the requirements, best first."""

    rows: tuple[Costed, ...]
    incomplete: tuple[str, ...]
    """Models that lack benchmarks: their quality does not compare with the others'."""
    shortlist: Shortlist
    turning: tuple[tuple[str, str], ...]
    """Ids of neighbours on the frontier, the cheaper first, of which the ranges of their monthly
    costs do not say for certain which costs less."""


@remembered(maxsize=4)
def benchmark_costs(store: Store, suite: str) -> dict[str, BenchmarkCost]:
    """Return what a paper printed as the cost of running a suite on each model."""
    found = supplements.benchmark_costs(store.data / "catalogue", store.catalogue.models)
    return {cost.model: cost for cost in found if cost.suite == suite}


@remembered(maxsize=64)
def cost_quality(
    store: Store, requirements: Requirements, on: date, cost: CostAxis, quality: QualityAxis
) -> CostQuality:
    """Return the shortlist with a cost for each model, and the Pareto frontier.

    Parameters
    ----------
    cost
        ``bill``: the workload a month, likely case, by the token or on own servers as the
        question asks; an estimate unless all token figures were set, since MedHELM publishes
        only the most that may be written, and always on own servers.
        ``benchmark``: as the suite's paper prints it. ``parameters``: all of them; an estimate
        where only the model's name gives the number.
    quality
        ``score``: the shortlist's. ``win rate``: over all benchmarks and all models compared.
    """
    found = shortlist(store, requirements, on)
    names = tuple(row.model.id for row in found.rows)
    ranges = monthly_costs(store, names, requirements, on) if cost == "bill" else {}
    known = _costs(store, requirements, found, cost, ranges)
    if quality == "score":
        qualities = {
            row.model.id: (row.score, row.ci_low, row.ci_high)
            for row in found.rows
            if row.rank is not None
        }
    else:
        rates = win_rates(store, selection_of(requirements))
        most = max(row.n_benchmarks for row in rates.rows)
        qualities = {
            row.model: (row.win_rate, row.ci_low, row.ci_high)
            for row in rates.rows
            if row.n_benchmarks == most
        }
    models = sorted(
        (row.model for row in found.rows if row.model.id in qualities),
        key=lambda model: (-qualities[model.id][0], model.id),
    )
    values = np.array([qualities[model.id][0] for model in models])
    prices = np.array([known[m.id][0] if m.id in known else math.nan for m in models])
    on_frontier, by = frontier(values, prices), dominated_by(values, prices)
    rows = []
    for model, is_on, winner in zip(models, on_frontier, by, strict=True):
        value, low, high = qualities[model.id]
        amount, basis, is_estimate = known.get(model.id, (None, "", False))
        range_of = ranges.get(model.id)
        if range_of is not None and range_of.likely is None and range_of.low is not None:
            basis = f"{range_of.as_of}, {range_of.basis}"
        rows.append(
            Costed(
                model=model,
                quality=value,
                ci_low=low,
                ci_high=high,
                cost=amount,
                cost_low=range_of.low if range_of else None,
                cost_high=range_of.high if range_of else None,
                basis=basis,
                is_estimate=is_estimate,
                on_frontier=bool(is_on),
                beaten_by=models[winner].id if winner >= 0 else None,
            )
        )
    return CostQuality(
        rows=tuple(rows),
        incomplete=tuple(row.model.id for row in found.rows if row.model.id not in qualities),
        shortlist=found,
        turning=_turning(rows, ranges),
    )


def _turning(
    rows: Sequence[Costed], ranges: Mapping[str, MonthlyCost]
) -> tuple[tuple[str, str], ...]:
    ahead = sorted((row for row in rows if row.on_frontier), key=lambda row: row.cost or 0.0)
    pairs = [(one.model.id, other.model.id) for one, other in pairwise(ahead)]
    return tuple(
        (cheap, dear)
        for cheap, dear in pairs
        if cheap in ranges
        and (saved := saving(ranges[dear], ranges[cheap])) is not None
        and saved.order_turns
    )


def shares_written(store: Store, requirements: Requirements) -> tuple[float, float]:
    """Return the share of tokens that is written, of models in general and of those that reason.

    ``nan`` where there is no workload.
    """
    plain, reasoning = (
        _share_written(workload_of(store, requirements, reasoning=kind)) for kind in (False, True)
    )
    return plain, reasoning


def blended(price: Price, share_written: float) -> float:
    """Return US dollars per million tokens, of which a share is written and the rest read."""
    read = price.input_usd_per_mtok * (1 - share_written)
    return read + price.output_usd_per_mtok * share_written


def _share_written(lines: tuple[WorkloadLine, ...]) -> float:
    read, written = tokens_per_month(lines)
    return written / (written + read) if lines else math.nan


def _costs(
    store: Store,
    requirements: Requirements,
    found: Shortlist,
    axis: CostAxis,
    ranges: Mapping[str, MonthlyCost],
) -> dict[str, tuple[float, str, bool]]:
    """Return cost, basis and whether it is an estimate, of each model whose cost is known."""
    models = [row.model for row in found.rows]
    if axis == "parameters":
        return {
            m.id: (m.params_b, f"source: {m.params_source}", m.params_source == "name")
            for m in models
            if m.params_b is not None
        }
    if axis == "benchmark":
        return {
            c.model: (c.benchmark_usd, f"{c.source}, {c.as_of}", False)
            for c in benchmark_costs(store, requirements.suite).values()
        }
    return {
        m.id: (cost.likely, f"{cost.as_of}, {cost.basis}", _is_estimate(requirements, m, cost))
        for m in models
        if (cost := ranges[m.id]).likely is not None
    }


def _is_estimate(requirements: Requirements, model: Model, cost: MonthlyCost) -> bool:
    tokens = [requirements.input_tokens_per_request, requirements.output_tokens_per_request]
    if model.reasoning:
        tokens.append(requirements.reasoning_tokens_per_request)
    return cost.cost_is == "own servers" or None in tokens


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


@remembered(maxsize=32)
def bill_ranges(
    store: Store,
    requirements: Requirements,
    on: date,
    assumptions: BillAssumptions,
) -> tuple[ModelBill, ...]:
    """Return every model of the shortlist with its bill, in the order of the shortlist.

    The likely bill is the one that the shortlist shows. Where the task has no evidence and no
    volumes are given there is no workload, hence no bill.
    """
    rows = shortlist(store, requirements, on).rows
    public = prices_on(store.shared, on)
    lines = workloads(store, tuple(row.model.id for row in rows), requirements)
    found = []
    for row in rows:
        every = provider_bills(store, row.model.id, requirements, on) if row.bill else ()
        prices = [bill.price for bill in every]
        own = any(price.provider == OWN_PRICE for price in prices)
        found.append(
            ModelBill(
                row,
                bill_range(
                    prices,
                    lines[row.model.id],
                    assumptions,
                    request_cost=flat_request_cost_usd if own else request_cost_usd,
                )
                if prices
                else None,
                len(prices),
                only_failing=not prices
                and bool(lines[row.model.id])
                and row.model.id.removesuffix(OWN_RESULT) in public,
            )
        )
    return tuple(found)
