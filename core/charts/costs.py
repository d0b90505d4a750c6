"""Quality against cost, with the Pareto frontier."""

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
_ON = ("on the frontier", "matched or beaten")
_HEIGHT, _WIDTH = 420, 700
_ROOM_HEIGHT = 330
"""Pixels; the width is that of a middling screen and serves to place names."""
_LETTER, _LINE = 6.0, 16
_ROOM_LEFT, _ROOM_RIGHT = 0.25, 0.05
_MOST_LABELS = 12
_DECADES = 2.5
_NARROW = 420


@dataclass(frozen=True, slots=True)
class CostScale:
    """How a cost axis is written."""

    title: str
    before: str = ""
    """Written before a number, such as a currency sign."""
    after: str = ""


def cost_quality(rows: Sequence[Costed], scale: CostScale, quality: str) -> Picture:
    """Draw each model with a known cost; the frontier as steps, its models named.

    A vertical bar is the interval of the quality.
    """
    known = [row for row in rows if row.cost is not None]
    names = labels([row.model for row in rows])
    records: list[Record] = [
        {
            "model": names[row.model.id],
            "cost": row.cost,
            "quality": row.quality * 100,
            "low": None if row.ci_low is None else row.ci_low * 100,
            "high": None if row.ci_high is None else row.ci_high * 100,
            "place": _ON[not row.on_frontier],
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
    x, x_domain = _cost_axis(costs, scale)
    lows = [v for r in records for v in (r["low"], r["quality"]) if isinstance(v, float)]
    highs = [v for r in records for v in (r["high"], r["quality"]) if isinstance(v, float)]
    room = (max(highs) - min(lows)) * 0.08 or 1.0
    y_domain = (min(lows) - room / 2, max(highs) + room)
    ends = {"domain": list(y_domain), "zero": False, "nice": False}
    y = scaled(alt.Y, "quality:Q", quality, ends, tickCount=6, format="d")
    legend = alt.Legend(
        title=None, orient="top", symbolType="circle", symbolStrokeWidth=2, symbolOpacity=1
    )
    colour = by_kind(alt.Color, "place", _ON, (ACCENT, MUTED), legend)
    tooltip = tips(
        *("model Model", f"quality:.1f {quality}", "low:.1f From", "high:.1f To"),
        *(f"cost:,.2f {scale.title}", "beaten Matched or beaten by"),
    )
    base = rows_of("models").encode(x=x, tooltip=tooltip)
    layers: list[alt.Chart] = [
        rows_of("frontier")
        .mark_line(interpolate="step-after", color=ACCENT, strokeWidth=1.5, strokeDash=[5, 3])
        .encode(x=x, y=y),
        base.transform_filter("isValid(datum.low)")
        .mark_rule(strokeWidth=1.5, opacity=0.35)
        .encode(y=alt.Y("low:Q"), y2=alt.Y2("high:Q"), color=colour),
        base.mark_point(filled=True, size=85, opacity=1).encode(y=y, color=colour),
    ]
    best = steps[-_MOST_LABELS:]
    placed = _placed(best, x_domain, y_domain)
    for number, limit in placed.items():
        # A narrow picture has room for one name, the best one's.
        is_best = number == len(best) - 1
        short = "datum.model" if is_best else f"width < {_NARROW} ? '' : datum.model"
        step = rows_of(f"step{number}").transform_calculate(name=short).encode(x=x, y=y)
        cut = alt.ExprRef(f"max(20, width * {limit:.3f} - 8)")
        layers.append(words(step, "name:N", align="right", dx=-8, dy=-10, limit=cut, color=ACCENT))
    named = {f"step{number}": [best[number]] for number in placed}
    return drawn(layers, _HEIGHT, models=records, frontier=line, **named)


@dataclass(frozen=True, slots=True)
class InRoom:
    """One model in the picture of everybody."""

    name: str
    score: float
    """0 to 1."""
    ends: tuple[float, float] | None
    """Interval of the score; ``None`` where none is known."""
    cost: float | None
    """``None`` where it is not known: such models stand in a strip of their own at the right."""
    fits: bool
    may_be_first: bool
    is_named: bool


_KINDS_IN_ROOM = ("may be first", "fits", "does not fit")


def everybody(rows: Sequence[InRoom], scale: CostScale) -> Picture:
    """Draw quality against cost of all models of the evidence, with a name on those that matter.

    Filled are those that fit, hollow those that do not; ringed, in colour and with their interval
    those that may be first. Shape says it too, for who does not see the colour. At least one cost
    is known.
    """
    costs = [row.cost for row in rows if row.cost is not None]
    unknown = len(costs) < len(rows)
    x, (low, high) = _cost_axis(costs, scale, left=0.05, right=0.22 if unknown else 0.05)
    logs = [math.log(end) if low > 0 else end for end in (low, high)]
    strip = high - (high - low) * 0.06
    if low > 0:
        strip = math.exp(logs[1] - (logs[1] - logs[0]) * 0.06)
    records: list[Record] = []
    for row in rows:
        first = row.fits and row.may_be_first
        ends = row.ends if row.ends is not None and first else (None, None)
        at = strip if row.cost is None else row.cost
        share = ((math.log(at) if low > 0 else at) - logs[0]) / (logs[1] - logs[0])
        records.append(
            {
                "model": row.name,
                "cost": at,
                "said": "not known" if row.cost is None else f"{scale.before}{row.cost:,.3g}",
                "score": row.score * 100,
                "low": None if ends[0] is None else ends[0] * 100,
                "high": None if ends[1] is None else ends[1] * 100,
                "kind": _KINDS_IN_ROOM[0 if first else 1 if row.fits else 2],
                "named": ("" if not row.is_named else "left" if share < 0.5 else "right"),
            }
        )
    tops = [r[end] for r in records for end in ("low", "score", "high")]
    heights = [top for top in tops if isinstance(top, float)]
    room = (max(heights) - min(heights)) * 0.06 or 1.0
    ends_of_y = {"domain": [min(heights) - room, max(heights) + room], "zero": False}
    y = scaled(alt.Y, "score:Q", "Score, of 100", ends_of_y | {"nice": False}, tickCount=4)
    legend = alt.Legend(title=None, orient="top", offset=2)
    colours = ((ACCENT, MUTED, MUTED), (ACCENT, MUTED, "transparent"))
    stroke = by_kind(alt.Stroke, "kind", _KINDS_IN_ROOM, colours[0], legend)
    fill = by_kind(alt.Fill, "kind", _KINDS_IN_ROOM, colours[1], legend)
    tooltip = tips("model Model", "score:.1f Score", f"said {scale.title}", "kind Stands")
    base = rows_of("room").encode(x=x)
    of_first = base.transform_filter(f"datum.kind === '{_KINDS_IN_ROOM[0]}'")
    layers = [
        of_first.transform_filter("isValid(datum.low)")
        .mark_rule(strokeWidth=1.5, color=ACCENT, opacity=0.5)
        .encode(y=alt.Y("low:Q"), y2=alt.Y2("high:Q")),
        base.mark_point(size=45, strokeWidth=1.5, opacity=0.9).encode(
            y=y, tooltip=tooltip, stroke=stroke, fill=fill
        ),
        of_first.mark_point(size=170, strokeWidth=1.5, color=ACCENT, opacity=1).encode(y=y),
    ]
    for align, dx in (("left", 11), ("right", -11)):
        named = base.transform_filter(f"datum.named === '{align}'").encode(y=y)
        layers.append(words(named, "model:N", align=align, dx=dx, dy=-8, fontSize=12, color=ACCENT))
    if unknown:
        beside = rows_of("strip").encode(x=x, y=alt.value(0))
        layers.append(words(beside, "said:N", align="center", dy=-6, color=INK))
    told = f"{'cost' if scale.before else 'size'} not known"
    return drawn(layers, _ROOM_HEIGHT, room=records, strip=[{"cost": strip, "said": told}])


def _cost_axis(
    costs: Sequence[float], scale: CostScale, left: float = _ROOM_LEFT, right: float = _ROOM_RIGHT
) -> tuple[alt.X, tuple[float, float]]:
    """Return the cost axis, perhaps logarithmic, and its ends, with room at both."""
    low, high = min(costs), max(costs)
    log = low > 0 and high > _LOG_FROM * low
    width = high / low if log else high - low or abs(high) or 1.0
    domain = max(low - width * left, 0.0), high + width * right
    if log:
        domain = low / width**left, high * width**right
    # Powers of ten, with 3 times each where there are few.
    few = log and math.log10(domain[1] / domain[0]) < _DECADES
    kind = {"type": "log" if log else "linear", "domain": list(domain)}
    axis = scaled(
        alt.X,
        "cost:Q",
        scale.title + (", logarithmic scale" if log else ""),
        kind | {"nice": False, "zero": False},
        values=powers(*domain, (1, 3) if few else (1,)) if log else alt.Undefined,
        tickCount=6,
        labelExpr=f"datum.value > {high * 1.5:g} ? '' : '{scale.before}' + "
        f"format(datum.value, ',~g') + '{scale.after}'",
        labelOverlap="greedy",
    )
    return axis, domain


def _placed(
    steps: Sequence[Record], x_domain: tuple[float, float], y_domain: tuple[float, float]
) -> dict[int, float]:
    """Return the share of the width at which names along the frontier end, the best one's first.

    They stand above and left of it, where nothing else can. A name that would cover another is
    left out, and the tooltip has it.
    """
    logs = [math.log(end) if x_domain[0] > 0 else end for end in x_domain]
    placed: dict[int, float] = {}
    taken: list[tuple[float, float, float]] = []
    for number, step in reversed(list(enumerate(steps))):
        cost, quality = float(step["cost"] or 0), float(step["quality"] or 0)
        at = (math.log(cost) if x_domain[0] > 0 else cost) - logs[0]
        share = at / (logs[1] - logs[0])
        end, y = share * _WIDTH - 8, (quality - y_domain[0]) / (y_domain[1] - y_domain[0]) * _HEIGHT
        # A name that is cut begins where the picture does.
        start = max(end - len(str(step["model"])) * _LETTER, 0)
        if all(end < left or right < start or abs(y - at) >= _LINE for left, right, at in taken):
            placed[number] = share
            taken.append((start, end, y))
    return placed
