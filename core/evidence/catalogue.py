"""The curated catalogue: suites, benchmarks, models, cohorts, presets, prices and tokens.

Every table is a CSV under ``data/catalogue`` in which each row names its source.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING

from core.domain import (
    BadDataError,
    Benchmark,
    Cohort,
    CrosswalkEntry,
    EvidenceBase,
    Licence,
    Lifecycle,
    Model,
    PriceReference,
    ReasoningTokens,
    RunPin,
    Suite,
    Task,
    TokenRow,
)
from core.evidence import model_card, procurement_facts, supplements
from core.evidence.tables import rows, squeezed, table

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from core.evidence.tables import Row

OWN_RESULT = " (own result)"
"""Behind the name of a model whose scores a hospital brought itself."""


@dataclass(frozen=True, eq=False)
class Catalogue:
    """All curated facts, keyed by identifier."""

    suites: dict[str, Suite]
    evidence: dict[str, EvidenceBase]
    benchmarks: dict[str, tuple[Benchmark, ...]]
    """Per suite, in the order of the catalogue."""
    models: dict[str, Model]
    aliases: dict[str, str]
    cohorts: dict[tuple[str, str], Cohort]
    """By cohort and suite."""
    published_clusters: dict[tuple[str, str], dict[str, str]]
    """By cohort and suite: the cluster that a paper printed for a model."""
    tasks: dict[str, Task]
    licences: dict[str, Licence]
    """By every spelling, squeezed to letters and digits."""
    prices: tuple[PriceReference, ...]
    tokens: tuple[TokenRow, ...]
    reasoning_tokens: tuple[ReasoningTokens, ...]
    groups: dict[tuple[str, str], dict[str, tuple[str, ...]]]
    """By suite and kind: the benchmarks of each group."""
    human_evaluation: tuple[supplements.HumanRating, ...]
    places: dict[tuple[str, str, str], tuple[str, str]]
    """MedHELM's category and subcategory of a suite, category and subcategory."""
    other_protocols: dict[tuple[str, str], supplements.OtherProtocol]
    """By suite and model: how the row was made, where not by the suite's own protocol."""
    procurement: procurement_facts.ProcurementFacts
    model_card: tuple[model_card.ModelCardField, ...]
    lifecycle: tuple[Lifecycle, ...]
    """By product and platform, in the file's order."""
    crosswalk: tuple[CrosswalkEntry, ...]

    def model(self, model_id: str) -> Model:
        """Return a model, or one of which nothing but the name is known.

        A hospital's own result has the facts of its model, and says that it is one.
        """
        if model_id.endswith(OWN_RESULT):
            known = self.model(model_id.removesuffix(OWN_RESULT))
            return replace(known, id=model_id, name=known.name + OWN_RESULT)
        return self.models.get(model_id) or _unknown_model(model_id)

    def licence(self, model: Model) -> Licence | None:
        """Return what is known of a model's licence; ``None`` where nothing is."""
        return self.licences.get(squeezed(model.licence)) if model.licence else None

    def scales(self) -> dict[str, dict[str, tuple[float, float]]]:
        """Return both ends of the scale of each known benchmark, by suite and id."""
        return {
            suite: {b.id: (b.scale_min, b.scale_max) for b in found}
            for suite, found in self.benchmarks.items()
        }


def _unknown_model(model_id: str) -> Model:
    developer, slash, name = model_id.rpartition("/")
    return Model(
        id=model_id,
        name=name,
        developer=developer if slash else "",
        params_b=None,
        params_active_b=None,
        params_source="",
        base_model="",
        licence="",
        access="unknown",
        context_window_tokens=None,
        released_on="",
        is_reference=False,
        mirror_of="",
        aliases=(),
        source_url="",
        note="not in the catalogue",
    )


def load(folder: Path) -> Catalogue:
    """Read the whole catalogue; a ``BadDataError`` names the file and the row at fault."""
    suites = {s.id: s for s in table(folder / "suites.csv", Suite, columns={"id": "suite"})}
    benchmarks = _benchmarks(folder, suites)
    aliases = table(folder / "aliases.csv", _Alias, empty=["source_url"])
    models = _models(folder, aliases)
    cohorts, published = _cohorts(sorted((folder / "cohorts").glob("*.csv")))
    lifecycle = procurement_facts.lifecycle(folder)
    evidence = table(
        folder / "evidence.csv",
        EvidenceBase,
        columns={"id": "evidence"},
        empty=["second_suite"],
    )
    return Catalogue(
        suites=suites,
        evidence={base.id: base for base in evidence},
        benchmarks=benchmarks,
        models=models,
        aliases={it.alias: it.model for it in aliases},
        cohorts=cohorts,
        published_clusters=published,
        tasks=_tasks(folder),
        licences=procurement_facts.licences(folder),
        prices=table(
            folder / "prices.csv",
            PriceReference,
            empty=[field.name for field in fields(PriceReference)],
        ),
        tokens=table(folder / "tokens.csv", TokenRow),
        reasoning_tokens=table(folder / "reasoning_tokens.csv", ReasoningTokens, positive=True),
        groups=supplements.groups(folder, benchmarks),
        human_evaluation=supplements.human_evaluation(folder, suites, models),
        places=supplements.places(folder, benchmarks),
        other_protocols=supplements.other_protocols(folder, suites, models),
        procurement=procurement_facts.load(folder, benchmarks.get("medhelm", ())),
        model_card=model_card.load(folder),
        lifecycle=lifecycle,
        crosswalk=procurement_facts.crosswalk(folder, models, lifecycle),
    )


