"""Every Eval Ever: the community's JSON schema, its records of results and of instances.

A result (versions 0.0.1 to 0.3) states its own metric, scale and uncertainty; what is read is on
the benchmark's scale. Instances are of the schema ``instance_level_eval`` 0.2.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from core.evidence.tables import as_number
from core.results import helm, lm_eval
from core.results.collected import Collected, Names, Rows, Run, amount, normal, score_of, short_id
from core.results.files import at, inside, listed, mapping, quoted, sequence

if TYPE_CHECKING:
    from collections.abc import Iterable

    from core.domain import Benchmark
    from core.evidence.catalogue import Catalogue
    from core.results.collected import Imported
    from core.results.files import Json, Step, Upload

RECORDS, INSTANCES = "Every Eval Ever", "Every Eval Ever instances"
Record = tuple[tuple["Step", ...], dict[str, "Json"]]
_LEADERBOARDS = {
    "hfopenllmv2": "open-llm-v2",
    "openllmleaderboard": "open-llm-v2",
    "openmedicalllm": "open-medical-llm",
    "openlifescienceai": "open-medical-llm",
    "helmmedhelm": "medhelm",
    "medhelm": "medhelm",
    "bridgemedical": "bridge",
}
"""How names of leaderboards begin in records, beside the suites' own ids and names."""
_OTHER_METRICS = frozenset(
    [
        *("acc", "accnorm", "exactmatch", "f1", "f1macro", "f1micro", "mcc", "bleu", "chrf", "ter"),
        *("rouge1", "rouge2", "rougel", "perplexity", "wordperplexity", "bytesperplexity"),
        *("bitsperbyte", "brierscore", "likelihood", "latency", "cost", "tokens"),
        *("promptlevelstrictacc", "promptlevellooseacc"),
        *("instlevelstrictacc", "instlevellooseacc"),
    ]
)
"""Metrics that are not a benchmark's accuracy unless the benchmark is read from them."""
_FACTORS = (1.0, 0.01, 0.1, 10.0, 100.0)
_SCALES = {"percent": (0.0, 100.0), "percentage": (0.0, 100.0), "proportion": (0.0, 1.0)}


@dataclass(frozen=True, slots=True)
class _Result:
    benchmark: Benchmark
    score: float
    standard_error: float | None
    rank: int
    """0 for the benchmark's own metric, higher for what only may be it."""
    place: str


# Results


def records_of(document: Json) -> list[Record]:
    """Return the records of a document with their paths; none where it is no such file."""
    found: list[tuple[tuple[Step, ...], Json]] = [((), document)]
    if isinstance(document, list):
        found = [((i,), inner) for i, inner in enumerate(document)]
    return [
        (path, record)
        for path, record in found
        if isinstance(record, dict) and "evaluation_results" in record
    ]


def read_records(
    upload: Upload, records: list[Record], catalogue: Catalogue, suite: str | None
) -> Imported:
    """Read the records of one suite; a model's records are one run while they do not overlap."""
    results = [(path, record, _results(upload, path, record)) for path, record in records]
    collected = Collected(upload, catalogue, suite or _stated(upload, catalogue, records[0][1]))
    names = _names(catalogue, collected.suite)
    unknown: list[str] = []
    rescaled: dict[str, list[str]] = {}
    for path, record, found in results:
        best: dict[str, _Result] = {}
        for steps, result in found:
            benchmark = _benchmark(names, result)
            if benchmark is None:
                unknown.append(str(result["evaluation_name"]))
                continue
            one = _result(collected, steps, result, benchmark, rescaled)
            if one is None:
                continue
            other = best.setdefault(benchmark.id, one)
            if other is not one:
                kept, lost = (one, other) if one.rank < other.rank else (other, one)
                best[benchmark.id] = kept
                collected.notes.append(
                    f"{benchmark.name} comes more than once: {quoted(kept.place)} was taken, "
                    f"{quoted(lost.place)} passed over."
                )
        run = collected.free(_run(collected, path, record), set(best))
        for one in best.values():
            collected.add(run, one.benchmark, one.score, one.standard_error, one.place)
    for how, benchmarks in rescaled.items():
        collected.notes.append(f"Scores {how}: {', '.join(dict.fromkeys(benchmarks))}.")
    if unknown:
        collected.notes.append(
            f"These evaluations were passed over, as they are no benchmark of "
            f"{collected.suite_name}: {listed(unknown)}."
        )
    return collected.imported(RECORDS)


def _results(upload: Upload, path: tuple[Step, ...], record: dict[str, Json]) -> list[Record]:
    """Return the results of a record with their paths, each with a name."""
    found = []
    here = (*path, "evaluation_results")
    for i, value in enumerate(sequence(upload, record["evaluation_results"], *here)):
        result = mapping(upload, value, *here, i)
        upload.label(result.get("evaluation_name"), "evaluation_name", (*here, i))
        found.append(((*here, i), result))
    return found


