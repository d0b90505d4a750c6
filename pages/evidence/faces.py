"""Two trees of the same models face to face: who changes side, and how far they agree."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import streamlit as st

from core.answers import data, taxonomies
from core.charts.trees import MOST_MODELS, dendrogram_over_heatmap, tanglegram
from core.domain import BadRequestError, Selection, Taxonomy
from core.evidence.store import Store
from core.sharing import wording
from core.sharing.link import PROTOCOLS, Opened
from core.statistics.clusters import Agreement
from pages.components.blocks import choose, figure, table, vega_lite_chart
from pages.components.notices import plain
from pages.evidence.tree_controls import Grown, Growth

_ARI_HELP = (
    "The adjusted Rand index: 1 means that both trees split the models alike, about 0 that they "
    "agree no better than chance."
)


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
        listed = wording.list_of([plain(names[model]) for model, _, _ in found.changed])
        sides = f"{listed} change{'s' if len(found.changed) == 1 else ''} cluster"
    else:
        sides = f"{len(found.changed)} models change cluster"
    st.markdown(
        f"**{sides}** between {plain(titles[0])} and {plain(titles[1])}, of {n} models that both "
        f"trees have. The two splits agree to {found.adjusted_rand:.2f} (adjusted Rand index).",
        help=_ARI_HELP,
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
