"""The taxonomy page's main question: which models are alike, and what to do with them."""

import re
from urllib.parse import urlencode

import pytest
from driving import parsed

PAPER = {"evidence": "Taxonomy paper, 33 models"}
BRANCH = "3 models: gpt2-xl … falcon-7b-instruct"


def opened(reader, server, **query):
    """Open the page and wait for the tree."""
    mine = reader(server)
    mine.open("taxonomy", query=urlencode(PAPER | query))
    mine.main.locator("[data-testid=stVegaLiteChart] svg.marks").first.wait_for()
    return mine


def click_on_branch(mine, words):
    bar = mine.main.locator(f"svg.marks line[aria-label*='Branch: {words}']").first
    bar.scroll_into_view_if_needed()
    bar.click(force=True)
    mine.heading(words)


def click_on_model(mine, name, benchmark="MedQA"):
    cell = f"svg.marks path[aria-label*='Model: {name};'][aria-label*='Benchmark: {benchmark};']"
    mine.main.locator(cell).first.click(force=True)
    mine.heading(name)


def test_a_click_on_a_branch_shows_its_models_and_sends_them_on(server, reader):
    mine = opened(reader, server)
    mine.says(re.compile("^20 models do well on the tests of Open Medical-LLM .* nine less so"))
    click_on_branch(mine, BRANCH)
    assert [row[0] for row in mine.cells()] == ["gpt2-xl", "falcon-7b", "falcon-7b-instruct"]
    mine.says(re.compile(r"This branch was seen in \d+ % of 1,000 trees|seen in \d+% of 1,000"))
    assert mine.query["branch"] == [BRANCH]

    colleague = reader(server)
    colleague.open(mine.page.url)
    colleague.heading(BRANCH)

    mine.page.get_by_role("button", name="Send to the shortlist").click()
    mine.at("Answer")
    sent = {"openai-community/gpt2-xl", "tiiuae/falcon-7b", "tiiuae/falcon-7b-instruct"}
    assert set(mine.query["only"]) == sent
    assert {row["model"] for row in parsed(mine.download())} <= sent
    mine.go("Clusters")
    assert set(mine.query["only"]) == sent


def test_a_click_on_a_cell_names_the_closest_and_a_branch_can_be_clicked_again(server, reader):
    mine = opened(reader, server)
    click_on_branch(mine, BRANCH)
    click_on_model(mine, "Yi-1.5-9B-32K")
    mine.says(re.compile("^Closest to it, with their distance: Liberated-Qwen1.5-14B"))
    click_on_branch(mine, BRANCH)
    mine.page.get_by_role("link", name="Compare them").click()
    mine.at("Side by side")
    assert mine.query["compare"] == ["gpt2-xl", "falcon-7b", "falcon-7b-instruct"]


def test_keys_alone_choose_a_branch(server, reader):
    mine = opened(reader, server)
    box = mine.page.get_by_role("combobox", name="Branch or model", exact=True)
    box.focus()
    mine.page.keyboard.type("2 models: phi")
    mine.page.get_by_role("option", name="2 models: phi-1_5 and gemma-2b").wait_for()
    mine.page.keyboard.press("Enter")
    mine.heading("2 models: phi-1_5 and gemma-2b")
    assert [row[0] for row in mine.cells()] == ["phi-1_5", "gemma-2b"]


@pytest.mark.parametrize("width", [390, 1280])
def test_each_part_can_be_read_and_taken_away(width, server, reader):
    mine = reader(server, viewport={"width": width, "height": 2400})
    mine.open("taxonomy", query=urlencode(PAPER))
    for part, says, file in (
        ("What sets them apart", "Which benchmarks separate the two clusters?", "cluster-tests"),
        ("How sure it is", "Support of each branch", "branch-support"),
        ("Face to face", "Models that change cluster", "changes-of-cluster"),
    ):
        mine.main.get_by_role("radio", name=part).click()
        mine.says(says)
        with mine.page.expect_download() as started:
            mine.file(file, "csv").filter(visible=True).first.click()
        assert started.value.suggested_filename.startswith(file)
        assert mine.page.evaluate(
            "() => { const m = document.querySelector('[data-testid=stMain]');"
            " return m.scrollWidth <= m.clientWidth + 1 }"
        )
