"""Who wins, and is it clear? Win rates with intervals, and scores by task category."""

import pandas as pd
import streamlit as st

from core import answers
from core.charts import intervals
from core.procurement.reasons import count
from pages.components import controls, evidence, wording
from pages.components.notices import own_choice, plain

_EVERY = "All categories"

store = evidence.store()
opened = controls.question(store)
asked = opened.requirements
selection = answers.selection_of(asked)

st.title("Win rates")
st.markdown(
    "Who wins, and is it clear? The win rate of a model is how often it scores better than "
    "another of these models on the same benchmark; a draw counts half."
)
categories = list(dict.fromkeys(b.category for b in answers.matrix(store, selection).benchmarks))
own_choice("part", "The task category", [_EVERY, *categories], _EVERY.lower())
category = st.selectbox(
    "Benchmarks of",
    [_EVERY, *categories],
    key="part",
    bind="query-params",
)
with st.spinner("Counting wins…"):
    found = answers.win_rates(store, selection, category=None if category == _EVERY else category)
models = {row.model: answers.model(store, row.model) for row in found.rows}
names = intervals.labels(list(models.values()))

first = [names[row.model] for row in found.rows if row.rank_band[0] == 1]
if len(first) == 1:
    answer = f"{plain(first[0])} wins clearly."
else:
    answer = (
        f"{count(len(first)).capitalize()} models share first place; the data cannot tell them "
        "apart."
    )
st.markdown(f"**{answer}** {len(found.rows)} models compared: others would change the rates.")
st.vega_lite_chart(
    spec=intervals.win_rates(found, list(models.values())),
    alt="Win rates in percent: "
    + "; ".join(f"{names[row.model]} {row.win_rate:.0%}" for row in found.rows[:15]),
)
st.caption(
    "Each dot is a win rate, each bar its 95 % interval: how much it depends on which benchmarks "
    "happen to be in the suite. In colour: the group that shares first place."
)

st.subheader("Figures")
st.dataframe(
    pd.DataFrame(
        {
            "Model": [names[row.model] for row in found.rows],
            "Win rate, %": [row.win_rate * 100 for row in found.rows],
            "From": pd.Series([row.ci_low for row in found.rows], dtype="float64") * 100,
            "To": pd.Series([row.ci_high for row in found.rows], dtype="float64") * 100,
            "Win SD": pd.Series([row.win_sd for row in found.rows], dtype="float64") * 100,
            "Macro-average": [row.macro_avg * 100 for row in found.rows],
            "SD": pd.Series([row.sd for row in found.rows], dtype="float64") * 100,
            "Benchmarks": [row.n_benchmarks for row in found.rows],
        }
    ),
    column_config={
        "Win rate, %": st.column_config.NumberColumn(format="%.1f"),
        "From": st.column_config.NumberColumn(
            format="%.1f", help="Lower end of the 95 % interval of the win rate."
        ),
        "To": st.column_config.NumberColumn(
            format="%.1f", help="Upper end of the 95 % interval of the win rate."
        ),
        "Win SD": st.column_config.NumberColumn(
            format="%.1f",
            help="How unevenly the wins fall over the rivals: the standard deviation of the "
            "share of benchmarks won against each.",
        ),
        "Macro-average": st.column_config.NumberColumn(
            format="%.1f", help="Mean score over the benchmarks, points out of 100."
        ),
        "SD": st.column_config.NumberColumn(
            format="%.1f", help="Standard deviation of the scores over the benchmarks."
        ),
    },
    hide_index=True,
    placeholder="not defined",
    alt="Win rates and macro-averages, best first",
)

st.subheader("Scores by task category")
st.caption("Mean score over the benchmarks of each category, points out of 100.")
st.dataframe(
    pd.DataFrame(
        {"Model": [names[row.model] for row in found.rows]}
        | {
            name: pd.Series([dict(scores)[row.model] for row in found.rows], dtype="float64") * 100
            for name, scores in found.categories
        }
    ),
    column_config={
        name: st.column_config.NumberColumn(format="%.1f") for name, _ in found.categories
    },
    hide_index=True,
    placeholder="not measured",
    alt="Mean score by model and task category",
)
if found.excluded:
    with st.expander(f"{wording.counted(len(found.excluded), 'model')} left out"):
        for left_out in found.excluded:
            st.caption(plain(f"{left_out.model}: {left_out.reason}"))
