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

import pytest
from driving import parsed

from core.answers import conditions
from core.answers import evidence as evidence_answers
from core.answers.data import selection_of
from core.domain import Requirements

MOST = 3
WIDE, PHONE = (1280, 800), (390, 844)
MONEY = re.compile(r"(about|at least) \$([0-9,.]+) a month", re.IGNORECASE)
MONEY_ALONE = re.compile(f"^{MONEY.pattern}$", re.IGNORECASE)
BRIDGE = "evidence=BRIDGE"


def dollars(cost):
    """Return the cost that the core proposes, in whole dollars, below ten in tenths."""
    kind, usd = ("at least", cost["low"]) if cost["likely"] is None else ("about", cost["likely"])
    return kind, round(usd, 0 if usd >= 10 else 1)


def written(text):
    """Return the cost in a text of the page."""
    kind, usd = MONEY.search(text).groups()
    return kind.lower(), float(usd.replace(",", ""))


@dataclass
class Stranger:
    """A person in front of the landing page, with their clicks counted; each waits for its end."""

    one: object
    phone: bool
    clicks: int = 0

    def click(self, what):
        what.click()
        self.clicks += 1
        self.one.idle()

    def press(self, name, role="button"):
        self.click(self.one.page.get_by_role(role, name=name, exact=True))

    def choose(self, label, option):
        """Open a select box, type a part of what is looked for, and choose: two clicks."""
        self.press(label, "combobox")
        self.one.page.get_by_role("combobox", name=label, exact=True).fill(option[:6])
        self.press(option, "option")

    def enter(self, label, text):
        """Type into a box and press Enter: one click."""
        box = self.one.page.get_by_role("spinbutton", name=label, exact=True)
        box.fill(text)
        box.press("Enter")
        self.clicks += 1
        self.one.idle()

    def turn_to(self, entry):
        """Choose an entry of the menu; on a phone it must be opened first."""
        if self.phone:
            self.click(self.one.page.get_by_test_id("stExpandSidebarButton"))
        self.press(entry, "link")
        self.one.heading(entry)
        assert not self.phone or self.one.side.bounding_box()["x"] < 0, "the menu hides the page"

    def within_three(self, question):
        assert 0 < self.clicks <= MOST, f"{question}: {self.clicks} clicks"

    def taken(self):
        """Return the model in the box, its cost, and whose cost that is."""
        heading = self.one.main.get_by_role("heading", name=re.compile("^(Take|Keep) "), level=4)
        self.one.wait(heading)
        cost = self.one.main.locator("p").filter(has_text=MONEY_ALONE).first.inner_text()
        whose = self.one.main.get_by_text(re.compile(r"(^|· )(from \S|own servers:)")).first
        return (
            re.sub("^(Take|Keep) ", "", heading.inner_text()),
            written(cost),
            whose.inner_text(),
        )

    def to_test(self):
        """Return each model of the short list to test, in its order, with its cost."""
        rows = self.one.main.locator("ol > li")
        self.one.wait(rows.first)
        return [(text.split(" · ")[0], written(text)) for text in rows.all_inner_texts()]

    def says(self, pattern):
        """Return a paragraph of the page, found by a part of it."""
        found = self.one.main.locator("p").filter(has_text=re.compile(pattern)).first
        self.one.wait(found)
        return found.inner_text()


@pytest.fixture(params=[WIDE, PHONE], ids=["wide", "phone"])
def stranger(request, server, reader):
    width, height = request.param
    may = ["clipboard-read", "clipboard-write"]
    one = reader(server, viewport={"width": width, "height": height}, permissions=may)
    one.open()
    return Stranger(one, phone=request.param == PHONE)


@pytest.fixture
def told(server):
    """Ask the command line what the page shows for a query."""

    def ask(query, command="recommend"):
        kind = "--json" if command == "recommend" else "--csv"
        answer = server.run(command, "--link", f"{server.url}/?{query}", kind)
        return json.loads(answer) if kind == "--json" else parsed(answer)

    return ask


def test_which_vendor_models_to_test_for_discharge_notes_under_300_dollars(stranger, told):
    stranger.press("Documentation", "radio")
    stranger.says("^For encounter summarization and summarization")
    if not stranger.phone:
        stranger.enter("Monthly budget, US dollars", "300")
    stranger.within_three("the best vendor model under $300")
    asked = told(f"{BRIDGE}&task=Documentation&access=A+vendor's+service&budget=300")
    assert asked["strength"] == "shortlist"
    assert stranger.says("on your own cases: ") == asked["headline"]
    named = [(each["name"], dollars(each["monthly_cost_usd"])) for each in asked["test_these"]]
    assert stranger.to_test() == named
    assert all(usd <= 300 for _, (_, usd) in named)


def test_the_best_model_on_one_gpu_of_80_gb_and_the_smallest_as_good(stranger, told):
    stranger.press("One 80 GB GPU", "radio")
    stranger.within_three("the best model on one GPU")
    query = f"{BRIDGE}&access=Our+own+servers+only&max_params=33+B&gpu=A100+80GB"
    asked = told(query)
    name, cost, whose = stranger.taken()
    assert name == asked["take"]["name"]
    assert cost == dollars(asked["take"]["monthly_cost_usd"])
    assert cost[0] == "at least"
    assert whose.endswith("own servers: 1 × A100 80GB, capacity not published")
    as_good = [name, *(each["name"] for each in asked["as_good"])]
    sizes = {row["name"]: float(row["params_b"]) for row in told(query, "shortlist")}
    assert max(sizes.values()) <= 33
    smallest = min(as_good, key=sizes.get)
    shown = stranger.one.main.inner_text()
    # Without any model for one of them the three lists are not drawn at all.
    beside = re.search(r"\nAs good\s+(.*?)\s+Worth a test\s", shown, re.DOTALL)
    assert bool(beside) == any(asked[key] for key in ("as_good", "worth_testing", "step_down"))
    listed = beside[1] if beside else "None."
    assert ("None." in listed) == (smallest == name)
    assert smallest == name or smallest in listed


