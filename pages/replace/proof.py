"""The proof for one candidate against the model in use: every test of every suite that counts."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date

import pandas as pd
import streamlit as st

from core.answers import replacing
from core.charts.intervals import benchmark_gaps
from core.domain import Model, Requirements
from core.evidence.store import Store
from core.statistics.difference import Pair, SideBySide
from core.words import figures
from pages.components.blocks import figure, table
from pages.components.downloads import downloads
from pages.components.notices import own_choice, plain
from pages.replace import pairs


def draw(
    store: Store,
    requirements: Requirements,
    suites: tuple[str, ...],
    model: Model,
    labels: Mapping[str, str],
    *,
    by_task: bool,
    on: date,
) -> None:
    """Draw one of the candidates against the model, test by test; at first the one named.

    Parameters
    ----------
    labels
        The candidates' names by their ids, the best first.
    """
    st.subheader("Proof")
    candidate = _chosen(labels, model)
    with st.spinner("Comparing the two…"):
        found = replacing.replacement_proof(
            store, requirements, suites, model.id, candidate, on, by_task=by_task
        )
    names = {model.id: model.name, candidate: labels[candidate]}
    if model.name == labels[candidate]:
        names = {model.id: model.id, candidate: candidate}
    titles = [store.catalogue.suites[suite].name for suite in suites]
    for suite, title, compared in zip(suites, titles, found, strict=True):
        _suite(f"proof-{suite}", title, compared, names)
    downloads(
        "proof",
        title=f"Proof for {names[candidate]} in place of {names[model.id]}, all tests",
        snapshot=found[0].scores.snapshot,
        frame=pd.concat(
            [_figures(title, one, names) for title, one in zip(titles, found, strict=True)],
            ignore_index=True,
        ),
    )


def _chosen(labels: Mapping[str, str], model: Model) -> str:
    ids = {label: candidate for candidate, label in labels.items()}
    _begin_with(next(iter(ids)), ids, model)
    label = st.selectbox(
        "Proof for",
        list(ids),
        key="proof",
        bind="query-params",
        help="The best buy first; by the paper's rule the closest.",
    )
    return ids[label]


def _begin_with(first: str, candidates: Mapping[str, str], model: Model) -> None:
    """Choose the best candidate anew where the question has changed and the choice is moot."""
    before = st.session_state.get("proof_of")
    st.session_state["proof_of"] = (model.id, first)
    if before is None or before == (model.id, first):
        own_choice("proof", "The candidate", candidates, first)
        return
    # The address still has the candidate of the last question, which is no fault of a link.
    st.session_state.get("own_notes", {}).pop("proof", None)
    chosen = st.session_state.get("proof")
    if before[0] != model.id or chosen == before[1] or chosen not in candidates:
        st.session_state["proof"] = first


def _suite(key: str, title: str, compared: SideBySide, names: Mapping[str, str]) -> None:
    pair = compared.pairs[0]
    minus = f"{names[pair.model]} minus {names[pair.other]}"
    st.markdown(f"#### {plain(title)}")
    st.caption(f"{_held(pair)} Right of zero {plain(names[pair.model])} scores higher.")
    figure(
        benchmark_gaps(pair, compared.scores),
        key,
        f"{minus}, {title}, points",
        f"{minus} on {title}, points: {pairs.gaps_in_words(pair, compared)}",
        compared.scores.snapshot,
    )
    table(
        pairs.benchmarks(compared, names),
        key,
        f"The two models on every test of {title}, with the difference",
        placeholder="not measured",
        columns=pairs.benchmark_columns(compared, names),
        file=False,
    )


def _held(pair: Pair) -> str:
    """Say on how many tests the candidate is clearly better or worse."""
    if not pair.n_with_interval:
        return "No standard error is published, so no test has an interval of its own."
    return (
        f"Clearly better on {pair.n_ahead(clearly=True)} and clearly worse on "
        f"{pair.n_behind(clearly=True)} of {figures.counted(pair.n_shared, 'test')}, each looked "
        f"at for itself; {pair.n_with_interval} have an interval."
    )


def _figures(title: str, compared: SideBySide, names: Mapping[str, str]) -> pd.DataFrame:
    """Return every test of a suite for the file of the whole proof."""
    snapshot = compared.scores.snapshot
    frame = pairs.in_columns(compared, names)
    frame.insert(0, "Suite", title)
    frame["Snapshot"] = snapshot.revision if snapshot else ""
    return frame
