"""What the store derives from the snapshots: their scores and facts, flags and provenance."""

from __future__ import annotations

from dataclasses import astuple, fields
from typing import TYPE_CHECKING, Any

import pandas as pd

from core.domain import BadDataError, Flag, ModelFact, Provenance, Snapshot
from core.evidence import snapshots as snapshots_module
from core.evidence.snapshots import Fault

if TYPE_CHECKING:
    from pathlib import Path

    from core.domain import ScoreTable
    from core.evidence.catalogue import Catalogue


def columns(kind: type[Any]) -> tuple[str, ...]:
    """Return the columns of a table whose rows are of a dataclass."""
    return tuple(field.name for field in fields(kind))


def tables(data: Path, good: tuple[Snapshot, ...], catalogue: Catalogue) -> dict[str, pd.DataFrame]:
    """Return all that the derived file holds, but for its fingerprint."""
    usable: list[Snapshot] = []
    faults: list[Fault] = []
    frames: list[pd.DataFrame] = []
    facts: list[tuple[str, ...]] = []
    flags: list[tuple[str, ...]] = []
    provenance: list[tuple[str, ...]] = []
    items: list[pd.DataFrame] = []
    known = catalogue.scales()
    for snapshot in good:
        folder = data / "snapshots" / snapshot.suite / snapshot.revision
        try:
            read = snapshots_module.read_scores(folder, known)
            counted = snapshots_module.check_items(folder, read.frame, known[snapshot.suite])
        except BadDataError as error:
            faults.append(Fault(snapshot.suite, snapshot.revision, str(error)))
            continue
        usable.append(snapshot)
        items.append(counted.assign(suite=snapshot.suite, revision=snapshot.revision))
        frames.append(read.frame.assign(suite=snapshot.suite, revision=snapshot.revision))
        facts += [(snapshot.suite, snapshot.revision, *astuple(fact)) for fact in read.facts]
        if snapshot.kind == "release":
            _judge(read, snapshot.revision, catalogue, flags, provenance)
    if not frames:
        reasons = " ".join(fault.message for fault in faults)
        # Visitors read this as well, and where the folder lies on the server is not for them.
        raise BadDataError(f"No snapshot in {data.name}/snapshots can be used. {reasons}".strip())
    texts: dict[str, tuple[list[Any], tuple[str, ...]]] = {
        "faults": (faults, columns(Fault)),
        "facts": (facts, ("suite", "revision", *columns(ModelFact))),
        "flags": (flags, ("revision", "protocol", *columns(Flag))),
        "provenance": (provenance, ("revision", "protocol", *columns(Provenance))),
    }
    return {
        "scores": pd.concat(frames, ignore_index=True).reset_index(names="position"),
        "snapshots": pd.DataFrame(usable).reset_index(names="position"),
        "items": pd.concat(items, ignore_index=True).astype(
            {"run": "str", "benchmark": "str", "mean": "float64"}
            | dict.fromkeys(("n_items", "n_rows"), "int64")
        ),
        **{
            name: pd.DataFrame(rows, columns=names, dtype="str")
            for name, (rows, names) in texts.items()
        },
    }


def _judge(
    table: ScoreTable,
    revision: str,
    catalogue: Catalogue,
    flags: list[tuple[str, ...]],
    provenance: list[tuple[str, ...]],
) -> None:
    """Add what does not look plausible in a snapshot and which runs were made otherwise.

    Each protocol is judged by itself.
    """
    # Here since it is slow to import, and a store that stands needs none of it.
    from core.evidence.quality import flags as rules  # noqa: PLC0415

    suite, benchmarks = table.suite, catalogue.benchmarks[table.suite]
    models = {model: catalogue.model(model) for model in table.frame["model"].unique()}
    made = catalogue.other_protocols.items()
    others = {model: how.protocol for (of, model), how in made if of == suite}
    for protocol, frame in table.frame.groupby("protocol", sort=False):
        key = (revision, str(protocol))
        found = rules.check(frame, benchmarks, models, table.facts, suite=suite)
        flags += [(*key, *astuple(flag)) for flag in found]
        labels = rules.provenance(frame, others, suite=suite)
        provenance += [(*key, *astuple(label)) for label in labels]
