"""Smaller equivalents: which cheaper or smaller model of the same cluster does the same job.

The rule is that of the taxonomy paper (doi 10.2196/72918): of models that perform alike, buy
the smaller. The difference and its interval say whether they do.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from core.domain import BadRequestError, Difference, Equivalent, Equivalents
from core.procurement.candidates import closest, field_of
from core.statistics.difference import Means, combine, difference_at, gaps, verdict

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from core.domain import Bill, Model, ScoreMatrix, Taxonomy, Verdict
    from core.procurement.candidates import Field, Pairs

_VERDICTS: tuple[Verdict, ...] = ("equivalent", "cannot tell", "worse")
_ORDER = {name: place for place, name in enumerate(_VERDICTS)}


def equivalents(
    model_id: str,
    *,
    matrices: Sequence[ScoreMatrix],
    taxonomies: Sequence[Taxonomy],
    models: Mapping[str, Model],
    bills: Mapping[str, Bill | None],
    margin: float,
    weights: Mapping[str, float] | None = None,
    among: Collection[str] | None = None,
    same_cluster_only: bool = False,
    limit: int | None = None,
) -> tuple[Equivalent, ...]:
    """List the cheaper or smaller models that could replace a model, closest first.

    Parameters
    ----------
    model_id
        A model that stands in every taxonomy.
    matrices, taxonomies
        One of each per suite, in the same order. Distances add over the suites; a candidate
        is of the same cluster when it is in every one of them.
    models
        Facts on every model of the taxonomies.
    bills
        Monthly bills; a missing or ``None`` bill is unknown.
    margin
        Largest loss that still counts as equivalent, 0 to 1 scale.
    weights
        Weights of the benchmarks of the first suite; by default all count alike.
    among
        The candidates to consider; by default all models of the taxonomies.
    same_cluster_only, limit
        Keep only cluster-mates, and at most so many of the closest.

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
    pairs = closest(field, [model_id], same_cluster_only=same_cluster_only, limit=limit)
    found = _differences(field, pairs, matrices, weights)
    return tuple(
        _equivalent(field, pairs, i, _difference(field, pairs, i, found), margin, models)
        for i in range(len(pairs.candidate))
    )


def candidates_of_each(
    model_ids: Sequence[str],
    *,
    matrices: Sequence[ScoreMatrix],
    taxonomies: Sequence[Taxonomy],
    models: Mapping[str, Model],
    bills: Mapping[str, Bill | None],
    weights: Mapping[str, float] | None = None,
    limit: int | None = None,
) -> Candidates:
    """Find the candidates for each model among all of them; no margin changes these.

    The same as ``equivalents`` of each model, among these models and its cluster-mates only, but
    for all at once: pairs are gone through in blocks, so that thousands of models take a second
    and little memory.

    Parameters
    ----------
    model_ids
        Models that stand in every taxonomy.
    matrices, taxonomies, models, bills, weights, limit
        As for ``equivalents``.
    """
    if not model_ids:
        return Candidates(None, None, None)
    field = field_of(taxonomies, models, bills, set(model_ids), ())
    pairs = closest(field, model_ids, same_cluster_only=True, limit=limit)
    found = _differences(field, pairs, matrices, weights)
    if len(found) > 1:
        both = [_difference(field, pairs, i, found) for i in range(len(pairs.candidate))]
        return Candidates(field, pairs, _as_means(both))
    return Candidates(field, pairs, found[0])


