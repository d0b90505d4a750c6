"""What a source of evidence is, what the readers of all share, and what sources say of a model.

A live source is a ``LiveSource`` in ``live``; a table that a person downloads has its reader in
``printed``. Both make the one long table of scores.
"""

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from core.domain import BadDataError, Model, ModelFact, ScoreTable
from core.evidence import tables
from core.evidence.hub import Hub, RepoType
from core.evidence.snapshots import SCORE_COLUMNS

Progress = Callable[[int, int], None]
"""Called with the number of steps that are done and of all."""
Record = Mapping[str, str | float | None]

NOT_STATED = "not stated by the source"
BRIDGE_PROTOCOLS = {"Zero-Shot": "zero-shot", "Few-Shot": "few-shot", "CoT": "chain-of-thought"}
_MAX_ROWS = 1_000_000
_NUMBERS = ("params_b", "params_active_b", "context_window_tokens")
_TEXTS = ("developer", "licence", "base_model", "access")
_SAME_NUMBER = 0.05
"""Sizes are rounded by their sources; counts within 5 % are one."""
_GAPS = ("-", "n/a", "nan", "none")
_UNKNOWN = ("", "unknown", "undisclosed", "other")


class Commit(NamedTuple):
    """The newest revision of a live source."""

    revision: str
    """Of which twelve signs name a snapshot."""
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

    ``pull`` reads the suite at a commit, with the catalogue's folder beside. It raises
    ``RemoteError`` when the Hub does not give one of the files, and ``BadDataError``, naming the
    file and the place, when one is broken or of another shape.
    """

    suite: str
    newest: Callable[[Hub], Commit]
    pull: Callable[[Hub, Commit, Progress, Path], Pulled]


def hub_tables(
    suite: str,
    repo_id: str,
    repo_type: RepoType,
    files: Sequence[str],
    read: Callable[[Mapping[str, bytes], str, str], ScoreTable],
    *,
    licence: str = NOT_STATED,
    note: str = "",
    unlicensed: str = "",
    dated_by_runs: bool = False,
) -> LiveSource:
    """Return a source that is a few files of one folder in a repository of the Hub.

    ``read`` makes the table of the files, the commit and the address of the repository. ``licence``
    and the note ``unlicensed`` count where the repository declares none. With ``dated_by_runs`` the
    scores are of the day of their newest run where that is known, and not of the commit's.
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
            note=note if commit.licence else unlicensed or note,
        )

    return LiveSource(suite, lambda hub: Commit(*hub.commit(repo_id, repo_type)), pull)


def said(model: str, url: str, facts: Mapping[str, str]) -> list[ModelFact]:
    """Return what a source says of a model, by field; a text that is empty says nothing."""
    return [ModelFact(model, field, value, url) for field, value in facts.items() if value]


def completed(model: Model, facts: Iterable[ModelFact]) -> Model:
    """Fill what the catalogue leaves open with the first source that says it.

    The catalogue goes before every source; a value that is no number, or says that it does not
    know, fills nothing.
    """
    filled: dict[str, Any] = {}
    for fact in facts:
        known = filled.get(fact.field, getattr(model, fact.field, None))
        if fact.field in _NUMBERS and known is None:
            if (number := _above_0(fact.value)) is not None:
                filled[fact.field] = (
                    int(number) if fact.field == "context_window_tokens" else number
                )
                if fact.field == "params_b":
                    filled["params_source"] = fact.source
        elif fact.field == "access":
            if known == "unknown" and fact.value in ("open", "closed"):
                filled["access"] = fact.value
        elif fact.field in _TEXTS and known in _UNKNOWN and fact.value.lower() not in _UNKNOWN:
            filled[fact.field] = fact.value
    return replace(model, **filled) if filled else model


def conflicts(model: Model, facts: Sequence[ModelFact]) -> tuple[str, ...]:
    """Say where the catalogue and the sources disagree: sizes by more than 5 %, or other words."""
    found = []
    for field in (*_NUMBERS, *_TEXTS):
        own = getattr(model, field)
        text = f"{own:g}" if field in _NUMBERS and own is not None else own or ""
        said = [(text, model.source_url or "catalogue")]
        said += [(fact.value, fact.source) for fact in facts if fact.field == field]
        said = [one for one in dict.fromkeys(said) if one[0].lower() not in _UNKNOWN]
        distinct = [
            (value, source)
            for i, (value, source) in enumerate(said)
            if not any(_same(field, value, other) for other, _ in said[:i])
        ]
        if len(distinct) > 1:
            listed = "; ".join(f"{value} ({source})" for value, source in distinct)
            found.append(f"Sources disagree on {field.replace('_', ' ')}: {listed}.")
    return tuple(found)


def _same(field: str, a: str, b: str) -> bool:
    if field in _NUMBERS:
        x, y = _above_0(a), _above_0(b)
        return x is not None and y is not None and math.isclose(x, y, rel_tol=_SAME_NUMBER)
    return tables.squeezed(a) == tables.squeezed(b)


def score_table(suite: str, records: Iterable[Record]) -> ScoreTable:
    """Build a ``ScoreTable``; a column a source lacks is empty, a missing score ``nan``.

    Records that say in which ``row`` of their file they are number the frame by it.
    """
    every = list(records)
    frame = pd.DataFrame.from_records(
        [{column: record.get(column, "") for column in SCORE_COLUMNS} for record in every],
        columns=SCORE_COLUMNS,
        index=[record.get("row", n) for n, record in enumerate(every)],
    )
    for column in ("score", "standard_error"):
        frame[column] = pd.to_numeric(frame[column])
    return ScoreTable(suite, frame)


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


def _above_0(text: str) -> float | None:
    number = tables.as_number(text.strip())
    return number if number is not None and number > 0 else None


def as_positive(text: str) -> str:
    """Return a count as text without rounding noise, empty where it is not above 0."""
    number = _above_0(text)
    return "" if number is None else f"{number:.6g}"
