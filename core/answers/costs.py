"""Quality against cost: every model of a shortlist with what it costs and who undercuts it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

import numpy as np

from core.answers.bills import workload_of
from core.answers.choice import shortlist
from core.answers.comparison import win_rates
from core.answers.evidence import selection_of
from core.evidence import benchmark_costs as reading
from core.statistics.pareto import dominated_by, frontier

if TYPE_CHECKING:
    from datetime import date

    from core.domain import Model, Price, Requirements, Shortlist, WorkloadLine
    from core.evidence.benchmark_costs import BenchmarkCost
    from core.evidence.store import Store

CostAxis = Literal["bill", "tokens", "benchmark", "total", "parameters"]
"""US dollars a month; US dollars per million tokens; US dollars for running the suite once,
without and with its jury; billions of parameters."""
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
    """In the unit of the axis; ``None`` is unknown, never 0."""
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


@lru_cache(maxsize=4)
def benchmark_costs(store: Store, suite: str) -> dict[str, BenchmarkCost]:
    """Return what a paper printed as the cost of running a suite on each model.

    Raises
    ------
    BadDataError
        When the table in the catalogue is at fault.
    """
    found = reading.benchmark_costs(store.data / "catalogue", store.catalogue.models)
    return {cost.model: cost for cost in found if cost.suite == suite}


@lru_cache(maxsize=64)
def cost_quality(
    store: Store, requirements: Requirements, on: date, cost: CostAxis, quality: QualityAxis
) -> CostQuality:
    """Return the shortlist with a cost for each model, and the Pareto frontier.

    Parameters
    ----------
    cost
        ``bill``: the workload a month, as the shortlist has it; an estimate unless both token
        figures were set, since MedHELM publishes only the most that may be written. ``tokens``:
        the public price of a million tokens, read and written in the workload's proportion.
        ``benchmark`` and ``total``: as the suite's paper prints them. ``parameters``: all of
        them; an estimate where only the model's name gives the number.
    quality
        ``score``: the shortlist's. ``win rate``: over all benchmarks and all models compared.

    Raises
    ------
    BadRequestError, BadDataError
        As for ``shortlist``, ``win_rates`` and ``benchmark_costs``.
    """
    found = shortlist(store, requirements, on)
    known = _costs(store, requirements, found, cost)
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
        beaten_by = models[winner].id if winner >= 0 else None
        rows.append(
            Costed(model, value, low, high, amount, basis, is_estimate, bool(is_on), beaten_by)
        )
    return CostQuality(
        rows=tuple(rows),
        incomplete=tuple(row.model.id for row in found.rows if row.model.id not in qualities),
        shortlist=found,
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
    written = math.fsum(line.requests_per_month * line.profile.output_tokens for line in lines)
    read = math.fsum(line.requests_per_month * line.profile.input_tokens for line in lines)
    return written / (written + read) if lines else math.nan


def _costs(
    store: Store, requirements: Requirements, found: Shortlist, axis: CostAxis
) -> dict[str, tuple[float, str, bool]]:
    """Return cost, basis and whether it is an estimate, of each model whose cost is known."""
    if axis == "parameters":
        return {
            m.id: (m.params_b, f"source: {m.params_source}", m.params_source == "name")
            for m in (row.model for row in found.rows)
            if m.params_b is not None
        }
    if axis in ("benchmark", "total"):
        printed = benchmark_costs(store, requirements.suite)
        return {
            c.model: (
                c.benchmark_usd if axis == "benchmark" else c.total_usd,
                f"{c.source}, {c.as_of}",
                False,
            )
            for c in printed.values()
        }
    written = shares_written(store, requirements)
    tokens = (requirements.input_tokens_per_request, requirements.output_tokens_per_request)
    costs = {}
    for row in found.rows:
        if row.bill is None:
            continue
        price = row.bill.price
        share = written[row.model.reasoning]
        basis = f"{price.as_of}, {price.source}"
        costs[row.model.id] = (
            (row.bill.monthly_usd, basis, None in tokens)
            if axis == "bill"
            else (blended(price, share), basis, False)
        )
    return costs
