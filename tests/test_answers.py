"""Answers over the bundled evidence: costs, orders of suites, long tasks."""

import math
from dataclasses import replace
from datetime import date
from statistics import fmean

import numpy as np
import pytest

from core.answers import cost as cost_answers
from core.answers import data, evidence, other_suites, recommend
from core.answers.asked import ask
from core.answers.bills import monthly_costs
from core.answers.data import products
from core.answers.other_suites import _orders, invented_content, standings
from core.answers.recommend import others_that_answer
from core.charts.intervals import cost_quality_chart
from core.domain import Price, Question, Rates, Selection
from core.domain.conditions import OWN_SERVERS
from core.evidence.store import open_store
from core.procurement.bill import amount_on, request_cost_usd
from core.statistics.ranks import order_agreement
from core.words.cost import basis
from core.words.recommendation import alerts, for_and_against
from core.words.shortlist import not_known
from core.words.tiles import tiles

DAY = date(2026, 11, 21)
# On a day on which every model of the suite was still sold.
ASKED = Question.of(on_sale_months=None, on_sale_on="2025-05-01")
TOKENS = ASKED.having(input_tokens_per_request=900, output_tokens_per_request=100)


def by_model(store, cost, asked=ASKED):
    found = cost_answers.cost_quality(ask(store, asked, DAY), cost)
    return {row.model.id: row for row in found.rows}


def test_the_bill_is_the_shortlists_and_a_size_in_billions(bundled):
    listed = {r.model.id: r for r in recommend.shortlist(ask(bundled, ASKED, DAY)).rows}
    for name, row in by_model(bundled, "bill").items():
        assert row.cost.likely == listed[name].bill.monthly_usd == listed[name].cost.likely
        assert row.score == listed[name].score
    rows = by_model(bundled, "bill", asked=TOKENS.having(reasoning_tokens_per_request=500))
    assert all(row.cost.low == row.cost.likely == row.cost.high for row in rows.values())
    asked = Question.of(suite="open-medical-llm")
    rows = by_model(bundled, "parameters", asked=asked).values()
    sizes = [amount_on("parameters", row) for row in rows]
    assert sizes == [row.model.params_b for row in rows]
    assert fmean(size for size in sizes if size is not None) > 1


def test_models_that_lack_benchmarks_do_not_compare(data, write_snapshot, bundled):
    ids = [b.id for b in bundled.catalogue.benchmarks["open-medical-llm"]]
    records = [(f"org/m{i}", b, 0.3 + i / 10) for i in range(3) for b in ids]
    records += [("org/gap", b, 0.9) for b in ids[1:]]
    write_snapshot(data, "open-medical-llm", records)
    store = open_store(data)
    asked = Question.of(suite="open-medical-llm")
    for cost in ("parameters", "benchmark"):
        found = cost_answers.cost_quality(ask(store, asked, DAY), cost)
        assert found.incomplete == ("org/gap",)
        assert [row.model.id for row in found.rows] == ["org/m2", "org/m1", "org/m0"]
        assert all(amount_on(cost, row) is None for row in found.rows)
        assert not found.on_frontier


@pytest.mark.parametrize("suite", ["medhelm", "bridge", "open-llm-v2"])
def test_the_best_of_the_frontier_is_named_and_no_name_covers_another(bundled, suite):
    asked = ASKED.having(suite=suite)
    by = "parameters" if suite == "open-llm-v2" else "bill"
    found = cost_answers.cost_quality(ask(bundled, asked, DAY), by)
    spec = cost_quality_chart(found.rows, by, "Score", found.on_frontier)
    (x, y), shown = _scales(spec), []
    for record in spec["datasets"]["models"]:
        if record["named"]:
            at, long = _across(x, record["cost"]), 5 * len(record["model"])
            left = at + 11 if record["named"] == "left" else at - 11 - long
            up = (record["quality"] - y[0]) / (y[1] - y[0]) * spec["height"]
            shown.append((left, left + long, up, record))
    best = max(found.frontier, key=lambda row: row.score)
    assert [r["model"] for *_, r in shown if r["best"]] == [best.model.name]
    assert len(shown) > 1
    # Compared by letters of 5 pixels and lines of 13 at a width of 700.
    for i, (left, right, up, _) in enumerate(shown):
        for other in shown[:i]:
            assert right < other[0] or other[1] < left or abs(up - other[2]) >= 13


def _scales(spec):
    drawn = [layer["encoding"] for layer in spec["layer"]]
    y = next(each["y"] for each in drawn if each["y"].get("title") == "Score")
    return drawn[0]["x"]["scale"], y["scale"]["domain"]


