"""Public lists of prices and ends of sale: fetched, checked, and kept as snapshots of their own.

A snapshot is the folder ``facts/<list>/<revision>/`` with ``rows.csv``, in one layout for all
lists, and ``manifest.toml``. Like a snapshot of scores it is put in place whole and never changes.
What a server sends is untrusted: it is refused in one sentence where any of it is not what such a
list holds, and nothing of it is kept but short names, numbers, days and addresses.
"""

from __future__ import annotations

import hashlib
import os
import re
from dataclasses import dataclass, fields, replace
from datetime import UTC, date, datetime, timedelta
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import pandas as pd

from core.domain import BadDataError, FactList, Lifecycle, ListRow
from core.evidence import snapshots
from core.evidence.hub import fetched
from core.evidence.sources import parsed_json
from core.evidence.tables import as_number, is_address

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
    from pathlib import Path

    from core.domain import ListKey
    from core.evidence.snapshots import Fault

ROWS = "rows.csv"
LITELLM, GENAI_PRICES = "litellm", "genai-prices"
_COLUMNS = tuple(field.name for field in fields(ListRow))
_LATER = ("ends_source", "successor", "regional_times")
"""Columns that older snapshots do not have."""
_NUMBERS = (
    *("input_usd_per_mtok", "output_usd_per_mtok", "cache_read_usd_per_mtok"),
    "regional_times",
)
_MAX_BYTES = 16_000_000
"""Five times what the larger list holds."""
_MAX_ROWS = 50_000
_MAX_USD = 100_000.0
"""No million tokens costs more; a price beyond is a slip of the decimal point."""
_LEAST_SHARE = 0.5
_AGE = attrgetter("as_of", "retrieved_at", "revision")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._:/@+*()~&'-]{0,149}")
"""No sign of HTML or Markdown, and none at the start by which a spreadsheet knows a formula."""
_LONGER = re.compile(r"input_cost_per_token_above_(\d{1,5})k_tokens")
_UPLIFTS = ("regional_endpoint_uplift_multiplier", "regional_processing_uplift_multiplier_us")
"""The list gives the EU the same as the US."""
_SAME_TIME = timedelta(days=60)
"""Of readings no further apart the earlier end counts, else the newer reading."""
_NOON = "12:00:00"
"""The time of day asked for where a price depends on the hour."""


@dataclass(frozen=True, slots=True)
class ListSource:
    """Where a list is fetched, and what reads it."""

    list: str
    title: str
    address: str
    variable: str
    """The variable of the environment that names a mirror of the file."""
    licence: str
    read: Callable[[object, str], Iterator[ListRow]]


@dataclass(frozen=True, slots=True)
class EndConflict:
    """A day on which a sale ends, of which the catalogue and a list say different ones."""

    product: str
    platform: str
    curated: str
    source_url: str
    listed: str
    about: FactList
    counts: str
    """Which of the two counts."""


def fetch(name: str) -> tuple[FactList, tuple[ListRow, ...]]:
    """Fetch a list and check it whole.

    Its day is the one on which its file changed, as the server says, else today: what a list
    holds, it says on the day on which it is read. Its revision is the beginning of its hash.
    """
    source = SOURCES[name]
    content, changed = fetched(os.environ.get(source.variable) or source.address, _MAX_BYTES)
    today = f"{datetime.now(UTC):%Y-%m-%d}"
    found = parsed(name, content)
    about = FactList(
        list=name,
        revision=hashlib.sha256(content).hexdigest()[:12],
        as_of=min(changed or today, today),
        retrieved_at=today,
        source_url=source.address,
        licence=source.licence,
        sha256="",
        n_entries=len({row.key for row in found}),
        n_ends=len({row.key for row in found if row.ends_on}),
    )
    return about, found


def parsed(name: str, content: bytes) -> tuple[ListRow, ...]:
    """Read the file of a list; ``BadDataError`` names the entry that is at fault."""
    file = f"The list {name}"
    found: list[ListRow] = []
    for row in SOURCES[name].read(parsed_json(content, file), file):
        found.append(row)
        if len(found) > _MAX_ROWS:
            raise BadDataError(f"{file} has over {_MAX_ROWS:,} rows, more than any such list.")
    if not any(row.input_usd_per_mtok for row in found):
        raise BadDataError(f"{file} holds no price.")
    return tuple(found)


def check_size(about: FactList, known: Iterable[FactList]) -> None:
    """Refuse a list that lost half of what its newest snapshot has: it is probably broken."""
    old = newest(known, about.list)
    if old and about.n_entries < _LEAST_SHARE * old.n_entries:
        raise BadDataError(
            f"The list {about.list} has {about.n_entries:,} entries where the snapshot "
            f"{old.revision} has {old.n_entries:,}, so it is probably broken and was not taken."
        )


