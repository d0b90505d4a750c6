"""The statistics against libraries and published functions that do less, on the same scores.

Each function gives two pieces of work, ours and the peer's, whose results are checked to agree
where both give the same. Scores are made up with a fixed seed, or those of the whole Open LLM
Leaderboard v2 where it is at hand.
"""

from __future__ import annotations

import importlib
import shutil
import subprocess
import sys
import tempfile
import tracemalloc
from contextlib import contextmanager
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any
from unittest.mock import MagicMock

import numpy as np
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import pdist

from benchmarks import _leaderboard
from core.answers import data
from core.domain import Benchmark, ScoreMatrix, Selection
from core.evidence.store import open_store
from core.statistics.ranks import win_rates
from core.statistics.stability import Noise, stability
from core.statistics.taxonomy import build_taxonomy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from core.domain import FloatArray

    Sides = tuple[Callable[[], Any], Callable[[], Any]]

N_MODELS, N_BENCHMARKS = 3827, 6
HELM = "crfm-helm==0.5.16"
PVCLUST = """
    suppressMessages(library(pvclust))
    z <- t(as.matrix(read.csv(commandArgs(TRUE)[1], header = FALSE)))
    colnames(z) <- paste0("m", seq_len(ncol(z)))
    taken <- system.time(pvclust(z, method.hclust = "complete", method.dist = "manhattan",
                                 nboot = 1000, r = 1, iseed = 1, quiet = TRUE))
    cat(taken[["elapsed"]])
"""


def made_up(scores: FloatArray) -> ScoreMatrix:
    """Return a matrix of these scores, with made-up models and benchmarks around them."""
    n, b = scores.shape
    return ScoreMatrix(
        suite="synthetic",
        cohort="all",
        models=tuple(f"model-{i:02}" for i in range(n)),
        benchmarks=tuple(_benchmark(j) for j in range(b)),
        scores=scores,
        standard_errors=np.full_like(scores, np.nan),
        runs=("",) * n,
        excluded=(),
        snapshot=None,
    )


def _benchmark(j: int) -> Benchmark:
    return Benchmark(
        id=f"b{j}",
        suite="synthetic",
        name=f"Benchmark {j}",
        category="",
        subcategory="",
        category_reason="",
        domain="general",
        metric="accuracy",
        scale_min=0.0,
        scale_max=1.0,
        lower_is_better=False,
        n_items=None,
        is_accuracy=True,
        access="public",
        source="",
    )


def accuracies() -> FloatArray:
    """Make accuracies of four digits, alike over the benchmarks of a model."""
    rng = np.random.default_rng(20250313)
    level = rng.normal(0.4, 0.15, (N_MODELS, 1))
    spread = rng.normal(0, 0.05, (N_MODELS, N_BENCHMARKS))
    return np.clip(level + spread, 0, 1).round(4)


@contextmanager
def won(*, helm: bool) -> Iterator[Sides]:
    """Win rates, to HELM's own function on a table that is ready in its memory.

    Of the release that is installed for it HELM's own files alone are used: what they import and
    is not here is replaced by an empty stand-in, since the function uses none of it. Without
    ``helm``, the published definition stands in as plain loops.
    """
    scores = accuracies()
    matrix = made_up(scores)
    with tempfile.TemporaryDirectory() as folder:
        theirs = _helm(scores, folder) if helm else lambda: _loops(scores.tolist())
        rates = {row.model: row.win_rate for row in win_rates(matrix).rows}
        np.testing.assert_allclose(theirs(), [rates[name] for name in matrix.models], atol=1e-12)
        yield lambda: win_rates(matrix), theirs


def _helm(scores: FloatArray, folder: str) -> Callable[[], list[float | None]]:
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", folder]
    done = subprocess.run([*install, HELM], capture_output=True, check=False)
    if done.returncode:
        raise ModuleNotFoundError(HELM)
    sys.path.append(folder)
    summarize = _with_stand_ins("helm.benchmark.presentation.summarize")
    table = importlib.import_module("helm.benchmark.presentation.table")
    rows = [[table.Cell(value) for value in row] for row in scores.tolist()]
    header = [table.HeaderCell(f"b{j}", lower_is_better=False) for j in range(N_BENCHMARKS)]
    ready = table.Table("scores", header, rows)
    return lambda: summarize.compute_aggregate_row_win_rates(ready)


