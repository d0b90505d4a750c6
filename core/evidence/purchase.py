"""What a purchase asks beside the models: servers, volumes, conditions and platforms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.domain import (
    Architecture,
    GateAnswer,
    GateKind,
    GpuKind,
    GpuOffer,
    Platform,
    RequestKind,
    Throughput,
    Volume,
)
from core.evidence.tables import Row, table

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from core.domain import Benchmark


@dataclass(frozen=True, eq=False)
class ProcurementFacts:
    """All curated facts for costs of own servers, workloads and gates, in the files' order."""

    gpus: tuple[GpuOffer, ...]
    gpu_kinds: dict[str, GpuKind]
    architectures: tuple[Architecture, ...]
    throughput: tuple[Throughput, ...]
    volumes: dict[str, Volume]
    requests: tuple[RequestKind, ...]
    gate_kinds: dict[str, GateKind]
    gates: tuple[GateAnswer, ...]
    platforms: tuple[Platform, ...]


def procurement(folder: Path, benchmarks: Sequence[Benchmark]) -> ProcurementFacts:
    """Read what a purchase asks; kinds of requests have their place among MedHELM's benchmarks."""
    volumes = table(
        folder / "volumes.csv",
        Volume,
        columns={"id": "quantity"},
        empty=["derivation", "note"],
        positive=True,
        unique=["id"],
        check=lambda it: (
            ""
            if (it.per_month is None) is (not it.derivation)
            else "per_month and derivation go together"
        ),
    )
    kinds = table(folder / "gate_kinds.csv", GateKind, columns={"id": "gate"}, unique=["id"])
    gate_kinds = {kind.id: kind for kind in kinds}
    gpus = _gpus(folder)
    return ProcurementFacts(
        gpus=gpus,
        gpu_kinds={
            kind.gpu: kind
            for kind in table(
                folder / "gpu_serving.csv",
                GpuKind,
                empty=["bf16_source", "note"],
                cells={
                    "over_nodes": lambda row, column: row.one_of(column, ("yes", "no")) == "yes"
                },
                known={"gpu": ({offer.gpu for offer in gpus}, "gpus.csv")},
                unique=["gpu"],
            )
        },
        architectures=_architectures(folder),
        throughput=table(
            folder / "throughput.csv",
            Throughput,
            empty=["note"],
            positive=True,
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
            unique=["provider"],
        ),
    )


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
        check=check,
    )


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

    return table(
        folder / "architectures.csv",
        Architecture,
        columns={"kv_bytes_per_token": "kv_bytes_per_token_fp16"},
        empty=["note"],
        positive=True,
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
