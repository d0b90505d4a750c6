"""What a tree's clusters are worth: silhouettes, profiles, tests, stability, and another tree's.

Stability is co-clustering of models, Jaccard similarity of clusters (Hennig 2007, doi
10.1016/j.csda.2006.11.025) and support of branches (Felsenstein 1985, doi 10.2307/2408678).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Literal

import numpy as np
from scipy.cluster import hierarchy
from scipy.spatial.distance import cdist, pdist

from core.domain import BadRequestError, ClusterTest, ClusterTests, Exclusion, TooFewError
from core.domain.patience import still_wanted
from core.statistics.score_matrix import normalised, oriented, select_benchmarks, select_models
from core.statistics.taxonomy import (
    LINKAGE,
    METRIC,
    build_taxonomy,
    centres,
    cluster_names,
    cut,
    leaves_of,
    standardise,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from core.domain import FloatArray, ScoreMatrix, Taxonomy
    from core.statistics.taxonomy import IntArray

_BLOCK = 512
_SIGNIFICANCE = 0.01


def silhouettes(taxonomy: Taxonomy, ks: Iterable[int]) -> dict[int, float | None]:
    """Mean silhouette of the tree cut at each k.

    A model's silhouette is (b − a)/max(a, b), with a its mean distance to the others of its own
    cluster and b that to the nearest other cluster. A model alone in its cluster counts 0, and so
    does one for which a and b are both 0, as in ``sklearn.metrics.silhouette_score``. Of a tree
    over groups of models, each group counts once.
    ``None`` where it is not defined: for fewer than two clusters, or as many as leaves or more.
    """
    points = taxonomy.standardised
    if taxonomy.groups is not None:
        points = centres(points, taxonomy.groups)
    n = len(points)
    asked = list(ks)
    defined = sorted({k for k in asked if 2 <= k < n})
    if not defined:
        return dict.fromkeys(asked)
    finest = cut(taxonomy.linkage_matrix, defined[-1])
    sums = _sums_to(points, np.eye(defined[-1])[finest])
    found: dict[int, float] = {}
    for k in defined:
        clusters = cut(taxonomy.linkage_matrix, k)
        # Clusters only ever merge as k falls, so the sums over the finest cut add up.
        coarse = np.zeros((defined[-1], k))
        coarse[finest, clusters] = 1.0
        found[k] = _mean_silhouette(sums @ coarse, clusters)
    return {k: found.get(k) for k in asked}


def suggested_k(taxonomy: Taxonomy, ks: Iterable[int] = range(2, 7)) -> int | None:
    """Return the k with the highest mean silhouette, the smaller on a tie; ``None`` without any.

    A hint, no proof of that many clusters: two always come out of any scores.
    """
    found = silhouettes(taxonomy, sorted(ks))
    defined = {k: value for k, value in found.items() if value is not None}
    return max(defined, key=lambda k: round(defined[k], 12), default=None)


def _sums_to(points: FloatArray, members: FloatArray) -> FloatArray:
    """Sum of each point's distances to the members of each cluster, shape (n, k)."""
    return np.concatenate(
        [
            cdist(points[start : start + _BLOCK], points, METRIC) @ members
            for start in range(0, len(points), _BLOCK)
        ]
    )


def _mean_silhouette(sums: FloatArray, clusters: np.ndarray) -> float:
    size = np.bincount(clusters)
    rows = np.arange(len(clusters))
    own = size[clusters]
    means = sums / size
    inside = sums[rows, clusters] / np.maximum(own - 1, 1)
    means[rows, clusters] = np.inf
    outside = means.min(axis=1)
    larger = np.maximum(inside, outside)
    larger[larger == 0] = 1.0
    values = np.where(own == 1, 0.0, (outside - inside) / larger)
    return float(values.mean())


@dataclass(frozen=True, slots=True)
class Profile:
    """Five-number summary of one cluster on one benchmark, 0 to 1 scale, higher is better."""

    cluster: str
    benchmark: str
    minimum: float
    q1: float
    median: float
    q3: float
    maximum: float
    n: int
    """Models in the cluster."""


