"""Public prices: the bundled references, known prices, tiers, and what is not known."""

from dataclasses import replace
from datetime import UTC, date, datetime

import genai_prices
import pytest
from genai_prices.data import providers

from core.domain import FactList, ListRow, PriceReference
from core.procurement.bill import public_prices, request_cost_usd

DAY = date(2026, 11, 21)
LIST = FactList("a list", "1", "2026-11-10", "2026-11-25", "", "MIT", "", 1, 0)


@pytest.fixture
def references(bundled):
    return bundled.catalogue.prices


@pytest.fixture
def prices(references, priced):
    return priced(references)


@pytest.fixture
def price_at(prices):
    return lambda model, name: next(p for p in prices[model] if p.provider == name)


def test_every_bundled_reference_has_a_price_as_published(references, prices, bundled):
    assert sum(map(len, prices.values())) == len(references)
    keys = [(r.model, r.provider, r.provider_model) for r in references]
    assert len(set(keys)) == len(keys)
    assert not [r for r in references if r.provider_model.endswith((":free", ":batch"))]
    assert {r.checked_on for r in references} == {"2026-11-21", "2026-11-23", "2026-11-25"}
    assert all(r.basis for r in references)
    # MedHELM's Table 3 (arXiv:2505.23802), benchmark cost in US dollars, to 0.5 %.
    #
    # Not those that the paper priced otherwise: GPT-4o at its later 2.50/10, Gemini 2.0 Flash
    # at 0.15/0.60.
    published = {
        "Claude 3.5 Sonnet (20241022)": 778.67,
        "Claude 3.7 Sonnet (20250219)": 768.26,
        "Gemini 1.5 Pro (001)": 359.33,
        "GPT-4o mini (2024-07-18)": 38.83,
    }
    totals = dict.fromkeys(published, 0.0)
    for row in bundled.catalogue.tokens:
        if row.model in totals:
            price = prices[row.model][0]
            read = row.input_tokens * price.input_usd_per_mtok
            totals[row.model] += (read + row.max_output_tokens * price.output_usd_per_mtok) / 1e6
    assert totals == pytest.approx(published, rel=0.005)


def test_what_is_gone_or_costs_nothing_has_no_price(references, priced):
    good = references[0]
    gone = replace(good, model="gone", provider_model="no-such-model")
    family = replace(good, model="family", provider_model="claude-3-5-sonnet-20241022")
    free = PriceReference("free", "azure", "phi-4-reasoning:free", "x", "2026-11-21", "")
    assert set(priced([gone, good, family, free])) == {good.model}
    # One provider gone keeps the others.
    gone = PriceReference("Phi-4", "azure", "phi-4-gone", "x", "2026-11-21", "")
    kept = PriceReference("Phi-4", "azure", "phi-4", "x", "2026-11-21", "")
    (price,) = priced([gone, kept])["Phi-4"]
    assert price.provider_model == "phi-4"

    def listed(read, written):
        row = ListRow("p/m", "P", "", 0, read, written, None, "", deprecated=False, source_url="")
        reference = PriceReference("x", "p", "m", "", "", "")
        return public_prices([reference], LIST, {"p/m": (row,)}, DAY, {})

    assert listed(1.0, 2.0)["x"][0].output_usd_per_mtok == 2
    assert listed(0.0, 2.0) == listed(1.0, 0.0) == listed(None, 2.0) == {}


def test_the_price_of_the_day_is_taken_and_of_a_long_request_the_higher_rate(priced, price_at):
    reference = PriceReference("x", "novita", "meta-llama/llama-3.3-70b-instruct", "x", "x", "")

    def on(day: date) -> tuple[float, float]:
        (price,) = priced([reference], day)["x"]
        return price.input_usd_per_mtok, price.output_usd_per_mtok

    assert on(date(2026, 10, 17)) == (0.39, 0.39)
    assert on(date(2026, 10, 18)) == (0.135, 0.4)
    price = price_at("Gemini 2.5 Pro (05-06 preview)", "google")
    # Up to 200,000 input tokens: 200,000 × 1.25 + 1,000 × 10, per million.
    assert request_cost_usd(price, 200_000, 1_000) == pytest.approx(0.26)
    # One token more: 200,001 × 2.50 + 1,000 × 15, per million.
    assert request_cost_usd(price, 200_001, 1_000) == pytest.approx(0.5150025)


@pytest.mark.parametrize("day", ["2024-01-01", "2025-12-31", "2026-03-13", "2026-11-10"])
def test_the_shipped_list_says_what_its_package_says(references, priced, day):
    """The package that the list was taken from, asked for each entry, day and length."""
    entries = {(p.id, m.id): (p, m) for p in providers for m in p.models}
    noon = datetime.fromisoformat(day).replace(hour=12, tzinfo=UTC)
    for found in priced(references, noon.date()).values():
        for price in found:
            provider, model = entries[price.provider, price.provider_model]
            rates = model.get_prices(noon)
            cached = getattr(rates.cache_read_mtok, "base", rates.cache_read_mtok)
            assert price.cache_read_usd_per_mtok == (None if cached is None else float(cached))
            assert f", {provider.name}, " in price.source
            for read in (764, 150_000, 200_001, 300_000):
                usage = genai_prices.Usage(input_tokens=read, output_tokens=500)
                usd = model.calc_price(usage, provider, genai_request_timestamp=noon).total_price
                assert request_cost_usd(price, read, 500) == pytest.approx(float(usd), rel=1e-15)
