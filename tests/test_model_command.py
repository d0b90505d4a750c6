"""A model by any name, two of them, and two runs: worked out from the snapshots by plain means."""

from dataclasses import replace
from datetime import date

import pandas as pd
import pytest

from core.answers import bills, market, replacing
from core.answers import model as one_model
from core.answers.asked import ask
from core.answers.data import product_prices, unjoined
from core.answers.other_suites import second_opinions
from core.commands import models
from core.domain import BadRequestError, OnServers, Question
from core.evidence.store import open_store
from core.words import model as sentences
from core.words.candidate import about_line
from core.words.recommendation import safety_in_words
from tests.conftest import a_model, keep_table, score_table
from tests.procurement.building import a_cost, a_price, sold, some_servers

PLACES = {
    # Means of MedHELM's five kinds of work, BRIDGE's 87 tasks, NOHARM's three dimensions, χ-Bench's
    # three domains and MedAgentsBench's seven sets; LMArena's rating; Vectara's share.
    "Claude Opus 5": {"chi-bench": (1, 41, 0.3733)},
    "Gemini 3.1 Pro": {"vectara-hhem": (53, 96, 10.4)},
    "DeepSeek R1": {
        "medhelm": (5, 13, 0.7498),
        "bridge": (2, 98, 0.4425),
        "noharm": (8, 32, 0.5887),
        "lmarena-medicine": (64, 254, 1416.449),
        "medagentsbench": (2, 10, 0.8035),
        "vectara-hhem": (65, 96, 11.3),
    },
    "Llama 3.3 70B": {
        "medhelm": (12, 13, 0.6863),
        "bridge": (21, 98, 0.3986),
        "noharm": (24, 32, 0.5163),
        "lmarena-medicine": (118, 254, 1352.198),
        "medagentsbench": (5, 10, 0.7501),
        "vectara-hhem": (4, 96, 4.1),
    },
    "gpt-oss-120b": {
        "bridge": (38, 98, 0.3724),
        "lmarena-medicine": (97, 254, 1373.4699),
        "vectara-hhem": (78, 96, 14.2),
    },
}
SUITES = {
    *("medhelm", "bridge", "noharm", "lmarena-medicine", "chi-bench", "medagentsbench"),
    *("open-medical-llm", "open-llm-v2", "benchhealth", "vectara-hhem"),
}


@pytest.mark.parametrize(("name", "places"), PLACES.items())
def test_a_model_has_its_place_in_every_suite_that_has_it(ask, name, places):
    found = [row for row in ask("model", name)["evidence"] if row["suite"] in SUITES]
    first = {row["suite"]: row for row in reversed(found) if row["rank"]}
    assert {s: (r["rank"], r["n"], round(r["value"], 4)) for s, r in first.items()} == places
    # Another run of the same model has no place: its own team made it.
    others = {
        (row["tested_as"], row["kind"], row["run_by"][:15]) for row in found if not row["rank"]
    }
    erius = ("anthropic/claude-opus-5 (erius)", "another harness", "run and reporte")
    assert others == ({erius} if name == "Claude Opus 5" else set())


def test_two_models_are_compared_by_the_runs_that_the_grades_take(ask):
    # GPT-5.2 is in HHEM at high effort, 60th with 10.8, and at low, 38th with 8.4.
    (met,) = ask("compare", "GPT-5.2", "GPT-5 mini")["apart"]
    assert (met["rank_a"], met["tested_as_a"]) == (60, "openai/gpt-5.2-high-2025-12-11")
    _, lines = market.grades(open_store(), "GPT-5.2", date(2026, 11, 28))["documentation"]
    (graded,) = (line for line in lines if line.tested.suite == "vectara-hhem")
    assert (graded.place, graded.tested.kind) == (60, "same version")
    assert about_line(graded, "").endswith(
        "tested as openai/gpt-5.2-high-2025-12-11, as openai/gpt-5.2-low-2025-12-11 38th"
    )


@pytest.mark.parametrize(
    ("other", "turned"),
    [
        ("GPT-4o (2024-08-06)", True),  # 47th, between both efforts
        ("GPT-5 mini", False),  # below both
    ],
)
def test_a_run_at_another_effort_that_turns_the_order_is_said(cli, other, turned):
    run = "With GPT-5.2 as openai/gpt-5.2-low-2025-12-11, 38th, the order in Vectara HHEM turns."
    for pair in ((other, "GPT-5.2"), ("GPT-5.2", other)):
        status, said, _ = cli("compare", *pair)
        assert status == 0
        assert (run in said) is turned
        assert ("turns" in said) is turned


