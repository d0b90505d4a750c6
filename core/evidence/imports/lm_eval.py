"""Results files of lm-evaluation-harness (``results_*.json``) for the two suites it is behind."""

from __future__ import annotations

import math
import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from core.evidence.imports.collected import Collected, Names, Run, known_suite
from core.evidence.imports.strict_json import as_number, at, mapping, number
from core.evidence.imports.upload import listed, parted, printable, quoted

if TYPE_CHECKING:
    from core.domain import Benchmark
    from core.evidence.catalogue import Catalogue
    from core.evidence.imports.collected import Imported
    from core.evidence.imports.strict_json import Json
    from core.evidence.imports.upload import Upload

FORMAT = "lm-evaluation-harness"
TASKS = {
    "open-medical-llm": {"medqa_4options": "medqa"},
    "open-llm-v2": {
        "leaderboard_ifeval": "ifeval",
        "leaderboard_instruction_following": "ifeval",
        "leaderboard_bbh": "bbh",
        "leaderboard_math_hard": "math_lvl_5",
        "leaderboard_gpqa": "gpqa",
        "leaderboard_musr": "musr",
        "leaderboard_mmlu_pro": "mmlu_pro",
    },
}
"""Per suite, the harness's tasks that are not named as the benchmark is."""
METRICS = {
    "bbh": ("acc_norm", "exact_match"),
    "gpqa": ("acc_norm", "exact_match"),
    "musr": ("acc_norm",),
    "math_lvl_5": ("exact_match",),
}
"""The metrics that a benchmark is read from, the leaderboard's own first."""
ANY_METRICS = ("acc", "exact_match")
_STRICT = ("prompt_level_strict_acc", "inst_level_strict_acc")
_NAMES = ("peft", "delta", "pretrained", "model", "path", "engine")
_BACKENDS = re.compile(r"hf.*|vllm.*|local-.*|openai-.*|gguf|ggml|sglang.*|anthropic-.*|dummy")
_FOLDER = re.compile(r"[/\\.~]|[A-Za-z]:")
_DATE = re.compile(r"(\d{4}-\d\d-\d\d)T(\d\d)[-:](\d\d)[-:](\d\d)")


def read(
    upload: Upload, name: str, document: dict[str, Json], catalogue: Catalogue, suite: str | None
) -> Imported:
    """Read the tasks of one suite."""
    results = mapping(upload, document["results"], "results")
    tasks = {wanted: _known(results, catalogue, wanted) for wanted in TASKS}
    if suite is None:
        ranked = sorted(tasks, key=lambda wanted: -len(tasks[wanted]))
        if len(tasks[ranked[0]]) == len(tasks[ranked[1]]) > 0:
            raise upload.fault(
                f"it has as many tasks of {ranked[0]} as of {ranked[1]}: choose the suite"
            )
        suite = ranked[0]
    if suite not in tasks:
        raise upload.fault(
            f"it is a lm-evaluation-harness file, which belongs to {' or '.join(TASKS)}, "
            f"not to {known_suite(catalogue, suite)}"
        )
    collected = Collected(upload, catalogue, suite)
    config = mapping(upload, document.get("config") or {}, "config")
    arguments = _arguments(config.get("model_args"))
    model = _model(collected, name, document, config, arguments)
    run = Run(
        model=model,
        label=model,
        run_at=_run_at(document.get("date"), name),
        precision=_precision(config, arguments),
        model_revision=plain(config.get("model_sha")),
    )
    parameters = as_number(config.get("model_num_parameters"))
    if parameters is not None and parameters > 0:
        collected.fact(model, "params_b", f"{parameters / 1e9:.12g}")
    for task, benchmark in tasks[suite].items():
        _read_task(collected, document, run, task, benchmark)
    _note_others(collected, results, tasks, suite, config)
    return collected.imported(FORMAT)


def _known(results: dict[str, Json], catalogue: Catalogue, suite: str) -> dict[str, Benchmark]:
    """Return the tasks that are benchmarks of a suite; the leaderboard's own task comes first."""
    names = Names(catalogue.benchmarks.get(suite, ()), TASKS[suite])
    found: dict[str, tuple[str, Benchmark]] = {}
    for task, metrics in results.items():
        alias = metrics.get("alias") if isinstance(metrics, dict) else None
        benchmark = names.find(task) or names.find(alias)
        if benchmark and (benchmark.id not in found or task.startswith("leaderboard_")):
            found[benchmark.id] = (task, benchmark)
    return dict(found.values())


