"""What sessions leave behind when they go: memory, files in the making, long work.

Four measurements on a server of its own, each with the same attack whatever the program does
about it: visitors with own results that have left; files asked for by a session that has left;
own results of 16,500 models, and of the 500 that are allowed; and 200 sessions of ten questions.
Others' waiting is the time from a new margin to the end of the run, of a visitor who has nothing
to do with it.

Run: python -m benchmarks.left_behind [own] [files] [long] [sessions]
"""

from __future__ import annotations

import csv
import io
import os
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

from streamlit.proto.BackMsg_pb2 import BackMsg

from benchmarks import _leaderboard
from benchmarks._sessions import ROOT, Server, serving
from benchmarks._visitor import Visitor
from core.evidence import catalogue

VISITORS = 18
OWN_MODELS = 450
OWN_BYTES = 11_000_000
FORGOTTEN_AFTER_S = 130
"""Streamlit keeps a session for two minutes, for a browser that comes back."""
FILES = 60
MODELS, MOST_MODELS = 16_500, 500
LEAVERS = 5
SESSIONS, QUESTIONS = 200, 10
ELSEWHERE = "requests=777"
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
    extra = max(0, size // (n_models * len(known)) - fill - 40)
    for i in range(n_models):
        model = f"{name}-{i}-".ljust(fill, "x")
        for j, one in enumerate(known):
            score = one.scale_min + (one.scale_max - one.scale_min) * ((i * 7 + j * 13) % 97) / 97
            write.writerow([model, "", one.id, f"{score:.4f}", "", "n" * extra])
    return text.getvalue().encode()


def bring_in(visitor: Visitor, content: bytes) -> str:
    """Bring own results into a session; return why not, where they are refused."""
    visitor.open("snapshots")
    shown = visitor.upload("own.csv", content)
    if not any("Read as" in alert for alert in shown.alerts):
        return " ".join(shown.alerts)
    visitor.press("Use these results in this session")
    return ""


def own(server: Server) -> None:
    """Let visitors bring own results, look at two pages, and leave; twice, to see it level off."""
    with Visitor(server.url) as visitor:
        visitor.open()
        visitor.open("win_rates")
    print(f"own: {server.memory_mb:.0f} MB before", flush=True)
    for batch in "ab":
        for number in range(VISITORS):
            with Visitor(server.url) as visitor:
                content = sheet(OWN_MODELS, 100, f"{batch}{number}", OWN_BYTES)
                refused = bring_in(visitor, content)
                assert not refused, refused
                visitor.open("")
                visitor.open("win_rates")
        there = server.memory_mb
        time.sleep(FORGOTTEN_AFTER_S)
        with Visitor(server.url) as visitor:
            visitor.open()
        time.sleep(5)
        print(
            f"own: {VISITORS} visitors with {len(content) / 1e6:.1f} MB each: {there:.0f} MB when "
            f"the last has left, {server.memory_mb:.0f} MB {FORGOTTEN_AFTER_S} s later, after one "
            "more visit",
            flush=True,
        )


def wait_of_others(server: Server, note: str, ready: Visitor) -> None:
    """Measure how long another's runs take until they are as quick as ever; print it."""
    begun, quick, runs = time.monotonic(), 0, []
    while quick < 3 and time.monotonic() - begun < LONGEST_S:
        started = time.monotonic()
        ready.open(query=f"{ELSEWHERE}&margin={1 + (len(runs) % 50) / 10:.1f}")
        runs.append(time.monotonic() - started)
        quick = quick + 1 if runs[-1] < QUIET_S else 0
        time.sleep(0.05)
    took = sum(runs[: len(runs) - quick]) if quick < len(runs) else 0.0
    print(
        f"{note}: another's slowest run {max(runs):.2f} s, slower than {QUIET_S} s for "
        f"{took:.0f} s; {server.memory_mb:.0f} MB",
        flush=True,
    )


def ask_for_files(visitor: Visitor, n: int) -> None:
    """Ask for the files of a page again and again, without waiting for any."""
    files = [
        element.download_button.deferred_file_id
        for element in visitor.shown.elements
        if element.WhichOneof("type") == "download_button"
        and element.download_button.label in ("Decision memo (PDF)", "Excel workbook")
    ]
    assert len(files) == 2, visitor.shown.text[:500]
    for number in range(n):
        message = BackMsg()
        message.backend_operation_request.request_id = f"r{number}"
        message.backend_operation_request.session_id = visitor._session
        message.backend_operation_request.deferred_file.file_id = files[number % len(files)]
        visitor._send(message)


def files(server: Server) -> None:
    """Let a session ask for files of the whole leaderboard and leave; another wants one too."""
    query = "evidence=Open+LLM+Leaderboard+v2"
    with Visitor(server.url) as other:
        other.open(query=ELSEWHERE)
        for crowd in (0, FILES):
            if crowd:
                with Visitor(server.url) as visitor:
                    visitor.open(query=query)
                    ask_for_files(visitor, crowd)
                    time.sleep(1)
            started = time.monotonic()
            other.open(query=f"{ELSEWHERE}&budget={crowd + 50}")
            drawn = time.monotonic() - started
            ask_for_files(other, 1)
            fault = answer(other)
            print(
                f"files: {crowd} asked for by a session that has left: another's page "
                f"{drawn:.2f} s, its memo {time.monotonic() - started - drawn:.1f} s {fault}",
                flush=True,
            )


def answer(visitor: Visitor) -> str:
    """Wait for the file that was asked for; return why there is none, where there is none."""
    begun = time.monotonic()
    while time.monotonic() - begun < LONGEST_S:
        with suppress(TimeoutError):
            message = visitor._receive()
            if message.WhichOneof("type") == "backend_operation_response":
                return message.backend_operation_response.error_msg
    return f"not made within {LONGEST_S} s"


def long(server: Server) -> None:
    """Let visitors with far too many own models, then with the most, open a page and leave."""
    with Visitor(server.url) as other:
        other.open(query=ELSEWHERE)
        for content in (sheet(MODELS, 6), sheet(MOST_MODELS, 100)):
            refused = ""
            leavers = [Visitor(server.url) for _ in range(LEAVERS)]
            for visitor in leavers:
                refused = bring_in(visitor, content) or refused
            for visitor in leavers:
                message = BackMsg()
                message.rerun_script.page_name = "win_rates"
                visitor._send(message)
            time.sleep(1)
            for visitor in leavers:
                visitor._socket.close()
            rows = len(content.splitlines()) - 1
            what = f"refused: {refused}" if refused else f"{rows:,} scores each"
            wait_of_others(server, f"long: Win rates left by {LEAVERS} visitors ({what})", other)


def sessions(server: Server) -> None:
    """Let sessions ask ten different questions each, one session after another, and leave."""
    with Visitor(server.url) as visitor:
        visitor.open()
    print(f"sessions: 0: {server.memory_mb:.0f} MB")
    pages = ("", "win_rates", "costs", "equivalents", "")
    for number in range(1, SESSIONS + 1):
        with Visitor(server.url) as visitor:
            for question in range(QUESTIONS):
                requests = number * QUESTIONS + question
                query = f"requests={requests}&margin={question / 2 + 0.5:.1f}"
                shown = visitor.open(pages[question % len(pages)], query)
                assert not shown.exceptions, shown.exceptions
        if number % 20 == 0:
            print(f"sessions: {number}: {server.memory_mb:.0f} MB", flush=True)
    time.sleep(FORGOTTEN_AFTER_S)
    with Visitor(server.url) as visitor:
        visitor.open()
    time.sleep(5)
    print(f"sessions: {FORGOTTEN_AFTER_S} s later: {server.memory_mb:.0f} MB", flush=True)


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
