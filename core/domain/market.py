"""What a buyer can buy for a kind of work, and what independent tests say of it."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Literal

from core.domain.choice import Grade, Judged, LeftOut, Tested
from core.domain.conditions import (
    OWN_SERVERS,
    ConditionCheck,
    Licence,
    OfferTerms,
    OnSale,
    Sale,
)
from core.domain.evidence import Model
from core.domain.procurement import MonthlyCost, Safety, Saving

Directness = Literal["direct", "near", "general"]
"""Direct: the suite tests this work. Near: other clinical work or advice. General: exams, a crowd's
liking, general texts."""
Third = Literal["upper", "middle", "lower"]


@dataclass(frozen=True, slots=True)
class LineOfWork:
    """Which suite tests a kind of work, by which of its tasks, and how directly."""

    work: str
    suite: str
    task: str
    """Empty for the suite's overall score."""
    kind: Directness
    reason: str
    language: str = ""
    """Of a line that counts for work in this language alone; empty for all others."""


@dataclass(frozen=True, slots=True)
class Profile:
    """Conditions that go together, which a buyer may start from."""

    id: str
    name: str
    conditions: tuple[str, ...]
    description: str


@dataclass(frozen=True, slots=True)
class Placed:
    """One product's place in one line of a kind of work."""

    kind: Directness
    """As it counts here."""
    third: Third
    tested: Tested
    """Its place of how many, interval, day, who ran it."""
    why_near: Literal["", "language", "not separated"] = ""
    """Why a line that tests this work counts as near; empty where it does not."""
    other_runs: tuple[tuple[str, int], ...] = ()
    """Ids and places of its other runs there that are as close, such as at another effort."""
    languages: tuple[str, ...] = ()
    """Of the tests that count, the commonest first; empty where one is in English or unknown."""
    n_cases: int | None = None
    """Of the tests that count; ``None`` where one does not publish its number."""
    cautions: tuple[str, ...] = ()
    """What to know of its suite, each in a few words."""

    @property
    def place(self) -> int:
        """Place of its suite; equal values share the better one."""
        assert self.tested.rank is not None
        return self.tested.rank

    @property
    def share(self) -> float:
        """Places from the first one to its own, as a share of all, 0 to 1."""
        return (self.place - 1) / (self.tested.n - 1)


@dataclass(frozen=True, slots=True)
class Offer:
    """A product at one platform that sells it, or on own servers."""

    platform: str
    standing: Literal["buyable", "ask", "out"]
    """Buyable: known to meet all conditions, and sold for long enough. Ask: one of these is not
    known, or its price where there is a budget. Out: one fails."""
    terms: OfferTerms | None
    """``None`` where no condition was asked."""
    sale: Sale | None
    """``None`` on own servers, and where nothing is known of a sale there."""
    monthly_usd: float | None
    """Likely, of this work; ``None`` where no price is known."""
    is_offered: bool = False
    """Whether that is at a price that the hospital was offered."""

    @property
    def is_own(self) -> bool:
        """Whether it is the hospital's own servers."""
        return self.sale is None and self.platform == OWN_SERVERS

    @property
    def open_checks(self) -> tuple[ConditionCheck, ...]:
        """Return the conditions that no source says are met or not."""
        checks = self.terms.checks if self.terms else ()
        return tuple(it for it in checks if it.status == "open")

    @property
    def n_questions(self) -> int:
        """Count those, and its sale where nobody knows whether it lasts."""
        return len(self.open_checks) + (not (self.sale and self.sale.lasts))

    @property
    def region(self) -> str:
        """Where the platform is known to run it; empty where no source says."""
        return self.sale.region if self.sale else ""


def ended_by_maker(model: Model, sale: OnSale | None) -> Sale | None:
    """Return the sale at a maker's own platform where that ends too soon."""
    maker, at = model.developer.split()[:1], sale.at if sale else ()
    ends = (it for it in at if it.lasts is False)
    return next((it for it in ends if it.platform.split()[:1] == maker), None)


