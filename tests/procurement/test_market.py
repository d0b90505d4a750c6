"""What can be bought, on the bundled evidence of one day: worked out from the tables by hand."""

import json
from dataclasses import replace
from datetime import date

import pytest
from building import a_cost, a_harm, sold

from core import figures
from core.answers import bills, local_test
from core.answers.asked import ask
from core.answers.conditions import conditions
from core.answers.market import lines, market, named_compared, nearest
from core.answers.recommend import among_the_market, of_the_market, recommendation, shortlist
from core.answers.replacing import in_use
from core.domain import (
    Candidate,
    ConditionAnswer,
    InItsPlace,
    InUse,
    Market,
    MarketChoice,
    Offer,
    OwnPrice,
    OwnSale,
    OwnTokens,
    Question,
    Saving,
    TooFewError,
)
from core.procurement.bill import unknown_cost
from core.procurement.grades import direct_places, grade_of, third_of
from core.procurement.recommendation import OldFact, old_facts
from core.sharing.market import MARKET_COLUMNS, decisions, market_document, product_records
from core.words import candidate, replacing
from core.words import market as words
from core.words.cost import prices_behind
from core.words.recommendation import in_short, old_in_words
from core.words.shortlist import maker_sale, rule_asks, why_left_out
from core.words.tiles import tiles
from tests.conftest import a_model

DAY = date(2026, 11, 27)
AZURE, AWS, GOOGLE = "Azure OpenAI / Azure AI Foundry", "AWS Bedrock", "Google Vertex AI"
US = ("baa", "trains_on_customer_data_by_default")
EU = ("region_eu", "trains_on_customer_data_by_default")
ON_AZURE = Question.of(suite="", required=US, platforms=(AZURE,))
OWN = Question.of(suite="", access="own", gpu="H100 80GB", gpus_owned=1)
QUESTIONS = [
    asked.having(task=task)
    for task in ("balanced", "documentation", "decision-support", "research", "prior-authorisation")
    for asked in (
        *(ON_AZURE, ON_AZURE.having(platforms=(AWS, GOOGLE)), OWN),
        *(Question.of(suite="", required=("region_eu",), language="German"), Question.of(suite="")),
        Question.of(suite="", monthly_budget_usd=300.0),
    )
]


def graded(found, grade):
    return {each.model.name for each in found if each.grade == grade}


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


def test_few_tested_are_said_first_and_an_agent_never_runs_unattended(bundled):
    research = market(ask(bundled, ON_AZURE.having(task="research"), DAY))
    n = len(research.buyable)
    assert research.choice.few_tested
    assert research.n_tested == 1
    said = words.market_headline(research, "research")
    assert said.before == f"{n - 1} of the {n} models you can buy were never tested on research."
    agents = market(ask(bundled, ON_AZURE.having(task="prior-authorisation"), DAY)).unattended
    # Of the 50 tasks of prior authorisation the publisher's best agent does 16.
    assert (agents.best, agents.n_tasks) == (pytest.approx(0.32), 50)
    assert research.unattended is None


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
    told = " ".join(said for _, said in words.to_know_first(found, DAY, 0, None))
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
    said = "Its licence is not known: Nexusflow Research License. Read it: "
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


def test_files_say_what_the_page_says(bundled):
    found = market(ask(bundled, ON_AZURE, DAY))
    known = bundled.catalogue
    made = market_document(
        *(found, ON_AZURE, known, ["litellm/1.110.2"]),
        on="2026-11-27",
        link="http://localhost/?x=1",
    )
    made = json.loads(json.dumps(made))
    assert (made["as_of"], made["link"]) == ("2026-11-27", "http://localhost/?x=1")
    rows = product_records(found, {}, "2026-11-27", "http://localhost/?x=1")
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


def test_the_newest_untested_are_newer_than_what_is_named(bundled):
    named = market(ask(bundled, ON_AZURE, DAY))
    assert words.newest_untested(named).startswith(
        "Newest, and never tested on this work: GPT-6.1 sol (29 Sep"
    )
    # What was never tested and is named itself, or is of 2023, is not told as news.
    eu = Question.of(suite="", task="research", required=("region_eu",))
    assert market(ask(bundled, eu, DAY)).choice.none_tested
    assert words.newest_untested(market(ask(bundled, eu, DAY))) == ""
    assert words.newest_untested(market(ask(bundled, OWN, DAY))) == ""


def test_those_that_came_out_on_one_day_are_named_together(bundled):
    """On 22 September GPT-6 luna, GPT-6 sol and Claude Opus 5.5; Haiku 5.5 has no day."""
    found = market(ask(bundled, ON_AZURE.having(platforms=(), task="documentation"), DAY))
    there = {it.model.name: it for it in found.buyable if it.grade == "E"}
    names = ("GPT-6 luna", "GPT-6 sol", "Claude Opus 5.5", "GPT-6.1 sol", "Gemini 4 Argon")
    only = tuple(there[name] for name in (*names, "Claude Haiku 5.5"))
    said = words.newest_untested(replace(found, buyable=(*found.named(), *only)))
    assert all(name in said for name in names)
    assert said.endswith("; one more has no known release date.")


def test_a_question_is_put_to_whom_the_price_is_of(bundled):
    """No source says of a HITRUST certificate of gpt-oss-120b at AWS, nor of a BAA at Google."""
    asked = ON_AZURE.having(platforms=(), required=(*US, "hitrust"), task="billing-administration")
    found = market(ask(bundled, asked, DAY))
    (oss,) = (it for it in found.ask if it.model.name == "gpt-oss-120b")
    assert oss.best_offer.n_questions == min(it.n_questions for it in oss.offers)
    assert oss.cost.platform == oss.best_offer.platform == AWS
    assert candidate.to_ask(oss).startswith("Ask AWS Bedrock: is there a HITRUST")
    # Not to one beyond the budget, where another is within it.
    tight = market(ask(bundled, asked.having(monthly_budget_usd=oss.cost.likely - 0.01), DAY))
    (oss,) = (it for it in tight.ask if it.model.name == "gpt-oss-120b")
    assert oss.cost.platform == oss.best_offer.platform != AWS


