"""Item results at scale: a pair of runs, and one run against all, each to DuckDB's own scan.

Made-up right and wrong answers of a fixed seed, 3,827 runs by 26,000 items in 9 benchmarks unless
told, are written in order as one Parquet file, a piece at a time, into a temporary folder. Where
runs lie in the file is looked up once before.
"""

from __future__ import annotations

import resource
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import duckdb
import numpy as np

from core.evidence import items as files
from core.statistics.items import item_errors

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import pandas as pd

    from benchmarks.statistics import Sides
    from core.domain import FloatArray

N_RUNS, N_ITEMS, N_BENCHMARKS, SEED = 3827, 26_000, 9, 20251123
MEANS = "SELECT run, benchmark, avg(score), count(*) FROM {} GROUP BY run, benchmark"


class Stage:
    """One piece of work in a process of its own, so that its memory is told from all else."""

    def __init__(self, work: Callable[[], Any]) -> None:
        self._work = work
        self._process = ProcessPoolExecutor(1, mp_context=get_context("spawn"))
        # Starting and importing are not in the seconds; in the memory they are, and said apart.
        self._before = self._process.submit(highest_memory).result()

    def __call__(self) -> tuple[float, Any]:
        """Return the seconds that one call takes, and what it returns."""
        return self._process.submit(timed, self._work).result()

    def close(self) -> str:
        """End the process, and say its highest memory."""
        highest = self._process.submit(highest_memory).result()
        self._process.shutdown()
        return f"{highest:.0f} MiB, of which {self._before:.0f} before its work"


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Return the seconds that one call takes, and what it returns."""
    begins = perf_counter()
    found = work()
    return perf_counter() - begins, found


def highest_memory() -> float:
    """Return the highest resident memory of this process, in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def once(what: str, work: Callable[[], Any]) -> Any:
    """Do a piece of work in a process of its own; print its time and memory."""
    stage = Stage(work)
    seconds, found = stage()
    print(f"{what}: {seconds:.1f} s, {stage.close()}", file=sys.stderr, flush=True)
    return found