def _stated(upload: Upload, catalogue: Catalogue, record: dict[str, Json]) -> str:
    """Return the suite that the first record's source names."""
    own = {normal(text): s.id for s in catalogue.suites.values() for text in (s.id, s.name)}
    texts: list[Json] = []
    for key in ("source_metadata", "evaluation_source"):
        source = inside(record, key)
        texts += [source.get("source_name"), source.get("evaluation_source_name")]
    identifier = record.get("evaluation_id")
    texts += [identifier.split("/")[0]] if isinstance(identifier, str) else []
    for name in (normal(text) for text in texts if isinstance(text, str)):
        if name in own:
            return own[name]
        for start, suite in _LEADERBOARDS.items():
            if name.startswith(start) and suite in catalogue.suites:
                return suite
    told = [text for text in texts if isinstance(text, str) and text]
    of = f"its source {listed(told, 2)} is of" if told else "it names no source, so it is of"
    raise upload.unclear(f"{of} no known suite: choose the one whose protocol is the same")


def _names(catalogue: Catalogue, suite: str) -> Names:
    also = {"MATH Lvl 5": "math_lvl_5", **lm_eval.TASKS.get(suite, {})}
    return Names(catalogue.benchmarks.get(suite, ()), also)


def _benchmark(names: Names, result: dict[str, Json]) -> Benchmark | None:
    """Return the benchmark by its name; of HELM's columns only its own metric counts."""
    name = str(result["evaluation_name"])
    for text in (name, name.rpartition(".")[2], name.partition("/")[0]):
        if benchmark := names.find(text):
            return benchmark
    group, dash, metric = name.partition(" - ")
    if dash and (benchmark := names.find(group)):
        return benchmark if helm.measures(metric, benchmark) else None
    return names.find(inside(result, "source_data").get("dataset_name"))


def _result(
    collected: Collected,
    steps: tuple[Step, ...],
    result: dict[str, Json],
    benchmark: Benchmark,
    rescaled: dict[str, list[str]],
) -> _Result | None:
    """Return one result on the benchmark's scale by clean factors, or none with a note."""
    upload, notes = collected.upload, collected.notes
    name = quoted(str(result["evaluation_name"]))
    config = mapping(upload, result.get("metric_config") or {}, *steps, "metric_config")
    details = mapping(upload, result.get("score_details"), *steps, "score_details")
    place = at(*steps, "score_details", "score")
    score = upload.number(details.get("score"), "score", place)
    if score is None or (score == -1 and config.get("has_unknown_level") is True):
        notes.append(f"{name} has no score.")
        return None
    if isinstance(low := config.get("lower_is_better"), bool) and low != benchmark.lower_is_better:
        notes.append(f"{name} was passed over: its direction is not {benchmark.name}'s.")
        return None
    rank = _rank(config, benchmark)
    if rank is None:
        notes.append(f"{name} was passed over: it is not by {benchmark.name}'s metric.")
        return None
    wanted = (benchmark.scale_min, benchmark.scale_max)
    stated = _SCALES.get(normal(str(config.get("metric_unit") or "")), wanted)
    bottom, top = (as_number(config.get(key)) for key in ("min_score", "max_score"))
    if bottom is not None and top is not None and bottom < top:
        stated = bottom, top
    of = f"{stated[0]:g} to {stated[1]:g}"
    fitting = (f for f in _FACTORS if np.allclose(np.multiply(stated, f), wanted, 0, 1e-9))
    factor = next(fitting, None)
    if factor != 1 and not stated[0] - 1e-9 <= score <= stated[1] + 1e-9:
        what = f"the score {score:.6g} on {benchmark.name} is outside the {of} that the file states"
        raise upload.fault(what, place)
    to = f"{wanted[0]:g} to {wanted[1]:g}"
    if factor is None:
        notes.append(
            f"{name} was passed over: its scale of {of} is not {benchmark.name}'s of {to}."
        )
        return None
    error = _standard_error(upload, details, (*steps, "score_details"))
    if factor != 1:
        # Divided where that is exact and a product is not.
        divisor = 1 / factor if factor > 1 else round(1 / factor)
        how = f"times {factor:g}" if factor > 1 else f"divided by {divisor:g}"
        rescaled.setdefault(f"from {of} were {how}, to {to}", []).append(benchmark.name)
        score, error = (
            None if x is None else x * factor if factor > 1 else x / divisor for x in (score, error)
        )
        assert score is not None
    return _Result(benchmark, score, error, rank, place)


