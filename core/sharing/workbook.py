"""A shortlist as an Excel workbook: the records of the CSV, and all that stands behind them."""

from __future__ import annotations

import io
from dataclasses import astuple
from typing import TYPE_CHECKING

from core.memory import still_wanted
from core.sharing import export
from core.words.figures import cost_from
from core.words.recommendation import for_and_against, headline
from core.words.shortlist import questions as asked_of
from core.words.shortlist import rule_name, said_of, sale_in_words, why_left_out

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from xlsxwriter.format import Format
    from xlsxwriter.workbook import Workbook

    from core.domain import Shortlist
    from core.procurement.recommendation import Recommendation
    from core.sharing.export import Cell
    from core.sharing.receipt import Receipt

    Records = list[dict[str, Cell]]

PROPOSED = {
    "decision": "",
    "model": "model.id",
    "name": "model.name",
    "points": "score",
    "cost_usd_per_month": "cost.likely",
    "cost_from": "",
    "held_against": "",
    "difference_points": "judged.difference.difference",
    "from_points": "judged.difference.ci_low",
    "to_points": "judged.difference.ci_high",
    "tier": "judged.tier",
    "basis": "judged.difference.basis",
    "severe_harm_percent": "safety.share",
    "on_sale": "",
    "text": "",
}
"""The columns of what is recommended, and where each is found; empty for what is put together."""
DECISION = tuple(PROPOSED)
_OF_100 = ("points", "difference_points", "from_points", "to_points", "severe_harm_percent")
LEFT_OUT = ("model", "name", "rule", "reason")
BILLS = (
    *("model", "name", "category", "usd_per_month", "currency", "price_provider"),
    *("price_as_of", "price_source", "basis"),
)
QUESTIONS = ("model", "name", "kind", "text")
ASSUMPTIONS = ("assumption", "value", "basis")
RECEIPT = ("item", "value")
WHOLE = "all of it"
"""The category of a bill's sum."""

_LONGEST = 32_000
"""Excel holds 32,767 characters in a cell."""
_FORMATS = {
    "score": "0.0000",
    "ci_low": "0.0000",
    "ci_high": "0.0000",
    "monthly_cost_usd": "#,##0.00",
    "usd_per_month": "#,##0.00",
    **dict.fromkeys(
        ("difference", "difference_ci_low", "difference_ci_high", "other_ci_low", "other_ci_high"),
        "+0.0000;-0.0000;0.0000",
    ),
    **dict.fromkeys(("difference_points", "from_points", "to_points"), "+0.0;-0.0;0.0"),
    **dict.fromkeys(("monthly_cost_low", "monthly_cost_high", "cost_usd_per_month"), "#,##0"),
    "severe_harm_percent": "0.0",
    "error_bound": "0.0000",
    "weight": "0.00%",
    "points": "0.0",
    "standard_error": "0.0000",
}
"""How a number is shown; the cell holds it in full."""
_WIDTHS = {
    **dict.fromkeys(("name", "model", "benchmark_name", "benchmark", "rule", "category"), 28),
    **dict.fromkeys(("reasons", "questions", "text", "value", "reason", "link"), 60),
    **dict.fromkeys(("assumption", "item", "source", "price_source", "missing", "basis"), 32),
}
_WIDTH = 15


class _Exact(float):
    """A number that is written with all its digits: the writer would format it to sixteen."""

    def __format__(self, _: str, /) -> str:
        return repr(float(self))


