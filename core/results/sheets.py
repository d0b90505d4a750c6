"""Sheets that people fill in, as spreadsheets save them: CSV text, to which workbooks are turned.

Scores of benchmarks, a jury's and clinicians' ratings, answers on conditions; and of a local test
the rating sheet with its key, the CSV of items and the case file.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice, pairwise
from typing import TYPE_CHECKING

import numpy as np

from core.domain import BadRequestError
from core.evidence.tables import as_number
from core.results.collected import (
    MOST_ROWS,
    BenchmarkNames,
    Collected,
    ResultRows,
    Run,
    known_suite,
)
from core.results.files import (
    GAPS,
    counted_were,
    no_codes,
    opened_upload,
    quoted,
    quoted_names,
    shortened,
)
from core.sheets import Records, to_csv

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from core.domain import FloatArray
    from core.evidence.catalogue import Catalogue
    from core.results.collected import Imported
    from core.results.files import Upload

TEMPLATE_COLUMNS = ("model", "run", "benchmark", "score", "standard_error")
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
_MOST_CELLS, MOST_COLUMNS = 2_000_000, 100
_MOST_ABOVE = 10
"""Rows among which headings are looked for that are not in the first."""
_LONGEST_LINE = 2_000_000
_SEPARATORS = ",;\t"
_APOSTROPHE = re.compile(r"'(?=[=+\-@\t\r\d])")
_LINE = re.compile(r"[^\r\n]*+(?:\r\n?|\n)|[^\r\n]+")
TOO_WIDE = f"it has more than {MOST_COLUMNS} columns"
SheetRow = tuple[str, dict[str, str]]
"""Its place for messages, and its cells by column."""


# Scores of benchmarks


def template(suite: str, catalogue: Catalogue) -> bytes:
    """Return the CSV to fill in: a header, and one row per benchmark without a score."""
    benchmarks = catalogue.benchmarks.get(known_suite(catalogue, suite), ())
    rows: Records = [dict.fromkeys(TEMPLATE_COLUMNS) | {"benchmark": it.id} for it in benchmarks]
    return to_csv(rows, TEMPLATE_COLUMNS)


def read_filled_template(upload: Upload, catalogue: Catalogue, suite: str | None) -> Imported:
    """Read a filled-in template: one row per model, run and benchmark."""
    notes: list[str] = []
    rows = list(_score_rows(upload, notes))  # the suite is told by the benchmarks of all
    collected = Collected(upload, catalogue, suite or _suite(upload, catalogue, rows))
    collected.notes += notes
    names = BenchmarkNames(catalogue.benchmarks.get(collected.suite, ()), {})
    protocols = catalogue.suites[collected.suite].protocols
    highest = 0.0
    for place, cells, score in _scored(upload, rows, collected.notes):
        model = upload.label(cells["model"], "model's name", place)
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
        # A share of errors may well be below 1 %.
        is_percent = benchmark.scale_max == 100 and not benchmark.lower_is_better
        highest = max(highest, score if is_percent else 100.0)
    if 0 < highest <= 1:
        collected.notes.append(
            "No score is above 1 on a scale of 0 to 100: if they are shares, multiply them by 100."
        )
    return collected.imported("CSV template")


def _scored(
    upload: Upload, rows: Iterable[SheetRow], notes: list[str]
) -> Iterator[tuple[str, dict[str, str], float]]:
    """Yield the rows that have a score; the others are counted in a note."""
    empty = 0
    for place, cells in rows:
        score = upload.number(cells["score"], "score", place)
        if score is None:
            empty += 1
        else:
            yield place, cells, score
    if empty:
        notes.append(f"{counted_were(empty, 'row')} skipped: no score.")


def _score_rows(upload: Upload, notes: list[str]) -> Iterator[SheetRow]:
    columns = (*TEMPLATE_COLUMNS, "protocol")
    if not {*header(upload, columns)} & {*_REQUIRED_OF_SCORES}:
        raise upload.fault(
            "it is not one of the formats that can be imported: HELM groups, "
            "lm-evaluation-harness, or the CSV template"
        )
    by_comma = delimiter(upload.text, columns) == ","
    for place, cells in csv_rows(upload, columns, _REQUIRED_OF_SCORES, notes, most_rows=100_000):
        score, error = cells["score"], cells["standard_error"]
        if by_comma and score.isdecimal() and error.isdecimal() and error.strip("0"):
            # The comma within a number has torn it apart: ``0,85`` is not a score of 0.
            whole, rest = shortened(score), shortened(error)
            raise upload.fault(
                f"{whole},{rest} may be one number or a score and its standard error; write "
                f'"{whole}.{rest}" or decimals in both',
                place,
            )
        yield place, cells


def _suite(upload: Upload, catalogue: Catalogue, rows: list[SheetRow]) -> str:
    """Return the suite that knows most of the benchmarks; what it lacks is a fault of its row."""
    wanted = {cells["benchmark"] for _, cells in rows if cells["benchmark"]}
    n_known = {
        suite: sum(map(bool, map(BenchmarkNames(benchmarks, {}).find, wanted)))
        for suite, benchmarks in catalogue.benchmarks.items()
    }
    most = max(n_known.values())
    found = [suite for suite, n in n_known.items() if n == most]
    if len(found) == 1 or not wanted:
        return found[0]
    if most == len(wanted):
        names = " or ".join(catalogue.suites[suite].name for suite in found)
        raise upload.fault(
            f"its benchmarks may be of {names}: choose the suite and upload it again"
        )
    benchmarks = BenchmarkNames(catalogue.benchmarks[found[0]], {})
    strange = next(name for name in sorted(wanted) if not benchmarks.find(name))
    raise upload.fault(
        f"no suite has all of its benchmarks, such as {quoted(strange)}: choose the suite and use "
        "its template"
    )


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
    """What was skipped, in sentences."""


def ratings_template() -> bytes:
    """Return the CSV to fill in: a header, and rows without a score that show its shape."""
    rows: Records = [
        {"rater": rater, "role": role, "instance": f"note-{item}", "score": None}
        for rater, role in _SHOWN
        for item in (1, 2, 3)
    ]
    return to_csv(rows, RATING_COLUMNS)


def read_ratings(name: str, data: bytes) -> Ratings:
    """Read a filled-in template of at most 20,000 rows, 50 raters and 2,000 instances.

    Rows without a score are gaps: skipped and counted in ``notes``.
    """
    notes: list[str] = []
    upload = opened_upload(name, data)
    roles: dict[str, str] = {}
    found: dict[tuple[str, str], tuple[float, str]] = {}
    rows = csv_rows(upload, RATING_COLUMNS, RATING_COLUMNS, notes, most_rows=20_000)
    for place, cells, score in _scored(upload, rows, notes):
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
    return _kind_of({*header(upload, _OF_TEST)})


def has_title(upload: Upload) -> bool:
    """Say whether its headings are below its first row, as under a title."""
    below = islice(_cells(upload, _OF_TEST), 1, _MOST_ABOVE)
    return any(_kind_of({*named_columns(cells)}) for _, cells in below)


def _kind_of(found: set[str]) -> str:
    if {"case", "letter"} <= found and found & {"rating", "right"}:
        return RATINGS
    if found >= set(_KEY):
        return KEY_FILE
    return ITEMS if found >= {"model", "score"} and found & {"item", "case"} else ""


def read_key(upload: Upload, key: Key) -> None:
    """Add the models behind the letters of each case."""
    rows = ResultRows(upload, RATINGS)
    for place, cells in csv_rows(upload, _KEY, _KEY, [], named=False):
        case, letter = rows.id_of(cells["case"], place), cells["letter"].strip().upper()
        model = rows.model_of(cells["model"], place)
        if key.setdefault((case, letter), model) != model:
            raise upload.fault("the key has another model for this case and letter too", place)


@dataclass(frozen=True, slots=True)
class Marks:
    """What raters filled in on one sheet, as long as nobody knows for which model."""

    rows: ResultRows
    found: list[tuple[str, str, str, str, float | None]]
    """(place, case, letter, rater, score)."""


def read_marks(upload: Upload) -> Marks:
    """Read what raters filled in; a rating r of 1 to 5 becomes (r − 1)/4.

    ``right`` and ``wrong`` are 1 and 0, and so are the numbers 1 and 0 in a column named
    ``right``. Answers and comments are discarded.
    """
    rows = ResultRows(upload, RATINGS)
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


def rated(marks: Marks, key: Key) -> ResultRows:
    """Return the marks of one sheet under the models that its key names."""
    kept = marks.rows
    rows = replace(kept, found={}, notes=[*kept.notes], passed_over=Counter(kept.passed_over))
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


def read_items(upload: Upload) -> ResultRows:
    """Read scores of 0 to 1 by model and item, which a package calls a case."""
    rows = ResultRows(upload, ITEMS)
    item = "item" if "item" in header(upload, _OF_TEST) else "case"
    columns = tuple(item if name == "item" else name for name in _ITEM)
    for place, cells in _item_rows(upload, columns, rows.notes):
        score, attempt, tokens, seconds, cost = (
            _amount(upload, cells[name], name, place)
            for name in ("score", "attempt", "tokens", "seconds", "cost")
        )
        rows.add(
            place,
            rows.model_of(cells["model"], place),
            cells[item],
            score,
            attempt=rows.attempt_of(attempt, place),
            rater=rows.id_of(cells["rater"], place) if cells["rater"] else "",
            tokens=tokens,
            seconds=seconds,
            cost=cost,
        )
        rows.patient(cells[item], cells["patient"], place)
    return rows


def _item_rows(upload: Upload, columns: Sequence[str], notes: list[str]) -> Iterator[SheetRow]:
    """Yield the rows; a file whose every score may be torn apart by a decimal comma is refused."""
    beside = next((b for a, b in pairwise(header(upload, _OF_TEST)) if a == "score"), "")
    # The sheets of a workbook, which have no digest, hold numbers as such.
    may_be = bool(upload.digest) and delimiter(upload.text, _OF_TEST) == ","
    torn = ""
    for place, cells in csv_rows(upload, columns, columns[:3], notes, named=False):
        score, more = cells["score"], cells.get(beside, "").strip("0")
        if score and more:  # ``0,85`` shows nothing, nor does ``1,0``; ``1,85`` is two numbers.
            may_be = may_be and score == "0" and more.isdecimal()
            torn = torn or place
        yield place, cells
    if may_be and torn:
        raise upload.fault(
            f"a score of 0 and the {quoted(beside)} behind it may be one number with a decimal "
            "comma; write decimals with a point, such as 0.85 or 0.0",
            torn,
        )


def patients_of(upload: Upload) -> dict[str, str]:
    """Return whose case each is, as ``core.results.read_patients`` does."""
    header(upload, _OF_TEST)
    rows = ResultRows(upload, "")
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
        wrong = "is not a number; write decimals with a point"
        with suppress(ValueError):
            wrong = "is out of range" if abs(float(text)) > 1e15 else wrong
        raise upload.fault(f"the {name} {wrong}", place)
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


# Tables and workbooks


def delimiter(text: str, columns: Collection[str]) -> str:
    """Return the separator that gives the first lines most of the columns."""
    start = [line for line in text[:5000].splitlines() if line.strip()][:2]

    def n_columns(separator: str) -> int:
        cells = (cell for line in start for cell in line.split(separator))
        return sum(cell.strip(' "').casefold() in columns for cell in cells)

    return max(_SEPARATORS, key=n_columns)


def header(upload: Upload, columns: Collection[str]) -> list[str]:
    """Return the names of the columns of a CSV, in small letters with underscores for blanks."""
    start = replace(upload, text=upload.text[:20_000])  # whatever follows, it is told at once
    _, cells = next(_cells(start, columns), ("", []))
    return named_columns(cells)


def named_columns(cells: list[str]) -> list[str]:
    """Return the names of the columns in a first row, in small letters with underscores."""
    return ["_".join(cell[:100].lower().split()) for cell in cells]


def csv_rows(
    upload: Upload,
    columns: Sequence[str],
    required: Sequence[str],
    notes: list[str],
    *,
    most_rows: int = MOST_ROWS,
    named: bool = True,
) -> Iterator[SheetRow]:
    """Yield the rows below the header; empty ones are skipped.

    Separated by commas, semicolons or tabs. Names of columns count in any case, with blanks for
    underscores. Columns that nobody asked for
    are skipped with one note, in which they are ``named`` or, as they may hold anything,
    counted; an absent column reads as empty cells. The apostrophe by which a spreadsheet keeps a
    text from running as a formula is taken away.
    """
    text = upload.text
    if upload.encoding != "utf-8":
        notes.append(f"The file is not UTF-8; it was read as {upload.encoding.upper()}.")
    if max(text.count("\n"), text.count("\r")) > most_rows:
        raise upload.fault(f"it has more than {most_rows:,} rows")
    if sum(text.count(each) for each in _SEPARATORS) > _MOST_CELLS:
        raise upload.fault(f"it has more than {_MOST_CELLS:,} cells")
    rows = _cells(upload, columns)
    place, cells = next(rows, ("", []))
    names = named_columns(cells)
    if missing := [column for column in required if column not in names]:
        verb = "column {} is" if len(missing) == 1 else "columns {} are"
        raise upload.fault(f"the {verb.format(quoted_names(missing))} missing", place)
    if twice := next((column for column in columns if names.count(column) > 1), ""):
        raise upload.fault(f'the column "{twice}" comes twice', place)
    if others := [name for name in names if name and name not in columns]:
        notes.append(
            f"These columns were skipped: {quoted_names(others)}."
            if named
            else f"{counted_were(len(others), 'column')} skipped."
        )
    is_empty = True
    for place, cells in rows:
        is_empty = False
        if len(cells) > len(names):
            raise upload.fault(
                f"it has {len(cells)} cells and the header {len(names)}; write decimals with "
                "a point, and text with a separator in quotation marks",
                place,
            )
        yield place, dict.fromkeys(columns, "") | dict(zip(names, cells, strict=False))
    if is_empty:
        raise upload.fault("it has a header and no rows")


def _cells(upload: Upload, columns: Collection[str]) -> Iterator[tuple[str, list[str]]]:
    """Yield place and cells of each row that is not empty, the header first."""
    separator = delimiter(upload.text, columns)
    reader = csv.reader(_lines(upload), delimiter=separator, strict=True)
    is_first, begins = True, 1
    try:
        for raw in reader:
            place, begins = f"row {reader.line_num}", reader.line_num + 1
            if len(raw) > MOST_COLUMNS:
                raise upload.fault(TOO_WIDE, place)
            cells = [_APOSTROPHE.sub("", cell.strip(), count=1) for cell in raw]
            if any(cells) and not (is_first and cells[0].casefold().startswith("sep=")):
                is_first = False
                yield place, cells
    except csv.Error:
        raise upload.fault(
            "it is not a readable CSV file: a quotation mark is left open or is not written twice "
            "within a text, or a text is too long",
            f"row {begins}",
        ) from None


def _lines(upload: Upload) -> Iterator[str]:
    """Yield each line with its end: of all at once ``StringIO`` holds 4 bytes a character."""
    for line in _LINE.finditer(upload.text):
        if line.end() - line.start() > _LONGEST_LINE:
            raise upload.fault(f"a line in it is longer than {_LONGEST_LINE:,} characters")
        yield line[0]
