"""The parameters of a link, read one by one; each that is not usable leaves a note."""

from __future__ import annotations

import math
from datetime import date
from typing import TYPE_CHECKING, TypeVar

from core.domain import BadRequestError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

Own = TypeVar("Own")
MOST_MODELS = 200
"""A link names at most so many models one by one."""
MOST_OWN = 50
"""A link carries at most so many own answers, and so many own prices."""
OLDEST_PRICES = date(2023, 1, 1)
MOST_MONTHS = 60
"""A question asks for at most so many months on sale."""
_FLAGS = ("true", "false")
_LONGEST_ID = 150
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

    A note begins with the label of the control, as it stands on the screen.
    """

    def __init__(self, query: Mapping[str, Sequence[str]]) -> None:
        self.query = query
        self.notes: list[str] = []

    def _last(self, key: str) -> str:
        values = self.query.get(key, ())
        return values[-1] if values else ""

    def _note(self, label: str, value: str, fault: str) -> None:
        self.notes.append(f"{label}: {quoted(value)} {fault}.")

    def option(self, key: str, label: str, known: Iterable[str], default: str) -> str:
        """Read one of the known options."""
        value = self._last(key)
        if not value or value in known:
            return value or default
        self._note(label, value, f"is not known; {default} is used")
        return default

    def options(self, key: str, label: str, known: Sequence[str]) -> list[str]:
        """Read several of the known options, in their known order."""
        values = list(dict.fromkeys(self.query.get(key, ())))
        if unknown := [value for value in values if value not in known]:
            others = len(unknown) - 1
            also = f"; so are {others} others" if others > 1 else "; so is another"
            self._note(label, unknown[0], f"is not known and left out{also if others else ''}")
        return [name for name in known if name in values]

    def switch(self, key: str, label: str) -> bool:
        """Read true or false in any case, as the control does."""
        value = self._last(key)
        if value and value.lower() not in _FLAGS:
            self._note(label, value, "is neither true nor false; false is used")
        return value.lower() == "true"

    def models(self, key: str, label: str) -> tuple[str, ...]:
        """Read ids of models; whether the evidence has them, the shortlist says."""
        asked = list(dict.fromkeys(value for value in self.query.get(key, ()) if value))
        usable = [m for m in asked if len(m) <= _LONGEST_ID and m.isprintable()]
        if strange := [m for m in asked if m not in usable]:
            self._note(label, strange[0], "is no name of a model and left out")
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
        value = self._last(key)
        if not value:
            return ""
        try:
            found = date.fromisoformat(value)
        except ValueError:
            self._note(label, value, "is no day such as 2026-11-21: left out")
            return ""
        if found < OLDEST_PRICES:
            self._note(label, value, f"is before {OLDEST_PRICES}: left out")
            return ""
        return found.isoformat()

    def number(
        self, key: str, label: str, low: float, high: float, *, unit: str = ""
    ) -> float | None:
        """Read a number within limits; ``None`` where there is none that is usable."""
        value = self._last(key)
        if not value:
            return None
        try:
            number = float(value.removesuffix(unit))
        except ValueError:
            number = math.nan
        if math.isnan(number):
            self._note(label, value, "is not a number and was left out")
        elif not low <= number <= high:
            self._note(label, value, f"is not between {low:,g} and {high:,g} and was left out")
        else:
            return number
        return None

    def whole(self, key: str, label: str, low: float, high: float) -> int | None:
        """Read a whole number as ``number`` does."""
        number = self.number(key, label, low, high)
        if number is None or number.is_integer():
            return None if number is None else int(number)
        self._note(label, self._last(key), "is not a whole number: left out")
        return None

    def size(self, key: str, label: str, low: float, high: float) -> float | None:
        """Read the largest size in billions of parameters."""
        if self._last(key) == size_label(None):
            return None
        return self.number(key, label, low, high, unit=" B")

    def months(self, key: str, label: str, default: int | None) -> int | None:
        """Read for how many months a model must stay on sale; ``None`` does not ask."""
        value = self._last(key)
        months = {sale_label(n): n for n in (None, *range(MOST_MONTHS + 1))}
        if value and value not in months:
            fault = f"is none from 1 to {MOST_MONTHS} months: {sale_label(default)} is used"
            self._note(label, value, fault)
        return months.get(value, default)


def quoted(text: str) -> str:
    """Quote what a link holds, cut where it is long."""
    printable = "".join(letter if letter.isprintable() else " " for letter in text)
    short = " ".join(printable.split())
    return f"“{short[:_LONGEST_QUOTE]}…”" if len(short) > _LONGEST_QUOTE else f"“{short}”"


def number_text(value: float) -> str:
    """Write a number as a control does: whole ones without a point."""
    return str(int(value)) if float(value).is_integer() else repr(float(value))
