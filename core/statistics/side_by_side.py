"""A few models side by side: the difference on every benchmark, and how sure it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from core.domain import BadRequestError, TooFewError
from core.statistics.difference import differences, gaps
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

    Every interval is that of ``differences``, on one benchmark or on all that count. A standing is
    "better" where the interval lies above 0, "worse" where it lies below, else "cannot tell". Each
    interval stands for itself: of 20 benchmarks on which two models are alike, one may look
    different by chance.

    ``models`` are two to five, the one to compare with first; repeats are dropped. ``weights``
    are for the overall difference, by default equal.
    """
    chosen = tuple(dict.fromkeys(models))
    if len(chosen) < 2:
        raise TooFewError("Choose at least two models to compare.")
    if len(chosen) > MOST_MODELS:
        raise BadRequestError(f"At most {MOST_MODELS} models stand side by side.")
    scores = select_models(matrix, chosen)
    first, ids = chosen[0], [benchmark.id for benchmark in scores.benchmarks]
    overall = differences(scores, chosen[1:], first, weights=weights)
    rows, others = np.arange(len(chosen)), np.zeros(len(chosen), dtype=np.intp)
    alone = [gaps(scores, rows, others, weights={name: 1.0}) for name in ids]
    ends = [found.ends() for found in alone]
    return SideBySide(
        scores=scores,
        normalised=normalised(scores)[0],
        pairs=tuple(
            Pair(
                model,
                first,
                tuple(
                    _gap(name, *(float(part[i]) for part in (found.mean, low, high)))
                    for name, found, (low, high) in zip(ids, alone, ends, strict=True)
                ),
                whole,
            )
            for i, (model, whole) in enumerate(zip(chosen[1:], overall, strict=True), start=1)
        ),
    )


def _gap(benchmark: str, difference: float, low: float, high: float) -> Gap:
    if np.isnan(difference):
        return Gap(benchmark, None, None, None, "not measured")
    if np.isnan(low):
        return Gap(benchmark, difference, None, None, "no interval")
    standing: Standing = "better" if low > 0 else "worse" if high < 0 else "cannot tell"
    return Gap(benchmark, difference, low, high, standing)
