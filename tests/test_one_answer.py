"""One question, one answer: the command line, the link and the CSV say the same.

Memo and workbook are held against the CSV, and the receipt against its link, in tests/sharing.
"""

import csv
import io
from datetime import date

import pytest

from core.answers import data, documents, recommend
from core.sharing import decision
from core.sharing.link import from_query, parse_url, to_query, to_url
from core.upkeep import today

ADDRESS = "https://formulary.example.org/shortlist"
# What is asked, as a link and on the command line where its options can say it.
QUESTIONS = {
    "documentation with a budget and a BAA": (
        f"{ADDRESS}?task=Documentation&budget=400&gates=Business+associate+agreement"
        "&sale_on=2026-01-31&prices=2026-11-21",
        None,
    ),
    "our own servers": (
        f"{ADDRESS}?evidence=BRIDGE&access=Our+own+servers+only&max_params=40+B&sale_on=2026-11-22",
        (
            *("--suite", "bridge", "--where", "own", "--max-params-b", "40"),
            *("--on-sale-on", "2026-11-22"),
        ),
    ),
    "in place of nothing": (
        f"{ADDRESS}?sale_on=2026-01-31",
        ("--suite", "medhelm", "--on-sale-on", "2026-01-31"),
    ),
}


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


def figures(take):
    """Return the model with its score and its cost, as the core has them."""
    return take.model.id, take.score, (take.cost.low, take.cost.likely, take.cost.high)


def test_each_question_has_an_answer_that_obeys_it(question):
    """With a cost, so that none of these tests compares nothing with nothing."""
    _, _, asked, _, found = question
    take = found.take
    assert take.cost.likely
    assert take.score
    assert found.n_fit > 1
    if asked.gates:
        assert asked.gates == ("baa",)
        assert take.cost.likely <= 400
        assert take.row.routes[0].status in ("passes", "conditional", "open")
        assert take.cost.platform == take.row.routes[0].platform
    assert (take.cost.cost_is == "own servers") == (asked.access == "own")


def test_the_link_read_back_asks_the_same_and_is_answered_the_same(question, bundled):
    link, _, asked, on, found = question
    again = from_query(parse_url(link), bundled.catalogue, bundled.snapshots)
    assert (again.requirements, again.notes) == (asked, ())
    query = to_query(asked, bundled.catalogue, bundled.snapshot(asked.suite))
    assert parse_url(to_url(ADDRESS, query)) == parse_url(link)
    told = recommend.recommendation(bundled, again.requirements, on)
    assert figures(told.take) == figures(found.take)
    assert told.headline == found.headline


def test_the_command_line_gives_the_whole_document(question, ask, bundled):
    link, options, asked, _, found = question
    assert ask("recommend", "--link", link) == decision.document(found)
    if options:  # which name no day of the prices
        found = recommend.recommendation(bundled, asked, today())
        assert ask("recommend", *options) == decision.document(found)


def test_the_csv_names_the_same(question, cli):
    link, options, _, _, found = question
    for arguments in (("--link", link), *([options] if options else [])):
        status, out, err = cli("shortlist", *arguments, "--csv")
        assert (status, err) == (0, "")
        lines = csv.DictReader(io.StringIO(out.removeprefix("\ufeff"), newline=""))
        (line,) = [line for line in lines if line["decision"] == "take"]
        cost = tuple(float(line[f"monthly_cost_{key}"]) for key in ("low", "usd", "high"))
        assert (line["model"], float(line["score"]), cost) == figures(found.take)
        assert line["cost_from"] == found.take.cost.from_whom


def test_another_model_in_use_is_another_answer_everywhere(ask):
    """The comparison is no tautology: another question has another answer."""
    link = f"{ADDRESS}?sale_on=2026-01-31"
    usual = ask("recommend", "--link", link)
    other = ask("recommend", "--link", f"{link}&access=Our+own+servers+only")
    assert usual["take"]["model"] != other["take"]["model"]
