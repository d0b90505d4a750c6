"""The commands of the package's README, run as printed with the real Inspect and mock models."""

import csv
import io
import json
import os
import re
import subprocess
import zipfile
from datetime import date

import pytest

from core.local_test import package
from core.local_test.plan import Basis, Protocol

pytestmark = pytest.mark.tools

N_CASES = 5
HOSTILE = "a 'q' \"d\" $(touch owned)\n`touch owned` 😀 =cmd|' /C calc'!A0 {{env.HOME}} # : - ["
MODELS = (("GPT-5 mini", "gpt-5-mini-2025-08-07"), (HOSTILE, ""))
# What the mock models are to get right: they say one thing to everything.
OWN_CASES = {
    "case-002": ("A number as a reference, and the last word: 7", "7"),
    "case-003": ("Grüße, “quoted”, 100 %\nin two lines", "default output from MOCKLLM/model"),
}


@pytest.fixture
def unpacked(tmp_path, request):
    rest = (Basis("assumed", 0.2), 2, 5.0, "analysis", "stopping", date(2026, 11, 23))
    work = "Answer $(touch owned) {0}"
    made = Protocol(work, MODELS, request.param, 0.1, 0.0, 0.8, N_CASES, *rest)
    zipfile.ZipFile(io.BytesIO(package.build_package(made))).extractall(tmp_path)
    cases = tmp_path / "cases.csv"
    with cases.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        row["input"], row["reference"] = OWN_CASES.get(
            row["case"], (row["input"], row["reference"])
        )
    with cases.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.DictWriter(file, rows[0], lineterminator="\r\n")
        writer.writeheader()
        writer.writerows(rows)
    return tmp_path


def commands(folder, ids):
    (block,) = re.findall(r"```sh\n(.*?)```", (folder / "README.md").read_text("utf-8"), re.S)
    first, rest = block.split("\n", 1)
    assert first == f"pip install inspect-ai=={package.VERSIONS['inspect']}"
    assert rest.count("FILL-IN") == len(ids)
    for id_ in ids:
        rest = rest.replace("FILL-IN", id_, 1)
    return rest


def printed(folder, ids, path, **settings):
    """Run the printed commands in the unpacked folder; no name of a model may do anything."""
    settings = {**os.environ, "PATH": f"{path}:{os.environ['PATH']}", **settings}
    settings["HOME"] = str(folder / "home")
    (folder / "home").mkdir()
    words = ["bash", "-euc", commands(folder, ids)]
    done = subprocess.run(
        words, cwd=folder, env=settings, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    assert not list(folder.rglob("owned"))


JUDGED = pytest.mark.parametrize("unpacked", ["right/wrong", "rubric"], indirect=True)
CASES = ["case-001", "case-002", "case-003", "case-004", "case-005"]


@JUDGED
def test_inspect_runs_as_printed(inspect, unpacked):
    path, vocabulary = inspect
    ids = ["mockllm/one", "mockllm/two"]
    printed(unpacked, ids, path, TIKTOKEN_CACHE_DIR=vocabulary)
    logs = sorted((unpacked / "results").glob("*.json"))
    assert len(logs) == 2
    found = {}
    for log in (json.loads(path.read_text("utf-8")) for path in logs):
        assert log["status"] == "success"
        model = log["eval"]["model"]
        samples = sorted(log["samples"], key=lambda sample: sample["id"])
        assert [sample["id"] for sample in samples] == CASES
        assert OWN_CASES["case-003"][0] in samples[2]["input"]
        found[model] = [sample.get("scores") for sample in samples]
    assert sorted(found) == ids
    rubric = 'JUDGED = "rubric"' in (unpacked / "inspect/local_test.py").read_text()
    for scores in found.values():
        given = [score["exact"]["value"] for score in scores if score]
        assert given == ([] if rubric else ["I", "I", "C", "I", "I"])
