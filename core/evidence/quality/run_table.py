"""Runs by benchmarks: the scores and errors as printed, and how far their decimals reach.

Which scores are counts. A score is a whole number of items over ``n_items`` where the
catalogue calls it an accuracy, knows the number of items, and neither its metric nor its source
speaks of a mean or an average: IFEval (mean of prompt and instruction level), BBH (mean over 24
tasks) and MuSR (mean over 3 tasks) are no counts; GPQA, MMLU-Pro and MATH are, though they have
parts, because their parts are pooled.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd
    from numpy.typing import NDArray

    from core.domain import Benchmark, FloatArray

    BoolArray = NDArray[np.bool_]

_TYPED_DECIMALS = 6
"""Fewer printed decimals than this look typed or rounded."""
ROUNDING = 1e-9
N_NAMED = 3
"""A detail names so many and counts the rest."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A flag before it has its names; ``column`` is -1 where it is about the whole run."""

    run: int
    rule: str
    column: int
    detail: str


@dataclass(frozen=True, eq=False)
class RunTable:
    """Runs by benchmarks. Every array has shape (n_runs, n_benchmarks)."""

    keys: tuple[tuple[str, str, str], ...]
    """Model, run and precision of each run."""
    benchmarks: tuple[Benchmark, ...]
    printed: FloatArray
    """Scores as they stand, infinite ones included."""
    share: FloatArray
    """Scores from 0 to 1 along the scale; ``nan`` outside it."""
    half_unit: FloatArray
    """Half a unit of the last decimal printed, along the same scale."""
    errors: FloatArray
    error_half_unit: FloatArray
    harness: BoolArray
    """Per run: whether it prints more digits than a person types."""
    counts: FloatArray
    """Per benchmark: number of items where the score is a count of them, else ``nan``."""
    items: FloatArray
    """Per benchmark: number of items where the score is an accuracy, else ``nan``."""
    urls: tuple[frozenset[str], ...]

    @property
    def width(self) -> FloatArray:
        """Width of each scale."""
        return np.array([b.scale_max - b.scale_min for b in self.benchmarks], dtype=float)


def run_table(frame: pd.DataFrame, benchmarks: Sequence[Benchmark]) -> RunTable:
    """Return the runs of a long table of scores, sorted by model, run and precision."""
    position = {benchmark.id: j for j, benchmark in enumerate(benchmarks)}
    rows = frame[frame["benchmark"].isin(list(position)) & frame["score"].notna()]
    key = rows[["model", "run", "precision"]].fillna("").astype("str")
    code = key.groupby(list(key.columns), sort=True).ngroup().to_numpy(dtype=np.intp)
    keys = sorted(set(key.itertuples(index=False, name=None)))
    column = rows["benchmark"].map(position).to_numpy(dtype=np.intp)
    blank = np.full((len(keys), len(benchmarks)), np.nan)

    def spread(values: FloatArray) -> FloatArray:
        grid = blank.copy()
        grid[code, column] = values
        return grid

    score = rows["score"].to_numpy(dtype=float)
    error = rows["standard_error"].to_numpy(dtype=float)
    decimals, error_decimals = spread(decimals_of(score)), spread(decimals_of(error))
    low = np.array([b.scale_min for b in benchmarks], dtype=float)
    width = np.array([b.scale_max - b.scale_min for b in benchmarks], dtype=float)
    printed = spread(score)
    with np.errstate(invalid="ignore"):
        share = (printed - low) / width
        share[~((share >= -ROUNDING) & (share <= 1 + ROUNDING))] = np.nan
        share = np.clip(share, 0, 1)
        digits = (decimals >= _TYPED_DECIMALS).sum(axis=1)
    urls: list[set[str]] = [set() for _ in keys]
    for run, url in zip(code, rows["source_url"].fillna(""), strict=True):
        urls[run].add(str(url))
    return RunTable(
        keys=tuple(keys),
        benchmarks=tuple(benchmarks),
        printed=printed,
        share=share,
        half_unit=0.5 * 10.0 ** -_restored(decimals) / width,
        errors=spread(error) / width,
        error_half_unit=0.5 * 10.0 ** -np.maximum(error_decimals, 3) / width,
        harness=2 * digits >= np.isfinite(decimals).sum(axis=1),
        counts=np.array([_n(b) if _is_count(b) else np.nan for b in benchmarks], dtype=float),
        items=np.array([_n(b) if b.is_accuracy else np.nan for b in benchmarks], dtype=float),
        urls=tuple(frozenset(found) for found in urls),
    )


def _n(benchmark: Benchmark) -> float:
    n_items = benchmark.n_items
    return np.nan if n_items is None or n_items < 2 else float(n_items)


def _is_count(benchmark: Benchmark) -> bool:
    words = f"{benchmark.metric} {benchmark.source}".casefold().replace(",", " ").split()
    averaged = any(word.startswith(("mean", "averag")) for word in words)
    return benchmark.is_accuracy and not averaged


def decimals_of(values: FloatArray) -> FloatArray:
    """Decimals of the shortest text that gives each number; ``nan`` for none."""
    found = np.full(len(values), np.nan)
    for i, value in enumerate(values.tolist()):
        if np.isfinite(value):
            mantissa, _, exponent = repr(value).partition("e")
            after = mantissa.partition(".")[2]
            found[i] = max(len(after) * (after != "0") - int(exponent or 0), 0)
    return found


def _restored(decimals: FloatArray) -> FloatArray:
    """Give back trailing zeros: where half a typed run prints d decimals, none prints fewer."""
    full = decimals.copy()
    for run in full:
        present = Counter(run[np.isfinite(run)].tolist())
        usual, times = max(present.items(), key=lambda item: (item[1], item[0]), default=(0.0, 0))
        if usual < _TYPED_DECIMALS and 2 * times >= present.total():
            run[run < usual] = usual
    return full


def places(grid: BoolArray) -> list[tuple[int, int]]:
    """Return run and benchmark of each true cell, by position."""
    return [(int(i), int(j)) for i, j in np.argwhere(grid)]


def as_printed(table: RunTable, i: int, j: int) -> str:
    """Return the score as printed, with the trailing zeros that a number loses."""
    score = float(table.printed[i, j])
    decimals = round(-np.log10(2 * table.half_unit[i, j] * table.width[j]))
    text = f"{score:.{min(max(decimals, 0), 5)}f}"
    return f"{text} of {table.width[j]:g}" if table.width[j] != 1 else text
