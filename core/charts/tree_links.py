"""The lines of a tree, in units of leaves, and the words for its branches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import altair as alt

from core.charts.blocks import ACCENT, MUTED, WARN, by_kind, rows_of
from core.statistics.taxonomy import cluster_names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.domain import FloatArray

BETWEEN = "between clusters"
_MIDDLE = ("#7565B5", "#3E7CB1", "#A8792B", "#A3527E")
"""Colours of the clusters between the highest and the lowest."""


@dataclass(frozen=True, slots=True)
class Link:
    """One merge as drawn: two legs and the bar between them."""

    start: int
    """Place of the leftmost leaf under it."""
    stop: int
    """One more than the place of the rightmost."""
    left: float
    """Where the left leg stands, in places."""
    right: float
    height: float
    left_height: float
    """Where the left leg ends: the height of the merge below, 0 at a leaf."""
    right_height: float

    def corners(self) -> tuple[tuple[float, float], ...]:
        """Return place and height of the four corners, from left to right."""
        return (
            (self.left, self.left_height),
            (self.left, self.height),
            (self.right, self.height),
            (self.right, self.right_height),
        )


def links(tree: FloatArray, order: Sequence[int]) -> list[Link]:
    """Return the lines of each merge, in the order of the linkage matrix.

    The tree is a linkage matrix, shape (n - 1, 4), whose left branch stands left; ``order`` are
    its leaves from left to right.
    """
    n = len(tree) + 1
    # Per node: first place, one more than the last, where it stands, and its height.
    nodes: list[tuple[int, int, float, float]] = [(0, 0, 0.0, 0.0)] * n
    for place, leaf in enumerate(order):
        nodes[leaf] = (place, place + 1, float(place), 0.0)
    found = []
    for a, b, height, _ in tree.tolist():
        left, right = nodes[int(a)], nodes[int(b)]
        found.append(Link(left[0], right[1], left[2], right[2], height, left[3], right[3]))
        nodes.append((left[0], right[1], (left[2] + right[2]) / 2, height))
    return found


def cluster_colours(n_clusters: int) -> dict[str, str]:
    """Return the colour of each cluster, from the highest to the lowest."""
    names = cluster_names(n_clusters)
    return dict(zip(names, (ACCENT, *_MIDDLE[: len(names) - 2], WARN), strict=False))


def tree_lines(
    data: str, x: alt.X, y: alt.Y, n_clusters: int, width: float | None = None
) -> alt.Chart:
    """Return the layer of a tree's lines, the clusters in colour, over a named data set."""
    colours = cluster_colours(n_clusters)
    lines: alt.Chart = rows_of(data).mark_line(
        interpolate="linear", strokeWidth=alt.Undefined if width is None else width
    )
    return lines.encode(
        x=x,
        y=y,
        detail=alt.Detail("link:N"),
        order=alt.Order("step:Q"),
        color=by_kind(alt.Color, "cluster", [*colours, BETWEEN], [*colours.values(), MUTED]),
    )


def cluster_under(labels: Sequence[str]) -> str:
    """Return the one cluster of some leaves, or that there are several."""
    return labels[0] if labels[0] == labels[-1] else BETWEEN


def branch_words(names: Sequence[str], start: int, stop: int) -> str:
    """Name a branch by its size and its outer models; a branch of one by its model.

    ``names`` holds the models from left to right; a branch is told from every other by these
    words, since its models are neighbours.
    """
    if stop - start == 1:
        return names[start]
    between = "and" if stop - start == 2 else "…"
    return f"{stop - start:,} models: {names[start]} {between} {names[stop - 1]}"