@dataclass(frozen=True, slots=True)
class Candidate:
    """One product of the market: what is known of it for the work that is asked about."""

    model: Model
    grade: Grade
    lines: tuple[Placed, ...]
    """Direct ones first, then near, then general."""
    offers: tuple[Offer, ...]
    """Those that can be bought first, then the cheapest; where none can be, the ones with the
    fewest questions first."""
    cost: MonthlyCost
    harm: Safety | None
    """``None`` where it was never tested for harm."""
    licence: Licence | None = None
    """Of its weights; ``None`` where no licence is known."""
    sale: OnSale | None = None
    """At every platform, whatever it is bought at."""

    @property
    def is_buyable(self) -> bool:
        """Whether a platform is known to meet all conditions and to sell it for long enough."""
        return any(offer.standing == "buyable" for offer in self.offers)

    @property
    def is_own(self) -> bool:
        """Whether it can be had on own servers alone."""
        return all(offer.is_own for offer in self.offers)

    @property
    def best_offer(self) -> Offer:
        """The first of its offers."""
        return self.offers[0]

    @property
    def is_promised(self) -> bool:
        """Whether an offer as good as the first is promised for as long as is asked."""
        alike = (it for it in self.offers if it.standing == self.best_offer.standing)
        return any(it.sale is None or it.sale.state != "no end known" for it in alike)

    @property
    def ended_by_maker(self) -> Sale | None:
        """Where its maker's own platform ends it too soon, if it is to be bought elsewhere."""
        return None if self.best_offer.is_own else ended_by_maker(self.model, self.sale)

    def of(self, kind: Directness) -> tuple[Placed, ...]:
        """Return its lines of one kind."""
        return tuple(line for line in self.lines if line.kind == kind)


@dataclass(frozen=True, slots=True)
class MarketChoice:
    """What a market comes to, by names of products."""

    strength: Literal["take", "shortlist", "nothing"]
    """Nothing: no product can be bought."""
    names: tuple[str, ...]
    """The one to take, or those to start with, the first to begin with."""
    cheapest: str = ""
    """Of the shortlist; empty where no cost is known."""
    filled_from: tuple[str, ...] = ()
    """Those of a lower grade than the group, which alone had fewer than two."""
    few_tested: bool = False
    """Whether fewer than a quarter of the market has a grade from A to C."""
    none_tested: bool = False
    """Whether nothing of the market has a grade above D."""


@dataclass(frozen=True, slots=True)
class Relaxed:
    """What could be bought without some of the conditions and limits."""

    dropped: tuple[str, ...]
    """Fields of the question, and single conditions by their ids."""
    n_buyable: int
    n_own: int
    """How many of them can be had on own servers alone."""
    names: tuple[str, ...]
    """The first of all."""


@dataclass(frozen=True, slots=True)
class Unattended:
    """How far the best of all agents comes, where a suite's tasks are done by agents."""

    best: float
    """Share of the tasks."""
    n_tasks: int
    by_publisher: bool
    """Whether only the publisher's runs count."""
    best_of_others: float | None = None
    """Where another team's own run of all these tasks comes further: its share."""


@dataclass(frozen=True, slots=True)
class Market:
    """All that a question comes to over all evidence."""

    work: str
    language: str
    """Empty for all of them."""
    buyable: tuple[Candidate, ...]
    """By grade, then order."""
    ask: tuple[Candidate, ...]
    """Of which a condition or the sale is not known, in the same order."""
    left_out: tuple[LeftOut, ...]
    choice: MarketChoice
    columns: tuple[tuple[str, str, Directness, str], ...]
    """Lines in the order of their columns: suite, name, kind, and the day of its scores, if any."""
    unattended: Unattended | None = None
    """How far the best of all agents comes, where a suite has agents do the work."""
    has_common_work: bool = True
    """Whether some single kind of work has a test of every product that the choice names; asked of
    all kinds together alone."""

    @property
    def n_tested(self) -> int:
        """How many of what can be bought have a direct line: were tested on this work."""
        return sum(bool(each.of("direct")) for each in self.buyable)

    def n_named_in(self, suite: str) -> int:
        """How many of those that the choice names a suite has, whatever it tests."""
        return sum(any(line.tested.suite == suite for line in it.lines) for it in self.named())

    def named(self) -> tuple[Candidate, ...]:
        """Return the candidates that the choice names, in its order."""
        by_name = {each.model.id: each for each in self.buyable}
        return tuple(by_name[name] for name in self.choice.names)


