"""What the work costs: volumes, own prices, several models for one, and own servers."""

import json
import re
from datetime import date

import pandas as pd
import pytest
from reading import number, press, said, table

from pages.cost.quality import usd_format

PAGE = "cost/quality"
DAY = "2026-11-20"
SOLD = {"sale": "Not asked", "sale_on": "2025-05-01"}
"""A day on which every model of the suite was still sold."""
NOTES = {"v_visit_notes": "1000", "prices": DAY, **SOLD}
VISITS = "Notes of outpatient visits"
GEMINI, LLAMA = "Gemini 2.0 Flash", "Llama 3.3 Instruct (70B)"


@pytest.mark.parametrize(
    ("amounts", "written"),
    [((5.83, 1150.0, None), "%,.2f"), ((11.0, 1150.0), "%,.0f"), ((0.004, 20.0), "%.3g")],
)
def test_a_table_has_cents_where_the_headline_has_them(amounts, written):
    assert usd_format(amounts) == written


def test_a_model_without_a_price_is_never_free(visit):
    shown = table(visit(PAGE, evidence="BRIDGE", sale="Not asked", prices=DAY), "On the frontier")
    unknown = shown["On the frontier"] == "not known"
    assert 0 < unknown.sum() < len(shown)
    assert shown[unknown]["Cost"].isna().all()
    assert shown[unknown]["Low"].isna().all()
    assert (shown[~unknown]["Cost"] > 0).all()


def test_own_tokens_are_taken_as_given(visit):
    # 1,000 requests x (1,000 read at $0.15 + 500 written at $0.6 a million) = $0.45.
    at = visit(PAGE, **NOTES)
    at.selectbox(key="own_tokens_kind").select("visit-notes")
    at.number_input(key="own_tokens_input_tokens").set_value(1000.0)
    at.number_input(key="own_tokens_output_tokens").set_value(500.0)
    press(at, "Use these tokens")
    assert at.multiselect(key="own_tokens").value == ["visit-notes;1000;500"]
    bills = table(at, "At").set_index("Model").loc[GEMINI]
    assert bills["Cost"] == bills["Low"] == pytest.approx(0.45)
    visits = table(at, "Kind of request").set_index("Kind of request").loc[VISITS]
    assert visits[["Read", "Written", "Basis"]].tolist() == [1000, 500, "set by you"]
    # Both left empty: MedHELM's counts are used again.
    for key in ("input", "output"):
        at.number_input(key=f"own_tokens_{key}_tokens").set_value(None)
    press(at, "Use these tokens")
    visits = table(at, "Kind of request").set_index("Kind of request").loc[VISITS]
    assert visits["Basis"].endswith("an upper bound")


def test_an_own_price_replaces_the_public_ones_until_it_is_taken_back(visit):
    at = visit(PAGE, **NOTES)
    press(at, "Use this price")
    assert "A price needs the model that it is for" in at.warning[0].value
    model = at.selectbox(key="own_price_model").select(GEMINI).value
    press(at, "Use this price")
    assert "Enter the price of a million tokens read" in at.warning[0].value
    assert "own_price" not in at.query_params
    assert not at.success
    at.number_input(key="own_price_input_usd_per_mtok").set_value(1.0)
    at.number_input(key="own_price_output_usd_per_mtok").set_value(2.0)
    at.date_input(key="own_price_as_of").set_value(date(2026, 11, 1))
    at.text_input(key="own_price_source").set_value("offer 7")
    press(at, "Use this price")
    assert at.multiselect(key="own_price").value == [f"{model};1;2;2026-11-01;offer 7"]
    assert "Saved" in at.success[0].value
    assert "name the platform, or it does not count under conditions" in at.warning[0].value
    bills = table(at, "At").set_index("Model").loc[GEMINI]
    assert bills["At"] == "your own offer"
    assert "offer 7" in bills["Basis"]
    at.multiselect(key="own_price").set_value([]).run()
    bills = table(at, "At").set_index("Model").loc[GEMINI]
    assert (bills["At"], bills["Cost"]) == ("Google Vertex AI", pytest.approx(0.71, abs=5e-3))