def _read_task(
    collected: Collected,
    document: dict[str, Json],
    run: Run,
    task: str,
    benchmark: Benchmark,
) -> None:
    upload, notes = collected.upload, collected.notes
    results = mapping(upload, document["results"], "results")
    metrics = mapping(upload, results[task], "results", task)
    groups = document.get("groups")
    if isinstance(groups, dict) and isinstance(group := groups.get(task), dict):
        metrics = {**group, **metrics}
    if benchmark.id == "ifeval":
        strict = [_pick(upload, metrics, task, (metric,)) for metric in _STRICT]
        if all(strict):
            score = sum(found[1] for found in strict if found) / 2
            collected.add(run, benchmark, score, None, at("results", task))
            return
        notes.append(f"{quoted(task)} was passed over: it lacks the two strict accuracies.")
        return
    wanted = METRICS.get(benchmark.id, ANY_METRICS)
    found = _pick(upload, metrics, task, wanted)
    if found is None:
        pooled = _pooled(upload, document, task, wanted[0])
        if pooled is None:
            notes.append(
                f"{quoted(task)} was passed over: it has no score by {' or '.join(wanted)}, "
                "and not all of its parts with their numbers of questions."
            )
            return
        notes.append(f"{benchmark.name} is pooled over the questions of its parts.")
        collected.add(run, benchmark, *pooled, at("results", task))
        return
    key, score, error = found
    if key.split(",")[0] != wanted[0]:
        notes.append(f"{benchmark.name} was read from {quoted(key)}, not from {wanted[0]}.")
    same = [other for other in metrics if other.split(",")[0] == key.split(",")[0] != other]
    if len(same) > 1:
        notes.append(f"{benchmark.name} was read from {quoted(key)}; it also has {listed(same)}.")
    collected.add(run, benchmark, score, error, at("results", task, key))


def _pick(
    upload: Upload, metrics: dict[str, Json], task: str, wanted: tuple[str, ...]
) -> tuple[str, float, float | None] | None:
    """Return key, score and standard error of the first metric there is, whatever its filter."""
    for metric in wanted:
        keys = [f"{metric},none", metric, *(key for key in metrics if key.startswith(metric + ","))]
        for key in keys:
            score = number(upload, metrics.get(key), "results", task, key)
            if score is not None:
                name, comma, rest = key.partition(",")
                second = f"{name}_stderr{comma}{rest}"
                error = number(upload, metrics.get(second), "results", task, second)
                return key, score, error
    return None


def _pooled(
    upload: Upload, document: dict[str, Json], task: str, metric: str
) -> tuple[float, float | None] | None:
    """Return the score of a group over all questions of its parts, and its standard error.

    Since version 0.4.3 the harness leaves the leaderboard's groups without a score; before, it
    pooled them as this does, and so did the leaderboard.
    """
    results = mapping(upload, document["results"], "results")
    parts = mapping(upload, document.get("group_subtasks") or {}, "group_subtasks").get(task)
    samples = mapping(upload, document.get("n-samples") or {}, "n-samples")
    if not isinstance(parts, list) or not parts:
        return None
    total, score, variance = 0.0, 0.0, 0.0
    for part in parts:
        metrics = results.get(part) if isinstance(part, str) else None
        sizes = samples.get(part) if isinstance(part, str) else None
        if not isinstance(metrics, dict) or not isinstance(sizes, dict):
            return None
        found = _pick(upload, metrics, str(part), (metric,))
        size = as_number(sizes.get("effective"))
        if found is None or size is None or not 1 <= size < 1e9:
            return None
        total += size
        score += size * found[1]
        variance += (size * (math.nan if found[2] is None else found[2])) ** 2
    error = math.sqrt(variance) / total
    return score / total, None if math.isnan(error) else error