def _as_means(differences: Sequence[Difference]) -> Means:
    mean, low, high = (
        np.array([np.nan if value is None else value for value in values], dtype=float)
        for values in (
            [gap.difference for gap in differences],
            [gap.ci_low for gap in differences],
            [gap.ci_high for gap in differences],
        )
    )
    n_benchmarks = np.array([gap.n_benchmarks for gap in differences], dtype=np.intp)
    return Means(mean, low, high, tuple(gap.basis for gap in differences), n_benchmarks)


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """The closest candidates for many models, and how far each is from its model."""

    _field: Field | None
    _pairs: Pairs | None
    _gaps: Means | None

    def best(self, models: Mapping[str, Model], margin: float) -> Equivalents:
        """Name the best candidate of each model at a margin; models without any are not in it."""
        if self._field is None or self._pairs is None or self._gaps is None:
            return Equivalents({})
        gaps, pairs, ids = self._gaps, self._pairs, self._field.ids
        if not len(pairs.model):
            return Equivalents({})
        # The rule of ``verdict`` for all pairs at once; an unknown end compares as neither.
        order = np.where(gaps.ci_low > -margin, 0, np.where(gaps.ci_high < -margin, 2, 1))
        # The pairs of a model stand together, the closest first, so the first of the best verdict
        # is the one.
        n = len(order)
        starts = np.flatnonzero(np.diff(pairs.model, prepend=-1))
        chosen = np.minimum.reduceat(order * n + np.arange(n), starts) % n
        chosen = chosen[np.argsort(pairs.model[chosen])]
        replaced = pairs.model[chosen]
        candidate = pairs.candidate[chosen]
        return Equivalents(
            position={ids[model]: i for i, model in enumerate(replaced.tolist())},
            candidates=[models[ids[place]] for place in candidate.tolist()],
            verdicts=[_VERDICTS[number] for number in order[chosen].tolist()],
            difference=gaps.mean[chosen].tolist(),
            ci_low=gaps.ci_low[chosen].tolist(),
            ci_high=gaps.ci_high[chosen].tolist(),
            basis=[gaps.basis[i] for i in chosen.tolist()],
            n_benchmarks=gaps.n_benchmarks[chosen].tolist(),
            monthly_usd=self._field.usd[candidate].tolist(),
            distance=pairs.distance[chosen].tolist(),
            saving_share=pairs.saving_share[chosen].tolist(),
            by_bill=pairs.by_bill[chosen].tolist(),
        )


def equivalent_of(found: Equivalents, model: str) -> Equivalent | None:
    """Return the best equivalent of a model; ``None`` where it has none."""
    i = found.position.get(model)
    if i is None:
        return None
    candidate, usd = found.candidates[i], found.monthly_usd[i]
    ends = (found.difference[i], found.ci_low[i], found.ci_high[i])
    difference, low, high = (None if np.isnan(end) else end for end in ends)
    return Equivalent(
        model=candidate.id,
        name=candidate.name,
        params_b=candidate.params_b,
        monthly_usd=None if np.isnan(usd) else usd,
        distance=found.distance[i],
        same_cluster=True,
        difference=Difference(
            candidate.id, model, difference, low, high, found.basis[i], found.n_benchmarks[i]
        ),
        verdict=found.verdicts[i],
        cheaper_by="bill" if found.by_bill[i] else "parameters",
        saving_share=found.saving_share[i],
    )


def best(found: Sequence[Equivalent]) -> Equivalent | None:
    """Return the one to name first: equivalent before uncertain before worse, then closest."""
    return min(found, key=lambda e: (_ORDER[e.verdict], e.distance, e.model), default=None)


def _differences(
    field: Field,
    pairs: Pairs,
    matrices: Sequence[ScoreMatrix],
    weights: Mapping[str, float] | None,
) -> list[Means]:
    """Candidate minus model for each pair, one result per suite."""
    result = []
    for number, matrix in enumerate(matrices):
        position = {model: i for i, model in enumerate(matrix.models)}
        rows = np.array([position[model] for model in field.ids], dtype=np.intp)
        result.append(
            gaps(
                matrix,
                rows[pairs.candidate],
                rows[pairs.model],
                weights=weights if number == 0 else None,
            )
        )
    return result


def _difference(field: Field, pairs: Pairs, i: int, found: Sequence[Means]) -> Difference:
    candidate, model = field.ids[pairs.candidate[i]], field.ids[pairs.model[i]]
    parts = [difference_at(means, i, candidate, model) for means in found]
    return parts[0] if len(parts) == 1 else combine(parts)


def _equivalent(
    field: Field,
    pairs: Pairs,
    i: int,
    gap: Difference,
    margin: float,
    models: Mapping[str, Model],
) -> Equivalent:
    place = pairs.candidate[i]
    candidate, usd = models[field.ids[place]], float(field.usd[place])
    return Equivalent(
        model=candidate.id,
        name=candidate.name,
        params_b=candidate.params_b,
        monthly_usd=None if np.isnan(usd) else usd,
        distance=float(pairs.distance[i]),
        same_cluster=bool(field.clusters[place] == field.clusters[pairs.model[i]]),
        difference=gap,
        verdict=verdict(gap, margin),
        cheaper_by="bill" if pairs.by_bill[i] else "parameters",
        saving_share=float(pairs.saving_share[i]),
    )
