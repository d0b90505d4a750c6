"""One question, one answer: in the command line, the link and the CSV, and in every process.

Memo and workbook are held against the CSV, and the receipt against its link, in tests/sharing.
"""

import csv
import io
import json
import os
import subprocess
import sys
from dataclasses import fields
from datetime import date
from pathlib import Path

import pytest

from core.answers import data, documents, recommend
from core.answers.local_test import worth_of
from core.domain import choice
from core.sharing import export
from core.sharing.link import from_query, parse_url
from core.upkeep import today
from core.words.recommendation import alerts, headline

ADDRESS = "https://formulary.example.org/shortlist"
# What is asked, as a link and on the command line.
QUESTIONS = {
    "take": (
        f"{ADDRESS}?task=Documentation&budget=400&gates=Business+associate+agreement"
        "&sale_on=2026-01-31&prices=2026-11-21",
        (
            *("--suite", "medhelm", "--task", "documentation", "--monthly-budget-usd", "400"),
            *("--gates", "baa", "--on-sale-on", "2026-01-31"),
        ),
    ),
    "choose": (
        f"{ADDRESS}?sale_on=2026-01-31&task=Decision+support",
        (
            *("--suite", "medhelm", "--on-sale-on", "2026-01-31"),
            *("--weight", "Clinical Decision Support=1"),
        ),
    ),
    "shortlist": (
        f"{ADDRESS}?evidence=NOHARM%2C+safety&sale_on=2026-11-22",
        ("--suite", "noharm", "--on-sale-on", "2026-11-22"),
    ),
}
"""By the strength of their answers."""


@pytest.fixture(scope="module", params=QUESTIONS)
def question(request, bundled):
    """The link with its evidence and day of prices, the options, and what the core answers."""
    link, options = QUESTIONS[request.param]
    opened = from_query(parse_url(link), bundled.catalogue, bundled.snapshots)
    assert opened.notes == ()
    asked = opened.requirements
    on = data.day_of_prices(asked, date(2026, 11, 22))
    whole = documents.shortlist_link(bundled, asked, on, link)
    asked = from_query(parse_url(whole), bundled.catalogue, bundled.snapshots).requirements
    found = recommend.recommendation(bundled, asked, on)
    assert (found.strength, found.shortlist.n_fit > 1) == (request.param, True)
    return whole, options, asked, on, found


def named(found):
    """Return what is decided on each model, with its score and its cost, as the core has them."""
    return {
        each.model.id: (words, each.score, (each.cost.low, each.cost.likely, each.cost.high))
        for words, each in found.decisions()
    }


def told_of(found, on):
    return [headline(found), *alerts(found, on)]


def test_the_command_line_says_the_same_to_programs_and_people(question, ask, bundled, cli):
    link, options, asked, on, found = question
    worth = worth_of(bundled, found, on)
    document = export.document(found, worth, on)
    assert ask("recommend", "--link", link) == json.loads(json.dumps(document))
    # The options name no day of the prices.
    now = recommend.recommendation(bundled, asked, today())
    document = export.document(now, worth_of(bundled, now, today()), today())
    assert ask("recommend", *options) == json.loads(json.dumps(document))
    status, out, err = cli("recommend", "--link", link)
    assert (status, err) == (0, "")
    lines = out.splitlines()
    told = told_of(found, on)
    # A link of another day says first what it took then.
    assert lines[0].startswith(f"As of {on.day} {on:%B %Y}")
    sentences = [line for line in lines[1:] if line in told]
    assert (lines[1], sentences) == (told[0], told)
    table = lines[1 + len(told) :]
    for words, each in found.decisions():
        assert any(line.split(each.model.name)[0].strip() == words for line in table)
    for arguments in (("--link", link), options):
        status, out, err = cli("shortlist", *arguments, "--csv")
        assert (status, err) == (0, "")
        lines = csv.DictReader(io.StringIO(out.removeprefix("\ufeff"), newline=""))
        decided = {}
        for line in filter(lambda line: line["decision"], lines):
            ends = (line[f"monthly_cost_{key}"] for key in ("low", "usd", "high"))
            cost = tuple(float(end) if end else None for end in ends)
            decided[line["model"]] = (line["decision"], float(line["score"]), cost)
        assert decided == named(found)


def test_the_parts_of_a_question_share_no_field_and_are_keys_of_their_own():
    parts = (choice.WORK, choice.WORKLOAD, choice.CONDITIONS, choice.SALE)
    names = [name for part in parts for name in part]
    assert len(names) == len(set(names))
    assert set(names) <= {field.name for field in fields(choice.Requirements)}


ROOT = Path(__file__).parents[1]
SOME = "only=GPT-4o+%282024-05-13%29&only=Gemini+2.0+Flash&only=Nobody&only=Nothing"
EVERYWHERE = (
    ("--suite", "medhelm", "--monthly-budget-usd", "300", "--on-sale-on", "2026-01-31"),
    ("--link", f"?{SOME}&sale=Not+asked"),
    ("--suite", "bridge", "--where", "own", "--max-params-b", "40"),
    ("--suite", "chi-bench"),
)
RUN = """
import json, sys
from core.__main__ import main
for question in json.loads(sys.argv[1]):
    for command in (["recommend", "--json"], ["shortlist", "--json"], ["shortlist", "--csv"]):
        print("status", main([*command, *question]), flush=True)
"""


def answers(folder, seed):
    """Everything that one process prints, from a store that it builds itself."""
    store = str(folder / f"{seed}.duckdb")
    done = subprocess.run(
        [sys.executable, "-c", RUN, json.dumps(EVERYWHERE)],
        env={**os.environ, "PYTHONHASHSEED": str(seed), "FORMULARY_STORE": store},
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    return done.stdout


@pytest.mark.slow
def test_no_answer_hangs_on_the_hash_seed(tmp_path):
    first, other = (answers(tmp_path, seed) for seed in (0, 1))
    assert first.count(b"status 0") == 3 * len(EVERYWHERE)
    # The rules whose lists come from sets: more than one model each, so that there is an order.
    assert first.count(b'"rule": "Reported by its own team"') > 4
    assert first.count(b'"rule": "Not in this evidence"') > 2
    assert other == first
