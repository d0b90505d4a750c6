"""A tree of models by their scores, its clusters (doi 10.2196/72918), and what these are worth.

Silhouettes, profiles, tests, stability, and another tree beside it. Stability is co-clustering of
models, Jaccard similarity of clusters (Hennig 2007, doi 10.1016/j.csda.2006.11.025) and support of
branches (Felsenstein 1985, doi 10.2307/2408678).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Literal

import numpy as np
from scipy.cluster import hierarchy
from scipy.spatial.distance import cdist, pdist

from core.domain import (
    BadRequestError,
    ClusterTest,
    ClusterTests,
    Exclusion,
    Taxonomy,
    TooFewError,
)
from core.memory import still_wanted
from core.statistics.score_matrix import (
    complete,
    normalised,
    oriented,
    select_benchmarks,
    select_models,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from core.domain import FloatArray, ScoreMatrix

    IntArray = NDArray[np.intp]
    Metric = Literal["cityblock", "euclidean", "cosine", "correlation"]
    Linkage = Literal["complete", "average", "single", "ward"]

METRIC: Metric = "cityblock"
LINKAGE: Linkage = "complete"
_METRICS: tuple[Metric, ...] = (METRIC, "euclidean", "cosine", "correlation")
_LINKAGES: tuple[Linkage, ...] = (LINKAGE, "average", "single", "ward")
MOST_MODELS = 10_000
"""Of more, the distances of all pairs would take too much memory."""
_ROUNDING = 1e-12
_PAIRS = 65_536
"""At a time: so many numbers stay in the processor's cache."""


def build_taxonomy(matrix: ScoreMatrix, *, n_clusters: int = 2) -> Taxonomy:
    """Cluster the models that have every benchmark, by Manhattan distance and complete linkage.

    Each benchmark is turned so that higher is better and standardised over the models to zero
    mean and unit variance (population SD; a sample SD would stretch every distance alike and give
    the same tree). A benchmark on which all models score the same becomes zeros: it does not count
    in the distances.

    Parameters
    ----------
    matrix : ScoreMatrix
        Models without a score on some benchmark are left out and listed in ``excluded``.
    n_clusters : int
        From 1 to the number of complete models. Exactly this many come out: merges at equal
        height are undone from the last one, so with ties the input order decides.

    Returns
    -------
    Taxonomy
        At every split the branch with the higher mean standardised score is on the left. Clusters
        are named by their mean: H; H and L; H, M and L; H, M1, M2, …, L.

    Raises
    ------
    TooFewError
        Fewer than three complete models, or no benchmark that tells them apart.
    BadRequestError
        More than ``MOST_MODELS``, since the distances of all pairs are held at once.
    """
    kept = complete(matrix)
    n = len(kept.models)
    if not matrix.benchmarks:
        raise TooFewError("A taxonomy takes at least 1 benchmark; there is none.")
    if n < 3:
        raise TooFewError(
            f"A taxonomy takes at least 3 models with every benchmark; there are {n}."
        )
    if n > MOST_MODELS:
        raise BadRequestError(
            f"A tree is grown of at most {MOST_MODELS:,} models; there are {n:,}. Choose fewer."
        )
    standardised = standardise(oriented(kept))
    if not standardised.any():
        raise TooFewError("No benchmark tells these models apart: all their scores are equal.")
    condensed = pdist(standardised, METRIC)
    # Not by @, whose threads wait for each other on a busy machine.
    sums = float(condensed.sum()), float(np.einsum("i,i->", condensed, condensed))
    tree = hierarchy.linkage(condensed, LINKAGE)
    totals: list[float] = standardised.sum(axis=1).tolist()
    _put_higher_left(tree, totals)
    clusters = cut(tree, n_clusters)
    means = np.bincount(clusters, weights=totals) / np.bincount(clusters)
    highest_first = np.argsort(-means, kind="stable").tolist()
    name = dict(zip(highest_first, cluster_names(n_clusters), strict=True))
    leaves, between = _in_order(tree)
    cophenetic = _cophenetic_correlation(standardised[leaves], tree[between, 2], *sums)
    for array in (tree, standardised):
        array.setflags(write=False)
    return Taxonomy(
        suite=kept.suite,
        cohort=kept.cohort,
        models=kept.models,
        benchmarks=kept.benchmarks,
        n_clusters=n_clusters,
        linkage_matrix=tree,
        leaf_order=tuple(leaves),
        labels=tuple([name[cluster] for cluster in clusters.tolist()]),
        standardised=standardised,
        cophenetic_correlation=cophenetic,
        excluded=kept.excluded,
        snapshot=kept.snapshot,
    )


