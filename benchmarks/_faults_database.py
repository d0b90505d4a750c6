"""Faults of the database of saved shortlists, as a file and as a server."""

from __future__ import annotations

import os
import shutil
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

from benchmarks._fault_place import KEPT_NAME, Place, fault, one, small_disk

if TYPE_CHECKING:
    from collections.abc import Callable

GROUP = "Database"


def refused(place: Place, spoil: Callable[[], object], mend: Callable[[], object]) -> str:
    """Spoil the file, look and keep, mend it, keep again; return what was said."""
    with place.visiting() as visitor:
        assert visitor.open().answers
        spoil()
        try:
            said = one(place.keep(visitor, "Meanwhile").alerts, "Nothing was changed")
            shown = visitor.open("saved")
            assert shown.alerts or KEPT_NAME in shown.text, shown.text[:500]
            # Everything that needs no database goes on.
            assert visitor.open().answers
        finally:
            mend()
        assert KEPT_NAME in visitor.open("saved").text
        assert "Kept as" in " ".join(place.keep(visitor, "Afterwards").alerts)
    return said


@fault(GROUP, "Database locked by another program")
def _locked(place: Place) -> str:
    with closing(sqlite3.connect(place.saved, isolation_level=None)) as other:
        return refused(
            place,
            lambda: other.execute("BEGIN EXCLUSIVE"),
            lambda: other.execute("ROLLBACK"),
        )


@fault(GROUP, "Database on a disk that became read-only", fresh=True)
def _read_only(place: Place) -> str:
    with small_disk(place.state, 64) as remount:
        place.server  # noqa: B018 - it starts here, and builds its store
        said = refused(place, lambda: remount("ro"), lambda: remount("rw"))
        place.close()
    return said


def damaged(name: str, spoil: Callable[[Place], object]) -> None:
    """Register damage to the file that a backup mends."""

    def inject(place: Place) -> str:
        backup = place.saved.read_bytes()
        return refused(place, lambda: spoil(place), lambda: place.saved.write_bytes(backup))

    fault(GROUP, name)(inject)


damaged("Database overwritten with garbage", lambda p: p.saved.write_bytes(os.urandom(9000)))
damaged("Database cut in half", lambda p: os.truncate(p.saved, p.saved.stat().st_size // 2))


def _newer(place: Place) -> None:
    with closing(sqlite3.connect(place.saved)) as connection:
        connection.execute("UPDATE formulary_version SET version_num = '9999'")
        connection.commit()


damaged("Database of a newer version of the program", _newer)


@fault(GROUP, "Database deleted under a running server, then put back")
def _deleted(place: Place) -> str:
    with place.visiting() as visitor:
        assert KEPT_NAME in visitor.open("saved").text
        aside = place.saved.rename(place.folder / "aside.sqlite")
        shown = visitor.open("saved")
        assert KEPT_NAME not in shown.text
        said = next(iter(shown.alerts), "") or "An empty list of saved shortlists."
        assert "Kept as" in " ".join(place.keep(visitor, "In the new file").alerts)
        aside.replace(place.saved)
        assert KEPT_NAME in visitor.open("saved").text
    return said


@fault(GROUP, "Folder of the database is gone", fresh=True)
def _no_folder(place: Place) -> str:
    aside = place.folder / "aside"
    place.server  # noqa: B018 - it starts here
    place.state.rename(aside)
    try:
        with place.visiting() as visitor:
            assert visitor.open().answers
            one(place.keep(visitor, "Meanwhile").alerts, "Kept as Meanwhile")
    finally:
        shutil.rmtree(place.state, ignore_errors=True)
        aside.rename(place.state)
    return (
        "The folder was made anew, and what was kept meanwhile went into a new file there. With "
        "the old folder back, the shortlists from before were there."
    )


@fault(GROUP, "Address of the database is nonsense")
def _nonsense(place: Place) -> str:
    secret = "oracle://me:secret-word@host/name"
    with place.serving(FORMULARY_DATABASE_URL=secret) as server, place.visiting(server) as visitor:
        said = one(visitor.open("saved").alerts, "FORMULARY_DATABASE_URL")
        assert "secret-word" not in " ".join(visitor.heard)
        assert visitor.open().answers
    return said


@fault(GROUP, "PostgreSQL cannot be reached")
def _unreachable(place: Place) -> str:
    address = "postgresql://me:secret-word@127.0.0.1:9/formulary"
    with place.serving(FORMULARY_DATABASE_URL=address) as server, place.visiting(server) as visitor:
        visitor.open()
        said = one(place.keep(visitor, "Nowhere").alerts, "Nothing was changed")
        assert visitor.open("saved").alerts
        assert "secret-word" not in " ".join(visitor.heard)
        assert visitor.open().answers
    assert "secret-word" not in server.log.read_text()
    return said
