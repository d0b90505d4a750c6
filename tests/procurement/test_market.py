"""What can be bought, on the bundled evidence of one day: worked out from the tables by hand."""

import json
from dataclasses import replace
from datetime import date

import pytest
from building import a_cost, sold
from markets import AWS, AZURE, DAY, GOOGLE, ON_AZURE, OWN, QUESTIONS, US, a_candidate, graded

from core.answers import bills, local_test
from core.answers.asked import ask
from core.answers.conditions import conditions
from core.answers.market import lines, market, nearest
from core.answers.recommend import recommendation, shortlist
from core.domain import ConditionAnswer, OwnPrice, OwnSale, OwnTokens, Question
from core.domain.procurement import OFFERED
from core.evidence.score_tables import score_table
from core.procurement.bill import unknown_cost
from core.procurement.grades import direct_places, grade_of, third_of
from core.procurement.recommendation import old_facts
from core.sharing.market import MARKET_COLUMNS, market_document, product_records
from core.words import candidate
from core.words import market as words
from core.words.cost import prices_behind
from core.words.recommendation import in_short, old_in_words
from core.words.shortlist import EXISTING, maker_sale, rule_asks, why_left_out
from core.words.tiles import tiles


def test_azure_with_a_baa_for_every_kind_of_work(bundled):
    found = market(ask(bundled, ON_AZURE, DAY))
    assert graded(found.buyable, "A") == {"GPT-5.2", "GPT-5.5", "GPT-5.6 sol"}
    # Anthropic's BAA does not name Azure, and GPT-5.1 is closed to new customers.
    assert {"Claude Opus 5", "Claude Fable 5", "GPT-5.1 (2025-11-13)"} <= graded(found.ask, "A")
    assert found.choice.names == ("GPT-5.2", "GPT-5.5", "GPT-5.6 sol")


@pytest.mark.parametrize(
    ("task", "first"),
    [
        ("documentation", ("GPT-5.2", "DeepSeek V3.2")),
        ("decision-support", ("GPT-5.2", "gpt-oss-120b")),
        ("prior-authorisation", ("GPT-5.6 sol", "GPT-5.5")),
    ],
)
def test_azure_with_a_baa_for_one_kind_of_work(bundled, task, first):
    found = market(ask(bundled, ON_AZURE.having(task=task), DAY))
    assert tuple(each.model.name for each in found.named())[:2] == first


@pytest.mark.parametrize(
    ("region", "served"),
    [("region_eu", {"GPT-5.2", "GPT-5.5"}), ("region_us", {"GPT-5.2", "GPT-5.5"})],
)
def test_azure_serves_where_it_has_a_price_of_its_own(bundled, region, served):
    """A page of Microsoft's has GPT-5.2 for the US alone, GPT-5.5 for the EU: both have prices."""
    found = market(ask(bundled, Question.of(suite="", required=(region,), platforms=(AZURE,)), DAY))
    assert served <= {each.model.name for each in found.buyable}


def test_own_servers_take_only_open_weights_that_fit(bundled):
    found = market(ask(bundled, OWN, DAY))
    assert all(each.model.access == "open" for each in found.buyable)
    assert all(it.is_own for each in found.buyable for it in each.offers)
    # One 80 GB card holds 16-bit weights of at most 40 billion parameters, less the cache.
    assert max(each.model.params_b for each in found.buyable if each.model.params_b) < 160


@pytest.mark.parametrize("platforms", [("AWS Bedrock",), ()])
def test_a_size_asks_for_own_servers_where_no_platform_is_chosen(bundled, platforms):
    asked = Question.of(suite="", max_params_b=40, platforms=platforms)
    found = market(ask(bundled, asked, DAY))
    own = [it for each in found.buyable for it in each.offers if it.is_own]
    assert bool(own) == (not platforms)


def test_what_is_not_promised_for_as_long_as_asked_is_said(bundled):
    asked = Question.of(suite="", on_sale_months=24, required=("baa",))
    found = market(ask(bundled, asked, DAY))
    told = " ".join(said for _, said in words.to_know_first(found, DAY, 0, None).every)
    for each in found.named():
        state = each.best_offer.sale.state
        said = f"{each.model.name} (assured until " in told
        assert said == (state == "no end known" and bool(each.best_offer.sale.until))
    assert "not promised for the months you require" in told


def test_weights_that_must_not_be_used_commercially_are_asked_about(bundled):
    # BRIDGE has Mistral Large 2.1 second in patient messages; its licence is for research only.
    found = market(ask(bundled, Question.of(task="patient-messages", access="own"), DAY))
    (large,) = (it for it in found.ask if it.model.name == "Mistral Large 2.1 (2411)")
    assert large.grade == "B"
    assert candidate.to_ask(large).startswith("Ask Mistral AI for a licence: ")
    forbidden = [it for it in found.buyable if it.licence and it.licence.commercial_use == "no"]
    assert not any(offer.is_own for it in forbidden for offer in it.offers[:1])
    # Of the Nexusflow Research License nobody here has read the text.
    (unread,) = (it for it in found.ask if it.model.name == "Athene-V2-Chat")
    said = "What its licence (Nexusflow Research License) allows is not known: "
    assert candidate.to_ask(unread).startswith(said)


