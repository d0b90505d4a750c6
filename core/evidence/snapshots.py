"""Snapshots on disk: immutable copies of a suite's scores with a manifest next to them.

A snapshot is the folder ``snapshots/<suite>/<revision>/`` with ``scores.csv``, ``manifest.toml``
and, where the source has them, ``facts.csv`` and ``items.parquet``. It is written once, to a
folder of another name that is then renamed, so a half-written snapshot never carries its final
name. The hashes in the manifest are checked each time the store is opened. What is at fault
raises ``BadDataError`` with one sentence for the reader.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import tempfile
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, astuple, dataclass, fields
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from core.domain import (
    BadDataError,
    BadRequestError,
    FactList,
    ModelFact,
    Scale,
    ScoreTable,
    Snapshot,
)
from core.evidence import items
from core.evidence.items import ITEMS
from core.evidence.tables import (
    Row,
    first_day,
    is_address,
    is_over_a_year_ago,
    read_table,
    readable,
    rows,
)

if TYPE_CHECKING:
    import pandas as pd

SCORE_COLUMNS = (
    *("model", "run", "run_at", "precision", "protocol", "model_revision", "benchmark"),
    *("score", "standard_error", "source_url"),
)
"""A score on the benchmark's own scale; an empty cell is a score nobody published."""

_LISTED = 10
_FACTS = "facts.csv"
_FACT_COLUMNS = ("model", "field", "value", "source")
M = TypeVar("M", Snapshot, FactList)
_SAFE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


@dataclass(frozen=True, slots=True)
class Fault:
    """A snapshot that could not be used, with the sentence that says why.

    Of no suite: what is wrong with the store, which can be used all the same.
    """

    suite: str
    revision: str
    message: str


def sha256(path: Path) -> str:
    """Return the hash of a file as hexadecimal digits."""
    with path.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


