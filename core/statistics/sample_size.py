"""How many cases a test of own cases needs, what a number can show, and what a test is worth.

The worth of a test: each of k candidates' true score on the work is believed to be normal about the
same mean, with standard deviation s. A test of n paired cases errs in each score with variance
v = τ²/(2n), where τ is the standard deviation of a case-wise difference. The highest result is
chosen; without a test, any. All is on the 0 to 1 scale, and ``n_cases`` is ``None`` for a choice
without a test.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import scipy

from core.domain import BadRequestError
from core.statistics.items import ALPHA, LEAST_EXPECTED, restricted_share

_MOST = 1_000_000
_PARTS_PLANNED = 1.5 * LEAST_EXPECTED
"""Right answers' worth that graded cases should let fall to the candidate at the margin.

With it the losses that are rare and large are ruled out as often as Student's t rejects, by
simulation of marks and of shares; where ``LEAST_EXPECTED`` are expected, half as often."""


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
        """The number to go by; of scores `fewest_graded` may be more."""
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
        One of the two. Discordance π: for right or wrong, the share of cases on which one model is
        right and the other wrong, of variance π − δ². sd: for scores, the standard deviation of the
        case-wise differences, 0 to 1 scale.
    power
        How often a test of this many cases shows it.
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

    Examples
    --------
    (1.960 + 0.842)² · 0.2/0.05² = 628 by the normal formula:

    >>> plan = sample_size(0.05, discordance=0.2)
    >>> plan.n_normal, plan.n_cases, plan.by
    (628, 630, "Student's t")
    """
    variance = _variance(margin, difference, discordance, sd, power)
    gap, alpha = margin + difference, ALPHA / n_candidates
    z_alpha, z_beta = float(scipy.special.ndtri(1 - alpha)), float(scipy.special.ndtri(power))
    exact = (z_alpha + z_beta) ** 2 * variance / gap**2
    if exact > _MOST:
        raise BadRequestError(
            f"A margin of {margin * 100:g} points at a difference of {difference * 100:g} needs "
            f"more than {_MOST:,} cases."
        )

    def power_of_t(n: int) -> float:
        critical = float(scipy.special.stdtrit(n - 1, 1 - alpha))
        return 1 - float(scipy.special.nctdtr(n - 1, gap * math.sqrt(n / variance), critical))

    n_t = n_normal = max(_up(exact), 2)
    while variance and power_of_t(n_t) < power:
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


def fewest_graded(margin: float, sd: float, difference: float = 0.0) -> int:
    """Return the fewest graded cases by which a margin is *shown*, and not only *likely*.

    Below it ``core.statistics.items.margin_test`` cannot rule out that the candidate is rarely, but
    badly, worse: too few right answers' worth would fall to it at the margin. Of case-wise
    differences that are normal with mean δ, sd·φ(δ/sd) + δ·Φ(δ/sd) falls to it each; where many are
    0, as of marks, it is less. Parameters as of `sample_size`.

    Examples
    --------
    At 5 points and an SD of 20 it gains 0.0798 a case, of which 0.0609 stay at the margin:

    >>> fewest_graded(0.05, 0.2)  # 12 / 0.0609
    198
    """
    z = difference / sd
    gained = sd * math.exp(-z * z / 2) / math.sqrt(2 * math.pi)
    gained += difference * float(scipy.special.ndtr(z))
    share = float(restricted_share(gained, gained - difference, margin)) - margin
    return _up(min(_PARTS_PLANNED / share, _MOST)) if share > 0 else _MOST


