"""Which ranks a model may have: marginal confidence sets, and Holm's rule for many comparisons."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.special import stdtrit

from core.statistics.difference.means import LEAST_TESTS, items_of, squared_error, weights_of
from core.statistics.score_matrix import normalised

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from core.domain import FloatArray, ScoreMatrix

    IntArray = NDArray[np.intp]
    BoolArray = NDArray[np.bool_]

_LEVEL = 0.05
_CELLS = 1_000_000
"""Pairs of models that are compared at once."""
_ROUNDING = 1e-9


def holm(p_values: FloatArray) -> FloatArray:
    """Adjust p-values so that a level holds for all of them together (Holm 1979).

    Returns
    -------
    array of shape (n,)
        In the order given, at most 1. Below a level where the step-down test rejects.
    """
    n = len(p_values)
    order = np.argsort(p_values, kind="stable")
    stepped = np.maximum.accumulate(p_values[order] * np.arange(n, 0, -1))
    adjusted = np.empty(n)
    adjusted[order] = np.minimum(stepped, 1.0)
    return adjusted


def rank_bands(matrix: ScoreMatrix, weights: Mapping[str, float] | None) -> list[tuple[int, int]]:
    """Rank sets of models by weighted score, by the rule of ``rank_sets``.

    One per model of the matrix. Errors as for ``scores``.
    """
    values, errors = normalised(matrix)
    weight = weights_of(matrix, weights)
    return rank_sets(values, weight, errors, items_of(matrix.benchmarks))


def rank_sets(
    values: FloatArray,
    weights: FloatArray,
    errors: FloatArray | None = None,
    same_items: Sequence[str] = (),
) -> list[tuple[int, int]]:
    """First and last rank that each row may have: its marginal 95 % confidence set.

    A row is compared with each other row, on the basis and with the errors of
    ``weighted_means``; of its n − 1 two-sided tests those count that Holm's rule rejects. Its
    ranks go from 1 + the rows shown better to n − the rows shown worse (Mogstad, Romano, Shaikh
    and Wilhelm 2024, doi 10.1093/restud/rdad006). Without any basis all ranks are possible.

    Parameters
    ----------
    values, weights, same_items
        As for ``weighted_means``; higher is better. Rows are compared on what both have.
    errors : array of shape (n, b), optional
        Item errors of the rows.

    Returns
    -------
    list of (first, last)
        Ranks from 1, one per row. A set holds the true rank in at least 95 % of repetitions.
    """
    n = len(values)
    found: list[tuple[int, int]] = [(1, n)] * n
    for rows, difference, layers in _comparisons(values, weights, errors, list(same_items)):
        rejected = _rejected(layers, difference.shape)
        better = (rejected & (difference < 0)).sum(axis=1)
        worse = (rejected & (difference > 0)).sum(axis=1)
        for row, above, below in zip(rows.tolist(), better.tolist(), worse.tolist(), strict=True):
            found[row] = (1 + above, n - below)
    return found


_Layer = tuple["IntArray", "FloatArray", "FloatArray"]
"""Columns, the absolute statistic of each row against them, and the critical value by the
number of comparisons that are left."""


def _comparisons(
    values: FloatArray, weights: FloatArray, errors: FloatArray | None, same_items: list[str]
) -> Iterator[tuple[IntArray, FloatArray, list[_Layer]]]:
    """Yield blocks of rows with their differences to every row, and how sure these are."""
    counted = weights > 0
    values, weights = values[:, counted], weights[counted]
    if errors is not None:
        errors = errors[:, counted]
    sets = same_items or [""] * counted.size
    names = [name for name, counts in zip(sets, counted, strict=True) if counts]
    n = len(values)
    present = ~np.isnan(values)
    patterns, group = np.unique(present, axis=0, return_inverse=True)
    members = [np.flatnonzero(group == i) for i in range(len(patterns))]
    step = max(1, _CELLS // max(n, 1))
    for pattern, own in zip(patterns, members, strict=True):
        for start in range(0, len(own), step):
            rows = own[start : start + step]
            difference = np.zeros((len(rows), n))
            layers: list[_Layer] = []
            for other, columns in zip(patterns, members, strict=True):
                both = pattern & other
                if not both.any():
                    continue
                weight = weights[both] / weights[both].sum()
                met = [name for name, counts in zip(names, both, strict=True) if counts]
                gap, *tested = _tested(
                    (values[np.ix_(rows, both)], values[np.ix_(columns, both)]),
                    weight,
                    None
                    if errors is None
                    else (errors[np.ix_(rows, both)], errors[np.ix_(columns, both)]),
                    met,
                )
                difference[:, columns] = gap
                layers += [
                    (columns, statistic, _critical(dof, n)) for statistic, dof in tested if dof
                ]
            yield rows, difference, layers


def _tested(
    values: tuple[FloatArray, FloatArray],
    weight: FloatArray,
    errors: tuple[FloatArray, FloatArray] | None,
    same_items: list[str],
) -> tuple[FloatArray, tuple[FloatArray, float], tuple[FloatArray, float]]:
    """Return differences, and statistic and degrees of freedom on these and on other tests.

    A statistic is 0 where the other basis is to be used; degrees of 0 mean no basis at all.
    """
    own, others = values
    means = own @ weight, others @ weight
    gap = means[0][:, None] - means[1][None, :]
    of_items = np.full(gap.shape, np.nan)
    if errors is not None:
        squares = [squared_error(error * weight, same_items) for error in errors]
        of_items = np.sqrt(squares[0][:, None] + squares[1][None, :])
    known = ~np.isnan(of_items)
    items = np.where(known, _statistic(gap, of_items), 0.0)
    effective = 1 / float(np.square(weight).sum())
    if effective < LEAST_TESTS - _ROUNDING or known.all():
        return gap, (items, np.inf), (gap, 0.0)
    # Σw²(d − d̄)² opened up, so that thousands of rows meet in one product of matrices.
    square = np.square(weight)
    centre = others.mean(axis=0)
    own, others = own - centre, others - centre
    linear = (own @ square)[:, None] - (others @ square)[None, :]
    spread = (
        (np.square(own) @ square)[:, None]
        + (np.square(others) @ square)[None, :]
        - 2 * (own * square) @ others.T
        - 2 * gap * linear
        + np.square(gap) * square.sum()
    )
    of_tests = np.sqrt(np.maximum(spread, 0.0) / (1 - 1 / effective))
    tests = np.where(known, 0.0, _statistic(gap, of_tests))
    return gap, (items, np.inf), (tests, effective - 1)


def _statistic(gap: FloatArray, error: FloatArray) -> FloatArray:
    with np.errstate(divide="ignore", invalid="ignore"):
        found: FloatArray = np.where(np.abs(gap) <= _ROUNDING, 0.0, np.abs(gap) / error)
    return found


def _critical(dof: float, n: int) -> FloatArray:
    """Two-sided critical values by the number of comparisons left, from 0 (never) to n − 1."""
    left = np.arange(n, dtype=float)
    left[0] = np.nan
    values = np.asarray(stdtrit(dof, 1 - _LEVEL / (2 * left)), dtype=np.float64)
    values[0] = np.inf
    return values


def _rejected(layers: Sequence[_Layer], shape: tuple[int, ...]) -> BoolArray:
    """Holm's rule for each row: as more are rejected, fewer are left and the bar is lower."""
    n_rows, n = shape
    rejected = np.zeros(shape, dtype=bool)
    count = np.full(n_rows, -1)
    while n_rows and (rejected.sum(axis=1) > count).any():
        count = rejected.sum(axis=1)
        for columns, statistic, critical in layers:
            bar = critical[np.maximum(n - 1 - count, 0)]
            rejected[:, columns] |= statistic > bar[:, None]
    return rejected
