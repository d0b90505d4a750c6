"""Memo and workbook of the market: the CSV's figures, two pages, all texts escaped."""

import io
import re
from dataclasses import replace
from datetime import date

import openpyxl
import pypdf
import pytest

from core.answers import documents, market, replacing
from core.answers.asked import ask
from core.domain import OwnPrice, OwnTokens, Question
from core.sharing import market as market_file
from core.sharing import memo
from core.sharing.controls import LIMITS
from core.words.candidate import UNSTATED, cell, product_in_short, to_ask
from core.words.candidate import test_name as name_of
from core.words.market import (
    cheapest_named,
    for_existing_customers,
    in_one,
    market_headline,
    nearest_in_words,
    why_joined,
)
from core.words.replacing import in_its_place

pytestmark = pytest.mark.documents

DAY = date(2026, 11, 27)
ASKED = Question.of(
    suite="", task="documentation", required=("baa", "trains_on_customer_data_by_default")
)
LINK = "http://127.0.0.1:8501/?evidence=All+evidence"


def html_of(store, names, asked=ASKED, in_use=None):
    return documents.market_memo(
        ask(store, asked, DAY), tuple(names), made_on=DAY, address=LINK, in_use=in_use
    )


def printed(html):
    pages = pypdf.PdfReader(io.BytesIO(memo.print_pdf(html, 2))).pages
    return [" ".join(page.extract_text().split()) for page in pages]


def memo_of(store, names, asked=ASKED):
    return printed(html_of(store, names, asked))


def test_page_one_is_what_a_committee_decides_on(bundled):
    found = market.market(ask(bundled, ASKED, DAY))
    html = html_of(bundled, found.choice.names)
    first, annex = printed(html)
    assert all(each.model.name in first for each in found.named())
    for said in (
        "10,000 requests of 1,189 tokens",
        "Business associate",
        "No training",
        "Review by",
    ):
        assert said in first, said
    # Who ran and who judged the tests that the places are of.
    assert re.search(
        r"GerMedBench \(German\), tests of this work.*run by thalamiq; judged by Gemini 3", first
    )
    assert "open only on the computer that made it" in annex
    assert f"Ask first about {len(found.ask)} more models" in annex
    assert "do not replace a local validation" in annex
    assert all(it.list in annex and it.licence in annex for it in bundled.lists)
    assert "<script" not in html


def test_the_memo_names_the_cheapest_and_what_existing_customers_have(bundled):
    at = ("AWS Bedrock", "Azure OpenAI / Azure AI Foundry")
    asked = ASKED.having(platforms=at)
    found = market.market(ask(bundled, asked, DAY))
    first, _ = memo_of(bundled, found.choice.names, asked)
    said = [cheapest_named(found), for_existing_customers(found)]
    assert all(said)
    assert all(it in first for it in said)


def test_a_memo_says_which_finalists_no_source_promises(bundled):
    """Of those in it, whatever the answer names: nobody promises Kimi K2.5, Azure GPT-5.2."""
    found = {
        each.model.name: each.model.id for each in market.market(ask(bundled, ASKED, DAY)).buyable
    }
    first, _ = memo_of(bundled, [found["GPT-5.2"], found["Kimi K2.5"]])
    not_promised = "not promised for the months you require: Kimi K2.5 (assured until 20 February"
    assert not_promised in first
    first, _ = memo_of(bundled, [found["GPT-5.2"]])
    assert "not promised" not in first


def test_the_table_of_a_memo_is_in_the_order_of_the_market(bundled):
    """Whatever is shown in full: here a later one and the first."""
    found = market.market(ask(bundled, ASKED, DAY))
    order = [each.model.name for each in found.buyable]
    html = html_of(bundled, (found.buyable[9].model.id, found.buyable[0].model.id))
    table = html.partition("who tested it: 6 of ")[2].partition("</table>")[0]
    rows = [re.sub("<[^>]+>", "", row) for row in re.findall("<td>[A-E]</td><td>(.*?)</td>", table)]
    assert rows == [*order[:5], order[9]]


