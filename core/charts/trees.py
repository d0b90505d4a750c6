"""A taxonomy as pictures: over its scores, what is sure of it, another next to it, its clusters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import altair as alt
import numpy as np

from core.charts import kit
from core.statistics.taxonomy import cluster_names, collapsed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from core.domain import FloatArray, Model, Taxonomy
    from core.statistics.stability import Stability
    from core.statistics.taxonomy import Agreement

BETWEEN = "between clusters"
_MIDDLE = ("#7565B5", "#3E7CB1", "#A8792B", "#A3527E")


class BranchLink(NamedTuple):
    """One merge as drawn: two legs and the bar between them."""

    start: int
    """Place of the leftmost leaf under it."""
    stop: int
    """One more than the place of the rightmost."""
    corners: tuple[tuple[float, float], ...]
    """Place and height of the four corners, from left to right."""


def links(tree: FloatArray, order: Sequence[int]) -> list[BranchLink]:
    """Return the lines of each merge, in the order of the linkage matrix.

    The tree is a linkage matrix, shape (n - 1, 4), whose left branch is on the left; ``order`` are
    its leaves from left to right.
    """
    n = len(tree) + 1
    # Per node: first place, one more than the last, where it is, and its height.
    nodes: list[tuple[int, int, float, float]] = [(0, 0, 0.0, 0.0)] * n
    for place, leaf in enumerate(order):
        nodes[leaf] = (place, place + 1, float(place), 0.0)
    found = []
    for a, b, height, _ in tree.tolist():
        (start, _, left, foot), (_, stop, right, other) = nodes[int(a)], nodes[int(b)]
        corners = ((left, foot), (left, height), (right, height), (right, other))
        found.append(BranchLink(start, stop, corners))
        nodes.append((start, stop, (left + right) / 2, height))
    return found


def cluster_colours(n_clusters: int) -> dict[str, str]:
    """Return the colour of each cluster, from the highest to the lowest."""
    names = cluster_names(n_clusters)
    return dict(zip(names, (kit.ACCENT, *_MIDDLE[: len(names) - 2], kit.WARN), strict=False))


def tree_lines(
    data: str, x: alt.X, y: alt.Y, n_clusters: int, width: float | None = None
) -> alt.Chart:
    """Return the layer of a tree's lines, the clusters in colour, over a named data set."""
    colours = cluster_colours(n_clusters)
    lines: alt.Chart = kit.chart_rows(data).mark_line(
        interpolate="linear", strokeWidth=alt.Undefined if width is None else width
    )
    return lines.encode(
        x=x,
        y=y,
        detail=alt.Detail("link:N"),
        order=alt.Order("step:Q"),
        color=kit.by_kind(
            alt.Color, "cluster", [*colours, BETWEEN], [*colours.values(), kit.MUTED]
        ),
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


MOST_LEAVES = 150
"""With more models, the columns are the top branches of the tree, and lines cannot be followed."""
NARROW = "(containerSize()[0] || 900) < 520"
"""Whether the picture is as narrow as a phone; a picture in a file is not."""
ROWS_BESIDE = kit.NAMES | {"labelLimit": alt.ExprRef(f"{NARROW} ? 110 : 190")}


@dataclass(frozen=True, slots=True, eq=False)
class PictureColumns:
    """What is side by side in the picture: models, or the top branches of many."""

    runs: tuple[tuple[int, int], ...]
    """Per column the places in the leaf order: the first, and one more than the last."""
    words: tuple[str, ...]
    clusters: tuple[str, ...]
    means: FloatArray
    """Mean standardised score of each column on each benchmark."""
    links: tuple[BranchLink, ...]


def is_collapsed(taxonomy: Taxonomy) -> bool:
    """Say whether the picture shows the top branches in place of models."""
    return len(taxonomy.models) > MOST_LEAVES


def columns_of(taxonomy: Taxonomy, models: Sequence[Model]) -> PictureColumns:
    """Lay a taxonomy out in columns; the models are its own, in its order."""
    labels = kit.labels(models)
    names = [labels[taxonomy.models[leaf]] for leaf in taxonomy.leaf_order]
    if is_collapsed(taxonomy):
        top = collapsed(taxonomy)
        sizes = [len(branch) for branch in top.branches]
        stops = np.cumsum(sizes).tolist()
        runs = tuple((stop - size, stop) for size, stop in zip(sizes, stops, strict=True))
        drawn = links(top.linkage_matrix, range(len(runs)))
        means = top.means
    else:
        runs = tuple((place, place + 1) for place in range(len(taxonomy.models)))
        drawn = links(taxonomy.linkage_matrix, taxonomy.leaf_order)
        means = taxonomy.standardised[list(taxonomy.leaf_order)]
    return PictureColumns(
        runs=runs,
        words=tuple(branch_words(names, *run) for run in runs),
        clusters=tuple(taxonomy.labels[taxonomy.leaf_order[start]] for start, _ in runs),
        means=means,
        links=tuple(drawn),
    )


def rows_are_means(taxonomy: Taxonomy) -> bool:
    """Say whether the heatmap shows means over subcategories in place of benchmarks."""
    return len(taxonomy.benchmarks) > 40


def dendrogram_over_heatmap(taxonomy: Taxonomy, models: Sequence[Model]) -> kit.Picture:
    """Draw the tree with its leaves over the columns of the heatmap of standardised scores.

    The models are those of the taxonomy, in its order; of more than ``MOST_MODELS`` the top
    branches are drawn. The paper's colours are green for low and red for high; these are blue for
    high and orange for low, which readers with any kind of colour vision can tell apart.
    """
    columns = columns_of(taxonomy, models)
    x_scale = alt.Scale(domain=[-0.5, len(columns.runs) - 0.5], nice=False, zero=False)
    parts = [
        alt.LayerChart(layer=[lines_over_columns(x_scale, taxonomy.n_clusters)], height=170),
        _band(x_scale, cluster_colours(taxonomy.n_clusters)),
        _heatmap(x_scale, columns),
    ]
    return stacked(parts) | {
        "datasets": {
            "lines": lines_of(columns, [1.4] * len(columns.links)),
            "clusters": _clusters(columns),
            "cells": _cells(taxonomy, columns),
        }
    }


def stacked(parts: Sequence[alt.LayerChart]) -> kit.Picture:
    """Put pictures over each other on one x scale.

    Altair's own way copies and checks every part several times, which takes longer than all else.
    """
    # What the typed classes built needs no second check against the schema.
    drawn = [part.to_dict(validate=False) for part in parts]
    return {
        "$schema": drawn[0]["$schema"],
        "vconcat": [
            {k: v for k, v in part.items() if k not in ("$schema", "config")} for part in drawn
        ],
        "resolve": {"scale": {"x": "shared", "color": "independent"}},
        "spacing": 3,
        "autosize": {"type": "fit-x", "contains": "padding"},
    }


def lines_over_columns(x_scale: alt.Scale, n_clusters: int) -> alt.Chart:
    """Return the lines of the tree, as thick as the data set named lines says."""
    return tree_lines(
        "lines",
        alt.X("x:Q", scale=x_scale, axis=None),
        alt.Y("height:Q", title="Distance", axis=alt.Axis(tickCount=4, grid=False)),
        n_clusters,
    ).encode(strokeWidth=alt.StrokeWidth("width:Q", scale=None))


def _band(x_scale: alt.Scale, colours: dict[str, str]) -> alt.LayerChart:
    """Return a strip that names the clusters, so that colour is not their only mark."""
    base = kit.chart_rows("clusters")
    strip = base.mark_rect().encode(
        x=alt.X("x:Q", scale=x_scale, axis=None),
        x2=alt.X2("x2:Q"),
        color=kit.by_kind(alt.Color, "cluster", [*colours], [*colours.values()]),
        tooltip=kit.tips("cluster Cluster", "models: Models"),
    )
    names = kit.words(
        base.encode(x=alt.X("middle:Q")), "cluster:N", color="white", fontWeight="bold"
    )
    return alt.LayerChart(layer=[strip, names], height=16)


def _heatmap(x_scale: alt.Scale, columns: PictureColumns) -> alt.LayerChart:
    n = len(columns.runs)
    collapsed_columns = any(stop - start > 1 for start, stop in columns.runs)
    under = [
        f"{stop - start:,}" if collapsed_columns else words
        for (start, stop), words in zip(columns.runs, columns.words, strict=True)
    ]
    # So many names fit under the columns: 20 on a phone, else 60.
    narrow = f"{NARROW} && {str(n > 20).lower()}"
    axis = alt.Axis(
        values=list(range(n)),
        labelExpr=f"{narrow} ? '' : {under!r}[datum.value]" if n <= 60 else "''",
        labelAngle=-90,
        labelOverlap=False,
        labelLimit=190,
        labelFontSize=11 if n <= 40 else 9,
        title="Models in the branch" if collapsed_columns else None,
        ticks=False,
        grid=False,
        domain=False,
    )
    scale = alt.Scale(domain=[-3, 3], clamp=True, scheme="blueorange", reverse=True)
    legend = alt.Legend(**kit.COLOUR_BAR, title="Distance from the mean, in SD")
    column = "Branch" if collapsed_columns else "Model"
    cells = kit.chart_rows("cells").mark_rect()
    cells = cells.encode(
        x=alt.X("left:Q", scale=x_scale, title=None, axis=axis),
        x2=alt.X2("right:Q"),
        y=alt.Y("row:N", sort=None, title=None, axis=alt.Axis(**ROWS_BESIDE)),
        color=alt.Color("z:Q", scale=scale, legend=legend),
        tooltip=kit.tips(
            *(f"branch {column}", "cluster Cluster", "row Benchmark"),
            "z:+.2f Standard deviations from the mean",
        ),
    )
    return alt.LayerChart(layer=[cells], height=alt.Step(20))


def lines_of(columns: PictureColumns, widths: Sequence[float]) -> list[kit.ChartRow]:
    """Return the corners of each merge, one after the other, for ``lines_over_columns``."""
    return [
        {
            "link": number,
            "step": step,
            "x": x,
            "height": height,
            "cluster": cluster_under(columns.clusters[link.start : link.stop]),
            "width": width,
        }
        for number, (link, width) in enumerate(zip(columns.links, widths, strict=True))
        for step, (x, height) in enumerate(link.corners)
    ]


def _clusters(columns: PictureColumns) -> list[kit.ChartRow]:
    found: dict[str, list[int]] = {}
    for place, cluster in enumerate(columns.clusters):
        found.setdefault(cluster, []).append(place)
    return [
        {
            "cluster": cluster,
            "x": places[0] - 0.5,
            "x2": places[-1] + 0.5,
            "middle": (places[0] + places[-1]) / 2,
            "models": sum(columns.runs[p][1] - columns.runs[p][0] for p in places),
        }
        for cluster, places in found.items()
    ]


def _cells(taxonomy: Taxonomy, columns: PictureColumns) -> list[kit.ChartRow]:
    groups: dict[str, list[int]] = {}
    for j, benchmark in enumerate(taxonomy.benchmarks):
        name = benchmark.subcategory if rows_are_means(taxonomy) else benchmark.name
        groups.setdefault(name, []).append(j)
    return [
        {
            "left": place - 0.5,
            "right": place + 0.5,
            "row": name,
            "branch": words,
            "cluster": cluster,
            "z": round(float(columns.means[place, members].mean()), 3),
        }
        for place, (words, cluster) in enumerate(zip(columns.words, columns.clusters, strict=True))
        for name, members in groups.items()
    ]


_ROOT, _LEAVES, _NAME, _LINES_FROM = 0.0, 0.17, 0.18, 0.42
"""Where things are from the left edge, as shares of the width; the right side mirrors it."""
_KINDS = ("same side", "changes side")


def support_over_co_clustering(
    taxonomy: Taxonomy, models: Sequence[Model], found: Stability
) -> kit.Picture:
    """Draw the tree with the support of each branch in percent, over a square of its models.

    A cell of the square is the share of trees grown again in which two models fell in one cluster.
    Of more than 60 models, the support of a branch is shown by its thickness alone.
    The tree must be one that is drawn model by model (``dendrogram.is_collapsed`` is false).
    """
    order = list(taxonomy.leaf_order)
    columns = columns_of(taxonomy, models)
    ordered, n = columns.words, len(order)
    scale = alt.Scale(domain=[-0.5, n - 0.5], nice=False, zero=False)
    together = found.co_clustering[order][:, order]
    support = found.support.tolist()
    # Figures of lower branches would lie over each other.
    lowest = 0.12 * float(taxonomy.linkage_matrix[-1, 2])
    picture = stacked([_tree(scale, taxonomy.n_clusters, figures=n <= 60), _square(scale)])
    return picture | {
        "datasets": {
            "lines": lines_of(columns, [0.8 + 3.2 * share for share in support]),
            "supports": [
                {
                    "branch": branch_words(ordered, link.start, link.stop),
                    "middle": (link.corners[1][0] + link.corners[2][0]) / 2,
                    "height": link.corners[1][1],
                    "support": share,
                    "percent": f"{share * 100:.0f}" if link.corners[1][1] >= lowest else "",
                }
                for link, share in zip(columns.links[:-1], support[:-1], strict=True)
            ],
            "pairs": [
                {
                    "left": i - 0.5,
                    "right": i + 0.5,
                    "row": ordered[j],
                    "model": ordered[i],
                    "share": round(float(together[i, j]), 3),
                }
                for j in range(n)
                for i in range(n)
            ],
        }
    }


def _tree(scale: alt.Scale, n_clusters: int, *, figures: bool) -> alt.LayerChart:
    lines = lines_over_columns(scale, n_clusters)
    tooltip = kit.tips("branch Branch", "support:.0% Share of trees with this branch")
    base = kit.chart_rows("supports").encode(
        x=alt.X("middle:Q"), y=alt.Y("height:Q"), tooltip=tooltip
    )
    dots = base.mark_point(filled=True, size=60, opacity=0.01)
    text = kit.words(base, "percent:N", align="left", dx=5, dy=-7, color=kit.INK)
    return alt.LayerChart(layer=[lines, dots, text] if figures else [lines, dots], height=190)


def _square(scale: alt.Scale) -> alt.LayerChart:
    legend = alt.Legend(**kit.COLOUR_BAR, title="Share of trees in one cluster", format=".0%")
    shade = alt.Scale(domain=[0, 1], scheme="teals")
    cells = kit.chart_rows("pairs").mark_rect()
    cells = cells.encode(
        x=alt.X("left:Q", scale=scale, axis=None),
        x2=alt.X2("right:Q"),
        y=alt.Y("row:N", sort=None, title=None, axis=alt.Axis(**ROWS_BESIDE, labelFontSize=10)),
        color=alt.Color("share:Q", scale=shade, legend=legend),
        tooltip=kit.tips("model Model", "row And", "share:.0% In one cluster"),
    )
    return alt.LayerChart(layer=[cells], height=alt.Step(14))


def tanglegram(
    found: Agreement, names: Mapping[str, str], titles: tuple[str, str], *, same_letters: bool
) -> kit.Picture:
    """Draw both trees lying on their sides, their leaves towards each other.

    The titles say what each tree is made from; ``same_letters``, whether the same letters mean
    the same in both, so that a model can change side.
    """
    sides = (
        (found.tree_a, found.order_a, found.labels_a),
        (found.tree_b, found.order_b, found.labels_b),
    )
    place_b = {leaf: place for place, leaf in enumerate(found.order_b)}
    pairs = [(leaf, found.labels_a[leaf], found.labels_b[leaf]) for leaf in found.order_a]
    most_clusters = max(len(found.names_a), len(found.names_b))
    return _face_to_face(len(found.models), most_clusters) | {
        "datasets": {
            "trees": [
                {"link": f"{side} {number}", "step": step, "x": 1 - x if side else x, "y": y}
                | {"cluster": cluster_under([labels[i] for i in order[link.start : link.stop]])}
                for side, (tree, order, labels) in enumerate(sides)
                for top in [float(tree[:, 2].max()) or 1.0]
                for number, link in enumerate(links(tree, order))
                for step, (y, height) in enumerate(link.corners)
                # The root at the outer edge, the leaves inside.
                for x in [_LEAVES - height / top * (_LEAVES - _ROOT)]
            ],
            "lines": [
                {"x": _LINES_FROM, "x2": 1 - _LINES_FROM, "y": place, "y2": place_b[leaf]}
                | {"model": names[found.models[leaf]], "first": a, "second": b}
                | {"kind": _KINDS[same_letters and a != b]}
                for place, (leaf, a, b) in enumerate(pairs)
            ],
            "names": [
                {"side": side, "y": place, "x": 1 - _NAME if side else _NAME}
                | {"model": names[found.models[leaf]]}
                | {"name": f"{names[found.models[leaf]]} ({labels[leaf]})"}
                for side, (_, order, labels) in enumerate(sides)
                for place, leaf in enumerate(order)
            ],
            "heads": [
                {"x": float(side), "y": -1.2, "name": title, "side": side}
                for side, title in enumerate(titles)
            ],
        }
    }


def _face_to_face(n: int, n_clusters: int) -> kit.Picture:
    x = alt.X("x:Q", scale=alt.Scale(domain=[0, 1], nice=False), axis=None)
    down = alt.Scale(domain=[-1.6, n - 0.4], reverse=True, nice=False, zero=False)
    y = alt.Y("y:Q", scale=down, axis=None)
    between = kit.chart_rows("lines").mark_rule()
    layers = [
        tree_lines("trees", x, y, n_clusters, width=1.4),
        between.encode(
            x=x,
            x2=alt.X2("x2:Q"),
            y=y,
            y2=alt.Y2("y2:Q"),
            stroke=kit.by_kind(alt.Stroke, "kind", _KINDS, (kit.MUTED, kit.WARN)),
            strokeDash=kit.by_kind(alt.StrokeDash, "kind", _KINDS, ([1, 0], [6, 3])),
            strokeWidth=kit.by_kind(alt.StrokeWidth, "kind", _KINDS, (1, 2.2)),
            tooltip=kit.tips(
                "model Model", "first Cluster on the left", "second Cluster on the right"
            ),
        ),
    ]
    align = alt.ExprRef("datum.side ? 'right' : 'left'")
    room = alt.ExprRef(f"width * {_LINES_FROM - _NAME - 0.01:.2f}")
    names, heads = (kit.chart_rows(data).encode(x=x, y=y) for data in ("names", "heads"))
    models = kit.words(names, "name:N", align=align, color=kit.INK, limit=room, cursor="pointer")
    bold: dict[str, Any] = {"fontSize": 12, "fontWeight": "bold", "color": kit.INK}
    half = alt.ExprRef("width * 0.48")
    layers += [
        kit.of_models(models, "name Model"),
        kit.words(heads, "name:N", **bold, align=align, limit=half),
    ]
    return kit.drawn(layers, 18 * (n + 2))
