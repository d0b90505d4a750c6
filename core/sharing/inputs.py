"""What a control of the question is: its kind, and how it is read, written and left unset.

Whatever a link holds is untrusted: a value that is not usable leaves a note and counts as not set.
"""

from __future__ import annotations

import argparse
import csv
import io
import math
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol

from core.domain import BadRequestError, Question
from core.figures import listed, squeezed

if TYPE_CHECKING:
    from core.evidence.catalogue import Catalogue

_POINTS = re.compile(r"[1-9]\d{0,2}(\.\d{3})+")
"""A number that may be in thousands, as Europe writes them."""
MOST_IN_A_LINK = 200
"""A link names at most this many models one by one."""
_BETWEEN = re.compile(r"[^a-z0-9]+")
"""What comes between the words of a category."""
MOST_OWN = 50
"""A link carries at most this many own answers, and this many own prices."""
OLDEST_PRICES = date(2023, 1, 1)
MOST_MONTHS = 60
"""A question asks for at most this many months on sale."""
LONGEST_MODEL = 150
_LONGEST_QUOTE = 60
Value = Any
"""Of a field of the question; each field has its own type."""
Query = Mapping[str, Sequence[str]]
"""The parameters of a link."""


def size_label(params_b: float | None) -> str:
    """Return a stop of the size control in words."""
    return "No limit" if params_b is None else f"{number_text(params_b)} B"


def sale_label(months: int | None) -> str:
    """Return in words for how long a model must stay on sale."""
    if months is None:
        return "Not asked"
    return "On the day" if months == 0 else f"{months} month{'s' if months > 1 else ''}"


class Reader:
    """Reads parameters one by one and collects a note for each that is not usable.

    A note begins with the label of the control, as it is on the screen. A ``strict`` reader
    raises a ``BadRequestError`` in its place.
    """

    def __init__(self, query: Query, *, strict: bool = False) -> None:
        self.query = query
        self.strict = strict
        self.notes: list[str] = []

    def last(self, key: str) -> str:
        """Return the last value of a key, which counts; empty where there is none."""
        values = self.query.get(key, ())
        return values[-1] if values else ""

    def fault(self, label: str, value: str, fault: str, instead: str) -> None:
        """Record what is wrong with a value, and what counts in its place."""
        said = f"{label}: {quoted_from_link(value)} {fault}"
        if self.strict:
            raise BadRequestError(f"{said}.")
        self.notes.append(f"{said}{instead}.")

    def option(self, key: str, label: str, known: Iterable[str], default: str) -> str:
        """Read one of the known options."""
        value = self.last(key)
        if not value or value in known:
            return value or default
        self.fault(label, value, "is not known", f"; in its place “{default}”")
        return default

    def options(self, key: str, label: str, known: Sequence[str]) -> list[str]:
        """Read several of the known options, in their known order."""
        values = list(dict.fromkeys(self.query.get(key, ())))
        if unknown := [value for value in values if value not in known]:
            others = len(unknown) - 1
            more, they_do = (f" (and {others} more)", "they do") if others else ("", "it does")
            self.fault(label, unknown[0], f"is not known{more}", f", so {they_do} not count")
        return [name for name in known if name in values]


def weight_key(category: str) -> str:
    """Return the key of a category's own weight."""
    return "w_" + _BETWEEN.sub("_", category.lower()).strip("_")


def volume_key(kind: str) -> str:
    """Return the key of the requests a month of one kind."""
    return "v_" + kind.replace("-", "_")


def quoted_from_link(text: str) -> str:
    """Quote what a link holds, cut where it is long."""
    printable = "".join(letter if letter.isprintable() else " " for letter in text)
    short = " ".join(printable.split())
    return f"“{short[:_LONGEST_QUOTE]}…”" if len(short) > _LONGEST_QUOTE else f"“{short}”"


def number_text(value: float) -> str:
    """Write a number as a control does: whole ones without a point."""
    return str(int(value)) if float(value).is_integer() else repr(float(value))


def float_or_nan(text: str) -> float:
    """Read a number, ``nan`` where the text is not one."""
    try:
        return float(text)
    except ValueError:
        return math.nan


