"""Snapshots and items on disk: written once, checked on every reading, never half there."""

import hashlib
import json
import math
import re
import shutil
from pathlib import Path

import duckdb
import pandas as pd
import pytest

from core.domain import BadDataError, BadRequestError, ScoreTable, Snapshot
from core.evidence import items, snapshots
from core.evidence.items import ITEMS
from core.evidence.snapshots import checked, manifest, read_scores, verify
from core.evidence.store import open_store
from tests.conftest import score_table
from tests.evidence.conftest import refused

KNOWN = {"suite": {"b1": (0.0, 1.0, 0.0), "b2": (0.0, 1.0, 0.0)}}
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
    assert snapshot == manifest(folder, Snapshot)
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
    refused(BadDataError, r"suite/r1/scores\.csv was altered.*manifest says", verify, folder)


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
    refused(BadDataError, f"suite/r1/manifest.toml.*{message}", verify, folder)


def restated(folder, field, value):
    path = folder / "manifest.toml"
    text, n = re.subn(rf"(?m)^{field} = .*$", f"{field} = {value}", path.read_text("utf-8"))
    assert n == 1
    path.write_text(text, "utf-8")


@pytest.mark.parametrize("file", ["scores", "altered", "facts"])
def test_a_file_without_a_hash_is_a_fault_altered_or_not(folder, file):
    scores = folder / "scores.csv"
    if file == "altered":
        scores.write_text(scores.read_text("utf-8").replace("0.1", "0.9"), "utf-8")
    if file == "facts":
        (folder / "facts.csv").write_text("model,field,value,source\nm1,params_b,7,x\n", "utf-8")
    else:
        restated(folder, "sha256", '""')
        file = "scores"
    refused(BadDataError, rf"suite/r1/{file}\.csv has no sha256 in the manifest", verify, folder)


@pytest.mark.parametrize(
    ("field", "is_said", "is_so"),
    [
        *(("n_rows", 4, 3), ("n_rows", -3, 3), ("n_runs", 1, 2)),
        *(("n_models", 99, 2), ("n_benchmarks", 0, 2)),
    ],
)
def test_a_manifest_that_counts_otherwise_is_a_fault(folder, field, is_said, is_so):
    restated(folder, field, is_said)
    said = f"suite/r1/manifest.toml says {field} = {is_said}, but scores.csv has {is_so}."
    refused(BadDataError, re.escape(said), read_scores, folder, KNOWN)


@pytest.mark.parametrize("file", ["manifest.toml", "scores.csv"])
def test_a_missing_file_and_a_folder_in_its_place_are_named(folder, file):
    (folder / file).unlink()
    refused(BadDataError, f"suite/r1/{file} is missing", verify, folder)
    (folder / file).mkdir()
    refused(BadDataError, f"suite/r1/{file} cannot be read", verify, folder)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([*ROWS, ("m2", "b1", 0.4)], 'row 5: the run "m2@run" has two scores on b1'),
        ([*ROWS, ("m2", "b3", 1)], 'row 5: the benchmark "b3" is not in the catalogue of suite'),
        ([("", "b1", 0.4)], 'row 2: the column "model" is empty'),
        ([{"model": "m", "benchmark": "b1", "score": 1, "standard_error": -1}], 'row 2: "-1"'),
        ([{"model": "m", "benchmark": "b1", "score": math.inf}], 'row 2: "inf" in the column'),
        ([], r"suite/r1/scores\.csv has no rows"),
    ],
)
def test_a_faulty_row_is_named(tmp_path, write, rows, message):
    write(rows)
    refused(BadDataError, message, read_scores, tmp_path / "snapshots" / "suite" / "r1", KNOWN)


def test_a_snapshot_never_changes(folder, write):
    scores = folder / "scores.csv"
    before, content = scores.stat(), scores.read_bytes()
    assert write() == manifest(folder, Snapshot)
    refused(BadRequestError, "suite r1 exists with other scores", write, [("m1", "b1", 0.2)])
    after = scores.stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert scores.read_bytes() == content
    assert [path.name for path in folder.parent.iterdir()] == ["r1"]


@pytest.mark.parametrize("name", ["", ".", "..", "../up", "a/b", "a\\b", ".hidden", "a b", "a\n"])
def test_unsafe_names_are_refused(tmp_path, write, name):
    for named in ({"revision": name}, {"suite": name}):
        refused(BadRequestError, "cannot name a snapshot", write, **named)
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
    assert len(checked(root, verify)[0]) == 1


