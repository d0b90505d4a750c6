"""A taxonomy as a picture: the tree of models over the heatmap of their scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import altair as alt
import numpy as np

from core.charts.blocks import (
    COLOUR_BAR,
    NAMES,
    Picture,
    Record,
    by_kind,
    labels,
    rows_of,
    tips,
    words,
)
from core.charts.tree_links import (
    Link,
    branch_words,
    cluster_colours,
    cluster_under,
    links,
    tree_lines,
)
from core.statistics.branches import collapsed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.domain import FloatArray, Model, Taxonomy

MOST_MODELS = 150
"""With more models, the columns are the top branches of the tree."""
NARROW = "(containerSize()[0] || 900) < 520"
"""Whether the picture is as narrow as a phone; a picture in a file is not."""
ROWS_BESIDE = NAMES | {"labelLimit": alt.ExprRef(f"{NARROW} ? 110 : 190")}
"""Names beside a heatmap under a tree."""
_MOST_ROWS = 40
"""With more benchmarks, a row of the heatmap is the mean over a subcategory."""
MOST_NARROW_NAMES = 20
"""With more columns, names do not fit under them on a phone."""
_MOST_NAMES = 60
"""With more columns, names do not fit under them."""
_ONLY_ON_TOP = ("$schema", "config")


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """What stands side by side in the picture: models, or the top branches of many."""

    runs: tuple[tuple[int, int], ...]
    """Per column the places in the leaf order: the first, and one more than the last."""
    words: tuple[str, ...]
    """The name of each column."""
    clusters: tuple[str, ...]
    means: FloatArray
    """Mean standardised score of each column on each benchmark."""
    links: tuple[Link, ...]
    link_words: tuple[str, ...]
    """The name of the branch under each merge."""


def is_collapsed(taxonomy: Taxonomy) -> bool:
    """Say whether the picture shows the top branches in place of models."""
    return taxonomy.groups is not None or len(taxonomy.models) > MOST_MODELS


def columns_of(taxonomy: Taxonomy, names: Sequence[str]) -> Columns:
    """Lay a taxonomy out in columns; ``names`` holds its models' labels from left to right."""
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
    return Columns(
        runs=runs,
        words=tuple(branch_words(names, *run) for run in runs),
        clusters=tuple(taxonomy.labels[taxonomy.leaf_order[start]] for start, _ in runs),
        means=means,
        links=tuple(drawn),
        link_words=tuple(
            branch_words(names, runs[link.start][0], runs[link.stop - 1][1]) for link in drawn
        ),
    )


def rows_are_means(taxonomy: Taxonomy) -> bool:
    """Say whether the heatmap shows means over subcategories in place of benchmarks."""
    return len(taxonomy.benchmarks) > _MOST_ROWS


def names_fit(taxonomy: Taxonomy) -> bool:
    """Say whether the picture names every model on a wide screen."""
    return not is_collapsed(taxonomy) and len(taxonomy.models) <= _MOST_NAMES


def dendrogram_over_heatmap(
    taxonomy: Taxonomy, models: Sequence[Model], *, paper_colours: bool = False
) -> Picture:
    """Draw the tree with its leaves over the columns of the heatmap of standardised scores.

    The models are those of the taxonomy, in its order; of more than ``MOST_MODELS`` the top
    branches are drawn. The paper's colours are green for low and red for high, as doi
    10.2196/72918 has it; the others blue for high and orange for low, which readers with any kind
    of colour vision can tell apart.
    """
    names = labels(models)
    ordered = [names[taxonomy.models[i]] for i in taxonomy.leaf_order]
    columns = columns_of(taxonomy, ordered)
    n = len(columns.runs)
    x_scale = alt.Scale(domain=[-0.5, n - 0.5], nice=False, zero=False)
    colours = cluster_colours(taxonomy.n_clusters)
    lines = lines_over_columns(x_scale, taxonomy.n_clusters)
    parts = [
        alt.LayerChart(layer=[lines], height=170),
        _band(x_scale, colours),
        _heatmap(x_scale, columns, paper_colours=paper_colours),
    ]
    return stacked(parts) | {
        "datasets": {
            "lines": lines_of(columns, [1.4] * len(columns.links)),
            "clusters": _clusters(columns),
            "cells": _cells(taxonomy, columns),
        }
    }


def stacked(parts: Sequence[alt.LayerChart]) -> Picture:
    """Put pictures over each other on one x scale.

    Altair's own way copies and checks every part several times, which takes longer than all else.
    """
    # What the typed classes built needs no second check against the schema.
    drawn = [part.to_dict(validate=False) for part in parts]
    return {
        "$schema": drawn[0]["$schema"],
        "vconcat": [{k: v for k, v in part.items() if k not in _ONLY_ON_TOP} for part in drawn],
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
    """Return a strip that names the clusters, so that colour is not their only sign."""
    base = rows_of("clusters")
    strip = base.mark_rect().encode(
        x=alt.X("x:Q", scale=x_scale, axis=None),
        x2=alt.X2("x2:Q"),
        color=by_kind(alt.Color, "cluster", [*colours], [*colours.values()]),
        tooltip=tips("cluster Cluster", "models: Models"),
    )
    names = words(base.encode(x=alt.X("middle:Q")), "cluster:N", color="white", fontWeight="bold")
    return alt.LayerChart(layer=[strip, names], height=16)


def _heatmap(x_scale: alt.Scale, columns: Columns, *, paper_colours: bool) -> alt.LayerChart:
    n = len(columns.runs)
    collapsed_columns = any(stop - start > 1 for start, stop in columns.runs)
    under = [
        f"{stop - start:,}" if collapsed_columns else words
        for (start, stop), words in zip(columns.runs, columns.words, strict=True)
    ]
    narrow = f"{NARROW} && {str(n > MOST_NARROW_NAMES).lower()}"
    axis = alt.Axis(
        values=list(range(n)),
        labelExpr=f"{narrow} ? '' : {under!r}[datum.value]" if n <= _MOST_NAMES else "''",
        labelAngle=-90,
        labelOverlap=False,
        labelLimit=190,
        labelFontSize=11 if n <= 40 else 9,
        title="Models in the branch" if collapsed_columns else None,
        ticks=False,
        grid=False,
        domain=False,
    )
    scheme: Any = "redyellowgreen" if paper_colours else "blueorange"
    scale = alt.Scale(domain=[-3, 3], clamp=True, scheme=scheme, reverse=True)
    legend = alt.Legend(**COLOUR_BAR, title="Distance from the mean, in SD")
    column = "Branch" if collapsed_columns else "Model"
    cells = rows_of("cells").mark_rect()
    cells = cells.encode(
        x=alt.X("left:Q", scale=x_scale, title=None, axis=axis),
        x2=alt.X2("right:Q"),
        y=alt.Y("row:N", sort=None, title=None, axis=alt.Axis(**ROWS_BESIDE)),
        color=alt.Color("z:Q", scale=scale, legend=legend),
        tooltip=tips(
            *(f"branch {column}", "cluster Cluster", "row Benchmark"),
            "z:+.2f Standard deviations from the mean",
        ),
    )
    return alt.LayerChart(layer=[cells], height=alt.Step(20))


def lines_of(columns: Columns, widths: Sequence[float]) -> list[Record]:
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
        for step, (x, height) in enumerate(link.corners())
    ]


def _clusters(columns: Columns) -> list[Record]:
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


def _cells(taxonomy: Taxonomy, columns: Columns) -> list[Record]:
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