@dataclass(frozen=True, slots=True)
class _Alias:
    alias: str
    model: str
    kind: str
    """``mirror`` for a copy of the model under another name."""
    source_url: str


def _benchmarks(folder: Path, suites: dict[str, Suite]) -> dict[str, tuple[Benchmark, ...]]:
    def check(benchmark: Benchmark) -> str:
        in_order = benchmark.scale_min < benchmark.scale_max
        return "" if in_order else "scale_min must be below scale_max"

    found = table(
        folder / "benchmarks.csv",
        Benchmark,
        columns={"id": "benchmark"},
        empty=["access", "material", "same_items"],
        known={"suite": (suites, "suites.csv")},
        check=check,
    )
    return {suite: tuple(b for b in found if b.suite == suite) for suite in suites}


def _models(folder: Path, aliases: tuple[_Alias, ...]) -> dict[str, Model]:
    mirrors = {it.alias: it.model for it in aliases if it.kind == "mirror"}
    also: dict[str, tuple[str, ...]] = {}
    for it in aliases:
        also[it.model] = (*also.get(it.model, ()), it.alias)
    found = table(
        folder / "models.csv",
        Model,
        columns={
            "id": "model",
            "is_reference": "reference",
            "mirror_of": "model",
            "aliases": "model",
        },
        empty=[
            *("developer", "params_source", "base_model", "licence", "released_on"),
            *("source_url", "note"),
        ],
        cells={
            "access": _access,
            "mirror_of": lambda row, column: mirrors.get(row.cells[column], ""),
            "aliases": lambda row, column: also.get(row.cells[column], ()),
        },
    )
    return {model.id: model for model in found}


def _access(row: Row, column: str) -> str:
    value = row.cells[column] or "unknown"
    if value not in ("open", "closed", "unknown"):
        raise row.fault(f'the access "{value[:40]}" must be open, closed or empty')
    return value


def _cohorts(
    paths: Iterable[Path],
) -> tuple[dict[tuple[str, str], Cohort], dict[tuple[str, str], dict[str, str]]]:
    columns = (
        *("kind", "suite", "id", "pin_model", "pin_run", "pin_precision"),
        *("published_cluster", "source"),
    )
    cohorts: dict[tuple[str, str], Cohort] = {}
    published: dict[tuple[str, str], dict[str, str]] = {}
    for path in paths:
        found = list(rows(path, columns))
        for suite in dict.fromkeys(row.text("suite") for row in found):
            members = [row for row in found if row.cells["suite"] == suite]
            models = [row for row in members if row.text("kind") == "model"]
            if not models:
                raise members[0].fault(f"the cohort has no model in {suite}")
            pins = tuple(
                (row.text("id"), pin)
                for row in models
                if (
                    pin := RunPin(
                        row.cells["pin_model"], row.cells["pin_run"], row.cells["pin_precision"]
                    )
                )
                != RunPin()
            )
            cohorts[path.stem, suite] = Cohort(
                id=path.stem,
                suite=suite,
                models=tuple(row.text("id") for row in models),
                pins=pins,
                benchmarks=tuple(row.text("id") for row in members if row not in models),
                source=models[0].text("source"),
            )
            published[path.stem, suite] = {
                row.text("id"): row.cells["published_cluster"]
                for row in models
                if row.cells["published_cluster"]
            }
    return cohorts, published


def _tasks(folder: Path) -> dict[str, Task]:
    weights: dict[str, dict[str, list[tuple[str, float]]]] = {}
    presets = rows(folder / "task_presets.csv", ("task", "suite", "category", "weight", "reason"))
    for row in presets:
        per_suite = weights.setdefault(row.text("task"), {})
        per_suite.setdefault(row.text("suite"), []).append(
            (row.text("category"), row.number_or_fail("weight"))
        )
    tasks = {
        row.text("task"): Task(
            id=row.text("task"),
            name=row.text("name"),
            description=row.text("description"),
            weights=tuple(
                (suite, tuple(found)) for suite, found in weights.get(row.text("task"), {}).items()
            ),
        )
        for row in rows(folder / "tasks.csv", ("task", "name", "description"))
    }
    if unknown := set(weights) - set(tasks):
        raise BadDataError(f"task_presets.csv names tasks that tasks.csv lacks: {sorted(unknown)}.")
    return tasks
