"""The protocol of a local test, frozen before any result is seen, and what departed from it."""

from __future__ import annotations

import hashlib
import json
import math
from dataclasses import asdict, dataclass
from datetime import date
from typing import TYPE_CHECKING, Any, cast, get_args

from core.domain import BadDataError
from core.local_test.plan import (
    FEWEST_MODELS,
    LONGEST,
    MOST_MODELS,
    Basis,
    Judged,
    Source,
    basis_in_words,
    is_text,
    points,
)
from core.procurement.reasons import listed
from core.statistics.sample_size import ALPHA

if TYPE_CHECKING:
    from collections.abc import Callable

    from core.local_test.plan import Plan
    from core.local_test.results import Results

_JUDGED: dict[Judged, str] = {
    "right/wrong": "right or wrong, against a reference answer",
    "rubric": "marks of 1 to 5",
}
_LARGEST = 100_000
"""Letters of a protocol file."""
_FORMAT = "llm-formulary local test protocol 1"
ANALYSIS = (
    "Difference of the two models within each rater, then mean over raters, case by case, over the "
    "cases that one rater at least rated for both; cases of one patient are one cluster; 95 % "
    "interval by Student's t. As good within the margin: worse by the margin or more is rejected "
    "at 2.5 % one-sided (shown: by Holm over all candidates; likely: for the pair alone). Where so "
    "few cases differ that fewer than 8 would fall to the candidate at the margin, Tango's score "
    "test must reject too, and the wider interval stands. Below the planned cases it stays open."
)
STOPPING = "All cases are rated before anyone looks at a result; there is no early stop."


@dataclass(frozen=True, slots=True)
class Protocol:
    """What was agreed before any result was seen; equal content, equal ``sha256``."""

    work: str
    models: tuple[tuple[str, str], ...]
    """Name and exact id, the reference first."""
    judged: Judged
    margin: float
    difference: float
    power: float
    n_cases: int
    basis: Basis
    raters: int
    minutes_per_case: float
    analysis: str
    stopping: str
    agreed_on: date

    @property
    def question(self) -> str:
        """The question in words."""
        names = [name for name, _ in self.models]
        verb, each = ("Is", "") if len(names) == 2 else ("Are", "each ")
        return (
            f"{verb} {listed(names[1:])} {each}as good as {names[0]} within "
            f"{points(self.margin, self.judged)} on {self.work}?"
        )

    def lines(self) -> tuple[tuple[str, str], ...]:
        """Say what was agreed, each with its heading."""
        truly = "as good"
        if self.difference:
            apart = abs(self.difference) * 100
            truly = f"{apart:g} points {'better' if self.difference > 0 else 'worse'}"
        rated = "a program judges"
        if self.raters:
            rated = f"{self.raters}, without knowing which model answered; every one rates all"
        return (
            ("Cases", f"{self.n_cases:,}, each answered by every model"),
            ("Judged", _JUDGED[self.judged]),
            ("Raters", rated),
            (
                "Margin",
                f"{points(self.margin, self.judged)}, the largest loss that still counts as good",
            ),
            ("Power", f"{self.power * 100:g} % for each candidate that is truly {truly}"),
            ("The number rests on", basis_in_words(self.basis, self.judged)),
            ("Analysis", self.analysis),
            ("Stopping rule", self.stopping),
        )

    def as_json(self) -> str:
        """Write it with sorted keys and no blanks, so that equal content is equal text."""
        document = {
            **asdict(self),
            "format": _FORMAT,
            "question": self.question,
            "models": [{"name": name, "id": own} for name, own in self.models],
            "alpha": ALPHA,
            "agreed_on": self.agreed_on.isoformat(),
        }
        return json.dumps(
            document, sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False
        )

    @property
    def sha256(self) -> str:
        """Of ``as_json`` in UTF-8."""
        return hashlib.sha256(self.as_json().encode()).hexdigest()

    @classmethod
    def read(cls, text: str) -> Protocol:
        """Read what ``as_json`` wrote; anything else is one sentence."""
        document = _parsed(text)
        for key, holds in _HOLDS.items():
            if key not in document or not holds(document[key]):
                raise BadDataError(f'The protocol cannot be read: its "{key}" is missing or wrong.')
        if more := sorted(document.keys() - _HOLDS.keys()):
            raise BadDataError(f"The protocol cannot be read: no protocol holds {more[0][:60]!a}.")
        found = cls(
            work=document["work"],
            models=tuple((model["name"], model["id"]) for model in document["models"]),
            judged=document["judged"],
            margin=float(document["margin"]),
            difference=float(document["difference"]),
            power=float(document["power"]),
            n_cases=document["n_cases"],
            basis=Basis(**document["basis"] | {"value": float(document["basis"]["value"])}),
            raters=document["raters"],
            minutes_per_case=float(document["minutes_per_case"]),
            analysis=document["analysis"],
            stopping=document["stopping"],
            agreed_on=date.fromisoformat(document["agreed_on"]),
        )
        if document["question"] != found.question:
            raise BadDataError(
                "The protocol cannot be read: its question is not that of its models and margin."
            )
        return found


