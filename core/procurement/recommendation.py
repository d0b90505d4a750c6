"""The formulary rule: which one model to take, what is as good, and what is worth a test.

The rule is that of ``docs/methods.md``, "Recommendation".
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.procurement.replacement import judge

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from core.domain import (
        Model,
        MonthlyCost,
        OnSale,
        Requirements,
        Safety,
        Saving,
        ScoreMatrix,
        ShortlistRow,
        Snapshot,
    )
    from core.procurement.replacement import Judged
    from core.statistics.ranks import OrderAgreement

_TIE = 1.01
"""Costs within 1 % are equal."""
_SMALLER = 0.75
"""At equal cost a model is worth a test where it is at least a quarter smaller."""
_LARGER = 1.05
"""On own servers a replacement may be 5 % larger: parameter counts are rounded."""
_HALF = 0.5


@dataclass(frozen=True, slots=True)
class Candidate:
    """A model that fits, with what the rule asks of it."""

    model: Model
    score: float
    """Weighted score, 0 to 1; ``nan`` for a model to replace without one."""
    cost: MonthlyCost
    safety: Safety | None
    """``None`` where it was never tested for harm."""

    @property
    def marked(self) -> bool:
        """Whether it stands out for severe harm."""
        return self.safety is not None and self.safety.marked


@dataclass(frozen=True, slots=True)
class Choice:
    """What the rule comes to, by model id."""

    leader: str | None
    """What all others are held against: the best that fits, or the model in use."""
    take: str | None
    why: str
    """How ``take`` came about: ``leader``, ``cheapest``, ``keep``, ``divided``; or why there is
    none: ``nothing fits``, ``all marked``, ``none as good``."""
    judged: Mapping[str, Judged]
    """Every other candidate against the leader."""
    as_good: tuple[str, ...]
    worth_testing: tuple[str, ...]
    """Each list: best buy first."""
    step_down: str | None
    n_left_larger: int
    """Candidates that were passed over on own servers, since they are larger than the model in
    use."""


def choose(
    candidates: Sequence[Candidate],
    *,
    matrix: ScoreMatrix,
    weights: Mapping[str, float],
    categories: Mapping[str, Mapping[str, float]],
    margin: float,
    in_place_of: Candidate | None = None,
    own_servers: bool = False,
) -> Choice:
    """Choose one model by the rule, and sort the others.

    Parameters
    ----------
    candidates
        All models that fit, with every benchmark that counts; one in use is among them only where
        it fits.
    matrix, weights, categories, margin
        As for ``replacement.judge``.
    in_place_of
        The model in use, whether or not it fits; by default the best score leads.
    own_servers
        Whether the models are to run on own servers: candidates more than 5 % larger than the
        model in use are then passed over.
    """
    of = {each.model.id: each for each in candidates}
    n_larger = 0
    if in_place_of is not None and own_servers:
        of = {name: each for name, each in of.items() if not _larger(each, in_place_of)}
        n_larger = len(candidates) - len(of)
    leader = in_place_of or min(of.values(), key=_best_first, default=None)
    if leader is None or not of:
        used = leader.model.id if leader is not None else None
        return Choice(used, None, "nothing fits", {}, (), (), None, n_larger)
    everyone = {**of, leader.model.id: leader}
    safety = {name: each.safety for name, each in everyone.items() if each.safety is not None}

    def judged_against(model: Candidate) -> dict[str, Judged]:
        return judge(
            model.model.id,
            [name for name in of if name != model.model.id],
            matrix=matrix,
            weights=weights,
            categories=categories,
            margin=margin,
            safety=safety,
        )

    judged = judged_against(leader)
    # What is as good: the leader itself, where it fits, and those that are shown or likely to be.
    group = [each for name, each in of.items() if name == leader.model.id or _as_good(judged, each)]
    better = {name for name, one in judged.items() if one.is_as_good and one.better}
    take = cheapest([each for each in group if not each.marked], leader, better)
    in_use = in_place_of is not None
    if take is not None:
        same = "keep" if in_use else "leader"
        why = same if take.model.id == leader.model.id else "cheapest"
    elif not group:
        why = "none as good"
    elif unmarked := [each for each in of.values() if not each.marked]:
        best = min(unmarked, key=_best_first)
        near = judged_against(best)
        take = cheapest([each for each in unmarked if each is best or _as_good(near, each)], best)
        why = "divided"
    else:
        why = "all marked"
    return _sorted(of, leader, take, why, judged, n_larger)


def cheapest(
    group: Sequence[Candidate], leader: Candidate, better: Collection[str] = ()
) -> Candidate | None:
    """Return the cheapest of a group by its likely cost; ``None`` of an empty one.

    Costs within 1 % tie: then the fewer total parameters, then the higher score, then the id. An
    unknown cost is never cheaper. Where no cost is known, parameters decide. Without any of these
    either, scores do: the best of those in ``better``, whose interval lies above the leader; else
    the leader, else the best score.
    """
    priced = [each for each in group if each.cost.likely is not None]
    if priced:
        least = min(_usd(each) for each in priced)
        tied = [each for each in priced if _usd(each) <= least * _TIE]
        return min(tied, key=_smallest_then_best)
    first: Sequence[Candidate] = ()
    if all(each.model.params_b is None for each in group):
        shown = [each for each in group if each.model.id in better]
        first = shown or [each for each in group if each.model.id == leader.model.id]
    return min(first or group, key=_smallest_then_best, default=None)


def _sorted(
    of: Mapping[str, Candidate],
    leader: Candidate,
    take: Candidate | None,
    why: str,
    judged: Mapping[str, Judged],
    n_larger: int,
) -> Choice:
    """Sort what was not taken; each list best buy first."""
    mark = take or (leader if leader.model.id in of else None)
    others = [each for name, each in of.items() if take is None or name != take.model.id]
    as_good = [
        each
        for each in others
        if (each is of.get(leader.model.id) or _as_good(judged, each))
        and (each.cost.likely is not None or mark is None or mark.cost.likely is None)
    ]
    names = {each.model.id for each in as_good}
    worth = [
        each
        for each in others
        if each.model.id not in names
        and (each.model.id not in judged or judged[each.model.id].tier != "worse")
        and _worth_a_test(each, mark)
    ]
    down = [
        each
        for each in others
        if take is not None
        and not each.marked
        and each.model.id in judged
        and judged[each.model.id].tier == "worse"
        and each.cost.likely is not None
        and take.cost.likely is not None
        and each.cost.likely <= _HALF * take.cost.likely
    ]

    def last_if_worse(each: Candidate) -> tuple[object, ...]:
        one = judged.get(each.model.id)
        return one is not None and one.probably_worse, *_buy(each)

    step = min(down, key=_best_first, default=None)
    return Choice(
        leader=leader.model.id,
        take=take.model.id if take else None,
        why=why,
        judged=judged,
        as_good=tuple(each.model.id for each in sorted(as_good, key=_buy)),
        worth_testing=tuple(each.model.id for each in sorted(worth, key=last_if_worse)),
        step_down=step.model.id if step else None,
        n_left_larger=n_larger,
    )


def _worth_a_test(each: Candidate, take: Candidate | None) -> bool:
    """Say whether an open candidate is cheaper than what is taken, or much smaller, or unpriced."""
    if take is None or each.cost.likely is None or take.cost.likely is None:
        return True
    if each.cost.likely * _TIE < take.cost.likely:
        return True
    size, other = each.model.params_b, take.model.params_b
    return (
        each.cost.likely <= take.cost.likely * _TIE
        and size is not None
        and other is not None
        and size <= _SMALLER * other
    )


def _as_good(judged: Mapping[str, Judged], each: Candidate) -> bool:
    return each.model.id in judged and judged[each.model.id].is_as_good


def _larger(each: Candidate, than: Candidate) -> bool:
    """Say whether a model is known to be over 5 % larger than another."""
    size, other = each.model.params_b, than.model.params_b
    return size is not None and other is not None and size > _LARGER * other


def _usd(each: Candidate) -> float:
    return math.inf if each.cost.likely is None else each.cost.likely


def _best_first(each: Candidate) -> tuple[float, str]:
    # Rounded, so that equal scores summed in another order still tie.
    return -round(each.score, 12), each.model.id


def _smallest_then_best(each: Candidate) -> tuple[float, float, str]:
    size = each.model.params_b
    return math.inf if size is None else size, *_best_first(each)


def _buy(each: Candidate) -> tuple[bool, float, float, float, str]:
    return each.marked, _usd(each), *_smallest_then_best(each)


@dataclass(frozen=True, slots=True)
class SecondOpinion:
    """A model's place in another suite."""

    suite: str
    name: str
    """Of the suite."""
    metric: str
    rank: int
    n: int
    tested_as: str
    kind: str
    """``same version``, or ``version not stated``."""
    agreement: OrderAgreement | None
    """Of its order with that of the question's suite; ``None`` below three shared models."""


