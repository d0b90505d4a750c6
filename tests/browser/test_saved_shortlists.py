"""Keep a shortlist, find it again, open it in another tab, rename and delete it."""

import re

import pytest
from driving import start


@pytest.fixture
def local(tmp_path, browser):
    """A server for the person in front of it, who may keep things."""
    running = start(tmp_path / "local", FORMULARY_LOCAL_RUN="1")
    yield running
    running.stop()


def keep(mine, name, note=""):
    mine.main.get_by_role("textbox", name="Name", exact=True).fill(name)
    mine.main.get_by_role("textbox", name="Note", exact=True).fill(note)
    mine.main.get_by_role("button", name="Keep", exact=True).press("Enter")
    mine.says(f"Kept as {name}.")


def test_a_shortlist_is_kept_compared_opened_and_deleted(local, reader):
    mine = reader(local)
    mine.open(query="evidence=MedHELM")
    mine.unfold("Keep this shortlist")
    keep(mine, "All tasks")
    mine.main.get_by_role("textbox", name="Note", exact=True).fill("half a thought")
    mine.fill("Monthly budget, US dollars", 100)
    mine.page.wait_for_url(re.compile("budget=100"))
    mine.idle()
    # The form is still open, with what was typed, although the page above it is another.
    note = mine.main.get_by_role("textbox", name="Note", exact=True)
    assert note.input_value() == "half a thought"
    keep(mine, "Within $100", "agreed on *Monday*\nby all <b>three</b>")
    mine.go("Kept lists")
    mine.says("To take then:", "agreed on *Monday*", "by all <b>three</b>")
    tables = mine.main.get_by_test_id("stDataFrame")
    # A table writes its cells a moment after the page around it.
    tables.first.locator("td", has_text="All tasks").wait_for(state="attached")
    assert [row[0] for row in mine.cells(0)] == ["Within $100", "All tasks"]

    with mine.page.context.expect_page() as opened:
        mine.main.get_by_role("link", name="Open this list").click()
    other = opened.value
    budget = other.get_by_role("spinbutton", name="Monthly budget, US dollars", exact=True)
    budget.wait_for()
    assert budget.input_value() == "100"
    assert "budget=100" in other.url
    other.get_by_role("heading", name="Recommend", exact=True).wait_for()
    other.close()

    mine.unfold("Decide, rename or share")
    mine.main.get_by_role("textbox", name="Name", exact=True).fill("Within the budget")
    mine.main.get_by_role("button", name="Save changes").press("Enter")
    mine.says("Within the budget was changed.")
    mine.unfold("Delete")
    mine.main.get_by_role("checkbox", name="Delete Within the budget for good").press("Space")
    mine.main.get_by_role("button", name="Delete", exact=True).press("Enter")
    mine.says("Within the budget was deleted.")
    mine.idle()
    tables.first.locator("td", has_text="Within the budget").wait_for(state="detached")
    assert [row[0] for row in mine.cells(0)] == ["All tasks"]


def test_a_server_without_login_says_why_nothing_can_be_kept(server, reader):
    visitor = reader(server, viewport={"width": 390, "height": 2400})
    visitor.open()
    assert visitor.main.get_by_text("Keep this shortlist").count() == 0
    visitor.open("saved")
    visitor.says("This server has no login, so it keeps nothing")
    width = visitor.main.evaluate("element => element.scrollWidth - element.clientWidth")
    assert width <= 0
