"""Which model to take for the work: the shortlist, the one answer, and how sure its order is."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from core.answers.bills import bills, monthly_costs, task_costs, weights_of, workload_of
from core.answers.data import evidence_base, matrix, model, provenance, selection_of
from core.answers.evidence import vote_groups
from core.answers.other_suites import invented_content, safety, second_opinions
from core.answers.remembering import remembered
from core.answers.routes import route_verdicts, sales
from core.answers.taxonomies import co_clustering, taxonomy
from core.domain import BadRequestError, Selection, Shortlist, TooFewError
from core.procurement.monthly_cost import saving
from core.procurement.recommendation import Candidate, LeftOut, Proposal, Recommendation, choose
from core.procurement.redrawn import Redrawn
from core.procurement.redrawn import redrawn as draw_anew
from core.procurement.requirements import benchmark_weights
from core.procurement.robustness import CONCENTRATION, rank_robustness
from core.procurement.shortlist import NOT_ON_SALE, rank_models
from core.statistics.difference import scores
from core.statistics.score_matrix import complete, select_models
from core.words.recommendation import (
    ahead_in_words,
    alerts,
    for_and_against,
    headline,
    unattended_in_words,
)

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import date

    from core.domain import Model, Requirements, Safety, ScoreMatrix, ShortlistRow, Taxonomy
    from core.evidence.store import Store
    from core.procurement.recommendation import Choice
    from core.procurement.robustness import RankRobustness

_MIN_FOR_CLUSTERS = 3
_WRITES = "documentation"
"""The task for which invented content counts."""


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
    """Return the facts on every model of some matrices, in the order of their ids."""
    ids = {name for scores in matrices for name in scores.models}
    return {name: model(store, name) for name in sorted(ids)}


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
    models = models_of(store, (scores,))
    names = tuple(sorted(models))
    sold = sales(store, names, requirements, on)
    by_token = requirements.access != "own"
    found = rank_models(
        requirements,
        weights=weights_of(store, requirements),
        matrix=scores,
        models=models,
        clusters=dict(zip(trees[0].models, trees[0].labels, strict=True)) if trees else {},
        costs=monthly_costs(store, names, requirements, on),
        bills=bills(store, names, requirements, on) if by_token else {},
        workload=workload_of(store, requirements),
        reasoning_workload=workload_of(store, requirements, reasoning=True),
        vote_groups=overlaps(store, requirements),
        routes=route_verdicts(store, names, requirements, requirements.access),
        sales=sold,
        labels=provenance(store, selection_of(requirements)),
    )
    matrices, _ = compared(store, suites_of(store, requirements), requirements)
    return replace(found, snapshots=tuple(m.snapshot for m in matrices if m.snapshot is not None))


@remembered(maxsize=64)
def robustness(
    store: Store, requirements: Requirements, on: date, *, concentration: float = CONCENTRATION
) -> RankRobustness:
    """Return the ranks of the shortlist under other weights and without single benchmarks.

    The models are those that the shortlist ranks: they pass the limits and have every benchmark
    that counts.
    """
    ranked = [row for row in shortlist(store, requirements, on).rows if row.rank is not None]
    return rank_robustness(
        matrix(store, selection_of(requirements)),
        weights_of(store, requirements),
        [row.model.id for row in ranked],
        concentration=concentration,
        vote_groups=overlaps(store, requirements),
    )


@remembered(maxsize=16)
def redrawn(store: Store, requirements: Requirements, on: date) -> Redrawn:
    """Return how often the rule comes to the same model where the tests are drawn anew.

    ``TooFewError`` below five tests, or where no model fits.
    """
    found = shortlist(store, requirements, on)
    ranked = [row for row in found.rows if row.rank is not None]
    if not ranked:
        raise TooFewError("No model fits, so the rule comes to none.")
    (scored,), _ = compared(store, (requirements.suite,), requirements)
    return draw_anew(
        [_candidate(row, None, requirements) for row in ranked],
        matrix=select_models(scored, [row.model.id for row in ranked]),
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

    ``in_place_of`` is the model in use, by any name of the catalogue; empty asks for the best to
    take. One that this evidence has no scores of is a ``BadRequestError``.
    """
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
        raise BadRequestError(
            f'This evidence has no scores of "{used[:120]}"{": " + why if why else ""}.'
        )
    ranked = [row for row in found.rows if row.rank is not None]
    names = (*(row.model.id for row in ranked), *([used] if used else []))
    harm = safety(store, names)
    candidates = {
        row.model.id: _candidate(row, harm.get(row.model.id), requirements) for row in ranked
    }
    in_use = candidates.get(used) if used else None
    if used and in_use is None:
        in_use = _not_fitting(store, found, scored, used, on, harm.get(used))
    chosen = choose(
        list(candidates.values()),
        matrix=scored,
        weights=dict(found.benchmark_weights),
        categories=_categories(store, requirements, found),
        margin=requirements.margin,
        in_place_of=in_use,
        own_servers=requirements.access == "own",
        decides=store.catalogue.suites[requirements.suite].decides,
        has_budget=requirements.monthly_budget_usd is not None,
    )
    return _shown(store, requirements, on, found, chosen, candidates, in_use, trees)


