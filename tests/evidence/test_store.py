"""The derived store: built when it must be, replaced under its readers, never the only copy."""

import errno
import os
import re
import shutil
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import permutations
from pathlib import Path

import duckdb
import pandas as pd
import pytest

from core.answers.data import matrix
from core.answers.other_suites import standings
from core.domain import BadDataError, BadRequestError, Selection
from core.evidence import is_full, snapshots
from core.evidence.score_tables import score_table
from core.evidence.store import open_store
from tests.evidence.conftest import refused

ROOT = Path(__file__).parents[2]
SUITE = "open-llm-v2"
ROWS = [("m1", "bbh", 0.5), ("m1", "gpqa", None), ("m2", "bbh", 0.25)]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "store.duckdb"


def identity(path):
    found = path.stat()
    return found.st_ino, found.st_mtime_ns


def test_protocols_and_revisions_are_kept_apart(data, write_snapshot):
    row = {"model": "m", "benchmark": "ADE-Identification"}
    zero, few = row | {"protocol": "zero-shot"}, row | {"protocol": "few-shot", "score": 2}
    first = write_snapshot(data, "bridge", [zero | {"score": 1}, few])
    second = write_snapshot(data, "bridge", [zero | {"score": 3}], revision="r2")
    store = open_store()
    for snapshot, protocol, scores in (
        *((first, "zero-shot", [1]), (first, "few-shot", [2])),
        *((second, "zero-shot", [3]), (second, "few-shot", [])),
    ):
        assert list(store.scores(snapshot, protocol)["score"]) == scores


def test_the_newest_snapshot_is_the_default_and_each_can_be_asked_for(data, write_snapshot):
    for revision, as_of in (("b", "2026-02-01"), ("a", "2026-03-01"), ("c", "2026-01-01")):
        write_snapshot(data, SUITE, ROWS, revision=revision, as_of=as_of)
    store = open_store()
    assert store.snapshot(SUITE).revision == "a"
    assert store.snapshot(SUITE, "c").revision == "c"
    # Of one day the later retrieved is newer, then that of the higher name; without a day it
    # counts as of its retrieval.
    days = [
        *(("2026-02-01", "2026-03-01", "d"), ("2026-02-01", "2026-03-02", "a")),
        *(("2026-02-01", "2026-03-02", "b"), ("", "2026-02-02", "a")),
    ]
    keys = ("as_of", "retrieved_at", "revision")
    found = [replace(store.snapshot(SUITE), **dict(zip(keys, day, strict=True))) for day in days]
    for tried in permutations(found):
        held = replace(store, snapshots=tried)
        assert held.snapshot(SUITE) == found[3]
        assert held.of_suite(SUITE) == found[::-1]
    refused(BadRequestError, 'open-llm-v2 has no snapshot "d"', store.snapshot, SUITE, "d")
    said = 'no suite "nothing"; there are medhelm, bridge'
    refused(BadRequestError, said, store.snapshot, "nothing")
    refused(BadDataError, "no snapshot of medhelm", store.snapshot, "medhelm")


@pytest.mark.slow
def test_only_other_evidence_rebuilds_the_store(data, path, write_snapshot):
    write_snapshot(data, SUITE, ROWS)
    first, before = open_store(), identity(path)
    again = open_store()
    assert identity(path) == before
    assert (again.fingerprint, again.snapshots) == (first.fingerprint, first.snapshots)
    write_snapshot(data, SUITE, [("m1", "bbh", 0.75)], revision="r2", as_of="2026-02-01")
    second, changed = open_store(), identity(path)
    assert changed != before
    assert second.fingerprint != first.fingerprint
    assert list(second.scores(second.snapshot(SUITE), "")["score"]) == [0.75]
    assert len(first.scores(first.snapshot(SUITE), "")) == 3
    manifest = data / "snapshots" / SUITE / "r2" / "manifest.toml"
    manifest.write_text(manifest.read_text("utf-8").replace("2026-02-01", "2026-02-02"), "utf-8")
    assert open_store().snapshot(SUITE).as_of == "2026-02-02"
    before, changed = changed, identity(path)
    assert changed != before
    with (data / "catalogue" / "benchmarks.csv").open("a") as handle:
        handle.write(
            "medhelm,new,New,C,S,a reason,general,m,0,1,false,,true,true,true,items,,,s,,,\n"
        )
    open_store()
    assert identity(path) != changed


