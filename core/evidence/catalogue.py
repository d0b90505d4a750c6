"""The curated catalogue: suites, benchmarks, models, cohorts, presets, prices and tokens.

Every table is a CSV under ``data/catalogue`` in which each row names its source.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, cast

from core.domain import (
    BadDataError,
    Benchmark,
    Cohort,
    CrosswalkEntry,
    Domain,
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
from core.evidence import model_card, procurement_facts, products, supplements
from core.evidence.tables import Row, rows, squeezed

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

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
    other_protocols: dict[tuple[str, str], str]
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

    def benchmark_ids(self) -> dict[str, frozenset[str]]:
        """Return the known benchmark ids per suite."""
        return {s: frozenset(b.id for b in found) for s, found in self.benchmarks.items()}


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
    """Read the whole catalogue.

    Raises
    ------
    BadDataError
        Naming the file and the row at fault.
    """
    suites = {row.text("suite"): _suite(row) for row in rows(folder / "suites.csv", _SUITE)}
    benchmarks: dict[str, list[Benchmark]] = {suite: [] for suite in suites}
    for row in rows(folder / "benchmarks.csv", _BENCHMARK):
        suite = row.text("suite")
        if suite not in suites:
            raise row.fault(f'the suite "{suite}" is not in suites.csv')
        benchmarks[suite].append(_benchmark(row))
    kinds = {
        row.text("alias"): (row.text("model"), row.text("kind"))
        for row in rows(folder / "aliases.csv", ("alias", "model", "kind", "source_url"))
    }
    aliases = {alias: model for alias, (model, _) in kinds.items()}
    mirrors = {alias: model for alias, (model, kind) in kinds.items() if kind == "mirror"}
    models = {
        row.text("model"): _model(row, aliases, mirrors)
        for row in rows(folder / "models.csv", _MODEL)
    }
    cohorts, published = _cohorts(sorted((folder / "cohorts").glob("*.csv")))
    lifecycle = products.lifecycle(folder)
    return Catalogue(
        suites=suites,
        evidence={
            row.text("evidence"): EvidenceBase(
                id=row.text("evidence"),
                suite=row.text("suite"),
                cohort=row.text("cohort"),
                second_suite=row.cells["second_suite"],
                name=row.text("name"),
                description=row.text("description"),
            )
            for row in rows(folder / "evidence.csv", _EVIDENCE)
        },
        benchmarks={suite: tuple(found) for suite, found in benchmarks.items()},
        models=models,
        aliases=aliases,
        cohorts=cohorts,
        published_clusters=published,
        tasks=_tasks(folder),
        licences=procurement_facts.licences(folder),
        prices=tuple(
            PriceReference(*(row.cells[column] for column in _PRICE))
            for row in rows(folder / "prices.csv", _PRICE)
        ),
        tokens=tuple(
            TokenRow(
                benchmark=row.text("benchmark"),
                model=row.text("model"),
                n_instances=int(row.number_or_fail("n_instances")),
                input_tokens=int(row.number_or_fail("input_tokens")),
                max_output_tokens=int(row.number_or_fail("max_output_tokens")),
            )
            for row in rows(folder / "tokens.csv", _TOKENS)
        ),
        reasoning_tokens=tuple(
            map(_reasoning_tokens, rows(folder / "reasoning_tokens.csv", _REASONING))
        ),
        groups=supplements.groups(folder, benchmarks),
        human_evaluation=supplements.human_evaluation(folder, suites, models),
        places=supplements.places(folder, benchmarks),
        other_protocols=supplements.other_protocols(folder, suites, models),
        procurement=procurement_facts.load(folder, benchmarks.get("medhelm", ())),
        model_card=model_card.load(folder),
        lifecycle=lifecycle,
        crosswalk=products.crosswalk(folder, models, lifecycle),
    )


_SUITE = ("suite", "name", "description", "protocols", "citation", "url")
_EVIDENCE = ("evidence", "suite", "cohort", "second_suite", "name", "description")
_BENCHMARK = (
    "suite",
    "benchmark",
    "name",
    "category",
    "subcategory",
    "category_reason",
    "domain",
    "metric",
    "scale_min",
    "scale_max",
    "lower_is_better",
    "n_items",
    "is_accuracy",
    "item_mean",
    "scored",
    "error_of",
    "same_items",
    "access",
    "source",
    "material",
)
_MODEL = (
    "model",
    "name",
    "developer",
    "params_b",
    "params_active_b",
    "params_source",
    "base_model",
    "model_type",
    "licence",
    "access",
    "context_window_tokens",
    "released_on",
    "reference",
    "reasoning",
    "source_url",
    "note",
)
_COHORT = (
    "kind",
    "suite",
    "id",
    "pin_model",
    "pin_run",
    "pin_precision",
    "published_cluster",
    "source",
)
_PRICE = ("model", "provider", "provider_model", "basis", "checked_on", "note")
_TOKENS = ("benchmark", "model", "n_instances", "input_tokens", "max_output_tokens")
_REASONING = (
    *("family", "model", "benchmark", "mean_completion_tokens", "n_items", "source_url", "as_of"),
)


def _suite(row: Row) -> Suite:
    return Suite(
        id=row.text("suite"),
        name=row.text("name"),
        description=row.text("description"),
        protocols=tuple(filter(None, row.cells["protocols"].split(";"))),
        citation=row.text("citation"),
        url=row.text("url"),
    )


def _benchmark(row: Row) -> Benchmark:
    domain = row.text("domain")
    if domain not in ("domain-specific", "general"):
        raise row.fault(f'the domain "{domain}" must be domain-specific or general')
    scale_min, scale_max = row.number_or_fail("scale_min"), row.number_or_fail("scale_max")
    if scale_min >= scale_max:
        raise row.fault("scale_min must be below scale_max")
    error_of = row.text("error_of")
    if error_of not in ("items", "runs"):
        raise row.fault(f'"{error_of[:40]}" in "error_of" must be items or runs')
    return Benchmark(
        id=row.text("benchmark"),
        suite=row.text("suite"),
        name=row.text("name"),
        category=row.text("category"),
        subcategory=row.text("subcategory"),
        category_reason=row.text("category_reason"),
        domain=cast("Domain", domain),
        metric=row.text("metric"),
        scale_min=scale_min,
        scale_max=scale_max,
        lower_is_better=row.flag("lower_is_better"),
        n_items=row.integer_or_none("n_items"),
        is_accuracy=row.flag("is_accuracy"),
        access=row.cells["access"],
        source=row.text("source"),
        material=row.cells["material"],
        item_mean=row.flag("item_mean"),
        scored=row.flag("scored"),
        error_of=cast('Literal["items", "runs"]', error_of),
        same_items=row.cells["same_items"],
    )


def _model(row: Row, aliases: dict[str, str], mirrors: dict[str, str]) -> Model:
    model_id = row.text("model")
    access = row.cells["access"] or "unknown"
    if access not in ("open", "closed", "unknown"):
        raise row.fault(f'the access "{access}" must be open, closed or empty')
    return Model(
        id=model_id,
        name=row.text("name"),
        developer=row.cells["developer"],
        params_b=row.number_or_none("params_b"),
        params_active_b=row.number_or_none("params_active_b"),
        params_source=row.cells["params_source"],
        base_model=row.cells["base_model"],
        licence=row.cells["licence"],
        access=cast('Literal["open", "closed", "unknown"]', access),
        context_window_tokens=row.integer_or_none("context_window_tokens"),
        released_on=row.cells["released_on"],
        is_reference=row.flag("reference"),
        mirror_of=mirrors.get(model_id, ""),
        aliases=tuple(alias for alias, model in aliases.items() if model == model_id),
        source_url=row.cells["source_url"],
        note=row.cells["note"],
        reasoning=row.flag("reasoning"),
    )


def _reasoning_tokens(row: Row) -> ReasoningTokens:
    mean = row.number_or_fail("mean_completion_tokens")
    if mean <= 0:
        raise row.fault('"mean_completion_tokens" must be above 0')
    return ReasoningTokens(
        family=row.text("family"),
        model=row.text("model"),
        benchmark=row.text("benchmark"),
        mean_completion_tokens=mean,
        n_items=int(row.number_or_fail("n_items")),
        source_url=row.text("source_url"),
        as_of=row.text("as_of"),
    )


def _cohorts(
    paths: Iterable[Path],
) -> tuple[dict[tuple[str, str], Cohort], dict[tuple[str, str], dict[str, str]]]:
    cohorts: dict[tuple[str, str], Cohort] = {}
    published: dict[tuple[str, str], dict[str, str]] = {}
    for path in paths:
        found = list(rows(path, _COHORT))
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