def test_no_cost_says_whether_nothing_fits_or_no_rent_is_counted(visit):
    at = visit(PAGE, evidence="All evidence", budget="0.01")
    assert "No model fits the question" in at.info[0].value
    own = {"owned": "2", "gpu": "L4", "access": "Our own servers only"}
    assert "No rent is counted" in said(visit(PAGE, evidence="All evidence", **own))


def test_a_provider_at_which_a_condition_fails_does_not_count(visit):
    query = NOTES | {"gates": "Business associate agreement (BAA)"}
    every = table(visit(PAGE, **NOTES), "At").set_index("Model").loc[LLAMA]
    asked = table(visit(PAGE, **query), "At").set_index("Model").loc[LLAMA]
    # The cheapest, but nobody knows whether it meets the condition that others meet.
    assert every["At"] == "Novita" != asked["At"]
    assert asked["Cost"] > every["Cost"]
    # A price only where the condition fails is none.
    azure = "Azure OpenAI / Azure AI Foundry"
    sellers = ("AWS Bedrock", azure, "Databricks", "Groq", "Novita")
    own = [f"{seller};baa;no;;2026-11-01;letter;" for seller in sellers]
    bills = table(visit(PAGE, **query, own_answer=own), "At").set_index("Model").loc[LLAMA]
    assert bills["Basis"] == "public prices exist only where you cannot use them: ask the vendor"
    assert bills[["Low", "Cost", "High"]].isna().all()


def test_with_a_baa_required_no_column_repeats_the_price(visit):
    query = NOTES | {"gates": "Business associate agreement (BAA)"}
    signed = "With a signed BAA"
    every = table(visit(PAGE, **NOTES), "At").set_index("Model").loc[LLAMA]
    at = visit(PAGE, **query)
    asked = table(at, "At").set_index("Model")
    assert signed not in asked
    shown = next(it for it in at.dataframe if "At" in it.value)
    assert [json.loads(shown.proto.columns)[it]["width"] for it in ("Low", "High")] == [80, 80]
    assert asked["Cost"][LLAMA] == pytest.approx(every[signed])
    assert signed not in table(visit(PAGE, **NOTES, access="Our own servers only"), "At")


def test_models_without_a_cost_are_counted_by_the_reason(visit):
    gates = ["Business associate agreement (BAA)", "No training on our data"]
    at = visit(PAGE, evidence="BRIDGE", gates=gates)
    costs = table(at, "At")
    whys = costs["Basis"][costs["Cost"].isna()].value_counts()
    assert "public prices exist only where a required condition is not known" in whys
    for why, n in whys.items():
        told = why.replace(": ask the vendor", ", ask the vendor")
        assert f"{n} model{'s' if n > 1 else ''} not drawn: {told}." in said(at)


def test_without_a_price_the_table_says_to_ask_the_vendor(visit):
    at = visit(PAGE, evidence="Open Medical-LLM", budget="0.01", cost="Your monthly bill")
    bills = table(at, "At")
    assert bills["Cost"].isna().all()
    assert set(bills["Basis"]) == {"no public price: ask the vendor"}
    assert at.main.get("vega_lite_chart") == []
    at = visit(PAGE, only="no-such-model")
    assert len(at.info) == 1
    assert len(table(at, "Task category")) == 5


