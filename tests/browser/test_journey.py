"""The main job from end to end: ask, read, press a picture, take files away, share, come back."""

import io
import re
from urllib.parse import parse_qs, urlencode, urlsplit

import pypdf
import pytest
from driving import MENU, parsed, start

from core.renewal import EVERY
from tests.evidence import hub_server
from tests.evidence.every_source import standing_in

BRIDGE = urlencode(
    {"evidence": "BRIDGE", "task": "Decision support", "access": "Our own servers only"}
    | {"max_params": "33 B", "budget": "1000", "margin": "3"}
)
BRIDGE_SAYS = (
    "For diagnosis and prognosis, on your own servers, up to 33 B parameters, "
    "within $1,000 a month, on sale for at least 6 months, on the evidence of BRIDGE"
)


def unlinked(rows):
    return [row | {"link": ""} for row in rows]


HUB_REPO = "open-llm-leaderboard/contents"


@pytest.fixture(scope="module")
def local_run(tmp_path_factory, copied_data, bundled, browser):
    """A server for the person in front of it, and the servers that it pulls from."""
    folder = tmp_path_factory.mktemp("local")
    with standing_in(bundled, n_models=260, n_entries=3500) as (hub, _, variables):
        running = start(folder, copied_data(), FORMULARY_LOCAL_RUN="1", **variables)
        yield running, hub
        running.stop()


def test_a_shared_link_may_be_the_very_first_request_of_a_server(local_run, reader, told):
    """A server without a store, to which nobody has spoken yet: this is the first test of it."""
    colleague = reader(local_run[0])
    colleague.open("cost", query=BRIDGE)
    assert colleague.page.get_by_role("dialog").count() == 0
    assert colleague.page.get_by_text("Page not found").count() == 0
    entries = colleague.page.get_by_test_id("stTopNavLink")
    assert entries.all_inner_texts() == list(MENU)
    assert colleague.asked == parse_qs(BRIDGE)
    colleague.go("Answer")
    colleague.says(BRIDGE_SAYS)
    assert unlinked(parsed(colleague.download())) == unlinked(told("shortlist", BRIDGE))


def answers_anew(one, step):
    """Take a step and wait for its answer: Streamlit loses part of a run that Back cuts short."""
    said = one.main.get_by_text(re.compile(r"of the \d+ models you can (buy|run)")).first
    before = said.inner_text()
    step()
    one.main.get_by_text(before, exact=True).wait_for(state="hidden")
    said.wait_for()
    one.idle()


def test_back_and_forward_go_one_page_and_back_leaves_the_app(server, reader):
    mine = reader(server)
    mine.open("_stcore/health", "")
    mine.open(query=BRIDGE)
    for tab in ("Quality and cost", "Models and platforms"):
        mine.go(tab)
    for tab in ("Quality and cost", "Answer"):
        mine.page.go_back()
        mine.at(tab)
        assert mine.asked == parse_qs(BRIDGE)
    mine.page.go_forward()
    mine.at("Quality and cost")
    mine.page.go_back()
    mine.at("Answer")
    mine.says(BRIDGE_SAYS)
    mine.page.go_back()
    assert "_stcore" in mine.page.url
    # Back takes away one choice at a time.
    mine.open()
    mine.main.get_by_role("heading", name="Start with ").wait_for()
    for step in (
        lambda: mine.choose("Where it may run", "Our own servers only"),
        lambda: mine.choose("Work", "Research"),
        lambda: mine.fill("Monthly budget, US dollars", 2000),
    ):
        answers_anew(mine, step)
    for left in ({"task", "access"}, {"access"}, set()):
        answers_anew(mine, mine.page.go_back)
        assert mine.query.keys() - {"evidence", "gates"} == left
    mine.page.go_back()
    assert "_stcore" in mine.page.url
    # What a button sets in a closed fold is in the address, and stays through a reload.
    mine.open("conditions", query="sale=Not+asked")
    mine.says("You have set no condition")
    mine.main.get_by_role("button", name="Set the usual conditions for patient data").click()
    mine.page.wait_for_url(re.compile("gates="))
    assert len(mine.query["gates"]) == 3
    mine.page.reload()
    mine.says("meet your conditions outright")
    mine.page.go_back()
    mine.says("You have set no condition")


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 844)])
def test_a_first_visit_shows_the_age_and_renew_now_without_scrolling(
    local_run, reader, width, height
):
    one = reader(local_run[0], viewport={"width": width, "height": height})
    one.page.goto(one.server.url)
    one.wait(
        one.main.get_by_text("Newest test of this work for the models named: 23 September 2026.")
    )
    button = one.main.get_by_role("button", name="Renew now")

    def is_in_sight():
        at = button.bounding_box()
        return at["y"] + at["height"] < height and at["x"] + at["width"] < width

    one.until(is_in_sight)


