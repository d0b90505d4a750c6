"""Trees of models: clusters, names, ties, top branches, and groups of similar models."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.cluster.hierarchy import cophenet, dendrogram, fcluster, is_valid_linkage, linkage
from scipy.spatial.distance import pdist, squareform
from sklearn.metrics import silhouette_score

from core.domain import BadRequestError, Exclusion, TooFewError
from core.statistics import taxonomy as trees
from core.statistics.clusters import rank_sum_tests, silhouettes, stability, suggested_k
from core.statistics.taxonomy import (
    build_taxonomy,
    centres,
    cluster_names,
    collapsed,
    cut,
    distances_between,
    groups_of_similar,
    memberships,
    trees_that_agree,
)

SCORES = [
    [0.71, 0.62, 0.55, 0.40],
    [0.69, 0.65, 0.50, 0.43],
    [0.52, 0.48, 0.51, 0.30],
    [0.33, 0.35, 0.31, 0.22],
    [0.30, 0.28, 0.36, 0.25],
    [0.64, 0.40, 0.58, 0.35],
    [0.35, 0.33, 0.29, 0.31],
    [0.75, 0.70, 0.61, 0.47],
    [0.41, 0.35, 0.44, 0.22],
]
# R 4, the same scores as x:
#   z <- scale(x) * sqrt(9/8)                      # population SD
#   d <- dist(z, "manhattan"); h <- hclust(d, m)   # ward.D2 with dist(z)
#   cor(d, cophenetic(h)); for (k in 2:6) cutree(h, k)
R_CORRELATION = 0.81050329023176  # of the first
R_TREES = {
    "complete": ["111221212", "112332313", "112332314", "112334315", "112334356"],
    "average": ["111221212", "112332313", "112334313", "112334315", "112334356"],
    "single": ["111221212", "112332313", "112334313", "112334353", "112334356"],
    "ward": ["111221212", "112332313", "112332314", "112332345", "112334356"],
}
# g <- cutree(h, 2); w <- wilcox.test(x[g==1,j], x[g==2,j], exact=FALSE, correct=FALSE)
R_RANK_SUM = [
    (20, 0.0143058784354296),
    (20, 0.0139029881643843),
    (20, 0.0143058784354296),
    (19, 0.0268436297759696),
]
PAIRS = [[9, 8, 1], [8, 9, 0], [1, 2, 9], [2, 1, 9.5]]


def partition(labels):
    return {frozenset(i for i, other in enumerate(labels) if other == one) for one in labels}


@pytest.mark.parametrize("linkage", R_TREES)
def test_trees_as_r_gives_them(make_matrix, linkage):
    metric = "euclidean" if linkage == "ward" else "cityblock"
    for k, expected in enumerate(R_TREES[linkage], start=2):
        taxonomy = build_taxonomy(make_matrix(SCORES), n_clusters=k)
        grown = memberships(taxonomy.standardised, k)[metric, linkage]
        assert partition(grown.tolist()) == partition(expected)
        if linkage == "complete":
            assert partition(taxonomy.labels) == partition(expected)
            assert taxonomy.cophenetic_correlation == pytest.approx(R_CORRELATION, abs=1e-12)


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


def test_a_model_at_the_mean_of_all_has_no_angle(make_matrix):
    # The middle model is 0 standard deviations from the mean on both benchmarks.
    tree = build_taxonomy(make_matrix([[0, 2], [1, 1], [2, 0]]))
    assert {metric for metric, _ in memberships(tree.standardised, 2)} == {
        "cityblock",
        "euclidean",
    }
    assert trees_that_agree(tree)[1] == 6


def test_other_trees_of_groups_are_not_counted(make_matrix):
    tree = replace(build_taxonomy(make_matrix(PAIRS)), groups=((0, 1), (2, 3)))
    with pytest.raises(BadRequestError, match="Other trees of 4 models"):
        trees_that_agree(tree)


def test_rank_sum_tests_as_r_gives_them(make_matrix):
    matrix = make_matrix(SCORES)
    found = rank_sum_tests(matrix, build_taxonomy(matrix))
    assert found.alpha == 0.01 / 4
    for test, (u, p) in zip(found.tests, R_RANK_SUM, strict=True):
        assert test.p_value == pytest.approx(p, rel=1e-12)
        assert test.effect_size == pytest.approx(2 * u / 20 - 1, abs=1e-12)
        assert not test.significant


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


def test_significance_is_strictly_below_bonferroni(make_matrix):
    rng = np.random.default_rng(1)
    scores = np.vstack([rng.normal(0.7, 0.02, (12, 2)), rng.normal(0.3, 0.02, (12, 2))])
    scores = np.column_stack([scores, rng.normal(0.5, 0.001, 24)])
    matrix = make_matrix(scores)
    taxonomy = build_taxonomy(matrix)
    found = rank_sum_tests(matrix, taxonomy)
    assert [test.significant for test in found.tests] == [True, True, False]


def test_against_scipy_and_sklearn(make_matrix):
    scores = np.random.default_rng(11).normal(size=(21, 5)).round(1)
    z = (scores - scores.mean(axis=0)) / scores.std(axis=0)
    condensed = pdist(z, "cityblock")
    for k in (2, 3, 5, 20):
        taxonomy = build_taxonomy(make_matrix(scores), n_clusters=k)
        np.testing.assert_allclose(taxonomy.standardised, z, atol=1e-14)
        distances = distances_between(taxonomy, range(21), range(21))
        np.testing.assert_allclose(distances, squareform(condensed), atol=1e-12)
        tree = taxonomy.linkage_matrix
        assert is_valid_linkage(tree)
        assert tuple(dendrogram(tree, no_plot=True)["leaves"]) == taxonomy.leaf_order
        assert taxonomy.cophenetic_correlation == pytest.approx(
            cophenet(tree, condensed)[0], abs=1e-12
        )
        assert len(set(taxonomy.labels)) == k


@pytest.mark.parametrize("k", [2, 3, 5])
def test_thirteen_trees_are_those_of_scipy(make_matrix, k):
    z = build_taxonomy(make_matrix(np.random.default_rng(11).normal(size=(21, 5)))).standardised
    found = memberships(z, k)
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


def test_names_follow_the_mean(make_matrix):
    assert cluster_names(1) == ("H",)
    assert cluster_names(2) == ("H", "L")
    assert cluster_names(3) == ("H", "M", "L")
    assert cluster_names(5) == ("H", "M1", "M2", "M3", "L")
    scores = [[0.1], [0.9], [0.5], [0.3]]
    for k, expected in [(1, "H H H H"), (3, "L H M L"), (4, "L H M1 M2")]:
        assert build_taxonomy(make_matrix(scores), n_clusters=k).labels == tuple(expected.split())


def test_lower_is_better_is_turned(make_matrix, make_benchmark):
    benchmarks = [make_benchmark("harm", lower_is_better=True)]
    matrix = make_matrix([[1], [2], [9], [10]], benchmarks=benchmarks)
    taxonomy = build_taxonomy(matrix)
    assert taxonomy.labels == ("H", "H", "L", "L")
    assert rank_sum_tests(matrix, taxonomy).tests[0].effect_size == 1


def test_exactly_k_clusters_with_ties(make_matrix):
    scores = [[0, 0], [0, 1], [1, 0], [1, 1], [0, 0], [1, 1]]
    for k in range(1, 7):
        taxonomy = build_taxonomy(make_matrix(scores), n_clusters=k)
        assert len(set(taxonomy.labels)) == k


def test_a_constant_benchmark_does_not_count(make_matrix):
    scores = np.column_stack([np.array(SCORES), np.full(9, 0.1)])
    matrix = make_matrix(scores)
    with_it, without = build_taxonomy(matrix), build_taxonomy(make_matrix(SCORES))
    np.testing.assert_allclose(with_it.linkage_matrix, without.linkage_matrix)
    assert (with_it.standardised[:, 4] == 0).all()
    constant = rank_sum_tests(matrix, with_it).tests[4]
    assert np.isnan(constant.p_value)
    assert (constant.effect_size, constant.significant) == (0, False)


def test_silhouettes_per_k(make_matrix):
    taxonomy = build_taxonomy(make_matrix(SCORES))
    found = silhouettes(taxonomy, range(1, 12))
    assert [k for k, value in found.items() if value is None] == [1, 9, 10, 11]
    for k in range(2, 9):
        labels = cut(taxonomy.linkage_matrix, k)
        expected = silhouette_score(taxonomy.standardised, labels, metric="cityblock")
        assert found[k] == pytest.approx(expected, abs=1e-12)


def test_models_that_coincide_have_silhouette_zero(make_matrix):
    taxonomy = build_taxonomy(make_matrix([[0], [0], [0], [1]]), n_clusters=3)
    expected = silhouette_score(taxonomy.standardised, taxonomy.labels, metric="cityblock")
    assert silhouettes(taxonomy, [3])[3] == pytest.approx(expected)


def test_suggested_k_has_the_highest_silhouette(make_matrix):
    groups = [[0.0], [0.1], [5.0], [5.1], [9.0], [9.1]]
    tree = build_taxonomy(make_matrix(groups))
    assert suggested_k(tree) == 3
    assert suggested_k(tree, ks=[5, 2, 4]) == 2
    # Where all are equally far apart, every silhouette is 0, and the smaller k goes first.
    assert suggested_k(build_taxonomy(make_matrix(np.eye(4))), ks=[3, 2]) == 2
    assert suggested_k(build_taxonomy(make_matrix([[0.0], [1.0], [5.0]])), ks=[3, 4]) is None


def test_equal_distances_have_no_cophenetic_correlation(make_matrix):
    taxonomy = build_taxonomy(make_matrix(np.eye(3)))
    assert np.isnan(taxonomy.cophenetic_correlation)


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
    ],
)
def test_errors(make_matrix, scores, options, error, message):
    with pytest.raises(BadRequestError, match=message) as caught:
        build_taxonomy(make_matrix(scores), **options)
    assert type(caught.value) is error


def test_cut_out_of_range(make_matrix):
    tree = build_taxonomy(make_matrix(SCORES)).linkage_matrix
    with pytest.raises(BadRequestError):
        cut(tree, 0)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 5))
def test_the_order_of_the_models_does_not_matter(make_matrix, seed, k):
    rng = np.random.default_rng(seed)
    scores, order = rng.normal(size=(12, 4)), rng.permutation(12)
    names = [f"m{i}" for i in range(12)]
    one = build_taxonomy(make_matrix(scores), n_clusters=k)
    other = build_taxonomy(
        make_matrix(scores[order], models=[names[i] for i in order]), n_clusters=k
    )
    assert dict(zip(one.models, one.labels, strict=True)) == dict(
        zip(other.models, other.labels, strict=True)
    )
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


def test_one_branch_is_the_whole_tree(make_matrix):
    tree = build_taxonomy(make_matrix([[0], [1], [5]]))
    found = collapsed(tree, 1)
    assert found.branches == (tree.leaf_order,)
    assert found.linkage_matrix.shape == (0, 4)


@pytest.fixture(scope="module")
def planted_clusters(make_matrix):
    """12,000 models in three planted clusters, and who belongs where."""
    rng = np.random.default_rng(1)
    cluster = rng.integers(0, 3, 12_000)
    scores = np.array([0.8, 0.5, 0.2])[cluster][:, None] + rng.normal(0, 0.03, (12_000, 5))
    return make_matrix(scores), np.array(["H", "M", "L"])[cluster]


@pytest.mark.slow
def test_twelve_thousand_models_come_out_in_their_clusters(planted_clusters):
    matrix, planted = planted_clusters
    tree = build_taxonomy(matrix, n_clusters=3)
    assert tree.labels == tuple(planted)
    assert len(tree.linkage_matrix) + 1 == len(tree.groups) <= 2000
    assert sorted(model for group in tree.groups for model in group) == list(range(12_000))
    assert sorted(tree.leaf_order) == list(range(12_000))
    in_order = [tree.labels[i] for i in tree.leaf_order]
    assert in_order == sorted(in_order, key="HML".index)
    assert tree.cophenetic_correlation > 0.8
    found = silhouettes(tree, [2, 3, 4])
    assert max(found, key=found.get) == 3
    top = collapsed(tree, 20)
    assert sum(top.branches, ()) == tree.leaf_order
    assert {len({planted[i] for i in branch}) for branch in top.branches} == {1}
    with pytest.raises(BadRequestError, match="tree of 12000 models is not computed"):
        stability(matrix, tree, noise="benchmarks")


def test_groups_come_out_again(planted_clusters):
    points = planted_clusters[0].scores[:3000]
    once, again = (groups_of_similar(points, 50) for _ in range(2))
    assert once == again
    assert len(once) <= 50
    means = centres(points, once)
    for group, mean in zip(once, means, strict=True):
        np.testing.assert_allclose(mean, points[list(group)].mean(axis=0))
    # Within a group models lie closer together than over all.
    apart = np.concatenate([points[list(g)] - m for g, m in zip(once, means, strict=True)])
    assert np.square(apart).sum() < 0.05 * np.square(points - points.mean(axis=0)).sum()


def test_models_that_coincide_are_one_group():
    points = np.array([[1.0, 2.0], [0.0, 0.0], [1.0, 2.0], [3.0, 1.0]])
    assert groups_of_similar(points, 10) == ((0, 2), (1,), (3,))


def test_a_tree_over_groups_of_one_is_the_tree_over_models(make_matrix, monkeypatch):
    matrix = make_matrix(np.random.default_rng(9).normal(size=(40, 4)))
    plain = build_taxonomy(matrix, n_clusters=4)
    monkeypatch.setattr(trees, "MOST_LEAVES", 39)
    grouped = build_taxonomy(matrix, n_clusters=4)
    assert grouped.groups == tuple((i,) for i in range(40))
    assert grouped.labels == plain.labels
    assert grouped.leaf_order == plain.leaf_order
    np.testing.assert_allclose(grouped.linkage_matrix, plain.linkage_matrix)
    assert grouped.cophenetic_correlation == pytest.approx(plain.cophenetic_correlation)
    assert collapsed(grouped, 5).branches == collapsed(plain, 5).branches
    assert silhouettes(grouped, [3])[3] == pytest.approx(silhouettes(plain, [3])[3])


def test_models_that_coincide_share_a_leaf_of_a_tree_over_groups(make_matrix, monkeypatch):
    matrix = make_matrix([[0], [1], [4], [4], [4], [6]])
    plain = build_taxonomy(matrix, n_clusters=2)
    monkeypatch.setattr(trees, "MOST_LEAVES", 5)
    grouped = build_taxonomy(matrix, n_clusters=2)
    assert grouped.groups == ((0,), (1,), (2, 3, 4), (5,))
    assert grouped.labels == plain.labels == ("L", "L", "H", "H", "H", "H")
    with pytest.raises(BadRequestError, match="from 1 to 4"):
        build_taxonomy(matrix, n_clusters=5)
