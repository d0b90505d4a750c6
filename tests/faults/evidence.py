"""Faults of the evidence: what sources and networks do to a renewal, altered files, wrong days."""

from __future__ import annotations

import json
import re
import shutil
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from core.renewal import EVERY
from core.sources.refresh import tried
from tests.faults.place import (
    LIVE,
    OF_LIVE,
    SCRIPT,
    NotHereError,
    Place,
    fault,
    one,
    until,
)
from tests.faults.visitor import KEPT_LISTS, TEST_RESULTS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

NETWORK, RENEWAL, DATA, CLOCK = "Network", "Renewal", "Data", "Clock"
CLOSED = "http://127.0.0.1:9"
"""Nobody listens at the port of the discard service."""
LEFT_OUT = "Some evidence was left out"


@fault(NETWORK, "Connection breaks in the middle of the file")
def _cut(place: Place) -> str:
    place.publish()
    place.hub.fail(r"\.parquet", "cut")
    said = place.refresh()
    assert said.status == 3, f"{said.status} {said.out} {said.err}"
    assert "broke in the middle" in said.sentence, said.sentence
    place.refreshes()
    return said.sentence


def tries(place: Place) -> dict[str, str]:
    """Return what was recorded of the last try of each source that was tried, by its name."""
    found = {source: tried(place.data, source) for source in EVERY}
    return {source: it.said for source, it in found.items() if it}


@fault(RENEWAL, "Renew now, and nothing can be reached", fresh=True)
def _unreachable(place: Place) -> str:
    with place.visiting(**dict.fromkeys(place.sources, CLOSED)) as visitor:
        visitor.open("data")
        visitor.press("renew_secondary")
        until(lambda: len(tries(place)) == len(EVERY), 300)
        until(lambda: "renew_secondary" in visitor.open("data").controls, 200)
        text = visitor.shown.text
        assert all(said in text for said in tries(place).values()), text[:3000]
        assert visitor.open().answers
    return tries(place)["bridge"]


ONE_LEFT = "A server is killed while it renews, started again; all sources but one are gone"


@fault(RENEWAL, ONE_LEFT, fresh=True)
def _daily(place: Place) -> str:
    with place.renewed():
        with place.serving(FORMULARY_REFRESH="daily") as server:
            place.hub.fail(r"\.parquet", "hold")
            until(place.hub.held.is_set, 200)
            with place.visiting(server) as visitor:
                assert visitor.open().answers  # while a source hangs
        place.hub.release.set()
        with place.visiting(FORMULARY_REFRESH="daily") as visitor:
            until(lambda: len(tries(place)) == len(EVERY), 300)
            until(lambda: place.revision in visitor.open("data").text, 200)
            assert place.revision in (visitor.open(query=OF_LIVE) and visitor.link())
            assert visitor.open().answers
        new = place.revision
    said = tries(place)
    good = [source for source, it in said.items() if new in it]
    assert good == [LIVE], said
    return f"{said[LIVE]} {said['litellm']}"


@contextmanager
def as_before(place: Place) -> Iterator[None]:
    """Put the data folder back as it was when the block ends."""
    aside = shutil.copytree(place.data, place.folder / "aside")
    try:
        yield
    finally:
        shutil.rmtree(place.data)
        aside.rename(place.data)


def digit(text: str) -> str:
    """Change one digit of one score."""
    at = re.search(r"0\.\d*[1-9]", text).end() - 1
    return text[:at] + str(9 - int(text[at])) + text[at + 1 :]


def line(begin: str, new: str) -> Callable[[str], str]:
    """Return what puts another line in the place of one."""
    return lambda text: re.sub(rf"(?m)^{begin}.*\n", new, text)


FACTS = "model,field,value,source\nx,params_b,7,https://example.org\n"
SPOILT: dict[str, tuple[Callable[[str], str] | None, str]] = {
    "*/benchhealth/*/scores.csv": (digit, "was altered"),
    "*/noharm/*/manifest.toml": (line("licence", ""), '"licence" is missing'),
    "*/open-medical-llm/*/manifest.toml": (lambda text: f"<b>{text}", "not readable"),
    "*/chi-bench/*/manifest.toml": (line("revision", 'revision = "x"\n'), "in another folder"),
    "*/livemedbench/*/manifest.toml": (line("n_rows", "n_rows = 5\n"), "n_rows = 5"),
    "*/germedbench/*/manifest.toml": (line("sha256", 'sha256 = ""\n'), "has no sha256"),
    "*/medbench-brasil/*/scores.csv": (None, "scores.csv is missing"),
    "snapshots/medhelm/v9.9.9/scores.csv": (lambda _: "", "v9.9.9/manifest.toml is missing"),
    "snapshots/open-llm-v2/2025-02/facts.csv": (lambda _: FACTS, "facts.csv has no sha256"),
    "*/litellm/*/*.csv": (digit, "litellm"),
}
"""Files that are changed, deleted or laid next to others, and what is said of each."""


