"""Tables that papers and releases print, one score per model and benchmark, with no live source."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.evidence.sources.table import score_table
from core.evidence.tables import rows

if TYPE_CHECKING:
    from pathlib import Path

    from core.domain import ScoreTable

_Z95 = 1.959963984540054


def medhelm(path: Path) -> ScoreTable:
    """Read MedHELM: a run is a model in a release, jury scores are on their scale of 1 to 5."""
    return score_table(
        "medhelm",
        (
            {
                "model": row.text("model_name"),
                "run": f"{row.text('model_name')}@{row.text('release')}",
                "benchmark": row.text("benchmark_id"),
                "score": row.number_or_none("score"),
            }
            for row in rows(path, ("model_name", "benchmark_id", "score", "release"))
        ),
    )


def benchhealth(path: Path) -> ScoreTable:
    """Read BenchHealth's zero-shot table, percent; the task-specific state of the art included.

    Gaps in the paper stay gaps.
    """
    return score_table(
        "benchhealth",
        (
            {
                "model": row.text("model_name"),
                "run": f"{row.text('model_name')}@arXiv:2405.00716",
                "benchmark": row.text("dataset_id"),
                "score": row.number_or_none("score_percent"),
            }
            for row in rows(path, ("model_name", "dataset_id", "score_percent"))
        ),
    )


def noharm(path: Path) -> ScoreTable:
    """Read NOHARM: one score per system and metric, on each metric's own scale.

    The source prints half-widths of 95 % intervals; a standard error is the half-width over
    1.96. The row of physicians is kept: the catalogue marks it as a line to compare with.
    """
    columns = ("model_name", "metric_id", "score", "ci_halfwidth_as_printed", "source_url")
    records = []
    for row in rows(path, columns):
        score = row.number_or_none("score")
        half_width = row.number_or_none("ci_halfwidth_as_printed")
        records.append(
            {
                "model": row.text("model_name"),
                "run": f"{row.text('model_name')}@v1",
                "benchmark": row.text("metric_id").removeprefix("noharm_"),
                "score": score,
                "standard_error": None if half_width is None else half_width / _Z95,
                "source_url": row.cells["source_url"],
            }
        )
    return score_table("noharm", records)


_HHEM = {
    "hallucination rate percent (lower is better)": "invented_content",
    "answer rate percent": "answer_rate",
    "mean summary length words": "summary_length",
}


def vectara_hhem(path: Path) -> ScoreTable:
    """Read Vectara's leaderboard: summaries with invented content, percent, and two more counts."""
    records = []
    for row in rows(path, ("model", "metric", "score", "source", "retrieved_path")):
        if (metric := row.text("metric")) not in _HHEM:
            raise row.fault(f'the metric "{metric[:60]}" is unknown')
        commit, _, file = row.text("retrieved_path").partition(":")
        records.append(
            {
                "model": row.text("model"),
                "run": f"{row.text('model')}@HHEM-2.3",
                "benchmark": _HHEM[metric],
                "score": row.number_or_none("score"),
                "source_url": f"{row.text('source')}/blob/{commit}/{file}",
            }
        )
    return score_table("vectara-hhem", records)
