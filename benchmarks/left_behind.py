"""What sessions leave behind when they go: memory, files in the making, long work.

Four measurements on a server of its own, each with the same attack whatever the program does
about it: visitors with own results that have left; files asked for by a session that has left;
own results of 16,500 models, and of the 500 that are allowed; and 200 sessions of ten questions.
Others' waiting is the time from a new number of requests to the end of the run, of a visitor who
has nothing to do with it.

Run: python -m benchmarks.left_behind [own] [files] [long] [sessions]
"""

from __future__ import annotations

import csv
import io
import os
import sys
import tempfile
import time
from pathlib import Path

from benchmarks import _leaderboard
from benchmarks._sessions import ROOT, Server, serving
from core.evidence import catalogue
from tests.faults.visitor import OWN_RESULTS, WIN_RATES, Visitor

VISITORS, OWN_MODELS, OWN_BYTES = 18, 450, 11_000_000
FORGOTTEN_AFTER_S = 130
"""Streamlit keeps a session for two minutes, for a browser that comes back."""
FILES = 60
MODELS, MOST_MODELS, LEAVERS = 16_500, 500, 5
SESSIONS, QUESTIONS = 200, 10
ELSEWHERE = "evidence=MedHELM&requests=777"
"""The question of a visitor who has nothing to do with the attack."""
QUIET_S = 0.3
"""Others no longer wait when three runs in a row take less."""
LONGEST_S = 240


