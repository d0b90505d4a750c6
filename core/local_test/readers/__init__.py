"""Results of a local test, read back from what tools and raters wrote, without a word of it.

Each format is told by its content. What is taken out are ids, scores, tokens, seconds, cost, the
model and a fixed list of settings; inputs, answers, explanations and messages pass by, a sample or
a row at a time, and are let go. Ids that may be a text are replaced by a hash. Files are
untrusted: every fault is one sentence that names the file and the place, and none quotes a value
that may be of a case.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from core.domain import BadDataError, BadRequestError
from core.evidence.imports.upload import Upload, shortened
from core.local_test.readers import (
    documents,
    every_eval_ever,
    helm_runs,
    inspect_log,
    lm_eval_samples,
    promptfoo,
    tables,
    workbook,
)
from core.local_test.readers.collected import Rows, joined
from core.local_test.readers.json_stream import MOST_SIGNS, JsonStream, decoded
from core.local_test.readers.sources import Content, Source, archive, source_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pandas as pd

    from core.local_test.results import Results

__all__ = ["FORMATS", "read", "read_groups"]

FORMATS = (
    *(inspect_log.FORMAT, helm_runs.FORMAT, lm_eval_samples.FORMAT, promptfoo.FORMAT),
    *(every_eval_ever.FORMAT, tables.RATINGS, tables.ITEMS),
)
_UNKNOWN = (
    "it is none of what can be read: an Inspect log, a HELM run, samples of "
    "lm-evaluation-harness, results of promptfoo, instances of Every Eval Ever, a rating sheet "
    "with its key, or a CSV with the columns model, item and score"
)
_MOST_SPEC = 5_000_000


def read(files: Sequence[tuple[str, Content]]) -> Results:
    """Read what one or several tools and raters wrote of one test, as one.

    Parameters
    ----------
    files
        The name and the content of each, a path or bytes, at most 200 MB. A name may have
        folders: they tell which files belong together, and lm-evaluation-harness names one after
        the model. HELM's two files, or a rating sheet and its key, are given together.

    Returns
    -------
    Results
        One row per model, item, rater and attempt, at most 300,000. Where two files have the
        same, the file that was given first counts. An item may be there for one model only.
    """
    if not files:
        raise BadRequestError("No file was given.")
    reading = _Reading()
    for n, (name, content) in enumerate(files):
        reading.take(n, source_of(name, content))
    return reading.results()


def read_groups(name: str, content: Content) -> pd.DataFrame:
    """Return the subgroup columns of a case file, by case, and hold nothing else of it.

    Parameters
    ----------
    name, content
        As of ``read``; a CSV with the column ``case`` and any columns ``group_…``.

    Returns
    -------
    DataFrame
        Indexed by ``case``; as text, empty where the file says nothing. A column with a value of
        more than 40 signs, or with more than 12 values, is refused: that is no subgroup.
    """
    return tables.read_groups(source_of(name, content).table())


class _Reading:
    """Files as they are taken; those that need another file are read when all are there."""

    def __init__(self) -> None:
        self._parts: list[tuple[int, Rows]] = []
        self._notes: list[str] = []
        self._tables: list[tuple[int, Upload]] = []
        self._samples: list[tuple[int, Source]] = []
        self._stats: list[tuple[int, Source]] = []
        self._specs: dict[str, dict[str, Any]] = {}
        self._models: dict[str, str] = {}

    def take(self, n: int, source: Source) -> None:
        """Read one file, or put it by."""
        if source.start.startswith(b"PK"):
            self._archive(n, source)
        elif source.opening not in ("{", "["):
            self._tables.append((n, source.table()))
        elif source.is_utf_16:
            raise source.upload.fault("its JSON is not UTF-8 text: save it as UTF-8")
        elif first := _first_record(source):
            if every_eval_ever.is_record(first):
                self._parts.append((n, every_eval_ever.read(source.upload, _records(source))))
            elif lm_eval_samples.is_record(first):
                self._samples.append((n, source))
            elif helm_runs.is_record(first):
                self._stats.append((n, source))
            else:
                raise source.upload.fault(_UNKNOWN)
        else:
            self._document(n, source)

    def results(self) -> Results:
        """Read what was put by, and join all."""
        for n, source in self._samples:
            model = lm_eval_samples.model_of(source.name, self._models)
            rows = lm_eval_samples.read(source.upload, source.name, model, _records(source))
            self._parts.append((n, rows))
        for n, source in self._stats:
            spec = helm_runs.spec_of(source.upload, source.name, self._specs)
            self._parts.append((n, helm_runs.read(source.upload, spec, _records(source))))
        if self._specs and not self._stats:
            name = next(iter(self._specs))
            raise BadDataError(f"{shortened(name)}: give the {helm_runs.STATS} of this run too.")
        self._read_tables()
        parts = [rows for _, rows in sorted(self._parts, key=lambda part: part[0])]
        return joined(parts, self._notes)

    def _read_tables(self) -> None:
        key: tables.Key = {}
        kinds = [tables.kind(tables.header(upload)) for _, upload in self._tables]
        for (_, upload), kind in zip(self._tables, kinds, strict=True):
            if kind == tables.KEY_FILE:
                tables.read_key(upload, key)
        if key and tables.RATINGS not in kinds:
            upload = self._tables[kinds.index(tables.KEY_FILE)][1]
            raise upload.fault("it is the key of a rating sheet: give the filled sheet too")
        for (n, upload), kind in zip(self._tables, kinds, strict=True):
            if kind == tables.RATINGS:
                self._parts.append((n, tables.read_ratings(upload, key)))
            elif kind == tables.ITEMS:
                self._parts.append((n, tables.read_items(upload)))
            elif not kind:
                raise upload.fault(_UNKNOWN)

    def _archive(self, n: int, source: Source) -> None:
        with archive(source) as parts:
            if inspect_log.is_archive(parts.names):
                self._parts.append((n, inspect_log.read_archive(parts)))
            elif workbook.is_archive(parts.names):
                sheets = workbook.sheets(parts)
                known = [sheet for sheet in sheets if tables.kind(tables.header(sheet))]
                if not known:
                    raise source.upload.fault(_UNKNOWN)
                self._tables += [(n, sheet) for sheet in known]
            elif folders := helm_runs.folders(parts.names):
                for folder in folders:
                    spec, stats = f"{folder}{helm_runs.SPEC}", f"{folder}{helm_runs.STATS}"
                    upload = Upload(f"{source.upload.name}, {shortened(stats)}", "")
                    if spec not in parts.names:
                        raise upload.fault(f"there is no {helm_runs.SPEC} beside it")
                    given = decoded(upload, parts.part(spec, _MOST_SPEC), shortened(spec))
                    with parts.text(stats) as text:
                        rows = helm_runs.read(upload, given, JsonStream(upload, text).elements())
                    self._parts.append((n, rows))
            else:
                raise source.upload.fault(f"of this archive, {_UNKNOWN}")

    def _document(self, n: int, source: Source) -> None:
        """Read one object: a log with its samples, or what tells of the samples in other files."""
        with source.text() as text:
            head, rows = documents.read(source.upload, JsonStream(source.upload, text))
        if rows is not None:
            self._parts.append((n, rows))
        elif "metric_specs" in head:
            self._specs[source.name] = head
        elif "results" in head and (model := lm_eval_samples.model_of_results(head)):
            self._models[source.name] = model
            self._notes.append(f"{source.upload.name} has averages; of it only the model was read.")
        elif documents.AVERAGES in head:
            self._notes.append(f"{source.upload.name} has averages, and no item results.")
        elif "eval" in head:
            raise source.upload.fault("it is an Inspect log without samples")
        else:
            raise source.upload.fault(_UNKNOWN)


def _first_record(source: Source) -> object:
    """Return the first of a list or of lines of records; nothing of a document of its own."""
    if source.opening == "[":
        return next(_records(source), ("", {}))[1] or {"": ""}
    place, line = next(source.lines(MOST_SIGNS), ("", ""))
    if '"doc_id"' not in line and '"sample_id"' not in line:
        return None
    try:
        record = decoded(source.upload, line, place)
    except BadDataError:
        return None
    known = every_eval_ever.is_record(record) or lm_eval_samples.is_record(record)
    return record if known else None


def _records(source: Source) -> Iterator[tuple[str, object]]:
    """Yield each record with its place, of a list or of lines."""
    if source.opening != "[":
        for place, line in source.lines(MOST_SIGNS):
            yield place, decoded(source.upload, line, place)
        return
    with source.text() as text:
        stream = JsonStream(source.upload, text)
        yield from stream.elements()
        stream.end()
