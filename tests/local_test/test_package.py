"""What the package of own cases holds, and that no name in it does anything."""

import csv
import importlib.util
import io
import itertools
import json
import re
import time
import zipfile
from dataclasses import replace
from datetime import date
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from core.answers.open_cases import calls_of
from core.domain import BadRequestError
from core.local_test import package
from core.local_test.open_cases import ToolCall, call_of
from core.local_test.plan import Basis, Protocol, TestedModel

HOSTILE = (
    "=cmd|' /C calc'!A0 'q' \"d\" $(touch owned)\n```\n`touch owned` 😀 {{env.HOME}} \u202e # : -"
)
PLAIN = "=cmd|' /C calc'!A0 'q' \"d\" $(touch owned) ''' 'touch owned' 😀 ((env.HOME)) # : -"
MODELS = (("GPT-5", "gpt-5-2025-08-07"), ("o3 | mini", ""), (HOSTILE, HOSTILE))
DAY = date(2026, 11, 23)
ASKED = (0.1, 0.0, 0.8, 12, Basis("assumed", 0.2), 2, 5.0, "analysis", "stopping", DAY)
MADE = Protocol("Discharge notes", MODELS, "rubric", *ASKED)
FILES = {
    *("README.md", "protocol.json", "cases.csv", "prompt.txt", "de-identification.md"),
    *("run", "run.ps1", "run.py", "own_cases.py", "requirements.txt", "test.json"),
}
ANY = ToolCall("", "", "openai-api/endpoint/", ("ENDPOINT_API_KEY",), "openai==3.57.0", "a note")


def built(made):
    return package.build_package(made, [call_of(TestedModel(*it), [ANY]) for it in made.models])


@cache
def opened(made):
    return zipfile.ZipFile(io.BytesIO(built(made)))


def text(made, name):
    return opened(made).read(name).decode("utf-8-sig")


def rows(made, name):
    return list(csv.DictReader(io.StringIO(text(made, name), newline="")))


@pytest.mark.parametrize("judged", ["rubric", "right/wrong"])
def test_it_holds_what_a_person_needs_and_nothing_else(judged):
    assert opened(replace(MADE, judged=judged)).namelist() == sorted(FILES)


@pytest.mark.slow
def test_equal_packages_are_equal_bytes_at_any_time():
    first = built(MADE)
    time.sleep(2.1)  # a zip's clock goes in steps of two seconds
    assert built(replace(MADE)) == first
    assert {entry.date_time for entry in opened(MADE).infolist()} == {(1980, 1, 1, 0, 0, 0)}
    assert built(replace(MADE, power=0.9)) != first


def test_the_case_file_names_every_case_and_says_what_is_made_up():
    found = rows(MADE, "cases.csv")
    assert tuple(found[0]) == ("case", "patient", "input", "reference")
    assert [row["case"] for row in found] == package.case_ids(12)
    assert all(row["input"].startswith("EXAMPLE, replace it: ") for row in found)
    for column in found[0]:
        assert f"| `{column}` |" in text(MADE, "README.md")


def test_no_name_is_in_a_command_or_breaks_its_line():
    readme = text(MADE, "README.md")
    blocks = re.findall(r"^```(\w+)\n(.*?)^```$", readme, re.S | re.M)
    assert [kind for kind, _ in blocks] == ["sh", "text"]
    assert blocks[0][1] == "./run          # Windows: .\\run.ps1\n"
    # The hostile name is whole and in one line, where the models are listed.
    assert f"Model 3: {PLAIN} (exact id: {PLAIN})\n" in blocks[1][1]
    assert f"| {PLAIN.replace('|', '/')} | fill in: set MODEL_3 | ENDPOINT_API_KEY |\n" in readme
    assert "| o3 / mini | fill in: set MODEL_2 |" in readme
    for name in ("run", "run.ps1", "run.py", "own_cases.py", "requirements.txt"):
        assert "owned" not in text(MADE, name)
        assert "GPT-5" not in text(MADE, name)


def test_no_exact_id_is_invented():
    readme = text(MADE, "README.md")
    assert "o3 | mini (exact id: not known; fix it before you start)" in readme
    assert readme.count("fill in: set MODEL_") == 3
    test = json.loads(text(MADE, "test.json"))
    assert [it["call"] for it in test["models"]] == ["", "", ""]
    # What is agreed is asked for at an address of one's own.
    assert test["models"][0]["served"] == "gpt-5-2025-08-07"


