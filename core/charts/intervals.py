"""Dots with intervals, bars and curves: scores, win rates, differences, raters, cases, places."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import altair as alt

from core.charts.kit import (
    ACCENT,
    MUTED,
    NAMES,
    OFFSET_ROWS,
    QUIET,
    ROWS_UNDER_HEADINGS,
    WARN,
    Picture,
    Record,
    by_kind,
    dashed_at,
    drawn,
    heading,
    headings,
    labels,
    named_cells,
    named_rows,
    rows_of,
    scaled,
    tips,
    words,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.charts.kit import Picture, Record
    from core.domain import (
        Difference,
        Dossier,
        Equivalent,
        Judged,
        Model,
        ScoreMatrix,
        Tier,
        WinRateRow,
        WinRates,
    )
    from core.statistics.difference import Pair

OWN, PAPER = "your ratings", "MedHELM"
WORDS = {
    "better": "▲ better",
    "worse": "▼ worse",
    "cannot tell": "≈ cannot tell",
    "no interval": "no interval",
    "not measured": "not measured",
}
"""How a standing is written, with a sign of its own beside every colour."""
_NO_DIFFERENCE, _MARGIN = "no difference", "your margin"
_ROW = alt.Step(24)
_GROUPS = ("first group", "others")
_VERDICTS = ("equivalent", "cannot tell", "worse")
_TIERS: dict[Tier, str] = {
    "shown": "equivalent",
    "likely": "equivalent",
    "open": "cannot tell",
    "worse": "worse",
}
_LEVELS = ((0.25, "poor"), (0.625, "moderate"), (0.825, "good"))
"""Middle and name of the levels of Koo and Li (2016); there is no room to write the last."""
_BORDERS = (0.5, 0.75, 0.9)
_STANDINGS = ("better", "worse", "cannot tell", "no interval")


def scores(rows: Sequence[Dossier]) -> Picture:
    """Draw the score of each row in points with its interval; the first group in colour."""
    names = labels([row.model for row in rows])
    return _SCORES | _in_groups([(names[row.model.id], row.score or 0.0, row) for row in rows])


def win_rates(found: WinRates, models: Sequence[Model]) -> Picture:
    """Draw the win rate of each model with its interval; the first group in colour."""
    names = labels(models)
    return _WIN_RATES | _in_groups([(names[row.model], row.win_rate, row) for row in found.rows])


def _in_groups(rows: Sequence[tuple[str, float, Dossier | WinRateRow]]) -> Picture:
    """Return the dots of labels and values, those that may be first in a group of their own."""
    groups = [_GROUPS[row.rank_band is None or row.rank_band[0] != 1] for *_, row in rows]
    records = [
        _record(label, value, row.ci_low, row.ci_high, group)
        for (label, value, row), group in zip(rows, groups, strict=True)
    ]
    return {"datasets": {"rows": records}}


def differences(found: Sequence[Equivalent], models: Sequence[Model], margin: float) -> Picture:
    """Draw each candidate's difference from the model it could replace, against the margin."""
    names = labels(models)
    return _against_margin([(names[c.model], c.difference, c.verdict) for c in found], margin)


def tiers(found: Sequence[tuple[Model, Judged]], margin: float) -> Picture:
    """Draw how far each model is from the one in use, against the margin, by its tier."""
    names = labels([model for model, _ in found])
    rows = [(names[model.id], judged.difference, _TIERS[judged.tier]) for model, judged in found]
    return _against_margin(rows, margin)


