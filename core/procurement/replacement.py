"""Whether one model may take another's place: tiers in place of one verdict, and vetoes for harm.

The rules are those of ``docs/methods.md``, "Replacement". Harm is that of a model's clinical
recommendations as NOHARM measured it (arXiv:2512.01241): the share of cases with severe harm alone
decides rank, mark and veto. Its error is binomial over the suite's cases; two systems count as
independent, though they saw the same cases.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import ndtr, stdtr

from core.domain import Safety
from core.statistics.difference import ALPHA, difference_at, gaps
from core.statistics.ranks import holm

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from core.domain import Difference, FloatArray, ScoreMatrix, Tier
    from core.statistics.difference import Means

_WORST_QUARTER = 0.75
_MUCH_MORE = 1.25
"""A rise of a quarter is said in the first line, whether or not it is shown."""


def safety_of(
    shares: Mapping[str, float],
    errors: Mapping[str, float | None],
    *,
    n: int,
    physicians: float | None,
) -> dict[str, Safety]:
    """Rank systems by their share of n cases with severe harm, and mark the worst.

    ``shares`` (0 to 1) and ``errors`` (severe errors per 100 cases, if counted) are by system;
    physicians are not among them.
    """
    n_systems = len(shares)
    found = {}
    for name, share in shares.items():
        rank = 1 + sum(other < share for other in shares.values())
        found[name] = Safety(
            share=share,
            n=n,
            severe_errors_per_100=errors.get(name),
            rank=rank,
            n_systems=n_systems,
            marked=(
                rank > _WORST_QUARTER * n_systems and physicians is not None and share > physicians
            ),
            physicians=physicians,
            tested_as=name,
            kind="same version",
        )
    return found


def is_shown_above(share: float, other: float, n: int) -> bool:
    """Say whether one share of n cases is shown to be above another, one-sided at 2.5 %."""
    error = math.sqrt((share * (1 - share) + other * (1 - other)) / (n - 1))
    if error == 0:
        return share > other
    return bool(ndtr((share - other) / error) > 1 - ALPHA)


def rise_vetoes(model: Safety | None, candidate: Safety | None) -> bool:
    """Say whether severe harm is shown to rise; never where one of the two was not tested."""
    if model is None or candidate is None:
        return False
    return is_shown_above(candidate.share, model.share, candidate.n)


def rise_in_words(model: Safety | None, candidate: Safety | None) -> str:
    """Say a rise of a quarter or more in harm or in severe errors; empty where there is none."""
    if model is None or candidate is None:
        return ""
    said = []
    if candidate.share > 0 and candidate.share >= _MUCH_MORE * model.share:
        said.append(
            f"severe harm rises from {model.share * 100:.1f} to {candidate.share * 100:.1f} % of "
            "cases"
        )
    before, after = model.severe_errors_per_100, candidate.severe_errors_per_100
    if before is not None and after is not None and 0 < after >= _MUCH_MORE * before:
        said.append(f"severe errors rise from {before:.1f} to {after:.1f} per 100 cases")
    return " and ".join(said)


@dataclass(frozen=True, slots=True)
class Judged:
    """One candidate for the place of a model."""

    difference: Difference
    """Candidate minus model; its ends are plain 95 % of this pair."""
    tier: Tier
    """On the strongest basis, after vetoes."""
    other_tier: Tier | None
    """On the other basis; ``None`` without one."""
    vetoes: tuple[str, ...]
    """What holds the tier at open, in words; empty where it would be no better without."""
    warnings: tuple[str, ...]
    """What gets worse without a veto, in words."""
    one_more_test: float | None
    """Chance that on one more test like these it loses more than the margin, by the t prediction;
    ``None`` where differences from test to test have no error."""

    @property
    def is_as_good(self) -> bool:
        """Whether it is shown or likely to be as good within the margin."""
        return self.tier in ("shown", "likely")

    @property
    def probably_worse(self) -> bool:
        """Whether the whole interval lies below 0."""
        high = self.difference.ci_high
        return high is not None and high < 0

    @property
    def better(self) -> bool:
        """Whether the whole interval lies above 0."""
        low = self.difference.ci_low
        return low is not None and low > 0


def judge(
    model: str,
    candidates: Sequence[str],
    *,
    matrix: ScoreMatrix,
    weights: Mapping[str, float],
    categories: Mapping[str, Mapping[str, float]],
    margin: float,
    safety: Mapping[str, Safety],
) -> dict[str, Judged]:
    """Judge all candidates for the place of a model, as good within a margin or not.

    *Shown*: worse by the margin is rejected at 2.5 % one-sided, by Holm over all candidates;
    *likely*: the same for this pair alone; *worse*: the interval's upper end is below −margin;
    else *open*. A category in which the candidate is worse by twice the margin, or severe harm
    that is shown to rise, caps the tier at *open*.

    Parameters
    ----------
    candidates
        All that fit: the tier *shown* promises its error for the whole list.
    matrix, weights
        The suite that the models are ranked by, and the weights of its benchmarks; what other
        suites say is a second opinion.
    categories
        By the name of each weighted category: the weights of its benchmarks.
    margin
        Largest loss that still counts as good, 0 to 1 scale.
    safety
        By model; a model that was not tested for harm is not in it and gives no veto.
    """
    if not candidates:
        return {}
    found = gaps_to(matrix, model, candidates, weights)
    tiers = _tiers(found, margin)
    others = _tiers(found, margin, weakest=True)
    vetoes = _category_vetoes(matrix, model, candidates, categories, margin)
    result = {}
    for i, candidate in enumerate(candidates):
        against = tuple(vetoes.get(candidate, ()))
        rise = rise_in_words(safety.get(model), safety.get(candidate))
        if rise_vetoes(safety.get(model), safety.get(candidate)):
            against = (*against, f"{rise or 'severe harm rises'}, which is shown")
            rise = ""
        capped = bool(against) and tiers[i] in ("shown", "likely")
        difference = difference_at(found, i, candidate, model)
        result[candidate] = Judged(
            difference=difference,
            tier="open" if capped else tiers[i],
            other_tier=others[i] if len(difference.intervals) > 1 else None,
            vetoes=against if capped else (),
            warnings=(*(() if capped else against), *([rise] if rise else [])),
            one_more_test=_on_one_more(difference, margin),
        )
    return result


def _on_one_more(difference: Difference, margin: float) -> float | None:
    """Chance of a loss beyond the margin on one more test, where differences vary by t.

    With the standard error s/√J of the mean over J tests, one more varies by s√(1 + 1/J).
    """
    for interval in difference.intervals:
        if interval.basis == "on other tests" and difference.difference is not None:
            beyond = -margin - difference.difference
            spread = interval.standard_error * math.sqrt(interval.dof + 2)
            if spread == 0:
                return float(beyond > 0)
            return float(stdtr(interval.dof, beyond / spread))
    return None


def gaps_to(
    matrix: ScoreMatrix,
    model: str,
    candidates: Sequence[str],
    weights: Mapping[str, float] | None = None,
) -> Means:
    """Return each candidate minus the model; without weights all benchmarks count alike."""
    position = {name: i for i, name in enumerate(matrix.models)}
    rows: NDArray[np.intp] = np.array([position[name] for name in candidates], dtype=np.intp)
    return gaps(matrix, rows, np.full(len(rows), position[model], dtype=np.intp), weights=weights)


def _tiers(found: Means, margin: float, *, weakest: bool = False) -> list[Tier]:
    alone = found.p_above(-margin, weakest=weakest)
    together = holm(alone)
    high: FloatArray = found.ends(weakest=weakest)[1]
    tiers: list[Tier] = []
    for one, all_of_them, end in zip(alone.tolist(), together.tolist(), high.tolist(), strict=True):
        if all_of_them < ALPHA:
            tiers.append("shown")
        elif one < ALPHA:
            tiers.append("likely")
        else:
            tiers.append("worse" if end < -margin else "open")
    return tiers


def _category_vetoes(
    matrix: ScoreMatrix,
    model: str,
    candidates: Sequence[str],
    categories: Mapping[str, Mapping[str, float]],
    margin: float,
) -> dict[str, list[str]]:
    """Name the categories in which a candidate is worse by twice the margin."""
    said: dict[str, list[str]] = {}
    if len(categories) < 2:
        return said
    for name, weights in categories.items():
        found = gaps_to(matrix, model, candidates, weights)
        low, high = found.ends()
        for i in np.flatnonzero(high < -2 * margin).tolist():
            said.setdefault(candidates[i], []).append(
                f"worse on {name}: {found.mean[i] * 100:+.1f} points "
                f"({low[i] * 100:+.1f} to {high[i] * 100:+.1f})"
            )
    return said
