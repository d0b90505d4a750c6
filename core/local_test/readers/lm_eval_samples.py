"""Samples of lm-evaluation-harness: a record of each document and filter, without the model."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from core.evidence.imports.upload import parted
from core.local_test.readers.collected import Rows, counted, score_of, short_id

if TYPE_CHECKING:
    from collections.abc import Iterable

    from core.evidence.imports.upload import Upload

FORMAT = "lm-evaluation-harness samples"
_FILE = re.compile(r"samples_(.+)_(\d{4}-\d\d-\d\dT[\d.\-]+)\.jsonl?")
_RESULTS = re.compile(r"results_(\d{4}-\d\d-\d\dT[\d.\-]+)\.json")
_METRICS = ("acc", "exact_match", "acc_norm", "em", "f1")
_MODEL = re.compile(r"(?:^|,)(?:pretrained|model)=([^,]+)")


def is_record(record: object) -> bool:
    """Say whether a record is of this format."""
    return isinstance(record, dict) and "doc_id" in record


def model_of_results(document: dict[str, Any]) -> str:
    """Return the model that a results file of the harness names; empty where it names none."""
    config = document.get("config")
    config = config if isinstance(config, dict) else {}
    args = config.get("model_args")
    if isinstance(args, dict):
        args = ",".join(f"{key}={args[key]}" for key in ("pretrained", "model") if args.get(key))
    found = _MODEL.search(args) if isinstance(args, str) else None
    for name in (document.get("model_name"), found and found[1], config.get("model_name")):
        if isinstance(name, str) and name.strip():
            return name.strip()
    return ""


def model_of(name: str, results: dict[str, str]) -> str:
    """Return the model of a file of samples.

    By the results file of the same folder or, as the harness writes both, the same date; else by
    the only one that was given; else by the folder, which the harness names after the model; else
    "model of FILE".
    """
    *folders, file = parted(name)
    by_convention = _FILE.fullmatch(file)
    for other, model in results.items():
        *others, other_file = parted(other)
        dated = _RESULTS.fullmatch(other_file)
        if (folders and others == folders) or (
            by_convention and dated and dated[1] == by_convention[2]
        ):
            return model
    if len(set(results.values())) == 1:
        return next(iter(results.values()))
    if by_convention and folders and folders[-1]:
        return folders[-1].replace("__", "/", 1)
    return f"model of {file}"


def read(upload: Upload, name: str, model: str, records: Iterable[tuple[str, object]]) -> Rows:
    """Read the records of one task, by its first filter and its first metric."""
    rows = Rows(upload, FORMAT)
    model = rows.model_of(model, "its name")
    found = _FILE.fullmatch(parted(name)[-1])
    task = short_id(found[1]) if found else ""
    chosen: object = None
    metric, others = "", 0
    for place, record in records:
        if not is_record(record):
            raise upload.fault("a sample with its doc_id is expected here", place)
        assert isinstance(record, dict)
        if not metric:
            chosen, metric = record.get("filter"), _metric(upload, record, place)
            rows.set(model, _generation(record))
        if record.get("filter") != chosen:
            others += 1
            continue
        rows.add(place, model, record.get("doc_id"), score_of(record.get(metric)), task=task)
    if others:
        rows.notes.append(f"{counted(others, 'row')} passed over: not of the first filter.")
    return rows


def _metric(upload: Upload, record: dict[str, Any], place: str) -> str:
    """Return the metric that counts: the usual one, else the first that the harness lists."""
    listed = record.get("metrics")
    names = [name for name in listed if isinstance(name, str)] if isinstance(listed, list) else []
    for name in (*(name for name in _METRICS if not names or name in names), *names):
        if score_of(record.get(name)) is not None:
            return name
    raise upload.fault("it has no score by a metric such as acc or exact_match", place)


def _generation(record: dict[str, Any]) -> dict[str, Any]:
    """Return the settings of the generation, which stand beside each prompt."""
    arguments = record.get("arguments")
    first = arguments.get("gen_args_0") if isinstance(arguments, dict) else None
    settings = first.get("arg_1") if isinstance(first, dict) else None
    if not isinstance(settings, dict):
        return {}
    return {**settings, "max_tokens": settings.get("max_gen_toks")}
