"""A smaller evaluation of one's own: what it keeps of a suite, what it drops, and why."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.words.figures import listed

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from core.domain import Benchmark, BenchmarkPair

_MUCH_THE_SAME = 0.8
_MOST_NAMED = 4


@dataclass(frozen=True, slots=True)
class PlanRow:
    """One benchmark of the suite."""

    benchmark: Benchmark
    kept: bool
    closest: str | None
    """Of those kept, the other one that correlates with it most; ``None`` where there is none."""
    r: float | None
    why: str


def plan(
    benchmarks: Sequence[Benchmark], kept: Collection[str], pairs: Sequence[BenchmarkPair]
) -> tuple[PlanRow, ...]:
    """Say for each benchmark whether it is kept, and what it or its stand-in is good for.

    Those ``kept``, by id, come first, else the suite's order. A correlation that is undefined,
    ``nan``, is no likeness.
    """
    r = {(pair.a, pair.b): pair.r for pair in pairs if not math.isnan(pair.r)}
    r |= {(b, a): value for (a, b), value in r.items()}
    names = {benchmark.id: benchmark.name for benchmark in benchmarks}

    def closest(benchmark: str) -> str | None:
        near = [other for other in names if other in kept and (benchmark, other) in r]
        return max(near, key=lambda other: abs(r[benchmark, other]), default=None)

    others = {benchmark.id: closest(benchmark.id) for benchmark in benchmarks}
    rows = []
    for benchmark in benchmarks:
        near = others[benchmark.id]
        likeness = None if near is None else r[benchmark.id, near]
        if benchmark.id in kept:
            served = [
                names[other]
                for other, its in others.items()
                if other not in kept
                and its == benchmark.id
                and abs(r[other, its]) >= _MUCH_THE_SAME
            ]
            why = f"Stands for {_some(served)}." if served else "Nothing left out is close to it."
        elif near is None or likeness is None:
            why = "Its scores do not vary together with any that is kept."
        elif abs(likeness) >= _MUCH_THE_SAME:
            why = f"{names[near]} tells much the same."
        else:
            why = f"Not replaced, but the ranking holds without it; the closest is {names[near]}."
        rows.append(PlanRow(benchmark, benchmark.id in kept, near, likeness, why))
    return tuple(sorted(rows, key=lambda row: not row.kept))


def _some(names: Sequence[str]) -> str:
    shown = list(names[:_MOST_NAMED])
    if len(names) > _MOST_NAMED:
        shown.append(f"{len(names) - _MOST_NAMED} more")
    return listed(shown)
