"""Refresh a suite or a list of facts: pull, check, write, and only then make it current.

Everything is written to a folder next to the snapshots and moved among them with one rename, so
a refresh may be killed at any moment: the snapshots are either as they were or have one more.
What a killed one leaves behind is removed by the next.
"""

import json
import shutil
import time
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from core.domain import (
    BadDataError,
    BadRequestError,
    FactList,
    FormularyError,
    Scale,
    ScoreTable,
    Snapshot,
    Tried,
)
from core.evidence import fact_lists, is_full, snapshots
from core.figures import squeezed
from core.sources import Progress, Pulled, lists
from core.sources.hub import STAYS, Hub
from core.sources.live import LIVE

_STAGING = ".store-staging"
_TRIED = "renewal"
_SHIPPED = ".shipped"
"""Marks a catalogue that came with the program, so that the next version may replace it."""
_LISTED = 10


@dataclass(frozen=True, slots=True)
class Refreshed:
    """How a refresh went."""

    snapshot: Snapshot | FactList | None
    """The new snapshot; ``None`` where the newest revision was here already."""
    message: str


def tried(data: Path, source: str) -> Tried | None:
    """Return how a source was last tried; ``None`` where that is not known or cannot be read."""
    try:
        found = json.loads((data / _TRIED / f"{source}.json").read_text("utf-8"))
        days = [found[key] for key in ("at", "succeeded_at", "failing_since")]
        at, well, since = (day and datetime.fromisoformat(day).astimezone(UTC) for day in days)
        return Tried(at, str(found["said"]), well, int(found["n_failed"]), since) if at else None
    except (OSError, ValueError, TypeError, LookupError):
        return None


def record(data: Path, source: str, said: str, *, failed: bool) -> None:
    """Remember how a refresh ended; a full disk is another's to tell."""
    now = datetime.now(UTC)
    old = tried(data, source) or Tried(now, "")
    new = Tried(now, said, succeeded_at=now)
    if failed:
        new = Tried(now, said, old.succeeded_at, old.n_failed + 1, old.failing_since or now)
    draft = data / _TRIED / f".{source}"
    with suppress(OSError):
        draft.parent.mkdir(exist_ok=True)
        draft.write_text(json.dumps(asdict(new), default=str), "utf-8")
        draft.replace(draft.with_name(f"{source}.json"))


def check_source(suite: str) -> None:
    """Refuse what is neither a suite with a live source nor a list of facts."""
    if suite not in LIVE and suite not in lists.SOURCES:
        known = ", ".join(sorted((*LIVE, *lists.SOURCES)))
        raise BadRequestError(
            f'"{suite[:80]}" has no live source: choose from {known}, or import a file.'
        )


def refresh(
    data: Path,
    suite: str,
    hub: Hub,
    *,
    known_benchmarks: Mapping[str, Mapping[str, Scale]],
    progress: Progress = lambda _done, _all: None,
    since: datetime | None = None,
    wait_s: float = 60,
) -> Refreshed:
    """Take the newest revision of a suite's live source, or a list of facts, as a new snapshot.

    Parameters
    ----------
    data
        The data folder, with ``snapshots`` in it, and ``facts`` for the lists.
    suite
        The suite, or the list by its name in ``lists.SOURCES``.
    known_benchmarks
        The catalogue's benchmark ids per suite; scores of others are left out and named.
    progress
        Called with the number of files that are done and of all.
    since
        A source that another process has tried after this is left alone.
    wait_s
        How long to wait for another refresh of the same data folder.

    Returns
    -------
    Refreshed
        Without a snapshot where this revision is here already: then nothing is downloaded. Whatever
        goes wrong is a ``FormularyError`` of one sentence, and the snapshots are as they were.
    """
    check_source(suite)
    with writing(), _alone(data, wait_s):
        last = tried(data, suite)
        if since and last and last.at > since:
            if last.n_failed:
                raise BadDataError(last.said)
            return Refreshed(None, last.said)
        # What killed refreshes left.
        shutil.rmtree(data / _STAGING, ignore_errors=True)
        try:
            with writing():
                done = _taken(data, suite, hub, known_benchmarks, progress)
        except FormularyError as error:
            record(data, suite, str(error), failed=True)
            raise
        record(data, suite, done.message, failed=False)
    return done


