"""Medmarks: mean rewards of models on open medical tasks, which a language model mostly judges."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.domain import BadDataError
from core.evidence.sources.table import Pulled, numbered, score_table
from core.evidence.tables import rows

if TYPE_CHECKING:
    from core.evidence.hub import Hub, RepoType
    from core.evidence.sources.table import Progress

SUITE = "medmarks"
REPO_ID = "bwarner/inference-scratch-llm"
REPO_TYPE: RepoType = "dataset"
_URL = f"https://huggingface.co/datasets/{REPO_ID}"
_FILE = "winrate/latest.csv"
_NO_BENCHMARK = frozenset(
    {"", "model", "weighted_winrate", "simple_winrate", "num_datasets", "rank"}
)


def newest(hub: Hub) -> tuple[str, str]:
    """Return the newest commit and its date."""
    return hub.commit(REPO_ID, REPO_TYPE)


def pull(
    hub: Hub, *, progress: Progress | None = None, commit: tuple[str, str] | None = None
) -> Pulled:
    """Read the table at a commit; win rates are computed here, so its own are not read."""
    sha, changed = commit or newest(hub)
    path = hub.fetch(REPO_ID, REPO_TYPE, sha, _FILE)
    if progress:
        progress(1, 1)
    try:
        read = list(rows(path, ("model",)))
        runs = numbered([f"{row.text('model')}@{sha[:12]}" for row in read])
        table = score_table(
            SUITE,
            (
                {
                    "model": row.text("model"),
                    "run": run,
                    "benchmark": column,
                    "score": row.number_or_none(column),
                    "standard_error": None,
                }
                for row, run in zip(read, runs, strict=True)
                for column in row.cells
                if column not in _NO_BENCHMARK
            ),
        )
    except BadDataError:
        hub.discard(path)
        raise
    licence = hub.licence(REPO_ID, REPO_TYPE)
    return Pulled(
        table=table,
        revision=sha[:12],
        as_of=changed,
        source_url=_URL,
        licence=licence or "not stated by the source",
        note=""
        if licence
        else "No licence was seen: ask the source before you publish the scores.",
    )
