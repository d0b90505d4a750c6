"""What was measured: suites, benchmarks, models, snapshots and scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    from core.domain.procurement import FactList

    FloatArray = NDArray[np.float64]

Domain = Literal["domain-specific", "general"]


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
    decides: tuple[str, ...] = ("all",)
    """The tasks on which it may carry a decision, since it tests the work that models are bought
    for; ``all`` for every one."""
    cautions: tuple[str, ...] = ()
    """What to know before its figures are used, each in a few words."""
    instead_of: str = ""
    """The suite that it stands in for as long as that has no release of its version."""
    run_by: str = ""
    """Who ran the models."""
    judged_by: str = ""
    """Who or what judged their answers."""

    def may_decide(self, task: str) -> bool:
        """Say whether it may carry a decision on a task."""
        return "all" in self.decides or task in self.decides


Scale = tuple[float, float, float]
"""Least and highest score of a benchmark, and the least score of one of its items."""


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
    item_mean: bool = False
    """Whether the score is a mean of item scores that keep to the scale, so that its variance
    has a bound; not so, or not known, for F1 and ROUGE over a corpus."""
    scored: bool = True
    """Whether it counts in scores; else it is shown only."""
    error_of: Literal["items", "runs"] = "items"
    """What varied where the source prints an error: the items drawn, or runs of the model."""
    same_items: str = ""
    """The group of benchmarks that rate the same answers; empty for none."""
    language: str = ""
    """The language of its texts; empty where no source says."""
    item_min: float | None = None
    """The least score of one item, where that is below the least score of the whole."""


@dataclass(frozen=True, slots=True)
class Model:
    """One model as a buyer knows it. ``None`` or an empty text means not known."""

    id: str
    name: str
    developer: str
    params_b: float | None = None
    """Total parameters in billions."""
    params_active_b: float | None = None
    """Parameters active per token in billions, for mixtures of experts."""
    params_source: str = ""
    base_model: str = ""
    licence: str = ""
    access: Literal["open", "closed", "unknown"] = "unknown"
    """Open: the weights can be downloaded, so a hospital can run it itself."""
    context_window_tokens: int | None = None
    released_on: str = ""
    is_reference: bool = False
    """A line to compare with (task-specific state of the art), not a product."""
    mirror_of: str = ""
    aliases: tuple[str, ...] = ()
    source_url: str = ""
    note: str = ""
    reasoning: bool = False
    """Whether it writes its reasoning out before it answers, and so uses many more tokens."""


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
    """Hash of the facts next to the scores; empty where the source gave none."""
    items_sha256: str = ""
    """Hash of the item results next to the scores; empty where there are none."""
    n_item_rows: int = 0


@dataclass(frozen=True, slots=True)
class Change:
    """One thing that differs between two snapshots of a suite."""

    model: str
    what: str
    """``score``, ``rank``, ``cluster``, ``price``, ``sale end`` or the field of a fact."""
    item: str
    """The benchmark of a score, the provider of a price; else empty."""
    before: str | float | None
    after: str | float | None


@dataclass(frozen=True, slots=True)
class Changes:
    """What changed from one snapshot of a suite, or of a public list, to another."""

    suite: str
    before: Snapshot | FactList
    after: Snapshot | FactList
    new_models: tuple[str, ...]
    """Entries, of a list."""
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


@dataclass(frozen=True, slots=True)
class Provenance:
    """A run that was not made as the others of its suite were: no flag, and no verdict."""

    suite: str
    model: str
    run: str
    label: str
    """How it was made, in plain words."""


@dataclass(frozen=True, slots=True)
class Tried:
    """What the data folder remembers of one source's refreshes."""

    at: datetime
    """Of the last one that ended."""
    said: str
    succeeded_at: datetime | None = None
    n_failed: int = 0
    """Refreshes that failed since the last success."""
    failing_since: datetime | None = None


@dataclass(frozen=True, eq=False)
class ScoreTable:
    """Scores as a suite publishes them, one row per run and benchmark.

    ``frame`` has the columns of ``core.evidence.snapshots.SCORE_COLUMNS``; ``facts`` is what
    the same source says of the models; ``items`` is what each run scored on each item, with the
    columns of ``core.evidence.items``: a frame, or a Parquet file that is too large for one.
    """

    suite: str
    frame: pd.DataFrame
    facts: tuple[ModelFact, ...] = ()
    items: pd.DataFrame | Path | None = None


@dataclass(frozen=True, slots=True)
class Exclusion:
    """A model that was left out, and why, in words for the reader."""

    model: str
    reason: str
    rule: Literal["no usable score", "flagged", "own team", "reference"] = "no usable score"


@dataclass(frozen=True, eq=False)
class ItemErrors:
    """How far models are apart on the items that both have, and how other items would move that.

    Read-only arrays of shape (n_benchmarks, n_models, n_models), 0 to 1 scale, higher is better;
    ``nan`` where one of two models has no items on a benchmark.
    """

    variance: FloatArray
    """Squared error of the difference of two models; on the diagonal of a model's own mean."""
    gains: FloatArray
    """What the first gains on the second: mean of max(difference, 0) over items, or clusters of
    them. The difference is this less what the second gains on the first."""
    clusters: FloatArray
    """Effective number of independent items, or clusters of them: n²/Σn_g² where n items lie in
    clusters of n_g."""

    def at(self, *where: object) -> ItemErrors:
        """Return the part that an index of numpy's picks out of each array."""
        parts = (self.variance, self.gains, self.clusters)
        return ItemErrors(*(part[where] for part in parts))  # type: ignore[index]


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
    items: ItemErrors | None = None


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


ALL_EVIDENCE = EvidenceBase(
    id="all",
    suite="",
    cohort="all",
    second_suite="",
    name="All evidence",
    description="What every suite says of the models you can buy, each for itself.",
)
"""The evidence of a question that names no suite: it asks the market."""


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
    language: str = ""
    """Where no benchmarks are named: only those of this language; empty takes all."""
