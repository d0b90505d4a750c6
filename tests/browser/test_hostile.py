"""Links that lie and names that are code, in a real browser.

That each of them is text at every tab is asked in ``tests/pages``, of all that is sent; here a
browser reads it: at the tabs that show most of what a link or a name may hold.
"""

import re
from urllib.parse import quote, urlencode

import pytest
from driving import parsed, start
from playwright.sync_api import expect

from core import handbook
from core.domain import ScoreTable
from core.evidence import snapshots
from core.evidence.catalogue import load
from tests.conftest import keep_table
from tests.pages.hostile import ADDRESSES, ICONS, KEYS, NUMBERS, SCRIPT

NOTE = "About this link:"
FORMULA = '=HYPERLINK("evil";"x") <b class=ran>b <img src=x onerror=window.ran=1> $x$ :red[x] **x**'
MARKUP = "<b>x</b>[a](http://evil)$x$:red[x]=1+1"
MARKUP_NAME, MARKUP_DEVELOPER = "evil)$x$:red[x]=1+1", "<b>x</b>[a](http:/"
"""An unknown model is named by what follows the last slash; its developer is the rest."""
LURE = f"{ICONS} {ADDRESSES.replace('/', ' ')}"

# What the app draws itself where these are is counted on the page without them.
LURED = """() => [
  ...[...document.querySelectorAll('a')].filter(
    a => a.protocol === 'mailto:' || a.hostname.includes('evil')),
  ...document.querySelectorAll('[data-testid=stIconEmoji], img[alt="Streamlit logo"]'),
  ...[...document.querySelectorAll('[role=img], [data-testid=stIconMaterial]')].filter(
    i => /lock(?!_)/.test(i.ariaLabel || '') || i.textContent.trim() === 'lock'),
  ...[...document.querySelectorAll('.stMarkdownColoredText, .stMarkdownBadge')].filter(
    i => i.textContent.trim() === 'x'),
].map(found => found.outerHTML.slice(0, 300))"""


def nothing_ran(one, formulas=0):
    # Formulas take a while to be drawn.
    expect(one.page.locator(".katex")).to_have_count(formulas)
    assert one.page.evaluate("window.ran") is None
    for made in ("img[src='x']", "b.ran", "a[href*='//evil']", "a[href^=javascript]"):
        assert one.page.locator(made).count() == 0, made
    assert one.page.get_by_text("Traceback").count() == 0
    assert one.page.get_by_text("Something went wrong on our side").count() == 0
    assert one.page.get_by_test_id("stException").count() == 0


def nothing_lures(one):
    assert one.page.evaluate(LURED) == []
    said = one.page.locator("body").inner_text()
    assert not {"\U0001f604", "\U0001f44d"} & set(said)


def test_nothing_in_a_link_is_more_than_text(server, reader):
    (scores,) = [part.text for part in handbook.sections() if part.anchor == "scores"]
    formulas = len(re.findall(r"\$\$.+?\$\$|\$[^$\n]+\$", scores, re.DOTALL))
    assert formulas > 0
    victim = reader(server)
    methods = "data?data_tab=Methods"
    for path, opened, drawn in (("replace", {}, 0), (methods, {"about-scores": "true"}, formulas)):
        victim.open(path, query=urlencode(dict.fromkeys((*KEYS, SCRIPT), SCRIPT) | opened))
        victim.says(NOTE)
        note = victim.main.get_by_test_id("stAlert").first.inner_text()
        assert "<img src=x onerror=window.ran=1>" in note, path
        assert note.count(" is not a number and was left out.") == len(NUMBERS), path
        nothing_ran(victim, drawn)
        side = victim.side.get_by_role("combobox", name="Evidence", exact=True)
        assert side.input_value() == "All evidence", path

        lures = {key: (ADDRESSES, ICONS)[i % 2] for i, key in enumerate(KEYS)}
        victim.open(path, query=urlencode(lures))
        victim.says(NOTE)
        nothing_lures(victim)
        note = victim.main.get_by_test_id("stAlert").first.inner_text().replace("\u200b", "")
        assert f"“{ADDRESSES}”" in note, path
        assert f"“{ICONS}”" in note, path
    # The browser's own search finds such text on the page as it reads.
    assert victim.page.evaluate(f"window.find('“{ADDRESSES}”')")
    # And what is far too long is cut.
    long = dict.fromkeys(("evidence", "task", "budget"), "x" * 10_000)
    victim.open(query=urlencode(long))
    victim.says(NOTE)
    note = victim.main.get_by_test_id("stAlert").inner_text()
    assert note.count("xxx…”") == 3
    assert len(note) < 500
    victim.open("nowhere", "", query=f"foo={quote(SCRIPT)}&{quote(SCRIPT)}=1&w_=&%00=%ff")
    victim.at("Answer")
    nothing_ran(victim)
    # The framework says the same to developers.
    assert all("page that you have requested" in error for error in victim.errors)
    victim.errors.clear()


