"""A hospital's own figures as a link holds them: answers, prices, sales, rents and tokens.

Each part of a line is read by itself, and a fault says which part is wrong and how to mend it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from contextlib import suppress
from datetime import date
from typing import TYPE_CHECKING, Any

from core.domain import (
    BadRequestError,
    ConditionAnswer,
    OwnPrice,
    OwnRent,
    OwnSale,
    OwnTokens,
)
from core.domain.conditions import OWN_SERVERS
from core.figures import squeezed
from core.sharing.inputs import LONGEST_MODEL, OwnLines, float_or_nan, quoted_from_link
from core.words.candidate import SHORT_NAMES

if TYPE_CHECKING:
    from core.evidence.catalogue import Catalogue

ANSWERS = ("yes", "no", "conditional", "unknown")
UNDATED = "undated"
LONGEST_TEXT = 300
MOST_USD_PER_MTOK = 10_000.0
MOST_TOKENS = 1_000_000.0
_DAYS = re.compile(r"[0-9]{1,5}")
PartReader = Callable[[str, "Catalogue"], object]


def _text(what: str, most: int = LONGEST_TEXT, needed: str = "") -> PartReader:
    def read(text: str, _: Catalogue) -> str:
        if needed and not text:
            raise BadRequestError(needed)
        if len(text) > most:
            raise BadRequestError(f"The {what} is longer than {most} characters.")
        return text

    return read


def platforms(catalogue: Catalogue) -> dict[str, str]:
    """Return the platforms that sell or have sold a model, by name."""
    named = {it.platform for it in catalogue.platforms}
    named |= {it.platform for it in catalogue.lifecycle}
    return {name: name for name in sorted(named, key=str.lower)}


def _platform(needed: str = "", what: str = "platform") -> PartReader:
    """Read a platform, also by the short name that the screen has for it."""
    read = _text(what, LONGEST_MODEL, needed)

    def found(text: str, catalogue: Catalogue) -> object:
        named = {short: name for name, short in SHORT_NAMES.items()} | platforms(catalogue)
        by_letters = {squeezed(short): name for short, name in named.items()}
        return by_letters.get(squeezed(text)) or read(text, catalogue)

    return found


def _unheard_of(own: OwnPrice | OwnSale, catalogue: Catalogue) -> str:
    """Say that only one's own entries can say anything of a platform; empty of a known one."""
    if not own.platform:
        return (
            "A price that names no platform is not known to meet any condition: name the platform, "
            "or it does not count under conditions."
        )
    if own.platform in {*platforms(catalogue), OWN_SERVERS}:
        return ""
    return (
        f"No platform {quoted_from_link(own.platform)} is known here, so of its conditions nothing "
        "is known but what you enter."
    )


def _one_of(known: Callable[[Catalogue], Collection[str]], fault: str) -> PartReader:
    """Read one of some names, however it is spelt."""

    def read(text: str, catalogue: Catalogue) -> str:
        named = {squeezed(name): name for name in known(catalogue)}
        if squeezed(text) not in named:
            names = ", ".join(sorted(named.values()))
            raise BadRequestError(fault.format(quoted_from_link(text), known=names))
        return named[squeezed(text)]

    return read


def _day(what: str, without: tuple[str, ...] = ()) -> PartReader:
    def read(text: str, _: Catalogue) -> str:
        if text in without:
            return text
        with suppress(ValueError):
            if len(text) == 10:
                return date.fromisoformat(text).isoformat()
        if not text:
            raise BadRequestError(f"Enter the date of {what}, today at the latest.")
        raise BadRequestError(
            f"The date of {what}, {quoted_from_link(text)}, must be written 2026-11-21."
        )

    return read


