"""Monthly costs and what a purchase assumes, through the whole way, in dollars by hand."""

import math
from dataclasses import replace
from datetime import date

import pytest
from building import TODAY

from core.answers import bills, conditions, cost, data, recommend
from core.answers import bills as bills_answers
from core.answers.asked import ask as put
from core.domain import (
    PRICED_THERE,
    BadRequestError,
    ConditionAnswer,
    OwnPrice,
    OwnRent,
    OwnTokens,
    Question,
    Region,
)
from core.figures import from_whom, money
from core.procurement.bill import saving
from core.procurement.conditions import SELF_HOSTED, served_in
from core.words import cost as words
from core.words.cost import basis, with_baa
from core.words.recommendation import headline
from core.words.shortlist import not_known, questions, reasons, why_left_out

GPT_5, MINI = "GPT-5 (2025-08-07)", "GPT-5 mini (2025-08-07)"
SOLD = {"on_sale_months": None, "on_sale_on": "2026-01-31"}
"""A day on which every one of them was sold."""
GEMMA_2 = "gemma-2-9b-it"
CLAUDE, LLAMA, R1 = "Claude 3.7 Sonnet (20250219)", "Llama 3.3 Instruct (70B)", "DeepSeek R1"


@pytest.fixture
def ask(bundled):
    def of(*models, **requirements):
        asked = Question.of(**SOLD | requirements)
        return bills_answers.monthly_costs(put(bundled, asked, TODAY), models)

    return of


@pytest.fixture
def costs(ask):
    return ask(GPT_5, MINI, CLAUDE, LLAMA, R1, "GPT-4o (2024-05-13)")


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


def test_servers_of_unpublished_capacity_cost_one_set_at_least(ask):
    """R1 at 8 bits: (671 + 8 x 8,192 x 70,272 / 1e9) x 1.2 = 810.7 GB, more than four GPUs of 192
    GB, so a machine of eight. At the lowest of 1.50, 1.85, 1.99, 6 and 6 an hour they cost
    8 x 1.50 x 730 = $8,760 at least.
    """
    for requests in (1_000, 10**9):
        found = ask(R1, LLAMA, access="own", requests_per_month=requests)
        least = found[R1]
        assert least.low == pytest.approx(8_760)
        assert (least.likely, least.high, least.figures) == (None, None, ())
        servers = "own servers: 8 × MI300X at the lowest rent (TensorWave), capacity not published"
        assert (from_whom(least), least.as_of) == (servers, "2026-05-18")
        # The measured 70 B takes as many sets as the load needs.
        assert (found[LLAMA].likely == pytest.approx(4.295 * 730)) == (requests == 1_000)
    # On the one GPU that nobody measured the 70 B is at least one set too: 1.50 x 730.
    mine = ask(LLAMA, access="own", gpu="MI300X")[LLAMA]
    assert (mine.low, mine.likely) == (pytest.approx(1_095), None)


def test_the_budget_leaves_out_what_costs_at_least_more(bundled):
    """R1 at least $8,760 a month: out at $8,759, in at $8,760 with what is to be measured."""
    asked = Question.of(access="own", monthly_budget_usd=8_759)
    found = recommend.shortlist(put(bundled, asked, TODAY))
    dear = [out for out in found.left_out if out.rule == "over budget"]
    assert {out.model: why_left_out(out) for out in dear} == {R1: "at least $8,760.00 a month"}
    held = recommend.shortlist(put(bundled, asked.having(monthly_budget_usd=8_760), TODAY))
    row = next(row for row in held.rows if row.model.id == R1)
    servers = "own servers: 8 × MI300X at the lowest rent (TensorWave), capacity not published"
    assert f"At least $8,760 a month on {servers}." in reasons(row)
    assert "What one set of its servers can serve is not published: measure it." in not_known(
        row, held.question
    )
    assert held.n_unpriced == 0