def _candidate(row: ShortlistRow, harm: Safety | None, requirements: Requirements) -> Candidate:
    """Return a row of the shortlist as the rule sees it."""
    return Candidate(
        row.model,
        row.score,
        row.cost,
        harm,
        may_be_first=row.rank_band is None or row.rank_band[0] == 1,
        is_service=requirements.access == "vendor" or row.model.access != "open",
        sale_known=row.sale is not None and row.sale.standing != "question",
        conditions_met=not row.routes or row.routes[0].status != "open",
    )


def _not_fitting(
    store: Store,
    found: Shortlist,
    scored: ScoreMatrix,
    used: str,
    on: date,
    harm: Safety | None,
) -> Candidate:
    """Return a model in use that does not fit: it keeps its place in the evidence."""
    spread = dict(found.benchmark_weights)
    score = float(scores(select_models(scored, [used]), spread).mean[0]) if spread else float("nan")
    # What it costs today, also at providers that are about to end it: that is what is paid.
    paid = replace(found.requirements, on_sale_months=None)
    cost = monthly_costs(store, (used,), paid, on)[used]
    return Candidate(model(store, used), score, cost, harm)


def _shown(
    store: Store,
    requirements: Requirements,
    on: date,
    found: Shortlist,
    chosen: Choice,
    candidates: dict[str, Candidate],
    in_use: Candidate | None,
    trees: tuple[Taxonomy, ...],
) -> Recommendation:
    """Add to what was chosen all that is shown beside it."""
    rows = {row.model.id: row for row in found.rows}
    places = dict(found.places)
    leader = chosen.leader
    lead = in_use or (candidates[leader] if leader else None)
    named = (chosen.best, *chosen.choose, *chosen.test_these)
    listed = {*named, *chosen.as_good, *chosen.worth_testing} - {leader, None}
    mates = _together(store, requirements, trees, leader) if listed else {}

    def proposal(name: str) -> Proposal:
        each = candidates.get(name) or in_use
        assert each is not None
        judged = chosen.judged.get(name)
        row = rows.get(name)
        shown = Proposal(
            model=each.model,
            row=row,
            score=None if each.score != each.score else each.score,
            rank_all=places.get(name),
            judged=judged,
            cost=each.cost,
            saves=saving(lead.cost, each.cost) if lead is not None and judged else None,
            safety=each.safety,
            second_opinions=second_opinions(store, name, requirements.suite),
            invented=invented_content(store, name) if requirements.task == _WRITES else None,
            sale=row.sale if row else sales(store, (name,), requirements, on).get(name),
            same_cluster=_same_cluster(trees, name, leader) if leader else None,
            together=mates.get(name) if name != leader else None,
            reasons=(),
        )
        in_words = for_and_against(shown, lead.model.name if lead else "", requirements.margin)
        return replace(shown, reasons=in_words)

    left_out = _left_out(store, requirements, on, found)
    first = chosen.take or next(iter(chosen.test_these), None)

    def shown(name: str | None) -> Proposal | None:
        """Return a proposal; the first one says who scored higher and is no longer sold."""
        if name is None:
            return None
        each = proposal(name)
        ahead = ahead_in_words(left_out, each, requirements.on_sale_months) if name == first else ""
        reasons = each.reasons
        return replace(each, reasons=(*reasons[:1], ahead, *reasons[1:])) if ahead else each

    def several(names: Iterable[str]) -> tuple[Proposal, ...]:
        return tuple(each for each in map(shown, names) if each is not None)

    answer = Recommendation(
        requirements=requirements,
        in_place_of=in_use.model.id if in_use else "",
        headline="",
        alerts=(),
        strength=chosen.strength,
        why=chosen.why,
        leader=shown(leader),
        best=shown(chosen.best),
        take=shown(chosen.take),
        choose=several(chosen.choose),
        test_these=several(chosen.test_these),
        as_good=several(chosen.as_good),
        worth_testing=several(chosen.worth_testing),
        is_narrowed=chosen.is_narrowed,
        step_down=shown(chosen.step_down),
        left_out=left_out,
        judged=chosen.judged,
        safety={name: each.safety for name, each in candidates.items() if each.safety},
        n_fit=len(candidates),
        n_all=len(found.places),
        n_first=chosen.n_first,
        n_left_larger=chosen.n_left_larger,
        snapshots=found.snapshots,
    )
    return replace(
        answer,
        headline=headline(answer, store.catalogue.suites[requirements.suite].name),
        alerts=alerts(answer, _unattended(store, requirements, found), on),
    )


