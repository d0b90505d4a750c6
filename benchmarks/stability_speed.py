"""Time of a taxonomy's stability over 1,000 resamples, against R's pvclust on the same scores.

The cohort is that of the taxonomy paper: 33 models, 6 benchmarks of Open LLM Leaderboard v2.
pvclust resamples benchmarks at its one scale r = 1 and counts branches; ours counts branches,
pairs in one cluster and the likeness of clusters. R's own clock is taken around pvclust alone,
so that starting R does not count. Both take turns, and medians are compared.

Run: python -m benchmarks.stability_speed
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import TYPE_CHECKING, get_args

import numpy as np

from core.answers import data
from core.domain import Selection
from core.evidence.store import open_store
from core.statistics.taxonomy import Noise, build_taxonomy, stability

if TYPE_CHECKING:
    from core.domain import ScoreMatrix

N_RESAMPLES, REPETITIONS = 1000, 5
PVCLUST = """
    suppressMessages(library(pvclust))
    z <- t(as.matrix(read.csv(commandArgs(TRUE)[1], header = FALSE)))
    colnames(z) <- paste0("m", seq_len(ncol(z)))
    taken <- system.time(pvclust(z, method.hclust = "complete", method.dist = "manhattan",
                                 nboot = 1000, r = 1, iseed = 1, quiet = TRUE))
    cat(taken[["elapsed"]])
"""


def cohort() -> ScoreMatrix:
    """Return the scores of the paper's cohort on general benchmarks."""
    return data.matrix(open_store(), Selection("open-llm-v2", "taxonomy-portraits"))


def seconds_of_r(scores: Path) -> float | None:
    """Return what pvclust takes; ``None`` where it is not installed."""
    rscript = shutil.which("Rscript")
    if rscript is None:
        return None
    done = subprocess.run(
        [rscript, "-e", PVCLUST, str(scores)], capture_output=True, text=True, check=False
    )
    return float(done.stdout.split()[-1]) if done.returncode == 0 else None


def main() -> None:
    """Print the medians in milliseconds and the ratio of R's to ours, per kind of noise."""
    matrix = cohort()
    taxonomy = build_taxonomy(matrix)
    ours: dict[Noise, list[float]] = {noise: [] for noise in get_args(Noise)}
    rs = []
    with tempfile.TemporaryDirectory() as folder:
        scores = Path(folder) / "scores.csv"
        np.savetxt(scores, taxonomy.standardised, delimiter=",", fmt="%.17g")
        for _ in range(REPETITIONS):
            for noise, times in ours.items():
                start = perf_counter()
                stability(matrix, taxonomy, noise=noise, n_resamples=N_RESAMPLES)
                times.append(perf_counter() - start)
            taken = seconds_of_r(scores)
            if taken is None:
                print("There is no Rscript with pvclust here, so there is nothing to compare with.")
                break
            rs.append(taken)
    for noise, times in ours.items():
        line = f"stability, {noise}, {N_RESAMPLES} resamples: {median(times) * 1000:.0f} ms"
        if rs:
            line += f"; pvclust {median(rs) * 1000:.0f} ms, {median(rs) / median(times):.0f} times"
        print(line)


if __name__ == "__main__":
    main()
