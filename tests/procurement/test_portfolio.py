"""Combinations, worked by hand."""

from dataclasses import replace

import numpy as np
import pytest

from core.domain import BadRequestError, TooFewError
from core.procurement.portfolio import portfolios

EVEN = (("A", 0.5), ("B", 0.5))
# Two benchmarks each in A and B. x and z come to .7, y to .6.
SCORES = {"x": [0.9, 0.9, 0.5, 0.5], "y": [0.4, 0.4, 0.8, 0.8], "z": [0.7, 0.7, 0.7, 0.7]}
CLUSTERS = {"x": "H", "y": "L", "z": "H"}


@pytest.fixture
def combine(make_matrix, make_benchmark):
    def compute(
        scores=SCORES, clusters=CLUSTERS, weights=EVEN, bills=None, *, categories="AABB", **how
    ):
        benchmarks = [make_benchmark(f"{c}{i}", category=c) for i, c in enumerate(categories)]
        matrix = make_matrix(scores, benchmarks, error=how.pop("error", 0.02))
        models = how.pop("models", list(scores))
        return portfolios(matrix, weights, models, clusters, bills or {}, **how)

    return compute


@pytest.fixture
def priced(make_bill):
    def make(**usd):
        return {
            model: replace(
                make_bill(model, sum(lines)), lines=tuple(zip("ABC", lines, strict=False))
            )
            for model, lines in usd.items()
        }

    return make


def test_each_category_goes_to_the_best_member_and_clusters_differ(combine):
    found = combine()
    assert (found.best_single, found.best_single_score) == ("x", pytest.approx(0.7))
    assert [one.models for one in found.found] == [("x", "y"), ("y", "z")]  # x and z are of H
    first, second = found.found
    assert first.assignment == (("A", "x"), ("B", "y"))
    assert first.clusters == ("H", "L")
    assert (first.score, first.gain) == (pytest.approx(0.85), pytest.approx(0.15))
    assert (second.score, second.gain) == (pytest.approx(0.75), pytest.approx(0.05))
    assert (found.n_tried, found.n_better, found.clusters) == (2, 2, ("H", "L"))
    assert found.candidates == ("x", "y", "z")
    assert [one.models for one in combine(most=1).found] == [("x", "y")]


def test_the_interval_counts_only_what_differs(combine):
    # In A x stands on both sides. In B two benchmarks of weight 1/4 differ by errors of .02 √2.
    first, second = combine().found
    half = 1.959964 * np.sqrt(2 * (0.25 * 0.02) ** 2 * 2)
    assert first.interval_basis == "on these tests"
    assert (first.ci_low, first.ci_high) == pytest.approx((0.15 - half, 0.15 + half), abs=1e-6)
    # y and z against x: all four differ.
    half *= np.sqrt(2)
    assert (second.ci_low, second.ci_high) == pytest.approx((0.05 - half, 0.05 + half), abs=1e-6)


def test_without_item_errors_the_benchmarks_vary_from_five_on(combine):
    assert combine(error=np.nan).found[0].interval_basis == "none"  # four tests say nothing
    scores = {"x": [0.9, 0.9, 0.8, 0.5, 0.5, 0.4], "y": [0.4, 0.4, 0.4, 0.7, 0.8, 0.9]}
    first = combine(scores, {"x": "H", "y": "L"}, categories="AAABBB", error=np.nan).found[0]
    # x keeps A, y takes B from it: gains 0, 0, 0, .2, .3, .5 of six tests, in R by t.test().
    assert first.gain == pytest.approx(1 / 6)
    assert first.interval_basis == "on other tests"
    assert (first.ci_low, first.ci_high) == pytest.approx((-0.050103826999129, 0.383437160332462))


def two(make_matrix, x, y, benchmarks, weights):
    matrix = make_matrix({"x": x, "y": y}, benchmarks, error=0.02)
    return portfolios(matrix, weights, ["x", "y"], {"x": "H", "y": "L"}, {})


