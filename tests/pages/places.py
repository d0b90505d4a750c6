"""The tabs of the app by their modules, and how a test turns to one."""

from streamlit.util import calc_hash

from pages.components.entries import ENTRIES

TABS = {
    f"{entry.name}/{module.rpartition('.')[2]}": (entry, tab)
    for entry in ENTRIES.values()
    for tab, module in entry.tabs.items()
}


def turn_to(at, place):
    """Go to a tab, such as ``cost/quality``."""
    entry, tab = TABS[place]
    at.query_params[entry.key] = tab
    if entry.key in at.session_state:
        at.session_state[entry.key] = tab
    at._page_hash = calc_hash(entry.name)  # switch_page knows pages that are files
    return at.run()
