"""What a kept list took, takes today and has due, over the real facts of May and November 2026.

GPT-5 and GPT-5 mini end at OpenAI on 10 December 2026: on 1 May 2026 both have six months to go, on
23 November neither has. Azure sells GPT-5 mini until 13 July 2027, to those who have it there.
"""

import json
from dataclasses import replace
from datetime import UTC, date, datetime

import pytest

from core.answers import documents
from core.answers.asked import ask
from core.answers.market import market
from core.answers.watch import watch
from core.domain import Question, Taken
from core.saved import shelf
from core.saved.shelf import open_database, sqlite_url
from core.sharing import link
from core.sharing.export import calendar
from core.sharing.inputs import sale_label
from core.words.recommendation import due_in_words
from core.words.shortlist import then_and_today

MAY, NOVEMBER = date(2026, 5, 1), date(2026, 11, 23)
MINI, GPT_5 = "GPT-5 mini (2025-08-07)", "GPT-5 (2025-08-07)"
OPENAI = {"platform": "OpenAI API"}


@pytest.fixture
def to_keep(bundled):
    def to_keep(*, on=MAY, **query):
        asked = {"evidence": ["MedHELM"]} | {key: [value] for key, value in query.items()}
        opened = link.from_query(asked, bundled.catalogue, bundled.snapshots)
        assert not opened.notes
        return documents.to_keep(ask(bundled, opened.question, on), opened.evidence.name)

    return to_keep


@pytest.fixture
def kept(to_keep, tmp_path, monkeypatch):
    url = sqlite_url(tmp_path / "saved.sqlite")
    monkeypatch.setenv("FORMULARY_DATABASE_URL", url)
    database = open_database(url)

    def kept(name="Notes", *, on=MAY, change=None, **query):
        found = replace(to_keep(on=on, **query), **change or {})
        return shelf.save(database, found, name=name, note="", owner="", shared=False)

    kept.database = database
    yield kept
    database.engine.dispose()


def test_a_sale_that_ends_and_another_model_today_are_due(bundled, kept):
    kept(**OPENAI)
    ends, other = watch(bundled, NOVEMBER, 30)
    # GPT-5 mini ends at OpenAI, where its price is, on 10 December.
    assert (ends.what, ends.day, ends.then) == ("sale ends", "2026-12-10", MINI)
    assert due_in_words(ends, NOVEMBER) == (
        f"Notes: {MINI}: on sale until 10 December 2026, at OpenAI API."
    )
    assert (other.what, other.day, other.then) == ("take", "", f"take {MINI}")
    assert other.now != MINI
    # In ten days it does not end yet; that the answer is another is due all the same.
    assert [each.what for each in watch(bundled, NOVEMBER, 16)] == ["take"]
    assert watch(bundled, NOVEMBER, 17)[0].what == "sale ends"


def test_nothing_is_due_of_today_and_an_unaskable_list_says_why(bundled, kept):
    kept(on=NOVEMBER)
    kept("Other", on=NOVEMBER, sale=sale_label(None))
    assert [each for each in watch(bundled, NOVEMBER, 0) if each.what != "sale ends"] == []
    query = "evidence=MedHELM&category=Cooking&weight_Cooking=1&task=Own+weights"
    one = kept(change={"query": query})
    found = [each for each in watch(bundled, NOVEMBER, 0) if each.id == one.id]
    assert found
    assert all(due_in_words(each, NOVEMBER).endswith(".") for each in found)


def test_the_calendar_is_one_that_programs_read():
    """RFC 5545: lines of 75 octets, ends of line, escapes, whole days."""
    text = calendar(
        [("2026-12-10", "Notes; A, B\\C\nends " + "ü" * 60), ("2026-12-10", "Notes")],
        datetime(2026, 11, 23, 8, 5, tzinfo=UTC),
    )
    assert text.endswith("END:VCALENDAR\r\n")
    lines = text.split("\r\n")
    assert max(len(line.encode()) for line in lines) <= 75
    whole = text.replace("\r\n ", "").split("\r\n")
    assert whole.count("BEGIN:VEVENT") == whole.count("END:VEVENT") == 2
    assert "DTSTART;VALUE=DATE:20261210" in whole
    assert "DTSTAMP:20261123T080500Z" in whole
    assert "SUMMARY:Notes\\; A\\, B\\\\C ends " + "ü" * 60 in whole
    ids = [line for line in whole if line.startswith("UID:")]
    assert len(set(ids)) == 2


