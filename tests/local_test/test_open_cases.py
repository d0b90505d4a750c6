"""The package of open cases, and the real tools run by the one command of either package."""

import csv
import hashlib
import io
import json
import os
import signal
import subprocess
import threading
import time
import zipfile
from collections import Counter
from dataclasses import replace
from datetime import date
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pandas as pd
import pytest

from core.answers import local_test, open_cases
from core.answers.asked import ask
from core.domain import Question
from core.local_test.open_cases import build_open, call_of
from core.local_test.package import CASES_FILE, build_package
from core.local_test.plan import Basis, Protocol, TestedModel, plan, protocol
from core.local_test.verdict import verdict
from core.results import take, together
from core.words import local_test as words_of

DAY = date(2026, 11, 27)
AZURE = "Azure OpenAI / Azure AI Foundry"
ON_AZURE = Question.of(suite="", task="documentation", required=("baa",), platforms=(AZURE,))


def open_test(
    store, case_set="aci-bench", *, n_cases=6, raters=0, models=None, judge="Mistral Large 3 (2512)"
):
    names = models or ("GPT-5.2", "DeepSeek V3.2", "Mistral Large 3 (2512)")
    cases = next(it for it in open_cases.case_sets(store) if it.id == case_set)
    tested = local_test.tested_models(ask(store, ON_AZURE, DAY), names[0], names[1:])
    bases = [Basis("assumed", 0.25)]
    found = plan("notes", tested, judged=cases.scored, margin=0.1, bases=bases, raters=raters)
    agreed = replace(protocol(found, DAY), n_cases=n_cases)
    judge = judge if cases.scored == "rubric" else ""
    return open_cases.open_test(ask(store, ON_AZURE, DAY), agreed, cases, names, judge)


@pytest.mark.parametrize(
    ("id_", "call"),
    [
        ("azure:azure/gpt-5.2", "openai/azure/gpt-5.2"),
        ("azure:azure/global-standard/gpt-4o-2024-11-20", "openai/azure/gpt-4o-2024-11-20"),
        ("azure:azure_ai/deepseek-v3.2", "openai-api/azure/deepseek-v3.2"),
        ("aws:anthropic.claude-opus-4-6-v1", "bedrock/anthropic.claude-opus-4-6-v1"),
        ("google:vertex_ai/claude-opus-5", "anthropic/vertex/claude-opus-5"),
        ("google:gemini-3.8-flash", "google/vertex/gemini-3.8-flash"),
        # What the tool has no way to call, and what runs on own servers, is filled in.
        ("google:vertex_ai/openai/gpt-oss-120b-maas", ""),
        ("meta-llama/Llama-3.3-70B-Instruct", ""),
    ],
)
def test_models_are_written_as_the_tool_calls_them_on_the_buyers_platform(bundled, id_, call):
    assert call_of(TestedModel("a model", id_), open_cases.tool_calls(bundled)).call == call


def test_the_judge_is_of_another_maker_and_on_the_same_platforms(bundled):
    reference, candidates = local_test.to_test(ask(bundled, ON_AZURE, DAY))
    first, *_ = open_cases.judges(ask(bundled, ON_AZURE, DAY), (reference, *candidates))
    makers = {bundled.catalogue.model(name).developer for name in (reference, *candidates)}
    assert bundled.catalogue.model(first).developer not in makers
    test = open_test(bundled, judge=first)
    assert test.judge.call.startswith("openai-api/azure/")
    said = f"The run, judged by {test.judge.name}, costs about "
    assert any(said in each for each in words_of.on_open_cases(test))
    # By hand: dollars a million tokens times tokens of all cases, and the judge a question each.
    assert 0 < test.usd < 2


