"""BenchHealth's generalisability and robustness (arXiv:2405.00716)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from core.domain import BadRequestError
from core.statistics.score_matrix import known

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from core.domain import ScoreMatrix


@dataclass(frozen=True, slots=True)
class Evenness:
    """How good one model is over all data sets, and how even within groups of alike ones."""

    model: str
    generalisability: float | None
    """Mean of its scores, in their own unit; ``None`` without any score."""
    robustness: float | None
    """Sum of the groups' spreads, lower is better; ``None`` where a member is missing."""
    spreads: tuple[tuple[str, float | None], ...]
    """Per group, the sample standard deviation of its scores."""
    n_datasets: int


def evenness(matrix: ScoreMatrix, groups: Mapping[str, Sequence[str]]) -> tuple[Evenness, ...]:
    """Compute both figures for every model of a matrix, in its order.

    Generalisability is the mean of all scores that a model has. Robustness is the sum over the
    groups of the sample standard deviation (n − 1) of a model's scores on the group's data sets.
    Both are in the unit of the scores, percent for BenchHealth. A missing score is left out of
    the mean; a group with one is unknown, and so is the sum.

    All benchmarks of the matrix are on one scale, higher being better; ``groups`` holds per
    group the ids of at least two of them.
    """
    _check(matrix, groups)
    position = {benchmark.id: j for j, benchmark in enumerate(matrix.benchmarks)}
    columns = {name: [position[member] for member in ids] for name, ids in groups.items()}
    found = []
    for model, row in zip(matrix.models, matrix.scores, strict=True):
        present = row[~np.isnan(row)]
        spreads = {name: known(row[at].std(ddof=1)) for name, at in columns.items()}
        found_spreads = [spread for spread in spreads.values() if spread is not None]
        found.append(
            Evenness(
                model=model,
                generalisability=float(present.mean()) if present.size else None,
                robustness=sum(found_spreads) if len(found_spreads) == len(spreads) else None,
                spreads=tuple(spreads.items()),
                n_datasets=int(present.size),
            )
        )
    return tuple(found)


def group_means(
    matrix: ScoreMatrix, groups: Mapping[str, Sequence[str]]
) -> dict[str, tuple[float | None, ...]]:
    """Mean score per group, one value per model in the matrix's order.

    ``None`` where a model lacks a member: a mean over fewer data sets would not compare.
    """
    position = {benchmark.id: j for j, benchmark in enumerate(matrix.benchmarks)}
    found = {}
    for name, members in groups.items():
        means = matrix.scores[:, [position[member] for member in members]].mean(axis=1)
        found[name] = tuple(map(known, means))
    return found


def _check(matrix: ScoreMatrix, groups: Mapping[str, Sequence[str]]) -> None:
    if not groups:
        raise BadRequestError(f"Suite {matrix.suite} has no groups to judge robustness by.")
    scales = {(b.scale_min, b.scale_max, b.lower_is_better) for b in matrix.benchmarks}
    if len(scales) > 1 or any(turned for _, _, turned in scales):
        raise BadRequestError(
            f"The benchmarks of {matrix.suite} are not all on one scale with higher better, so "
            "their scores have no common mean."
        )
    present = {benchmark.id for benchmark in matrix.benchmarks}
    for name, members in groups.items():
        if len(members) < 2:
            raise BadRequestError(f"The group {name} has fewer than two data sets.")
        if missing := [member for member in members if member not in present]:
            raise BadRequestError(f"The group {name} names {missing[0]}, which is not compared.")
