"""Combinations: a model per task category, from different clusters, against the best single one."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import combinations, zip_longest
from typing import TYPE_CHECKING

import numpy as np

from core.domain import BadRequestError, Exclusion, TooFewError
from core.procurement.by_category import by_category
from core.procurement.held_out import can_be_split, held_out_gains
from core.procurement.split_bill import split_bill, split_total
from core.statistics.difference import weighted_means

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from core.domain import Bill, IntervalBasis, ScoreMatrix
    from core.procurement.by_category import ByCategory
    from core.procurement.requirements import Weights
    from core.procurement.split_bill import SplitLine

    IntArray = NDArray[np.intp]

SIZES = (2, 3)
MOST_CANDIDATES = 25
N_SPLITS = 100
_DIGITS = 12
"""Scores that agree to so many digits are equal: they were summed in another order."""


@dataclass(frozen=True, slots=True)
class Portfolio:
    """Two or three models, each for the task categories in which it is the best of them."""

    models: tuple[str, ...]
    """By id; each has a category."""
    clusters: tuple[str, ...]
    assignment: tuple[tuple[str, str], ...]
    """Category and its model, in the order of the weights."""
    score: float
    """Weighted mean of the categories' best scores, 0 to 1: flattering, see ``portfolios``."""
    gain: float
    """The score minus that of the best single model; above 0."""
    ci_low: float | None
    ci_high: float | None
    interval_basis: IntervalBasis
    """The 95 % interval of the gain with this assignment as given."""
    held_out_gain: float | None
    """The gain on benchmarks that had no say in the assignment; ``None`` where no category has
    two benchmarks. May be below 0."""
    monthly_usd: float | None
    """Each category's requests at its model; ``None`` where it is not known."""
    lines: tuple[SplitLine, ...]
    """The bill line by line. Requests of no category that counts are at the member with the best
    score overall."""
    unpriced: tuple[str, ...]
    """The models whose bill is unknown."""


@dataclass(frozen=True, slots=True)
class Portfolios:
    """Combinations that do better than any one model, best first."""

    best_single: str
    best_single_score: float
    best_single_usd: float | None
    found: tuple[Portfolio, ...]
    n_better: int
    """How many combinations do better, of which ``found`` holds the first."""
    largest_gain: float | None
    """The largest gain of them all; ``None`` where there is none."""
    n_tried: int
    candidates: tuple[str, ...]
    """The models that combinations were formed of."""
    clusters: tuple[str, ...]
    """The clusters they come from; below two there is nothing to combine."""
    held_out_gains: tuple[tuple[int, float | None], ...]
    """Per size: what choosing the best combination gains over choosing the best single model
    where both are chosen on one half of the benchmarks and judged on the other; ``None`` where
    there is no combination, or no category with two benchmarks."""
    not_held_out: tuple[str, ...]
    """Categories with a single benchmark, which the held-out gains leave out."""
    n_splits: int
    excluded: tuple[Exclusion, ...]
    """Models that lack a benchmark that counts, or have no cluster."""


