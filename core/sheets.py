"""Flat records as CSV and Excel files that a spreadsheet shows as they are and never runs."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

from core.memory import still_wanted

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd
    from xlsxwriter.workbook import Workbook

Cell = str | int | float | None
Records = list["dict[str, Cell]"]

_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")
_LONGEST = 32_000
"""Excel holds 32,767 characters in a cell."""
_FORMATS = {
    **dict.fromkeys(("score", "ci_low", "ci_high", "standard_error", "error_bound"), "0.0000"),
    **dict.fromkeys(
        ("difference", "difference_ci_low", "difference_ci_high", "other_ci_low", "other_ci_high"),
        "+0.0000;-0.0000;0.0000",
    ),
    **dict.fromkeys(("points", "Score, points", "Severe harm, %"), "0.0"),
    **dict.fromkeys(("Difference, points", "From", "To"), "+0.0;-0.0;0.0"),
    **dict.fromkeys(("monthly_cost_usd", "usd_per_month"), "#,##0.00"),
    **dict.fromkeys(("monthly_cost_low", "monthly_cost_high"), "#,##0"),
    "Cost, $ a month": "[<10]0.00;#,##0",
    "weight": "0.00%",
}
"""How a number is shown; the cell holds it in full."""
_WIDTHS = {
    **dict.fromkeys(("name", "model", "benchmark_name", "benchmark", "rule", "category"), 28),
    **dict.fromkeys(("Identifier", "Model", "Cost from", "Conditions", "Sold to"), 28),
    **dict.fromkeys(("Why, and what to ask", "Places in tests"), 60),
    **dict.fromkeys(("reasons", "questions", "text", "value", "reason", "link", "answer"), 60),
    **dict.fromkeys(("assumption", "item", "source", "price_source", "missing", "basis"), 32),
}


_WRAPPED = ("Why, and what to ask", "Places in tests")
"""Columns for people, whose cells are as high as their text."""


class _Exact(float):
    """A number that is written with all its digits: the writer would format it to sixteen."""

    def __format__(self, _: str, /) -> str:
        return repr(float(self))


def to_csv(rows: Sequence[dict[str, Cell]], columns: Sequence[str]) -> bytes:
    """Write records as CSV that spreadsheets and pandas read.

    UTF-8 with a byte order mark, which Excel needs. A text that a spreadsheet would run as a
    formula gets an apostrophe in front; numbers keep their sign. Unknown cells are empty. What
    has no rows still has its header.
    """
    return _written(columns, [[row[column] for column in columns] for row in rows])


def table_csv(frame: pd.DataFrame, source: str) -> bytes:
    """Write a table as it is on a page, in the manner of ``to_csv``.

    Missing cells are empty, numbers have twelve digits: what was multiplied for the page has
    rounding noise behind them. A last column says where the figures come from, under a name that
    no other has.
    """

    def digits(cell: Cell) -> Cell:
        return float(f"{cell:.12g}") if isinstance(cell, float) else cell

    cells = frame.astype(object).where(frame.notna(), None)
    last = "Source of this file" if "Source" in frame.columns else "Source"
    return _written(
        (*map(str, frame.columns), last),
        [[*map(digits, row), source] for row in cells.itertuples(index=False, name=None)],
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


def book_of(
    sheets: Sequence[tuple[str, Sequence[str], Records]], title: str, comments: str
) -> bytes:
    """Write sheets, each with its name and the names of its columns, as an Excel workbook."""
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
    book.set_properties({"title": title, "comments": comments})
    for sheet in sheets:
        _write_sheet(book, *sheet)
    book.close()
    return raw.getvalue()


def _write_sheet(book: Workbook, name: str, columns: Sequence[str], rows: Records) -> None:
    """Write records under the names of their columns."""
    sheet, head = book.add_worksheet(name), book.add_format({"bold": True, "bottom": 1})
    sheet.freeze_panes(1, 0)
    sheet.set_landscape()
    sheet.repeat_rows(0)
    sheet.autofilter(0, 0, max(len(rows), 1), len(columns) - 1)
    for j, column in enumerate(columns):
        number = {"num_format": _FORMATS[column]} if column in _FORMATS else {}
        wrap = {"text_wrap": True} if column in _WRAPPED else {}
        cells = book.add_format({"valign": "top", **number, **wrap})
        sheet.set_column(j, j, _WIDTHS.get(column, 15), cells)
        sheet.write_string(0, j, column, head)
        still_wanted()
        for i, row in enumerate(rows, start=1):
            value = row[column]
            if isinstance(value, str):
                sheet.write_string(i, j, value[:_LONGEST], cells)
            elif value is not None:
                sheet.write_number(
                    i, j, _Exact(value) if isinstance(value, float) else value, cells
                )
