"""Tests of benchmarks that did not form the clusters, and the profiles of clusters."""

from dataclasses import replace

import numpy as np
import pytest

from core.domain import BadRequestError, TooFewError
from core.statistics.clusters import (
    Profile,
    leave_one_out_tests,
    profiles,
    rank_sum_tests,
    smallest_p,
)
from core.statistics.taxonomy import build_taxonomy


def test_left_out_by_hand(make_matrix):
    # Each benchmark alone splits the models in its own way; the other two agree without b2.
    scores = [[9, 8, 0], [8, 9, 5], [1, 0, 1], [0, 1, 6]]
    matrix = make_matrix(scores)
    found = leave_one_out_tests(matrix, build_taxonomy(matrix))
    assert found.alpha == pytest.approx(0.01 / 3)
    left_out = found.tests[2]
    # Without b2 the clusters are {m0, m1} and {m2, m3}: of the pairs, only 5 > 1 is won.
    assert left_out.benchmark == "b2"
    assert left_out.effect_size == pytest.approx(2 * 1 / 4 - 1)
    # U = 1 of mean 2 and variance 2 * 2 * 5 / 12.
    assert left_out.p_value == pytest.approx(0.4385780260809998)
    assert not left_out.significant


@pytest.mark.parametrize(
    ("n_high", "n_low", "expected"),
    [
        # U = 42 lies 21 from its mean, variance 42 · 14/12 = 49: z = 3.
        (6, 7, 0.0026997960632601866),
        # U = 2 lies 1 from its mean, variance 2 · 4/12: z = √1.5.
        (1, 2, 0.22067136191984682),
    ],
)
def test_the_smallest_p_by_hand(n_high, n_low, expected):
    assert smallest_p(n_high, n_low) == pytest.approx(expected, rel=1e-12)
    assert smallest_p(n_low, n_high) == smallest_p(n_high, n_low)


def test_the_smallest_p_is_that_of_a_complete_separation(make_matrix):
    # The last benchmark ties all of H and all of L, so its variance is smaller.
    scores = [[9 + i, 7 + i, 1] for i in range(6)] + [[i, -i, 0] for i in range(7)]
    matrix = make_matrix(scores)
    found = rank_sum_tests(matrix, build_taxonomy(matrix))
    assert found.smallest == pytest.approx([test.p_value for test in found.tests])
    assert found.smallest[:2] == pytest.approx([smallest_p(6, 7)] * 2)
    # Variance 42/12 · (14 − (210 + 336)/156) = 36.75: z = 21/√36.75 = 2√3.
    assert found.smallest[2] == pytest.approx(0.0005320055051392492)
    # None of them below 0.01/37, two of them not below 0.0026.
    assert replace(found, alpha=0.01 / 37).n_within_reach == 0
    assert replace(found, alpha=0.0026).n_within_reach == 1
    assert found.n_within_reach == 3


def test_the_sizes_are_those_of_the_clusters_without_the_benchmark(make_matrix):
    scores = [[9, 8, 0], [8, 9, 5], [1, 0, 1], [0, 1, 6]]
    matrix = make_matrix(scores)
    found = leave_one_out_tests(matrix, build_taxonomy(matrix))
    assert found.smallest[2] == pytest.approx(smallest_p(2, 2))
    constant = make_matrix([[0, 7], [1, 7], [5, 7], [6, 7]])
    assert np.isnan(leave_one_out_tests(constant, build_taxonomy(constant)).smallest).all()


def test_noise_alone_is_not_separated(make_matrix):
    # Independent benchmarks: the tests on their own clusters find differences all the same.
    own, left_out = 0, 0
    for seed in range(20):
        matrix = make_matrix(np.random.default_rng(seed).normal(size=(60, 3)))
        tree = build_taxonomy(matrix)
        own += sum(test.significant for test in rank_sum_tests(matrix, tree).tests)
        left_out += sum(test.significant for test in leave_one_out_tests(matrix, tree).tests)
    assert own > 20
    assert left_out <= 2


