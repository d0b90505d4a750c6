"""The rows of a CSV that a stranger filled in, as spreadsheets save it, within limits."""

from __future__ import annotations

import csv
import io
import re
from typing import TYPE_CHECKING

from core.evidence.imports.strict_json import as_number
from core.evidence.imports.upload import listed, quoted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from core.evidence.imports.upload import Upload

GAPS = ("", "-", "–", "—", "n/a", "na")
"""What people write for a number that there is not, in small letters."""
_MAX_CELLS = 2_000_000
_MAX_COLUMNS = 100
_LONGEST = 2_000_000
_SIGNS = ",;\t"
_APOSTROPHE = re.compile(r"'(?=[=+\-@\t\r\d])")
_DECIMAL_COMMA = re.compile(r"[+-]?\d*,\d+")

Row = tuple[str, dict[str, str]]
"""Its place for messages, and its cells by column."""


def template_csv(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> bytes:
    """Write a CSV to fill in, as UTF-8 with the byte order mark that spreadsheets need."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return text.getvalue().encode("utf-8-sig")


def note_passed_over(n_rows: int, lacking: str, notes: list[str]) -> None:
    """Say how many rows lack what they are there for."""
    if n_rows:
        were = "1 row was" if n_rows == 1 else f"{n_rows} rows were"
        notes.append(f"{were} passed over: no {lacking}.")


def delimiter(text: str, columns: Sequence[str]) -> str:
    """Return the separator that gives the first lines most of the columns."""
    start = [line for line in text[:5000].splitlines() if line.strip()][:2]
    counts = {
        sign: sum(
            cell.strip(' "').casefold() in columns for line in start for cell in line.split(sign)
        )
        for sign in _SIGNS
    }
    return max(_SIGNS, key=lambda sign: counts[sign])


def csv_rows(
    upload: Upload,
    *,
    columns: Sequence[str],
    required: Sequence[str],
    most_rows: int,
    notes: list[str],
    synonyms: Mapping[str, str] | None = None,
) -> Iterator[Row]:
    """Yield the rows below the header; empty ones are passed over.

    Separated by commas, semicolons or tabs. Names of columns count in any case, with blanks for
    underscores; ``synonyms`` maps other names to those of columns. Columns that nobody asked for
    are passed over with one note; an absent column reads as empty cells. The apostrophe by which
    a spreadsheet keeps a text from running as a formula is taken away.
    """
    text = upload.text
    if upload.encoding != "utf-8":
        notes.append(f"The file is not UTF-8; it was read as {upload.encoding.upper()}.")
    if max(text.count("\n"), text.count("\r")) > most_rows:
        raise upload.fault(f"it has more than {most_rows:,} rows")
    if sum(text.count(sign) for sign in _SIGNS) > _MAX_CELLS:
        raise upload.fault(f"it has more than {_MAX_CELLS:,} cells")
    reader = csv.reader(_lines(upload), delimiter=delimiter(text, columns))
    header: list[str] = []
    n_rows = 0
    try:
        for raw in reader:
            place = f"row {reader.line_num}"
            if len(raw) > _MAX_COLUMNS:
                raise upload.fault(f"it has more than {_MAX_COLUMNS} columns", place)
            cells = [_APOSTROPHE.sub("", cell.strip(), count=1) for cell in raw]
            if not any(cells) or (not header and cells[0].casefold().startswith("sep=")):
                continue
            if not header:
                names = ["_".join(cell[:100].lower().split()) for cell in cells]
                header = [(synonyms or {}).get(name, name) for name in names]
                _check_header(upload, header, columns, required, place)
                if others := [name for name in header if name and name not in columns]:
                    notes.append(f"These columns were passed over: {listed(others)}.")
                continue
            if len(cells) > len(header):
                raise upload.fault(
                    f"it has {len(cells)} cells and the header {len(header)}; write decimals with "
                    "a point, and text with a separator in quotation marks",
                    place,
                )
            n_rows += 1
            row = dict.fromkeys(columns, "") | dict(zip(header, cells, strict=False))
            yield place, row
    except csv.Error as error:
        raise upload.fault(
            f"it is not a readable CSV file ({error})", f"row {reader.line_num}"
        ) from None
    if not n_rows:
        raise upload.fault("it has a header and no rows")


def _lines(upload: Upload) -> Iterator[str]:
    """Yield each line with its end, some at once: all at once ``StringIO`` has 4 bytes a sign."""
    text, at = upload.text, 0
    while at < len(text):
        least = at + _LONGEST // 2
        end = text.find("\n", least) + 1 or text.find("\r", least) + 1 or len(text)
        if end - at > _LONGEST:
            raise upload.fault(f"a line in it is longer than {_LONGEST:,} signs")
        yield from io.StringIO(text[at:end], newline="")
        at = end


def number(upload: Upload, text: str, what: str, place: str) -> float | None:
    """Read a finite number with a decimal point; ``None`` for a gap."""
    if text.casefold() in GAPS:
        return None
    value = as_number(text)
    if value is not None:
        return value
    advice = ""
    if _DECIMAL_COMMA.fullmatch(text):
        advice = f" because of its decimal comma: write {quoted(text.replace(',', '.'))}"
    elif text.endswith("%"):
        advice = ": write the number without the percent sign, on the benchmark's scale"
    raise upload.fault(f"the {what} {quoted(text)} is not a finite number{advice}", place)


def _check_header(
    upload: Upload,
    header: Sequence[str],
    columns: Sequence[str],
    required: Sequence[str],
    place: str,
) -> None:
    if missing := [column for column in required if column not in header]:
        one = len(missing) == 1
        verb = "column" if one else "columns"
        raise upload.fault(f"the {verb} {listed(missing)} {'is' if one else 'are'} missing", place)
    for column in columns:
        if header.count(column) > 1:
            raise upload.fault(f'the column "{column}" comes twice', place)