def test_the_package_has_one_command_and_no_text_of_the_cases(bundled):
    test = open_test(bundled)
    assert build_open(test) == build_open(test)
    archive = zipfile.ZipFile(io.BytesIO(build_open(test)))
    assert {*archive.namelist()} == {
        *("README.md", "run", "run.ps1", "run.py", "notes.py"),
        *("protocol.json", "requirements.txt", "test.json"),
    }
    assert archive.getinfo("run").external_attr >> 16 == 0o100755
    readme = archive.read("README.md").decode()
    assert readme.index("./run") < 60
    for said in ("openai/azure/gpt-5.2", "Public since 2023-06", test.agreed.sha256, "CC BY 4.0"):
        assert said in readme


def test_the_one_command_says_how_it_is_used(bundled, tmp_path):
    unzipped(build_open(open_test(bundled)), tmp_path)
    for given, status in (("--help", 0), ("-h", 0), ("--dry", 2)):
        words = ["sh", str(tmp_path / "run"), given]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        assert done.returncode == status
        said = done.stderr if status else done.stdout
        assert said.startswith("run takes no argument --dry: " if status else "Usage: ./run\n")
        assert said.count("\n") == (1 if status else 3)
    assert not (tmp_path / ".venv").exists()


def test_the_readme_says_where_each_file_goes_and_writes_whole_words(bundled):
    test = open_test(bundled, models=("Claude Opus 4.6", "GPT-5.2"))
    test = replace(test, models=tuple(replace(it, usd_per_mtok=(1, 8)) for it in test.models))
    readme = zipfile.ZipFile(io.BytesIO(build_open(test))).read("README.md").decode()
    where = "together with `protocol.json`: the same\nbox takes it."
    assert f"Upload these under *Local test*, *Results*, {where}" in readme
    assert "and no case may cost a model more than $1.00." in readme
    noted = replace(test.models[0].how, note="some models need a profile")
    models = (replace(test.models[0], how=noted, usd_per_mtok=None), *test.models[1:])
    readme = zipfile.ZipFile(io.BytesIO(build_open(replace(test, models=models)))).read("README.md")
    assert b"\n- Some models need a profile.\n" in readme
    # The tool holds to a limit only where the price of every model is known.
    assert b"so no case has a limit of cost." in readme


def test_a_model_in_use_that_is_soon_ended_has_its_price(bundled):
    test = open_test(bundled, models=("GPT-4o (2024-11-20)", "GPT-5.2"))
    assert all(it.usd_per_mtok for it in test.models)
    assert test.usd > 0
    readme = zipfile.ZipFile(io.BytesIO(build_open(test))).read("README.md")
    assert b"no case may cost a model more than" in readme


def test_right_or_wrong_needs_no_judge(bundled):
    of_the_tool = next(
        it for it in open_cases.case_sets(bundled) if it.task.startswith("inspect_evals")
    )
    test = open_test(bundled, of_the_tool.id)
    needed = zipfile.ZipFile(io.BytesIO(build_open(test))).read("requirements.txt").decode()
    assert "inspect-evals==" in needed
    plain = next(it for it in open_cases.case_sets(bundled) if it.scored == "right/wrong")
    test = open_test(bundled, plain.id)
    assert test.judge is None
    assert test.usd > 0  # the tested models alone


def test_hostile_names_stay_on_their_line(bundled):
    test = open_test(bundled)
    hostile = "a|b `$(touch owned)`\n```\n# Title {{ 7 * 7 }}"
    models = (replace(test.models[0], name=hostile), *test.models[1:])
    named = ((hostile, "x"), *test.agreed.models[1:])
    built = build_open(replace(test, models=models, agreed=replace(test.agreed, models=named)))
    readme = zipfile.ZipFile(io.BytesIO(built)).read("README.md").decode()
    assert readme.count("```") == 4
    assert "(( 7 * 7 ))" in readme
    assert not any(line.startswith("# Title") for line in readme.splitlines())


# The real tools


