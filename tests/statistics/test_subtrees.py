"""Branches of a tree by their models, and a branch drawn as a tree of its own."""

import numpy as np
import pytest
from scipy.cluster.hierarchy import is_valid_linkage

from core.statistics import taxonomy as trees
from core.statistics.branches import branches, subtree
from core.statistics.taxonomy import build_taxonomy


def test_branches_by_hand(make_matrix):
    # From the left: 10 and 9, 5, then 1 and 0. Complete linkage joins 1 and 0, 10 and 9 (both at
    # 1), then 5 with one of the pairs at 5 (a tie), then all at 10.
    tree = build_taxonomy(make_matrix([[0], [10], [5], [1], [9]]), n_clusters=2)
    found = branches(tree)
    runs = {(branch.start, branch.stop) for branch in found}
    assert {(0, 2), (3, 5), (0, 5)} <= runs
    assert runs - {(0, 2), (3, 5), (0, 5)} <= {(0, 3), (2, 5)}
    heights = [branch.height * np.std([0, 10, 5, 1, 9]) for branch in found]
    np.testing.assert_allclose(heights, [1, 1, 5, 10])
    assert [branch.merge for branch in found] == [0, 1, 2, 3]


def test_every_branch_holds_the_models_under_its_merge(make_matrix):
    tree = build_taxonomy(make_matrix(np.random.default_rng(3).normal(size=(25, 3))))
    under = [{i} for i in range(25)]
    for branch, (left, right) in zip(
        branches(tree), tree.linkage_matrix[:, :2].astype(int), strict=True
    ):
        under.append(under[left] | under[right])
        assert set(tree.leaf_order[branch.start : branch.stop]) == under[-1]


@pytest.mark.parametrize("merge", [0, 5, 20, 23])
def test_a_branch_keeps_its_part_of_the_tree(make_matrix, merge):
    tree = build_taxonomy(make_matrix(np.random.default_rng(3).normal(size=(25, 3))), n_clusters=3)
    branch = branches(tree)[merge]
    part = subtree(tree, branch)
    inside = tree.leaf_order[branch.start : branch.stop]
    assert part.models == tuple(tree.models[i] for i in inside)
    assert part.labels == tuple(tree.labels[i] for i in inside)
    assert part.leaf_order == tuple(range(len(inside)))
    np.testing.assert_array_equal(part.standardised, tree.standardised[list(inside)])
    assert is_valid_linkage(part.linkage_matrix)
    heights = {
        b.height for b in branches(tree) if branch.start <= b.start and b.stop <= branch.stop
    }
    assert set(part.linkage_matrix[:, 2]) == heights
    assert np.isnan(part.cophenetic_correlation)
    again = [(b.start + branch.start, b.stop + branch.start) for b in branches(part)]
    assert set(again) <= {(b.start, b.stop) for b in branches(tree)}


def test_of_a_tree_over_groups_a_branch_keeps_whole_groups(make_matrix, monkeypatch):
    monkeypatch.setattr(trees, "MOST_LEAVES", 5)
    scores = np.repeat(np.random.default_rng(2).normal(size=(20, 3)), 3, axis=0)
    tree = build_taxonomy(make_matrix(scores))
    assert {len(group) for group in tree.groups} == {3}
    assert branches(tree)[-1].stop == 60
    for branch in branches(tree):
        part = subtree(tree, branch)
        named = {frozenset(part.models[i] for i in group) for group in part.groups}
        whole = {frozenset(tree.models[i] for i in group) for group in tree.groups}
        assert named <= whole
        assert sum(map(len, part.groups)) == len(part.models) == branch.stop - branch.start
        assert len(part.linkage_matrix) == len(part.groups) - 1