@pytest.fixture(scope="module")
def renamed(tmp_path_factory, copied_data, browser):
    data = copied_data("benchhealth", "medhelm")
    folder = data / "snapshots" / "benchhealth" / "arxiv-2405.00716"
    table = snapshots.read_scores(folder, load(data / "catalogue").scales())
    names = {"GPT-4": FORMULA, "Claude-2": MARKUP}
    ranked = table.frame.groupby("model")["score"].mean().sort_values(ascending=False).index
    third, fourth = [model for model in ranked if model not in names][:2]
    names |= {third: LURE, fourth: ADDRESSES}
    new = table.frame["model"].map(names)
    frame = table.frame.assign(**{c: new.fillna(table.frame[c]) for c in ("model", "run")})
    assert set(names.values()) <= set(frame["model"])
    keep_table(data, ScoreTable("benchhealth", frame), revision="renamed")
    running = start(tmp_path_factory.mktemp("renamed"), data)
    yield running
    running.stop()


def test_a_name_that_is_code_is_text_and_no_formula_in_csv(renamed, reader):
    visitor = reader(renamed)
    visitor.open(query="evidence=BenchHealth")  # the very first request of this server
    # BenchHealth is not a test of this work, so what scores highest is only to be tested.
    visitor.says(f"Test {FORMULA} on your own cases", "BenchHealth alone is not enough")
    assert visitor.main.locator("ol > li > strong").all_inner_texts() == [FORMULA]
    assert [cells[2] for cells in visitor.cells()][:2] == [FORMULA, MARKUP_NAME]
    rows = parsed(visitor.download())
    first, second = rows[:2]
    for column in ("model", "name", "run"):
        assert first[column] == f"'{FORMULA}"
    assert (second["model"], second["name"]) == (MARKUP, MARKUP_NAME)
    assert second["developer"] == MARKUP_DEVELOPER
    cells = [cell for row in rows for cell in row.values()]
    assert not [cell for cell in cells if cell.startswith(("=", "+", "@", "\t", "\r"))]
    assert any(float(row["difference"]) < 0 for row in rows if row["difference"])

    visitor.main.get_by_test_id("stDataFrame").first.click(position={"x": 12, "y": 54})
    visitor.main.get_by_role("heading", name=FORMULA, level=3, exact=True).wait_for()
    visitor.main.get_by_text("Facts and sources").click()
    visitor.says(f"Run that was scored: {FORMULA}")
    visitor.main.locator("[data-testid=stVegaLiteChart] svg").first.wait_for()
    nothing_ran(visitor)
    nothing_lures(visitor)

    visitor.go("Candidates")
    visitor.choose("Which model do you use now?", MARKUP_NAME)
    visitor.says(f"can be replaced by {FORMULA}", f"the difference to {MARKUP_NAME}")
    nothing_ran(visitor)
    table = visitor.main.get_by_test_id("stDataFrame").filter(visible=True).first
    table.scroll_into_view_if_needed()
    table.hover()
    # The table's own download, which takes no formula out, is gone; the rest of its corner is not.
    visitor.main.get_by_role("button", name=re.compile("^Search")).first.wait_for()
    own = visitor.main.locator("[data-testid=stElementToolbar] [aria-label^='Download']")
    assert own.count()
    assert visitor.page.get_by_role("button", name=re.compile("Download as CSV")).count() == 0
    for tab in ("Side by side", "Win rates"):
        visitor.go(tab)
        nothing_ran(visitor)
        nothing_lures(visitor)
