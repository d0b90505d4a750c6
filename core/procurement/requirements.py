"""From what the buyer asks to weights on benchmarks, and to models by task category."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from core.domain import BadRequestError, TooFewError
from core.statistics.benchmarks import one_vote_per_group
from core.statistics.score_matrix import complete, normalised, select_benchmarks, select_models

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.domain import Benchmark, FloatArray, Requirements, ScoreMatrix, Task

Weights = tuple[tuple[str, float], ...]


def categories(benchmarks: Sequence[Benchmark]) -> tuple[str, ...]:
    """Return the categories that can count in a score, in the order of the catalogue."""
    return tuple(dict.fromkeys(b.category for b in benchmarks if b.scored))


def all_categories(benchmarks: Sequence[Benchmark]) -> tuple[str, ...]:
    """Return categories and, after each, its subcategories; a name occurs once."""
    names: dict[str, None] = {}
    for category in categories(benchmarks):
        names[category] = None
        for benchmark in benchmarks:
            if benchmark.scored and benchmark.category == category:
                names[benchmark.subcategory] = None
    return tuple(names)


def category_weights(
    requirements: Requirements, benchmarks: Sequence[Benchmark], task: Task | None
) -> Weights:
    """Return the weight of each category of a suite, summing to 1.

    Own weights of 0 drop the category; own weights without any category, and the task
    ``balanced``, weigh all categories alike. ``task`` is the preset that the requirements name,
    ``None`` for own weights. Of one language, a preset weighs a category by its tests in it.
    Empty where the suite has no benchmark at all for it: there is then no evidence, which is not
    the same as a score of 0.
    """
    if requirements.weights:
        known = all_categories(benchmarks)
        for name, weight in requirements.weights:
            if name not in known:
                listed = ", ".join(categories(benchmarks))
                raise BadRequestError(
                    f'"{name[:80]}" is no task category of {requirements.suite}; '
                    f"its categories are {listed}."
                )
            if not 0 <= weight < float("inf"):
                raise BadRequestError(f"The weight of {name} must be 0 or more, not {weight}.")
        own = dict(requirements.weights)
        found = tuple((name, own[name]) for name in known if own.get(name, 0) > 0)
        if not found:
            raise BadRequestError("At least one task category needs a weight above 0.")
    else:
        every = tuple((name, 1.0) for name in categories(benchmarks))
        presets = dict(task.weights) if task is not None else {}
        # Balanced counts every category but where a suite says otherwise.
        is_every = task is None or task.id == "balanced" or not task.weights
        found = presets.get(requirements.suite, every if is_every else ())
    if requirements.language:
        spoken = [b for b in benchmarks if b.language == requirements.language]
        counts = ((len(_of(name, spoken)), len(_of(name, benchmarks))) for name, _ in found)
        # Each test keeps its weight beside the others, but where the buyer weighs the category.
        found = tuple(
            (name, weight if requirements.weights else weight * n / of)
            for (name, weight), (n, of) in zip(found, counts, strict=True)
            if n
        )
    total = sum(weight for _, weight in found)
    return tuple((name, weight / total) for name, weight in found)


def _of(name: str, benchmarks: Sequence[Benchmark]) -> list[Benchmark]:
    """Return the scored benchmarks whose category or subcategory a name is."""
    return [b for b in benchmarks if b.scored and name in (b.category, b.subcategory)]


def benchmark_weights(
    weights: Weights, benchmarks: Sequence[Benchmark], vote_groups: Sequence[Sequence[str]] = ()
) -> dict[str, float]:
    """Spread each category's weight evenly over its benchmarks.

    A name counts for the scored benchmarks whose category or subcategory it is. Benchmarks
    without weight are left out. Benchmarks of one of ``vote_groups`` share one vote within a
    category, as ``core.statistics.vote_groups.one_vote_per_group`` has it.
    """
    spread: dict[str, float] = {}
    for name, weight in weights:
        members = [benchmark.id for benchmark in _of(name, benchmarks)]
        shares = one_vote_per_group({b: weight / len(members) for b in members}, vote_groups)
        for member, share in shares.items():
            spread[member] = spread.get(member, 0.0) + share
    return spread


@dataclass(frozen=True, slots=True, eq=False)
class ByCategory:
    """Complete models, sorted by id, and what each weighted category comes to for them."""

    matrix: ScoreMatrix
    """The benchmarks that count; ``excluded`` lists the models that lack one of them."""
    categories: Weights
    """Name and weight, summing to 1."""
    spreads: FloatArray
    """Shape (n_categories, n_benchmarks): how a category's weight of 1 is spread."""
    scores: FloatArray
    """Shape (n_models, n_categories), 0 to 1."""

    @property
    def share(self) -> FloatArray:
        """The weights alone."""
        return np.array([weight for _, weight in self.categories])


def by_category(
    matrix: ScoreMatrix,
    weights: Weights,
    models: Sequence[str],
    vote_groups: Sequence[Sequence[str]] = (),
) -> ByCategory:
    """Score the complete ones of some models in each weighted category.

    The weighted mean of a model is linear in the weights of the categories, so with these scores
    any other weighting is one product away.

    Parameters
    ----------
    weights : sequence of (category, weight)
        Above 0; scaled to sum to 1. Categories without a benchmark in the matrix are passed over.
    vote_groups
        Groups of benchmarks that share one vote within a category.

    Raises
    ------
    TooFewError
        Fewer than two models with every benchmark that counts, or no such benchmark.
    """
    if not all(0 < weight < math.inf for _, weight in weights):
        raise BadRequestError("Every weight must be above 0.")
    found = [
        (name, weight, benchmark_weights(((name, 1.0),), matrix.benchmarks, vote_groups))
        for name, weight in weights
    ]
    found = [(name, weight, spread) for name, weight, spread in found if spread]
    counting = {benchmark for *_, spread in found for benchmark in spread}
    counted = select_benchmarks(matrix, [b.id for b in matrix.benchmarks if b.id in counting])
    compared = complete(replace(select_models(counted, sorted(models)), excluded=()))
    n = len(compared.models) if counting else 0
    if n < 2:
        raise TooFewError(
            "This takes at least 2 models with every benchmark that counts; "
            f"there is {n or 'none'}."
        )
    total = math.fsum(weight for _, weight, _ in found)
    spreads = np.array(
        [[spread.get(b.id, 0.0) for b in compared.benchmarks] for *_, spread in found]
    )
    return ByCategory(
        matrix=compared,
        categories=tuple((name, weight / total) for name, weight, _ in found),
        spreads=spreads,
        scores=normalised(compared)[0] @ spreads.T,
    )
