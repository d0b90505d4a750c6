"""Names along an axis, categories as headings between them, and the bar that explains colours."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import altair as alt

from core.charts.intervals import MUTED

if TYPE_CHECKING:
    from collections.abc import Sequence

NAMES: dict[str, Any] = {
    "labelOverlap": False,
    "labelFlush": False,
    "ticks": False,
    "domain": False,
}
"""An axis on which every name is written, and no line is drawn."""
ROWS: dict[str, Any] = NAMES | {"labelLimit": 170, "labelFontSize": 11}
"""Names beside the rows of a table of cells or dots."""
_SIGN = "§"
ROWS_UNDER_HEADINGS: dict[str, Any] = ROWS | {
    "labelExpr": f"substring(datum.value, 0, 1) === '{_SIGN}' ? '' : datum.value"
}
COLOUR_BAR: dict[str, Any] = {"titleLimit": 400, "orient": "bottom", "gradientLength": 160}


def columns_above(field: str, ordered: Sequence[str]) -> alt.X:
    """Return the axis of columns with their names upright above them."""
    axis = alt.Axis(**NAMES, orient="top", labelAngle=-90, labelLimit=165, labelFontSize=11)
    return alt.X(f"{field}:N", title=None, scale=alt.Scale(domain=list(ordered)), axis=axis)


def heading(category: str) -> dict[str, str]:
    """Return the record of a heading; its row is one that no benchmark is named after."""
    return {"row": f"{_SIGN}{category}", "category": category or "Benchmarks"}


def headings(y: alt.Y) -> alt.Chart:
    """Return the layer that writes the categories of the data set named heads."""
    texts = alt.Chart(alt.NamedData("heads")).mark_text(
        align="left", fontSize=12, fontWeight="bold", color=MUTED, dy=2
    )
    written: alt.Chart = texts.encode(x=alt.value(2), y=y, text=alt.Text("category:N"))
    return written
