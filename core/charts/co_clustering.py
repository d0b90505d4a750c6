"""How sure a tree is: the support of its branches over the co-clustering of its models."""

from __future__ import annotations

from typing import TYPE_CHECKING

import altair as alt

from core.charts.axes import COLOUR_BAR
from core.charts.dendrogram import ROWS_BESIDE, columns_of, stacked
from core.charts.intervals import MUTED, Picture, labels
from core.charts.tree_links import BETWEEN, INK, family_colours, family_under

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.domain import Model, Taxonomy
    from core.statistics.stability import Stability

_MOST_FIGURES = 60
"""With more models, the support of a branch is shown by its thickness alone."""
_LOWEST_FIGURE = 0.12
"""Figures of lower branches, as a share of the tree's height, would lie over each other."""


def support_over_co_clustering(
    taxonomy: Taxonomy, models: Sequence[Model], found: Stability
) -> Picture:
    """Draw the tree with the support of each branch in percent, over a square of its models.

    A cell of the square is the share of trees grown again in which two models fell in one family.
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
    drawn = stacked([_tree(scale, taxonomy.n_clusters, figures=n <= _MOST_FIGURES), _square(scale)])
    both = list(zip(columns.links, columns.link_words, support, strict=True))
    return drawn | {
        "datasets": {
            "lines": [
                {
                    "link": number,
                    "step": step,
                    "x": x,
                    "height": height,
                    "family": family_under(columns.families[link.start : link.stop]),
                    "width": 0.8 + 3.2 * share,
                }
                for number, (link, _, share) in enumerate(both)
                for step, (x, height) in enumerate(link.corners())
            ],
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
    colours = family_colours(n_clusters)
    lines = (
        alt.Chart(alt.NamedData("lines"))
        .mark_line(interpolate="linear")
        .encode(
            x=alt.X("x:Q", scale=scale, axis=None),
            y=alt.Y("height:Q", title="Distance", axis=alt.Axis(tickCount=4, grid=False)),
            detail=alt.Detail("link:N"),
            order=alt.Order("step:Q"),
            color=alt.Color(
                "family:N",
                scale=alt.Scale(domain=[*colours, BETWEEN], range=[*colours.values(), MUTED]),
                legend=None,
            ),
            strokeWidth=alt.StrokeWidth("width:Q", scale=None),
        )
    )
    base = alt.Chart(alt.NamedData("supports")).encode(
        x=alt.X("middle:Q"),
        y=alt.Y("height:Q"),
        tooltip=[
            alt.Tooltip("branch:N", title="Branch"),
            alt.Tooltip("support:Q", title="Share of trees with this branch", format=".0%"),
        ],
    )
    dots = base.mark_point(filled=True, size=60, opacity=0.01)
    text = base.mark_text(align="left", dx=5, dy=-7, fontSize=11, color=INK).encode(
        text=alt.Text("percent:N")
    )
    return alt.LayerChart(layer=[lines, dots, text] if figures else [lines, dots], height=190)


def _square(scale: alt.Scale) -> alt.LayerChart:
    cells = (
        alt.Chart(alt.NamedData("pairs"))
        .mark_rect()
        .encode(
            x=alt.X("left:Q", scale=scale, axis=None),
            x2=alt.X2("right:Q"),
            y=alt.Y(
                "row:N",
                sort=None,
                title=None,
                axis=alt.Axis(**ROWS_BESIDE, labelFontSize=10),
            ),
            color=alt.Color(
                "share:Q",
                scale=alt.Scale(domain=[0, 1], scheme="teals"),
                legend=alt.Legend(**COLOUR_BAR, title="Share of trees in one family", format=".0%"),
            ),
            tooltip=[
                alt.Tooltip("model:N", title="Model"),
                alt.Tooltip("row:N", title="And"),
                alt.Tooltip("share:Q", title="In one family", format=".0%"),
            ],
        )
    )
    return alt.LayerChart(layer=[cells], height=alt.Step(14))
