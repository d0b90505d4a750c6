"""The page Workload bill: volumes from a hospital's size, the bill in three cases, one model."""

from datetime import date

import pandas as pd
import pytest
from reading import number, press, said, table, tables

from core.answers import recommend
from core.domain import Requirements
from core.sharing.inputs import volume_key

PAGE = "cost/bill"
DAY = "2026-11-20"
SOLD = {"sale": "Not asked", "sale_on": "2025-05-01"}
"""A day on which every model of the suite was still sold."""
NOTES = {"v_visit_notes": "1000", "prices": DAY, **SOLD}
GEMINI, LLAMA = "Gemini 2.0 Flash", "Llama 3.3 Instruct (70B)"


def test_the_size_of_the_hospital_fills_the_side_bar_in(visit, bundled):
    at = visit(PAGE, v_progress_notes="70")
    for key, size in (("beds", 100.0), ("clinicians", 12.0)):
        at.number_input(key=key).set_value(size)
    press(at, "Fill in the side bar")
    mine = {
        kind.id: at.number_input(key=volume_key(kind.id)).value
        for kind in bundled.catalogue.procurement.requests
    }
    assert mine == {
        "visit-notes": 2_300,  # 12 x 191.67, to whole requests
        "progress-notes": 70,  # no source: stays as it was
        "discharge-summaries": 300,
        "discharge-instructions": 300,
        "portal-messages": 2_780,  # 12 x 231.67
        "prior-authorisations": 0,  # no number of physicians was given
        "literature-questions": 0,
        "radiology-reports": 3_200,
    }
    where = table(at, "Source says").set_index("Kind of request")
    assert where.loc["Inpatient progress notes", "Source says"] == "no source: your own number"
    assert where.loc["Notes of outpatient visits", "How"] == "derived: 575 / 3"
    assert where.loc["Notes of outpatient visits", "As of"] == "2021-12"
    assert where.loc["Discharge summaries", "By size a month"] == 300
    assert where.loc["Prior authorisations", ["By size a month"]].isna().all()
    assert number(r"For ([\d,]+) requests a month", at) == [8950]


def test_the_likely_bill_is_that_of_the_shortlist(visit, bundled):
    at = visit(PAGE, **NOTES)
    volumes = (("visit-notes", 1000.0),)
    sold = {"on_sale_months": None, "on_sale_on": SOLD["sale_on"]}
    asked = Requirements(volumes=volumes, prices_on=DAY, **sold)
    found = recommend.shortlist(bundled, asked, date.fromisoformat(DAY))
    bills = table(at, "Likely, $ a month")
    assert list(bills["Likely, $ a month"]) == [row.bill.monthly_usd for row in found.rows]
    assert list(bills["Likely, $ a year"]) == [12 * row.bill.monthly_usd for row in found.rows]
    assert set(bills["Prices of"]) == {DAY}
    assert (bills["Low, $ a month"] < bills["Likely, $ a month"]).all()
    assert (bills["Likely, $ a month"] < bills["High, $ a month"]).all()
    least = number(r"runs from \$([\d.]+) \(Gemini 2.0 Flash at Google\)", at)
    assert least == [round(bills["Likely, $ a month"].min(), 2)] == [0.48]


def test_the_assumptions_move_low_and_high_and_stand_in_the_link(visit):
    at = visit(PAGE, **NOTES, unsure="0", low_output="100")
    bills = table(at, "Likely, $ a month").set_index("Model").loc[GEMINI]
    assert bills["Low, $ a month"] == bills["Likely, $ a month"] == bills["High, $ a month"]
    at.number_input(key="unsure").set_value(50.0).run()
    bills = table(at, "Likely, $ a month").set_index("Model").loc[GEMINI]
    assert bills["Low, $ a month"] == pytest.approx(bills["Likely, $ a month"] / 2)
    assert bills["High, $ a month"] == pytest.approx(bills["Likely, $ a month"] * 1.5)


