"""How much the order of the shortlist depends on the weights and on single benchmarks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.answers.bills import weights_of
from core.answers.choice import overlaps, shortlist
from core.answers.evidence import matrix, selection_of
from core.answers.remembering import remembered
from core.procurement.robustness import CONCENTRATION, rank_robustness

if TYPE_CHECKING:
    from datetime import date

    from core.domain import Requirements
    from core.evidence.store import Store
    from core.procurement.robustness import RankRobustness


@remembered(maxsize=64)
def robustness(
    store: Store, requirements: Requirements, on: date, *, concentration: float = CONCENTRATION
) -> RankRobustness:
    """Return the ranks of the shortlist under other weights and without single benchmarks.

    The models are those that the shortlist ranks: they pass the limits and have every benchmark
    that counts.

    Raises
    ------
    TooFewError
        Fewer than two models are ranked, or no benchmark counts.
    BadRequestError
        When a suite, cohort, protocol, task or category does not exist.
    BadDataError
        When the suite has no usable snapshot.
    """
    ranked = [row for row in shortlist(store, requirements, on).rows if row.rank is not None]
    return rank_robustness(
        matrix(store, selection_of(requirements)),
        weights_of(store, requirements),
        [row.model.id for row in ranked],
        concentration=concentration,
        vote_groups=overlaps(store, requirements),
    )
