"""Somebody new to the app finds each answer in three clicks, and it is the one of the core.

Nothing is chosen as evidence, so all evidence is asked, under the conditions of patient data in
the US.
"""

import csv
import io
import re
from dataclasses import dataclass
from datetime import date

import pytest
from driving import parsed

from core.answers.asked import ask
from core.answers.market import market as market_of
from core.answers.replacing import in_use
from core.domain import Question
from core.words.market import market_headline, newest_untested
from core.words.replacing import in_its_place

MOST = 3
WIDE, PHONE = (1280, 800), (390, 844)
PATIENT_DATA = Question.of(suite="", required=("baa", "trains_on_customer_data_by_default"))
"""What a first visit asks."""


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
        if self.phone:  # the menu no longer hides the page
            self.one.until(lambda: self.one.side.bounding_box()["x"] < 0)

    def to_test(self):
        rows = self.one.main.locator("ol > li")
        self.one.wait(rows.first)
        return rows.all_inner_texts()

    def heads(self, title):
        self.one.wait(self.one.main.get_by_role("heading", name=title, level=4, exact=True))

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


@pytest.fixture
def market(bundled):
    return lambda **asked: market_of(ask(bundled, PATIENT_DATA.having(**asked), date.today()))


def words_of(texts):
    """Words without the ends of lines, which follow the width that a scroll bar leaves."""
    return [text.split() for text in texts]


on_a_phone = pytest.mark.parametrize("stranger", [PHONE], indirect=True, ids=["phone"])
"""Where the menu must be opened first."""


def test_which_models_to_test_for_discharge_notes_under_300_dollars(stranger, market):
    stranger.choose("Work", "Documentation")
    stranger.one.fill("Monthly budget, US dollars", 300)
    asked = market(task="documentation", monthly_budget_usd=300.0)
    said = market_headline(asked, "documentation")
    stranger.heads(said.title)
    stranger.says(re.escape(said.after))
    names = [row.split("\n")[0] for row in stranger.to_test()]
    assert names == [each.model.name for each in asked.named()[:2]]


def test_what_was_never_tested_and_the_best_models_on_own_servers(stranger, market):
    said = newest_untested(market())
    assert said.startswith("Newest, and never tested on this work: ")
    assert stranger.says("^Newest, and never tested") == said
    stranger.choose("Where it may run", "Our own servers only")
    stranger.heads(market_headline(market(access="own"), "all kinds of work").title)


def test_what_replaces_gpt_4o(stranger, market, bundled):
    used, box = "GPT-4o (2024-11-20)", "Which model do you use now?"
    stranger.turn_to("Replace")
    stranger.press(box, "combobox")
    stranger.one.page.get_by_role("combobox", name=box, exact=True).fill(used)
    stranger.press(used, "option")
    found = in_use(ask(bundled, PATIENT_DATA, date.today()), used)
    stranger.heads(in_its_place(found, len(market().buyable)).title)
    stranger.says("^For existing customers only, until 14 April 2027, at Azure")


@on_a_phone
def test_which_models_form_a_cluster_and_which_tests_repeat_each_other(stranger):
    stranger.turn_to("Evidence")
    stranger.says("BRIDGE's models form two clusters that overlap: 68 score higher")
    _, content = stranger.one.take(stranger.one.file("clusters", "csv").filter(visible=True).first)
    assert content.decode("utf-8-sig").startswith("Model,Cluster,")
    stranger.press("Redundancy", "tab")
    assert stranger.says("groups of tests go together").startswith("13 groups")


def test_what_needs_a_signed_business_associate_agreement(stranger):
    stranger.turn_to("Conditions")
    stranger.one.wait(stranger.one.main.get_by_text("Every model at every platform"))
    stranger.one.wait(stranger.one.main.get_by_test_id("stDataFrame").first)
    stranger.one.idle()
    _, raw = stranger.one.take(stranger.one.file("conditions", "csv"))
    rows = csv.DictReader(io.StringIO(raw.decode("utf-8-sig"), newline=""))
    shown = {(row["Model"], row["Platform"]): row["BAA"].partition(" (")[0] for row in rows}
    assert "yes" in set(shown.values())
    assert shown["Claude Opus 4.6", "AWS Bedrock"] == "yes"


def test_the_list_as_a_file_and_a_link_that_a_colleague_opens(stranger, cli, server, reader):
    one = stranger.one
    stranger.press("Export")
    with one.page.expect_download() as started:
        stranger.press("List (CSV)")
    rows = parsed(started.value.path().read_bytes())
    asked = parsed(cli("market", "--profile", "us", "--csv")[1].encode())
    assert [row | {"link": ""} for row in rows] == [row | {"link": ""} for row in asked]
    assert str(date.today().year) in started.value.suggested_filename
    one.page.keyboard.press("Escape")

    stranger.clicks = 0
    one.open(query="task=Research")
    stranger.press("Copy link")
    one.wait(one.page.get_by_test_id("stPopoverBody").get_by_text("Copied."))
    link = one.page.evaluate("navigator.clipboard.readText()")
    mine = words_of(stranger.to_test())
    colleague = reader(server, viewport={"width": 1280, "height": 800})
    colleague.open(link, tab="Answer")
    theirs = Stranger(colleague, phone=False)
    assert words_of(theirs.to_test()) == mine
    assert colleague.query["task"] == ["Research"]
