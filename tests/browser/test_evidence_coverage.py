"""What has never been tested, and BenchHealth as a whole, in a real browser."""

from pathlib import Path


def test_what_was_never_tested_and_on_which_work_one_model(server, reader):
    mine = reader(server)
    mine.open("coverage")
    mine.says("rest on private data alone", "Scheduling Resources and Staff")
    chart = mine.main.get_by_test_id("stVegaLiteChart").first
    for text in ("none", "Overseeing Financial Activities"):
        mine.wait(chart.get_by_text(text, exact=True).first)
    mine.main.get_by_role("button", name="One model", exact=True).click()
    mine.choose("Show for one model", "GPT-4")
    mine.says("GPT-4 was never tested on")
    assert mine.query["untested"] == ["GPT-4"]

    colleague = reader(server)
    colleague.open(mine.page.url)
    colleague.says("GPT-4 was never tested on")
    with colleague.page.expect_download() as started:
        colleague.main.get_by_test_id("stDownloadButton").filter(has_text="CSV").first.click()
    text = Path(started.value.path()).read_text("utf-8-sig")
    assert "Scheduling Resources and Staff" in text


def test_a_reader_sees_which_gaps_are_noise(server, reader):
    mine = reader(server)
    mine.open("coverage", query="evidence=MedHELM")
    mine.says("On 22 of 23 benchmarks of MedHELM the gap between the first two models is noise")
    mine.choose("Evidence base", "BRIDGE")
    mine.says("For no benchmark of BRIDGE can it be said whether a lead is noise")


def test_benchhealth_and_what_people_judged(server, reader):
    mine = reader(server)
    mine.open("benchhealth")
    mine.says("GPT-4 is best over all 13 data sets, with a mean of 55.4 %", "13.9 points")
    mine.main.get_by_role("button", name="What people judged", exact=True).click()
    mine.says("people found the answer at least as good")
    with mine.page.expect_download() as started:
        mine.file("benchhealth-judged", "csv").click()
    assert "GPT-3.5 Turbo" in Path(started.value.path()).read_text("utf-8")