def sheet(n_models: int, n_benchmarks: int, name: str = "own", size: int = 0) -> bytes:
    """Return own results on MedHELM as CSV, filled up to about ``size`` bytes by long names."""
    known = catalogue.load(ROOT / "data" / "catalogue").benchmarks["medhelm"][:n_benchmarks]
    fill = max(0, min(190, size // (2 * n_models * len(known)) - 30))
    text = io.StringIO()
    write = csv.writer(text)
    write.writerow(["model", "run", "benchmark", "score", "standard_error", "note"])
    note = "n" * max(0, size // (n_models * len(known)) - fill - 40)
    for i in range(n_models):
        model = f"{name}-{i}-".ljust(fill, "x")
        for j, one in enumerate(known):
            score = one.scale_min + (one.scale_max - one.scale_min) * ((i * 7 + j * 13) % 97) / 97
            write.writerow([model, "", one.id, f"{score:.4f}", "", note])
    return text.getvalue().encode()


def bring_in(visitor: Visitor, content: bytes) -> str:
    """Bring own results into a session; return why not, where they are refused."""
    visitor.open(OWN_RESULTS, "evidence=MedHELM")
    shown = visitor.upload("own.csv", content)
    if not any("Read as" in alert for alert in shown.alerts):
        return " ".join(shown.alerts)
    visitor.press("use_own.csv")
    return ""


def after_all(server: Server) -> str:
    """Wait until the sessions are forgotten, and one more visit; say what memory is held then."""
    time.sleep(FORGOTTEN_AFTER_S)
    with Visitor(server.url) as visitor:
        visitor.open()
    time.sleep(5)
    return f"{server.memory_mb:.0f} MB {FORGOTTEN_AFTER_S} s later, after one more visit"


def own(server: Server) -> None:
    """Let visitors bring own results, look at two pages, and leave; twice, to see it level off."""
    with Visitor(server.url) as visitor:
        visitor.open("", "evidence=MedHELM")
        visitor.go(WIN_RATES)
    print(f"own: {server.memory_mb:.0f} MB before", flush=True)
    for batch in "ab":
        for number in range(VISITORS):
            content = sheet(OWN_MODELS, 100, f"{batch}{number}", OWN_BYTES)
            with Visitor(server.url) as visitor:
                refused = bring_in(visitor, content)
                assert not refused, refused
                for page in ("", WIN_RATES):
                    assert not visitor.go(page).exceptions
        what = f"{VISITORS} visitors with {len(content) / 1e6:.1f} MB each"
        print(f"own: {what}: {server.memory_mb:.0f} MB when the last has left,", end=" ")
        print(after_all(server), flush=True)


def files(server: Server) -> None:
    """Let a session ask for files of the whole leaderboard and leave; another wants one too."""
    labels = ("Decision memo (PDF)", "Excel workbook")
    with Visitor(server.url) as other:
        other.open(query=ELSEWHERE)
        for crowd in (0, FILES):
            if crowd:
                with Visitor(server.url) as visitor:
                    visitor.open(query="evidence=Open+LLM+Leaderboard+v2")
                    visitor.unfold("export")
                    for number in range(crowd):
                        visitor.ask_for(labels[number % 2])
                    time.sleep(1)
            begun = time.monotonic()
            other.open(query=f"{ELSEWHERE}&budget={crowd + 50}")
            drawn = time.monotonic() - begun
            other.unfold("export")
            other.ask_for(labels[0])
            _, fault = other.file_made(LONGEST_S)
            print(
                f"files: {crowd} asked for by a session that has left: another's page "
                f"{drawn:.2f} s, its memo {time.monotonic() - begun - drawn:.1f} s {fault}",
                flush=True,
            )


def long(server: Server) -> None:
    """Let visitors with far too many own models, then with the most, open a page and leave."""
    with Visitor(server.url) as other:
        other.open(query=ELSEWHERE)
        for content in (sheet(MODELS, 6), sheet(MOST_MODELS, 100)):
            leavers = [Visitor(server.url) for _ in range(LEAVERS)]
            refused = max([bring_in(visitor, content) for visitor in leavers])
            for visitor in leavers:
                visitor.follow(WIN_RATES)
                visitor.ask()
            time.sleep(1)
            for visitor in leavers:
                visitor.leave()
            rows = len(content.splitlines()) - 1
            what = f"refused: {refused}" if refused else f"{rows:,} scores each"
            print(f"long: Win rates left by {LEAVERS} visitors ({what}):", waited(other), end="; ")
            print(f"{server.memory_mb:.0f} MB", flush=True)


def waited(other: Visitor) -> str:
    """Measure how long another's runs take until they are as quick as ever."""
    begun, runs = time.monotonic(), [0.0]
    while max(runs[-3:]) > QUIET_S or len(runs) < 4:
        if time.monotonic() - begun > LONGEST_S:
            break
        started = time.monotonic()
        other.enter("requests", 1000 + len(runs))
        runs.append(time.monotonic() - started)
        time.sleep(0.05)
    slow = sum(run for run in runs if run > QUIET_S)
    return f"another's slowest run {max(runs):.2f} s, slower than {QUIET_S} s for {slow:.0f} s"


def sessions(server: Server) -> None:
    """Let sessions ask ten different questions each, one session after another, and leave."""
    with Visitor(server.url) as visitor:
        visitor.open()
    print(f"sessions: 0: {server.memory_mb:.0f} MB")
    pages = ("", WIN_RATES, "cost", "replace", "")
    for number in range(1, SESSIONS + 1):
        with Visitor(server.url) as visitor:
            visitor.open()
            for question in range(QUESTIONS):
                visitor.go(pages[question % len(pages)])
                shown = visitor.enter("requests", number * QUESTIONS + question)
                assert not shown.exceptions, shown.exceptions
        if number % 20 == 0:
            print(f"sessions: {number}: {server.memory_mb:.0f} MB", flush=True)
    print(f"sessions: {after_all(server)}", flush=True)


def main() -> None:
    """Measure what was asked for, each on a fresh server."""
    parts = {"own": own, "files": files, "long": long, "sessions": sessions}
    os.environ["FORMULARY_LOCAL_RUN"] = "0"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for part in sys.argv[1:] or parts:
            data = _leaderboard.folder(folder / "data") if part == "files" else None
            with serving(ROOT / "app.py", folder / f"{part}.duckdb", data) as server:
                parts[part](server)


if __name__ == "__main__":
    main()