def test_a_benchmark_of_two_categories_is_shared_by_their_models(make_matrix, make_benchmark):
    benchmarks = [make_benchmark("b0", category="A", subcategory="S")]
    benchmarks += [make_benchmark("b1", category="A")]
    found = two(make_matrix, [0.5, 0.9], [0.6, 0.1], benchmarks, (("A", 0.5), ("S", 0.5)))
    # b0 weighs .25 for A, at x, and .5 for S, at y; b1 weighs .25.
    (one,) = found.found
    assert one.assignment == (("A", "x"), ("S", "y"))
    assert one.gain == pytest.approx(0.5 * 0.1)
    half = 1.959964 * 0.5 * 0.02 * np.sqrt(2)
    assert (one.ci_low, one.ci_high) == pytest.approx((0.05 - half, 0.05 + half), abs=1e-6)


def test_where_benchmarks_agree_the_held_out_gain_is_the_gain(combine):
    found = combine()
    assert found.held_out_gains == ((2, pytest.approx(0.15)), (3, None))
    assert found.not_held_out == ()


def test_where_benchmarks_disagree_the_gain_does_not_hold(combine):
    """A0 and A1 contradict each other, so that y's lead in A is chance.

    In all: x = ½ .50 + ½ .60 = .55, y = ½ .55 + ½ .50; together .575.
    Chosen on A0, no combination promises more than x. Chosen on A1, A goes to y and B to x, judged
    on A0: ½ .2 + ½ .6 = .40; y, which A1 holds for the best, has ½ .2 + ½ .5 = .35. So the gain is
    .025 on average.
    """
    scores = {"x": [0.8, 0.2, 0.6, 0.6], "y": [0.2, 0.9, 0.5, 0.5]}
    found = combine(scores, {"x": "H", "y": "L"})
    (one,) = found.found
    assert one.gain == pytest.approx(0.025)
    assert found.held_out_gains[0] == (2, pytest.approx(0.025))
    once = combine(scores, {"x": "H", "y": "L"}, n_splits=1)
    assert once.held_out_gains[0] == (2, pytest.approx(0.025))


def test_where_no_combination_promises_more_the_search_keeps_the_single_model(combine):
    found = combine(SCORES | {"s": [0.9, 0.9, 0.9, 0.9]})  # in no cluster, so in no combination
    assert (found.best_single, found.found, found.n_tried) == ("s", (), 2)
    assert found.held_out_gains[0] == (2, 0.0)


def test_categories_with_a_single_benchmark_are_left_out_of_the_held_out_gains(combine):
    scores = {"x": [0.9, 0.8, 0.4], "y": [0.4, 0.3, 0.8]}
    found = combine(scores, {"x": "H", "y": "L"}, categories="AAB")
    assert found.not_held_out == ("B",)
    assert found.found[0].gain == pytest.approx(0.2)
    assert found.held_out_gains[0] == (2, 0.0)  # in A, x does all the work
    rows = {model: [*row, 0.5] for model, row in SCORES.items()}
    weights = (("A", 0.25), ("B", 0.25), ("C", 0.5))
    scaled = combine(rows, weights=weights, categories="AABBC")
    assert scaled.found[0].gain == pytest.approx(0.075)  # a quarter of .3
    assert scaled.held_out_gains[0] == (2, pytest.approx(0.15))  # without C, half of it
    alone = combine({"x": [0.9, 0.4], "y": [0.4, 0.8]}, {"x": "H", "y": "L"}, categories="AB")
    assert alone.not_held_out == ("A", "B")
    assert alone.held_out_gains == ((2, None), (3, None))


def test_a_subcategory_is_split_within_its_category(make_matrix, make_benchmark):
    benchmarks = [
        make_benchmark(f"b{i}", category="A", subcategory="S" if i < 2 else "") for i in range(5)
    ]
    x, y = [0.1, 0.3, 1, 1, 1], [0.5, 0.6, 0, 0, 0]
    found = two(make_matrix, x, y, benchmarks, (("A", 0.8), ("S", 0.2)))
    # Every half agrees that x leads and that y has S.
    assert found.held_out_gains[0] == (2, pytest.approx(0.2 * (0.55 - 0.2)))


