"""A workload that several models share, worked by hand."""

from dataclasses import replace

import pytest

from core.procurement.bill import SplitLine, split_bill, split_total
from core.procurement.portfolio import portfolios

ASSIGNED = (("Notes", "x"), ("Messages", "y"))
KINDS = {
    "Visit notes": ("Documenting visits", "Notes"),
    "Portal messages": ("Messaging", "Messages"),
    "Prior authorisations": ("Finance", "Administration"),
}


@pytest.fixture
def priced(make_bill):
    def make(**lines):
        return {
            model: replace(make_bill(model, sum(usd.values())), lines=tuple(usd.items()))
            for model, usd in lines.items()
        }

    return make


def test_each_category_is_billed_at_its_model(priced):
    bills = priced(x={"Notes": 10.0, "Messages": 20.0}, y={"Notes": 1.0, "Messages": 2.0})
    lines = split_bill(ASSIGNED, bills, stand_in="x")
    assert lines == (
        SplitLine("Notes", "Notes", "x", 10.0),
        SplitLine("Messages", "Messages", "y", 2.0),
    )
    assert split_total(lines) == 12.0


def test_a_kind_goes_to_the_model_of_its_category_else_to_the_stand_in(priced):
    usd = {"Visit notes": 10.0, "Portal messages": 20.0, "Prior authorisations": 40.0}
    bills = priced(x=usd, y={kind: amount / 10 for kind, amount in usd.items()})
    lines = split_bill(ASSIGNED, bills, stand_in="y", kinds=KINDS)
    assert [(line.category, line.model, line.usd) for line in lines] == [
        ("Notes", "x", 10.0),
        ("Messages", "y", 2.0),
        ("", "y", 4.0),
    ]
    assert split_total(lines) == 16.0


def test_a_kind_belongs_to_its_subcategory_first(priced):
    usd = {"Visit notes": 10.0}
    bills = priced(x=usd, y={"Visit notes": 1.0})
    assigned = (("Notes", "x"), ("Documenting visits", "y"))
    (line,) = split_bill(assigned, bills, stand_in="x", kinds=KINDS)
    assert (line.category, line.model, line.usd) == ("Documenting visits", "y", 1.0)


def test_without_requests_of_a_category_nothing_is_billed_there(priced):
    bills = priced(x={"Visit notes": 10.0}, y={"Visit notes": 1.0})
    lines = split_bill(ASSIGNED, bills, stand_in="y", kinds=KINDS)
    assert split_total(lines) == 10.0
    # A bill by category that lacks one is not known, since nobody said there are no requests.
    lines = split_bill(ASSIGNED, priced(x={"Notes": 10.0}, y={"Notes": 1.0}), stand_in="x")
    assert [line.usd for line in lines] == [10.0, None]
    assert split_total(lines) is None


def test_requests_of_no_category_have_no_shared_bill(priced):
    bills = priced(x={"Prior authorisations": 40.0}, y={"Prior authorisations": 4.0})
    lines = split_bill(ASSIGNED, bills, stand_in="y", kinds=KINDS)
    assert [(line.category, line.model) for line in lines] == [("", "y")]
    assert split_total(lines) is None


def test_an_unknown_price_is_not_free(priced):
    usd = {"Visit notes": 10.0, "Portal messages": 20.0}
    lines = split_bill(ASSIGNED, priced(x=usd) | {"y": None}, stand_in="x", kinds=KINDS)
    assert [line.usd for line in lines] == [10.0, None]
    assert split_total(lines) is None
    nobody = split_bill(ASSIGNED, {"x": None}, stand_in="x", kinds=KINDS)
    assert [(line.requests, line.usd) for line in nobody] == [("Notes", None), ("Messages", None)]
    assert split_total(nobody) is None


def test_a_combination_sends_what_nobody_claims_to_its_better_member(
    make_matrix, make_benchmark, priced
):
    benchmarks = [make_benchmark("b0", category="Notes"), make_benchmark("b1", category="Messages")]
    # x has .7 overall, y .6; together .85.
    matrix = make_matrix({"x": [0.9, 0.5], "y": [0.4, 0.8]}, benchmarks)
    usd = {"Visit notes": 10.0, "Portal messages": 20.0, "Prior authorisations": 40.0}
    found = portfolios(
        matrix,
        (("Notes", 0.5), ("Messages", 0.5)),
        ["x", "y"],
        {"x": "H", "y": "L"},
        priced(x=usd, y={kind: amount / 10 for kind, amount in usd.items()}),
        kinds=KINDS,
    )
    (one,) = found.found
    assert [line.model for line in one.lines] == ["x", "y", "x"]
    assert (one.monthly_usd, found.best_single_usd) == (52.0, 70.0)
    assert found.largest_gain == pytest.approx(0.15)