def test_ids_are_filled_in_as_for_open_cases(bundled):
    models = (
        ("GPT-5.2", "azure:azure/gpt-5.2"),
        ("Claude", "aws:anthropic.claude-opus-4-6-v1"),
        ("Llama", "meta-llama/Llama-3.3-70B-Instruct"),
    )
    made = replace(MADE, models=models)
    found = zipfile.ZipFile(io.BytesIO(package.build_package(made, calls_of(bundled, made))))
    calls = [it["call"] for it in json.loads(found.read("test.json"))["models"]]
    assert calls == ["openai/azure/gpt-5.2", "bedrock/anthropic.claude-opus-4-6-v1", ""]
    needed = found.read("requirements.txt").decode().split()
    assert needed == ["aioboto3==15.5.0", "inspect-ai==0.3.285", "openai==3.57.0"]
    readme = found.read("README.md").decode()
    assert "| AZUREAI_OPENAI_API_KEY, AZUREAI_OPENAI_BASE_URL |" in readme
    assert "Python 3.11 or newer" in readme


@pytest.mark.parametrize(
    ("judged", "reply"), [("rubric", "with the text"), ("right/wrong", "with the answer alone")]
)
def test_the_prompt_is_an_instruction_that_the_buyer_replaces(judged, reply):
    made = replace(MADE, work="all kinds of work together", judged=judged)
    assert text(made, "prompt.txt").startswith(f"Do what the case below asks. Reply {reply}")
    assert "It is a placeholder: write in it what the models should do" in text(made, "README.md")


@pytest.mark.slow
@settings(max_examples=50, deadline=None)
@given(st.text(), st.text(min_size=1), st.sampled_from(["rubric", "right/wrong"]))
def test_any_name_and_any_work_are_one_line(name, work, judged):
    made = Protocol(f"w{work}", ((f"a{name}", name), ("b", name)), judged, *ASKED)
    said = re.findall(r"^Model \d: (.*) \(exact id: ", text(made, "README.md"), re.M)
    assert said == [package.plain_line(f"a{name}"), "b"]
    assert not set("".join(said)) & set("{}`\n\r")
    prompt = text(made, "prompt.txt")
    assert re.findall(r"[{}]\w*", prompt) == ["{input", "}"]
    fences = re.findall(r"^```", text(made, "README.md"), re.M)
    assert len(fences) == 4


@pytest.mark.parametrize("judged", ["rubric", "right/wrong"])
def test_the_programs_are_valid_and_alike_in_every_package(judged):
    made = replace(MADE, judged=judged)
    for name in ("own_cases.py", "run.py"):
        compile(text(made, name), name, "exec")
        assert text(made, name) == text(MADE, name)
    test = json.loads(text(made, "test.json"))
    assert test["scored"] == (judged == "right/wrong")
    # The orders of a protocol are its own, whoever makes the package again.
    assert test["seed"] == int(made.sha256[:8], 16)


def test_the_readme_says_everything_once_in_order():
    readme = text(MADE, "README.md")
    assert len(readme.splitlines()) <= 70
    assert re.findall(r"^## (\d)\. ", readme, re.M) == ["1", "2", "3", "4"]
    assert MADE.sha256 in readme
    assert not re.search("{{|{%", readme)
    for name in ("cases.csv", "de-identification.md", "prompt.txt", "key/key.csv", "logs"):
        assert f"`{name}`" in readme
    # All eighteen identifiers of safe harbor.
    found = re.findall(r"^- \[ \] ([A-R])\. ", text(MADE, "de-identification.md"), re.M)
    assert found == list("ABCDEFGHIJKLMNOPQR")


def test_its_protocol_is_the_one_that_was_agreed():
    made = replace(MADE, models=(("GPT-5", "gpt-5"), ("o3 | mini", "o3-mini")))
    assert Protocol.read(opened(made).read("protocol.json")) == made


@pytest.mark.parametrize("judged", ["rubric", "right/wrong"])
def test_where_nobody_rates_the_readme_sends_nobody_to_a_sheet(judged):
    readme = text(replace(MADE, judged=judged, raters=0), "README.md")
    assert re.findall(r"^## (\d)\. ", readme, re.M) == ["1", "2", "3"]
    assert not re.search(r"sheet|`key|ratings", readme)
    assert "the files of `logs`" in readme


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"models": (("a", "1"), ("a\n", "2"))}, 'Two models of the package have the name "a"'),
        ({"models": (("a", "1"), ("\n", "2"))}, "Every model of a package needs a name"),
        ({"work": " \u200b"}, "needs the work in words"),
        ({"n_cases": 0}, "1 to 100,000 cases, not 0"),
        ({"n_cases": 100_001}, "1 to 100,000 cases, not 100,001"),
    ],
)
def test_what_makes_no_package_is_said_in_one_sentence(change, words):
    with pytest.raises(BadRequestError, match=re.escape(words)):
        built(replace(MADE, **change))


def test_cases_are_numbered_with_three_digits_or_as_many_as_needed():
    assert package.case_ids(2) == ["case-001", "case-002"]
    assert package.case_ids(1000)[::999] == ["case-0001", "case-1000"]


