"""Which models are alike? The tree of models over the heatmap of their scores."""

from __future__ import annotations

from functools import partial

import pandas as pd
import streamlit as st

from core.answers import data, taxonomies
from core.charts import dendrogram
from core.charts.dendrogram import is_collapsed
from core.charts.intervals import labels
from core.charts.tree_links import branch_words
from core.domain import Taxonomy
from core.evidence.store import Store
from core.procurement.reasons import count
from core.sharing.link import Opened
from core.statistics.branches import branches, subtree
from core.statistics.taxonomy import cluster_names
from pages.components import controls, evidence
from pages.components.blocks import choose, figure, how_made
from pages.components.notices import plain
from pages.evidence import branch, differences, sections, tree_controls
from pages.evidence.branch import Grown
from pages.evidence.faces import faces
from pages.evidence.sureness import sureness
from pages.evidence.tree_controls import DISTANCES, LINKAGES

_MOST_LEFT_OUT = 1_000
"""Of more models, growing the tree anew without each benchmark takes long."""
_MOST_NAMED = 7
_PARTS = ("Members", "What sets them apart", "How sure it is", "Face to face")
_METHODS = {
    "What sets them apart": "Tests between two clusters",
    "How sure it is": "Stability",
    "Face to face": "Two taxonomies of one cohort",
}
_WHOLE = "All models"


def draw() -> None:
    """Draw the tab."""
    store = evidence.store()
    opened = controls.question(store)
    answer = st.container()
    growth = tree_controls.draw(store, opened)
    if growth is None:
        return
    with st.spinner("Growing the tree…"):
        tree = taxonomies.taxonomy(store, growth.selection, *growth.cut)
    models = {model: data.model(store, model) for model in tree.models}
    own = data.products(store, data.selection_of(opened.requirements)).models
    grown = Grown(
        growth,
        tree,
        models,
        names=labels(list(models.values())),
        comparable=labels([data.model(store, model) for model in own]),
    )
    with answer:
        _answer(store, grown)
    words, members = _picture(grown, *_part_of(grown))
    if words is not None:
        _chosen_branch(store, grown, words, members)
    part = _part(store, opened, grown)
    sections.left_out(
        store,
        tree.excluded,
        title=f"Models left out of the tree, {growth.title}",
        snapshot=tree.snapshot,
    )
    how_made("Taxonomy", *filter(None, [_METHODS.get(part)]), key="taxonomy")


def _answer(store: Store, grown: Grown) -> None:
    """Say by name how the models fall apart, and whether that can be shown."""
    tree, growth = grown.tree, grown.growth
    means = tree.standardised.mean(axis=1)
    parts = []
    for place, cluster in enumerate(cluster_names(tree.n_clusters)):
        members = [i for i, label in enumerate(tree.labels) if label == cluster]
        members.sort(key=lambda i: -means[i])
        names = sections.some_of([grown.names[tree.models[i]] for i in members], _MOST_NAMED)
        many = count(len(members))
        if not place:
            do = "model does" if len(members) == 1 else "models do"
            how = f"{many.capitalize()} {do} well on the tests of {plain(growth.title)}"
        else:
            how = f"{many} {_less(place, tree.n_clusters)}"
        parts.append(f"**{how}** ({plain(names)})")
    said, proof = _separated(store, grown)
    st.markdown(f"{', '.join(parts)}. {said}", help=proof)
    if tree.groups is not None:
        st.caption(
            "Above 10,000 models, those with all but equal scores were put together first: "
            f"{len(tree.groups):,} groups, each at its mean, are the leaves of this tree."
        )


def _less(place: int, n_clusters: int) -> str:
    if place == n_clusters - 1 > 1:
        return "least"
    return "less so" if place == 1 else "still less"


def _separated(store: Store, grown: Grown) -> tuple[str, str | None]:
    """Say whether the difference of two clusters can be shown, and on what that rests."""
    tree, growth = grown.tree, grown.growth
    if tree.n_clusters != 2 or len(tree.benchmarks) == 1:
        return "", None
    if len(tree.models) > _MOST_LEFT_OUT:
        return f"What separates them is under “{_PARTS[1]}”.", None
    found = taxonomies.leave_one_out_tests(store, growth.selection, *growth.how)
    sizes = {name: tree.labels.count(name) for name in cluster_names(2)}
    return differences.separated(found, sizes)


def _chosen_branch(store: Store, grown: Grown, words: str, members: list[int]) -> None:
    with st.container(border=True):
        branch.panel(store, grown, members, words)
        first = grown.tree.leaf_order.index(members[0])
        run = (first, first + len(members))
        has_tree = run in {(each.start, each.stop) for each in branches(grown.tree)}
        if is_collapsed(grown.tree) and has_tree:
            st.button("Draw only this branch", on_click=_draw_only, args=(words,))


def _draw_only(words: str) -> None:
    st.session_state.update(drawn=words, branch=None)


def _part(store: Store, opened: Opened, grown: Grown) -> str:
    """Draw the chosen part below the picture, and return its name."""
    part = choose(
        "More about the clusters", _PARTS, key="show", what="The part", draw=st.segmented_control
    )
    if part == _PARTS[0]:
        branch.members(grown)
    elif part == _PARTS[1]:
        differences.draw(store, grown)
    elif part == _PARTS[2]:
        sureness(store, grown)
    else:
        faces(store, opened, grown, paper_colours=bool(st.session_state.get("paper_colours")))
    return part


def _part_of(grown: Grown) -> tuple[Taxonomy, int]:
    """Return the tree to draw, and the place of its first model in the whole one's order.

    A tree that is drawn model by model is drawn whole.
    """
    tree = grown.tree
    if not dendrogram.is_collapsed(tree):
        return tree, 0
    ordered = grown.ordered()
    found = {branch_words(ordered, b.start, b.stop): b for b in branches(tree)[:-1]}
    asked = st.session_state.get("drawn") or st.query_params.get("drawn")
    # A list of thousands of branches would be sent to the browser with every click.
    drawn = choose(
        "Tree of",
        [_WHOLE, *([asked] if asked in found else [])],
        key="drawn",
        what="The branch to draw",
        used=_WHOLE.lower(),
        help="Choose a branch under the picture and press “Draw only this branch” to look into "
        "it; here you come back.",
    )
    if drawn not in found:
        return tree, 0
    return subtree(tree, found[drawn]), found[drawn].start


def _picture(grown: Grown, shown: Taxonomy, first: int) -> tuple[str | None, list[int]]:
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
    chosen = branch.chosen_in(columns)
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
            "taxonomy",
            f"Tree of {len(shown.models):,} models, {growth.title}",
            f"Tree of {len(shown.models)} models over a heatmap of {len(tree.benchmarks)} "
            "benchmarks; "
            + "; ".join(f"cluster {name}: {number} models" for name, number in sizes.items()),
            tree.snapshot,
            frame=_scores(shown),
            width="stretch",
            key=chart,
            on_select=partial(branch.clicked, chart),
        )
        st.caption(_legend(shown, paper_colours=paper_colours), help=_built(grown))
    places = columns.places(chosen)
    if places is None:
        return None, []
    start, stop = columns.runs[places[0]][0], columns.runs[places[1] - 1][1]
    return chosen, list(tree.leaf_order[first + start : first + stop])


def _legend(shown: Taxonomy, *, paper_colours: bool) -> str:
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
