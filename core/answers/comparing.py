"""Who beats whom, what the compared set does to that, and a few models side by side."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.answers.choice import shortlist
from core.answers.costs import blended, shares_written
from core.answers.evidence import flags, matrix, model, products, selection_of
from core.answers.prices import prices_on
from core.answers.remembering import remembered
from core.evidence.catalogue import OWN_RESULT
from core.statistics import side_by_side as comparing
from core.statistics import win_rates as counting
from core.statistics.score_matrix import select_benchmarks, select_models
from core.statistics.win_rates import of_category

if TYPE_CHECKING:
    from datetime import date

    from core.domain import Flag, Licence, Model, Price, Requirements, Selection
    from core.evidence.store import Store
    from core.statistics.side_by_side import SideBySide
    from core.statistics.win_rates import HeadToHead, Removal


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


@remembered(maxsize=16)
def head_to_head(
    store: Store, selection: Selection, models: tuple[str, ...], category: str | None = None
) -> HeadToHead:
    """Return who of these models beats whom. Errors as for ``matrix``, or an unknown category."""
    return counting.head_to_head(
        select_models(of_category(products(store, selection), category), models)
    )


@remembered(maxsize=32)
def without(
    store: Store, selection: Selection, left_out: tuple[str, ...], category: str | None = None
) -> Removal:
    """Return what leaving models out does to the win rates. Errors as for ``without``."""
    return counting.without(of_category(products(store, selection), category), left_out)


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
    """Return licence, price, run and flags of models of a matrix. Errors as for ``matrix``."""
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
