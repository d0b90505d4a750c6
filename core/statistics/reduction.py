"""Fewer leaves for a very large cohort: similar models are put together before the tree.

A tree takes the distances of all pairs: at 12,000 models more than half a gigabyte, twice over.
k-means in small batches (Sculley 2010, doi 10.1145/1772690.1772862) makes up to 2,000 groups
first, and the tree is grown over their means.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.domain import FloatArray

MOST_GROUPS = 2000


def groups_of_similar(
    points: FloatArray, most: int = MOST_GROUPS, *, seed: int = 0
) -> tuple[tuple[int, ...], ...]:
    """Put points together into at most ``most`` groups; one seed gives one result.

    Parameters
    ----------
    points : array of shape (n, b)
        Nothing missing. Points that coincide are always in one group.
    most, seed : int

    Returns
    -------
    tuple of tuple of int
        Positions of the points of each group, rising; groups by their first member. Where there
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
