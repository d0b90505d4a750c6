"""Tables of coloured cells: scores, who beats whom, what has been tested, platforms' answers."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING, Any, cast

import altair as alt
import numpy as np

from core.charts.kit import (
    COLOUR_BAR,
    MUTED,
    NAMES,
    QUIET,
    ROWS,
    ROWS_UNDER_HEADINGS,
    by_kind,
    columns_above,
    drawn,
    heading,
    headings,
    labels,
    named_cells,
    rows_of,
    tips,
)
from core.charts.trees import NARROW
from core.statistics.score_matrix import mean_known, normalised

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from core.charts.kit import Picture, Record
    from core.domain import FloatArray, Model, ScoreMatrix
    from core.statistics.coverage import Coverage
    from core.statistics.win_rates import HeadToHead

MOST_MODELS = 30
"""With more, columns get too narrow for names and numbers."""
MOST_BENCHMARKS = 40
"""With more, a row is the mean over a subcategory."""
_MOST_NUMBERS = 20
_INK = "#1F2A2E"
"""Numbers stand on cells, which are light in both themes but at their ends."""
_STANDINGS = {
    "as wanted": "#9CCFE0",
    "on a condition": "#F4E3AE",
    "not as wanted": "#E8935A",
    "not known": "#DDE2E4",
    "a figure": "#FFFFFF",
}
"""How an answer stands to what a buyer wants, and the colour behind its word."""
_ENOUGH = 10
"""Benchmarks from which on a cell has the darkest shade."""
_WHITE_FROM = 6
_LINE = 43
"""Characters of a label before it breaks."""


def rows_are_means(scores: ScoreMatrix) -> bool:
    """Say whether a row is the mean over a subcategory."""
    return len(scores.benchmarks) > MOST_BENCHMARKS


def score_heatmap(scores: ScoreMatrix, models: Sequence[Model]) -> Picture:
    """Draw models as columns and benchmarks as rows under their categories.

    The number is the score in points out of 100. The colour compares within a row only, since
    benchmarks differ in difficulty: blue above the mean of these models, orange below it, in
    standard deviations. The columns are the models of the matrix in its order, at most
    ``MOST_MODELS``.
    """
    names = labels(models)
    ordered = [names[model] for model in scores.models]
    groups = _groups(scores)
    values = normalised(scores)[0]
    cells, heads, rows = [], [], []
    for category, of_category in groups.items():
        heads.append(heading(category))
        rows.append(heads[-1]["row"])
        for name, members in of_category.items():
            rows.append(name)
            points = mean_known(values[:, members])
            steps = _standardised(points)
            cells += [
                {
                    "row": name,
                    "model": model,
                    "points": round(float(point) * 100, 3),
                    "z": round(float(step), 3),
                }
                for model, point, step in zip(ordered, points, steps, strict=True)
                if not np.isnan(point)
            ]
    y = named_cells("row", rows, ROWS_UNDER_HEADINGS)
    tooltip = tips(
        *("model Model", "row Benchmark", "points:.1f Points out of 100"),
        "z:+.1f SD from the mean of these models",
    )
    base = rows_of("cells").encode(x=columns_above("model", ordered), y=y, tooltip=tooltip)
    words = "Within a row: SD below or above the mean of these models"
    layers = [_shaded(base, "z", words, {"domain": [-2.0, 2.0], "clamp": True}), headings(y)]
    if len(ordered) <= _MOST_NUMBERS:
        text = alt.Text("points:Q", format=".0f")
        layers.append(_numbers(base, len(ordered), text, "datum.z > 1.4 || datum.z < -1.6"))
    return drawn(layers, alt.Step(20), cells=cells, heads=heads)


def head_to_head(found: HeadToHead, models: Sequence[Model]) -> Picture:
    """Draw each row against each column, percent of shared benchmarks won.

    Blue where the row is ahead, orange where the column is, grey for as many each. Numbers are
    in the cells of up to 20 models, else in the tooltip.
    """
    names = labels(models)
    ordered = [names[model] for model in found.models]
    cells = [
        {
            "row": row,
            "column": column,
            "share": round(float(found.shares[i, j]) * 100, 3),
            "n": int(found.shared[i, j]),
        }
        for i, row in enumerate(ordered)
        for j, column in enumerate(ordered)
        if found.shared[i, j] and i != j
    ]
    with_numbers = len(ordered) <= _MOST_NUMBERS
    base = rows_of("cells").encode(
        x=columns_above("column", ordered),
        y=named_cells("row", ordered, ROWS),
        tooltip=tips(
            *("row Model", "column Against", "share:.0f Benchmarks won, %"), "n: Benchmarks shared"
        ),
    )
    layers = [
        _shaded(base, "share", "Row beats column, % of shared benchmarks", {"domain": [0, 100]})
    ]
    if with_numbers:
        text = alt.Text("share:Q", format=".0f")
        layers.append(_numbers(base, len(ordered), text, "datum.share > 85 || datum.share < 10"))
    return drawn(layers, alt.Step(24 if with_numbers else 18), cells=cells)


def coverage_grid(coverage: Coverage, suites: Sequence[str], names: Mapping[str, str]) -> Picture:
    """Draw the number of benchmarks per subcategory and suite; a cell without one says none."""
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
    broken = QUIET | {
        "labelExpr": "split(datum.label, '\\n')",
        "labelLimit": 250,
        "labelLineHeight": 11,
        "labelFontSize": alt.condition(heads, alt.value(10), alt.value(11)),
        "labelFontWeight": alt.condition(heads, alt.value("bold"), alt.value("normal")),
    }
    y = named_cells("row", rows, broken)
    x = columns_above("suite", [names[suite] for suite in suites], QUIET | {"labelLimit": 130})
    base = alt.Chart(alt.InlineData(records)).encode(x=x, y=y)
    shade = alt.Scale(domain=[1, _ENOUGH], range=["#D3EBEC", "#0F6468"], clamp=True)
    cells = (
        base.transform_filter("datum.n > 0")
        .mark_rect(cornerRadius=2, stroke="white", strokeWidth=1)
        .encode(
            color=alt.Color("n:Q", scale=shade, legend=None),
            tooltip=tips("category Category", "work Kind of work", "suite Suite", "n: Benchmarks"),
        )
    )
    ink = alt.Color("ink:N", scale=None, legend=None)
    numbers = base.mark_text(fontSize=11).encode(text=alt.Text("text:N"), color=ink)
    chart = alt.LayerChart(layer=[cells, numbers], height=alt.Step(24))
    # The numbers carry their own colour; one scale for both layers would be neither's.
    picture: Picture = chart.resolve_scale(color="independent").to_dict(validate=False)
    return picture


def platform_answers(cells: Sequence[tuple[str, str, str, str, str]]) -> Picture:
    """Draw one word per platform and condition, on the colour of how it stands.

    Cells are platform, condition, word, one of ``_STANDINGS``, and the words of the source; rows
    and columns keep their order.
    """
    keys = ("platform", "condition", "word", "standing", "detail")
    records = [dict(zip(keys, cell, strict=True)) for cell in cells]
    rows = list(dict.fromkeys(cell[0] for cell in cells))
    columns = list(dict.fromkeys(cell[1] for cell in cells))
    seen = {cell[3] for cell in cells}
    shown = [standing for standing in _STANDINGS if standing in seen]
    names = NAMES | {"labelFontSize": 11}
    limit = alt.ExprRef(f"{NARROW} ? 110 : 190")
    upright = {"orient": "left", "labelAngle": 0, "labelLimit": limit}
    base = rows_of("cells").encode(
        x=columns_above("condition", columns, names | {"labelLimit": 190}),
        y=named_cells("platform", rows, names | upright),
        tooltip=tips(
            *("platform Platform", "condition Condition", "word Answer", "standing Stands"),
            "detail Detail",
        ),
    )
    legend = alt.Legend(
        title=None,
        orient="bottom",
        columns=2,
        labelFontSize=12,
        symbolType="square",
        symbolStrokeColor=MUTED,
        symbolSize=160,
    )
    layers = [
        base.mark_rect(stroke=MUTED, strokeWidth=1, strokeOpacity=0.5).encode(
            color=by_kind(alt.Color, "standing", shown, [_STANDINGS[one] for one in shown], legend)
        ),
        _numbers(base, max(len(columns), 1), alt.Text("word:N")),
    ]
    return drawn(layers, alt.Step(24), cells=records)


def _shaded(base: alt.Chart, field: str, title: str, scale: dict[str, Any]) -> alt.Chart:
    """Return cells from orange for low to blue for high, with the key below them."""
    colour = alt.Color(
        f"{field}:Q",
        scale=alt.Scale(**scale, scheme="blueorange", reverse=True),
        legend=alt.Legend(**COLOUR_BAR, title=title),
    )
    cells: alt.Chart = base.mark_rect(stroke="white", strokeWidth=1, strokeOpacity=0.5)
    return cells.encode(color=colour)


def _numbers(base: alt.Chart, n_columns: int, text: alt.Text, on_dark: str = "") -> alt.Chart:
    """Return the words in cells, which shrink with them, so that a phone can still show them.

    White where a test says that they stand on the dark ends of the scale.
    """
    size = alt.ExprRef(f"max(7, min(11.5, width / {n_columns} / 2.6))")
    if on_dark:
        ink = cast("Any", alt.condition(on_dark, alt.value("white"), alt.value(_INK)))
        words: alt.Chart = base.mark_text(fontSize=size).encode(text=text, color=ink)
    else:
        words = base.mark_text(fontSize=size, color=_INK).encode(text=text)
    return words


def _groups(scores: ScoreMatrix) -> dict[str, dict[str, list[int]]]:
    """Return per category its rows, each with the columns of the matrix that it stands for."""
    means, seen = rows_are_means(scores), set()
    found: dict[str, dict[str, list[int]]] = {}
    for j, benchmark in enumerate(scores.benchmarks):
        name = benchmark.subcategory or benchmark.category if means else benchmark.name
        if not means and name in seen:
            name = benchmark.id
        seen.add(name)
        category = benchmark.category or "Benchmarks"
        found.setdefault(category, {}).setdefault(name, []).append(j)
    return found


def _standardised(points: FloatArray) -> FloatArray:
    """Count standard deviations from the mean of those that have a score; 0 if all are equal."""
    known = points[~np.isnan(points)]
    spread = known.std() if len(known) else 0.0
    # A spread of mere rounding is none.
    if spread < 1e-12:
        return np.where(np.isnan(points), np.nan, 0.0)
    steps: FloatArray = (points - known.mean()) / spread
    return steps
