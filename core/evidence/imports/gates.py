"""A hospital's own answers on gates, as a CSV that strangers may have filled in."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, cast

from core.domain import GateAnswer
from core.evidence.imports.csv_rows import csv_rows, note_passed_over
from core.evidence.imports.upload import opened, printable, quoted
from core.evidence.tables import is_date, squeezed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from core.domain import GateKind
    from core.evidence.imports.upload import Upload

COLUMNS = (
    *("platform", "gate", "answer", "detail"),
    *("source_url", "as_of", "days", "source_kind"),
)
REQUIRED = ("platform", "gate", "answer")
_ANSWERS = ("yes", "no", "conditional", "unknown")
_KINDS = ("vendor", "vendor_forum", "third_party", "catalogue", "own")
_SYNONYMS = {"source": "source_url"}
_DAYS = re.compile(r"\d{1,5}", re.ASCII)
_MAX_ROWS = 5_000
_MAX_TEXT = 1_000


@dataclass(frozen=True, slots=True)
class OwnGates:
    """The answers of a file, in its order."""

    answers: tuple[GateAnswer, ...]
    notes: tuple[str, ...]
    """What was passed over, in sentences."""


def read(name: str, data: bytes, kinds: Mapping[str, GateKind]) -> OwnGates:
    """Read answers on gates, one a row, also as spreadsheets save them with semicolons or tabs.

    At most 5,000 rows. A file may name a gate of ``kinds`` by its id or by its name; for one
    about a model, the column ``platform`` holds the model's id. A row without an answer is
    passed over and counted in ``notes``.
    """
    notes: list[str] = []
    upload = opened(name, data)
    by_name = {squeezed(kind.name): kind.id for kind in kinds.values()}
    by_name |= {squeezed(gate): gate for gate in kinds}
    found: dict[tuple[str, str], GateAnswer] = {}
    empty = 0
    for place, cells in csv_rows(
        upload,
        columns=COLUMNS,
        required=REQUIRED,
        most_rows=_MAX_ROWS,
        notes=notes,
        synonyms=_SYNONYMS,
    ):
        answer = cells["answer"].casefold()
        if not answer:
            empty += 1
            continue
        platform = upload.label(cells["platform"], "platform", place)
        gate = by_name.get(squeezed(cells["gate"]))
        if gate is None:
            known = ", ".join(kinds)
            raise upload.fault(f"the gate {quoted(cells['gate'])} is none of {known}", place)
        if answer not in _ANSWERS:
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
    note_passed_over(empty, "answer", notes)
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
    if not _DAYS.fullmatch(text):
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
