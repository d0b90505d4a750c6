"""Cascades: a cheap model answers first, and passes on what it cannot do to a dearer one.

Nobody has measured how a cascade of these models scores: that depends on how well the cheap one
knows what it cannot do. So there are bounds here, under assumptions that are said, and no score.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations
from typing import TYPE_CHECKING

from core.domain import BadRequestError
from core.procurement.by_category import by_category

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from core.domain import Bill, ScoreMatrix
    from core.procurement.requirements import Weights

ESCALATION_RATE = 0.2
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class Cascade:
    """A cheap model before a dearer and better one, from another cluster."""

    cheap: str
    dear: str
    clusters: tuple[str, str]
    escalation_rate: float
    """Share of requests that go to the second model as well: assumed, not measured."""
    monthly_usd: float
    """The bill of the first, and of the second for the requests that are passed on."""
    dear_usd: float
    """The bill of the second model alone."""
    dear_score: float
    """The score of the second model alone, 0 to 1."""
    at_least: float
    """The cheap model's score: if passing on does no harm on the whole."""
    if_at_random: float
    """If the requests passed on are no harder for the cheap model than the others."""
    at_most: float
    """The dear model's score, or the cheap one's plus the escalation rate where that is less: if
    no cascade beats its better model, and every request passed on was a whole point short."""


def cascades(
    matrix: ScoreMatrix,
    weights: Weights,
    models: Sequence[str],
    clusters: Mapping[str, str],
    bills: Mapping[str, Bill | None],
    *,
    escalation_rate: float = ESCALATION_RATE,
    vote_groups: Sequence[Sequence[str]] = (),
    most: int = 20,
) -> tuple[Cascade, ...]:
    """Pair cheaper models with better ones that take over a share of the requests.

    The first model answers every request; the second answers the share that is passed on again,
    from the beginning, so its tokens are paid in full for these. That every category passes on
    the same share is assumed, too.

    Parameters
    ----------
    matrix, weights, models, vote_groups
        As for ``core.procurement.by_category.by_category``.
    clusters
        Cluster of each model of a taxonomy; models without one are passed over.
    bills
        Monthly bills; models with a missing or ``None`` bill are passed over, since no saving can
        be shown for them.
    escalation_rate
        From 0 to 1.
    most
        Give the first so many.

    Returns
    -------
    tuple of Cascade
        Only pairs that cost less than the second model alone and for which no single model is at
        least as good as the cascade at its most, for no more money. By the score at random, the
        best first, then by bill and ids.

    Raises
    ------
    TooFewError
        Fewer than two models with every benchmark that counts.
    BadRequestError
        A rate outside 0 to 1, an unknown model, or a weight that is not above 0.
    """
    if not 0 <= escalation_rate <= 1:
        raise BadRequestError(f"The escalation rate must be from 0 to 1; it is {escalation_rate}.")
    table = by_category(matrix, weights, models, vote_groups)
    totals = (table.scores @ table.share).tolist()
    priced = {
        name: (bill.monthly_usd, score)
        for name, score in zip(table.matrix.models, totals, strict=True)
        if (bill := bills.get(name)) is not None
    }
    found = []
    for cheap, dear in permutations([name for name in priced if name in clusters], 2):
        (first_usd, first), (second_usd, second) = priced[cheap], priced[dear]
        usd = first_usd + escalation_rate * second_usd
        if (
            clusters[cheap] == clusters[dear]
            or second - first <= _ROUNDING
            or first_usd >= second_usd
            or usd >= second_usd
        ):
            continue
        at_most = min(second, first + escalation_rate)
        if any(cost <= usd and score >= at_most - _ROUNDING for cost, score in priced.values()):
            continue
        found.append(
            Cascade(
                cheap=cheap,
                dear=dear,
                clusters=(clusters[cheap], clusters[dear]),
                escalation_rate=escalation_rate,
                monthly_usd=usd,
                dear_usd=second_usd,
                dear_score=second,
                at_least=first,
                if_at_random=first + escalation_rate * (second - first),
                at_most=at_most,
            )
        )
    found.sort(key=lambda c: (-round(c.if_at_random, 12), c.monthly_usd, c.cheap, c.dear))
    return tuple(found[:most])