def write(folder: Path, about: FactList, found: Iterable[ListRow]) -> FactList:
    """Write a snapshot into a folder that nobody reads yet, and return its manifest."""
    folder.mkdir(parents=True)
    frame = pd.DataFrame(list(found), columns=_COLUMNS)
    frame["deprecated"] = frame["deprecated"].map({True: "true", False: "false"})
    frame.to_csv(folder / ROWS, index=False, lineterminator="\n", float_format="%.12g")
    about = replace(about, sha256=snapshots.sha256(folder / ROWS))
    snapshots.write_manifest(folder, about)
    return about


def verify(folder: Path) -> FactList:
    """Read a manifest and check that the rows beside it are those that it describes."""
    about = snapshots.manifest(folder, FactList)
    snapshots.check_hash(folder / ROWS, about.sha256)
    return about


def check_all(root: Path) -> tuple[tuple[FactList, ...], tuple[Fault, ...]]:
    """Verify the snapshots of all lists, oldest first; a faulty one does not stop the others."""
    good, faults = snapshots.checked(root, verify)
    return tuple(sorted(good, key=_AGE)), faults


def newest(known: Iterable[FactList], name: str, on: date | None = None) -> FactList | None:
    """Return the snapshot of a list that was in force on a day: the newest that is not younger.

    Before the first one that first one stands in; without a day it is the newest of all.
    """
    of_list = sorted((it for it in known if it.list == name), key=_AGE)
    in_force = [it for it in of_list if on is None or it.as_of <= on.isoformat()]
    return next(reversed(in_force or of_list[:1]), None)


def read(folder: Path, keys: Collection[str] | None = None) -> dict[str, tuple[ListRow, ...]]:
    """Return the rows of a snapshot by key, in the file's order, all or those of some keys."""
    kinds = {"above_tokens": "int", "deprecated": "bool"} | dict.fromkeys(_NUMBERS, "float")
    try:
        frame = pd.read_csv(
            folder / ROWS,
            dtype=dict.fromkeys(_COLUMNS, "str") | kinds,
            na_values=dict.fromkeys(_NUMBERS, ""),
            keep_default_na=False,
        )
        if not {*_COLUMNS} - {*_LATER} <= {*frame}:
            raise ValueError
    except (OSError, ValueError):
        of = f"{folder.parent.name}/{folder.name}"
        raise BadDataError(f"{of}/{ROWS} is no readable list of prices.") from None
    for name in {*_LATER} - {*frame}:
        frame[name] = None if name in _NUMBERS else ""
    found: dict[str, list[ListRow]] = {}
    # A price that is not known is None, never NaN, which equals nothing.
    for row in frame[list(_COLUMNS)].astype(object).where(frame.notna(), None).values.tolist():
        if keys is None or row[0] in keys:
            found.setdefault(row[0], []).append(ListRow(*row))
    return {key: tuple(of) for key, of in found.items()}


PAGE = "https://github.com/BerriAI/litellm/blob/main/model_prices_and_context_window.json"


def with_ends(
    lifecycle: Iterable[Lifecycle],
    keys: Iterable[ListKey],
    about: FactList,
    listed: Mapping[str, tuple[ListRow, ...]],
) -> tuple[tuple[Lifecycle, ...], tuple[EndConflict, ...]]:
    """Join the ends of sale of a list to the curated rows, and return where both differ.

    Of readings at most 60 days apart the earlier end counts, and where a row does not say when it
    was read; else that of the newer reading, and the row says the other. A row that rests on the
    list itself follows it. An entry without a day says nothing: it neither ends nor renews what is
    known. For a product at a platform without a row the list's end is the only one.
    """
    rows, conflicts = list(lifecycle), []
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
                chosen = ends if counts else said
                conflicts.append(EndConflict(*sold, said, it.source_url, ends, about, chosen))
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
    return tuple(rows), tuple(conflicts)


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
        notice_days=None,
        not_before="",
    )


def _litellm(document: object, file: str) -> Iterator[ListRow]:
    """Read LiteLLM's object of one entry a key; of models that answer in text, prices a token."""
    if not isinstance(document, dict):
        raise BadDataError(f"{file}: an object with an entry for each model is expected.")
    for key, entry in document.items():
        if not isinstance(entry, dict):
            raise BadDataError(f'{file}, "{_name(key, file)}": an object is expected.')
        # An alias stands for another version from one day to the next.
        if entry.get("mode") not in ("chat", "responses") or "alias_of" in entry:
            continue
        where = f'{file}, "{_name(key, file)}"'
        longer = {int(found[1]) * 1000 for name in entry if (found := _LONGER.fullmatch(name))}
        for above in (0, *sorted(longer)):
            end = f"_above_{above // 1000}k_tokens" if above else ""
            names = ("input_cost_per_token", "output_cost_per_token", "cache_read_input_token_cost")
            # A rate that has no value of its own for long requests stays as it is.
            own = [name + end if name + end in entry else name for name in names]
            seller = _name(entry.get("litellm_provider"), where)
            read, written, cached = (_usd(entry.get(name), where, 1e6) for name in own)
            ends_on = _day(entry.get("deprecation_date"), where)
            page, after = _address(entry.get("source")), str(entry.get("successor_model") or "")
            yield ListRow(
                *(key, seller, "", above, read, written, cached, ends_on, False, page),
                ends_source=_address(entry.get("deprecation_source")) if ends_on else "",
                successor=after if _NAME.fullmatch(after) else "",
                regional_times=_usd(next(filter(None, map(entry.get, _UPLIFTS)), None), where),
            )


