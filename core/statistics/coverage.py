"""What has been tested, how evenly, and which differences a benchmark can tell from noise.

Generalisability and robustness are BenchHealth's (arXiv:2405.00716).
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from core.domain import BadRequestError
from core.statistics.score_matrix import known, normalised

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from core.domain import Benchmark, ScoreMatrix

Place = tuple[str, str]
"""A category and a subcategory of the taxonomy."""
GapKind = Literal[
    "no benchmark",
    "no open model",
    "private data only",
    "exam questions only",
    "a single benchmark",
]
_KINDS: tuple[GapKind, ...] = get_args(GapKind)
EXAM = ("exam questions",)
CLINICAL = ("clinical notes", "health records", "clinical text", "consultation cases")
_ACCESS = {
    "public": "public",
    "open access": "public",
    "gated": "by agreement",
    "regulated": "by agreement",
    "private": "private",
}
ACCESS = ("public", "by agreement", "private", "unknown")
POWER = 0.8
ALPHA = 0.05
_WORST_CASE = 0.5
"""The level at which two shares are hardest to tell apart."""


@dataclass(frozen=True, slots=True)
class Cell:
    """What stands behind one subcategory, in one suite or in all of them."""

    benchmarks: tuple[Benchmark, ...]
    access: tuple[tuple[str, int], ...]
    """Benchmarks per kind of access to their data, in the order of ``ACCESS``, no zeros."""
    n_exam: int
    n_clinical: int
    """Benchmarks made of notes, records or cases of real care."""
    n_material_unknown: int
    models: frozenset[str]
    """Models with a score on at least one of the benchmarks."""
    open_models: frozenset[str]
    """Those of them that a hospital can run itself."""


@dataclass(frozen=True, slots=True)
class Coverage:
    """Benchmarks per subcategory and suite."""

    places: tuple[Place, ...]
    suites: tuple[str, ...]
    cells: Mapping[tuple[Place, str], Cell]
    """Every place with every suite; an empty cell has no benchmark."""
    total: Mapping[Place, Cell]
    """Every place over all suites."""
    elsewhere: tuple[Benchmark, ...]
    """Benchmarks that stand for no subcategory of the taxonomy."""


def count(
    places: Sequence[Place],
    matrices: Mapping[str, ScoreMatrix],
    mapped: Mapping[tuple[str, str, str], Place],
    open_models: Collection[str],
) -> Coverage:
    """Count benchmarks, the access to their data, and the models tested.

    The places are the rows, such as MedHELM's 22 subcategories; one without a benchmark stays.
    Matrices are by suite, and a score that is ``nan`` is no test. ``mapped`` leads from (suite,
    category, subcategory) to the place where categories of other suites belong; those that carry
    a place's own names need none.
    """
    rows = set(places)
    found: dict[tuple[Place, str], list[tuple[Benchmark, frozenset[str]]]] = {
        (place, suite): [] for place in places for suite in matrices
    }
    elsewhere = []
    for suite, matrix in matrices.items():
        for benchmark, column in zip(matrix.benchmarks, matrix.scores.T, strict=True):
            own = (benchmark.category, benchmark.subcategory)
            place = own if own in rows else mapped.get((suite, *own))
            if place not in rows or place is None:
                elsewhere.append(benchmark)
                continue
            tested = frozenset(matrix.models[i] for i in np.flatnonzero(~np.isnan(column)))
            found[place, suite].append((benchmark, tested))
    return Coverage(
        places=tuple(places),
        suites=tuple(matrices),
        cells={key: _cell(tested, open_models) for key, tested in found.items()},
        total={
            place: _cell([one for suite in matrices for one in found[place, suite]], open_models)
            for place in places
        },
        elsewhere=tuple(elsewhere),
    )


def gaps(coverage: Coverage) -> dict[Place, GapKind]:
    """Name what is missing, the most severe first, at most once per subcategory.

    In this order: no benchmark; never tested with a model that a hospital can run itself;
    private data only, so that nobody else can repeat the test; exam questions only; a single
    benchmark. Within a kind the subcategory with fewer benchmarks and open models comes first,
    then the order of the taxonomy.
    """
    kinds = {place: _kind(coverage.total[place]) for place in coverage.places}
    found = {place: kind for place, kind in kinds.items() if kind is not None}

    def order(place: Place) -> tuple[int, int, int]:
        cell = coverage.total[place]
        return _KINDS.index(found[place]), len(cell.benchmarks), len(cell.open_models)

    return {place: found[place] for place in sorted(found, key=order)}


def never_tested(coverage: Coverage, model: str) -> tuple[Place, ...]:
    """Return the subcategories on which a model has no score in any suite."""
    return tuple(place for place in coverage.places if model not in coverage.total[place].models)


def _kind(cell: Cell) -> GapKind | None:
    if not cell.benchmarks:
        return "no benchmark"
    if not cell.open_models:
        return "no open model"
    if {name for name, _ in cell.access} == {"private"}:
        return "private data only"
    if cell.n_exam == len(cell.benchmarks):
        return "exam questions only"
    return "a single benchmark" if len(cell.benchmarks) == 1 else None


def _cell(tested: Sequence[tuple[Benchmark, frozenset[str]]], open_models: Collection[str]) -> Cell:
    benchmarks = tuple(benchmark for benchmark, _ in tested)
    models = frozenset().union(*(models for _, models in tested))
    access = Counter(_ACCESS.get(benchmark.access, "unknown") for benchmark in benchmarks)
    material = [benchmark.material for benchmark in benchmarks]
    return Cell(
        benchmarks=benchmarks,
        access=tuple((name, access[name]) for name in ACCESS if access[name]),
        n_exam=sum(one in EXAM for one in material),
        n_clinical=sum(one in CLINICAL for one in material),
        n_material_unknown=material.count(""),
        models=models,
        open_models=models & frozenset(open_models),
    )


@dataclass(frozen=True, slots=True)
class Detectable:
    """What one benchmark can tell apart, and how far its models lie apart; 0 to 1 scale."""

    benchmark: str
    suite: str
    n_items: int | None
    smallest: float | None
    """Smallest detectable difference from a model at one half, the worst case."""
    smallest_at_median: float | None
    """The same from a model at the median score."""
    unknown: Literal["score", "number", "few"] | None
    """Why ``smallest`` is unknown: the score is no share of questions right, the number of
    questions is not published, or so few show no difference. ``None`` where it is known."""
    n_models: int
    median: float | None
    best_minus_median: float | None
    first_minus_second: float | None
    """Best score minus the next; 0 where two share the first place."""
    noise: bool | None
    """Whether the first two lie closer than ``smallest``; ``None`` where unknown."""


def smallest_difference(
    n_items: int, baseline: float = _WORST_CASE, *, power: float = POWER, alpha: float = ALPHA
) -> float | None:
    """Return how much better than a baseline a model must be for a test to see it.

    Two proportions with ``n_items`` answers each, two-sided test in its normal approximation:
    the variance is pooled under equality and separate under the difference d, so that

        √n d = z(1 − α/2) √(2 p̄ q̄) + z(power) √(p₁q₁ + p₂q₂),  p₂ = p₁ + d,  p̄ = (p₁ + p₂)/2.

    The same as R's ``power.prop.test``. The answers of two models are taken as independent;
    with the single answers of both at hand, a paired test would see smaller differences.

    Each model answers all ``n_items`` questions; the baseline is the share right of the weaker
    one, and the difference is on the same scale of 0 to 1. ``None`` where even a model without a
    mistake could not be told from the baseline.
    """
    if n_items < 1:
        raise BadRequestError(f"A benchmark has at least 1 question; this one has {n_items}.")
    if not 0 <= baseline <= 1:
        raise BadRequestError(f"The baseline must be from 0 to 1; it is {baseline:g}.")
    if not 0 < alpha < power < 1:
        raise BadRequestError("The level must be above 0 and below the power, which is below 1.")
    at_level, at_power = (NormalDist().inv_cdf(q) for q in (1 - alpha / 2, power))

    def surplus(difference: float) -> float:
        p, q = baseline, baseline + difference
        middle = (p + q) / 2
        pooled = math.sqrt(max(2 * middle * (1 - middle), 0.0))
        separate = math.sqrt(max(p * (1 - p) + q * (1 - q), 0.0))
        return math.sqrt(n_items) * difference - at_level * pooled - at_power * separate

    low, high = 0.0, 1 - baseline
    if high <= 0 or surplus(high) < 0:
        return None
    # The surplus is below 0 at no difference and grows through 0 once: halve the range.
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if surplus(middle) < 0 else (low, middle)
    return high


def detectable(matrix: ScoreMatrix) -> tuple[Detectable, ...]:
    """Say for each benchmark of a matrix what it can tell apart, in the matrix's order.

    Missing scores are left out. The differences between models are known for every benchmark
    with scores; the smallest detectable one only where the score is a share of questions right
    and the number of questions is published.
    """
    shares, _ = normalised(matrix)
    return tuple(
        _of_one(benchmark, np.sort(column[~np.isnan(column)])[::-1])
        for benchmark, column in zip(matrix.benchmarks, shares.T, strict=True)
    )


def _of_one(benchmark: Benchmark, best_first: np.ndarray) -> Detectable:
    median = float(np.median(best_first)) if best_first.size else None
    unknown: Literal["score", "number", "few"] | None = None
    smallest = at_median = None
    if not benchmark.is_accuracy:
        unknown = "score"
    elif benchmark.n_items is None:
        unknown = "number"
    else:
        smallest = smallest_difference(benchmark.n_items)
        unknown = "few" if smallest is None else None
        if median is not None and 0 <= median <= 1:
            at_median = smallest_difference(benchmark.n_items, median)
    gap = float(best_first[0] - best_first[1]) if best_first.size > 1 else None
    return Detectable(
        benchmark=benchmark.id,
        suite=benchmark.suite,
        n_items=benchmark.n_items,
        smallest=smallest,
        smallest_at_median=at_median,
        unknown=unknown,
        n_models=int(best_first.size),
        median=median,
        best_minus_median=None if median is None else float(best_first[0]) - median,
        first_minus_second=gap,
        noise=None if smallest is None or gap is None else gap < smallest,
    )


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
