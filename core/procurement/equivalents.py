"""Smaller equivalents: which smaller model of the same cluster does the same job.

The rule is that of the taxonomy paper (doi 10.2196/72918): of models that perform alike, buy
the smaller, the closest first. The difference and its interval say whether they do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from core.domain import BadRequestError, Equivalent
from core.procurement.replacement import gaps_to
from core.statistics.difference import combine, difference_at, verdict
from core.statistics.taxonomy import distances_between

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from core.domain import Bill, Model, ScoreMatrix, Taxonomy

_LEAST_SAVING = 0.01
"""Parameter counts are rounded by their sources: 8.03 and 8 billion are one size."""


def equivalents(
    model_id: str,
    *,
    matrices: Sequence[ScoreMatrix],
    taxonomies: Sequence[Taxonomy],
    models: Mapping[str, Model],
    bills: Mapping[str, Bill | None],
    margin: float,
    same_cluster_only: bool = False,
) -> tuple[Equivalent, ...]:
    """List the cheaper or smaller models that could replace a model, closest first, then by id.

    Differences are candidate minus model.

    Parameters
    ----------
    model_id
        A model that stands in every taxonomy; else the error gives the reason it was left out.
    matrices, taxonomies
        One of each per suite, in the same order; all benchmarks of a suite count alike, and
        each suite has an equal vote. Distances add over the suites; a candidate is of the same
        cluster when it is in every one of them.
    bills
        Monthly bills; a missing or ``None`` bill is unknown. Without any, parameters decide.
    margin
        Largest loss that still counts as equivalent, 0 to 1 scale.
    """
    for taxonomy in taxonomies:
        if model_id not in taxonomy.models:
            why = next((e.reason for e in taxonomy.excluded if e.model == model_id), None)
            left_out = f"was left out: {why}" if why else "is not among the models compared"
            raise BadRequestError(f'"{model_id[:120]}" {left_out} ({taxonomy.suite}).')
    ids = sorted(set.intersection(*(set(taxonomy.models) for taxonomy in taxonomies)))
    distance, same_cluster = np.zeros(len(ids)), np.ones(len(ids), dtype=bool)
    for taxonomy in taxonomies:
        place = {name: i for i, name in enumerate(taxonomy.models)}
        rows, own = (np.array([place[n] for n in of], dtype=np.intp) for of in (ids, [model_id]))
        distance += distances_between(taxonomy, own, rows)[0]
        labels = np.array(taxonomy.labels)
        same_cluster &= labels[rows] == labels[own]
    savings = {name: cheaper_by(models[name], models[model_id], bills) for name in ids}
    kept = [
        i
        for i in np.argsort(distance, kind="stable").tolist()
        if savings[ids[i]] is not None and (same_cluster[i] or not same_cluster_only)
    ]
    found = combine([gaps_to(matrix, model_id, [ids[i] for i in kept]) for matrix in matrices])
    result = []
    for number, i in enumerate(kept):
        candidate, saved = models[ids[i]], savings[ids[i]]
        assert saved is not None
        gap = difference_at(found, number, candidate.id, model_id)
        bill = bills.get(candidate.id)
        result.append(
            Equivalent(
                model=candidate.id,
                name=candidate.name,
                params_b=candidate.params_b,
                monthly_usd=None if bill is None else bill.monthly_usd,
                distance=float(distance[i]),
                same_cluster=bool(same_cluster[i]),
                difference=gap,
                verdict=verdict(gap, margin),
                cheaper_by=saved[0],
                saving_share=saved[1],
            )
        )
    return tuple(result)


def cheaper_by(
    candidate: Model, model: Model, bills: Mapping[str, Bill | None]
) -> tuple[Literal["bill", "parameters"], float] | None:
    """Return by what a candidate is cheaper than a model, and the share saved, 0 to 1.

    Bills decide where both are known; else total parameters, the cost surrogate, where both are
    known. ``None`` where the candidate saves less than 1 %, or nobody can tell: an unknown cost is
    never a saving, and a cost of 0 cannot be undercut.
    """
    bill, other = bills.get(model.id), bills.get(candidate.id)
    what: Literal["bill", "parameters"] = "parameters"
    now, then = model.params_b, candidate.params_b
    if bill is not None and other is not None:
        what, now, then = "bill", bill.monthly_usd, other.monthly_usd
    if now is None or then is None or now <= 0:
        return None
    share = 1 - then / now
    return (what, share) if share >= _LEAST_SAVING else None
