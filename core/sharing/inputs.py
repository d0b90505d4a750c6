"""What a control of the question is: its kind, and how it is read, written and left unset.

Whatever a link holds is untrusted: a value that is not usable leaves a note and counts as not set.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from core.domain import Requirements
from core.sharing.link_keys import volume_key
from core.sharing.link_reader import number_text, sale_label, size_label

if TYPE_CHECKING:
    from core.evidence.catalogue import Catalogue
    from core.sharing.link_reader import Reader

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

    options: Callable[[Catalogue], Mapping[str, str]]


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
    fold: Literal["", "conditions", "workload", "own", "more"] = ""
    """The fold of the side bar in which it stands."""

    def read(self, reader: Reader, catalogue: Catalogue) -> Any:  # noqa: ANN401, PLR0911 - a field, a kind
        """Read what a link asks."""
        key, label = self.key, self.label
        match self.kind:
            case Number(low, high, whole=whole, per_unit=per_unit):
                found = (reader.whole if whole else reader.number)(key, label, low, high)
                if found is None:
                    return getattr(_ANY, self.field)
                return found / per_unit if per_unit > 1 else found
            case Choice(options):
                known = options(catalogue)
                return known[reader.option(key, label, known, next(iter(known)))]
            case Size(_, low, high):
                return reader.size(key, label, low, high)
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
