"""HELM's ``groups/*.json``, of a release or of a hospital's own ``helm-summarize``.

A file is a list of tables with models as rows; each column is a metric of a group of runs,
named by its header text and, more surely, by the header's metadata. A MedHELM benchmark counts
only where its own metric measured it: the same file also has run times and token counts.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.evidence.imports.collected import Collected, Names, Run, normal
from core.evidence.imports.strict_json import Json, Step, at, number, sequence
from core.evidence.imports.upload import listed, quoted

if TYPE_CHECKING:
    from core.domain import Benchmark
    from core.evidence.catalogue import Catalogue
    from core.evidence.imports.collected import Imported
    from core.evidence.imports.upload import Upload

FORMAT = "HELM groups"
SUITE = "medhelm"
_ALSO = {"N2C2-CT": "n2c2_ct_matching", "MIMIC-BHC": "mimic_bhc"}
"""Short names that HELM prints in headers and the catalogue does not use."""
_METRICS = {
    "exactmatch": ("em", "quasiexactmatch", "accuracy"),
    "medcalcaccuracy": ("medcalcbenchaccuracy", "accuracy"),
    "medecflagacc": ("medicalerrorflagaccuracy", "medecerrorflagaccuracy"),
    "ehrsqlexeacc": ("executionaccuracyforgeneratedquery", "ehrsqlexecutionaccuracy"),
    "mimicbillingf1": ("f1scoreformimicbillingcodes", "mimicivbillingcodef1"),
}
"""Other names that HELM has for the metrics of the catalogue."""
_MEAN = re.compile(r"(?i)mean\b|.*\bwin rate$")
_ADAPTER = ("adapter", "adaptation method", "method")


@dataclass(frozen=True, slots=True)
class _Column:
    position: int
    title: str
    benchmark: Benchmark


def tables_of(document: Json) -> list[tuple[tuple[Step, ...], dict[str, Json]]]:
    """Return the tables of a document with their paths; none where it is no HELM file."""
    found: list[tuple[tuple[Step, ...], Json]] = [((), document)]
    if isinstance(document, dict) and "rows" not in document:
        for key, value in document.items():
            found.append(((key,), value))
            if isinstance(value, list):
                found.extend(((key, i), inner) for i, inner in enumerate(value))
    elif isinstance(document, list):
        found.extend(((i,), inner) for i, inner in enumerate(document))
    return [
        (path, table)
        for path, table in found
        if isinstance(table, dict) and "header" in table and "rows" in table
    ]


def read(
    upload: Upload,
    tables: list[tuple[tuple[Step, ...], dict[str, Json]]],
    catalogue: Catalogue,
    suite: str | None,
) -> Imported:
    """Read the scores of all tables; the first table that has a benchmark of a run counts."""
    if suite not in (None, SUITE):
        raise upload.fault(f"it is a HELM file: its scores belong to {SUITE}, not to {suite}")
    collected = Collected(upload, catalogue, SUITE)
    names = Names(catalogue.benchmarks[SUITE], _ALSO)
    differing: list[str] = []
    for path, table in tables:
        _read_table(collected, names, path, table, differing)
    if differing:
        collected.notes.append(
            f"Later tables give other scores for {listed(differing)}: parts of a benchmark or "
            "another view of it; the first table counts."
        )
    return collected.imported(FORMAT)


def _read_table(
    collected: Collected,
    names: Names,
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
                f"The table {quoted(_title(table))} was passed over: its first column is "
                f"{quoted(titles[0])}, not the model."
            )
        return
    columns, others = _columns(collected, names, table, header, titles, at(*path, "header"))
    if others:
        collected.notes.append(
            f"In the table {quoted(_title(table))} these columns were passed over, as they are "
            f"no benchmark of {collected.suite_name} or measure one otherwise: {listed(others)}."
        )
    has_adapter = len(titles) > 1 and titles[1].strip().casefold() in _ADAPTER
    repeats: dict[str, int] = {}
    for i, row in enumerate(rows):
        here = (*path, "rows", i)
        cells = sequence(upload, row, *here)
        if len(cells) != len(header):
            raise upload.fault(
                f"the row has {len(cells)} cells and the header {len(header)}", at(*here)
            )
        label = upload.label(_value(cells[0]), "model's name", at(*here, 0))
        start, _, variant = label.rpartition("[")
        is_variant = "=" in variant and variant.find("]") == len(variant) - 1
        model = start.rstrip() if is_variant and start.strip() else label
        if has_adapter and (adapter := _text(_value(cells[1])).strip()):
            label = upload.label(f"{label} [{adapter}]", "adapter", at(*here, 1))
        repeats[label] = repeats.get(label, 0) + 1
        run = Run(model, label if repeats[label] == 1 else f"{label} #{repeats[label]}")
        for column in columns:
            score = number(upload, _value(cells[column.position]), *here, column.position)
            if score is None:
                continue
            known = collected.known_score(run, column.benchmark)
            if known is None:
                place = at(*here, column.position)
                collected.add(run, column.benchmark, score, None, place)
            elif known != score:
                differing.append(column.benchmark.name)


def _columns(
    collected: Collected,
    names: Names,
    table: dict[str, Json],
    header: list[Json],
    titles: list[str],
    place: str,
) -> tuple[list[_Column], list[str]]:
    """Return the columns that are benchmarks, and the titles of the others but win rates."""
    columns: dict[str, _Column] = {}
    others = []
    for j, title in enumerate(titles[1:], start=1):
        if title.strip().casefold() in _ADAPTER or _MEAN.match(title):
            continue
        benchmark = _benchmark(names, table, header[j], title)
        if benchmark is None:
            others.append(title or f"column {j + 1}")
        elif benchmark.id in columns:
            raise collected.upload.fault(
                f"the columns {quoted(columns[benchmark.id].title)} and {quoted(title)} are both "
                f"{benchmark.name}",
                place,
            )
        else:
            columns[benchmark.id] = _Column(j, title, benchmark)
    return list(columns.values()), others


def _benchmark(names: Names, table: dict[str, Json], cell: Json, title: str) -> Benchmark | None:
    """Return the benchmark that a column measures with the benchmark's own metric."""
    header = cell if isinstance(cell, dict) else {}
    found = header.get("metadata")
    metadata = found if isinstance(found, dict) else {}
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
        benchmark = names.find(name)
        if benchmark is None:
            continue
        flipped = header.get("lower_is_better")
        if isinstance(flipped, bool) and flipped != benchmark.lower_is_better:
            return None
        return benchmark if measured is None or measures(_text(measured), benchmark) else None
    return None


def measures(metric: str, benchmark: Benchmark) -> bool:
    """Tell whether a metric, by any name HELM has for it, is the benchmark's own."""
    measured, own = normal(metric), normal(benchmark.metric)
    if "juryscore" in own:
        return "juryscore" in measured or measured == normal(f"{benchmark.id}_accuracy")
    return measured == own or measured in _METRICS.get(own, ())


def _value(cell: Json) -> Json:
    return cell.get("value") if isinstance(cell, dict) else cell


def _text(value: Json) -> str:
    return value if isinstance(value, str) else ""


def _title(table: dict[str, Json]) -> str:
    return _text(table.get("title")) or _text(table.get("name")) or "without a title"
