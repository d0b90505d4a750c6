"""Results are remembered by the store they came from, and end with it."""

import gc
import threading
import time
import weakref
from dataclasses import dataclass, field, replace
from datetime import date
from types import MappingProxyType

import pytest

from core.answers import data, documents, evidence, other_suites, recommend
from core.answers.asked import ask, resolved
from core.domain import BadRequestError, Question, Selection
from core.evidence.store import open_store
from core.memory import Memory, ResultFiles, asking, remembered, still_wanted

DAY = date(2026, 11, 21)


@dataclass(eq=False)
class Small:
    memory: Memory = field(default_factory=Memory)
    key: None = None
    files: ResultFiles | None = None


@pytest.fixture
def own(bundled, own_table):
    return lambda: bundled.with_session((own_table(),))


@pytest.fixture
def counted():
    calls = []

    @remembered(maxsize=2)
    def double(store, n, scale=2, *, label=""):
        calls.append((n, scale, label))
        return n * scale

    return double, calls


def test_a_question_in_other_words_is_one_and_recent_ones_stay(counted, bundled):
    double, calls = counted
    store = Small()
    assert double(store, 3) == double(store, n=3) == double(store, 3, 2) == 6
    assert double(store, 3, scale=2, label="") == 6
    assert calls == [(3, 2, "")]
    assert double(store, 3, label="x") == 6
    assert len(calls) == 2
    with pytest.raises(TypeError):
        double(store)
    with pytest.raises(TypeError):
        double(store, 1, m=2)

    @remembered(maxsize=2)
    def table(store):
        return {"a": 1}

    store = Small()
    assert isinstance(table(store), MappingProxyType)
    with pytest.raises(TypeError):
        table(store)["a"] = 2


def test_a_result_that_asks_for_itself_is_a_fault():
    @remembered(maxsize=2)
    def ring(store, n):
        return ring(store, 1 - n)

    with pytest.raises(RuntimeError, match="asks for itself"):
        ring(Small(), 0)
    with pytest.raises(TypeError, match="neither a store nor a question"):

        @remembered(maxsize=2)
        def lost(number, store):
            return number


def test_a_question_is_the_same_with_and_without_what_is_usual(bundled):
    newest = bundled.snapshot("medhelm").revision
    named = ask(bundled, Question.of(revision=newest), DAY)
    assert ask(bundled, Question(), DAY) == named
    assert named.key == (named.question, DAY)
    assert named.is_of_newest
    assert not replace(named, question=Question.of(revision="v1")).is_of_newest
    nowhere = Question.of(suite="nothing")
    assert ask(bundled, nowhere, DAY).question == nowhere
    bridge = ask(bundled, Question.of(suite="bridge", protocol="zero-shot"), DAY)
    assert bridge.question.evidence.protocol == ""
    few = bridge.having(protocol="few-shot")
    assert few.question.evidence.protocol == "few-shot"
    assert few.selection() == resolved(bundled, few.selection())
    assert few.selection("medhelm") == resolved(bundled, Selection("medhelm"))


def test_the_last_used_results_of_each_store_are_held(counted):
    double, calls = counted
    stores = [Small(), Small()]
    for store in stores:
        double(store, 1), double(store, 2), double(store, 1), double(store, 3)  # 2 goes
    assert len(calls) == 6  # each store computes for itself
    double(stores[0], 1), double(stores[0], 3)
    assert len(calls) == 6
    double(stores[0], 2)
    assert len(calls) == 7


def test_results_with_own_results_end_with_their_store(own):
    store = own()
    found = recommend.shortlist(ask(store, Question(), DAY))
    assert "mine" in found.rows[0].model.id
    evidence.suite_win_rates(store, Selection("medhelm"))
    documents.workbook(ask(store, Question(), DAY), made_on=DAY)
    gone = weakref.ref(store), weakref.ref(store.session[0]), weakref.ref(store.memory)
    gc.disable()  # Without a search for garbage: nothing may go round in circles.
    try:
        del store, found
        assert [one() for one in gone] == [None] * 3
    finally:
        gc.enable()


