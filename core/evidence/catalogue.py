"""The curated catalogue: suites, benchmarks, models, prices, and facts for a purchase.

Every table is a CSV under ``data/catalogue`` in which each row names its source.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from core.domain import (
    AgentTokens,
    Architecture,
    BadDataError,
    Benchmark,
    Cohort,
    ConditionAnswer,
    ConditionKind,
    CrosswalkEntry,
    EvidenceBase,
    GpuKind,
    GpuOffer,
    Licence,
    Lifecycle,
    LineOfWork,
    ListKey,
    Model,
    Platform,
    PriceReference,
    Profile,
    ReasoningTokens,
    Region,
    RequestKind,
    RunPin,
    Scale,
    Suite,
    Task,
    Throughput,
    TokenRow,
    terms_of,
)
from core.evidence.products import (
    Alias,
    as_their_products,
    of_every_id,
    products_of_models,
    read_crosswalk,
    read_lifecycle,
    read_models,
    sold_as_products,
)
from core.evidence.tables import Row, read_table, rows
from core.figures import squeezed

OWN_RESULT = " (own result)"
"""Behind the name of a model whose scores a hospital brought itself."""


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
class OtherProtocol:
    """A row of a suite that was made differently than the suite says."""

    suite: str
    model: str
    protocol: str
    """How it was made, in plain words."""
    own_team: bool
    """Whether those who made what is tested ran the tests too: out unless asked for."""
    source: str


@dataclass(frozen=True, slots=True)
class ModelCardField:
    """One field of the CHAI Applied Model Card, and who can fill it in."""

    section: str
    field: str
    description: str
    filled_by: Literal["formulary", "both", "vendor"]
    """Both: the formulary knows a part, which the vendor must complete."""
    why: str
    required: bool
    schema_version: str
    source_url: str
    as_of: str

    @property
    def path(self) -> str:
        """Section and field as the card's schema nests them."""
        return f"{self.section}/{self.field}"


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
    tasks: dict[str, Task]
    licences: dict[str, Licence]
    """By every spelling, squeezed to letters and digits."""
    prices: tuple[PriceReference, ...]
    tokens: tuple[TokenRow, ...]
    reasoning_tokens: tuple[ReasoningTokens, ...]
    agent_tokens: dict[tuple[str, str], dict[str, AgentTokens]]
    """By suite and run, then by benchmark."""
    groups: dict[tuple[str, str], dict[str, tuple[str, ...]]]
    """By suite and kind: the benchmarks of each group."""
    human_evaluation: tuple[HumanRating, ...]
    places: dict[tuple[str, str, str], tuple[str, str]]
    """MedHELM's category and subcategory of a suite, category and subcategory."""
    other_protocols: dict[tuple[str, str], OtherProtocol]
    """By suite and model: how the row was made, where not by the suite's own protocol."""
    gpus: tuple[GpuOffer, ...]
    gpu_kinds: dict[str, GpuKind]
    architectures: tuple[Architecture, ...]
    throughput: tuple[Throughput, ...]
    requests: tuple[RequestKind, ...]
    condition_kinds: dict[str, ConditionKind]
    condition_answers: tuple[ConditionAnswer, ...]
    platforms: tuple[Platform, ...]
    model_card: tuple[ModelCardField, ...]
    lifecycle: tuple[Lifecycle, ...]
    """By product and platform, in the file's order."""
    regions: tuple[Region, ...]
    """By product and platform, in the file's order."""
    crosswalk: tuple[CrosswalkEntry, ...]
    sold_as: Mapping[str, tuple[str, ...]]
    """By model: the products that it is or may be."""
    list_keys: tuple[ListKey, ...]
    """What the entries of public lists are, in the file's order."""
    lines: tuple[LineOfWork, ...]
    """Which suites test a kind of work, in the file's order."""
    profiles: Mapping[str, Profile]
    """By id, in the file's order, the default first."""

    def model(self, model_id: str) -> Model:
        """Return a model, or one about which only the name is known.

        A hospital's own result has the facts of its model, and says that it is one.
        """
        if model_id.endswith(OWN_RESULT):
            own = self.model(model_id.removesuffix(OWN_RESULT))
            return replace(own, id=model_id, name=own.name + OWN_RESULT)
        if known := self.models.get(model_id):
            return known
        developer, _, name = model_id.rpartition("/") if " " not in model_id else ("", "", model_id)
        return Model(model_id, name, developer, note="not in the catalogue")

    def licence(self, model: Model) -> Licence | None:
        """Return what is known of a model's licence; ``None`` where nothing is."""
        return self.licences.get(squeezed(model.licence)) if model.licence else None

    def scales(self) -> dict[str, dict[str, Scale]]:
        """Return the scale of each known benchmark, by suite and id."""
        return {
            suite: {
                b.id: (b.scale_min, b.scale_max, b.scale_min if b.item_min is None else b.item_min)
                for b in found
            }
            for suite, found in self.benchmarks.items()
        }


