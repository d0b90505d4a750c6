"""The one answer: which model to take, in place of which, and what else could do."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from core.answers.choice import compared, known_as, overlaps, shortlist, suites_of
from core.answers.evidence import matrix, model
from core.answers.monthly_costs import monthly_costs
from core.answers.remembering import remembered
from core.answers.replacing import MOST_RESAMPLED, co_clustering
from core.answers.second_opinions import safety, second_opinions
from core.answers.selling import sales
from core.domain import BadRequestError, Selection
from core.procurement.bill import saving
from core.procurement.headline import ahead_in_words, for_and_against, headline
from core.procurement.recommendation import Candidate, LeftOut, Proposal, Recommendation, choose
from core.procurement.requirements import benchmark_weights
from core.procurement.shortlist import NOT_ON_SALE
from core.statistics.difference import scores
from core.statistics.score_matrix import select_models

if TYPE_CHECKING:
    from datetime import date

    from core.domain import Requirements, Safety, ScoreMatrix, Shortlist, Taxonomy
    from core.evidence.store import Store
    from core.procurement.recommendation import Choice


def recommendation(
    store: Store, requirements: Requirements, on: date, in_place_of: str = ""
) -> Recommendation:
    """Return the recommendation for the requirements at the public prices of a day.

    Parameters
    ----------
    in_place_of
        Id of the model in use, by any name of the catalogue; empty asks for the best to take.

    Raises
    ------
    BadRequestError, BadDataError
        As for ``shortlist``; and where the evidence has no scores of the model in use.
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
        row.model.id: Candidate(row.model, row.score, row.cost, harm.get(row.model.id))
        for row in ranked
    }
    in_use = candidates.get(used) if used else None
    if used and in_use is None:
        in_use = _not_fitting(store, found, scored, used, on, harm.get(used))
    chosen = choose(
        list(candidates.values()),
        matrix=scored,
        weights=dict(found.benchmark_weights),
        categories={
            name: benchmark_weights(((name, 1.0),), found.benchmarks, overlaps(store, requirements))
            for name, _ in found.weights
        },
        margin=requirements.margin,
        in_place_of=in_use,
        own_servers=requirements.access == "own",
    )
    return _shown(store, requirements, on, found, chosen, candidates, in_use, trees)


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
    cost = monthly_costs(store, (used,), found.requirements, on)[used]
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
    listed = {chosen.take, *chosen.as_good, *chosen.worth_testing} - {leader, None}
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
            sale=row.sale if row else sales(store, (name,), requirements, on).get(name),
            same_cluster=_same_cluster(trees, name, leader) if leader else None,
            together=mates.get(name) if name != leader else None,
            reasons=(),
        )
        in_words = for_and_against(shown, lead.model.name if lead else "", requirements.margin)
        return replace(shown, reasons=in_words)

    left_out = _left_out(store, requirements, on, found)
    take = proposal(chosen.take) if chosen.take else None
    if take is not None:
        ahead = ahead_in_words(left_out, take, requirements.on_sale_months)
        if ahead:
            take = replace(take, reasons=(*take.reasons[:1], ahead, *take.reasons[1:]))
    leading = proposal(leader) if leader else None
    as_good = tuple(proposal(name) for name in chosen.as_good)
    return Recommendation(
        requirements=requirements,
        in_place_of=in_use.model.id if in_use else "",
        headline=headline(
            chosen.why,
            take,
            leading,
            in_use=in_use is not None,
            margin=requirements.margin,
            n_fit=len(candidates),
            as_good=as_good,
            unpriced=any(
                one.is_as_good and candidates[name].cost.likely is None
                for name, one in chosen.judged.items()
            ),
        ),
        why=chosen.why,
        leader=leading,
        take=take,
        as_good=as_good,
        worth_testing=tuple(proposal(name) for name in chosen.worth_testing),
        step_down=proposal(chosen.step_down) if chosen.step_down else None,
        left_out=left_out,
        judged=chosen.judged,
        safety={name: each.safety for name, each in candidates.items() if each.safety},
        n_fit=len(candidates),
        n_all=len(found.places),
        n_left_larger=chosen.n_left_larger,
        snapshots=found.snapshots,
    )


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
    if any(len(tree.models) > MOST_RESAMPLED for tree in trees):
        return {}
    return co_clustering(store, requirements, suites_of(store, requirements), leader) or {}


def _same_cluster(trees: tuple[Taxonomy, ...], name: str, leader: str) -> bool | None:
    if not trees or any(not {name, leader} <= set(tree.models) for tree in trees):
        return None
    return all(
        tree.labels[tree.models.index(name)] == tree.labels[tree.models.index(leader)]
        for tree in trees
    )
