"""What has never been tested, and what the benchmarks can tell apart."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from core.answers.evidence import model, products
from core.answers.remembering import remembered
from core.domain import Selection
from core.statistics import coverage as counting

if TYPE_CHECKING:
    from core.evidence.store import Store

_TAXONOMY = "medhelm"


def coverage(store: Store, selection: Selection) -> counting.Coverage:
    """Count MedHELM's subcategories over all suites with a usable snapshot.

    The selection's suite is taken with its protocol and revision, the others with their defaults;
    always all of a suite's models and benchmarks.
    """
    return _coverage(
        store, replace(selection, cohort=Selection("").cohort, models=(), benchmarks=())
    )


@remembered(maxsize=8)
def _coverage(store: Store, selection: Selection) -> counting.Coverage:
    catalogue = store.catalogue
    own = {s: Selection(s, include_flagged=selection.include_flagged) for s in catalogue.suites}
    own[selection.suite] = selection
    matrices = {
        suite: products(store, chosen) for suite, chosen in own.items() if store.of_suite(suite)
    }
    models = {name for scores in matrices.values() for name in scores.models}
    taxonomy = catalogue.benchmarks[_TAXONOMY]
    return counting.count(
        tuple(dict.fromkeys((b.category, b.subcategory) for b in taxonomy)),
        matrices,
        catalogue.places,
        frozenset(name for name in models if model(store, name).access == "open"),
    )


@remembered(maxsize=16)
def detectable(store: Store, selection: Selection) -> tuple[counting.Detectable, ...]:
    """Return per benchmark what it can tell apart. Errors as for ``matrix``."""
    return counting.detectable(products(store, selection))
