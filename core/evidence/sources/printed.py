"""The tables that a person downloads, a reader a suite: each makes the one long table of scores."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

import pandas as pd

from core.domain import ModelFact
from core.evidence.items import COLUMNS
from core.evidence.sources import BRIDGE_PROTOCOLS, flat, said, score_table
from core.evidence.tables import rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from core.domain import ScoreTable
    from core.evidence.sources import Record
    from core.evidence.tables import Row

_Z95 = 1.959963984540054
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
    **flat.READERS,
}
"""What reads a downloaded table of each suite."""
