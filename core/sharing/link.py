"""Requirements as a link, and back. Whatever a link holds is untrusted.

The keys are those of the controls on the screen and the values the words on them, since the
address bar and these functions must write the same link. A value that equals its default is
left out.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlencode

from core.domain import BadRequestError, Requirements
from core.procurement.requirements import all_categories

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from core.domain import EvidenceBase, Snapshot
    from core.evidence.catalogue import Catalogue

ACCESS = {"any": "Anywhere", "open": "Our own servers only"}
PROTOCOLS = {
    "zero-shot": "Without examples",
    "few-shot": "With a few examples",
    "chain-of-thought": "Step by step",
}
OWN_TASK = "own"
_FLAGS = ("true", "false")
LIMITS = {
    "max_params": (0.1, 2_000.0),
    "budget": (0.0, 100_000_000.0),
    "requests": (1.0, 1_000_000_000.0),
    "tokens_in": (1.0, 1_000_000.0),
    "tokens_out": (1.0, 1_000_000.0),
    "margin": (0.0, 20.0),
    "weight": (0.0, 100.0),
}
"""Smallest and largest value of each number, in the units of its control."""
_DEFAULTS = Requirements()
MOST_MODELS = 200
"""A link names at most so many models one by one."""
_LONGEST_ID = 150
_LONGEST_QUOTE = 60


@dataclass(frozen=True, slots=True)
class Opened:
    """What a link came to: requirements, and a note on each value that was not usable."""

    evidence: EvidenceBase
    requirements: Requirements
    notes: tuple[str, ...]


def weight_key(category: str) -> str:
    """Return the key of a category's own weight."""
    return "w_" + re.sub(r"[^a-z0-9]+", "_", category.lower()).strip("_")


def size_label(params_b: float | None) -> str:
    """Return a stop of the size control in words."""
    return "No limit" if params_b is None else f"{_number(params_b)} B"


def data_label(snapshot: Snapshot) -> str:
    """Name a snapshot so that a link can tell whether it is still the same."""
    return f"{snapshot.revision} ({snapshot.sha256[:8]})"


def to_query(
    requirements: Requirements, catalogue: Catalogue, snapshot: Snapshot
) -> list[tuple[str, str]]:
    """Write requirements as the parameters that the controls would write.

    Raises
    ------
    BadRequestError
        When the app offers no evidence base for the suite and cohort, so no link shows it.
    """
    base = next(
        (
            base
            for base in catalogue.evidence.values()
            if (base.suite, base.cohort) == (requirements.suite, requirements.cohort)
        ),
        None,
    )
    if base is None:
        raise BadRequestError(
            f"No page shows {requirements.suite} for the cohort {requirements.cohort}."
        )
    query: list[tuple[str, str]] = []
    first = next(iter(catalogue.evidence.values()))
    if base is not first:
        query.append(("evidence", base.name))
    query.append(("data", data_label(snapshot)))
    default_protocol = next(iter(catalogue.suites[base.suite].protocols), "")
    if requirements.protocol not in ("", default_protocol):
        query.append(("protocol", PROTOCOLS[requirements.protocol]))
    if requirements.weights:
        query.append(("task", catalogue.tasks[OWN_TASK].name))
        own = dict(requirements.weights)
        for category in all_categories(catalogue.benchmarks[base.suite]):
            if (weight := own.get(category, 0.0)) > 0:
                query.append(("category", category))
                if weight != 1:
                    query.append((weight_key(category), _number(weight)))
    elif requirements.task != _DEFAULTS.task:
        query.append(("task", catalogue.tasks[requirements.task].name))
    if requirements.access != _DEFAULTS.access:
        query.append(("access", ACCESS[requirements.access]))
    if requirements.max_params_b is not None:
        query.append(("max_params", size_label(requirements.max_params_b)))
    for key, value, default in (
        ("budget", requirements.monthly_budget_usd, None),
        ("requests", requirements.requests_per_month, _DEFAULTS.requests_per_month),
        ("tokens_in", requirements.input_tokens_per_request, None),
        ("tokens_out", requirements.output_tokens_per_request, None),
        ("margin", round(requirements.margin * 100, 10), _DEFAULTS.margin * 100),
    ):
        if value is not None and value != default:
            query.append((key, _number(value)))
    query += [("only", model) for model in requirements.only]
    switches = (("flagged", requirements.include_flagged), ("overlap", requirements.overlap_once))
    return [*query, *((key, "true") for key, on in switches if on)]


