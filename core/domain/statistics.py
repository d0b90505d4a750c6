"""What the scores say: trees, pairs of benchmarks, win rates and differences."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from core.domain.evidence import Benchmark, Exclusion, FloatArray, Snapshot

Verdict = Literal["equivalent", "worse", "cannot tell"]
IntervalBasis = Literal["items", "on these tests", "on other tests", "none"]
"""What an interval is about, the strongest first: single items of both models, other items of
the same tests, other tests like these; or that there is none."""
Tier = Literal["shown", "likely", "open", "worse"]
"""How well one model is shown to be as good as another within a margin."""
Z95 = 1.959963984540054
"""Standard errors to either side of an estimate that a normal 95 % interval holds."""
LEAST_FOR_INTERVAL = 5
"""Models that two orders share."""


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
    smallest: tuple[float, ...]
    """Per test, the smallest p-value that clusters of its two sizes can give, with the ties of
    its benchmark; ``nan`` where the test is not defined. At or above ``alpha``, the test could
    not have been significant."""

    @property
    def n_within_reach(self) -> int:
        """Tests that could have been significant with this many models."""
        return sum(p < self.alpha for p in self.smallest)


@dataclass(frozen=True, eq=False)
class Taxonomy:
    """A tree of models and its cut into clusters.

    ``linkage_matrix`` is scipy's, shape (n_models - 1, 4); its leaves are the models in input
    order; ``leaf_order`` lists positions in ``models`` from left to right; ``standardised`` has
    the shape of the score matrix.
    """

    suite: str
    cohort: str
    models: tuple[str, ...]
    benchmarks: tuple[Benchmark, ...]
    n_clusters: int
    linkage_matrix: FloatArray
    leaf_order: tuple[int, ...]
    labels: tuple[str, ...]
    """Cluster of each model in input order; H is the cluster with the highest mean."""
    standardised: FloatArray
    cophenetic_correlation: float
    excluded: tuple[Exclusion, ...]
    snapshot: Snapshot | None


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
    """First and last rank that it may have: a 95 % confidence set."""
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
    skipped: tuple[str, ...]
    """Benchmarks with fewer than two scores."""
    excluded: tuple[Exclusion, ...]
    snapshot: Snapshot | None


@dataclass(frozen=True, slots=True)
class Interval:
    """How far a mean or a difference may be off for one reason; 95 %, 0 to 1 scale."""

    basis: IntervalBasis
    standard_error: float
    dof: float
    """Degrees of freedom of Student's t; infinite for the normal distribution."""
    ci_low: float
    ci_high: float


@dataclass(frozen=True, slots=True)
class Difference:
    """How far one model is from another on the benchmarks that both have, 0 to 1 scale."""

    model: str
    other: str
    difference: float | None
    """Weighted mean of ``model`` minus ``other``; ``None`` when they share no benchmark."""
    n_benchmarks: int
    intervals: tuple[Interval, ...] = ()
    """One for each question that can be answered, the strongest first."""

    @property
    def strongest(self) -> Interval | None:
        """The interval to go by; ``None`` without any."""
        return self.intervals[0] if self.intervals else None

    @property
    def ci_low(self) -> float | None:
        """Lower end of the strongest interval."""
        return self.intervals[0].ci_low if self.intervals else None

    @property
    def ci_high(self) -> float | None:
        """Upper end of the strongest interval."""
        return self.intervals[0].ci_high if self.intervals else None

    @property
    def basis(self) -> IntervalBasis:
        """What the strongest interval is about."""
        return self.intervals[0].basis if self.intervals else "none"


@dataclass(frozen=True, slots=True)
class OrderAgreement:
    """Rank correlation of two orders; ``None`` where it is not defined."""

    n_models: int
    rho: float | None
    ci_low: float | None
    ci_high: float | None

    @property
    def says(self) -> str:
        """Return ``agree`` or ``disagree`` where the interval excludes 0, else why neither."""
        if self.ci_low is None or self.ci_high is None:
            return "too few models" if self.n_models < LEAST_FOR_INTERVAL else "no interval"
        if self.ci_low > 0:
            return "agree"
        return "disagree" if self.ci_high < 0 else "cannot tell"
