"""Renewal: every live source in turn, by itself on a server or when somebody asks.

Each source is refreshed in a process of its own (``python -m core.renewal NAME``). So what it sends
can neither hold up the pages nor fill their memory, and it can be stopped, however it hangs.
"""

import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, time, timedelta
from pathlib import Path
from time import monotonic

from core import logs
from core.domain import BadRequestError, FormularyError, Tried
from core.evidence import catalogue
from core.evidence.store import data_folder, open_store
from core.sources.hub import RECEIVED, STAYS, Hub
from core.sources.lists import SOURCES
from core.sources.live import LIVE
from core.sources.refresh import record, refresh, tried

EVERY = (*LIVE, *SOURCES)
"""All live sources, by the names that the command ``refresh`` takes."""
_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Schedule:
    """When a server renews by itself."""

    at: time | None
    """A time of day in the server's own time zone; ``None`` is a day after the last time."""

    def next(self, last: datetime | None, now: datetime) -> datetime:
        """Return when a source is next due: now, where it was never tried or only in the future."""
        if last is None or last > now:
            return now
        if self.at is None:
            return last + _DAY
        then = datetime.combine(last.astimezone().date(), self.at)
        # The zone is put on last: another day may have another offset.
        days = ((then + n * _DAY).astimezone() for n in range(3))
        return next(day for day in days if day > last)


@dataclass(frozen=True, slots=True)
class RenewalStep:
    """How far the refresh of a source is, or how it ended."""

    source: str
    begun: float
    """On the clock of ``time.monotonic``."""
    n_done: int = 0
    """Files, of all of them."""
    n_all: int = 0
    n_bytes: int = 0
    said: str = ""
    """The sentence with which it ended; empty before."""
    failed: bool = False
    new: str = ""
    """The revision of a new snapshot."""


def schedule(environment: Mapping[str, str] = os.environ) -> Schedule | None:
    """Read ``FORMULARY_REFRESH``: ``off``, ``daily`` or a time of day; ``None`` is off."""
    said = environment.get("FORMULARY_REFRESH", "").strip()
    if said in ("", "off"):
        return None
    if said == "daily":
        return Schedule(None)
    if re.fullmatch(r"([01]\d|2[0-3]):[0-5]\d", said, re.ASCII):
        return Schedule(time.fromisoformat(said))
    raise BadRequestError(
        f'FORMULARY_REFRESH is "{said[:40]}": set it to off, daily, or a time of day such as 02:30.'
    )


def states(data: Path) -> dict[str, Tried | None]:
    """Return how each source was last tried."""
    return {source: tried(data, source) for source in EVERY}


def due_sources(data: Path, when: Schedule, now: datetime) -> dict[str, datetime]:
    """Return when each source is next due."""
    return {name: when.next(it.at if it else None, now) for name, it in states(data).items()}


def renew(
    data: Path,
    sources: Iterable[str],
    *,
    since: datetime | None = None,
    report: Callable[[RenewalStep], None] = lambda _: None,
    wanted: Callable[[], bool] = lambda: True,
    token: str = "",
    limit_s: float = 600,
) -> Iterator[RenewalStep]:
    """Refresh sources one after the other; none that fails keeps the others from their turn.

    Parameters
    ----------
    since
        What another process has tried after this is not asked again.
    report
        Called twice a second with how far the source in hand is.
    wanted
        Asked as often; where it says no, the source in hand is stopped and none follows.
    token
        Access token of the Hub; ``HF_TOKEN`` where there is none.
    limit_s
        The longest that one source may take.
    """
    for source in sources:
        step = RenewalStep(source, monotonic())
        report(step)
        process = _started(data, token, source, *([since.isoformat()] if since else []))
        clock = threading.Timer(limit_s, process.kill)
        clock.start()
        try:
            for line in process.stdout or ():
                step = replace(step, **json.loads(line))
                report(step)
                if not wanted():
                    return
        finally:
            clock.cancel()
            process.kill()
            process.communicate()
        if not step.said:
            late = monotonic() - step.begun >= limit_s
            why = f"took over {limit_s:g} seconds and was stopped" if late else "ended unexpectedly"
            step = replace(step, said=f"The refresh of {source} {why}; {STAYS}.", failed=True)
            record(data, source, step.said, failed=True)
        yield step


def build_store(data: Path) -> None:
    """Build the derived store in another process, so that whoever comes next only opens it."""
    _started(data, "").communicate()


def _started(data: Path, token: str, *words: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-m", "core.renewal", *words],
        cwd=Path(__file__).parents[1],
        env=os.environ | {"FORMULARY_DATA": str(data)} | ({"HF_TOKEN": token} if token else {}),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        encoding="utf-8",
        start_new_session=True,  # a Ctrl+C is for the server, which then ends it
    )


def _main(source: str = "", since: str = "") -> None:
    if hasattr(os, "nice"):
        os.nice(10)
    logs.set_up()
    if not source:
        with suppress(FormularyError):  # the page says it, to whoever opens one
            open_store()
        return
    counts, ended = {"n_done": 0, "n_all": 0}, threading.Event()

    def tell(**more: object) -> None:
        with suppress(OSError):  # whoever listened has gone, and the work goes on
            print(json.dumps({**counts, "n_bytes": sum(RECEIVED), **more}), flush=True)

    def ticking() -> None:
        while not ended.wait(0.5):
            tell()

    teller = threading.Thread(target=ticking, daemon=True)
    teller.start()
    data, new, failed = data_folder(), "", True
    try:
        found = refresh(
            data,
            source,
            Hub(),
            known_benchmarks=catalogue.load(data / "catalogue").scales(),
            progress=lambda done, n_all: counts.update(n_done=done, n_all=n_all),
            since=datetime.fromisoformat(since) if since else None,
        )
        said, failed = found.message, False
        new = found.snapshot.revision if found.snapshot else ""
    except FormularyError as error:
        said = str(error)
    except Exception as error:
        at = logs.fault(error, f"renewal of {source}")
        said = (
            f"The refresh of {source} failed because of a fault on our side (reference {at}); "
            f"{STAYS}."
        )
        record(data, source, said, failed=True)
    ended.set()
    teller.join()
    tell(said=said, failed=failed, new=new)
    os._exit(0)  # threads that still wait for a server are not waited for


if __name__ == "__main__":
    _main(*sys.argv[1:])
