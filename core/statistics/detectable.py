"""The smallest difference that a benchmark can detect, and which differences are noise."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from core.domain import BadRequestError
from core.statistics.score_matrix import normalised

if TYPE_CHECKING:
    from core.domain import Benchmark, ScoreMatrix

POWER = 0.8
ALPHA = 0.05
_WORST_CASE = 0.5
"""The level at which two shares are hardest to tell apart."""


@dataclass(frozen=True, slots=True)
class Detectable:
    """What one benchmark can tell apart, and how far its models lie apart; 0 to 1 scale."""

    benchmark: str
    suite: str
    n_items: int | None
    smallest: float | None
    """Smallest detectable difference from a model at one half, the worst case."""
    smallest_at_median: float | None
    """The same from a model at the median score."""
    reason: str
    """Why ``smallest`` is unknown; empty where it is known."""
    n_models: int
    median: float | None
    best_minus_median: float | None
    first_minus_second: float | None
    """Best score minus the next; 0 where two share the first place."""
    noise: bool | None
    """Whether the first two lie closer than ``smallest``; ``None`` where unknown."""


def smallest_difference(
    n_items: int, baseline: float = _WORST_CASE, *, power: float = POWER, alpha: float = ALPHA
) -> float | None:
    """Return how much better than a baseline a model must be for a test to see it.

    Two proportions with ``n_items`` answers each, two-sided test in its normal approximation:
    the variance is pooled under equality and separate under the difference d, so that

        √n d = z(1 − α/2) √(2 p̄ q̄) + z(power) √(p₁q₁ + p₂q₂),  p₂ = p₁ + d,  p̄ = (p₁ + p₂)/2.

    The same as R's ``power.prop.test``. The answers of two models are taken as independent;
    with the single answers of both at hand, a paired test would see smaller differences.

    Parameters
    ----------
    n_items : int
        Questions, at least 1; each model answers all of them.
    baseline : float
        Share right of the weaker model, 0 to 1.

    Returns
    -------
    float or None
        Difference on the 0 to 1 scale; ``None`` where even a model without a mistake could not
        be told from the baseline.

    Raises
    ------
    BadRequestError
        Fewer than 1 question, or a share, power or level out of range.
    """
    if n_items < 1:
        raise BadRequestError(f"A benchmark has at least 1 question; this one has {n_items}.")
    if not 0 <= baseline <= 1:
        raise BadRequestError(f"The baseline must be from 0 to 1; it is {baseline:g}.")
    if not 0 < alpha < power < 1:
        raise BadRequestError("The level must be above 0 and below the power, which is below 1.")
    at_level, at_power = (NormalDist().inv_cdf(q) for q in (1 - alpha / 2, power))

    def surplus(difference: float) -> float:
        p, q = baseline, baseline + difference
        middle = (p + q) / 2
        pooled = math.sqrt(max(2 * middle * (1 - middle), 0.0))
        separate = math.sqrt(max(p * (1 - p) + q * (1 - q), 0.0))
        return math.sqrt(n_items) * difference - at_level * pooled - at_power * separate

    low, high = 0.0, 1 - baseline
    if high <= 0 or surplus(high) < 0:
        return None
    # The surplus is below 0 at no difference and grows through 0 once: halve the range.
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if surplus(middle) < 0 else (low, middle)
    return high


def detectable(matrix: ScoreMatrix) -> tuple[Detectable, ...]:
    """Say for each benchmark of a matrix what it can tell apart, in the matrix's order.

    Missing scores are left out. The differences between models are known for every benchmark
    with scores; the smallest detectable one only where the score is a share of questions right
    and the number of questions is published.
    """
    shares, _ = normalised(matrix)
    return tuple(
        _of_one(benchmark, np.sort(column[~np.isnan(column)])[::-1])
        for benchmark, column in zip(matrix.benchmarks, shares.T, strict=True)
    )


def _of_one(benchmark: Benchmark, best_first: np.ndarray) -> Detectable:
    median = float(np.median(best_first)) if best_first.size else None
    smallest, reason = None, _why_unknown(benchmark)
    at_median = None
    if benchmark.n_items is not None and not reason:
        smallest = smallest_difference(benchmark.n_items)
        if smallest is None:
            reason = f"no difference can be seen with {benchmark.n_items} questions"
        if median is not None and 0 <= median <= 1:
            at_median = smallest_difference(benchmark.n_items, median)
    gap = float(best_first[0] - best_first[1]) if best_first.size > 1 else None
    return Detectable(
        benchmark=benchmark.id,
        suite=benchmark.suite,
        n_items=benchmark.n_items,
        smallest=smallest,
        smallest_at_median=at_median,
        reason=reason,
        n_models=int(best_first.size),
        median=median,
        best_minus_median=None if median is None else float(best_first[0]) - median,
        first_minus_second=gap,
        noise=None if smallest is None or gap is None else gap < smallest,
    )


def _why_unknown(benchmark: Benchmark) -> str:
    if not benchmark.is_accuracy:
        return "the score is no share of questions right"
    if benchmark.n_items is None:
        return "the number of questions is not published"
    return ""
