"""Public prices per token, from the price list that ships inside ``genai-prices``.

Nothing here opens a network connection. The list is imported on first use: that takes about
0.8 s and 100 MB, so pages that show no price do not pay for it. An entry is looked up by its
exact provider and id, never by the library's own fuzzy matching, because a family name may
cost something else than a dated model. A price that is not known is absent, never 0.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, time
from decimal import Decimal
from functools import cache
from typing import TYPE_CHECKING

from core.domain import BadDataError, BadRequestError, Change, Price

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from genai_prices.types import ModelInfo, Provider

    from core.domain import PriceReference

NOON = time(12, tzinfo=UTC)
"""The time of day asked for where a provider's price depends on the hour."""


def public_prices(
    references: Sequence[PriceReference], *, on: date
) -> dict[str, tuple[Price, ...]]:
    """Return the public prices of each model, in the order of ``references``.

    Where the list keeps a history, the price of the day is taken; before the first dated price,
    the earliest one known. In US dollars per million tokens, before any surcharge for long
    requests (see `request_cost_usd`). A model whose entries are all gone or carry no price is not
    in the dict: its price is unknown.
    """
    prices: dict[str, tuple[Price, ...]] = {}
    for reference in references:
        price = _price(reference, on)
        if price is not None:
            prices[reference.model] = (*prices.get(reference.model, ()), price)
    return prices


def price_changes(
    models: Sequence[str],
    before: Mapping[str, tuple[Price, ...]],
    after: Mapping[str, tuple[Price, ...]],
) -> list[Change]:
    """List the providers whose price of a model changed, came or went.

    A price is written "input / output", US dollars per million tokens; ``None`` is unknown.
    """
    found = []
    for model in models:
        sides = [
            {
                p.provider_name: f"{p.input_usd_per_mtok:g} / {p.output_usd_per_mtok:g}"
                for p in prices.get(model, ())
            }
            for prices in (before, after)
        ]
        for provider in dict.fromkeys([*sides[0], *sides[1]]):
            was, now = (side.get(provider) for side in sides)
            if was != now:
                found.append(Change(model, "price", provider, was, now))
    return found


def request_cost_usd(price: Price, input_tokens: float, output_tokens: float) -> float:
    """Price one request in US dollars as its provider would, long-request surcharges included.

    With a tiered price, a request whose input is longer than the threshold pays the higher
    rate for all of its tokens, output too. Tokens need not be whole: they may be a mean.
    """
    from genai_prices import Usage  # noqa: PLC0415 - slow to import, wanted on first use only

    entry = _entries().get((price.provider, price.provider_model))
    if entry is None:
        raise BadDataError(f"genai-prices has no entry {price.provider_model} at {price.provider}.")
    provider, model = entry
    try:
        usage = Usage(input_tokens=float(input_tokens), output_tokens=float(output_tokens))
    except ValueError:
        raise BadRequestError("Tokens per request must be finite and not negative.") from None
    cost = model.calc_price(
        usage, provider, genai_request_timestamp=_moment(date.fromisoformat(price.as_of))
    )
    return float(cost.total_price)


def _price(reference: PriceReference, on: date) -> Price | None:
    entry = _entries().get((reference.provider, reference.provider_model))
    if entry is None:
        return None
    provider, model = entry
    if not model.prices:
        return None
    rates = model.get_prices(_moment(on))
    input_rate, output_rate = _base(rates.input_mtok), _base(rates.output_mtok)
    if not input_rate or not output_rate:  # absent, or a promotional 0: no public price
        return None
    return Price(
        model=reference.model,
        provider=reference.provider,
        provider_name=provider.name,
        provider_model=reference.provider_model,
        input_usd_per_mtok=input_rate,
        output_usd_per_mtok=output_rate,
        as_of=on.isoformat(),
        source=_source(provider, model, reference.basis),
    )


def _base(rate: object) -> float | None:
    """Take the price before the first tier; ``None`` where there is none."""
    base = getattr(rate, "base", rate)
    return float(base) if isinstance(base, Decimal) else None


def _source(provider: Provider, model: ModelInfo, basis: str) -> str:
    from genai_prices import __version__  # noqa: PLC0415 - slow to import

    parts = [f"genai-prices {__version__}", provider.name, basis]
    if model.deprecated:
        parts.append("marked as deprecated")
    if provider.pricing_urls:
        parts.append(provider.pricing_urls[0])
    return ", ".join(part for part in parts if part)


def _moment(on: date) -> datetime:
    return datetime.combine(on, NOON)


@cache
def _entries() -> Mapping[tuple[str, str], tuple[Provider, ModelInfo]]:
    from genai_prices.data import providers  # noqa: PLC0415 - slow to import

    return {(p.id, model.id): (p, model) for p in providers for model in p.models}
