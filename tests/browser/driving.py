"""Drive the app as a person does: a server process, a page, and the files it hands out."""

from __future__ import annotations

import csv
import io
import os
import re
import socket
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from urllib.error import URLError
from urllib.parse import parse_qs, urlsplit
from urllib.request import urlopen

from pages.components.entries import ENTRIES

ROOT = Path(__file__).parents[2]

MENU = {entry.title: tuple(entry.tabs) for entry in ENTRIES.values() if entry.in_menu}
"""The tabs of each entry in the order of the menu."""
TABS = tuple(tab for tabs in MENU.values() for tab in tabs)
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
NOT_OURS = {"list", "listitem"}
"""Streamlit's own: the list of the menu puts its headings between its items."""

# Streamlit looks for its own health check below the page's path before it tries the root.
PROBE = re.compile(r"//127\.0\.0\.1:\d+(/\w+)+/_stcore/(health|host-config)$")

# A menu link followed before the controls are drawn would leave the question behind, and a picture
# that is drawn late moves a button away under the mouse.
IDLE = """() => {
  const app = document.querySelector('[data-testid=stApp]');
  return app && app.dataset.testConnectionState === 'CONNECTED'
    && app.dataset.testScriptState === 'notRunning'
    && [...document.querySelectorAll('[data-testid=stSidebar] button')].some(
      button => button.textContent.endsWith('Reset'))
    && !document.querySelector('[data-stale=true], [data-testid=stSpinner]')
    && [...document.querySelectorAll('[data-testid=stVegaLiteChart], [data-testid=stDataFrame]')]
      .every(part => !part.checkVisibility() || part.querySelector('svg, canvas'));
}"""


def entry_of(tab):
    return next(entry for entry, tabs in MENU.items() if tab in tabs)


def shown_at(address):
    """Return the tab that an address opens."""
    parts = urlsplit(address)
    entry = ENTRIES[parts.path.strip("/") or "recommend"]
    named = parse_qs(parts.query).get(entry.key)
    return named[0] if named else next(iter(entry.tabs))


def barriers(page, rules=RULES, but=()):
    """List the serious faults that axe finds, each with where it is.

    What a picture draws by the thousand is skipped; its name and what is around it are
    looked at.
    """
    # Imported here: who only starts a server needs no browser.
    from axe_playwright_python.sync_playwright import Axe  # noqa: PLC0415

    passed_over = {"exclude": [["svg.marks g"], *([place] for place in but)]}
    # Else axe describes each part that passes, too, which takes longer than to find the faults.
    options = {"runOnly": rules, "resultTypes": ["violations"]}
    found = Axe().run(page, context=passed_over, options=options)
    return [
        f"{fault['id']}: {node['target']} {node['html'][:160]}"
        for fault in found.response["violations"]
        if fault["impact"] in ("serious", "critical") and fault["id"] not in NOT_OURS
        for node in fault["nodes"]
    ]


@dataclass
class Server:
    process: subprocess.Popen
    url: str
    log: Path
    environment: dict[str, str]

    def stop(self):
        self.process.kill()
        self.process.wait(timeout=10)


def start(folder, data=None, *, address="127.0.0.1", script="app.py", root=ROOT, **more):
    """Start the app on a free port; nothing but its health has been asked when this returns.

    Over the bundled data it finds the store of the tests; over others it builds its own.
    """
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    folder.mkdir(parents=True, exist_ok=True)
    environment = {k: v for k, v in os.environ.items() if k != "FORMULARY_DATA"}
    if data is not None:
        environment["FORMULARY_STORE"] = str(folder / "store.duckdb")
        environment["FORMULARY_DATA"] = str(data)
    environment |= more
    log = folder / "log.txt"
    command = [sys.executable, "-m", "streamlit", "run", script, "--server.port", str(port)]
    with log.open("wb") as out:
        process = subprocess.Popen(
            [*command, "--server.address", address],
            cwd=root,
            env=environment,
            stdout=out,
            stderr=subprocess.STDOUT,
        )
    base = more.get("STREAMLIT_SERVER_BASE_URL_PATH", "")
    url = f"http://127.0.0.1:{port}" + (base and f"/{base}")
    server = Server(process, url, log, environment)
    deadline = time.monotonic() + 180
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with urlopen(f"{server.url}/_stcore/health", timeout=5) as answer:
                if answer.read() == b"ok":
                    return server
        except (URLError, ConnectionError, TimeoutError):
            pass
        time.sleep(0.1)
    server.stop()
    raise AssertionError(f"The app did not start.\n{log.read_text('utf-8', 'replace')}")


