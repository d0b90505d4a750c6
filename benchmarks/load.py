"""Fifty people who change controls at once, against empty pages under that load.

There are two floors: the smallest Streamlit app there is, and an empty page of this app, which has
its menu, its side bar and its notices. All servers have the project's settings. Fifty websocket
sessions are open on each, and they take turns. In a calm round each session changes the margin
once in ten seconds on average, at times drawn with one seed for all; in a rush all fifty change it
at the same moment. Every margin was asked before, so the memory of remembered answers is not
counted as that of sessions.

Run: python -m benchmarks.load [rounds] [people] [seconds of a round]
"""

from __future__ import annotations

import asyncio
import random
import sys
import tempfile
from pathlib import Path
from statistics import median, quantiles
from typing import TYPE_CHECKING

from websockets.exceptions import ConnectionClosed

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
    from collections.abc import Sequence

PEOPLE = 50
THINKING_S = 10.0
ROUND_S = 20
ROUNDS = 4
MARGINS = [half / 2 for half in range(1, 41)]


async def _person(session: Session, choices: random.Random, left: float, times: list[float]) -> int:
    """Change the margin now and then until no second is left; return 1 where the session broke."""
    while (pause := choices.expovariate(1 / THINKING_S)) < left:
        left -= pause
        await asyncio.sleep(pause)
        try:
            times.append(await session.rerun(choices.choice(MARGINS)))
        except ConnectionClosed:
            return 1
    return 0


async def _calm(sessions: Sequence[Session], seed: int, left: float, times: list[float]) -> int:
    people = [
        _person(session, random.Random(f"{seed} {i}"), left, times)
        for i, session in enumerate(sessions)
    ]
    return sum(await asyncio.gather(*people))


async def _rush(sessions: Sequence[Session], seed: int, _: float, times: list[float]) -> int:
    choices = random.Random(seed)
    asked = [session.rerun(choices.choice(MARGINS)) for session in sessions]
    done = await asyncio.gather(*asked, return_exceptions=True)
    times += [taken for taken in done if isinstance(taken, float)]
    return sum(isinstance(taken, ConnectionClosed) for taken in done)


async def fill(server: Server, people: int) -> tuple[list[Session], float]:
    """Open all sessions; return them and the memory in MB that each further one took."""
    first = await opened(server, "")
    for margin in (*MARGINS, *MARGINS):
        await first.rerun(margin)
    before = server.memory_mb
    others = []
    for _ in range(people - 1):
        others.append(await opened(server, ""))
        for margin in random.Random(len(others)).choices(MARGINS, k=3):
            await others[-1].rerun(margin)
    return [first, *others], (server.memory_mb - before) / (people - 1)


async def measure(servers: dict[str, Server], rounds: int, people: int, seconds: float) -> None:
    """Print what each server took, and the ratios of the last to each before it."""
    sessions = {}
    for name, server in servers.items():
        sessions[name], each = await fill(server, people)
        print(f"{name}: {each:.2f} MB for a further session, {server.memory_mb:.0f} MB in all")
    for kind, load in (("calm", _calm), ("rush", _rush)):
        high: dict[str, list[float]] = {name: [] for name in servers}
        every: dict[str, list[float]] = {name: [] for name in servers}
        broken = dict.fromkeys(servers, 0)
        for seed in range(rounds):
            for name, own in sessions.items():
                times: list[float] = []
                broken[name] += await load(own, seed, seconds, times)
                every[name] += times
                high[name].append(quantiles(times, n=20)[-1])
        for name, times in every.items():
            print(
                f"{kind}: {name}: median {median(times) * 1000:.0f} ms, 95th percentile "
                f"{quantiles(times, n=20)[-1] * 1000:.0f} ms of {len(times)} reruns, "
                f"{broken[name]} disconnected"
            )
        *floors, ours = high
        for floor in floors:
            ratios = [app / other for other, app in zip(high[floor], high[ours], strict=True)]
            print(
                f"{kind}: 95th percentile to the {floor}'s: median {median(ratios):.1f}, "
                f"from {min(ratios):.1f} to {max(ratios):.1f}"
            )
    faults = [fault for own in sessions.values() for one in own for fault in one.faults]
    if faults:
        raise RuntimeError(faults[0])
    await closed(*(one for own in sessions.values() for one in own))


def main(rounds: int = ROUNDS, people: int = PEOPLE, seconds: int = ROUND_S) -> None:
    """Run the servers, and print."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        frame = empty_page(folder / "empty")
        with (
            empty_app(folder) as empty,
            serving(frame, folder / "frame.duckdb") as page,
            serving(ROOT / "app.py", folder / "store.duckdb") as ours,
        ):
            servers = {"empty app": empty, "empty page": page, "shortlist": ours}
            asyncio.run(measure(servers, rounds, people, seconds))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
