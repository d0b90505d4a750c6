"""What could take the place of the model in use: candidates, proof, and models side by side."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.answers.bills import bills
from core.answers.cost import blended, shares_written
from core.answers.data import flags, matrix, model, prices_on, products, selection_of
from core.answers.recommend import compared, known_as, models_of, shortlist
from core.answers.remembering import remembered
from core.domain import BadRequestError
from core.evidence.catalogue import OWN_RESULT
from core.procurement.equivalents import equivalents as find_equivalents
from core.statistics import side_by_side as comparing
from core.statistics.score_matrix import select_benchmarks

if TYPE_CHECKING:
    from datetime import date

    from core.domain import Equivalent, Flag, Licence, Model, Price, Requirements
    from core.evidence.store import Store
    from core.statistics.side_by_side import SideBySide


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


@remembered(maxsize=32)
def replacement_proof(
    store: Store,
    requirements: Requirements,
    suites: tuple[str, ...],
    model_id: str,
    candidate: str,
    on: date,
    *,
    by_task: bool,
) -> tuple[SideBySide, ...]:
    """Return the candidate against the model, benchmark by benchmark, one result per suite.

    ``by_task`` counts the task's benchmarks of the first suite as the shortlist weighs them;
    else, and in a second suite, all count alike.
    """
    weights = dict(shortlist(store, requirements, on).benchmark_weights) if by_task else {}
    found = []
    for number, suite in enumerate(suites):
        scores = products(store, selection_of(requirements, suite))
        counted = weights if number == 0 else {}
        if counted:
            scores = select_benchmarks(scores, [b.id for b in scores.benchmarks if b.id in counted])
        found.append(comparing.side_by_side(scores, (model_id, candidate), counted or None))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of one model beside its scores."""

    model: Model
    licence: Licence | None
    price: Price | None
    """The public price that is lowest for the workload; ``None`` where nobody prints one."""
    n_prices: int
    run: str
    flags: tuple[Flag, ...]
    """Of the model's runs in this suite, whether they count or not."""


@remembered(maxsize=32)
def side_by_side(
    store: Store, requirements: Requirements, models: tuple[str, ...], on: date
) -> SideBySide:
    """Return models on every benchmark of the task, and overall by the shortlist's weights.

    Where the suite has no benchmark for the task, all of its benchmarks count alike. Errors as for
    ``shortlist`` and ``side_by_side``.
    """
    weights = dict(shortlist(store, requirements, on).benchmark_weights)
    scores = products(store, selection_of(requirements))
    if weights:
        counted = [b.id for b in scores.benchmarks if b.id in weights]
        scores = select_benchmarks(scores, counted)
    return comparing.side_by_side(scores, models, weights or None)


def facts_beside(
    store: Store, requirements: Requirements, models: tuple[str, ...], on: date
) -> tuple[Facts, ...]:
    """Return licence, price, run and flags of models of a matrix."""
    selection = selection_of(requirements)
    scores = matrix(store, selection)
    runs = dict(zip(scores.models, scores.runs, strict=True))
    found, prices = flags(store, selection), prices_on(store.shared, on)
    written = shares_written(store, requirements)

    def beside(name: str) -> Facts:
        facts = model(store, name)
        # Without a workload, as much is taken to be written as is read.
        share = 0.5 if math.isnan(written[0]) else written[facts.reasoning]
        printed = prices.get(name.removesuffix(OWN_RESULT), ())
        return Facts(
            model=facts,
            licence=store.catalogue.licence(facts),
            price=min(printed, key=lambda price: blended(price, share), default=None),
            n_prices=len(printed),
            run=runs[name],
            flags=tuple(flag for flag in found if flag.model == name),
        )

    return tuple(map(beside, models))
