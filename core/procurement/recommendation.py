"""The formulary rule: how strong an answer the evidence bears, and which models it names.

The rule is that of ``docs/methods.md``, "Recommendation".
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Literal

from core.domain import (
    Dossier,
    Judged,
    MonthlyCost,
    OfferTerms,
    Question,
    Sale,
    ScoreMatrix,
    Shortlist,
    Unattended,
)
from core.procurement.bill import saving
from core.procurement.conditions import Met, is_old, met
from core.procurement.replacement import judge

Strength = Literal["take", "choose", "shortlist", "keep"]
Why = Literal[
    "nothing fits",
    "few fit",
    "suite does not decide",
    "not separated",
    "many cheaper",
    "price unknown",
    "price and sale unknown",
    "condition not known",
    "sale not known",
    "harm",
    "cheaper ones open",
    "better elsewhere",
    "leader",
    "cheapest",
    "replaced",
    "none as good",
    "keep",
]
"""How an answer came about: the first nine are of a shortlist, the next three of a choice."""
_TIE = 1.01
"""Costs within 1 % are equal."""
_SMALLER = 0.75
"""Where no cost tells two models apart, one is cheaper with a quarter fewer active parameters."""
LARGER = 1.05
"""On own servers a replacement may be 5 % larger: parameter counts are rounded."""
_HALF = 0.5
CASES_RATED, RATERS, MINUTES_PER_CASE = 100, 2, 5.0
"""Of a test of one's own, where no source says otherwise."""
_LEAST_FIT, _MOST_FIRST, _MOST_OPEN = 3, 4, 3
_MOST_TESTED, _MOST_BESIDE, _MOST_UNNARROWED = 4, 2, 5
_FLOOR = 2
"""Margins below the leader beyond which nothing is worth a test."""


@dataclass(frozen=True, slots=True)
class RuleChoice:
    """What the formulary rule comes to, by model id."""

    leader: str | None
    """What all others are compared with: the best that fits, or the model in use."""
    best: str | None
    """The cheapest of the leader and all that are as good, or what replaces the model in use."""
    strength: Strength
    why: Why
    n_left_larger: int
    """Dossiers that were skipped on own servers, since they are larger than the model in
    use."""
    judged: Mapping[str, Judged]
    """Every other candidate against the leader."""
    take: str | None = None
    """``None`` for a shortlist; of a choice the one of caution."""
    choose: tuple[str, ...] = ()
    """Of a choice: what the rule comes to, and up to two next to it; else empty."""
    test_these: tuple[str, ...] = ()
    """Of a shortlist: up to four, first the one to start with; else empty."""
    n_first: int = 0
    """How many may be the best of those that fit."""
    as_good: tuple[str, ...] = ()
    """The best buy first."""
    worth_testing: tuple[str, ...] = ()
    """The highest score first."""
    is_narrowed: bool = True
    """Whether any interval is known, so that what is worth a test can be narrowed down."""
    step_down: str | None = None