@dataclass(frozen=True, slots=True)
class InItsPlace:
    """A product that can be bought and has at least the grade of a model in use."""

    candidate: Candidate
    judged: tuple[tuple[str, Judged], ...]
    """By name of each suite that tests the work and has both, against the model in use."""
    saves: Saving | None
    """US dollars a month against the model in use; ``None`` where a cost is not known."""
    other_harness: frozenset[str] = frozenset()
    """Names of the suites that ran the two with different agent harnesses."""

    @property
    def is_as_good(self) -> bool:
        """Whether one test of the work or more shows it as good, and none shows it worse."""
        return any(it.is_as_good for _, it in self.judged) and not self.is_worse

    @property
    def is_worse(self) -> bool:
        """Whether a test of the work shows it to be worse."""
        return any(it.tier == "worse" for _, it in self.judged)

    @property
    def better_in(self) -> tuple[str, ...]:
        """Names of the suites that show it to be better than the model in use."""
        return tuple(suite for suite, judged in self.judged if judged.better)

    @property
    def is_marked(self) -> bool:
        """Whether it is marked for severe harm."""
        return bool(self.candidate.harm and self.candidate.harm.marked)


@dataclass(frozen=True, slots=True)
class InUse:
    """A model in use, and what of the market has at least its grade."""

    model: Model
    grade: Grade
    lines: tuple[Placed, ...]
    sale: OnSale
    """At the platforms under contract, else at every one, for as long as is asked."""
    has_ended: bool
    """Whether every platform that is known to have sold it has ended it."""
    cost: MonthlyCost
    """Today, under the conditions; not known of what has ended everywhere."""
    harm: Safety | None
    """``None`` where it was never tested for harm."""
    successor: str
    """What its maker or a platform names in its place; empty where nothing is named."""
    named_by: str
    successor_grade: Grade | None
    """Of this work; ``None`` without a successor."""
    places: tuple[InItsPlace, ...]
    """In the order of the market: with at least its grade; where nothing has it, and it has ended
    or ends too soon, with the best grade that there is."""
    successor_as: Candidate | LeftOut | None = None
    """The successor in the market, where it is to be asked about or left out."""
    by_maker: Sale | None = None
    """Where its maker's own platform ends it too soon, if that is not among ``sale``."""
    budget_usd: float | None = None
    """US dollars a month that may be spent; ``None`` where none is asked."""

    @property
    def is_over_budget(self) -> bool:
        """Whether it is known to cost more than the budget."""
        cost, budget = self.cost.for_budget, self.budget_usd
        return cost is not None and budget is not None and cost > budget

    @property
    def grade_below(self) -> Grade | None:
        """The grade of what is named where nothing has that of the model in use; else ``None``."""
        grade = self.places[0].candidate.grade if self.places else self.grade
        return grade if grade > self.grade else None

    @property
    def replaced_by(self) -> InItsPlace | None:
        """The cheapest as good one worth the move, unmarked for severe harm if there is one.

        It is where the model in use has ended, where one test shows it better, or where it is
        likely to save over 1 %. What costs nobody knows how much is named on own servers alone, and
        what has a lower grade never.
        """
        if self.grade_below:
            return None
        able = [
            it
            for it in self.places
            if it.is_as_good and (it.candidate.cost.likely is not None or it.candidate.is_own)
            if self.has_ended or it.better_in or self.saving_of(it) > 0
        ]

        def first(it: InItsPlace) -> tuple[bool, float]:
            cost = it.candidate.cost.likely
            return it.is_marked, inf if cost is None else cost

        return min(able, key=first, default=None)

    def saving_of(self, it: InItsPlace) -> float:
        """Return what a product is likely to save, US dollars a month, below 0 where it costs more.

        0 where that is within 1 % of the cost today, or not known.
        """
        saves = it.saves.likely if it.saves else 0.0
        return saves if abs(saves) > 0.01 * (self.cost.likely or 0.0) else 0.0

    @property
    def named(self) -> tuple[InItsPlace, ...]:
        """What to take in its place, else what to compare with it first.

        The best by grade, and of those that are likely to save over 1 %, and a tenth more than the
        best where that saves as well, the cheapest of the best grade, without a mark for severe
        harm where there is one; where the model in use has ended, the second by grade. None that a
        test shows to be worse, unless all are.
        """
        if self.replaced_by or not self.places:
            return (self.replaced_by,) if self.replaced_by else ()
        able = tuple(it for it in self.places if not it.is_worse) or self.places
        best, *others = able
        if self.has_ended:
            return able[:2]
        saved = self.saving_of(best)
        # A few dollars more are not worth a lower grade.
        least = saved + 0.1 * (self.cost.likely or 0.0) if saved > 0 else 0.0
        cheaper = [it for it in others if self.saving_of(it) > least]

        def first(it: InItsPlace) -> tuple[Grade, bool, float]:
            return it.candidate.grade, it.is_marked, it.candidate.cost.likely or 0.0

        return (best, *sorted(cheaper, key=first)[:1])
