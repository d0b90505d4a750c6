"""The models of BenchHealth against the best result of one made for each data set."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from core.answers.evidence import BenchHealth
from core.charts import benchhealth as charts
from pages.components.blocks import figure, table
from pages.components.notices import plain
from pages.evidence.sections import numbers

_BEST, _OTHER, _MADE = "best model", "other models", "state of the art"
_COLUMNS = {
    "Its score": st.column_config.NumberColumn(format="%.1f"),
    "State of the art": st.column_config.NumberColumn(
        format="%.1f",
        help="Best result of a model made for this task alone, percent, as the paper prints it.",
    ),
}
_Row = tuple[str, str, str, float]
"""Data set, kind of result, who, and the score in percent."""


def draw(found: BenchHealth, names: dict[str, str]) -> None:
    """Say, draw and list on which data sets the best model is above the state of the art."""
    benchmarks = found.scores.benchmarks
    rows = _rows(found, names)
    best = {name: (model, value) for name, kind, model, value in rows if kind == _BEST}
    made = {name: value for name, kind, _, value in rows if kind == _MADE}
    st.markdown(_in_words(best, made, len(benchmarks)))
    sets = [benchmark.name for benchmark in benchmarks]
    title = "BenchHealth: models against the task-specific state of the art, score in %"
    figure(
        charts.against_state_of_the_art(rows),
        name="benchhealth-state-of-the-art",
        title=title,
        alt="Best model and task-specific state of the art, percent: "
        + "; ".join(
            f"{name}: {best[name][0]} {best[name][1]:.1f}, state of the art "
            + (f"{made[name]:.1f}" if name in made else "not printed")
            for name in sets
            if name in best
        ),
        snapshot=found.scores.snapshot,
    )
    table(
        pd.DataFrame(
            {
                "Data set": sets,
                "Task": [b.subcategory for b in benchmarks],
                "Measured as": [b.metric for b in benchmarks],
                "Items": pd.array([b.n_items for b in benchmarks], dtype="Int64"),
                "Best model": [best[name][0] if name in best else "none" for name in sets],
                "Its score": numbers(best[name][1] if name in best else None for name in sets),
                "State of the art": numbers(made.get(name) for name in sets),
            }
        ),
        name="benchhealth-state-of-the-art",
        title=title,
        snapshot=found.scores.snapshot,
        columns=_COLUMNS,
        placeholder="not printed",
        alt="Each data set with its best model and the state of the art, percent",
    )


def _rows(found: BenchHealth, names: dict[str, str]) -> list[_Row]:
    scores, lines = found.scores, dict(found.state_of_the_art)
    rows: list[_Row] = []
    for j, benchmark in enumerate(scores.benchmarks):
        column = scores.scores[:, j]
        measured = np.flatnonzero(~np.isnan(column)).tolist()
        leader = int(np.nanargmax(column)) if measured else None
        rows += [
            (
                benchmark.name,
                _BEST if i == leader else _OTHER,
                names[scores.models[i]],
                float(column[i]),
            )
            for i in measured
        ]
        if benchmark.id in lines:
            rows.append((benchmark.name, _MADE, "made for this task", lines[benchmark.id]))
    return rows


def _in_words(best: dict[str, tuple[str, float]], made: dict[str, float], n_benchmarks: int) -> str:
    """Say on which data sets the best model is above the line."""
    if not made:
        return "This snapshot has no line of the task-specific state of the art."
    above = [name for name, line in made.items() if name in best and best[name][1] > line]
    said = (
        f"**The best model here is above it on {len(above)}: {plain(', '.join(above))}.**"
        if above
        else "**No model here is above it on any of them.**"
    )
    return (
        f"The paper prints the best result of a model made for one task on {len(made)} of "
        f"{n_benchmarks} data sets. {said}"
    )