def _note_others(
    collected: Collected,
    results: dict[str, Json],
    tasks: dict[str, dict[str, Benchmark]],
    suite: str,
    config: dict[str, Json],
) -> None:
    for other, found in tasks.items():
        if other != suite and found:
            collected.notes.append(
                f"{listed(list(found))} belong to {other}: import the file for that suite too."
            )
    known = {task for found in tasks.values() for task in found}
    if others := [task for task in results if task not in known]:
        collected.notes.append(
            f"These tasks were passed over, as they are no benchmark of {collected.suite_name}: "
            f"{listed(others)}."
        )
    plain = [task for task in tasks[suite] if not task.startswith("leaderboard_")]
    if suite == "open-llm-v2" and plain:
        collected.notes.append(
            f"{listed(plain)}: not the leaderboard's own tasks, whose prompts may differ."
        )
    if as_number(config.get("limit")) is not None:
        collected.notes.append("The run was limited to a part of the questions (--limit).")


def _arguments(value: Json) -> dict[str, Json]:
    """Return ``model_args``, given as an object or as text of ``key=value`` pairs."""
    if isinstance(value, str):
        pairs = (pair.partition("=") for pair in value.split(","))
        return {key.strip(): text.strip(" \"'") for key, _, text in pairs}
    return value if isinstance(value, dict) else {}


def _model(
    collected: Collected,
    name: str,
    document: dict[str, Json],
    config: dict[str, Json],
    arguments: dict[str, Json],
) -> str:
    """Return the model's name: what was loaded, else what the file says, else its folder's."""
    upload = collected.upload
    loaded = next((t for key in _NAMES if (t := plain(arguments.get(key)))), "")
    stated = plain(config.get("model_name")) or plain(document.get("model_name"))
    backend = plain(config.get("model"))
    folders = [part for part in parted(name)[:-1] if part]
    folder = folders[-1].replace("__", "/", 1) if folders else ""
    if len(folders) == 2 and "/" not in folder:
        folder = "/".join(folders)
    sanitized = plain(document.get("model_name_sanitized")).replace("__", "/", 1)
    model = loaded or stated or sanitized or ("" if _BACKENDS.fullmatch(backend) else backend)
    if not model and folder:
        collected.notes.append(f"The model is named after its folder, {quoted(folder)}.")
    elif "/" in folder and folder.casefold() != model.casefold():
        collected.notes.append(
            f"The folder says {quoted(folder)} and the file {quoted(model)}: the file counts."
        )
    if stated and loaded and stated.casefold() != loaded.casefold():
        collected.notes.append(
            f"The file names {quoted(stated)}, but {quoted(loaded)} was loaded: this counts."
        )
    if base := plain(arguments.get("pretrained")) if loaded != arguments.get("pretrained") else "":
        collected.notes.append(f"{quoted(loaded)} was run on top of {quoted(base)}.")
    if _FOLDER.match(model):
        model = parted(model.rstrip("/\\"))[-1]
        collected.notes.append(f"The model was loaded from a folder and is named {quoted(model)}.")
    return upload.label(model or folder, "model's name", "config.model_args")


def _precision(config: dict[str, Json], arguments: dict[str, Json]) -> str:
    """Return the weights' number format, or an empty text where the file does not say."""
    dtype = plain(config.get("model_dtype")) or plain(arguments.get("dtype"))
    return "" if dtype == "auto" else dtype.removeprefix("torch.")


def _run_at(date: Json, name: str) -> str:
    """Return the day and time of the run, from the file or its name, or an empty text."""
    return moment(date) or (
        f"{found[1]}T{found[2]}:{found[3]}:{found[4]}Z" if (found := _DATE.search(name)) else ""
    )


def moment(value: Json) -> str:
    """Return ISO text of a Unix time or of an ISO text, in UTC; empty for anything else."""
    seconds = as_number(value)
    try:
        if seconds is not None:
            found = datetime.fromtimestamp(seconds, UTC)
        elif isinstance(value, str):
            found = datetime.fromisoformat(value.strip())
            found = found.astimezone(UTC) if found.tzinfo else found.replace(tzinfo=UTC)
        else:
            return ""
    except (ValueError, OverflowError, OSError):
        return ""
    return found.strftime("%Y-%m-%dT%H:%M:%SZ") if found.year >= 2000 else ""


def plain(value: Json) -> str:
    """Return short text, or nothing where a value is none."""
    return printable(value).strip() if isinstance(value, str) and len(value) <= 500 else ""
