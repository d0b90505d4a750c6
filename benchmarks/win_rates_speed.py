"""Time of the win rates of 3,827 models on 6 benchmarks, against HELM's own function.

The peer is ``compute_aggregate_row_win_rates`` of the package ``crfm-helm``, on a table that is
ready in its memory. It gives the mean win rate and nothing else; ``win_rates`` adds intervals,
rank bands, the spread over rivals and macro-averages. Both are checked to agree.

The package need not be complete: only its own files are used, and what they import and is not
here is replaced by an empty stand-in, since the function itself uses none of it.

Run: python -m benchmarks.win_rates_speed [folder of crfm-helm]

The folder is one made by ``pip install --no-deps --target FOLDER crfm-helm``. Without the
package, the published definition is timed as plain loops, and the output says so.
"""

from __future__ import annotations

import importlib
import sys
from statistics import fmean, median
from time import perf_counter
from typing import TYPE_CHECKING
from unittest.mock import MagicMock

import numpy as np

from benchmarks.taxonomy_speed import made_up
from core.statistics.ranks import win_rates

if TYPE_CHECKING:
    from collections.abc import Callable

    from core.domain import FloatArray

N_MODELS, N_BENCHMARKS, REPETITIONS = 3827, 6, 15
Peer = tuple[str, "Callable[[], list[float | None]]"]


def synthetic_scores() -> FloatArray:
    """Make accuracies of four digits, alike over the benchmarks of a model, from a fixed seed."""
    rng = np.random.default_rng(20250313)
    level = rng.normal(0.4, 0.15, (N_MODELS, 1))
    spread = rng.normal(0, 0.05, (N_MODELS, N_BENCHMARKS))
    return np.clip(level + spread, 0, 1).round(4)


def peer(scores: FloatArray) -> Peer:
    """Return HELM's function on these scores, or loops where the package is not installed."""
    try:
        summarize = _with_stand_ins("helm.benchmark.presentation.summarize")
        table = importlib.import_module("helm.benchmark.presentation.table")
    except ImportError as missing:
        values = scores.tolist()
        name = f"loops over the published definition (crfm-helm is not here: {missing})"
        return name, lambda: _loops(values)
    rows = [[table.Cell(value) for value in row] for row in scores.tolist()]
    header = [table.HeaderCell(f"b{j}", lower_is_better=False) for j in range(N_BENCHMARKS)]
    ready = table.Table("scores", header, rows)
    return "HELM's function", lambda: summarize.compute_aggregate_row_win_rates(ready)


def _with_stand_ins(name: str):
    while True:
        try:
            return importlib.import_module(name)
        except ModuleNotFoundError as error:
            if error.name is None or error.name.split(".")[0] in ("helm", "core", "benchmarks"):
                raise
            sys.modules[error.name] = MagicMock(name=error.name)


def _loops(rows: list[list[float]]) -> list[float | None]:
    won: list[list[float]] = [[] for _ in rows]
    for column in zip(*rows, strict=True):
        times: dict[float, int] = {}
        for value in column:
            times[value] = times.get(value, 0) + 1
        below, beaten = 0, {}
        for value in sorted(times):
            beaten[value] = below + (times[value] - 1) / 2
            below += times[value]
        for shares, value in zip(won, column, strict=True):
            shares.append(beaten[value] / (len(column) - 1))
    return [fmean(shares) for shares in won]


def main() -> None:
    """Print medians in milliseconds and ratios."""
    sys.path += sys.argv[1:2]
    scores = synthetic_scores()
    matrix = made_up(scores)
    name, theirs = peer(scores)
    rates = {row.model: row.win_rate for row in win_rates(matrix).rows}
    agreed = np.allclose(theirs(), [rates[model] for model in matrix.models], atol=1e-12)
    times: tuple[list[float], list[float]] = [], []
    for _ in range(REPETITIONS):
        for taken, run in zip(times, (theirs, lambda: win_rates(matrix)), strict=True):
            start = perf_counter()
            run()
            taken.append(perf_counter() - start)
    floor, full = (median(taken) * 1e3 for taken in times)
    print(
        f"win rates {N_MODELS}x{N_BENCHMARKS}, the same numbers: {'yes' if agreed else 'NO'}\n"
        f"{name}: {floor:.1f} ms\n"
        f"win_rates with intervals, rank bands, spread and macro-averages: {full:.1f} ms, "
        f"ratio {full / floor:.2f}"
    )


if __name__ == "__main__":
    main()
