"""Read curated CSV files strictly, so that every fault names its file and row.

``read_table`` makes frozen dataclasses of the rows by their type hints, and by what tables.toml
says of the file; ``rows`` gives the cells of a file that has no such type. Both raise
``BadDataError`` with one sentence for the reader.
"""

import csv
import io
import re
import tomllib
from calendar import isleap, monthrange
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from datetime import date, timedelta
from pathlib import Path
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

from core.domain import BadDataError

T = TypeVar("T")
_DATE = re.compile(r"\d{4}(-\d\d(-\d\d)?)?", re.ASCII)
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d{1,3})?", re.ASCII | re.IGNORECASE)
_ADDRESS = re.compile(r"https?://[^\s\x00-\x20]+")
_MAY_BE_EMPTY = ("read_on", "not_before", "deprecated_on", "shutdown_on", "closed_on")
"""Days of a fact that a source need not state."""
RULES = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
"""By name of a file what holds of its fields besides their types."""
_LARGEST = 2.0**53
"""Beyond it a float does not hold every whole number, and nothing here is counted so far."""


def first_day(text: str) -> date | None:
    """Return the first day of a year, a month or a day as ISO writes it; ``None`` for others."""
    try:
        return date.fromisoformat(f"{text}-01-01"[:10]) if _DATE.fullmatch(text) else None
    except ValueError:
        return None


def is_over_a_year_ago(text: str, today: date) -> bool:
    """Say whether all of a year, a month or a day is over a year ago; ``False`` for others."""
    if not (day := first_day(text)):
        return False
    days = {4: 365 + isleap(day.year), 7: monthrange(day.year, day.month)[1]}.get(len(text), 1)
    return today - day >= timedelta(days=365 + days)


def as_number(value: object) -> float | None:
    """Return a number, or one that a text holds as a decimal in ASCII digits and nothing else.

    At most 2⁵³ in size; ``None`` for anything else, a truth value among it.
    """
    if isinstance(value, str):
        value = float(value) if len(value) <= 400 and _NUMBER.fullmatch(value) else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if abs(value) <= _LARGEST else None


