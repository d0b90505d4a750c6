"""Faults of the disk and of processes: full, read-only, killed, and several at once."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing

import duckdb

from benchmarks._fault_place import LIVE, ROOT, Place, fault, full, one, small_disk, until

DISK, PROCESS = "Disk", "Process"


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
    with small_disk(small, 1):
        full(small)
        environment = {"FORMULARY_STORE": str(small / "store.duckdb")}
        with place.serving(**environment) as server, place.visiting(server) as visitor:
            said = one(visitor.open().alerts, "cannot be written")
            (small / "filler").unlink()
            small_again = subprocess.run(
                ["mount", "-o", "remount,size=64m", str(small)], check=False, capture_output=True
            )
            assert not small_again.returncode
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
            assert "Kept as" in " ".join(place.keep(visitor, "Room again").alerts)
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
        with place.serving() as server, place.visiting(server) as visitor:
            assert visitor.open().answers
        remount("rw")
    place.refreshes()
    return f"{said.sentence} The pages worked all the time."


@fault(DISK, "Derived store deleted under a running server")
def _deleted_store(place: Place) -> str:
    return _spoilt_store(place, place.store.unlink)


@fault(DISK, "Derived store cut in half under a running server")
def _cut_store(place: Place) -> str:
    return _spoilt_store(place, lambda: os.truncate(place.store, place.store.stat().st_size // 2))


@fault(DISK, "Derived store overwritten with garbage under a running server")
def _garbage_store(place: Place) -> str:
    return _spoilt_store(place, lambda: place.store.write_bytes(os.urandom(500_000)))


@fault(DISK, "Derived store replaced by one of an older version under a running server")
def _older_store(place: Place) -> str:
    def replace() -> None:
        older = place.store.with_name("older.duckdb")
        with duckdb.connect(str(older)) as connection:
            connection.execute("CREATE TABLE meta AS SELECT 'older' AS fingerprint")
            connection.execute("CREATE TABLE scores AS SELECT 'x' AS suite, 1 AS score")
        older.replace(place.store)

    return _spoilt_store(place, replace)


def _spoilt_store(place: Place, spoil) -> str:
    place.server  # noqa: B018 - it starts here
    with place.visiting() as visitor:
        assert visitor.open().answers
        spoil()
        # A suite that nobody has asked for yet is read from the file.
        for base in ("BenchHealth", "Open+Medical-LLM", "BRIDGE", "Open+LLM+Leaderboard+v2"):
            shown = visitor.open(query=f"evidence={base}&margin={time.time() % 5:.4f}&flagged=true")
            assert shown.answers, shown.text[:500]
            assert not shown.alerts, shown.alerts
        # What was asked before was remembered; a new server reads the file itself.
        with place.serving() as server, place.visiting(server) as other:
            assert not other.open().alerts
            assert not other.open("win_rates").alerts
    return "Nothing: the store was built again from the snapshots, and the page came as usual."


@fault(PROCESS, "Refresh killed (kill -9) in the middle of the download")
def _killed_refresh(place: Place) -> str:
    place.publish()
    place.hub.held.clear()
    place.hub.fail(r"\.parquet", "hold")
    with place.started("refresh", LIVE) as process:
        until(place.hub.held.is_set)
        process.send_signal(signal.SIGKILL)
        process.wait()
    place.hub.release.set()
    place.refreshes()
    return "The command ended. The evidence was as before, and the next refresh went through."


@fault(PROCESS, "Refresh killed (kill -9) while it writes the snapshot", fresh=True)
def _killed_write(place: Place) -> str:
    place.publish(n_models=2500)
    staging = place.data / ".store-staging"
    with place.started("refresh", LIVE) as process:
        until(lambda: staging.exists() or process.poll() is not None, 60)
        process.send_signal(signal.SIGKILL)
        process.wait()
    left = staging.exists()
    place.refreshes()
    assert not staging.exists()
    return "The command ended. The evidence was as before" + (
        "; what the killed one had left was cleared away by the next refresh."
        if left
        else ", and the next refresh went through."
    )


@fault(PROCESS, "Two refreshes of one data folder at once")
def _two_refreshes(place: Place) -> str:
    place.publish()
    before = set((place.data / "snapshots" / LIVE).iterdir())
    with place.started("refresh", LIVE) as a, place.started("refresh", LIVE) as b:
        said = [process.communicate(timeout=120) for process in (a, b)]
    assert [a.returncode, b.returncode] == [0, 0], said
    new = set((place.data / "snapshots" / LIVE).iterdir()) - before
    assert len(new) == 1, new
    shutil.rmtree(new.pop())
    assert sum(b"already current" in out for out, _ in said) == 1, said
    return "One took the new snapshot; the other waited and said “is already current”."


@fault(PROCESS, "Store build killed (kill -9) halfway", fresh=True)
def _killed_build(place: Place) -> str:
    place.store.unlink()
    with place.started("snapshots") as process:
        until(lambda: list(place.state.glob(".store.duckdb.*")) or process.poll() is not None)
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert not place.store.exists()
    assert place.command("snapshots").status == 0
    return "The command ended. The next one built the store anew."


@fault(PROCESS, "Four processes build the same store at once", fresh=True)
def _four_builds(place: Place) -> str:
    place.store.unlink()
    command = [sys.executable, "-m", "core", "shortlist", "--link", "x", "--json"]
    running = [
        subprocess.Popen(
            command,
            cwd=ROOT,
            env=place.environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for _ in range(4)
    ]
    said = [process.communicate(timeout=120) for process in running]
    assert all(process.returncode == 0 for process in running), [err for _, err in said]
    assert len({out for out, _ in said}) == 1
    return "Nothing: all four gave the same shortlist."


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
            except Exception:
                break
    with closing(sqlite3.connect(place.saved)) as connection:
        names = {name for (name,) in connection.execute("SELECT name FROM saved_shortlist")}
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert set(kept) <= names, set(kept) - names
    place.server  # noqa: B018 - it starts here
    return (
        f"The page lost its connection. All {len(kept)} shortlists that had been said to be "
        "kept were there after the restart, and the file was whole."
    )


@fault(PROCESS, "Server killed and started again under an open page")
def _restarted(place: Place) -> str:
    with place.visiting() as visitor:
        visitor.open(query="budget=100")
    place.server.stop()
    with place.visiting() as visitor:
        assert "$100 a month" in visitor.open(query="budget=100").text
    return "The page said that it had lost the connection, and came back with the same question."


@fault("Two replicas", "One of two replicas on the same evidence and database is killed")
def _replica(place: Place) -> str:
    with place.serving() as second:
        with place.visiting() as visitor:
            assert "Kept as" in " ".join(place.keep(visitor, "By the first").alerts)
        place.server.stop()
        with place.visiting(second) as visitor:
            assert visitor.open(query="budget=100").answers
            assert "By the first" in visitor.open("saved").text
            assert "Kept as" in " ".join(place.keep(visitor, "By the second").alerts)
    with place.visiting() as visitor:
        assert "By the second" in visitor.open("saved").text
    return "The same address on the other replica gave the same page, with what the first kept."


@fault("Two replicas", "A new snapshot comes to the data folder of two running replicas")
def _new_snapshot(place: Place) -> str:
    place.publish()
    before = set((place.data / "snapshots" / LIVE).iterdir())
    query = "evidence=Open+LLM+Leaderboard+v2"
    with place.serving() as second:
        assert place.refresh().status == 0
        for server in (place.server, second):
            with place.visiting(server) as visitor:
                shown = visitor.open(query=query)
                assert "lab/model-" in shown.text, shown.text[:2000]
        shutil.rmtree((set((place.data / "snapshots" / LIVE).iterdir()) - before).pop())
    return "Both showed the new evidence at the next page, without a restart."