@pytest.mark.slow
def test_the_command_ends_with_1_where_anything_is_due(kept, cli, tmp_path):
    status, out, _ = cli("watch", "--json")
    assert (status, json.loads(out)) == (0, {"due_days": 30, "due": []})
    to = tmp_path / "due.ics"
    _, _, said = cli("watch", "--ics", str(to))
    assert said == f"No day is due, so {to} was not written.\n"
    assert not to.exists()
    kept(**OPENAI)
    status, out, _ = cli("watch", "--due-days", "400", "--ics", str(to), "--json")
    found = json.loads(out)["due"]
    assert status == 1
    assert {"sale ends", "take"} <= {each["what"] for each in found}
    assert to.read_bytes().startswith(b"BEGIN:VCALENDAR\r\n")
    assert cli("watch")[1].count("Notes") >= 1
    for wrong in (("--due-days", "-1"), ("--due-days", "9999"), ("--ics", "/no/folder/x.ics")):
        status, out, err = cli("watch", *wrong)
        assert (status, out, err.count("\n")) == (2, "", 1)


IN_MAY = "on sale until 10 December 2026, at OpenAI API"
AZURE = "Azure OpenAI / Azure AI Foundry"
LAST = f"for existing customers only, until 9 February 2027, at {AZURE} (read 2 September 2026)"


@pytest.fixture
def today(bundled):
    def today(to_keep, *before):
        return documents.take_today(bundled, to_keep.query, NOVEMBER, *before)

    return today


def test_a_model_whose_sale_ends_too_soon_is_no_longer_to_take(bundled, to_keep, today):
    asked = to_keep(**OPENAI)
    took = documents.as_recorded(bundled, asked.records)
    assert (took.name, took.sale, took.until) == (MINI, IN_MAY, "2026-12-10")
    (row,) = [row for row in asked.records if row["name"] == MINI]
    assert row["on_sale_read_on"] == "2026-11-01"
    now = today(asked, MINI)
    assert (now.not_taken.rule, documents.changes_between(took, now)) == ("sale", ("take",))
    # The link of that day says the same, with both answers.
    said = then_and_today("2026-05-01", took, now, documents.changes_between(took, now))
    assert said.startswith(f"As of 1 May 2026: take {MINI}. Today: no model, because {MINI} is on ")
    assert "on sale only until 10 December 2026, at OpenAI API" in said


@pytest.mark.parametrize(
    ("then", "why"),
    [("DeepSeek R1 (2025-01-20)", "sale"), ("Qwen2.5-72B-Instruct", None)],
    ids=["a platform ends it", "no platform is known to sell it"],
)
def test_over_all_evidence_only_an_end_of_sale_is_the_reason(bundled, then, why):
    """Both are to be asked about today; what no platform has ended was never said to be sold."""
    asked = ask(bundled, Question.of(suite="", task="documentation"), NOVEMBER)
    assert then in {each.model.name for each in market(asked).ask}
    out = documents.taken(asked, then).not_taken
    assert (out and out.rule) == why


def test_what_is_to_take_today_has_its_price_and_sale(bundled, to_keep, today):
    found = today(to_keep(sale=sale_label(1)))
    assert (found.name, found.test_these) == ("", (GPT_5, MINI))
    assert (found.first, found.sale, found.notes) == (GPT_5, LAST, ())
    # Kept today, the same question records the same model, at the same price.
    row = documents.as_recorded(bundled, to_keep(on=NOVEMBER, sale=sale_label(1)).records)
    assert (row.first, row.sale, row.monthly_usd) == (GPT_5, found.sale, found.monthly_usd)
    assert documents.changes_between(row, found) == ()


