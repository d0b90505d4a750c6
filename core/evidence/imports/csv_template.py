"""The CSV that a person fills in: one row per model, run and benchmark."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.evidence.imports.collected import Collected, Names, Run, known_suite
from core.evidence.imports.csv_rows import (
    csv_rows,
    delimiter,
    note_passed_over,
    number,
    template_csv,
)
from core.evidence.imports.upload import quoted, shortened

if TYPE_CHECKING:
    from core.evidence.catalogue import Catalogue
    from core.evidence.imports.collected import Imported
    from core.evidence.imports.csv_rows import Row
    from core.evidence.imports.upload import Upload

FORMAT = "CSV template"
COLUMNS = ("model", "run", "benchmark", "score", "standard_error")
_REQUIRED = ("model", "benchmark", "score")
_OPTIONAL = (*COLUMNS, "protocol")
_MAX_ROWS = 100_000


def template(suite: str, catalogue: Catalogue) -> bytes:
    """Return the CSV to fill in: a header, and one row per benchmark without a score.

    UTF-8 with a byte order mark, which spreadsheets need.
    """
    benchmarks = catalogue.benchmarks.get(known_suite(catalogue, suite), ())
    return template_csv(COLUMNS, [("", "", benchmark.id, "", "") for benchmark in benchmarks])


def read(upload: Upload, catalogue: Catalogue, suite: str | None) -> Imported:
    """Read a filled-in template, also as spreadsheets save it with semicolons or tabs."""
    notes: list[str] = []
    rows = _rows(upload, notes)
    collected = Collected(upload, catalogue, suite or _suite(upload, catalogue, rows))
    collected.notes += notes
    names = Names(catalogue.benchmarks.get(collected.suite, ()), {})
    protocols = catalogue.suites[collected.suite].protocols
    empty = 0
    for place, cells in rows:
        score = number(upload, cells["score"], "score", place)
        if score is None:
            empty += 1
            continue
        model = upload.label(cells["model"], "model", place)
        benchmark = names.find(upload.label(cells["benchmark"], "benchmark", place))
        if benchmark is None:
            raise upload.fault(
                f"the benchmark {quoted(cells['benchmark'])} is not one of "
                f"{collected.suite_name}: use the ids of its template",
                place,
            )
        protocol = cells["protocol"]
        if protocol and protocol not in protocols:
            known = ", ".join(protocols) or "none: leave it empty"
            raise upload.fault(
                f"the protocol {quoted(protocol)} is not one of {collected.suite_name} ({known})",
                place,
            )
        name = cells["run"]
        label = upload.label(f"{model} [{name}]" if name else model, "run", place)
        error = number(upload, cells["standard_error"], "standard error", place)
        run = Run(model, label, protocol=protocol or next(iter(protocols), ""))
        collected.add(run, benchmark, score, error, place)
    note_passed_over(empty, "score", collected.notes)
    return collected.imported(FORMAT)


def _rows(upload: Upload, notes: list[str]) -> list[Row]:
    """Return all rows: the suite is told by the benchmarks of all of them."""
    first = next((line for line in upload.text[:5000].splitlines() if line.strip()), "").casefold()
    if not any(column in first for column in _REQUIRED) and "sep=" not in first:
        raise upload.fault(
            "it is none of the formats that can be imported: HELM groups, "
            "lm-evaluation-harness, Every Eval Ever, or the CSV template"
        )
    by_comma = delimiter(upload.text, _OPTIONAL) == ","
    rows = []
    for place, cells in csv_rows(
        upload, columns=_OPTIONAL, required=_REQUIRED, most_rows=_MAX_ROWS, notes=notes
    ):
        score, error = cells["score"], cells["standard_error"]
        if by_comma and score.isdecimal() and error.isdecimal() and error.strip("0"):
            # The comma within a number has torn it apart: ``0,85`` is no score of 0.
            whole, rest = shortened(score), shortened(error)
            raise upload.fault(
                f"{whole},{rest} may be one number or a score and its standard error; write "
                f'"{whole}.{rest}" or decimals in both',
                place,
            )
        rows.append((place, cells))
    return rows


def _suite(upload: Upload, catalogue: Catalogue, rows: list[Row]) -> str:
    """Return the one suite that has all the benchmarks of the file."""
    wanted = {cells["benchmark"] for _, cells in rows if cells["benchmark"]}
    found = []
    for suite, benchmarks in catalogue.benchmarks.items():
        names = Names(benchmarks, {})
        if all(names.find(name) for name in wanted):
            found.append(suite)
    if len(found) == 1:
        return found[0]
    if found:
        raise upload.fault(f"its benchmarks may be of {' or '.join(found)}: choose the suite")
    raise upload.fault("no suite has all of its benchmarks: choose the suite and use its template")
