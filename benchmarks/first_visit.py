"""A first visit over a hospital's network: behind the documented nginx, against the app alone.

Between the browser and the server lies a network of 20 Mbit/s with 50 ms there and back. Each round
opens a deep link in a browser context of its own, with nothing in its cache, once straight from
the app and once through nginx with ``docs/deploy/nginx.conf`` as it stands but for ports and
places, and takes the time until the answer and the whole shortlist are drawn, and the
bytes that came for it. The two take turns, and each round gives one ratio.

Run: python -m benchmarks.first_visit [rounds]   (needs Playwright, Chromium, nginx and openssl)
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

from benchmarks._sessions import ROOT, serving
from benchmarks._slow_network import slowed
from benchmarks.first_paint import QUERY, SHORTLIST, TAKE
from tests.browser import proxy

if TYPE_CHECKING:
    from playwright.sync_api import Browser

ROUNDS = 7
PATH = "formulary"
_RECEIVED = "performance.getEntriesByType('resource').reduce((sum, e) => sum + e.transferSize, 0)"


def _visit(browser: Browser, url: str) -> tuple[float, float, float]:
    context = browser.new_context(viewport={"width": 1280, "height": 3000})
    page = context.new_page()
    taken = []
    start = time.perf_counter()
    page.goto(f"{url}/{PATH}/{QUERY}", wait_until="commit")
    for stage in (TAKE, SHORTLIST):
        page.wait_for_function(stage)
        taken.append(time.perf_counter() - start)
    received = page.evaluate(_RECEIVED) / 1e6
    context.close()
    return taken[0], taken[1], received


def _print(alone: list[tuple[float, ...]], proxied: list[tuple[float, ...]]) -> None:
    names = ("the answer, s", "whole shortlist, s", "received, MB")
    for i, name in enumerate(names):
        ours, floor = [visit[i] for visit in proxied], [visit[i] for visit in alone]
        ratios = [one / other for one, other in zip(ours, floor, strict=True)]
        print(
            f"{name}: behind nginx {median(ours):.2f}, the app alone {median(floor):.2f}, "
            f"ratio {median(ratios):.2f}, from {min(ratios):.2f} to {max(ratios):.2f}"
        )


def main() -> None:
    """Run the app and the proxy, and print."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS
    executable = (
        os.environ.get("FORMULARY_CHROMIUM")
        or which("chromium-headless-shell")
        or which("chromium")
    )
    flags = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
    https = proxy.free_port()
    os.environ["STREAMLIT_SERVER_BASE_URL_PATH"] = PATH
    with (
        tempfile.TemporaryDirectory() as store,
        tempfile.TemporaryDirectory() as folder,
        serving(ROOT / "app.py", Path(store) / "store.duckdb") as app,
        proxy.running(
            (ROOT / "docs/deploy/nginx.conf").read_text("utf-8"),
            Path(folder),
            https,
            {"server 127.0.0.1:8501;": f"server 127.0.0.1:{app.port};"},
        ),
        slowed(app.port) as alone_port,
        slowed(https) as proxied_port,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(
            executable_path=executable, args=[*flags, "--ignore-certificate-errors"]
        )
        alone, proxied = [], []
        for i in range(rounds + 1):
            found = [
                _visit(browser, url)
                for url in (f"http://127.0.0.1:{alone_port}", f"https://127.0.0.1:{proxied_port}")
            ]
            if i:  # the first round warms the browser, the app and the memory of the proxy
                alone.append(found[0])
                proxied.append(found[1])
        browser.close()
    _print(alone, proxied)


if __name__ == "__main__":
    main()
