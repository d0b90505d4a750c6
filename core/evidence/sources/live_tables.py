"""Leaderboards of the Hub that are one table or a few, each read at a pinned commit."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from core.domain import BadDataError, ScoreTable
from core.evidence.snapshots import SCORE_COLUMNS
from core.evidence.sources.published_tables import BRIDGE_PROTOCOLS
from core.evidence.sources.table import (
    as_number,
    as_positive,
    hub_tables,
    numbered,
    read_json,
    read_parquet,
    said,
    score_table,
)
from core.evidence.tables import rows

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from core.domain import ModelFact
    from core.evidence.sources.table import Record

    Paths = Mapping[str, Path]
    Cells = dict[str, dict[str, object]]
    """Column, row index, value."""

_Z_95 = 1.96
_V2_BENCHMARKS = {
    "IFEval Raw": "ifeval",
    "BBH Raw": "bbh",
    "MATH Lvl 5 Raw": "math_lvl_5",
    "GPQA Raw": "gpqa",
    "MUSR Raw": "musr",
    "MMLU-PRO Raw": "mmlu_pro",
}
_V2_RUN = ("Precision", "Model sha", "Submission Date")
_V2_ABOUT = ("#Params (B)", "Hub License", "Base Model", "MoE", "Flagged")
_BRIDGE_ABOUT = re.compile(
    r"t|#|rank|model|model:.*|domain|licen[cs]e|access.*|.*(average|size|params).*"
)
"""Columns on the model itself, among them numbers that are no scores."""
_ARENA_CATEGORY = "industry_medicine_and_healthcare"
_MEDMARKS_ABOUT = frozenset(
    {"", "model", "weighted_winrate", "simple_winrate", "num_datasets", "rank"}
)


def _only(paths: Paths) -> tuple[str, Path]:
    (found,) = paths.items()
    return found


def _open_llm_v2(paths: Paths, _: str, url: str) -> ScoreTable:
    """Read raw scores 0 to 1; every row is a run, and none is dropped.

    The frame is built by column, since the leaderboard has thousands of rows.
    """
    name, path = _only(paths)
    columns = read_parquet(path, name, ("fullname", *_V2_BENCHMARKS), (*_V2_RUN, *_V2_ABOUT))
    models = columns.texts("fullname")
    if not models:
        raise BadDataError(f"{name} has no rows.")
    if "" in models:
        raise BadDataError(f"{name}, row {models.index('') + 1}: the model has no name.")
    precisions, shas, dates = (columns.texts(column) for column in _V2_RUN)
    # Where the model's commit is not known, the day it was handed in tells its runs apart.
    runs = numbered(
        [
            f"{model}@{precision}@{sha[:12] or date}"
            for model, precision, sha, date in zip(models, precisions, shas, dates, strict=True)
        ]
    )
    texts = {"model": models, "run": runs, "run_at": dates, "precision": precisions}
    scores = np.array([columns.numbers(column) for column in _V2_BENCHMARKS])
    frame = pd.DataFrame(
        {
            column: np.repeat(np.array(values, dtype=object), len(_V2_BENCHMARKS))
            for column, values in (texts | {"model_revision": shas}).items()
        }
    ).assign(
        protocol="",
        benchmark=np.tile(np.array(list(_V2_BENCHMARKS.values()), dtype=object), len(models)),
        score=scores.T.ravel(),
        standard_error=np.nan,
        source_url="",
    )
    licences, bases = columns.texts("Hub License"), columns.texts("Base Model")
    facts: dict[ModelFact, None] = {}
    for i, model in enumerate(models):
        about = {
            "params_b": as_positive(columns.values["#Params (B)"][i]),
            "licence": licences[i],
            "precision": precisions[i],
            # The leaderboard names a model that has no base as its own.
            "base_model": bases[i] if bases[i] != model else "",
            "moe": "true" if columns.values["MoE"][i] is True else "",
            "flagged": "true" if columns.values["Flagged"][i] is True else "",
        }
        facts |= dict.fromkeys(said(model, url, about))
    return ScoreTable("open-llm-v2", frame[list(SCORE_COLUMNS)], tuple(facts))


def _bridge(paths: Paths, _: str, url: str) -> ScoreTable:
    """Read percent per model and clinical task, under three prompting protocols.

    Tasks keep the names that the Space gives them.
    """
    records: list[Record] = []
    facts: dict[ModelFact, None] = {}
    for (name, path), protocol in zip(paths.items(), BRIDGE_PROTOCOLS.values(), strict=True):
        cells = _bridge_cells(read_json(path, name), name)
        records += _bridge_scores(cells, protocol, name)
        for index, model in cells["Model"].items():
            access = str(cells.get("Model: Accessibility", {}).get(index)).casefold()
            about = {
                "params_b": as_positive(cells.get("Size (B)", {}).get(index)),
                "licence": str(cells.get("Model: License", {}).get(index) or ""),
                "access": {"open source": "open", "proprietary": "closed"}.get(access, ""),
            }
            facts |= dict.fromkeys(said(str(model).strip(), url, about))
    return replace(score_table("bridge", records), facts=tuple(facts))


def _bridge_cells(document: object, name: str) -> Cells:
    """Check that a document is a table in which every row has a model."""
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


def _bridge_scores(cells: Cells, protocol: str, name: str) -> Iterator[Record]:
    models = [str(model).strip() for model in cells["Model"].values()]
    runs = numbered([f"{model}@{protocol}" for model in models])
    tasks = [column for column in cells if not _BRIDGE_ABOUT.fullmatch(column.strip().casefold())]
    if not tasks:
        raise BadDataError(f"{name}: there is no column of scores.")
    for index, model, run in zip(cells["Model"], models, runs, strict=True):
        for task in tasks:
            value = cells[task].get(index)
            score = as_number(value)
            if score is None:
                place = f'{name}, "{task[:60]}", row "{index[:20]}"'
                raise BadDataError(f'{place}: "{str(value)[:40]}" is not a number.')
            yield {
                "model": model,
                "run": run,
                "protocol": protocol,
                "benchmark": task.strip(),
                "score": score,
                "standard_error": None,
            }


def _lmarena_medicine(paths: Paths, _: str, url: str) -> ScoreTable:
    """Read the ratings of the medical category: what a crowd of chat users prefers.

    One publication is one leaderboard: ratings of two dates do not compare.
    """
    name, path = _only(paths)
    columns = read_parquet(
        path,
        name,
        ("model_name", "category", "rating"),
        (
            *("rating_lower", "rating_upper", "organization", "license"),
            *("leaderboard_publish_date", "vote_count"),
        ),
    )
    dates = [date[:10] for date in columns.texts("leaderboard_publish_date")]
    categories = columns.texts("category")
    in_category = [i for i, category in enumerate(categories) if category == _ARENA_CATEGORY]
    if not in_category:
        raise BadDataError(f'{name}: no row has the category "{_ARENA_CATEGORY}".')
    newest = max(dates[i] for i in in_category)
    kept = [i for i in in_category if dates[i] == newest]
    models, ratings = columns.texts("model_name"), columns.numbers("rating")
    lower, upper = columns.numbers("rating_lower"), columns.numbers("rating_upper")
    for i in kept:
        if not models[i]:
            raise BadDataError(f"{name}, row {i + 1}: the model has no name.")
    runs = numbered([f"{models[i]}@{newest}" for i in kept])
    developers, licences = columns.texts("organization"), columns.texts("license")
    facts: dict[ModelFact, None] = {}
    records: list[Record] = []
    for i, run in zip(kept, runs, strict=True):
        about = {"developer": developers[i], "licence": licences[i]}
        about["votes"] = as_positive(columns.values["vote_count"][i])
        facts |= dict.fromkeys(said(models[i], url, about))
        # The bounds are those of a 95 % interval, of which a normal standard error is the half
        # width divided by 1.96; the interval is bootstrapped, so this is close and not exact.
        width = upper[i] - lower[i]
        records.append(
            {
                "model": models[i],
                "run": run,
                "run_at": newest,
                "benchmark": "rating",
                "score": ratings[i],
                "standard_error": width / (2 * _Z_95) if width >= 0 else math.nan,
            }
        )
    return replace(score_table("lmarena-medicine", records), facts=tuple(facts))


def _medmarks(paths: Paths, sha: str, _: str) -> ScoreTable:
    """Read mean rewards on open medical tasks, which a language model mostly judges.

    Win rates are computed here, so the source's own are not read.
    """
    read = list(rows(_only(paths)[1], ("model",)))
    runs = numbered([f"{row.text('model')}@{sha[:12]}" for row in read])
    return score_table(
        "medmarks",
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
            if column not in _MEDMARKS_ABOUT
        ),
    )


OPEN_LLM_V2 = hub_tables(
    "open-llm-v2",
    "open-llm-leaderboard/contents",
    "dataset",
    ["data/train-00000-of-00001.parquet"],
    _open_llm_v2,
)
BRIDGE = hub_tables(
    "bridge",
    "YLab-Open/BRIDGE-Medical-Leaderboard",
    "space",
    [f"leaderboards/{printed}_leaderboard.json" for printed in BRIDGE_PROTOCOLS],
    _bridge,
    licence="MIT",
)
LMARENA_MEDICINE = hub_tables(
    "lmarena-medicine",
    "lmarena-ai/leaderboard-dataset",
    "dataset",
    ["text_style_control/latest-00000-of-00001.parquet"],
    _lmarena_medicine,
    note="Crowd preference: how people liked the answers, not whether they were right.",
    dated_by_runs=True,
)
MEDMARKS = hub_tables(
    "medmarks",
    "bwarner/inference-scratch-llm",
    "dataset",
    ["winrate/latest.csv"],
    _medmarks,
    unlicensed="No licence was seen: ask the source before you publish the scores.",
)
