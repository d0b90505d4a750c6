"""How far models are apart, and how sure that is: two questions, never mixed.

Over all benchmarks, benchmark by benchmark for a few models side by side, and from one score
matrix of a suite to a later one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np

from core.domain import BadRequestError, Change, Difference, Interval, TooFewError
from core.statistics.items import ends, one_sided, paired, satterthwaite, score_p, squared_error
from core.statistics.score_matrix import (
    complete,
    normalised,
    plain_number,
    select,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from core.domain import FloatArray, IntervalBasis, ScoreMatrix, Verdict
    from core.statistics.items import Paired

    BoolArray = NDArray[np.bool_]

LEAST_TESTS = 5.0
"""With fewer effective tests nothing is said about other tests."""
_ROUNDING = 1e-9
_BASES: tuple[IntervalBasis, ...] = ("on these tests", "on other tests")


@dataclass(frozen=True, eq=False)
class Means:
    """Weighted means and their standard errors by both questions, one per row.

    The first axis of ``standard_error`` and ``dof`` is the question: on these tests, on other
    tests. ``nan`` where a question has no answer.
    """

    mean: FloatArray
    """Shape (n,)."""
    n_benchmarks: FloatArray
    """Benchmarks behind each mean, shape (n,)."""
    standard_error: FloatArray
    """Shape (2, n)."""
    dof: FloatArray
    """Degrees of freedom of Student's t, infinite for the normal distribution; shape (2, n)."""
    shares: FloatArray | None = None
    """Of rows whose error on these tests is of single items throughout: what the first gains and
    loses on the second, and the effective number of items; shape (3, n), else ``nan``. For these
    the score test accompanies Student's t, and the less sure of the two counts."""

    @cached_property
    def from_items(self) -> BoolArray:
        """Whether a row's error on these tests is of single items throughout, shape (n,)."""
        if self.shares is None:
            return np.zeros(len(self.mean), dtype=bool)
        return np.asarray(~np.isnan(self.shares[2]), dtype=bool)

    @cached_property
    def strongest(self) -> tuple[FloatArray, FloatArray]:
        """Standard errors and degrees of freedom of each row's strongest basis."""
        known = ~np.isnan(self.standard_error[0])
        error, dof = (np.where(known, of[0], of[1]) for of in (self.standard_error, self.dof))
        return error, dof

    @cached_property
    def ends(self) -> tuple[FloatArray, FloatArray]:
        """Both ends of each row's 95 % interval by the strongest basis; ``nan`` without any."""
        return ends(self.mean, *self.strongest, self.shares)

    @property
    def basis(self) -> tuple[IntervalBasis, ...]:
        """The name of each row's strongest basis."""
        every = map(self.intervals, range(len(self.mean)))
        return tuple(intervals[0].basis if intervals else "none" for intervals in every)

    def weaker(self) -> Means:
        """Return the same means by the weaker one of two bases; a row of fewer has none."""
        of_both = np.where(np.isnan(self.standard_error[0]), np.nan, self.standard_error[1])
        error = np.stack([np.full(len(self.mean), np.nan), of_both])
        return replace(self, standard_error=error, shares=None)

    def p_above(self, threshold: float) -> FloatArray:
        """One-sided p of "the true mean is not above the threshold" by the strongest basis.

        1 for a row without any: it can show nothing.
        """
        p = one_sided(self.mean - threshold, *self.strongest)
        if self.shares is not None:
            gained, lost, n = self.shares
            p = np.fmax(p, score_p(gained * n, lost * n, n, -threshold))
        return np.where(np.isnan(p), 1.0, p)

    def p_differs(self) -> FloatArray:
        """Two-sided p of "the true mean is 0" by the strongest basis; 1 for a row without any."""
        p = one_sided(np.abs(self.mean), *self.strongest)
        if self.shares is not None:
            # The score test of no difference is McNemar's.
            gained, lost, n = self.shares
            p = np.fmax(p, score_p(np.fmax(gained, lost) * n, np.fmin(gained, lost) * n, n, 0.0))
        return np.where(np.isnan(p), 1.0, 2 * p)

    def intervals(self, row: int) -> tuple[Interval, ...]:
        """Return every interval of a row, the strongest first."""
        names: tuple[IntervalBasis, ...] = ("items", _BASES[1]) if self.from_items[row] else _BASES
        errors, dofs, strongest, weaker = self._rows[row]
        found: list[Interval] = []
        for basis, error, dof in zip(names, errors, dofs, strict=True):
            if not math.isnan(error):
                found.append(Interval(basis, error, dof, *(weaker if found else strongest)))
        return tuple(found)

    @cached_property
    def _rows(self) -> list[tuple[tuple[float, ...], ...]]:
        """Errors, degrees of freedom and ends of both bases, a row at a time.

        As plain numbers all at once: thousands of rows are read one by one, and a number taken
        from an array costs twenty times as much.
        """
        pairs = (
            self.standard_error,
            self.dof,
            self.ends,
            ends(self.mean, self.standard_error[1], self.dof[1]),
        )
        columns = (zip(*(end.tolist() for end in pair), strict=True) for pair in pairs)
        return list(zip(*columns, strict=True))