class Endpoint(ThreadingHTTPServer):
    """Answers as two models of two qualities and a judge do, by a fixed rule."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Answering)
        self.paid = Counter()
        self.wait_s = 0.0


class Answering(BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        model, text = body["model"], body["messages"][-1]["content"]
        if self.headers["authorization"] != "Bearer right":
            return self._send(401, {"error": {"message": "Wrong key", "code": "invalid_api_key"}})
        if model == "busy":
            return self._send(429, {"error": {"message": "Too many requests"}})
        stop = "stop"
        drawn = int(hashlib.sha256(text.encode()).hexdigest(), 16)
        if "Rubric item" in text:
            met = ("GOOD" in text) == ("is right" in text.rpartition("# Rubric item")[2])
            said = json.dumps({"explanation": "", "criteria_met": met})
        elif "clinical note, written" in text:
            said = json.dumps(
                {"facts": 8, "omitted": 1 if "GOOD" in text else 3 + drawn % 4, "inventions": 1}
            )
        else:
            is_good = model == "gpt-5.2" or drawn % 3 == 0
            said = "GOOD" if is_good else "POOR"
            if "ANSWER: $LETTER" in text:
                said = f"ANSWER: {'A' if model == 'gpt-5.2' else 'B'}"
            if "refuse" in text and "case 4" in text:
                stop = "content_filter"
            if "cut" in text and "case 5" in text:
                stop = "length"
            if "case " in text:
                time.sleep(self.server.wait_s)
                self.server.paid[model, text] += 1
        message = {"role": "assistant", "content": said}
        choice = {"index": 0, "message": message, "finish_reason": stop}
        usage = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
        head = {"id": "1", "object": "chat.completion", "created": 1, "model": model}
        return self._send(200, head | {"choices": [choice], "usage": usage})

    def _send(self, status, content):
        raw = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)


@pytest.fixture
def endpoint():
    with Endpoint() as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


@pytest.fixture(scope="module")
def ready(bundled, tmp_path_factory):
    """The environment that the package's own command makes, once for all tests."""
    folder = tmp_path_factory.mktemp("open")
    content = build_open(open_test(bundled, "healthbench-hard"))
    unzipped(content, folder)
    made = subprocess.run(["./run"], cwd=folder, capture_output=True, text=True, check=False)
    if "Could not find a version" in made.stderr or "No matching distribution" in made.stderr:
        pytest.skip("no package registry can be reached from here")
    # Without a key it says which are missing, a sentence each.
    assert made.returncode == 2, made.stderr
    assert "GPT-5.2: set AZUREAI_OPENAI_API_KEY and" in made.stderr
    assert "Traceback" not in made.stderr
    return folder / ".venv"


def unzipped(content, folder):
    folder.mkdir(exist_ok=True)
    zipfile.ZipFile(io.BytesIO(content)).extractall(folder)
    (folder / "run").chmod(0o755)  # as unzip leaves it


def environment(folder, endpoint, **more):
    (folder / "home").mkdir(exist_ok=True)
    url = f"http://127.0.0.1:{endpoint.server_port}/v1"
    given = {"ENDPOINT_BASE_URL": url, "ENDPOINT_API_KEY": "right", "HOME": str(folder / "home")}
    return {**os.environ, **given, **more}