def made_up(path: Path, n_runs: int, n_items: int) -> None:
    """Write right and wrong answers of runs that are better and worse, in order."""
    size = -(-n_items // N_BENCHMARKS)
    connection = duckdb.connect(config={"memory_limit": "600MB", "threads": 2})
    connection.execute(
        f"""COPY (
            SELECT printf('run-%05d', i // {n_items}) AS run,
                printf('benchmark-%d', i % {n_items} // {size}) AS benchmark,
                printf('item-%06d', i % {n_items}) AS item, CAST(1 AS INTEGER) AS attempt,
                CAST(hash(i, {SEED}) % 1000 < 300 + i // {n_items} % 400 AS DOUBLE) AS score
            FROM range({n_runs * n_items}) AS made(i)
        ) TO '{path}' (FORMAT parquet, COMPRESSION zstd,
            ROW_GROUP_SIZE {-(-n_items // 2048) * 2048})"""
    )


def pair(path: Path, a: str, b: str) -> None:
    """Compare two runs, benchmark by benchmark."""
    rows = files.of_pair(path, (a, b))
    strata = np.unique(rows["benchmark"].to_numpy(dtype=str), return_inverse=True)[1]
    scores = rows[["a", "b"]].to_numpy(float).T
    item_errors(2, [(np.arange(2), scores[:, strata == j], None) for j in range(strata.max() + 1)])


@contextmanager
def opened(path: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """Give a connection with the file as a view."""
    with duckdb.connect(config={"memory_limit": "768MB"}) as connection:
        connection.execute("SET enable_progress_bar = false")
        connection.from_parquet(str(path)).create_view("items")
        yield connection


def layout(path: Path) -> pd.DataFrame:
    """Return where each run's rows lie: ``run, first, n`` and a digest of its items in order.

    Runs with one digest were asked the same items in the same order, so that their scores can be
    compared place by place. It takes a look at every row: once for a file, not for a question.
    """
    with opened(path) as connection:
        return connection.execute(
            """
            -- Read twice: kept for both uses it would be all rows of the file.
            WITH numbered AS NOT MATERIALIZED (
                FROM read_parquet($path, file_row_number = true)
            ), starts AS (
                SELECT run, min(file_row_number) AS first, count(*) AS n FROM numbered GROUP BY run
            )
            SELECT run, any_value(first) AS first, any_value(n) AS n, CAST(bit_xor(
                hash(benchmark, item, attempt, file_row_number - first)) AS VARCHAR) AS digest,
                max(file_row_number) - any_value(first) + 1 = any_value(n) AS in_one_piece
            FROM numbered JOIN starts USING (run) GROUP BY run ORDER BY first
            """,
            {"path": str(path)},
        ).df()


def of_all(path: Path, where: pd.DataFrame, run: str) -> Iterator[tuple[str, FloatArray]]:
    """Yield every run with its scores, row by row, that was asked what this run was asked.

    Only the scores are read, in one pass over the file and a batch at a time. Runs that were asked
    other items, or in another order, are not among them: they are compared by ``files.of_pair``.

    Parameters
    ----------
    path
        The file.
    where
        Its ``layout``.
    run
        The run that others are compared with; it comes too.
    """
    own = where.loc[where["run"] == run].iloc[0]
    alike = where[(where["digest"] == own["digest"]) & (where["n"] == own["n"])]
    wanted = alike[alike["in_one_piece"]]
    held, begins = np.empty(0), 0
    with opened(path) as connection:
        batches = iter(connection.sql("SELECT score FROM items").to_arrow_reader(500_000))
        for name, first in zip(wanted["run"], wanted["first"].tolist(), strict=True):
            while begins + len(held) < first + own["n"]:
                skipped = min(max(first - begins, 0), len(held))
                more = next(batches).column(0).to_numpy()
                held, begins = np.concatenate([held[skipped:], more]), begins + skipped
            yield str(name), held[first - begins : first - begins + own["n"]]


def against_all(path: Path, where: pd.DataFrame, run: str) -> dict[str, tuple[float, float]]:
    """Compare one run with every other: mean difference and its error, item by item."""
    own = files.of_pair(path, (run, run))["a"].to_numpy(float)
    found = {}
    for name, scores in of_all(path, where, run):
        gap = scores - own
        found[name] = float(gap.mean()), float(gap.std(ddof=1) / np.sqrt(len(gap)))
    return found


def scan(sql: str, place: str) -> None:
    """Run a query of DuckDB's own and read its rows."""
    duckdb.connect().execute(sql.format(f"read_parquet('{place}')")).fetchnumpy()


@contextmanager
def compared(what: str, n_runs: int = N_RUNS, n_items: int = N_ITEMS) -> Iterator[Sides]:
    """Two runs, or one against all, to DuckDB's scan of their rows, or its means over the file.

    Each works in a process of its own, whose highest memory is printed.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / files.ITEMS
        once("making the file", partial(made_up, path, n_runs, n_items))
        print(
            f"{n_runs * n_items:,} rows, {path.stat().st_size / 1e6:.0f} MB on disk",
            file=sys.stderr,
        )
        a, b = "run-00001", f"run-{n_runs - 2:05d}"
        if what == "two runs":
            rows = f"SELECT * FROM {{}} WHERE run IN ('{a}', '{b}')"
            ours, peer = Stage(partial(pair, path, a, b)), Stage(partial(scan, rows, str(path)))
        else:
            where = once("where runs lie, once", partial(layout, path))
            ours = Stage(partial(against_all, path, where, a))
            peer = Stage(partial(scan, MEANS, str(path)))
        yield lambda: ours()[0], lambda: peer()[0]
        print(f"memory: {ours.close()}; DuckDB's own: {peer.close()}", file=sys.stderr)