def test_a_platform_that_has_ended_a_model_gives_no_price(bundled):
    """Groq ended Llama 3.3 on 16 August 2026, Bedrock ends R1 on 30 March 2027."""

    def sellers(model, **asked):
        asked = Question.of(**{"on_sale_months": None} | asked)
        found = bills_answers.provider_bills(put(bundled, asked, TODAY), (model,))[model]
        return {bill.price.provider for bill in found}

    assert "groq" in sellers(LLAMA, on_sale_on="2026-08-15")
    assert "groq" not in sellers(LLAMA, on_sale_on="2026-08-16") | sellers(LLAMA)
    assert "aws" in sellers(R1)
    assert "aws" in sellers(R1, on_sale_months=6, on_sale_on="2026-09-15")
    assert sellers(R1, on_sale_months=6) == sellers(R1) - {"aws"}
    assert sellers(R1, on_sale_months=6)


def test_where_it_is_known_to_be_sold_comes_before_a_lower_price(bundled):
    """Nobody states whether OVHcloud still sells Qwen3-32B; AWS does, at more by the token."""

    def sellers(**asked):
        asked = put(bundled, Question.of(suite="bridge", **asked), TODAY)
        name = "Qwen3-32B-Thinking"
        every = [bill.price.provider for bill in bills_answers.provider_bills(asked, (name,))[name]]
        assert bills_answers.monthly_costs(asked, (name,))[name].provider == every[0]
        return every

    asked, not_asked = sellers(), sellers(on_sale_months=None)
    assert (asked[0], not_asked[0]) == ("aws", "ovhcloud")
    assert asked[1:] == [it for it in not_asked if it in asked and it != "aws"]
    # What the hospital was offered it can buy, whatever is known of the public sale.
    own = OwnPrice(
        "Qwen3-32B-Thinking", 0.01, 0.02, "2026-11-01", "offer 7", "OVHcloud AI Endpoints"
    )
    assert sellers(own_prices=(own,))[0] == "own"


def test_the_own_gpu_and_the_load_decide_the_number_of_sets(bundled, ask):
    """Two H100 serve this many requests a month at a fifth of full load; more take another set."""
    mine = {"access": "own", "gpu": "H100 80GB"}
    found = ask(LLAMA, **mine)[LLAMA]
    assert from_whom(found) == "own servers: 2 × H100 80GB"
    assert "a set serves about" in basis(found)
    page = cost.own_servers(put(bundled, Question.of(**mine), TODAY), LLAMA)
    assert found == page.cost
    # Two at 2.69, 3.99 or 12.29 an hour, against the price of a request at the cheapest.
    usd = page.bill.monthly_usd / 10_000
    at_least = [2 * rent * 730 / usd for rent in (2.69, 3.99, 12.29)]
    assert [it.at_least for it in page.meets] == pytest.approx(at_least)
    assert words.need(page).startswith(
        f"{LLAMA} at 8 bits needs about 110 GB of memory: 2 × H100 80GB, about $5,830 a month "
        "(low $3,930, "
    )
    said = "At 20 % utilisation own servers never cost less at the likely rent and bill: one set "
    assert words.pays_from(page, 20).startswith(said)
    assert words.own_servers_in_words(page).startswith(
        "Own servers do not pay off: at 10,000 requests a month"
    )
    # Where a request is longer than the model reads, that is said next to the memory.
    asked = Question.of(**mine, context_tokens=200_000)
    notes = words.hosting_notes(page, asked.hardware)
    assert notes[:2] == (
        "Its cache is from its own architecture.",
        "It reads at most 128,000 tokens; you ask for 200,000.",
    )
    more = ask(LLAMA, **mine, requests_per_month=int(2.5 * found.servers.serves))[LLAMA]
    assert from_whom(more) == "own servers: 3 sets of 2 × H100 80GB"
    assert more.likely == pytest.approx(3 * found.likely)
    with pytest.raises(BadRequestError, match='There is no GPU "Abacus"'):
        ask(LLAMA, access="own", gpu="Abacus")


