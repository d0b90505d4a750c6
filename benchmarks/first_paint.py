"""What a person waits for in a real browser, against the smallest Streamlit apps there are.

Each round opens a deep link in a browser context of its own, with nothing in its cache, and
takes the time until the answer is there: the model to take, then the chart and the table of the
models that fit; or the one word of the empty app. Then a switch is clicked (the empty app
here has the same switch) and the time is taken until the page shows the new answer and is at rest.

A third app says how near the empty one a page can come at all: the kinds of controls of this side
bar, a chart of three points and a table of three rows, with nothing behind them. The apps take
turns, and each round gives one ratio.

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
PARTS = """import pandas as pd
import streamlit as st

words = [str(i) for i in range(10)]
with st.sidebar:
    for name in ("evidence", "prompting", "task"):
        st.selectbox(name, words, key=name, bind="query-params", help=name)
    st.radio("hosting", words[:4], help="hosting")
    st.select_slider("size", words, help="size")
    st.number_input("budget", value=1.0, help="budget")
    st.number_input("margin", value=1.0, help="margin")
    st.multiselect("only", words, help="only")
    on = st.toggle("Count overlapping benchmarks once", key="overlap", bind="query-params")
st.title("x")
for name in words[:3]:
    st.markdown(f"#### {name}")
points = pd.DataFrame({"x": [1, 2, 3], "y": [3, 2, 1 + on]})
axes = {name: {"field": name, "type": "quantitative"} for name in points}
st.vega_lite_chart(points, {"mark": "point", "encoding": axes})
st.dataframe(points)
"""
"""The parts of the shortlist, each as small as it can be."""
_AT_REST = """() => {
  const app = document.querySelector('[data-testid=stApp]');
  return app && app.dataset.testConnectionState === 'CONNECTED'
    && app.dataset.testScriptState === 'notRunning'
    && !document.querySelector('[data-stale=true], [data-testid=stSpinner]');
}"""
SHORTLIST = """() => [
  'h1', '[data-testid=stVegaLiteChart] svg.marks, [data-testid=stVegaLiteChart] canvas',
  '[data-testid=stDataFrame] canvas', '[data-testid=stSidebar] input[type=number]',
].every(part => document.querySelector(part))"""
TAKE = "() => document.querySelector('[data-testid=stMain] h4')"
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
    fold = page.get_by_text("Other settings")
    if fold.count():
        fold.click()
        switch.wait_for()
        page.wait_for_function(_AT_REST)
    switch.scroll_into_view_if_needed()
    start = time.perf_counter()
    switch.click()
    page.wait_for_function(_SWITCH)
    page.wait_for_function(_AT_REST)
    return time.perf_counter() - start


def _line(name: str, ours: list[float], floor_name: str, floor: list[float]) -> str:
    ratios = [one / other for one, other in zip(ours, floor, strict=True)]
    return (
        f"{name}: {median(ours) * 1000:.0f} ms, {floor_name} {median(floor) * 1000:.0f} ms, "
        f"ratio {median(ratios):.2f}, from {min(ratios):.2f} to {max(ratios):.2f}"
    )


def measure(empty: Server, switched: Server, parts: Server, ours: Server, rounds: int) -> None:
    """Take turns and print."""
    names = ("empty", "parts", "take", "paint", "plain click", "parts click", "click")
    times: dict[str, list[float]] = {name: [] for name in names}
    executable = (
        os.environ.get("FORMULARY_CHROMIUM")
        or which("chromium-headless-shell")
        or which("chromium")
    )
    flags = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=flags)
        for i in range(rounds + 1):
            (empty_time,), page = _paint(browser, empty.url, _EMPTY)
            page.context.close()
            (parts_time,), page = _paint(browser, parts.url, SHORTLIST)
            parts_click = _click(page)
            page.context.close()
            (take, paint), page = _paint(browser, ours.url + QUERY, TAKE, SHORTLIST)
            click_time = _click(page)
            page.context.close()
            _, page = _paint(browser, switched.url, _EMPTY)
            plain_click = _click(page)
            page.context.close()
            if i:  # the first round warms the browser and the servers
                found = (empty_time, parts_time, take, paint, plain_click, parts_click, click_time)
                for name, taken in zip(names, found, strict=True):
                    times[name].append(taken)
        browser.close()
    for name, ours_name, floor, floor_name in (
        ("deep link to the model to take", "take", "empty", "empty app"),
        ("deep link to a painted shortlist", "paint", "empty", "empty app"),
        ("deep link to the bare parts", "parts", "empty", "empty app"),
        ("deep link to a painted shortlist", "paint", "parts", "bare parts"),
        ("click to the updated shortlist", "click", "plain click", "empty app"),
        ("click to the updated bare parts", "parts click", "plain click", "empty app"),
        ("click to the updated shortlist", "click", "parts click", "bare parts"),
    ):
        print(_line(name, times[ours_name], floor_name, times[floor]))


def main() -> None:
    """Run the four servers, and print."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "switched.py").write_text(SWITCHED)
        (folder / "parts.py").write_text(PARTS)
        with (
            empty_app(folder) as empty,
            serving(folder / "switched.py", folder / "none.duckdb") as switched,
            serving(folder / "parts.py", folder / "none.duckdb") as parts,
            serving(ROOT / "app.py", folder / "store.duckdb") as ours,
        ):
            measure(empty, switched, parts, ours, rounds)


if __name__ == "__main__":
    main()
