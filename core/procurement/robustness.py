"""Robust ranks: would another reasonable weighting, or one benchmark less, change the order?

Most of this varies what the buyer decides, and one share also what was measured; whether two scores
can be told apart at all is for the rank bands to say (``core.statistics.ranks``).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from core.domain import BadRequestError
from core.domain.patience import still_wanted
from core.procurement.requirements import benchmark_weights, by_category

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from core.domain import Exclusion, FloatArray, ScoreMatrix
    from core.procurement.requirements import ByCategory, Weights

    IntArray = NDArray[np.intp]
    _Drawn = tuple[float | None, float | None, int | None, int | None, int | None]

CONCENTRATION = 20.0
"""How sure the weights are: as if 20 requests had been looked at and counted by category."""
_LEVELS = (0.05, 0.5, 0.95)
_ROUNDING = 1e-12
"""Scores closer than this are equal: they were summed in another order."""
_CELLS = 200_000


@dataclass(frozen=True, slots=True)
class RankSpread:
    """Where one model ranks, at the weights as they are and at others like them."""

    model: str
    rank: int
    """At the weights as they are."""
    first_share: float | None
    """Share of the weightings in which it is first; ``None`` where there are none to vary."""
    top_three_share: float | None
    median_rank: int | None
    rank_low: int | None
    rank_high: int | None
    """The ranks that 5 % and 95 % of the weightings do not exceed."""
    first_share_resampled: float | None
    """Share of the draws in which it is first where the benchmarks of each category are drawn
    anew as well; ``None`` where there is nothing to draw."""


@dataclass(frozen=True, slots=True)
class Flip:
    """How far one category's weight must go for another model to be first."""

    category: str
    weight: float
    """As it is, 0 to 1."""
    flips_at: float | None
    """The nearest weight from which on another model is first; ``None`` where no weight from 0
    to 1 does it."""
    model: str | None
    """The model that is then first."""


@dataclass(frozen=True, slots=True)
class Without:
    """The order without one benchmark."""

    benchmark: str
    first: str
    n_changed: int
    """How many of the first three ranks another model holds."""


@dataclass(frozen=True, slots=True)
class RankRobustness:
    """How much the order of models depends on the weights and on single benchmarks."""

    models: tuple[RankSpread, ...]
    """By rank."""
    flips: tuple[Flip, ...]
    """One per category, in the order of the weights; empty for a single category."""
    without: tuple[Without, ...]
    """One per benchmark that counts, in the matrix's order; empty where there is only one."""
    weights_vary: bool
    """False for a single category: there is then no weight to vary."""
    n_draws: int
    """Draws, of weightings where they vary."""
    excluded: tuple[Exclusion, ...]
    """Models that lack a benchmark and so take no part."""


