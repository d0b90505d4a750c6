"""What has been tested, as a grid of subcategories by suites."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING

import altair as alt

from core.charts.intervals import MUTED

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from core.charts.intervals import Picture, Record
    from core.statistics.coverage import Coverage

_FEW, _MANY = "#D3EBEC", "#0F6468"
_ENOUGH = 10
"""Benchmarks from which on a cell has the darkest shade."""
_WHITE_FROM = 6
_LINE = 43
"""Characters of a label before it breaks."""


def grid(coverage: Coverage, suites: Sequence[str], names: Mapping[str, str]) -> Picture:
    """Draw the number of benchmarks per subcategory and suite; a cell without one says none.

    Parameters
    ----------
    suites : sequence of str
        The columns, of those in ``coverage``.
    names : mapping of str to str
        How to write each suite.
    """
    records: list[Record] = []
    rows: list[str] = []
    for category in dict.fromkeys(category for category, _ in coverage.places):
        rows.append(category.upper())
        for place in coverage.places:
            if place[0] != category:
                continue
            lines = "\n".join(wrap(place[1], _LINE))
            rows.append(lines)
            for suite in suites:
                n = len(coverage.cells[place, suite].benchmarks)
                records.append(
                    {
                        "category": category,
                        "row": lines,
                        "work": place[1],
                        "suite": names[suite],
                        "n": n,
                        "text": str(n) if n else "none",
                        "ink": MUTED if not n else "#10333A" if n < _WHITE_FROM else "#FFFFFF",
                    }
                )
    heads = alt.expr.upper(alt.datum.value) == alt.datum.value
    y = alt.Y(
        "row:N",
        title=None,
        scale=alt.Scale(domain=rows),
        axis=alt.Axis(
            labelExpr="split(datum.label, '\\n')",
            labelLimit=250,
            labelLineHeight=11,
            labelOverlap=False,
            ticks=False,
            domain=False,
            labelFontSize=alt.condition(heads, alt.value(10), alt.value(11)),
            labelFontWeight=alt.condition(heads, alt.value("bold"), alt.value("normal")),
        ),
    )
    x = alt.X(
        "suite:N",
        title=None,
        scale=alt.Scale(domain=[names[suite] for suite in suites]),
        axis=alt.Axis(
            orient="top",
            labelAngle=-90,
            labelOverlap=False,
            labelLimit=130,
            ticks=False,
            domain=False,
        ),
    )
    base = alt.Chart(alt.InlineData(records))
    cells = (
        base.transform_filter("datum.n > 0")
        .mark_rect(cornerRadius=2, stroke="white", strokeWidth=1)
        .encode(
            x=x,
            y=y,
            color=alt.Color(
                "n:Q",
                scale=alt.Scale(domain=[1, _ENOUGH], range=[_FEW, _MANY], clamp=True),
                legend=None,
            ),
            tooltip=[
                alt.Tooltip("category:N", title="Category"),
                alt.Tooltip("work:N", title="Kind of work"),
                alt.Tooltip("suite:N", title="Suite"),
                alt.Tooltip("n:Q", title="Benchmarks"),
            ],
        )
    )
    numbers = base.mark_text(fontSize=11).encode(
        x=x,
        y=y,
        text="text:N",
        color=alt.Color("ink:N", scale=None, legend=None),
    )
    chart = alt.LayerChart(layer=[cells, numbers], height=alt.Step(24))
    # The numbers carry their own colour; one scale for both layers would be neither's.
    picture: Picture = chart.resolve_scale(color="independent").to_dict(validate=False)
    return picture
