"""How far benchmarks repeat each other, which could share a vote, and how few would do."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Literal

import numpy as np
from scipy.cluster import hierarchy
from scipy.special import stdtr

from core.domain import BadRequestError, BenchmarkPair, Redundancy, TooFewError
from core.statistics.ranks import average_ranks, kendall_tau
from core.statistics.score_matrix import complete, oriented, select_benchmarks
from core.statistics.taxonomy import build_taxonomy

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from core.domain import Benchmark, FloatArray, ScoreMatrix, Taxonomy

    Search = Literal["exhaustive", "greedy"]
    Subset = tuple[int, ...]

_SIGNIFICANCE = 0.01
_UNRELATED = 2.0
"""Distance of a benchmark that does not vary from all others: farther than any r can put it."""
_ROUNDING = 1e-12
MOST_EXHAUSTIVE = 15
"""With more benchmarks, the search is greedy: 2^15 subsets are 32,767."""
_DECIMALS = 9
"""Sums of standardised scores that differ by rounding alone must count as ties."""


def correlate(
    matrix: ScoreMatrix, *, method: Literal["pearson", "spearman"] = "pearson"
) -> Redundancy:
    """Correlate each pair of benchmarks over the models that have all of them.

    Models without a score on some benchmark are left out and listed in ``excluded``. Scores are
    turned so that higher is better before they are correlated. Spearman ranks ties by their mean
    rank.

    Pairs come in the benchmarks' order with r and its two-sided p-value from Student's t with
    n − 2 degrees of freedom, as ``scipy.stats`` gives them; significant where p is below
    ``alpha`` = 0.01/M over M = b(b − 1)/2 pairs. A benchmark on which all models score the same
    gives r = p = ``nan``, not significant.
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


def vote_groups(matrix: ScoreMatrix, threshold: float = 0.8) -> tuple[tuple[str, ...], ...]:
    """Group the benchmarks by how closely they correlate.

    Average linkage (UPGMA) over the distances 1 − |r|, cut at 1 − ``threshold``: two groups
    become one where the mean of |r| over their pairs is at least ``threshold``, and stay apart
    where it is below. r is Pearson's over the models that have every benchmark, so a benchmark
    that runs exactly against another counts as the same story told backwards.

    The threshold is from 0 to 1. Every benchmark comes once, in the matrix's order within a
    group; groups in the order of their first members. A benchmark on which all models score the
    same is a group of its own.
    """
    if not 0 <= threshold <= 1:
        raise BadRequestError(f"The threshold must be from 0 to 1; it is {threshold:g}.")
    tree = hierarchy.linkage(_distances(matrix), "average")
    numbers = hierarchy.fcluster(tree, 1 - threshold + _ROUNDING, criterion="distance")
    members: dict[int, list[str]] = {}
    for benchmark, number in zip(matrix.benchmarks, numbers.tolist(), strict=True):
        members.setdefault(number, []).append(benchmark.id)
    return tuple(tuple(group) for group in members.values())


def similar_first(matrix: ScoreMatrix) -> tuple[str, ...]:
    """Order the benchmarks so that those that correlate closely stand side by side.

    The leaves of the tree of ``vote_groups``, its branches turned so that neighbours are as
    close as the tree allows (Bar-Joseph et al. 2001). The end with the benchmark that comes
    first in the matrix is the beginning. Each group of ``vote_groups``, at any threshold, stands
    together.
    """
    tree = hierarchy.linkage(_distances(matrix), "average", optimal_ordering=True)
    leaves = hierarchy.leaves_list(tree).tolist()
    if leaves[0] > leaves[-1]:
        leaves.reverse()
    return tuple(matrix.benchmarks[leaf].id for leaf in leaves)


def one_vote_per_group(
    weights: Mapping[str, float],
    groups: Iterable[Sequence[str]],
    categories: Mapping[str, str] | None = None,
) -> dict[str, float]:
    """Weigh benchmarks so that each group counts as one.

    Within each category the weight of a benchmark is divided by the number of the benchmarks of
    its group there that have a weight; then the category is brought back to its old total. So
    nine equal benchmarks of which six form a group come to four equal votes, a sixth of a vote
    to each of the six. Where the members of a group had unequal weights, the group's vote is
    their mean, shared out in the old proportions. Groups are not joined across categories,
    since the weight of a category is the user's choice.

    Weights are 0 or more, by benchmark id; a benchmark with weight 0 keeps it and takes no part.
    Groups are as ``vote_groups`` gives them: a benchmark in none is a group of its own, and one
    that has no weight is passed over. Without categories, by benchmark id, all are of one.
    """
    group_of = {benchmark: i for i, group in enumerate(groups) for benchmark in group}
    place = {
        benchmark: (categories[benchmark] if categories else "", group_of.get(benchmark, benchmark))
        for benchmark in weights
    }
    counted = [place[benchmark] for benchmark, weight in weights.items() if weight > 0]
    sizes = {where: counted.count(where) for where in counted}
    shared = {b: weight / sizes[place[b]] if weight > 0 else 0.0 for b, weight in weights.items()}
    before: dict[str, float] = {}
    after: dict[str, float] = {}
    for benchmark, (category, _) in place.items():
        before[category] = before.get(category, 0.0) + weights[benchmark]
        after[category] = after.get(category, 0.0) + shared[benchmark]
    return {
        benchmark: weight * before[category] / after[category] if weight > 0 else 0.0
        for (benchmark, weight), (category, _) in zip(shared.items(), place.values(), strict=True)
    }


