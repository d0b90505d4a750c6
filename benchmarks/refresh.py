"""Refresh of a whole leaderboard, to reading its Parquet with DuckDB and writing it once.

A local server gives the Open LLM Leaderboard v2 (3,827 rows) as the Hub does. A refresh asks it
for the commit, lists, downloads, reads, checks, writes and verifies a snapshot; everything but
the server's own process is timed. The floor reads the same Parquet file from the disk with
DuckDB and writes CSV: the long table of a snapshot (one row a score, which is what a refresh has to
write), through pandas as all snapshots are; or the wide table as it is, by DuckDB itself, which
writes a sixth of the rows and neither facts nor hashes.
"""

from __future__ import annotations

import multiprocessing
import tempfile
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

import duckdb

from benchmarks import _leaderboard
from core.sources.hub import Hub
from core.sources.refresh import refresh
from tests.evidence import hub_server

if TYPE_CHECKING:
    from collections.abc import Iterator
    from multiprocessing.connection import Connection

    from benchmarks.statistics import Sides

SUITE, REPO = "open-llm-v2", "open-llm-leaderboard/contents"


def leaderboard() -> hub_server.Repo:
    """Return the whole leaderboard, or one of its size made up where it is not here."""
    rows = _leaderboard.table().astype(object)
    return hub_server.open_llm_v2(rows.where(rows.notna(), None).to_dict("records"))


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


@contextmanager
def whole(floor: str) -> Iterator[Sides]:
    """Refresh the leaderboard; the peer is one of the two floors, ``long`` or ``wide``."""
    known = {SUITE: dict.fromkeys(hub_server.V2_RAW, (0.0, 1.0, 0.0))}
    with tempfile.TemporaryDirectory() as name, serving(Path(name)) as url:
        folder = Path(name)
        write = {"long": long_floor, "wide": wide_floor}[floor]

        def ours() -> float:
            with tempfile.TemporaryDirectory(dir=folder) as data:
                (Path(data) / "snapshots").mkdir()
                start = perf_counter()
                refresh(Path(data), SUITE, Hub(url, token=""), known_benchmarks=known)
                return perf_counter() - start

        yield ours, lambda: write(folder / "leaderboard.parquet", folder / "written.csv")
