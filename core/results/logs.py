"""What evaluation tools log of a run.

lm-evaluation-harness: ``results_*.json`` for the Open Medical-LLM suite, and its samples, a record
of each document and filter without the model. Documents that are one object, whose samples pass by
and whose head is kept: Inspect's log (``.json``, or ``.eval``: an archive of a header and samples),
and what promptfoo writes as JSON, a result of each test, prompt and provider.
"""

from __future__ import annotations

import re
from collections import Counter
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, TypeGuard

from core.domain import ModelFact
from core.evidence.tables import as_number
from core.figures import printable
from core.results.collected import (
    BenchmarkNames,
    Collected,
    ResultRows,
    Run,
    number_or_nan,
    score_of,
    short_id,
)
from core.results.files import (
    MOST_CHARACTERS,
    as_list,
    decoded,
    inside,
    mapping,
    parted,
    quoted,
    quoted_names,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from core.domain import Benchmark
    from core.evidence.catalogue import Catalogue
    from core.results.collected import Imported
    from core.results.files import Archive, Json, JsonStream, Upload

HARNESS_SUITE = "open-medical-llm"
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


# Results of lm-evaluation-harness


def read_results(
    upload: Upload, name: str, document: dict[str, Json], catalogue: Catalogue, suite: str | None
) -> Imported:
    """Read the tasks that are benchmarks of the suite."""
    if suite not in (None, HARNESS_SUITE):
        raise upload.fault(
            f"it is a lm-evaluation-harness file, which belongs to {HARNESS_SUITE}, not to "
            f"{suite}: write other scores into the CSV template"
        )
    results = mapping(upload, document.get("results"), "results")
    collected = Collected(upload, catalogue, HARNESS_SUITE)
    config = mapping(upload, document.get("config") or {}, "config")
    model = _model(collected, name, document)
    given = arguments(config.get("model_args"))
    dtype = short_text(config.get("model_dtype")) or short_text(given.get("dtype"))
    dated = _DATE.search(name)
    run = Run(
        model=model,
        label=model,
        run_at=moment(document.get("date"))
        or (f"{dated[1]}T{dated[2]}:{dated[3]}:{dated[4]}Z" if dated else ""),
        precision="" if dtype == "auto" else dtype.removeprefix("torch."),
        model_revision=short_text(config.get("model_sha")),
    )
    parameters = as_number(config.get("model_num_parameters"))
    if parameters is not None and parameters > 0:
        source = f"local file {upload.name}"
        collected.facts.append(ModelFact(model, "params_b", f"{parameters / 1e9:.12g}", source))
    names = BenchmarkNames(catalogue.benchmarks[HARNESS_SUITE], _ALSO)
    of = {
        task: names.find(task) or names.find(inside(results, task).get("alias")) for task in results
    }
    for task, benchmark in of.items():
        if benchmark:
            _read_task(collected, results, run, task, benchmark)
    if others := [task for task, benchmark in of.items() if not benchmark]:
        collected.notes.append(
            f"These tasks were skipped, since they are not benchmarks of {collected.suite_name}: "
            f"{quoted_names(others)}."
        )
    if as_number(config.get("limit")) is not None:
        collected.notes.append("The run was limited to a part of the questions (--limit).")
    return collected.imported("lm-evaluation-harness")


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
    notes.append(f"{quoted(task)} was skipped: it has no score by {' or '.join(_METRICS)}.")


def arguments(value: object) -> dict[str, Json]:
    """Return ``model_args``, given as an object or as text of ``key=value`` pairs."""
    if isinstance(value, str):
        pairs = (pair.partition("=") for pair in value.split(","))
        return {key.strip(): text.strip(" \"'") for key, _, text in pairs}
    return inside(value)


def model_names(document: dict[str, Any]) -> tuple[str, str]:
    """Return the model that was loaded, and the one that the document says; each may be empty."""
    config = inside(document, "config")
    given = arguments(config.get("model_args"))
    loaded = next((text for key in _NAMES if (text := short_text(given.get(key)))), "")
    return loaded, short_text(config.get("model_name")) or short_text(document.get("model_name"))


def _model(collected: Collected, name: str, document: dict[str, Json]) -> str:
    """Return the model's name: what was loaded, else what the file says, else its folder's."""
    loaded, stated = model_names(document)
    backend = short_text(inside(document, "config").get("model"))
    folders = [part for part in parted(name)[:-1] if part]
    folder = folders[-1].replace("__", "/", 1) if folders else ""
    if len(folders) == 2 and "/" not in folder:
        folder = "/".join(folders)
    sanitized = short_text(document.get("model_name_sanitized")).replace("__", "/", 1)
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


def short_text(value: object) -> str:
    """Return short text, or nothing where a value is none."""
    return printable(value).strip() if isinstance(value, str) and len(value) <= 500 else ""


# Samples of lm-evaluation-harness


def is_sample(record: object) -> TypeGuard[dict[str, Any]]:
    """Say whether a record is a sample."""
    return isinstance(record, dict) and "doc_id" in record


def model_of_results(document: dict[str, Any]) -> str:
    """Return the model that a results file of the harness names; empty where it names none."""
    return short_text(document.get("model_name")) or next(filter(None, model_names(document)), "")


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
) -> ResultRows:
    """Read the records of one task, by its first filter and its first metric."""
    rows = ResultRows(upload, "lm-evaluation-harness samples")
    model = rows.model_of(model, "its name")
    by_convention = _SAMPLES_FILE.fullmatch(parted(name)[-1])
    task = short_id(by_convention[1]) if by_convention else ""
    chosen: object = None
    metric = ""
    for place, record in records:
        if not is_sample(record):
            raise upload.fault("a sample with its doc_id is expected here", place)
        if not metric:
            chosen = record.get("filter")
            names = [it for it in as_list(record.get("metrics")) if isinstance(it, str)]
            # The usual one, else the first that the harness lists.
            wanted = (*(name for name in _OF_SAMPLES if not names or name in names), *names)
            scored = (name for name in wanted if score_of(record.get(name)) is not None)
            if not (metric := next(scored, "")):
                what = "it has no score by a metric such as acc or exact_match"
                raise upload.fault(what, place)
            # The settings of the generation, which come with each prompt.
            settings = inside(record, "arguments", "gen_args_0", "arg_1")
            rows.set(model, settings | {"max_tokens": settings.get("max_gen_toks")})
        if record.get("filter") != chosen:
            rows.passed_over["row", ": not of the first filter"] += 1
            continue
        rows.add(place, model, record["doc_id"], score_of(record.get(metric)), task=task)
    return rows


