"""What is due on kept lists: over real facts, lists kept in May and looked at in November."""

import json
from dataclasses import replace
from datetime import UTC, date, datetime

import pytest

from core.answers import documents
from core.answers.watch import watch
from core.saved import shelf
from core.saved.shelf import open_database, sqlite_url
from core.sharing import link
from core.sharing.export import calendar
from core.sharing.inputs import sale_label
from core.words.recommendation import due_in_words

MAY, NOVEMBER = date(2026, 5, 1), date(2026, 11, 23)
MINI, GPT_5 = "GPT-5 mini (2025-08-07)", "GPT-5 (2025-08-07)"


@pytest.fixture
def kept(bundled, tmp_path, monkeypatch):
    url = sqlite_url(tmp_path / "saved.sqlite")
    monkeypatch.setenv("FORMULARY_DATABASE_URL", url)
    database = open_database(url)

    def kept(name="Notes", *, on=MAY, change=None, **query):
        asked = {"evidence": ["MedHELM"]} | {key: [value] for key, value in query.items()}
        opened = link.from_query(asked, bundled.catalogue, bundled.snapshots)
        found = documents.to_keep(bundled, opened, on)
        found = replace(found, **change) if change else found
        return shelf.save(database, found, name=name, note="", owner="", shared=False)

    kept.database = database
    yield kept
    database.engine.dispose()


def test_a_sale_that_ends_and_another_model_today_are_due(bundled, kept):
    kept()
    ends, other = watch(bundled, NOVEMBER, 30)
    # GPT-5 mini ends at OpenAI, where its price is, on 10 December.
    assert (ends.what, ends.day, ends.then) == ("sale ends", "2026-12-10", MINI)
    assert due_in_words(ends) == (f"Notes: {MINI}: on sale until 10 December 2026, at OpenAI API.")
    assert (other.what, other.day, other.then) == ("take", "", f"take {MINI}")
    assert other.now != MINI
    # In ten days it does not end yet; that the answer is another is due all the same.
    assert [each.what for each in watch(bundled, NOVEMBER, 16)] == ["take"]
    assert watch(bundled, NOVEMBER, 17)[0].what == "sale ends"


def test_what_was_kept_today_has_nothing_due_and_what_cannot_be_asked_says_why(bundled, kept):
    kept(on=NOVEMBER)
    kept("Other", on=NOVEMBER, sale=sale_label(None))
    assert [each for each in watch(bundled, NOVEMBER, 0) if each.what != "sale ends"] == []
    query = "evidence=MedHELM&category=Cooking&weight_Cooking=1&task=Own+weights"
    one = kept(change={"query": query})
    found = [each for each in watch(bundled, NOVEMBER, 0) if each.id == one.id]
    assert found
    assert all(due_in_words(each).endswith(".") for each in found)


def test_a_review_is_due_on_its_day_and_a_rejected_list_has_nothing_due(bundled, kept):
    one = kept(on=NOVEMBER)
    what = {"name": one.name, "note": "", "shared": False, "decided_on": None}
    version = one.version
    for status, due in (("adopted", ["review"]), ("rejected", [])):
        shelf.change(
            kept.database, one.id, version, editor=None, status=status,
            review_by=date(2026, 12, 1), **what,
        )  # fmt: skip
        version += 1
        found = [each for each in watch(bundled, NOVEMBER, 8) if each.what == "review"]
        assert [each.what for each in found] == due
        assert not any(each.what == "review" for each in watch(bundled, NOVEMBER, 7))


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
    kept()
    to = tmp_path / "due.ics"
    status, out, _ = cli("watch", "--due-days", "400", "--ics", str(to), "--json")
    found = json.loads(out)["due"]
    assert status == 1
    assert {"sale ends", "take"} <= {each["what"] for each in found}
    assert to.read_bytes().startswith(b"BEGIN:VCALENDAR\r\n")
    assert cli("watch")[1].count("Notes") >= 1
    for wrong in (("--due-days", "-1"), ("--due-days", "9999"), ("--ics", "/no/folder/x.ics")):
        status, out, err = cli("watch", *wrong)
        assert (status, out, err.count("\n")) == (2, "", 1)
