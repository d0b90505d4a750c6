"""More about the clusters: what sets them apart, how sure the tree is, and another beside it."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import pandas as pd
import streamlit as st

from core.answers import data, taxonomies
from core.charts.trees import (
    MOST_MODELS,
    box_plots,
    cluster_colours,
    columns_of,
    dendrogram_over_heatmap,
    drawn_benchmarks,
    is_collapsed,
    support_over_co_clustering,
    tanglegram,
)
from core.domain import BadRequestError, ClusterTests, Model, Selection, Taxonomy, TooFewError
from core.evidence.store import Store
from core.sharing.link import PROTOCOLS, Opened
from core.statistics.clusters import Agreement, Noise, Stability
from core.words import figures
from pages.components.blocks import choose, figure, table, vega_lite_chart
from pages.components.notices import plain

_NOISES: dict[str, Noise] = {"Other benchmarks": "benchmarks", "Other questions": "items"}
_MOST = 1_000
"""Of more models the tree is not grown again: it would take minutes."""
_FEWER = 200
_DISSOLVED, _STABLE = 0.5, 0.75


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


def sets_apart(store: Store, grown: Grown) -> None:
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
        f"{figures.counted(len(found.tests), 'benchmark')} (Bonferroni)."
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
    return f"**{figures.capitalised('; '.join(verdicts))}**, over {found.n_resamples:,} trees."


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


def others(store: Store, opened: Opened, growth: Growth) -> dict[str, Selection]:
    """Return the other scores of the same models, by what to call them."""
    asked, own = opened.requirements, growth.selection
    found = {}
    for suite in filter(None, (asked.suite, opened.evidence.second_suite)):
        if suite != own.suite:
            name = store.catalogue.suites[suite].name
            found[name] = data.selection_of(asked, suite)
    protocols = store.catalogue.suites[own.suite].protocols
    used = own.protocol or next(iter(protocols), "")
    for protocol in protocols:
        if protocol != used:
            name = f"{growth.title}, {PROTOCOLS[protocol].lower()}"
            found[name] = replace(own, protocol=protocol)
    return found


def faces(store: Store, opened: Opened, grown: Grown, *, paper_colours: bool) -> None:
    """Compare the tree with one grown from other scores of the same models."""
    growth = grown.growth
    against = others(store, opened, growth)
    if not against:
        st.info(
            f"There are no second scores of the models of {plain(growth.title)} here. BRIDGE has "
            "several ways of prompting, and the taxonomy paper's models have two suites."
        )
        return
    name = next(iter(against))
    if len(against) > 1:
        name = choose("Against", against, key="against", what="The other tree")
    with st.spinner("Growing the other tree…"):
        try:
            found = taxonomies.agreement(store, growth.selection, against[name], growth.n_clusters)
            other = taxonomies.taxonomy(store, against[name], growth.n_clusters)
        except BadRequestError as error:
            st.info(plain(str(error)), icon=":material/search_off:")
            return
    titles = (_own_title(store, growth), name)
    names = {m: data.model(store, m).name for m in found.models}
    names |= {m: grown.names[m] for m in found.models if m in grown.names}
    _words(found, names, titles)
    _tanglegram(found, names, titles, grown)
    _tables(found, names, titles, grown)
    if max(len(grown.tree.models), len(other.models)) <= MOST_MODELS:
        _side_by_side(store, (grown.tree, other), titles, paper_colours)
    for left_out, title in ((found.only_a, name), (found.only_b, titles[0])):
        for model in left_out:
            reason = f"{data.model(store, model.model).name}: not in {title}, {model.reason}"
            st.caption(plain(reason))


def _own_title(store: Store, growth: Growth) -> str:
    protocols = store.catalogue.suites[growth.selection.suite].protocols
    if not protocols:
        return growth.title
    return f"{growth.title}, {PROTOCOLS[growth.selection.protocol or protocols[0]].lower()}"


def _words(found: Agreement, names: dict[str, str], titles: tuple[str, str]) -> None:
    n = len(found.models)
    if not found.changed:
        sides = "No model changes its cluster"
    elif len(found.changed) <= 5:
        listed = figures.listed([plain(names[model]) for model, _, _ in found.changed])
        sides = f"{listed} change{'s' if len(found.changed) == 1 else ''} cluster"
    else:
        sides = f"{len(found.changed)} models change cluster"
    st.markdown(
        f"**{sides}** between {plain(titles[0])} and {plain(titles[1])}, of {n} models that both "
        f"trees have. The two splits agree to {found.adjusted_rand:.2f} (adjusted Rand index).",
        help="The adjusted Rand index: 1 means that both trees split the models alike, about 0 "
        "that they agree no better than chance.",
    )


def _tanglegram(
    found: Agreement, names: dict[str, str], titles: tuple[str, str], grown: Grown
) -> None:
    if len(found.models) > MOST_MODELS:
        st.caption(f"The picture is drawn for up to {MOST_MODELS} models.")
        return
    picture = tanglegram(found, names, titles, same_letters=found.names_a == found.names_b)
    figure(
        picture,
        "face-to-face",
        f"{titles[0]} against {titles[1]}",
        f"{titles[0]} and {titles[1]} face to face; models that change cluster: "
        + (", ".join(names[model] for model, _, _ in found.changed) or "none"),
        grown.tree.snapshot,
    )
    st.caption(
        "Each line goes from a model to itself in the other tree; it is thick and dashed where "
        "the model changes cluster. Letters in brackets are the clusters.",
        help="Branches of the right tree are turned so that lines cross little. Entanglement "
        f"{found.entanglement:.2f}: 0 where no two lines cross, 1 where one order is the other "
        "reversed.",
    )


def _tables(found: Agreement, names: dict[str, str], titles: tuple[str, str], grown: Grown) -> None:
    left, right = st.columns(2)
    with left:
        _sides(found, titles, grown)
    with right:
        _changed(found, names, titles, grown)


def _sides(found: Agreement, titles: tuple[str, str], grown: Grown) -> None:
    st.subheader("How many models on which side")
    frame = pd.DataFrame(
        {titles[0]: [f"cluster {name}" for name in found.names_a]}
        | {f"{name} in {titles[1]}": found.table[:, j] for j, name in enumerate(found.names_b)}
    )
    table(
        frame,
        "sides",
        f"Clusters of {titles[0]} and {titles[1]}",
        grown.tree.snapshot,
        columns={
            column: st.column_config.Column(f"{name} there", width="small")
            for column, name in zip(frame.columns[1:], found.names_b, strict=True)
        },
    )
    st.caption(f"There: in {plain(titles[1])}.")


def _changed(
    found: Agreement, names: dict[str, str], titles: tuple[str, str], grown: Grown
) -> None:
    st.subheader("Models that change cluster")
    if not found.changed:
        st.caption("None.")
        return
    table(
        pd.DataFrame(
            {
                "Model": [names[model] for model, _, _ in found.changed],
                titles[0]: [a for _, a, _ in found.changed],
                titles[1]: [b for _, _, b in found.changed],
            }
        ),
        "changes-of-cluster",
        f"Models that change cluster between {titles[0]} and {titles[1]}",
        grown.tree.snapshot,
    )


def _side_by_side(
    store: Store, trees: tuple[Taxonomy, Taxonomy], titles: tuple[str, str], paper_colours: bool
) -> None:
    st.subheader("Both trees with their scores")
    for place, tree, title in zip(st.columns(2), trees, titles, strict=True):
        with place:
            st.caption(plain(title))
            models = [data.model(store, model) for model in tree.models]
            vega_lite_chart(
                spec=dendrogram_over_heatmap(tree, models, paper_colours=paper_colours),
                width="stretch",
                alt=f"Tree of {len(models)} models over their scores, {title}",
            )