def test_own_tokens_are_taken_as_given(visit):
    # 1,000 requests x (1,000 read at $0.1 + 500 written at $0.4 a million) = $0.30.
    at = visit(PAGE, **NOTES, unsure="0", low_output="10")
    at.number_input(key="kind_read").set_value(1000.0)
    at.number_input(key="kind_written").set_value(500.0)
    press(at, "Use these tokens")
    assert at.multiselect(key="own_tokens").value == ["visit-notes;1000;500"]
    bills = table(at, "Likely, $ a month").set_index("Model").loc[GEMINI]
    assert bills["Likely, $ a month"] == pytest.approx(0.30)
    assert bills["Low, $ a month"] == pytest.approx(0.30)
    kinds = table(at, "Kind of request").set_index("Kind of request")
    assert kinds.loc["Notes of outpatient visits", ["Read", "Written"]].tolist() == [1000, 500]
    assert kinds.loc["Notes of outpatient visits", "Basis"] == "set by you"
    # Both left empty: MedHELM's counts stand again.
    at.number_input(key="kind_read").set_value(None)
    at.number_input(key="kind_written").set_value(None)
    press(at, "Use these tokens")
    kinds = table(at, "Kind of request").set_index("Kind of request")
    assert kinds.loc["Notes of outpatient visits", "Basis"].endswith("an upper bound")


def test_an_own_price_replaces_the_public_ones_until_it_is_taken_back(visit):
    at = visit(PAGE, **NOTES)
    at.selectbox(key="offered").set_value(GEMINI).run()
    press(at, "Use this price")
    assert len(at.warning) == 1
    assert not at.session_state["own_price"] if "own_price" in at.session_state else True
    keys = [box.key for box in at.number_input if (box.key or "").startswith("offer_read_")]
    model = keys[0].removeprefix("offer_read_")
    at.number_input(key=f"offer_read_{model}").set_value(1.0)
    at.number_input(key=f"offer_written_{model}").set_value(2.0)
    at.date_input(key=f"offer_day_{model}").set_value(date(2026, 11, 1))
    at.text_input(key=f"offer_source_{model}").set_value("offer 7")
    press(at, "Use this price")
    assert at.multiselect(key="own_price").value == [f"{model};1;2;2026-11-01;offer 7"]
    bills = table(at, "Likely, $ a month").set_index("Model").loc[GEMINI]
    assert (bills["Providers"], bills["Source"]) == (1, "offer 7")
    # 1,000 x (1,964.29 read at $1 + 697.33 written at $2 a million).
    assert bills["Likely, $ a month"] == pytest.approx(1.96429 + 1.39467, abs=1e-4)
    press(at, "Take my own price back")
    bills = table(at, "Likely, $ a month").set_index("Model").loc[GEMINI]
    assert (bills["Likely at"], bills["Likely, $ a month"]) == (
        "Google",
        pytest.approx(0.48, abs=5e-3),
    )


def test_the_volumes_can_weigh_the_categories_where_the_evidence_has_them(visit):
    volumes = {"v_visit_notes": "3000", "v_portal_messages": "1000"}
    at = press(visit(PAGE, **volumes), "Weigh the task categories by these volumes")
    assert at.selectbox(key="task").value == "Own weights"
    assert at.number_input(key="w_clinical_note_generation").value == 75
    assert at.number_input(key="w_patient_communication_and_education").value == 25
    at = visit(PAGE, **volumes, evidence="Open Medical-LLM")
    assert all("Weigh" not in button.label for button in at.button)


def test_a_provider_at_which_a_condition_fails_does_not_count(visit):
    query = NOTES | {"gates": "Business associate agreement"}
    every = table(visit(PAGE, **NOTES), "Likely, $ a month").set_index("Model").loc[LLAMA]
    asked = table(visit(PAGE, **query), "Likely, $ a month").set_index("Model").loc[LLAMA]
    # The cheapest, but nobody knows whether it meets the condition that others meet.
    assert every["Likely at"] == "Novita" != asked["Likely at"]
    assert asked["Likely, $ a month"] > every["Likely, $ a month"]
    # The hospital was told otherwise of one of the three.
    assert asked["Providers"] == 3
    at = visit(PAGE, **query, own_answer="AWS Bedrock;baa;no;;2026-11-01;letter;")
    bills = table(at, "Likely, $ a month").set_index("Model").loc[LLAMA]
    assert (bills["High at"], bills["Providers"]) == ("Databricks", 2)


