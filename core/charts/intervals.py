"""Models as dots with their intervals: score, win rate, difference, and quality against cost."""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import altair as alt

from core.charts import kit
from core.domain import (
    Difference,
    Dossier,
    Model,
    ScoreMatrix,
    WinRateRow,
    WinRates,
)
from core.procurement.bill import amount_on
from core.statistics.difference import Pair

WORDS = {
    "better": "▲ better",
    "worse": "▼ worse",
    "cannot tell": "≈ cannot tell",
    "no interval": "no interval",
    "not measured": "not measured",
}
"""How a standing is written, with a mark of its own as well as a colour."""
_NO_DIFFERENCE, _MARGIN = "no difference", "your margin"
_ROW = alt.Step(24)
_GROUPS = ("first group", "others")
_VERDICTS = ("equivalent", "cannot tell", "worse")
_TIERS = {"shown": "equivalent", "likely": "equivalent", "open": "cannot tell"}
_SIGN = "§"
"""Begins the row of a heading; no benchmark is named so."""
_STANDINGS = ("better", "worse", "cannot tell", "no interval")
_PLAIN = "format(datum.value, '~g')"
"""Ticks without a power of ten: a format of the axis would follow the step between two."""


def may_be_first(row: Dossier | WinRateRow) -> bool:
    """Say whether no model is shown to be above it."""
    return row.rank_band is not None and row.rank_band[0] == 1


def score_chart(rows: Sequence[Dossier]) -> kit.Picture:
    """Draw the score of each row in points with its interval; the first group in colour."""
    names = kit.labels([row.model for row in rows])
    return _SCORES | _in_groups([(names[row.model.id], row.score or 0.0, row) for row in rows])


def win_rate_chart(found: WinRates, models: Sequence[Model]) -> kit.Picture:
    """Draw the win rate of each model with its interval; the first group in colour."""
    names = kit.labels(models)
    return _WIN_RATES | _in_groups([(names[row.model], row.win_rate, row) for row in found.rows])


def _in_groups(rows: Sequence[tuple[str, float, Dossier | WinRateRow]]) -> kit.Picture:
    """Return the dots of labels and values, those that could be the best in a group apart."""
    groups = [_GROUPS[not may_be_first(row)] for *_, row in rows]
    records = [
        _record(label, value, row.ci_low, row.ci_high, group)
        for (label, value, row), group in zip(rows, groups, strict=True)
    ]
    return {"datasets": {"rows": records}}


def difference_chart(found: Sequence[tuple[Model, Difference, str]], margin: float) -> kit.Picture:
    """Draw how far each model is from the one in use, against the margin, by verdict or tier."""
    names = kit.labels([model for model, *_ in found])
    records = [
        _record(names[model.id], d.difference, d.ci_low, d.ci_high, _TIERS.get(said, said))
        for model, d, said in found
    ]
    lines = [{"x": 0.0, "what": _NO_DIFFERENCE}, {"x": -margin * 100, "what": _MARGIN}]
    return _DIFFERENCES | {"datasets": {"rows": records, "lines": lines}}


