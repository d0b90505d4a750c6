"""How far one benchmark repeats another (doi 10.2196/72918)."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Literal

import numpy as np
from scipy.special import stdtr

from core.domain import BadRequestError, BenchmarkPair, Redundancy, TooFewError
from core.statistics.ranks import average_ranks
from core.statistics.score_matrix import complete, oriented

if TYPE_CHECKING:
    from core.domain import ScoreMatrix

_SIGNIFICANCE = 0.01


def correlate(
    matrix: ScoreMatrix, *, method: Literal["pearson", "spearman"] = "pearson"
) -> Redundancy:
    """Correlate each pair of benchmarks over the models that have all of them.

    Parameters
    ----------
    matrix : ScoreMatrix
        Models without a score on some benchmark are left out and listed in ``excluded``. Scores
        are turned so that higher is better before they are correlated.
    method : {"pearson", "spearman"}
        Spearman ranks ties by their mean rank.

    Returns
    -------
    Redundancy
        Pairs in the benchmarks' order with r and its two-sided p-value from Student's t with
        n − 2 degrees of freedom, as ``scipy.stats`` gives them; significant where p is below
        ``alpha`` = 0.01/M over M = b(b − 1)/2 pairs. A benchmark on which all models score the
        same gives r = p = ``nan``, not significant.

    Raises
    ------
    BadRequestError
        An unknown method.
    TooFewError
        Fewer than two benchmarks, or fewer than three complete models.
    """
    if method not in ("pearson", "spearman"):
        raise BadRequestError(f"Correlation {method} is not one of pearson, spearman.")
    b = len(matrix.benchmarks)
    if b < 2:
        raise TooFewError(f"A correlation takes at least 2 benchmarks; there are {b}.")
    kept = complete(matrix)
    n = len(kept.models)
    if n < 3:
        raise TooFewError(
            f"A correlation takes at least 3 models with every benchmark; there are {n}."
        )
    scores = oriented(kept)
    values = average_ranks(scores) if method == "spearman" else scores
    centred = values - values.mean(axis=0)
    # Not by the SD: that of a constant column can come out as rounding noise instead of 0.
    varies = values.max(axis=0) > values.min(axis=0)
    length = np.where(varies, np.sqrt((centred * centred).sum(axis=0)), np.nan)
    unit = centred / length
    r = np.clip(unit.T @ unit, -1.0, 1.0)
    with np.errstate(divide="ignore"):
        t = np.abs(r) * np.sqrt((n - 2) / ((1 - r) * (1 + r)))
    p = 2 * stdtr(n - 2, -t)
    alpha = _SIGNIFICANCE / (b * (b - 1) / 2)
    return Redundancy(
        suite=kept.suite,
        cohort=kept.cohort,
        method=method,
        alpha=alpha,
        pairs=tuple(
            BenchmarkPair(
                a=kept.benchmarks[i].id,
                b=kept.benchmarks[j].id,
                r=float(r[i, j]),
                p_value=float(p[i, j]),
                significant=bool(p[i, j] < alpha),
                n_models=n,
            )
            for i, j in combinations(range(b), 2)
        ),
        excluded=kept.excluded,
        snapshot=kept.snapshot,
    )
