"""A hospital's own result in short, as a kept shortlist carries it: a sentence and its figures."""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass
from typing import Any, get_args

from core.domain import BadRequestError, Tier

_LINES = {"sentence": 500, "model_a": 200, "model_b": 200}
"""So many signs each may have."""
_WIDEST = 100.0
"""An end of an interval of two or three cases may lie far beyond any score."""


@dataclass(frozen=True, slots=True)
class LocalResult:
    """Model a against model b on a hospital's own cases; no row of any case is in it."""

    sentence: str
    """The verdict, on one line."""
    model_a: str
    model_b: str
    n_cases: int
    """Cases that both models have."""
    difference: float
    """Score of a minus that of b, on the scale from 0 to 1."""
    ci_low: float
    ci_high: float
    """The 95 % interval of the difference."""
    tier: Tier
    protocol_hash: str
    """SHA-256 of the frozen protocol, in hexadecimal; empty where none was frozen."""


def packed(result: LocalResult) -> str:
    """Write a result as JSON; a ``BadRequestError`` names the field that cannot be kept."""
    if words := _fault(asdict(result)):
        raise BadRequestError(f"This local result cannot be kept: {words}.")
    return json.dumps(asdict(result), allow_nan=False, separators=(",", ":"))


def unpacked(text: str) -> LocalResult:
    """Read a result; a ``ValueError`` where anything but its fields, each sound, is there."""
    found = json.loads(text)
    if not isinstance(found, dict) or set(found) != set(LocalResult.__slots__):
        raise ValueError("other fields")
    if words := _fault(found):
        raise ValueError(words)
    return LocalResult(**found)


def _fault(found: dict[str, Any]) -> str:
    """Say which field cannot be; empty where all can."""
    low, difference, high = (found[name] for name in ("ci_low", "difference", "ci_high"))
    are_numbers = all(
        isinstance(figure, int | float) and not isinstance(figure, bool)
        for figure in (low, difference, high)
    )
    digits = found["protocol_hash"]
    rules = (
        *(
            (_is_line(found[name], longest), f"{name} is no line of 1 to {longest} signs")
            for name, longest in _LINES.items()
        ),
        (type(found["n_cases"]) is int and found["n_cases"] >= 1, "n_cases is no count from 1"),
        (
            # What is not a number is not between two.
            are_numbers
            and -1 <= difference <= 1
            and -_WIDEST <= low <= difference <= high <= _WIDEST,
            "difference is no number from -1 to 1 between ci_low and ci_high",
        ),
        (found["tier"] in get_args(Tier), f"tier is none of {', '.join(get_args(Tier))}"),
        (
            isinstance(digits, str) and re.fullmatch("([0-9a-f]{64})?", digits) is not None,
            "protocol_hash has not 64 hexadecimal digits",
        ),
    )
    return next((words for holds, words in rules if not holds), "")


def _is_line(text: object, longest: int) -> bool:
    return (
        isinstance(text, str) and bool(text.strip()) and text.isprintable() and len(text) <= longest
    )
