"""Which benchmarks separate the two clusters of a taxonomy (doi 10.2196/72918).

Tested once as the paper does, and once with each benchmark kept out of the clusters it is tested
on.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from core.domain import BadRequestError, ClusterTest, ClusterTests, TooFewError
from core.statistics.score_matrix import oriented, select_benchmarks, select_models
from core.statistics.taxonomy import build_taxonomy

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.domain import FloatArray, ScoreMatrix, Taxonomy

_SIGNIFICANCE = 0.01


def rank_sum_tests(matrix: ScoreMatrix, taxonomy: Taxonomy) -> ClusterTests:
    """Test each benchmark for a difference between the high and the low cluster.

    Wilcoxon rank-sum test in its normal approximation, with tie correction and without
    continuity correction, and the rank-biserial correlation 2U/(n_H n_L) − 1. Significant
    where p is below 0.01/M over the M benchmarks (Bonferroni). The tests use the benchmarks
    that formed the clusters, so they would find differences even without clusters
    (arXiv:2012.02936): show them as descriptive.

    Parameters
    ----------
    matrix : ScoreMatrix
        The scores behind the taxonomy; models that it left out are passed over.
    taxonomy : Taxonomy
        Cut into two clusters.

    Returns
    -------
    ClusterTests
        One test per benchmark in the matrix's order. The p-value of a benchmark on which all
        models score the same is ``nan`` and not significant.

    Raises
    ------
    BadRequestError
        The taxonomy is not cut into two.
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

    For each benchmark the same models are clustered without it, with the taxonomy's metric and
    linkage and into two; then it is tested as in ``rank_sum_tests``, at the same level. So no
    benchmark is tested on clusters that it formed. The clusters differ a little from test to
    test.

    Parameters
    ----------
    matrix : ScoreMatrix
        The scores behind the taxonomy; models that it left out are passed over.
    taxonomy : Taxonomy
        Cut into two clusters.

    Returns
    -------
    ClusterTests
        One test per benchmark in the matrix's order; the effect is positive where the cluster
        that is higher on the other benchmarks scores better. Where the other benchmarks give no
        tree, because none of them tells the models apart or the distance is not defined,
        p-value and effect are ``nan``, and so is the p-value where all models score the same on
        the tested one.

    Raises
    ------
    BadRequestError
        The taxonomy is not cut into two.
    TooFewError
        Fewer than two benchmarks.
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
            tree = build_taxonomy(others, metric=taxonomy.metric, linkage=taxonomy.linkage)
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

    Parameters
    ----------
    n_high, n_low : int
        Models in each cluster, at least one.
    tied : float
        Sum of t³ − t over the groups of t models with the same score. Ties make the variance,
        and so the smallest p-value, smaller. Where all models tie it is ``nan``.
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
