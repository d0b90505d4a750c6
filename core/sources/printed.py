"""The tables that a person downloads: each becomes the one long table of scores.

``_TABLES`` has those of a layout of their own. ``_COMMON`` has those of one layout: a row for each
model, benchmark and metric, with its error and source. There a benchmark is called as its table
prints it, or by its name in sources.toml where that is a phrase; any further metric is a benchmark
of its own, as in ``icd10_coding:exact_match_recall``. Where a file of items is next to the file of
scores, it is read too.
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

import pandas as pd

from core.domain import Z95, ModelFact, ScoreTable
from core.evidence.flags import LENGTH
from core.evidence.items import ITEM_COLUMNS
from core.evidence.model_facts import said
from core.evidence.score_tables import ScoreRecord, score_table
from core.evidence.tables import Row, rows
from core.sources import ABOUT, BRIDGE_PROTOCOLS

_HHEM: dict[str, str] = ABOUT["metrics"]["vectara-hhem"]


def _at_commit(row: Row) -> str:
    commit, _, file = row.text("retrieved_path").partition(":")
    return f"{row.text('source')}/blob/{commit}/{file}"


def _record(row: Row, columns: str, *, run: str, **more: str | float | None) -> ScoreRecord:
    """Return a score by the columns of model, benchmark, score and, if any, standard error."""
    model, benchmark, score, *error = columns.split()
    return {
        "model": row.text(model),
        "run": f"{row.text(model)}@{run}",
        "benchmark": row.text(benchmark),
        "score": row.number_or_none(score),
        "standard_error": row.number_or_none(error[0]) if error else "",
        "row": row.number,
        **more,
    }


def _open_medical_llm(row: Row) -> ScoreRecord:
    """Name a run by model and results file; the times printed are kept, valid or not."""
    return _record(
        row,
        "model_id benchmark_id accuracy accuracy_stderr",
        run=row.text("results_file"),
        run_at=row.cells["run_at"],
        precision=row.cells["dtype"].removeprefix("torch."),
        model_revision=row.cells["model_sha"],
        source_url=row.cells["source_url"],
    )


def _open_llm_v2(row: Row) -> ScoreRecord:
    """Take raw scores; the leaderboard's normalised scores are not used by any statistic."""
    precision, sha = row.cells["precision"], row.cells["model_sha"]
    return _record(
        row,
        "model_id benchmark_id raw_score",
        run=f"{precision}@{sha[:12]}",
        run_at=row.cells["submitted_on"],
        precision=precision,
        model_revision=sha,
    )


def _bridge(row: Row) -> ScoreRecord:
    """Take each of the three protocols as a run of its own, never mixed with another."""
    if (printed := row.text("prompting")) not in BRIDGE_PROTOCOLS:
        raise row.fault(f'the prompting protocol "{printed[:40]}" is unknown')
    protocol = BRIDGE_PROTOCOLS[printed]
    return _record(row, "model_name task_id score_percent", run=protocol, protocol=protocol)


def _noharm(row: Row) -> ScoreRecord:
    """Take one score per system and metric, on each metric's own scale.

    The source prints half-widths of 95 % intervals; a standard error is the half-width over
    1.96. The row of physicians is kept: the catalogue marks it as a line to compare with.
    """
    benchmark = row.text("metric_id").removeprefix("noharm_")
    more = {"benchmark": benchmark, "source_url": row.cells["source_url"]}
    found = _record(row, "model_name metric_id score", run="v1", **more)
    half_width = row.number_or_none("ci_halfwidth_as_printed")
    return {**found, "standard_error": None if half_width is None else half_width / Z95}


def _vectara_hhem(row: Row) -> ScoreRecord:
    """Take summaries with invented content, percent, and two more counts."""
    if (metric := row.text("metric")) not in _HHEM:
        raise row.fault(f'the metric "{metric[:60]}" is unknown')
    more = {"benchmark": _HHEM[metric], "source_url": _at_commit(row)}
    return _record(row, "model metric score", run="HHEM-2.3", **more)


def _lmarena_medicine(row: Row) -> ScoreRecord:
    """Take the ratings with style control, as the live source has them, and not the plain ones."""
    if not row.text("benchmark").endswith("style control)"):
        return {}
    day = row.text("as_of")[:10]
    more = {"run_at": day, "benchmark": "rating", "source_url": _at_commit(row)}
    return _record(row, "model benchmark score stderr", run=day, **more)