def in_link(held: object) -> list[str]:
    """Write what a control holds as a link does: nothing, a text, or each of several."""
    if isinstance(held, list | tuple):
        return [str(it) for it in held]
    if isinstance(held, bool):
        return ["true" if held else "false"]
    if isinstance(held, float):
        return [number_text(held)]
    return [] if held is None else [str(held)]


_ANY = Question()


def _non_negative(text: str) -> float:
    number = float_or_nan(text)
    if not math.isfinite(number) or number < 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of 0 or more")
    return number


def share(text: str) -> float:
    """Read a share or a margin of 0 to 1 on the command line."""
    number = _non_negative(text)
    if number > 1:
        so = f", so {number / 100:g} is {number:g} of 100" if number <= 100 else ""
        raise argparse.ArgumentTypeError(f"{text!r} is above 1: it is a share from 0 to 1{so}")
    return number


def named_number(text: str) -> tuple[str, float]:
    """Read a name and its number on the command line."""
    name, equals, number = text.rpartition("=")
    if not equals or not name:
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form NAME=NUMBER")
    return name, _non_negative(number)


def _check_known(option: str, asked: list[str], known: Collection[str]) -> None:
    if unknown := [text for text in asked if text not in known]:
        raise BadRequestError(f"{option} takes {', '.join(known)}; not {unknown[0][:80]!r}.")


class Kind(Protocol):
    """What each kind of control does; a new kind is one class, and how the side bar draws it."""

    option: ClassVar[dict[str, Any]] = {"action": "append", "metavar": "X"}
    """What argparse is told of its option."""

    def read_link(self, control: Control, reader: Reader, known: Catalogue) -> Value:
        """Read what a link asks."""

    def held(self, control: Control, value: Value, known: Catalogue) -> dict[str, Any]:
        """Return what the control holds, or each of its controls by its key, where this is asked.

        A link writes the same: a number, a word, true, or each of several words. Unless a kind
        says other it is the value itself.
        """
        return {control.key: value}

    def typed(self, control: Control, texts: list[Any], known: Catalogue) -> Query:
        """Return the parameters of a link that ask what an option asks."""
        return {control.key: texts}

    def read_option(self, control: Control, texts: list[Any], known: Catalogue) -> Value:
        """Read what an option asks; the control has its name for a label."""
        reader = Reader(self.typed(control, texts, known), strict=True)
        value = self.read_link(control, reader, known)
        if reader.notes:
            raise BadRequestError(reader.notes[0])
        return value


@dataclass(frozen=True, slots=True)
class Number(Kind):
    """A number in the unit of its control; nothing is asked while it is empty."""

    low: float
    high: float
    step: float
    empty: str = "Not asked"
    whole: bool = True

    def within(self, reader: Reader, key: str, label: str, unit: str = "") -> float | None:
        """Read a number within the limits; ``None`` where there is none that is usable."""
        value = reader.last(key)
        if not value:
            return None
        number = float_or_nan(value.removesuffix(unit))
        if math.isnan(number):
            reader.fault(label, value, "is not a number", " and was left out")
        elif self.whole and _POINTS.fullmatch(value):
            plain = value.replace(".", "")
            reader.fault(label, value, f"may mean {plain}: write it without points", "; left out")
        elif not self.low <= number <= self.high:
            fault = f"is not between {self.low:,.12g} and {self.high:,.12g}"
            reader.fault(label, value, fault, " and was left out")
        elif self.whole and not number.is_integer():
            reader.fault(label, value, "is not a whole number", ": left out")
        else:
            return int(number) if self.whole else number
        return None

    def read_link(self, control: Control, reader: Reader, known: Catalogue) -> Value:
        """Read a number, else the default."""
        found = self.within(reader, control.key, control.label)
        return control.default if found is None else found

    def held(self, control: Control, value: Value, known: Catalogue) -> dict[str, Any]:
        """Return a float, since an infinite one in a link stops a control of integers."""
        return {control.key: None if value is None else float(value)}