def rank_robustness(
    matrix: ScoreMatrix,
    weights: Weights,
    models: Sequence[str],
    *,
    n_draws: int = 2000,
    concentration: float = CONCENTRATION,
    seed: int = 0,
    vote_groups: Sequence[Sequence[str]] = (),
) -> RankRobustness:
    """Recompute the ranks of a shortlist under other weights and without single benchmarks.

    Weightings are drawn from a Dirichlet distribution whose mean is the weights as they are and
    whose parameters are ``concentration`` times them, as in stochastic multicriteria acceptability
    analysis (Lahdelma and Salminen 2001, doi 10.1287/opre.49.3.444.11220). A weight w then has the
    standard deviation √(w (1 − w) / (concentration + 1)). With 20, nine of ten draws of a weight
    of 50 % lie between 32 % and 68 %, and of 20 % between 8 % and 36 %: it is the doubt that
    remains where a hospital has sorted 20 requests into categories. The draws depend on the seed;
    the flips and what single benchmarks do are exact.

    A second share takes the same weightings and, in each, draws as many of a category's
    benchmarks anew, with replacement, each with its weight: what the order would be if the suite
    had other benchmarks of these kinds. A category with one benchmark keeps it. Where a
    subcategory is weighted beside its category, each draws for itself.

    For a flip, one category's weight goes from 0 to 1 while the others keep their proportions.
    Scores are then straight lines over that weight, and the nearest crossing with the line of the
    first model is solved for.

    Without a benchmark, its category spreads its weight over those that remain, and falls away
    with its last one. The models compared stay the same. Ties of score are ranked by model id, as
    on the shortlist.

    Weights, models, vote groups and errors are as for `by_category`.
    """
    if n_draws < 1 or not 0 < concentration < math.inf:
        raise BadRequestError("Draws and concentration must be above 0.")
    table = by_category(matrix, weights, models, vote_groups)
    names, scores, share = table.matrix.models, table.scores, table.share
    order = _orders((scores @ share)[None])[0]
    weights_vary = len(share) > 1
    drawn: list[_Drawn] = [(None, None, None, None, None)] * len(names)
    flips: list[Flip] = []
    rng = np.random.default_rng(seed)
    weightings = np.ones((n_draws, 1))
    if weights_vary:
        weightings = rng.dirichlet(concentration * share, size=n_draws)
        drawn = _drawn(scores, weightings)
        flips = [
            _flip(name, weight, scores[:, c], scores @ _others(share, c), names)
            for c, (name, weight) in enumerate(table.categories)
        ]
    resampled: list[float] | list[None] = [None] * len(names)
    if len(table.matrix.benchmarks) > 1:
        resampled = _first_of(table.values, _benchmarks_drawn(table.spreads, weightings, rng))
    positions: list[int] = order.tolist()
    return RankRobustness(
        models=tuple(
            RankSpread(names[i], rank, *drawn[i], resampled[i])
            for rank, i in enumerate(positions, start=1)
        ),
        flips=tuple(flips),
        without=tuple(_without(table, vote_groups, order)),
        weights_vary=weights_vary,
        n_draws=n_draws,
        excluded=table.matrix.excluded,
    )


def _orders(scores: FloatArray) -> IntArray:
    """Positions of the models from the best on, one row per row of scores; ties by position."""
    n = scores.shape[1]
    # Whole numbers that hold score and position sort much faster than positions by score.
    keys = np.rint(scores / -_ROUNDING).astype(np.int64) * n + np.arange(n)
    keys.sort(axis=1)
    order: IntArray = (keys % n).astype(np.intp)
    return order


