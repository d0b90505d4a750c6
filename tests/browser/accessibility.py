"""The barriers that axe finds on a page, as WCAG 2.2 AA asks."""

from axe_playwright_python.sync_playwright import Axe

RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]}
NOT_OURS = {"list", "listitem"}
"""Streamlit's own: the list of the menu puts its headings between its items."""


def faults(page):
    """List the serious faults that axe finds, each with where it is."""
    found = Axe().run(page, options=RULES).response["violations"]
    return [
        f"{fault['id']}: {node['target']} {node['html'][:160]}"
        for fault in found
        if fault["impact"] in ("serious", "critical") and fault["id"] not in NOT_OURS
        for node in fault["nodes"]
    ]
