"""Candidates: which models save something against a model, and which of them are closest.

Distances are those of a taxonomy (doi 10.2196/72918) and add over suites.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from core.statistics.taxonomy import distances_between

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from numpy.typing import NDArray

    from core.domain import Bill, FloatArray, Model, Taxonomy

    IntArray = NDArray[np.intp]

_LEAST_SAVING = 0.01
"""Parameter counts are rounded by their sources: 8.03 and 8 billion are one size."""


@dataclass(frozen=True, slots=True, eq=False)
class Field:
    """Models that stand in every taxonomy, by id, with what a search for equivalents asks of them.

    Arrays of shape (n,); an unknown cost is ``nan``.
    """

    taxonomies: Sequence[Taxonomy]
    ids: tuple[str, ...]
    rows: tuple[IntArray, ...]
    """Positions in each taxonomy."""
    clusters: IntArray
    """Equal numbers are of one cluster in every taxonomy."""
    candidates: NDArray[np.bool_]
    usd: FloatArray
    params_b: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Candidates for one model, as positions in the field, closest first; shape (n,) each."""

    candidate: IntArray
    distance: FloatArray
    same_cluster: NDArray[np.bool_]
    saving_share: FloatArray
    by_bill: NDArray[np.bool_]


def field_of(
    taxonomies: Sequence[Taxonomy],
    models: Mapping[str, Model],
    bills: Mapping[str, Bill | None],
    among: Collection[str] | None,
    asked: Collection[str],
) -> Field:
    """Gather what a search asks of the models that stand in every taxonomy.

    Parameters
    ----------
    taxonomies
        One per suite.
    models, bills
        Facts and monthly bills by model id; a missing or ``None`` bill is unknown.
    among
        The candidates to consider; by default all models of the taxonomies.
    asked
        Models that are asked about, whether or not they are candidates; each stands in every
        taxonomy.
    """
    shared = set.intersection(*(set(taxonomy.models) for taxonomy in taxonomies))
    candidates = shared if among is None else shared & set(among)
    ids = tuple(sorted(candidates.union(asked)))
    positions = [{model: i for i, model in enumerate(t.models)} for t in taxonomies]
    rows = tuple(np.array([of[model] for model in ids], dtype=np.intp) for of in positions)
    labels = [
        tuple(t.labels[of[model]] for t, of in zip(taxonomies, positions, strict=True))
        for model in ids
    ]
    number = {label: i for i, label in enumerate(dict.fromkeys(labels))}
    usd, params_b = costs_of([models[model] for model in ids], bills)
    return Field(
        taxonomies=taxonomies,
        ids=ids,
        rows=rows,
        clusters=np.array([number[label] for label in labels], dtype=np.intp),
        candidates=np.array([model in candidates for model in ids], dtype=bool),
        usd=usd,
        params_b=params_b,
    )


def costs_of(
    models: Sequence[Model], bills: Mapping[str, Bill | None]
) -> tuple[FloatArray, FloatArray]:
    """Return monthly dollars and total parameters in billions, ``nan`` where unknown.

    Both results have shape (models,).
    """
    found = [bills.get(model.id) for model in models]
    usd = np.array([np.nan if bill is None else bill.monthly_usd for bill in found])
    params_b = np.array([np.nan if m.params_b is None else m.params_b for m in models])
    return usd, params_b


def savings(
    usd: FloatArray, params_b: FloatArray, other_usd: FloatArray, other_params_b: FloatArray
) -> tuple[FloatArray, NDArray[np.bool_]]:
    """Find what each other model saves, and whether by its bill.

    Bills decide where both are known; else total parameters, the cost surrogate, where both are
    known.

    Parameters
    ----------
    usd, params_b
        Monthly dollars and billions of parameters of the models, shape (models,); ``nan`` where
        unknown.
    other_usd, other_params_b
        The same of the others, shape (others,).

    Returns
    -------
    tuple of array
        The share saved, 0 to 1, and whether the bill decided; both of shape (models, others).
        A saving below 1 % is none. ``nan`` where the other saves nothing, or nobody can tell: an
        unknown cost is never a saving, and a cost of 0 cannot be undercut.
    """
    by_bill = ~np.isnan(usd)[:, None] & ~np.isnan(other_usd)
    # A cost of 0 cannot be undercut: it compares as unknown.
    share: FloatArray = 1 - other_params_b / np.where(params_b > 0, params_b, np.nan)[:, None]
    if by_bill.any():
        by_usd = 1 - other_usd / np.where(usd > 0, usd, np.nan)[:, None]
        share = np.where(by_bill, by_usd, share)
    share[~(share >= _LEAST_SAVING)] = np.nan
    return share, by_bill


def closest(field: Field, model: str, *, same_cluster_only: bool) -> Pairs:
    """Find the candidates that save something against a model.

    Parameters
    ----------
    field
        The models and their costs.
    model
        Id of the model to replace.
    same_cluster_only
        Keep only cluster-mates.

    Returns
    -------
    Pairs
        Closest first, ties of distance by id.
    """
    own = np.array([field.ids.index(model)], dtype=np.intp)
    same = field.clusters == field.clusters[own]
    others = np.flatnonzero(field.candidates & same if same_cluster_only else field.candidates)
    share, by_bill = savings(
        field.usd[own], field.params_b[own], field.usd[others], field.params_b[others]
    )
    distance = np.zeros(len(others))
    for taxonomy, rows in zip(field.taxonomies, field.rows, strict=True):
        distance += distances_between(taxonomy, rows[own], rows[others])[0]
    kept = np.flatnonzero(~np.isnan(share[0]))
    kept = kept[np.argsort(distance[kept], kind="stable")]
    return Pairs(others[kept], distance[kept], same[others[kept]], share[0, kept], by_bill[0, kept])
