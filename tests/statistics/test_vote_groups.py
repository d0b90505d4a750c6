import numpy as np
import pytest

from core.answers import data
from core.domain import BadRequestError, Selection, TooFewError
from core.statistics.vote_groups import one_vote_per_group, similar_first, vote_groups

# Columns with the correlations r(b0, b1) = 0.8, r(b2, b3) = -0.8 and 0 between the two pairs,
# since the four vectors beneath are orthogonal and of one length.
_A, _B, _C, _D = (
    np.array([1, 1, 1, 1, -1, -1, -1, -1]),
    np.array([1, 1, -1, -1, 1, 1, -1, -1]),
    np.array([1, -1, 1, -1, 1, -1, 1, -1]),
    np.array([1, -1, -1, 1, 1, -1, -1, 1]),
)
SCORES = np.column_stack([_A, 0.8 * _A + 0.6 * _B, _C, 0.6 * _D - 0.8 * _C])


@pytest.mark.parametrize(
    ("threshold", "groups"),
    [
        (0.81, (("b0",), ("b1",), ("b2",), ("b3",))),
        (0.8, (("b0", "b1"), ("b2", "b3"))),
        (0.01, (("b0", "b1"), ("b2", "b3"))),
        (0, (("b0", "b1", "b2", "b3"),)),
    ],
)
def test_groups_by_hand(make_matrix, threshold, groups):
    assert vote_groups(make_matrix(SCORES), threshold) == groups


def test_linkage_is_the_mean_over_pairs(make_matrix):
    # r(a, b) = 0.8, r(a, c) = 0.96, r(b, c) = 0.768.
    a, b = SCORES[:, 0], SCORES[:, 1]
    c = 0.96 * _A + 0.28 * _C
    matrix = make_matrix(np.column_stack([a, b, c]))
    # First a and c (0.96), then b at (0.8 + 0.768)/2 = 0.784.
    assert vote_groups(matrix, 0.785) == (("b0", "b2"), ("b1",))
    assert vote_groups(matrix, 0.783) == (("b0", "b1", "b2"),)


def test_real_suites_as_r_gives_them(bundled):
    # R 4: cutree(hclust(as.dist(1 - abs(cor(x))), "average"), h=0.2)
    medhelm = data.matrix(bundled, Selection("medhelm", include_flagged=True))
    numbers = [
        *(1, 2, 3, 4, 5, 6, 1, 1, 1, 7, 8, 9, 1, 10, 11, 12, 13, 6, 11, 1, 14, 15, 11, 7, 16, 17),
        *(18, 19, 20, 21, 22, 23, 24, 13, 25, 11, 26),
    ]
    expected = [
        tuple(b.id for b, of in zip(medhelm.benchmarks, numbers, strict=True) if of == number)
        for number in range(1, 27)
    ]
    assert list(vote_groups(medhelm)) == expected
    # ... h=0.05
    exams = data.matrix(bundled, Selection("open-medical-llm", include_flagged=True))
    assert vote_groups(exams, 0.95) == (
        ("medmcqa", "medqa"),
        ("mmlu_anatomy",),
        (
            "mmlu_clinical_knowledge",
            "mmlu_college_biology",
            "mmlu_college_medicine",
            "mmlu_medical_genetics",
            "mmlu_professional_medicine",
        ),
        ("pubmedqa",),
    )
    assert [len(group) for group in vote_groups(exams)] == [8, 1]


def test_a_constant_benchmark_stands_alone(make_matrix):
    matrix = make_matrix(np.column_stack([np.full(8, 0.1), _A, _A, np.full(8, 0.1)]))
    assert vote_groups(matrix, 0.5) == (("b0",), ("b1", "b2"), ("b3",))
    assert vote_groups(matrix, 0) == (("b0",), ("b1", "b2"), ("b3",))


def test_groups_stand_together_in_the_order(make_matrix, bundled):
    shuffled = make_matrix(SCORES[:, [2, 0, 3, 1]])
    assert vote_groups(shuffled) == (("b0", "b2"), ("b1", "b3"))
    assert similar_first(shuffled) in [
        (*first, *second)
        for first in (("b0", "b2"), ("b2", "b0"))
        for second in (("b1", "b3"), ("b3", "b1"))
    ]
    medhelm = data.matrix(bundled, Selection("medhelm"))
    order = similar_first(medhelm)
    assert sorted(order) == sorted(benchmark.id for benchmark in medhelm.benchmarks)
    for group in vote_groups(medhelm):
        places = sorted(order.index(benchmark) for benchmark in group)
        assert places[-1] - places[0] == len(group) - 1


def test_six_subjects_are_one_vote():
    weights = {f"mmlu{i}": 1 / 9 for i in range(6)} | dict.fromkeys(("x", "y", "z"), 1 / 9)
    found = one_vote_per_group(weights, [[f"mmlu{i}" for i in range(6)], ["x"], ["y"], ["z"]])
    assert list(found) == list(weights)
    assert [found[key] for key in ("x", "y", "z")] == pytest.approx([1 / 4] * 3)
    assert [found[f"mmlu{i}"] for i in range(6)] == pytest.approx([1 / 24] * 6)


def test_each_category_keeps_its_weight():
    weights = {"a1": 0.2, "a2": 0.2, "a3": 0.2, "b1": 0.2, "b2": 0.2}
    categories = {"a1": "a", "a2": "a", "a3": "a", "b1": "b", "b2": "b"}
    found = one_vote_per_group(weights, [["a1", "a2", "b1"], ["a3"], ["b2"]], categories)
    # In a: two votes of 0.3 each. In b the group has one member, so nothing changes.
    assert found == pytest.approx({"a1": 0.15, "a2": 0.15, "a3": 0.3, "b1": 0.2, "b2": 0.2})


def test_unequal_weights_are_shared_in_their_proportion():
    # The group's vote is the mean of 1 and 3; with 2 and 2 the total of 6 becomes 3 and 3.
    found = one_vote_per_group({"a": 1, "b": 3, "c": 2}, [["a", "b"], ["c"]])
    assert found == pytest.approx({"a": 0.75, "b": 2.25, "c": 3})


def test_benchmarks_without_weight_or_group():
    # g1 has no weight and takes no part of its group's vote; c is in no group.
    found = one_vote_per_group({"g0": 1, "g1": 0, "c": 1}, [["g0", "g1", "elsewhere"]])
    assert found == {"g0": 1, "g1": 0, "c": 1}
    assert one_vote_per_group({}, [["g0"]]) == {}
    assert one_vote_per_group({"a": 0.0}, []) == {"a": 0.0}


def test_errors(make_matrix):
    with pytest.raises(BadRequestError, match="from 0 to 1; it is 80"):
        vote_groups(make_matrix(SCORES), 80)
    with pytest.raises(TooFewError, match="at least 2 benchmarks"):
        vote_groups(make_matrix(SCORES[:, :1]))
    with pytest.raises(TooFewError, match="at least 3 models"):
        similar_first(make_matrix(SCORES[:2]))
