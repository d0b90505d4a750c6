"""Whether one model may take another's place: tiers in place of one verdict, and vetoes for harm.

The rules are those of ``docs/methods.md``, "Replacement". Harm is that of a model's clinical
recommendations as NOHARM measured it (arXiv:2512.01241): the share of cases with severe harm alone
decides rank, mark and veto. Its error is binomial over the suite's cases; two systems count as
independent, though they saw the same cases.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import scipy
from numpy.typing import NDArray

from core.domain import (
    BadRequestError,
    Difference,
    Equivalent,
    Judged,
    Loss,
    Model,
    Rise,
    Safety,
    ScoreMatrix,
    Taxonomy,
    Tier,
)
from core.statistics.difference import Means, combine, difference_at, gaps, verdict_of
from core.statistics.items import ALPHA
from core.statistics.ranks import holm

_MUCH_MORE = 1.25
"""A rise of a quarter is told, whether or not it is shown."""


def is_shown_above(share: float, other: float, n: int) -> bool:
    """Say whether one share of n cases is shown to be above another, one-sided at 2.5 %."""
    error = math.sqrt((share * (1 - share) + other * (1 - other)) / (n - 1))
    if error == 0:
        return share > other
    return bool(scipy.special.ndtr((share - other) / error) > 1 - ALPHA)


def rise(model: Safety | None, candidate: Safety | None) -> Rise | None:
    """Return a rise of a quarter or more in harm or in severe errors; ``None`` without any.

    A rise of harm that is shown is one, however small.
    """
    if model is None or candidate is None:
        return None
    before, after = model.severe_errors_per_100, candidate.severe_errors_per_100
    harm = errors = None
    if candidate.share > 0 and candidate.share >= _MUCH_MORE * model.share:
        harm = (model.share, candidate.share)
    if before is not None and after is not None and 0 < after >= _MUCH_MORE * before:
        errors = (before, after)
    shown = is_shown_above(candidate.share, model.share, candidate.n)
    return Rise(harm, errors, shown) if harm or errors or shown else None


def judge(
    model: str,
    candidates: Sequence[str],
    *,
    matrix: ScoreMatrix,
    weights: Mapping[str, float],
    categories: Mapping[str, Mapping[str, float]],
    margin: float,
    safety: Mapping[str, Safety],
) -> dict[str, Judged]:
    """Judge all candidates for the place of a model, as good within a margin or not.

    *Shown*: worse by the margin is rejected at 2.5 % one-sided, by Holm over all candidates;
    *likely*: the same for this pair alone; *worse*: the interval's upper end is below −margin;
    else *open*. A category in which the candidate is worse by twice the margin, or severe harm
    that is shown to rise, caps the tier at *open*.

    Parameters
    ----------
    candidates
        All that fit: the tier *shown* promises its error for the whole list.
    matrix, weights
        The suite that the models are ranked by, and the weights of its benchmarks; what other
        suites say is a second opinion.
    categories
        By the name of each weighted category: the weights of its benchmarks.
    margin
        Largest loss that still counts as good, 0 to 1 scale.
    safety
        By model; a model that was not tested for harm is not in it and gives no veto.
    """
    if not candidates:
        return {}
    found = gaps_to(matrix, model, candidates, weights)
    tiers = _tiers(found, margin)
    others = _tiers(found.weaker(), margin)
    vetoes = _category_vetoes(matrix, model, candidates, categories, margin)
    result = {}
    for i, candidate in enumerate(candidates):
        against: tuple[Loss | Rise, ...] = tuple(vetoes.get(candidate, ()))
        more = rise(safety.get(model), safety.get(candidate))
        unshown = (more,) if more is not None and not more.shown else ()
        if more is not None and more.shown:
            against = (*against, more)
        capped = bool(against) and tiers[i] in ("shown", "likely")
        difference = difference_at(found, i, candidate, model)
        result[candidate] = Judged(
            difference=difference,
            tier="open" if capped else tiers[i],
            other_tier=others[i] if len(difference.intervals) > 1 else None,
            vetoes=against if capped else (),
            warnings=(*(() if capped else against), *unshown),
            one_more_test=_on_one_more(difference, margin),
        )
    return result


def _on_one_more(difference: Difference, margin: float) -> float | None:
    """Chance of a loss beyond the margin on one more test, where differences vary by t."""
    for interval in difference.intervals:
        if interval.basis == "on other tests" and difference.difference is not None:
            beyond = -margin - difference.difference
            spread = interval.standard_error * math.sqrt(interval.dof + 2)
            if spread == 0:
                return float(beyond > 0)
            return float(scipy.special.stdtr(interval.dof, beyond / spread))
    return None


def gaps_to(
    matrix: ScoreMatrix,
    model: str,
    candidates: Sequence[str],
    weights: Mapping[str, float] | None = None,
) -> Means:
    """Return each candidate minus the model; without weights all benchmarks count alike."""
    position = {name: i for i, name in enumerate(matrix.models)}
    rows: NDArray[np.intp] = np.array([position[name] for name in candidates], dtype=np.intp)
    return gaps(matrix, rows, np.full(len(rows), position[model], dtype=np.intp), weights=weights)


def _tiers(found: Means, margin: float) -> list[Tier]:
    alone = found.p_above(-margin)
    together, high = holm(alone), found.ends[1]
    tiers: list[Tier] = []
    for one, all_of_them, end in zip(alone.tolist(), together.tolist(), high.tolist(), strict=True):
        if all_of_them < ALPHA:
            tiers.append("shown")
        elif one < ALPHA:
            tiers.append("likely")
        else:
            tiers.append("worse" if end < -margin else "open")
    return tiers


def _category_vetoes(
    matrix: ScoreMatrix,
    model: str,
    candidates: Sequence[str],
    categories: Mapping[str, Mapping[str, float]],
    margin: float,
) -> dict[str, list[Loss]]:
    """Return the categories in which a candidate is worse by twice the margin."""
    lost: dict[str, list[Loss]] = {}
    if len(categories) < 2:
        return lost
    for name, weights in categories.items():
        found = gaps_to(matrix, model, candidates, weights)
        low, high = found.ends
        for i in np.flatnonzero(high < -2 * margin).tolist():
            ends = float(found.mean[i]), float(low[i]), float(high[i])
            lost.setdefault(candidates[i], []).append(Loss(name, *ends))
    return lost


_LEAST_SAVING = 0.01
"""Parameter counts are rounded by their sources: 8.03 and 8 billion are one size."""


def smaller_equivalents(
    model_id: str,
    *,
    matrices: Sequence[ScoreMatrix],
    taxonomies: Sequence[Taxonomy],
    models: Mapping[str, Model],
    margin: float,
) -> tuple[Equivalent, ...]:
    """List the smaller models that could replace a model, closest first, then by id.

    Total parameters are the cost surrogate of the taxonomy paper; an unknown size is not a saving.
    Differences are candidate minus model.

    Parameters
    ----------
    model_id
        A model that is in every taxonomy; else the error gives the reason it was left out.
    matrices, taxonomies
        One of each per suite, in the same order; all benchmarks of a suite count alike, and
        each suite has an equal vote. Distances add over the suites; a candidate is of the same
        cluster when it is in every one of them.
    margin
        Largest loss that still counts as equivalent, 0 to 1 scale.
    """
    from core.statistics.taxonomy import distances_between  # noqa: PLC0415 - slow to import

    for taxonomy in taxonomies:
        if model_id not in taxonomy.models:
            why = next((e.reason for e in taxonomy.excluded if e.model == model_id), None)
            left_out = f"was left out: {why}" if why else "is not among the models compared"
            raise BadRequestError(f'"{model_id[:120]}" {left_out} ({taxonomy.suite}).')
    whole = models[model_id].params_b
    shared = set.intersection(*(set(t.models) for t in taxonomies))
    saved = {
        name: 1 - size / whole
        for name in sorted(shared)
        if whole and (size := models[name].params_b)
    }
    ids = [name for name, share in saved.items() if share >= _LEAST_SAVING]
    distance, same_cluster = np.zeros(len(ids)), np.ones(len(ids), dtype=bool)
    for taxonomy in taxonomies:
        place = {name: i for i, name in enumerate(taxonomy.models)}
        rows, own = (np.array([place[n] for n in of], dtype=np.intp) for of in (ids, [model_id]))
        distance += distances_between(taxonomy, own, rows)[0]
        labels = np.array(taxonomy.labels)
        same_cluster &= labels[rows] == labels[own]
    found = combine([gaps_to(matrix, model_id, ids) for matrix in matrices])
    result = []
    for i in np.argsort(distance, kind="stable").tolist():
        candidate, gap = models[ids[i]], difference_at(found, i, ids[i], model_id)
        result.append(
            Equivalent(
                model=candidate.id,
                name=candidate.name,
                params_b=candidate.params_b,
                distance=float(distance[i]),
                same_cluster=bool(same_cluster[i]),
                difference=gap,
                verdict=verdict_of(gap, margin),
                saving_share=saved[candidate.id],
            )
        )
    return tuple(result)
