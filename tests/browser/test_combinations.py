"""Which model is best at each kind of work, in a real browser."""

from pathlib import Path


def test_a_reader_looks_at_the_best_of_each_category_and_sends_it_on(server, reader):
    mine = reader(server)
    mine.open(query="sale=Not+asked&evidence=MedHELM")
    mine.go("Different models")
    said = "The best model of each category scores"
    mine.says(said, "so it flatters")

    colleague = reader(server, viewport={"width": 390, "height": 844})
    colleague.page.goto(mine.page.url)
    colleague.says(said)
    width = colleague.main.evaluate("element => element.scrollWidth - element.clientWidth")
    assert width <= 0
    files = colleague.main.get_by_test_id("stDownloadButton").filter(has_text="CSV")
    with colleague.page.expect_download() as started:
        files.first.get_by_role("button").press("Enter")
    assert "Best model" in Path(started.value.path()).read_text("utf-8-sig")
