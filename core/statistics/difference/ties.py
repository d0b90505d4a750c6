"""When models tie: bands of ranks that cannot be told apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from core.statistics.difference.means import weighted_means, weights_of
from core.statistics.score_matrix import normalised

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from core.domain import FloatArray, ScoreMatrix

_ROUNDING = 1e-12


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
        values, weights_of(matrix, weights), order, errors, n_resamples=n_resamples, seed=seed
    )
