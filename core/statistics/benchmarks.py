"""What benchmarks tell: which repeat which, how few would do, what they cover, how evenly.

Generalisability and robustness are BenchHealth's (arXiv:2405.00716).
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np
import scipy

from core.domain import BadRequestError, BenchmarkPair, Redundancy, TooFewError
from core.statistics.ranks import average_ranks, kendall_tau
from core.statistics.score_matrix import complete, oriented, plain_number, select

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from core.domain import Benchmark, FloatArray, ScoreMatrix

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
        here = "one" if b else "none"
        raise TooFewError(f"A correlation takes at least 2 benchmarks; there is {here}.")
    kept = complete(matrix)
    n = len(kept.models)
    if n < 3:
        raise TooFewError(
            f"A correlation takes at least 3 models with every benchmark; there are {n}."
        )
    scores = oriented(kept)
    values = average_ranks(scores) if method == "spearman" else scores
    # Not by the SD: that of a constant column can come out as rounding noise instead of 0.
    varies = np.ptp(values, axis=0) > 0
    with np.errstate(invalid="ignore"):
        r = np.corrcoef(np.where(varies, values, 0.0), rowvar=False)
    with np.errstate(divide="ignore"):
        t = np.abs(r) * np.sqrt((n - 2) / ((1 - r) * (1 + r)))
    p = 2 * scipy.special.stdtr(n - 2, -t)
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
    tree = scipy.cluster.hierarchy.linkage(_distances(matrix), "average")
    numbers = scipy.cluster.hierarchy.fcluster(
        tree, 1 - threshold + _ROUNDING, criterion="distance"
    )
    members: dict[int, list[str]] = {}
    for benchmark, number in zip(matrix.benchmarks, numbers.tolist(), strict=True):
        members.setdefault(number, []).append(benchmark.id)
    return tuple(tuple(group) for group in members.values())


def similar_first(matrix: ScoreMatrix) -> tuple[str, ...]:
    """Order the benchmarks so that those that correlate closely are side by side.

    The leaves of the tree of ``vote_groups``, its branches turned so that neighbours are as
    close as the tree allows (Bar-Joseph et al. 2001). The end with the benchmark that comes
    first in the matrix is the beginning. Each group of ``vote_groups``, at any threshold, is
    together.
    """
    tree = scipy.cluster.hierarchy.linkage(_distances(matrix), "average", optimal_ordering=True)
    leaves = scipy.cluster.hierarchy.leaves_list(tree).tolist()
    if leaves[0] > leaves[-1]:
        leaves.reverse()
    return tuple(matrix.benchmarks[leaf].id for leaf in leaves)


def one_vote_per_group(
    weights: Mapping[str, float], groups: Iterable[Sequence[str]]
) -> dict[str, float]:
    """Weigh the benchmarks of one category so that each group counts as one.

    The weight of a benchmark is divided by the number of those of its group that have a weight;
    then all are brought back to their old total. So nine equal benchmarks, six of which form a
    group come to four equal votes, a sixth of a vote to each of the six. Where the members of a
    group had unequal weights, the group's vote is their mean, shared out in the old proportions.

    Weights are 0 or more, by benchmark id; a benchmark with weight 0 keeps it and takes no part.
    Groups are as ``vote_groups`` gives them: a benchmark in none is a group of its own, and one
    that has no weight is skipped.

    Examples
    --------
    >>> one_vote_per_group({"MMLU A": 1, "MMLU B": 1, "MedQA": 1}, [("MMLU A", "MMLU B")])
    {'MMLU A': 0.75, 'MMLU B': 0.75, 'MedQA': 1.5}
    """
    group_of = {benchmark: i for i, group in enumerate(groups) for benchmark in group}
    place = {b: group_of.get(b, b) for b, weight in weights.items() if weight > 0}
    sizes = Counter(place.values())
    shared = {b: weights[b] / sizes[where] for b, where in place.items()}
    before = after = 0.0  # not by sum, which since Python 3.12 rounds otherwise
    for benchmark, weight in weights.items():
        before += weight
        after += shared.get(benchmark, 0.0)
    return {b: shared[b] * before / after if b in shared else 0.0 for b in weights}


def within_groups(groups: Iterable[Sequence[str]], found: Redundancy) -> list[BenchmarkPair]:
    """Return the pairs whose benchmarks share one of ``vote_groups``."""
    group = {benchmark: i for i, each in enumerate(groups) for benchmark in each}
    return [pair for pair in found.pairs if group[pair.a] == group[pair.b]]


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
    from sklearn.metrics import adjusted_rand_score  # noqa: PLC0415 - a second to import

    from core.statistics.taxonomy import build_taxonomy  # noqa: PLC0415 - slow to import

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
    found: list[SmallerSet] = []
    subset: Subset = ()
    for size in range(1, b + 1):
        wider = [tuple(sorted((*subset, j))) for j in range(b) if j not in subset]
        among = list(combinations(range(b), size)) if search == "exhaustive" else wider
        subset, tau = _best(z, among, items)
        ids = [kept.benchmarks[j].id for j in subset]
        try:
            tree = build_taxonomy(select(kept, benchmarks=ids), n_clusters=n_clusters)
            rand = float(adjusted_rand_score(whole.labels, tree.labels))
        except TooFewError:  # none of these benchmarks tells the models apart
            rand = None
        chosen = [kept.benchmarks[j] for j in subset]
        others = [benchmark for j, benchmark in enumerate(kept.benchmarks) if j not in subset]
        found.append(
            SmallerSet(
                benchmarks=tuple(ids),
                tau=None if math.isnan(tau) else tau,
                adjusted_rand=rand,
                tokens=_tokens(chosen, tokens),
                tokens_saved=_tokens(others, tokens),
                search=search,
            )
        )
    return tuple(found)


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
        return sum(math.inf if (n := items[j]) is None else n for j in subset)

    return min(equal, key=lambda subset: (size(subset), subset)), tau


def _tokens(chosen: Sequence[Benchmark], tokens: Mapping[str, float] | None) -> float | None:
    if tokens is None or any(benchmark.id not in tokens for benchmark in chosen):
        return None
    return math.fsum(tokens[benchmark.id] for benchmark in chosen)


Place = tuple[str, str]
"""A category and a subcategory of the taxonomy."""
GapKind = Literal[
    "no benchmark",
    "no open model",
    "private data only",
    "exam questions only",
    "a single benchmark",
]
_KINDS: tuple[GapKind, ...] = get_args(GapKind)
EXAM = ("exam questions",)
CLINICAL = ("clinical notes", "health records", "clinical text", "consultation cases")
_ACCESS = {
    "public": "public",
    "open access": "public",
    "gated": "by agreement",
    "regulated": "by agreement",
    "private": "private",
}


@dataclass(frozen=True, slots=True)
class CoverageCell:
    """What one subcategory rests on in all suites."""

    benchmarks: tuple[Benchmark, ...]
    access: Mapping[str, int]
    """Benchmarks per kind of access to their data; ``unknown`` where none is stated."""
    n_exam: int
    n_clinical: int
    """Benchmarks made of notes, records or cases of real care."""
    n_material_unknown: int
    models: frozenset[str]
    """Models with a score on at least one of the benchmarks."""
    open_models: frozenset[str]
    """Those of them that a hospital can run itself."""


@dataclass(frozen=True, slots=True)
class Coverage:
    """Benchmarks per subcategory and suite."""

    places: tuple[Place, ...]
    suites: tuple[str, ...]
    counts: Mapping[tuple[Place, str], int]
    """Benchmarks of every place in every suite that has any there."""
    total: Mapping[Place, CoverageCell]


def count_tests(
    places: Sequence[Place],
    matrices: Mapping[str, ScoreMatrix],
    mapped: Mapping[tuple[str, str, str], Place],
    open_models: Collection[str],
) -> Coverage:
    """Count benchmarks, the access to their data, and the models tested.

    The places are the rows, such as MedHELM's 22 subcategories; one without a benchmark stays.
    Matrices are by suite, and a score that is ``nan`` is not a test. ``mapped`` leads from (suite,
    category, subcategory) to the place where categories of other suites belong; those that carry
    a place's own names need none.
    """
    tests: dict[Place, list[Benchmark]] = {place: [] for place in places}
    models: dict[Place, set[str]] = {place: set() for place in places}
    counts: Counter[tuple[Place, str]] = Counter()
    for suite, matrix in matrices.items():
        for benchmark, column in zip(matrix.benchmarks, matrix.scores.T, strict=True):
            own = (benchmark.category, benchmark.subcategory)
            place = own if own in models else mapped.get((suite, *own), own)
            if place not in models:
                continue
            counts[place, suite] += 1
            tests[place].append(benchmark)
            models[place] |= {matrix.models[i] for i in np.flatnonzero(~np.isnan(column))}
    total = {}
    for place, those in tests.items():
        material = [benchmark.material for benchmark in those]
        total[place] = CoverageCell(
            benchmarks=tuple(those),
            access=Counter(_ACCESS.get(benchmark.access, "unknown") for benchmark in those),
            n_exam=sum(one in EXAM for one in material),
            n_clinical=sum(one in CLINICAL for one in material),
            n_material_unknown=material.count(""),
            models=frozenset(models[place]),
            open_models=frozenset(models[place] & set(open_models)),
        )
    return Coverage(tuple(places), tuple(matrices), counts, total)


def coverage_gaps(coverage: Coverage) -> dict[Place, GapKind]:
    """Name what is missing, the most severe first, at most once per subcategory.

    In this order: no benchmark; never tested with a model that a hospital can run itself;
    private data only, so that nobody else can repeat the test; exam questions only; a single
    benchmark. Within a kind the subcategory with fewer benchmarks and open models comes first,
    then the order of the taxonomy.
    """
    found: dict[Place, GapKind] = {}
    for place in coverage.places:
        cell = coverage.total[place]
        there: tuple[tuple[GapKind, bool], ...] = (
            ("no benchmark", not cell.benchmarks),
            ("no open model", not cell.open_models),
            ("private data only", set(cell.access) == {"private"}),
            ("exam questions only", cell.n_exam == len(cell.benchmarks)),
            ("a single benchmark", len(cell.benchmarks) == 1),
        )
        if kind := next((kind for kind, holds in there if holds), None):
            found[place] = kind

    def order(place: Place) -> tuple[int, int, int]:
        cell = coverage.total[place]
        return _KINDS.index(found[place]), len(cell.benchmarks), len(cell.open_models)

    return {place: found[place] for place in sorted(found, key=order)}


@dataclass(frozen=True, slots=True)
class Evenness:
    """How good one model is over all data sets, and how even within groups of alike ones."""

    model: str
    generalisability: float | None
    """Mean of its scores, in their own unit; ``None`` without any score."""
    robustness: float | None
    """Sum of the groups' spreads, lower is better; ``None`` where a member is missing."""
    spreads: tuple[tuple[str, float | None], ...]
    """Per group, the sample standard deviation of its scores."""
    n_datasets: int


