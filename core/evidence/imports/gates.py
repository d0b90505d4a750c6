"""A hospital's own answers on gates, as a CSV that strangers may have filled in."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, cast

from core.domain import GateAnswer
from core.evidence.imports.upload import decoded, listed, opened, printable, quoted
from core.evidence.procurement_facts import ANSWERS, is_date
from core.evidence.tables import squeezed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from core.domain import GateKind
    from core.evidence.imports.upload import Upload

COLUMNS = (*("platform", "gate", "answer", "detail", "source_url", "as_of", "days", "source_kind"),)
REQUIRED = ("platform", "gate", "answer")
_KINDS = ("vendor", "vendor_forum", "third_party", "catalogue", "own")
_MAX_ROWS = 5_000
_MAX_COLUMNS = 50
_MAX_TEXT = 1_000
_APOSTROPHE = re.compile(r"'(?=[=+\-@\t\r])")


@dataclass(frozen=True, slots=True)
class OwnGates:
    """The answers of a file, in its order."""

    answers: tuple[GateAnswer, ...]
    notes: tuple[str, ...]
    """What was passed over, in sentences."""


def read(name: str, data: bytes, kinds: Mapping[str, GateKind]) -> OwnGates:
    """Read answers on gates, also as spreadsheets save them with semicolons or tabs.

    Parameters
    ----------
    name : str
        The file's name, for messages.
    data : bytes
        The content, of at most ``MAX_BYTES`` and 5,000 rows.
    kinds : mapping of str to GateKind
        The known gates; a file may name one by its id or by its name.

    Returns
    -------
    OwnGates
        One answer a row. A row without an answer is passed over and counted in ``notes``. For
        a gate about a model, the column ``platform`` holds the model's id.

    Raises
    ------
    BadDataError
        One sentence with the file, the row and what to mend: no readable CSV, a column missing
        or twice, an unknown gate or answer, an answer without a source or a date, days that
        are no whole number, one platform and gate twice, no answer at all, or too much.
    """
    upload = opened(name, data)
    text, encoding = decoded(upload, data)
    notes = []
    if encoding != "utf-8":
        notes.append(f"The file is not UTF-8; it was read as {encoding.upper()}.")
    by_name = {squeezed(kind.name): kind.id for kind in kinds.values()}
    by_name |= {squeezed(gate): gate for gate in kinds}
    found: dict[tuple[str, str], GateAnswer] = {}
    empty = 0
    for place, cells in _rows(upload, text, notes):
        answer = cells["answer"].casefold()
        if not answer:
            empty += 1
            continue
        platform = upload.label(cells["platform"], "platform", place)
        gate = by_name.get(squeezed(cells["gate"]))
        if gate is None:
            known = ", ".join(kinds)
            raise upload.fault(f"the gate {quoted(cells['gate'])} is none of {known}", place)
        if answer not in ANSWERS:
            raise upload.fault(
                f"the answer {quoted(cells['answer'])} must be yes, no, conditional or unknown",
                place,
            )
        if (platform, gate) in found:
            raise upload.fault(f"{quoted(platform)} answers {gate} already", place)
        found[platform, gate] = GateAnswer(
            platform=platform,
            gate=gate,
            answer=cast('Literal["yes", "no", "conditional", "unknown"]', answer),
            detail=_text(upload, cells["detail"], "detail", place),
            source_url=_source(upload, cells, answer, place),
            as_of=_date(upload, cells["as_of"], answer, place),
            days=_days(upload, cells["days"], place),
            source_kind=_kind(upload, cells["source_kind"], place),
        )
    if not found:
        raise upload.fault("it has no answer")
    if empty:
        were = "1 row was" if empty == 1 else f"{empty} rows were"
        notes.append(f"{were} passed over: no answer.")
    return OwnGates(tuple(found.values()), tuple(notes))


def _source(upload: Upload, cells: dict[str, str], answer: str, place: str) -> str:
    source = _text(upload, cells["source_url"], "source", place)
    if not source and answer != "unknown":
        raise upload.fault(
            'the column "source_url" is empty: say where the answer is from, such as a contract',
            place,
        )
    return source


def _date(upload: Upload, text: str, answer: str, place: str) -> str:
    if not text and answer == "unknown":
        return ""
    if text != "undated" and not is_date(text):
        raise upload.fault(
            f'the date {quoted(text)} in "as_of" must be written 2026-11-21, or undated', place
        )
    return text


def _days(upload: Upload, text: str, place: str) -> int | None:
    if not text:
        return None
    if not re.fullmatch(r"\d{1,5}", text, re.ASCII):
        raise upload.fault(f"the days {quoted(text)} are no whole number from 0 to 99,999", place)
    return int(text)


def _kind(upload: Upload, text: str, place: str) -> str:
    kind = text.casefold() or "own"
    if kind not in _KINDS:
        raise upload.fault(
            f"the source kind {quoted(text)} must be {', '.join(_KINDS)} or empty", place
        )
    return kind


def _text(upload: Upload, text: str, what: str, place: str) -> str:
    if len(text) > _MAX_TEXT:
        raise upload.fault(f"the {what} is longer than {_MAX_TEXT:,} signs", place)
    return printable(text).strip()


def _rows(upload: Upload, text: str, notes: list[str]) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the cells of each row with its place in the file; note columns nobody asked for."""
    if max(text.count("\n"), text.count("\r")) > _MAX_ROWS:
        raise upload.fault(f"it has more than {_MAX_ROWS:,} rows")
    first = next((line for line in text.splitlines() if line.strip()), "")
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=max(",;\t", key=first.count))
    header: list[str] = []
    try:
        for raw in reader:
            place = f"row {reader.line_num}"
            if len(raw) > _MAX_COLUMNS:
                raise upload.fault(f"it has more than {_MAX_COLUMNS} columns", place)
            cells = [_APOSTROPHE.sub("", cell.strip(), count=1) for cell in raw]
            if not any(cells):
                continue
            if not header:
                header = [cell[:100].lower().replace(" ", "_") for cell in cells]
                header = ["source_url" if cell == "source" else cell for cell in header]
                _check_header(upload, header, place, notes)
                continue
            if len(cells) > len(header):
                raise upload.fault(
                    f"it has {len(cells)} cells and the header {len(header)}; write text with a "
                    "separator in quotation marks",
                    place,
                )
            yield place, dict.fromkeys(COLUMNS, "") | dict(zip(header, cells, strict=False))
    except csv.Error as error:
        raise upload.fault(
            f"it is not a readable CSV file ({error})", f"row {reader.line_num}"
        ) from None


def _check_header(upload: Upload, header: list[str], place: str, notes: list[str]) -> None:
    if missing := [column for column in REQUIRED if column not in header]:
        verb = "column is" if len(missing) == 1 else "columns are"
        raise upload.fault(f"the {verb} missing: {listed(missing)}", place)
    for column in COLUMNS:
        if header.count(column) > 1:
            raise upload.fault(f'the column "{column}" comes twice', place)
    if others := [column for column in header if column and column not in COLUMNS]:
        notes.append(f"These columns were passed over: {listed(others)}.")
