"""lm-evaluation-harness: ``results_*.json`` for the Open Medical-LLM suite, and its samples.

The samples are a record of each document and filter, without the model.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from core.domain import ModelFact
from core.evidence.tables import as_number
from core.results.collected import Collected, Names, Rows, Run, score_of, short_id
from core.results.files import inside, listed, mapping, parted, printable, quoted

if TYPE_CHECKING:
    from collections.abc import Iterable

    from core.domain import Benchmark
    from core.evidence.catalogue import Catalogue
    from core.results.collected import Imported
    from core.results.files import Json, Upload

RESULTS, SAMPLES = "lm-evaluation-harness", "lm-evaluation-harness samples"
SUITE = "open-medical-llm"
_ALSO = {"medqa_4options": "medqa"}
"""The harness's tasks that are not named as the benchmark is."""
_METRICS = ("acc", "exact_match")
_OF_SAMPLES = ("acc", "exact_match", "acc_norm", "em", "f1")
_NAMES = ("peft", "delta", "pretrained", "model", "path", "engine")
_BACKENDS = re.compile(r"hf.*|vllm.*|local-.*|openai-.*|gguf|ggml|sglang.*|anthropic-.*|dummy")
_FOLDER = re.compile(r"[/\\.~]|[A-Za-z]:")
_DATE = re.compile(r"(\d{4}-\d\d-\d\d)T(\d\d)[-:](\d\d)[-:](\d\d)")
_SAMPLES_FILE = re.compile(r"samples_(.+)_(\d{4}-\d\d-\d\dT[\d.\-]+)\.jsonl?")
_RESULTS_FILE = re.compile(r"results_(\d{4}-\d\d-\d\dT[\d.\-]+)\.json")


# Results


def read_results(
    upload: Upload, name: str, document: dict[str, Json], catalogue: Catalogue, suite: str | None
) -> Imported:
    """Read the tasks that are benchmarks of the suite."""
    if suite not in (None, SUITE):
        raise upload.fault(
            f"it is a lm-evaluation-harness file, which belongs to {SUITE}, not to {suite}: write "
            "other scores into the CSV template"
        )
    results = mapping(upload, document.get("results"), "results")
    collected = Collected(upload, catalogue, SUITE)
    config = mapping(upload, document.get("config") or {}, "config")
    model = _model(collected, name, document)
    given = arguments(config.get("model_args"))
    dtype = plain(config.get("model_dtype")) or plain(given.get("dtype"))
    dated = _DATE.search(name)
    run = Run(
        model=model,
        label=model,
        run_at=moment(document.get("date"))
        or (f"{dated[1]}T{dated[2]}:{dated[3]}:{dated[4]}Z" if dated else ""),
        precision="" if dtype == "auto" else dtype.removeprefix("torch."),
        model_revision=plain(config.get("model_sha")),
    )
    parameters = as_number(config.get("model_num_parameters"))
    if parameters is not None and parameters > 0:
        source = f"local file {upload.name}"
        collected.facts.append(ModelFact(model, "params_b", f"{parameters / 1e9:.12g}", source))
    names = Names(catalogue.benchmarks[SUITE], _ALSO)
    of = {
        task: names.find(task) or names.find(inside(results, task).get("alias")) for task in results
    }
    for task, benchmark in of.items():
        if benchmark:
            _read_task(collected, results, run, task, benchmark)
    if others := [task for task, benchmark in of.items() if not benchmark]:
        collected.notes.append(
            f"These tasks were passed over, as they are no benchmark of {collected.suite_name}: "
            f"{listed(others)}."
        )
    if as_number(config.get("limit")) is not None:
        collected.notes.append("The run was limited to a part of the questions (--limit).")
    return collected.imported(RESULTS)


def _read_task(
    collected: Collected, results: dict[str, Json], run: Run, task: str, benchmark: Benchmark
) -> None:
    """Take the score of the first metric there is, whatever its filter."""
    upload, notes = collected.upload, collected.notes
    metrics = mapping(upload, results[task], "results", task)
    keys = [
        key
        for metric in _METRICS
        for key in (f"{metric},none", metric, *(k for k in metrics if k.startswith(metric + ",")))
    ]
    for key in keys:
        place = ("results", task, key)
        score = upload.number(metrics.get(key), "score", place)
        if score is None:
            continue
        name, comma, rest = key.partition(",")
        second = f"{name}_stderr{comma}{rest}"
        error = upload.number(metrics.get(second), "standard error", ("results", task, second))
        if name != _METRICS[0]:
            notes.append(f"{benchmark.name} was read from {quoted(key)}, not from {_METRICS[0]}.")
        collected.add(run, benchmark, score, error, place)
        return
    notes.append(f"{quoted(task)} was passed over: it has no score by {' or '.join(_METRICS)}.")


def arguments(value: object) -> dict[str, Json]:
    """Return ``model_args``, given as an object or as text of ``key=value`` pairs."""
    if isinstance(value, str):
        pairs = (pair.partition("=") for pair in value.split(","))
        return {key.strip(): text.strip(" \"'") for key, _, text in pairs}
    return inside(value)


