"""What to choose: weights, bills, smaller equivalents and the shortlist."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from core.answers.evidence import ALL_MODELS, evidence_base, matrix, model, selection_of
from core.answers.prices import prices_on
from core.answers.redundancy import vote_groups
from core.answers.taxonomies import taxonomy
from core.domain import BadRequestError, Shortlist, TooFewError
from core.evidence.catalogue import OWN_RESULT
from core.procurement.costs import bill, token_profiles, workload
from core.procurement.equivalents import equivalents as find_equivalents
from core.procurement.requirements import benchmark_weights, category_weights
from core.procurement.shortlist import build_shortlist
from core.sharing.link import to_query, to_url
from core.statistics.score_matrix import complete

if TYPE_CHECKING:
    from datetime import date

    from core.domain import (
        Bill,
        Equivalent,
        Model,
        Requirements,
        ScoreMatrix,
        Taxonomy,
        TokenProfile,
        WorkloadLine,
    )
    from core.evidence.store import Store

_MIN_FOR_CLUSTERS = 3


@lru_cache(maxsize=8)
def _profiles(store: Store, *, reasoning: bool) -> dict[str, TokenProfile]:
    """Return tokens per request, of the models that write out their reasoning or of the rest.

    MedHELM let the former write up to 4,000 tokens where others were allowed one, so one
    figure for both would be wrong for both.
    """
    catalogue = store.catalogue
    benchmarks = [b for found in catalogue.benchmarks.values() for b in found]
    counted = [row for row in catalogue.tokens if catalogue.model(row.model).reasoning == reasoning]
    return token_profiles(counted, benchmarks)


def weights_of(store: Store, requirements: Requirements) -> tuple[tuple[str, float], ...]:
    """Return the category weights that the requirements come to; empty without evidence.

    Raises
    ------
    BadRequestError
        When the suite, the task or a category does not exist.
    """
    benchmarks = store.catalogue.benchmarks.get(requirements.suite)
    if benchmarks is None:
        store.snapshot(requirements.suite)  # says which suites there are
        raise BadRequestError(f"{requirements.suite} has no benchmarks.")
    if requirements.task not in store.catalogue.tasks:
        raise BadRequestError(f'There is no task "{requirements.task[:80]}".')
    return category_weights(requirements, benchmarks, store.catalogue.tasks[requirements.task])


def workload_of(
    store: Store, requirements: Requirements, *, reasoning: bool = False
) -> tuple[WorkloadLine, ...]:
    """Return the requests and tokens a month behind the bills; empty without evidence."""
    weights = weights_of(store, requirements)
    if not weights:
        return ()
    return workload(
        weights,
        _profiles(store, reasoning=reasoning),
        requests_per_month=requirements.requests_per_month,
        input_tokens=requirements.input_tokens_per_request,
        output_tokens=requirements.output_tokens_per_request,
    )


@lru_cache(maxsize=256)
def _bills(
    store: Store, models: tuple[str, ...], requirements: Requirements, on: date
) -> dict[str, Bill | None]:
    prices = prices_on(store, on)
    lines = {kind: workload_of(store, requirements, reasoning=kind) for kind in (False, True)}
    if not lines[False]:
        return dict.fromkeys(models)
    return {
        name: bill(
            prices.get(name.removesuffix(OWN_RESULT), ()),
            lines[model(store, name).reasoning],
        )
        for name in models
    }


def bills(
    store: Store, models: tuple[str, ...], requirements: Requirements, on: date
) -> dict[str, Bill | None]:
    """Return the monthly bill of each model at the lowest public price of a day, or ``None``."""
    return _bills(store, models, _bill_question(requirements), on)


def _bill_question(requirements: Requirements) -> Requirements:
    """Keep what a bill depends on, so that other choices find it computed."""
    return replace(
        requirements,
        cohort=ALL_MODELS,
        protocol="",
        revision="",
        access="any",
        max_params_b=None,
        monthly_budget_usd=None,
        margin=0.0,
        include_flagged=False,
        only=(),
        overlap_once=False,
    )


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


@lru_cache(maxsize=256)
def shortlist(store: Store, requirements: Requirements, on: date) -> Shortlist:
    """Return the shortlist for the requirements at the public prices of a day.

    Raises
    ------
    BadRequestError
        When a suite, cohort, protocol, task or category does not exist.
    BadDataError
        When the suite has no usable snapshot.
    """
    base = evidence_base(store, requirements.suite, requirements.cohort)
    suites = (requirements.suite, *filter(None, [base.second_suite if base else ""]))
    matrices, trees = _compared(store, suites, requirements)
    models = _models(store, matrices)
    return build_shortlist(
        requirements,
        weights=weights_of(store, requirements),
        matrices=matrices,
        taxonomies=trees,
        models=models,
        bills=_bills(store, tuple(sorted(models)), _bill_question(requirements), on),
        workload=workload_of(store, requirements),
        reasoning_workload=workload_of(store, requirements, reasoning=True),
        vote_groups=overlaps(store, requirements),
    )


def shortlist_link(store: Store, requirements: Requirements, base_url: str = "") -> str:
    """Return the link to the page of a shortlist; empty where no page shows its cohort.

    Parameters
    ----------
    base_url
        The address of the page; empty gives the parameters alone, from ``?`` on.
    """
    if evidence_base(store, requirements.suite, requirements.cohort) is None:
        return ""
    snapshot = store.snapshot(requirements.suite, requirements.revision)
    return to_url(base_url, to_query(requirements, store.catalogue, snapshot))