def manifest(folder: Path, kind: type[M]) -> M:
    """Read the manifest of a snapshot of any kind, which says in what folder it lies."""
    name = f"{folder.parent.name}/{folder.name}/manifest.toml"
    try:
        with readable(name):
            values = tomllib.loads((folder / "manifest.toml").read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadDataError(f"{name} is not readable TOML: {error}.") from None
    for field in fields(kind):
        expected = int if field.type == "int" else str
        if type(values.setdefault(field.name, field.default)) is not expected:
            raise BadDataError(f'{name}: the field "{field.name}" is missing or of the wrong kind.')
    found = kind(**{field.name: values[field.name] for field in fields(kind)})
    if (said := astuple(found)[:2]) != (folder.parent.name, folder.name):
        raise BadDataError(f"{name} says {' '.join(said)[:80]}, but lies in another folder.")
    _check(found, name)
    return found


def write_manifest(folder: Path, about: Snapshot | FactList) -> None:
    """Write the manifest of a snapshot of any kind."""
    # A JSON string is a valid TOML basic string.
    lines = [
        f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in asdict(about).items()
    ]
    (folder / "manifest.toml").write_text("\n".join(lines) + "\n", "utf-8")


def _check(snapshot: Snapshot | FactList, name: str) -> None:
    """Refuse a day that is none, and an address that a browser would not open on the web."""
    for field in ("as_of", "retrieved_at", "seen_on"):
        value = getattr(snapshot, field, "")
        if not first_day(value) and (value or field == "retrieved_at"):
            raise BadDataError(
                f'{name}: {field} = "{value[:40]}" is not a date such as 2026-11-22.'
            )
    if not is_address(snapshot.source_url):
        said = f'source_url = "{snapshot.source_url[:40]}"'
        raise BadDataError(f"{name}: {said} is not an http or https address.")


def verify(folder: Path) -> Snapshot:
    """Read a manifest and check that the files next to it are the ones it describes."""
    snapshot = manifest(folder, Snapshot)
    check_hash(folder / "scores.csv", snapshot.sha256)
    for file, stated in ((_FACTS, snapshot.facts_sha256), (ITEMS, snapshot.items_sha256)):
        if stated or (folder / file).exists():
            check_hash(folder / file, stated)
    return snapshot


def check_hash(path: Path, stated: str) -> None:
    """Refuse a file of a snapshot that is not the one whose hash its manifest states."""
    name = "/".join(path.parts[-3:])
    if not stated:
        raise BadDataError(
            f"{name} has no sha256 in the manifest, so nothing shows whether it was altered."
        )
    with readable(name):
        found = sha256(path)
    if found != stated:
        raise BadDataError(
            f"{name} was altered: its sha256 is {found[:12]}…, "
            f"but the manifest says {stated[:12]}…."
        )


def read_scores(folder: Path, known: Mapping[str, Mapping[str, Scale]]) -> ScoreTable:
    """Read the scores of a snapshot, each row checked, and all of them against the manifest.

    ``known`` has the scale of each benchmark by suite and id; a score may lie outside
    by 1 % of it, which the plausibility rules flag. Texts are texts, ``score`` and
    ``standard_error`` floats with ``nan`` for gaps.
    """
    import pandas as pd  # noqa: PLC0415 - a third of a second to import

    suite, stated = folder.parent.name, manifest(folder, Snapshot)
    records = _check_rows(rows(folder / "scores.csv", SCORE_COLUMNS), suite, known.get(suite, {}))
    if not records:
        raise BadDataError(f"{suite}/{folder.name}/scores.csv has no rows.")
    frame = pd.DataFrame.from_records(records, columns=SCORE_COLUMNS)
    frame = frame.astype(dict.fromkeys(("score", "standard_error"), "float64"))
    for field, n in _counts(frame).items():
        if getattr(stated, field) != n:
            raise BadDataError(
                f"{suite}/{folder.name}/manifest.toml says {field} = {getattr(stated, field)}, "
                f"but scores.csv has {n}."
            )
    return ScoreTable(suite, frame, _read_facts(folder / _FACTS))


def _check_rows(
    found: Iterable[Row], suite: str, benchmarks: Mapping[str, Scale]
) -> list[dict[str, object]]:
    records: list[dict[str, object]] = []
    seen = set()
    for row in found:
        benchmark = row.text("benchmark")
        if benchmark not in benchmarks:
            raise row.fault(f'the benchmark "{benchmark[:80]}" is not in the catalogue of {suite}')
        key = (row.text("run"), row.cells["protocol"], benchmark)
        if key in seen:
            raise row.fault(f'the run "{key[0][:80]}" has two scores on {benchmark}')
        seen.add(key)
        row.text("model")
        score, error = row.number_or_none("score"), row.number_or_none("standard_error")
        low, high, _ = benchmarks[benchmark]
        slack = 0.01 * (high - low)
        if score is not None and not low - slack <= score <= high + slack:
            said = f'"{row.cells["score"][:40]}" in the column "score" is outside the scale'
            raise row.fault(f"{said} of {benchmark}, {low:g} to {high:g}")
        if error is not None and not 0 <= error <= high - low:
            said = f'"{row.cells["standard_error"][:40]}" in the column "standard_error"'
            raise row.fault(f"{said} is negative or wider than the scale of {benchmark}")
        records.append(row.cells | {"score": score, "standard_error": error})
    return records


def check_table(table: ScoreTable, file: str, benchmarks: Mapping[str, Scale]) -> None:
    """Check a table, numbered by the rows of its file, before a snapshot is made of it.

    All benchmarks and metrics that the catalogue lacks are named at once, with their rows.
    """
    if table.frame.empty:
        raise BadDataError(f"{file} has no rows.")
    unknown: dict[str, list[str]] = {}
    for number, name in table.frame["benchmark"].items():
        if name not in benchmarks:
            unknown.setdefault(str(name), []).append(str(number))
    said = []
    for name, at in list(unknown.items())[:_LISTED]:
        benchmark, _, metric = name.partition(":")
        is_metric = bool(metric) and benchmark in benchmarks
        what = f'the metric "{metric[:80]}" of' if is_metric else "the benchmark"
        more = " and more" if len(at) > _LISTED else ""
        where = f"row{'s' * (len(at) > 1)} {', '.join(at[:_LISTED])}{more}"
        said.append(f'{what} "{benchmark[:80] if is_metric else name[:80]}" ({where})')
    if said:
        more = f"; and {len(unknown) - _LISTED} more" if len(unknown) > _LISTED else ""
        raise BadDataError(
            f"{file} has entries that the catalogue of {table.suite} does not know: "
            f"{'; '.join(said)}"
            f"{more}; add them to benchmarks.csv, or correct the file."
        )
    texts = table.frame.astype(object).where(table.frame.notna(), "").astype(str)
    numbered = zip(map(int, texts.index), texts.to_dict("records"), strict=True)
    each = (Row(file, n, {str(k): cell for k, cell in row.items()}) for n, row in numbered)
    _check_rows(each, table.suite, benchmarks)


def check_items(folder: Path, scores: pd.DataFrame, scales: Mapping[str, Scale]) -> pd.DataFrame:
    """Check the items of a snapshot against its scores and its manifest, as ``items.check`` does.

    Without items the counts have no rows.
    """
    import pandas as pd  # noqa: PLC0415 - a third of a second to import

    stated, name = manifest(folder, Snapshot), f"{folder.parent.name}/{folder.name}/{ITEMS}"
    if not stated.items_sha256:
        return pd.DataFrame(columns=items.COUNTS)
    found = items.check_against_scores(folder / ITEMS, scores, scales, name)
    if (n := int(found["n_rows"].sum())) != stated.n_item_rows:
        raise BadDataError(
            f"{folder.parent.name}/{folder.name}/manifest.toml says n_item_rows = "
            f"{stated.n_item_rows}, but {ITEMS} has {n}."
        )
    return found


def _counts(frame: pd.DataFrame) -> dict[str, int]:
    return {
        "n_rows": len(frame),
        "n_runs": len(frame[["run", "protocol"]].drop_duplicates()),
        "n_models": frame["model"].nunique(),
        "n_benchmarks": frame["benchmark"].nunique(),
    }


def _read_facts(path: Path) -> tuple[ModelFact, ...]:
    def check(fact: ModelFact) -> str:
        said = f'"{fact.source[:40]}" in the column "source" is not an http or https address'
        return "" if is_address(fact.source) else said

    return read_table(path, ModelFact, check=check) if path.exists() else ()


def version(snapshot: Snapshot) -> tuple[int, ...]:
    """Return the numbers of a revision such as v5.0.0, to compare; nothing for another form."""
    is_version = re.fullmatch(r"v\d{1,3}(\.\d{1,3})*", snapshot.revision)
    return tuple(map(int, re.findall(r"\d+", snapshot.revision))) if is_version else ()


def age(snapshot: Snapshot) -> tuple[tuple[int, ...], str, str, str]:
    """Return what orders snapshots of a suite from old to new: version, date, retrieval, revision.

    An undated release counts as of the day on which it was retrieved.
    """
    written = snapshot.as_of or snapshot.retrieved_at
    return (version(snapshot), written, snapshot.retrieved_at, snapshot.revision)


def too_old(snapshot: Snapshot, today: date) -> str:
    """Return the date of a snapshot's scores where that is more than a year ago, else "".

    The date is as the source gives it; a year or a month counts to its last day. An undated
    snapshot counts as of the day on which it was retrieved.
    """
    written = snapshot.as_of or snapshot.retrieved_at
    return written if is_over_a_year_ago(written, today) else ""


def checked(root: Path, verify: Callable[[Path], M]) -> tuple[tuple[M, ...], tuple[Fault, ...]]:
    """Verify the snapshots of any kind, suites and revisions in alphabetical order.

    A faulty one is reported and does not stop the others.
    """
    good, faults = [], []
    for folder in sorted(root.glob("*/*/")):
        if folder.name.startswith("."):
            continue
        try:
            good.append(verify(folder))
        except BadDataError as error:
            faults.append(Fault(folder.parent.name, folder.name, str(error)))
    return tuple(good), tuple(faults)


def remove_faulty(folder: Path, known: Mapping[str, Mapping[str, Scale]]) -> None:
    """Remove a snapshot that the store leaves out, so that its revision can be written again."""
    if folder.exists() and _SAFE_NAME.fullmatch(folder.name):
        try:
            verify(folder)
            read_scores(folder, known)
        except BadDataError:
            shutil.rmtree(folder)


def write(
    root: Path,
    table: ScoreTable,
    *,
    revision: str,
    as_of: str,
    retrieved_at: str,
    source_url: str,
    licence: str,
    note: str = "",
    kind: str = "release",
    scales: Mapping[str, Scale] | None = None,
) -> Snapshot:
    """Write a new snapshot under ``root`` and return its manifest.

    Items are checked against the scores on the ``scales`` of their benchmarks, 0 to 1 where not
    given. The same scores and items under the same revision are left as they are. A name that is no
    safe folder, and other scores under a revision that exists, raise ``BadRequestError``: a
    snapshot never changes.
    """
    import pandas as pd  # noqa: PLC0415 - a third of a second to import

    for name in (table.suite, revision):
        if not _SAFE_NAME.fullmatch(name):
            what = "cannot name a snapshot: use letters, digits, dots, dashes"
            raise BadRequestError(f'"{name}" {what}.')
    frame = table.frame[list(SCORE_COLUMNS)]
    target = root / table.suite / revision
    target.parent.mkdir(parents=True, exist_ok=True)
    draft = Path(tempfile.mkdtemp(prefix=".draft-", dir=target.parent))
    try:
        frame.to_csv(draft / "scores.csv", index=False, lineterminator="\n")
        if table.facts:
            facts = pd.DataFrame(table.facts, columns=_FACT_COLUMNS)
            facts.to_csv(draft / _FACTS, index=False, lineterminator="\n")
        n_item_rows = 0
        if table.items is not None:
            name = f"{table.suite}/{revision}/{ITEMS}"
            n_item_rows = items.write_items(table.items, draft / ITEMS, name)
            items.check_against_scores(draft / ITEMS, frame, scales or {}, name)
        snapshot = Snapshot(
            suite=table.suite,
            revision=revision,
            as_of=as_of,
            retrieved_at=retrieved_at,
            source_url=source_url,
            licence=licence,
            sha256=sha256(draft / "scores.csv"),
            **_counts(frame),
            note=note,
            kind=kind,
            facts_sha256=sha256(draft / _FACTS) if table.facts else "",
            items_sha256=sha256(draft / ITEMS) if n_item_rows else "",
            n_item_rows=n_item_rows,
        )
        _check(snapshot, f"{table.suite}/{revision}/manifest.toml")
        if target.exists():
            old = verify(target)
            if (old.sha256, old.items_sha256) != (snapshot.sha256, snapshot.items_sha256):
                raise BadRequestError(
                    f"The snapshot {table.suite} {revision} exists with other scores or items; "
                    "give the new one another revision."
                )
            return old
        write_manifest(draft, snapshot)
        draft.chmod(0o755)
        draft.rename(target)
        return snapshot
    finally:
        shutil.rmtree(draft, ignore_errors=True)
