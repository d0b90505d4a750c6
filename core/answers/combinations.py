"""Two or three models for different work."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.answers.bills import weights_of
from core.answers.data import matrix, products, selection_of
from core.answers.recommend import overlaps, shortlist
from core.answers.remembering import remembered
from core.answers.taxonomies import taxonomy
from core.domain import TooFewError
from core.procurement.portfolio import portfolios
from core.procurement.requirements import by_category
from core.statistics.score_matrix import complete

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import date

    from core.domain import Bill, Requirements, ScoreMatrix
    from core.evidence.store import Store
    from core.procurement.portfolio import Portfolios
    from core.procurement.requirements import Weights

CLUSTERS = 3
"""So many clusters of the taxonomy, since three models must come from three."""
_SIDES_OF_ONE_ANSWER = ("noharm",)
"""Suites that judge every answer in each of their categories: no request belongs to one of them."""


@dataclass(frozen=True, slots=True)
class CategoryScores:
    """One weighted category, and what models score in it."""

    category: str
    weight: float
    """The weights of all categories sum to 1."""
    n_benchmarks: int
    scores: Mapping[str, float]
    """By model, 0 to 1."""


@dataclass(frozen=True, slots=True)
class Combinations:
    """Combinations that do better than the best single model, with what they rest on."""

    found: Portfolios
    categories: tuple[CategoryScores, ...]
    """Every ranked model, by category."""


@remembered(maxsize=64)
def combinations(store: Store, requirements: Requirements, on: date) -> Combinations:
    """Return two or three models of different clusters that together beat any one model.

    The models are those that the shortlist ranks: they pass the limits and have every benchmark
    that counts. Where volumes are given, a kind of request belongs to its category or
    subcategory. ``TooFewError`` too where the suite's categories are sides of the same answers.
    """
    models, scores, weights, bills = _ranked(store, requirements, on)
    votes = overlaps(store, requirements)
    table = by_category(scores, weights, models, votes)
    if requirements.suite in _SIDES_OF_ONE_ANSWER:
        name = store.catalogue.suites[requirements.suite].name
        raise TooFewError(
            f"The categories of {name} are sides of the same answers, so no request can go to one "
            "model for one of them and to another for the next."
        )
    found = portfolios(
        scores,
        weights,
        models,
        _clusters(store, requirements),
        bills,
        kinds=_kinds(store, requirements),
        vote_groups=votes,
    )
    return Combinations(
        found=found,
        categories=tuple(
            CategoryScores(
                category=name,
                weight=weight,
                n_benchmarks=int((spread > 0).sum()),
                scores=dict(zip(table.matrix.models, column, strict=True)),
            )
            for (name, weight), spread, column in zip(
                table.categories, table.spreads, table.scores.T.tolist(), strict=True
            )
        ),
    )


def _ranked(
    store: Store, requirements: Requirements, on: date
) -> tuple[list[str], ScoreMatrix, Weights, dict[str, Bill | None]]:
    ranked = [row for row in shortlist(store, requirements, on).rows if row.rank is not None]
    return (
        [row.model.id for row in ranked],
        matrix(store, selection_of(requirements)),
        weights_of(store, requirements),
        {row.model.id: row.bill for row in ranked},
    )


def _clusters(store: Store, requirements: Requirements) -> dict[str, str]:
    """Return the cluster of each model with every benchmark of the suite."""
    selection = selection_of(requirements)
    n = len(complete(products(store, selection)).models)
    tree = taxonomy(store, selection, n_clusters=min(CLUSTERS, max(2, n)))
    return dict(zip(tree.models, tree.labels, strict=True))


def _kinds(store: Store, requirements: Requirements) -> dict[str, tuple[str, str]] | None:
    """Return the subcategory and category of each kind of request where the bill is by kind."""
    if not requirements.volumes:
        return None
    kinds = store.catalogue.procurement.requests
    return {kind.name: (kind.subcategory, kind.category) for kind in kinds}