@pytest.mark.slow
def test_bad_snapshots_are_reported_and_the_rest_works(data, write_snapshot):
    write_snapshot(data, "medhelm", [("m", "no_such_benchmark", 1)])
    write_snapshot(data, "unheard-of", ROWS)
    write_snapshot(data, SUITE, ROWS)
    write_snapshot(data, "bridge", [("m", "ADE-Identification", 1)])
    (data / "snapshots" / "bridge" / "r1" / "scores.csv").write_text("altered")
    for _ in range(2):  # built, then read back
        store = open_store()
        faults = {fault.suite: fault.message for fault in store.faults}
        assert set(faults) == {"medhelm", "bridge", "unheard-of"}
        assert 'benchmark "bbh" is not in the catalogue of unheard-of' in faults["unheard-of"]
        assert [s.suite for s in store.snapshots] == [SUITE]
        assert len(store.scores(store.snapshot(SUITE), "")) == 3
        said = r'scores\.csv, row 2: the benchmark "no_such_benc'
        refused(BadDataError, said, store.snapshot, "medhelm")
        refused(BadDataError, r"bridge/r1/scores\.csv was altered", store.snapshot, "bridge")


def test_without_any_usable_snapshot_the_fault_says_why(data, path, write_snapshot):
    refused(BadDataError, r"^No snapshot in data/snapshots can be used\.$", open_store)
    write_snapshot(data, "medhelm", [("m", "no_such_benchmark", 1)])
    refused(BadDataError, r"can be used.*no_such_benchmark", open_store)
    assert not path.exists()


@pytest.mark.slow
@pytest.mark.parametrize("is_open", [True, False])
@pytest.mark.parametrize("how", ["gone", "no database", "long", "empty", "cut", "another shape"])
def test_a_store_that_is_gone_or_damaged_is_rebuilt(data, path, write_snapshot, how, is_open):
    write_snapshot(data, SUITE, ROWS)
    store = open_store()
    content = {"no database": b"none", "long": b"none" * 999, "empty": b""}
    content["cut"] = path.read_bytes()[:5000]
    if how in content:
        path.write_bytes(content[how])
    else:
        path.unlink()
    if how == "another shape":
        make = "import duckdb, sys; duckdb.connect(sys.argv[1]).sql('create table meta (x int)')"
        subprocess.run([sys.executable, "-c", make, str(path)], check=True)
    store = store if is_open else open_store()
    assert len(store.scores(store.snapshot(SUITE), "")) == 3


