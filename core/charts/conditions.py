"""What platforms answer to conditions of purchase, as a table of coloured words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import altair as alt

from core.charts.score_heatmap import INK, NUMBER_SIZE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.charts.intervals import Picture

STANDINGS = {
    "as wanted": "#9CCFE0",
    "on a condition": "#F4E3AE",
    "not as wanted": "#E8935A",
    "not known": "#DDE2E4",
    "a figure": "#FFFFFF",
}
"""How an answer stands to what a buyer wants, and the colour behind its word."""


def answers(cells: Sequence[tuple[str, str, str, str, str]]) -> Picture:
    """Draw one word per platform and condition, on the colour of how it stands.

    Parameters
    ----------
    cells
        Platform, condition, word, one of ``STANDINGS``, and the words of the source; rows and
        columns keep the order of the cells.
    """
    keys = ("platform", "condition", "word", "standing", "detail")
    records = [dict(zip(keys, cell, strict=True)) for cell in cells]
    rows = list(dict.fromkeys(cell[0] for cell in cells))
    columns = list(dict.fromkeys(cell[1] for cell in cells))
    seen = {cell[3] for cell in cells}
    shown = [standing for standing in STANDINGS if standing in seen]
    base = alt.Chart(alt.NamedData("cells")).encode(
        x=alt.X("condition:N", title=None, scale=alt.Scale(domain=columns), axis=_axis(190, "top")),
        y=alt.Y("platform:N", title=None, scale=alt.Scale(domain=rows), axis=_axis(130, "left")),
        tooltip=[
            alt.Tooltip("platform:N", title="Platform"),
            alt.Tooltip("condition:N", title="Condition"),
            alt.Tooltip("word:N", title="Answer"),
            alt.Tooltip("standing:N", title="Stands"),
            alt.Tooltip("detail:N", title="Detail"),
        ],
    )
    layers = [
        base.mark_rect(stroke="#8A979B", strokeWidth=1, strokeOpacity=0.5).encode(
            color=alt.Color(
                "standing:N",
                scale=alt.Scale(domain=shown, range=[STANDINGS[one] for one in shown]),
                legend=alt.Legend(
                    title=None,
                    orient="bottom",
                    columns=2,
                    labelFontSize=12,
                    symbolType="square",
                    symbolStrokeColor="#8A979B",
                    symbolSize=160,
                ),
            )
        ),
        base.mark_text(
            fontSize=alt.ExprRef(NUMBER_SIZE.format(n=max(len(columns), 1))), color=INK
        ).encode(text=alt.Text("word:N")),
    ]
    picture: Picture = alt.LayerChart(layer=layers, height=alt.Step(24)).to_dict(validate=False)
    return picture | {"datasets": {"cells": records}}


def _axis(limit: int, side: Literal["top", "left"]) -> alt.Axis:
    return alt.Axis(
        orient=side,
        labelAngle=-90 if side == "top" else 0,
        labelLimit=limit,
        labelOverlap=False,
        labelFlush=False,
        labelFontSize=11,
        ticks=False,
        domain=False,
    )
