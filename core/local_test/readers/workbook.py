"""The sheets of an Excel workbook as tables, without a formula run or a style read."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import replace
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from core.evidence.imports.upload import Upload, printable
from core.local_test.readers.collected import MOST_ROWS, short_id
from core.local_test.readers.tables import ITEM, KEY, SHEET

if TYPE_CHECKING:
    from collections.abc import Iterator

    from core.local_test.readers.sources import Archive

_MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_STRINGS = "xl/sharedStrings.xml"
_SHEET = re.compile(r"xl/worksheets/sheet(\d{1,4})\.xml")
_MOST_BYTES = 30_000_000
_MOST_COLUMNS, _MOST_SHEETS = 100, 50
_KEPT = {*SHEET, *KEY, *ITEM} - {"answer", "comment"}


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
    matches = [found for name in archive.names if (found := _SHEET.fullmatch(name))]
    numbers = sorted({int(found[1]) for found in matches})
    if len(numbers) > _MOST_SHEETS:
        raise upload.fault(f"the workbook has more than {_MOST_SHEETS} sheets")
    strings: list[str] = []
    if _STRINGS in archive.names:
        for element in _elements(archive, _STRINGS, "si"):
            strings.append(_short("".join(part.text or "" for part in element.iter(f"{_MAIN}t"))))
    tables = []
    for number in numbers:
        own = replace(upload, name=f"{upload.name}, sheet {number}")
        text = _csv(own, _elements(archive, f"xl/worksheets/sheet{number}.xml", "row"), strings)
        tables.append(replace(own, text=text))
    return tables


def _csv(upload: Upload, rows: Iterator[ElementTree.Element], strings: list[str]) -> str:
    """Return a sheet as CSV, a line for each of its rows so that places are the sheet's own."""
    written = io.StringIO(newline="")
    writer = csv.writer(written, lineterminator="\n")
    header: list[str] = []
    line = 0
    for row in rows:
        number = _whole(row.get("r"), line + 1)
        if not line < number <= MOST_ROWS:
            raise upload.fault(f"its rows are not in order, or more than {MOST_ROWS:,}")
        written.write("\n" * (number - line - 1))
        line = number
        cells: dict[int, str] = {}
        for cell in row.iter(f"{_MAIN}c"):
            column = _column(cell.get("r"), max(cells, default=-1) + 1)
            if column >= _MOST_COLUMNS:
                raise upload.fault(f"it has more than {_MOST_COLUMNS} columns", f"row {line}")
            name = header[column] if column < len(header) else ""
            if cell.find(f"{_MAIN}f") is not None and (name in _KEPT or not header):
                raise upload.fault("a cell holds a formula: write the value itself", f"row {line}")
            cells[column] = _text(upload, cell, strings, f"row {line}")
        values = [cells.get(column, "") for column in range(max(cells, default=-1) + 1)]
        if not header and any(values):
            header = [re.sub(r"\s+", "_", value.strip().lower()) for value in values]
        writer.writerow(values)
    return written.getvalue()


def _text(upload: Upload, cell: ElementTree.Element, strings: list[str], place: str) -> str:
    kind = cell.get("t")
    if kind == "inlineStr":
        return _short("".join(part.text or "" for part in cell.iter(f"{_MAIN}t")))
    value = (cell.findtext(f"{_MAIN}v") or "").strip()
    if kind != "s":
        return _short(value)
    place_of_text = _whole(value, -1)
    if not 0 <= place_of_text < len(strings):
        raise upload.fault("a cell points to a text that is not there", place)
    return strings[place_of_text]


def _short(text: str) -> str:
    return short_id(printable(text))


def _elements(archive: Archive, name: str, tag: str) -> Iterator[ElementTree.Element]:
    """Yield each element of a tag, whole, and let it go."""
    text = archive.part(name, _MOST_BYTES)
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise archive.upload.fault("its XML defines signs of its own", name)
    try:
        for _, element in ElementTree.iterparse(io.BytesIO(text.encode())):
            if element.tag == f"{_MAIN}{tag}":
                yield element
                element.clear()
    except (ElementTree.ParseError, ValueError, LookupError):
        raise archive.upload.fault("it is not readable XML", name) from None


def _column(reference: str | None, otherwise: int) -> int:
    """Return the place of a column, from 0, by a cell's reference such as ``AB12``."""
    found = re.match(r"[A-Z]{1,3}(?=\d)", reference or "", re.ASCII)
    if not found:
        return otherwise
    place = 0
    for letter in found[0]:
        place = place * 26 + ord(letter) - 64
    return place - 1


def _whole(text: str | None, otherwise: int) -> int:
    return int(text) if text and re.fullmatch(r"\d{1,9}", text, re.ASCII) else otherwise
