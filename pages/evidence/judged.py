"""How often people found a model's answer at least as good as that of a commercial one."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core.answers import data
from core.answers.evidence import BenchHealth
from core.charts import benchhealth as charts
from core.charts import intervals
from core.evidence.store import Store
from pages.components.blocks import figure, table
from pages.components.notices import own_choice, plain
from pages.evidence.sections import numbers


def draw(store: Store, found: BenchHealth) -> None:
    """Let the reader choose a criterion, and draw and list what people judged by it."""
    criteria = {rating.criterion.capitalize(): rating.criterion for rating in found.ratings}
    if not criteria:
        st.caption("This snapshot has no judgements of people.")
        return
    own_choice("criterion", "The criterion", criteria, next(iter(criteria)).lower())
    chosen = st.selectbox(
        "Criterion",
        list(criteria),
        key="criterion",
        bind="query-params",
        help="The paper also sums faithfulness and comprehensiveness over the data sets. These "
        "sums need precision and recall on each data set, which it does not publish, so they "
        "cannot be recomputed here.",
    )
    ratings = [rating for rating in found.ratings if rating.criterion == criteria[chosen]]
    rate = {(r.model, r.opponent): r.win_or_tie_percent for r in ratings}
    opponents = list(dict.fromkeys(r.opponent for r in ratings))
    models = sorted(
        {r.model for r in ratings}, key=lambda m: -sum(rate.get((m, o), 0.0) for o in opponents)
    )
    rate = {(m, o): rate[m, o] for m in models for o in opponents if (m, o) in rate}
    names = intervals.labels([data.model(store, name) for name in (*models, *opponents)])
    st.markdown(_in_words(chosen, rate, names))
    title = f"BenchHealth: at least as good in {chosen.lower()}, % of comparisons"
    figure(
        charts.judged([(names[m], names[o], share) for (m, o), share in rate.items()]),
        name="benchhealth-judged",
        title=title,
        alt=f"At least as good in {chosen.lower()}, percent of comparisons: "
        + "; ".join(
            f"{names[m]} "
            + ", ".join(f"{rate[m, o]:.1f} against {names[o]}" for o in opponents if (m, o) in rate)
            for m in models
        ),
        snapshot=found.scores.snapshot,
    )
    columns = {f"Against {names[o]}": numbers(rate.get((m, o)) for m in models) for o in opponents}
    table(
        pd.DataFrame({"Model": [names[m] for m in models]} | columns),
        name="benchhealth-judged",
        title=title,
        snapshot=found.scores.snapshot,
        columns={name: st.column_config.NumberColumn(format="%.1f") for name in columns},
        placeholder="not judged",
        alt=f"At least as good in {chosen.lower()}, percent of comparisons",
    )


def _in_words(chosen: str, rate: dict[tuple[str, str], float], names: dict[str, str]) -> str:
    """Name the model that comes closest to the opponent that is hardest to keep up with."""
    best: dict[str, tuple[float, str]] = {}
    for (model, opponent), share in rate.items():
        if opponent not in best or share > best[opponent][0]:
            best[opponent] = (share, model)
    hardest = min(best, key=lambda opponent: best[opponent][0])
    share, closest = best[hardest]
    return (
        f"**On {chosen.lower()}, {plain(names[closest])} comes closest to {plain(names[hardest])}: "
        f"people found its answer at least as good in {share:.0f} % of comparisons.** At 50 %, "
        "the line, a model keeps up."
    )
