"""Item results: what each run scored on each item, in ``items.parquet`` next to the scores.

The file is read in place, by DuckDB and only where a question needs it: it is sorted by run and
benchmark in row groups of about one run, so that a pair of runs reads its own. It is never copied
into the store and never held whole. What is at fault in it is one sentence, a ``BadDataError``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb

from core.domain import BadDataError, Scale
from core.evidence import is_full

if TYPE_CHECKING:
    import pandas as pd

ITEMS = "items.parquet"
ITEM_COLUMNS = {
    "run": "VARCHAR",
    "benchmark": "VARCHAR",
    "item": "VARCHAR",
    "attempt": "INTEGER",
    "score": "DOUBLE",
}
"""One row per run, benchmark, item and attempt; the score from 0 to 1 along its benchmark's scale,
so that the mean over the items (of an item's mean over its attempts) is the benchmark's score. An
item is below 0 only where its benchmark's scale lets single items fall lower than their mean."""
OPTIONAL = {"task": "VARCHAR", "tokens": "DOUBLE", "seconds": "DOUBLE", "cost": "DOUBLE"}
"""The cluster that an item belongs to; tokens written, seconds and US dollars for this attempt."""
COUNTS = ("run", "benchmark", "mean", "n_items", "n_rows")
"""What the store keeps of items: their mean and number, by run and benchmark."""
_VECTOR, _MOST_IN_GROUP = 2048, 122_880
_MOST_DECIMALS = 9
_KINDS = {"VARCHAR": "text", "INTEGER": "a whole number", "DOUBLE": "a number"}


@contextmanager
def _opened(name: str, path: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """Give a connection with the file as a view; the engine's faults become a sentence."""
    connection = duckdb.connect(
        ":memory:", config={"autoinstall_known_extensions": "false", "memory_limit": "768MB"}
    )
    # It would be drawn on standard output, amid what the command line prints.
    connection.execute("SET enable_progress_bar = false")
    connection.execute(f"SET temp_directory = {_literal(path.parent)}")
    try:
        if path.exists():
            connection.from_parquet(_quoted(path)).create_view("items")
        yield connection
    except duckdb.Error as error:
        if is_full(error):
            raise BadDataError(f"{name} cannot be written: its disk is full.") from None
        raise BadDataError(f"{name} cannot be read: it is cut, or no Parquet file.") from None
    finally:
        connection.close()


def write_items(source: pd.DataFrame | Path, path: Path, name: str) -> int:
    """Write item results in their order and row groups, and return how many rows there are.

    ``source`` is a frame, or a Parquet file that may be larger than memory, with ``ITEM_COLUMNS``
    and any of ``OPTIONAL``; ``name`` is what a reader knows them by.
    """
    with _opened(name, path) as connection:
        if isinstance(source, Path):
            connection.from_parquet(_quoted(source)).create_view("incoming")
        else:
            connection.register("incoming", source)
        kinds = _checked_columns(connection, "incoming", name)
        counted = connection.execute("SELECT count(*), count(DISTINCT run) FROM incoming")
        n_rows, n_runs = counted.fetchall()[0]
        if not n_rows:
            raise BadDataError(f"{name} has no rows.")
        group = -(-n_rows // max(n_runs, 1) // _VECTOR) * _VECTOR
        chosen = ", ".join(f"CAST({it} AS {kind}) AS {it}" for it, kind in kinds.items())
        try:
            connection.execute(
                f"COPY (SELECT {chosen} FROM incoming ORDER BY run, benchmark, item, attempt) "
                f"TO {_literal(path)} (FORMAT parquet, COMPRESSION zstd, "
                f"ROW_GROUP_SIZE {min(group, _MOST_IN_GROUP)})"
            )
        except duckdb.ConversionException:
            what = "has a cell that is not a number where one is needed"
            raise BadDataError(f"{name} {what}.") from None
    return int(n_rows)


def check_against_scores(
    path: Path, scores: pd.DataFrame, scales: Mapping[str, Scale], name: str
) -> pd.DataFrame:
    """Check items against the scores next to them, as one aggregate query over the file.

    A run's ``scores`` count as exact as the most decimals that it prints, and its items as exact as
    that; a benchmark without a place in ``scales`` goes from 0 to 1, and so do its items.

    Returns
    -------
    DataFrame
        Per run and benchmark: ``mean`` over the items, ``n_items`` and ``n_rows``.
    """
    import pandas as pd  # noqa: PLC0415 - a third of a second to import

    low = {it: (least - low) / (high - low) for it, (low, high, least) in scales.items()}
    lowest = pd.DataFrame({"benchmark": list(low), "least": list(low.values())}, dtype=object)
    with _opened(name, path) as connection:
        _checked_columns(connection, "items", name)
        connection.register("lowest", lowest.astype({"benchmark": "str", "least": "float64"}))
        found = connection.execute(
            """
            WITH per_item AS (
                SELECT run, benchmark, item, avg(score) AS mean, count(*) AS n,
                    count(DISTINCT attempt) < count(attempt) AS twice,
                    count(attempt) < count(*) AS unnumbered,
                    bool_and(coalesce(score BETWEEN coalesce(least, 0) AND 1, false)) AS fits
                FROM items LEFT JOIN lowest USING (benchmark) GROUP BY run, benchmark, item
            )
            SELECT run, benchmark, avg(mean) AS mean, count(*) AS n_items,
                CAST(sum(n) AS BIGINT) AS n_rows,
                count(*) FILTER (item IS NULL OR item = '' OR unnumbered) > 0 AS blank,
                min(item) FILTER (NOT fits) AS outside, min(item) FILTER (twice) AS twice
            FROM per_item GROUP BY run, benchmark ORDER BY run, benchmark
            """
        ).df()
    if found.empty:
        raise BadDataError(f"{name} has no rows.")
    stated = _stated(scores, scales)
    for row in found.itertuples(index=False):
        if why := _fault(row, stated):
            raise BadDataError(f"{name}: {why}.")
    return found[[*COUNTS]]


def of_pair(path: Path, runs: tuple[str, str], benchmark: str = "") -> pd.DataFrame:
    """Return the items that two runs both have, on one benchmark or all.

    Returns
    -------
    DataFrame
        One row per item, ordered: ``benchmark``, ``item``, ``task`` (empty where items have
        none), the mean scores ``a`` and ``b`` over the attempts, their numbers ``n_a`` and ``n_b``.
    """
    a, b = (f"(WHERE run = ${which})" for which in "ab")
    with _opened(ITEMS, path) as connection:
        task = _task(connection)
        return connection.execute(
            f"""
            SELECT benchmark, item, {task} AS task,
                avg(score) FILTER {a} AS a, avg(score) FILTER {b} AS b,
                count(*) FILTER {a} AS n_a, count(*) FILTER {b} AS n_b
            FROM items WHERE run IN ($a, $b) AND $benchmark IN ('', benchmark)
            GROUP BY benchmark, item HAVING n_a > 0 AND n_b > 0 ORDER BY benchmark, item
            """,
            {"a": runs[0], "b": runs[1], "benchmark": benchmark},
        ).df()


def of_benchmarks(path: Path, runs: list[str], benchmarks: list[str]) -> dict[str, pd.DataFrame]:
    """Return, by benchmark, the mean score of each run on each item: ``run, item, task, score``."""
    with _opened(ITEMS, path) as connection:
        task = _task(connection)
        found = connection.execute(
            f"SELECT benchmark, run, item, {task} AS task, avg(score) AS score FROM items "
            "WHERE benchmark IN (SELECT unnest(?)) AND run IN (SELECT unnest(?)) "
            "GROUP BY benchmark, run, item ORDER BY benchmark, item",
            [benchmarks, runs],
        ).df()
    return {str(name): rows for name, rows in found.groupby("benchmark", sort=False)}


def _task(connection: duckdb.DuckDBPyConnection) -> str:
    there = "task" in _checked_columns(connection, "items", ITEMS)
    return "coalesce(any_value(task), '')" if there else "''"


_Stated = dict[str, dict[str, tuple[float, float, str]]]
"""By run and benchmark: the score from 0 to 1, how far off it may be, and how it is printed."""


def _stated(scores: pd.DataFrame, scales: Mapping[str, Scale]) -> _Stated:
    found: _Stated = {}
    for run, rows in scores.groupby("run", sort=False):
        printed = rows["score"].tolist()
        digits = [f"{score:.{_MOST_DECIMALS}f}".rstrip("0").partition(".")[2] for score in printed]
        # Half a unit for the score, and half for items that were rounded as it was.
        unit = 10.0 ** -max(map(len, digits), default=0)
        for benchmark, score in zip(rows["benchmark"], printed, strict=True):
            low, high, _ = scales.get(benchmark, (0.0, 1.0, 0.0))
            width = high - low
            off = (unit + 1e-9 * max(1.0, abs(score))) / width
            own = found.setdefault(str(run), {})
            # Under two protocols, items do not say under which they were.
            twice = (float("nan"), 0.0, "")
            own[benchmark] = (
                twice if benchmark in own else ((score - low) / width, off, f"{score:g}")
            )
    return found


def _fault(row: object, stated: _Stated) -> str:
    values = row._asdict()  # type: ignore[attr-defined]
    run, benchmark, mean = values["run"], values["benchmark"], values["mean"]
    where = f'the run "{str(run)[:120]}" on {str(benchmark)[:80]}'
    score, off, printed = stated.get(run, {}).get(benchmark, (0.0, 0.0, ""))
    said = ""
    if not isinstance(run, str) or not isinstance(benchmark, str) or values["blank"]:
        said = f"{where}: a row does not say its run, benchmark, item or attempt"
    elif isinstance(item := values["outside"], str):
        said = f'{where}: the item "{item[:80]}" has no score from 0 to 1'
    elif isinstance(item := values["twice"], str):
        said = f'{where}: the item "{item[:80]}" is there twice'
    elif run not in stated:
        said = f'the run "{run[:120]}" is not in scores.csv'
    elif benchmark not in stated[run]:
        said = f"{where} has items, but no score in scores.csv"
    elif not printed:
        said = f"{where} has scores under two protocols, and items do not say which is theirs"
    elif not abs(mean - score) <= off:
        said = (
            f"{where} has the score {printed} in scores.csv, but its items make "
            f"{mean:.6g} on the scale from 0 to 1"
        )
    return said


def _checked_columns(
    connection: duckdb.DuckDBPyConnection, table: str, name: str
) -> dict[str, str]:
    """Return the kinds of the columns that are there; other columns, or kinds, are a fault."""
    found = dict(
        connection.execute(f"SELECT column_name, column_type FROM (DESCRIBE {table})").fetchall()
    )
    missing = [column for column in ITEM_COLUMNS if column not in found]
    others = [column for column in found if column not in ITEM_COLUMNS | OPTIONAL]
    if missing or others:
        what = f"lacks the column {missing[0]}" if missing else f'has the column "{others[0][:80]}"'
        raise BadDataError(
            f"{name} {what}; its columns are {', '.join(ITEM_COLUMNS)} and, where known, "
            f"{', '.join(OPTIONAL)}."
        )
    kinds = {column: kind for column, kind in (ITEM_COLUMNS | OPTIONAL).items() if column in found}
    for column, kind in kinds.items():
        is_text = found[column] == "VARCHAR" or found[column].startswith("ENUM")
        if is_text != (kind == "VARCHAR"):
            raise BadDataError(f"{name}: the column {column} must be {_KINDS[kind]}.")
    return kinds


def _quoted(path: Path) -> str:
    """Return a path in which no character stands for others."""
    return "".join(f"[{sign}]" if sign in "*?[" else sign for sign in str(path))


def _literal(path: Path) -> str:
    return "'" + str(path).replace("'", "''") + "'"
