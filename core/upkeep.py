"""The commands that look after the evidence, and what all commands print.

Snapshots are listed, imported, refreshed from their live sources, checked for plausibility and
compared with each other.
"""

import argparse
import json
import math
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, date, datetime
from functools import partial
from pathlib import Path

import pandas as pd

from core.answers import data
from core.answers.studies import reproduced
from core.domain import BadRequestError, Flag, Snapshot
from core.evidence import catalogue, snapshots
from core.evidence.store import Store, data_folder, open_store
from core.renewal import EVERY, renew
from core.sources.lists import SOURCES
from core.sources.printed import PARSERS, read_common
from core.sources.refresh import check_source, writing

Arguments = argparse.Namespace
TableRows = Sequence[Mapping[str, object]]
Told = tuple[object, TableRows] | tuple[object, TableRows | None, Sequence[str]] | None
"""What a command answers: its document, and for people its table, if any, with lines before it."""
Command = Callable[[Arguments], Told]
Add = Callable[[str, Command, str], argparse.ArgumentParser]
BAD_DATA = 3
"""Exit status where the data, or a source of it, is at fault."""


def add_commands(add: Add) -> None:
    """Add the commands to the command line."""
    add("snapshots", _snapshots, "what is loaded, from where and how old")
    add("reproduce", _reproduce, "published numbers next to computed ones")
    sub = add("import", _import, "write a snapshot from a downloaded table of scores")
    sub.add_argument("suite", help="a suite of the catalogue")
    sub.add_argument("file", type=Path)
    sub.add_argument("--revision", required=True, help="names the snapshot")
    sub.add_argument("--as-of", default="", help="date of the scores, ISO")
    sub.add_argument("--source-url", required=True)
    sub.add_argument("--licence", required=True)
    sub.add_argument("--note", default="")
    sub.add_argument("--check", action="store_true", help="say whether it can be; write nothing")
    sub = add("refresh", _refresh, "take the newest revision of live sources as new snapshots")
    sub.add_argument("suites", nargs="*", metavar="SUITE", help="or litellm, genai-prices; all")
    add("keys", _keys, "what Azure, AWS and Google sell without an entry of the public list")
    add("check", _check, "the runs that do not look plausible, and why")
    sub = add("diff", _diff, "what changed between two snapshots of a suite or a list")
    sub.add_argument("before", metavar="SUITE/REVISION")
    sub.add_argument("after", metavar="SUITE/REVISION")


def print_document(
    document: object, table: TableRows | None, lines: Sequence[str] = (), *, as_json: bool
) -> None:
    """Print the document as JSON, or lines and its main table for people."""
    if as_json:
        lines = [json.dumps(_clean(document), ensure_ascii=False, indent=1, allow_nan=False)]
    elif table:
        shown = pd.DataFrame(table).to_string(index=False, na_rep="", max_colwidth=70)
        lines = [*lines, shown]
    elif table is not None:
        lines = [*lines, "Nothing to show."]
    print(*lines, sep="\n")


