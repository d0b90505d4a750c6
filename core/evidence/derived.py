"""What the store derives from the snapshots: their scores and facts, flags and provenance."""

from __future__ import annotations

from dataclasses import astuple, fields
from typing import TYPE_CHECKING

import pandas as pd

from core.domain import BadDataError, Flag, ModelFact, Provenance, Snapshot
from core.evidence import snapshots as snapshots_module
from core.evidence.snapshots import Fault

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from core.domain import ScoreTable
    from core.evidence.catalogue import Catalogue

FLAG_COLUMNS = tuple(field.name for field in fields(Flag))
PROVENANCE_COLUMNS = tuple(field.name for field in fields(Provenance))
FACT_COLUMNS = tuple(field.name for field in fields(ModelFact))


def tables(data: Path, good: tuple[Snapshot, ...], catalogue: Catalogue) -> dict[str, pd.DataFrame]:
    """Return all that the derived file holds, but for its fingerprint."""
    usable: list[Snapshot] = []
    faults: list[Fault] = []
    frames: list[pd.DataFrame] = []
    facts: list[tuple[str, ...]] = []
    flags: list[tuple[str, ...]] = []
    provenance: list[tuple[str, ...]] = []
    items: list[pd.DataFrame] = []
    known = catalogue.benchmark_ids()
    for snapshot in good:
        folder = data / "snapshots" / snapshot.suite / snapshot.revision
        try:
            read = snapshots_module.read_scores(folder, known)
            scales = {
                b.id: (b.scale_min, b.scale_max) for b in catalogue.benchmarks[snapshot.suite]
            }
            counted = snapshots_module.check_items(folder, read.frame, scales)
        except BadDataError as error:
            faults.append(Fault(snapshot.suite, snapshot.revision, str(error)))
            continue
        usable.append(snapshot)
        items.append(counted.assign(suite=snapshot.suite, revision=snapshot.revision))
        frames.append(read.frame.assign(suite=snapshot.suite, revision=snapshot.revision))
        facts += [(snapshot.suite, snapshot.revision, *astuple(fact)) for fact in read.facts]
        if snapshot.kind == "release":
            flags += [
                (snapshot.revision, protocol, *flag) for protocol, flag in _flags(read, catalogue)
            ]
            provenance += [
                (snapshot.revision, protocol, *label)
                for protocol, label in _provenance(read, catalogue)
            ]
    if not frames:
        reasons = " ".join(fault.message for fault in faults)
        # Visitors read this as well, and where the folder lies on the server is not for them.
        raise BadDataError(f"No snapshot in {data.name}/snapshots can be used. {reasons}".strip())
    return {
        "scores": pd.concat(frames, ignore_index=True).reset_index(names="position"),
        "snapshots": pd.DataFrame(usable).reset_index(names="position"),
        "faults": pd.DataFrame(faults, columns=["suite", "revision", "message"], dtype="str"),
        "items": pd.concat(items, ignore_index=True).astype(
            {"run": "str", "benchmark": "str", "mean": "float64"}
            | dict.fromkeys(("n_items", "n_rows"), "int64")
        ),
        "facts": pd.DataFrame(facts, columns=["suite", "revision", *FACT_COLUMNS], dtype="str"),
        "flags": pd.DataFrame(flags, columns=["revision", "protocol", *FLAG_COLUMNS], dtype="str"),
        "provenance": pd.DataFrame(
            provenance, columns=["revision", "protocol", *PROVENANCE_COLUMNS], dtype="str"
        ),
    }


def _flags(table: ScoreTable, catalogue: Catalogue) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield what does not look plausible in a snapshot, each protocol judged by itself."""
    # Here since it is slow to import, and a store that stands needs none of it.
    from core.evidence.quality.flags import check  # noqa: PLC0415

    models = {model: catalogue.model(model) for model in table.frame["model"].unique()}
    benchmarks = catalogue.benchmarks[table.suite]
    for protocol, frame in table.frame.groupby("protocol", sort=False):
        for flag in check(frame, benchmarks, models, table.facts, suite=table.suite):
            yield str(protocol), astuple(flag)


def _provenance(table: ScoreTable, catalogue: Catalogue) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield by protocol the runs that were not made as the others were."""
    from core.evidence.quality.flags import provenance  # noqa: PLC0415 (as above)

    others = {
        model: made.protocol
        for (suite, model), made in catalogue.other_protocols.items()
        if suite == table.suite
    }
    for protocol, frame in table.frame.groupby("protocol", sort=False):
        for label in provenance(frame, others, suite=table.suite):
            yield str(protocol), astuple(label)
