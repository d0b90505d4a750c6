"""A renewal takes each live source once, whatever one of them does and whenever it is killed."""

import os
import random
import re
import shutil
import signal
import subprocess
import sys
import threading
import time as clock
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from core.answers.data import grown_old
from core.domain import BadRequestError, Tried
from core.evidence import fact_lists, snapshots
from core.evidence.catalogue import load
from core.evidence.store import open_store
from core.renewal import EVERY, Schedule, due_sources, renew, schedule
from core.sources import hub, live
from core.sources.hub import Hub
from core.sources.lists import SOURCES
from core.sources.refresh import fill, record, refresh, tried
from core.words import renewal as words
from tests.conftest import DATA
from tests.evidence.every_source import standing_in

ROOT = DATA.parent
BRIDGE = "YLab-Open/BRIDGE-Medical-Leaderboard"
OF_EACH_KIND = ("bridge", "medhelm", "litellm")
"""On the Hub, at a leaderboard of its own, and a list: each is pulled and kept in its own way."""


@pytest.fixture
def sources(bundled, monkeypatch, data):
    """Every live source on this machine, and a data folder that has nothing of any yet."""
    shutil.rmtree(data / "facts")
    monkeypatch.delenv("HF_TOKEN", raising=False)
    with standing_in(bundled) as (on_hub, files, variables):
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        yield on_hub, files


def downloads(sources):
    """Return how often each file of scores or facts was asked for."""
    paths = [path for server in sources for path in server.paths()]
    taken = [
        p for p in paths if "/resolve/" in p or p.endswith(("scenarios.json", "s.json", "m.json"))
    ]
    return {path: taken.count(path) for path in taken if not path.startswith("/benchmark_output")}


def whole(data):
    """Return what is there, all of it sound."""
    found, faults = snapshots.checked(data / "snapshots", snapshots.verify)
    lists, more = fact_lists.check_lists(data / "facts")
    assert (*faults, *more) == ()
    return {(it.suite, it.revision) for it in found} | {(it.list, it.revision) for it in lists}


def pulled(data, source):
    """Take a source as its process does, but in this one, which takes less time to start."""
    return refresh(data, source, Hub(), known_benchmarks=load(data / "catalogue").scales())


def wanted(data, now):
    return [source for source, at in due_sources(data, Schedule(None), now).items() if at <= now]


@pytest.mark.slow
def test_a_daily_job_that_runs_twice_takes_each_source_once(sources, data):
    now = datetime.now(UTC)
    assert wanted(data, now) == list(EVERY)
    done = list(renew(data, wanted(data, now)))
    assert [it.said for it in done if it.failed or not it.new] == []
    assert {source for source, _ in whole(data)} == set(EVERY)
    assert wanted(data, datetime.now(UTC)) == []
    taken = downloads(sources)
    assert len(taken) == 5 + 1 + 3 + 1 + 1 + 1 + 2
    assert set(taken.values()) == {1}
    # A day later each is asked again, and a revision that is here is not downloaded again.
    assert wanted(data, now + timedelta(hours=25)) == list(EVERY)
    again = list(renew(data, ["bridge", "litellm"]))
    assert ["already current" in it.said for it in again] == [True, True]
    bytes_of = {it.source: it.n_bytes for it in again}
    assert bytes_of["litellm"] == len(sources[1].files["/litellm.json"])
    assert {path for path, n in downloads(sources).items() if n > 1} == {"/litellm.json"}


@pytest.mark.slow
def test_two_servers_on_one_folder_pull_once(sources, data):
    since = datetime.now(UTC)
    with ThreadPoolExecutor(2) as pool:
        both = list(pool.map(lambda _: list(renew(data, OF_EACH_KIND, since=since)), range(2)))
    assert [[it.said for it in one if it.failed] for one in both] == [[], []]
    assert [bool(a.new) + bool(b.new) for a, b in zip(*both, strict=True)] == [1, 1, 1]
    assert set(downloads(sources).values()) == {1}


def killed(process):
    """Kill a process and all that it started, as the system does where memory runs out."""
    task = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    children = [int(pid) for pid in task.read_text().split()] if task.exists() else []
    process.kill()
    for child in children:
        os.kill(child, signal.SIGKILL)
    process.wait()


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="finds the children of a process in /proc")
def test_killed_at_ten_moments_nothing_is_lost_and_the_next_run_completes(sources, data):
    named = ["bridge", "litellm"]  # a snapshot and a list
    job = f"from core import renewal; list(renewal.renew(renewal.data_folder(), {named}))"
    moments, before = random.Random(4), set()
    for _ in range(10):
        process = subprocess.Popen([sys.executable, "-c", job], cwd=ROOT)
        with suppress(subprocess.TimeoutExpired):
            process.wait(moments.uniform(1, 4))
        killed(process)
        found = whole(data)
        assert before <= found
        before = found
        for name in named:  # the next run has all to do again
            if moments.random() < 0.5:
                shutil.rmtree(data / "snapshots" / name, ignore_errors=True)
                before = {it for it in before if it[0] != name}
    assert [it.said for it in renew(data, named) if it.failed] == []
    assert {source for source, _ in whole(data)} == set(named)
    assert not list(data.glob(".store-staging*"))
    assert [it.suite for it in open_store(data).snapshots] == ["bridge"]


