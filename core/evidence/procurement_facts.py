"""Facts for a purchase: GPUs, architectures, throughput, volumes, and what vendors promise."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeVar, cast

from core.domain import (
    Architecture,
    GateAnswer,
    GateKind,
    GpuOffer,
    Licence,
    Platform,
    RequestKind,
    Throughput,
    Volume,
)
from core.evidence.tables import rows, squeezed

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from core.domain import Benchmark
    from core.evidence.tables import Row

ANSWERS = ("yes", "no", "conditional", "unknown")
_DATE = re.compile(r"\d{4}(-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?)?")
_Word = TypeVar("_Word", bound=str)


@dataclass(frozen=True, eq=False)
class ProcurementFacts:
    """All curated facts for costs of own servers, workloads and gates, in the files' order."""

    gpus: tuple[GpuOffer, ...]
    architectures: tuple[Architecture, ...]
    throughput: tuple[Throughput, ...]
    volumes: dict[str, Volume]
    requests: tuple[RequestKind, ...]
    gate_kinds: dict[str, GateKind]
    gates: tuple[GateAnswer, ...]
    platforms: tuple[Platform, ...]


def load(folder: Path, benchmarks: Sequence[Benchmark]) -> ProcurementFacts:
    """Read the tables.

    Parameters
    ----------
    folder
        The catalogue's folder.
    benchmarks
        MedHELM's; kinds of requests must have their place among them.

    Raises
    ------
    BadDataError
        Naming the file and the row at fault.
    """
    volumes = _volumes(folder)
    kinds = _gate_kinds(folder)
    return ProcurementFacts(
        gpus=_gpus(folder),
        architectures=_architectures(folder),
        throughput=_throughput(folder),
        volumes=volumes,
        requests=_requests(folder, volumes, benchmarks),
        gate_kinds=kinds,
        gates=_gates(folder, kinds),
        platforms=_platforms(folder),
    )


def licences(folder: Path) -> dict[str, Licence]:
    """Read ``licences.csv``, by every spelling squeezed to letters and digits."""
    columns = ("licence", "spellings", "name", "commercial_use", "condition", "source_url", "as_of")
    found: dict[str, Licence] = {}
    for row in rows(folder / "licences.csv", columns):
        if (use := row.cells["commercial_use"]) not in ("", "yes", "no", "conditional"):
            raise row.fault(f'"{use[:40]}" in "commercial_use" must be yes, no or conditional')
        licence = Licence(
            id=row.text("licence"),
            name=row.text("name"),
            commercial_use=use,
            condition=row.cells["condition"],
            source_url=row.cells["source_url"],
            as_of=row.cells["as_of"],
        )
        for spelling in (licence.id, licence.name, *row.cells["spellings"].split(";")):
            if spelling:
                found.setdefault(squeezed(spelling), licence)
    return found


def is_date(text: str) -> bool:
    """Return whether a text is a year, a month or a day as ISO writes it."""
    return _DATE.fullmatch(text) is not None


def _gpus(folder: Path) -> tuple[GpuOffer, ...]:
    found = []
    memory: dict[str, float] = {}
    columns = (
        *("gpu", "memory_gb", "usd_per_gpu_hour", "pricing_type", "provider", "offer"),
        *("gpus_in_offer", "region", "source_url", "as_of", "note"),
    )
    for row in rows(folder / "gpus.csv", columns):
        offer = GpuOffer(
            gpu=row.text("gpu"),
            memory_gb=_positive(row, "memory_gb"),
            usd_per_gpu_hour=_positive(row, "usd_per_gpu_hour"),
            pricing_type=row.text("pricing_type"),
            provider=row.text("provider"),
            offer=row.text("offer"),
            gpus_in_offer=_count(row, "gpus_in_offer"),
            region=row.cells["region"],
            source_url=row.text("source_url"),
            as_of=_date(row, "as_of"),
            note=row.cells["note"],
        )
        if memory.setdefault(offer.gpu, offer.memory_gb) != offer.memory_gb:
            raise row.fault(f"{offer.gpu} has {memory[offer.gpu]:g} GB in a row above")
        found.append(offer)
    return tuple(found)