def is_address(text: str) -> bool:
    """Return whether a source is an address on the web, or words that no browser follows."""
    return ":" not in text or _ADDRESS.fullmatch(text) is not None


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a CSV file that can say where it is."""

    file: str
    number: int
    """Line in the file, 1 for the header."""
    cells: dict[str, str]

    def fault(self, what: str) -> BadDataError:
        """Return the error that names this row."""
        return BadDataError(f"{self.file}, row {self.number}: {what}.")

    def twice(self, columns: Sequence[str]) -> BadDataError:
        """Return the error that names what may be there once only."""
        named = " with ".join(f'the {column} "{self.cells[column]}"' for column in columns)
        return self.fault(f"{named} appears twice")

    def text(self, column: str) -> str:
        """Return a cell that must not be empty."""
        if not (value := self.cells[column]):
            raise self.fault(f'the column "{column}" is empty')
        return value

    def number_or_none(self, column: str) -> float | None:
        """Return a finite number, or ``None`` for an empty cell: never 0 for a gap."""
        if not (value := self.cells[column]):
            return None
        if (number := as_number(value)) is None:
            raise self.fault(f'"{value[:40]}" in the column "{column}" is not a number')
        return number

    def number_or_fail(self, column: str) -> float:
        """Return a finite number from a cell that must hold one."""
        self.text(column)
        number = self.number_or_none(column)
        assert number is not None
        return number

    def integer_or_none(self, column: str) -> int | None:
        """Return a whole number, or ``None`` for an empty cell."""
        number = self.number_or_none(column)
        if number is None:
            return None
        if not number.is_integer():
            raise self.fault(f'"{self.cells[column][:40]}" in "{column}" is not a whole number')
        return int(number)

    def one_of(self, column: str, words: Sequence[str]) -> str:
        """Return a cell that must hold one of some words."""
        if (value := self.cells[column]) not in words:
            listed = f"{', '.join(words[:-1])} or {words[-1]}"
            raise self.fault(f'"{value[:40]}" in "{column}" must be {listed}')
        return value

    def date(self, column: str) -> str:
        """Return a year, a month or a day as ISO writes it, or the word undated."""
        value = self.text(column)
        if value != "undated" and not first_day(value):
            raise self.fault(f'"{value[:40]}" in "{column}" must be an ISO date or undated')
        return value

    def day(self, column: str) -> str:
        """Return a whole day as ISO writes it, or nothing for an empty cell."""
        value = self.cells[column]
        if value and not (len(value) == 10 and first_day(value)):
            raise self.fault(f'"{value[:40]}" in "{column}" must be a day such as 2026-11-22')
        return value

    def flag(self, column: str) -> bool:
        """Return a cell that must read true or false."""
        return self.one_of(column, ("true", "false")) == "true"


@contextmanager
def readable(name: str) -> Iterator[None]:
    """Say in a sentence that a file is missing or cannot be read."""
    try:
        yield
    except FileNotFoundError:
        raise BadDataError(f"{name} is missing.") from None
    except OSError as error:
        # The name itself may be what is wrong: too long.
        raise BadDataError(f"{name[:255]} cannot be read: {error.strerror}.") from None


def rows(path: Path, columns: Sequence[str]) -> Iterator[Row]:
    """Yield the rows of a UTF-8 CSV file that has at least these columns."""
    name = "/".join(filter(None, (path.parent.name, path.name)))
    with readable(name):
        content = path.read_bytes()
    try:
        reader = csv.DictReader(io.StringIO(content.decode("utf-8-sig"), newline=""))
        named = reader.fieldnames or ()
        if missing := [column for column in columns if column not in named]:
            listed = ", ".join(f'"{column}"' for column in missing)
            what = f"column {listed} is" if len(missing) == 1 else f"columns {listed} are"
            by_comma = len(named) != 1 or not {";", "\t"} & {*named[0]}
            advice = "" if by_comma else ": separate the cells by commas"
            raise BadDataError(f"{name}, row 1: the {what} missing{advice}.")
        read: set[str] = set()  # a source is often in many rows
        addresses = [column for column in ("source_url", "url") if column in named]
        for cells in reader:
            row = Row(name, reader.line_num, cells)
            if None in cells or None in cells.values():
                raise row.fault("it has more or fewer cells than the header")
            for column in addresses:
                if cells[column] not in read and not is_address(cells[column]):
                    said = f'"{cells[column][:40]}" in the column "{column}"'
                    raise row.fault(f"{said} is not an http or https address")
                read.add(cells[column])
            yield row
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise BadDataError(f"{name}, row {line}: not UTF-8 text.") from None
    except csv.Error as error:
        raise BadDataError(f"{name} is not a readable CSV file: {error}.") from None


def read_table(
    path: Path,
    kind: type[T],
    *,
    cells: Mapping[str, Callable[[Row, str], object]] | None = None,
    ids: Mapping[str, Collection[str]] | None = None,
    check: Callable[[T], str] | None = None,
) -> tuple[T, ...]:
    """Read a file into dataclasses, one a row, each field by its type hint.

    A ``str`` must not be empty unless that is its default or its table says so. A number is
    finite, an ``int`` whole; with ``| None`` an empty cell is ``None``, never 0. A ``bool`` reads
    true or false, a ``Literal`` one of its words, and a ``tuple[str, ...]`` words between
    semicolons. Days are told by their names: ``as_of`` and ``checked_on`` are dates or undated,
    ``read_on`` and its like days.

    Parameters
    ----------
    cells
        By field: what reads its cell in place of the type hint.
    ids
        By file: the ids that it lists, for the fields that must name one of them, or nothing.
    check
        What is wrong with a row as a whole, as the end of a sentence; empty for nothing.
    """
    rules: dict[str, Any] = RULES.get(path.name, {})
    unique: list[str] = rules.get("unique", [])
    read = [it for it in fields(kind) if it.name not in rules.get("absent", ())]  # type: ignore[arg-type]
    names = {it.name: it.name for it in read} | rules.get("columns", {})
    hints = get_type_hints(kind)
    empty = {*rules.get("empty", ()), *(it.name for it in read if it.default == "")}
    words, positive = rules.get("words", {}), rules.get("positive", False)
    readers = {
        field: _reader(field, hints[field], empty, words.get(field, ()), positive=positive)
        for field in names
    } | dict(cells or {})
    seen: set[tuple[object, ...]] = set()
    found = []
    for row in rows(path, list(dict.fromkeys((*names.values(), *rules.get("also", ()))))):
        values: dict[str, Any] = {
            field: readers[field](row, column) for field, column in names.items()
        }
        for field, file in rules.get("known", {}).items():
            each = values[field] if isinstance(values[field], tuple) else (values[field],)
            for value in each:
                if value and value not in (ids or {})[file]:
                    raise row.fault(f'the {names[field]} "{value}" is not in {file}')
        if unique:
            if (key := tuple(map(values.__getitem__, unique))) in seen:
                raise row.twice([names[field] for field in unique])
            seen.add(key)
        one = kind(**values)
        if check and (what := check(one)):
            raise row.fault(what)
        found.append(one)
    return tuple(found)


def _reader(
    field: str, hint: object, empty: Collection[str], words: Sequence[str], *, positive: bool
) -> Callable[[Row, str], object]:
    arguments = get_args(hint)
    by_name = dict.fromkeys(_MAY_BE_EMPTY, Row.day) | dict.fromkeys(
        ("as_of", "checked_on"), Row.date
    )
    if words:
        is_yes = hint is bool  # else a word, or nothing
        return lambda row, column: (
            row.one_of(column, words) == words[0]
            if is_yes
            else row.cells[column] and row.one_of(column, words)
        )
    if field in empty and field not in _MAY_BE_EMPTY:
        return lambda row, column: row.cells[column]
    if get_origin(hint) is Literal:
        return lambda row, column: row.one_of(column, arguments)
    if get_origin(hint) is tuple:
        return lambda row, column: tuple(filter(None, map(str.strip, row.cells[column].split(";"))))
    plain: dict[object, Callable[[Row, str], object]] = {str: Row.text, bool: Row.flag}
    if found := by_name.get(field) or plain.get(hint):
        return found
    of_a_cell = Row.integer_or_none if hint in (int, int | None) else Row.number_or_none

    def number(row: Row, column: str) -> float | None:
        if not row.cells[column] and hint in (int, float):
            row.text(column)  # It says that the cell is empty.
        found = of_a_cell(row, column)
        if positive and found is not None and found <= 0:
            raise row.fault(f'"{column}" must be above 0')
        return found

    return number
