"""Would we decide the same under other weightings, in a real browser."""

from pathlib import Path


def test_a_reader_sees_what_the_first_place_hangs_on(server, reader):
    mine = reader(server)
    mine.open(query="sale=Not+asked")
    mine.go("How sure")
    mine.says("is first in 57 % of 2,000 plausible weightings")
    chart = mine.main.get_by_test_id("stVegaLiteChart").first
    for text in ("first 57 %", "top three 100 %"):
        mine.wait(chart.get_by_text(text, exact=True).first)
    mine.says("The nearest change is 1.6 percentage points away, in Administration and Workflow")
    mine.says("Ten of 37 benchmarks change the first place when left out")
    mine.main.get_by_role("radio", name="Narrow").click()
    mine.says("of 2,000 weightings close to yours")
    assert mine.query["reach"] == ["Narrow"]

    colleague = reader(server, viewport={"width": 390, "height": 844})
    colleague.page.goto(mine.page.url)
    colleague.says("of 2,000 weightings close to yours")
    width = colleague.main.evaluate("element => element.scrollWidth - element.clientWidth")
    assert width <= 0
    with colleague.page.expect_download() as started:
        colleague.main.get_by_test_id("stDownloadButton").filter(has_text="CSV").first.click()
    assert "Top three, %" in Path(started.value.path()).read_text("utf-8-sig")
