"""A refresh takes a new revision whole or leaves everything as it was, whatever happens."""

import errno
import multiprocessing
import os
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from core.__main__ import main
from core.domain import BadDataError, BadRequestError, ModelFact
from core.evidence import snapshots
from core.evidence.score_tables import score_table
from core.evidence.store import open_store
from core.sources.hub import STAYS, Hub, RemoteError
from core.sources.printed import PARSERS
from core.sources.refresh import refresh, writing
from tests.conftest import DATA
from tests.evidence import hub_server
from tests.evidence.conftest import one_sentence, refused
from tests.evidence.hub_server import Repo, v2_row

pytestmark = pytest.mark.slow

SUITE, REPO = "open-llm-v2", "open-llm-leaderboard/contents"
V2 = "data/train-00000-of-00001.parquet"
TOKEN = "hf_" + "t0k3n" * 6
MODELS = [v2_row(f"lab/m{i}", i / 10) for i in range(5)]
KNOWN = {
    SUITE: dict.fromkeys(hub_server.V2_RAW, (0.0, 1.0, 0.0)),
    "bridge": dict.fromkeys(("ADE-Identification", "CARES ICD10 Block"), (0.0, 100.0, 0.0)),
    "open-medical-llm": dict.fromkeys(("medqa", "medmcqa"), (0.0, 1.0, 0.0)),
    "lmarena-medicine": {"rating": (0.0, 2000.0)},
}


@pytest.fixture
def server(server):
    server.put("dataset", REPO, hub_server.open_llm_v2(MODELS))
    return server


@pytest.fixture
def run(server, data):
    def run(suite=SUITE, **more):
        hub = Hub(server.url, token=TOKEN, timeout_s=0.4, max_bytes=10**6)
        return refresh(data, suite, hub, **{"known_benchmarks": KNOWN, **more})

    return run


@pytest.fixture
def publish(server):
    def publish(n=1, **files):
        rows = [*MODELS, *(v2_row(f"lab/new{i}") for i in range(n))]
        repo = hub_server.open_llm_v2(rows)
        repo.changed = "2026-01-05T00:00:00.000Z"
        repo.files.update(files)
        return server.put("dataset", REPO, repo)

    return publish


def state(data):
    root = data / "snapshots"
    return {p.relative_to(root).as_posix(): p.read_bytes() for p in root.rglob("*") if p.is_file()}


def whole(data):
    good, faults = snapshots.checked(data / "snapshots", snapshots.verify)
    assert not faults
    assert not list((data / "snapshots").glob("*/.*"))
    assert not (data / ".store-staging").exists()
    return {snapshot.revision for snapshot in good}


@pytest.fixture
def unchanged(data):
    @contextmanager
    def unchanged(kind, said):
        before, revisions = state(data), whole(data)
        with pytest.raises(kind, match=said) as caught:
            yield
        assert type(caught.value) is kind
        assert TOKEN not in one_sentence(caught.value)
        assert state(data) == before
        assert whole(data) == revisions
        assert open_store(data).snapshot(SUITE).revision in revisions

    return unchanged


