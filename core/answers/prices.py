"""Public prices on a day."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from core.procurement.prices import public_prices

if TYPE_CHECKING:
    from datetime import date

    from core.domain import Price
    from core.evidence.store import Store


@lru_cache(maxsize=4)
def prices_on(store: Store, day: date) -> dict[str, tuple[Price, ...]]:
    """Return the public prices of each priced model on a day."""
    return public_prices(store.catalogue.prices, on=day)
