"""Tables of one layout: a row for each model, benchmark and metric, with its error and source.

A benchmark is called as its table prints it, or by its name here where that is a phrase; a metric
beside the main one is a benchmark of its own, as in ``icd10_coding:exact_match_recall``. Where a
file of items lies beside the file of scores, it is read too.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import pandas as pd

from core.domain import ModelFact
from core.evidence.flags import LENGTH
from core.evidence.items import COLUMNS
from core.evidence.sources import score_table
from core.evidence.tables import rows

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator
    from pathlib import Path

    from core.domain import ScoreTable
    from core.evidence.sources import Record

_COLUMNS = ("suite", "model", "benchmark", "metric", "score", "n_items", "stderr", "source")
_SUITES = {
    "medbench-brasil": ("medbench-brasil", "three-runs"),
    "germedbench": ("germedbench", "one-run"),
    "noharm-ai-summary": ("noharm-ai-diagnoses", "one-run"),
    "livemedbench": ("livemedbench", "2026-02-01"),
    "noharm-v2-open": ("noharm-v2-open", "v2"),
    "sct-open": ("noharm-v2-open", "v2"),
    "medhelm-v5.0.0": ("medhelm-v5", "v5.0.0"),
}
"""By what a table calls its suite: the suite, and what its runs are called."""
_NAMES = {
    "diagnosis list for the discharge summary, judge o3": "diagnoses",
    "diagnosis list for the discharge summary, judge GPT-4o": "diagnoses_gpt4o",
    "diagnosis list for the discharge summary, judge o3, prompt repeated": "diagnoses_repeated",
    "all cases": "all_cases",
    "cases after the model's cut-off": "after_cutoff",
    "First Do NOHARM v2, open subset": "donoharm",
    "Script Concordance Test, open subset": "script_concordance",
    "mean win rate over the suite": "win_rate",
}
_MAIN = re.compile(
    r".* \(primary\)|accuracy, mean of 3 runs|F1|F1_weighted|rubric score|sct_score|"
    r"mean win rate in the release pool of \d+ models"
)
_ITEM_OF = {"top-1 diagnosis": ":top1_accuracy"}
"""By what an item is scored for: the metric that is its mean, where that is not the main one."""
_SOURCE = re.compile(r"(github\.com/[^/]+/[^/]+)/(\S+)@([0-9a-f]{7,40})\b.*")


def _read(suite: str, path: Path) -> ScoreTable:
    records: list[Record] = []
    counts: dict[tuple[str, str], float | None] = {}
    run = dict(_SUITES.values())[suite]
    for row in rows(path, _COLUMNS):
        if _SUITES.get(row.text("suite"), ("", ""))[0] != suite:
            raise row.fault(f'the suite "{row.cells["suite"][:40]}" is not {suite}')
        main = _MAIN.fullmatch(row.text("metric"))
        name = _NAMES.get(row.text("benchmark"), row.cells["benchmark"])
        record: Record = {
            "model": row.text("model"),
            "run": f"{row.text('model')}@{run}",
            "benchmark": name if main else f"{name}:{row.cells['metric'].lower()}",
            "score": row.number_or_none("score"),
            "standard_error": row.number_or_none("stderr"),
            "source_url": _SOURCE.sub(r"https://\1/blob/\3/\2", row.text("source")),
        }
        records.append(record)
        key = (str(record["model"]), str(record["benchmark"]))
        counts[key] = row.number_or_none("n_items") if row.cells["n_items"].isdigit() else None
    found = score_table(suite, records)
    beside = path.with_name(path.name.replace("scores", "items"))
    if beside == path or not beside.exists():
        return found
    items = pd.DataFrame(_items(beside, run, counts), columns=[*COLUMNS, "model", "fact", "value"])
    # A score over fewer items, such as those with an answer only, is not the mean of these; nor do
    # those serve among which one was counted wrong, as an F1 of 1.0045.
    own = items.groupby(["run", "benchmark"])
    sound = own["score"].transform("min").ge(0) & own["score"].transform("max").le(1)
    of = zip(items["model"], items["benchmark"], own["item"].transform("nunique"), strict=True)
    kept = sound & pd.Series([counts[model, benchmark] == n for model, benchmark, n in of])
    urls = {(str(it["model"]), str(it["benchmark"])): str(it["source_url"]) for it in records}
    return replace(found, items=items.loc[kept, list(COLUMNS)], facts=tuple(_facts(items, urls)))


def _items(
    path: Path, run: str, scored: Collection[tuple[str, str]]
) -> Iterator[tuple[object, ...]]:
    """Yield items from 0 to 1, with what is said of the answer; points from 1 to 5 are moved there.

    An item without an attempt is the one there is.
    """
    for row in rows(path, ("model", "benchmark", "item")):
        column = next((name for name in ("correct", "f1") if name in row.cells), "score")
        score, of = row.number_or_fail(column), row.cells.get("metric", "")
        name = _NAMES.get(row.text("benchmark"), row.cells["benchmark"]) + _ITEM_OF.get(of, "")
        if (row.text("model"), name) not in scored:
            raise row.fault(f'"{row.cells["model"][:60]}" has no score on {name[:60]}')
        attempt = row.integer_or_none("attempt") if "attempt" in row.cells else 1
        fact = next((name for name in ("contamination", LENGTH) if name in row.cells), "")
        yield (
            *(f"{row.cells['model']}@{run}", name, row.text("item"), attempt),
            (score - 1) / 4 if of.endswith("1-5") else score,
            *(row.cells["model"], fact, row.cells.get(fact, "")),
        )


def _facts(items: pd.DataFrame, urls: dict[tuple[str, str], str]) -> Iterator[ModelFact]:
    """Yield by model and benchmark the publisher's mark, or the mean length of an answer."""
    told = items[items["fact"] != ""].groupby(["model", "benchmark", "fact"], sort=False)["value"]
    for key, values in told:
        model, benchmark, fact = map(str, key)
        is_length = fact == LENGTH
        value = f"{values.astype(float).mean():.0f}" if is_length else "; ".join(values.unique())
        yield ModelFact(model, f"{fact}:{benchmark}", value, urls[model, benchmark])


READERS: dict[str, Callable[[Path], ScoreTable]] = {
    suite: partial(_read, suite) for suite in dict.fromkeys(suite for suite, _ in _SUITES.values())
}
