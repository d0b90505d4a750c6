"""What several sources say of one model: gaps filled, conflicts named."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from core.domain import ModelFact
from core.evidence.tables import as_number, squeezed

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from core.domain import Model

_NUMBERS = ("params_b", "params_active_b", "context_window_tokens")
_TEXTS = ("developer", "licence", "base_model", "access")
_SAME_NUMBER = 0.05
"""Sizes are rounded by their sources; counts within 5 % are one."""
_UNKNOWN = ("", "unknown", "undisclosed", "other")


def completed(model: Model, facts: Iterable[ModelFact]) -> Model:
    """Fill what the catalogue leaves open with the first source that says it.

    The catalogue goes before every source; a value that is no number, or says that it does not
    know, fills nothing.
    """
    filled: dict[str, Any] = {}
    for fact in facts:
        known = filled.get(fact.field, getattr(model, fact.field, None))
        if fact.field in _NUMBERS and known is None:
            if (number := _number(fact.value)) is not None:
                filled[fact.field] = (
                    int(number) if fact.field == "context_window_tokens" else number
                )
                if fact.field == "params_b":
                    filled["params_source"] = fact.source
        elif fact.field == "access" and known == "unknown" and fact.value in ("open", "closed"):
            filled["access"] = fact.value
        elif fact.field in _TEXTS and known in _UNKNOWN and fact.value.lower() not in _UNKNOWN:
            filled[fact.field] = fact.value
    return replace(model, **filled) if filled else model


def said_of(model: Model, facts: Iterable[ModelFact]) -> tuple[ModelFact, ...]:
    """Return what the catalogue and then the sources say, each value once per source."""
    own = [
        ModelFact(model.id, field, f"{value:g}" if field in _NUMBERS else str(value), source)
        for field in (*_NUMBERS, *_TEXTS)
        if (value := getattr(model, field)) not in (None, *_UNKNOWN)
        if (source := model.source_url or "catalogue")
    ]
    return tuple(dict.fromkeys([*own, *(f for f in facts if f.field in (*_NUMBERS, *_TEXTS))]))


def conflicts(facts: Sequence[ModelFact]) -> tuple[str, ...]:
    """Say in sentences where sources disagree: sizes by more than 5 %, or other words."""
    found = []
    for field in dict.fromkeys(fact.field for fact in facts):
        values = [(f.value, f.source) for f in facts if f.field == field]
        values = [(v, s) for v, s in values if v.lower() not in _UNKNOWN]
        distinct = [
            (value, source)
            for i, (value, source) in enumerate(values)
            if not any(_same(field, value, other) for other, _ in values[:i])
        ]
        if len(distinct) > 1:
            listed = "; ".join(f"{value} ({source})" for value, source in distinct)
            found.append(f"Sources disagree on {field.replace('_', ' ')}: {listed}.")
    return tuple(found)


def _same(field: str, a: str, b: str) -> bool:
    if field in _NUMBERS:
        x, y = _number(a), _number(b)
        return x is not None and y is not None and math.isclose(x, y, rel_tol=_SAME_NUMBER)
    return squeezed(a) == squeezed(b)


def _number(text: str) -> float | None:
    number = as_number(text)
    return number if number and number > 0 else None
