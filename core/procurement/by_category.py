"""Models by task category: the table that robust ranks and combinations both start from."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from core.domain import BadRequestError, TooFewError
from core.procurement.requirements import benchmark_weights
from core.statistics.score_matrix import complete, normalised, select_benchmarks, select_models

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.domain import FloatArray, ScoreMatrix
    from core.procurement.requirements import Weights


@dataclass(frozen=True, slots=True, eq=False)
class ByCategory:
    """Complete models, sorted by id, and what each weighted category comes to for them."""

    matrix: ScoreMatrix
    """The benchmarks that count; ``excluded`` lists the models that lack one of them."""
    values: FloatArray
    standard_errors: FloatArray
    """Normalised, shape (n_models, n_benchmarks); the errors are of items."""
    categories: Weights
    """Name and weight, summing to 1."""
    spreads: FloatArray
    """Shape (n_categories, n_benchmarks): how a category's weight of 1 is spread."""
    scores: FloatArray
    """Shape (n_models, n_categories), 0 to 1."""

    @property
    def share(self) -> FloatArray:
        """The weights alone."""
        return np.array([weight for _, weight in self.categories])


def by_category(
    matrix: ScoreMatrix,
    weights: Weights,
    models: Sequence[str],
    vote_groups: Sequence[Sequence[str]] = (),
) -> ByCategory:
    """Score the complete ones of some models in each weighted category.

    The weighted mean of a model is linear in the weights of the categories, so with these scores
    any other weighting is one product away.

    Parameters
    ----------
    matrix : ScoreMatrix
    weights : sequence of (category, weight)
        Above 0; scaled to sum to 1. Categories without a benchmark in the matrix are passed over.
    models : sequence of str
        The models to compare.
    vote_groups
        Groups of benchmarks that share one vote within a category.

    Raises
    ------
    TooFewError
        Fewer than two models with every benchmark that counts, or no such benchmark.
    BadRequestError
        An unknown model, or a weight that is not above 0.
    """
    if not all(0 < weight < math.inf for _, weight in weights):
        raise BadRequestError("Every weight must be above 0.")
    found = [
        (name, weight, benchmark_weights(((name, 1.0),), matrix.benchmarks, vote_groups))
        for name, weight in weights
    ]
    found = [(name, weight, spread) for name, weight, spread in found if spread]
    counting = {benchmark for *_, spread in found for benchmark in spread}
    counted = select_benchmarks(matrix, [b.id for b in matrix.benchmarks if b.id in counting])
    compared = complete(replace(select_models(counted, sorted(models)), excluded=()))
    n = len(compared.models) if counting else 0
    if n < 2:
        raise TooFewError(
            "This takes at least 2 models with every benchmark that counts; "
            f"there is {n or 'none'}."
        )
    total = math.fsum(weight for _, weight, _ in found)
    spreads = np.array(
        [[spread.get(b.id, 0.0) for b in compared.benchmarks] for *_, spread in found]
    )
    values, errors = normalised(compared)
    return ByCategory(
        matrix=compared,
        values=values,
        standard_errors=errors,
        categories=tuple((name, weight / total) for name, weight, _ in found),
        spreads=spreads,
        scores=values @ spreads.T,
    )
