"""Columns that tables of several entries share, and tables that are remembered by their store."""

from __future__ import annotations

import csv
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

import pandas as pd
import pyarrow as pa
import streamlit as st

from core.answers import data
from core.domain import Dossier, Requirements, RouteVerdict, Selection, Shortlist, Snapshot
from core.evidence.store import Store
from core.memory import Same, remembered
from core.words.figures import UNKNOWN, cost_from
from core.words.shortlist import check_in_words, questions, sale_in_words, why_left_out
from pages.components.recommendation import CONDITIONS

_KINDS = {
    "number": st.column_config.NumberColumn,
    "text": st.column_config.TextColumn,
    "datetime": st.column_config.DatetimeColumn,
    "link": st.column_config.LinkColumn,
}


def _read(path: Path) -> dict[tuple[str, str], dict[str, object]]:
    """Return the settings by table and column."""
    found = {}
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            said: dict[str, object] = {k: row[k] for k in ("format", "help", "label") if row[k]}
            if width := row["width"]:
                said["width"] = int(width) if width.isdecimal() else width
            if row["pinned"]:
                said["pinned"] = True
            found[row["table"], row["column"]] = _KINDS[row["kind"]](**said)
    return found


COLUMNS = _read(Path(__file__).with_name("columns.csv"))


def held(table: str) -> str | None:
    """Return what a table holds, where the file says it."""
    return COLUMNS.get((table, ""), {}).get("help")


def config(
    table: str, columns: Collection[str], own: Mapping[str, object] | None = None
) -> dict[str, object]:
    """Return how the columns of a table are drawn.

    Parameters
    ----------
    table
        Its name in the file.
    columns
        The columns that it has.
    own
        What only the drawn table can say of a column: a whole setting, or the format alone.
    """
    found = {}
    for name in columns:
        if known := COLUMNS.get((table, name)) or COLUMNS.get(("", name)):
            found[name] = known
    for name, said in (own or {}).items():
        if name not in columns:
            continue
        if isinstance(said, str):
            before = found.get(name) or _KINDS["number"]()
            said = {**before, "type_config": {"type": "number", "format": said}}  # noqa: PLW2901
        found[name] = said
    return found


STATUS = {
    "passes": "meets",
    "conditional": "on a condition",
    "open": "open questions",
    "fails": "fails",
}
_SOURCES = {
    "vendor": "vendor's own page",
    "vendor_forum": "vendor's forum",
    "third_party": "third party",
    "catalogue": "catalogue of models",
    "own": "your own",
}


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


# A result is one object for as long as it is remembered. Straight to what is sent: thousands of
# rows take a third of the time of a data frame. The margin, which people try out most, leaves the
# rows as they are.
@remembered(maxsize=16)
def shortlist_rows(store: Store, one: Same[tuple[Dossier, ...]], asked: Requirements) -> pa.Table:
    """Return what a shortlist shows of its rows; no margin is asked. Points are out of 100."""
    rows = one.it
    return pa.table(
        {
            "Model": [row.model.name for row in rows],
            "Place": pa.array([row.rank for row in rows], pa.int64()),
            "Overall": pa.array([row.rank_all for row in rows], pa.int64()),
            "May be": [band(row.rank_band) for row in rows],
            "Score": _points_of([row.score for row in rows]),
            "From": _points_of([row.ci_low for row in rows]),
            "To": _points_of([row.ci_high for row in rows]),
            "Cost, $ a month": pa.array([row.cost.likely for row in rows], pa.float64()),
            "Cost from": [cost_from(row.cost) for row in rows],
            **(
                {"On sale": [sale_in_words(row.sale) if row.sale else UNKNOWN for row in rows]}
                if any(row.sale for row in rows)
                else {}
            ),
            "Size, B": pa.array([row.model.params_b for row in rows], pa.float64()),
            "Tests": [row.n_benchmarks for row in rows],
            "Missing": [len(row.missing) for row in rows],
            "Cluster": [row.cluster or "none" for row in rows],
            "Conditions": [_conditions(row, asked) for row in rows],
            **(
                {"From whom": [r.routes[0].platform if r.routes else UNKNOWN for r in rows]}
                if any(row.routes for row in rows)
                else {}
            ),
            "Developer": [row.model.developer or UNKNOWN for row in rows],
            "Licence": [row.model.licence or UNKNOWN for row in rows],
        }
    )


def _conditions(row: Dossier, asked: Requirements) -> str:
    """Say whether the conditions are met, where there are any, and how much is to be asked."""
    said = [CONDITIONS[row.routes[0].status]] if row.routes else []
    if n_asked := len(questions(row, asked)):
        said.append(f"{n_asked} to ask")
    return ", ".join(said) or "nothing open"


def band(rank_band: tuple[int, int] | None) -> str:
    """Write the places that a model may have."""
    if rank_band is None:
        return "not ranked"
    first, last = rank_band
    return str(first) if first == last else f"{first} to {last}"


def _points_of(shares: Sequence[float | None]) -> pa.Array:
    points = [None if share is None else share * 100 for share in shares]
    return pa.array(points, pa.float64(), from_pandas=True)


def why_not(found: Shortlist) -> pd.DataFrame:
    """Return why no ranks can be compared: each model with what keeps it out, or that it stays."""
    rows = [
        (row.model.name, "ranked, but alone" if row.rank else f"lacks {len(row.missing)} of them")
        for row in found.rows
    ]
    rows += [(out.name, why_left_out(out)) for out in found.left_out]
    return pd.DataFrame(rows, columns=["Model", "Why"])


def ways(verdicts: Sequence[RouteVerdict]) -> pd.DataFrame:
    """Return one row per way to get a model and condition, with the source of the answer."""
    checks = [(way, check) for way in verdicts for check in way.checks]
    return pd.DataFrame(
        {
            "Platform": [way.platform for way, _ in checks],
            "Condition": [check.name for _, check in checks],
            "Stands": [STATUS[check.status] for _, check in checks],
            "Answer": [
                " ".join(filter(None, (check_in_words(check), verdict.note)))
                for verdict, check in checks
            ],
            "Source": [check.source_url for _, check in checks],
            "Kind of source": [source_kind(check.source_kind) for _, check in checks],
            "As of": [check.as_of for _, check in checks],
        }
    )


def source_kind(kind: str) -> str:
    """Write the kind of a source in words."""
    return _SOURCES.get(kind, kind)