def choose(
    candidates: Sequence[Dossier],
    *,
    matrix: ScoreMatrix,
    weights: Mapping[str, float],
    categories: Mapping[str, Mapping[str, float]],
    margin: float,
    in_place_of: Dossier | None = None,
    own_servers: bool = False,
    decides: bool = True,
    has_budget: bool = False,
    as_service: bool = False,
) -> RuleChoice:
    """Say by the rule what to take, choose between or test, and sort the others.

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
        model in use are then skipped.
    decides
        Whether the suite tests the work, so that it can carry more than a shortlist.
    has_budget
        Whether a budget is set: a service of unknown price cannot be shown to keep it.
    as_service
        Whether the models are to be had as a vendor's service; those without open weights are.
    """
    of = {each.model.id: each for each in candidates}
    n_larger = 0
    if in_place_of is not None and own_servers:
        # One of unknown size, or in place of one, is not known to be larger.
        most = LARGER * _or_infinite(in_place_of.model.params_b)
        of = {name: each for name, each in of.items() if not (each.model.params_b or 0) > most}
        n_larger = len(candidates) - len(of)
    leader = in_place_of or min(of.values(), key=_best_first, default=None)
    in_use = in_place_of is not None
    if leader is None or not of:
        return RuleChoice(
            leader=leader.model.id if leader is not None else None,
            best=None,
            strength="keep" if in_use else "shortlist",
            why="nothing fits",
            n_left_larger=n_larger,
            judged={},
        )
    everyone = {**of, leader.model.id: leader}
    judged = judge(
        leader.model.id,
        [name for name in of if name != leader.model.id],
        matrix=matrix,
        weights=weights,
        categories=categories,
        margin=margin,
        safety={name: each.safety for name, each in everyone.items() if each.safety is not None},
    )
    field = _Field(of, leader, judged, margin, in_use and leader.model.id in of)
    best: Dossier | None
    beside: Sequence[Dossier] = ()
    to_test: Sequence[Dossier] = ()
    if in_use:
        best, strength, why = field.replacement()
        take = best
    else:
        best = field.cheapest(field.as_good)
        needs_price = has_budget and (as_service or best.model.access != "open")
        strength, why, take, beside, to_test = field.answer(
            best, decides=decides, needs_price=needs_price
        )
    named = (take, *beside, *to_test)
    return RuleChoice(
        leader=leader.model.id,
        best=best.model.id if best is not None else None,
        strength=strength,
        why=why,
        take=take.model.id if take is not None else None,
        choose=_ids(beside),
        test_these=_ids(to_test),
        n_first=sum(each.may_be_first for each in of.values()),
        judged=judged,
        as_good=_ids(each for each in sorted(field.as_good, key=field.buy) if each not in named),
        worth_testing=_ids(each for each in field.worth_testing(best) if each not in named),
        is_narrowed=field.is_narrowed,
        step_down=field.step_down(take),
        n_left_larger=n_larger,
    )


def _ids(several: Iterable[Dossier]) -> tuple[str, ...]:
    return tuple(each.model.id for each in several)