@dataclass(frozen=True, slots=True)
class Share(Number):
    """A share: in per cent on its control, from 0 to 1 in a question and on the command line."""

    option = Kind.option | {"type": share}
    whole: bool = False

    def read_link(self, control: Control, reader: Reader, known: Catalogue) -> Value:
        """Read a number of per cent, else the default."""
        found = self.within(reader, control.key, control.label)
        return control.default if found is None else found / 100

    def held(self, control: Control, value: Value, known: Catalogue) -> dict[str, Any]:
        """Return the per cent."""
        return {control.key: round(value * 100, 10)}

    def read_option(self, control: Control, texts: list[Any], known: Catalogue) -> Value:
        """Return the last share, which argparse has read, where a link could ask it too."""
        low, high, number = self.low / 100, self.high / 100, texts[-1]
        if low <= number <= high:
            return number
        raise BadRequestError(f"{control.label}: {number:g} is not between {low:g} and {high:g}.")


@dataclass(frozen=True, slots=True)
class OneOf(Kind):
    """One of several options by their words, the first unless set."""

    options: Callable[[Catalogue], Mapping[str, Any]]

    def read_link(self, control: Control, reader: Reader, known: Catalogue) -> Value:
        """Read one of the options by its words, or by what these stand for."""
        options = self.options(known)
        if (value := reader.last(control.key)) and value in options.values():
            return value
        return options[reader.option(control.key, control.label, options, next(iter(options)))]

    def held(self, control: Control, value: Value, known: Catalogue) -> dict[str, Any]:
        """Return the words of the option."""
        named = {option: words for words, option in self.options(known).items()}
        return {control.key: named.get(value, value)}

    def typed(self, control: Control, texts: list[Any], known: Catalogue) -> Query:
        """Return the words of the values, which may be spelled freely or given themselves."""
        words = {str(value): name for name, value in self.options(known).items() if value}
        alike = {squeezed(it): value for value, name in words.items() for it in (name, value)}
        asked = [alike.get(squeezed(text), text) for text in texts]
        _check_known(control.label, asked, words)
        return {control.key: [words[text] for text in asked]}


@dataclass(frozen=True, slots=True)
class Several(OneOf):
    """Several of the options."""

    empty: str

    def read_link(self, control: Control, reader: Reader, known: Catalogue) -> Value:
        """Read some of the options, which come in their own order."""
        options = self.options(known)
        chosen = reader.options(control.key, control.label, list(options))
        return tuple(options[words] for words in chosen)

    def held(self, control: Control, value: Value, known: Catalogue) -> dict[str, Any]:
        """Return the words of each."""
        return {control.key: [words for words, it in self.options(known).items() if it in value]}


@dataclass(frozen=True, slots=True)
class Size(Kind):
    """One of some sizes by its words, or another; ``None`` is not a limit."""

    stops: tuple[float, ...]

    def read_link(self, control: Control, reader: Reader, known: Catalogue) -> Value:
        """Read a size in billions of parameters, with or without its unit."""
        if reader.last(control.key) == size_label(None):
            return None
        sizes = Number(0.1, 2_000, 0.1, whole=False)
        return sizes.within(reader, control.key, control.label, " B")

    def held(self, control: Control, value: Value, known: Catalogue) -> dict[str, Any]:
        """Return the words of the size."""
        return {control.key: size_label(value)}


@dataclass(frozen=True, slots=True)
class Months(Kind):
    """One of some numbers of months by its words, or another; ``None`` does not ask."""

    stops: tuple[int, ...]

    def read_link(self, control: Control, reader: Reader, known: Catalogue) -> Value:
        """Read a number of months, with or without its unit."""
        value = reader.last(control.key)
        months = {sale_label(n): n for n in (None, *range(MOST_MONTHS + 1))}
        months |= {str(n): n for n in range(MOST_MONTHS + 1)}
        if value and value not in months:
            fault = f"is not one of 1 to {MOST_MONTHS} months"
            reader.fault(
                control.label, value, fault, f"; in its place “{sale_label(control.default)}”"
            )
        return months.get(value, control.default)

    def held(self, control: Control, value: Value, known: Catalogue) -> dict[str, Any]:
        """Return the words of the months."""
        return {control.key: sale_label(value)}

    def typed(self, control: Control, texts: list[Any], known: Catalogue) -> Query:
        """Return the numbers, and the words of any."""
        return {control.key: [{"any": sale_label(None)}.get(text, text) for text in texts]}


