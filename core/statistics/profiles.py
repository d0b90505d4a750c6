"""What the clusters of a taxonomy score on each benchmark: the figures of a box plot."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from core.statistics.score_matrix import normalised, select_models
from core.statistics.taxonomy import cluster_names

if TYPE_CHECKING:
    from core.domain import ScoreMatrix, Taxonomy


@dataclass(frozen=True, slots=True)
class Profile:
    """Five-number summary of one cluster on one benchmark, 0 to 1 scale, higher is better."""

    cluster: str
    benchmark: str
    minimum: float
    q1: float
    median: float
    q3: float
    maximum: float
    n: int
    """Models in the cluster."""


def profiles(matrix: ScoreMatrix, taxonomy: Taxonomy) -> tuple[Profile, ...]:
    """Summarise the normalised scores of each cluster on each benchmark.

    Parameters
    ----------
    matrix : ScoreMatrix
        The scores behind the taxonomy; models that it left out are passed over.
    taxonomy : Taxonomy

    Returns
    -------
    tuple of Profile
        Clusters from high to low, in each the benchmarks in the matrix's order. Quartiles are
        interpolated linearly (type 7 of Hyndman and Fan 1996, the default of numpy and R).
    """
    scores = normalised(select_models(matrix, taxonomy.models))[0]
    labels = np.array(taxonomy.labels)
    result = []
    for cluster in cluster_names(taxonomy.n_clusters):
        inside = scores[labels == cluster]
        figures = np.quantile(inside, (0, 0.25, 0.5, 0.75, 1), axis=0).T.tolist()
        for benchmark, figure in zip(matrix.benchmarks, figures, strict=True):
            low, q1, median, q3, high = figure
            result.append(Profile(cluster, benchmark.id, low, q1, median, q3, high, n=len(inside)))
    return tuple(result)
