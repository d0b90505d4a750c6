"""Public lists of prices and ends of sale: kept as snapshots of their own, and read.

A snapshot is the folder ``facts/<list>/<revision>/`` with ``rows.csv``, in one layout for all
lists, and ``manifest.toml``. Like a snapshot of scores it is put in place whole and never changes.
"""

import csv
from collections.abc import Collection, Iterable, Mapping
from dataclasses import fields, replace
from datetime import date, timedelta
from operator import attrgetter, itemgetter
from pathlib import Path
from typing import Any

from core.domain import PRICED_THERE, BadDataError, FactList, Lifecycle, ListKey, ListRow, Region
from core.evidence import snapshots
from core.evidence.snapshots import Fault

ROWS = "rows.csv"
LITELLM, GENAI_PRICES = "litellm", "genai-prices"
_COLUMNS = tuple(field.name for field in fields(ListRow))
_LATER = {"ends_source": "", "successor": "", "regional_times": ""}
"""Columns that older snapshots do not have, each with an empty cell."""
_NUMBERS = (
    *("input_usd_per_mtok", "output_usd_per_mtok", "cache_read_usd_per_mtok"),
    "regional_times",
)
_CELLS = itemgetter(*_COLUMNS)
_FLAGS = {"true": True, "false": False}
_LEAST_SHARE = 0.5
_AGE = attrgetter("as_of", "retrieved_at", "revision")
_SAME_TIME = timedelta(days=60)
"""Of readings no further apart the earlier end counts, else the newer reading."""


def check_size(about: FactList, known: Iterable[FactList]) -> None:
    """Refuse a list that lost half of what its newest snapshot has: it is probably broken."""
    old = newest(known, about.list)
    if old and about.n_entries < _LEAST_SHARE * old.n_entries:
        raise BadDataError(
            f"The list {about.list} has {about.n_entries:,} entries where the snapshot "
            f"{old.revision} has {old.n_entries:,}, so it is probably broken and was not taken."
        )


def write_list(folder: Path, about: FactList, found: Iterable[ListRow]) -> FactList:
    """Write a snapshot into a folder that nobody reads yet, and return its manifest."""
    import pandas as pd  # noqa: PLC0415 - a third of a second to import

    folder.mkdir(parents=True)
    frame = pd.DataFrame(list(found), columns=_COLUMNS)
    frame["deprecated"] = frame["deprecated"].map({True: "true", False: "false"})
    frame.to_csv(folder / ROWS, index=False, lineterminator="\n", float_format="%.12g")
    about = replace(about, sha256=snapshots.sha256(folder / ROWS))
    snapshots.write_manifest(folder, about)
    return about


def verify_list(folder: Path) -> FactList:
    """Read a manifest and check that the rows next to it are those that it describes."""
    about = snapshots.manifest(folder, FactList)
    snapshots.check_hash(folder / ROWS, about.sha256)
    return about


def check_lists(root: Path) -> tuple[tuple[FactList, ...], tuple[Fault, ...]]:
    """Verify the snapshots of all lists, oldest first; a faulty one does not stop the others."""
    good, faults = snapshots.checked(root, verify_list)
    return tuple(sorted(good, key=_AGE)), faults


def newest(known: Iterable[FactList], name: str, on: date | None = None) -> FactList | None:
    """Return the snapshot of a list that was in force on a day: the newest that is not younger.

    Before the first one that first one stands in; without a day it is the newest of all.
    """
    of_list = sorted((it for it in known if it.list == name), key=_AGE)
    in_force = [it for it in of_list if on is None or it.as_of <= on.isoformat()]
    return next(reversed(in_force or of_list[:1]), None)


def read_list(folder: Path, keys: Collection[str] | None = None) -> dict[str, tuple[ListRow, ...]]:
    """Return the rows of a snapshot by key, in the file's order, all or those of some keys."""
    found: dict[str, list[ListRow]] = {}
    try:
        with (folder / ROWS).open(encoding="utf-8", newline="") as file:
            lines = csv.reader(file)
            names = next(lines)
            at = names.index("key")
            for line in lines:
                if keys is not None and line[at] not in keys:
                    continue
                cells: dict[str, Any] = _LATER | dict(zip(names, line, strict=True))
                for name in _NUMBERS:  # A price that is not known is None.
                    cells[name] = float(cells[name]) if cells[name] else None
                cells["above_tokens"] = int(cells["above_tokens"])
                cells["deprecated"] = _FLAGS[cells["deprecated"]]
                found.setdefault(cells["key"], []).append(ListRow(*_CELLS(cells)))
    except (OSError, ValueError, LookupError, StopIteration, csv.Error):
        of = f"{folder.parent.name}/{folder.name}"
        raise BadDataError(f"{of}/{ROWS} is not a readable list of prices.") from None
    return {key: tuple(of) for key, of in found.items()}


