"""Smaller equivalents: which smaller model of the same cluster does the same job.

The rule is that of the taxonomy paper (doi 10.2196/72918): of models that perform alike, buy
the smaller, the closest first. The difference and its interval say whether they do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from core.domain import BadRequestError, Equivalent
from core.procurement.candidates import closest, field_of
from core.statistics.difference import combine, difference_at, gaps, verdict

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from core.domain import Bill, Model, ScoreMatrix, Taxonomy


def equivalents(
    model_id: str,
    *,
    matrices: Sequence[ScoreMatrix],
    taxonomies: Sequence[Taxonomy],
    models: Mapping[str, Model],
    bills: Mapping[str, Bill | None],
    margin: float,
    among: Collection[str] | None = None,
    same_cluster_only: bool = False,
) -> tuple[Equivalent, ...]:
    """List the cheaper or smaller models that could replace a model, closest first.

    Parameters
    ----------
    model_id
        A model that stands in every taxonomy.
    matrices, taxonomies
        One of each per suite, in the same order; all benchmarks of a suite count alike, and
        each suite has an equal vote. Distances add over the suites; a candidate is of the same
        cluster when it is in every one of them.
    models
        Facts on every model of the taxonomies.
    bills
        Monthly bills; a missing or ``None`` bill is unknown. Without any, parameters decide.
    margin
        Largest loss that still counts as equivalent, 0 to 1 scale.
    among
        The candidates to consider; by default all models of the taxonomies.
    same_cluster_only
        Keep only cluster-mates.

    Returns
    -------
    tuple of Equivalent
        Sorted by distance, then by model id. Differences are candidate minus model.

    Raises
    ------
    BadRequestError
        When the model is not in a taxonomy; the message gives the reason it was left out.
    """
    for taxonomy in taxonomies:
        if model_id not in taxonomy.models:
            why = next((e.reason for e in taxonomy.excluded if e.model == model_id), None)
            left_out = f"was left out: {why}" if why else "is not among the models compared"
            raise BadRequestError(f'"{model_id[:120]}" {left_out} ({taxonomy.suite}).')
    field = field_of(taxonomies, models, bills, among, [model_id])
    pairs = closest(field, model_id, same_cluster_only=same_cluster_only)
    rows = [{name: i for i, name in enumerate(matrix.models)} for matrix in matrices]
    found = combine(
        [
            gaps(
                matrix,
                np.array([place[field.ids[i]] for i in pairs.candidate], dtype=np.intp),
                np.full(len(pairs.candidate), place[model_id], dtype=np.intp),
            )
            for matrix, place in zip(matrices, rows, strict=True)
        ]
    )
    result = []
    for i, position in enumerate(pairs.candidate.tolist()):
        candidate, usd = models[field.ids[position]], float(field.usd[position])
        gap = difference_at(found, i, candidate.id, model_id)
        result.append(
            Equivalent(
                model=candidate.id,
                name=candidate.name,
                params_b=candidate.params_b,
                monthly_usd=None if np.isnan(usd) else usd,
                distance=float(pairs.distance[i]),
                same_cluster=bool(pairs.same_cluster[i]),
                difference=gap,
                verdict=verdict(gap, margin),
                cheaper_by="bill" if pairs.by_bill[i] else "parameters",
                saving_share=float(pairs.saving_share[i]),
            )
        )
    return tuple(result)