def _across(scale, cost):
    place = math.log if scale["type"] == "log" else float
    low, high = map(place, scale["domain"])
    return (place(cost) - low) / (high - low) * 700


def pair(store, a, b):
    return next(one for one in other_suites.across_suites(store) if (one.a, one.b) == (a, b))


def test_the_checks_of_the_definition_come_out_with_its_eleven_models(bundled):
    """−0.44, +0.11, +0.81 and +0.19 hold a preview for the model, as the crosswalk does not."""
    medhelm, noharm = _orders(bundled, "medhelm"), _orders(bundled, "noharm")
    shared = [(a, b) for a, b, _ in pair(bundled, "medhelm:balanced", "noharm:safety").models]
    shared.append(("Gemini 2.5 Pro (05-06 preview)", "Gemini 2.5 Pro"))
    x = np.array([medhelm["balanced"][a] for a, _ in shared])
    found = {
        metric: order_agreement(x, np.array([scores[b] for _, b in shared])).rho
        for metric, scores in noharm.items()
    }
    assert found["completeness"] == pytest.approx(-0.44, abs=0.005)
    assert found["safety"] == pytest.approx(0.11, abs=0.005)
    assert found["restraint"] == pytest.approx(0.81, abs=0.005)
    assert found["three dimensions"] == pytest.approx(0.19, abs=0.005)


def test_restraint_goes_with_the_balanced_order_and_a_model_counts_once(bundled):
    found = pair(bundled, "medhelm:balanced", "noharm:restraint").agreement
    # The squared differences of places add up to 30.
    assert (found.n_models, found.says) == (10, "agree")
    assert found.rho == pytest.approx(1 - 6 * 30 / 990)
    for one in other_suites.across_suites(bundled):
        first, second, _ = zip(*one.models, strict=True)
        assert len(set(first)) == len(set(second)) == len(first) == one.agreement.n_models
        assert one.agreement.n_models >= 3
    balanced = _orders(bundled, "benchhealth")["balanced"]
    assert ("Task-specific SOTA" in balanced, len(balanced)) == (False, 15)
    noharm = {metric: order["o4 mini"] for metric, order in _orders(bundled, "noharm").items()}
    assert noharm["severe harm share"] == pytest.approx(1 - 0.209)
    three = [noharm[metric] for metric in ("safety", "completeness", "restraint")]
    assert noharm["three dimensions"] == pytest.approx(sum(three) / 3)


@pytest.mark.slow
def test_suites_with_fewer_than_three_models_in_common_are_left_out(data, write_snapshot, bundled):
    known = bundled.catalogue.benchmarks
    for suite in ("open-medical-llm", "open-llm-v2"):
        rows = [
            (f"org/{model}", b.id, (0.31, 0.47, 0.62)[i] + j / 100)
            for i, model in enumerate(("a", "b", f"own-{suite}"))
            for j, b in enumerate(known[suite])
        ]
        write_snapshot(data, suite, rows)
    assert other_suites.across_suites(open_store(data)) == ()


TODAY = date(2026, 11, 23)
CHI = Question.of(suite="chi-bench", requests_per_month=1000)
PRIOR = CHI.having(task="prior-authorisation", access="vendor")
OPUS, SOL = "anthropic/claude-opus-5 (claude-code)", "openai/gpt-5.6-sol (codex)"


def cost_of(store, name, asked):
    return monthly_costs(ask(store, asked, TODAY), (name,))[name]


def test_a_long_task_costs_its_tokens_at_todays_prices_or_is_unknown(bundled):
    # Printed by the suite itself: 3.44517, 4.36602 and 6.55883 a task in the three domains, alike
    # in the overall score. Its prices of Opus 5 are those of today: $5, $0.50 and $25.
    all_three = cost_of(bundled, OPUS, CHI)
    assert all_three.likely == pytest.approx(1000 * (3.44517 + 4.36602 + 6.55883) / 3, rel=1e-6)
    # The suite's hermes runs recorded no tokens.
    found = cost_of(bundled, "openrouter/z-ai/glm-5.1 (hermes)", CHI)
    assert found.likely is None
    rows = recommend.shortlist(ask(bundled, CHI, TODAY)).rows
    (row,) = (row for row in rows if row.model.id == found.model)
    assert row.bill is None
    said = "Cost not known, because the tokens of a task are not recorded by χ-Bench."
    assert said in not_known(row, CHI)
    own = CHI.having(input_tokens_per_request=1_000_000, output_tokens_per_request=20_000)
    assert not cost_of(bundled, OPUS, own).basis.tokens.many_calls


