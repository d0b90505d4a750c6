"""The sheets of an Excel workbook as tables, without a formula run or a style read.

The few elements of a sheet are told by their tags alone: no XML parser sees the file, so nothing
in it can define signs of its own or lead elsewhere.
"""

from __future__ import annotations

import csv
import html
import io
import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from core.evidence.imports.upload import Upload, printable
from core.local_test.readers.collected import MOST_ROWS, short_id
from core.local_test.readers.tables import ITEM, KEY, SHEET

if TYPE_CHECKING:
    from collections.abc import Iterator

    from core.local_test.readers.sources import Archive

_STRINGS = "xl/sharedStrings.xml"
_SHEET = re.compile(r"xl/worksheets/sheet(\d{1,4})\.xml")
_TAG = re.compile(r"<(/?)(?:\w+:)?(\w+)([^<>]*?)(/?)>([^<]*)")
_BEFORE = re.compile(r"\s*(?:<\?[^<>]*\?>)?\s*")
_ATTRIBUTE = re.compile(r"""(?:^|\s)([rt])\s*=\s*(?:"([^"]*)"|'([^']*)')""")
_MOST_BYTES = 20_000_000
_MOST_COLUMNS, _MOST_SHEETS = 100, 50
_KEPT = {*SHEET, *KEY, *ITEM} - {"answer", "comment"}


@dataclass(slots=True)
class _Cell:
    reference: str
    kind: str
    text: str = ""
    is_formula: bool = False


@dataclass(slots=True)
class _Row:
    number: str
    cells: list[_Cell] = field(default_factory=list)


def is_archive(names: list[str]) -> bool:
    """Say whether an archive with such parts is a workbook."""
    return "xl/workbook.xml" in names


def sheets(archive: Archive) -> list[Upload]:
    """Return each sheet as a CSV; a long text, such as an answer, is a hash of itself in it.

    Macros are refused, and so is a formula in a column that counts: what it shows may be old, or
    never computed.
    """
    upload = archive.upload
    if any(name.casefold().endswith("vbaproject.bin") for name in archive.names):
        raise upload.fault("the workbook has macros: save it as .xlsx without them")
    numbers = [int(found[1]) for name in archive.names if (found := _SHEET.fullmatch(name))]
    if len(numbers) > _MOST_SHEETS:
        raise upload.fault(f"the workbook has more than {_MOST_SHEETS} sheets")
    strings: list[str] = []
    if _STRINGS in archive.names:
        strings = list(_strings(upload, archive.part(_STRINGS, _MOST_BYTES)))
    tables = []
    for number in sorted(set(numbers)):
        own = replace(upload, name=f"{upload.name}, sheet {number}")
        rows = _rows(own, archive.part(f"xl/worksheets/sheet{number}.xml", _MOST_BYTES))
        tables.append(replace(own, text=_csv(own, rows, strings)))
    return tables


def _strings(upload: Upload, text: str) -> Iterator[str]:
    """Yield each shared text, of which the parts of one may have styles of their own."""
    found: list[str] = []
    for closes, tag, _, after in _tags(upload, text, _STRINGS):
        if tag == "si" and closes:
            yield _short("".join(found))
            found = []
        elif tag == "t" and not closes:
            found.append(after)


def _rows(upload: Upload, text: str) -> Iterator[_Row]:
    row, cell = _Row(""), _Cell("", "")
    for closes, tag, attributes, after in _tags(upload, text, ""):
        if tag == "row" and closes:
            yield row
        elif tag == "row":
            row = _Row(attributes.get("r", ""))
        elif tag == "c" and not closes:
            cell = _Cell(attributes.get("r", ""), attributes.get("t", ""))
            row.cells.append(cell)
        elif tag in ("v", "t") and not closes:
            cell.text += after
        elif tag == "f":
            cell.is_formula = True


def _tags(upload: Upload, text: str, place: str) -> Iterator[tuple[bool, str, dict[str, str], str]]:
    """Yield each tag: whether it closes, its name, its attributes, and the text after it."""
    end = _BEFORE.match(text).end()  # type: ignore[union-attr]
    while end < len(text):
        found = _TAG.match(text, end)
        if found is None:
            raise upload.fault("it is not readable as a sheet of a workbook", place)
        closing, tag, attributes, alone, after = found.groups()
        if closing:
            yield True, tag, {}, ""
        else:
            given = {
                a[1]: html.unescape(a[2] or a[3] or "") for a in _ATTRIBUTE.finditer(attributes)
            }
            yield False, tag, given, "" if alone else html.unescape(after)
            if alone:
                yield True, tag, {}, ""
        end = found.end()


def _csv(upload: Upload, rows: Iterator[_Row], strings: list[str]) -> str:
    """Return a sheet as CSV, a line for each of its rows so that places are the sheet's own."""
    written = io.StringIO(newline="")
    writer = csv.writer(written, lineterminator="\n")
    header: list[str] = []
    line = 0
    for row in rows:
        number = _whole(row.number, line + 1)
        if not line < number <= MOST_ROWS:
            raise upload.fault(f"its rows are not in order, or more than {MOST_ROWS:,}")
        written.write("\n" * (number - line - 1))
        line, place = number, f"row {number}"
        cells: dict[int, str] = {}
        for cell in row.cells:
            column = _column(cell.reference, max(cells, default=-1) + 1)
            if column >= _MOST_COLUMNS:
                raise upload.fault(f"it has more than {_MOST_COLUMNS} columns", place)
            named = header[column] if column < len(header) else ""
            if cell.is_formula and (named in _KEPT or not header):
                raise upload.fault("a cell holds a formula: write the value itself", place)
            cells[column] = _text(upload, cell, strings, place)
        values = [cells.get(column, "") for column in range(max(cells, default=-1) + 1)]
        if not header and any(values):
            header = [re.sub(r"\s+", "_", value.strip().lower()) for value in values]
        writer.writerow(values)
    return written.getvalue()


def _text(upload: Upload, cell: _Cell, strings: list[str], place: str) -> str:
    if cell.kind != "s":
        return _short(cell.text)
    number = _whole(cell.text.strip(), -1)
    if not 0 <= number < len(strings):
        raise upload.fault("a cell points to a text that is not there", place)
    return strings[number]


def _short(text: str) -> str:
    return short_id(printable(text))


def _column(reference: str, otherwise: int) -> int:
    """Return the place of a column, from 0, by a cell's reference such as ``AB12``."""
    found = re.match(r"[A-Z]{1,3}(?=\d)", reference, re.ASCII)
    if not found:
        return otherwise
    place = 0
    for letter in found[0]:
        place = place * 26 + ord(letter) - 64
    return place - 1


def _whole(text: str, otherwise: int) -> int:
    return int(text) if re.fullmatch(r"\d{1,9}", text, re.ASCII) else otherwise