def _amount(
    what: str,
    low: float = 0,
    high: float = MOST_USD_PER_MTOK,
    *,
    needed: bool = True,
    zero: str = "",
) -> PartReader:
    def read(text: str, _: Catalogue) -> float | None:
        if not needed and not text:
            return None
        if not text:
            raise BadRequestError(f"Enter the {what.partition(', {}')[0]}.")
        number = float_or_nan(text)
        if not low <= number <= high:
            said = what.format(quoted_from_link(text))
            raise BadRequestError(f"The {said} not a number from {low:g} to {high:,.0f}.")
        if zero and not number:
            raise BadRequestError(zero)
        return number

    return read


def _days(text: str, _: Catalogue) -> int | None:
    if text and not _DAYS.fullmatch(text):
        raise BadRequestError(
            f"The days {quoted_from_link(text)} are not a whole number from 0 to 99,999."
        )
    return int(text) if text else None


def _checked(**said: Any) -> ConditionAnswer:  # noqa: ANN401 - what the parts read
    """Make an answer; other than unknown it needs source and date."""
    found = ConditionAnswer(**said, source_kind="own")
    if found.answer != "unknown":
        if not found.source_url:
            raise BadRequestError("Say where the answer is from, such as a contract or a letter.")
        if not found.as_of:
            raise BadRequestError("Enter the date of the answer.")
    return found


_FROM = "Say where the {} is from, such as {}."
_OFFER = "the number of an offer"
_FREE = "A price of 0 is not a price: leave it out until you were told one."
_SALE_OF = "A sale needs the model and the platform that it is about."
OWN_ANSWER = OwnLines(
    "An answer",
    _checked,
    {
        "platform": _platform(
            "The answer needs the platform or model that it is about.", "platform or model"
        ),
        "condition": _one_of(lambda known: known.condition_kinds, "There is no condition {}."),
        "answer": _one_of(lambda _: ANSWERS, f"The answer {{}} must be {', '.join(ANSWERS)}."),
        "days": _days,
        "as_of": _day("the answer", ("", UNDATED)),
        "source_url": _text("source"),
        "detail": _text("detail"),
    },
    ("platform", "condition"),
)
OWN_PRICE = OwnLines(
    "A price",
    OwnPrice,
    {
        "model": _text("model", LONGEST_MODEL, "A price needs the model that it is for."),
        "input_usd_per_mtok": _amount("price of a million tokens read, {}, is", zero=_FREE),
        "output_usd_per_mtok": _amount("price of a million tokens written, {}, is", zero=_FREE),
        "as_of": _day("the price"),
        "source": _text("source", needed=_FROM.format("price", _OFFER)),
        "platform": _platform(),
        "cached_usd_per_mtok": _amount("price of a million cached tokens, {}, is", needed=False),
    },
    ("model", "platform"),
    n_optional=2,
    caution=_unheard_of,
)
OWN_SALE = OwnLines(
    "A sale",
    OwnSale,
    {
        "model": _text("model", LONGEST_MODEL, _SALE_OF),
        "platform": _platform(_SALE_OF),
        "ends_on": _day("the end of sale", ("",)),
        "as_of": _day("the sale"),
        "source": _text("source", needed=_FROM.format("sale", "a contract or a letter")),
    },
    ("model", "platform"),
    caution=_unheard_of,
)
OWN_RENT = OwnLines(
    "A rent",
    OwnRent,
    {
        "gpu": _one_of(
            lambda known: {offer.gpu for offer in known.gpus},
            "There is no GPU {}; known are {known}.",
        ),
        "usd_per_gpu_hour": _amount(
            "rent of an hour, {}, is",
            zero="A rent of 0 is not a rent: say instead that you own the GPUs.",
        ),
        "as_of": _day("the rent"),
        "source": _text("source", needed=_FROM.format("rent", _OFFER)),
    },
    ("gpu",),
)
OWN_TOKENS = OwnLines(
    "A line of tokens",
    OwnTokens,
    {
        "kind": _one_of(
            lambda known: {kind.id for kind in known.requests},
            "There is no kind of request {}.",
        ),
        **dict.fromkeys(
            ("input_tokens", "output_tokens"),
            _amount("tokens {} are", 1, MOST_TOKENS, needed=False),
        ),
    },
    ("kind",),
)
