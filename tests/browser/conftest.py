"""Real servers and a real Chromium: one browser a session, a clean context for each reader."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest
from driving import ROOT, Reader, parsed, start

# The first has no window at all, and takes half the time.
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    # Nobody signed the certificates of the tests. Where only a context is told so, the browser
    # asks for each file again, and now and then gives up on one ("too many retries").
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
    def copy(*suites):
        """Copy the data, or of its snapshots those of some suites alone."""

        def left_behind(path, names):
            others = {*names} - {*suites} if suites and Path(path).name == "snapshots" else set()
            return others | {name for name in names if name.startswith("store")}

        folder = tmp_path_factory.mktemp("copy") / "data"
        return shutil.copytree(ROOT / "data", folder, ignore=left_behind)

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


@pytest.fixture
def reader(browser):
    """Make readers; whatever a test does, nothing may leave this machine or fail unseen."""
    made, logs = [], {}

    def make(server, **options):
        # What moves while a page loads is Streamlit's, and to paint it takes longer than the page.
        usual = {"locale": "en-US", "reduced_motion": "reduce"}
        settings = {"viewport": {"width": 1280, "height": 3000}} | usual | options
        logs.setdefault(server.log, server.log.stat().st_size)
        made.append(Reader(browser.new_context(**settings).new_page(), server))
        return made[-1]

    yield make
    strangers = [url for one in made for url in one.strangers]
    errors = [error for one in made for error in one.errors]
    for one in made:
        one.page.context.close()
    logged = [log.read_bytes()[begin:].decode("utf-8", "replace") for log, begin in logs.items()]
    assert strangers == []
    assert errors == []
    signs = "Traceback", "A page failed", "Uncaught app", "ScriptRunContext"
    assert not [text for text in logged if any(sign in text for sign in signs)]
