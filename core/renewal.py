"""Renewal: every live source in turn, by itself on a server or when somebody asks.

Each source is refreshed in a process of its own. So what it sends can neither hold up the pages nor
fill their memory, and it can be stopped: no source takes more than ten minutes, however it hangs.
``python -m core.renewal`` is that process, for one source, or without one for the derived store.
"""

import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from pathlib import Path
from time import monotonic

from core import logs
from core.domain import BadRequestError, FormularyError
from core.evidence import catalogue
from core.evidence.fact_lists import SOURCES
from core.evidence.hub import STAYS, Hub, Received
from core.evidence.refresh import Tried, record, refresh, tried
from core.evidence.sources.live import LIVE
from core.evidence.store import data_folder, open_store

EVERY = (*LIVE, *SOURCES)
"""All live sources, by the names that the command ``refresh`` takes."""
LIMIT_S = 600.0
"""The longest that one source may take."""
_ROOT = Path(__file__).parents[1]
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
        then = last.astimezone().replace(hour=self.at.hour, minute=self.at.minute, second=0)
        days = (then + n * _DAY for n in range(3))
        # Without the zone and with it again: a day of another summer time has another offset.
        return next(day for it in days if (day := it.replace(tzinfo=None).astimezone()) > last)


@dataclass(frozen=True, slots=True)
class Step:
    """How far the refresh of a source is."""

    source: str
    n_done: int = 0
    """Files, of all of them."""
    n_all: int = 0
    n_bytes: int = 0
    begun: float = 0.0
    """On the clock of ``time.monotonic``."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How the refresh of a source ended, in a sentence."""

    step: Step
    seconds: float
    said: str
    failed: bool
    new: str | None
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


def due(data: Path, when: Schedule, now: datetime) -> list[str]:
    """Return the sources that a schedule wants to be refreshed by now."""
    return [name for name, it in states(data).items() if when.next(it and it.at, now) <= now]


def is_writable(data: Path) -> bool:
    """Say whether a renewal could write to the data folder."""
    return os.access(data, os.W_OK)


def renew(
    data: Path,
    sources: Iterable[str],
    *,
    since: datetime | None = None,
    report: Callable[[Step], None] = lambda _: None,
    wanted: Callable[[], bool] = lambda: True,
    token: str = "",
    limit_s: float = LIMIT_S,
) -> Iterator[Outcome]:
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
    """
    for source in sources:
        told: dict[str, object] = {}
        step, late = Step(source, begun=monotonic()), threading.Event()
        report(step)
        with _started(data, source, since.isoformat() if since else "", token=token) as process:

            def stop(of: subprocess.Popen[str] = process, late: threading.Event = late) -> None:
                late.set()
                of.kill()

            clock = threading.Timer(limit_s, stop)
            clock.start()
            try:
                for line in process.stdout or ():
                    told = json.loads(line)
                    done, n_all, n_bytes = (int(str(told[key])) for key in ("done", "all", "bytes"))
                    step = Step(source, done, n_all, n_bytes, step.begun)
                    report(step)
                    if not wanted():
                        return
            finally:
                clock.cancel()
                process.kill()
        if "said" not in told:
            why = f"took over {limit_s:g} seconds and was stopped"
            why = why if late.is_set() else "ended unexpectedly"
            said = f"The refresh of {source} {why}; {STAYS}."
            record(data, source, said, failed=True)
            told = {"said": said, "failed": True}
        new, took = told.get("new"), monotonic() - step.begun
        yield Outcome(step, took, str(told["said"]), bool(told["failed"]), new and str(new))


def build_store(data: Path) -> None:
    """Build the derived store in another process, so that whoever comes next only opens it."""
    with _started(data) as process:
        process.wait()


def _started(data: Path, *words: str, token: str = "") -> "subprocess.Popen[str]":
    environment = os.environ | {"FORMULARY_DATA": str(data)}
    return subprocess.Popen(
        [sys.executable, "-m", "core.renewal", *words],
        cwd=_ROOT,
        env=environment | ({"HF_TOKEN": token} if token else {}),
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
    counts, ended = [0, 0], threading.Event()

    def tell(**more: object) -> None:
        with suppress(OSError):  # whoever listened has gone, and the work goes on
            about = {"done": counts[0], "all": counts[1], "bytes": Received.n_bytes}
            print(json.dumps(about | more), flush=True)

    def ticking() -> None:
        while not ended.wait(0.5):
            tell()

    def progress(done: int, n_all: int) -> None:
        counts[:] = done, n_all

    teller = threading.Thread(target=ticking, daemon=True)
    teller.start()
    told = _refreshed(source, since, progress)
    ended.set()
    teller.join()
    tell(**told)
    os._exit(0)  # threads that still wait for a server are not waited for


def _refreshed(source: str, since: str, progress: Callable[[int, int], None]) -> dict[str, object]:
    data = data_folder()
    try:
        try:
            hub, known = Hub(), catalogue.load(data / "catalogue").scales()
        except FormularyError as error:
            record(data, source, str(error), failed=True)
            raise
        found = refresh(
            data,
            source,
            hub,
            known_benchmarks=known,
            progress=progress,
            since=datetime.fromisoformat(since) if since else None,
        )
    except FormularyError as error:
        return {"said": str(error), "failed": True}
    except Exception as error:
        at = logs.fault(error, f"renewal of {source}")
        said = f"The refresh of {source} failed, and the fault is ours (reference {at}); {STAYS}."
        record(data, source, said, failed=True)
        return {"said": said, "failed": True}
    revision = found.snapshot.revision if found.snapshot else None
    return {"said": found.message, "failed": False, "new": revision}


if __name__ == "__main__":
    _main(*sys.argv[1:])