def shown_margin(
    n_cases: int,
    *,
    difference: float = 0.0,
    discordance: float | None = None,
    sd: float | None = None,
    power: float = 0.8,
    n_candidates: int = 1,
) -> float:
    """Return the margin that this many cases show, if the candidate truly differs by this much.

    The inverse of the normal formula of `sample_size`, m = (z_α + z_β)·√(variance/n) − δ, whose
    parameters these are; 0 where that is below, since the candidate is then shown to be better.

    Examples
    --------
    (1.960 + 0.842) · √(0.2/100):

    >>> round(shown_margin(100, discordance=0.2), 3)
    0.125
    """
    # Any margin above the loss: it asks for one, and the variance does not depend on it.
    variance = _variance(0.999, difference, discordance, sd, power)
    reach = float(scipy.special.ndtri(1 - ALPHA / n_candidates)) + float(scipy.special.ndtri(power))
    return max(0.0, reach * math.sqrt(variance / n_cases) - difference)


def _up(n: float) -> int:
    """Round up, but for what rounding in the last place adds to a whole number."""
    return math.ceil(n - 1e-9 * n)


def _variance(
    margin: float, difference: float, discordance: float | None, sd: float | None, power: float
) -> float:
    """Return the variance of case-wise differences; a number out of range is one sentence."""
    if not 0 <= margin < 1:
        raise BadRequestError(f"The margin must be 0 or more and below 1; it is {margin:,.12g}.")
    if not -1 < difference < 1:
        raise BadRequestError(
            f"The true difference must lie between -1 and 1; it is {difference:,.12g}."
        )
    if not 0.5 <= power <= 0.99:
        raise BadRequestError(f"The power must be 0.5 to 0.99; it is {power:,.12g}.")
    if margin + difference <= 0:
        raise BadRequestError(
            f"A candidate that truly is {abs(difference) * 100:g} points worse is never shown to "
            f"be within {margin * 100:g} points: the margin must be the larger."
        )
    if (discordance is None) == (sd is None):
        raise BadRequestError("Give either the discordance or the standard deviation.")
    if discordance is not None:
        if not 0 < discordance <= 1:
            raise BadRequestError(
                f"The discordance must be above 0 and at most 1; it is {discordance:,.12g}."
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
            f"The standard deviation must be above 0 and at most 1; it is {sd:,.12g}."
        )
    return sd * sd


ASSUMED_SD = 0.03
"""s, where too few tests tell how far models differ from one to the next."""
SIZES = range(50, 1_001, 25)
"""Of a test that is suggested, in cases."""
_DRAWS, _SEED = 20_000, 21


def expected_maximum(k: int) -> float:
    """Return the expected maximum of k independent standard normals, by numerical integration."""
    return float(
        scipy.integrate.quad(
            lambda x: 1 - scipy.special.ndtr(x) ** k - scipy.special.ndtr(-x) ** k, 0, 40
        )[0]
    )


def expected_loss(k: int, sd: float, spread: float, n_cases: int | None) -> float:
    """Return how far below the best of k candidates the chosen one is expected to be.

    ``sd`` is s, ``spread`` τ: s·M·(1 − s/√(s² + v)) with M the expected maximum, 0 where s is 0.
    """
    error = math.inf if n_cases is None else spread / math.sqrt(2 * n_cases)
    return sd * expected_maximum(k) * (1 - sd / math.hypot(sd, error)) if sd else 0.0


def chance_wrong(k: int, sd: float, spread: float, margin: float, n_cases: int | None) -> float:
    """Return how often the chosen one is more than a margin below the best of k candidates.

    By 20,000 draws with a fixed seed, the same for all sizes of a test.
    """
    believed, error = np.random.default_rng(_SEED).standard_normal((2, _DRAWS, k))
    true = sd * believed
    seen = error if n_cases is None else true + spread / math.sqrt(2 * n_cases) * error
    loss = true.max(axis=1) - true[np.arange(_DRAWS), seen.argmax(axis=1)]
    return float((loss > margin).mean())


def suggested_cases(k: int, sd: float, spread: float, margin: float) -> int | None:
    """Return the least of ``SIZES`` that leaves at most one wrong choice in eight, if any does."""
    enough = (n for n in SIZES if chance_wrong(k, sd, spread, margin, n) <= 1 / 8)
    return next(enough, None)