def benchmark_gaps(pair: Pair, scores: ScoreMatrix) -> kit.Picture:
    """Draw the difference on every benchmark, grouped by category, the largest gain first."""
    rows, records, heads = [], [], []
    categories = dict.fromkeys(benchmark.category for benchmark in scores.benchmarks)
    for category in categories:
        found = [
            (gap, benchmark)
            for gap, benchmark in zip(pair.gaps, scores.benchmarks, strict=True)
            if benchmark.category == category and gap.difference is not None
        ]
        if not found:
            continue
        rows.append(f"{_SIGN}{category}")
        heads.append({"row": rows[-1], "category": category or "Benchmarks"})
        for gap, benchmark in sorted(found, key=lambda one: -(one[0].difference or 0)):
            name = benchmark.name if benchmark.name not in rows else benchmark.id
            rows.append(name)
            shares = {"value": gap.difference, "low": gap.ci_low, "high": gap.ci_high}
            records.append(
                {"row": name, "standing": gap.standing}
                | {key: None if x is None else round(x * 100, 4) for key, x in shares.items()}
            )
    said = f"substring(datum.value, 0, 1) === '{_SIGN}' ? '' : datum.value"
    own: dict[str, Any] = {"labelExpr": said, "labelLimit": 190, "labelFontSize": 11, "grid": False}
    axis = alt.Axis(**kit.NAMES, **own)
    y = alt.Y("row:N", title=None, scale=alt.Scale(domain=rows), axis=axis)
    around = {"zero": True, "nice": True, "padding": 10}
    title = "Difference, points out of 100"
    # With as many digits as the ticks need, and no sign at zero.
    ticks = "abs(datum.value) < 1e-9 ? '0' : format(datum.value, '+~g')"
    x = kit.scaled(alt.X, "value:Q", title, around, tickCount=7, labelExpr=ticks)
    legend = alt.Legend(title=None, orient="top", symbolSize=90, symbolOpacity=1, columns=2)
    shapes = ("triangle-up", "triangle-down", "diamond", "cross")
    colour = kit.by_kind(
        alt.Color, "standing", _STANDINGS, (kit.ACCENT, kit.WARN, kit.MUTED, kit.MUTED), legend
    )
    shape = kit.by_kind(alt.Shape, "standing", _STANDINGS, shapes, legend)
    tooltip = kit.tips(
        *("row Benchmark", "value:+.1f Difference, points", "low:+.1f From", "high:+.1f To"),
        "standing",
    )
    base = kit.chart_rows("gaps").encode(y=y, color=colour, tooltip=tooltip)
    layers = [
        _dashed_at("zero"),
        kit.words(
            kit.chart_rows("heads").encode(x=alt.value(2), y=y),
            "category:N",
            **{"align": "left", "fontSize": 12, "fontWeight": "bold", "dy": 2},
        ),
        base.transform_filter("isValid(datum.low)")
        .mark_rule(strokeWidth=2.5, opacity=0.6)
        .encode(x=alt.X("low:Q"), x2=alt.X2("high:Q")),
        base.mark_point(filled=True, size=70, opacity=1, strokeWidth=2).encode(x=x, shape=shape),
    ]
    return kit.drawn(layers, alt.Step(19), gaps=records, heads=heads, zero=[{"x": 0}])


def _dashed_at(data: str) -> alt.Chart:
    lines: alt.Chart = kit.chart_rows(data).mark_rule(color=kit.MUTED, strokeDash=[4, 3])
    return lines.encode(x=alt.X("x:Q"))


def _record(
    label: str, value: float | None, low: float | None, high: float | None, group: str
) -> kit.ChartRow:
    """Return one dot in points out of 100; its value is written behind the interval."""
    shares = {"value": value, "low": low, "high": high, "end": value if high is None else high}
    points = {name: None if x is None else x * 100 for name, x in shares.items()}
    return {"model": label, "group": group, **points}


def _numbered(
    x: alt.X, groups: Sequence[str], colours: Sequence[str], shapes: Sequence[str], number: str
) -> list[alt.Chart]:
    """Return interval, dot and value as layers over the data set named rows."""
    axis = alt.Axis(**kit.NAMES, labelFontSize=12, labelLimit=220)
    y = alt.Y("model:N", sort=None, title=None, axis=axis)
    said = ["model Model", f"value:{number} Value", f"low:{number} From", f"high:{number} To"]
    said.append("group")
    colour = kit.by_kind(alt.Color, "group", groups, colours)
    shape = kit.by_kind(alt.Shape, "group", groups, shapes)
    base = kit.chart_rows("rows").encode(y=y)
    text = alt.Text("value:Q", format=number)
    value = kit.words(base.encode(x=alt.X("end:Q")), text, align="left", dx=7)
    marks = base.encode(color=colour, tooltip=kit.tips(*said))
    dots = marks.mark_point(filled=True, size=75, opacity=1, cursor="pointer")
    return [
        marks.mark_rule(strokeWidth=2.5, opacity=0.6).encode(x=x, x2=alt.X2("high:Q")),
        kit.of_models(dots.encode(x=alt.X("value:Q"), shape=shape), *said),
        value,
    ]