def test_the_token_is_certainly_cheaper_only_at_its_highest_bill(bundled):
    """8 MI300X at $1.50 an hour are $8,760 a month; R1 costs $522 for 10,000 requests at most.

    8,760 / 0.0522 is 167,700; by its likely bill, $321, it would be 272,700.
    """
    page = cost.own_servers(put(bundled, Question.of(suite="bridge"), TODAY), "DeepSeek-R1")
    assert page.bill_ends == pytest.approx((285.61, 522.32), abs=0.01)
    assert page.certain_below == pytest.approx(167_713, abs=1)
    assert words.pays_from(page, 20).startswith("Below about 168,000 requests a month")


def test_a_spare_and_ones_own_rent_change_the_cost_of_own_servers(ask):
    """One H200 serves what 10,000 requests take, so with a spare two at 4.295 x 730 = $3,135.35."""
    one, spare = (ask(LLAMA, access="own", spares=n)[LLAMA] for n in (0, 1))
    assert (one.likely, spare.likely) == pytest.approx((3_135.35, 6_270.70))
    assert from_whom(spare) == "own servers: 1 × H200 141GB and 1 spare set"
    # What is not published costs at least the one set and its spare: 16 x 1.50 x 730.
    assert ask(R1, access="own", spares=1)[R1].low == pytest.approx(17_520)
    # A million requests take more sets than a thousand, and half the utilisation twice as many.
    many = ask(LLAMA, access="own", requests_per_month=10**6)[LLAMA]
    half = ask(LLAMA, access="own", requests_per_month=10**6, utilisation=0.1)[LLAMA]
    assert many.servers.serves == pytest.approx(2 * half.servers.serves)
    assert many.servers.sets == math.ceil(10**6 / many.servers.serves) > 1
    assert half.servers.sets == math.ceil(10**6 / half.servers.serves)
    assert many.likely == pytest.approx(many.servers.sets * 3_135.35)
    # 2 H100 x 2.10 x 730 = $3,066, low, likely and high: fewer dollars than the rented H200.
    rent = OwnRent("H100 80GB", 2.10, "2026-11-01", "offer 7")
    found = ask(LLAMA, access="own", own_rents=(rent,))[LLAMA]
    assert from_whom(found) == "own servers: 2 × H100 80GB"
    assert (found.low, found.likely, found.high) == pytest.approx((3_066.0,) * 3)
    assert "$2.10 an hour as you entered it (offer 7)" in basis(found)
    assert found.as_of == "2026-11-01"


def test_own_hidden_tokens_and_own_gpus_are_said_as_set(bundled):
    said = words.reasoning_on_top(
        Question.of(reasoning_tokens_per_request=1_500), bundled.catalogue
    )
    assert said == "Reasoning models write another 1,500 hidden tokens for a request, as you set."
    asked, rents = Question.of(access="own", gpu="L4", gpus_owned=3), "GPU rents of May"
    mine, servers = words.assumed(asked, bundled.catalogue, rents, 9_000.0, [])
    assert mine == "9,000 requests a month on 3 × L4 of your own, without rent, power and staff"
    assert servers == f"Weights{words.servers_assumed(asked.hardware)[7:]}."
    rented = words.assumed(asked.having(gpus_owned=None), bundled.catalogue, rents, 9_000.0, [])
    assert rented[0] == f"9,000 requests a month, {rents}, without staff, network and storage"
    # Where nothing has a price, no taxes come on top of it.
    for suite in ("", "χ-Bench"):
        none, _ = words.assumed(Question(), bundled.catalogue, "", 9_000.0, [], suite)
        assert "no public price" in none
        assert "before taxes" not in none


SMALL, MIDDLE = "Llama-3.1-8B-Instruct", "Qwen2.5-32B-Instruct"