def _architectures(folder: Path) -> tuple[Architecture, ...]:
    found = []
    taken: set[str] = set()
    columns = (
        *("model", "also", "params_b", "layers", "kv_heads", "head_dim", "context_tokens"),
        *("attention", "kv_bytes_per_token_fp16", "source_url", "checked_on", "note"),
    )
    for row in rows(folder / "architectures.csv", columns):
        it = Architecture(
            model=row.text("model"),
            also=_several(row, "also"),
            params_b=_positive(row, "params_b"),
            layers=_count(row, "layers"),
            kv_heads=_count(row, "kv_heads"),
            head_dim=_count(row, "head_dim"),
            context_tokens=_count(row, "context_tokens"),
            attention=row.text("attention"),
            kv_bytes_per_token=_count(row, "kv_bytes_per_token_fp16"),
            source_url=row.text("source_url"),
            checked_on=_date(row, "checked_on"),
            note=row.cells["note"],
        )
        plain = 2 * it.layers * it.kv_heads * it.head_dim * 2
        if it.attention != "MLA" and it.kv_bytes_per_token != plain:
            raise row.fault(f"kv_bytes_per_token_fp16 must be {plain} by layers, heads and size")
        for name in (it.model, *it.also):
            if name in taken:
                raise row.fault(f'"{name}" has an architecture in a row above')
            taken.add(name)
        found.append(it)
    return tuple(found)


def _throughput(folder: Path) -> tuple[Throughput, ...]:
    found = []
    taken: set[tuple[str | int, ...]] = set()
    columns = (
        *("model", "also", "gpu", "gpus", "precision", "bits", "input_tokens"),
        *("output_tokens", "tokens_per_second", "source_url", "as_of", "note"),
    )
    for row in rows(folder / "throughput.csv", columns):
        it = Throughput(
            model=row.text("model"),
            also=_several(row, "also"),
            gpu=row.text("gpu"),
            gpus=_count(row, "gpus"),
            precision=row.text("precision"),
            bits=_count(row, "bits"),
            input_tokens=_count(row, "input_tokens"),
            output_tokens=_count(row, "output_tokens"),
            tokens_per_second=_positive(row, "tokens_per_second"),
            source_url=row.text("source_url"),
            as_of=_date(row, "as_of"),
            note=row.cells["note"],
        )
        key = (it.model, it.gpu, it.gpus, it.bits, it.input_tokens, it.output_tokens)
        if key in taken:
            raise row.fault("this measurement stands twice")
        taken.add(key)
        found.append(it)
    return tuple(found)


def _volumes(folder: Path) -> dict[str, Volume]:
    found: dict[str, Volume] = {}
    columns = (
        *("quantity", "name", "value", "unit", "per", "per_month", "derivation", "context"),
        *("source_url", "as_of", "note"),
    )
    for row in rows(folder / "volumes.csv", columns):
        per_month = row.number_or_none("per_month")
        volume = Volume(
            id=row.text("quantity"),
            name=row.text("name"),
            value=_positive(row, "value"),
            unit=row.text("unit"),
            per=row.text("per"),
            per_month=None if per_month is None else _positive(row, "per_month"),
            derivation=row.cells["derivation"],
            context=row.text("context"),
            source_url=row.text("source_url"),
            as_of=_date(row, "as_of"),
            note=row.cells["note"],
        )
        if (per_month is None) is not (not volume.derivation):
            raise row.fault("per_month and derivation go together")
        if volume.id in found:
            raise row.fault(f'the quantity "{volume.id}" stands twice')
        found[volume.id] = volume
    return found


def _requests(
    folder: Path, volumes: dict[str, Volume], benchmarks: Sequence[Benchmark]
) -> tuple[RequestKind, ...]:
    places = {(b.category, b.subcategory) for b in benchmarks}
    found: dict[str, RequestKind] = {}
    columns = ("request", "name", "category", "subcategory", "tokens_from", "volume", "reason")
    for row in rows(folder / "requests.csv", columns):
        kind = RequestKind(
            id=row.text("request"),
            name=row.text("name"),
            category=row.text("category"),
            subcategory=row.text("subcategory"),
            tokens_from=_one_of(row, "tokens_from", ("category", "subcategory")),
            volume=row.cells["volume"],
            reason=row.text("reason"),
        )
        if (kind.category, kind.subcategory) not in places:
            raise row.fault(f'MedHELM has no subcategory "{kind.subcategory}" of "{kind.category}"')
        if kind.volume and kind.volume not in volumes:
            raise row.fault(f'the quantity "{kind.volume}" is not in volumes.csv')
        if kind.volume and volumes[kind.volume].per_month is None:
            raise row.fault(f'the quantity "{kind.volume}" has no number a month')
        if kind.id in found:
            raise row.fault(f'the request "{kind.id}" stands twice')
        found[kind.id] = kind
    return tuple(found.values())