def weighted_means(
    values: FloatArray,
    weights: FloatArray,
    errors: Sequence[FloatArray] = (),
    same_items: Sequence[str] = (),
    paired: Paired | None = None,
) -> Means:
    """Weighted mean of each row over the benchmarks it has.

    Parameters
    ----------
    values : array of shape (n, b)
        ``nan`` is missing; the weights of the others are scaled up to 1.
    weights : array of shape (b,)
        Not negative. A benchmark of weight 0 does not count at all.
    errors : sequence of arrays of shape (n, b)
        Item errors of each model that is in a row: one for a score, two for a difference.
        Models count as independent, and so do benchmarks, whose errors add in squares; those of
        benchmarks over the same items add as they are. Without any, or where one that counts is
        missing, there is no answer on these tests.
    same_items : sequence of str
        Per benchmark, the name of its set of items; empty for its own.
    paired : Paired, optional
        What single items say of each row, shape (n, b): it goes before values and errors. Degrees
        of freedom are then those of Welch and Satterthwaite; shares add with the weights w, and of
        n items a benchmark 1/Σ(w²/n) are effective, or fewer over the same items.

    Returns
    -------
    Means
        On other tests: with weights w that sum to 1 and J = 1/Σw² effective tests, the squared
        standard error is Σw²(x − mean)²/(1 − 1/J), with J − 1 degrees of freedom, from J = 5 on.

    Examples
    --------
    Weights of ¾ and ¼: a mean of 0.45 + 0.20, with the error √(0.015² + 0.010²) on these tests. On
    other tests there is none, since 1/(0.75² + 0.25²) = 1.6 effective tests are too few.

    >>> values, weights = np.array([[0.6, 0.8]]), np.array([3.0, 1.0])
    >>> found = weighted_means(values, weights, [np.array([[0.02, 0.04]])])
    >>> found.mean.round(3).tolist(), found.standard_error.round(3).tolist()
    ([0.65], [[0.018], [nan]])
    """
    # Dropped before the sums, since a missing error times a weight of 0 would still be missing.
    counted = weights > 0
    values, errors = values[:, counted], [error[:, counted] for error in errors]
    dofs = np.full(values.shape, np.inf)
    if paired is not None:
        paired = paired.of(counted)
        values, error, dofs = paired.instead_of(values, errors)
        errors = [error]
    present = ~np.isnan(values)
    weight = np.where(present, weights[counted], 0.0)
    total = weight.sum(axis=1, keepdims=True)
    # A row without any score gets weights of nan, so that its mean is nan and not 0.
    weight /= np.where(total > 0, total, np.nan)
    known = np.where(present, values, 0.0)
    mean = (known * weight).sum(axis=1)
    sets = same_items or [""] * counted.size
    names = [name for name, counts in zip(sets, counted, strict=True) if counts]
    of_items, dof, shares = np.full(len(mean), np.nan), np.full(len(mean), np.inf), None
    if errors:
        # 0 only where the score is missing too. An error missing from a score that counts stays nan
        # and leaves the row without an answer on these tests.
        weighted = [np.where(present, error, 0.0) * weight for error in errors]
        of_items = np.sqrt(sum(squared_error(error, names) for error in weighted))
        dof = satterthwaite(np.square(weighted).sum(axis=0), np.where(present, dofs, np.inf))
    if paired is not None:
        shares = paired.shares(np.where(present, weight, np.nan), names)
    effective = 1 / np.square(weight).sum(axis=1)
    enough = effective >= LEAST_TESTS - _ROUNDING
    spread = np.square(weight * (known - mean[:, None])).sum(axis=1)
    # With equal weights this divisor makes the sum s²/J, with s of divisor J − 1.
    divisor = np.where(enough, 1 - 1 / effective, np.nan)
    return Means(
        mean=mean,
        n_benchmarks=present.sum(axis=1),
        standard_error=np.stack([of_items, np.sqrt(spread / divisor)]),
        dof=np.stack([dof, np.where(enough, effective - 1, np.nan)]),
        shares=shares,
    )


