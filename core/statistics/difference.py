"""How far models are apart, how sure that is, and when they tie.

The one place for differences and ties: the shortlist, the equivalents and the win rates all ask
here. Scores are normalised to 0 to 1, higher is better.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from core.domain import BadRequestError, Difference
from core.statistics.score_matrix import normalised

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from core.domain import FloatArray, IntervalBasis, ScoreMatrix, Verdict

_Z95 = 1.959963984540054
_LEVELS = (0.025, 0.975)
_MIN_BENCHMARKS = 3
"""Fewer cannot be resampled to any purpose."""
_ROUNDING = 1e-12
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
            draws, times = _draws(int(pattern.sum()), n_resamples, seed)
            drawn_weight = draws @ weights[pattern]
            for start in range(0, len(members), _CHUNK):
                some = members[start : start + _CHUNK]
                resampled = product[some][:, pattern] @ draws.T
                resampled /= drawn_weight
                low[some], high[some] = _quantiles(resampled, times)
    basis: tuple[IntervalBasis, ...] = tuple(
        "standard errors" if errors_ else "benchmarks" if benchmarks_ else "none"
        for errors_, benchmarks_ in zip(by_errors.tolist(), by_benchmarks.tolist(), strict=True)
    )
    return Means(mean, low, high, basis, n_present)


def bands(
    values: FloatArray,
    weights: FloatArray,
    order: Sequence[int],
    standard_errors: FloatArray | None = None,
    *,
    n_resamples: int = 2000,
    seed: int = 0,
) -> list[tuple[int, int]]:
    """Rank bands: which rows cannot be told apart from the leader of their band.

    The first row leads a band. The rows after it belong to the band until one is clearly below
    the leader, that is the interval of leader minus row, over the benchmarks both have, lies above
    0; that row leads the next band. A row without an interval stays in the band.

    Parameters
    ----------
    values, weights, standard_errors, n_resamples, seed
        As for ``weighted_means``.
    order : sequence of int
        Rows, best first.

    Returns
    -------
    list of (first, last)
        Ranks from 1, in the order of ``order``.
    """
    rows = np.asarray(order, dtype=np.intp)
    result: list[tuple[int, int]] = []
    while len(result) < len(rows):
        start = len(result)
        leader, end, step = rows[start], start + 1, 16
        # Doubling steps: a band of any size costs about its own length.
        while end < len(rows):
            others = rows[end : end + step]
            errors = None
            if standard_errors is not None:
                errors = np.hypot(standard_errors[leader], standard_errors[others])
            gap = weighted_means(
                values[leader] - values[others],
                weights,
                errors,
                n_resamples=n_resamples,
                seed=seed,
            )
            below = np.flatnonzero(gap.ci_low > _ROUNDING)
            if len(below):
                end += int(below[0])
                break
            end, step = end + len(others), step * 2
        result += [(start + 1, end)] * (end - start)
    return result


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
        values, _weights(matrix, weights), errors, n_resamples=n_resamples, seed=seed
    )


def rank_bands(
    matrix: ScoreMatrix,
    weights: Mapping[str, float] | None,
    order: Sequence[int],
    *,
    n_resamples: int = 2000,
    seed: int = 0,
) -> list[tuple[int, int]]:
    """Rank bands of models by weighted score, by the rule of ``bands``.

    ``order`` lists positions in ``matrix.models``, best first; the result follows it. Errors as
    for ``scores``.
    """
    values, errors = normalised(matrix)
    return bands(
        values, _weights(matrix, weights), order, errors, n_resamples=n_resamples, seed=seed
    )


def differences(
    matrix: ScoreMatrix,
    models: Sequence[str],
    other: str,
    *,
    weights: Mapping[str, float] | None = None,
    n_resamples: int = 2000,
    seed: int = 0,
) -> list[Difference]:
    """Weighted mean of each of ``models`` minus ``other`` over the benchmarks both have.

    Parameters
    ----------
    matrix : ScoreMatrix
    models, other : str
        Ids in ``matrix.models``.
    weights : mapping of benchmark id to weight, optional
        As for ``scores``.
    n_resamples, seed : int
        For the interval over benchmarks.

    Returns
    -------
    list of Difference
        On the 0 to 1 scale with a 95 % interval. On the basis "standard errors" those of the two
        models are taken as independent; models answer the same items, which mostly makes them
        agree, so this interval is conservative. On the basis "benchmarks" differences are
        resampled in pairs over benchmarks. ``None`` and basis "none" where there is no interval.

    Raises
    ------
    BadRequestError
        An unknown model, or weights as for ``scores``.
    """
    rows = np.array([_row(matrix, model) for model in models], dtype=np.intp)
    second = np.full(len(rows), _row(matrix, other), dtype=np.intp)
    found = gaps(matrix, rows, second, weights=weights, n_resamples=n_resamples, seed=seed)
    return [difference_at(found, i, model, other) for i, model in enumerate(models)]


def gaps(
    matrix: ScoreMatrix,
    rows: NDArray[np.intp],
    others: NDArray[np.intp],
    *,
    weights: Mapping[str, float] | None = None,
    n_resamples: int = 2000,
    seed: int = 0,
) -> Means:
    """Do as ``differences`` for many pairs at once, each given by two positions in the matrix."""
    weight = _weights(matrix, weights)
    values, errors = normalised(matrix)
    gap_error = np.hypot(errors[rows], errors[others])
    return weighted_means(
        values[rows] - values[others], weight, gap_error, n_resamples=n_resamples, seed=seed
    )


def difference_at(found: Means, i: int, model: str, other: str) -> Difference:
    """Read one pair out of ``gaps``."""
    return Difference(
        model=model,
        other=other,
        difference=_known(found.mean[i]),
        ci_low=_known(found.ci_low[i]),
        ci_high=_known(found.ci_high[i]),
        basis=found.basis[i],
        n_benchmarks=int(found.n_benchmarks[i]),
    )


def combine(differences: Sequence[Difference]) -> Difference:
    """One difference from several suites, each with an equal vote.

    The mean of the differences. On each side the distances from a difference to the end of its
    interval add in squares, as for independent suites, and are divided by the number of suites. A
    suite in which the models share no benchmark has no vote. Where a voting suite has no
    interval, neither has the result. The basis is "benchmarks" as soon as one suite's is.

    Raises
    ------
    BadRequestError
        No difference at all, or differences of different pairs of models.
    """
    pairs = {(part.model, part.other) for part in differences}
    if len(pairs) != 1:
        raise BadRequestError("Differences combine for one and the same pair of models only.")
    ((model, other),) = pairs
    votes = [(part.difference, part) for part in differences if part.difference is not None]
    n = len(votes)
    centre = sum(value for value, _ in votes) / n if n else None
    below, above = [], []
    for value, part in votes:
        if part.ci_low is not None and part.ci_high is not None:
            below.append(value - part.ci_low)
            above.append(part.ci_high - value)
    has_interval = centre is not None and len(below) == n
    basis: IntervalBasis = "none"
    if has_interval:
        by_benchmarks = any(part.basis == "benchmarks" for _, part in votes)
        basis = "benchmarks" if by_benchmarks else "standard errors"
    return Difference(
        model=model,
        other=other,
        difference=centre,
        ci_low=centre - math.hypot(*below) / n if centre is not None and has_interval else None,
        ci_high=centre + math.hypot(*above) / n if centre is not None and has_interval else None,
        basis=basis,
        n_benchmarks=sum(part.n_benchmarks for part in differences),
    )


def verdict(difference: Difference, margin: float) -> Verdict:
    """Judge whether the first model can stand in for the other.

    Parameters
    ----------
    difference : Difference
        Candidate minus the model that it would replace.
    margin : float
        Largest loss that still counts as equivalent, 0 to 1 scale.

    Returns
    -------
    Verdict
        "equivalent" where the interval's lower end is above −margin, "worse" where its upper end
        is below −margin, else, and without an interval, "cannot tell".

    Raises
    ------
    BadRequestError
        A margin that is negative or not a number.
    """
    if not margin >= 0:
        raise BadRequestError(f"The margin must be 0 or more; it is {margin}.")
    if difference.ci_low is None or difference.ci_high is None:
        return "cannot tell"
    if difference.ci_low > -margin:
        return "equivalent"
    return "worse" if difference.ci_high < -margin else "cannot tell"


def _weights(matrix: ScoreMatrix, weights: Mapping[str, float] | None) -> FloatArray:
    if weights is None:
        return np.ones(len(matrix.benchmarks))
    found = np.array([weights.get(benchmark.id, 0.0) for benchmark in matrix.benchmarks])
    if not (np.isfinite(found) & (found >= 0)).all():
        raise BadRequestError("Every weight must be a number from 0 up.")
    if not (found > 0).any():
        raise BadRequestError(f"No benchmark of suite {matrix.suite} has a weight above 0.")
    return found


def _row(matrix: ScoreMatrix, model: str) -> int:
    try:
        return matrix.models.index(model)
    except ValueError:
        raise BadRequestError(
            f"There is no model {model} among those compared in suite {matrix.suite}."
        ) from None


def _known(value: float) -> float | None:
    return None if math.isnan(value) else float(value)


def _same_benchmarks(
    present: NDArray[np.bool_], rows: NDArray[np.intp]
) -> list[tuple[NDArray[np.bool_], NDArray[np.intp]]]:
    if present[rows].all():
        return [(present[rows[0]], rows)]
    patterns, group = np.unique(present[rows], axis=0, return_inverse=True)
    return [(pattern, rows[group == i]) for i, pattern in enumerate(patterns)]


@lru_cache(maxsize=32)
def _draws(
    n_benchmarks: int, n_resamples: int, seed: int
) -> tuple[FloatArray, NDArray[np.intp] | None]:
    """How often each benchmark is drawn, one row a draw, and how often each row occurs.

    Few benchmarks can be drawn in few ways only, so each way is then kept once with its number;
    else all draws are kept, and the numbers are ``None``.
    """
    rng = np.random.default_rng(seed)
    share = np.full(n_benchmarks, 1 / n_benchmarks)
    draws = rng.multinomial(n_benchmarks, share, size=n_resamples)
    ways, times = np.unique(draws, axis=0, return_counts=True)
    few = len(ways) <= n_resamples // 2
    kept = (ways if few else draws).astype(float)
    kept.setflags(write=False)
    return kept, times.astype(np.intp) if few else None


def _quantiles(
    resampled: FloatArray, times: NDArray[np.intp] | None
) -> tuple[FloatArray, FloatArray]:
    """Quantiles of each row, every column counted so many times; ``None`` counts each once."""
    if times is None:
        low, high = np.quantile(resampled, _LEVELS, axis=1, overwrite_input=True)
        return low, high
    order = resampled.argsort(axis=1)
    upto = times[order].cumsum(axis=1)
    last = int(times.sum()) - 1

    def at(level: float) -> FloatArray:
        place = level * last
        below = math.floor(place)
        a, b = (
            np.take_along_axis(
                resampled,
                np.take_along_axis(order, (upto <= k).sum(axis=1, keepdims=True), axis=1),
                axis=1,
            )[:, 0]
            for k in (below, min(below + 1, last))
        )
        between: FloatArray = b - (b - a) * (1 - (place - below))
        return between

    return at(_LEVELS[0]), at(_LEVELS[1])