def test_a_run_by_another_harness_turns_no_order(cli):
    """In χ-Bench Opus 4.7 is 7th, by another harness 14th; GLM-5.2 is 11th."""
    status, said, _ = cli("compare", "Claude Opus 4.7", "GLM-5.2")
    assert (status, "turns" in said, "(openclaw)" in said) == (0, False, False)
    assert "Claude Opus 4.7 is above in χ-Bench" in said


def test_a_suite_without_a_version_has_the_same_version_in_no_other(bundled):
    # NOHARM prints Gemini 2.5 Pro without a version; HealthBench Psych has its stable version.
    kinds = {it.kind for it in second_opinions(bundled, "Gemini 2.5 Pro", "noharm")}
    assert kinds == {"version not stated"}
    _, lines = market.grades(bundled, "Gemini 2.5 Pro", ON)["balanced"]
    assert "same version" in {it.tested.kind for it in lines}


@pytest.mark.parametrize(
    ("asked", "meant"),
    [
        ("claude-opus-4-6", "Claude Opus 4.6"),  # an id of the price list
        ("anthropic.claude-opus-4-8", "Claude Opus 4.8"),  # of a platform
        ("azure/gpt-5.2", "GPT-5.2"),  # the key of a price list
        ("LLAMA 3.3 70b", "Llama 3.3 70B Instruct"),  # folded, as NOHARM spells it
        ("gpt 5 mini", "GPT-5 mini (2025-08-07)"),
        ("opus 4 5", "Claude Opus 4.5 (20251101)"),  # a blank for the dot
        ("opus-4-5", "Claude Opus 4.5 (20251101)"),
        ("Qwen3-30B", "Qwen3-30B"),  # exactly one's name
        ("unsloth/gemma-7b", "Gemma 7B"),  # a mirror
        ("gpt-6-rosalind", "gpt-6-rosalind"),  # the price list alone has it
    ],
)
def test_every_spelling_leads_to_its_model(ask, asked, meant):
    assert ask("model", asked)["model"] == meant


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("GPT-5.6", "may be one of several: GPT-5.6 luna, GPT-5.6 sol, GPT-5.6 terra. Which"),
        ("GPT-4o", "GPT-4o (2024-11-20), GPT-4o (2024-08-06), GPT-4o (2024-05-13). Which one"),
        # One that no platform sells, for own servers alone, is as much of its family.
        ("medgemma", "medgemma-27b-it, medgemma-27b-text-it, medgemma-4b-it. Which one"),
        # An older one has the same words in another order.
        ("claude haiku", "4.5 (20251001), Claude 3.5 Haiku (20241022), claude-3-haiku-20240307. W"),
        # So has any that has a word before them.
        ("gemini flash", '"gemini flash" may be one of several: Gemini 3.8 Flash, Gemini 3.7 Fl'),
        # One that nobody sells has this folded name, and the others begin with it.
        ("qwen3 30b", "Qwen3-30B-A3B-Thinking-2507. Which one"),
        ("mistral medium", "Mistral Medium 3.1 (2508), mistral-medium. Which one"),
        ("chat gpt", '"chat gpt" may be one of several: GPT-'),
        ("gpt chat", '"gpt chat" may be one of several: GPT-'),
        ("radiology", 'No model is called "radiology". No name is similar.'),
        ("copilot", 'No model is called "copilot". No name is similar.'),
        ("BAA", 'No model is called "BAA". No name is similar.'),
        ("Gemni 3 Pro", 'No model is called "Gemni 3 Pro". The nearest: Gemini 3 Pro (preview), '),
        ("  ", "error: Give the name of a model."),
        ("=cmd|' /C'!A0", "No model is called"),
    ],
)
def test_an_unclear_name_lists_the_models_that_it_may_be(cli, asked, said):
    status, _, error = cli("model", asked)
    assert status == 2
    assert said in error
    if "nearest" in said:
        assert error.rpartition("nearest: ")[2].count(",") == 3  # five names


