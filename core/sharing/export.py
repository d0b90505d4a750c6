"""Results as flat records and CSV that spreadsheets open alike, with their provenance."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from core.domain import Shortlist, ShortlistRow, Snapshot
    from core.procurement.recommendation import Recommendation

Cell = str | int | float | None

COLUMNS = (
    *("rank", "rank_band_first", "rank_band_last", "rank_all", "model", "name", "developer"),
    "decision",
    *("score", "ci_low", "ci_high", "interval_basis", "n_benchmarks", "n_missing", "missing"),
    *("params_b", "access", "licence"),
    *("monthly_cost_usd", "monthly_cost_low", "monthly_cost_high", "cost_is", "cost_from"),
    *("price_provider", "price_as_of", "price_source"),
    *("from_whom", "conditions_status", "conditions", "on_sale", "on_sale_until"),
    *("severe_harm_share", "severe_errors_per_100", "harm_rank", "harm_marked"),
    *("cluster", "held_against", "tier", "verdict", "basis", "margin"),
    *("difference", "difference_ci_low", "difference_ci_high"),
    *("other_basis", "other_tier", "other_ci_low", "other_ci_high", "vetoes"),
    *("reasons", "questions", "run"),
    *("suite", "snapshot", "as_of", "retrieved_at", "link"),
)
"""The columns of the CSV in their order; the last five say where the row comes from.

The link, which is long, stands in the first row only: it is the same for all of them.
"""

VERDICTS = {
    "shown": "equivalent",
    "likely": "equivalent",
    "open": "cannot tell",
    "worse": "worse",
}
"""The one word for a tier that earlier files had."""
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def records(shortlist: Shortlist, link: str, found: Recommendation) -> list[dict[str, Cell]]:
    """Return one flat record per row, in the order of the shortlist, with ``COLUMNS`` in theirs.

    Scores and differences are on the 0 to 1 scale, money is US dollars a month, sizes are
    billions of parameters. ``None`` means not known: it is never 0.

    Parameters
    ----------
    shortlist
    link
        What shows it, told once: in the first record.
    found
        What is recommended of it, without a model in use.
    """
    suites = "; ".join(s.suite for s in shortlist.snapshots)
    provenance: dict[str, Cell] = {
        "suite": suites,
        "snapshot": "; ".join(f"{s.revision} {s.sha256[:12]}" for s in shortlist.snapshots),
        "as_of": "; ".join(s.as_of or "not published" for s in shortlist.snapshots),
        "retrieved_at": "; ".join(s.retrieved_at for s in shortlist.snapshots),
    }
    decisions = decisions_of(found)
    unordered = (
        _record(row)
        | _against_leader(row, found)
        | {"decision": decisions.get(row.model.id)}
        | provenance
        | {"link": None if i else link}
        for i, row in enumerate(shortlist.rows)
    )
    return [{column: record[column] for column in COLUMNS} for record in unordered]


def decisions_of(found: Recommendation) -> dict[str, str]:
    """Return what is decided on each model of a recommendation, in a word or two."""
    said = {
        "take": [found.take] if found.take else [],
        "as good": found.as_good,
        "worth a test": found.worth_testing,
        "step down": [found.step_down] if found.step_down else [],
    }
    return {each.model.id: words for words, several in said.items() for each in several}


def _record(row: ShortlistRow) -> dict[str, Cell]:
    band, price, cost = row.rank_band, row.bill.price if row.bill else None, row.cost
    return {
        "rank": row.rank,
        "rank_band_first": band[0] if band else None,
        "rank_band_last": band[1] if band else None,
        "rank_all": row.rank_all,
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
        "monthly_cost_usd": cost.likely,
        "monthly_cost_low": cost.low,
        "monthly_cost_high": cost.high,
        "cost_is": cost.cost_is,
        "cost_from": cost.from_whom or None,
        "price_provider": price.provider_name if price else None,
        "price_as_of": price.as_of if price else None,
        "price_source": price.source if price else None,
        "from_whom": row.routes[0].platform if row.routes else None,
        "conditions_status": row.routes[0].status if row.routes else None,
        "conditions": " ".join(row.conditions) or None,
        "on_sale": row.sale.words if row.sale else None,
        "on_sale_until": (row.sale.until or None) if row.sale else None,
        "cluster": row.cluster,
        "reasons": " ".join(row.reasons),
        "questions": " ".join(row.questions) or None,
        "run": row.run,
    }


def _against_leader(row: ShortlistRow, found: Recommendation) -> dict[str, Cell]:
    judged, safety = found.judged.get(row.model.id), found.safety.get(row.model.id)
    gap = judged.difference if judged else None
    other = gap.intervals[1] if gap and len(gap.intervals) > 1 else None
    return {
        "severe_harm_share": safety.share if safety else None,
        "severe_errors_per_100": safety.severe_errors_per_100 if safety else None,
        "harm_rank": safety.rank if safety else None,
        "harm_marked": ("yes" if safety.marked else "no") if safety else None,
        "held_against": found.leader.model.id if judged and found.leader else None,
        "tier": judged.tier if judged else None,
        "verdict": VERDICTS[judged.tier] if judged else None,
        "basis": gap.basis if gap else None,
        "margin": found.requirements.margin if judged else None,
        "difference": gap.difference if gap else None,
        "difference_ci_low": gap.ci_low if gap else None,
        "difference_ci_high": gap.ci_high if gap else None,
        "other_basis": other.basis if other else None,
        "other_tier": judged.other_tier if judged and other else None,
        "other_ci_low": other.ci_low if other else None,
        "other_ci_high": other.ci_high if other else None,
        "vetoes": ("; ".join(judged.vetoes) or None) if judged else None,
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
