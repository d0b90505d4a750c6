"""BenchHealth in pictures: dots per model, data sets against the state of the art, judgement."""

from __future__ import annotations

from typing import TYPE_CHECKING

import altair as alt

from core.charts.blocks import ACCENT, MUTED, QUIET, WARN, by_kind, drawn, named_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.charts.blocks import Picture, Record

_STEP = 24
_KINDS = ("best", "others")
_MODELS = ("best model", "other models", "state of the art")
_SIZES = dict(zip(_MODELS, (80.0, 22.0, 90.0), strict=True))


def figures(rows: Sequence[tuple[str, float | None]], title: str, best: Sequence[str]) -> Picture:
    """Draw one dot per label with its value; those named best in colour. Labels keep their order.

    A label without a value stays, with "not known" in place of the dot.
    """
    records: list[Record] = [
        {"label": label, "value": value, "kind": _KINDS[label not in best]} for label, value in rows
    ]
    base = alt.Chart(alt.InlineData(records))
    y = named_rows(150, QUIET | {"labelFontSize": 12})
    x = alt.X("value:Q", title=title, scale=alt.Scale(zero=False, nice=True, padding=14))
    colour = by_kind(alt.Color, "kind", _KINDS, (ACCENT, MUTED))
    tooltip = [alt.Tooltip("label:N", title="Model"), alt.Tooltip("value:Q", format=".1f")]
    layers = [
        base.mark_point(filled=True, size=75, opacity=1).encode(
            x=x, y=y, color=colour, tooltip=tooltip
        ),
        base.mark_text(align="left", dx=8, fontSize=11, color=MUTED).encode(
            x=x, y=y, text=alt.Text("value:Q", format=".1f")
        ),
        base.transform_filter("!isValid(datum.value)")
        .mark_text(align="left", fontSize=11, color=MUTED, text="not known")
        .encode(x=alt.value(4), y=y),
    ]
    return drawn(layers, alt.Step(_STEP))


def against_state_of_the_art(rows: Sequence[tuple[str, str, str, float]]) -> Picture:
    """Draw each data set's scores: (data set, kind, model, percent), kinds as in the legend."""
    records: list[Record] = [
        {"label": label, "kind": kind, "model": model, "value": value, "size": _SIZES[kind]}
        for label, kind, model, value in rows
    ]
    base = alt.Chart(alt.InlineData(records))
    y = named_rows(150, QUIET | {"labelFontSize": 12})
    x = alt.X(
        "value:Q",
        title="Score, %",
        scale=alt.Scale(domain=[0, 100], padding=6),
        axis=alt.Axis(tickCount=6),
    )
    legend = alt.Legend(title=None, orient="top", columns=2, labelLimit=200)
    points = base.mark_point(filled=True, opacity=0.9).encode(
        x=x,
        y=y,
        color=by_kind(alt.Color, "kind", _MODELS, (ACCENT, MUTED, WARN), legend),
        shape=by_kind(alt.Shape, "kind", _MODELS, ("circle", "circle", "diamond")),
        size=alt.Size("size:Q", scale=None, legend=None),
        tooltip=[
            alt.Tooltip("label:N", title="Data set"),
            alt.Tooltip("model:N", title="Model"),
            alt.Tooltip("value:Q", title="Score, %", format=".1f"),
        ],
    )
    names = (
        base.transform_filter(f"datum.kind == '{_MODELS[0]}'")
        .mark_text(align="left", baseline="bottom", dx=6, dy=-3, fontSize=10, color=MUTED)
        .encode(x=x, y=y, text="model:N")
    )
    return drawn([points, names], alt.Step(28))


def judged(rows: Sequence[tuple[str, str, float]]) -> Picture:
    """Draw win-or-tie rates: (model, opponent, percent), with a line at one half."""
    records: list[Record] = [
        {"label": model, "opponent": opponent, "value": value} for model, opponent, value in rows
    ]
    base = alt.Chart(alt.InlineData(records))
    x = alt.X(
        "value:Q",
        title="At least as good, % of comparisons",
        scale=alt.Scale(domain=[0, 100]),
        axis=alt.Axis(tickCount=6),
    )
    y = named_rows(150, QUIET | {"labelFontSize": 12})
    opponents = list(dict.fromkeys(opponent for _, opponent, _ in rows))
    shapes = ["circle", "triangle-up", "diamond"]
    legend = alt.Legend(title="Against", orient="top", columns=2)
    half = alt.Chart(alt.InlineData([{"x": 50}])).mark_rule(color=MUTED, strokeDash=[4, 3])
    points = base.mark_point(filled=True, size=70, opacity=1).encode(
        x=x,
        y=y,
        color=by_kind(alt.Color, "opponent", opponents, (ACCENT, MUTED, WARN), legend),
        shape=alt.Shape("opponent:N", scale=alt.Scale(domain=opponents, range=shapes)),
        tooltip=[
            alt.Tooltip("label:N", title="Model"),
            alt.Tooltip("opponent:N", title="Against"),
            alt.Tooltip("value:Q", title="At least as good, %", format=".1f"),
        ],
    )
    return drawn([half.encode(x=alt.X("x:Q")), points], alt.Step(_STEP))