def test_a_memo_marks_the_places_of_no_stated_version(bundled):
    found = market.market(ask(bundled, ASKED, DAY))
    html = html_of(bundled, found.choice.names)
    shown = [line for each in found.buyable[:6] for line in each.lines]
    unstated = [it for it in shown if it.tested.kind == "version not stated"]
    assert 0 < len(unstated) < len(shown)
    marked = re.findall(r"([●◐○] \d+ of \d+ [^;<*]+)\*", html)
    assert sorted(marked) == sorted(f"{cell(it)} {name_of(it)}" for it in unstated)
    assert UNSTATED in html


def test_the_memo_of_a_model_in_use_says_what_takes_its_place(bundled):
    used = replacing.in_use(ask(bundled, ASKED, DAY), "GPT-4o (2024-11-20)")
    names = [it.candidate.model.id for it in used.named]
    first, _ = printed(html_of(bundled, names, in_use=used))
    assert first.startswith("What to use in place of GPT-4o (2024-11-20): decision memo")
    assert in_its_place(used, len(market.market(ask(bundled, ASKED, DAY)).buyable)).title in first
    assert "For existing customers only, until 14 April 2027" in first
    # On 17 Portuguese notes 0.9008 and 0.8496; NOHARM rated 100 cases of GPT-4o.
    assert "in use today GPT-4o (2024-11-20): about $88 a month; severe harm 15.3 % of" in first
    assert "GPT-5.2: Diagnoses (Portuguese) +5.1 points, −15.7 to +26.9 on the same cases" in first
    assert "costs about $63 a month more. DeepSeek V3.2: Diagnoses" in first
    assert first.count("same cases, which are few; ") == 2
    assert "which are few; saves about $71 a month." in first
    assert "Review by" in first


def test_the_finalists_are_those_the_reader_chose(bundled):
    found = market.market(ask(bundled, ASKED, DAY))
    last = found.buyable[-1]
    html = html_of(bundled, (last.model.id,))
    begun = html.index("The conditions you asked for")
    table = html[begun : html.index("</table>", begun)]
    assert last.model.name in table
    assert not any(each.model.name in table for each in found.named())


@pytest.mark.parametrize("task", ["balanced", "documentation", "research", "prior-authorisation"])
def test_every_memo_has_two_pages_and_lines_to_sign_on_the_first(bundled, task):
    asked = ASKED.having(task=task)
    names = market.market(ask(bundled, asked, DAY)).choice.names
    pages = memo_of(bundled, names, asked)
    assert len(pages) == 2
    assert "Signature" in pages[0]
    of_agents = "Each request is a task in χ-Bench, taken by this model" in " ".join(pages)
    assert of_agents == (task == "prior-authorisation")


@pytest.mark.parametrize(
    "asked",
    [
        ASKED.having(task="care-management"),
        ASKED.having(required=(), access="own", gpu="H100 80GB", gpus_owned=1),
    ],
)
def test_only_an_amount_of_dollars_is_said_a_month(bundled, asked):
    found = market.market(ask(bundled, asked, DAY))
    said = {it.model.id: product_in_short(it).partition(" (")[0] for it in found.buyable}
    amounts = {it.model.id: it.cost.low is not None for it in found.buyable}
    assert False in amounts.values()
    assert {name: text.endswith(" a month") for name, text in said.items()} == amounts


def test_own_figures_that_count_are_named_in_every_file(bundled):
    price = OwnPrice("gpt-5.2", 1, 8, "2026-11-20", "offer 7", "Azure")
    asked = ask(bundled, ASKED.having(own_prices=(price,)), DAY)
    said = "GPT-5.2: $1 read and $8 written per million tokens (Azure, offer 7, 20 November 2026)"
    found = market.market(asked)
    first, _ = memo_of(bundled, found.choice.names, asked.question)
    assert f"Your own prices: {said}" in first
    book = openpyxl.load_workbook(io.BytesIO(documents.market_workbook(asked, LINK)))
    told = {(row[0].value, row[-1].value) for row in book["Answer"].iter_rows()}
    assert ("your own", f"Your own prices: {said}") in told
    for question, own in ((asked.question, {"Your own prices": said}), (ASKED, {})):
        told = (found, question, bundled.catalogue, [])
        made = market_file.market_document(*told, volume=((), 0), on="2026-11-27", link=LINK)
        assert made["own_figures"] == own


