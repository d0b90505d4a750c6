"""What sets the clusters of models apart: what they score, and on which benchmarks they differ."""

from __future__ import annotations

import math

import pandas as pd
import streamlit as st

from core.answers import taxonomies
from core.charts.trees import box_plots, cluster_colours, drawn_benchmarks
from core.domain import ClusterTests, TooFewError
from core.evidence.store import Store
from core.sharing import wording
from pages.components.blocks import figure, table
from pages.components.notices import plain
from pages.evidence.tree_controls import Grown


def draw(store: Store, grown: Grown) -> None:
    """Show what each cluster scores on each benchmark, and test two of them."""
    _profiles(store, grown)
    if grown.tree.n_clusters == 2:
        _tests(store, grown)
    else:
        st.caption("Tests between clusters are made for two clusters.")


def _profiles(store: Store, grown: Grown) -> None:
    growth, tree = grown.growth, grown.tree
    found = taxonomies.profiles(store, growth.selection, growth.n_clusters)
    names = {benchmark.id: benchmark.name for benchmark in tree.benchmarks}
    colours = cluster_colours(tree.n_clusters)
    drawn = drawn_benchmarks(found)
    medians = {(p.benchmark, p.cluster): 100 * p.median for p in found}
    frame = pd.DataFrame(
        {
            "Benchmark": [names[p.benchmark] for p in found],
            "Cluster": [p.cluster for p in found],
            "Models": [p.n for p in found],
            "Lowest": [p.minimum * 100 for p in found],
            "Lower quarter": [p.q1 * 100 for p in found],
            "Median": [p.median * 100 for p in found],
            "Upper quarter": [p.q3 * 100 for p in found],
            "Highest": [p.maximum * 100 for p in found],
        }
    )
    some = (
        f" Drawn are the {len(drawn)} of {len(names)} benchmarks on which the clusters lie "
        "farthest apart; all are in the CSV file."
        if len(drawn) < len(names)
        else ""
    )
    st.subheader("What does each cluster score?")
    figure(
        box_plots(found, names, {k: (k, colour) for k, colour in colours.items()}),
        "cluster-profiles",
        f"What each cluster scores, {growth.title}",
        "Median score of each cluster: "
        + "; ".join(
            f"{names[b]} " + ", ".join(f"{k} {medians[b, k]:.0f}" for k in colours) for b in drawn
        ),
        tree.snapshot,
        frame=frame,
    )
    st.caption(
        "The box spans the middle half of the models, the line within it is the median, and the "
        f"whiskers reach the lowest and the highest.{some}"
    )


def _tests(store: Store, grown: Grown) -> None:
    growth, tree = grown.growth, grown.tree
    st.subheader("Which benchmarks separate the two clusters?")
    with st.spinner("Testing each benchmark…"):
        found = taxonomies.cluster_tests(store, growth.selection)
        others = _left_out(store, grown)
    st.caption(
        "The first test is a description, not a proof: the same benchmarks formed the clusters. "
        "The fairer one is when left out: the clusters are formed without the benchmark, and then "
        "tested on it. Only it counts in the sentence above the tree."
    )
    names = {benchmark.id: benchmark.name for benchmark in tree.benchmarks}
    columns: dict[str, list[object]] = {
        "Benchmark": [names[test.benchmark] for test in found.tests],
        "Separates": ["yes" if test.significant else "no" for test in found.tests],
        "Effect": [test.effect_size for test in found.tests],
        "p": [test.p_value for test in found.tests],
    }
    if others is not None:
        columns |= {
            "Separates when left out": [
                "not defined" if math.isnan(test.p_value) else "yes" if test.significant else "no"
                for test in others.tests
            ],
            "Effect when left out": [test.effect_size for test in others.tests],
            "p when left out": [test.p_value for test in others.tests],
        }
    separates = st.column_config.TextColumn(
        help=f"Yes where p is below {found.alpha:.2g}, that is 0.01 shared among "
        f"{wording.counted(len(found.tests), 'benchmark')} (Bonferroni)."
    )
    table(
        pd.DataFrame(columns),
        "cluster-tests",
        f"Tests between the two clusters, {growth.title}",
        tree.snapshot,
        columns=dict.fromkeys(("Separates", "Separates when left out"), separates),
        placeholder="not defined",
    )


def _left_out(store: Store, grown: Grown) -> ClusterTests | None:
    """Test each benchmark between clusters formed without it, where there is one to do so."""
    growth = grown.growth
    try:
        return taxonomies.leave_one_out_tests(store, growth.selection)
    except TooFewError as error:
        st.caption(plain(str(error)))
        return None
