"""What the pages say of the age of the evidence and its renewal, and to whom they offer one."""

from datetime import date

import pytest
from reading import said, turn_to

from core.sources.refresh import record, tried
from core.words.renewal import moment_in_words
from pages.components import evidence, renewal

LABEL = "Renew now (about a minute)"
OLD = "Newest test of this work for the models named: 1 November 2025."
LISTS = "The older list of public prices is from 10 November 2026."


@pytest.fixture
def on_27_november(data, bundled_snapshot, monkeypatch):
    monkeypatch.setattr(evidence, "this_day", lambda: date(2026, 11, 27))
    bundled_snapshot("bridge")
    return data


def offered(at):
    return LABEL in {button.label for button in at.button}


def test_who_may_renew_is_offered_it_and_others_read_the_age(on_27_november, visit, monkeypatch):
    at = visit()
    assert f"{OLD} {LISTS}" in said(at)
    assert not offered(at)
    monkeypatch.setenv("FORMULARY_LOCAL_RUN", "1")
    assert offered(visit())
    turn_to(at, "data/snapshots")
    assert offered(at)
    monkeypatch.setattr(renewal.os, "access", lambda *_: False)
    at = visit()
    assert not offered(at)
    assert "The data folder cannot be written, so nothing can be renewed here." in said(at)


@pytest.mark.parametrize("asked", [{"access": "Our own servers only"}, {"prices": "2026-11-15"}])
def test_a_public_list_has_an_age_only_where_today_prices_count(on_27_november, visit, asked):
    told = said(visit(evidence="All evidence", task="Documentation", **asked))
    assert "Newest test of this work for the models named: " in told
    assert LISTS not in told
    assert LISTS in said(visit(evidence="All evidence", task="Documentation"))


def test_where_nothing_can_be_renewed_visitors_are_told_no_next_try(
    on_27_november, visit, monkeypatch
):
    monkeypatch.setenv("FORMULARY_REFRESH", "daily")
    monkeypatch.setattr(renewal.os, "access", lambda *_: False)
    at = visit()
    turn_to(at, "data/snapshots")
    assert "The data folder cannot be written, so nothing can be renewed here." in said(at)
    (frame,) = (it.value for it in at.dataframe if "What came of it" in it.value)
    assert frame["Next try"].isna().all()


def test_new_evidence_says_nothing_of_its_age(on_27_november, visit, monkeypatch):
    monkeypatch.setattr(evidence, "this_day", lambda: date(2026, 10, 31))
    assert "Newest test" not in said(visit())


def test_three_failures_in_a_row_are_said_with_their_beginning(on_27_november, visit, monkeypatch):
    monkeypatch.setenv("FORMULARY_REFRESH", "daily")
    record(on_27_november, "bridge", "It is well.", failed=False)
    renewed = moment_in_words(tried(on_27_november, "bridge").at)
    for _ in range(3):
        record(on_27_november, "bridge", "No <b>answer</b>.", failed=True)
    since = moment_in_words(tried(on_27_november, "bridge").failing_since)
    told = f"Renewed {renewed}; next today. Could not be renewed: BRIDGE since {since}."
    at = visit()
    assert told in said(at)
    turn_to(at, "data/snapshots")
    assert told in said(at)
    (frame,) = (it.value for it in at.dataframe if "What came of it" in it.value)
    row = frame.set_index("Live source").loc["BRIDGE"]
    assert list(row[["Failing since", "What came of it"]]) == [since, "No <b>answer</b>."]