def _clean(value: object) -> object:
    """Turn numbers that JSON cannot hold into null: a gap is never a number."""
    if isinstance(value, dict):
        return {key: _clean(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_clean(item) for item in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value


def manifests(*found: Snapshot | None) -> list[dict[str, object]]:
    """Return the manifests of the snapshots behind a result."""
    return [asdict(snapshot) for snapshot in found if snapshot is not None]


def opened_store(arguments: Arguments) -> Store:
    """Open the store; what is wrong with a snapshot becomes a warning."""
    store = open_store()
    arguments.warnings += [fault.message for fault in store.faults]
    return store


def _snapshots(arguments: Arguments) -> Told:
    store = opened_store(arguments)
    rows = [asdict(snapshot) | {"fault": None} for snapshot in store.snapshots]
    blank = dict.fromkeys(rows[0])
    rows += [
        blank | {"suite": fault.suite, "revision": fault.revision, "fault": fault.message}
        for fault in store.faults
    ]
    rows += [
        blank
        | {"suite": about.list, "kind": "list", "n_rows": about.n_entries}
        | {name: value for name, value in asdict(about).items() if name in blank}
        for about in store.lists
    ]
    if store.faults:
        arguments.status = BAD_DATA
    return rows, rows


def _reproduce(arguments: Arguments) -> Told:
    rows = [asdict(claim) for claim in reproduced(opened_store(arguments))]
    return rows, rows


def _import(arguments: Arguments) -> Told:
    suite, revision = arguments.suite, arguments.revision
    scales = catalogue.load(data_folder() / "catalogue").scales()
    if suite not in scales:
        listed = ", ".join(sorted(scales))
        raise BadRequestError(f'"{suite[:80]}" is not a suite of the catalogue; it has {listed}.')
    read = PARSERS.get(suite, partial(read_common, suite, revision))
    table, root = read(arguments.file), data_folder() / "snapshots"
    snapshots.check_table(table, arguments.file.name, scales[suite])
    if arguments.check:
        n_models, n_benchmarks = table.frame[["model", "benchmark"]].nunique().tolist()
        found = {"n_rows": len(table.frame), "n_models": n_models, "n_benchmarks": n_benchmarks}
        return found, [found], [f"{arguments.file.name} can be imported."]
    with writing():
        snapshots.remove_faulty(root / suite / revision, scales)
        snapshot = snapshots.write(
            root,
            table,
            revision=revision,
            as_of=arguments.as_of,
            retrieved_at=today().isoformat(),
            source_url=arguments.source_url,
            licence=arguments.licence,
            note=arguments.note,
            scales=scales[suite],
        )
    return asdict(snapshot), [asdict(snapshot)]


def _refresh(arguments: Arguments) -> Told:
    rows = []
    for suite in arguments.suites:
        check_source(suite)
    for done in renew(data_folder(), arguments.suites or EVERY):
        suite, new = done.source, done.new or None
        rows.append({"suite": suite, "new_revision": new, "message": done.said})
        if done.failed:
            arguments.status = BAD_DATA
            print(f"error: {suite}: {done.said}", file=sys.stderr)
    return rows, rows


def _keys(arguments: Arguments) -> Told:
    rows = data.unjoined(opened_store(arguments), today())
    return rows, rows


def _check(arguments: Arguments) -> Told:
    store = opened_store(arguments)
    rows = [
        asdict(flag)
        for snapshot in store.snapshots
        for protocol in store.catalogue.suites[snapshot.suite].protocols or ("",)
        for flag in store.derived(Flag, snapshot, protocol)
    ]
    return rows, rows


def _diff(arguments: Arguments) -> Told:
    (suite, before), (other, after) = (_named(text) for text in (arguments.before, arguments.after))
    if suite != other:
        raise BadRequestError(
            f"Only snapshots of one suite or list compare; these are {suite} and {other}."
        )
    compare = data.list_changes if suite in SOURCES else data.changes
    found = compare(opened_store(arguments), suite, before, after)
    return asdict(found), [asdict(change) for change in found.changes]


def _named(text: str) -> tuple[str, str]:
    suite, slash, revision = text.partition("/")
    if not (suite and slash and revision):
        raise BadRequestError(f'"{text[:80]}" is not of the form SUITE/REVISION.')
    return suite, revision


def today() -> date:
    """Return the day on which prices are asked."""
    return datetime.now(UTC).date()


def write_file(path: Path, content: bytes) -> None:
    """Write what a command makes; what stops it is one sentence."""
    try:
        path.write_bytes(content)
    except OSError as error:
        raise BadRequestError(f"{path} cannot be written: {error.strerror}.") from None


def in_lines(document: Mapping[str, object]) -> list[dict[str, object]]:
    """Return a document as a table for people, a line a key."""
    return [{"what": key, "value": value} for key, value in document.items()]
