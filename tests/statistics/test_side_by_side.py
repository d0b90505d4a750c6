import numpy as np
import pytest

from core.domain import BadRequestError, TooFewError
from core.statistics.difference import Gap, side_by_side

nan = np.nan


@pytest.fixture
def matrix(make_matrix, make_benchmark):
    """Clear, unclear, without standard error, missing, and a jury score on 1 to 5."""
    benchmarks = [make_benchmark(f"b{j}") for j in range(4)]
    benchmarks.append(make_benchmark("jury", scale_min=1, scale_max=5))
    return make_matrix(
        [[0.5, 0.5, 0.5, nan, 3], [0.6, 0.51, 0.4, 0.7, 2], [0.5, 0.5, 0.5, 0.5, 3]],
        standard_errors=[
            [0.03, 0.03, nan, nan, 0.12],
            [0.04, 0.04, 0.01, 0.01, 0.16],
            [0.01] * 5,
        ],
        benchmarks=benchmarks,
    )


def test_gaps_by_hand(matrix):
    found = side_by_side(matrix, ["m0", "m1"])
    (pair,) = found.pairs
    assert (pair.model, pair.other) == ("m1", "m0")
    clear, unclear, bare, missing, jury = pair.gaps
    # √(.03² + .04²) = .05, and 1.96 of it is .098.
    assert (clear.difference, clear.standing) == (pytest.approx(0.1), "better")
    assert (clear.ci_low, clear.ci_high) == pytest.approx((0.002, 0.198), abs=1e-4)
    assert (unclear.standing, unclear.ci_low) == ("cannot tell", pytest.approx(-0.088, abs=1e-4))
    assert bare == Gap("b2", pytest.approx(-0.1), None, None, "no interval")
    assert missing == Gap("b3", None, None, None, "not measured")
    # −1 on a scale 4 wide is −.25; √(.12² + .16²)/4 = .05.
    assert jury.difference == pytest.approx(-0.25)
    assert (jury.ci_low, jury.ci_high) == pytest.approx((-0.348, -0.152), abs=1e-4)
    assert jury.standing == "worse"


def test_counts_and_overall(matrix):
    (pair,) = side_by_side(matrix, ["m0", "m1"]).pairs
    assert (pair.n_shared, pair.n_with_interval) == (4, 3)
    assert (pair.n_ahead(), pair.n_behind()) == (2, 2)
    assert (pair.n_ahead(clearly=True), pair.n_behind(clearly=True)) == (1, 1)
    assert pair.overall.difference == pytest.approx((0.1 + 0.01 - 0.1 - 0.25) / 4)
    (weighted,) = side_by_side(matrix, ["m0", "m1"], {"b0": 3, "b1": 1}).pairs
    assert weighted.overall.difference == pytest.approx((3 * 0.1 + 0.01) / 4)
    assert weighted.overall.basis == "on these tests"
    # Independent errors add in squares: √(9 · .05² + .05²)/4.
    assert weighted.overall.ci_low == pytest.approx(0.0775 - 1.96 * np.sqrt(0.025) / 4, abs=1e-5)


def test_every_model_is_held_against_the_first(matrix):
    found = side_by_side(matrix, ["m2", "m0", "m1", "m0"])
    assert found.scores.models == ("m2", "m0", "m1")
    assert [(pair.model, pair.other) for pair in found.pairs] == [("m0", "m2"), ("m1", "m2")]
    assert found.normalised[:, 4] == pytest.approx([0.5, 0.5, 0.25])


def test_the_same_score_is_neither_ahead_nor_behind(matrix):
    (pair,) = side_by_side(matrix, ["m0", "m2"]).pairs
    assert (pair.n_ahead(), pair.n_behind()) == (0, 0)


def test_errors(matrix, make_matrix):
    for models in ([], ["m0"], ["m0", "m0"]):
        with pytest.raises(TooFewError, match="at least two"):
            side_by_side(matrix, models)
    with pytest.raises(BadRequestError, match="no model q"):
        side_by_side(matrix, ["m0", "q"])
    with pytest.raises(BadRequestError, match="At most 5"):
        side_by_side(make_matrix(np.zeros((6, 1))), [f"m{i}" for i in range(6)])