def test_rents_and_costs_of_long_tasks_replace_prices_per_token(visit):
    at = visit(PAGE, prices=DAY, access="Our own servers only")
    # One H200, likely 4.295 an hour; eight MI300X at least 1.50, whose capacity nobody published.
    assert "1 model not drawn: own servers cost at least one set, capacity not pub" in said(at)
    rents = table(at, "At").set_index("Model")
    assert rents.loc[LLAMA, "At"] == "own servers: 1 × H200 141GB"
    assert rents.loc[LLAMA, "Cost"] == pytest.approx(4.295 * 730)
    assert (
        rents.loc["DeepSeek R1", "At"]
        == "own servers: 8 × MI300X at the lowest rent (TensorWave), capacity not published"
    )
    assert rents.loc["DeepSeek R1", "Low"] == pytest.approx(8_760)
    assert rents.loc["DeepSeek R1", ["Cost", "High"]].isna().all()
    assert rents["Basis"].str.contains("rent of").all()
    at = visit(PAGE, evidence="χ-Bench, agents", requests="1000")
    assert pd.isna(table(at, "At").set_index("Model")["Cost"]["GLM-5.1 with Hermes"])
    assert "each a task in χ-Bench: public prices of" in said(at)


SERVERS = "cost/own_servers"
LOADED = {"hosted": LLAMA, "load": "80", "gpu": "H100 80GB", "sale": "Not asked"}
BAA = {"gates": "Business associate agreement (BAA)"}


def test_where_throughput_is_published_the_page_says_when_own_servers_pay(visit):
    # At the cheapest provider, $11.86 for 10,000 requests, two H100 could never be filled; at the
    # cheapest that signs a business associate agreement a request costs 3.7 times as much.
    serves = number(r"one set of GPUs serves about ([\d,]+)", visit(SERVERS, **LOADED))
    at = visit(SERVERS, **LOADED, **BAA)
    # 8,078 tokens in and 239 out: closest by far is 5,000 / 500.
    assert "5,000 tokens in and 500 out; scaled to 8,077 in and 239 out" in said(at)
    # 70.554 GB of weights at 8 bits; the cache of 8 x 8,192 tokens at 327,680 bytes; 20 % more.
    assert number(r"needs about (\d+) GB of memory: (\d) × H100 80GB, about \$([\d,]+) a", at) == [
        *(110, 2, 5830),
    ]
    least = number(r"cost less only from about ([\d,]+) requests", at)
    assert 10_000 < least[0] < serves[0]


def test_without_a_model_to_host_the_page_says_what_they_lack(exams, visit):
    exams(0.3, 0.4)
    at = visit(SERVERS, evidence="Open Medical-LLM")
    assert len(at.info) == 1


def test_a_budget_below_every_own_server_is_named_with_the_cheapest(visit):
    query = {"evidence": "All evidence", "task": "Patient messages"}
    at = visit(SERVERS, **query, budget="50")
    assert "no model costs $50 a month or less. The cheapest is " in said(at)
    assert "Own servers do not pay off" in said(visit(SERVERS, **query))
    assert "weights that are known to be open" in said(visit(SERVERS, **query, max_params="0.1"))


def test_over_all_evidence_the_cheapest_of_a_good_grade_comes_first(visit):
    at = visit(PAGE, evidence="All evidence", gates=["Business associate agreement (BAA)"])
    costs = table(at, "Also at")
    known = costs["Monthly cost, USD"].dropna()
    assert known.is_monotonic_increasing
    assert (costs["Low"] <= costs["Monthly cost, USD"] + 1e-9)[known.index].all()
    assert (costs["Monthly cost, USD"] <= costs["High"] + 1e-9)[known.index].all()
    least = costs[costs["Grade"].isin(["A", "B"])].dropna(subset="Monthly cost, USD").iloc[0]
    assert f"of grade A or B: {least['Model']} ({least['Grade']}), about $" in said(at)
    assert f"The cheapest that you can buy: {costs['Model'].iloc[0]}, about $" in said(at)
    # The work below is that of these bills: its mean is what the caption says is read.
    work = table(at, "Basis")
    asked = work["Requests a month"]
    mean = (asked * work["Read"]).sum() / asked.sum()
    assert number(r"requests: ([\d,]+) tokens read on average", at) == [pytest.approx(mean, abs=1)]