def test_a_small_test_says_how_many_cases_it_has(bundled):
    """NoHarm.ai has 17 stays, GerMedBench 50 notes of documentation; of LiveMedBench 2,756."""
    found = market(ask(bundled, ON_AZURE.having(task="documentation"), DAY))
    tile, *_ = candidate.product_tiles(found.buyable[0])
    assert tile.about.startswith("Diagnoses (Portuguese), 17 cases; did well in one test")
    sizes = {line.tested.suite: line.n_cases for each in found.buyable for line in each.lines}
    assert (sizes["germedbench"], sizes["noharm-ai-diagnoses"]) == (50, 17)
    tile, *_ = candidate.product_tiles(market(ask(bundled, ON_AZURE, DAY)).buyable[0])
    assert tile.about.startswith("LiveMedBench; ")


def test_a_tile_keeps_another_end_and_the_last_day_to_sign_apart(bundled):
    gpt = next(
        it for it in market(ask(bundled, ON_AZURE, DAY)).named() if it.model.name == "GPT-5.2"
    )
    assert candidate.product_tiles(gpt)[3].about == (
        "Azure, read 2 September 2026; sources differ: another says 12 December 2026; no new "
        "customers from 11 December 2026"
    )


def test_a_vendor_is_asked_where_sources_differ_on_its_end(bundled):
    found = market(ask(bundled, ON_AZURE, DAY))
    (model, said), _ = words.vendor_questions(found.buyable[:1])
    assert model == "GPT-5.2"
    assert "Sources differ: Microsoft's schedule of 7 July 2026 says 12 December 2026" in said


def test_what_is_shown_to_be_worse_is_not_named_in_its_place(bundled):
    """In BRIDGE gpt-oss-120b is 38th of 98 and Gemini 2.5 Flash 1st: 7.6 points, shown."""
    used = in_use(ask(bundled, Question.of(suite="", required=US), DAY), "Gemini 2.5 Flash")
    (oss,) = (it for it in used.places if it.candidate.model.name == "gpt-oss-120b")
    assert dict(oss.judged)["BRIDGE"].tier == "worse"
    assert used.saving_of(oss) > 0
    assert oss.is_worse
    assert oss not in used.named
    assert replace(used, places=(oss,)).named == (oss,)  # There is nothing else.


def test_what_is_about_to_end_has_a_price_for_a_test_today(bundled):
    """Azure ends GPT-4o of August on 14 April 2027, within the six months that are asked."""
    asked = ask(bundled, ON_AZURE.having(task="documentation"), DAY)
    (used, *_) = local_test.tested_models(asked, "GPT-4o (2024-08-06)", ("GPT-5.2",))
    # 1,177 tokens read at 2.50 and 583 written at 10 US dollars a million.
    assert used.usd_per_case == pytest.approx((1_177 * 2.5 + 583 * 10) / 1e6, rel=0.01)


@pytest.mark.parametrize(("used", "certain"), [("o3 (2025-04-16)", False), ("GPT-4.1", True)])
def test_a_cost_that_may_turn_is_not_told_in_the_title(bundled, used, certain):
    """o3 is $15 below GPT-5.2, but may reason more; GPT-4.1, $42 below, does not reason."""
    found = in_use(ask(bundled, Question.of(suite="", required=US), DAY), used)
    said = replacing.in_its_place(found, 54)
    assert ("GPT-5.2, which would cost about" in said.title) is certain
    turns = ("", f"It is open whether GPT-5.2 costs more or less than {found.model.name}.")
    assert (turns in replacing.to_know_of_move(found)) is not certain


def test_a_good_place_in_a_related_test_is_no_mixed_result(bundled):
    found = market(ask(bundled, ON_AZURE.having(task="billing-administration"), DAY))
    sol = next(each for each in found.buyable if each.model.name == "GPT-5.6 sol")
    assert (sol.grade, sol.of("direct")) == ("C", ())
    first, *_ = candidate.product_tiles(sol)
    assert first == (
        "Other tests",
        "5th of 41",
        "χ-Bench; well placed in a related test, not tested on this work (C)",
    )
    # Nor is one place in the middle called a mixture.
    notes = market(ask(bundled, ON_AZURE.having(task="documentation"), DAY)).buyable
    (kimi,) = [each for each in notes if each.model.name == "Kimi K2.5"]
    assert [(it.third, it.tested.suite) for it in kimi.of("direct")] == [
        ("middle", "noharm-ai-diagnoses")
    ]
    said = candidate.product_tiles(kimi)[0].about
    assert said.endswith("; in the middle third of its only test of this work (C)")


@pytest.mark.parametrize(
    ("n_here", "n", "n_fit", "said"),
    [
        (None, 54, 9, "Based on S alone."),
        (0, 0, 0, "Based on S alone. No model is known to meet all of this."),
        (
            *(0, 0, 45),
            "Based on S alone. No model is known to meet all of this. What fits below is to be "
            "asked about, or runs on your own servers.",
        ),
        (4, 54, 4, "Based on S alone: it has tested 4 of the 54 models you can buy."),
        (0, 54, 0, "Based on S alone: it has tested none of the 54 models you can buy."),
        (9, 9, 9, "Based on S alone: it has tested all 9 models you can buy."),
        (1, 1, 1, "Based on S alone: it has tested the only model you can buy."),
        (
            *(4, 54, 9),
            "Based on S alone: it has tested 4 of the 54 models you can buy. What else fits below "
            "is to be asked about, runs on your own servers, or is another run of one of these.",
        ),
        (
            *(0, 54, 9),
            "Based on S alone: it has tested none of the 54 models you can buy. What fits below is "
            "to be asked about, or runs on your own servers.",
        ),
    ],
)
def test_one_suite_says_how_much_of_the_market_it_has_tested(n_here, n, n_fit, said):
    assert words.alone("S", n_here, n, 0, n_fit) == said


def test_a_model_in_use_is_answered_in_json_as_on_screen(bundled, cli):
    name = "GPT-4o (2024-11-20)"
    day = ("--prices-on", DAY.isoformat())
    status, out, _ = cli("recommend", "--json", "--in-place-of", name, *day)
    assert status == 0
    made = json.loads(out)
    asked = ask(bundled, Question.of(suite="", required=US), DAY)
    used, whole = in_use(asked, name), market(asked)
    assert made["headline"] == replacing.in_its_place(used, len(whole.buyable)).title
    assert made["headline"].startswith("Replace GPT-4o (2024-11-20): start with ")
    named = [each["name"] for each in made["test_these"]]
    assert all(name in made["headline"] for name in named)
    # What it is replaced by would cost less; the other is the best by grade.
    costs = [each["monthly_cost_usd"]["likely"] for each in made["test_these"]]
    assert min(costs) < made["in_use"]["monthly_cost_usd"]
    assert made["in_use"]["grade_means"] == "mixed results"


