"""Results as flat records and CSV that spreadsheets open alike, with their provenance."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

from core.procurement.equivalents import equivalent_of
from core.procurement.reasons import with_equivalent

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from core.domain import Equivalent, Shortlist, ShortlistRow, Snapshot

Cell = str | int | float | None

COLUMNS = (
    *("rank", "rank_band_first", "rank_band_last", "model", "name", "developer"),
    *("score", "ci_low", "ci_high", "interval_basis", "n_benchmarks", "n_missing", "missing"),
    *("params_b", "access", "licence"),
    *("monthly_cost_usd", "price_provider", "price_as_of", "price_source"),
    *("from_whom", "conditions_status", "conditions"),
    *("cluster", "equivalent", "equivalent_verdict", "equivalent_margin"),
    *("equivalent_difference", "equivalent_ci_low", "equivalent_ci_high", "equivalent_cheaper_by"),
    *("equivalent_saving_share", "reasons", "questions", "run"),
    *("suite", "snapshot", "as_of", "retrieved_at", "link"),
)
"""The columns of the CSV in their order; the last five say where the row comes from."""

_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def records(shortlist: Shortlist, link: str) -> list[dict[str, Cell]]:
    """Return one flat record per row, in the order of the shortlist.

    Scores and differences are on the 0 to 1 scale, money is US dollars a month, sizes are
    billions of parameters. ``None`` means not known: it is never 0.
    """
    suites = "; ".join(s.suite for s in shortlist.snapshots)
    provenance: dict[str, Cell] = {
        "suite": suites,
        "snapshot": "; ".join(f"{s.revision} {s.sha256[:12]}" for s in shortlist.snapshots),
        "as_of": "; ".join(s.as_of or "not published" for s in shortlist.snapshots),
        "retrieved_at": "; ".join(s.retrieved_at for s in shortlist.snapshots),
        "link": link,
    }
    margin = shortlist.requirements.margin
    return [
        _record(row, equivalent_of(shortlist.equivalents, row.model.id), margin) | provenance
        for row in shortlist.rows
    ]


def _record(row: ShortlistRow, other: Equivalent | None, margin: float) -> dict[str, Cell]:
    band, price = row.rank_band, row.bill.price if row.bill else None
    gap = other.difference if other else None
    return {
        "rank": row.rank,
        "rank_band_first": band[0] if band else None,
        "rank_band_last": band[1] if band else None,
        "model": row.model.id,
        "name": row.model.name,
        "developer": row.model.developer or None,
        "score": row.score,
        "ci_low": row.ci_low,
        "ci_high": row.ci_high,
        "interval_basis": row.interval_basis,
        "n_benchmarks": row.n_benchmarks,
        "n_missing": len(row.missing),
        "missing": "; ".join(row.missing) or None,
        "params_b": row.model.params_b,
        "access": row.model.access,
        "licence": row.model.licence or None,
        "monthly_cost_usd": row.bill.monthly_usd if row.bill else None,
        "price_provider": price.provider_name if price else None,
        "price_as_of": price.as_of if price else None,
        "price_source": price.source if price else None,
        "from_whom": row.routes[0].platform if row.routes else None,
        "conditions_status": row.routes[0].status if row.routes else None,
        "conditions": " ".join(row.conditions) or None,
        "cluster": row.cluster,
        "equivalent": other.model if other else None,
        "equivalent_verdict": other.verdict if other else None,
        "equivalent_margin": margin if other else None,
        "equivalent_difference": gap.difference if gap else None,
        "equivalent_ci_low": gap.ci_low if gap else None,
        "equivalent_ci_high": gap.ci_high if gap else None,
        "equivalent_cheaper_by": other.cheaper_by if other else None,
        "equivalent_saving_share": other.saving_share if other else None,
        "reasons": " ".join(with_equivalent(row, other)),
        "questions": " ".join(row.questions) or None,
        "run": row.run,
    }


def to_csv(rows: Sequence[dict[str, Cell]], columns: Sequence[str] = COLUMNS) -> bytes:
    """Write records, by default those of a shortlist, as CSV that spreadsheets and pandas read.

    UTF-8 with a byte order mark, which Excel needs. A text that a spreadsheet would run as a
    formula gets an apostrophe in front; numbers keep their sign. Unknown cells are empty. A
    shortlist without rows still has its header.
    """
    return _written(columns, [[row[column] for column in columns] for row in rows])


def table_csv(frame: pd.DataFrame, source: str) -> bytes:
    """Write a table as it stands on a page, in the manner of ``to_csv``.

    Missing cells are empty. A last column says where the figures come from.
    """
    cells = frame.astype(object).where(frame.notna(), None)
    return _written(
        (*map(str, frame.columns), "Source"),
        [[*row, source] for row in cells.itertuples(index=False, name=None)],
    )


def source_line(snapshot: Snapshot | None) -> str:
    """Name the evidence behind a table or a picture in one line."""
    if snapshot is None:
        return "LLM Formulary"
    return (
        f"{snapshot.suite} {snapshot.revision}, as of {snapshot.as_of or 'an unpublished day'}, "
        f"retrieved {snapshot.retrieved_at}, sha256 {snapshot.sha256[:12]}, {snapshot.source_url}"
    )


def _written(header: Sequence[str], rows: Sequence[Sequence[Cell]]) -> bytes:
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow([neutral(name) for name in header])
    writer.writerows([[neutral(value) for value in row] for row in rows])
    return text.getvalue().encode("utf-8-sig")


def neutral(value: Cell) -> Cell:
    """Return a cell that no spreadsheet runs as a formula; numbers are left as they are."""
    if isinstance(value, str) and value.startswith(_FORMULA_STARTS):
        return f"'{value}"
    return "" if value is None else value
