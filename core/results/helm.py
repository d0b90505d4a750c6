"""HELM: ``groups/*.json`` of a release or a ``helm-summarize``, and folders of runs.

A groups file is a list of tables with models as rows; each column is a metric of a group of runs,
named by its header text and, more surely, by the header's metadata. A MedHELM benchmark counts
only where its own metric measured it: the same file also has run times and token counts. A run
folder has ``per_instance_stats.json`` next to its ``run_spec.json``.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.evidence.tables import as_number
from core.results.collected import (
    BenchmarkNames,
    Collected,
    ResultRows,
    Run,
    normal,
    score_of,
    short_id,
)
from core.results.files import as_list, inside, parted, quoted, quoted_names, sequence

if TYPE_CHECKING:
    from collections.abc import Iterable

    from core.domain import Benchmark
    from core.evidence.catalogue import Catalogue
    from core.results.collected import Imported
    from core.results.files import Json, Step, Upload

HELM_SUITE = "medhelm"
STATS, SPEC = "per_instance_stats.json", "run_spec.json"
Table = tuple[tuple["Step", ...], dict[str, "Json"]]
_KNOWN: dict[str, Any] = json.loads(Path(__file__).with_suffix(".json").read_text("utf-8"))
"""What HELM calls benchmarks and metrics, and by which metric it scores a group of runs."""
_ALSO: dict[str, str] = _KNOWN["short names"]
_MEAN = re.compile(r"(?i)mean\b|.*\bwin rate$")
_ADAPTER = ("adapter", "adaptation method", "method")
_JURY = "LLMJuryMetric"
_MODEL_IN_NAME = re.compile(r"[,:]model(_deployment)?=[^,]*")


# Groups


def tables_of(document: Json) -> list[Table]:
    """Return the tables of a document with their paths; none where it is not a HELM file."""
    found: list[tuple[tuple[Step, ...], Json]] = [((), document)]
    if isinstance(document, dict) and "rows" not in document:
        for key, value in document.items():
            found.append(((key,), value))
            found.extend(((key, i), inner) for i, inner in enumerate(as_list(value)))
    else:
        found.extend(((i,), inner) for i, inner in enumerate(as_list(document)))
    return [
        (path, table)
        for path, table in found
        if isinstance(table, dict) and "header" in table and "rows" in table
    ]


def data_sets(document: Json, catalogue: Catalogue) -> dict[str, str]:
    """Return the data sets that the headers name, each with its benchmark's id or nothing."""
    names = BenchmarkNames(catalogue.benchmarks[HELM_SUITE], _ALSO)
    groups = [
        inside(cell, "metadata").get("run_group")
        for _, table in tables_of(document)
        for cell in as_list(table["header"])
    ]
    found = {name: names.find(name) for name in groups if isinstance(name, str) and name.strip()}
    return {name: one.id if one else "" for name, one in found.items()}


def read_groups(
    upload: Upload, tables: list[Table], catalogue: Catalogue, suite: str | None
) -> Imported:
    """Read the scores of all tables; the first table that has a benchmark of a run counts."""
    if suite not in (None, HELM_SUITE):
        raise upload.fault(f"it is a HELM file: its scores belong to {HELM_SUITE}, not to {suite}")
    collected = Collected(upload, catalogue, HELM_SUITE)
    names = BenchmarkNames(catalogue.benchmarks[HELM_SUITE], _ALSO)
    differing: list[str] = []
    for path, table in tables:
        _read_table(collected, names, path, table, differing)
    if differing:
        collected.notes.append(
            f"Later tables give other scores for {quoted_names(differing)}: parts of a benchmark "
            "or another view of it; the first table counts."
        )
    return collected.imported("HELM groups")


