"""What is said of the models that the market names, worked out from the tables by hand."""

from dataclasses import replace
from datetime import date

import pytest
from building import a_harm, sold
from markets import AWS, AZURE, DAY, EU, ON_AZURE, OWN, US, A, B, C, a_candidate, a_market, graded

from core import figures
from core.answers.asked import ask
from core.answers.market import market, named_compared, nearest
from core.answers.recommend import among_the_market, of_the_market, shortlist
from core.domain import Question, TooFewError
from core.domain.conditions import OWN_SERVERS
from core.procurement.bill import unknown_cost
from core.procurement.grades import grade_of
from core.procurement.market import market_choice
from core.procurement.recommendation import OldFact
from core.sharing.controls import LIMITS
from core.sharing.market import decisions
from core.words import candidate
from core.words import market as words
from core.words.recommendation import old_in_words
from core.words.shortlist import EXISTING
from core.words.tiles import sale_tile


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
    care = market(ask(bundled, ON_AZURE.having(task="care-management"), DAY))
    # 3 of 25 tasks, and 2 of them (chi_bench's runs of July).
    said = [it for _, it in words.to_know_first(care, DAY, 2, None).every]
    own = "GPT-5.6 sol completes 12 % and GPT-5.6 terra 8 %."
    assert any("none should run unattended" in it and it.endswith(own) for it in said)


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


def test_on_a_day_of_the_past_nothing_is_sold_that_came_later(bundled):
    day = date(2026, 5, 15)
    found = market(ask(bundled, ON_AZURE.having(prices_on=day.isoformat()), day))
    days = [it.model.released_on for it in (*found.buyable, *found.ask)]
    assert max(days) > "2026-04"
    assert max(days) <= day.isoformat()
    later = {"Claude Opus 5", "GPT-5.6 sol"}
    assert later.isdisjoint(it.name for it in found.left_out)
    assert later <= {it.model.name for it in market(ask(bundled, ON_AZURE, DAY)).ask} | {
        it.model.name for it in market(ask(bundled, ON_AZURE, DAY)).buyable
    }


def test_those_that_came_out_on_one_day_are_named_together(bundled):
    """On 22 September GPT-6 luna, GPT-6 sol and Claude Opus 5.5; Fable 5.1 has no day."""
    found = market(ask(bundled, ON_AZURE.having(platforms=(), task="documentation"), DAY))
    there = {it.model.name: it for it in found.buyable if it.grade == "E"}
    names = ("GPT-6 luna", "GPT-6 sol", "Claude Opus 5.5", "GPT-6.1 sol", "Gemini 4 Argon")
    only = tuple(there[name] for name in (*names, "Claude Fable 5.1"))
    said = words.newest_untested(replace(found, buyable=(*found.named(), *only)))
    assert all(name in said for name in names)
    assert said.endswith("; one more has no known release date.")
    # What has general tests alone was never tested on this work either.
    general = next(it for it in found.buyable if it.grade == "D" and not it.model.released_on)
    said = words.newest_untested(replace(found, buyable=(*found.named(), *only, general)))
    assert said.endswith("; two more have no known release date.")


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
        "Azure, read 2 September 2026; Microsoft's schedule of 7 July 2026 says 12 December 2026; "
        "no new customers from 11 December 2026"
    )


@pytest.mark.parametrize(
    ("until", "figure"),
    [("2027-07-13", "13 July 2027"), ("", "not known")],
    ids=["known", "unknown"],
)
def test_a_tile_gives_the_end_for_existing_customers_before_another(until, figure):
    conflict = "The vendor's page of 2026-09-02 says 2027-02-09."
    (sale,) = sold("passes", EXISTING, until, "Azure", conflict=conflict).at
    tile = sale_tile(replace(sale, read_on="2026-11-20"), "Azure", kept=False)
    assert tile == (
        *("On sale until", figure),
        "existing customers only; Azure, read 20 November 2026; the vendor's page of 2 September "
        "2026 says 9 February 2027",
    )


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
    notes = market(ask(bundled, ON_AZURE.having(task="documentation"), DAY)).ask
    (kimi,) = [each for each in notes if each.model.name == "Kimi K2.5"]
    assert [(it.third, it.tested.suite) for it in kimi.of("direct")] == [
        ("middle", "noharm-ai-diagnoses")
    ]
    said = candidate.product_tiles(kimi)[0].about
    assert said.endswith("; in the middle third of its only test of this work (C)")


