"""How a test turns to a tab and presses a button, and what it reads of a page."""

import re

from streamlit.util import calc_hash

from pages.components.entries import ENTRIES

TABS = {
    f"{entry.name}/{module.rpartition('.')[2]}": (entry, tab)
    for entry in ENTRIES.values()
    for tab, module in entry.tabs.items()
}


def turn_to(at, place):
    entry, tab = TABS[place]
    at.query_params[entry.key] = tab
    if entry.key in at.session_state:
        at.session_state[entry.key] = tab
    at._page_hash = calc_hash(entry.name)  # switch_page knows pages that are files
    return at.run()


def said(at):
    """All that the main part says in sentences, without escapes."""
    kinds = (at.main.markdown, at.main.caption, at.main.info, at.main.warning)
    kinds += (at.main.error, at.main.success, at.main.text)
    return "\n".join(one.value for kind in kinds for one in kind).replace("\\", "")


def number(pattern, at):
    """The numbers that the page says where a pattern with groups is."""
    found = re.search(pattern, said(at).replace("*", ""))
    assert found, pattern
    return [float(one.replace(",", "").replace("−", "-")) for one in found.groups()]


def tables(at, column):
    return [one.value for one in at.dataframe if column in one.value]


def table(at, column):
    return tables(at, column)[0]


def press(at, label):
    next(button for button in at.button if button.label == label).click().run()
    assert not at.exception, at.exception
    return at


def has_button(at, label):
    return label in [button.label for button in at.button]
