"""Draws of benchmarks with replacement, and the quantiles of what they give."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from core.domain import FloatArray

_LEVELS = (0.025, 0.975)


@lru_cache(maxsize=32)
def draws_of(
    n_benchmarks: int, n_resamples: int, seed: int
) -> tuple[FloatArray, NDArray[np.intp] | None]:
    """Return how often each benchmark is drawn, one row a draw, and how often each row occurs.

    Few benchmarks can be drawn in few ways only, so each way is then kept once with its number;
    else all draws are kept, and the numbers are ``None``.
    """
    rng = np.random.default_rng(seed)
    share = np.full(n_benchmarks, 1 / n_benchmarks)
    draws = rng.multinomial(n_benchmarks, share, size=n_resamples)
    ways, times = np.unique(draws, axis=0, return_counts=True)
    few = len(ways) <= n_resamples // 2
    kept = (ways if few else draws).astype(float)
    kept.setflags(write=False)
    return kept, times.astype(np.intp) if few else None


def quantiles(
    resampled: FloatArray, times: NDArray[np.intp] | None
) -> tuple[FloatArray, FloatArray]:
    """Return both ends of each row's 95 % interval.

    Every column counts so many times; ``None`` counts each once.
    """
    if times is None:
        low, high = np.quantile(resampled, _LEVELS, axis=1, overwrite_input=True)
        return low, high
    order = resampled.argsort(axis=1)
    upto = times[order].cumsum(axis=1)
    last = int(times.sum()) - 1

    def at(level: float) -> FloatArray:
        place = level * last
        below = math.floor(place)
        a, b = (
            np.take_along_axis(
                resampled,
                np.take_along_axis(order, (upto <= k).sum(axis=1, keepdims=True), axis=1),
                axis=1,
            )[:, 0]
            for k in (below, min(below + 1, last))
        )
        between: FloatArray = b - (b - a) * (1 - (place - below))
        return between

    return at(_LEVELS[0]), at(_LEVELS[1])
