"""What to know first before what is named is bought, as keys, the weightiest first."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING, Literal

from core.procurement.gates import SELF_HOSTED
from core.procurement.products import is_old

if TYPE_CHECKING:
    from core.domain import Dossier
    from core.procurement.recommendation import Recommendation

What = Literal[
    "old facts",
    "unattended",
    "condition not known",
    "over budget",
    "worse",
    "harm",
    "sale not known",
    "sale ends",
]
"""That the model in use has ended, the headline says."""
Fact = Literal["sale", "prices", "terms"]
_SOON = timedelta(days=365)


@dataclass(frozen=True, slots=True)
class OldFact:
    """A fact in use whose source said it over 90 days ago, or on no known day."""

    fact: Fact
    model: str
    """Id."""
    platform: str
    read_on: str
    """ISO day, or less of it; empty where nothing tells."""
    gate: str = ""
    """Id of the condition that the terms are about."""


@dataclass(frozen=True, slots=True)
class Caution:
    """One thing to know first."""

    what: What
    about: str = ""
    """Id of the model; empty where it is about the answer as a whole."""
    old: tuple[OldFact, ...] = ()


def cautions(found: Recommendation, on: date) -> tuple[Caution, ...]:
    """Return all that is to be known first, the weightiest first.

    Whether a sale is old or ends soon is judged on the day from which the question counts months
    of sale, else on that of the prices, ``on``.
    """
    begins = found.requirements.on_sale_on
    on = max(on, date.fromisoformat(begins)) if begins else on
    old = tuple(fact for _, each in found.decisions() for fact in old_facts(each, on))
    said = [Caution("old facts", old=old)] if old else []
    said += [Caution("unattended")] if found.unattended else []
    take, budget = found.take, found.requirements.monthly_budget_usd
    over = [
        each
        for each in (take, *found.test_these)
        if each and budget is not None and (each.cost.high or 0.0) > budget
    ]
    if take is None:
        return (*said, *(Caution("over budget", each.model.id) for each in over))
    sold = take.sold
    holds: dict[What, bool] = {
        "condition not known": not take.conditions_met,
        "over budget": bool(over),
        "worse": take.judged is not None and bool(take.judged.warnings),
        "harm": take.marked,
        "sale not known": take.asks_for_sale,
        "sale ends": sold is not None
        and sold.lasts is not None
        and (
            sold.state == "gone"
            or (sold.state == "ends" and date.fromisoformat(sold.until) <= on + _SOON)
        ),
    }
    return (*said, *(Caution(what, take.model.id) for what, it_does in holds.items() if it_does))


def old_facts(each: Dossier, on: date) -> list[OldFact]:
    """Return what is old of the sale, the price and the platform's terms that speak for a model."""
    sold, cost, found = each.sold, each.cost, []
    if sold and sold.lasts and is_old(sold.read_on, on):
        found.append(OldFact("sale", each.model.id, sold.platform, sold.read_on))
    if cost.cost_is == "bill" and is_old(cost.as_of, on):
        found.append(OldFact("prices", each.model.id, cost.platform, cost.as_of))
    found += [
        OldFact("terms", each.model.id, check.platform, check.read_on, check.gate)
        for way in each.routes[:1]
        for check in way.checks
        if check.status in ("passes", "conditional") and check.is_of_a_source
        if way.platform != SELF_HOSTED and is_old(check.read_on, on)
    ]
    return found
