"""What the work costs: volumes from a hospital's size, the bill in three cases, own prices."""

from datetime import date

import pandas as pd
import pytest
from reading import number, press, said, table

from core.answers import recommend
from core.domain import Requirements
from core.sharing.inputs import volume_key

PAGE = "cost/quality"
DAY = "2026-11-20"
SOLD = {"sale": "Not asked", "sale_on": "2025-05-01"}
"""A day on which every model of the suite was still sold."""
NOTES = {"v_visit_notes": "1000", "prices": DAY, **SOLD}
VISITS = "Notes of outpatient visits"
GEMINI, LLAMA = "Gemini 2.0 Flash", "Llama 3.3 Instruct (70B)"


def test_the_size_of_the_hospital_fills_the_side_bar_in(visit, bundled):
    at = visit(PAGE, v_progress_notes="70")
    for key, size in (("beds", 100.0), ("clinicians", 12.0)):
        at.number_input(key=key).set_value(size)
    press(at, "Fill in the side bar")
    mine = {
        kind.id: at.number_input(key=volume_key(kind.id)).value
        for kind in bundled.catalogue.requests
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
    assert where.loc[VISITS, ["How", "As of"]].tolist() == ["derived: 575 / 3", "2021-12"]
    assert where.loc["Discharge summaries", "By size a month"] == 300
    assert where.loc["Prior authorisations", ["By size a month"]].isna().all()
    assert number(r"([\d,]+) requests a month, prices of the list", at) == [8950]


def test_the_cost_is_that_of_the_shortlist(visit, bundled):
    at = visit(PAGE, **NOTES)
    volumes = (("visit-notes", 1000.0),)
    sold = {"on_sale_months": None, "on_sale_on": SOLD["sale_on"]}
    asked = Requirements(volumes=volumes, prices_on=DAY, **sold)
    rows = recommend.shortlist(bundled, asked, date.fromisoformat(DAY)).rows
    bills = table(at, "At").set_index("Model")
    for row in rows:
        shown = bills.loc[row.model.name, ["Low", "Cost", "High"]].tolist()
        assert shown == [row.cost.low, row.cost.likely, row.cost.high]
        assert shown[1] == row.bill.monthly_usd
        assert shown[0] < shown[1] <= shown[2]
    # The list behind the prices of 20 November is of the 10th.
    assert bills["Basis"].str.startswith("2026-11-10").all()
    least = number(r"Gemini 2.0 Flash \(\$([\d.]+)\)", at)
    assert least == [round(bills["Cost"].min(), 2)] == [0.48]


def test_own_tokens_are_taken_as_given(visit):
    # 1,000 requests x (1,000 read at $0.1 + 500 written at $0.4 a million) = $0.30.
    at = visit(PAGE, **NOTES)
    at.selectbox(key="own_tokens_kind").select("visit-notes")
    at.number_input(key="own_tokens_input_tokens").set_value(1000.0)
    at.number_input(key="own_tokens_output_tokens").set_value(500.0)
    press(at, "Use these tokens")
    assert at.multiselect(key="own_tokens").value == ["visit-notes;1000;500"]
    bills = table(at, "At").set_index("Model").loc[GEMINI]
    assert bills["Cost"] == bills["Low"] == pytest.approx(0.30)
    visits = table(at, "Kind of request").set_index("Kind of request").loc[VISITS]
    assert visits[["Read", "Written", "Basis"]].tolist() == [1000, 500, "set by you"]
    # Both left empty: MedHELM's counts stand again.
    at.number_input(key="own_tokens_input_tokens").set_value(None)
    at.number_input(key="own_tokens_output_tokens").set_value(None)
    press(at, "Use these tokens")
    kinds = table(at, "Kind of request").set_index("Kind of request")
    assert kinds.loc[VISITS, "Basis"].endswith("an upper bound")


def test_an_own_price_replaces_the_public_ones_until_it_is_taken_back(visit):
    at = visit(PAGE, **NOTES)
    model = at.selectbox(key="own_price_model").select(GEMINI).value
    press(at, "Use this price")
    assert "is no number from 0 to 10,000" in at.warning[0].value
    assert "own_price" not in at.query_params
    at.number_input(key="own_price_input_usd_per_mtok").set_value(1.0)
    at.number_input(key="own_price_output_usd_per_mtok").set_value(2.0)
    at.date_input(key="own_price_as_of").set_value(date(2026, 11, 1))
    at.text_input(key="own_price_source").set_value("offer 7")
    press(at, "Use this price")
    assert at.multiselect(key="own_price").value == [f"{model};1;2;2026-11-01;offer 7"]
    bills = table(at, "At").set_index("Model").loc[GEMINI]
    assert bills["At"] == "your own offer"
    assert "offer 7" in bills["Basis"]
    # 1,000 x (1,964.29 read at $1 + 697.33 written at $2 a million).
    assert bills["Cost"] == pytest.approx(1.96429 + 1.39467, abs=1e-4)
    at.multiselect(key="own_price").set_value([]).run()
    bills = table(at, "At").set_index("Model").loc[GEMINI]
    assert (bills["At"], bills["Cost"]) == ("Google Vertex AI", pytest.approx(0.48, abs=5e-3))


def test_a_provider_at_which_a_condition_fails_does_not_count(visit):
    query = NOTES | {"gates": "Business associate agreement (BAA)"}
    every = table(visit(PAGE, **NOTES), "At").set_index("Model").loc[LLAMA]
    asked = table(visit(PAGE, **query), "At").set_index("Model").loc[LLAMA]
    # The cheapest, but nobody knows whether it meets the condition that others meet.
    assert every["At"] == "Novita" != asked["At"]
    assert asked["Cost"] > every["Cost"]
    # A price only where the condition fails is none.
    sellers = ("AWS Bedrock", "Databricks", "Groq", "Novita")
    own = [f"{seller};baa;no;;2026-11-01;letter;" for seller in sellers]
    at = visit(PAGE, **query, own_answer=own)
    bills = table(at, "At").set_index("Model").loc[LLAMA]
    assert bills["Basis"] == "a public price only where it cannot be used: ask the vendor"
    assert bills[["Low", "Cost", "High"]].isna().all()
    # R1 is sold for long enough only where nobody knows of an agreement.
    assert number(r"(\d+) models? without a known cost", at) == [2]


def test_without_a_price_the_vendor_is_asked_and_a_link_to_what_has_gone_is_told(visit):
    at = visit(PAGE, evidence="Open Medical-LLM", budget="0.01", cost="Your monthly bill")
    bills = table(at, "At")
    assert bills["Cost"].isna().all()
    assert set(bills["Basis"]) == {"no public price: ask the vendor"}
    assert at.main.get("vega_lite_chart") == []
    at = visit(PAGE, only="no-such-model")
    assert not at.error
    assert len(at.info) == 1
    assert len(table(at, "Task category")) == 5
    assert len(table(at, "Source says")) == 8
    at = visit(PAGE, **NOTES, billed=GEMINI, quality="Mean win rate")
    assert [note.value.replace("\\", "") for note in at.warning] == [
        "The detail of “Gemini 2.0 Flash” is not known here; the list of all bills is used.",
        "The kind of quality “Mean win rate” is not known here; that which belongs to the cost is "
        "used.",
    ]
    assert GEMINI in set(table(at, "At")["Model"])


def test_on_own_servers_rents_and_for_long_tasks_what_they_cost_stand_for_a_price_per_token(visit):
    at = visit(PAGE, prices=DAY, access="Our own servers only")
    # One H200 at a likely 4.295 an hour; eight MI300X at 1.99, whose capacity nobody published.
    assert "1 model not drawn: own servers cost at least one set, capacity not pub" in said(at)
    rents = table(at, "At").set_index("Model")
    assert rents.loc[LLAMA, "At"] == "own servers: 1 × H200 141GB"
    assert rents.loc[LLAMA, "Cost"] == pytest.approx(4.295 * 730)
    assert rents.loc["DeepSeek R1", "At"] == "own servers: 8 × MI300X, capacity not published"
    assert rents.loc["DeepSeek R1", "Low"] == pytest.approx(11_621.6)
    assert rents.loc["DeepSeek R1", ["Cost", "High"]].isna().all()
    assert rents["Basis"].str.contains("rent of").all()
    at = visit(PAGE, evidence="χ-Bench, agents", requests="1000")
    # 4.79 dollars a task, the mean of what is printed for the three domains.
    shown = table(at, "At").set_index("Model")["Cost"]
    assert shown["Claude Opus 5 with Claude Code"] == pytest.approx(4790, abs=1)
    assert pd.isna(shown["Claude Opus 4.8 with Claude Code"])
    assert shown.min() < 4790 < shown.max()
    assert "at what a task cost in χ-Bench" in said(at)