def _rank(config: dict[str, Json], benchmark: Benchmark) -> int | None:
    """Return how sure the metric is the benchmark's, or ``None`` where it is another."""
    wanted = lm_eval.METRICS.get(benchmark.id, lm_eval.ANY_METRICS)
    own = [normal(metric) for metric in wanted] if benchmark.is_accuracy else []
    rank = len(own) + 1
    for key in ("metric_id", "metric_name", "metric_kind", "evaluation_description"):
        text = config.get(key)
        metric = normal(text.partition("(")[0]) if isinstance(text, str) else ""
        if metric in (normal(benchmark.metric), "accuracy"):
            rank = 0
        elif metric in own:
            rank = min(rank, own.index(metric))
        elif metric in _OTHER_METRICS and benchmark.is_accuracy:
            return None
    return rank


def _standard_error(
    upload: Upload, details: dict[str, Json], steps: tuple[Step, ...]
) -> float | None:
    """Return the standard error, from the deviation or the interval where it is not given."""
    found = mapping(upload, details.get("uncertainty") or {}, *steps, "uncertainty")
    given = found.get("standard_error")
    value = given.get("value") if isinstance(given, dict) else given
    place = (*steps, "uncertainty", "standard_error")
    error = upload.number(value, "standard error", place)
    if error is not None:
        return error
    deviation, size = (as_number(found.get(key)) for key in ("standard_deviation", "num_samples"))
    if deviation is not None and size is not None and size >= 1:
        return deviation / math.sqrt(size)
    interval = inside(found, "confidence_interval")
    low, high, level = (as_number(interval.get(k)) for k in ("lower", "upper", "confidence_level"))
    if low is not None and high is not None and level is not None and 0.5 <= level < 1:
        return (high - low) / 2 / NormalDist().inv_cdf((1 + level) / 2)
    return None


def _run(collected: Collected, path: tuple[Step, ...], record: dict[str, Json]) -> Run:
    """Return the run of a record, and keep what the record says of its model."""
    upload = collected.upload
    info = mapping(upload, record.get("model_info"), *path, "model_info")
    place = (*path, "model_info", "id")
    model = upload.label(info.get("id") or info.get("name"), "model's id", place)
    details = inside(info, "additional_details") or inside(record, "additional_details")
    parameters = as_number(details.get("params_billions"))
    count = as_number(details.get("num_parameters"))
    billions = parameters if parameters is not None else count / 1e9 if count else None
    if billions is not None and billions > 0:
        collected.fact(model, "params_b", f"{billions:.12g}")
    developer = info.get("developer")
    if isinstance(developer, str) and 0 < len(developer) <= 100 and developer != "unknown":
        collected.fact(model, "developer", upload.label(developer, "developer", path))
    access = {"open_weights": "open", "closed_weights": "closed"}
    if known := access.get(str(details.get("model_availability"))):
        collected.fact(model, "access", known)
    plain = lm_eval.plain
    precision = plain(details.get("precision")) or plain(details.get("dtype"))
    return Run(
        model=model,
        label=model,
        run_at=lm_eval.moment(record.get("evaluation_timestamp")),
        precision=precision.removeprefix("torch."),
        model_revision=plain(details.get("sha")),
    )


# Instances


def is_instance(record: object) -> bool:
    """Say whether a record is of an instance."""
    return isinstance(record, dict) and "sample_id" in record and "evaluation" in record


def read_instances(upload: Upload, records: Iterable[tuple[str, object]]) -> Rows:
    """Read the records; the score counts, else whether the answer is correct.

    A record stands for one metric: of several of one evaluation, the first of the file counts.
    """
    rows = Rows(upload, INSTANCES)
    metrics: dict[tuple[str, str, str], object] = {}
    others = 0
    for place, given in records:
        if not is_instance(given):
            raise upload.fault("a record with its sample_id and evaluation is expected here", place)
        record = inside(given)
        model = rows.model_of(record.get("model_id"), place)
        task = short_id(record.get("evaluation_name"))
        run, metric = record.get("evaluation_id"), record.get("evaluation_result_id")
        if metrics.setdefault((model, task, run if isinstance(run, str) else ""), metric) != metric:
            others += 1
            continue
        evaluation = inside(record, "evaluation")
        score = score_of(evaluation.get("score"))
        rows.add(
            place,
            model,
            record.get("sample_id"),
            score_of(evaluation.get("is_correct")) if score is None else score,
            task=task,
            tokens=inside(record, "token_usage").get("total_tokens"),
            seconds=amount(inside(record, "performance").get("latency_ms")) / 1000,
        )
    if others:
        rows.notes.append(f"{others:,} records of further metrics were passed over.")
    return rows
