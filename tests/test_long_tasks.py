"""χ-Bench's long tasks: what they cost, how far agents come; and which evidence answers what."""

from dataclasses import replace
from datetime import date

import pytest

from core.answers import recommend
from core.answers.bills import monthly_costs
from core.answers.other_suites import invented_content
from core.answers.recommend import others_that_answer, proposed_evidence
from core.domain import Price, Requirements
from core.procurement.bill import rescaled
from core.words.cost import basis
from core.words.recommendation import alerts, for_and_against
from core.words.shortlist import questions

TODAY = date(2026, 11, 23)
CHI = Requirements(suite="chi-bench", requests_per_month=1000)
PRIOR = replace(CHI, task="prior-authorisation", access="vendor")
OPUS, SOL = "anthropic/claude-opus-5 (claude-code)", "openai/gpt-5.6-sol (codex)"


def cost(store, name, asked):
    return monthly_costs(store, (name,), asked, TODAY)[name]


def test_a_long_task_costs_what_it_cost_in_the_run_and_what_was_not_recorded_is_not_known(bundled):
    # Printed: 3.44517, 4.36602 and 6.55883 a task in the three domains, alike in the overall score.
    all_three = cost(bundled, OPUS, CHI)
    assert all_three.cost_is == "measured"
    assert all_three.likely == pytest.approx(1000 * (3.44517 + 4.36602 + 6.55883) / 3)
    found = cost(bundled, "anthropic/claude-opus-4-8 (claude-code)", CHI)
    assert found.likely is None
    rows = recommend.shortlist(bundled, CHI, TODAY).rows
    (row,) = (row for row in rows if row.model.id == found.model)
    assert row.bill is None
    assert "Cost not known, since what a task cost was not recorded by χ-Bench." in questions(
        row, CHI
    )
    own = replace(CHI, input_tokens_per_request=1_000_000, output_tokens_per_request=20_000)
    assert cost(bundled, OPUS, own).cost_is == "bill"


def test_a_run_is_rescaled_by_the_developers_list_prices_since(bundled):
    """Sol's run of 24 July printed 1.3676 for the provider's side and 1.89987 for the payer's, at
    $5 read and $30 written; from 21 August on $4 and $20: 0.8 and two thirds, likely the middle.
    """
    found = cost(bundled, SOL, PRIOR)
    then = 1000 * (1.3676 + 1.89987) / 2
    assert found.as_of == "2026-07-24"
    assert (found.low, found.high) == pytest.approx((then * 2 / 3, then * 0.8))
    assert found.likely == pytest.approx(then * (2 / 3 + 0.8) / 2)
    assert "on 24 July 2026" in basis(found)
    assert basis(found).endswith("by list prices since then times 0.667 to 0.8")
    # Luna's fell by 80 % on 30 July, to $0.20 and $1.20: all of it at a fifth.
    luna = cost(bundled, "openai/gpt-5.6-luna (codex)", CHI)
    assert (luna.low, luna.high) == pytest.approx((luna.per_task * 1000 * 0.2,) * 2)
    # Before the change the same price held; and of an open model its developer prints none.
    before = monthly_costs(bundled, (SOL,), PRIOR, date(2026, 8, 20))[SOL]
    assert (before.likely, before.rescaled) == (pytest.approx(then), (1, 1, 1))
    glm = cost(bundled, "z-ai/glm-5.2 (openai-agents)", CHI)
    assert glm.rescaled is None
    assert basis(glm).endswith("is not known, so at the prices of that day")
    # $4 and $20 now; $5 and $30, or already $4 and $20, then.
    before, after = (
        Price("m", "p", "P", "x", *usd, "2026-07-24", "by hand")
        for usd in ((5.0, 30.0), (4.0, 20.0))
    )
    assert rescaled([before, after], after) == pytest.approx((2 / 3, 5 / 6, 1.0))


