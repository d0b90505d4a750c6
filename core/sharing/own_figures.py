"""A hospital's own answers, prices and tokens as lines of text that a link can carry.

A line is one row of CSV with semicolons. What a line holds is untrusted: it is checked like
anything that a stranger typed, and one sentence of a ``BadRequestError`` says what to mend.
"""

from __future__ import annotations

import csv
import io
import math
import re
from datetime import date
from typing import TYPE_CHECKING, cast

from core.domain import BadRequestError, GateAnswer, OwnPrice, OwnTokens

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Literal

    from core.domain import GateKind, RequestKind

ANSWERS = ("yes", "no", "conditional", "unknown")
UNDATED = "undated"
LONGEST_TEXT = 300
MOST_USD_PER_MTOK = 10_000.0
MOST_TOKENS = 1_000_000.0
_LONGEST_NAME = 150
_DAYS = re.compile(r"\d{1,5}", re.ASCII)


def answer_line(answer: GateAnswer) -> str:
    """Write an answer on a gate: platform; gate; answer; days; date; source; detail."""
    days = "" if answer.days is None else str(answer.days)
    head = (answer.platform, answer.gate, answer.answer, days)
    return _line(*head, answer.as_of, answer.source_url, answer.detail)


def read_answer(line: str, kinds: Mapping[str, GateKind]) -> GateAnswer:
    """Read what ``answer_line`` writes; an answer other than unknown needs source and date."""
    platform, gate, answer, days, as_of, source, detail = _fields(line, 7, "An answer")
    if gate not in kinds:
        raise BadRequestError(f"There is no condition {_short(gate)}.")
    if answer not in ANSWERS:
        raise BadRequestError(f"The answer {_short(answer)} must be {', '.join(ANSWERS)}.")
    name = _text(platform, "platform or model", _LONGEST_NAME)
    if not name:
        raise BadRequestError("The answer needs the platform or model that it is about.")
    if answer != "unknown" and not source:
        raise BadRequestError("Say where the answer is from, such as a contract or a letter.")
    if as_of != UNDATED and not (answer == "unknown" and not as_of):
        _day(as_of, "the answer")
    if days and not _DAYS.fullmatch(days):
        raise BadRequestError(f"The days {_short(days)} are no whole number from 0 to 99,999.")
    return GateAnswer(
        platform=name,
        gate=gate,
        answer=cast('Literal["yes", "no", "conditional", "unknown"]', answer),
        detail=_text(detail, "detail", LONGEST_TEXT),
        source_url=_text(source, "source", LONGEST_TEXT),
        as_of=as_of,
        days=int(days) if days else None,
        source_kind="own",
    )


def price_line(price: OwnPrice) -> str:
    """Write a price: model; read; written, US dollars per million tokens; date; source."""
    usd = (_number(price.input_usd_per_mtok), _number(price.output_usd_per_mtok))
    return _line(price.model, *usd, price.as_of, price.source)


def read_price(line: str) -> OwnPrice:
    """Read what ``price_line`` writes; prices are 0 to 10,000 dollars, with source and date."""
    model, read, written, as_of, source = _fields(line, 5, "A price")
    if not model:
        raise BadRequestError("A price needs the model that it is for.")
    if not source:
        raise BadRequestError("Say where the price is from, such as the number of an offer.")
    return OwnPrice(
        model=_text(model, "model", _LONGEST_NAME),
        input_usd_per_mtok=_amount(read, "price of a million tokens read"),
        output_usd_per_mtok=_amount(written, "price of a million tokens written"),
        as_of=_day(as_of, "the price"),
        source=_text(source, "source", LONGEST_TEXT),
    )


def tokens_line(tokens: OwnTokens) -> str:
    """Write tokens per request: kind; read; written. An empty figure keeps MedHELM's."""
    return _line(
        tokens.kind,
        *("" if n is None else _number(n) for n in (tokens.input_tokens, tokens.output_tokens)),
    )


def read_tokens(line: str, kinds: Sequence[RequestKind]) -> OwnTokens:
    """Read what ``tokens_line`` writes; tokens are 1 to a million."""
    kind, read, written = _fields(line, 3, "Tokens of a request")
    if kind not in {known.id for known in kinds}:
        raise BadRequestError(f"There is no kind of request {_short(kind)}.")
    found = []
    for text in (read, written):
        number = _float(text) if text else None
        if number is not None and not 1 <= number <= MOST_TOKENS:
            raise BadRequestError(
                f"The tokens {_short(text)} are no number from 1 to {MOST_TOKENS:,.0f}."
            )
        found.append(number)
    return OwnTokens(kind, *found)


def _line(*cells: str) -> str:
    text = io.StringIO()
    csv.writer(text, delimiter=";", lineterminator="").writerow(
        [" ".join(cell.split()) for cell in cells]
    )
    return text.getvalue()


def _fields(line: str, n: int, what: str) -> list[str]:
    if not line.isprintable():
        raise BadRequestError(f"{what} holds signs that cannot be shown.")
    try:
        rows = list(csv.reader([line], delimiter=";", skipinitialspace=True, strict=True))
    except csv.Error:
        rows = []
    cells = [cell.strip() for cell in rows[0]] if len(rows) == 1 else []
    if len(cells) != n:
        raise BadRequestError(f"{what} takes {n} parts between semicolons, not {_short(line)}.")
    return cells


def _text(text: str, what: str, most: int) -> str:
    if len(text) > most:
        raise BadRequestError(f"The {what} is longer than {most} signs.")
    return text


def _day(text: str, what: str) -> str:
    try:
        if len(text) == 10:
            return date.fromisoformat(text).isoformat()
    except ValueError:
        pass
    raise BadRequestError(f"The date of {what}, {_short(text)}, must be written 2026-11-21.")


def _float(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan


def _amount(text: str, what: str) -> float:
    number = _float(text)
    if not 0 <= number <= MOST_USD_PER_MTOK:
        raise BadRequestError(
            f"The {what}, {_short(text)}, is no number from 0 to {MOST_USD_PER_MTOK:,.0f}."
        )
    return number


def _number(value: float) -> str:
    return str(int(value)) if float(value).is_integer() else repr(float(value))


def _short(text: str) -> str:
    return f"“{text[:60]}…”" if len(text) > 60 else f"“{text}”"
