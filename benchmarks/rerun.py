"""Server time of a rerun of the shortlist page, against an empty page.

There are two empty pages: the smallest Streamlit app there is, and an empty page of this app, which
has its menu, its side bar with the same controls set, and its notices. The servers have the same
settings and run side by side, with the bundled data and with the whole Open LLM Leaderboard v2. A
websocket client speaks Streamlit's
own protocol and changes the margin, either to one that nobody asked before or to one of two that
were. Reruns alternate between all pages, and each is compared with the empty ones of its own
round: from sending the change to the message that the script has finished. The server's
processor time for it is given as well, since other work on the machine changes it less.

Run: python -m benchmarks.rerun [rounds]
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from statistics import mean, median, quantiles
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from benchmarks import _leaderboard
from benchmarks._sessions import (
    ROOT,
    Server,
    Session,
    closed,
    empty_app,
    empty_page,
    opened,
    serving,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

SET = [
    ("task", "Own weights"),
    *(("category", name) for name in ("Following instructions", "Reasoning", "Expert knowledge")),
    *(("w_following_instructions", "2"), ("w_reasoning", "1.5")),
    *(("max_params", "123 B"), ("budget", "50000")),
    *(("v_visit_notes", "12000"), ("v_discharge_summaries", "900")),
    *(("gates", "Commercial use"), ("gates", "Business associate agreement")),
    *(("retention", "30"), ("window", "2000"), ("prices", "2026-11-01")),
    *(("flagged", "true"), ("overlap", "true")),
]
"""Every control of the side bar that leaves the list of the leaderboard long."""
FULL = [("evidence", "Open LLM Leaderboard v2")]
FRAME = "empty page"
ROUNDS = 60
_PAUSE_SECONDS = 0.1
"""Streamlit holds messages back for some milliseconds after a run; nobody clicks that fast."""


@dataclass(frozen=True, slots=True)
class Taken:
    """Seconds of each rerun: on the clock, and of the server's processor time."""

    clock: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)

    async def rerun(self, server: Server, session: Session, margin: float | None = None) -> None:
        """Add one rerun."""
        await asyncio.sleep(_PAUSE_SECONDS)
        before = server.cpu_s
        self.clock.append(await session.rerun(margin))
        self.cpu.append(server.cpu_s - before)


def _line(name: str, taken: Taken, floors: Mapping[str, Taken]) -> str:
    said = f"{name}: {median(taken.clock) * 1000:.1f} ms, processor {mean(taken.cpu) * 1000:.1f} ms"
    for floor_name, floor in floors.items():
        ratios = [one / other for one, other in zip(taken.clock, floor.clock, strict=True)]
        low, *_, high = quantiles(ratios, n=20)
        of_cpu = mean(taken.cpu) / mean(floor.cpu)
        said += f"; to the {floor_name} {median(ratios):.1f} (9 of 10 rounds: {low:.1f} to "
        said += f"{high:.1f}), processor {of_cpu:.1f}"
    return said


async def measure(
    empty: Server, pages: dict[str, tuple[Server, str]], rounds: int
) -> dict[str, Taken]:
    """Alternate reruns between the pages."""
    floor = await opened(empty, "")
    sessions: dict[str, Session] = {}
    for name, (server, query) in pages.items():
        sessions[name] = await opened(server, query)
        print(f"{name}: {sessions[name].elements} elements, ", end="")
        print(f"{sessions[name].received / 1000:.0f} kB at first", end=", ")
        await sessions[name].rerun(4.0)
        await sessions[name].rerun(5.0)
        print(f"{sessions[name].received / 1000:.0f} kB for a change")
    times = {"empty": Taken()}
    for name in pages:
        times |= {f"{name}, not asked before": Taken(), f"{name}, asked before": Taken()}
    for i in range(rounds):
        await times["empty"].rerun(empty, floor)
        for name, (server, _) in pages.items():
            session = sessions[name]
            await times[f"{name}, not asked before"].rerun(server, session, 7 + i / 1000)
            await times[f"{name}, asked before"].rerun(server, session, 4.0 + i % 2)
    faults = [fault for session in sessions.values() for fault in session.faults]
    if faults:
        raise RuntimeError(faults[0])
    await closed(floor, *sessions.values())
    return times


def main() -> None:
    """Print the median of each page and its ratio to the empty one."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS
    with tempfile.TemporaryDirectory() as name, ExitStack() as servers:
        folder = Path(name)
        data = _leaderboard.folder(folder / "data")
        empty = servers.enter_context(empty_app(folder))
        bundled = servers.enter_context(serving(ROOT / "app.py", folder / "a.duckdb"))
        whole = servers.enter_context(serving(ROOT / "app.py", folder / "b.duckdb", data))
        script = empty_page(folder / "empty")
        frame = servers.enter_context(serving(script, folder / "c.duckdb"))
        whole_frame = servers.enter_context(serving(script, folder / "d.duckdb", data))
        questions = {
            "landing page": (frame, bundled, ""),
            "whole leaderboard": (whole_frame, whole, urlencode(FULL)),
            "whole leaderboard, every control set": (whole_frame, whole, urlencode(FULL + SET)),
        }
        pages = {}
        for what, (around, page, query) in questions.items():
            pages |= {f"{FRAME}, {what}": (around, query), what: (page, query)}
        times = asyncio.run(measure(empty, pages, rounds))
    print(f"empty app: {median(times['empty'].clock) * 1000:.1f} ms")
    for what in pages:
        for asked in ("not asked before", "asked before"):
            floors = {"empty app": times["empty"]}
            if not what.startswith(FRAME):
                floors |= {FRAME: times[f"{FRAME}, {what}, {asked}"]}
            print(_line(f"{what}, {asked}", times[f"{what}, {asked}"], floors))


if __name__ == "__main__":
    main()
