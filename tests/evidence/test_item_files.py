"""Item results beside a snapshot: written in order, checked against the scores, or refused."""

import re
import shutil

import duckdb
import pandas as pd
import pytest

from core.domain import BadDataError, BadRequestError, ScoreTable
from core.evidence import items, snapshots
from core.evidence.items import ITEMS
from core.evidence.store import open_store
from tests.conftest import score_table
from tests.evidence.conftest import refused

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


ROWS = frame({"b@run": [1.0, 0.0, 0.0], "a@run": [1.0, 1.0, 0.0]})
SCORES = [("a", "medqa", 0.6667), ("b", "medqa", 0.3333)]


def table(rows=ROWS, scores=SCORES, suite="open-medical-llm"):
    records = [
        {"model": m, "run": f"{m}@run", "benchmark": b, "score": score} for m, b, score in scores
    ]
    made = score_table(suite, records)
    return ScoreTable(made.suite, made.frame, made.facts, rows)


def write(root, made=None, revision="r1", **more):
    return snapshots.write(root, made or table(), revision=revision, **ABOUT, **more)


def read(path):
    return duckdb.connect().read_parquet(str(path)).df()


def test_items_lie_beside_the_scores_in_their_order(tmp_path):
    written = write(tmp_path)
    path = tmp_path / "open-medical-llm/r1" / ITEMS
    assert written.n_item_rows == 6
    assert read(path)["run"].tolist() == ["a@run"] * 3 + ["b@run"] * 3
    assert snapshots.verify(path.parent) == written
    # The same again, in another order, is the same snapshot.
    assert write(tmp_path, table(ROWS.sample(frac=1, random_state=1))) == written
    other = frame({"b@run": [0.0, 1.0, 0.0], "a@run": [1.0, 1.0, 0.0]})
    for made in (table(other), table(None)):
        refused(BadRequestError, "exists with other scores or items", write, tmp_path, made)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (frame({"a@run": [1.0, 0.0, 0.0]}), 'the run "a@run" on medqa has the score 0.6667'),
        (pd.concat([ROWS, ROWS[:1]]), 'the run "b@run" on medqa: the item "q0" is there twice'),
        (frame({"a@run": [2.0, 0.0]}), 'medqa: the item "q0" has no score from 0 to 1'),
        (ROWS.assign(score=float("nan")), 'medqa: the item "q0" has no score from 0 to 1'),
        (frame({"c": [1.0]}), 'the run "c" is not in scores.csv'),
        (ROWS.assign(benchmark="pubmedqa"), "on pubmedqa has items, but no score in scores.csv"),
        (ROWS.assign(item=""), "does not say its run, benchmark, item or attempt"),
        (ROWS.assign(attempt=None).astype({"attempt": "Int64"}), "does not say its run"),
        (ROWS.assign(answer="B"), 'has the column "answer"; its columns are run, benchmark, item'),
        (ROWS.drop(columns="attempt"), "lacks the column attempt; its columns are run"),
        (ROWS.assign(score="right"), "the column score must be a number"),
        (ROWS.assign(item=1), "the column item must be text"),
        (ROWS[:0], "has no rows"),
    ],
)
def test_items_that_do_not_fit_are_refused_when_they_are_written(tmp_path, rows, said):
    message = refused(BadDataError, re.escape(said), write, tmp_path, table(rows))
    assert message.startswith(f"open-medical-llm/r1/{ITEMS}")
    assert "\n" not in message
    assert not (tmp_path / "open-medical-llm/r1").exists()


def test_the_decimals_that_a_run_prints_say_how_exact_its_scores_are(tmp_path):
    scores = [("a", "medqa", 0.5), ("a", "pubmedqa", 0.33)]
    some = frame({"a@run": [1.0, 0.0, 0.0]}, benchmark="pubmedqa")
    rows = pd.concat([frame({"a@run": [1.0] * 126 + [0.0] * 125}), some])
    assert write(tmp_path, table(rows, scores)).n_item_rows == 254
    said, fewer = r'"a@run" on medqa has the score 0\.5 in', table(rows[6:], scores)
    refused(BadDataError, said, write, tmp_path, fewer, "r2")
    # An item counts once however often it was tried.
    rows = pd.concat([frame({"a@run": [1.0]}, attempts=3), frame({"a@run": [0, 0.0]})[1:]])
    made = write(tmp_path, table(rows, [("a", "medqa", 0.5)]), "r3")
    assert made.n_item_rows == 4


def test_a_score_on_its_own_scale_follows_from_items_on_none(tmp_path):
    path = tmp_path / ITEMS
    items.write(frame({"a@run": [1.0, 0.5]}, benchmark="aci-bench"), path, "x")
    scores = table(None, [("a", "aci-bench", 4.0)], "medhelm").frame
    assert items.check(path, scores, {"aci-bench": (1.0, 5.0)}, "x")["n_items"].tolist() == [2]
    said = r"the score 4 in scores\.csv, but its items make 0\.7"
    refused(BadDataError, said, items.check, path, scores, {}, "x")


@pytest.fixture
def bundled(data):
    write(data / "snapshots")
    return data / "snapshots/open-medical-llm/r1"


def restated(folder, **fields):
    path = folder / "manifest.toml"
    lines = [
        next((f"{k} = {v}" for k, v in fields.items() if line.startswith(f"{k} =")), line)
        for line in path.read_text("utf-8").splitlines()
    ]
    path.write_text("\n".join(lines) + "\n", "utf-8")


def test_the_store_counts_items_and_leaves_them_where_they_are(data, bundled):
    store = open_store(data)
    snapshot = store.snapshot("open-medical-llm")
    found = store.item_counts(snapshot)
    assert found["run"].tolist() == ["a@run", "b@run"]
    assert found["n_items"].tolist() == [3, 3]
    assert found["mean"].tolist() == pytest.approx([2 / 3, 1 / 3])
    assert store.item_file(snapshot) == bundled / ITEMS


@pytest.mark.slow
@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda content: content[:200], "cannot be read: it is cut, or no Parquet file"),
        (lambda _: b"run,benchmark\n", "cannot be read: it is cut, or no Parquet file"),
        (ROWS.assign(score=1.0), 'the run "a@run" on medqa has the score 0.6667'),
        (ROWS[3:], "manifest.toml says n_item_rows = 6, but items.parquet has 3"),
    ],
)
def test_a_snapshot_whose_items_do_not_fit_is_left_out(data, bundled, write_snapshot, damage, said):
    write_snapshot(data, "open-medical-llm", [("c", "medqa", 0.5)], revision="r0")
    path = bundled / ITEMS
    if callable(damage):
        path.write_bytes(damage(path.read_bytes()))
    else:
        items.write(damage, path, "x")
    refused(BadDataError, f"r1/{ITEMS} was altered", snapshots.verify, bundled)
    restated(bundled, items_sha256=f'"{snapshots.sha256(path)}"')
    store = open_store(data)
    assert [s.revision for s in store.snapshots] == ["r0"]
    (fault,) = store.faults
    assert said in fault.message


def test_items_without_a_hash_and_missing_items_are_faults(bundled, tmp_path):
    shutil.move(bundled / ITEMS, tmp_path / "kept")
    refused(BadDataError, f"r1/{ITEMS} is missing", snapshots.verify, bundled)
    shutil.copy(tmp_path / "kept", bundled / ITEMS)
    restated(bundled, items_sha256='""')
    refused(BadDataError, f"r1/{ITEMS} has no sha256 in the manifest", snapshots.verify, bundled)
