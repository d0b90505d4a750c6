"""How a tree of models is built: its own controls, each in the link."""

from __future__ import annotations

from dataclasses import dataclass, replace

import streamlit as st

from core.answers import data, taxonomies
from core.domain import Model, Selection, Taxonomy
from core.evidence.store import Store
from core.sharing.link import Opened
from core.statistics.score_matrix import complete
from pages.components.notices import own_choice, plain

_CLUSTERS = tuple(str(k) for k in taxonomies.KS)
# Controls that there were once: what a link held where the tree was the one that is left.
_GONE = {
    "distance": "Sum of gaps (Manhattan)",
    "linkage": "Farthest members (complete)",
    "branch": "",
    "drawn": "All models",
}


@dataclass(frozen=True, slots=True)
class Growth:
    """Which scores a tree is grown from, and how."""

    selection: Selection
    title: str
    """The suite's name."""
    n_clusters: int


@dataclass(frozen=True, slots=True)
class Grown:
    """A tree with what the page needs to write about it."""

    growth: Growth
    tree: Taxonomy
    models: dict[str, Model]
    names: dict[str, str]
    """Label of each model."""

    def ordered(self) -> list[str]:
        """Labels from left to right."""
        return [self.names[self.tree.models[i]] for i in self.tree.leaf_order]


def draw(store: Store, opened: Opened) -> Growth:
    """Draw the controls."""
    _gone()
    suites = _suites(store, opened)
    name = next(iter(suites))
    if len(suites) > 1:
        own_choice("side", "The suite", suites, name)
    own_choice("clusters", "The number of clusters", _CLUSTERS, "2")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if len(suites) > 1:
            name = st.segmented_control(
                "Scores of",
                list(suites),
                default=name,
                required=True,
                key="side",
                bind="query-params",
                help="The paper behind this evidence base draws two trees of the same models: "
                "one from medical exams and one from general tests.",
            )
        n_clusters = st.number_input(
            "Number of clusters",
            float(min(taxonomies.KS)),  # a float, since an infinite one in a link stops integers
            float(max(taxonomies.KS)),
            2.0,
            1.0,
            format="%g",
            key="clusters",
            bind="query-params",
            width=220,
            help="Where the tree is cut. The paper cuts at two: a high and a low cluster.",
        )
        hint = st.empty()
    selection = data.selection_of(opened.requirements, suites[name])
    benchmarks = {b.name: b.id for b in data.products(store, selection).benchmarks}
    own_choice("benchmarks", "The benchmark", benchmarks, "the others or all of them are")
    chosen = st.multiselect(
        "Benchmarks",
        list(benchmarks),
        key="benchmarks",
        bind="query-params",
        placeholder=f"All {len(benchmarks)} benchmarks",
        help="Only these count. A model without a score on one of them is left out.",
    )
    # In the suite's order, so that equal choices give equal questions.
    kept = tuple(id_ for label, id_ in benchmarks.items() if label in chosen)
    selection = replace(selection, benchmarks=kept)
    most = len(complete(data.products(store, selection)).models)
    growth = Growth(
        selection,
        name,
        # A tree of fewer than three models is refused for that, not for its cut.
        min(int(n_clusters), max(most, 2)),
    )
    with st.spinner("Growing the tree…"):
        _hint(hint, store, growth, int(n_clusters))
    return growth


def _gone() -> None:
    """Say that an old link asks for another tree, or for a part of it."""
    if any(st.query_params.get(key, usual) not in ("", usual) for key, usual in _GONE.items()):
        st.warning(
            "This link asks for another distance or linkage, or for one branch. Both choices are "
            "gone: this is the whole tree, grown as in the paper.",
            icon=":material/link_off:",
        )


def _suites(store: Store, opened: Opened) -> dict[str, str]:
    own = opened.requirements.suite
    both = filter(None, (own, opened.evidence.second_suite))
    return {store.catalogue.suites[suite].name: suite for suite in both}


def _hint(place: st.delta_generator.DeltaGenerator, store: Store, growth: Growth, k: int) -> None:
    """Say what number of clusters the scores themselves suggest."""
    suggested = taxonomies.suggested_k(store, growth.selection)
    if suggested is None:
        place.caption("These models are too few to suggest a number of clusters.")
        return
    values = dict(taxonomies.silhouettes(store, growth.selection))
    listed = "; ".join(f"{n} clusters {v:.2f}" for n, v in values.items() if v is not None)
    text = (
        f"The scores themselves suggest {suggested} clusters (silhouette {values[suggested]:.2f})."
    )
    if k != growth.n_clusters:
        text += f" There are only {growth.n_clusters} models, and so at most as many clusters."
    place.caption(
        plain(text),
        help="The silhouette says how much closer a model is to its own cluster than to the next "
        "one, on the mean: 1 is far closer, 0 no closer. A hint and no proof: some number always "
        f"comes out best. {listed}.",
    )
