"""A test on a hospital's own notes: what to run, and how its jury agrees with its clinicians."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from core.answers.data import products
from core.answers.evidence import redundancy, smaller_sets
from core.answers.remembering import remembered
from core.evidence.tables import table
from core.procurement.local_plan import plan
from core.statistics.jury_check import check_jury

if TYPE_CHECKING:
    from core.domain import Selection
    from core.evidence.imports.ratings import Ratings
    from core.evidence.store import Store
    from core.procurement.local_plan import PlanRow
    from core.statistics.jury_check import JuryCheck


def local_plan(store: Store, selection: Selection, size: int) -> tuple[PlanRow, ...]:
    """Return what a smaller evaluation of ``size`` benchmarks keeps, and why."""
    kept = smaller_sets(store, selection)[size - 1].benchmarks
    benchmarks = products(store, selection).benchmarks
    return plan(benchmarks, kept, redundancy(store, selection).pairs)


@dataclass(frozen=True, slots=True)
class PublishedAgreement:
    """An agreement that a paper prints: ICC(3,k) with its 95 % interval."""

    benchmarks: str
    compared: Literal["jury", "clinicians"]
    """``jury`` for jury with clinicians, ``clinicians`` for clinicians with one another."""
    icc: float
    ci_low: float
    ci_high: float
    n_instances: int
    source: str


@remembered(maxsize=4)
def published_agreement(store: Store) -> tuple[PublishedAgreement, ...]:
    """Return how MedHELM's jury and clinicians agreed, the whole check first."""
    path = store.data / "catalogue" / "published" / "medhelm-jury.csv"
    return table(path, PublishedAgreement)


def jury_check(ratings: Ratings) -> JuryCheck:
    """Return how a hospital's jury agrees with its clinicians. Errors as for ``check_jury``.

    Never remembered: an upload stays with the visitor who brought it.
    """
    return check_jury(ratings.scores, ratings.instances, ratings.raters, ratings.in_jury)