@pytest.mark.parametrize(
    ("product", "tested", "gpu"),
    [
        ("Llama 3.3 70B Instruct", "Llama 3.3 Instruct (70B)", "H100 80GB"),
        ("Qwen3-235B-A22B (thinking)", "Qwen3-235B-A22B-Thinking", "H200 141GB"),
        ("Llama 3.1 405B Instruct", "meta-llama/Llama-3.1-405B-Instruct", "H100 80GB"),
    ],
)
def test_a_product_serves_what_was_measured_under_any_name(bundled, product, tested, gpu):
    lines = bills.workload_of(bundled, Question.of(task="decision-support").demand)
    found, same = (bills.capacity_of(bundled, name, 8, gpu, 8, lines) for name in (product, tested))
    assert found.requests_per_second > 0
    assert found.requests_per_second == same.requests_per_second


def test_what_a_licence_asks_is_said_of_own_servers_alone(bundled):
    found = market(ask(bundled, Question.of(task="documentation", gpu="H100 80GB"), DAY)).buyable
    told = {it.model.name: " ".join(candidate.to_know(it)) for it in found}
    assert "Its licence sets conditions: Clinical use needs" in told["medgemma-27b-it"]
    assert "licence" not in told["gpt-oss-120b"]  # Apache 2.0
    assert "licence" not in told["GPT-5.2"]


@pytest.mark.parametrize("asked", QUESTIONS, ids=str)
def test_no_headline_names_what_nobody_is_known_to_sell(bundled, asked):
    found = market(ask(bundled, asked, DAY))
    every = {each.model.id for each in found.buyable}
    assert set(found.choice.names) <= every
    for each in found.buyable:
        best = each.best_offer
        assert best.standing == "buyable"
        assert best.sale is None or best.sale.state in ("assured", "ends", "no end known")
        if best.terms and not best.is_own:
            assert all(check.status in ("passes", "conditional") for check in best.terms.checks)
    assert not every & {each.model.id for each in found.ask}
    assert not every & {out.model for out in found.left_out}


@pytest.mark.parametrize("asked", QUESTIONS[::3], ids=str)
def test_each_grade_follows_from_the_places_on_screen(bundled, asked):
    among = {
        line.rule.suite: line for line in lines(bundled, asked.work.task, asked.work.language, DAY)
    }
    for each in market(ask(bundled, asked, DAY)).buyable:
        told = []
        for line in each.lines:
            there = among[line.tested.suite].there
            better = sum(value > line.tested.value for _, value, *_ in there.rows.values())
            if there.scale[0] > there.scale[1]:
                better = sum(value < line.tested.value for _, value, *_ in there.rows.values())
            assert line.place == better + 1
            told.append((line.kind, third_of(line.place, len(there.rows))))
        assert each.grade == grade_of(told)


def test_files_name_the_models_of_the_answer_in_its_order(bundled):
    found = market(ask(bundled, ON_AZURE, DAY))
    known = bundled.catalogue
    made = market_document(
        *(found, ON_AZURE, known, ["litellm/1.110.2"]),
        volume=((), 0),
        on="2026-11-27",
        link="http://localhost/?x=1",
    )
    made = json.loads(json.dumps(made))
    assert (made["as_of"], made["link"]) == ("2026-11-27", "http://localhost/?x=1")
    rows = product_records(found, {}, 10_000, "2026-11-27", "http://localhost/?x=1")
    assert all(set(row) == set(MARKET_COLUMNS) for row in rows)
    both = [*found.buyable, *found.ask]
    assert [row["model"] for row in rows] == [each.model.id for each in both]
    assert [row["model"] for row in (*made["candidates"], *made["ask_first"])] == [
        each.model.id for each in both
    ]
    assert made["headline"] == words.market_headline(found, "all kinds of work").title
    assert [row["model"] for row in rows if row["decision"]] == list(found.choice.names)
    assert rows[0]["link"]
    assert {row["link"] for row in rows[1:]} == {None}
    costs = [entry["monthly_cost_usd"]["likely"] for entry in made["candidates"]]
    assert costs == [each.cost.likely for each in found.buyable]
    # Unknown is never free.
    assert all(cost is None or cost > 0 for cost in costs)


def test_where_nothing_fits_it_says_which_condition_to_drop(bundled):
    required = (*US, "hitrust", "region_eu")
    asked = Question.of(suite="", required=required, platforms=(AZURE,), monthly_budget_usd=1.0)
    assert not market(ask(bundled, asked, DAY)).buyable
    offers = nearest(ask(bundled, asked, DAY))
    assert offers
    assert len({len(offer.dropped) for offer in offers}) == 1
    for offer in offers:
        kept = tuple(it for it in required if it not in offer.dropped)
        budget = None if "monthly_budget_usd" in offer.dropped else 1.0
        platforms = () if "platforms" in offer.dropped else (AZURE,)
        without = asked.having(required=kept, monthly_budget_usd=budget, platforms=platforms)
        assert len(market(ask(bundled, without, DAY)).buyable) == offer.n_buyable > 0
    assert [it.n_buyable for it in offers] == sorted((it.n_buyable for it in offers), reverse=True)


def test_a_condition_more_never_adds_a_model(bundled):
    wide = {each.model.id for each in market(ask(bundled, Question.of(suite=""), DAY)).buyable}
    narrow = {each.model.id for each in market(ask(bundled, ON_AZURE, DAY)).buyable}
    cheap = ON_AZURE.having(monthly_budget_usd=100.0)
    assert {each.model.id for each in market(ask(bundled, cheap, DAY)).buyable} < narrow < wide