def test_three_clusters_give_triples_in_which_each_has_a_category(combine):
    scores = {
        "a": [0.9, 0.1, 0.1],
        "b": [0.1, 0.9, 0.1],
        "c": [0.1, 0.1, 0.9],
        "d": [0.2, 0.2, 0.2],
    }
    clusters = {"a": "H", "b": "M", "c": "L", "d": "L"}
    thirds = tuple((name, 1.0) for name in "ABC")
    found = combine(scores, clusters, thirds, categories="ABC")
    assert found.n_tried == 5 + 2  # ab, ac, ad, bc, bd; abc, abd
    assert found.best_single == "a"  # .3667, before b and c by id
    assert [(one.models, round(one.score, 4)) for one in found.found] == [
        (("a", "b", "c"), 0.9),
        (("a", "b", "d"), 0.6667),
        (("a", "b"), 0.6333),
        (("a", "c"), 0.6333),
        (("b", "c"), 0.6333),
        (("a", "d"), 0.4333),
        (("b", "d"), 0.4333),
    ]
    useless = scores | {"c": [0.0, 0.0, 0.0], "d": [0.0, 0.0, 0.0]}
    assert [one.models for one in combine(useless, clusters, thirds, categories="ABC").found] == [
        ("a", "b")
    ]


def test_the_bill_adds_each_category_at_its_model(combine, priced):
    found = combine(bills=priced(x=(10.0, 20.0), y=(1.0, 2.0)))
    first, second = found.found
    assert (first.monthly_usd, first.unpriced) == (12.0, ())  # A at x, B at y
    assert (second.monthly_usd, second.unpriced) == (None, ("z",))
    assert found.best_single_usd == 30.0
    nothing = combine(bills={"x": None})
    assert (nothing.best_single_usd, nothing.found[0].monthly_usd) == (None, None)
    assert nothing.found[0].unpriced == ("x", "y")
    assert combine(bills=priced(x=(10.0,), y=(1.0,))).found[0].monthly_usd is None  # no line for B


def test_equal_gains_come_by_the_smaller_bill_then_id(combine, priced):
    scores = {"x": [0.9, 0.9, 0.5, 0.5], "y": [0.4, 0.4, 0.8, 0.8], "w": [0.4, 0.4, 0.8, 0.8]}
    clusters = {"x": "H", "y": "L", "w": "L"}
    assert [one.models for one in combine(scores, clusters).found] == [("w", "x"), ("x", "y")]
    bills = priced(x=(10.0, 20.0), y=(1.0, 2.0), w=(1.0, 3.0))
    found = combine(scores, clusters, bills=bills).found
    assert [one.models for one in found] == [("x", "y"), ("w", "x")]


def test_candidates_are_taken_in_turn_from_each_cluster(combine, priced):
    scores = SCORES | {"u": [0.1, 0.1, 0.1, 0.1]}
    clusters = CLUSTERS | {"u": "L"}
    # Best overall of H and L, best in A of both, best in B of both, cheapest.
    assert combine(scores, clusters, n_candidates=2).candidates == ("x", "y")
    assert combine(scores, clusters, n_candidates=3).candidates == ("x", "y", "z")
    bills = priced(u=(0.1, 0.1), y=(1.0, 1.0), x=(2.0, 2.0), z=(3.0, 3.0))
    of_l = {"y": "L", "u": "L", "x": "H"}
    by_price = combine(scores, of_l, bills=bills, models=["u", "x", "y"], n_candidates=3)
    assert by_price.candidates == ("u", "x", "y")


def test_one_cluster_has_nothing_to_combine_and_models_without_one_are_named(combine):
    found = combine(clusters={"x": "H", "z": "H"})
    assert (found.found, found.n_tried, found.clusters) == ((), 0, ("H",))
    assert found.held_out_gains == ((2, None), (3, None))
    assert [(e.model, e.reason) for e in found.excluded] == [("y", "in no cluster")]
    incomplete = combine(SCORES | {"v": [None, 1, 1, 1]})
    assert [(e.model, e.reason) for e in incomplete.excluded] == [("v", "no score on A0")]


def test_too_few_and_wrong_requests(combine):
    with pytest.raises(TooFewError, match="2 task categories"):
        combine(weights=(("A", 1.0),))
    with pytest.raises(TooFewError, match="at least 2 models"):
        combine({"x": SCORES["x"]})
    for wrong in ({"n_splits": 0}, {"n_candidates": 1}, {"models": ["x", "nobody"]}):
        with pytest.raises(BadRequestError):
            combine(**wrong)
