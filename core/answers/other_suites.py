"""What the other suites say: how their orders agree, a model's place in each, and its harm."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from core.answers.bills import weights_of
from core.answers.data import matrix, model, models, products, provenance
from core.domain import (
    BadRequestError,
    Benchmark,
    CrosswalkEntry,
    IntervalBasis,
    Invented,
    OrderAgreement,
    Safety,
    Selection,
    Tested,
    Work,
)
from core.evidence.catalogue import OWN_RESULT
from core.evidence.store import Store
from core.memory import remembered
from core.procurement.conditions import VersionKind, counterparts, matched
from core.procurement.shortlist import benchmark_weights
from core.statistics.difference import differences, scores
from core.statistics.ranks import MIN_MODELS, order_agreement, safety_of
from core.statistics.score_matrix import complete, normalised, select

_NOHARM = {
    "safety": ("safety",),
    "completeness": ("completeness",),
    "restraint": ("restraint",),
    "three dimensions": ("safety", "completeness", "restraint"),
    "severe harm share": ("pct_cumulative",),
}
"""Metrics of NOHARM and the benchmarks whose mean they are."""
HARM = "noharm"
_SUMMARIES = "vectara-hhem"
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


@remembered(maxsize=4, on_disk=tuple[AcrossSuites, ...])
def across_suites(store: Store) -> tuple[AcrossSuites, ...]:
    """Return how the orders of every two suites agree over the models that they share.

    The newest snapshot of each suite, under its first protocol, without flagged runs, lines to
    compare with and own results. Each order has the models with every benchmark of its
    metric, on a scale on which higher is better: fewer severe harms are. ``balanced`` weighs the
    categories of a suite as the task of that name does; a suite with one benchmark has that.
    Pairs of suites with fewer than three models in common are left out, and so are suites that
    only show what they measure.
    """
    store = store.published
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
    # The harm that NOHARM shows and does not score is an order of its own.
    every = tuple(benchmark.id for benchmark in benchmarks) if suite == HARM else ()
    scores = products(store, Selection(suite, benchmarks=every))
    metrics: dict[str, dict[str, float]]
    if suite == HARM:
        metrics = {name: dict.fromkeys(of, 1 / len(of)) for name, of in _NOHARM.items()}
    else:
        weights = weights_of(store, suite, Work())
        metrics = {"balanced": benchmark_weights(weights, scores.benchmarks)}
        if len(scores.benchmarks) == 1:
            metrics = {scores.benchmarks[0].id: metrics["balanced"]}
    found = {}
    for name, weights_by_id in metrics.items():
        kept = complete(select(scores, benchmarks=tuple(weights_by_id)))
        values = normalised(kept)[0] @ np.array(list(weights_by_id.values()))
        found[name] = {
            model: round(value, 12)  # summed in another order, the same score is the same
            for model, value in zip(kept.models, values.tolist(), strict=True)
        }
    return found


@remembered(maxsize=1024)
def second_opinions(store: Store, model_id: str, suite: str) -> tuple[Tested, ...]:
    """Return a model's place in every other suite that has it, in the catalogue's order.

    By each suite's own balanced score, over its products with every score that counts. A model of
    which this suite states no version is the same version in none.
    """
    found, (_, own) = [], ids_elsewhere(store, model_id)[0]
    for other in store.catalogue.suites:
        if other == suite or not store.of_suite(other):
            continue
        there = standings(store, other)
        name, kind = tested_as(store, model_id, there.rows if there.ranks else ())
        if name:
            pair = {_overall(store, suite), _overall(store, other)}
            orders = across_suites(store.published)  # as the page Redundancy has it
            agreement = next((o.agreement for o in orders if {o.a, o.b} == pair), None)
            one = result_in(store, other, name, kind if own == "same version" else own)
            found.append(replace(one, tested_as=model(store, name).name, agreement=agreement))
    return tuple(found)


def result_in(
    store: Store, suite_id: str, name: str, kind: str, task: str = "balanced", language: str = ""
) -> Tested:
    """Return what a suite says of a model that it holds by a name, and how that is linked."""
    catalogue, there = store.catalogue, standings(store, suite_id, task, language)
    rank, value, low, high = there.rows.get(name, (None, None, np.nan, np.nan))
    made, release = catalogue.other_protocols.get((suite_id, name)), store.of_suite(suite_id)[0]
    return Tested(
        suite=suite_id,
        name=catalogue.suites[suite_id].name,
        metric=there.metric,
        value=value,
        ci_low=None if np.isnan(low) else low,
        ci_high=None if np.isnan(high) else high,
        basis="none" if np.isnan(low) else there.basis,
        scale=there.scale,
        rank=rank,
        n=len(there.rows),
        tested_as=name,
        kind=kind,
        as_of=release.as_of or None,
        run_by=made.protocol if made and made.own_team else "",
        medical=any(b.domain == "domain-specific" for b in catalogue.benchmarks[suite_id]),
        ranks=there.ranks,
        left_out=there.left_out.get(name, ""),
    )


def _overall(store: Store, suite: str) -> str:
    scored = [one for one in store.catalogue.benchmarks[suite] if one.scored]
    if len(scored) == 1:
        return f"{suite}:{scored[0].id}"
    return f"{suite}:{'three dimensions' if suite == HARM else 'balanced'}"


@remembered(maxsize=16)
def safety(store: Store, names: tuple[str, ...]) -> Mapping[str, Safety]:
    """Return what is known of the harm that models do; those never tested are not in it."""
    known = _safety(store.published)
    found = {}
    for name in names:
        tested, kind = tested_as(store, name, known)
        if tested:
            found[name] = replace(known[tested], kind=kind)
    return found


def invented_content(store: Store, model_id: str) -> Invented | None:
    """Return how often a model's summaries held invented content; ``None`` if never tested."""
    known = standings(store, _SUMMARIES).rows if store.of_suite(_SUMMARIES) else {}
    tested, kind = tested_as(store, model_id, known)
    if not tested:
        return None
    rank, per_100, *_ = known[tested]
    return Invented(per_100 / 100, rank, len(known), kind)


