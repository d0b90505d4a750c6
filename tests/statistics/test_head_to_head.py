import numpy as np
import pytest

from core.statistics import win_rates as module
from core.statistics.win_rates import head_to_head, mean_win_rates, win_rates

nan = np.nan


def test_wins_draws_and_gaps_by_hand(make_matrix):
    # m0 against m1: wins b0, draws b1, loses b2. m2 has b2 only; m3 has nothing.
    found = head_to_head(
        make_matrix([[0.9, 0.5, 0.1], [0.8, 0.5, 0.2], [nan, nan, 0.15], [nan] * 3])
    )
    assert found.models == ("m0", "m1", "m2", "m3")
    expected = [
        [nan, 0.5, 0.0, nan],
        [0.5, nan, 1.0, nan],
        [1.0, 0.0, nan, nan],
        [nan] * 4,
    ]
    np.testing.assert_array_equal(found.shares, expected)
    np.testing.assert_array_equal(
        found.shared, [[3, 3, 1, 0], [3, 3, 1, 0], [1, 1, 1, 0], [0, 0, 0, 0]]
    )


def test_lower_is_better_turns_a_win_round(make_matrix, make_benchmark):
    matrix = make_matrix([[0.9], [0.1]], benchmarks=[make_benchmark("harm", lower_is_better=True)])
    assert head_to_head(matrix).shares[0, 1] == 0
    assert head_to_head(matrix).shares[1, 0] == 1


def test_facing_cells_add_up_and_rows_average_to_the_win_rate(make_matrix):
    # With every score present, the mean over rivals is the mean over benchmarks: HELM's rate.
    matrix = make_matrix(np.random.default_rng(3).random((9, 7)).round(1))
    shares = head_to_head(matrix).shares
    off = ~np.eye(9, dtype=bool)
    np.testing.assert_allclose((shares + shares.T)[off], 1)
    np.testing.assert_allclose(np.nanmean(shares, axis=1), mean_win_rates(matrix))


def test_blocks_make_no_difference(make_matrix, monkeypatch):
    scores = np.random.default_rng(4).random((11, 5)).round(1)
    scores[np.random.default_rng(5).random(scores.shape) < 0.3] = nan
    whole, spread = head_to_head(make_matrix(scores)), win_rates(make_matrix(scores))
    monkeypatch.setattr(module, "_CELLS", 30)
    parts = head_to_head(make_matrix(scores))
    np.testing.assert_array_equal(whole.shares, parts.shares)
    np.testing.assert_array_equal(whole.shared, parts.shared)
    assert win_rates(make_matrix(scores)).rows == spread.rows


@pytest.mark.parametrize("n", [0, 1])
def test_nobody_to_meet(make_matrix, n):
    found = head_to_head(make_matrix(np.full((n, 2), 0.5)))
    assert found.shares.shape == (n, n)
    assert np.isnan(found.shares).all()
