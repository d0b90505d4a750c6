"""Turns: one at a time in each lane, in a fair order, and no more than may wait."""

import threading

import pytest

from core.domain import BadRequestError
from core.turns import FULL, Turns


class Asked:
    """Somebody who asks for a turn in a thread of their own, and works until told to go on."""

    def __init__(self, turns, lane, who, order):
        self.waits, self.begun, self.go_on = (threading.Event() for _ in range(3))
        self.left = False
        self.thread = threading.Thread(target=self.run, args=(turns, lane, who, order))
        self.thread.start()
        assert self.waits.wait(20)  # in the row: the first look comes after taking a place

    def run(self, turns, lane, who, order):
        try:
            with turns.take(lane, who, self.still_here):
                order.append(who)
                self.begun.set()
                assert self.go_on.wait(20)
        except InterruptedError:
            order.append(f"{who} left")

    def still_here(self):
        self.waits.set()
        if self.left:
            raise InterruptedError

    def end(self):
        assert self.begun.wait(20)
        self.go_on.set()
        self.thread.join(20)
        assert not self.thread.is_alive()


def worked(asked, order, lanes=1):
    """Let each finish as it begins; return the order in which they began."""
    waiting = dict(enumerate(asked))
    while waiting:
        n = next((n for n, one in waiting.items() if one.begun.wait(0.01)), None)
        if n is not None:
            assert sum(one.begun.is_set() for one in waiting.values()) <= lanes
            waiting.pop(n).end()
    return order


def test_nobody_has_two_turns_while_another_has_had_none():
    turns, order = Turns(10), []
    asked = [Asked(turns, "pdf", who, order) for who in ("a", "a", "b", "b", "c")]
    assert worked(asked, order) == ["a", "b", "c", "a", "b"]


def test_who_comes_again_goes_behind_who_waits():
    turns, order = Turns(10), []
    first, second = (Asked(turns, "pdf", who, order) for who in "ab")
    first.end()
    assert second.begun.wait(20)
    again, third = (Asked(turns, "pdf", who, order) for who in "ac")
    assert worked([second, again, third], order) == ["a", "b", "c", "a"]


def test_a_lane_does_not_wait_for_another():
    turns, order = Turns(10), []
    pdf, waits = (Asked(turns, "pdf", who, order) for who in "ab")
    other = Asked(turns, "other", "c", order)
    assert other.begun.wait(20)
    assert pdf.begun.is_set()
    assert not waits.begun.is_set()
    for one in (other, pdf, waits):
        one.end()


def test_all_lanes_together_are_bounded_with_a_sentence():
    turns, order = Turns(3), []
    asked = [Asked(turns, lane, who, order) for lane, who in (("x", "a"), ("x", "b"), ("y", "c"))]
    with pytest.raises(BadRequestError, match=FULL), turns.take("z", "d", lambda: None):
        pass
    assert sorted(worked(asked, order, lanes=2)) == ["a", "b", "c"]
    with turns.take("z", "d", lambda: None):
        pass  # there is room again


def test_who_leaves_while_waiting_gives_up_the_place_and_who_fails_the_turn():
    turns, order = Turns(2), []
    first, second = (Asked(turns, "x", who, order) for who in "ab")
    second.left = True
    second.thread.join(20)
    third = Asked(turns, "x", "c", order)
    first.end()
    third.end()
    assert order == ["a", "b left", "c"]
    with pytest.raises(ZeroDivisionError), turns.take("x", "d", lambda: None):
        raise ZeroDivisionError
    with turns.take("x", "e", lambda: None):
        pass
