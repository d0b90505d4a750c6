"""What a replacement saves a year: dollars where both prices are public, parameters always."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from core.domain import Bill, Model

_MONTHS = 12


@dataclass(frozen=True, slots=True)
class YearlySaving:
    """A model against the candidate to replace it; below 0 the candidate takes more."""

    bill: Bill | None
    """Of the model to replace, a month."""
    candidate_bill: Bill | None
    usd: float | None
    """US dollars a year; ``None`` where one of the two has no public price."""
    params_b: float | None
    """Billions of parameters fewer; ``None`` where one of the two sizes is not known."""
    params_share: float | None
    """The same as a share of the model to replace."""


def yearly_saving(model: Model, candidate: Model, bills: Mapping[str, Bill | None]) -> YearlySaving:
    """Return 12 times the difference of the monthly bills, and the difference in parameters.

    Parameters
    ----------
    model, candidate
        The model to replace, and what may replace it.
    bills
        Monthly bills for one workload; a missing or ``None`` bill is unknown, never 0.
    """
    bill, other = bills.get(model.id), bills.get(candidate.id)
    usd = (
        None if bill is None or other is None else _MONTHS * (bill.monthly_usd - other.monthly_usd)
    )
    fewer = share = None
    if model.params_b is not None and candidate.params_b is not None:
        fewer = model.params_b - candidate.params_b
        share = fewer / model.params_b if model.params_b > 0 else None
    return YearlySaving(bill, other, usd, fewer, share)