def test_what_was_not_recorded_is_no_guess(bundled, to_keep):
    rows = to_keep().records
    none = documents.as_recorded(bundled, [row | {"decision": None} for row in rows])
    assert (none.name, none.test_these) == ("", ())
    assert documents.as_recorded(bundled, []) == Taken("")
    # Of several to choose from the first was to take.
    rows = [{"name": "a", "decision": "choose"}, {"name": "b", "decision": "choose first"}]
    assert documents.as_recorded(bundled, rows).name == "b"


@pytest.mark.parametrize(
    ("now", "changed"),
    [
        ({}, ()),
        # Within 1 % a price is the same; what is not known is not a price.
        *[({"monthly_usd": usd}, ()) for usd in (100.9, 99.1)],
        *[({"monthly_usd": usd}, ("price",)) for usd in (101.1, 98.9, None)],
        ({"until": "2027-01-01", "terms": "open"}, ("sale", "terms")),
        ({"evidence": "r2"}, ("evidence",)),
        # Of another model nothing else is compared with the one before.
        ({"name": "b", "monthly_usd": 1.0, "until": "", "terms": ""}, ("take",)),
        ({"name": "", "test_these": ("a", "b"), "evidence": "r2"}, ("take", "evidence")),
    ],
)
def test_what_changed_is_said_as_keys(now, changed):
    then = Taken("a", 100.0, "", "2026-12-10", "passes", "r1")
    assert documents.changes_between(then, replace(then, **now)) == changed


def test_what_changed_of_the_model_to_take_is_said():
    now = Taken("a", 99.0)
    for then, changed, said in [
        (
            replace(now, monthly_usd=1234.5),
            "price",
            " and today: take a. Its monthly cost was $1,2",
        ),
        (Taken("a"), "price", " and today: take a. Its monthly cost was not known"),
        (Taken(""), "take", ": no model. Today: take a."),
    ]:
        found = then_and_today("2026-05-01", then, now, (changed,))
        assert found.startswith(f"As of 1 May 2026{said}")


def test_a_sale_that_is_not_known_is_kept_as_such(to_keep):
    records = to_keep(evidence="BenchHealth").records
    (row,) = [row for row in records if row["model"] == "GPT-3.5-turbo"]
    assert row["on_sale"] == "not known whether it is still sold: ask the vendor"


def test_a_day_to_begin_that_has_passed_becomes_today(bundled, to_keep, today):
    """Six months from June OpenAI still sold GPT-5 mini; from 23 November it does not."""
    asked = to_keep(sale_on="2026-06-01", **OPENAI)
    assert documents.as_recorded(bundled, asked.records).name == MINI
    assert today(asked).name != MINI
    # GPT-4o mini ends on 14 April, so on the first of May it was known to be gone.
    asked = to_keep(sale=sale_label(None), sale_on="2027-05-01")
    of = {row["model"]: row["on_sale"] for row in asked.records}
    assert of["GPT-4o mini (2024-07-18)"].startswith("no longer sold since 14 April 2027")
    # It ends at Azure on 13 July: a month from today it is sold there, a month from then it is not.
    assert MINI in today(to_keep(sale=sale_label(1))).test_these
    assert MINI not in today(to_keep(sale=sale_label(1), sale_on="2027-07-01")).test_these


OVER_ALL = {
    **{"evidence": "All evidence", "task": "Documentation"},
    "gates": "No training on our data",
}


def test_a_market_question_is_kept_with_what_it_names_first(bundled, to_keep):
    found = to_keep(on=NOVEMBER, **OVER_ALL)
    row, *_ = found.records
    assert (row["decision"], row["grade"]) == ("test first", "B")
    took = documents.as_recorded(bundled, found.records)
    assert (took.name, took.first) == ("", row["name"])
    # Asked again on the same day it names the same, at the same price, until the same day.
    now = documents.take_today(bundled, found.query, NOVEMBER, took.first)
    assert documents.changes_between(took, now) == ()
    assert now.monthly_usd == row["monthly_cost_usd"]


