"""How old the evidence is, and what came of its renewal, in words. Times are the server's own."""

from collections.abc import Collection, Mapping
from datetime import datetime, timedelta

from core.domain import Tried
from core.figures import counted, day_in_words, listed, written

_MANY_FAILURES = 3
"""In a row; then it is said since when."""


def age_of_tests(test: str, listed_on: str) -> str:
    """Say of what day the newest test of those named is, and the list of facts that is old."""
    newest = f"Newest test of this work for the models named: {day_in_words(test)}." if test else ""
    more = f"{old_list(listed_on)}." if listed_on else ""
    return f"{newest} {more}".strip()


def old_list(day: str) -> str:
    """Say from when the older of the lists of public prices is."""
    return f"The older list of public prices is from {written(day)}"


def moment_in_words(at: datetime | None) -> str:
    """Write a time as 26 November 2026, 07:10; empty where there is none."""
    return f"{written(f'{at.astimezone():%Y-%m-%d}')}, {at.astimezone():%H:%M}" if at else ""


def renewed(known: Collection[Tried], due: datetime | None, now: datetime) -> str:
    """Say when sources were last read, and where a server renews by itself, when it will again."""
    last = max((it.succeeded_at for it in known if it.succeeded_at), default=None)
    said = f"Renewed {moment_in_words(last)}" if last else "Not renewed yet" if due else ""
    if said and (failed := sum(0 < it.n_failed < _MANY_FAILURES for it in known)):
        said += f"; {failed} of {counted(len(known), 'source')} failed at the last try"
    if due:
        day, today = due.astimezone().date(), now.astimezone().date()
        when = "today" if day <= today else written(day.isoformat())
        said += f"; next {'tomorrow' if day == today + timedelta(days=1) else when}"
    return said and f"{said}."


def failing(known: Mapping[str, Tried]) -> str:
    """Name the sources that failed three times or more in a row, each with since when."""
    since = {name: it.failing_since for name, it in known.items() if it.n_failed >= _MANY_FAILURES}
    names = [f"{name} since {moment_in_words(at)}" for name, at in since.items()]
    return f"Could not be renewed: {listed(names)}." if names else ""


def progress(name: str, n_done: int, n_all: int, n_bytes: int, seconds: float) -> str:
    """Say how far the refresh of a source is."""
    files = f"file {n_done} of {n_all}, " if n_all else ""
    return f"{name}: {files}{n_bytes / 1e6:.1f} MB, {counted(round(seconds), 'second')}"


def old_scores(day: str) -> str:
    """Say from when scores date that are over a year old."""
    return (
        f"The scores in this evidence date from {day_in_words(day)}, over a year ago: later models "
        "are not among them."
    )
