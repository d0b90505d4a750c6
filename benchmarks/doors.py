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
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks._sessions import Server
from benchmarks._visitor import Visitor
from tests.browser import driving

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROOT = Path(__file__).parents[1]
LONG = "漢" * 510_000
"""1.5 MB, just under what Streamlit reads of an address, and 4.6 MB as a link writes it."""
FILES, FILE_MB = 60, 19
_FEWEST_RERUNS = 5


@contextmanager
def serving(root: Path, folder: Path) -> Iterator[Server]:
    """Run the program of a folder on its own data."""
    running = driving.start(folder, root=root)
    try:
        yield Server(running.process.pid, int(running.url.rpartition(":")[2]))
    finally:
        running.stop()


class Watched:
    """Watches memory and the waiting of a second session while something goes on."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.memory_mb = self.waited_s = 0.0
        self._over, self._ready, self._n_reruns = threading.Event(), threading.Event(), 0

    def run(self, attack: Callable[[], None]) -> None:
        """Do it in this thread, and watch in two others."""
        watchers = [threading.Thread(target=part) for part in (self._memory, self._waiting)]
        for watcher in watchers:
            watcher.start()
        try:
            self._ready.wait(60)
            attack()
            begun = time.perf_counter()
            while self._n_reruns < _FEWEST_RERUNS and time.perf_counter() < begun + 60:
                time.sleep(0.02)
        finally:
            self._over.set()
            for watcher in watchers:
                watcher.join()

    def _memory(self) -> None:
        while not self._over.wait(0.02):
            self.memory_mb = max(self.memory_mb, self.server.memory_mb)

    def _waiting(self) -> None:
        with Visitor(self.server.url) as other:
            other.open()
            self._ready.set()
            while not self._over.wait(0.1):
                begun = time.perf_counter()
                other.rerun()
                self._n_reruns += 1
                self.waited_s = max(self.waited_s, time.perf_counter() - begun)


def long_link(server: Server) -> None:
    """Open the link and take the CSV of the first shortlist, of 13 models."""
    with Visitor(server.url) as visitor:
        visitor.open("", f"x={LONG}")
        content = visitor.fetch(visitor.address_of("Download CSV"))
        print(f"  CSV of {len(content) / 2**20:.1f} MB", file=sys.stderr)


def many_uploads(server: Server) -> None:
    """Send files to a page without a place for any, until all are taken or one is refused."""
    with Visitor(server.url) as visitor:
        visitor.open()
        content = b"x" * (FILE_MB * 2**20)
        with suppress(urllib.error.HTTPError):
            for number in range(FILES):
                print(f"  file {number + 1}", file=sys.stderr)
                visitor.put_anywhere(content)


def measured(root: Path, attack: Callable[[Server], None]) -> tuple[float, ...]:
    """Return memory before and at most in MB, and others' longest waiting calm and meanwhile."""
    with tempfile.TemporaryDirectory() as name, serving(root, Path(name)) as server:
        with Visitor(server.url) as visitor:
            visitor.open()
            visitor.fetch(visitor.address_of("Download CSV"))
        calm = Watched(server)
        calm.run(lambda: time.sleep(3))
        before = server.memory_mb
        storm = Watched(server)
        storm.run(lambda: attack(server))
        return before, storm.memory_mb, calm.waited_s, storm.waited_s


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
