"""How many cases a local test takes for a margin, as a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

import altair as alt

from core.charts.blocks import ACCENT, INK, drawn, powers, rows_of, scaled, tips, words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.charts.blocks import Picture, Record

_HEIGHT = 260


def cases_by_margin(curve: Sequence[tuple[float, int]], chosen: float) -> Picture:
    """Draw the cases for each margin, 0 to 1 scale; the margin that was chosen stands out.

    Each dot carries its number, so nothing must be read off the axis, which is logarithmic.
    """
    rows: list[Record] = [
        {
            "margin": margin * 100,
            "cases": float(n),
            "text": f"{n:,}",
            "chosen": "yes" if abs(margin - chosen) < 1e-9 else "no",
        }
        for margin, n in curve
    ]
    counts = [n for _, n in curve]
    ends = (min(counts) / 1.8, max(counts) * 1.8)
    x = scaled(
        alt.X,
        "margin:Q",
        "Loss that you would accept, points",
        {"domain": [0, max(margin for margin, _ in curve) * 105], "nice": False},
        tickCount=8,
    )
    y = scaled(
        alt.Y,
        "cases:Q",
        "Cases, logarithmic scale",
        {"type": "log", "domain": list(ends), "nice": False},
        values=powers(*ends, (1,)),
        format=",.0f",
    )
    base = rows_of("margins").encode(
        x=x, y=y, tooltip=tips("margin:~g Loss, points", "cases:,.0f Cases")
    )
    mine = base.transform_filter("datum.chosen === 'yes'")
    layers = [
        base.mark_line(color=ACCENT, strokeWidth=2),
        base.mark_point(filled=False, color=ACCENT, fill="white", size=45, opacity=1),
        mine.mark_point(filled=True, color=ACCENT, size=130, opacity=1),
        words(
            base.transform_filter("datum.chosen !== 'yes'"),
            "text:N",
            align="left",
            dx=7,
            dy=-7,
            color=INK,
        ),
        words(mine, "text:N", align="left", dx=10, dy=-9, fontSize=14, color=ACCENT),
    ]
    return drawn(layers, _HEIGHT, margins=rows)
