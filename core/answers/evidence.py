"""What the benchmarks tell: which models are alike, which tests repeat which, and who wins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import Literal

from core.answers import bills
from core.answers.asked import Asked
from core.answers.data import ALL_MODELS, model, products, provenance
from core.domain import (
    BadRequestError,
    ClusterTests,
    Exclusion,
    ModelFact,
    Redundancy,
    ScoreMatrix,
    Selection,
    Taxonomy,
    WinRates,
)
from core.evidence.catalogue import HumanRating
from core.evidence.store import Store
from core.memory import remembered
from core.procurement.bill import TOKENS_SUITE
from core.procurement.shortlist import benchmark_weights
from core.statistics import benchmarks as tests
from core.statistics import stability as resampled
from core.statistics import taxonomy as clusters
from core.statistics.benchmarks import Evenness, SmallerSet
from core.statistics.ranks import of_category, rank_bands
from core.statistics.ranks import win_rates as find_win_rates
from core.statistics.score_matrix import complete, normalised, select
from core.statistics.stability import Noise, Stability
from core.statistics.taxonomy import Agreement

_TAXONOMY = "medhelm"
BENCHHEALTH = "benchhealth"
GroupMeans = tuple[tuple[str, tuple[float | None, ...]], ...]
"""Per group the mean score of each model, percent."""


@remembered(maxsize=32)
def redundancy(
    store: Store, selection: Selection, method: Literal["pearson", "spearman"] = "pearson"
) -> Redundancy:
    """Return the correlation of each pair of benchmarks."""
    return tests.correlate(products(store, selection), method=method)


@remembered(maxsize=16)
def smaller_benchmark_sets(
    store: Store, selection: Selection, n_clusters: int = 2
) -> tuple[SmallerSet, ...]:
    """Return, for every size, the benchmarks that best keep the ranking.

    Tokens are known for MedHELM: input, and the most that could be written, the median over the
    models that were counted.
    """
    tokens: dict[str, list[int]] = {}
    if selection.suite == TOKENS_SUITE:
        for row in store.catalogue.tokens:
            used = row.input_tokens + row.max_output_tokens
            tokens.setdefault(row.benchmark, []).append(used)
    medians = {benchmark: float(median(counts)) for benchmark, counts in tokens.items()}
    return tests.smaller_sets(products(store, selection), n_clusters, medians)


@remembered(maxsize=64)
def groups_of_tests(store: Store, selection: Selection) -> tuple[tuple[str, ...], ...]:
    """Return the benchmarks that share a vote."""
    return tests.vote_groups(products(store, selection))


def votes(asked: Asked) -> tuple[int, int]:
    """Return how many benchmarks count, and their votes if those that overlap count once."""
    benchmarks = products(asked.store, selection := asked.selection()).benchmarks
    try:
        weights = bills.weights_of(asked.store, selection.suite, asked.question.work)
    except BadRequestError:  # no category has a weight
        return 0, 0
    groups = groups_of_tests(asked.store, selection)
    each = [benchmark_weights((one,), benchmarks, groups).keys() for one in weights]
    n_votes = sum(not those.isdisjoint(group) for those in each for group in groups)
    return len(set().union(*each)), n_votes


@remembered(maxsize=16)
def benchmarks_similar_first(store: Store, selection: Selection) -> tuple[str, ...]:
    """Return the benchmarks with similar ones side by side."""
    return tests.similar_first(products(store, selection))


@remembered(maxsize=64)
def suite_win_rates(store: Store, selection: Selection, category: str | None = None) -> WinRates:
    """Return HELM's win rates of a cohort, among runs made as the others of their suite."""
    return find_win_rates(_made_alike(store, selection), category=category)


def _made_alike(store: Store, selection: Selection) -> ScoreMatrix:
    scores, labels = products(store, selection), provenance(store, selection)
    if not labels:
        return scores
    out = [Exclusion(model, labels[model]) for model in scores.models if model in labels]
    kept = select(scores, [model for model in scores.models if model not in labels])
    return replace(kept, excluded=(*kept.excluded, *out))


def n_models_run(store: Store, found: WinRates) -> int:
    """Count the models of the systems compared, each with a harness; 0 where these are models.

    One is the same at whatever vendor, whose name comes before it.
    """
    facts = store.derived(ModelFact, found.snapshot) if found.snapshot else ()
    ran = {fact.model: fact.value for fact in facts if fact.field == "tested_model"}
    return len({ran[row.model].rpartition("/")[2] for row in found.rows if row.model in ran})


@remembered(maxsize=16)
def first_by_score(
    store: Store, selection: Selection, category: str | None = None
) -> tuple[str, ...]:
    """Return the models that could be the best by mean score, all benchmarks alike, best first.

    Only models with every benchmark of the category are compared.
    """
    scores = complete(of_category(_made_alike(store, selection), category))
    bands = rank_bands(scores, None) if scores.models else []
    means: list[float] = normalised(scores)[0].mean(axis=1).tolist()
    placed = sorted(zip(scores.models, bands, means, strict=True), key=lambda it: -it[2])
    return tuple(name for name, (first, _), _ in placed if first == 1)


