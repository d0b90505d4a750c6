"""The nouns of LLM Formulary: frozen types that carry evidence, results and requirements.

No logic lives here. A missing number is ``None`` in a scalar field and ``nan`` in an array:
never 0. Identifiers of models are Hugging Face ids, or the names that MedHELM, BenchHealth
and BRIDGE print.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    FloatArray = NDArray[np.float64]

Domain = Literal["domain-specific", "general"]
Verdict = Literal["equivalent", "worse", "cannot tell"]
IntervalBasis = Literal["standard errors", "benchmarks", "none"]


class FormularyError(Exception):
    """Something a person can mend; the message is one sentence that says what and where."""


class BadRequestError(FormularyError):
    """The question is wrong: an unknown suite, model or category, a value out of range."""


class TooFewError(BadRequestError):
    """Too few models or benchmarks to answer; no fault, but a limit of the evidence."""


class BadDataError(FormularyError):
    """The data is wrong: a file that is missing, altered or malformed."""


@dataclass(frozen=True, slots=True)
class Suite:
    """A leaderboard or published table with one evaluation protocol family."""

    id: str
    name: str
    description: str
    protocols: tuple[str, ...]
    """Prompting protocols that are kept apart, the default first; empty when there is one."""
    citation: str
    url: str


@dataclass(frozen=True, slots=True)
class Benchmark:
    """One benchmark as one suite runs it, on its own scale."""

    id: str
    suite: str
    name: str
    category: str
    subcategory: str
    category_reason: str
    domain: Domain
    metric: str
    scale_min: float
    scale_max: float
    lower_is_better: bool
    n_items: int | None
    """Questions in the benchmark; ``None`` where nobody published it."""
    is_accuracy: bool
    """Whether the score is a share of items right, so that a binomial standard error holds."""
    access: str
    source: str
    material: str = ""
    """What the questions are made of, such as clinical notes; empty where no source says."""


@dataclass(frozen=True, slots=True)
class Model:
    """One model as a buyer knows it. ``None`` or an empty text means not known."""

    id: str
    name: str
    developer: str
    params_b: float | None
    """Total parameters in billions."""
    params_active_b: float | None
    """Parameters active per token in billions, for mixtures of experts."""
    params_source: str
    base_model: str
    licence: str
    access: Literal["open", "closed", "unknown"]
    """Open: the weights can be downloaded, so a hospital can run it itself."""
    context_window_tokens: int | None
    released_on: str
    is_reference: bool
    """A line to compare with (task-specific state of the art), not a product."""
    mirror_of: str
    aliases: tuple[str, ...]
    source_url: str
    note: str
    reasoning: bool = False
    """Whether it writes its reasoning out before it answers, and so many more tokens."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One immutable copy of a suite's scores, as its manifest describes it."""

    suite: str
    revision: str
    as_of: str
    retrieved_at: str
    source_url: str
    licence: str
    sha256: str
    n_rows: int
    n_runs: int
    n_models: int
    n_benchmarks: int
    note: str
    kind: str = "release"
    """``release``, or ``local`` for a hospital's own results that were kept."""
    facts_sha256: str = ""
    """Hash of the facts beside the scores; empty where the source gave none."""


@dataclass(frozen=True, slots=True)
class Change:
    """One thing that differs between two snapshots of a suite."""

    model: str
    what: str
    """``score``, ``rank``, ``cluster``, ``price`` or the field of a fact."""
    item: str
    """The benchmark of a score, the provider of a price; else empty."""
    before: str | float | None
    after: str | float | None


@dataclass(frozen=True, slots=True)
class Changes:
    """What changed from one snapshot of a suite to another."""

    suite: str
    before: Snapshot
    after: Snapshot
    new_models: tuple[str, ...]
    gone_models: tuple[str, ...]
    changes: tuple[Change, ...]


@dataclass(frozen=True, slots=True)
class Cohort:
    """A named set of models to compare, each with the run that stands for it.

    ``pins`` maps a model to a selector of its run: a mirror's id, a run id or a precision;
    a model without a pin takes the default run.
    """

    id: str
    suite: str
    models: tuple[str, ...]
    pins: tuple[tuple[str, RunPin], ...]
    benchmarks: tuple[str, ...]
    """The benchmarks the cohort compares on; empty means all of the suite."""
    source: str


