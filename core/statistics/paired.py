"""Many pairs of models at once, by the items that both of each pair have."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from core.domain import ItemErrors
from core.statistics.items import pair_errors

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from core.domain import FloatArray
    from core.statistics.items import Codes

    BoolArray = NDArray[np.bool_]


def item_errors(
    n_models: int, per_benchmark: Sequence[tuple[Codes, FloatArray, Codes | None] | None]
) -> ItemErrors:
    """Gather how far models are apart on their items, benchmark by benchmark.

    Parameters
    ----------
    n_models
        Models of the matrix.
    per_benchmark
        For each benchmark of the matrix: the positions of the models with items, their scores as
        for ``pair_errors``, and the clusters; ``None`` without items.
    """
    found = np.full((3, len(per_benchmark), n_models, n_models), np.nan)
    for j, of_benchmark in enumerate(per_benchmark):
        if of_benchmark is not None:
            rows, scores, own = of_benchmark
            found[:, j, rows[:, None], rows] = pair_errors(scores, own)
    found.setflags(write=False)
    return ItemErrors(*found)


def paired(items: ItemErrors, rows: NDArray[np.intp], others: NDArray[np.intp]) -> Paired:
    """Return what items say of pairs of models, each given by two positions.

    ``rows`` and ``others`` are of one shape. A model and itself are its own mean.
    """
    alike = np.equal(rows, others)[..., None]
    variance, gained, lost, clusters = (
        np.moveaxis(part, 0, -1)
        for part in (
            items.variance[:, rows, others],
            items.gains[:, rows, others],
            items.gains[:, others, rows],
            items.clusters[:, rows, others],
        )
    )
    nothing = np.where(alike, np.nan, 0.0)
    return Paired(variance, gained + nothing, lost + nothing, clusters)


class Paired(NamedTuple):
    """What the items of both models of each pair say, by pair and benchmark.

    Arrays of the shape of the pairs, and b; ``nan`` where one of the two has no items. As in
    ``ItemErrors``; without gains there is no score test.
    """

    variance: FloatArray
    gained: FloatArray
    lost: FloatArray
    clusters: FloatArray

    def of(self, benchmarks: BoolArray) -> Paired:
        """Keep some benchmarks."""
        return Paired(*(part[..., benchmarks] for part in self))

    def instead_of(
        self, values: FloatArray, errors: Sequence[FloatArray]
    ) -> tuple[FloatArray, list[FloatArray], FloatArray]:
        """Return values, their one error and its degrees of freedom, of items where there are."""
        single = ~np.isnan(self.variance)
        values = np.where(np.isnan(self.gained + values), values, self.gained - self.lost)
        squares: FloatArray = sum((np.square(error) for error in errors), np.zeros(()))
        error = np.sqrt(np.where(single, self.variance, squares))
        return values, [error], np.where(single, self.clusters - 1, np.inf)

    def shares(self, weight: FloatArray, same_items: Sequence[str]) -> FloatArray:
        """Return gained, lost and the effective number of items of each pair's weighted mean.

        ``weight``, of the shape of the pairs and b, sums to 1, 0 where a benchmark is missing.
        Shape (3, pairs); ``nan`` where a benchmark that counts has no items of both.
        """
        counts = weight > 0
        inverse = np.where(
            counts & np.isnan(self.variance), np.nan, weight / np.sqrt(self.clusters)
        )
        error = squared_error(np.where(counts, inverse, 0.0), same_items)
        n = 1 / np.where(error > 0, error, np.nan)
        gained, lost = (
            (np.where(counts, part, 0.0) * weight).sum(axis=-1) for part in (self.gained, self.lost)
        )
        return np.stack([gained, lost, n])


def squared_error(weighted: FloatArray, same_items: Sequence[str]) -> FloatArray:
    """Squared error of a mean from the weighted errors of its benchmarks, the last axis."""
    sets: dict[str, list[int]] = {}
    for j, name in enumerate(same_items):
        sets.setdefault(name or f"\0{j}", []).append(j)
    total: FloatArray = sum(
        (np.square(weighted[..., columns].sum(axis=-1)) for columns in sets.values()),
        start=np.zeros(weighted.shape[:-1]),
    )
    return total