def to_url(base_url: str, query: Sequence[tuple[str, str]]) -> str:
    """Put parameters behind the address of a page, in place of any it has."""
    return f"{base_url.split('?', maxsplit=1)[0]}?{urlencode(query)}"


def parse_url(url: str) -> dict[str, list[str]]:
    """Return the parameters of a link or of a bare query string, values in their order."""
    # By hand, since urlsplit refuses some addresses, and whatever a link holds must open.
    address, mark, behind = url.partition("#")[0].partition("?")
    query = behind if mark else "" if "://" in address else address
    parameters: dict[str, list[str]] = {}
    for key, value in parse_qsl(query, keep_blank_values=True):
        parameters.setdefault(key, []).append(value)
    return parameters


def offered(catalogue: Catalogue, loaded: Collection[str]) -> list[EvidenceBase]:
    """Return the evidence bases whose suite is loaded; all of them where none is."""
    bases = list(catalogue.evidence.values())
    return [base for base in bases if base.suite in loaded] or bases


def from_query(
    query: Mapping[str, Sequence[str]], catalogue: Catalogue, snapshots: Sequence[Snapshot]
) -> Opened:
    """Read requirements from the parameters of a link; nothing in it can fail.

    A value that is unknown, no number or out of range is replaced by its default, and a note
    says so. Parameters that no control of the shared question has are passed over, since a
    page may have its own.
    """
    reader = _Reader(query)
    loaded = {snapshot.suite for snapshot in snapshots if snapshot.kind == "release"}
    bases = {base.name: base for base in offered(catalogue, loaded)}
    base = bases[reader.option("evidence", "The evidence", bases, next(iter(bases)))]
    suite = catalogue.suites[base.suite]
    data = next(iter(query.get("data", ())), "")
    own = [s for s in snapshots if s.suite == base.suite and s.kind == "release"]
    revision = next((s.revision for s in own if data_label(s) == data), "")
    if data and not revision and own:
        reader.notes.append(
            f"The evidence of this link, {_quote(data)}, is not here; the newest is shown."
        )
    protocols = {PROTOCOLS[protocol]: protocol for protocol in suite.protocols}
    protocol = ""
    if protocols:
        default = next(iter(protocols))
        protocol = protocols[reader.option("protocol", "The prompting", protocols, default)]
        protocol = "" if protocol == suite.protocols[0] else protocol
    tasks = {task.name: task.id for task in catalogue.tasks.values()}
    balanced = catalogue.tasks[_DEFAULTS.task].name
    task = tasks[reader.option("task", "The task", tasks, balanced)]
    weights: tuple[tuple[str, float], ...] = ()
    if task == OWN_TASK:
        known = all_categories(catalogue.benchmarks[base.suite])
        chosen = reader.options("category", "The task category", known)
        weights = tuple(
            (name, reader.number(weight_key(name), f"The weight of {name}", "weight", 1.0))
            for name in chosen
        )
    access_names = {name: access for access, name in ACCESS.items()}
    access = access_names[reader.option("access", "The place", access_names, ACCESS["any"])]
    margin = reader.number("margin", "The margin", "margin", _DEFAULTS.margin * 100)
    requests = reader.whole("requests", "The requests a month")
    requirements = Requirements(
        suite=base.suite,
        cohort=base.cohort,
        protocol=protocol,
        revision=revision,
        task=task,
        weights=weights,
        access="open" if access == "open" else "any",
        max_params_b=reader.size(),
        monthly_budget_usd=reader.amount("budget", "The budget"),
        requests_per_month=_DEFAULTS.requests_per_month if requests is None else requests,
        input_tokens_per_request=reader.whole("tokens_in", "The input tokens"),
        output_tokens_per_request=reader.whole("tokens_out", "The output tokens"),
        margin=margin / 100,
        only=reader.models(),
        include_flagged=reader.switch("flagged", "The choice of flagged runs"),
        overlap_once=reader.switch("overlap", "The choice of overlapping benchmarks"),
    )
    return Opened(base, requirements, tuple(reader.notes))


