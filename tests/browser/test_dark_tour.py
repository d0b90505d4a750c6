"""The grand tour by night, and a browser that was lent before."""

from touring import WIDE, barriers, tour


def test_every_tab_by_night(server, reader):
    """A theme changes colours alone, so of what axe knows only contrast is asked again."""
    one = reader(server, viewport=WIDE, color_scheme="dark")

    def kept(one):
        box = one.side.get_by_role("combobox", name="Evidence base", exact=True)
        assert box.input_value() == "BRIDGE"
        return one.asked

    # The evidence with the longest pictures.
    assert tour(one, "dark", "sale=Not+asked&evidence=BRIDGE", kept, ["color-contrast"]) == {}


def test_what_is_chosen_can_be_read_by_night(server, reader):
    """Where items of a list are chosen and a main button stands, the accent is the ground."""
    one = reader(server, viewport=WIDE, color_scheme="dark")
    one.open("conditions", query="gates=Business+associate+agreement")
    chosen = one.side.get_by_test_id("stMultiSelect").get_by_title("Business associate agreement")
    chosen.filter(visible=True).first.wait_for()
    assert barriers(one.page, ["color-contrast"]) == []


def test_of_who_used_a_lent_browser_nothing_is_left(contexts, server):
    key, context = contexts.lend(locale="en-US")
    address = f"{server.url}/_stcore/health"
    page = context.new_page()
    page.goto(address)
    page.evaluate("localStorage.left = document.cookie = 'left=1'")
    seen = "[document.cookie.includes('left=1'), localStorage.length]"
    assert page.evaluate(seen) == [True, 1]
    contexts.take_back(key, context, {server.url})
    assert context.pages == []

    key, again = contexts.lend(locale="en-US")
    assert again is context
    page = again.new_page()
    page.goto(address)
    assert page.evaluate(seen) == [False, 0]
    contexts.take_back(key, again, {server.url})
