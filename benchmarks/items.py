"""Item results at scale: a pair of runs, and one run against all, each against DuckDB's own scan.

Made-up right and wrong answers of a fixed seed, 3,827 runs by 26,000 items in 9 benchmarks, are
written in order as one Parquet file, a piece at a time, into a temporary folder. Measured in the
same run, by turns, medians of ratios: the paired difference of two runs with its error, against
DuckDB's scan of those two runs' rows (at most 3 times); one run against all others, against
DuckDB's mean score by run and benchmark over the file (at most 1.5 times); and the highest memory
of this process (at most 1 GB). Where runs lie in the file is looked up once before; its time is
printed.

Run: python -m benchmarks.items [runs] [items]
"""

from __future__ import annotations

import resource
import sys
import tempfile
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import TYPE_CHECKING

import duckdb
import numpy as np

from core.evidence import items as files
from core.statistics.items import paired_difference

if TYPE_CHECKING:
    from collections.abc import Callable

N_RUNS, N_ITEMS, N_BENCHMARKS, TIMES, SEED = 3827, 26_000, 9, 3, 20251123


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
    """Compare two runs, over all benchmarks alike."""
    rows = files.of_pair(path, (a, b))
    strata = np.unique(rows["benchmark"].to_numpy(dtype=str), return_inverse=True)[1]
    paired_difference(rows["a"].to_numpy(float), rows["b"].to_numpy(float), strata=strata)


def against_all(path: Path, where: object, run: str) -> int:
    """Compare one run with every other: mean difference and its error, item by item."""
    own = files.of_pair(path, (run, run))["a"].to_numpy(float)
    found = []
    for name, scores in files.of_all(path, where, run):  # type: ignore[arg-type]
        gap = scores - own
        found.append((name, gap.mean(), gap.std(ddof=1) / np.sqrt(len(gap))))
    return len(found)


def scan(sql: str, path: Path) -> None:
    """Run a query of DuckDB's own and read its rows."""
    duckdb.connect().execute(sql.format(f"read_parquet('{path}')")).fetchnumpy()


def timed(work: Callable[[], object]) -> float:
    """Return the seconds that one call takes."""
    begins = perf_counter()
    work()
    return perf_counter() - begins


def main(n_runs: int = N_RUNS, n_items: int = N_ITEMS) -> None:
    """Make the file, measure, and print."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / files.ITEMS
        seconds = timed(lambda: made_up(path, n_runs, n_items))
        size = path.stat().st_size / 1e6
        print(f"{n_runs * n_items:,} rows, {size:.0f} MB on disk, {seconds:.0f} s")
        begins = perf_counter()
        where = files.layout(path)
        print(f"where runs lie, once: {perf_counter() - begins:.1f} s")
        a, b = "run-00001", f"run-{n_runs - 2:05d}"
        rows = f"SELECT * FROM {{}} WHERE run IN ('{a}', '{b}')"
        mean = "SELECT run, benchmark, avg(score), count(*) FROM {} GROUP BY run, benchmark"
        for what, ours, floor in (
            ("two runs", lambda: pair(path, a, b), rows),
            ("one against all", lambda: against_all(path, where, a), mean),
        ):
            found = [
                (timed(ours), timed(lambda floor=floor: scan(floor, path))) for _ in range(TIMES)
            ]
            ratio = median(one / other for one, other in found)
            took = ", ".join(f"{one:.2f} to {other:.2f} s" for one, other in found)
            print(f"{what}: {ratio:.2f} times DuckDB's own ({took})")
        print(f"highest memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
