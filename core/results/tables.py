"""Rows of tables from strangers, as spreadsheets save them: CSV text, and Excel workbooks.

A workbook's few elements are told by their tags alone, in one pass without a regular expression:
time goes by length, whatever is in the file, and no more of it is held than one cell's text. Not by
openpyxl, which reads whole parts into memory and needs defusedxml beside it: here no XML parser
sees the file, so nothing in it can define signs of its own or lead elsewhere. No formula is run
and no style read.
"""

from __future__ import annotations

import csv
import html
import io
import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import pandas as pd

from core.results.collected import MOST_ROWS, short_id
from core.results.files import counted, listed, printable, shortened

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from core.results.files import Archive, Upload

_MOST_CELLS, _MOST_COLUMNS = 2_000_000, 100
_LONGEST_LINE = 2_000_000
_SIGNS = ",;\t"
_APOSTROPHE = re.compile(r"'(?=[=+\-@\t\r\d])")
_STRINGS = "xl/sharedStrings.xml"
_SHEET, _XML = "xl/worksheets/sheet", ".xml"
_MOST_SIGNS = 20_000_000
"""Of one sheet or of the shared texts as XML, and of all sheets as CSV."""
_LONGEST, _MOST_RUNS = 100_000, 2_000
"""Signs that are read at once, and parts with a style of their own that one text may have."""
_MOST_SHEETS, _MOST_STRINGS = 50, 300_000
_TOO_LONG = f"it holds more than {_MOST_SIGNS // 10**6} million signs, or too many in one place"
_TOO_WIDE = f"it has more than {_MOST_COLUMNS} columns"
Row = tuple[str, dict[str, str]]
"""Its place for messages, and its cells by column."""
_Tag = tuple[bool, str, str, str]
"""Whether it closes, its name, its attributes, and the text after it."""


