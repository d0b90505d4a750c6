"""Conditions of purchase: which each model meets, what is known, and what to ask whom."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from core.answers.asked import Asked
from core.answers.bills import offer_terms, provider_bills, sales, sold_anywhere
from core.answers.data import model, products
from core.answers.market import basis_of_cost
from core.domain import BEST_FIRST, Bill, ConditionCheck, Model, OfferTerms, OnSale, Status
from core.evidence.store import Store
from core.procurement.conditions import NO_PLATFORM, SELF_HOSTED
from core.words.conditions import check_in_words


@dataclass(frozen=True, slots=True)
class ModelConditions:
    """Whether one model meets the conditions."""

    model: Model
    offers: tuple[OfferTerms, ...]
    """Its offers, the best first; of equals that of the bill. All pass without a
    condition."""
    terms: Mapping[str, OfferTerms]
    """What is known and asked of each offer, whether the question asks it or not, by platform."""
    bill: Bill | None
    """At the cheapest offer that does not fail, which need not be the best one."""
    sale: OnSale
    """For as long as is asked, else on the day, where the conditions are met."""
    sold: OnSale
    """The same at every platform."""

    @property
    def best(self) -> OfferTerms:
        """Return the best offer."""
        return self.offers[0]


@dataclass(frozen=True, slots=True)
class Inquiry:
    """One question to one vendor, and the models that wait for the answer."""

    whom: str
    condition: str
    question: str
    models: tuple[str, ...]
    """Names of the models whose best offer depends on it."""
    others: tuple[str, ...]
    """Names of the models that have another offer which depends on it."""


@dataclass(frozen=True, slots=True)
class ConditionMatrix:
    """All models of an evidence base under the conditions of a purchase."""

    rows: tuple[ModelConditions, ...]
    """What is sold for long enough first and what is gone last, then the best, then by name; of
    a market in its order."""
    inquiries: tuple[Inquiry, ...]
    """Questions on the best offers first, by whom they go to; none for offers that fail."""
    n_elsewhere: int = 0
    """Models that none of the hospital's platforms is known to sell, which have no row."""

    def n(self, *statuses: Status) -> int:
        """Count the models whose best offer has one of the statuses, of those sold long enough."""
        sold = (row for row in self.rows if row.sale.standing != "fails")
        return sum(row.best.status in statuses for row in sold)


def conditions(asked: Asked, of: Mapping[str, str] | None = None) -> ConditionMatrix:
    """Check the conditions on every model of a suite, or ``of`` a market, whatever the limits.

    Where own servers alone are asked for, nothing is asked of platforms. Of a market the platform
    of each model's best offer is given, or nothing where it has none.
    """
    names = tuple(of or products(asked.store, asked.selection()).models)
    kinds = asked.store.catalogue.condition_kinds.values()
    every_kind = tuple(kind.id for kind in kinds if kind.wanted != "limit")
    question = asked.question
    every = replace(question.to_meet, required=every_kind, max_retention_days=0)
    where = "own" if question.access == "own" else "any"
    terms = offer_terms(asked.store, names, every, where)
    verdicts = offer_terms(asked.store, names, question.to_meet, where) or {
        name: tuple(replace(offer, status="passes", checks=()) for offer in of)
        for name, of in terms.items()
    }
    basis = asked if question.evidence.suite else basis_of_cost(asked)
    billed = provider_bills(basis, names)
    sale = sales(asked, names)
    sold = sold_anywhere(asked, names)
    rows = []
    here = [name for name in names if verdicts[name]]
    for name in here:
        bill = next(iter(billed[name]), None)
        provider = bill.price.provider if bill is not None else None
        offers = sorted(
            verdicts[name],
            key=lambda offer: (BEST_FIRST.index(offer.status), provider not in offer.providers),
        )
        at = {offer.platform: offer for offer in terms[name]}
        rows.append(
            ModelConditions(
                model(asked.store, name), tuple(offers), at, bill, sale[name], sold[name]
            )
        )
    if not of:
        rows.sort(
            key=lambda row: (
                row.sale.standing == "fails",
                row.sale.standing == "fails" and all(one.state == "gone" for one in row.sale.at),
                BEST_FIRST.index(row.best.status),
                row.model.name.lower(),
            )
        )
    inquiries = _inquiries(asked.store, rows, of or {})
    return ConditionMatrix(tuple(rows), inquiries, len(names) - len(here))


def _inquiries(
    store: Store, rows: Sequence[ModelConditions], best_at: Mapping[str, str]
) -> tuple[Inquiry, ...]:
    found: dict[tuple[str, str, str], tuple[dict[str, None], dict[str, None]]] = {}
    for row in rows:
        first = best_at.get(row.model.id, row.best.platform)
        for offer in row.offers:
            for check in offer.checks if offer.status != "fails" else ():
                if check.status == "open":
                    key = (_whom(store, row.model, check), check.name, check_in_words(check))
                    among = found.setdefault(key, ({}, {}))
                    among[offer.platform != first].setdefault(row.model.name)
    inquiries = [
        Inquiry(*key, tuple(best), tuple(name for name in others if name not in best))
        for key, (best, others) in found.items()
    ]
    waiting: dict[str, set[str]] = {}
    for one in inquiries:
        waiting.setdefault(one.whom, set()).update(one.models)
    return tuple(
        sorted(inquiries, key=lambda one: (-len(waiting[one.whom]), one.whom, -len(one.models)))
    )


def _whom(store: Store, bought: Model, check: ConditionCheck) -> str:
    if store.catalogue.condition_kinds[check.condition].about == "model":
        return bought.developer or f"Developer of {bought.name}"
    if check.platform == NO_PLATFORM:
        return f"Vendor of {bought.name}"
    return "Your own IT department" if check.platform == SELF_HOSTED else check.platform
