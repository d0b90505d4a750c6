"""Which benchmarks tell the same? Correlations, and a smaller evaluation of one's own."""

import pandas as pd
import streamlit as st

from core.answers import data, local_test
from core.answers import evidence as evidence_answers
from core.charts import correlations, intervals
from core.statistics.score_matrix import complete, normalised
from pages.components import across_suites, controls, evidence, redundancy, wording
from pages.components.downloads import downloads
from pages.components.notices import own_choice
from pages.components.pictures import vega_lite_chart

_METHODS = {"Straight line (Pearson)": "pearson", "Order only (Spearman)": "spearman"}
_MOST_IN_MATRIX = 9
_SOME_IN_MATRIX = 6
_FEW_MODELS = 30
_CLOSEST = "the closest"
_FEWEST = "as few as keep the ranking"

store = evidence.store()
opened = controls.question(store)
selection = data.selection_of(opened.requirements)

st.markdown(
    "Which benchmarks tell us the same? Where two rank the models alike, one of them may do, and "
    "both together should not count twice."
)
with st.spinner("Comparing benchmarks…"):
    groups = evidence_answers.vote_groups(store, selection)
    scores = complete(data.products(store, selection))
    sets = evidence_answers.smaller_sets(store, selection)
names = redundancy.labels(scores.benchmarks)
ids = {name: benchmark for benchmark, name in names.items()}
n = len(scores.models)
st.markdown(redundancy.finding(groups, names))
if n < _FEW_MODELS:
    st.caption(
        f"Only {wording.counted(n, 'model')} have every benchmark: with so few, two benchmarks can "
        "seem alike by chance. Take this as rough."
    )

own_choice("method", "The kind of correlation", _METHODS, next(iter(_METHODS)).lower())
method = st.segmented_control(
    "Two benchmarks agree by",
    list(_METHODS),
    default=next(iter(_METHODS)),
    required=True,
    key="method",
    bind="query-params",
    help="Pearson asks whether the scores lie on one straight line, Spearman only whether both "
    "put the models in the same order.",
)
found = evidence_answers.redundancy(store, selection, _METHODS[method])
pairs = {frozenset((pair.a, pair.b)): pair for pair in found.pairs}


def take_click() -> None:
    """Put the pair of a clicked cell into the two select boxes."""
    clicked = st.session_state["correlation_map"]["selection"].get(correlations.PAIR) or []
    for cell in clicked[:1]:
        st.session_state["bench_a"], st.session_state["bench_b"] = cell["a"], cell["b"]


picture = correlations.correlation_map(
    found, evidence_answers.similar_first(store, selection), names, groups
)
vega_lite_chart(
    spec=picture,
    key="correlation_map",
    on_select=take_click,
    selection_mode=correlations.PAIR,
    alt=redundancy.map_in_words(found, names),
)
st.caption(redundancy.legend(found, len(scores.benchmarks)))
table = redundancy.pairs_table(found, names)
title = f"Correlation of benchmarks, {wording.counted(n, 'model')}"
downloads("correlations", title=title, snapshot=found.snapshot, frame=table, picture=picture)
with st.expander(f"All {wording.counted(len(found.pairs), 'pair')} in a table"):
    st.dataframe(
        table,
        column_config=redundancy.PAIR_COLUMNS,
        hide_index=True,
        placeholder="not defined",
        alt="Correlation of each pair of benchmarks, the closest first",
    )

st.subheader("One pair")
for key in ("bench_a", "bench_b"):
    own_choice(key, "The benchmark", ids, _CLOSEST)
with st.container(horizontal=True, vertical_alignment="bottom"):
    first, second = (
        st.selectbox(
            label,
            [_CLOSEST, *sorted(ids, key=str.lower)],
            key=key,
            bind="query-params",
            help="A click on a cell above sets both benchmarks.",
        )
        for label, key in (("Benchmark", "bench_a"), ("Compared with", "bench_b"))
    )
a, b = redundancy.closest(found.pairs, ids.get(first), ids.get(second))
place = {benchmark.id: j for j, benchmark in enumerate(scores.benchmarks)}
points = normalised(scores)[0] * 100
labels = intervals.labels([data.model(store, model) for model in scores.models])
models = [labels[model] for model in scores.models]
if a == b:
    st.info("Choose two different benchmarks.", icon=":material/search_off:")
else:
    st.markdown(redundancy.pair_in_words(pairs[frozenset((a, b))], names, method=found.method))
    x, y = points[:, place[a]], points[:, place[b]]
    picture = correlations.pair_scatter(x, y, models, names[a], names[b])
    vega_lite_chart(
        spec=picture,
        alt=f"{names[b]} against {names[a]}: one point for each of {n} models, from "
        f"{x.min():.0f} to {x.max():.0f} and from {y.min():.0f} to {y.max():.0f} points",
    )
    st.caption(
        "Points out of 100, so that higher is better on both. Names of the extremes; point at a "
        "model for the others. A high correlation can rest on a few models far out: look whether "
        "the rest follow the line, too."
    )
    downloads(
        "pair",
        title=f"{names[a]} and {names[b]}",
        snapshot=found.snapshot,
        frame=pd.DataFrame({"Model": models, names[a]: x, names[b]: y}),
        picture=picture,
    )

