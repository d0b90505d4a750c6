"""Stability of clusters and branches, against cases worked out by hand and plain loops."""

from itertools import product
from math import erf, sqrt

import numpy as np
import pytest
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import pdist

from core.domain import BadRequestError, TooFewError
from core.statistics.clusters import stability
from core.statistics.taxonomy import build_taxonomy, cut, standardise

N_RESAMPLES = 20_000
ERROR = 4 * sqrt(0.25 / N_RESAMPLES)


@pytest.fixture
def majority(make_matrix):
    """Two benchmarks put a and b together, far from c; the third puts b and c together."""
    return make_matrix([[0, 0, 1], [0, 0, 0], [1, 1, 0]], models=["a", "b", "c"])


def test_benchmarks_by_hand(majority):
    tree = build_taxonomy(majority)
    assert tree.labels == ("L", "L", "H")
    found = stability(majority, tree, noise="benchmarks", n_resamples=N_RESAMPLES)
    # Of three draws, at most one is the third benchmark: 8/27 + 12/27.
    together = 20 / 27
    np.testing.assert_allclose(found.support, [together, 1], atol=ERROR)
    expected = [[1, together, 0], [together, 1, 1 - together], [0, 1 - together, 1]]
    np.testing.assert_allclose(found.co_clustering, expected, atol=ERROR)
    # Else the clusters are {a} and {b, c}: half of {a, b}, and half of {b, c} is {c}.
    assert [name for name, _ in found.jaccard] == ["H", "L"]
    half = together + (1 - together) / 2
    assert [value for _, value in found.jaccard] == pytest.approx([half, half], abs=ERROR)
    assert found.n_resamples == N_RESAMPLES
    assert found.noise == "benchmarks"


@pytest.mark.slow
def test_items_by_hand(make_matrix):
    # b lies at 1 ± 0.4 between a at 0 and c at 3: it joins a where it stays below 1.5.
    matrix = make_matrix([[0], [1], [3]], standard_errors=[[0], [0.4], [0]])
    tree = build_taxonomy(matrix)
    found = stability(matrix, tree, noise="items", n_resamples=N_RESAMPLES)
    together = (1 + erf(0.5 / 0.4 / sqrt(2))) / 2
    np.testing.assert_allclose(found.support, [together, 1], atol=ERROR)
    assert found.co_clustering[0, 1] == pytest.approx(together, abs=ERROR)
    assert found.co_clustering[1, 2] == pytest.approx(1 - together, abs=ERROR)


def test_without_noise_all_comes_out_again(make_matrix):
    rng = np.random.default_rng(2)
    matrix = make_matrix(rng.normal(size=(12, 4)), standard_errors=np.zeros((12, 4)))
    for k in range(1, 13):
        tree = build_taxonomy(matrix, n_clusters=k)
        found = stability(matrix, tree, noise="items", n_resamples=5)
        assert (found.support == 1).all()
        assert {value for _, value in found.jaccard} == {1}
        same = np.array(tree.labels)[:, None] == np.array(tree.labels)
        np.testing.assert_array_equal(found.co_clustering, same)


@pytest.mark.slow
@pytest.mark.parametrize("k", [2, 4])
def test_benchmarks_against_all_draws_in_turn(make_matrix, k):
    # All 4**4 draws in plain loops, with ties between some models.
    scores = np.random.default_rng(5).normal(size=(9, 4)).round(1)
    scores[3] = scores[4]
    matrix = make_matrix(scores)
    tree = build_taxonomy(matrix, n_clusters=k)
    points = standardise(scores)
    own_branches = branches(tree.linkage_matrix)
    own_clusters = members(np.array(tree.labels))
    together, support, likeness = np.zeros((9, 9)), np.zeros(8), dict.fromkeys(own_clusters, 0.0)
    for drawn in product(range(4), repeat=4):
        again = linkage(pdist(points[:, sorted(drawn)], "cityblock"), "complete")
        labels = cut(again, k)
        together += labels[:, None] == labels
        support += [branch in branches(again) for branch in own_branches]
        for cluster in likeness:
            found = members(labels)
            likeness[cluster] += max(len(cluster & one) / len(cluster | one) for one in found)
    result = stability(matrix, tree, noise="benchmarks", n_resamples=N_RESAMPLES)
    np.testing.assert_allclose(result.co_clustering, together / 256, atol=ERROR)
    np.testing.assert_allclose(result.support, support / 256, atol=ERROR)
    for name, value in result.jaccard:
        cluster = frozenset(np.flatnonzero(np.array(tree.labels) == name).tolist())
        assert value == pytest.approx(likeness[cluster] / 256, abs=ERROR)


def branches(tree):
    sets = [frozenset([i]) for i in range(len(tree) + 1)]
    for left, right in tree[:, :2].astype(int):
        sets.append(sets[left] | sets[right])
    return sets[len(tree) + 1 :]


def members(labels):
    return {frozenset(np.flatnonzero(labels == label).tolist()) for label in set(labels.tolist())}


def test_one_seed_gives_one_result(make_matrix):
    rng = np.random.default_rng(3)
    matrix = make_matrix(rng.normal(size=(8, 3)), standard_errors=np.full((8, 3), 0.5))
    tree = build_taxonomy(matrix)
    for noise in ("items", "benchmarks"):
        one, same, other = (
            stability(matrix, tree, noise=noise, n_resamples=50, seed=seed) for seed in (1, 1, 2)
        )
        np.testing.assert_array_equal(one.co_clustering, same.co_clustering)
        np.testing.assert_array_equal(one.support, same.support)
        assert one.jaccard == same.jaccard
        assert (one.co_clustering != other.co_clustering).any()


def test_lower_is_better_is_turned(make_matrix, make_benchmark):
    # Turned the wrong way round, the two benchmarks would cancel out.
    benchmarks = [make_benchmark("a"), make_benchmark("b", lower_is_better=True)]
    matrix = make_matrix(
        [[0, 9], [1, 8], [8, 1], [9, 0]], standard_errors=np.zeros((4, 2)), benchmarks=benchmarks
    )
    tree = build_taxonomy(matrix)
    found = stability(matrix, tree, noise="items", n_resamples=3)
    assert (found.support == 1).all()


def test_models_left_out_of_the_tree_are_passed_over(make_matrix):
    scores = [[0, 0, 1], [0, 0, 0], [1, 1, 0], [np.nan, 1, 1]]
    matrix = make_matrix(scores, standard_errors=np.where(np.isnan(scores), np.nan, 0.1))
    tree = build_taxonomy(matrix)
    for noise in ("items", "benchmarks"):
        assert stability(matrix, tree, noise=noise, n_resamples=9).co_clustering.shape == (3, 3)


def test_missing_standard_errors_are_named(make_matrix):
    errors = np.full((4, 3), 0.1)
    errors[2, 1] = np.nan
    matrix = make_matrix(np.random.default_rng(4).normal(size=(4, 3)), standard_errors=errors)
    with pytest.raises(BadRequestError, match=r"standard error for some scores on b1\.$"):
        stability(matrix, build_taxonomy(matrix), noise="items")


def test_two_benchmarks_that_vary_are_too_few(make_matrix):
    matrix = make_matrix([[0, 1, 5], [1, 0, 5], [2, 2, 5]])
    with pytest.raises(TooFewError, match="from 3 on; 2 of these"):
        stability(matrix, build_taxonomy(matrix), noise="benchmarks")