TWO_GB = {"Content-Length": "2000000000"}
FAULTS = {
    "hangs": lambda hub, _: hub.fail(BRIDGE, "stall"),
    "drips": lambda hub, _: hub.fail("/resolve/", "drip"),
    "leads elsewhere": lambda hub, _: hub.fail(
        BRIDGE, "status", status=302, headers={"Location": "http://localhost:1/inside"}
    ),
    "sends 2 GB": lambda _, files: files.headers.update(TWO_GB),
}


@pytest.mark.slow
@pytest.mark.parametrize("how", FAULTS)
def test_a_source_that_misbehaves_costs_the_others_nothing(sources, data, how):
    source = "litellm" if how == "sends 2 GB" else "bridge"
    assert pulled(data, source).snapshot
    before, repo = whole(data), sources[0].repos["space", BRIDGE]
    repo.files["leaderboards/CoT_leaderboard.json"] += b" "
    sources[0].put("space", BRIDGE, repo)
    FAULTS[how](*sources)
    others = ["open-llm-v2", source] if source == "litellm" else [source, "genai-prices"]
    begun = clock.monotonic()
    # A sound source takes 2 seconds, on a busy machine three times that.
    done = {it.source: it for it in renew(data, others, limit_s=10)}
    assert clock.monotonic() - begun < 40
    assert [name for name, it in done.items() if it.failed] == [source]
    expected = {
        "hangs": "The refresh of bridge took over 10 seconds and was stopped",
        "drips": "The refresh of bridge took over 10 seconds and was stopped",
        "leads elsewhere": "led to another host",
        "sends 2 GB": "larger than 16,000,000 bytes",
    }
    assert expected[how] in done[source].said
    assert done[source].said.endswith("the last good snapshot stays in use.")
    assert before <= whole(data)
    found = tried(data, source)
    assert (found.said, found.n_failed) == (done[source].said, 1)
    assert found.failing_since == found.at > found.succeeded_at


def test_what_is_not_wanted_any_more_is_stopped_and_not_recorded(sources, data):
    sources[0].fail(BRIDGE, "stall")
    ended = threading.Event()
    threading.Timer(2.5, ended.set).start()
    assert list(renew(data, ["bridge"], wanted=lambda: not ended.is_set())) == []
    assert tried(data, "bridge") is None


def test_after_three_failures_it_is_said_since_when(data):
    record(data, "bridge", "Fine.", failed=False)
    for n in range(1, 4):
        record(data, "bridge", "No answer.", failed=True)
        found = tried(data, "bridge")
        assert found.n_failed == n
        assert bool(words.failing({"BRIDGE": found})) == (n == 3)
    said = words.failing({"BRIDGE": found})
    assert (
        said == f"Could not be renewed: BRIDGE since {words.moment_in_words(found.failing_since)}."
    )
    assert found.succeeded_at < found.failing_since < found.at
    record(data, "bridge", "Fine.", failed=False)
    assert words.failing({"BRIDGE": tried(data, "bridge")}) == ""


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"at": 3}', '{"at": "yesterday"}', '{"at": null}']
)
def test_a_state_that_cannot_be_read_is_not_known(data, text):
    record(data, "bridge", "Fine.", failed=False)
    (data / "renewal" / "bridge.json").write_text(text)
    assert tried(data, "bridge") is None


@pytest.fixture
def berlin(monkeypatch):
    monkeypatch.setenv("TZ", "Europe/Berlin")
    clock.tzset()
    yield
    monkeypatch.undo()
    clock.tzset()


def utc(text):
    return datetime.fromisoformat(f"{text}+00:00")


@pytest.mark.parametrize(
    ("at", "last", "expected"),
    [
        (None, "2026-11-26 07:10", "2026-11-27 07:10"),
        # Berlin is an hour ahead in winter, two in summer, which ends on 25 October.
        (time(2, 30), "2026-11-26 01:29", "2026-11-26 01:30"),
        (time(2, 30), "2026-11-26 01:30", "2026-11-27 01:30"),
        (time(4, 0), "2026-10-24 02:00", "2026-10-25 03:00"),
        (time(0, 15), "2026-11-26 23:20", "2026-11-27 23:15"),
    ],
)
def test_a_time_of_day_is_the_server_s_own(berlin, at, last, expected):
    now = utc("2026-12-01 00:00")
    assert Schedule(at).next(utc(last), now) == utc(expected)
    assert Schedule(at).next(None, now) == now
    # A clock that was wrong does not put it off for years.
    assert Schedule(at).next(utc("2031-01-01 00:00"), now) == now