def portfolios(
    matrix: ScoreMatrix,
    weights: Weights,
    models: Sequence[str],
    clusters: Mapping[str, str],
    bills: Mapping[str, Bill | None],
    *,
    kinds: Mapping[str, Sequence[str]] | None = None,
    vote_groups: Sequence[Sequence[str]] = (),
    most: int = 20,
    n_candidates: int = MOST_CANDIDATES,
    n_splits: int = N_SPLITS,
    seed: int = 0,
) -> Portfolios:
    """Find two or three models of different clusters that together beat any one model.

    Each category goes to the member with the best score in it. To pick the best of several scores
    and then to quote it is flattering, since part of what made it best is chance; and of thousands
    of combinations the luckiest stand on top. The interval of the gain takes the assignment as
    given, so it does not repair this. The held-out gains do: the benchmarks of every category with
    two or more are split at random into halves; what is chosen on one half is judged on the other,
    both ways round; and the mean over all splits is taken. Choices made on half of the benchmarks
    are somewhat worse than on all, so these gains are rather too low than too high.

    For one combination, the assignment is chosen on a half, and the gain is over the model that is
    best on all benchmarks; the members themselves were still found on all benchmarks. For
    ``held_out_gains`` the members and the single model to compare with are chosen on the half,
    too: this is what looking for a combination is worth at all.

    Parameters
    ----------
    matrix : ScoreMatrix
    weights : sequence of (category, weight)
        Above 0; scaled to sum to 1. Categories without a benchmark in the matrix are passed over.
    models : sequence of str
        The models to consider, for instance those that passed the rules of a shortlist.
    clusters
        Cluster of each model of a taxonomy.
    bills
        Monthly bills with lines per category; a missing or ``None`` bill is unknown.
    kinds
        Where the lines of the bills are kinds of requests: the categories of each, the narrowest
        first; see `core.procurement.split_bill`.
    vote_groups
        Groups of benchmarks that share one vote within a category.
    most
        Give the best so many of the combinations.
    n_candidates
        Combinations are formed of so many models: in turn the best overall, the best in each
        category and the cheapest of each cluster, then the second best, and so on.
    n_splits, seed
        For the held-out gains.

    Returns
    -------
    Portfolios
        Only combinations whose gain is above 0 and in which every member has a category. Best
        first by held-out gain, or by gain where there is none; then fewer models, the smaller
        bill, and ids. Of equal scores in a category the first id gets it.

    Raises
    ------
    TooFewError
        Fewer than two categories with a benchmark, or fewer than two models with every benchmark
        that counts.
    BadRequestError
        An unknown model, a weight that is not above 0, no splits, or fewer than two candidates.
    """
    if n_splits < 1 or n_candidates < 2:
        raise BadRequestError("Combinations take at least 1 split and 2 candidates.")
    table = by_category(matrix, weights, models, vote_groups)
    if len(table.categories) < 2:
        raise TooFewError("A combination takes at least 2 task categories; there is 1.")
    names = table.matrix.models
    scores = np.round(table.scores, _DIGITS)
    # Positions are in the order of ids, and argmax takes the first: ties go by id.
    single = int(np.round(scores @ table.share, _DIGITS).argmax())
    chosen = _candidates(table, clusters, bills, n_candidates)
    groups = [
        np.array(
            [
                group
                for group in combinations(chosen, size)
                if len({clusters[names[i]] for i in group}) == size
            ],
            dtype=np.intp,
        ).reshape(-1, size)
        for size in SIZES
    ]
    held_out, of_search = held_out_gains(table, groups, single, n_splits=n_splits, seed=seed)
    better: list[tuple[IntArray, float, float]] = []
    for members, judged in zip(groups, held_out, strict=True):
        best = scores[members].argmax(axis=1)  # the member of each category, shape (groups, k)
        total = np.take_along_axis(scores[members], best[:, None], axis=1)[:, 0] @ table.share
        ahead = np.round(total - scores[single] @ table.share, _DIGITS) > 0
        better += [
            (members[g][best[g]], float(total[g]), float(judged[g]))
            for g in np.flatnonzero(ahead)
            if len(set(best[g].tolist())) == members.shape[1]
        ]
    found = sorted(
        (_portfolio(table, clusters, bills, kinds, single, *one) for one in better), key=_order
    )
    return Portfolios(
        best_single=names[single],
        best_single_score=float(scores[single] @ table.share),
        best_single_usd=None if (alone := bills.get(names[single])) is None else alone.monthly_usd,
        found=tuple(_with_interval(table, one, single) for one in found[:most]),
        n_better=len(better),
        largest_gain=max((one.gain for one in found), default=None),
        n_tried=sum(len(members) for members in groups),
        candidates=tuple(names[i] for i in chosen),
        clusters=tuple(sorted({clusters[names[i]] for i in chosen})),
        held_out_gains=tuple(zip(SIZES, of_search, strict=True)),
        not_held_out=tuple(
            name
            for (name, _), can in zip(table.categories, can_be_split(table), strict=True)
            if not can
        ),
        n_splits=n_splits,
        excluded=(
            *table.matrix.excluded,
            *(Exclusion(name, "in no cluster") for name in names if name not in clusters),
        ),
    )