@pytest.mark.parametrize(
    ("thirds", "means"),
    [
        (("upper", "lower"), "mixed results"),
        (("middle", "middle"), "not in the upper third of any test of this work"),
        (("middle", "lower"), "not in the upper third of any test of this work"),
        (("lower",), "in the lower third of its only test of this work"),
    ],
    ids=lambda it: "-".join(it) if isinstance(it, tuple) else None,
)
def test_only_a_good_and_a_poor_place_are_mixed_results(bundled, thirds, means):
    line = market(ask(bundled, ON_AZURE, DAY)).buyable[0].of("direct")[0]
    assert grade_of(("direct", third) for third in thirds) == "C"
    assert candidate.grade_means("C", [replace(line, third=it) for it in thirds]) == means


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


ON_OUR_OWN = a_candidate("weights", platform=OWN_SERVERS)


@pytest.mark.parametrize(
    ("found", "before", "title", "after"),
    [
        (
            a_market(strength="nothing"),
            *("", "No model is known to meet all of this"),
            "Every model known here fails one of your conditions or limits.",
        ),
        (
            a_market(ask=(A,), strength="nothing"),
            *("", "No model is known to meet all of this"),
            "One model might: how long it is sold is not known. Ask first.",
        ),
        (
            a_market(ask=(ON_OUR_OWN,), strength="nothing"),
            *("", "No model is known to meet all of this"),
            "One model might: whether a hospital may use the weights is not known. Ask first.",
        ),
        (
            a_market(replace(A, grade="C"), replace(B, grade="C"), C),
            *("None of the 3 models you can buy was tested on notes.", "Start with A and B"),
            "Related tests speak for them.",
        ),
        (
            a_market(replace(A, grade="C"), replace(B, grade="D"), C),
            *("None of the 3 models you can buy was tested on notes.", "Start with A and B"),
            "Related tests speak for A.",
        ),
        (
            a_market(replace(A, grade="C"), strength="take"),
            *("The only model you can buy was never tested on notes.", "Take A"),
            "Related tests speak for it.",
        ),
        (
            a_market(A, B, none_tested=True),
            *("", "No model that you can buy was tested on this work"),
            "Of no known release date: A and B.",
        ),
    ],
)
def test_where_nothing_was_tested_the_headline_says_so_first(found, before, title, after):
    said = words.market_headline(found, "notes")
    assert (said.before, said.title, said.after) == (before, title, after)


def test_what_has_no_release_date_is_not_told_as_the_newest():
    """An undated product came after all dated ones, and still filled the answer as one of them."""
    undated, old, new = map(a_candidate, ("Undated", "Old", "New"))
    old = replace(old, model=replace(old.model, released_on="2024-04-20"))
    new = replace(new, model=replace(new.model, released_on="2026-10"))
    choice = market_choice((undated, old, new))
    assert choice.names == ("New", "Old")
    said = words.market_headline(replace(a_market(undated, old, new), choice=choice), "notes")
    assert said.after == "Newest with a known release date: New and Old."


def test_general_tests_are_not_told_as_related_ones(bundled):
    """Of care management no open model has any line but that of a crowd's liking."""
    found = market(ask(bundled, OWN.having(task="care-management"), DAY))
    assert {line.kind for it in found.buyable for line in it.lines} == {"general"}
    assert words.market_headline(found, "care management").after.startswith(
        "Newest with a known release date: "
    )


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"max_params_b": 30.0}, "whether a hospital may use the weights or how long it is sold"),
        ({"required": US}, "a condition or how long it is sold"),
        ({"platforms": (AZURE,)}, "how long it is sold"),
    ],
)
def test_only_the_kinds_of_question_that_occur_are_said(bundled, asked, said):
    """Where no condition is asked, none is not known."""
    found = market(ask(bundled, Question.of(suite="", **asked), DAY))
    assert words.open_points(found.ask) == said
    assert f"{said} is not known" in words.to_ask_about(found.ask)


def test_a_budget_asks_what_a_task_costs_where_no_test_recorded_it(bundled):
    """GPT-5.2 has no run in the suite of agents: its tokens of a task are not known."""
    asked = ON_AZURE.having(task="prior-authorisation", monthly_budget_usd=300.0)
    found = market(ask(bundled, asked, DAY))
    (each,) = (it for it in found.ask if it.model.name == "GPT-5.2")
    assert candidate.to_ask(each) == (
        "What a task costs is not known: no test recorded how many tokens it takes."
    )
    assert "how long it is sold or what it costs is not known" in (
        words.market_headline(found, "prior authorisation").after
    )


