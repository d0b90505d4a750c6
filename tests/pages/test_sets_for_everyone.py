"""Own answers and prices of the whole hospital: kept by administrators, used by all."""

import time
from types import SimpleNamespace

import pytest
import streamlit as st

from core.domain import OwnPrice
from core.saved.assumptions import EVERYONE, keep, listed
from core.saved.database import open_database, sqlite_url

PAGE = "recommend/kept"
PRICE = OwnPrice("openai/gpt-4o-2024-05-13", 1.5, 6.0, "2026-11-01", "offer 12")


@pytest.fixture
def database(tmp_path, monkeypatch):
    url = sqlite_url(tmp_path / "kept.sqlite")
    monkeypatch.setenv("FORMULARY_DATABASE_URL", url)
    monkeypatch.setenv("FORMULARY_ADMIN_EMAILS", "admin@h.example")
    return open_database(url)


@pytest.fixture
def log_in(monkeypatch):
    """Stand in for the login that Streamlit takes from its configuration."""

    def run(name):
        told = {"iat": time.time(), "email": f"{name}@h.example", "email_verified": True}
        user = SimpleNamespace(is_logged_in=True, to_dict=lambda: told)
        monkeypatch.setattr(st, "user", user)

    return run


def button(at, label):
    return next((one for one in at.button if one.label == label), None)


def test_an_administrator_keeps_a_set_and_a_viewer_uses_it(visit, log_in, database):
    keep(database, "Mine", (), (PRICE,), owner="admin@h.example")
    log_in("admin")
    at = visit(PAGE)
    button(at, "Use in this question").click().run()
    next(one for one in at.text_input if one.label == "Name of the set").set_value("Contract")
    next(one for one in at.checkbox if one.label == "For everyone who is logged in").check()
    button(at, "Keep these").click().run()
    assert [one.name for one in listed(database, EVERYONE)] == ["Contract"]
    log_in("viewer")
    at = visit(PAGE)
    table = next(one.value for one in at.dataframe if "Prices" in one.value)
    assert list(zip(table["Name"], table["Of"], strict=True)) == [("Contract", "everyone")]
    assert button(at, "Delete this set") is None
    button(at, "Use in this question").click().run()
    assert "offer 12" in at.session_state["own_price"][0]
    assert not [one for one in at.checkbox if one.label == "For everyone who is logged in"]


def test_who_is_no_administrator_any_more_deletes_nothing_for_others(visit, log_in, database):
    keep(database, "Contract", (), (PRICE,), owner=EVERYONE)
    log_in("admin")
    at = visit(PAGE)
    delete = button(at, "Delete this set").click()
    log_in("viewer")
    delete.run()
    assert "not yours to change" in at.warning[0].value
    assert len(listed(database, EVERYONE)) == 1
    log_in("admin")
    button(visit(PAGE), "Delete this set").click().run()
    assert listed(database, EVERYONE) == []