def benchmark_gaps(pair: Pair, scores: ScoreMatrix) -> Picture:
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
        heads.append(heading(category))
        rows.append(heads[-1]["row"])
        for gap, benchmark in sorted(found, key=lambda one: -(one[0].difference or 0)):
            name = benchmark.name if benchmark.name not in rows else benchmark.id
            rows.append(name)
            shares = {"value": gap.difference, "low": gap.ci_low, "high": gap.ci_high}
            records.append(
                {"row": name, "standing": gap.standing}
                | {key: None if x is None else round(x * 100, 4) for key, x in shares.items()}
            )
    y = named_cells("row", rows, ROWS_UNDER_HEADINGS | {"grid": False})
    around = {"zero": True, "nice": True, "padding": 10}
    title = "Difference, points out of 100"
    x = scaled(alt.X, "value:Q", title, around, tickCount=7, format="+d")
    legend = alt.Legend(title=None, orient="top", symbolSize=90, symbolOpacity=1, columns=2)
    shapes = ("triangle-up", "triangle-down", "diamond", "cross")
    colour = by_kind(alt.Color, "standing", _STANDINGS, (ACCENT, WARN, MUTED, MUTED), legend)
    shape = by_kind(alt.Shape, "standing", _STANDINGS, shapes, legend)
    tooltip = tips(
        *("row Benchmark", "value:+.1f Difference, points", "low:+.1f From", "high:+.1f To"),
        "standing",
    )
    base = rows_of("gaps").encode(y=y, color=colour, tooltip=tooltip)
    layers = [
        dashed_at("zero"),
        headings(y),
        base.transform_filter("isValid(datum.low)")
        .mark_rule(strokeWidth=2.5, opacity=0.6)
        .encode(x=alt.X("low:Q"), x2=alt.X2("high:Q")),
        base.mark_point(filled=True, size=70, opacity=1, strokeWidth=2).encode(x=x, shape=shape),
    ]
    return drawn(layers, alt.Step(19), gaps=records, heads=heads, zero=[{"x": 0}])


def agreements(rows: Sequence[tuple[str, float, float | None, float | None, str]]) -> Picture:
    """Draw label, ICC, lower and upper end, and whose figure it is, over the levels of agreement.

    Values are from 0 to 1; an end that is ``None`` draws no interval.
    """
    keys = ("label", "value", "low", "high", "whose")
    datasets = {
        "rows": [dict(zip(keys, row, strict=True)) for row in rows],
        "borders": [{"x": x} for x in _BORDERS],
        "levels": [{"x": x, "name": name} for x, name in _LEVELS],
    }
    return _AGREEMENTS | {"datasets": datasets}


def _against_margin(rows: Sequence[tuple[str, Difference, str]], margin: float) -> Picture:
    records = [_record(label, d.difference, d.ci_low, d.ci_high, group) for label, d, group in rows]
    lines = [{"x": 0.0, "what": _NO_DIFFERENCE}, {"x": -margin * 100, "what": _MARGIN}]
    return _DIFFERENCES | {"datasets": {"rows": records, "lines": lines}}


def _record(
    label: str, value: float | None, low: float | None, high: float | None, group: str
) -> Record:
    """Return one dot in points out of 100; its value is written behind the interval."""
    shares = {"value": value, "low": low, "high": high, "end": value if high is None else high}
    points = {name: None if x is None else x * 100 for name, x in shares.items()}
    return {"label": label, "group": group, **points}


def _marks(base: alt.Chart, x: alt.X, shape: alt.Shape, size: int) -> list[alt.Chart]:
    """Return interval and dot as layers."""
    return [
        base.mark_rule(strokeWidth=2.5, opacity=0.6).encode(x=x, x2=alt.X2("high:Q")),
        base.mark_point(filled=True, size=size, opacity=1).encode(x=alt.X("value:Q"), shape=shape),
    ]


def _numbered(
    x: alt.X, groups: Sequence[str], colours: Sequence[str], shapes: Sequence[str], number: str
) -> list[alt.Chart]:
    """Return interval, dot and value as layers over the data set named rows."""
    y = named_rows(220, NAMES | {"labelFontSize": 12})
    tooltip = tips(
        *("label Model", f"value:{number} Value", f"low:{number} From", f"high:{number} To"),
        "group",
    )
    colour = by_kind(alt.Color, "group", groups, colours)
    shape = by_kind(alt.Shape, "group", groups, shapes)
    base = rows_of("rows").encode(y=y)
    text = alt.Text("value:Q", format=number)
    value = words(base.encode(x=alt.X("end:Q")), text, align="left", dx=7)
    return [*_marks(base.encode(color=colour, tooltip=tooltip), x, shape, 75), value]


def _dots(title: str) -> Picture:
    scale = {"zero": False, "nice": True, "padding": 12}
    x = scaled(alt.X, "low:Q", title, scale, tickCount=8, format="d")
    return drawn(_numbered(x, _GROUPS, (ACCENT, MUTED), ("circle", "circle"), ".1f"), _ROW)


