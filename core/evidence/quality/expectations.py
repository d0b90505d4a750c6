"""What a run may score before it looks as if the questions had been seen in training.

Two things together: where the model stood before, which its base model or runs of its size tell,
and what it gained in general since, which its own weakest benchmarks tell. ``flags.check`` says
how the two become a bar.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import expit, logit

from core.evidence.quality.rules import ABOVE_BASE, ABOVE_SIZE

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from core.domain import FloatArray, Model, ModelFact
    from core.evidence.quality.identity import Names
    from core.evidence.quality.run_table import BoolArray, RunTable

MIN_BENCHMARKS = 4
_MIN_PEERS = 10
_REACH = 0.75
"""Robust standard deviations over the median: about three peers in four lie below."""
_SIZE_FACTOR = 1.5
_MAD_TO_SD = 1.4826


@dataclass(frozen=True, eq=False)
class Start:
    """Where runs stood before, as log-odds, with the bar that follows from it."""

    rule: str
    level: FloatArray
    bar: FloatArray
    error: FloatArray
    words: tuple[str, ...]


def start_from_base(
    table: RunTable,
    bases: Sequence[str],
    share: FloatArray,
    edge: FloatArray,
    n: FloatArray,
    names: Names,
) -> Start:
    """Start each run from the mean of its base model's harness runs."""
    runs: dict[str, list[int]] = {}
    for i, (model, _, _) in enumerate(table.keys):
        if table.harness[i]:
            runs.setdefault(names.one(model), []).append(i)
    level = np.full(share.shape, np.nan)
    for i, base in enumerate(bases):
        own = runs.get(names.one(base), []) if base else []
        if own and names.one(base) != names.one(table.keys[i][0]):
            known = np.isfinite(share[own])
            with np.errstate(invalid="ignore"):
                level[i] = np.nansum(share[own], axis=0) / known.sum(axis=0)
    level = np.clip(level, edge, 1 - edge)
    return Start(
        ABOVE_BASE,
        logit(level),
        level,
        np.sqrt(level * (1 - level) / (n - 1)),
        tuple(f"its base model {base}" for base in bases),
    )


def start_from_size(
    table: RunTable, sizes: FloatArray, odds: FloatArray, sound: BoolArray
) -> Start:
    """Start each run from the median of harness runs of its size, one for each model."""
    level, bar = np.full(odds.shape, np.nan), np.full(odds.shape, np.nan)
    words = [""] * len(odds)
    known = np.where(np.isfinite(sizes), sizes, 0.0)
    for size in np.unique(known):
        own = known == size
        if size:
            peers = sound & (known >= size / _SIZE_FACTOR) & (known <= size * _SIZE_FACTOR)
            kind = f"harness runs of about its size ({size:.3g} billion parameters,"
        else:
            own &= table.harness
            peers = sound
            kind = "harness runs of any size (its own is not known,"
        n_peers = int(peers.sum())
        if n_peers < _MIN_PEERS or not own.any():
            continue
        middle = np.median(odds[peers], axis=0)
        spread = _MAD_TO_SD * np.median(np.abs(odds[peers] - middle), axis=0)
        level[own], bar[own] = middle, expit(middle + _REACH * spread)
        for i in np.flatnonzero(own):
            words[i] = f"{kind} {n_peers} models)"
    return Start(ABOVE_SIZE, level, bar, np.zeros(odds.shape), tuple(words))


def sizes_and_bases(
    table: RunTable, models: Mapping[str, Model], facts: Iterable[ModelFact]
) -> tuple[FloatArray, list[str]]:
    """Return size in billions and base model of each run; ``nan`` and nothing where unknown."""
    said: dict[tuple[str, str], str] = {}
    for fact in facts:
        said.setdefault((fact.model, fact.field), fact.value)
    sizes, bases = [], []
    for name, _, _ in table.keys:
        model = models.get(name)
        size = model.params_b if model else None
        if size is None:
            try:
                size = float(said.get((name, "params_b"), ""))
            except ValueError:
                size = None
        sizes.append(size if size is not None and 0 < size < np.inf else np.nan)
        bases.append((model.base_model if model else "") or said.get((name, "base_model"), ""))
    return np.array(sizes, dtype=float), bases


def slopes(odds: FloatArray) -> FloatArray:
    """How far each benchmark's log-odds rise per step of what all benchmarks have in common.

    The common factor is the median of the standardised log-odds; each line runs through the
    medians of its lower and upper third, so that a few odd runs do not bend it.
    """
    middle = np.median(odds, axis=0)
    slope = np.maximum(_MAD_TO_SD * np.median(np.abs(odds - middle), axis=0), 0.05)
    third = len(odds) // 3
    for _ in range(10):
        ability = np.median((odds - middle) / slope, axis=1)
        order = np.argsort(ability, kind="stable")
        low, high = order[:third], order[-third:]
        run = np.median(ability[high]) - np.median(ability[low])
        if run <= 0:
            break
        rise = np.median(odds[high], axis=0) - np.median(odds[low], axis=0)
        slope = np.maximum(rise / run, 0.05)
        middle = np.median(odds - np.outer(ability, slope), axis=0)
    return slope


@dataclass(frozen=True, eq=False)
class Expected:
    """What each run may reach without a hint, and from which of its benchmarks that follows."""

    bar: FloatArray
    error: FloatArray
    anchors: BoolArray


def expected_scores(
    odds: FloatArray, held: FloatArray, n: FloatArray, slope: FloatArray, start: Start
) -> Expected:
    """Let the third of a run's benchmarks that gained least say what it gained in general."""
    known = np.isfinite(odds) & np.isfinite(start.level)
    gain = np.where(known, (odds - start.level) / slope, np.inf)
    rank = np.argsort(np.argsort(gain, axis=1, kind="stable"), axis=1, kind="stable")
    n_known = known.sum(axis=1)
    n_anchors = np.maximum(2, np.ceil(n_known / 3)).astype(int)
    anchors = known & (rank < n_anchors[:, None]) & (n_known >= MIN_BENCHMARKS)[:, None]
    weight = np.where(anchors, slope**2 * n * held * (1 - held), 0.0)
    total = weight.sum(axis=1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        general = np.where(anchors, gain * weight, 0.0).sum(axis=1, keepdims=True) / total
        doubtful = 1 / np.sqrt(total)
    expected: FloatArray = expit(start.level + slope * np.maximum(general, 0))
    error = np.hypot(expected * (1 - expected) * slope * doubtful, start.error)
    return Expected(np.maximum(expected, start.bar), error, anchors)
