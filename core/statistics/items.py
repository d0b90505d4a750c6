"""Runs compared item by item.

Standard errors are those of Miller (arXiv:2411.00640): of item-wise differences, summed within
clusters where items belong together. A run that tried an item several times counts there with its
mean, so that attempts are clustered by item. Student's t by these errors is too sure where few
items differ, so the score test for paired proportions (Tango 1998) counts as well: the wider
interval, and the larger p.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import scipy

from core.domain import ItemErrors, TooFewError
from core.memory import still_wanted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from core.domain import FloatArray

    Codes = NDArray[np.intp]
    BoolArray = NDArray[np.bool_]

_UPPER = 0.975
ALPHA = 0.025
"""One-sided level of every claim about one model and another."""
_ROUNDING = 1e-9
LEAST_EXPECTED = 8.0
"""Items expected to fall to the candidate at the margin, for Student's t to hold its level.

By simulation it then errs in 3.1 % at most; with 5, in 3.3 %; with 10, power is lost."""
_LEAST_ALIKE = 0.3
"""Correlation within a cluster that is taken where few items differ, unless more is seen.

With five cases a patient and as much in truth, the test then errs in 2.7 % at most; by what is seen
alone in 5.5 %."""


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

    difference: PairedDifference
    """Its interval is the wider of the two where the score test has a say."""
    p_above: float
    """Of a being worse by the margin or more."""
    p_below: float
    """Of a being worse by the margin or less."""
    p_if_rare: float
    """As ``p_above`` where what a loses may be rare and large, which little noise can hide."""


def paired_difference(
    a: FloatArray, b: FloatArray, *, clusters: Codes | None = None
) -> PairedDifference:
    """Compare two runs on the items that both have.

    Parameters
    ----------
    a, b : arrays of shape (n_items,)
        Each run's score of each item, 0 to 1, the mean of its attempts; none is missing.
    clusters : array of shape (n_items,), optional
        What each item belongs to; by default each is on its own.

    Returns
    -------
    PairedDifference
        Error and degrees of freedom, one less than the clusters, are those of ``pair_errors``. The
        interval is 95 %, by Student's t alone.

    Examples
    --------
    The differences 1, 0, 0, 0 have mean 0.25, standard deviation 0.5 and standard error 0.5/√4,
    and t with 3 degrees of freedom is 3.182:

    >>> found = paired_difference(np.array([1.0, 1, 1, 0]), np.array([0.0, 1, 1, 0]))
    >>> found.difference, found.standard_error, found.dof
    (0.25, 0.25, 3.0)
    >>> round(found.ci_low, 3), round(found.ci_high, 3)
    (-0.546, 1.046)
    """
    if not len(a):
        raise TooFewError("The two runs have no item in common.")
    variance, _, n_clusters = pair_errors(np.stack([a, b]), clusters)
    error, dof = np.sqrt(variance[0, 1]), n_clusters[0, 1] - 1
    mean_a, mean_b = float(a.mean()), float(b.mean())
    low, high = ends(mean_a - mean_b, error, dof)
    known = not math.isnan(error)
    return PairedDifference(
        n_items=len(a),
        mean_a=mean_a,
        mean_b=mean_b,
        difference=mean_a - mean_b,
        standard_error=float(error) if known else None,
        dof=float(dof),
        ci_low=float(low) if known else None,
        ci_high=float(high) if known else None,
    )


def ends(
    mean: FloatArray | float, error: FloatArray, dof: FloatArray, shares: FloatArray | None = None
) -> tuple[FloatArray, FloatArray]:
    """Both ends of 95 % intervals: by Student's t, and by the score test where that is wider.

    Parameters
    ----------
    mean, error, dof : arrays of one shape
        Of differences; with infinite degrees of freedom by the normal distribution.
    shares : array of shape (3, ...), optional
        What the one gains and loses, and the effective number of items; ``nan`` without items.
    """
    half = scipy.special.stdtrit(dof, _UPPER) * error
    low, high = mean - half, mean + half
    if shares is not None:
        gained, lost, n = shares
        others = score_interval(gained * n, lost * n, n)
        low, high = np.fmin(low, others[0]), np.fmax(high, others[1])
    return low, high


def one_sided(surplus: FloatArray, error: FloatArray, dof: FloatArray) -> FloatArray:
    """One-sided p by Student's t that a surplus is 0 or less; an error of 0 decides by the sign."""
    with np.errstate(divide="ignore", invalid="ignore"):
        statistic = np.where((error == 0) & (np.abs(surplus) <= _ROUNDING), 0.0, surplus / error)
    p: FloatArray = scipy.special.stdtr(dof, -statistic)
    return p