def protocol(found: Plan, on: date) -> Protocol:
    """Freeze a plan on a day."""
    return Protocol(
        work=found.work,
        models=tuple((model.name, model.id) for model in found.models),
        judged=found.judged,
        margin=found.margin,
        difference=found.difference,
        power=found.power,
        n_cases=found.n_cases,
        basis=found.basis,
        raters=found.raters,
        minutes_per_case=found.minutes_per_case,
        analysis=ANALYSIS,
        stopping=STOPPING,
        agreed_on=on,
    )


def deviations(agreed: Protocol, results: Results, margin: float) -> tuple[str, ...]:
    """Say how what was done differs from what was agreed; empty where it does not.

    ``margin`` is the one that the verdict goes by.
    """
    frame, said = results.frame, []
    there = set(frame["model"])
    for name, own in agreed.models:
        if own in there:
            continue
        if name in there:
            said.append(
                f"The results say {name}, not {own}: they do not tell which version answered."
            )
        else:
            said.append(f"{name} ({own}) was to be tested and has no result.")
    named = {text for model in agreed.models for text in model}
    said += [f"{other[:LONGEST]} was tested and not planned." for other in sorted(there - named)]
    planned = frame[frame["model"].isin(named)]
    per_item = planned.groupby("item")["model"].nunique()
    n = int((per_item == len(agreed.models)).sum())
    if n != agreed.n_cases:
        apart = f"{abs(n - agreed.n_cases):,} too {'few' if n < agreed.n_cases else 'many'}"
        said.append(
            f"{n:,} cases have a result of every model; {agreed.n_cases:,} were planned, {apart}."
        )
    raters = planned[planned["rater"] != ""].groupby(["model", "item"])["rater"].nunique()
    few = raters[raters < agreed.raters].index.unique("item") if agreed.raters else ()
    if agreed.raters and raters.empty:
        said.append(f"Nobody rated; {agreed.raters} raters were planned.")
    elif len(few):
        said.append(
            f"{len(few):,} case{' has' if len(few) == 1 else 's have'} fewer than the "
            f"{agreed.raters} raters planned."
        )
    if not math.isclose(margin, agreed.margin, abs_tol=1e-9):
        said.append(
            f"The verdict goes by a margin of {margin * 100:g} points; {agreed.margin * 100:g} "
            "were agreed."
        )
    return tuple(said)


def _parsed(text: str) -> dict[str, Any]:
    """Parse JSON of one object, each key once and every number finite."""
    if len(text) > _LARGEST:
        raise BadDataError(f"The protocol cannot be read: it has over {_LARGEST:,} letters.")

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(dict(pairs)) < len(pairs):
            raise ValueError
        return dict(pairs)

    def refused(_: str) -> float:
        raise ValueError

    try:
        document = json.loads(text, object_pairs_hook=once, parse_constant=refused)
    except (ValueError, RecursionError):
        document = None
    if not isinstance(document, dict):
        raise BadDataError("The protocol cannot be read: it is not the JSON that was frozen.")
    return document


def _is_words(value: object) -> bool:
    return isinstance(value, str) and 0 < len(value) <= 10 * LONGEST and value.isprintable()


def _is_number(value: object, low: float, high: float) -> bool:
    real = isinstance(value, int | float) and not isinstance(value, bool)
    return real and low <= cast("float", value) <= high


def _is_count(value: object, low: int) -> bool:
    return isinstance(value, int) and _is_number(value, low, 1_000_000)


def _are_models(value: object) -> bool:
    if not isinstance(value, list) or not FEWEST_MODELS <= len(value) <= MOST_MODELS:
        return False
    whole = all(isinstance(model, dict) and model.keys() == {"name", "id"} for model in value)
    return (
        whole
        and all(is_text(text) for model in value for text in model.values())
        and len({model["id"] for model in value}) == len(value)
    )


def _is_basis(value: object) -> bool:
    names = {"source", "value", "candidate", "where", "n_items"}
    return (
        isinstance(value, dict)
        and value.keys() == names
        and value["source"] in get_args(Source)
        and _is_number(value["value"], 0, 1)
        and all(value[key] == "" or is_text(value[key]) for key in ("candidate", "where"))
        and (value["n_items"] is None or _is_count(value["n_items"], 1))
    )


def _is_day(value: object) -> bool:
    try:
        return isinstance(value, str) and date.fromisoformat(value).isoformat() == value
    except ValueError:
        return False


_HOLDS: dict[str, Callable[[Any], bool]] = {
    "format": lambda value: bool(value == _FORMAT),
    "question": _is_words,
    "work": is_text,
    "models": _are_models,
    "judged": lambda value: value in get_args(Judged),
    "margin": lambda value: _is_number(value, 0, 0.999),
    "difference": lambda value: _is_number(value, -1, 1),
    "power": lambda value: _is_number(value, 0.5, 0.99),
    "alpha": lambda value: bool(value == ALPHA),
    "n_cases": lambda value: _is_count(value, 2),
    "basis": _is_basis,
    "raters": lambda value: _is_count(value, 0),
    "minutes_per_case": lambda value: _is_number(value, 0, 10_000),
    "analysis": _is_words,
    "stopping": _is_words,
    "agreed_on": _is_day,
}
"""What each entry of a protocol file must be."""