def _dots(title: str) -> kit.Picture:
    # Room for the value behind the last interval, and no tick at the edge, where it would be cut.
    scale = {"zero": False, "nice": False, "padding": 36}
    x = kit.scaled(alt.X, "low:Q", title, scale, tickCount=8, labelExpr=_PLAIN)
    return kit.drawn(
        _numbered(x, _GROUPS, (kit.ACCENT, kit.MUTED), ("circle", "circle"), ".1f"), _ROW
    )


def _differences() -> kit.Picture:
    lines = kit.chart_rows("lines").encode(x=alt.X("x:Q"))
    x = alt.X("low:Q", title="Difference, points", scale=alt.Scale(zero=False, nice=True))
    above: dict[str, Any] = {"align": "right", "dx": -3, "dy": -4, "baseline": "bottom"}
    shapes = ("circle", "diamond", "triangle-down")
    layers = [
        _dashed_at("lines").encode(tooltip=alt.Tooltip("what:N", title=" ")),
        # One above the other: a small margin on a narrow screen brings the two lines together.
        *(
            kit.words(
                lines.transform_filter(alt.datum.what == what).encode(y=alt.value(y)),
                "what:N",
                **above,
            )
            for what, y in ((_NO_DIFFERENCE, 0), (_MARGIN, -14))
        ),
        *_numbered(x, _VERDICTS, (kit.ACCENT, kit.MUTED, kit.WARN), shapes, "+.1f"),
    ]
    return kit.drawn(layers, _ROW)


# Building a chart takes ten times as long as sending it, so these are built once, and only their
# rows change.
_SCORES = _dots("Score, points out of 100")
_WIN_RATES = _dots("Comparisons won, %")
_DIFFERENCES = _differences()


_HEIGHT, _WIDTH = 330, 700
"""Pixels; the width is that of a middling screen and serves to place names."""
_PLOT = 210
"""Pixels of the height that are left for the dots themselves."""
_LETTER, _LINE, _GAP, _DOT, _ABOVE = 6.5, 16, 11, 5, 8
"""Pixels: of a letter, of a line, between a dot and its name, of half a dot, of a name above it."""
_MOST_NAMED = 8
_UNKNOWN_AT = 0.06
"""Where models of unknown cost are drawn, as a share of the width from the right edge."""
_KINDS = ("could be the best", "fits", "left out")
_FRONTIER = ("on the frontier", "matched or beaten", "")


SCALES: dict[str, tuple[str, str, str]] = {
    "bill": ("Monthly cost", "$", ""),
    "parameters": ("Billions of parameters", "", " B"),
}
"""What a cost axis says, and what is written before and after its numbers."""


class _Point(NamedTuple):
    """One model in the picture, its quality from 0 to 1."""

    name: str
    quality: float
    ends: tuple[float, float] | None
    cost: float | None
    """``None`` where it is not known: such models have a strip of their own at the right."""
    kind: str
    is_named: bool


def ends_of(row: Dossier) -> tuple[float, float] | None:
    """Return both ends of an interval, or that there is none."""
    return None if row.ci_low is None or row.ci_high is None else (row.ci_low, row.ci_high)


def cost_quality_chart(
    rows: Sequence[Dossier], axis: str, quality: str, on_frontier: Collection[str]
) -> kit.Picture:
    """Draw each model with a known cost; the frontier as steps, its models in colour and named."""
    names = kit.labels([row.model for row in rows])
    points = [
        _Point(
            names[row.model.id],
            row.score or 0.0,
            ends_of(row),
            amount,
            _FRONTIER[row.model.id not in on_frontier],
            row.model.id in on_frontier,
        )
        for row in rows
        if (amount := amount_on(axis, row)) is not None
    ]
    return _picture(points, axis, quality, _FRONTIER, steps=True)


