"""What a person waits for in a real browser, against the smallest Streamlit app there is.

Each round opens a deep link in a browser context of its own, with nothing in its cache, and
takes the time until the answer stands: the first three models as cards, then the chart and the
table of the shortlist, for which the browser loads two large libraries; or the one word of the
empty app. Then a switch is clicked (the empty app here has the same
switch) and the time is taken until the page shows the new answer and is at rest. The two apps
take turns, and each round gives one ratio.

Run: python -m benchmarks.first_paint [rounds]   (needs Playwright and Chromium)
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path
from shutil import which
from statistics import median
from typing import TYPE_CHECKING

from playwright.sync_api import sync_playwright

from benchmarks._sessions import ROOT, Server, empty_app, serving

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

ROUNDS = 10
QUERY = "?evidence=BRIDGE&margin=3&max_params=33+B"
SWITCHED = """import streamlit as st
on = st.toggle("Count overlapping benchmarks once", key="overlap", bind="query-params")
st.write("x" if not on else "y")
"""
_AT_REST = """() => {
  const app = document.querySelector('[data-testid=stApp]');
  return app && app.dataset.testConnectionState === 'CONNECTED'
    && app.dataset.testScriptState === 'notRunning'
    && !document.querySelector('[data-stale=true], [data-testid=stSpinner]');
}"""
_SHORTLIST = """() => [
  'h1', '[data-testid=stVegaLiteChart] svg.marks, [data-testid=stVegaLiteChart] canvas',
  '[data-testid=stDataFrame] canvas', '[data-testid=stSidebar] input[type=number]',
].every(part => document.querySelector(part))"""
_CARDS = "() => document.querySelectorAll('h4').length >= 3"
_EMPTY = "() => document.querySelector('[data-testid=stMarkdown]')"
_SWITCH = "() => location.search.includes('overlap=true')"


def _paint(browser: Browser, url: str, *stages: str) -> tuple[list[float], Page]:
    page = browser.new_context(viewport={"width": 1280, "height": 3000}).new_page()
    taken = []
    start = time.perf_counter()
    page.goto(url, wait_until="commit")
    for stage in stages:
        page.wait_for_function(stage)
        taken.append(time.perf_counter() - start)
    return taken, page


def _click(page: Page) -> float:
    page.wait_for_function(_AT_REST)
    page.wait_for_timeout(1000)
    switch = page.get_by_text("Count overlapping benchmarks once")
    switch.scroll_into_view_if_needed()
    start = time.perf_counter()
    switch.click()
    page.wait_for_function(_SWITCH)
    page.wait_for_function(_AT_REST)
    return time.perf_counter() - start


def _line(name: str, ours: list[float], floor: list[float]) -> str:
    ratios = [one / other for one, other in zip(ours, floor, strict=True)]
    return (
        f"{name}: {median(ours) * 1000:.0f} ms, empty app {median(floor) * 1000:.0f} ms, "
        f"ratio {median(ratios):.2f}, from {min(ratios):.2f} to {max(ratios):.2f}"
    )


def measure(empty: Server, switched: Server, ours: Server, rounds: int) -> None:
    """Take turns and print."""
    names = ("empty", "cards", "paint", "plain click", "click")
    times: dict[str, list[float]] = {name: [] for name in names}
    executable = os.environ.get("FORMULARY_CHROMIUM") or which("chromium")
    flags = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=flags)
        for i in range(rounds + 1):
            (empty_time,), page = _paint(browser, empty.url, _EMPTY)
            page.context.close()
            (cards, paint), page = _paint(browser, ours.url + QUERY, _CARDS, _SHORTLIST)
            click_time = _click(page)
            page.context.close()
            _, page = _paint(browser, switched.url, _EMPTY)
            plain_time = _click(page)
            page.context.close()
            if i:  # the first round warms the browser and the servers
                found = (empty_time, cards, paint, plain_time, click_time)
                for name, taken in zip(names, found, strict=True):
                    times[name].append(taken)
        browser.close()
    print(_line("deep link to the first three models", times["cards"], times["empty"]))
    print(_line("deep link to a painted shortlist", times["paint"], times["empty"]))
    print(_line("click to the updated shortlist", times["click"], times["plain click"]))


def main() -> None:
    """Run the three servers, and print."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        script = folder / "switched.py"
        script.write_text(SWITCHED)
        with (
            empty_app(folder) as empty,
            serving(script, folder / "none.duckdb") as switched,
            serving(ROOT / "app.py", folder / "store.duckdb") as ours,
        ):
            measure(empty, switched, ours, rounds)


if __name__ == "__main__":
    main()