def test_a_cost_that_is_not_known_is_asked_for_with_the_rest(bundled):
    """Most models were never run as agents, so that no test recorded what a whole task takes."""
    required = (*US, "hitrust")
    asked = ON_AZURE.having(platforms=(), required=required, task="prior-authorisation")
    found = market(ask(bundled, asked, DAY))
    unpriced = [it for it in found.ask if it.cost.for_budget is None and it.best_offer.open_checks]
    assert unpriced
    assert all("what it costs" in candidate.to_ask(it) for it in unpriced)
    priced = [it for it in found.ask if it.cost.for_budget is not None]
    assert priced
    assert not any("what it costs" in candidate.to_ask(it) for it in priced)


def test_a_language_is_said_of_what_was_never_tested_in_it(bundled):
    german = ON_AZURE.having(platforms=(), task="documentation", language="German")
    said = words.market_headline(market(ask(bundled, german, DAY)), "documentation")
    assert said.before.endswith(" were never tested on documentation in German.")


def test_what_is_marked_for_harm_is_said_of_each_that_is_named():
    marked = replace(A, harm=a_harm(0.175, marked=True))
    said = words.to_know_first(a_market(B, marked), DAY, 1, None).every
    told = "Severe harm in 17.5 % of 100 cases, caution; physicians 16.7 %, no difference shown."
    assert ("A", told) in said
    assert candidate.harm_short(marked) == "17.5 %, caution"
    assert candidate.product_tiles(marked)[2].about.startswith("of 100 cases, caution; ")
    mild = replace(A, harm=a_harm(0.1))
    assert words.to_know_first(a_market(B, mild), DAY, 1, None).every == []


def test_the_best_grade_is_explained_where_it_is_not_named(bundled):
    rented = Question.of(suite="", access="own", task="documentation")
    said = words.to_know_first(market(ask(bundled, rented, DAY)), DAY, 2, None).every
    assert (
        "",
        "DeepSeek R1 (2025-01-20) has the better grade (A), but gemma-2-27b-it has the better "
        "place in BRIDGE.",
    ) in said
    first = words.to_know_first(market(ask(bundled, ON_AZURE, DAY)), DAY, 2, None).every
    assert not any("better grade" in it for _, it in first)


def test_old_facts_about_those_named_come_first_to_know(bundled):
    found = market(ask(bundled, ON_AZURE, DAY))
    ((_, said),) = [
        it for it in words.to_know_first(found, DAY, 2, None).every if it[1].startswith("Old")
    ]
    # What Azure says of training is of 1 October 2025, and its agreement has no day; its page on
    # sale was read on 2 September, 86 days before.
    assert said == (
        "Old facts: conditions (read 1 October 2025) and conditions (undated). Ask the vendor "
        "before you sign."
    )
    later = words.to_know_first(found, date(2026, 12, 5), 2, None).every
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
        [of for of, it in words.to_know_first(tight, DAY, n, 5000.0).every if "χ-Bench, " in it]
        for n in (0, 1, 2)
    ]
    assert [len(of) for of in places] == [2, 1, 0]  # A tile says it of those that have one.
    assert {it.grade for it in tight.named()} == {"C"}
    told = [it for _, it in words.to_know_first(tight, DAY, 2, 5000.0).every if "budget" in it]
    assert told == [
        f"Better graded, but over your budget: {least.model.name} (grade {least.grade}, "
        f"{figures.money(least.cost)}), the cheapest of {figures.count(len(dearer))}."
    ]
    assert not any("budget" in it for _, it in words.to_know_first(free, DAY, 2, None).every)
    # Where nothing fits, there is nothing that it is better graded than.
    nothing = market(ask(bundled, asked.having(monthly_budget_usd=1.0), DAY))
    assert any(it.rule == "over budget" and it.grade == "B" for it in nothing.left_out)
    assert not any("budget" in it for _, it in words.to_know_first(nothing, DAY, 2, 1.0).every)