def load(folder: Path) -> Catalogue:
    """Read the whole catalogue; a ``BadDataError`` names the file and the row at fault."""
    suites = {s.id: s for s in read_table(folder / "suites.csv", Suite)}
    ids: dict[str, Collection[str]] = {"suites.csv": suites}
    benchmarks = _benchmarks(folder, suites)
    bases = read_table(folder / "evidence.csv", EvidenceBase)
    aliases = read_table(folder / "aliases.csv", Alias)
    models = read_models(folder, aliases)
    lifecycle = read_lifecycle(folder)
    crosswalk = read_crosswalk(folder, models, lifecycle)
    models, crosswalk = as_their_products(models, crosswalk, folder)
    sold_as = products_of_models(crosswalk)
    sold = {it.product for it in lifecycle}
    ids |= {"models.csv": models, "lifecycle.csv": sold}
    protocols = read_table(folder / "other_protocols.csv", OtherProtocol, ids=ids)
    gpus, tasks = _gpus(folder), _tasks(folder)
    kinds = {it.id: it for it in read_table(folder / "condition_kinds.csv", ConditionKind)}
    ids |= {"tasks.csv": tasks, "condition_kinds.csv": kinds}
    ids |= {
        "gpus.csv": {offer.gpu for offer in gpus},
        "lifecycle.csv or crosswalk.csv": sold | {it.product for it in crosswalk},
    }
    profiles = read_table(folder / "profiles.csv", Profile, ids=ids)
    gpu_kinds = read_table(folder / "gpu_serving.csv", GpuKind, ids=ids)
    prices = read_table(folder / "prices.csv", PriceReference)
    return Catalogue(
        suites=suites,
        evidence={base.id: base for base in bases},
        benchmarks=benchmarks,
        models=models,
        aliases={it.alias: it.model for it in aliases},
        cohorts=_cohorts(sorted((folder / "cohorts").glob("*.csv"))),
        tasks=tasks,
        licences=_licences(folder),
        prices=sold_as_products(prices, crosswalk),
        tokens=read_table(folder / "tokens.csv", TokenRow),
        reasoning_tokens=read_table(folder / "reasoning_tokens.csv", ReasoningTokens),
        agent_tokens=_agent_tokens(folder, ids),
        groups=_groups(folder, benchmarks),
        human_evaluation=read_table(
            folder / "human_evaluation.csv", HumanRating, ids=ids, check=_percent
        ),
        places=_places(folder, benchmarks),
        other_protocols={(it.suite, it.model): it for it in protocols},
        gpus=gpus,
        gpu_kinds={it.gpu: it for it in gpu_kinds},
        architectures=of_every_id(_architectures(folder), sold_as),
        throughput=read_table(folder / "throughput.csv", Throughput),
        requests=_requests(folder, benchmarks.get("medhelm", ())),
        condition_kinds=kinds,
        condition_answers=_condition_answers(folder, ids),
        platforms=read_table(folder / "platforms.csv", Platform),
        model_card=model_card(folder),
        lifecycle=lifecycle,
        regions=read_table(folder / "regions.csv", Region, ids=ids),
        crosswalk=crosswalk,
        sold_as=sold_as,
        list_keys=read_table(folder / "list_keys.csv", ListKey, ids=ids),
        lines=read_table(folder / "lines.csv", LineOfWork, ids=ids),
        profiles={it.id: it for it in profiles},
    )