def _taken(
    data: Path,
    suite: str,
    hub: Hub,
    known_benchmarks: Mapping[str, Mapping[str, Scale]],
    progress: Progress,
) -> Refreshed:
    if suite not in LIVE:
        return _list(data, suite, progress)
    source, folder = LIVE[suite], data / "snapshots" / suite
    for draft in folder.glob(".draft-*"):
        # An import does not take the lock: a young draft may be at work.
        if time.time() - draft.stat().st_mtime > 3600:
            shutil.rmtree(draft, ignore_errors=True)
    with _saying(STAYS):
        commit = source.newest(hub)
    revision = commit.revision[:12]
    good, _ = snapshots.checked(data / "snapshots", snapshots.verify)
    releases = [s for s in good if (s.suite, s.kind) == (suite, "release")]
    newest = max(releases, key=snapshots.age, default=None)
    if (folder / revision).exists():
        with _saying("delete that folder and refresh again", ": "):
            found = snapshots.verify(folder / revision)
        said = f"{suite} is already current: {_dated(found)}."
        return Refreshed(None, f"{_older(found, newest) or said} {commit.note}".strip())
    # A source says what is broken; what it means for the reader is the same for all.
    with _saying(f"so nothing was taken: refresh again later; {STAYS}", ", "):
        pulled = source.pull(hub, commit, progress, data / "catalogue")
    table, note = _known(pulled.table, known_benchmarks.get(suite, ()))
    _check(table, newest)
    note = " ".join(filter(None, (pulled.note, note, commit.note)))
    pulled = replace(pulled, table=table, note=note)
    with _aside(data, "snapshots", suite, revision) as written:
        snapshot = _write(written, pulled, known_benchmarks)
    said = f"{suite} is now {_dated(snapshot)}: {snapshot.n_models} models, {snapshot.n_runs} runs."
    return Refreshed(snapshot, f"{_older(snapshot, newest) or said} {commit.note}".strip())


def _dated(snapshot: Snapshot) -> str:
    return f"{snapshot.revision} of {snapshot.as_of or 'no date'}"


def _older(found: Snapshot, newest: Snapshot | None) -> str:
    """Say which release counts where a source gave another than the newest."""
    if newest is None or snapshots.age(found) >= snapshots.age(newest):
        return ""
    gave = f"The source of {found.suite} gave an older release, {_dated(found)}"
    return f"{gave}; {_dated(newest)} still counts."


def fill(data: Path, shipped: Path) -> None:
    """Bring what ships with the program into a data folder that is empty, or was when it was new.

    Snapshots and lists are added, and none is taken away; the catalogue becomes the shipped one,
    which belongs to this version of the program. A folder with a catalogue that somebody else put
    there stays as it is. May be killed at any moment; the next call completes it.
    """
    if (data / "catalogue").exists() and not (data / "catalogue" / _SHIPPED).exists():
        return
    staging, old = data / _STAGING, data / f"{_STAGING}-old"
    with writing():
        data.mkdir(parents=True, exist_ok=True)
        with _alone(data, 60):
            shutil.rmtree(staging, ignore_errors=True)
            for folder in (*shipped.glob("snapshots/*/*"), *shipped.glob("facts/*/*")):
                target = data / folder.relative_to(shipped)
                if not target.exists() and folder.is_dir() and not folder.name.startswith("."):
                    _copy(folder, staging)
                    target.parent.mkdir(parents=True, exist_ok=True)
                    staging.rename(target)
            _copy(shipped / "catalogue", staging)
            (staging / _SHIPPED).touch()
            # Aside whole: half of one would look like somebody else's.
            shutil.rmtree(old, ignore_errors=True)
            if (data / "catalogue").exists():
                (data / "catalogue").rename(old)
            staging.rename(data / "catalogue")
            shutil.rmtree(old, ignore_errors=True)


def _copy(folder: Path, to: Path) -> None:
    """Copy the files of a folder without their rights: what ships may be read-only."""
    for file in filter(Path.is_file, folder.rglob("*")):
        target = to / file.relative_to(folder)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, target)


def _list(data: Path, name: str, progress: Progress) -> Refreshed:
    with _saying(f"so nothing was taken; {STAYS}", ", "):
        about, found = lists.fetch(name)
        known, _ = fact_lists.check_lists(data / "facts")
        fact_lists.check_size(about, known)
    progress(1, 1)
    folder, now = data / "facts" / name, fact_lists.newest(known, name)
    if (folder / about.revision).exists():
        with _saying("delete that folder and refresh again", ": "):
            old = fact_lists.verify_list(folder / about.revision)
        same = [it for it in known if it.list == name and it.sha256 == old.sha256]
        if now in same:
            return _read_again(data, now, about.retrieved_at)
        about = replace(about, revision=f"{about.revision}-{len(same) + 1}")
        earlier = (it for it in known if it.retrieved_at < old.retrieved_at)
        before = fact_lists.newest(earlier, name)
        if before is None or before.as_of <= old.as_of:
            # It was in force; what came after it was taken back, so it is again, from today.
            about = replace(about, as_of=about.retrieved_at)
    if now and about.as_of < now.as_of:
        stays = f"{now.revision} of {now.as_of} stays in force."
        return Refreshed(
            None, f"The source of {name} gave an older list, of {about.as_of}; {stays}"
        )
    with _aside(data, "facts", name, about.revision) as written:
        fact_lists.write_list(written, about, found)
        about = fact_lists.verify_list(written)
    return Refreshed(
        about,
        f"{name} is now {about.revision} of {about.as_of}: {about.n_entries:,} entries, "
        f"{about.n_ends:,} with an end of sale.",
    )