def test_each_benchmark_is_tested_on_the_tree_of_the_others(make_matrix):
    scores = np.random.default_rng(8).normal(size=(15, 4))
    matrix = make_matrix(scores)
    found = leave_one_out_tests(matrix, build_taxonomy(matrix)).tests
    for j, test in enumerate(found):
        tree = build_taxonomy(make_matrix(np.delete(scores, j, axis=1)))
        assert test == rank_sum_tests(matrix, tree).tests[j]


def test_lower_is_better_is_turned(make_matrix, make_benchmark):
    benchmarks = [make_benchmark("a"), make_benchmark("b"), make_benchmark("c")]
    benchmarks[2] = make_benchmark("c", lower_is_better=True)
    matrix = make_matrix([[9, 9, 0], [8, 8, 1], [1, 1, 8], [0, 0, 9]], benchmarks=benchmarks)
    found = leave_one_out_tests(matrix, build_taxonomy(matrix))
    assert [test.effect_size for test in found.tests] == [1, 1, 1]


def test_a_model_without_one_benchmark_stays_out_of_all_tests(make_matrix):
    scores = [[9, 8, 0], [8, 9, 5], [1, 0, 1], [0, 1, 6]]
    with_it = make_matrix([*scores, [5, 5, np.nan]])
    without = make_matrix(scores)
    found = leave_one_out_tests(with_it, build_taxonomy(with_it))
    assert found == leave_one_out_tests(without, build_taxonomy(without))


def test_without_another_benchmark_that_tells_models_apart_there_is_no_test(make_matrix):
    matrix = make_matrix([[0, 7], [1, 7], [5, 7], [6, 7]])
    only, constant = leave_one_out_tests(matrix, build_taxonomy(matrix)).tests
    assert np.isnan([only.p_value, only.effect_size]).all()
    assert np.isnan(constant.p_value)
    assert constant.effect_size == 0
    assert not only.significant
    assert not constant.significant


def test_one_benchmark_cannot_be_left_out(make_matrix):
    matrix = make_matrix([[0], [1], [5]])
    with pytest.raises(TooFewError, match="at least 2 benchmarks; there are 1"):
        leave_one_out_tests(matrix, build_taxonomy(matrix))


@pytest.mark.parametrize("test", [rank_sum_tests, leave_one_out_tests])
def test_three_clusters_are_refused(make_matrix, test):
    matrix = make_matrix([[0, 1], [1, 5], [5, 9]])
    with pytest.raises(BadRequestError, match="two clusters; there are 3"):
        test(matrix, build_taxonomy(matrix, n_clusters=3))


def test_profiles_by_hand(make_matrix, make_benchmark):
    benchmarks = [
        make_benchmark("b0", scale_max=100.0),
        make_benchmark("b1", scale_min=1.0, scale_max=5.0, lower_is_better=True),
    ]
    scores = [[90, 1], [80, 2], [70, 1], [60, 2], [10, 5], [20, 4], [np.nan, 3]]
    matrix = make_matrix(scores, benchmarks=benchmarks)
    found = profiles(matrix, build_taxonomy(matrix))
    assert [(p.cluster, p.benchmark, p.n) for p in found] == [
        ("H", "b0", 4),
        ("H", "b1", 4),
        ("L", "b0", 2),
        ("L", "b1", 2),
    ]
    # 0.6, 0.7, 0.8, 0.9: a quarter of the way through three gaps is 0.6 + 0.75 * 0.1.
    expected = [
        (0.6, 0.675, 0.75, 0.825, 0.9),
        (0.75, 0.75, 0.875, 1.0, 1.0),
        (0.1, 0.125, 0.15, 0.175, 0.2),
        (0.0, 0.0625, 0.125, 0.1875, 0.25),
    ]
    for profile, figures in zip(found, expected, strict=True):
        assert numbers(profile) == pytest.approx(figures)


def numbers(profile: Profile):
    return [profile.minimum, profile.q1, profile.median, profile.q3, profile.maximum]
