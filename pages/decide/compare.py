"""How do a few models differ? Two to five side by side, on every benchmark of the task."""

import streamlit as st

from core.answers import data, recommend, replacing
from core.answers import evidence as evidence_answers
from core.charts import intervals
from core.charts.side_by_side import benchmark_gaps
from core.domain import TooFewError
from core.statistics.side_by_side import MOST_MODELS
from pages.components import controls, evidence, side_by_side, wording
from pages.components.downloads import downloads
from pages.components.notices import own_choice, plain
from pages.components.pictures import vega_lite_chart

store = evidence.store()
opened = controls.question(store)
asked = opened.requirements
day = evidence.priced_on(asked)
selection = data.selection_of(asked)

st.markdown(
    "How do a few models differ at your task, and is it clear? Choose two to five; the first is "
    "the one that the others are held against."
)
with st.spinner("Comparing models…"):
    scores = data.products(store, selection)
    shortlist = recommend.shortlist(store, asked, day)
names = intervals.labels([data.model(store, model) for model in scores.models])
ids = {name: model for model, name in names.items()}
best = [row.model.id for row in shortlist.rows if row.model.id in names][:2]
if len(best) < 2 <= len(scores.models):
    # Nothing fits the question, so those who win most stand in.
    best = [row.model for row in evidence_answers.win_rates(store, selection).rows][:2]
own_choice("compare", "The model", ids, "the others are, or the first two")
chosen = st.multiselect(
    "Models",
    sorted(ids, key=str.lower),
    default=[names[model] for model in best],
    max_selections=MOST_MODELS,
    key="compare",
    bind="query-params",
    placeholder="Choose two to five models",
    help="At first the two that lead the shortlist. The order in which you choose is the order of "
    "the columns.",
)
models = tuple(ids[name] for name in chosen)
if len(models) < 2:
    if not scores.models:
        raise TooFewError("This evidence has no model to compare.")
    if len(scores.models) == 1:
        raise TooFewError(f"{names[scores.models[0]]} is the only model of this evidence.")
    if models:
        raise TooFewError(f"Choose a second model to compare {names[models[0]]} with.")
    raise TooFewError("Choose at least two models to compare.")

found = replacing.side_by_side(store, asked, models, day)
for pair in found.pairs:
    st.markdown(side_by_side.verdict(pair, names))
st.caption(
    f"{side_by_side.counted(found, shortlist, len(scores.benchmarks))} Clearly: the 95 % "
    "interval of the difference on that benchmark lies on one side of zero, which takes "
    "published standard errors; "
    f"{found.pairs[0].n_with_interval} of {found.pairs[0].n_shared} benchmarks have them."
)

st.subheader("Where do they differ?")
pair = found.pairs[0]
if len(found.pairs) > 1:
    against = {names[one.model]: one for one in found.pairs}
    own_choice("pair", "The model", against, names[pair.model])
    # Not a segmented control, which would read the models' names as Markdown.
    picked = st.selectbox(
        f"Held against {plain(names[pair.other])}",
        list(against),
        key="pair",
        bind="query-params",
    )
    pair = against[picked]
title = f"{names[pair.model]} minus {names[pair.other]}, points"
if pair.n_shared:
    picture = benchmark_gaps(pair, found.scores)
    vega_lite_chart(
        spec=picture,
        alt=f"{title}: "
        + "; ".join(
            f"{benchmark.name} {wording.signed_points(gap.difference)}, {gap.standing}"
            for gap, benchmark in zip(pair.gaps, found.scores.benchmarks, strict=True)
            if gap.difference is not None
        ),
    )
    st.caption(
        f"Right of zero {plain(names[pair.model])} scores higher, left of it "
        f"{plain(names[pair.other])}. A bar is the 95 % interval of the difference; a cross has "
        "none, because no standard error is published."
    )
    downloads("compare", title=title, snapshot=found.scores.snapshot, picture=picture)
else:
    st.info("The two have no benchmark in common.", icon=":material/search_off:")

st.subheader("What is known of them")
facts = side_by_side.facts(replacing.facts_beside(store, asked, models, day), names)
st.table(facts.map(plain).rename(columns=plain), border="horizontal")
downloads(
    "compare-facts",
    title="Facts on " + wording.list_of([names[model] for model in models]),
    snapshot=found.scores.snapshot,
    frame=facts.reset_index(),
)

st.subheader("Every benchmark that counts")
st.caption(f"Points out of 100. Differences are to {plain(names[models[0]])}, the first.")
st.dataframe(
    side_by_side.benchmarks(found, names),
    column_config=side_by_side.benchmark_columns(found, names)
    | {
        "Benchmark": st.column_config.TextColumn(pinned=True, width=140),
        "Category": st.column_config.TextColumn(width=150),
    },
    hide_index=True,
    placeholder="not measured",
    height="content" if len(found.scores.benchmarks) <= 40 else 600,
    alt="Scores of the chosen models on every benchmark that counts, with differences "
    "from the first",
)
downloads(
    "compare-benchmarks",
    title="Benchmarks side by side, points out of 100",
    snapshot=found.scores.snapshot,
    frame=side_by_side.figures(found, names),
)
with st.expander("How this was made"):
    st.markdown(
        "Compared are the benchmarks of your task; where this evidence has none for it, all of "
        "its benchmarks. Each score is put on a scale from 0 to 100, higher is better. The "
        "standard error of a difference is the root of the two squared standard errors added up, "
        "as for two independent tests; models answer the same questions, which mostly makes them "
        "agree, so intervals are too wide rather than too narrow. Each benchmark stands for "
        "itself: of 20 on which two models are alike, one may look different by chance. Overall "
        "is the weighted mean of the differences; where every benchmark has standard errors its "
        "interval comes from them, else from drawing the benchmarks anew. Prices are public list "
        f"prices of {day:%d %B %Y}, in US dollars, at the provider that is lowest for your "
        "workload."
    )