@dataclass(frozen=True, slots=True)
class Invented:
    """How often a model's summaries of general texts hold content that the text has not."""

    share: float
    """Of the summaries, 0 to 1; no error is printed."""
    rank: int
    """From the fewest."""
    n: int
    """Models with this figure."""
    kind: str
    """As of a second opinion."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """One model with all that a committee asks about it."""

    model: Model
    row: ShortlistRow | None
    """``None`` for a model in use that does not fit."""
    score: float | None
    """0 to 1; ``None`` for a model in use that lacks tests of the task."""
    rank_all: int | None
    judged: Judged | None
    """Against the leader; ``None`` for the leader itself."""
    cost: MonthlyCost
    saves: Saving | None
    """Against the leader; ``None`` where a cost is not known."""
    safety: Safety | None
    second_opinions: tuple[SecondOpinion, ...]
    sale: OnSale | None
    same_cluster: bool | None
    """As the leader; ``None`` where one of the two is in no cluster."""
    together: float | None
    """Share of resampled trees in which the two are in one cluster."""
    reasons: tuple[str, ...]
    invented: Invented | None = None
    """Asked of documentation only; ``None`` where not asked, or never tested."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A model that one rule left out."""

    model: str
    name: str
    rule: str
    reason: str
    until: str
    """ISO day until which it is or was on sale, where that is the rule; else empty."""
    successor: str
    successor_tested: tuple[str, ...]
    """Names of the suites that have the successor."""
    place: int | None
    """Among all with scores."""


@dataclass(frozen=True, slots=True)
class Recommendation:
    """The answer to one question."""

    requirements: Requirements
    in_place_of: str
    """Id of the model in use; empty where the question names none."""
    headline: str
    why: str
    leader: Proposal | None
    take: Proposal | None
    as_good: tuple[Proposal, ...]
    worth_testing: tuple[Proposal, ...]
    step_down: Proposal | None
    left_out: tuple[LeftOut, ...]
    judged: Mapping[str, Judged]
    """Every model that fits against the leader, by id."""
    safety: Mapping[str, Safety]
    """Of the models that fit, those that were tested for harm."""
    n_fit: int
    n_all: int
    n_left_larger: int
    snapshots: tuple[Snapshot, ...]