def memberships(
    standardised: FloatArray, n_clusters: int
) -> dict[tuple[Metric, Linkage], IntArray]:
    """Cut the tree of each distance and linkage into ``n_clusters``.

    Four distances and four linkages make sixteen pairs. Ward linkage is defined for Euclidean
    distance only, and cosine and correlation distance not for a model whose scores are all the
    mean, or all equal: pairs that are not valid are left out. ``standardised`` has shape
    (n_models, n_benchmarks), nothing missing; the result has the cluster number of each model,
    shape (n_models,), which means nothing in another tree. Ties as in ``cut``.
    """
    found: dict[tuple[Metric, Linkage], IntArray] = {}
    for metric in _METRICS:
        still_wanted()
        condensed = pdist(standardised, metric)
        if np.isnan(condensed).any():
            continue
        for linkage in _LINKAGES:
            if linkage != "ward" or metric == "euclidean":
                tree = hierarchy.linkage(condensed, linkage)
                found[metric, linkage] = cut(tree, n_clusters)
    return found


def trees_that_agree(taxonomy: Taxonomy) -> tuple[int, int]:
    """Count the trees of other distances and linkages that give the same clusters.

    Trees whose cut puts the same models together, and valid trees (``memberships``), this one in
    neither.
    """
    others = memberships(taxonomy.standardised, taxonomy.n_clusters)
    del others[METRIC, LINKAGE]
    # Both cuts have k clusters, none of them empty: they agree where k pairs of names occur.
    same = [
        len(set(zip(taxonomy.labels, cluster.tolist(), strict=True))) for cluster in others.values()
    ]
    return same.count(taxonomy.n_clusters), len(same)


def distances_between(
    taxonomy: Taxonomy, rows: Sequence[int] | IntArray, columns: Sequence[int] | IntArray
) -> FloatArray:
    """Distances of models to others, both given by their positions; shape (rows, columns)."""
    scores = taxonomy.standardised
    distances: FloatArray = cdist(scores[rows], scores[columns], METRIC)
    return distances


def cut(linkage_matrix: FloatArray, n_clusters: int) -> IntArray:
    """Cluster number of each leaf, from 0 at the left of the tree.

    Undoes the last ``n_clusters`` − 1 merges of a tree whose heights do not decrease, so exactly
    ``n_clusters`` come out even where merges tie, which ``scipy.cluster.hierarchy.fcluster`` does
    not promise.
    """
    n = len(linkage_matrix) + 1
    if not 1 <= n_clusters <= n:
        raise BadRequestError(
            f"The number of clusters must be from 1 to {n}, the number of leaves of the tree; "
            f"it is {n_clusters}."
        )
    leaves, between = _in_order(linkage_matrix)
    clusters = np.zeros(n, dtype=np.intp)
    # From left to right, a new cluster begins at each gap whose merge is undone.
    clusters[leaves[1:]] = np.cumsum(np.array(between) >= n - n_clusters)
    return clusters


def leaves_of(linkage_matrix: FloatArray) -> list[int]:
    """Leaves of a tree from left to right."""
    return _in_order(linkage_matrix)[0]


def cluster_names(n_clusters: int) -> tuple[str, ...]:
    """Names of the clusters from the highest mean to the lowest."""
    if n_clusters == 1:
        return ("H",)
    if n_clusters == 3:
        return ("H", "M", "L")
    return ("H", *(f"M{i}" for i in range(1, n_clusters - 1)), "L")