class _Reader:
    """Reads parameters one by one and collects a note for each that is not usable."""

    def __init__(self, query: Mapping[str, Sequence[str]]) -> None:
        self.query = query
        self.notes: list[str] = []

    def _last(self, key: str) -> str:
        values = self.query.get(key, ())
        return values[-1] if values else ""

    def option(self, key: str, what: str, known: Iterable[str], default: str) -> str:
        value = self._last(key)
        if not value or value in known:
            return value or default
        self.notes.append(f"{what} {_quote(value)} is not known; {default} is used.")
        return default

    def switch(self, key: str, what: str) -> bool:
        """Read true or false in any case, as the control does."""
        value = self._last(key)
        if value and value.lower() not in _FLAGS:
            self.notes.append(f"{what} {_quote(value)} is neither true nor false; false is used.")
        return value.lower() == "true"

    def options(self, key: str, what: str, known: Sequence[str]) -> list[str]:
        values = list(dict.fromkeys(self.query.get(key, ())))
        if unknown := [value for value in values if value not in known]:
            others = len(unknown) - 1
            also = f"; so are {others} others" if others > 1 else "; so is another"
            self.notes.append(
                f"{what} {_quote(unknown[0])} is not known and left out{also if others else ''}."
            )
        return [name for name in known if name in values]

    def models(self) -> tuple[str, ...]:
        """Read ids of models; whether the evidence has them, the shortlist says."""
        asked = list(dict.fromkeys(value for value in self.query.get("only", ()) if value))
        usable = [m for m in asked if len(m) <= _LONGEST_ID and m.isprintable()]
        if strange := [m for m in asked if m not in usable]:
            self.notes.append(f"The model {_quote(strange[0])} is no name of a model and left out.")
        if len(usable) > MOST_MODELS:
            self.notes.append(f"Only the first {MOST_MODELS} models of this link are used.")
        return tuple(usable[:MOST_MODELS])

    def _checked(self, what: str, value: str, limit: str) -> float | None:
        low, high = LIMITS[limit]
        try:
            number = float(value)
        except ValueError:
            number = math.nan
        if math.isnan(number):
            self.notes.append(f"{what} {_quote(value)} is not a number and was left out.")
        elif not low <= number <= high:
            self.notes.append(
                f"{what} {_quote(value)} is not between {low:,g} and {high:,g} and was left out."
            )
        else:
            return number
        return None

    def number(self, key: str, what: str, limit: str, default: float) -> float:
        value = self._last(key)
        number = self._checked(what, value, limit) if value else None
        return default if number is None else number

    def amount(self, key: str, what: str) -> float | None:
        value = self._last(key)
        return self._checked(what, value, key) if value else None

    def whole(self, key: str, what: str) -> int | None:
        number = self.amount(key, what)
        if number is None or number.is_integer():
            return None if number is None else int(number)
        self.notes.append(f"{what} {_quote(self._last(key))} is not a whole number: left out.")
        return None

    def size(self) -> float | None:
        value = self._last("max_params")
        if value in ("", size_label(None)):
            return None
        what = "The largest model"
        return self._checked(what, value.removesuffix(" B"), "max_params")


def _quote(text: str) -> str:
    printable = "".join(letter if letter.isprintable() else " " for letter in text)
    short = " ".join(printable.split())
    return f"“{short[:_LONGEST_QUOTE]}…”" if len(short) > _LONGEST_QUOTE else f"“{short}”"


def _number(value: float) -> str:
    return str(int(value)) if float(value).is_integer() else repr(float(value))
