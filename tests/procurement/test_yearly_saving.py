"""What a replacement saves a year, worked out by hand."""

import pytest

from core.procurement.yearly_saving import yearly_saving


@pytest.fixture
def pair(make_model):
    return make_model("big", params_b=70.0), make_model("small", params_b=8.0)


def test_12_times_the_difference_of_the_monthly_bills(pair, make_bill):
    bills = {"big": make_bill("big", 120.50), "small": make_bill("small", 20.25)}
    found = yearly_saving(*pair, bills)
    assert found.usd == pytest.approx(1203.00)  # 12 × (120.50 − 20.25) = 12 × 100.25
    assert found.params_b == 62.0
    assert found.params_share == pytest.approx(0.885714, abs=1e-6)  # 62 / 70
    assert (found.bill, found.candidate_bill) == (bills["big"], bills["small"])


def test_a_smaller_model_at_a_dearer_provider_costs_more(pair, make_bill):
    bills = {"big": make_bill("big", 10.0), "small": make_bill("small", 12.5)}
    assert yearly_saving(*pair, bills).usd == -30.0  # 12 × −2.50


@pytest.mark.parametrize("priced", ["big", "small", None])
def test_an_unknown_price_is_no_saving_and_not_0(priced, pair, make_bill):
    bills = {"big": None, "small": None} | ({priced: make_bill(priced, 5.0)} if priced else {})
    assert yearly_saving(*pair, bills).usd is None
    assert yearly_saving(*pair, {}).usd is None


def test_an_unknown_size_is_no_saving(make_model, make_bill):
    known, unknown = make_model("known", params_b=7.0), make_model("unknown")
    bills = {"known": make_bill("known", 1.0), "unknown": make_bill("unknown", 3.0)}
    for model, candidate, usd in ((known, unknown, -24.0), (unknown, known, 24.0)):
        found = yearly_saving(model, candidate, bills)
        assert (found.usd, found.params_b, found.params_share) == (usd, None, None)