def _genai_prices(document: object, file: str) -> Iterator[ListRow]:
    """Read genai-prices' list of sellers, each with models and a history of their prices."""
    for seller in _objects(document, file):
        provider = _name(seller.get("id"), file)
        pages = seller.get("pricing_urls")
        page = _address(pages[0]) if isinstance(pages, list) and pages else ""
        for model in _objects(seller.get("models"), f'{file}, "{provider}"'):
            key = _name(f"{provider}/{model.get('id')}", file)
            where = f'{file}, "{key}"'
            for day, rates in _history(model.get("prices"), where):
                for tier in _tiers(rates, where):
                    name = _name(seller.get("name"), where)
                    yield ListRow(key, name, day, *tier, "", model.get("deprecated") is True, page)


def _history(prices: object, where: str) -> list[tuple[str, Mapping[str, Any]]]:
    """Return the rates from each day on, first those before all days.

    Of conditional prices the last one counts whose condition is met, and the first where none is.
    What depends on the hour is taken at noon.
    """
    if isinstance(prices, dict):
        return [("", prices)]
    steps, every = [], _objects(prices, where)
    for step in every:
        limits = step.get("constraint") or {}
        if not isinstance(limits, dict) or not isinstance(step.get("prices"), dict):
            raise BadDataError(f"{where}: a price has a condition or rates of another shape.")
        if "start_time" in limits:
            begin, end = (str(limits.get(name)) for name in ("start_time", "end_time"))
            inside = begin <= _NOON < end if begin <= end else not end <= _NOON < begin
            if not inside:
                continue
        steps.append((_day(limits.get("start_date"), where), step["prices"]))
    found = []
    for day in ("", *sorted({day for day, _ in steps} - {""})) if every else ():
        met = [rates for begin, rates in steps if begin <= day]
        found.append((day, met[-1] if met else every[0]["prices"]))
    return found


def _tiers(
    rates: Mapping[str, Any], where: str
) -> Iterator[tuple[int, float | None, float | None, float | None]]:
    """Yield by length of the request the rates of tokens read, written and read from a cache."""
    each: list[dict[int, float | None]] = []
    for name in ("input_mtok", "output_mtok", "cache_read_mtok"):
        given = rates.get(name)
        if not isinstance(given, dict):
            given = {"base": given, "tiers": []}
        each.append({0: _usd(given.get("base"), where)})
        for tier in _objects(given.get("tiers"), where):
            start = as_number(tier.get("start"))
            if start is None or start <= 0 or not start.is_integer():
                raise BadDataError(f"{where}: a length of requests is no number of tokens.")
            each[-1][int(start)] = _usd(tier.get("price"), where)
    for above in sorted(set().union(*each)):
        read, written, cached = (rate[max(at for at in rate if at <= above)] for rate in each)
        yield above, read, written, cached


def _objects(document: object, where: str) -> list[Mapping[str, Any]]:
    if not isinstance(document, list) or not all(isinstance(it, dict) for it in document):
        raise BadDataError(f"{where}: a list of objects is expected.")
    return document


def _name(value: object, where: str) -> str:
    if not isinstance(value, str) or not _NAME.fullmatch(value):
        raise BadDataError(f"{where}: {ascii(value)[:60]} is no name of a model or a seller.")
    return value


def _usd(value: object, where: str, times: float = 1.0) -> float | None:
    """Return US dollars per million tokens; ``None`` where the list gives no price."""
    if value is None:
        return None
    number = None if isinstance(value, str) else as_number(value)
    if number is None or not 0 <= number * times <= _MAX_USD:
        raise BadDataError(f"{where}: {ascii(value)[:60]} is no price.")
    return float(f"{number * times:.10g}")


def _day(value: object, where: str) -> str:
    if value is None:
        return ""
    try:
        return date.fromisoformat(value if isinstance(value, str) else "").isoformat()
    except ValueError:
        raise BadDataError(f"{where}: {ascii(value)[:60]} is no day such as 2026-11-22.") from None


def _address(value: object) -> str:
    if not isinstance(value, str) or not value.startswith("http") or len(value) > 300:
        return ""
    return value if is_address(value) else ""


_RAW = "https://raw.githubusercontent.com"
SOURCES = {
    source.list: source
    for source in (
        ListSource(
            LITELLM,
            "LiteLLM: prices and ends of sale",
            f"{_RAW}/BerriAI/litellm/main/model_prices_and_context_window.json",
            "FORMULARY_LITELLM",
            "MIT",
            _litellm,
        ),
        ListSource(
            GENAI_PRICES,
            "genai-prices: public prices",
            f"{_RAW}/pydantic/genai-prices/refs/heads/main/prices/new_data/v2/data.json",
            "FORMULARY_GENAI_PRICES",
            "MIT",
            _genai_prices,
        ),
    )
}
"""The lists that can be refreshed, by name."""
