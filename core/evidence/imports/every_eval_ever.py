"""Every Eval Ever records: the community's JSON schema for results, versions 0.0.1 to 0.3.

A result states its own metric, scale and uncertainty; what is read is on the benchmark's scale.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING

from core.evidence.imports import helm, lm_eval
from core.evidence.imports.collected import Collected, Names, Run, normal
from core.evidence.imports.strict_json import as_number, at, mapping, number, sequence
from core.evidence.imports.upload import listed, quoted

if TYPE_CHECKING:
    from core.domain import Benchmark
    from core.evidence.catalogue import Catalogue
    from core.evidence.imports.collected import Imported
    from core.evidence.imports.strict_json import Json, Step
    from core.evidence.imports.upload import Upload

FORMAT = "Every Eval Ever"
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
_FACTORS = (0.01, 0.1, 10.0, 100.0)


@dataclass(frozen=True, slots=True)
class _Result:
    benchmark: Benchmark
    name: str
    score: float
    standard_error: float | None
    rank: int
    """0 for the benchmark's own metric, higher for what only may be it."""
    place: str


def records_of(document: Json) -> list[Record]:
    """Return the records of a document with their paths; none where it is no such file."""
    found: list[tuple[tuple[Step, ...], Json]] = (
        [((i,), inner) for i, inner in enumerate(document)]
        if isinstance(document, list)
        else [((), document)]
    )
    return [
        (path, record)
        for path, record in found
        if isinstance(record, dict) and "evaluation_results" in record
    ]


def read(
    upload: Upload, records: list[Record], catalogue: Catalogue, suite: str | None
) -> Imported:
    """Read the records of one suite; a model's records are one run while they do not overlap."""
    results = [(path, record, _results(upload, path, record)) for path, record in records]
    every = [result for _, _, found in results for _, result in found]
    chosen, guessed = suite or _stated(catalogue, records), False
    if not chosen:
        _refuse_other_leaderboard(upload, records)
        chosen, guessed = _guessed(upload, catalogue, every), True
    collected = Collected(upload, catalogue, chosen)
    if guessed:
        collected.notes.append(
            f"The file names no leaderboard that is known; by its benchmarks it was taken as "
            f"{collected.suite_name}."
        )
    names = _names(catalogue, chosen)
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
    return collected.imported(FORMAT)


def _results(
    upload: Upload, path: tuple[Step, ...], record: dict[str, Json]
) -> list[tuple[tuple[Step, ...], dict[str, Json]]]:
    """Return the results of a record with their paths, each with a name."""
    found = []
    listing = sequence(upload, record["evaluation_results"], *path, "evaluation_results")
    for i, value in enumerate(listing):
        steps = (*path, "evaluation_results", i)
        result = mapping(upload, value, *steps)
        upload.label(result.get("evaluation_name"), "evaluation_name", at(*steps))
        found.append((steps, result))
    return found


def _stated(catalogue: Catalogue, records: list[Record]) -> str:
    """Return the suite that the first record's source names, or an empty text."""
    record = records[0][1]
    texts: list[Json] = []
    for key in ("source_metadata", "evaluation_source"):
        source = record.get(key)
        if isinstance(source, dict):
            texts += [source.get("source_name"), source.get("evaluation_source_name")]
    identifier = record.get("evaluation_id")
    texts += [identifier.split("/")[0]] if isinstance(identifier, str) else []
    own = {normal(text): s.id for s in catalogue.suites.values() for text in (s.id, s.name)}
    for name in (normal(text) for text in texts if isinstance(text, str)):
        if name in own:
            return own[name]
        for start, suite in _LEADERBOARDS.items():
            if name.startswith(start) and suite in catalogue.suites:
                return suite
    return ""


def _refuse_other_leaderboard(upload: Upload, records: list[Record]) -> None:
    """Refuse to guess the suite of scores that another leaderboard published by its protocol."""
    for key, kind in (("source_metadata", "source_type"), ("evaluation_source", "")):
        source = records[0][1].get(key)
        if not isinstance(source, dict):
            continue
        name = source.get("source_name") or source.get("evaluation_source_name")
        what = source.get(kind) or source.get("evaluation_source_type")
        if isinstance(name, str) and what in ("documentation", "leaderboard"):
            raise upload.fault(
                f"its scores were published by {quoted(name)}, which is none of the suites: "
                "choose the suite if its protocol is the same"
            )


