"""What a source of evidence is, what the readers of all share, and the tables that papers print.

A live source is a ``LiveSource`` in ``live``; a table that a person downloads has its reader here.
Both make the one long table of scores.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from core.domain import BadDataError, ModelFact, ScoreTable
from core.evidence import tables
from core.evidence.items import COLUMNS
from core.evidence.snapshots import SCORE_COLUMNS
from core.evidence.tables import rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from core.evidence.hub import Hub, RepoType
    from core.evidence.tables import Row

    Progress = Callable[[int, int], None]
    """Called with the number of steps that are done and of all."""
    Record = Mapping[str, str | float | None]
    Commit = tuple[str, str]
    """The newest revision, of which twelve signs name a snapshot, and its date or nothing."""

NOT_STATED = "not stated by the source"
_MAX_ROWS = 1_000_000


@dataclass(frozen=True, eq=False)
class Pulled:
    """What a live source holds at one commit, ready to become a snapshot."""

    table: ScoreTable
    as_of: str
    source_url: str
    licence: str
    note: str
    """Sentences on what was passed over, or nothing."""


@dataclass(frozen=True, eq=False)
class LiveSource:
    """How to pull a suite from a repository of the Hub, or from a storage.

    ``pull`` reads the suite at a commit, with the catalogue's folder beside. It raises
    ``RemoteError`` when the Hub does not give one of the files, and ``BadDataError``, naming the
    file and the place, when one is broken or of another shape.
    """

    suite: str
    repo_id: str
    repo_type: RepoType
    newest: Callable[[Hub], Commit]
    pull: Callable[[Hub, Commit, Progress, Path], Pulled]


def hub_tables(
    suite: str,
    repo_id: str,
    repo_type: RepoType,
    files: Sequence[str],
    read: Callable[[Mapping[str, Path], str, str], ScoreTable],
    *,
    licence: str = NOT_STATED,
    note: str = "",
    unlicensed: str = "",
    dated_by_runs: bool = False,
) -> LiveSource:
    """Return a source that is a few files of one folder in a repository of the Hub.

    ``read`` makes the table of the files, the commit and the address of the repository; a file that
    it finds broken is asked for anew the next time. ``licence`` and the note ``unlicensed`` count
    where the repository declares none. With ``dated_by_runs`` the scores are of the day of their
    newest run where that is known, and not of the day of the commit.
    """
    url = f"https://huggingface.co/{repo_type}s/{repo_id}"

    def pull(hub: Hub, commit: Commit, report: Progress, _: Path) -> Pulled:
        sha, changed = commit
        hub.files(repo_id, repo_type, sha, files[0].rpartition("/")[0])
        paths = hub.fetch_many(repo_id, repo_type, sha, files, progress=report)
        try:
            table = read(paths, sha, url)
        except BadDataError:
            for path in paths.values():
                hub.discard(path)
            raise
        declared = hub.licence(repo_id, repo_type)
        day = max(table.frame["run_at"]) if dated_by_runs else ""
        said = note if declared else unlicensed or note
        return Pulled(table, day or changed, url, declared or licence, said)

    return LiveSource(suite, repo_id, repo_type, lambda hub: hub.commit(repo_id, repo_type), pull)


def said(model: str, url: str, facts: Mapping[str, str]) -> list[ModelFact]:
    """Return what a source says of a model, by field; a text that is empty says nothing."""
    return [ModelFact(model, field, value, url) for field, value in facts.items() if value]


def score_table(suite: str, records: Iterable[Record]) -> ScoreTable:
    """Build a ``ScoreTable``; a column a source lacks is empty, a missing score ``nan``."""
    frame = pd.DataFrame.from_records(
        [{column: record.get(column, "") for column in SCORE_COLUMNS} for record in records],
        columns=SCORE_COLUMNS,
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


def read_json(path: Path, name: str) -> object:
    """Read a JSON file of the Hub."""
    try:
        return json.loads(path.read_bytes())
    except json.JSONDecodeError as error:
        raise BadDataError(
            f"{name}, row {error.lineno}, column {error.colno}: not readable JSON ({error.msg})."
        ) from None
    except UnicodeDecodeError:
        raise BadDataError(f"{name}: not UTF-8 text.") from None
    except (RecursionError, ValueError):
        raise BadDataError(f"{name}: JSON too deep, or with numbers too long, to read.") from None
    except OSError as error:
        raise BadDataError(f"{name} cannot be read: {error.strerror}.") from None


def read_parquet(path: Path, name: str, needed: Sequence[str], wanted: Sequence[str]) -> Columns:
    """Read the ``needed`` columns of a Parquet file, and the ``wanted`` ones where they are there.

    Each value is as Python has it, with ``None`` for a gap.
    """
    # Heavy, and only a pull needs it.
    import pyarrow as pa  # type: ignore[import-untyped]  # noqa: PLC0415
    import pyarrow.parquet as pq  # type: ignore[import-untyped]  # noqa: PLC0415

    try:
        with pq.ParquetFile(path) as file:
            present = file.schema_arrow.names
            missing = [column for column in needed if column not in present]
            if missing:
                listed = ", ".join(f'"{column}"' for column in missing)
                raise BadDataError(f"{name}: the column {listed} is missing.")
            n_rows = file.metadata.num_rows
            if n_rows > _MAX_ROWS:
                raise BadDataError(f"{name}: {n_rows:,} rows are more than any leaderboard has.")
            read = [column for column in (*needed, *wanted) if column in present]
            table = file.read(read)
            values = {column: table.column(column).to_pylist() for column in read}
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        # The library's message may be long and hold bytes of the file.
        said = str(error).split("\n")[0].split(". ")[0].rstrip(".")[:80]
        raise BadDataError(f"{name} is no whole Parquet file: {said}.") from None
    gaps: list[object] = [None] * n_rows
    return Columns(name, {c: values.get(c, gaps) for c in (*needed, *wanted)})


@dataclass(frozen=True, slots=True)
class Columns:
    """Columns of one table that can say where a value stands."""

    file: str
    values: dict[str, list[object]]

    def texts(self, column: str) -> list[str]:
        """Return a column as text: empty for a gap, dates as ISO writes them."""
        return ["" if value is None else str(value).strip() for value in self.values[column]]

    def numbers(self, column: str) -> list[float]:
        """Return a column as numbers, ``nan`` for a gap."""
        values = self.values[column]
        if {type(value) for value in values} <= {float, int, type(None)}:
            # The usual case, many times faster by the whole column.
            whole = np.array(values, dtype=float)
            if not np.isinf(whole).any():
                return list(whole)
        found = []
        for i, value in enumerate(values):
            number = as_number(value)
            if number is None:
                raise BadDataError(
                    f'{self.file}, row {i + 1}: "{str(value)[:40]}" in the column "{column}" is '
                    "not a number."
                )
            found.append(number)
        return found


def as_number(value: object) -> float | None:
    """Return a number, or one in a text; ``nan`` for a gap, ``None`` for anything else."""
    if value is None:
        return math.nan
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    if isinstance(value, str) and value.strip().casefold() in ("", "-", "n/a", "nan", "none"):
        return math.nan
    text = str(value).strip()
    return math.nan if text == "nan" else tables.as_number(text)


def as_positive(value: object) -> str:
    """Return a count as text without rounding noise, empty where it is not above 0."""
    number = as_number(value)
    return f"{number:.6g}" if number is not None and number > 0 else ""


# Tables that leaderboards and papers print, as a person downloads them.

_Z95 = 1.959963984540054
BRIDGE_PROTOCOLS = {"Zero-Shot": "zero-shot", "Few-Shot": "few-shot", "CoT": "chain-of-thought"}
_STYLE_CONTROL = "style control)"
_HHEM = {
    "hallucination rate percent (lower is better)": "invented_content",
    "answer rate percent": "answer_rate",
    "mean summary length words": "summary_length",
}


def _reader(
    suite: str, columns: str, record: Callable[[Row], Record]
) -> Callable[[Path], ScoreTable]:
    """Return what reads a suite's table; a row without a record is passed over."""

    def parse(path: Path) -> ScoreTable:
        return score_table(suite, filter(None, map(record, rows(path, columns.split()))))

    return parse


