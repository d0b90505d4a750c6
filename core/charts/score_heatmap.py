"""Every benchmark of every model as a heatmap with its numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import altair as alt
import numpy as np

from core.charts.axes import (
    COLOUR_BAR,
    ROWS_UNDER_HEADINGS,
    columns_above,
    heading,
    headings,
)
from core.charts.intervals import labels
from core.statistics.score_matrix import normalised

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.charts.intervals import Picture
    from core.domain import Benchmark, FloatArray, Model, ScoreMatrix

MOST_MODELS = 30
"""With more, columns get too narrow."""
MOST_BENCHMARKS = 40
"""With more, a row is the mean over a subcategory."""
_MOST_NUMBERS = 20
_STEPS = 2.0
INK = "#1F2A2E"
"""Numbers stand on cells, which are light in both themes but at their ends."""
NUMBER_SIZE = "max(7, min(11.5, width / {n} / 2.6))"
"""Numbers shrink with their cells, so that a phone can still show them."""


def number_ink(on_dark: str) -> alt.Color:
    """Return the colour of numbers: white on the dark ends of the scale, as a test says."""
    ink: Any = alt.condition(on_dark, alt.value("white"), alt.value(INK))
    return cast("alt.Color", ink)


def rows_are_means(scores: ScoreMatrix) -> bool:
    """Say whether a row is the mean over a subcategory."""
    return len(scores.benchmarks) > MOST_BENCHMARKS


def score_heatmap(scores: ScoreMatrix, models: Sequence[Model]) -> Picture:
    """Draw models as columns and benchmarks as rows under their categories.

    The number is the score in points out of 100. The colour compares within a row only, since
    benchmarks differ in difficulty: blue above the mean of these models, orange below it, in
    standard deviations.

    Parameters
    ----------
    scores
        The columns, in its order of models; at most ``MOST_MODELS``.
    models
        Their facts, in any order.
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
            points = _mean(values[:, members])
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
    y = alt.Y(
        "row:N",
        title=None,
        scale=alt.Scale(domain=rows),
        axis=alt.Axis(**ROWS_UNDER_HEADINGS),
    )
    base = alt.Chart(alt.NamedData("cells")).encode(
        x=columns_above("model", ordered),
        y=y,
        tooltip=[
            alt.Tooltip("model:N", title="Model"),
            alt.Tooltip("row:N", title="Benchmark"),
            alt.Tooltip("points:Q", title="Points out of 100", format=".1f"),
            alt.Tooltip("z:Q", title="SD from the mean of these models", format="+.1f"),
        ],
    )
    layers = [
        base.mark_rect(stroke="white", strokeWidth=1, strokeOpacity=0.5).encode(
            color=alt.Color(
                "z:Q",
                scale=alt.Scale(
                    domain=[-_STEPS, _STEPS], clamp=True, scheme="blueorange", reverse=True
                ),
                legend=alt.Legend(
                    **COLOUR_BAR, title="Within a row: SD below or above the mean of these models"
                ),
            )
        ),
        headings(y),
    ]
    if len(ordered) <= _MOST_NUMBERS:
        layers.append(
            base.mark_text(fontSize=alt.ExprRef(NUMBER_SIZE.format(n=len(ordered)))).encode(
                text=alt.Text("points:Q", format=".0f"),
                color=number_ink("datum.z > 1.4 || datum.z < -1.6"),
            )
        )
    picture: Picture = alt.LayerChart(layer=layers, height=alt.Step(20)).to_dict(validate=False)
    return picture | {"datasets": {"cells": cells, "heads": heads}}


def _groups(scores: ScoreMatrix) -> dict[str, dict[str, list[int]]]:
    """Return per category its rows, each with the columns of the matrix that it stands for."""
    means, seen = rows_are_means(scores), set()
    found: dict[str, dict[str, list[int]]] = {}
    for j, benchmark in enumerate(scores.benchmarks):
        name = benchmark.subcategory or benchmark.category if means else benchmark.name
        if not means and name in seen:
            name = benchmark.id
        seen.add(name)
        found.setdefault(_category(benchmark), {}).setdefault(name, []).append(j)
    return found


def _category(benchmark: Benchmark) -> str:
    return benchmark.category or "Benchmarks"


def _mean(values: FloatArray) -> FloatArray:
    """Mean of each row over the values it has."""
    present = ~np.isnan(values)
    n = present.sum(axis=1).astype(float)
    n[n == 0] = np.nan
    mean: FloatArray = np.where(present, values, 0.0).sum(axis=1) / n
    return mean


def _standardised(points: FloatArray) -> FloatArray:
    """Count standard deviations from the mean of those that have a score; 0 if all are equal."""
    known = points[~np.isnan(points)]
    spread = known.std() if len(known) else 0.0
    # A spread of mere rounding is none.
    if spread < 1e-12:
        return np.where(np.isnan(points), np.nan, 0.0)
    steps: FloatArray = (points - known.mean()) / spread
    return steps