def test_a_question_is_put_to_whom_the_price_is_of(bundled):
    """No source says of a HITRUST certificate of gpt-oss-120b at Azure, nor of a BAA at Google.

    AWS and Groq ask the same for it with the same question; Azure alone names its end, in 2027.
    """
    asked = ON_AZURE.having(platforms=(), required=(*US, "hitrust"), task="billing-administration")
    found = market(ask(bundled, asked, DAY))
    (oss,) = (it for it in found.ask if it.model.name == "gpt-oss-120b")
    assert oss.best_offer.n_questions == min(it.n_questions for it in oss.offers)
    assert oss.cost.platform == oss.best_offer.platform == AZURE
    assert candidate.to_ask(oss).startswith(
        "Ask Azure OpenAI / Azure AI Foundry: is there a HITRUST"
    )
    # Not to one beyond the budget, where another is within it.
    tight = market(ask(bundled, asked.having(monthly_budget_usd=oss.cost.likely - 0.01), DAY))
    (oss,) = (it for it in tight.ask if it.model.name == "gpt-oss-120b")
    assert oss.cost.platform == oss.best_offer.platform != AZURE


def test_a_vendor_is_asked_where_sources_differ_on_its_end(bundled):
    found = market(ask(bundled, ON_AZURE, DAY))
    (model, said), _ = words.vendor_questions(found.buyable[:1])
    assert model == "GPT-5.2"
    assert "Sources differ: Microsoft's schedule of 7 July 2026 says 12 December 2026" in said


def test_what_a_list_prices_without_a_known_sale_is_asked_about(bundled):
    """Flan-PaLM, of which no list has a price either, was never sold as far as is known."""
    found = market(ask(bundled, Question.of(suite=""), DAY))
    (hydrogen,) = (it for it in found.ask if it.model.name == "Gemini 4 Hydrogen")
    assert {offer.sale.state for offer in hydrogen.offers} == {"not known"}
    assert "whether it still sells" in candidate.to_ask(hydrogen)
    rules = {out.name: out.rule for out in found.left_out}
    assert rules["Flan-PaLM 540B"] == "not sold"


def test_what_is_about_to_end_has_a_price_for_a_test_today(bundled):
    """Azure ends GPT-4o of August on 14 April 2027, within the six months that are asked."""
    asked = ask(bundled, ON_AZURE.having(task="documentation"), DAY)
    (used, *_) = local_test.tested_models(asked, "GPT-4o (2024-08-06)", ("GPT-5.2",))
    # 1,177 tokens read at 2.50 and 583 written at 10 US dollars a million.
    assert used.usd_per_case == pytest.approx((1_177 * 2.5 + 583 * 10) / 1e6, rel=0.01)


@pytest.mark.parametrize(
    ("day", "is_told"), [(date(2026, 9, 11), False), (date(2026, 9, 12), True)]
)
def test_new_customers_hear_ninety_days_before_a_platform_refuses_them(bundled, day, is_told):
    """Azure refuses new customers of GPT-5.2 from 11 December; 12 September is 90 days before."""
    asked = Question.of(suite="", task="documentation", platforms=(AZURE,))
    found = market(ask(bundled, asked, DAY))
    told = words.to_know_first(found, day, 0, None).every
    said = "Azure takes no new customers from 11 December 2026."
    assert (("GPT-5.2", said) in told) == is_told


def test_a_least_cost_is_never_the_cheapest(bundled):
    """An unmeasured model costs at least one set; Llama 3.1 8B is measured on one H100."""
    rented = Question.of(suite="", access="own", task="documentation")
    found = market(ask(bundled, rented, DAY))
    first, then = words.cheapest(found)
    least = min((it for it in found.buyable if it.grade in "AB"), key=lambda it: it.cost.low)
    assert first == (
        "For those of grade A or B, only a minimum cost is known: "
        f"{least.model.name} ({least.grade}), at least $516 a month."
    )
    assert then.startswith("The cheapest that you can run with a known cost: ")
    assert ", at least $516 a month" in then
    assert then.endswith(", may cost less.")
    known = tuple(it for it in found.buyable if it.cost.likely is not None)
    said = words.cheapest(replace(found, buyable=known))[1]
    assert said == f"{then.replace(' with a known cost', '').split('. ')[0]}."


def test_in_a_table_no_rent_is_not_an_unknown_cost(bundled):
    fits = market(ask(bundled, OWN, DAY)).buyable[0].cost
    rented = market(ask(bundled, OWN.having(gpus_owned=None), DAY)).buyable
    least = next(it.cost for it in rented if it.cost.at_least)
    assert candidate.cost_short(fits) == "no rent"
    assert (round(least.low), candidate.cost_short(least)) == (31_419, "at least $31,400")
    assert candidate.cost_short(unknown_cost("m")) == "not known"


def test_of_two_offers_at_a_platform_that_sold_longer_has_the_price(bundled):
    """Azure sells Kimi K2.5 at $0.60 and $3 to January, by Fireworks at $0.66 and $3.30 to July."""
    found = market(ask(bundled, ON_AZURE, DAY))
    # Microsoft's agreement is not shown to reach what Fireworks runs.
    (kimi,) = [each for each in found.ask if each.model.name == "Kimi K2.5"]
    assert "Fireworks, not Microsoft, runs the offer" in candidate.to_ask(kimi)
    price, sale = kimi.cost.price, kimi.best_offer.sale
    assert (price.input_usd_per_mtok, price.output_usd_per_mtok) == (0.66, 3.3)
    assert sale.until == "2027-07-01"