CASES = package.case_ids(12)
NAMES = ("GPT-5", "o3", "Llama 3.3")
ANSWERS = {name: {case: f"{i} on {case}" for case in CASES} for i, name in enumerate(NAMES)}
ANSWERS["o3"]["case-002"] = "=1+1"
READ = {case: [f"What of {case}?", ""] for case in CASES}
PATIENTS = dict.fromkeys(CASES, "") | {"case-003": "p1"}


@pytest.fixture
def program(tmp_path):
    """The program of a package, unpacked, which writes the sheets when the run has ended."""
    opened(MADE).extractall(tmp_path)
    spec = importlib.util.spec_from_file_location("run_of_a_package", tmp_path / "run.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def written(folder, name):
    return list(csv.DictReader((folder / name).open(encoding="utf-8-sig", newline="")))


def test_sheets_hold_every_answer_blinded_and_the_key_lies_apart(program, tmp_path):
    program.sheets(ANSWERS, READ, PATIENTS)
    sheets = [written(tmp_path, f"ratings-rater-{rater}.csv") for rater in (1, 2)]
    key = {(it["case"], it["letter"]): it["model"] for it in written(tmp_path, "key/key.csv")}
    assert len(key) == 36
    for case in CASES:
        assert sorted(key[case, letter] for letter in "ABC") == sorted(NAMES)
    for rater, rows in enumerate(sheets, 1):
        assert tuple(rows[0]) == package.columns("rubric")
        assert [it["order"] for it in rows] == [str(i) for i in range(1, 37)]
        assert {(it["rater"], it["rating"], it["comment"]) for it in rows} == {(str(rater), "", "")}
        for it in rows:
            answer = ANSWERS[key[it["case"], it["letter"]]][it["case"]]
            assert it["answer"] == ("'=1+1" if answer == "=1+1" else answer)
            assert it["patient"] == PATIENTS[it["case"]]
        # The letters of a case lie next to each other, the cases in a random order.
        order = [it["case"] for it in rows[::3]]
        assert order != sorted(order) == CASES
        assert [it["case"] for it in rows] == [case for case in order for _ in "ABC"]
    assert [it["case"] for it in sheets[0]] != [it["case"] for it in sheets[1]]
    assert not any(name in json.dumps(sheets) for name in NAMES)
    assert written(tmp_path, "cases-for-raters.csv")[1]["text"] == "What of case-002?"


@pytest.mark.parametrize("n_raters", [1, 6])
def test_there_is_a_sheet_for_each_rater(program, tmp_path, n_raters):
    program.TEST["raters"] = n_raters
    program.sheets(ANSWERS, READ, PATIENTS)
    assert len(list(tmp_path.glob("ratings-rater-*.csv"))) == n_raters


def test_what_somebody_has_begun_to_rate_is_not_written_again(program, tmp_path):
    (tmp_path / "ratings-rater-1.csv").write_text("begun", "utf-8")
    program.sheets(ANSWERS, READ, PATIENTS)
    assert (tmp_path / "ratings-rater-1.csv").read_text("utf-8") == "begun"


def test_a_case_that_a_model_did_not_answer_is_on_no_sheet(program, tmp_path):
    answers = ANSWERS | {"o3": dict.fromkeys(CASES[1:], "an answer")}
    program.sheets(answers, READ, PATIENTS)
    rows = written(tmp_path, "ratings-rater-1.csv")
    assert {it["case"] for it in rows} == {*CASES[1:]}


def test_all_permutations_and_places_are_equally_likely(program, tmp_path):
    cases = CASES[:6]
    answers = {name: dict.fromkeys(cases, name) for name in "xyz"}
    orders, places = [], []
    for seed in range(300):
        program.HERE = tmp_path / str(seed)
        program.HERE.mkdir()
        program.TEST["seed"] = seed
        program.sheets(answers, {case: ["", ""] for case in cases}, dict.fromkeys(cases, ""))
        key = written(program.HERE, "key/key.csv")
        orders += ["".join(it["model"] for it in key if it["case"] == case) for case in cases]
        for rater in (1, 2):
            rows = written(program.HERE, f"ratings-rater-{rater}.csv")
            places.append([it["case"] for it in rows[::3]].index("case-001"))
    counts = [orders.count("".join(order)) for order in itertools.permutations("xyz")]
    assert sum(counts) == 1800
    assert stats.chisquare(counts).pvalue > 0.001
    # Neighbouring cases are permuted independently; every place is equally likely for a case.
    same = sum(orders[i] == orders[i + 1] for i in range(0, 1800, 2))
    assert stats.binomtest(same, 900, 1 / 6).pvalue > 0.001
    assert stats.chisquare([places.count(i) for i in range(6)]).pvalue > 0.001
