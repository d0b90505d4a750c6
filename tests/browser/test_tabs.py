"""Each tab as a reader uses it: what only a browser can press, draw, hand out and send on."""

import csv
import io
import re
from urllib.parse import parse_qs, urlencode, urlsplit

import pypdf
import pytest
from driving import parsed

CHART = "[data-testid=stVegaLiteChart] :is(svg.marks, canvas)"
PHONE = {"width": 390, "height": 844}
PAPER = "evidence=Taxonomy+paper%2C+33+models"
A, B = [1, 2, 3, 4, 5, 2, 3, 4, 1, 5, 3, 2], [1, 3, 3, 4, 4, 2, 2, 5, 1, 4, 3, 2]


def receipt(reader):
    """Return the number of the receipt on the page."""
    said = reader.main.get_by_text(re.compile(r"^Receipt [0-9a-f]"))
    reader.wait(said.first)
    return said.first.inner_text().removeprefix("Receipt ").strip()


def rows_of(content):
    return list(csv.DictReader(io.StringIO(content.decode("utf-8-sig"), newline="")))


def test_a_buyer_goes_from_volumes_to_a_memo_and_a_colleague_gets_the_same_receipt(server, reader):
    mine = reader(server)
    mine.open("workload_bill", query="sale=Not+asked&sale_on=2026-01-31")
    mine.says(re.compile("For 10,000 requests a month the bill runs from"))
    mine.unfold("Fill in from the size of the hospital")
    mine.main.get_by_role("spinbutton", name="Staffed beds").fill("100")
    mine.main.get_by_role("button", name="Fill in the side bar").click()
    # 300 discharge summaries, 300 sheets of instructions, 3,200 reports.
    mine.says(re.compile("For 3,800 requests a month the bill runs from .* to .* a month"))
    assert float(mine.query["v_discharge_summaries"][0]) == 300
    mine.unfold("Workload behind the bill")
    mine.fill("Discharge summaries", 1200)
    mine.says("For 4,700 requests a month")
    mine.main.locator(CHART).first.wait_for()

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
    link = mine.link()
    assert parse_qs(urlsplit(link).query)["v_discharge_summaries"] == ["1200"]

    colleague = reader(server)
    colleague.open(link, tab="Answer")
    colleague.says("within $20 a month", "under 2 conditions of purchase")
    assert parsed(colleague.download()) == rows
    assert receipt(colleague) == number


def test_conditions_from_one_button_to_a_refusal_that_the_shortlist_and_the_link_keep(
    server, reader
):
    mine = reader(server)
    mine.open("conditions", query="sale=Not+asked")
    mine.says("You have set no condition")
    mine.main.get_by_role("button", name="Set the usual conditions for patient data").click()
    mine.says(re.compile("Of 13 models, 4 meet your conditions as far as is known, 9 on a"))
    # What a button sets in a closed fold is in the address, and Back takes it away.
    mine.page.wait_for_url(re.compile("gates="))
    assert len(mine.query["gates"]) == 3
    mine.page.reload()
    mine.says("meet your conditions as far as is known")
    mine.page.go_back()
    mine.says("You have set no condition")
    mine.page.go_forward()
    mine.says("meet your conditions as far as is known")
    mine.go("Own answers")
    mine.choose("The answer is about", "Google Vertex AI")
    mine.idle()
    mine.main.get_by_role("radiogroup", name="Answer").get_by_text("no", exact=True).click()
    mine.main.get_by_role("textbox", name="Source", exact=True).fill("Letter 17")
    mine.main.get_by_role("button", name="Use this answer").click()
    mine.says(re.compile("Your answer counts now"))
    assert mine.query["own_answer"] == ["Google Vertex AI;baa;no;;undated;Letter 17;"]
    mine.go("Models and platforms")
    mine.says(re.compile("3 fail"))
    other = reader(server)
    other.open(mine.link())
    other.says(re.compile("3 fail"))
    other.go("Answer")
    other.says(re.compile("fails a condition of purchase 3"))