@dataclass(frozen=True, slots=True)
class RunPin:
    """Which run stands for a model. An empty field does not restrict."""

    model: str = ""
    run: str = ""
    precision: str = ""


@dataclass(frozen=True, slots=True)
class ModelFact:
    """One thing that one source says of one model, as text."""

    model: str
    field: str
    """``developer``, ``params_b``, ``params_active_b``, ``licence``, ``access``,
    ``context_window_tokens``, ``base_model``, ``precision``, ``moe``, ``config_name`` (the name
    in the run's own configuration) or ``flagged`` (by the leaderboard itself)."""
    value: str
    source: str


@dataclass(frozen=True, slots=True)
class Flag:
    """A run that does not look as a plausible run does: a hint, never a verdict."""

    suite: str
    model: str
    run: str
    rule: str
    benchmark: str
    """Empty where the rule looks at the run as a whole."""
    detail: str


@dataclass(frozen=True, eq=False)
class ScoreTable:
    """Scores as a suite publishes them, one row per run and benchmark.

    ``frame`` has the columns of ``core.evidence.snapshots.SCORE_COLUMNS``; ``facts`` is what
    the same source says of the models.
    """

    suite: str
    frame: pd.DataFrame
    facts: tuple[ModelFact, ...] = ()


@dataclass(frozen=True, slots=True)
class Exclusion:
    """A model that was left out, and why, in words for the reader."""

    model: str
    reason: str


@dataclass(frozen=True, eq=False)
class ScoreMatrix:
    """Models by benchmarks, raw scores on each benchmark's own scale.

    ``scores`` and ``standard_errors`` have shape (n_models, n_benchmarks); ``nan`` marks a
    score, or a standard error, that nobody published. The arrays are read-only.
    """

    suite: str
    cohort: str
    models: tuple[str, ...]
    benchmarks: tuple[Benchmark, ...]
    scores: FloatArray
    standard_errors: FloatArray
    runs: tuple[str, ...]
    """The run chosen for each model, with its name as the suite printed it."""
    excluded: tuple[Exclusion, ...]
    snapshot: Snapshot | None


@dataclass(frozen=True, slots=True)
class ClusterTest:
    """Two-cluster rank-sum test on one benchmark; descriptive, since it formed the clusters."""

    benchmark: str
    p_value: float
    significant: bool
    effect_size: float
    """Rank-biserial correlation, positive where the high cluster scores better."""


@dataclass(frozen=True, slots=True)
class ClusterTests:
    """The rank-sum tests of all benchmarks, with the level each must stay below."""

    alpha: float
    tests: tuple[ClusterTest, ...]


@dataclass(frozen=True, eq=False)
class Taxonomy:
    """A tree of models and its cut into clusters.

    ``linkage_matrix`` is scipy's, shape (n_leaves - 1, 4); its leaves are the models in input
    order, or ``groups`` of them; ``leaf_order`` lists positions in ``models`` from left to
    right; ``standardised`` has the shape of the score matrix.
    """

    suite: str
    cohort: str
    models: tuple[str, ...]
    benchmarks: tuple[Benchmark, ...]
    metric: str
    linkage: str
    n_clusters: int
    linkage_matrix: FloatArray
    leaf_order: tuple[int, ...]
    labels: tuple[str, ...]
    """Cluster of each model in input order; H is the cluster with the highest mean."""
    standardised: FloatArray
    cophenetic_correlation: float
    excluded: tuple[Exclusion, ...]
    snapshot: Snapshot | None
    groups: tuple[tuple[int, ...], ...] | None = None
    """Positions in ``models`` per leaf, where there were too many models for a leaf each."""


@dataclass(frozen=True, slots=True)
class BenchmarkPair:
    """Correlation of two benchmarks over the models that have both."""

    a: str
    b: str
    r: float
    p_value: float
    significant: bool
    n_models: int


