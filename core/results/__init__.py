"""The one door for files of others: what their tools and people wrote becomes scores or items.

``read_own_scores`` gives scores of benchmarks, marked *local* in their run ids; ``read`` gives
scores of items without a word of them: ids, scores, tokens, seconds, cost, the model and a fixed
list of settings. Inputs, answers, explanations and messages pass by, a sample or a row at a time,
and are discarded; ids that may be a text are replaced by a hash. Each format is told by its
content. Files are untrusted: every fault is one sentence that names the file and the place, and of
items none quotes a value that may be of a case.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from core.domain import BadDataError, BadRequestError, FormularyError
from core.results import files, helm, logs, sheets, workbooks
from core.results.collected import MOST_ROWS, ResultRows, joined, known_suite
from core.results.files import (
    JsonStream,
    Upload,
    archive,
    decoded,
    opened_upload,
    shortened,
    source_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from core.evidence.catalogue import Catalogue
    from core.results.collected import Imported, Results
    from core.results.files import Content, Source

_UNKNOWN = (
    "is not one of the formats that can be read: an Inspect log, a HELM run, samples of "
    "lm-evaluation-harness, results of promptfoo, a rating sheet with its key, or a CSV with the "
    "columns model, item (or case) and score"
)
_TITLED = "the headings are not in its first row: delete what is above them"
_MOST_SPEC = 5_000_000
_MOST_PROTOCOL = 100_001
PROTOCOL = "llm-formulary local test protocol 1"
"""What the protocol of a local test says that it is."""


def read_own_scores(
    name: str, data: bytes, catalogue: Catalogue, *, suite: str | None = None
) -> Imported:
    """Read one file with scores of benchmarks, each on its own scale, whatever its format.

    Parameters
    ----------
    name
        The file's name, for messages; folders before it may name the model.
    data
        The content, of at most ``MAX_BYTES``.
    suite
        The suite that the scores belong to; without it the file must tell.

    Returns
    -------
    Imported
        Run ids start with ``local:`` and end with a digest of the content, so that the same file
        gives the same ids and another never does. What is skipped is said in notes.
    """
    if suite is not None:
        known_suite(catalogue, suite)
    upload = opened_upload(name, data)
    if upload.text.lstrip()[:1] not in ("{", "["):
        return sheets.read_filled_template(upload, catalogue, suite)
    if upload.encoding != "utf-8":
        raise upload.fault("its JSON is not UTF-8 text: save it as UTF-8")
    document = files.parsed(upload, upload.text)
    first = document[0] if isinstance(document, list) and document else document
    if isinstance(first, dict) and logs.AVERAGES in first:
        raise upload.fault(
            "it is a file of Every Eval Ever, whose averages are not read: write its scores into "
            "the CSV template"
        )
    if isinstance(document, dict) and isinstance(document.get("results"), dict):
        return logs.read_results(upload, name, document, catalogue, suite)
    if found := helm.tables_of(document):
        return helm.read_groups(upload, found, catalogue, suite)
    raise upload.fault(
        "it is JSON, but not one of the formats that can be imported: "
        "HELM groups or lm-evaluation-harness"
    )


def read(files: Sequence[tuple[str, Content]]) -> Results:
    """Read what one or several tools and raters wrote of one test, as one.

    Each file is a path or bytes, at most 200 MB; folders in its name tell which belong together,
    and lm-evaluation-harness names one after the model. HELM's two files, or a rating sheet and
    its key, are given together.

    Returns
    -------
    Results
        One row per model, item, rater and attempt, at most 300,000. Where two files have the
        same, the file that was given first counts. An item may be there for one model only.
    """
    return together(take(files))


@dataclass(slots=True)
class ReadFiles:
    """What one file gave, without its text."""

    name: str = ""
    rows: list[ResultRows] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    marks: list[sheets.Marks] = field(default_factory=list)
    key: sheets.Key = field(default_factory=dict)
    """Of rating sheets, which may come before or after it."""
    model: tuple[str, str] = ("", "")
    """Its name, and the model that it names for samples of lm-evaluation-harness."""
    spec: tuple[str, dict[str, Any]] = ("", {})
    """Its name, and what it says of a HELM run whose statistics are another file."""
    protocol: bytes = b""
    """Itself, where it is the protocol of the test and no results."""
    waiting: Source | None = None
    """Itself, until all are there that may say which model it is about."""
    fault: str = ""
    """Why it cannot be used, in words alone: an exception holds what was read."""


def take(files: Sequence[tuple[str, Content]], before: Sequence[ReadFiles] = ()) -> list[ReadFiles]:
    """Read files one by one, each as of ``read``, and hold no text of them.

    HELM's two files come together, and what names the model of samples not after them. ``before``
    is what other files gave that count together with these.
    """
    taken = [ReadFiles() for _ in files]
    for one, (name, content) in zip(taken, files, strict=True):
        with _faults_of(one):
            _take(one, source_of(name, content))
    models = dict(one.model for one in (*before, *taken) if one.model[0])
    of_helm = [one for one in taken if one.spec[0]]
    has_stats = False
    for one in taken:
        source, one.waiting = one.waiting, None
        if source is None:
            continue
        upload, records = source.upload, _records(source)
        with _faults_of(one):
            if logs.is_sample(_first_record(source)):
                model = logs.model_of_samples(source.name, models)
                one.rows.append(logs.read_samples(upload, source.name, model, records))
            else:
                has_stats = True
                spec = helm.spec_of(upload, source.name, dict(each.spec for each in of_helm))
                one.rows.append(helm.read_run(upload, spec, records))
    if of_helm and not has_stats:
        name = shortened(of_helm[0].spec[0])
        of_helm[-1].fault = f"{name}: give the {helm.STATS} of this run too."
    held = sum(map(_size, before))
    for one in taken:
        one.spec = ("", {})
        if (held := held + _size(one)) > MOST_ROWS:
            one.rows, one.marks = [], []
            one.fault = f"The files have more than {MOST_ROWS:,} scores together."
        for rows in (*one.rows, *(marks.rows for marks in one.marks)):
            rows.upload = replace(rows.upload, text="")
    return taken


def _size(one: ReadFiles) -> int:
    n_marks = sum(len(marks.found) for marks in one.marks)
    return len(one.key) + n_marks + sum(len(rows.found) for rows in one.rows)


def together(taken: Sequence[ReadFiles]) -> Results:
    """Return the results of all files as one, as ``read`` does, or the first fault of one."""
    if not taken:
        raise BadRequestError("No file was given.")
    if fault := next((one.fault for one in taken if one.fault), ""):
        raise BadDataError(fault)
    key: sheets.Key = {}
    for one in taken:
        if any(key.setdefault(pair, model) != model for pair, model in one.key.items()):
            raise BadDataError(f"{one.name}: it is a key that names other models than the first.")
    parts: list[ResultRows] = []
    for one in taken:
        parts += [*one.rows, *(sheets.rated(marks, key) for marks in one.marks)]
    if key and not any(one.marks for one in taken):
        name = next(one.name for one in taken if one.key)
        what = "it is the key of a rating sheet: give the filled sheet too"
        raise BadDataError(f"{name}: {what}.")
    found = joined(parts, [note for one in taken for note in one.notes])
    return replace(found, planned=len({case for case, _ in key}) or None)


def read_patients(name: str, content: Content) -> dict[str, str]:
    """Return the patient, hashed, of each case that names one in a CSV of cases; nothing else."""
    return sheets.patients_of(source_of(name, content).table())


@contextmanager
def _faults_of(one: ReadFiles) -> Iterator[None]:
    try:
        yield
    except FormularyError as fault:
        one.fault = one.fault or str(fault)


def _take(one: ReadFiles, source: Source) -> None:
    one.name = source.upload.name
    if source.start.startswith(b"PK"):
        _take_archive(one, source)
    elif source.opening not in ("{", "["):
        _take_table(one, source.table())
    elif source.is_utf_16:
        raise source.upload.fault("its JSON is not UTF-8 text: save it as UTF-8")
    elif f'"{PROTOCOL}"'.encode() in source.start:
        with source.open() as stream:
            one.protocol = stream.read(_MOST_PROTOCOL)
        one.notes.append(f"{source.upload.name} was read as the protocol.")
    elif not (first := _first_record(source)):
        _take_document(one, source)
    elif logs.is_of_every_eval_ever(first):
        raise source.upload.fault(
            "it is a file of Every Eval Ever, whose records of instances are not read: give what "
            "the tool itself wrote, or a CSV with the columns model, item and score"
        )
    elif logs.is_sample(first) or helm.is_instance(first):
        one.waiting = source
    else:
        raise source.upload.fault(f"it {_UNKNOWN}")


def _take_table(one: ReadFiles, upload: Upload) -> None:
    kind = sheets.kind(upload)
    if kind == sheets.KEY_FILE:
        sheets.read_key(upload, one.key)
    elif kind == sheets.RATINGS:
        one.marks.append(sheets.read_marks(upload))
    elif kind == sheets.ITEMS:
        one.rows.append(sheets.read_items(upload))
    else:
        raise upload.fault(_TITLED if sheets.has_title(upload) else f"it {_UNKNOWN}")


def _take_archive(one: ReadFiles, source: Source) -> None:
    with archive(source) as parts:
        if logs.HEADER in parts.names or any(it.startswith("_journal/") for it in parts.names):
            one.rows.append(logs.read_archive(parts))
        elif "xl/workbook.xml" in parts.names:
            tables = workbooks.of_workbook(parts)
            known = [it for it in tables if sheets.kind(it)]
            if not known:
                titled = any(map(sheets.has_title, tables))
                raise source.upload.fault(_TITLED if titled else f"it {_UNKNOWN}")
            for sheet in known:
                _take_table(one, sheet)
        elif folders := helm.folders(parts.names):
            for folder in folders:
                spec, stats = f"{folder}{helm.SPEC}", f"{folder}{helm.STATS}"
                upload = Upload(f"{source.upload.name}, {shortened(stats)}")
                if spec not in parts.names:
                    raise upload.fault(f"there is no {helm.SPEC} next to it")
                given = decoded(upload, parts.part(spec, _MOST_SPEC), shortened(spec))
                with parts.text(stats) as text:
                    records = JsonStream(upload, text).elements()
                    one.rows.append(helm.read_run(upload, given, records))
        else:
            raise source.upload.fault(f"what is in it {_UNKNOWN}")


def _take_document(one: ReadFiles, source: Source) -> None:
    """Read one object: a log with its samples, or what tells of the samples in other files."""
    upload = source.upload
    with source.text() as text:
        head, rows = logs.read_log(upload, JsonStream(upload, text))
    if rows is not None:
        one.rows.append(rows)
    elif "metric_specs" in head:
        one.spec = source.name, head
    elif "results" in head and (model := logs.model_of_results(head)):
        one.model = source.name, model
        one.notes.append(f"{upload.name} has averages; of it only the model was read.")
    elif logs.AVERAGES in head:
        one.notes.append(f"{upload.name} has averages, and no item results.")
    elif "eval" in head:
        raise upload.fault("it is an Inspect log without samples")
    else:
        raise upload.fault(f"it {_UNKNOWN}")


def _first_record(source: Source) -> object:
    """Return the first of a list or of lines of records; nothing of a document of its own."""
    if source.opening == "[":
        return next(_records(source), ("", {}))[1] or {"": ""}
    place, line = next(source.lines(), ("", b""))
    if b'"doc_id"' not in line and b'"sample_id"' not in line:
        return None
    try:
        record = decoded(source.upload, line, place)
    except BadDataError:
        return None
    known = logs.is_sample(record) or logs.is_of_every_eval_ever(record)
    return record if known else None


def _records(source: Source) -> Iterator[tuple[str, object]]:
    if source.opening != "[":
        for place, line in source.lines():
            yield place, decoded(source.upload, line, place)
        return
    with source.text() as text:
        stream = JsonStream(source.upload, text)
        yield from stream.elements()
        stream.end()
