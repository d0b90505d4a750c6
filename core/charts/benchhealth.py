"""BenchHealth in pictures: dots per model, data sets against the state of the art, judgement."""

from __future__ import annotations

from typing import TYPE_CHECKING

import altair as alt

from core.charts.blocks import (
    ACCENT,
    MUTED,
    QUIET,
    WARN,
    by_kind,
    dashed_at,
    drawn,
    named_rows,
    rows_of,
    scaled,
    tips,
    words,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.charts.blocks import Picture, Record

_STEP = 24
_ROWS = named_rows(150, QUIET | {"labelFontSize": 12})
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
    base = rows_of("models").encode(y=_ROWS)
    x = alt.X("value:Q", title=title, scale=alt.Scale(zero=False, nice=True, padding=14))
    tooltip = [*tips("label Model"), alt.Tooltip("value:Q", format=".1f")]
    unknown = base.transform_filter("!isValid(datum.value)")
    layers = [
        base.mark_point(filled=True, size=75, opacity=1).encode(
            x=x, color=by_kind(alt.Color, "kind", _KINDS, (ACCENT, MUTED)), tooltip=tooltip
        ),
        words(base.encode(x=x), alt.Text("value:Q", format=".1f"), align="left", dx=8),
        unknown.mark_text(align="left", fontSize=11, color=MUTED, text="not known").encode(
            x=alt.value(4)
        ),
    ]
    return drawn(layers, alt.Step(_STEP), models=records)


def against_state_of_the_art(rows: Sequence[tuple[str, str, str, float]]) -> Picture:
    """Draw each data set's scores: (data set, kind, model, percent), kinds as in the legend."""
    records: list[Record] = [
        {"label": label, "kind": kind, "model": model, "value": value, "size": _SIZES[kind]}
        for label, kind, model, value in rows
    ]
    x = scaled(alt.X, "value:Q", "Score, %", {"domain": [0, 100], "padding": 6}, tickCount=6)
    base = rows_of("models").encode(x=x, y=_ROWS)
    legend = alt.Legend(title=None, orient="top", columns=2, labelLimit=200)
    points = base.mark_point(filled=True, opacity=0.9).encode(
        color=by_kind(alt.Color, "kind", _MODELS, (ACCENT, MUTED, WARN), legend),
        shape=by_kind(alt.Shape, "kind", _MODELS, ("circle", "circle", "diamond")),
        size=alt.Size("size:Q", scale=None, legend=None),
        tooltip=tips("label Data set", "model Model", "value:.1f Score, %"),
    )
    best = base.transform_filter(f"datum.kind == '{_MODELS[0]}'")
    names = words(best, "model:N", align="left", baseline="bottom", dx=6, dy=-3, fontSize=10)
    return drawn([points, names], alt.Step(28), models=records)


def judged(rows: Sequence[tuple[str, str, float]]) -> Picture:
    """Draw win-or-tie rates: (model, opponent, percent), with a line at one half."""
    records: list[Record] = [
        {"label": model, "opponent": opponent, "value": value} for model, opponent, value in rows
    ]
    title = "At least as good, % of comparisons"
    opponents = list(dict.fromkeys(opponent for _, opponent, _ in rows))
    shapes = ["circle", "triangle-up", "diamond"]
    legend = alt.Legend(title="Against", orient="top", columns=2)
    half = dashed_at("half")
    points = rows_of("models").mark_point(filled=True, size=70, opacity=1)
    points = points.encode(
        x=scaled(alt.X, "value:Q", title, {"domain": [0, 100]}, tickCount=6),
        y=_ROWS,
        color=by_kind(alt.Color, "opponent", opponents, (ACCENT, MUTED, WARN), legend),
        shape=alt.Shape("opponent:N", scale=alt.Scale(domain=opponents, range=shapes)),
        tooltip=tips("label Model", "opponent Against", "value:.1f At least as good, %"),
    )
    return drawn([half, points], alt.Step(_STEP), models=records, half=[{"x": 50}])
