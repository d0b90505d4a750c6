"""Two taxonomies of one cohort, worked out by hand."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.cluster.hierarchy import dendrogram, is_valid_linkage

from core.domain import BadRequestError, Exclusion, TooFewError
from core.statistics.clusters import agreement, entanglement
from core.statistics.taxonomy import build_taxonomy


@pytest.fixture
def line(make_matrix):
    """Taxonomy of models on one benchmark, by name and score."""

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


def test_a_taxonomy_agrees_with_itself(line):
    tree = line(p=0, q=1, r=5, s=10, t=12, n_clusters=3)
    found = agreement(tree, tree)
    assert (found.adjusted_rand, found.entanglement) == (1, 0)
    assert (found.changed, found.only_a, found.only_b) == ((), (), ())
    assert found.names_a == ("H", "M", "L")
    assert found.order_a == found.order_b == tree.leaf_order
    np.testing.assert_array_equal(found.tree_a, tree.linkage_matrix)


def test_different_numbers_of_clusters(line):
    scores = {"p": 0, "q": 1, "r": 5, "s": 10, "t": 12}
    found = agreement(line(**scores, n_clusters=3), line(**scores))
    np.testing.assert_array_equal(found.table, [[2, 0], [0, 1], [0, 2]])
    assert found.changed == (("r", "M", "L"),)


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
    # In b the pair (r, s) is the lower one; turned, both trees stand in one order.
    a = line(p=13, q=12, r=2, s=0)
    b = line(p=2, q=3, r=11, s=13)
    found = agreement(a, b)
    assert [b.models[i] for i in b.leaf_order] == ["s", "r", "q", "p"]
    assert found.order_a == found.order_b == (0, 1, 2, 3)
    assert found.entanglement == 0


def test_entanglement_by_hand():
    assert entanglement([0, 1, 2, 3], [3, 2, 1, 0]) == 1
    # One swap of neighbours moves two models by 1; the reverse moves two by 3 and two by 1.
    assert entanglement([2, 0, 1, 3], [0, 2, 1, 3]) == pytest.approx(2 / (2 * 3**1.5 + 2))


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.integers(3, 12))
def test_orders_are_those_that_the_trees_are_drawn_in(make_matrix, seed, n_shared):
    rng = np.random.default_rng(seed)
    names = [f"m{i}" for i in range(15)]
    some = rng.permutation(names)[: n_shared + 2].tolist()
    a = build_taxonomy(make_matrix(rng.normal(size=(15, 4)), models=names))
    b = build_taxonomy(make_matrix(rng.normal(size=(n_shared + 2, 3)), models=some))
    found = agreement(a, b)
    assert set(found.models) == set(some)
    for tree, order in ((found.tree_a, found.order_a), (found.tree_b, found.order_b)):
        assert is_valid_linkage(tree)
        assert tuple(dendrogram(tree, no_plot=True)["leaves"]) == order
    there = [model for model in (a.models[i] for i in a.leaf_order) if model in some]
    assert [found.models[i] for i in found.order_a] == there
    assert found.table.sum() == len(some)
    assert 0 <= found.entanglement <= 1


@pytest.mark.parametrize("shared", [0, 1, 2])
def test_fewer_than_three_shared_models_are_too_few(line, shared):
    a = line(p=0, q=1, r=2, s=10)
    b = line(**dict.fromkeys("pq"[:shared], 1), x=3, y=4, z=7)
    with pytest.raises(TooFewError, match=f"there (is|are) {shared}"):
        agreement(a, b)


def test_trees_over_groups_are_refused(line):
    tree = line(p=0, q=1, r=2)
    with pytest.raises(BadRequestError, match="choose fewer models"):
        agreement(tree, replace(tree, groups=((0,), (1,), (2,))))