def _drawn(scores: FloatArray, weightings: FloatArray) -> list[_Drawn]:
    """Per model: share first, share in the first three, median rank, 5 % and 95 % rank."""
    n, n_draws = len(scores), len(weightings)
    ranks = np.empty((n, n_draws), dtype=np.uint16 if n < 2**16 else np.uint32)
    step = max(1, _CELLS // n)
    place = np.arange(1, n + 1, dtype=ranks.dtype)
    for start in range(0, n_draws, step):
        still_wanted()
        orders = _orders(weightings[start : start + step] @ scores.T)
        block = np.empty(orders.shape, dtype=ranks.dtype)
        np.put_along_axis(block, orders, place[None], axis=1)
        ranks[:, start : start + step] = block.T
    first, top_three = (ranks == 1).mean(axis=1), (ranks <= 3).mean(axis=1)
    ranks.sort(axis=1, kind="stable")  # for such small numbers a radix sort, the fastest
    low, median, high = (
        ranks[:, math.ceil(round(level * n_draws, 6)) - 1].tolist() for level in _LEVELS
    )
    return list(zip(first.tolist(), top_three.tolist(), median, low, high, strict=True))


def _benchmarks_drawn(
    spreads: FloatArray, weightings: FloatArray, rng: np.random.Generator
) -> FloatArray:
    """Weights of the benchmarks, shape (n_draws, n_benchmarks), each category's drawn anew."""
    found = np.zeros((len(weightings), spreads.shape[1]))
    for spread, weight in zip(spreads, weightings.T, strict=True):
        members = np.flatnonzero(spread)
        k = len(members)
        drawn = rng.multinomial(k, np.full(k, 1 / k), size=len(weight)) * spread[members]
        found[:, members] += drawn * (weight / drawn.sum(axis=1))[:, None]
    return found


def _first_of(values: FloatArray, weights: FloatArray) -> list[float]:
    """Per model, the share of the weights of benchmarks with which it is first; ties by position.

    ``values`` has shape (n_models, n_benchmarks), ``weights`` (n_draws, n_benchmarks).
    """
    n = len(values)
    times = np.zeros(n, dtype=np.intp)
    for start in range(0, len(weights), step := max(1, _CELLS // n)):
        scores = weights[start : start + step] @ values.T
        best = scores.max(axis=1, keepdims=True) - _ROUNDING
        times += np.bincount((scores >= best).argmax(axis=1), minlength=n)
    shares: list[float] = (times / len(weights)).tolist()
    return shares


def _others(share: FloatArray, category: int) -> FloatArray:
    """Weights of the other categories, in their proportions and summing to 1."""
    others = share.copy()
    others[category] = 0.0
    others /= others.sum()
    return others


def _flip(
    category: str, weight: float, own: FloatArray, others: FloatArray, names: Sequence[str]
) -> Flip:
    """Find the nearest weight of a category at which another model is first.

    ``own`` holds the models' scores at the weight 1, ``others`` those at 0.
    """
    (first,) = _orders((weight * own + (1 - weight) * others)[None])[0][:1]
    at_0, at_1 = others - others[first], own - own[first]
    slope = at_1 - at_0
    now = weight * at_1 + (1 - weight) * at_0
    now[np.abs(now) <= _ROUNDING] = 0.0
    nearest: tuple[float, float, int] | None = None
    for sign, end, at_end in ((1, 1.0, at_1), (-1, 0.0, at_0)):
        towards = sign * slope
        rising = np.flatnonzero(towards > _ROUNDING)
        if not len(rising):
            continue
        way = -now[rising] / towards[rising]
        # A model that only draws level at the very end is first there where its id is.
        behind = at_end[rising] < -_ROUNDING
        level = (np.abs(at_end[rising]) <= _ROUNDING) & (rising > first)
        reach = ~behind & ~level
        if not reach.any():
            continue
        rising, way = rising[reach], way[reach]
        distance = float(way.min())
        together = rising[way <= distance + _ROUNDING]
        at = min(1.0, max(0.0, weight + sign * distance))
        # Of models that draw level together, the steepest is first just beyond.
        steepest = -towards[together] if at != end else np.zeros(len(together))
        chosen = int(together[np.lexsort((together, np.round(steepest, 12)))[0]])
        if nearest is None or distance < nearest[0] - _ROUNDING:
            nearest = distance, at, chosen
    if nearest is None:
        return Flip(category, weight, None, None)
    return Flip(category, weight, nearest[1], names[nearest[2]])


def _without(
    table: ByCategory, vote_groups: Sequence[Sequence[str]], order: IntArray
) -> Iterator[Without]:
    benchmarks, names = table.matrix.benchmarks, table.matrix.models
    if len(benchmarks) < 2:
        return
    spreads = np.zeros((len(benchmarks), len(benchmarks)))
    for j in range(len(benchmarks)):
        rest = [benchmark for i, benchmark in enumerate(benchmarks) if i != j]
        spread = benchmark_weights(table.categories, rest, vote_groups)
        spreads[j] = [spread.get(benchmark.id, 0.0) for benchmark in benchmarks]
    for benchmark, found in zip(benchmarks, _orders(spreads @ table.values.T), strict=True):
        yield Without(benchmark.id, names[found[0]], int((found[:3] != order[:3]).sum()))