def test_one_that_nobody_tested_is_an_answer(ask, cli):
    found = ask("model", "GPT-6.1 sol")
    # OpenAI's prices of November 2026 and Azure's last day; the one that OpenAI ends for it.
    price = next(one for one in found["prices"] if one["platform"] == "OpenAI API")
    assert (price["platform"], price["input_usd_per_mtok"], price["output_usd_per_mtok"]) == (
        *("OpenAI API", 2.0),
        10.0,
    )
    assert {one["platform"]: one["until"] for one in found["sale"]}[
        "Azure OpenAI / Azure AI Foundry"
    ] == "2028-03-11"
    assert not [row for row in found["evidence"] if row["suite"] in SUITES]
    before = found["predecessor"]
    assert (before["name"], before["named_by"]) == ("GPT-5 (2025-08-07)", "OpenAI API")
    assert {row["suite"]: row["rank"] for row in before["evidence"]}["medhelm"] == 2
    assert "No public medical evidence as of " in cli("model", "GPT-6.1 sol")[1]


AZURE, AWS, VERTEX = "Azure OpenAI / Azure AI Foundry", "AWS Bedrock", "Google Vertex AI"
ON = date(2026, 11, 27)


@pytest.fixture
def known(bundled):
    return lambda name: one_model.known(bundled, one_model.called(bundled, name), ON)


@pytest.mark.parametrize(
    ("verdict", "where", "said"),
    [
        ("nowhere", ([], [], [], []), "No suite has both A and B: only a test on your own cases"),
        (
            *("above", (["X", "Y"], [], [], [])),
            "A has a better place than B in both suites that have both: X and Y. No difference is "
            "shown.",
        ),
        (
            *("below", ([], ["X", "Y", "Z"], [], ["Z"])),
            "A has a worse place than B in all 3 suites that have both: X, Y and Z. A difference "
            "is shown in Z.",
        ),
        (
            *("the suites part", (["X"], ["Y"], [], ["X", "Y"])),
            "The suites disagree. Compared with B, A is above in X, below in Y. A difference is "
            "shown in each.",
        ),
        (
            *("one suite", ([], [], ["X"], [])),
            "One suite has both: compared with B, A is level in X. No difference is shown.",
        ),
        (
            *("one suite", (["X"], [], [], ["X"])),
            "One suite has both: compared with B, A is above in X. A difference is shown in it.",
        ),
    ],
)
def test_two_models_are_compared_without_claiming_more_than_is_shown(verdict, where, said):
    assert sentences.compared_in_words(verdict, "A", "B", *where).startswith(said)


def test_a_month_names_each_way_and_who_may_have_its_price():
    nine, ten = a_cost("m", 9.0), a_cost("m", 10.0)
    at_home = a_cost("m", 10.0, basis=OnServers(some_servers()))
    both = {"lowest": nine, "with a BAA": ten, "own servers": at_home}
    told = sold("passes", "assured", platform="V")
    assert sentences.month_line(both, told) == (
        "This work: about $9.00 a month, Vendor; with a BAA about $10 a month, Vendor; about "
        "$10 a month, own servers: 2 × A at the lowest rent, capacity not published."
    )
    alike = both | {"with a BAA": nine}
    assert "Vendor, the same with a BAA;" in sentences.month_line(alike, told)
    closed = sold("question", "existing customers only", platform="V")
    assert sentences.month_line({"lowest": nine}, closed) == (
        "This work: about $9.00 a month, Vendor, for existing customers; no price is known with a "
        "BAA."
    )


@pytest.mark.parametrize(
    ("state", "lasts", "said"),
    [
        ("existing customers only", None, ", for existing customers only, until 30 March 2027"),
        ("ends", False, ", only until 30 March 2027"),
        ("ends", True, ""),
    ],
)
def test_a_cost_side_by_side_says_whose_price_ends(state, lasts, said):
    sale = sold("passes", state, platform="V")
    ends = replace(sale, at=(replace(sale.at[0], until="2027-03-30", lasts=lasts),))
    whole = sentences.cost_today("m", a_cost("m", 9.0), ends)
    assert whole.partition(" (read")[0] == f"m: about $9.00 a month, Vendor{said}"


def test_what_is_known_from_price_lists_alone_is_said_so():
    assert sentences.facts(a_model("m"), of_suites=False) == "Known from price lists alone."
    hidden = a_model("m", access="closed", reasoning=True)
    said = "Closed weights, size not known, reasons before it answers."
    assert sentences.facts(hidden, of_suites=True) == said
    unsold = sentences.price_line([], sold("question"))
    assert unsold == "No public price: ask the vendor."
    assert sentences.month_line({}, sold("question")) == ""
    nothing = sentences.questions_on_model("m", sold("question"), [], [], None, [])
    assert [said.partition(" ")[0] for said in nothing] == ["How", "How", "Until", "What", "Who"]


