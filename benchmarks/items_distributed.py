"""One run against all others, by Dask on two local workers, over items as partitioned Parquet.

The rows are those of ``benchmarks.items``, laid out as they would be in object storage: a folder a
suite and benchmark, files of 100 runs each. Dask joins each run's items to those of one run by
benchmark and item, and takes the mean difference and its error. Measured: its time against DuckDB's
mean score by run and benchmark over the same files, by turns; the highest memory of its workers;
and whether it gives what the program gives over the one file it reads.

Dask is not a dependency of the program: where it is missing, this says what to install and ends.

Run: python -m benchmarks.items_distributed [runs] [items]
"""

from __future__ import annotations

import logging
import sys
import tempfile
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from typing import Any

import duckdb
import numpy as np

from benchmarks.items import (
    MEANS,
    N_ITEMS,
    Stage,
    against_all,
    highest_memory,
    layout,
    made_up,
    once,
    scan,
    timed,
)
from core.evidence import items as files

N_RUNS, RUNS_IN_FILE, N_WORKERS, TIMES = 383, 100, 2, 3
KEY = ["benchmark", "item"]


def partitioned(path: Path, folder: Path, n_runs: int) -> None:
    """Lay one file out by suite and benchmark, this many runs to a file."""
    connection = duckdb.connect(config={"memory_limit": "600MB", "threads": 1})
    for first in range(0, n_runs, RUNS_IN_FILE):
        connection.execute(
            f"""COPY (
                SELECT 'made-up' AS suite, * FROM read_parquet('{path}')
                WHERE run BETWEEN 'run-{first:05d}' AND 'run-{first + RUNS_IN_FILE - 1:05d}'
            ) TO '{folder}' (FORMAT parquet, COMPRESSION zstd, PARTITION_BY (suite, benchmark),
                FILENAME_PATTERN 'runs-{first:05d}-{{i}}', OVERWRITE_OR_IGNORE)"""
        )


def by_dask(folder: Path, run: str) -> dict[str, tuple[float, float]]:
    """Compare one run with every other: mean difference and its error, item by item."""
    frame = import_module("dask.dataframe").read_parquet(
        folder, columns=["run", "item", "score", "benchmark"]
    )
    frame = frame.assign(benchmark=frame["benchmark"].astype(str))
    own = frame[frame["run"] == run].compute()[[*KEY, "score"]].rename(columns={"score": "own"})
    both = frame.merge(own.astype({key: frame.dtypes[key] for key in KEY}), on=KEY)
    gap = both.assign(gap=both["score"] - both["own"])[["run", "gap"]]
    found = gap.groupby("run")["gap"].agg(["mean", "std", "count"]).compute()
    error = found["std"] / np.sqrt(found["count"])
    return dict(zip(found.index, zip(found["mean"], error, strict=True), strict=True))


def measure(client: Any, path: Path, folder: Path, run: str) -> None:
    """Time Dask against DuckDB by turns, compare with the program's answer, and print."""
    where = once("where runs lie, once", partial(layout, path))
    ours = once("the program, over the one file", partial(against_all, path, where, run))
    floor = Stage(partial(scan, MEANS, f"{folder}/**/*.parquet"))
    found = [(timed(partial(by_dask, folder, run)), floor()) for _ in range(TIMES)]
    ratio = median(a[0] / b[0] for a, b in found)
    took = ", ".join(f"{a[0]:.2f} to {b[0]:.2f} s" for a, b in found)
    print(f"Dask: {ratio:.1f} times DuckDB's own ({took})")
    theirs = found[-1][0][1]
    far = max(np.abs(np.subtract(theirs[name], ours[name])).max() for name in ours)
    same = theirs.keys() == ours.keys() and far < 1e-9
    print(f"{len(theirs)} runs, {'the same' if same else 'OTHER'} results (within {far:.0e})")
    each = list(client.run(highest_memory).values())
    print(
        f"memory: workers {' + '.join(f'{one:.0f}' for one in each)} = {sum(each):.0f} MiB, "
        f"the process that asks them {highest_memory():.0f} MiB; DuckDB's own: {floor.close()}"
    )


def main(n_runs: int = N_RUNS, n_items: int = N_ITEMS) -> None:
    """Make the files, measure, and print."""
    if find_spec("distributed") is None or find_spec("dask") is None:
        print("Not measured: Dask is missing; pip install 'dask[dataframe]' distributed")
        return
    distributed = import_module("distributed")
    with tempfile.TemporaryDirectory() as place:
        path, folder = Path(place) / files.ITEMS, Path(place) / "parts"
        once("making the file", partial(made_up, path, n_runs, n_items))
        once("laying it out in parts", partial(partitioned, path, folder, n_runs))
        parts = list(folder.rglob("*.parquet"))
        size = sum(part.stat().st_size for part in parts) / 1e6
        print(f"{n_runs * n_items:,} rows, {len(parts)} files, {size:.0f} MB on disk", flush=True)
        with (
            distributed.LocalCluster(
                n_workers=N_WORKERS,
                threads_per_worker=1,
                dashboard_address=None,
                silence_logs=logging.ERROR,
            ) as cluster,
            distributed.Client(cluster) as client,
        ):
            measure(client, path, folder, "run-00001")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
