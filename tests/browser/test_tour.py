"""The grand tour: through every tab by clicks, on a screen and a phone, by day and by night.

And what phones and keys ask for.
"""

from driving import TABS, barriers
from playwright.sync_api import expect

WIDE, PHONE = {"width": 1280, "height": 2400}, {"width": 390, "height": 2400}
GROUND = {"light": (200, 255), "dark": (0, 60)}
BENCHHEALTH = "evidence?evidence_tab=BenchHealth"

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

ON_ACCENT = ("button[kind^=primary]", "[data-testid=stMultiSelect] span")
"""Where the server writes in dark letters once it is asked by night: see the second test."""
AROUND = ("[data-testid=stSidebar]", "[data-testid=stHeader]")


def fits(one, theme):
    one.idle()
    # After a turn of the phone a picture is drawn again, a moment later.
    one.page.wait_for_function(f"() => JSON.stringify(({TOO_WIDE})()) === '[]'")
    low, high = GROUND[theme]
    one.page.wait_for_function(
        """([low, high]) => getComputedStyle(document.querySelector('[data-testid=stApp]'))
          .backgroundColor.match(/[0-9]+/g).slice(0, 3).every(n => low <= n && n <= high)""",
        arg=[low, high],
    )
    standing = "Public benchmarks do not replace a local validation"
    expect(one.main.get_by_text(standing)).to_be_visible()


def test_every_tab_by_day_and_by_night(server, reader):
    """A theme changes colours alone, so of what axe knows only contrast is asked again.

    What is around a page is the same at each tab, and axe looks at it once.
    """
    one, found, around = reader(server, viewport=WIDE, color_scheme="light"), {}, ()
    # With every model, so that each page has all of its pictures.
    query = "sale=Not+asked&sale_on=2025-05-01"
    one.open(query=query)
    before = one.asked
    for tab in (*(tab for tab in TABS[1:] if tab != "BenchHealth"), TABS[0], "BenchHealth"):
        # It has a tab only where it is the evidence, or where an address names it.
        one.open(BENCHHEALTH, query=query) if tab == "BenchHealth" else one.go(tab)
        # What is compared is in the address as well, a moment after the page stands still.
        beside = {"compare"} if tab == "Side by side" else set()
        one.until(lambda beside=beside: one.asked.keys() == before.keys() | beside)
        assert {key: one.asked[key] for key in before} == before, tab
        fits(one, "light")
        found[tab] = barriers(one.page, but=around)
        one.page.set_viewport_size(PHONE)
        one.page.emulate_media(color_scheme="dark")
        fits(one, "dark")
        found[tab] += barriers(one.page, ["color-contrast"], (*ON_ACCENT, *around))
        one.page.emulate_media(color_scheme="light")
        one.page.set_viewport_size(WIDE)
        around = AROUND
    assert {tab: faults for tab, faults in found.items() if faults} == {}


def test_what_is_chosen_can_be_read_by_night(server, reader):
    """Where items of a list are chosen and a main button is drawn, the accent is the ground."""
    one = reader(server, viewport=WIDE, color_scheme="dark")
    one.open("conditions", query="gates=Business+associate+agreement+%28BAA%29")
    chosen = one.side.get_by_test_id("stMultiSelect").get_by_title(
        "Business associate agreement (BAA)"
    )
    chosen.filter(visible=True).first.wait_for()
    assert barriers(one.page, ["color-contrast"]) == []


def test_the_menu_and_the_question_open_on_a_phone(server, reader):
    phone = reader(server, viewport=PHONE)
    phone.open(query="task=Decision+support&budget=300")
    link = phone.side.get_by_role("link", name="Cost")
    phone.until(lambda: (at := link.bounding_box())["x"] + at["width"] <= 0)
    # The question is one line, which opens over the whole screen.
    phone.main.get_by_role("button", name="Decision support · $300 a month").click()
    budget = phone.side.get_by_role("spinbutton", name="Monthly budget, US dollars")
    budget.wait_for()
    # It slides in.
    phone.page.wait_for_function(
        "width => document.querySelector('[data-testid=stSidebar]').offsetWidth === width",
        arg=PHONE["width"],
    )
    budget.fill("40")
    budget.press("Enter")
    phone.idle()
    phone.side.get_by_role("button", name="Show ").click()
    phone.main.get_by_role("button", name="Decision support · $40 a month").wait_for()
    phone.page.get_by_test_id("stExpandSidebarButton").click()
    phone.side.get_by_role("link", name="Cost").click()
    phone.at("Quality and cost")
    phone.page.get_by_test_id("stExpandSidebarButton").wait_for()
    # The menu does not lie over the page that it opened.
    phone.until(lambda: phone.side.bounding_box()["x"] < 0)


def test_keys_alone_reach_the_download_and_show_where_they_are(server, reader):
    keys = reader(server)
    keys.open()
    # A wide screen shows the question once, as soon as its style is there.
    keys.until(lambda: keys.side.get_by_role("button", name="Show ").count() == 0)
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
    for name in ("Evidence", "Work", "Monthly budget, US dollars"):
        assert any(name in label for label in stops), name
    keys.page.keyboard.press("Enter")
    button = keys.page.get_by_role("button", name="List (CSV)", exact=True)
    button.wait_for()
    keys.idle()
    # What opens is at the end of the page, after the cells of the matrix, which focus explains.
    for _ in range(130):
        keys.page.keyboard.press("Tab")
        if "List (CSV)" in keys.page.evaluate(FOCUS)["label"]:
            break
    focused = keys.page.evaluate(FOCUS)["look"]
    with keys.page.expect_download() as started:
        keys.page.keyboard.press("Enter")
    assert started.value.suggested_filename.startswith("market-balanced-")
    button.evaluate("button => { window.button = button; button.blur() }")
    unfocused = FOCUS.replace("document.activeElement", "window.button")
    keys.page.wait_for_function(f"look => ({unfocused})().look !== look", arg=focused)
    # Whatever was asked of another machine would be heard; ``reader`` looks after every test.
    assert any(url.startswith(f"{server.url}/_stcore/") for url in keys.requests)
    assert any(url.startswith("ws://127.0.0.1") for url in keys.requests)
    keys.requests.append("https://elsewhere.example/a.js")
    assert keys.strangers == [keys.requests.pop()]
