"""Dots with intervals, best first: scores, win rates, differences."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import altair as alt

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.domain import Equivalent, Model, ShortlistRow, Tier, WinRates
    from core.procurement.replacement import Judged

Picture = dict[str, Any]
"""A Vega-Lite specification."""
Record = dict[str, str | float | None]

ACCENT, MUTED, WARN = "#1B8A8F", "#8A979B", "#C4621B"
_NO_DIFFERENCE, _MARGIN = "no difference", "your margin"
_ROW_HEIGHT = 24
_VERDICTS = ("equivalent", "cannot tell", "worse")
_TIERS: dict[Tier, str] = {
    "shown": "equivalent",
    "likely": "equivalent",
    "open": "cannot tell",
    "worse": "worse",
}
_VERDICT_COLOURS = (ACCENT, MUTED, WARN)
_VERDICT_SHAPES = ("circle", "diamond", "triangle-down")
_GROUPS = ("first group", "others")


def scores(rows: Sequence[ShortlistRow]) -> Picture:
    """Draw the score of each row in points with its interval; the first group in colour."""
    names = labels([row.model for row in rows])
    first = [row.rank_band is not None and row.rank_band[0] == 1 for row in rows]
    return _with_rows(
        _SCORES,
        [
            _record(names[row.model.id], row.score, row.ci_low, row.ci_high, _GROUPS[not leads])
            for row, leads in zip(rows, first, strict=True)
        ],
    )


def win_rates(found: WinRates, models: Sequence[Model]) -> Picture:
    """Draw the win rate of each model with its interval; the first group in colour."""
    names = labels(models)
    return _with_rows(
        _WIN_RATES,
        [
            _record(
                names[row.model],
                row.win_rate,
                row.ci_low,
                row.ci_high,
                _GROUPS[row.rank_band[0] != 1],
            )
            for row in found.rows
        ],
    )


def differences(found: Sequence[Equivalent], models: Sequence[Model], margin: float) -> Picture:
    """Draw each candidate's difference from the model it could replace, against the margin."""
    names = labels(models)
    records = [
        _record(
            names[candidate.model],
            candidate.difference.difference,
            candidate.difference.ci_low,
            candidate.difference.ci_high,
            candidate.verdict,
        )
        for candidate in found
    ]
    return _with_rows(_DIFFERENCES, records, lines=_margin_lines(margin))


def tiers(found: Sequence[tuple[Model, Judged]], margin: float) -> Picture:
    """Draw how far each model is from the one in use, against the margin, by its tier."""
    names = labels([model for model, _ in found])
    records = [
        _record(
            names[model.id],
            judged.difference.difference,
            judged.difference.ci_low,
            judged.difference.ci_high,
            _TIERS[judged.tier],
        )
        for model, judged in found
    ]
    return _with_rows(_DIFFERENCES, records, lines=_margin_lines(margin))


def labels(models: Sequence[Model]) -> dict[str, str]:
    """Return a label per model: its name, or its id where two share a name."""
    names = Counter(model.name for model in models)
    return {m.id: m.name if names[m.name] == 1 else m.id for m in models}


def _margin_lines(margin: float) -> list[Record]:
    return [{"x": 0.0, "what": _NO_DIFFERENCE}, {"x": -margin * 100, "what": _MARGIN}]


def _record(
    label: str, value: float | None, low: float | None, high: float | None, group: str
) -> Record:
    """Return one dot in points out of 100; its value is written behind the interval."""
    shares = {"value": value, "low": low, "high": high, "end": value if high is None else high}
    points = {name: None if x is None else x * 100 for name, x in shares.items()}
    return {"label": label, "group": group, **points}


def _with_rows(picture: Picture, rows: list[Record], **others: list[Record]) -> Picture:
    return picture | {"datasets": {"rows": rows, **others}}


def _marks(
    x: alt.X,
    groups: Sequence[str],
    colours: Sequence[str],
    shapes: Sequence[str],
    number: str,
) -> list[alt.Chart]:
    """Return interval, dot and value as layers over the data set named rows."""
    y = alt.Y(
        "label:N",
        sort=None,
        title=None,
        axis=alt.Axis(
            labelLimit=220,
            labelOverlap=False,
            labelFlush=False,
            labelFontSize=12,
            ticks=False,
            domain=False,
        ),
    )
    colour = alt.Color(
        "group:N", scale=alt.Scale(domain=list(groups), range=list(colours)), legend=None
    )
    shape = alt.Shape(
        "group:N", scale=alt.Scale(domain=list(groups), range=list(shapes)), legend=None
    )
    tooltip = [
        alt.Tooltip("label:N", title="Model"),
        alt.Tooltip("value:Q", title="Value", format=number),
        alt.Tooltip("low:Q", title="From", format=number),
        alt.Tooltip("high:Q", title="To", format=number),
        alt.Tooltip("group:N", title=" "),
    ]
    base = alt.Chart(alt.NamedData("rows"))
    return [
        base.mark_rule(strokeWidth=2.5, opacity=0.6).encode(
            x=x, x2=alt.X2("high:Q"), y=y, color=colour, tooltip=tooltip
        ),
        base.mark_point(filled=True, size=75, opacity=1).encode(
            x=alt.X("value:Q"), y=y, color=colour, shape=shape, tooltip=tooltip
        ),
        base.mark_text(align="left", dx=7, fontSize=11, color=MUTED).encode(
            x=alt.X("end:Q"), y=y, text=alt.Text("value:Q", format=number)
        ),
    ]


def _dots(title: str) -> Picture:
    x = alt.X(
        "low:Q",
        title=title,
        scale=alt.Scale(zero=False, nice=True, padding=12),
        axis=alt.Axis(tickCount=8, format="d"),
    )
    marks = _marks(x, _GROUPS, (ACCENT, MUTED), ("circle", "circle"), ".1f")
    return alt.LayerChart(layer=marks, height=alt.Step(_ROW_HEIGHT)).to_dict()


def _against_margin() -> Picture:
    lines = alt.Chart(alt.NamedData("lines"))
    x = alt.X("low:Q", title="Difference, points", scale=alt.Scale(zero=False, nice=True))
    layers = [
        lines.mark_rule(color=MUTED, strokeDash=[4, 3]).encode(
            x=alt.X("x:Q"), tooltip=alt.Tooltip("what:N", title=" ")
        ),
        # One above the other: a small margin on a narrow screen brings the two lines together.
        *(
            lines.transform_filter(alt.datum.what == what)
            .mark_text(align="right", dx=-3, dy=-4, baseline="bottom", color=MUTED, fontSize=11)
            .encode(x=alt.X("x:Q"), y=alt.value(y), text=alt.Text("what:N"))
            for what, y in ((_NO_DIFFERENCE, 0), (_MARGIN, -14))
        ),
        *_marks(x, _VERDICTS, _VERDICT_COLOURS, _VERDICT_SHAPES, "+.1f"),
    ]
    return alt.LayerChart(layer=layers, height=alt.Step(_ROW_HEIGHT)).to_dict()


# Building and checking a chart takes ten times as long as sending it, so each kind is built
# once, and only its rows change.
_SCORES = _dots("Score, points out of 100")
_WIN_RATES = _dots("Share of comparisons won, %")
_DIFFERENCES = _against_margin()
