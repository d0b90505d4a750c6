"""The proof that one model may replace another: shared clusters, benchmarks, yearly savings."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from core.answers.bills import bills, workload_of
from core.answers.evidence import model, products, selection_of
from core.answers.taxonomies import stability, taxonomy
from core.domain import BadRequestError, Requirements
from core.procurement.yearly_saving import yearly_saving
from core.statistics import side_by_side as comparing

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date

    from core.evidence.store import Store
    from core.procurement.yearly_saving import YearlySaving
    from core.statistics.side_by_side import SideBySide

MOST_RESAMPLED = 300
"""Of more models the tree is not grown 1,000 times anew: it would take too long to wait for."""


def co_clustering(
    store: Store, requirements: Requirements, suites: tuple[str, ...], model_id: str
) -> dict[str, float] | None:
    """Return how often each model shares the cluster of one, with benchmarks drawn anew.

    Parameters
    ----------
    suites
        Over several, the lowest share counts; models that are not in every tree are left out.

    Returns
    -------
    dict of model id to share, 0 to 1
        ``None`` where a suite has too many models, or too few benchmarks, to compute it.
    """
    lowest: dict[str, float] = {}
    for number, suite in enumerate(suites):
        selection = selection_of(requirements, suite)
        tree = taxonomy(store, selection)
        if len(tree.models) > MOST_RESAMPLED:
            return None
        try:
            found = stability(store, selection, "benchmarks")
        except BadRequestError:  # too few benchmarks too
            return None
        row = found.co_clustering[tree.models.index(model_id)].tolist()
        shares = dict(zip(tree.models, row, strict=True))
        lowest = (
            {name: min(share, lowest[name]) for name, share in shares.items() if name in lowest}
            if number
            else shares
        )
    return lowest


@lru_cache(maxsize=32)
def replacement_proof(
    store: Store,
    requirements: Requirements,
    suites: tuple[str, ...],
    model_id: str,
    candidate: str,
) -> tuple[SideBySide, ...]:
    """Return the candidate against the model, benchmark by benchmark, one result per suite.

    ``overall`` counts all benchmarks alike. Errors as for ``matrix`` and ``side_by_side``.
    """
    return tuple(
        comparing.side_by_side(
            products(store, selection_of(requirements, suite)), (model_id, candidate)
        )
        for suite in suites
    )


def yearly_savings(
    store: Store,
    model_id: str,
    candidates: Sequence[str],
    *,
    requirements: Requirements,
    on: date,
) -> dict[str, YearlySaving]:
    """Return what each candidate saves a year for the workload, at the public prices of a day.

    Where the suite has no benchmark for the task, the workload is that of all categories alike:
    a missing benchmark must not read as a missing price.
    """
    if not workload_of(store, requirements):
        requirements = replace(requirements, task=Requirements().task)
    known = bills(store, (model_id, *candidates), requirements, on)
    replaced = model(store, model_id)
    return {name: yearly_saving(replaced, model(store, name), known) for name in candidates}
