"""How much of a taxonomy would come out again with other items or with other benchmarks.

Co-clustering of models, Jaccard similarity of clusters (Hennig 2007, doi
10.1016/j.csda.2006.11.025) and support of branches (Felsenstein 1985, doi 10.2307/2408678).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Literal

import numpy as np
from scipy.cluster import hierarchy
from scipy.spatial.distance import pdist

from core.domain import BadRequestError, TooFewError
from core.domain.patience import still_wanted
from core.statistics.score_matrix import oriented, select_models
from core.statistics.taxonomy import LINKAGE, METRIC, cluster_names, standardise

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from core.domain import FloatArray, ScoreMatrix, Taxonomy
    from core.statistics.taxonomy import IntArray

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
