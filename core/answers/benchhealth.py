"""BenchHealth as its paper reports it: how good, how even, and how people judged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from core.answers.evidence import matrix, model, products
from core.answers.remembering import remembered
from core.domain import Selection
from core.statistics.generalisability import evenness, group_means

if TYPE_CHECKING:
    from core.domain import ScoreMatrix
    from core.evidence.store import Store
    from core.evidence.supplements import HumanRating
    from core.statistics.generalisability import Evenness

SUITE = "benchhealth"

GroupMeans = tuple[tuple[str, tuple[float | None, ...]], ...]
"""Per group the mean score of each model, percent."""


@dataclass(frozen=True, eq=False)
class BenchHealth:
    """The suite as a whole; all scores in percent."""

    scores: ScoreMatrix
    rows: tuple[Evenness, ...]
    """One per model of ``scores``, in its order."""
    scenarios: GroupMeans
    tasks: GroupMeans
    state_of_the_art: tuple[tuple[str, float], ...]
    """Data set and the best score of a model made for its task; a line, not a product."""
    ratings: tuple[HumanRating, ...]


@remembered(maxsize=8)
def benchhealth(store: Store, revision: str = "", include_flagged: bool = False) -> BenchHealth:
    """Return generalisability, robustness, means and judgements of BenchHealth's models.

    Parameters
    ----------
    revision : str
        Snapshot of the suite; empty takes the newest.

    Raises
    ------
    BadRequestError, BadDataError
        As for ``matrix`` and ``evenness``.
    """
    selection = Selection(SUITE, revision=revision, include_flagged=include_flagged)
    everything, scores = matrix(store, selection), products(store, selection)
    groups = store.catalogue.groups
    tasks: dict[str, tuple[str, ...]] = {}
    for benchmark in scores.benchmarks:
        tasks[benchmark.subcategory] = (*tasks.get(benchmark.subcategory, ()), benchmark.id)
    lines = [i for i, name in enumerate(everything.models) if model(store, name).is_reference]
    return BenchHealth(
        scores=scores,
        rows=evenness(scores, groups.get((SUITE, "robustness"), {})),
        scenarios=tuple(group_means(scores, groups.get((SUITE, "scenario"), {})).items()),
        tasks=tuple(group_means(scores, tasks).items()),
        state_of_the_art=tuple(
            (benchmark.id, float(np.nanmax(column)))
            for benchmark, column in zip(
                everything.benchmarks, everything.scores[lines].T, strict=True
            )
            if not np.isnan(column).all()
        ),
        ratings=tuple(r for r in store.catalogue.human_evaluation if r.suite == SUITE),
    )
