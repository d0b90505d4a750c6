"""LMArena, medicine and healthcare: what a crowd of chat users prefers, as a rating.

Crowd preference is liking, not correctness; the catalogue's words for the suite say so.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from core.domain import BadDataError, ModelFact
from core.evidence.sources.table import Pulled, as_positive, numbered, read_parquet, score_table
from core.evidence.tables import rows

if TYPE_CHECKING:
    from pathlib import Path

    from core.domain import ScoreTable
    from core.evidence.hub import Hub, RepoType
    from core.evidence.sources.table import Columns, Progress

SUITE = "lmarena-medicine"
REPO_ID = "lmarena-ai/leaderboard-dataset"
REPO_TYPE: RepoType = "dataset"
_URL = f"https://huggingface.co/datasets/{REPO_ID}"
_FILE = "text_style_control/latest-00000-of-00001.parquet"
_CATEGORY = "industry_medicine_and_healthcare"
_NEEDED = ("model_name", "category", "rating")
_WANTED = (
    *("rating_lower", "rating_upper", "organization", "license"),
    *("leaderboard_publish_date", "vote_count"),
)
_STYLE_CONTROL = "style control)"
_Z_95 = 1.96


def parse(path: Path) -> ScoreTable:
    """Read the ratings with style control, as the live source has them; the plain ones are not."""
    columns = ("model", "benchmark", "score", "stderr", "source", "retrieved_path", "as_of")
    records = []
    for row in rows(path, columns):
        if not row.text("benchmark").endswith(_STYLE_CONTROL):
            continue
        day = row.text("as_of")[:10]
        commit, _, file = row.text("retrieved_path").partition(":")
        records.append(
            {
                "model": row.text("model"),
                "run": f"{row.text('model')}@{day}",
                "run_at": day,
                "benchmark": "rating",
                "score": row.number_or_none("score"),
                "standard_error": row.number_or_none("stderr"),
                "source_url": f"{row.text('source')}/blob/{commit}/{file}",
            }
        )
    return score_table(SUITE, records)


def newest(hub: Hub) -> tuple[str, str]:
    """Return the newest commit and its date."""
    return hub.commit(REPO_ID, REPO_TYPE)


def pull(
    hub: Hub, *, progress: Progress | None = None, commit: tuple[str, str] | None = None
) -> Pulled:
    """Read the ratings of the medical category at a commit."""
    sha, changed = commit or newest(hub)
    path = hub.fetch(REPO_ID, REPO_TYPE, sha, _FILE)
    if progress:
        progress(1, 1)
    try:
        table = _table(read_parquet(path, _FILE, _NEEDED, _WANTED))
    except BadDataError:
        hub.discard(path)
        raise
    return Pulled(
        table=table,
        revision=sha[:12],
        as_of=max(table.frame["run_at"]) or changed,
        source_url=_URL,
        licence=hub.licence(REPO_ID, REPO_TYPE) or "not stated by the source",
        note="Crowd preference: how people liked the answers, not whether they were right.",
    )


def _table(columns: Columns) -> ScoreTable:
    dates = [date[:10] for date in columns.texts("leaderboard_publish_date")]
    categories = columns.texts("category")
    in_category = [i for i, category in enumerate(categories) if category == _CATEGORY]
    if not in_category:
        raise BadDataError(f'{_FILE}: no row has the category "{_CATEGORY}".')
    # One publication is one leaderboard: ratings of two dates do not compare.
    newest = max(dates[i] for i in in_category)
    kept = [i for i in in_category if dates[i] == newest]
    models, ratings = columns.texts("model_name"), columns.numbers("rating")
    lower, upper = columns.numbers("rating_lower"), columns.numbers("rating_upper")
    for i in kept:
        if not models[i]:
            raise BadDataError(f"{_FILE}, row {i + 1}: the model has no name.")
    runs = numbered([f"{models[i]}@{newest}" for i in kept])
    developers, licences = columns.texts("organization"), columns.texts("license")
    votes = [as_positive(value) for value in columns.values["vote_count"]]
    facts = {
        ModelFact(models[i], field, value, _URL): None
        for i in kept
        for field, value in (
            ("developer", developers[i]),
            ("licence", licences[i]),
            ("votes", votes[i]),
        )
        if value
    }
    table = score_table(
        SUITE,
        (
            {
                "model": models[i],
                "run": run,
                "run_at": newest,
                "benchmark": "rating",
                "score": ratings[i],
                # The bounds are those of a 95 % interval, of which a normal standard error is
                # the half width divided by 1.96; the interval is bootstrapped, so this is close
                # and not exact.
                "standard_error": _standard_error(lower[i], upper[i]),
            }
            for i, run in zip(kept, runs, strict=True)
        ),
    )
    return replace(table, facts=tuple(facts))


def _standard_error(lower: float, upper: float) -> float:
    return (upper - lower) / (2 * _Z_95) if upper >= lower else math.nan
