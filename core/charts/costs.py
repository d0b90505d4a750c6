"""Quality against cost, with the Pareto frontier."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import altair as alt

from core.charts.kit import (
    ACCENT,
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
    from collections.abc import Collection, Sequence

    from core.charts.kit import Picture, Record
    from core.procurement.monthly_cost import Costed

_LOG_FROM = 20
"""A cost axis is logarithmic where the dearest costs more than so many times the cheapest."""
_ON = ("on the frontier", "matched or beaten")
_GROUP = ("may be first", "shown below another")
_HEIGHT, _WIDTH = 420, 700
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


def cost_quality(
    rows: Sequence[Costed],
    scale: CostScale,
    quality: str,
    first_group: Collection[str] | None = None,
) -> Picture:
    """Draw each model with a known cost; the frontier as steps, its models named.

    A vertical bar is the interval of the quality. With ``first_group``, the ids of the models that
    none is shown to beat, these are in colour in place of those on the frontier.
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
    colour = by_kind(alt.Color, "place", kinds, (ACCENT, MUTED), legend)
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


def _cost_axis(costs: Sequence[float], scale: CostScale) -> tuple[alt.X, tuple[float, float]]:
    """Return the cost axis, perhaps logarithmic, and its ends, with room for a name."""
    low, high = min(costs), max(costs)
    log = low > 0 and high > _LOG_FROM * low
    width = high / low if log else high - low or abs(high) or 1.0
    domain = max(low - width * _ROOM_LEFT, 0.0), high + width * _ROOM_RIGHT
    if log:
        domain = low / width**_ROOM_LEFT, high * width**_ROOM_RIGHT
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
        labelExpr=f"'{scale.before}' + format(datum.value, ',~g') + '{scale.after}'",
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
