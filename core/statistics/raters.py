"""How well raters agree, clinicians and a jury of language models: MedHELM's check, ICC(3,k)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from core.domain import BadDataError, TooFewError
from core.statistics.score_matrix import mean_known, plain_number

if TYPE_CHECKING:
    from collections.abc import Sequence

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

    Examples
    --------
    Six targets and four judges, the table of Shrout and Fleiss, who print 0.91:

    >>> rows = (9, 2, 5, 8), (6, 1, 3, 2), (8, 4, 6, 8), (7, 1, 2, 6), (10, 5, 6, 9), (6, 2, 4, 7)
    >>> round(icc3k(np.array(rows, dtype=float)), 2)
    0.91
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
    # With variances in place of mean squares: MSR is k times that of the instances' means, and of
    # all the raters' variances what MSR does not hold is left.
    between = k * rated.mean(axis=1).var(ddof=1)
    if between <= (_ROUNDING * np.abs(rated).max()) ** 2:
        return math.nan
    return float(k / (k - 1) * (1 - rated.var(axis=0, ddof=1).sum() / (k * between)))


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
    given = ~np.isnan(ratings)
    n = given.sum(axis=0)
    centred = ratings - mean_known(ratings.T)
    spread = np.sqrt(np.where(given, np.square(centred), 0.0).sum(axis=0) / np.maximum(n - 1, 1))
    # Not by the spread alone: that of equal scores can come out as rounding noise instead of 0.
    low, high = (end.reduce(ratings, axis=0, initial=np.nan) for end in (np.fmin, np.fmax))
    return centred / np.where((high > low) & (spread > 0), spread, np.nan)


_LEVELS = (0.025, 0.975)
_CELLS = 1_000_000
_MIN_DEFINED = 0.9
"""Share of resamples in which a figure must exist, for its interval to be given."""


@dataclass(frozen=True, slots=True)
class RatersAgree:
    """An ICC(3,k), or a difference of two, with its 95 % interval; ``None`` where not defined."""

    icc: float | None
    ci_low: float | None
    ci_high: float | None


@dataclass(frozen=True, slots=True)
class PairAgreement:
    """Two clinicians on the instances that both scored."""

    first: str
    second: str
    icc: float | None
    """As computed, below 0 too; ``None`` for too few instances or where it is not defined."""
    n_instances: int


@dataclass(frozen=True, slots=True)
class OneLeftOut:
    """One clinician and the jury, each with the mean of the other clinicians.

    Both on the same instances: those that this clinician, the jury and another clinician scored.
    Below 0 counts as 0.
    """

    clinician: str
    clinician_icc: float
    jury_icc: float
    n_instances: int


@dataclass(frozen=True, slots=True)
class JuryCheck:
    """How a jury agrees with clinicians, next to how they agree with one another."""

    jury: RatersAgree
    """Jury's mean with the clinicians' mean; below 0 counts as 0."""
    jury_as_computed: float | None
    """The same before anything below 0 was set to 0."""
    clinicians: RatersAgree
    """Mean over the pairs of clinicians, each below 0 counted as 0."""
    one_left_out: tuple[OneLeftOut, ...]
    """Per clinician that can be left out; empty where none can."""
    jury_with_others: float | None
    clinician_with_others: float | None
    """Means over ``one_left_out``; ``None`` where it is empty."""
    difference: RatersAgree
    """The first minus the second; its interval is that of a jury that is one more clinician."""
    pairs: tuple[PairAgreement, ...]
    clinician_names: tuple[str, ...]
    jury_names: tuple[str, ...]
    n_instances: int
    """Instances behind the jury's figure: scored by the jury and at least one clinician."""
    n_by_one: int
    """Those among them that only one clinician scored."""
    left_out: tuple[tuple[str, str], ...]
    """Instances and raters that do not count for the jury's figure, with the reason."""


