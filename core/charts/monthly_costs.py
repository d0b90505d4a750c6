"""What a month costs on a logarithmic scale: the bill of each model, and own servers."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import altair as alt

from core.charts.blocks import (
    ACCENT,
    MUTED,
    NAMES,
    WARN,
    drawn,
    labels,
    named_rows,
    powers,
    rows_of,
    scaled,
    tips,
    words,
)
from core.procurement.reasons import dollars

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.answers.cost import ModelBill
    from core.answers.own_servers import Curves
    from core.charts.blocks import Axis, Picture, Record

_AMOUNT = "datum.value < 1000 ? format(datum.value, ',~g') : format(datum.value, '~s')"
_CENTS = (
    "datum.value >= 1000 ? format(datum.value, '~s')"
    " : datum.value >= 0.01 && datum.value < 1 ? format(datum.value, '.2f')"
    " : format(datum.value, ',~g')"
)


def drawable(found: Sequence[ModelBill]) -> list[ModelBill]:
    """Return the models with a bill above 0, in their order: a log scale has no 0."""
    return [each for each in found if each.found is not None and each.found.low.monthly_usd > 0]


def bill_ranges(found: Sequence[ModelBill]) -> Picture:
    """Draw one row a model: a bar from low to high, a dot at the likely bill, its amount.

    The cheapest model comes first. There is at least one, with a bill above 0 as ``drawable``
    gives them.
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
    log = _log(alt.X, "low:Q", "$ a month, logarithmic scale", (low_end, high_end), bill=True)
    scale = alt.Scale(type="log", domain=[low_end, high_end], nice=False)
    tooltip = tips(
        *("label Model", "low:,.2f Low, $ a month", "likely:,.2f Likely, $ a month"),
        *("high:,.2f High, $ a month", "provider Likely at"),
    )
    base = rows_of("rows").encode(y=named_rows(220, NAMES | {"labelFontSize": 12}))
    layers = [
        base.mark_rule(strokeWidth=2.5, opacity=0.6, color=ACCENT).encode(
            x=log, x2=alt.X2("high:Q"), tooltip=tooltip
        ),
        base.mark_point(filled=True, size=75, opacity=1, color=ACCENT).encode(
            x=alt.X("likely:Q", scale=scale), tooltip=tooltip
        ),
        words(base.encode(x=alt.X("high:Q", scale=scale)), "text:N", align="left", dx=7),
    ]
    return drawn(layers, alt.Step(24), rows=rows)


def costs_by_volume(
    curves: Curves, *, volume: float, meets: tuple[float, str] | None, band: bool
) -> Picture:
    """Draw both monthly costs against requests a month, both axes logarithmic.

    The volume is that of the reader, in requests a month: a dashed line. ``meets`` is the volume
    at which both costs meet, or may meet, and its label; ``band`` says whether low and high
    figures hold over the whole range.
    """
    low, likely, high = curves.own_usd
    api = curves.api_usd
    rows: list[Record] = [
        {
            "requests": float(requests),
            "low": float(low[i]),
            "likely": float(likely[i]),
            "high": float(high[i]),
            "api": None if api is None else float(api[i]),
        }
        for i, requests in enumerate(curves.requests)
    ]
    ends = (float(curves.requests[0]), float(curves.requests[-1]))
    shown = [likely, *([low, high] if band else []), *([] if api is None else [api])]
    floor = min(float(each.min()) for each in shown) / 2
    ceiling = max(float(each.max()) for each in shown) * 2
    x = _log(alt.X, "requests:Q", "Requests a month, logarithmic scale", ends, before="")
    y_title = "US dollars a month, logarithmic scale"

    def y(field: str) -> alt.Y:
        return _log(alt.Y, f"{field}:Q", y_title, (floor, ceiling))

    tooltip = tips(
        *("requests:,.0f Requests a month", "likely:,.0f Own servers, likely, $"),
        *("low:,.0f Low, $", "high:,.0f High, $", "api:,.2f By the token, $"),
    )
    base = rows_of("volumes").encode(x=x, tooltip=tooltip)
    layers: list[alt.Chart] = []
    datasets: dict[str, list[Record]] = {"volumes": rows}
    if band:
        layers.append(
            base.mark_area(color=ACCENT, opacity=0.22).encode(y=y("low"), y2=alt.Y2("high:Q"))
        )
    layers.append(base.mark_line(color=ACCENT, strokeWidth=2.5).encode(y=y("likely")))
    place: Record = {"requests": ends[0], "usd": float(high[0] if band else likely[0])}
    datasets["own name"] = [place | {"text": "own servers"}]
    layers.append(_name("own name", x, y("usd"), ACCENT, dx=6, dy=-8))
    if api is not None:
        dashed = base.mark_line(color=WARN, strokeWidth=2.5, strokeDash=[7, 3])
        layers.append(dashed.encode(y=y("api")))
        at = len(rows) // 12
        place = {"requests": float(curves.requests[at]), "usd": float(api[at])}
        datasets["api name"] = [place | {"text": "by the token"}]
        layers.append(_name("api name", x, y("usd"), WARN, dx=12, dy=14))
    datasets["mine"] = [{"requests": volume, "usd": floor, "text": "your volume"}]
    layers += [
        rows_of("mine").mark_rule(color=MUTED, strokeDash=[4, 3], strokeWidth=1.5).encode(x=x),
        _name("mine", x, y("usd"), MUTED, dx=5, dy=-8),
    ]
    if meets is not None:
        number, words = meets
        usd = float(_api_at(curves, number))
        right = math.log(number / ends[0]) > 0.55 * math.log(ends[1] / ends[0])
        datasets["meets"] = [{"requests": number, "usd": usd, "text": words}]
        layers += [
            rows_of("meets")
            .mark_point(size=110, color=WARN, filled=False, strokeWidth=2.5, opacity=1)
            .encode(x=x, y=y("usd"), tooltip=tips("text")),
            _name("meets", x, y("usd"), WARN, dx=-10 if right else 10, dy=-14, right=right),
        ]
    return drawn(layers, 380, **datasets)


def _api_at(curves: Curves, requests: float) -> float:
    """Return US dollars a month by the token; 0 without a price, which the picture leaves out."""
    if curves.api_usd is None:
        return 0.0
    return requests * float(curves.api_usd[0]) / float(curves.requests[0])


def _name(
    data: str, x: alt.X, y: alt.Y, colour: str, *, dx: int, dy: int, right: bool = False
) -> alt.Chart:
    place = rows_of(data).encode(x=x, y=y)
    align = "right" if right else "left"
    return words(place, "text:N", align=align, dx=dx, dy=dy, fontSize=12, color=colour)


def _log(
    channel: type[Axis],
    field: str,
    title: str,
    domain: tuple[float, float],
    *,
    before: str = "$",
    bill: bool = False,
) -> Axis:
    """Return a logarithmic axis; that of bills is wider, so its marks are fewer, with cents."""
    decades = math.log10(domain[1]) - math.log10(domain[0])
    factors: tuple[int, ...] = (1,) if decades > (3.6 if bill else 2.5) else (1, 2, 5)
    if bill and 1.8 < decades <= 3.6:
        factors = (1, 3)
    return scaled(
        channel,
        field,
        title,
        {"type": "log", "domain": list(domain), "nice": False},
        values=powers(*domain, factors),
        labelExpr=f"'{before}' + ({_CENTS if bill else _AMOUNT})",
        labelOverlap="greedy",
        gridOpacity=0.5,
    )
