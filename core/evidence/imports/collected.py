"""Scores of one upload as they are collected: each on its benchmark's own scale, each checked."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from core.domain import BadRequestError, ModelFact, ScoreTable
from core.evidence.imports.upload import quoted
from core.evidence.sources.table import score_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.domain import Benchmark
    from core.evidence.catalogue import Catalogue
    from core.evidence.imports.upload import Upload

_MARKS = re.compile(r"[\W_]+")
_ALMOST = 1e-9
"""Rounding beyond the end of a scale, as a share of its width."""
MOST_MODELS, MOST_SCORES = 500, 50_000
"""So much a file of own results may hold, and a session in all: what is computed from it takes
longer by the square of the models, and others wait meanwhile."""
_MOST = f"{MOST_MODELS} models and {MOST_SCORES:,} scores: leave out what you do not compare"


@dataclass(frozen=True)
class Imported:
    """What an upload holds: its scores, the format it came in, and what was passed over."""

    table: ScoreTable
    format: str
    """"HELM groups", "lm-evaluation-harness", "Every Eval Ever" or "CSV template"."""
    notes: tuple[str, ...]
    """Sentences for the reader: what was passed over or changed, and why."""


@dataclass(frozen=True, slots=True)
class Run:
    """One run of one model, before its id is made. ``label`` tells the runs of a file apart."""

    model: str
    label: str
    run_at: str = ""
    precision: str = ""
    protocol: str = ""
    model_revision: str = ""


def check_size(tables: Sequence[ScoreTable]) -> None:
    """Refuse with ``BadRequestError`` more own results than one session may hold."""
    n_models = len({(t.suite, model) for t in tables for model in t.frame["model"].unique()})
    n_scores = sum(len(table.frame) for table in tables)
    if n_models > MOST_MODELS or n_scores > MOST_SCORES:
        raise BadRequestError(
            f"With these a session would hold {n_models:,} models and {n_scores:,} scores of its "
            f"own, and it may hold {MOST_MODELS} and {MOST_SCORES:,}: take others out first."
        )


class Collected:
    """The scores of one upload in one suite."""

    def __init__(self, upload: Upload, catalogue: Catalogue, suite: str) -> None:
        self.upload = upload
        self.suite = known_suite(catalogue, suite)
        self.suite_name = catalogue.suites[suite].name
        self.notes: list[str] = []
        self.facts: dict[ModelFact, None] = {}
        self._protocols = catalogue.suites[suite].protocols
        self._records: list[dict[str, str | float | None]] = []
        self._seen: dict[tuple[str, str], dict[str, float]] = {}
        self._numbers: dict[str, int] = {}
        self._models: set[str] = set()

    def known_score(self, run: Run, benchmark: Benchmark) -> float | None:
        """Return the score that this run already has on a benchmark."""
        return self._seen.get((run.label, run.protocol), {}).get(benchmark.id)

    def add(
        self,
        run: Run,
        benchmark: Benchmark,
        score: float,
        standard_error: float | None,
        place: str,
    ) -> None:
        """Take one score that keeps to the benchmark's scale and is the run's only one on it."""
        low, high = benchmark.scale_min, benchmark.scale_max
        width = high - low
        if not low - _ALMOST * width <= score <= high + _ALMOST * width:
            percent = low == 0 and high == 1 and 1 < score <= 100
            raise self.upload.fault(
                f"the score {score:.6g} of {quoted(run.model)} on {benchmark.name} is outside "
                f"its scale of {low:g} to {high:g}"
                + ("; divide a percentage by 100" if percent else ""),
                place,
            )
        if standard_error is not None and not 0 <= standard_error <= width:
            raise self.upload.fault(
                f"the standard error {standard_error:.6g} of {quoted(run.model)} on "
                f"{benchmark.name} cannot be right on a scale of {low:g} to {high:g}",
                place,
            )
        seen = self._seen.setdefault((run.label, run.protocol), {})
        if benchmark.id in seen:
            raise self.upload.fault(
                f"{quoted(run.label)} has a second score on {benchmark.name}", place
            )
        seen[benchmark.id] = score
        self._models.add(run.model)
        if len(self._records) >= MOST_SCORES or len(self._models) > MOST_MODELS:
            raise self.upload.fault(f"it holds more than own results may, which is {_MOST}")
        self._records.append(
            {
                "model": run.model,
                "run": f"local:{run.label}@{self.upload.digest}",
                "run_at": run.run_at,
                "precision": run.precision,
                "protocol": run.protocol or next(iter(self._protocols), ""),
                "model_revision": run.model_revision,
                "benchmark": benchmark.id,
                "score": min(max(score, low), high),
                "standard_error": standard_error,
            }
        )

    def free(self, run: Run, benchmarks: set[str]) -> Run:
        """Return the run, its label numbered where the last so named has these benchmarks."""
        n = self._numbers.get(run.label, 1)
        last = replace(run, label=f"{run.label} #{n}" if n > 1 else run.label)
        if benchmarks.isdisjoint(self._seen.get((last.label, last.protocol), {})):
            return last
        self._numbers[run.label] = n + 1
        return replace(run, label=f"{run.label} #{n + 1}")

    def fact(self, model: str, field: str, value: str) -> None:
        """Take one thing that the file says of a model."""
        self.facts[ModelFact(model, field, value, f"local file {self.upload.name}")] = None

    def imported(self, form: str) -> Imported:
        """Return what was collected; the fault of a file without a score holds the first note."""
        if not self._records:
            why = f"; {self.notes[0][:400].rstrip('.')}" if self.notes else ""
            raise self.upload.fault(f"it holds no score on a benchmark of {self.suite_name}{why}")
        if self._protocols and any(
            record["protocol"] == self._protocols[0] for record in self._records
        ):
            self.notes.append(
                f"Scores without a protocol are taken as {self._protocols[0]}, the default of "
                f"{self.suite_name}."
            )
        table = replace(score_table(self.suite, self._records), facts=tuple(self.facts))
        return Imported(table, form, tuple(self.notes))


class Names:
    """The benchmarks of one suite by every name that files give them."""

    def __init__(self, benchmarks: tuple[Benchmark, ...], also: dict[str, str]) -> None:
        by_id = {benchmark.id: benchmark for benchmark in benchmarks}
        self._found: dict[str, Benchmark] = {}
        for benchmark in benchmarks:
            self._found.setdefault(normal(benchmark.name), benchmark)
        self._found |= {normal(name): by_id[key] for name, key in also.items() if key in by_id}
        self._found |= {normal(benchmark.id): benchmark for benchmark in benchmarks}

    def find(self, name: object) -> Benchmark | None:
        """Return the benchmark of that id, name or other spelling, whatever the punctuation."""
        return self._found.get(normal(name)) if isinstance(name, str) else None


def normal(text: str) -> str:
    """Return letters and digits alone, in lower case, of at most 200 signs."""
    return _MARKS.sub("", text[:200].casefold())


def known_suite(catalogue: Catalogue, suite: str) -> str:
    """Return the suite, or fail where the catalogue has none of that id."""
    if suite not in catalogue.suites:
        known = ", ".join(catalogue.suites)
        raise BadRequestError(f"There is no suite {quoted(suite)}; there are {known}.")
    return suite
