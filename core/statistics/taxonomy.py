"""A tree of models by their scores, its clusters (doi 10.2196/72918), and what these are worth.

Silhouettes, tests, and another tree next to it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

import numpy as np
import scipy

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
    oriented,
    select,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from core.domain import FloatArray, ScoreMatrix

    IntArray = NDArray[np.intp]
    Metric = Literal["cityblock", "euclidean", "cosine", "correlation"]
    Linkage = Literal["complete", "average", "single", "ward"]

METRIC: Metric = "cityblock"
LINKAGE: Linkage = "complete"
_METRICS: tuple[Metric, ...] = (METRIC, "euclidean", "cosine", "correlation")
_LINKAGES: tuple[Linkage, ...] = (LINKAGE, "average", "single", "ward")
MOST_IN_A_TREE = 10_000
"""Of more, the distances of all pairs would take too much memory."""
IN_CACHE = 1 << 16
"""Numbers at a time that stay in the processor's cache."""
_ROUNDING = 1e-12


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
        More than ``MOST_IN_A_TREE``, since the distances of all pairs are held at once.

    Examples
    --------
    Both benchmarks have mean 0.5 and variance (0.4² + 0.3² + 0.3² + 0.4²)/4 = 0.125. So two models
    0.1 apart on both are 0.2/√0.125 apart, and the first and the last 1.6/√0.125.

    >>> from core.domain import Benchmark, ScoreMatrix
    >>> benchmarks = tuple(
    ...     Benchmark(
    ...         id=name, suite="s", name=name, category="", subcategory="", category_reason="",
    ...         domain="general", metric="accuracy", scale_min=0, scale_max=1,
    ...         lower_is_better=False, n_items=None, is_accuracy=False, access="", source="",
    ...     )
    ...     for name in ("first", "second")
    ... )
    >>> scores = np.array([[0.1, 0.1], [0.9, 0.9], [0.2, 0.2], [0.8, 0.8]])
    >>> models = ("w", "x", "y", "z")
    >>> matrix = ScoreMatrix(
    ...     "s", "all", models, benchmarks, scores, scores * np.nan, ("run",) * 4, (), None
    ... )
    >>> tree = build_taxonomy(matrix)
    >>> dict(zip(tree.models, tree.labels))
    {'w': 'L', 'x': 'H', 'y': 'L', 'z': 'H'}
    >>> tree.linkage_matrix[:, 2].round(3).tolist()
    [0.566, 0.566, 4.525]
    """
    kept = complete(matrix)
    n = len(kept.models)
    if not matrix.benchmarks:
        raise TooFewError("A taxonomy takes at least 1 benchmark; there is none.")
    if n < 3:
        raise TooFewError(
            f"A taxonomy takes at least 3 models with every benchmark; there are {n}."
        )
    if n > MOST_IN_A_TREE:
        raise BadRequestError(
            f"A tree takes at most {MOST_IN_A_TREE:,} models; there are {n:,}. Choose fewer."
        )
    standardised = standardise(oriented(kept))
    if not standardised.any():
        raise TooFewError("No benchmark tells these models apart: all their scores are equal.")
    condensed = scipy.spatial.distance.pdist(standardised, METRIC)
    still_wanted()
    tree = scipy.cluster.hierarchy.linkage(condensed, LINKAGE)
    still_wanted()
    totals: list[float] = standardised.sum(axis=1).tolist()
    merges, joined = _put_higher_left(tree, totals)
    leaves, between = _in_order(merges)
    labels = _named(_cut(leaves, between, n_clusters), totals, n_clusters)
    height = tree[:, 2]
    cophenetic = _cophenetic_correlation(
        condensed, height, np.array(joined, float), standardised[leaves], height[between]
    )
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
        labels=labels,
        standardised=standardised,
        cophenetic_correlation=cophenetic,
        excluded=kept.excluded,
        snapshot=kept.snapshot,
    )


def best_first(taxonomy: Taxonomy) -> list[list[tuple[str, float]]]:
    """Return the models of each cluster with their mean standardised scores, all best first."""
    means: list[float] = taxonomy.standardised.mean(axis=1).tolist()
    every = zip(taxonomy.models, taxonomy.labels, means, strict=True)
    ordered = sorted(every, key=lambda it: -it[2])
    return [
        [(model, mean) for model, label, mean in ordered if label == name]
        for name in cluster_names(taxonomy.n_clusters)
    ]


def are_apart(clusters: Sequence[Sequence[tuple[str, float]]]) -> bool:
    """Say whether each model of a cluster is above all of the next, as ``best_first`` has them."""
    return all(high[-1][1] > low[0][1] for high, low in pairwise(clusters))


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
        condensed = scipy.spatial.distance.pdist(standardised, metric)
        if np.isnan(condensed).any():
            continue
        for linkage in _LINKAGES:
            if linkage != "ward" or metric == "euclidean":
                tree = scipy.cluster.hierarchy.linkage(condensed, linkage)
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
    distances: FloatArray = scipy.spatial.distance.cdist(scores[rows], scores[columns], METRIC)
    return distances


def cut(linkage_matrix: FloatArray, n_clusters: int) -> IntArray:
    """Cluster number of each leaf, from 0 at the left of the tree.

    Undoes the last ``n_clusters`` − 1 merges of a tree whose heights do not decrease, so exactly
    ``n_clusters`` come out even where merges tie, which a cut at a height does not promise.
    """
    return np.array(_cut(*_in_order(_children(linkage_matrix)), n_clusters), dtype=np.intp)


def _children(tree: FloatArray) -> list[list[int]]:
    children: list[list[int]] = tree[:, :2].astype(np.intp).tolist()
    return children


def _in_order(children: Sequence[Sequence[int]]) -> tuple[list[int], list[int]]:
    """Leaves from left to right, and for each gap between neighbours the merge that joins them.

    As ``leaves_list`` and the cuts of ``scipy.cluster.hierarchy``, which take longer than the tree
    of a few dozen models itself.
    """
    n = len(children) + 1
    leaves: list[int] = []
    between: list[int] = []
    opened: list[int] = []
    node = 2 * n - 2
    while True:
        while node >= n:
            opened.append(node - n)
            node = children[node - n][0]
        leaves.append(node)
        if not opened:
            return leaves, between
        between.append(opened.pop())
        node = children[between[-1]][1]


def _cut(leaves: Sequence[int], between: Sequence[int], n_clusters: int) -> list[int]:
    """Cluster number of each leaf: a new one begins at each gap of one of the last merges."""
    n, number = len(leaves), 0
    if not 1 <= n_clusters <= n:
        raise BadRequestError(
            f"The number of clusters must be from 1 to {n}, the number of leaves of the tree; "
            f"it is {n_clusters}."
        )
    clusters = [0] * n
    for leaf, merge in zip(leaves[1:], between, strict=True):
        number += merge >= n - n_clusters
        clusters[leaf] = number
    return clusters


def _named(clusters: list[int], totals: Sequence[float], n_clusters: int) -> tuple[str, ...]:
    """Name of each leaf's cluster, by the mean of the totals in it."""
    size, total = [0] * n_clusters, [0.0] * n_clusters
    for cluster, value in zip(clusters, totals, strict=True):
        size[cluster] += 1
        total[cluster] += value
    highest_first = sorted(range(n_clusters), key=lambda i: -total[i] / size[i])
    name = dict(zip(highest_first, cluster_names(n_clusters), strict=True))
    return tuple([name[cluster] for cluster in clusters])


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
    variance = np.square(centred).sum(axis=-2, keepdims=True) / n
    # Not by the SD: that of a constant column can come out as rounding noise instead of 0.
    varies = (scores != scores[..., :1, :]).any(axis=-2, keepdims=True)
    if not varies.all():
        centred *= varies
        variance[~varies] = 1.0
    centred /= np.sqrt(variance)
    return centred


