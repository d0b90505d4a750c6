"""Products that makers sell: the same one in several suites, and for how long it can be bought.

A day of shutdown is the first day on which the model is no longer served.
"""

from __future__ import annotations

from calendar import monthrange
from datetime import date, timedelta
from typing import TYPE_CHECKING, Literal

from core.domain import Lifecycle, OnSale, Sale

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from core.domain import CrosswalkEntry, Model, OwnSale, SaleState

Kind = Literal["same version", "version not stated"]
_OTHER_HARNESS = "another harness"


def products_of(model_id: str, entries: Sequence[CrosswalkEntry]) -> tuple[str, ...]:
    """Return the products that a model is or may be, in the order of the entries.

    Several where the id states no version; empty for a model that the crosswalk does not have.
    """
    return tuple(entry.product for entry in entries if entry.model == model_id)


def matched(
    one: Sequence[str], other: Sequence[str], entries: Sequence[CrosswalkEntry]
) -> tuple[tuple[str, str, Kind], ...]:
    """Match the models of two suites, each at most once.

    The closest go first: the same version; then the same id where the crosswalk does not know the
    model, for which a suite prints no more than the other; then *version not stated*, of these
    the same name but for spaces and signs, and else in the order given. So where a model has
    several counterparts, one stands for it, and no other model takes that one too. Each match is
    an id of ``one``, an id of ``other``, and the kind, in the order of ``one``.
    """
    place = {model: i for i, model in enumerate(other)}
    found: list[tuple[int, int, int, Kind]] = []
    for i, model in enumerate(one):
        ways = counterparts(model, entries)
        if model in place:
            known = {entry.kind for entry in entries if entry.model == model}
            same = not known or "same version" in known
            ways[model] = "same version" if same else "version not stated"
        for name, kind in ways.items():
            if name in place:
                loose = kind != "same version"
                rank = loose * (1 if _bare(name) == _bare(model) else 2)
                found.append((rank, i, place[name], kind))
    taken: dict[int, tuple[int, Kind]] = {}
    for _, i, j, kind in sorted(found):
        if i not in taken and j not in {match for match, _ in taken.values()}:
            taken[i] = j, kind
    return tuple((one[i], other[j], kind) for i, (j, kind) in sorted(taken.items()))


def _bare(name: str) -> str:
    return "".join(letter for letter in name.casefold() if letter.isalnum())


def counterparts(model_id: str, entries: Sequence[CrosswalkEntry]) -> dict[str, Kind]:
    """Return the other model ids that share a product with a model, in the entries' order.

    They are of the *same version* only where both say so of one product. A hospital's own result
    counts as its model: the caller takes ``core.evidence.catalogue.OWN_RESULT`` off the end first.
    A model that two suites hold under one id is not its own counterpart: whether they mean the
    same version, its own entries say. A model under *another harness* is a counterpart of nothing:
    where another suite is joined, one run stands for all of a model.
    """
    own = {entry.product: entry.kind for entry in entries if entry.model == model_id}
    found: dict[str, Kind] = {}
    for entry in entries:
        if entry.model == model_id or entry.product not in own or entry.kind == _OTHER_HARNESS:
            continue
        both = entry.kind == "same version" and own[entry.product] in (entry.kind, _OTHER_HARNESS)
        if both or entry.model not in found:
            found[entry.model] = "same version" if both else "version not stated"
    return found


def add_months(day: date, months: int) -> date:
    """Return the same day of a later month, or that month's last where it has no such day."""
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    return date(year, month + 1, min(day.day, monthrange(year, month + 1)[1]))


OLD = timedelta(days=90)
"""From then on a fact says how old it is."""


def is_old(read_on: str, on: date) -> bool:
    """Say whether a fact was read over 90 days before a day, or nobody knows when.

    Of a month or a year alone the first day counts.
    """
    day = f"{read_on}-01-01"[:10] if read_on[:1].isdigit() else ""
    return not day or on - date.fromisoformat(day) > OLD


