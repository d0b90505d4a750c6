"""Low, likely and high bills in tokens and dollars, worked by hand."""

import pytest

from core.domain import BadRequestError, Price, TokenProfile, WorkloadLine
from core.procurement.bill import (
    BillAssumptions,
    bill_range,
    bills,
    flat_request_cost_usd,
    high_lines,
    is_upper_bound,
    low_lines,
)
from core.procurement.workload import UPPER_BOUND, tokens_per_month

NOTES = TokenProfile("Notes", 2_000, 500, 3, f"mean over 3 MedHELM benchmarks{UPPER_BOUND}")
OWN = TokenProfile("Letters", 1_000, 200, 0, "set by you")
LINES = (WorkloadLine("Notes", 1_000, NOTES), WorkloadLine("Letters", 500, OWN))
USUAL = BillAssumptions(volume_error=0.2, low_output_share=0.5)


def price(provider, input_usd, output_usd):
    return Price("m", provider, provider, "x", input_usd, output_usd, "2026-11-21", "by hand")


# One writes dear, the other reads dear: which is cheaper depends on the case.
WRITES_DEAR, READS_DEAR = price("writes", 1.0, 10.0), price("reads", 2.0, 6.0)


def ranged(prices, lines=LINES, assumptions=USUAL):
    return bill_range(prices, lines, assumptions, request_cost=flat_request_cost_usd)


def test_tokens_of_the_three_cases():
    # Likely: 1,000 x 2,000 + 500 x 1,000 read; 1,000 x 500 + 500 x 200 written.
    assert tokens_per_month(LINES) == (2_500_000, 600_000)
    # Low: 800 and 400 requests; MedHELM's 500 written become 250, the hospital's 200 stay.
    # 800 x 2,000 + 400 x 1,000 = 2.0 million; 800 x 250 + 400 x 200 = 280,000.
    assert tokens_per_month(low_lines(LINES, USUAL)) == (2_000_000, 280_000)
    # High: 1,200 and 600 requests. 1,200 x 2,000 + 600 x 1,000; 1,200 x 500 + 600 x 200.
    assert tokens_per_month(high_lines(LINES, USUAL)) == (3_000_000, 720_000)


def test_bills_of_the_three_cases():
    found = ranged([WRITES_DEAR, READS_DEAR])
    # Low, million tokens: 2.0 x 1 + 0.28 x 10 = 4.80; 2.0 x 2 + 0.28 x 6 = 5.68.
    assert found.low.monthly_usd == pytest.approx(4.80)
    assert found.low.price.provider == "writes"
    # Likely: 2.5 x 1 + 0.6 x 10 = 8.50; 2.5 x 2 + 0.6 x 6 = 8.60.
    assert found.likely.monthly_usd == pytest.approx(8.50)
    assert found.likely.price.provider == "writes"
    # High: 3.0 x 1 + 0.72 x 10 = 10.20; 3.0 x 2 + 0.72 x 6 = 10.32.
    assert found.high.monthly_usd == pytest.approx(10.32)
    assert found.high.price.provider == "reads"
    # Kind by kind in the low case: 800 x (2,000 x 1 + 250 x 10) and 400 x (1,000 + 2,000).
    assert dict(found.low.lines) == pytest.approx({"Notes": 3.60, "Letters": 1.20})


def test_each_case_takes_its_own_cheapest_provider():
    # Reading at 1.25 and writing at 9: low 2.5 + 2.52 = 5.02, likely 3.125 + 5.4 = 8.525.
    # Against 4.95 and 8.60 for reading at 0.95 and writing at 10.9: 1.9 + 3.052, 2.375 + 6.54.
    found = ranged([price("even", 1.25, 9.0), price("steep", 0.95, 10.9)])
    assert (found.low.price.provider, found.low.monthly_usd) == ("steep", pytest.approx(4.952))
    assert (found.likely.price.provider, found.likely.monthly_usd) == (
        "even",
        pytest.approx(8.525),
    )


def test_the_likely_bill_is_the_one_of_the_shortlist_to_the_last_digit():
    prices = [WRITES_DEAR, READS_DEAR]
    assert ranged(prices).likely == bills(prices, LINES, request_cost=flat_request_cost_usd)[0]


def test_sure_volumes_and_full_output_leave_one_bill():
    found = ranged([WRITES_DEAR], assumptions=BillAssumptions(0.0, 1.0))
    assert found.low.monthly_usd == found.likely.monthly_usd == found.high.monthly_usd


def test_output_is_an_upper_bound_unless_it_was_set():
    assert is_upper_bound(NOTES)
    assert not is_upper_bound(OWN)


def test_without_a_price_there_is_no_bill():
    assert ranged([]) is None


@pytest.mark.parametrize(
    ("error", "share", "words"),
    [
        (-0.1, 0.5, "off by 0 to 99 %, not -10 %"),
        (1.0, 0.5, "off by 0 to 99 %, not 100 %"),
        (float("nan"), 0.5, "not nan %"),
        (0.2, 0.0, "above 0 and at most 100 %, not 0 %"),
        (0.2, 1.5, "not 150 %"),
        (0.2, float("nan"), "not nan %"),
    ],
)
def test_assumptions_that_make_no_sense_are_refused(error, share, words):
    with pytest.raises(BadRequestError, match=words):
        ranged([WRITES_DEAR], assumptions=BillAssumptions(error, share))
    with pytest.raises(BadRequestError, match="at least one line"):
        ranged([WRITES_DEAR], lines=())
