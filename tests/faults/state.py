"""Faults of disks, processes and the database of saved shortlists: full, killed, damaged, gone."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
from contextlib import closing
from typing import TYPE_CHECKING

from tests.faults.place import (
    KEPT_NAME,
    OF_LIVE,
    Place,
    fault,
    full,
    one,
    small_disk,
    until,
)
from tests.faults.visitor import KEPT_LISTS

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.faults.visitor import Visitor

DISK, PROCESS, REPLICAS, DATABASE = "Disk", "Process", "Two replicas", "Database"


def keeps(place: Place, visitor: Visitor, name: str) -> None:
    """Keep a shortlist, and find it among those that are kept."""
    one(place.keep(visitor, name).alerts, f"Kept as {name}")
    assert name in visitor.open(KEPT_LISTS).text


@fault(DISK, "Disk full while a refresh writes", fresh=True)
def _full_refresh(place: Place) -> str:
    place.publish()
    with small_disk(place.data, 24):
        filler = full(place.data)
        said = place.refresh()
        assert said.status == 3, said.err
        filler.unlink()
    place.refreshes()
    return said.sentence


@fault(DISK, "Disk full while the evidence store is built", fresh=True)
def _full_store(place: Place) -> str:
    small = place.folder / "small"
    with small_disk(small, 1) as remount:
        full(small)
        with place.visiting(FORMULARY_STORE=str(small / "store.duckdb")) as visitor:
            page = visitor.open()
            assert page.answers
            said = one(page.alerts, "cannot be written")
            (small / "filler").unlink()
            remount("size=64m")
            assert visitor.open().answers
    return said


@fault(DISK, "Disk full while a shortlist is kept", fresh=True)
def _full_saved(place: Place) -> str:
    with small_disk(place.state, 64):
        with place.visiting() as visitor:
            visitor.open()
            filler = full(place.state)
            said = one(place.keep(visitor, "Too much").alerts, "Nothing was changed")
            filler.unlink()
            keeps(place, visitor, "Room again")
        place.works()
        place.close()
    return said


@fault(DISK, "Data folder is read-only", fresh=True)
def _read_only_data(place: Place) -> str:
    place.publish()
    with small_disk(place.data, 64) as remount:
        remount("ro")
        said = place.refresh()
        assert said.status == 3, said.err
        with place.visiting(FORMULARY_REFRESH="daily") as visitor:
            assert visitor.open().answers
            assert "renew_secondary" not in visitor.open("data").controls
        remount("rw")
    place.refreshes()
    return f"{said.sentence} The pages worked all the time, and offered no renewal."


def half(file: Path) -> None:
    """Cut a file in half."""
    os.truncate(file, file.stat().st_size // 2)


def garbage(file: Path) -> None:
    """Overwrite a file."""
    file.write_bytes(os.urandom(500_000))


@fault(PROCESS, "Store build killed (kill -9) halfway", fresh=True)
def _killed_build(place: Place) -> str:
    place.store.unlink()
    with place.started("snapshots") as process:
        until(lambda: list(place.state.glob(".store.duckdb.*")) or process.poll() is not None)
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert not place.store.exists()
    assert place.command("snapshots").status == 0
    return "The command ended. The next one rebuilt the store."


@fault(PROCESS, "Server killed (kill -9) while shortlists are kept, one after another", fresh=True)
def _killed_keeping(place: Place) -> str:
    kept: list[str] = []
    with place.serving() as server, place.visiting(server) as visitor:
        for number in range(200):
            if number == 6:
                subprocess.Popen(["sh", "-c", f"sleep 0.3; kill -9 {server.process.pid}"])
            try:
                if "Kept as" in " ".join(place.keep(visitor, f"Number {number}").alerts):
                    kept.append(f"Number {number}")
            except Exception:  # the connection is gone
                break
    with closing(sqlite3.connect(place.saved)) as connection:
        names = {name for (name,) in connection.execute("SELECT name FROM saved_shortlist")}
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert 5 < len(kept) < 200, kept
    assert set(kept) <= names, set(kept) - names
    place.server  # noqa: B018 - it starts here
    return (
        f"The page lost its connection. All {len(kept)} shortlists that had been said to be "
        "kept were there after the restart, and the file was whole."
    )


@fault(PROCESS, "Server killed and started again under an open page; then nonsense is sent to it")
def _restarted(place: Place) -> str:
    with place.visiting() as visitor:
        visitor.open(query="budget=100")
    place.server.stop()
    with place.visiting() as visitor:
        assert "$100 a month" in visitor.open(query="budget=100").text
        visitor.send_raw(b"\xff\xfe\xfd" * 1000)
    return "The page lost the connection, and came back with the same question."


@fault(REPLICAS, "Two replicas get a new snapshot, and one is killed")
def _replicas(place: Place) -> str:
    with place.serving() as second, place.renewed():
        assert place.refresh().status == 0
        for server in (place.server, second):
            with place.visiting(server) as visitor:
                visitor.open(query=OF_LIVE)
                assert place.revision in visitor.link()
        place.server.stop()
        with place.visiting(second) as visitor:
            keeps(place, visitor, "By the second")
    with place.visiting() as visitor:
        assert "By the second" in visitor.open(KEPT_LISTS).text
    return "Both showed the new evidence at the next page; what one kept the other showed."


def refused(place: Place, spoil: Callable[[], object], mend: Callable[[], object]) -> str:
    """Spoil the database, look and keep, mend it, keep again; return what was said."""
    with place.visiting() as visitor:
        assert visitor.open().answers
        spoil()
        try:
            said = one(place.keep(visitor, "Meanwhile").alerts, "Nothing was changed")
            shown = visitor.open(KEPT_LISTS)
            assert shown.alerts or KEPT_NAME in shown.text, shown.text[:500]
            # Everything that needs no database goes on.
            assert visitor.open().answers
        finally:
            mend()
        assert KEPT_NAME in visitor.open(KEPT_LISTS).text
        keeps(place, visitor, "Afterwards")
    return said


@fault(DATABASE, "Database locked by another program")
def _locked(place: Place) -> str:
    with closing(sqlite3.connect(place.saved, isolation_level=None)) as other:
        lock, free = (lambda: other.execute("BEGIN EXCLUSIVE")), (lambda: other.execute("ROLLBACK"))
        return refused(place, lock, free)


def newer(file: Path) -> None:
    """Say that a newer version of the program made the database."""
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("UPDATE formulary_version SET version_num = '9999'")
        connection.commit()


def damaged(name: str, spoil: Callable[[Path], object]) -> None:
    """Register damage to the file that a backup mends."""

    def inject(place: Place) -> str:
        backup = place.saved.read_bytes()
        return refused(place, lambda: spoil(place.saved), lambda: place.saved.write_bytes(backup))

    fault(DATABASE, name)(inject)


damaged("Database overwritten with garbage", garbage)
damaged("Database cut in half", half)
damaged("Database of a newer version of the program", newer)


@fault(DATABASE, "Database deleted under a running server, then put back")
def _deleted(place: Place) -> str:
    with place.visiting() as visitor:
        assert KEPT_NAME in visitor.open(KEPT_LISTS).text
        aside = place.saved.rename(place.folder / "aside.sqlite")
        assert KEPT_NAME not in visitor.open(KEPT_LISTS).text
        said = " ".join(visitor.shown.alerts)
        keeps(place, visitor, "In the new file")
        aside.replace(place.saved)
        assert KEPT_NAME in visitor.open(KEPT_LISTS).text
    return said
