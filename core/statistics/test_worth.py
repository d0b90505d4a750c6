"""What a test on own cases is worth before it is made: how much better one would choose after it.

Each of k candidates' true score on the work is believed to be normal about the same mean, with
standard deviation s. A test of n paired cases errs in each score with variance v = τ²/(2n), where τ
is the standard deviation of a case-wise difference. The highest result is chosen; without a test,
any. All is on the 0 to 1 scale, and ``n_cases`` is ``None`` for a choice without a test.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from scipy.integrate import quad
from scipy.special import ndtr

if TYPE_CHECKING:
    from core.statistics.difference import Means

ASSUMED_SD = 0.03
"""s, where too few tests tell how far models differ from one to the next."""
SIZES = range(50, 1_001, 25)
"""Of a test that is suggested, in cases."""
_WRONG_AT_MOST = 1 / 8
_DRAWS, _SEED = 20_000, 21


def expected_maximum(k: int) -> float:
    """Return the expected maximum of k independent standard normals, by numerical integration."""
    return float(quad(lambda x: 1 - ndtr(x) ** k - ndtr(-x) ** k, 0, 40)[0])


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
    enough = (n for n in SIZES if chance_wrong(k, sd, spread, margin, n) <= _WRONG_AT_MOST)
    return next(enough, None)


def belief_sd(pairs: Means) -> float | None:
    """Return s from the differences of every two candidates, as ``gaps`` gives them.

    s² is half the predictive variance of a difference on one more test like these, s_d²(1 + 1/J),
    mean over the pairs; ``None`` where one has fewer than 5 effective tests, and without pairs.
    What the items of one test let a difference vary by is taken off where both models' are paired
    item by item, down to 0. Other errors are no more than upper bounds, which would make a test
    look worthless, and stay in.
    """
    on_these, on_others = np.square(pairs.standard_error)
    n_tests = pairs.dof[1] + 1
    known = False if pairs.from_items is None else pairs.from_items
    of_items = np.where(known, on_these * n_tests, 0.0)
    variance = on_others * (n_tests + 1) - of_items
    if not variance.size or np.isnan(variance).any():
        return None
    return math.sqrt(max(float(variance.mean()) / 2, 0.0))
