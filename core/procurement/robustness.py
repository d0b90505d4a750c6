"""Robust ranks: would another weighting, or other tests, change much?

Whether two scores can be told apart is for the rank bands to say (``core.statistics.ranks``).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from core.domain import BadRequestError, Dossier, ScoreMatrix, TooFewError
from core.memory import still_wanted
from core.procurement.recommendation import choose
from core.procurement.shortlist import Weights, benchmark_weights
from core.statistics.difference import LEAST_TESTS
from core.statistics.score_matrix import complete, normalised, select

if TYPE_CHECKING:
    from core.domain import FloatArray

IntArray = NDArray[np.intp]

CONCENTRATION = 20.0
"""How sure the weights are: as if 20 requests had been looked at and counted by category."""
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


@dataclass(frozen=True, slots=True)
class Flip:
    """The least change of one category's weight that puts another model first."""

    category: str
    weight: float
    """As it is, of all that sum to 1."""
    at: float
    """Where the two are equal, the other categories keeping their proportions."""
    model: str
    """First beyond it."""


@dataclass(frozen=True, slots=True)
class RankRobustness:
    """How much the order of models depends on the weights of the categories."""

    models: tuple[RankSpread, ...]
    """By rank."""
    weights_vary: bool
    """False for a single category: there is then no weight to vary."""
    n_draws: int
    """Draws, of weightings where they vary."""
    flip: Flip | None = None
    """``None`` where no weight of a single category puts another model first."""


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
    """Recompute the ranks of a shortlist under other weights of its categories.

    Weightings are drawn from a Dirichlet distribution whose mean is the weights as they are and
    whose parameters are ``concentration`` times them, as in stochastic multicriteria acceptability
    analysis (Lahdelma and Salminen 2001, doi 10.1287/opre.49.3.444.11220). A weight w then has the
    standard deviation √(w (1 − w) / (concentration + 1)). With 20, nine of ten draws of a weight
    of 50 % lie between 32 % and 68 %, and of 20 % between 8 % and 36 %: it is the doubt that
    remains where a hospital has sorted 20 requests into categories. The draws depend on the seed.
    Ties of score are ranked by model id, as on the shortlist.

    Parameters
    ----------
    weights : sequence of (category, weight)
        Above 0; scaled to sum to 1. Categories without a benchmark in the matrix are skipped.
    vote_groups
        Groups of benchmarks that share one vote within a category.

    Raises
    ------
    TooFewError
        Fewer than two models with every benchmark that counts, or no such benchmark.
    """
    if n_draws < 1 or not 0 < concentration < math.inf:
        raise BadRequestError("Draws and concentration must be above 0.")
    names, categories, scores, share = _by_category(matrix, weights, models, vote_groups)
    order = _orders((scores @ share)[None])[0]
    weights_vary = len(share) > 1
    drawn: list[list[float | None]] = [[None, None]] * len(names)
    if weights_vary:
        rng = np.random.default_rng(seed)
        drawn = _drawn(scores, rng.dirichlet(concentration * share, size=n_draws))
    positions: list[int] = order.tolist()
    return RankRobustness(
        models=tuple(
            RankSpread(names[i], rank, *drawn[i]) for rank, i in enumerate(positions, start=1)
        ),
        weights_vary=weights_vary,
        n_draws=n_draws,
        flip=_flip(names, categories, scores, share, positions[0]) if weights_vary else None,
    )


def _flip(
    names: Sequence[str],
    categories: Sequence[str],
    scores: FloatArray,
    share: FloatArray,
    first: int,
) -> Flip | None:
    """Return the nearest weight of one category at which the first is no longer first.

    A lead is linear in that weight t: (1 − t) of the lead in the rest, t of that in the category.
    """
    lead = scores[first] - scores  # models × categories, at least 0 in the weighted sum
    of_rest = (lead @ share)[:, None] - lead * share
    of_rest /= 1 - share
    with np.errstate(divide="ignore", invalid="ignore"):
        at = of_rest / (of_rest - lead)
    crosses = (of_rest * lead < 0) & (np.abs(of_rest) > _ROUNDING) & (np.abs(lead) > _ROUNDING)
    away = np.where(crosses, np.abs(at - share), np.inf)
    i, j = map(int, np.unravel_index(np.argmin(away), away.shape))
    if np.isinf(away[i, j]):
        return None
    return Flip(categories[j], float(share[j]), float(at[i, j]), names[i])


def _orders(scores: FloatArray) -> IntArray:
    """Positions of the models from the best on, one row per row of scores; ties by position."""
    n = scores.shape[1]
    # Whole numbers that hold score and position sort much faster than positions by score.
    keys = np.rint(scores / -_ROUNDING).astype(np.int64) * n + np.arange(n)
    keys.sort(axis=1)
    order: IntArray = (keys % n).astype(np.intp)
    return order