def _percent(it: HumanRating) -> str:
    fits = 0 <= it.win_or_tie_percent <= 100
    return "" if fits else "win_or_tie_percent must be from 0 to 100"


def _benchmarks(folder: Path, suites: dict[str, Suite]) -> dict[str, tuple[Benchmark, ...]]:
    found = read_table(
        folder / "benchmarks.csv",
        Benchmark,
        ids={"suites.csv": suites},
        check=lambda it: "" if it.scale_min < it.scale_max else "scale_min must be below scale_max",
    )
    return {suite: tuple(b for b in found if b.suite == suite) for suite in suites}


def _cohorts(paths: Iterable[Path]) -> dict[tuple[str, str], Cohort]:
    pinned = ("pin_model", "pin_run", "pin_precision")
    columns = ("kind", "suite", "id", *pinned, "source")
    cohorts: dict[tuple[str, str], Cohort] = {}
    for path in paths:
        found = list(rows(path, columns))
        for suite in dict.fromkeys(row.text("suite") for row in found):
            members = [row for row in found if row.cells["suite"] == suite]
            models = [row for row in members if row.text("kind") == "model"]
            if not models:
                raise members[0].fault(f"the cohort has no model in {suite}")
            pins = [(row.text("id"), RunPin(*(row.cells[it] for it in pinned))) for row in models]
            cohorts[path.stem, suite] = Cohort(
                id=path.stem,
                suite=suite,
                models=tuple(row.text("id") for row in models),
                pins=tuple(pin for pin in pins if pin[1] != RunPin()),
                benchmarks=tuple(row.text("id") for row in members if row not in models),
                source=models[0].text("source"),
            )
    return cohorts


def _tasks(folder: Path) -> dict[str, Task]:
    weights: dict[str, dict[str, list[tuple[str, float]]]] = {}
    presets = rows(folder / "task_presets.csv", ("task", "suite", "category", "weight", "reason"))
    for row in presets:
        of_suite = weights.setdefault(row.text("task"), {}).setdefault(row.text("suite"), [])
        of_suite.append((row.text("category"), row.number_or_fail("weight")))
    tasks = {}
    for row in rows(folder / "tasks.csv", ("task", "name", "description")):
        key, name, text = map(row.text, ("task", "name", "description"))
        own = weights.get(key, {}).items()
        tasks[key] = Task(key, name, text, tuple((suite, tuple(found)) for suite, found in own))
    if unknown := set(weights) - set(tasks):
        raise BadDataError(f"task_presets.csv names tasks that tasks.csv lacks: {sorted(unknown)}.")
    return tasks


def _groups(
    folder: Path, benchmarks: Mapping[str, Sequence[Benchmark]]
) -> dict[tuple[str, str], dict[str, tuple[str, ...]]]:
    own = {(suite, b.id) for suite, listed in benchmarks.items() for b in listed}
    found: dict[tuple[str, str], dict[str, tuple[str, ...]]] = {}
    columns = ("suite", "kind", "group", "benchmark", "source")
    for row in rows(folder / "benchmark_groups.csv", columns):
        suite, kind, group, benchmark, _ = map(row.text, columns)
        of_kind = found.setdefault((suite, kind), {})
        if benchmark in of_kind.get(group, ()):
            raise row.twice(columns[:4])
        if (suite, benchmark) not in own:
            raise row.fault(f'{suite} has no benchmark "{benchmark}"')
        of_kind[group] = (*of_kind.get(group, ()), benchmark)
    return found


def _places(
    folder: Path, benchmarks: Mapping[str, Sequence[Benchmark]]
) -> dict[tuple[str, str, str], tuple[str, str]]:
    """Read where categories of other suites are in MedHELM's taxonomy."""
    known = {(s, b.category, b.subcategory) for s, several in benchmarks.items() for b in several}
    own = ("suite", "category", "subcategory")
    columns = (*own, "medhelm_category", "medhelm_subcategory", "reason")
    found: dict[tuple[str, str, str], tuple[str, str]] = {}
    for row in rows(folder / "taxonomy_places.csv", columns):
        suite, category, subcategory, *to, _ = map(row.text, columns)
        if (suite, category, subcategory) in found:
            raise row.twice(own)
        if (suite, category, subcategory) not in known:
            raise row.fault(f'{suite} has no subcategory "{subcategory}" of "{category}"')
        if ("medhelm", *to) not in known:
            raise row.fault(f'MedHELM has no subcategory "{to[1]}" of "{to[0]}"')
        found[suite, category, subcategory] = (to[0], to[1])
    return found


