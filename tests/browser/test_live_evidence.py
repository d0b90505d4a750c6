"""Pull, import, see what is flagged and what changed, in a real browser and from a real server."""

from __future__ import annotations

import csv
import json

import pytest
from driving import start

from tests.evidence import hub_server

HUB_REPO = "open-llm-leaderboard/contents"
OWN = "GPT-4o (2024-05-13)"


@pytest.fixture
def local_run(tmp_path, copied_data, browser):
    """A server that its user may write to, and the Hub it pulls from."""
    with hub_server.serving() as hub:
        running = start(
            tmp_path / "local",
            copied_data(),
            FORMULARY_LOCAL_RUN="1",
            HF_ENDPOINT=hub.url,
            HF_HOME=str(tmp_path / "hf"),
        )
        yield running, hub
        running.stop()


def published(hub):
    """Publish 30 models on the Hub, none of them among the bundled ones."""
    rows = [hub_server.v2_row(f"lab/model-{i}", 0.4 + i / 100) for i in range(30)]
    hub.put("dataset", HUB_REPO, hub_server.open_llm_v2(rows))


def medhelm_groups(model, score):
    """Write one model's jury score as HELM's own files have it."""
    header = [
        {"value": "Model"},
        {"value": "Mean win rate"},
        {"value": "ACI-Bench - Jury Score", "metadata": {"run_group": "aci_bench"}},
    ]
    row = [{"value": model}, {"value": 0.5}, {"value": score}]
    return json.dumps([{"title": "Accuracy", "header": header, "rows": [row]}]).encode()


def upload(reader, name, content):
    reader.page.get_by_test_id("stFileUploaderDropzoneInput").set_input_files(
        {"name": name, "mimeType": "application/octet-stream", "buffer": content}
    )


def test_a_newcomer_pulls_and_sees_what_changed(local_run, reader):
    server, hub = local_run
    published(hub)
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
    colleague.says("You see the evidence as shared", "41 of 41 models fit")
    colleague.main.get_by_role("button", name="Show today's evidence").click()
    colleague.says("30 of 30 models fit")


def test_a_file_is_fetched_from_an_address_on_a_local_run_only(local_run, server, reader):
    running, hub = local_run
    files = {"groups/own.json": medhelm_groups(OWN, 4.6)}
    sha = hub.put("dataset", "lab/own", hub_server.Repo(files))
    one = reader(running)
    one.open("data?data_tab=Own+results")
    box = one.main.get_by_role("textbox", name="Or the address of a file", exact=True)
    box.fill("ftp://nowhere")
    box.press("Enter")
    one.says("is not an address that begins with https")
    box.fill(f"{hub.url}/datasets/lab/own/resolve/{sha}/groups/own.json")
    box.press("Enter")
    one.says("Read as HELM groups")
    shared = reader(server)
    shared.open("data?data_tab=Own+results")
    assert shared.main.get_by_role("textbox").count() == 0


def test_a_shared_server_offers_no_refresh(server, reader):
    one = reader(server)
    one.open("snapshots")
    one.says("python -m core refresh")
    assert one.main.get_by_role("button", name="Refresh now").count() == 0


def test_flagged_runs_are_out_until_they_are_brought_in(server, reader):
    one = reader(server)
    one.open(query="evidence=Open+Medical-LLM")
    one.says("102 of 102 models fit")
    one.unfold("Other settings")
    one.side.get_by_text("Count flagged runs as well").click()
    one.says("114 of 114 models fit")
    assert one.query["flagged"] == ["true"]
    one.go("Flags and changes")
    one.says("Flagged runs")


def test_own_results_stand_beside_the_published_ones(server, reader):
    one = reader(server)
    one.open("data?data_tab=Own+results", query="sale=Not+asked")
    upload(one, "medhelm_scenarios.json", medhelm_groups(OWN, 4.6))
    one.main.get_by_role("button", name="Use these results in this session").click()
    one.says("MedHELM: 1 model, 1 score")
    one.go("Answer")
    one.says("13 of 13 models fit")
    rows = list(csv.DictReader(one.download().decode("utf-8-sig").splitlines()))
    own = [row for row in rows if row["name"].endswith("(own result)")]
    assert [(row["rank"], row["n_benchmarks"], row["n_missing"]) for row in own] == [
        ("", "1", "36")
    ]
    # Another visitor sees nothing of it.
    other = reader(server)
    other.open(query="sale=Not+asked")
    other.says("13 of 13 models fit")


def test_a_csv_of_own_results_names_its_faulty_row(server, reader):
    one = reader(server)
    one.open("data?data_tab=Own+results")
    upload(one, "own.csv", b"model,run,benchmark,score,standard_error\nMine,r1,aci_bench,high,\n")
    one.says("own.csv", "row 2")
    upload(one, "own.csv", b"model,run,benchmark,score,standard_error\nMine,r1,aci_bench,4.1,\n")
    one.main.get_by_role("button", name="Use these results in this session").click()
    one.says("MedHELM: 1 model, 1 score")