def _read_table(
    collected: Collected,
    names: BenchmarkNames,
    path: tuple[Step, ...],
    table: dict[str, Json],
    differing: list[str],
) -> None:
    upload = collected.upload
    header = sequence(upload, table["header"], *path, "header")
    rows = sequence(upload, table["rows"], *path, "rows")
    titles = [_text(_value(cell))[:300] for cell in header]
    if not titles or not normal(titles[0]).startswith("model"):
        if titles:
            collected.notes.append(
                f"The table {_title(table)} was skipped: its first column is "
                f"{quoted(titles[0])}, not the model."
            )
        return
    columns = _columns(collected, names, table, header, titles, (*path, "header"))
    has_adapter = len(titles) > 1 and titles[1].strip().casefold() in _ADAPTER
    repeats: dict[str, int] = {}
    for i, row in enumerate(rows):
        here = (*path, "rows", i)
        cells = sequence(upload, row, *here)
        if len(cells) != len(header):
            what = f"the row has {len(cells)} cells and the header {len(header)}"
            raise upload.fault(what, here)
        label = upload.label(_value(cells[0]), "model's name", (*here, 0))
        start, _, variant = label.rpartition("[")
        is_variant = "=" in variant and variant.find("]") == len(variant) - 1
        model = start.rstrip() if is_variant and start.strip() else label
        if has_adapter and (adapter := _text(_value(cells[1])).strip()):
            label = upload.label(f"{label} [{adapter}]", "adapter", (*here, 1))
        repeats[label] = repeats.get(label, 0) + 1
        run = Run(model, label if repeats[label] == 1 else f"{label} #{repeats[label]}")
        for benchmark, j in columns.items():
            score = upload.number(_value(cells[j]), "score", (*here, j))
            known = collected.known_score(run, benchmark)
            if score is not None and known is None:
                collected.add(run, benchmark, score, None, (*here, j))
            elif score not in (None, known):
                differing.append(benchmark.name)


def _columns(
    collected: Collected,
    names: BenchmarkNames,
    table: dict[str, Json],
    header: list[Json],
    titles: list[str],
    place: tuple[Step, ...],
) -> dict[Benchmark, int]:
    """Return where the columns that are benchmarks are; note the others but win rates."""
    columns: dict[Benchmark, int] = {}
    others = []
    for j, name in enumerate(titles[1:], start=1):
        if name.strip().casefold() in _ADAPTER or _MEAN.match(name):
            continue
        if (benchmark := _benchmark(names, table, header[j], name)) is None:
            others.append(name or f"column {j + 1}")
        elif benchmark in columns:
            first = quoted(titles[columns[benchmark]])
            what = f"the columns {first} and {quoted(name)} are both {benchmark.name}"
            raise collected.upload.fault(what, place)
        else:
            columns[benchmark] = j
    if others:
        collected.notes.append(
            f"In the table {_title(table)} these columns were skipped, since they are not "
            f"benchmarks of {collected.suite_name} or measure one differently: "
            f"{quoted_names(others)}."
        )
    return columns


def _title(table: dict[str, Json]) -> str:
    return quoted(_text(table.get("title")) or _text(table.get("name")) or "without a title")


def _benchmark(
    names: BenchmarkNames, table: dict[str, Json], cell: Json, title: str
) -> Benchmark | None:
    metadata = inside(cell, "metadata")
    if metadata.get("perturbation"):
        return None
    metric = metadata.get("metric")
    parts = title.split(" - ")
    pairs: list[tuple[Json, Json]] = [(metadata.get("run_group"), metric), (title, metric)]
    pairs += [
        (" - ".join(parts[:i]), metric or " - ".join(parts[i:])) for i in range(1, len(parts))
    ]
    group = _text(table.get("name"))[:300].partition(":")[0]
    pairs += [(group, metric or title), (table.get("title"), metric or title)]
    for name, measured in pairs:
        if benchmark := names.find(name):
            flipped = inside(cell).get("lower_is_better")
            if isinstance(flipped, bool) and flipped != benchmark.lower_is_better:
                return None
            by, own = normal(_text(measured)), normal(benchmark.metric)
            is_own = by == own or by in _KNOWN["metrics"].get(own, ())
            if "juryscore" in own:
                is_own = "juryscore" in by or by == normal(f"{benchmark.id}_accuracy")
            return benchmark if measured is None or is_own else None
    return None


def _value(cell: Json) -> Json:
    return cell.get("value") if isinstance(cell, dict) else cell


def _text(value: Json) -> str:
    return value if isinstance(value, str) else ""


# Runs