def test_own_tokens_that_no_bill_uses_are_not_said_to_count(bundled):
    tokens = (OwnTokens("visit-notes", 5000, 800),)
    alone = ASKED.having(own_tokens=tokens)
    assert market_file.own_figures(alone, bundled.catalogue) == {}
    counted = alone.having(volumes=(("visit-notes", 2000.0),))
    (said,) = market_file.own_figures(counted, bundled.catalogue).values()
    assert "5,000 read, 800 written" in said


def test_every_file_says_what_a_month_is(bundled):
    """Claude Opus 4.5 at Google: $5 read, $0.50 from a cache, $25 written, per million tokens.

    25,000 × (3,000 × $5 + 3,000 × $0.50 + 900 × $25) / 1,000,000 = $975.
    """
    workload = {
        "requests_per_month": 25_000,
        "input_tokens_per_request": 6000,
        "output_tokens_per_request": 900,
    }
    question = ASKED.having(platforms=("Google Vertex AI",), cached_share=0.5, **workload)
    asked = ask(bundled, question, DAY)
    found = market.market(asked)
    (opus,) = (it for it in found.buyable if it.model.name == "Claude Opus 4.5 (20251101)")
    assert opus.cost.likely == pytest.approx(975)
    said = "25,000 requests of 6,000 tokens read, 50 % of them from a cache, and 900 written"
    first, _ = memo_of(bundled, (opus.model.id,), question)
    assert said in first
    book = openpyxl.load_workbook(io.BytesIO(documents.market_workbook(asked, LINK)))
    (told,) = (row[-1].value for row in book["Answer"].iter_rows() if row[0].value == "a month")
    assert told.endswith(said)
    volume = market.volume(asked)
    made = market_file.market_document(
        *(found, question, bundled.catalogue, []), volume=volume, on="2026-11-27", link=LINK
    )
    (line,) = made["requests"]
    assert (line["requests_per_month"], line["cached_share"]) == (25_000, 0.5)
    assert (line["input_tokens"], line["output_tokens"]) == (6000, 900)
    assert made["tasks_per_month"] is None
    # A whole task of an agent has no tokens of a request.
    prior = ask(bundled, ASKED.having(task="prior-authorisation"), DAY)
    assert market.volume(prior) == ((), 10_000)


def test_nothing_to_buy_is_a_memo_too(bundled):
    asked = ASKED.having(monthly_budget_usd=0.01)
    pages = memo_of(bundled, (), asked)
    assert "No model is known to meet all of this" in pages[0]
    assert "Over budget" in " ".join(pages)
    # What was required, whom to ask and which way out there is.
    asked = ASKED.having(required=("baa", "region_eu", "hitrust"), platforms=(), task="balanced")
    asked = ask(bundled, asked.having(monthly_budget_usd=1.0), DAY)
    found, (first, annex) = market.market(asked), memo_of(bundled, (), asked.question)
    assert not found.buyable
    kinds = bundled.catalogue.condition_kinds
    assert "; ".join(kinds[it].required for it in asked.question.conditions.required) in first
    assert all(nearest_in_words(it, kinds, LIMITS) in first for it in market.nearest(asked))
    assert all(f"{each.model.name}: {to_ask(each)}" in first for each in found.ask)
    assert "Ask first about" not in annex


def test_a_memo_of_another_day_says_so_first(bundled):
    before = date(2026, 6, 1)
    asked = ask(bundled, ASKED.having(prices_on=f"{before}"), before)
    names = market.market(asked).choice.names
    told = "As of 1 June 2026, not today. Ask again before you sign."
    for made_on, is_said in ((DAY, True), (before, False)):
        html = documents.market_memo(asked, names, made_on=made_on, address=LINK)
        assert (told in printed(html)[0]) is is_said
    suite = ask(bundled, Question(prices_on=f"{before}"), before)
    assert told in re.sub("<[^>]+>", "", documents.memo_html(suite, made_on=DAY, address=LINK))
    assert told not in documents.memo_html(suite, made_on=before, address=LINK)
    book = openpyxl.load_workbook(io.BytesIO(documents.market_workbook(asked, LINK)))
    rows = {row[0].value: row[-1].value for row in book["Answer"].iter_rows()}
    assert rows["as of"] == "1 June 2026"
    assert rows["conditions"] == "Business associate agreement (BAA); No training on our data"


