"""The best model of each category, worked by hand."""

from dataclasses import replace

import pytest

from core.domain import TooFewError
from core.procurement.monthly_cost import best_by_category, split_total
from core.procurement.requirements import by_category

EVEN = (("A", 0.5), ("B", 0.5))
# Two benchmarks each in A and B. x and z come to .7, y to .6.
SCORES = {"x": [0.9, 0.9, 0.5, 0.5], "y": [0.4, 0.4, 0.8, 0.8], "z": [0.7, 0.7, 0.7, 0.7]}


@pytest.fixture
def best(make_matrix, make_benchmark):
    def compute(scores=SCORES, weights=EVEN, bills=None, *, categories="AABB"):
        benchmarks = [make_benchmark(f"{c}{i}", category=c) for i, c in enumerate(categories)]
        matrix = make_matrix(scores, benchmarks, error=0.02)
        return best_by_category(by_category(matrix, weights, list(scores)), bills or {})

    return compute


@pytest.fixture
def priced(make_bill):
    def make(**usd):
        return {
            model: replace(
                make_bill(model, sum(lines)), lines=tuple(zip("ABC", lines, strict=False))
            )
            for model, lines in usd.items()
        }

    return make


def test_each_category_goes_to_its_best_beside_the_best_over_all(best):
    found = best()
    assert found.single == "x"  # .7 as z, and before it by id
    assert [(one.category, one.model) for one in found.categories] == [("A", "x"), ("B", "y")]
    told = [(one.weight, one.n_benchmarks, one.score) for one in found.categories]
    assert told == [(0.5, 2, pytest.approx(0.9)), (0.5, 2, pytest.approx(0.8))]
    assert [one.single_score for one in found.categories] == pytest.approx([0.9, 0.5])
    assert found.gain == pytest.approx(0.15)
    # Three quarters on A: x has .8 alone, and .875 with y.
    assert best(weights=(("A", 3.0), ("B", 1.0))).gain == pytest.approx(0.075)


def test_the_bill_adds_each_category_at_its_model(best, priced):
    found = best(bills=priced(x=(10.0, 20.0), y=(1.0, 2.0), z=(5.0, 5.0)))
    assert [(line.model, line.usd) for line in found.lines] == [("x", 10.0), ("y", 2.0)]
    assert (split_total(found.lines), split_total(found.single_lines)) == (12.0, 30.0)
    unpriced = best(bills=priced(x=(10.0, 20.0)) | {"y": None})
    assert (split_total(unpriced.lines), split_total(unpriced.single_lines)) == (None, 30.0)
    assert split_total(best().single_lines) is None


def test_too_few(best):
    with pytest.raises(TooFewError, match="2 task categories"):
        best(weights=(("A", 1.0),))
    with pytest.raises(TooFewError, match="at least 2 models"):
        best({"x": SCORES["x"]})