def scores(matrix: ScoreMatrix, weights: Mapping[str, float] | None = None) -> Means:
    """Weighted mean score of each model over the benchmarks it has.

    Weights are by benchmark id, by default equal. A benchmark that is not among them weighs 0;
    ids outside the matrix are ignored. ``nan`` for a model without a score that counts.
    """
    values, errors = normalised(matrix)
    own = np.arange(len(values))
    return weighted_means(
        values,
        weights_array(matrix, weights),
        [errors],
        [benchmark.same_items for benchmark in matrix.benchmarks],
        None if matrix.items is None else paired(matrix.items, own, own),
    )


def weights_array(matrix: ScoreMatrix, weights: Mapping[str, float] | None) -> FloatArray:
    """Return the weight of each benchmark of a matrix; one of them must be above 0."""
    if weights is None:
        return np.ones(len(matrix.benchmarks))
    found = np.array([weights.get(benchmark.id, 0.0) for benchmark in matrix.benchmarks])
    if not (np.isfinite(found) & (found >= 0)).all():
        raise BadRequestError("Every weight must be a number from 0 up.")
    if not (found > 0).any():
        raise BadRequestError(f"No benchmark of suite {matrix.suite} has a weight above 0.")
    return found


def differences(
    matrix: ScoreMatrix,
    models: Sequence[str],
    other: str,
    *,
    weights: Mapping[str, float] | None = None,
) -> list[Difference]:
    """Weighted mean of each of ``models`` minus ``other`` over the benchmarks both have.

    Weights are as for ``scores``. Differences are on the 0 to 1 scale, with an interval for each
    question that has an answer. Where both have items on every benchmark, these are paired, and the
    basis is "items". Else, on these tests, the two models' errors are taken as independent:
    they answered the same items, which mostly makes them agree, so this interval is too wide
    rather than too narrow. On other tests the differences vary, benchmark by benchmark.
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
    weight = weights_array(matrix, weights)
    values, errors = normalised(matrix)
    return weighted_means(
        values[rows] - values[others],
        weight,
        [errors[rows], errors[others]],
        [benchmark.same_items for benchmark in matrix.benchmarks],
        None if matrix.items is None else paired(matrix.items, rows, others),
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
    Satterthwaite. A suite in which two models share no benchmark has no vote. The parts are of
    the same pairs in the same order.
    """
    if len(parts) == 1:
        return parts[0]
    means = np.stack([part.mean for part in parts])
    votes = ~np.isnan(means)
    # Where no suite votes, nan in place of 0 makes mean and errors unknown.
    n = np.where(votes.any(axis=0), votes.sum(axis=0), np.nan)
    squares = np.stack([np.square(part.standard_error) for part in parts])
    dofs = np.stack([part.dof for part in parts])
    silent = ~votes[:, None, :]
    # A suite without a vote adds no error. Its nan would take the basis from those that vote.
    squares[np.broadcast_to(silent, squares.shape)] = 0.0
    dof = satterthwaite(np.moveaxis(squares, 0, -1), np.moveaxis(dofs, 0, -1))
    error = np.sqrt(squares.sum(axis=0)) / n
    shares = None
    if any(part.shares is not None for part in parts):
        nowhere, k = np.full((3, votes.shape[1]), np.nan), votes.sum(axis=0)
        found = np.stack([nowhere if part.shares is None else part.shares for part in parts])
        with np.errstate(divide="ignore", invalid="ignore"):
            gained, lost = np.where(votes[:, None], found[:, :2], 0.0).sum(axis=0) / k
            # 1/Σ(w²/n) with a weight of 1/k each; nan where a suite votes without items.
            items = k**2 / np.where(votes, 1 / found[:, 2], 0.0).sum(axis=0)
        shares = np.stack([gained, lost, items])
    return Means(
        mean=np.where(votes, means, 0.0).sum(axis=0) / n,
        n_benchmarks=np.sum([part.n_benchmarks for part in parts], axis=0),
        standard_error=error,
        dof=np.where(np.isnan(error), np.nan, dof),
        shares=shares,
    )


