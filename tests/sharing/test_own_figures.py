"""A hospital's own figures as lines of text, and its own end of a sale before the public ones."""

from dataclasses import replace
from datetime import date

import pytest

from core.answers.asked import ask
from core.answers.bills import sales
from core.domain import (
    BadRequestError,
    ConditionAnswer,
    OwnPrice,
    OwnRent,
    OwnSale,
    OwnTokens,
    Question,
)
from core.sharing.inputs import Reader
from core.sharing.own_figures import OWN_ANSWER, OWN_PRICE, OWN_RENT, OWN_SALE, OWN_TOKENS

ANSWER = ConditionAnswer(
    "OpenAI API", "baa", "yes", 'signed; see "annex"', "contract 12", "2026-11-01", None, "own"
)
PRICE = OwnPrice("gpt-4o", 1.25, 10.0, "2026-10-01", "offer 7")
THERE = replace(PRICE, platform="AWS Bedrock", cached_usd_per_mtok=0.125)
SALE = OwnSale("DeepSeek R1", "AWS Bedrock", "", "2026-11-20", "letter; 7")


@pytest.fixture(scope="module")
def known(bundled):
    return bundled.catalogue


@pytest.mark.parametrize(
    ("kind", "own", "line"),
    [
        (
            OWN_ANSWER,
            ANSWER,
            'OpenAI API;baa;yes;;2026-11-01;contract 12;"signed; see ""annex"""',
        ),
        (OWN_PRICE, PRICE, "gpt-4o;1.25;10;2026-10-01;offer 7"),
        (OWN_PRICE, THERE, "gpt-4o;1.25;10;2026-10-01;offer 7;AWS Bedrock;0.125"),
        (OWN_RENT, OwnRent("L4", 0.8, "2026-10-01", "offer 8"), "L4;0.8;2026-10-01;offer 8"),
        (OWN_TOKENS, OwnTokens("portal-messages", 812.5, None), "portal-messages;812.5;"),
        (OWN_SALE, SALE, 'DeepSeek R1;AWS Bedrock;;2026-11-20;"letter; 7"'),
    ],
)
def test_a_line_reads_as_it_is_written(known, kind, own, line):
    assert kind.write(own) == line
    assert kind.read(line, known) == own


def test_spaces_do_not_count_and_an_unknown_needs_neither_source_nor_date(known):
    found = OWN_ANSWER.read(" OpenAI API ; baa ; no ; 30 ; undated ; letter ; ", known)
    assert (found.platform, found.answer, found.days, found.detail) == ("OpenAI API", "no", 30, "")
    assert OWN_ANSWER.read("X;soc2;unknown;;;;", known).answer == "unknown"


@pytest.mark.parametrize(
    ("typed", "platform"),
    [
        ("Azure", "Azure OpenAI / Azure AI Foundry"),
        ("aws bedrock", "AWS Bedrock"),
        ("Google", "Google Vertex AI"),
        ("own servers", "Self-hosted open weights"),
        ("Reseller & Co", "Reseller & Co"),
        ("", ""),
    ],
)
def test_a_platform_may_be_called_as_the_screen_calls_it(known, typed, platform):
    reader = Reader({"own_price": [f"gpt-4o;1;2;2026-10-01;offer 7;{typed}"]})
    (found,) = OWN_PRICE.usable(reader, "own_price", known).values()
    assert found.platform == platform
    # One that nobody knows counts, and a note says so.
    said = {"Reseller & Co": "No platform “Reseller & Co”", "": "A price that names no platform"}
    notes = [it.partition(" is ")[0] for it in reader.notes]
    assert notes == ([said[typed]] if typed in said else [])
    if typed:
        sold = Reader({"own_sale": [f"gpt-4o;{typed};;2026-11-20;letter"]})
        (sale,) = OWN_SALE.usable(sold, "own_sale", known).values()
        assert (sale.platform, len(sold.notes)) == (platform, len(reader.notes))


