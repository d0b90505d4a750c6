"""What a month costs by the token, in tokens and dollars worked by hand."""

import pytest
from building import a_price

from core import domain
from core.domain import WorkloadLine as Line
from core.procurement import bill as billing
from core.procurement.hosting import Hosting
from core.words import cost as words
from core.words.figures import from_whom


def line(category, requests, read, written, basis="set by you", hidden=None):
    profile = domain.TokenProfile(
        category, read, written, 3, basis, hidden, upper_bound=basis == BOUND
    )
    return Line(category, requests, profile)


BOUND = "mean over 3 MedHELM benchmarks"
LINES = (line("Notes", 1_000, 2_000, 500, BOUND), line("Letters", 500, 1_000, 200))


@pytest.fixture
def billed():
    """Bills at prices per provider, read and written, each in US dollars per million."""

    def of(lines, **usd):
        prices = [a_price(provider, *rates) for provider, rates in usd.items()]
        return billing.bills({"m": prices}, {"m": lines})["m"]

    return of


# One bill


def test_a_bill_to_the_cent_at_each_provider(billed, priced):
    """1,000 notes read 2 M and write 0.5 M tokens, 3,000 messages 1.8 M and 0.6 M: 3.8 M and 1.1 M.

    At 2.50 and 10 USD a million: 9.50 + 11 = 20.50 USD a month. At 0.50 and 12: 1.90 + 13.20.
    """
    lines = (line("Notes", 1_000, 2_000, 500), line("Messages", 3_000, 600, 200))
    assert billing.mean_tokens(lines) == pytest.approx((950, 275))
    found = billed(lines, dear=(2.5, 10), cheap=(0.5, 12))
    assert [b.price.provider for b in found] == ["cheap", "dear"]
    assert [b.monthly_usd for b in found] == pytest.approx([15.10, 20.50])
    assert found[1].lines == (("Notes", pytest.approx(10.0)), ("Messages", pytest.approx(10.5)))
    assert found[1].model == "m"
    # Notes: 20 M × 3 + 5 M × 15 = 60 + 75. Messages: 2 M × 3 + 1 M × 15 = 6 + 15.
    more = [line("Notes", 10_000, 2_000, 500), line("Messages", 5_000, 400, 200)]
    (found,) = billed(more, p=(3, 15))
    assert found.lines == (("Notes", pytest.approx(135)), ("Messages", pytest.approx(21)))
    assert round(found.monthly_usd, 2) == 156.00
    # An unknown price stays unknown.
    assert billed(lines) == billed((), p=(3, 15)) == ()
    # The cheapest depends on the workload, and equals keep their order.
    prices = {"p1": (1, 4), "p2": (3, 1), "p3": (3, 1)}
    assert billed([line("x", 1, 1_000_000, 1)], **prices)[0].price.provider == "p1"
    assert billed([line("x", 1, 1, 1_000_000)], **prices)[0].price.provider == "p2"
    for entry, requests, read, written, usd in [
        ("google gemini-2.5-pro", 1_000, 200_000, 1_000, 260),  # 200 M × 1.25 + 1 M × 10
        ("google gemini-2.5-pro", 1_000, 300_000, 1_000, 765),  # 300 M × 2.50 + 1 M × 15
        ("google gemini-2.5-pro", 1_000_000, 100_000, 1, 125_010),  # the sum decides no tier
        ("openai gpt-4o-mini", 30_000, 1_500, 300, 12.15),  # 45 M × 0.15 + 9 M × 0.60
    ]:
        provider, model = entry.split()
        prices = priced([domain.PriceReference("m", provider, model, "", "", "")])["m"]
        lines = billing.workload(
            [("Notes", 1)],
            {},
            requests_per_month=requests,
            input_tokens=read,
            output_tokens=written,
        )
        assert billing.bills({"m": prices}, {"m": lines})["m"][0].monthly_usd == pytest.approx(usd)


# Monthly costs and what is saved

MEASURED = domain.HiddenTokens(100, 300, 1_000, "measured")


@pytest.fixture
def cost():
    def of(name, read, written, hidden=None):
        lines = [
            line("Notes", 1_000_000, 1_000, 400, BOUND, hidden),
            line("Letters", 1_000_000, 1_000, 100, "set by you", hidden),
        ]
        price = a_price("provider", read, written, model=name)
        return billing.bill_cost(billing.bill_at(price, lines), lines)

    return of


@pytest.fixture
def thinks(cost):
    return cost("thinks", 1.0, 2.0, MEASURED)


@pytest.fixture
def talks(cost):
    return cost("talks", 0.5, 4.0)