def profiles(matrix: ScoreMatrix, taxonomy: Taxonomy) -> tuple[Profile, ...]:
    """Summarise the normalised scores of each cluster on each benchmark.

    The matrix holds the scores behind the taxonomy; models that it left out are passed over.
    Clusters come from high to low, in each the benchmarks in the matrix's order. Quartiles are
    interpolated linearly (type 7 of Hyndman and Fan 1996, the default of numpy and R).
    """
    scores = normalised(select_models(matrix, taxonomy.models))[0]
    labels = np.array(taxonomy.labels)
    result = []
    for cluster in cluster_names(taxonomy.n_clusters):
        inside = scores[labels == cluster]
        figures = np.quantile(inside, (0, 0.25, 0.5, 0.75, 1), axis=0).T.tolist()
        for benchmark, figure in zip(matrix.benchmarks, figures, strict=True):
            low, q1, median, q3, high = figure
            result.append(Profile(cluster, benchmark.id, low, q1, median, q3, high, n=len(inside)))
    return tuple(result)


def rank_sum_tests(matrix: ScoreMatrix, taxonomy: Taxonomy) -> ClusterTests:
    """Test each benchmark for a difference between the high and the low cluster.

    Wilcoxon rank-sum test in its normal approximation, with tie correction and without
    continuity correction, and the rank-biserial correlation 2U/(n_H n_L) − 1. Significant
    where p is below 0.01/M over the M benchmarks (Bonferroni). The tests use the benchmarks
    that formed the clusters, so they would find differences even without clusters
    (arXiv:2012.02936): show them as descriptive.

    The matrix holds the scores behind the taxonomy, which is cut into two clusters; models that
    it left out are passed over. One test per benchmark, in the matrix's order; the p-value of a
    benchmark on which all models score the same is ``nan`` and not significant.
    """
    _check_two(taxonomy)
    scores = oriented(select_models(matrix, taxonomy.models))
    alpha = _SIGNIFICANCE / len(matrix.benchmarks)
    p_values, effects, smallest = _rank_sums(scores, taxonomy.labels)
    return ClusterTests(
        alpha=alpha,
        tests=tuple(
            ClusterTest(benchmark.id, p, p < alpha, effect)
            for benchmark, p, effect in zip(matrix.benchmarks, p_values, effects, strict=True)
        ),
        smallest=tuple(smallest),
    )


def leave_one_out_tests(matrix: ScoreMatrix, taxonomy: Taxonomy) -> ClusterTests:
    """Test each benchmark between the two clusters that the other benchmarks form.

    For each benchmark the same models are clustered without it, into two; then it is tested as
    in ``rank_sum_tests``, at the same level. So no benchmark is tested on clusters that it formed.
    The clusters differ a little from test to test.

    The effect is positive where the cluster that is higher on the other benchmarks scores better.
    Where the other benchmarks give no tree, because none of them tells the models apart, p-value
    and effect are ``nan``, and so is the p-value where all models score the same on the tested
    one.
    """
    _check_two(taxonomy)
    ids = [benchmark.id for benchmark in matrix.benchmarks]
    if len(ids) < 2:
        raise TooFewError(
            f"Leaving a benchmark out takes at least 2 benchmarks; there are {len(ids)}."
        )
    kept = select_models(matrix, taxonomy.models)
    scores = oriented(kept)
    alpha = _SIGNIFICANCE / len(ids)
    tests, smallest = [], []
    for j, left_out in enumerate(ids):
        others = select_benchmarks(kept, [name for name in ids if name != left_out])
        try:
            tree = build_taxonomy(others)
        except BadRequestError:
            tests.append(ClusterTest(left_out, float("nan"), False, float("nan")))
            smallest.append(float("nan"))
            continue
        (p,), (effect,), (least,) = _rank_sums(scores[:, [j]], tree.labels)
        tests.append(ClusterTest(left_out, p, p < alpha, effect))
        smallest.append(least)
    return ClusterTests(alpha=alpha, tests=tuple(tests), smallest=tuple(smallest))