def standardise(scores: FloatArray) -> FloatArray:
    """Mean 0 and variance 1 (population) per benchmark; zeros where all models score the same.

    ``scores`` has shape (..., n_models, n_benchmarks), higher is better and nothing missing.
    """
    n = scores.shape[-2]
    centred: FloatArray = scores - scores.sum(axis=-2, keepdims=True) / n
    # Not by the SD: that of a constant column can come out as rounding noise instead of 0.
    varies = (scores != scores[..., :1, :]).any(axis=-2, keepdims=True)
    variance = (centred * centred).sum(axis=-2, keepdims=True) / n
    if not varies.all():
        centred *= varies
        variance[~varies] = 1.0
    centred /= np.sqrt(variance)
    return centred


def _put_higher_left(tree: FloatArray, values: Sequence[float]) -> None:
    """Swap, in place, the branches of each merge whose right one has the higher mean."""
    total, size = list(values), [1] * len(values)
    merges: list[list[int]] = tree[:, :2].astype(np.intp).tolist()
    for merge in merges:
        a, b = merge
        if total[a] * size[b] < total[b] * size[a]:
            merge.reverse()
        total.append(total[a] + total[b])
        size.append(size[a] + size[b])
    tree[:, :2] = merges


def _in_order(tree: FloatArray) -> tuple[list[int], list[int]]:
    """Leaves from left to right, and for each gap between neighbours the merge that joins them."""
    children: list[list[int]] = tree[:, :2].astype(np.intp).tolist()
    n = len(children) + 1
    leaves: list[int] = []
    between: list[int] = []
    open_merges: list[int] = []
    node = 2 * n - 2
    while True:
        while node >= n:
            open_merges.append(node - n)
            node = children[node - n][0]
        leaves.append(node)
        if not open_merges:
            return leaves, between
        merge = open_merges.pop()
        between.append(merge)
        node = children[merge][1]