def test_a_price_of_tokens_has_its_cents_and_no_digit_less():
    for read, wrote, said in ((0.5, 10.0, "$0.50 read and $10.00"), (0.075, 0.3, "$0.075 read")):
        price = a_price("vendor", read, wrote)
        assert sentences.price_line([("Vendor", price)], sold("lasts")).startswith(said)


def test_an_end_that_azure_moved_is_said_with_the_page_of_before(known):
    """LiteLLM of 20 November, 79 days after Microsoft's page of 2 September; launched in August."""
    found = known("GPT-5 mini")
    here = found.sale.where(AZURE)
    assert (here.state, here.until, here.read_on) == (
        *("existing customers only", "2027-07-13"),
        "2026-11-20",
    )
    assert f"For existing customers only, until 13 July 2027, at {AZURE}" in "".join(
        sentences.elsewhere(found.sale)
    )
    asked = sentences.questions_on_model(
        "GPT-5 mini", found.sale, found.prices, found.terms, found.safety, found.evidence
    )
    assert f"Do you have it at {AZURE} already? New customers are refused." in asked
    assert (
        f"Until when does {AZURE} sell GPT-5 mini? Sources differ: The vendor's page of 2 "
        "September 2026 says 9 February 2027. Used here: 13 July 2027." in asked
    )


@pytest.mark.parametrize(
    ("name", "platform", "state", "until"),
    [
        # AWS: 12 months from the launch, which cannot be before the maker's own; its cards.
        ("Claude Opus 5", AWS, "assured", "2027-07-24"),
        ("Claude Sonnet 5", AWS, "assured", "2027-06-30"),
        ("GPT-5.6 sol", AWS, "assured", "2027-07-09"),
        ("GPT-5.6 terra", AWS, "assured", "2027-07-13"),
        ("Claude Opus 5.5", AWS, "assured", "2027-09-22"),
        # Not gone for three more days, whatever the page of September said; and gone since.
        ("Claude Sonnet 4.5", AZURE, "ends", "2026-11-30"),
        ("Claude Haiku 4.5", AZURE, "gone", "2026-11-15"),
        ("Gemini 2.5 Pro", "Google Gemini API", "existing customers only", "2026-12-01"),
        # Closed to new projects on 20 October; who has it keeps it, as Google's notice says.
        ("Gemini 2.5 Pro", VERTEX, "existing customers only", "2027-03-31"),
    ],
)
def test_a_platform_sells_until_the_day_of_its_newest_reading(known, name, platform, state, until):
    found = known(name)
    sale = found.sale.where(platform)
    assert (sale.state, sale.until) == (state, until)
    # Where it has ended it has no price.
    assert (platform in dict(found.prices)) == (state != "gone")


def test_nobody_is_asked_the_price_of_what_has_ended(known):
    found = known("Claude 2.1")
    assert found.sale.has_ended
    said = sentences.price_line(found.prices, found.sale)
    assert said == "No price: nobody sells it any more."
    told = (found.sale, found.prices, found.terms, found.safety, found.evidence)
    asks = sentences.questions_on_model("Claude 2.1", *told)
    assert not any("cost" in it or "BAA" in it for it in asks)
    # Weights that can be kept do not end with those who sold them.
    assert not replace(found.sale, kept=True).has_ended


def test_open_weights_that_nobody_sells_raise_no_question_to_a_seller(known):
    found = known("medgemma-27b-it")
    told = (found.sale, found.prices, found.terms, found.safety, found.evidence)
    asks = sentences.questions_on_model("medgemma-27b-it", *told)
    assert [it.partition(" ")[0] for it in asks] == ["How"]


