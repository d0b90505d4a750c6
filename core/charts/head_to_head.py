"""Who beats whom as a heatmap with its numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import altair as alt

from core.charts.axes import COLOUR_BAR, ROWS, columns_above
from core.charts.intervals import labels
from core.charts.score_heatmap import NUMBER_SIZE, number_ink

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.charts.intervals import Picture
    from core.domain import Model
    from core.statistics.win_rates import HeadToHead

MOST_MODELS = 30
"""With more, neither names nor numbers fit."""
_MOST_NUMBERS = 20


def head_to_head(found: HeadToHead, models: Sequence[Model]) -> Picture:
    """Draw each row against each column, percent of shared benchmarks won.

    Blue where the row is ahead, orange where the column is, grey for as many each. Numbers are
    in the cells of up to 20 models, else in the tooltip.
    """
    names = labels(models)
    ordered = [names[model] for model in found.models]
    cells = [
        {
            "row": row,
            "column": column,
            "share": round(float(found.shares[i, j]) * 100, 3),
            "n": int(found.shared[i, j]),
        }
        for i, row in enumerate(ordered)
        for j, column in enumerate(ordered)
        if found.shared[i, j] and i != j
    ]
    with_numbers = len(ordered) <= _MOST_NUMBERS
    base = alt.Chart(alt.NamedData("cells")).encode(
        x=columns_above("column", ordered),
        y=alt.Y("row:N", title=None, scale=alt.Scale(domain=ordered), axis=alt.Axis(**ROWS)),
        tooltip=[
            alt.Tooltip("row:N", title="Model"),
            alt.Tooltip("column:N", title="Against"),
            alt.Tooltip("share:Q", title="Benchmarks won, %", format=".0f"),
            alt.Tooltip("n:Q", title="Benchmarks shared"),
        ],
    )
    layers = [
        base.mark_rect(stroke="white", strokeWidth=1, strokeOpacity=0.5).encode(
            color=alt.Color(
                "share:Q",
                scale=alt.Scale(domain=[0, 100], scheme="blueorange", reverse=True),
                legend=alt.Legend(**COLOUR_BAR, title="Row beats column, % of shared benchmarks"),
            )
        )
    ]
    if with_numbers:
        layers.append(
            base.mark_text(fontSize=alt.ExprRef(NUMBER_SIZE.format(n=len(ordered)))).encode(
                text=alt.Text("share:Q", format=".0f"),
                color=number_ink("datum.share > 85 || datum.share < 10"),
            )
        )
    height = alt.Step(24 if with_numbers else 18)
    picture: Picture = alt.LayerChart(layer=layers, height=height).to_dict(validate=False)
    return picture | {"datasets": {"cells": cells}}