def _healthbench_psych(row: Row) -> ScoreRecord:
    """Take the mean of the three judges, and each judge's own score as a benchmark of its own."""
    judge = row.text("judge")
    name = row.text("benchmark") + ("" if judge == "panel mean" else f":{judge}")
    more = {"run_at": row.cells["answered_on"], "benchmark": name}
    return _record(row, "model benchmark value", run=row.text("graded_until"), **more)


_TABLES: dict[str, Callable[[Row], ScoreRecord]] = {
    "open-medical-llm": _open_medical_llm,
    "open-llm-v2": _open_llm_v2,
    # A model in a release is a run; jury scores are on their scale of 1 to 5.
    "medhelm": lambda row: _record(row, "model_name benchmark_id score", run=row.text("release")),
    # The zero-shot table, percent, the task-specific best included; gaps stay gaps.
    "benchhealth": lambda row: _record(
        row, "model_name dataset_id score_percent", run="arXiv:2405.00716"
    ),
    "bridge": _bridge,
    "noharm": _noharm,
    "lmarena-medicine": _lmarena_medicine,
    "vectara-hhem": _vectara_hhem,
    "healthbench-psych": _healthbench_psych,
    # One accuracy per model and set, answered without examples.
    "medagentsbench": lambda row: _record(
        row, "model benchmark score stderr", run="zero-shot", source_url=_at_commit(row)
    ),
}
_COLUMNS: dict[str, list[str]] = ABOUT["columns"]


def _table(suite: str, path: Path) -> ScoreTable:
    """Read a suite's table; a row without a record is skipped."""
    return score_table(suite, filter(None, map(_TABLES[suite], rows(path, _COLUMNS[suite]))))


def _beside(path: Path, name: str, other: str) -> Path | None:
    """Return the file next to another that is named alike; ``None`` where there is none."""
    found = path.with_name(path.name.replace(name, other))
    return found if found != path and found.exists() else None


def _medagentsbench(path: Path) -> ScoreTable:
    """Read MedAgentsBench; of its items a row, with a column per model.

    Right is 1 and wrong 0; a cell is empty where the model gave no answer.
    """
    table = _table("medagentsbench", path)
    if (beside := _beside(path, "scores", "items")) is None:
        return table
    items = [
        (f"{model}@zero-shot", row.text("dataset"), row.text("item"), 1, score)
        for row in rows(beside, ("dataset", "item"))
        for model in row.cells
        if model not in ("dataset", "item") and (score := row.number_or_none(model)) is not None
    ]
    return replace(table, items=pd.DataFrame(items, columns=list(ITEM_COLUMNS)))


def _chi_bench(path: Path) -> ScoreTable:
    """Read χ-Bench: one row per submission and domain, with the standard error over its tasks.

    A model is named with the harness that ran it, as in ``anthropic/claude-opus-5 (claude-code)``:
    both are the identity of what was tested. The publisher's *overall* is a mean over all tasks
    and no test of its own, so it is not a score. A run is named by its submission, or by the folder
    of the submission where two have the same name. The model, the harness, the team and the mean
    cost and time of a task, over all tasks and by domain, become facts; a cost or time of 0 was
    not recorded. Where the file of trials is next to that of results, its trials are the items:
    a task is an item, and a trial without a reward counts as 0, as the publisher counts it.
    """

    def folder(row: Row) -> str:
        """Return the dated folder of a submission, which the file of its trials is named by."""
        parts = row.text("retrieved_path").split("/")
        if len(parts) < 2:
            raise row.fault("the path of the submission names no folder")
        return parts[-2]

    every = list(rows(path, _COLUMNS["chi-bench"]))
    named = {folder(row): row.text("submission") for row in every}
    times = Counter(named.values())
    run_of = {it: it if times[name] > 1 else name for it, name in named.items()}
    records: list[ScoreRecord] = []
    facts: list[ModelFact] = []
    for row in every:
        model, url = f"{row.text('model')} ({row.text('agent')})", _at_commit(row)
        domain = row.text("benchmark").removeprefix("chi-bench:")
        found = _record(row, "model benchmark score stderr", run="", source_url=url)
        run = {"run": run_of[folder(row)], "run_at": row.cells["submitted_at"]}
        if domain != "overall":
            records.append({**found, **run, "model": model, "benchmark": domain})
        where = "" if domain == "overall" else f":{domain}"
        about = {"tested_model": "model", "harness": "agent", "team": "team"}
        per_task = {"cost_usd": "mean_cost_usd", "seconds": "mean_walltime_s"}
        told = {field: row.text(column) for field, column in about.items()} | {
            f"{field}_per_task{where}": f"{value:.6g}"
            for field, column in per_task.items()
            if (value := row.number_or_none(column))
        }
        facts += said(model, url, told)
    table = score_table("chi-bench", records, facts)
    if (trials := _beside(path, "results", "trials")) is None:
        return table
    return replace(table, items=pd.DataFrame(_trials(trials, run_of), columns=list(ITEM_COLUMNS)))


