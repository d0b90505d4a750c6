"""What only a browser shows of the frame: the Tab key, boxes of many, paper, and a phone."""

from contextlib import suppress
from urllib.parse import urlencode

import pytest
from playwright.sync_api import TimeoutError

WIDE, PHONE = {"width": 1280, "height": 800}, {"width": 390, "height": 844}


@pytest.fixture
def visitor(reader, server):
    def visit(query="", path="", viewport=WIDE):
        one = reader(server, viewport=viewport)
        one.page.goto(f"{server.url}/{path}?{query}" if query else f"{server.url}/{path}")
        one.idle()
        return one

    return visit


def test_the_menu_comes_first_by_the_tab_key(visitor):
    one, focused = visitor(), []
    for _ in range(9):
        one.page.keyboard.press("Tab")
        focused.append(one.page.evaluate("document.activeElement.innerText"))
    menu = ["Recommend", "Replace", "Cost", "Conditions", "Evidence", "Local test", "Data"]
    assert focused[:8] == ["Skip to main content", *menu]
    # The side bar follows.
    assert focused[8] not in menu


@pytest.mark.parametrize(
    ("query", "box", "typed", "taken"),
    [
        ("evidence=MedHELM", "gates", "EU", ["Processing in the EU (GDPR)"]),
        ("evidence=BRIDGE", "only", "DeepSeek-R1", ["DeepSeek-R1"]),
    ],
)
def test_enter_in_a_box_of_many_takes_one(visitor, query, box, typed, taken):
    one = visitor(query)
    if box == "only":
        one.unfold("Other settings")
        one.page.locator(".st-key-only").wait_for()
        one.idle()
    field = one.page.locator(f".st-key-{box} input")
    option = one.page.get_by_role("option").first
    # A fold that is still opening may draw the box again, and with it close its list.
    for patience in (5_000, 5_000, 30_000):
        with suppress(TimeoutError):
            field.click()
            field.fill(typed)
            option.wait_for(timeout=patience)
            field.press("Enter")
            one.page.wait_for_url(f"**{typed}**", timeout=patience)
            break
    one.idle()
    assert one.query[box] == taken


def test_on_paper_the_matrix_is_whole_and_there_is_no_side_bar(visitor):
    """And at 1280 pixels every column of it is in sight."""
    one = visitor()
    matrix = one.page.locator(".st-key-matrix [data-testid=stMarkdownContainer]:has(table)")
    one.until(lambda: matrix.evaluate("at => at.scrollWidth <= at.clientWidth"))
    # A4, in pixels of a browser.
    one.page.set_viewport_size({"width": 794, "height": 1123})
    one.page.emulate_media(media="print")
    one.side.wait_for(state="hidden")
    # It is drawn again meanwhile, since the page has another width.
    one.until(lambda: matrix.evaluate("at => at.scrollWidth <= at.clientWidth"))


def test_on_paper_a_table_says_that_its_file_has_the_rest(visitor):
    one = visitor(path="cost")
    drawn = one.page.locator("[data-testid=stDataFrame]").first
    drawn.wait_for()
    one.page.emulate_media(media="print")
    said = drawn.evaluate("at => getComputedStyle(at, '::after').content")
    assert "CSV has them all" in said


def test_on_a_phone_the_answer_begins_in_the_upper_half(visitor):
    """And each chip above it is whole."""
    one = visitor(viewport=PHONE)
    headline = one.main.get_by_role("heading", level=4).first
    one.until(lambda: headline.bounding_box()["y"] < PHONE["height"] / 2)
    chip = one.main.get_by_role("radio", name="No patient data").bounding_box()
    row = one.main.get_by_role("radiogroup").first.bounding_box()
    assert chip["x"] + chip["width"] <= row["x"] + row["width"]


def test_a_link_to_the_first_suite_keeps_it_from_page_to_page(visitor):
    """Its name stays out of the address, and an address that asks nothing asks the market."""
    one = visitor("evidence=MedHELM")
    evidence = one.page.locator(".st-key-evidence input")
    for tab in ("Quality and cost", "Answer"):
        one.go(tab)
        one.until(lambda: evidence.input_value() == "MedHELM")
        assert one.query.keys() >= {"data"}


def test_the_conditions_of_a_link_survive_a_reload(visitor):
    gates = ["Business associate agreement (BAA)", "No training on our data"]
    asked = urlencode({"evidence": "BRIDGE", "gates": gates}, doseq=True)
    one = visitor(asked)
    one.page.reload()
    one.idle()
    assert sorted(one.query["gates"]) == gates
    assert one.query["evidence"] == ["BRIDGE"]


