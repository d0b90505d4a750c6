"""Where the price per token and the cost of own servers meet, worked by hand."""

import numpy as np
import pytest

from core.domain import BadRequestError
from core.procurement.capacity import break_even


def test_within_the_capacity_of_one_set():
    """0.01 USD a request and 1,000 USD a set: 100,000 requests. A set serves 250,000, so the
    second set costs as much as 200,000 requests, which is reached before it is needed."""
    found = break_even(0.01, 1_000, 250_000)
    assert found.requests == pytest.approx(100_000)
    assert found.at_least == found.requests
    assert found.for_good == pytest.approx(100_000)
    assert found.reason == "From 100,000 requests a month on, own servers cost no more."


def test_a_further_set_can_make_the_price_per_token_cheaper_again():
    """A set serves 150,000. From 150,000 on two sets cost 2,000 USD, which 200,000 requests pay;
    from 300,000 on three cost 3,000, which 300,000 pay. So from 200,000 on it is for good."""
    found = break_even(0.01, 1_000, 150_000)
    assert (found.requests, found.for_good) == (pytest.approx(100_000), pytest.approx(200_000))
    assert found.reason.endswith("can make the price per token cheaper for a while.")
    volumes = np.linspace(0, 2_000_000, 201)
    own_usd = np.ceil(volumes / 150_000).clip(min=1) * 1_000
    dearer = volumes[own_usd > volumes * 0.01 + 1e-9]
    assert dearer.max() < 200_000
    assert ((dearer > 150_000) & (dearer < 200_000)).any()


def test_never_where_a_full_set_costs_more_than_its_requests():
    found = break_even(0.01, 1_000, 99_999)
    assert (found.requests, found.for_good) == (None, None)
    assert found.reason == (
        "Never: one set of GPUs serves 99,999 requests a month, and it would take 100,000 to pay "
        "for it."
    )
    exactly = break_even(0.01, 1_000, 100_000)
    assert (exactly.requests, exactly.for_good) == (100_000, None)


def test_an_unknown_capacity_gives_no_volume_but_a_bound():
    found = break_even(0.01, 1_000, None)
    assert (found.requests, found.for_good, found.capacity) == (None, None, None)
    assert found.at_least == pytest.approx(100_000)
    assert "not known" in found.reason


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0, 1, 1), "The price of a request must be above 0, not 0"),
        ((1, 0, 1), "The cost of a set of GPUs must be above 0, not 0"),
        ((1, 1, 0), "The capacity must be above 0, not 0"),
        ((1, float("inf"), None), "The cost of a set of GPUs must be above 0, not inf"),
    ],
)
def test_figures_out_of_range_are_refused(arguments, message):
    with pytest.raises(BadRequestError, match=message):
        break_even(*arguments)