def check_jury(
    scores: FloatArray,
    instances: Sequence[str],
    raters: Sequence[str],
    in_jury: Sequence[bool],
    *,
    n_resamples: int = 2000,
    seed: int = 0,
) -> JuryCheck:
    """Compare a jury with clinicians who scored the same instances.

    As the paper has it: scores become z-scores within each rater. The clinicians' mean and the
    jury's mean of an instance are two fixed raters, whose agreement is ICC(3,k), k = 2 (the paper
    writes "absolute agreement", but its formula, used here, is that of consistency). Next to
    it is the mean over all pairs of clinicians of the same.

    Where the paper leaves room, or this differs:

    - the standard deviation is the sample one; the two means are not standardised again; a jury
      of several members is standardised member by member;
    - an instance counts with one clinician too (the paper had two or more on each);
    - a pair of clinicians needs 3 instances in common (the paper: 2);
    - an agreement below 0 counts as 0, in the mean over pairs and in both figures, since one pair
      with few instances would carry the mean anywhere; the paper's intervals end at exactly 0;
    - intervals are percentile bootstraps over instances, z-scores taken again in each resample.

    These two figures do not compare: a mean of several clinicians is steadier than one. So each
    clinician is left out in turn, and this clinician and the jury, standardised once more, each
    agree with the mean of the others on the same instances; the difference d is that of the means
    over clinicians. Its interval is that of a permutation test: in each instance the jury changes
    places with one of those who scored it, itself included, drawn at random. With q₁ and q₂ the
    2.5th and 97.5th percentiles of such differences, it is from d − q₂ to d − q₁.

    Parameters
    ----------
    scores : array of shape (n_instances, n_raters)
        ``nan`` where a rater did not score an instance.
    instances, raters : sequences of str
        Names of rows and columns.
    in_jury : sequence of bool
        Whether a rater is a member of the jury; the others are clinicians.
    n_resamples, seed : int
        One seed gives one set of intervals.

    Returns
    -------
    JuryCheck
        ``clinicians`` holds ``None`` where no two clinicians scored 3 instances in common,
        ``difference`` where no clinician has 3 instances that the jury and another clinician
        scored too. There is no interval where a figure is missing in over a tenth of the resamples.
    """
    jury = np.array(in_jury, dtype=bool)
    if jury.all() or not jury.any():
        missing = "clinician" if jury.all() else "jury"
        raise TooFewError(
            "The check compares a jury with clinicians; "
            f"the ratings have no rater with the role {missing}."
        )
    z = standardised(scores)
    for j, name in enumerate(raters):
        given = scores[~np.isnan(scores[:, j]), j]
        if len(given) > 1 and np.isnan(z[:, j]).all():
            raise BadDataError(
                f"{name} gives every instance the same score, {given[0]:g}, so nothing can agree "
                "or disagree with it; remove this rater from the file."
            )
    means = _means(z, jury)
    counts = complete_instances(means)
    if counts.sum() < MIN_INSTANCES:
        raise TooFewError(
            f"The check takes at least {MIN_INSTANCES} instances that the jury and a clinician "
            f"scored; there are {counts.sum()}."
        )
    found = _figures(z, jury)
    rng = np.random.default_rng(seed)
    n = len(scores)
    drawn = [
        _figures(standardised(scores[rng.integers(n, size=n)]), jury) for _ in range(n_resamples)
    ]
    resampled = np.maximum(np.array(drawn).reshape(-1, 2), 0.0)
    value = np.maximum(found, 0.0)
    fair = np.column_stack([z[:, ~jury], standardised(mean_known(z[:, jury])[:, np.newaxis])])
    alone, by_jury, common = _one_left_out(fair)
    own = z[:, ~jury]
    between, in_common = _pairwise(own)
    clinicians = tuple(name for name, juror in zip(raters, in_jury, strict=True) if not juror)
    return JuryCheck(
        jury=_agreement(value[0], resampled[:, 0]),
        jury_as_computed=plain_number(found[0]),
        clinicians=_agreement(value[1], resampled[:, 1]),
        one_left_out=tuple(
            OneLeftOut(clinicians[i], float(alone[i]), float(by_jury[i]), int(common[i]))
            for i in np.flatnonzero(~np.isnan(alone))
        ),
        jury_with_others=plain_number(float(mean_known(by_jury))),
        clinician_with_others=plain_number(float(mean_known(alone))),
        difference=_as_one_more_clinician(
            fair, float(mean_known(by_jury) - mean_known(alone)), n_resamples, seed
        ),
        pairs=tuple(
            PairAgreement(*pair, plain_number(icc), int(n))
            for pair, icc, n in zip(combinations(clinicians, 2), between, in_common, strict=True)
        ),
        clinician_names=clinicians,
        jury_names=tuple(name for name, juror in zip(raters, in_jury, strict=True) if juror),
        n_instances=int(counts.sum()),
        n_by_one=int(((~np.isnan(own)).sum(axis=1) == 1)[counts].sum()),
        left_out=_left_out(scores, z, means, instances, raters),
    )


def _means(z: FloatArray, jury: NDArray[np.bool_]) -> FloatArray:
    """Clinicians' mean and jury's mean of each instance, shape (n, 2); ``nan`` without either."""
    return np.column_stack([mean_known(z[:, ~jury]), mean_known(z[:, jury])])


def _figures(z: FloatArray, jury: NDArray[np.bool_]) -> tuple[float, float]:
    """Jury with clinicians as computed, and the mean over pairs with each below 0 as 0."""
    means = _means(z, jury)
    with_jury = _pair_icc(means[:, :1], means[:, 1:], complete_instances(means)[:, np.newaxis])
    return float(with_jury[0]), float(mean_known(np.maximum(_pairwise(z[:, ~jury])[0], 0.0)))


