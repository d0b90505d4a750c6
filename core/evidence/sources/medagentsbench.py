"""MedAgentsBench: seven sets of medical questions, answered by ten models without examples."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pandas as pd

from core.evidence.items import COLUMNS
from core.evidence.sources.table import score_table
from core.evidence.tables import rows

if TYPE_CHECKING:
    from pathlib import Path

    from core.domain import ScoreTable

SUITE = "medagentsbench"
_COLUMNS = ("model", "benchmark", "score", "stderr", "source", "retrieved_path")


def parse(path: Path) -> ScoreTable:
    """Read one accuracy per model and set; each row carries the commit its file was read at.

    Where the file of items lies beside that of scores, it is read too: one row per item, one
    column per model, right 1 or wrong 0, empty where the model gave no answer.
    """
    records = []
    for row in rows(path, _COLUMNS):
        commit, _, file = row.text("retrieved_path").partition(":")
        records.append(
            {
                "model": row.text("model"),
                "run": _run(row.text("model")),
                "benchmark": row.text("benchmark"),
                "score": row.number_or_none("score"),
                "standard_error": row.number_or_none("stderr"),
                "source_url": f"{row.text('source')}/blob/{commit}/{file}",
            }
        )
    beside = path.with_name(path.name.replace("scores", "items"))
    items = _items(beside) if beside != path and beside.exists() else None
    return replace(score_table(SUITE, records), items=items)


def _items(path: Path) -> pd.DataFrame:
    found = []
    for row in rows(path, ("dataset", "item")):
        dataset, item = row.text("dataset"), row.text("item")
        for model in (name for name in row.cells if name not in ("dataset", "item")):
            if (score := row.number_or_none(model)) is not None:
                found.append((_run(model), dataset, item, 1, score))
    return pd.DataFrame(found, columns=list(COLUMNS))


def _run(model: str) -> str:
    return f"{model}@zero-shot"
