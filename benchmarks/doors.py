"""What one stranger costs a server and its other visitors: a long link, and many uploads.

Run: python -m benchmarks.doors [folder of another version of this program]
Each attack goes to a server of its own on this machine, once for each version. Others' waiting is
the longest rerun of a second session meanwhile, and the longest in the calm before.
"""

from __future__ import annotations

import sys
import tempfile
import threading
import time
import urllib.error
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks._sessions import Server
from tests.browser import driving
from tests.faults.visitor import Visitor

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).parents[1]
LONG = "漢" * 510_000
"""1.5 MB, just under what Streamlit reads of an address, and 4.6 MB as a link writes it."""
FILES, FILE_MB = 60, 19
_FEWEST_RERUNS = 5


def watched(server: Server, attack: Callable[[Visitor], object]) -> tuple[float, float]:
    """Let one stranger attack; return the most memory in MB, and another's longest rerun."""
    ready, over = threading.Event(), threading.Event()
    memory, waits = [server.memory_mb], [0.0]

    def weigh() -> None:
        while not over.wait(0.02):
            memory.append(server.memory_mb)

    def wait() -> None:
        with Visitor(server.url) as other:
            other.open()
            ready.set()
            while not over.wait(0.1) or len(waits) < _FEWEST_RERUNS:
                begun = time.perf_counter()
                other.rerun()
                waits.append(time.perf_counter() - begun)

    with ThreadPoolExecutor(2) as pool:
        watching = [pool.submit(weigh), pool.submit(wait)]
        try:
            ready.wait(60)
            with Visitor(server.url) as visitor:
                attack(visitor)
        finally:
            over.set()
        for each in watching:
            each.result()
    return max(memory), max(waits)


def long_link(visitor: Visitor) -> None:
    """Open the link and take the CSV of the first shortlist, of 13 models."""
    visitor.open("", f"evidence=MedHELM&x={LONG}")
    content = visitor.fetch(visitor.address_of("List (CSV)"))
    print(f"  CSV of {len(content) / 2**20:.1f} MB", file=sys.stderr)


def many_uploads(visitor: Visitor) -> None:
    """Send files to a page without a place for any, until all are taken or one is refused."""
    visitor.open()
    content = b"x" * (FILE_MB * 2**20)
    with suppress(urllib.error.HTTPError):
        for number in range(FILES):
            visitor.put_anywhere(content)
            print(f"  file {number + 1} taken", file=sys.stderr)


def measured(root: Path, attack: Callable[[Visitor], object]) -> tuple[float, ...]:
    """Return memory before and at most in MB, and others' longest waiting calm and meanwhile."""
    with tempfile.TemporaryDirectory() as name:
        running = driving.start(Path(name), root / "data", root=root)
        server = Server(running.process.pid, int(running.url.rpartition(":")[2]))
        try:
            with Visitor(server.url) as visitor:
                visitor.open("", "evidence=MedHELM")
                visitor.fetch(visitor.address_of("List (CSV)"))
            _, calm = watched(server, lambda _: time.sleep(3))
            before = server.memory_mb
            most, storm = watched(server, attack)
        finally:
            running.stop()
        return before, most, calm, storm


def main() -> None:
    """Print the table."""
    versions = {"this version": ROOT}
    if len(sys.argv) > 1:
        versions = {"before": Path(sys.argv[1]).resolve(), **versions}
    print("| Attack | Version | Memory before | At most | Others waited, calm | Meanwhile |")
    print("|---|---|---:|---:|---:|---:|")
    for name, attack in (("a link of 1.5 MB", long_link), ("60 × 19 MB", many_uploads)):
        for version, root in versions.items():
            print(f"{name}, {version}", file=sys.stderr)
            before, most, calm, waited = measured(root, attack)
            row = f"{before:.0f} MB | {most:.0f} MB | {calm:.2f} s | {waited:.2f} s"
            print(f"| {name} | {version} | {row} |", flush=True)


if __name__ == "__main__":
    main()