@pytest.mark.parametrize(
    ("model", "asked", "why", "said"),
    [
        # (8.0 + 131,072 x 65,536 / 1e9) x 1.2 = 19.9 GB of 24.
        (SMALL, {}, "owned", "fits 1 × L4: about 20 GB at 8 bits; no source says how much they"),
        # 16.1 + 8.6, and 20 %: 29.5 GB are two of them.
        (SMALL, {"bits": 16}, "no room", "30 GB at 16 bits, more than 1 × L4 can hold: it takes 2"),
        (SMALL, {"bits": 16, "gpus_owned": 2}, "owned", "fits 2 × L4"),
        (SMALL, {"spares": 1}, "no room", "with 1 spare set, more than 1 × L4 can hold"),
        (MIDDLE, {}, "no room", "it takes 4 of them"),  # (32 + 17.2) x 1.2 = 59 GB
        (LLAMA, {"gpu": "H100 80GB", "gpus_owned": 3}, "owned", "they serve about"),
        (
            LLAMA,
            {"gpu": "H100 80GB", "gpus_owned": 3, "requests_per_month": 10**9},
            "too slow",
            "on 3 × H100 80GB they serve about",
        ),
        (GEMMA_2, {"gpu": "T4", "gpus_owned": 8}, "no room", "lacks the number format"),
        (GPT_5, {}, "no servers", "its weights are closed"),
    ],
)
def test_what_fits_the_gpus_that_one_owns_and_no_rent_is_counted(ask, model, asked, why, said):
    mine = {"access": "own", "gpu": "L4", "gpus_owned": 1, "suite": "bridge"} | asked
    found = ask(model, **mine)[model]
    # A cost of own servers is one of rent, so of those that one owns none is known.
    assert (found.kind, found.low, found.likely, found.why) == ("unknown", None, None, why)
    assert said in basis(found)
    if why == "owned":
        assert money(found) == "no rent counted"


def test_places_without_own_servers_are_billed_by_the_token(ask, costs):
    for place in ["any", "open", "vendor"]:
        asked = {"access": place, "gpu": "H100 80GB", "monthly_budget_usd": 1.0, "margin": 0.1}
        assert ask(LLAMA, **asked) == {LLAMA: costs[LLAMA]}
    # Llama at 8 bits: (70.554 + 8 x 8,192 x 327,680 / 1e9) x 1.2 = 110.4 GB, one GPU of 141 GB.
    #
    # An H200 is asked for at 3.59 to 7.912 an hour; the medians of the providers are 3.99, 4.09,
    # 4.50 and 7.912, likely 4.295. An MI300X costs less, but nobody published what it serves.
    found = ask(LLAMA, GPT_5, access="own")
    assert found[LLAMA].kind == "own servers"
    assert from_whom(found[LLAMA]) == "own servers: 1 × H200 141GB"
    usd = (found[LLAMA].low, found[LLAMA].likely, found[LLAMA].high)
    assert usd == pytest.approx((3.59 * 730, 4.295 * 730, 7.912 * 730))
    assert "a set serves about" in basis(found[LLAMA])
    assert (found[GPT_5].kind, found[GPT_5].likely) == ("unknown", None)
    assert "closed" in basis(found[GPT_5])
    # No public price and no condition changes the rent.
    assert ask(LLAMA, access="own", required=("baa",)) == {LLAMA: found[LLAMA]}


def asked_for(**what):
    """Ask without regard to how long a model is still on sale, which is another matter."""
    return Question.of(**{"on_sale_months": None} | what)


def asks(row, **question):
    asked = Question.of(**question)
    return (*questions(row, asked), *not_known(row, asked))


@pytest.fixture
def listed(bundled):
    return lambda **asked: recommend.shortlist(put(bundled, asked_for(**asked), TODAY))


@pytest.fixture
def row_of(listed):
    return lambda model, **asked: next(r for r in listed(**asked).rows if r.model.id == model)


@pytest.fixture
def billed(bundled):
    return lambda model, **asked: bills.provider_bills(
        put(bundled, asked_for(**asked), TODAY), (model,)
    )[model]


def said(platform, answer, condition="baa"):
    return ConditionAnswer(
        platform, condition, answer, "as agreed", "a letter", "2026-11-01", None, "own"
    )


@pytest.fixture
def models(listed, billed):
    """Two models of MedHELM by their names: one closed, one open and sold by several."""
    rows = listed().rows
    closed = next(r.model for r in rows if r.model.access == "closed" and r.bill)
    several = {r.model.id: len(billed(r.model.id)) for r in rows if r.model.access == "open"}
    sold = max(several, key=several.get)
    assert several[sold] > 2
    return closed.id, sold


