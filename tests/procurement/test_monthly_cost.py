"""What a model costs a month and what another saves, in dollars worked by hand."""

from datetime import date

import pytest

from core.answers import bills as bills_answers
from core.answers import monthly_costs, own_servers
from core.domain import BadRequestError, HiddenTokens, Price, Requirements, Saving, TokenProfile
from core.domain import WorkloadLine as Line
from core.procurement.bill import (
    BillAssumptions,
    bill_cost,
    bill_range,
    flat_request_cost_usd,
    saving,
    servers_cost,
    unknown_cost,
)
from core.procurement.hosting import HourlyPrice, Setup
from core.procurement.workload import UPPER_BOUND
from core.sharing.wording import saves

ON = date(2026, 11, 21)
GPT_5, MINI, CLAUDE = (
    "GPT-5 (2025-08-07)",
    "GPT-5 mini (2025-08-07)",
    "Claude 3.7 Sonnet (20250219)",
)
LLAMA, R1 = "Llama 3.3 Instruct (70B)", "DeepSeek R1"


def price(name, read, written):
    return Price(name, "p", "Provider", name, read, written, "2026-11-21", "by hand")


def lines(hidden=None):
    notes = TokenProfile("Notes", 1_000, 400, 3, f"mean{UPPER_BOUND}", hidden)
    letters = TokenProfile("Letters", 1_000, 100, 0, "set by you", hidden)
    return Line("Notes", 1_000_000, notes), Line("Letters", 1_000_000, letters)


def cost(name, read, written, hidden=None):
    return bill_cost(
        price(name, read, written),
        lines(hidden),
        platform="Platform",
        request_cost=flat_request_cost_usd,
    )


THINKS = cost("thinks", 1.0, 2.0, HiddenTokens(100, 300, 1_000, "measured"))
TALKS = cost("talks", 0.5, 4.0)


def test_the_six_figures_of_a_bill():
    """Million tokens: 2,000 read; written 200 or 400 of notes, 100 of letters, hidden twice.

    Half the answer: 2,000 x $1 + (300 + 2 x 100, 300 or 1,000) x $2 = 3,000, 3,800, 6,600.
    All of it: 2,000 + (500 + 200, 600, 2,000) x $2 = 3,400, 4,200, 7,000.
    """
    assert THINKS.figures == ((3_000, 3_800, 6_600), (3_400, 4_200, 7_000))
    assert (THINKS.low, THINKS.likely, THINKS.high) == (3_000, 4_200, 7_000)
    assert (THINKS.cost_is, THINKS.from_whom, THINKS.platform) == ("bill", "Provider", "Platform")
    assert THINKS.as_of == "2026-11-21"
    assert THINKS.basis.endswith("hidden reasoning measured")
    # 1,000 + 4 x 300 = 2,200; 1,000 + 4 x 500 = 3,000. Nothing hidden.
    assert TALKS.figures == ((2_200,) * 3, (3_000,) * 3)
    assert "reasoning" not in TALKS.basis


def test_a_bill_is_that_of_the_three_cases_with_sure_volumes():
    found = bill_range(
        [price("thinks", 1.0, 2.0)],
        lines(HiddenTokens(100, 300, 1_000, "measured")),
        BillAssumptions(volume_error=0.0),
        request_cost=flat_request_cost_usd,
    )
    cases = [case.monthly_usd for case in (found.low, found.likely, found.high)]
    assert cases == [THINKS.low, THINKS.likely, THINKS.high]


def test_the_answer_is_shared_and_reasoning_is_each_models_own():
    # Half the answer: 3,000 or 6,600 less 2,200; all of it: 3,400 or 7,000 less 3,000.
    assert saving(THINKS, TALKS) == Saving(400, 1_200, 4_400)
    assert saving(TALKS, THINKS) == Saving(-4_400, -1_200, -400)
    # Against itself at twice the price: 6,000 - 6,600 at the least, though likely 4,200 are saved.
    double = cost("double", 2.0, 4.0, HiddenTokens(100, 300, 1_000, "measured"))
    found = saving(double, THINKS)
    assert found == Saving(6_000 - 6_600, 4_200, 14_000 - 3_400)
    assert found.order_turns
    assert not saving(THINKS, TALKS).order_turns
    assert saving(TALKS, TALKS) == Saving(0, 0, 0)
    assert not saving(TALKS, TALKS).order_turns


def test_an_unknown_cost_saves_nothing_known():
    nobody = unknown_cost("x", "no public price: ask the vendor")
    assert saving(nobody, TALKS) is None
    assert saving(TALKS, nobody) is None
    assert (nobody.low, nobody.likely, nobody.high) == (None, None, None)


RENT = HourlyPrice("A", 80.0, 1.0, 2.0, 5.0, 3, 2, "2026-01-01", "2026-02-01")


