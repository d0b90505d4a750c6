"""Monthly costs of bundled models, through the whole way, in dollars worked by hand."""

import pytest

from core.answers import bills as bills_answers
from core.answers import monthly_costs, own_servers
from core.domain import BadRequestError, Requirements
from core.procurement.bill import saving
from core.procurement.hosting import Setup

GPT_5, MINI = "GPT-5 (2025-08-07)", "GPT-5 mini (2025-08-07)"
CLAUDE, LLAMA, R1 = "Claude 3.7 Sonnet (20250219)", "Llama 3.3 Instruct (70B)", "DeepSeek R1"


@pytest.fixture
def ask(bundled, today):
    def of(*models, **requirements):
        return monthly_costs.monthly_costs(bundled, models, Requirements(**requirements), today)

    return of


@pytest.fixture
def costs(ask):
    return ask(GPT_5, MINI, CLAUDE, LLAMA, R1, "GPT-4o (2024-05-13)")


def test_the_likely_cost_is_the_bill_and_the_range_holds_it(bundled, today, costs):
    bills = bills_answers.bills(bundled, tuple(costs), Requirements(), today)
    for name, found in costs.items():
        assert found.likely == pytest.approx(bills[name].monthly_usd, rel=1e-12)
        assert found.low <= found.likely <= found.high
        assert found.provider == bills[name].price.provider


def test_gpt_5_is_no_longer_billed_its_cap(costs):
    """By hand, a fifth of 10,000 requests each: tokens read 7,973.7, 1,189.1, 764.2, 1,701.0 and
    28,758.8, mean 8,077.5; written 86.8, 583.3, 298.4, 172.2 and 52.0, mean 238.5, and 344.8
    hidden. 80.775 million x $1.25 + (2.385 + 3.448) million x $10 = $159.30; it was $500.
    """
    found = costs[GPT_5]
    assert found.likely == pytest.approx(159.30, abs=0.1)
    assert found.low == pytest.approx(80.775 * 1.25 + (1.193 + 1.107) * 10, abs=0.1)
    assert found.high == pytest.approx(80.775 * 1.25 + 40.0 * 10, abs=0.1)
    # Against Claude 3.7 Sonnet, likely $278, the order turns within the ranges, and that is said.
    saved = saving(costs[CLAUDE], found)
    assert saved.likely == pytest.approx(118.8, abs=0.1)
    assert saved.order_turns
    # GPT-5 mini has a fifth of the prices: cheaper even where it alone reasons to the cap.
    assert saving(found, costs[MINI]).low > 0


def test_own_servers_cost_servers_and_never_a_price_per_token(bundled, ask):
    """Llama at 8 bits: (70.554 + 8 x 8,192 x 327,680 / 1e9) x 1.2 = 110.4 GB, one GPU of 192 GB."""
    found = ask(LLAMA, R1, GPT_5, access="own")
    assert found[LLAMA].cost_is == "own servers"
    assert found[LLAMA].from_whom == "own servers: 1 × MI300X"
    rents = sorted(
        o.usd_per_gpu_hour
        for o in bundled.catalogue.procurement.gpus
        if (o.gpu, o.pricing_type) == ("MI300X", "on-demand")
    )
    assert (found[LLAMA].low, found[LLAMA].high) == (rents[0] * 730, rents[-1] * 730)
    assert "whether one set serves the load is not measured" in found[LLAMA].basis
    assert found[LLAMA].likely > 20 * 11.86
    assert (found[GPT_5].cost_is, found[GPT_5].likely) == ("unknown", None)
    assert "closed" in found[GPT_5].basis
    # 671 GB and more on at most eight GPUs.
    assert found[R1].from_whom == "own servers: 5 × MI300X"
    # No public price and no gate changes the rent.
    assert ask(LLAMA, access="own", gates=("baa",)) == {LLAMA: found[LLAMA]}


def test_the_own_gpu_and_the_load_decide_the_number_of_sets(bundled, today, ask):
    """Two H100 serve so many requests a month at a fifth of full load; more take another set."""
    mine = {"access": "own", "gpu": "H100 80GB"}
    found = ask(LLAMA, **mine)[LLAMA]
    assert (found.from_whom, found.gpu) == ("own servers: 2 × H100 80GB", "H100 80GB")
    assert "a set serves about" in found.basis
    setup = Setup(gpu="H100 80GB", bits=8)
    page = own_servers.own_servers(
        bundled, Requirements(**mine), today, LLAMA, setup, utilisation=0.2
    )
    assert found.likely == page.cases[1].monthly_usd
    more = ask(LLAMA, **mine, requests_per_month=int(2.5 * page.cases[1].requests))[LLAMA]
    assert more.from_whom == "own servers: 3 sets of 2 × H100 80GB"
    assert more.likely == pytest.approx(3 * found.likely)
    with pytest.raises(BadRequestError, match='There is no GPU "Abacus"'):
        ask(LLAMA, access="own", gpu="Abacus")


@pytest.mark.parametrize("place", ["any", "open", "vendor"])
def test_places_without_own_servers_are_billed_by_the_token(ask, costs, place):
    asked = {"access": place, "gpu": "H100 80GB", "monthly_budget_usd": 1.0, "margin": 0.1}
    assert ask(LLAMA, **asked) == {LLAMA: costs[LLAMA]}
