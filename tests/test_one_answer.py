"""One question, one answer: the command line, the link and the CSV say the same.

Memo and workbook are held against the CSV, and the receipt against its link, in tests/sharing.
"""

import csv
import io
import json
from dataclasses import fields
from datetime import date

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
    "documentation with a budget and a BAA": (
        f"{ADDRESS}?task=Documentation&budget=400&gates=Business+associate+agreement"
        "&sale_on=2026-01-31&prices=2026-11-21",
        (
            *("--suite", "medhelm", "--task", "documentation", "--monthly-budget-usd", "400"),
            *("--gates", "baa", "--on-sale-on", "2026-01-31"),
        ),
    ),
    "our own servers": (
        f"{ADDRESS}?evidence=BRIDGE&access=Our+own+servers+only&max_params=40+B&sale_on=2026-11-22",
        (
            *("--suite", "bridge", "--where", "own", "--max-params-b", "40"),
            *("--on-sale-on", "2026-11-22"),
        ),
    ),
    "decision support": (
        f"{ADDRESS}?sale_on=2026-01-31&task=Decision+support",
        (
            *("--suite", "medhelm", "--on-sale-on", "2026-01-31"),
            *("--weight", "Clinical Decision Support=1"),
        ),
    ),
    "what the evidence does not separate": (
        f"{ADDRESS}?evidence=NOHARM%2C+safety&sale_on=2026-11-22",
        ("--suite", "noharm", "--on-sale-on", "2026-11-22"),
    ),
}
STRENGTHS = dict(zip(QUESTIONS, ("take", "take", "choose", "shortlist"), strict=True))


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
    return whole, options, asked, on, recommend.recommendation(bundled, asked, on)


def named(found):
    """Return what is decided on each model, with its score and its cost, as the core has them."""
    return {
        each.model.id: (words, each.score, (each.cost.low, each.cost.likely, each.cost.high))
        for words, each in found.decisions()
    }


def told_of(found, on):
    return [headline(found), *alerts(found, on)]


def test_each_question_has_an_answer_that_obeys_it(question, request):
    """Of every strength, so that none of these tests compares nothing with nothing."""
    _, _, asked, _, found = question
    assert found.strength == STRENGTHS[request.node.callspec.params["question"]]
    first = found.take or found.test_these[0]
    assert first.score
    assert found.shortlist.n_fit > 1
    assert len(named(found)) > 1 or asked.gates or asked.access == "own"
    if found.take:
        assert found.take.cost.for_budget
    if asked.gates:
        assert asked.gates == ("baa",)
        assert first.cost.likely <= 400
        assert first.routes[0].status in ("passes", "conditional")
        assert first.cost.platform == first.routes[0].platform
    assert (first.cost.cost_is == "own servers") == (asked.access == "own")


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
