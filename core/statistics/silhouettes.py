"""How clearly a tree falls into k clusters (Rousseeuw 1987, doi 10.1016/0377-0427(87)90125-7)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, cast

import numpy as np
from scipy.spatial.distance import cdist

from core.statistics.reduction import centres
from core.statistics.taxonomy import cut

if TYPE_CHECKING:
    from collections.abc import Iterable

    from core.domain import FloatArray, Taxonomy

    Metric = Literal["cityblock", "euclidean", "cosine", "correlation"]

_BLOCK = 512


def silhouettes(taxonomy: Taxonomy, ks: Iterable[int]) -> dict[int, float | None]:
    """Mean silhouette of the tree cut at each k.

    A model's silhouette is (b − a)/max(a, b), with a its mean distance to the others of its own
    cluster and b that to the nearest other cluster. A model alone in its cluster counts 0, and so
    does one for which a and b are both 0, as in ``sklearn.metrics.silhouette_score``. Of a tree
    over groups of models, each group counts once.

    Returns
    -------
    dict of k to float or None
        ``None`` where it is not defined: for fewer than two clusters, or as many as leaves or
        more.
    """
    points = taxonomy.standardised
    if taxonomy.groups is not None:
        points = centres(points, taxonomy.groups)
    n = len(points)
    asked = list(ks)
    defined = sorted({k for k in asked if 2 <= k < n})
    if not defined:
        return dict.fromkeys(asked)
    finest = cut(taxonomy.linkage_matrix, defined[-1])
    sums = _sums_to(points, np.eye(defined[-1])[finest], taxonomy.metric)
    found: dict[int, float] = {}
    for k in defined:
        clusters = cut(taxonomy.linkage_matrix, k)
        # Clusters only ever merge as k falls, so the sums over the finest cut add up.
        coarse = np.zeros((defined[-1], k))
        coarse[finest, clusters] = 1.0
        found[k] = _mean_silhouette(sums @ coarse, clusters)
    return {k: found.get(k) for k in asked}


def suggested_k(taxonomy: Taxonomy, ks: Iterable[int] = range(2, 7)) -> int | None:
    """Return the k with the highest mean silhouette, the smaller on a tie; ``None`` without any.

    A hint, no proof of that many clusters: two always come out of any scores.
    """
    found = silhouettes(taxonomy, sorted(ks))
    defined = {k: value for k, value in found.items() if value is not None}
    return max(defined, key=lambda k: round(defined[k], 12), default=None)


def _sums_to(points: FloatArray, members: FloatArray, metric: str) -> FloatArray:
    """Sum of each point's distances to the members of each cluster, shape (n, k)."""
    return np.concatenate(
        [
            cdist(points[start : start + _BLOCK], points, cast("Metric", metric)) @ members
            for start in range(0, len(points), _BLOCK)
        ]
    )


def _mean_silhouette(sums: FloatArray, clusters: np.ndarray) -> float:
    size = np.bincount(clusters)
    rows = np.arange(len(clusters))
    own = size[clusters]
    means = sums / size
    inside = sums[rows, clusters] / np.maximum(own - 1, 1)
    means[rows, clusters] = np.inf
    outside = means.min(axis=1)
    larger = np.maximum(inside, outside)
    larger[larger == 0] = 1.0
    values = np.where(own == 1, 0.0, (outside - inside) / larger)
    return float(values.mean())