def model_card(folder: Path) -> tuple[ModelCardField, ...]:
    """Read the fields of the CHAI Applied Model Card, in its order, from a catalogue."""
    return read_table(folder / "model_card.csv", ModelCardField)


def _licences(folder: Path) -> dict[str, Licence]:
    file = folder / "licences.csv"
    found: dict[str, Licence] = {}
    for licence, row in zip(read_table(file, Licence), rows(file, ["spellings"]), strict=True):
        for spelling in (licence.id, licence.name, *row.cells["spellings"].split(";")):
            if spelling:
                found.setdefault(squeezed(spelling), licence)
    return found


# What a purchase asks apart from the models.


def _gpus(folder: Path) -> tuple[GpuOffer, ...]:
    memory: dict[str, float] = {}

    def check(offer: GpuOffer) -> str:
        above = memory.setdefault(offer.gpu, offer.memory_gb)
        return "" if above == offer.memory_gb else f"{offer.gpu} has {above:g} GB in a row above"

    return read_table(folder / "gpus.csv", GpuOffer, check=check)


def _architectures(folder: Path) -> tuple[Architecture, ...]:
    taken: set[str] = set()

    def check(it: Architecture) -> str:
        plain = 2 * (it.layers or 0) * (it.kv_heads or 0) * (it.head_dim or 0) * 2
        stated = it.kv_bytes_per_token is not None and "MLA" not in it.attention
        if stated and plain and it.kv_bytes_per_token != plain:
            return f"kv_bytes_per_token_fp16 must be {plain} by layers, heads and size"
        for name in (it.model, *it.also):
            if name in taken:
                return f'"{name}" has an architecture in a row above'
            taken.add(name)
        return ""

    return read_table(folder / "architectures.csv", Architecture, check=check)


def _agent_tokens(
    folder: Path, ids: Mapping[str, Collection[str]]
) -> dict[tuple[str, str], dict[str, AgentTokens]]:
    def check(it: AgentTokens) -> str:
        if not 0 <= it.cached_tokens <= it.input_tokens or not it.n_counted <= it.n_trials:
            return "a part is more than the whole: tokens from a cache, or trials counted"
        return ""

    found: dict[tuple[str, str], dict[str, AgentTokens]] = {}
    for it in read_table(folder / "agent_tokens.csv", AgentTokens, ids=ids, check=check):
        found.setdefault((it.suite, it.run), {})[it.benchmark] = it
    return found


def _requests(folder: Path, benchmarks: Sequence[Benchmark]) -> tuple[RequestKind, ...]:
    places = {(b.category, b.subcategory) for b in benchmarks}

    def check(kind: RequestKind) -> str:
        if (kind.category, kind.subcategory) not in places:
            return f'MedHELM has no subcategory "{kind.subcategory}" of "{kind.category}"'
        return ""

    return read_table(folder / "requests.csv", RequestKind, check=check)


def _condition_answers(
    folder: Path, ids: Mapping[str, Collection[str]]
) -> tuple[ConditionAnswer, ...]:
    """Read ``conditions.csv``; a row of a maker or product is about these at the platform alone."""

    def sourced(row: Row, column: str) -> str:
        """Return a cell that must not be empty: an answer without a source is hearsay."""
        return row.cells[column] if row.cells["answer"] == "unknown" else row.text(column)

    def as_of(row: Row, column: str) -> str:
        return row.date(column) if row.cells["source_url"] else ""

    def platform(row: Row, column: str) -> str:
        whose = row.cells["product"] or row.cells["maker"]
        return terms_of(row.text(column), whose) if whose else row.text(column)

    return read_table(
        folder / "conditions.csv",
        ConditionAnswer,
        cells={
            "platform": platform,
            "source_url": sourced,
            "source_kind": sourced,
            "as_of": as_of,
        },
        ids=ids,
        check=lambda it: "days must be 0 or more" if it.days is not None and it.days < 0 else "",
    )