def template_csv(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> bytes:
    """Write a CSV to fill in, as UTF-8 with the byte order mark that spreadsheets need."""
    table = pd.DataFrame(rows, columns=list(columns))
    return table.to_csv(index=False, lineterminator="\r\n").encode("utf-8-sig")


def delimiter(text: str, columns: Collection[str]) -> str:
    """Return the separator that gives the first lines most of the columns."""
    start = [line for line in text[:5000].splitlines() if line.strip()][:2]

    def n_columns(sign: str) -> int:
        cells = (cell for line in start for cell in line.split(sign))
        return sum(cell.strip(' "').casefold() in columns for cell in cells)

    return max(_SIGNS, key=n_columns)


def header(upload: Upload, columns: Collection[str]) -> list[str]:
    """Return the names of the columns of a CSV, in small letters with underscores for blanks."""
    start = replace(upload, text=upload.text[:20_000])  # whatever follows, it is told at once
    _, cells = next(_cells(start, columns), ("", []))
    return _names(cells)


def _names(cells: list[str]) -> list[str]:
    return ["_".join(cell[:100].lower().split()) for cell in cells]


def csv_rows(
    upload: Upload,
    columns: Sequence[str],
    required: Sequence[str],
    notes: list[str],
    *,
    most_rows: int = MOST_ROWS,
    named: bool = True,
) -> Iterator[Row]:
    """Yield the rows below the header; empty ones are passed over.

    Separated by commas, semicolons or tabs. Names of columns count in any case, with blanks for
    underscores. Columns that nobody asked for
    are passed over with one note, in which they are ``named`` or, as they may hold anything,
    counted; an absent column reads as empty cells. The apostrophe by which a spreadsheet keeps a
    text from running as a formula is taken away.
    """
    text = upload.text
    if upload.encoding != "utf-8":
        notes.append(f"The file is not UTF-8; it was read as {upload.encoding.upper()}.")
    if max(text.count("\n"), text.count("\r")) > most_rows:
        raise upload.fault(f"it has more than {most_rows:,} rows")
    if sum(text.count(sign) for sign in _SIGNS) > _MOST_CELLS:
        raise upload.fault(f"it has more than {_MOST_CELLS:,} cells")
    rows = _cells(upload, columns)
    place, cells = next(rows, ("", []))
    names = _names(cells)
    if missing := [column for column in required if column not in names]:
        verb = "column {} is" if len(missing) == 1 else "columns {} are"
        raise upload.fault(f"the {verb.format(listed(missing))} missing", place)
    if twice := next((column for column in columns if names.count(column) > 1), ""):
        raise upload.fault(f'the column "{twice}" comes twice', place)
    if others := [name for name in names if name and name not in columns]:
        notes.append(
            f"These columns were passed over: {listed(others)}."
            if named
            else f"{counted(len(others), 'column')} passed over."
        )
    is_empty = True
    for place, cells in rows:
        is_empty = False
        if len(cells) > len(names):
            raise upload.fault(
                f"it has {len(cells)} cells and the header {len(names)}; write decimals with "
                "a point, and text with a separator in quotation marks",
                place,
            )
        yield place, dict.fromkeys(columns, "") | dict(zip(names, cells, strict=False))
    if is_empty:
        raise upload.fault("it has a header and no rows")


def _cells(upload: Upload, columns: Collection[str]) -> Iterator[tuple[str, list[str]]]:
    """Yield place and cells of each row that is not empty, the header first."""
    reader = csv.reader(_lines(upload), delimiter=delimiter(upload.text, columns))
    is_first = True
    try:
        for raw in reader:
            place = f"row {reader.line_num}"
            if len(raw) > _MOST_COLUMNS:
                raise upload.fault(_TOO_WIDE, place)
            cells = [_APOSTROPHE.sub("", cell.strip(), count=1) for cell in raw]
            if any(cells) and not (is_first and cells[0].casefold().startswith("sep=")):
                is_first = False
                yield place, cells
    except csv.Error as error:
        raise upload.fault(
            f"it is not a readable CSV file ({error})", f"row {reader.line_num}"
        ) from None


def _lines(upload: Upload) -> Iterator[str]:
    """Yield each line with its end, some at once: all at once ``StringIO`` has 4 bytes a sign."""
    text, at = upload.text, 0
    while at < len(text):
        least = at + _LONGEST_LINE // 2
        end = text.find("\n", least) + 1 or text.find("\r", least) + 1 or len(text)
        if end - at > _LONGEST_LINE:
            raise upload.fault(f"a line in it is longer than {_LONGEST_LINE:,} signs")
        yield from io.StringIO(text[at:end], newline="")
        at = end


@dataclass(slots=True)
class _Cell:
    reference: str
    kind: str
    runs: list[str] = field(default_factory=list)
    is_formula: bool = False


def sheets(archive: Archive, kept: Collection[str]) -> list[Upload]:
    """Return each sheet as a CSV; a long text, such as an answer, is a hash of itself in it.

    Macros are refused, and so is a formula in a column that is ``kept``: what it shows may be old,
    or never computed.
    """
    upload = archive.upload
    if any(name.casefold().endswith("vbaproject.bin") for name in archive.names):
        raise upload.fault("the workbook has macros: save it as .xlsx without them")
    told = {_whole(name.removeprefix(_SHEET).removesuffix(_XML), -1) for name in archive.names}
    numbers = sorted(number for number in told if f"{_SHEET}{number}{_XML}" in archive.names)
    if len(numbers) > _MOST_SHEETS:
        raise upload.fault(f"the workbook has more than {_MOST_SHEETS} sheets")
    strings = list(_strings(archive)) if _STRINGS in archive.names else []
    tables: list[Upload] = []
    for number in numbers:
        own = replace(upload, name=f"{upload.name}, sheet {number}")
        rows = _rows(own, _tags(archive, own, f"{_SHEET}{number}{_XML}", ""))
        tables.append(replace(own, text=_csv(own, rows, strings, kept)))
        if sum(len(table.text) for table in tables) > _MOST_SIGNS:
            raise upload.fault(_TOO_LONG)
    return tables


def _strings(archive: Archive) -> Iterator[str]:
    runs: list[str] = []
    n = 0
    for closes, tag, _, after in _tags(archive, archive.upload, _STRINGS, _STRINGS):
        if tag == "si" and closes:
            yield short_id(printable("".join(runs)))
            runs, n = [], n + 1
            if n > _MOST_STRINGS:
                raise archive.upload.fault(f"it has more than {_MOST_STRINGS:,} texts", _STRINGS)
        elif tag == "t" and not closes:
            _add(archive.upload, runs, after, _STRINGS)


def _rows(upload: Upload, tags: Iterator[_Tag]) -> Iterator[tuple[str, list[_Cell]]]:
    """Yield the number of each row as it is written, and its cells."""
    number, cell = "", _Cell("", "")
    cells: list[_Cell] = []
    for closes, tag, attributes, after in tags:
        if tag == "row" and closes:
            yield number, cells
        elif tag == "row":
            number, cells = _attribute(attributes, "r"), []
        elif tag == "c" and not closes:
            cell = _Cell(_attribute(attributes, "r"), _attribute(attributes, "t"))
            cells.append(cell)
            if len(cells) > _MOST_COLUMNS:
                raise upload.fault(_TOO_WIDE, f"row {shortened(number)}")
        elif tag in ("v", "t") and not closes:
            _add(upload, cell.runs, after, f"row {shortened(number)}")
        elif tag == "f":
            cell.is_formula = True


def _add(upload: Upload, runs: list[str], text: str, place: str) -> None:
    """Take a part of a text; none is so long that its signs could be told in no time."""
    if len(runs) >= _MOST_RUNS:
        raise upload.fault(f"a text in it has more than {_MOST_RUNS:,} parts", place)
    runs.append(_plain(text))


def _tags(archive: Archive, upload: Upload, name: str, place: str) -> Iterator[_Tag]:
    broken = upload.fault("it is not readable as a sheet of a workbook", place)
    for n, piece in enumerate(_pieces(archive, upload, name, place)):
        inside, closed, after = piece.partition(">")
        if n == 0 or (n == 1 and inside[:1] == "?" == inside[-1:]):
            if (inside if n == 0 else after).strip():
                raise broken
            continue
        tag, *attributes = inside.strip("/").split(None, 1)[:2] or [""]
        tag = tag.rpartition(":")[2]
        if not closed or not (tag[:1].isalpha()):
            raise broken
        if inside[0] == "/":
            yield True, tag, "", ""
        else:
            yield False, tag, attributes[0] if attributes else "", after
            if inside[-1] == "/":
                yield True, tag, "", ""


def _pieces(archive: Archive, upload: Upload, name: str, place: str) -> Iterator[str]:
    """Yield what is between two signs <, which is at most as long as a cell's text may be."""
    n_signs, rest = 0, ""
    with archive.text(name) as text:
        while found := text.read(_LONGEST):
            n_signs += len(found)
            *whole, rest = (rest + found).split("<")
            if n_signs > _MOST_SIGNS or len(rest) > 4 * _LONGEST:
                raise upload.fault(_TOO_LONG, place)
            yield from whole
    yield rest


def _plain(text: str) -> str:
    """Return a text of the file without the marks for signs that XML cannot hold."""
    try:
        return html.unescape(text)
    except ValueError:  # a sign's number of thousands of digits
        return text


def _attribute(text: str, wanted: str) -> str:
    parts = text.replace("'", '"').split('"')
    for name, value in zip(parts[::2], parts[1::2], strict=False):
        if name.strip(" \t\r\n=") == wanted:
            return _plain(value)
    return ""


def _csv(
    upload: Upload,
    rows: Iterator[tuple[str, list[_Cell]]],
    strings: list[str],
    kept: Collection[str],
) -> str:
    """Return a sheet as CSV, a line for each of its rows so that places are the sheet's own."""
    written = io.StringIO(newline="")
    writer = csv.writer(written, lineterminator="\n")
    header: list[str] = []
    line = 0
    for stated, row in rows:
        number = _whole(stated, line + 1)
        if not line < number <= MOST_ROWS:
            raise upload.fault(f"its rows are not in order, or more than {MOST_ROWS:,}")
        written.write("\n" * (number - line - 1))
        line, place = number, f"row {number}"
        cells: dict[int, str] = {}
        for cell in row:
            column = _column(cell.reference, max(cells, default=-1) + 1)
            if column >= _MOST_COLUMNS:
                raise upload.fault(_TOO_WIDE, place)
            named = header[column] if column < len(header) else ""
            if cell.is_formula and (named in kept or not header):
                raise upload.fault("a cell holds a formula: write the value itself", place)
            cells[column] = _text(upload, cell, strings, place)
        if written.tell() > _MOST_SIGNS:
            raise upload.fault(_TOO_LONG, place)
        values = [cells.get(column, "") for column in range(max(cells, default=-1) + 1)]
        if not header and any(values):
            header = ["_".join(value.lower().split()) for value in values]
        writer.writerow(values)
    return written.getvalue()


def _text(upload: Upload, cell: _Cell, strings: list[str], place: str) -> str:
    if cell.kind != "s":
        return short_id(printable("".join(cell.runs)))
    number = _whole("".join(cell.runs).strip(), -1)
    if not 0 <= number < len(strings):
        raise upload.fault("a cell points to a text that is not there", place)
    return strings[number]


def _column(reference: str, otherwise: int) -> int:
    letters = reference[:10].rstrip("0123456789")
    if not (letters.isascii() and letters.isalpha() and letters.isupper() and len(letters) < 4):
        return otherwise
    place = 0
    for letter in letters:
        place = place * 26 + ord(letter) - 64
    return place - 1


def _whole(text: str, otherwise: int) -> int:
    return int(text) if len(text) < 10 and text.isascii() and text.isdigit() else otherwise
