"""How much of a taxonomy would come out again with other items or with other benchmarks.

Co-clustering of models, Jaccard similarity of clusters (Hennig 2007, doi
10.1016/j.csda.2006.11.025) and support of branches (Felsenstein 1985, doi 10.2307/2408678).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Literal

import numpy as np
import scipy

from core.domain import BadRequestError, TooFewError
from core.memory import still_wanted
from core.statistics.score_matrix import oriented, select
from core.statistics.taxonomy import IN_CACHE, LINKAGE, METRIC, cluster_names, standardise

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from core.domain import FloatArray, ScoreMatrix, Taxonomy
    from core.statistics.taxonomy import IntArray

Noise = Literal["items", "benchmarks"]

_MIN_BENCHMARKS = 3
"""Fewer cannot be resampled to any purpose."""


@dataclass(frozen=True, slots=True, eq=False)
class Stability:
    """Shares of the resamples in which parts of a taxonomy came out again."""

    n_resamples: int
    co_clustering: FloatArray
    """Per pair of models, the share in which they fall in one cluster; (n_models, n_models)."""
    jaccard: tuple[tuple[str, float], ...]
    """Per cluster, from high to low: its likeness to the nearest cluster of each resample, 0 to 1,
    on average."""
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
        The scores behind the taxonomy; models that it left out are skipped.
    taxonomy : Taxonomy
    noise : {"items", "benchmarks"}
        ``items``: each score is drawn again from a normal distribution around it with its standard
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
        standard error of every score, ``benchmarks`` three that tell models apart.
    """
    tree = taxonomy.linkage_matrix
    n, k = len(tree) + 1, taxonomy.n_clusters
    rng = np.random.default_rng(seed)
    draws = (
        _other_items(matrix, taxonomy, n_resamples, rng)
        if noise == "items"
        else _other_benchmarks(taxonomy, n_resamples, rng)
    )
    # A random number a leaf: equal sets of leaves then have equal numbers, different ones
    # differ, but for a chance of one in 2⁶³.
    leaf = np.random.default_rng(0).integers(0, 2**63, n, dtype=np.int64)
    branches = _branch_numbers(tree[None, :, :2].astype(np.intp), leaf)[0]
    by_number = np.argsort(branches)
    support = np.zeros(n - 1)
    together = np.zeros((n, n))
    likeness = np.zeros(k)
    names = cluster_names(k)
    own = (np.array(taxonomy.labels)[:, None] == np.array(names)).astype(float)
    for trees, times in _grown(draws, n):
        found = _branch_numbers(trees, leaf)
        # The place of each number among those of the tree, the last where it is above them all.
        at = by_number[np.searchsorted(branches, found, sorter=by_number).clip(max=n - 2)]
        again = branches[at] == found
        counts = np.broadcast_to(times[:, None], again.shape)
        support += np.bincount(at[again], counts[again], minlength=n - 1)
        # Ones and zeros, (t, k, n): products then count what two models or clusters share.
        members = (_clusters(trees, k)[:, None] == np.arange(k)[:, None]).astype(float)
        weighted = members * times[:, None, None]
        together += weighted.reshape(-1, n).T @ members.reshape(-1, n)
        both = members @ own
        # |A ∪ B| = |A| + |B| − |A ∩ B|, for every cluster of a tree and every one of the taxonomy.
        either = members.sum(axis=2)[:, :, None] + own.sum(axis=0) - both
        likeness += times @ (both / either).max(axis=1)
    together /= n_resamples
    support /= n_resamples
    for array in (together, support):
        array.setflags(write=False)
    return Stability(
        n_resamples=n_resamples,
        co_clustering=together,
        jaccard=tuple(zip(names, (likeness / n_resamples).tolist(), strict=True)),
        support=support,
    )


def _other_items(
    matrix: ScoreMatrix, taxonomy: Taxonomy, n_resamples: int, rng: np.random.Generator
) -> Iterator[tuple[FloatArray, float]]:
    """Condensed distances from scores drawn again, each with the number of times it counts."""
    kept = select(matrix, taxonomy.models)
    missing = np.flatnonzero(np.isnan(kept.standard_errors).any(axis=0))
    if len(missing):
        names = [kept.benchmarks[j].name for j in missing]
        more = f" and {len(names) - 6} more" if len(names) > 8 else ""
        raise BadRequestError(
            f"Other items cannot be simulated: there is no standard error for some scores on "
            f"{', '.join(names[:6] if more else names)}{more}."
        )
    scores, errors = oriented(kept), kept.standard_errors
    step = max(1, IN_CACHE // scores.size)
    for start in range(0, n_resamples, step):
        noise = rng.standard_normal((min(step, n_resamples - start), *scores.shape))
        for drawn in standardise(scores + errors * noise):
            yield scipy.spatial.distance.pdist(drawn, METRIC), 1.0


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
        yield scipy.spatial.distance.pdist(np.repeat(points, counts, axis=1), METRIC), float(times)


def _grown(
    draws: Iterator[tuple[FloatArray, float]], n: int
) -> Iterator[tuple[IntArray, FloatArray]]:
    """Grow many trees at a time: the branches of each merge, (t, n − 1, 2), and their counts."""
    while batch := list(islice(draws, max(1, IN_CACHE // n))):
        still_wanted()
        trees = [
            scipy.cluster.hierarchy.linkage(distances, LINKAGE)[:, :2] for distances, _ in batch
        ]
        yield np.array(trees).astype(np.intp), np.array([times for _, times in batch])


def _branch_numbers(trees: IntArray, leaf: NDArray[np.int64]) -> NDArray[np.int64]:
    """Say which leaves lie under each merge: the exclusive or of their numbers, (t, n − 1)."""
    t, n = len(trees), len(leaf)
    number = np.empty((2 * n - 1, t), dtype=np.int64)
    number[:n] = leaf[:, None]
    each = np.arange(t)
    for merge in range(n - 1):
        left, right = trees[:, merge].T
        number[n + merge] = number[left, each] ^ number[right, each]
    return number[n:].T


def _clusters(trees: IntArray, n_clusters: int) -> IntArray:
    """Cluster number of each leaf of many trees, from 0 in no order, shape (t, n)."""
    t, n = len(trees), trees.shape[1] + 1
    cluster = np.zeros((2 * n - 1, t), dtype=np.intp)
    each = np.arange(t)
    # From the root down: both branches take the merge's cluster, but where it is undone the right
    # one takes a new number.
    for merge in range(n - 2, -1, -1):
        left, right = trees[:, merge].T
        cluster[left, each] = cluster[n + merge]
        undone = merge >= n - n_clusters
        cluster[right, each] = n - 1 - merge if undone else cluster[n + merge]
    return cluster[:n].T
