"""The longer sections of the BenchHealth page: state of the art, and what people judged."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas as pd
import streamlit as st

from core.answers import data
from core.answers.evidence import BenchHealth
from core.charts import benchhealth as charts
from core.charts import intervals
from core.evidence.store import Store
from pages.components.downloads import downloads
from pages.components.notices import own_choice, plain
from pages.components.pictures import vega_lite_chart

_NUMBER = st.column_config.NumberColumn
_BEST, _OTHER, _MADE = "best model", "other models", "state of the art"


def numbers(values: Iterable[float | None]) -> pd.Series:
    """Return a column that has gaps where nothing is known."""
    return pd.Series(list(values), dtype="float64")


def against_state_of_the_art(found: BenchHealth, names: dict[str, str]) -> None:
    """Draw each data set: the models, and the best result of one made for the task."""
    scores, snapshot = found.scores, found.scores.snapshot
    everywhere = len(scores.benchmarks)
    st.subheader("Against the state of the art for each data set")
    lines = dict(found.state_of_the_art)
    rows, above = [], []
    for j, benchmark in enumerate(scores.benchmarks):
        column = scores.scores[:, j]
        leader = int(np.nanargmax(column)) if (~np.isnan(column)).any() else None
        rows += [
            (
                benchmark.name,
                _BEST if i == leader else _OTHER,
                names[scores.models[i]],
                float(value),
            )
            for i, value in enumerate(column)
            if not np.isnan(value)
        ]
        if benchmark.id in lines:
            made = lines[benchmark.id]
            rows.append((benchmark.name, _MADE, "made for this task", made))
            if leader is not None and column[leader] > made:
                above.append(benchmark.name)
    if lines:
        text = (
            f"The paper prints the best result of a model made for one task on {len(lines)} of "
            f"{everywhere} data sets. "
        )
        text += (
            f"**The best model here is above it on {len(above)}: {plain(', '.join(above))}.**"
            if above
            else "**No model here is above it on any of them.**"
        )
        st.markdown(text)
    else:
        st.markdown("This snapshot has no line of the task-specific state of the art.")
    picture = charts.against_state_of_the_art(rows)
    sets = [b.name for b in scores.benchmarks]
    leads = {name: (model, value) for name, kind, model, value in rows if kind == _BEST}
    made_for = {name: value for name, kind, _, value in rows if kind == _MADE}
    vega_lite_chart(
        spec=picture,
        alt="Best model and task-specific state of the art, percent: "
        + "; ".join(
            f"{name}: {leads[name][0]} {leads[name][1]:.1f}, state of the art "
            + (f"{made_for[name]:.1f}" if name in made_for else "not printed")
            for name in sets
            if name in leads
        ),
    )
    against = pd.DataFrame(
        {
            "Data set": sets,
            "Task": [b.subcategory for b in scores.benchmarks],
            "Measured as": [b.metric for b in scores.benchmarks],
            "Items": pd.array([b.n_items for b in scores.benchmarks], dtype="Int64"),
            "Best model": [leads[name][0] if name in leads else "none" for name in sets],
            "Its score": numbers(leads[name][1] if name in leads else None for name in sets),
            "State of the art": numbers(made_for.get(name) for name in sets),
        }
    )
    st.dataframe(
        against,
        column_config={
            "Its score": _NUMBER(format="%.1f"),
            "State of the art": _NUMBER(
                format="%.1f",
                help="Best result of a model made for this task alone, percent, as the paper "
                "prints it.",
            ),
        },
        hide_index=True,
        placeholder="not printed",
        alt="Each data set with its best model and the state of the art, percent",
    )
    downloads(
        "benchhealth-state-of-the-art",
        title="BenchHealth: models against the task-specific state of the art, score in %",
        snapshot=snapshot,
        frame=against,
        picture=picture,
    )


def judged(store: Store, found: BenchHealth) -> None:
    """Draw how often people found an answer at least as good as that of a commercial model."""
    snapshot = found.scores.snapshot
    st.subheader("How people judged the answers")
    criteria = {r.criterion.capitalize(): r.criterion for r in found.ratings}
    if criteria:
        default = next(iter(criteria))
        own_choice("criterion", "The criterion", criteria, default.lower())
        chosen = st.selectbox("Criterion", list(criteria), key="criterion", bind="query-params")
        ratings = [r for r in found.ratings if r.criterion == criteria[chosen]]
        opponents = list(dict.fromkeys(r.opponent for r in ratings))
        rate = {(r.model, r.opponent): r.win_or_tie_percent for r in ratings}
        models = sorted(
            {r.model for r in ratings},
            key=lambda m: -sum(rate.get((m, o), 0.0) for o in opponents),
        )
        known_as = intervals.labels([data.model(store, name) for name in (*models, *opponents)])
        hardest = min(opponents, key=lambda o: max(rate[m, o] for m in models if (m, o) in rate))
        closest = max((m for m in models if (m, hardest) in rate), key=lambda m: rate[m, hardest])
        st.markdown(
            f"**On {chosen.lower()}, {plain(known_as[closest])} comes closest to "
            f"{plain(known_as[hardest])}: people found its answer at least as good in "
            f"{rate[closest, hardest]:.0f} % of comparisons.** At 50 %, the line, a model keeps up."
        )
        picture = charts.judged(
            [
                (known_as[m], known_as[o], rate[m, o])
                for m in models
                for o in opponents
                if (m, o) in rate
            ]
        )
        table = pd.DataFrame(
            {"Model": [known_as[m] for m in models]}
            | {
                f"Against {known_as[o]}": numbers(rate.get((m, o)) for m in models)
                for o in opponents
            }
        )
        vega_lite_chart(
            spec=picture,
            alt=f"At least as good in {chosen.lower()}, percent of comparisons: "
            + "; ".join(
                f"{known_as[m]} "
                + ", ".join(f"{rate[m, o]:.1f} against {known_as[o]}" for o in opponents)
                for m in models
            ),
        )
        st.dataframe(
            table,
            column_config={name: _NUMBER(format="%.1f") for name in table.columns[1:]},
            hide_index=True,
            placeholder="not judged",
            alt=f"At least as good in {chosen.lower()}, percent of comparisons",
        )
        downloads(
            "benchhealth-judged",
            title=f"BenchHealth: at least as good in {chosen.lower()}, % of comparisons",
            snapshot=snapshot,
            frame=table,
            picture=picture,
        )
    st.caption(
        "The paper also sums faithfulness and comprehensiveness over the data sets. These sums "
        "need precision and recall on each data set, which it does not publish, so they cannot "
        "be recomputed here; the judgement of people is what there is."
    )