def _at_commit(row: Row) -> str:
    """Return the address of the file that a row was read from, at the commit it was read at."""
    commit, _, file = row.text("retrieved_path").partition(":")
    return f"{row.text('source')}/blob/{commit}/{file}"


def _record(
    row: Row, model: str, benchmark: str, score: str, error: str = "", *, run: str, **more: str
) -> Record:
    return {
        "model": row.text(model),
        "run": f"{row.text(model)}@{run}",
        "benchmark": row.text(benchmark),
        "score": row.number_or_none(score),
        "standard_error": row.number_or_none(error) if error else "",
        **more,
    }


def _open_medical_llm(row: Row) -> Record:
    """Name a run by model and results file; the times printed are kept, valid or not."""
    return _record(
        row,
        *("model_id", "benchmark_id", "accuracy", "accuracy_stderr"),
        run=row.text("results_file"),
        run_at=row.cells["run_at"],
        precision=row.cells["dtype"].removeprefix("torch."),
        model_revision=row.cells["model_sha"],
        source_url=row.cells["source_url"],
    )


def _open_llm_v2(row: Row) -> Record:
    """Take raw scores; the leaderboard's normalised scores are not used by any statistic."""
    precision, sha = row.cells["precision"], row.cells["model_sha"]
    return _record(
        row,
        *("model_id", "benchmark_id", "raw_score"),
        run=f"{precision}@{sha[:12]}",
        run_at=row.cells["submitted_on"],
        precision=precision,
        model_revision=sha,
    )


