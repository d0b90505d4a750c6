"""Combinations: a model per task category, from different clusters, against the best single one."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import combinations, zip_longest
from typing import TYPE_CHECKING

import numpy as np

from core.domain import BadRequestError, Exclusion, TooFewError
from core.domain.patience import still_wanted
from core.procurement.bill import SplitLine, split_bill, split_total
from core.procurement.requirements import by_category
from core.statistics.difference import weighted_means

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from core.domain import Bill, FloatArray, IntervalBasis, ScoreMatrix
    from core.procurement.requirements import ByCategory, Weights

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
    given, so it does not repair this. The held-out gains say what looking for a combination is
    worth at all: the benchmarks of every category with two or more are split at random into
    halves; combination and single model are chosen on one half and judged on the other, both ways
    round; and the mean over all splits is taken. Choices made on half of the benchmarks are
    somewhat worse than on all, so these gains are rather too low than too high.

    Only combinations count whose gain is above 0 and in which every member has a category. Best
    first by gain; then fewer models, the smaller bill, and ids. Of equal scores in a category the
    first id gets it.

    Parameters
    ----------
    matrix, weights, models, vote_groups
        As for `core.procurement.requirements.by_category`.
    clusters
        Cluster of each model of a taxonomy.
    bills, kinds
        As for `core.procurement.bill.split_bill`.
    most
        Give the best so many of the combinations.
    n_candidates
        Combinations are formed of so many models: in turn the best overall, the best in each
        category and the cheapest of each cluster, then the second best, and so on.
    n_splits, seed
        For the held-out gains.

    Raises
    ------
    TooFewError
        Fewer than two categories with a benchmark, or fewer than two models with every benchmark
        that counts.
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
    better: list[tuple[IntArray, float]] = []
    for members in groups:
        best = scores[members].argmax(axis=1)  # the member of each category, shape (groups, k)
        total = np.take_along_axis(scores[members], best[:, None], axis=1)[:, 0] @ table.share
        ahead = np.round(total - scores[single] @ table.share, _DIGITS) > 0
        better += [
            (members[g][best[g]], float(total[g]))
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
        held_out_gains=tuple(
            zip(SIZES, _held_out_gains(table, groups, n_splits, seed), strict=True)
        ),
        not_held_out=tuple(
            name
            for (name, _), can in zip(table.categories, _can_be_split(table), strict=True)
            if not can
        ),
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
        monthly_usd=split_total(lines),
        lines=lines,
        unpriced=tuple(model for model in members if bills.get(model) is None),
    )


def _order(found: Portfolio) -> tuple[float, int, float, tuple[str, ...]]:
    usd = math.inf if found.monthly_usd is None else found.monthly_usd
    return -round(found.gain, _DIGITS), len(found.models), usd, found.models


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


def _held_out_gains(
    table: ByCategory, groups: Sequence[IntArray], n_splits: int, seed: int
) -> list[float | None]:
    """Return, for each size of group, what the search for the best one gains on the other half.

    ``groups`` holds arrays of shape (n_groups, size), positions in the table. Categories with a
    single benchmark are left out, and the weights of the others scaled up. The gain is 0 in a
    split where no group promises more than the best single model. ``None`` where no category has
    two benchmarks, or there is no group.
    """
    if not _can_be_split(table).any():
        return [None for _ in groups]
    gains = [0.0 for _ in groups]
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
            top = np.round(promised, _DIGITS).argmax()
            # Where no combination promises more, one would keep to the single model.
            if round(promised[top], _DIGITS) > overall[rival]:
                gains[number] += float(judged[top] - judged_on[rival] @ share)
    return [
        gain / (2 * n_splits) if len(members) else None
        for gain, members in zip(gains, groups, strict=True)
    ]


def _halves(
    table: ByCategory, n_splits: int, seed: int
) -> Iterator[tuple[FloatArray, FloatArray, FloatArray]]:
    """Category scores on one half of the benchmarks and on the other, and weights, both ways."""
    kept = _can_be_split(table)
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


def _can_be_split(table: ByCategory) -> NDArray[np.bool_]:
    """Say which categories have two benchmarks or more."""
    return np.asarray((table.spreads > 0).sum(axis=1) >= 2)
