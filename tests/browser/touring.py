"""The grand tour: through every tab by clicks, on a screen and on a phone, with axe at each."""

from axe_playwright_python.sync_playwright import Axe
from driving import MENU, TABS
from playwright.sync_api import expect

WIDE, PHONE = {"width": 1280, "height": 2400}, {"width": 390, "height": 2400}
GROUND = {"light": (200, 255), "dark": (0, 60)}
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
NOT_OURS = {"list", "listitem"}
"""Streamlit's own: the list of the menu puts its headings between its items."""
MARKS = "svg.marks g"
"""What a picture draws by the thousand; its name and what stands around it are looked at."""
BENCHHEALTH = "evidence?evidence_tab=BenchHealth"

WITHOUT_A_PICTURE = {
    # What own servers serve is drawn only where somebody has published it.
    *("BenchHealth", "Different models", "Own servers"),
    *("Kept lists", "Own answers", "Package", "Results", "Jury check"),
    *MENU["Data"],
}
TOO_WIDE = """() => {
  const found = [];
  const boxes = [document.documentElement, document.body,
    ...document.querySelectorAll('[data-testid=stMain], [data-testid=stAppViewContainer]')];
  for (const box of boxes)
    if (box.scrollWidth > box.clientWidth + 1)
      found.push(`${box.dataset.testid || box.tagName}: ${box.scrollWidth} in ${box.clientWidth}`);
  const main = document.querySelector('[data-testid=stMain]').getBoundingClientRect();
  const parts = '[data-testid=stMain] :is(h1, h2, h3, h4, p, button, svg.marks, '
    + '[data-testid=stDataFrame], [data-testid=stAlert], [data-testid=stExpander])';
  for (const part of document.querySelectorAll(parts)) {
    const box = part.getBoundingClientRect();
    if (box.width && part.checkVisibility() && !part.closest('[data-testid=stElementToolbar]')
        // What is chosen in a box of several scrolls within that box.
        && !part.closest('[data-testid=stMultiSelectTagsContainer]')
        && (box.right > main.right + 1 || box.left < main.left - 1))
      found.push(`${part.dataset.testid || part.tagName} ${part.textContent.slice(0, 40)}`);
  }
  return found;
}"""


def barriers(page, rules=RULES):
    """List the serious faults that axe finds, each with where it is."""
    found = Axe().run(page, context={"exclude": [[MARKS]]}, options={"runOnly": rules})
    return [
        f"{fault['id']}: {node['target']} {node['html'][:160]}"
        for fault in found.response["violations"]
        if fault["impact"] in ("serious", "critical") and fault["id"] not in NOT_OURS
        for node in fault["nodes"]
    ]


def fits(one, theme, tab):
    """Check the width and the ground of the page that is open, with its pictures drawn."""
    if tab not in WITHOUT_A_PICTURE:
        marks = "[data-testid=stVegaLiteChart] :is(svg.marks, canvas)"
        one.main.locator(marks).first.wait_for()
    # After a turn of the phone a picture is drawn anew, a moment later.
    too_wide = one.page.wait_for_function(f"() => JSON.stringify(({TOO_WIDE})()) === '[]'")
    assert too_wide.json_value(), tab
    ground = one.page.get_by_test_id("stApp").evaluate(
        "at => getComputedStyle(at).backgroundColor.match(/[0-9]+/g).slice(0, 3).map(Number)"
    )
    low, high = GROUND[theme]
    assert all(low <= part <= high for part in ground), tab
    standing = "Public benchmarks do not replace a local validation"
    expect(one.main.get_by_text(standing)).to_be_visible()


def tour(one, theme, query, kept, rules=RULES):
    """Go through all tabs; return what axe finds on each where it finds something.

    ``kept`` reads the address of the page, and must read the same on every tab.
    """
    one.open(query=query)
    before, found = kept(one), {}
    for tab in (*(tab for tab in TABS[1:] if tab != "BenchHealth"), TABS[0], "BenchHealth"):
        # It has a tab only where it is the evidence, or where an address names it.
        one.open(BENCHHEALTH, query=query) if tab == "BenchHealth" else one.go(tab)
        assert kept(one) == before, tab
        fits(one, theme, tab)
        found[tab] = barriers(one.page, rules)
        one.page.set_viewport_size(PHONE)
        fits(one, theme, tab)
        one.page.set_viewport_size(WIDE)
    return {tab: faults for tab, faults in found.items() if faults}
