"""What a purchase assumes, through the whole way: volumes, own prices, gates, and the shortlist."""

from dataclasses import replace
from datetime import date

import pytest

from core.answers import bills, data, evidence, recommend
from core.domain import GateAnswer, OwnPrice, OwnTokens, Requirements
from core.procurement.requirements import categories
from core.procurement.shortlist import FAILS_CONDITION

ON = date(2026, 11, 21)


def asked_for(**what):
    """Ask without regard to how long a model is still on sale, which is another matter."""
    return Requirements(**{"on_sale_months": None} | what)


def ids(found):
    return [row.model.id for row in found.rows]


def said(platform, answer, gate="baa"):
    return GateAnswer(platform, gate, answer, "as agreed", "a letter", "2026-11-01", None, "own")


@pytest.fixture(scope="module")
def models(bundled):
    """Two models of MedHELM by their names: one closed, one open and sold by several."""
    found = recommend.shortlist(bundled, asked_for(), ON)
    closed = next(r.model for r in found.rows if r.model.access == "closed" and r.bill)
    several = {
        row.model.id: bills.provider_bills(bundled, row.model.id, asked_for(), ON)
        for row in found.rows
        if row.model.access == "open"
    }
    sold = max(several, key=lambda name: len(several[name]))
    assert len(several[sold]) > 2
    return closed.id, sold


def test_volumes_tokens_and_an_own_price_make_the_bill(bundled, models):
    """1,000 messages x (1,500 x $2 + 300 x $8) / 1e6 = $5.40; 50 letters x (2,000 x $2 + 500 x $8)
    / 1e6 = $0.40. Each writes 200 or 400 tokens, and 100 more that nobody reads.
    """
    closed, other = models
    asked = asked_for(
        volumes=(("discharge-instructions", 50), ("portal-messages", 1_000)),
        own_tokens=(
            OwnTokens("portal-messages", 1_500, 200),
            OwnTokens("discharge-instructions", 2_000, 400),
        ),
        own_prices=(OwnPrice(closed, 2.0, 8.0, "2026-11-01", "offer 7"),),
        reasoning_tokens_per_request=100,
    )
    bill = bills.bills(bundled, (closed, other), asked, ON)[closed]
    assert dict(bill.lines) == {
        "Discharge instructions": pytest.approx(0.40),
        "Portal messages answered": pytest.approx(5.40),
    }
    assert bill.monthly_usd == pytest.approx(5.80)
    # Without its reasoning $4.60 and $0.36; by default what was measured of its family is added.
    silent = replace(asked, reasoning_tokens_per_request=0)
    assert bills.bills(bundled, (closed,), silent, ON)[closed].monthly_usd == pytest.approx(4.96)
    measured = replace(asked, reasoning_tokens_per_request=None)
    assert bills.bills(bundled, (closed,), measured, ON)[closed].monthly_usd > 5.80
    assert (bill.price.provider_name, bill.price.as_of, bill.price.source) == (
        *("your own offer", "2026-11-01", "offer 7"),
    )
    assert bills.provider_bills(bundled, closed, asked, ON) == (bill,)
    public = bills.bills(bundled, (other,), replace(asked, own_prices=()), ON)[other]
    assert bills.bills(bundled, (other,), asked, ON)[other] == public
    assert bills.requests_a_month(bundled, asked) == 1_050
    row = next(r for r in recommend.shortlist(bundled, asked, ON).rows if r.model.id == closed)
    assert row.bill == bill


def test_the_day_of_the_prices_is_the_chosen_one_at_the_latest_today():
    assert data.day_of_prices(asked_for(), ON) == ON
    assert data.day_of_prices(asked_for(prices_on="2026-03-01"), ON) == date(2026, 3, 1)
    assert data.day_of_prices(asked_for(prices_on="2031-01-01"), ON) == ON


def test_a_provider_that_fails_a_gate_sells_nothing(bundled, models):
    _, sold = models
    free = bills.provider_bills(bundled, sold, asked_for(), ON)
    platforms = {it.provider: it.platform for it in bundled.catalogue.procurement.platforms}
    cheapest = platforms[free[0].price.provider]
    every = dict.fromkeys(platforms.values())
    asked = asked_for(
        gates=("baa",),
        own_answers=tuple(said(p, "no" if p == cheapest else "yes") for p in every),
    )
    left = bills.provider_bills(bundled, sold, asked, ON)
    assert left == tuple(b for b in free if platforms[b.price.provider] != cheapest)
    row = next(r for r in recommend.shortlist(bundled, asked, ON).rows if r.model.id == sold)
    assert row.bill == left[0]
    assert row.routes[0].platform == platforms[left[0].price.provider]
    assert row.routes[0].status == "passes"
    assert [v.status for v in row.routes if v.platform == cheapest] == ["fails"]


