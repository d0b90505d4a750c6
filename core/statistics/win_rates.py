"""Who beats whom: HELM's win rate, and pair by pair."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from core.domain import BadRequestError, Exclusion, TooFewError, WinRateRow, WinRates
from core.domain.patience import still_wanted
from core.statistics.difference import weighted_means
from core.statistics.ranks import average_ranks, rank_sets
from core.statistics.score_matrix import (
    known,
    mean_known,
    normalised,
    oriented,
    select_benchmarks,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from core.domain import FloatArray, ScoreMatrix

_CELLS = 1_000_000
"""Pairs of models that are compared at once."""


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
            map(known, column[order].tolist())
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
    """Win rate of each model as ``win_rates`` has it, shape (n_models,).

    ``nan`` for a model without a score on a benchmark that a rival has too.
    """
    return mean_known(_won(oriented(matrix)))


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
    mean = mean_known(shares)
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
        result.append((category, tuple(zip(models, map(known, means), strict=True))))
    return tuple(result)


@dataclass(frozen=True, slots=True, eq=False)
class HeadToHead:
    """Every model against every other, on the benchmarks that both have."""

    models: tuple[str, ...]
    shares: FloatArray
    """Shape (n, n): share of the shared benchmarks on which the row beats the column, a draw
    counting half. ``nan`` without a shared benchmark, and on the diagonal."""
    shared: NDArray[np.int32]
    """Shape (n, n): number of benchmarks that row and column share; on the diagonal the model's
    own."""


def head_to_head(matrix: ScoreMatrix) -> HeadToHead:
    """Count the wins of each model over each other.

    The share of benchmarks won against one rival, as HELM counts a win, but pair by pair. Two
    cells that face each other over the diagonal add up to 1.

    Missing scores are left out pair by pair; scores that are equal as printed are a draw. For n
    models, in the matrix's order, both arrays take 12 n² bytes, and the work 4 n² more, a few
    million cells at a time: choose models first where there are thousands.
    """
    scores = oriented(matrix)
    n = len(scores)
    wins, shared = np.empty((2, n, n), dtype=np.int32)
    for rows, won, met in blocks_of_wins(scores):
        wins[rows], shared[rows] = won, met
    shares = np.empty((n, n))
    for start in range(0, n, _step(n)):
        still_wanted()
        rows = slice(start, start + _step(n))
        # What neither side won is a draw, so half a draw each is half of what is left.
        n_shared = np.where(shared[rows] > 0, shared[rows], np.nan)
        shares[rows] = ((wins[rows] - wins[:, rows].T) / n_shared + 1) / 2
    np.fill_diagonal(shares, np.nan)
    shares.setflags(write=False)
    shared.setflags(write=False)
    return HeadToHead(matrix.models, shares, shared)


def blocks_of_wins(
    scores: FloatArray,
) -> Iterator[tuple[slice, NDArray[np.uint16], FloatArray]]:
    """Count for each pair of rows the columns that the first wins, a few rows at a time.

    In ``scores``, shape (n, b), higher is better and ``nan`` is missing. Yields the rows, strict
    wins of each of them over every row, shape (rows, n), and the columns that both have, of the
    same shape.
    """
    n = len(scores)
    missing = np.isnan(scores).T
    # Whole numbers compare faster than scores. A missing one neither beats nor is beaten.
    places = (2 * average_ranks(scores)).T
    mine = np.where(missing, -1, places).astype(np.int32)
    theirs = np.where(missing, 2 * n + 1, places).astype(np.int32)
    present = (~missing.T).astype(float)
    for start in range(0, n, _step(n)):
        still_wanted()
        rows = slice(start, min(start + _step(n), n))
        wins = np.zeros((rows.stop - start, n), dtype=np.uint16)
        for own, other in zip(mine, theirs, strict=True):
            wins += own[rows, None] > other[None, :]
        yield rows, wins, present[rows] @ present.T


def _step(n: int) -> int:
    return max(1, _CELLS // max(n, 1))
