"""Ratings of clinicians and of a jury on the same instances, as a hospital writes them down."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from core.evidence.imports.strict_json import as_number
from core.evidence.imports.upload import decoded, listed, opened, quoted

if TYPE_CHECKING:
    from core.domain import FloatArray
    from core.evidence.imports.upload import Upload

COLUMNS = ("rater", "role", "instance", "score")
ROLES = ("clinician", "jury")
_SHOWN = (("Clinician A", "clinician"), ("Clinician B", "clinician"), ("Jury", "jury"))
_MAX_ROWS = 20_000
_MAX_COLUMNS = 100
_MAX_RATERS = 50
_MAX_INSTANCES = 2_000
_MAX_SCORE = 1e9
_GAPS = ("", "-", "–", "—", "n/a", "na")
_APOSTROPHE = re.compile(r"'(?=[=+\-@\t\r\d])")
_DECIMAL_COMMA = re.compile(r"[+-]?\d*,\d+")


@dataclass(frozen=True, slots=True, eq=False)
class Ratings:
    """Who scored what, in the order of the file."""

    raters: tuple[str, ...]
    in_jury: tuple[bool, ...]
    instances: tuple[str, ...]
    scores: FloatArray
    """Shape (n_instances, n_raters); ``nan`` where a rater did not score the instance."""
    notes: tuple[str, ...]
    """What was passed over, in sentences."""


def template() -> bytes:
    """Return the CSV to fill in: a header, and rows without a score that show its shape.

    UTF-8 with a byte order mark, which spreadsheets need.
    """
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    for rater, role in _SHOWN:
        writer.writerows((rater, role, f"note {number}", "") for number in (1, 2, 3))
    return text.getvalue().encode("utf-8-sig")


def read(name: str, data: bytes) -> Ratings:
    """Read a filled-in template, also as spreadsheets save it with semicolons or tabs.

    Parameters
    ----------
    name : str
        The file's name, for messages.
    data : bytes
        The content, of at most ``MAX_BYTES``, 20,000 rows, 50 raters and 2,000 instances.

    Returns
    -------
    Ratings
        Rows without a score are gaps: passed over and counted in ``notes``.

    Raises
    ------
    BadDataError
        One sentence with the file, the row and what to mend: no readable CSV, a column missing or
        twice, a role that is neither clinician nor jury, a rater with both roles, a score that is
        no finite number, one rater twice on one instance, no score at all, or too much of it.
    """
    upload = opened(name, data)
    text, encoding = decoded(upload, data)
    notes = []
    if encoding != "utf-8":
        notes.append(f"The file is not UTF-8; it was read as {encoding.upper()}.")
    roles: dict[str, str] = {}
    found: dict[tuple[str, str], tuple[float, str]] = {}
    empty = 0
    for place, cells in _rows(upload, text, notes):
        if cells["score"].casefold() in _GAPS:
            empty += 1
            continue
        rater = upload.label(cells["rater"], "rater", place)
        role = cells["role"].casefold()
        if role not in ROLES:
            raise upload.fault(
                f"the role {quoted(cells['role'])} is neither clinician nor jury", place
            )
        if roles.setdefault(rater, role) != role:
            raise upload.fault(
                f"the rater {quoted(rater)} is a {role} here and a {roles[rater]} above", place
            )
        instance = upload.label(cells["instance"], "instance", place)
        score = _score(upload, cells["score"], place)
        if (rater, instance) in found:
            raise upload.fault(
                f"{quoted(rater)} has scored {quoted(instance)} already in "
                f"{found[rater, instance][1]}",
                place,
            )
        found[rater, instance] = (score, place)
    if not found:
        raise upload.fault("it has no score")
    if empty:
        rows_were = "1 row was" if empty == 1 else f"{empty} rows were"
        notes.append(f"{rows_were} passed over: no score.")
    return _as_table(upload, roles, found, notes)


def _as_table(
    upload: Upload,
    roles: dict[str, str],
    found: dict[tuple[str, str], tuple[float, str]],
    notes: list[str],
) -> Ratings:
    instances = list(dict.fromkeys(instance for _, instance in found))
    for what, number, limit in (
        ("raters", len(roles), _MAX_RATERS),
        ("instances", len(instances), _MAX_INSTANCES),
    ):
        if number > limit:
            raise upload.fault(f"it has {number:,} {what}, and at most {limit:,} can be compared")
    row = {name: i for i, name in enumerate(instances)}
    column = {name: j for j, name in enumerate(roles)}
    scores = np.full((len(row), len(column)), np.nan)
    for (rater, instance), (score, _) in found.items():
        scores[row[instance], column[rater]] = score
    scores.setflags(write=False)
    return Ratings(
        raters=tuple(roles),
        in_jury=tuple(role == "jury" for role in roles.values()),
        instances=tuple(instances),
        scores=scores,
        notes=tuple(notes),
    )


def _rows(upload: Upload, text: str, notes: list[str]) -> list[tuple[str, dict[str, str]]]:
    """Return the cells of each row with its place in the file; note columns nobody asked for."""
    if max(text.count("\n"), text.count("\r")) > _MAX_ROWS:
        raise upload.fault(f"it has more than {_MAX_ROWS:,} rows")
    delimiter = _delimiter(text)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    header: list[str] = []
    rows: list[tuple[str, dict[str, str]]] = []
    try:
        for raw in reader:
            place = f"row {reader.line_num}"
            if len(raw) > _MAX_COLUMNS:
                raise upload.fault(f"it has more than {_MAX_COLUMNS} columns", place)
            cells = [_APOSTROPHE.sub("", cell.strip(), count=1) for cell in raw]
            if not any(cells) or (not header and cells[0].casefold().startswith("sep=")):
                continue
            if not header:
                header = [cell[:100].lower() for cell in cells]
                _check_header(upload, header, place)
                continue
            if len(cells) > len(header):
                raise upload.fault(
                    f"it has {len(cells)} cells and the header {len(header)}; write decimals with "
                    "a point, and text with a separator in quotation marks",
                    place,
                )
            row = dict.fromkeys(COLUMNS, "") | dict(zip(header, cells, strict=False))
            rows.append((place, row))
    except csv.Error as error:
        raise upload.fault(
            f"it is not a readable CSV file ({error})", f"row {reader.line_num}"
        ) from None
    if not rows:
        raise upload.fault("it has a header and no rows")
    if others := [column for column in header if column and column not in COLUMNS]:
        notes.append(f"These columns were passed over: {listed(others)}.")
    return rows


def _delimiter(text: str) -> str:
    """Return the separator that gives the first lines most of the columns of the template."""
    start = [line for line in text[:5000].splitlines() if line.strip()][:2]
    counts = {
        sign: sum(
            cell.strip(' "').casefold() in COLUMNS for line in start for cell in line.split(sign)
        )
        for sign in ",;\t"
    }
    return max(counts, key=lambda sign: counts[sign])


def _check_header(upload: Upload, header: list[str], place: str) -> None:
    if missing := [column for column in COLUMNS if column not in header]:
        columns = "column" if len(missing) == 1 else "columns"
        verb = "is" if len(missing) == 1 else "are"
        raise upload.fault(f"the {columns} {listed(missing)} {verb} missing", place)
    for column in COLUMNS:
        if header.count(column) > 1:
            raise upload.fault(f'the column "{column}" comes twice', place)


def _score(upload: Upload, text: str, place: str) -> float:
    value = as_number(text)
    if value is not None:
        if abs(value) > _MAX_SCORE:
            raise upload.fault(f"the score {quoted(text)} is beyond {_MAX_SCORE:,.0f}", place)
        return value
    advice = ""
    if _DECIMAL_COMMA.fullmatch(text):
        advice = f" because of its decimal comma: write {quoted(text.replace(',', '.'))}"
    raise upload.fault(f"the score {quoted(text)} is not a finite number{advice}", place)
