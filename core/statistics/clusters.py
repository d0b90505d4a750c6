"""What sets the clusters of a tree apart: silhouettes, profiles, and tests of each benchmark."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.spatial.distance import cdist

from core.domain import BadRequestError, ClusterTest, ClusterTests, TooFewError
from core.statistics.score_matrix import normalised, oriented, select_benchmarks, select_models
from core.statistics.taxonomy import METRIC, build_taxonomy, centres, cluster_names, cut

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from core.domain import FloatArray, ScoreMatrix, Taxonomy

_BLOCK = 512
_SIGNIFICANCE = 0.01


def silhouettes(taxonomy: Taxonomy, ks: Iterable[int]) -> dict[int, float | None]:
    """Mean silhouette of the tree cut at each k.

    A model's silhouette is (b − a)/max(a, b), with a its mean distance to the others of its own
    cluster and b that to the nearest other cluster. A model alone in its cluster counts 0, and so
    does one for which a and b are both 0, as in ``sklearn.metrics.silhouette_score``. Of a tree
    over groups of models, each group counts once.
    ``None`` where it is not defined: for fewer than two clusters, or as many as leaves or more.
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
    sums = _sums_to(points, np.eye(defined[-1])[finest])
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


def _sums_to(points: FloatArray, members: FloatArray) -> FloatArray:
    """Sum of each point's distances to the members of each cluster, shape (n, k)."""
    return np.concatenate(
        [
            cdist(points[start : start + _BLOCK], points, METRIC) @ members
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

    The matrix holds the scores behind the taxonomy; models that it left out are passed over.
    Clusters come from high to low, in each the benchmarks in the matrix's order. Quartiles are
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


def rank_sum_tests(matrix: ScoreMatrix, taxonomy: Taxonomy) -> ClusterTests:
    """Test each benchmark for a difference between the high and the low cluster.

    Wilcoxon rank-sum test in its normal approximation, with tie correction and without
    continuity correction, and the rank-biserial correlation 2U/(n_H n_L) − 1. Significant
    where p is below 0.01/M over the M benchmarks (Bonferroni). The tests use the benchmarks
    that formed the clusters, so they would find differences even without clusters
    (arXiv:2012.02936): show them as descriptive.

    The matrix holds the scores behind the taxonomy, which is cut into two clusters; models that
    it left out are passed over. One test per benchmark, in the matrix's order; the p-value of a
    benchmark on which all models score the same is ``nan`` and not significant.
    """
    _check_two(taxonomy)
    scores = oriented(select_models(matrix, taxonomy.models))
    alpha = _SIGNIFICANCE / len(matrix.benchmarks)
    p_values, effects, smallest = _rank_sums(scores, taxonomy.labels)
    return ClusterTests(
        alpha=alpha,
        tests=tuple(
            ClusterTest(benchmark.id, p, p < alpha, effect)
            for benchmark, p, effect in zip(matrix.benchmarks, p_values, effects, strict=True)
        ),
        smallest=tuple(smallest),
    )


def leave_one_out_tests(matrix: ScoreMatrix, taxonomy: Taxonomy) -> ClusterTests:
    """Test each benchmark between the two clusters that the other benchmarks form.

    For each benchmark the same models are clustered without it, into two; then it is tested as
    in ``rank_sum_tests``, at the same level. So no benchmark is tested on clusters that it formed.
    The clusters differ a little from test to test.

    The effect is positive where the cluster that is higher on the other benchmarks scores better.
    Where the other benchmarks give no tree, because none of them tells the models apart, p-value
    and effect are ``nan``, and so is the p-value where all models score the same on the tested
    one.
    """
    _check_two(taxonomy)
    ids = [benchmark.id for benchmark in matrix.benchmarks]
    if len(ids) < 2:
        raise TooFewError(
            f"Leaving a benchmark out takes at least 2 benchmarks; there are {len(ids)}."
        )
    kept = select_models(matrix, taxonomy.models)
    scores = oriented(kept)
    alpha = _SIGNIFICANCE / len(ids)
    tests, smallest = [], []
    for j, left_out in enumerate(ids):
        others = select_benchmarks(kept, [name for name in ids if name != left_out])
        try:
            tree = build_taxonomy(others)
        except BadRequestError:
            tests.append(ClusterTest(left_out, float("nan"), False, float("nan")))
            smallest.append(float("nan"))
            continue
        (p,), (effect,), (least,) = _rank_sums(scores[:, [j]], tree.labels)
        tests.append(ClusterTest(left_out, p, p < alpha, effect))
        smallest.append(least)
    return ClusterTests(alpha=alpha, tests=tuple(tests), smallest=tuple(smallest))


def smallest_p(n_high: int, n_low: int, tied: float = 0.0) -> float:
    """Return the smallest p-value that the rank-sum test can give for two cluster sizes.

    It is that of clusters of which every model of one beats every model of the other: U lies
    n_H n_L/2 from its mean, and its variance is n_H n_L/12 · (n + 1 − tied/(n(n − 1))).

    ``tied`` is the sum of t³ − t over the groups of t models with the same score. Ties make the
    variance, and so the smallest p-value, smaller; where all models tie it is ``nan``.
    """
    n = n_high + n_low
    spread = n + 1 - tied / (n * (n - 1))
    if spread <= 0:
        return math.nan
    # Half the squared z of U = n_H n_L; erfc is the two-sided tail of the normal distribution.
    return math.erfc(math.sqrt(1.5 * n_high * n_low / spread))


def _check_two(taxonomy: Taxonomy) -> None:
    if taxonomy.n_clusters != 2:
        raise BadRequestError(
            f"The rank-sum test compares two clusters; there are {taxonomy.n_clusters}."
        )


def _rank_sums(
    scores: FloatArray, labels: Sequence[str]
) -> tuple[list[float], list[float], list[float]]:
    """P-values and rank-biserial correlations of the columns, and the smallest p each can give."""
    from scipy.stats import mannwhitneyu  # noqa: PLC0415 - half a second to import

    high = np.array([label == "H" for label in labels])
    with np.errstate(invalid="ignore", divide="ignore"):
        found = mannwhitneyu(
            scores[high], scores[~high], axis=0, method="asymptotic", use_continuity=False
        )
    n_high, n_low = int(high.sum()), int((~high).sum())
    effect = 2 * found.statistic / (n_high * n_low) - 1
    ties = [np.unique(column, return_counts=True)[1] for column in scores.T]
    smallest = [smallest_p(n_high, n_low, float((t**3 - t).sum())) for t in ties]
    return found.pvalue.tolist(), effect.tolist(), smallest