@dataclass(frozen=True, slots=True)
class _Field:
    """Dossiers compared with a leader."""

    of: Mapping[str, Dossier]
    leader: Dossier
    judged: Mapping[str, Judged]
    margin: float
    can_stay: bool
    """Whether the leader is a model in use, whose place is asked for, and fits."""

    @property
    def as_good(self) -> list[Dossier]:
        """The leader, where it fits, and all that are shown or likely to be as good."""
        return [
            each
            for name, each in self.of.items()
            if name == self.leader.model.id or self.judged[name].is_as_good
        ]

    @property
    def is_narrowed(self) -> bool:
        return not self.judged or any(one.difference.intervals for one in self.judged.values())

    def answer(
        self, best: Dossier, *, decides: bool, needs_price: bool
    ) -> tuple[Strength, Why, Dossier | None, Sequence[Dossier], Sequence[Dossier]]:
        """Say how strong the answer is, never stronger than its evidence.

        Then what to take, what to choose between, and what to test.
        """
        n_first = sum(each.may_be_first for each in self.of.values())
        cheaper = sorted(
            (
                each
                for each in self.of.values()
                if each.may_be_first
                and each is not best
                and self._tier(each) == "open"
                and _cheaper(each, best)
            ),
            key=_best_first,
        )
        unpriced = best.cost.likely is None and not best.cost.is_owned
        reasons: tuple[tuple[bool, Why], ...] = (
            (len(self.of) < _LEAST_FIT, "few fit"),
            (not decides, "suite does not decide"),
            (n_first > max(_MOST_FIRST, len(self.of) / 2), "not separated"),
            (len(cheaper) > _MOST_OPEN, "many cheaper"),
            (unpriced and needs_price, "price unknown"),
            (unpriced and not best.sale_known, "price and sale unknown"),
            (not best.conditions_met, "condition not known"),
            (best.asks_for_sale, "sale not known"),
        )
        if why := next((why for holds, why in reasons if holds), None):
            return "shortlist", why, None, (), self._to_test(best, cheaper)
        safer = self._safer() if best.marked else []
        beside = list(dict.fromkeys([*safer[:1], *cheaper, *safer]))[:_MOST_BESIDE]
        if safer:
            return "choose", "harm", safer[0], [best, *beside], ()
        if beside:
            return "choose", "cheaper ones open", best, [best, *beside], ()
        return "take", "leader" if best is self.leader else "cheapest", best, (), ()

    def replacement(self) -> tuple[Dossier | None, Strength, Why]:
        """Say what takes the place of the model in use, or that it stays.

        One that is as good replaces it where it is likely to save over 1 %, or is better, or
        where the model in use does not fit and so cannot stay.
        """
        used = self.leader
        stays = used.model.id in self.of
        others = [
            each
            for each in self.as_good
            if each.model.id != used.model.id
            and (not stays or self._better(each) or _saves(each, used))
        ]
        if others:
            return self.cheapest(others), "take", "replaced"
        return (used, "keep", "keep") if stays else (None, "keep", "none as good")

    def cheapest(self, group: Sequence[Dossier]) -> Dossier:
        """Return the cheapest of a group by its likely cost.

        Costs within 1 % tie: then what is better than the leader, the higher score, the fewer
        active and the fewer total parameters, the id. An unknown cost is never cheaper. Where no
        cost is known active parameters decide; where no size is either, the leader stays
        against all but what is better.
        """
        priced = [each for each in group if each.cost.likely is not None]
        if priced:
            least = min(_usd(each) for each in priced)
            return min((each for each in priced if _usd(each) <= least * _TIE), key=self._tie)
        if all(_active(each) is None for each in group):
            better = [each for each in group if self._better(each)]
            return min(better or [e for e in group if e is self.leader] or group, key=self._tie)
        return min(group, key=lambda each: (_or_infinite(_active(each)), self._tie(each)))

    def worth_testing(self, best: Dossier | None) -> list[Dossier]:
        """Return what is open, no more than two margins below, and cheaper; by score.

        Where no interval is known nothing can be narrowed: the five highest scores, in place of
        one in use that can stay of those that are not known to cost over 1 % more.
        """
        mark = best or self.leader
        near = (e for e in self.of.values() if e is not mark and self._above_floor(e))
        ordered = sorted(near, key=_best_first)
        if not self.is_narrowed:
            others = [each for each in ordered if each is not self.leader]
            if self.can_stay:
                others = [e for e in others if e.cost.likely is None or not _cheaper(mark, e)]
            return others[:_MOST_UNNARROWED]
        return [
            each
            for each in ordered
            if self._tier(each) == "open"
            and self.judged[each.model.id].difference.intervals
            and (_cheaper(each, mark) or (_alike(each, mark) and _much_smaller(each, mark)))
        ]

    def step_down(self, take: Dossier | None) -> str | None:
        """Return the highest score that is worse, unmarked, and costs at most half.

        Nothing unmarked with a higher score may cost as little.
        """
        if take is None or take.cost.likely is None:
            return None
        half = _HALF * take.cost.likely
        down = [
            each
            for each in self.of.values()
            if not each.marked and self._tier(each) == "worse" and _usd(each) <= half
            if not any(
                _usd(it) <= _usd(each) and _best_first(it) < _best_first(each)
                for it in self.of.values()
                if not it.marked
            )
        ]
        return min(down, key=_best_first).model.id if down else None

    def buy(self, each: Dossier) -> tuple[object, ...]:
        """Order by cost, then as costs that tie."""
        return _usd(each), self._tie(each)

    def _to_test(self, best: Dossier, cheaper: Sequence[Dossier]) -> list[Dossier]:
        """Name what to test: the leader, the cheapest as good, and what is open and cheaper.

        The leader first, the others by score; where there are none, all that is near, by cost.
        """
        found = {best.model.id: best} | {e.model.id: e for e in cheaper if self._above_floor(e)}
        found.pop(self.leader.model.id, None)
        others = sorted(found.values(), key=_best_first)
        if not others:
            near = [e for e in self.of.values() if e is not self.leader and self._above_floor(e)]
            others = sorted(near, key=self.buy)
        return [self.leader, *others][:_MOST_TESTED]

    def _safer(self) -> list[Dossier]:
        """Return what was tested for harm, is not marked, and may be as good; as good first."""
        found = [
            each
            for each in self.of.values()
            if each.safety is not None
            and not each.marked
            and (each in self.as_good or (self._tier(each) == "open" and self._above_floor(each)))
        ]
        return sorted(found, key=lambda each: (each not in self.as_good, self.buy(each)))

    def _tier(self, each: Dossier) -> str:
        one = self.judged.get(each.model.id)
        return one.tier if one is not None else ""

    def _better(self, each: Dossier) -> bool:
        one = self.judged.get(each.model.id)
        return one is not None and one.better

    def _above_floor(self, each: Dossier) -> bool:
        """Say whether a candidate is at most two margins below the leader, as far as is known."""
        if each is self.leader:
            return True
        gap = self.judged[each.model.id].difference.difference
        # Rounded, as scores are: exactly two margins below is not lower.
        return gap is None or round(gap, 12) >= -_FLOOR * self.margin

    def _tie(self, each: Dossier) -> tuple[bool, float, float, float, str]:
        score, name = _best_first(each)
        total = _or_infinite(each.model.params_b)
        return not self._better(each), score, _or_infinite(_active(each)), total, name