def test_the_memo_says_why_a_lower_grade_is_named(bundled):
    asked = ASKED.having(task="decision-support", platforms=())
    found = market.market(ask(bundled, asked, DAY))
    why = {each.model.name: why_joined(found, each) for each in found.named()}
    assert any(why.values())
    first, _ = memo_of(bundled, found.choice.names, asked)
    # A line may end at a hyphen of a name.
    assert all("".join(said.split()) in "".join(first.split()) for said in why.values())
    # Whoever is shown and not named has no such reason.
    (joined,) = [each for each in found.named() if why_joined(found, each)]
    alone = tuple(it for it in found.choice.names if it != joined.model.id)
    assert not why_joined(replace(found, choice=replace(found.choice, names=alone)), joined)


def test_texts_from_data_are_never_markup_in_the_memo(bundled):
    bad = "<img src=x onerror=alert(1)>{{ 7*7 }}"
    found = market.market(ask(bundled, ASKED, DAY))
    each = found.buyable[0]
    hostile = replace(each, model=replace(each.model, name=bad))
    html = market_file.market_memo_html(
        replace(found, buyable=(hostile, *found.buyable[1:])),
        *(ASKED, bundled.catalogue),
        finalists=(each.model.id,),
        lines=(),
        n_tasks=0,
        sources=documents._sources(bundled, found),
        made_on=DAY,
        link='javascript:alert(1)//"><script>',
    )
    assert "&lt;img src=x" in html
    assert not re.search("<img|<script|49|<a ", html)


def test_the_workbook_has_the_csv_s_rows_every_line_and_offer(bundled):
    found = market.market(ask(bundled, ASKED, DAY))
    raw = documents.market_workbook(ask(bundled, ASKED, DAY), LINK)
    book = openpyxl.load_workbook(io.BytesIO(raw), read_only=True)
    sheets = {sheet.title: list(sheet.iter_rows(values_only=True)) for sheet in book}
    rows = documents.market_records(ask(bundled, ASKED, DAY), LINK)
    head, *cells = sheets["What you can buy"]
    assert head == market_file.MARKET_COLUMNS
    assert cells == [tuple(row[column] for column in head) for row in rows]
    every = (*found.buyable, *found.ask)
    counts = {name: len(of) - 1 for name, of in sheets.items()}
    assert counts == {
        "Answer": len(sheets["Answer"]) - 1,
        "What you can buy": len(every),
        "Lines": sum(len(each.lines) for each in every),
        "Offers": sum(len(each.offers) for each in every),
        "Left out": len(found.left_out),
        "Sources": len(found.columns) + len(bundled.lists),
    }
    lead, *others = [dict(zip(sheets["Answer"][0], it, strict=True)) for it in sheets["Answer"][1:]]
    about, answers = others[: -len(every)], others[-len(every) :]
    first = ["asked", "as of", "a month", "conditions"]
    assert [it["Decision"] for it in about] == [*first, *["to know"] * (len(about) - len(first))]
    assert about[0]["Why, and what to ask"].startswith("Asked: documentation, under 2 conditions")
    assert lead["Why, and what to ask"] == in_one(market_headline(found, "documentation"))
    assert next(iter(sheets)) == "Answer"
    assert [it["Model"] for it in answers] == [it.model.name for it in every]
    named = [it["Decision"] for it in answers if it["Decision"] not in (None, "ask first")]
    assert named == ["test first", *["test"] * (len(found.choice.names) - 1)]
    assert {it["Decision"] for it in answers[len(found.buyable) :]} <= {"ask first"}
    for it, row in zip(answers, rows, strict=True):
        assert it["Cost, $ a month"] == row["monthly_cost_usd"]
        harm = row["severe_harm_share"]
        assert it["Severe harm, %"] == (None if harm is None else pytest.approx(harm * 100))
    lines = [dict(zip(sheets["Lines"][0], row, strict=True)) for row in sheets["Lines"][1:]]
    (german,) = [
        it for it in lines if (it["name"], it["suite"]) == ("DeepSeek V3.2", "germedbench")
    ]
    assert (german["place"], german["n"], german["third"]) == (3, 11, "upper")
    assert german["run_by"] == "thalamiq"
    assert (german["scale_worst"], german["scale_best"]) == (1, 5)