def belief_sd(pairs: Means) -> float | None:
    """Return s from the differences of every two candidates, as ``gaps`` gives them.

    s² is half the predictive variance of a difference on one more test like these, s_d²(1 + 1/J),
    mean over the pairs; ``None`` where one has fewer than 5 effective tests, and without pairs.
    What the items of one test let a difference vary by is taken off where both models' are paired
    item by item, down to 0. Other errors are only upper bounds, which would make a test
    look worthless, and stay in.
    """
    on_these, on_others = np.square(pairs.standard_error)
    n_tests = pairs.dof[1] + 1
    # The squared error is s_d²/J: times J + 1 it is the variance of one more test, and the error
    # on these tests times J is what the items of a single one add to it.
    of_items = np.where(pairs.from_items, on_these * n_tests, 0.0)
    variance = on_others * (n_tests + 1) - of_items
    if not variance.size or np.isnan(variance).any():
        return None
    return math.sqrt(max(float(variance.mean()) / 2, 0.0))


def verdict_of(difference: Difference, margin: float) -> Verdict:
    """Judge whether the first model can replace the other, as a pair named beforehand.

    "equivalent" where the lower end of the strongest interval, of candidate minus the model that
    it would replace, is above −margin, "worse" where its upper end is below, else, and without
    an interval, "cannot tell". The margin is the largest loss that still counts as equivalent,
    on the 0 to 1 scale.
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


MOST_COMPARED = 5

TestStanding = Literal["better", "worse", "cannot tell", "no interval", "not measured"]


@dataclass(frozen=True, slots=True)
class Gap:
    """One benchmark: how far a model is from another, normalised 0 to 1 scale."""

    benchmark: str
    difference: float | None
    """``None`` where one of the two has no score."""
    ci_low: float | None
    ci_high: float | None
    """``None`` where one of the two has no standard error."""
    standing: TestStanding


@dataclass(frozen=True, slots=True)
class Pair:
    """One model against another."""

    model: str
    other: str
    gaps: tuple[Gap, ...]
    """One per benchmark, in the matrix's order."""
    overall: Difference
    """Weighted mean difference over the benchmarks that both have and that count."""

    @property
    def n_shared(self) -> int:
        """Benchmarks that both models have."""
        return sum(gap.difference is not None for gap in self.gaps)

    @property
    def n_with_interval(self) -> int:
        """Benchmarks on which the difference has an interval."""
        return sum(gap.ci_low is not None for gap in self.gaps)

    def n_ahead(self, *, clearly: bool = False) -> int:
        """Benchmarks on which the model scores higher; clearly: the interval lies above 0."""
        if clearly:
            return sum(gap.standing == "better" for gap in self.gaps)
        return sum(gap.difference is not None and gap.difference > 0 for gap in self.gaps)

    def n_behind(self, *, clearly: bool = False) -> int:
        """Benchmarks on which the model scores lower; clearly: the interval lies below 0."""
        if clearly:
            return sum(gap.standing == "worse" for gap in self.gaps)
        return sum(gap.difference is not None and gap.difference < 0 for gap in self.gaps)


@dataclass(frozen=True, slots=True, eq=False)
class SideBySide:
    """Two to five models on every benchmark of a matrix."""

    scores: ScoreMatrix
    """The models in the order in which they were asked for."""
    normalised: FloatArray
    """Shape (n_models, n_benchmarks), 0 to 1, higher is better; ``nan`` is missing."""
    pairs: tuple[Pair, ...]
    """Each model after the first against the first."""