def read_run(
    upload: Upload, run_spec: object, instances: Iterable[tuple[str, object]]
) -> ResultRows:
    """Read one run by its main metric, as HELM's tables count it.

    Perturbed instances do not count, nor the split ``valid`` where there is ``test``. Each train
    trial is an attempt. A jury's score of 1 to 5 becomes (score − 1)/4; its 0 means that no jury
    answered. Tokens are those of prompt and output.
    """
    rows = ResultRows(upload, "HELM run")
    run_spec = inside(run_spec)
    adapter = inside(run_spec, "adapter_spec")
    model = rows.model_of(adapter.get("model"), f"{SPEC}, adapter_spec.model")
    rows.set(model, adapter)
    task = short_id(_MODEL_IN_NAME.sub("", str(run_spec.get("name") or "")[:2000]))
    main, is_jury = "", False
    by_split: dict[str, list[tuple[str, object, float | None, dict[str, Any]]]] = {}
    for place, instance in instances:
        about = inside(instance)
        if not isinstance(listing := about.get("stats"), list):
            raise upload.fault("an instance with its stats is expected here", place)
        if about.get("perturbation") is not None:
            rows.passed_over["perturbed instance", ""] += 1
            continue
        stats, split = _means(listing)
        if not main:
            main, is_jury = _main_metric(upload, run_spec, stats, place)
        score = score_of(stats.get(main))
        if is_jury and score is not None:
            if not (score == 0 or 1 <= score <= 5):
                raise upload.fault(f"the jury's score {score:.6g} is outside 1 to 5", place)
            score = (score - 1) / 4 if score else None
        trial = as_number(about.get("train_trial_index") or 0)
        attempt = rows.attempt_of(None if trial is None else trial + 1, place)
        counts = [as_number(stats.get(name)) for name in ("num_prompt_tokens", "num_output_tokens")]
        tokens = None if None in counts else sum(count or 0.0 for count in counts)
        more = {"attempt": attempt, "tokens": tokens, "seconds": stats.get("inference_runtime")}
        by_split.setdefault(split, []).append((place, about.get("instance_id"), score, more))
    kept = "test" if "test" in by_split else next(iter(by_split), "")
    others = sum(len(found) for split, found in by_split.items() if split != kept)
    if others:
        rows.passed_over["instance", f": not of the split {kept}"] = others
    for place, item, score, more in by_split.get(kept, ()):
        rows.add(place, model, item, score, task=task, **more)
    if is_jury:
        rows.notes.append("the jury's scores of 1 to 5 were scaled to 0 to 1: (score − 1)/4.")
    return rows


def is_instance(record: object) -> bool:
    """Say whether a record is of a run."""
    return isinstance(record, dict) and "instance_id" in record and "stats" in record


def folders(names: Iterable[str]) -> list[str]:
    """Return the run folders among the parts of an archive, each with its last slash or empty."""
    return sorted(
        name.removesuffix(STATS) for name in names if name == STATS or name.endswith(f"/{STATS}")
    )


def spec_of(upload: Upload, name: str, specs: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Return the run spec that lies in the same folder, or the only one that was given."""
    beside = [spec for other, spec in specs.items() if parted(other)[:-1] == parted(name)[:-1]]
    found = beside or list(specs.values())
    if len(found) != 1:
        why = "several run_spec.json were given" if found else "its run_spec.json is missing"
        raise upload.fault(f"{why}: give both files of one run, or a ZIP archive of run folders")
    return found[0]


def _means(stats: list[Any]) -> tuple[dict[str, Any], str]:
    found: dict[str, Any] = {}
    split = ""
    for stat in stats:
        name = inside(stat, "name")
        if isinstance(name.get("name"), str):
            found[name["name"]] = stat.get("mean")
            split = split or ("test" if name.get("split") == "test" else "valid")
    return found, split


def _main_metric(
    upload: Upload, run_spec: dict[str, Any], stats: dict[str, Any], place: str
) -> tuple[str, bool]:
    specs, groups = (as_list(run_spec.get(name)) for name in ("metric_specs", "groups"))
    jury = [
        str(inside(spec, "args").get("metric_name"))
        for spec in specs
        if str(inside(spec).get("class_name")).endswith(_JURY) and inside(spec, "args")
    ]
    named = [_KNOWN["main"].get(group, "") for group in groups if isinstance(group, str)]
    main = next((name for name in (*jury, *named, *_KNOWN["usual"]) if name and name in stats), "")
    if not main:
        raise upload.fault("no statistic is one that HELM scores a benchmark by", place)
    return main, main in {*jury, *_KNOWN["jury"]}
