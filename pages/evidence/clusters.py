"""Which models are alike? The tree of models over the heatmap of their scores."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from core.answers import data, recommend
from core.answers import evidence as evidence_answers
from core.answers.asked import Asked
from core.answers.evidence import KS
from core.charts import trees
from core.charts.kit import labels
from core.charts.trees import is_collapsed
from core.domain import Selection
from core.evidence.store import Store
from core.statistics.score_matrix import complete
from core.statistics.taxonomy import cluster_names, suggested_k
from core.words import evidence as words
from pages.components.blocks import choice, figure, how_made, left_out, numbers, table
from pages.components.notices import own_choice, plain
from pages.evidence.cluster_parts import Grown, faces, sureness, tests

_MOST_ANEW = 1_000
"""Of more models, growing the tree again takes long: without each benchmark, or otherwise."""
_PARTS = ("Members", "What sets them apart", "How sure it is", "Face to face")
_METHODS = {
    "What sets them apart": "Tests between two clusters",
    "How sure it is": "Stability",
    "Face to face": "Two taxonomies of one cohort",
}


def draw(asked: Asked) -> None:
    """Draw the tab."""
    answer = st.container()
    both = recommend.suites_of(asked)
    selection, title, n_clusters = _controls(asked, both)
    tree = evidence_answers.taxonomy(asked.store, selection, n_clusters)
    models = tuple(data.model(asked.store, model) for model in tree.models)
    grown = Grown(selection, title, tree, models, names=labels(models))
    with answer:
        _answer(asked.store, grown)
    _picture(grown)
    part = choice(
        "More about the clusters", _PARTS, key="show", what="The part", draw=st.segmented_control
    )
    if part == _PARTS[0]:
        _members(grown)
    elif part == _PARTS[1]:
        tests(asked.store, grown)
    elif part == _PARTS[2]:
        sureness(asked.store, grown)
    else:
        faces(asked, both, grown)
    left_out(asked.store, tree, f"Models left out of the tree, {title}")
    how_made("Taxonomy", *filter(None, [_METHODS.get(part)]), key="taxonomy")


def _answer(store: Store, grown: Grown) -> None:
    tree = grown.tree
    told, overlap = words.clusters(tree, grown.names, grown.title)
    parts = [f"**{plain(how)}** ({plain(members)})" for how, members in told]
    said, proof = "", None
    if tree.n_clusters == 2 and len(tree.benchmarks) > 1:
        if len(tree.models) > _MOST_ANEW:
            said = f"What separates them is under “{_PARTS[1]}”."
        else:
            found = evidence_answers.left_one_out(store, grown.selection)
            sizes = {name: tree.labels.count(name) for name in cluster_names(2)}
            said, proof = words.separated(found, sizes)
    st.markdown(f"{', '.join(parts)}.{overlap} {said}", help=proof and plain(proof))
    if len(tree.models) <= _MOST_ANEW:
        _other_trees(store, grown)


def _other_trees(store: Store, grown: Grown) -> None:
    agree, valid = evidence_answers.other_trees(store, grown.selection, grown.tree.n_clusters)
    st.caption(
        words.other_trees(agree, valid),
        help="Four distances between models (Manhattan, Euclidean, cosine, correlation) and four "
        "between groups (complete, average, single, Ward) make sixteen trees, this one among "
        "them. Those that are not defined cannot be grown: Ward takes the Euclidean distance only.",
    )


def _members(grown: Grown) -> None:
    tree, models = grown.tree, grown.models
    frame = pd.DataFrame(
        {
            "Model": [model.name for model in models],
            "Cluster": tree.labels,
            "Mean": tree.standardised.mean(axis=1),
            "Size, B": numbers([model.params_b for model in models]),
            "Identifier": [model.id for model in models],
        }
    ).iloc[list(tree.leaf_order)]
    table(frame, "clusters", f"Members of each cluster, {grown.title}", tree.snapshot)


def _picture(grown: Grown) -> None:
    tree = grown.tree
    if is_collapsed(tree):
        st.caption(
            f"{len(tree.models):,} models are too many to draw one by one. Each column is one of "
            "the top branches of the tree, each cell the mean of its models."
        )
    sizes = {name: tree.labels.count(name) for name in cluster_names(tree.n_clusters)}
    row = "a benchmark"
    if trees.rows_are_means(tree):
        row = f"the mean over a subcategory of the {len(tree.benchmarks)} benchmarks"
    figure(
        trees.dendrogram_over_heatmap(tree, grown.models),
        "taxonomy",
        f"Tree of {len(tree.models):,} models, {grown.title}",
        f"Tree of {len(tree.models)} models over a heatmap of {len(tree.benchmarks)} benchmarks; "
        + "; ".join(f"cluster {name}: {number} models" for name, number in sizes.items()),
        tree.snapshot,
        width="stretch",
    )
    st.caption(
        f"Each row is {row}. Blue is above the mean of these models, orange below it.",
        help=plain(
            "Models are as far apart as the sum of their gaps over all benchmarks (Manhattan "
            "distance), and groups as their farthest members (complete linkage). The tree keeps "
            f"the distances with a cophenetic correlation of {tree.cophenetic_correlation:.2f}; 1 "
            "would be perfect."
        ),
    )


def _controls(asked: Asked, both: Sequence[str]) -> tuple[Selection, str, int]:
    """Draw the controls; return the scores, the suite's name and the number of clusters."""
    suites = {asked.store.catalogue.suites[suite].name: suite for suite in both}
    name = next(iter(suites))
    own_choice("clusters", "The number of clusters", tuple(map(str, KS)), "2")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if len(suites) > 1:
            name = choice(
                "Scores of",
                suites,
                key="side",
                what="The suite",
                draw=st.segmented_control,
                help="The paper behind this evidence base draws two trees of the same models: "
                "one from medical exams and one from general tests.",
            )
        n_clusters = st.number_input(
            "Number of clusters",
            *(float(min(KS)), float(max(KS)), 2.0, 1.0),  # an infinite one stops integers
            format="%g",
            key="clusters",
            bind="query-params",
            width=220,
            help="Where the tree is cut. The paper cuts at two: a high and a low cluster.",
        )
        hint = st.empty()
    selection = asked.selection(suites[name])
    most = len(complete(data.products(asked.store, selection)).models)
    # A tree of fewer than three models is refused for that, not for its cut.
    k = min(int(n_clusters), max(most, 2))
    values = evidence_answers.suite_silhouettes(asked.store, selection)
    suggested = suggested_k(values)
    if suggested is None:
        hint.caption("These models are too few to suggest a number of clusters.")
        return selection, name, k
    text = (
        f"The scores themselves suggest {suggested} clusters (silhouette {values[suggested]:.2f})."
    )
    if k != int(n_clusters):
        text += f" There are only {k} models, and so at most as many clusters."
    listed = "; ".join(f"{n} clusters {v:.2f}" for n, v in values.items() if v is not None)
    hint.caption(
        plain(text),
        help="The silhouette says how much closer a model is to its own cluster than to the next "
        "one, on average: 1 is far closer, 0 no closer. A hint, not a proof: some number "
        "always comes out best. "
        f"{listed}.",
    )
    return selection, name, k