def test_a_first_refresh_is_the_current_snapshot_until_a_newer_comes(run, data, server, publish):
    steps = []
    done = run(progress=lambda *step: steps.append(step))
    revision = server.repos["dataset", REPO].sha[:12]
    snapshot = done.snapshot
    assert snapshot == snapshots.verify(data / "snapshots" / SUITE / revision)
    assert (snapshot.as_of, snapshot.n_models, snapshot.n_runs) == ("2025-03-20", 5, 5)
    assert snapshot.source_url == f"https://huggingface.co/datasets/{REPO}"
    assert (snapshot.licence, snapshot.note) == ("not stated by the source", "")
    assert snapshot.retrieved_at == time.strftime("%Y-%m-%d", time.gmtime())
    assert done.message == f"{SUITE} is now {revision} of 2025-03-20: 5 models, 5 runs."
    assert steps == [(1, 1)]
    store = open_store(data)
    assert (store.snapshot(SUITE), store.faults) == (snapshot, ())
    assert len(store.scores(snapshot, "")) == 30
    assert "lab/m1" in {fact.model for fact in store.derived(ModelFact, snapshot)}
    # The same revision is not downloaded again.
    before, n_asked = state(data), len(server.asked)
    again = run()
    assert (again.snapshot, len(server.asked)) == (None, n_asked + 1)
    assert "is already current" in again.message
    assert state(data) == before
    publish()
    second = run().snapshot
    assert second.n_models == 6
    assert open_store(data).snapshot(SUITE) == second
    assert whole(data) == {revision, second.revision}
    # Half of the models is still a leaderboard.
    server.put("dataset", REPO, hub_server.open_llm_v2(MODELS[:3]))
    older = run()
    assert older.snapshot.n_models == 3
    counts = f"of 2025-03-20; {second.revision} of 2026-01-05 still counts."
    said = f"The source of {SUITE} gave an older release, {older.snapshot.revision} {counts}"
    assert (older.message, run().message) == (said, said)
    assert open_store(data).snapshot(SUITE) == second
    refused(BadRequestError, "no live source: choose from bridge, genai-prices", run, "noharm")


def test_benchmarks_are_spelt_as_the_catalogue_does_and_strangers_named(run, server, data):
    tasks = {"ADE - identification": [1.0], "CARES-ICD10 Block": [2.0], "New task": [3.0]}
    board = hub_server.bridge([{"name": "a"}], tasks)
    server.put("space", "YLab-Open/BRIDGE-Medical-Leaderboard", board)
    done = run("bridge")
    assert done.snapshot.n_benchmarks == 2
    assert done.snapshot.note == "Left out, since not in the catalogue: New task."
    table = snapshots.read_scores(data / "snapshots/bridge" / done.snapshot.revision, KNOWN)
    assert set(table.frame["benchmark"]) == {"ADE-Identification", "CARES ICD10 Block"}


def publishing(repo):
    return lambda server: server.put("dataset", REPO, repo(server.repos["dataset", REPO]))


def rows(*given):
    return publishing(lambda _: hub_server.open_llm_v2(list(given)))


CUT_FILE = publishing(lambda repo: Repo({V2: repo.files[V2][:-300]}))
FAULTS = {
    "cut in mid-file": (
        *(lambda server: server.fail("resolve", "cut"), RemoteError),
        "broke in the middle",
    ),
    "truncated Parquet": (
        *(CUT_FILE, BadDataError),
        f"not a whole Parquet file.*nothing was taken: refresh again later; {STAYS}",
    ),
    "no known scores": (
        *(rows(*(v2_row(f"lab/m{i}", None) for i in range(9))), BadDataError),
        "holds no score of a benchmark that the catalogue knows",
    ),
    "shrunk": (
        *(rows(*MODELS[:2]), BadDataError),
        "has 2 models where the snapshot .* has 5.* refresh again when",
    ),
    # The store would refuse the new snapshot each time it is opened.
    "a score outside its scale": (
        *(rows(*MODELS, v2_row("lab/odd", -5)), BadDataError),
        r'row \d+: "-5.*" in the column "score" is outside the scale',
    ),
}


@pytest.mark.parametrize("what", FAULTS)
def test_a_fault_leaves_the_old_snapshot_and_says_what_to_do(
    run, server, publish, unchanged, caplog, what
):
    run()
    spoil, kind, said = FAULTS[what]
    publish()
    spoil(server)
    with unchanged(kind, said):
        run()
    assert TOKEN not in caplog.text
    server.faults.clear()
    publish(2)
    assert run().snapshot.n_models == 7


def test_a_snapshot_that_was_altered_is_not_called_current(run, data):
    scores = data / "snapshots" / SUITE / run().snapshot.revision / "scores.csv"
    scores.write_text(scores.read_text().replace("0.1", "0.9"))
    refused(BadDataError, r"was altered.*delete that folder and refresh again", run)