@pytest.mark.parametrize("under", ["GPT-5.2", "gpt-5.2", "openai/gpt-5.2-low-2025-12-11"])
def test_what_you_were_told_counts_under_any_name_of_the_product(bundled, under):
    """A link made over one suite holds that suite's name; $0.50 and $2 come to 40 and 12."""
    asked = ON_AZURE.having(
        own_prices=(OwnPrice(under, 0.5, 2.0, "2026-11-01", "offer 7", AZURE),),
        own_sales=(OwnSale(under, AZURE, "2028-03-01", "2026-11-02", "letter 9"),),
    )
    found = market(ask(bundled, asked, DAY))
    (one,) = [each for each in found.buyable if each.model.name == "GPT-5.2"]
    assert one.cost.likely == pytest.approx(8080 * 0.005 + (236 + 345) * 0.02, abs=0.5)
    assert one.best_offer.sale.until == "2028-03-01"
    _, cost, _, sale = candidate.product_tiles(one)
    assert (cost.about, sale.about) == (
        f"$45 to $120, your own offer at {AZURE}",
        "Azure, you were told on 2 November 2026",
    )
    assert candidate.cost_short(one.cost) == "$52, yours"
    # Of GPT-4o there are three versions: an offer for no version in particular is of none of them.
    prices = (OwnPrice("GPT-4o", 0.1, 0.1, "2026-11-01", "offer 8"),)
    unclear = market(ask(bundled, ON_AZURE.having(own_prices=prices), DAY))
    assert not any(candidate.is_yours(each.cost) for each in (*unclear.buyable, *unclear.ask))
    versions = bundled.catalogue.sold_as["GPT-4o"]
    assert len(versions) == 3
    assert not any(bills.offers_at(bundled, prices, name) for name in versions)


def test_a_suite_tells_a_sale_as_all_evidence_does(bundled):
    """BRIDGE's best fits one GPU of one's own; Azure names the end of GPT-5.5, AWS does not.

    Both ask the same for it, so Azure's offer goes first, and no promise is lacking.
    """
    ours = Question.of(suite="bridge", access="own", gpu="H100 80GB", gpus_owned=1)
    kept = shortlist(ask(bundled, ours, DAY)).rows[0]
    # Under conditions that no platform is known to meet it can be kept too, whoever sells it.
    either = shortlist(ask(bundled, Question.of(suite="bridge", required=US), DAY)).rows
    named = {row.model.name: row for row in either}["Qwen3-Next-80B-A3B-Thinking"]
    for each in (kept, named):
        assert tiles(each)[3][1:] == ("no end", "open weights, kept on own servers")
    # Of platforms alone no condition is asked, and none is said to be met.
    for required in ((), US):
        at = Question.of(suite="bridge", required=required, platforms=(AZURE,))
        row = shortlist(ask(bundled, at, DAY)).rows[0]
        assert ("conditions met" in tiles(row)[1].about) is bool(required)
    psych = Question.of(suite="healthbench-psych", required=US)
    sold = {row.model.name: row for row in shortlist(ask(bundled, psych, DAY)).rows}["GPT-5.5"]
    here = market(ask(bundled, psych.having(suite="", task="patient-messages"), DAY))
    same = next(it for it in here.buyable if it.model.name == "GPT-5.5")
    assert tiles(sold)[3].figure == candidate.product_tiles(same)[3].figure == "26 October 2027"
    assert [it.platform for it in same.offers[:2]] == [AZURE, AWS]
    assert same.offers[0].monthly_usd == same.offers[1].monthly_usd
    assert words.not_promised([same]) == ""
    # At AWS alone it is not promised.
    only = [it for it in same.offers if it.platform == AWS]
    assert "GPT-5.5 (assured until 23 April 2027)" in words.not_promised(
        [replace(same, offers=only)]
    )
    # Nor is it where only what is to be asked about is promised.
    first, *others = same.offers
    offers = (others[0], replace(first, standing="ask"))
    assert words.not_promised([replace(same, offers=offers)])


@pytest.mark.parametrize("at", [AZURE, ""], ids=["at the platform", "no platform named"])
def test_an_offered_price_replaces_the_public_one_dearer_or_not(bundled, at):
    # What names no platform is not known to meet a condition, so it counts where none is asked.
    asked = ON_AZURE if at else ON_AZURE.having(required=())

    def monthly(*own):
        found = market(ask(bundled, asked.having(own_prices=own), DAY))
        (one,) = [each for each in found.buyable if each.model.name == "GPT-5.2"]
        return one.cost.likely, one.best_offer.monthly_usd

    # 10,000 requests, 8,080 tokens read on average, 236 written and 345 of hidden reasoning: at a
    # dollar per million of any $87; public are $1.75 and $14, and come to $141 and $81.
    cheap, dear = (OwnPrice("GPT-5.2", usd, usd, "2026-11-01", "offer 7", at) for usd in (1, 20))
    assert monthly() == pytest.approx((223, 223), abs=0.5)
    assert monthly(cheap) == pytest.approx((86.6, 86.6), abs=0.1)
    assert monthly(dear) == pytest.approx((1732, 1732), abs=1)
    asked = ON_AZURE
    assert at or monthly(cheap) == pytest.approx((223, 223), abs=0.5)


