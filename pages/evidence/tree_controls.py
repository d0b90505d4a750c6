"""How a tree of models is built: its own controls, each in the link."""

from __future__ import annotations

from dataclasses import dataclass, replace

import streamlit as st

from core.answers import data, taxonomies
from core.domain import Selection
from core.evidence.store import Store
from core.sharing.link import Opened
from core.statistics.score_matrix import complete
from pages.components.blocks import choose
from pages.components.notices import own_choice, plain

DISTANCES = {
    "Sum of gaps (Manhattan)": "cityblock",
    "Straight line (Euclidean)": "euclidean",
    "Angle of the profile (cosine)": "cosine",
    "Shape of the profile (correlation)": "correlation",
}
LINKAGES = {
    "Farthest members (complete)": "complete",
    "All pairs (average)": "average",
    "Nearest members (single)": "single",
    "Least spread (Ward)": "ward",
}
_DISTANCE_HELP = (
    "When two models count as far apart. Manhattan adds up the gaps over all benchmarks, and is "
    "what the paper uses. Euclidean gives large gaps more weight. Cosine and correlation look at "
    "the pattern of strengths and weaknesses: a weak model may then be close to a strong one."
)
_LINKAGE_HELP = (
    "When two groups count as far apart: by their farthest members (complete, as in the paper), "
    "the average of all pairs, their nearest members (single, which tends to chains), or by how "
    "much their union spreads (Ward, for Euclidean distances only)."
)
_CLUSTERS = tuple(str(k) for k in taxonomies.KS)


@dataclass(frozen=True, slots=True)
class Growth:
    """Which scores a tree is grown from, and how."""

    selection: Selection
    title: str
    """The suite's name."""
    n_clusters: int
    metric: str
    linkage: str

    @property
    def how(self) -> tuple[str, str]:
        """Distance and linkage."""
        return self.metric, self.linkage

    @property
    def cut(self) -> tuple[int, str, str]:
        """Number of clusters, distance and linkage."""
        return self.n_clusters, self.metric, self.linkage


def draw(store: Store, opened: Opened) -> Growth | None:
    """Draw the controls; ``None`` where they contradict each other, which is then said."""
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
    with st.expander("How the tree is built"):
        chosen = st.multiselect(
            "Benchmarks",
            list(benchmarks),
            key="benchmarks",
            bind="query-params",
            placeholder=f"All {len(benchmarks)} benchmarks",
            help="Only these count. A model without a score on one of them is left out.",
        )
        left, right = st.columns(2)
        distance = choose(
            "Distance",
            DISTANCES,
            key="distance",
            what="The distance",
            draw=left.selectbox,
            help=_DISTANCE_HELP,
        )
        linkage = choose(
            "Linkage",
            LINKAGES,
            key="linkage",
            what="The linkage",
            draw=right.selectbox,
            help=_LINKAGE_HELP,
        )
    # In the suite's order, so that equal choices give equal questions.
    kept = tuple(id_ for label, id_ in benchmarks.items() if label in chosen)
    selection = replace(selection, benchmarks=kept)
    if LINKAGES[linkage] == "ward" and DISTANCES[distance] != "euclidean":
        euclidean = next(label for label, metric in DISTANCES.items() if metric == "euclidean")
        st.info(
            "Ward linkage adds up squared straight-line distances, so it needs the distance "
            f"“{euclidean}”."
        )
        st.button(
            "Use that distance", on_click=st.session_state.update, kwargs={"distance": euclidean}
        )
        return None
    most = len(complete(data.products(store, selection)).models)
    growth = Growth(
        selection,
        name,
        # A tree of fewer than three models is refused for that, not for its cut.
        min(int(n_clusters), max(most, 2)),
        DISTANCES[distance],
        LINKAGES[linkage],
    )
    with st.spinner("Growing the tree…"):
        _hint(hint, store, growth, int(n_clusters))
    return growth


def _suites(store: Store, opened: Opened) -> dict[str, str]:
    own = opened.requirements.suite
    both = filter(None, (own, opened.evidence.second_suite))
    return {store.catalogue.suites[suite].name: suite for suite in both}


def _hint(place: st.delta_generator.DeltaGenerator, store: Store, growth: Growth, k: int) -> None:
    """Say what number of clusters the scores themselves suggest."""
    suggested = taxonomies.suggested_k(store, growth.selection, *growth.how)
    if suggested is None:
        place.caption("These models are too few to suggest a number of clusters.")
        return
    values = dict(taxonomies.silhouettes(store, growth.selection, *growth.how))
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
