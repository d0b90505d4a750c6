"""From what the buyer asks to weights on benchmarks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.domain import BadRequestError
from core.statistics.redundancy import one_vote_per_group

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.domain import Benchmark, Requirements, Task

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
    """Return the weight of each category, summing to 1.

    Parameters
    ----------
    requirements
        What the buyer set. Own weights of 0 drop the category; own weights without any
        category, and the task ``balanced``, weigh all categories of the suite alike.
    benchmarks
        The benchmarks of the suite.
    task
        The preset that ``requirements.task`` names; ``None`` for own weights.

    Returns
    -------
    tuple
        Empty where the suite has no benchmark for the task: there is then no evidence, which
        is not the same as a score of 0.

    Raises
    ------
    BadRequestError
        When an own weight is negative or names no category of the suite.
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
    total = sum(weight for _, weight in found)
    return tuple((name, weight / total) for name, weight in found)


def benchmark_weights(
    weights: Weights, benchmarks: Sequence[Benchmark], vote_groups: Sequence[Sequence[str]] = ()
) -> dict[str, float]:
    """Spread each category's weight evenly over its benchmarks.

    A name counts for the scored benchmarks whose category or subcategory it is. Benchmarks
    without weight are left out. Benchmarks of one of ``vote_groups`` share one vote within a
    category, as ``core.statistics.redundancy.one_vote_per_group`` has it.
    """
    spread: dict[str, float] = {}
    for name, weight in weights:
        members = [b.id for b in benchmarks if b.scored and name in (b.category, b.subcategory)]
        shares = one_vote_per_group({b: weight / len(members) for b in members}, vote_groups)
        for member, share in shares.items():
            spread[member] = spread.get(member, 0.0) + share
    return spread
