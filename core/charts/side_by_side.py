"""One model against another on every benchmark: dots with intervals around no difference."""

from __future__ import annotations

from typing import TYPE_CHECKING

import altair as alt

from core.charts.axes import ROWS_UNDER_HEADINGS, heading, headings
from core.charts.intervals import ACCENT, MUTED, WARN

if TYPE_CHECKING:
    from core.charts.intervals import Picture
    from core.domain import ScoreMatrix
    from core.statistics.side_by_side import Pair

WORDS = {
    "better": "▲ better",
    "worse": "▼ worse",
    "cannot tell": "≈ cannot tell",
    "no interval": "no interval",
    "not measured": "not measured",
}
"""How a standing is written, with a sign of its own beside every colour."""
_DRAWN = ("better", "worse", "cannot tell", "no interval")
_COLOURS = (ACCENT, WARN, MUTED, MUTED)
_SHAPES = ("triangle-up", "triangle-down", "diamond", "cross")


def benchmark_gaps(pair: Pair, scores: ScoreMatrix) -> Picture:
    """Draw the difference on every benchmark, grouped by category, the largest gain first."""
    rows, records, heads = [], [], []
    categories = dict.fromkeys(benchmark.category for benchmark in scores.benchmarks)
    for category in categories:
        found = [
            (gap, benchmark)
            for gap, benchmark in zip(pair.gaps, scores.benchmarks, strict=True)
            if benchmark.category == category and gap.difference is not None
        ]
        if not found:
            continue
        heads.append(heading(category))
        rows.append(heads[-1]["row"])
        for gap, benchmark in sorted(found, key=lambda one: -(one[0].difference or 0)):
            name = benchmark.name if benchmark.name not in rows else benchmark.id
            rows.append(name)
            shares = {"value": gap.difference, "low": gap.ci_low, "high": gap.ci_high}
            records.append(
                {"row": name, "standing": gap.standing}
                | {key: None if x is None else round(x * 100, 4) for key, x in shares.items()}
            )
    y = alt.Y(
        "row:N",
        title=None,
        scale=alt.Scale(domain=rows),
        axis=alt.Axis(**ROWS_UNDER_HEADINGS, grid=False),
    )
    x = alt.X(
        "value:Q",
        title="Difference, points out of 100",
        scale=alt.Scale(zero=True, nice=True, padding=10),
        axis=alt.Axis(tickCount=7, format="+d"),
    )
    legend = alt.Legend(title=None, orient="top", symbolSize=90, symbolOpacity=1, columns=2)
    colour = alt.Color(
        "standing:N", scale=alt.Scale(domain=list(_DRAWN), range=list(_COLOURS)), legend=legend
    )
    shape = alt.Shape(
        "standing:N",
        scale=alt.Scale(domain=list(_DRAWN), range=list(_SHAPES)),
        legend=legend,
    )
    tooltip = [
        alt.Tooltip("row:N", title="Benchmark"),
        alt.Tooltip("value:Q", title="Difference, points", format="+.1f"),
        alt.Tooltip("low:Q", title="From", format="+.1f"),
        alt.Tooltip("high:Q", title="To", format="+.1f"),
        alt.Tooltip("standing:N", title=" "),
    ]
    base = alt.Chart(alt.NamedData("gaps"))
    layers = [
        alt.Chart(alt.NamedData("zero"))
        .mark_rule(color=MUTED, strokeDash=[4, 3])
        .encode(x=alt.X("x:Q")),
        headings(y),
        base.transform_filter("isValid(datum.low)")
        .mark_rule(strokeWidth=2.5, opacity=0.6)
        .encode(x=alt.X("low:Q"), x2=alt.X2("high:Q"), y=y, color=colour, tooltip=tooltip),
        base.mark_point(filled=True, size=70, opacity=1, strokeWidth=2).encode(
            x=x, y=y, color=colour, shape=shape, tooltip=tooltip
        ),
    ]
    picture: Picture = alt.LayerChart(layer=layers, height=alt.Step(19)).to_dict(validate=False)
    return picture | {"datasets": {"gaps": records, "heads": heads, "zero": [{"x": 0}]}}
