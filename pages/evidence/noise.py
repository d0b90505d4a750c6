"""Which differences a benchmark is too small to see."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core.answers import data, evidence
from core.domain import Selection
from core.evidence.store import Store
from core.statistics.coverage import Detectable
from pages.components import wording
from pages.components.blocks import table
from pages.components.notices import plain
from pages.evidence.sections import numbers

_VERDICTS = {None: "cannot tell", True: "noise", False: "more than noise"}
_POINTS = {
    "First two apart": "Best score minus the next, points out of 100.",
    "Can detect": "Smallest difference from a model at 50 points that this number of questions "
    "can tell apart, points out of 100.",
    "At the median": "The same from a model at the median score.",
    "Best over median": "Best score minus the median of all models, points out of 100.",
}
_COLUMNS = {
    name: st.column_config.NumberColumn(format="%.1f", help=text) for name, text in _POINTS.items()
} | {
    "Why not": st.column_config.TextColumn(width="large", help="Why the verdict cannot be told."),
    "Items": st.column_config.NumberColumn(width=90, help="Questions or texts, where published."),
}


def in_words(store: Store, selection: Selection) -> str:
    """Say on how many benchmarks the lead of the first model is noise."""
    suite = plain(store.catalogue.suites[selection.suite].name)
    judged = [row for row in evidence.detectable(store, selection) if row.noise is not None]
    if not judged:
        return (
            f"**For no benchmark of {suite} can it be said whether a lead is noise.** It takes two "
            "models, a score that is a share of questions right, and a published number of "
            "questions."
        )
    noisy = sum(row.noise is True for row in judged)
    return (
        f"**On {noisy} of {wording.counted(len(judged), 'benchmark')} of {suite} the gap between "
        "the first two models is noise**: smaller than what the number of questions can tell apart."
    )


def draw(store: Store, selection: Selection) -> None:
    """List the gap between the first two models beside what each benchmark can detect."""
    suite = store.catalogue.suites[selection.suite].name
    rows = evidence.detectable(store, selection)
    matrix = data.matrix(store, selection)
    by_id = {benchmark.id: benchmark for benchmark in matrix.benchmarks}
    table(
        pd.DataFrame(
            {
                "Benchmark": [by_id[row.benchmark].name for row in rows],
                "First two apart": numbers((row.first_minus_second for row in rows), times=100),
                "Can detect": numbers((row.smallest for row in rows), times=100),
                "Verdict": [_VERDICTS[row.noise] for row in rows],
                "At the median": numbers((row.smallest_at_median for row in rows), times=100),
                "Best over median": numbers((row.best_minus_median for row in rows), times=100),
                "Items": pd.array([row.n_items for row in rows], dtype="Int64"),
                "Models": [row.n_models for row in rows],
                "Kind of work": [by_id[row.benchmark].subcategory for row in rows],
                "Why not": [_why(row) for row in rows],
            }
        ),
        name="detectable",
        title=f"{suite}: what each benchmark can tell apart, points out of 100",
        snapshot=matrix.snapshot,
        columns=_COLUMNS,
        alt="Per benchmark, the gap between the first two models and the smallest detectable "
        "difference, points out of 100",
    )
    st.caption(
        "Noise: the first two lie closer than what can be detected. It does not mean that they are "
        "the same."
    )


def _why(row: Detectable) -> str:
    """Say why nothing can be said of a benchmark; empty where something can."""
    if row.noise is not None:
        return ""
    return row.reason or "fewer than two models"
