"""Scores that cannot be, or that guessing would beat.

Sources
-------
Chance levels: see ``CHANCE``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from core.evidence.quality.item_counts import no_whole_items
from core.evidence.quality.rules import BELOW_CHANCE, OUTSIDE_SCALE
from core.evidence.quality.run_table import Mark, as_printed, places

if TYPE_CHECKING:
    from collections.abc import Mapping

    from core.evidence.quality.run_table import RunTable

CHANCE: Mapping[str, float] = {
    # Four options: arXiv:2009.13081 (the version that harness and HELM run), arXiv:2203.14371.
    "medqa": 1 / 4,
    "med_qa": 1 / 4,
    "medmcqa": 1 / 4,
    "med_mcqa": 1 / 4,
    # Four options: arXiv:2009.03300.
    "mmlu_anatomy": 1 / 4,
    "mmlu_clinical_knowledge": 1 / 4,
    "mmlu_college_biology": 1 / 4,
    "mmlu_college_medicine": 1 / 4,
    "mmlu_medical_genetics": 1 / 4,
    "mmlu_professional_medicine": 1 / 4,
    "mmlu_medicine": 1 / 4,
    # Yes, no, maybe: arXiv:1909.06146.
    "pubmedqa": 1 / 3,
    "pubmed_qa": 1 / 3,
    # huggingface.co/docs/leaderboards/open_llm_leaderboard/normalization. One question in six of
    # MMLU-Pro has fewer than ten options, so its real chance lies a little higher: one tenth is
    # the careful choice.
    "gpqa": 1 / 4,
    "mmlu_pro": 1 / 10,
    # 2, 5 and 3 options over 250, 256 and 250 questions.
    "musr": (250 / 2 + 256 / 5 + 250 / 3) / 756,
    # 1 over the options of each of the 24 tasks, weighted by their questions.
    "bbh": 0.288,
}
"""Expected score of guessing, by benchmark; a benchmark that is missing is not judged."""
_BELOW_CHANCE_ERRORS = 4.0


def outside_scale(table: RunTable) -> list[Mark]:
    """Flag scores that lie outside the scale of their benchmark."""
    low = np.array([b.scale_min for b in table.benchmarks], dtype=float)
    high = low + table.width
    outside = ~np.isnan(table.printed) & np.isnan(table.share)
    return [
        Mark(
            i,
            OUTSIDE_SCALE,
            j,
            f"{table.benchmarks[j].name}: {table.printed[i, j]:g} lies outside the scale "
            f"from {low[j]:g} to {high[j]:g}.",
        )
        for i, j in places(outside)
    ]


def below_chance(table: RunTable) -> list[Mark]:
    """Flag scores that guessing would beat, measured in the standard errors of guessing."""
    _, doubt = no_whole_items(table)
    chance = np.array([CHANCE.get(b.id, np.nan) for b in table.benchmarks], dtype=float)
    guessing = np.sqrt(chance * (1 - chance) / np.where(doubt, np.nan, table.items))
    error = np.where(np.isfinite(guessing), guessing, table.errors)
    with np.errstate(invalid="ignore", divide="ignore"):
        below = (chance - table.share) / error
    return [
        Mark(
            i,
            BELOW_CHANCE,
            j,
            f"{table.benchmarks[j].name}: {as_printed(table, i, j)} is {below[i, j]:.1f} standard "
            f"errors below guessing ({chance[j] * table.width[j]:.3g}); the answers may not have "
            "been read as the model meant them.",
        )
        for i, j in places(below > _BELOW_CHANCE_ERRORS)
    ]
