"""BRIDGE: percent per model and clinical task, under three prompting protocols."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from core.domain import BadDataError, ModelFact, ScoreTable
from core.evidence.sources.table import (
    Pulled,
    as_number,
    as_positive,
    numbered,
    read_json,
    score_table,
)
from core.evidence.tables import rows

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from core.evidence.hub import Hub, RepoType
    from core.evidence.sources.table import Progress

SUITE = "bridge"
REPO_ID = "YLab-Open/BRIDGE-Medical-Leaderboard"
REPO_TYPE: RepoType = "space"
_URL = f"https://huggingface.co/spaces/{REPO_ID}"
_FOLDER = "leaderboards"
_PROTOCOLS = {"Zero-Shot": "zero-shot", "Few-Shot": "few-shot", "CoT": "chain-of-thought"}
_METADATA = re.compile(
    r"t|#|rank|model|model:.*|domain|licen[cs]e|access.*|.*(average|size|params).*"
)
"""Columns on the model itself, among them numbers that are no scores."""


def parse(path: Path) -> ScoreTable:
    """Read all three protocols; each is a run of its own and never mixed with another."""

    def records() -> Iterator[dict[str, str | float | None]]:
        for row in rows(path, ("model_name", "task_id", "prompting", "score_percent")):
            if (printed := row.text("prompting")) not in _PROTOCOLS:
                raise row.fault(f'the prompting protocol "{printed[:40]}" is unknown')
            yield {
                "model": row.text("model_name"),
                "run": f"{row.text('model_name')}@{_PROTOCOLS[printed]}",
                "protocol": _PROTOCOLS[printed],
                "benchmark": row.text("task_id"),
                "score": row.number_or_none("score_percent"),
            }

    return score_table(SUITE, records())


def newest(hub: Hub) -> tuple[str, str]:
    """Return the newest commit and its date."""
    return hub.commit(REPO_ID, REPO_TYPE)


def pull(
    hub: Hub, *, progress: Progress | None = None, commit: tuple[str, str] | None = None
) -> Pulled:
    """Read the three tables of the leaderboard's Space at a commit.

    Tasks keep the names that the Space gives them.
    """
    sha, as_of = commit or newest(hub)
    hub.files(REPO_ID, REPO_TYPE, sha, _FOLDER)
    names = {f"{_FOLDER}/{printed}_leaderboard.json": _PROTOCOLS[printed] for printed in _PROTOCOLS}
    paths = hub.fetch_many(REPO_ID, REPO_TYPE, sha, list(names), progress=progress)
    records: list[dict[str, str | float | None]] = []
    facts: dict[ModelFact, None] = {}
    for name, protocol in names.items():
        try:
            table = _columns(read_json(paths[name], name), name)
            records += _scores(table, protocol, name)
        except BadDataError:
            hub.discard(paths[name])
            raise
        facts |= dict.fromkeys(_facts(table))
    return Pulled(
        table=replace(score_table(SUITE, records), facts=tuple(facts)),
        revision=sha[:12],
        as_of=as_of,
        source_url=_URL,
        licence=hub.licence(REPO_ID, REPO_TYPE) or "MIT",
        note="",
    )


def _columns(document: object, name: str) -> dict[str, dict[str, object]]:
    """Return column, row index, value; every row has a model."""
    if not isinstance(document, dict) or not document:
        raise BadDataError(f"{name}: an object with one entry a column is expected.")
    for column, cells in document.items():
        if not isinstance(cells, dict):
            raise BadDataError(
                f'{name}, "{column[:60]}": an object with one entry a row is expected.'
            )
    models = document.get("Model")
    if not models:
        raise BadDataError(f'{name}: the column "Model" is missing or empty.')
    for index, model in models.items():
        if not isinstance(model, str) or not model.strip():
            raise BadDataError(f'{name}, "Model", row "{index[:20]}": the model has no name.')
    return document


def _scores(
    table: dict[str, dict[str, object]], protocol: str, name: str
) -> Iterator[dict[str, str | float | None]]:
    models = {index: str(model).strip() for index, model in table["Model"].items()}
    runs = dict(
        zip(models, numbered([f"{model}@{protocol}" for model in models.values()]), strict=True)
    )
    tasks = [column for column in table if not _METADATA.fullmatch(column.strip().casefold())]
    if not tasks:
        raise BadDataError(f"{name}: there is no column of scores.")
    for index, model in models.items():
        for task in tasks:
            value = table[task].get(index)
            score = as_number(value)
            if score is None:
                place = f'{name}, "{task[:60]}", row "{index[:20]}"'
                raise BadDataError(f'{place}: "{str(value)[:40]}" is not a number.')
            yield {
                "model": model,
                "run": runs[index],
                "protocol": protocol,
                "benchmark": task.strip(),
                "score": score,
                "standard_error": None,
            }


def _facts(table: dict[str, dict[str, object]]) -> Iterator[ModelFact]:
    access = {"open source": "open", "proprietary": "closed"}
    for index, model in table["Model"].items():
        for field, value in (
            ("params_b", as_positive(table.get("Size (B)", {}).get(index))),
            ("licence", str(table.get("Model: License", {}).get(index) or "")),
            (
                "access",
                access.get(str(table.get("Model: Accessibility", {}).get(index)).casefold(), ""),
            ),
        ):
            if value:
                yield ModelFact(str(model).strip(), field, value, _URL)