def test_volumes_tokens_and_an_own_price_make_the_bill(bundled, models, billed, row_of):
    """1,000 messages x (1,500 x $2 + 300 x $8) / 1e6 = $5.40; 50 letters x (2,000 x $2 + 500 x $8)
    / 1e6 = $0.40. Each writes 200 or 400 tokens, and 100 more that nobody reads.
    """
    closed, other = models
    asked = {
        "volumes": (("discharge-instructions", 50), ("portal-messages", 1_000)),
        "own_tokens": (
            OwnTokens("portal-messages", 1_500, 200),
            OwnTokens("discharge-instructions", 2_000, 400),
        ),
        "own_prices": (OwnPrice(closed, 2.0, 8.0, "2026-11-01", "offer 7"),),
        "reasoning_tokens_per_request": 100,
    }
    (bill,) = billed(closed, **asked)
    assert dict(bill.lines) == {
        "Discharge instructions": pytest.approx(0.40),
        "Portal messages answered": pytest.approx(5.40),
    }
    assert bill.monthly_usd == pytest.approx(5.80)
    # Without its reasoning $4.60 and $0.36; by default what was measured of its family is added.
    silent, measured = (
        billed(closed, **asked | {"reasoning_tokens_per_request": tokens}) for tokens in (0, None)
    )
    assert silent[0].monthly_usd == pytest.approx(4.96)
    assert measured[0].monthly_usd > 5.80
    price = bill.price
    said = (price.provider_name, price.as_of, price.source)
    assert said == ("your own offer", "2026-11-01", "offer 7")
    assert billed(other, **asked) == billed(other, **asked | {"own_prices": ()}) != ()
    assert bills.requests_a_month(asked_for(**asked).workload) == 1_050
    assert row_of(closed, **asked).bill == bill


def test_an_own_price_is_judged_at_the_platform_that_it_names(bundled):
    """10,000 requests of 1,000 read and 100 written: 10 M x $1 + 1 M x $2 = $12; with 60 % of what
    is read at $0.10, 4 + 0.6 + 2 = $6.60. Databricks asks $0.50 and $1.50 in public: $6.50.
    """
    tokens = {"input_tokens_per_request": 1_000, "output_tokens_per_request": 100}
    asked = asked_for(required=("baa",), reasoning_tokens_per_request=0, **tokens)

    def cost(at, cached=None, share=0.0, **also):
        own = OwnPrice(LLAMA, 1.0, 2.0, "2026-11-01", "offer 7", at, cached)
        named = asked.having(own_prices=(own,), cached_share=share, **also)
        return bills.monthly_costs(put(bundled, named, TODAY), (LLAMA,))[LLAMA]

    at_aws = {"platforms": ("AWS Bedrock",)}
    signed = cost("AWS Bedrock", **at_aws)
    assert (signed.likely, signed.platform) == (pytest.approx(12.0), "AWS Bedrock")
    assert cost("AWS Bedrock", 0.1, 0.6, **at_aws).likely == pytest.approx(6.60)
    # Without a rate of its own the cached share costs the full price, and that is said.
    full = cost("AWS Bedrock", None, 0.6, **at_aws)
    assert full.likely == pytest.approx(12.0)
    assert "60 % of what is read at the full price, since the list has no" in basis(full)
    # It takes no other platform's place, nor where nobody knows whether an agreement is signed, and
    # where none is named.
    for at in ("AWS Bedrock", "Novita", ""):
        found = cost(at)
        assert (found.likely, found.platform) == (pytest.approx(6.50, abs=1e-3), "Databricks")
    # Of a platform that it names nobody knows the agreement: it is not a cost.
    found = cost("Novita", platforms=("Novita",))
    assert (found.likely, found.why) == (None, "condition")
    assert found.where_open.monthly_usd == pytest.approx(12.0)
    for chosen, day in (("", TODAY), ("2026-03-01", date(2026, 3, 1)), ("2031-01-01", TODAY)):
        assert data.day_of_prices(asked_for(prices_on=chosen), TODAY) == day


