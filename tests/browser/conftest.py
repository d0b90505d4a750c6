"""Real servers and a real Chromium: one browser a session, a clean context for each reader."""

from __future__ import annotations

import json
import os
import shutil
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from driving import ROOT, Reader, parsed, start

NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    # Nobody signed the certificates of the tests. Where only a context is told so, the browser
    # asks for each file anew, and now and then gives up on one ("too many retries").
    "--ignore-certificate-errors",
]
REQUIRED = os.environ.get("FORMULARY_REQUIRE_BROWSER") == "1"


def pytest_collection_modifyitems(items):
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)


def unavailable(why):
    if REQUIRED:
        pytest.fail(f"FORMULARY_REQUIRE_BROWSER=1, but {why}")
    pytest.skip(why)


@pytest.fixture(scope="session")
def server(tmp_path_factory, browser):
    running = start(tmp_path_factory.mktemp("server"))
    yield running
    running.stop()


@pytest.fixture(scope="module")
def copied_data(tmp_path_factory):

    def copy():
        folder = tmp_path_factory.mktemp("copy") / "data"
        return shutil.copytree(ROOT / "data", folder, ignore=shutil.ignore_patterns("store*"))

    return copy


@pytest.fixture
def told(cli):
    """Ask the command line what a link stands for; return rows, or a document where it has one."""

    def ask(command, query, kind="--csv"):
        status, out, err = cli(command, "--link", f"http://127.0.0.1/?{query}", kind)
        assert (status, err) == (0, "")
        return json.loads(out) if kind == "--json" else parsed(out.encode())

    return ask


@pytest.fixture(scope="session")
def browser(bundled):
    """One Chromium for all tests; skip without one, unless it is required."""
    try:
        from playwright.sync_api import sync_playwright  # noqa: PLC0415 - it may not be installed
    except ImportError:
        unavailable("Playwright is not installed")
    wanted = [os.environ["FORMULARY_CHROMIUM"]] if os.environ.get("FORMULARY_CHROMIUM") else NAMES
    found = next(filter(None, map(shutil.which, wanted)), None)
    if found is None:
        unavailable(f"there is no {' or '.join(wanted)} here")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=found, args=FLAGS)
        yield chromium
        chromium.close()


@dataclass
class Contexts:
    """Browsers of people, lent and taken back.

    A used one has the files of the program, read and compiled, which is half of opening a page.
    Of who used it before, nothing is left: no page, no cookie, nothing stored.
    """

    browser: object
    free: dict[str, list] = field(default_factory=lambda: defaultdict(list))

    def lend(self, **settings):
        key = json.dumps(settings, sort_keys=True)
        context = self.free[key].pop() if self.free[key] else self.browser.new_context(**settings)
        return key, context

    def take_back(self, key, context, origins):
        for page in context.pages:
            page.close()
        context.clear_cookies()
        page = context.new_page()
        session = context.new_cdp_session(page)
        for origin in origins:
            what = {"origin": origin, "storageTypes": "all"}
            session.send("Storage.clearDataForOrigin", what)
        page.close()
        self.free[key].append(context)


@pytest.fixture(scope="session")
def contexts(browser):
    return Contexts(browser)


@pytest.fixture
def reader(contexts):
    """Make readers; whatever a test does, nothing may leave this machine or fail unseen."""
    made, logs = [], {}

    def make(server, **options):
        # What moves while a page loads is Streamlit's, and to paint it takes longer than the page.
        usual = {"locale": "en-US", "reduced_motion": "reduce"}
        settings = {"viewport": {"width": 1280, "height": 3000}} | usual | options
        lent = contexts.lend(**settings)
        logs.setdefault(server.log, server.log.stat().st_size)
        made.append((lent, Reader(lent[1].new_page(), server)))
        return made[-1][1]

    yield make
    strangers = [url for _, one in made for url in one.strangers]
    errors = [error for _, one in made for error in one.errors]
    for lent, one in made:
        contexts.take_back(*lent, one.origins)
    logged = [log.read_bytes()[begin:].decode("utf-8", "replace") for log, begin in logs.items()]
    assert strangers == []
    assert errors == []
    signs = "Traceback", "A page failed", "Uncaught app", "ScriptRunContext"
    assert not [text for text in logged if any(sign in text for sign in signs)]
