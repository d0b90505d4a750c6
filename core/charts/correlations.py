"""How benchmarks go together: a map of correlations, scatter plots, and what smaller sets keep."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import altair as alt
import numpy as np

from core.charts.kit import (
    ACCENT,
    MUTED,
    WARN,
    Picture,
    by_kind,
    drawn,
    rows_of,
    scaled,
    tips,
    words,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from core.domain import FloatArray, Redundancy
    from core.statistics.redundancy import SmallerSet

PAIR = "pair"
"""Name of the selection of a cell; its fields are the names of the two benchmarks."""
MOST_WITH_NUMBERS = 15
"""With more benchmarks, no number fits into a cell."""
_MOST_LARGE = 40
_INK, _PAPER = "#17262B", "#FFFFFF"
_MOST_LABELS = 8
_FIT = {"autosize": {"type": "fit-x", "contains": "padding"}}
"""The height is that of the cells alone: long names below them are not to press them flat."""
_SIZE = "Benchmarks kept"
_KEPT = ("ranking (τ)", "clusters (adjusted Rand index)")


def correlation_map(
    found: Redundancy,
    order: Sequence[str],
    names: Mapping[str, str],
    groups: Sequence[Sequence[str]] = (),
) -> Picture:
    """Draw each pair of benchmarks once, as a cell coloured by r from −1 (orange) to 1 (blue).

    A pair that is not significant fills half of its cell's side, or has its number in brackets
    where cells have numbers. ``groups`` of two or more that stand together in ``order`` are
    framed. A click on a cell selects the pair, under the names that ``names`` gives.
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
        return scaled(alt.X, field, None, scale, **axis, labelAngle=-90, labelOverlap=overlap)

    def down(field: str) -> alt.Y:
        return scaled(alt.Y, field, None, scale | {"reverse": True}, **axis, labelOverlap=False)

    corners: dict[str, Any] = {"x": across("x:Q"), "x2": "x2:Q", "y": down("y:Q"), "y2": "y2:Q"}
    cells = rows_of("cells")
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
    pair = alt.selection_point(name=PAIR, fields=["a", "b"], toggle=False, empty=False)
    map_ = (
        cells.mark_rect(cursor="pointer")
        .transform_calculate(
            said="datum.a + ' and ' + datum.b + ': r ' + "
            "(isValid(datum.r) ? format(datum.r, '+.2f') : 'not defined') + "
            "(datum.significant == 'yes' ? '' : ', not significant')"
        )
        .encode(
            **corners,
            description="said:N",
            color=colour,
            stroke=alt.condition(pair, alt.value(WARN), alt.value(None)),
            strokeWidth=alt.condition(pair, alt.value(2.5), alt.value(0)),
            tooltip=tips("a Benchmark", "b and", "r:+.3f r", "p:.2g p", "significant Significant"),
        )
        .add_params(pair)
    )
    layers: list[alt.Chart] = [map_]
    framed = _frames(place, groups)
    if framed:
        layers.append(
            rows_of("frames")
            .mark_rect(filled=False, stroke=MUTED, strokeWidth=1.5, strokeDash=[4, 3], aria=False)
            .encode(**corners)
        )
    if numbered:
        layers.append(
            cells.mark_text(fontSize=11, cursor="pointer", aria=False).encode(
                x=across("mid_x:Q"),
                y=down("mid_y:Q"),
                text=alt.Text("label:N"),
                color=alt.condition(
                    "abs(datum.r) > 0.55", alt.value(_PAPER), alt.value(_INK), empty=False
                ),
            )
        )
    step = 34 if numbered else 16 if n <= _MOST_LARGE else 10
    data = {"cells": _cells(found, place, names, numbered=numbered), "frames": framed}
    return drawn(layers, step * n, **data) | _FIT


def pair_scatter(
    x: FloatArray, y: FloatArray, models: Sequence[str], x_name: str, y_name: str
) -> Picture:
    """Draw two benchmarks against each other, one point a model, with the line of best fit.

    ``x`` and ``y`` are in points; ``models`` are the names to show. Where there are more than a
    few models, the extremes carry their names, and the others show them on pointing.
    """
    named = set(_extremes(x, y))
    right = x > (x.min() + x.max()) / 2
    rows = [
        {
            "model": model,
            "x": round(float(x[i]), 2),
            "y": round(float(y[i]), 2),
            "label": model if i in named else "",
            "right": bool(right[i]),
        }
        for i, model in enumerate(models)
    ]
    scale = {"zero": False, "nice": True}
    axes: dict[str, Any] = {
        "x": scaled(alt.X, "x:Q", f"{x_name}, points", scale),
        "y": scaled(alt.Y, "y:Q", f"{y_name}, points", scale),
    }
    line = rows_of("line").mark_line(color=MUTED, strokeDash=[4, 3], strokeWidth=1.5)
    points = rows_of("rows").encode(**axes)
    layers = [
        line.encode(**axes),
        points.mark_point(filled=True, size=55, opacity=0.75, color=ACCENT).encode(
            tooltip=tips("model Model", f"x:.1f {x_name}", f"y:.1f {y_name}")
        ),
    ]
    for test, align, dx in (("!datum.right", "left", 7), ("datum.right", "right", -7)):
        side = points.transform_filter(f"datum.label && {test}")
        layers.append(words(side, "label:N", align=align, dx=dx, limit=170))
    return drawn(layers, 380, rows=rows, line=_best_fit(x, y)) | _FIT