@dataclass(frozen=True, slots=True)
class Day(Kind):
    """An ISO day; empty where there is none."""

    def read_link(self, control: Control, reader: Reader, known: Catalogue) -> Value:
        """Read a day since there are prices."""
        value, fault = reader.last(control.key), "is not a day such as 2026-11-21"
        with suppress(ValueError):
            found = date.fromisoformat(value)
            if found >= OLDEST_PRICES:
                return found.isoformat()
            fault = f"is before {OLDEST_PRICES}"
        if value:
            reader.fault(control.label, value, fault, ": left out")
        return ""

    def held(self, control: Control, value: Value, known: Catalogue) -> dict[str, Any]:
        """Return the day."""
        return {control.key: value or None}


@dataclass(frozen=True, slots=True)
class Switch(Kind):
    """On or off."""

    option: ClassVar[dict[str, Any]] = {"action": "store_const", "const": ["true"]}

    def read_link(self, control: Control, reader: Reader, known: Catalogue) -> Value:
        """Read true or false in any case, as the control does."""
        value = reader.last(control.key)
        if value and value.lower() not in ("true", "false"):
            reader.fault(control.label, value, "is neither true nor false", "; false is used")
        return value.lower() == "true"


@dataclass(frozen=True, slots=True)
class Models(Kind):
    """Some models, by id."""

    def read_link(self, control: Control, reader: Reader, known: Catalogue) -> Value:
        """Read ids of models; whether the evidence has them, the shortlist says."""
        asked = list(dict.fromkeys(value for value in reader.query.get(control.key, ()) if value))
        usable = [m for m in asked if len(m) <= LONGEST_MODEL and m.isprintable()]
        if strange := [m for m in asked if m not in usable]:
            reader.fault(
                control.label, strange[0], "is not the name of a model", ", so it does not count"
            )
        if len(usable) > MOST_IN_A_LINK:
            most = f"only the first {MOST_IN_A_LINK} of this link are used."
            reader.notes.append(f"{control.label}: {most}")
        return tuple(usable[:MOST_IN_A_LINK])


@dataclass(frozen=True, slots=True)
class OwnLines(Kind):
    """A hospital's own figures, each a line of text whose parts are between semicolons."""

    what: str
    """What a line holds, with its article."""
    make: Callable[..., Any]
    parts: Mapping[str, Callable[[str, Catalogue], object]]
    """How each part is read, by the field that it fills."""
    about: tuple[str, ...]
    """The fields by which two are about the same."""
    n_optional: int = 0
    """So many parts at the end may be missing."""
    caution: Callable[[Any, Catalogue], str] = lambda _own, _known: ""
    """What a link's note says of one that is used all the same; empty for nothing."""

    def write(self, own: object) -> str:
        """Write one as a line."""
        values = [getattr(own, field) for field in self.parts]
        cells = [
            value if isinstance(value, str) else "" if value is None else number_text(value)
            for value in values
        ]
        while len(cells) > len(self.parts) - self.n_optional and not cells[-1]:
            cells.pop()
        text = io.StringIO()
        writer = csv.writer(text, delimiter=";", lineterminator="")
        writer.writerow([" ".join(cell.split()) for cell in cells])
        return text.getvalue()

    def read(self, line: str, catalogue: Catalogue) -> Any:  # noqa: ANN401 - whatever it makes
        """Read what ``write`` writes; a ``BadRequestError`` says what is wrong with it."""
        if not line.isprintable():
            raise BadRequestError(f"{self.what} holds characters that cannot be shown.")
        try:
            rows = list(csv.reader([line], delimiter=";", skipinitialspace=True, strict=True))
        except csv.Error:
            rows = []
        cells = [cell.strip() for cell in rows[0]] if len(rows) == 1 else []
        n = range(len(self.parts) - self.n_optional, len(self.parts) + 1)
        if len(cells) not in n:
            parts = listed([*map(str, n)], "or")
            raise BadRequestError(
                f"{self.what} takes {parts} parts between semicolons, not {quoted_from_link(line)}."
            )
        found = zip(self.parts.items(), cells, strict=False)
        return self.make(**{field: read(cell, catalogue) for (field, read), cell in found})

    def subject(self, own: object) -> tuple[object, ...]:
        """Return what one is about."""
        return tuple(getattr(own, field) for field in self.about)

    def usable(self, reader: Reader, key: str, known: Catalogue, label: str = "") -> dict[str, Any]:
        """Read the lines of a link; of several about the same, the last counts.

        A strict reader names the ``label`` of the control with what is wrong.
        """
        found: dict[object, tuple[str, object]] = {}
        faults = []
        for line in reader.query.get(key, ()):
            try:
                own = self.read(line, known)
            except BadRequestError as error:
                if reader.strict:
                    raise BadRequestError(f"{label}: {error}") from None
                faults.append(str(error))
                continue
            found.pop(self.subject(own), None)
            found[self.subject(own)] = line, own
            if (said := self.caution(own, known)) and not reader.strict:
                reader.notes.append(said)
        if faults:
            others = f", and so were {len(faults) - 1} more" if len(faults) > 1 else ""
            reader.notes.append(f"{faults[0]} It was left out{others}.")
        if len(found) > MOST_OWN:
            reader.notes.append(f"Only the first {MOST_OWN} of your own entries are used.")
        return dict(list(found.values())[:MOST_OWN])

    def read_link(self, control: Control, reader: Reader, known: Catalogue) -> Value:
        """Read the lines that are usable."""
        return tuple(self.usable(reader, control.key, known, control.label).values())

    def held(self, control: Control, value: Value, known: Catalogue) -> dict[str, Any]:
        """Return each as a line."""
        return {control.key: [self.write(own) for own in value]}


