"""Figures in words."""

from dataclasses import replace

import pytest

from core.domain import Bill, MonthlyCost, Price, Saving
from core.words import figures
from core.words.recommendation import saving_in_words


def cost(*usd):
    low, likely, high = usd
    price = Price("m", "v", "V", "x", 1.0, 1.0, "2026-11-21", "by hand")
    bill = Bill("m", likely, (), price)
    return MonthlyCost("m", "bill", low, likely, high, "v", "V", "2026-11-21", bill=bill)


def test_an_interval_has_both_ends_or_is_none():
    assert figures.interval(0.62, 0.7155) == "62.0 to 71.5"
    assert figures.signed_interval(-0.054, 0.014) == "\u22125.4 to +1.4"
    for ends in ((None, 0.1), (0.1, None), (None, None)):
        assert figures.interval(*ends) == figures.signed_interval(*ends) == "no interval"


def test_a_cost_is_an_estimate_and_an_unknown_one_is_no_zero():
    assert figures.money(cost(20.0, 114.518, 250.0)) == "about $115 a month"
    assert figures.money(cost(0.1, 0.4, 0.9)) == "less than $1 a month"
    assert figures.money(cost(None, None, None)) == "price not known"
    # Only the least is known: the name of who is paid carries it where a column has likely costs.
    least = cost(7_263.5, None, None)
    assert figures.money(least) == "at least $7,264 a month"
    assert figures.cost_from(least) == "at least $7,264 a month, V"
    assert figures.cost_from(cost(20.0, 114.518, 250.0)) == "V"
    assert figures.cost_from(replace(least, low=None, bill=None)) == "not known"


@pytest.mark.parametrize(
    ("saved", "words"),
    [
        ((88.0, 102.66, 253.0), "saves $88 to $253 a month"),
        ((-253.0, -102.66, -88.0), "costs $88 to $253 more a month"),
        ((99.6, 100.0, 100.4), "saves about $100 a month"),
        ((-0.8, 0.4, 0.9), "costs about the same a month"),
        ((0.2, 0.4, 175.0), "saves less than $1 to $175 a month"),
        ((1.2, 4.0, 8.5), "saves $1.2 to $8.5 a month"),
    ],
)
def test_a_saving_is_a_range(saved, words):
    assert saving_in_words(Saving(*saved)) == words


def test_a_saving_whose_order_turns_is_not_certain():
    # One whose order turns says so with both ends: from $397 dearer to $136 cheaper.
    said = saving_in_words(Saving(-397.0, -45.0, 136.0))
    assert "not certain" in said
    assert "save up to $136" in said
    assert "up to $397 more" in said
    # However near 0 the likely saving is: the range is what is known. An unknown one is no zero.
    assert "not certain" in saving_in_words(Saving(-175.0, 0.4, 175.0))
    assert not saving_in_words(None)
