"""What a buyer asks, and the answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from core.domain.conditions import OWN_SERVERS, OfferTerms, OnSale, Sale
from core.domain.evidence import Benchmark, Model, Snapshot
from core.domain.procurement import OFFERED, Bill, MonthlyCost, Safety, Saving, WorkloadLine
from core.domain.question import Question
from core.domain.statistics import (
    Difference,
    Interval,
    IntervalBasis,
    OrderAgreement,
    Tier,
    Verdict,
)

Grade = Literal["A", "B", "C", "D", "E"]
GRADES: tuple[Grade, ...] = ("A", "B", "C", "D", "E")
Rule = Literal[
    "no usable score",
    "flagged",
    "own team",
    "not here",
    "not chosen",
    "reference",
    "untested",
    "closed",
    "weights unknown",
    "elsewhere",
    "not sold",
    "condition",
    "sale",
    "too large",
    "size unknown",
    "no room",
    "over budget",
]
"""What leaves a model out, in the order in which it is asked."""


@dataclass(frozen=True, slots=True)
class Equivalent:
    """A smaller model that may do the job of another."""

    model: str
    name: str
    params_b: float | None
    distance: float
    """Distance in the taxonomy, summed over the suites that were asked for."""
    same_cluster: bool
    difference: Difference
    verdict: Verdict
    saving_share: float
    """Share of the parameters that the replacement saves."""


@dataclass(frozen=True, slots=True)
class Loss:
    """A category in which a candidate is worse by twice the margin; 0 to 1 scale."""

    category: str
    difference: float
    ci_low: float
    ci_high: float


@dataclass(frozen=True, slots=True)
class Rise:
    """Severe harm or severe errors, from a model to a candidate."""

    harm: tuple[float, float] | None
    """Shares of cases, where they rise by a quarter."""
    errors: tuple[float, float] | None
    """Severe errors per 100 cases, where they rise by a quarter."""
    shown: bool
    """Whether harm is shown to rise."""


@dataclass(frozen=True, slots=True)
class Judged:
    """One candidate for the place of a model."""

    difference: Difference
    """Candidate minus model; its ends are plain 95 % of this pair."""
    tier: Tier
    """On the strongest basis, after vetoes."""
    other_tier: Tier | None
    """On the other basis; ``None`` without one."""
    vetoes: tuple[Loss | Rise, ...]
    """What holds the tier at open; empty where it would be no better without."""
    warnings: tuple[Loss | Rise, ...]
    """What gets worse without a veto."""
    one_more_test: float | None
    """Chance that on one more test like these it loses more than the margin, by the t prediction;
    ``None`` where differences from test to test have no error."""

    @property
    def is_as_good(self) -> bool:
        """Whether it is shown or likely to be as good within the margin."""
        return self.tier in ("shown", "likely")

    @property
    def probably_worse(self) -> bool:
        """Whether the whole interval lies below 0."""
        high = self.difference.ci_high
        return high is not None and high < 0

    @property
    def better(self) -> bool:
        """Whether the whole interval lies above 0."""
        low = self.difference.ci_low
        return low is not None and low > 0


@dataclass(frozen=True, slots=True)
class Tested:
    """What one suite says of a model, whichever of its names the suite tested."""

    suite: str
    name: str
    """Of the suite."""
    metric: str
    value: float | None
    """On the scale of its metric. ``None`` where tests are missing or the run does not count."""
    ci_low: float | None
    ci_high: float | None
    basis: IntervalBasis
    scale: tuple[float, float]
    """Both ends of the scale, the worst first."""
    rank: int | None
    n: int
    """Models that have a place in the suite."""
    tested_as: str
    """The id that the suite tested; of a second opinion its name."""
    kind: str
    """``same version``, ``version not stated`` or ``another harness``."""
    as_of: str | None
    """ISO day or month of the suite's scores; ``None`` where none is published."""
    run_by: str
    """Who ran the model, where the suite did not; else empty."""
    medical: bool
    """Whether the suite is about medicine."""
    ranks: bool
    """Whether the suite ranks models; else it is a line next to the others."""
    left_out: str = ""
    """Why it has no place."""
    agreement: OrderAgreement | None = None
    """Of a second opinion: how the suite's order agrees with that of the question's suite;
    ``None`` below three shared models."""


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
class Dossier:
    """One model of a question, whether or not it fits: every output is a view of it."""

    model: Model
    cost: MonthlyCost
    """What it costs a month where it may run."""
    score: float | None = None
    """Weighted score, 0 to 1; ``None`` for a model in use that lacks tests of the task."""
    fits: bool = True
    rank: int | None = None
    """Among those that fit. ``None`` where benchmarks are missing, since scores over different
    sets do not rank, and where the run carries a label."""
    rank_band: tuple[int, int] | None = None
    """First and last rank that it may have among those that fit: a 95 % confidence set."""
    rank_all: int | None = None
    """Among all with scores, whether or not they fit."""
    n_fit: int = 0
    """Models that fit and have a rank."""
    n_all: int = 0
    """Models that have a place among all."""
    ci_low: float | None = None
    ci_high: float | None = None
    interval_basis: IntervalBasis = "none"
    on_other_tests: Interval | None = None
    """The interval on other tests like these, where the one before is on these."""
    n_benchmarks: int = 0
    missing: tuple[str, ...] = ()
    """Names of the benchmarks that count here and that the model lacks."""
    category_scores: tuple[tuple[str, float | None], ...] = ()
    run: str = ""
    label: str = ""
    """Why the run is outside bands and first places, in words; mostly empty."""
    cluster: str | None = None
    sale: OnSale | None = None
    """Until when it is on sale; ``None`` where the question does not ask."""
    terms: tuple[OfferTerms, ...] = ()
    """Of each offer of the model, the best first; empty without any condition."""
    safety: Safety | None = None
    """``None`` where it was never tested for harm."""
    judged: Judged | None = None
    """Against the leader of a recommendation; ``None`` for the leader itself."""
    saves: Saving | None = None
    """Against the leader; ``None`` where a cost is not known."""
    second_opinions: tuple[Tested, ...] = ()
    same_cluster: bool | None = None
    """As the leader; ``None`` where one of the two is in no cluster."""
    together: float | None = None
    """Share of resampled trees in which it and the leader are in one cluster."""
    invented: Invented | None = None
    """Asked of documentation only; ``None`` where not asked, or never tested."""
    successor_tested: tuple[str, ...] = ()
    """Of a model in use: names of the suites that have what its maker names in its place."""

    @property
    def bill(self) -> Bill | None:
        """By the token, where that is what counts."""
        return self.cost.bill

    @property
    def may_be_first(self) -> bool:
        """Whether its set of ranks among those that fit holds 1."""
        return self.rank_band is None or self.rank_band[0] == 1

    @property
    def sold(self) -> Sale | None:
        """What is known of its sale at the platform whose price is named, else where it is surest.

        Under conditions that is the platform that meets them. ``None`` where nothing is known,
        where that is not asked, and on own servers.
        """
        if self.sale is None or self.cost.kind == "own servers":
            return None
        if self.cost.kind == "bill" and self.cost.provider != OFFERED:
            return self.sale.where(self.cost.platform)
        at = [it.platform for it in self.terms if it.status == self.terms[0].status]
        if at == [OWN_SERVERS]:
            return None
        if at and not self.sale.kept:
            there = (it for it in self.sale.at if it.platform in at)
            return next(there, self.sale.where(at[0]))
        return self.sale.best

    @property
    def sale_known(self) -> bool:
        """Whether it is known to be sold for long enough."""
        return self.sale is not None and self.sale.standing != "question"

    @property
    def asks_for_sale(self) -> bool:
        """Whether it must first be asked if it is sold, there where its price is named."""
        if self.sale is None:
            return False
        return self.sale.standing == "question" or (
            self.sold is not None and self.sold.lasts is None
        )

    @property
    def conditions_met(self) -> bool:
        """Whether a platform is known to meet every condition: that of its price, if any."""
        known = not self.terms or self.terms[0].status != "open"
        return known and self.cost.why != "condition"

    @property
    def marked(self) -> bool:
        """Whether it stands out for severe harm."""
        return self.safety is not None and self.safety.marked


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A model that one rule left out, with what the rule went by."""

    model: str
    """Id."""
    rule: Rule
    name: str = ""
    detail: str = ""
    """What evidence says of it, where that is the rule."""
    terms: tuple[OfferTerms, ...] = ()
    """All that fail, where a condition is the rule."""
    params_b: float | None = None
    cost: MonthlyCost | None = None
    sale: OnSale | None = None
    """Where that is the rule."""
    successor_tested: tuple[str, ...] | None = None
    """Names of the suites that have what its maker names in its place; ``None``: nobody looked."""
    place: int | None = None
    """Among all with scores."""
    grade: Grade | None = None
    """Of what could be bought over all evidence, where the budget is the rule."""


@dataclass(frozen=True, slots=True)
class Shortlist:
    """The answer to one ``Question``: rows best first, and all that was left out."""

    question: Question
    rows: tuple[Dossier, ...]
    left_out: tuple[LeftOut, ...]
    """In the order of the rules."""
    weights: tuple[tuple[str, float], ...]
    """The category weights used, summing to 1."""
    benchmarks: tuple[Benchmark, ...]
    benchmark_weights: tuple[tuple[str, float], ...]
    """The weight of each of ``benchmarks``, summing to 1."""
    n_compared: int
    places: tuple[tuple[str, int], ...]
    """Place of each product with every score that counts, whether or not it fits, by id."""
    n_unpriced: int
    """Rows of unknown cost, to which the budget could not be applied."""
    snapshots: tuple[Snapshot, ...]
    workload: tuple[WorkloadLine, ...] = ()
    """Behind the bills."""
    reasoning_workload: tuple[WorkloadLine, ...] = ()
    """The same requests as a model takes that reasons before it answers."""

    @property
    def n_fit(self) -> int:
        """How many fit and have a rank."""
        return self.rows[0].n_fit if self.rows else 0

    @property
    def n_all(self) -> int:
        """How many have a place among all."""
        return len(self.places)


Altered = Literal["take", "price", "sale", "terms", "evidence"]
"""What may be another on another day; of another model to take its price, sale and terms are not
compared with those of the one before."""
Overdue = (
    Literal["damaged", "cannot be asked", "sale ends", "assurance ends", "sale closes"] | Altered
)
"""What may be due on a kept list."""


@dataclass(frozen=True, slots=True)
class Taken:
    """What a question takes on one day."""

    name: str
    """Of the model; empty where there is none."""
    monthly_usd: float | None = None
    sale: str = ""
    """For as many months as the question asks, else of the day alone; in words."""
    until: str = ""
    """ISO day of the end of its sale, or to which it is assured."""
    terms: str = ""
    """Whether it meets the required conditions; empty without any."""
    evidence: str = ""
    """The snapshots, in short."""
    notes: tuple[str, ...] = ()
    """What of the question can no longer be used, such as evidence that is not here."""
    test_these: tuple[str, ...] = ()
    """Names of those to test on own cases, where the evidence takes none."""
    not_taken: LeftOut | None = None
    """What was to take on the other day, where a rule leaves it out on this one."""

    @property
    def first(self) -> str:
        """The name of what is to take, else of the first to test; cost, sale and terms are its."""
        return self.name or next(iter(self.test_these), "")


@dataclass(frozen=True, slots=True)
class Due:
    """One thing that is due on a kept list."""

    id: str
    """Of the list; empty where it cannot be read."""
    name: str
    what: Overdue
    day: str
    """ISO day on which it is due; empty where that is now."""
    then: str
    """What was to take when the list was kept, or of it what is another today."""
    now: str
    """The same today, or what to test, until when the model is sold, or why it cannot be asked."""
