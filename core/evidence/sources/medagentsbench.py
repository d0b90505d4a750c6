"""MedAgentsBench: seven sets of medical questions, answered by ten models without examples."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.evidence.sources.table import score_table
from core.evidence.tables import rows

if TYPE_CHECKING:
    from pathlib import Path

    from core.domain import ScoreTable

SUITE = "medagentsbench"
_COLUMNS = ("model", "benchmark", "score", "stderr", "source", "retrieved_path")


def parse(path: Path) -> ScoreTable:
    """Read one accuracy per model and set; each row carries the commit its file was read at."""
    records = []
    for row in rows(path, _COLUMNS):
        commit, _, file = row.text("retrieved_path").partition(":")
        records.append(
            {
                "model": row.text("model"),
                "run": f"{row.text('model')}@zero-shot",
                "benchmark": row.text("benchmark"),
                "score": row.number_or_none("score"),
                "standard_error": row.number_or_none("stderr"),
                "source_url": f"{row.text('source')}/blob/{commit}/{file}",
            }
        )
    return score_table(SUITE, records)