def smallest_p(n_high: int, n_low: int, tied: float = 0.0) -> float:
    """Return the smallest p-value that the rank-sum test can give for two cluster sizes.

    It is that of clusters of which every model of one beats every model of the other: U lies
    n_H n_L/2 from its mean, and its variance is n_H n_L/12 · (n + 1 − tied/(n(n − 1))).

    ``tied`` is the sum of t³ − t over the groups of t models with the same score. Ties make the
    variance, and so the smallest p-value, smaller; where all models tie it is ``nan``.
    """
    n = n_high + n_low
    spread = n + 1 - tied / (n * (n - 1))
    if spread <= 0:
        return math.nan
    # Half the squared z of U = n_H n_L; erfc is the two-sided tail of the normal distribution.
    return math.erfc(math.sqrt(1.5 * n_high * n_low / spread))


def _check_two(taxonomy: Taxonomy) -> None:
    if taxonomy.n_clusters != 2:
        raise BadRequestError(
            f"The rank-sum test compares two clusters; there are {taxonomy.n_clusters}."
        )


def _rank_sums(
    scores: FloatArray, labels: Sequence[str]
) -> tuple[list[float], list[float], list[float]]:
    """P-values and rank-biserial correlations of the columns, and the smallest p each can give."""
    from scipy.stats import mannwhitneyu  # noqa: PLC0415 - half a second to import

    high = np.array([label == "H" for label in labels])
    with np.errstate(invalid="ignore", divide="ignore"):
        found = mannwhitneyu(
            scores[high], scores[~high], axis=0, method="asymptotic", use_continuity=False
        )
    n_high, n_low = int(high.sum()), int((~high).sum())
    effect = 2 * found.statistic / (n_high * n_low) - 1
    ties = [np.unique(column, return_counts=True)[1] for column in scores.T]
    smallest = [smallest_p(n_high, n_low, float((t**3 - t).sum())) for t in ties]
    return found.pvalue.tolist(), effect.tolist(), smallest


Noise = Literal["items", "benchmarks"]

_MIN_BENCHMARKS = 3
"""Fewer cannot be resampled to any purpose."""
_AT_ONCE = 2_000_000
"""Numbers to hold at a time."""


@dataclass(frozen=True, slots=True, eq=False)
class Stability:
    """Shares of the resamples in which parts of a taxonomy came out again."""

    noise: Noise
    n_resamples: int
    co_clustering: FloatArray
    """Per pair of models, the share in which they fall in one cluster; (n_models, n_models)."""
    jaccard: tuple[tuple[str, float], ...]
    """Per cluster, from high to low: its likeness to the nearest cluster of each resample, 0 to 1,
    on the mean."""
    support: FloatArray
    """Per merge of the linkage matrix, the share of trees with exactly these models as a branch;
    (n_models - 1,). That of the last merge, which holds all models, is always 1."""


