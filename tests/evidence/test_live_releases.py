"""MedHELM's release storage and Medmarks' data set on this machine: what is new, read, refused."""

import csv
import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from tests.evidence.test_imports import helm_release

from core.domain import BadDataError, FormularyError
from core.evidence import snapshots
from core.evidence.hub import STAYS, Hub
from core.evidence.refresh import refresh
from core.evidence.sources import helm_releases, medmarks
from tests.conftest import SHARED
from tests.evidence.hub_server import Repo

ROOT = "/crfm-helm-public/medhelm/benchmark_output/releases"
LIST = "/storage/v1/b/crfm-helm-public/o"
MEDMARKS = "bwarner/inference-scratch-llm"


@contextmanager
def storage(files):
    """Serve files by their path; ``/o`` lists the releases where that is among them."""

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_):
            """Keep quiet."""

        def do_GET(self):
            body = files.get(self.path.partition("?")[0])
            self.send_response(200 if body is not None else 404)
            self.send_header("Content-Length", str(len(body or b"")))
            self.end_headers()
            self.wfile.write(body or b"")

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()


@pytest.fixture
def release(bundled):
    """The file of a release: the bundled scores, as HELM writes them."""
    frame = bundled.scores(bundled.snapshot("medhelm"), "")
    document = helm_release(frame, bundled.catalogue.benchmarks["medhelm"])
    return json.dumps(document).encode()


@pytest.fixture
def run(data, monkeypatch, bundled, tmp_path):
    """Refresh MedHELM from a storage that has these files."""

    def run(files):
        with storage(files) as url:
            monkeypatch.setenv("FORMULARY_HELM", url)
            hub = Hub("http://127.0.0.1:9", token="", cache=tmp_path / "cache", timeout_s=1)
            known = bundled.catalogue.scales()
            return refresh(data, "medhelm", hub, known_benchmarks=known)

    return run


def groups(version):
    return f"{ROOT}/{version}/groups/medhelm_scenarios.json"


def listing(*versions):
    prefixes = [f"medhelm/benchmark_output/releases/{version}/" for version in versions]
    return json.dumps({"kind": "storage#objects", "prefixes": prefixes}).encode()


def test_the_newest_release_that_is_listed_becomes_a_snapshot(run, data, release, bundled):
    files = {
        LIST: listing("v4.0.0", "v10.0.0", "v9.1.0", "latest"),
        groups("v10.0.0"): release,
        f"{ROOT}/v10.0.0/summary.json": b'{"release": "v10.0.0", "date": "2026-10-02"}',
    }
    done = run(files)
    assert (done.snapshot.revision, done.snapshot.as_of) == ("v10.0.0", "2026-10-02")
    assert (done.snapshot.n_models, done.snapshot.n_benchmarks, done.snapshot.n_rows) == (
        *(13, 37),
        481,
    )
    known = bundled.catalogue.scales()
    table = snapshots.read_scores(data / "snapshots" / "medhelm" / "v10.0.0", known)
    old = bundled.scores(bundled.snapshot("medhelm"), "")
    new = {(r.model, r.benchmark): r.score for r in table.frame.itertuples()}
    assert new == {(r.model, r.benchmark): r.score for r in old.itertuples()}
    assert "GPT-5 (2025-08-07)@v10.0.0" in set(table.frame["run"])
    again = run(files)
    assert again.snapshot is None
    assert "already current: v10.0.0 of 2026-10-02" in again.message


@pytest.mark.slow
def test_releases_that_are_not_listed_are_found_by_their_numbers(run, release):
    files = dict.fromkeys(map(groups, ("v4.0.0", "v4.1.0", "v5.0.0", "v5.0.1", "v7.0.0")), release)
    done = run(files)
    assert (done.snapshot.revision, done.snapshot.as_of) == ("v5.0.1", "")
    assert done.snapshot.note == "The release gives no date."
    assert "v5.0.1 of no date" in done.message


@pytest.mark.slow
@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({}, "answered with status 404: nothing was read"),
        ({LIST: listing("v5.0.0")}, "status 404"),
        ({LIST: listing("v5.0.0"), groups("v5.0.0"): b"[{"}, "medhelm_scenarios.json"),
        ({LIST: listing("v5.0.0"), groups("v5.0.0"): b"[]"}, "none of the formats"),
    ],
)
def test_a_storage_that_has_nothing_to_read_changes_nothing(run, data, files, message):
    before = sorted((data / "snapshots").rglob("*"))
    with pytest.raises(BadDataError, match=message) as told:
        run(files)
    assert STAYS in str(told.value)
    assert str(told.value).count(". ") == 0
    assert sorted((data / "snapshots").rglob("*")) == before


