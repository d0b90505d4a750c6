"""The commands of the package's README, run as printed with the real tools and mock models."""

import csv
import io
import json
import os
import re
import subprocess
import sys
import zipfile
from datetime import date

import pytest

from core.local_test import package
from core.local_test.plan import Basis, Protocol
from tests.local_test.foreign_tools import run

pytestmark = pytest.mark.tools

N_CASES = 5
HOSTILE = "a 'q' \"d\" $(touch owned)\n`touch owned` 😀 =cmd|' /C calc'!A0 {{env.HOME}} # : - ["
MODELS = (("GPT-5 mini", "gpt-5-mini-2025-08-07"), (HOSTILE, ""))
# What the mock models are to get right: HELM's repeats the last word, Inspect's says one thing.
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


def commands(folder, tool, ids):
    blocks = re.findall(r"```sh\n(.*?)```", (folder / "README.md").read_text("utf-8"), re.S)
    (block,) = [block for block in blocks if f"{tool.upper()}_MODEL_1=" in block]
    first, rest = block.split("\n", 1)
    assert first.startswith(("pip install", "npm install"))
    assert rest.count("FILL-IN") == len(ids)
    for id_ in ids:
        rest = rest.replace("FILL-IN", id_, 1)
    return rest


def printed(folder, tool, ids, path, fine=(0,), **settings):
    """Run the printed commands in the unpacked folder; no name of a model may do anything."""
    settings = {**os.environ, "PATH": f"{path}:{os.environ['PATH']}", **settings}
    settings["HOME"] = str(folder / "home")
    (folder / "home").mkdir()
    words = ["bash", "-euc", commands(folder, tool, ids)]
    done = subprocess.run(
        words, cwd=folder, env=settings, capture_output=True, text=True, check=False
    )
    assert done.returncode in fine, done.stdout[-3000:] + done.stderr[-3000:]
    assert not list(folder.rglob("owned"))


JUDGED = pytest.mark.parametrize("unpacked", ["right/wrong", "rubric"], indirect=True)
CASES = ["case-001", "case-002", "case-003", "case-004", "case-005"]


@JUDGED
def test_inspect_runs_as_printed(inspect, unpacked):
    path, vocabulary = inspect
    ids = ["mockllm/one", "mockllm/two"]
    printed(unpacked, "inspect", ids, path, TIKTOKEN_CACHE_DIR=vocabulary)
    logs = sorted((unpacked / "results/inspect").glob("*.json"))
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


@pytest.fixture(scope="session")
def helm(tools):
    """HELM with what its text models need: torch for the processor, no pictures."""
    # The newest torch brings gigabytes for graphics cards, torchvision is never imported.
    (tools / "without.txt").write_text(
        "torch; sys_platform == 'none'\ntorchvision; sys_platform == 'none'\n"
    )
    run(sys.executable, "-m", "venv", tools / "helm")
    run(tools / "helm/bin/pip", "install", "--quiet", "torch==2.13.0")
    wanted = [f"crfm-helm=={package.VERSIONS['helm']}", "--override", "without.txt"]
    to = ["--python", f"{tools}/helm/bin/python"]
    run(f"{tools}/base/bin/uv", "pip", "install", "--quiet", *to, *wanted, cwd=tools)
    return f"{tools}/helm/bin"


SECOND = "simple/model2"
DEPLOYED = {
    **{"name": SECOND, "model_name": SECOND, "tokenizer_name": "simple/tokenizer1"},
    "max_sequence_length": 2048,
    "client_spec": {"class_name": "helm.clients.simple_client.SimpleClient"},
}
DESCRIBED = {
    **{"name": SECOND, "display_name": "Second", "description": "A second mock model."},
    **{"creator_organization_name": "None", "access": "open", "release_date": "2023-01-01"},
    "tags": ["TEXT_MODEL_TAG"],
}


@JUDGED
def test_medhelm_runs_as_printed(helm, unpacked):
    # HELM has one mock model; the second is declared as the README says of unknown models.
    (unpacked / "prod_env").mkdir()
    (unpacked / "prod_env/model_deployments.yaml").write_text(
        json.dumps({"model_deployments": [DEPLOYED]})
    )
    described = json.dumps({"models": [DESCRIBED]}).replace('"2023-01-01"', "2023-01-01")
    (unpacked / "prod_env/model_metadata.yaml").write_text(described)
    printed(unpacked, "helm", ["simple/model1", "simple/model2"], helm)
    runs = sorted((unpacked / "results/helm/runs/local-test").glob("local_test*"))
    assert [run.name for run in runs] == [f"local_test:model=simple_model{i}" for i in (1, 2)]
    rubric = 'JUDGED = "rubric"' in (unpacked / "medhelm/local_test_plugin.py").read_text()
    for folder in runs:
        spec = json.loads((folder / "run_spec.json").read_text())
        assert spec["adapter_spec"]["model"] == folder.name.split("=")[1].replace("_", "/")
        state = json.loads((folder / "scenario_state.json").read_text())["request_states"]
        assert sorted(one["instance"]["id"] for one in state) == CASES
        right = {
            case["instance_id"]: stat["sum"]
            for case in json.loads((folder / "per_instance_stats.json").read_text())
            for stat in case["stats"]
            if stat["name"]["name"] == "quasi_exact_match"
        }
        assert right == ({} if rubric else {case: float(case == "case-002") for case in CASES})


@pytest.fixture(scope="session")
def promptfoo(tools, npm):
    wanted = [f"promptfoo@{package.VERSIONS['promptfoo']}", "@libsql/linux-x64-gnu@0.5.29"]
    npm(tools / "promptfoo", *wanted)
    return f"{tools}/promptfoo/node_modules/.bin:{tools}/base/bin"


@JUDGED
def test_promptfoo_runs_as_printed(promptfoo, unpacked):
    rubric = not (unpacked / "promptfoo/same_answer.cjs").exists()
    ids = ["echo", "exec:printf Yes."]
    printed(unpacked, "promptfoo", ids, promptfoo, fine=(0,) if rubric else (100,))
    found = json.loads((unpacked / "results/promptfoo.json").read_text())["results"]["results"]
    by_model = {one["provider"]["label"]: {} for one in found}
    assert sorted(by_model) == sorted(package.plain_line(name) for name, _ in MODELS)
    for one in found:
        assert "error" not in one["response"]
        by_model[one["provider"]["label"]][one["vars"]["case"]] = one["success"]
    assert len(found) == N_CASES * len(MODELS)
    assert all(sorted(cases) == CASES for cases in by_model.values())
    says_yes = by_model[package.plain_line(HOSTILE)]
    assert says_yes == {case: rubric or case in ("case-001", "case-004") for case in CASES}
