"""What sources say of a model: how it is written down, and what of it the catalogue takes."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from core.domain import Model, ModelFact
from core.evidence.tables import as_number
from core.figures import squeezed

_NUMBERS = ("params_b", "params_active_b", "context_window_tokens")
_TEXTS = ("developer", "licence", "base_model", "access")
_SAME_NUMBER = 0.05
"""Sizes are rounded by their sources; counts within 5 % are one."""
_UNKNOWN = ("", "unknown", "undisclosed", "other")


def said(model: str, url: str, facts: Mapping[str, str]) -> list[ModelFact]:
    """Return what a source says of a model, by field; a text that is empty says nothing."""
    return [ModelFact(model, field, value, url) for field, value in facts.items() if value]


def completed(model: Model, facts: Iterable[ModelFact]) -> Model:
    """Fill what the catalogue leaves open with the first source that says it.

    The catalogue goes before every source; a value that is not a number, or says that it does not
    know, fills nothing.
    """
    filled: dict[str, Any] = {}
    for fact in facts:
        known = filled.get(fact.field, getattr(model, fact.field, None))
        if fact.field in _NUMBERS and known is None:
            if (number := _above_0(fact.value)) is not None:
                filled[fact.field] = (
                    int(number) if fact.field == "context_window_tokens" else number
                )
                if fact.field == "params_b":
                    filled["params_source"] = fact.source
        elif fact.field == "access":
            if known == "unknown" and fact.value in ("open", "closed"):
                filled["access"] = fact.value
        elif fact.field in _TEXTS and known in _UNKNOWN and fact.value.lower() not in _UNKNOWN:
            filled[fact.field] = fact.value
    return replace(model, **filled) if filled else model


def conflicts(model: Model, facts: Sequence[ModelFact]) -> tuple[str, ...]:
    """Say where the catalogue and the sources disagree: sizes by more than 5 %, or other words."""
    found = []
    for field in (*_NUMBERS, *_TEXTS):
        own = getattr(model, field)
        text = f"{own:g}" if field in _NUMBERS and own is not None else own or ""
        said = [(text, model.source_url or "catalogue")]
        said += [(fact.value, fact.source) for fact in facts if fact.field == field]
        said = [one for one in dict.fromkeys(said) if one[0].lower() not in _UNKNOWN]
        distinct = [
            (value, source)
            for i, (value, source) in enumerate(said)
            if not any(_same(field, value, other) for other, _ in said[:i])
        ]
        if len(distinct) > 1:
            listed = "; ".join(f"{value} ({source})" for value, source in distinct)
            found.append(f"Sources disagree on {field.replace('_', ' ')}: {listed}.")
    return tuple(found)


def _same(field: str, a: str, b: str) -> bool:
    if field in _NUMBERS:
        x, y = _above_0(a), _above_0(b)
        return x is not None and y is not None and math.isclose(x, y, rel_tol=_SAME_NUMBER)
    return squeezed(a) == squeezed(b)


def _above_0(text: str) -> float | None:
    number = as_number(text.strip())
    return number if number is not None and number > 0 else None


def as_positive(text: str) -> str:
    """Return a count as text without rounding noise, empty where it is not above 0."""
    number = _above_0(text)
    return "" if number is None else f"{number:.6g}"