def _guessed(upload: Upload, catalogue: Catalogue, results: list[dict[str, Json]]) -> str:
    """Return the one suite that knows most of the benchmarks.

    A benchmark that is named as its metric is, such as "F1", tells no suite.
    """
    counts = {}
    for suite in catalogue.suites:
        names = _names(catalogue, suite)
        known = (_benchmark(names, result) for result in results)
        counts[suite] = len(
            {b.id for b in known if b and not normal(b.metric).startswith(normal(b.name))}
        )
    most = max(counts.values(), default=0)
    best = [suite for suite, count in counts.items() if count == most]
    if not most:
        raise upload.fault(
            "it names no benchmark of any suite; it has "
            + listed([str(result["evaluation_name"]) for result in results], 5)
        )
    if len(best) > 1:
        raise upload.fault(f"its benchmarks may be of {' or '.join(best)}: choose the suite")
    return best[0]


def _names(catalogue: Catalogue, suite: str) -> Names:
    also = {"MATH Lvl 5": "math_lvl_5", **lm_eval.TASKS.get(suite, {})}
    return Names(catalogue.benchmarks.get(suite, ()), also)


def _benchmark(names: Names, result: dict[str, Json]) -> Benchmark | None:
    """Return the benchmark by the evaluation's name, without a leaderboard's before it.

    Records made from HELM's tables name each column, as in "MedQA - EM": only the benchmark's
    own metric counts.
    """
    name = str(result["evaluation_name"])
    source = result.get("source_data")
    dataset = source.get("dataset_name") if isinstance(source, dict) else None
    spellings = (name, name.rpartition(".")[2], name.partition("/")[0])
    if benchmark := next((b for text in spellings if (b := names.find(text))), None):
        return benchmark
    group, dash, metric = name.partition(" - ")
    if dash and (benchmark := names.find(group)):
        return benchmark if helm.measures(metric, benchmark) else None
    return names.find(dataset)


def _result(
    collected: Collected,
    steps: tuple[Step, ...],
    result: dict[str, Json],
    benchmark: Benchmark,
    rescaled: dict[str, list[str]],
) -> _Result | None:
    """Return one result on the benchmark's scale, or ``None`` with a note."""
    upload, notes = collected.upload, collected.notes
    name = str(result["evaluation_name"])
    config = mapping(upload, result.get("metric_config") or {}, *steps, "metric_config")
    details = mapping(upload, result.get("score_details"), *steps, "score_details")
    place = at(*steps, "score_details", "score")
    score = number(upload, details.get("score"), *steps, "score_details", "score")
    if score is None or (score == -1 and config.get("has_unknown_level") is True):
        notes.append(f"{quoted(name)} has no score.")
        return None
    if isinstance(low := config.get("lower_is_better"), bool) and low != benchmark.lower_is_better:
        notes.append(f"{quoted(name)} was passed over: its direction is not {benchmark.name}'s.")
        return None
    rank = _rank(config, benchmark)
    if rank is None:
        notes.append(f"{quoted(name)} was passed over: it is not by {benchmark.name}'s metric.")
        return None
    minimum, maximum = _scale(config, benchmark)
    factor = _factor((minimum, maximum), benchmark)
    if factor != 1 and not minimum - 1e-9 <= score <= maximum + 1e-9:
        raise upload.fault(
            f"the score {score:.6g} on {benchmark.name} is outside the {minimum:g} to "
            f"{maximum:g} that the file states",
            place,
        )
    if factor is None:
        notes.append(
            f"{quoted(name)} was passed over: its scale of {minimum:g} to {maximum:g} is not "
            f"{benchmark.name}'s of {benchmark.scale_min:g} to {benchmark.scale_max:g}."
        )
        return None
    error = _standard_error(upload, details, (*steps, "score_details"))
    if factor != 1:
        how = f"times {factor:g}" if factor > 1 else f"divided by {1 / factor:g}"
        rescaled.setdefault(
            f"from {minimum:g} to {maximum:g} were {how}, to {benchmark.scale_min:g} to "
            f"{benchmark.scale_max:g}",
            [],
        ).append(benchmark.name)
        score = _times(score, factor)
        error = None if error is None else _times(error, factor)
    return _Result(benchmark, name, score, error, rank, place)


