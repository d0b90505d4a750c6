"""What each member of a combination scores per category."""

from __future__ import annotations

from typing import TYPE_CHECKING

import altair as alt

from core.charts.intervals import ACCENT, MUTED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.charts.intervals import Picture, Record

_STEP = 20
_ROOM_FOR_TEXT = 190
"""End of the axis in points: what lies beyond 100 is for the words beside the bars."""
_OVER_LABELS = {"expr": "clamp(width - 335, -145, 0)"}
"""On a phone a heading begins above the labels of the axis, else it would be cut off."""
_KINDS = ("answers", "does not")
_KEY = 3
"""Rows are told apart by a number of so many digits, which is not shown."""


def by_category(groups: Sequence[tuple[str, Sequence[tuple[str, float, bool]]]]) -> Picture:
    """Draw (category, members), each member as (model, score 0 to 1, whether it answers).

    The member that answers has a filled bar and says so; the others have hollow ones.
    """
    headings: list[Record] = []
    bars: list[Record] = []
    number = 0
    for category, members in groups:
        headings.append({"row": _row(number), "heading": category})
        number += 1
        for label, score, answers in members:
            bars.append(
                {
                    "row": _row(number, label),
                    "model": label,
                    "category": category,
                    "score": score * 100,
                    "kind": _KINDS[not answers],
                    "text": f"{score * 100:.1f}{', answers these' if answers else ''}",
                }
            )
            number += 1
    return _BY_CATEGORY | {"datasets": {"headings": headings, "bars": bars}}


def _row(number: int, label: str = "") -> str:
    return f"{number:0{_KEY}d}{label}"


def _y() -> alt.Y:
    return alt.Y(
        "row:O",
        sort="ascending",
        title=None,
        axis=alt.Axis(
            labelExpr=f"slice(datum.value, {_KEY})",
            labelLimit=150,
            labelOverlap=False,
            labelFontSize=12,
            ticks=False,
            domain=False,
            grid=False,
        ),
        scale=alt.Scale(paddingInner=0.25),
    )


def _headings(x: alt.Value) -> alt.Chart:
    headings: alt.Chart = (
        alt.Chart(alt.NamedData("headings"))
        .mark_text(align="left", fontSize=12, fontWeight="bold", color=MUTED, dy=3)
        .encode(x=x, y=_y(), text=alt.Text("heading:N"))
    )
    return headings


def _by_category() -> Picture:
    base = alt.Chart(alt.NamedData("bars")).encode(
        x=alt.X(
            "score:Q",
            title="Score, points out of 100",
            scale=alt.Scale(domain=[0, _ROOM_FOR_TEXT], nice=False),
            axis=alt.Axis(values=[0, 50, 100], titleAnchor="start"),
        ),
        y=_y(),
        tooltip=[
            alt.Tooltip("category:N", title="Category"),
            alt.Tooltip("model:N", title="Model"),
            alt.Tooltip("score:Q", title="Score", format=".1f"),
            alt.Tooltip("kind:N", title="In the combination, it"),
        ],
    )
    bars = base.mark_bar(stroke=ACCENT, strokeWidth=1).encode(
        fill=alt.Fill(
            "kind:N",
            scale=alt.Scale(domain=list(_KINDS), range=[ACCENT, "transparent"]),
            legend=None,
        )
    )
    text = base.mark_text(align="left", dx=5, fontSize=11, color=MUTED).encode(
        text=alt.Text("text:N")
    )
    picture: Picture = alt.LayerChart(
        layer=[_headings(alt.value(_OVER_LABELS)), bars, text], height=alt.Step(_STEP)
    ).to_dict(validate=False)
    return picture


_BY_CATEGORY = _by_category()
