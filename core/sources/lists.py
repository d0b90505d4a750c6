"""Public lists of prices and ends of sale: fetched, and checked whole.

What a server sends is untrusted: it is refused in one sentence where any of it is not what such a
list holds, and nothing of it is kept but short names, numbers, days and addresses.
"""

import hashlib
import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

from core.domain import BadDataError, FactList, ListRow
from core.evidence.fact_lists import GENAI_PRICES, LITELLM
from core.evidence.tables import as_number, is_address
from core.sources import ABOUT, parsed_json
from core.sources.hub import fetched

_MAX_BYTES = 16_000_000
"""Five times what the larger list holds."""
_MAX_ROWS = 50_000
_MAX_USD = 100_000.0
"""No million tokens costs more; a price beyond is a slip of the decimal point."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._:/@+*()~&'-]{0,149}")
"""No character of HTML or Markdown, and none at the start that makes a spreadsheet formula."""
_LONGER = re.compile(r"input_cost_per_token_above_(\d{1,5})k_tokens")
_UPLIFTS = ("regional_endpoint_uplift_multiplier", "regional_processing_uplift_multiplier_us")
"""The list gives the EU the same as the US."""
_NOON = "12:00:00"
"""The time of day asked for where a price depends on the hour."""


@dataclass(frozen=True, slots=True)
class ListSource:
    """Where a list is fetched, and what reads it."""

    title: str
    address: str
    variable: str
    """The variable of the environment that names a mirror of the file."""
    licence: str
    read: Callable[[object, str], Iterator[ListRow]]


def fetch(name: str) -> tuple[FactList, tuple[ListRow, ...]]:
    """Fetch a list and check it whole.

    Its day is the one on which its file changed, as the server says, else today: what a list
    holds, it says on the day on which it is read. Its revision is the beginning of its hash.
    """
    source = SOURCES[name]
    content, changed = fetched(os.environ.get(source.variable) or source.address, _MAX_BYTES)
    today = f"{datetime.now(UTC):%Y-%m-%d}"
    found = parsed_list(name, content)
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


def parsed_list(name: str, content: bytes) -> tuple[ListRow, ...]:
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
                raise BadDataError(f"{where}: a length of requests is not a number of tokens.")
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
        raise BadDataError(f"{where}: {ascii(value)[:60]} is not the name of a model or a seller.")
    return value


def _usd(value: object, where: str, times: float = 1.0) -> float | None:
    """Return US dollars per million tokens; ``None`` where the list gives no price."""
    if value is None:
        return None
    number = None if isinstance(value, str) else as_number(value)
    if number is None or not 0 <= number * times <= _MAX_USD:
        raise BadDataError(f"{where}: {ascii(value)[:60]} is not a price.")
    return float(f"{number * times:.10g}")


def _day(value: object, where: str) -> str:
    if value is None:
        return ""
    try:
        return date.fromisoformat(value if isinstance(value, str) else "").isoformat()
    except ValueError:
        raise BadDataError(
            f"{where}: {ascii(value)[:60]} is not a day such as 2026-11-22."
        ) from None


def _address(value: object) -> str:
    if not isinstance(value, str) or not value.startswith("http") or len(value) > 300:
        return ""
    return value if is_address(value) else ""


_READERS = {LITELLM: _litellm, GENAI_PRICES: _genai_prices}
SOURCES = {name: ListSource(**ABOUT["lists"][name], read=read) for name, read in _READERS.items()}
"""The lists that can be refreshed, by name."""