def test_from_a_pair_of_benchmarks_to_a_plan_that_is_taken_away(server, reader):
    mine = reader(server)
    mine.open("redundancy", query="evidence=Open+Medical-LLM")
    mine.says("repeat one another; PubMedQA adds something of its own")
    cell = mine.main.locator("svg.marks path[aria-label^='MedQA and PubMedQA: r +0.7']")
    cell.click(force=True)
    mine.says(re.compile(r"MedQA and PubMedQA go together, with exceptions"))
    pair = [mine.page.get_by_role("combobox", name=name) for name in ("Benchmark", "Compared with")]
    assert [box.first.input_value() for box in pair] == ["MedQA", "PubMedQA"]
    assert mine.main.locator("svg.marks path[aria-label*='Model: ']").count() > 100

    # The same without a mouse, and the other measure.
    mine.choose("Compared with", "MMLU anatomy")
    mine.says(re.compile(r"MedQA and MMLU anatomy tell much the same"))
    mine.main.get_by_role("radio", name="Order only (Spearman)").press(" ")
    mine.says(re.compile(r"Spearman's ρ"))
    mine.main.get_by_role("button", name="A smaller set", exact=True).click()
    mine.choose("Benchmarks to keep", "3")
    mine.says("Three of nine benchmarks keep", "these figures are optimistic")
    plan = rows_of(mine.take(mine.file("plan", "csv"))[1])
    assert [row["Keep"] for row in plan] == ["yes"] * 3 + ["no"] * 6
    assert all(row["Source"].startswith("open-medical-llm 2024-05-31") for row in plan)

    colleague = reader(server)
    colleague.open(mine.page.url)
    colleague.says("Three of nine benchmarks keep", re.compile(r"MedQA and MMLU anatomy tell much"))
    # Another suite has other benchmarks: the choices give way without a word.
    colleague.choose("Evidence base", "BRIDGE")
    colleague.says("repeat one another", "Counted without repetition")
    assert "This page failed" not in colleague.main.inner_text()


def test_who_wins_who_stands_beside_whom_and_what_it_costs(server, reader):
    mine = reader(server, viewport={"width": 1280, "height": 5000})
    mine.open("win_rates", query="evidence=MedHELM&sale=Not+asked&sale_on=2025-05-01")
    mine.says("models may be first: none is shown to win less")
    for section in ("Head to head", "Every test"):
        mine.main.get_by_role("button", name=section, exact=True).click()
    mine.main.locator(CHART).nth(2).wait_for()
    mine.choose("Benchmarks of", "Patient-Provider Messaging")
    mine.says("compared on patient-provider messaging, on 4 benchmarks")
    mine.choose("Benchmarks of", "All categories")
    mine.says("13 models compared, on 37 benchmarks")

    mine.go("Side by side")
    mine.choose("Models, held against the first", "DeepSeek R1")
    mine.says("DeepSeek R1", "What is known of them")
    held = mine.main.get_by_role("combobox", name=re.compile("^Held against"))
    held.click()
    mine.page.get_by_role("option", name="DeepSeek R1", exact=True).click()
    mine.page.wait_for_url(re.compile("pair=DeepSeek"))
    mine.says("Right of zero DeepSeek R1 scores higher")

    mine.go("Quality and cost")
    mine.says("Of 13 models, four are worth their price", "upper estimate")
    mine.choose("Quality", "Mean win rate")
    mine.page.wait_for_url(re.compile("quality=Mean"))
    mine.choose("Cost", "Cost of the benchmark runs")
    mine.says("Of 9 models", "4 models without a published cost of the benchmark runs")
    content = {
        kind: mine.take(mine.main.get_by_role("button", name=kind, exact=True).first)[1]
        for kind in ("CSV", "PNG", "SVG")
    }
    assert content["PNG"].startswith(b"\x89PNG")
    assert content["SVG"].startswith(b"<svg")
    assert b"o3-mini (2025-01-31)" in content["CSV"]
    assert b"762.5" in content["CSV"]


def test_own_servers_follow_the_utilisation(server, reader):
    mine = reader(server)
    asked = "&gpu=H100+80GB&load=10&gates=Business+associate+agreement"
    mine.open("own_servers", query=f"hosted=Llama+3.3+Instruct+%2870B%29{asked}")
    mine.says(re.compile("Own servers do not pay: at 10,000 requests a month, own servers cost"))
    mine.unfold("Change what this assumes")
    mine.fill("Utilisation, % of the maximum load", 80)
    mine.says(re.compile("Own servers cost less only from about [0-9,]+ requests a month on"))
    assert mine.query["load"] == ["80"]
    name, _ = mine.take(mine.file("own-servers-parts", "csv"))
    assert name.startswith("own-servers-parts-")


@pytest.mark.parametrize("width", [390, 1280])
def test_each_part_of_the_taxonomy_can_be_read_and_taken_away(width, server, reader):
    mine = reader(server, viewport={"width": width, "height": 2400})
    # A link to another tree leads to the paper's.
    gone = urlencode({"distance": "Straight line (Euclidean)", "branch": "<b>x</b>"})
    mine.open("taxonomy", query=f"{PAPER}&{gone}")
    mine.says(
        "This link asks for another distance or linkage, or for one branch",
        re.compile("^20 models do well on the tests of Open Medical-LLM .* nine less so"),
    )
    for part, says, file in (
        ("What sets them apart", "Which benchmarks separate the two clusters?", "cluster-tests"),
        ("How sure it is", "Support of each branch", "branch-support"),
        ("Face to face", "Models that change cluster", "changes-of-cluster"),
    ):
        mine.main.get_by_role("radio", name=part).click()
        mine.says(says)
        name, _ = mine.take(mine.file(file, "csv").filter(visible=True).first)
        assert name.startswith(file)
        assert mine.main.evaluate("at => at.scrollWidth <= at.clientWidth + 1")