def test_tokens_of_a_task_are_billed_from_the_cache_and_by_domain(bundled):
    """Sol at $4 read, $0.40 from a cache and $20 written; the provider's side, then the payer's."""
    found = cost_of(bundled, SOL, PRIOR)
    provider = (1_449_932 - 1_343_892) * 4 + 1_343_892 * 0.4 + 5_515 * 20
    payer = (2_302_320 - 2_199_242) * 4 + 2_199_242 * 0.4 + 9_495 * 20
    assert found.likely == pytest.approx(1000 * (provider + payer) / 2 / 1e6)
    # That its calls are short is not known: long ones are $8, $0.80 and $30.
    provider = (1_449_932 - 1_343_892) * 8 + 1_343_892 * 0.8 + 5_515 * 30
    payer = (2_302_320 - 2_199_242) * 8 + 2_199_242 * 0.8 + 9_495 * 30
    assert found.high == pytest.approx(1000 * (provider + payer) / 2 / 1e6)
    assert found.low == found.likely
    assert "tokens: a task in χ-Bench, taken by this model with its agent" in basis(found)
    # Two models of one price that read and wrote alike cost alike: the suite's own record says
    # $20.73 and $1.01 a task, one without the cache and one of half of its tasks.
    later, earlier = (
        cost_of(bundled, f"anthropic/claude-opus-4-{n} (claude-code)", CHI).likely for n in (7, 6)
    )
    assert later / earlier == pytest.approx(3.303 / 2.119, rel=0.001)


def test_a_task_of_many_calls_pays_no_rate_of_long_requests():
    price = Price("m", "p", "P", "x", 5.0, 30.0, DAY.isoformat(), "by hand")
    price = replace(price, longer=(Rates(272_000, 10.0, 45.0, None),))
    assert request_cost_usd(price, 1_000_000, 10_000) == pytest.approx(10.45)
    assert request_cost_usd(price, 1_000_000, 10_000, many_calls=True) == pytest.approx(5.3)


def test_under_conditions_a_sale_is_that_of_the_platform_which_meets_them(bundled):
    """Claude Opus 4.8: a BAA is known at AWS; at Azure, which ends it in September, it is not."""
    asked = Question.of(suite="chi-bench", task="care-management", required=("baa",))
    rows = recommend.shortlist(ask(bundled, asked.having(monthly_budget_usd=50_000), TODAY)).rows
    opus = next(row for row in rows if row.model.name == "Claude Opus 4.8 with Claude Code")
    assert (opus.cost.platform, opus.terms[0].platform) == ("AWS Bedrock", "AWS Bedrock")
    assert opus.sale.best.platform == "Azure OpenAI / Azure AI Foundry"
    assert opus.sold.platform == "AWS Bedrock"


def test_what_meets_them_on_own_servers_alone_has_no_end_of_sale(bundled):
    """gpt-oss-120b at Azure: the EU is not known there until it is agreed; its weights stay."""
    eu = ("region_eu", "trains_on_customer_data_by_default")
    asked = Question.of(suite="germedbench", required=eu)
    rows = recommend.shortlist(ask(bundled, asked, TODAY)).rows
    oss = next(row for row in rows if row.model.name == "gpt-oss-120b")
    assert {it.platform for it in oss.terms if it.status == oss.terms[0].status} == {OWN_SERVERS}
    assert oss.sold is None
    assert tiles(oss)[3][1:] == ("no end", "open weights, kept on own servers")


def test_runs_by_another_protocol_are_in_no_win_rates(bundled):
    """GPT-4-base has five examples in its prompt, Med-PaLM 2 (best) the best of several prompts."""
    selection = Selection("open-medical-llm")
    labels = data.provenance(bundled, selection)
    found = evidence.suite_win_rates(bundled, selection)
    left_out = {it.model: it.reason for it in found.excluded}
    assert not labels.keys() & {row.model for row in found.rows}
    assert labels.items() <= left_out.items()
    assert left_out["Med-PaLM 2 (best)"] == "another protocol: best of several prompts"
    assert not labels.keys() & {*evidence.first_by_score(bundled, selection)}