def test_the_six_figures_of_a_bill_and_what_is_shared_in_a_saving(thinks, talks, cost):
    """Million tokens: 2,000 read; written 200 or 400 of notes, 100 of letters, hidden twice.

    Half the answer: 2,000 x $1 + (300 + 2 x 100, 300 or 1,000) x $2 = 3,000, 3,800, 6,600.
    All of it: 2,000 + (500 + 200, 600, 2,000) x $2 = 3,400, 4,200, 7,000.
    """
    assert thinks.figures == ((3_000, 3_800, 6_600), (3_400, 4_200, 7_000))
    assert (thinks.low, thinks.likely, thinks.high) == (3_000, 4_200, 7_000)
    assert (thinks.cost_is, from_whom(thinks), thinks.platform) == ("bill", "Provider", "Platform")
    assert thinks.as_of == "2026-11-21"
    # 1,000 + 4 x 300 = 2,200; 1,000 + 4 x 500 = 3,000. Nothing hidden.
    assert talks.figures == ((2_200,) * 3, (3_000,) * 3)
    # Half the answer: 3,000 or 6,600 less 2,200; all of it: 3,400 or 7,000 less 3,000.
    assert billing.saving(thinks, talks) == domain.Saving(400, 1_200, 4_400)
    assert billing.saving(talks, thinks) == domain.Saving(-4_400, -1_200, -400)
    # Against itself at twice the price: 6,000 - 6,600 at the least, though likely 4,200 are saved.
    found = billing.saving(cost("double", 2.0, 4.0, MEASURED), thinks)
    assert found == domain.Saving(6_000 - 6_600, 4_200, 14_000 - 3_400)
    assert found.order_turns
    assert not billing.saving(thinks, talks).order_turns
    assert billing.saving(talks, talks) == domain.Saving(0, 0, 0)
    assert not billing.saving(talks, talks).order_turns
    # An unknown cost saves nothing known.
    nobody = billing.unknown_cost("x")
    assert billing.saving(nobody, talks) is billing.saving(talks, nobody) is None
    assert (nobody.low, nobody.likely, nobody.high) == (None, None, None)
    price = a_price("provider", 1.0, 2.0)
    thought = line("Notes", 1, 1, 1, "set by you", MEASURED)
    for of, said in ((thought, "; hidden reasoning measured"), (LINES[1], "")):
        found = billing.bill_cost(billing.bill_at(price, [of]), [of])
        assert words.basis(found) == f"{price.source}; tokens: set by you{said}"


def rented(*gpus, serves=(10.0,) * 3, gpu="A"):
    """Ten requests a month on sets of 1 to 5 dollars an hour, likely 2, for 730 hours."""
    hourly = domain.HourlyPrice(gpu, 1.0, 2.0, 5.0, "2026-02-01")
    hosted = Hosting(gpu, "", hourly, gpus=gpus)
    return billing.servers_cost("m", hosted, serves, domain.Requirements(), 10.0)


def test_own_servers_cost_gpus_times_sets_times_rent():
    """1 GPU x 2 sets; 2 x 1, no fewer than before; 3 x 1: 2, 2 and 3 GPUs."""
    found = rented(1, 2, 3, serves=(5.0, 10.0, 11.0))
    figures = ((2, 2, 3), (4, 4, 6), (10, 10, 15))
    assert found.figures == tuple(tuple(n * 730 for n in row) for row in figures)
    assert (found.low, found.likely, found.high) == (1_460, 2_920, 10_950)
    assert (found.cost_is, found.provider, found.servers.gpu) == (*["own servers"] * 2, "A")
    assert (found.as_of, found.servers.sets, found.servers.serves) == ("2026-02-01", 1, 10.0)
    # A copy on more GPUs that needs fewer sets takes no fewer GPUs: 3, 3 and 3.
    assert rented(1, 2, 3, serves=(3.4, 10.0, 10.0)).figures[0] == (2_190,) * 3
    # 2 GPUs x 2 dollars x 730 hours.
    found = rented(1, 2, 3, serves=(10.0, None, 10.0))
    assert (found.low, found.likely, found.high, found.for_budget) == (2_920, None, None, 2_920)
    assert from_whom(found) == "own servers: 2 × A, capacity not published"
    said = words.basis(found)
    assert said.endswith("weights at 8 bits; at least one set: nobody published what it serves")
    known = rented(1, 2, 3)
    assert (known.low, known.for_budget) == (730, 2_920)
    assert billing.saving(known, found) is billing.saving(found, known) is None
    two, one = rented(2, 2, 2), rented(1, 1, 1)
    assert billing.saving(two, one) == domain.Saving(730, 1_460, 3_650)
    other = rented(1, 1, 1, gpu="B")
    assert billing.saving(two, other) == domain.Saving(1_460 - 3_650, 1_460, 7_300 - 730)
