"""The commands that look after the evidence and the kept lists.

Snapshots are listed, imported, refreshed from their live sources, checked for plausibility and
compared with each other.
"""

import shutil
import sys
import tempfile
from dataclasses import asdict
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from core.answers import data
from core.commands.told import (
    BAD_DATA,
    Add,
    Arguments,
    Told,
    file_name,
    opened_store,
    there,
    today,
    write_file,
)
from core.domain import BadRequestError
from core.evidence import catalogue, snapshots
from core.evidence.store import data_folder
from core.evidence.tables import first_day
from core.figures import listed
from core.renewal import EVERY, renew
from core.sharing.export import calendar
from core.sources.lists import SOURCES
from core.sources.printed import PARSERS, read_common
from core.sources.refresh import check_source, writing
from core.words.recommendation import due_in_words

_MOST_DAYS = 3660


def add_commands(add: Add) -> None:
    """Add the commands to the command line."""
    sub = add("watch", _watch, "what is due on kept lists; status 1 where anything is")
    sub.add_argument("--due-days", type=int, default=30, metavar="N", help="within N days; 30")
    sub.add_argument("--ics", type=file_name, metavar="FILE", help="the days as a calendar file")
    add("snapshots", _snapshots, "what is loaded, from where and how old")
    sub = add("import", _import, "write a snapshot from a downloaded table of scores")
    sub.add_argument("suite", help="a suite of the catalogue")
    sub.add_argument("file", type=file_name)
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


def _import(arguments: Arguments) -> Told:
    suite, revision = arguments.suite, arguments.revision
    scales = catalogue.load(data_folder() / "catalogue").scales()
    if suite not in scales:
        known = ", ".join(sorted(scales))
        raise BadRequestError(f'"{suite[:80]}" is not a suite of the catalogue; it has {known}.')
    if first_day(arguments.as_of) and arguments.as_of > today().isoformat():
        raise BadRequestError(f"--as-of: {arguments.as_of[:40]} is yet to come.")
    read = PARSERS.get(suite, partial(read_common, suite, revision))
    table, root = read(there(arguments.file)), data_folder() / "snapshots"
    snapshots.check_table(table, arguments.file.name, scales[suite])
    write = partial(
        snapshots.write,
        table=table,
        revision=revision,
        as_of=arguments.as_of,
        retrieved_at=today().isoformat(),
        source_url=arguments.source_url,
        licence=arguments.licence,
        note=arguments.note,
        scales=scales[suite],
    )
    if arguments.check:
        with tempfile.TemporaryDirectory() as elsewhere:
            for held in (root / suite).glob("*"):
                if held.name == revision:
                    copy = Path(elsewhere) / suite / revision
                    shutil.copytree(held, copy)
                    snapshots.remove_faulty(copy, scales)
            made = asdict(write(Path(elsewhere)))
            found = {key: made[key] for key in ("n_rows", "n_models", "n_benchmarks")}
        return found, [found], [f"{arguments.file.name} can be imported."]
    with writing():
        snapshots.remove_faulty(root / suite / revision, scales)
        snapshot = write(root)
    about = ("as_of", "source_url", "licence", "note")
    if other := [it for it in about if getattr(snapshot, it) != getattr(arguments, it)]:
        options = listed([f"--{it.replace('_', '-')}" for it in other])
        arguments.warnings.append(f"The snapshot was there and stays as it is, without {options}.")
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
    rows = [asdict(flag) for flag in data.flags(opened_store(arguments))]
    return rows, rows


def _diff(arguments: Arguments) -> Told:
    (suite, before), (other, after) = (_named(text) for text in (arguments.before, arguments.after))
    if suite != other:
        raise BadRequestError(
            f"Give two snapshots of the same suite, or of the same list, not {suite} and {other}."
        )
    compare = data.list_changes if suite in SOURCES else data.changes
    found = compare(opened_store(arguments), suite, before, after)
    return asdict(found), [asdict(change) for change in found.changes]


def _named(text: str) -> tuple[str, str]:
    suite, slash, revision = text.partition("/")
    if not (suite and slash and revision):
        raise BadRequestError(f'"{text[:80]}" is not of the form SUITE/REVISION.')
    return suite, revision


def _watch(arguments: Arguments) -> Told:
    from core.answers.watch import watch  # noqa: PLC0415 - the database is slow to import

    if not 0 <= arguments.due_days <= _MOST_DAYS:
        raise BadRequestError(f"--due-days is a number from 0 to {_MOST_DAYS:,}.")
    on = today()
    due = watch(opened_store(arguments), on, arguments.due_days)
    if arguments.ics:
        days = [(it.day, due_in_words(it, on)) for it in due if it.day >= on.isoformat()]
        is_there = arguments.ics.exists()  # With days that are no longer due.
        if days or is_there:
            write_file(arguments.ics, calendar(days, datetime.now(UTC)).encode())
        if not days:
            left = "is empty now" if is_there else "was not written"
            print(f"No day is due, so {arguments.ics} {left}.", file=sys.stderr)
    arguments.status = int(bool(due))
    rows = [{"list": it.name, "due": it.day or "now", "what": due_in_words(it, on)} for it in due]
    return {"due_days": arguments.due_days, "due": [asdict(each) for each in due]}, rows
