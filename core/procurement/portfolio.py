"""The best model of each task category, beside the one model that is best over all of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from core.domain import TooFewError
from core.procurement.bill import SplitLine, split_bill

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from core.domain import Bill
    from core.procurement.requirements import ByCategory

_DIGITS = 12
"""Scores that agree to so many digits are equal: they were summed in another order."""


@dataclass(frozen=True, slots=True)
class CategoryBest:
    """One weighted category and the model that scores best in it."""

    category: str
    weight: float
    """The weights of all categories sum to 1."""
    n_benchmarks: int
    model: str
    score: float
    """0 to 1, as ``single_score``."""
    single_score: float
    """Of the one model for all, in this category."""


@dataclass(frozen=True, slots=True)
class BestByCategory:
    """A model for each category, against one model for all."""

    single: str
    """The best over all categories, by id."""
    categories: tuple[CategoryBest, ...]
    lines: tuple[SplitLine, ...]
    """The bill with the best of each category; requests of no category are at the one model."""
    single_lines: tuple[SplitLine, ...]
    """The bill of the one model, line by line as ``lines``."""

    @property
    def gain(self) -> float:
        """Return the weighted mean of the best scores minus that of the one model; 0 or more."""
        return sum(one.weight * (one.score - one.single_score) for one in self.categories)


def best_by_category(
    table: ByCategory,
    bills: Mapping[str, Bill | None],
    *,
    kinds: Mapping[str, Sequence[str]] | None = None,
) -> BestByCategory:
    """Find the best model of each category and the best over all; of equals the first id.

    The gain is of the tests that chose the models, so it flatters: what made a model the best of
    several is in part chance. ``bills`` and ``kinds`` are those of `core.procurement.bill`'s
    `split_bill`. `TooFewError` where there are fewer than two categories.
    """
    if len(table.categories) < 2:
        raise TooFewError("Different models take at least 2 task categories; there is 1.")
    names = table.matrix.models
    # Positions are in the order of ids, and argmax takes the first: ties go by id.
    single = int(np.round(table.scores @ table.share, _DIGITS).argmax())
    best = np.round(table.scores, _DIGITS).argmax(axis=0).tolist()
    found = tuple(
        CategoryBest(
            category=category,
            weight=weight,
            n_benchmarks=int((spread > 0).sum()),
            model=names[i],
            score=float(column[i]),
            single_score=float(column[single]),
        )
        for (category, weight), spread, column, i in zip(
            table.categories, table.spreads, table.scores.T, best, strict=True
        )
    )
    lines, alone = (
        split_bill(assigned, bills, stand_in=names[single], kinds=kinds)
        for assigned in (
            [(one.category, one.model) for one in found],
            [(one.category, names[single]) for one in found],
        )
    )
    return BestByCategory(names[single], found, lines, alone)
