"""Who beats whom: the share of benchmarks on which one model scores better than another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from core.domain.patience import still_wanted
from core.statistics.ranks import average_ranks
from core.statistics.score_matrix import oriented

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from core.domain import FloatArray, ScoreMatrix

_CELLS = 1_000_000
"""Pairs of models that are compared at once."""


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

    Parameters
    ----------
    matrix : ScoreMatrix
        Missing scores are left out pair by pair. Scores that are equal as printed are a draw.

    Returns
    -------
    HeadToHead
        In the matrix's order of models. For n models both arrays take 12 n² bytes, and the
        work 4 n² more, a few million cells at a time: choose models first where there are
        thousands.
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

    Parameters
    ----------
    scores : array of shape (n, b)
        Higher is better; ``nan`` is missing.

    Yields
    ------
    slice, array, array
        Rows; strict wins of each of them over every row, shape (rows, n); columns that both
        have, of the same shape.
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