def test_how_far_the_best_agent_comes_leads_but_for_old_facts(bundled):
    # Printed overall: 37.3 of 100, by Opus 5; on prior authorisation and review 16 of 50.
    overall = recommend.recommendation(ask(bundled, CHI, TODAY))
    assert overall.best.model.id == OPUS
    # Another team's own run of Opus 5 has 41 of the 75, 27 of the 50; one of a single track counts
    # for neither.
    none = (
        "No agent run by the publisher completes more than {} tasks ({} % in another team's own "
        "run): none should run unattended."
    )
    # Opus 5's sale at its maker was read on 20 August, 95 days before; on 1 November 73.
    old = "Old facts: sale (read 20 August 2026). Ask the vendor before you sign."
    assert alerts(overall, TODAY) == (old, none.format("37 % of these 75", 55))
    sooner = date(2026, 11, 1)
    assert alerts(recommend.recommendation(ask(bundled, CHI, sooner)), sooner)[0] == (
        none.format("37 % of these 75", 55)
    )
    prior = recommend.recommendation(ask(bundled, PRIOR, TODAY))
    assert none.format("32 % of these 50", 54) in alerts(prior, TODAY)
    of_notes = recommend.recommendation(ask(bundled, Question.of(task="documentation"), TODAY))
    assert of_notes.unattended is None
    # 31 of 37 could be the best on prior authorisation: no single one of them is taken.
    prior = recommend.recommendation(ask(bundled, PRIOR, TODAY))
    assert (prior.strength, prior.take) == ("shortlist", None)
    assert prior.test_these[0].model.id == SOL


def test_invented_content_is_said_with_every_proposal_for_documentation_alone(bundled):
    found = invented_content(bundled, "DeepSeek R1")
    assert found is not None
    assert (found.share, found.n) == (pytest.approx(0.113), 96)
    said = "Invented content in 11.3 of 100 summaries"
    for task, shown in (("documentation", True), ("balanced", False)):
        asked = Question.of(task=task, platforms=("Novita", "AWS Bedrock"))
        found = recommend.recommendation(ask(bundled, asked, TODAY))
        assert [each.model.id for each in found.test_these] == ["DeepSeek R1"]
        assert any(said in it for it in for_and_against(found, found.test_these[0])) == shown


def test_the_suite_asked_tests_the_work_and_has_fitting_models(bundled):
    for asked, base in [
        # Of MedHELM's thirteen only DeepSeek R1 and Llama 3.3 70B stay on sale for six months.
        (Question(), "bridge"),
        # In January most were still sold, and where sale is not asked all thirteen fit.
        (Question.of(on_sale_on="2026-01-31"), "medhelm"),
        (Question.of(on_sale_months=None), "medhelm"),
        # Llama 3.3 70B alone in MedHELM: one model is not a choice.
        (Question.of(monthly_budget_usd=50.0), "bridge"),
        # Nothing in MedHELM that stays on sale runs on one GPU.
        (Question.of(access="own", max_params_b=33.0), "bridge"),
        (Question.of(task="prior-authorisation", access="vendor"), "chi-bench"),
        # Where nothing fits anywhere, the first of all.
        (Question.of(monthly_budget_usd=0.0, access="vendor", max_params_b=0.1), "medhelm"),
    ]:
        for suite in ("", "bridge"):  # evidence that is in use has no say
            found = recommend.in_one_suite(ask(bundled, asked.having(suite=suite), TODAY))
            assert found.question.having(revision="") == asked.having(suite=base)
    # MedHELM and not BRIDGE has the GPT-4o of May 2024, BRIDGE and not MedHELM that of August.
    may, august = "GPT-4o (2024-05-13)", "GPT-4o (2024-08-06)"
    for used, base in (
        ((may,), "medhelm"),
        (("nobody",), "bridge"),
        ((may, august, "Gemma 2 9B"), "bridge"),
    ):
        found = recommend.in_one_suite(ask(bundled, Question.of(suite=""), TODAY), used)
        assert found.question.evidence.suite == base
    asked = Question.of(task="research", suite="chi-bench")
    names = [base.id for base, _ in others_that_answer(ask(bundled, asked, TODAY))]
    assert names[:2] == ["medhelm", "bridge"]
    assert set(names[2:]) == {"medagentsbench", "open-medical-llm", "benchhealth"}
    everything = [base.id for base, _ in others_that_answer(ask(bundled, Question(), TODAY))]
    # χ-Bench is on one kind of work, NOHARM on harm, LMArena on liking.
    assert everything == ["bridge", "benchhealth"]


def test_what_is_averaged_is_what_the_words_of_a_suite_say(bundled):
    """BRIDGE counts its 87 tests alike, which are of six kinds; MedHELM its five categories."""
    found = standings(bundled, "bridge")
    scores = products(bundled, Selection("bridge"))
    row = scores.scores[scores.models.index("DeepSeek-R1")]
    assert len(row) == 87
    assert found.rows["DeepSeek-R1"][1] == pytest.approx(row.mean() / 100)
    assert row.mean() == pytest.approx(44.25, abs=5e-3)
    assert found.metric == "mean of 87 tests"
    assert standings(bundled, "medhelm").metric == "mean of 5 kinds of work"
