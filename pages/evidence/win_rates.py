"""Who wins, and is it clear? Win rates with intervals, head to head, and benchmark by benchmark."""

from dataclasses import replace

import streamlit as st

from core.answers import data
from core.answers import evidence as evidence_answers
from core.charts import intervals
from core.procurement.reasons import count
from core.procurement.requirements import all_categories
from core.statistics.win_rates import of_category
from pages.components import controls, evidence, wording
from pages.components import win_rates as parts
from pages.components.downloads import downloads
from pages.components.notices import own_choice, plain
from pages.components.pictures import vega_lite_chart

_EVERY = "All categories"
_MOST_NAMED = 4
_MOST_IN_PICTURE = 40

store = evidence.store()
opened = controls.question(store)
asked = opened.requirements
selection = data.selection_of(asked)

st.markdown(
    "Who wins, and is it clear? The win rate of a model is how often it scores better than "
    "another of these models on the same benchmark; a draw counts half."
)
scores = data.products(store, selection)
categories = all_categories(scores.benchmarks)
own_choice("part", "The task category", [_EVERY, *categories], _EVERY.lower())
part = st.selectbox(
    "Benchmarks of",
    [_EVERY, *filter(None, categories)],
    key="part",
    bind="query-params",
    help="A task category, or one of its subcategories, which stand after it.",
)
category = None if part == _EVERY else part
with st.spinner("Counting wins…"):
    found = evidence_answers.win_rates(store, selection, category=category)
models = {row.model: data.model(store, row.model) for row in found.rows}
names = intervals.labels(list(models.values()))

first = [row.model for row in found.rows if row.rank_band[0] == 1]
if len(first) == 1:
    answer = f"{plain(names[first[0]])} wins clearly."
elif len(first) == len(found.rows):
    answer = "No model is shown to win more than another."
else:
    answer = (
        f"{count(len(first)).capitalize()} models may be first: none is shown to win less than "
        "another."
    )
of = "" if category is None else f" on {plain(category.lower())}"
n_benchmarks = max(row.n_benchmarks for row in found.rows)
st.markdown(
    f"**{answer}** {len(found.rows)} models compared{of}, on "
    f"{wording.counted(n_benchmarks, 'benchmark')}: others would change the rates."
)
by_score = evidence_answers.first_by_score(store, selection, category)
if by_score and by_score != set(first):
    ahead = wording.list_of(sorted(names[m] for m in by_score if m in names)[:_MOST_NAMED])
    st.caption(
        f"By mean score {plain(ahead)}{' and others' if len(by_score) > _MOST_NAMED else ''} may "
        "be first. A score counts by how much a model is ahead, a win rate only how often; and "
        "where numbers of questions are published, the score is judged on these tests, the win "
        "rate always on other tests like these."
    )
cut = replace(found, rows=found.rows[:_MOST_IN_PICTURE])
picture = intervals.win_rates(cut, [models[row.model] for row in cut.rows])
vega_lite_chart(
    spec=picture,
    alt="Win rates in percent: "
    + "; ".join(f"{names[row.model]} {row.win_rate:.0%}" for row in found.rows[:15]),
)
st.caption(
    "Each dot is a win rate, each bar its 95 % interval: how much it depends on which benchmarks "
    "happen to be in the suite; with fewer than five there is none. In colour: the models that "
    "are not shown to win less than another."
    + (
        f" The first {len(cut.rows)} of {len(found.rows)} are drawn."
        if len(cut.rows) < len(found.rows)
        else ""
    )
)
downloads("win-rates", title="Win rates", snapshot=found.snapshot, picture=picture)

st.subheader("Figures")
parts.figures(found, names)
parts.each_against_each(store, selection, category, found, models, names)

st.subheader("Does it depend on who is compared?")
ids = {name: model for model, name in names.items()}
own_choice("without", "The model", ids, "the others are all of them")
left_out = st.multiselect(
    "Leave out of the comparison",
    sorted(ids, key=str.lower),
    key="without",
    bind="query-params",
    placeholder="Nobody: all are compared",
    help="A win rate counts wins over the models compared, so it changes with them. Take models "
    "out here, or in again, to see who moves.",
)
parts.compared_set(store, selection, category, [ids[name] for name in left_out], names)

parts.every_score(of_category(scores, category), found, models, names)
parts.by_category(found, names)
if found.excluded:
    with st.expander(f"{wording.counted(len(found.excluded), 'model')} left out"):
        for out in found.excluded:
            st.caption(plain(f"{out.model}: {out.reason}"))
with st.expander("How this was made"):
    st.markdown(
        "Per benchmark, a model gets the share of rivals that score lower, and half of those that "
        "score the same; its win rate is the mean over its own benchmarks (HELM, "
        "arXiv:2211.09110). Intervals: Student's t over the benchmarks, for other tests like "
        "these. The places that a model may have are those that no comparison with another "
        "excludes, at 95 % for the model as a whole (Holm). Without a model, rates are counted "
        "anew against the others; a rank with all is counted among those that stay, so that only "
        "a change of order shows."
    )
