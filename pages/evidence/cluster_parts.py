"""More about the clusters: what sets them apart, how sure the tree is, and another next to it."""

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd
import streamlit as st

from core import figures
from core.answers import data
from core.answers import evidence as evidence_answers
from core.answers.asked import Asked
from core.charts.trees import (
    MOST_LEAVES,
    is_collapsed,
    support_over_co_clustering,
    tanglegram,
)
from core.domain import BadRequestError, Model, Selection, Taxonomy, TooFewError
from core.evidence.store import Store
from core.statistics.stability import Noise
from core.statistics.taxonomy import Agreement
from core.words import evidence as words
from pages.components.blocks import figure, picked, table
from pages.components.notices import plain

_NOISES: dict[str, Noise] = {"Other benchmarks": "benchmarks", "Other questions": "items"}
_N_TREES = 1_000


@dataclass(frozen=True, slots=True)
class Grown:
    """A tree with the scores it is grown from, and what the page needs to write about it."""

    selection: Selection
    title: str
    """The suite's name."""
    tree: Taxonomy
    models: tuple[Model, ...]
    """Those of the tree, in its order."""
    names: dict[str, str]
    """Label of each model."""


def tests(store: Store, grown: Grown) -> None:
    """Test each benchmark between two clusters, and between those formed without it."""
    tree = grown.tree
    if tree.n_clusters != 2:
        st.caption("Tests between clusters are made for two clusters.")
        return
    st.subheader("Which benchmarks separate the two clusters?")
    found = evidence_answers.cluster_tests(store, grown.selection)
    try:
        others = evidence_answers.left_one_out(store, grown.selection).tests
    except TooFewError as error:
        st.caption(plain(str(error)))
        others = ()
    st.caption(
        "The first test is a description, not a proof: the same benchmarks formed the clusters. "
        "The fairer one is when left out: the clusters are formed without the benchmark, and then "
        "tested on it. Only it counts in the sentence above the tree."
    )
    names = {benchmark.id: benchmark.name for benchmark in tree.benchmarks}
    frame = pd.DataFrame({"Benchmark": [names[test.benchmark] for test in found.tests]})
    for kind, made in (("", found.tests), (" when left out", others)):
        if made:
            says = pd.Series([test.significant for test in made]).map({True: "yes", False: "no"})
            p = pd.Series([test.p_value for test in made])
            frame[f"Separates{kind}"] = says.where(p.notna(), "not defined")
            frame[f"Effect{kind}"] = [test.effect_size for test in made]
            frame[f"p{kind}"] = p
    separates = st.column_config.TextColumn(
        help=f"Yes where p is below {found.alpha:.2g}, that is 0.01 shared among "
        f"{figures.counted(len(found.tests), 'benchmark')} (Bonferroni)."
    )
    table(
        frame,
        "cluster-tests",
        f"Tests between the two clusters, {grown.title}",
        tree.snapshot,
        columns=dict.fromkeys(("Separates", "Separates when left out"), separates),
        placeholder="not defined",
    )


def sureness(store: Store, grown: Grown) -> None:
    """Show the stability of the clusters, the branches and the pairs of models."""
    n = len(grown.tree.models)
    st.caption(
        "The tree is grown again many times from scores as they might have been. What comes out "
        "again each time is sure."
    )
    if n > evidence_answers.MOST_RESAMPLED:
        st.info(
            f"For {n:,} models this is not computed: {_N_TREES:,} trees of that size take minutes. "
            f"Choose an evidence base with up to {evidence_answers.MOST_RESAMPLED} models."
        )
        return
    noise = picked(
        "What might have been different",
        _NOISES,
        key="noise",
        what="The kind of chance",
        draw=st.segmented_control,
        help="Other benchmarks: as many benchmarks are drawn again from these, some twice, some "
        "never. Other questions: each score is drawn again from its standard error, as if the "
        "benchmark had asked other questions of the same kind.",
    )
    try:
        found = evidence_answers.tree_stability(
            store, grown.selection, noise, grown.tree.n_clusters, _N_TREES
        )
    except BadRequestError as error:
        st.info(plain(str(error)), icon=":material/search_off:")
        return
    lead, rest = words.stability_in_words(found)
    st.markdown(f"**{plain(lead)}**{plain(rest)}", help=words.SURENESS)
    if is_collapsed(grown.tree):
        st.caption(f"The picture is drawn for up to {MOST_LEAVES} models; there are {n}.")
        return
    figure(
        support_over_co_clustering(grown.tree, grown.models, found),
        "stability",
        f"How sure the tree is, {grown.title}",
        "Tree with the support of each branch, over the share of trees in which each pair of "
        "models is in one cluster",
        grown.tree.snapshot,
        width="stretch",
    )
    st.caption(
        "Above: the thicker a branch, the more often the same models form a branch again, in "
        "percent. Below: the darker a cell, the more often two models are in one cluster."
    )


def faces(asked: Asked, both: Sequence[str], grown: Grown) -> None:
    """Compare the tree with one grown from the other scores of the same models, of ``both``."""
    own = grown.selection
    other = next((suite for suite in both if suite != own.suite), None)
    if other is None:
        st.info("There are no second scores of these models. The taxonomy paper's have two suites.")
        return
    try:
        found = evidence_answers.tree_agreement(
            asked.store, own, asked.selection(other), grown.tree.n_clusters
        )
    except BadRequestError as error:
        st.info(plain(str(error)), icon=":material/search_off:")
        return
    titles = (grown.title, asked.store.catalogue.suites[other].name)
    names = {m: grown.names.get(m, data.model(asked.store, m).name) for m in found.models}
    _agree(found, names, titles, grown)
    for missing, title in ((found.only_a, titles[1]), (found.only_b, titles[0])):
        for model in missing:
            reason = f"{data.model(asked.store, model.model).name}: not in {title}, {model.reason}"
            st.caption(plain(reason))


def _agree(found: Agreement, names: dict[str, str], titles: tuple[str, str], grown: Grown) -> None:
    changed = [names[model] for model, _, _ in found.changed]
    lead, rest = words.two_trees(found, names, titles)
    st.markdown(
        f"**{plain(lead)}** {plain(rest)}",
        help="The adjusted Rand index: 1 means that both trees split the models alike, about 0 "
        "that they agree no better than chance.",
    )
    figure(
        tanglegram(found, names, titles, same_letters=found.names_a == found.names_b),
        "face-to-face",
        f"{titles[0]} against {titles[1]}",
        f"{titles[0]} and {titles[1]} face to face; models that change cluster: "
        + (", ".join(changed) or "none"),
        grown.tree.snapshot,
        frame=pd.DataFrame(
            {
                "Model": [names[model] for model in found.models],
                titles[0]: found.labels_a,
                titles[1]: found.labels_b,
            }
        ),
    )
    st.caption(
        "Each line goes from a model to itself in the other tree; it is thick and dashed where the "
        "model changes cluster. Letters in brackets are the clusters."
    )
    st.subheader("How many models on which side")
    table(
        {titles[0]: [f"cluster {name}" for name in found.names_a]}
        | {f"{name} in {titles[1]}": found.table[:, j] for j, name in enumerate(found.names_b)},
        "sides",
        f"Clusters of {titles[0]} and {titles[1]}",
        grown.tree.snapshot,
    )