def _candidates(
    table: ByCategory,
    clusters: Mapping[str, str],
    bills: Mapping[str, Bill | None],
    n_candidates: int,
) -> list[int]:
    """Positions of the models to combine, in order."""
    names = table.matrix.models
    usd = [math.inf if (bill := bills.get(name)) is None else bill.monthly_usd for name in names]
    columns = [table.scores @ table.share, *table.scores.T]
    best_first = [np.argsort(np.round(-column, _DIGITS), kind="stable") for column in columns]
    cheapest = [i for i in np.argsort(usd, kind="stable").tolist() if usd[i] < math.inf]
    queues = [
        [i for i in order if clusters.get(names[i]) == cluster]
        for order in (*(order.tolist() for order in best_first), cheapest)
        for cluster in sorted({clusters[name] for name in names if name in clusters})
    ]
    in_turn = (i for turn in zip_longest(*queues) for i in turn if i is not None)
    return sorted(list(dict.fromkeys(in_turn))[:n_candidates])


def _portfolio(
    table: ByCategory,
    clusters: Mapping[str, str],
    bills: Mapping[str, Bill | None],
    kinds: Mapping[str, Sequence[str]] | None,
    single: int,
    of_category: IntArray,
    score: float,
    held_out_gain: float,
) -> Portfolio:
    names = table.matrix.models
    assignment = tuple(
        (category, names[i])
        for (category, _), i in zip(table.categories, of_category.tolist(), strict=True)
    )
    members = tuple(sorted({model for _, model in assignment}))
    totals = np.round(table.scores @ table.share, _DIGITS)
    lead = max(sorted(set(of_category.tolist())), key=lambda i: float(totals[i]))
    lines = split_bill(assignment, bills, stand_in=names[lead], kinds=kinds)
    return Portfolio(
        models=members,
        clusters=tuple(clusters[model] for model in members),
        assignment=assignment,
        score=score,
        gain=score - float(table.scores[single] @ table.share),
        ci_low=None,
        ci_high=None,
        interval_basis="none",
        held_out_gain=None if math.isnan(held_out_gain) else held_out_gain,
        monthly_usd=split_total(lines),
        lines=lines,
        unpriced=tuple(model for model in members if bills.get(model) is None),
    )


def _order(found: Portfolio) -> tuple[float, int, float, tuple[str, ...]]:
    gain = found.gain if found.held_out_gain is None else found.held_out_gain
    usd = math.inf if found.monthly_usd is None else found.monthly_usd
    return -round(gain, _DIGITS), len(found.models), usd, found.models


def _with_interval(table: ByCategory, found: Portfolio, single: int) -> Portfolio:
    """Add the interval of the gain: in pairs per benchmark, so what is the same does not count."""
    weights = table.share @ table.spreads
    position = {model: i for i, model in enumerate(table.matrix.models)}
    # How much of a benchmark's weight each model takes; a benchmark may be of two categories.
    taken = np.zeros((len(found.models) + 1, len(weights)))
    rows = [*(position[model] for model in found.models), single]
    for (_, weight), (_, model), spread in zip(
        table.categories, found.assignment, table.spreads, strict=True
    ):
        taken[found.models.index(model)] += weight * spread / weights
    taken[rows.index(single)] -= 1
    gap = (taken * table.values[rows]).sum(axis=0)
    # Where a model takes nothing, its error does not count, even one that nobody knows.
    errors = np.where(taken != 0, np.abs(taken) * table.standard_errors[rows], 0.0)
    same_items = [benchmark.same_items for benchmark in table.matrix.benchmarks]
    means = weighted_means(gap[None], weights, [error[None] for error in errors], same_items)
    low, high = (float(end[0]) for end in means.ends())
    return replace(
        found,
        ci_low=None if math.isnan(low) else low,
        ci_high=None if math.isnan(high) else high,
        interval_basis=means.basis[0],
    )