def coverage(store: Store, selection: Selection) -> tests.Coverage:
    """Count MedHELM's subcategories over all suites with a usable snapshot.

    The selection's suite is taken with its protocol and revision, the others with their defaults;
    always all of a suite's models and benchmarks.
    """
    catalogue = store.catalogue
    own = {s: Selection(s, include_flagged=selection.include_flagged) for s in catalogue.suites}
    whole = replace(selection, cohort=ALL_MODELS, models=(), benchmarks=(), language="")
    own[selection.suite] = whole
    matrices = {
        suite: products(store, chosen) for suite, chosen in own.items() if store.of_suite(suite)
    }
    models = {name for scores in matrices.values() for name in scores.models}
    taxonomy = catalogue.benchmarks[_TAXONOMY]
    return tests.count_tests(
        tuple(dict.fromkeys((b.category, b.subcategory) for b in taxonomy)),
        matrices,
        catalogue.places,
        frozenset(name for name in models if model(store, name).access == "open"),
    )


@dataclass(frozen=True, eq=False)
class BenchHealth:
    """The suite as a whole; all scores in percent."""

    scores: ScoreMatrix
    rows: tuple[Evenness, ...]
    """One per model of ``scores``, in its order."""
    scenarios: GroupMeans
    tasks: GroupMeans
    ratings: tuple[HumanRating, ...]


@remembered(maxsize=8)
def benchhealth(store: Store, revision: str = "", include_flagged: bool = False) -> BenchHealth:
    """Return generalisability, robustness, means and judgements of BenchHealth's models."""
    selection = Selection(BENCHHEALTH, revision=revision, include_flagged=include_flagged)
    scores = products(store, selection)
    groups = store.catalogue.groups
    tasks: dict[str, tuple[str, ...]] = {}
    for benchmark in scores.benchmarks:
        tasks[benchmark.subcategory] = (*tasks.get(benchmark.subcategory, ()), benchmark.id)
    return BenchHealth(
        scores=scores,
        rows=tests.evenness(scores, groups.get((BENCHHEALTH, "robustness"), {})),
        scenarios=tuple(
            tests.group_means(scores, groups.get((BENCHHEALTH, "scenario"), {})).items()
        ),
        tasks=tuple(tests.group_means(scores, tasks).items()),
        ratings=tuple(r for r in store.catalogue.human_evaluation if r.suite == BENCHHEALTH),
    )


KS = range(2, 7)
"""Numbers of families to choose from."""
MOST_RESAMPLED = 300
"""Of more models the tree is not grown 1,000 times again: it would take too long to wait for."""


@remembered(maxsize=64)
def taxonomy(store: Store, selection: Selection, n_clusters: int = 2) -> Taxonomy:
    """Return the tree of a cohort's complete models."""
    return clusters.build_taxonomy(products(store, selection), n_clusters=n_clusters)


@remembered(maxsize=16)
def cluster_tests(store: Store, selection: Selection) -> ClusterTests:
    """Return the tests between the two clusters of a cohort."""
    return clusters.rank_sum_tests(products(store, selection), taxonomy(store, selection))


@remembered(maxsize=16)
def left_one_out(store: Store, selection: Selection) -> ClusterTests:
    """Return the tests of each benchmark between clusters that it did not form."""
    return clusters.leave_one_out_tests(products(store, selection), taxonomy(store, selection))


@remembered(maxsize=64)
def suite_silhouettes(store: Store, selection: Selection) -> Mapping[int, float | None]:
    """Return the mean silhouette of the tree at each number of clusters that is on offer."""
    return clusters.silhouettes(taxonomy(store, selection), KS)


@remembered(maxsize=64)
def other_trees(store: Store, selection: Selection, n_clusters: int = 2) -> tuple[int, int]:
    """Return how many trees of other distances and linkages agree with a cohort's, of how many."""
    return clusters.trees_that_agree(taxonomy(store, selection, n_clusters))


@remembered(maxsize=16)
def tree_stability(
    store: Store,
    selection: Selection,
    noise: Noise,
    n_clusters: int = 2,
    n_resamples: int = 1000,
) -> Stability:
    """Return how much of a tree comes out again. Errors as in ``core.statistics.stability``."""
    tree = taxonomy(store, selection, n_clusters)
    scores = products(store, selection)
    return resampled.stability(scores, tree, noise=noise, n_resamples=n_resamples)


@remembered(maxsize=16)
def tree_agreement(
    store: Store, one: Selection, other: Selection, n_clusters: int = 2
) -> Agreement:
    """Return how two trees agree that were grown from different scores."""
    return clusters.agreement(*(taxonomy(store, asked, n_clusters) for asked in (one, other)))


def co_clustering(
    store: Store, selections: Sequence[Selection], model_id: str
) -> dict[str, float] | None:
    """Return how often each model shares the cluster of one, with benchmarks drawn again.

    By model a share of 0 to 1. Over several suites, the lowest counts; models that are not in
    every tree are left out. ``None`` where a suite has too many models, or too few benchmarks.
    """
    trees = [taxonomy(store, selection) for selection in selections]
    if any(len(tree.models) > MOST_RESAMPLED for tree in trees):
        return None
    shares: list[dict[str, float]] = []
    for selection, tree in zip(selections, trees, strict=True):
        try:
            found = tree_stability(store, selection, "benchmarks")
        except BadRequestError:  # too few benchmarks too
            return None
        row = found.co_clustering[tree.models.index(model_id)].tolist()
        shares.append(dict(zip(tree.models, row, strict=True)))
    in_all = (name for name in shares[-1] if all(name in each for each in shares))
    return {name: min(each[name] for each in shares) for name in in_all}
