"""Parts of the page on win rates: the figures, who beats whom, and what the rivals decide."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
import streamlit as st

from core.answers import data, evidence
from core.charts import head_to_head, score_heatmap
from core.domain import Model, ScoreMatrix, Selection, WinRates
from core.evidence.store import Store
from core.statistics.compared_set import Removal
from core.statistics.score_matrix import normalised, select_models
from pages.components import wording
from pages.components.downloads import downloads
from pages.components.notices import plain
from pages.components.pictures import vega_lite_chart

_NUMBER = st.column_config.NumberColumn


def figures(found: WinRates, names: Mapping[str, str]) -> None:
    """Draw the table of rates, with what else HELM prints of a model."""
    frame = pd.DataFrame(
        {
            "Model": [names[row.model] for row in found.rows],
            "May be": [_band(row.rank_band) for row in found.rows],
            "Win rate, %": [row.win_rate * 100 for row in found.rows],
            "From": pd.Series([row.ci_low for row in found.rows], dtype="float64") * 100,
            "To": pd.Series([row.ci_high for row in found.rows], dtype="float64") * 100,
            "Win SD": pd.Series([row.win_sd for row in found.rows], dtype="float64") * 100,
            "Macro-average": [row.macro_avg * 100 for row in found.rows],
            "SD": pd.Series([row.sd for row in found.rows], dtype="float64") * 100,
            "Benchmarks": [row.n_benchmarks for row in found.rows],
        }
    )
    st.dataframe(
        frame,
        column_config={
            "May be": st.column_config.TextColumn(
                help="The places that the data allow (95 % confidence)."
            ),
            "Win rate, %": _NUMBER(format="%.1f"),
            "From": _NUMBER(format="%.1f", help="Lower end of the 95 % interval of the win rate."),
            "To": _NUMBER(format="%.1f", help="Upper end of the 95 % interval of the win rate."),
            "Win SD": _NUMBER(
                format="%.1f",
                help="How unevenly the wins fall over the rivals: the standard deviation of the "
                "share of benchmarks won against each.",
            ),
            "Macro-average": _NUMBER(
                format="%.1f", help="Mean score over the benchmarks, points out of 100."
            ),
            "SD": _NUMBER(
                format="%.1f", help="Standard deviation of the scores over the benchmarks."
            ),
        },
        hide_index=True,
        placeholder="not defined",
        alt="Win rates and macro-averages, best first",
    )
    downloads("win-rates-figures", title="Win rates", snapshot=found.snapshot, frame=frame)


def each_against_each(
    store: Store,
    selection: Selection,
    category: str | None,
    found: WinRates,
    models: Mapping[str, Model],
    names: Mapping[str, str],
) -> None:
    """Draw who beats whom on how many of the benchmarks that both have."""
    st.subheader("Head to head")
    order = [row.model for row in found.rows][: head_to_head.MOST_MODELS]
    met = evidence.head_to_head(store, selection, tuple(order), category)
    n_shared = met.shared[~np.eye(len(order), dtype=bool)]
    alike = len(set(n_shared.tolist())) == 1
    only = (
        f" The first {len(order)} of {len(found.rows)} models are drawn."
        if len(order) < len(found.rows)
        else ""
    )
    st.caption(
        "Read along a row: the share of benchmarks, in percent, on which this model beats the one "
        "above the column; a draw counts half. Blue: the row is ahead. Orange: it is behind. "
        + (
            f"Each pair shares {wording.counted(int(n_shared[0]), 'benchmark')}."
            if alike
            else f"Pairs share {n_shared.min()} to {n_shared.max()} benchmarks; an empty cell "
            "means none."
        )
        + only
    )
    picture = head_to_head.head_to_head(met, [models[model] for model in order])
    leads = [
        f"{names[model]} ahead of {int((met.shares[i] > 0.5).sum())}"
        for i, model in enumerate(order[:15])
    ]
    title = "Head to head: share of benchmarks on which the row beats the column, %"
    vega_lite_chart(
        spec=picture, alt=f"Who beats whom, of {len(order)} models: " + "; ".join(leads)
    )
    downloads(
        "head-to-head",
        title=title,
        snapshot=found.snapshot,
        frame=pd.DataFrame(
            [
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
        ),
        picture=picture,
    )


def compared_set(
    store: Store,
    selection: Selection,
    category: str | None,
    left_out: Sequence[str],
    names: Mapping[str, str],
) -> None:
    """Say what leaving models out does to the order of the others."""
    if left_out:
        removal = evidence.without(store, selection, tuple(left_out), category)
        out = wording.list_of([names[model] for model in removal.left_out])
        st.markdown(f"**{plain(_moves(removal, names, out))}**")
        frame = pd.DataFrame(
            {
                "Model": [names[place.model] for place in removal.places],
                "Rank with all": [place.rank_before for place in removal.places],
                "Rank without": [place.rank_after for place in removal.places],
                "Moves": [_move(p.rank_before - p.rank_after) for p in removal.places],
                "Rate with all, %": [place.rate_before * 100 for place in removal.places],
                "Rate without, %": [place.rate_after * 100 for place in removal.places],
            }
        )
        st.dataframe(
            frame,
            column_config={
                "Rank with all": _NUMBER(
                    help="Among the models that stay, so that a gap which merely closes moves "
                    "nobody."
                ),
                "Rate with all, %": _NUMBER(format="%.1f"),
                "Rate without, %": _NUMBER(format="%.1f"),
            },
            hide_index=True,
            alt=f"Win rates with and without {out}",
        )
        downloads(
            "compared-set",
            title=f"Win rates with and without {out}",
            snapshot=data.products(store, selection).snapshot,
            frame=frame,
        )


def every_score(
    scores: ScoreMatrix, found: WinRates, models: Mapping[str, Model], names: Mapping[str, str]
) -> None:
    """Draw every benchmark of every model."""
    st.subheader("Every benchmark")
    order = [row.model for row in found.rows][: score_heatmap.MOST_MODELS]
    shown = select_models(scores, order)
    remarks = []
    if score_heatmap.rows_are_means(shown):
        remarks.append(
            f"Rows are means over the {len(shown.benchmarks)} benchmarks' subcategories."
        )
    if len(order) < len(found.rows):
        remarks.append(f"The first {len(order)} of {len(found.rows)} models are drawn.")
    st.caption(
        "The number is the score in points out of 100. The colour compares within a row only, "
        "since benchmarks differ in difficulty: blue above the mean of these models, orange below "
        "it, an empty cell was never measured. " + " ".join(remarks)
    )
    picture = score_heatmap.score_heatmap(shown, [models[model] for model in order])
    vega_lite_chart(
        spec=picture,
        alt=f"Scores of {len(order)} models on {len(shown.benchmarks)} benchmarks: "
        + "; ".join(
            f"{names[row.model]} {wording.points(row.macro_avg)} points on average"
            for row in found.rows[:15]
        ),
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
    downloads(
        "scores",
        title="Scores on every benchmark, points out of 100",
        snapshot=scores.snapshot,
        frame=frame,
        picture=picture,
    )


def by_category(found: WinRates, names: Mapping[str, str]) -> None:
    """Draw the mean score of each model in each category."""
    st.subheader("Scores by task category")
    st.caption("Mean score over the benchmarks of each category, points out of 100.")
    frame = pd.DataFrame(
        {"Model": [names[row.model] for row in found.rows]}
        | {
            name: pd.Series([dict(scores)[row.model] for row in found.rows], dtype="float64") * 100
            for name, scores in found.categories
        }
    )
    st.dataframe(
        frame,
        column_config={name: _NUMBER(format="%.1f") for name, _ in found.categories},
        hide_index=True,
        placeholder="not measured",
        alt="Mean score by model and task category",
    )
    downloads(
        "category-scores",
        title="Mean score by task category, points out of 100",
        snapshot=found.snapshot,
        frame=frame,
    )


def _moves(removal: Removal, names: Mapping[str, str], out: str) -> str:
    """Say who moves, the highest places first; others are counted."""
    moved = [place for place in removal.places if place.rank_before != place.rank_after]
    if not moved:
        return f"Without {out}, the others keep their order."
    named = [
        f"{names[place.model]} moves from {_nth(place.rank_before)} to {_nth(place.rank_after)}"
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


def _nth(rank: int) -> str:
    last = "th" if 11 <= rank % 100 <= 13 else {1: "st", 2: "nd", 3: "rd"}.get(rank % 10, "th")
    return f"{rank}{last}"


def _band(rank_band: tuple[int, int]) -> str:
    first, last = rank_band
    return str(first) if first == last else f"{first} to {last}"