def stability(
    matrix: ScoreMatrix,
    taxonomy: Taxonomy,
    *,
    noise: Noise,
    n_resamples: int = 1000,
    seed: int = 0,
) -> Stability:
    """Grow the tree again from resampled scores, with the taxonomy's number of clusters.

    Parameters
    ----------
    matrix : ScoreMatrix
        The scores behind the taxonomy; models that it left out are passed over.
    taxonomy : Taxonomy
    noise : {"items", "benchmarks"}
        ``items``: each score is drawn anew from a normal distribution around it with its standard
        error, then standardised: what other questions of the same kind would give.
        ``benchmarks``: as many benchmarks are drawn with replacement as there are, from those that
        tell models apart; the scores stay standardised as they are. This is the bootstrap
        probability (BP at r = 1) of R's pvclust.
    n_resamples, seed : int
        One seed gives one result. The time is about that of ``n_resamples`` trees.

    Returns
    -------
    Stability
        Merges that tie are undone from the last one, as in ``taxonomy.cut``. ``items`` takes a
        standard error of every score, ``benchmarks`` three that tell models apart; trees over
        groups of models are refused.
    """
    if taxonomy.groups is not None:
        raise BadRequestError(
            f"The stability of a tree of {len(taxonomy.models)} models is not computed; choose "
            "fewer models."
        )
    tree = taxonomy.linkage_matrix
    n, k = len(tree) + 1, taxonomy.n_clusters
    rng = np.random.default_rng(seed)
    draws = (
        _other_items(matrix, taxonomy, n_resamples, rng)
        if noise == "items"
        else _other_benchmarks(taxonomy, n_resamples, rng)
    )
    keys = np.random.default_rng(0).integers(0, 2**63, n, dtype=np.int64)
    branches = _branch_keys(tree[None, :, :2].astype(np.intp), keys)[0]
    by_key = np.argsort(branches)
    names = cluster_names(k)
    own = np.array(taxonomy.labels)[:, None] == np.array(names)

    together = np.zeros((n, n))
    likeness = np.zeros(k)
    support = np.zeros(n - 1)
    for trees, times in _trees(draws, n):
        found = _branch_keys(trees, keys)
        place = np.minimum(np.searchsorted(branches, found, sorter=by_key), n - 2)
        merge = by_key[place]
        same = branches[merge] == found
        support += np.bincount(
            merge[same], np.broadcast_to(times[:, None], same.shape)[same], minlength=n - 1
        )
        members = (_clusters(trees, k)[:, None] == np.arange(k)[:, None]).astype(float)
        weighted = members * times[:, None, None]
        together += weighted.reshape(-1, n).T @ members.reshape(-1, n)
        both = members @ own.astype(float)
        either = members.sum(axis=2)[:, :, None] + own.sum(axis=0) - both
        likeness += times @ (both / either).max(axis=1)
    together /= n_resamples
    support /= n_resamples
    for array in (together, support):
        array.setflags(write=False)
    return Stability(
        noise=noise,
        n_resamples=n_resamples,
        co_clustering=together,
        jaccard=tuple(zip(names, (likeness / n_resamples).tolist(), strict=True)),
        support=support,
    )