def _drawn(scores: FloatArray, weightings: FloatArray) -> list[list[float | None]]:
    """Per model: the shares of weightings in which it is first, and among the first three."""
    n = len(scores)
    step, counts = max(1, _CELLS // n), np.zeros((2, n))
    for start in range(0, len(weightings), step):
        still_wanted()
        orders = _orders(weightings[start : start + step] @ scores.T)
        counts[0] += np.bincount(orders[:, 0], minlength=n)
        counts[1] += np.bincount(orders[:, :3].ravel(), minlength=n)
    shares: list[list[float | None]] = (counts / len(weightings)).T.tolist()
    return shares


N_DRAWS = 100


@dataclass(frozen=True, slots=True)
class Redrawn:
    """What the rule came to over draws of the tests."""

    n_draws: int
    shares: tuple[tuple[str, float], ...]
    """Model id, and the share of draws in which the rule came to it; the most often first."""

    def share(self, model: str) -> float:
        """Return the share of draws in which the rule came to a model."""
        return dict(self.shares).get(model, 0.0)


def with_tests_redrawn(
    candidates: Sequence[Dossier],
    *,
    matrix: ScoreMatrix,
    categories: Mapping[str, Mapping[str, float]],
    shares: Mapping[str, float],
    margin: float,
    seed: int = 0,
) -> Redrawn:
    """Apply the rule to draws of as many tests, with replacement, within each category.

    Parameters
    ----------
    candidates, margin
        As for ``recommendation.choose``.
    matrix
        With every score of the candidates.
    categories
        By the name of each weighted category: the weights of its benchmarks.
    shares
        The weight of each category.

    Returns
    -------
    Redrawn
        A test drawn twice counts as two. A ``TooFewError`` below five tests, and without two in
        any category: draws say nothing then.
    """
    position = {benchmark.id: j for j, benchmark in enumerate(matrix.benchmarks)}
    few = len({test for of in categories.values() for test in of}) < LEAST_TESTS
    if few or max(map(len, categories.values())) < 2:
        raise TooFewError(f"Drawing again takes {LEAST_TESTS:.0f} tests, two of them of a kind.")
    rng = np.random.default_rng(seed)
    rows = [matrix.models.index(each.model.id) for each in candidates]
    values = normalised(matrix)[0][rows]
    counts: Counter[str] = Counter()
    for _ in range(N_DRAWS):
        still_wanted()
        drawn: list[int] = []
        of_category: dict[str, dict[str, float]] = {}
        for name, tests in categories.items():
            picks = rng.choice(list(tests), size=len(tests))
            total = sum(tests[test] for test in picks)
            first = len(drawn)
            drawn += [position[test] for test in picks]
            of_category[name] = {
                str(first + i): tests[test] / total for i, test in enumerate(picks)
            }
        weights = {
            test: shares[name] * weight
            for name, tests in of_category.items()
            for test, weight in tests.items()
        }
        scores = values[:, drawn] @ np.array(list(weights.values()))
        tests_drawn = replace(
            matrix,
            benchmarks=tuple(replace(matrix.benchmarks[j], id=str(i)) for i, j in enumerate(drawn)),
            scores=matrix.scores[:, drawn],
            standard_errors=matrix.standard_errors[:, drawn],
            items=matrix.items and matrix.items.at(drawn),
        )
        found = choose(
            [replace(each, score=float(s)) for each, s in zip(candidates, scores, strict=True)],
            matrix=tests_drawn,
            weights=weights,
            categories=of_category,
            margin=margin,
        )
        counts[found.best or ""] += 1
    ordered = sorted(counts.items(), key=lambda each: (-each[1], each[0]))
    return Redrawn(N_DRAWS, tuple((name, n / N_DRAWS) for name, n in ordered))


def _by_category(
    matrix: ScoreMatrix,
    weights: Weights,
    models: Sequence[str],
    vote_groups: Sequence[Sequence[str]],
) -> tuple[tuple[str, ...], tuple[str, ...], FloatArray, FloatArray]:
    """Return the complete ones of some models by id, the categories, scores by these, and weights.

    A weighted mean is linear in these weights, which sum to 1, so with the scores, 0 to 1, any
    other weighting is one product away.
    """
    if not all(0 < weight < math.inf for _, weight in weights):
        raise BadRequestError("Every weight must be above 0.")
    found = [
        (name, weight, benchmark_weights(((name, 1.0),), matrix.benchmarks, vote_groups))
        for name, weight in weights
    ]
    found = [each for each in found if each[2]]
    counting = {benchmark for *_, spread in found for benchmark in spread}
    counted = select(matrix, benchmarks=[b.id for b in matrix.benchmarks if b.id in counting])
    compared = complete(replace(select(counted, sorted(models)), excluded=()))
    n = len(compared.models) if counting else 0
    if n < 2:
        raise TooFewError(
            "This takes at least 2 models with every benchmark that counts; "
            f"there is {n or 'none'}."
        )
    spreads = np.array(
        [[spread.get(b.id, 0.0) for b in compared.benchmarks] for *_, spread in found]
    )
    total = math.fsum(weight for _, weight, _ in found)
    share = np.array([weight / total for _, weight, _ in found])
    categories = tuple(name for name, *_ in found)
    return compared.models, categories, normalised(compared)[0] @ spreads.T, share