def _trials(path: Path, run_of: Mapping[str, str]) -> Iterator[tuple[object, ...]]:
    for row in rows(path, ("submission", "domain", "task", "attempt", "reward")):
        if (run := run_of.get(row.text("submission"))) is None:
            raise row.fault(f'the submission "{row.cells["submission"][:80]}" has no results')
        score = row.number_or_none("reward") or 0.0
        row.text("attempt")
        yield run, row.text("domain"), row.text("task"), row.integer_or_none("attempt"), score


# Tables of one layout.

_COMMON: dict[str, list[str]] = ABOUT["common"]
_NAMES: dict[str, str] = ABOUT["names"]
_MAIN = re.compile(
    r".* \(primary\)|accuracy|f1|exact match|score|win rate|accuracy, mean of 3 runs|f1_weighted|"
    r"rubric score|sct_score|mean win rate in the release pool of \d+ models",
    re.IGNORECASE,
)
"""What a table calls the metric that is the benchmark's own."""
_ITEM_OF = {"top-1 diagnosis": ":top1_accuracy"}
"""By what an item is scored for: the metric that is its mean, where that is not the main one."""
_SOURCE = re.compile(r"(github\.com/[^/]+/[^/]+)/(\S+)@([0-9a-f]{7,40})\b.*")


def read_common(suite: str, run: str, path: Path) -> ScoreTable:
    """Read a table of the one layout; its suite is called as in the catalogue, or as here."""
    records: list[ScoreRecord] = []
    counts: dict[tuple[str, str], float | None] = {}
    urls: dict[tuple[str, str], str] = {}
    for row in rows(path, _COLUMNS["common"]):
        if _COMMON.get(called := row.text("suite"), (called, ""))[0] != suite:
            raise row.fault(f'the suite "{row.cells["suite"][:40]}" is not {suite}')
        name = _NAMES.get(row.text("benchmark"), row.cells["benchmark"])
        if not _MAIN.fullmatch(metric := row.text("metric")):
            name = f"{name}:{metric.lower()}"
        key = (row.text("model"), name)
        urls[key] = _SOURCE.sub(r"https://\1/blob/\3/\2", row.text("source"))
        counts[key] = row.number_or_none("n_items") if row.cells["n_items"].isdigit() else None
        more = {"benchmark": name, "source_url": urls[key]}
        records.append(_record(row, "model benchmark score stderr", run=run, **more))
    found = score_table(suite, records)
    if (beside := _beside(path, "scores", "items")) is None:
        return found
    items = pd.DataFrame(
        _items(beside, run, counts), columns=[*ITEM_COLUMNS, "model", "fact", "value"]
    )
    # A score over fewer items, such as those with an answer only, is not the mean of these; nor do
    # those serve among which one was counted wrong, as an F1 of 1.0045.
    own = items.groupby(["run", "benchmark"])
    sound = own["score"].transform("min").ge(0) & own["score"].transform("max").le(1)
    of = zip(items["model"], items["benchmark"], own["item"].transform("nunique"), strict=True)
    kept = sound & pd.Series([counts[model, benchmark] == n for model, benchmark, n in of])
    return replace(
        found, items=items.loc[kept, list(ITEM_COLUMNS)], facts=tuple(_facts(items, urls))
    )


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


def _facts(items: pd.DataFrame, urls: Mapping[tuple[str, str], str]) -> Iterator[ModelFact]:
    """Yield by model and benchmark the publisher's mark, or the mean length of an answer."""
    told = items[items["fact"] != ""].groupby(["model", "benchmark", "fact"], sort=False)["value"]
    for key, values in told:
        model, benchmark, fact = map(str, key)
        is_length = fact == LENGTH
        value = f"{values.astype(float).mean():.0f}" if is_length else "; ".join(values.unique())
        yield ModelFact(model, f"{fact}:{benchmark}", value, urls[model, benchmark])


PARSERS: dict[str, Callable[[Path], ScoreTable]] = {
    **{suite: partial(_table, suite) for suite in _TABLES},
    "chi-bench": _chi_bench,
    "medagentsbench": _medagentsbench,
    **{suite: partial(read_common, suite, run) for suite, run in _COMMON.values()},
}
