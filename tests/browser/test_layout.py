"""What every page owes its reader: it fits, it can be reached by keys, and it stays at home."""

import pytest
from accessibility import faults
from driving import MENU, PAGES

CONTRAST = {"light": (200, 255), "dark": (0, 60)}

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

FOCUS = """() => {
  const at = document.activeElement;
  const style = getComputedStyle(at);
  const box = at.getBoundingClientRect();
  return {
    label: (at.getAttribute('aria-label') || at.textContent || '').trim(),
    tag: at.tagName,
    visible: box.width > 0 && box.height > 0,
    look: [style.outlineStyle, style.outlineWidth, style.outlineColor, style.boxShadow,
           style.borderColor].join(' '),
  };
}"""


def fits(one, theme, title):
    """Check the page that is open, with its pictures drawn."""
    if title not in WITHOUT_A_PICTURE:
        marks = "[data-testid=stVegaLiteChart] :is(svg.marks, canvas)"
        one.main.locator(marks).first.wait_for()
    assert one.page.evaluate(TOO_WIDE) == [], title
    ground = one.page.get_by_test_id("stApp").evaluate(
        "at => getComputedStyle(at).backgroundColor.match(/[0-9]+/g).slice(0, 3).map(Number)"
    )
    low, high = CONTRAST[theme]
    assert all(low <= part <= high for part in ground), title
    standing = "Public benchmarks do not replace a local validation"
    assert one.main.get_by_text(standing).is_visible()


# With every model, so that each page has all of its pictures; of BRIDGE they are the longest.
@pytest.mark.parametrize(
    ("theme", "query"),
    [("light", "sale=Not+asked&sale_on=2025-05-01"), ("dark", "sale=Not+asked&evidence=BRIDGE")],
)
def test_every_page_fits_a_phone(theme, query, server, reader):
    phone = reader(server, viewport={"width": 390, "height": 2400}, color_scheme=theme)
    for path, title in PAGES.items():
        phone.open(path, query=query)
        fits(phone, theme, title)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_page_fits_a_screen_and_has_no_barrier_that_axe_finds(theme, server, reader):
    one = reader(server, viewport={"width": 1280, "height": 2400}, color_scheme=theme)
    one.open(query="sale=Not+asked&sale_on=2025-05-01")
    found = {}
    # BenchHealth has a tab only where it is the evidence; a phone looks at it above.
    titles = [title for title in PAGES.values() if title != "BenchHealth"]
    for title in (*titles[1:], titles[0]):
        one.go(title)
        fits(one, theme, title)
        found[title] = faults(one.page)
    assert {title: of_it for title, of_it in found.items() if of_it} == {}


def test_the_menu_and_the_question_open_on_a_phone(server, reader):
    phone = reader(server, viewport={"width": 390, "height": 2400})
    phone.open()
    at = phone.side.get_by_role("link", name="Cost").bounding_box()
    assert at["x"] + at["width"] <= 0
    phone.page.get_by_test_id("stExpandSidebarButton").click()
    phone.side.get_by_role("link", name="Cost").click()
    phone.at("Quality and cost")
    phone.page.get_by_test_id("stExpandSidebarButton").wait_for()
    assert phone.side.bounding_box()["x"] < 0, "the menu lies over the page that it opened"


def test_the_question_is_one_line_on_a_phone_and_opens_over_the_whole_screen(server, reader):
    phone = reader(server, viewport={"width": 390, "height": 844})
    phone.open(query="task=Decision+support&budget=300")
    phone.main.get_by_role("button", name="Decision support · Anywhere · $300 a month").click()
    budget = phone.side.get_by_role("spinbutton", name="Monthly budget, US dollars")
    budget.wait_for()
    assert phone.side.bounding_box()["width"] == 390
    budget.fill("40")
    budget.press("Enter")
    phone.idle()
    phone.side.get_by_role("button", name="Show ").click()
    phone.main.get_by_role("button", name="Decision support · Anywhere · $40 a month").wait_for()
    phone.page.get_by_test_id("stExpandSidebarButton").wait_for()


def test_keys_alone_reach_the_download_and_show_where_they_are(server, reader):
    keys = reader(server)
    keys.open()
    # A wide screen shows the question once.
    assert keys.side.get_by_role("button", name="Show ").count() == 0
    assert keys.main.get_by_role("button", name="change").count() == 0
    stops, unmarked = [], []
    for _ in range(100):
        keys.page.keyboard.press("Tab")
        stop = keys.page.evaluate(FOCUS)
        stops.append(stop["label"])
        if "Export" in stop["label"] and stop["tag"] == "BUTTON":
            break
        if stop["tag"] in ("A", "BUTTON") and not stop["visible"]:
            unmarked.append(stop["label"])
    assert "Export" in stops[-1], stops
    assert unmarked == []
    for name in ("Evidence", "Evidence base", "Monthly budget, US dollars"):
        assert any(name in label for label in stops), name
    keys.page.keyboard.press("Enter")
    button = keys.page.get_by_role("button", name="List (CSV)", exact=True)
    button.wait_for()
    keys.idle()
    for _ in range(60):
        keys.page.keyboard.press("Tab")
        if "List (CSV)" in keys.page.evaluate(FOCUS)["label"]:
            break
    focused = keys.page.evaluate(FOCUS)["look"]
    with keys.page.expect_download() as started:
        keys.page.keyboard.press("Enter")
    assert started.value.suggested_filename.startswith("shortlist-bridge-")
    button.evaluate("button => { window.button = button; button.blur() }")
    unfocused = FOCUS.replace("document.activeElement", "window.button")
    keys.page.wait_for_function(f"look => ({unfocused})().look !== look", arg=focused)


def test_what_is_asked_of_which_machine_is_heard(server, reader):
    """Of another nothing may be: the fixture ``reader`` looks at it after every test."""
    reading = reader(server)
    reading.open()
    assert any(url.startswith(f"{server.url}/_stcore/") for url in reading.requests)
    assert any(url.startswith("ws://127.0.0.1") for url in reading.requests)
    assert reading.strangers == []
    reading.requests.append("https://elsewhere.example/a.js")
    assert reading.strangers == [reading.requests.pop()]
