"""How models compare: win rates, and what changed."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

from core.answers.evidence import matrix, products
from core.answers.prices import prices_on
from core.answers.remembering import remembered
from core.domain import Change, Changes, Selection
from core.procurement.prices import price_changes
from core.statistics.changes import cluster_changes, rank_changes, score_changes
from core.statistics.ranks import rank_bands
from core.statistics.score_matrix import complete
from core.statistics.win_rates import of_category
from core.statistics.win_rates import win_rates as find_win_rates

if TYPE_CHECKING:
    from core.domain import WinRates
    from core.evidence.store import Store


@remembered(maxsize=16)
def changes(store: Store, suite: str, before: str, after: str) -> Changes:
    """Return what changed from one revision of a suite to another, flagged runs included.

    Facts are those that the suite's own source gives; prices are those of the days on which
    the two snapshots were retrieved.

    Raises
    ------
    BadRequestError
        When there is no such suite or revision.
    """
    releases = [store.snapshot(suite, revision) for revision in (before, after)]
    old, new = (
        matrix(store, Selection(suite, revision=r, include_flagged=True)) for r in (before, after)
    )
    facts = [{(f.model, f.field): f.value for f in store.facts(s)} for s in releases]
    both = [model for model in new.models if model in set(old.models)]
    days = [date.fromisoformat(snapshot.retrieved_at) for snapshot in releases]
    prices = [prices_on(store.shared, day) for day in days]
    return Changes(
        suite=suite,
        before=releases[0],
        after=releases[1],
        new_models=tuple(m for m in new.models if m not in set(old.models)),
        gone_models=tuple(m for m in old.models if m not in set(new.models)),
        changes=(
            *score_changes(old, new),
            *rank_changes(old, new),
            *cluster_changes(old, new),
            *(
                Change(model, field, "", facts[0].get((model, field)), value)
                for (model, field), value in facts[1].items()
                if model in both and facts[0].get((model, field)) != value
            ),
            *price_changes(both, *prices),
        ),
    )


@remembered(maxsize=64)
def win_rates(
    store: Store,
    selection: Selection,
    category: str | None = None,
) -> WinRates:
    """Return HELM's win rates of a cohort. Errors as for ``matrix``, or an unknown category."""
    scores = products(store, selection)
    return find_win_rates(scores, category=category)


@remembered(maxsize=16)
def first_by_score(
    store: Store, selection: Selection, category: str | None = None
) -> frozenset[str]:
    """Return the models that no other is shown to beat by mean score, all benchmarks alike.

    Only models with every benchmark of the category are compared. Errors as for ``win_rates``.
    """
    scores = complete(of_category(products(store, selection), category))
    bands = rank_bands(scores, None) if scores.models else []
    return frozenset(
        name for name, (first, _) in zip(scores.models, bands, strict=True) if first == 1
    )
