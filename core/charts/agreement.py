"""How well raters agree: an ICC with its interval for each comparison, beside a paper's."""

from __future__ import annotations

from typing import TYPE_CHECKING

import altair as alt

from core.charts.intervals import ACCENT, MUTED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.charts.intervals import Picture

OWN, PAPER = "your ratings", "MedHELM"
_ROW_HEIGHT = 34
_LEVELS = ((0.25, "poor"), (0.625, "moderate"), (0.825, "good"))
"""Middle and name of the levels of Koo and Li (2016); there is no room to write the last."""
_BORDERS = (0.5, 0.75, 0.9)


def agreements(rows: Sequence[tuple[str, float, float | None, float | None, str]]) -> Picture:
    """Draw label, ICC, lower and upper end, and whose figure it is, over the levels of agreement.

    Values are from 0 to 1; an end that is ``None`` draws no interval.
    """
    records = [
        {"label": label, "value": value, "low": low, "high": high, "whose": whose}
        for label, value, low, high, whose in rows
    ]
    return _AGREEMENTS | {"datasets": {"rows": records, "borders": _borders(), "levels": _levels()}}


def _borders() -> list[dict[str, float]]:
    return [{"x": x} for x in _BORDERS]


def _levels() -> list[dict[str, float | str]]:
    return [{"x": x, "name": name} for x, name in _LEVELS]


def _built() -> Picture:
    x = alt.X(
        "low:Q",
        title="Agreement, ICC(3,k)",
        scale=alt.Scale(domain=[0, 1], clamp=True),
        axis=alt.Axis(values=[0, 0.25, 0.5, 0.75, 1], format=".2~f", grid=False),
    )
    y = alt.Y(
        "label:N",
        sort=None,
        title=None,
        axis=alt.Axis(labelLimit=190, labelOverlap=False, ticks=False, domain=False),
    )
    colour = alt.Color(
        "whose:N", scale=alt.Scale(domain=[OWN, PAPER], range=[ACCENT, MUTED]), legend=None
    )
    shape = alt.Shape(
        "whose:N", scale=alt.Scale(domain=[OWN, PAPER], range=["circle", "diamond"]), legend=None
    )
    tooltip = [
        alt.Tooltip("label:N", title="Compared"),
        alt.Tooltip("value:Q", title="Agreement", format=".2f"),
        alt.Tooltip("low:Q", title="From", format=".2f"),
        alt.Tooltip("high:Q", title="To", format=".2f"),
        alt.Tooltip("whose:N", title="Source"),
    ]
    base = alt.Chart(alt.NamedData("rows"))
    layers = [
        alt.Chart(alt.NamedData("borders"))
        .mark_rule(color=MUTED, strokeDash=[4, 3], opacity=0.6)
        .encode(x=alt.X("x:Q")),
        alt.Chart(alt.NamedData("levels"))
        .mark_text(color=MUTED, fontSize=11, baseline="bottom", dy=-5)
        .encode(x=alt.X("x:Q"), y=alt.value(0), text=alt.Text("name:N")),
        base.mark_rule(strokeWidth=2.5, opacity=0.6).encode(
            x=x, x2=alt.X2("high:Q"), y=y, color=colour, tooltip=tooltip
        ),
        base.mark_point(filled=True, size=90, opacity=1).encode(
            x=alt.X("value:Q"), y=y, color=colour, shape=shape, tooltip=tooltip
        ),
        base.mark_text(fontSize=11, dy=-9, color=MUTED).encode(
            x=alt.X("value:Q"), y=y, text=alt.Text("value:Q", format=".2f")
        ),
    ]
    return alt.LayerChart(layer=layers, height=alt.Step(_ROW_HEIGHT)).to_dict(validate=False)


# Built once, since that takes ten times as long as to send it; only its rows change.
_AGREEMENTS = _built()