def _cheaper(each: Dossier, than: Dossier) -> bool:
    """Say whether one model costs over 1 % less; a known cost goes before an unknown one.

    Where neither is known: whether it has at least a quarter fewer active parameters.
    """
    if each.cost.likely is None:
        return than.cost.likely is None and _much_smaller(each, than)
    return than.cost.likely is None or each.cost.likely * _TIE < than.cost.likely


def _saves(each: Dossier, used: Dossier) -> bool:
    """Say whether a model is likely to save; against an unknown cost nothing is."""
    return (each.cost.likely is None or used.cost.likely is not None) and _cheaper(each, used)


def _alike(each: Dossier, other: Dossier) -> bool:
    """Say whether two known costs are within 1 %."""
    if each.cost.likely is None or other.cost.likely is None:
        return False
    low, high = sorted((each.cost.likely, other.cost.likely))
    return high <= low * _TIE


def _much_smaller(each: Dossier, than: Dossier) -> bool:
    size, other = _active(each), _active(than)
    return size is not None and other is not None and size <= _SMALLER * other


def _active(each: Dossier) -> float | None:
    """Return the active parameters; of a model that is not a known mixture, all of them."""
    active = each.model.params_active_b
    return each.model.params_b if active is None else active


def _usd(each: Dossier) -> float:
    return _or_infinite(each.cost.likely)


def _or_infinite(value: float | None) -> float:
    return math.inf if value is None else value


def _best_first(each: Dossier) -> tuple[float, str]:
    # Rounded, so that equal scores summed in another order still tie.
    return -round(each.score or 0.0, 12), each.model.id


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """What can be bought beyond one suite, where other tests speak for more."""

    n_buyable: int
    n_here: int
    """Of these, in the suite."""
    n_own: int
    """Of these, on own servers alone."""
    name: str
    """The first product that the suite lacks and that has a better grade than what it takes."""


