"""The top branches of a tree that is too large to draw model by model."""

from __future__ import annotations

from dataclasses import dataclass
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