def is_of_every_eval_ever(record: object) -> bool:
    """Say whether a record is one of its instances, which are not read."""
    return isinstance(record, dict) and "sample_id" in record and "evaluation" in record


# Inspect and promptfoo

PROMPTFOO = "promptfoo results"
AVERAGES = "evaluation_results"
"""What a document of Every Eval Ever has that holds no items."""
_HEAD: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("eval", "plan", "status"), ()),
    **dict.fromkeys(("adapter_spec", "name", "groups", "metric_specs", "model_name"), ()),
    "config": ("providers", "model_args", "model_name"),
    "metadata": ("promptfooVersion",),
    "results": ("headline", "scores"),
}
"""What is kept of a document besides its samples: of some keys only a part, since the rest may be
long and is text."""
HEADER = "header.json"
_WORDS = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
_LETTERS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
"""What Inspect's ``value_to_float`` makes of correct, partial, incorrect and no answer."""
_FAILED = ": the run failed there, so it is missing and not wrong"
_LOWEST = -100.0
"""A rubric may take more points away than it gives, as HealthBench's does."""
_IDS = ("case", "case_id", "item", "item_id", "id", "sample_id")
"""Where a test of promptfoo says which case it is, among its metadata or its variables."""


def read_log(upload: Upload, stream: JsonStream) -> tuple[dict[str, Any], ResultRows | None]:
    """Return the head of a document, and the rows of an Inspect log or of promptfoo's results."""
    head: dict[str, Any] = {}
    rows: ResultRows | None = None
    models: dict[object, str] = {}
    for key in stream.members():
        if key == "samples" and stream.kind() == "[":
            rows = _inspect(upload, head, stream.elements())
        elif _HEAD.get(key) and stream.kind() == "{":
            head[key] = {}
            for inner in stream.members():
                if key == inner == "results" and stream.kind() == "[":
                    rows = _promptfoo(upload, models, stream.elements())
                else:
                    value = stream.value()
                    if inner in _HEAD[key]:
                        head[key][inner] = value
        else:
            value = stream.value()
            if key in (*_HEAD, AVERAGES):
                head[key] = value
    stream.end()
    if rows is not None and rows.format == PROMPTFOO:
        _set_promptfoo(rows, models, head)
    return head, rows


def _inspect(
    upload: Upload, header: dict[str, Any], samples: Iterable[tuple[str, object]]
) -> ResultRows:
    """Read the samples of one log, by the scorer and the value that Inspect itself puts first."""
    about = header.get("eval")
    if not isinstance(about, dict):
        raise upload.fault("it is an Inspect log whose samples come before its header")
    rows = ResultRows(upload, "Inspect log")
    # A package of open cases says which model of its protocol this is, and who judged.
    package = inside(about, "metadata")
    called = about.get("model")
    said = inside(package, "models").get(called) if isinstance(called, str) else None
    model, task = rows.model_of(said or called, "eval.model"), short_id(about.get("task"))
    rows.case_set = short_text(package.get("case_set"))
    rows.judge = short_text(package.get("judge"))
    results = inside(header, "results")
    first = inside(next(iter(as_list(results.get("scores"))), None))
    headline = results.get("headline")
    first, part = (headline, "score") if isinstance(headline, dict) else (first, "name")
    usual = str(first.get("scorer")), str(first.get(part))
    generated = about.get("model_generate_config"), inside(header, "plan", "config")
    for recorded in (about.get("config"), *generated):
        rows.set(model, recorded)
    rows.set(model, None, "Inspect", inside(about, "packages").get("inspect_ai"))
    if header.get("status") in ("started", "cancelled", "error"):
        rows.notes.append(f"the run did not end well (status {header['status']}).")
    others: set[str] = set()
    for place, sample in samples:
        if not isinstance(sample, dict):
            raise upload.fault("a sample is expected here", place)
        if sample.get("error"):
            rows.passed_over["answer", _FAILED] += 1
            continue
        used = inside(sample, "model_usage", called if isinstance(called, str) else "")
        rows.add(
            place,
            model,
            sample.get("id"),
            _inspect_score(inside(sample, "scores"), *usual, others),
            lowest=_LOWEST,
            task=task,
            attempt=rows.attempt_of(sample.get("epoch"), place),
            tokens=used.get("total_tokens"),
            seconds=sample.get("total_time"),
            cost=used.get("total_cost"),
        )
    if others:
        rows.notes.append(
            f"scores were given by {len(others) + 1} scorers or in several values; "
            "the one that Inspect names first counts."
        )
    return rows


