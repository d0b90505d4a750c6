"""The picture of the tree over its heatmap, whole or one branch, and the click on it."""

from __future__ import annotations

from functools import partial

import pandas as pd
import streamlit as st

from core.charts import dendrogram
from core.charts.tree_links import branch_words
from core.domain import Taxonomy
from core.statistics.subtrees import branches, subtree
from core.statistics.taxonomy import cluster_names
from pages.components.blocks import figure
from pages.components.notices import own_choice, plain
from pages.evidence import branch
from pages.evidence.branch import Grown
from pages.evidence.tree_controls import DISTANCES, LINKAGES

_WHOLE = "All models"


def part_of(grown: Grown) -> tuple[Taxonomy, int]:
    """Return the tree to draw, and the place of its first model in the whole one's order.

    A tree that is drawn model by model is drawn whole.
    """
    tree = grown.tree
    if not dendrogram.is_collapsed(tree):
        return tree, 0
    ordered = grown.ordered()
    found = {branch_words(ordered, b.start, b.stop): b for b in branches(tree)[:-1]}
    own_choice("drawn", "The branch to draw", {_WHOLE, *found}, _WHOLE.lower())
    asked = st.session_state.get("drawn") or st.query_params.get("drawn")
    # A list of thousands of branches would be sent to the browser with every click.
    drawn = st.selectbox(
        "Tree of",
        [_WHOLE, *([asked] if asked in found else [])],
        key="drawn",
        bind="query-params",
        help="Choose a branch under the picture and press “Draw only this branch” to look into "
        "it; here you come back.",
    )
    if drawn not in found:
        return tree, 0
    return subtree(tree, found[drawn]), found[drawn].start


def picture(grown: Grown, shown: Taxonomy, first: int) -> tuple[str | None, list[int]]:
    """Draw the tree; return the chosen branch in words, and its models by their positions.

    ``shown`` and ``first`` are what ``part_of`` returned; the positions are in the whole tree.
    """
    tree, growth = grown.tree, grown.growth
    ordered = grown.ordered()[first : first + len(shown.models)]
    columns = dendrogram.columns_of(shown, ordered)
    collapsed = dendrogram.is_collapsed(shown)
    if collapsed:
        st.caption(
            f"{len(shown.models):,} models are too many to draw one by one. Each column is one of "
            f"the {len(columns.runs)} top branches of the tree, each cell the mean of its models. "
            "Choose a branch to see its models."
        )
    # The controls stand below the picture, which needs what they say.
    place = st.container()
    paper_colours = st.toggle(
        "Colours as in the paper (green low, red high)",
        key="paper_colours",
        bind="query-params",
        help="Readers with red-green colour blindness cannot tell these apart; the default "
        "colours can be told apart by all.",
    )
    chosen = branch.choose(columns)
    spec = dendrogram.dendrogram_over_heatmap(
        shown,
        [grown.models[model] for model in shown.models],
        chosen=chosen,
        paper_colours=paper_colours,
    )
    sizes = {name: shown.labels.count(name) for name in cluster_names(tree.n_clusters)}
    # A chart remembers its clicks, and a second click on the same branch would say nothing new:
    # so each choice has a chart of its own.
    chart = f"tree {chosen}"
    with place:
        figure(
            spec,
            name="taxonomy",
            title=f"Tree of {len(shown.models):,} models, {growth.title}",
            alt=f"Tree of {len(shown.models)} models over a heatmap of {len(tree.benchmarks)} "
            "benchmarks; "
            + "; ".join(f"cluster {name}: {number} models" for name, number in sizes.items()),
            snapshot=tree.snapshot,
            frame=_scores(shown),
            width="stretch",
            key=chart,
            on_select=partial(branch.clicked, chart),
        )
        st.caption(_caption(shown, paper_colours=paper_colours), help=_built(grown))
    places = columns.places(chosen)
    if places is None:
        return None, []
    start, stop = columns.runs[places[0]][0], columns.runs[places[1] - 1][1]
    return chosen, list(tree.leaf_order[first + start : first + stop])


def _caption(shown: Taxonomy, *, paper_colours: bool) -> str:
    high, low = ("Red", "green") if paper_colours else ("Blue", "orange")
    text = f"Each row is a benchmark. {high} is above the mean of these models, {low} below it."
    if dendrogram.rows_are_means(shown):
        n = len(shown.benchmarks)
        text = text.replace(
            "Each row is a benchmark.",
            f"Each row is the mean over a subcategory of the {n} benchmarks.",
        )
    if dendrogram.is_collapsed(shown) or len(shown.models) <= dendrogram.MOST_NARROW_NAMES:
        return text
    where = "On a narrow screen, names" if dendrogram.names_fit(shown) else "Names"
    return f"{text} {where} are in the table below and in the tooltip of each cell."


def _built(grown: Grown) -> str:
    """Say how the tree was built, and how well it keeps the distances."""
    growth = grown.growth
    distance = next(label for label, metric in DISTANCES.items() if metric == growth.metric)
    linkage = next(label for label, name in LINKAGES.items() if name == growth.linkage)
    return plain(
        f"Distance between two models: {distance[0].lower()}{distance[1:]}. Distance between two "
        f"groups: {linkage[0].lower()}{linkage[1:]}. The tree keeps the distances with a "
        f"cophenetic correlation of {grown.tree.cophenetic_correlation:.2f}; 1 would be perfect."
    )


def _scores(shown: Taxonomy) -> pd.DataFrame:
    """Return the standardised scores behind the picture, from left to right."""
    order = list(shown.leaf_order)
    return pd.DataFrame(
        {
            "Model": [shown.models[i] for i in order],
            "Cluster": [shown.labels[i] for i in order],
        }
        | {
            benchmark.name: shown.standardised[order, j]
            for j, benchmark in enumerate(shown.benchmarks)
        }
    )