@pytest.mark.parametrize("evidence_name", ["All evidence", "MedHELM"])
def test_the_caption_names_the_form_that_changes_the_tokens(visit, evidence_name):
    asked = {"evidence": evidence_name, "task": "Documentation"}
    given = visit(PAGE, **asked, v_discharge_summaries="3000")
    assert ", the tokens under “Change the tokens of a request” on Cost." in said(given)
    # The one kind of request: the sentence has the number of the table.
    work = table(given, "Written")
    (read,) = work["Read"][work["Requests a month"] > 0]
    assert number(r"requests: ([\d,]+) tokens read on average", given) == [read]
    usual = visit(PAGE, **asked)
    assert "set your own under “Workload behind the bill” in the side bar." in said(usual)


@pytest.mark.parametrize("suite", ["All evidence", "BRIDGE"])
def test_no_rent_is_counted_for_servers_that_are_owned(visit, suite):
    held = {"evidence": suite, "gpu": "H100 80GB", "owned": "2"}
    anywhere, own = (
        visit("cost/own_servers", **held, access=access)
        for access in ("Anywhere", "Our own servers only")
    )
    assert "No rent is counted" in said(anywhere)
    assert "likely rent" not in said(anywhere)
    assert table(anywhere, "Memory, GB").equals(table(own, "Memory, GB"))


@pytest.mark.parametrize("name", ["L4", "L4 24GB"])
def test_a_gpu_is_named_with_its_memory_whichever_name_the_link_has(visit, name):
    held = {"evidence": "All evidence", "gpu": name, "owned": "1"}
    at = visit("cost/own_servers", **held, access="Our own servers only")
    in_the_bar, here = (at.selectbox(key=key) for key in ("gpu", "we_own_gpu"))
    assert in_the_bar.value == here.value == "L4 24GB"
    assert in_the_bar.options[1:] == here.options
    assert all(re.search(r" \d+GB$", it) for it in here.options)
    assert "1 × L4" in said(at)
    assert not at.warning


def test_none_owned_asks_for_a_number(visit):
    at = press(visit("cost/own_servers", evidence="All evidence"), "Show what fits")
    assert [it.value for it in at.info] == [
        "Enter how many GPUs you own, 1 or more, to see which models they hold."
    ]
    at.number_input(key="we_own").set_value(1)
    press(at, "Show what fits")
    assert not at.info
    assert at.query_params["gpu"] == "L4 24GB"


def test_over_all_evidence_own_servers_begin_with_the_best_grade(visit):
    held = {"access": "Our own servers only", "gpu": "A100 80GB", "owned": "1"}
    at = visit("cost/own_servers", evidence="All evidence", **held)
    fits = table(at, "Memory, GB")
    may_run = fits[fits["Ask first"] == ""]
    assert 0 < len(may_run) < len(fits)
    assert may_run["Grade"].is_monotonic_increasing
    assert not fits["Ask first"][: len(may_run)].any()
    assert (fits["Memory, GB"].dropna() <= 80).all()
    first = fits["Model"][0]
    n, more = len(may_run), len(fits) - len(may_run)
    assert (
        f"**{n} models fit 1 × A100 80GB, first by grade {first} ({fits['Grade'][0]}).** {more} "
        "more fit: ask about the licence first."
    ) in said(at)


def test_the_work_behind_a_long_task_is_the_tokens_of_its_run(visit):
    at = visit(PAGE, evidence="χ-Bench, agents", task="Prior authorisation")
    shown = table(at, "Trials counted").set_index(["Model", "Task"])
    row = shown.loc["GPT-5.6 Sol with Codex", "Care management"]
    assert (row["Read"], row["Written"], row["Trials counted"]) == (3_630_867, 19_430, "25 of 25")
    assert "A request is a whole task" in said(at)
