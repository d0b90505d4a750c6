"""How far two models are apart, over several suites too."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from core.domain import BadRequestError, Difference
from core.statistics.difference.means import Means, items_of, weighted_means, weights_of
from core.statistics.score_matrix import normalised

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from core.domain import ScoreMatrix, Verdict

ALPHA = 0.025
"""One-sided level of every claim about one model and another."""


def differences(
    matrix: ScoreMatrix,
    models: Sequence[str],
    other: str,
    *,
    weights: Mapping[str, float] | None = None,
) -> list[Difference]:
    """Weighted mean of each of ``models`` minus ``other`` over the benchmarks both have.

    Parameters
    ----------
    matrix : ScoreMatrix
    models, other : str
        Ids in ``matrix.models``.
    weights : mapping of benchmark id to weight, optional
        As for ``scores``.

    Returns
    -------
    list of Difference
        On the 0 to 1 scale, with an interval for each question that has an answer. On these tests
        the two models' errors are taken as independent: they answered the same items, which
        mostly makes them agree, so this interval is too wide rather than too narrow. On other
        tests the differences vary, benchmark by benchmark.

    Raises
    ------
    BadRequestError
        An unknown model, or weights as for ``scores``.
    """
    rows = np.array([_row(matrix, model) for model in models], dtype=np.intp)
    second = np.full(len(rows), _row(matrix, other), dtype=np.intp)
    found = gaps(matrix, rows, second, weights=weights)
    return [difference_at(found, i, model, other) for i, model in enumerate(models)]


def gaps(
    matrix: ScoreMatrix,
    rows: NDArray[np.intp],
    others: NDArray[np.intp],
    *,
    weights: Mapping[str, float] | None = None,
) -> Means:
    """Do as ``differences`` for many pairs at once, each given by two positions in the matrix."""
    weight = weights_of(matrix, weights)
    values, errors = normalised(matrix)
    return weighted_means(
        values[rows] - values[others],
        weight,
        [errors[rows], errors[others]],
        items_of(matrix.benchmarks),
    )


def difference_at(found: Means, i: int, model: str, other: str) -> Difference:
    """Read one pair out of ``gaps``."""
    mean = float(found.mean[i])
    return Difference(
        model=model,
        other=other,
        difference=None if math.isnan(mean) else mean,
        n_benchmarks=int(found.n_benchmarks[i]),
        intervals=found.intervals(i),
    )


def combine(parts: Sequence[Means]) -> Means:
    """Make one set of differences from those of several suites, each with an equal vote.

    The mean of the differences. A basis that every voting suite has stays: its standard errors
    add in squares, as for independent suites, and its degrees of freedom are those of Welch and
    Satterthwaite. A suite in which two models share no benchmark has no vote.

    Parameters
    ----------
    parts
        One per suite, of the same pairs in the same order.
    """
    if len(parts) == 1:
        return parts[0]
    means = np.stack([part.mean for part in parts])
    votes = ~np.isnan(means)
    n = np.where(votes.any(axis=0), votes.sum(axis=0), np.nan)
    squares = np.stack([np.square(part.standard_error) for part in parts])
    dofs = np.stack([part.dof for part in parts])
    silent = ~votes[:, None, :]
    squares[np.broadcast_to(silent, squares.shape)] = 0.0
    total = squares.sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        spread = np.where(squares == 0, 0.0, np.square(squares) / dofs).sum(axis=0)
        dof = np.where(spread > 0, np.square(total) / spread, np.inf)
    error = np.sqrt(total) / n
    return Means(
        mean=np.where(votes, means, 0.0).sum(axis=0) / n,
        n_benchmarks=np.sum([part.n_benchmarks for part in parts], axis=0),
        standard_error=error,
        dof=np.where(np.isnan(error), np.nan, dof),
    )


def verdict(difference: Difference, margin: float) -> Verdict:
    """Judge whether the first model can stand in for the other, as a pair named beforehand.

    Parameters
    ----------
    difference : Difference
        Candidate minus the model that it would replace.
    margin : float
        Largest loss that still counts as equivalent, 0 to 1 scale.

    Returns
    -------
    Verdict
        "equivalent" where the strongest interval's lower end is above −margin, "worse" where its
        upper end is below −margin, else, and without an interval, "cannot tell".

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


def _row(matrix: ScoreMatrix, model: str) -> int:
    try:
        return matrix.models.index(model)
    except ValueError:
        raise BadRequestError(
            f"There is no model {model} among those compared in suite {matrix.suite}."
        ) from None