def _read_again(data: Path, old: FactList, day: str) -> Refreshed:
    """Note in a manifest that the list still said the same on an ISO day."""
    if day > old.said_on:
        staging = data / _STAGING
        staging.mkdir()
        snapshots.write_manifest(staging, replace(old, seen_on=day))
        manifest = data / "facts" / old.list / old.revision / "manifest.toml"
        (staging / "manifest.toml").replace(manifest)
        staging.rmdir()
    said = f"{old.list} is already current: {old.revision} of {old.as_of}, read again today."
    return Refreshed(None, said)


@contextmanager
def _aside(data: Path, kind: str, suite: str, revision: str) -> Iterator[Path]:
    """Give a folder aside to write a snapshot to, and then move it among the others."""
    written, target = (folder / suite / revision for folder in (data / _STAGING, data / kind))
    try:
        yield written
        target.parent.mkdir(parents=True, exist_ok=True)
        written.rename(target)
    finally:
        shutil.rmtree(data / _STAGING, ignore_errors=True)


@contextmanager
def _saying(more: str, joined: str = "; ") -> Iterator[None]:
    """Put behind what the data are at fault what it means for the reader, unless it says it."""
    try:
        yield
    except BadDataError as error:
        if STAYS in str(error):
            raise
        raise BadDataError(f"{str(error).rstrip('.')}{joined}{more}.") from None


@contextmanager
def _alone(data: Path, wait_s: float) -> Iterator[None]:
    """Keep other refreshes of this data folder out; the system frees a killed one's lock."""
    # Only a refresh needs it; it comes with huggingface_hub.
    from filelock import FileLock, Timeout  # noqa: PLC0415

    try:
        with FileLock(data / ".store-refresh.lock", timeout=wait_s):
            yield
    except Timeout:
        raise BadRequestError(
            f"Another refresh is at work on this data folder and did not end within {wait_s:g} "
            "seconds: try again later."
        ) from None


@contextmanager
def writing() -> Iterator[None]:
    """Say in one sentence why nothing could be written."""
    try:
        yield
    except OSError as error:
        if is_full(error):
            raise BadDataError(
                "The disk is full: free some space and try again; the snapshots are as they were."
            ) from None
        if isinstance(error, FileExistsError | NotADirectoryError):
            raise BadDataError(
                "The data folder, or a folder in it, is a file: set FORMULARY_DATA to a folder."
            ) from None
        raise BadDataError(
            f"The data folder cannot be written ({error.strerror or type(error).__name__}): let "
            "this account write to it, or set FORMULARY_DATA to a folder that can be; the "
            "snapshots are as they were."
        ) from None


def _known(table: ScoreTable, benchmarks: Collection[str]) -> tuple[ScoreTable, str]:
    """Keep the scores of known benchmarks under the catalogue's spelling; name the others."""
    spelt = {squeezed(benchmark): benchmark for benchmark in sorted(benchmarks)}
    found = table.frame["benchmark"].unique()
    names = {name: name if name in benchmarks else spelt.get(squeezed(name), "") for name in found}
    unknown = sorted(name for name, known in names.items() if not known)
    frame = table.frame.assign(benchmark=table.frame["benchmark"].map(names))
    frame = frame[frame["benchmark"] != ""].reset_index(drop=True)
    if not unknown:
        return replace(table, frame=frame), ""
    more = f" and {len(unknown) - _LISTED} more" if len(unknown) > _LISTED else ""
    listed = ", ".join(name[:60] for name in unknown[:_LISTED])
    return replace(table, frame=frame), f"Left out, since not in the catalogue: {listed}{more}."


def _check(table: ScoreTable, old: Snapshot | None) -> None:
    n_models = table.frame.loc[table.frame["score"].notna(), "model"].nunique()
    if not n_models:
        raise BadDataError(
            f"The live source of {table.suite} holds no score of a benchmark that the catalogue "
            "knows, so nothing was taken: look at its page."
        )
    if old is not None and n_models < 0.5 * old.n_models:
        raise BadDataError(
            f"The live source of {table.suite} has {n_models} models where the snapshot "
            f"{old.revision} has {old.n_models}, so it is probably broken and was not taken: look "
            "at its page and refresh again when it is whole."
        )


def _write(written: Path, pulled: Pulled, known: Mapping[str, Mapping[str, Scale]]) -> Snapshot:
    suite = pulled.table.suite
    snapshots.write(
        written.parents[1],
        pulled.table,
        revision=written.name,
        as_of=pulled.as_of,
        retrieved_at=f"{datetime.now(UTC):%Y-%m-%d}",
        source_url=pulled.source_url,
        licence=pulled.licence,
        note=pulled.note,
        scales=known.get(suite),
    )
    try:
        snapshot = snapshots.verify(written)
    except BadDataError:
        raise BadDataError(
            f"The new snapshot of {suite} cannot be read back as it was written: see to the disk "
            "and refresh again; the snapshots are as they were."
        ) from None
    with _saying(f"so nothing was taken; {STAYS}", ", "):
        snapshots.read_scores(written, known)
    return snapshot