@pytest.mark.parametrize(("access", "does"), [("own", "run"), ("vendor", "buy")])
def test_what_the_budget_leaves_out_is_run_on_own_servers(bundled, access, does):
    asked = Question.of(suite="", task="documentation", access=access, monthly_budget_usd=0.01)
    (free,) = nearest(ask(bundled, asked, DAY))
    said = words.nearest_in_words(free, bundled.catalogue.condition_kinds, LIMITS)
    assert f"you could {does} {free.n_buyable} models: " in said


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
    said = [it for _, it in words.to_know_first(found, DAY, 2, None).every if "existing" in it]
    assert said == [
        "Better graded, but for existing customers only: GPT-5 mini (2025-08-07) (grade A, about "
        "$22 a month, at Azure until 13 July 2027)."
    ]


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
        for _, it in words.to_know_first(found, DAY, 0, None).every
        if "No kind of work has tests of" in it
    ]
    assert bool(said) != common


def test_why_a_lower_grade_is_named_among_the_best_is_said(bundled):
    # Of 17 Portuguese stays Opus 4.5 is one place before Opus 4.6, and nothing else has both.
    eu = Question.of(suite="", required=EU, platforms=(AWS,))
    cautions = bundled.catalogue.suites["noharm-ai-diagnoses"].cautions
    assert cautions
    said = dict(words.to_know_first(market(ask(bundled, eu, DAY)), DAY, 2, None).every)
    assert said["Claude Opus 4.5 (20251101)"] == (
        "Grade B, named because it is placed above Claude Opus 4.6 in Diagnoses (Portuguese). To "
        f"know of Diagnoses (Portuguese): {'; '.join(cautions)}."
    )


def test_a_name_taken_from_a_lower_grade_is_explained(bundled):
    """For research Azure sells one product of grade B."""
    found = market(ask(bundled, ON_AZURE.having(task="research"), DAY))
    assert found.choice.filled_from == ("DeepSeek V3.2",)
    said = dict(words.to_know_first(found, DAY, 2, None).every)["DeepSeek V3.2"]
    assert "Added as a second model: general or related tests only (D)." in said


def test_where_nothing_is_to_be_agreed_on_is_said(bundled):
    zero = ON_AZURE.having(required=("baa", "zero_data_retention"), task="documentation")
    found = market(ask(bundled, zero.having(platforms=(AZURE, AWS)), DAY))
    said = words.to_know_first(found, DAY, 0, None).every
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
    assert [said in words.to_know_first(found, DAY, n, None).every for n in (2, 3, 4)] == [
        *(True, True),
        False,
    ]
    # On Azure alone it is second of two, and its tile has the cost.
    two = market(ask(bundled, ON_AZURE.having(task="documentation"), DAY))
    assert not any("cheapest" in it for _, it in words.to_know_first(two, DAY, 2, None).every)


def test_what_may_change_the_choice_is_said_before_what_a_contract_settles(bundled):
    """Of four named two have tiles; what is said of the others, and of all sales, comes later."""
    asked = ON_AZURE.having(task="documentation", platforms=(AZURE, AWS))
    told = words.to_know_first(market(ask(bundled, asked, DAY)), DAY, 2, None)
    names = [each.model.name for each in market(ask(bundled, asked, DAY)).named()]
    assert not {of for of, _ in told.first} & {*names[2:]}
    assert {of for of, _ in told.before_buying if of} <= {*names[2:]}
    assert any(it.startswith("Newest, and never") for _, it in told.first)
    begun = [it for of, it in told.before_buying if not of]
    assert [it.split(":")[0] for it in begun] == [
        "On sale with no known end, but not promised for the months you require",
        "Old facts",
        "Better graded, but for existing customers only",
    ]
    # A mark for severe harm is never folded away: Qwen3-32B is third or fourth here.
    found = market(ask(bundled, asked.having(platforms=(AWS,)), DAY))
    marked = [it.model.name for it in found.named()[2:] if it.harm and it.harm.marked]
    assert marked == ["Qwen3-32B (not thinking)"]
    first = words.to_know_first(found, DAY, 2, None).first
    assert [it.split(" in ")[0] for of, it in first if of in marked] == ["Severe harm"]


def test_of_mixed_results_nobody_says_that_none_did_well(bundled):
    """Qwen3-32B is 12th and 27th of 98 in BRIDGE, and 29th of 32 in NOHARM: grade C."""
    asked = Question.of(suite="", required=US, monthly_budget_usd=300.0, max_params_b=33.0)
    found = market(ask(bundled, asked, DAY))
    assert not graded(found.buyable, "A") | graded(found.buyable, "B")
    said = words.market_headline(found, "all kinds of work")
    assert said.after.startswith(
        "Two of the 3 models you can buy did well in one test of this work and not in another (the "
        "two are sold under one name)"
    )