def test_what_no_own_result_changes_is_held_once_for_all(own, bundled):
    one, two = own(), own()
    assert data.matrix(one, Selection("open-llm-v2")) is data.matrix(two, Selection("open-llm-v2"))
    assert data.matrix(one, Selection("medhelm")) is not data.matrix(two, Selection("medhelm"))
    recommend.shortlist(ask(one, Question(), DAY))
    assert one.memory.held("core.answers.data.prices_on") == 0
    assert bundled.memory.held("core.answers.data.prices_on") >= 1
    assert one.with_session(one.session).base is bundled


class Gate:
    def __init__(self):
        self.begun, self.go_on, self.calls = threading.Event(), threading.Event(), 0

    def pass_through(self):
        self.calls += 1
        if self.calls == 1:
            self.begun.set()
            assert self.go_on.wait(20)

    def run(self, first, *others, until):
        """Start one, then others while it is held up; release it, and wait for all."""
        threads = [threading.Thread(target=act) for act in (first, *others)]
        threads[0].start()
        assert self.begun.wait(20)
        for thread in threads[1:]:
            thread.start()
        until()
        self.go_on.set()
        for thread in threads:
            thread.join(20)


def waiting(store, n):
    def wait():
        deadline = time.monotonic() + 120
        while sum(flight.waiting for flight in store.memory._flights.values()) < n:
            assert time.monotonic() < deadline
            time.sleep(0.01)

    return wait


def test_who_asks_for_what_is_being_computed_waits_for_it():
    gate, store, found = Gate(), Small(), []

    @remembered(maxsize=2)
    def slow(store):
        gate.pass_through()
        return object()

    gate.run(*[lambda: found.append(slow(store))] * 5, until=waiting(store, 4))
    assert gate.calls == 1
    assert (len(found), len(set(map(id, found)))) == (5, 1)


class _LeftError(BaseException):
    pass


def left():
    raise _LeftError


def test_work_is_given_up_when_nobody_waits():
    blocks = []

    @remembered(maxsize=2)
    def long(store):
        for number in range(3):
            still_wanted()
            blocks.append(number)
        return "done"

    store = Small()
    with pytest.raises(_LeftError), asking(left):
        long(store)
    assert blocks == []
    assert long(store) == "done"  # nothing half done is remembered
    assert blocks == [0, 1, 2]


def test_work_goes_on_while_another_waits_and_who_waits_can_leave():
    gate, store, found = Gate(), Small(), []

    @remembered(maxsize=2)
    def inner(store):
        gate.pass_through()
        still_wanted()
        return "done"

    @remembered(maxsize=2)
    def outer(store):
        return inner(store)

    def first():
        with asking(left):  # who began it has left
            found.append(outer(store))

    # The second waits for the outer result, so the inner is wanted too.
    gate.run(first, lambda: found.append(outer(store)), until=waiting(store, 1))
    assert found == ["done", "done"]
    gate, store = Gate(), Small()

    @remembered(maxsize=2)
    def slow(store):
        gate.pass_through()
        return "done"

    def leave():
        with pytest.raises(_LeftError), asking(left):
            slow(store)

    gate.run(lambda: slow(store), until=leave)
    assert slow(store) == "done"


def test_a_fault_of_one_is_not_handed_to_those_who_wait():
    gate, store, found = Gate(), Small(), []

    @remembered(maxsize=2)
    def shaky(store):
        gate.pass_through()
        if gate.calls == 1:
            raise BadRequestError("not now")
        return "done"

    def ask():
        try:
            found.append(shaky(store))
        except BadRequestError as error:
            found.append(str(error))

    gate.run(ask, ask, until=waiting(store, 1))
    assert sorted(found) == ["done", "not now"]


MEDHELM, ASKED = Selection("medhelm"), (Question(), DAY)


