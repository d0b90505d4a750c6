"""What the benchmarks tell: which repeat which, who wins, and what they cover."""

from __future__ import annotations

from dataclasses import dataclass, replace
from statistics import median
from typing import TYPE_CHECKING, Literal

import numpy as np

from core.answers.data import matrix, model, products
from core.domain import Selection
from core.memory import remembered
from core.procurement.bill import SUITE as TOKENS_OF
from core.statistics import benchmarks as tests
from core.statistics.ranks import of_category, rank_bands
from core.statistics.ranks import win_rates as find_win_rates
from core.statistics.score_matrix import complete

if TYPE_CHECKING:
    from core.domain import Redundancy, ScoreMatrix, WinRates
    from core.evidence.catalogue import HumanRating
    from core.evidence.store import Store
    from core.statistics.benchmarks import Evenness, SmallerSet

_TAXONOMY = "medhelm"
SUITE = "benchhealth"
GroupMeans = tuple[tuple[str, tuple[float | None, ...]], ...]
"""Per group the mean score of each model, percent."""


@remembered(maxsize=32)
def redundancy(
    store: Store, selection: Selection, method: Literal["pearson", "spearman"] = "pearson"
) -> Redundancy:
    """Return the correlation of each pair of benchmarks."""
    return tests.correlate(products(store, selection), method=method)


@remembered(maxsize=16)
def smaller_sets(store: Store, selection: Selection, n_clusters: int = 2) -> tuple[SmallerSet, ...]:
    """Return, for every size, the benchmarks that best keep the ranking.

    Tokens are known for MedHELM: input, and the most that could be written, the median over the
    models that were counted.
    """
    tokens: dict[str, list[int]] = {}
    if selection.suite == TOKENS_OF:
        for row in store.catalogue.tokens:
            used = row.input_tokens + row.max_output_tokens
            tokens.setdefault(row.benchmark, []).append(used)
    medians = {benchmark: float(median(counts)) for benchmark, counts in tokens.items()}
    return tests.smaller_sets(products(store, selection), n_clusters, medians)


@remembered(maxsize=64)
def vote_groups(store: Store, selection: Selection) -> tuple[tuple[str, ...], ...]:
    """Return the benchmarks that share a vote."""
    return tests.vote_groups(products(store, selection))


@remembered(maxsize=16)
def similar_first(store: Store, selection: Selection) -> tuple[str, ...]:
    """Return the benchmarks with similar ones side by side."""
    return tests.similar_first(products(store, selection))


@remembered(maxsize=64)
def win_rates(store: Store, selection: Selection, category: str | None = None) -> WinRates:
    """Return HELM's win rates of a cohort."""
    return find_win_rates(products(store, selection), category=category)


@remembered(maxsize=16)
def first_by_score(
    store: Store, selection: Selection, category: str | None = None
) -> frozenset[str]:
    """Return the models that no other is shown to beat by mean score, all benchmarks alike.

    Only models with every benchmark of the category are compared.
    """
    scores = complete(of_category(products(store, selection), category))
    bands = rank_bands(scores, None) if scores.models else []
    return frozenset(
        name for name, (first, _) in zip(scores.models, bands, strict=True) if first == 1
    )


def coverage(store: Store, selection: Selection) -> tests.Coverage:
    """Count MedHELM's subcategories over all suites with a usable snapshot.

    The selection's suite is taken with its protocol and revision, the others with their defaults;
    always all of a suite's models and benchmarks.
    """
    whole = replace(selection, cohort=Selection("").cohort, models=(), benchmarks=())
    return _coverage(store, replace(whole, language=""))


@remembered(maxsize=8)
def _coverage(store: Store, selection: Selection) -> tests.Coverage:
    catalogue = store.catalogue
    own = {s: Selection(s, include_flagged=selection.include_flagged) for s in catalogue.suites}
    own[selection.suite] = selection
    matrices = {
        suite: products(store, chosen) for suite, chosen in own.items() if store.of_suite(suite)
    }
    models = {name for scores in matrices.values() for name in scores.models}
    taxonomy = catalogue.benchmarks[_TAXONOMY]
    return tests.count(
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
    state_of_the_art: tuple[tuple[str, float], ...]
    """Data set and the best score of a model made for its task; a line, not a product."""
    ratings: tuple[HumanRating, ...]


@remembered(maxsize=8)
def benchhealth(store: Store, revision: str = "", include_flagged: bool = False) -> BenchHealth:
    """Return generalisability, robustness, means and judgements of BenchHealth's models."""
    selection = Selection(SUITE, revision=revision, include_flagged=include_flagged)
    everything, scores = matrix(store, selection), products(store, selection)
    groups = store.catalogue.groups
    tasks: dict[str, tuple[str, ...]] = {}
    for benchmark in scores.benchmarks:
        tasks[benchmark.subcategory] = (*tasks.get(benchmark.subcategory, ()), benchmark.id)
    lines = [i for i, name in enumerate(everything.models) if model(store, name).is_reference]
    return BenchHealth(
        scores=scores,
        rows=tests.evenness(scores, groups.get((SUITE, "robustness"), {})),
        scenarios=tuple(tests.group_means(scores, groups.get((SUITE, "scenario"), {})).items()),
        tasks=tuple(tests.group_means(scores, tasks).items()),
        state_of_the_art=tuple(
            (benchmark.id, float(np.nanmax(column)))
            for benchmark, column in zip(
                everything.benchmarks, everything.scores[lines].T, strict=True
            )
            if not np.isnan(column).all()
        ),
        ratings=tuple(r for r in store.catalogue.human_evaluation if r.suite == SUITE),
    )
