"""Models, the products that they are or may be, and what holds of a product once.

What several suites call otherwise is one product where the crosswalk says so; what a product says
goes before what its models say, so no two suites can contradict each other.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from core.domain import Architecture, BadDataError, CrosswalkEntry, Lifecycle, Model, PriceReference
from core.evidence.tables import Row, read_table

_HELD_AGAINST = ("developer", "released_on")
"""What a model may not say otherwise than its product."""
_OF_A_PRODUCT = (
    *("params_b", "params_active_b", "params_source", "licence", "access"),
    "context_window_tokens",
)
"""What a product says once, whatever its models say."""
_UNKNOWN = {None, "", "unknown"}


@dataclass(frozen=True, slots=True)
class Alias:
    """Another name of a model."""

    alias: str
    model: str
    kind: str
    """``mirror`` for a copy of the model under another name."""
    source_url: str


def read_models(folder: Path, aliases: tuple[Alias, ...]) -> dict[str, Model]:
    """Read ``models.csv``; an empty maker, day or reasoning is as the product has it."""
    mirrors = {it.alias: it.model for it in aliases if it.kind == "mirror"}
    also: dict[str, tuple[str, ...]] = {}
    for it in aliases:
        also[it.model] = (*also.get(it.model, ()), it.alias)

    def access(row: Row, column: str) -> str:
        if (value := row.cells[column] or "unknown") not in ("open", "closed", "unknown"):
            raise row.fault(f'the access "{value[:40]}" must be open, closed or empty')
        return value

    found = read_table(
        folder / "models.csv",
        Model,
        cells={
            "access": access,
            "reasoning": lambda row, column: row.flag(column) if row.cells[column] else None,
        },
    )
    return {
        it.id: replace(it, mirror_of=mirrors.get(it.id, ""), aliases=also.get(it.id, ()))
        for it in found
    }


def as_their_products(
    models: Mapping[str, Model], entries: Sequence[CrosswalkEntry], folder: Path
) -> tuple[dict[str, Model], tuple[CrosswalkEntry, ...]]:
    """Give models what holds of their products, and add each product as a model of its own.

    What ``products.csv`` says holds for all models of a product, so no two suites can contradict
    each other. Where the products of an id that states no version differ, its own row counts.
    A maker or a day of its own that is another one is a fault; reasoning of its own is that of a
    run whose name states it. A product without a model of its name has one here, which no suite
    has tested under that name: it is what a buyer buys.
    """
    products = read_table(
        folder / "products.csv",
        Model,
        cells={
            "released_on": lambda row, column: row.cells[column] and row.date(column),
            "access": lambda row, column: row.cells[column] or "unknown",
        },
    )
    known = {it.id: it for it in products}
    of: dict[str, list[Model]] = {}
    for entry in entries:
        if entry.product in known:
            of.setdefault(entry.model, []).append(known[entry.product])
    found = {}
    for name, model in models.items():
        said: dict[str, Any] = {"reasoning": model.reasoning}
        for field in (*_HELD_AGAINST, "reasoning", *_OF_A_PRODUCT) if name in of else ():
            agreed = {getattr(product, field) for product in of[name]} - _UNKNOWN
            own, value = getattr(model, field), agreed.pop() if len(agreed) == 1 else None
            if field in _HELD_AGAINST and own and value and own != value:
                raise BadDataError(
                    f"catalogue/models.csv, {name}: the {field} is {own}, and {value} in "
                    "products.csv."
                )
            keeps_own = own not in (None, "") and field not in _OF_A_PRODUCT
            said[field] = own if value is None or keeps_own else value
        found[name] = replace(model, **said | {"reasoning": bool(said["reasoning"])})
    added = [it for it in products if it.id not in found]
    also = (
        CrosswalkEntry(it.id, it.id, "same version", "The product as it is sold") for it in added
    )
    return found | {it.id: it for it in added}, (*entries, *also)


def products_of_models(entries: Sequence[CrosswalkEntry]) -> dict[str, tuple[str, ...]]:
    """Return by model the products that it is or may be, in the order of the entries.

    Several where the id states no version; none of a model that the crosswalk does not have.
    """
    found: dict[str, tuple[str, ...]] = {}
    for entry in entries:
        found[entry.model] = (*found.get(entry.model, ()), entry.product)
    return found


def of_every_id(
    rows: Sequence[Architecture], sold_as: Mapping[str, Sequence[str]]
) -> tuple[Architecture, ...]:
    """Let the architecture of one id of a product be that of all which are this product alone.

    A product is one set of weights, whatever a suite calls it. An id of several products, or with a
    row of its own, keeps to itself.
    """
    alone = {name: of[0] for name, of in sold_as.items() if len(of) == 1}
    named = {name for row in rows for name in (row.model, *row.also)}
    others: dict[str, list[str]] = {}
    for name, product in alone.items():
        if name not in named:
            others.setdefault(product, []).append(name)
    found = []
    for row in rows:
        products = dict.fromkeys(alone[it] for it in (row.model, *row.also) if it in alone)
        also = (name for product in products for name in others.pop(product, ()))
        found.append(replace(row, also=(*row.also, *also)))
    return tuple(found)


def sold_as_products(
    prices: Sequence[PriceReference], entries: Sequence[CrosswalkEntry]
) -> tuple[PriceReference, ...]:
    """Add for each product the places in price lists of its models of the same version."""
    by_model: dict[str, list[PriceReference]] = {}
    for it in prices:
        by_model.setdefault(it.model, []).append(it)
    also = [
        replace(reference, model=entry.product)
        for entry in entries
        if entry.kind == "same version" and entry.product != entry.model
        for reference in by_model.get(entry.model, ())
    ]
    once = {(it.model, it.provider): it for it in reversed((*prices, *also))}
    return tuple(reversed(once.values()))


def read_lifecycle(folder: Path) -> tuple[Lifecycle, ...]:
    """Read ``lifecycle.csv``, one row per product, platform and name there.

    A successor whose id a platform sells under is called by its product, as everywhere else.
    """

    def check(it: Lifecycle) -> str:
        if it.shutdown_on and it.deprecated_on > it.shutdown_on:
            return f"it was shut down on {it.shutdown_on}, before it was deprecated"
        return ""

    found = read_table(
        folder / "lifecycle.csv",
        Lifecycle,
        cells={"status_on": lambda row, column: row.text(column) and row.day(column)},
        check=check,
    )
    sold_as = {it.provider_model: it.product for it in reversed(found) if it.provider_model}
    return tuple(replace(it, successor=sold_as.get(it.successor, it.successor)) for it in found)


def read_crosswalk(
    folder: Path, models: Mapping[str, Model], sold: Sequence[Lifecycle]
) -> tuple[CrosswalkEntry, ...]:
    """Read a row per product and model; products of closed models must be among those sold."""
    products = {it.product for it in sold}

    def check(it: CrosswalkEntry) -> str:
        if models[it.model].access == "closed" and it.product not in products:
            return f'the product "{it.product}" is not in lifecycle.csv'
        return ""

    ids = {"models.csv": models}
    return read_table(folder / "crosswalk.csv", CrosswalkEntry, ids=ids, check=check)
