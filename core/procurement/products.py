"""Products that makers sell: the same one in several suites, and for how long it can be bought.

A day of shutdown is the first day on which the model is no longer served.
"""

from __future__ import annotations

from calendar import monthrange
from datetime import date
from operator import attrgetter
from typing import TYPE_CHECKING, Literal

from core.domain import OnSale

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from core.domain import CrosswalkEntry, Lifecycle, Model

Kind = Literal["same version", "version not stated"]
Standing = Literal["on sale", "ends", "gone", "not known"]
"""Ends: served on the day, but not for long enough."""
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


def standing(row: Lifecycle, on: date, months: int) -> Standing:
    """Judge one product at one platform on the day on which the model is bought.

    It must still be served for so many calendar months; 0 asks for the day alone. A day of
    shutdown decides: not after `on` it is gone, before `on` plus `months` it ends, else it is on
    sale. Without one a row that is on sale or deprecated has no announced end; one that is shut
    down is gone from the day of its status and not known before; one that was not found is not
    known.
    """
    if row.shutdown_on:
        end = date.fromisoformat(row.shutdown_on)
        return "gone" if end <= on else "ends" if end < add_months(on, months) else "on sale"
    if row.status == "shut down" and on >= date.fromisoformat(row.status_on):
        return "gone"
    return "on sale" if row.status in ("on sale", "deprecated") else "not known"


def on_sale(
    model: Model,
    rows: Sequence[Lifecycle],
    on: date,
    months: int,
    platforms: Collection[str] | None = None,
    *,
    own_servers: bool = True,
) -> OnSale:
    """Judge whether a model is on sale for long enough, day and months as in `standing`.

    *Passes* where any row does: one without an announced end decides before the latest day, then
    the maker's own platform, then the order of the rows. *Question* where none passes but one is
    not known, or there is no row. *Fails* otherwise, with the latest day. Open weights always pass
    on own servers. A host ends them like any other; since anybody may be one, those whose hosts
    all end are a question unless every one of ``platforms`` has a row.

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
    how = {row: standing(row, on, months) for row in rows}
    failing = frozenset(row.platform for row in how) - {
        row.platform for row, stands in how.items() if stands in ("on sale", "not known")
    }
    no_end = {row for row, stands in how.items() if stands == "on sale" and not row.shutdown_on}
    until = attrgetter("shutdown_on")

    def is_makers(row: Lifecycle) -> bool:
        return row.platform.split()[:1] == model.developer.split()[:1]

    # The maker's word for its latest version, else that of any other platform.
    named = [row for row in rows if row.successor]
    latest = max(named, key=lambda row: (is_makers(row), row in no_end, until(row)), default=None)
    successor = latest.successor if latest else ""
    asked = [row for row in rows if platforms is None or row.platform in platforms]
    asked.sort(key=lambda row: not is_makers(row))
    endless = [row for row in asked if row in no_end]
    hosts = tuple(dict.fromkeys(row.platform for row in endless))
    if model.access == "open" and own_servers:
        dated = [row for row in asked if how[row] != "gone" and row.shutdown_on]
        last = max(dated, key=until) if dated and not endless else None
        host = None if last is None else (last.platform, last.shutdown_on)
        return OnSale(
            "passes", "", "", successor, "", failing, kept=True, endless=hosts, last_host=host
        )
    read = {row.platform for row in asked if how[row] != "not known"}
    unread = model.access == "open" and (platforms is None or bool(set(platforms) - read))
    stands: Literal["passes", "fails", "question"] = "passes"
    if endless:
        decides = endless
    elif passing := [row for row in asked if how[row] == "on sale"]:
        decides = [max(passing, key=until)]
    elif not asked or unread or "not known" in (how[row] for row in asked):
        stands, decides = "question", [row for row in asked if how[row] == "not known"]
    else:
        stands, decides = "fails", [max(asked, key=until)]
    return OnSale(
        standing=stands,
        until=decides[0].shutdown_on if decides else "",
        platform=decides[0].platform if decides else "",
        successor=successor,
        conflict=" ".join(dict.fromkeys(row.conflict for row in decides if row.conflict)),
        failing_platforms=failing,
        endless=hosts if stands == "passes" else (),
        ended=stands == "fails" and how[decides[0]] == "gone",
    )
