import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.domain import BadRequestError
from core.statistics.ranks import dominated_by, frontier

nan = np.nan


def ask(function, *options):
    quality, cost = (np.array(column, dtype=float) for column in zip(*options, strict=True))
    return function(quality, cost).tolist()


def test_by_hand():
    # Cheap and weak, dear and strong, between them, dearer than between yet weaker, and as
    # strong as the strongest but dearer.
    options = [(0.2, 1), (0.9, 10), (0.6, 3), (0.5, 4), (0.9, 11)]
    assert ask(frontier, *options) == [True, True, True, False, False]
    assert ask(dominated_by, *options) == [-1, -1, -1, 2, 1]


def test_ties_are_kept():
    assert ask(frontier, (0.5, 1), (0.5, 1), (0.4, 1), (0.5, 2)) == [True, True, False, False]
    assert ask(dominated_by, (0.5, 1), (0.5, 1), (0.4, 1), (0.5, 2)) == [-1, -1, 0, 0]


def test_the_best_that_costs_no_more_is_named():
    options = [(0.2, 1), (0.6, 3), (0.1, 3), (0.1, 2)]
    assert ask(dominated_by, *options) == [-1, -1, 1, 0]


def test_an_unknown_cost_is_neither_on_the_frontier_nor_beaten_nor_beats():
    options = [(0.9, nan), (0.2, 1), (nan, 0), (0.1, 2)]
    assert ask(frontier, *options) == [False, True, False, False]
    assert ask(dominated_by, *options) == [-1, -1, -1, 1]


def test_nothing_gives_nothing():
    empty = np.empty(0)
    assert frontier(empty, empty).tolist() == dominated_by(empty, empty).tolist() == []
    assert ask(frontier, (nan, nan)) == [False]


def test_lengths_must_agree():
    with pytest.raises(BadRequestError, match="there are 1 and 2"):
        frontier(np.zeros(1), np.zeros(2))


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=1, max_size=25))
def test_the_definition_pair_by_pair(options):
    def dominates(a, b):
        return a[0] >= b[0] and a[1] <= b[1] and a != b

    expected = [not any(dominates(other, one) for other in options) for one in options]
    assert ask(frontier, *options) == expected
    for one, on, by in zip(options, expected, ask(dominated_by, *options), strict=True):
        assert (by == -1) == on
        if not on:
            assert expected[by]
            assert dominates(options[by], one)
            assert options[by][0] == max(o[0] for o in options if o[1] <= one[1])
