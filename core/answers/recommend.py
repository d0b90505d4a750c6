"""Which model to take for the work: the shortlist, the one answer, and how sure its order is."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from core.answers.bills import (
    monthly_costs,
    per_task,
    route_verdicts,
    sales,
    task_of,
    weights_of,
    workload_of,
)
from core.answers.data import (
    ALL_MODELS,
    matrix,
    model,
    models,
    provenance,
    selection_of,
)
from core.answers.evidence import co_clustering, taxonomy, vote_groups
from core.answers.market import grade_of_model, lines, market, over_all_evidence
from core.answers.model import called, names_by_id
from core.answers.other_suites import (
    invented_content,
    safety,
    second_opinions,
    standings,
    tested_as,
)
from core.domain import (
    BadRequestError,
    Dossier,
    Requirements,
    Selection,
    Shortlist,
    TooFewError,
    Unattended,
)
from core.memory import remembered
from core.procurement.bill import saving, unknown_cost
from core.procurement.recommendation import Elsewhere, Recommendation, choose
from core.procurement.robustness import Redrawn, rank_robustness
from core.procurement.robustness import redrawn as drawn_again
from core.procurement.shortlist import benchmark_weights, rank_models
from core.sharing.link import OWN_TASK
from core.statistics.difference import scores
from core.statistics.score_matrix import complete, select

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import date

    from core.domain import Candidate, EvidenceBase, ScoreMatrix, Taxonomy
    from core.evidence.store import Store
    from core.procurement.robustness import RankRobustness

_MIN_FOR_CLUSTERS = 3
_MOST_LEFT_OUT = 100
_WRITES = "documentation"
"""The task for which invented content counts."""


def compared(
    store: Store, suites: tuple[str, ...], requirements: Requirements
) -> tuple[tuple[ScoreMatrix, ...], tuple[Taxonomy, ...]]:
    """Return matrices and taxonomies; no taxonomies where too few models are complete."""
    selections = [selection_of(requirements, suite) for suite in suites]
    matrices = tuple(matrix(store, selection) for selection in selections)
    few = (len(complete(scores).models) < _MIN_FOR_CLUSTERS for scores in matrices)
    if any(few) or not matrices[0].benchmarks:
        return matrices, ()
    return matrices, tuple(taxonomy(store, selection) for selection in selections)


def suites_of(store: Store, requirements: Requirements) -> tuple[str, ...]:
    """Return the suite of a question, and the second one that its evidence base counts."""
    asked = (requirements.suite, requirements.cohort)
    known = store.catalogue.evidence.values()
    seconds = (base.second_suite for base in known if (base.suite, base.cohort) == asked)
    return (requirements.suite, *filter(None, seconds))


def overlaps(store: Store, requirements: Requirements) -> tuple[tuple[str, ...], ...]:
    """Return the benchmarks that share a vote; none where too few models tell what overlaps."""
    if not requirements.overlap_once:
        return ()
    try:
        return vote_groups(store, selection_of(requirements))
    except TooFewError:
        return ()


def known_as(store: Store, model: str, suite: str, requirements: Requirements) -> str:
    """Return the id under which a cohort holds a model: the one given, else that of its alias.

    A mirror may have runs of its own in one cohort and stand for its original in another.
    """
    (scores,), _ = compared(store, (suite,), requirements)
    held = {*scores.models, *(left_out.model for left_out in scores.excluded)}
    return model if model in held else store.catalogue.aliases.get(model, model)


def shortlist(store: Store, requirements: Requirements, on: date) -> Shortlist:
    """Return the shortlist for the requirements at the public prices of a day."""
    found = _shortlist(store, replace(requirements, margin=0.0), on)
    return replace(found, requirements=requirements)


@remembered(maxsize=64)
def _shortlist(store: Store, requirements: Requirements, on: date) -> Shortlist:
    """Rank the models whatever the margin, which is what people try out most."""
    (scores,), trees = compared(store, (requirements.suite,), requirements)
    names = tuple(sorted(scores.models))
    left_out = (out.model for out in scores.excluded)
    sold = sales(store, names, requirements, on)
    found = rank_models(
        requirements,
        weights=weights_of(store, requirements),
        matrix=scores,
        models=models(store, (*names, *left_out, *requirements.only)),
        clusters=dict(zip(trees[0].models, trees[0].labels, strict=True)) if trees else {},
        costs=monthly_costs(store, names, requirements, on),
        workload=workload_of(store, requirements),
        reasoning_workload=workload_of(store, requirements, ""),
        vote_groups=overlaps(store, requirements),
        routes=route_verdicts(store, names, requirements, requirements.access),
        sales=sold,
        labels=provenance(store, selection_of(requirements)),
    )
    matrices, _ = compared(store, suites_of(store, requirements), requirements)
    harm = safety(store, tuple(row.model.id for row in found.rows))
    return replace(
        found,
        rows=tuple(replace(row, safety=harm.get(row.model.id)) for row in found.rows),
        snapshots=tuple(m.snapshot for m in matrices if m.snapshot is not None),
    )


@remembered(maxsize=32)
def left_out_rows(store: Store, requirements: Requirements, on: date) -> tuple[Dossier, ...]:
    """Return the models that were left out and have every score that counts, best first.

    With what each costs where it is sold on the day, however long; unknown where it no longer is.
    """
    found = shortlist(store, requirements, on)
    placed = sorted((out.place, out.model) for out in found.left_out if out.place)
    names = tuple(name for _, name in placed[:_MOST_LEFT_OUT])
    if not names:
        return ()
    today = None if requirements.on_sale_months is None else 0
    costs = monthly_costs(store, names, replace(requirements, on_sale_months=today), on)
    (scored,), _ = compared(store, (requirements.suite,), requirements)
    mean = scores(select(scored, names), dict(found.benchmark_weights)).mean
    known = models(store, names)
    return tuple(
        Dossier(known[name], costs[name], score=float(mean[i]), fits=False, rank_all=place)
        for i, (place, name) in enumerate(placed[:_MOST_LEFT_OUT])
    )


@remembered(maxsize=64)
def robustness(store: Store, requirements: Requirements, on: date) -> RankRobustness:
    """Return the ranks of the shortlist under other weights and without single benchmarks.

    The models are those that the shortlist ranks: they pass the limits and have every benchmark
    that counts.
    """
    ranked = [row for row in shortlist(store, requirements, on).rows if row.rank is not None]
    return rank_robustness(
        matrix(store, selection_of(requirements)),
        weights_of(store, requirements),
        [row.model.id for row in ranked],
        vote_groups=overlaps(store, requirements),
    )


@remembered(maxsize=16)
def redrawn(store: Store, requirements: Requirements, on: date) -> Redrawn:
    """Return how often the rule comes to the same model where the tests are drawn again.

    ``TooFewError`` below five tests, or where no model fits.
    """
    found = shortlist(store, requirements, on)
    ranked = [row for row in found.rows if row.rank is not None]
    if not ranked:
        raise TooFewError("No model fits, so the rule comes to none.")
    (scored,), _ = compared(store, (requirements.suite,), requirements)
    return drawn_again(
        [replace(row, safety=None) for row in ranked],
        matrix=select(scored, [row.model.id for row in ranked]),
        categories=_categories(store, requirements, found),
        shares=dict(found.weights),
        margin=requirements.margin,
    )


def _categories(
    store: Store, requirements: Requirements, found: Shortlist
) -> dict[str, dict[str, float]]:
    """Return the weights of the benchmarks of each weighted category by itself."""
    votes = overlaps(store, requirements)
    return {
        name: benchmark_weights(((name, 1.0),), found.benchmarks, votes)
        for name, _ in found.weights
    }


def recommendation(
    store: Store, requirements: Requirements, on: date, in_place_of: str = ""
) -> Recommendation:
    """Return the recommendation for the requirements at the public prices of a day.

    ``in_place_of`` is the model in use, by any of its names; empty asks for the best to take. One
    that this evidence has no scores of, a name of several models or none, and a suite that is
    shown beside others and ranks nothing, are a ``BadRequestError``.
    """
    suites, known = store.catalogue.suites, store.catalogue.evidence.values()
    if requirements.suite in suites and requirements.suite not in {base.suite for base in known}:
        raise BadRequestError(
            f"{suites[requirements.suite].name} is shown with other evidence and ranks nothing: "
            f"ask one of {', '.join(dict.fromkeys(base.suite for base in known))}."
        )
    used = known_as(store, in_place_of, requirements.suite, requirements) if in_place_of else ""
    return _recommendation(store, requirements, on, used)


@remembered(maxsize=64)
def _recommendation(
    store: Store, requirements: Requirements, on: date, used: str
) -> Recommendation:
    found = shortlist(store, requirements, on)
    # The suite that ranks also judges: of a second one, only the clusters count here.
    matrices, trees = compared(store, suites_of(store, requirements), requirements)
    scored = matrices[0]
    if used and used not in scored.models:
        why = next((e.reason for e in scored.excluded if e.model == used), "")
        other_names = () if why else called(store, used).models
        for id_, _ in other_names:
            if id_ in scored.models:
                return _recommendation(store, requirements, on, id_)
        raise BadRequestError(
            f'This evidence has no scores of "{used[:120]}"{": " + why if why else ""}.'
        )
    seen = {row.model.id: row for row in found.rows if row.rank is not None}
    candidates = list(seen.values())
    in_use = seen.get(used)
    if used and in_use is None:
        in_use = seen[used] = _in_use(store, requirements, on, found, scored, used)
    chosen = choose(
        candidates,
        matrix=scored,
        weights=dict(found.benchmark_weights),
        categories=_categories(store, requirements, found),
        margin=requirements.margin,
        in_place_of=in_use,
        own_servers=requirements.access == "own",
        decides=store.catalogue.suites[requirements.suite].may_decide(requirements.task),
        has_budget=requirements.monthly_budget_usd is not None,
        as_service=requirements.access == "vendor"
        or (bool(requirements.platforms) and requirements.access != "own"),
    )
    listed = {
        *(chosen.leader, chosen.best, chosen.take, chosen.step_down, *chosen.choose),
        *(*chosen.test_these, *chosen.as_good, *chosen.worth_testing),
    } - {None}
    beside = listed - {chosen.leader, chosen.step_down}
    mates = _together(store, requirements, trees, chosen.leader) if beside else {}
    clusters = [dict(zip(tree.models, tree.labels, strict=True)) for tree in trees]
    leader = seen[chosen.leader] if chosen.leader else None
    named = {}
    for name in filter(None, listed):
        judged = chosen.judged.get(name)
        named[name] = replace(
            seen[name],
            judged=judged,
            saves=saving(leader.cost, seen[name].cost) if judged and leader else None,
            second_opinions=second_opinions(store, name, requirements.suite),
            invented=invented_content(store, name) if requirements.task == _WRITES else None,
            same_cluster=_same_cluster(clusters, name, chosen.leader) if chosen.leader else None,
            together=mates.get(name) if name != chosen.leader else None,
        )
    left_out = tuple(
        replace(out, successor_tested=_tested(store, out.sale.successor)) if out.sale else out
        for out in found.left_out
    )
    elsewhere = None if used else _elsewhere(store, requirements, on, chosen.take)
    if elsewhere and chosen.strength == "take" and chosen.take:
        chosen = replace(chosen, strength="choose", why="better elsewhere", choose=(chosen.take,))
    return Recommendation(
        shortlist=replace(found, left_out=left_out),
        suite=store.catalogue.suites[requirements.suite].name,
        in_place_of=used,
        choice=chosen,
        dossiers=named,
        unattended=_unattended(store, requirements, found),
        elsewhere=elsewhere,
    )


def _elsewhere(
    store: Store, requirements: Requirements, on: date, take: str | None
) -> Elsewhere | None:
    """Return what of the market other tests grade above what one suite takes."""
    asks_all = requirements.cohort == ALL_MODELS and not requirements.only
    if not take or not asks_all or requirements.task == OWN_TASK or requirements.revision:
        return None
    here, beyond = of_the_market(store, requirements, on)
    among = lines(store, requirements.task, requirements.language, on)
    own = min(grade_of_model(store, name, among) for name in names_by_id(store, take))
    better = next((it for it in beyond if it.grade in "AB" and it.grade < own), None)
    if better is None:
        return None
    return Elsewhere(len(here) + len(beyond), len(here), better.model.name)


def of_the_market(
    store: Store, requirements: Requirements, on: date
) -> tuple[list[Candidate], list[Candidate]]:
    """Return what can be bought under the conditions: what one suite has tested, and the rest."""
    buyable = market(store, over_all_evidence(requirements), on).buyable
    rows = standings(store, requirements.suite).rows
    here = [each for each in buyable if tested_as(store, each.model.id, rows)[0]]
    return here, [each for each in buyable if each not in here]


def _in_use(
    store: Store,
    requirements: Requirements,
    on: date,
    found: Shortlist,
    scored: ScoreMatrix,
    used: str,
) -> Dossier:
    """Return a model in use that does not fit or has no rank: it keeps its place in the evidence.

    It costs what is paid today, also at providers that are about to end it; nobody pays for one
    that has ended everywhere.
    """
    spread = dict(found.benchmark_weights)
    score = float(scores(select(scored, [used]), spread).mean[0]) if spread else np.nan
    asked = replace(requirements, on_sale_months=requirements.on_sale_months or 0)
    sale = sales(store, (used,), asked, on)[used]
    cost = monthly_costs(store, (used,), replace(requirements, on_sale_months=None), on)[used]
    if not sale.kept and all(one.state == "gone" for one in sale.at) and sale.at:
        cost = unknown_cost(used, "ended")
    listed = next((row for row in found.rows if row.model.id == used), None)
    known = listed or Dossier(
        model(store, used),
        cost,
        fits=False,
        rank_all=dict(found.places).get(used),
        safety=safety(store, (used,)).get(used),
    )
    return replace(
        known,
        cost=cost,
        score=None if np.isnan(score) else score,
        sale=sale,
        successor_tested=_tested(store, sale.successor),
    )


def _unattended(store: Store, requirements: Requirements, found: Shortlist) -> Unattended | None:
    """Return how far the best of all agents comes; ``None`` where no agents do the tasks."""
    if not per_task(store, requirements).usd:
        return None
    spread = dict(found.benchmark_weights)
    (scored,), _ = compared(store, (requirements.suite,), requirements)
    best = float(np.nanmax(scores(scored, spread).mean))
    n_tasks = sum(test.n_items or 0 for test in found.benchmarks if spread.get(test.id))
    return Unattended(best, n_tasks, by_publisher=not requirements.include_flagged)


def _tested(store: Store, successor: str) -> tuple[str, ...]:
    """Name the suites that have the product which a maker names in a model's place."""
    names = {each.model for each in store.catalogue.crosswalk if each.product == successor}
    return tuple(
        store.catalogue.suites[suite].name
        for suite in store.catalogue.suites
        if store.of_suite(suite) and names & set(matrix(store, Selection(suite)).models)
    )


