"""What a buyer asks, and the answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from core.domain.evidence import Benchmark, Exclusion, Model, Snapshot
    from core.domain.procurement import (
        Bill,
        GateAnswer,
        OwnPrice,
        OwnTokens,
        RouteVerdict,
        WorkloadLine,
    )
    from core.domain.statistics import Difference, IntervalBasis, Verdict


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
    access: Literal["any", "open"] = "any"
    max_params_b: float | None = None
    monthly_budget_usd: float | None = None
    requests_per_month: int = 10_000
    input_tokens_per_request: int | None = None
    output_tokens_per_request: int | None = None
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


@dataclass(frozen=True, slots=True, eq=False)
class Equivalents:
    """The best equivalent of each model that has any, as columns of equal length.

    A margin is tried out over thousands of models, and one object for each would take longest.
    """

    position: Mapping[str, int]
    """Place in the columns, by the id of the model that would be replaced, in the order of ids."""
    candidates: Sequence[Model] = ()
    verdicts: Sequence[Verdict] = ()
    difference: Sequence[float] = ()
    """Candidate minus model, and its interval; ``nan`` where unknown, as in ``monthly_usd``."""
    ci_low: Sequence[float] = ()
    ci_high: Sequence[float] = ()
    basis: Sequence[IntervalBasis] = ()
    n_benchmarks: Sequence[int] = ()
    monthly_usd: Sequence[float] = ()
    distance: Sequence[float] = ()
    saving_share: Sequence[float] = ()
    by_bill: Sequence[bool] = ()
    """Whether the bill is what is saved; else the parameters."""


@dataclass(frozen=True, slots=True)
class ShortlistRow:
    """One model that meets the requirements."""

    rank: int | None
    """``None`` where benchmarks are missing: scores over different sets do not rank."""
    rank_band: tuple[int, int] | None
    model: Model
    score: float
    ci_low: float | None
    ci_high: float | None
    interval_basis: IntervalBasis
    n_benchmarks: int
    missing: tuple[str, ...]
    """Names of the benchmarks that count here and that the model lacks."""
    category_scores: tuple[tuple[str, float | None], ...]
    run: str
    bill: Bill | None
    cluster: str | None
    reasons: tuple[str, ...]
    """Why it stands where it stands, without what its equivalent adds."""
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
    equivalents: Equivalents
    """The best cheaper or smaller cluster-mate of each row that has any, at the margin."""
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
    n_unpriced: int
    """Rows without a public price, to which the budget could not be applied."""
    snapshots: tuple[Snapshot, ...]
