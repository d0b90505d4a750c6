"""What running a suite cost those who ran it, as a paper prints it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.evidence.tables import rows

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

_COLUMNS = (
    *("suite", "model", "benchmark_tokens", "jury_tokens"),
    *("benchmark_cost_usd", "jury_cost_usd", "total_cost_usd", "as_of", "source"),
)
_ROUNDING = 0.015
"""Two printed addends may each be half a cent off, and so may their sum."""


@dataclass(frozen=True, slots=True)
class BenchmarkCost:
    """The cost of running all of a suite's benchmarks on one model once, US dollars."""

    suite: str
    model: str
    benchmark_usd: float
    """For the model's own tokens."""
    jury_usd: float
    """For the models that graded its answers; the larger part for a cheap model."""
    total_usd: float
    as_of: str
    source: str


def benchmark_costs(folder: Path, models: Collection[str]) -> tuple[BenchmarkCost, ...]:
    """Read ``benchmark_costs.csv`` of a catalogue.

    Parameters
    ----------
    folder
        The catalogue.
    models
        The ids that it knows.

    Raises
    ------
    BadDataError
        A cell that is empty or no number, a cost that is not above 0, a total that is not the
        sum of its parts, an unknown model, or one that stands twice; the fault names its row.
    """
    found: dict[tuple[str, str], BenchmarkCost] = {}
    for row in rows(folder / "benchmark_costs.csv", _COLUMNS):
        benchmark, jury, total = (
            row.number_or_fail(f"{part}_cost_usd") for part in ("benchmark", "jury", "total")
        )
        cost = BenchmarkCost(
            suite=row.text("suite"),
            model=row.text("model"),
            benchmark_usd=benchmark,
            jury_usd=jury,
            total_usd=total,
            as_of=row.text("as_of"),
            source=row.text("source"),
        )
        if cost.model not in models:
            raise row.fault(f'the model "{cost.model}" is not in models.csv')
        if min(benchmark, jury) <= 0:
            raise row.fault("a cost must be above 0")
        if abs(benchmark + jury - total) > _ROUNDING:
            raise row.fault(f"{benchmark} and {jury} do not add up to {total}")
        if (cost.suite, cost.model) in found:
            raise row.fault("this model stands twice")
        found[cost.suite, cost.model] = cost
    return tuple(found.values())
