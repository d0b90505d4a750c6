"""What a buyer asks, and the answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from core.domain.conditions import GateAnswer, OnSale, RouteVerdict
    from core.domain.evidence import Benchmark, Exclusion, Model, Snapshot
    from core.domain.procurement import Bill, MonthlyCost, OwnPrice, OwnTokens, WorkloadLine
    from core.domain.statistics import Difference, Interval, IntervalBasis, Verdict


Access = Literal["any", "open", "vendor", "own"]

# The parts of a question, by their fields: what depends on a part alone is remembered under it.
WORK = ("task", "weights")
WORKLOAD = (
    *("requests_per_month", "input_tokens_per_request", "output_tokens_per_request"),
    *("reasoning_tokens_per_request", "volumes", "own_tokens", "own_prices"),
)
CONDITIONS = ("gates", "max_retention_days", "min_context_tokens", "own_answers")
SALE = ("on_sale_months", "on_sale_on")


@dataclass(frozen=True, slots=True)
class Requirements:
    """Everything that a buyer can set. Equal requirements give equal shortlists."""

    suite: str = "medhelm"
    cohort: str = "all"
    protocol: str = ""
    """Prompting protocol; empty takes the suite's default."""
    revision: str = ""
    """Snapshot of the suite; empty takes the newest."""
    include_flagged: bool = False
    """Whether runs that do not look plausible count as well."""
    task: str = "balanced"
    """A preset of category weights, or ``own``."""
    weights: tuple[tuple[str, float], ...] = ()
    """Own weights per category or subcategory; used when ``task`` is ``own``."""
    access: Access = "any"
    """Where it may run: ``open`` wants open weights wherever they run, ``vendor`` a vendor's
    service, ``own`` the hospital's own servers, hence open weights."""
    max_params_b: float | None = None
    monthly_budget_usd: float | None = None
    requests_per_month: int = 10_000
    input_tokens_per_request: int | None = None
    output_tokens_per_request: int | None = None
    """The visible answer."""
    reasoning_tokens_per_request: int | None = None
    """Hidden reasoning of a model that reasons, on top of the answer; ``None`` takes what was
    measured."""
    gpu: str = ""
    """The hospital's own kind of GPU; empty takes the cheapest on offer that holds a model."""
    margin: float = 0.02
    """Largest loss that still counts as equivalent, on the 0 to 1 scale."""
    only: tuple[str, ...] = ()
    """Only these models, by id; empty considers all."""
    overlap_once: bool = False
    """Whether benchmarks that tell the same story share one vote."""
    volumes: tuple[tuple[str, float], ...] = ()
    """Requests a month per kind of request, by id, each above 0; in place of
    ``requests_per_month`` and the tokens beside it. Empty where none is given."""
    own_tokens: tuple[OwnTokens, ...] = ()
    """The hospital's own tokens per request, for kinds among ``volumes``."""
    gates: tuple[str, ...] = ()
    """Gates that must pass, by id."""
    max_retention_days: int | None = None
    """Most days that data may be kept; ``None`` does not ask."""
    min_context_tokens: int | None = None
    """Least tokens that a model must read at once; ``None`` does not ask."""
    own_answers: tuple[GateAnswer, ...] = ()
    """The hospital's own answers on gates, in place of those of the catalogue."""
    own_prices: tuple[OwnPrice, ...] = ()
    """What the hospital was offered, at most one price a model."""
    prices_on: str = ""
    """ISO day of the public prices; empty takes the day on which the question is asked."""
    on_sale_months: int | None = 6
    """For how many months a model must still be on sale; ``None`` does not ask."""
    on_sale_on: str = ""
    """ISO day from which that is counted; empty takes the day of the prices."""

    def part(self, *fields: str) -> Requirements:
        """Return what is asked in some fields, with all others as nobody set them.

        Questions that differ elsewhere have equal parts, so the part is the key of what depends on
        it alone.
        """
        return Requirements(**{field: getattr(self, field) for field in fields})


@dataclass(frozen=True, slots=True)
class Equivalent:
    """A cheaper or smaller model that may do the job of another."""

    model: str
    name: str
    params_b: float | None
    monthly_usd: float | None
    distance: float
    """Distance in the taxonomy, summed over the suites that were asked for."""
    same_cluster: bool
    difference: Difference
    verdict: Verdict
    cheaper_by: Literal["bill", "parameters"]
    saving_share: float
    """Share of the bill, or of the parameters, that the replacement saves."""


@dataclass(frozen=True, slots=True)
class ShortlistRow:
    """One model that meets the requirements."""

    rank: int | None
    """Among those that fit. ``None`` where benchmarks are missing, since scores over different
    sets do not rank, and where the run carries a label."""
    rank_band: tuple[int, int] | None
    """First and last rank that it may have among those that fit: a 95 % confidence set."""
    rank_all: int | None
    """Among all with scores, whether or not they fit."""
    n_fit: int
    """Models that fit and have a rank."""
    n_all: int
    """Models that have a place among all."""
    model: Model
    score: float
    ci_low: float | None
    ci_high: float | None
    interval_basis: IntervalBasis
    on_other_tests: Interval | None
    """The interval on other tests like these, where the one before is on these."""
    n_benchmarks: int
    missing: tuple[str, ...]
    """Names of the benchmarks that count here and that the model lacks."""
    category_scores: tuple[tuple[str, float | None], ...]
    run: str
    label: str
    """Why the run stands outside bands and first places, in words; mostly empty."""
    cost: MonthlyCost
    """What it costs a month where it may run."""
    bill: Bill | None
    """By the token, where that is what counts."""
    cluster: str | None
    sale: OnSale | None
    """Until when it is on sale; ``None`` where the question does not ask."""
    reasons: tuple[str, ...]
    """Why it stands where it stands."""
    questions: tuple[str, ...]
    """What is not known and should be asked."""
    conditions: tuple[str, ...] = ()
    """On what the model meets the gates, in words."""
    routes: tuple[RouteVerdict, ...] = ()
    """The ways to get the model with their gates, the best first; empty without any gate."""


@dataclass(frozen=True, slots=True)
class Exclusions:
    """Models that one rule left out."""

    rule: str
    detail: str
    models: tuple[Exclusion, ...]


@dataclass(frozen=True, slots=True)
class Shortlist:
    """The answer to one ``Requirements``: rows best first, and all that was left out."""

    requirements: Requirements
    rows: tuple[ShortlistRow, ...]
    exclusions: tuple[Exclusions, ...]
    weights: tuple[tuple[str, float], ...]
    """The category weights used, summing to 1."""
    benchmarks: tuple[Benchmark, ...]
    benchmark_weights: tuple[tuple[str, float], ...]
    """The weight of each of ``benchmarks``, summing to 1."""
    workload: tuple[WorkloadLine, ...]
    reasoning_workload: tuple[WorkloadLine, ...]
    """The same requests as a model takes that writes out its reasoning."""
    n_compared: int
    places: tuple[tuple[str, int], ...]
    """Place of each product with every score that counts, whether or not it fits, by id."""
    n_unpriced: int
    """Rows of unknown cost, to which the budget could not be applied."""
    snapshots: tuple[Snapshot, ...]
