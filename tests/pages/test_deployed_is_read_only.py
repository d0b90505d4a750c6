"""A deployed server without any setting: everybody may read, and nobody may write."""

import io

import pandas as pd
import pytest
from reading import press, said, turn_to

from core.results import sheets
from pages.components import evidence

WRITING = ("Renew now (about a minute)", "Keep on this server", "Keep", "Use for everyone")


@pytest.fixture
def deployed(data, bundled_snapshot, monkeypatch):
    """A data folder of its own, and none of the settings that let anybody write."""
    bundled_snapshot("medhelm")
    for name in ("LOCAL_RUN", "DATABASE_URL", "REQUIRE_LOGIN"):
        monkeypatch.delenv(f"FORMULARY_{name}", raising=False)
    return data


def labels(at):
    return {button.label for button in at.button}


def everything_below(folder):
    return {path: path.stat().st_mtime_ns for path in folder.rglob("*")}


def test_nothing_that_writes_is_on_any_page_and_opening_them_writes_nothing(deployed, visit):
    before = everything_below(deployed)
    at = visit()
    at.session_state["keep_fold"] = True
    assert not labels(at.run()) & set(WRITING)
    for page in (
        *("recommend/kept", "data/snapshots", "data/own_results", "data/upkeep"),
        *("conditions/platforms", "conditions/own_answers"),
    ):
        turn_to(at, page)
        assert not at.exception
        assert not labels(at) & set(WRITING), page
    assert everything_below(deployed) == before
    # No database was made either: the first page that looks for saved things would make one.
    assert not list(deployed.parent.glob("**/saved.sqlite*"))


@pytest.mark.parametrize("asked", ["1", "yes", "true", "on", "0", ""])
def test_a_login_that_is_asked_for_in_any_words_closes_the_server(
    deployed, visit, monkeypatch, asked
):
    monkeypatch.setenv("FORMULARY_REQUIRE_LOGIN", asked)
    at = visit()
    assert ("login is not set up" in said(at)) == (asked not in ("0", ""))
    assert ("models you choose" in said(at)) == (asked in ("0", ""))


def test_own_results_stay_in_the_session(deployed, visit, monkeypatch):
    before = everything_below(deployed)
    at = visit("data/own_results")
    template = sheets.template("medhelm", evidence.store().catalogue).decode("utf-8-sig")
    sheet = pd.read_csv(io.StringIO(template), dtype=str, nrows=1)
    filled = sheet.assign(model="our model", run="our run", score="0.5").to_csv(index=False)
    at.file_uploader(key="own_file").set_value(("own.csv", filled.encode(), "text/csv")).run()
    press(at, "Use these results in this session")
    assert "Remove" in labels(at)
    assert "They count only where the evidence is MedHELM." in said(at)
    assert "36 of its 37 tests have no score" in said(at)
    at.session_state["evidence"] = "All evidence"
    at.run()
    press(at, "Change the evidence to MedHELM")
    assert at.session_state["evidence"] == "MedHELM"
    at.session_state["share"] = True
    copied = "Your own results are not in the link."
    assert any(copied in one.proto.body for one in at.run().get("html"))
    assert "Keep on this server" not in labels(at)
    assert everything_below(deployed) == before
    assert "Remove" not in labels(visit("data/own_results"))
    # A local run has the buttons, else the tests here would look for words that no page has.
    monkeypatch.setenv("FORMULARY_LOCAL_RUN", "1")
    at = visit()
    at.session_state["keep_fold"] = True
    assert "Keep" in labels(at.run())
    turn_to(at, "data/snapshots")
    assert "Renew now (about a minute)" in labels(at)
