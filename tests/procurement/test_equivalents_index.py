"""All equivalents at once, against going through every pair of models in plain Python."""

from itertools import pairwise

import numpy as np
import pytest

from core.domain import Equivalent
from core.procurement import candidates as module
from core.procurement.equivalents import best, candidates_of_each, equivalent_of, equivalents
from core.statistics.difference import combine, differences, verdict
from core.statistics.taxonomy import build_taxonomy

MARGIN = 0.05


def best_of_each(asked, *, models, margin, **world):
    """Name the best equivalent of each model that has one."""
    found = candidates_of_each(asked, models=models, **world).best(models, margin)
    assert list(found.position) == sorted(found.position)
    return {model: equivalent_of(found, model) for model in found.position}


def one_by_one(model, world, *, among=None, same_cluster_only=False, limit=None):
    """Equivalents of a model by the definition, pair by pair."""
    found = []
    models, bills, trees = world["models"], world["bills"], world["taxonomies"]
    for other in sorted(set.intersection(*(set(tree.models) for tree in trees))):
        places = [(tree.models.index(model), tree.models.index(other)) for tree in trees]
        pairs = [(tree, *place) for tree, place in zip(trees, places, strict=True)]
        mates = all(tree.labels[i] == tree.labels[j] for tree, i, j in pairs)
        known = [bills.get(name) for name in (model, other)]
        by_bill = None not in known
        costs = [bill.monthly_usd for bill in known] if by_bill else []
        costs = costs or [models[name].params_b for name in (model, other)]
        if (
            other == model
            or (among is not None and other not in among)
            or (same_cluster_only and not mates)
            or None in costs
            or costs[0] == 0
            or 1 - costs[1] / costs[0] < 0.01
        ):
            continue
        distance = sum(
            float(sum(abs(tree.standardised[i] - tree.standardised[j]))) for tree, i, j in pairs
        )
        found.append((distance, other, mates, "bill" if by_bill else "parameters", costs))
    result = []
    for distance, other, mates, by, costs in sorted(found, key=lambda f: f[:2])[:limit]:
        parts = [
            differences(matrix, [other], model, weights=None if i else world["weights"])[0]
            for i, matrix in enumerate(world["matrices"])
        ]
        gap = parts[0] if len(parts) == 1 else combine(parts)
        bill = bills.get(other)
        result.append(
            Equivalent(
                model=other,
                name=models[other].name,
                params_b=models[other].params_b,
                monthly_usd=None if bill is None else bill.monthly_usd,
                distance=distance,
                same_cluster=mates,
                difference=gap,
                verdict=verdict(gap, world["margin"]),
                cheaper_by=by,
                saving_share=1 - costs[1] / costs[0],
            )
        )
    return tuple(result)


@pytest.fixture(params=[1, 2], ids=["one suite", "two suites"])
def world(request, make_matrix, make_model, make_bill):
    """Seventy models with coarse scores, so that many distances, sizes and bills are equal."""
    rng = np.random.default_rng(request.param)
    names = [f"m{i:02}" for i in rng.permutation(70)]
    matrices = []
    for number in range(request.param):
        scores = np.round(rng.uniform(0, 1, (70, 4)) * 4) / 4
        scores[rng.uniform(size=70) < 0.1, 0] = np.nan  # so not every model is in every tree
        scores[50:] = scores[30:50]  # twins
        rows = dict(zip(names, scores.tolist(), strict=True))
        matrices.append(make_matrix(rows, error=0.02 if number == 0 else np.nan, suite=str(number)))
    sizes = rng.choice([0.0, 1.0, 7.0, 7.03, 8.0, 70.0, None], size=70)
    usd = rng.choice([0.0, 10.0, 10.05, 20.0, 90.0, None, None], size=70)
    return {
        "matrices": matrices,
        "taxonomies": [build_taxonomy(matrix, n_clusters=3) for matrix in matrices],
        "models": {n: make_model(n, params_b=s) for n, s in zip(names, sizes, strict=True)},
        "bills": {
            n: None if u is None else make_bill(n, u) for n, u in zip(names, usd, strict=True)
        },
        "margin": MARGIN,
        "weights": {"b0": 1.0, "b1": 2.0, "b3": 0.5},
    }