def test_one_model_and_what_people_judged_are_chosen_and_sent_on(server, reader):
    mine = reader(server)
    mine.open("coverage")
    mine.main.get_by_role("button", name="One model", exact=True).click()
    mine.choose("Show for one model", "GPT-4")
    mine.says("GPT-4 was never tested on")
    assert mine.query["untested"] == ["GPT-4"]
    mine.open("benchhealth")
    mine.says("GPT-4 is best over all 13 data sets, with a mean of 55.4 %")
    mine.main.get_by_role("button", name="What people judged", exact=True).click()
    mine.says("people found the answer at least as good")
    assert b"GPT-3.5 Turbo" in mine.take(mine.file("benchhealth-judged", "csv"))[1]
    # What holds under other weightings, and the best of each category, on a colleague's phone.
    mine.open("robustness", query="sale=Not+asked")
    mine.says("is first in 57 % of 2,000 plausible weightings")
    mine.main.get_by_role("radio", name="Narrow").click()
    mine.says("of 2,000 weightings close to yours")
    assert mine.query["reach"] == ["Narrow"]
    colleague = reader(server, viewport=PHONE)
    colleague.open(mine.page.url)
    colleague.says("of 2,000 weightings close to yours")
    files = colleague.main.get_by_test_id("stDownloadButton").filter(has_text="CSV")
    assert b"Top three, %" in colleague.take(files.first.get_by_role("button"))[1]
    colleague.open("combinations", query="sale=Not+asked&evidence=MedHELM")
    colleague.says("The best model of each category scores", "so it flatters")
    assert b"Best model" in colleague.take(files.first.get_by_role("button"))[1]


def test_ratings_in_the_template_give_the_answer_and_a_bad_row_a_sentence(server, reader):
    one = reader(server)
    one.open("local_validation")
    one.says("Upload your ratings to see the answer")
    one.upload("own.csv", b"rater,role,instance,score\nA,nurse,1,2\n")
    one.says('own.csv, row 2: the role "nurse" is neither clinician nor jury.')
    template = one.main.get_by_role("button", name="CSV template", exact=True).first
    header = one.take(template)[1].decode("utf-8-sig").splitlines()[0]
    rows = [
        f"{rater},{role},note {i},{score}"
        for rater, role, scores in (("A", "clinician", A), ("B", "clinician", B), ("J", "jury", A))
        for i, score in enumerate(scores)
    ]
    one.upload("ratings.csv", "\n".join((header, *rows)).encode())
    one.says(
        re.compile(r"jury and all clinicians: 0\.9\d \(0\.\d\d to 1\.00\)"), "0.47 for its jury"
    )
    one.main.locator(CHART).first.wait_for()
    table = one.take(one.main.get_by_role("button", name="CSV", exact=True).first)[1]
    assert "Your jury and the mean of your clinicians,0.9" in table.decode("utf-8-sig")


def test_a_definition_opens_and_the_link_holds_it(server, reader):
    one = reader(server)
    one.open("methods")
    one.main.get_by_text("Local validation", exact=True).first.click()
    one.main.locator(".katex:visible").first.wait_for()
    one.idle()
    assert one.query["about-local-validation"] == ["true"]
    colleague = reader(server)
    colleague.open(one.page.url, tab="Methods")
    colleague.main.locator(".katex:visible").first.wait_for()
    colleague.main.get_by_text("Only what differs or cannot be computed").click()
    colleague.page.wait_for_url(re.compile("differs=true"))
    # The address changes in the browser, before the server has drawn the shorter table.
    agreeing = colleague.main.get_by_role("gridcell", name="agrees", exact=True)
    agreeing.first.wait_for(state="detached")


def test_what_is_flagged_is_out_until_it_is_brought_in(server, reader):
    one = reader(server)
    one.open(query="evidence=Open+Medical-LLM")
    one.says("102 of 102 models fit")
    one.unfold("Other settings")
    one.side.get_by_text("Count flagged runs as well").click()
    one.says("114 of 114 models fit")
    assert one.query["flagged"] == ["true"]
    one.go("Flags and changes")
    one.says("Flagged runs")