@dataclass(frozen=True, slots=True)
class Redundancy:
    """All pairs of benchmarks of one matrix, in the benchmarks' order."""

    suite: str
    cohort: str
    method: str
    alpha: float
    pairs: tuple[BenchmarkPair, ...]
    excluded: tuple[Exclusion, ...]
    snapshot: Snapshot | None


@dataclass(frozen=True, slots=True)
class WinRateRow:
    """HELM's win rate of one model within the compared set."""

    model: str
    win_rate: float
    ci_low: float | None
    ci_high: float | None
    rank_band: tuple[int, int]
    """First and last rank of the band of models that cannot be told apart."""
    win_sd: float | None
    macro_avg: float
    sd: float | None
    n_benchmarks: int


@dataclass(frozen=True, slots=True)
class WinRates:
    """Win rates, best first, with category scores on the 0 to 1 scale."""

    suite: str
    cohort: str
    category: str | None
    rows: tuple[WinRateRow, ...]
    categories: tuple[tuple[str, tuple[tuple[str, float | None], ...]], ...]
    """Per category, per model: mean normalised score, ``None`` without any score."""
    n_resamples: int
    skipped: tuple[str, ...]
    """Benchmarks with fewer than two scores."""
    excluded: tuple[Exclusion, ...]
    snapshot: Snapshot | None


@dataclass(frozen=True, slots=True)
class Difference:
    """How far one model is from another on the benchmarks that both have, 0 to 1 scale."""

    model: str
    other: str
    difference: float | None
    """Weighted mean of ``model`` minus ``other``; ``None`` when they share no benchmark."""
    ci_low: float | None
    ci_high: float | None
    basis: IntervalBasis
    n_benchmarks: int


@dataclass(frozen=True, slots=True)
class TokenProfile:
    """Tokens that one request of a task category takes, with where the figure comes from."""

    category: str
    input_tokens: float
    output_tokens: float
    """An upper bound: MedHELM publishes the maximum output, not the output."""
    n_benchmarks: int
    basis: str


@dataclass(frozen=True, slots=True)
class WorkloadLine:
    """Requests a month of one task category."""

    category: str
    requests_per_month: float
    profile: TokenProfile


@dataclass(frozen=True, slots=True)
class Price:
    """A public price per token at one provider, on one date."""

    model: str
    provider: str
    provider_name: str
    provider_model: str
    input_usd_per_mtok: float
    output_usd_per_mtok: float
    as_of: str
    """The day on which the price applies, ISO."""
    source: str


@dataclass(frozen=True, slots=True)
class Bill:
    """What a workload costs a month at a public price, in US dollars."""

    model: str
    monthly_usd: float
    lines: tuple[tuple[str, float], ...]
    """Category, US dollars a month."""
    price: Price


@dataclass(frozen=True, slots=True)
class Selection:
    """Which scores of a suite a result is about."""

    suite: str
    cohort: str = "all"
    protocol: str = ""
    """Prompting protocol; empty takes the suite's default."""
    revision: str = ""
    """Snapshot of the suite; empty takes the newest."""
    include_flagged: bool = False
    models: tuple[str, ...] = ()
    """Only these models of the cohort, in this order; empty takes all."""
    benchmarks: tuple[str, ...] = ()
    """Only these benchmarks, in this order; empty takes all."""


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
    equivalent: Equivalent | None
    reasons: tuple[str, ...]
    questions: tuple[str, ...]
    """What is not known and should be asked."""


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
    n_unpriced: int
    """Rows without a public price, to which the budget could not be applied."""
    snapshots: tuple[Snapshot, ...]


@dataclass(frozen=True, slots=True)
class Licence:
    """What a licence says of commercial use, in words, with its source."""

    id: str
    name: str
    commercial_use: str
    """``yes``, ``no``, ``conditional``, or empty where nobody has read it."""
    condition: str
    source_url: str
    as_of: str


@dataclass(frozen=True, slots=True)
class PriceReference:
    """Where the public price of a model is found in genai-prices."""

    model: str
    provider: str
    provider_model: str
    basis: str
    checked_on: str
    note: str


