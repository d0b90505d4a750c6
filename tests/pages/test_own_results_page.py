"""Own results on their page: what is there already, what is corrected, and what is renewed."""

from dataclasses import replace

import pytest
from reading import has_button, press, said
from streamlit.testing.v1 import AppTest

from core.evidence import fact_lists, snapshots
from core.evidence.store import open_store

USE, KEEP = "Use these results in this session", "Keep on this server"
IN_USE = "These results are in use already."


@pytest.fixture
def upload(data, bundled_snapshot, visit, monkeypatch):
    """Upload a score of a model on a page of a server whose visitor may keep it."""
    bundled_snapshot("healthbench-psych")
    monkeypatch.setenv("FORMULARY_LOCAL_RUN", "1")

    def brought(score, at=None):
        at = at or visit("data/own_results", evidence="HealthBench-Psych")
        file = f"model,benchmark,score\nmine,healthbench-psych-v2,{score}\n".encode()
        at.file_uploader(key="own_file").set_value(("own.csv", file, "text/csv")).run()
        assert not at.exception, at.exception
        return at

    return brought


def uploads(at):
    return [it.value for it in at.markdown if "They count only where" in it.value]


def test_results_that_are_there_already_are_neither_used_nor_kept_again(upload, data):
    at = press(upload(0.2), USE)
    assert IN_USE in said(at)
    assert not has_button(at, USE)
    other = press(upload(0.2), USE)
    assert "Kept on this server" in said(press(at, KEEP))
    assert IN_USE in said(at)
    assert IN_USE in said(upload(0.2))
    assert "These results are kept on this server already." in said(press(other, KEEP))
    assert len([*data.glob("snapshots/*/local-*")]) == 1


@pytest.mark.parametrize("is_kept", [False, True], ids=["of the session", "kept"])
def test_a_corrected_upload_takes_the_place_of_the_first(upload, is_kept):
    told = "Own results of mine are in use: these will take their place."
    at = upload(0.2)
    assert told not in said(at)
    press(at, USE)
    if is_kept:
        press(at, KEEP)
    assert told in said(upload(0.4, at))
    assert told not in said(press(at, USE))
    assert len(uploads(at)) == 1
    (table,) = at.session_state["own_tables"]
    assert list(table.frame["score"]) == [0.4]
    assert has_button(upload(0.2, at), USE)


def test_a_session_with_own_results_sees_renewed_lists(data, bundled_snapshot, own_table):
    bundled_snapshot("medhelm")

    def script():
        import streamlit  # noqa: PLC0415 - the function runs as a script

        from pages.components import evidence as of_the_pages  # noqa: PLC0415

        found = of_the_pages.store()
        streamlit.text(f"{len(found.session)} {[it.revision for it in found.lists]}")

    at = AppTest.from_function(script)
    at.session_state["own_tables"] = (own_table(),)
    before = at.run().text[0].value
    about = fact_lists.newest(open_store().lists, fact_lists.LITELLM)
    folder = data / "facts" / about.list
    (folder / about.revision).rename(folder / "renewed")
    snapshots.write_manifest(folder / "renewed", replace(about, revision="renewed"))
    assert at.run().text[0].value == before.replace(about.revision, "renewed")
    assert before.startswith("1 ")
