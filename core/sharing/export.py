"""Results as flat records and CSV that spreadsheets open alike, with their provenance."""

from __future__ import annotations

import csv
import io
import math
from dataclasses import asdict, astuple, fields
from typing import TYPE_CHECKING, Any

from core.domain import GateAnswer
from core.domain.patience import still_wanted
from core.procurement.test_worth import as_document

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from core.domain import FloatArray, ScoreMatrix, Shortlist, ShortlistRow, Snapshot
    from core.procurement.recommendation import Proposal, Recommendation
    from core.procurement.replacement import Judged
    from core.procurement.test_worth import TestWorth

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
    billions of parameters. ``None`` means not known: it is never 0. ``link`` shows the shortlist,
    and ``found`` is what is recommended of it without a model in use.
    """
    snapshots = shortlist.snapshots
    provenance: dict[str, Cell] = {
        "suite": "; ".join(s.suite for s in snapshots),
        "snapshot": "; ".join(f"{s.revision} {s.sha256[:12]}" for s in snapshots),
        "as_of": "; ".join(s.as_of or "not published" for s in snapshots),
        "retrieved_at": "; ".join(s.retrieved_at for s in snapshots),
    }
    decided = decisions_of(found)
    listed = [
        _record(row, found) | {"decision": decided.get(row.model.id)} | provenance
        for row in shortlist.rows
    ]
    for record in listed[:1]:
        record["link"] = link
    return listed


def decisions(found: Recommendation) -> list[tuple[str, Proposal]]:
    """Return what is decided on each model of a recommendation, in a word or two; best first.

    Of several to choose between, the first is the one of caution.
    """
    first = [("take", found.take)] if found.take else []
    if found.choose:
        chosen = sorted(found.choose, key=lambda each: each != found.take)
        first = [("choose first" if each == found.take else "choose", each) for each in chosen]
    return [
        *first,
        *(("test first" if n == 0 else "test", each) for n, each in enumerate(found.test_these)),
        *(("as good", each) for each in found.as_good),
        *(("worth a test", each) for each in found.worth_testing),
        *([("step down", found.step_down)] if found.step_down else []),
    ]


def decisions_of(found: Recommendation) -> dict[str, str]:
    """Return what is decided on each model, by its id."""
    return {each.model.id: words for words, each in decisions(found)}


def picked(result: object, *names: str) -> dict[str, Any]:
    """Return some fields of a result by their names."""
    return {name: getattr(result, name) for name in names}


def _record(row: ShortlistRow, found: Recommendation) -> dict[str, Cell]:
    """Return what is known of one row; other columns stay ``None``."""
    model, cost = row.model, row.cost
    record = dict.fromkeys(COLUMNS) | {
        "rank": row.rank,
        "rank_all": row.rank_all,
        "model": model.id,
        "name": model.name,
        "developer": model.developer or None,
        "score": row.score,
        "ci_low": row.ci_low,
        "ci_high": row.ci_high,
        "interval_basis": row.interval_basis,
        "n_benchmarks": row.n_benchmarks,
        "n_missing": len(row.missing),
        "missing": "; ".join(row.missing) or None,
        "params_b": model.params_b,
        "access": model.access,
        "licence": model.licence or None,
        "monthly_cost_usd": cost.likely,
        "monthly_cost_low": cost.low,
        "monthly_cost_high": cost.high,
        "cost_is": cost.cost_is,
        "cost_from": cost.from_whom or None,
        "conditions": " ".join(row.conditions) or None,
        "cluster": row.cluster,
        "reasons": " ".join(row.reasons),
        "questions": " ".join(row.questions) or None,
        "run": row.run,
    }
    if row.rank_band:
        record["rank_band_first"], record["rank_band_last"] = row.rank_band
    if row.bill:
        price = row.bill.price
        record["price_provider"] = price.provider_name
        record["price_as_of"], record["price_source"] = price.as_of, price.source
    if row.routes:
        best = row.routes[0]
        record["from_whom"], record["conditions_status"] = best.platform, best.status
    if row.sale:
        record["on_sale"], record["on_sale_until"] = row.sale.words, row.sale.until or None
    if safety := found.safety.get(model.id):
        record |= {
            "severe_harm_share": safety.share,
            "severe_errors_per_100": safety.severe_errors_per_100,
            "harm_rank": safety.rank,
            "harm_marked": "yes" if safety.marked else "no",
        }
    if judged := found.judged.get(model.id):
        record |= _judged(judged, found)
    return record


def _judged(judged: Judged, found: Recommendation) -> dict[str, Cell]:
    """Return how a model stands to the leader."""
    gap = judged.difference
    told: dict[str, Cell] = {
        "held_against": found.leader.model.id if found.leader else None,
        "tier": judged.tier,
        "verdict": VERDICTS[judged.tier],
        "basis": gap.basis,
        "margin": found.requirements.margin,
        "difference": gap.difference,
        "difference_ci_low": gap.ci_low,
        "difference_ci_high": gap.ci_high,
        "vetoes": "; ".join(judged.vetoes) or None,
    }
    if len(gap.intervals) > 1:
        other = gap.intervals[1]
        told |= {"other_basis": other.basis, "other_tier": judged.other_tier}
        told |= {"other_ci_low": other.ci_low, "other_ci_high": other.ci_high}
    return told


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


def gates_csv(answers: Sequence[GateAnswer]) -> bytes:
    """Write answers on gates as CSV to edit in a spreadsheet, in the manner of ``to_csv``.

    The columns are those of ``data/catalogue/gates.csv``; ``core.results.sheets.read_gates``
    reads the file back to the same answers.
    """
    columns = [field.name for field in fields(GateAnswer)]
    return _written(columns, [astuple(answer) for answer in answers])


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


EVIDENCE_COLUMNS = (
    *("model", "name", "rank", "benchmark", "benchmark_name", "category", "subcategory"),
    *("weight", "score", "scale_min", "scale_max", "direction", "points"),
    *("standard_error", "error_of", "error_bound"),
    *("n_items", "metric", "run", "suite", "snapshot", "as_of", "source"),
)
"""The columns of the CSV in their order."""


def evidence_records(
    found: Shortlist, matrix: ScoreMatrix, shares: FloatArray, item_errors: FloatArray
) -> list[dict[str, Cell]]:
    """Return one flat record per model of the shortlist and benchmark that counts.

    Benchmarks that a suite shows and does not score follow with no weight. ``score`` and
    ``standard_error`` are on the benchmark's own scale, ``points`` on 0 to 100 with 100 the best,
    ``weight`` is the benchmark's share of the score. ``error_of`` says what varied behind the
    standard error, items or runs; ``error_bound`` is the upper bound over items where no such
    error is printed, on the benchmark's own scale. A benchmark that was never run on a model has
    a row whose score is ``None``: it is never 0.

    Parameters
    ----------
    matrix
        The scores that the shortlist was made from, shape (n_models, n_benchmarks).
    shares, item_errors
        The same on the 0 to 1 scale with 1 the best, and the errors that intervals are made of,
        as `core.statistics.score_matrix.normalised` gives them; ``nan`` for a gap.
    """
    weight = dict(found.benchmark_weights)
    columns = [j for j, b in enumerate(matrix.benchmarks) if b.id in weight]
    columns += [j for j, b in enumerate(matrix.benchmarks) if not b.scored]
    place = {model: i for i, model in enumerate(matrix.models)}
    snapshot = matrix.snapshot
    version = f"{snapshot.revision} {snapshot.sha256[:12]}" if snapshot else None
    as_of = (snapshot.as_of or "not published") if snapshot else None
    listed: list[dict[str, Cell]] = []
    for row in found.rows:
        still_wanted()
        i = place[row.model.id]
        for j in columns:
            benchmark = matrix.benchmarks[j]
            share, error = _known(shares[i, j]), _known(matrix.standard_errors[i, j])
            is_bound = error is None or benchmark.error_of == "runs"
            bound = _known(item_errors[i, j]) if is_bound else None
            width = benchmark.scale_max - benchmark.scale_min
            listed.append(
                {
                    "model": row.model.id,
                    "name": row.model.name,
                    "rank": row.rank,
                    "benchmark": benchmark.id,
                    "benchmark_name": benchmark.name,
                    "category": benchmark.category,
                    "subcategory": benchmark.subcategory or None,
                    "weight": weight.get(benchmark.id),
                    "score": _known(matrix.scores[i, j]),
                    "scale_min": benchmark.scale_min,
                    "scale_max": benchmark.scale_max,
                    "direction": "lower is better"
                    if benchmark.lower_is_better
                    else "higher is better",
                    "points": None if share is None else share * 100,
                    "standard_error": error,
                    "error_of": None if error is None else benchmark.error_of,
                    "error_bound": None if bound is None else bound * width,
                    "n_items": benchmark.n_items,
                    "metric": benchmark.metric,
                    "run": row.run,
                    "suite": matrix.suite,
                    "snapshot": version,
                    "as_of": as_of,
                    "source": benchmark.source,
                }
            )
    return listed


def _known(value: float) -> float | None:
    return None if math.isnan(value) else float(value)


AGREEMENT = ("n_models", "rho", "ci_low", "ci_high")
"""What is told of how two suites order their models."""
_ENDS = ("low", "likely", "high")
_SAFETY = (
    *("share", "n", "severe_errors_per_100", "rank", "n_systems", "marked", "tested_as", "kind"),
)


def document(found: Recommendation, worth: TestWorth | None) -> dict[str, Any]:
    """Return a recommendation as plain data, with what a test of those it names is ``worth``.

    What is not known is ``None``.

    Scores, differences and shares are on the 0 to 1 scale, money is US dollars a month.
    """
    return {
        "in_place_of": found.in_place_of or None,
        "headline": found.headline,
        "alerts": list(found.alerts),
        "strength": found.strength,
        "why": found.why,
        "take": _entry(found.take),
        "choose": [_entry(each) for each in found.choose],
        "test_these": [_entry(each) for each in found.test_these],
        "test_worth": as_document(worth),
        "leader": _entry(found.leader),
        "as_good": [_entry(each) for each in found.as_good],
        "worth_testing": [_entry(each) for each in found.worth_testing],
        "step_down": _entry(found.step_down),
        "left_out": [
            {
                **{"model": out.model, "rule": out.rule, "reason": out.reason},
                **{"until": out.until or None, "successor": out.successor or None},
            }
            for out in found.left_out
        ],
        "margin": found.requirements.margin,
        "n_fit": found.n_fit,
        "n_all": found.n_all,
        "snapshots": [asdict(snapshot) for snapshot in found.snapshots],
    }


def _entry(proposal: Proposal | None) -> dict[str, Any] | None:
    if proposal is None:
        return None
    judged = proposal.judged
    gap = judged.difference if judged else None
    band = proposal.row.rank_band if proposal.row else None
    other = proposal.row.on_other_tests if proposal.row else None
    return {
        "model": proposal.model.id,
        "name": proposal.model.name,
        "score": proposal.score,
        "on_other_tests": picked(other, "ci_low", "ci_high") if other else None,
        "rank_all": proposal.rank_all,
        "rank_band_first": band[0] if band else None,
        "rank_band_last": band[1] if band else None,
        "difference": gap.difference if gap else None,
        "ci_low": gap.ci_low if gap else None,
        "ci_high": gap.ci_high if gap else None,
        "tier": judged.tier if judged else None,
        "basis": gap.basis if gap else None,
        "other_basis": _other_basis(judged) if judged else None,
        "one_more_test": judged.one_more_test if judged else None,
        "monthly_cost_usd": picked(proposal.cost, *_ENDS),
        "cost_is": proposal.cost.cost_is,
        "from_whom": proposal.cost.from_whom or None,
        "saves_usd_month": picked(proposal.saves, *_ENDS) if proposal.saves else None,
        "safety": picked(proposal.safety, *_SAFETY) if proposal.safety else None,
        "second_opinions": [
            picked(each, "suite", "metric", "rank", "n", "tested_as", "kind")
            | {"agreement": picked(each.agreement, *AGREEMENT) if each.agreement else None}
            for each in proposal.second_opinions
        ],
        "vetoes": list(judged.vetoes) if judged else [],
        "on_sale_until": (proposal.sale.until or None) if proposal.sale else None,
        "same_cluster": proposal.same_cluster,
        "reasons": list(proposal.reasons),
    }


def _other_basis(judged: Judged) -> dict[str, Any] | None:
    if len(judged.difference.intervals) < 2:
        return None
    other = judged.difference.intervals[1]
    return {
        "basis": other.basis,
        "difference": judged.difference.difference,
        "ci_low": other.ci_low,
        "ci_high": other.ci_high,
        "tier": judged.other_tier,
    }