def _gate_kinds(folder: Path) -> dict[str, GateKind]:
    columns = ("gate", "name", "about", "wanted", "question", "failing", "help")
    found: dict[str, GateKind] = {}
    for row in rows(folder / "gate_kinds.csv", columns):
        kind = GateKind(
            id=row.text("gate"),
            name=row.text("name"),
            about=_one_of(row, "about", ("platform", "model")),
            wanted=_one_of(row, "wanted", ("yes", "no", "limit")),
            question=row.text("question"),
            failing=row.text("failing"),
            help=row.text("help"),
        )
        if kind.id in found:
            raise row.fault(f'the gate "{kind.id}" stands twice')
        found[kind.id] = kind
    return found


def _gates(folder: Path, kinds: dict[str, GateKind]) -> tuple[GateAnswer, ...]:
    found: dict[tuple[str, str], GateAnswer] = {}
    columns = (
        *("platform", "gate", "answer", "detail", "source_url", "as_of", "days", "source_kind"),
    )
    for row in rows(folder / "gates.csv", columns):
        platform, gate = row.text("platform"), row.text("gate")
        if gate not in kinds:
            raise row.fault(f'the gate "{gate}" is not in gate_kinds.csv')
        if (platform, gate) in found:
            raise row.fault(f"{platform} answers {gate} twice")
        answer = _one_of(row, "answer", ANSWERS)
        if answer != "unknown":  # an answer without a source is hearsay
            row.text("source_url")
            row.text("source_kind")
        days = row.integer_or_none("days")
        if days is not None and days < 0:
            raise row.fault("days must be 0 or more")
        found[platform, gate] = GateAnswer(
            platform=platform,
            gate=gate,
            answer=cast('Literal["yes", "no", "conditional", "unknown"]', answer),
            detail=row.cells["detail"],
            source_url=row.cells["source_url"],
            as_of=_date(row, "as_of") if row.cells["source_url"] else "",
            days=days,
            source_kind=row.cells["source_kind"],
        )
    return tuple(found.values())


def _platforms(folder: Path) -> tuple[Platform, ...]:
    columns = ("provider", "platform", "source", "checked_on", "note")
    found: dict[str, Platform] = {}
    for row in rows(folder / "platforms.csv", columns):
        platform = Platform(
            provider=row.text("provider"),
            platform=row.text("platform"),
            source=row.text("source"),
            checked_on=_date(row, "checked_on"),
            note=row.cells["note"],
        )
        if platform.provider in found:
            raise row.fault(f'the provider "{platform.provider}" stands twice')
        found[platform.provider] = platform
    return tuple(found.values())


def _positive(row: Row, column: str) -> float:
    number = row.number_or_fail(column)
    if number <= 0:
        raise row.fault(f'"{column}" must be above 0')
    return number


def _count(row: Row, column: str) -> int:
    _positive(row, column)
    number = row.integer_or_none(column)
    assert number is not None
    return number


def _several(row: Row, column: str) -> tuple[str, ...]:
    return tuple(filter(None, row.cells[column].split(";")))


def _date(row: Row, column: str) -> str:
    value = row.text(column)
    if value != "undated" and not is_date(value):
        raise row.fault(f'"{value[:40]}" in "{column}" must be an ISO date or undated')
    return value


def _one_of(row: Row, column: str, words: tuple[_Word, ...]) -> _Word:
    value = row.cells[column]
    for word in words:
        if word == value:
            return word
    raise row.fault(f'"{value[:40]}" in "{column}" must be {", ".join(words[:-1])} or {words[-1]}')