def everybody(rows: Sequence[Dossier], axis: str, leading: Collection[str]) -> kit.Picture:
    """Draw all models of the evidence, with a name on those that lead, by their ids.

    The first of those that could be the best have a name too.
    Filled are those that fit, hollow those that do not; ringed, in colour and with their interval
    those that could be the best. Shape says it too, for people who do not see the colour. At least
    one cost is known.
    """
    names = kit.labels([row.model for row in rows])
    first = [row.model.id for row in rows if row.fits and may_be_first(row)][:_MOST_NAMED]
    points = [
        _Point(
            names[row.model.id],
            row.score or 0.0,
            ends_of(row),
            amount_on(axis, row),
            _KINDS[2 if not row.fits else 0 if may_be_first(row) else 1],
            row.model.id in leading or row.model.id in first,
        )
        for row in rows
    ]
    return _picture(points, axis, "Score", _KINDS)


def _picture(
    points: Sequence[_Point],
    axis: str,
    quality: str,
    kinds: tuple[str, str, str],
    *,
    steps: bool = False,
) -> kit.Picture:
    costs = [point.cost for point in points if point.cost is not None]
    unknown = len(costs) < len(points)
    title, before, _ = SCALES[axis]
    x, along = _cost_axis(costs, axis, right=0.22 if unknown else 0.05)
    bars = [point.ends if point.kind == kinds[0] else None for point in points]
    heights = [point.quality for point in points] + [end for bar in bars for end in bar or ()]
    low, high = min(heights) * 100, max(heights) * 100
    room = (high - low) * 0.06 or 1.0
    records: list[kit.ChartRow] = [
        {
            "model": point.name,
            "cost": along.at(1 - _UNKNOWN_AT) if point.cost is None else point.cost,
            "said": "not known" if point.cost is None else f"{before}{point.cost:,.3g}",
            "quality": point.quality * 100,
            "low": bar and bar[0] * 100,
            "high": bar and bar[1] * 100,
            "kind": point.kind,
            "named": "",
        }
        for point, bar in zip(points, bars, strict=True)
    ]
    _name(records, [point.is_named for point in points], along, _PLOT / (high - low + 2 * room))
    ends = {"domain": [low - room, high + room], "zero": False, "nice": False}
    y = kit.scaled(alt.Y, "quality:Q", quality, ends, tickCount=3, labelExpr=_PLAIN)
    legend = alt.Legend(title=None, orient="top", offset=2)
    drawn_kinds = [kind for kind in kinds if kind]
    colours = ((kit.ACCENT, kit.MUTED, kit.MUTED), (kit.ACCENT, kit.MUTED, "transparent"))
    stroke = kit.by_kind(alt.Stroke, "kind", drawn_kinds, colours[0][: len(drawn_kinds)], legend)
    fill = kit.by_kind(alt.Fill, "kind", drawn_kinds, colours[1][: len(drawn_kinds)], legend)
    said = (f"quality:.1f {quality}", "low:.1f From", "high:.1f To", f"said {title}")
    base = kit.chart_rows("models").encode(x=x)
    of_first = base.transform_filter(f"datum.kind === '{kinds[0]}'")
    layers = [
        of_first.transform_filter("isValid(datum.low)")
        .mark_rule(strokeWidth=1.5, color=kit.ACCENT, opacity=0.5)
        .encode(y=alt.Y("low:Q"), y2=alt.Y2("high:Q")),
        of_first.mark_point(size=170, strokeWidth=1.5, color=kit.ACCENT, opacity=1).encode(y=y),
        kit.of_models(
            base.mark_point(size=45, strokeWidth=1.5, opacity=0.9, cursor="pointer").encode(
                y=y, stroke=stroke, fill=fill
            ),
            *("model Model", *said, "kind Standing"),
        ),
    ]
    if steps:
        line = of_first.mark_line(
            interpolate="step-after", color=kit.ACCENT, strokeWidth=1.5, strokeDash=[5, 3]
        )
        layers.append(line.encode(y=y))
    for align, dx in (("left", _GAP), ("right", -_GAP)):
        there = f"datum.named === '{align}' && (datum.best || width > 420)"
        named = base.transform_filter(there).encode(y=y)
        look = {"align": align, "dx": dx, "dy": -_ABOVE, "fontSize": 12, "color": kit.ACCENT}
        layers.append(kit.words(named, "model:N", **look))
    strip: list[kit.ChartRow] = []
    if unknown:
        strip.append({"cost": along.at(1 - _UNKNOWN_AT), "said": "not known"})
        beside = kit.chart_rows("strip").encode(x=x, y=alt.value(0))
        layers.append(kit.words(beside, "said:N", align="center", dy=-6, color=kit.INK))
    return kit.drawn(layers, _HEIGHT, models=records, strip=strip)