def evenness(matrix: ScoreMatrix, groups: Mapping[str, Sequence[str]]) -> tuple[Evenness, ...]:
    """Compute both figures for every model of a matrix, in its order.

    Generalisability is the mean of all scores that a model has. Robustness is the sum over the
    groups of the sample standard deviation (n − 1) of a model's scores on the group's data sets.
    Both are in the unit of the scores, percent for BenchHealth. A missing score is left out of
    the mean; a group with one is unknown, and so is the sum.

    All benchmarks of the matrix are on one scale, higher being better; ``groups`` holds per
    group the ids of at least two of them.
    """
    if not groups:
        raise BadRequestError(f"Suite {matrix.suite} has no groups to judge robustness by.")
    scales = {(b.scale_min, b.scale_max, b.lower_is_better) for b in matrix.benchmarks}
    if len(scales) > 1 or any(turned for _, _, turned in scales):
        raise BadRequestError(
            f"The benchmarks of {matrix.suite} are not all on one scale with higher better, so "
            "their scores have no common mean."
        )
    position = {benchmark.id: j for j, benchmark in enumerate(matrix.benchmarks)}
    for name, members in groups.items():
        if len(members) < 2:
            raise BadRequestError(f"The group {name} has fewer than two data sets.")
        if missing := [member for member in members if member not in position]:
            raise BadRequestError(f"The group {name} names {missing[0]}, which is not compared.")
    columns = {name: [position[member] for member in ids] for name, ids in groups.items()}
    found = []
    for model, row in zip(matrix.models, matrix.scores, strict=True):
        present = row[~np.isnan(row)]
        spreads = {name: plain_number(row[at].std(ddof=1)) for name, at in columns.items()}
        found_spreads = [spread for spread in spreads.values() if spread is not None]
        found.append(
            Evenness(
                model=model,
                generalisability=float(present.mean()) if present.size else None,
                robustness=sum(found_spreads) if len(found_spreads) == len(spreads) else None,
                spreads=tuple(spreads.items()),
                n_datasets=int(present.size),
            )
        )
    return tuple(found)


def group_means(
    matrix: ScoreMatrix, groups: Mapping[str, Sequence[str]]
) -> dict[str, tuple[float | None, ...]]:
    """Mean score per group, one value per model in the matrix's order.

    ``None`` where a model lacks a member: a mean over fewer data sets would not compare.
    """
    position = {benchmark.id: j for j, benchmark in enumerate(matrix.benchmarks)}
    found = {}
    for name, members in groups.items():
        means = matrix.scores[:, [position[member] for member in members]].mean(axis=1)
        found[name] = tuple(map(plain_number, means))
    return found
