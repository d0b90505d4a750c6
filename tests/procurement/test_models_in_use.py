"""What is said of a model in use, and of what the market has in its place."""

import json
from dataclasses import replace
from datetime import date

import pytest
from building import a_cost, a_harm, sold
from markets import AWS, AZURE, DAY, EU, GOOGLE, ON_AZURE, US, A, B, C

from core.answers import model
from core.answers.asked import ask
from core.answers.market import basis_of_cost, market
from core.answers.replacing import in_use
from core.domain import InItsPlace, InUse, Question, Saving
from core.sharing.market import in_place_listing
from core.words import replacing
from tests.conftest import a_model

USED = InUse(
    *(a_model("Used"), "C", (), sold("passes", "assured"), False, a_cost("Used", 10.0)),
    *(None, "", "", None, ()),
)


def test_what_is_shown_to_be_worse_is_not_named_in_its_place(bundled):
    """In BRIDGE gpt-oss-120b is 38th of 98 and Gemini 2.5 Flash 1st: 7.6 points, shown."""
    used = in_use(ask(bundled, Question.of(suite="", required=US), DAY), "Gemini 2.5 Flash")
    (oss,) = (it for it in used.places if it.candidate.model.name == "gpt-oss-120b")
    assert dict(oss.judged)["BRIDGE"].tier == "worse"
    assert used.saving_of(oss) > 0
    assert oss.is_worse
    assert oss not in used.named
    assert replace(used, places=(oss,)).named == (oss,)  # There is nothing else.


def test_a_model_that_ends_is_replaced_even_where_nothing_has_its_grade(bundled, cli):
    """DeepSeek R1 (A) ends in March; for documentation the best that can be bought have grade B."""
    asked = ask(bundled, Question.of(suite="", required=US, task="documentation"), DAY)
    used, whole = in_use(asked, "DeepSeek R1 (2025-01-20)"), market(asked)
    assert (used.grade, used.grade_below, used.replaced_by) == ("A", "B", None)
    best = [it for it in whole.buyable if it.grade == "B"]
    assert [it.candidate.model.name for it in used.places] == [it.model.name for it in best]
    said = replacing.in_its_place(used, len(whole.buyable))
    first, cheaper = (it.candidate.model.name for it in used.named)
    assert said.title.startswith(
        f"Replace {used.model.name}: start with {first}, or with {cheaper}"
    )
    below = "No other model that you can buy has it; the best have grade B, in the upper third"
    assert below in said.after
    assert "this grade or better" not in said.after
    day = ("--prices-on", DAY.isoformat(), "--task", "documentation")
    made = json.loads(cli("recommend", "--json", "--in-place-of", used.model.name, *day)[1])
    assert made["at_least_its_grade"] == []
    assert len(made["of_the_grade_below"]) == len(best)


@pytest.mark.parametrize(("used", "certain"), [("o3 (2025-04-16)", False), ("GPT-4.1", True)])
def test_a_cost_that_may_turn_is_not_told_in_the_title(bundled, used, certain):
    """o3 is $15 below GPT-5.2, but may reason more; GPT-4.1, $42 below, does not reason."""
    found = in_use(ask(bundled, Question.of(suite="", required=US), DAY), used)
    said = replacing.in_its_place(found, 54)
    assert ("GPT-5.2, which would cost about" in said.title) is certain
    turns = ("", f"It is open whether GPT-5.2 costs more or less than {found.model.name}.")
    assert (turns in replacing.to_know_of_move(found)) is not certain


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
    means = "not in the upper third of any test of this work"
    assert made["in_use"]["grade_means"] == means


def test_a_terminal_shows_savings_in_dollars_and_cents():
    places = (InItsPlace(A, (), Saving(-1.0, -0.4, 1.0)), InItsPlace(C, (), None))
    rows = in_place_listing(replace(USED, places=places))
    assert [row["saves"] for row in rows] == ["−$0.40", "not known"]
    assert [row["usd_month"] for row in rows] == ["$9.00", "not known"]


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
    # Of the successor, not of the model in use, which they have.
    refuses = " (A). Azure refuses new customers of GPT-5.1 (2025-11-13)"
    assert before.endswith(f"{refuses}: do you have it already?")
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


def test_what_existing_customers_pay_is_known_of_a_model_in_use(bundled):
    """Azure sells GPT-4o to those who have it alone, and nobody sells o4-mini."""
    asked = ask(bundled, ON_AZURE, DAY)
    named = model.called(bundled, "GPT-4o (2024-11-20)")
    used = in_use(asked, named.name)
    assert used.cost.likely is not None
    costs = model.costs(basis_of_cost(asked), named)
    assert (costs["lowest"].likely, costs["lowest"].platform) == (used.cost.likely, AZURE)
    assert not model.costs(basis_of_cost(asked), model.called(bundled, "o4-mini (2025-04-16)"))


def test_of_those_with_its_grade_the_replacement_is_one(bundled):
    asked = Question.of(suite="", task="decision-support", required=US)
    used = in_use(ask(bundled, asked, DAY), "GPT-4o (2024-08-06)")
    assert used.replaced_by in used.places
    said = replacing.in_its_place(used, 54).after
    assert said.endswith("this grade or better, gpt-oss-120b among them.")
    assert "Besides GPT-4o (2024-08-06), " in said


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
    # Own servers are an offer where they are asked for, and not wherever it may run.
    anywhere = in_use(ask(bundled, asked.having(access="any"), DAY), "DeepSeek R1 (2025-01-20)")
    assert replacing.in_its_place(anywhere, 54).title.startswith("Replace DeepSeek R1")
    for kept, where in (
        (asked.having(access="open"), ""),
        (asked.having(on_sale_months=3), " at AWS"),
    ):
        said = replacing.in_its_place(
            in_use(ask(bundled, kept, DAY), "DeepSeek R1 (2025-01-20)"), 54
        )
        assert said.title.startswith(f"Keep DeepSeek R1 (2025-01-20){where}, or test ")


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
    agreed, (_, said) = replacing.to_know_of_move(used)
    assert agreed[1].startswith("To be agreed with Google: business associate agreement (BAA).")
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


def test_what_one_suite_lacks_of_those_named_is_said_of_a_move(bundled):
    used = in_use(ask(bundled, ON_AZURE.having(task="documentation"), DAY), "GPT-4o (2024-11-20)")
    assert replacing.not_compared(used, "bridge", "BRIDGE") == (
        "GPT-5.2 and DeepSeek V3.2, named under Candidates, are not in BRIDGE."
    )
    assert replacing.not_compared(used, "noharm-ai-diagnoses", "NoHarm.ai") == ""


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
