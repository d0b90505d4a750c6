"""Parts of a tree: its top branches, the models under each merge, a branch as its own tree."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from core.statistics.taxonomy import cut

if TYPE_CHECKING:
    from core.domain import FloatArray, Taxonomy


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


@dataclass(frozen=True, slots=True)
class Branch:
    """The models under one merge: a run of neighbours in the taxonomy's leaf order."""

    merge: int
    """Row of the linkage matrix."""
    start: int
    """Place of the leftmost model in the leaf order."""
    stop: int
    """One more than the place of the rightmost model."""
    height: float
    """Distance at which the branch's two halves join."""


def branches(taxonomy: Taxonomy) -> tuple[Branch, ...]:
    """Return a branch per merge, in the order of the linkage matrix; the last holds all models.

    Where the leaves are groups of models, a branch spans all the models of its groups.
    """
    tree = taxonomy.linkage_matrix
    runs = _leaf_runs(taxonomy)
    found = []
    for merge, (left, right) in enumerate(tree[:, :2].astype(np.intp).tolist()):
        start, stop = runs[left][0], runs[right][1]
        runs.append((start, stop))
        found.append(Branch(merge, start, stop, float(tree[merge, 2])))
    return tuple(found)


def subtree(taxonomy: Taxonomy, branch: Branch) -> Taxonomy:
    """Return one branch as a tree of its own, its models from left to right.

    Scores stay standardised over all models of the taxonomy, and labels and ``n_clusters`` are
    those of its cut, so that the part can be read against the whole. The cophenetic correlation
    is ``nan``: it is not worked out for a part.
    """
    tree = taxonomy.linkage_matrix
    n = len(tree) + 1
    positions = taxonomy.leaf_order[branch.start : branch.stop]
    inside = [
        (place, run)
        for place, run in enumerate(_leaf_runs(taxonomy))
        if branch.start <= run[0] and run[1] <= branch.stop
    ]
    leaves = sorted(inside, key=lambda leaf: leaf[1])
    node = {leaf: number for number, (leaf, _) in enumerate(leaves)}
    merges: list[tuple[float, float, float, float]] = []
    for one in branches(taxonomy):
        if branch.start <= one.start and one.stop <= branch.stop:
            node[n + one.merge] = len(leaves) + len(merges)
            left, right, height, size = tree[one.merge].tolist()
            merges.append((node[int(left)], node[int(right)], height, size))
    linkage_matrix = np.array(merges, dtype=float)
    standardised = taxonomy.standardised[list(positions)]
    for array in (linkage_matrix, standardised):
        array.setflags(write=False)
    groups = tuple(tuple(range(a - branch.start, b - branch.start)) for _, (a, b) in leaves)
    return replace(
        taxonomy,
        models=tuple(taxonomy.models[i] for i in positions),
        labels=tuple(taxonomy.labels[i] for i in positions),
        linkage_matrix=linkage_matrix,
        leaf_order=tuple(range(len(positions))),
        standardised=standardised,
        cophenetic_correlation=math.nan,
        excluded=(),
        groups=None if taxonomy.groups is None else groups,
    )


def _leaf_runs(taxonomy: Taxonomy) -> list[tuple[int, int]]:
    """First place of each leaf in the leaf order, and one more than its last."""
    place = np.empty(len(taxonomy.models), dtype=np.intp)
    place[list(taxonomy.leaf_order)] = np.arange(len(taxonomy.models))
    if taxonomy.groups is None:
        return [(at, at + 1) for at in place.tolist()]
    starts = [int(place[list(group)].min()) for group in taxonomy.groups]
    return [(at, at + len(g)) for at, g in zip(starts, taxonomy.groups, strict=True)]