def _other_items(
    matrix: ScoreMatrix, taxonomy: Taxonomy, n_resamples: int, rng: np.random.Generator
) -> Iterator[tuple[FloatArray, float]]:
    """Condensed distances from scores drawn anew, each with the number of times it counts."""
    kept = select_models(matrix, taxonomy.models)
    missing = np.flatnonzero(np.isnan(kept.standard_errors).any(axis=0))
    if len(missing):
        names = [kept.benchmarks[j].name for j in missing]
        raise BadRequestError(
            f"Other items cannot be simulated: there is no standard error for some scores on "
            f"{', '.join(names)}."
        )
    scores, errors = oriented(kept), kept.standard_errors
    step = max(1, _AT_ONCE // scores.size)
    for start in range(0, n_resamples, step):
        shape = (min(step, n_resamples - start), *scores.shape)
        drawn = standardise(scores + errors * rng.standard_normal(shape))
        for points in drawn:
            still_wanted()
            yield pdist(points, METRIC), 1.0


def _other_benchmarks(
    taxonomy: Taxonomy, n_resamples: int, rng: np.random.Generator
) -> Iterator[tuple[FloatArray, float]]:
    """Condensed distances over benchmarks drawn with replacement, each different draw once."""
    points = taxonomy.standardised[:, taxonomy.standardised.any(axis=0)]
    b = points.shape[1]
    if b < _MIN_BENCHMARKS:
        raise TooFewError(
            f"Benchmarks can be resampled from {_MIN_BENCHMARKS} on; {b} of these tell the "
            "models apart."
        )
    drawn = rng.multinomial(b, np.full(b, 1 / b), size=n_resamples)
    for counts, times in zip(*np.unique(drawn, axis=0, return_counts=True), strict=True):
        still_wanted()
        yield pdist(np.repeat(points, counts, axis=1), METRIC), float(times)


def _trees(
    draws: Iterator[tuple[FloatArray, float]], n: int
) -> Iterator[tuple[IntArray, FloatArray]]:
    """Children per merge of many trees at a time, (t, n - 1, 2), and how often each counts."""
    most = max(1, _AT_ONCE // (10 * n))
    while batch := list(islice(draws, most)):
        still_wanted()
        trees = [hierarchy.linkage(distances, LINKAGE) for distances, _ in batch]
        children = np.array([tree[:, :2] for tree in trees]).astype(np.intp)
        yield children, np.array([times for _, times in batch])


def _branch_keys(trees: IntArray, keys: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return a number per merge that says which leaves lie under it, shape (t, n - 1).

    The exclusive or of a random number per leaf: equal sets have equal numbers, and different
    ones differ, but for a chance of one in 2⁶³.
    """
    t, n = len(trees), len(keys)
    number = np.empty((2 * n - 1, t), dtype=np.int64)
    number[:n] = keys[:, None]
    each = np.arange(t)
    for merge in range(n - 1):
        left, right = trees[:, merge].T
        number[n + merge] = number[left, each] ^ number[right, each]
    return number[n:].T


def _clusters(trees: IntArray, n_clusters: int) -> IntArray:
    """Cluster of each leaf, from 0, after the last merges are undone; shape (t, n)."""
    t, n = len(trees), trees.shape[1] + 1
    cluster = np.zeros((2 * n - 1, t), dtype=np.intp)
    each = np.arange(t)
    for merge in range(n - 2, -1, -1):
        left, right = trees[:, merge].T
        cluster[left, each] = cluster[n + merge]
        undone = merge >= n - n_clusters
        cluster[right, each] = n - 1 - merge if undone else cluster[n + merge]
    return cluster[:n].T


_FEWEST = 3
_POWER = 1.5
"""The L of dendextend's entanglement."""


@dataclass(frozen=True, slots=True, eq=False)
class Agreement:
    """How far two taxonomies agree on the models that both have."""

    models: tuple[str, ...]
    """The shared models, in the order of the first taxonomy."""
    labels_a: tuple[str, ...]
    labels_b: tuple[str, ...]
    names_a: tuple[str, ...]
    """Clusters of the first taxonomy from high to low: the rows of ``table``."""
    names_b: tuple[str, ...]
    table: NDArray[np.intp]
    """Number of shared models per pair of clusters, shape (k_a, k_b)."""
    adjusted_rand: float
    """1 for the same partition, about 0 for what chance gives."""
    changed: tuple[tuple[str, str, str], ...]
    """Model, its cluster in the first and in the second taxonomy, where these differ."""
    only_a: tuple[Exclusion, ...]
    """Models that the second taxonomy lacks, with the reason."""
    only_b: tuple[Exclusion, ...]
    tree_a: FloatArray
    """Linkage matrix over the shared models alone, shape (n_shared - 1, 4)."""
    tree_b: FloatArray
    """The same of the second taxonomy, its branches turned towards the first."""
    order_a: tuple[int, ...]
    """Leaves of ``tree_a`` from left to right, as positions in ``models``."""
    order_b: tuple[int, ...]
    entanglement: float
    """Crossing of the lines between the two trees: 0 for none, 1 where one order is the other
    one reversed."""


def agreement(a: Taxonomy, b: Taxonomy) -> Agreement:
    """Compare two taxonomies over the models that both have.

    The clusters are those of the whole taxonomies. For the picture, both trees are pruned to the
    shared models; in the second one each merge then has the branch to the left whose models stand
    further left in the first, on the mean. This does not always find the fewest crossings.

    They may differ in suite, in the number of clusters and in their models. Trees over groups of
    models are refused, and so are fewer than three models in common.

    Adjusted Rand index: Hubert and Arabie 1985. Entanglement as in R's dendextend with L = 1.5
    (Galili 2015, doi 10.1093/bioinformatics/btv428): the sum over models of
    ``|place in a - place in b|**L``, over the same sum for two orders in reverse.
    """
    from sklearn.metrics import adjusted_rand_score  # noqa: PLC0415 - a second to import

    for tree in (a, b):
        if tree.groups is not None:
            raise BadRequestError(
                f"Trees of {len(tree.models)} models are not compared; choose fewer models."
            )
    place_b = {model: i for i, model in enumerate(b.models)}
    in_a = [i for i, model in enumerate(a.models) if model in place_b]
    models = tuple(a.models[i] for i in in_a)
    if len(models) < _FEWEST:
        raise TooFewError(
            f"Two trees are compared over at least {_FEWEST} models that both have; there "
            f"{'is' if len(models) == 1 else 'are'} {len(models)}."
        )
    in_b = [place_b[model] for model in models]
    labels_a, labels_b = [a.labels[i] for i in in_a], [b.labels[i] for i in in_b]
    names_a, names_b = cluster_names(a.n_clusters), cluster_names(b.n_clusters)
    table = np.zeros((len(names_a), len(names_b)), dtype=np.intp)
    for one, other in zip(labels_a, labels_b, strict=True):
        table[names_a.index(one), names_b.index(other)] += 1
    tree_a, tree_b = _pruned(a.linkage_matrix, in_a), _pruned(b.linkage_matrix, in_b)
    order_a = leaves_of(tree_a)
    place = np.empty(len(models))
    place[order_a] = np.arange(len(models))
    _turn_towards(tree_b, place)
    order_b = leaves_of(tree_b)
    for array in (table, tree_a, tree_b):
        array.setflags(write=False)
    return Agreement(
        models=models,
        labels_a=tuple(labels_a),
        labels_b=tuple(labels_b),
        names_a=names_a,
        names_b=names_b,
        table=table,
        adjusted_rand=float(adjusted_rand_score(labels_a, labels_b)),
        changed=tuple(
            (models[i], labels_a[i], labels_b[i]) for i in order_a if labels_a[i] != labels_b[i]
        ),
        only_a=_missing(a, b),
        only_b=_missing(b, a),
        tree_a=tree_a,
        tree_b=tree_b,
        order_a=tuple(order_a),
        order_b=tuple(order_b),
        entanglement=entanglement(order_a, order_b),
    )


def entanglement(a: Sequence[int], b: Sequence[int]) -> float:
    """Entanglement of two orders of the same leaves, from 0 for the same to 1 for the reverse."""
    n = len(a)
    place = np.empty(n)
    place[list(a)] = np.arange(n)
    apart = np.abs(place[list(b)] - np.arange(n)) ** _POWER
    worst = np.abs(np.arange(n) - np.arange(n)[::-1]) ** _POWER
    return float(apart.sum() / worst.sum())


def _missing(a: Taxonomy, b: Taxonomy) -> tuple[Exclusion, ...]:
    there = set(b.models)
    reasons = {left_out.model: left_out.reason for left_out in b.excluded}
    return tuple(
        Exclusion(model, reasons.get(model, "not among the models compared"))
        for model in a.models
        if model not in there
    )


def _pruned(tree: FloatArray, kept: Sequence[int]) -> FloatArray:
    """Tree over the kept leaves alone, numbered as in ``kept``; the sides of merges stay."""
    n = len(tree) + 1
    # Node of the pruned tree that stands for each node of the whole one; -1 for none.
    node = np.full(2 * n - 1, -1, dtype=np.intp)
    node[list(kept)] = np.arange(len(kept))
    size = dict.fromkeys(range(len(kept)), 1)
    merges: list[tuple[float, float, float, float]] = []
    for merge, (a, b, height, _) in enumerate(tree.tolist()):
        left, right = int(node[int(a)]), int(node[int(b)])
        if left < 0 or right < 0:
            node[n + merge] = max(left, right)
            continue
        new = len(kept) + len(merges)
        size[new] = size[left] + size[right]
        node[n + merge] = new
        merges.append((left, right, height, size[new]))
    return np.array(merges)


def _turn_towards(tree: FloatArray, place: FloatArray) -> None:
    """Swap, in place, the branches whose right one stands further left by mean place."""
    n = len(tree) + 1
    total = [*place.tolist(), *[0.0] * (n - 1)]
    size = [1.0] * n + tree[:, 3].tolist()
    for merge, (left, right) in enumerate(tree[:, :2].astype(np.intp).tolist()):
        if total[left] * size[right] > total[right] * size[left]:
            tree[merge, :2] = right, left
        total[n + merge] = total[left] + total[right]
