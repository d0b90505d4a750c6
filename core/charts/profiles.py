"""What clusters of models score on each benchmark: box plots side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

import altair as alt

from core.charts.blocks import (
    INK,
    OFFSET_ROWS,
    QUIET,
    Picture,
    Record,
    by_kind,
    drawn,
    rows_of,
    scaled,
    tips,
    words,
)
from core.charts.dendrogram import NARROW

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from core.statistics.clusters import Profile

MOST_BENCHMARKS = 20
"""With more benchmarks, those are drawn on which the medians lie farthest apart."""
_BOX = 15
"""Pixels for a cluster's box with its gap."""


def drawn_benchmarks(found: Sequence[Profile]) -> tuple[str, ...]:
    """Return the benchmarks to draw: all, or those whose medians lie farthest apart."""
    medians: dict[str, list[float]] = {}
    for profile in found:
        medians.setdefault(profile.benchmark, []).append(profile.median)
    if len(medians) <= MOST_BENCHMARKS:
        return tuple(medians)
    apart = sorted(medians, key=lambda name: min(medians[name]) - max(medians[name]))
    return tuple(apart[:MOST_BENCHMARKS])


def box_plots(
    found: Sequence[Profile], benchmarks: Mapping[str, str], clusters: Mapping[str, tuple[str, str]]
) -> Picture:
    """Draw minimum, quartiles, median and maximum in points out of 100.

    Benchmarks are given their names, and clusters what to call them and their colours, in the
    order to draw.
    """
    rows: dict[str, list[Record]] = {name: [] for name in drawn_benchmarks(found)}
    for p in found:
        if p.benchmark in rows:
            figures = (p.minimum, p.q1, p.median, p.q3, p.maximum)
            low, q1, median, q3, high = (100 * x for x in figures)
            rows[p.benchmark].append(
                {"benchmark": benchmarks[p.benchmark], "cluster": clusters[p.cluster][0]}
                | {"low": low, "q1": q1, "median": median, "q3": q3, "high": high, "n": p.n}
            )
    names = [name for name, _ in clusters.values()]
    y = alt.Y(
        "benchmark:N",
        sort=None,
        title=None,
        scale=alt.Scale(paddingInner=0.25),
        axis=alt.Axis(**QUIET, labelLimit=alt.ExprRef(f"{NARROW} ? 110 : 220"), grid=False),
    )
    offset = alt.YOffset("cluster:N", sort=names, scale=alt.Scale(domain=names))
    colour = by_kind(alt.Color, "cluster", names, [colour for _, colour in clusters.values()])
    tooltip = tips(
        *("benchmark Benchmark", "cluster Models", "n: Number of models", "low:.1f Lowest"),
        *("q1:.1f Lower quarter ends at", "median:.1f Median"),
        *("q3:.1f Upper quarter begins at", "high:.1f Highest"),
    )
    base = rows_of("profiles").encode(y=y, yOffset=offset, tooltip=tooltip)
    scale = {"domain": [0, 100], "nice": False}
    x = scaled(alt.X, "low:Q", "Points out of 100", scale, tickCount=5, grid=True)
    layers = [
        base.mark_rule(strokeWidth=1.4).encode(x=x, x2=alt.X2("high:Q"), color=colour),
        base.mark_bar(size=9).encode(x=alt.X("q1:Q"), x2=alt.X2("q3:Q"), color=colour),
        base.mark_tick(size=9, thickness=2.5, color="white").encode(x=alt.X("median:Q")),
        words(
            base.encode(x=alt.X("high:Q")), "cluster:N", align="left", dx=5, fontSize=10, color=INK
        ),
    ]
    step = alt.Step(_BOX, **OFFSET_ROWS)
    return drawn(layers, step, profiles=[row for of in rows.values() for row in of])