PAGE = "https://github.com/BerriAI/litellm/blob/main/model_prices_and_context_window.json"


def with_ends(
    lifecycle: Iterable[Lifecycle],
    keys: Iterable[ListKey],
    about: FactList,
    listed: Mapping[str, tuple[ListRow, ...]],
) -> tuple[Lifecycle, ...]:
    """Join the ends of sale of a list to the curated rows.

    Of readings at most 60 days apart the earlier end counts, and where a row does not say when it
    was read; else that of the newer reading, and the row says the other. A row that rests on the
    list itself follows it. An entry without a day says nothing: it neither ends nor renews what is
    known. For a product at a platform without a row the list's end is the only one.
    """
    rows = list(lifecycle)
    sold_as = {it.key: it.product for it in keys if it.list == about.list}
    for key in keys:
        entry = listed[key.key][0] if key.key in listed else None
        if key.list != about.list or not key.date_is or entry is None or not entry.ends_on:
            continue
        ends, successor = entry.ends_on, sold_as.get(entry.successor, entry.successor)
        new = _row(key, about, entry, successor)
        sold = (key.product, key.platform)
        at = [i for i, it in enumerate(rows) if (it.product, it.platform) == sold]
        if not at and key.date_is == "end":
            rows.append(new)
        for i in at:
            it, is_own = rows[i], rows[i].source_url == PAGE
            said = it.shutdown_on if key.date_is == "end" else it.not_before
            if ends == said or (key.date_is == "not before" and not is_own):
                continue
            counts = is_own or (not said and it.status != "shut down")
            if said and not is_own:
                counts = _counts(ends, about.said_on, said, it.read_on)
            if not counts:
                other = f"The list {about.list} of {about.said_on} says {ends}."
                rows[i] = replace(it, conflict=it.conflict or other)
            elif key.date_is == "not before":
                rows[i] = replace(it, not_before=ends, read_on=about.said_on)
            else:
                whose = "The vendor's page" if it.source_kind[:6] == "vendor" else "Another source"
                told = f"{whose} of {it.read_on or 'no known day'} says {said}." if said else ""
                rows[i] = replace(
                    new,
                    provider_model=it.provider_model,
                    deprecated_on="" if it.deprecated_on > ends else it.deprecated_on,
                    successor=successor or it.successor,
                    note=it.note,
                    conflict=it.conflict if is_own else " ".join(filter(None, (told, it.conflict))),
                    notice_days=it.notice_days,
                    not_before=it.not_before,
                    closed_on=it.closed_on,
                )
    return tuple(rows)


def with_priced_regions(
    regions: Iterable[Region],
    keys: Iterable[ListKey],
    about: FactList,
    listed: Mapping[str, tuple[ListRow, ...]],
) -> tuple[Region, ...]:
    """Join the regions for which a list has a price of its own to the curated rows.

    A product at a platform is served where it is sold at a price for that place. An entry that
    has ended says nothing, and one for a government's cloud nothing of its country's other
    customers; where a curated row has the region, that row stands alone.
    """
    curated = tuple(regions)
    known = {(it.product, it.platform, it.region) for it in curated}
    found = {}
    for key in keys:
        entry = listed[key.key][0] if key.list == about.list and key.key in listed else None
        at = (key.product, key.platform, key.region)
        ended = entry is not None and "" < entry.ends_on <= about.said_on
        if entry and not ended and key.region.isalpha() and at not in known:
            found[at] = Region(
                *at,
                where=key.key,
                kind=PRICED_THERE,
                source_url=entry.source_url or PAGE,
                read_on=about.said_on,
                source_kind=f"third-party list ({about.list} {about.revision})",
                note="",
            )
    return (*curated, *found.values())


def _counts(ends: str, said_on: str, other: str, read_on: str) -> bool:
    """Return whether the end of one reading counts against that of another."""
    if not read_on or abs(date.fromisoformat(said_on) - date.fromisoformat(read_on)) <= _SAME_TIME:
        return ends < other
    return said_on > read_on


def _row(key: ListKey, about: FactList, entry: ListRow, successor: str) -> Lifecycle:
    ends = entry.ends_on
    names = ", which names this page" if entry.ends_source else ""
    return Lifecycle(
        product=key.product,
        platform=key.platform,
        provider_model=key.key.rpartition("/")[2],
        status="shut down" if ends <= about.as_of else "deprecated",
        status_on=about.as_of,
        deprecated_on="",
        shutdown_on=ends,
        successor=successor,
        source_url=entry.ends_source or PAGE,
        source_kind=f"third-party list ({about.list} {about.revision}, {about.as_of}){names}",
        note="",
        conflict="",
        read_on=about.said_on,
    )