def test_a_faulty_snapshot_is_reported_and_the_others_stay_good(tmp_path, folder, write):
    write(revision="r2")
    write(suite="other")
    shutil.copytree(folder, folder.parent / ".draft-killed")
    (folder / "scores.csv").write_text("altered")
    good, faults = checked(tmp_path / "snapshots", verify)
    assert [(s.suite, s.revision) for s in good] == [("other", "r1"), ("suite", "r2")]
    assert [(f.suite, f.revision) for f in faults] == [("suite", "r1")]
    assert "suite/r1/scores.csv was altered" in faults[0].message


def forged(folder, file, old, new):
    path = folder / file
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), "utf-8")
    field = {"scores.csv": "sha256", "facts.csv": "facts_sha256"}[file]
    restated(folder, field, f'"{hashlib.sha256(path.read_bytes()).hexdigest()}"')
    verify(folder)


@pytest.mark.parametrize(
    ("score", "said"),
    [
        ("0.1,1.5", r'"1\.5" in the column "standard_error" is negative or wider than the scale'),
        ("1e308", "is not a number"),
        ("-5", "is outside the scale of b1, 0 to 1"),
        ("1.02", "is outside the scale of b1, 0 to 1"),
        *(
            (score, "is not a number")
            for score in (
                *("1_000", "\N{ARABIC-INDIC DIGIT ZERO}.\N{ARABIC-INDIC DIGIT THREE}", "1" * 401),
                *("\N{FULLWIDTH DIGIT ONE}", " 0.1", "0x1", "nan", "-inf"),
            )
        ),
    ],
)
def test_a_bad_score_with_the_right_hash_names_row_and_column(folder, score, said):
    forged(folder, "scores.csv", "b1,0.1,", f"b1,{score},".replace("1.5,", "1.5"))
    if "column" not in said:
        said = rf'"{re.escape(score[:40])}" in the column "score" {said}\.$'
    refused(BadDataError, rf"r1/scores\.csv, row 2: {said}", read_scores, folder, KNOWN)


@pytest.mark.parametrize(("score", "value"), [("1.01", 1.01), ("1e-05", 1e-5), (".5", 0.5)])
def test_a_score_up_to_a_hundredth_beyond_its_scale_is_read(folder, score, value):
    forged(folder, "scores.csv", "b1,0.1,", f"b1,{score},")
    assert read_scores(folder, KNOWN).frame["score"][0] == value


@pytest.mark.parametrize(
    "address",
    [
        *("javascript:alert(1)", " javascript:alert(1)", "java\tscript:alert(1)", "https://a b"),
        *("JAVASCRIPT:alert(1)", "data:text/html;x", "file:///etc/passwd"),
    ],
)
def test_an_address_that_is_none_is_refused_wherever_a_snapshot_holds_one(tmp_path, write, address):
    row = {"model": "m", "benchmark": "b1", "score": 1, "source_url": "https://a.example"}
    write([row])
    folder = tmp_path / "snapshots" / "suite" / "r1"
    forged(folder, "scores.csv", "https://a.example", address)
    said = r'row 2: ".*" in the column "source_url" is not an http or https address'
    refused(BadDataError, said, read_scores, folder, KNOWN)
    restated(folder, "source_url", json.dumps(address).replace("\\", "\\\\"))
    said = r"r1/manifest\.toml: source_url = .* is not an http or"
    refused(BadDataError, said, verify, folder)


@pytest.mark.parametrize(
    ("field", "day"),
    [
        *(("as_of", day) for day in ("not a date", "2026-02-30", "2026-1-1", "20260101")),
        ("as_of", "\N{ARABIC-INDIC DIGIT TWO}026-01-01"),
        ("retrieved_at", ""),
        ("retrieved_at", "yesterday"),
    ],
)
def test_a_day_that_is_none_is_neither_read_nor_written(
    tmp_path, folder, write_snapshot, field, day
):
    if field == "as_of":
        said, new = r"as_of = .* is not a date", (tmp_path, "another", ROWS)
        refused(BadDataError, said, write_snapshot, *new, as_of=day)
        assert not [*(tmp_path / "snapshots" / "another").iterdir()]
    restated(folder, field, json.dumps(day, ensure_ascii=False))
    said = f'suite/r1/manifest.toml: {field} = "{day}" is not a date such as 2026-11-22.'
    refused(BadDataError, re.escape(said), verify, folder)


ABOUT = {"as_of": "2026-01-01", "retrieved_at": "2026-11-21", "licence": "MIT"}
ABOUT |= {"source_url": "https://example.org"}