def _differences() -> Picture:
    lines = rows_of("lines").encode(x=alt.X("x:Q"))
    x = alt.X("low:Q", title="Difference, points", scale=alt.Scale(zero=False, nice=True))
    above: dict[str, Any] = {"align": "right", "dx": -3, "dy": -4, "baseline": "bottom"}
    shapes = ("circle", "diamond", "triangle-down")
    layers = [
        dashed_at("lines").encode(tooltip=alt.Tooltip("what:N", title=" ")),
        # One above the other: a small margin on a narrow screen brings the two lines together.
        *(
            words(
                lines.transform_filter(alt.datum.what == what).encode(y=alt.value(y)),
                "what:N",
                **above,
            )
            for what, y in ((_NO_DIFFERENCE, 0), (_MARGIN, -14))
        ),
        *_numbered(x, _VERDICTS, (ACCENT, MUTED, WARN), shapes, "+.1f"),
    ]
    return drawn(layers, _ROW)


def _agreements() -> Picture:
    axis = {"values": [0, 0.25, 0.5, 0.75, 1], "format": ".2~f", "grid": False}
    x = scaled(alt.X, "low:Q", "Agreement, ICC(3,k)", {"domain": [0, 1], "clamp": True}, **axis)
    colour = by_kind(alt.Color, "whose", (OWN, PAPER), (ACCENT, MUTED))
    shape = by_kind(alt.Shape, "whose", (OWN, PAPER), ("circle", "diamond"))
    tooltip = tips(
        *("label Compared", "value:.2f Agreement", "low:.2f From", "high:.2f To"), "whose Source"
    )
    base = rows_of("rows").encode(y=named_rows(190))
    levels = rows_of("levels").encode(x=alt.X("x:Q"), y=alt.value(0))
    layers = [
        rows_of("borders")
        .mark_rule(color=MUTED, strokeDash=[4, 3], opacity=0.6)
        .encode(x=alt.X("x:Q")),
        words(levels, "name:N", baseline="bottom", dy=-5),
        *_marks(base.encode(color=colour, tooltip=tooltip), x, shape, 90),
        words(base.encode(x=alt.X("value:Q")), alt.Text("value:Q", format=".2f"), dy=-9),
    ]
    return drawn(layers, alt.Step(34))


# Building a chart takes ten times as long as sending it, so these are built once, and only their
# rows change.
_SCORES = _dots("Score, points out of 100")
_WIN_RATES = _dots("Share of comparisons won, %")
_DIFFERENCES = _differences()
_AGREEMENTS = _agreements()


_PLACES = ("first", "top three")


def places(rows: Sequence[tuple[str, float, float]]) -> Picture:
    """Draw (model, share first, share among the first three), shares from 0 to 1, in order.

    Filled bars are for first, hollow ones for the first three; each says what it is.
    """
    records: list[Record] = [
        {"label": label, "kind": kind, "value": value * 100, "text": f"{kind} {percent(value)}"}
        for label, *both in rows
        for kind, value in zip(_PLACES, both, strict=True)
    ]
    # Room beyond 100 for the words beside the bars.
    scale = {"domain": [0, 175], "nice": False}
    title = "Share of weightings, %"
    base = rows_of("rows").encode(
        x=scaled(alt.X, "value:Q", title, scale, values=[0, 50, 100], titleAnchor="start"),
        y=named_rows(150, QUIET | {"labelFontSize": 12}),
        yOffset=alt.YOffset("kind:N", sort=list(_PLACES)),
        tooltip=tips("label Model", "kind Place", f"value:.1f {title}"),
    )
    fill = by_kind(alt.Fill, "kind", _PLACES, (ACCENT, "transparent"))
    layers = [
        base.mark_bar(stroke=ACCENT, strokeWidth=1).encode(fill=fill),
        words(base, "text:N", align="left", dx=5),
    ]
    return drawn(layers, alt.Step(18, **OFFSET_ROWS), rows=records)


def percent(share: float) -> str:
    """Write a share; what is not quite none or all does not read so."""
    if 0 < share < 0.005:
        return "under 1 %"
    if 0.995 <= share < 1:
        return "over 99 %"
    return f"{share * 100:.0f} %"
