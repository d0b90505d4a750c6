"""Where faults are injected: a data folder of its own, its servers, its Hub, what it has kept."""

from __future__ import annotations

import hashlib
import io
import os
import shutil
import sqlite3
import subprocess
import sys
import time
from contextlib import ExitStack, closing, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from unittest import mock

from core.__main__ import main as command_line
from core.sources.lists import SOURCES
from tests.browser import driving
from tests.evidence import hub_server
from tests.faults.visitor import KEPT_LISTS, Visitor

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.faults.visitor import Shown

ROOT = Path(__file__).parents[2]
LIVE, HUB_REPO = "open-llm-v2", "open-llm-leaderboard/contents"
OF_LIVE = "evidence=Open+LLM+Leaderboard+v2"
KEPT_NAME = "Before the fault"
SCRIPT = "<img src=x onerror=alert(1)><script>alert(1)</script>"
TRACES = ("Traceback (most recent call last)", "Something went wrong on our side", 'File "/')
"""What nobody who uses the app may ever see."""


class NotHereError(Exception):
    """The fault cannot be injected on this machine: a right or a program is missing."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault: how it is named, and what injects it, takes it away and returns what was seen."""

    group: str
    name: str
    inject: Callable[[Place], str]
    fresh: bool


FAULTS: list[Fault] = []


def fault(
    group: str, name: str, *, fresh: bool = False
) -> Callable[[Callable[[Place], str]], Callable[[Place], str]]:
    """Register a fault; a fresh one gets a folder that no other fault has touched."""

    def register(inject: Callable[[Place], str]) -> Callable[[Place], str]:
        FAULTS.append(Fault(group, name, inject, fresh))
        return inject

    return register


@dataclass(frozen=True, slots=True)
class Said:
    """How a command ended and what it printed."""

    status: int
    out: str
    err: str

    @property
    def sentence(self) -> str:
        """Return the last line on standard error, without its label."""
        lines = [line for line in self.err.strip().splitlines() if ": " in line]
        return lines[-1].partition(": ")[2] if lines else ""


