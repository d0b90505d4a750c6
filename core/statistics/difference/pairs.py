"""How far two models are apart, over several suites too, and what follows for a replacement."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from core.domain import BadRequestError, Difference
from core.statistics.difference.means import weighted_means, weights_of
from core.statistics.score_matrix import normalised

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from core.domain import IntervalBasis, ScoreMatrix, Verdict
    from core.statistics.difference.means import Means


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
    weight = weights_of(matrix, weights)
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


def _row(matrix: ScoreMatrix, model: str) -> int:
    try:
        return matrix.models.index(model)
    except ValueError:
        raise BadRequestError(
            f"There is no model {model} among those compared in suite {matrix.suite}."
        ) from None


def _known(value: float) -> float | None:
    return None if math.isnan(value) else float(value)
