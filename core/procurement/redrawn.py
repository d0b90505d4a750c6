"""How often the formulary rule would name the same model, were the tests drawn anew."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from core.domain import TooFewError
from core.domain.patience import still_wanted
from core.procurement.recommendation import choose
from core.statistics.difference import LEAST_TESTS
from core.statistics.score_matrix import normalised

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from core.domain import ScoreMatrix
    from core.procurement.recommendation import Candidate

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


def redrawn(
    candidates: Sequence[Candidate],
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
        A test drawn twice counts as two. A ``TooFewError`` below five tests, of which draws say
        nothing.
    """
    position = {benchmark.id: j for j, benchmark in enumerate(matrix.benchmarks)}
    if len({test for of in categories.values() for test in of}) < LEAST_TESTS:
        raise TooFewError(f"Tests can be drawn anew from {LEAST_TESTS:.0f} on.")
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
        found = choose(
            [replace(each, score=float(s)) for each, s in zip(candidates, scores, strict=True)],
            matrix=_columns(matrix, np.array(drawn, dtype=np.intp)),
            weights=weights,
            categories=of_category,
            margin=margin,
        )
        counts[found.best or ""] += 1
    ordered = sorted(counts.items(), key=lambda each: (-each[1], each[0]))
    return Redrawn(N_DRAWS, tuple((name, n / N_DRAWS) for name, n in ordered))


def _columns(matrix: ScoreMatrix, columns: NDArray[np.intp]) -> ScoreMatrix:
    """Return a matrix of some of its tests, one perhaps several times, named by their place."""
    return replace(
        matrix,
        benchmarks=tuple(
            replace(matrix.benchmarks[j], id=str(i)) for i, j in enumerate(columns.tolist())
        ),
        scores=matrix.scores[:, columns],
        standard_errors=matrix.standard_errors[:, columns],
        items=matrix.items and matrix.items.at(columns),
    )
