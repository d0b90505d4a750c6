"""Two models case by case, as a picture."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import altair as alt

from core.charts.blocks import (
    ACCENT,
    INK,
    MUTED,
    WARN,
    by_kind,
    drawn,
    rows_of,
    scaled,
    tips,
    words,
)

if TYPE_CHECKING:
    from core.charts.blocks import Picture, Record
    from core.domain import FloatArray

_HEIGHT, _STEP = 230, 5
_KINDS = ("better", "the same", "worse")


def case_differences(candidate: FloatArray, other: FloatArray) -> Picture:
    """Draw on how many cases a candidate was better or worse, and by how many points.

    Scores are 0 to 1, of the same cases in the same order; differences are put together by the
    nearest 5 points. Each bar carries its number.
    """
    steps = Counter(round(gap * 100 / _STEP) * _STEP for gap in (candidate - other).tolist())
    rows: list[Record] = [
        {
            "points": float(points),
            "cases": float(n),
            "text": f"{n:,}",
            "kind": _KINDS[1] if not points else _KINDS[0] if points > 0 else _KINDS[2],
        }
        for points, n in sorted(steps.items())
    ]
    widest = max(20.0, *(abs(points) for points in steps)) + _STEP
    x = scaled(
        alt.X,
        "points:Q",
        "Candidate minus the other, points",
        {"domain": [-widest, widest], "nice": False},
        tickCount=9,
        format="+d",
    )
    y = scaled(
        alt.Y,
        "cases:Q",
        "Cases",
        {"domain": [0, max(steps.values()) * 1.15], "nice": False},
        tickCount=4,
        format="d",
    )
    colour = by_kind(alt.Color, "kind", _KINDS, (ACCENT, MUTED, WARN))
    base = rows_of("gaps").encode(
        x=x, y=y, tooltip=tips("points:+d Points", "cases:,.0f Cases", "kind Candidate")
    )
    layers = [
        base.mark_bar(size=14).encode(color=colour),
        words(base, "text:N", dy=-8, fontSize=12, color=INK),
    ]
    return drawn(layers, _HEIGHT, gaps=rows)
