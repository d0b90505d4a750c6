"""Two bars a model: how often it is first, and how often among the first three."""

from __future__ import annotations

from typing import TYPE_CHECKING

import altair as alt

from core.charts.intervals import ACCENT, MUTED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.charts.intervals import Picture, Record

_KINDS = ("first", "top three")
_STEP = 18
_ROOM_FOR_TEXT = 175
"""End of the axis in per cent: what lies beyond 100 is for the figures beside the bars."""


def shares(rows: Sequence[tuple[str, float, float]]) -> Picture:
    """Draw (model, share first, share among the first three), shares from 0 to 1, in order.

    Filled bars are for first, hollow ones for the first three; each says what it is.
    """
    records: list[Record] = [
        {"label": label, "kind": kind, "value": value * 100, "text": f"{kind} {percent(value)}"}
        for label, *both in rows
        for kind, value in zip(_KINDS, both, strict=True)
    ]
    return _SHARES | {"datasets": {"rows": records}}


def percent(share: float) -> str:
    """Write a share; what is not quite none or all does not read so."""
    if 0 < share < 0.005:
        return "under 1 %"
    if 0.995 <= share < 1:
        return "over 99 %"
    return f"{share * 100:.0f} %"


def _build() -> Picture:
    base = alt.Chart(alt.NamedData("rows")).encode(
        x=alt.X(
            "value:Q",
            title="Share of weightings, %",
            scale=alt.Scale(domain=[0, _ROOM_FOR_TEXT], nice=False),
            axis=alt.Axis(values=[0, 50, 100], titleAnchor="start"),
        ),
        y=alt.Y(
            "label:N",
            sort=None,
            title=None,
            axis=alt.Axis(
                labelLimit=150, labelOverlap=False, labelFontSize=12, ticks=False, domain=False
            ),
        ),
        yOffset=alt.YOffset("kind:N", sort=list(_KINDS)),
        tooltip=[
            alt.Tooltip("label:N", title="Model"),
            alt.Tooltip("kind:N", title="Place"),
            alt.Tooltip("value:Q", title="Share of weightings, %", format=".1f"),
        ],
    )
    kinds = list(_KINDS)
    bars = base.mark_bar(stroke=ACCENT, strokeWidth=1).encode(
        fill=alt.Fill(
            "kind:N", scale=alt.Scale(domain=kinds, range=[ACCENT, "transparent"]), legend=None
        )
    )
    text = base.mark_text(align="left", dx=5, fontSize=11, color=MUTED).encode(
        text=alt.Text("text:N")
    )
    picture: Picture = alt.LayerChart(
        layer=[bars, text], height=alt.Step(_STEP, **{"for": "offset"})
    ).to_dict(validate=False)
    return picture


_SHARES = _build()