@fault(DATA, "Ten files of the evidence altered, lost, half copied or laid next to it", fresh=True)
def _spoilt(place: Place) -> str:
    with as_before(place):
        for pattern, (change, _) in SPOILT.items():
            path = next(iter(place.data.glob(pattern)), place.data / pattern)
            if change is None:
                path.unlink()
                continue
            path.parent.mkdir(exist_ok=True)
            path.write_text(change(path.read_text("utf-8") if path.exists() else ""), "utf-8")
        done = place.command("snapshots")
        assert done.status == 3, done.err
        with place.visiting(FORMULARY_LOCAL_RUN="0") as visitor:
            assert visitor.open().answers
            said = one(visitor.shown.alerts, LEFT_OUT)
            for file, (_, words) in SPOILT.items():
                assert words in said, f"{file}: {said}"
                assert words in done.err, f"{file}: {done.err}"
    return said


def stops(name: str, file: str, words: str, page: str = "") -> None:
    """Register a file gone or with a bad row, without which a page cannot be: it names the file."""

    def inject(place: Place) -> str:
        with as_before(place):
            path = place.data / file
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.write_text(f"{path.read_text('utf-8')}{SCRIPT},not-a-number\n", "utf-8")
            with place.visiting(FORMULARY_LOCAL_RUN="1") as visitor:
                said = one(visitor.open(page).alerts, words)
            assert page or place.command("shortlist", "--link", "?").status == 3
        return said

    fault(DATA, name, fresh=True)(inject)


stops("No snapshot at all", "snapshots", "snapshots")
stops("A row of the catalogue is broken", "catalogue/models.csv", "models.csv, row")
stops("A row of the case sets is broken", "catalogue/case_sets.csv", "sets.csv, row", "local_test")


def own_test(**changes: object) -> dict[str, object]:
    """Return a test on open cases as it is kept on the server."""
    known = {"case_set": "healthbench-hard", "as_of": "2026-11-20", "n_cases": 1000}
    return known | {"judges": ["gpt-5"], "scores": [["gpt-5.2", 0.6]]} | changes


OURS = {
    "1": "[" * 100_000,
    "2": json.dumps(own_test(case_set=SCRIPT)),
    "3": json.dumps(own_test(judges=[SCRIPT], scores=[[SCRIPT, 0.7], ["gpt-5.2", 0.6]])),
}


@fault(DATA, "Results kept on this server damaged, or with HTML as their names", fresh=True)
def _ours(place: Place) -> str:
    (place.data / "ours").mkdir()
    for name, content in OURS.items():
        (place.data / "ours" / f"{name}.json").write_text(content, "utf-8")
    with place.visiting() as visitor:
        for page in ("", "data?data_tab=Own+results", TEST_RESULTS, "model?model=gpt-5.2"):
            shown = visitor.open(page)
            assert not shown.alerts, shown.alerts
            assert not shown.markup, shown.markup
        assert "kept on" in visitor.open("data?data_tab=Own+results").text, visitor.shown.text
    shutil.rmtree(place.data / "ours")
    return "What can be read is listed, its HTML as text; the rest is skipped."


@contextmanager
def other_day(place: Place, shift: str) -> Iterator[dict[str, str]]:
    """Give the variables that put a program's clock elsewhere."""
    libraries = sorted(Path("/usr/lib").glob("*/faketime/libfaketime.so.1"))
    if not libraries:
        raise NotHereError("needs faketime")
    stamp = place.folder / "clock"
    stamp.write_text(shift)
    yield {
        "LD_PRELOAD": str(libraries[0]),
        "FAKETIME_TIMESTAMP_FILE": str(stamp),
        "FAKETIME_CACHE_DURATION": "1",
        "FAKETIME_DONT_FAKE_MONOTONIC": "1",
    }


def clock(name: str, shift: str) -> None:
    """Register a clock that is wrong from the start."""

    def inject(place: Place) -> str:
        with other_day(place, shift) as environment:
            said = place.command("shortlist", "--link", "?", **environment)
            assert said.status == 0, said.err
            with place.visiting(**environment) as visitor:
                assert visitor.open().answers, visitor.shown.text[:500]
                alerts = visitor.shown.alerts
                for page in ("cost", "data", KEPT_LISTS, "local_test"):
                    alerts += visitor.open(page).alerts
        return " ".join(dict.fromkeys(alerts)) or "The page as usual, with the prices of that day."

    fault(CLOCK, name)(inject)


clock("Clock three years behind", "-1095d")
clock("Clock five years ahead", "+1825d")
clock("Clock at the year 1970", "@1970-01-02 00:00:00")


@fault(CLOCK, "Clock jumps a year ahead, then back, under a running server")
def _jump(place: Place) -> str:
    with other_day(place, "+0d") as environment, place.visiting(**environment) as visitor:
        for shift in ("+0d", "+400d", "-400d", "+0d"):
            (place.folder / "clock").write_text(shift)
            time.sleep(1.1)  # so long a program remembers what the file says
            assert visitor.open().answers
            assert "Kept as" in " ".join(place.keep(visitor, f"At {shift}").alerts)
            assert f"At {shift}" in visitor.open(KEPT_LISTS).text
    return "The page as usual, with the prices of the day that the clock said."