def _inspect_score(
    scores: dict[str, Any], scorer: str, part: str, others: set[str]
) -> float | None:
    """Return the score of the usual scorer, and add to ``others`` what else was given."""
    if not scores:
        return None
    name = scorer if scorer in scores else next(iter(scores))
    others.update(other for other in scores if other != name)
    value = inside(scores, name).get("value")
    if isinstance(value, dict) and value:
        part = part if part in value else next(iter(value))
        others.update(f"{name}/{other}" for other in value if other != part)
        value = value[part]
    if not isinstance(value, str):
        return score_of(value)
    known = _LETTERS.get(value, _WORDS.get(value.lower()))
    return as_number(value) if known is None else known


def read_archive(archive: Archive) -> ResultRows:
    """Read an ``.eval`` file, sample by sample."""
    upload = archive.upload
    if HEADER not in archive.names:
        raise upload.fault(
            "it is an Inspect log without its header: the run did not end; let Inspect recover it"
        )
    header = decoded(upload, archive.part(HEADER, MOST_CHARACTERS), HEADER)
    names = [n for n in archive.names if n.startswith("samples/") and n.endswith(".json")]
    # Not the part's name, which has the id of the sample.
    places = {f"sample {number}": name for number, name in enumerate(names, 1)}
    samples = (
        (place, decoded(upload, archive.part(name, MOST_CHARACTERS, place), place))
        for place, name in places.items()
    )
    return _inspect(upload, inside(header), samples)


def _promptfoo(
    upload: Upload, models: dict[object, str], results: Iterable[tuple[str, object]]
) -> ResultRows:
    """Read the results of one file, and add to ``models`` those asked, by id and label.

    A test without an id is known by its place, ``testIdx``. A case that a provider was asked
    several times (``--repeat``) has as many attempts. A result that ended in an error, not in a
    failed check, has no score, and neither has one that nothing checks: promptfoo writes 1 there.
    """
    rows = ResultRows(upload, PROMPTFOO)
    first_prompt: object = None
    asked: Counter[tuple[str, object]] = Counter()
    for place, result in results:
        if not isinstance(result, dict):
            raise upload.fault("a result is expected here", place)
        provider = result.get("provider")
        given = provider if isinstance(provider, dict) else {"id": provider}
        model = rows.model_of(given.get("label") or given.get("id"), f"{place}.provider")
        models[model] = model
        if isinstance(given.get("id"), str):
            models.setdefault(given["id"], model)
        # promptIdx counts the prompts of all providers; the id is that of the prompt's own text.
        prompt = result.get("promptId")
        first_prompt = prompt if first_prompt is None else first_prompt
        if prompt != first_prompt:
            rows.passed_over["result", ": of another prompt"] += 1
            continue
        paths = (("testCase", "metadata"), ("metadata",), ("vars",))
        ids = (inside(result, *path).get(name) for path in paths for name in _IDS)
        found = (one for one in (*ids, result.get("testIdx")) if isinstance(one, str | int))
        item = next(found, None)
        asked[model, item] += 1
        checks = inside(result, "gradingResult").get("componentResults")
        is_checked = inside(result, "testCase").get("assert") or checks
        is_error = result.get("error") and result.get("failureReason") == 2
        rows.add(
            place,
            model,
            item,
            score_of(result.get("score")) if is_checked and not is_error else None,
            attempt=asked[model, item],
            tokens=inside(result, "tokenUsage").get("total"),
            seconds=number_or_nan(result.get("latencyMs")) / 1000,
            cost=result.get("cost"),
        )
    return rows


def _set_promptfoo(rows: ResultRows, models: Mapping[object, str], head: dict[str, Any]) -> None:
    version = inside(head, "metadata").get("promptfooVersion")
    for model in dict.fromkeys(models.values()):
        rows.set(model, None, "promptfoo", version)
    for provider in as_list(inside(head, "config").get("providers")):
        named = inside(provider).get("label") or inside(provider).get("id")
        if isinstance(named, str) and named in models:
            rows.set(models[named], provider.get("config"))