def named(document: dict[str, Any]) -> tuple[str, str]:
    """Return the model that was loaded, and the one that the document says; each may be empty."""
    config = inside(document, "config")
    given = arguments(config.get("model_args"))
    loaded = next((text for key in _NAMES if (text := plain(given.get(key)))), "")
    return loaded, plain(config.get("model_name")) or plain(document.get("model_name"))


def _model(collected: Collected, name: str, document: dict[str, Json]) -> str:
    """Return the model's name: what was loaded, else what the file says, else its folder's."""
    loaded, stated = named(document)
    backend = plain(inside(document, "config").get("model"))
    folders = [part for part in parted(name)[:-1] if part]
    folder = folders[-1].replace("__", "/", 1) if folders else ""
    if len(folders) == 2 and "/" not in folder:
        folder = "/".join(folders)
    sanitized = plain(document.get("model_name_sanitized")).replace("__", "/", 1)
    model = loaded or stated or sanitized or ("" if _BACKENDS.fullmatch(backend) else backend)
    if model and "/" in folder and folder.casefold() != model.casefold():
        collected.notes.append(
            f"The folder says {quoted(folder)} and the file {quoted(model)}: the file counts."
        )
    if stated and loaded and stated.casefold() != loaded.casefold():
        collected.notes.append(
            f"The file names {quoted(stated)}, but {quoted(loaded)} was loaded: this counts."
        )
    if _FOLDER.match(model):
        model = parted(model.rstrip("/\\"))[-1]
    return collected.upload.label(model or folder, "model's name", "config.model_args")


def moment(value: object) -> str:
    """Return ISO text of a Unix time or of an ISO text, in UTC; empty for anything else."""
    seconds = as_number(value)
    try:
        if seconds is not None:
            found = datetime.fromtimestamp(seconds, UTC)
        else:
            found = datetime.fromisoformat(value.strip() if isinstance(value, str) else "")
            found = found.astimezone(UTC) if found.tzinfo else found.replace(tzinfo=UTC)
    except (ValueError, OverflowError, OSError):
        return ""
    return found.strftime("%Y-%m-%dT%H:%M:%SZ") if found.year >= 2000 else ""


def plain(value: object) -> str:
    """Return short text, or nothing where a value is none."""
    return printable(value).strip() if isinstance(value, str) and len(value) <= 500 else ""


# Samples


def is_sample(record: object) -> bool:
    """Say whether a record is a sample."""
    return isinstance(record, dict) and "doc_id" in record


def model_of_results(document: dict[str, Any]) -> str:
    """Return the model that a results file of the harness names; empty where it names none."""
    return plain(document.get("model_name")) or next(filter(None, named(document)), "")


def model_of_samples(name: str, results: dict[str, str]) -> str:
    """Return the model of a file of samples.

    By the results file of the same folder or, as the harness writes both, the same date; else by
    the only one that was given; else by the folder, which the harness names after the model; else
    "model of FILE".
    """
    *folders, file = parted(name)
    by_convention = _SAMPLES_FILE.fullmatch(file)
    for other, model in results.items():
        *others, other_file = parted(other)
        dated = _RESULTS_FILE.fullmatch(other_file)
        if (folders and others == folders) or (
            by_convention and dated and dated[1] == by_convention[2]
        ):
            return model
    if len(models := set(results.values())) == 1:
        return models.pop()
    if by_convention and folders and folders[-1]:
        return folders[-1].replace("__", "/", 1)
    return f"model of {file}"


def read_samples(
    upload: Upload, name: str, model: str, records: Iterable[tuple[str, object]]
) -> Rows:
    """Read the records of one task, by its first filter and its first metric."""
    rows = Rows(upload, SAMPLES)
    model = rows.model_of(model, "its name")
    by_convention = _SAMPLES_FILE.fullmatch(parted(name)[-1])
    task = short_id(by_convention[1]) if by_convention else ""
    chosen: object = None
    metric = ""
    for place, given in records:
        if not is_sample(given):
            raise upload.fault("a sample with its doc_id is expected here", place)
        record = inside(given)
        if not metric:
            chosen, stated = record.get("filter"), record.get("metrics")
            names = [it for it in stated if isinstance(it, str)] if isinstance(stated, list) else []
            # The usual one, else the first that the harness lists.
            wanted = (*(name for name in _OF_SAMPLES if not names or name in names), *names)
            scored = (name for name in wanted if score_of(record.get(name)) is not None)
            if not (metric := next(scored, "")):
                what = "it has no score by a metric such as acc or exact_match"
                raise upload.fault(what, place)
            # The settings of the generation, which stand beside each prompt.
            settings = inside(record, "arguments", "gen_args_0", "arg_1")
            rows.set(model, settings | {"max_tokens": settings.get("max_gen_toks")})
        if record.get("filter") != chosen:
            rows.passed_over["row", ": not of the first filter"] += 1
            continue
        rows.add(place, model, record.get("doc_id"), score_of(record.get(metric)), task=task)
    return rows