def _bridge(row: Row) -> Record:
    """Take each of the three protocols as a run of its own, never mixed with another."""
    if (printed := row.text("prompting")) not in BRIDGE_PROTOCOLS:
        raise row.fault(f'the prompting protocol "{printed[:40]}" is unknown')
    protocol = BRIDGE_PROTOCOLS[printed]
    columns = ("model_name", "task_id", "score_percent")
    return _record(row, *columns, run=protocol, protocol=protocol)


def _noharm(row: Row) -> Record:
    """Take one score per system and metric, on each metric's own scale.

    The source prints half-widths of 95 % intervals; a standard error is the half-width over
    1.96. The row of physicians is kept: the catalogue marks it as a line to compare with.
    """
    found = _record(row, "model_name", "metric_id", "score", run="v1")
    half_width = row.number_or_none("ci_halfwidth_as_printed")
    return {
        **found,
        "benchmark": row.text("metric_id").removeprefix("noharm_"),
        "standard_error": None if half_width is None else half_width / _Z95,
        "source_url": row.cells["source_url"],
    }


def _vectara_hhem(row: Row) -> Record:
    """Take summaries with invented content, percent, and two more counts."""
    if (metric := row.text("metric")) not in _HHEM:
        raise row.fault(f'the metric "{metric[:60]}" is unknown')
    found = _record(row, "model", "metric", "score", run="HHEM-2.3", source_url=_at_commit(row))
    return {**found, "benchmark": _HHEM[metric]}


def _lmarena_medicine(row: Row) -> Record:
    """Take the ratings with style control, as the live source has them, and not the plain ones."""
    if not row.text("benchmark").endswith(_STYLE_CONTROL):
        return {}
    day = row.text("as_of")[:10]
    found = _record(row, "model", "benchmark", "score", "stderr", run=day, run_at=day)
    return {**found, "benchmark": "rating", "source_url": _at_commit(row)}


def _medagentsbench(path: Path) -> ScoreTable:
    """Read MedAgentsBench: one accuracy per model and set, answered without examples.

    Where the file of items lies beside that of scores, it is read too: one row per item, one
    column per model, right 1 or wrong 0, empty where the model gave no answer.
    """

    def record(row: Row) -> Record:
        columns = ("model", "benchmark", "score", "stderr")
        return _record(row, *columns, run="zero-shot", source_url=_at_commit(row))

    columns = "model benchmark score stderr source retrieved_path"
    table = _reader("medagentsbench", columns, record)(path)
    beside = path.with_name(path.name.replace("scores", "items"))
    if beside == path or not beside.exists():
        return table
    items = [
        (f"{model}@zero-shot", row.text("dataset"), row.text("item"), 1, score)
        for row in rows(beside, ("dataset", "item"))
        for model in row.cells
        if model not in ("dataset", "item") and (score := row.number_or_none(model)) is not None
    ]
    return replace(table, items=pd.DataFrame(items, columns=list(COLUMNS)))


_CHI_BENCH = (
    *("model", "agent", "team", "submission", "submitted_at", "benchmark", "score", "stderr"),
    *("mean_cost_usd", "mean_walltime_s", "source", "retrieved_path"),
)