@pytest.mark.parametrize(
    "compute",
    [
        lambda store: evidence.suite_win_rates(store, MEDHELM),
        lambda store: evidence.tree_stability(store, MEDHELM, "benchmarks"),
        lambda store: evidence.smaller_benchmark_sets(store, Selection("open-medical-llm")),
        lambda store: recommend.robustness(ask(store, *ASKED)),
        lambda store: evidence.taxonomy(store, MEDHELM),
        lambda store: documents.workbook(ask(store, *ASKED), made_on=DAY),
        lambda store: documents.evidence_csv(ask(store, *ASKED)),
    ],
    ids=["rates", "stability", "sets", "robust", "tree", "workbook", "csv"],
)
def test_each_long_computation_asks_whether_it_is_wanted(own, compute):
    with pytest.raises(_LeftError), asking(left):
        compute(own())


@dataclass(frozen=True)
class Sum:
    of: tuple[int, ...]
    total: float


@pytest.fixture
def summed():
    calls = []

    @remembered(maxsize=2, on_disk=Sum)
    def total(store, up_to):
        calls.append(up_to)
        return Sum(tuple(range(up_to)), float(sum(range(up_to))))

    return total, calls


A, B = "a" * 64, "b" * 64


def test_the_next_process_finds_what_an_equal_store_computed(summed, tmp_path):
    total, calls = summed
    for _ in range(2):
        assert total(Small(files=ResultFiles(tmp_path, A)), 4) == Sum((0, 1, 2, 3), 6.0)
    assert calls == [4]
    assert total(Small(), 4).total == 6.0
    assert total(Small(files=ResultFiles(tmp_path, A)), 5).total == 10.0
    assert calls == [4, 4, 5]


def test_results_of_other_evidence_are_not_read_and_go(summed, tmp_path):
    total, calls = summed
    (tmp_path / "of somebody else").mkdir()
    total(Small(files=ResultFiles(tmp_path, A)), 4)
    total(Small(files=ResultFiles(tmp_path, B)), 4)
    assert calls == [4, 4]
    assert {path.name for path in tmp_path.iterdir()} == {B, "of somebody else"}


@pytest.mark.parametrize(
    "content",
    [b"", b"\x93", b"no result", b"\x82\xa2of\x91\xa11\xa5total\xcb" + bytes(8)],
    ids=["empty", "cut", "text", "of another type"],
)
def test_a_damaged_result_is_computed_again(summed, tmp_path, content):
    total, calls = summed
    total(Small(files=ResultFiles(tmp_path, A)), 4)
    (written,) = (tmp_path / A).iterdir()
    whole = written.read_bytes()
    written.write_bytes(content)
    assert total(Small(files=ResultFiles(tmp_path, A)), 4).total == 6.0
    assert (calls, written.read_bytes()) == ([4, 4], whole)


def test_where_nothing_can_be_written_results_are_computed(summed, tmp_path):
    total, calls = summed
    (tmp_path / "file").touch()
    for _ in range(2):
        assert total(Small(files=ResultFiles(tmp_path / "file", A)), 4).total == 6.0
    assert calls == [4, 4]


def test_places_in_a_suite_read_back_are_those_computed(bundled_snapshot, data):
    for suite in ("medhelm", "noharm"):
        bundled_snapshot(suite)
    shown = [
        repr((other_suites.standings(store, "medhelm"), other_suites.across_suites(store)))
        for store in (open_store(data), open_store(data))
    ]
    assert shown[0] == shown[1]
    (folder,) = (data.parent / "store-results").iterdir()
    assert len(list(folder.iterdir())) == 2


@pytest.mark.parametrize("changed", ["tasks.csv", "lines.csv", "cohorts/medhelm-paper.csv"])
def test_another_catalogue_asks_for_other_results(bundled_snapshot, data, changed):
    bundled_snapshot("medhelm")
    versions = []
    for _ in range(2):
        other_suites.standings(open_store(data), "medhelm")
        (version,) = (data.parent / "store-results").iterdir()
        versions.append(version.name)
        path = data / "catalogue" / changed
        path.write_bytes(path.read_bytes() + b"\n")
    assert versions[0] != versions[1]


def test_own_results_are_not_written_for_others(own):
    assert own().files is None
