"""Public lists of prices and ends of sale: what a newer one changed, and whom none speaks of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.answers.data import models
from core.domain import BadRequestError, Change, Changes
from core.evidence.fact_lists import LITELLM
from core.memory import remembered
from core.procurement.products import products_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.domain import FactList, ListRow
    from core.evidence.store import Store


def of_list(store: Store, name: str) -> list[FactList]:
    """Return the usable snapshots of a list, the newest first."""
    return [about for about in reversed(store.lists) if about.list == name]


@remembered(maxsize=8)
def changes(store: Store, name: str, before: str, after: str) -> Changes:
    """Compare two revisions of a list by its entries, which stand in place of models.

    A price is that in force on the day of its snapshot for a request of ordinary length, as "input
    / output" in US dollars a million tokens. The item is what the catalogue knows the entry as, or
    empty. Known entries come first, then by name.
    """
    known_as = {about.revision: about for about in of_list(store, name)}
    for revision in (before, after):
        if revision not in known_as:
            raise BadRequestError(
                f'{name} has no snapshot "{revision[:80]}"; it has {", ".join(known_as)}.'
            )
    abouts = [known_as[revision] for revision in (before, after)]
    old, new = (store.listed(about) for about in abouts)
    known = {f"{it.provider}/{it.provider_model}": it.model for it in store.catalogue.prices}
    if name == LITELLM:
        known = {it.key: f"{it.product}, {it.platform}" for it in store.catalogue.list_keys}
    found = []
    for key in sorted(old.keys() & new.keys(), key=lambda key: (key not in known, key)):
        rows = old[key], new[key]
        prices = [_price(row, about) for row, about in zip(rows, abouts, strict=True)]
        ends = [row[0].ends_on or None for row in rows]
        for what, (was, now) in (("price", prices), ("sale end", ends)):
            if was != now:
                found.append(Change(key, what, known.get(key, ""), was, now))
    return Changes(
        suite=name,
        before=abouts[0],
        after=abouts[1],
        new_models=tuple(key for key in new if key not in old),
        gone_models=tuple(key for key in old if key not in new),
        changes=tuple(found),
    )


def _price(rows: Sequence[ListRow], about: FactList) -> str | None:
    for it in reversed(rows):
        if not it.above_tokens and it.from_day <= about.as_of:
            rates = it.input_usd_per_mtok, it.output_usd_per_mtok
            return " / ".join("" if usd is None else f"{usd:g}" for usd in rates)
    return None


@remembered(maxsize=2)
def without_sale(store: Store) -> tuple[tuple[str, str, str], ...]:
    """Return the tested models of which no row says until when they are sold.

    Name, whether the weights are open, and suites, by the newest release of each; without lines to
    compare with.
    """
    catalogue = store.catalogue
    sold = {row.product for row in catalogue.lifecycle}
    suites: dict[str, dict[str, None]] = {}
    for suite in catalogue.suites.values():
        for snapshot in store.of_suite(suite.id)[:1]:
            for protocol in suite.protocols or ("",):
                for model in store.scores(snapshot, protocol)["model"].unique().tolist():
                    suites.setdefault(model, {})[suite.name] = None
    return tuple(
        (model.name, model.access, ", ".join(suites[model.id]))
        for model in models(store, sorted(suites, key=str.casefold)).values()
        if not model.is_reference and sold.isdisjoint(products_of(model.id, catalogue.crosswalk))
    )
