"""Tables that say more of benchmarks and models: groups, human judgement, places, protocols."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.evidence.tables import rows

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from core.domain import Benchmark, Model, Suite


@dataclass(frozen=True, slots=True)
class HumanRating:
    """How often people judged a model's answers at least as good as those of another."""

    suite: str
    model: str
    criterion: str
    opponent: str
    win_or_tie_percent: float
    source: str


def groups(
    folder: Path, benchmarks: Mapping[str, Sequence[Benchmark]]
) -> dict[tuple[str, str], dict[str, tuple[str, ...]]]:
    """Read groups of benchmarks by suite and kind; a fault names its row."""
    columns = ("suite", "kind", "group", "benchmark", "source")
    found: dict[tuple[str, str], dict[str, tuple[str, ...]]] = {}
    for row in rows(folder / "benchmark_groups.csv", columns):
        suite, member = row.text("suite"), row.text("benchmark")
        if member not in {benchmark.id for benchmark in benchmarks.get(suite, ())}:
            raise row.fault(f'{suite} has no benchmark "{member}"')
        row.text("source")
        of_kind = found.setdefault((suite, row.text("kind")), {})
        members = of_kind.get(row.text("group"), ())
        if member in members:
            raise row.fault(f'"{member}" stands twice in its group')
        of_kind[row.text("group")] = (*members, member)
    return found


def human_evaluation(
    folder: Path, suites: Mapping[str, Suite], models: Mapping[str, Model]
) -> tuple[HumanRating, ...]:
    """Read how people judged answers; a fault names its row."""
    columns = ("suite", "model", "criterion", "opponent", "win_or_tie_percent", "source")
    found: dict[tuple[str, str, str, str], HumanRating] = {}
    for row in rows(folder / "human_evaluation.csv", columns):
        rating = HumanRating(
            suite=row.text("suite"),
            model=row.text("model"),
            criterion=row.text("criterion"),
            opponent=row.text("opponent"),
            win_or_tie_percent=row.number_or_fail("win_or_tie_percent"),
            source=row.text("source"),
        )
        if rating.suite not in suites:
            raise row.fault(f'the suite "{rating.suite}" is not in suites.csv')
        if unknown := [name for name in (rating.model, rating.opponent) if name not in models]:
            raise row.fault(f'the model "{unknown[0]}" is not in models.csv')
        if not 0 <= rating.win_or_tie_percent <= 100:
            raise row.fault("win_or_tie_percent must be from 0 to 100")
        key = (rating.suite, rating.model, rating.criterion, rating.opponent)
        if key in found:
            raise row.fault("this model, criterion and opponent stand twice")
        found[key] = rating
    return tuple(found.values())


def places(
    folder: Path, benchmarks: Mapping[str, Sequence[Benchmark]]
) -> dict[tuple[str, str, str], tuple[str, str]]:
    """Read where categories of other suites stand in MedHELM's taxonomy."""
    own = ("suite", "category", "subcategory")
    to = ("medhelm_category", "medhelm_subcategory")
    known = {(s, b.category, b.subcategory) for s, found in benchmarks.items() for b in found}
    found: dict[tuple[str, str, str], tuple[str, str]] = {}
    for row in rows(folder / "taxonomy_places.csv", (*own, *to, "reason")):
        suite, category, subcategory = (row.text(column) for column in own)
        place = (row.text(to[0]), row.text(to[1]))
        row.text("reason")
        if (suite, category, subcategory) not in known:
            raise row.fault(f'{suite} has no subcategory "{subcategory}" of "{category}"')
        if ("medhelm", *place) not in known:
            raise row.fault(f'MedHELM has no subcategory "{place[1]}" of "{place[0]}"')
        if (suite, category, subcategory) in found:
            raise row.fault("this subcategory stands twice")
        found[suite, category, subcategory] = place
    return found


def other_protocols(
    folder: Path, suites: Mapping[str, Suite], models: Mapping[str, Model]
) -> dict[tuple[str, str], str]:
    """Read which rows of a suite were made otherwise than it says, by suite and model."""
    found: dict[tuple[str, str], str] = {}
    for row in rows(folder / "other_protocols.csv", ("suite", "model", "protocol", "source")):
        suite, model = row.text("suite"), row.text("model")
        row.text("source")
        if suite not in suites:
            raise row.fault(f'the suite "{suite}" is not in suites.csv')
        if model not in models:
            raise row.fault(f'the model "{model}" is not in models.csv')
        if (suite, model) in found:
            raise row.fault("this suite and model stand twice")
        found[suite, model] = row.text("protocol")
    return found