def _put_higher_left(
    tree: FloatArray, values: Sequence[float]
) -> tuple[list[list[int]], list[int]]:
    """Swap, in place, the branches of each merge whose right one has the higher mean.

    Returns both branches of each merge, as they are now, and how many pairs of leaves it joins.
    """
    total, size = list(values), [1] * len(values)
    merges, joined = _children(tree), []
    for merge in merges:
        a, b = merge
        # Means compared without dividing, which would round.
        if total[a] * size[b] < total[b] * size[a]:
            merge.reverse()
        total.append(total[a] + total[b])
        size.append(size[a] + size[b])
        joined.append(size[a] * size[b])
    tree[:, :2] = merges
    return merges, joined


def _cophenetic_correlation(
    distances: FloatArray,
    at: FloatArray,
    joined: FloatArray,
    ordered: FloatArray,
    heights: FloatArray,
) -> float:
    """Pearson r of the distances and joining heights of all pairs; ``nan`` where one is constant.

    ``at`` has the height of each merge, and ``joined`` the pairs that it joins. ``ordered`` has the
    scores of the leaves from left to right, and ``heights`` those of the gaps between neighbours.
    Heights do not decrease up the tree, so two leaves join at the highest gap between them. The
    distances are centred in place.
    """
    n, n_pairs = len(ordered), len(distances)
    # Not by @, whose threads wait for each other on a busy machine.
    mean, mean_h = distances.sum() / n_pairs, np.einsum("i,i->", joined, at) / n_pairs
    # One side centred is enough: Σ(d − d̄)h is the same as with the mean height taken off h.
    distances -= mean
    spread_d = float(np.einsum("i,i->", distances, distances))
    spread_h = float(np.einsum("i,i->", joined, np.square(at - mean_h)))
    # Σ of squares = Σ of squares about the mean + pairs × mean².
    if any(
        spread <= _ROUNDING * (spread + n_pairs * of * of)
        for spread, of in ((spread_d, mean), (spread_h, mean_h))
    ):
        return math.nan
    both, step = 0.0, max(1, IN_CACHE // n)
    for start in range(0, n - 1, step):
        still_wanted()
        block = ordered[start : start + step]
        d = scipy.spatial.distance.cdist(block, ordered[start:], METRIC)
        d -= mean
        h = np.zeros(d.shape)
        h[:, 1:] = heights[start:]
        # Pairs seen from the other side, and models with themselves, do not count.
        h[:, : len(block)] *= ~np.tri(len(block), dtype=bool)
        np.maximum.accumulate(h, axis=1, out=h)
        both += float(np.einsum("ij,ij->", d, h))
    return both / math.sqrt(spread_d * spread_h)


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
    return Collapsed(
        branches=branches,
        linkage_matrix=_pruned(tree, [branch[0] for branch in branches]),
        means=np.array([taxonomy.standardised[list(b)].mean(axis=0) for b in branches]),
    )


_SIGNIFICANCE = 0.01


def silhouettes(taxonomy: Taxonomy, ks: Iterable[int]) -> dict[int, float | None]:
    """Mean silhouette of the tree cut at each k.

    A model's silhouette is (b − a)/max(a, b), with a its mean distance to the others of its own
    cluster and b that to the nearest other cluster. A model alone in its cluster counts 0, and so
    does one for which a and b are both 0, as in ``sklearn.metrics.silhouette_score``.
    ``None`` where it is not defined: for fewer than two clusters, or as many as leaves or more.
    """
    from sklearn.metrics import silhouette_score  # noqa: PLC0415 - a second to import

    asked, n = list(ks), len(taxonomy.models)
    distances = scipy.spatial.distance.cdist(taxonomy.standardised, taxonomy.standardised, METRIC)
    found = {
        k: float(silhouette_score(distances, cut(taxonomy.linkage_matrix, k), metric="precomputed"))
        for k in asked
        if 2 <= k < n
    }
    return {k: found.get(k) for k in asked}


def suggested_k(found: Mapping[int, float | None]) -> int | None:
    """Return the k with the highest of ``silhouettes``, the smallest on a tie; a hint, no proof."""
    defined = {k: value for k, value in sorted(found.items()) if value is not None}
    return max(defined, key=lambda k: round(defined[k], 12), default=None)


def rank_sum_tests(matrix: ScoreMatrix, taxonomy: Taxonomy) -> ClusterTests:
    """Test each benchmark for a difference between the high and the low cluster.

    Wilcoxon rank-sum test in its normal approximation, with tie correction and without
    continuity correction, and the rank-biserial correlation 2U/(n_H n_L) − 1. Significant
    where p is below 0.01/M over the M benchmarks (Bonferroni). The benchmarks formed the clusters,
    so they would differ even without clusters (arXiv:2012.02936): show this as descriptive.

    The matrix holds the scores behind the taxonomy, which is cut into two clusters; models that
    it left out are skipped. The p-value of a benchmark on which all models score the same is
    ``nan`` and not significant.
    """
    _check_two(taxonomy)
    kept = select(matrix, taxonomy.models)
    return _tested(kept, [_rank_sum(column, taxonomy.labels) for column in oriented(kept).T])


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
    kept = select(matrix, taxonomy.models)
    found = []
    for left_out, column in zip(ids, oriented(kept).T, strict=True):
        others = select(kept, benchmarks=[name for name in ids if name != left_out])
        try:
            found.append(_rank_sum(column, build_taxonomy(others).labels))
        except BadRequestError:
            found.append((math.nan, math.nan, math.nan))
    return _tested(kept, found)


def _tested(matrix: ScoreMatrix, found: Sequence[tuple[float, float, float]]) -> ClusterTests:
    alpha, p_values, effects, smallest = _SIGNIFICANCE / len(found), *zip(*found, strict=True)
    ids = [benchmark.id for benchmark in matrix.benchmarks]
    tests = map(ClusterTest, ids, p_values, [p < alpha for p in p_values], effects)
    return ClusterTests(alpha=alpha, tests=tuple(tests), smallest=smallest)


def smallest_p(n_high: int, n_low: int, tied: float = 0.0) -> float:
    """Return the smallest p-value that the rank-sum test can give for two cluster sizes.

    Every model of one cluster beats every model of the other: U lies n_H n_L/2 from its mean, and
    its variance is n_H n_L/12 · (n + 1 − tied/(n(n − 1))), with ``tied`` the sum of t³ − t over the
    groups of t models with the same score; ``nan`` where all models tie.

    Examples
    --------
    Six models and seven, no ties: z = √(3 · 6 · 7/14) = 3.

    >>> round(smallest_p(6, 7), 4)
    0.0027
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


def _rank_sum(scores: FloatArray, labels: Sequence[str]) -> tuple[float, float, float]:
    """P-value and rank-biserial correlation, and the smallest p that there can be."""
    from scipy.stats import mannwhitneyu  # noqa: PLC0415 - half a second to import

    high = np.array(labels) == "H"
    one, other = scores[high], scores[~high]
    with np.errstate(invalid="ignore", divide="ignore"):
        u, p = mannwhitneyu(one, other, method="asymptotic", use_continuity=False)
    ties = np.unique(scores, return_counts=True)[1]
    least = smallest_p(len(one), len(other), float((ties**3 - ties).sum()))
    return float(p), float(2 * u / (len(one) * len(other)) - 1), least


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
    shared models; in the second one each merge then has the branch to the left whose models are
    further left in the first, on average. This does not always find the fewest crossings.

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
    order_a = _in_order(_children(tree_a))[0]
    place = np.empty(len(models))
    place[order_a] = np.arange(len(models))
    # What is further left in the first.
    order_b = _in_order(_put_higher_left(tree_b, (-place).tolist())[0])[0]
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
    return np.array(merges).reshape(-1, 4)
