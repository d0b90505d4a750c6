"""The grand tour by daylight, and what phones and keys ask for."""

from touring import PHONE, WIDE, tour

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


def test_every_tab_by_daylight(server, reader):
    one = reader(server, viewport=WIDE, color_scheme="light")
    # With every model, so that each page has all of its pictures.
    assert tour(one, "light", "sale=Not+asked&sale_on=2025-05-01", lambda one: one.asked) == {}


def test_the_menu_and_the_question_open_on_a_phone(server, reader):
    phone = reader(server, viewport=PHONE)
    phone.open(query="task=Decision+support&budget=300")
    at = phone.side.get_by_role("link", name="Cost").bounding_box()
    assert at["x"] + at["width"] <= 0
    # The question is one line, which opens over the whole screen.
    phone.main.get_by_role("button", name="Decision support · Anywhere · $300 a month").click()
    budget = phone.side.get_by_role("spinbutton", name="Monthly budget, US dollars")
    budget.wait_for()
    assert phone.side.bounding_box()["width"] == PHONE["width"]
    budget.fill("40")
    budget.press("Enter")
    phone.idle()
    phone.side.get_by_role("button", name="Show ").click()
    phone.main.get_by_role("button", name="Decision support · Anywhere · $40 a month").wait_for()
    phone.page.get_by_test_id("stExpandSidebarButton").click()
    phone.side.get_by_role("link", name="Cost").click()
    phone.at("Quality and cost")
    phone.page.get_by_test_id("stExpandSidebarButton").wait_for()
    assert phone.side.bounding_box()["x"] < 0, "the menu lies over the page that it opened"


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
    # Whatever was asked of another machine would be heard; ``reader`` looks after every test.
    assert any(url.startswith(f"{server.url}/_stcore/") for url in keys.requests)
    assert any(url.startswith("ws://127.0.0.1") for url in keys.requests)
    keys.requests.append("https://elsewhere.example/a.js")
    assert keys.strangers == [keys.requests.pop()]
