"""How many cases tell whether one model is as good as another within a margin, pair by pair.

Paired non-inferiority: both models answer the same cases, and worse by the margin or more is to be
rejected at 2.5 % one-sided. What varies are the case-wise differences: right or wrong by the share
of cases on which one is right and the other wrong (discordance π, variance π − δ² at the true
difference δ), scores by their standard deviation.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from scipy.special import nctdtr, ndtri, stdtrit

from core.domain import BadRequestError
from core.statistics.items import LEAST_EXPECTED, restricted_share

ALPHA = 0.025
_MOST = 1_000_000


@dataclass(frozen=True, slots=True)
class SampleSize:
    """Cases that both models answer, by three ways of counting."""

    n_normal: int
    """By the normal formula: (z_α + z_β)² · variance/(m + δ)², rounded up."""
    n_t: int
    """The fewest with the power by Student's t, which judges the result."""
    n_score: int | None
    """By the score test (Nam 1997), which holds its error where few cases differ; ``None`` for
    scores."""
    few_differ: bool
    """Whether among ``n_t`` cases so few would differ that the score test decides."""

    @property
    def by(self) -> str:
        """What the number to go by is counted with."""
        return "score test, since few cases differ" if self.few_differ else "Student's t"

    @property
    def n_cases(self) -> int:
        """The number to go by."""
        return max(self.n_t, self.n_score or 0) if self.few_differ else self.n_t


def sample_size(
    margin: float,
    *,
    difference: float = 0.0,
    discordance: float | None = None,
    sd: float | None = None,
    power: float = 0.8,
    n_candidates: int = 1,
) -> SampleSize:
    """Count the cases that show a candidate as good within a margin, if it truly is.

    Parameters
    ----------
    margin
        Largest loss that still counts as good, 0 to 1 scale.
    difference
        True difference δ assumed, candidate minus model, 0 to 1 scale.
    discordance, sd
        One of the two. Discordance: for right or wrong, the share of cases on which one model is
        right and the other wrong. sd: for scores, the standard deviation of the case-wise
        differences, 0 to 1 scale.
    power
        How often a test of so many cases shows it.
    n_candidates
        Held against one model in one test, 1 or more. *Shown* is by Holm over all of them, which
        for the only one that is good is Bonferroni's α/k. With that level each has the power,
        whatever the others are; where others are good too it is more.

    Notes
    -----
    The normal formula takes the variance as known and falls two cases or so short of the power of
    Student's t; ``n_t`` is exact for normal differences (as R's ``power.t.test``). For right or
    wrong see ``core.statistics.items.score_p``: with v₀ the variance at the margin, by the
    estimate that is restricted to it, Nam (Biometrics 53, 1997) has
    n = (z_α √v₀ + z_β √(π − δ²))²/(m + δ)².
    """
    variance = _variance(margin, difference, discordance, sd, power)
    gap, alpha = margin + difference, ALPHA / n_candidates
    z_alpha, z_beta = float(ndtri(1 - alpha)), float(ndtri(power))
    exact = (z_alpha + z_beta) ** 2 * variance / gap**2
    if exact > _MOST:
        raise BadRequestError(
            f"A margin of {margin * 100:g} points at a difference of {difference * 100:g} needs "
            f"more than {_MOST:,} cases."
        )
    n_normal = max(_up(exact), 2)
    n_t = n_normal
    while _power_of_t(n_t, gap, variance, alpha) < power:
        n_t += 1
    if discordance is None:
        return SampleSize(n_normal, n_t, None, few_differ=False)
    seen = (discordance + difference) / 2, (discordance - difference) / 2
    share = float(restricted_share(*seen, margin))
    at_margin = 2 * share - margin - margin * margin
    z = z_alpha * math.sqrt(at_margin) + z_beta * math.sqrt(variance)
    return SampleSize(
        n_normal, n_t, max(_up(z * z / gap**2), 2), n_t * (share - margin) < LEAST_EXPECTED
    )


def _up(n: float) -> int:
    """Round up, but for what rounding in the last place adds to a whole number."""
    return math.ceil(n - 1e-9 * n)


def _power_of_t(n: int, gap: float, variance: float, alpha: float) -> float:
    """Power of the one-sided paired t test for a mean that is off by ``gap``."""
    if variance == 0:
        return 1.0
    critical = float(stdtrit(n - 1, 1 - alpha))
    return 1 - float(nctdtr(n - 1, gap * math.sqrt(n / variance), critical))


def _variance(
    margin: float, difference: float, discordance: float | None, sd: float | None, power: float
) -> float:
    """Return the variance of case-wise differences; a number out of range is one sentence."""
    if not 0 <= margin < 1:
        raise BadRequestError(f"The margin must be 0 or more and below 1; it is {margin:g}.")
    if not -1 < difference < 1:
        raise BadRequestError(
            f"The true difference must lie between -1 and 1; it is {difference:g}."
        )
    if not 0.5 <= power <= 0.99:
        raise BadRequestError(f"The power must be 0.5 to 0.99; it is {power:g}.")
    if margin + difference <= 0:
        raise BadRequestError(
            f"A candidate that truly is {-difference * 100:g} points worse is never shown to be "
            f"within {margin * 100:g} points: the margin must be the larger."
        )
    if (discordance is None) == (sd is None):
        raise BadRequestError("Give either the discordance or the standard deviation.")
    if discordance is not None:
        if not 0 < discordance <= 1:
            raise BadRequestError(
                f"The discordance must be above 0 and at most 1; it is {discordance:g}."
            )
        if discordance < abs(difference):
            raise BadRequestError(
                f"Models that differ on {discordance * 100:g} % of the cases cannot be "
                f"{abs(difference) * 100:g} points apart."
            )
        return discordance - difference * difference
    assert sd is not None
    if not 0 < sd <= 1:
        raise BadRequestError(
            f"The standard deviation must be above 0 and at most 1; it is {sd:g}."
        )
    return sd * sd
