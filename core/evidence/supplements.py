"""Tables that say more of suites: groups, human judgement, places, protocols, what running cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.evidence.tables import table

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from pathlib import Path

    from core.domain import Benchmark, Model, Suite

_ROUNDING = 0.015
"""Two printed addends of a cost may each be half a cent off, and so may their sum."""


@dataclass(frozen=True, slots=True)
class HumanRating:
    """How often people judged a model's answers at least as good as those of another."""

    suite: str
    model: str
    criterion: str
    opponent: str
    win_or_tie_percent: float
    source: str


@dataclass(frozen=True, slots=True)
class BenchmarkCost:
    """The cost of running all of a suite's benchmarks on one model once, US dollars."""

    suite: str
    model: str
    benchmark_usd: float
    """For the model's own tokens."""
    jury_usd: float
    """For the models that graded its answers; the larger part for a cheap model."""
    total_usd: float
    as_of: str
    source: str


@dataclass(frozen=True, slots=True)
class _Member:
    suite: str
    kind: str
    group: str
    benchmark: str
    source: str


@dataclass(frozen=True, slots=True)
class _Place:
    suite: str
    category: str
    subcategory: str
    medhelm_category: str
    medhelm_subcategory: str
    reason: str


@dataclass(frozen=True, slots=True)
class OtherProtocol:
    """A row of a suite that was made otherwise than the suite says."""

    suite: str
    model: str
    protocol: str
    """How it was made, in plain words."""
    own_team: bool
    """Whether those who made what is tested ran the tests too: out unless asked for."""
    source: str


def groups(
    folder: Path, benchmarks: Mapping[str, Sequence[Benchmark]]
) -> dict[tuple[str, str], dict[str, tuple[str, ...]]]:
    """Read groups of benchmarks by suite and kind."""

    def check(it: _Member) -> str:
        own = {benchmark.id for benchmark in benchmarks.get(it.suite, ())}
        return "" if it.benchmark in own else f'{it.suite} has no benchmark "{it.benchmark}"'

    found: dict[tuple[str, str], dict[str, tuple[str, ...]]] = {}
    for it in table(
        folder / "benchmark_groups.csv",
        _Member,
        unique=["suite", "kind", "group", "benchmark"],
        check=check,
    ):
        of_kind = found.setdefault((it.suite, it.kind), {})
        of_kind[it.group] = (*of_kind.get(it.group, ()), it.benchmark)
    return found


def human_evaluation(
    folder: Path, suites: Mapping[str, Suite], models: Mapping[str, Model]
) -> tuple[HumanRating, ...]:
    """Read how people judged answers."""

    def check(it: HumanRating) -> str:
        inside = 0 <= it.win_or_tie_percent <= 100
        return "" if inside else "win_or_tie_percent must be from 0 to 100"

    known_models = (models, "models.csv")
    return table(
        folder / "human_evaluation.csv",
        HumanRating,
        known={
            "suite": (suites, "suites.csv"),
            "model": known_models,
            "opponent": known_models,
        },
        unique=["suite", "model", "criterion", "opponent"],
        check=check,
    )


def places(
    folder: Path, benchmarks: Mapping[str, Sequence[Benchmark]]
) -> dict[tuple[str, str, str], tuple[str, str]]:
    """Read where categories of other suites stand in MedHELM's taxonomy."""
    known = {(s, b.category, b.subcategory) for s, found in benchmarks.items() for b in found}

    def check(it: _Place) -> str:
        if (it.suite, it.category, it.subcategory) not in known:
            return f'{it.suite} has no subcategory "{it.subcategory}" of "{it.category}"'
        if ("medhelm", it.medhelm_category, it.medhelm_subcategory) not in known:
            return (
                f'MedHELM has no subcategory "{it.medhelm_subcategory}" of "{it.medhelm_category}"'
            )
        return ""

    return {
        (it.suite, it.category, it.subcategory): (it.medhelm_category, it.medhelm_subcategory)
        for it in table(
            folder / "taxonomy_places.csv",
            _Place,
            unique=["suite", "category", "subcategory"],
            check=check,
        )
    }


def other_protocols(
    folder: Path, suites: Mapping[str, Suite], models: Mapping[str, Model]
) -> dict[tuple[str, str], OtherProtocol]:
    """Read which rows of a suite were made otherwise than it says, by suite and model."""
    return {
        (it.suite, it.model): it
        for it in table(
            folder / "other_protocols.csv",
            OtherProtocol,
            known={"suite": (suites, "suites.csv"), "model": (models, "models.csv")},
            unique=["suite", "model"],
        )
    }


def benchmark_costs(folder: Path, models: Collection[str]) -> tuple[BenchmarkCost, ...]:
    """Read ``benchmark_costs.csv`` of a catalogue: what running a suite cost, as papers print it.

    ``models`` are the ids that the catalogue knows.
    """

    def check(it: BenchmarkCost) -> str:
        if abs(it.benchmark_usd + it.jury_usd - it.total_usd) > _ROUNDING:
            return f"{it.benchmark_usd} and {it.jury_usd} do not add up to {it.total_usd}"
        return ""

    parts = ("benchmark", "jury", "total")
    return table(
        folder / "benchmark_costs.csv",
        BenchmarkCost,
        columns={f"{part}_usd": f"{part}_cost_usd" for part in parts},
        positive=True,
        known={"model": (models, "models.csv")},
        unique=["suite", "model"],
        check=check,
    )