def _cophenetic_correlation(
    ordered: FloatArray, heights: FloatArray, sum_d: float, sum_dd: float
) -> float:
    """Pearson r of distances and joining heights over all pairs; ``nan`` where one is constant.

    ``ordered`` holds the leaves from left to right and ``heights`` the gaps between neighbours;
    ``sum_d`` and ``sum_dd`` add up the distances and their squares. Heights do not decrease up the
    tree, so two leaves join at the highest gap between them.
    """
    n = len(ordered)
    step = max(1, _PAIRS // n)
    sum_h = sum_hh = sum_dh = 0.0
    for start in range(0, n - 1, step):
        still_wanted()
        block = ordered[start : start + step]
        d = cdist(block, ordered[start:], METRIC)
        h = np.zeros(d.shape)
        h[:, 1:] = heights[start:]
        # Pairs seen from the other side, and models with themselves, do not count.
        h[:, : len(block)] *= ~np.tri(len(block), dtype=bool)
        np.maximum.accumulate(h, axis=1, out=h)
        sum_h += float(h.sum())
        sum_hh += float(np.einsum("ij,ij->", h, h))
        sum_dh += float(np.einsum("ij,ij->", d, h))
    pairs = n * (n - 1) / 2
    spread_d, spread_h = sum_dd - sum_d * sum_d / pairs, sum_hh - sum_h * sum_h / pairs
    if spread_d <= _ROUNDING * sum_dd or spread_h <= _ROUNDING * sum_hh:
        return math.nan
    return (sum_dh - sum_d * sum_h / pairs) / math.sqrt(spread_d * spread_h)


@dataclass(frozen=True, slots=True, eq=False)
class Collapsed:
    """The top branches of a taxonomy, from left to right."""

    branches: tuple[tuple[int, ...], ...]
    """Positions in the taxonomy's models, per branch, from left to right."""
    linkage_matrix: FloatArray
    """The tree over the branches, shape (n_branches - 1, 4), as scipy has it."""
    means: FloatArray
    """Mean standardised score of each branch on each benchmark, (n_branches, n_benchmarks)."""


def collapsed(taxonomy: Taxonomy, n_branches: int = 30) -> Collapsed:
    """Cut the tree into its top branches and keep the tree above them.

    A tree with fewer leaves than ``n_branches`` gives a branch for each of them. The cut follows
    ``taxonomy.cut``, so a branch lies within one cluster wherever there are at least as many
    branches as clusters. Heights are those of the whole tree; its counts are of branches, not of
    models.
    """
    tree = taxonomy.linkage_matrix
    n = len(tree) + 1
    n_branches = max(1, min(n_branches, n))
    branch_of = cut(tree, n_branches)
    order = np.array(taxonomy.leaf_order)
    branches = tuple(tuple(order[branch_of[order] == i].tolist()) for i in range(n_branches))
    # The last merges of the tree, over branches in place of leaves.
    first = n - n_branches  # merges below it lie inside a branch
    node = np.empty(2 * n - 1, dtype=np.intp)
    node[:n] = branch_of
    children = tree[:, :2].astype(np.intp)
    for merge in range(first):
        node[n + merge] = node[children[merge, 0]]
    node[n + first :] = n_branches + np.arange(n_branches - 1)
    top = tree[first:].copy()
    top[:, :2] = node[children[first:]]
    size = [1] * n_branches
    for merge in top:
        size.append(size[int(merge[0])] + size[int(merge[1])])
        merge[3] = size[-1]
    return Collapsed(
        branches=branches,
        linkage_matrix=top,
        means=np.array([taxonomy.standardised[list(b)].mean(axis=0) for b in branches]),
    )


_BLOCK = 512
_SIGNIFICANCE = 0.01


def silhouettes(taxonomy: Taxonomy, ks: Iterable[int]) -> dict[int, float | None]:
    """Mean silhouette of the tree cut at each k.

    A model's silhouette is (b − a)/max(a, b), with a its mean distance to the others of its own
    cluster and b that to the nearest other cluster. A model alone in its cluster counts 0, and so
    does one for which a and b are both 0, as in ``sklearn.metrics.silhouette_score``.
    ``None`` where it is not defined: for fewer than two clusters, or as many as leaves or more.
    """
    points = taxonomy.standardised
    n, rows = len(points), np.arange(len(points))
    asked = list(ks)
    defined = sorted({k for k in asked if 2 <= k < n})
    if not defined:
        return dict.fromkeys(asked)
    finest = cut(taxonomy.linkage_matrix, defined[-1])
    members = np.eye(defined[-1])[finest]
    blocks = range(0, n, _BLOCK)
    sums = np.concatenate([cdist(points[i : i + _BLOCK], points, METRIC) @ members for i in blocks])
    found: dict[int, float] = {}
    for k in defined:
        clusters = cut(taxonomy.linkage_matrix, k)
        # Clusters only ever merge as k falls, so the sums over the finest cut add up.
        coarse = np.zeros((defined[-1], k))
        coarse[finest, clusters] = 1.0
        to_cluster = sums @ coarse
        size = np.bincount(clusters)
        own = size[clusters]
        means = to_cluster / size
        inside = to_cluster[rows, clusters] / np.maximum(own - 1, 1)
        means[rows, clusters] = np.inf
        outside = means.min(axis=1)
        larger = np.maximum(inside, outside)
        larger[larger == 0] = 1.0
        found[k] = float(np.where(own == 1, 0.0, (outside - inside) / larger).mean())
    return {k: found.get(k) for k in asked}


def suggested_k(found: Mapping[int, float | None]) -> int | None:
    """Return the k with the highest of ``silhouettes``, the smallest on a tie; a hint, no proof."""
    defined = {k: value for k, value in sorted(found.items()) if value is not None}
    return max(defined, key=lambda k: round(defined[k], 12), default=None)


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
    where p is below 0.01/M over the M benchmarks (Bonferroni). The benchmarks formed the clusters,
    so they would differ even without clusters (arXiv:2012.02936): show this as descriptive.

    The matrix holds the scores behind the taxonomy, which is cut into two clusters; models that
    it left out are passed over. The p-value of a benchmark on which all models score the same is
    ``nan`` and not significant.
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
    """Test each benchmark, as in ``rank_sum_tests``, between two clusters formed without it.

    The effect is positive where the cluster that is higher on the other benchmarks scores better.
    Where no other benchmark tells the models apart, p-value and effect are ``nan``, and so is the
    p-value where all models score the same on the tested one.
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

    Every model of one cluster beats every model of the other: U lies n_H n_L/2 from its mean, and
    its variance is n_H n_L/12 · (n + 1 − tied/(n(n − 1))), with ``tied`` the sum of t³ − t over the
    groups of t models with the same score; ``nan`` where all models tie.
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


Noise = Literal["items", "benchmarks"]

_MIN_BENCHMARKS = 3
"""Fewer cannot be resampled to any purpose."""
_AT_ONCE = 2_000_000
"""Numbers to hold at a time."""


@dataclass(frozen=True, slots=True, eq=False)
class Stability:
    """Shares of the resamples in which parts of a taxonomy came out again."""

    noise: Noise
    n_resamples: int
    co_clustering: FloatArray
    """Per pair of models, the share in which they fall in one cluster; (n_models, n_models)."""
    jaccard: tuple[tuple[str, float], ...]
    """Per cluster, from high to low: its likeness to the nearest cluster of each resample, 0 to 1,
    on the mean."""
    support: FloatArray
    """Per merge of the linkage matrix, the share of trees with exactly these models as a branch;
    (n_models - 1,). That of the last merge, which holds all models, is always 1."""


def stability(
    matrix: ScoreMatrix,
    taxonomy: Taxonomy,
    *,
    noise: Noise,
    n_resamples: int = 1000,
    seed: int = 0,
) -> Stability:
    """Grow the tree again from resampled scores, with the taxonomy's number of clusters.

    Parameters
    ----------
    matrix : ScoreMatrix
        The scores behind the taxonomy; models that it left out are passed over.
    taxonomy : Taxonomy
    noise : {"items", "benchmarks"}
        ``items``: each score is drawn anew from a normal distribution around it with its standard
        error, then standardised: what other questions of the same kind would give.
        ``benchmarks``: as many benchmarks are drawn with replacement as there are, from those that
        tell models apart; the scores stay standardised as they are. This is the bootstrap
        probability (BP at r = 1) of R's pvclust.
    n_resamples, seed : int
        One seed gives one result. The time is about that of ``n_resamples`` trees.

    Returns
    -------
    Stability
        Merges that tie are undone from the last one, as in ``taxonomy.cut``. ``items`` takes a
        standard error of every score, ``benchmarks`` three that tell models apart.
    """
    tree = taxonomy.linkage_matrix
    n, k = len(tree) + 1, taxonomy.n_clusters
    rng = np.random.default_rng(seed)
    draws = (
        _other_items(matrix, taxonomy, n_resamples, rng)
        if noise == "items"
        else _other_benchmarks(taxonomy, n_resamples, rng)
    )
    keys = np.random.default_rng(0).integers(0, 2**63, n, dtype=np.int64)
    branches = _branch_keys(tree[None, :, :2].astype(np.intp), keys)[0]
    by_key = np.argsort(branches)
    names = cluster_names(k)
    own = np.array(taxonomy.labels)[:, None] == np.array(names)

    together = np.zeros((n, n))
    likeness = np.zeros(k)
    support = np.zeros(n - 1)
    for trees, times in _trees(draws, n):
        found = _branch_keys(trees, keys)
        place = np.minimum(np.searchsorted(branches, found, sorter=by_key), n - 2)
        merge = by_key[place]
        same = branches[merge] == found
        support += np.bincount(
            merge[same], np.broadcast_to(times[:, None], same.shape)[same], minlength=n - 1
        )
        members = (_clusters(trees, k)[:, None] == np.arange(k)[:, None]).astype(float)
        weighted = members * times[:, None, None]
        together += weighted.reshape(-1, n).T @ members.reshape(-1, n)
        both = members @ own.astype(float)
        either = members.sum(axis=2)[:, :, None] + own.sum(axis=0) - both
        likeness += times @ (both / either).max(axis=1)
    together /= n_resamples
    support /= n_resamples
    for array in (together, support):
        array.setflags(write=False)
    return Stability(
        noise=noise,
        n_resamples=n_resamples,
        co_clustering=together,
        jaccard=tuple(zip(names, (likeness / n_resamples).tolist(), strict=True)),
        support=support,
    )


def _other_items(
    matrix: ScoreMatrix, taxonomy: Taxonomy, n_resamples: int, rng: np.random.Generator
) -> Iterator[tuple[FloatArray, float]]:
    """Condensed distances from scores drawn anew, each with the number of times it counts."""
    kept = select_models(matrix, taxonomy.models)
    missing = np.flatnonzero(np.isnan(kept.standard_errors).any(axis=0))
    if len(missing):
        names = [kept.benchmarks[j].name for j in missing]
        more = f" and {len(names) - 6} more" if len(names) > 8 else ""
        raise BadRequestError(
            f"Other items cannot be simulated: there is no standard error for some scores on "
            f"{', '.join(names[:6] if more else names)}{more}."
        )
    scores, errors = oriented(kept), kept.standard_errors
    step = max(1, _AT_ONCE // scores.size)
    for start in range(0, n_resamples, step):
        shape = (min(step, n_resamples - start), *scores.shape)
        drawn = standardise(scores + errors * rng.standard_normal(shape))
        for points in drawn:
            still_wanted()
            yield pdist(points, METRIC), 1.0


def _other_benchmarks(
    taxonomy: Taxonomy, n_resamples: int, rng: np.random.Generator
) -> Iterator[tuple[FloatArray, float]]:
    """Condensed distances over benchmarks drawn with replacement, each different draw once."""
    points = taxonomy.standardised[:, taxonomy.standardised.any(axis=0)]
    b = points.shape[1]
    if b < _MIN_BENCHMARKS:
        raise TooFewError(
            f"Benchmarks can be resampled from {_MIN_BENCHMARKS} on; {b} of these tell the "
            "models apart."
        )
    drawn = rng.multinomial(b, np.full(b, 1 / b), size=n_resamples)
    for counts, times in zip(*np.unique(drawn, axis=0, return_counts=True), strict=True):
        still_wanted()
        yield pdist(np.repeat(points, counts, axis=1), METRIC), float(times)


def _trees(
    draws: Iterator[tuple[FloatArray, float]], n: int
) -> Iterator[tuple[IntArray, FloatArray]]:
    """Children per merge of many trees at a time, (t, n - 1, 2), and how often each counts."""
    most = max(1, _AT_ONCE // (10 * n))
    while batch := list(islice(draws, most)):
        still_wanted()
        trees = [hierarchy.linkage(distances, LINKAGE) for distances, _ in batch]
        children = np.array([tree[:, :2] for tree in trees]).astype(np.intp)
        yield children, np.array([times for _, times in batch])


def _branch_keys(trees: IntArray, keys: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return a number per merge that says which leaves lie under it, shape (t, n - 1).

    The exclusive or of a random number per leaf: equal sets have equal numbers, and different
    ones differ, but for a chance of one in 2⁶³.
    """
    t, n = len(trees), len(keys)
    number = np.empty((2 * n - 1, t), dtype=np.int64)
    number[:n] = keys[:, None]
    each = np.arange(t)
    for merge in range(n - 1):
        left, right = trees[:, merge].T
        number[n + merge] = number[left, each] ^ number[right, each]
    return number[n:].T


def _clusters(trees: IntArray, n_clusters: int) -> IntArray:
    """Cluster of each leaf, from 0, after the last merges are undone; shape (t, n)."""
    t, n = len(trees), trees.shape[1] + 1
    cluster = np.zeros((2 * n - 1, t), dtype=np.intp)
    each = np.arange(t)
    for merge in range(n - 2, -1, -1):
        left, right = trees[:, merge].T
        cluster[left, each] = cluster[n + merge]
        undone = merge >= n - n_clusters
        cluster[right, each] = n - 1 - merge if undone else cluster[n + merge]
    return cluster[:n].T


_FEWEST = 3


@dataclass(frozen=True, slots=True, eq=False)
class Agreement:
    """How far two taxonomies agree on the models that both have."""

    models: tuple[str, ...]
    """The shared models, in the order of the first taxonomy."""
    labels_a: tuple[str, ...]
    labels_b: tuple[str, ...]
    names_a: tuple[str, ...]
    """Clusters of the first taxonomy from high to low: the rows of ``table``."""
    names_b: tuple[str, ...]
    table: NDArray[np.intp]
    """Number of shared models per pair of clusters, shape (k_a, k_b)."""
    adjusted_rand: float
    """1 for the same partition, about 0 for what chance gives."""
    changed: tuple[tuple[str, str, str], ...]
    """Model, its cluster in the first and in the second taxonomy, where these differ."""
    only_a: tuple[Exclusion, ...]
    """Models that the second taxonomy lacks, with the reason."""
    only_b: tuple[Exclusion, ...]
    tree_a: FloatArray
    """Linkage matrix over the shared models alone, shape (n_shared - 1, 4)."""
    tree_b: FloatArray
    """The same of the second taxonomy, its branches turned towards the first."""
    order_a: tuple[int, ...]
    """Leaves of ``tree_a`` from left to right, as positions in ``models``."""
    order_b: tuple[int, ...]


def agreement(a: Taxonomy, b: Taxonomy) -> Agreement:
    """Compare two taxonomies over the models that both have.

    The clusters are those of the whole taxonomies. For the picture, both trees are pruned to the
    shared models; in the second one each merge then has the branch to the left whose models stand
    further left in the first, on the mean. This does not always find the fewest crossings.

    They may differ in suite, in the number of clusters and in their models. Fewer than three
    models in common are refused. Adjusted Rand index: Hubert and Arabie 1985.
    """
    from sklearn.metrics import adjusted_rand_score  # noqa: PLC0415 - a second to import

    place_b = {model: i for i, model in enumerate(b.models)}
    in_a = [i for i, model in enumerate(a.models) if model in place_b]
    models = tuple(a.models[i] for i in in_a)
    if len(models) < _FEWEST:
        raise TooFewError(
            f"Two trees are compared over at least {_FEWEST} models that both have; there "
            f"{'is' if len(models) == 1 else 'are'} {len(models)}."
        )
    in_b = [place_b[model] for model in models]
    labels_a, labels_b = [a.labels[i] for i in in_a], [b.labels[i] for i in in_b]
    names_a, names_b = cluster_names(a.n_clusters), cluster_names(b.n_clusters)

    def missing(of: Taxonomy, there: Taxonomy) -> tuple[Exclusion, ...]:
        reasons = {left_out.model: left_out.reason for left_out in there.excluded}
        return tuple(
            Exclusion(model, reasons.get(model, "not among the models compared"))
            for model in of.models
            if model not in there.models
        )

    table = np.zeros((len(names_a), len(names_b)), dtype=np.intp)
    for one, other in zip(labels_a, labels_b, strict=True):
        table[names_a.index(one), names_b.index(other)] += 1
    tree_a, tree_b = _pruned(a.linkage_matrix, in_a), _pruned(b.linkage_matrix, in_b)
    order_a = leaves_of(tree_a)
    place = np.empty(len(models))
    place[order_a] = np.arange(len(models))
    _put_higher_left(tree_b, (-place).tolist())  # what stands further left in the first
    order_b = leaves_of(tree_b)
    for array in (table, tree_a, tree_b):
        array.setflags(write=False)
    return Agreement(
        models=models,
        labels_a=tuple(labels_a),
        labels_b=tuple(labels_b),
        names_a=names_a,
        names_b=names_b,
        table=table,
        adjusted_rand=float(adjusted_rand_score(labels_a, labels_b)),
        changed=tuple(
            (models[i], labels_a[i], labels_b[i]) for i in order_a if labels_a[i] != labels_b[i]
        ),
        only_a=missing(a, b),
        only_b=missing(b, a),
        tree_a=tree_a,
        tree_b=tree_b,
        order_a=tuple(order_a),
        order_b=tuple(order_b),
    )


def _pruned(tree: FloatArray, kept: Sequence[int]) -> FloatArray:
    """Tree over the kept leaves alone, numbered as in ``kept``; the sides of merges stay."""
    n = len(tree) + 1
    # Node of the pruned tree that stands for each node of the whole one; -1 for none.
    node = np.full(2 * n - 1, -1, dtype=np.intp)
    node[list(kept)] = np.arange(len(kept))
    size = dict.fromkeys(range(len(kept)), 1)
    merges: list[tuple[float, float, float, float]] = []
    for merge, (a, b, height, _) in enumerate(tree.tolist()):
        left, right = int(node[int(a)]), int(node[int(b)])
        if left < 0 or right < 0:
            node[n + merge] = max(left, right)
            continue
        new = len(kept) + len(merges)
        size[new] = size[left] + size[right]
        node[n + merge] = new
        merges.append((left, right, height, size[new]))
    return np.array(merges)