def test_local_results_do_not_count_as_the_old_snapshot(run, data, server, publish):
    table = snapshots.read_scores(data / "snapshots" / SUITE / run().snapshot.revision, KNOWN)
    copies = [table.frame.assign(model=table.frame["model"] + f"-{i}") for i in range(5)]
    local = replace(table, frame=pd.concat(copies, ignore_index=True))
    about = dict.fromkeys(("as_of", "retrieved_at"), "2099-01-01")
    about |= {"source_url": "", "licence": "x"}
    snapshots.write(data / "snapshots", local, revision="own", kind="local", **about)
    publish()
    assert run().snapshot.n_models == 6


FORKS = multiprocessing.get_context("forkserver")
# With all that this file imports, which takes longer than a refresh.
FORKS.set_forkserver_preload(["tests.evidence.test_refresh", "httpx2", "pyarrow.parquet"])


def refresh_elsewhere(data, url, point, reached):
    """Refresh in a process of its own, which stops for good at a point of the writing."""

    def stop(*_, **__):
        reached.set()
        time.sleep(60)

    real_csv, real_rename = pd.DataFrame.to_csv, Path.rename

    def half(self, path, **more):
        real_csv(self.head(7), path, **more)
        stop()

    def rename(self, to):
        last = to.parent.parent.name == "snapshots"
        if last and point == "rename":
            stop()
        real_rename(self, to)
        if last and point == "after":
            stop()

    if point == "scores":
        pd.DataFrame.to_csv = half
    elif point == "manifest":
        Path.write_text = lambda self, *_: (self.write_bytes(b"suite ="), stop())
    elif point == "verify":
        snapshots.verify = stop
    elif point in ("rename", "after"):
        Path.rename = rename
    hub = Hub(url, timeout_s=30)
    refresh(data, SUITE, hub, known_benchmarks=KNOWN)


@pytest.mark.parametrize(
    "point", ["commit", "listing", "file", "scores", "manifest", "verify", "rename", "after"]
)
def test_killed_at_any_point_nothing_is_lost(run, server, publish, data, point):
    old = run().snapshot
    sha = publish()
    patterns = {"commit": "contents$", "listing": "/tree/", "file": "/resolve/"}
    if point in patterns:
        server.fail(patterns[point], "hold", times=1)
    reached = server.held if point in patterns else FORKS.Event()
    event = None if point in patterns else reached
    process = FORKS.Process(target=refresh_elsewhere, args=(data, server.url, point, event))
    process.start()
    assert reached.wait(30)
    process.kill()
    process.join()
    assert process.exitcode == -signal.SIGKILL
    # As it lies there now: what is among the snapshots is whole, and the store opens.
    good, faults = snapshots.checked(data / "snapshots", snapshots.verify)
    expected = {old.revision, sha[:12]} if point == "after" else {old.revision}
    assert {s.revision for s in good} == expected
    assert not faults
    current = open_store(data).snapshot(SUITE)
    assert current.revision == (sha[:12] if point == "after" else old.revision)
    server.release.set()
    server.faults.clear()
    done = run(wait_s=5)
    assert (done.snapshot is None) == (point == "after")
    assert whole(data) == {old.revision, sha[:12]} or point == "after"
    assert open_store(data).snapshot(SUITE).revision == sha[:12]


def test_old_drafts_of_killed_imports_are_removed(run, data):
    folder = data / "snapshots" / SUITE
    for name, age in ((".draft-old", 7200), (".draft-young", 10)):
        (folder / name).mkdir(parents=True)
        os.utime(folder / name, (time.time() - age,) * 2)
    run()
    assert [path.name for path in folder.glob(".*")] == [".draft-young"]


