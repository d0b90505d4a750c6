"""HELM's win rate within a compared set of models (arXiv:2211.09110, arXiv:2505.23802)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from core.domain import BadRequestError, Exclusion, TooFewError, WinRateRow, WinRates
from core.statistics.difference import rank_sets, weighted_means
from core.statistics.head_to_head import blocks_of_wins
from core.statistics.ranks import average_ranks
from core.statistics.score_matrix import normalised, oriented, select_benchmarks

if TYPE_CHECKING:
    from core.domain import FloatArray, ScoreMatrix


def win_rates(
    matrix: ScoreMatrix,
    *,
    category: str | None = None,
) -> WinRates:
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
        ``rank_band``: the rule of ``difference.rank_sets``, on the shares won on the benchmarks
        that two models share.
        ``win_sd``: population SD over rivals of the share of shared benchmarks strictly won,
        ``None`` without such a rival. ``macro_avg`` and ``sd``: mean and sample SD of the
        normalised scores over the same benchmarks, ``sd`` ``None`` for one. ``categories`` covers
        all of the matrix, whatever ``category``.

    Raises
    ------
    BadRequestError
        An unknown category.
    TooFewError
        Fewer than two models to compare.
    """
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
    won = _won(scores)

    equal = np.ones(scores.shape[1])
    rates = weighted_means(won, equal)
    mean = rates.mean.tolist()
    # Rounded, so that equal rates summed in another order still tie.
    order = sorted(range(len(models)), key=lambda i: (-round(mean[i], 12), models[i]))
    bands = rank_sets(won, equal)
    # A share: what an interval by t would put beyond none or all of them is cut off.
    low, high = (np.clip(end, 0.0, 1.0) for end in rates.ends())
    columns = zip(
        *(
            [None if np.isnan(value) else value for value in column[order].tolist()]
            for column in (low, high, _win_sd(scores), *_mean_and_sd(shares))
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


def mean_win_rates(matrix: ScoreMatrix) -> FloatArray:
    """Win rate of each model as `win_rates` has it, without all that it adds.

    Returns
    -------
    array of shape (n_models,)
        ``nan`` for a model without a score on a benchmark that a rival has too.
    """
    won = _won(oriented(matrix))
    present = ~np.isnan(won)
    n = present.sum(axis=1).astype(float)
    n[n == 0] = np.nan
    mean: FloatArray = np.where(present, won, 0.0).sum(axis=1) / n
    return mean


def of_category(matrix: ScoreMatrix, category: str | None) -> ScoreMatrix:
    """Keep the benchmarks of a category or subcategory; ``None`` keeps all.

    Raises
    ------
    BadRequestError
        An unknown category.
    """
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
    return select_benchmarks(matrix, ids)


def _won(scores: FloatArray) -> FloatArray:
    """Share of rivals beaten on each benchmark; ``nan`` without a score, or without a rival."""
    n_rivals = (~np.isnan(scores)).sum(axis=0) - 1.0
    n_rivals[n_rivals < 1] = np.nan
    won: FloatArray = (average_ranks(scores) - 1) / n_rivals
    return won


def _win_sd(scores: FloatArray) -> FloatArray:
    result = np.empty(len(scores))
    n, b = scores.shape
    complete = not np.isnan(scores).any()
    for rows, wins, shared in blocks_of_wins(scores):
        if complete:  # whole numbers all the way
            total = wins.sum(axis=1, dtype=np.int64)
            squares = np.square(wins, dtype=np.uint32).sum(axis=1, dtype=np.int64)
            result[rows] = np.sqrt((n - 1) * squares - np.square(total)) / ((n - 1) * b)
            continue
        shared[np.arange(len(wins)), np.arange(rows.start, rows.stop)] = 0
        rivals = shared > 0
        n_rivals = rivals.sum(axis=1).astype(float)
        n_rivals[n_rivals == 0] = np.nan
        share = wins / np.where(rivals, shared, 1.0)
        share[~rivals] = 0
        deviation = (share - (share.sum(axis=1) / n_rivals)[:, None]) * rivals
        result[rows] = np.sqrt(np.square(deviation).sum(axis=1) / n_rivals)
    return result


def _mean_and_sd(shares: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Mean and sample SD of each row; no SD of a single value."""
    present = ~np.isnan(shares)
    n = present.sum(axis=1).astype(float)
    mean = np.where(present, shares, 0.0).sum(axis=1) / n
    deviation = np.where(present, shares - mean[:, None], 0.0)
    n[n < 2] = np.nan
    sd: FloatArray = np.sqrt(np.square(deviation).sum(axis=1) / (n - 1))
    return mean, sd


def _category_scores(
    matrix: ScoreMatrix, models: list[str], rows: np.ndarray
) -> tuple[tuple[str, tuple[tuple[str, float | None], ...]], ...]:
    shares = normalised(matrix)[0][rows]
    result = []
    for category in dict.fromkeys(benchmark.category for benchmark in matrix.benchmarks):
        inside = np.array([benchmark.category == category for benchmark in matrix.benchmarks])
        means = weighted_means(shares, inside.astype(float)).mean
        result.append((category, tuple(zip(models, map(_known, means), strict=True))))
    return tuple(result)


def _known(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