def test_another_agent_harness_is_said_of_a_difference(bundled):
    """χ-Bench ran Kimi K2.6 in OpenAI's agents, Claude Sonnet 4.6 and Opus 5 in Claude Code."""
    us = Question.of(suite="", required=US)
    used = in_use(ask(bundled, us, DAY), "Kimi K2.6")
    said = replacing.in_its_place(used, 54)
    assert "did better in χ-Bench under another agent harness" in said.title
    assert said.after.count("on the same cases, under another agent harness") == 1
    same = in_use(ask(bundled, us, DAY), "Claude Sonnet 4.6")
    (opus,) = (it for it in same.places if it.candidate.model.name == "Claude Opus 5")
    assert not opus.other_harness
    assert "harness" not in replacing.in_common(opus)


def test_why_what_a_platform_names_cannot_be_bought_is_said(bundled):
    used = in_use(ask(bundled, ON_AZURE, DAY), "GPT-4o (2024-08-06)")
    before = replacing.in_its_place(used, 21).before
    assert before.endswith(" (A). Azure refuses new customers: do you have it already?")
    small = ask(bundled, ON_AZURE.having(max_params_b=30.0), DAY)
    before = replacing.in_its_place(in_use(small, "GPT-4o (2024-08-06)"), 21).before
    assert before.endswith(" (A). It is left out: number of parameters not known.")


def test_of_two_in_place_of_a_model_it_says_which_costs_less(bundled):
    """For documentation GPT-4o costs $88, GPT-5.2 $151 and DeepSeek V3.2 $17 a month."""
    asked = ask(bundled, Question.of(suite="", task="documentation"), DAY)
    used = in_use(asked, "GPT-4o (2024-11-20)")
    start = "Replace GPT-4o (2024-11-20): start with GPT-5.2"
    costs = [round(it.candidate.cost.likely) for it in used.named]
    assert (round(used.cost.likely), costs) == (88, [151, 17])
    assert replacing.in_its_place(used, 67).title == (
        f"{start}, which would cost about $63 a month more, or with DeepSeek V3.2, which would "
        "save about $71 a month"
    )
    # A second that costs no less than the first is not named.
    best, cheaper = used.named
    both = replace(used, places=(replace(best, saves=cheaper.saves), cheaper))
    assert replacing.in_its_place(both, 67).title == f"{start}, which would save about $71 a month"


def test_a_second_in_place_of_a_model_costs_less_than_the_first(bundled):
    """GPT-4o costs $226 for all kinds of work, GPT-5.2 $223; of grade B gpt-oss-120b $16 is least.

    Grok 4.5, the best of grade B that costs less, would save a tenth.
    """
    used = in_use(ask(bundled, Question.of(suite="", required=US), DAY), "GPT-4o (2024-11-20)")
    costs = [round(it.candidate.cost.likely) for it in used.named]
    assert (round(used.cost.likely), costs) == (226, [223, 16])
    title = replacing.in_its_place(used, 54).title
    assert title.endswith(" or with gpt-oss-120b, which would save about $210 a month")


def test_a_rise_in_severe_harm_is_said_first_over_all_evidence(bundled):
    """NOHARM: severe harm in 12.2 % of cases by Llama 3.3 70B, in 17.5 % by Qwen3-32B.

    Qwen3-32B costs less than DeepSeek V3.2, which is not marked, and so is named where it is there.
    """
    used = in_use(ask(bundled, Question.of(suite="", required=US), DAY), "Llama 3.3 70B Instruct")
    assert used.replaced_by.candidate.model.name == "DeepSeek V3.2"
    used = replace(used, places=tuple(it for it in used.places if it.is_marked))
    assert used.replaced_by.candidate.model.name == "Qwen3-32B (not thinking)"
    said = replacing.in_its_place(used, 54)
    assert said.after.startswith(
        "With Qwen3-32B (not thinking), severe harm rises from 12.2 to 17.5 % of cases"
    )
    assert said.title.endswith(", which saves about $45 a month")
    # Groq names two in its place; of the first what is known is said.
    assert "Groq names gpt-oss-120b in its place: in the upper third of one" in said.before


def test_a_mark_for_severe_harm_is_said_of_what_is_named(bundled):
    """Qwen3-32B and GPT-4o differ too little for a rise, but 17.5 % is a mark."""
    asked = Question.of(suite="", task="patient-messages", required=US)
    used = in_use(ask(bundled, asked, DAY), "GPT-4o (2024-08-06)")
    assert used.replaced_by.candidate.model.name == "Qwen3-32B (thinking)"
    assert replacing.in_its_place(used, 54).after.startswith(
        "Qwen3-32B (thinking): Severe harm in 17.5 % of 100 cases"
    )


def test_a_dearer_replacement_says_what_it_costs_more(bundled):
    """For 50,000 requests Mistral Large 3 costs $73 a month, GPT-5.2 in Azure's EU zone $829."""
    asked = Question.of(suite="", task="documentation", required=EU, requests_per_month=50_000)
    used = in_use(ask(bundled, asked, DAY), "Mistral Large 3 (2512)")
    by = used.replaced_by.candidate
    assert (by.model.name, round(used.cost.likely), round(by.cost.likely)) == ("GPT-5.2", 73, 829)
    assert replacing.in_its_place(used, 31).title.endswith(
        "did better in Diagnoses (Portuguese) and costs about $756 a month more"
    )


def test_a_few_dollars_more_do_not_name_a_lower_grade(bundled):
    """In place of o3 at $194, gpt-oss-120b (A) saves $179 and Nova Micro (D) $191 a month."""
    asked = Question.of(suite="", task="decision-support", required=US)
    used = in_use(ask(bundled, asked, DAY), "o3 (2025-04-16)")
    saved = {it.candidate.model.name: round(it.saves.likely) for it in used.places if it.saves}
    assert (saved["gpt-oss-120b"], saved["Nova Micro 1.0"]) == (179, 191)
    assert replacing.in_its_place(used, 54).title == (
        "Replace o3 (2025-04-16): start with gpt-oss-120b, which would save about $179 a month"
    )