def _with_stand_ins(name: str):
    while True:
        try:
            return importlib.import_module(name)
        except ModuleNotFoundError as error:
            if error.name is None or error.name.split(".")[0] in ("helm", "core", "benchmarks"):
                raise
            sys.modules[error.name] = MagicMock(name=error.name)


def _loops(rows: list[list[float]]) -> list[float | None]:
    shares: list[list[float]] = [[] for _ in rows]
    for column in zip(*rows, strict=True):
        times: dict[float, int] = {}
        for value in column:
            times[value] = times.get(value, 0) + 1
        below, beaten = 0, {}
        for value in sorted(times):
            beaten[value] = below + (times[value] - 1) / 2
            below += times[value]
        for of_model, value in zip(shares, column, strict=True):
            of_model.append(beaten[value] / (len(column) - 1))
    return [fmean(of_model) for of_model in shares]


@contextmanager
def tree() -> Iterator[Sides]:
    """33 models by 6 benchmarks to a taxonomy, to scipy's ``pdist`` and ``linkage``."""
    rng = np.random.default_rng(20240829)
    level = np.where(np.arange(33) < 20, 0.6, 0.35)
    share = np.clip(level[:, None] + rng.normal(0, 0.06, (33, N_BENCHMARKS)), 0, 1)
    n_items = (541, 5761, 1324, 1192, 756, 12032)
    with _grown(made_up(rng.binomial(n_items, share) / n_items)) as sides:
        yield sides


@contextmanager
def leaderboard() -> Iterator[Sides]:
    """All rows of a whole leaderboard to a taxonomy, to the same floor."""
    with _grown(_whole()) as sides:
        yield sides


def _whole() -> ScoreMatrix:
    return made_up(_leaderboard.table()[_leaderboard.BENCHMARKS].dropna().to_numpy(dtype=float))


@contextmanager
def _grown(matrix: ScoreMatrix) -> Iterator[Sides]:
    points = build_taxonomy(matrix).standardised
    yield (
        lambda: build_taxonomy(matrix),
        lambda: linkage(pdist(points, "cityblock"), "complete"),
    )


def memory() -> dict[str, float]:
    """Highest memory of the arrays of that tree, as a multiple of the distances of all pairs."""
    matrix = _whole()
    n = len(matrix.models)
    tracemalloc.start()
    build_taxonomy(matrix)
    highest = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return {"to the distances of all pairs": round(highest / (n * (n - 1) // 2 * 8), 3)}


@contextmanager
def resampled(noise: Noise, n: int = 1000) -> Iterator[Sides]:
    """Stability of the taxonomy paper's cohort, to as many trees of scipy's."""
    matrix, taxonomy = _cohort()
    points = taxonomy.standardised

    def floor() -> None:
        for _ in range(n):
            linkage(pdist(points, "cityblock"), "complete")

    yield lambda: stability(matrix, taxonomy, noise=noise, n_resamples=n), floor


@contextmanager
def pvclust(noise: Noise) -> Iterator[Sides]:
    """Do the same; the peer is R's pvclust at its one scale r = 1, which counts branches alone.

    R's own clock is taken, so that its start does not count. Needs R with pvclust.
    """
    matrix, taxonomy = _cohort()
    rscript = shutil.which("Rscript")
    if rscript is None:
        raise ModuleNotFoundError("Rscript")
    with tempfile.TemporaryDirectory() as folder:
        scores = Path(folder) / "scores.csv"
        np.savetxt(scores, taxonomy.standardised, delimiter=",", fmt="%.17g")

        def theirs() -> float:
            command = [rscript, "-e", PVCLUST, str(scores)]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            return float(done.stdout.split()[-1])

        yield lambda: stability(matrix, taxonomy, noise=noise, n_resamples=1000), theirs


def _cohort():
    matrix = data.matrix(open_store(), Selection("open-llm-v2", "taxonomy-portraits"))
    return matrix, build_taxonomy(matrix)