def _together(
    store: Store, requirements: Requirements, trees: tuple[Taxonomy, ...], leader: str | None
) -> dict[str, float]:
    """Return how often each model shares the leader's cluster where benchmarks are resampled."""
    if not leader or not trees or any(leader not in tree.models for tree in trees):
        return {}
    return co_clustering(store, requirements, suites_of(store, requirements), leader) or {}


def _same_cluster(clusters: list[dict[str, str]], name: str, leader: str) -> bool | None:
    if not clusters or any(not {name, leader} <= labels.keys() for labels in clusters):
        return None
    return all(labels[name] == labels[leader] for labels in clusters)


_A_CHOICE = 5
"""Evidence in which so many models fit has a choice to offer."""
_KINDS_OF_WORK = 3
"""Evidence on so many of MedHELM's five categories is on all kinds of work."""


@remembered(maxsize=64)
def in_one_suite(store: Store, requirements: Requirements, on: date) -> Requirements:
    """Put a question over all evidence to the one suite that answers it best.

    Of the evidence with tests of the task, that which may decide goes before that which may not,
    and then in the order of the catalogue, MedHELM first and BRIDGE second: the first in which
    five models fit, else the one in which most do, else the first of all.
    """
    best, most = next(iter(store.catalogue.evidence.values())), 0
    for base in _of_the_task(store, requirements):
        n_fit = fitting(store, requirements, base, on)
        if n_fit > most:
            best, most = base, n_fit
        if n_fit >= _A_CHOICE:
            break
    spoken = {test.language for test in store.catalogue.benchmarks[best.suite]}
    language = requirements.language if requirements.language in spoken else ""
    return replace(
        requirements, suite=best.suite, cohort=best.cohort, revision="", language=language
    )


