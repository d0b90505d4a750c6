"""One branch of the tree: its models, how sure it is, what sets it apart, and where to go."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd
import streamlit as st

from core.answers import taxonomies
from core.charts.blocks import ACCENT, MUTED
from core.charts.dendrogram import BRANCH, CELL, Columns
from core.charts.profiles import box_plots
from core.domain import Model, Taxonomy, TooFewError
from core.evidence.store import Store
from core.sharing import wording
from core.sharing.link_reader import MOST_MODELS as MOST_SENT
from core.statistics.branches import branches
from core.statistics.taxonomy import distances_from
from pages.components import entries
from pages.components.blocks import choose as choice
from pages.components.blocks import figure, numbers, table
from pages.components.notices import plain
from pages.evidence.tree_controls import Growth

_MOST_COMPARED = 5
_NEAREST = 5


BOXES = (
    "The box spans the middle half of the models, the line within it is the median, and the "
    "whiskers reach the lowest and the highest."
)


@dataclass(frozen=True, slots=True)
class Grown:
    """A tree with what the page needs to write about it."""

    growth: Growth
    tree: Taxonomy
    models: dict[str, Model]
    names: dict[str, str]
    """Label of each model."""
    comparable: dict[str, str]
    """Label of each model that can be put side by side with another."""

    def ordered(self, tree: Taxonomy | None = None) -> list[str]:
        """Labels from left to right."""
        tree = tree or self.tree
        return [self.names[tree.models[i]] for i in tree.leaf_order]


def clicked(chart: str) -> None:
    """Take a click on the tree or the heatmap as the choice of a branch."""
    selection = st.session_state[chart]["selection"]
    if points := selection.get(BRANCH) or selection.get(CELL):
        st.session_state["branch"] = points[0]["branch"]


def options(columns: Columns) -> list[str]:
    """Return the branches, the largest first, and then the columns from left to right."""
    both = list(zip(columns.links, columns.link_words, strict=True))[:-1]
    widest = sorted(both, key=lambda one: (one[0].start - one[0].stop, one[0].start))
    return [*(words for _, words in widest), *columns.words]


def chosen_in(columns: Columns) -> str | None:
    """Draw the box to choose a branch in words, the same as a click."""
    known = options(columns)
    # A branch of a tree that was grown otherwise.
    if st.session_state.get("branch") not in (None, *known):
        st.session_state["branch"] = None
    return choice(
        "Branch or model",
        known,
        key="branch",
        what="The branch",
        used="none",
        index=None,
        placeholder="Click on the picture, or choose here",
        help="A branch is a group of models that join in the tree before any other model joins "
        "them. A click on a dot of the tree or on a column of the picture chooses it as well.",
    )


def panel(store: Store, grown: Grown, members: list[int], words: str) -> None:
    """Show the models of a branch, given by their positions in the whole tree."""
    tree, growth = grown.tree, grown.growth
    ids = [tree.models[i] for i in members]
    st.subheader(plain(words))
    if len(members) == 1:
        _one_model(grown, members[0])
    else:
        st.markdown(_about(store, grown, members))
    frame = _members_frame(grown, members)
    table(
        frame,
        "branch",
        f"{words}, {growth.title}",
        tree.snapshot,
        alt=f"Models of the branch {words}, from left to right",
        height=min(38 + 35 * len(frame), 400),
    )
    _actions(grown, ids)
    if len(members) < len(tree.models):
        fold = st.expander(
            "What it scores, against all other models", key="branch_scores", on_change="rerun"
        )
        if fold.open:
            with fold:
                _profile(store, grown, ids, words)


def members(grown: Grown) -> None:
    """List the members of each cluster, in the order of the tree."""
    table(
        _members_frame(grown, list(grown.tree.leaf_order)),
        "clusters",
        f"Members of each cluster, {grown.growth.title}",
        grown.tree.snapshot,
    )


def _members_frame(grown: Grown, members: list[int]) -> pd.DataFrame:
    """Return models by their positions in the whole tree."""
    tree = grown.tree
    found = [grown.models[tree.models[i]] for i in members]
    return pd.DataFrame(
        {
            "Model": [model.name for model in found],
            "Cluster": [tree.labels[i] for i in members],
            "Mean": tree.standardised[members].mean(axis=1),
            "Size, B": numbers([model.params_b for model in found]),
            "Identifier": [model.id for model in found],
        }
    )


def _about(store: Store, grown: Grown, members: list[int]) -> str:
    tree, growth = grown.tree, grown.growth
    place = {model: at for at, model in enumerate(tree.leaf_order)}
    start, stop = place[members[0]], place[members[-1]] + 1
    branch = next((b for b in branches(tree) if (b.start, b.stop) == (start, stop)), None)
    if branch is None:  # models that were put together before the tree was grown
        return "These models were put together before the tree was grown, as all but equal."
    text = f"They join at distance {branch.height:.2f}."
    sizes = [m.params_b for i in members if (m := grown.models[tree.models[i]]).params_b]
    if sizes:
        text += f" The smallest of known size has {wording.size(min(sizes))}."
    if len(tree.models) > taxonomies.MOST_RESAMPLED:
        return text
    try:
        found = taxonomies.stability(store, growth.selection, "benchmarks", *growth.cut)
    except TooFewError as error:
        return f"{text} How sure the branch is cannot be said. {plain(str(error))}"
    return (
        f"{text} This branch was seen in **{found.support[branch.merge]:.0%}** of "
        f"{found.n_resamples:,} trees grown again with other benchmarks of the same kind."
    )


def _one_model(grown: Grown, model: int) -> None:
    """Name the models that are closest to one."""
    distances = distances_from(grown.tree, model)
    nearest = [i for i in distances.argsort(kind="stable").tolist() if i != model][:_NEAREST]
    labels = [grown.names[grown.tree.models[i]] for i in nearest]
    listed = [
        f"{plain(label)} ({distances[i]:.2f})" for label, i in zip(labels, nearest, strict=True)
    ]
    st.markdown(f"Closest to it, with their distance: {wording.list_of(listed)}.")
    ids = [grown.tree.models[i] for i in (model, *nearest[:1])]
    _compare(grown, ids, "Compare with the closest")


def _actions(grown: Grown, ids: list[str]) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        if 2 <= len(ids) <= _MOST_COMPARED:
            _compare(grown, ids, "Compare them")
        elif len(ids) > _MOST_COMPARED:
            st.caption(f"To compare models side by side, choose a branch of 2 to {_MOST_COMPARED}.")
        if len(ids) > MOST_SENT:
            st.caption(f"The shortlist takes at most {MOST_SENT} models.")
        elif st.button(
            "Send to the shortlist",
            icon=":material/checklist:",
            on_click=st.session_state.update,
            kwargs={"only": ids},
            help="The shortlist then chooses among these models only. The control “Only these "
            "models” in the side bar takes that back.",
        ):
            # An empty dict: by default all parameters are cleared, which bound controls forbid.
            st.switch_page(entries.LANDING.script, query_params={})


def _compare(grown: Grown, ids: list[str], text: str) -> None:
    names = [grown.comparable[model] for model in ids if model in grown.comparable]
    if len(names) < 2:  # models of another suite than the evidence's own
        return
    entries.link(
        "replace",
        "Side by side",
        label=text,
        icon="compare_arrows",
        help="Puts these models side by side.",
        compare=names,
    )


def _profile(store: Store, grown: Grown, ids: list[str], words: str) -> None:
    growth = grown.growth
    found = taxonomies.branch_profiles(store, growth.selection, frozenset(ids), *growth.how)
    figure(
        box_plots(
            found,
            {benchmark.id: benchmark.name for benchmark in grown.tree.benchmarks},
            {"H": ("branch", ACCENT), "L": ("others", MUTED)},
        ),
        "branch-profile",
        f"{words} against all other models, {growth.title}",
        f"Scores of {words} on each benchmark against the others",
        grown.tree.snapshot,
    )
    st.caption(BOXES)
