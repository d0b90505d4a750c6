"""Two runs, or many, compared item by item: what an item asks of one, it asks of the other.

Standard errors are those of Miller (arXiv:2411.00640): of item-wise differences, summed within
clusters where items belong together. A run that tried an item several times counts there with its
mean, so that attempts are clustered by item.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import bdtr, ndtr, ndtri, stdtr, stdtrit

from core.domain import ItemErrors, TooFewError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from core.domain import FloatArray

    Codes = NDArray[np.intp]

_UPPER = 0.975
LEAST_EXPECTED = 8.0
"""Items expected to fall to the candidate at the margin, for Student's t to hold its level.

By simulation it then errs in 3.1 % at most; with 5, in 3.3 %; with 10, power is lost."""


@dataclass(frozen=True, slots=True)
class PairedDifference:
    """The mean of one run minus that of another over the items of both, 0 to 1 scale."""

    n_items: int
    mean_a: float
    mean_b: float
    difference: float
    standard_error: float | None
    """``None`` with fewer than two clusters in a stratum."""
    dof: float
    ci_low: float | None
    ci_high: float | None


@dataclass(frozen=True, slots=True)
class RightWrong:
    """How often both, one or neither of two runs was right, and McNemar's exact test."""

    both: int
    only_a: int
    only_b: int
    neither: int
    mcnemar_p: float

    @property
    def discordance(self) -> float:
        """Share of the items on which one was right and the other wrong."""
        n = self.both + self.only_a + self.only_b + self.neither
        return (self.only_a + self.only_b) / n


@dataclass(frozen=True, slots=True)
class MarginTest:
    """Whether one run is above or below another less a margin, each one-sided."""

    p_above: float
    """Of a being worse by the margin or more."""
    p_below: float
    """Of a being worse by the margin or less."""
    by_score: bool
    """Whether so few items differ that the score test had to reject too."""


def paired_difference(
    a: FloatArray, b: FloatArray, *, strata: Codes | None = None, clusters: Codes | None = None
) -> PairedDifference:
    """Compare two runs on the items that both have.

    Parameters
    ----------
    a, b : arrays of shape (n_items,)
        Each run's score of each item, 0 to 1, the mean of its attempts; none is missing.
    strata : array of shape (n_items,), optional
        The benchmark of each item. Benchmarks then weigh alike however many items they have, and
        their errors add as independent; without it every item weighs alike.
    clusters : array of shape (n_items,), optional
        What each item belongs to; by default each stands for itself.

    Returns
    -------
    PairedDifference
        In a stratum with the differences d of n items in G clusters, the squared error is
        G/(G − 1) · Σ(Σ(d − d̄))²/n², the inner sum within a cluster: with single items s²/n. The
        interval is 95 %, by Student's t with G − 1 degrees of freedom, over several strata with
        those of Welch and Satterthwaite.
    """
    if not len(a):
        raise TooFewError("The two runs have no item in common.")
    groups = np.zeros(len(a), dtype=np.intp) if strata is None else strata
    parts = []
    for stratum in np.unique(groups):
        inside = groups == stratum
        both = np.stack([a[inside], b[inside]])
        own = None if clusters is None else clusters[inside]
        covariance, n_clusters = error_covariance(both, own)
        variance = covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1]
        parts.append((*both.mean(axis=1), max(variance, 0.0), n_clusters.min() - 1))
    means_a, means_b, variances, dofs = (np.array(column) for column in zip(*parts, strict=True))
    n = len(parts)
    difference = float((means_a - means_b).mean())
    error = math.sqrt(float(variances.sum())) / n
    dof = float(satterthwaite(variances[None], dofs[None])[0])
    known = not math.isnan(error)
    half = 0.0 if error == 0 else float(stdtrit(dof, _UPPER)) * error
    return PairedDifference(
        n_items=len(a),
        mean_a=float(means_a.mean()),
        mean_b=float(means_b.mean()),
        difference=difference,
        standard_error=error if known else None,
        dof=dof,
        ci_low=difference - half if known else None,
        ci_high=difference + half if known else None,
    )


