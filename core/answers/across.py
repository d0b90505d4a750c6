"""How the orders of models agree from suite to suite."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from core.answers.bills import weights_of
from core.answers.evidence import products
from core.answers.remembering import remembered
from core.domain import Requirements, Selection
from core.evidence.catalogue import OWN_RESULT
from core.procurement.products import matched
from core.procurement.requirements import benchmark_weights
from core.statistics.order_agreement import MIN_MODELS, OrderAgreement, order_agreement
from core.statistics.score_matrix import complete, normalised, select_benchmarks

if TYPE_CHECKING:
    from collections.abc import Mapping

    from core.evidence.store import Store

_NOHARM = {
    "safety": ("safety",),
    "completeness": ("completeness",),
    "restraint": ("restraint",),
    "three dimensions": ("safety", "completeness", "restraint"),
    "severe harm share": ("pct_cumulative",),
}
"""Metrics of NOHARM and the benchmarks whose mean they are."""


@dataclass(frozen=True, slots=True)
class AcrossSuites:
    """The orders that two suites give to the models that both have."""

    a: str
    b: str
    """Suite and metric, as in ``medhelm:balanced``."""
    models: tuple[tuple[str, str, str], ...]
    """Id in either suite, and whether it is the same version or none is stated."""
    agreement: OrderAgreement


@remembered(maxsize=4)
def across_suites(store: Store) -> tuple[AcrossSuites, ...]:
    """Return how the orders of every two suites agree over the models that they share.

    The newest snapshot of each suite, under its first protocol, without flagged runs, lines to
    compare with and own results. In each order stand the models with every benchmark of its
    metric, on a scale on which higher is better: fewer severe harms are. ``balanced`` weighs the
    categories of a suite as the task of that name does; a suite with one benchmark has that.
    Pairs of suites with fewer than three models in common are left out.

    Raises
    ------
    BadDataError
        When a suite's newest snapshot cannot be read.
    """
    orders = {
        suite: _orders(store, suite) for suite in store.catalogue.suites if store.of_suite(suite)
    }
    found = []
    for one, other in combinations(orders, 2):
        for a, of_a in orders[one].items():
            for b, of_b in orders[other].items():
                shared = matched(tuple(of_a), tuple(of_b), store.catalogue.crosswalk)
                if len(shared) < MIN_MODELS:
                    continue
                x, y = np.array([(of_a[i], of_b[j]) for i, j, _ in shared]).T
                pair = (f"{one}:{a}", f"{other}:{b}")
                found.append(AcrossSuites(*pair, shared, order_agreement(x, y)))
    return tuple(found)


def _orders(store: Store, suite: str) -> Mapping[str, Mapping[str, float]]:
    """Score of each model by each metric of a suite."""
    every = tuple(benchmark.id for benchmark in store.catalogue.benchmarks[suite])
    scores = products(store, Selection(suite, benchmarks=every))
    metrics: dict[str, dict[str, float]]
    if suite == "noharm":
        metrics = {name: dict.fromkeys(of, 1 / len(of)) for name, of in _NOHARM.items()}
    else:
        weights = weights_of(store, Requirements(suite=suite))
        metrics = {"balanced": benchmark_weights(weights, scores.benchmarks)}
        if len(scores.benchmarks) == 1:
            metrics = {scores.benchmarks[0].id: metrics["balanced"]}
    found = {}
    for name, weights_by_id in metrics.items():
        kept = complete(select_benchmarks(scores, tuple(weights_by_id)))
        values = normalised(kept)[0] @ np.array(list(weights_by_id.values()))
        found[name] = {
            model: round(value, 12)  # summed in another order, the same score is the same
            for model, value in zip(kept.models, values.tolist(), strict=True)
            if not model.endswith(OWN_RESULT)
        }
    return found
