"""What models cost: against quality with the Pareto frontier, and by the month."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import altair as alt

from core.charts.kit import (
    ACCENT,
    MUTED,
    NAMES,
    WARN,
    by_kind,
    drawn,
    labels,
    named_rows,
    powers,
    rows_of,
    scaled,
    tips,
    words,
)
from core.words.figures import dollars

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from core.charts.kit import Axis, Picture, Record
    from core.procurement.hosting import Curves
    from core.procurement.monthly_cost import Costed, ModelBill

_LOG_FROM = 20
"""A cost axis is logarithmic where the dearest costs more than so many times the cheapest."""
_ON = ("on the frontier", "matched or beaten")
_GROUP = ("may be first", "shown below another")
_KINDS = ("published", "estimate")
_MARKS: dict[str, dict[str, Any]] = {
    "published": {"filled": True},
    "estimate": {"filled": False, "shape": "diamond", "strokeWidth": 2},
}
_HEIGHT, _WIDTH = 420, 700
"""Pixels; the width is that of a middling screen and serves to place names."""
_LETTER, _LINE = 6.0, 16
_ROOM_LEFT, _ROOM_RIGHT = 0.25, 0.05
_FEW = 6
_MOST_LABELS = 12
_DECADES = 2.5
_NARROW = 420
Place = tuple[Literal["left", "right"], int, int, float]


@dataclass(frozen=True, slots=True)
class CostScale:
    """How a cost axis is written."""

    title: str
    before: str = ""
    """Written before a number, such as a currency sign."""
    after: str = ""


def cost_quality(
    rows: Sequence[Costed],
    scale: CostScale,
    quality: str,
    first_group: Collection[str] | None = None,
) -> Picture:
    """Draw each model with a known cost; the frontier as steps, its models named.

    Estimated costs are hollow, published ones filled. A vertical bar is the interval of the
    quality. With ``first_group``, the ids of the models that none is shown to beat, these are in
    colour in place of those on the frontier.
    """
    kinds = _ON if first_group is None else _GROUP
    known = [row for row in rows if row.cost is not None]
    names = labels([row.model for row in rows])
    records: list[Record] = [
        {
            "model": names[row.model.id],
            "cost": row.cost,
            "quality": row.quality * 100,
            "low": None if row.ci_low is None else row.ci_low * 100,
            "high": None if row.ci_high is None else row.ci_high * 100,
            "place": kinds[
                not (row.on_frontier if first_group is None else row.model.id in first_group)
            ],
            "kind": _KINDS[row.is_estimate],
            "basis": row.basis,
            "beaten": names[row.beaten_by] if row.beaten_by else "nobody",
        }
        for row in known
    ]
    costs = [row.cost for row in known if row.cost is not None]
    steps = sorted(
        (record for record, row in zip(records, known, strict=True) if row.on_frontier),
        key=lambda r: (r["cost"] or 0, r["quality"] or 0),
    )
    line = [*steps, *([steps[-1] | {"cost": max(costs)}] if steps else [])]
    x_domain, log = _cost_domain(costs)
    x = _cost_axis(x_domain, scale, log=log)
    lows = [v for r in records for v in (r["low"], r["quality"]) if isinstance(v, float)]
    highs = [v for r in records for v in (r["high"], r["quality"]) if isinstance(v, float)]
    room = (max(highs) - min(lows)) * 0.08 or 1.0
    y_domain = (min(lows) - room / 2, max(highs) + room)
    ends = {"domain": list(y_domain), "zero": False, "nice": False}
    y = scaled(alt.Y, "quality:Q", quality, ends, tickCount=6, format="d")
    legend = alt.Legend(
        title=None, orient="top", symbolType="circle", symbolStrokeWidth=2, symbolOpacity=1
    )
    colour = by_kind(alt.Color, "place", kinds, (ACCENT, MUTED), legend)
    tooltip = tips(
        *("model Model", f"quality:.1f {quality}", "low:.1f From", "high:.1f To"),
        *(f"cost:,.2f {scale.title}", "kind Cost is", "basis Basis"),
        "beaten Matched or beaten by",
    )
    base = rows_of("models").encode(x=x, tooltip=tooltip)
    layers: list[alt.Chart] = [
        rows_of("frontier")
        .mark_line(interpolate="step-after", color=ACCENT, strokeWidth=1.5, strokeDash=[5, 3])
        .encode(x=x, y=y),
        base.transform_filter("isValid(datum.low)")
        .mark_rule(strokeWidth=1.5, opacity=0.35)
        .encode(y=alt.Y("low:Q"), y2=alt.Y2("high:Q"), color=colour),
    ]
    # A layer without a mark would be a picture without words to a screen reader.
    for kind in dict.fromkeys(str(record["kind"]) for record in records):
        layers.append(
            base.transform_filter(f"datum.kind === '{kind}'")
            .mark_point(**_MARKS[kind], size=85, opacity=1)
            .encode(y=y, color=colour)
        )
    best = steps[-_MOST_LABELS:]
    placed = _placed(best, x_domain, y_domain)
    for number, (align, dx, dy, limit) in placed.items():
        # A narrow picture has room for one name, the best one's.
        is_best = number == len(best) - 1
        short = "datum.model" if is_best else f"width < {_NARROW} ? '' : datum.model"
        step = rows_of(f"step{number}").transform_calculate(name=short).encode(x=x, y=y)
        cut = alt.ExprRef(f"max(20, width * {limit:.3f} - 8)")
        layers.append(words(step, "name:N", align=align, dx=dx, dy=dy, limit=cut, color=ACCENT))
    named = {f"step{number}": [best[number]] for number in placed}
    return drawn(layers, _HEIGHT, models=records, frontier=line, **named)


def _cost_domain(costs: Sequence[float]) -> tuple[tuple[float, float], bool]:
    """Return the ends of the cost axis and whether it is logarithmic; room for a name is left."""
    low, high = min(costs), max(costs)
    if low > 0 and high > _LOG_FROM * low:
        ratio = high / low
        return (low / ratio**_ROOM_LEFT, high * ratio**_ROOM_RIGHT), True
    width = high - low or abs(high) or 1.0
    return (max(low - width * _ROOM_LEFT, 0.0), high + width * _ROOM_RIGHT), False


def _cost_axis(domain: tuple[float, float], scale: CostScale, *, log: bool) -> alt.X:
    kind = {"type": "log" if log else "linear", "domain": list(domain)}
    # Powers of ten, with 3 times each where there are few.
    few = log and math.log10(domain[1] / domain[0]) < _DECADES
    return scaled(
        alt.X,
        "cost:Q",
        scale.title + (", logarithmic scale" if log else ""),
        kind | {"nice": False, "zero": False},
        values=powers(*domain, (1, 3) if few else (1,)) if log else alt.Undefined,
        tickCount=6,
        labelExpr=f"'{scale.before}' + format(datum.value, ',~g') + '{scale.after}'",
        labelOverlap="greedy",
    )


def _placed(
    steps: Sequence[Record], x_domain: tuple[float, float], y_domain: tuple[float, float]
) -> dict[int, Place]:
    """Return alignment, shift and share of the width for names along the frontier.

    Above and left of the frontier nothing can stand, so names go there. A name that would cover
    another, or for which there is no room on the left, goes below and right of its dot where
    there are few, if it covers none there; else it is left out, and the tooltip has it.
    """
    logs = [math.log(end) if x_domain[0] > 0 else end for end in x_domain]
    few = len(steps) <= _FEW
    placed: dict[int, Place] = {}
    taken: list[tuple[float, float, float]] = []
    for number, step in reversed(list(enumerate(steps))):
        cost, quality = float(step["cost"] or 0), float(step["quality"] or 0)
        at = (math.log(cost) if x_domain[0] > 0 else cost) - logs[0]
        share = at / (logs[1] - logs[0])
        x, y = share * _WIDTH, (quality - y_domain[0]) / (y_domain[1] - y_domain[0]) * _HEIGHT
        wide = len(str(step["model"])) * _LETTER
        # Ends from left to right, and the height; a name that is cut ends where the picture does.
        above, below = (max(x - 8 - wide, 0), x - 8, y + 10), (x + 8, x + 8 + wide, y - 13)
        if not (few and x < wide) and _is_free(above, taken):
            placed[number] = ("right", -8, -10, share)
            taken.append(above)
        elif few and _is_free(below, taken):
            placed[number] = ("left", 8, 13, 1 - share)
            taken.append(below)
    return placed


def _is_free(name: tuple[float, float, float], taken: Sequence[tuple[float, float, float]]) -> bool:
    """Tell whether a name between two ends, at a height, covers none of those that stand."""
    return all(
        name[1] < left or right < name[0] or abs(name[2] - y) >= _LINE for left, right, y in taken
    )


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
