"""A few models side by side: the difference on every benchmark, and how sure it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from core.domain import BadRequestError, TooFewError
from core.statistics.difference import differences, half_width, paired_errors
from core.statistics.ranks import Z95
from core.statistics.score_matrix import normalised, select_models

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from core.domain import Difference, FloatArray, ScoreMatrix

MOST_MODELS = 5

Standing = Literal["better", "worse", "cannot tell", "no interval", "not measured"]


@dataclass(frozen=True, slots=True)
class Gap:
    """One benchmark: how far a model is from another, normalised 0 to 1 scale."""

    benchmark: str
    difference: float | None
    """``None`` where one of the two has no score."""
    ci_low: float | None
    ci_high: float | None
    """``None`` where one of the two has no standard error."""
    standing: Standing


@dataclass(frozen=True, slots=True)
class Pair:
    """One model against another."""

    model: str
    other: str
    gaps: tuple[Gap, ...]
    """One per benchmark, in the matrix's order."""
    overall: Difference
    """Weighted mean difference over the benchmarks that both have and that count."""

    @property
    def n_shared(self) -> int:
        """Benchmarks that both models have."""
        return sum(gap.difference is not None for gap in self.gaps)

    @property
    def n_with_interval(self) -> int:
        """Benchmarks on which the difference has an interval."""
        return sum(gap.ci_low is not None for gap in self.gaps)

    def n_ahead(self, *, clearly: bool = False) -> int:
        """Benchmarks on which the model scores higher; clearly: the interval lies above 0."""
        if clearly:
            return sum(gap.standing == "better" for gap in self.gaps)
        return sum(gap.difference is not None and gap.difference > 0 for gap in self.gaps)

    def n_behind(self, *, clearly: bool = False) -> int:
        """Benchmarks on which the model scores lower; clearly: the interval lies below 0."""
        if clearly:
            return sum(gap.standing == "worse" for gap in self.gaps)
        return sum(gap.difference is not None and gap.difference < 0 for gap in self.gaps)


@dataclass(frozen=True, slots=True, eq=False)
class SideBySide:
    """Two to five models on every benchmark of a matrix."""

    scores: ScoreMatrix
    """The models in the order in which they were asked for."""
    normalised: FloatArray
    """Shape (n_models, n_benchmarks), 0 to 1, higher is better; ``nan`` is missing."""
    pairs: tuple[Pair, ...]
    """Each model after the first against the first."""


def side_by_side(
    matrix: ScoreMatrix, models: Sequence[str], weights: Mapping[str, float] | None = None
) -> SideBySide:
    """Compare models with the first of them, benchmark by benchmark and overall.

    The standard error of a difference is √(s₁² + s₂²), as for two independent tests, and its
    95 % interval ±1.96 of these. The models answered the same items, which mostly makes them
    agree, so the interval is too wide rather than too narrow. Where both have items, these are
    paired, with Student's t by their number. A standing is "better" where the
    interval lies above 0, "worse" where it lies below, else "cannot tell". Each interval stands
    for itself: of 20 benchmarks on which two models are alike, one may look different by chance.

    ``models`` are two to five, the one to compare with first; repeats are dropped. ``weights``
    are for the overall difference, by default equal.
    """
    chosen = tuple(dict.fromkeys(models))
    if len(chosen) < 2:
        raise TooFewError("Choose at least two models to compare.")
    if len(chosen) > MOST_MODELS:
        raise BadRequestError(f"At most {MOST_MODELS} models stand side by side.")
    scores = select_models(matrix, chosen)
    values, errors = normalised(scores)
    halves = Z95 * np.hypot(errors[0], errors)
    first = chosen[0]
    overall = differences(scores, chosen[1:], first, weights=weights)
    ids = [benchmark.id for benchmark in scores.benchmarks]
    if scores.items is not None:
        rows, others = np.arange(len(chosen)), np.zeros(len(chosen), dtype=np.intp)
        error, clusters = paired_errors(scores.items, errors, rows, others)
        halves = np.where(np.isnan(clusters), halves, half_width(error, clusters - 1))
    return SideBySide(
        scores=scores,
        normalised=values,
        pairs=tuple(
            Pair(
                model,
                first,
                tuple(map(_gap, ids, (values[i] - values[0]).tolist(), halves[i].tolist())),
                whole,
            )
            for i, (model, whole) in enumerate(zip(chosen[1:], overall, strict=True), start=1)
        ),
    )


def _gap(benchmark: str, difference: float, half: float) -> Gap:
    if np.isnan(difference):
        return Gap(benchmark, None, None, None, "not measured")
    if np.isnan(half):
        return Gap(benchmark, difference, None, None, "no interval")
    low, high = difference - half, difference + half
    standing: Standing = "better" if low > 0 else "worse" if high < 0 else "cannot tell"
    return Gap(benchmark, difference, low, high, standing)
