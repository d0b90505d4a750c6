"""Who wins, and is it clear? Win rates with intervals, and what they rest on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import streamlit as st

from core.answers import data
from core.answers import evidence as evidence_answers
from core.charts import heatmaps, intervals
from core.domain import Model, ScoreMatrix, Selection, WinRates
from core.evidence.store import Store
from core.procurement.requirements import all_categories
from core.statistics.score_matrix import normalised, select_models
from core.statistics.win_rates import of_category
from core.words import figures
from core.words.figures import count
from pages.components import controls, evidence, tables
from pages.components.blocks import (
    choose,
    figure,
    how_made,
    left_out,
    numbers,
    opened,
    some_of,
    table,
)
from pages.components.notices import own_choice, plain

_EVERY = "All categories"
_MOST_FIRST = 7
_MOST_NAMED = 4
_MOST_IN_PICTURE = 40
_EACH, _TESTS = "Head to head", "Every test"
_SECTIONS = {_EACH: (), _TESTS: (), "Task categories": ()}
_METHODS = {
    _EACH: "Head to head",
    _TESTS: "Every benchmark as a heatmap",
}


def draw() -> None:
    """Draw the tab."""
    # Links from before may leave models out of the comparison.
    own_choice("without", "A comparison without", (), "that of all models")
    store = evidence.store()
    selection = data.selection_of(controls.question(store).requirements)
    scores = data.products(store, selection)
    answer = st.container()
    category = _category(scores)
    with st.spinner("Counting wins…"):
        found = evidence_answers.win_rates(store, selection, category=category)
    models = {row.model: data.model(store, row.model) for row in found.rows}
    names = intervals.labels(list(models.values()))
    contest = Contest(store, selection, category, found, models, names)
    with answer:
        _answer(contest)
        _by_score(store, selection, contest)
    _picture(contest)
    _figures(contest)
    shown = opened(_SECTIONS, key="wins_show")
    for section in shown:
        st.subheader(section)
        if section == _EACH:
            _each_against_each(contest)
        elif section == _TESTS:
            _every_score(contest, of_category(scores, category))
        else:
            _by_category(contest)
    left_out(
        store,
        found.excluded,
        title="Models left out of the win rates",
        snapshot=found.snapshot,
    )
    how_made("Win rate", *(_METHODS[name] for name in shown if name in _METHODS), key="win_rates")


def _category(scores: ScoreMatrix) -> str | None:
    """Draw the choice of the benchmarks that count; ``None`` for all."""
    categories = all_categories(scores.benchmarks)
    part = choose(
        "Benchmarks of",
        [_EVERY, *filter(None, categories)],
        key="part",
        what="The task category",
        used=_EVERY.lower(),
        help="A task category, or one of its subcategories, which stand after it.",
    )
    return None if part == _EVERY else part


def _answer(contest: Contest) -> None:
    found, names = contest.found, contest.names
    first = [row.model for row in found.rows if row.rank_band[0] == 1]
    if len(first) == 1:
        answer = f"**{plain(names[first[0]])} wins clearly.**"
    elif len(first) == len(found.rows):
        answer = "**No model is shown to win more than another.**"
    else:
        listed = some_of([names[model] for model in first], _MOST_FIRST)
        answer = (
            f"**{count(len(first)).capitalize()} models may be first: none is shown to win less "
            f"than another.** They are {plain(listed)}."
        )
    of = "" if contest.category is None else f" on {plain(contest.category.lower())}"
    n_benchmarks = max(row.n_benchmarks for row in found.rows)
    st.markdown(
        f"{answer} {len(found.rows)} models compared{of}, on "
        f"{figures.counted(n_benchmarks, 'benchmark')}.",
        help="The win rate of a model is how often it scores better than another of these models "
        "on the same benchmark; a draw counts half. With other models, or other benchmarks, the "
        "rates change.",
    )


def _by_score(store: Store, selection: Selection, contest: Contest) -> None:
    """Say where the first group by mean score is another."""
    names = contest.names
    first = {row.model for row in contest.found.rows if row.rank_band[0] == 1}
    by_score = evidence_answers.first_by_score(store, selection, contest.category)
    if not by_score or by_score == first:
        return
    ahead = some_of(sorted(names[m] for m in by_score if m in names), _MOST_NAMED)
    st.caption(
        f"By mean score {plain(ahead)} may be first.",
        help="A score counts by how much a model is ahead, a win rate only how often. Where "
        "numbers of questions are published, the score is judged on these tests, the win rate "
        "always on other tests like these.",
    )


def _picture(contest: Contest) -> None:
    found, names = contest.found, contest.names
    cut = replace(found, rows=found.rows[:_MOST_IN_PICTURE])
    caption = (
        "Bars: 95 % intervals, how much a rate depends on which benchmarks happen to be in the "
        "suite; none with fewer than five. In colour: those that may be first."
    )
    if len(cut.rows) < len(found.rows):
        caption += f" The first {len(cut.rows)} of {len(found.rows)} are drawn."
    figure(
        intervals.win_rates(cut, [contest.models[row.model] for row in cut.rows]),
        "win-rates",
        "Win rates",
        "Win rates in percent: "
        + "; ".join(f"{names[row.model]} {row.win_rate:.0%}" for row in found.rows[:15]),
        found.snapshot,
    )
    st.caption(caption)


@dataclass(frozen=True, slots=True)
class Contest:
    """Models counted against one another."""

    store: Store
    selection: Selection
    category: str | None
    """The benchmarks that count; ``None`` for all."""
    found: WinRates
    models: Mapping[str, Model]
    names: Mapping[str, str]
    """Label of each model."""


def _figures(contest: Contest) -> None:
    rows = contest.found.rows
    table(
        pd.DataFrame(
            {
                "Model": [contest.names[row.model] for row in rows],
                "May be": [tables.band(row.rank_band) for row in rows],
                "Win rate, %": [row.win_rate * 100 for row in rows],
                "From": numbers((row.ci_low for row in rows), times=100),
                "To": numbers((row.ci_high for row in rows), times=100),
                "Win SD": numbers((row.win_sd for row in rows), times=100),
                "Macro-average": [row.macro_avg * 100 for row in rows],
                "SD": numbers((row.sd for row in rows), times=100),
                "Benchmarks": [row.n_benchmarks for row in rows],
            }
        ),
        "win-rates-figures",
        "Win rates",
        contest.found.snapshot,
        placeholder="not defined",
    )


def _each_against_each(contest: Contest) -> None:
    """Draw who beats whom on how many of the benchmarks that both have."""
    found, names = contest.found, contest.names
    order = [row.model for row in found.rows][: heatmaps.MOST_MODELS]
    met = evidence_answers.head_to_head(
        contest.store, contest.selection, tuple(order), contest.category
    )
    n_shared = met.shared[~np.eye(len(order), dtype=bool)]
    if len(set(n_shared.tolist())) == 1:
        shares = f"Each pair shares {figures.counted(int(n_shared[0]), 'benchmark')}."
    else:
        shares = (
            f"Pairs share {n_shared.min()} to {n_shared.max()} benchmarks; an empty cell means "
            "none."
        )
    st.caption(
        "Along a row: the share of benchmarks, in percent, on which this model beats the one above "
        f"the column; a draw counts half. Blue: the row is ahead. Orange: it is behind. {shares}"
        + _cut(len(order), len(found.rows))
    )
    picture = heatmaps.head_to_head(met, [contest.models[model] for model in order])
    leads = [
        f"{names[model]} ahead of {int((met.shares[i] > 0.5).sum())}"
        for i, model in enumerate(order[:15])
    ]
    pairs = [
        {
            "Model": names[row],
            "Against": names[column],
            "Benchmarks won, %": float(met.shares[i, j]) * 100,
            "Benchmarks shared": int(met.shared[i, j]),
        }
        for i, row in enumerate(order)
        for j, column in enumerate(order)
        if i != j
    ]
    figure(
        picture,
        "head-to-head",
        "Head to head: share of benchmarks on which the row beats the column, %",
        f"Who beats whom, of {len(order)} models: " + "; ".join(leads),
        found.snapshot,
        frame=pd.DataFrame(pairs),
    )


def _every_score(contest: Contest, scores: ScoreMatrix) -> None:
    found, names = contest.found, contest.names
    order = [row.model for row in found.rows][: heatmaps.MOST_MODELS]
    shown = select_models(scores, order)
    means = (
        f" Rows are means over the {len(shown.benchmarks)} benchmarks' subcategories."
        if heatmaps.rows_are_means(shown)
        else ""
    )
    st.caption(
        "Points out of 100. The colour compares within a row only, since benchmarks differ in "
        "difficulty: blue above the mean of these models, orange below it, an empty cell was "
        f"never measured.{means}" + _cut(len(order), len(found.rows))
    )
    values = normalised(shown)[0] * 100
    frame = pd.DataFrame(
        {
            "Benchmark": [benchmark.name for benchmark in shown.benchmarks],
            "Category": [benchmark.category for benchmark in shown.benchmarks],
            "Subcategory": [benchmark.subcategory for benchmark in shown.benchmarks],
        }
        | {names[model]: values[i] for i, model in enumerate(order)}
    )
    figure(
        heatmaps.score_heatmap(shown, [contest.models[model] for model in order]),
        "scores",
        "Scores on every benchmark, points out of 100",
        f"Scores of {len(order)} models on {len(shown.benchmarks)} benchmarks: "
        + "; ".join(
            f"{names[row.model]} {figures.points(row.macro_avg)} points on average"
            for row in found.rows[:15]
        ),
        scores.snapshot,
        frame=frame,
    )


def _by_category(contest: Contest) -> None:
    found = contest.found
    st.caption("Mean score over the benchmarks of each category, points out of 100.")
    means = {
        name: numbers((dict(scores)[row.model] for row in found.rows), times=100)
        for name, scores in found.categories
    }
    table(
        pd.DataFrame({"Model": [contest.names[row.model] for row in found.rows]} | means),
        "category-scores",
        "Mean score by task category, points out of 100",
        found.snapshot,
        columns=dict.fromkeys(means, "%.1f"),
        placeholder="not measured",
    )


def _cut(n_drawn: int, n_models: int) -> str:
    return f" The first {n_drawn} of {n_models} models are drawn." if n_drawn < n_models else ""