def test_an_interrupted_build_leaves_no_store_and_no_draft(data, path, write_snapshot, monkeypatch):
    write_snapshot(data, SUITE, ROWS)

    def interrupt(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", interrupt)
        with pytest.raises(KeyboardInterrupt):
            open_store()
    assert [p.name for p in path.parent.iterdir()] == ["data"]
    assert len(open_store().snapshots) == 1


def test_the_store_is_with_the_data_or_in_the_account_s_cache(
    data, tmp_path, write_snapshot, monkeypatch
):
    write_snapshot(data, SUITE, ROWS)
    monkeypatch.delenv("FORMULARY_STORE")
    monkeypatch.setenv("HOME", str(tmp_path))
    # Root may write anywhere, so the answer of the system is given by hand.
    monkeypatch.setattr(os, "access", lambda *_: False)
    store = open_store()
    assert store.path.parent == tmp_path / ".cache" / "llm-formulary"
    assert len(store.scores(store.snapshot(SUITE), "")) == 3
    assert not (data / "store.duckdb").exists()
    monkeypatch.setattr(os, "access", lambda *_: True)
    assert open_store().path == data / "store.duckdb"


def test_a_store_takes_the_place_of_no_other_file(data, write_snapshot, monkeypatch):
    """The database of saved lists was overwritten where the wrong variable named it."""
    write_snapshot(data, SUITE, ROWS)
    other = data.parent / "saved.sqlite"
    other.write_bytes(b"SQLite format 3\0")
    monkeypatch.setenv("FORMULARY_STORE", str(other))
    with pytest.raises(BadRequestError, match=r"^FORMULARY_STORE is saved.sqlite: name a file"):
        open_store()
    assert other.read_bytes() == b"SQLite format 3\0"


def test_a_store_that_cannot_be_written_is_in_memory_and_says_so(data, write_snapshot, monkeypatch):
    write_snapshot(data, SUITE, ROWS)
    written = open_store()
    monkeypatch.setenv("FORMULARY_STORE", str(data / "catalogue" / "models.csv" / "store.duckdb"))
    store = open_store()
    (fault,) = store.faults
    said = r"evidence store [\w.]+ cannot be written, so it is in memory: [^/]+\.$"
    assert re.search(said, fault.message)
    snapshot = store.snapshot(SUITE)
    pd.testing.assert_frame_equal(
        store.scores(snapshot, ""), written.scores(written.snapshot(SUITE), "")
    )


@pytest.mark.slow
@pytest.mark.parametrize("size", ["16k", "3m", "5m", "5500k", "6m"])
def test_a_full_disk_is_said_to_be_full_and_nothing_remains(size, small_disk, monkeypatch):
    """From a disk for the first bytes to one for all but the last: the log fits, the file not."""
    small = small_disk(size)
    monkeypatch.setenv("FORMULARY_STORE", str(small / "store.duckdb"))
    store = open_store(ROOT / "data")
    (fault,) = store.faults
    assert "store.duckdb cannot be written, so it is in memory: its disk is full," in fault.message
    assert len(store.scores(store.snapshot("medhelm"), ""))
    assert list(small.iterdir()) == []


def test_a_quota_that_is_used_up_is_a_full_disk_too():
    assert [is_full(OSError(it, "x")) for it in (errno.ENOSPC, errno.EDQUOT)] == [True, True]
    assert not is_full(OSError(errno.EACCES, "x"))
    # As DuckDB words a fault of the system.
    for words, full in ((os.strerror(errno.EDQUOT), True), ("Permission denied", False)):
        assert is_full(duckdb.IOException(f'Could not write file "a": {words}')) is full


@pytest.mark.slow
def test_readers_are_never_disturbed_while_the_store_is_replaced(data, write_snapshot):
    write_snapshot(data, SUITE, ROWS)
    store = open_store()
    snapshot, stop = store.snapshot(SUITE), threading.Event()

    def read():
        while not stop.is_set():
            assert len(store.scores(snapshot, "")) == 3
        return "undisturbed"

    with ThreadPoolExecutor(3) as pool:
        readers = [pool.submit(read) for _ in range(3)]
        for number in range(3):
            # A reader that holds the old file open must not hide the new one.
            row = ("m9", "bbh", number / 10)
            added = write_snapshot(data, SUITE, [row], revision=f"n{number}")
            newest = open_store().scores(added, "")["score"]
            assert list(newest) == [number / 10] or stop.set()
        stop.set()
        assert {reader.result(60) for reader in readers} == {"undisturbed"}


@pytest.mark.slow
def test_two_processes_that_build_at_once_both_succeed(data, write_snapshot, bundled_snapshot):
    bundled_snapshot("open-medical-llm")
    write_snapshot(data, SUITE, ROWS)
    ask = (
        "from core.evidence.store import open_store\n"
        "store = open_store()\n"
        "print(len(store.snapshots), len(store.scores(store.snapshot('open-llm-v2'), '')))"
    )
    how = {"cwd": ROOT, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    both = [subprocess.Popen([sys.executable, "-c", ask], **how) for _ in range(2)]
    assert [one.communicate(timeout=120) for one in both] == [("2 3\n", "")] * 2
    assert sorted(p.name for p in data.parent.iterdir()) == ["data", "store.duckdb"]


@pytest.fixture
def other_data(data, tmp_path, write_snapshot):
    write_snapshot(data, SUITE, ROWS)
    other = tmp_path / "other"
    shutil.copytree(data / "catalogue", other / "catalogue")
    write_snapshot(other, SUITE, [("m1", "bbh", 0.9)], revision="theirs")
    return other


@pytest.mark.slow
def test_two_programs_with_one_store_file_never_read_each_others_scores(data, other_data, path):
    ours, theirs = open_store(data), open_store(other_data)
    for _ in range(2):
        assert list(ours.scores(ours.snapshot(SUITE), "")["score"][:1]) == [0.5]
        assert list(theirs.scores(theirs.snapshot(SUITE), "")["score"]) == [0.9]
        # The same snapshot name in the other's file would not help either.
        assert theirs.scores(ours.snapshot(SUITE), "").empty
    path.unlink()
    assert list(ours.scores(ours.snapshot(SUITE), "")["score"][:1]) == [0.5]
    again = open_store(data)
    assert list(again.scores(again.snapshot(SUITE), "")["score"][:1]) == [0.5]


def test_a_damaged_store_is_not_mended_with_other_evidence(data, other_data, path, monkeypatch):
    store = open_store(data)
    # Not yet read, so that nothing of it is in memory.
    os.truncate(path, 20_000)
    shutil.rmtree(data / "snapshots" / SUITE)
    shutil.copytree(other_data / "snapshots" / SUITE, data / "snapshots" / SUITE)
    said = "evidence has changed since this page was opened"
    refused(BadDataError, said, store.scores, store.snapshot(SUITE), "")


def kept(data, table, at):
    told = {"as_of": "2026-01-01", "retrieved_at": "2026-01-01", "source_url": "", "licence": ""}
    snapshots.write(data / "snapshots", table, revision=f"local-{at}", kind="local", **told)


def own_run(file, score, model="mine"):
    row = {"model": model, "run": f"local:{model}@{file}", "benchmark": "healthbench-psych-v2"}
    return score_table("healthbench-psych", [row | {"score": score}])


def test_of_own_results_of_a_model_the_last_upload_counts(data, bundled_snapshot):
    bundled_snapshot("healthbench-psych")
    published = repr(standings(open_store(), "healthbench-psych"))
    first, second = own_run("ffff", 0.2), own_run("aaaa", 0.4)
    # One file kept on two days, as older versions allowed, and one that corrects it.
    for at, table in (("2026-01-01-ffff", first), ("2026-01-02-ffff", first)):
        kept(data, table, at)

    def counting(*session):
        store = open_store().with_session(session)
        assert repr(standings(store, "healthbench-psych")) == published
        found = matrix(store, Selection("healthbench-psych"))
        return float(found.scores[found.models.index("mine (own result)")][0])

    assert counting() == counting(first) == 0.2
    assert counting(second) == 0.4
    assert counting(second, own_run("bbbb", 0.9, "other")) == 0.4
    kept(data, second, "2026-01-03-100000-aaaa")
    kept(data, own_run("0000", 0.5), "2026-01-03-100001-0000")
    assert counting() == 0.5
    assert counting(first) == 0.2


def test_a_suite_with_wrong_scores_is_not_left_out_without_a_word(data, bundled_snapshot):
    bundled_snapshot("healthbench-psych")
    store = open_store()
    twice = store.scores(store.snapshot("healthbench-psych"), "")
    broken = replace(store)
    object.__setattr__(broken, "scores", lambda *_: pd.concat([twice, twice]))
    refused(BadDataError, "has two scores on", standings, broken, "healthbench-psych")
