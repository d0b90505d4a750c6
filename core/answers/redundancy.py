"""Which benchmarks tell the same, and how few would do."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING, Literal

from core.answers.evidence import products
from core.answers.remembering import remembered
from core.procurement.local_plan import plan
from core.procurement.workload import SUITE as TOKENS_OF
from core.statistics.redundancy import correlate
from core.statistics.smaller_sets import smaller_sets as find_smaller_sets
from core.statistics.vote_groups import similar_first as find_order
from core.statistics.vote_groups import vote_groups as find_groups

if TYPE_CHECKING:
    from core.domain import Redundancy, Selection
    from core.evidence.store import Store
    from core.procurement.local_plan import PlanRow
    from core.statistics.smaller_sets import SmallerSet


@remembered(maxsize=32)
def redundancy(
    store: Store, selection: Selection, method: Literal["pearson", "spearman"] = "pearson"
) -> Redundancy:
    """Return the correlation of each pair of benchmarks. Errors as for ``matrix``."""
    return correlate(products(store, selection), method=method)


@remembered(maxsize=16)
def smaller_sets(store: Store, selection: Selection, n_clusters: int = 2) -> tuple[SmallerSet, ...]:
    """Return, for every size, the benchmarks that best keep the ranking. Errors as for ``matrix``.

    Tokens are known for MedHELM: input, and the most that could be written, the median over the
    models that were counted.
    """
    tokens: dict[str, list[int]] = {}
    if selection.suite == TOKENS_OF:
        for row in store.catalogue.tokens:
            used = row.input_tokens + row.max_output_tokens
            tokens.setdefault(row.benchmark, []).append(used)
    medians = {benchmark: float(median(counts)) for benchmark, counts in tokens.items()}
    return find_smaller_sets(products(store, selection), n_clusters, medians)


@remembered(maxsize=64)
def vote_groups(store: Store, selection: Selection) -> tuple[tuple[str, ...], ...]:
    """Return the benchmarks that share a vote. Errors as for ``matrix``."""
    return find_groups(products(store, selection))


@remembered(maxsize=16)
def similar_first(store: Store, selection: Selection) -> tuple[str, ...]:
    """Return the benchmarks with similar ones side by side. Errors as for ``matrix``."""
    return find_order(products(store, selection))


def local_plan(store: Store, selection: Selection, size: int) -> tuple[PlanRow, ...]:
    """Return what a smaller evaluation of ``size`` benchmarks keeps, and why.

    Errors as for ``matrix``.
    """
    kept = smaller_sets(store, selection)[size - 1].benchmarks
    benchmarks = products(store, selection).benchmarks
    return plan(benchmarks, kept, redundancy(store, selection).pairs)
