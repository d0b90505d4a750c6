"""Do several models do better than one, in a real browser."""

from pathlib import Path


def test_a_reader_looks_at_a_combination_and_sends_it_on(server, reader):
    mine = reader(server)
    mine.open(query="sale=Not+asked")
    mine.go("Different models")
    mine.says("No combination is shown to beat o4-mini (2025-04-16): chosen on one half of the")
    mine.says("Together about $")
    chart = mine.main.get_by_test_id("stVegaLiteChart").first
    mine.wait(chart.get_by_text("63.3, answers these", exact=True).first)

    colleague = reader(server, viewport={"width": 390, "height": 844})
    colleague.page.goto(mine.page.url)
    colleague.says("No combination is shown to beat o4-mini (2025-04-16)")
    width = colleague.main.evaluate("element => element.scrollWidth - element.clientWidth")
    assert width <= 0
    files = colleague.main.get_by_test_id("stDownloadButton").filter(has_text="CSV")
    colleague.wait(files.nth(1))  # All are there, so the first is that of who does what.
    with colleague.page.expect_download() as started:
        files.first.get_by_role("button").press("Enter")
    assert "Answered by" in Path(started.value.path()).read_text("utf-8-sig")
