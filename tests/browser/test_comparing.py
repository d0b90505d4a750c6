"""Win rates, Compare and Costs as a reader goes through them."""

import re
from pathlib import Path
from urllib.parse import urlencode

CHART = "[data-testid=stVegaLiteChart] :is(svg.marks, canvas)"


def test_who_wins_and_at_which_work(server, reader):
    mine = reader(server, viewport={"width": 1280, "height": 5000})
    mine.open("win_rates", query="evidence=MedHELM")
    mine.says("models may be first: none is shown to win less")
    for section in ("Head to head", "Every test"):
        mine.main.get_by_role("button", name=section, exact=True).click()
    mine.main.locator(CHART).nth(2).wait_for()
    mine.choose("Benchmarks of", "Patient-Provider Messaging")
    mine.says("compared on patient-provider messaging, on 4 benchmarks")
    colleague = reader(server, viewport={"width": 1280, "height": 5000})
    colleague.open(mine.link())
    colleague.says("compared on patient-provider messaging, on 4 benchmarks")
    mine.choose("Benchmarks of", "All categories")
    mine.says("13 models compared, on 37 benchmarks")


def test_the_papers_pair_side_by_side(server, reader):
    pair = urlencode({"compare": ["Liberated-Qwen1.5-14B", "Yi-1.5-9B-32K"]}, doseq=True)
    mine = reader(server, viewport={"width": 1280, "height": 4000})
    mine.open("compare", query=f"evidence=Taxonomy+paper%2C+33+models&{pair}")
    mine.says(re.compile(r"is ahead of Liberated-Qwen1\.5-14B on \d+ of 9 benchmarks, clearly on"))
    assert mine.query["compare"][0] == "Liberated-Qwen1.5-14B"
    rows = mine.cells()
    assert len(rows) == 9
    assert any(cell.startswith(("▲ better", "▼ worse", "≈ cannot tell")) for cell in rows[0])


def test_a_third_model_and_the_pair_in_the_picture(server, reader):
    mine = reader(server, viewport={"width": 1280, "height": 4000})
    mine.open("compare", query="sale=Not+asked")
    mine.choose("Models, held against the first", "DeepSeek R1")
    mine.says("DeepSeek R1", "What is known of them")
    held = mine.main.get_by_role("combobox", name=re.compile("^Held against"))
    held.click()
    mine.page.get_by_role("option", name="DeepSeek R1", exact=True).click()
    mine.page.wait_for_url(re.compile("pair=DeepSeek"))
    mine.says("Right of zero DeepSeek R1 scores higher")


def test_quality_against_cost_and_its_files(server, reader):
    mine = reader(server, viewport={"width": 1280, "height": 2600})
    mine.open("costs", query="sale=Not+asked&sale_on=2025-05-01")
    mine.says("Of 13 models, four are worth their price", "upper estimate")
    mine.choose("Quality", "Mean win rate")
    mine.page.wait_for_url(re.compile("quality=Mean"))
    mine.choose("Cost", "Cost of the benchmark runs")
    mine.says(
        "Of 9 models",
        "4 models without a published cost of the benchmark runs",
        "GPT-4o mini (2024-07-18) ($39)",
    )
    content = {}
    for kind in ("CSV", "PNG"):
        with mine.page.expect_download() as started:
            mine.main.get_by_role("button", name=kind, exact=True).first.click()
        content[kind] = Path(started.value.path()).read_bytes()
    assert content["PNG"].startswith(b"\x89PNG")
    assert b"o3-mini (2025-01-31)" in content["CSV"]
    assert b"762.5" in content["CSV"]
