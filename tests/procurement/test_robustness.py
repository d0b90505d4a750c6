"""Robust ranks on straight lines over one weight, by hand."""

import math

import pytest

from core.domain import BadRequestError, TooFewError
from core.procurement.robustness import rank_robustness
from tests.conftest import a_benchmark, a_matrix

# Over the weight t of A the scores are lines: a = .5 + .4 t, b = .8 − .2 t, c = .65 + .05 t.
# a meets b at t = 1/2 and c at t = 3/7; b meets c at t = 3/5.
LINES = {"a": [0.90, 0.50], "b": [0.60, 0.80], "c": [0.70, 0.65]}
WEIGHTS = (("A", 0.6), ("B", 0.4))


@pytest.fixture
def robust():
    def compute(scores, weights=WEIGHTS, *, categories="AB", models=None, **how):
        benchmarks = [a_benchmark(f"{name}{i}", category=name) for i, name in enumerate(categories)]
        matrix = a_matrix(scores, benchmarks)
        return rank_robustness(matrix, weights, models or list(scores), **how)

    return compute


def test_models_are_ordered_by_score_and_equal_ones_by_id(robust):
    found = robust(LINES)
    assert [spread.model for spread in found.models] == ["a", "b", "c"]  # .74, .68, .68
    assert [spread.rank for spread in found.models] == [1, 2, 3]
    rows = {"b": [0.3, 0.1], "a": [0.3, 0.1], "c": [0.1, 0.3]}
    found = robust(rows, concentration=1e6)
    assert [(s.model, s.first_share) for s in found.models] == [("a", 1), ("b", 0), ("c", 0)]
    alike = robust({"b": [0.3, 0.1], "a": [0.3, 0.1]})
    assert [spread.first_share for spread in alike.models] == [1.0, 0.0]


def test_the_shares_are_those_of_the_beta_distribution(robust):
    """With 20 × (.6, .4) the weight of A is Beta(12, 8).

    a is first above 1/2, that is where at most 11 of 19 coins fall heads: 0.8203583.
    R: pbeta(1/2, 12, 8, lower.tail = FALSE); pbeta(3/7, 12, 8) = 0.0605
    """
    assert sum(math.comb(19, k) for k in range(12)) / 2**19 == pytest.approx(0.8203583, abs=1e-7)
    # d = .7 − .2 t is always below b, and above a where t < 1/3: then a is the last of the four.
    found = robust(LINES | {"d": [0.50, 0.70]}, n_draws=40_000, seed=3).models
    a, b, c, d = sorted(found, key=lambda spread: spread.model)
    below = sum(math.comb(19, k) * 2 ** (19 - k) for k in range(12, 20)) / 3**19
    assert d.top_three_share == pytest.approx(below, abs=0.002)
    assert a.top_three_share == pytest.approx(1 - below, abs=0.002)
    assert b.top_three_share == c.top_three_share == 1.0
    assert a.first_share == pytest.approx(0.8204, abs=0.006)
    assert b.first_share == pytest.approx(1 - 0.8204, abs=0.006)
    assert c.first_share == 0.0  # where it passes a, b is ahead of both
    assert d.first_share == 0.0


def test_the_first_place_flips_at_the_nearest_weight(robust):
    # At .6 a leads; b meets it at 1/2, c at 3/7, and d is always below b.
    found = robust(LINES | {"d": [0.50, 0.70]}).flip
    assert (found.category, found.weight, found.model) == ("A", 0.6, "b")
    assert found.at == pytest.approx(0.5)
    # From .4, where b leads, the other way: at 1/2 again a passes it, as at 1/2 of B.
    turned = robust(LINES, (("A", 0.4), ("B", 0.6))).flip
    assert (turned.at, turned.model) == (pytest.approx(0.5), "a")
    three = {"p": [0.5, 0.4, 0.7], "q": [0.4, 0.6, 0.5]}
    found = robust(three, (("A", 0.5), ("B", 0.2), ("C", 0.3)), categories="ABC").flip
    # Leads .1, −.2 and .2: of B, rest .11 / .8 = .1375, so t = .1375 / .3375.
    assert (found.category, found.model) == ("B", "q")
    assert found.at == pytest.approx(0.1375 / 0.3375)
    assert robust({"a": [0.9, 0.8], "b": [0.5, 0.6]}).flip is None


def test_one_seed_gives_one_answer_and_what_cannot_vary_stays_out(robust):
    assert robust(LINES) == robust(LINES)
    assert robust(LINES) != robust(LINES, seed=1)
    # Weights are scaled, and categories without a benchmark skipped.
    assert robust(LINES, (("A", 6.0), ("Elsewhere", 90.0), ("B", 4.0))) == robust(LINES)
    found = robust({"x": [0.9, 0.1], "y": [0.6, 0.2]}, (("A", 1.0),), categories="AA")
    assert not found.weights_vary
    first = found.models[0]
    assert (first.model, first.rank) == ("x", 1)
    assert (first.first_share, first.top_three_share) == (None, None)
    rows = LINES | {"d": [0.99, None]}
    found = robust(rows)
    assert [spread.model for spread in found.models] == ["a", "b", "c"]
    only_a = robust(rows, (("A", 1.0),))
    assert [spread.model for spread in only_a.models] == ["d", "a", "c", "b"]
    # Only the given models are ranked.
    found = robust(LINES, models=["c", "b"])
    assert [spread.model for spread in found.models] == ["b", "c"]  # .68 and .68: by id


def test_too_few_models_and_wrong_requests(robust):
    for rows in ({"a": [0.9, 0.5]}, {"a": [0.9, 0.5], "b": [0.1, None]}):
        with pytest.raises(TooFewError, match=r"at least 2 models .*; there is 1\."):
            robust(rows)
    with pytest.raises(TooFewError, match="there is none"):
        robust(LINES, (("Elsewhere", 1.0),))
    for wrong in ({"n_draws": 0}, {"concentration": 0.0}, {"concentration": math.nan}):
        with pytest.raises(BadRequestError):
            robust(LINES, **wrong)
    with pytest.raises(BadRequestError, match="weight"):
        robust(LINES, (("A", 1.0), ("B", 0.0)))
    with pytest.raises(BadRequestError, match="no model x"):
        robust(LINES, models=["a", "x"])