def test_own_servers_cost_gpus_times_sets_times_rent():
    """1 GPU x 2 sets; 2 x 1, no fewer than before; 3 x 1: 2, 2 and 3 GPUs for 100 hours."""
    found = servers_cost("m", RENT, (1, 2, 3), (2, 1, 1), hours=100, bits=8, load="measured")
    assert found.figures == ((200, 200, 300), (400, 400, 600), (1_000, 1_000, 1_500))
    assert (found.low, found.likely, found.high) == (200, 400, 1_500)
    assert (found.cost_is, found.provider, found.gpu) == ("own servers", "own servers", "A")
    assert found.as_of == "2026-02-01"


def test_the_rent_of_one_kind_of_gpu_is_shared_and_of_two_kinds_not():
    two = servers_cost("two", RENT, (2, 2, 2), (1, 1, 1), hours=100, bits=8, load="")
    one = servers_cost("one", RENT, (1, 1, 1), (1, 1, 1), hours=100, bits=8, load="")
    assert saving(two, one) == Saving(100, 200, 500)
    other = HourlyPrice("B", 80.0, 1.0, 2.0, 5.0, 3, 2, "2026-01-01", "2026-02-01")
    elsewhere = servers_cost("e", other, (1, 1, 1), (1, 1, 1), hours=100, bits=8, load="")
    assert saving(two, elsewhere) == Saving(200 - 500, 200, 1_000 - 100)


@pytest.mark.parametrize(
    ("saved", "words"),
    [
        (Saving(270, 300, 340), "saves $270 to $340 a month"),
        (Saving(270.1, 270.2, 270.3), "saves about $270 a month"),
        (Saving(-340, -300, -270), "costs $270 to $340 more a month"),
        (
            Saving(-142.2, 118.8, 228.8),
            "may save up to $229 or cost up to $142 more a month: which of the two costs less is "
            "not certain",
        ),
        (None, "saves what is not known: one of the two has no known cost"),
    ],
)
def test_a_saving_in_words(saved, words):
    assert saves(saved) == words


@pytest.fixture(scope="module")
def costs(bundled):
    return monthly_costs.monthly_costs(
        bundled, (GPT_5, MINI, CLAUDE, LLAMA, R1, "GPT-4o (2024-05-13)"), Requirements(), ON
    )


def test_the_likely_cost_is_the_bill_and_the_range_holds_it(bundled, costs):
    bills = bills_answers.bills(bundled, tuple(costs), Requirements(), ON)
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


def test_own_servers_cost_servers_and_never_a_price_per_token(bundled):
    """Llama at 8 bits: (70.554 + 8 x 8,192 x 327,680 / 1e9) x 1.2 = 110.4 GB, one GPU of 192 GB."""
    own = Requirements(access="own")
    found = monthly_costs.monthly_costs(bundled, (LLAMA, R1, GPT_5), own, ON)
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
    assert monthly_costs.monthly_costs(
        bundled, (LLAMA,), Requirements(access="own", gates=("baa",)), ON
    ) == {LLAMA: found[LLAMA]}


def test_the_own_gpu_and_the_load_decide_the_number_of_sets(bundled):
    """Two H100 serve so many requests a month at a fifth of full load; more take another set."""
    mine = Requirements(access="own", gpu="H100 80GB")
    found = monthly_costs.monthly_costs(bundled, (LLAMA,), mine, ON)[LLAMA]
    assert (found.from_whom, found.gpu) == ("own servers: 2 × H100 80GB", "H100 80GB")
    assert "a set serves about" in found.basis
    page = own_servers.own_servers(
        bundled, mine, ON, LLAMA, Setup(gpu="H100 80GB", bits=8), utilisation=0.2
    )
    serves = page.cases[1].requests
    assert found.likely == page.cases[1].monthly_usd
    many = Requirements(access="own", gpu="H100 80GB", requests_per_month=int(2.5 * serves))
    more = monthly_costs.monthly_costs(bundled, (LLAMA,), many, ON)[LLAMA]
    assert more.from_whom == "own servers: 3 sets of 2 × H100 80GB"
    assert more.likely == pytest.approx(3 * found.likely)
    with pytest.raises(BadRequestError, match='There is no GPU "Abacus"'):
        monthly_costs.monthly_costs(bundled, (LLAMA,), Requirements(access="own", gpu="Abacus"), ON)


def test_places_without_own_servers_are_billed_by_the_token(bundled, costs):
    for place in ("any", "open", "vendor"):
        asked = Requirements(access=place, gpu="H100 80GB", monthly_budget_usd=1.0, margin=0.1)
        assert monthly_costs.monthly_costs(bundled, (LLAMA,), asked, ON) == {LLAMA: costs[LLAMA]}
