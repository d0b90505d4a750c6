"""Two taxonomies of one cohort: who is on which side in each, and the trees face to face."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from core.domain import BadRequestError, Exclusion, TooFewError
from core.statistics.taxonomy import cluster_names, leaves_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from core.domain import FloatArray, Taxonomy

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
