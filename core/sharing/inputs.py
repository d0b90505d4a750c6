"""What a control of the question is: its kind, and how it is read, written and left unset.

Whatever a link holds is untrusted: a value that is not usable leaves a note and counts as not set.
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast

from core.domain import (
    BadRequestError,
    GateAnswer,
    OwnPrice,
    OwnRent,
    OwnSale,
    OwnTokens,
    Requirements,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from core.domain import GateKind, RequestKind
    from core.evidence.catalogue import Catalogue

Own = TypeVar("Own")
MOST_MODELS = 200
"""A link names at most so many models one by one."""
_BETWEEN = re.compile(r"[^a-z0-9]+")
"""What stands between the words of a category."""
MOST_OWN = 50
"""A link carries at most so many own answers, and so many own prices."""
OLDEST_PRICES = date(2023, 1, 1)
MOST_MONTHS = 60
"""A question asks for at most so many months on sale."""
_FLAGS = ("true", "false")
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
        said = f"{label}: {quoted(value)} {fault}"
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
        if value and value.lower() not in _FLAGS:
            self._note(label, value, "is neither true nor false", "; false is used")
        return value.lower() == "true"

    def models(self, key: str, label: str) -> tuple[str, ...]:
        """Read ids of models; whether the evidence has them, the shortlist says."""
        asked = list(dict.fromkeys(value for value in self.query.get(key, ()) if value))
        usable = [m for m in asked if len(m) <= _LONGEST_NAME and m.isprintable()]
        if strange := [m for m in asked if m not in usable]:
            self._note(label, strange[0], "is no name of a model", " and left out")
        if len(usable) > MOST_MODELS:
            self.notes.append(f"{label}: only the first {MOST_MODELS} of this link are used.")
        return tuple(usable[:MOST_MODELS])

    def lines(
        self, key: str, read: Callable[[str], Own], about: Callable[[Own], object]
    ) -> dict[str, Own]:
        """Read a hospital's own lines; of several about the same, the last counts."""
        found: dict[object, tuple[str, Own]] = {}
        faults = []
        for line in self.query.get(key, ()):
            try:
                own = read(line)
            except BadRequestError as error:
                if self.strict:
                    raise
                faults.append(str(error))
                continue
            found.pop(about(own), None)
            found[about(own)] = line, own
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

    def months(self, key: str, label: str, default: int | None) -> int | None:
        """Read for how many months a model must stay on sale; ``None`` does not ask."""
        value = self.last(key)
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


def quoted(text: str) -> str:
    """Quote what a link holds, cut where it is long."""
    printable = "".join(letter if letter.isprintable() else " " for letter in text)
    short = " ".join(printable.split())
    return f"“{short[:_LONGEST_QUOTE]}…”" if len(short) > _LONGEST_QUOTE else f"“{short}”"


def number_text(value: float) -> str:
    """Write a number as a control does: whole ones without a point."""
    return str(int(value)) if float(value).is_integer() else repr(float(value))


