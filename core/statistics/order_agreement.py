"""How far two orders of the same models agree: Spearman's rank correlation with its interval."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from core.statistics.ranks import average_ranks

if TYPE_CHECKING:
    from core.domain import FloatArray

MIN_MODELS = 3
"""Two models are in one order or the other: no correlation."""
_MIN_FOR_INTERVAL = 5
_Z95 = 1.959963984540054


@dataclass(frozen=True, slots=True)
class OrderAgreement:
    """Rank correlation of two orders; ``None`` where it is not defined."""

    n_models: int
    rho: float | None
    ci_low: float | None
    ci_high: float | None

    @property
    def says(self) -> str:
        """Return ``agree`` or ``disagree`` where the interval excludes 0, else why neither."""
        if self.ci_low is None or self.ci_high is None:
            return "too few models" if self.n_models < _MIN_FOR_INTERVAL else "no interval"
        if self.ci_low > 0:
            return "agree"
        return "disagree" if self.ci_high < 0 else "cannot tell"


def order_agreement(x: FloatArray, y: FloatArray) -> OrderAgreement:
    """Correlate the ranks of models in two orders, with a 95 % interval.

    Spearman's rho is Pearson's correlation of the ranks, ties at their mean. The interval is made
    on Fisher's scale, tanh(atanh rho ± 1.96 s), with s = √((1 + rho²/2)/(n − 3)) (Bonett and
    Wright 2000, doi 10.1007/BF02294183). It is about other models like these.

    Parameters
    ----------
    x, y : arrays of shape (n_models,)
        Scores of the same models, higher is better on both; none is missing.

    Returns
    -------
    OrderAgreement
        No rho below three models, or where all tie in one order; no interval below five models,
        or where the orders are the same or reversed, so that the scale has no end.
    """
    n = len(x)
    if n < MIN_MODELS:
        return OrderAgreement(n, None, None, None)
    ranks = average_ranks(np.column_stack([x, y]))
    centred = ranks - ranks.mean(axis=0)
    size = math.sqrt(float((centred[:, 0] ** 2).sum() * (centred[:, 1] ** 2).sum()))
    if not size:
        return OrderAgreement(n, None, None, None)
    rho = min(1.0, max(-1.0, float(centred[:, 0] @ centred[:, 1]) / size))
    if n < _MIN_FOR_INTERVAL or abs(rho) > 1 - 1e-12:
        return OrderAgreement(n, rho, None, None)
    half = _Z95 * math.sqrt((1 + rho * rho / 2) / (n - 3))
    middle = math.atanh(rho)
    return OrderAgreement(n, rho, math.tanh(middle - half), math.tanh(middle + half))