def _distances(matrix: ScoreMatrix) -> FloatArray:
    """1 − |r| of each pair, in the order of scipy's condensed distance matrices."""
    r = np.array([pair.r for pair in correlate(matrix).pairs])
    return np.where(np.isnan(r), _UNRELATED, 1 - np.abs(r))


@dataclass(frozen=True, slots=True)
class SmallerSet:
    """The best choice of some of a suite's benchmarks, by the ranking that it keeps."""

    benchmarks: tuple[str, ...]
    """In the matrix's order."""
    tau: float | None
    """Kendall's τ-b with the ranking by all benchmarks; ``None`` where either is one tie."""
    adjusted_rand: float | None
    """Of the clusters from these benchmarks with those from all; ``None`` where these tell no
    models apart."""
    tokens: float | None
    """Tokens that one model takes on what is kept; ``None`` where one of them is not known."""
    tokens_saved: float | None
    search: Search
    """Exhaustive: no set of this size does better. Greedy: there may be a better one."""


def smaller_sets(
    matrix: ScoreMatrix, n_clusters: int = 2, tokens: Mapping[str, float] | None = None
) -> tuple[SmallerSet, ...]:
    """Find, for every size, the benchmarks that best keep the ranking of the models.

    Models are ranked by the mean of their standardised scores (as ``build_taxonomy`` has them)
    on all benchmarks and on the subset; the subset with the highest Kendall τ-b between the two
    is taken. Among equals the one with the fewest items wins, unknown items last, then the
    earlier benchmarks. Up to ``MOST_EXHAUSTIVE`` benchmarks all subsets are tried; beyond that
    each size adds to the one before the benchmark that does best. Sets are chosen and judged on
    the same models, so τ is an optimistic estimate of what a set would keep on other models.

    Models without a score on some benchmark are left out. ``n_clusters`` is where the trees are
    cut that ``adjusted_rand`` compares: complete linkage over city-block distances of standardised
    scores. ``tokens``, by benchmark id, are what one model takes; a benchmark without an entry is
    not known. Sets come for 1, 2, … up to all benchmarks; the last keeps everything.
    """
    kept = complete(matrix)
    b, n = len(kept.benchmarks), len(kept.models)
    if b < 2:
        raise TooFewError(f"A choice among benchmarks takes at least 2 of them; there is {b}.")
    if n < 3:
        raise TooFewError(f"A ranking takes at least 3 models with every benchmark; there are {n}.")
    whole = build_taxonomy(kept, n_clusters=n_clusters)
    z = whole.standardised
    items = [benchmark.n_items for benchmark in kept.benchmarks]
    search: Search = "exhaustive" if b <= MOST_EXHAUSTIVE else "greedy"
    find = _exhaustive if search == "exhaustive" else _greedy
    found = []
    for subset, tau in find(z, items):
        ids = [kept.benchmarks[j].id for j in subset]
        chosen = [kept.benchmarks[j] for j in subset]
        others = [benchmark for j, benchmark in enumerate(kept.benchmarks) if j not in subset]
        found.append(
            SmallerSet(
                benchmarks=tuple(ids),
                tau=None if math.isnan(tau) else tau,
                adjusted_rand=_adjusted_rand(kept, ids, whole),
                tokens=_tokens(chosen, tokens),
                tokens_saved=_tokens(others, tokens),
                search=search,
            )
        )
    return tuple(found)


def _exhaustive(z: FloatArray, items: Sequence[int | None]) -> Iterator[tuple[Subset, float]]:
    b = z.shape[1]
    for size in range(1, b + 1):
        yield _best(z, list(combinations(range(b), size)), items)


def _greedy(z: FloatArray, items: Sequence[int | None]) -> Iterator[tuple[Subset, float]]:
    b = z.shape[1]
    chosen: Subset = ()
    for _ in range(b):
        wider = [tuple(sorted((*chosen, j))) for j in range(b) if j not in chosen]
        chosen, tau = _best(z, wider, items)
        yield chosen, tau


def _best(
    z: FloatArray, subsets: Sequence[Subset], items: Sequence[int | None]
) -> tuple[Subset, float]:
    """Return the subset that best keeps the ranking, and its τ."""
    member = np.zeros((z.shape[1], len(subsets)))
    for column, subset in enumerate(subsets):
        member[list(subset), column] = 1.0
    taus = kendall_tau(np.round(z.sum(axis=1), _DECIMALS), np.round(z @ member, _DECIMALS)).round(
        _DECIMALS
    )

    if np.isnan(taus).all():
        tau, equal = math.nan, list(subsets)
    else:
        tau = float(np.nanmax(taus))
        equal = [subset for subset, its in zip(subsets, taus, strict=True) if its == tau]

    def size(subset: Subset) -> float:
        known = _total(items[j] for j in subset)
        return math.inf if known is None else known

    return min(equal, key=lambda subset: (size(subset), subset)), tau


def _adjusted_rand(kept: ScoreMatrix, subset: Sequence[str], whole: Taxonomy) -> float | None:
    from sklearn.metrics import adjusted_rand_score  # noqa: PLC0415 - a second to import

    try:
        tree = build_taxonomy(select_benchmarks(kept, subset), n_clusters=whole.n_clusters)
    except TooFewError:  # none of these benchmarks tells the models apart
        return None
    return float(adjusted_rand_score(whole.labels, tree.labels))


def _total(counts: Iterable[int | None]) -> int | None:
    known = list(counts)
    return None if None in known else sum(count for count in known if count is not None)


def _tokens(chosen: Sequence[Benchmark], tokens: Mapping[str, float] | None) -> float | None:
    if tokens is None or any(benchmark.id not in tokens for benchmark in chosen):
        return None
    return math.fsum(tokens[benchmark.id] for benchmark in chosen)
