"""Public prices on a day."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

from core.answers.remembering import remembered
from core.procurement.prices import public_prices

if TYPE_CHECKING:
    from core.domain import Price, Requirements
    from core.evidence.store import Store


@remembered(maxsize=32)
def prices_on(store: Store, day: date) -> dict[str, tuple[Price, ...]]:
    """Return the public prices of each priced model on a day."""
    return public_prices(store.catalogue.prices, on=day)


def day_of_prices(requirements: Requirements, today: date) -> date:
    """Return the day on which public prices are asked: the chosen one, at the latest today."""
    return (
        min(date.fromisoformat(requirements.prices_on), today) if requirements.prices_on else today
    )
