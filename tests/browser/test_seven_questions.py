"""Who has never seen the app finds each answer in three clicks, and it is the one of the core.

Nothing is chosen as evidence, so the app proposes it: BRIDGE, since too few models of MedHELM are
still sold.
"""

import csv
import io
import json
import re
from dataclasses import dataclass
from datetime import date
from urllib.parse import quote_plus

import pytest
from driving import parsed

from core.answers import recommend

MOST = 3
WIDE, PHONE = (1280, 800), (390, 844)
BRIDGE = "evidence=BRIDGE"


@dataclass
class Stranger:
    """A person in front of the landing page, with their clicks counted; each waits for its end."""

    one: object
    phone: bool
    clicks: int = 0

    def click(self, what):
        what.click()
        self.clicks += 1
        assert self.clicks <= MOST
        self.one.idle()

    def press(self, name, role="button"):
        self.click(self.one.page.get_by_role(role, name=name, exact=True))

    def choose(self, label, option):
        """Choose in a box of the side bar: a click into it and one on the option."""
        self.one.choose(label, option)
        self.clicks += 2
        assert self.clicks <= MOST
        self.one.idle()

    def turn_to(self, entry):
        """Choose an entry of the menu; on a phone it must be opened first."""
        if self.phone:
            self.click(self.one.page.get_by_test_id("stExpandSidebarButton"))
        self.press(entry, "link")
        self.one.wait(self.one.main.get_by_role("heading", name=entry, exact=True))
        assert not self.phone or self.one.side.bounding_box()["x"] < 0, "the menu hides the page"

    def to_test(self):
        rows = self.one.main.locator("ol > li")
        self.one.wait(rows.first)
        return rows.all_inner_texts()

    def says(self, pattern):
        found = self.one.main.locator("p").filter(has_text=re.compile(pattern)).first
        self.one.wait(found)
        return found.inner_text()


@pytest.fixture
def stranger(request, server, reader):
    width, height = getattr(request, "param", WIDE)
    may = ["clipboard-read", "clipboard-write"]
    one = reader(server, viewport={"width": width, "height": height}, permissions=may)
    one.open()
    return Stranger(one, phone=width == PHONE[0])


both = pytest.mark.parametrize("stranger", [WIDE, PHONE], indirect=True, ids=["wide", "phone"])
"""For one question of each kind: answered where one lands, from the menu, and taken away."""


def test_which_vendor_models_to_test_for_discharge_notes_under_300_dollars(stranger, told):
    stranger.choose("Task", "Documentation")
    stranger.says("^For encounter summarization and summarization")
    stranger.one.fill("Monthly budget, US dollars", 300)
    stranger.says(re.escape("within $300 a month"))
    query = f"{BRIDGE}&task=Documentation&access=A+vendor's+service&budget=300"
    asked = told("recommend", query, "--json")
    because = asked["headline"].partition(" on your own cases: ")[2]
    assert stranger.says(re.escape(because[1:])) == because[0].upper() + because[1:]
    names = [row.split("\n")[0] for row in stranger.to_test()]
    assert names == [each["name"] for each in asked["test_these"]]


def test_the_best_model_on_own_servers(stranger, told):
    stranger.choose("Where it may run", "Our own servers only")
    stranger.says("on your own servers")
    take = told("recommend", f"{BRIDGE}&access=Our+own+servers+only", "--json")["take"]
    main = stranger.one.main
    stranger.one.wait(main.get_by_role("heading", name=f"Take {take['name']}", level=4, exact=True))


@both
def test_what_is_on_sale_and_was_never_tested_on_this_work(stranger, bundled):
    sold = recommend.untested(bundled, "bridge", date.today())
    label = f"On sale, not tested on this work: {len(sold)} models"
    stranger.click(stranger.one.main.get_by_text(label))
    # It stands above the list of those that fit.
    stranger.one.wait(stranger.one.main.get_by_test_id("stDataFrame").nth(1))
    cells = stranger.one.cells()
    assert [row[0] for row in cells] == [name for name, _, _ in sold][: len(cells)]
    # A phone shows less of the table.
    assert all(f"test_models={quote_plus(cells[0][0])}" in cell for cell in cells[0][2:3])


def test_what_replaces_gpt_4o(stranger, cli):
    used = "gpt-4o-0806"
    stranger.turn_to("Replace")
    stranger.press("Which model do you use?", "combobox")
    stranger.one.page.get_by_role("combobox", name="Which model do you use?", exact=True).fill(
        used[:6]
    )
    stranger.press(used, "option")
    asked = json.loads(cli("recommend", "--in-place-of", used, "--json")[1])
    what, _, why = asked["headline"].partition(". ")[2].partition(" Ask first")[0].partition(": ")
    stranger.one.wait(stranger.one.main.get_by_role("heading", name=what, level=4, exact=True))
    assert stranger.says(re.escape(why[1:])) == why[0].upper() + why[1:]


@both
def test_which_models_form_a_cluster_and_which_tests_repeat_each_other(stranger):
    stranger.turn_to("Evidence")
    stranger.says(" do well on the tests of BRIDGE")
    _, content = stranger.one.take(stranger.one.file("clusters", "csv").filter(visible=True).first)
    assert content.decode("utf-8-sig").startswith("Model,Cluster,")
    stranger.press("Redundancy", "tab")
    assert stranger.says("repeat one another").startswith("13 groups")


def test_what_needs_a_signed_business_associate_agreement(stranger):
    stranger.turn_to("Conditions")
    stranger.one.wait(stranger.one.main.get_by_text("Every model at every platform"))
    stranger.one.wait(stranger.one.main.get_by_test_id("stDataFrame").first)
    _, raw = stranger.one.take(stranger.one.main.get_by_role("button", name="CSV").first)
    rows = csv.DictReader(io.StringIO(raw.decode("utf-8-sig"), newline=""))
    shown = {(row["Model"], row["Platform"]): row["BAA"].partition(" (")[0] for row in rows}
    assert {"yes", "on a condition", "not known"} <= set(shown.values())
    assert shown["DeepSeek-R1", "AWS Bedrock"] == "yes"


@both
def test_the_list_as_a_file_and_a_link_that_a_colleague_opens(stranger, told, server, reader):
    one = stranger.one
    stranger.press("Export")
    with one.page.expect_download() as started:
        stranger.press("List (CSV)")
    rows = parsed(started.value.path().read_bytes())
    asked = told("shortlist", BRIDGE)
    assert [row | {"link": ""} for row in rows] == [row | {"link": ""} for row in asked]
    assert str(date.today().year) in started.value.suggested_filename
    one.page.keyboard.press("Escape")

    stranger.clicks = 0
    one.open(query="task=Research")
    stranger.press("Copy link")
    one.wait(one.page.get_by_test_id("stPopoverBody").get_by_text("Copied."))
    link = one.page.evaluate("navigator.clipboard.readText()")
    receipt = "^Receipt [0-9a-f]"
    mine = stranger.to_test(), stranger.says(receipt)
    colleague = reader(server, viewport={"width": 1280, "height": 800})
    colleague.open(link, tab="Answer")
    theirs = Stranger(colleague, phone=False)
    assert (theirs.to_test(), theirs.says(receipt)) == mine
    assert colleague.query["task"] == ["Research"]