def kept_by_size(sets: Sequence[SmallerSet], chosen: int) -> Picture:
    """Draw how much of the ranking and of the clusters each number of benchmarks keeps."""
    rows = [
        {"size": len(one.benchmarks), "kept": value, "what": what, "set": "; ".join(one.benchmarks)}
        for one in sets
        for what, value in zip(_KEPT, (one.tau, one.adjusted_rand), strict=True)
        if value is not None
    ]
    lowest = min([0.0, *(one.adjusted_rand or 0.0 for one in sets)])
    sizes = {"domain": [0.5, len(sets) + 0.5], "nice": False}
    x = scaled(alt.X, "size:Q", _SIZE, sizes, tickMinStep=1, format="d", grid=False)
    kept = {"domain": [lowest, 1.02], "nice": False}
    legend = alt.Legend(title=None, orient="top", labelLimit=260, symbolOpacity=1)
    colour = by_kind(alt.Color, "what", _KEPT, (ACCENT, MUTED), legend)
    shape = by_kind(alt.Shape, "what", _KEPT, ("circle", "diamond"), legend)
    y = scaled(alt.Y, "kept:Q", "Kept of the whole suite", kept)
    base = rows_of("rows").encode(x=x, y=y, color=colour)
    mark = rows_of("choice").encode(x=x)
    left = chosen > len(sets) / 2
    aside = {"align": "right", "dx": -5} if left else {"align": "left", "dx": 5}
    layers = [
        mark.mark_rule(color=WARN, strokeDash=[4, 3]),
        words(mark.encode(y=alt.value("height")), "what:N", **aside, baseline="bottom", color=WARN),
        base.mark_line(strokeWidth=2),
        base.mark_point(filled=True, size=70, opacity=1).encode(
            shape=shape, tooltip=tips(f"size: {_SIZE}", "what Kept", "kept:.2f Value")
        ),
    ]
    choice: list[dict[str, Any]] = [{"size": chosen, "what": "your choice"}]
    return drawn(layers, 260, rows=rows, choice=choice) | _FIT


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


def _frames(place: Mapping[str, int], groups: Sequence[Sequence[str]]) -> list[dict[str, Any]]:
    frames: list[dict[str, Any]] = []
    for group in groups:
        places = [place[benchmark] for benchmark in group]
        low, high = min(places), max(places)
        if len(group) > 1 and high - low == len(group) - 1:
            frames.append({"x": low - 0.5, "x2": high + 0.5, "y": low - 0.5, "y2": high + 0.5})
    return frames


def _best_fit(x: FloatArray, y: FloatArray) -> list[dict[str, Any]]:
    """Return the ends of the least-squares line within the scores; none where x does not vary."""
    if not x.max() > x.min():
        return []
    slope, at_zero = np.polyfit(x, y, 1)
    ends = np.array([x.min(), x.max()])
    if slope:
        reached = np.sort((np.array([y.min(), y.max()]) - at_zero) / slope)
        ends = np.clip(ends, *reached)
    return [{"x": float(end), "y": float(slope * end + at_zero)} for end in ends]


def _extremes(x: FloatArray, y: FloatArray) -> list[int]:
    """Return positions of the models farthest out whose names do not cover each other.

    The best and the worst, then those farthest from the line of best fit.
    """
    line = _best_fit(x, y)
    fitted = np.interp(x, [end["x"] for end in line], [end["y"] for end in line]) if line else 0
    ends = [int(x.argmax()), int(y.argmax()), int(x.argmin()), int(y.argmin())]
    farthest = np.argsort(-np.abs(y - fitted), kind="stable").tolist()
    places = np.column_stack([x / (np.ptp(x) or 1), y / (np.ptp(y) or 1)])
    named: list[int] = []
    for model in [*ends, *farthest]:
        apart = np.abs(places[named] - places[model])
        if len(named) < _MOST_LABELS and not ((apart[:, 0] < 0.35) & (apart[:, 1] < 0.05)).any():
            named.append(model)
    return named