def test_a_storage_that_cannot_be_reached_is_said_in_a_sentence(data, monkeypatch, bundled):
    monkeypatch.setenv("FORMULARY_HELM", "http://127.0.0.1:9")
    with pytest.raises(FormularyError, match=f"127.0.0.1 could not be read: .*; {STAYS}"):
        refresh(data, "medhelm", Hub(token=""), known_benchmarks={})


def test_a_release_cannot_be_read_without_the_catalogue():
    with pytest.raises(BadDataError, match="Without the catalogue"):
        helm_releases.pull(Hub(token=""), commit=("v4.0.0", ""))


# --- Medmarks ---


@pytest.fixture
def sample():
    """The three models of the sample in the wide form of the live file."""
    path = SHARED / "samples" / "medmarks_three_rows.csv"
    if not path.exists():
        pytest.skip("the sample lies beside the repository only where it was built")
    wide = {}
    with path.open(encoding="utf-8") as handle:
        for row in csv.DictReader(handle):
            _, _, benchmark = row["benchmark"].partition(":")
            wide.setdefault(row["model"], {})[benchmark or "weighted_winrate"] = row["score"]
    return wide


def medmarks_file(rows):
    columns = ["model", "weighted_winrate", "simple_winrate"]
    columns += sorted({name for row in rows.values() for name in row} - {*columns})
    lines = [",".join([*columns, "num_datasets"])]
    for model, row in rows.items():
        lines.append(",".join([model, *(row.get(name, "") for name in columns[1:]), "16"]))
    return Repo({"winrate/latest.csv": ("\n".join(lines) + "\n").encode()})


@pytest.fixture
def pull(server, data, tmp_path, bundled):
    def pull(repo):
        sha = server.put("dataset", MEDMARKS, repo)
        hub = Hub(server.url, token="", cache=tmp_path / "cache", timeout_s=2)
        known = bundled.catalogue.scales()
        done = refresh(data, medmarks.SUITE, hub, known_benchmarks=known)
        assert done.snapshot.revision == sha[:12]
        folder = data / "snapshots" / medmarks.SUITE / done.snapshot.revision
        return done.snapshot, snapshots.read_scores(folder, known).frame

    return pull


def test_medmarks_gives_a_score_per_model_and_benchmark(pull, sample):
    sample["baichuan-m2"].pop("medec")
    snapshot, frame = pull(medmarks_file({**sample, "new": {"another_task": "0.5"}}))
    found = frame.set_index(["model", "benchmark"])["score"].dropna()
    assert found["baichuan-m3", "medcasereasoning"] == 0.366
    assert found["gemini-3-pro-preview", "medec"] == pytest.approx(0.584799, abs=1e-6)
    assert len(found) == 3 * 16 - 1
    assert ("baichuan-m2", "medec") not in found.index
    assert (snapshot.licence, snapshot.as_of) == ("not stated by the source", "2025-03-20")
    assert snapshot.note == (
        "No licence was seen: ask the source before you publish the scores. "
        "Left out, since not in the catalogue: another_task."
    )


def test_the_licence_of_medmarks_is_taken_where_the_hub_has_one(pull, sample):
    repo = medmarks_file(sample)
    repo.tags = ("license:cc-by-4.0",)
    snapshot, _ = pull(repo)
    assert (snapshot.licence, snapshot.note) == ("cc-by-4.0", "")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"name,medec\nx,1\n", 'column "model" is missing'),
        (b"model,medec\nx,high\n", 'row 2: "high" in the column "medec" is not a number'),
        (b"model,medec\n,1\n", 'row 2: the column "model" is empty'),
        (b"model,weighted_winrate\nx,1\n", "holds no score"),
        (b"\xff\xfe", "UTF-8"),
    ],
)
def test_a_file_of_another_shape_is_refused(pull, content, message):
    with pytest.raises(BadDataError, match=message):
        pull(Repo({"winrate/latest.csv": content}))