def test_a_kept_market_question_says_what_ends_and_what_changed(bundled, kept, to_keep):
    """What it tested first sold until a day in December, and cost half."""
    found = to_keep(on=NOVEMBER, **OVER_ALL)
    first, *others = found.records
    sold = {"on_sale_until": "2026-12-10", "on_sale": "on sale until 10 December 2026, at X"}
    half = first["monthly_cost_usd"] / 2
    of_then = [first | sold | {"monthly_cost_usd": half}, *others]
    kept(on=NOVEMBER, change={"records": of_then}, **OVER_ALL)
    said = {each.what: due_in_words(each, NOVEMBER) for each in watch(bundled, NOVEMBER, 30)}
    assert said["sale ends"] == f"Notes: {first['name']}: {sold['on_sale']}."
    assert {"price", "sale"} <= said.keys()
    gone = [row | {"decision": None} for row in found.records]
    kept("Other", on=NOVEMBER, change={"records": gone}, **OVER_ALL)
    due = watch(bundled, NOVEMBER, 0)
    (other,) = [it for it in due if (it.name, it.what) == ("Other", "take")]
    assert other.now.startswith(f"test {first['name']}")


def test_a_day_from_which_new_customers_are_refused_is_due(bundled, kept):
    # Microsoft closes GPT-5.2 to new customers a year after its release of 11 December 2025.
    kept(on=NOVEMBER, platform="Azure OpenAI / Azure AI Foundry", **OVER_ALL)
    (due,) = (it for it in watch(bundled, NOVEMBER, 30) if it.what == "sale closes")
    assert (due.day, due.then) == ("2026-12-11", "GPT-5.2")
    refuses = "Azure OpenAI / Azure AI Foundry refuses new customers from 11 December 2026"
    assert due_in_words(due, NOVEMBER) == f"Notes: GPT-5.2: {refuses}."
    refused = refuses.replace("refuses", "has refused").replace("from", "since")
    for day in (date(2026, 12, 11), date(2027, 1, 5)):
        assert due_in_words(due, day) == f"Notes: GPT-5.2: {refused}."
    assert "sale closes" not in {it.what for it in watch(bundled, NOVEMBER, 7)}


def test_an_assurance_that_ends_is_not_an_end_of_sale(bundled, kept):
    """Azure ends GPT-5.2 on 8 June, GPT-5.5 later; Bedrock assures the others, and ends none."""
    kept(on=NOVEMBER, evidence="All evidence", task="All kinds of work")
    due = [it for it in watch(bundled, NOVEMBER, 300) if it.what in ("sale ends", "assurance ends")]
    assert [(it.what, it.day, it.then) for it in due] == [
        ("sale ends", "2027-06-08", "GPT-5.2"),
        ("assurance ends", "2027-07-24", "Claude Opus 5"),
        ("assurance ends", "2027-02-20", "Claude Opus 4.6"),
    ]
    assert all("assured until" in due_in_words(it, NOVEMBER) for it in due[1:])
    # Afterwards the sale of then is not said as today's.
    told = [due_in_words(it, date(2027, 7, 25)) for it in due]
    assert [it.partition(": ")[2] for it in told] == [
        "GPT-5.2: its sale ended on 8 June 2027.",
        "Claude Opus 5: its sale was assured until 24 July 2027.",
        "Claude Opus 4.6: its sale was assured until 20 February 2027.",
    ]
    assert "on sale until 8 June 2027" in due_in_words(due[0], date(2027, 6, 8))


@pytest.mark.parametrize("query", [OVER_ALL, {}], ids=["market", "suite"])
def test_a_model_that_the_catalogue_only_renamed_is_the_same(bundled, to_keep, query):
    kept = to_keep(on=NOVEMBER, **query)
    models = bundled.catalogue.models
    new = {key: replace(it, name=f"{it.name} v2") for key, it in models.items()}
    store = replace(bundled, catalogue=replace(bundled.catalogue, models=new))
    took = documents.as_recorded(store, kept.records)
    now = documents.take_today(store, kept.query, NOVEMBER, took.first)
    assert now.first.endswith(" v2")
    assert documents.changes_between(took, now) == ()


def test_a_market_question_of_may_says_what_it_names_today(bundled, to_keep):
    asked = to_keep(**OVER_ALL)
    took = documents.as_recorded(bundled, asked.records)
    now = documents.take_today(bundled, asked.query, NOVEMBER, took.first)
    said = then_and_today("2026-05-01", took, now, documents.changes_between(took, now))
    assert said.startswith("As of 1 May 2026")
    assert now.first in said