every = st.expander("Every pair as a small scatter plot", key="every_pair", on_change="rerun")
if every.open:
    with every:
        # Of many, one from each group: those that differ.
        some = list(ids)
        if len(ids) > _MOST_IN_MATRIX:
            some = [names[group[0]] for group in groups][:_SOME_IN_MATRIX]
        chosen = st.multiselect(
            f"Benchmarks to show, up to {_MOST_IN_MATRIX}",
            list(ids),
            some,
            max_selections=_MOST_IN_MATRIX,
            key="in_matrix",
        )
        if len(chosen) < 2:
            st.caption("Choose at least two.")
        else:
            columns = [place[ids[name]] for name in chosen]
            picture = correlations.scatter_matrix(points[:, columns], models, chosen)
            vega_lite_chart(spec=picture, alt=f"Small scatter plots of {wording.list_of(chosen)}")
            most = correlations.MOST_POINTS
            not_all = f" {most} of {n:,} models are shown, evenly by score." if n > most else ""
            st.caption(
                "Each dot is a model. Each plot runs from the lowest score to the highest, to the "
                f"right and upwards.{not_all}"
            )
            downloads(
                "every-pair",
                title="Every pair of benchmarks",
                snapshot=found.snapshot,
                frame=pd.DataFrame(points[:, columns], columns=chosen, index=models)
                .rename_axis("Model")
                .reset_index(),
                picture=picture,
            )

st.subheader("A smaller evaluation of your own")
sizes = [str(size) for size in range(1, len(sets) + 1)]
own_choice("keep", "The number of benchmarks", sizes, _FEWEST)
keep = st.selectbox(
    "Benchmarks to keep",
    [_FEWEST, *sizes],
    key="keep",
    bind="query-params",
    help="To test models on your own site you may not need the whole suite. By default: the "
    "fewest benchmarks whose ranking has a Kendall's τ of 0.9 or more with that of all.",
)
size = redundancy.fewest(sets) if keep == _FEWEST else int(keep)
smaller = sets[size - 1]
st.markdown(redundancy.kept_in_words(smaller, len(sets)))
st.markdown(redundancy.saved_in_words(smaller, scores.benchmarks))
greedy = " Found by adding one benchmark at a time: a better set of a size may exist."
st.caption(
    f"The sets were chosen and judged on the same {wording.counted(n, 'model')}, so these figures "
    "are optimistic: expect less on new models. A set that keeps the ranking does not cover every "
    "kind of work: keep what your own task needs." + (greedy if smaller.search == "greedy" else "")
)
picture = correlations.kept_by_size(sets, size)
vega_lite_chart(
    spec=picture,
    alt="Ranking kept by number of benchmarks: "
    + "; ".join(f"{len(s.benchmarks)} {s.tau:.2f}" for s in sets[:15] if s.tau is not None),
)
plan = redundancy.plan_table(local_test.local_plan(store, selection, size))
st.dataframe(
    plan,
    column_config=redundancy.PLAN_COLUMNS,
    hide_index=True,
    placeholder=wording.UNKNOWN,
    alt=f"Plan of an evaluation with {wording.counted(size, 'benchmark')}, those kept first",
)
downloads(
    "plan",
    title=f"Plan: {size} of {len(sets)} benchmarks",
    snapshot=found.snapshot,
    frame=redundancy.with_provenance(plan, scores, smaller),
    picture=picture,
)

st.subheader("One vote for benchmarks that overlap")
st.markdown(
    f"{redundancy.votes_in_words(groups)} With the switch “Count overlapping benchmarks once” in "
    "the side bar, the shortlist counts them so, within each task category."
)
votes = redundancy.votes_table(groups, names)
st.dataframe(
    votes,
    column_config=redundancy.VOTE_COLUMNS,
    hide_index=True,
    alt="Benchmarks that share one vote, largest group first",
)
downloads("votes", title="Benchmarks that share one vote", snapshot=found.snapshot, frame=votes)

across_suites.draw(store)

if found.excluded:
    with st.expander(f"{wording.counted(len(found.excluded), 'model')} left out"):
        st.dataframe(
            pd.DataFrame(
                [
                    {"Model": data.model(store, e.model).name, "Reason": e.reason}
                    for e in found.excluded
                ]
            ),
            hide_index=True,
            alt="Models left out of the correlations",
        )
with st.expander("How this was made"):
    st.markdown(
        "Each correlation is over the models that have every benchmark, significant where p is "
        f"below 0.01 divided by the {wording.counted(len(found.pairs), 'pair')}. Benchmarks share "
        "a vote where, joined step by step, their mean absolute Pearson correlation is at least "
        "0.8 (average linkage). A ranking is by the mean of all standardised benchmarks; for each "
        "number of benchmarks, the set with the highest Kendall's τ is taken, among equals the "
        "one with the fewest items. Method of the correlations: doi 10.2196/72918. "
        "Suites: Spearman's ρ over the models that both have, with its interval on Fisher's scale "
        "(Bonett and Wright 2000)."
    )
