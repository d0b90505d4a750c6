"""χ-Bench: long tasks of a simulated payer and provider, per model with its agent harness.

A model is named with the harness that ran it, as in ``anthropic/claude-opus-5 (claude-code)``:
both are the identity of what was tested. The publisher's *overall* is a mean over all tasks and
no test of its own, so it is not read.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

import pandas as pd

from core.domain import ModelFact
from core.evidence.items import COLUMNS
from core.evidence.sources.table import score_table
from core.evidence.tables import rows

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from core.domain import ScoreTable
    from core.evidence.tables import Row

SUITE = "chi-bench"
_OVERALL = "overall"
_COLUMNS = (
    *("model", "agent", "team", "submission", "submitted_at", "benchmark", "score", "stderr"),
    *("mean_cost_usd", "mean_walltime_s", "source", "retrieved_path"),
)
_RECORDED = {
    "cost_usd_per_task": "mean_cost_usd",
    "seconds_per_task": "mean_walltime_s",
}


def parse(path: Path) -> ScoreTable:
    """Read one row per submission and domain, with the standard error over its tasks.

    A run is named by its submission, or by the folder of the submission where two have the same
    name. The model, the harness, the team and the mean cost and time of a task, over all tasks
    and by domain, become facts; a cost or time of 0 was not recorded. Where the file of trials
    lies beside that of results, its trials are the items: a task is an item, and a trial without
    a reward counts as 0, as the publisher counts it.
    """
    every = list(rows(path, _COLUMNS))
    folders = Counter(name for name, _ in {(it.text("submission"), _folder(it)) for it in every})
    run_of = {
        _folder(it): _folder(it) if folders[it.text("submission")] > 1 else it.text("submission")
        for it in every
    }
    read = [(row, row.text("benchmark").removeprefix(f"{SUITE}:")) for row in every]
    table = score_table(
        SUITE,
        (
            {
                "model": _system(row),
                "run": run_of[_folder(row)],
                "run_at": row.cells["submitted_at"],
                "benchmark": domain,
                "score": row.number_or_none("score"),
                "standard_error": row.number_or_none("stderr"),
                "source_url": _source_url(row),
            }
            for row, domain in read
            if domain != _OVERALL
        ),
    )
    facts = {fact: None for row, domain in read for fact in _facts(row, domain)}
    trials = path.with_name(path.name.replace("results", "trials"))
    items = _items(trials, run_of) if trials != path and trials.exists() else None
    return replace(table, facts=tuple(facts), items=items)


def _items(path: Path, run_of: Mapping[str, str]) -> pd.DataFrame:
    found = []
    for row in rows(path, ("submission", "domain", "task", "attempt", "reward")):
        if (run := run_of.get(row.text("submission"))) is None:
            raise row.fault(f'the submission "{row.cells["submission"][:80]}" has no results')
        score = row.number_or_none("reward") or 0.0
        attempt = row.integer_or_fail("attempt")
        found.append((run, row.text("domain"), row.text("task"), attempt, score))
    return pd.DataFrame(found, columns=list(COLUMNS))


def _system(row: Row) -> str:
    return f"{row.text('model')} ({row.text('agent')})"


def _folder(row: Row) -> str:
    """Return the dated folder of a submission, which the file of its trials is named by."""
    parts = row.text("retrieved_path").split("/")
    if len(parts) < 2:
        raise row.fault("the path of the submission names no folder")
    return parts[-2]


def _source_url(row: Row) -> str:
    commit, _, path = row.text("retrieved_path").partition(":")
    return f"{row.text('source')}/blob/{commit}/{path}"


def _facts(row: Row, domain: str) -> Iterator[ModelFact]:
    model, source = _system(row), _source_url(row)
    for field, column in (("tested_model", "model"), ("harness", "agent"), ("team", "team")):
        yield ModelFact(model, field, row.text(column), source)
    for field, column in _RECORDED.items():
        if value := row.number_or_none(column):
            where = "" if domain == _OVERALL else f":{domain}"
            yield ModelFact(model, f"{field}{where}", f"{value:.6g}", source)
