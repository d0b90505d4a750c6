"""A tree of models by their scores, and its cut into clusters (doi 10.2196/72918)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from scipy.cluster import hierarchy
from scipy.spatial.distance import cdist, pdist

from core.domain import BadRequestError, Taxonomy, TooFewError
from core.domain.patience import still_wanted
from core.statistics.score_matrix import complete, oriented

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from core.domain import FloatArray, ScoreMatrix

    IntArray = NDArray[np.intp]
    Metric = Literal["cityblock", "euclidean", "cosine", "correlation"]
    Linkage = Literal["complete", "average", "single", "ward"]
    from core.domain import Taxonomy

METRIC: Metric = "cityblock"
LINKAGE: Linkage = "complete"
_METRICS: tuple[Metric, ...] = (METRIC, "euclidean", "cosine", "correlation")
_LINKAGES: tuple[Linkage, ...] = (LINKAGE, "average", "single", "ward")
MOST_LEAVES = 10_000
"""With more models, similar ones are put together first: all pairs would take too much memory."""
_ROUNDING = 1e-12
_BLOCK = 65_536
"""Pairs at a time: so many numbers stay in the processor's cache."""
MOST_GROUPS = 2000


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
        are named by their mean: H; H and L; H, M and L; H, M1, M2, …, L. Above 10,000 models the
        leaves of the tree are ``groups`` of similar models (``groups_of_similar``), each
        standing at its mean and counting once.

    Raises
    ------
    TooFewError
        Fewer than three complete models, or no benchmark that tells them apart.
    """
    kept = complete(matrix)
    n = len(kept.models)
    _check(kept, n_clusters)
    standardised = standardise(oriented(kept))
    if not standardised.any():
        raise TooFewError("No benchmark tells these models apart: all their scores are equal.")
    groups = groups_of_similar(standardised) if n > MOST_LEAVES else None
    points, size = standardised, [1] * n
    if groups is not None:
        points, size = centres(standardised, groups), [len(group) for group in groups]
        _check_range(n_clusters, len(points))
    tree, sums = _tree(points)
    totals: list[float] = points.sum(axis=1).tolist()
    if groups is not None:
        totals = [total * members for total, members in zip(totals, size, strict=True)]
    leaves, between = _in_order(_put_higher_left(tree, totals, size))
    labels = _labels(_cut(leaves, between, n_clusters), totals, size, n_clusters)
    cophenetic = _cophenetic_correlation(points[leaves], tree[between, 2], *sums)
    for array in (tree, standardised):
        array.setflags(write=False)
    return Taxonomy(
        suite=kept.suite,
        cohort=kept.cohort,
        models=kept.models,
        benchmarks=kept.benchmarks,
        n_clusters=n_clusters,
        linkage_matrix=tree,
        leaf_order=tuple(leaves) if groups is None else _members(groups, leaves, standardised),
        labels=labels if groups is None else _spread(labels, groups),
        standardised=standardised,
        cophenetic_correlation=cophenetic,
        excluded=kept.excluded,
        snapshot=kept.snapshot,
        groups=groups,
    )


def memberships(
    standardised: FloatArray, n_clusters: int
) -> dict[tuple[Metric, Linkage], IntArray]:
    """Cut the tree of each distance and linkage into ``n_clusters``.

    Four distances and four linkages make sixteen pairs. Ward linkage is defined for Euclidean
    distance only, and cosine and correlation distance not for a model whose scores are all the
    mean, or all equal: pairs that are not valid are left out.

    Parameters
    ----------
    standardised : FloatArray
        Shape (n_models, n_benchmarks), nothing missing.
    n_clusters : int
        From 1 to the number of models.

    Returns
    -------
    dict
        Cluster number of each model, shape (n_models,), by distance and linkage. The numbers of
        different trees have nothing to do with each other. Ties as in ``cut``.
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

    Returns
    -------
    tuple
        Trees whose cut puts the same models together, and valid trees (``memberships``), this
        one in neither. A taxonomy over groups of models has no such count: it raises.
    """
    if taxonomy.groups is not None:
        raise BadRequestError(
            f"Other trees of {len(taxonomy.models)} models are not grown; choose fewer models."
        )
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
    _check_range(n_clusters, n)
    return np.array(_cut(*_in_order(_children(linkage_matrix)), n_clusters), dtype=np.intp)


def leaves_of(linkage_matrix: FloatArray) -> list[int]:
    """Leaves of a tree from left to right."""
    return _in_order(_children(linkage_matrix))[0]


def cluster_names(n_clusters: int) -> tuple[str, ...]:
    """Names of the clusters from the highest mean to the lowest."""
    if n_clusters == 1:
        return ("H",)
    if n_clusters == 3:
        return ("H", "M", "L")
    return ("H", *(f"M{i}" for i in range(1, n_clusters - 1)), "L")


def _check(matrix: ScoreMatrix, n_clusters: int) -> None:
    if not matrix.benchmarks:
        raise TooFewError("A taxonomy takes at least 1 benchmark; there is none.")
    n = len(matrix.models)
    if n < 3:
        raise TooFewError(
            f"A taxonomy takes at least 3 models with every benchmark; there are {n}."
        )
    _check_range(n_clusters, n)


def _check_range(n_clusters: int, n: int) -> None:
    if not 1 <= n_clusters <= n:
        raise BadRequestError(
            f"The number of clusters must be from 1 to {n}, the number of leaves of the tree; "
            f"it is {n_clusters}."
        )


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


def _tree(points: FloatArray) -> tuple[FloatArray, tuple[float, float]]:
    """Linkage matrix of the points, and the sums of their distances and of the squares."""
    condensed = pdist(points, METRIC)
    total = float(condensed.sum())
    # Not by @, whose threads wait for each other on a busy machine.
    squares = float(np.einsum("i,i->", condensed, condensed))
    return hierarchy.linkage(condensed, LINKAGE), (total, squares)


def _children(tree: FloatArray) -> list[list[int]]:
    children: list[list[int]] = tree[:, :2].astype(np.intp).tolist()
    return children


def _put_higher_left(tree: FloatArray, totals: list[float], sizes: list[int]) -> list[list[int]]:
    """Swap, in place, the branches of each merge whose right one has the higher mean.

    Returns the two branches of each merge as they now are.
    """
    total, size = totals.copy(), sizes.copy()
    merges = _children(tree)
    for merge in merges:
        a, b = merge
        total_a, total_b, size_a, size_b = total[a], total[b], size[a], size[b]
        if total_a * size_b < total_b * size_a:
            merge.reverse()
        total.append(total_a + total_b)
        size.append(size_a + size_b)
    tree[:, :2] = merges
    return merges


def _in_order(children: list[list[int]]) -> tuple[list[int], list[int]]:
    """Leaves from left to right, and for each gap between neighbours the merge that joins them."""
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


def _cut(leaf_order: Sequence[int], between: Sequence[int], n_clusters: int) -> list[int]:
    n = len(leaf_order)
    clusters = [0] * n
    number = 0
    for leaf, merge in zip(leaf_order[1:], between, strict=True):
        if merge >= n - n_clusters:
            number += 1
        clusters[leaf] = number
    return clusters


def _cophenetic_correlation(
    ordered: FloatArray, heights: FloatArray, sum_d: float, sum_dd: float
) -> float:
    """Pearson r of distances and joining heights over all pairs; ``nan`` where one is constant.

    ``ordered`` holds the leaves from left to right and ``heights`` the gaps between neighbours;
    ``sum_d`` and ``sum_dd`` add up the distances and their squares. Heights do not decrease up the
    tree, so two leaves join at the highest gap between them.
    """
    n = len(ordered)
    step = max(1, _BLOCK // n)
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


def _labels(
    clusters: list[int], totals: list[float], sizes: list[int], n_clusters: int
) -> tuple[str, ...]:
    size = [0] * n_clusters
    total = [0.0] * n_clusters
    for cluster, value, members in zip(clusters, totals, sizes, strict=True):
        size[cluster] += members
        total[cluster] += value
    highest_first = sorted(range(n_clusters), key=lambda i: -total[i] / size[i])
    name = dict(zip(highest_first, cluster_names(n_clusters), strict=True))
    return tuple([name[cluster] for cluster in clusters])


def _members(
    groups: Sequence[Sequence[int]], leaves: Sequence[int], standardised: FloatArray
) -> tuple[int, ...]:
    """Models from left to right: group by group, in each the higher mean first."""
    totals = standardised.sum(axis=1).tolist()
    return tuple(
        model for leaf in leaves for model in sorted(groups[leaf], key=lambda i: -totals[i])
    )


def _spread(labels: Sequence[str], groups: Sequence[Sequence[int]]) -> tuple[str, ...]:
    """Give every model the label of its group."""
    of_model = {
        model: label for group, label in zip(groups, labels, strict=True) for model in group
    }
    return tuple(of_model[model] for model in range(len(of_model)))


def groups_of_similar(
    points: FloatArray, most: int = MOST_GROUPS, *, seed: int = 0
) -> tuple[tuple[int, ...], ...]:
    """Put points together into at most ``most`` groups; one seed gives one result.

    The points have shape (n, b), nothing missing; those that coincide are always in one group.
    Positions of the points of each group rise; groups come by their first member. Where there
    are no more than ``most`` different points, one group for each of them.
    """
    from sklearn.cluster import MiniBatchKMeans  # noqa: PLC0415 - a second to import

    different, point_of = np.unique(points, axis=0, return_inverse=True)
    group_of = np.arange(len(different))
    if len(different) > most:
        # At most ten rounds: the groups stand in for their members, they are not the result.
        means = MiniBatchKMeans(most, n_init=1, max_iter=10, random_state=seed)
        counts = np.bincount(point_of).astype(float)
        group_of = means.fit_predict(different, sample_weight=counts)
    groups: dict[int, list[int]] = {}
    for i, group in enumerate(group_of[point_of].tolist()):
        groups.setdefault(group, []).append(i)
    return tuple(tuple(group) for group in groups.values())


def centres(points: FloatArray, groups: Sequence[Sequence[int]]) -> FloatArray:
    """Mean of the points of each group, shape (n_groups, b)."""
    means: FloatArray = np.array([points[list(group)].mean(axis=0) for group in groups])
    return means


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
    branch_of_leaf = cut(tree, n_branches)
    branch_of = branch_of_leaf
    if taxonomy.groups is not None:
        branch_of = np.empty(len(taxonomy.models), dtype=np.intp)
        for branch, group in zip(branch_of_leaf, taxonomy.groups, strict=True):
            branch_of[list(group)] = branch
    order = np.array(taxonomy.leaf_order)
    branches = tuple(tuple(order[branch_of[order] == i].tolist()) for i in range(n_branches))
    return Collapsed(
        branches=branches,
        linkage_matrix=_top(tree, branch_of_leaf, n_branches),
        means=np.array([taxonomy.standardised[list(b)].mean(axis=0) for b in branches]),
    )


def _top(tree: FloatArray, branch_of_leaf: np.ndarray, n_branches: int) -> FloatArray:
    """Return the last merges of a tree, over branches in place of leaves."""
    n = len(tree) + 1
    first = n - n_branches  # merges below it lie inside a branch
    node = np.empty(2 * n - 1, dtype=np.intp)
    node[:n] = branch_of_leaf
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
    return top
