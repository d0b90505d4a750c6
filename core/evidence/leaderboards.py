"""Every leaderboard: what reads a table of each, and what pulls the newest of those that live."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.evidence.sources import (
    bridge,
    chi_bench,
    helm_releases,
    lmarena_medicine,
    medagentsbench,
    medmarks,
    open_llm_v2,
    open_medical_llm,
    published_tables,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from core.domain import ScoreTable
    from core.evidence.sources.table import LiveSource

PARSERS: dict[str, Callable[[Path], ScoreTable]] = {
    open_medical_llm.SUITE: open_medical_llm.parse,
    open_llm_v2.SUITE: open_llm_v2.parse,
    "medhelm": published_tables.medhelm,
    "benchhealth": published_tables.benchhealth,
    bridge.SUITE: bridge.parse,
    "noharm": published_tables.noharm,
    chi_bench.SUITE: chi_bench.parse,
    medagentsbench.SUITE: medagentsbench.parse,
    lmarena_medicine.SUITE: lmarena_medicine.parse,
    "vectara-hhem": published_tables.vectara_hhem,
}

LIVE: dict[str, LiveSource] = {
    source.SUITE: source
    for source in (
        *(open_medical_llm, open_llm_v2, bridge, lmarena_medicine),
        *(helm_releases, medmarks),
    )
}
