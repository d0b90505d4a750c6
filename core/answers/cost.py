"""Quality against cost, bills low, likely and high, and own servers against the token."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

import numpy as np

from core.answers.bills import (
    capacity_of,
    hosted_on,
    monthly_costs,
    provider_bills,
    requests_a_month,
    weights_of,
    workloads,
)
from core.answers.data import matrix, model, selection_of
from core.answers.evidence import win_rates
from core.answers.recommend import overlaps, shortlist
from core.domain import TooFewError
from core.evidence import catalogue
from core.memory import remembered
from core.procurement.bill import mean_tokens
from core.procurement.hosting import Case, OwnServers, break_even, cannot_run
from core.procurement.hosting import requests_a_month as served
from core.procurement.monthly_cost import Costed, best_by_category, saving
from core.procurement.requirements import by_category
from core.statistics.ranks import dominated_by, frontier

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import date

    from core.domain import Lacking, Model, MonthlyCost, Requirements, Shortlist
    from core.evidence.catalogue import BenchmarkCost
    from core.evidence.store import Store
    from core.procurement.monthly_cost import BestByCategory

CostAxis = Literal["bill", "benchmark", "parameters"]
"""US dollars a month; US dollars for running the suite once, without its jury; billions of
parameters."""
_SIDES_OF_ONE_ANSWER = ("noharm",)
"""Suites that judge every answer in each of their categories: no request belongs to one of them."""


@dataclass(frozen=True, slots=True)
class CostQuality:
    """The models that fit the requirements, best first."""

    rows: tuple[Costed, ...]
    incomplete: tuple[str, ...]
    """Models that lack benchmarks: their quality does not compare with the others'."""
    ranges: Mapping[str, MonthlyCost]
    """Of monthly costs, by model."""

    @property
    def frontier(self) -> list[Costed]:
        """Return the models that no other matches or beats at their cost, from cheap to dear."""
        return sorted((row for row in self.rows if row.on_frontier), key=lambda row: row.cost or 0)

    @property
    def turning(self) -> tuple[tuple[str, str], ...]:
        """Return ids of neighbours on the frontier of which it is not certain which costs less.

        The cheaper by its likely cost comes first.
        """
        pairs = [(one.model.id, other.model.id) for one, other in pairwise(self.frontier)]
        return tuple(
            (cheap, dear)
            for cheap, dear in pairs
            if cheap in self.ranges
            and (saved := saving(self.ranges[dear], self.ranges[cheap])) is not None
            and saved.order_turns
        )


@remembered(maxsize=4)
def benchmark_costs(store: Store, suite: str) -> dict[str, BenchmarkCost]:
    """Return what a paper printed as the cost of running a suite on each model."""
    found = catalogue.benchmark_costs(store.data / "catalogue", store.catalogue.models)
    return {cost.model: cost for cost in found if cost.suite == suite}


