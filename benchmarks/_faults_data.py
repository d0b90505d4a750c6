"""Faults of the data and of the clock: altered evidence, broken facts, the wrong day."""

from __future__ import annotations

import re
import shutil
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks._fault_place import NotHereError, Place, fault, one

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

DATA, CLOCK = "Data", "Clock"
LEFT_OUT = "Some evidence was left out"


@contextmanager
def spoilt(path: Path, change: Callable[[str], str]) -> Iterator[None]:
    """Change a text file, and put it back as it was."""
    before = path.read_bytes()
    path.write_text(change(before.decode()), "utf-8")
    try:
        yield
    finally:
        path.write_bytes(before)


def left_out(
    name: str, words: str, file: str, change: Callable[[str], str], group: str = DATA
) -> None:
    """Register a fault of one snapshot: it is named, and the rest works."""

    def inject(place: Place) -> str:
        with spoilt(place.data / "snapshots" / file, change):
            done = place.command("snapshots")
            assert done.status == 3, done.err
            assert words in done.err, done.err
            with place.serving() as server, place.visiting(server) as visitor:
                shown = visitor.open(query="evidence=BRIDGE")
                said = one(shown.alerts, LEFT_OUT)
                assert words in said, said
                assert shown.answers, shown.text[:500]
        return said

    fault(group, name, fresh=True)(inject)


def digit(text: str) -> str:
    """Change one digit of one score."""
    found = re.search(r"0\.\d*([1-9])", text)
    assert found
    at = found.start(1)
    return text[:at] + str(9 - int(text[at])) + text[at + 1 :]


left_out(
    "One digit of a snapshot altered",
    "was altered",
    "benchhealth/arxiv-2405.00716/scores.csv",
    digit,
)
left_out(
    "Manifest lacks a field",
    'the field "licence" is missing',
    "noharm/v1-2025-12-24/manifest.toml",
    lambda text: re.sub(r"(?m)^licence.*\n", "", text),
)
left_out(
    "Manifest is no TOML",
    "is not readable TOML",
    "open-medical-llm/2024-05-31/manifest.toml",
    lambda text: f"<b>{text}",
)
left_out(
    "Manifest of another snapshot",
    "lies in another folder",
    "open-llm-v2/2025-02/manifest.toml",
    lambda text: re.sub(r"(?m)^revision.*", 'revision = "other"', text),
)


@fault(DATA, "Scores of a snapshot deleted", fresh=True)
def _no_scores(place: Place) -> str:
    scores = place.data / "snapshots/medhelm/v4.0.0/scores.csv"
    aside = scores.rename(place.folder / "scores.csv")
    with place.serving() as server, place.visiting(server) as visitor:
        shown = visitor.open()
        said = one(shown.alerts, LEFT_OUT)
        assert shown.answers, shown.text[:500]
    aside.rename(scores)
    return said


@fault(DATA, "No snapshot at all", fresh=True)
def _no_snapshots(place: Place) -> str:
    aside = place.data / "aside"
    (place.data / "snapshots").rename(aside)
    (place.data / "snapshots").mkdir()
    with place.serving() as server, place.visiting(server) as visitor:
        said = one(visitor.open().alerts, "")
        assert place.command("shortlist", "--link", "x").status == 3
        (place.data / "snapshots").rmdir()
        aside.rename(place.data / "snapshots")
        assert visitor.open().answers
    return said


@fault(DATA, "A row of the catalogue is broken", fresh=True)
def _catalogue(place: Place) -> str:
    row = "a,b,<b>c</b>,not-a-number\n"
    with (
        spoilt(place.data / "catalogue/models.csv", lambda text: text + row),
        place.serving() as server,
        place.visiting(server) as visitor,
    ):
        said = one(visitor.open().alerts, "models.csv")
        assert place.command("shortlist", "--link", "x").status == 3
    return said


@fault(DATA, "A table of the catalogue is missing", fresh=True)
def _no_table(place: Place) -> str:
    table = place.data / "catalogue/benchmarks.csv"
    aside = table.rename(place.folder / "benchmarks.csv")
    with place.serving() as server, place.visiting(server) as visitor:
        said = one(visitor.open().alerts, "benchmarks.csv")
        assert place.command("shortlist", "--link", "x").status == 3
    aside.rename(table)
    return said


@fault(DATA, "A table of the catalogue is not UTF-8", fresh=True)
def _no_utf8(place: Place) -> str:
    table = place.data / "catalogue/gates.csv"
    before = table.read_bytes()
    table.write_bytes(before + b"\xff\xfe\x00,\x00")
    with place.serving() as server, place.visiting(server) as visitor:
        said = one(visitor.open().alerts, "gates.csv")
        assert place.command("shortlist", "--link", "x").status == 3
    table.write_bytes(before)
    return said


@fault(DATA, "A half-copied snapshot lies in the data folder", fresh=True)
def _half_copied(place: Place) -> str:
    half = place.data / "snapshots/medhelm/v9.9.9"
    half.mkdir()
    shutil.copy(place.data / "snapshots/medhelm/v4.0.0/scores.csv", half)
    with place.serving() as server, place.visiting(server) as visitor:
        shown = visitor.open()
        said = one(shown.alerts, LEFT_OUT)
        assert shown.answers, shown.text[:500]
    shutil.rmtree(half)
    return said


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
        "FAKETIME_NO_CACHE": "1",
        "FAKETIME_DONT_FAKE_MONOTONIC": "1",
    }


def clock(name: str, shift: str) -> None:
    """Register a clock that is wrong from the start."""

    def inject(place: Place) -> str:
        with other_day(place, shift) as environment:
            said = place.command("shortlist", "--link", "x", **environment)
            assert said.status == 0, said.err
            with place.serving(**environment) as server, place.visiting(server) as visitor:
                shown = visitor.open()
                assert shown.answers, shown.text[:500]
                alerts = shown.alerts
                for page in ("costs", "workload_bill", "snapshots", "saved"):
                    alerts += visitor.open(page).alerts
        return " ".join(dict.fromkeys(alerts)) or "The page as usual, with the prices of that day."

    fault(CLOCK, name)(inject)


clock("Clock three years behind", "-1095d")
clock("Clock five years ahead", "+1825d")
clock("Clock at the year 1970", "@1970-01-02 00:00:00")


@fault(CLOCK, "Clock jumps a year ahead, then back, under a running server")
def _jump(place: Place) -> str:
    with (
        other_day(place, "+0d") as environment,
        place.serving(**environment) as server,
        place.visiting(server) as visitor,
    ):
        for shift in ("+0d", "+400d", "-400d", "+0d"):
            (place.folder / "clock").write_text(shift)
            assert visitor.open().answers
            assert "Kept as" in " ".join(place.keep(visitor, f"At {shift}").alerts)
            assert f"At {shift}" in visitor.open("saved").text
    return "The page as usual, with the prices of the day that the clock said."


@fault(CLOCK, "Link asks for the prices of the year 2099")
def _prices_of_2099(place: Place) -> str:
    with place.visiting() as visitor:
        shown = visitor.open(query="prices=2099-01-01")
        assert shown.answers, shown.text[:800]
        return " ".join(shown.alerts) or "The page as usual."
