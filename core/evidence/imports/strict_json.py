"""JSON from strangers: one strict parse with limits, and paths that name the place of a fault."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from typing import TYPE_CHECKING, Any

from core.evidence.imports.upload import quoted, shortened

if TYPE_CHECKING:
    from core.evidence.imports.upload import Upload

Json = dict[str, "Json"] | list["Json"] | str | float | bool | None
Step = str | int
_MAX_VALUES = 1_000_000
_MAX_CONTAINERS = 200_000
"""Objects and lists; a MedHELM release has about 10,000."""
_WORD = re.compile(r"[A-Za-z_]\w{0,40}", re.ASCII)
_GAPS = ("", "-", "–", "—", "n/a", "na", "none", "null")


def parsed(upload: Upload, text: str) -> Json:
    """Return the document, or fail at the first thing that JSON does not allow."""
    if text.count(",") > _MAX_VALUES:
        raise upload.fault(f"it holds more than {_MAX_VALUES:,} values")
    if text.count("[") + text.count("{") > _MAX_CONTAINERS:
        raise upload.fault(f"it holds more than {_MAX_CONTAINERS:,} lists and objects")
    doubled: list[tuple[object, str]] = []
    infinite: list[float] = []

    def pairs(found: list[tuple[str, Json]]) -> dict[str, Json]:
        result = dict(found)
        if len(result) != len(found) and not doubled:
            counts = Counter(key for key, _ in found)
            doubled.append((result, counts.most_common(1)[0][0]))
        return result

    def real(digits: str) -> float:
        value = float(digits)
        if not math.isfinite(value):
            infinite.append(value)
        return value

    try:
        document: Json = json.loads(
            text, object_pairs_hook=pairs, parse_float=real, parse_constant=real
        )
    except RecursionError:
        raise upload.fault("its JSON is nested too deeply") from None
    except json.JSONDecodeError as error:
        place = f"row {error.lineno}, column {error.colno}"
        raise upload.fault(f"it is not readable JSON ({error.msg})", place) from None
    except ValueError:
        raise upload.fault("its JSON has a number of too many digits") from None
    if doubled:
        place = _place_of(document, doubled[0][0])
        raise upload.fault(f"the key {quoted(doubled[0][1])} comes twice in one object", place)
    if infinite:
        place = _place_of(document, infinite[0])
        raise upload.fault("NaN, Infinity or a number too large; leave a gap as null", place)
    return document


def at(*steps: Step) -> str:
    """Return a path in the document as text, such as ``rows[3][2]``, shortened."""
    text = ""
    for step in steps:
        if isinstance(step, int):
            text += f"[{step}]"
        elif _WORD.fullmatch(step):
            text += f".{step}" if text else step
        else:
            text += f"[{quoted(step)}]"
    return shortened(text)


def mapping(upload: Upload, value: Json, *steps: Step) -> dict[str, Json]:
    """Return a value that must be an object."""
    if not isinstance(value, dict):
        raise upload.fault("an object is expected here", at(*steps))
    return value


def sequence(upload: Upload, value: Json, *steps: Step) -> list[Json]:
    """Return a value that must be a list."""
    if not isinstance(value, list):
        raise upload.fault("a list is expected here", at(*steps))
    return value


def number(upload: Upload, value: Json, *steps: Step) -> float | None:
    """Return a finite number, or ``None`` for a gap: null, an empty text, "-" or "N/A"."""
    if value is None or (isinstance(value, str) and value.strip().casefold() in _GAPS):
        return None
    found = as_number(value)
    if found is None:
        raise upload.fault(f"{quoted(value)} is not a number", at(*steps))
    return found


def as_number(value: object) -> float | None:
    """Return a finite number from a number or its text, else ``None``."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    if isinstance(value, str) and (not value.isascii() or "_" in value or len(value) > 400):
        return None
    try:
        found = float(value)
    except (ValueError, OverflowError):
        return None
    return found if math.isfinite(found) else None


def _place_of(document: Json, wanted: object) -> str:
    """Find where one very object lies, without recursion."""
    todo: list[tuple[Json, tuple[Any, Step] | None]] = [(document, None)]
    while todo:
        value, trail = todo.pop()
        if value is wanted:
            steps: list[Step] = []
            while trail is not None:
                trail, step = trail
                steps.append(step)
            return at(*reversed(steps[-12:]))
        if isinstance(value, dict):
            todo.extend((inner, (trail, key)) for key, inner in value.items())
        elif isinstance(value, list):
            todo.extend((inner, (trail, i)) for i, inner in enumerate(value))
    return ""
