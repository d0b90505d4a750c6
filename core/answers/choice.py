"""What to choose: the shortlist, and the taxonomy paper's smaller equivalents."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from core.answers.bills import bills, route_verdicts, weights_of, workload_of
from core.answers.evidence import ALL_MODELS, evidence_base, matrix, model, provenance, selection_of
from core.answers.monthly_costs import monthly_costs
from core.answers.redundancy import vote_groups
from core.answers.remembering import remembered
from core.answers.selling import gone, sales
from core.answers.taxonomies import taxonomy
from core.domain import BadRequestError, Shortlist, TooFewError
from core.procurement.equivalents import equivalents as find_equivalents
from core.procurement.shortlist import rank_models
from core.sharing.link import OWN_TASK, to_query, to_url
from core.statistics.score_matrix import complete

if TYPE_CHECKING:
    from datetime import date

    from core.domain import (
        Equivalent,
        EvidenceBase,
        Model,
        Requirements,
        ScoreMatrix,
        Taxonomy,
    )
    from core.evidence.store import Store

_MIN_FOR_CLUSTERS = 3


def compared(
    store: Store, suites: tuple[str, ...], requirements: Requirements
) -> tuple[tuple[ScoreMatrix, ...], tuple[Taxonomy, ...]]:
    """Return matrices and taxonomies; no taxonomies where too few models are complete."""
    selections = [selection_of(requirements, suite) for suite in suites]
    matrices = tuple(matrix(store, selection) for selection in selections)
    if any(len(complete(scores).models) < _MIN_FOR_CLUSTERS for scores in matrices):
        return matrices, ()
    return matrices, tuple(taxonomy(store, selection) for selection in selections)


def suites_of(store: Store, requirements: Requirements) -> tuple[str, ...]:
    """Return the suite of a question, and the second one that its evidence base counts."""
    base = evidence_base(store, requirements.suite, requirements.cohort)
    return (requirements.suite, *filter(None, [base.second_suite if base else ""]))


def overlaps(store: Store, requirements: Requirements) -> tuple[tuple[str, ...], ...]:
    """Return the benchmarks that share a vote; none where too few models tell what overlaps."""
    if not requirements.overlap_once:
        return ()
    try:
        return vote_groups(store, selection_of(requirements))
    except TooFewError:
        return ()


@remembered(maxsize=64)
def models_of(store: Store, matrices: tuple[ScoreMatrix, ...]) -> dict[str, Model]:
    """Return the facts on every model of some matrices."""
    ids = {name for scores in matrices for name in scores.models}
    return {name: model(store, name) for name in ids}


def known_as(store: Store, model: str, suite: str, requirements: Requirements) -> str:
    """Return the id under which a cohort holds a model: the one given, else that of its alias.

    A mirror may have runs of its own in one cohort and stand for its original in another.
    """
    (scores,), _ = compared(store, (suite,), requirements)
    held = {*scores.models, *(left_out.model for left_out in scores.excluded)}
    return model if model in held else store.catalogue.aliases.get(model, model)


def equivalents(
    store: Store,
    model: str,
    suites: tuple[str, ...],
    *,
    requirements: Requirements,
    on: date,
    size_only: bool = False,
) -> tuple[Equivalent, ...]:
    """Return the cheaper or smaller candidates for a model over one or more suites.

    ``requirements`` gives the cohort, the margin, and for bills the task and the workload. All
    benchmarks count alike. ``size_only`` is the rule of the taxonomy paper: parameters in place
    of bills, and cluster-mates only.

    Raises
    ------
    BadRequestError
        When a suite or the model does not exist, or the model was left out of a taxonomy.
    """
    model = known_as(store, model, suites[0], requirements)
    matrices, trees = compared(store, suites, requirements)
    if not trees:
        raise BadRequestError("Too few models have every benchmark to form a taxonomy.")
    models = models_of(store, matrices)
    return find_equivalents(
        model,
        matrices=matrices,
        taxonomies=trees,
        models=models,
        bills={} if size_only else bills(store, tuple(sorted(models)), requirements, on),
        margin=requirements.margin,
        same_cluster_only=size_only,
    )


def shortlist(store: Store, requirements: Requirements, on: date) -> Shortlist:
    """Return the shortlist for the requirements at the public prices of a day.

    Raises
    ------
    BadRequestError
        When a suite, cohort, protocol, task or category does not exist.
    BadDataError
        When the suite has no usable snapshot.
    """
    found = _shortlist(store, replace(requirements, margin=0.0), on)
    return replace(found, requirements=requirements)


@remembered(maxsize=64)
def _shortlist(store: Store, requirements: Requirements, on: date) -> Shortlist:
    """Rank the models whatever the margin, which is what people try out most."""
    (scores,), trees = compared(store, (requirements.suite,), requirements)
    models = models_of(store, (scores,))
    names = tuple(sorted(models))
    sold = sales(store, names, requirements, on)
    no_longer = gone(sold)
    by_token = requirements.access != "own"
    found = rank_models(
        requirements,
        weights=weights_of(store, requirements),
        matrix=scores,
        models=models,
        clusters=dict(zip(trees[0].models, trees[0].labels, strict=True)) if trees else {},
        costs=monthly_costs(store, names, requirements, on, no_longer),
        bills=bills(store, names, requirements, on, no_longer) if by_token else {},
        workload=workload_of(store, requirements),
        reasoning_workload=workload_of(store, requirements, reasoning=True),
        vote_groups=overlaps(store, requirements),
        routes=route_verdicts(store, names, requirements, requirements.access),
        sales=sold,
        labels=provenance(store, selection_of(requirements)),
    )
    matrices, _ = compared(store, suites_of(store, requirements), requirements)
    return replace(found, snapshots=tuple(m.snapshot for m in matrices if m.snapshot is not None))


def evidence_that_answers(
    store: Store, requirements: Requirements, on: date
) -> tuple[tuple[EvidenceBase, int], ...]:
    """Return the other clinical evidence with models that fit, and how many.

    In the order of the catalogue, which begins with real clinical work. Only evidence over all
    models of a suite, with every score and with tests of the task. Own weights name the categories
    of one suite, so no other can answer them.
    """
    if requirements.task == OWN_TASK:
        return ()
    found = []
    for base in store.catalogue.evidence.values():
        tests = store.catalogue.benchmarks.get(base.suite, ())
        if (
            base.suite == requirements.suite
            or base.cohort != ALL_MODELS
            or not store.of_suite(base.suite)
            or not any(test.domain == "domain-specific" for test in tests)
        ):
            continue
        there = replace(
            requirements,
            suite=base.suite,
            cohort=ALL_MODELS,
            protocol="",
            revision="",
            only=(),
            include_flagged=False,
        )
        n_fit = sum(row.rank is not None for row in shortlist(store, there, on).rows)
        if n_fit:
            found.append((base, n_fit))
    return tuple(found)


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
