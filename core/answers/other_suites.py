"""What the other suites say: how their orders agree, a model's place in each, and its harm."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from core.answers.bills import weights_of
from core.answers.data import matrix, model, models, products, provenance
from core.domain import (
    FormularyError,
    Invented,
    OrderAgreement,
    Requirements,
    Safety,
    SecondOpinion,
    Selection,
)
from core.evidence.catalogue import OWN_RESULT
from core.memory import remembered
from core.procurement.products import Kind, counterparts, matched
from core.procurement.replacement import safety_of
from core.procurement.requirements import benchmark_weights
from core.statistics.difference import scores
from core.statistics.ranks import MIN_MODELS, order_agreement
from core.statistics.score_matrix import complete, normalised, select_benchmarks, select_models

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from core.evidence.store import Store

_NOHARM = {
    "safety": ("safety",),
    "completeness": ("completeness",),
    "restraint": ("restraint",),
    "three dimensions": ("safety", "completeness", "restraint"),
    "severe harm share": ("pct_cumulative",),
}
"""Metrics of NOHARM and the benchmarks whose mean they are."""
HARM = "noharm"
_SUMMARIES, _INVENTED = "vectara-hhem", "invented_content"
_SHARE, _ERRORS = "pct_cumulative", "normalized"


@dataclass(frozen=True, slots=True)
class AcrossSuites:
    """The orders that two suites give to the models that both have."""

    a: str
    b: str
    """Suite and metric, as in ``medhelm:balanced``."""
    models: tuple[tuple[str, str, str], ...]
    """Id in either suite, and whether it is the same version or none is stated."""
    agreement: OrderAgreement


@remembered(maxsize=4)
def across_suites(store: Store) -> tuple[AcrossSuites, ...]:
    """Return how the orders of every two suites agree over the models that they share.

    The newest snapshot of each suite, under its first protocol, without flagged runs, lines to
    compare with and own results. In each order stand the models with every benchmark of its
    metric, on a scale on which higher is better: fewer severe harms are. ``balanced`` weighs the
    categories of a suite as the task of that name does; a suite with one benchmark has that.
    Pairs of suites with fewer than three models in common are left out, and so are suites that
    only show what they measure.
    """
    orders = {
        suite: _orders(store, suite) for suite in store.catalogue.suites if store.of_suite(suite)
    }
    found = []
    for one, other in combinations(orders, 2):
        for a, of_a in orders[one].items():
            for b, of_b in orders[other].items():
                shared = matched(tuple(of_a), tuple(of_b), store.catalogue.crosswalk)
                if len(shared) < MIN_MODELS:
                    continue
                x, y = np.array([(of_a[i], of_b[j]) for i, j, _ in shared]).T
                pair = (f"{one}:{a}", f"{other}:{b}")
                found.append(AcrossSuites(*pair, shared, order_agreement(x, y)))
    return tuple(found)


def _orders(store: Store, suite: str) -> Mapping[str, Mapping[str, float]]:
    """Score of each model by each metric of a suite; none where the suite scores nothing."""
    benchmarks = store.catalogue.benchmarks[suite]
    if not any(benchmark.scored for benchmark in benchmarks):
        return {}
    every = tuple(benchmark.id for benchmark in benchmarks)
    scores = products(store, Selection(suite, benchmarks=every))
    metrics: dict[str, dict[str, float]]
    if suite == "noharm":
        metrics = {name: dict.fromkeys(of, 1 / len(of)) for name, of in _NOHARM.items()}
    else:
        weights = weights_of(store, Requirements(suite=suite))
        metrics = {"balanced": benchmark_weights(weights, scores.benchmarks)}
        if len(scores.benchmarks) == 1:
            metrics = {scores.benchmarks[0].id: metrics["balanced"]}
    found = {}
    for name, weights_by_id in metrics.items():
        kept = complete(select_benchmarks(scores, tuple(weights_by_id)))
        values = normalised(kept)[0] @ np.array(list(weights_by_id.values()))
        found[name] = {
            model: round(value, 12)  # summed in another order, the same score is the same
            for model, value in zip(kept.models, values.tolist(), strict=True)
            if not model.endswith(OWN_RESULT)
        }
    return found


def second_opinions(store: Store, model_id: str, suite: str) -> tuple[SecondOpinion, ...]:
    """Return a model's place in every other suite that has it, in the catalogue's order.

    By each suite's own balanced score, over its products with every score that counts.
    """
    found = []
    for other in store.catalogue.suites:
        if other == suite or not store.of_suite(other):
            continue
        metric, places = _places(store, other)
        name, kind = _tested_as(store, model_id, places)
        if name:
            pair = {_overall(store, suite), _overall(store, other)}
            orders = across_suites(store.shared)
            found.append(
                SecondOpinion(
                    suite=other,
                    name=store.catalogue.suites[other].name,
                    metric=metric,
                    rank=places[name],
                    n=len(places),
                    tested_as=model(store, name).name,
                    kind=kind,
                    # As the page Redundancy has it.
                    agreement=next((o.agreement for o in orders if {o.a, o.b} == pair), None),
                )
            )
    return tuple(found)


def _overall(store: Store, suite: str) -> str:
    benchmarks = store.catalogue.benchmarks[suite]
    if len(benchmarks) == 1:
        return f"{suite}:{benchmarks[0].id}"
    return f"{suite}:{'three dimensions' if suite == HARM else 'balanced'}"


@remembered(maxsize=16)
def safety(store: Store, names: tuple[str, ...]) -> Mapping[str, Safety]:
    """Return what is known of the harm that models do; those never tested are not in it."""
    known = _safety(store)
    found = {}
    for name in names:
        tested, kind = _tested_as(store, name, known)
        if tested:
            found[name] = replace(known[tested], kind=kind)
    return found


def invented_content(store: Store, model_id: str) -> Invented | None:
    """Return how often a model's summaries held invented content; ``None`` if never tested."""
    known = _invented(store)
    tested, kind = _tested_as(store, model_id, known)
    return replace(known[tested], kind=kind) if tested else None


