"""How sure a tree is: what comes out again when it is grown from other scores."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core.answers import taxonomies
from core.charts.trees import columns_of, is_collapsed, support_over_co_clustering
from core.domain import BadRequestError
from core.evidence.store import Store
from core.sharing import wording
from core.statistics.clusters import Noise, Stability
from pages.components.blocks import choose, figure, table
from pages.components.notices import plain
from pages.evidence.tree_controls import Grown

_NOISES: dict[str, Noise] = {"Other benchmarks": "benchmarks", "Other questions": "items"}
_MOST = 1_000
"""Of more models the tree is not grown again: it would take minutes."""
_FEWER = 200
_DISSOLVED, _STABLE = 0.5, 0.75


def sureness(store: Store, grown: Grown) -> None:
    """Show the stability of the clusters, the branches and the pairs of models."""
    n = len(grown.tree.models)
    st.caption(
        "The tree is grown again many times from scores as they might have been. What comes out "
        "again each time is sure."
    )
    if n > _MOST:
        st.info(
            f"For {n:,} models this is not computed: {_FEWER} trees of that size take minutes, and "
            "a table of every pair of models fills the memory. Choose an evidence base with fewer "
            f"models, up to {_MOST:,}."
        )
        return
    name = choose(
        "What might have been otherwise",
        _NOISES,
        key="noise",
        what="The kind of chance",
        draw=st.segmented_control,
        help="Other benchmarks: as many benchmarks are drawn again from these, some twice, some "
        "never. Other questions: each score is drawn again from its standard error, as if the "
        "benchmark had asked other questions of the same kind.",
    )
    resamples = 1_000
    if n > taxonomies.MOST_RESAMPLED:
        resamples = _FEWER
        if not st.toggle(f"Grow {_FEWER} trees of {n:,} models; takes up to a minute", key="again"):
            return
    with st.spinner(f"Growing {resamples:,} trees…"):
        try:
            found = taxonomies.stability(
                store, grown.growth.selection, _NOISES[name], grown.growth.n_clusters, resamples
            )
        except BadRequestError as error:
            st.info(plain(_short(str(error))), icon=":material/search_off:")
            return
    st.markdown(
        _in_words(found),
        help="The mean likeness of each cluster to the nearest cluster of a tree grown again "
        f"(Jaccard: models in both over models in either). From {_STABLE:.2f} it reads as stable, "
        f"below {_DISSOLVED:.2f} as dissolved (Hennig 2007).",
    )
    _picture(grown, found)
    _branches(grown, found)


def _short(message: str) -> str:
    """Shorten a sentence that names dozens of benchmarks."""
    parts = message.rstrip(".").split(", ")
    if len(parts) <= 8:
        return message
    return f"{', '.join(parts[:6])} and {len(parts) - 6} more."


def _in_words(found: Stability) -> str:
    verdicts = []
    for cluster, share in found.jaccard:
        verdict = (
            "stable" if share >= _STABLE else "dissolved" if share < _DISSOLVED else "in doubt"
        )
        verdicts.append(f"cluster {cluster} {share:.2f}, {verdict}")
    return f"**{wording.sentence('; '.join(verdicts))}**, over {found.n_resamples:,} trees."


def _picture(grown: Grown, found: Stability) -> None:
    tree = grown.tree
    if is_collapsed(tree):
        st.caption(f"The picture is drawn for up to 150 models; there are {len(tree.models)}.")
        return
    picture = support_over_co_clustering(tree, list(grown.models.values()), found)
    figure(
        picture,
        "stability",
        f"How sure the tree is, {grown.growth.title}",
        "Tree with the support of each branch, over the share of trees in which each pair of "
        "models is in one cluster; "
        + "; ".join(f"cluster {cluster} {share:.2f}" for cluster, share in found.jaccard),
        tree.snapshot,
        width="stretch",
    )
    st.caption(
        "Above: the thicker a branch, the more often the same models form a branch again, in "
        "percent. Below: the darker a cell, the more often two models are in one cluster."
    )


def _branches(grown: Grown, found: Stability) -> None:
    tree = grown.tree
    if is_collapsed(tree):
        return
    st.subheader("Support of each branch")
    columns = columns_of(tree, grown.ordered())
    frame = pd.DataFrame(
        {
            "Branch": columns.link_words[:-1],
            "Models": [link.stop - link.start for link in columns.links[:-1]],
            "Joined at": [link.height for link in columns.links[:-1]],
            "Support, %": found.support[:-1] * 100,
        }
    ).sort_values("Support, %", ascending=False, kind="stable")
    table(frame, "branch-support", f"Support of each branch, {grown.growth.title}", tree.snapshot)
