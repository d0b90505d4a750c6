"""Quality against cost, bills low, likely and high, and own servers against the token."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np

from core.answers import bills
from core.answers.asked import Asked
from core.answers.data import matrix, model, models
from core.answers.recommend import shortlist
from core.domain import Dossier, Model
from core.memory import remembered
from core.procurement.bill import amount_on, bill_cost, saving
from core.procurement.hosting import HOURS_A_MONTH, OwnServers, break_even, cannot_run
from core.statistics.ranks import frontier

CostAxis = Literal["bill", "parameters"]
"""US dollars a month; billions of parameters."""


@dataclass(frozen=True, slots=True)
class CostQuality:
    """The models that fit the question, best first."""

    axis: CostAxis
    rows: tuple[Dossier, ...]
    on_frontier: frozenset[str]
    """Ids of the models that no other matches or beats at their cost."""
    incomplete: tuple[str, ...]
    """Models that lack benchmarks: their quality does not compare with the others'."""

    @property
    def frontier(self) -> list[Dossier]:
        """Return the models of the frontier, from cheap to dear."""
        rows = (row for row in self.rows if row.model.id in self.on_frontier)
        return sorted(rows, key=lambda row: amount_on(self.axis, row) or 0)

    @property
    def turning(self) -> tuple[tuple[str, str], ...]:
        """Return ids of neighbours on the frontier where it is not certain which costs less.

        The cheaper by its likely cost comes first.
        """
        return tuple(
            (cheap.model.id, dear.model.id)
            for cheap, dear in pairwise(self.frontier)
            if self.axis != "parameters"
            and (saved := saving(dear.cost, cheap.cost))
            and saved.order_turns
        )


@remembered(maxsize=64)
def cost_quality(asked: Asked, axis: CostAxis) -> CostQuality:
    """Return the shortlist with a cost for each model, and the Pareto frontier.

    Quality is the shortlist's score.

    Parameters
    ----------
    axis
        ``bill``: the workload a month, likely case, by the token or on own servers as the
        question asks. ``parameters``: all of them.
    """
    rows = shortlist(asked).rows
    ranked = [row for row in rows if row.rank is not None]
    ranked.sort(key=lambda row: (-(row.score or 0.0), row.model.id))
    amounts = np.array([amount_on(axis, row) for row in ranked], dtype=float)
    scores = np.array([row.score for row in ranked], dtype=float)
    best = zip(ranked, frontier(scores, amounts), strict=True)
    return CostQuality(
        axis=axis,
        rows=tuple(ranked),
        on_frontier=frozenset(row.model.id for row, is_on in best if is_on),
        incomplete=tuple(row.model.id for row in rows if row.rank is None),
    )


@remembered(maxsize=64)
def hostable(asked: Asked) -> tuple[Model, ...]:
    """Return the models of an evidence base that can be run on own servers and sized.

    The best ranked first, then by name. Limits of the question, such as a budget, leave none out.
    """
    rows = shortlist(asked).rows
    order = {row.model.id: place for place, row in enumerate(rows) if row.rank is not None}
    every = models(asked.store, matrix(asked.store, asked.selection()).models).values()
    able = (each for each in every if not cannot_run(each))
    return tuple(sorted(able, key=lambda m: (order.get(m.id, len(order)), m.name.lower(), m.id)))


@remembered(maxsize=128)
def own_servers(asked: Asked, model_id: str) -> OwnServers:
    """Hold the cost on own servers against the bill by the token.

    On the hospital's own kind of GPU, else the cheapest that holds the model; the first of the
    table for one that no machine on offer holds.
    """
    rented, hardware = asked.having(access="own", gpus_owned=None), asked.question.servers
    own = bills.monthly_costs(rented, (model_id,))[model_id]
    gpu = hardware.gpu or (own.servers or asked.store.catalogue.gpus[0]).gpu
    hosted = bills.hosted_on(asked.store, model_id, hardware, gpu)
    lines = bills.workloads(asked.store, (model_id,), asked.question.demand)[model_id]
    volume, bill, meets = bills.requests_a_month(asked.question.workload), None, None
    ends, certain = (0.0, 0.0), 0.0
    if lines:
        bill = next(iter(bills.provider_bills(asked, (model_id,))[model_id]), None)
    if bill and bill.monthly_usd > 0 and (on_them := own.servers) and (rent := on_them.hourly):
        low, likely, high = (
            break_even(
                bill.monthly_usd / volume,
                usd * HOURS_A_MONTH * (on_them.gpus or 1),
                on_them.serves,
                on_them.spares,
            )
            for usd in (rent.low, rent.likely, rent.high)
        )
        meets, by_token = (low, likely, high), bill_cost(bill, lines)
        ends = by_token.low or 0.0, by_token.high or 0.0
        smallest = (hosted.gpus or (1,))[0] * (1 + on_them.spares)
        certain = volume * smallest * rent.low * HOURS_A_MONTH / ends[1]
    able = None
    if hosted.gpus:
        able = bills.capacity_of(asked.store, model_id, hosted.bits, gpu, hosted.gpus[1], lines)
    return OwnServers(
        model=model(asked.store, model_id),
        hosting=hosted,
        cost=own,
        capacity=able,
        requests=volume,
        bill=bill,
        meets=meets,
        bill_ends=ends,
        certain_below=certain,
    )
