"""Which model to take for the work: the shortlist, the one answer, and how sure its order is."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from core.answers import bills
from core.answers.asked import Asked
from core.answers.data import ALL_MODELS, matrix, model, models, provenance
from core.answers.evidence import co_clustering, groups_of_tests, taxonomy
from core.answers.market import best_of_others, graded, market, over_all_evidence
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
    Candidate,
    Dossier,
    Evidence,
    EvidenceBase,
    Market,
    OfferTerms,
    OnSale,
    Question,
    ScoreMatrix,
    Selection,
    Shortlist,
    Taxonomy,
    TooFewError,
    Unattended,
)
from core.evidence.store import Store
from core.memory import remembered
from core.procurement.bill import saving, unknown_cost
from core.procurement.recommendation import Elsewhere, Recommendation, choose
from core.procurement.robustness import RankRobustness, Redrawn, rank_robustness
from core.procurement.robustness import with_tests_redrawn as drawn_again
from core.procurement.shortlist import benchmark_weights, rank_models
from core.sharing.link import OWN_TASK
from core.statistics.difference import scores
from core.statistics.score_matrix import complete, select

_MIN_FOR_CLUSTERS = 3
_MOST_LEFT_OUT = 100
_WRITES = "documentation"
"""The task for which invented content counts."""


def compared(
    store: Store, selections: Sequence[Selection]
) -> tuple[tuple[ScoreMatrix, ...], tuple[Taxonomy, ...]]:
    """Return matrices and taxonomies; no taxonomies where too few models are complete."""
    matrices = tuple(matrix(store, selection) for selection in selections)
    few = (len(complete(scores).models) < _MIN_FOR_CLUSTERS for scores in matrices)
    if any(few) or not matrices[0].benchmarks:
        return matrices, ()
    return matrices, tuple(taxonomy(store, selection) for selection in selections)


def suites_of(asked: Asked) -> tuple[str, ...]:
    """Return the suite of a question, and the second one that its evidence base counts."""
    of = asked.question.evidence
    known = asked.store.catalogue.evidence.values()
    seconds = (it.second_suite for it in known if (it.suite, it.cohort) == (of.suite, of.cohort))
    return (of.suite, *filter(None, seconds))


def selections_of(asked: Asked) -> tuple[Selection, ...]:
    """Return the scores of a question in each of its suites."""
    return tuple(asked.selection(suite) for suite in suites_of(asked))


def overlaps(asked: Asked) -> tuple[tuple[str, ...], ...]:
    """Return the benchmarks that share a vote; none where too few models tell what overlaps."""
    if not asked.question.work.overlap_once:
        return ()
    try:
        return groups_of_tests(asked.store, asked.selection())
    except TooFewError:
        return ()


def known_as(store: Store, selection: Selection, model: str) -> str:
    """Return the id under which scores hold a model: the one given, else that of its alias.

    A mirror may have runs of its own in one cohort and represent its original in another.
    """
    scores = matrix(store, selection)
    held = {*scores.models, *(left_out.model for left_out in scores.excluded)}
    return model if model in held else store.catalogue.aliases.get(model, model)


def shortlist(asked: Asked) -> Shortlist:
    """Return the shortlist for the question at the public prices of a day."""
    found = _shortlist(asked.having(margin=0.0))
    return replace(found, question=asked.question)


@remembered(maxsize=64)
def _shortlist(asked: Asked) -> Shortlist:
    """Rank the models whatever the margin, which is what people try out most."""
    question = asked.question
    (scores,), trees = compared(asked.store, [asked.selection()])
    names = tuple(sorted(scores.models))
    left_out = (out.model for out in scores.excluded)
    asks_for_sale = question.sale.on_sale_months is not None
    sold = bills.sales(asked, names) if asks_for_sale else {}
    terms = bills.offer_terms(asked.store, names, question.to_meet, question.access)
    found = rank_models(
        question,
        weights=bills.weights_of(asked.store, question.evidence.suite, question.work),
        matrix=scores,
        models=models(asked.store, (*names, *left_out, *question.limits.only)),
        clusters=dict(zip(trees[0].models, trees[0].labels, strict=True)) if trees else {},
        costs=bills.monthly_costs(asked, names),
        vote_groups=overlaps(asked),
        terms={name: _still_sold(offers, sold.get(name)) for name, offers in terms.items()},
        sales=sold,
        labels=provenance(asked.store, asked.selection()),
    )
    matrices, _ = compared(asked.store, selections_of(asked))
    harm = safety(asked.store, tuple(row.model.id for row in found.rows))
    return replace(
        found,
        rows=tuple(replace(row, safety=harm.get(row.model.id)) for row in found.rows),
        snapshots=tuple(m.snapshot for m in matrices if m.snapshot is not None),
        workload=bills.workload_of(asked.store, question.demand),
        reasoning_workload=bills.workload_of(asked.store, question.demand, ""),
    )


def _still_sold(offers: Sequence[OfferTerms], sale: OnSale | None) -> Sequence[OfferTerms]:
    """Return the offers of platforms that do not end too soon; all of them where every one does."""
    ended = sale.failing_platforms if sale else ()
    return [offer for offer in offers if offer.platform not in ended] or offers


@remembered(maxsize=32)
def left_out_rows(asked: Asked) -> tuple[Dossier, ...]:
    """Return the models that were left out and have every score that counts, best first.

    With what each costs where it is sold on the day, however long; unknown where it no longer is.
    """
    found = shortlist(asked)
    placed = sorted((out.place, out.model) for out in found.left_out if out.place)
    names = tuple(name for _, name in placed[:_MOST_LEFT_OUT])
    if not names:
        return ()
    today = None if asked.question.sale.on_sale_months is None else 0
    costs = bills.monthly_costs(asked.having(on_sale_months=today), names)
    scored = matrix(asked.store, asked.selection())
    mean = scores(select(scored, names), dict(found.benchmark_weights)).mean
    known = models(asked.store, names)
    return tuple(
        Dossier(known[name], costs[name], score=float(mean[i]), fits=False, rank_all=place)
        for i, (place, name) in enumerate(placed[:_MOST_LEFT_OUT])
    )


@remembered(maxsize=64)
def robustness(asked: Asked) -> RankRobustness:
    """Return the ranks of the shortlist under other weights.

    The models are those that the shortlist ranks: they pass the limits and have every benchmark
    that counts.
    """
    ranked = [row for row in shortlist(asked).rows if row.rank is not None]
    return rank_robustness(
        matrix(asked.store, asked.selection()),
        bills.weights_of(asked.store, asked.question.evidence.suite, asked.question.work),
        [row.model.id for row in ranked],
        vote_groups=overlaps(asked),
    )


@remembered(maxsize=16)
def redrawn(asked: Asked) -> Redrawn:
    """Return how often the rule comes to the same model where the tests are drawn again.

    ``TooFewError`` where no model fits, or the tests are too few for draws to differ.
    """
    found = shortlist(asked)
    ranked = [row for row in found.rows if row.rank is not None]
    if not ranked:
        raise TooFewError("No model fits, so there is nothing to recommend.")
    scored = matrix(asked.store, asked.selection())
    return drawn_again(
        [replace(row, safety=None) for row in ranked],
        matrix=select(scored, [row.model.id for row in ranked]),
        categories=_categories(asked, found),
        shares=dict(found.weights),
        margin=asked.question.margin,
    )


def _categories(asked: Asked, found: Shortlist) -> dict[str, dict[str, float]]:
    """Return the weights of the benchmarks of each weighted category by itself."""
    votes = overlaps(asked)
    return {
        name: benchmark_weights(((name, 1.0),), found.benchmarks, votes)
        for name, _ in found.weights
    }


def recommendation(asked: Asked, in_place_of: str = "") -> Recommendation:
    """Return the recommendation for the question at the public prices of a day.

    ``in_place_of`` is the model in use, by any of its names; empty asks for the best to take. One
    that this evidence has no scores of, a name of several models or none, and a suite that is
    shown next to others and ranks nothing, are a ``BadRequestError``.
    """
    suites, suite = asked.store.catalogue.suites, asked.question.evidence.suite
    ranking = dict.fromkeys(base.suite for base in asked.store.catalogue.evidence.values())
    if suite in suites and suite not in ranking:
        raise BadRequestError(
            f"{suites[suite].name} is shown along with other evidence and gives no ranking: ask "
            f"one of {', '.join(ranking)}."
        )
    used = known_as(asked.store, asked.selection(), in_place_of) if in_place_of else ""
    return _recommendation(asked, used)


@remembered(maxsize=64)
def _recommendation(asked: Asked, used: str) -> Recommendation:
    found, question = shortlist(asked), asked.question
    suite = asked.store.catalogue.suites[question.evidence.suite]
    # The suite that ranks also judges: of a second one, only the clusters count here.
    matrices, trees = compared(asked.store, selections_of(asked))
    scored = matrices[0]
    if used and used not in scored.models:
        why = next((e.reason for e in scored.excluded if e.model == used), "")
        other_names = () if why else called(asked.store, used).models
        for id_, _ in other_names:
            if id_ in scored.models:
                return _recommendation(asked, id_)
        raise BadRequestError(
            f'This evidence has no scores of "{used[:120]}"{": " + why if why else ""}.'
        )
    seen = {row.model.id: row for row in found.rows if row.rank is not None}
    candidates = list(seen.values())
    in_use = seen.get(used)
    if used and in_use is None:
        in_use = seen[used] = _in_use(asked, found, scored, used)
    chosen = choose(
        candidates,
        matrix=scored,
        weights=dict(found.benchmark_weights),
        categories=_categories(asked, found),
        margin=question.margin,
        in_place_of=in_use,
        own_servers=question.access == "own",
        decides=suite.may_decide(question.work.task),
        has_budget=question.limits.monthly_budget_usd is not None,
        as_service=question.access == "vendor"
        or (bool(question.conditions.platforms) and question.access != "own"),
    )
    listed = {
        *(chosen.leader, chosen.best, chosen.take, chosen.step_down, *chosen.choose),
        *(*chosen.test_these, *chosen.as_good, *chosen.worth_testing),
    } - {None}
    beside = listed - {chosen.leader, chosen.step_down}
    mates = _together(asked, trees, chosen.leader) if beside else {}
    clusters = [dict(zip(tree.models, tree.labels, strict=True)) for tree in trees]
    leader = seen[chosen.leader] if chosen.leader else None
    named, writes = {}, question.work.task == _WRITES
    for name in filter(None, listed):
        judged = chosen.judged.get(name)
        named[name] = replace(
            seen[name],
            judged=judged,
            saves=saving(leader.cost, seen[name].cost) if judged and leader else None,
            second_opinions=second_opinions(asked.store, name, suite.id),
            invented=invented_content(asked.store, name) if writes else None,
            same_cluster=_same_cluster(clusters, name, chosen.leader) if chosen.leader else None,
            together=mates.get(name) if name != chosen.leader else None,
        )
    left_out = tuple(
        replace(out, successor_tested=_tested(asked.store, out.sale.successor)) if out.sale else out
        for out in found.left_out
    )
    ids = (chosen.take,) if chosen.take else (*chosen.choose, *chosen.test_these)
    elsewhere = None if used else _elsewhere(asked, ids)
    if elsewhere and chosen.strength == "take" and chosen.take:
        chosen = replace(chosen, strength="choose", why="better elsewhere", choose=(chosen.take,))
    return Recommendation(
        shortlist=replace(found, left_out=left_out),
        suite=suite.name,
        in_place_of=used,
        choice=chosen,
        dossiers=named,
        unattended=_unattended(asked, found),
        elsewhere=elsewhere,
    )


def _elsewhere(asked: Asked, ids: Sequence[str]) -> Elsewhere | None:
    """Return what of the market other tests grade above all that one suite names."""
    asks_all = asked.question.evidence.cohort == ALL_MODELS and not asked.question.limits.only
    if not ids or not asks_all or asked.question.work.task == OWN_TASK or not asked.is_of_newest:
        return None
    here, beyond = of_the_market(asked)
    names = (name for one in ids for name in names_by_id(asked.store, one))
    own = min(graded(asked.store, name, *asked.work_on)[0] for name in names)
    better = next((it for it in beyond if it.grade in "AB" and it.grade < own), None)
    if better is None:
        return None
    n_own = sum(each.is_own for each in (*here, *beyond))
    return Elsewhere(len(here) + len(beyond), len(here), n_own, better.model.name)


def of_the_market(asked: Asked) -> tuple[tuple[Candidate, ...], tuple[Candidate, ...]]:
    """Return what can be bought under the conditions: what one suite has tested, and the rest."""
    # What can be bought does not depend on the margin, which people try out most.
    over_all = over_all_evidence(asked).having(margin=Question().margin)
    buyable, suite = market(over_all).buyable, asked.question.evidence.suite
    rows = standings(asked.store, suite).rows
    here = tuple(each for each in buyable if tested_as(asked.store, each.model.id, rows)[0])
    return here, tuple(each for each in buyable if each not in here)


def among_the_market(asked: Asked, whole: Market) -> Asked:
    """Return a question of one suite about what can be bought alone.

    ``TooFewError`` where the suite has tested none of it.
    """
    rows = standings(asked.store, asked.question.evidence.suite).rows
    names = (tested_as(asked.store, each.model.id, rows)[0] for each in whole.buyable)
    if only := tuple(dict.fromkeys(filter(None, names))):
        return asked.having(only=only)
    name = asked.store.catalogue.suites[asked.question.evidence.suite].name
    raise TooFewError(f"{name} has tested none of the models that you can buy.")


def _in_use(asked: Asked, found: Shortlist, scored: ScoreMatrix, used: str) -> Dossier:
    """Return a model in use that does not fit or has no rank: it keeps its place in the evidence.

    It costs what is paid today, also at providers that are about to end it; nobody pays for one
    that has ended everywhere.
    """
    spread = dict(found.benchmark_weights)
    score = float(scores(select(scored, [used]), spread).mean[0]) if spread else np.nan
    sale = bills.sales(asked, (used,))[used]
    cost = bills.monthly_costs(asked.having(on_sale_months=None), (used,))[used]
    if sale.has_ended:
        cost = unknown_cost(used, "ended")
    listed = next((row for row in found.rows if row.model.id == used), None)
    known = listed or Dossier(
        model(asked.store, used),
        cost,
        fits=False,
        rank_all=dict(found.places).get(used),
        safety=safety(asked.store, (used,)).get(used),
    )
    return replace(
        known,
        cost=cost,
        score=None if np.isnan(score) else score,
        sale=sale,
        successor_tested=_tested(asked.store, sale.successor),
    )


def _unattended(asked: Asked, found: Shortlist) -> Unattended | None:
    """Return how far the best published agent comes; ``None`` where no agents do the tasks."""
    of = asked.question.evidence
    if not bills.has_agents(asked.store, of.suite):
        return None
    spread = dict(found.benchmark_weights)
    scored = matrix(asked.store.published, asked.selection())
    best = float(np.nanmax(scores(scored, spread).mean))
    n_tasks = sum(test.n_items or 0 for test in found.benchmarks if spread.get(test.id))
    others = best_of_others(asked.store, asked.selection(), spread, best)
    return Unattended(best, n_tasks, by_publisher=not of.include_flagged, best_of_others=others)


def _tested(store: Store, successor: str) -> tuple[str, ...]:
    """Name the suites that have the product which a maker names in a model's place."""
    names = {each.model for each in store.catalogue.crosswalk if each.product == successor}
    return tuple(
        suite.name
        for suite in store.catalogue.suites.values()
        if store.of_suite(suite.id) and names & set(matrix(store, Selection(suite.id)).models)
    )


