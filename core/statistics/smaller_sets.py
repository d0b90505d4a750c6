"""How few benchmarks keep the ranking and the clusters of a whole suite."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Literal

import numpy as np

from core.domain import TooFewError
from core.domain.patience import still_wanted
from core.statistics.score_matrix import complete, select_benchmarks
from core.statistics.taxonomy import build_taxonomy

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from core.domain import Benchmark, FloatArray, ScoreMatrix, Taxonomy

    Search = Literal["exhaustive", "greedy"]
    Subset = tuple[int, ...]

MOST_EXHAUSTIVE = 15
"""With more benchmarks, the search is greedy: 2^15 subsets are 32,767."""
_DECIMALS = 9
"""Sums of standardised scores that differ by rounding alone must count as ties."""
_MOST_BY_PAIRS = 250
"""With more models, sorting takes less time than looking at every pair of them."""
_CELLS = 1_000_000
"""Comparisons held in memory at once: 16 MB."""


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
    n_items: int | None
    """Items of the benchmarks that are kept; ``None`` where one of them is not known."""
    n_items_saved: int | None
    """Items of the others; ``None`` where one of them is not known."""
    tokens: float | None
    """Tokens that one model takes on what is kept; ``None`` where one of them is not known."""
    tokens_saved: float | None
    search: Search
    """Exhaustive: no set of this size does better. Greedy: there may be a better one."""


def smaller_sets(
    matrix: ScoreMatrix,
    n_clusters: int = 2,
    tokens: Mapping[str, float] | None = None,
) -> tuple[SmallerSet, ...]:
    """Find, for every size, the benchmarks that best keep the ranking of the models.

    Models are ranked by the mean of their standardised scores (as ``build_taxonomy`` has them)
    on all benchmarks and on the subset; the subset with the highest Kendall τ-b between the two
    is taken. Among equals the one with the fewest items wins, unknown items last, then the
    earlier benchmarks. Up to ``MOST_EXHAUSTIVE`` benchmarks all subsets are tried; beyond that
    each size adds to the one before the benchmark that does best. Sets are chosen and judged on
    the same models, so τ is an optimistic estimate of what a set would keep on other models.

    Parameters
    ----------
    matrix : ScoreMatrix
        Models without a score on some benchmark are left out.
    n_clusters : int
        Where the trees are cut that ``adjusted_rand`` compares: complete linkage over city-block
        distances of standardised scores.
    tokens : mapping of benchmark id to tokens, optional
        Tokens that one model takes on the benchmark; a benchmark without an entry is not known.

    Returns
    -------
    tuple of SmallerSet
        For 1, 2, … up to all benchmarks; the last keeps everything.

    Raises
    ------
    TooFewError
        Fewer than two benchmarks, fewer than three complete models, or no benchmark that tells
        them apart.
    BadRequestError
        ``n_clusters`` is out of range.
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
                n_items=_total(benchmark.n_items for benchmark in chosen),
                n_items_saved=_total(benchmark.n_items for benchmark in others),
                tokens=_tokens(chosen, tokens),
                tokens_saved=_tokens(others, tokens),
                search=search,
            )
        )
    return tuple(found)


def kendall_tau(reference: FloatArray, others: FloatArray) -> FloatArray:
    """Kendall's τ-b of one ranking with each of several.

    Concordant minus discordant pairs, over the root of the pairs not tied in the one times the
    pairs not tied in the other, as ``scipy.stats.kendalltau`` has it; all others at once, where
    there are few enough models to look at every pair.

    Parameters
    ----------
    reference : array of shape (n,)
    others : array of shape (n, m)
        Without missing values.

    Returns
    -------
    array of shape (m,)
        ``nan`` where either ranking is one tie.
    """
    n, m = others.shape
    if n > _MOST_BY_PAIRS:
        from scipy.stats import kendalltau  # noqa: PLC0415 - half a second to import

        return np.array([kendalltau(reference, others[:, j]).statistic for j in range(m)])
    # Along the reference, so that the second of a pair is above the first or ties with it.
    order = np.argsort(reference, kind="stable")
    reference, rankings = reference[order], np.ascontiguousarray(others[order].T)
    first, second = np.triu_indices(n, 1)
    ties = reference[first] == reference[second]
    first, second = first[np.argsort(ties, kind="stable")], second[np.argsort(ties, kind="stable")]
    n_untied = int((~ties).sum())
    score, apart = np.zeros(m), np.zeros(m)
    step = max(1, _CELLS // len(first))
    for start in range(0, m, step):
        still_wanted()
        part = slice(start, start + step)
        low, high = rankings[part].take(first, axis=1), rankings[part].take(second, axis=1)
        rises, falls = low < high, low > high
        concordant = np.count_nonzero(rises[:, :n_untied], axis=1)
        score[part] = concordant - np.count_nonzero(falls[:, :n_untied], axis=1)
        apart[part] = np.count_nonzero(rises, axis=1) + np.count_nonzero(falls, axis=1)
    with np.errstate(invalid="ignore"):
        return score / np.sqrt(n_untied * apart)


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