@pytest.mark.parametrize(
    ("day", "is_told"), [(date(2026, 9, 11), False), (date(2026, 9, 12), True)]
)
def test_new_customers_hear_ninety_days_before_a_platform_refuses_them(bundled, day, is_told):
    """Azure refuses new customers of GPT-5.2 from 11 December; 12 September is 90 days before."""
    asked = Question.of(suite="", task="documentation", platforms=(AZURE,))
    found = market(ask(bundled, asked, DAY))
    told = words.to_know_first(found, day, 0, None)
    said = "Azure takes no new customers from 11 December 2026."
    assert (("GPT-5.2", said) in told) == is_told


def test_a_replacement_that_closes_to_new_customers_says_by_when(bundled):
    asked = Question.of(suite="", required=US)
    said = replacing.to_know_of_move(in_use(ask(bundled, asked, DAY), "GPT-4o (2024-11-20)"))
    assert ("GPT-5.2", "Azure takes no new customers from 11 December 2026.") in said


def test_what_has_a_grade_that_no_other_has_is_kept(bundled):
    asked = ask(bundled, Question.of(suite="", task="documentation"), DAY)
    said = replacing.in_its_place(in_use(asked, "GPT-5 mini (2025-08-07)"), 67)
    # OpenAI ends it in December.
    none = "no other model that you can buy has its grade (A)"
    assert said.title == f"Keep GPT-5 mini (2025-08-07) at Azure: {none}"
    # LMArena has it too, 69th of 254, but as a general test.
    assert said.after.endswith("; 1st of 13 in MedHELM and 1st of 46 in Diagnoses (Portuguese).")


def test_on_own_servers_nothing_larger_takes_a_models_place(bundled):
    """By 5 % at most; a better one may, though nobody knows what it costs."""
    own = Question.of(suite="", task="billing-administration", access="own")
    used = in_use(ask(bundled, own, DAY), "Llama 3.3 70B Instruct")
    sizes = [it.candidate.model.params_b or 0.0 for it in used.places]
    assert 70 < max(sizes) <= 1.05 * used.model.params_b
    own = own.having(task="decision-support")
    by = in_use(ask(bundled, own, DAY), "Qwen2.5-7B-Instruct").replaced_by
    assert (by.candidate.model.name, by.candidate.cost.likely) == ("Qwen3-4B-Thinking-2507", None)
    assert by.better_in == ("BRIDGE",)


def test_a_replacement_is_said_with_its_reason_not_a_tied_cost(bundled):
    """Claude Opus 5 costs $575 where GPT-5.5 costs $579, 0.6 % less, and is above it in χ-Bench."""
    asked = Question.of(suite="", required=US)
    used = in_use(ask(bundled, asked, DAY), "GPT-5.5")
    assert [round(it.likely) for it in (used.cost, used.replaced_by.candidate.cost)] == [579, 575]
    assert replacing.in_its_place(used, 67).title == (
        "GPT-5.5 can be replaced by Claude Opus 5, which did better in χ-Bench under another agent "
        "harness"
    )


def test_weights_that_may_not_be_kept_are_not_said_to_stay(bundled):
    """AWS ends DeepSeek R1 on 30 March 2027; a vendor's service alone is asked for."""
    asked = Question.of(suite="", access="vendor", required=US)
    for only in (asked, asked.having(platforms=(AWS,))):
        said = replacing.in_its_place(
            in_use(ask(bundled, only, DAY), "DeepSeek R1 (2025-01-20)"), 54
        )
        assert said.before.startswith(
            "For existing customers only, until 30 March 2027, at AWS Bedrock"
        )
        # Four months, where six are asked; whether anybody else sells it is not known.
        assert said.title.startswith("Replace DeepSeek R1 (2025-01-20): start with ")
    for kept, where in (
        (asked.having(access="any"), ""),
        (asked.having(on_sale_months=3), " at AWS"),
    ):
        said = replacing.in_its_place(
            in_use(ask(bundled, kept, DAY), "DeepSeek R1 (2025-01-20)"), 54
        )
        assert said.title.startswith(f"Keep DeepSeek R1 (2025-01-20){where}, or test ")


def test_the_cheapest_is_said_of_those_that_did_well_and_of_all(bundled):
    found = market(ask(bundled, ON_AZURE.having(task="documentation"), DAY))
    said = words.cheapest(found)
    assert said[0].startswith("The cheapest of grade A or B: DeepSeek V3.2 (B), ")
    assert said[1].startswith("The cheapest that you can buy: GPT-6 luna, about $")
    assert said[1].endswith(" (never tested).")
    well = tuple(it for it in found.buyable if it.grade == "B")
    assert words.cheapest(replace(found, buyable=well))[1] == "Nothing that you can buy costs less."
    others = tuple(it for it in found.buyable if it not in well)
    none = "No model that you can buy has grade A or B."
    assert words.cheapest(replace(found, buyable=others))[0] == none
    unpriced = tuple(replace(it, cost=unknown_cost(it.model.id)) for it in well)
    not_known = "The cost of the models of grade A and B is not known."
    assert words.cheapest(replace(found, buyable=(*unpriced, *others)))[0] == not_known
    assert words.cheapest(replace(found, buyable=unpriced)) == (
        "No cost is known for anything you can buy.",
        "",
    )


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


def test_the_newest_test_is_one_that_has_a_model_of_the_market(bundled):
    at_azure = market(ask(bundled, ON_AZURE.having(task="documentation"), DAY))
    assert words.newest_test(at_azure) == "2026-03-30"
    days = {suite: day for suite, _, _, day in at_azure.columns}
    assert max(days.values()) == days["germedbench"]
    # MedHELM prints no day, and that on which it was read, 21 November, is not a day of a test.
    assert days["medhelm"] == ""
    anywhere = Question.of(suite="", task="documentation", access="open")
    assert words.newest_test(market(ask(bundled, anywhere, DAY))) == "2026-03-30"
    eu = Question.of(suite="", task="research", required=("region_eu",))
    assert words.newest_test(market(ask(bundled, eu, DAY))) == ""