def _rank(config: dict[str, Json], benchmark: Benchmark) -> int | None:
    """Return how sure the metric is the benchmark's, or ``None`` where it is another."""
    wanted = lm_eval.METRICS.get(benchmark.id, lm_eval.ANY_METRICS)
    own = [normal(metric) for metric in wanted] if benchmark.is_accuracy else []
    rank = len(own) + 1
    for key in ("metric_id", "metric_name", "metric_kind", "evaluation_description"):
        text = config.get(key)
        metric = normal(text.partition("(")[0]) if isinstance(text, str) else ""
        if metric in (normal(benchmark.metric), "accuracy"):
            rank = min(rank, 0)
        elif metric in own:
            rank = min(rank, own.index(metric))
        elif metric in _OTHER_METRICS and benchmark.is_accuracy:
            return None
    return rank


def _scale(config: dict[str, Json], benchmark: Benchmark) -> tuple[float, float]:
    """Return the scale that a result states, else the one of its unit, else the benchmark's."""
    low, high = (as_number(config.get(key)) for key in ("min_score", "max_score"))
    if low is not None and high is not None and low < high:
        return low, high
    unit = normal(str(config.get("metric_unit") or ""))
    known = {"percent": (0.0, 100.0), "percentage": (0.0, 100.0), "proportion": (0.0, 1.0)}
    return known.get(unit, (benchmark.scale_min, benchmark.scale_max))


def _factor(stated: tuple[float, float], benchmark: Benchmark) -> float | None:
    """Return what turns the stated scale into the benchmark's; ``None`` where nothing clean does.

    A scale of 0 to 5 is not one of 1 to 5.
    """
    wanted = (benchmark.scale_min, benchmark.scale_max)
    for factor in (1.0, *_FACTORS):
        if all(abs(a * factor - b) <= 1e-9 for a, b in zip(stated, wanted, strict=True)):
            return factor
    return None


def _times(value: float, factor: float) -> float:
    """Return a number on the other scale; divided where that is exact and a product is not."""
    return value * factor if factor > 1 else value / round(1 / factor)


def _standard_error(
    upload: Upload, details: dict[str, Json], steps: tuple[Step, ...]
) -> float | None:
    """Return the standard error, from the deviation or the interval where it is not given."""
    found = mapping(upload, details.get("uncertainty") or {}, *steps, "uncertainty")
    given = found.get("standard_error")
    value = given.get("value") if isinstance(given, dict) else given
    error = number(upload, value, *steps, "uncertainty", "standard_error")
    if error is not None:
        return error
    deviation, size = (as_number(found.get(key)) for key in ("standard_deviation", "num_samples"))
    if deviation is not None and size is not None and size >= 1:
        return deviation / math.sqrt(size)
    interval = found.get("confidence_interval")
    if isinstance(interval, dict):
        keys = ("lower", "upper", "confidence_level")
        low, high, level = (as_number(interval.get(key)) for key in keys)
        if low is not None and high is not None and level is not None and 0.5 <= level < 1:
            return (high - low) / 2 / NormalDist().inv_cdf((1 + level) / 2)
    return None


def _run(collected: Collected, path: tuple[Step, ...], record: dict[str, Json]) -> Run:
    """Return the run of a record, and keep what the record says of its model."""
    upload = collected.upload
    info = mapping(upload, record.get("model_info"), *path, "model_info")
    model = upload.label(
        info.get("id") or info.get("name"), "model's id", at(*path, "model_info", "id")
    )
    found = [info.get("additional_details"), record.get("additional_details")]
    details = next((value for value in found if isinstance(value, dict)), {})
    parameters = as_number(details.get("params_billions"))
    count = as_number(details.get("num_parameters"))
    billions = parameters if parameters is not None else count / 1e9 if count else None
    if billions is not None and billions > 0:
        collected.fact(model, "params_b", f"{billions:.12g}")
    developer = info.get("developer")
    if isinstance(developer, str) and 0 < len(developer) <= 100 and developer != "unknown":
        collected.fact(model, "developer", upload.label(developer, "developer", at(*path)))
    availability = details.get("model_availability")
    access = {"open_weights": "open", "closed_weights": "closed"}.get(str(availability))
    if access:
        collected.fact(model, "access", access)
    plain = lm_eval.plain
    precision = plain(details.get("precision")) or plain(details.get("dtype"))
    return Run(
        model=model,
        label=model,
        run_at=lm_eval.moment(record.get("evaluation_timestamp")),
        precision=precision.removeprefix("torch."),
        model_revision=plain(details.get("sha")),
    )