PRICES = {
    AZURE: {"GPT-5.6 sol": (4, 20), "GPT-6.1 sol": (2, 10), "Claude Opus 5": (5, 25)}
    | {"DeepSeek V4 Pro": (1.74, 3.48), "gpt-oss-120b": (0.15, 0.6), "Command A Plus": None}
    # Nobody here tested these, nor the last, and each has a page.
    | {"Mistral Medium 3.5": (1.5, 7.5), "DeepSeek V4.1 Flash": (0.3, 1.2)},
    # Kimi K3.1 worldwide; 4.4 and 22 within the US.
    AWS: {"Mistral Large 3": (0.5, 1.5), "Nova 2 Lite": (0.3, 2.5), "Kimi K3.1": (4, 20)}
    | {"Palmyra X5": (0.6, 6)},
    VERTEX: {"Gemini 4 Argon": (2, 10), "Gemini 4 Hydrogen": (1.5, 7.5)},
    "Mistral La Plateforme": {"Mistral Large 4": (0.7, 2.1)},
    "Meta API": {"Muse Spark 1.3": (1.25, 4.25)},
}


@pytest.mark.parametrize("platform", PRICES)
def test_a_price_of_a_list_has_the_list_and_its_day(known, platform):
    for name, rates in PRICES[platform].items():
        listed = [
            (it.input_usd_per_mtok, it.output_usd_per_mtok, it.as_of)
            for at, it in known(name).prices
            if at == platform and it.source.startswith("litellm 1.110.2, ")
        ]
        # Azure ended one in October, so it has no price there.
        assert listed == ([(*rates, "2026-11-20")] if rates else []), name


def test_a_region_is_paid_at_its_own_price(bundled):
    """Azure's US zone and Google's regional endpoints cost a tenth more; no list, no price."""

    def at(name, platform, *regions, day=ON):
        found = product_prices(bundled, day, regions).get(name, ())
        return [it.input_usd_per_mtok for it in found if it.platform == platform]

    for platform, name in ((AZURE, "GPT-5.6 sol"), (VERTEX, "Claude Opus 5.5")):
        assert at(name, platform) == [4]
        assert at(name, platform, "US") == at(name, platform, "EU", "US") == [4.4]
    assert at("GPT-5.6 sol", AZURE, day=date(2026, 11, 12)) == [4]
    assert at("GPT-5.6 sol", AZURE, day=date(2026, 11, 11)) == []
    asked = Question.of(suite="medhelm", required=("region_us",), platforms=(AZURE,))
    name, lines = "GPT-5.6 sol", bills.workload_of(bundled, asked.demand)
    name = next(it.model for it in bundled.catalogue.crosswalk if it.product == name)
    (bill,) = bills.provider_bills(ask(bundled, asked, ON), (name,))[name]
    assert (bill.price.input_usd_per_mtok, bool(lines)) == (4.4, True)


def test_microsofts_agreement_does_not_answer_for_claude(known):
    def baa(name):
        (way,) = [way for way in known(name).terms if way.platform == AZURE]
        return {check.condition: (check.status, check.platform) for check in way.checks}

    claude, gpt = baa("Claude Opus 5"), baa("GPT-5.6 sol")
    assert (claude["baa"], gpt["baa"]) == (("open", f"{AZURE} (Anthropic)"), ("passes", AZURE))
    assert {claude[condition][0] for condition in ("zero_data_retention", "soc2", "hitrust")} == {
        "open"
    }


def test_googles_agreement_is_known_to_reach_its_own_models_alone(known):
    def baa(name):
        (way,) = [way for way in known(name).terms if way.platform == "Google Vertex AI"]
        return next(check.status for check in way.checks if check.condition == "baa")

    assert baa("Gemini 3.8 Flash") == "passes"
    # Anthropic says that it holds for Claude in one variant; of others no source says anything.
    assert baa("Claude Opus 5") == "conditional"
    assert baa("gpt-oss-120b") == "open"


def test_zero_retention_cannot_be_had_for_what_is_kept_everywhere(known):
    # Anthropic's page on Covered Models: 30 days on every platform, no zero retention.
    for name in ("Claude Fable 5", "Claude Fable 5.1"):
        said = {
            way.platform: {check.condition: check.status for check in way.checks}
            for way in known(name).terms
        }
        assert {of["zero_data_retention"] for of in said.values()} == {"fails"}
    opus = {way.platform: way.checks for way in known("Claude Opus 5").terms}
    (zero,) = (it for it in opus["AWS Bedrock"] if it.condition == "zero_data_retention")
    assert zero.status == "passes"
    # What AWS keeps itself stays under its agreement; what it shared with the maker may not.
    of_aws = {
        name: {check.condition: check.status for check in way.checks}["baa"]
        for name in ("Claude Fable 5", "Claude Fable 5.1")
        for way in known(name).terms
        if way.platform == "AWS Bedrock"
    }
    assert of_aws == {"Claude Fable 5": "open", "Claude Fable 5.1": "passes"}


