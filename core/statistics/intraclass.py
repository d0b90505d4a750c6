"""How well raters agree on the same instances: the intraclass correlation ICC(3,k)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from core.domain import TooFewError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from core.domain import FloatArray

MIN_INSTANCES = 3
"""Two instances give 1 or nonsense."""
_ROUNDING = 1e-12


def icc3k(ratings: FloatArray) -> float:
    """Agreement of the raters' mean with another such mean: ICC(3,k), consistency.

    Two-way mixed model, average measures (Shrout and Fleiss 1979, doi 10.1037/0033-2909.86.2.420):
    (MSR − MSE)/MSR, from the mean squares of the instances and of what is left after instances and
    raters. A rater who is stricter throughout agrees no less. The highest value is 1; there is no
    lowest, and below 0 means no agreement.

    Of ``ratings``, shape (n_instances, k), rows with a ``nan`` are left out. The result is
    ``nan`` where the instances have one and the same mean: there is nothing to agree on.
    """
    k = ratings.shape[1]
    if k < 2:
        raise TooFewError(f"Agreement takes at least 2 raters; there are {k}.")
    rated = ratings[complete_instances(ratings)]
    n = len(rated)
    if n < MIN_INSTANCES:
        raise TooFewError(
            f"Agreement takes at least {MIN_INSTANCES} instances that all raters scored; "
            f"there are {n}."
        )
    centred = rated - rated.mean(axis=0)
    instance = centred.mean(axis=1)
    between = float(k * (instance @ instance)) / (n - 1)
    left = centred - instance[:, np.newaxis]
    error = float((left * left).sum()) / ((n - 1) * (k - 1))
    size = float(np.abs(rated).max())
    if between <= (_ROUNDING * size) ** 2:
        return math.nan
    return float((between - error) / between)


def icc31(icc_k: float, k: int) -> float:
    """Agreement of one rater with another, ICC(3,1), from the ICC(3,k) of k raters' mean.

    Of the same paper, (MSR − MSE)/(MSR + (k − 1) MSE), and so what Spearman and Brown's formula
    leads back to.
    """
    return icc_k / (k - (k - 1) * icc_k)


def complete_instances(ratings: FloatArray) -> NDArray[np.bool_]:
    """Which instances all raters scored, shape (n_instances,)."""
    missing: NDArray[np.bool_] = np.isnan(ratings)
    return np.logical_not(missing.any(axis=1))


def standardised(ratings: FloatArray) -> FloatArray:
    """z-scores within each rater, over the instances that the rater scored.

    Mean 0 and sample standard deviation 1, so that strict and lenient raters, and those who use
    much or little of the scale, compare. Shape (n_instances, n_raters); ``nan`` where there was no
    score, and for a rater whose scores are all equal or fewer than two.
    """
    present = ~np.isnan(ratings)
    n = present.sum(axis=0)
    filled = np.where(present, ratings, 0.0)
    mean = filled.sum(axis=0) / np.maximum(n, 1)
    centred = np.where(present, filled - mean, 0.0)
    spread = np.sqrt((centred * centred).sum(axis=0) / np.maximum(n - 1, 1))
    # Not by the spread alone: that of equal scores can come out as rounding noise instead of 0.
    low = np.where(present, ratings, np.inf).min(axis=0, initial=np.inf)
    high = np.where(present, ratings, -np.inf).max(axis=0, initial=-np.inf)
    varies = (high > low) & (spread > 0)
    scale = np.where(varies, spread, 1.0)
    return np.where(present & varies, centred / scale, np.nan)