FAULTS = {
    OWN_ANSWER.what: [
        ("", "takes 7 parts between semicolons"),
        ("OpenAI API;baa;yes", "takes 7 parts between semicolons"),
        ("X;nothing;yes;;2026-11-01;s;", "no condition “nothing”"),
        ("X;baa;maybe;;2026-11-01;s;", "“maybe” must be yes, no"),
        (";baa;yes;;2026-11-01;s;", "needs the platform"),
        ("X;baa;yes;;2026-11-01;;", "Say where the answer is from"),
        ("X;baa;yes;;;s;", "Enter the date of the answer."),
        ("X;baa;yes;;2026-13-01;s;", "“2026-13-01”"),
        ("X;baa;yes;;20261101;s;", "“20261101”"),
        ("X;baa;yes;-1;2026-11-01;s;", "days “-1”"),
        ("X;baa;yes;1e3;2026-11-01;s;", "days “1e3”"),
        ("X;baa;yes;;2026-11-01;s;" + "d" * 301, "detail is longer than 300"),
        ("X\x00;baa;yes;;2026-11-01;s;", "cannot be shown"),
        ('X;baa;yes;;2026-11-01;s;"open', "takes 7 parts"),
    ],
    OWN_PRICE.what: [
        ("m;1;2;2026-11-01", "takes 5, 6 or 7 parts"),
        ("m;1;2;2026-11-01;s;AWS;x", "price of a million cached tokens, “x”"),
        (";1;2;2026-11-01;s", "needs the model"),
        ("m;1;2;2026-11-01;", "Say where the price is from"),
        ("m;-1;2;2026-11-01;s", "“-1”, is not a number from 0"),
        ("m;nan;2;2026-11-01;s", "“nan”"),
        ("m;0;2;2026-11-01;s", "A price of 0 is not a price"),
        ("m;1;2;;s", "Enter the date of the price, today at the latest."),
        ("m;1;inf;2026-11-01;s", "“inf”"),
        ("m;1;10001;2026-11-01;s", "“10001”"),
        ("m;1;2;undated;s", "“undated”"),
    ],
    OWN_TOKENS.what: [
        ("portal-messages;1", "takes 3 parts"),
        ("x;1;2", "no kind of request “x”"),
        ("portal-messages;0;", "“0” are not a number from 1"),
        ("portal-messages;;nan", "“nan”"),
        ("portal-messages;1000001;", "“1000001”"),
    ],
    OWN_RENT.what: [
        ("L4;1;2026-11-01", "takes 4 parts"),
        ("X;1;2026-11-01;s", "no GPU “X”; known are A100 40GB, "),
        ("L4;1;2026-11-01;", "Say where the rent is from"),
        ("L4;-1;2026-11-01;s", "“-1”, is not a number from 0"),
        ("L4;0;2026-11-01;s", "A rent of 0 is not a rent"),
        ("L4;1;2026;s", "date of the rent, “2026”"),
    ],
    OWN_SALE.what: [
        ("m;p;2027-13-01;2026-11-20;letter", "The date of the end of sale"),
        ("m;p;;soon;letter", "The date of the sale"),
        ("m;;;2026-11-20;letter", "needs the model and the platform"),
        ("m;p;;2026-11-20;", "Say where the sale is from"),
        ("m;p;;2026-11-20", "takes 5 parts"),
    ],
}
KINDS = {it.what: it for it in (OWN_ANSWER, OWN_PRICE, OWN_TOKENS, OWN_RENT, OWN_SALE)}


@pytest.mark.parametrize(
    ("what", "line", "says"), [(what, *case) for what, cases in FAULTS.items() for case in cases]
)
def test_a_line_that_is_not_usable_says_why(known, what, line, says):
    with pytest.raises(BadRequestError, match=says):
        KINDS[what].read(line, known)


DAY = date(2026, 11, 23)
R1, BEDROCK = "DeepSeek R1", "AWS Bedrock"
TOLD = OwnSale(R1, BEDROCK, "2028-01-01", "2026-11-20", "letter; 7")


def test_it_goes_before_the_public_word_and_ages_the_same(bundled):
    """Bedrock ends R1, shut to new customers, on 30 March 2027; 18 February is 90 days later."""

    def at(told, on=DAY):
        asked = Question.of(own_sales=(told,) if told else ())
        sold = sales(ask(bundled, asked, on), (R1,))[R1].where(BEDROCK)
        return sold.state, sold.until, sold.lasts, sold.is_old

    assert at(None)[:3] == ("existing customers only", "2027-03-30", False)
    assert at(TOLD) == ("ends", "2028-01-01", True, False)
    assert at(replace(TOLD, ends_on="")) == ("no end known", "", True, False)
    assert at(TOLD, date(2027, 2, 18))[3] is False
    assert at(TOLD, date(2027, 2, 19))[3] is True
    # Where nobody states a sale, what the hospital was told makes the platform known.
    other = sales(
        ask(bundled, Question.of(own_sales=(replace(TOLD, platform="Ours"),)), DAY), (R1,)
    )
    assert other[R1].where("Ours").until == "2028-01-01"
