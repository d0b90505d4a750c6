"""Sheets that people fill in, also as spreadsheets save them with semicolons or tabs.

Scores of benchmarks, a jury's and clinicians' ratings, answers on gates; and of a local test the
rating sheet with its key, the CSV of items and the case file.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from core.domain import BadRequestError
from core.evidence.tables import as_number
from core.results.collected import Collected, Names, Rows, Run, known_suite
from core.results.files import GAPS, counted, no_codes, opened, quoted, shortened
from core.results.tables import csv_rows, delimiter, header, template_csv

if TYPE_CHECKING:
    from collections.abc import Iterator

    from core.domain import FloatArray
    from core.evidence.catalogue import Catalogue
    from core.results.collected import Imported
    from core.results.files import Upload
    from core.results.tables import Row

SCORES = "CSV template"
SCORE_COLUMNS = ("model", "run", "benchmark", "score", "standard_error")
_REQUIRED_OF_SCORES = ("model", "benchmark", "score")
RATING_COLUMNS = ("rater", "role", "instance", "score")
_ROLES = ("clinician", "jury")
_SHOWN = (("Clinician A", "clinician"), ("Clinician B", "clinician"), ("Jury", "jury"))
_MOST_RATERS, _MOST_INSTANCES, _MOST_SCORE = 50, 2_000, 1e9
RATINGS, ITEMS, KEY_FILE = "rating sheet", "item CSV", "key"
_SHEET = ("rater", "order", "case", "letter", "answer", "rating", "right", "comment", "patient")
_KEY = ("case", "letter", "model")
_ITEM = ("model", "item", "score", "attempt", "rater", "tokens", "seconds", "cost", "patient")
_OF_TEST = {*_SHEET, *_KEY, *_ITEM}
KEPT = _OF_TEST - {"answer", "comment"}
"""Columns of a local test that count."""
_RIGHT = {"right": 1.0, "wrong": 0.0}
_ONES = {"1": 1.0, "0": 0.0, "1.0": 1.0, "0.0": 0.0, "true": 1.0, "false": 0.0}

Key = dict[tuple[str, str], str]
"""The model behind each case and letter."""


# Scores of benchmarks


def template(suite: str, catalogue: Catalogue) -> bytes:
    """Return the CSV to fill in: a header, and one row per benchmark without a score.

    UTF-8 with a byte order mark, which spreadsheets need.
    """
    benchmarks = catalogue.benchmarks.get(known_suite(catalogue, suite), ())
    return template_csv(SCORE_COLUMNS, [("", "", benchmark.id, "", "") for benchmark in benchmarks])


def read_scores(upload: Upload, catalogue: Catalogue, suite: str | None) -> Imported:
    """Read a filled-in template: one row per model, run and benchmark."""
    notes: list[str] = []
    rows = list(_score_rows(upload, notes))  # the suite is told by the benchmarks of all
    collected = Collected(upload, catalogue, suite or _suite(upload, catalogue, rows))
    collected.notes += notes
    names = Names(catalogue.benchmarks.get(collected.suite, ()), {})
    protocols = catalogue.suites[collected.suite].protocols
    empty = 0
    for place, cells in rows:
        score = upload.number(cells["score"], "score", place)
        if score is None:
            empty += 1
            continue
        model = upload.label(cells["model"], "model", place)
        benchmark = names.find(upload.label(cells["benchmark"], "benchmark", place))
        if benchmark is None:
            raise upload.fault(
                f"the benchmark {quoted(cells['benchmark'])} is not one of "
                f"{collected.suite_name}: use the ids of its template",
                place,
            )
        protocol = cells["protocol"]
        if protocol and protocol not in protocols:
            known = ", ".join(protocols) or "none: leave it empty"
            raise upload.fault(
                f"the protocol {quoted(protocol)} is not one of {collected.suite_name} ({known})",
                place,
            )
        name = cells["run"]
        label = upload.label(f"{model} [{name}]" if name else model, "run", place)
        error = upload.number(cells["standard_error"], "standard error", place)
        run = Run(model, label, protocol=protocol or next(iter(protocols), ""))
        collected.add(run, benchmark, score, error, place)
    if empty:
        collected.notes.append(f"{counted(empty, 'row')} passed over: no score.")
    return collected.imported(SCORES)


def _score_rows(upload: Upload, notes: list[str]) -> Iterator[Row]:
    columns = (*SCORE_COLUMNS, "protocol")
    if not {*header(upload, columns)} & {*_REQUIRED_OF_SCORES}:
        raise upload.fault(
            "it is none of the formats that can be imported: HELM groups, "
            "lm-evaluation-harness, or the CSV template"
        )
    by_comma = delimiter(upload.text, columns) == ","
    for place, cells in csv_rows(upload, columns, _REQUIRED_OF_SCORES, notes, most_rows=100_000):
        score, error = cells["score"], cells["standard_error"]
        if by_comma and score.isdecimal() and error.isdecimal() and error.strip("0"):
            # The comma within a number has torn it apart: ``0,85`` is no score of 0.
            whole, rest = shortened(score), shortened(error)
            raise upload.fault(
                f"{whole},{rest} may be one number or a score and its standard error; write "
                f'"{whole}.{rest}" or decimals in both',
                place,
            )
        yield place, cells


def _suite(upload: Upload, catalogue: Catalogue, rows: list[Row]) -> str:
    wanted = {cells["benchmark"] for _, cells in rows if cells["benchmark"]}
    found = [
        suite
        for suite, benchmarks in catalogue.benchmarks.items()
        if all(map(Names(benchmarks, {}).find, wanted))
    ]
    if len(found) == 1:
        return found[0]
    if found:
        raise upload.fault(f"its benchmarks may be of {' or '.join(found)}: choose the suite")
    raise upload.fault("no suite has all of its benchmarks: choose the suite and use its template")


# Ratings of clinicians and of a jury


@dataclass(frozen=True, slots=True, eq=False)
class Ratings:
    """Who scored what on the same instances, in the order of the file."""

    raters: tuple[str, ...]
    in_jury: tuple[bool, ...]
    instances: tuple[str, ...]
    scores: FloatArray
    """Shape (n_instances, n_raters); ``nan`` where a rater did not score the instance."""
    notes: tuple[str, ...]
    """What was passed over, in sentences."""


def ratings_template() -> bytes:
    """Return the CSV to fill in: a header, and rows without a score that show its shape.

    UTF-8 with a byte order mark, which spreadsheets need.
    """
    return template_csv(
        RATING_COLUMNS,
        [(rater, role, f"note-{item}", "") for rater, role in _SHOWN for item in (1, 2, 3)],
    )


def read_ratings(name: str, data: bytes) -> Ratings:
    """Read a filled-in template of at most 20,000 rows, 50 raters and 2,000 instances.

    Rows without a score are gaps: passed over and counted in ``notes``.
    """
    notes: list[str] = []
    upload = opened(name, data)
    roles: dict[str, str] = {}
    found: dict[tuple[str, str], tuple[float, str]] = {}
    empty = 0
    for place, cells in csv_rows(upload, RATING_COLUMNS, RATING_COLUMNS, notes, most_rows=20_000):
        score = upload.number(cells["score"], "score", place)
        if score is None:
            empty += 1
            continue
        if abs(score) > _MOST_SCORE:
            raise upload.fault(
                f"the score {quoted(cells['score'])} is beyond {_MOST_SCORE:,.0f}", place
            )
        rater = upload.label(cells["rater"], "rater", place)
        role = cells["role"].casefold()
        if role not in _ROLES:
            raise upload.fault(
                f"the role {quoted(cells['role'])} is neither clinician nor jury", place
            )
        if roles.setdefault(rater, role) != role:
            raise upload.fault(f"this rater is a {role} here and a {roles[rater]} above", place)
        instance = upload.label(cells["instance"], "instance", place)
        if (rater, instance) in found:
            raise upload.fault(
                f"this rater has scored this instance already in {found[rater, instance][1]}",
                place,
            )
        found[rater, instance] = (score, place)
    if not found:
        raise upload.fault("it has no score")
    if empty:
        notes.append(f"{counted(empty, 'row')} passed over: no score.")
    instances = list(dict.fromkeys(instance for _, instance in found))
    if warning := no_codes(instances):
        notes.append(f"{upload.name}: {warning}")
    for what, count, limit in (
        ("raters", len(roles), _MOST_RATERS),
        ("instances", len(instances), _MOST_INSTANCES),
    ):
        if count > limit:
            raise upload.fault(f"it has {count:,} {what}, and at most {limit:,} can be compared")
    nothing = (np.nan, "")
    scores = np.array([[found.get((rater, it), nothing)[0] for rater in roles] for it in instances])
    scores.setflags(write=False)
    in_jury = tuple(role == "jury" for role in roles.values())
    return Ratings(tuple(roles), in_jury, tuple(instances), scores, tuple(notes))


# Sheets of a local test


def kind(upload: Upload) -> str:
    """Say what a table is by its columns: ``RATINGS``, ``KEY_FILE``, ``ITEMS`` or empty."""
    found = set(header(upload, _OF_TEST))
    if {"case", "letter"} <= found and found & {"rating", "right"}:
        return RATINGS
    if found >= set(_KEY):
        return KEY_FILE
    return ITEMS if found >= {"model", "item", "score"} else ""


def read_key(upload: Upload, key: Key) -> None:
    """Add the models that stand behind the letters of each case."""
    rows = Rows(upload, RATINGS)
    for place, cells in csv_rows(upload, _KEY, _KEY, [], named=False):
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
    column = "right" if "right" in header(upload, _OF_TEST) else "rating"
    found = []
    needed = ("rater", "case", "letter", column)
    for place, cells in csv_rows(upload, _SHEET, needed, rows.notes, named=False):
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
    for place, cells in csv_rows(upload, _ITEM, _ITEM[:3], rows.notes, named=False):
        score, attempt, tokens, seconds, cost = (
            _amount(upload, cells[name], name, place)
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


def read_patients(upload: Upload) -> dict[str, str]:
    """Return whose case each is, as ``core.results.read_patients`` does."""
    header(upload, _OF_TEST)
    rows = Rows(upload, "")
    found: dict[str, str] = {}
    for place, cells in csv_rows(upload, ("case", "patient"), ("case",), [], named=False):
        case = rows.id_of(cells["case"], place)
        if case in found:
            raise upload.fault("the case is there twice", place)
        rows.patient(case, cells["patient"], place)
        found[case] = rows.patients.get(case, "")
    return {case: who for case, who in found.items() if who}


def _amount(upload: Upload, text: str, name: str, place: str) -> float | None:
    """Return a number of 0 or more; unlike others it is not quoted, since it may be of a case."""
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
    known = _RIGHT.get(word, _ONES.get(word) if right else None)
    if known is not None or word in GAPS:
        return known
    number = None if right else as_number(text.replace(",", ".", text[1:2] == ","))
    if number is None or not 1 <= number <= 5:
        wanted = "right (1) nor wrong (0)" if right else "a number from 1 to 5, nor right or wrong"
        raise upload.fault(f"the {'mark' if right else 'rating'} is neither {wanted}", place)
    return (number - 1) / 4
