"""The buyer's whole way: volumes, budget, conditions, shortlist, equivalent, memo, link."""

import io
import re
from urllib.parse import parse_qs, urlsplit

import pypdf
from driving import parsed


def receipt(reader):
    """Return the number of the receipt on the page."""
    said = reader.main.get_by_text(re.compile(r"^Receipt [0-9a-f]"))
    reader.wait(said.first)
    return said.first.inner_text().removeprefix("Receipt ").strip()


def test_a_buyer_goes_from_volumes_to_a_memo_and_a_colleague_gets_the_same_receipt(server, reader):
    mine = reader(server)
    mine.open("workload_bill", query="sale=Not+asked&sale_on=2026-01-31")
    mine.unfold("Workload behind the bill")
    mine.fill("Portal messages answered", 5000)
    mine.fill("Discharge summaries", 1200)
    mine.says("For 6,200 requests a month")

    mine.fill("Monthly budget, US dollars", 20)
    mine.go("Models and platforms")
    mine.choose("Must have", "Business associate agreement")
    mine.choose("Must have", "No training on customer data")
    mine.says("conditions")

    mine.go("Answer")
    mine.says("within $20 a month", "under 2 conditions of purchase")
    rows = parsed(mine.download())
    assert rows
    assert all(not row["monthly_cost_usd"] or float(row["monthly_cost_usd"]) <= 20 for row in rows)
    assert {row["conditions_status"] for row in rows} <= {"passes", "conditional", "open"}
    assert mine.main.get_by_text(re.compile("left out: .*over budget")).count() == 1
    number = receipt(mine)

    memo = pypdf.PdfReader(io.BytesIO(mine.export("Decision memo (PDF)")))
    assert 1 <= len(memo.pages) <= 3
    text = " ".join(" ".join(page.extract_text().split()) for page in memo.pages)
    assert rows[0]["name"] in text
    assert number in text
    assert f"{float(rows[0]['score']) * 100:.1f}" in text
    workbook = mine.export("Excel workbook")
    assert workbook[:2] == b"PK"

    mine.go("Candidates")
    mine.says("margin")
    mine.go("Answer")
    link = mine.link()
    assert parse_qs(urlsplit(link).query)["v_portal_messages"] == ["5000"]
    assert mine.errors == []

    colleague = reader(server)
    colleague.open(link, tab="Answer")
    colleague.says("within $20 a month", "under 2 conditions of purchase")
    assert parsed(colleague.download()) == rows
    assert receipt(colleague) == number
    assert colleague.errors == []
