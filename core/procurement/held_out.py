"""Held-out gains: choose on one half of the benchmarks, judge on the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from core.domain.patience import still_wanted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from core.domain import FloatArray
    from core.procurement.by_category import ByCategory

    IntArray = NDArray[np.intp]

_DIGITS = 12
"""Scores that agree to so many digits are equal: they were summed in another order."""


def held_out_gains(
    table: ByCategory, groups: Sequence[IntArray], single: int, *, n_splits: int, seed: int
) -> tuple[list[FloatArray], list[float | None]]:
    """Judge combinations on benchmarks that had no say in how they were chosen.

    Each of ``n_splits`` times the benchmarks of every category that has two or more are split at
    random into halves. What is chosen on one half is judged on the other, both ways round.

    Parameters
    ----------
    table : ByCategory
        Categories with a single benchmark are left out, and the weights of the others scaled up.
    groups : sequence of arrays of shape (n_groups, size)
        Combinations, as positions of their members in the table.
    single : int
        The model to which each combination is compared.

    Returns
    -------
    list of arrays of shape (n_groups,)
        Gain over ``single`` of each combination, whose assignment is chosen on a half; means over
        the splits. ``nan`` where no category has two benchmarks.
    list of float or None
        Per array of ``groups``, the gain of choosing the best combination over choosing the best
        single model, both on a half; 0 in a split where no combination promises more than the
        best single model. ``None`` where no category has two benchmarks, or there is no group.
    """
    if not can_be_split(table).any():
        return [np.full(len(members), np.nan) for members in groups], [None for _ in groups]
    totals = [np.zeros(len(members)) for members in groups]
    searches = [0.0 for _ in groups]
    for chosen_on, judged_on, share in _halves(table, n_splits, seed):
        overall = np.round(chosen_on @ share, _DIGITS)
        rival = overall.argmax()
        for number, members in enumerate(groups):
            if not len(members):
                continue
            best = chosen_on[members].argmax(axis=1)[:, None]
            promised, judged = (
                np.take_along_axis(scores[members], best, axis=1)[:, 0] @ share
                for scores in (chosen_on, judged_on)
            )
            totals[number] += judged - judged_on[single] @ share
            top = np.round(promised, _DIGITS).argmax()
            # Where no combination promises more, one would keep to the single model.
            if round(promised[top], _DIGITS) > overall[rival]:
                searches[number] += float(judged[top] - judged_on[rival] @ share)
    return (
        [total / (2 * n_splits) for total in totals],
        [
            search / (2 * n_splits) if len(members) else None
            for search, members in zip(searches, groups, strict=True)
        ],
    )


def _halves(
    table: ByCategory, n_splits: int, seed: int
) -> Iterator[tuple[FloatArray, FloatArray, FloatArray]]:
    """Category scores on one half of the benchmarks and on the other, and weights, both ways."""
    kept = can_be_split(table)
    spreads, share = table.spreads[kept], table.share[kept]
    share /= share.sum()
    rng = np.random.default_rng(seed)
    for _ in range(n_splits):
        still_wanted()
        half = _split(spreads > 0, rng)
        one, other = (
            np.round(table.values @ (part / part.sum(axis=1, keepdims=True)).T, _DIGITS)
            for part in (spreads * half, spreads * ~half)
        )
        yield one, other, share
        yield other, one, share


def _split(belongs: NDArray[np.bool_], rng: np.random.Generator) -> NDArray[np.bool_]:
    """Put about half of the benchmarks of every category into one half, at random.

    ``belongs`` has shape (categories, benchmarks). A subcategory may lie within a category, so
    the smaller ones go first.
    """
    half = np.zeros(belongs.shape[1], dtype=bool)
    placed = half.copy()
    for members in belongs[np.argsort(belongs.sum(axis=1), kind="stable")]:
        lead = int(half[members & placed].sum()) - int((~half[members & placed]).sum())
        for benchmark in rng.permutation(np.flatnonzero(members & ~placed)):
            half[benchmark] = lead < 0 or (lead == 0 and rng.random() < 0.5)
            lead += 1 if half[benchmark] else -1
            placed[benchmark] = True
    return half


def can_be_split(table: ByCategory) -> NDArray[np.bool_]:
    """Say which categories have two benchmarks or more."""
    return np.asarray((table.spreads > 0).sum(axis=1) >= 2)
