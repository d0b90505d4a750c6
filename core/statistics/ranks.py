"""Who is ahead: ranks that a model may have, win rates, agreement of orders, the frontier."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import scipy

from core.domain import (
    Z95,
    BadRequestError,
    Exclusion,
    OrderAgreement,
    Safety,
    TooFewError,
    WinRateRow,
    WinRates,
)
from core.domain.statistics import LEAST_FOR_INTERVAL
from core.memory import still_wanted
from core.statistics.difference import weighted_means, weights_array
from core.statistics.items import ALPHA, paired
from core.statistics.score_matrix import (
    normalised,
    oriented,
    plain_number,
    select,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from core.domain import FloatArray, ItemErrors, ScoreMatrix

_WORST_QUARTER = 0.75
MIN_MODELS = 3
"""Two models are in one order or the other: no correlation."""
_MOST_BY_PAIRS = 250
"""With more models, sorting takes less time than looking at every pair of them."""
_CELLS = 500_000
"""Numbers that are held at once for each figure."""
_IN_CACHE = 1 << 16
"""The same where they are gone through several times."""
_CANCELS = 1e-5
"""Squared distances below this part of the largest squared length are taken once more."""
_ROUNDING = 1e-9


def average_ranks(values: FloatArray) -> FloatArray:
    """Rank each column from 1 for the lowest value.

    Ties share the mean of their ranks; ``nan`` stays ``nan`` and takes no rank. The same numbers,
    of shape (n, b), as ``scipy.stats.rankdata(values, axis=0, nan_policy="omit")``.

    Examples
    --------
    >>> average_ranks(np.array([[0.7], [0.2], [0.7], [np.nan]]))[:, 0].tolist()
    [2.5, 1.0, 2.5, nan]
    """
    import pandas as pd  # noqa: PLC0415 - a third of a second to import

    ranks: FloatArray = pd.DataFrame(values).rank().to_numpy()
    return ranks


def order_agreement(x: FloatArray, y: FloatArray) -> OrderAgreement:
    """Correlate the ranks of models in two orders, with a 95 % interval.

    Spearman's rho is Pearson's correlation of the ranks, ties at their mean. The interval is made
    on Fisher's scale, tanh(atanh rho ± 1.96 s), with s = √((1 + rho²/2)/(n − 3)) (Bonett and
    Wright 2000, doi 10.1007/BF02294183). It is about other models like these.

    The scores are of the same models, higher is better on both, and none is missing. No rho below
    three models, or where all tie in one order; no interval below five models, or where the
    orders are the same or reversed, so that the scale has no end.
    """
    n = len(x)
    if n < MIN_MODELS:
        return OrderAgreement(n, None, None, None)
    ranks = average_ranks(np.column_stack([x, y]))
    centred = ranks - ranks.mean(axis=0)
    size = math.sqrt(float((centred[:, 0] ** 2).sum() * (centred[:, 1] ** 2).sum()))
    if not size:
        return OrderAgreement(n, None, None, None)
    rho = min(1.0, max(-1.0, float(centred[:, 0] @ centred[:, 1]) / size))
    if n < LEAST_FOR_INTERVAL or abs(rho) > 1 - 1e-12:
        return OrderAgreement(n, rho, None, None)
    half = Z95 * math.sqrt((1 + rho * rho / 2) / (n - 3))
    middle = math.atanh(rho)
    return OrderAgreement(n, rho, math.tanh(middle - half), math.tanh(middle + half))


def kendall_tau(reference: FloatArray, others: FloatArray) -> FloatArray:
    """Kendall's τ-b of one ranking with each of several.

    Concordant minus discordant pairs, over the root of the pairs not tied in the one times the
    pairs not tied in the other, as ``scipy.stats.kendalltau`` has it, which takes longer where
    there are few enough models to look at every pair.

    ``reference`` has shape (n,) and ``others`` (n, m), without missing values; the result, shape
    (m,), is ``nan`` where either ranking is one tie.

    Examples
    --------
    The first ranking has five of six pairs in the same order and one reversed, (5 − 1)/6. In the
    second two pairs tie and four are in the same order, 4/√(6 · 4):

    >>> others = np.array([[1.0, 1.0], [2.0, 1.0], [4.0, 2.0], [3.0, 2.0]])
    >>> kendall_tau(np.array([1.0, 2.0, 3.0, 4.0]), others).round(3).tolist()
    [0.667, 0.816]
    """
    n, m = others.shape
    if n > _MOST_BY_PAIRS:
        return np.array(
            [scipy.stats.kendalltau(reference, others[:, j]).statistic for j in range(m)]
        )
    first, second = np.triu_indices(n, 1)
    one = np.sign(reference[first] - reference[second])
    found = np.empty(m)
    for j, ranking in enumerate(others.T):
        still_wanted()
        other = np.sign(ranking[first] - ranking[second])
        untied = float(np.count_nonzero(one)) * np.count_nonzero(other)
        found[j] = one @ other / math.sqrt(untied) if untied else math.nan
    return found


def holm(p_values: FloatArray) -> FloatArray:
    """Adjust p-values so that a level holds for all of them together (Holm 1979).

    In the order given, at most 1. Below a level where the step-down test rejects.

    Examples
    --------
    0.01 · 3, 0.03 · 2, and 0.04 · 1, which must not be below the one before it:

    >>> holm(np.array([0.01, 0.04, 0.03])).round(3).tolist()
    [0.03, 0.06, 0.06]
    """
    n = len(p_values)
    order = np.argsort(p_values, kind="stable")
    stepped = np.maximum.accumulate(p_values[order] * np.arange(n, 0, -1))
    adjusted = np.empty(n)
    adjusted[order] = np.minimum(stepped, 1.0)
    return adjusted


def rank_bands(matrix: ScoreMatrix, weights: Mapping[str, float] | None) -> list[tuple[int, int]]:
    """Rank set of each model of a matrix by weighted score, by the rule of ``rank_sets``."""
    values, errors = normalised(matrix)
    sets = [benchmark.same_items for benchmark in matrix.benchmarks]
    return rank_sets(values, weights_array(matrix, weights), errors, sets, matrix.items)


def rank_sets(
    values: FloatArray,
    weights: FloatArray,
    errors: FloatArray | None = None,
    same_items: Sequence[str] = (),
    items: ItemErrors | None = None,
) -> list[tuple[int, int]]:
    """First and last rank that each row may have: its marginal 95 % confidence set.

    A row is compared with each other row as ``weighted_means`` has it; of its n − 1 two-sided
    tests those count that Holm's rule rejects. Its ranks go from 1 + the rows shown better to n −
    the rows shown worse (Mogstad, Romano, Shaikh and Wilhelm 2024, doi 10.1093/restud/rdad006).
    Without any basis all ranks are possible.

    Values, weights and ``same_items`` are as for ``weighted_means``, higher is better; errors,
    shape (n, b), are the item errors of the rows. Rows are compared on what both have. The pairs
    of first and last rank count from 1; a set holds the true rank in at least 95 % of repetitions.
    Where ``items`` has both models, their errors are paired, and the score test must reject too.

    Examples
    --------
    Two scores with an error of 0.02 each differ with an error of 0.028: a gap of 0.40 is shown,
    one of 0.01 is not.

    >>> values, errors = np.array([[0.90], [0.50], [0.49]]), np.full((3, 1), 0.02)
    >>> rank_sets(values, np.ones(1), errors)
    [(1, 1), (2, 3), (2, 3)]
    """
    alike = None if items is not None else _alike(values, weights, errors, same_items)
    if alike is not None:
        return _sets_of_alike(*alike)
    n = len(values)
    first, second = np.triu_indices(n, 1)
    p, sign = np.ones((n, n)), np.zeros((n, n), dtype=np.int8)
    # In blocks of pairs, since the differences of all of them would be n² times b numbers.
    step = max(1, _CELLS // max(len(weights), 1))
    for start in range(0, len(first), step):
        still_wanted()
        i, j = first[start : start + step], second[start : start + step]
        found = weighted_means(
            values[i] - values[j],
            weights,
            [] if errors is None else [errors[i], errors[j]],
            same_items,
            None if items is None else paired(items, i, j),
        )
        p[i, j] = p[j, i] = found.p_differs()
        sign[i, j] = np.sign(np.nan_to_num(found.mean))
        sign[j, i] = -sign[i, j]
    sets = []
    for row, others in enumerate(~np.eye(n, dtype=bool)):
        # Holm's rule within a row only: each set is a promise about one row, not about all at once.
        told = sign[row, others][holm(p[row, others]) < 0.05]
        sets.append((1 + int((told < 0).sum()), n - int((told > 0).sum())))
    return sets


def _alike(
    values: FloatArray, weights: FloatArray, errors: FloatArray | None, same_items: Sequence[str]
) -> tuple[FloatArray, FloatArray, FloatArray, float] | None:
    """Return means, squared errors and degrees of freedom, if they are of one kind for all pairs.

    The squared error of a pair is a + b + |u − v|², whose a and u this returns by row: the rows'
    own errors on these tests and no u, or nothing and how far a row's values lie off its mean, of
    which other tests make an error. ``None`` where a row lacks a score that counts, or only some
    have an error on these tests.
    """
    counted, n = weights > 0, len(values)
    if not n or np.isnan(values[:, counted]).any():
        return None
    found = weighted_means(values, weights, [] if errors is None else [errors], same_items)
    own = np.square(found.standard_error[0])
    known = ~np.isnan(own)
    if known.all():
        return found.mean, own, np.empty((n, 0)), math.inf
    if known.any():
        return None
    dof = float(found.dof[1, 0])
    off = weights[counted] / weights.sum() * (values[:, counted] - found.mean[:, None])
    return found.mean, np.zeros(n), off / math.sqrt(dof / (dof + 1)), dof


def _sets_of_alike(
    means: FloatArray, own: FloatArray, off: FloatArray, dof: float
) -> list[tuple[int, int]]:
    """Do as ``rank_sets`` where all pairs are compared by t of the same degrees of freedom.

    Then each step of Holm's rule has one critical value, and nothing need be sorted: with r tests
    rejected, all beyond the value of the next step are rejected as well, and where these are r
    again the rule has come to its end. Arguments are as ``_alike`` returns them.
    """
    n = len(means)
    if math.isnan(dof):
        return [(1, n)] * n
    tests_left = np.maximum(np.arange(n - 1, -1, -1), 1)
    critical = np.square(scipy.special.stdtrit(dof, ALPHA / tests_left))
    # a + b + |u − v|² of all pairs in one product. Where |u − v| is small its digits cancel.
    size = own + np.square(off).sum(axis=1)
    one = np.ones(n)
    left, right = np.column_stack([size, one, -2 * off]), np.column_stack([one, size, off])
    cancels = _CANCELS * float(size.max()) if off.size else 0.0
    sets: list[tuple[int, int]] = []
    step = max(1, _IN_CACHE // n)
    for start in range(0, n, step):
        still_wanted()
        rows = slice(start, start + step)
        ahead, squares = means[rows, None] - means, left[rows] @ right.T
        i, j = np.nonzero(squares <= cancels)
        squares[i, j] = exact = np.square(off[start + i] - off[j]).sum(axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            statistic = np.square(ahead) / squares
        # An error of 0 decides by the sign, but not about a gap that is rounding.
        rounding = (exact == 0) & (np.abs(ahead[i, j]) <= _ROUNDING)
        statistic[i, j] = np.where(rounding, 0.0, statistic[i, j])
        rejected = np.zeros(len(ahead), dtype=np.intp)
        while True:
            beyond = statistic > critical[rejected, None]
            again = np.count_nonzero(beyond, axis=1)
            if (again == rejected).all():
                break
            rejected = again
        better = np.count_nonzero(beyond & (ahead < 0), axis=1)
        sets += zip((1 + better).tolist(), (n - rejected + better).tolist(), strict=True)
    return sets


def frontier(quality: FloatArray, cost: FloatArray) -> NDArray[np.bool_]:
    """Say which options no other dominates.

    One option dominates another when it is at least as good and costs at most as much, and is
    strictly better in one of the two. Options that are equal in both are all kept. An option
    whose quality or cost is ``nan``, unknown, is never on the frontier and dominates nobody.

    Examples
    --------
    The third costs more than the second and is worse; the quality of the fourth is unknown.

    >>> quality, cost = np.array([0.9, 0.8, 0.7, np.nan]), np.array([10.0, 4.0, 6.0, 1.0])
    >>> frontier(quality, cost).tolist()
    [True, True, False, False]
    """
    return np.asarray(~np.isnan(quality + cost) & ~_dominate(quality, cost).any(axis=1))


def _dominate(quality: FloatArray, cost: FloatArray) -> NDArray[np.bool_]:
    """Say of each option, the rows, which others dominate it; unknown ones take no part."""
    if quality.shape != cost.shape:
        raise BadRequestError(
            f"Quality and cost must be of the same options; there are {len(quality)} and "
            f"{len(cost)}."
        )
    q, c = quality[:, None], cost[:, None]
    found: NDArray[np.bool_] = (quality >= q) & (cost <= c) & ((quality > q) | (cost < c))
    return found


def safety_of(
    shares: Mapping[str, float],
    errors: Mapping[str, float | None],
    *,
    n: int,
    physicians: float | None,
) -> dict[str, Safety]:
    """Rank systems by their share of n cases with severe harm, and mark the worst.

    ``shares`` (0 to 1) and ``errors`` (severe errors per 100 cases, if counted) are by system;
    physicians are not among them.
    """
    n_systems = len(shares)
    found = {}
    for name, share in shares.items():
        rank = 1 + sum(other < share for other in shares.values())
        found[name] = Safety(
            share=share,
            n=n,
            severe_errors_per_100=errors.get(name),
            rank=rank,
            n_systems=n_systems,
            marked=(
                rank > _WORST_QUARTER * n_systems and physicians is not None and share > physicians
            ),
            physicians=physicians,
            tested_as=name,
            kind="same version",
        )
    return found


def win_rates(matrix: ScoreMatrix, *, category: str | None = None) -> WinRates:
    """Win rate of each model against the others of the matrix.

    Per benchmark: rivals strictly worse plus half the ties, over the rivals that have a score;
    then the mean over the model's own benchmarks. It depends on who is compared.

    Parameters
    ----------
    matrix : ScoreMatrix
        A missing score is neither a win nor a loss. Benchmarks with fewer than two scores are
        skipped; models without any other are left out and listed in ``excluded``.
    category : str, optional
        A category or subcategory of the benchmarks to restrict them to.

    Returns
    -------
    WinRates
        Rows by win rate, ties by model id. ``ci_low`` and ``ci_high``: 95 % interval on other
        tests like these, by Student's t over the benchmarks, cut at 0 and 1, ``None`` for fewer
        than five.
        ``rank_band``: the rule of ``ranks.rank_sets``, on the shares won on the benchmarks
        that two models share.
        ``win_sd``: population SD over rivals of the share of shared benchmarks strictly won,
        ``None`` without such a rival. ``macro_avg`` and ``sd``: mean and sample SD of the
        normalised scores over the same benchmarks, ``sd`` ``None`` for one. ``categories`` covers
        all of the matrix, whatever ``category``.

    Examples
    --------
    On the first benchmark x beats both rivals, y one, z none. On the second z beats both, and the
    tie of x and y is half a win over one of two rivals.

    >>> from core.domain import Benchmark, ScoreMatrix
    >>> benchmarks = tuple(
    ...     Benchmark(
    ...         id=name, suite="s", name=name, category="", subcategory="", category_reason="",
    ...         domain="general", metric="accuracy", scale_min=0, scale_max=1,
    ...         lower_is_better=False, n_items=None, is_accuracy=False, access="", source="",
    ...     )
    ...     for name in ("first", "second")
    ... )
    >>> scores = np.array([[0.9, 0.5], [0.7, 0.5], [0.1, 0.8]])
    >>> matrix = ScoreMatrix(
    ...     "s", "all", ("x", "y", "z"), benchmarks, scores, scores * np.nan, ("run",) * 3, (), None
    ... )
    >>> [(row.model, row.win_rate) for row in win_rates(matrix).rows]
    [('x', 0.625), ('z', 0.5), ('y', 0.375)]
    """
    import pandas as pd  # noqa: PLC0415 - a third of a second to import

    compared = of_category(matrix, category)
    scores, shares = oriented(compared), normalised(compared)[0]
    n_scores = (~np.isnan(scores)).sum(axis=0)
    skipped = tuple(
        benchmark.id for benchmark, n in zip(compared.benchmarks, n_scores, strict=True) if n < 2
    )
    scores, shares = scores[:, n_scores >= 2], shares[:, n_scores >= 2]
    rows = np.flatnonzero((~np.isnan(scores)).any(axis=1))
    if len(rows) < 2:
        raise TooFewError(
            f"A win rate takes at least 2 models with a benchmark in common; there are {len(rows)}."
        )
    models = [compared.models[i] for i in rows]
    scores, shares = scores[rows], shares[rows]
    # The share of rivals beaten on each benchmark, each of which has two scores or more.
    # A rank less 1 is the rivals beaten and half those tied with, since ties share a mean rank.
    won: FloatArray = (average_ranks(scores) - 1) / (n_scores[n_scores >= 2] - 1.0)
    equal = np.ones(scores.shape[1])
    rates = weighted_means(won, equal)
    mean = rates.mean.tolist()
    # Rounded, so that equal rates summed in another order still tie.
    order = sorted(range(len(models)), key=lambda i: (-round(mean[i], 12), models[i]))
    bands = rank_sets(won, equal)
    # A share: what an interval by t would put beyond none or all of them is cut off.
    low, high = (np.clip(end, 0.0, 1.0) for end in rates.ends)
    own = pd.DataFrame(shares)
    means, sds = own.mean(axis=1).to_numpy(), own.std(axis=1).to_numpy()
    columns = zip(
        *(
            map(plain_number, column[order].tolist())
            for column in (low, high, _win_sd(scores), means, sds)
        ),
        strict=True,
    )
    out = sorted(set(range(len(compared.models))) - set(rows.tolist()))
    return WinRates(
        suite=compared.suite,
        cohort=compared.cohort,
        category=category,
        rows=tuple(
            WinRateRow(models[i], mean[i], low, high, band, win_sd, macro, sd, n)
            for i, band, (low, high, win_sd, macro, sd), n in zip(
                order,
                [bands[i] for i in order],
                columns,
                rates.n_benchmarks[order].tolist(),
                strict=True,
            )
        ),
        categories=_category_scores(matrix, [models[i] for i in order], rows[order]),
        skipped=skipped,
        excluded=compared.excluded
        + tuple(
            Exclusion(compared.models[i], "no score on a benchmark that a rival has too")
            for i in out
        ),
        snapshot=compared.snapshot,
    )


def of_category(matrix: ScoreMatrix, category: str | None) -> ScoreMatrix:
    """Keep the benchmarks of a category or subcategory; ``None`` keeps all."""
    if category is None:
        return matrix
    ids = [
        benchmark.id
        for benchmark in matrix.benchmarks
        if category in (benchmark.category, benchmark.subcategory)
    ]
    if not ids or not category:
        known = dict.fromkeys(benchmark.category for benchmark in matrix.benchmarks)
        raise BadRequestError(
            f"There is no category {category} in suite {matrix.suite}; it has {', '.join(known)}."
        )
    return select(matrix, benchmarks=ids)


def _win_sd(scores: FloatArray) -> FloatArray:
    """SD over rivals of the share of shared columns strictly won, a few rows at a time."""
    n, n_columns = scores.shape
    present = (~np.isnan(scores)).astype(float)
    columns = np.ascontiguousarray(scores.T)
    result = np.empty(n)
    step = max(1, _IN_CACHE // n)
    for start in range(0, n, step):
        still_wanted()
        rows = slice(start, start + step)
        shared = present[rows] @ present.T
        shared[:, rows].flat[:: len(shared) + 1] = 0.0  # no rival of itself
        # The smallest integers that can count the columns: more of them fit in the cache.
        wins = np.zeros(shared.shape, dtype=np.min_scalar_type(n_columns))
        for column in columns:
            # A missing score neither beats nor is beaten.
            wins += column[rows, None] > column
        rival = shared > 0
        share = np.divide(wins, shared, out=np.zeros(shared.shape), where=rival)
        with np.errstate(invalid="ignore"):
            n_rivals = np.count_nonzero(rival, axis=1)
            share -= (share.sum(axis=1) / n_rivals)[:, None]
            result[rows] = np.sqrt(np.einsum("ij,ij,ij->i", share, share, rival) / n_rivals)
    return result


def _category_scores(
    matrix: ScoreMatrix, models: list[str], rows: np.ndarray
) -> tuple[tuple[str, tuple[tuple[str, float | None], ...]], ...]:
    shares = normalised(matrix)[0][rows]
    result = []
    for category in dict.fromkeys(benchmark.category for benchmark in matrix.benchmarks):
        inside = np.array([benchmark.category == category for benchmark in matrix.benchmarks])
        means = weighted_means(shares, inside.astype(float)).mean
        result.append((category, tuple(zip(models, map(plain_number, means), strict=True))))
    return tuple(result)
