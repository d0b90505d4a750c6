"""What a source of evidence is, and what the readers of all share.

A live source is a ``LiveSource`` in ``live``; a table that a person downloads has its reader in
``printed``. Both make the one long table of scores. ``lists`` has the public lists of facts.
"""

import json
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from core.domain import BadDataError, ScoreTable
from core.evidence import tables
from core.sources.hub import Hub, RepoType

ABOUT = tomllib.loads(Path(__file__).with_name("sources.toml").read_text("utf-8"))
"""Where sources are fetched, by kind and name."""
Progress = Callable[[int, int], None]
"""Called with the number of steps that are done and of all."""
NOT_STATED = "not stated by the source"
BRIDGE_PROTOCOLS = {"Zero-Shot": "zero-shot", "Few-Shot": "few-shot", "CoT": "chain-of-thought"}
_MAX_ROWS = 1_000_000
_GAPS = ("-", "n/a", "nan", "none")


class Commit(NamedTuple):
    """The newest revision of a live source."""

    revision: str
    """Of which twelve characters name a snapshot."""
    date: str
    """Empty where the source gives none."""
    licence: str = ""
    """As the source declares it."""
    note: str = ""
    """A sentence on what could not be asked, or nothing."""


@dataclass(frozen=True, eq=False)
class Pulled:
    """What a live source holds at one commit, ready to become a snapshot."""

    table: ScoreTable
    as_of: str
    source_url: str
    licence: str
    note: str
    """Sentences on what was skipped, or nothing."""


@dataclass(frozen=True, eq=False)
class LiveSource:
    """How to pull a suite from a repository of the Hub, or from a storage.

    ``pull`` reads the suite at a commit, with the catalogue's folder next to it. It raises
    ``RemoteError`` when the Hub does not give one of the files, and ``BadDataError``, naming the
    file and the place, when one is broken or of another shape.
    """

    newest: Callable[[Hub], Commit]
    pull: Callable[[Hub, Commit, Progress, Path], Pulled]


def hub_tables(
    read: Callable[[Mapping[str, bytes], str, str], ScoreTable],
    *,
    repo_id: str,
    repo_type: RepoType,
    files: Sequence[str],
    licence: str = NOT_STATED,
    note: str = "",
    dated_by_runs: bool = False,
) -> LiveSource:
    """Return a source that is a few files of one folder in a repository of the Hub.

    ``read`` makes the table of the files, the commit and the address of the repository; the rest
    is as sources.toml has it.
    """
    url = f"https://huggingface.co/{repo_type}s/{repo_id}"

    def pull(hub: Hub, commit: Commit, report: Progress, _: Path) -> Pulled:
        sha = commit.revision
        sizes = hub.files(repo_id, repo_type, sha, files[0].rpartition("/")[0])
        table = read(hub.fetch(repo_id, repo_type, sha, files, sizes, progress=report), sha, url)
        day = max(table.frame["run_at"]) if dated_by_runs else ""
        return Pulled(
            table,
            as_of=day or commit.date,
            source_url=url,
            licence=commit.licence or licence,
            note=note,
        )

    return LiveSource(lambda hub: Commit(*hub.commit(repo_id, repo_type)), pull)


def numbered(names: Sequence[str]) -> list[str]:
    """Return the names with a counter behind each that came before: a run's id is its own."""
    seen: dict[str, int] = {}
    unique = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        unique.append(name if seen[name] == 1 else f"{name}#{seen[name]}")
    return unique


def parsed_json(content: bytes, name: str) -> object:
    """Read JSON that a server sent; what is broken is named by its place."""
    try:
        return json.loads(content)
    except json.JSONDecodeError as error:
        raise BadDataError(
            f"{name}, row {error.lineno}, column {error.colno}: not readable JSON ({error.msg})."
        ) from None
    except UnicodeDecodeError:
        raise BadDataError(f"{name}: not UTF-8 text.") from None
    except (RecursionError, ValueError):
        raise BadDataError(f"{name}: JSON too deep, or with numbers too long, to read.") from None


def read_parquet(
    content: bytes, name: str, needed: Sequence[str], wanted: Sequence[str]
) -> list[tables.Row]:
    """Read the ``needed`` columns of a Parquet file, and the ``wanted`` ones there are."""
    # Heavy, and only a pull needs it.
    import pyarrow as pa  # noqa: PLC0415
    import pyarrow.parquet as pq  # noqa: PLC0415

    columns = (*needed, *wanted)
    try:
        with pq.ParquetFile(pa.BufferReader(content)) as file:
            present = file.schema_arrow.names
            missing = [column for column in needed if column not in present]
            if missing:
                listed = ", ".join(f'"{column}"' for column in missing)
                raise BadDataError(f"{name}: the column {listed} is missing.")
            if (n_rows := file.metadata.num_rows) > _MAX_ROWS:
                raise BadDataError(f"{name}: {n_rows:,} rows are more than any leaderboard has.")
            found = file.read([column for column in columns if column in present]).to_pylist()
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        # The library's message may be long and hold bytes of the file.
        said = str(error).split("\n")[0].split(". ")[0].rstrip(".")[:80]
        raise BadDataError(f"{name} is not a whole Parquet file: {said}.") from None
    return [
        row_of(name, i, {column: values.get(column) for column in columns})
        for i, values in enumerate(found, start=1)
    ]


def row_of(file: str, number: int, values: Mapping[str, object]) -> tables.Row:
    """Return a row of values as Python has them: text, empty for a gap however it is spelt."""
    texts = {column: str(value).strip() for column, value in values.items()}
    cells = {c: "" if text.casefold() in _GAPS else text for c, text in texts.items()}
    return tables.Row(file, number, cells)
