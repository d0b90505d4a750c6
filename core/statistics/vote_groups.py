"""Benchmarks that tell the same story, so that they can share one vote."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.cluster import hierarchy

from core.domain import BadRequestError
from core.statistics.redundancy import correlate

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from core.domain import FloatArray, ScoreMatrix

_UNRELATED = 2.0
"""Distance of a benchmark that does not vary from all others: farther than any r can put it."""
_ROUNDING = 1e-12


def vote_groups(matrix: ScoreMatrix, threshold: float = 0.8) -> tuple[tuple[str, ...], ...]:
    """Group the benchmarks by how closely they correlate.

    Average linkage (UPGMA) over the distances 1 − |r|, cut at 1 − ``threshold``: two groups
    become one where the mean of |r| over their pairs is at least ``threshold``, and stay apart
    where it is below. r is Pearson's over the models that have every benchmark, so a benchmark
    that runs exactly against another counts as the same story told backwards.

    Parameters
    ----------
    matrix : ScoreMatrix
        Models without a score on some benchmark are left out.
    threshold : float
        From 0 to 1.

    Returns
    -------
    tuple of tuples of benchmark ids
        Every benchmark once, in the matrix's order within a group; groups in the order of their
        first members. A benchmark on which all models score the same is a group of its own.

    Raises
    ------
    BadRequestError
        A threshold outside 0 to 1.
    TooFewError
        Fewer than two benchmarks, or fewer than three complete models.
    """
    if not 0 <= threshold <= 1:
        raise BadRequestError(f"The threshold must be from 0 to 1; it is {threshold:g}.")
    tree = hierarchy.linkage(_distances(matrix), "average")
    numbers = hierarchy.fcluster(tree, 1 - threshold + _ROUNDING, criterion="distance")
    members: dict[int, list[str]] = {}
    for benchmark, number in zip(matrix.benchmarks, numbers.tolist(), strict=True):
        members.setdefault(number, []).append(benchmark.id)
    return tuple(tuple(group) for group in members.values())


def similar_first(matrix: ScoreMatrix) -> tuple[str, ...]:
    """Order the benchmarks so that those that correlate closely stand side by side.

    The leaves of the tree of ``vote_groups``, its branches turned so that neighbours are as
    close as the tree allows (Bar-Joseph et al. 2001). The end with the benchmark that comes
    first in the matrix is the beginning. Errors as for ``vote_groups``.

    Returns
    -------
    tuple of benchmark ids
        Each group of ``vote_groups``, at any threshold, stands together.
    """
    tree = hierarchy.linkage(_distances(matrix), "average", optimal_ordering=True)
    leaves = hierarchy.leaves_list(tree).tolist()
    if leaves[0] > leaves[-1]:
        leaves.reverse()
    return tuple(matrix.benchmarks[leaf].id for leaf in leaves)


def one_vote_per_group(
    weights: Mapping[str, float],
    groups: Iterable[Sequence[str]],
    categories: Mapping[str, str] | None = None,
) -> dict[str, float]:
    """Weigh benchmarks so that each group counts as one.

    Within each category the weight of a benchmark is divided by the number of the benchmarks of
    its group there that have a weight; then the category is brought back to its old total. So
    nine equal benchmarks of which six form a group come to four equal votes, a sixth of a vote
    to each of the six. Where the members of a group had unequal weights, the group's vote is
    their mean, shared out in the old proportions. Groups are not joined across categories,
    since the weight of a category is the user's choice.

    Parameters
    ----------
    weights : mapping of benchmark id to weight
        0 or more. A benchmark with weight 0 keeps it and takes no part.
    groups : groups of benchmark ids
        As ``vote_groups`` gives them. A benchmark in none is a group of its own; one that has
        no weight is passed over.
    categories : mapping of benchmark id to category, optional
        Of every benchmark that has a weight; without it all are of one category.

    Returns
    -------
    dict of benchmark id to weight
        The benchmarks of ``weights`` in their order; the same total in each category.
    """
    group_of = {benchmark: i for i, group in enumerate(groups) for benchmark in group}
    place = {
        benchmark: (categories[benchmark] if categories else "", group_of.get(benchmark, benchmark))
        for benchmark in weights
    }
    counted = [place[benchmark] for benchmark, weight in weights.items() if weight > 0]
    sizes = {where: counted.count(where) for where in counted}
    shared = {b: weight / sizes[place[b]] if weight > 0 else 0.0 for b, weight in weights.items()}
    before: dict[str, float] = {}
    after: dict[str, float] = {}
    for benchmark, (category, _) in place.items():
        before[category] = before.get(category, 0.0) + weights[benchmark]
        after[category] = after.get(category, 0.0) + shared[benchmark]
    return {
        benchmark: weight * before[category] / after[category] if weight > 0 else 0.0
        for (benchmark, weight), (category, _) in zip(shared.items(), place.values(), strict=True)
    }


def _distances(matrix: ScoreMatrix) -> FloatArray:
    """1 − |r| of each pair, in the order of scipy's condensed distance matrices."""
    r = np.array([pair.r for pair in correlate(matrix).pairs])
    return np.where(np.isnan(r), _UNRELATED, 1 - np.abs(r))
