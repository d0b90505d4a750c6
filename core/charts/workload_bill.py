"""The monthly bill of each model, low, likely and high, on one logarithmic scale."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import altair as alt

from core.charts.axes import NAMES
from core.charts.intervals import ACCENT, MUTED, labels
from core.procurement.reasons import dollars

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.answers.cost import ModelBill
    from core.charts.intervals import Picture, Record

_ROW_HEIGHT = 24
_FEW_DECADES = 1.8
_AMOUNT = (
    "datum.value >= 1000 ? format(datum.value, '~s')"
    " : datum.value >= 0.01 && datum.value < 1 ? format(datum.value, '.2f')"
    " : format(datum.value, ',~g')"
)


def drawable(found: Sequence[ModelBill]) -> list[ModelBill]:
    """Return the models with a bill above 0, in their order: a log scale has no 0."""
    return [each for each in found if each.found is not None and each.found.low.monthly_usd > 0]


def bill_ranges(found: Sequence[ModelBill]) -> Picture:
    """Draw one row a model: a bar from low to high, a dot at the likely bill, its amount.

    The cheapest model comes first.

    Parameters
    ----------
    found
        Models with a bill above 0, as `drawable` gives them; at least one.
    """
    names = labels([each.row.model for each in found])
    rows: list[Record] = []
    for each in found:
        if each.found is not None:
            low, likely, high = (
                bill.monthly_usd for bill in (each.found.low, each.found.likely, each.found.high)
            )
            rows.append(
                {
                    "label": names[each.row.model.id],
                    "low": low,
                    "likely": likely,
                    "high": high,
                    "text": dollars(likely),
                    "provider": each.found.likely.price.provider_name,
                }
            )
    rows.sort(key=lambda row: float(row["likely"] or 0))
    # Room on the right for the amount behind the bar.
    ends = [float(row[end] or 0) for row in rows for end in ("low", "high")]
    low_end, high_end = min(ends) / 1.3, max(ends)
    high_end *= 1.2 * (high_end / low_end) ** 0.2
    x_axis = _axis(low_end, high_end)
    scale = alt.Scale(type="log", domain=[low_end, high_end], nice=False)
    x = alt.X("low:Q", title="$ a month, logarithmic scale", scale=scale, axis=x_axis)
    y = alt.Y(
        "label:N",
        sort=None,
        title=None,
        axis=alt.Axis(**NAMES, labelLimit=220, labelFontSize=12),
    )
    tooltip = [
        alt.Tooltip("label:N", title="Model"),
        alt.Tooltip("low:Q", title="Low, $ a month", format=",.2f"),
        alt.Tooltip("likely:Q", title="Likely, $ a month", format=",.2f"),
        alt.Tooltip("high:Q", title="High, $ a month", format=",.2f"),
        alt.Tooltip("provider:N", title="Likely at"),
    ]
    base = alt.Chart(alt.NamedData("rows"))
    layers = [
        base.mark_rule(strokeWidth=2.5, opacity=0.6, color=ACCENT).encode(
            x=x, x2=alt.X2("high:Q"), y=y, tooltip=tooltip
        ),
        base.mark_point(filled=True, size=75, opacity=1, color=ACCENT).encode(
            x=alt.X("likely:Q", scale=scale), y=y, tooltip=tooltip
        ),
        base.mark_text(align="left", dx=7, fontSize=11, color=MUTED).encode(
            x=alt.X("high:Q", scale=scale), y=y, text=alt.Text("text:N")
        ),
    ]
    picture: Picture = alt.LayerChart(layer=layers, height=alt.Step(_ROW_HEIGHT)).to_dict(
        validate=False
    )
    return picture | {"datasets": {"rows": rows}}


def _axis(low: float, high: float) -> alt.Axis:
    first, last = math.log10(low), math.log10(high)
    factors: tuple[int, ...] = (1,) if last - first > 2 * _FEW_DECADES else (1, 3)
    if last - first <= _FEW_DECADES:
        factors = (1, 2, 5)
    values = [
        float(f"{factor * 10.0**power:g}")
        for power in range(math.floor(first), math.ceil(last) + 1)
        for factor in factors
    ]
    return alt.Axis(
        values=[value for value in values if low <= value <= high],
        labelExpr=f"'$' + ({_AMOUNT})",
        labelOverlap="greedy",
        gridOpacity=0.5,
    )