def others_that_answer(
    store: Store, requirements: Requirements, on: date
) -> tuple[tuple[EvidenceBase, int], ...]:
    """Return the other evidence with tests of the task and models that fit, and how many."""
    found = (
        (base, fitting(store, requirements, base, on))
        for base in _of_the_task(store, requirements)
        if base.suite != requirements.suite
    )
    return tuple((base, n_fit) for base, n_fit in found if n_fit)


def fitting(store: Store, requirements: Requirements, base: EvidenceBase, on: date) -> int:
    """Count the models that fit when the same question is put to other evidence."""
    there = replace(
        requirements,
        suite=base.suite,
        cohort=base.cohort,
        protocol="",
        revision="",
        only=(),
        include_flagged=False,
    )
    return sum(row.rank is not None for row in shortlist(store, there, on).rows)


def _of_the_task(store: Store, requirements: Requirements) -> Iterator[EvidenceBase]:
    """Yield evidence over all models of a suite with tests of the task, the best kind first."""
    if requirements.task == OWN_TASK:
        return
    catalogue = store.catalogue
    named = {suite for suite, _ in task_of(store, requirements).weights}

    def answers(base: EvidenceBase) -> bool:
        tests = catalogue.benchmarks.get(base.suite, ())
        if requirements.language not in ("", *(test.language for test in tests)):
            return False
        if base.cohort != ALL_MODELS or not store.of_suite(base.suite) or not tests:
            return False
        if not any(test.domain == "domain-specific" for test in tests):
            return False
        suite = catalogue.suites[base.suite]
        if suite.decides and not suite.may_decide(requirements.task):
            return False
        if requirements.task != Requirements().task:
            return base.suite in named
        kinds = {category for category, _ in catalogue.places.values()}
        places = {
            catalogue.places.get((it.suite, it.category, it.subcategory), (it.category, ""))[0]
            for it in tests
        }
        return len(places & kinds) >= _KINDS_OF_WORK

    yield from sorted(
        filter(answers, catalogue.evidence.values()),
        key=lambda base: not catalogue.suites[base.suite].may_decide(requirements.task),
    )