def test_of_two_at_once_one_waits_for_the_other(run, server, data):
    server.fail("/resolve/", "hold", times=1)
    with ThreadPoolExecutor(2) as pool:
        both = [pool.submit(run, wait_s=20) for _ in range(2)]
        assert server.held.wait(5)
        refused(BadRequestError, "Another refresh is at work.*try again later", run, wait_s=0.1)
        server.release.set()
        assert sorted(one.result(20).snapshot is None for one in both) == [False, True]
    assert len([path for path in server.paths() if "/resolve/" in path]) == 1
    assert len(whole(data)) == 1


@pytest.mark.parametrize("after", [0, 1])
def test_a_disk_that_fills_while_writing(run, publish, unchanged, monkeypatch, after):
    run()
    publish()
    real = pd.DataFrame.to_csv
    written = []

    def fill(self, path, **more):
        written.append(path)
        if len(written) > after:
            Path(path).write_text("model,ru")
            raise OSError(errno.ENOSPC, "No space left on device")
        return real(self, path, **more)

    with monkeypatch.context() as patch:
        patch.setattr(pd.DataFrame, "to_csv", fill)
        with unchanged(BadDataError, FULL):
            run()
    assert run().snapshot.n_models == 6


FULL = "The disk is full: free some space"


def test_a_disk_without_room_for_the_lock_is_no_matter_of_rights(server, small_disk):
    small = small_disk("700k,nr_inodes=2")
    (small / "snapshots").mkdir()
    refused(BadDataError, FULL, refresh, small, SUITE, Hub(server.url), known_benchmarks=KNOWN)


def test_an_import_on_a_full_disk_is_one_sentence(small_disk, monkeypatch, capsys):
    small = small_disk("64k,nr_inodes=12")
    (small / "snapshots").mkdir()
    (small / "catalogue").symlink_to(DATA / "catalogue")
    with small.joinpath("ballast").open("wb", buffering=0) as file, suppress(OSError):
        while file.write(b"0" * 512):
            pass
    monkeypatch.setenv("FORMULARY_DATA", str(small))
    told = ["--revision", "r", "--source-url", "https://x.example", "--licence", "MIT"]
    many = [
        {"model": f"m{i}", "run": f"r{i}", "benchmark": "safety", "score": 0.5} for i in range(999)
    ]
    monkeypatch.setitem(PARSERS, "noharm", lambda file: score_table("noharm", many))
    assert main(["import", "noharm", str(small / "ballast"), *told]) == 3
    said = f"error: {FULL} and try again; the snapshots are as they were.\n"
    assert capsys.readouterr().err == said
    assert list((small / "snapshots").glob("**/*.csv")) == []


def test_what_was_not_written_as_it_was_meant_does_not_become_current(
    run, publish, unchanged, monkeypatch
):
    run()
    publish()
    real = snapshots.write

    def torn(root, *table, **about):
        snapshot = real(root, *table, **about)
        scores = root / snapshot.suite / snapshot.revision / "scores.csv"
        scores.write_bytes(scores.read_bytes()[:-9])
        return snapshot

    monkeypatch.setattr(snapshots, "write", torn)
    with unchanged(BadDataError, "cannot be read back"):
        run()


def test_a_data_folder_that_cannot_be_written(run, data, monkeypatch):
    def refuse(*_, **__):
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr("filelock.FileLock.acquire", refuse)
    one_sentence(refused(BadDataError, "set FORMULARY_DATA", run))


def test_a_data_folder_that_is_a_file_is_called_one(tmp_path, monkeypatch):
    (tmp_path / "data").touch()
    monkeypatch.setenv("FORMULARY_DATA", str(tmp_path / "data"))
    one_sentence(refused(BadDataError, "names a file, data: name a folder", open_store))
    for folder in (tmp_path / "data", tmp_path / "data" / "snapshots"):
        with pytest.raises(BadDataError, match="set FORMULARY_DATA to a folder"), writing():
            folder.mkdir(exist_ok=True)
