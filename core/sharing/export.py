"""Results as flat records, JSON and a workbook, with their provenance; days as a calendar."""

from __future__ import annotations

import csv
import hashlib
from dataclasses import asdict, astuple
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.domain import FactList, Snapshot
from core.figures import cost_from, from_whom
from core.memory import still_wanted
from core.procurement.recommendation import Recommendation, TestWorth, cautions
from core.sheets import Cell, Records, book_of
from core.statistics.score_matrix import plain_number as or_none
from core.words.conditions import said_of
from core.words.cost import basis
from core.words.recommendation import alerts, for_and_against, headline, objection
from core.words.shortlist import (
    not_known,
    question_in_words,
    questions,
    reasons,
    rule_name,
    sale_of,
    why_left_out,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import date, datetime

    from core.domain import Dossier, FloatArray, LeftOut, Question, ScoreMatrix, Shortlist
    from core.sharing.link import Receipt


def _read_columns(file: Path) -> dict[str, dict[str, tuple[str, ...]]]:
    """Read where each column of each table is found, and which fields of what is there."""
    found: dict[str, dict[str, tuple[str, ...]]] = {}
    with file.open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            of = found.setdefault(row["table"], {})
            of[row["column"]] = (row["at"], *row["fields"].split())
    return found


_FIELDS = _read_columns(Path(__file__).with_name("columns.csv"))
"""By table and column; a column that is put in words is found nowhere."""
PATHS = {table: {column: at for column, (at, *_) in of.items()} for table, of in _FIELDS.items()}
"""Where the columns of each table are found: names and places, with points between."""
SHORTLIST = PATHS["shortlist"]
"""The columns of a shortlist in their order; the last five say where the row comes from. The link,
which is long, is in the first row only: it is the same for all. ``held_against`` and ``verdict``
are names before 1.0, for one release more.
"""
SHORTLIST_COLUMNS = tuple(SHORTLIST)
_VERDICTS = {"open": "cannot tell", "worse": "worse"}
"""The one word for a tier that earlier files had, for all others "equivalent"."""


def records(found: Recommendation, link: str) -> Records:
    """Return one flat record per row of the shortlist, in its order, with ``COLUMNS`` in theirs.

    Scores and differences are on the 0 to 1 scale, money is US dollars a month, sizes are
    billions of parameters. ``None`` means not known: it is never 0. ``found`` is what is
    recommended without a model in use, and ``link`` shows it.
    """
    shortlist = found.shortlist
    snapshots, decided = shortlist.snapshots, decisions_of(found)
    provenance = {
        "suite": "; ".join(s.suite for s in snapshots),
        "snapshot": "; ".join(f"{s.revision} {s.sha256[:12]}" for s in snapshots),
        "as_of": "; ".join(s.as_of or "not published" for s in snapshots),
        "retrieved_at": "; ".join(s.retrieved_at for s in snapshots),
    }
    listed = []
    for n, row in enumerate(shortlist.rows):
        each = found.dossier(row)
        judged = each.judged
        known: dict[str, Any] = {
            "decision": decided.get(row.model.id),
            "n_missing": len(row.missing),
            "conditions": said_of(row.terms[0], "conditional") if row.terms else (),
            "marked": each.safety and ("yes" if each.safety.marked else "no"),
            "leader": judged and found.choice.leader,
            "verdict": judged and _VERDICTS.get(judged.tier, "equivalent"),
            "margin": judged and found.question.margin,
            "vetoes": tuple(map(objection, judged.vetoes)) if judged else (),
            "on_sale": sale_of(each) or None,
            "paid_to": from_whom(row.cost) or None,
            "reasons": reasons(row),
            "questions": questions(row, found.question),
            "link": None if n else link,
            **provenance,
        }
        record = {
            column: known[path] if path in known else at(each, path)
            for column, path in SHORTLIST.items()
        }
        for column, value in record.items():
            if isinstance(value, tuple):
                between = "; " if column in ("missing", "vetoes") else " "  # else sentences
                record[column] = between.join(value) or None
        listed.append(record)
    return listed


def at(known: object, path: str) -> Any:  # noqa: ANN401 - whatever is there
    """Follow the names and places of a path; ``None`` where one is missing, or empty text."""
    for name in path.split("."):
        if isinstance(known, dict):
            known = known[name]
        elif isinstance(known, tuple):
            known = known[int(name)] if int(name) < len(known) else None
        elif known is not None:
            known = getattr(known, name)
    return None if known == "" else known


def read_at(known: object, paths: Mapping[str, str]) -> dict[str, Any]:
    """Return what is found at paths, by the name of each; ``None`` for what is not known."""
    return {name: at(known, path) for name, path in paths.items()}


def decisions_of(found: Recommendation) -> dict[str, str]:
    """Return what is decided on each model, by its id."""
    return {each.model.id: words for words, each in found.decisions()}


def named_by(found: Recommendation) -> set[str]:
    """Return the ids of the models that a recommendation names, and of the model in use."""
    return {*decisions_of(found), found.in_place_of}


def picked(result: object, *names: str) -> dict[str, Any]:
    """Return some fields of a result by their names."""
    return {name: getattr(result, name) for name in names}


def source_line(*of: Snapshot | FactList | None) -> str:
    """Name the evidence behind a table or a picture in one line."""
    return (
        "; ".join(
            f"{it.suite if isinstance(it, Snapshot) else it.list} {it.revision}, "
            f"as of {it.as_of or 'an unstated date'}, "
            f"retrieved {it.retrieved_at}, sha256 {it.sha256[:12]}, {it.source_url}"
            for it in of
            if it
        )
        or "LLM Formulary"
    )


EVIDENCE = (
    *("model", "name", "rank", "benchmark", "benchmark_name", "category", "subcategory"),
    *("weight", "score", "scale_min", "scale_max", "direction", "points"),
    *("standard_error", "error_of", "error_bound", "n_items", "metric", "run"),
    *("suite", "snapshot", "as_of", "source"),
)
"""The columns of the full evidence in their order."""


def score_records(
    found: Shortlist, matrix: ScoreMatrix, shares: FloatArray, item_errors: FloatArray
) -> Records:
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
    made: tuple[Cell, Cell] = (None, None)
    if (snapshot := matrix.snapshot) is not None:
        made = f"{snapshot.revision} {snapshot.sha256[:12]}", snapshot.as_of or "not published"
    listed: Records = []
    for row in found.rows:
        still_wanted()
        i = place[row.model.id]
        for j in columns:
            test = matrix.benchmarks[j]
            share, error = or_none(shares[i, j]), or_none(matrix.standard_errors[i, j])
            is_bound = error is None or test.error_of == "runs"
            bound = or_none(item_errors[i, j]) if is_bound else None
            way = "lower" if test.lower_is_better else "higher"
            cells = (
                *(row.model.id, row.model.name, row.rank),
                *(test.id, test.name, test.category, test.subcategory, weight.get(test.id)),
                *(or_none(matrix.scores[i, j]), test.scale_min, test.scale_max),
                *(f"{way} is better", None if share is None else share * 100),
                *(error, None if error is None else test.error_of),
                None if bound is None else bound * (test.scale_max - test.scale_min),
                *(test.n_items, test.metric, row.run, test.suite, *made, test.source),
            )
            listed.append(
                {
                    column: None if cell == "" else cell
                    for column, cell in zip(EVIDENCE, cells, strict=True)
                }
            )
    return listed


AGREEMENT = ("n_models", "rho", "ci_low", "ci_high")
"""What is told of how two suites order their models."""
_CHECK = ("condition", "status", "platform", "read_on", "source_url", "source_kind")


def document(found: Recommendation, worth: TestWorth | None, day: date) -> dict[str, Any]:
    """Return a recommendation as plain data, with what a test of those it names is ``worth``.

    What is not known is ``None``. ``day`` is that of the public prices.

    Scores, differences and shares are on the 0 to 1 scale, money is US dollars a month.
    """
    return {
        "question": question_in_words(found.question, found.shortlist),
        "in_place_of": found.in_place_of or None,
        "headline": headline(found),
        "alerts": list(alerts(found, day)),
        "cautions": [asdict(caution) for caution in cautions(found, day)],
        "strength": found.strength,
        "why": found.choice.why,
        "take": _entry(found, found.take),
        "choose": [_entry(found, each) for each in found.choose],
        "test_these": [_entry(found, each) for each in found.test_these],
        "test_worth": worth_document(worth),
        "leader": _entry(found, found.leader),
        "as_good": [_entry(found, each) for each in found.as_good],
        "worth_testing": [_entry(found, each) for each in found.worth_testing],
        "step_down": _entry(found, found.step_down),
        "left_out": left_out_records(found.shortlist.left_out, found.question),
        "conditions": found.met and asdict(found.met),
        "margin": found.question.margin,
        "n_fit": found.shortlist.n_fit,
        "n_all": found.shortlist.n_all,
        "snapshots": [asdict(snapshot) for snapshot in found.shortlist.snapshots],
    }


def _entry(found: Recommendation, each: Dossier | None) -> dict[str, Any] | None:
    if each is None:
        return None
    entry = {}
    for key, (path, *names) in _FIELDS["proposal"].items():
        value = at(each, path) if path else None
        entry[key] = picked(value, *names) if names and value is not None else value
    if (other := at(each, "judged.difference.intervals.1")) is not None:
        entry["other_basis"] = {
            "basis": other.basis,
            "difference": entry["difference"],
            "ci_low": other.ci_low,
            "ci_high": other.ci_high,
            "tier": at(each, "judged.other_tier"),
        }
    entry["second_opinions"] = [
        picked(one, "suite", "metric", "rank", "n", "tested_as", "kind")
        | {"agreement": picked(one.agreement, *AGREEMENT) if one.agreement else None}
        for one in each.second_opinions
    ]
    vetoes = each.judged.vetoes if each.judged else ()
    return entry | {
        "conditions": [
            # Under its earlier name as well, for one release more.
            picked(check, *_CHECK) | {"gate": check.condition}
            for offer in each.terms[:1]
            for check in offer.checks
        ],
        "from_whom": from_whom(each.cost) or None,
        "vetoes": [objection(veto) for veto in vetoes],
        "reasons": list(for_and_against(found, each)),
    }


def worth_document(found: TestWorth | None) -> dict[str, Any] | None:
    """Return it as plain data; ``None`` where there are no two models to test."""
    beside = ("margin", "assumed")
    plain = asdict(found) if found else {}
    return {key: value for key, value in plain.items() if key not in beside} or None


DECISION = PATHS["decision"]
"""What the first sheet says of each that is named, for people, and the column of the CSV that it is
from; empty for what is put in words."""
_SHARES = ("score", "difference", "difference_ci_low", "difference_ci_high", "severe_harm_share")
"""Columns that are shown as points or per cent."""
LEFT_OUT_COLUMNS = ("model", "name", "rule", "reason")
BILLS = (
    *("model", "name", "category", "usd_per_month", "currency", "price_provider"),
    *("price_as_of", "price_source", "basis"),
)
QUESTIONS = ("model", "name", "kind", "text")
ASSUMPTIONS = ("assumption", "value", "basis")
RECEIPT = ("item", "value")
WHOLE = "all of it"
"""The category of a bill's sum."""


def shortlist_workbook(
    decided: Recommendation,
    receipt: Receipt,
    *,
    shortlist: Records,
    evidence: Records,
) -> bytes:
    """Write the workbook.

    Parameters
    ----------
    shortlist
        Its records, as `records` gives them: the sheet has their columns
        and their values, which are the CSV's.
    evidence
        As `score_records` gives them.

    Returns
    -------
    bytes
        An .xlsx file. Numbers are numbers in full precision, what is not known is an empty cell,
        and no text is run as a formula or turned into a link.
    """
    sheets: tuple[tuple[str, Sequence[str], Records], ...] = (
        ("Recommendation", tuple(DECISION), decision(decided, shortlist)),
        ("Shortlist", SHORTLIST_COLUMNS, shortlist),
        (
            "Left out",
            LEFT_OUT_COLUMNS,
            left_out_records(decided.shortlist.left_out, decided.question),
        ),
        ("Benchmarks", EVIDENCE, evidence),
        ("Bills", BILLS, bills(decided.shortlist)),
        ("Questions", QUESTIONS, open_questions(decided.shortlist)),
        (
            "Assumptions",
            ASSUMPTIONS,
            [dict(zip(ASSUMPTIONS, astuple(it), strict=True)) for it in receipt.assumptions],
        ),
        ("Receipt", RECEIPT, [dict(zip(RECEIPT, line, strict=True)) for line in receipt.lines()]),
    )
    return book_of(sheets, "LLM Formulary shortlist", receipt.number)


def decision(found: Recommendation, shortlist: Records) -> Records:
    """Return what is recommended, one record per proposal; the sentence over all comes first.

    Of the records of the shortlist; scores and differences are in points out of 100.
    """
    in_short: dict[str, Cell] = {"Decision": "in short", "Why, and what to ask": headline(found)}
    listed: Records = [dict.fromkeys(DECISION) | in_short]
    record_of: dict[Cell, dict[str, Any]] = {record["model"]: record for record in shortlist}
    for words, each in found.decisions():
        record = record_of[each.model.id]
        record = record | {of: record[of] and record[of] * 100 for of in _SHARES}
        listed.append(
            {column: record.get(of) for column, of in DECISION.items()}
            | {
                "Decision": words,
                "Cost from": cost_from(each.cost) if from_whom(each.cost) else None,
                "Compared with": found.leader.model.name if each.judged and found.leader else None,
                "Why, and what to ask": " ".join(for_and_against(found, each)),
            }
        )
    return listed


def left_out_records(left_out: Sequence[LeftOut], question: Question) -> Records:
    """Return one record per model that a rule left out, in the order of the rules."""
    return [
        {
            **picked(out, "model", "name"),
            "rule": rule_name(out.rule, question),
            "reason": why_left_out(out),
            "until": at(out, "sale.best.until"),
            "successor": at(out, "sale.successor"),
        }
        for out in left_out
    ]


def bills(found: Shortlist) -> Records:
    """Return the lines of each bill and its sum, or what own servers cost; unknown says why."""
    listed: Records = []
    for row in found.rows:
        cost, lines = row.cost, [(WHOLE, row.cost.likely)]
        source: tuple[Cell, ...] = (None, None, None, None, basis(cost))
        if row.bill is not None and cost.kind == "bill":
            price, lines = row.bill.price, [*row.bill.lines, (WHOLE, row.bill.monthly_usd)]
            rates = (
                f"${price.input_usd_per_mtok:g} read and ${price.output_usd_per_mtok:g} "
                "written per million tokens; taxes and discounts left out"
            )
            source = "USD", price.provider_name, price.as_of, price.source, rates
        elif cost.low is not None:
            of = "rents of GPUs in the catalogue"
            source = "USD", cost_from(cost), cost.as_of, of, basis(cost)
        listed += [
            dict(zip(BILLS, (row.model.id, row.model.name, *line, *source), strict=True))
            for line in lines
        ]
    return listed


def open_questions(found: Shortlist) -> Records:
    """Return one record per open question, and one per condition that is met only in part."""
    return [
        {"model": row.model.id, "name": row.model.name, "kind": kind, "text": text}
        for row in found.rows
        for kind, texts in (
            ("question", questions(row, found.question)),
            ("not known", not_known(row, found.question)),
            ("condition", said_of(row.terms[0], "conditional") if row.terms else ()),
        )
        for text in texts
    ]


def calendar(days: Iterable[tuple[str, str]], made: datetime) -> str:
    """Write whole days, each an ISO day and what is due, as one calendar (iCalendar, RFC 5545).

    The same day with the same words has the same id, so that a program that reads the file again
    keeps one entry.
    """
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//LLM Formulary//watch//EN"]
    for day, words in days:
        digest = hashlib.sha256(f"{day} {words}".encode()).hexdigest()[:32]
        lines += [
            *("BEGIN:VEVENT", f"UID:{digest}@llm-formulary", f"DTSTAMP:{made:%Y%m%dT%H%M%SZ}"),
            *(f"DTSTART;VALUE=DATE:{day.replace('-', '')}", f"SUMMARY:{_escaped(words)}"),
            "END:VEVENT",
        ]
    return "".join(
        f"{folded}\r\n" for line in [*lines, "END:VCALENDAR"] for folded in _folded(line)
    )


def _escaped(words: str) -> str:
    """Escape what the format means something by, and take line breaks for blanks."""
    escaped = " ".join(words.split()).replace("\\", "\\\\")
    return escaped.replace(";", "\\;").replace(",", "\\,")


def _folded(line: str) -> list[str]:
    """Break a line after 75 octets at most, never within a letter; what follows begins blank."""
    rows = [""]
    for letter in line:
        if len((rows[-1] + letter).encode()) > 75:
            rows.append(" ")
        rows[-1] += letter
    return rows