@dataclass(frozen=True, slots=True)
class TokenRow:
    """Tokens that one model spent on all instances of one MedHELM benchmark."""

    benchmark: str
    model: str
    n_instances: int
    input_tokens: int
    max_output_tokens: int


@dataclass(frozen=True, slots=True)
class EvidenceBase:
    """A choice of evidence in the buyer's words: a suite and the models to compare."""

    id: str
    suite: str
    cohort: str
    second_suite: str
    """A suite whose taxonomy also counts for equivalents; empty for none."""
    name: str
    description: str


@dataclass(frozen=True, slots=True)
class Task:
    """A preset of category weights in a hospital's words."""

    id: str
    name: str
    description: str
    weights: tuple[tuple[str, tuple[tuple[str, float], ...]], ...]
    """Per suite: category or subcategory with its weight. A suite without a row has no
    benchmark for this task."""


@dataclass(frozen=True, slots=True)
class GpuOffer:
    """What one provider asked for an hour of one GPU, on one date."""

    gpu: str
    memory_gb: float
    usd_per_gpu_hour: float
    pricing_type: str
    """``on-demand`` for a machine that is rented by the hour; else in the source's words."""
    provider: str
    offer: str
    gpus_in_offer: int
    """GPUs that are rented together."""
    region: str
    source_url: str
    as_of: str
    """ISO, as exact as the source is, or ``undated``."""
    note: str


@dataclass(frozen=True, slots=True)
class Architecture:
    """What the memory of a model's cache depends on."""

    model: str
    also: tuple[str, ...]
    """Other models of the same architecture and size."""
    params_b: float
    layers: int
    kv_heads: int
    head_dim: int
    context_tokens: int
    attention: str
    kv_bytes_per_token: int
    """At 16 bits: 2 x layers x KV heads x head dimension x 2, but for MLA, which keeps less."""
    source_url: str
    checked_on: str
    note: str


@dataclass(frozen=True, slots=True)
class Throughput:
    """Output tokens a second that somebody measured and published for one set of GPUs."""

    model: str
    also: tuple[str, ...]
    gpu: str
    gpus: int
    precision: str
    bits: int
    input_tokens: int
    output_tokens: int
    tokens_per_second: float
    """All GPUs together, at maximum load."""
    source_url: str
    as_of: str
    note: str


@dataclass(frozen=True, slots=True)
class Volume:
    """How much of something there is in a hospital, as a source states it."""

    id: str
    name: str
    value: float
    unit: str
    per: str
    """What the value is counted for, such as one physician or one staffed bed."""
    per_month: float | None
    """The same for a month; ``None`` where it cannot be converted."""
    derivation: str
    """How ``per_month`` was worked out; empty where there is none."""
    context: str
    source_url: str
    as_of: str
    note: str


@dataclass(frozen=True, slots=True)
class RequestKind:
    """One kind of request in a hospital's words, with its place among MedHELM's tasks."""

    id: str
    name: str
    category: str
    subcategory: str
    tokens_from: Literal["category", "subcategory"]
    """Whose token counts stand for it."""
    volume: str
    """The `Volume` that fills it in beforehand; empty where no source has one."""
    reason: str


@dataclass(frozen=True, slots=True)
class GateKind:
    """One yes-or-no condition of a purchase, and how to speak of it."""

    id: str
    name: str
    about: Literal["platform", "model"]
    wanted: Literal["yes", "no", "limit"]
    """The answer that passes; ``limit`` compares a number with the buyer's own."""
    question: str
    failing: str
    help: str


@dataclass(frozen=True, slots=True)
class GateAnswer:
    """What one source says of one gate at one platform, or of one model."""

    platform: str
    """For a gate about a model, the model's id."""
    gate: str
    answer: Literal["yes", "no", "conditional", "unknown"]
    detail: str
    source_url: str
    as_of: str
    days: int | None
    """Days that data are kept, where the gate asks for them."""
    source_kind: str
    """``vendor``, ``vendor_forum``, ``third_party`` or ``own``."""


@dataclass(frozen=True, slots=True)
class Platform:
    """The platform behind a provider of the price list."""

    provider: str
    platform: str
    source: str
    checked_on: str
    note: str
