"""Bars that say beside them what they stand for: how often each is first."""

from __future__ import annotations

from typing import TYPE_CHECKING

import altair as alt

from core.charts.blocks import (
    ACCENT,
    OFFSET_ROWS,
    QUIET,
    Picture,
    Record,
    by_kind,
    drawn,
    named_rows,
    rows_of,
    scaled,
    tips,
    words,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

_PLACES = ("first", "top three")


def places(rows: Sequence[tuple[str, float, float]]) -> Picture:
    """Draw (model, share first, share among the first three), shares from 0 to 1, in order.

    Filled bars are for first, hollow ones for the first three; each says what it is.
    """
    records: list[Record] = [
        {"label": label, "kind": kind, "value": value * 100, "text": f"{kind} {percent(value)}"}
        for label, *both in rows
        for kind, value in zip(_PLACES, both, strict=True)
    ]
    base = rows_of("rows").encode(
        x=_percent("value:Q", "Share of weightings, %", 175),
        y=named_rows(150, QUIET | {"labelFontSize": 12}),
        yOffset=alt.YOffset("kind:N", sort=list(_PLACES)),
        tooltip=tips("label Model", "kind Place", "value:.1f Share of weightings, %"),
    )
    step = alt.Step(18, **OFFSET_ROWS)
    return drawn(_filled_and_hollow(base, _PLACES), step, rows=records)


def percent(share: float) -> str:
    """Write a share; what is not quite none or all does not read so."""
    if 0 < share < 0.005:
        return "under 1 %"
    if 0.995 <= share < 1:
        return "over 99 %"
    return f"{share * 100:.0f} %"


def _percent(field: str, title: str, end: int) -> alt.X:
    """Return an axis to 100, with room beyond it for the words beside the bars."""
    scale = {"domain": [0, end], "nice": False}
    return scaled(alt.X, field, title, scale, values=[0, 50, 100], titleAnchor="start")


def _filled_and_hollow(base: alt.Chart, kinds: Sequence[str]) -> list[alt.Chart]:
    """Return bars, those of the second kind hollow, and the words of the field text."""
    return [
        base.mark_bar(stroke=ACCENT, strokeWidth=1).encode(
            fill=by_kind(alt.Fill, "kind", kinds, (ACCENT, "transparent"))
        ),
        words(base, "text:N", align="left", dx=5),
    ]