def frame(scores, *, benchmark="medqa", attempts=1):
    return pd.DataFrame(
        [
            {"run": run, "benchmark": benchmark, "item": f"q{i}", "attempt": k + 1, "score": score}
            for run, values in scores.items()
            for i, score in enumerate(values)
            for k in range(attempts)
        ]
    )


RIGHT = frame({"b@run": [1.0, 0.0, 0.0], "a@run": [1.0, 1.0, 0.0]})
SCORES = [("a", "medqa", 0.6667), ("b", "medqa", 0.3333)]


def table(rows=RIGHT, scores=SCORES, suite="open-medical-llm"):
    records = [
        {"model": m, "run": f"{m}@run", "benchmark": b, "score": score} for m, b, score in scores
    ]
    made = score_table(suite, records)
    return ScoreTable(made.suite, made.frame, made.facts, rows)


def put(root, made=None, revision="r1", **more):
    return snapshots.write(root, made or table(), revision=revision, **ABOUT, **more)


def test_items_are_next_to_the_scores_in_their_order(tmp_path):
    written = put(tmp_path)
    path = tmp_path / "open-medical-llm/r1" / ITEMS
    assert written.n_item_rows == 6
    assert duckdb.read_parquet(str(path)).df()["run"].tolist() == ["a@run"] * 3 + ["b@run"] * 3
    assert snapshots.verify(path.parent) == written
    # The same again, in another order, is the same snapshot.
    assert put(tmp_path, table(RIGHT.sample(frac=1, random_state=1))) == written
    other = frame({"b@run": [0.0, 1.0, 0.0], "a@run": [1.0, 1.0, 0.0]})
    for made in (table(other), table(None)):
        refused(BadRequestError, "exists with other scores or items", put, tmp_path, made)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (frame({"a@run": [1.0, 0.0, 0.0]}), 'the run "a@run" on medqa has the score 0.6667'),
        (pd.concat([RIGHT, RIGHT[:1]]), 'the run "b@run" on medqa: the item "q0" is there twice'),
        (frame({"a@run": [2.0, 0.0]}), 'medqa: the item "q0" has no score from 0 to 1'),
        (RIGHT.assign(score=float("nan")), 'medqa: the item "q0" has no score from 0 to 1'),
        (frame({"c": [1.0]}), 'the run "c" is not in scores.csv'),
        (RIGHT.assign(benchmark="pubmedqa"), "on pubmedqa has items, but no score in scores.csv"),
        (RIGHT.assign(item=""), "does not say its run, benchmark, item or attempt"),
        (RIGHT.assign(attempt=None).astype({"attempt": "Int64"}), "does not say its run"),
        (RIGHT.assign(answer="B"), 'has the column "answer"; its columns are run, benchmark, item'),
        (RIGHT.drop(columns="attempt"), "lacks the column attempt; its columns are run"),
        (RIGHT.assign(score="right"), "the column score must be a number"),
        (RIGHT.assign(item=1), "the column item must be text"),
        (RIGHT[:0], "has no rows"),
    ],
)
def test_items_that_do_not_fit_are_refused_when_they_are_written(tmp_path, rows, said):
    message = refused(BadDataError, re.escape(said), put, tmp_path, table(rows))
    assert message.startswith(f"open-medical-llm/r1/{ITEMS}")
    assert "\n" not in message
    assert not (tmp_path / "open-medical-llm/r1").exists()


def test_the_decimals_that_a_run_prints_say_how_exact_its_scores_are(tmp_path):
    scores = [("a", "medqa", 0.5), ("a", "pubmedqa", 0.33)]
    some = frame({"a@run": [1.0, 0.0, 0.0]}, benchmark="pubmedqa")
    rows = pd.concat([frame({"a@run": [1.0] * 126 + [0.0] * 125}), some])
    assert put(tmp_path, table(rows, scores)).n_item_rows == 254
    said, fewer = r'"a@run" on medqa has the score 0\.5 in', table(rows[6:], scores)
    refused(BadDataError, said, put, tmp_path, fewer, "r2")
    # An item counts once however often it was tried.
    rows = pd.concat([frame({"a@run": [1.0]}, attempts=3), frame({"a@run": [0, 0.0]})[1:]])
    made = put(tmp_path, table(rows, [("a", "medqa", 0.5)]), "r3")
    assert made.n_item_rows == 4


def test_a_score_on_its_own_scale_follows_from_items_on_none(tmp_path):
    path = tmp_path / ITEMS
    items.write_items(frame({"a@run": [1.0, 0.5]}, benchmark="aci-bench"), path, "x")
    scores = table(None, [("a", "aci-bench", 4.0)], "medhelm").frame
    assert items.check_against_scores(path, scores, {"aci-bench": (1.0, 5.0, 1.0)}, "x")[
        "n_items"
    ].tolist() == [2]
    said = r"the score 4 in scores\.csv, but its items make 0\.7"
    refused(BadDataError, said, items.check_against_scores, path, scores, {}, "x")


