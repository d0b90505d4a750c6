"""Which models are alike? The tree of models over the heatmap of their scores."""

import pandas as pd
import streamlit as st

from core import answers
from core.charts.dendrogram import dendrogram_over_heatmap, names_fit, rows_are_means
from core.procurement.reasons import count
from core.statistics.taxonomy import cluster_names
from pages.components import controls, evidence, tables, wording
from pages.components.notices import own_choice, plain

store = evidence.store()
opened = controls.question(store)
asked = opened.requirements
suites = {store.catalogue.suites[asked.suite].name: asked.suite}
if second := opened.evidence.second_suite:
    suites[store.catalogue.suites[second].name] = second

st.title("Taxonomy")
st.markdown(
    "Which models are alike? Models that join low in the tree have much the same scores; the "
    "smaller of two such models may do the job."
)
chosen = next(iter(suites))
if len(suites) > 1:
    own_choice("side", "The suite", suites, chosen)
own_choice("clusters", "The number of families", tuple("23456"), "2")
with st.container(horizontal=True, vertical_alignment="bottom"):
    if len(suites) > 1:
        chosen = st.segmented_control(
            "Scores of",
            list(suites),
            default=chosen,
            required=True,
            key="side",
            bind="query-params",
            help="The paper behind this evidence base draws two trees of the same models: one "
            "from medical exams and one from general tests.",
        )
    n_clusters = st.number_input(
        "Number of families",
        2.0,  # a float, since an infinite number in a link stops a control of integers
        6.0,
        2.0,
        1.0,
        format="%g",
        key="clusters",
        bind="query-params",
        width=220,
        help="Where the tree is cut. The paper cuts at two: a high and a low family.",
    )
with st.spinner("Growing the tree…"):
    selection = answers.selection_of(asked, suites[chosen])
    tree = answers.taxonomy(store, selection, n_clusters=int(n_clusters))
    separation = answers.cluster_tests(store, selection) if tree.n_clusters == 2 else None
models = {model: answers.model(store, model) for model in tree.models}
sizes = {name: tree.labels.count(name) for name in cluster_names(tree.n_clusters)}

separated = ""
if separation:
    number = sum(test.significant for test in separation.tests)
    significant = count(number) if number else "none"
    separated = (
        f" They differ clearly on {significant} of {count(len(separation.tests))} benchmarks."
    )
families = wording.list_of([f"{number} in {name}" for name, number in sizes.items()])
st.markdown(
    f"The {len(tree.models)} models of {plain(chosen)} form {count(len(sizes))} families: "
    f"{families}, H being the one with the highest scores.{separated}"
)
st.vega_lite_chart(
    spec=dendrogram_over_heatmap(tree, list(models.values())),
    alt=f"Tree of {len(tree.models)} models over a heatmap of {len(tree.benchmarks)} benchmarks; "
    + "; ".join(f"family {name}: {number} models" for name, number in sizes.items()),
)
remarks = []
if rows_are_means(tree):
    remarks.append(f"Rows are means over the {len(tree.benchmarks)} benchmarks' subcategories.")
if not names_fit(tree):
    remarks.append("Names are in the table below and in the tooltip of each cell.")
st.caption(
    "Each column is a model, each row a benchmark. Blue is above the mean of these models, "
    "orange below it. " + " ".join(remarks)
)

st.subheader("Members of each family")
order = [(tree.models[i], tree.labels[i], tree.standardised[i].mean()) for i in tree.leaf_order]
st.dataframe(
    pd.DataFrame(
        {
            "Model": [models[model].name for model, _, _ in order],
            "Family": [label for _, label, _ in order],
            "Mean": [mean for _, _, mean in order],
            "Size, B": pd.Series([models[m].params_b for m, _, _ in order], dtype="float64"),
            "Identifier": [model for model, _, _ in order],
        }
    ),
    column_config={
        "Mean": st.column_config.NumberColumn(
            format="%+.2f",
            help="Mean over the benchmarks of how many standard deviations the model lies above "
            "or below the mean of these models.",
        ),
        "Size, B": tables.SHORTLIST_COLUMNS["Size, B"],
    },
    hide_index=True,
    placeholder=wording.UNKNOWN,
    alt="Members of each family, in the order of the tree",
)
if separation:
    st.subheader("Which benchmarks separate the two families?")
    st.caption(
        "A description, not a proof: the same benchmarks formed the families, so these tests "
        "would find differences even between arbitrary halves."
    )
    names = {benchmark.id: benchmark.name for benchmark in tree.benchmarks}
    st.dataframe(
        pd.DataFrame(
            {
                "Benchmark": [names[test.benchmark] for test in separation.tests],
                "Separates": ["yes" if test.significant else "no" for test in separation.tests],
                "Effect": [test.effect_size for test in separation.tests],
                "p": [test.p_value for test in separation.tests],
            }
        ),
        column_config={
            "Separates": st.column_config.TextColumn(
                help=f"Yes where p is below {separation.alpha:.2g}, that is 0.01 shared among "
                f"{len(separation.tests)} benchmarks (Bonferroni)."
            ),
            "Effect": st.column_config.NumberColumn(
                format="%+.2f",
                help="Rank-biserial correlation: +1 means every model of the high family beats "
                "every model of the low one, 0 that neither does.",
            ),
            "p": st.column_config.NumberColumn(
                format="scientific",
                help="Wilcoxon rank-sum test: how surprising so large a difference would be if "
                "the families did not differ.",
            ),
        },
        hide_index=True,
        placeholder="not defined",
        alt="Rank-sum tests between the two families",
    )
if tree.excluded:
    with st.expander(f"{wording.counted(len(tree.excluded), 'model')} left out"):
        st.dataframe(
            pd.DataFrame(
                [
                    {"Model": answers.model(store, e.model).name, "Reason": e.reason}
                    for e in tree.excluded
                ]
            ),
            hide_index=True,
            alt="Models left out of the tree",
        )
with st.expander("How this was made"):
    st.markdown(
        "Each benchmark is put on one footing (mean zero, variance one over these models). "
        "Distances add up the gaps over all benchmarks (Manhattan); two groups are as far apart "
        "as their farthest members (complete linkage). Method: doi 10.2196/72918. The tree "
        f"keeps the distances with a cophenetic correlation of {tree.cophenetic_correlation:.2f} "
        "(1 would be perfect)."
    )