def test_a_newcomer_renews_from_the_landing_page_though_one_source_fails(local_run, reader):
    server, hub = local_run
    # 30 models, none of them among the bundled ones.
    rows = [hub_server.v2_row(f"lab/model-{i}", 0.4 + i / 100) for i in range(30)]
    hub.put("dataset", HUB_REPO, hub_server.open_llm_v2(rows))
    hub.fail("BRIDGE", "status", status=503)
    one = reader(server)
    one.open(query="evidence=Open+LLM+Leaderboard+v2")
    one.go("Snapshots")
    shared = one.page.url.replace("/data", "/")
    one.go("Answer")
    one.main.get_by_role("button", name="Renew now").click()
    one.wait(one.main.get_by_text("You can leave this page: the renewal goes on."))
    one.page.get_by_test_id("stTopNav").get_by_role("link", name="Cost", exact=True).click()
    one.at("Quality and cost")
    one.go("Answer")
    one.wait(one.main.get_by_text(f"{len(EVERY) - 1} of {len(EVERY)} sources renewed"))
    one.says("BRIDGE: The Hub answered 3 times with a fault of its own (503)")
    one.says("open-llm-v2 is now", "30 models, 30 runs", "genai-prices is now")
    one.go("Flags and changes")
    one.choose("Suite or list to compare", "Open LLM Leaderboard v2")
    one.says("30 new models", "41 models gone")
    colleague = reader(server)
    colleague.open(shared, tab="Answer")
    colleague.says("As of ", "41 of 41 models fit")
    colleague.main.get_by_role("button", name="Today", exact=True).click()
    colleague.says("30 of 30 models fit")


CHART = "[data-testid=stVegaLiteChart] :is(svg.marks, canvas)"


def test_a_buyer_goes_from_volumes_to_a_memo(server, reader):
    mine = reader(server)
    mine.open("cost", query="sale=Not+asked&sale_on=2026-01-31")
    mine.unfold("Workload behind the bill")
    mine.fill("Discharge summaries", 1200)
    mine.says("1,200 requests a month, public prices of")
    mine.main.locator(CHART).first.wait_for()
    content = {
        kind: mine.take(mine.main.get_by_role("button", name=kind, exact=True).first)[1]
        for kind in ("CSV", "PNG", "SVG")
    }
    assert content["CSV"].startswith(b"\xef\xbb\xbf")
    assert content["PNG"].startswith(b"\x89PNG")
    assert content["SVG"].startswith(b"<svg")
    mine.fill("Monthly budget, US dollars", 20)
    mine.go("Models and platforms")
    for condition in ("Business associate agreement (BAA)", "No training on our data"):
        mine.choose("Required conditions", condition)

    mine.go("Answer")
    mine.says("within $20 a month", "under 2 conditions of purchase")
    rows = parsed(mine.download())
    said = mine.main.get_by_text(re.compile(r"^Receipt [0-9a-f]")).first.inner_text()
    memo = pypdf.PdfReader(io.BytesIO(mine.export("Decision memo (PDF)")))
    text = " ".join(" ".join(page.extract_text().split()) for page in memo.pages)
    assert rows[0]["name"] in text
    assert said.removeprefix("Receipt ").strip() in text
    assert mine.export("Excel workbook").startswith(b"PK")


def test_a_phone_shows_and_downloads_each_part_of_the_taxonomy(server, reader):
    mine = reader(server, viewport={"width": 390, "height": 2400})
    mine.open("evidence", query="evidence=Taxonomy+paper%2C+33+models")
    mine.says(re.compile("^20 models do well on the tests of Open Medical-LLM .* nine less so"))
    for part, says, file, kind in (
        ("What sets them apart", "Which benchmarks separate the two", "cluster-tests", "csv"),
        ("How sure it is", "the thicker a branch", "stability", "svg"),
        ("Face to face", "How many models on which side", "face-to-face", "csv"),
    ):
        mine.main.get_by_role("radio", name=part).click()
        mine.says(says)
        name, _ = mine.take(mine.file(file, kind).filter(visible=True).first)
        assert name.startswith(file)
        mine.until(lambda: mine.main.evaluate("at => at.scrollWidth <= at.clientWidth + 1"))


def test_a_model_pressed_in_a_picture_opens_its_page_and_question(server, reader):
    mine = reader(server)
    mine.open(query="evidence=MedHELM&sale=Not+asked&budget=500")
    dot = mine.main.locator("[data-testid=stVegaLiteChart] [aria-label*='Model: GPT-5 mini']")
    dot.last.click()
    mine.main.get_by_role("heading", name="GPT-5 mini (2025-08-07)", exact=True).wait_for()
    asked = parse_qs(urlsplit(mine.page.url).query)
    assert urlsplit(mine.page.url).path == "/model"
    assert asked["model"] == ["GPT-5 mini (2025-08-07)"]
    assert (asked["sale"], asked["budget"]) == (["Not asked"], ["500.0"])
