"""No barrier that axe finds, as WCAG 2.2 AA asks: the page of those who run the server.

``test_layout`` asks the same of every other page, and ``test_login`` of the login.
"""

import pytest
from axe_playwright_python.sync_playwright import Axe
from driving import start

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


@pytest.fixture(scope="module")
def local(tmp_path_factory, browser):
    """A server that runs for the person in front of it, so that it shows the tab Server."""
    running = start(tmp_path_factory.mktemp("local"), FORMULARY_LOCAL_RUN="1")
    yield running
    running.stop()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_page_of_those_who_run_the_server_has_no_serious_fault(theme, local, reader):
    reading = reader(local, color_scheme=theme)
    reading.open("server", "Server")
    assert faults(reading.page) == []