@dataclass(frozen=True, slots=True)
class Volumes(Kind):
    """A number a month for each kind of request, with a control each."""

    option = Kind.option | {"type": named_number, "metavar": "KIND=N", "help": "requests a month"}
    each: Number

    def read_link(self, control: Control, reader: Reader, known: Catalogue) -> Value:
        """Read a number for each kind, and leave out what is 0."""
        kinds = known.requests
        found = ((it.id, self.each.within(reader, volume_key(it.id), it.name)) for it in kinds)
        return tuple((kind, number) for kind, number in found if number)

    def held(self, control: Control, value: Value, known: Catalogue) -> dict[str, Any]:
        """Return the number of each kind, 0 where none is given."""
        none = {volume_key(kind.id): 0.0 for kind in known.requests}
        return none | {volume_key(kind): number for kind, number in value}

    def typed(self, control: Control, texts: list[Any], known: Catalogue) -> Query:
        """Return a number for each kind."""
        _check_known(control.option, [kind for kind, _ in texts], [it.id for it in known.requests])
        return {volume_key(kind): [repr(number)] for kind, number in texts}


@dataclass(frozen=True, slots=True)
class Control:
    """One control of the side bar."""

    key: str
    """Its parameter in a link."""
    field: str
    """The field of ``Question`` that it sets."""
    label: str
    kind: Kind
    says: Callable[[Question, Catalogue], str]
    """What is asked, in words."""
    help: str
    fold: Literal["", "conditions", "workload", "servers", "own", "more"]
    """The fold of the side bar that has it."""
    limit: str
    """What it sets, within a sentence, where that may be dropped if nothing fits; else empty."""

    @property
    def default(self) -> Value:
        """What its field holds when nobody set it."""
        return _ANY.value(self.field)

    @property
    def option(self) -> str:
        """Its option on the command line."""
        return f"--{self.field.replace('_', '-')}"

    def read(self, reader: Reader, catalogue: Catalogue) -> Value:
        """Read what a link asks."""
        return self.kind.read_link(self, reader, catalogue)

    def write(self, question: Question, catalogue: Catalogue) -> list[tuple[str, str]]:
        """Write what is asked as parameters; none where it is the default."""
        unset = self.unset(catalogue)
        held = self.kind.held(self, question.value(self.field), catalogue)
        changed = {key: value for key, value in held.items() if value != unset.get(key)}
        return [(key, words) for key, value in changed.items() for words in in_link(value)]

    def shown(self, values: tuple[str, ...], catalogue: Catalogue) -> list[str]:
        """Return the words of several values."""
        return list(self.kind.held(self, values, catalogue)[self.key])

    def unset(self, catalogue: Catalogue) -> dict[str, Any]:
        """Return what the control, or each of its controls, holds when nobody set it."""
        return self.kind.held(self, self.default, catalogue)

    def read_option(self, texts: list[Any], catalogue: Catalogue) -> Value:
        """Read what its option asks."""
        if "" in texts:
            raise BadRequestError(f"{self.option} needs a value.")
        return self.kind.read_option(replace(self, label=self.option), texts, catalogue)
