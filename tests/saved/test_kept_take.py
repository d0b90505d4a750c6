"""What a kept list took then and takes today, with its sale, over the real facts.

GPT-5 and GPT-5 mini end at OpenAI, where their price is, on 10 December 2026, and at Azure, where
none is, on 9 February 2027: on 1 May 2026 both have six months to go, on 23 November neither has.
"""

from dataclasses import replace
from datetime import date

import pytest

from core.answers import documents
from core.domain import Taken
from core.sharing import link
from core.sharing.inputs import sale_label
from core.words.shortlist import then_and_today

MAY, NOVEMBER = date(2026, 5, 1), date(2026, 11, 23)
MINI, GPT_5 = "GPT-5 mini (2025-08-07)", "GPT-5 (2025-08-07)"
IN_MAY = "on sale until 10 December 2026, at OpenAI API"
LAST = "on sale until 9 February 2027, at Azure OpenAI / Azure AI Foundry"


@pytest.fixture
def kept(bundled):

    def kept(*, on=MAY, **query):
        asked = {"evidence": ["MedHELM"]} | {key: [value] for key, value in query.items()}
        opened = link.from_query(asked, bundled.catalogue, bundled.snapshots)
        assert not opened.notes
        return documents.to_keep(bundled, opened, on)

    return kept


@pytest.fixture
def today(bundled):
    def today(kept, *before):
        return documents.take_today(bundled, kept.query, NOVEMBER, *before)

    return today


def test_a_model_whose_sale_ends_too_soon_is_no_longer_to_take(kept, today):
    asked = kept()
    took = documents.as_recorded(asked.records)
    assert (took.name, took.sale, took.until) == (MINI, IN_MAY, "2026-12-10")
    (row,) = [row for row in asked.records if row["name"] == MINI]
    assert row["on_sale_read_on"] == "2026-11-01"
    now = today(asked, MINI)
    assert (now.not_taken.rule, documents.changes(took, now)) == ("sale", ("take",))
    # The link of that day says the same, with both answers.
    said = then_and_today("2026-05-01", took, now, documents.changes(took, now))
    assert said.startswith(f"As of 1 May 2026: take {MINI}. Today: test ")
    assert f"because {MINI} is on sale only until 9 February 2027, at Azure OpenAI / Azure" in said


def test_what_is_to_take_today_stands_with_its_price_and_sale(kept, today):
    found = today(kept(sale=sale_label(1)))
    assert (found.name, found.sale, found.notes) == (GPT_5, LAST, ())
    # Who keeps the same question today writes the same model down, at the same price.
    row = documents.as_recorded(kept(on=NOVEMBER, sale=sale_label(1)).records)
    assert (row.name, row.sale, row.monthly_usd) == (found.name, found.sale, found.monthly_usd)
    assert documents.changes(row, found) == ()


def test_what_was_not_recorded_is_no_guess(kept):
    rows = kept().records
    old = [{k: v for k, v in row.items() if k != "decision"} for row in rows]
    assert documents.as_recorded(old) is None
    # A list without a model to take is another thing.
    none = documents.as_recorded([row | {"decision": None} for row in rows])
    assert (none.name, none.test_these) == ("", ())
    assert documents.as_recorded([]) == Taken("")
    # Of several to choose from the first was to take.
    rows = [{"name": "a", "decision": "choose"}, {"name": "b", "decision": "choose first"}]
    assert documents.as_recorded(rows).name == "b"


@pytest.mark.parametrize(
    ("now", "changed"),
    [
        ({}, ()),
        # Within 1 % a price is the same; what is not known is no price.
        *[({"monthly_usd": usd}, ()) for usd in (100.9, 99.1)],
        *[({"monthly_usd": usd}, ("price",)) for usd in (101.1, 98.9, None)],
        ({"until": "2027-01-01", "terms": "open"}, ("sale", "terms")),
        ({"evidence": "r2"}, ("evidence",)),
        # Of another model nothing else is held against the one before.
        ({"name": "b", "monthly_usd": 1.0, "until": "", "terms": ""}, ("take",)),
        ({"name": "", "test_these": ("a", "b"), "evidence": "r2"}, ("take", "evidence")),
    ],
)
def test_what_changed_is_said_as_keys(now, changed):
    then = Taken("a", 100.0, "", "2026-12-10", "passes", "r1")
    assert documents.changes(then, replace(then, **now)) == changed


def test_what_changed_of_the_model_to_take_is_said():
    now = Taken("a", 99.0)
    for then, changed, said in [
        (
            replace(now, monthly_usd=1234.5),
            "price",
            " and today: take a. Its cost a month was $1,2",
        ),
        (Taken("a"), "price", " and today: take a. Its cost a month was not known"),
        (Taken(""), "take", ": no model. Today: take a."),
    ]:
        found = then_and_today("2026-05-01", then, now, (changed,))
        assert found.startswith(f"As of 1 May 2026{said}")


def test_a_sale_that_is_not_known_is_kept_as_such(kept):
    records = kept(evidence="BenchHealth").records
    (row,) = [row for row in records if row["model"] == "GPT-3.5-turbo"]
    assert row["on_sale"] == "not known whether it is still sold: ask the vendor"


def test_a_day_to_begin_on_that_has_passed_is_today_and_one_to_come_stays(kept, today):
    """Six months from June GPT-5 mini was still sold; from 23 November it is not."""
    asked = kept(sale_on="2026-06-01")
    assert documents.as_recorded(asked.records).name == MINI
    assert today(asked).name != MINI
    # GPT-4o mini ends on 14 April, so on the first of May it was known to be gone.
    asked = kept(sale=sale_label(None), sale_on="2027-05-01")
    of = {row["model"]: row["on_sale"] for row in asked.records}
    assert of["GPT-4o mini (2024-07-18)"].startswith("no longer sold since 14 April 2027")
    # GPT-5 ends on 9 February: a month from today it is still sold, a month from then it is not.
    assert today(kept(sale=sale_label(1))).name == GPT_5
    assert today(kept(sale=sale_label(1), sale_on="2027-02-01")).name != GPT_5