def satterthwaite(variances: FloatArray, dofs: FloatArray) -> FloatArray:
    """Degrees of freedom of a sum of independent variances, by the last axis.

    A variance of 0 has no say; without any other they are infinite.

    Examples
    --------
    (1 + 1)²/(1/10 + 1/10):

    >>> float(satterthwaite(np.array([1.0, 1.0]), np.array([10.0, 10.0])))
    20.0
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        spread = np.where(variances == 0, 0.0, np.square(variances) / dofs).sum(axis=-1)
        found: FloatArray = np.where(
            spread == 0, np.inf, np.square(variances.sum(axis=-1)) / spread
        )
    return found


def pair_errors(
    scores: FloatArray, clusters: Codes | None = None
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """How far several runs are apart, each two on the items that both have.

    Parameters
    ----------
    scores : array of shape (n_runs, n_items)
        0 to 1; ``nan`` where a run did not have an item.
    clusters : array of shape (n_items,), optional
        As for ``paired_difference``.

    Returns
    -------
    variance, gains, n_clusters : arrays of shape (n_runs, n_runs)
        As in ``ItemErrors``. With the differences d of n items in G clusters of n_g items the
        squared error is G/(G − 1) · Σ(Σ(d − d̄))²/n², the inner sum within a cluster: with single
        items s²/n. ``nan`` with fewer than two clusters. Gains are Σmax(Σd, 0)/n.

    Examples
    --------
    The differences 1, 1, 0, 0 deviate from their mean by ±½: single items give
    4/3 · (4 · ¼)/4² = 1/12. As two clusters of two, whose deviations sum to ±1, they give
    2 · (1 + 1)/4².

    >>> scores = np.array([[1.0, 1, 0, 0], [0.0, 0, 0, 0]])
    >>> round(float(pair_errors(scores)[0][0, 1]), 4)
    0.0833
    >>> float(pair_errors(scores, np.array([0, 0, 1, 1]))[0][0, 1])
    0.25
    """
    k, present = len(scores), ~np.isnan(scores)
    variance, gains, n_clusters = (np.full((k, k), np.nan) for _ in range(3))
    if clusters is not None:
        # ``reduceat`` sums neighbours, so the items of a cluster must be next to each other.
        order = np.argsort(clusters, kind="stable")
        scores, present = scores[:, order], present[:, order]
        begins = np.flatnonzero(np.diff(clusters[order], prepend=-1))
    for i in range(k):
        still_wanted()
        # One run with all before it: all pairs at once would take k² times the items.
        size = (present[: i + 1] & present[i]) * 1.0
        # The last row, of a run and itself, is its own mean.
        other = np.where(np.arange(i + 1)[:, None] < i, scores[: i + 1], 0.0)
        d = np.where(size > 0, scores[i] - other, 0.0)
        if clusters is not None:
            size, d = (np.add.reduceat(part, begins, axis=1) for part in (size, d))
        n = size.sum(axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            # The mean times the size: what one of the two lacks has size 0 and no residual.
            residual = d - (d.sum(axis=1) / n)[:, None] * size
            g = (size > 0).sum(axis=1)
            found = np.where(g > 1, g / (g - 1), np.nan) * np.square(residual).sum(axis=1) / n**2
            variance[i, : i + 1] = variance[: i + 1, i] = found
            n_clusters[i, : i + 1] = n_clusters[: i + 1, i] = n**2 / np.square(size).sum(axis=1)
            # In this order, so that on the diagonal the gain counts and not the loss.
            gains[: i + 1, i] = np.maximum(-d, 0.0).sum(axis=1) / n
            gains[i, : i + 1] = np.maximum(d, 0.0).sum(axis=1) / n
    return variance, gains, n_clusters


def right_wrong(a: FloatArray, b: FloatArray) -> RightWrong | None:
    """Count items by who was right; ``None`` where a score is neither right (1) nor wrong (0).

    Parameters
    ----------
    a, b : arrays of shape (n_items,)
        One attempt each; none is missing.

    Examples
    --------
    Six items are discordant, one of them in favour of a: 2 · (1 + 6)/2⁶.

    >>> a = np.array([1.0, 1, 0, 0, 0, 0, 0, 0])
    >>> b = np.array([1.0, 0, 1, 1, 1, 1, 1, 0])
    >>> found = right_wrong(a, b)
    >>> found.only_a, found.only_b, round(found.mcnemar_p, 5)
    (1, 5, 0.21875)
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
    return min(1.0, 2 * float(scipy.special.bdtr(min(only_a, only_b), n, 0.5))) if n else 1.0