def tested_as(store: Store, model_id: str, known: Collection[str]) -> tuple[str, str]:
    """Return the id of a model among those of a suite and the kind of the match; both may be empty.

    Of several the model's own, then the same version, then by name.
    """
    return next((it for it in ids_elsewhere(store, model_id) if it[0] in known), ("", ""))


@remembered(maxsize=2_048)
def ids_elsewhere(store: Store, model_id: str) -> tuple[tuple[str, str], ...]:
    """Return the ids of a model in any suite with the kind of the match, the closest first."""
    bought, links = model_id.removesuffix(OWN_RESULT), store.catalogue.crosswalk
    others = {bought: "same version", **_counterparts(store).get(bought, {})}
    same: dict[str, str] = {
        **dict.fromkeys(store.catalogue.model(bought).aliases, "same version"),
        **others,
        # A product's own name means the product, although a suite may print it without a version.
        **{it.model: it.kind for it in links if it.product == bought and it.model in others},
    }
    order = sorted(same, key=lambda name: (name != model_id, same[name] != "same version", name))
    return tuple((name, same[name]) for name in order)


@remembered(maxsize=1)
def _counterparts(store: Store) -> dict[str, dict[str, VersionKind]]:
    every: dict[str, list[CrosswalkEntry]] = {}
    for entry in store.catalogue.crosswalk:
        every.setdefault(entry.product, []).append(entry)
    return {
        model: counterparts(model, [entry for product in own for entry in every[product]])
        for model, own in store.catalogue.sold_as.items()
    }


def n_models(store: Store, names: Iterable[str]) -> int:
    """Count the models among the rows of a suite; those that are one product count once."""
    return len({store.catalogue.sold_as.get(name, (name,)) for name in names})


@dataclass(frozen=True, slots=True)
class Standings:
    """The order that a suite gives to its models, the best first."""

    metric: str
    scale: tuple[float, float]
    """Both ends of the scale of the values, the worst first."""
    basis: IntervalBasis
    rows: Mapping[str, tuple[int, float, float, float]]
    """By model: place, value and both ends of its interval, which are ``nan`` without one."""
    left_out: Mapping[str, str]
    """By model that the suite holds: why it has no place."""
    ranks: bool
    """Whether the suite scores anything, so that it ranks models."""
    separates: bool | None = None
    """Whether the first is shown above the last, of this pair alone; ``None`` without intervals."""