@dataclass(frozen=True, slots=True)
class Recommendation:
    """The answer to one question, as keys and numbers."""

    shortlist: Shortlist
    suite: str
    """Name of the suite that ranks."""
    in_place_of: str
    """Id of the model in use; empty where the question names none."""
    choice: RuleChoice
    dossiers: Mapping[str, Dossier]
    """What the rule names, and the model in use, by id."""
    unattended: Unattended | None
    elsewhere: Elsewhere | None = None
    """``None`` where the suite has the best graded, or nothing is to take or choose."""

    @property
    def question(self) -> Question:
        """What was asked."""
        return self.shortlist.question

    @property
    def met(self) -> Met | None:
        """Which required conditions those meet that fit and have a rank."""
        return met([row.terms for row in self.shortlist.rows if row.rank is not None])

    @property
    def strength(self) -> Strength:
        """How strong the answer is."""
        return self.choice.strength

    @property
    def leader(self) -> Dossier | None:
        """What all others are compared with."""
        return self._one(self.choice.leader)

    @property
    def best(self) -> Dossier | None:
        """The cheapest of those as good, or what replaces the model in use."""
        return self._one(self.choice.best)

    @property
    def take(self) -> Dossier | None:
        """The one to take; of a choice the one of caution."""
        return self._one(self.choice.take)

    @property
    def choose(self) -> tuple[Dossier, ...]:
        """What to choose between."""
        return self._several(self.choice.choose)

    @property
    def test_these(self) -> tuple[Dossier, ...]:
        """What to test, first the one to start with."""
        return self._several(self.choice.test_these)

    @property
    def as_good(self) -> tuple[Dossier, ...]:
        """What is as good and not named before, the best buy first."""
        return self._several(self.choice.as_good)

    @property
    def worth_testing(self) -> tuple[Dossier, ...]:
        """What may be as good and costs less, the highest score first."""
        return self._several(self.choice.worth_testing)

    @property
    def step_down(self) -> Dossier | None:
        """What is worse at half the cost."""
        return self._one(self.choice.step_down)

    @property
    def named(self) -> tuple[Dossier, ...]:
        """Return what is taken, to choose between or to test, best first."""
        chosen = sorted(self.choose, key=lambda each: each != self.take)
        return (*(chosen or filter(None, [self.take])), *self.test_these)

    def decisions(self) -> list[tuple[str, Dossier]]:
        """Return what is decided on each model that is named, in a word or two; best first.

        Of several to choose between, the first is the one of caution.
        """
        words = ("choose first", "choose") if self.choose else ("take", "take")
        if self.test_these:
            words = "test first", "test"
        return [
            *((words[n > 0], each) for n, each in enumerate(self.named)),
            *(("as good", each) for each in self.as_good),
            *(("worth a test", each) for each in self.worth_testing),
            *([("step down", self.step_down)] if self.step_down else []),
        ]

    def dossier(self, row: Dossier) -> Dossier:
        """Return a row of the list, compared with the leader."""
        judged = self.choice.judged.get(row.model.id)
        if row.model.id in self.dossiers or judged is None or self.leader is None:
            return self.dossiers.get(row.model.id, row)
        return replace(row, judged=judged, saves=saving(self.leader.cost, row.cost))

    def _one(self, name: str | None) -> Dossier | None:
        return self.dossiers[name] if name is not None else None

    def _several(self, names: tuple[str, ...]) -> tuple[Dossier, ...]:
        return tuple(self.dossiers[name] for name in names)


@dataclass(frozen=True, slots=True)
class TestWorth:
    """What a choice among models loses without and with a test of the suggested size.

    On the 0 to 1 scale. Without a suggested size, what depends on it is ``None``.
    """

    __test__ = False  # no test of pytest's, for all its name

    models: tuple[str, ...]
    n_cases: int | None
    """Cases that each model answers."""
    loss_without: float
    """Expected distance of the chosen model below the best."""
    loss_with: float | None
    p_wrong_without: float
    """Chance that the chosen one is more than the margin below the best."""
    p_wrong_with: float | None
    cost_usd: float | None
    """Of all answers; ``None`` where that of one model is not known."""
    rater_hours: float | None
    margin: float
    assumed: bool
    """Whether too few public tests say how far the models may differ."""


