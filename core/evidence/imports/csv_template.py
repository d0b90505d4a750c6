"""The CSV that a person fills in: one row per model, run and benchmark."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.evidence.imports.collected import Collected, Names, Run, known_suite
from core.evidence.imports.csv_rows import (
    csv_rows,
    delimiter,
    note_encoding,
    note_passed_over,
    number,
    template_csv,
)
from core.evidence.imports.upload import quoted, shortened

if TYPE_CHECKING:
    from core.evidence.catalogue import Catalogue
    from core.evidence.imports.collected import Imported
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


def read(
    upload: Upload, text: str, encoding: str, catalogue: Catalogue, suite: str | None
) -> Imported:
    """Read a filled-in template, also as spreadsheets save it with semicolons or tabs."""
    notes: list[str] = []
    rows = _rows(upload, text, notes)
    collected = Collected(upload, catalogue, suite or _suite(upload, catalogue, rows))
    note_encoding(encoding, collected.notes)
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


def _rows(upload: Upload, text: str, notes: list[str]) -> list[tuple[str, dict[str, str]]]:
    """Return the cells of each row with its place in the file."""
    first = next((line for line in text[:5000].splitlines() if line.strip()), "").casefold()
    if not any(column in first for column in _REQUIRED) and "sep=" not in first:
        raise upload.fault(
            "it is none of the formats that can be imported: HELM groups, "
            "lm-evaluation-harness, Every Eval Ever, or the CSV template"
        )
    found = csv_rows(
        upload, text, columns=_OPTIONAL, required=_REQUIRED, most_rows=_MAX_ROWS, notes=notes
    )
    sign = delimiter(text, _OPTIONAL)
    rows = []
    for place, cells in found:
        _refuse_torn(upload, cells, sign, place)
        rows.append((place, cells))
    return rows


def _refuse_torn(upload: Upload, cells: dict[str, str], sign: str, place: str) -> None:
    """Refuse a row that a comma within a number has torn apart: ``0,85`` is no score of 0."""
    score, error = cells["score"], cells["standard_error"]
    if sign == "," and score.isdecimal() and error.isdecimal() and error.strip("0"):
        raise upload.fault(
            f"{shortened(score)},{shortened(error)} may be one number or a score and its standard "
            f'error; write "{shortened(score)}.{shortened(error)}" or decimals in both',
            place,
        )


def _suite(upload: Upload, catalogue: Catalogue, rows: list[tuple[str, dict[str, str]]]) -> str:
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