def restricted_share(
    only_a: FloatArray | float, only_b: FloatArray | float, margin: FloatArray | float
) -> FloatArray:
    """Share of items that only b has right, as best estimated where a is worse by the margin.

    ``only_a`` and ``only_b`` are the shares seen. The maximum likelihood estimate under the
    restriction is the larger root of a quadratic (Tango 1998); that of only a is less by the
    margin.
    """
    linear = (only_a + only_b) * (1 - margin) + 2 * margin * (1 + only_b)
    # Rounding alone can take this below 0.
    root = np.sqrt(np.maximum(linear**2 - 8 * only_b * margin * (1 + margin), 0.0))
    share: FloatArray = np.asarray((linear + root) / 4)
    return share


def score_p(
    only_a: FloatArray | float,
    only_b: FloatArray | float,
    n_items: FloatArray | float,
    margin: FloatArray | float,
) -> FloatArray:
    """One-sided p of the score test that a is not worse by the margin or more.

    Tango (Statistics in Medicine 17, 1998, 891–908): z = (d + m)/√(v₀/n) with the variance v₀ of
    a difference at the margin, not of those seen; at a margin of 0 it is McNemar's. It holds its
    level where so few items differ that these seem to vary less than they do.

    Parameters
    ----------
    only_a, only_b : arrays of one shape, or numbers
        Items that only the one has right; between right and wrong Σmax(±d, 0) over the items, so
        counts need not be whole.
    n_items, margin
        Items, and the loss that a one-sided test is to reject, −1 to 1.
    """
    b, c = np.asarray(only_a / n_items), np.asarray(only_b / n_items)
    variance = 2 * restricted_share(b, c, margin) - margin - np.square(margin)
    gap = b - c + margin
    with np.errstate(divide="ignore", invalid="ignore"):
        z = gap * np.sqrt(n_items / np.maximum(variance, 0.0))
    # Without any variance the sign decides, and neither way where there is no gap.
    p: FloatArray = scipy.special.ndtr(-np.where(np.abs(gap) <= _ROUNDING, 0.0, z))
    return p


def score_interval(
    only_a: FloatArray | float, only_b: FloatArray | float, n_items: FloatArray | float
) -> tuple[FloatArray, FloatArray]:
    """95 % interval of a minus b: the differences that ``score_p`` does not reject.

    Its width is never 0: without an item on which they differ it is ± z²/(n + z²). Arguments are
    as for ``score_p``; ``nan`` where one is.

    Examples
    --------
    For two models that solve the same ones of 25 tasks it is ± 1.96²/(25 + 1.96²):

    >>> [round(float(end), 3) for end in score_interval(0, 0, 25)]
    [-0.133, 0.133]
    """
    ends = []
    for gained, lost in ((only_a, only_b), (only_b, only_a)):
        high = np.asarray((gained - lost) / n_items, dtype=np.float64)
        low = np.where(np.isnan(high), np.nan, -1.0)
        # p falls with the loss that is tested. 40 halvings leave an error below 10⁻¹¹.
        for _ in range(40):
            middle = (low + high) / 2
            rejected = score_p(gained, lost, n_items, -middle) < 1 - _UPPER
            low, high = np.where(rejected, middle, low), np.where(rejected, high, middle)
        ends.append(low)
    return ends[0], -ends[1]