def test_cached_input_costs_the_list_price_next_to_a_signed_agreement(bundled):
    """GPT-5 mini reads at $0.25, cached at $0.025, and writes at $2 a million: 10 M tokens read, of
    which 8 M are cached, and 1 M written are 0.50 + 0.20 + 2 = $2.70, in place of $4.50.
    """
    asked = asked_for(
        on_sale_months=None,
        on_sale_on="2026-01-31",
        input_tokens_per_request=1_000,
        output_tokens_per_request=100,
        reasoning_tokens_per_request=0,
    )
    for share, usd in ((0.0, 4.50), (0.8, 2.70)):
        named = asked.having(cached_share=share)
        found = bills.monthly_costs(put(bundled, named, TODAY), (MINI,))[MINI]
        assert found.likely == pytest.approx(usd)
    assert "80 % of what is read at the cached rate of $0.025 a million" in basis(found)
    # Llama is cheapest where nobody knows of an agreement; the bill under that condition is the
    # one as well, and none is added where the condition is asked already.
    asked = asked_for(on_sale_months=None)
    found, signed = (
        bills.monthly_costs(put(bundled, asked.having(required=required), TODAY), (LLAMA,))[LLAMA]
        for required in ((), ("baa",))
    )
    signed_there = found.with_baa
    assert (signed_there.monthly_usd, signed_there.platform) == (signed.likely, signed.platform)
    assert signed_there.monthly_usd > found.likely
    assert with_baa(found) == f"with a signed BAA ${signed.likely:,.0f} at {signed_there.platform}"
    assert signed.with_baa is None
    # Where the cheapest signs one itself, nothing more is said.
    assert with_baa(replace(found, platform=signed_there.platform)) == ""


def test_of_equal_prices_the_provider_that_meets_the_conditions_better_comes_first(billed, row_of):
    """Claude 3.7 Sonnet costs the same at Anthropic as at AWS, which meets two outright."""
    model, sold = "Claude 3.7 Sonnet (20250219)", {"on_sale_on": "2026-01-31"}
    free = billed(model, **sold)
    assert free[0].price.provider == "anthropic"
    same = {bill.price.provider for bill in free if bill.monthly_usd == free[0].monthly_usd}
    assert "aws" in same
    row = row_of(model, required=("baa", "trains_on_customer_data_by_default"), **sold)
    assert (row.bill.price.provider, row.terms[0].status) == ("aws", "passes")
    assert row.bill.monthly_usd == free[0].monthly_usd


def test_a_model_leaves_where_all_ways_fail_not_where_unknown(bundled, models, listed, row_of):
    closed, sold = models
    every = dict.fromkeys(it.platform for it in bundled.catalogue.platforms)
    no = {"required": ("baa",), "own_answers": tuple(said(platform, "no") for platform in every)}
    found = listed(**no)
    assert closed not in [row.model.id for row in found.rows]
    (out,) = (out for out in found.left_out if out.model == closed)
    assert out.rule == "condition"
    assert "offers no business associate agreement. As agreed" in why_left_out(out)
    # Open weights can still be run at home, but nobody who fails may sell them.
    row = row_of(sold, **no)
    assert row.bill is None
    assert row.terms[0].platform == "Self-hosted open weights"
    assert row.terms[0].status == "passes"
    assert any("No public price where your conditions may be met" in q for q in asks(row))
    unknown = tuple(said(platform, "unknown") for platform in every)
    row = row_of(closed, **no | {"own_answers": unknown})
    assert row.terms[0].status == "open"
    (question,) = (q for q in asks(row) if "business associate agreement" in q)
    assert question.startswith(f"Ask {row.terms[0].platform}: ")


def test_own_servers_and_a_vendors_service_are_different_ways(listed):
    home, anywhere = "Self-hosted open weights", {"suite": "bridge", "required": ("baa",)}
    found = listed(required=("baa",), access="own")
    assert {way.platform for row in found.rows for way in row.terms} == {home}
    ways = {row.model.id: {way.platform for way in row.terms} for row in listed(**anywhere).rows}
    at_home = {name for name, platforms in ways.items() if platforms == {home}}
    rows = [r for r in listed(**anywhere, access="vendor").rows if r.model.id in at_home]
    assert {row.model.id for row in rows} == at_home != set()
    assert {way.platform for row in rows for way in row.terms} == {"no platform known"}


