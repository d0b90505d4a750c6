"""What happened to the evidence: what is flagged, what changed."""

from collections.abc import Callable

import pandas as pd
import streamlit as st

from core import figures
from core.answers import data
from core.answers.asked import Asked
from core.domain import Changes, FactList
from core.evidence.store import Store
from core.sources.lists import SOURCES
from pages.components.blocks import how_made, table


def draw(asked: Asked) -> None:
    """Draw the tab."""
    store = asked.store
    _flagged(store)
    _changed(store)
    how_made("Plausibility of a run", "Changes between two snapshots", key="upkeep")


def _flagged(store: Store) -> None:
    st.subheader("Flagged runs")
    suites = store.catalogue.suites
    rows = [
        (data.model(store, it.model).name, it.rule, it.detail, suites[it.suite].name, it.run)
        for it in data.flags(store)
    ]
    frame = pd.DataFrame(rows, columns=["Model", "Why", "What was seen", "Suite", "Run"])
    if frame.empty:
        st.info("No run is flagged.")
        return
    n_runs = figures.counted(len(frame[["Suite", "Run"]].drop_duplicates()), "run")
    st.markdown(
        f"**{n_runs} {'is' if n_runs.startswith('1 ') else 'are'} flagged: the scores, or how they "
        "were made, look unusual.** A flag is a hint, not a verdict. Flagged runs stay out of "
        "every figure unless you bring them in.",
        help="Questions seen in training are noticed only where they lift some benchmarks "
        "more than others: a run that is inflated evenly looks like a better model, and has no "
        "flag.",
    )
    table(frame, "flagged-runs", "Flagged runs")


def _changed(store: Store) -> None:
    st.subheader("What changed")
    every = {suite.name: store.of_suite(suite.id) for suite in store.catalogue.suites.values()} | {
        source.title: data.of_list(store, name) for name, source in SOURCES.items()
    }
    several = {name: loaded for name, loaded in every.items() if len(loaded) > 1}
    if not several:
        st.caption(
            "There is one snapshot of each suite and of each public list. After a renewal, what "
            "changed is listed here."
        )
        return
    name = st.selectbox(
        "Suite or list to compare", list(several), key="changed", bind="query-params"
    )
    newest, *older = several[name]
    revisions = [snapshot.revision for snapshot in older]
    before = st.selectbox(
        f"Compare {newest.revision} with", revisions, key="changed_from", bind="query-params"
    )
    if isinstance(newest, FactList):
        snapshot, found = None, data.list_changes(store, newest.list, before, newest.revision)
    else:
        snapshot, found = newest, data.changes(store, newest.suite, before, newest.revision)
    one = "model" if snapshot else "row"
    kinds = pd.Series([change.what for change in found.changes], dtype="str").value_counts()
    st.markdown(
        f"{figures.counted(len(found.new_models), f'new {one}')}, "
        f"{figures.counted(len(found.gone_models), one)} gone, "
        + (", ".join(figures.counted(n, str(what)) for what, n in kinds.items()) or "nothing else")
        + " changed."
    )
    frame = _frame(found, (lambda model: data.model(store, model).name) if snapshot else str)
    # Of a list thousands of rows may change: shown are those of products here, the file has all.
    shown = frame if snapshot else frame[frame["Of"] != ""]
    table(shown, "changes", f"Changes of {name}", snapshot, file=frame, placeholder="none")


def _frame(found: Changes, named: Callable[[str], str]) -> pd.DataFrame:
    came = [(model, "new model", "", None, None) for model in found.new_models]
    went = [(model, "model gone", "", None, None) for model in found.gone_models]
    moved = [(c.model, c.what, c.item, c.before, c.after) for c in found.changes]
    rows = [
        (named(model), what, of, _shown(before), _shown(after))
        for model, what, of, before, after in (*came, *went, *moved)
    ]
    return pd.DataFrame(rows, columns=["Model", "What", "Of", "Before", "After"])


def _shown(value: object) -> object:
    if value is None:
        return ""
    return f"{value:.4g}" if isinstance(value, float) else value
