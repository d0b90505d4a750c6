"""What a session leaves behind when its browser goes: nothing, and no work for a file."""

import asyncio
import gc
import threading
import time
import weakref
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from types import SimpleNamespace

import pytest
import streamlit as st
from reading import turn_to
from streamlit.proto.BackMsg_pb2 import BackendOperationRequest
from streamlit.runtime.caching import clear_session_resource_cache

from core.domain import BadRequestError
from core.evidence.score_tables import score_table
from core.evidence.store import Store
from core.memory import still_wanted
from pages.components import evidence, files


@pytest.fixture
def own_stores(monkeypatch):
    """References, which keep nothing, to the stores of visitors with own results."""
    found, make = [], Store.with_session
    st.cache_resource.clear()

    def watched(self, tables):
        store = make(self, tables)
        found.append(weakref.ref(store))
        return store

    monkeypatch.setattr(Store, "with_session", watched)
    yield found
    st.cache_resource.clear()


def test_own_results_end_with_their_session(visit, own_stores, own_table):
    at = visit(evidence="MedHELM")
    at.session_state["own_tables"] = (own_table(),)
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


def test_own_results_beyond_the_bound_are_refused_with_a_sentence(monkeypatch):
    def given(name, n=300):
        made = {"benchmark": "aci_bench", "score": 3.0}
        rows = [{"model": f"{name}{i}", "run": f"local:{name}{i}"} | made for i in range(n)]
        return score_table("medhelm", rows)

    state = {"own_tables": (given("m"),)}
    monkeypatch.setattr(evidence, "st", SimpleNamespace(session_state=state))
    said = r"would hold 600 models and 600 scores.* 500 and 50,"
    with pytest.raises(BadRequestError, match=said):
        evidence.bring_in(given("x"))
    assert len(state["own_tables"]) == 1
    evidence.bring_in(given("m", 5))  # these five take their places, and the others stay
    assert [len(it.frame) for it in state["own_tables"]] == [295, 5]


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


class Made:
    """A file that takes until it may go on; what came of each that was asked for."""

    def __init__(self):
        self.making, self.go_on = threading.Event(), threading.Event()
        self.found, self.refused, self.threads = [], [], []

    def make(self):
        self.making.set()
        assert self.go_on.wait(20)
        still_wanted()  # between two sheets
        return b"file"

    def ask(self, kind="pdf", make=None):
        button = files.for_session(make or self.make, kind)

        def press():
            try:
                self.found.append(button())
            except Exception as error:
                self.refused.append(str(error))

        self.threads.append(threading.Thread(target=press))
        self.threads[-1].start()

    def end(self):
        self.go_on.set()
        for thread in self.threads:
            thread.join(20)


def until(ready):
    deadline = time.monotonic() + 120
    while not ready():
        assert time.monotonic() < deadline
        time.sleep(0.01)


@pytest.mark.parametrize(("kind", "waits"), [("csv", False), ("json", False), ("pdf", True)])
def test_a_third_pending_file_is_refused_and_another_session_s_csv_made(server, kind, waits):
    made, small = Made(), Made()
    made.ask()
    made.ask()
    assert made.making.wait(20)
    until(lambda: files._PENDING["a", False] == 2)
    button = files.for_session(made.make, "pdf")
    with pytest.raises(BadRequestError, match="2 files are being made for you"):
        button()
    server.session_id = "b"
    small.ask(kind, lambda: b"small")
    until(lambda: small.found or files._PENDING["b", False])
    assert bool(small.found) != waits
    made.end()
    small.end()
    assert (made.found, small.found) == ([b"file"] * 2, [b"small"])
    assert not files._PENDING
    assert button() == b"file"


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
    made = Made()
    made.ask()
    made.ask()
    assert made.making.wait(20)
    server.here.remove("a")
    until(lambda: len(made.refused) == 1)  # who waited for a turn does not wait for it
    made.end()
    assert made.found == []
    assert made.refused == ["The file was not made: who asked for it has left."] * 2
    assert not files._PENDING


def test_files_are_made_one_at_a_time_and_few_may_wait(server, monkeypatch):
    monkeypatch.setattr(files, "MOST_IN_ALL", 5)
    go_on, order, made = threading.Semaphore(0), [], Made()
    server.here |= set("abcde")

    def make(who):
        order.append(who)
        assert go_on.acquire(timeout=120)
        if who == "a":
            raise ZeroDivisionError

    for n, who in enumerate("aabcd", 1):
        server.session_id = who
        made.ask("xlsx", partial(make, who))
        until(lambda n=n: len(files._LANES["other"]) == n)
    server.session_id = "e"
    with pytest.raises(BadRequestError, match=files.FULL):
        files.for_session(partial(make, "e"), "pdf")()
    server.here.remove("c")  # who leaves while waiting gives up the place
    until(lambda: len(files._LANES["other"]) == 4)
    for n in (1, 2, 3, 4):
        until(lambda n=n: len(order) == n)
        go_on.release()  # one at a time, and a fault of one gives the turn to the next
    made.end()
    assert order == ["a", "a", "b", "d"]
    assert not files._LANES["other"]