def _chi_bench(path: Path) -> ScoreTable:
    """Read χ-Bench: one row per submission and domain, with the standard error over its tasks.

    A model is named with the harness that ran it, as in ``anthropic/claude-opus-5 (claude-code)``:
    both are the identity of what was tested. The publisher's *overall* is a mean over all tasks
    and no test of its own, so it is no score. A run is named by its submission, or by the folder
    of the submission where two have the same name. The model, the harness, the team and the mean
    cost and time of a task, over all tasks and by domain, become facts; a cost or time of 0 was
    not recorded. Where the file of trials lies beside that of results, its trials are the items:
    a task is an item, and a trial without a reward counts as 0, as the publisher counts it.
    """

    def folder(row: Row) -> str:
        """Return the dated folder of a submission, which the file of its trials is named by."""
        parts = row.text("retrieved_path").split("/")
        if len(parts) < 2:
            raise row.fault("the path of the submission names no folder")
        return parts[-2]

    every = list(rows(path, _CHI_BENCH))
    named = {folder(row): row.text("submission") for row in every}
    times = Counter(named.values())
    run_of = {it: it if times[name] > 1 else name for it, name in named.items()}
    records: list[Record] = []
    facts: dict[ModelFact, None] = {}
    for row in every:
        model = f"{row.text('model')} ({row.text('agent')})"
        domain = row.text("benchmark").removeprefix("chi-bench:")
        record: Record = {
            "model": model,
            "run": run_of[folder(row)],
            "run_at": row.cells["submitted_at"],
            "benchmark": domain,
            "score": row.number_or_none("score"),
            "standard_error": row.number_or_none("stderr"),
            "source_url": _at_commit(row),
        }
        where = "" if domain == "overall" else f":{domain}"
        if where:
            records.append(record)
        facts |= dict.fromkeys(
            said(
                model,
                _at_commit(row),
                {
                    "tested_model": row.text("model"),
                    "harness": row.text("agent"),
                    "team": row.text("team"),
                }
                | {
                    f"{field}_per_task{where}": f"{value:.6g}"
                    for field, column in (
                        ("cost_usd", "mean_cost_usd"),
                        ("seconds", "mean_walltime_s"),
                    )
                    if (value := row.number_or_none(column))
                },
            )
        )
    trials = path.with_name(path.name.replace("results", "trials"))
    has_trials = trials != path and trials.exists()
    items = pd.DataFrame(_trials(trials, run_of), columns=list(COLUMNS)) if has_trials else None
    return replace(score_table("chi-bench", records), facts=tuple(facts), items=items)


def _trials(path: Path, run_of: Mapping[str, str]) -> Iterator[tuple[object, ...]]:
    for row in rows(path, ("submission", "domain", "task", "attempt", "reward")):
        if (run := run_of.get(row.text("submission"))) is None:
            raise row.fault(f'the submission "{row.cells["submission"][:80]}" has no results')
        score = row.number_or_none("reward") or 0.0
        row.text("attempt")
        yield run, row.text("domain"), row.text("task"), row.integer_or_none("attempt"), score


_TABLES: dict[str, tuple[str, Callable[[Row], Record]]] = {
    "open-medical-llm": (
        "model_id model_sha dtype run_at results_file benchmark_id accuracy accuracy_stderr "
        "source_url",
        _open_medical_llm,
    ),
    "open-llm-v2": (
        "model_id model_sha precision submitted_on benchmark_id raw_score normalised_score",
        _open_llm_v2,
    ),
    # A model in a release is a run; jury scores are on their scale of 1 to 5.
    "medhelm": (
        "model_name benchmark_id score release",
        lambda row: _record(row, "model_name", "benchmark_id", "score", run=row.text("release")),
    ),
    # The zero-shot table, percent, the task-specific best included; gaps stay gaps.
    "benchhealth": (
        "model_name dataset_id score_percent",
        lambda row: _record(
            row, "model_name", "dataset_id", "score_percent", run="arXiv:2405.00716"
        ),
    ),
    "bridge": ("model_name task_id prompting score_percent", _bridge),
    "noharm": ("model_name metric_id score ci_halfwidth_as_printed source_url", _noharm),
    "lmarena-medicine": (
        "model benchmark score stderr source retrieved_path as_of",
        _lmarena_medicine,
    ),
    "vectara-hhem": ("model metric score source retrieved_path", _vectara_hhem),
}
PARSERS: dict[str, Callable[[Path], ScoreTable]] = {
    **{suite: _reader(suite, *how) for suite, how in _TABLES.items()},
    "chi-bench": _chi_bench,
    "medagentsbench": _medagentsbench,
}
"""What reads a downloaded table of each suite."""
