"""What does not vary from run to run: modules imported, functions called, queries, bytes sent.

Each is taken in a process of its own, so that nothing is there from before.

Run: python -m benchmarks.counts command|page   (prints JSON; ``benchmarks.check`` holds them)
"""

from __future__ import annotations

import asyncio
import contextlib
import io
import json
import logging
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks._sessions import ROOT, closed, opened, serving

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

_ASKS = ("_query", "_opened")
"""The functions of ``core.evidence`` that ask DuckDB."""
_HEAVY = (
    *("altair", "sklearn", "scipy.special", "pandas", "pyarrow"),
    *("weasyprint", "xlsxwriter", "huggingface_hub"),
)
"""Libraries that take a tenth of a second or more to import."""


@contextlib.contextmanager
def _counted() -> Iterator[Counter[str]]:
    """Count the calls of the program's own functions, in threads that begin meanwhile too."""
    calls: Counter[str] = Counter()
    own = tuple(str(ROOT / name) for name in ("core", "pages", "app.py"))

    def note(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(own):
            calls["calls"] += 1
            calls["queries"] += code.co_name in _ASKS

    threading.setprofile(note)
    sys.setprofile(note)
    yield calls
    sys.setprofile(None)
    threading.setprofile(None)
    calls["modules"] = len(sys.modules)
    calls["heavy"] = sum(name in sys.modules for name in _HEAVY)


def _of_command() -> dict[str, int]:
    """``recommend`` on the shipped evidence, over all of it."""
    from core.__main__ import main  # noqa: PLC0415 - its imports are counted

    with _counted() as found, contextlib.redirect_stdout(io.StringIO()):
        main(["recommend", "--task", "documentation"])
    return found


def _of_page() -> dict[str, int]:
    """Change the budget on the landing page, after a first visit."""
    from streamlit.testing.v1 import AppTest  # noqa: PLC0415 - its imports are counted

    logging.disable()
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120).run()
    (budget,) = [it for it in at.number_input if it.label == "Monthly budget, US dollars"]
    budget.set_value(3000.0)
    with _counted() as found:
        at.run()
    if at.exception:
        raise RuntimeError(at.exception)
    return found


def _apart(what: str) -> dict[str, float]:
    command = [sys.executable, "-m", "benchmarks.counts", what]
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def command() -> dict[str, float]:
    """Count what ``python -m core recommend`` imports, calls and asks of DuckDB."""
    _apart("command")  # the first may build the store
    return _apart("command")


def page() -> dict[str, float]:
    """Count what a change on the landing page calls and asks, and what is imported by then."""
    _apart("page")  # the first may compute what is kept next to the store
    return _apart("page")


def visit() -> dict[str, float]:
    """Count the elements and bytes of a first visit to the landing page and to one suite's list."""

    async def sent(query: str, name: str) -> dict[str, float]:
        session = await opened(server, query)
        await closed(session)
        return {f"{name}, elements": session.elements, f"{name}, kB": session.drawn // 1000}

    with (
        tempfile.TemporaryDirectory() as folder,
        serving(ROOT / "app.py", Path(folder) / "store.duckdb") as server,
    ):
        landing = asyncio.run(sent("", "landing"))
        return landing | asyncio.run(sent("evidence=BRIDGE", "suite"))


if __name__ == "__main__":
    print(json.dumps({"command": _of_command, "page": _of_page}[sys.argv[1]]()))