def margin_test(
    a: FloatArray, b: FloatArray, margin: float, *, clusters: Codes | None = None
) -> MarginTest:
    """Test whether a is as good as b within a margin, on the items that both have.

    By Student's t on the item-wise differences. Where fewer than ``LEAST_EXPECTED`` items are
    expected to fall to a at the margin, t errs in up to 12 % in place of 2.5 %, and without any
    difference it is sure of two items; then the score test must reject too. Of graded items that
    counts signs: t still errs in up to 8 % where a is rarely much worse and little differs else, so
    ``p_if_rare`` counts Σmax(±d, 0) in their place.

    Parameters
    ----------
    a, b, clusters : arrays of shape (n_items,)
        As for ``paired_difference``; at least two items, and two clusters. Of clusters the score
        test counts n divided by the design effect: the one seen in the standard error, where few
        items differ at least 1 + (k − 1) · 0.3 with k = Σ(items of a cluster)²/n.

    Examples
    --------
    Of 100 items, a alone has 10 right and b alone 10. Student's t, 0.1/√(0.2/99), gives p = 0.014.
    So few items differ that the score test counts too, and its p is larger:

    >>> a, b = np.repeat([1.0, 0, 1], (10, 10, 80)), np.repeat([0.0, 1, 1], (10, 10, 80))
    >>> round(margin_test(a, b, 0.1).p_above, 3)
    0.017
    """
    found = paired_difference(a, b, clusters=clusters)
    error, gap = found.standard_error, found.difference + margin
    assert error is not None
    assert found.ci_low is not None
    assert found.ci_high is not None
    if error == 0:
        above, below = float(gap <= 0), float(gap >= 0)
    else:
        above, below = (
            float(scipy.special.stdtr(found.dof, sign * gap / error)) for sign in (-1, 1)
        )
    effect = 1.0
    if clusters is not None:
        sizes = np.bincount(np.unique(clusters, return_inverse=True)[1])
        alone = paired_difference(a, b).standard_error
        seen = (error / alone) ** 2 if alone else 1.0
        effect = max(seen, 1 + (float((sizes**2).sum()) / len(a) - 1) * _LEAST_ALIKE)
    # Means of the same attempts in another order differ by rounding, and are not a difference.
    each = np.where(np.abs(a - b) > _ROUNDING, a - b, 0.0)
    n = len(a) / effect

    def expected(gains: float, losses: float) -> float:
        """Return how many items, or right answers' worth, fall to a at the margin."""
        return n * float(restricted_share(gains, losses, margin) - margin)

    gained, lost = (float(np.maximum(way, 0).sum()) / effect for way in (each, -each))
    score = float(score_p(gained, lost, n, margin))
    rare = max(above, score) if expected(gained / n, lost / n) < LEAST_EXPECTED else above
    if expected((each > 0).mean(), (each < 0).mean()) >= LEAST_EXPECTED:
        return MarginTest(found, above, below, rare)
    low, high = (float(end) for end in score_interval(gained, lost, n))
    wider = replace(found, ci_low=min(found.ci_low, low), ci_high=max(found.ci_high, high))
    return MarginTest(wider, max(above, score), max(below, 1 - score), max(rare, score))