def _one_left_out(fair: FloatArray) -> tuple[FloatArray, FloatArray, NDArray[np.intp]]:
    """Leave each clinician out in turn, in any number of tables at once.

    ``fair`` are z-scores, (..., n_instances, n_clinicians + 1), the jury's in the last column.
    The ICC(3,k), k = 2, of the clinician and of the jury with the mean of the others, below 0 as
    0, both ``nan`` where either is not defined; and the instances that count, (..., n_clinicians).
    """
    given = ~np.isnan(fair)
    filled = np.where(given, fair, 0.0)
    clinicians, jury = filled[..., :-1], filled[..., -1:]
    others = given[..., :-1].sum(axis=-1, keepdims=True) - given[..., :-1]
    rest = (clinicians.sum(axis=-1, keepdims=True) - clinicians) / np.maximum(others, 1)
    counts = given[..., :-1] & given[..., -1:] & (others > 0)
    alone, by_jury = (
        np.maximum(_pair_icc(np.broadcast_to(one, rest.shape), rest, counts), 0.0)
        for one in (clinicians, jury)
    )
    undefined = np.isnan(alone) | np.isnan(by_jury)
    alone[undefined] = by_jury[undefined] = np.nan
    return alone, by_jury, counts.sum(axis=-2)


def _pair_icc(x: FloatArray, y: FloatArray, counts: NDArray[np.bool_]) -> FloatArray:
    """ICC(3,k) of x and y over axis −2 where ``counts``: 4c/(v₁ + v₂ + 2c).

    Their covariance is c, and their variances are v.
    """
    n = counts.sum(axis=-2, keepdims=True)

    def centred(values: FloatArray) -> FloatArray:
        mean = np.where(counts, values, 0.0).sum(axis=-2, keepdims=True) / np.maximum(n, 1)
        return np.where(counts, values - mean, 0.0)

    a, b = centred(x), centred(y)
    cross = 2 * (a * b).sum(axis=-2)
    between = (a * a).sum(axis=-2) + (b * b).sum(axis=-2) + cross
    n = n[..., 0, :]
    defined = (n >= MIN_INSTANCES) & (between > 1e-12 * n)
    icc: FloatArray = np.where(defined, 2 * cross / np.where(defined, between, 1.0), np.nan)
    return icc


def _as_one_more_clinician(fair: FloatArray, d: float, n_draws: int, seed: int) -> RatersAgree:
    """Interval of d by draws of differences with the jury and a rater of each instance swapped."""
    n, width = fair.shape
    rng = np.random.default_rng((seed, 1))
    unrated = np.isnan(fair[:, -1])
    step = max(1, _CELLS // max(fair.size, 1))
    by_chance = [np.empty(0)]
    for start in range(0, n_draws, step):
        size = min(step, n_draws - start)
        lot = rng.random((size, n, width))
        # Below every draw: whoever did not score an answer changes places with nobody.
        lot[:, np.isnan(fair)] = -1.0
        with_whom = np.where(unrated, width - 1, lot.argmax(axis=-1))[..., np.newaxis]
        swapped = np.repeat(fair[np.newaxis], size, axis=0)
        theirs = np.take_along_axis(swapped, with_whom, axis=-1)
        np.put_along_axis(swapped, with_whom, swapped[..., -1:].copy(), axis=-1)
        swapped[..., -1:] = theirs
        alone, by_jury, _ = _one_left_out(swapped)
        by_chance.append(mean_known(by_jury) - mean_known(alone))
    return _agreement(d, d - np.concatenate(by_chance))


def _pairwise(z: FloatArray) -> tuple[FloatArray, NDArray[np.intp]]:
    """ICC(3,k) of each pair of columns over the rows that both have, and how many these are."""
    first, second = np.triu_indices(z.shape[1], 1)
    both = ~np.isnan(z[:, first] + z[:, second])
    return _pair_icc(z[:, first], z[:, second], both), both.sum(axis=0)


def _agreement(value: float, resampled: FloatArray) -> RatersAgree:
    """Return the value with its interval, where enough of the resamples have it."""
    defined = resampled[~np.isnan(resampled)]
    if math.isnan(value) or not len(defined) or len(defined) < _MIN_DEFINED * len(resampled):
        return RatersAgree(plain_number(value), None, None)
    low, high = np.quantile(defined, _LEVELS)
    return RatersAgree(float(value), float(low), float(high))


def _left_out(
    scores: FloatArray,
    z: FloatArray,
    means: FloatArray,
    instances: Sequence[str],
    raters: Sequence[str],
) -> tuple[tuple[str, str], ...]:
    found = [
        (name, "scored one instance only, so the scores cannot be standardised")
        for j, name in enumerate(raters)
        if np.isnan(z[:, j]).all() and not np.isnan(scores[:, j]).all()
    ]
    for i, name in enumerate(instances):
        by_clinicians, by_jury = np.isnan(means[i])
        if by_clinicians and by_jury:
            found.append((name, "no score that can be used"))
        elif by_clinicians or by_jury:
            found.append((name, f"not scored by {'a clinician' if by_clinicians else 'the jury'}"))
    return tuple(found)
