"""Server time of a rerun of a page, to an empty page or an empty app.

The *empty page* is this app with nothing on its page: its menu, its side bar with the same controls
set, its notices; the *empty app* is the smallest that Streamlit can run. Both servers have the same
settings and run side by side, with the bundled data or with the whole Open LLM Leaderboard v2. A
websocket client speaks Streamlit's own protocol and changes the margin, to one that nobody asked
before or to one of two that were. The time is from sending the change to the message that the
script has finished.
"""

from __future__ import annotations

import asyncio
import tempfile
from contextlib import ExitStack, contextmanager
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from benchmarks import _leaderboard
from benchmarks._sessions import ROOT, closed, empty_app, empty_page, opened, serving

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchmarks._sessions import Session
    from benchmarks.statistics import Sides

EVERY_CONTROL = [
    ("task", "Own weights"),
    *(("category", name) for name in ("Following instructions", "Reasoning", "Expert knowledge")),
    *(("w_following_instructions", "2"), ("w_reasoning", "1.5")),
    *(("max_params", "123 B"), ("budget", "50000")),
    *(("v_visit_notes", "12000"), ("v_discharge_summaries", "900")),
    *(("gates", "Commercial use"), ("gates", "Business associate agreement (BAA)")),
    *(("retention", "30"), ("window", "2000"), ("prices", "2026-11-01")),
    *(("flagged", "true"), ("overlap", "true")),
]
"""Every control of the side bar that leaves the list of the leaderboard long."""
QUESTIONS = {
    "landing": [],
    "leaderboard": [("evidence", "Open LLM Leaderboard v2")],
    "every control": [("evidence", "Open LLM Leaderboard v2"), *EVERY_CONTROL],
}
_PAUSE_SECONDS = 0.1
"""Streamlit holds messages back for some milliseconds after a run; nobody clicks that fast."""


@contextmanager
def page(question: str, *, asked: bool, floor: str = "empty page") -> Iterator[Sides]:
    """Run the page of one of ``QUESTIONS`` and its floor, and change the margin of both."""
    query = urlencode(QUESTIONS[question])
    with tempfile.TemporaryDirectory() as name, ExitStack() as servers:
        folder = Path(name)
        data = None if question == "landing" else _leaderboard.folder(folder / "data")
        ours = servers.enter_context(serving(ROOT / "app.py", folder / "a.duckdb", data))
        if floor == "empty page":
            script = empty_page(folder / "empty")
            peer = servers.enter_context(serving(script, folder / "b.duckdb", data))
        else:
            peer, query = servers.enter_context(empty_app(folder)), ""
        loop = asyncio.new_event_loop()
        servers.callback(loop.close)
        sessions = [loop.run_until_complete(opened(it, query)) for it in (ours, peer)]
        for session in sessions:
            for margin in (4.0, 5.0):
                loop.run_until_complete(session.rerun(margin))
        number = count()

        async def rerun(session: Session) -> float:
            await asyncio.sleep(_PAUSE_SECONDS)
            i = next(number)
            return await session.rerun(4.0 + i // 2 % 2 if asked else 7 + i / 1000)

        yield (
            lambda: loop.run_until_complete(rerun(sessions[0])),
            lambda: loop.run_until_complete(rerun(sessions[1])),
        )
        faults = [fault for session in sessions for fault in session.faults]
        if faults:
            raise RuntimeError(faults[0])
        loop.run_until_complete(closed(*sessions))
