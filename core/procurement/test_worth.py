"""What a test of candidates on own cases is worth."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class TestWorth:
    """What a choice among models loses without and with a test of the suggested size.

    On the 0 to 1 scale. Without a suggested size, what hangs on it is ``None``.
    """

    __test__ = False  # no test of pytest's, for all its name

    models: tuple[str, ...]
    n_cases: int | None
    """Cases that each model answers."""
    loss_without: float
    """Expected distance of the chosen model below the best."""
    loss_with: float | None
    p_wrong_without: float
    """Chance that the chosen one is more than the margin below the best."""
    p_wrong_with: float | None
    cost_usd: float | None
    """Of all answers; ``None`` where that of one model is not known."""
    rater_hours: float | None
    margin: float
    assumed: bool
    """Whether too few public tests say how far the models may differ."""


def as_document(found: TestWorth | None) -> dict[str, Any] | None:
    """Return it as plain data; ``None`` where there are no two models to test."""
    beside = ("margin", "assumed")
    plain = asdict(found) if found else {}
    return {key: value for key, value in plain.items() if key not in beside} or None
