"""Trees of models: clusters, names, ties, and top branches."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.cluster.hierarchy import cophenet, dendrogram, fcluster, is_valid_linkage, linkage
from scipy.spatial.distance import pdist, squareform

from core.domain import BadRequestError, Exclusion, TooFewError
from core.statistics import taxonomy as trees
from core.statistics.taxonomy import (
    build_taxonomy,
    cluster_names,
    collapsed,
    distances_between,
    memberships,
    rank_sum_tests,
    silhouettes,
    suggested_k,
    trees_that_agree,
)

SCORES = np.random.default_rng(7).random((9, 4))
PAIRS = [[9, 8, 1], [8, 9, 0], [1, 2, 9], [2, 1, 9.5]]


def partition(labels):
    return {frozenset(i for i, other in enumerate(labels) if other == one) for one in labels}


def test_trees_that_agree_by_hand(make_matrix):
    # Two pairs, far apart on each of three benchmarks and of opposite profiles: every tree parts
    # them, whatever its distance and linkage.
    assert trees_that_agree(build_taxonomy(make_matrix(PAIRS))) == (12, 12)
    # One benchmark, scores 0, 3, 5.5 and 7.5. All join 5.5 and 7.5 first, at 2. Then 3 lies 3 from
    # 0, and from the pair 4.5 (complete), 3.5 (average), 4.04 (Ward) or 2.5 (single): only the
    # single trees, of two distances, leave 0 alone. Cosine knows but the sides of the mean of 4.
    # There is no correlation of one benchmark, so 2 + 4 + 3 other trees are valid.
    assert trees_that_agree(build_taxonomy(make_matrix([[0], [3], [5.5], [7.5]]))) == (7, 9)
    # With as many clusters as models, no tree has a choice.
    assert trees_that_agree(build_taxonomy(make_matrix(PAIRS), n_clusters=4)) == (12, 12)
    # A model at the mean of all has no angle.
    tree = build_taxonomy(make_matrix([[0, 2], [1, 1], [2, 0]]))
    assert {metric for metric, _ in memberships(tree.standardised, 2)} == {"cityblock", "euclidean"}
    assert trees_that_agree(tree)[1] == 6


def test_a_tree_by_hand(make_matrix):
    # One benchmark, scores 0, 1, 4, 5: mean 2.5, population SD sqrt(17/4).
    matrix = make_matrix([[0], [1], [4], [5]])
    taxonomy = build_taxonomy(matrix)
    unit = 1 / np.sqrt(17 / 4)
    np.testing.assert_allclose(taxonomy.linkage_matrix[:, 2], np.array([1, 1, 5]) * unit)
    assert taxonomy.leaf_order == (3, 2, 1, 0)
    assert taxonomy.labels == ("L", "L", "H", "H")
    # Silhouettes (4.5 - 1)/4.5 outside and (3.5 - 1)/3.5 inside, twice each.
    assert silhouettes(taxonomy, [2])[2] == pytest.approx((3.5 / 4.5 + 2.5 / 3.5) / 2)
    (test,) = rank_sum_tests(matrix, taxonomy).tests
    assert test.effect_size == 1
    # U = 4 of mean 2 and variance 2 * 2 * 5 / 12.
    assert test.p_value == pytest.approx(0.1213352503584821)


@pytest.mark.parametrize("k", [2, 3, 5, 20])
def test_against_scipy(make_matrix, k):
    scores = np.random.default_rng(11).normal(size=(21, 5)).round(1)
    z = (scores - scores.mean(axis=0)) / scores.std(axis=0)
    condensed = pdist(z, "cityblock")
    taxonomy = build_taxonomy(make_matrix(scores), n_clusters=k)
    np.testing.assert_allclose(taxonomy.standardised, z, atol=1e-14)
    distances = distances_between(taxonomy, range(21), range(21))
    np.testing.assert_allclose(distances, squareform(condensed), atol=1e-12)
    tree = taxonomy.linkage_matrix
    assert is_valid_linkage(tree)
    assert tuple(dendrogram(tree, no_plot=True)["leaves"]) == taxonomy.leaf_order
    expected = cophenet(tree, condensed)[0]
    assert taxonomy.cophenetic_correlation == pytest.approx(expected, abs=1e-12)
    assert len(set(taxonomy.labels)) == k
    found = memberships(taxonomy.standardised, k)
    assert len(found) == 13
    for (metric, method), clusters in found.items():
        expected = fcluster(linkage(pdist(z, metric), method), k, "maxclust")
        assert partition(clusters.tolist()) == partition(expected.tolist())


def test_higher_branch_is_on_the_left_at_each_split(make_matrix):
    scores = np.random.default_rng(3).normal(size=(30, 4))
    taxonomy = build_taxonomy(make_matrix(scores))
    means = taxonomy.standardised.mean(axis=1)
    members = [[i] for i in range(30)]
    for left, right in taxonomy.linkage_matrix[:, :2].astype(int):
        assert means[members[left]].mean() >= means[members[right]].mean()
        members.append(members[left] + members[right])
    assert tuple(members[-1]) == taxonomy.leaf_order


def test_names_follow_the_mean_and_there_are_exactly_k(make_matrix):
    names = {1: ("H",), 2: ("H", "L"), 3: ("H", "M", "L"), 5: ("H", "M1", "M2", "M3", "L")}
    assert {k: cluster_names(k) for k in names} == names
    scores = [[0.1], [0.9], [0.5], [0.3]]
    for k, expected in [(1, "H H H H"), (3, "L H M L"), (4, "L H M1 M2")]:
        assert build_taxonomy(make_matrix(scores), n_clusters=k).labels == tuple(expected.split())
    ties = [[0, 0], [0, 1], [1, 0], [1, 1], [0, 0], [1, 1]]
    for k in range(1, 7):
        assert len(set(build_taxonomy(make_matrix(ties), n_clusters=k).labels)) == k


def test_a_constant_benchmark_does_not_count(make_matrix):
    scores = np.column_stack([np.array(SCORES), np.full(9, 0.1)])
    matrix = make_matrix(scores)
    with_it, without = build_taxonomy(matrix), build_taxonomy(make_matrix(SCORES))
    np.testing.assert_allclose(with_it.linkage_matrix, without.linkage_matrix)
    assert (with_it.standardised[:, 4] == 0).all()
    constant = rank_sum_tests(matrix, with_it).tests[4]
    assert np.isnan(constant.p_value)
    assert (constant.effect_size, constant.significant) == (0, False)


def test_suggested_k_has_the_highest_silhouette(make_matrix):
    groups = [[0.0], [0.1], [5.0], [5.1], [9.0], [9.1]]
    tree = build_taxonomy(make_matrix(groups))
    assert suggested_k(silhouettes(tree, range(2, 7))) == 3
    assert suggested_k(silhouettes(tree, [5, 2, 4])) == 2
    # Where all are equally far apart, every silhouette is 0, and the smaller k goes first.
    assert suggested_k(silhouettes(build_taxonomy(make_matrix(np.eye(4))), [3, 2])) == 2
    assert suggested_k({3: None, 4: None}) is None


def test_incomplete_models_are_excluded(make_matrix):
    rows = [*SCORES, [0.5, np.nan, 0.1, 0.9], [np.nan] * 4]
    with_them, without = build_taxonomy(make_matrix(rows)), build_taxonomy(make_matrix(SCORES))
    assert with_them.labels == without.labels
    np.testing.assert_array_equal(with_them.linkage_matrix, without.linkage_matrix)
    assert with_them.excluded[0] == Exclusion("m9", "no score on b1")
    assert [exclusion.model for exclusion in with_them.excluded] == ["m9", "m10"]


@pytest.mark.parametrize(
    ("scores", "options", "error", "message"),
    [
        ([[], [], []], {}, TooFewError, "at least 1 benchmark"),
        ([[1.0, 2.0]], {}, TooFewError, "there are 1"),
        (SCORES[:2], {}, TooFewError, "at least 3 models"),
        ([[1], [2], [np.nan]], {}, TooFewError, "there are 2"),
        ([[0.1, 3], [0.1, 3], [0.1, 3]], {}, TooFewError, "all their scores are equal"),
        (SCORES, {"n_clusters": 0}, BadRequestError, "from 1 to 9"),
        (SCORES, {"n_clusters": 10}, BadRequestError, "from 1 to 9"),
        # More models than fit into memory, which ten are here.
        (np.eye(11), {}, BadRequestError, "at most 10 models; there are 11"),
    ],
)
def test_errors(make_matrix, monkeypatch, scores, options, error, message):
    monkeypatch.setattr(trees, "MOST_MODELS", 10)
    with pytest.raises(BadRequestError, match=message) as caught:
        build_taxonomy(make_matrix(scores), **options)
    assert type(caught.value) is error


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 5))
def test_the_order_of_the_models_does_not_matter(make_matrix, seed, k):
    rng = np.random.default_rng(seed)
    scores, order = rng.normal(size=(12, 4)), rng.permutation(12)
    one = build_taxonomy(make_matrix(scores), n_clusters=k)
    shuffled = make_matrix(scores[order], models=[f"m{i}" for i in order])
    other = build_taxonomy(shuffled, n_clusters=k)
    labels, others = (dict(zip(it.models, it.labels, strict=True)) for it in (one, other))
    assert labels == others
    assert [one.models[i] for i in one.leaf_order] == [other.models[i] for i in other.leaf_order]
    assert trees_that_agree(one) == trees_that_agree(other)


def test_top_branches_by_hand(make_matrix):
    # From the left: 10 and 9, 5, then 1 and 0.
    tree = build_taxonomy(make_matrix([[0], [10], [5], [1], [9]]), n_clusters=3)
    found = collapsed(tree, 3)
    assert found.branches == ((1, 4), (2,), (3, 0))
    z = tree.standardised[:, 0]
    np.testing.assert_allclose(found.means[:, 0], [(z[1] + z[4]) / 2, z[2], (z[3] + z[0]) / 2])
    # 5 lies 5 from 0 and 5 from 10; complete linkage joins it to one of them at 5, then at 10.
    np.testing.assert_allclose(found.linkage_matrix[:, 2] * np.std([0, 10, 5, 1, 9]), [5, 10])
    np.testing.assert_array_equal(found.linkage_matrix[:, 3], [2, 3])


@pytest.mark.parametrize("n_branches", [2, 7, 30, 40])
def test_branches_keep_the_top_of_the_tree(make_matrix, n_branches):
    tree = build_taxonomy(make_matrix(np.random.default_rng(6).normal(size=(30, 4))), n_clusters=2)
    found = collapsed(tree, n_branches)
    n = min(n_branches, 30)
    assert len(found.branches) == n
    assert sum(found.branches, ()) == tree.leaf_order
    assert is_valid_linkage(found.linkage_matrix)
    assert dendrogram(found.linkage_matrix, no_plot=True)["leaves"] == list(range(n))
    np.testing.assert_array_equal(found.linkage_matrix[:, 2], tree.linkage_matrix[30 - n :, 2])
    assert {len({tree.labels[i] for i in branch}) for branch in found.branches} == {1}
    for branch, mean in zip(found.branches, found.means, strict=True):
        np.testing.assert_allclose(mean, tree.standardised[list(branch)].mean(axis=0))
