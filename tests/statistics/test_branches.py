"""Parts of a tree: its top branches, and groups of similar models."""

import numpy as np
import pytest
from scipy.cluster.hierarchy import dendrogram, is_valid_linkage

from core.domain import BadRequestError
from core.statistics import taxonomy as trees
from core.statistics.clusters import silhouettes, stability
from core.statistics.taxonomy import build_taxonomy, centres, collapsed, groups_of_similar


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