_ANY = Requirements()


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
class Choice:
    """One of several options by their words, the first unless set."""

    options: Callable[[Catalogue], Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Size:
    """A limit in billions of parameters, on a slider with stops."""

    stops: tuple[float | None, ...]
    low: float = 0.1
    high: float = 2_000


@dataclass(frozen=True, slots=True)
class Months:
    """How many months at least; ``None`` does not ask."""

    stops: tuple[int | None, ...]


@dataclass(frozen=True, slots=True)
class Several:
    """Several of the options by their words; those of older links lead to the same values."""

    options: Callable[[Catalogue], Mapping[str, str]]
    older: Callable[[Catalogue], Mapping[str, str]]
    empty: str


@dataclass(frozen=True, slots=True)
class Lines:
    """A hospital's own figures, a line of text each."""

    write: Callable[[Any], str]
    read: Callable[[str, Catalogue], Any]
    about: Callable[[Any], object]


@dataclass(frozen=True, slots=True)
class Volumes:
    """A number a month for each kind of request, with a control each."""

    each: Number


Plain = Literal["day", "switch", "models"]
Kind = Number | Choice | Size | Months | Several | Lines | Volumes | Plain


@dataclass(frozen=True, slots=True)
class Control:
    """One control of the side bar."""

    key: str
    """Its parameter in a link."""
    field: str
    """The field of ``Requirements`` that it sets."""
    label: str
    kind: Kind
    says: Callable[[Requirements, Catalogue], str]
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
                    return getattr(_ANY, self.field)
                return found / per_unit if per_unit > 1 else found
            case Choice(options):
                known = options(catalogue)
                return known[reader.option(key, label, known, next(iter(known)))]
            case Size(_, low, high):
                none = reader.last(key) == size_label(None)
                return None if none else reader.number(key, label, low, high, unit=" B")
            case Months():
                return reader.months(key, label, getattr(_ANY, self.field))
            case Several(options, older):
                known = {**options(catalogue), **older(catalogue)}
                chosen = {known[name] for name in reader.options(key, label, list(known))}
                return tuple(value for value in options(catalogue).values() if value in chosen)
            case Lines(_, read, about):
                return tuple(reader.lines(key, lambda line: read(line, catalogue), about).values())
            case Volumes(each):
                found_of = {
                    kind.id: reader.number(volume_key(kind.id), kind.name, each.low, each.high)
                    for kind in catalogue.procurement.requests
                }
                return tuple((kind, number) for kind, number in found_of.items() if number)
            case "day":
                return reader.day(key, label)
            case "switch":
                return reader.switch(key, label)
            case "models":
                return reader.models(key, label)

    def write(self, asked: Requirements, catalogue: Catalogue) -> list[tuple[str, str]]:  # noqa: PLR0911
        """Write what is asked as parameters; none where it is the default."""
        value = getattr(asked, self.field)
        if value == getattr(_ANY, self.field):
            return []
        match self.kind:
            case Number(per_unit=per_unit):
                shown = round(value * per_unit, 10) if per_unit > 1 else value
                return [(self.key, number_text(shown))]
            case Size():
                return [(self.key, size_label(value))]
            case Months():
                return [(self.key, sale_label(value))]
            case Choice(options):
                words = {value: name for name, value in options(catalogue).items()}
                return [(self.key, words.get(value, value))]
            case Several():
                return [(self.key, words) for words in self.shown(value, catalogue)]
            case Lines(write):
                return [(self.key, write(own)) for own in value]
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
            case Choice(options):
                return {self.key: next(iter(options(catalogue)))}
            case Size():
                return {self.key: size_label(None)}
            case Months():
                return {self.key: sale_label(getattr(_ANY, self.field))}
            case Volumes():
                return {volume_key(kind.id): 0.0 for kind in catalogue.procurement.requests}
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
_DAYS = re.compile(r"\d{1,5}", re.ASCII)


def answer_line(answer: GateAnswer) -> str:
    """Write an answer on a gate: platform; gate; answer; days; date; source; detail."""
    days = "" if answer.days is None else str(answer.days)
    head = (answer.platform, answer.gate, answer.answer, days)
    return _line(*head, answer.as_of, answer.source_url, answer.detail)


def read_answer(line: str, kinds: Mapping[str, GateKind]) -> GateAnswer:
    """Read what ``answer_line`` writes; an answer other than unknown needs source and date."""
    platform, gate, answer, days, as_of, source, detail = _fields(line, (7,), "An answer")
    if gate not in kinds:
        raise BadRequestError(f"There is no condition {quoted(gate)}.")
    if answer not in ANSWERS:
        raise BadRequestError(f"The answer {quoted(answer)} must be {', '.join(ANSWERS)}.")
    name = _text(platform, "platform or model", _LONGEST_NAME)
    if not name:
        raise BadRequestError("The answer needs the platform or model that it is about.")
    if answer != "unknown" and not source:
        raise BadRequestError("Say where the answer is from, such as a contract or a letter.")
    if as_of != UNDATED and not (answer == "unknown" and not as_of):
        _day(as_of, "the answer")
    if days and not _DAYS.fullmatch(days):
        raise BadRequestError(f"The days {quoted(days)} are no whole number from 0 to 99,999.")
    return GateAnswer(
        platform=name,
        gate=gate,
        answer=cast('Literal["yes", "no", "conditional", "unknown"]', answer),
        detail=_text(detail, "detail", LONGEST_TEXT),
        source_url=_text(source, "source", LONGEST_TEXT),
        as_of=as_of,
        days=int(days) if days else None,
        source_kind="own",
    )


def price_line(price: OwnPrice) -> str:
    """Write a price: model; read; written, US dollars per million tokens; date; source.

    Then the platform and the rate of cached tokens, where they are given.
    """
    usd = (number_text(price.input_usd_per_mtok), number_text(price.output_usd_per_mtok))
    cached = price.cached_usd_per_mtok
    more = [price.platform, "" if cached is None else number_text(cached)]
    while more and not more[-1]:
        more.pop()
    return _line(price.model, *usd, price.as_of, price.source, *more)


def read_price(line: str) -> OwnPrice:
    """Read what ``price_line`` writes; prices are 0 to 10,000 dollars, with source and date."""
    cells = _fields(line, (5, 6, 7), "A price")
    model, read, written, as_of, source, platform, cached = [*cells, "", ""][:7]
    if not model:
        raise BadRequestError("A price needs the model that it is for.")
    if not source:
        raise BadRequestError("Say where the price is from, such as the number of an offer.")
    return OwnPrice(
        model=_text(model, "model", _LONGEST_NAME),
        input_usd_per_mtok=_amount(read, "price of a million tokens read"),
        output_usd_per_mtok=_amount(written, "price of a million tokens written"),
        as_of=_day(as_of, "the price"),
        source=_text(source, "source", LONGEST_TEXT),
        platform=_text(platform, "platform", _LONGEST_NAME),
        cached_usd_per_mtok=_amount(cached, "price of a million cached tokens") if cached else None,
    )


def own_sale_line(sale: OwnSale) -> str:
    """Write until when a model is sold: model; platform; end; date; source."""
    return _line(sale.model, sale.platform, sale.ends_on, sale.as_of, sale.source)


def read_own_sale(line: str) -> OwnSale:
    """Read what ``own_sale_line`` writes; without an end it is sold and no end was told."""
    model, platform, ends_on, as_of, source = _fields(line, (5,), "A sale")
    if not (model and platform):
        raise BadRequestError("A sale needs the model and the platform that it is about.")
    if not source:
        raise BadRequestError("Say where the sale is from, such as a contract or a letter.")
    return OwnSale(
        model=_text(model, "model", _LONGEST_NAME),
        platform=_text(platform, "platform", _LONGEST_NAME),
        ends_on=_day(ends_on, "the end of sale") if ends_on else "",
        as_of=_day(as_of, "the sale"),
        source=_text(source, "source", LONGEST_TEXT),
    )


def rent_line(rent: OwnRent) -> str:
    """Write a rent: GPU; US dollars an hour of one; date; source."""
    return _line(rent.gpu, number_text(rent.usd_per_gpu_hour), rent.as_of, rent.source)


def read_rent(line: str, gpus: Collection[str]) -> OwnRent:
    """Read what ``rent_line`` writes, of one of the known GPUs, with source and date."""
    gpu, usd, as_of, source = _fields(line, (4,), "A rent")
    if gpu not in gpus:
        raise BadRequestError(f"There is no GPU {quoted(gpu)}.")
    if not source:
        raise BadRequestError("Say where the rent is from, such as the number of an offer.")
    rent = _amount(usd, "rent of an hour")
    if rent == 0:
        raise BadRequestError("A rent of 0 is none: say instead that you own the GPUs.")
    return OwnRent(gpu, rent, _day(as_of, "the rent"), _text(source, "source", LONGEST_TEXT))


def tokens_line(tokens: OwnTokens) -> str:
    """Write tokens per request: kind; read; written. An empty figure keeps MedHELM's."""
    return _line(
        tokens.kind,
        *("" if n is None else number_text(n) for n in (tokens.input_tokens, tokens.output_tokens)),
    )


def read_tokens(line: str, kinds: Sequence[RequestKind]) -> OwnTokens:
    """Read what ``tokens_line`` writes; tokens are 1 to a million."""
    kind, read, written = _fields(line, (3,), "Tokens of a request")
    if kind not in {known.id for known in kinds}:
        raise BadRequestError(f"There is no kind of request {quoted(kind)}.")
    found = []
    for text in (read, written):
        number = _float(text) if text else None
        if number is not None and not 1 <= number <= MOST_TOKENS:
            raise BadRequestError(
                f"The tokens {quoted(text)} are no number from 1 to {MOST_TOKENS:,.0f}."
            )
        found.append(number)
    return OwnTokens(kind, *found)


def _line(*cells: str) -> str:
    text = io.StringIO()
    csv.writer(text, delimiter=";", lineterminator="").writerow(
        [" ".join(cell.split()) for cell in cells]
    )
    return text.getvalue()


def _fields(line: str, n: Sequence[int], what: str) -> list[str]:
    if not line.isprintable():
        raise BadRequestError(f"{what} holds signs that cannot be shown.")
    try:
        rows = list(csv.reader([line], delimiter=";", skipinitialspace=True, strict=True))
    except csv.Error:
        rows = []
    cells = [cell.strip() for cell in rows[0]] if len(rows) == 1 else []
    if len(cells) not in n:
        parts = " or ".join(map(str, n))
        raise BadRequestError(f"{what} takes {parts} parts between semicolons, not {quoted(line)}.")
    return cells


def _text(text: str, what: str, most: int) -> str:
    if len(text) > most:
        raise BadRequestError(f"The {what} is longer than {most} signs.")
    return text


def _day(text: str, what: str) -> str:
    try:
        if len(text) == 10:
            return date.fromisoformat(text).isoformat()
    except ValueError:
        pass
    raise BadRequestError(f"The date of {what}, {quoted(text)}, must be written 2026-11-21.")


def _float(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan


def _amount(text: str, what: str) -> float:
    number = _float(text)
    if not 0 <= number <= MOST_USD_PER_MTOK:
        raise BadRequestError(
            f"The {what}, {quoted(text)}, is no number from 0 to {MOST_USD_PER_MTOK:,.0f}."
        )
    return number