def run(folder, endpoint, ready, *, status=0, **more):
    if not (folder / ".venv").exists():
        (folder / ".venv").symlink_to(ready)
    done = subprocess.run(
        ["./run"],
        cwd=folder,
        env=environment(folder, endpoint, **more),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == status, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout if status in (0, 1) else done.stderr


def conversations(path):
    rubrics = [("is right", 5), ("is kind", 3), ("is unsafe", -6)]
    lines = [
        {
            "prompt_id": f"conversation-{i}",
            "prompt": [{"role": "user", "content": f"This is case {i}. What now?"}],
            "rubrics": [{"criterion": c, "points": p, "tags": []} for c, p in rubrics[: 2 + i % 2]],
            "example_tags": [],
        }
        for i in range(10)
    ]
    path.write_text("\n".join(map(json.dumps, lines)), "utf-8")
    return path


def results_of(folder):
    logs = sorted((folder / "logs").glob("*.eval"))
    return together(take([(log.name, log.read_bytes()) for log in logs]))


@pytest.mark.tools
def test_healthbench_of_three_models_is_read_back_as_computed_by_hand(
    bundled, endpoint, ready, tmp_path
):
    test = open_test(bundled, "healthbench-hard", n_cases=10)
    unzipped(build_open(test), tmp_path)
    said = run(tmp_path, endpoint, ready, CASES_FILE=str(conversations(tmp_path / "cases.jsonl")))
    assert [f"{it.name}: 10 of 10 cases answered" in said for it in test.models] == [True] * 3
    results = results_of(tmp_path)
    names = [it.name for it in test.models]
    assert {*results.frame["model"]} == {*names}
    scores = results.frame.pivot(index="item", columns="model", values="score")
    # A good answer has the first criterion of 5 and not the others: 5 of 8. A poor one has the
    # others: 3 of 8, and where the third is asked, which takes 6 away, -3 of 8.
    odd = scores.index.str[-1].astype(int) % 2 == 1
    assert (scores.loc[:, names[0]] == 5 / 8).all()
    for name in names[1:]:
        poor = scores[name] != 5 / 8
        assert (scores.loc[poor & odd, name] == -3 / 8).all()
        assert (scores.loc[poor & ~odd, name] == 3 / 8).all()
        gaps = (scores[name] - scores[names[0]]).to_numpy()
        found = verdict(results, name, names[0], 0.1, planned=10, candidates=names[1:])
        assert found.difference.difference == pytest.approx(np.mean(gaps), abs=1e-9)
        assert found.scores_a - found.scores_b == pytest.approx(gaps, abs=1e-9)
        # Of so few cases the interval is at least Student's, of 9 degrees of freedom.
        error = 2.2621571627409915 * np.std(gaps, ddof=1) / np.sqrt(10)
        assert found.difference.ci_low <= np.mean(gaps) - error + 1e-9
        assert found.difference.ci_high >= np.mean(gaps) + error - 1e-9


def written(folder):
    """Write six conversations of our own in the layout of ACI-Bench, whose texts are not ours."""
    (folder / "cases").mkdir()
    for number, name in enumerate(("taskB_test1", "taskC_test2", "taskC_test3")):
        begins = "clef" if number == 2 else "clinicalnlp"
        rows = [
            ["ours", f"D{i}", f"[doctor] case {i} , refuse or cut ?", f"Fact {i}."]
            for i in range(2 * number, 2 * number + 2)
        ]
        with (folder / "cases" / f"aci-bench-{begins}_{name}.csv").open("w", newline="") as file:
            csv.writer(file).writerows([["dataset", "encounter_id", "dialogue", "note"], *rows])


@pytest.mark.tools
def test_notes_are_judged_rated_and_nothing_is_paid_twice(bundled, endpoint, ready, tmp_path):
    unzipped(build_open(open_test(bundled, raters=2)), tmp_path)
    written(tmp_path)
    endpoint.wait_s = 0.6
    (tmp_path / ".venv").symlink_to(ready)
    begun = subprocess.Popen(
        ["./run"],
        cwd=tmp_path,
        env=environment(tmp_path, endpoint, CONNECTIONS="1"),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    deadline = time.monotonic() + 180
    while sum(endpoint.paid.values()) < 6 and time.monotonic() < deadline:
        time.sleep(0.05)
    os.killpg(begun.pid, signal.SIGKILL)
    begun.wait()
    before = endpoint.paid.copy()
    assert 6 <= sum(before.values()) < 18
    endpoint.wait_s = 0.0
    said = run(tmp_path, endpoint, ready)
    assert said.count("6 of 6 cases answered and scored") == 3
    assert said.count("1 refused by the provider's filter") == 3
    assert said.count("1 cut at 16000 tokens") == 3
    again = [key for key, n in endpoint.paid.items() if n > 1]
    # What was on its way when the run was killed, at most one a model, may be asked again.
    assert len(again) <= 3
    scores = results_of(tmp_path).frame.pivot(index="item", columns="model", values="score")
    assert scores.shape == (6, 3)
    assert (scores["GPT-5.2"] == (8 - 1 - 1) / 8).all()
    # The sheets hold every answer without a name, and with the key they are read back.
    sheets = [(tmp_path / f"ratings-rater-{i}.csv").read_text("utf-8-sig") for i in (1, 2)]
    rows = [list(csv.DictReader(io.StringIO(text))) for text in sheets]
    assert [len(each) for each in rows] == [18, 18]
    assert [row["case"] for row in rows[0]] != [row["case"] for row in rows[1]]
    assert not any("GPT" in text for text in sheets)
    files = []
    for number, each in enumerate(rows, 1):
        out = io.StringIO()
        writer = csv.DictWriter(out, each[0])
        writer.writeheader()
        writer.writerows(row | {"rating": 5 if row["answer"] == "GOOD" else 2} for row in each)
        files.append((f"ratings-rater-{number}.csv", out.getvalue().encode()))
    texts = list(csv.DictReader((tmp_path / "cases-for-raters.csv").open(encoding="utf-8-sig")))
    assert {row["case"] for row in texts} == {row["case"] for row in rows[0]}
    assert all("doctor and a patient" in row["text"] and row["reference"] for row in texts)
    files.append(("key.csv", (tmp_path / "key/key.csv").read_bytes()))
    rated = together(take(files)).frame
    assert len(rated) == 36
    assert (rated.loc[rated["model"] == "GPT-5.2", "score"] == 1.0).all()


PUBMEDQA = "qiaojin/PubMedQA"


class Hub(BaseHTTPRequestHandler):
    """As much of the Hub as a data set of one file asks for, with questions of our own."""

    def log_message(self, *_):
        pass

    def do_HEAD(self):
        self._answer(b"")

    def do_GET(self):
        self._answer(None)

    def _answer(self, body):
        place = self.path.partition("?")[0]
        files, status = self.server.files, 200
        if "/resolve/" in place:
            name = place.partition("/resolve/")[2].partition("/")[2]
            content, status = (files[name], 200) if name in files else (b"", 404)
        elif "/tree/" in place:
            under = place.partition("/tree/")[2].partition("/")[2]
            every = [
                {"type": "file", "path": name, "size": len(it), "oid": hashlib.sha1(it).hexdigest()}
                for name, it in files.items()
                if name.startswith(under)
            ]
            content = json.dumps(every).encode()
        else:
            siblings = [{"rfilename": name} for name in files]
            content = json.dumps({"id": PUBMEDQA, "sha": REVISION, "siblings": siblings}).encode()
        self.send_response(status)
        self.send_header("etag", f'"{hashlib.sha256(content).hexdigest()}"')
        self.send_header("x-repo-commit", REVISION)
        if status == 404:
            self.send_header("x-error-code", "EntryNotFound")
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content if body is None else body)


REVISION = "9001f2853fb87cab8d220904e0de81ac6973b318"
CARD = b"""---
configs:
- config_name: pqa_labeled
  data_files:
  - split: train
    path: pqa_labeled/train.parquet
---
"""


@pytest.fixture
def hub(ready):
    """Serve eight questions of ours under ids that the tool's task takes for its test set."""
    (ids,) = ready.glob("lib/python*/site-packages/inspect_evals/pubmedqa/data/test_ground*.json")
    rows = [
        {
            "pubid": int(name),
            "question": f"Does case {i} hold?",
            "context": {"contexts": [f"Study {i}."]},
            "long_answer": "It does.",
            "final_decision": ("yes", "no", "maybe", "yes")[i % 4],
        }
        for i, name in enumerate(list(json.loads(ids.read_text("utf-8")))[:8])
    ]
    raw = io.BytesIO()
    pd.DataFrame(rows).to_parquet(raw)
    with ThreadingHTTPServer(("127.0.0.1", 0), Hub) as server:
        server.files = {"README.md": CARD, "pqa_labeled/train.parquet": raw.getvalue()}
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.mark.tools
def test_right_or_wrong_is_counted_as_by_hand(bundled, endpoint, ready, hub, tmp_path):
    test = open_test(bundled, "pubmedqa", n_cases=8)
    assert test.judge is None
    unzipped(build_open(test), tmp_path)
    said = run(tmp_path, endpoint, ready, HF_ENDPOINT=hub, HF_HOME=str(tmp_path / "hf"))
    assert said.count("8 of 8 cases answered") == 3
    results = results_of(tmp_path)
    # GPT-5.2 says A, which is yes: right on half of them. The others say B, which is no: on two.
    means = results.frame.groupby("model")["score"].mean()
    assert means.loc[[it.name for it in test.models]].tolist() == [0.5, 0.25, 0.25]
    assert results.case_sets == ("pubmedqa",)
    found = verdict(results, test.models[1].name, "GPT-5.2", 0.1, planned=8, candidates=())
    both = found.table
    assert (both.both, both.only_a, both.only_b, both.neither) == (0, 2, 4, 2)


def own_package(bundled, folder, judged, raters):
    models = (("GPT-5.2", "azure:azure/gpt-5.2"), ("Own model", "vendor/own-model"))
    rest = (Basis("assumed", 0.25), raters, 5.0, "analysis", "stopping", DAY)
    agreed = Protocol("notes", models, judged, 0.1, 0.0, 0.8, 6, *rest)
    unzipped(build_package(agreed, open_cases.calls_of(bundled, agreed)), folder)
    return agreed


def put_in(folder, rows, separator=","):
    with (folder / "cases.csv").open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.writer(file, delimiter=separator, lineterminator="\r\n")
        writer.writerows([CASES_FILE, *rows])


def of_own(n=6):
    """Cases of our own: two of one patient, and what a model says to them as the reference."""
    patients = ("p1", "p1", *[""] * n)
    return [
        (f"case-{i:03}", patients[i - 1], f"=Grüße, „case {i}“\nin two lines, 100 %", "GOOD")
        for i in range(1, n + 1)
    ]


@pytest.mark.tools
def test_own_cases_are_asked_by_one_command_rated_and_read_back(bundled, endpoint, ready, tmp_path):
    agreed = own_package(bundled, tmp_path, "rubric", 2)
    put_in(tmp_path, of_own(), ";")
    said = run(tmp_path, endpoint, ready)
    assert said.count("6 of 6 cases answered.") == 2
    assert "Upload the completed sheets with key/key.csv under Local test" in said
    # Nothing scores the answers, and the prompt has the case as it is written.
    asked = {text for _, text in endpoint.paid}
    prompt = (tmp_path / "prompt.txt").read_text("utf-8")
    assert asked == {prompt.replace("{input}", row[2]) for row in of_own()}
    files = []
    for rater in (1, 2):
        path = tmp_path / f"ratings-rater-{rater}.csv"
        rows = list(csv.DictReader(path.open(encoding="utf-8-sig", newline="")))
        assert [row["patient"] for row in rows if row["case"] == "case-002"] == ["p1", "p1"]
        out = io.StringIO()
        writer = csv.DictWriter(out, rows[0])
        writer.writeheader()
        writer.writerows(row | {"rating": 5 if row["answer"] == "GOOD" else 2} for row in rows)
        files.append((path.name, out.getvalue().encode()))
    files.append(("key.csv", (tmp_path / "key/key.csv").read_bytes()))
    rated = together(take(files))
    means = rated.frame.groupby("model")["score"].mean()
    # Marks of 1 to 5 are shares of 0 to 1: GPT-5.2 always says GOOD, the other now and then.
    assert means["GPT-5.2"] == 1.0
    n_good = sum(int(hashlib.sha256(it.encode()).hexdigest(), 16) % 3 == 0 for it in asked)
    assert means["Own model"] == pytest.approx((n_good + (6 - n_good) / 4) / 6, abs=1e-12)
    found = verdict(rated, "Own model", "GPT-5.2", 0.1, planned=agreed.n_cases, candidates=())
    assert found.n_patients == (2, 1)


@pytest.mark.tools
def test_own_answers_are_right_or_wrong_by_the_reference(bundled, endpoint, ready, tmp_path):
    own_package(bundled, tmp_path, "right/wrong", 0)
    rows = of_own()
    rows[4] = (*rows[4][:3], "something else")
    put_in(tmp_path, rows)
    alike = run(tmp_path, endpoint, ready, status=2, MODEL_2="openai-api/endpoint/gpt-5.2")
    assert alike.strip() == "Own model: openai-api/endpoint/gpt-5.2 is another model's, too."
    said = run(tmp_path, endpoint, ready)
    assert said.count("6 of 6 cases answered and scored.") == 2
    assert not list(tmp_path.glob("ratings*"))
    results = results_of(tmp_path)
    scores = results.frame.pivot(index="item", columns="model", values="score")
    assert list(scores.columns) == ["GPT-5.2", "Own model"]
    assert scores["GPT-5.2"].tolist() == [1, 1, 1, 1, 0, 1]
    assert set(scores["Own model"]) == {0, 1}
    assert results.case_sets == ()


@pytest.mark.tools
def test_what_is_wrong_with_own_cases_is_one_sentence_and_costs_nothing(
    bundled, endpoint, ready, tmp_path
):
    own_package(bundled, tmp_path, "right/wrong", 1)
    (tmp_path / ".venv").symlink_to(ready)
    first, second, *_ = of_own()
    for rows, words in (
        (None, "cases.csv, row 2: this is a made-up example; replace or delete it."),
        ([first, first], "cases.csv, row 3: case-001 comes twice."),
        ([first, ("", *second[1:])], "cases.csv, row 3: it has no case id."),
        ([(*first[:2], " ", "x")], "cases.csv, row 2: there is nothing to ask."),
        ([(*first[:3], "")], "cases.csv, row 2: there is no right answer in the column reference."),
        ([], "cases.csv: the first line must be case,patient,input,reference, and cases follow."),
        (b"case;\xff", "cases.csv is not UTF-8: save it as CSV UTF-8, or as UTF-8."),
    ):
        if isinstance(rows, bytes):
            (tmp_path / "cases.csv").write_bytes(rows)
        elif rows is not None:
            put_in(tmp_path, rows)
        done = subprocess.run(
            ["./run"],
            cwd=tmp_path,
            env=environment(tmp_path, endpoint),
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode, done.stderr.strip()) == (1, words)
    assert not endpoint.paid


@pytest.mark.tools
def test_what_an_endpoint_refuses_is_one_sentence(bundled, endpoint, ready, tmp_path):
    unzipped(build_open(open_test(bundled)), tmp_path)
    written(tmp_path)
    wrong = run(tmp_path, endpoint, ready, status=2, ENDPOINT_API_KEY="wrong")
    lines = wrong.strip().splitlines()
    assert len(lines) == 4
    assert lines[0].startswith("GPT-5.2 (openai-api/endpoint/gpt-5.2): the key was refused:")
    busy = run(tmp_path, endpoint, ready, status=2, MODEL_2="openai-api/endpoint/busy")
    assert busy.strip().startswith("DeepSeek V3.2 (openai-api/endpoint/busy): too many requests:")
    assert not endpoint.paid
