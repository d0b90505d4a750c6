import numpy as np
import pytest

from core.domain import BadRequestError, TooFewError
from core.statistics.win_rates import Place, without

nan = np.nan

SPOILER = [[0.9, 0.9, 0.1], [0.5, 0.5, 0.9], [0.1, 0.1, 0.5]]


def rates(removal):
    return {p.model: (p.rate_before, p.rate_after) for p in removal.places}


def ranks(removal):
    return {p.model: (p.rank_before, p.rank_after) for p in removal.places}


def test_a_rival_between_two_models_decides_their_order(make_matrix):
    # With w, v and u on b2 between y and x: x = (1 + 1 + 0)/3, y = (3/4 + 3/4 + 1)/3.
    scores = [[0.9, 0.9, 0.1], [0.8, 0.8, 0.9], *([0.1 * k, 0.1 * k, 0.5] for k in (1, 2, 3))]
    matrix = make_matrix(scores, models=["x", "y", "u", "v", "w"])
    found = without(matrix, ["u", "v", "w"])
    assert rates(found)["x"] == pytest.approx((2 / 3, 2 / 3))
    assert rates(found)["y"] == pytest.approx((2.5 / 3, 1 / 3))
    assert ranks(found) == {"y": (1, 2), "x": (2, 1)}
    assert found.n_places == 2
    assert found.left_out == ("u", "v", "w")
    assert [place.model for place in found.places] == ["y", "x"]


def test_a_gap_that_closes_moves_nobody(make_matrix):
    matrix = make_matrix([[0.9], [0.8], [0.7]])
    found = without(matrix, ["m0"])
    assert found.places == (Place("m1", 0.5, 1.0, 1, 1), Place("m2", 0.0, 0.0, 2, 2))
    assert found.n_places == 0


def test_equal_rates_share_the_better_rank(make_matrix):
    found = without(make_matrix([[0.9], [0.5], [0.5], [0.1]]), ["m3"])
    assert ranks(found) == {"m0": (1, 1), "m1": (2, 2), "m2": (2, 2)}


def test_a_model_that_met_only_those_left_out_has_no_place(make_matrix):
    found = without(make_matrix([[0.9, nan], [0.5, 0.1], [nan, 0.2], [0.7, nan]]), ["m1"])
    assert ranks(found) == {"m0": (1, 1), "m3": (2, 2)}


def test_nothing_left_out_changes_nothing(make_matrix):
    found = without(make_matrix(SPOILER), [])
    assert found.n_places == 0
    assert all(place.rate_before == place.rate_after for place in found.places)


def test_errors(make_matrix):
    with pytest.raises(BadRequestError, match="no model q among those compared"):
        without(make_matrix(SPOILER), ["q"])
    with pytest.raises(TooFewError, match="must stay"):
        without(make_matrix(SPOILER), ["m0", "m1"])