def item_errors(
    n_models: int, per_benchmark: Sequence[tuple[Codes, FloatArray, Codes | None] | None]
) -> ItemErrors:
    """Gather how far models are apart on their items, benchmark by benchmark.

    Parameters
    ----------
    n_models
        Models of the matrix.
    per_benchmark
        For each benchmark of the matrix: the positions of the models with items, their scores as
        for ``pair_errors``, and the clusters; ``None`` without items.
    """
    found = np.full((3, len(per_benchmark), n_models, n_models), np.nan)
    for j, of_benchmark in enumerate(per_benchmark):
        if of_benchmark is not None:
            rows, scores, own = of_benchmark
            found[:, j, rows[:, None], rows] = pair_errors(scores, own)
    found.setflags(write=False)
    return ItemErrors(*found)


def paired(items: ItemErrors, rows: NDArray[np.intp], others: NDArray[np.intp]) -> Paired:
    """Return what items say of pairs of models, each given by two positions.

    ``rows`` and ``others`` are of one shape. A model and itself are its own mean.
    """
    alike = np.equal(rows, others)[..., None]
    variance, gained, lost, clusters = (
        np.moveaxis(part, 0, -1)
        for part in (
            items.variance[:, rows, others],
            items.gains[:, rows, others],
            items.gains[:, others, rows],
            items.clusters[:, rows, others],
        )
    )
    # A model and itself is a score, not a difference: without gains there is no score test.
    nothing = np.where(alike, np.nan, 0.0)
    return Paired(variance, gained + nothing, lost + nothing, clusters)


class Paired(NamedTuple):
    """What the items of both models of each pair say, by pair and benchmark.

    Arrays of the shape of the pairs, and b; ``nan`` where one of the two has no items. As in
    ``ItemErrors``; without gains there is no score test.
    """

    variance: FloatArray
    gained: FloatArray
    lost: FloatArray
    clusters: FloatArray

    def of(self, benchmarks: BoolArray) -> Paired:
        """Keep some benchmarks."""
        return Paired(*(part[..., benchmarks] for part in self))

    def instead_of(
        self, values: FloatArray, errors: Sequence[FloatArray]
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return values, their one error and its degrees of freedom, of items where there are."""
        # Of a model's own items, all alike, the error by Wilson's interval stays (``normalised``).
        alike = np.isnan(self.gained) & (self.variance == 0)
        single = ~np.isnan(self.variance) & ~alike
        values = np.where(np.isnan(self.gained + values), values, self.gained - self.lost)
        squares: FloatArray = sum((np.square(error) for error in errors), np.zeros(()))
        error = np.sqrt(np.where(single, self.variance, squares))
        return values, error, np.where(single, self.clusters - 1, np.inf)

    def shares(self, weight: FloatArray, same_items: Sequence[str]) -> FloatArray:
        """Return gained, lost and the effective number of items of each pair's weighted mean.

        ``weight``, of the shape of the pairs and b, sums to 1, 0 where a benchmark is missing.
        Shape (3, pairs); ``nan`` where a benchmark that counts has no items of both.
        """
        counts = weight > 0
        # With w/√n in place of errors the squared error is Σw²/n, one over the effective number.
        inverse = np.where(
            counts & np.isnan(self.variance), np.nan, weight / np.sqrt(self.clusters)
        )
        error = squared_error(np.where(counts, inverse, 0.0), same_items)
        n = 1 / np.where(error > 0, error, np.nan)
        gained, lost = (
            (np.where(counts, part, 0.0) * weight).sum(axis=-1) for part in (self.gained, self.lost)
        )
        return np.stack([gained, lost, n])


def squared_error(weighted: FloatArray, same_items: Sequence[str]) -> FloatArray:
    """Squared error of a mean from the weighted errors of its benchmarks, the last axis."""
    sets: dict[str, list[int]] = {}
    for j, name in enumerate(same_items):
        # A benchmark of no set is one of its own, by a name that no set can have.
        sets.setdefault(name or f"\0{j}", []).append(j)
    total: FloatArray = sum(
        (np.square(weighted[..., columns].sum(axis=-1)) for columns in sets.values()),
        start=np.zeros(weighted.shape[:-1]),
    )
    return total
