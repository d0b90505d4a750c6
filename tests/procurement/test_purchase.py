"""What a purchase assumes, through the whole way: volumes, own prices, gates, and the shortlist."""

from dataclasses import replace
from datetime import date

import pytest
from building import TODAY

from core.answers import bills, conditions, data, recommend
from core.domain import GateAnswer, OwnPrice, OwnTokens, Region, Requirements
from core.procurement.gates import SELF_HOSTED, served_in
from core.words.cost import basis, with_baa
from core.words.recommendation import headline
from core.words.shortlist import questions, said_of, why_left_out

LLAMA, MINI = "Llama 3.3 Instruct (70B)", "GPT-5 mini (2025-08-07)"


def asked_for(**what):
    """Ask without regard to how long a model is still on sale, which is another matter."""
    return Requirements(**{"on_sale_months": None} | what)


def asks(row, **question):
    """What is to be asked of a row."""
    return questions(row, Requirements(**question))


@pytest.fixture
def listed(bundled):
    return lambda **asked: recommend.shortlist(bundled, asked_for(**asked), TODAY)


@pytest.fixture
def row_of(listed):
    return lambda model, **asked: next(r for r in listed(**asked).rows if r.model.id == model)


@pytest.fixture
def billed(bundled):
    """The bills of a model at each provider that counts."""
    return lambda model, **asked: bills.provider_bills(
        bundled, (model,), asked_for(**asked), TODAY
    )[model]


def said(platform, answer, gate="baa"):
    return GateAnswer(platform, gate, answer, "as agreed", "a letter", "2026-11-01", None, "own")


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
    assert bills.requests_a_month(bundled, asked_for(**asked)) == 1_050
    assert row_of(closed, **asked).bill == bill


def test_an_own_price_is_judged_at_the_platform_that_it_names(bundled):
    """10,000 requests of 1,000 read and 100 written: 10 M x $1 + 1 M x $2 = $12; with 60 % of what
    is read at $0.10, 4 + 0.6 + 2 = $6.60.
    """
    tokens = {"input_tokens_per_request": 1_000, "output_tokens_per_request": 100}
    asked = asked_for(gates=("baa",), reasoning_tokens_per_request=0, **tokens)

    def cost(at, cached=None, share=0.0):
        own = OwnPrice(LLAMA, 1.0, 2.0, "2026-11-01", "offer 7", at, cached)
        named = replace(asked, own_prices=(own,), cached_share=share)
        return bills.monthly_costs(bundled, (LLAMA,), named, TODAY)[LLAMA]

    signed = cost("AWS Bedrock")
    assert (signed.likely, signed.platform) == (pytest.approx(12.0), "AWS Bedrock")
    assert cost("AWS Bedrock", 0.1, 0.6).likely == pytest.approx(6.60)
    # Without a rate of its own the cached share costs the full price, and that is said.
    full = cost("AWS Bedrock", None, 0.6)
    assert full.likely == pytest.approx(12.0)
    assert "60 % of what is read at the full price, since the list has no" in basis(full)
    # Where nobody knows whether an agreement is signed, and where none is named, it is no cost.
    for at in ("Novita", ""):
        found = cost(at)
        assert (found.likely, found.why, found.open_usd) == (None, "condition", pytest.approx(12.0))
    for chosen, day in (("", TODAY), ("2026-03-01", date(2026, 3, 1)), ("2031-01-01", TODAY)):
        assert data.day_of_prices(asked_for(prices_on=chosen), TODAY) == day


def test_cached_input_costs_what_the_list_says_and_a_signed_agreement_stands_beside(bundled):
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
        named = replace(asked, cached_share=share)
        found = bills.monthly_costs(bundled, (MINI,), named, TODAY)[MINI]
        assert found.likely == pytest.approx(usd)
    assert "80 % of what is read at the cached rate of $0.025 a million" in basis(found)
    # Llama is cheapest where nobody knows of an agreement; the bill under that condition is the
    # one beside, and none stands beside where the condition is asked already.
    asked = asked_for(on_sale_months=None)
    found, signed = (
        bills.monthly_costs(bundled, (LLAMA,), replace(asked, gates=gates), TODAY)[LLAMA]
        for gates in ((), ("baa",))
    )
    beside = found.with_baa
    assert (beside.monthly_usd, beside.platform) == (signed.likely, signed.platform)
    assert beside.monthly_usd > found.likely
    assert with_baa(found) == f"with a signed BAA ${signed.likely:,.0f} at {beside.platform}"
    assert signed.with_baa is None
    # Where the cheapest signs one itself, nothing more is said.
    assert with_baa(replace(found, platform=beside.platform)) == ""


def test_of_equal_prices_the_provider_that_meets_the_conditions_better_comes_first(billed, row_of):
    """Claude 3.7 Sonnet costs the same at Anthropic as at AWS, where two gates are met outright."""
    model, sold = "Claude 3.7 Sonnet (20250219)", {"on_sale_on": "2026-01-31"}
    free = billed(model, **sold)
    assert free[0].price.provider == "anthropic"
    same = {bill.price.provider for bill in free if bill.monthly_usd == free[0].monthly_usd}
    assert "aws" in same
    row = row_of(model, gates=("baa", "trains_on_customer_data_by_default"), **sold)
    assert (row.bill.price.provider, row.routes[0].status) == ("aws", "passes")
    assert row.bill.monthly_usd == free[0].monthly_usd