@dataclass
class Reader:
    """A person at a browser of their own, with what the page did behind their back."""

    page: object
    server: Server
    requests: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def __post_init__(self):
        # A limit, not a measure: a busy machine may take a minute where an idle one takes a second.
        self.page.set_default_timeout(120_000)
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("websocket", lambda socket: self.requests.append(socket.url))
        self.page.on("pageerror", lambda error: self.errors.append(f"uncaught: {error}"))
        self.page.on("dialog", lambda dialog: (self.errors.append("a dialog"), dialog.dismiss()))
        self.page.on("console", self._heard)

    def _heard(self, message):
        if message.type == "error" and not PROBE.search(message.location.get("url", "")):
            self.errors.append(f"{message.text} {message.location.get('url')}")

    @property
    def main(self):
        return self.page.get_by_test_id("stMain")

    @property
    def side(self):
        return self.page.get_by_test_id("stSidebar")

    @property
    def query(self):
        return parse_qs(urlsplit(self.page.url).query)

    @property
    def asked(self):
        """What the address asks, less what the app adds: version, day of prices, open tab."""
        return {
            key: values
            for key, values in self.query.items()
            if key not in ("data", "prices") and not key.endswith("_tab")
        }

    @property
    def strangers(self):
        return [
            url
            for url in self.requests
            if urlsplit(url).scheme not in ("data", "blob")
            and urlsplit(url).hostname != "127.0.0.1"
        ]

    def wait(self, what):
        try:
            what.wait_for()
        except Exception as error:
            seen = self.main.inner_text() if self.main.count() else "nothing"
            raise AssertionError(f"{what} is not on the page, but:\n{seen[:1500]}") from error

    def until(self, holds):
        """Wait for what no locator waits for, such as the end of a part's way over the screen."""
        deadline = time.monotonic() + 60
        while not holds():
            assert time.monotonic() < deadline
            self.page.wait_for_timeout(50)

    def idle(self):
        self.page.wait_for_function(IDLE)

    def at(self, tab):
        entry = entry_of(tab)
        self.wait(self.main.get_by_role("heading", name=entry, exact=True))
        self.wait(self.main.get_by_role("tab", name=tab, exact=True, selected=True))
        self.idle()

    def open(self, path="", tab=None, query=""):
        url = path if "://" in path else f"{self.server.url}/{path}"
        self.page.goto(f"{url}{'&' if '?' in url else '?'}{query}" if query else url)
        if tab != "":
            self.at(tab or shown_at(path))

    def go(self, tab):
        entry = entry_of(tab)
        heading = self.main.get_by_role("heading", name=entry, exact=True)
        if heading.count() == 0:
            menu = self.page.get_by_test_id("stTopNav")
            menu.get_by_role("link", name=entry, exact=True).click()
            self.wait(heading)
            self.idle()
        self.main.get_by_role("tab", name=tab, exact=True).click()
        self.at(tab)

    def choose(self, label, option):
        """Choose in a select box; a part of the option is typed, since long lists are cut."""
        box = self.page.get_by_role("combobox", name=label, exact=True)
        box.click()
        box.fill(option[:12])
        self.page.get_by_role("option", name=option, exact=True).click()
        # The list of a box for several choices stays open, and hides the page behind it. In a
        # closed box that may be empty, Escape takes the choice back.
        if self.page.get_by_role("listbox").count():
            self.page.keyboard.press("Escape")
        # Where the option was there may be a help sign now, whose words would lie over a control.
        self.page.mouse.move(2, 2)

    def unfold(self, name):
        """Open or close a fold by the keyboard; under a mouse it may move while it opens."""
        fold = self.page.get_by_test_id("stExpander").filter(has_text=name)
        fold.locator("summary").press("Enter")

    def fill(self, label, number):
        box = self.page.get_by_role("spinbutton", name=label, exact=True)
        box.fill(str(number))
        box.press("Enter")

    def says(self, *parts):
        for part in parts:
            self.wait(self.main.get_by_text(part).filter(visible=True).first)
        self.idle()

    def download(self):
        return self.export("List (CSV)")

    def export(self, label):
        menu = self.main.get_by_role("button", name="Export", exact=True)
        button = self.page.get_by_role("button", name=label, exact=True)

        def is_open():
            # The run that follows the closing of a menu may close it once more, a moment later.
            self.idle()
            if not button.is_visible():
                menu.click()
                self.idle()
            self.page.wait_for_timeout(300)
            return button.is_visible()

        self.until(is_open)
        content = self.take(button)[1]
        self.page.keyboard.press("Escape")
        return content

    def file(self, name, kind):
        """Return the button of a file; its key ends in the day and the kind."""
        place = f'[class*="st-key-{name}-2"][class*="_{kind}"]'
        return self.main.locator(place).get_by_role("button")

    def take(self, button):
        with self.page.expect_download() as started:
            button.press("Enter")
        return started.value.suggested_filename, Path(started.value.path()).read_bytes()

    def upload(self, name, content, which=0):
        box = self.main.get_by_test_id("stFileUploaderDropzoneInput").nth(which)
        box.set_input_files({"name": name, "mimeType": "text/csv", "buffer": content})

    def keep(self, name, note=""):
        self.main.get_by_role("textbox", name="Name", exact=True).fill(name)
        self.main.get_by_role("textbox", name="Note", exact=True).fill(note)
        self.main.get_by_role("button", name="Keep", exact=True).press("Enter")
        self.says(f"Kept as {name}.")

    def link(self):
        self.main.get_by_role("button", name="Copy link").click()
        text = self.page.get_by_test_id("stPopoverBody").get_by_test_id("stCode").inner_text()
        self.page.keyboard.press("Escape")
        return text.strip()

    def cells(self, which=0):
        grid = self.main.get_by_test_id("stDataFrame").nth(which).locator("table[role=grid]")
        grid.locator("td").first.wait_for(state="attached")
        return grid.locator("tbody tr").evaluate_all(
            "rows => rows.map(row => [...row.cells].map(cell => cell.textContent))"
        )


def parsed(content):
    """Return the rows of a downloaded CSV as dicts of text, links in their shortest form."""
    rows = list(csv.DictReader(io.StringIO(content.decode("utf-8-sig"), newline="")))
    return [row | {"link": row["link"].replace("/?", "?")} for row in rows]