def _unattended(store: Store, requirements: Requirements, found: Shortlist) -> str:
    """Say how far the best of all agents comes where a suite's tasks are done by agents."""
    if not task_costs(store, requirements):
        return ""
    spread = dict(found.benchmark_weights)
    (scored,), _ = compared(store, (requirements.suite,), requirements)
    best = float(np.nanmax(scores(scored, spread).mean))
    n_tasks = sum(test.n_items or 0 for test in found.benchmarks if spread.get(test.id))
    return unattended_in_words(best, n_tasks, by_publisher=not requirements.include_flagged)


def _left_out(
    store: Store, requirements: Requirements, on: date, found: Shortlist
) -> tuple[LeftOut, ...]:
    """List what each rule left out; of a model off sale, until when and what its maker names."""
    off = [
        out.model for rule in found.exclusions if rule.rule == NOT_ON_SALE for out in rule.models
    ]
    sold = sales(store, tuple(off), requirements, on) if off else {}
    places = dict(found.places)
    return tuple(
        LeftOut(
            model=out.model,
            name=model(store, out.model).name,
            rule=rule.rule,
            reason=out.reason,
            until=sold[out.model].until if out.model in sold else "",
            successor=sold[out.model].successor if out.model in sold else "",
            successor_tested=_tested(store, sold[out.model].successor) if out.model in sold else (),
            place=places.get(out.model),
        )
        for rule in found.exclusions
        for out in rule.models
    )


def _tested(store: Store, successor: str) -> tuple[str, ...]:
    """Name the suites that have a model which a maker names by its id in the price list."""
    if not successor:
        return ()
    products = {row.product for row in store.catalogue.lifecycle if row.provider_model == successor}
    names = {each.model for each in store.catalogue.crosswalk if each.product in products}
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


def _same_cluster(trees: tuple[Taxonomy, ...], name: str, leader: str) -> bool | None:
    if not trees or any(not {name, leader} <= set(tree.models) for tree in trees):
        return None
    return all(
        tree.labels[tree.models.index(name)] == tree.labels[tree.models.index(leader)]
        for tree in trees
    )
