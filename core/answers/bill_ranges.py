"""What each model of a shortlist costs a month: low, likely and high, and at every provider."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from core.answers.bills import (
    OWN_PRICE,
    Gone,
    platform_of,
    provider_bills,
    route_verdicts,
    workloads,
)
from core.answers.choice import shortlist
from core.answers.prices import prices_on
from core.answers.remembering import remembered
from core.evidence.catalogue import OWN_RESULT
from core.procurement.bill import BillAssumptions, BillRange, bill_range, flat_request_cost_usd
from core.procurement.prices import request_cost_usd
from core.procurement.requirements import all_categories
from core.procurement.workload import category_requests, suggested

if TYPE_CHECKING:
    from datetime import date

    from core.domain import Bill, Requirements, RouteVerdict, ShortlistRow, Volume
    from core.evidence.store import Store

Place = Literal["counts", "replaced", "open", "fails", "gone"]
"""Whether a provider's bill counts, stands behind the hospital's own price, behind providers that
meet the conditions where this one leaves a question open, or is at a platform that fails a
condition or no longer sells the model."""
_PLACES: tuple[Place, ...] = ("counts", "replaced", "open", "fails", "gone")


@dataclass(frozen=True, slots=True)
class ModelBill:
    """One model of the shortlist with its bill."""

    row: ShortlistRow
    found: BillRange | None
    """``None`` where there is no price that may be used: unknown, never free."""
    n_providers: int
    """Providers whose price may be used."""
    only_failing: bool
    """Whether there are public prices, but only at platforms that fail a condition."""


@dataclass(frozen=True, slots=True)
class ProviderBill:
    """What one provider asks for the workload."""

    bill: Bill
    place: Place
    route: RouteVerdict | None
    """The conditions there; ``None`` where none is set or nobody knows the platform."""


@dataclass(frozen=True, slots=True)
class SuggestedVolume:
    """Where the number of one kind of request can come from."""

    kind: str
    name: str
    volume: Volume | None
    """The sourced quantity; ``None`` where there is none."""
    requests: float | None
    """Whole requests a month for the size of the hospital; ``None`` without source or size."""


@remembered(maxsize=32)
def bill_ranges(
    store: Store,
    requirements: Requirements,
    on: date,
    assumptions: BillAssumptions,
    gone: Gone = frozenset(),
) -> tuple[ModelBill, ...]:
    """Return every model of the shortlist with its bill, in the order of the shortlist.

    The likely bill is the one that the shortlist shows. Where the task has no evidence and no
    volumes are given there is no workload, hence no bill.

    Raises
    ------
    BadRequestError
        As `core.answers.shortlist` and `core.procurement.bill.bill_range` do.
    """
    rows = shortlist(store, requirements, on).rows
    public = prices_on(store.shared, on)
    lines = workloads(store, tuple(row.model.id for row in rows), requirements)
    found = []
    for row in rows:
        every = provider_bills(store, row.model.id, requirements, on, gone) if row.bill else ()
        prices = [bill.price for bill in every]
        own = any(price.provider == OWN_PRICE for price in prices)
        found.append(
            ModelBill(
                row,
                bill_range(
                    prices,
                    lines[row.model.id],
                    assumptions,
                    request_cost=flat_request_cost_usd if own else request_cost_usd,
                )
                if prices
                else None,
                len(prices),
                only_failing=not prices
                and bool(lines[row.model.id])
                and row.model.id.removesuffix(OWN_RESULT) in public,
            )
        )
    return tuple(found)


def bills_everywhere(
    store: Store,
    model_id: str,
    requirements: Requirements,
    on: date,
    gone: Gone = frozenset(),
) -> tuple[ProviderBill, ...]:
    """Return a model's bill at each provider with the conditions there.

    Those that count come first, each group cheapest first: the bills that make up the range,
    then public prices behind the hospital's own, then platforms with an open question where
    others meet every condition, those that fail one, and those that no longer sell it.
    """
    routes = {
        provider: verdict
        for verdict in route_verdicts(store, (model_id,), requirements).get(model_id, ())
        for provider in verdict.providers
    }
    counting = provider_bills(store, model_id, requirements, on, gone)
    counted = {bill.price.provider for bill in counting}
    public = provider_bills(
        store,
        model_id,
        replace(
            requirements, own_prices=(), gates=(), max_retention_days=None, min_context_tokens=None
        ),
        on,
    )

    def place(provider: str) -> Place:
        if (model_id.removesuffix(OWN_RESULT), platform_of(store, provider)) in gone:
            return "gone"
        if (route := routes.get(provider)) is not None and route.status == "fails":
            return "fails"
        return "replaced" if OWN_PRICE in counted else "open"

    found = [ProviderBill(bill, "counts", routes.get(bill.price.provider)) for bill in counting]
    others = [
        ProviderBill(bill, place(bill.price.provider), routes.get(bill.price.provider))
        for bill in public
        if bill.price.provider not in counted
    ]
    return (*found, *sorted(others, key=lambda each: _PLACES.index(each.place)))


def suggested_volumes(
    store: Store, sizes: tuple[tuple[str, float], ...]
) -> tuple[SuggestedVolume, ...]:
    """Return requests a month of each kind for the size of a hospital, with their sources.

    ``sizes`` says how many there are of what the sources count for, such as a staffed bed; the
    requests are rounded to whole ones. Errors as for `core.procurement.workload.suggested`.
    """
    facts = store.catalogue.procurement
    requests = suggested(facts.requests, facts.volumes, dict(sizes))
    return tuple(
        SuggestedVolume(
            kind.id,
            kind.name,
            facts.volumes.get(kind.volume),
            None if (number := requests[kind.id]) is None else float(round(number)),
        )
        for kind in facts.requests
    )


def volume_weights(
    store: Store, requirements: Requirements
) -> tuple[tuple[tuple[str, float], ...], tuple[str, ...]]:
    """Return weights of the task categories by the requests a month, and what stands in the way.

    Weights are per cent of all requests with two decimals, at least 0.01. The second part names
    the categories that the evidence base does not have; weights by volume would then leave out
    a part of the work.
    """
    numbers = category_requests(store.catalogue.procurement.requests, dict(requirements.volumes))
    total = sum(numbers.values())
    known = all_categories(store.catalogue.benchmarks[requirements.suite])
    weights = tuple(
        (category, max(0.01, round(100 * number / total, 2)))
        for category, number in numbers.items()
    )
    return weights, tuple(category for category in numbers if category not in known)
