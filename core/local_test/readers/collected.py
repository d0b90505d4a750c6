"""Scores of items as they are collected from files, with ids that cannot hold a text."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from dataclasses import dataclass, field
from math import inf, isnan, nan
from typing import TYPE_CHECKING

import pandas as pd

from core.domain import BadDataError
from core.evidence.imports.csv_rows import GAPS
from core.evidence.imports.strict_json import as_number
from core.evidence.imports.upload import no_codes, quoted
from core.local_test.results import COLUMNS, Results

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.evidence.imports.upload import Upload

MOST_ROWS = 300_000
"""Of all files together, one for each attempt of a model at an item."""
_MOST_ID = 120
_MOST_AMOUNT = 1e12
_MOST_MODELS = 500
SETTINGS = (
    *("temperature", "top_p", "top_k", "max_tokens", "seed", "frequency_penalty"),
    *("presence_penalty", "num_choices", "num_outputs", "max_train_instances", "epochs"),
)
"""The numbers that are taken from what a tool records of a run."""
_EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh", "max")
_VERSION = re.compile(r"\d[\w.+-]{0,40}", re.ASCII)

_Key = tuple[str, str, str, str, int]
_Values = tuple[float, float, float, float]


@dataclass(slots=True)
class Rows:
    """What one file, or one run folder, gave."""

    upload: Upload
    format: str
    found: dict[_Key, _Values] = field(default_factory=dict)
    """(score, tokens, seconds, cost) by model, task, item, rater and attempt."""
    settings: dict[tuple[str, str], str] = field(default_factory=dict)
    patients: dict[str, str] = field(default_factory=dict)
    """The hash of the patient of an item."""
    notes: list[str] = field(default_factory=list)
    unscored: int = 0
    _hashed: set[str] = field(default_factory=set)
    _named: dict[object, str] = field(default_factory=dict)

    def add(
        self,
        place: str,
        model: str,
        item: object,
        score: float | None,
        *,
        task: str = "",
        rater: str = "",
        attempt: int = 1,
        tokens: object = None,
        seconds: object = None,
        cost: object = None,
    ) -> None:
        """Take one score of 0 to 1; ``None`` is counted as a row without one.

        A model has an item, a rater and an attempt once in a file.
        """
        own = self.id_of(item, place)
        if score is None:
            self.unscored += 1
            return
        if not 0 <= score <= 1:
            raise self.upload.fault(f"the score {score:.6g} is outside 0 to 1", place)
        key = (model, task, own, rater, attempt)
        if key in self.found:
            raise self.upload.fault(f"{quoted(model)} has this item twice", place)
        if len(self.found) >= MOST_ROWS:
            raise self.upload.fault(f"it has more than {MOST_ROWS:,} scores", place)
        self.found[key] = (score, amount(tokens), amount(seconds), amount(cost))

    def id_of(self, value: object, place: str) -> str:
        """Return what an item or a rater is known by; a long one becomes a hash of it."""
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            raise self.upload.fault("its id is missing, or neither a text nor a number", place)
        text = str(value).strip()
        if not text:
            raise self.upload.fault("its id is missing", place)
        if len(text) <= _MOST_ID and text.isprintable():
            return text
        known = short_id(text)
        self._hashed.add(known)
        return known

    def patient(self, item: object, value: str, place: str) -> None:
        """Keep whose item it is, as a hash whatever was written: nobody needs to read it."""
        if value.casefold() in GAPS:
            return
        known = hashed(value)
        if self.patients.setdefault(self.id_of(item, place), known) != known:
            raise self.upload.fault("the case is of another patient elsewhere in the file", place)

    def attempt_of(self, value: object, place: str) -> int:
        """Return the number of an attempt; 1 where the file does not say."""
        number = 1.0 if value is None else as_number(value)
        if number is None or not 1 <= number <= 1e6 or number % 1:
            raise self.upload.fault("its attempt is no whole number from 1", place)
        return int(number)

    def model_of(self, value: object, place: str) -> str:
        """Return the name of a model, which every format must give."""
        known = self._named.get(value) if isinstance(value, str) else None
        if known is None:
            known = self.upload.label(value, "model", place)
            self._named[value] = known
            if len(self._named) > _MOST_MODELS:
                raise self.upload.fault(f"it has more than {_MOST_MODELS} models", place)
        return known

    def set(self, model: str, recorded: object, tool: str = "", version: object = None) -> None:
        """Keep the settings that are numbers, a known word or a version, and no other."""
        given = recorded if isinstance(recorded, dict) else {}
        for name in SETTINGS:
            number = as_number(given.get(name)) if not isinstance(given.get(name), str) else None
            if number is not None:
                self.settings[model, name] = f"{number:.12g}"
        effort = given.get("reasoning_effort")
        if isinstance(effort, str) and effort in _EFFORTS:
            self.settings[model, "reasoning_effort"] = effort
        if tool and isinstance(version, str) and _VERSION.fullmatch(version):
            self.settings[model, "tool"] = f"{tool} {version}"

    def said(self) -> list[str]:
        """Return a sentence on each kind of row that was not used or changed."""
        notes = [f"{self.upload.name}: {note}" for note in self.notes]
        if self.unscored:
            notes.append(
                f"{self.upload.name}: {counted(self.unscored, 'row')} passed over: no score."
            )
        if self._hashed:
            notes.append(
                f"{self.upload.name}: {counted(len(self._hashed), 'id')} replaced by a hash, "
                f"longer than {_MOST_ID} signs or with signs that cannot be shown."
            )
        if warning := no_codes({key[2] for key in self.found} - self._hashed):
            notes.append(f"{self.upload.name}: {warning}")
        return notes


def counted(n: int, what: str) -> str:
    """Return "1 row was" or "12 rows were"."""
    return f"1 {what} was" if n == 1 else f"{n:,} {what}s were"


def amount(value: object) -> float:
    """Return a number of tokens, seconds or dollars; ``nan`` for what is none."""
    number = None if value is None or isinstance(value, str) else as_number(value)
    return number if number is not None and 0 <= number <= _MOST_AMOUNT else nan


def score_of(value: object) -> float | None:
    """Return a score from a number, or from a yes or no; ``None`` for all else, and for NaN."""
    if isinstance(value, bool):
        return float(value)
    if not isinstance(value, int | float) or (isinstance(value, float) and isnan(value)):
        return None
    return float(value) if abs(value) < _MOST_AMOUNT else inf


def short_id(value: object) -> str:
    """Return what a task is known by: as it is, or a hash of a long or unprintable text."""
    if not isinstance(value, str):
        return ""
    text = value.strip()
    if len(text) <= _MOST_ID and text.isprintable():
        return text
    return hashed(text)


def hashed(text: str) -> str:
    """Return the first 48 bits of the SHA-256 of a text, after a sign that tells it is a hash."""
    return "#" + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def joined(parts: Sequence[Rows], notes: Sequence[str] = ()) -> Results:
    """Return the rows of all files, where two have the same those of the first.

    Where the files of one format are of several tasks, items carry their task before their name:
    tasks number their items alike.
    """
    said = [*notes, *(note for rows in parts for note in rows.said())]
    tasks: dict[str, set[str]] = {}
    taken: dict[_Key, int] = {}
    doubled: Counter[tuple[int, int, str]] = Counter()
    for n, rows in enumerate(parts):
        for key in rows.found:
            if (first := taken.setdefault(key, n)) != n:
                doubled[first, n, key[0]] += 1
            tasks.setdefault(rows.format, set()).add(key[1])
    if not taken:
        why = f" {said[0]}" if said else ""
        raise BadDataError(f"There is no score of an item in what was given.{why}")
    if len(taken) > MOST_ROWS:
        raise BadDataError(f"The files have more than {MOST_ROWS:,} scores together.")
    for (first, n, model), count in doubled.items():
        of = "1 score" if count == 1 else f"{count:,} scores"
        said.append(
            f"{of} of {quoted(model)} came in {parts[first].upload.name} and again in "
            f"{parts[n].upload.name}: the first counts."
        )
    several = {name for name, found in tasks.items() if len(found) > 1}
    if several:
        said.append("Files are of several tasks: each item is named with its task before it.")
    data: list[tuple[object, ...]] = []
    for key, n in taken.items():
        model, task, item, rater, attempt = key
        score, tokens, seconds, cost = parts[n].found[key]
        named = f"{task}/{item}" if task and parts[n].format in several else item
        data.append((model, named, attempt, rater, score, tokens, seconds, cost))
    frame = pd.DataFrame(data, columns=list(COLUMNS))
    frame = frame.sort_values(["model", "item", "rater", "attempt"], ignore_index=True)
    settings = {key: value for rows in reversed(parts) for key, value in rows.settings.items()}
    patients = {item: who for rows in reversed(parts) for item, who in rows.patients.items()}
    return Results(
        patients=patients,
        format=" and ".join(dict.fromkeys(rows.format for rows in parts if rows.found)),
        frame=frame,
        settings=tuple(sorted((*key, value) for key, value in settings.items())),
        passed_over=tuple(dict.fromkeys(said)),
    )