def sale_of(row: Lifecycle, on: date, months: int) -> Sale:
    """Judge one product at one platform on the day on which the model is bought.

    It must still be served for so many calendar months; 0 asks for the day alone. A stated end
    decides whatever the status: not after `on` it is gone, before `on` plus `months` it does not
    last. Without one, a row that is on sale is assured to the later of the maker's floor and the
    day it was read plus the platform's notice; where that is before the months are over, no end is
    known. One that is shut down is gone from the day of its status and not known before; one that
    was not found is not known.
    """
    enough = add_months(on, months)
    state: SaleState = "not known"
    lasts: bool | None = None
    until = row.shutdown_on
    if until:
        end = date.fromisoformat(until)
        state, lasts = ("gone", False) if end <= on else ("ends", end >= enough)
    elif row.status == "shut down":
        state, lasts = ("gone", False) if row.status_on <= on.isoformat() else ("not known", None)
    elif row.status != "not found":
        until = row.not_before
        if row.read_on and row.notice_days is not None:
            told = date.fromisoformat(row.read_on) + timedelta(days=row.notice_days)
            until = max(until, told.isoformat())
        state, lasts = "assured" if until >= enough.isoformat() else "no end known", True
    old = is_old(row.read_on, on)
    return Sale(row.platform, state, until, row.read_on, row.source_url, lasts, old, row.conflict)


def with_own_sales(rows: Sequence[Lifecycle], own: Sequence[OwnSale]) -> list[Lifecycle]:
    """Return the rows of one model's products with what the hospital was told in their place."""
    told = {each.platform: each for each in own}
    successor = next((row.successor for row in rows if row.successor), "")
    return [
        *(row for row in rows if row.platform not in told),
        *(
            Lifecycle(
                product=each.model,
                platform=platform,
                provider_model="",
                status="deprecated" if each.ends_on else "on sale",
                status_on=each.as_of,
                deprecated_on="",
                shutdown_on=each.ends_on,
                successor=successor,
                source_url=each.source,
                source_kind="own",
                note="",
                conflict="",
                read_on=each.as_of,
            )
            for platform, each in told.items()
        ),
    ]


def on_sale(
    model: Model,
    rows: Sequence[Lifecycle],
    on: date,
    months: int,
    platforms: Collection[str] | None = None,
    *,
    own_servers: bool = True,
) -> OnSale:
    """Judge whether a model is on sale for long enough, day and months as in `sale_of`.

    *Passes* where any platform lasts: what is assured or has a stated end goes before what has no
    known end, and that before old words; then the latest day, the maker's own platform, and the
    order of the rows. *Question* where none lasts but one is not known, or there is no row.
    *Fails* otherwise. Open weights always pass on own servers. A host ends them like any other;
    since anybody may be one, those whose hosts all end are a question unless every one of
    ``platforms`` has a row.

    Parameters
    ----------
    rows
        The rows of its products, of all of them where its version is not stated.
    platforms
        Those that meet the other conditions; ``None`` for all. The successor and
        ``failing_platforms`` look at all in any case.
    own_servers
        Whether the buyer may run open weights.
    """
    every = [sale_of(row, on, months) for row in rows]
    failing = frozenset(sale.platform for sale in every) - {
        sale.platform for sale in every if sale.lasts is not False
    }

    def is_makers(platform: str) -> bool:
        return platform.split()[:1] == model.developer.split()[:1]

    # The maker's word for its latest version, else that of any other platform.
    named = [(row, sale) for row, sale in zip(rows, every, strict=True) if row.successor]
    latest = max(
        named,
        key=lambda one: (is_makers(one[0].platform), one[1].lasts or False, one[0].shutdown_on),
        default=None,
    )

    def surest(sale: Sale) -> tuple[object, ...]:
        plain = sale.state in ("assured", "ends")
        order = 4 if sale.lasts is False else 3 if sale.lasts is None else 2 * (not plain)
        old = sale.is_old and order == 2
        latest_first = -date.fromisoformat(sale.until).toordinal() if sale.until else 0
        return order, old, latest_first, not is_makers(sale.platform)

    asked = [sale for sale in every if platforms is None or sale.platform in platforms]
    at = tuple({sale.platform: sale for sale in sorted(asked, key=surest, reverse=True)}.values())
    at = tuple(sorted(at, key=surest))
    read = {sale.platform for sale in asked if sale.lasts is not None}
    unread = model.access == "open" and (platforms is None or bool(set(platforms) - read))
    kept = model.access == "open" and own_servers
    stands: Literal["passes", "fails", "question"] = "fails"
    if kept or (at and at[0].lasts):
        stands = "passes"
    elif not at or unread or at[0].lasts is None:
        stands = "question"
    return OnSale(stands, at, latest[0].successor if latest else "", failing, kept=kept)