@dataclass(frozen=True, slots=True)
class _Along:
    """Where costs are along the axis, as shares of its length."""

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


def _cost_axis(costs: Sequence[float], axis: str, right: float) -> tuple[alt.X, _Along]:
    """Return the cost axis with room at both ends, logarithmic where costs are far apart."""
    title, before, after = SCALES[axis]
    low, high = min(costs), max(costs)
    log = low > 0 and high > 20 * low
    width = high / low if log else high - low or abs(high) or 1.0
    along = _Along(max(low - width * 0.05, 0.0), high + width * right, log)
    if log:
        along = _Along(low / width**0.05, high * width**right, log)
    ticks: list[float] | alt.UndefinedType = alt.Undefined
    if log:  # Powers of ten, with 3 times each where there are few.
        first, last = math.floor(math.log10(along.low)), math.ceil(math.log10(along.high))
        factors = (1, 3) if math.log10(along.high / along.low) < 2.5 else (1,)
        powers = [float(f"{n * 10.0**it:g}") for it in range(first, last + 1) for n in factors]
        ticks = [tick for tick in powers if along.low <= tick <= along.high]
    kind = {"type": "log" if log else "linear", "domain": [along.low, along.high]}
    x = kit.scaled(
        alt.X,
        "cost:Q",
        title + (", log" if log else ""),
        kind | {"nice": False, "zero": False},
        values=ticks,
        tickCount=6,
        labelExpr=f"datum.value > {high * 1.5:g} ? '' : '{before}' + "
        f"format(datum.value, ',~g') + '{after}'",
        labelOverlap="greedy",
    )
    return x, along


def _name(records: list[kit.ChartRow], is_named: list[bool], along: _Along, pixels: float) -> None:
    """Say at which side of its dot a name is, the best first; not where it would cover another.

    It keeps off the other dots where one side does. ``pixels`` are those of a point of quality.
    The tooltip has every name.
    """

    def spot(record: kit.ChartRow) -> tuple[float, float]:
        share = along.share(float(record["cost"] or 0))
        return share * _WIDTH, float(record["quality"] or 0) * pixels

    wanted = [record for record, named in zip(records, is_named, strict=True) if named]
    dots = [spot(record) for record in records]
    taken: list[tuple[float, float, float]] = []
    for record in sorted(wanted, key=lambda each: -float(each["quality"] or 0)):
        (x, at), long = spot(record), len(str(record["model"])) * _LETTER
        free = []
        for side, start in (("left", x + _GAP), ("right", x - _GAP - long)):
            end = start + long
            is_over = any(
                start < right and left < end and abs(at - y) < _LINE for left, right, y in taken
            )
            if is_over or start < 0 or end > _WIDTH:
                continue
            covered = sum(
                start - _DOT < left < end + _DOT and abs(at + _ABOVE - y) < _LINE / 2
                for left, y in dots
            )
            free.append((covered, (side == "left") != (x < _WIDTH / 2), side, start))
        if free:
            *_, side, start = min(free)
            record |= {"named": side, "best": not taken}
            taken.append((start, start + long, at))
