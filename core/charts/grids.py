"""Cells in a grid: correlations of benchmarks, platforms' answers."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import altair as alt

from core.charts import kit

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from core.domain import FloatArray, Redundancy

MOST_WITH_NUMBERS = 15
"""With more benchmarks, no number fits into a cell."""
_MOST_LARGE = 40
_FIT = {"autosize": {"type": "fit-x", "contains": "padding"}}
"""The height is that of the cells alone: long names below them are not to press them flat."""


def correlation_map(
    found: Redundancy,
    order: Sequence[str],
    names: Mapping[str, str],
    groups: Sequence[Sequence[str]] = (),
) -> kit.Picture:
    """Draw each pair of benchmarks once, as a cell coloured by r from −1 (orange) to 1 (blue).

    A pair that is not significant fills half of its cell's side, or has its number in brackets
    where cells have numbers. ``groups`` of two or more that are together in ``order`` are
    framed.
    """
    n = len(order)
    place = {benchmark: i for i, benchmark in enumerate(order)}
    numbered = n <= MOST_WITH_NUMBERS
    axis: dict[str, Any] = {
        "values": list(range(n)),
        "labelExpr": f"{json.dumps([names[benchmark] for benchmark in order])}[datum.value]",
        "labelFontSize": 11 if numbered else 10 if n <= _MOST_LARGE else 8,
        "labelLimit": 135,
        "ticks": False,
        "grid": False,
        "domain": False,
    }
    scale: dict[str, Any] = {"domain": [-0.5, n - 0.5], "nice": False, "zero": False}
    overlap = False if numbered else "greedy"

    def across(field: str) -> alt.X:
        return kit.scaled(alt.X, field, None, scale, **axis, labelAngle=-90, labelOverlap=overlap)

    def down(field: str) -> alt.Y:
        return kit.scaled(alt.Y, field, None, scale | {"reverse": True}, **axis, labelOverlap=False)

    corners: dict[str, Any] = {"x": across("x:Q"), "x2": "x2:Q", "y": down("y:Q"), "y2": "y2:Q"}
    cells = kit.chart_rows("cells")
    colour = alt.Color(
        "r:Q",
        scale=alt.Scale(domain=[-1, 1], scheme="blueorange", reverse=True),
        legend=alt.Legend(
            title="Correlation r",
            orient="top",
            gradientLength=160,
            values=[-1, -0.5, 0, 0.5, 1],
            format="~g",
        ),
    )
    map_ = (
        cells.mark_rect()
        .transform_calculate(
            said="datum.a + ' and ' + datum.b + ': r ' + "
            "(isValid(datum.r) ? format(datum.r, '+.2f') : 'not defined') + "
            "(datum.significant == 'yes' ? '' : ', not significant')"
        )
        .encode(
            **corners,
            description="said:N",
            color=colour,
            tooltip=kit.tips(
                "a Benchmark", "b and", "r:+.3f r", "p:.2g p", "significant Significant"
            ),
        )
    )
    layers: list[alt.Chart] = [map_]
    framed: list[dict[str, Any]] = []
    for group in groups:
        places = [place[benchmark] for benchmark in group]
        low, high = min(places) - 0.5, max(places) + 0.5
        if 1 < len(group) == high - low:
            framed.append({"x": low, "x2": high, "y": low, "y2": high})
    if framed:
        layers.append(
            kit.chart_rows("frames")
            .mark_rect(
                filled=False, stroke=kit.MUTED, strokeWidth=1.5, strokeDash=[4, 3], aria=False
            )
            .encode(**corners)
        )
    if numbered:
        layers.append(
            cells.mark_text(fontSize=11, aria=False).encode(
                x=across("mid_x:Q"),
                y=down("mid_y:Q"),
                text=alt.Text("label:N"),
                # Cells are light in both themes but at their ends.
                color=alt.condition(
                    "abs(datum.r) > 0.55", alt.value("white"), alt.value("#1F2A2E"), empty=False
                ),
            )
        )
    step = 34 if numbered else 16 if n <= _MOST_LARGE else 10
    data = {"cells": _cells(found, place, names, numbered=numbered), "frames": framed}
    return kit.drawn(layers, step * n, **data) | _FIT


def pair_scatter(
    x: FloatArray, y: FloatArray, models: Sequence[str], x_name: str, y_name: str
) -> kit.Picture:
    """Draw two benchmarks against each other, one point a model, with the line of best fit.

    ``x`` and ``y`` are in points; ``models`` are the names to show on pointing.
    """
    rows = [
        {"model": model, "x": round(float(one), 2), "y": round(float(other), 2)}
        for model, one, other in zip(models, x, y, strict=True)
    ]
    axes: dict[str, Any] = {
        # The last number moves in from the edge of the page, where it would be cut.
        "x": kit.scaled(alt.X, "x:Q", f"{x_name}, points", _within(x), labelFlushOffset=-4),
        "y": kit.scaled(alt.Y, "y:Q", f"{y_name}, points", _within(y)),
    }
    base = kit.chart_rows("rows").encode(**axes)
    layers = [
        base.transform_regression("x", "y").mark_line(color=kit.MUTED, strokeDash=[4, 3]),
        kit.of_models(
            base.mark_point(filled=True, size=55, opacity=0.75, color=kit.ACCENT, cursor="pointer"),
            *("model Model", f"x:.1f {x_name}", f"y:.1f {y_name}"),
        ),
    ]
    return kit.drawn(layers, 380, rows=rows) | _FIT


def _within(points: FloatArray) -> dict[str, Any]:
    """Return a scale in steps of five around points out of 100, none beyond 0 or 100."""
    low, high = 5 * math.floor(points.min() / 5), 5 * math.ceil(points.max() / 5)
    if low == high:
        low, high = max(low - 5, 0), min(high + 5, 100)
    return {"zero": False, "nice": False, "domain": [low, high]}


def _cells(
    found: Redundancy, place: Mapping[str, int], names: Mapping[str, str], *, numbered: bool
) -> list[dict[str, Any]]:
    rows = []
    for pair in found.pairs:
        a, b = sorted((pair.a, pair.b), key=place.__getitem__)
        i, j = place[b], place[a]
        half = 0.5 if pair.significant or numbered else 0.25
        defined = not math.isnan(pair.r)
        row: dict[str, Any] = {
            "a": names[pair.a],
            "b": names[pair.b],
            "x": j - half,
            "x2": j + half,
            "y": i - half,
            "y2": i + half,
            "r": round(pair.r, 4) if defined else None,
            "p": float(f"{pair.p_value:.3g}") if defined else None,
            "significant": "yes" if pair.significant else "no",
        }
        if numbered:
            text = f"{pair.r:.2f}".replace("0.", ".", 1).replace("-", "−") if defined else "none"
            text = "1" if text == "1.00" else text
            label = text if pair.significant else f"({text})"
            row |= {"mid_x": j, "mid_y": i, "label": label}
        rows.append(row)
    return rows
