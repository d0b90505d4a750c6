"""What only a browser can do on a tab: press a picture, draw it, hand out files, fit a phone."""

import io
import re
from urllib.parse import parse_qs, urlsplit

import pypdf
from driving import parsed

CHART = "[data-testid=stVegaLiteChart] :is(svg.marks, canvas)"


def test_a_buyer_goes_from_volumes_to_a_memo(server, reader):
    mine = reader(server)
    mine.open("workload_bill", query="sale=Not+asked&sale_on=2026-01-31")
    mine.unfold("Workload behind the bill")
    mine.fill("Discharge summaries", 1200)
    mine.says("1,200 requests a month, prices of the list")
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
    for condition in ("Business associate agreement (BAA)", "No training on customer data"):
        mine.choose("Must have", condition)

    mine.go("Answer")
    mine.says("within $20 a month", "under 2 conditions of purchase")
    rows = parsed(mine.download())
    said = mine.main.get_by_text(re.compile(r"^Receipt [0-9a-f]")).first.inner_text()
    memo = pypdf.PdfReader(io.BytesIO(mine.export("Decision memo (PDF)")))
    text = " ".join(" ".join(page.extract_text().split()) for page in memo.pages)
    assert rows[0]["name"] in text
    assert said.removeprefix("Receipt ").strip() in text
    assert mine.export("Excel workbook").startswith(b"PK")


def test_each_part_of_the_taxonomy_can_be_read_and_taken_away_on_a_phone(server, reader):
    mine = reader(server, viewport={"width": 390, "height": 2400})
    mine.open("taxonomy", query="evidence=Taxonomy+paper%2C+33+models")
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
        assert mine.main.evaluate("at => at.scrollWidth <= at.clientWidth + 1")


def test_a_model_pressed_in_a_picture_leads_to_its_page_with_the_question(server, reader):
    mine = reader(server)
    mine.open(query="evidence=MedHELM&sale=Not+asked&budget=500")
    dot = mine.main.locator("[data-testid=stVegaLiteChart] [aria-label*='Model: GPT-5 mini']")
    dot.last.click()
    mine.main.get_by_role("heading", name="GPT-5 mini (2025-08-07)", exact=True).wait_for()
    asked = parse_qs(urlsplit(mine.page.url).query)
    assert urlsplit(mine.page.url).path == "/model"
    assert asked["model"] == ["GPT-5 mini (2025-08-07)"]
    assert (asked["sale"], asked["budget"]) == (["Not asked"], ["500.0"])
