"""A server that its user may write to: keep a shortlist, pull evidence, fetch a file."""

import json
import re

import pytest
from driving import start

from tests.evidence import hub_server

HUB_REPO = "open-llm-leaderboard/contents"
OWN = "GPT-4o (2024-05-13)"
OWN_RESULTS = "data?data_tab=Own+results"


@pytest.fixture(scope="module")
def local_run(tmp_path_factory, copied_data, browser):
    """A server for the person in front of it, and the Hub it pulls from."""
    folder = tmp_path_factory.mktemp("local")
    with hub_server.serving() as hub:
        sources = ("HF_ENDPOINT", "FORMULARY_HELM", "FORMULARY_LITELLM", "FORMULARY_GENAI_PRICES")
        settings = {"FORMULARY_LOCAL_RUN": "1", **dict.fromkeys(sources, hub.url)}
        running = start(folder, copied_data(), **settings)
        yield running, hub
        running.stop()


def medhelm_groups(model, score):
    """Write one model's jury score as HELM's own files have it."""
    header = [
        {"value": "Model"},
        {"value": "Mean win rate"},
        {"value": "ACI-Bench - Jury Score", "metadata": {"run_group": "aci_bench"}},
    ]
    row = [{"value": model}, {"value": 0.5}, {"value": score}]
    return json.dumps([{"title": "Accuracy", "header": header, "rows": [row]}]).encode()


def test_a_shortlist_is_kept_opened_and_deleted(local_run, reader):
    mine = reader(local_run[0])
    mine.open(query="evidence=MedHELM")
    mine.unfold("Keep this shortlist")
    mine.keep("All tasks")
    note = mine.main.get_by_role("textbox", name="Note", exact=True)
    note.fill("half a thought")
    mine.fill("Monthly budget, US dollars", 100)
    mine.page.wait_for_url(re.compile("budget=100"))
    mine.idle()
    # The form is still open, with what was typed, although the page above it is another.
    assert note.input_value() == "half a thought"
    mine.keep("Within $100", "agreed on *Monday*\nby all <b>three</b>")
    mine.go("Kept lists")
    mine.says("As of ", "agreed on *Monday*", "by all <b>three</b>")
    tables = mine.main.get_by_test_id("stDataFrame")
    # A table writes its cells a moment after the page around it.
    tables.first.locator("td", has_text="All tasks").wait_for(state="attached")
    assert [row[0] for row in mine.cells(0)] == ["Within $100", "All tasks"]
    with mine.page.context.expect_page() as opened:
        mine.main.get_by_role("link", name="Open this list").click()
    other = opened.value
    budget = other.get_by_role("spinbutton", name="Monthly budget, US dollars", exact=True)
    budget.wait_for()
    assert budget.input_value() == "100"
    other.get_by_role("heading", name="Recommend", exact=True).wait_for()
    other.close()
    mine.unfold("Delete")
    mine.main.get_by_role("checkbox", name=re.compile("^Delete Within")).press("Space")
    mine.main.get_by_role("button", name="Delete", exact=True).press("Enter")
    mine.says("Within $100 was deleted.")
    tables.first.locator("td", has_text="Within $100").wait_for(state="detached")
    assert [row[0] for row in mine.cells(0)] == ["All tasks"]


def test_a_newcomer_pulls_and_sees_what_changed(local_run, reader):
    server, hub = local_run
    # 30 models, none of them among the bundled ones.
    rows = [hub_server.v2_row(f"lab/model-{i}", 0.4 + i / 100) for i in range(30)]
    hub.put("dataset", HUB_REPO, hub_server.open_llm_v2(rows))
    one = reader(server)
    one.open(query="evidence=Open+LLM+Leaderboard+v2")
    one.go("Snapshots")
    shared = one.page.url.replace("/data", "/")
    for name in ("Open Medical-LLM", "BRIDGE", "LMArena, medicine and healthcare"):
        one.main.get_by_role("button", name=f"Remove {name}").or_(
            one.main.locator(f"[aria-label*='{name}'] [aria-hidden]")
        ).first.click()
    one.main.get_by_role("button", name="Refresh now").click()
    one.wait(one.main.get_by_text("Open LLM Leaderboard v2: a new snapshot").first)
    one.page.reload()
    one.at("Snapshots")
    one.go("Flags and changes")
    one.says("30 new models", "41 models gone")
    colleague = reader(server)
    colleague.open(shared, tab="Answer")
    colleague.says("As of ", "41 of 41 models fit")
    colleague.main.get_by_role("button", name="Today", exact=True).click()
    colleague.says("30 of 30 models fit")
