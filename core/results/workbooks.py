"""Excel workbooks as the CSV text of their sheets.

A workbook's few elements are told by their tags alone, in one pass without a regular expression:
time goes by length, whatever is in the file, and no more of it is held than one row. Not by
openpyxl, which holds whole parts, nor by any XML parser: each keeps all names that a file makes up,
300 MB of them in a workbook of 20 MB. So nothing can define its own characters or lead elsewhere,
either. No formula is run and no style read.
"""

from __future__ import annotations

import csv
import html
import io
import re
from dataclasses import replace
from typing import TYPE_CHECKING

from core.figures import printable
from core.results.collected import MOST_ROWS, short_id
from core.results.sheets import KEPT, MOST_COLUMNS, TOO_WIDE, named_columns

if TYPE_CHECKING:
    from collections.abc import Iterator

    from core.results.files import Archive, Upload

_STRINGS = "xl/sharedStrings.xml"
_WORKSHEET = re.compile(r"xl/worksheets/sheet(\d{1,9})\.xml", re.ASCII)
_REFERENCE = re.compile(r"([A-Z]{1,3})\d{0,9}", re.ASCII)
_MOST_CHARACTERS = 20_000_000
"""Of one sheet or of the shared texts as XML, and of all sheets as CSV."""
_LONGEST = 100_000
"""Characters that are read at once, and of one text in parts."""
_MOST_SHEETS, _MOST_STRINGS = 50, 300_000
_TOO_LONG = (
    f"it holds more than {_MOST_CHARACTERS // 10**6} million characters, or too many in one place"
)
_Tag = tuple[bool, str, str, str]
"""Whether it closes, its name, its attributes, and the text after it."""


def of_workbook(archive: Archive) -> list[Upload]:
    """Return each sheet as a CSV; a long text, such as an answer, is a hash of itself in it.

    Macros are refused, and so is a formula in a column that counts: what it shows may be old, or
    never computed.
    """
    upload = archive.upload
    if any(name.casefold().endswith("vbaproject.bin") for name in archive.names):
        raise upload.fault("the workbook has macros: save it as .xlsx without them")
    found = filter(None, map(_WORKSHEET.fullmatch, archive.names))
    sheets = sorted((int(name[1]), name[0]) for name in found)
    if len(sheets) > _MOST_SHEETS:
        raise upload.fault(f"the workbook has more than {_MOST_SHEETS} sheets")
    strings = list(_strings(archive)) if _STRINGS in archive.names else []
    tables: list[Upload] = []
    for number, name in sheets:
        own = replace(upload, name=f"{upload.name}, sheet {number}")
        tables.append(replace(own, text=_csv(own, _tags(archive, own, name, ""), strings)))
        if sum(len(table.text) for table in tables) > _MOST_CHARACTERS:
            raise upload.fault(_TOO_LONG)
    return tables


def _strings(archive: Archive) -> Iterator[str]:
    text, n = "", 0
    for closes, tag, _, after in _tags(archive, archive.upload, _STRINGS, _STRINGS):
        if tag == "si" and closes:
            yield _short(text)
            text, n = "", n + 1
            if n > _MOST_STRINGS:
                raise archive.upload.fault(f"it has more than {_MOST_STRINGS:,} texts", _STRINGS)
        elif tag == "t" and not closes:
            text = _longer(archive.upload, text, after, _STRINGS)


def _short(text: str) -> str:
    return short_id(printable(text))


def _longer(upload: Upload, text: str, more: str, place: str) -> str:
    """Return a text with a part of it that has a style of its own."""
    if len(text) > _LONGEST:
        raise upload.fault(_TOO_LONG, place)
    return text + _plain(more)


def _tags(archive: Archive, upload: Upload, name: str, place: str) -> Iterator[_Tag]:
    """Yield each tag of a part, which is at most as long as a cell's text may be."""
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
        if inside[0] != "/":
            yield False, tag, attributes[0] if attributes else "", after
        if "/" in (inside[0], inside[-1]):
            yield True, tag, "", ""


def _pieces(archive: Archive, upload: Upload, name: str, place: str) -> Iterator[str]:
    """Yield what is between two characters <."""
    n_characters, rest = 0, ""
    with archive.text(name) as text:
        while found := text.read(_LONGEST):
            n_characters += len(found)
            *whole, rest = (rest + found).split("<")
            if n_characters > _MOST_CHARACTERS or len(rest) > 4 * _LONGEST:
                raise upload.fault(_TOO_LONG, place)
            yield from whole
    yield rest


def _plain(text: str) -> str:
    """Return a text of the file without the marks for characters that XML cannot hold."""
    try:
        return html.unescape(text)
    except ValueError:  # a character's number of thousands of digits
        return text


def _attribute(text: str, wanted: str) -> str:
    parts = text.replace("'", '"').split('"')
    for name, value in zip(parts[::2], parts[1::2], strict=False):
        if name.strip(" \t\r\n=") == wanted:
            return _plain(value)
    return ""


def _csv(upload: Upload, tags: Iterator[_Tag], strings: list[str]) -> str:
    """Return a sheet as CSV, a line for each of its rows so that places are the sheet's own."""
    written = io.StringIO(newline="")
    writer = csv.writer(written, lineterminator="\n")
    header: list[str] = []
    cells: dict[int, str] = {}
    line = n_cells = column = 0
    place = kind = text = ""
    named: str | None = None  # The column of the cell that is read.
    for closes, tag, attributes, after in tags:
        if tag == "row" and not closes:
            number = _whole(_attribute(attributes, "r"), line + 1)
            if not line < number <= MOST_ROWS:
                raise upload.fault(f"its rows are not in order, or more than {MOST_ROWS:,}")
            written.write("\n" * (number - line - 1))
            line, place, cells, n_cells = number, f"row {number}", {}, 0
        elif tag == "row":
            values = [cells.get(column, "") for column in range(max(cells, default=-1) + 1)]
            header = header or (named_columns(values) if any(values) else [])
            writer.writerow(values)
            if written.tell() > _MOST_CHARACTERS:
                raise upload.fault(_TOO_LONG, place)
        elif tag == "c" and not closes:
            column = _column(_attribute(attributes, "r"), max(cells, default=-1) + 1)
            kind, text, n_cells = _attribute(attributes, "t"), "", n_cells + 1
            if max(column, n_cells - 1) >= MOST_COLUMNS:
                raise upload.fault(TOO_WIDE, place)
            named = header[column] if column < len(header) else ""
        elif tag == "c":
            is_shared = kind == "s"
            cells[column] = _shared(upload, text, strings, place) if is_shared else _short(text)
            named = None
        elif tag in ("v", "t") and not closes:
            text = _longer(upload, text, after, place)
        elif tag == "f" and named is not None and (named in KEPT or not header):
            raise upload.fault("a cell holds a formula: write the value itself", place)
    return written.getvalue()


def _shared(upload: Upload, text: str, strings: list[str], place: str) -> str:
    number = _whole(text.strip(), -1)
    if not 0 <= number < len(strings):
        raise upload.fault("a cell points to a text that is not there", place)
    return strings[number]


def _column(reference: str, otherwise: int) -> int:
    place = 0
    for letter in found[1] if (found := _REFERENCE.fullmatch(reference)) else "":
        place = place * 26 + ord(letter) - 64
    return place - 1 if place else otherwise


def _whole(text: str, otherwise: int) -> int:
    return int(text) if len(text) < 10 and text.isascii() and text.isdigit() else otherwise
