"""What win rates rest on: the figures, who beats whom, and what the rivals decide."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
import streamlit as st

from core.answers import evidence
from core.charts import heatmaps
from core.domain import Model, ScoreMatrix, Selection, WinRates
from core.evidence.store import Store
from core.procurement.reasons import ordinal
from core.statistics.score_matrix import normalised, select_models
from core.statistics.win_rates import Removal
from pages.components import wording
from pages.components.blocks import figure, table
from pages.components.notices import own_choice, plain
from pages.evidence.sections import numbers

_NUMBER = st.column_config.NumberColumn
_FIGURES = {
    "May be": st.column_config.TextColumn(
        help="The places that the data allow (95 % confidence).", width="small"
    ),
    "Win rate, %": _NUMBER(format="%.1f"),
    "From": _NUMBER(format="%.1f", help="Lower end of the 95 % interval of the win rate."),
    "To": _NUMBER(format="%.1f", help="Upper end of the 95 % interval of the win rate."),
    "Win SD": _NUMBER(
        format="%.1f",
        help="How unevenly the wins fall over the rivals: the standard deviation of the share of "
        "benchmarks won against each.",
    ),
    "Macro-average": _NUMBER(
        format="%.1f", help="Mean score over the benchmarks, points out of 100."
    ),
    "SD": _NUMBER(format="%.1f", help="Standard deviation of the scores over the benchmarks."),
}
_MOVES = {
    "Rank with all": _NUMBER(
        help="Among the models that stay, so that a gap which merely closes moves nobody."
    ),
    "Rate with all, %": _NUMBER(format="%.1f"),
    "Rate without, %": _NUMBER(format="%.1f"),
}


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


def figures(contest: Contest) -> None:
    """Draw the table of rates, with what else HELM prints of a model."""
    rows = contest.found.rows
    table(
        pd.DataFrame(
            {
                "Model": [contest.names[row.model] for row in rows],
                "May be": [_band(row.rank_band) for row in rows],
                "Win rate, %": [row.win_rate * 100 for row in rows],
                "From": numbers((row.ci_low for row in rows), times=100),
                "To": numbers((row.ci_high for row in rows), times=100),
                "Win SD": numbers((row.win_sd for row in rows), times=100),
                "Macro-average": [row.macro_avg * 100 for row in rows],
                "SD": numbers((row.sd for row in rows), times=100),
                "Benchmarks": [row.n_benchmarks for row in rows],
            }
        ),
        name="win-rates-figures",
        title="Win rates",
        snapshot=contest.found.snapshot,
        columns=_FIGURES,
        placeholder="not defined",
        alt="Win rates and macro-averages, best first",
    )


def each_against_each(contest: Contest) -> None:
    """Draw who beats whom on how many of the benchmarks that both have."""
    found, names = contest.found, contest.names
    order = [row.model for row in found.rows][: heatmaps.MOST_MODELS]
    met = evidence.head_to_head(contest.store, contest.selection, tuple(order), contest.category)
    n_shared = met.shared[~np.eye(len(order), dtype=bool)]
    if len(set(n_shared.tolist())) == 1:
        shares = f"Each pair shares {wording.counted(int(n_shared[0]), 'benchmark')}."
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
        name="head-to-head",
        title="Head to head: share of benchmarks on which the row beats the column, %",
        alt=f"Who beats whom, of {len(order)} models: " + "; ".join(leads),
        snapshot=found.snapshot,
        frame=pd.DataFrame(pairs),
    )


def compared_set(contest: Contest) -> None:
    """Say what leaving models out does to the order of the others."""
    names = contest.names
    ids = {name: model for model, name in names.items()}
    own_choice("without", "The model", ids, "the others are all of them")
    chosen = st.multiselect(
        "Leave out of the comparison",
        sorted(ids, key=str.lower),
        key="without",
        bind="query-params",
        placeholder="Nobody: all are compared",
        help="A win rate counts wins over the models compared, so it changes with them. Take "
        "models out here, or in again, to see who moves.",
    )
    if not chosen:
        return
    removal = evidence.without(
        contest.store, contest.selection, tuple(ids[name] for name in chosen), contest.category
    )
    out = wording.list_of([names[model] for model in removal.left_out])
    st.markdown(f"**{plain(_moves(removal, names, out))}**")
    places = removal.places
    table(
        pd.DataFrame(
            {
                "Model": [names[place.model] for place in places],
                "Rank with all": [place.rank_before for place in places],
                "Rank without": [place.rank_after for place in places],
                "Moves": [_move(place.rank_before - place.rank_after) for place in places],
                "Rate with all, %": [place.rate_before * 100 for place in places],
                "Rate without, %": [place.rate_after * 100 for place in places],
            }
        ),
        name="compared-set",
        title=f"Win rates with and without {out}",
        snapshot=contest.found.snapshot,
        columns=_MOVES,
    )


def every_score(contest: Contest, scores: ScoreMatrix) -> None:
    """Draw every benchmark of every model."""
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
        name="scores",
        title="Scores on every benchmark, points out of 100",
        alt=f"Scores of {len(order)} models on {len(shown.benchmarks)} benchmarks: "
        + "; ".join(
            f"{names[row.model]} {wording.points(row.macro_avg)} points on average"
            for row in found.rows[:15]
        ),
        snapshot=scores.snapshot,
        frame=frame,
    )


def by_category(contest: Contest) -> None:
    """Draw the mean score of each model in each category."""
    found = contest.found
    st.caption("Mean score over the benchmarks of each category, points out of 100.")
    means = {
        name: numbers((dict(scores)[row.model] for row in found.rows), times=100)
        for name, scores in found.categories
    }
    table(
        pd.DataFrame({"Model": [contest.names[row.model] for row in found.rows]} | means),
        name="category-scores",
        title="Mean score by task category, points out of 100",
        snapshot=found.snapshot,
        columns={name: _NUMBER(format="%.1f") for name in means},
        placeholder="not measured",
        alt="Mean score by model and task category",
    )


def _cut(n_drawn: int, n_models: int) -> str:
    return f" The first {n_drawn} of {n_models} models are drawn." if n_drawn < n_models else ""


def _moves(removal: Removal, names: Mapping[str, str], out: str) -> str:
    """Say who moves, the highest places first; others are counted."""
    moved = [place for place in removal.places if place.rank_before != place.rank_after]
    if not moved:
        return f"Without {out}, the others keep their order."
    named = [
        f"{names[place.model]} moves from {ordinal(place.rank_before)} to "
        f"{ordinal(place.rank_after)}"
        for place in moved[:2]
    ]
    rest = len(moved) - len(named)
    if rest:
        named.append(f"{wording.counted(rest, 'other')} move" + ("s" if rest == 1 else ""))
    return f"Without {out}, {wording.list_of(named)}."


def _move(places: int) -> str:
    if not places:
        return "stays"
    return f"{'up' if places > 0 else 'down'} {abs(places)}"


def _band(rank_band: tuple[int, int]) -> str:
    first, last = rank_band
    return str(first) if first == last else f"{first} to {last}"
