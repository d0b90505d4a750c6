"""What the package holds, its blinded sheets, and that no name in it does anything."""

import csv
import io
import itertools
import re
import shlex
import subprocess
import time
import zipfile
from dataclasses import replace
from datetime import date
from functools import cache

import openpyxl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from core.answers.open_cases import calls_of
from core.domain import BadRequestError
from core.local_test import package
from core.local_test.plan import Basis, Protocol

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
    *("ratings.xlsx", "ratings-rater-1.csv", "ratings-rater-2.csv"),
    *("key/key.csv", "key/KEEP-APART.md", "inspect/local_test.py"),
}


@cache
def opened(made):
    return zipfile.ZipFile(io.BytesIO(package.build_package(made)))


def text(made, name):
    return opened(made).read(name).decode("utf-8-sig")


def rows(made, name):
    return list(csv.DictReader(io.StringIO(text(made, name), newline="")))


@pytest.mark.parametrize("judged", ["rubric", "right/wrong"])
def test_it_holds_what_a_person_needs_and_nothing_else(judged):
    assert opened(replace(MADE, judged=judged)).namelist() == sorted(FILES)


@pytest.mark.slow
def test_equal_packages_are_equal_bytes_at_any_time():
    first = package.build_package(MADE)
    time.sleep(2.1)  # a zip's clock goes in steps of two seconds
    assert package.build_package(replace(MADE)) == first
    assert {entry.date_time for entry in opened(MADE).infolist()} == {(1980, 1, 1, 0, 0, 0)}
    assert package.build_package(replace(MADE, power=0.9)) != first


def test_the_case_file_names_every_case_and_says_what_is_made_up():
    found = rows(MADE, "cases.csv")
    assert tuple(found[0]) == ("case", "patient", "input", "reference")
    assert [row["case"] for row in found] == package.case_ids(12)
    assert all(row["input"].startswith("EXAMPLE, replace it: ") for row in found)
    for column in found[0]:
        assert f"| `{column}` |" in text(MADE, "README.md")


def test_no_model_is_named_on_what_raters_get():
    archive, key = opened(MADE), [row["model"] for row in rows(MADE, "key/key.csv")]
    assert key.count("GPT-5") == 12
    assert set(key) == {"GPT-5", "o3 | mini", "'" + PLAIN}  # a formula is text in the key
    sheets = {name: archive.read(name) for name in archive.namelist() if "ratings" in name}
    assert len(sheets) == 3
    raw = io.BytesIO(sheets.pop("ratings.xlsx"))
    inner = zipfile.ZipFile(raw)
    for content in [*sheets.values(), *(inner.read(name) for name in inner.namelist())]:
        for word in ("GPT", "gpt", "o3", "cmd"):
            assert word.encode() not in content
    # The workbook's cells, which the test of the sheets compares with their rows, are the CSV's.
    for rater, page in zip((1, 2), openpyxl.load_workbook(raw), strict=True):
        _, *cells = page.iter_rows(values_only=True)
        found = [tuple(row.values()) for row in rows(MADE, f"ratings-rater-{rater}.csv")]
        assert found == [tuple("" if c is None else str(c) for c in line) for line in cells]


def test_no_name_is_where_a_shell_reads():
    readme = text(MADE, "README.md")
    blocks = re.findall(r"^```(\w+)\n(.*?)^```$", readme, re.S | re.M)
    assert [kind for kind, _ in blocks] == ["text", "sh"]
    # The hostile name is in the first block, whole and in one line, and nowhere else.
    assert f"Model 3: {PLAIN} (exact id: {PLAIN})\n" in blocks[0][1]
    assert readme.count("touch owned") == 4
    commands = blocks[1][1]
    assert "touch" not in commands
    assert "GPT" not in commands
    for line in commands.splitlines():
        assert shlex.split(line)
    assert subprocess.run(["bash", "-nc", commands], check=False).returncode == 0


def test_no_exact_id_is_invented():
    readme = text(MADE, "README.md")
    assert "o3 | mini (exact id: not known; fix it before you start)" in readme
    assert readme.count("='FILL-IN'") == 3


def test_ids_are_filled_in_as_for_open_cases(bundled):
    models = (
        ("GPT-5.2", "azure:azure/gpt-5.2"),
        ("Claude", "aws:anthropic.claude-opus-4-6-v1"),
        ("Llama", "meta-llama/Llama-3.3-70B-Instruct"),
        ("Bad", "openai:x'; touch owned"),
    )
    made = replace(MADE, models=models)
    content = package.build_package(made, calls_of(bundled, made))
    readme = zipfile.ZipFile(io.BytesIO(content)).read("README.md").decode()
    assert re.findall(r"^export INSPECT_MODEL_\d='(.*)'$", readme, re.M) == [
        *("openai/azure/gpt-5.2", "bedrock/anthropic.claude-opus-4-6-v1", "FILL-IN", "FILL-IN")
    ]
    assert "pip install inspect-ai==0.3.285 'aioboto3==15.5.0' 'openai==3.57.0'\n" in readme
    assert "(AZUREAI_OPENAI_API_KEY, AZUREAI_OPENAI_BASE_URL, AWS_DEFAULT_REGION)" in readme
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
def test_the_task_of_the_tool_is_valid(judged):
    task = text(replace(MADE, judged=judged), "inspect/local_test.py")
    compile(task, "local_test.py", "exec")
    assert f'JUDGED = "{judged}"\n' in task


