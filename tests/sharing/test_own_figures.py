"""A hospital's own figures as lines of text: what a stranger's line may hold, and what not."""

from dataclasses import replace

import pytest

from core.domain import BadRequestError, GateAnswer, OwnPrice, OwnRent, OwnTokens
from core.sharing.inputs import (
    answer_line,
    price_line,
    read_answer,
    read_price,
    read_rent,
    read_tokens,
    rent_line,
    tokens_line,
)


@pytest.fixture(scope="module")
def kinds(bundled):
    return bundled.catalogue.procurement.gate_kinds


@pytest.fixture(scope="module")
def requests(bundled):
    return bundled.catalogue.procurement.requests


def test_a_line_reads_as_it_is_written(kinds, requests):
    answer = GateAnswer(
        "OpenAI API", "baa", "yes", 'signed; see "annex"', "contract 12", "2026-11-01", None, "own"
    )
    line = answer_line(answer)
    assert line == 'OpenAI API;baa;yes;;2026-11-01;contract 12;"signed; see ""annex"""'
    assert read_answer(line, kinds) == answer
    price = OwnPrice("gpt-4o", 1.25, 10.0, "2026-10-01", "offer 7")
    assert price_line(price) == "gpt-4o;1.25;10;2026-10-01;offer 7"
    assert read_price(price_line(price)) == price
    there = replace(price, platform="AWS Bedrock", cached_usd_per_mtok=0.125)
    assert price_line(there) == "gpt-4o;1.25;10;2026-10-01;offer 7;AWS Bedrock;0.125"
    assert read_price(price_line(there)) == there
    rent = OwnRent("L4", 0.8, "2026-10-01", "offer 8")
    assert rent_line(rent) == "L4;0.8;2026-10-01;offer 8"
    assert read_rent(rent_line(rent), {"L4"}) == rent
    tokens = OwnTokens("portal-messages", 812.5, None)
    assert tokens_line(tokens) == "portal-messages;812.5;"
    assert read_tokens(tokens_line(tokens), requests) == tokens


def test_spaces_around_the_parts_do_not_count(kinds):
    found = read_answer(" OpenAI API ; baa ; no ; 30 ; undated ; letter ; ", kinds)
    assert (found.platform, found.answer, found.days, found.detail) == ("OpenAI API", "no", 30, "")


def test_an_unknown_needs_neither_source_nor_date(kinds):
    assert read_answer("X;soc2;unknown;;;;", kinds).answer == "unknown"


ANSWERS, PRICES, TOKENS, RENTS = (
    [
        ("", "takes 7 parts between semicolons"),
        ("OpenAI API;baa;yes", "takes 7 parts between semicolons"),
        ("X;nothing;yes;;2026-11-01;s;", "no condition “nothing”"),
        ("X;baa;maybe;;2026-11-01;s;", "“maybe” must be yes, no"),
        (";baa;yes;;2026-11-01;s;", "needs the platform"),
        ("X;baa;yes;;2026-11-01;;", "Say where the answer is from"),
        ("X;baa;yes;;;s;", "date of the answer, “”"),
        ("X;baa;yes;;2026-13-01;s;", "“2026-13-01”"),
        ("X;baa;yes;;20261101;s;", "“20261101”"),
        ("X;baa;yes;-1;2026-11-01;s;", "days “-1”"),
        ("X;baa;yes;1e3;2026-11-01;s;", "days “1e3”"),
        ("X;baa;yes;;2026-11-01;s;" + "d" * 301, "detail is longer than 300"),
        ("X\x00;baa;yes;;2026-11-01;s;", "cannot be shown"),
        ('X;baa;yes;;2026-11-01;s;"open', "takes 7 parts"),
    ],
    [
        ("m;1;2;2026-11-01", "takes 5 or 6 or 7 parts"),
        ("m;1;2;2026-11-01;s;AWS;x", "price of a million cached tokens, “x”"),
        (";1;2;2026-11-01;s", "needs the model"),
        ("m;1;2;2026-11-01;", "Say where the price is from"),
        ("m;-1;2;2026-11-01;s", "“-1”, is no number from 0"),
        ("m;nan;2;2026-11-01;s", "“nan”"),
        ("m;1;inf;2026-11-01;s", "“inf”"),
        ("m;1;10001;2026-11-01;s", "“10001”"),
        ("m;1;2;undated;s", "“undated”"),
    ],
    [
        ("portal-messages;1", "takes 3 parts"),
        ("x;1;2", "no kind of request “x”"),
        ("portal-messages;0;", "“0” are no number from 1"),
        ("portal-messages;;nan", "“nan”"),
        ("portal-messages;1000001;", "“1000001”"),
    ],
    [
        ("L4;1;2026-11-01", "takes 4 parts"),
        ("X;1;2026-11-01;s", "no GPU “X”"),
        ("L4;1;2026-11-01;", "Say where the rent is from"),
        ("L4;-1;2026-11-01;s", "“-1”, is no number from 0"),
        ("L4;0;2026-11-01;s", "A rent of 0 is none"),
        ("L4;1;2026;s", "date of the rent, “2026”"),
    ],
)
READERS = {"answer": ANSWERS, "price": PRICES, "tokens": TOKENS, "rent": RENTS}


@pytest.mark.parametrize(
    ("what", "line", "says"), [(what, *case) for what, cases in READERS.items() for case in cases]
)
def test_a_line_that_is_not_usable_says_why(kinds, requests, what, line, says):
    read = {
        "answer": lambda: read_answer(line, kinds),
        "price": lambda: read_price(line),
        "tokens": lambda: read_tokens(line, requests),
        "rent": lambda: read_rent(line, ("L4",)),
    }
    with pytest.raises(BadRequestError, match=says):
        read[what]()