def test_what_replaces_gpt_4o(stranger, server):
    used = "gpt-4o-0806"
    stranger.press("We use another model", "link")
    stranger.one.at("Candidates")
    stranger.choose("Model in use", used)
    stranger.within_three("what replaces GPT-4o")
    asked = json.loads(server.run("recommend", "--in-place-of", used, "--json"))
    assert stranger.says("can be replaced by") == asked["headline"]
    assert stranger.taken()[0] == asked["take"]["name"]


def test_which_models_form_a_cluster(stranger, server):
    stranger.turn_to("Evidence")
    first, second = stranger.says(" do well on the tests of BRIDGE").split(" less so")
    with stranger.one.page.expect_download() as started:
        stranger.click(stranger.one.file("clusters", "csv").filter(visible=True).first)
    stranger.within_three("which models form a cluster")
    told = started.value.path().read_text("utf-8-sig")
    rows = list(csv.DictReader(io.StringIO(told, newline="")))
    found = json.loads(server.run("taxonomy", "--suite", "bridge", "--json"))["clusters"]
    assert len(found) == 2
    for cluster, here in (("H", first), ("L", second)):
        members = [row["Identifier"] for row in rows if row["Cluster"] == cluster]
        assert sorted(members) == sorted(found[cluster])
        # Six are named, and the rest counted.
        named, n_others = re.search(r"\((.+) and (\d+) others\)", here).groups()
        assert len(named.split(", ")) + int(n_others) == len(members)
        names = {row["Model"] for row in rows if row["Cluster"] == cluster}
        assert set(named.split(", ")) <= names


def test_which_tests_repeat_each_other(stranger, bundled):
    stranger.turn_to("Evidence")
    stranger.press("Redundancy", "tab")
    stranger.within_three("which tests repeat each other")
    said = stranger.says("repeat one another").split(". Counted without repetition")[0]
    *listed, rest = said.partition("repeat one another:")[2].split("; ")
    names = {benchmark.id: benchmark.name for benchmark in bundled.catalogue.benchmarks["bridge"]}
    groups = evidence_answers.vote_groups(bundled, selection_of(Requirements(suite="bridge")))
    repeated = [{names[test] for test in group} for group in groups if len(group) > 1]
    # The five largest are listed, and eight tests of one at most: 13 groups in all.
    assert (said.startswith("13 groups"), len(repeated), rest) == (True, 13, "and eight more")
    assert len(listed) == 5
    largest = sorted(map(len, repeated), reverse=True)[:5]
    for part, size in zip(listed, largest, strict=True):
        shown = re.split(r",\s+|\s+and\s+", part.strip(" :"))
        others = re.fullmatch(r"(\d+) others", shown[-1])
        tests = set(shown[:-1] if others else shown)
        assert len(tests) + (int(others[1]) if others else 0) == size
        assert [len(group) for group in repeated if tests <= group] == [size]


def test_what_needs_a_signed_business_associate_agreement(stranger, bundled):
    stranger.turn_to("Conditions")
    stranger.within_three("what needs a signed BAA")
    cells = stranger.one.main.locator("svg.marks path[aria-label*='Business associate']")
    cells.first.wait_for()
    label = re.compile("; platform: (.*?); standing: (.*?);")
    shown = dict(
        label.search(text).groups()
        for text in cells.evaluate_all("cells => cells.map(cell => cell.ariaLabel)")
    )
    every = conditions.platform_answers(bundled, Requirements(suite="bridge"))
    known = {one.about for one in every if one.standing != "not known"}
    asked = {
        one.about: one.standing for one in every if one.kind.id == "baa" and one.about in known
    }
    assert {"as wanted", "on a condition", "not as wanted"} < set(asked.values())
    assert shown == asked


def test_the_list_as_a_file(stranger, told):
    stranger.press("Export")
    with stranger.one.page.expect_download() as started:
        stranger.press("List (CSV)")
    stranger.within_three("the CSV")
    rows = parsed(started.value.path().read_bytes())
    assert [row | {"link": ""} for row in rows] == [
        row | {"link": ""} for row in told(BRIDGE, "shortlist")
    ]
    assert str(date.today().year) in started.value.suggested_filename


def test_a_link_that_a_colleague_opens(stranger, server, reader):
    stranger.press("Research", "radio")
    stranger.press("Copy link")
    code = stranger.one.page.get_by_test_id("stPopoverBody").get_by_test_id("stCode")
    code.hover()
    stranger.click(code.get_by_role("button"))
    stranger.within_three("a link for a colleague")
    link = stranger.one.page.evaluate("navigator.clipboard.readText()")
    receipt = "^Receipt [0-9a-f]"
    mine = stranger.to_test(), stranger.says(receipt)
    colleague = reader(server, viewport={"width": 1280, "height": 800})
    colleague.open(link, tab="Answer")
    theirs = Stranger(colleague, phone=False)
    assert (theirs.to_test(), theirs.says(receipt)) == mine
    assert colleague.query["task"] == ["Research"]
