"""Facts for a purchase: hardware, volumes, what vendors promise, and until when they sell."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.domain import (
    Architecture,
    CrosswalkEntry,
    GateAnswer,
    GateKind,
    GpuOffer,
    Licence,
    Lifecycle,
    Platform,
    RequestKind,
    Throughput,
    Volume,
)
from core.evidence.tables import Row, is_date, rows, squeezed, table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from core.domain import Benchmark, Model

_DATED = {"as_of": Row.date}


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
    """Read the tables of a catalogue.

    ``benchmarks`` are MedHELM's; kinds of requests must have their place among them.
    """
    volumes = table(
        folder / "volumes.csv",
        Volume,
        columns={"id": "quantity"},
        empty=["derivation", "note"],
        positive=True,
        cells=_DATED,
        unique=["id"],
        check=lambda it: (
            ""
            if (it.per_month is None) is (not it.derivation)
            else "per_month and derivation go together"
        ),
    )
    kinds = table(folder / "gate_kinds.csv", GateKind, columns={"id": "gate"}, unique=["id"])
    gate_kinds = {kind.id: kind for kind in kinds}
    return ProcurementFacts(
        gpus=_gpus(folder),
        architectures=_architectures(folder),
        throughput=table(
            folder / "throughput.csv",
            Throughput,
            empty=["note"],
            positive=True,
            cells=_DATED,
            unique=["model", "gpu", "gpus", "bits", "input_tokens", "output_tokens"],
        ),
        volumes={volume.id: volume for volume in volumes},
        requests=_requests(folder, {volume.id: volume for volume in volumes}, benchmarks),
        gate_kinds=gate_kinds,
        gates=_gates(folder, gate_kinds),
        platforms=table(
            folder / "platforms.csv",
            Platform,
            empty=["note"],
            cells={"checked_on": Row.date},
            unique=["provider"],
        ),
    )


def licences(folder: Path) -> dict[str, Licence]:
    """Read ``licences.csv``, by every spelling squeezed to letters and digits."""
    file = folder / "licences.csv"
    read = table(
        file,
        Licence,
        columns={"id": "licence"},
        empty=["condition", "source_url", "as_of"],
        cells={
            "commercial_use": lambda row, column: (
                row.cells[column] and row.one_of(column, ("yes", "no", "conditional"))
            )
        },
    )
    found: dict[str, Licence] = {}
    for licence, row in zip(read, rows(file, ["spellings"]), strict=True):
        for spelling in (licence.id, licence.name, *row.cells["spellings"].split(";")):
            if spelling:
                found.setdefault(squeezed(spelling), licence)
    return found


def _gpus(folder: Path) -> tuple[GpuOffer, ...]:
    memory: dict[str, float] = {}

    def check(offer: GpuOffer) -> str:
        above = memory.setdefault(offer.gpu, offer.memory_gb)
        return "" if above == offer.memory_gb else f"{offer.gpu} has {above:g} GB in a row above"

    return table(
        folder / "gpus.csv",
        GpuOffer,
        empty=["region", "note"],
        positive=True,
        cells=_DATED,
        check=check,
    )


def _architectures(folder: Path) -> tuple[Architecture, ...]:
    taken: set[str] = set()

    def check(it: Architecture) -> str:
        plain = 2 * it.layers * it.kv_heads * it.head_dim * 2
        if it.attention != "MLA" and it.kv_bytes_per_token != plain:
            return f"kv_bytes_per_token_fp16 must be {plain} by layers, heads and size"
        for name in (it.model, *it.also):
            if name in taken:
                return f'"{name}" has an architecture in a row above'
            taken.add(name)
        return ""

    return table(
        folder / "architectures.csv",
        Architecture,
        columns={"kv_bytes_per_token": "kv_bytes_per_token_fp16"},
        empty=["note"],
        positive=True,
        cells={"checked_on": Row.date},
        check=check,
    )


def _requests(
    folder: Path, volumes: dict[str, Volume], benchmarks: Sequence[Benchmark]
) -> tuple[RequestKind, ...]:
    places = {(b.category, b.subcategory) for b in benchmarks}

    def check(kind: RequestKind) -> str:
        if (kind.category, kind.subcategory) not in places:
            return f'MedHELM has no subcategory "{kind.subcategory}" of "{kind.category}"'
        if kind.volume and volumes[kind.volume].per_month is None:
            return f'the quantity "{kind.volume}" has no number a month'
        return ""

    return table(
        folder / "requests.csv",
        RequestKind,
        columns={"id": "request"},
        empty=["volume"],
        known={"volume": (volumes, "volumes.csv")},
        unique=["id"],
        check=check,
    )


def _gates(folder: Path, kinds: dict[str, GateKind]) -> tuple[GateAnswer, ...]:
    def sourced(row: Row, column: str) -> str:
        """Return a cell that must not be empty: an answer without a source is hearsay."""
        return row.cells[column] if row.cells["answer"] == "unknown" else row.text(column)

    def as_of(row: Row, column: str) -> str:
        return row.date(column) if row.cells["source_url"] else ""

    return table(
        folder / "gates.csv",
        GateAnswer,
        empty=["detail"],
        cells={"source_url": sourced, "source_kind": sourced, "as_of": as_of},
        known={"gate": (kinds, "gate_kinds.csv")},
        unique=["platform", "gate"],
        check=lambda it: "days must be 0 or more" if it.days is not None and it.days < 0 else "",
    )


def lifecycle(folder: Path) -> tuple[Lifecycle, ...]:
    """Read ``lifecycle.csv``, one row per product, platform and name there."""

    def check(it: Lifecycle) -> str:
        if it.shutdown_on and it.deprecated_on > it.shutdown_on:
            return f"it was shut down on {it.shutdown_on}, before it was deprecated"
        return ""

    return table(
        folder / "lifecycle.csv",
        Lifecycle,
        empty=["provider_model", "successor", "note", "conflict"],
        cells={
            "status_on": lambda row, column: row.text(column) and _day(row, column),
            "deprecated_on": _day,
            "shutdown_on": _day,
        },
        unique=["product", "platform", "provider_model"],
        check=check,
    )


def crosswalk(
    folder: Path, models: Mapping[str, Model], sold: Sequence[Lifecycle]
) -> tuple[CrosswalkEntry, ...]:
    """Read ``crosswalk.csv``, one row per product and model.

    Parameters
    ----------
    folder
        The catalogue's folder.
    models
        By id; a row may name no other.
    sold
        The rows of ``lifecycle.csv``. A product of a closed model must be among them, so that
        a name that is spelled otherwise cannot hide its end.
    """
    products = {it.product for it in sold}

    def check(it: CrosswalkEntry) -> str:
        if models[it.model].access == "closed" and it.product not in products:
            return f'the product "{it.product}" is not in lifecycle.csv'
        return ""

    return table(
        folder / "crosswalk.csv",
        CrosswalkEntry,
        known={"model": (models, "models.csv")},
        unique=["product", "model"],
        check=check,
    )


def _day(row: Row, column: str) -> str:
    value = row.cells[column]
    if value and not (len(value) == 10 and is_date(value)):
        raise row.fault(f'"{value[:40]}" in "{column}" must be a day such as 2026-11-22')
    return value
