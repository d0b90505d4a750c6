"""What a session leaves behind when its browser goes: nothing, and no work for a file."""

import asyncio
import contextlib
import gc
import threading
import time
import weakref
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from types import SimpleNamespace

import pytest
from places import turn_to
from streamlit.proto.BackMsg_pb2 import BackendOperationRequest
from streamlit.runtime.caching import clear_session_resource_cache

from core.domain import BadRequestError
from core.evidence.sources import score_table
from core.evidence.store import Store
from core.memory import still_wanted
from pages.components import evidence, files


@pytest.fixture
def own_stores(monkeypatch, own_memory):
    """References, which keep nothing, to the stores of visitors with own results."""
    found, make = [], Store.with_session

    def watched(self, tables):
        store = make(self, tables)
        found.append(weakref.ref(store))
        return store

    monkeypatch.setattr(Store, "with_session", watched)
    return found


def own_table(bundled, model="mine"):
    return score_table(
        "medhelm",
        [
            {"model": model, "run": f"local:{model}", "benchmark": b.id, "score": b.scale_max}
            for b in bundled.catalogue.benchmarks["medhelm"]
        ],
    )


def text(at):
    return "\n".join(one.value for one in at.markdown)


def test_own_results_end_with_their_session(visit, own_stores, bundled):
    at = visit(evidence="MedHELM")
    at.session_state["own_tables"] = (own_table(bundled),)
    at.run()
    for page in ("evidence/win_rates", "recommend/kept"):
        turn_to(at, page)
        assert not at.exception
    (store,) = own_stores  # one for as long as nothing changes
    assert store().memory.held("core.answers.recommend._shortlist") == 1
    table = weakref.ref(store().session[0])
    gc.collect()
    assert store() is not None
    clear_session_resource_cache("test session id")  # as Streamlit does when a browser leaves
    assert not store() or not store().memory.held("core.answers.recommend._shortlist")
    del at
    gc.collect()
    assert store() is None
    assert table() is None


def test_own_results_beyond_the_bound_are_refused_with_a_sentence(visit, bundled, monkeypatch):
    rows = [
        {"model": f"m{i}", "run": f"local:m{i}", "benchmark": "aci_bench", "score": 3.0}
        for i in range(300)
    ]
    state = {"own_tables": (score_table("medhelm", rows),)}
    monkeypatch.setattr(evidence, "st", SimpleNamespace(session_state=state))
    more = score_table(
        "medhelm", [row | {"model": "x" + row["model"], "run": "x" + row["run"]} for row in rows]
    )
    with pytest.raises(
        BadRequestError, match=r"would hold 600 models and 600 scores.* 500 and 50,"
    ):
        evidence.bring_in(more)
    assert len(state["own_tables"]) == 1
    evidence.bring_in(score_table("medhelm", rows[:5]))  # the same runs take their places
    assert len(state["own_tables"]) == 1


class Server:
    """Stands in for Streamlit: whose browser is there, and whose page draws the buttons."""

    def __init__(self):
        self.here, self.session_id = {"a", "b"}, "a"

    def is_active_session(self, session):
        return session in self.here


@pytest.fixture
def server(monkeypatch):
    found = Server()
    running = SimpleNamespace(exists=lambda: True, get_instance=lambda: found)
    monkeypatch.setattr(files, "get_script_run_ctx", lambda **_: found)
    monkeypatch.setattr(files, "runtime", running)
    return found


def begun(*acts):
    threads = [threading.Thread(target=act) for act in acts]
    for thread in threads:
        thread.start()
    return threads


def ended(threads, go_on):
    go_on.set()
    for thread in threads:
        thread.join(20)


