"""Which benchmarks tell the same: from the map to a pair, and to a plan that is taken away."""

import csv
import io
import re
from pathlib import Path
from urllib.parse import parse_qs, urlsplit


def asked(page):
    return parse_qs(urlsplit(page.url).query)


def test_from_the_map_to_the_pair_and_the_plan(server, reader):
    mine = reader(server)
    mine.open("redundancy", query="evidence=Open+Medical-LLM")
    mine.says("repeat one another; PubMedQA adds something of its own")

    cell = mine.main.locator("svg.marks path[aria-label^='MedQA and PubMedQA: r +0.7']")
    cell.click(force=True)
    mine.says(re.compile(r"MedQA and PubMedQA go together, with exceptions"))
    pair = [mine.page.get_by_role("combobox", name=name) for name in ("Benchmark", "Compared with")]
    assert [box.first.input_value() for box in pair] == ["MedQA", "PubMedQA"]
    points = mine.main.locator("svg.marks path[aria-label*='Model: ']")
    assert points.count() > 100

    # The same without a mouse, and the other measure.
    mine.choose("Compared with", "MMLU anatomy")
    mine.says(re.compile(r"MedQA and MMLU anatomy tell much the same"))
    mine.main.get_by_role("radio", name="Order only (Spearman)").press(" ")
    mine.says(re.compile(r"Spearman's ρ"))

    mine.main.get_by_role("button", name="A smaller set", exact=True).click()
    mine.choose("Benchmarks to keep", "3")
    mine.says("Three of nine benchmarks keep", "these figures are optimistic")
    with mine.page.expect_download() as started:
        mine.file("plan", "csv").click()
    content = Path(started.value.path()).read_text("utf-8-sig")
    plan = list(csv.DictReader(io.StringIO(content, newline="")))
    assert [row["Keep"] for row in plan] == ["yes"] * 3 + ["no"] * 6
    assert {row["Snapshot"] for row in plan} == {"2024-05-31"}
    assert 0.9 < float(plan[0]["Kendall tau"]) < 1
    assert all(row["Source"].startswith("open-medical-llm 2024-05-31") for row in plan)

    colleague = reader(server)
    colleague.open(mine.page.url)
    colleague.says("Three of nine benchmarks keep", re.compile(r"MedQA and MMLU anatomy tell much"))

    # Another suite has other benchmarks: the choices give way without a word.
    mine.choose("Evidence base", "BRIDGE")
    mine.says("repeat one another", "Counted without repetition")
    assert "This page failed" not in mine.main.inner_text()