def test_what_its_maker_ends_is_said_of_a_model_kept_elsewhere(bundled):
    """Anthropic ends Sonnet 4.5 on 30 November; Google has named no day."""
    asked = ON_AZURE.having(platforms=(GOOGLE,))
    used = in_use(ask(bundled, asked, DAY), "Claude Sonnet 4.5 (20250929)")
    before, title, _ = replacing.in_its_place(used, 17)
    assert "On sale at Google Vertex AI, no end known" in before
    assert "Its own maker (Anthropic API) sells it only until 30 November 2026." in before
    assert title.startswith(
        "Keep Claude Sonnet 4.5 (20250929), or test Claude Opus 5, which would cost about $297 a "
        "month more: no test shows"
    )
    # Until 24 January 2027, and six months are asked.
    ((_, said),) = replacing.to_know_of_move(used)
    assert "not promised for the months you require: Claude Opus 5 (assured until 24 Jan" in said
    anywhere = in_use(ask(bundled, asked.having(platforms=()), DAY), "Claude Sonnet 4.5 (20250929)")
    assert anywhere.by_maker is None
    assert replacing.in_its_place(anywhere, 17).before.count("at Anthropic API") == 1


def test_an_end_in_effect_is_still_said_of_a_model_in_use(bundled):
    asked = ON_AZURE.having(platforms=())
    used = in_use(ask(bundled, asked, date(2026, 11, 30)), "Claude Sonnet 4.5 (20250929)")
    before = replacing.in_its_place(used, 17).before
    assert "No longer sold at Anthropic API since 30 November 2026 and at Azure" in before


def test_a_platform_under_contract_names_its_own_in_a_models_place(bundled):
    """OpenAI names GPT-6 luna in place of GPT-4o, Microsoft GPT-5.1."""
    for platforms, says, name in [
        ((), "OpenAI API", "GPT-6 luna"),
        ((AZURE,), AZURE, "GPT-5.1 (2025-11-13)"),
        ((GOOGLE,), "OpenAI API", "GPT-6 luna"),
    ]:
        asked = ON_AZURE.having(platforms=platforms)
        used = in_use(ask(bundled, asked, DAY), "GPT-4o (2024-11-20)")
        assert (used.named_by, used.successor) == (says, name)


def test_of_two_offers_at_a_platform_that_sold_longer_has_the_price(bundled):
    """Azure sells Kimi K2.5 at $0.60 and $3 to January, by Fireworks at $0.66 and $3.30 to July."""
    found = market(ask(bundled, ON_AZURE, DAY))
    (kimi,) = [each for each in found.buyable if each.model.name == "Kimi K2.5"]
    price, sale = kimi.cost.price, kimi.best_offer.sale
    assert (price.input_usd_per_mtok, price.output_usd_per_mtok) == (0.66, 3.3)
    assert sale.until == "2027-07-01"


def test_a_test_without_english_names_its_languages(bundled):
    """BRIDGE tests codes on nine Spanish texts and a Chinese one, and replies in English too."""
    found = {
        work: market(ask(bundled, Question.of(suite="", task=work), DAY)).buyable
        for work in ("billing-administration", "patient-messages", "documentation")
    }

    def said(work, name):
        (one,) = [each for each in found[work] if each.model.name == name]
        return [candidate.test_name(line) for line in one.lines]

    assert said("billing-administration", "gpt-oss-120b")[0] == "BRIDGE (Spanish and Chinese)"
    assert said("patient-messages", "gpt-oss-120b")[0] == "BRIDGE"
    # The name of a suite says it already.
    assert "Diagnoses (Portuguese)" in said("documentation", "GPT-5.2")


def test_a_name_that_a_suite_writes_without_a_version_says_so(bundled):
    found = market(ask(bundled, ON_AZURE, DAY))
    (one,) = [each for each in found.buyable if each.model.name == "GPT-5.2"]
    kinds = {line.tested.suite: line.tested.kind for line in one.lines}
    assert kinds["livemedbench"] == "version not stated"


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


def test_a_suite_tells_a_sale_as_all_evidence_does(bundled):
    """BRIDGE's best fits one GPU of one's own; AWS assures GPT-5.5 a year from its launch."""
    ours = Question.of(suite="bridge", access="own", gpu="H100 80GB", gpus_owned=1)
    kept = shortlist(ask(bundled, ours, DAY)).rows[0]
    # Under conditions that no platform is known to meet it can be kept too, whoever sells it.
    either = shortlist(ask(bundled, Question.of(suite="bridge", required=US), DAY)).rows
    named = {row.model.name: row for row in either}["Qwen3-Next-80B-A3B-Thinking"]
    for each in (kept, named):
        assert tiles(each)[3][1:] == ("no end", "open weights, kept on own servers")
    psych = Question.of(suite="healthbench-psych", required=US)
    sold = {row.model.name: row for row in shortlist(ask(bundled, psych, DAY)).rows}["GPT-5.5"]
    here = market(ask(bundled, psych.having(suite="", task="patient-messages"), DAY))
    same = next(it for it in here.buyable if it.model.name == "GPT-5.5")
    assert (
        tiles(sold)[3].figure == candidate.product_tiles(same)[3].figure == "23 April 2027 or later"
    )


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


@pytest.mark.parametrize(
    ("model", "budget", "title"),
    [
        # GPT-5.2 costs about $223 a month; no other model of its grade costs less than $250.
        ("GPT-5.2", 200.0, "No other model that you can buy within your budget has its grade (A)"),
        (
            *("GPT-5.2", 250.0),
            "Keep GPT-5.2: no other model that you can buy within your budget has its grade (A)",
        ),
        # $464 a month, of the same grade.
        ("Claude Opus 4.6", 250.0, "To stay within your budget, test GPT-5.2 in its place"),
    ],
    ids=["over it alone", "within it", "over it with another"],
)
def test_a_model_over_the_budget_is_not_advised(bundled, model, budget, title):
    asked = Question.of(suite="", required=US, monthly_budget_usd=budget)
    said = replacing.in_its_place(in_use(ask(bundled, asked, DAY), model), 40)
    is_over = f"{model} itself costs more than your budget." in said.before
    assert (said.title, is_over) == (title, not title.startswith("Keep"))


def test_what_a_maker_sells_no_longer_is_said_of_the_maker_alone():
    (ended,) = sold("fails", "gone", "2026-01-01", "OpenAI API").at
    ended = replace(ended, read_on="2026-11-27", told=True)
    assert maker_sale(ended) == (
        "No longer sold at OpenAI API since 1 January 2026 (you were told on 27 November 2026)."
    )


def a_candidate(name, *, grade="E", usd=None, state="", platform="Vendor", **offer):
    """A product that one platform sells, never tested, at a cost that is not known unless given."""
    (sale,) = sold("passes", state, "2027-05-01", platform).at if state else (None,)
    given = {"standing": "buyable", "terms": None, "monthly_usd": usd} | offer
    cost = a_cost(name, usd) if usd else a_cost(name, why="no price")
    return Candidate(a_model(name), grade, (), (Offer(platform, sale=sale, **given),), cost, None)