def in_every_tree(world):
    return sorted(set.intersection(*(set(tree.models) for tree in world["taxonomies"])))


def test_the_world_has_ties_of_distance_and_every_verdict(world):
    found = [one_by_one(model, world, same_cluster_only=True) for model in in_every_tree(world)]
    assert {e.verdict for candidates in found for e in candidates} == {
        "equivalent",
        "cannot tell",
        "worse",
    }
    assert any(a.distance == b.distance for candidates in found for a, b in pairwise(candidates))


@pytest.mark.parametrize("how", [{}, {"limit": 3}, {"same_cluster_only": True, "limit": 5}])
def test_the_candidates_of_one_model_are_those_of_the_definition(world, how):
    for model in in_every_tree(world):
        same(equivalents(model, **world, **how), one_by_one(model, world, **how))


def same(found, expected):
    """Assert equality to the last digit of all but intervals, which may be summed otherwise."""
    plain = ["model", "name", "params_b", "monthly_usd", "distance", "same_cluster", "verdict"]
    plain += ["cheaper_by", "saving_share"]
    assert [[getattr(e, name) for name in plain] for e in found] == [
        [getattr(e, name) for name in plain] for e in expected
    ]
    for one, other in zip(found, expected, strict=True):
        gap, wanted = one.difference, other.difference
        assert (gap.model, gap.other, gap.basis) == (wanted.model, wanted.other, wanted.basis)
        assert gap.n_benchmarks == wanted.n_benchmarks
        for name in ("difference", "ci_low", "ci_high"):
            assert getattr(gap, name) == pytest.approx(getattr(wanted, name), abs=1e-12)


@pytest.mark.parametrize("limit", [1, 4, None])
@pytest.mark.parametrize("cells", [1, 100, 200_000], ids=["row by row", "blocks", "at once"])
def test_the_best_of_each_is_that_of_the_definition(world, monkeypatch, limit, cells):
    monkeypatch.setattr(module, "_CELLS", cells)
    asked = in_every_tree(world)[::2]
    found = best_of_each(asked, **world, limit=limit)
    expected = {
        model: best(one_by_one(model, world, among=asked, same_cluster_only=True, limit=limit))
        for model in asked
    }
    expected = {model: e for model, e in expected.items() if e is not None}
    assert sorted(found) == sorted(expected)
    assert len(found) < len(asked)
    same([found[model] for model in sorted(found)], [expected[m] for m in sorted(expected)])


def test_without_models_there_is_nothing_to_name(world):
    assert best_of_each([], **world) == {}


def test_the_margin_moves_the_best_to_another_candidate(make_matrix, make_tree, make_model):
    scores = {"big": [0.80], "near": [0.77], "level": [0.80]}
    world = {
        "matrices": [make_matrix(scores, error=0.005)],
        "taxonomies": [
            make_tree(dict.fromkeys(scores, "H"), {("big", "near"): 0.1, ("big", "level"): 0.2})
        ],
        "models": {n: make_model(n, params_b=b) for n, b in zip(scores, (9, 3, 3), strict=True)},
        "bills": {},
    }
    # near: −0.03 ± 0.014, so worse than 1 point, equivalent within 5; level: 0 ± 0.014.
    assert best_of_each(list(scores), **world, margin=0.05)["big"].model == "near"
    assert best_of_each(list(scores), **world, margin=0.02)["big"].model == "level"
    assert best_of_each(list(scores), **world, margin=0.01)["big"].model == "level"
    assert best_of_each(list(scores), **world, margin=0.01, limit=1)["big"].verdict == "worse"
    assert list(best_of_each(list(scores), **world, margin=0.01)) == ["big"]
