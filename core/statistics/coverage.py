"""What has been tested and what has not: benchmarks counted by the work they stand for."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from core.domain import Benchmark, ScoreMatrix

Place = tuple[str, str]
"""A category and a subcategory of the taxonomy."""

EXAM = ("exam questions",)
CLINICAL = ("clinical notes", "health records", "clinical text", "consultation cases")
_ACCESS = {
    "public": "public",
    "open access": "public",
    "gated": "by agreement",
    "regulated": "by agreement",
    "private": "private",
}
_DATA = {
    "public": "public data",
    "by agreement": "data by agreement only",
    "private": "private data",
    "unknown": "access to the data not stated",
}
_SHORT = {"unknown": "not stated"}
ACCESS = ("public", "by agreement", "private", "unknown")


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


@dataclass(frozen=True, slots=True)
class Gap:
    """One thing that has not been tested, or not well, as a sentence."""

    place: Place
    severity: int
    """0 is the most severe."""
    kind: str
    sentence: str


def count(
    places: Sequence[Place],
    matrices: Mapping[str, ScoreMatrix],
    mapped: Mapping[tuple[str, str, str], Place],
    open_models: Collection[str],
) -> Coverage:
    """Count benchmarks, the access to their data, and the models tested.

    Parameters
    ----------
    places : sequence of (category, subcategory)
        The rows, such as MedHELM's 22 subcategories. One without a benchmark stays.
    matrices : mapping of suite to ScoreMatrix
        The suites to look at. A score that is ``nan`` is no test.
    mapped : mapping of (suite, category, subcategory) to (category, subcategory)
        Where categories of other suites belong; those that carry a place's own names need none.
    open_models : collection of str
        The models whose weights are open.
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
            place: _cell(
                [one for suite in matrices for one in found[place, suite]],
                open_models,
            )
            for place in places
        },
        elsewhere=tuple(elsewhere),
    )


def gaps(coverage: Coverage) -> tuple[Gap, ...]:
    """Name what is missing, the most severe first, at most once per subcategory.

    In this order: no benchmark; never tested with a model that a hospital can run itself;
    private data only, so that nobody else can repeat the test; exam questions only; a single
    benchmark. Within a kind the subcategory with fewer benchmarks and open models comes first,
    then the order of the taxonomy.
    """
    found = []
    for position, place in enumerate(coverage.places):
        cell = coverage.total[place]
        kind = _kind(cell)
        if kind is not None:
            severity, name = kind
            order = (severity, len(cell.benchmarks), len(cell.open_models), position)
            found.append((order, Gap(place, severity, name, f"{place[1]}: {described(cell)}.")))
    return tuple(gap for _, gap in sorted(found, key=lambda one: one[0]))


def described(cell: Cell) -> str:
    """Say in words what stands behind a cell, without a full stop."""
    n = len(cell.benchmarks)
    if not n:
        return "no benchmark at all"
    kinds = dict(cell.access)
    benchmarks = "one benchmark" if n == 1 else f"{n} benchmarks"
    if len(kinds) == 1:
        words = [benchmarks, _DATA[next(iter(kinds))]]
    else:
        listed = ", ".join(f"{number} {_SHORT.get(name, name)}" for name, number in cell.access)
        words = [f"{benchmarks} (data: {listed})"]
    if cell.n_exam == n:
        words.append("exam questions only")
    if not cell.models:
        words.append("no model tested")
    elif not cell.open_models:
        words.append("no open model ever tested")
    else:
        models = "1 model" if len(cell.models) == 1 else f"{len(cell.models)} models"
        words.append(f"{models} tested, {len(cell.open_models)} of them open")
    return ", ".join(words)


def never_tested(coverage: Coverage, model: str) -> tuple[Place, ...]:
    """Return the subcategories on which a model has no score in any suite."""
    return tuple(place for place in coverage.places if model not in coverage.total[place].models)


def _kind(cell: Cell) -> tuple[int, str] | None:
    if not cell.benchmarks:
        return 0, "no benchmark"
    if not cell.open_models:
        return 1, "no open model"
    if {name for name, _ in cell.access} == {"private"}:
        return 2, "private data only"
    if cell.n_exam == len(cell.benchmarks):
        return 3, "exam questions only"
    if len(cell.benchmarks) == 1:
        return 4, "a single benchmark"
    return None


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
