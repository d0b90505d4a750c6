"""Trees of models: which are alike, how sure that is, and how two trees agree."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from core.answers.data import products, selection_of
from core.domain import BadRequestError
from core.memory import remembered
from core.statistics import taxonomy as clusters
from core.words.figures import count

if TYPE_CHECKING:
    from collections.abc import Mapping

    from core.domain import ClusterTests, Requirements, Selection, Taxonomy
    from core.evidence.store import Store
    from core.statistics.taxonomy import Agreement, Noise, Profile, Stability

KS = range(2, 7)
"""Numbers of families to choose from."""
MOST_RESAMPLED = 300
"""Of more models the tree is not grown 1,000 times anew: it would take too long to wait for."""


@remembered(maxsize=64)
def taxonomy(store: Store, selection: Selection, n_clusters: int = 2) -> Taxonomy:
    """Return the tree of a cohort's complete models."""
    return clusters.build_taxonomy(products(store, selection), n_clusters=n_clusters)


@remembered(maxsize=16)
def cluster_tests(store: Store, selection: Selection) -> ClusterTests:
    """Return the tests between the two clusters of a cohort."""
    return clusters.rank_sum_tests(products(store, selection), taxonomy(store, selection))


@remembered(maxsize=16)
def leave_one_out_tests(store: Store, selection: Selection) -> ClusterTests:
    """Return the tests of each benchmark between clusters that it did not form."""
    return clusters.leave_one_out_tests(products(store, selection), taxonomy(store, selection))


def separated(found: ClusterTests, sizes: Mapping[str, int]) -> tuple[str, str | None]:
    """Say on how many benchmarks two clusters differ that were formed without them.

    Parameters
    ----------
    found
        The tests with each benchmark left out.
    sizes
        Models of the high and the low cluster.

    Returns
    -------
    tuple
        A sentence, which says so where there are too few models to show a difference, and what
        it rests on.
    """
    number, of = sum(test.significant for test in found.tests), len(found.tests)
    undefined = sum(map(math.isnan, found.smallest))
    beyond = of - undefined - found.n_within_reach
    level = f"0.01/{of} = {found.alpha:.2g}"
    if undefined == of:
        return (
            "On which benchmarks they differ cannot be tested: no other benchmark forms clusters."
        ), None
    tested = "Each benchmark is tested between clusters that were formed without it."
    if beyond and not found.n_within_reach:
        high, low = sizes.values()
        return (
            f"With so few models, no difference can be shown on any of the {count(of)} benchmarks."
        ), (
            f"{tested} The least p that {high} against {low} models can give is "
            f"{clusters.smallest_p(high, low):.2g}, and the level is {level}."
        )
    some = "all" if number == of else f"{count(number) if number else 'none'} of"
    said = f"They differ clearly on {some} {count(of)} benchmarks."
    if beyond:
        said += (
            f" On {count(beyond)} no difference could have been shown, with so few models in one "
            "cluster."
        )
    return said, f"{tested} The level of p is {level}."


@remembered(maxsize=64)
def silhouettes(store: Store, selection: Selection) -> Mapping[int, float | None]:
    """Return the mean silhouette of the tree at each number of clusters that is on offer."""
    return clusters.silhouettes(taxonomy(store, selection), KS)


@remembered(maxsize=64)
def other_trees(store: Store, selection: Selection, n_clusters: int = 2) -> tuple[int, int]:
    """Return how many trees of other distances and linkages agree with a cohort's, of how many."""
    return clusters.trees_that_agree(taxonomy(store, selection, n_clusters))


@remembered(maxsize=16)
def stability(
    store: Store,
    selection: Selection,
    noise: Noise,
    n_clusters: int = 2,
    n_resamples: int = 1000,
) -> Stability:
    """Return how much of a tree comes out again. Errors as in ``core.statistics.taxonomy``."""
    tree = taxonomy(store, selection, n_clusters)
    scores = products(store, selection)
    return clusters.stability(scores, tree, noise=noise, n_resamples=n_resamples)


@remembered(maxsize=16)
def agreement(store: Store, one: Selection, other: Selection, n_clusters: int = 2) -> Agreement:
    """Return how two trees agree that were grown from different scores."""
    return clusters.agreement(*(taxonomy(store, asked, n_clusters) for asked in (one, other)))


@remembered(maxsize=32)
def profiles(store: Store, selection: Selection, n_clusters: int = 2) -> tuple[Profile, ...]:
    """Return what each cluster scores on each benchmark."""
    tree = taxonomy(store, selection, n_clusters)
    return clusters.profiles(products(store, selection), tree)


def co_clustering(
    store: Store, requirements: Requirements, suites: tuple[str, ...], model_id: str
) -> dict[str, float] | None:
    """Return how often each model shares the cluster of one, with benchmarks drawn anew.

    By model a share of 0 to 1. Over several suites, the lowest counts; models that are not in
    every tree are left out. ``None`` where a suite has too many models, or too few benchmarks.
    """
    selections = [selection_of(requirements, suite) for suite in suites]
    trees = [taxonomy(store, selection) for selection in selections]
    if any(len(tree.models) > MOST_RESAMPLED for tree in trees):
        return None
    lowest: dict[str, float] = {}
    for number, (selection, tree) in enumerate(zip(selections, trees, strict=True)):
        try:
            found = stability(store, selection, "benchmarks")
        except BadRequestError:  # too few benchmarks too
            return None
        row = found.co_clustering[tree.models.index(model_id)].tolist()
        shares = dict(zip(tree.models, row, strict=True))
        lowest = (
            {name: min(share, lowest[name]) for name, share in shares.items() if name in lowest}
            if number
            else shares
        )
    return lowest