def test_the_setting_is_off_daily_or_a_time_of_day():
    def read(text):
        return schedule({"FORMULARY_REFRESH": text})

    assert [read(text) for text in ("", "off", " daily ", "02:30")] == [
        *(None, None, Schedule(None), Schedule(time(2, 30))),
    ]
    for wrong in ("weekly", "24:00", "2:30", "02:30:00", "٠٢:٣٠", "on"):
        with pytest.raises(BadRequestError, match="off, daily, or a time of day such as 02:30"):
            read(wrong)


def test_it_is_said_when_it_was_renewed_and_when_it_will_be(berlin):
    known = [Tried(utc("2026-11-26 06:12"), "Fine.", utc("2026-11-26 06:10"))]
    now = utc("2026-11-26 12:00")
    said = "Renewed 26 November 2026, 07:10"
    assert words.renewed(known, None, now) == f"{said}."
    assert words.renewed(known, utc("2026-11-27 06:10"), now) == f"{said}; next tomorrow."
    assert words.renewed(known, utc("2026-11-26 23:30"), now) == f"{said}; next tomorrow."
    assert words.renewed(known, utc("2026-11-26 22:30"), now) == f"{said}; next today."
    known += [Tried(utc("2026-11-26 06:14"), "No answer.", utc("2026-11-25 06:10"), 1)]
    failed = "1 of 2 sources failed at the last try"
    assert words.renewed(known, None, now) == f"{said}; {failed}."
    assert words.renewed(known[1:], None, now) == (
        "Renewed 25 November 2026, 07:10; 1 of 1 source failed at the last try."
    )
    assert words.renewed([], now, now) == "Not renewed yet; next today."
    assert words.renewed([], None, now) == ""


def test_an_empty_folder_is_filled_and_a_newer_program_brings_its_own(tmp_path):
    shipped, data = tmp_path / "shipped", tmp_path / "data"
    shutil.copytree(DATA / "catalogue", shipped / "catalogue")
    shutil.copytree(DATA / "snapshots/noharm", shipped / "snapshots/noharm")
    shutil.copytree(DATA / "facts", shipped / "facts")
    fill(data, shipped)
    manifests = shipped.glob("*/*/*/manifest.toml")
    assert {path.parts[-3:-1] for path in manifests} == set(whole(data))
    own = data / "snapshots/noharm/own"
    shutil.copytree(next((data / "snapshots/noharm").iterdir()), own)
    (shipped / "catalogue/models.csv").write_text("newer")
    shutil.copytree(DATA / "snapshots/medhelm", shipped / "snapshots/medhelm")
    (data / ".store-staging").mkdir()  # what a killed one leaves
    (data / "catalogue").rename(data / ".store-staging-old")
    fill(data, shipped)
    assert (data / "catalogue/models.csv").read_text() == "newer"
    assert own.is_dir()
    assert (data / "snapshots/medhelm").is_dir()
    assert not list(data.glob(".store-staging*"))
    # What somebody wrote is theirs.
    (data / "catalogue/.shipped").unlink()
    (data / "catalogue/models.csv").write_text("mine")
    fill(data, shipped)
    assert (data / "catalogue/models.csv").read_text() == "mine"


def test_the_page_on_security_names_every_host_that_is_asked():
    page = (ROOT / "SECURITY.md").read_text("utf-8")
    part = page.partition("## What goes out to the network")[2].partition("\n## ")[0]
    addresses = [hub._HUB, *(it.address for it in (*live._ORIGINS, *SOURCES.values()))]
    hosts = {urlsplit(address).hostname for address in addresses}
    hosts |= {f"*.{host}" for host in hub.FILES_AT}
    assert set(re.findall(r"^\| `([^`]+)`", part, re.M)) == hosts
    # No other module asks: each address of the program's own code that is opened is one of these.
    opened = subprocess.run(
        [
            "grep",
            "-rlE",
            r"\bfetched\(|urlopen|HTTPS?Connection|^\s*(import|from) (requests|urllib3|httpx2?"
            r"|aiohttp|http\.client|urllib\.request|socket|ftplib|smtplib|websockets?|huggingface_hub)\b",
            "core",
            "pages",
            "app.py",
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    assert {it for it in opened if it.endswith(".py")} == {
        *("core/sources/hub.py", "core/sources/lists.py", "core/sources/live.py"),
        "core/serving.py",  # asks this machine whether it is well
    }


def test_tests_are_old_after_a_year_and_lists_after_two_weeks():
    today = date(2026, 11, 27)
    young, old = ("2025-11-27", "2025-11", "2025", ""), ("2025-11-26", "2025-10", "2024")
    for test, is_old in (*((it, False) for it in young), *((it, True) for it in old)):
        assert grown_old(test, [], today) == (is_old, "")
    assert grown_old("2026", ["2026-11-13", "2026-11-14"], today) == (False, "")
    assert grown_old("2026", ["2026-11-12", "2026-11-10"], today) == (False, "2026-11-10")
