"""Which models are alike? The tree of models over the heatmap of their scores."""

from __future__ import annotations

import streamlit as st

from core.answers import data, taxonomies
from core.charts.dendrogram import is_collapsed
from core.charts.intervals import labels
from core.evidence.store import Store
from core.procurement.reasons import count
from core.sharing.link import Opened
from core.statistics.branches import branches
from core.statistics.taxonomy import cluster_names
from pages.components import controls, evidence
from pages.components.blocks import how_made
from pages.components.notices import own_choice, plain
from pages.evidence import branch, differences, sections, tree_controls
from pages.evidence.branch import Grown
from pages.evidence.faces import faces
from pages.evidence.sureness import sureness
from pages.evidence.tree_picture import part_of, picture

_MOST_LEFT_OUT = 1_000
"""Of more models, growing the tree anew without each benchmark takes long."""
_MOST_NAMED = 7
_PARTS = ("Members", "What sets them apart", "How sure it is", "Face to face")
_METHODS = {
    "What sets them apart": "Tests between two clusters",
    "How sure it is": "Stability",
    "Face to face": "Two taxonomies of one cohort",
}


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
    words, members = picture(grown, *part_of(grown))
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
    """Say how the cluster at a place below the first does."""
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
    """Draw a branch in place of the whole tree."""
    st.session_state.update(drawn=words, branch=None)


def _part(store: Store, opened: Opened, grown: Grown) -> str:
    """Draw the chosen part below the picture, and return its name."""
    own_choice("show", "The part", _PARTS, _PARTS[0].lower())
    part = st.segmented_control(
        "More about the clusters",
        _PARTS,
        default=_PARTS[0],
        required=True,
        key="show",
        bind="query-params",
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