def test_how_far_the_best_agent_comes_is_said_first_but_for_old_facts(bundled):
    # Printed overall: 37.3 of 100, by Opus 5; on prior authorisation and review 16 of 50.
    overall = recommend.recommendation(bundled, CHI, TODAY)
    assert overall.best.model.id == OPUS
    none = "No agent run by the publisher does more than {} tasks: none should run unattended."
    # Opus 5's sale at its maker was read on 20 August, 95 days before; on 1 November 73.
    renew = "Renew the lists by the command refresh, or ask the vendor before you sign."
    old = f"Old facts: sale of 20 August 2026. {renew}"
    assert alerts(overall, TODAY) == (old, none.format("37 % of these 75"))
    sooner = date(2026, 11, 1)
    assert alerts(recommend.recommendation(bundled, CHI, sooner), sooner)[0] == (
        none.format("37 % of these 75")
    )
    prior = recommend.recommendation(bundled, PRIOR, TODAY)
    assert alerts(prior, TODAY)[0] == none.format("32 % of these 50")
    of_notes = recommend.recommendation(bundled, Requirements(task="documentation"), TODAY)
    assert of_notes.unattended is None
    # 31 of 37 may be first on prior authorisation: no single one of them is taken.
    prior = recommend.recommendation(bundled, PRIOR, TODAY)
    assert (prior.strength, prior.take) == ("shortlist", None)
    assert prior.test_these[0].model.id == SOL


def test_invented_content_stands_beside_every_proposal_for_documentation_and_nowhere_else(bundled):
    found = invented_content(bundled, "DeepSeek R1")
    assert found is not None
    assert (found.share, found.n) == (pytest.approx(0.113), 96)
    said = "Invented content in 11.3 of 100 summaries"
    for task, shown in (("documentation", True), ("balanced", False)):
        found = recommend.recommendation(bundled, Requirements(task=task), TODAY)
        assert [each.model.id for each in found.test_these] == ["DeepSeek R1"]
        assert any(said in it for it in for_and_against(found, found.test_these[0])) == shown


def test_the_evidence_is_proposed_that_tests_the_work_and_has_models_that_fit(bundled):
    for asked, base in [
        # Of MedHELM's thirteen only DeepSeek R1 and Llama 3.3 70B stay on sale for six months.
        (Requirements(), "bridge"),
        # In January most were still sold, and where sale is not asked all thirteen fit.
        (Requirements(on_sale_on="2026-01-31"), "medhelm"),
        (Requirements(on_sale_months=None), "medhelm"),
        # Llama 3.3 70B alone in MedHELM: one model is no choice.
        (Requirements(monthly_budget_usd=50.0), "bridge"),
        # Nothing in MedHELM that stays on sale runs on one GPU.
        (Requirements(access="own", max_params_b=33.0), "bridge"),
        (Requirements(task="prior-authorisation", access="vendor"), "chi-bench"),
        (Requirements(task="own", weights=(("Clinical Note Generation", 1.0),)), None),
        (Requirements(monthly_budget_usd=0.0, access="vendor", max_params_b=0.1), None),
    ]:
        found = proposed_evidence(bundled, asked, TODAY)
        assert (found and found.base.id) == base
        # The evidence that is in use has no say.
        elsewhere = proposed_evidence(bundled, replace(asked, suite="bridge"), TODAY)
        assert (elsewhere and elsewhere.base.id) == base
    asked = Requirements(task="research", suite="chi-bench")
    names = [base.id for base, _ in others_that_answer(bundled, asked, TODAY)]
    assert names[:2] == ["medhelm", "bridge"]
    assert set(names[2:]) == {"medagentsbench", "open-medical-llm", "benchhealth"}
    everything = [base.id for base, _ in others_that_answer(bundled, Requirements(), TODAY)]
    # χ-Bench is on one kind of work, NOHARM on harm, LMArena on liking.
    assert everything == ["bridge", "benchhealth"]
