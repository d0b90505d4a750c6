"""Text that would become a link or an icon, and the table's own download, in a real browser."""

import re
from urllib.parse import urlencode

import pytest
from driving import PAGES, TABS

from core.sharing import link
from core.sharing.controls import BY_KEY

ADDRESSES = "https://evil.example/in www.evil.example a@evil.example"
ICONS = ":material/lock: :material_lock: :smile: :+1: :red[x]"
"""Each is short enough to be quoted whole."""
NOTE = "Part of this link could not be used."
# What the app draws itself where these stand is counted on the page without them.
LURED = """() => [
  ...[...document.querySelectorAll('a')].filter(
    a => a.protocol === 'mailto:' || a.hostname.includes('evil')),
  ...document.querySelectorAll('[data-testid=stIconEmoji], img[alt="Streamlit logo"]'),
  ...[...document.querySelectorAll('[role=img], [data-testid=stIconMaterial]')].filter(
    i => /lock(?!_)/.test(i.ariaLabel || '') || i.textContent.trim() === 'lock'),
  ...[...document.querySelectorAll('.stMarkdownColoredText, .stMarkdownBadge')].filter(
    i => i.textContent.trim() === 'x'),
].map(found => found.outerHTML.slice(0, 300))"""


def seen(part):
    return part.inner_text().replace("\u200b", "")


def nothing_lures(one):
    assert one.page.evaluate(LURED) == []
    assert "\U0001f604" not in one.page.locator("body").inner_text()
    assert "\U0001f44d" not in one.page.locator("body").inner_text()


def test_nothing_in_a_link_becomes_a_link_or_an_icon(server, reader):
    """At every address, one after the other."""
    victim = reader(server)
    keys = (*link.QUESTION, *BY_KEY, *link.PAGES, "w_summarization", "v_discharge_letter")
    keys = tuple(key for key in keys if not key.endswith("_tab"))
    lures = {key: (ADDRESSES, ICONS)[i % 2] for i, key in enumerate(keys)}
    for path in PAGES:
        victim.open(path, query=urlencode(lures))
        victim.says(NOTE)
        nothing_lures(victim)
        note = seen(victim.main.get_by_test_id("stAlert").first)
        assert f"“{ADDRESSES}”" in note, path
        assert f"“{ICONS}”" in note, path
    # The browser's own search finds such text on the page as it reads.
    victim.open(query=urlencode({"task": "https://evil.example a@evil.example"}))
    victim.says(NOTE)
    assert victim.page.evaluate("window.find('“https://evil.example a@evil.example”')")


@pytest.fixture(scope="module")
def lured(renaming):
    """A server on evidence in which the best models have such names."""
    return renaming({"GPT-4": f"{ICONS} {ADDRESSES.replace('/', ' ')}", "Claude-2": ADDRESSES})


def test_no_name_of_a_model_becomes_a_link_or_an_icon(lured, reader):
    visitor = reader(lured)
    visitor.open("snapshots", query="evidence=BenchHealth&suite=BenchHealth")
    for tab in (*(tab for tab in TABS if tab != "Kept lists"), "Snapshots"):
        visitor.go(tab)
        nothing_lures(visitor)
        # On a slow machine those of the tab before may still be leaving, out of sight.
        folds = visitor.main.get_by_test_id("stExpander").locator("summary").filter(visible=True)
        for place in range(3):
            if place < folds.count():
                folds.nth(place).click()
                visitor.idle()
        nothing_lures(visitor)


def test_the_tables_own_download_is_gone_and_the_rest_of_its_corner_is_there(server, reader):
    one = reader(server)
    for path in ("", "coverage", "snapshots"):
        one.open(path)
        table = one.main.get_by_test_id("stDataFrame").filter(visible=True).first
        table.scroll_into_view_if_needed()
        table.hover()
        # Their names end in what the table shows.
        one.main.get_by_role("button", name=re.compile("^Search")).first.wait_for()
        own = re.compile("Download as CSV")
        here = one.main.locator("[data-testid=stElementToolbar] [aria-label^='Download']")
        assert here.count(), path
        assert one.page.get_by_role("button", name=own).count() == 0, path
    one.open()
    assert one.download().startswith(b"\xef\xbb\xbfrank,")
