"""Servers and browser sessions without a browser, for the benchmarks of the app.

A session speaks Streamlit's own protocol over a websocket and does what a browser does: it
follows the address, and it says which large messages it still holds, so that the server need
not send them again.
"""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import ClientConnection, connect

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[1]
EMPTY = 'import streamlit as st\nst.write("x")\n'
"""The smallest app there is: the floor of every comparison."""
_QUIET_SECONDS = 1.5
_KEPT_RUNS = 2
"""A browser forgets a message that this many runs did not use."""


@dataclass(frozen=True, slots=True)
class Server:
    """A running server."""

    pid: int
    port: int

    @property
    def url(self) -> str:
        """Where its first page is."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def cpu_s(self) -> float:
        """Seconds of processor time so far, in steps of some milliseconds (Linux)."""
        fields = Path(f"/proc/{self.pid}/stat").read_text("utf-8").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    @property
    def memory_mb(self) -> float:
        """Resident memory of the process, from the operating system (Linux)."""
        status = Path(f"/proc/{self.pid}/status").read_text("utf-8")
        line = next(line for line in status.splitlines() if line.startswith("VmRSS"))
        return int(line.split()[1]) / 1024


@contextmanager
def serving(script: Path, store: Path, data: Path | None = None) -> Iterator[Server]:
    """Run a server with the project's settings, warm and with its pages known."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = int(listener.getsockname()[1])
    # The measures of the server are for its operators; so is the check that runs the app once.
    environment = os.environ | {"FORMULARY_STORE": str(store), "FORMULARY_METRICS": "1"}
    if data is not None:
        environment["FORMULARY_DATA"] = str(data)
    base = environment.get("STREAMLIT_SERVER_BASE_URL_PATH", "")
    below = f"/{base}" if base else ""
    process = subprocess.Popen(
        [sys.executable, "-m", "streamlit", "run", str(script), f"--server.port={port}"],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        for _ in range(600):
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}{below}/_stcore/health").read()
            except OSError:
                time.sleep(0.1)
            else:
                break
        else:
            raise RuntimeError(f"The server of {script.name} does not answer.")
        yield Server(process.pid, port)
    finally:
        process.kill()
        process.wait()


@contextmanager
def empty_app(folder: Path) -> Iterator[Server]:
    """Run the smallest app there is, with the same settings."""
    script = folder / "empty.py"
    script.write_text(EMPTY)
    with serving(script, folder / "none.duckdb") as server:
        yield server


def empty_page(folder: Path) -> Path:
    """Write this app with nothing on any page; return its script."""
    folder.mkdir()
    for name in ("core", "pages", "data", "pyproject.toml"):
        (folder / name).symlink_to(ROOT / name)
    script = folder / "app.py"
    app = (ROOT / "app.py").read_text("utf-8")
    if app.count("page.run()") != 1:
        raise RuntimeError("app.py runs its page in another way than this benchmark knows.")
    script.write_text(app.replace("page.run()", 'st.write("x")'), "utf-8")
    return script


@dataclass
class Session:
    """One browser session without the browser."""

    socket: ClientConnection
    query: str
    margin_id: str = ""
    elements: int = 0
    """Messages of the last run that draw something."""
    running: bool = False
    """Whether a run has begun and not ended."""
    drawn: int = 0
    """Bytes of what the last run draws, sent by it or held from a run before."""
    faults: list[str] = field(default_factory=list)
    _held: dict[str, int] = field(default_factory=dict)
    _bytes: dict[str, int] = field(default_factory=dict)
    _run: int = 0

    async def rerun(self, margin: float | None = None) -> float:
        """Run the script, with a changed margin, and return the seconds until it has finished."""
        message = BackMsg()
        script = message.rerun_script
        script.query_string = self.query
        script.cached_message_hashes.extend(self._held)
        if margin is not None and self.margin_id:
            state = script.widget_states.widgets.add()
            state.id = self.margin_id
            state.double_value = margin
        self._run += 1
        self.elements = self.drawn = 0
        start = time.perf_counter()
        await self.socket.send(message.SerializeToString())
        raw: list[bytes] = []
        # Reading what came is the browser's work, so it is done after the time is taken, but for
        # the short messages, among which the end of the run is.
        while True:
            got = await self.socket.recv(decode=False)
            raw.append(got)
            if len(got) < 1000 and _kind(got) == "script_finished":
                break
        taken = time.perf_counter() - start
        for content in raw:
            self.read(content)
        self._held = {h: run for h, run in self._held.items() if self._run - run < _KEPT_RUNS}
        return taken

    def read(self, content: bytes) -> None:
        """Record what a message brings, as a browser does."""
        message = ForwardMsg()
        message.ParseFromString(content)
        kind = message.WhichOneof("type")
        if kind == "new_session":  # How much a run sends that another follows is left to chance.
            self.elements, self.drawn, self.running = 0, 0, True
        self.drawn += self._bytes.get(message.ref_hash, len(content))
        if kind == "ref_hash":
            self._held[message.ref_hash] = self._run
            self.elements += 1
        elif kind == "script_finished":
            self.running = False
        elif kind == "page_info_changed":
            self.query = message.page_info_changed.query_string
        elif kind == "delta":
            self.elements += 1
            if message.metadata.cacheable:
                self._held[message.hash] = self._run
                self._bytes[message.hash] = len(content)
            element = message.delta.new_element
            if "margin" in element.number_input.id:
                self.margin_id = element.number_input.id
            if element.WhichOneof("type") == "exception":
                self.faults.append(element.exception.message)
            if element.alert.body and "Something went wrong on our side" in element.alert.body:
                self.faults.append(element.alert.body)


def _kind(content: bytes) -> str | None:
    message = ForwardMsg()
    message.ParseFromString(content)
    return message.WhichOneof("type")


async def opened(server: Server, query: str) -> Session:
    """Open a session at an address and run the page once."""
    link = await connect(
        f"ws://127.0.0.1:{server.port}/_stcore/stream",
        subprotocols=["streamlit"],
        max_size=None,
        compression=None,
    )
    session = Session(link, query)
    await session.rerun()
    # A page may run itself once more; what it then sends is not an answer to the next question.
    with suppress(TimeoutError):
        while True:
            quiet = None if session.running else _QUIET_SECONDS
            session.read(await asyncio.wait_for(link.recv(decode=False), quiet))
    return session


async def closed(*sessions: Session) -> None:
    """Close sessions."""
    await asyncio.gather(*(session.socket.close() for session in sessions))