def workbook(
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
        Its records, as `core.sharing.export.records` gives them: the sheet has their columns
        and their values, which are the CSV's.
    evidence
        As `core.sharing.export.evidence_records` gives them.

    Returns
    -------
    bytes
        An .xlsx file. Numbers are numbers in full precision, what is not known is an empty cell,
        and no text is run as a formula or turned into a link.
    """
    import xlsxwriter  # noqa: PLC0415 - only a reader who wants the file needs the writer

    raw = io.BytesIO()
    book = xlsxwriter.Workbook(
        raw,
        {
            "in_memory": True,
            "strings_to_formulas": False,
            "strings_to_urls": False,
            "strings_to_numbers": False,
        },
    )
    book.set_properties({"title": "LLM Formulary shortlist", "comments": receipt.number})
    sheets: tuple[tuple[str, Sequence[str], Records], ...] = (
        ("Recommendation", DECISION, decision(decided)),
        ("Shortlist", export.COLUMNS, shortlist),
        ("Left out", LEFT_OUT, left_out(decided)),
        ("Benchmarks", export.EVIDENCE_COLUMNS, evidence),
        ("Bills", BILLS, bills(decided.shortlist)),
        ("Questions", QUESTIONS, questions(decided.shortlist)),
        (
            "Assumptions",
            ASSUMPTIONS,
            [dict(zip(ASSUMPTIONS, astuple(it), strict=True)) for it in receipt.assumptions],
        ),
        ("Receipt", RECEIPT, [dict(zip(RECEIPT, line, strict=True)) for line in receipt.lines()]),
    )
    head = book.add_format({"bold": True, "bottom": 1})
    formats = {
        column: book.add_format({"num_format": code, "valign": "top"})
        for column, code in _FORMATS.items()
    }
    other = book.add_format({"valign": "top"})
    for name, columns, rows in sheets:
        _sheet(book, name, columns, rows, head, formats, other)
    book.close()
    return raw.getvalue()


def _sheet(
    book: Workbook,
    name: str,
    columns: Sequence[str],
    rows: Records,
    head: Format,
    formats: Mapping[str, Format],
    other: Format,
) -> None:
    sheet = book.add_worksheet(name)
    sheet.freeze_panes(1, 0)
    sheet.set_landscape()
    sheet.repeat_rows(0)
    sheet.autofilter(0, 0, max(len(rows), 1), len(columns) - 1)
    for j, column in enumerate(columns):
        sheet.set_column(j, j, _WIDTHS.get(column, _WIDTH))
        sheet.write_string(0, j, column, head)
        look = formats.get(column, other)
        still_wanted()
        for i, row in enumerate(rows, start=1):
            value = row[column]
            if isinstance(value, str):
                sheet.write_string(i, j, value[:_LONGEST], look)
            elif value is not None:
                sheet.write_number(i, j, _Exact(value), look)


def decision(found: Recommendation) -> Records:
    """Return what is recommended, one record per proposal; the sentence over all stands first.

    Scores and differences are in points out of 100, as on the page.
    """
    lead: dict[str, Cell] = {"decision": "in short", "text": headline(found)}
    listed: Records = [dict.fromkeys(DECISION) | lead]
    for words, each in found.decisions():
        record = {column: export.at(each, path) for column, path in PROPOSED.items() if path}
        for column in _OF_100:
            if record[column] is not None:
                record[column] *= 100
        listed.append(
            record
            | {
                "decision": words,
                "cost_from": cost_from(each.cost) if each.cost.from_whom else None,
                "held_against": found.leader.model.name if each.judged and found.leader else None,
                "on_sale": each.sale and sale_in_words(each.sale),
                "text": " ".join(for_and_against(found, each)),
            }
        )
    return listed


def left_out(found: Recommendation) -> Records:
    """Return one record per model that a rule left out, in the order of the rules."""
    return [
        {
            "model": out.model,
            "name": out.name,
            "rule": rule_name(out.rule, found.requirements),
            "reason": why_left_out(out),
        }
        for out in found.shortlist.left_out
    ]


def bills(found: Shortlist) -> Records:
    """Return the lines of each bill and its sum, or what own servers cost; unknown says why."""
    listed: Records = []
    for row in found.rows:
        who: dict[str, Cell] = {"model": row.model.id, "name": row.model.name}
        cost = row.cost
        if row.bill is None or cost.cost_is != "bill":
            whole = who | dict.fromkeys(BILLS[2:]) | {"category": WHOLE, "basis": cost.basis}
            if cost.low is not None:
                whole |= {
                    "usd_per_month": cost.likely,
                    "currency": "USD",
                    "price_provider": cost_from(cost),
                    "price_as_of": cost.as_of,
                    "price_source": "rents of GPUs in the catalogue",
                }
            listed.append(whole)
            continue
        price = row.bill.price
        source: dict[str, Cell] = {
            "currency": "USD",
            "price_provider": price.provider_name,
            "price_as_of": price.as_of,
            "price_source": price.source,
            "basis": f"${price.input_usd_per_mtok:g} read and ${price.output_usd_per_mtok:g} "
            "written per million tokens; taxes and discounts left out",
        }
        lines = [*row.bill.lines, (WHOLE, row.bill.monthly_usd)]
        listed += [
            who | {"category": category, "usd_per_month": amount} | source
            for category, amount in lines
        ]
    return listed


def questions(found: Shortlist) -> Records:
    """Return one record per open question, and one per condition that a model stands under."""
    return [
        {"model": row.model.id, "name": row.model.name, "kind": kind, "text": text}
        for row in found.rows
        for kind, texts in (
            ("question", asked_of(row, found.requirements)),
            ("condition", said_of(row.routes[0], "conditional") if row.routes else ()),
        )
        for text in texts
    ]
