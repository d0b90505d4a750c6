"""Columns that the tables of several entries share: how they are drawn."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
import streamlit as st

from core.answers import data
from core.answers.remembering import remembered
from core.domain import Selection, Shortlist, Snapshot
from core.evidence.store import Store

_COLUMN = st.column_config
SHORTLIST_COLUMNS = {
    "Place": _COLUMN.NumberColumn(help="Among those that fit, by score. Empty where not ranked."),
    "Overall": _COLUMN.NumberColumn(help="Place among all with scores, whether or not they fit."),
    "May be": _COLUMN.TextColumn(
        help="The places that the data allow among those that fit (95 % confidence)."
    ),
    "Model": _COLUMN.TextColumn(width="medium"),
    "Decision": _COLUMN.TextColumn(
        help="Take: the cheapest of the best and all as good. Worth a test: cheaper, and the data "
        "cannot tell. Step down: worse, at half the cost."
    ),
    "Score": _COLUMN.NumberColumn(
        format="%.1f",
        help="Weighted mean of the benchmark scores, each put on a scale from 0 to 100.",
    ),
    "From": _COLUMN.NumberColumn(
        format="%.1f", help="Lower end of the 95 % interval of the score."
    ),
    "To": _COLUMN.NumberColumn(format="%.1f", help="Upper end of the 95 % interval of the score."),
    "Cost, $ a month": _COLUMN.NumberColumn(
        format="%.0f",
        help="Likely cost of the stated work, US dollars. Not known is not free.",
    ),
    "Cost from": _COLUMN.TextColumn(help="The provider of that price, or the servers it takes."),
    "As good as the first?": _COLUMN.TextColumn(
        help="Within your margin. Shown: worse by the margin is rejected for the whole list "
        "together; likely: for this pair alone; worse: the whole interval is below; open: the "
        "data cannot tell, or a veto holds it back."
    ),
    "Difference, points": _COLUMN.TextColumn(
        help="This score minus that of the first, with the 95 % interval of this pair."
    ),
    "Severe harm, %": _COLUMN.NumberColumn(
        format="%.1f", help="Cases with severe harm in NOHARM. Empty: never tested for harm."
    ),
    "On sale": _COLUMN.TextColumn(width="medium", help="Until when, and where."),
    "Tests": _COLUMN.NumberColumn(help="Benchmarks behind the score."),
    "Missing": _COLUMN.NumberColumn(help="Benchmarks of the task never run on this model."),
    "Size, B": _COLUMN.NumberColumn(
        format="%.1f", width=90, help="Billions of parameters, the stand-in for cost."
    ),
    "Cluster": _COLUMN.TextColumn(
        help="Models that perform alike over the whole suite: H the higher, L the lower."
    ),
    "From whom": _COLUMN.TextColumn(
        help="The platform of the bill, else the one that meets your conditions best."
    ),
    "Conditions": _COLUMN.TextColumn(
        help="Whether that way to get the model meets your conditions of purchase. Open means "
        "that nobody says: ask before you buy."
    ),
}


def why_not(found: Shortlist, known: Mapping[str, str]) -> pd.DataFrame:
    """Return why no ranks can be compared: each model with what keeps it out, or that it stays."""
    rows = [
        (row.model.name, "ranked, but alone" if row.rank else f"lacks {len(row.missing)} of them")
        for row in found.rows
    ]
    rows += [
        (known.get(out.model, out.model), out.reason)
        for rule in found.exclusions
        for out in rule.models
    ]
    return pd.DataFrame(rows, columns=["Model", "Why"])


@remembered(maxsize=2)
def flagged(store: Store) -> pd.DataFrame:
    """Return the runs of every snapshot that do not look plausible, with what was seen."""
    flags = [
        flag
        for snapshot, protocol in _asked(store)
        for flag in data.flags(
            store, Selection(snapshot.suite, protocol=protocol, revision=snapshot.revision)
        )
    ]
    return pd.DataFrame(
        {
            "Model": [data.model(store, flag.model).name for flag in flags],
            "Why": [flag.rule for flag in flags],
            "What was seen": [flag.detail for flag in flags],
            "Suite": [store.catalogue.suites[flag.suite].name for flag in flags],
            "Run": [flag.run for flag in flags],
        }
    )


@remembered(maxsize=2)
def made_otherwise(store: Store) -> pd.DataFrame:
    """Return the runs of every snapshot that were not made as the others of their suite were."""
    rows = [
        (
            data.model(store, made.model).name,
            made.label,
            store.catalogue.suites[made.suite].name,
            made.run,
        )
        for snapshot, protocol in _asked(store)
        for made in store.provenance(snapshot, protocol)
    ]
    return pd.DataFrame(rows, columns=["Model", "How", "Suite", "Run"])


def _asked(store: Store) -> list[tuple[Snapshot, str]]:
    """Return each snapshot with each way in which its suite asked."""
    return [
        (snapshot, protocol)
        for snapshot in store.snapshots
        for protocol in store.catalogue.suites[snapshot.suite].protocols or ("",)
    ]


def why_not(found: Shortlist, known: Mapping[str, str]) -> pd.DataFrame:
    """Return why no ranks can be compared: each model with what keeps it out, or that it stays."""
    rows = [
        (row.model.name, "ranked, but alone" if row.rank else f"lacks {len(row.missing)} of them")
        for row in found.rows
    ]
    rows += [
        (known.get(out.model, out.model), out.reason)
        for rule in found.exclusions
        for out in rule.models
    ]
    return pd.DataFrame(rows, columns=["Model", "Why"])