def on_each_benchmark(
    matrix: ScoreMatrix, models: Sequence[str], weights: Mapping[str, float] | None = None
) -> SideBySide:
    """Compare models with the first of them, benchmark by benchmark and overall.

    Every interval is that of ``differences``, on one benchmark or on all that count. A standing is
    "better" where the interval lies above 0, "worse" where it lies below, else "cannot tell". Each
    interval is on its own: of 20 benchmarks on which two models are alike, one may look
    different by chance.

    ``models`` are two to five, the one to compare with first; repeats are dropped. ``weights``
    are for the overall difference, by default equal.
    """
    chosen = tuple(dict.fromkeys(models))
    if len(chosen) < 2:
        raise TooFewError("Choose at least two models to compare.")
    if len(chosen) > MOST_COMPARED:
        raise BadRequestError(f"At most {MOST_COMPARED} models can be compared side by side.")
    scores = select(matrix, chosen)
    first, ids = chosen[0], [benchmark.id for benchmark in scores.benchmarks]
    overall = differences(scores, chosen[1:], first, weights=weights)
    rows, others = np.arange(len(chosen)), np.zeros(len(chosen), dtype=np.intp)
    alone = [gaps(scores, rows, others, weights={name: 1.0}) for name in ids]
    ends = [found.ends for found in alone]
    return SideBySide(
        scores=scores,
        normalised=normalised(scores)[0],
        pairs=tuple(
            Pair(
                model,
                first,
                tuple(
                    _gap(name, *(float(part[i]) for part in (found.mean, low, high)))
                    for name, found, (low, high) in zip(ids, alone, ends, strict=True)
                ),
                whole,
            )
            for i, (model, whole) in enumerate(zip(chosen[1:], overall, strict=True), start=1)
        ),
    )


def _gap(benchmark: str, difference: float, low: float, high: float) -> Gap:
    if np.isnan(difference):
        return Gap(benchmark, None, None, None, "not measured")
    if np.isnan(low):
        return Gap(benchmark, difference, None, None, "no interval")
    standing: TestStanding = "better" if low > 0 else "worse" if high < 0 else "cannot tell"
    return Gap(benchmark, difference, low, high, standing)


def score_changes(before: ScoreMatrix, after: ScoreMatrix) -> list[Change]:
    """List the scores that differ, on the benchmark's own scale.

    Models and benchmarks of both matrices are compared; a score that came or went has ``None``
    on its other side. Order: models, then benchmarks, as in ``after``.
    """
    was, now = (
        {
            (model, benchmark.id): plain_number(score)
            for model, row in zip(of.models, of.scores, strict=True)
            for benchmark, score in zip(of.benchmarks, row, strict=True)
        }
        for of in (before, after)
    )
    return [
        Change(model, "score", benchmark, was[model, benchmark], score)
        for (model, benchmark), score in now.items()
        if (model, benchmark) in was and was[model, benchmark] != score
    ]


def rank_changes(before: ScoreMatrix, after: ScoreMatrix) -> list[Change]:
    """List the models whose rank among the complete models of both matrices moved.

    Ranked by the mean normalised score over the benchmarks with scores in both, ties by model
    id; models in only one matrix do not move the others. Order: rank after.
    """
    scored = [
        {
            benchmark.id
            for benchmark, column in zip(matrix.benchmarks, matrix.scores.T, strict=True)
            if not np.isnan(column).all()
        }
        for matrix in (before, after)
    ]
    benchmarks = [b.id for b in after.benchmarks if b.id in scored[0] & scored[1]]
    old, new = (select(matrix, benchmarks=benchmarks) for matrix in (before, after))
    models = sorted(set(complete(old).models) & set(complete(new).models))
    ranks: list[dict[str, int]] = []
    for matrix in (select(old, models), select(new, models)):
        means = scores(matrix).mean if matrix.models else np.empty(0)
        ordered = sorted(zip((-means).tolist(), matrix.models, strict=True))
        ranks.append({model: rank for rank, (_, model) in enumerate(ordered, start=1)})
    was, now = ranks
    return [
        Change(model, "rank", "", float(was[model]), float(rank))
        for model, rank in now.items()
        if was[model] != rank
    ]


def cluster_changes(before: ScoreMatrix, after: ScoreMatrix) -> list[Change]:
    """List the models that moved between the high and the low cluster.

    Each matrix forms its own two clusters from its own complete models. Where they are too few
    for clusters, nothing moved. Order: models of ``after``.
    """
    from core.statistics.taxonomy import build_taxonomy  # noqa: PLC0415 - slow to import

    clusters = []
    for matrix in (before, after):
        try:
            tree = build_taxonomy(matrix)
        except TooFewError:
            return []
        clusters.append(dict(zip(tree.models, tree.labels, strict=True)))
    was, now = clusters
    return [
        Change(model, "cluster", "", was[model], label)
        for model, label in now.items()
        if model in was and was[model] != label
    ]
