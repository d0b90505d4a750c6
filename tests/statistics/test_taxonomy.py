"""Trees of models: clusters, names, ties, top branches, and what clusters are worth."""

from dataclasses import replace
from functools import partial
from math import erf, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.cluster.hierarchy import cophenet, dendrogram, fcluster, is_valid_linkage, linkage
from scipy.spatial.distance import pdist, squareform

from core.domain import BadRequestError, Exclusion, TooFewError
from core.statistics import taxonomy as trees
from core.statistics.stability import stability
from core.statistics.taxonomy import (
    agreement,
    are_apart,
    best_first,
    build_taxonomy,
    cluster_names,
    collapsed,
    distances_between,
    leave_one_out_tests,
    memberships,
    rank_sum_tests,
    silhouettes,
    smallest_p,
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


def test_clusters_may_overlap_in_their_means(make_matrix):
    """The first benchmark has SD 1 and parts the clusters, the second √5 and mixes their means."""
    found = best_first(build_taxonomy(make_matrix([[1, -3], [1, 1], [-1, 3], [-1, -1]])))
    assert [[model for model, _ in cluster] for cluster in found] == [["m1", "m0"], ["m2", "m3"]]
    each = [(1 + 1 / sqrt(5)) / 2, (1 - 3 / sqrt(5)) / 2]
    means = [mean for cluster in found for _, mean in cluster]
    assert means == pytest.approx([each[0], each[1], -each[1], -each[0]])
    assert not are_apart(found)  # m2 is above m0
    assert are_apart(best_first(build_taxonomy(make_matrix([[0], [1], [4], [5]]))))


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
    monkeypatch.setattr(trees, "MOST_IN_A_TREE", 10)
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
    # The sizes are those of the clusters without the benchmark.
    assert found.smallest[2] == pytest.approx(smallest_p(2, 2))


def test_the_smallest_p_is_that_of_a_complete_separation(make_matrix):
    # The last benchmark ties all of H and all of L, so its variance is smaller.
    scores = [[9 + i, 7 + i, 1] for i in range(6)] + [[i, -i, 0] for i in range(7)]
    matrix = make_matrix(scores)
    found = rank_sum_tests(matrix, build_taxonomy(matrix))
    assert found.smallest == pytest.approx([test.p_value for test in found.tests])
    # U = 42 lies 21 from its mean, variance 42 · 14/12 = 49: z = 3.
    assert found.smallest[:2] == pytest.approx([smallest_p(6, 7)] * 2)
    assert smallest_p(7, 6) == pytest.approx(0.0026997960632601866, rel=1e-12)
    # Variance 42/12 · (14 − (210 + 336)/156) = 36.75: z = 21/√36.75 = 2√3.
    assert found.smallest[2] == pytest.approx(0.0005320055051392492)
    # None of them below 0.01/37, two of them not below 0.0026.
    assert replace(found, alpha=0.01 / 37).n_within_reach == 0
    assert replace(found, alpha=0.0026).n_within_reach == 1
    assert found.n_within_reach == 3


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


def test_without_another_benchmark_that_tells_models_apart_there_is_no_test(make_matrix):
    matrix = make_matrix([[0, 7], [1, 7], [5, 7], [6, 7]])
    found = leave_one_out_tests(matrix, build_taxonomy(matrix))
    only, constant = found.tests
    assert np.isnan([*found.smallest, only.p_value, only.effect_size, constant.p_value]).all()
    assert (constant.effect_size, only.significant, constant.significant) == (0, False, False)


by_items = partial(stability, noise="items")
by_benchmarks = partial(stability, noise="benchmarks")
THREE, TWO_VARY = [[0, 1], [1, 5], [5, 9]], [[0, 1, 5], [1, 0, 5], [2, 2, 5]]


def with_gap(make):
    errors = np.full((4, 3), 0.1)
    errors[2, 1] = np.nan
    return make(np.random.default_rng(4).normal(size=(4, 3)), standard_errors=errors)


@pytest.mark.parametrize(
    ("scores", "n_clusters", "act", "error", "said"),
    [
        *(
            (THREE, 3, test, BadRequestError, "two clusters; there are 3")
            for test in (rank_sum_tests, leave_one_out_tests)
        ),
        (with_gap, 2, by_items, BadRequestError, r"standard error for some scores on b1\.$"),
        (TWO_VARY, 2, by_benchmarks, TooFewError, "from 3 on; 2 of these"),
    ],
)
def test_what_cannot_be_tested_is_one_sentence(make_matrix, scores, n_clusters, act, error, said):
    matrix = scores(make_matrix) if callable(scores) else make_matrix(scores)
    with pytest.raises(error, match=said):
        act(matrix, build_taxonomy(matrix, n_clusters=n_clusters))


N_RESAMPLES = 2_000
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


def test_without_noise_all_comes_out_again(make_matrix, make_benchmark):
    # Turned the wrong way round, the last two benchmarks would cancel out.
    scores = np.random.default_rng(2).normal(size=(12, 4))
    scores[:, 3] = -scores[:, 2]
    benchmarks = [make_benchmark(key, lower_is_better=key == "d") for key in "abcd"]
    matrix = make_matrix(scores, standard_errors=np.zeros((12, 4)), benchmarks=benchmarks)
    for k in range(1, 13):
        tree = build_taxonomy(matrix, n_clusters=k)
        found = stability(matrix, tree, noise="items", n_resamples=5)
        assert (found.support == 1).all()
        assert {value for _, value in found.jaccard} == {1}
        same = np.array(tree.labels)[:, None] == np.array(tree.labels)
        np.testing.assert_array_equal(found.co_clustering, same)


def test_models_left_out_of_the_tree_are_passed_over(make_matrix):
    scores = [[0, 0, 1], [0, 0, 0], [1, 1, 0], [np.nan, 1, 1]]
    matrix = make_matrix(scores, standard_errors=np.where(np.isnan(scores), np.nan, 0.1))
    tree = build_taxonomy(matrix)
    for noise in ("items", "benchmarks"):
        assert stability(matrix, tree, noise=noise, n_resamples=9).co_clustering.shape == (3, 3)


@pytest.fixture
def line(make_matrix):
    def make(n_clusters=2, **scores):
        matrix = make_matrix([[score] for score in scores.values()], models=list(scores))
        return build_taxonomy(matrix, n_clusters=n_clusters)

    return make


def test_table_and_changes(line):
    a = line(p=0, q=1, r=2, s=10, t=11, u=12)
    b = line(u=12, t=11, s=1, r=2, q=0, p=-1)
    found = agreement(a, b)
    assert found.models == ("p", "q", "r", "s", "t", "u")
    assert found.labels_a == ("L", "L", "L", "H", "H", "H")
    assert found.labels_b == ("L", "L", "L", "L", "H", "H")
    assert (found.names_a, found.names_b) == (("H", "L"), ("H", "L"))
    np.testing.assert_array_equal(found.table, [[2, 1], [0, 3]])
    assert found.changed == (("s", "H", "L"),)
    # Hubert and Arabie: pairs together in both 1 + 3, in a 6, in b 1 + 6, of 15.
    chance = 6 * 7 / 15
    assert found.adjusted_rand == pytest.approx((4 - chance) / ((6 + 7) / 2 - chance))


def test_models_of_one_side_only_are_listed_with_the_reason(line):
    a = line(p=0, q=1, r=2, s=10, gone=3)
    b = replace(line(p=0, q=1, r=2, s=10, new=4), excluded=(Exclusion("gone", "no score on b0"),))
    found = agreement(a, b)
    assert found.models == ("p", "q", "r", "s")
    assert found.only_a == (Exclusion("gone", "no score on b0"),)
    assert found.only_b == (Exclusion("new", "not among the models compared"),)


def test_trees_are_pruned_to_the_shared_models(line):
    # Without `gone` between them, q joins p at the height at which the branch of `gone` did.
    a = line(p=0, q=3, gone=2, s=20, t=21)
    found = agreement(a, line(p=0, q=3, s=20, t=21))
    unit = 1 / np.std([0, 3, 2, 20, 21])
    heights = np.array([1, 3, 21]) * unit
    np.testing.assert_allclose(found.tree_a[:, 2], heights)
    np.testing.assert_array_equal(found.tree_a[:, 3], [2, 2, 4])
    assert [found.models[i] for i in found.order_a] == ["t", "s", "q", "p"]


def test_branches_turn_towards_the_other_tree(line):
    # In b the pair (r, s) is the lower one; turned, both trees are in one order.
    a = line(p=13, q=12, r=2, s=0)
    b = line(p=2, q=3, r=11, s=13)
    found = agreement(a, b)
    assert [b.models[i] for i in b.leaf_order] == ["s", "r", "q", "p"]
    assert found.order_a == found.order_b == (0, 1, 2, 3)


@pytest.mark.parametrize("shared", [0, 1, 2])
def test_fewer_than_three_shared_models_are_too_few(line, shared):
    a = line(p=0, q=1, r=2, s=10)
    b = line(**dict.fromkeys("pq"[:shared], 1), x=3, y=4, z=7)
    with pytest.raises(TooFewError, match=f"there (is|are) {shared}"):
        agreement(a, b)