def until(ready):
    deadline = time.monotonic() + 20
    while not ready():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_a_third_file_of_one_session_is_refused_while_two_are_pending(server):
    go_on, found = threading.Event(), []

    def make():
        assert go_on.wait(20)
        return b"file"

    button = files.for_session(make, "pdf")
    threads = begun(*[lambda: found.append(button())] * 2)
    until(lambda: files._PENDING["a", False] == 2)
    with pytest.raises(BadRequestError, match="2 files are being made for you"):
        button()
    server.session_id = "b"
    threads.append(threading.Thread(target=lambda: found.append(files.for_session(make, "pdf")())))
    threads[2].start()  # another session's file is not refused
    until(lambda: files._PENDING["b", False] == 1)
    ended(threads, go_on)
    assert found == [b"file"] * 3
    assert not files._PENDING
    assert button() == b"file"


@pytest.mark.parametrize(("kind", "waits"), [("csv", False), ("json", False), ("pdf", True)])
def test_a_csv_is_made_while_pdfs_wait_and_a_pdf_is_not(server, kind, waits):
    making, go_on, found = threading.Event(), threading.Event(), []

    def make():
        making.set()
        assert go_on.wait(20)
        return b"pdf"

    threads = begun(*[files.for_session(make, "pdf")] * 2)
    assert making.wait(20)
    server.session_id = "b"
    other = files.for_session(lambda: b"small", kind)
    threads += begun(lambda: found.append(other()))
    until(lambda: found or files._PENDING["b", False])
    assert bool(found) != waits
    ended(threads, go_on)
    assert found == [b"small"]


def test_the_answer_has_the_sentence_of_a_refusal(server, monkeypatch):
    made = files.for_session(lambda: b"file", "pdf")
    monkeypatch.setattr(files, "_PENDING", Counter({("a", False): 2}))

    class Media:
        def execute_deferred(self, file_id):
            try:
                return made()
            except Exception as error:
                raise RuntimeError(file_id) from error

    request = BackendOperationRequest(request_id="r")
    # In a thread of its own, since a browser of another test may keep a loop in this one.
    with ThreadPoolExecutor(1) as thread:
        asked = files.SaysWhy(Media).handle(request, "a")
        answer = thread.submit(asyncio.run, asked).result(20)
    assert answer.error_msg == "2 files are being made for you: wait for them."


def test_files_of_who_has_left_are_not_made(server):
    making, go_on, made, refused = threading.Event(), threading.Event(), [], []

    def make():
        making.set()
        assert go_on.wait(20)
        still_wanted()  # between two sheets
        made.append(1)
        return b"file"

    def press(button):
        try:
            button()
        except Exception as error:
            refused.append(str(error))

    button = files.for_session(make, "pdf")
    threads = begun(*[lambda: press(button)] * 2)
    assert making.wait(20)
    server.here.remove("a")
    until(lambda: len(refused) == 1)  # who waited for a turn does not wait for it
    ended(threads, go_on)
    assert made == []
    assert refused == ["The file was not made: who asked for it has left."] * 2
    assert not files._PENDING


def test_nobody_has_two_turns_while_another_waits_and_no_more_wait_than_may(server, monkeypatch):
    monkeypatch.setattr(files, "MOST_IN_ALL", 5)
    go_on, order = threading.Semaphore(0), []

    def make(who):
        def made():
            order.append(who)
            assert go_on.acquire(timeout=20)
            if who == "a":
                raise ZeroDivisionError

        return made

    def ask(who):
        with contextlib.suppress(Exception):
            files.for_session(make(who), "xlsx")()

    threads = []
    for n, who in enumerate("aabcd", 1):
        server.session_id = who
        server.here.add(who)
        threads += begun(partial(ask, who))
        until(lambda n=n: len(files._WAITING["other"]) == n)
    server.session_id = "e"
    server.here.add("e")
    with pytest.raises(BadRequestError, match=files.FULL):
        files.for_session(make("e"), "pdf")()
    server.here.remove("c")  # who leaves while waiting gives up the place
    until(lambda: len(files._WAITING["other"]) == 4)
    for n in (1, 2, 3, 4):
        until(lambda n=n: len(order) == n)
        go_on.release()  # one at a time, and a fault of one gives the turn to the next
    for thread in threads:
        thread.join(20)
    assert order == ["a", "b", "d", "a"]
    assert not files._WAITING["other"]
