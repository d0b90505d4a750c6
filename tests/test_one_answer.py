"""One question, one answer: command line, link, CSV, memo, workbook and receipt say the same."""

import csv
import html
import io
import re
from datetime import date

import openpyxl
import pytest

from core.answers import data, recommend
from core.answers import documents as documents_answers
from core.procurement.reasons import estimate
from core.sharing.link import from_query, parse_url, to_query, to_url
from core.sharing.wording import points

pytestmark = pytest.mark.documents

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
    whole = documents_answers.shortlist_link(bundled, asked, on, link)
    asked = from_query(parse_url(whole), bundled.catalogue, bundled.snapshots).requirements
    return whole, options, asked, on, recommend.recommendation(bundled, asked, on)


def figures(take):
    """Return the model with its score and its cost, as the core has them."""
    return take.model.id, take.score, (take.cost.low, take.cost.likely, take.cost.high)


def test_each_question_has_an_answer_with_a_cost(question):
    """And a different one each, so that none of these tests compares nothing with nothing."""
    *_, found = question
    assert found.take
    assert found.take.cost.likely
    assert found.take.score
    assert found.n_fit > 1


def test_the_budget_the_agreement_and_the_place_were_obeyed(question):
    _, _, asked, _, found = question
    if asked.gates:
        assert asked.gates == ("baa",)
        assert found.take.cost.likely <= 400
        assert found.take.row.routes[0].status in ("passes", "conditional", "open")
        assert found.take.cost.platform == found.take.row.routes[0].platform
    assert (found.take.cost.cost_is == "own servers") == (asked.access == "own")


def test_the_link_read_back_asks_the_same_and_is_answered_the_same(question, bundled):
    link, _, asked, on, found = question
    again = from_query(parse_url(link), bundled.catalogue, bundled.snapshots)
    assert (again.requirements, again.notes) == (asked, ())
    query = to_query(asked, bundled.catalogue, bundled.snapshot(asked.suite))
    assert parse_url(to_url(ADDRESS, query)) == parse_url(link)
    told = recommend.recommendation(bundled, again.requirements, on)
    assert figures(told.take) == figures(found.take)
    assert told.headline == found.headline


def test_the_command_line_names_the_same(question, ask):
    link, options, _, _, found = question
    by_link = ask("recommend", "--link", link)
    documents = [by_link]
    if options:
        documents.append(ask("recommend", *options))
    for document in documents:
        entry = document["take"]
        cost = tuple(entry["monthly_cost_usd"][key] for key in ("low", "likely", "high"))
        assert (entry["model"], entry["score"], cost) == figures(found.take)
        assert document["headline"] == found.headline
        assert entry["from_whom"] == found.take.cost.from_whom
        assert [e["model"] for e in document["as_good"]] == [e.model.id for e in found.as_good]


def taken(line):
    """Return the same figures from a line of the CSV."""
    cost = tuple(float(line[f"monthly_cost_{key}"]) for key in ("low", "usd", "high"))
    return line["model"], float(line["score"]), cost


def read(text):
    return list(csv.DictReader(io.StringIO(text.removeprefix("\ufeff"), newline="")))


def test_the_csv_names_the_same(question, cli, bundled):
    link, options, asked, on, found = question
    ours = documents_answers.shortlist_records(bundled, asked, on, link)
    (ours,) = [row for row in ours if row["decision"] == "take"]
    cost = tuple(ours[f"monthly_cost_{key}"] for key in ("low", "usd", "high"))
    assert (ours["model"], ours["score"], cost) == figures(found.take)
    for arguments in (("--link", link), *([options] if options else [])):
        status, out, err = cli("shortlist", *arguments, "--csv")
        assert (status, err) == (0, "")
        (line,) = [row for row in read(out) if row["decision"] == "take"]
        assert taken(line) == figures(found.take)
        assert line["cost_from"] == found.take.cost.from_whom


def test_the_memo_names_the_same(question, bundled):
    link, _, asked, on, found = question
    document = documents_answers.memo_html(bundled, asked, on, made_on=on, address=link)
    text = " ".join(html.unescape(re.sub(r"<[^>]+>", " ", document)).split())
    assert " ".join(found.headline.split()) in text
    assert f"Why {found.take.model.name}" in text
    rows = re.findall(r'<tr class="model[^"]*">(.*?)</tr>', document, re.DOTALL)
    cells = [html.unescape(re.sub(r"<[^>]+>", " ", cell)) for cell in rows[0].split("</td>")]
    assert found.take.model.name in cells[0]
    assert cells[2].strip() == points(found.take.score)
    assert f"{estimate(found.take.cost.likely)} a month" in cells[5]
    assert found.take.cost.from_whom in cells[5]


def test_the_first_sheet_of_the_workbook_names_the_same(question, bundled):
    link, _, asked, on, found = question
    raw = documents_answers.workbook(bundled, asked, on, made_on=on, address=link)
    book = openpyxl.load_workbook(io.BytesIO(raw))
    head, lead, first, *_ = book.worksheets[0].iter_rows(values_only=True)
    line = dict(zip(head, first, strict=True))
    assert dict(zip(head, lead, strict=True))["text"] == found.headline
    assert (line["decision"], line["model"]) == ("take", found.take.model.id)
    assert line["points"] == pytest.approx(found.take.score * 100)
    assert line["cost_usd_per_month"] == found.take.cost.likely
    head, *rest = book["Shortlist"].iter_rows(values_only=True)
    (row,) = [
        row for row in (dict(zip(head, r, strict=True)) for r in rest) if row["decision"] == "take"
    ]
    cost = tuple(row[f"monthly_cost_{key}"] for key in ("low", "usd", "high"))
    assert (row["model"], row["score"], cost) == figures(found.take)


def test_the_receipt_is_that_of_this_answer_whoever_writes_it(question, bundled):
    """The same number from the page's link and from its copy elsewhere; its link asks the same."""
    link, _, asked, on, found = question
    ours = documents_answers.receipt(bundled, asked, on, made_on=on, address=link)
    query = parse_url(ours.link)
    again = from_query(query, bundled.catalogue, bundled.snapshots).requirements
    theirs = documents_answers.receipt(
        bundled, again, data.day_of_prices(again, date(2027, 1, 1)), made_on=date(2027, 1, 1)
    )
    assert theirs.number == ours.number
    told = recommend.recommendation(bundled, again, on)
    assert figures(told.take) == figures(found.take)
    memo = documents_answers.memo_html(bundled, asked, on, made_on=on, address=link)
    assert ours.in_groups() in memo
    raw = documents_answers.workbook(bundled, asked, on, made_on=on, address=link)
    book = openpyxl.load_workbook(io.BytesIO(raw))
    receipt = dict(row for row in book["Receipt"].iter_rows(min_row=2, values_only=True))
    assert receipt["Number"] == ours.in_groups()
    assert receipt["Link"] == ours.link


def test_another_model_in_use_is_another_answer_everywhere(ask):
    """The comparison is no tautology: another question has another answer."""
    link = f"{ADDRESS}?sale_on=2026-01-31"
    usual = ask("recommend", "--link", link)
    other = ask("recommend", "--link", f"{link}&access=Our+own+servers+only")
    assert usual["take"]["model"] != other["take"]["model"]
