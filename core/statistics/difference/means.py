"""Weighted means over benchmarks, with 95 % intervals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from core.domain import BadRequestError
from core.statistics.difference.resampling import draws_of, quantiles
from core.statistics.score_matrix import normalised

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from core.domain import FloatArray, IntervalBasis, ScoreMatrix

_Z95 = 1.959963984540054
_MIN_BENCHMARKS = 3
"""Fewer cannot be resampled to any purpose."""
_CHUNK = 512


@dataclass(frozen=True, eq=False)
class Means:
    """Weighted means with 95 % intervals, one per row; ``nan`` where there is none."""

    mean: FloatArray
    ci_low: FloatArray
    ci_high: FloatArray
    basis: tuple[IntervalBasis, ...]
    n_benchmarks: NDArray[np.intp]


def weighted_means(
    values: FloatArray,
    weights: FloatArray,
    standard_errors: FloatArray | None = None,
    *,
    n_resamples: int = 2000,
    seed: int = 0,
) -> Means:
    """Weighted mean of each row over the benchmarks it has, with a 95 % interval.

    Where every benchmark that counts has a standard error, independent errors add in squares and
    the interval is normal: it says how the mean would vary with other items. Else, from three
    benchmarks on, it is a percentile bootstrap over benchmarks: they are drawn with replacement,
    each with its weight (a ratio of sums), and the interval says how the mean would vary with
    other benchmarks. Else there is none.

    Parameters
    ----------
    values : array of shape (n, b)
        ``nan`` is missing; the weights of the others are scaled up to 1.
    weights : array of shape (b,)
        Not negative. A benchmark of weight 0 does not count at all.
    standard_errors : array of shape (n, b), optional
    n_resamples, seed : int
        One seed gives one interval: rows with the same number of benchmarks share their draws.

    Returns
    -------
    Means
        Arrays of shape (n,).
    """
    counted = weights > 0
    values, weights = values[:, counted], weights[counted]
    present = ~np.isnan(values)
    n_present = present.sum(axis=1)
    weight = np.where(present, weights, 0.0)
    total = weight.sum(axis=1)
    total[total == 0] = np.nan
    product = np.where(present, values, 0.0) * weight
    mean = product.sum(axis=1) / total
    low, high = np.full_like(mean, np.nan), np.full_like(mean, np.nan)
    by_errors = np.zeros(len(mean), dtype=bool)
    if standard_errors is not None:
        errors = np.where(present, standard_errors[:, counted], 0.0)
        by_errors = (n_present > 0) & ~np.isnan(errors).any(axis=1)
        half = _Z95 * np.sqrt(np.square(errors * weight).sum(axis=1)) / total
        low[by_errors], high[by_errors] = (mean - half)[by_errors], (mean + half)[by_errors]
    by_benchmarks = ~by_errors & (n_present >= _MIN_BENCHMARKS)
    rows = np.flatnonzero(by_benchmarks)
    if len(rows):
        for pattern, members in _same_benchmarks(present, rows):
            draws, times = draws_of(int(pattern.sum()), n_resamples, seed)
            drawn_weight = draws @ weights[pattern]
            for start in range(0, len(members), _CHUNK):
                some = members[start : start + _CHUNK]
                resampled = product[some][:, pattern] @ draws.T
                resampled /= drawn_weight
                low[some], high[some] = quantiles(resampled, times)
    basis: tuple[IntervalBasis, ...] = tuple(
        "standard errors" if errors_ else "benchmarks" if benchmarks_ else "none"
        for errors_, benchmarks_ in zip(by_errors.tolist(), by_benchmarks.tolist(), strict=True)
    )
    return Means(mean, low, high, basis, n_present)


def scores(
    matrix: ScoreMatrix,
    weights: Mapping[str, float] | None = None,
    *,
    n_resamples: int = 2000,
    seed: int = 0,
) -> Means:
    """Weighted mean score of each model over the benchmarks it has, with its interval.

    Parameters
    ----------
    matrix : ScoreMatrix
    weights : mapping of benchmark id to weight, optional
        Default: equal. A benchmark that is not in it weighs 0; ids outside the matrix are
        ignored.

    Returns
    -------
    Means
        One entry per model of the matrix; ``nan`` for a model without a score that counts. The
        interval's basis is that of ``weighted_means``.

    Raises
    ------
    BadRequestError
        A weight that is negative or not finite, or none above 0 on the matrix's benchmarks.
    """
    values, errors = normalised(matrix)
    return weighted_means(
        values, weights_of(matrix, weights), errors, n_resamples=n_resamples, seed=seed
    )


def weights_of(matrix: ScoreMatrix, weights: Mapping[str, float] | None) -> FloatArray:
    """Return the weight of each benchmark of a matrix; errors as for ``scores``."""
    if weights is None:
        return np.ones(len(matrix.benchmarks))
    found = np.array([weights.get(benchmark.id, 0.0) for benchmark in matrix.benchmarks])
    if not (np.isfinite(found) & (found >= 0)).all():
        raise BadRequestError("Every weight must be a number from 0 up.")
    if not (found > 0).any():
        raise BadRequestError(f"No benchmark of suite {matrix.suite} has a weight above 0.")
    return found


def _same_benchmarks(
    present: NDArray[np.bool_], rows: NDArray[np.intp]
) -> list[tuple[NDArray[np.bool_], NDArray[np.intp]]]:
    if present[rows].all():
        return [(present[rows[0]], rows)]
    patterns, group = np.unique(present[rows], axis=0, return_inverse=True)
    return [(pattern, rows[group == i]) for i, pattern in enumerate(patterns)]