def _together(asked: Asked, trees: tuple[Taxonomy, ...], leader: str | None) -> dict[str, float]:
    """Return how often each model shares the leader's cluster where benchmarks are resampled."""
    if not leader or not trees or any(leader not in tree.models for tree in trees):
        return {}
    return co_clustering(asked.store, selections_of(asked), leader) or {}


def _same_cluster(clusters: list[dict[str, str]], name: str, leader: str) -> bool | None:
    if not clusters or any(not {name, leader} <= labels.keys() for labels in clusters):
        return None
    return all(labels[name] == labels[leader] for labels in clusters)


_A_CHOICE = 5
"""Evidence in which this many models fit has a choice to offer."""
_KINDS_OF_WORK = 3
"""Evidence on this many of MedHELM's five categories is on all kinds of work."""


@remembered(maxsize=64)
def in_one_suite(asked: Asked, used: Collection[str] = ()) -> Asked:
    """Put a question over all evidence to the one suite that answers it best.

    Of the evidence with tests of the task, that which may decide goes before that which may not,
    and then in the order of the catalogue, MedHELM first and BRIDGE second: the first in which
    five models fit, else the one in which most do, else the first of all. Those that have most of
    the models ``used``, ids, count alone.
    """
    best, most = next(iter(asked.store.catalogue.evidence.values())), 0
    every: Iterable[EvidenceBase] = _of_the_task(asked)
    if used:
        there = {it: standings(asked.store, it.suite).rows for it in every}
        held = {
            it: sum(bool(tested_as(asked.store, one, rows)[0]) for one in used)
            for it, rows in there.items()
        }
        every = [it for it, n in held.items() if n == max(held.values())]
        best = next(iter(every), best)
    for base in every:
        n_fit = fitting(asked, base)
        if n_fit > most:
            best, most = base, n_fit
        if n_fit >= _A_CHOICE:
            break
    spoken = {test.language for test in asked.store.catalogue.benchmarks[best.suite]}
    language = asked.question.work.language if asked.question.work.language in spoken else ""
    return asked.having(suite=best.suite, cohort=best.cohort, revision="", language=language)


