"""Quality against cost: of everybody in the room, and of those that fit with their frontier."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import altair as alt

from core.charts.kit import (
    ACCENT,
    INK,
    MUTED,
    by_kind,
    drawn,
    labels,
    powers,
    rows_of,
    scaled,
    tips,
    words,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.charts.kit import Picture, Record
    from core.procurement.monthly_cost import Costed

_LOG_FROM = 20
"""A cost axis is logarithmic where the dearest costs more than so many times the cheapest."""
_HEIGHT, _WIDTH = 330, 700
"""Pixels; the width is that of a middling screen and serves to place names."""
_LETTER, _LINE, _GAP = 6.5, 16, 11
_DECADES = 2.5
_NARROW = 420
"""A picture of so many pixels has room for one name."""
_UNKNOWN_AT = 0.06
"""Where models of unknown cost stand, as a share of the width from the right edge."""
KINDS = ("may be first", "fits", "left out")
_FRONTIER = ("on the frontier", "matched or beaten", "")


@dataclass(frozen=True, slots=True)
class CostScale:
    """How a cost axis is written."""

    title: str
    before: str = ""
    """Written before a number, such as a currency sign."""
    after: str = ""


@dataclass(frozen=True, slots=True)
class Point:
    """One model in the picture."""

    name: str
    quality: float
    """0 to 1."""
    ends: tuple[float, float] | None
    """Interval of the quality; ``None`` where none is known."""
    cost: float | None
    """``None`` where it is not known: such models stand in a strip of their own at the right."""
    kind: str
    is_named: bool


def ends_of(low: float | None, high: float | None) -> tuple[float, float] | None:
    """Return both ends of an interval, or that there is none."""
    return None if low is None or high is None else (low, high)


def cost_quality(rows: Sequence[Costed], scale: CostScale, quality: str) -> Picture:
    """Draw each model with a known cost; the frontier as steps, its models in colour and named."""
    names = labels([row.model for row in rows])
    points = [
        Point(
            names[row.model.id],
            row.quality,
            ends_of(row.ci_low, row.ci_high),
            row.cost,
            _FRONTIER[not row.on_frontier],
            row.on_frontier,
        )
        for row in rows
        if row.cost is not None
    ]
    return _picture(points, scale, quality, _FRONTIER, steps=True)


def everybody(points: Sequence[Point], scale: CostScale) -> Picture:
    """Draw all models of the evidence, of ``KINDS``, with a name on those that matter.

    Filled are those that fit, hollow those that do not; ringed, in colour and with their interval
    those that may be first. Shape says it too, for who does not see the colour. At least one cost
    is known.
    """
    return _picture(points, scale, "Score", KINDS)


def _picture(
    points: Sequence[Point],
    scale: CostScale,
    quality: str,
    kinds: tuple[str, str, str],
    *,
    steps: bool = False,
) -> Picture:
    costs = [point.cost for point in points if point.cost is not None]
    unknown = len(costs) < len(points)
    x, along = _cost_axis(costs, scale, right=0.22 if unknown else 0.05)
    bars = [point.ends if point.kind == kinds[0] else None for point in points]
    heights = [point.quality for point in points] + [end for bar in bars for end in bar or ()]
    low, high = min(heights) * 100, max(heights) * 100
    room = (high - low) * 0.06 or 1.0
    records: list[Record] = [
        {
            "model": point.name,
            "cost": along.at(1 - _UNKNOWN_AT) if point.cost is None else point.cost,
            "said": "not known" if point.cost is None else f"{scale.before}{point.cost:,.3g}",
            "quality": point.quality * 100,
            "low": bar and bar[0] * 100,
            "high": bar and bar[1] * 100,
            "kind": point.kind,
            "named": "",
        }
        for point, bar in zip(points, bars, strict=True)
    ]
    _name(records, [point.is_named for point in points], along, _HEIGHT / (high - low + 2 * room))
    ends = {"domain": [low - room, high + room], "zero": False, "nice": False}
    y = scaled(alt.Y, "quality:Q", quality, ends, tickCount=3, format="d")
    legend = alt.Legend(title=None, orient="top", offset=2)
    drawn_kinds = [kind for kind in kinds if kind]
    colours = ((ACCENT, MUTED, MUTED), (ACCENT, MUTED, "transparent"))
    stroke = by_kind(alt.Stroke, "kind", drawn_kinds, colours[0][: len(drawn_kinds)], legend)
    fill = by_kind(alt.Fill, "kind", drawn_kinds, colours[1][: len(drawn_kinds)], legend)
    tooltip = tips(
        *("model Model", f"quality:.1f {quality}", "low:.1f From", "high:.1f To"),
        *(f"said {scale.title}", "kind Stands"),
    )
    base = rows_of("models").encode(x=x)
    of_first = base.transform_filter(f"datum.kind === '{kinds[0]}'")
    layers = [
        of_first.transform_filter("isValid(datum.low)")
        .mark_rule(strokeWidth=1.5, color=ACCENT, opacity=0.5)
        .encode(y=alt.Y("low:Q"), y2=alt.Y2("high:Q")),
        base.mark_point(size=45, strokeWidth=1.5, opacity=0.9).encode(
            y=y, tooltip=tooltip, stroke=stroke, fill=fill
        ),
        of_first.mark_point(size=170, strokeWidth=1.5, color=ACCENT, opacity=1).encode(y=y),
    ]
    if steps:
        line = of_first.mark_line(
            interpolate="step-after", color=ACCENT, strokeWidth=1.5, strokeDash=[5, 3]
        )
        layers.append(line.encode(y=y))
    for align, dx in (("left", _GAP), ("right", -_GAP)):
        there = f"datum.named === '{align}' && (datum.best || width > {_NARROW})"
        named = base.transform_filter(there).encode(y=y)
        layers.append(words(named, "model:N", align=align, dx=dx, dy=-8, fontSize=12, color=ACCENT))
    strip: list[Record] = []
    if unknown:
        strip.append({"cost": along.at(1 - _UNKNOWN_AT), "said": "not known"})
        beside = rows_of("strip").encode(x=x, y=alt.value(0))
        layers.append(words(beside, "said:N", align="center", dy=-6, color=INK))
    return drawn(layers, _HEIGHT, models=records, strip=strip)


@dataclass(frozen=True, slots=True)
class _Along:
    """Where costs stand along the axis, as shares of its length."""

    low: float
    high: float
    log: bool

    def share(self, cost: float) -> float:
        if self.log:
            return math.log(cost / self.low) / math.log(self.high / self.low)
        return (cost - self.low) / (self.high - self.low)

    def at(self, share: float) -> float:
        if self.log:
            return self.low * math.exp(share * math.log(self.high / self.low))
        return self.low + share * (self.high - self.low)


def _cost_axis(costs: Sequence[float], scale: CostScale, right: float) -> tuple[alt.X, _Along]:
    """Return the cost axis, perhaps logarithmic, with room at both ends."""
    low, high = min(costs), max(costs)
    log = low > 0 and high > _LOG_FROM * low
    width = high / low if log else high - low or abs(high) or 1.0
    along = _Along(max(low - width * 0.05, 0.0), high + width * right, log)
    if log:
        along = _Along(low / width**0.05, high * width**right, log)
    # Powers of ten, with 3 times each where there are few.
    few = log and math.log10(along.high / along.low) < _DECADES
    kind = {"type": "log" if log else "linear", "domain": [along.low, along.high]}
    axis = scaled(
        alt.X,
        "cost:Q",
        scale.title + (", log" if log else ""),
        kind | {"nice": False, "zero": False},
        values=powers(along.low, along.high, (1, 3) if few else (1,)) if log else alt.Undefined,
        tickCount=6,
        labelExpr=f"datum.value > {high * 1.5:g} ? '' : '{scale.before}' + "
        f"format(datum.value, ',~g') + '{scale.after}'",
        labelOverlap="greedy",
    )
    return axis, along


def _name(records: list[Record], is_named: list[bool], along: _Along, pixels: float) -> None:
    """Say at which side of its dot a name stands, the best first; not where it would cover another.

    ``pixels`` are those of a point of quality. The tooltip has every name.
    """
    wanted = [record for record, named in zip(records, is_named, strict=True) if named]
    taken: list[tuple[float, float, float]] = []
    for record in sorted(wanted, key=lambda each: -float(each["quality"] or 0)):
        share = along.share(float(record["cost"] or 0))
        long, at = len(str(record["model"])) * _LETTER, float(record["quality"] or 0) * pixels
        start = share * _WIDTH + (_GAP if share < 0.5 else -_GAP - long)
        if all(
            start + long < left or right < start or abs(at - y) >= _LINE for left, right, y in taken
        ):
            record |= {"named": "left" if share < 0.5 else "right", "best": not taken}
            taken.append((start, start + long, at))
