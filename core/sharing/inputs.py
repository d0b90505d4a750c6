"""What a control of the question is: its kind, and how it is read, written and left unset.

Whatever a link holds is untrusted: a value that is not usable leaves a note and counts as not set.
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any, Literal

from core.domain import (
    BadRequestError,
    GateAnswer,
    OwnPrice,
    OwnRent,
    OwnSale,
    OwnTokens,
    Question,
)

if TYPE_CHECKING:
    from core.evidence.catalogue import Catalogue

MOST_IN_A_LINK = 200
"""A link names at most so many models one by one."""
_BETWEEN = re.compile(r"[^a-z0-9]+")
"""What stands between the words of a category."""
MOST_OWN = 50
"""A link carries at most so many own answers, and so many own prices."""
OLDEST_PRICES = date(2023, 1, 1)
MOST_MONTHS = 60
"""A question asks for at most so many months on sale."""
_LONGEST_QUOTE = 60


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

    A note begins with the label of the control, as it stands on the screen. A ``strict`` reader
    raises a ``BadRequestError`` in its place.
    """

    def __init__(self, query: Mapping[str, Sequence[str]], *, strict: bool = False) -> None:
        self.query = query
        self.strict = strict
        self.notes: list[str] = []

    def last(self, key: str) -> str:
        """Return the last value of a key, which counts; empty where there is none."""
        values = self.query.get(key, ())
        return values[-1] if values else ""

    def _note(self, label: str, value: str, fault: str, instead: str) -> None:
        said = f"{label}: {quoted_from_link(value)} {fault}"
        if self.strict:
            raise BadRequestError(f"{said}.")
        self.notes.append(f"{said}{instead}.")

    def option(self, key: str, label: str, known: Iterable[str], default: str) -> str:
        """Read one of the known options."""
        value = self.last(key)
        if not value or value in known:
            return value or default
        self._note(label, value, "is not known", f"; {default} is used")
        return default

    def options(self, key: str, label: str, known: Sequence[str]) -> list[str]:
        """Read several of the known options, in their known order."""
        values = list(dict.fromkeys(self.query.get(key, ())))
        if unknown := [value for value in values if value not in known]:
            others = len(unknown) - 1
            also = f"; so are {others} others" if others > 1 else "; so is another"
            rest = f" and left out{also if others else ''}"
            self._note(label, unknown[0], "is not known", rest)
        return [name for name in known if name in values]

    def switch(self, key: str, label: str) -> bool:
        """Read true or false in any case, as the control does."""
        value = self.last(key)
        if value and value.lower() not in ("true", "false"):
            self._note(label, value, "is neither true nor false", "; false is used")
        return value.lower() == "true"

    def models(self, key: str, label: str) -> tuple[str, ...]:
        """Read ids of models; whether the evidence has them, the shortlist says."""
        asked = list(dict.fromkeys(value for value in self.query.get(key, ()) if value))
        usable = [m for m in asked if len(m) <= _LONGEST_NAME and m.isprintable()]
        if strange := [m for m in asked if m not in usable]:
            self._note(label, strange[0], "is no name of a model", " and left out")
        if len(usable) > MOST_IN_A_LINK:
            self.notes.append(f"{label}: only the first {MOST_IN_A_LINK} of this link are used.")
        return tuple(usable[:MOST_IN_A_LINK])

    def lines(self, key: str, kind: OwnLines, catalogue: Catalogue) -> dict[str, Any]:
        """Read a hospital's own lines; of several about the same, the last counts."""
        found: dict[object, tuple[str, object]] = {}
        faults = []
        for line in self.query.get(key, ()):
            try:
                own = kind.read(line, catalogue)
            except BadRequestError as error:
                if self.strict:
                    raise
                faults.append(str(error))
                continue
            found.pop(kind.subject(own), None)
            found[kind.subject(own)] = line, own
        if faults:
            others = f", and so were {len(faults) - 1} more" if len(faults) > 1 else ""
            self.notes.append(f"{faults[0]} It was left out{others}.")
        if len(found) > MOST_OWN:
            self.notes.append(f"Only the first {MOST_OWN} of your own entries are used.")
        return dict(list(found.values())[:MOST_OWN])

    def day(self, key: str, label: str) -> str:
        """Read an ISO day, empty where there is none."""
        value = self.last(key)
        if not value:
            return ""
        try:
            found = date.fromisoformat(value)
        except ValueError:
            self._note(label, value, "is no day such as 2026-11-21", ": left out")
            return ""
        if found < OLDEST_PRICES:
            self._note(label, value, f"is before {OLDEST_PRICES}", ": left out")
            return ""
        return found.isoformat()

    def number(
        self,
        key: str,
        label: str,
        low: float,
        high: float,
        *,
        unit: str = "",
        whole: bool = False,
    ) -> float | None:
        """Read a number within limits; ``None`` where there is none that is usable."""
        value = self.last(key)
        if not value:
            return None
        number = _float(value.removesuffix(unit))
        if math.isnan(number):
            self._note(label, value, "is not a number", " and was left out")
        elif not low <= number <= high:
            fault = f"is not between {low:,g} and {high:,g}"
            self._note(label, value, fault, " and was left out")
        elif whole and not number.is_integer():
            self._note(label, value, "is not a whole number", ": left out")
        else:
            return int(number) if whole else number
        return None

    def months(self, key: str, label: str) -> int | None:
        """Read for how many months a model must stay on sale; ``None`` does not ask."""
        value, default = self.last(key), Question().sale.on_sale_months
        months = {sale_label(n): n for n in (None, *range(MOST_MONTHS + 1))}
        if value and value not in months:
            fault = f"is none from 1 to {MOST_MONTHS} months"
            self._note(label, value, fault, f": {sale_label(default)} is used")
        return months.get(value, default)


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


