"""Numbers and choices as the reader sees them; the documents use the same words."""

from core.sharing.wording import (
    UNKNOWN,
    counted,
    interval,
    list_of,
    money,
    points,
    question,
    reasoning_on_top,
    saves,
    sentence,
    signed_interval,
    signed_points,
    size,
    told_apart,
)

__all__ = [
    "UNKNOWN",
    "counted",
    "interval",
    "list_of",
    "money",
    "points",
    "question",
    "reasoning_on_top",
    "saves",
    "sentence",
    "signed_interval",
    "signed_points",
    "size",
    "told_apart",
]