def test_what_has_no_key_or_left_the_list_is_said(bundled, ask):
    assert {(row["what"], row["key"]) for row in ask("keys")} == {
        ("gone", key)
        for key in (
            *("azure/gpt-4-0613", "azure_ai/deepseek-v3", "azure_ai/Meta-Llama-3.1-70B-Instruct"),
            *("together_ai/meta-llama/Meta-Llama-3-8B-Instruct", "together_ai/Qwen/QwQ-32B"),
            "together_ai/nvidia/Llama-3.1-Nemotron-70B-Instruct-HF",
        )
    }
    # Without the key of Azure's Kimi K3 nothing but that row is more.
    keys = tuple(it for it in bundled.catalogue.list_keys if it.product != "Grok 4.7")
    less = replace(bundled, catalogue=replace(bundled.catalogue, list_keys=keys))
    assert {
        (row["product"], row["platform"]) for row in unjoined(less, ON) if row["what"] == "no key"
    } == {("Grok 4.7", AZURE), ("Grok 4.7", AWS)}


@pytest.mark.parametrize(
    ("a", "b", "verdict", "one_row"),
    [
        ("GPT-4o (2024-11-20)", "GPT-4o (2024-08-06)", "nowhere", 4),
        # MedAgentsBench says no version of Claude 3.5 Sonnet; the other two do.
        ("Claude 3.5 Sonnet (20240620)", "Claude 3.5 Sonnet (20241022)", "below", 1),
        ("Qwen3-32B (thinking)", "Qwen3-32B (not thinking)", "one suite", 3),
    ],
)
def test_one_row_of_a_suite_compares_no_two_versions(ask, a, b, verdict, one_row):
    found = ask("compare", a, b)
    assert (found["verdict"], len(found["one_row"])) == (verdict, one_row)


def test_what_is_of_another_version_is_not_said_as_this_ones(ask):
    """NOHARM and a list print "GPT-4o"; the list has the version of May 2024 by its own name."""
    found = ask("model", "GPT-4o (2024-11-20)")
    assert found["safety"]["kind"] == "version not stated"
    assert "gpt-4o-2024-05-13" not in str(found["prices"])


def test_the_command_says_of_severe_harm_what_the_page_says(cli, known):
    tested = known("GPT-5 mini").safety
    assert tested.rank
    assert safety_in_words(tested) in cli("model", "GPT-5 mini")[1].splitlines()


def test_two_models_compare_by_the_tables_of_every_suite_with_both(ask, cli):
    for a, b, verdict, signs in [
        (
            *("Claude Opus 4.6", "GPT-5.4", "one suite"),
            {"chi-bench": 0.28 - 0.16, "vectara-hhem": (7.0 - 12.2) / 100},
        ),
        (
            *("DeepSeek R1", "o4-mini", "the suites part"),
            {
                "medhelm": 0.7498 - 0.7780,
                "noharm": 0.5887 - 0.5103,
                "lmarena-medicine": (1416.449 - 1427.2157) / 2000,
                "vectara-hhem": (18.6 - 11.3) / 100,
            },
        ),
        ("GPT-6.1 sol", "GPT-5", "nowhere", {}),
    ]:
        found = ask("compare", a, b)
        rows = [row for row in (*found["suites"], *found["apart"]) if row["suite"] in SUITES]
        assert {r["suite"]: r["difference"] for r in rows} == pytest.approx(signs, abs=1e-4)
        assert [row["suite"] for row in found["apart"] if row["suite"] in SUITES] == (
            ["vectara-hhem"] if signs else []
        )
        if {row["suite"] for row in found["suites"]} <= SUITES:
            assert found["verdict"] == verdict
        turned = ask("compare", b, a)
        assert (found["above"], found["below"]) == (turned["below"], turned["above"])
    found = ask("compare", "DeepSeek R1", "Llama 3.3 70B")
    assert (found["verdict"], found["below"], len(found["above"]) > 3) == ("above", [], True)
    assert "medhelm" in {row["suite"] for row in found["suites"] if row["ci_low"] > 0}
    assert "NOHARM" not in found["shown"]  # +7.2 points on 100 cases, -6.5 to +21.0.
    # As `pair` prints the same items: +0.7 (-2.3 to +3.8) and +2.4 (-17.5 to +23.0).
    found = ask("compare", "GPT-5.2", "Claude Opus 4.6")
    ends = {row["suite"]: (row["ci_low"], row["ci_high"]) for row in found["suites"]}
    for suite in ("medbench-brasil", "noharm-ai-diagnoses"):
        of = {row["suite"]: (row["tested_as_a"], row["tested_as_b"]) for row in found["suites"]}
        a, b = of[suite]
        same = ask("pair", "--suite", suite, "--a", a, "--b", b)
        assert ends[suite] == pytest.approx((same["ci_low"], same["ci_high"]))
        assert ends[suite][0] < 0 < ends[suite][1]
    assert (found["verdict"], found["shown"]) == ("above", [])
    status, _, error = cli("compare", "DeepSeek R1", "deepseek-r1")
    assert (status, "Both are DeepSeek R1 (2025-01-20)" in error) == (2, True)