def test_two_offers_for_a_model_stand_each_at_its_platform(bundled):
    """Hand-worked as above: 8,661 tokens a request at $1 and at $2 a million, 10,000 of them."""
    own = tuple(
        OwnPrice("GPT-5.2", usd, usd, "2026-11-01", "offer", at)
        for usd, at in ((1.0, AZURE), (2.0, "OpenAI API"))
    )
    asked = Question.of(suite="", own_prices=own)
    found = market(ask(bundled, asked, DAY))
    (one,) = [each for each in found.buyable if each.model.name == "GPT-5.2"]
    costs = {it.platform: (it.monthly_usd, it.is_offered) for it in one.offers}
    assert costs[AZURE] == (pytest.approx(86.6, abs=0.1), True)
    assert costs["OpenAI API"] == (pytest.approx(173.2, abs=0.2), True)
    # A second one for the same platform takes the place of the first.
    again = asked.having(own_prices=(*own, replace(own[0], output_usd_per_mtok=1.5)))
    (one,) = [it for it in market(ask(bundled, again, DAY)).buyable if it.model.name == "GPT-5.2"]
    assert sum(it.platform == AZURE for it in one.offers) == 1
    assert one.best_offer.monthly_usd > 86.6


def test_what_a_maker_sells_no_longer_is_said_of_the_maker_alone():
    (ended,) = sold("fails", "gone", "2026-01-01", "OpenAI API").at
    ended = replace(ended, read_on="2026-11-27", told=True)
    assert maker_sale(ended) == (
        "No longer sold at OpenAI API since 1 January 2026 (you were told on 27 November 2026)."
    )


@pytest.mark.parametrize(
    ("task", "first"),
    [
        ("decision-support", {"gpt-oss-120b": 1, "DeepSeek V3.2": 3}),
        ("patient-messages", {"gpt-oss-120b": 3, "DeepSeek V3.2": 1}),
        ("billing-administration", {"gpt-oss-120b": 11, "DeepSeek V3.2": 4}),
    ],
)
def test_german_work_counts_the_german_tests_of_it(bundled, task, first):
    """Of GerMedBench's 13 models, by its mean of 50 German cases."""
    for language, expected in (("German", first), ("", {})):
        asked = Question.of(suite="", required=US, task=task, language=language)
        found = market(ask(bundled, asked, DAY))
        places = {it.model.name: direct_places(it.lines) for it in found.buyable}
        mine = {name: it["germedbench"] for name, it in places.items() if "germedbench" in it}
        assert mine == expected


def test_what_cannot_be_bought_holds_nothing_back(bundled):
    """Of direct places Qwen3-32B has the mean 0.508, GPT-5.6 luna 0.550.

    Qwen3-235B, above Qwen3-32B in all that both have, is to be asked about.
    """
    asked = Question.of(suite="", required=US, monthly_budget_usd=50.0)
    names = [it.model.name for it in market(ask(bundled, asked, DAY)).buyable]
    assert names.index("Qwen3-32B (thinking)") < names.index("GPT-5.6 luna")


def test_what_was_chosen_and_cannot_be_bought_is_told_at_the_answer(bundled):
    chosen = ("GPT-5.2", "Gemini 3.1 Pro (preview)", "o3-mini (2025-01-31)", "No such model")
    asked = Question.of(suite="", required=US, only=chosen)
    said = dict(words.to_know_first(market(ask(bundled, asked, DAY)), DAY, 2, None).every)
    assert said["Gemini 3.1 Pro (preview)"].startswith("Ask Google ")
    assert said["No such model"] == "Chosen by you, but this evidence has no such model."
    assert said["o3-mini (2025-01-31)"]
    poor = market(ask(bundled, asked.having(monthly_budget_usd=9.0), DAY))
    over = [
        of for of, it in words.to_know_first(poor, DAY, 2, 9.0).every if "Over your budget" in it
    ]
    assert {*over} == {"GPT-5.2", "Gemini 3.1 Pro (preview)"}
    many = tuple(it.model.name for it in market(ask(bundled, Question.of(suite=""), DAY)).ask)
    several = words.to_know_first(
        market(ask(bundled, asked.having(only=many), DAY)), DAY, 2, None
    ).every
    assert not dict(several).keys() & {*many}


def test_a_question_names_all_that_keeps_a_model_from_being_bought(bundled):
    asked = Question.of(suite="", required=US)
    open_ones = [it for it in market(ask(bundled, asked, DAY)).ask if it.best_offer.open_checks]
    lasts = {it.model.id: bool((sale := it.best_offer.sale) and sale.lasts) for it in open_ones}
    assert set(lasts.values()) == {True, False}
    said = {it.model.id: candidate.to_ask(it) for it in open_ones}
    assert {name: "until when it is sold" not in text for name, text in said.items()} == lasts
    several = (it for it in open_ones if it.best_offer.open_checks[1:])
    assert all("Also not known: training on our data" in said[it.model.id] for it in several)


def test_questions_wait_at_the_offers_that_the_market_names(bundled):
    asked = ask(bundled, Question.of(suite="", required=US), DAY)
    found = market(asked)
    best = {it.model.id: it.best_offer.platform for it in (*found.buyable, *found.ask)}
    inquiries = conditions(asked, best).inquiries
    waiting: dict[str, set[str]] = {}
    for one in inquiries:
        waiting.setdefault(one.whom, set()).update(one.models)
    open_ones = [it for it in found.ask if it.best_offer.open_checks]
    assert set().union(*waiting.values()) == {it.model.name for it in open_ones}
    sizes = [len(waiting[one.whom]) for one in inquiries]
    assert sizes == sorted(sizes, reverse=True)


