"""Tables that people fill in: the rating sheet with its key, the item CSV, the case file."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import pandas as pd

from core.domain import BadRequestError
from core.evidence.imports.csv_rows import GAPS, csv_rows, delimiter
from core.evidence.imports.strict_json import as_number
from core.evidence.imports.upload import quoted
from core.local_test.readers.collected import MOST_ROWS, Rows

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from core.evidence.imports.csv_rows import Row
    from core.evidence.imports.upload import Upload

RATINGS, ITEMS, KEY_FILE = "rating sheet", "item CSV", "key"
SHEET = ("rater", "order", "case", "letter", "answer", "rating", "right", "comment", "patient")
KEY = ("case", "letter", "model")
ITEM = ("model", "item", "score", "attempt", "rater", "tokens", "seconds", "cost", "patient")
_GROUP = "group_"
_MOST_IN_GROUP, _MOST_GROUPS, _LONGEST_GROUP = 12, 20, 40
_RIGHT = {"right": 1.0, "wrong": 0.0}
_ONES = {"1": 1.0, "0": 0.0, "1.0": 1.0, "0.0": 0.0, "true": 1.0, "false": 0.0}

Key = dict[tuple[str, str], str]
"""The model behind each case and letter."""


def header(upload: Upload) -> list[str]:
    """Return the names of the columns, as ``csv_rows`` reads them; none where there is no table."""
    text = upload.text[:20_000]
    sign = delimiter(text, (*SHEET, *KEY, *ITEM))
    try:
        for cells in csv.reader(io.StringIO(text, newline=""), delimiter=sign):
            if any(cells) and not cells[0].casefold().startswith("sep="):
                return ["_".join(cell.strip()[:100].lower().split()) for cell in cells]
    except csv.Error:
        pass
    return []


def kind(columns: Sequence[str]) -> str:
    """Say what a table is by its columns: ``RATINGS``, ``KEY_FILE``, ``ITEMS`` or empty."""
    found = set(columns)
    if {"case", "letter"} <= found and found & {"rating", "right"}:
        return RATINGS
    if found >= set(KEY):
        return KEY_FILE
    return ITEMS if found >= {"model", "item", "score"} else ""


def read_key(upload: Upload, key: Key) -> None:
    """Add the models that stand behind the letters of each case."""
    rows = Rows(upload, RATINGS)
    for place, cells in _rows(upload, KEY, KEY, []):
        case, letter = rows.id_of(cells["case"], place), cells["letter"].strip().upper()
        model = rows.model_of(cells["model"], place)
        if key.setdefault((case, letter), model) != model:
            raise upload.fault("the key has another model for this case and letter too", place)


@dataclass(frozen=True, slots=True)
class Marks:
    """What raters filled in on one sheet, as long as nobody knows for which model."""

    rows: Rows
    found: list[tuple[str, str, str, str, float | None]]
    """(place, case, letter, rater, score)."""


def read_marks(upload: Upload) -> Marks:
    """Read what raters filled in; a rating r of 1 to 5 becomes (r − 1)/4.

    ``right`` and ``wrong`` are 1 and 0, and so are the numbers 1 and 0 in a column named
    ``right``. Answers and comments are let go.
    """
    rows = Rows(upload, RATINGS)
    column = "right" if "right" in header(upload) else "rating"
    found = []
    for place, cells in _rows(upload, SHEET, ("rater", "case", "letter", column), rows.notes):
        case, letter = rows.id_of(cells["case"], place), cells["letter"].strip().upper()
        rater = rows.id_of(cells["rater"], place)
        score = _rating(upload, cells[column], place, right=column == "right")
        found.append((place, case, letter, rater, score))
        rows.patient(case, cells["patient"], place)
    return Marks(rows, found)


def rated(marks: Marks, key: Key) -> Rows:
    """Return the marks of one sheet under the models that its key names."""
    rows = replace(marks.rows, found={})
    if not key:
        raise BadRequestError(
            f"{rows.upload.name}: it is a rating sheet without its key; give the key file of its "
            "package too (columns case, letter, model)."
        )
    for place, case, letter, rater, score in marks.found:
        model = key.get((case, letter))
        if model is None:
            raise rows.upload.fault("the key has no model for this case and letter", place)
        rows.add(place, model, case, score, rater=rater)
    return rows


def read_items(upload: Upload) -> Rows:
    """Read scores of 0 to 1 by model and item."""
    rows = Rows(upload, ITEMS)
    for place, cells in _rows(upload, ITEM, ITEM[:3], rows.notes):
        score, attempt, tokens, seconds, cost = (
            _number(upload, cells[name], name, place)
            for name in ("score", "attempt", "tokens", "seconds", "cost")
        )
        rows.add(
            place,
            rows.model_of(cells["model"], place),
            cells["item"],
            score,
            attempt=rows.attempt_of(attempt, place),
            rater=rows.id_of(cells["rater"], place) if cells["rater"] else "",
            tokens=tokens,
            seconds=seconds,
            cost=cost,
        )
        rows.patient(cells["item"], cells["patient"], place)
    return rows


def read_groups(upload: Upload) -> pd.DataFrame:
    """Return the subgroup columns of a case file, and nothing else of it.

    Returns
    -------
    DataFrame
        Indexed by ``case``; the columns whose names begin with ``group_``, as text, empty where
        the file says nothing, and ``patient``, hashed, where the file has it.
    """
    columns = header(upload)
    groups = [name for name in columns if name.startswith(_GROUP)]
    if len(groups) > _MOST_GROUPS:
        raise upload.fault(f"it has more than {_MOST_GROUPS} subgroup columns")
    rows = Rows(upload, "")
    found: dict[str, list[str]] = {}
    values: dict[str, set[str]] = {name: set() for name in groups}
    has_patients = "patient" in columns
    for place, cells in _rows(upload, ("case", "patient", *groups), ("case",), []):
        case = rows.id_of(cells["case"], place)
        if case in found:
            raise upload.fault("the case is there twice", place)
        for name in groups:
            what = f"the column {quoted(name)}"
            if len(cells[name]) > _LONGEST_GROUP or not cells[name].isprintable():
                raise upload.fault(f"{what} holds free text, which is no subgroup", place)
            values[name].add(cells[name])
            if len(values[name] - {""}) > _MOST_IN_GROUP:
                raise upload.fault(
                    f"{what} has more than {_MOST_IN_GROUP} values, which makes no subgroups", place
                )
        rows.patient(case, cells["patient"], place)
        found[case] = [cells[name] for name in groups]
    frame = pd.DataFrame(list(found.values()), columns=groups, dtype="str")
    if has_patients:
        frame["patient"] = [rows.patients.get(case, "") for case in found]
    return frame.set_axis(pd.Index(list(found), name="case", dtype="str"))


def _rows(
    upload: Upload, columns: Sequence[str], required: Sequence[str], notes: list[str]
) -> Iterator[Row]:
    """Yield the rows of a table; other columns are counted, not named: they may hold anything."""
    yield from csv_rows(upload, columns=columns, required=required, most_rows=MOST_ROWS, notes=[])
    if others := sum(bool(name) and name not in columns for name in header(upload)):
        notes.append(f"{'1 column was' if others == 1 else f'{others} columns were'} passed over.")
    if upload.encoding != "utf-8":
        notes.append(f"it is not UTF-8; it was read as {upload.encoding.upper()}.")


def _number(upload: Upload, text: str, name: str, place: str) -> float | None:
    if text.casefold() in GAPS:
        return None
    number = as_number(text)
    if number is None:
        raise upload.fault(f"the {name} is no number; write decimals with a point", place)
    if number < 0:
        raise upload.fault(f"the {name} is below 0", place)
    return number


def _rating(upload: Upload, text: str, place: str, *, right: bool) -> float | None:
    word = text.casefold()
    if word in GAPS:
        return None
    known = _RIGHT.get(word, _ONES.get(word) if right else None)
    if known is not None:
        return known
    number = None if right else as_number(text.replace(",", ".", text[1:2] == ","))
    if number is None or not 1 <= number <= 5:
        wanted = "right (1) nor wrong (0)" if right else "a number from 1 to 5, nor right or wrong"
        raise upload.fault(f"the {'mark' if right else 'rating'} is neither {wanted}", place)
    return (number - 1) / 4