def a_market(*buyable, ask=(), strength="shortlist", **choice):
    names = tuple(each.model.id for each in buyable[:2])
    return Market("work", "", buyable, ask, (), MarketChoice(strength, names, **choice), ())


A, B, C = (a_candidate(name, usd=usd) for name, usd in (("A", 9.0), ("B", 5.0), ("C", None)))


@pytest.mark.parametrize(
    ("found", "before", "title", "after"),
    [
        (
            a_market(strength="nothing"),
            *("", "No model is known to meet all of this"),
            "Every model on sale fails one of your conditions or limits.",
        ),
        (
            a_market(ask=(A,), strength="nothing"),
            *("", "No model is known to meet all of this"),
            "One model might: a condition, or how long it is sold, is not known. Ask first.",
        ),
        (
            a_market(A, B, C),
            *("None of the 3 models you can buy was tested on notes.", "Start with A and B"),
            "Related tests speak for them.",
        ),
        (
            a_market(A, strength="take"),
            *("The only model you can buy was never tested on notes.", "Take A"),
            "Related tests speak for them.",
        ),
        (
            a_market(A, B, none_tested=True),
            *("", "No model that you can buy was tested on this work", "Newest: A and B."),
        ),
    ],
)
def test_where_nothing_was_tested_the_headline_says_so_first(found, before, title, after):
    said = words.market_headline(found, "notes")
    assert (said.before, said.title, said.after) == (before, title, after)


def test_a_language_is_said_of_what_was_never_tested_in_it(bundled):
    german = ON_AZURE.having(platforms=(), task="documentation", language="German")
    said = words.market_headline(market(ask(bundled, german, DAY)), "documentation")
    assert said.before.endswith(" were never tested on documentation in German.")


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


def test_what_is_marked_for_harm_is_said_of_each_that_is_named():
    marked = replace(A, harm=a_harm(0.175, marked=True))
    said = words.to_know_first(a_market(B, marked), DAY, 1, None)
    told = "Severe harm in 17.5 % of 100 cases, caution; physicians 16.7 %, no difference shown."
    assert ("A", told) in said
    assert candidate.harm_short(marked) == "17.5 %, caution"
    assert candidate.product_tiles(marked)[2].about.startswith("of 100 cases, caution; ")
    mild = replace(A, harm=a_harm(0.1))
    assert words.to_know_first(a_market(B, mild), DAY, 1, None) == []


def test_the_best_grade_is_explained_where_it_is_not_named(bundled):
    rented = Question.of(suite="", access="own", task="documentation")
    said = words.to_know_first(market(ask(bundled, rented, DAY)), DAY, 2, None)
    assert (
        "",
        "DeepSeek R1 (2025-01-20) has the better grade (A), but gemma-2-27b-it has the better "
        "place in BRIDGE.",
    ) in said
    first = words.to_know_first(market(ask(bundled, ON_AZURE, DAY)), DAY, 2, None)
    assert not any("better grade" in it for _, it in first)


def test_old_facts_about_those_named_come_first_to_know(bundled):
    found = market(ask(bundled, ON_AZURE, DAY))
    ((_, said),) = [
        it for it in words.to_know_first(found, DAY, 2, None) if it[1].startswith("Old")
    ]
    # What Azure says of training is of 1 October 2025, and its agreement has no day; its page on
    # sale was read on 2 September, 86 days before.
    assert said == (
        "Old facts: conditions (read 1 October 2025) and conditions (undated). Ask the vendor "
        "before you sign."
    )
    later = words.to_know_first(found, date(2026, 12, 5), 2, None)
    assert any("sale (read 2 September 2026)" in said for _, said in later)


def test_a_known_age_is_not_hidden_by_an_unknown_one():
    terms = [OldFact("terms", "A", AZURE, day) for day in ("2025-10-01", "", "2025-12-05")]
    said = old_in_words([*terms, OldFact("sale", "A", AZURE, "2026-08-21")])
    assert said == (
        "Old facts: conditions (read 1 October 2025), conditions (undated) and sale (read 21 "
        "August 2026). Ask the vendor before you sign."
    )


def test_a_better_grade_that_only_the_budget_leaves_out_is_named(bundled):
    """The cheapest of those that can be bought without the budget, by grade and cost."""
    asked = Question.of(suite="", required=US, task="prior-authorisation")
    free = market(ask(bundled, asked, DAY))
    dearer = [it for it in free.buyable if it.grade in "AB" and (it.cost.for_budget or 0) > 5000]
    least = min(dearer, key=lambda it: it.cost.for_budget)
    tight = market(ask(bundled, asked.having(monthly_budget_usd=5000.0), DAY))
    places = [
        [of for of, it in words.to_know_first(tight, DAY, n, 5000.0) if "χ-Bench, " in it]
        for n in (0, 1, 2)
    ]
    assert [len(of) for of in places] == [2, 1, 0]  # A tile says it of those that have one.
    assert {it.grade for it in tight.named()} == {"C"}
    told = [it for _, it in words.to_know_first(tight, DAY, 2, 5000.0) if "budget" in it]
    assert told == [
        f"Better graded, but over your budget: {least.model.name} (grade {least.grade}, "
        f"{figures.money(least.cost)}), the cheapest of {figures.count(len(dearer))}."
    ]
    assert not any("budget" in it for _, it in words.to_know_first(free, DAY, 2, None))


def test_what_was_chosen_and_cannot_be_bought_is_told_at_the_answer(bundled):
    chosen = ("GPT-5.2", "Gemini 3.1 Pro (preview)", "o3-mini (2025-01-31)", "No such model")
    asked = Question.of(suite="", required=US, only=chosen)
    said = dict(words.to_know_first(market(ask(bundled, asked, DAY)), DAY, 2, None))
    assert said["Gemini 3.1 Pro (preview)"].startswith("Ask Google ")
    assert said["No such model"] == "Chosen by you, but this evidence has no such model."
    assert said["o3-mini (2025-01-31)"]
    poor = market(ask(bundled, asked.having(monthly_budget_usd=9.0), DAY))
    over = [of for of, it in words.to_know_first(poor, DAY, 2, 9.0) if "Over your budget" in it]
    assert {*over} == {"GPT-5.2", "Gemini 3.1 Pro (preview)"}
    many = tuple(it.model.name for it in market(ask(bundled, Question.of(suite=""), DAY)).ask)
    several = words.to_know_first(market(ask(bundled, asked.having(only=many), DAY)), DAY, 2, None)
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
    said = dict(words.to_know_first(found, DAY, 2, None))
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