What = Literal[
    "worse",
    "old facts",
    "unattended",
    "condition not known",
    "over budget",
    "harm",
    "sale not known",
    "sale ends",
]
"""That the model in use has ended, the headline says."""
Fact = Literal["sale", "prices", "rents", "terms"]
_SOON = timedelta(days=365)


@dataclass(frozen=True, slots=True)
class OldFact:
    """A fact in use whose source said it over 90 days ago, or on no known day."""

    fact: Fact
    model: str
    """Id."""
    platform: str
    read_on: str
    """ISO day, or less of it; empty where nothing tells."""
    condition: str = ""
    """Id of the condition that the terms are about."""


@dataclass(frozen=True, slots=True)
class Caution:
    """One thing to know first."""

    what: What
    about: str = ""
    """Id of the model; empty where it is about the answer as a whole."""
    old: tuple[OldFact, ...] = ()


def cautions(found: Recommendation, day: date) -> tuple[Caution, ...]:
    """Return all that is to be known first, the weightiest first.

    In a replacement that is what rises: more severe harm or severe errors than with the model in
    use. Whether a sale is old or ends soon is judged on the day from which the question counts
    months of sale, else on that of the prices, ``day``.
    """
    begins = found.question.sale.on_sale_on
    day = max(day, date.fromisoformat(begins)) if begins else day
    old = tuple(
        fact
        for _, it in found.decisions()
        for fact in old_facts(it.model.id, it.sold, it.cost, next(iter(it.terms), None), day)
    )
    take, budget = found.take, found.question.limits.monthly_budget_usd
    rises = take is not None and take.judged is not None and bool(take.judged.warnings)
    said = [Caution("old facts", old=old)] if old else []
    said += [Caution("unattended")] if found.unattended else []
    if take and rises:  # Only two are told, and how far agents come is one of them.
        said.insert(len(said) if found.unattended else 0, Caution("worse", take.model.id))
    over = [
        each
        for each in (take, *found.test_these)
        if each and budget is not None and (each.cost.high or 0.0) > budget
    ]
    if take is None:
        return (*said, *(Caution("over budget", each.model.id) for each in over))
    sold = take.sold
    holds: dict[What, bool] = {
        "condition not known": not take.conditions_met,
        "over budget": bool(over),
        "harm": take.marked,
        "sale not known": take.asks_for_sale,
        "sale ends": sold is not None and sold.lasts is not None and ends_soon(sold, day),
    }
    return (*said, *(Caution(what, take.model.id) for what, it_does in holds.items() if it_does))


def ends_soon(sold: Sale, day: date) -> bool:
    """Say whether a sale has ended, ends too soon, or has a stated end within a year of a day."""
    ends = sold.state == "ends" and date.fromisoformat(sold.until) <= day + _SOON
    return sold.state == "gone" or sold.lasts is False or ends


def old_facts(
    model: str, sold: Sale | None, cost: MonthlyCost, offer: OfferTerms | None, day: date
) -> list[OldFact]:
    """Return what is old of the sale, the price or rent and the platform's terms of a model."""
    found = []
    if sold and sold.lasts and is_old(sold.read_on, day):
        found.append(OldFact("sale", model, sold.platform, sold.read_on))
    if cost.kind == "bill" and is_old(cost.as_of, day):
        found.append(OldFact("prices", model, cost.platform, cost.as_of))
    if cost.kind == "own servers" and is_old(cost.as_of, day):
        found.append(OldFact("rents", model, cost.platform, cost.as_of))
    if offer:
        found += [
            OldFact("terms", model, check.platform, check.read_on, check.condition)
            for check in offer.checks
            if check.status in ("passes", "conditional") and check.is_of_a_source
            if is_old(check.read_on, day)
        ]
    return found