SUITE = "open-medical-llm"
SCORES = {
    "google/gemma-2b": {"medqa": [1, 1, 0, 1], "pubmedqa": [1, 0]},
    "google/gemma-7b": {"medqa": [1, 0, 0, 0], "pubmedqa": [0, 1]},
    "EleutherAI/gpt-j-6b": {"medqa": [0, 0, 0, 1], "pubmedqa": [1, 1]},
}
KEYS = [
    *("a", "b", "benchmark", "n_items", "n_attempts_a", "n_attempts_b", "mean_a", "mean_b"),
    *("difference", "standard_error", "ci_low", "ci_high"),
    *("both", "only_a", "only_b", "neither", "mcnemar_p"),
]


@pytest.fixture
def store(data):
    cells = [(m, b, values) for m, of in SCORES.items() for b, values in of.items()]
    records = [
        {"model": m, "run": f"{m}@run", "benchmark": b, "score": sum(v) / len(v)}
        for m, b, v in cells
    ] + [{"model": "openai-community/gpt2", "run": "old", "benchmark": "medqa", "score": 0.3}]
    rows = [
        {"run": f"{m}@run", "benchmark": b, "item": f"q{i}", "attempt": k, "score": float(score)}
        for m, b, values in cells
        for i, score in enumerate(values)
        for k in range(1, 3 if m.startswith("Eleuther") else 2)
    ]
    made = score_table(SUITE, records)
    keep_table(data, replace(made, items=pd.DataFrame(rows)))
    return open_store(data)


def words(**arguments):
    given = {"suite": SUITE, "benchmark": "all", "a": "google/gemma-2b", "b": "google/gemma-7b"}
    return ["pair", *(f"--{key}={value}" for key, value in (given | arguments).items())]


@pytest.mark.slow
def test_one_benchmark_and_all_of_them_which_weigh_alike(store, ask):
    found = ask(*words(benchmark="medqa", b="google/gemma-7b@run"))
    assert list(found) == KEYS
    assert (found["a"], found["b"]) == ("google/gemma-2b@run", "google/gemma-7b@run")
    assert (found["n_items"], found["mean_a"], found["difference"]) == (4, 0.75, 0.5)
    assert [found[key] for key in KEYS[12:]] == [1, 2, 0, 1, 0.5]
    found = ask(*words(b="EleutherAI/gpt-j-6b"))
    assert (found["n_items"], found["n_attempts_a"], found["n_attempts_b"]) == (6, 6, 12)
    assert (found["mean_a"], found["mean_b"]) == (0.625, 0.625)
    assert [found[key] for key in KEYS[12:]] == [None] * 5


def test_a_suite_that_weighs_by_item_does_so_here(store, monkeypatch):
    monkeypatch.setattr(replacing, "_BY_ITEM", (SUITE,))
    found = replacing.pair(store, SUITE, "all", "google/gemma-2b", "google/gemma-7b")
    assert (found.mean_a, found.mean_b) == (pytest.approx(4 / 6), pytest.approx(2 / 6))