def satterthwaite(variances: FloatArray, dofs: FloatArray) -> FloatArray:
    """Degrees of freedom of a sum of independent variances, by the last axis.

    A variance of 0 has no say; without any other they are infinite.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        spread = np.where(variances == 0, 0.0, np.square(variances) / dofs).sum(axis=-1)
        found: FloatArray = np.where(
            spread == 0, np.inf, np.square(variances.sum(axis=-1)) / spread
        )
    return found


def error_covariance(
    scores: FloatArray, clusters: Codes | None = None
) -> tuple[FloatArray, FloatArray]:
    """How other items would move the means of several runs, and move them together.

    Parameters
    ----------
    scores : array of shape (n_runs, n_items)
        ``nan`` where a run did not have an item: its mean is over those it had.
    clusters : array of shape (n_items,), optional
        As for ``paired_difference``.

    Returns
    -------
    covariance : array of shape (n_runs, n_runs)
        Of the runs' means; its diagonal is their squared standard errors. Of two runs without a
        common cluster it is 0. ``nan`` for a run with fewer than two clusters.
    n_clusters : array of shape (n_runs,)
        Clusters in which each run has an item.
    """
    present = ~np.isnan(scores)
    n = present.sum(axis=1)
    sums = np.where(present, scores, 0.0).sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        residual = np.where(present, scores - (sums / n)[:, None], 0.0)
        if clusters is None:
            n_clusters = n.astype(float)
        else:
            codes, place = np.unique(clusters, return_inverse=True)
            member = np.zeros((scores.shape[1], len(codes)))
            member[np.arange(scores.shape[1]), place] = 1.0
            residual = residual @ member
            n_clusters = (present @ member > 0).sum(axis=1).astype(float)
        enough = np.where(n_clusters > 1, n_clusters, np.nan)
        scaled = residual * (np.sqrt(enough / (enough - 1)) / n)[:, None]
    return scaled @ scaled.T, n_clusters


def item_errors(
    n_models: int, per_benchmark: Sequence[tuple[Codes, FloatArray, Codes | None] | None]
) -> ItemErrors:
    """Gather the errors of models from their items, benchmark by benchmark.

    Parameters
    ----------
    n_models
        Models of the matrix.
    per_benchmark
        For each benchmark of the matrix: the positions of the models with items, their scores as
        for ``error_covariance``, and the clusters; ``None`` without items.
    """
    covariance = np.full((len(per_benchmark), n_models, n_models), np.nan)
    clusters = np.full((n_models, len(per_benchmark)), np.nan)
    for j, found in enumerate(per_benchmark):
        if found is not None:
            rows, scores, own = found
            covariance[j][np.ix_(rows, rows)], clusters[rows, j] = error_covariance(scores, own)
    covariance.setflags(write=False)
    clusters.setflags(write=False)
    return ItemErrors(covariance, clusters)


def right_wrong(a: FloatArray, b: FloatArray) -> RightWrong | None:
    """Count items by who was right; ``None`` where a score is neither right (1) nor wrong (0).

    Parameters
    ----------
    a, b : arrays of shape (n_items,)
        One attempt each; none is missing.
    """
    if not (np.isin(a, (0.0, 1.0)).all() and np.isin(b, (0.0, 1.0)).all()):
        return None
    both, only_a = int((a * b).sum()), int((a * (1 - b)).sum())
    only_b = int(((1 - a) * b).sum())
    return RightWrong(
        both, only_a, only_b, len(a) - both - only_a - only_b, mcnemar_p(only_a, only_b)
    )


def mcnemar_p(only_a: int, only_b: int) -> float:
    """Two-sided exact p of McNemar's test: the discordant items fall either way like a coin.

    Twice the smaller tail of the binomial, at most 1; 1 without a discordant item.
    """
    n = only_a + only_b
    return min(1.0, 2 * float(bdtr(min(only_a, only_b), n, 0.5))) if n else 1.0


def restricted_share(only_a: float, only_b: float, margin: float) -> float:
    """Share of items that only b has right, as best estimated where a is worse by the margin.

    ``only_a`` and ``only_b`` are the shares seen. The maximum likelihood estimate under the
    restriction is the larger root of a quadratic (Tango 1998); that of only a is less by the
    margin.
    """
    linear = (only_a + only_b) * (1 - margin) + 2 * margin * (1 + only_b)
    return (linear + math.sqrt(max(linear**2 - 8 * only_b * margin * (1 + margin), 0.0))) / 4


def score_p(only_a: int, only_b: int, n_items: int, margin: float) -> float:
    """One-sided p of the score test that a is not worse by the margin or more.

    Tango (Statistics in Medicine 17, 1998, 891–908): z = (d + m)/√(v₀/n) with the variance v₀ of
    a difference at the margin, not of those seen; at a margin of 0 it is McNemar's. It holds its
    level where so few items differ that these seem to vary less than they do.
    """
    share = restricted_share(only_a / n_items, only_b / n_items, margin)
    variance = 2 * share - margin - margin * margin
    gap = (only_a - only_b) / n_items + margin
    if variance <= 0:
        return 0.5 if gap == 0 else float(gap < 0)
    return float(ndtr(-gap * math.sqrt(n_items / variance)))


def margin_test(a: FloatArray, b: FloatArray, margin: float) -> MarginTest:
    """Test whether a is as good as b within a margin, on the items that both have.

    By Student's t on the item-wise differences. Where fewer than ``LEAST_EXPECTED`` items are
    expected to fall to a at the margin, t errs in up to 12 % in place of 2.5 %, and without any
    difference it is sure of two items; then the score test must reject too. For scores between
    right and wrong it counts each difference as a whole point, the most that it can be.

    Parameters
    ----------
    a, b : arrays of shape (n_items,)
        As for ``paired_difference``; at least two items.
    """
    found = paired_difference(a, b)
    error, gap, n = found.standard_error, found.difference + margin, found.n_items
    assert error is not None
    if error == 0:
        above, below = float(gap <= 0), float(gap >= 0)
    else:
        above, below = (float(stdtr(found.dof, sign * gap / error)) for sign in (-1, 1))
    only_a, only_b = int((a > b).sum()), int((a < b).sum())
    if n * (restricted_share(only_a / n, only_b / n, margin) - margin) >= LEAST_EXPECTED:
        return MarginTest(above, below, by_score=False)
    score = score_p(only_a, only_b, n, margin)
    return MarginTest(max(above, score), max(below, 1 - score), by_score=True)


def detectable_difference(discordance: float, n_items: int, *, power: float = 0.8) -> float:
    """Smallest true difference of two runs that so many items would show, right or wrong.

    Two-sided 5 %, paired. The variance of item-wise differences of discordance π at a difference δ
    is π − δ², so δ = z√((π − δ²)/n) with z = z_α + z_β, which is z√(π/(n + z²)). It may exceed π,
    the most that two runs of this discordance can differ by: then no difference can be seen.
    """
    z = float(ndtri(_UPPER) + ndtri(power))
    return z * math.sqrt(discordance / (n_items + z * z))