@remembered(maxsize=4)
def _invented(store: Store) -> dict[str, Invented]:
    if not store.of_suite(_SUMMARIES):
        return {}
    found = matrix(store, Selection(_SUMMARIES, benchmarks=(_INVENTED,)))
    shares = {
        name: share / 100
        for name, share in zip(found.models, found.scores[:, 0].tolist(), strict=True)
        if not np.isnan(share)
    }
    return {
        name: Invented(share, 1 + sum(other < share for other in shares.values()), len(shares), "")
        for name, share in shares.items()
    }


def _tested_as(store: Store, model_id: str, known: Collection[str]) -> tuple[str, str]:
    """Return the id of a model among those of a suite and the kind of the match; both may be empty.

    Of several the model's own, then the same version, then by name.
    """
    bought = model_id.removesuffix(OWN_RESULT)
    same: dict[str, str] = {
        **dict.fromkeys(store.catalogue.model(bought).aliases, "same version"),
        **_counterparts(store).get(bought, {}),
        bought: "same version",
    }
    order = sorted(same, key=lambda name: (name != model_id, same[name] != "same version", name))
    return next(((name, same[name]) for name in order if name in known), ("", ""))


@remembered(maxsize=1)
def _counterparts(store: Store) -> dict[str, dict[str, Kind]]:
    entries = store.catalogue.crosswalk
    return {entry.model: counterparts(entry.model, entries) for entry in entries}


def held_as(store: Store, suite: str, model_id: str) -> str:
    """Return the id under which a suite holds a model; empty where it does not."""
    return _tested_as(store, model_id, products(store, Selection(suite)).models)[0]


@remembered(maxsize=32)
def _places(store: Store, suite: str) -> tuple[str, dict[str, int]]:
    """Return what a suite's overall score is, and each product's place by it."""
    asked = Requirements(suite=suite)
    selection = Selection(suite)
    try:
        weights = weights_of(store, asked)
        tested = complete(products(store, selection))
    except FormularyError:
        return "", {}
    labels = provenance(store, selection)
    tested = select_models(tested, [name for name in tested.models if name not in labels])
    spread = benchmark_weights(weights, tested.benchmarks)
    if not spread or not tested.models:
        return "", {}
    mean = scores(tested, spread).mean
    order = np.argsort(-np.round(mean, 12), kind="stable").tolist()
    names = [name.lower() for name, _ in weights]
    metric = names[0] if len(names) == 1 else f"mean of {len(names)} kinds of work"
    if suite == HARM:
        metric = f"{', '.join(names[:-1])} and {names[-1]}"
    return metric, {tested.models[i]: rank for rank, i in enumerate(order, start=1)}


@remembered(maxsize=4)
def _safety(store: Store) -> dict[str, Safety]:
    if not store.of_suite(HARM):
        return {}
    found = matrix(store, Selection(HARM, benchmarks=(_SHARE, _ERRORS)))
    shares: dict[str, float] = {}
    errors: dict[str, float | None] = {}
    physicians = None
    tested = models(store, found.models)
    for name, (share, count) in zip(found.models, found.scores.tolist(), strict=True):
        if np.isnan(share):
            continue
        if tested[name].is_reference:
            physicians = share
        else:
            shares[name], errors[name] = share, None if np.isnan(count) else count
    n = next(b.n_items for b in found.benchmarks if b.id == _SHARE)
    known = {} if n is None else safety_of(shares, errors, n=n, physicians=physicians)
    return {name: replace(one, tested_as=tested[name].name) for name, one in known.items()}