def test_a_price_only_where_a_condition_fails_is_no_bill(visit):
    sellers = ("AWS Bedrock", "Databricks", "Groq", "Novita")
    own = [f"{seller};baa;no;;2026-11-01;letter;" for seller in sellers]
    query = NOTES | {"gates": "Business associate agreement", "own_answer": own}
    at = visit(PAGE, **query)
    bills = table(at, "Likely, $ a month").set_index("Model").loc[LLAMA]
    assert bills["Likely at"] == "a public price only where a condition fails"
    assert bills[["Low, $ a month", "Likely, $ a month", "High, $ a month"]].isna().all()
    assert number(r"(\d) model has no public price", at) == [1]


def test_without_a_price_the_vendor_is_asked_and_never_reads_as_free(visit):
    at = visit(PAGE, evidence="Open Medical-LLM", budget="0.01")
    bills = table(at, "Likely, $ a month")
    assert bills["Likely, $ a month"].isna().all()
    assert set(bills["Likely at"]) == {"no public price: ask the vendor"}
    assert at.main.get("vega_lite_chart") == []


def test_where_no_model_fits_the_page_says_so(visit):
    at = visit(PAGE, only="no-such-model")
    assert not at.error
    assert len(at.info) == 1
    assert len(table(at, "Task category")) == 5
    assert len(table(at, "Source says")) == 8


def test_a_link_to_one_models_bill_in_detail_opens_the_list_and_says_so(visit):
    at = visit(PAGE, **NOTES, billed=GEMINI)
    said = "The detail of “Gemini 2.0 Flash” is not known here; the list of all bills is used."
    assert [note.value.replace("\\", "") for note in at.warning] == [said]
    assert GEMINI in set(table(at, "Likely, $ a month")["Model"])


def test_on_own_servers_only_the_page_shows_rents_and_no_price_per_token(visit):
    at = visit(PAGE, prices=DAY, access="Our own servers only")
    # One H200 at a likely 4.295 an hour; five MI300X at 1.99, whose capacity nobody published.
    assert number(r"own servers cost \$([\d,]+) \(Llama", at) == [3135]
    assert number(r"1 model from at least \$([\d,]+) a month, capacity not pub", at) == [7264]
    rents = table(at, "On").set_index("Model")
    assert rents.loc[LLAMA, "On"] == "Own servers: 1 × H200 141GB"
    assert rents.loc["DeepSeek R1", "On"] == "Own servers: 5 × MI300X, capacity not published"
    assert rents.loc["DeepSeek R1", "Low, $ a month"] == pytest.approx(7263.5)
    assert rents.loc["DeepSeek R1", ["Likely, $ a month", "High, $ a month"]].isna().all()
    assert not tables(at, "Providers")


def test_an_own_figure_for_hidden_reasoning_changes_models_that_reason_only(visit):
    gpt = "GPT-5 (2025-08-07)"
    as_measured = table(visit(PAGE, **NOTES), "Likely, $ a month").set_index("Model")
    at = visit(PAGE, **NOTES, tokens_reasoning="1000", unsure="0")
    mine = table(at, "Likely, $ a month").set_index("Model")["Likely, $ a month"]
    before = as_measured["Likely, $ a month"]
    # 1,000 requests x (1,000 - 344.8) tokens x $10 a million.
    assert mine[gpt] - before[gpt] == pytest.approx(6.552, abs=1e-3)
    assert mine[GEMINI] == before[GEMINI]
    assert any("1,000 hidden tokens" in caption.proto.help for caption in at.main.caption)


def test_long_tasks_have_no_bill_by_the_token_but_what_they_cost(visit):
    at = visit(PAGE, evidence="χ-Bench, agents", requests="1000")
    # 4.79 dollars a task, the mean of what is printed for the three domains.
    shown = table(at, "Basis").set_index("Model")["Cost, $ a month"]
    assert shown["Claude Opus 5 with Claude Code"] == pytest.approx(4790, abs=1)
    assert pd.isna(shown["Claude Opus 4.8 with Claude Code"])
    low, high = number(r"runs from \$([\d,]+) .* to \$([\d,]+)", at)
    assert low < 4790 < high
    assert "no bill by the token" in said(at)