@remembered(maxsize=128, on_disk=Standings)
def standings(store: Store, suite: str, task: str = "balanced", language: str = "") -> Standings:
    """Return each product's place in the newest scores of a suite: by default its overall score.

    By the score of a task, and of its tests in a language, as the suite's own shortlist has it;
    nothing has a place where the suite has no such test. Over the published products with every
    score that counts and no label. A suite that scores nothing is ordered by the first thing that
    it shows. One benchmark keeps its own scale, a mean is of 0 to 1. Equal values have one place.
    """
    if store is not store.published:
        return standings(store.published, suite, task, language)
    every = store.catalogue.benchmarks.get(suite, ())
    shown = () if any(b.scored for b in every) else tuple(b.id for b in every[:1])
    selection = Selection(suite, benchmarks=shown, language=language)
    nothing = Standings("", (0.0, 1.0), "none", {}, {}, ranks=False)
    if not store.of_suite(suite):
        return nothing
    try:
        weights = weights_of(store, suite, Work(task, language=language))
    except BadRequestError:
        return nothing
    whole = products(store, selection)
    labels = provenance(store, selection)
    spread = {shown[0]: 1.0} if shown else benchmark_weights(weights, whole.benchmarks)
    whole = select(whole, benchmarks=[b.id for b in whole.benchmarks if b.id in spread])
    tested = complete(whole)
    tested = select(tested, [name for name in tested.models if name not in labels])
    if not spread or not tested.models:
        return nothing
    found = scores(tested, spread)
    (one,) = tested.benchmarks if len(tested.benchmarks) == 1 else (None,)
    ends = (one.scale_min, one.scale_max) if one else (0.0, 1.0)
    scale = (ends[1], ends[0]) if one and one.lower_is_better else ends
    mean = np.round(found.mean, 12)
    within = np.clip(found.ends, 0.0, 1.0)
    columns = np.round(np.stack([mean, *within]) * (scale[1] - scale[0]) + scale[0], 9)
    order = np.argsort(-mean, kind="stable").tolist()
    rows = {
        tested.models[i]: (int((mean > mean[i]).sum()) + 1, *columns[:, i].tolist()) for i in order
    }
    left_out = {out.model: out.reason for out in whole.excluded if out.rule != "reference"}
    for name, row in zip(whole.models, whole.scores, strict=True):
        if name not in rows:
            not_run = f"{np.isnan(row).sum()} of {len(row)} tests were not run"
            left_out[name] = labels.get(name) or not_run
    ends_of_all = tested.models[order[0]], tested.models[order[-1]]
    (apart,) = differences(tested, ends_of_all[:1], ends_of_all[1], weights=spread)
    return Standings(
        _metric(suite, weights, one, spread),
        scale,
        found.basis[0],
        rows,
        left_out,
        ranks=not shown,
        separates=bool(apart.ci_low > 0) if apart.ci_low is not None else None,
    )


def apart_in(store: Store, x: Tested, y: Tested) -> tuple[float | None, float | None]:
    """Return the 95 % interval of a difference of two models by a suite's overall score."""
    if not x.ranks:
        return None, None
    found = products(store, Selection(x.suite))
    weights = benchmark_weights(weights_of(store, x.suite, Work()), found.benchmarks)
    (apart,) = differences(found, (x.tested_as,), y.tested_as, weights=weights)
    return apart.ci_low, apart.ci_high


def _metric(
    suite: str,
    weights: Sequence[tuple[str, float]],
    one: Benchmark | None,
    spread: Mapping[str, float],
) -> str:
    if one is not None:
        return one.name.lower()
    names = [name.lower() for name, _ in weights]
    if suite == HARM:
        return f"{', '.join(names[:-1])} and {names[-1]}"
    if len(names) == 1:
        return names[0]
    if np.ptp([*spread.values()]) < 1e-9:
        return f"mean of {len(spread)} tests"
    alike = np.ptp([weight for _, weight in weights]) < 1e-9
    return f"{'' if alike else 'weighted '}mean of {len(names)} kinds of work"


@remembered(maxsize=4, on_disk=dict[str, Safety])
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
