"""Different models for different work."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.answers.bills import weights_of
from core.answers.data import matrix, selection_of
from core.answers.recommend import overlaps, shortlist
from core.answers.remembering import remembered
from core.domain import TooFewError
from core.procurement.portfolio import best_by_category
from core.procurement.requirements import by_category

if TYPE_CHECKING:
    from datetime import date

    from core.domain import Requirements
    from core.evidence.store import Store
    from core.procurement.portfolio import BestByCategory

_SIDES_OF_ONE_ANSWER = ("noharm",)
"""Suites that judge every answer in each of their categories: no request belongs to one of them."""


@remembered(maxsize=64)
def combinations(store: Store, requirements: Requirements, on: date) -> BestByCategory:
    """Return the best model of each category, beside the one that is best over all.

    The models are those that the shortlist ranks: they pass the limits and have every benchmark
    that counts. Where volumes are given, a kind of request belongs to its category or
    subcategory. ``TooFewError`` too where the suite's categories are sides of the same answers.
    """
    ranked = [row for row in shortlist(store, requirements, on).rows if row.rank is not None]
    table = by_category(
        matrix(store, selection_of(requirements)),
        weights_of(store, requirements),
        [row.model.id for row in ranked],
        overlaps(store, requirements),
    )
    if requirements.suite in _SIDES_OF_ONE_ANSWER:
        name = store.catalogue.suites[requirements.suite].name
        raise TooFewError(
            f"The categories of {name} are sides of the same answers, so no request can go to one "
            "model for one of them and to another for the next."
        )
    kinds = {
        kind.name: (kind.subcategory, kind.category)
        for kind in store.catalogue.procurement.requests
    }
    bills = {row.model.id: row.bill for row in ranked}
    return best_by_category(table, bills, kinds=kinds if requirements.volumes else None)
