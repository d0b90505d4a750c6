"""The parameters of a link, read one by one; each that is not usable leaves a note."""

from __future__ import annotations

import math
from datetime import date
from typing import TYPE_CHECKING, TypeVar

from core.domain import BadRequestError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

Own = TypeVar("Own")
LIMITS = {
    "max_params": (0.1, 2_000.0),
    "budget": (0.0, 100_000_000.0),
    "requests": (1.0, 1_000_000_000.0),
    "tokens_in": (1.0, 1_000_000.0),
    "tokens_out": (1.0, 1_000_000.0),
    "tokens_reasoning": (0.0, 1_000_000.0),
    "margin": (0.0, 20.0),
    "weight": (0.0, 100.0),
    "volume": (0.0, 1_000_000_000.0),
    "retention": (0.0, 99_999.0),
    "window": (1.0, 100_000_000.0),
}
"""Smallest and largest value of each number, in the units of its control."""
MOST_MODELS = 200
"""A link names at most so many models one by one."""
MOST_OWN = 50
"""A link carries at most so many own answers, and so many own prices."""
OLDEST_PRICES = date(2023, 1, 1)
SALE_STOPS = (None, 0, 3, 6, 12, 24)
"""Stops of the control for how long a model must stay on sale, in months."""
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
    """Reads parameters one by one and collects a note for each that is not usable."""

    def __init__(self, query: Mapping[str, Sequence[str]]) -> None:
        self.query = query
        self.notes: list[str] = []

    def _last(self, key: str) -> str:
        values = self.query.get(key, ())
        return values[-1] if values else ""

    def option(self, key: str, what: str, known: Iterable[str], default: str) -> str:
        """Read one of the known options."""
        value = self._last(key)
        if not value or value in known:
            return value or default
        self.notes.append(f"{what} {quoted(value)} is not known; {default} is used.")
        return default

    def switch(self, key: str, what: str) -> bool:
        """Read true or false in any case, as the control does."""
        value = self._last(key)
        if value and value.lower() not in _FLAGS:
            self.notes.append(f"{what} {quoted(value)} is neither true nor false; false is used.")
        return value.lower() == "true"

    def options(self, key: str, what: str, known: Sequence[str]) -> list[str]:
        """Read several of the known options, in their known order."""
        values = list(dict.fromkeys(self.query.get(key, ())))
        if unknown := [value for value in values if value not in known]:
            others = len(unknown) - 1
            also = f"; so are {others} others" if others > 1 else "; so is another"
            self.notes.append(
                f"{what} {quoted(unknown[0])} is not known and left out{also if others else ''}."
            )
        return [name for name in known if name in values]

    def models(self) -> tuple[str, ...]:
        """Read ids of models; whether the evidence has them, the shortlist says."""
        asked = list(dict.fromkeys(value for value in self.query.get("only", ()) if value))
        usable = [m for m in asked if len(m) <= _LONGEST_ID and m.isprintable()]
        if strange := [m for m in asked if m not in usable]:
            self.notes.append(f"The model {quoted(strange[0])} is no name of a model and left out.")
        if len(usable) > MOST_MODELS:
            self.notes.append(f"Only the first {MOST_MODELS} models of this link are used.")
        return tuple(usable[:MOST_MODELS])

    def own(
        self, key: str, read: Callable[[str], Own], about: Callable[[Own], object]
    ) -> tuple[Own, ...]:
        """Read a hospital's own lines; of several about the same, the last counts."""
        found: dict[object, Own] = {}
        faults = []
        for line in self.query.get(key, ()):
            try:
                own = read(line)
            except BadRequestError as error:
                faults.append(str(error))
                continue
            found.pop(about(own), None)
            found[about(own)] = own
        if faults:
            others = f", and so were {len(faults) - 1} more" if len(faults) > 1 else ""
            self.notes.append(f"{faults[0]} It was left out{others}.")
        if len(found) > MOST_OWN:
            self.notes.append(f"Only the first {MOST_OWN} of your own entries are used.")
        return tuple(found.values())[:MOST_OWN]

    def day(self, key: str, what: str) -> str:
        """Read an ISO day, empty where there is none."""
        value = self._last(key)
        if not value:
            return ""
        try:
            found = date.fromisoformat(value)
        except ValueError:
            self.notes.append(f"{what} {quoted(value)} is no day such as 2026-11-21: left out.")
            return ""
        if found < OLDEST_PRICES:
            self.notes.append(f"{what} {quoted(value)} is before {OLDEST_PRICES}: left out.")
            return ""
        return found.isoformat()

    def _checked(self, what: str, value: str, limit: str) -> float | None:
        low, high = LIMITS[limit]
        try:
            number = float(value)
        except ValueError:
            number = math.nan
        if math.isnan(number):
            self.notes.append(f"{what} {quoted(value)} is not a number and was left out.")
        elif not low <= number <= high:
            self.notes.append(
                f"{what} {quoted(value)} is not between {low:,g} and {high:,g} and was left out."
            )
        else:
            return number
        return None

    def number(self, key: str, what: str, limit: str, default: float) -> float:
        """Read a number within a limit, by its name."""
        value = self._last(key)
        number = self._checked(what, value, limit) if value else None
        return default if number is None else number

    def amount(self, key: str, what: str) -> float | None:
        """Read a number within the limit of its own key; ``None`` where there is none."""
        value = self._last(key)
        return self._checked(what, value, key) if value else None

    def whole(self, key: str, what: str) -> int | None:
        """Read a whole number as ``amount`` does."""
        number = self.amount(key, what)
        if number is None or number.is_integer():
            return None if number is None else int(number)
        self.notes.append(f"{what} {quoted(self._last(key))} is not a whole number: left out.")
        return None

    def size(self) -> float | None:
        """Read the largest size in billions of parameters."""
        value = self._last("max_params")
        if value in ("", size_label(None)):
            return None
        what = "The largest model"
        return self._checked(what, value.removesuffix(" B"), "max_params")

    def sale(self, default: int | None) -> int | None:
        """Read for how many months a model must stay on sale; ``None`` does not ask."""
        value = self._last("sale")
        if not value:
            return default
        months = {sale_label(n): n for n in (None, *range(MOST_MONTHS + 1))}
        if value not in months:
            self.notes.append(
                f"The time on sale {quoted(value)} is none from 1 to {MOST_MONTHS} months: "
                f"{sale_label(default)} is used."
            )
        return months.get(value, default)


def quoted(text: str) -> str:
    """Quote what a link holds, cut where it is long."""
    printable = "".join(letter if letter.isprintable() else " " for letter in text)
    short = " ".join(printable.split())
    return f"“{short[:_LONGEST_QUOTE]}…”" if len(short) > _LONGEST_QUOTE else f"“{short}”"


def number_text(value: float) -> str:
    """Write a number as a control does: whole ones without a point."""
    return str(int(value)) if float(value).is_integer() else repr(float(value))