def test_items_under_two_protocols_fit_neither_and_no_items_fit_nothing(tmp_path):
    path = tmp_path / ITEMS
    items.write_items(frame({"a@run": [1.0, 0.5]}, benchmark="medqa"), path, "x")
    both = [{"model": "a", "run": "a@run", "benchmark": "medqa", "score": 0.75, "protocol": of}
            for of in ("one", "two")]  # fmt: skip
    for rows, fault in ((both[:1], None), (both, "under two protocols, and items do not say")):
        scores = score_table("medhelm", rows).frame
        if fault:
            refused(BadDataError, fault, items.check_against_scores, path, scores, {}, "x")
        else:
            assert len(items.check_against_scores(path, scores, {}, "x")) == 1
    empty = tmp_path / "empty.parquet"
    frame({"a@run": [1.0]}, benchmark="medqa")[:0].to_parquet(empty)
    refused(BadDataError, r"^x has no rows\.$", items.write_items, empty, path, "x")
    refused(BadDataError, r"^x has no rows\.$", items.check_against_scores, empty, scores, {}, "x")


def test_a_file_of_items_is_read_as_a_frame_of_them_is(tmp_path):
    made = frame({"b@run": [1.0, 0.5], "a@run": [0.0, 0.5]}, benchmark="medqa")
    made.to_parquet(tmp_path / "own.parquet")
    one, other = tmp_path / "one.parquet", tmp_path / "other.parquet"
    assert items.write_items(made, one, "x") == 4
    assert items.write_items(tmp_path / "own.parquet", other, "x") == 4
    assert pd.read_parquet(one).equals(pd.read_parquet(other))


@pytest.mark.slow
def test_items_on_a_full_disk_are_one_sentence(small_disk):
    made = frame({f"{i}@run": [1.0, 0.5] * 2_000 for i in range(20)}, benchmark="medqa")
    path = small_disk("64k") / ITEMS
    refused(
        BadDataError, "^x cannot be written: its disk is full", items.write_items, made, path, "x"
    )


@pytest.fixture
def of_items(data):
    put(data / "snapshots")
    return data / "snapshots/open-medical-llm/r1"


def test_the_store_counts_items_and_leaves_them_where_they_are(data, of_items):
    store = open_store(data)
    snapshot = store.snapshot("open-medical-llm")
    found = store.item_counts(snapshot)
    assert found["run"].tolist() == ["a@run", "b@run"]
    assert found["n_items"].tolist() == [3, 3]
    assert found["mean"].tolist() == pytest.approx([2 / 3, 1 / 3])
    assert store.item_file(snapshot) == of_items / ITEMS


@pytest.mark.slow
@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda content: content[:200], "cannot be read: it is cut, or no Parquet file"),
        (lambda _: b"run,benchmark\n", "cannot be read: it is cut, or no Parquet file"),
        (RIGHT.assign(score=1.0), 'the run "a@run" on medqa has the score 0.6667'),
        (RIGHT[3:], "manifest.toml says n_item_rows = 6, but items.parquet has 3"),
    ],
)
def test_a_snapshot_whose_items_do_not_fit_is_left_out(
    data, of_items, write_snapshot, damage, said
):
    write_snapshot(data, "open-medical-llm", [("c", "medqa", 0.5)], revision="r0")
    path = of_items / ITEMS
    if callable(damage):
        path.write_bytes(damage(path.read_bytes()))
    else:
        items.write_items(damage, path, "x")
    refused(BadDataError, f"r1/{ITEMS} was altered", snapshots.verify, of_items)
    restated(of_items, "items_sha256", f'"{snapshots.sha256(path)}"')
    store = open_store(data)
    assert [s.revision for s in store.snapshots] == ["r0"]
    (fault,) = store.faults
    assert said in fault.message


def test_items_without_a_hash_and_missing_items_are_faults(of_items, tmp_path):
    shutil.move(of_items / ITEMS, tmp_path / "kept")
    refused(BadDataError, f"r1/{ITEMS} is missing", snapshots.verify, of_items)
    shutil.copy(tmp_path / "kept", of_items / ITEMS)
    restated(of_items, "items_sha256", '""')
    refused(BadDataError, f"r1/{ITEMS} has no sha256 in the manifest", snapshots.verify, of_items)
