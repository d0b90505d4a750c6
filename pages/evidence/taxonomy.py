"""Which models are alike? The tree of models over the heatmap of their scores."""

import pandas as pd
import streamlit as st

from core.answers import data, taxonomies
from core.charts.dendrogram import is_collapsed
from core.charts.intervals import labels
from core.evidence.store import Store
from core.procurement.reasons import count
from core.statistics.subtrees import branches
from core.statistics.taxonomy import cluster_names
from pages.components import (
    controls,
    evidence,
    taxonomy_controls,
    taxonomy_faces,
    taxonomy_families,
    taxonomy_sureness,
    wording,
)
from pages.components.downloads import downloads
from pages.components.notices import own_choice, plain
from pages.components.taxonomy_branch import Grown, panel
from pages.components.taxonomy_picture import part_of, picture

_MOST_LEFT_OUT = 1_000
"""With more models, growing the tree anew without each benchmark takes seconds."""
_PARTS = ("Members", "What sets them apart", "How sure it is", "Face to face")


def answer(store: Store, grown: Grown) -> None:
    """Say in words how the models fall apart."""
    tree, growth = grown.tree, grown.growth
    sizes = {name: tree.labels.count(name) for name in cluster_names(tree.n_clusters)}
    separated = ""
    if tree.n_clusters == 2 and len(tree.benchmarks) > 1:
        if len(tree.models) <= _MOST_LEFT_OUT:
            found = taxonomies.leave_one_out_tests(store, growth.selection, *growth.how)
            separated = f" {taxonomy_families.separated(found, sizes)}"
        else:
            separated = f" What separates them is under “{_PARTS[1]}”."
    families = wording.list_of([f"{number:,} in {name}" for name, number in sizes.items()])
    st.markdown(
        f"**The {len(tree.models):,} models of {plain(growth.title)} form {count(len(sizes))} "
        f"families: {families}**, H being the one with the highest scores.{separated}"
    )
    if tree.groups is not None:
        st.caption(
            "Above 10,000 models, those with all but equal scores were put together first: "
            f"{len(tree.groups):,} groups, each at its mean, are the leaves of this tree."
        )


def draw_only(words: str) -> None:
    """Draw a branch in place of the whole tree."""
    st.session_state.update(drawn=words, branch=None)


def chosen_branch(store: Store, grown: Grown, words: str, members: list[int]) -> None:
    """Show the chosen branch."""
    with st.container(border=True):
        panel(store, grown, members, words)
        first = grown.tree.leaf_order.index(members[0])
        run = (first, first + len(members))
        has_tree = run in {(branch.start, branch.stop) for branch in branches(grown.tree)}
        if is_collapsed(grown.tree) and has_tree:
            st.button("Draw only this branch", on_click=draw_only, args=(words,))


def left_out(store: Store, grown: Grown) -> None:
    """List the models that are not in the tree, with the reason."""
    excluded = grown.tree.excluded
    if not excluded:
        return
    with st.expander(f"{wording.counted(len(excluded), 'model')} left out"):
        table = pd.DataFrame(
            [{"Model": data.model(store, e.model).name, "Reason": e.reason} for e in excluded]
        )
        st.dataframe(table, hide_index=True, alt="Models left out of the tree")
        downloads(
            "left-out",
            title=f"Models left out of the tree, {grown.growth.title}",
            snapshot=grown.tree.snapshot,
            frame=table,
        )


def made(grown: Grown) -> None:
    """Say how the tree was made."""
    tree, growth = grown.tree, grown.growth
    distance = next(k for k, v in taxonomy_controls.DISTANCES.items() if v == growth.metric)
    linkage = next(k for k, v in taxonomy_controls.LINKAGES.items() if v == growth.linkage)
    with st.expander("How this was made"):
        st.markdown(
            "Each benchmark is put on one footing (mean zero, variance one over these models). "
            f"Distance between two models: {_lowered(distance)}. Distance between two groups: "
            f"{_lowered(linkage)}. At each fork the branch with the higher mean is on the left. "
            "Method: doi 10.2196/72918. The tree keeps the distances with a cophenetic "
            f"correlation of {tree.cophenetic_correlation:.2f} (1 would be perfect)."
        )


def _lowered(label: str) -> str:
    """Return a label as it stands within a sentence."""
    return plain(label[0].lower() + label[1:])


def page() -> None:
    """Draw the page."""
    store = evidence.store()
    opened = controls.question(store)
    st.markdown(
        "Which models are alike? Models that join low in the tree have much the same scores; the "
        "smaller of two such models may do the job."
    )
    growth = taxonomy_controls.draw(store, opened)
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
    answer(store, grown)
    words, members = picture(grown, *part_of(grown))
    if words is not None:
        chosen_branch(store, grown, words, members)

    own_choice("show", "The part", _PARTS, _PARTS[0].lower())
    part = st.segmented_control(
        "More about the families",
        _PARTS,
        default=_PARTS[0],
        required=True,
        key="show",
        bind="query-params",
    )
    if part == _PARTS[0]:
        taxonomy_families.members(grown)
    elif part == _PARTS[1]:
        taxonomy_families.differences(store, grown)
    elif part == _PARTS[2]:
        taxonomy_sureness.sureness(store, grown)
    else:
        taxonomy_faces.faces(
            store, opened, grown, paper_colours=bool(st.session_state.get("paper_colours"))
        )
    left_out(store, grown)
    made(grown)


page()
