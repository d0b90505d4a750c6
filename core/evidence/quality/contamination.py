"""Hints that the questions of some benchmarks were seen in training.

Sources
-------
Multiple tests: Bonferroni, one-sided, at 0.01 over all scores compared, the level that
doi 10.2196/72918 uses.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from scipy.special import logit
from scipy.stats import norm

from core.evidence.quality.expectations import (
    MIN_BENCHMARKS,
    expected_scores,
    sizes_and_bases,
    slopes,
    start_from_base,
    start_from_size,
)
from core.evidence.quality.item_counts import no_whole_items
from core.evidence.quality.run_table import N_NAMED, Mark
from core.evidence.quality.scale_and_chance import CHANCE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from core.domain import Benchmark, FloatArray, Model, ModelFact
    from core.evidence.quality.identity import Names
    from core.evidence.quality.run_table import RunTable

_ALPHA = 0.01
_FAR = 0.08
"""JSL-MedLlama-3-8B-v1.0 has 8 points more on MedQA than its base, no more than training on the
published practice questions may bring; only more than that is far."""
_MIN_HARNESS = 20


def hints(
    table: RunTable, models: Mapping[str, Model], facts: Sequence[ModelFact], names: Names
) -> list[Mark]:
    """Flag runs far above what base model, size and own other scores let expect."""
    _, doubt = no_whole_items(table)
    chance = np.array(
        [b.id in CHANCE and not b.lower_is_better for b in table.benchmarks], dtype=bool
    )
    columns = np.flatnonzero(chance & np.isfinite(table.items) & ~doubt)
    if len(columns) < MIN_BENCHMARKS:
        return []
    share, n = table.share[:, columns], table.items[columns]
    edge = 0.5 / n  # a full score still has finite log-odds
    held = np.clip(share, edge, 1 - edge)
    odds: FloatArray = logit(held)
    sound = table.harness & np.isfinite(share).all(axis=1)
    whole = np.flatnonzero(sound)
    again = pd.Series([table.keys[i][0] for i in whole], dtype="str").duplicated().to_numpy()
    sound[whole[again]] = False  # one run for each model
    if sound.sum() < _MIN_HARNESS:
        return []
    slope = slopes(odds[sound])
    typical = np.median(share[sound], axis=0)
    sizes, bases = sizes_and_bases(table, models, facts)
    starts = (
        start_from_base(table, bases, share, edge, n, names),
        start_from_size(table, sizes, odds, sound),
    )
    expected = [expected_scores(odds, held, n, slope, start) for start in starts]
    own_error = np.sqrt(held * (1 - held) / (n - 1))
    steps = [(share - e.bar) / np.hypot(own_error, e.error) for e in expected]
    limit = norm.isf(_ALPHA / max(sum(int(np.isfinite(z).sum()) for z in steps), 1))
    marks: dict[int, Mark] = {}
    for start, reach, z in zip(starts, expected, steps, strict=True):
        with np.errstate(invalid="ignore"):
            hit = (z > limit) & (share - reach.bar >= _FAR) & (share > typical)
        for i in np.flatnonzero(hit.any(axis=1)).tolist():
            high = sorted(np.flatnonzero(hit[i]).tolist(), key=lambda j: (-z[i, j], j))
            stay = np.flatnonzero(reach.anchors[i] & ~hit[i]).tolist()
            seen = [(columns[j], share[i, j], reach.bar[i, j], z[i, j]) for j in high]
            rest = [(columns[j], share[i, j]) for j in stay]
            words = _hint_words(table.benchmarks, seen, rest, start.words[i])
            marks.setdefault(i, Mark(i, start.rule, -1, words))
    return list(marks.values())


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
