"""How far to trust a tree: grown again from other draws, and face to face with another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import altair as alt

from core.charts.blocks import (
    COLOUR_BAR,
    INK,
    MUTED,
    WARN,
    Picture,
    by_kind,
    drawn,
    labels,
    rows_of,
    tips,
    words,
)
from core.charts.dendrogram import ROWS_BESIDE, columns_of, lines_of, lines_over_columns, stacked
from core.charts.tree_links import cluster_under, links, tree_lines

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from core.domain import Model, Taxonomy
    from core.statistics.agreement import Agreement
    from core.statistics.stability import Stability

_MOST_FIGURES = 60
"""With more models, the support of a branch is shown by its thickness alone."""
_LOWEST_FIGURE = 0.12
"""Figures of lower branches, as a share of the tree's height, would lie over each other."""
_ROOT, _LEAVES, _NAME, _LINE = 0.0, 0.17, 0.18, 0.42
"""Where things stand from the left edge, as shares of the width; the right side mirrors it."""
_STEP = 18
"""Pixels a model."""
_KINDS = ("same side", "changes side")
MOST_MODELS = 150
"""More lines than this cannot be followed by eye."""


def support_over_co_clustering(
    taxonomy: Taxonomy, models: Sequence[Model], found: Stability
) -> Picture:
    """Draw the tree with the support of each branch in percent, over a square of its models.

    A cell of the square is the share of trees grown again in which two models fell in one cluster.
    The tree must be one that is drawn model by model (``dendrogram.is_collapsed`` is false).
    """
    names = labels(models)
    order = list(taxonomy.leaf_order)
    ordered = [names[taxonomy.models[i]] for i in order]
    columns = columns_of(taxonomy, ordered)
    n = len(order)
    scale = alt.Scale(domain=[-0.5, n - 0.5], nice=False, zero=False)
    together = found.co_clustering[order][:, order]
    support = found.support.tolist()
    lowest = _LOWEST_FIGURE * float(taxonomy.linkage_matrix[-1, 2])
    picture = stacked(
        [_tree(scale, taxonomy.n_clusters, figures=n <= _MOST_FIGURES), _square(scale)]
    )
    both = list(zip(columns.links, columns.link_words, support, strict=True))
    return picture | {
        "datasets": {
            "lines": lines_of(columns, [0.8 + 3.2 * share for share in support]),
            "supports": [
                {
                    "branch": words,
                    "middle": (link.left + link.right) / 2,
                    "height": link.height,
                    "support": share,
                    "percent": f"{share * 100:.0f}" if link.height >= lowest else "",
                }
                for link, words, share in both[:-1]
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
    tooltip = tips("branch Branch", "support:.0% Share of trees with this branch")
    base = rows_of("supports").encode(x=alt.X("middle:Q"), y=alt.Y("height:Q"), tooltip=tooltip)
    dots = base.mark_point(filled=True, size=60, opacity=0.01)
    text = words(base, "percent:N", align="left", dx=5, dy=-7, color=INK)
    return alt.LayerChart(layer=[lines, dots, text] if figures else [lines, dots], height=190)


def _square(scale: alt.Scale) -> alt.LayerChart:
    legend = alt.Legend(**COLOUR_BAR, title="Share of trees in one cluster", format=".0%")
    shade = alt.Scale(domain=[0, 1], scheme="teals")
    cells = rows_of("pairs").mark_rect()
    cells = cells.encode(
        x=alt.X("left:Q", scale=scale, axis=None),
        x2=alt.X2("right:Q"),
        y=alt.Y("row:N", sort=None, title=None, axis=alt.Axis(**ROWS_BESIDE, labelFontSize=10)),
        color=alt.Color("share:Q", scale=shade, legend=legend),
        tooltip=tips("model Model", "row And", "share:.0% In one cluster"),
    )
    return alt.LayerChart(layer=[cells], height=alt.Step(14))


def tanglegram(
    found: Agreement, names: Mapping[str, str], titles: tuple[str, str], *, same_letters: bool
) -> Picture:
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
                {"link": f"{side} {number}", "step": step, "x": _across(height / top, side), "y": y}
                | {
                    "cluster": cluster_under(
                        [labels[leaf] for leaf in order[link.start : link.stop]]
                    )
                }
                for side, (tree, order, labels) in enumerate(sides)
                for top in [float(tree[:, 2].max()) or 1.0]
                for number, link in enumerate(links(tree, order))
                for step, (y, height) in enumerate(link.corners())
            ],
            "lines": [
                {"x": _LINE, "x2": 1 - _LINE, "y": place, "y2": place_b[leaf]}
                | {"model": names[found.models[leaf]], "first": a, "second": b}
                | {"kind": _KINDS[same_letters and a != b]}
                for place, (leaf, a, b) in enumerate(pairs)
            ],
            "names": [
                {"side": side, "y": place, "x": 1 - _NAME if side else _NAME}
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


def _across(share: float, side: int) -> float:
    """Return where a merge stands: the root at the outer edge, the leaves inside."""
    x = _LEAVES - share * (_LEAVES - _ROOT)
    return 1 - x if side else x


def _face_to_face(n: int, n_clusters: int) -> Picture:
    x = alt.X("x:Q", scale=alt.Scale(domain=[0, 1], nice=False), axis=None)
    down = alt.Scale(domain=[-1.6, n - 0.4], reverse=True, nice=False, zero=False)
    y = alt.Y("y:Q", scale=down, axis=None)
    between = rows_of("lines").mark_rule()
    layers = [
        tree_lines("trees", x, y, n_clusters, width=1.4),
        between.encode(
            x=x,
            x2=alt.X2("x2:Q"),
            y=y,
            y2=alt.Y2("y2:Q"),
            stroke=by_kind(alt.Stroke, "kind", _KINDS, (MUTED, WARN)),
            strokeDash=by_kind(alt.StrokeDash, "kind", _KINDS, ([1, 0], [6, 3])),
            strokeWidth=by_kind(alt.StrokeWidth, "kind", _KINDS, (1, 2.2)),
            tooltip=tips("model Model", "first Cluster on the left", "second Cluster on the right"),
        ),
    ]
    room = alt.ExprRef(f"width * {_LINE - _NAME - 0.01:.2f}")
    for side, align in enumerate(("left", "right")):
        names, heads = (
            rows_of(data).transform_filter(f"datum.side === {side}").encode(x=x, y=y)
            for data in ("names", "heads")
        )
        model = names.encode(tooltip=alt.Tooltip("name:N", title="Model"))
        head: dict[str, Any] = {"fontSize": 12, "fontWeight": "bold", "color": INK}
        layers += [
            words(model, "name:N", align=align, color=INK, limit=room),
            words(heads, "name:N", **head, align=align, limit=alt.ExprRef("width * 0.48")),
        ]
    return drawn(layers, _STEP * (n + 2))
