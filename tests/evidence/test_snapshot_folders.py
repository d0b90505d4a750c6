"""Snapshots on disk: written once, checked on every reading, never half there."""

import math
import shutil
from pathlib import Path

import pytest

from core.domain import BadDataError, BadRequestError
from core.evidence.snapshots import check_all, folders, read_manifest, read_scores, verify

KNOWN = {"suite": {"b1", "b2"}}
ROWS = [("m1", "b1", 0.1), ("m1", "b2", None), ("m2", "b1", 1 / 3)]


@pytest.fixture
def write(tmp_path, write_snapshot):
    def write(rows=ROWS, suite="suite", revision="r1"):
        return write_snapshot(tmp_path, suite, rows, revision=revision)

    return write


@pytest.fixture
def folder(tmp_path, write):
    write()
    return tmp_path / "snapshots" / "suite" / "r1"


def test_what_is_written_verifies_and_reads_back(folder):
    snapshot = verify(folder)
    assert (snapshot.suite, snapshot.revision) == ("suite", "r1")
    counts = (snapshot.n_rows, snapshot.n_runs, snapshot.n_models, snapshot.n_benchmarks)
    assert counts == (3, 2, 2, 2)
    assert snapshot == read_manifest(folder)
    frame = read_scores(folder, KNOWN).frame
    assert list(frame["model"]) == ["m1", "m1", "m2"]
    assert frame["score"][0] == 0.1
    assert math.isnan(frame["score"][1])
    assert frame["score"][2] == 1 / 3
    assert frame["standard_error"].isna().all()


def test_one_altered_byte_is_caught(folder):
    path = folder / "scores.csv"
    raw = bytearray(path.read_bytes())
    raw[raw.index(b"0.1") + 2] = ord("2")
    path.write_bytes(raw)
    with pytest.raises(BadDataError, match=r"suite/r1/scores\.csv was altered.*manifest says"):
        verify(folder)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('suite = "suite"', 'suite = "other"', "says other r1, but lies in another folder"),
        ('licence = "MIT"\n', "", 'the field "licence" is missing'),
        ("n_rows = 3", 'n_rows = "3"', 'the field "n_rows" is missing or of the wrong kind'),
        ("n_rows = 3", "n_rows = true", 'the field "n_rows" is missing or of the wrong kind'),
        ("n_rows = 3", "n_rows = ", "is not readable TOML"),
    ],
)
def test_a_faulty_manifest_is_named(folder, old, new, message):
    path = folder / "manifest.toml"
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new), "utf-8")
    with pytest.raises(BadDataError, match=f"suite/r1/manifest.toml.*{message}"):
        verify(folder)


@pytest.mark.parametrize("file", ["manifest.toml", "scores.csv"])
def test_a_missing_file_and_a_folder_in_its_place_are_named(folder, file):
    (folder / file).unlink()
    with pytest.raises(BadDataError, match=f"suite/r1/{file} is missing"):
        verify(folder)
    (folder / file).mkdir()
    with pytest.raises(BadDataError, match=f"suite/r1/{file} cannot be read"):
        verify(folder)


def test_an_unknown_benchmark_names_its_row(folder):
    with pytest.raises(BadDataError, match=r'r1/scores\.csv, row 3: the benchmark "b2" is not in'):
        read_scores(folder, {"suite": {"b1"}})


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([*ROWS, ("m2", "b1", 0.4)], 'row 5: the run "m2@run" has two scores on b1'),
        ([("", "b1", 0.4)], 'row 2: the column "model" is empty'),
        ([{"model": "m", "benchmark": "b1", "score": 1, "standard_error": -1}], "row 2: the stan"),
        ([{"model": "m", "benchmark": "b1", "score": math.inf}], 'row 2: "inf" in the column'),
        ([], r"suite/r1/scores\.csv has no rows"),
    ],
)
def test_a_faulty_row_is_named(tmp_path, write, rows, message):
    write(rows)
    with pytest.raises(BadDataError, match=message):
        read_scores(tmp_path / "snapshots" / "suite" / "r1", KNOWN)


def test_one_benchmark_under_two_protocols_or_runs_is_no_duplicate(tmp_path, write):
    one = {"model": "m", "benchmark": "b1", "score": 0.5}
    write([one | {"protocol": "p"}, one | {"protocol": "q"}, one | {"run": "second"}])
    frame = read_scores(tmp_path / "snapshots" / "suite" / "r1", KNOWN).frame
    assert len(frame) == 3


def test_the_same_scores_under_the_same_revision_are_left_as_they_are(folder, write):
    before = (folder / "scores.csv").stat()
    assert write() == read_manifest(folder)
    after = (folder / "scores.csv").stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_the_same_revision_with_other_scores_is_refused(tmp_path, folder, write):
    before = (folder / "scores.csv").read_bytes()
    with pytest.raises(BadRequestError, match="suite r1 exists with other scores"):
        write([("m1", "b1", 0.2)])
    assert (folder / "scores.csv").read_bytes() == before
    assert [path.name for path in folder.parent.iterdir()] == ["r1"]


@pytest.mark.parametrize("name", ["", ".", "..", "../up", "a/b", "a\\b", ".hidden", "a b", "a\n"])
def test_unsafe_names_are_refused(tmp_path, write, name):
    with pytest.raises(BadRequestError, match="cannot name a snapshot"):
        write(revision=name)
    with pytest.raises(BadRequestError, match="cannot name a snapshot"):
        write(suite=name)
    assert not (tmp_path / "snapshots").exists()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("step", ["write_text", "chmod", "rename"])
def test_an_interrupted_write_leaves_nothing_behind(tmp_path, write, monkeypatch, step):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Path, step, interrupt)
        with pytest.raises(KeyboardInterrupt):
            write()
    root = tmp_path / "snapshots"
    assert list((root / "suite").iterdir()) == []
    write()
    assert len(check_all(root)[0]) == 1


def test_the_draft_of_a_killed_process_is_passed_over(tmp_path, folder):
    shutil.copytree(folder, folder.parent / ".draft-killed")
    assert folders(tmp_path / "snapshots") == [folder]


def test_a_faulty_snapshot_is_reported_and_the_others_stay_good(tmp_path, folder, write):
    write(revision="r2")
    write(suite="other")
    (folder / "scores.csv").write_text("altered")
    good, faults = check_all(tmp_path / "snapshots")
    assert [(s.suite, s.revision) for s in good] == [("other", "r1"), ("suite", "r2")]
    assert [(f.suite, f.revision) for f in faults] == [("suite", "r1")]
    assert "suite/r1/scores.csv was altered" in faults[0].message