def others_that_answer(asked: Asked) -> tuple[tuple[EvidenceBase, int], ...]:
    """Return the other evidence with tests of the task and models that fit, and how many."""
    others = (it for it in _of_the_task(asked) if it.suite != asked.question.evidence.suite)
    return tuple((base, n_fit) for base in others if (n_fit := fitting(asked, base)))


def fitting(asked: Asked, base: EvidenceBase) -> int:
    """Count the models that fit when the same question is put to other evidence."""
    there = asked.having(evidence=Evidence(base.suite, base.cohort), only=())
    return sum(row.rank is not None for row in shortlist(there).rows)


def _of_the_task(asked: Asked) -> Iterator[EvidenceBase]:
    """Yield evidence over all models of a suite with tests of the task, the best kind first."""
    if asked.question.work.task == OWN_TASK:
        return
    catalogue = asked.store.catalogue
    named = {suite for suite, _ in bills.task_of(asked.store, asked.question.work.task).weights}

    def answers(base: EvidenceBase) -> bool:
        tests = catalogue.benchmarks.get(base.suite, ())
        if asked.question.work.language not in ("", *(test.language for test in tests)):
            return False
        if base.cohort != ALL_MODELS or not asked.store.of_suite(base.suite) or not tests:
            return False
        if not any(test.domain == "domain-specific" for test in tests):
            return False
        suite = catalogue.suites[base.suite]
        if suite.decides and not suite.may_decide(asked.question.work.task):
            return False
        if asked.question.work.task != Question().work.task:
            return base.suite in named
        kinds = {category for category, _ in catalogue.places.values()}
        places = {
            catalogue.places.get((it.suite, it.category, it.subcategory), (it.category, ""))[0]
            for it in tests
        }
        return len(places & kinds) >= _KINDS_OF_WORK

    yield from sorted(
        filter(answers, catalogue.evidence.values()),
        key=lambda base: not catalogue.suites[base.suite].may_decide(asked.question.work.task),
    )
