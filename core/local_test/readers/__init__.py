"""Results of a local test, read back from what tools and raters wrote, without a word of it.

Each format is told by its content. What is taken out are ids, scores, tokens, seconds, cost, the
model and a fixed list of settings; inputs, answers, explanations and messages pass by, a sample or
a row at a time, and are let go. Ids that may be a text are replaced by a hash. Files are
untrusted: every fault is one sentence that names the file and the place, and none quotes a value
that may be of a case.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from core.domain import BadDataError, BadRequestError, FormularyError
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
from core.local_test.readers.collected import MOST_ROWS, Rows, joined
from core.local_test.readers.json_stream import MOST_SIGNS, JsonStream, decoded
from core.local_test.readers.sources import Content, Source, archive, source_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pandas as pd

    from core.local_test.results import Results

__all__ = ["FORMATS", "Taken", "read", "read_groups", "results", "take"]

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
    return results(take(files))


@dataclass(slots=True)
class Taken:
    """What one file gave, without its text."""

    name: str = ""
    rows: list[Rows] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    marks: list[tables.Marks] = field(default_factory=list)
    key: tables.Key = field(default_factory=dict)
    """Of rating sheets, which may come before or after it."""
    model: tuple[str, str] = ("", "")
    """Its name, and the model that it names for samples of lm-evaluation-harness."""
    fault: str = ""
    """Why it cannot be used, in words alone: an exception holds what was read."""


def take(files: Sequence[tuple[str, Content]], before: Sequence[Taken] = ()) -> list[Taken]:
    """Read files one by one, each as of ``read``, and hold no text of them.

    Parameters
    ----------
    files
        HELM's two files come together, and what names the model of samples not after them.
    before
        What other files gave that count together with these.
    """
    reading = _Reading([Taken() for _ in files], before)
    for n, (name, content) in enumerate(files):
        with reading.faults_of(n):
            reading.take(n, source_of(name, content))
    reading.finish()
    return reading.taken


def results(taken: Sequence[Taken]) -> Results:
    """Return the results of all files as one, as ``read`` does, or the first fault of one."""
    if not taken:
        raise BadRequestError("No file was given.")
    if fault := next((one.fault for one in taken if one.fault), ""):
        raise BadDataError(fault)
    parts: list[Rows] = []
    key: tables.Key = {}
    for one in taken:
        if any(key.setdefault(pair, model) != model for pair, model in one.key.items()):
            raise BadDataError(f"{one.name}: it is a key that names other models than the first.")
    for one in taken:
        parts += [*one.rows, *(tables.rated(marks, key) for marks in one.marks)]
    if key and not any(one.marks for one in taken):
        name = next(one.name for one in taken if one.key)
        what = "it is the key of a rating sheet: give the filled sheet too"
        raise BadDataError(f"{name}: {what}.")
    found = joined(parts, [note for one in taken for note in one.notes])
    return replace(found, planned=len({case for case, _ in key}) or None)


def read_groups(name: str, content: Content) -> pd.DataFrame:
    """Return the subgroup columns of a case file, by case, and hold nothing else of it.

    Parameters
    ----------
    name, content
        As of ``read``; a CSV with the column ``case``, ``patient`` and any columns ``group_…``.

    Returns
    -------
    DataFrame
        Indexed by ``case``; as text, empty where the file says nothing. A column with a value of
        more than 40 signs, or with more than 12 values, is refused: that is no subgroup.
        ``patient`` is hashed.
    """
    return tables.read_groups(source_of(name, content).table())


class _Reading:
    """Files as they are taken; those that need another file are read when all are there."""

    def __init__(self, taken: list[Taken], before: Sequence[Taken]) -> None:
        self.taken, self._before = taken, before
        self._samples: list[tuple[int, Source]] = []
        self._stats: list[tuple[int, Source]] = []
        self._specs: dict[str, dict[str, Any]] = {}
        self._spec: int | None = None

    @contextmanager
    def faults_of(self, n: int) -> Iterator[None]:
        """Keep in words what is wrong with a file."""
        try:
            yield
        except FormularyError as fault:
            self.taken[n].fault = self.taken[n].fault or str(fault)

    def take(self, n: int, source: Source) -> None:
        """Read one file, or put it by."""
        self.taken[n].name = source.upload.name
        if source.start.startswith(b"PK"):
            self._archive(n, source)
        elif source.opening not in ("{", "["):
            self._table(n, source.table())
        elif source.is_utf_16:
            raise source.upload.fault("its JSON is not UTF-8 text: save it as UTF-8")
        elif first := _first_record(source):
            if every_eval_ever.is_record(first):
                self.taken[n].rows.append(every_eval_ever.read(source.upload, _records(source)))
            elif lm_eval_samples.is_record(first):
                self._samples.append((n, source))
            elif helm_runs.is_record(first):
                self._stats.append((n, source))
            else:
                raise source.upload.fault(_UNKNOWN)
        else:
            self._document(n, source)

    def finish(self) -> None:
        """Read what was put by, and let go of all text."""
        every = (*self._before, *self.taken)
        models = dict(one.model for one in every if one.model[0])
        for n, source in self._samples:
            with self.faults_of(n):
                model = lm_eval_samples.model_of(source.name, models)
                rows = lm_eval_samples.read(source.upload, source.name, model, _records(source))
                self.taken[n].rows.append(rows)
        for n, source in self._stats:
            with self.faults_of(n):
                spec = helm_runs.spec_of(source.upload, source.name, self._specs)
                self.taken[n].rows.append(helm_runs.read(source.upload, spec, _records(source)))
        if self._spec is not None and not self._stats:
            name = shortened(next(iter(self._specs)))
            self.taken[self._spec].fault = f"{name}: give the {helm_runs.STATS} of this run too."
        held = sum(_size(one) for one in self._before)
        for one in self.taken:
            held += _size(one)
            if held > MOST_ROWS:
                one.rows, one.marks = [], []
                one.fault = f"The files have more than {MOST_ROWS:,} scores together."
            for rows in (*one.rows, *(marks.rows for marks in one.marks)):
                rows.upload = replace(rows.upload, text="")

    def _table(self, n: int, upload: Upload) -> None:
        taken = self.taken[n]
        kind = tables.kind(tables.header(upload))
        if kind == tables.KEY_FILE:
            tables.read_key(upload, taken.key)
        elif kind == tables.RATINGS:
            taken.marks.append(tables.read_marks(upload))
        elif kind == tables.ITEMS:
            taken.rows.append(tables.read_items(upload))
        else:
            raise upload.fault(_UNKNOWN)

    def _archive(self, n: int, source: Source) -> None:
        with archive(source) as parts:
            if inspect_log.is_archive(parts.names):
                self.taken[n].rows.append(inspect_log.read_archive(parts))
            elif workbook.is_archive(parts.names):
                sheets = workbook.sheets(parts)
                known = [sheet for sheet in sheets if tables.kind(tables.header(sheet))]
                if not known:
                    raise source.upload.fault(_UNKNOWN)
                for sheet in known:
                    self._table(n, sheet)
            elif folders := helm_runs.folders(parts.names):
                for folder in folders:
                    spec, stats = f"{folder}{helm_runs.SPEC}", f"{folder}{helm_runs.STATS}"
                    upload = Upload(f"{source.upload.name}, {shortened(stats)}", "")
                    if spec not in parts.names:
                        raise upload.fault(f"there is no {helm_runs.SPEC} beside it")
                    given = decoded(upload, parts.part(spec, _MOST_SPEC), shortened(spec))
                    with parts.text(stats) as text:
                        rows = helm_runs.read(upload, given, JsonStream(upload, text).elements())
                    self.taken[n].rows.append(rows)
            else:
                raise source.upload.fault(f"of this archive, {_UNKNOWN}")

    def _document(self, n: int, source: Source) -> None:
        """Read one object: a log with its samples, or what tells of the samples in other files."""
        with source.text() as text:
            head, rows = documents.read(source.upload, JsonStream(source.upload, text))
        if rows is not None:
            self.taken[n].rows.append(rows)
        elif "metric_specs" in head:
            self._specs[source.name] = head
            self._spec = n
        elif "results" in head and (model := lm_eval_samples.model_of_results(head)):
            self.taken[n].model = source.name, model
            note = f"{source.upload.name} has averages; of it only the model was read."
            self.taken[n].notes.append(note)
        elif documents.AVERAGES in head:
            self.taken[n].notes.append(f"{source.upload.name} has averages, and no item results.")
        elif "eval" in head:
            raise source.upload.fault("it is an Inspect log without samples")
        else:
            raise source.upload.fault(_UNKNOWN)


def _size(taken: Taken) -> int:
    found = (*(rows.found for rows in taken.rows), *(marks.found for marks in taken.marks))
    return len(taken.key) + sum(map(len, found))


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