def test_how_sure_compares_what_can_be_bought_alone(bundled):
    over_all = ask(bundled, Question.of(suite="", required=US, task="documentation"), DAY)
    bridge = ask(bundled, Question.of(suite="bridge", required=US, task="documentation"), DAY)
    whole = market(over_all)
    rows = shortlist(among_the_market(bridge, whole)).rows
    sold = {line.tested.tested_as for it in whole.buyable for line in it.lines}
    assert {row.model.id for row in rows} <= sold
    assert "gemma-2-27b-it" in {row.model.id for row in shortlist(bridge).rows} - sold
    with pytest.raises(TooFewError, match="none of the models that you can buy"):
        among_the_market(bridge, replace(whole, buyable=()))


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


def test_one_suite_says_how_many_of_those_named_it_has(bundled):
    found = market(ask(bundled, ON_AZURE.having(task="documentation"), DAY))
    suites = ("bridge", "germedbench", "noharm-ai-diagnoses")
    assert [found.n_named_in(suite) for suite in suites] == [0, 1, 2]
    assert words.named_in(found, "noharm-ai-diagnoses", "NoHarm.ai") == ""
    third = replace(found.buyable[-1], lines=())
    three = replace(
        found,
        buyable=(*found.named(), third),
        choice=replace(found.choice, names=(*found.choice.names, third.model.id)),
    )
    said = words.named_in(three, "noharm-ai-diagnoses", "NoHarm.ai")
    assert said.startswith("Only two of the three models named under Answer are in NoHarm.ai.")


@pytest.mark.parametrize(
    ("task", "told"),
    [
        ("prior-authorisation", "No test of this work shows that GPT-5.6 sol differs from "),
        (
            "care-management",
            "Tests of this work put Claude Opus 4.6 below Claude Opus 5 and Claude Opus 4.7 "
            "probably below Claude Opus 5.",
        ),
    ],
)
def test_those_named_are_judged_where_a_test_has_both(bundled, task, told):
    """All four are in χ-Bench: the gaps are those of its printed scores."""
    asked = ask(bundled, Question.of(suite="", task=task, required=US), DAY)
    found = market(asked)
    first, *others = found.named()
    value = {it.model.id: it.of("direct")[0].tested.value for it in found.named()}
    compared = named_compared(asked, found)
    assert [each for each, _ in compared] == others
    for each, ((suite, judged),) in compared:
        gap = value[each.model.id] - value[first.model.id]
        assert (suite, judged.difference.difference) == ("χ-Bench", pytest.approx(gap))
    said, each = words.named_in_words(found, compared, 0.02)
    assert said.startswith(told)
    assert each[-1][1].startswith("χ-Bench: Worse than " if "below" in told else "χ-Bench: Whether")
    ((_, none),) = words.named_in_words(found, [(others[0], ())], 0.02)[1]
    assert none == f"No test of this work has both this model and {first.model.name}."


def test_a_better_grade_for_existing_customers_alone_is_said(bundled):
    found = market(ask(bundled, ON_AZURE.having(task="documentation"), DAY))
    said = [it for _, it in words.to_know_first(found, DAY, 2, None) if "existing" in it]
    assert said == [
        "Better graded, but for existing customers only: GPT-5 mini (2025-08-07) (grade A, about "
        "$22 a month, at Azure until 13 July 2027)."
    ]


def test_what_one_suite_lacks_of_those_named_is_said_of_a_move(bundled):
    used = in_use(ask(bundled, ON_AZURE.having(task="documentation"), DAY), "GPT-4o (2024-11-20)")
    assert replacing.not_compared(used, "bridge", "BRIDGE") == (
        "GPT-5.2 and DeepSeek V3.2, named under Candidates, are not in BRIDGE."
    )
    assert replacing.not_compared(used, "noharm-ai-diagnoses", "NoHarm.ai") == ""


def test_two_modes_that_are_sold_under_one_name_are_named_once(bundled):
    """Bedrock sells Qwen3-32B with and without thinking under one name; both were best placed."""
    asked = Question.of(suite="", task="patient-messages", required=US, monthly_budget_usd=50.0)
    names = market(ask(bundled, asked, DAY)).choice.names
    assert sum("Qwen3-32B" in name for name in names) == 1
    assert len(names) == 2


def test_what_is_decided_on_each_that_is_named():
    assert decisions(a_market(A, B, strength="take")) == {"A": "take", "B": "take"}
    assert decisions(a_market(A, B)) == {"A": "test first", "B": "test"}


def test_the_cheapest_of_a_good_grade_has_a_known_cost():
    a, b = replace(A, grade="A"), replace(B, grade="A")
    assert words.cheapest(a_market(a, b, C)) == (
        "The cheapest of grade A or B: B (A), about $5.00 a month.",
        "Nothing that you can buy costs less.",
    )