def test_rents_over_90_days_old_are_named_and_marked(bundled):
    """The lowest rent of an MI300X is of 18 May 2026, that of an L4 of 6 September."""
    asked = ask(bundled, Question.of(suite="", access="own", task="documentation"), DAY)
    found = [it for it in market(asked).buyable if it.cost.servers]
    old, new = (next(it for it in found if it.cost.servers.gpu == gpu) for gpu in ("MI300X", "L4"))
    one = old_facts(old.model.id, None, old.cost, None, DAY)
    assert old_in_words(one) == (
        "Old facts: GPU rents (read 18 May 2026). Ask the vendor before you sign."
    )
    assert old_facts(new.model.id, None, new.cost, None, DAY) == []
    said = prices_behind([old.cost], DAY)
    assert said == "GPU rents of 18 May 2026 (over 90 days old)"
    # The old one and its day, as the old facts name it.
    both = prices_behind([old.cost, new.cost], DAY)
    assert both.endswith(" (MI300X: 18 May 2026, over 90 days old)")
    assert "old" not in prices_behind([new.cost], DAY)
    bill = a_cost("m", 1.0)
    # A price of one's own is not a public one.
    assert prices_behind([replace(bill, provider=OFFERED)], DAY) == ""
    assert prices_behind([bill], DAY) == "public prices of 21 November 2026"
    assert prices_behind([bill, old.cost], DAY).startswith(
        "public prices of 21 November 2026 and GPU rents of 18 May 2026"
    )


def test_a_model_of_unknown_size_is_not_said_to_exceed_servers(bundled):
    rented = Question.of(suite="", access="own", task="documentation")
    out = {it.model: it for it in market(ask(bundled, rented, DAY)).left_out}
    assert out["Kimi K2.5"].rule == "size unknown"
    assert why_left_out(out["Kimi K2.5"]) == "number of parameters not known"
    assert rule_asks("size unknown", rented) == "cannot be shown to fit on servers"
    small = rented.having(gpu="L4", gpus_owned=1)
    out = {it.name: it for it in market(ask(bundled, small, DAY)).left_out}
    assert out["Llama 3.3 70B Instruct"].rule == "no room"
    assert "1 × L4" in why_left_out(out["Llama 3.3 70B Instruct"])


def test_what_its_maker_ends_is_said_of_each_that_is_named(bundled):
    """Anthropic ends Claude Sonnet 4.5 on 30 November 2026; Google names no end."""
    found = market(ask(bundled, Question.of(suite="", required=US, task="documentation"), DAY))
    said = dict(words.to_know_first(found, DAY, 2, None).every)
    assert said["Claude Sonnet 4.5 (20250929)"] == (
        "Weaker in Vectara HHEM, 69th of 96. "
        "To be agreed with Google: business associate agreement (BAA). "
        "Its own maker (Anthropic API) sells it only until 30 November 2026."
    )
    # Whatever platforms are asked about.
    google = market(ask(bundled, ON_AZURE.having(platforms=(GOOGLE,)), DAY))
    (sonnet,) = (it for it in google.buyable if it.model.name == "Claude Sonnet 4.5 (20250929)")
    assert sonnet.ended_by_maker.platform == "Anthropic API"
    # At the maker itself, and on own servers, there is nothing to add.
    (opus,) = (it for it in found.buyable if it.model.name == "Claude Opus 5")
    assert opus.ended_by_maker is None


def test_the_question_to_ask_is_that_of_the_offer_with_the_fewest(bundled):
    both = Question.of(suite="", required=("hitrust", "region_eu"), task="documentation")
    asked = {it.model.name: candidate.to_ask(it) for it in market(ask(bundled, both, DAY)).ask}
    assert asked["DeepSeek V3.2"].startswith("Ask AWS Bedrock: is there a HITRUST certificate")
    assert "Also not known" not in asked["DeepSeek V3.2"]
    assert any("Also not known: HITRUST certificate" in said for said in asked.values())


def test_what_a_task_cost_is_not_a_price_that_nobody_prints(bundled):
    question = ON_AZURE.having(platforms=(GOOGLE,), task="prior-authorisation")
    last = market(ask(bundled, question, DAY)).buyable[-1]  # Which χ-Bench never tested.
    assert candidate.product_tiles(last)[1].figure == "tokens of a task not known"


def test_two_modes_that_are_sold_under_one_name_are_named_once(bundled):
    """Bedrock sells Qwen3-32B with and without thinking under one name; both were best placed."""
    asked = Question.of(suite="", task="patient-messages", required=US, monthly_budget_usd=50.0)
    found = market(ask(bundled, asked, DAY))
    names = found.choice.names
    assert sum("Qwen3-32B" in name for name in names) == 1
    assert len(names) == 2
    # Both modes are rows of their own, and the other model that is named is none of the two.
    said = words.market_headline(found, "patient messages").after
    assert "did well in an independent test of this work and badly in none (the two are" in said