@remembered(maxsize=64)
def cost_quality(store: Store, requirements: Requirements, on: date, cost: CostAxis) -> CostQuality:
    """Return the shortlist with a cost for each model, and the Pareto frontier.

    Quality is the shortlist's score; beside ``benchmark`` the win rate over all benchmarks and
    models, as the paper has it.

    Parameters
    ----------
    cost
        ``bill``: the workload a month, likely case, by the token or on own servers as the
        question asks. ``benchmark``: as the suite's paper prints it. ``parameters``: all of them.
    """
    found = shortlist(store, requirements, on)
    names = tuple(row.model.id for row in found.rows)
    ranges = monthly_costs(store, names, requirements, on) if cost == "bill" else {}
    known = _costs(store, requirements.suite, found, cost, ranges)
    if cost != "benchmark":
        qualities = {
            row.model.id: (row.score, row.ci_low, row.ci_high)
            for row in found.rows
            if row.rank is not None and row.score is not None
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
    for one, is_on, winner in zip(models, on_frontier, by, strict=True):
        value, low, high = qualities[one.id]
        amount, source = known.get(one.id, (None, ""))
        rows.append(
            Costed(
                model=one,
                quality=value,
                ci_low=low,
                ci_high=high,
                cost=amount,
                monthly=ranges.get(one.id),
                source=source,
                on_frontier=bool(is_on),
                beaten_by=models[winner].id if winner >= 0 else None,
            )
        )
    return CostQuality(
        rows=tuple(rows),
        incomplete=tuple(row.model.id for row in found.rows if row.model.id not in qualities),
        ranges=ranges,
    )


def _costs(
    store: Store,
    suite: str,
    found: Shortlist,
    axis: CostAxis,
    ranges: Mapping[str, MonthlyCost],
) -> dict[str, tuple[float, str]]:
    """Return the cost of each model of which it is known, and where it is from."""
    if axis == "benchmark":
        printed = benchmark_costs(store, suite).values()
        return {c.model: (c.benchmark_usd, f"{c.source}, {c.as_of}") for c in printed}
    models = [row.model for row in found.rows]
    if axis == "parameters":
        return {m.id: (m.params_b, m.params_source) for m in models if m.params_b is not None}
    return {m.id: (likely, "") for m in models if (likely := ranges[m.id].likely) is not None}


@remembered(maxsize=64)
def hostable(
    store: Store, requirements: Requirements, on: date
) -> tuple[tuple[Model, Lacking], ...]:
    """Return each model of an evidence base and what it lacks to be run on own servers.

    The best ranked first, then by name. Limits of the question, such as a budget, leave none out.
    """
    rows = shortlist(store, requirements, on).rows
    order = {row.model.id: place for place, row in enumerate(rows) if row.rank is not None}
    found = sorted(
        (model(store, name) for name in matrix(store, selection_of(requirements)).models),
        key=lambda m: (order.get(m.id, len(order)), m.name.lower(), m.id),
    )
    return tuple((m, cannot_run(m)) for m in found)


@remembered(maxsize=128)
def own_servers(
    store: Store, requirements: Requirements, on: date, model_id: str, gpu: str
) -> OwnServers:
    """Hold the bill of own servers against the bill by the token.

    Each of the low, likely and high figures has its own number of GPUs, hence its own capacity.
    """
    hosted = hosted_on(store, model_id, requirements, gpu)
    volume = requests_a_month(store, requirements)
    lines = workloads(store, (model_id,), requirements)[model_id]
    if not lines:
        return OwnServers(hosted, volume)
    read, written = mean_tokens(lines)
    found = provider_bills(store, (model_id,), requirements, on)[model_id]
    per_request = found[0].monthly_usd / volume if found and found[0].monthly_usd > 0 else None
    spares = requirements.spares

    def case(number: int, monthly: float) -> Case:
        measured = capacity_of(store, model_id, hosted.setup, number, lines)
        speed, serves = measured.requests_per_second, None
        if speed is not None:
            serves = served(speed, utilisation=requirements.utilisation)
        meets = break_even(per_request, monthly, serves, spares) if per_request else None
        return Case(number, monthly, measured, serves, spares, meets)

    cases = None
    if (usd := hosted.monthly_usd) is not None and (gpus := hosted.gpus) is not None:
        cases = case(gpus[0], usd[0]), case(gpus[1], usd[1]), case(gpus[2], usd[2])
    return OwnServers(
        hosting=hosted,
        requests=volume,
        input_tokens=read,
        output_tokens=written,
        hidden=lines[0].profile.hidden,
        bills=found,
        cases=cases,
    )


def usual_gpu(store: Store, model_id: str, requirements: Requirements, on: date) -> str:
    """Return the hospital's own GPU, else the cheapest that holds a model.

    The first of the table for a model that no machine on offer holds.
    """
    own = replace(requirements, access="own")
    found = monthly_costs(store, (model_id,), own, on)[model_id]
    return requirements.gpu or (found.servers or store.catalogue.procurement.gpus[0]).gpu


@remembered(maxsize=64)
def combinations(store: Store, requirements: Requirements, on: date) -> BestByCategory:
    """Return the best model of each category, beside the one that is best over all.

    The models are those that the shortlist ranks: they pass the limits and have every benchmark
    that counts. Where volumes are given, a kind of request belongs to its category or
    subcategory. ``TooFewError`` too where the suite's categories are sides of the same answers.
    """
    ranked = [row for row in shortlist(store, requirements, on).rows if row.rank is not None]
    table = by_category(
        matrix(store, selection_of(requirements)),
        weights_of(store, requirements),
        [row.model.id for row in ranked],
        overlaps(store, requirements),
    )
    if requirements.suite in _SIDES_OF_ONE_ANSWER:
        name = store.catalogue.suites[requirements.suite].name
        raise TooFewError(
            f"The categories of {name} are sides of the same answers, so no request can go to one "
            "model for one of them and to another for the next."
        )
    kinds = {
        kind.name: (kind.subcategory, kind.category)
        for kind in store.catalogue.procurement.requests
    }
    bills = {row.model.id: row.bill for row in ranked}
    return best_by_category(table, bills, kinds=kinds if requirements.volumes else None)