def test_a_model_leaves_where_every_way_fails_and_stays_where_one_is_unknown(
    bundled, models, listed, row_of
):
    closed, sold = models
    every = dict.fromkeys(it.platform for it in bundled.catalogue.platforms)
    no = {"gates": ("baa",), "own_answers": tuple(said(platform, "no") for platform in every)}
    found = listed(**no)
    assert closed not in [row.model.id for row in found.rows]
    (out,) = (out for out in found.left_out if out.model == closed)
    assert out.rule == "condition"
    assert "offers no business associate agreement. as agreed" in why_left_out(out)
    # Open weights can still be run at home, on a condition, but nobody who fails may sell them.
    row = row_of(sold, **no)
    assert row.bill is None
    assert row.routes[0].platform == "Self-hosted open weights"
    assert said_of(row.routes[0], "conditional")
    assert any("No public price where your conditions may be met" in q for q in asks(row))
    unknown = tuple(said(platform, "unknown") for platform in every)
    row = row_of(closed, **no | {"own_answers": unknown})
    assert row.routes[0].status == "open"
    (question,) = (q for q in asks(row) if "business associate agreement" in q)
    assert question.startswith(f"Ask {row.routes[0].platform}: ")


def test_own_servers_and_a_vendors_service_are_different_ways(listed):
    at_home = (said("Self-hosted open weights", "no"),)
    assert listed(gates=("baa",), access="own", own_answers=at_home).rows == ()
    found = listed(gates=("baa",), access="own")
    assert {v.platform for row in found.rows for v in row.routes} == {"Self-hosted open weights"}
    anywhere = {"suite": "bridge", "gates": ("baa",)}
    at_home = {
        row.model.id
        for row in listed(**anywhere).rows
        if {way.platform for way in row.routes} == {"Self-hosted open weights"}
    }
    assert at_home
    rows = [r for r in listed(**anywhere, access="vendor").rows if r.model.id in at_home]
    assert {row.model.id for row in rows} == at_home
    for row in rows:
        assert [way.platform for way in row.routes] == ["no platform known"]
        assert any("Ask the vendor of" in q and "business associate" in q for q in asks(row))
        assert not any("your own servers" in q for q in asks(row, access="vendor"))


# Where a platform runs a model, and the platforms that a hospital has

BEDROCK, EU = "AWS Bedrock", "region_eu"


def test_a_region_is_judged_of_the_model_at_the_platform():
    """A US government cloud is in the US; a global profile is in no region."""

    def region(platform, name):
        return Region("P", platform, name, "", "profile", "https://x", "2026-11-12", "page", "")

    rows = [region("A", "US GovCloud"), region("A", "EU"), region("B", "global")]
    found = served_in({"m": ("P",), "other": ("Q",)}, rows, {"eu": "EU", "us": "US"})
    answers = {
        (where, gate): one.answer for (name, where, gate), one in found.items() if name == "m"
    }
    own = SELF_HOSTED
    assert answers == {
        **{("A", "eu"): "yes", ("A", "us"): "yes", ("B", "eu"): "no", ("B", "us"): "no"},
        **{(own, "eu"): "yes", (own, "us"): "yes"},
    }
    assert found["m", "B", "eu"].detail == "Profile: global."
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
    assert recommend.shortlist(bundled, own, date(2026, 11, 21)).n_fit > 0


def test_leaving_a_model_that_ends_is_the_first_line_and_it_stands_last_under_conditions(bundled):
    for name, begins in [
        (
            "Claude 3.7 Sonnet (20250219)",
            "Claude 3.7 Sonnet (20250219) is no longer sold since 11 May 2026, last at Google "
            "Vertex AI; its maker names claude-sonnet-4-6, tested in χ-Bench",
        ),
        ("GPT-4o (2024-05-13)", "GPT-4o (2024-05-13) is on sale only until 9 December 2026, at "),
    ]:
        asked = Requirements(suite="medhelm")
        found = recommend.recommendation(bundled, asked, date(2026, 11, 23), in_place_of=name)
        assert headline(found).startswith(begins)
        if "Claude" in name:
            assert found.leader.cost.why == "ended"
            assert all(each.saves is None for each in found.dossiers.values())
    asked = Requirements(suite="medhelm", gates=("baa",))
    rows = conditions.conditions(bundled, asked, date(2026, 11, 23)).rows
    ended = [row.sale.standing == "fails" for row in rows]
    assert ended == sorted(ended)
    assert True in ended
    assert not ended[0]
    # Of those, what is still served goes before what is gone.
    gone = [row.sale.best.state == "gone" for row in rows if row.sale.standing == "fails"]
    assert gone == sorted(gone)
    assert set(gone) == {False, True}
    assert {row.model.name for row in rows if row.sale.standing != "fails"} == {
        *("DeepSeek R1", "Llama 3.3 Instruct (70B)"),
    }