@pytest.mark.parametrize(
    ("each", "asked"),
    [
        (
            a_candidate("m", state="existing customers only", standing="ask"),
            "Vendor refuses new customers of m: do you have it already?",
        ),
        (
            a_candidate("m", state="assured", standing="ask"),
            "Ask Vendor what it costs: no price is known.",
        ),
        (
            a_candidate("m", state="not known", standing="ask"),
            "Ask Vendor whether it still sells this model, and until when.",
        ),
        (
            a_candidate("m", standing="ask"),
            "Ask Vendor whether it still sells this model, and until when.",
        ),
    ],
)
def test_what_is_unknown_of_an_offer_is_asked_of_its_platform(each, asked):
    assert candidate.to_ask(each) == asked
    every = ("Every vendor", words.vendor_questions([])[-1][1])
    assert words.vendor_questions([each]) == [("m", asked), every]
    bought = replace(each, offers=(replace(each.offers[0], standing="buyable"),))
    assert words.vendor_questions([bought]) == [every]
    unknown = each.best_offer.sale is None or each.best_offer.sale.state == "not known"
    assert (candidate._sale_tile(each.best_offer).figure == "not known") == unknown


@pytest.mark.parametrize("until", ["2027-07-13", ""], ids=["known", "unknown"])
def test_a_known_end_for_existing_customers_is_not_asked_for(bundled, until):
    asked = Question.of(suite="", required=("hitrust", "region_eu"), task="documentation")
    (mini,) = (
        it for it in market(ask(bundled, asked, DAY)).ask if it.model.name.startswith("GPT-5 mini")
    )
    (best, *_), of_end = mini.offers, "until when it is sold"
    assert best.sale.state == EXISTING
    said = candidate.to_ask(
        replace(mini, offers=(replace(best, sale=replace(best.sale, until=until)),))
    )
    assert (of_end in said) is (not until)
    refuses = "Azure refuses new customers of GPT-5 mini (2025-08-07)"
    assert said.endswith(f" {refuses}: do you have it already?")


def test_that_a_model_is_for_existing_customers_is_said_once(bundled):
    decided = recommendation(ask(bundled, Question.of(suite="medhelm"), DAY))
    assert decided.choice.why == "sale not known"
    said = in_short(decided, DAY)
    assert sum("existing customers" in sentence for sentence in said) == 1


def test_a_chosen_name_that_nobody_knows_is_listed_as_such(bundled):
    chosen = ON_AZURE.having(only=("GPT-5.2", "GPT-52"))
    found = market(ask(bundled, chosen, DAY))
    assert [each.model.name for each in found.buyable] == ["GPT-5.2"]
    assert [out.model for out in found.left_out if out.rule == "not here"] == ["GPT-52"]


@pytest.mark.parametrize(
    ("only", "said"),
    [
        ("GPT-52", "None of the models you chose is known here."),
        ("o1 (2024-12-17)", "Every model you chose fails one of your conditions or limits."),
    ],
)
def test_that_nothing_chosen_can_be_bought_says_why(bundled, only, said):
    found = market(ask(bundled, ON_AZURE.having(only=(only,)), DAY))
    assert words.market_headline(found, "documentation").after == said


def test_in_a_language_only_its_tests_count(bundled):
    # BRIDGE's one Spanish test of decision support is PPTS: its places among 98, by hand.
    found = lines(bundled, "decision-support", "Spanish", DAY)
    (bridge,) = (line for line in found if line.rule.suite == "bridge")
    assert (bridge.kind, len(bridge.there.rows)) == ("direct", 98)
    places = {name: bridge.there.rows[name][0] for name in ("gpt-oss-120b", "gpt-oss-20b")}
    assert places == {"gpt-oss-120b": 35, "gpt-oss-20b": 25}
    asked = ask(
        bundled, Question.of(suite="bridge", task="decision-support", language="Spanish"), DAY
    )
    in_one_suite = dict(shortlist(asked).places)
    assert {name: in_one_suite[name] for name in places} == places


def test_a_long_request_leaves_out_what_cannot_read_it(bundled):
    # GPT-5.2 reads 272,000 tokens at once and Claude Opus 5 a million, by the price lists.
    long = ON_AZURE.having(platforms=(), input_tokens_per_request=300_000)
    assert long.to_meet.min_context_tokens == 300_000
    found = market(ask(bundled, long, DAY))
    there = {each.model.name for each in found.buyable}
    assert "Claude Opus 5" in there
    (out,) = (it for it in found.left_out if it.name == "GPT-5.2")
    assert "It reads at most 272,000 tokens; you need 300,000." in why_left_out(out)
    # An agent's task of many calls asks nothing, nor does one that fits every window; of one's
    # own kinds of request the longest counts.
    short = Question.of(input_tokens_per_request=3_000, output_tokens_per_request=400)
    assert short.to_meet == short.conditions
    task = Question.of(input_tokens_per_request=1_000_001)
    assert (task.to_meet, task.servers) == (task.conditions, task.hardware)
    own = (OwnTokens("visit-notes", 20_000, 1_500), OwnTokens("messages", 400, 200))
    volumes = (("visit-notes", 1_000.0), ("messages", 50.0))
    kinds = Question.of(
        own_tokens=own, volumes=volumes, min_context_tokens=9_000, context_tokens=8_192
    )
    assert kinds.to_meet.min_context_tokens == 21_500
    assert kinds.servers.context_tokens == 21_500
    # What no bill uses asks nothing: tokens next to volumes, and those of a kind without one.
    for unused in (
        kinds.having(volumes=volumes[1:], input_tokens_per_request=300_000),
        kinds.having(volumes=()),
    ):
        assert unused.to_meet.min_context_tokens == 9_000
        assert unused.servers.context_tokens == 8_192


