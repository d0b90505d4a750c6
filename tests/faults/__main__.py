"""Inject faults into real servers and commands, and record what people saw and what was lost.

Each fault is brought about for real: a Hub that misbehaves, a disk that is full, a process that
is killed, a file that is altered. Then it is taken away, and three things are checked: nobody
was shown a stack trace, the app works, and each file of each snapshot and each saved shortlist
from before is still there as it was.

Run: python -m tests.faults [groups, or words of names]
It needs nothing beyond requirements.txt. Faults that need rights or programs that are missing here
(root for a small disk, faketime for a wrong clock) are named and not counted.
"""

from __future__ import annotations

import shutil
import signal
import sys
import tempfile
import time
from importlib import import_module
from pathlib import Path

from tests.evidence import hub_server
from tests.faults.place import FAULTS, KEPT_NAME, Fault, NotHereError, Place

for _module in ("evidence", "state", "strangers"):
    import_module(f"tests.faults.{_module}")  # registers its faults
_LONGEST = 330


class Bench:
    """The places of one run."""

    def __init__(self, folder: Path, hub: hub_server.Server) -> None:
        self.folder, self.hub = folder, hub
        self.shared = Place(folder / "shared", hub)
        with self.shared.visiting() as visitor:
            shown = self.shared.keep(visitor, KEPT_NAME)
            assert f"Kept as {KEPT_NAME}." in shown.alerts, shown.alerts
        for made in (self.shared.saved, self.shared.store):
            shutil.copy(made, self.shared.folder)

    def row(self, fault: Fault) -> tuple[str, bool]:
        """Inject one fault and return what was seen, and whether all is well."""
        name = f"p{FAULTS.index(fault)}"
        place = Place(self.folder / name, self.hub, self.shared) if fault.fresh else None
        at = place or self.shared
        before = at.kept()
        try:
            saw = fault.inject(at)
            after = at.kept()
            lost = [name for name, digest in before.items() if after.get(name) != digest]
            assert not lost, f"lost or changed: {lost}"
            at.works()
            traces = at.traces()
            assert not traces, f"shown: {traces}"
        except NotHereError as why:
            return f"not run here: {why}", True
        except Exception as why:
            return f"**FAILED**: {type(why).__name__} {' '.join(str(why).split())[:600]}", False
        finally:
            at.seen.clear()
            if place:
                place.close()
        return cell(saw), True


def cell(text: str) -> str:
    """Return text fit for a cell of a Markdown table."""
    one_line = " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")
    return one_line if len(one_line) <= _LONGEST else f"{one_line[:_LONGEST]}…"


def main(wanted: list[str]) -> int:
    """Print the table of the faults that were asked for; return how many failed."""
    words = [word.lower() for word in wanted] or [""]
    chosen = [f for f in FAULTS if any(word in f"{f.group}: {f.name}".lower() for word in words)]
    groups = [fault.group for fault in FAULTS]
    chosen.sort(key=lambda fault: groups.index(fault.group))
    failed = left_out = 0
    group, begin = "", time.monotonic()
    print("| | Fault | What the user saw |\n|---:|---|---|", flush=True)
    with tempfile.TemporaryDirectory() as name, hub_server.serving() as hub:
        bench = Bench(Path(name), hub)
        try:
            for number, fault in enumerate(chosen, start=1):
                if fault.group != group:
                    group = fault.group
                    print(f"| | **{group}** | |")
                started = time.monotonic()
                saw, well = bench.row(fault)
                failed += not well
                left_out += saw.startswith("not run here")
                print(f"| {number} | {fault.name} | {saw} |", flush=True)
                took = time.monotonic() - started
                print(f"{number:3} {took:5.1f} s  {fault.name}", file=sys.stderr, flush=True)
        finally:
            bench.shared.close()
    print(
        f"\n{len(chosen) - left_out} faults injected, {failed} failed, {left_out} left out, "
        f"{time.monotonic() - begin:.0f} seconds. After each that did not fail: no stack trace "
        "was shown, the app worked, and every snapshot and every saved shortlist was as before."
    )
    return failed


if __name__ == "__main__":
    # Who stops the run stops its servers too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    sys.exit(bool(main(sys.argv[1:])))
