"""The taxonomy paper's rule: what a saving is, who is closest, and what the verdict hangs on."""

from math import sqrt

import pytest

from core.domain import BadRequestError, Exclusion
from core.procurement.replacement import equivalents
from tests.conftest import a_matrix, a_model, a_tree

ERROR = 0.01


@pytest.fixture
def world():
    """`big` and four smaller models: `near` and `level` in its cluster, `far` and `blank` not."""
    scores = {
        "near": [0.78, 0.80],  # −0.01
        "big": [0.80, 0.80],
        "level": [0.80, 0.80],
        "far": [0.40, 0.40],
        "blank": [0.80, 0.80],
    }
    sizes = {"big": 100.0, "near": 50.0, "level": 25.0, "far": 10.0, "blank": None}
    distances = {("big", "near"): 0.1, ("big", "level"): 0.2, ("big", "far"): 3.0}
    return {
        "matrices": [a_matrix(scores, error=ERROR)],
        "taxonomies": [
            a_tree({"big": "H", "near": "H", "level": "H", "far": "L", "blank": "H"}, distances)
        ],
        "models": {model: a_model(model, params_b=size) for model, size in sizes.items()},
        "margin": 0.02,
    }


def names(found):
    return [candidate.model for candidate in found]


def test_candidates_come_closest_first_and_an_unknown_size_is_no_saving(world):
    found = equivalents("big", **world)
    assert names(found) == ["near", "level", "far"]
    assert [candidate.distance for candidate in found] == [0.1, 0.2, 3.0]
    assert [candidate.same_cluster for candidate in found] == [True, True, False]
    assert [candidate.saving_share for candidate in found] == [0.5, 0.75, 0.9]
    # A model of unknown size has no candidates.
    assert equivalents("blank", **world) == ()


def test_over_two_suites_distances_add_and_the_cluster_must_be_the_same_in_both(world):
    second = a_tree(
        {"near": "L", "big": "H", "level": "H", "blank": "H"},
        {("big", "near"): 0.4, ("big", "level"): 0.1},
        suite="second",
    )
    other = a_matrix(
        {"big": [0.5], "near": [0.9], "level": [0.4], "blank": [0.5]}, error=ERROR, suite="second"
    )
    both = world | {
        "taxonomies": [*world["taxonomies"], second],
        "matrices": [*world["matrices"], other],
    }
    level, near = equivalents("big", **both)  # far is not in the second suite
    assert (level.model, near.model) == ("level", "near")
    assert level.distance == pytest.approx(0.3)
    assert near.distance == pytest.approx(0.5)
    assert (level.same_cluster, near.same_cluster) == (True, False)
    assert level.difference.difference == pytest.approx((0.0 - 0.1) / 2)
    assert near.difference.difference == pytest.approx((-0.01 + 0.4) / 2)
    # Two benchmarks of error .01 √2 in the first suite, one in the second: √(.0001 + .0002) / 2.
    half = 1.959964 * sqrt(0.0003) / 2
    assert near.difference.ci_low == pytest.approx(0.195 - half, abs=1e-6)
    assert near.difference.n_benchmarks == 3


def test_a_model_that_was_left_out_is_refused_with_its_reason(world):
    tree = a_tree(
        {"big": "H", "near": "H"}, excluded=[Exclusion("level", "no score on MedQA")], suite="exams"
    )
    world = world | {"taxonomies": [tree]}
    with pytest.raises(BadRequestError, match=r'"level" was left out: no score on MedQA \(exams\)'):
        equivalents("level", **world)
    with pytest.raises(
        BadRequestError, match=r'"x+" is not among the models compared \(exams\)'
    ) as e:
        equivalents("x" * 9999, **world)
    assert len(str(e.value)) < 200


@pytest.mark.parametrize(
    ("candidate", "model", "expected"),
    [
        (99.0, 100.0, 0.01),
        (99.1, 100.0, None),  # below 1 %
        (8.0, 8.03, None),
        (100.0, 100.0, None),
        (101.0, 100.0, None),
        (None, 100.0, None),
        (1.0, None, None),
        (None, None, None),
    ],
)
def test_a_saving_takes_both_sizes_and_1_percent(world, candidate, model, expected):
    sizes = {"big": model, "near": candidate}
    models = {name: a_model(name, params_b=sizes.get(name)) for name in world["models"]}
    found = equivalents("big", **world | {"models": models})
    assert [each.saving_share for each in found] == ([pytest.approx(expected)] if expected else [])