BEDROCK, EU = "AWS Bedrock", "region_eu"


def test_a_region_is_judged_of_the_model_at_the_platform():
    """A US government cloud is in the US; a global profile is in no region."""

    def region(platform, name):
        return Region("P", platform, name, "", "profile", "https://x", "2026-11-12", "page", "")

    rows = [region("A", "US GovCloud"), region("A", "EU"), region("B", "global")]
    found = served_in({"m": ("P",), "other": ("Q",)}, rows, {"eu": "EU", "us": "US"})
    answers = {
        (where, condition): one.answer
        for (name, where, condition), one in found.items()
        if name == "m"
    }
    own = SELF_HOSTED
    assert answers == {
        **{("A", "eu"): "yes", ("A", "us"): "yes", ("B", "eu"): "no", ("B", "us"): "no"},
        **{(own, "eu"): "yes", (own, "us"): "yes"},
    }
    assert found["m", "B", "eu"].detail == "Profile: global."
    # A price of its own in the EU says nothing of the US; a curated row counts as all there are.
    priced = replace(region("C", "EU"), kind=PRICED_THERE)
    for rows, of_us in (([priced], None), ([priced, region("C", "JP")], "no")):
        at_c = served_in({"m": ("P",)}, rows, {"eu": "EU", "us": "US"})
        assert at_c["m", "C", "eu"].answer == "yes"
        assert getattr(at_c.get(("m", "C", "us")), "answer", None) == of_us
    # Of a product without rows nothing is known but on own servers.
    assert {where for name, where, _ in found if name == "other"} == {own}


def test_with_platforms_named_only_these_count(bundled, listed):
    found = listed(platforms=(BEDROCK,), access="vendor")
    assert {row.cost.platform for row in found.rows if row.cost.likely is not None} == {BEDROCK}
    out = {out.model: out for out in found.left_out}
    assert out["GPT-5 (2025-08-07)"].rule == "elsewhere"
    assert why_left_out(out["GPT-5 (2025-08-07)"]).startswith("not known to be sold on")
    # On own servers no platform is asked.
    own = asked_for(platforms=(BEDROCK,), access="own")
    assert recommend.shortlist(put(bundled, own, date(2026, 11, 21))).n_fit > 0


def test_leaving_a_model_that_ends_comes_first_and_conditions_list_it_last(bundled):
    for name, begins in [
        (
            "Claude 3.7 Sonnet (20250219)",
            "Claude 3.7 Sonnet (20250219) is no longer sold since 11 May 2026, last at Google "
            "Vertex AI; its maker's successor is Claude Sonnet 4.6, tested in χ-Bench",
        ),
        (
            "GPT-4o (2024-05-13)",
            "GPT-4o (2024-05-13) is for existing customers only, until 9 December 2026, at Azure",
        ),
    ]:
        asked = Question.of(suite="medhelm")
        found = recommend.recommendation(put(bundled, asked, date(2026, 11, 23)), in_place_of=name)
        assert headline(found).startswith(begins)
        if "Claude" in name:
            assert found.leader.cost.why == "ended"
            assert all(each.saves is None for each in found.dossiers.values())
    asked = Question.of(suite="medhelm", required=("baa",))
    rows = conditions.conditions(put(bundled, asked, date(2026, 11, 23))).rows
    ended = [row.sale.standing == "fails" for row in rows]
    assert ended == sorted(ended)
    assert True in ended
    assert not ended[0]
    # Of those, what is still served goes before what is gone.
    gone = [row.sale.best.state == "gone" for row in rows if row.sale.standing == "fails"]
    assert gone == sorted(gone)
    assert set(gone) == {False, True}
    assert {row.model.name for row in rows if row.sale.standing != "fails"} == {
        # GPT-5 mini lasts at Azure for those who have it there, which is to be asked.
        *("DeepSeek R1", "Llama 3.3 Instruct (70B)", "GPT-5 mini (2025-08-07)"),
    }