def test_of_equal_prices_the_provider_that_meets_the_conditions_better_comes_first(bundled):
    """Claude 3.7 Sonnet costs the same at Anthropic as at AWS, where two gates are met outright."""
    model = "Claude 3.7 Sonnet (20250219)"
    free = bills.provider_bills(bundled, model, asked_for(), ON)
    assert free[0].price.provider == "anthropic"
    same = {bill.price.provider for bill in free if bill.monthly_usd == free[0].monthly_usd}
    assert "aws" in same
    asked = asked_for(gates=("baa", "trains_on_customer_data_by_default"))
    row = next(r for r in recommend.shortlist(bundled, asked, ON).rows if r.model.id == model)
    assert (row.bill.price.provider, row.routes[0].status) == ("aws", "passes")
    assert row.bill.monthly_usd == free[0].monthly_usd


def test_a_model_leaves_where_every_way_fails_and_stays_where_one_is_unknown(bundled, models):
    closed, sold = models
    every = dict.fromkeys(it.platform for it in bundled.catalogue.procurement.platforms)
    no = tuple(said(platform, "no") for platform in every)
    asked = asked_for(gates=("baa",), own_answers=no)
    found = recommend.shortlist(bundled, asked, ON)
    assert closed not in ids(found)
    (rule,) = (rule for rule in found.exclusions if rule.rule == FAILS_CONDITION)
    reason = next(out.reason for out in rule.models if out.model == closed)
    assert "offers no business associate agreement. as agreed" in reason
    # Open weights can still be run at home, on a condition, but nobody who fails may sell them.
    row = next(row for row in found.rows if row.model.id == sold)
    assert row.bill is None
    assert row.routes[0].platform == "Self-hosted open weights"
    assert row.conditions
    assert any("No public price where your conditions may be met" in q for q in row.questions)

    unknown = tuple(said(platform, "unknown") for platform in every)
    found = recommend.shortlist(bundled, replace(asked, own_answers=unknown), ON)
    row = next(row for row in found.rows if row.model.id == closed)
    assert row.routes[0].status == "open"
    (question,) = (q for q in row.questions if "business associate agreement" in q)
    assert question.startswith(f"Ask {row.routes[0].platform}: ")


def test_on_own_servers_only_the_services_do_not_count(bundled):
    at_home = (said("Self-hosted open weights", "no"),)
    asked = asked_for(gates=("baa",), access="own", own_answers=at_home)
    assert recommend.shortlist(bundled, asked, ON).rows == ()
    found = recommend.shortlist(bundled, replace(asked, own_answers=()), ON)
    assert {v.platform for row in found.rows for v in row.routes} == {"Self-hosted open weights"}


def test_too_short_a_window_fails_and_an_unknown_one_is_asked(bundled):
    least = max(
        row.model.context_window_tokens or 0
        for row in recommend.shortlist(bundled, asked_for(), ON).rows
    )
    found = recommend.shortlist(bundled, asked_for(min_context_tokens=least), ON)
    assert {row.model.context_window_tokens for row in found.rows} <= {least, None}
    assert any(rule.rule == FAILS_CONDITION for rule in found.exclusions)
    for row in found.rows:
        asks = any("how many tokens can it read at once" in q for q in row.questions)
        assert asks == (row.model.context_window_tokens is None)


def test_without_a_gate_there_is_no_verdict(bundled):
    assert all(row.routes == () for row in recommend.shortlist(bundled, asked_for(), ON).rows)


@pytest.mark.parametrize("suite", ["medhelm", "bridge", "open-medical-llm"])
def test_one_category_alone_ranks_as_the_win_rate_page_does(bundled, suite):
    """The page shows each category's mean score, and so does a shortlist of that category alone."""
    if suite not in bundled.catalogue.benchmarks:
        pytest.skip("no such suite")
    table = evidence.win_rates(bundled, data.selection_of(asked_for(suite=suite)))
    for category in categories(bundled.catalogue.benchmarks[suite]):
        shown = {model: s for model, s in dict(table.categories)[category] if s is not None}
        asked = asked_for(suite=suite, task="own", weights=((category, 1.0),))
        rows = [r for r in recommend.shortlist(bundled, asked, ON).rows if r.rank is not None]
        assert rows
        assert {r.model.id: r.score for r in rows} == pytest.approx(
            {r.model.id: shown[r.model.id] for r in rows}
        )
        expected = sorted(
            (r.model.id for r in rows), key=lambda model: (-round(shown[model], 12), model)
        )
        assert [r.model.id for r in rows] == expected


def test_as_a_service_only_the_vendor_is_asked_about_weights_that_nobody_is_known_to_sell(bundled):
    anywhere = asked_for(suite="bridge", gates=("baa",))
    at_home = {
        row.model.id
        for row in recommend.shortlist(bundled, anywhere, ON).rows
        if {way.platform for way in row.routes} == {"Self-hosted open weights"}
    }
    assert at_home
    found = recommend.shortlist(bundled, replace(anywhere, access="vendor"), ON)
    rows = [row for row in found.rows if row.model.id in at_home]
    assert {row.model.id for row in rows} == at_home
    for row in rows:
        assert [way.platform for way in row.routes] == ["no platform known"]
        assert any("Ask the vendor of" in q and "business associate" in q for q in row.questions)
        assert not any("your own servers" in q for q in row.questions)