@pytest.mark.parametrize(
    ("each", "asked"),
    [
        (
            a_candidate("m", state="existing customers only", standing="ask"),
            "Vendor refuses new customers: do you have it already?",
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


USED = InUse(
    *(a_model("Used"), "C", (), sold("passes", "assured"), False, a_cost("Used", 10.0)),
    *(None, "", "", None, ()),
)


@pytest.mark.parametrize(
    ("fields", "title", "named"),
    [
        ({}, "Keep Used: no other model that you can buy has its grade (C)", ()),
        # What costs more, or as much, is not a reason to leave; what has ended has to be left.
        ({"places": (A, C)}, "Keep Used, or test A: no test shows a model to be as good", "A"),
        ({"places": (A, B)}, "Keep Used, or test A and B: no test shows a model to be as", "AB"),
        ({"places": (C, A)}, "Keep Used, or test C: no test shows a model to be as good", "C"),
        ({"places": (A, C), "has_ended": True}, "Replace Used: start with A and C", "AC"),
        ({"places": (A,), "sale": sold("fails", "gone")}, "Replace Used: start with A", "A"),
    ],
)
def test_a_model_in_use_stays_unless_it_has_ended(fields, title, named):
    saves = {"A": Saving(-1.0, 0.0, 1.0), "B": Saving(1.0, 5.0, 9.0), "C": None}
    places = tuple(InItsPlace(it, (), saves[it.model.id]) for it in fields.get("places", ()))
    used = replace(USED, **fields | {"places": places})
    assert "".join(it.candidate.model.id for it in used.named) == "".join(named)
    assert replacing.in_its_place(used, 3).title.startswith(title)
    assert "names in its place" not in replacing.in_its_place(used, 3).before
    heir = replacing.in_its_place(
        replace(used, successor="Heir", named_by=AZURE, successor_grade="E"), 3
    ).before
    assert heir.endswith("Azure names Heir in its place: never tested on this work.")


def test_harm_that_was_never_tested_is_said_of_a_move():
    used = replace(USED, harm=a_harm(0.092), places=(InItsPlace(A, (), None),))
    said = replacing.in_its_place(used, 2).after
    assert "A: never tested for severe harm; with Used it is 9.2 %." in said


@pytest.mark.parametrize(
    ("required", "tested"),
    # Databricks sells it, with a BAA on a condition; on training no source says anything.
    [((), ["Llama 3.3 70B Instruct"]), (("baa",), ["Llama 3.3 70B Instruct"]), (US, [])],
    ids=["none", "BAA", "US"],
)
def test_one_suite_says_how_much_of_the_market_it_tested(bundled, required, tested):
    within = ask(bundled, Question.of(suite="medhelm", required=required), DAY)
    here, beyond = of_the_market(within)
    over_all = market(ask(bundled, Question.of(suite="", required=required), DAY)).buyable
    assert {each.model.id for each in (*here, *beyond)} == {each.model.id for each in over_all}
    # Of MedHELM's thirteen Llama 3.3 alone is sold for six months to whoever comes.
    assert [each.model.name for each in here] == tested


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
    kinds = Question.of(own_tokens=own, min_context_tokens=9_000, context_tokens=8_192)
    assert kinds.to_meet.min_context_tokens == 21_500
    assert kinds.servers.context_tokens == 21_500


@pytest.mark.parametrize(
    ("changes", "common"),
    [
        # GPT-5.2 has tests of decisions and of documents, Opus 5 of care management and messages.
        ({}, False),
        # GPT-5.2 and Sonnet 4.5 stand both in NoHarm.ai, a test of documents.
        ({"monthly_budget_usd": 300.0}, True),
        ({"task": "documentation"}, True),
    ],
    ids=["all kinds", "two with one test", "one kind"],
)
def test_no_single_work_with_a_test_of_all_named_is_said(bundled, changes, common):
    found = market(ask(bundled, Question.of(suite="", required=US, **changes), DAY))
    assert found.has_common_work == common
    said = [
        it
        for _, it in words.to_know_first(found, DAY, 0, None)
        if "No kind of work has tests of" in it
    ]
    assert bool(said) != common


def test_why_a_lower_grade_is_named_among_the_best_is_said(bundled):
    # Of 17 Portuguese stays Opus 4.5 is one place before Opus 4.6, and nothing else has both.
    eu = Question.of(suite="", required=EU, platforms=(AWS,))
    said = dict(words.to_know_first(market(ask(bundled, eu, DAY)), DAY, 2, None))
    assert said["Claude Opus 4.5 (20251101)"] == (
        "Grade B, named because it is placed above Claude Opus 4.6 in Diagnoses (Portuguese)."
    )


def test_a_name_taken_from_a_lower_grade_is_explained(bundled):
    """For research Azure sells one product of grade B."""
    found = market(ask(bundled, ON_AZURE.having(task="research"), DAY))
    assert found.choice.filled_from == ("DeepSeek V3.2",)
    said = dict(words.to_know_first(found, DAY, 2, None))["DeepSeek V3.2"]
    assert "Added as a second model: general or related tests only (D)." in said


def test_where_nothing_is_to_be_agreed_on_is_said(bundled):
    zero = ON_AZURE.having(required=("baa", "zero_data_retention"), task="documentation")
    found = market(ask(bundled, zero.having(platforms=(AZURE, AWS)), DAY))
    said = words.to_know_first(found, DAY, 0, None)
    assert dict(said)["DeepSeek V3.2"].startswith(
        "In the middle third of Diagnoses (Portuguese), 17th of 46. "
        "To be agreed with Azure: zero retention. "
        "Nothing to agree on at AWS, about $18 a month."
    )
    about = [model for model, _ in said if model]
    assert len(about) == len(set(about)) > 1, "each model once"
    # That no day is allowed comes to the same, and is said once where both are asked.
    both = market(ask(bundled, zero.having(max_retention_days=0), DAY)).buyable
    agreed = [candidate.to_agree(it) for it in both if it.model.name == "DeepSeek V3.2"]
    assert agreed == ["To be agreed with Azure: zero retention."]
    # GPT-5.2 is sold at Azure alone of the two.
    assert "Nothing to agree" not in dict(said)["GPT-5.2"]


def test_the_cheapest_named_is_told_where_no_tile_shows_it(bundled):
    found = market(ask(bundled, ON_AZURE.having(task="documentation", platforms=(AZURE, AWS)), DAY))
    assert [it.model.name for it in found.named()].index("DeepSeek V3.2") == 3
    assert round(found.named()[3].cost.likely) == 17
    said = ("", "The cheapest of these: DeepSeek V3.2, about $17 a month.")
    assert [said in words.to_know_first(found, DAY, n, None) for n in (2, 3, 4)] == [
        *(True, True),
        False,
    ]
    # On Azure alone it is second of two, and its tile has the cost.
    two = market(ask(bundled, ON_AZURE.having(task="documentation"), DAY))
    assert not any("cheapest" in it for _, it in words.to_know_first(two, DAY, 2, None))


def test_of_mixed_results_nobody_says_that_none_did_well(bundled):
    """Qwen3-32B is 12th and 27th of 98 in BRIDGE, and 29th of 32 in NOHARM: grade C."""
    asked = Question.of(suite="", required=US, monthly_budget_usd=300.0, max_params_b=33.0)
    found = market(ask(bundled, asked, DAY))
    assert not graded(found.buyable, "A") | graded(found.buyable, "B")
    said = words.market_headline(found, "all kinds of work")
    assert said.after.startswith(
        "Two of the 3 models you can buy did well in one test of this work and not in another"
    )


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