@pytest.mark.slow
def test_what_is_not_there_is_one_sentence(store, cli):
    for given, said in [
        ({"suite": "nosuch"}, 'There is no suite "nosuch"'),
        ({"benchmark": "nosuch"}, 'has no items of "nosuch"; it has medqa, pubmedqa, all.'),
        ({"a": "nosuch"}, 'no run or model "nosuch" with scores. No name is similar.'),
        ({"a": "gemma 7"}, '"gemma 7" with scores. The nearest: google/gemma-'),
        ({"a": "openai-community/gpt2"}, 'gpt2" has no item results in open-medical-llm.'),
        ({"a": "google/gemma-7b"}, 'Both are the run "google/gemma-7b@run": give two different'),
    ]:
        status, _, error = cli(*words(**given))
        assert status == 2
        assert said in error
        assert error.count("\n") == 1


@pytest.mark.slow
def test_a_suite_without_items_says_so(data, write_snapshot):
    write_snapshot(data, SUITE, [("a", "medqa", 0.5)])
    with pytest.raises(BadRequestError, match="has no item results, so its runs cannot be comp"):
        replacing.pair(open_store(data), SUITE, "all", "a", "b")


@pytest.mark.parametrize(
    ("typed", "first", "older"),
    [
        ("claude", "Claude Haiku 5.5", "Claude 2.0"),
        ("gemini", "Gemini 4 Argon", "Gemini 1.0 Pro"),
        ("llama", "Llama 4 Maverick Instruct", "Llama 2 7B Chat"),
        ("sonet 5", "Claude Sonnet 5", "Claude 3.5 Sonnet (20241022)"),
        ("chatgpt", "GPT-6.1 sol", "chatgpt-4o-latest-20250326"),
        ("sonnet", "Claude Sonnet 5.5", "Claude 3.5 Sonnet (20240620)"),
    ],
)
def test_a_family_or_a_misspelling_offers_the_newest_on_sale_first(bundled, typed, first, older):
    with pytest.raises(one_model.UnclearError) as unclear:
        one_model.called(bundled, typed)
    offered = unclear.value.offered
    assert offered[0] == first
    # An older one of the same family comes later, or is not among the first twelve.
    assert older not in offered[:1]
    assert older in {*one_model.names(bundled)}


def test_of_equal_prices_the_one_that_takes_new_customers_is_named(bundled):
    # $3 and $15 at four platforms; AWS refuses whoever does not have it.
    named = one_model.called(bundled, "Claude Sonnet 4.5 (20250929)")
    day = date(2026, 11, 28)
    found = one_model.known(bundled, named, day)
    cheapest = [at for at, price in found.prices if price.input_usd_per_mtok == 3]
    assert "AWS Bedrock" in found.sale.for_existing
    assert "AWS Bedrock" in cheapest[1:]
    basis = market.basis_of_cost(ask(bundled, Question.of(suite=""), day))
    cost = one_model.costs(basis, named)["lowest"]
    assert cost.platform != "AWS Bedrock"


@pytest.mark.parametrize(
    ("name", "asked"),
    [
        ("Mistral Large 2.1 (2411)", "Will Mistral AI license it to us for own servers? Now: "),
        ("Athene-V2-Chat", "May a hospital use its weights on own servers? Its licence is "),
        ("Kimi K3", "May a hospital use its weights on own servers? Its licence is not known."),
        ("DeepSeek V3.1", ""),  # MIT
        ("Qwen3-30B-A3B-Thinking-2507", ""),  # Apache; price lists alone have it
        ("GPT-5.2", ""),
    ],
)
def test_open_weights_ask_for_a_licence_that_is_known(bundled, name, asked):
    found = one_model.known(bundled, one_model.called(bundled, name), date(2026, 11, 28))
    said = sentences.licence_question(found.model, found.licence)
    assert "".join(said).startswith(asked)
    assert bool(said) == bool(asked)
    # Only weights that a licence is known to allow can be kept on own servers.
    line = sentences.on_sale_line(found.sale, found.prices)
    assert ("on own servers" in line) == (found.model.access == "open" and not asked)
    unknown = "Open weights, not known whether a hospital may use them (licence)"
    assert line.startswith(unknown) == (name in ("Athene-V2-Chat", "Kimi K3"))


def test_what_existing_customers_keep_asks_only_whether_we_are_one(cli, monkeypatch):
    monkeypatch.setattr(models, "today", lambda: date(2026, 11, 29))  # It ends in March 2027.
    _, said, _ = cli("model", "Gemini 2.5 Flash")
    assert "Ask: Do you have it at Google Vertex AI already? New customers are refused." in said
    assert "Until when is it sold" not in said
    assert "Ask: Until when is it sold, and where?" in cli("model", "AMBOSS LiSA 1.0")[1]
