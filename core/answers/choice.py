"""What to choose: smaller equivalents and the shortlist."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from core.answers.bills import bills, route_verdicts, weights_of, workload_of
from core.answers.evidence import evidence_base, matrix, model, selection_of
from core.answers.redundancy import vote_groups
from core.answers.taxonomies import taxonomy
from core.domain import BadRequestError, Shortlist, TooFewError
from core.procurement.equivalents import equivalents as find_equivalents
from core.procurement.requirements import benchmark_weights
from core.procurement.shortlist import judged, rank_models
from core.sharing.link import to_query, to_url
from core.statistics.score_matrix import complete

if TYPE_CHECKING:
    from datetime import date

    from core.domain import (
        Equivalent,
        Model,
        Requirements,
        ScoreMatrix,
        Taxonomy,
    )
    from core.evidence.store import Store
    from core.procurement.shortlist import Ranking

_MIN_FOR_CLUSTERS = 3


def _compared(
    store: Store, suites: tuple[str, ...], requirements: Requirements
) -> tuple[tuple[ScoreMatrix, ...], tuple[Taxonomy, ...]]:
    """Return matrices and taxonomies; no taxonomies where too few models are complete."""
    selections = [selection_of(requirements, suite) for suite in suites]
    matrices = tuple(matrix(store, selection) for selection in selections)
    if any(len(complete(scores).models) < _MIN_FOR_CLUSTERS for scores in matrices):
        return matrices, ()
    return matrices, tuple(taxonomy(store, selection) for selection in selections)


def overlaps(store: Store, requirements: Requirements) -> tuple[tuple[str, ...], ...]:
    """Return the benchmarks that share a vote; none where too few models tell what overlaps."""
    if not requirements.overlap_once:
        return ()
    try:
        return vote_groups(store, selection_of(requirements))
    except TooFewError:
        return ()


@lru_cache(maxsize=16)
def _models(store: Store, matrices: tuple[ScoreMatrix, ...]) -> dict[str, Model]:
    ids = {name for scores in matrices for name in scores.models}
    return {name: model(store, name) for name in ids}


def known_as(store: Store, model: str, suite: str, requirements: Requirements) -> str:
    """Return the id under which a cohort holds a model: the one given, else that of its alias.

    A mirror may have runs of its own in one cohort and stand for its original in another.
    """
    (scores,), _ = _compared(store, (suite,), requirements)
    held = {*scores.models, *(left_out.model for left_out in scores.excluded)}
    return model if model in held else store.catalogue.aliases.get(model, model)


def equivalents(
    store: Store,
    model: str,
    suites: tuple[str, ...],
    *,
    requirements: Requirements,
    on: date,
    by_task: bool = False,
    size_only: bool = False,
) -> tuple[Equivalent, ...]:
    """Return the cheaper or smaller candidates for a model over one or more suites.

    ``requirements`` gives the cohort, the margin, and for bills the task and the workload.
    ``by_task`` weighs the benchmarks of the first suite by the task, as the shortlist does;
    else, and where the suite has none for the task, all benchmarks count alike. ``size_only`` is
    the rule of the taxonomy paper: parameters in place of bills, all benchmarks alike, and
    cluster-mates only.

    Raises
    ------
    BadRequestError
        When a suite or the model does not exist, or the model was left out of a taxonomy.
    """
    model = known_as(store, model, suites[0], requirements)
    matrices, trees = _compared(store, suites, requirements)
    if not trees:
        raise BadRequestError("Too few models have every benchmark to form a taxonomy.")
    models = _models(store, matrices)
    weights = weights_of(store, requirements) if by_task and not size_only else ()
    return find_equivalents(
        model,
        matrices=matrices,
        taxonomies=trees,
        models=models,
        bills={} if size_only else bills(store, tuple(sorted(models)), requirements, on),
        margin=requirements.margin,
        weights=benchmark_weights(weights, matrices[0].benchmarks, overlaps(store, requirements))
        if weights
        else None,
        same_cluster_only=size_only,
    )


@lru_cache(maxsize=64)
def shortlist(store: Store, requirements: Requirements, on: date) -> Shortlist:
    """Return the shortlist for the requirements at the public prices of a day.

    Raises
    ------
    BadRequestError
        When a suite, cohort, protocol, task or category does not exist.
    BadDataError
        When the suite has no usable snapshot.
    """
    return judged(ranking(store, requirements, on), requirements)


def ranking(store: Store, requirements: Requirements, on: date) -> Ranking:
    """Rank the models whatever the margin, which is what people try out most; as ``shortlist``."""
    return _ranking(store, replace(requirements, margin=0.0), on)


@lru_cache(maxsize=32)
def _ranking(store: Store, requirements: Requirements, on: date) -> Ranking:
    base = evidence_base(store, requirements.suite, requirements.cohort)
    suites = (requirements.suite, *filter(None, [base.second_suite if base else ""]))
    matrices, trees = _compared(store, suites, requirements)
    models = _models(store, matrices)
    names = tuple(sorted(models))
    return rank_models(
        requirements,
        weights=weights_of(store, requirements),
        matrices=matrices,
        taxonomies=trees,
        models=models,
        bills=bills(store, names, requirements, on),
        routes=route_verdicts(store, names, requirements),
        workload=workload_of(store, requirements),
        reasoning_workload=workload_of(store, requirements, reasoning=True),
        vote_groups=overlaps(store, requirements),
    )


def shortlist_link(store: Store, requirements: Requirements, on: date, base_url: str = "") -> str:
    """Return the link to the page of a shortlist; empty where no page shows its cohort.

    The link names the snapshot and the day of the prices, so that it shows the same figures later.

    Parameters
    ----------
    base_url
        The address of the page; empty gives the parameters alone, from ``?`` on.
    """
    if evidence_base(store, requirements.suite, requirements.cohort) is None:
        return ""
    snapshot = store.snapshot(requirements.suite, requirements.revision)
    pinned = replace(requirements, prices_on=on.isoformat())
    return to_url(base_url, to_query(pinned, store.catalogue, snapshot))
