"""The best model of each category, worked by hand."""

from dataclasses import replace

import pytest

from core.domain import TooFewError
from core.procurement.robustness import best_by_category, by_category
from tests.conftest import a_benchmark, a_bill, a_matrix

EVEN = (("A", 0.5), ("B", 0.5))
# Two benchmarks each in A and B. x and z come to .7, y to .6.
SCORES = {"x": [0.9, 0.9, 0.5, 0.5], "y": [0.4, 0.4, 0.8, 0.8], "z": [0.7, 0.7, 0.7, 0.7]}


@pytest.fixture
def best():
    def compute(scores=SCORES, weights=EVEN, bills=None, *, categories="AABB", kinds=None):
        benchmarks = [a_benchmark(f"{c}{i}", category=c) for i, c in enumerate(categories)]
        matrix = a_matrix(scores, benchmarks, error=0.02)
        table = by_category(matrix, weights, list(scores))
        return best_by_category(table, bills or {}, kinds=kinds)

    return compute


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
    with pytest.raises(TooFewError, match="2 task categories"):
        best(weights=(("A", 1.0),))
    with pytest.raises(TooFewError, match="at least 2 models"):
        best({"x": SCORES["x"]})


KINDS = {"Visits": ("Notes", "A"), "Portal": ("B",), "Forms": ("C",)}


def test_each_category_is_billed_at_its_model(best):
    # x asks 10, 20 and 40 dollars for the lines, and y a tenth of that.
    for lines, kinds, usd, alone, strays in [
        (("A", "B"), None, (10.0, 2.0), (10.0, 20.0), 0.0),
        # A kind of request belongs to the first of its categories that counts; else to the one.
        (("Visits", "Portal", "Forms"), KINDS, (10.0, 2.0), (10.0, 20.0), 40.0),
        (("Visits",), KINDS, (10.0, 0.0), (10.0, 0.0), 0.0),
        # Requests of no category have no shared bill.
        (("Forms",), KINDS, (None, None), (None, None), None),
    ]:
        amounts = {"Visits": 10.0, "A": 10.0, "Portal": 20.0, "B": 20.0, "Forms": 40.0}
        bills = {
            model: replace(a_bill(model, 0.0), lines=tuple((n, amounts[n] * of) for n in lines))
            for model, of in (("x", 1.0), ("y", 0.1))
        }
        found = best(bills=bills, kinds=kinds)
        assert tuple(one.usd for one in found.categories) == usd
        assert tuple(one.single_usd for one in found.categories) == alone
        assert found.strays_usd == strays
        totals = (None, None) if strays is None else (sum(usd) + strays, sum(alone) + strays)
        assert (found.monthly_usd(), found.monthly_usd(single=True)) == totals
        # An unknown price is not free.
        dear = best(bills=bills | {"y": None}, kinds=kinds)
        assert (dear.monthly_usd(), dear.monthly_usd(single=True)) == (None, totals[1])
        assert best(kinds=kinds).monthly_usd(single=True) is None
