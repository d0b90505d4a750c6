"""The page of those who run the server: who sees it, and what it says."""

import time
from datetime import date
from types import SimpleNamespace

import pytest
import streamlit as st
from reading import said

from core import logs, machine
from core.answers import data
from core.evidence import staleness
from pages.components import evidence

PAGE = "data/server"


@pytest.fixture
def local_run(tmp_path, monkeypatch):
    monkeypatch.setenv("FORMULARY_LOCAL_RUN", "1")
    monkeypatch.setenv("FORMULARY_DATABASE_URL", f"sqlite:///{tmp_path / 'kept.sqlite'}")


@pytest.fixture
def log_in(monkeypatch):
    """Stand in for the login that Streamlit takes from its configuration."""

    def run(**told):
        told = {"iat": time.time(), "sub": "1", **told} if told else {}
        user = SimpleNamespace(is_logged_in=bool(told), to_dict=lambda: told)
        monkeypatch.setattr(st, "user", user)

    return run


def test_who_runs_the_server_sees_how_it_does(visit, local_run):
    at = visit(PAGE)
    assert not at.error
    now = dict(at.dataframe[0].value.itertuples(index=False))
    assert now["Snapshots"] == "10 loaded, 0 left out"
    assert now["Saved shortlists"].startswith("SQLite, revision 000")
    assert "MB" in now["Memory of this process"]
    (computed,) = [table.value for table in at.dataframe if "Computed" in table.value]
    assert computed.loc[computed["Result"] == "recommend._shortlist", "Computed"].item() >= 0


def test_others_have_no_such_tab_and_no_figure(visit, log_in):
    for told in ({}, {"email": "a@x.org", "email_verified": True}):
        if told:
            log_in(**told)
        at = visit(PAGE)
        assert "Server" not in [tab.label for tab in at.tabs]
        assert not any("Now" in table.value for table in at.dataframe)


def test_an_administrator_sees_it(visit, log_in, monkeypatch, tmp_path):
    monkeypatch.setenv("FORMULARY_DATABASE_URL", f"sqlite:///{tmp_path / 'kept.sqlite'}")
    monkeypatch.setenv("FORMULARY_ADMIN_EMAILS", "a@x.org")
    log_in(email="a@x.org", email_verified=True)
    assert any("Now" in table.value for table in visit(PAGE).dataframe)


def test_a_fault_is_shown_with_the_reference_that_stands_on_the_page(visit, local_run, monkeypatch):
    def broken(*_):
        raise RuntimeError("typed by ana@hospital.example")

    monkeypatch.setattr(machine, "memory_mb", broken)
    at = visit(PAGE)
    assert len(at.error) == 1
    reference = logs.last_faults()[0].reference
    assert f"under the reference {reference}." in at.error[0].value
    monkeypatch.undo()
    monkeypatch.setenv("FORMULARY_LOCAL_RUN", "1")
    at = at.run()
    faults = next(one.value for one in at.dataframe if "Reference" in one.value)
    row = faults.iloc[0]
    assert (row["Kind"], row["Page"], row["Reference"]) == ("RuntimeError", "Data", reference)
    assert "ana@" not in faults.to_csv()


def test_what_needs_a_look_is_said(visit, local_run, monkeypatch, tmp_path):
    monkeypatch.setenv("FORMULARY_DATABASE_URL", "postgresql://u:secret@127.0.0.1:9/none")
    at = visit(PAGE)
    assert "cannot be reached" in said(at)
    assert "secret" not in said(at)
    data.old_prices.cache_clear()
    monkeypatch.setattr(staleness, "OLD_PRICES", staleness.timedelta(days=-1))
    n_noticed = len(at.warning)
    assert len(at.run().warning) == n_noticed + 1
    data.old_prices.cache_clear()


def test_evidence_over_a_year_old_says_so_below_every_page(visit, monkeypatch):
    monkeypatch.setattr(evidence, "today", lambda: date(2026, 11, 22))
    assert "2025-11-01" in said(visit(evidence="BRIDGE"))
    monkeypatch.setattr(evidence, "today", lambda: date(2026, 11, 1))
    assert "2025-11-01" not in said(visit(evidence="BRIDGE"))