def test_the_readme_is_one_page_and_says_everything_once_in_order():
    readme = text(MADE, "README.md")
    assert len(readme.splitlines()) <= 60
    assert re.findall(r"^## (\d)\. ", readme, re.M) == ["1", "2", "3", "4"]
    assert MADE.sha256 in readme
    assert not re.search("{{|{%", readme)
    for name in ("cases.csv", "de-identification.md", "prompt.txt", "ratings.xlsx", "key/key.csv"):
        assert f"`{name}`" in readme
    # All eighteen identifiers of safe harbor.
    found = re.findall(r"^- \[ \] ([A-R])\. ", text(MADE, "de-identification.md"), re.M)
    assert found == list("ABCDEFGHIJKLMNOPQR")


def test_its_protocol_is_the_one_that_was_agreed():
    made = replace(MADE, models=(("GPT-5", "gpt-5"), ("o3 | mini", "o3-mini")))
    assert Protocol.read(opened(made).read("protocol.json")) == made


@pytest.mark.parametrize("judged", ["rubric", "right/wrong"])
def test_where_nobody_rates_the_readme_sends_nobody_to_a_sheet(judged):
    alone = replace(MADE, judged=judged, raters=0)
    assert set(opened(alone).namelist()) == {name for name in FILES if "key" not in name} - {
        *("ratings.xlsx", "ratings-rater-1.csv", "ratings-rater-2.csv")
    }
    readme = text(alone, "README.md")
    assert re.findall(r"^## (\d)\. ", readme, re.M) == ["1", "2", "3"]
    assert "as below" not in readme
    assert "`results/`" in readme


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
        package.build_package(replace(MADE, **change))


THREE = ("GPT-5", "o3", "Llama 3.3")
CASES = package.case_ids(12)


def letters(models, cases, seed):
    rows = package.key(models, cases, seed)
    return [tuple(r["model"] for r in rows if r["case"] == case) for case in cases]


def test_within_a_case_letters_and_models_pair_one_to_one():
    rows = package.key(THREE, CASES, 3)
    assert [(r["case"], r["letter"]) for r in rows] == [(c, x) for c in CASES for x in "ABC"]
    assert all(sorted(one) == sorted(THREE) for one in letters(THREE, CASES, 3))
    # Cases are numbered with three digits, or as many as there must be.
    assert package.case_ids(2) == ["case-001", "case-002"]
    assert package.case_ids(1000)[::999] == ["case-0001", "case-1000"]


def test_the_letters_and_orders_of_a_seed_stay_what_they_are():
    # A key that a later release makes again must not map ratings to other models. These come from
    # sha256sum: 1|letter|case-001|0 begins with ff2b, …|1 with 52df, so the second model is A;
    # case-002 31db and ec2c, case-003 5b5e and 0986; 1|order|1|case-001 9b5a, eac8 and 3d4b.
    cases = ["case-001", "case-002", "case-003"]
    assert letters(("a", "b"), cases, 1) == [("b", "a"), ("a", "b"), ("b", "a")]
    rows = package.sheet(cases, 2, 1, "rubric", 1)
    assert [r["case"] for r in rows[::2]] == ["case-003", "case-001", "case-002"]


def test_all_permutations_and_places_are_equally_likely():
    for models in ("wx", "wxy", "wxyz"):
        drawn = [one for seed in range(600) for one in letters(models, CASES[:4], seed)]
        counts = [drawn.count(order) for order in itertools.permutations(models)]
        assert sum(counts) == 2400
        assert stats.chisquare(counts).pvalue > 0.001
    # Neighbouring cases and seeds are permuted independently.
    drawn = [letters(("x", "y"), CASES[:2], seed) for seed in range(1000)]
    same = sum(first == second for first, second in drawn)
    assert stats.binomtest(same, 1000).pvalue > 0.001
    same = sum(drawn[i][0] == drawn[i + 1][0] for i in range(999))
    assert stats.binomtest(same, 999).pvalue > 0.001
    # Every place of the order is equally likely for a case.
    orders = (
        [r["case"] for r in package.sheet(CASES[:6], 2, rater, "rubric", seed)[::2]]
        for seed in range(600)
        for rater in (1, 2)
    )
    places = [order.index("case-001") for order in orders]
    assert stats.chisquare([places.count(i) for i in range(6)]).pvalue > 0.001


def test_raters_see_the_cases_in_different_orders_and_each_of_them_once():
    one, two = (package.sheet(CASES, 3, rater, "rubric", 3) for rater in (1, 2))
    assert [r["case"] for r in one] != [r["case"] for r in two]
    for rater, rows in ((1, one), (2, two)):
        assert [r["case"] for r in rows] != sorted(r["case"] for r in rows)
        assert sorted((r["case"], r["letter"]) for r in rows) == [
            (case, letter) for case in CASES for letter in "ABC"
        ]
        assert [r["order"] for r in rows] == list(range(1, 37))
        assert {r["rater"] for r in rows} == {rater}
        assert {(r["answer"], r["rating"], r["comment"]) for r in rows} == {(None,) * 3}


@pytest.mark.parametrize(
    ("judged", "column", "scale"),
    [("rubric", "rating", '"1,2,3,4,5"'), ("right/wrong", "right", '"1,0"')],
)
def test_the_workbook_has_a_sheet_a_rater_that_takes_only_the_scale(judged, column, scale):
    sheets = [package.sheet(CASES, 3, rater, judged, 3) for rater in (1, 2)]
    book = openpyxl.load_workbook(io.BytesIO(package.rating_workbook(sheets, judged)))
    assert book.sheetnames == ["Rater 1", "Rater 2"]
    for page, rows in zip(book, sheets, strict=True):
        head, *cells = page.iter_rows(values_only=True)
        assert head == ("rater", "order", "case", "letter", "answer", column, "comment", "patient")
        assert [dict(zip(head, line, strict=True)) for line in cells] == rows
        (rule,) = page.data_validations.dataValidation
        assert (rule.type, rule.formula1, str(rule.sqref)) == ("list", scale, "F2:F37")
        assert rule.showErrorMessage
