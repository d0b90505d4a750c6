"""Open LLM Leaderboard v2: raw scores 0 to 1, several precisions of a model kept apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from core.domain import BadDataError, ModelFact, ScoreTable
from core.evidence.snapshots import SCORE_COLUMNS
from core.evidence.sources.table import (
    Columns,
    Pulled,
    as_positive,
    numbered,
    read_parquet,
    score_table,
)
from core.evidence.tables import rows

if TYPE_CHECKING:
    from pathlib import Path

    from core.evidence.hub import Hub, RepoType
    from core.evidence.sources.table import Progress

SUITE = "open-llm-v2"
REPO_ID = "open-llm-leaderboard/contents"
REPO_TYPE: RepoType = "dataset"
_URL = f"https://huggingface.co/datasets/{REPO_ID}"
_FILE = "data/train-00000-of-00001.parquet"
_BENCHMARKS = {
    "IFEval Raw": "ifeval",
    "BBH Raw": "bbh",
    "MATH Lvl 5 Raw": "math_lvl_5",
    "GPQA Raw": "gpqa",
    "MUSR Raw": "musr",
    "MMLU-PRO Raw": "mmlu_pro",
}
_RUN = ("Precision", "Model sha", "Submission Date")
_ABOUT = ("#Params (B)", "Hub License", "Base Model", "MoE", "Flagged")


def parse(path: Path) -> ScoreTable:
    """Read raw scores; the leaderboard's normalised scores are not used by any statistic."""
    columns = (
        *("model_id", "model_sha", "precision", "submitted_on", "benchmark_id"),
        *("raw_score", "normalised_score"),
    )
    return score_table(
        SUITE,
        (
            {
                "model": row.text("model_id"),
                "run": f"{row.text('model_id')}@{row.cells['precision']}"
                f"@{row.cells['model_sha'][:12]}",
                "run_at": row.cells["submitted_on"],
                "precision": row.cells["precision"],
                "model_revision": row.cells["model_sha"],
                "benchmark": row.text("benchmark_id"),
                "score": row.number_or_none("raw_score"),
            }
            for row in rows(path, columns)
        ),
    )


def newest(hub: Hub) -> tuple[str, str]:
    """Return the newest commit and its date."""
    return hub.commit(REPO_ID, REPO_TYPE)


def pull(
    hub: Hub, *, progress: Progress | None = None, commit: tuple[str, str] | None = None
) -> Pulled:
    """Read the leaderboard's table at a commit; every row is a run, and none is dropped."""
    sha, as_of = commit or newest(hub)
    path = hub.fetch(REPO_ID, REPO_TYPE, sha, _FILE)
    if progress:
        progress(1, 1)
    try:
        columns = read_parquet(path, _FILE, ("fullname", *_BENCHMARKS), (*_RUN, *_ABOUT))
        table = ScoreTable(SUITE, _frame(columns), _facts(columns))
    except BadDataError:
        hub.discard(path)
        raise
    return Pulled(
        table=table,
        revision=sha[:12],
        as_of=as_of,
        source_url=_URL,
        licence=hub.licence(REPO_ID, REPO_TYPE) or "not stated by the source",
        note="",
    )


def _frame(columns: Columns) -> pd.DataFrame:
    """Return the long table; built by column, since the leaderboard has thousands of rows."""
    models = columns.texts("fullname")
    if not models:
        raise BadDataError(f"{columns.file} has no rows.")
    if "" in models:
        raise BadDataError(f"{columns.file}, row {models.index('') + 1}: the model has no name.")
    precisions, shas, dates = (columns.texts(column) for column in _RUN)
    # Where the model's commit is not known, the day it was handed in tells its runs apart.
    runs = numbered(
        [
            f"{model}@{precision}@{sha[:12] or date}"
            for model, precision, sha, date in zip(models, precisions, shas, dates, strict=True)
        ]
    )
    scores = np.array([columns.numbers(column) for column in _BENCHMARKS])
    n_benchmarks = len(_BENCHMARKS)
    frame = pd.DataFrame(
        {
            "model": np.repeat(np.array(models, dtype=object), n_benchmarks),
            "run": np.repeat(np.array(runs, dtype=object), n_benchmarks),
            "run_at": np.repeat(np.array(dates, dtype=object), n_benchmarks),
            "precision": np.repeat(np.array(precisions, dtype=object), n_benchmarks),
            "protocol": "",
            "model_revision": np.repeat(np.array(shas, dtype=object), n_benchmarks),
            "benchmark": np.tile(np.array(list(_BENCHMARKS.values()), dtype=object), len(models)),
            "score": scores.T.ravel(),
            "standard_error": np.nan,
            "source_url": "",
        }
    )
    return frame[list(SCORE_COLUMNS)]


def _facts(columns: Columns) -> tuple[ModelFact, ...]:
    """Return what the rows say of the models, each thing once."""
    models, precisions = columns.texts("fullname"), columns.texts("Precision")
    params = [as_positive(value) for value in columns.values["#Params (B)"]]
    licences, bases = columns.texts("Hub License"), columns.texts("Base Model")
    said: dict[tuple[str, str, str], None] = {}
    for i, model in enumerate(models):
        for field, value in (
            ("params_b", params[i]),
            ("licence", licences[i]),
            ("precision", precisions[i]),
            # The leaderboard names a model that has no base as its own.
            ("base_model", bases[i] if bases[i] != model else ""),
            ("moe", "true" if columns.values["MoE"][i] is True else ""),
            ("flagged", "true" if columns.values["Flagged"][i] is True else ""),
        ):
            if value:
                said[model, field, value] = None
    return tuple(ModelFact(*thing, _URL) for thing in said)
