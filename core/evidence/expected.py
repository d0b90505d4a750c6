"""Which runs stand far above what their base model, their size and their other scores let expect.

A hint that questions were seen in training, by docs/methods.md, "Plausibility of a run". The level
of 0.01 over all scores compared is that of doi 10.2196/72918.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from scipy.special import expit, logit
from scipy.stats import norm

from core.evidence.tables import as_number

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from core.domain import Benchmark, FloatArray, Model, ModelFact
    from core.evidence.flags import Mark, Names, RunTable

    BoolArray = NDArray[np.bool_]

ABOVE_BASE = "far above its base model on some benchmarks"
ABOVE_SIZE = "far above runs of its size on some benchmarks"
N_NAMED = 3
"""A detail names so many and counts the rest."""
_ALPHA = 0.01
_FAR = 0.08
"""JSL-MedLlama-3-8B-v1.0 has 8 points more on MedQA than its base, no more than training on the
published practice questions may bring; only more than that is far."""
_MIN_HARNESS = 20
_MIN_BENCHMARKS = 4
_MIN_PEERS = 10
_REACH = 0.75
"""Robust standard deviations over the median: about three peers in four lie below."""
_SIZE_FACTOR = 1.5
_MAD_TO_SD = 1.4826


def hints(
    table: RunTable,
    judged: BoolArray,
    models: Mapping[str, Model],
    facts: Sequence[ModelFact],
    names: Names,
) -> dict[str, list[Mark]]:
    """Flag runs far above what base model, size and own other scores let expect, by rule.

    Only by the benchmarks that are ``judged``, shape (n_benchmarks,).
    """
    columns = np.flatnonzero(judged)
    if len(columns) < _MIN_BENCHMARKS:
        return {}
    share, n = table.share[:, columns], table.items[columns]
    edge = 0.5 / n  # a full score still has finite log-odds
    held = np.clip(share, edge, 1 - edge)
    odds: FloatArray = logit(held)
    sound = table.harness & np.isfinite(share).all(axis=1)
    whole = np.flatnonzero(sound)
    again = pd.Series([table.keys[i][0] for i in whole], dtype="str").duplicated().to_numpy()
    sound[whole[again]] = False  # one run for each model
    if sound.sum() < _MIN_HARNESS:
        return {}
    slope = slopes(odds[sound])
    typical = np.median(share[sound], axis=0)
    sizes, bases = sizes_and_bases(table, models, facts)
    starts = (
        start_from_base(table, bases, share, edge, n, names),
        start_from_size(table, sizes, odds, sound),
    )
    expected = [expected_scores(odds, held, n, slope, start) for start in starts]
    own_error = np.sqrt(held * (1 - held) / (n - 1))
    steps = [(share - bar) / np.hypot(own_error, error) for bar, error, _ in expected]
    limit = norm.isf(_ALPHA / max(sum(int(np.isfinite(z).sum()) for z in steps), 1))
    marks: dict[str, list[Mark]] = {}
    marked: set[int] = set()
    for start, (bar, _, anchors), z in zip(starts, expected, steps, strict=True):
        with np.errstate(invalid="ignore"):
            hit = (z > limit) & (share - bar >= _FAR) & (share > typical)
        for i in np.flatnonzero(hit.any(axis=1)).tolist():
            high = sorted(np.flatnonzero(hit[i]).tolist(), key=lambda j: (-z[i, j], j))
            stay = np.flatnonzero(anchors[i] & ~hit[i]).tolist()
            seen = [(columns[j], share[i, j], bar[i, j], z[i, j]) for j in high]
            rest = [(columns[j], share[i, j]) for j in stay]
            words = _hint_words(table.benchmarks, seen, rest, start.words[i])
            if i not in marked:
                marks.setdefault(start.rule, []).append((i, -1, words))
            marked.add(i)
    return marks


def _hint_words(
    benchmarks: Sequence[Benchmark],
    high: Sequence[tuple[int, float, float, float]],
    rest: Sequence[tuple[int, float]],
    start: str,
) -> str:
    named = [
        f"{benchmarks[j].name} {score:.3f} (at most {bar:.3f} expected, {z:.1f} standard errors)"
        for j, score, bar, z in high[:N_NAMED]
    ]
    if len(high) > N_NAMED:
        named.append(f"{len(high) - N_NAMED} more")
    others = ", ".join(f"{benchmarks[j].name} {score:.3f}" for j, score in rest)
    own = f" and its own scores on other benchmarks ({others})" if rest else ""
    return (
        f"{', '.join(named)}: more than {start}{own} would suggest; a hint, no proof, that "
        "these questions were seen in training."
    )


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
            size = as_number(said.get((name, "params_b")))
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


def expected_scores(
    odds: FloatArray, held: FloatArray, n: FloatArray, slope: FloatArray, start: Start
) -> tuple[FloatArray, FloatArray, BoolArray]:
    """Return what each run may reach without a hint, its error, and what that follows from.

    The third of a run's benchmarks that gained least says what it gained in general.
    """
    known = np.isfinite(odds) & np.isfinite(start.level)
    gain = np.where(known, (odds - start.level) / slope, np.inf)
    rank = np.argsort(np.argsort(gain, axis=1, kind="stable"), axis=1, kind="stable")
    n_known = known.sum(axis=1)
    n_anchors = np.maximum(2, np.ceil(n_known / 3)).astype(int)
    anchors = known & (rank < n_anchors[:, None]) & (n_known >= _MIN_BENCHMARKS)[:, None]
    weight = np.where(anchors, slope**2 * n * held * (1 - held), 0.0)
    total = weight.sum(axis=1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        general = np.where(anchors, gain * weight, 0.0).sum(axis=1, keepdims=True) / total
        doubtful = 1 / np.sqrt(total)
    expected: FloatArray = expit(start.level + slope * np.maximum(general, 0))
    error = np.hypot(expected * (1 - expected) * slope * doubtful, start.error)
    return np.maximum(expected, start.bar), error, anchors