def test_back_closes_a_tab_and_leaves_the_question(visitor):
    one = visitor()
    for name in ("Azure", "AWS"):
        one.main.get_by_role("button", name=name, exact=True).click()
        one.until(lambda name=name: any(name in it for it in one.query.get("platform", ())))
        one.idle()
    asked = one.asked
    assert len(asked["platform"]) == 2
    one.go("How sure")
    one.page.go_back()
    one.at("Answer")
    assert one.asked == asked
    one.page.go_back()
    one.until(lambda: len(one.query.get("platform", ())) == 1)
    one.idle()
    one.page.go_forward()
    one.until(lambda: one.asked == asked)
    one.at("Answer")
    one.page.go_forward()
    one.at("How sure")
    assert one.asked == asked


def test_back_brings_an_own_price_that_was_removed(visitor):
    offer = "own_price=GPT-5.2%3B1%3B5%3B2026-11-20%3Boffer+7%3BOpenAI+API"
    one = visitor(f"evidence=All+evidence&{offer}")
    one.until(lambda: ", yours" in one.main.inner_text())
    one.page.get_by_text("Your own figures").click()
    box = one.page.locator("[data-testid=stSidebar] .st-key-own_price input")
    box.focus()
    one.page.keyboard.press("Backspace")
    one.until(lambda: "own_price" not in one.query)
    one.until(lambda: ", yours" not in one.main.inner_text())
    one.idle()
    one.page.go_back()
    one.until(lambda: "own_price" in one.query)
    one.until(lambda: ", yours" in one.main.inner_text())


def test_what_a_link_says_goes_before_what_the_session_held(visitor):
    """Each link names what its control starts with, where the visitor had chosen something else."""
    one = visitor("evidence=All+evidence")
    one.go("Results")
    one.go("Plan")
    one.choose("Reference", "GPT-4o (2024-11-20)")
    one.go("Answer")
    follow = one.main.get_by_role("link", name="Plan a test of these four")
    named = one.main.locator(".st-key-answer_head").inner_text()
    follow.click()
    one.at("Plan")
    one.idle()
    reference = one.main.get_by_role("combobox", name="Reference").input_value()
    assert reference == "GPT-5.2"
    assert reference in named
    assert one.query["cases"] == ["Our own"]
    one.go("Answer")
    one.main.get_by_role("link", name="Try them on open cases first").click()
    one.at("Plan")
    one.idle()
    assert "cases" not in one.query
    assert "HealthBench" in one.main.inner_text()


def test_replace_and_a_models_page_lead_to_each_other_and_back(visitor):
    one = visitor("evidence=All+evidence&model=GPT-5.2", "model")
    one.main.get_by_role("link", name="Use as model in use").click()
    one.page.wait_for_url("**/replace?*in_use=GPT-5.2*")
    one.says("GPT-5.2 has grade")
    box = one.main.get_by_placeholder("Which model?")
    box.fill("gpt 6.1 sol")
    box.press("Enter")
    one.page.wait_for_url("**/model?*model=gpt*")
    one.wait(one.main.get_by_role("heading", name="GPT-6.1 sol", exact=True))
    one.page.go_back()
    one.page.wait_for_url("**/replace?*in_use=GPT-5.2*")
    one.says("GPT-5.2 has grade")


def test_a_model_chosen_on_a_second_tab_is_in_the_address(visitor):
    one = visitor("evidence=All+evidence&in_use=GPT-4.1", "replace")
    box = "Which model do you use now?"
    for tab, name in (("Side by side", "Claude Opus 5"), ("Candidates", "Claude Sonnet 4.6")):
        one.main.get_by_role("tab", name=tab, exact=True).click()
        one.at(tab)
        one.idle()
        one.choose(box, name)
        one.until(lambda name=name: one.query.get("in_use") == [name])


def test_a_tab_opened_from_its_own_page_survives_a_reload(visitor):
    one = visitor("evidence=All+evidence&model=GPT-5.2", "model")
    one.main.get_by_role("button", name="Compare", exact=True).click()
    compare = one.main.get_by_role("tab", name="Compare", exact=True, selected=True)
    one.wait(compare)
    one.choose("Compared with", "Claude Opus 4.6")
    one.until(lambda: "beside" in one.query)
    one.idle()
    one.page.reload()
    one.wait(compare)