class Place:
    """One data folder with evidence, a saved shortlist, and whatever runs on it."""

    def __init__(self, folder: Path, hub: hub_server.Server, like: Place | None = None) -> None:
        self.folder, self.hub = folder, hub
        self.data, self.state = folder / "data", folder / "state"
        self.store, self.saved = self.state / "store.duckdb", self.state / "saved.sqlite"
        self.state.mkdir(parents=True)
        shutil.copytree(ROOT / "data", self.data, ignore=shutil.ignore_patterns("*store*"))
        if like is not None:
            shutil.copy(like.folder / "saved.sqlite", self.saved)
            shutil.copy(like.folder / "store.duckdb", self.store)
        self._stack = ExitStack()
        self._server: driving.Server | None = None
        self._n_servers = 0
        self.seen: list[str] = []

    @property
    def server(self) -> driving.Server:
        """The server of this place, started when it is first asked for."""
        if self._server is None or self._server.process.poll() is not None:
            self._server = self._stack.enter_context(self.serving())
        return self._server

    @contextmanager
    def serving(self, **more: str) -> Iterator[driving.Server]:
        """Run one more server on this data and these saved shortlists."""
        self.publish()
        self._n_servers += 1
        settings = self.settings | {"FORMULARY_LOCAL_RUN": "1", **more}
        folder = self.folder / f"server-{self._n_servers}"
        running = driving.start(folder, self.data, **settings)
        try:
            yield running
        finally:
            running.stop()

    @contextmanager
    def visiting(self, server: driving.Server | None = None, **more: str) -> Iterator[Visitor]:
        """Let somebody visit, with settings a server of its own; all that they see is looked at."""
        with ExitStack() as stack:
            if more:
                server = stack.enter_context(self.serving(**more))
            visitor = stack.enter_context(Visitor((server or self.server).url))
            visitor.heard = self.seen
            yield visitor

    def command(self, *arguments: str, **environment: str) -> Said:
        """Run the command line on this place."""
        if environment:
            with self.started(*arguments, **environment) as process:
                out, err = process.communicate(timeout=120)
            said = Said(process.returncode, out.decode(), err.decode())
        else:  # In this process, which need not import everything again.
            out, err = io.StringIO(), io.StringIO()
            with (
                mock.patch.dict(os.environ, self.settings),
                redirect_stdout(out),
                redirect_stderr(err),
            ):
                status = command_line([*arguments])
            said = Said(status, out.getvalue(), err.getvalue())
        self.seen.append(f"{said.out if len(said.out) < 5000 else ''}\n{said.err}")
        return said

    @contextmanager
    def started(self, *arguments: str, **environment: str) -> Iterator[subprocess.Popen[bytes]]:
        """Start the command line and go on; it is killed at the end of the block."""
        process = subprocess.Popen(
            [sys.executable, "-m", "core", *arguments],
            cwd=ROOT,
            env=os.environ | self.settings | environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        try:
            yield process
        finally:
            process.kill()
            process.wait()

    @property
    def sources(self) -> dict[str, str]:
        """Where each live source is: at the Hub of this machine, which has one of them."""
        lists = {it.variable: f"{self.hub.url}/{name}.json" for name, it in SOURCES.items()}
        return {"HF_ENDPOINT": self.hub.url, "FORMULARY_HELM": self.hub.url, **lists}

    @property
    def settings(self) -> dict[str, str]:
        """The variables that point a program at this place."""
        own = {"FORMULARY_DATA": str(self.data), "FORMULARY_STORE": str(self.store)}
        return own | self.sources

    def publish(self, n_models: int = 60) -> None:
        """Put one healthy live source on the Hub, and take all faults of the Hub away."""
        self.hub.faults.clear()
        self.hub.held.clear()
        self.hub.release.clear()
        rows = [hub_server.v2_row(f"lab/model-{i}", 0.3 + i / 200) for i in range(n_models)]
        self.hub.put("dataset", HUB_REPO, hub_server.open_llm_v2(rows))

    def refresh(self, **environment: str) -> Said:
        """Refresh one suite from the command line."""
        return self.command("refresh", LIVE, **environment)

    @property
    def revision(self) -> str:
        """Return the newest snapshot of the live source; each new one is written here."""
        return max((self.data / "snapshots" / LIVE).iterdir(), key=os.path.getmtime).name

    @contextmanager
    def renewed(self) -> Iterator[None]:
        """Take the one snapshot that must come in this block out again."""
        folder = self.data / "snapshots" / LIVE
        before = {*folder.iterdir()}
        yield
        new = {*folder.iterdir()} - before
        assert len(new) == 1, new
        shutil.rmtree(new.pop())

    def refreshes(self) -> None:
        """Check that a refresh works, and take its snapshot out again."""
        self.publish()
        with self.renewed():
            done = self.refresh()
            assert done.status == 0, done.err

    def keep(self, visitor: Visitor, name: str) -> Shown:
        """Keep the shortlist of the first page under a name."""
        visitor.open()
        visitor.unfold("keep_fold")
        visitor.type("keep_name", name)
        visitor.type("keep_note", "")
        return visitor.press("Keep")

    def kept(self) -> dict[str, str]:
        """Return the hash of each file of each snapshot, and of each saved shortlist."""
        snapshots = self.data / "snapshots"
        found = {
            str(path.relative_to(snapshots)): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in sorted(snapshots.glob("*/[!.]*/*"))
        }
        if self.saved.exists():
            with closing(sqlite3.connect(f"file:{self.saved}?mode=ro", uri=True)) as connection:
                rows = connection.execute("SELECT * FROM saved_shortlist ORDER BY id").fetchall()
            found |= {f"saved {row[0]}": repr(row) for row in rows}
        return found

    def works(self) -> None:
        """Check that the answer comes, on the page where a server runs."""
        if self._server is None:
            done = self.command("shortlist", "--link", "?", "--json")
            assert (done.status, done.err) == (0, ""), done.err
            return
        with self.visiting() as visitor:
            shown = visitor.open()
            assert shown.answers, shown.text[:1000]
            assert not shown.alerts, shown.alerts
            shown = visitor.open(KEPT_LISTS)
            assert KEPT_NAME in shown.text or not self.saved.exists(), shown.text[:1000]

    def traces(self) -> list[str]:
        """Return what looks like a stack trace in all that anybody was shown."""
        lines = (line for text in self.seen for line in text.splitlines())
        return [line[:200] for line in lines if any(trace in line for trace in TRACES)]

    def close(self) -> None:
        """Stop what runs here."""
        self._stack.close()


@contextmanager
def small_disk(path: Path, megabytes: float) -> Iterator[Callable[[str], None]]:
    """Mount a small disk at a folder, with what is in it; yield what remounts it.

    Raises
    ------
    NotHereError
        Where this process may not mount.
    """
    path.mkdir(parents=True, exist_ok=True)
    aside = path.with_name(f"{path.name}-aside")
    shutil.copytree(path, aside, dirs_exist_ok=True)
    size = f"size={round(megabytes * 1024)}k"
    mount = ["mount", "-t", "tmpfs", "-o", size, "tmpfs", str(path)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True, check=False).returncode:
        raise NotHereError("needs the right to mount a disk")
    try:
        shutil.copytree(aside, path, dirs_exist_ok=True)

        def remount(options: str) -> None:
            command = ["mount", "-o", f"remount,{options}", str(path)]
            subprocess.run(command, check=True, capture_output=True)

        yield remount
        shutil.copytree(path, aside, dirs_exist_ok=True)
    finally:
        subprocess.run(["umount", "-l", str(path)], check=False, capture_output=True)
        shutil.copytree(aside, path, dirs_exist_ok=True)
        shutil.rmtree(aside)


def full(path: Path) -> Path:
    """Fill the disk under a folder to its last byte; return the file that does."""
    filler = path / "filler"
    with filler.open("wb", buffering=0) as file:
        for size in (2**16, 2**10, 1):
            try:
                while True:
                    file.write(b"x" * size)
            except OSError:
                continue
    return filler


def one(alerts: list[str], part: str) -> str:
    """Return the notice that holds these words; there must be just one."""
    found = next((alert for alert in alerts if part in alert), None)
    assert found is not None, f"no notice says {part!r}: {alerts}"
    return found


def until(ready: Callable[[], object], seconds: float = 30) -> None:
    """Wait for something that must come true."""
    deadline = time.monotonic() + seconds
    while not ready():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.02)
