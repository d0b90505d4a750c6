"""The proof that one model may replace another: shared clusters, and test by test."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.answers.choice import shortlist
from core.answers.evidence import products, selection_of
from core.answers.remembering import remembered
from core.answers.taxonomies import stability, taxonomy
from core.domain import BadRequestError
from core.statistics import side_by_side as comparing
from core.statistics.score_matrix import select_benchmarks

if TYPE_CHECKING:
    from datetime import date

    from core.domain import Requirements
    from core.evidence.store import Store
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


@remembered(maxsize=32)
def replacement_proof(
    store: Store,
    requirements: Requirements,
    suites: tuple[str, ...],
    model_id: str,
    candidate: str,
    on: date,
    *,
    by_task: bool,
) -> tuple[SideBySide, ...]:
    """Return the candidate against the model, benchmark by benchmark, one result per suite.

    ``by_task`` counts the task's benchmarks of the first suite as the shortlist weighs them;
    else, and in a second suite, all count alike. Errors as for ``matrix`` and ``side_by_side``.
    """
    weights = dict(shortlist(store, requirements, on).benchmark_weights) if by_task else {}
    found = []
    for number, suite in enumerate(suites):
        scores = products(store, selection_of(requirements, suite))
        counted = weights if number == 0 else {}
        if counted:
            scores = select_benchmarks(scores, [b.id for b in scores.benchmarks if b.id in counted])
        found.append(comparing.side_by_side(scores, (model_id, candidate), counted or None))
    return tuple(found)
