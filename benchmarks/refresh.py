"""Refresh of a whole leaderboard, against reading its Parquet with DuckDB and writing it once.

A local server gives the Open LLM Leaderboard v2 (3,827 rows) as the Hub does. A refresh asks it
for the commit, lists, downloads, reads, checks, writes and verifies a snapshot; everything but
the server's own process is timed. The floor reads the same Parquet file from the disk with
DuckDB and writes CSV. It is taken in two ways: the long table of a snapshot (one row a score,
which is what a refresh has to write), through pandas as all snapshots are; and the wide table as
it is, by DuckDB itself, which writes a sixth of the rows and neither facts nor hashes. Refresh
and floors alternate in one process, and medians are compared.

Run: python -m benchmarks.refresh
"""

from __future__ import annotations

import json
import multiprocessing
import shutil
import tempfile
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import TYPE_CHECKING

import duckdb
import numpy as np
import pandas as pd

from core.evidence.hub import Hub
from core.evidence.refresh import refresh
from tests.evidence import hub_server

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from multiprocessing.connection import Connection

ROOT = Path(__file__).parents[1]
FULL = ROOT.parent / "shared" / "bench" / "open_llm_v2_full.csv"
SUITE, REPO = "open-llm-v2", "open-llm-leaderboard/contents"
REPETITIONS = 15


def leaderboard() -> hub_server.Repo:
    """Return the whole leaderboard, or one of its size made up where it is not here."""
    if FULL.exists():
        table = pd.read_csv(FULL).astype(object)
        rows = table.where(table.notna(), None).to_dict("records")
    else:
        rng = np.random.default_rng(1)
        rows = [
            hub_server.v2_row(
                f"laboratory{i % 400}/model-{i}", **dict(zip(names, scores, strict=True))
            )
            for names in [list(hub_server.V2_RAW)]
            for i, scores in enumerate(rng.uniform(0, 1, (3827, 6)).tolist())
        ]
    return hub_server.open_llm_v2(rows)


def _serve(folder: Path, pipe: Connection) -> None:
    with hub_server.serving() as server:
        server.put("dataset", REPO, leaderboard())
        for name, content in server.repos["dataset", REPO].files.items():
            if name.endswith(".parquet"):
                (folder / "leaderboard.parquet").write_bytes(content)
        pipe.send(server.url)
        pipe.recv()


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    """Serve from a process of its own, so that its work is not counted as the refresh's."""
    here, there = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(target=_serve, args=(folder, there))
    process.start()
    try:
        yield here.recv()
    finally:
        here.send(None)
        process.join(5)
        process.kill()


def long_floor(parquet: Path, target: Path) -> None:
    """Read with DuckDB and write the scores one a row, with pandas."""
    raw = ", ".join(f'"{printed} Raw"' for printed in hub_server.V2_RAW.values())
    query = f"""
        UNPIVOT (
            SELECT fullname AS model, fullname || '@' || "Precision" || '@' || "Model sha" AS run,
                "Submission Date" AS run_at, "Precision" AS precision, '' AS protocol,
                "Model sha" AS model_revision, '' AS standard_error, '' AS source_url, {raw}
            FROM '{parquet}'
        ) ON {raw} INTO NAME benchmark VALUE score
    """
    with duckdb.connect() as connection:
        connection.sql(query).df().to_csv(target, index=False)


def wide_floor(parquet: Path, target: Path) -> None:
    """Read and write the table as it is, all by DuckDB."""
    with duckdb.connect() as connection:
        connection.execute(f"COPY (SELECT * FROM '{parquet}') TO '{target}' (HEADER)")


def timed(action: Callable[[], object]) -> float:
    """Return the seconds that an action takes."""
    start = perf_counter()
    action()
    return perf_counter() - start


def main() -> None:
    """Print the medians and the ratios."""
    known = {SUITE: dict.fromkeys(hub_server.V2_RAW, (0.0, 1.0))}
    times: dict[str, list[float]] = {"refresh": [], "long": [], "wide": []}
    with tempfile.TemporaryDirectory() as name, serving(Path(name)) as url:
        folder = Path(name)
        parquet = folder / "leaderboard.parquet"
        for i in range(REPETITIONS + 1):
            data = folder / f"data{i}"
            (data / "snapshots").mkdir(parents=True)
            hub = Hub(url, token="")
            taken = {
                "refresh": timed(partial(refresh, data, SUITE, hub, known_benchmarks=known)),
                "long": timed(partial(long_floor, parquet, data / "long.csv")),
                "wide": timed(partial(wide_floor, parquet, data / "wide.csv")),
            }
            shutil.rmtree(data)
            if i:  # the first run loads the libraries
                for what, seconds in taken.items():
                    times[what].append(seconds)
    result = {what: round(median(found), 4) for what, found in times.items()}
    result["ratio_to_long"] = round(result["refresh"] / result["long"], 2)
    result["ratio_to_wide"] = round(result["refresh"] / result["wide"], 2)
    print(json.dumps(result))


if __name__ == "__main__":
    main()