def test_over_the_budget_is_what_no_offer_is_within(bundled):
    """In the EU DeepSeek V3.2 takes $21.7 at AWS, and $16.7 at Azure, where the region is asked."""
    in_the_eu = {"required": ("region_eu",), "monthly_budget_usd": 20.0}
    asked = ON_AZURE.having(task="documentation", **in_the_eu)
    for platforms in ((AZURE,), (AZURE, "AWS Bedrock"), ()):
        found = market(ask(bundled, asked.having(platforms=platforms), DAY))
        (one,) = [each for each in found.ask if each.model.name == "DeepSeek V3.2"]
        assert [(it.platform, round(it.monthly_usd, 1)) for it in one.offers] == [(AZURE, 16.7)]
        assert one.cost.platform == AZURE
    # Where none is within it, the cheapest of what can be bought is named.
    dearer = asked.having(platforms=(AZURE, "AWS Bedrock"), monthly_budget_usd=10.0)
    found = market(ask(bundled, dearer, DAY)).left_out
    (out,) = (it for it in found if it.name == "DeepSeek V3.2")
    assert (out.rule, round(out.cost.likely, 1)) == ("over budget", 21.7)


def test_a_platform_that_named_a_price_is_asked_without_a_list(bundled):
    """$0.10 and $0.20 a million for GPT-5.2 at AWS, which no list sells there."""
    price = OwnPrice("GPT-5.2", 0.1, 0.2, "2026-11-20", "offer 3", "AWS Bedrock")
    for platforms in ((), ("AWS Bedrock",)):
        asked = ON_AZURE.having(required=(), platforms=platforms, own_prices=(price,))
        found = market(ask(bundled, asked, DAY))
        (one,) = [it for it in (*found.buyable, *found.ask) if it.model.name == "GPT-5.2"]
        (offer,) = [it for it in one.offers if it.platform == "AWS Bedrock"]
        assert (offer.standing, offer.is_offered) == ("ask", True)
        assert offer.monthly_usd < 10
        assert one.is_buyable == (not platforms)


def test_a_contract_that_lacks_a_condition_lacks_it_for_every_maker_there(bundled):
    def makers(*own):
        found = market(ask(bundled, ON_AZURE.having(platforms=(GOOGLE,), own_answers=own), DAY))
        return {each.model.developer for each in found.buyable}

    def told(platform, answer):
        return ConditionAnswer(platform, "baa", answer, "", "letter", "2026-11-20", None, "own")

    assert {"Anthropic", "Google"} <= makers()
    assert not makers(told(GOOGLE, "no"))
    # But for the maker of whom the hospital was told otherwise, before or after.
    anthropic = told(f"{GOOGLE} (Anthropic)", "yes")
    for own in ((told(GOOGLE, "no"), anthropic), (anthropic, told(GOOGLE, "no"))):
        assert makers(*own) == {"Anthropic"}


def test_what_has_a_price_and_one_suite_alone_tested_is_asked_about(bundled):
    """Azure prices Phi-4-reasoning-plus, which BRIDGE alone tested; no source says it is sold."""
    found = market(ask(bundled, ON_AZURE.having(task="documentation"), DAY))
    (one,) = [it for it in found.ask if it.model.name == "Phi-4-reasoning-plus"]
    assert (one.best_offer.platform, one.best_offer.sale.lasts) == (AZURE, None)
    ids = [
        *(it.model.id for it in (*found.buyable, *found.ask)),
        *(it.model for it in found.left_out),
    ]
    assert len(set(ids)) == len(ids)
    priced = {it.model for it in bundled.catalogue.prices} - bundled.catalogue.sold_as.keys()
    assert priced
    assert priced <= {*ids}


OWN_COUNT_IN = ("care-management", "documentation", "patient-messages")


def full_marks(suite, tests, names):
    best = {it.id: it.scale_min if it.lower_is_better else it.scale_max for it in tests}
    rows = [{"model": name, "run": f"local:{name}"} for name in names]
    of_each = [row | {"benchmark": it, "score": best[it]} for row in rows for it in best]
    return score_table(suite, of_each)


def test_own_results_change_nothing_over_all_evidence(bundled):
    """Twenty runs with full marks in every suite, one under the name of the first that is named."""
    questions = [ON_AZURE, *(ON_AZURE.having(task=it, platforms=()) for it in OWN_COUNT_IN)]
    before = [market(ask(bundled, it, DAY)) for it in questions]
    names = [before[0].choice.names[0], *"abcdefghijklmnopqrs"]
    tests = bundled.catalogue.benchmarks.items()
    own = bundled.with_session(tuple(full_marks(*each, names) for each in tests))
    assert [market(ask(own, it, DAY)) for it in questions] == before
    agents = [recommendation(ask(it, Question.of(suite="chi-bench"), DAY)) for it in (bundled, own)]
    assert agents[0].unattended == agents[1].unattended


def test_a_suite_that_names_models_to_test_says_what_others_grade_better(bundled):
    """Of 98 in BRIDGE two fit, of grade C; GPT-5.2, which it has not tested, is of grade B."""
    asked = ON_AZURE.having(suite="bridge", task="documentation")
    found = recommendation(ask(bundled, asked, DAY))
    assert (found.strength, found.elsewhere.name) == ("shortlist", "GPT-5.2")