_ANY = Question()


@dataclass(frozen=True, slots=True)
class Number:
    """A number in the unit of its control; nothing is asked while it is empty."""

    low: float
    high: float
    step: float
    empty: str = "Not asked"
    usual: float | None = None
    whole: bool = True
    per_unit: float = 1
    """How many units of the control make one of the requirement."""


@dataclass(frozen=True, slots=True)
class OneOf:
    """One of several options by their words, the first unless set."""

    options: Callable[[Catalogue], Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Stops:
    """One of some values by its words, or another that can be read; ``None`` asks nothing."""

    stops: tuple[Any, ...]
    words: Callable[[Any], str]
    read: Callable[[Reader, str, str], Any]


@dataclass(frozen=True, slots=True)
class Several:
    """Several of the options by their words; those of older links lead to the same values."""

    options: Callable[[Catalogue], Mapping[str, str]]
    older: Callable[[Catalogue], Mapping[str, str]]
    empty: str


@dataclass(frozen=True, slots=True)
class OwnLines:
    """A hospital's own figures, each a line of text whose parts stand between semicolons."""

    what: str
    """What a line holds, with its article."""
    make: Callable[..., Any]
    parts: Mapping[str, Callable[[str, Catalogue], object]]
    """How each part is read, by the field that it fills."""
    about: tuple[str, ...]
    """The fields by which two are about the same."""
    n_optional: int = 0
    """So many parts at the end may be missing."""

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
            parts = " or ".join(map(str, n))
            raise BadRequestError(
                f"{self.what} takes {parts} parts between semicolons, not {quoted_from_link(line)}."
            )
        found = zip(self.parts.items(), cells, strict=False)
        return self.make(**{field: read(cell, catalogue) for (field, read), cell in found})

    def subject(self, own: object) -> tuple[object, ...]:
        """Return what one is about."""
        return tuple(getattr(own, field) for field in self.about)


@dataclass(frozen=True, slots=True)
class Volumes:
    """A number a month for each kind of request, with a control each."""

    each: Number


Plain = Literal["day", "switch", "models"]
ControlKind = Number | OneOf | Stops | Several | OwnLines | Volumes | Plain


@dataclass(frozen=True, slots=True)
class Control:
    """One control of the side bar."""

    key: str
    """Its parameter in a link."""
    field: str
    """The field of ``Question`` that it sets."""
    label: str
    kind: ControlKind
    says: Callable[[Question, Catalogue], str]
    """What is asked, in words."""
    help: str
    fold: Literal["", "conditions", "workload", "servers", "own", "more"] = ""
    """The fold of the side bar in which it stands."""

    def read(self, reader: Reader, catalogue: Catalogue) -> Any:  # noqa: ANN401, PLR0911 - a field, a kind
        """Read what a link asks."""
        key, label = self.key, self.label
        match self.kind:
            case Number(low, high, whole=whole, per_unit=per_unit):
                found = reader.number(key, label, low, high, whole=whole)
                if found is None:
                    return _ANY.value(self.field)
                return found / per_unit if per_unit > 1 else found
            case OneOf(options):
                known = options(catalogue)
                return known[reader.option(key, label, known, next(iter(known)))]
            case Stops(_, words, read):
                return None if reader.last(key) == words(None) else read(reader, key, label)
            case Several(options, older):
                known = {**options(catalogue), **older(catalogue)}
                chosen = {known[name] for name in reader.options(key, label, list(known))}
                return tuple(value for value in options(catalogue).values() if value in chosen)
            case OwnLines() as kind:
                return tuple(reader.lines(key, kind, catalogue).values())
            case Volumes(each):
                found_of = {
                    kind.id: reader.number(volume_key(kind.id), kind.name, each.low, each.high)
                    for kind in catalogue.requests
                }
                return tuple((kind, number) for kind, number in found_of.items() if number)
            case "day":
                return reader.day(key, label)
            case "switch":
                return reader.switch(key, label)
            case "models":
                return reader.models(key, label)

    def write(self, asked: Question, catalogue: Catalogue) -> list[tuple[str, str]]:  # noqa: PLR0911
        """Write what is asked as parameters; none where it is the default."""
        value = asked.value(self.field)
        if value == _ANY.value(self.field):
            return []
        match self.kind:
            case Number(per_unit=per_unit):
                shown = round(value * per_unit, 10) if per_unit > 1 else value
                return [(self.key, number_text(shown))]
            case Stops(_, words):
                return [(self.key, words(value))]
            case OneOf(options):
                named = {value: name for name, value in options(catalogue).items()}
                return [(self.key, named.get(value, value))]
            case Several():
                return [(self.key, words) for words in self.shown(value, catalogue)]
            case OwnLines() as kind:
                return [(self.key, kind.write(own)) for own in value]
            case Volumes():
                return [(volume_key(kind), number_text(number)) for kind, number in value]
            case "models":
                return [(self.key, model) for model in value]
            case _:
                return [(self.key, "true" if value is True else value)]

    def shown(self, values: tuple[str, ...], catalogue: Catalogue) -> list[str]:
        """Return the words of several values."""
        options = self.kind.options(catalogue) if isinstance(self.kind, Several) else {}
        return [words for words, value in options.items() if value in values]

    def unset(self, catalogue: Catalogue) -> dict[str, object]:  # noqa: PLR0911
        """Return what the control, or each of its controls, holds when nobody set it."""
        match self.kind:
            case Number(usual=usual):
                return {self.key: usual}
            case OneOf(options):
                return {self.key: next(iter(options(catalogue)))}
            case Stops(_, words):
                return {self.key: words(_ANY.value(self.field))}
            case Volumes():
                return {volume_key(kind.id): 0.0 for kind in catalogue.requests}
            case "day":
                return {self.key: None}
            case "switch":
                return {self.key: False}
            case _:
                return {self.key: []}


ANSWERS = ("yes", "no", "conditional", "unknown")
UNDATED = "undated"
LONGEST_TEXT = 300
MOST_USD_PER_MTOK = 10_000.0
MOST_TOKENS = 1_000_000.0
_LONGEST_NAME = 150
_DAYS = re.compile(r"[0-9]{1,5}")
PartReader = Callable[[str, "Catalogue"], object]


def _text(what: str, most: int = LONGEST_TEXT, needed: str = "") -> PartReader:
    def read(text: str, _: Catalogue) -> str:
        if needed and not text:
            raise BadRequestError(needed)
        if len(text) > most:
            raise BadRequestError(f"The {what} is longer than {most} characters.")
        return text

    return read


def _one_of(known: Callable[[Catalogue], Collection[str]], fault: str) -> PartReader:
    def read(text: str, catalogue: Catalogue) -> str:
        if text not in known(catalogue):
            raise BadRequestError(fault.format(quoted_from_link(text)))
        return text

    return read


def _day(what: str, without: tuple[str, ...] = ()) -> PartReader:
    def read(text: str, _: Catalogue) -> str:
        if text in without:
            return text
        with suppress(ValueError):
            if len(text) == 10:
                return date.fromisoformat(text).isoformat()
        raise BadRequestError(
            f"The date of {what}, {quoted_from_link(text)}, must be written 2026-11-21."
        )

    return read


def _amount(
    what: str,
    low: float = 0,
    high: float = MOST_USD_PER_MTOK,
    *,
    needed: bool = True,
    zero: str = "",
) -> PartReader:
    def read(text: str, _: Catalogue) -> float | None:
        if not needed and not text:
            return None
        number = _float(text)
        if not low <= number <= high:
            said = what.format(quoted_from_link(text))
            raise BadRequestError(f"The {said} no number from {low:g} to {high:,.0f}.")
        if zero and not number:
            raise BadRequestError(zero)
        return number

    return read


def _days(text: str, _: Catalogue) -> int | None:
    if text and not _DAYS.fullmatch(text):
        raise BadRequestError(
            f"The days {quoted_from_link(text)} are no whole number from 0 to 99,999."
        )
    return int(text) if text else None


def _checked(**said: Any) -> GateAnswer:  # noqa: ANN401 - what the parts read
    """Make an answer; other than unknown it needs source and date."""
    found = GateAnswer(**said, source_kind="own")
    if found.answer != "unknown":
        if not found.source_url:
            raise BadRequestError("Say where the answer is from, such as a contract or a letter.")
        if not found.as_of:
            raise BadRequestError(
                f"The date of the answer, {quoted_from_link('')}, must be written 2026-11-21."
            )
    return found


def _float(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan


_FROM = "Say where the {} is from, such as {}."
_OFFER = "the number of an offer"
_SALE_OF = "A sale needs the model and the platform that it is about."
OWN_ANSWER = OwnLines(
    "An answer",
    _checked,
    {
        "platform": _text(
            "platform or model",
            _LONGEST_NAME,
            "The answer needs the platform or model that it is about.",
        ),
        "gate": _one_of(lambda known: known.gate_kinds, "There is no condition {}."),
        "answer": _one_of(lambda _: ANSWERS, f"The answer {{}} must be {', '.join(ANSWERS)}."),
        "days": _days,
        "as_of": _day("the answer", ("", UNDATED)),
        "source_url": _text("source"),
        "detail": _text("detail"),
    },
    ("platform", "gate"),
)
OWN_PRICE = OwnLines(
    "A price",
    OwnPrice,
    {
        "model": _text("model", _LONGEST_NAME, "A price needs the model that it is for."),
        "input_usd_per_mtok": _amount("price of a million tokens read, {}, is"),
        "output_usd_per_mtok": _amount("price of a million tokens written, {}, is"),
        "as_of": _day("the price"),
        "source": _text("source", needed=_FROM.format("price", _OFFER)),
        "platform": _text("platform", _LONGEST_NAME),
        "cached_usd_per_mtok": _amount("price of a million cached tokens, {}, is", needed=False),
    },
    ("model",),
    n_optional=2,
)
OWN_SALE = OwnLines(
    "A sale",
    OwnSale,
    {
        "model": _text("model", _LONGEST_NAME, _SALE_OF),
        "platform": _text("platform", _LONGEST_NAME, _SALE_OF),
        "ends_on": _day("the end of sale", ("",)),
        "as_of": _day("the sale"),
        "source": _text("source", needed=_FROM.format("sale", "a contract or a letter")),
    },
    ("model", "platform"),
)
OWN_RENT = OwnLines(
    "A rent",
    OwnRent,
    {
        "gpu": _one_of(lambda known: {offer.gpu for offer in known.gpus}, "There is no GPU {}."),
        "usd_per_gpu_hour": _amount(
            "rent of an hour, {}, is",
            zero="A rent of 0 is none: say instead that you own the GPUs.",
        ),
        "as_of": _day("the rent"),
        "source": _text("source", needed=_FROM.format("rent", _OFFER)),
    },
    ("gpu",),
)
OWN_TOKENS = OwnLines(
    "Tokens of a request",
    OwnTokens,
    {
        "kind": _one_of(
            lambda known: {kind.id for kind in known.requests},
            "There is no kind of request {}.",
        ),
        **dict.fromkeys(
            ("input_tokens", "output_tokens"),
            _amount("tokens {} are", 1, MOST_TOKENS, needed=False),
        ),
    },
    ("kind",),
)
