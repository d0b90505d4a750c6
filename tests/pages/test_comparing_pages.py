"""Win rates, Side by side, Quality and cost: their figures against the answers behind them."""

import pytest
from reading import number, said, table

from core.answers import cost, recommend, replacing
from core.answers import data as data_answers
from core.answers import evidence as evidence_answers
from core.domain import Requirements, Selection
from core.statistics.score_matrix import normalised
from pages.components import evidence

WINS, COMPARE, COSTS = "evidence/win_rates", "replace/side_by_side", "cost/quality"
ALL = Requirements(on_sale_months=None, on_sale_on="2025-05-01")
"""Every model, on a day when each was sold and so has its price."""
SALE = {"sale": "Not asked", "sale_on": "2025-05-01"}
MEDHELM = {"evidence": "MedHELM"}


def test_a_link_that_leaves_models_out_leads_to_all_and_says_so(visit):
    at = visit(WINS, **MEDHELM, without="Gemini 1.5 Pro (001)")
    (note,) = at.warning
    assert "that of all models is used" in note.value
    assert len(table(at, "Win rate, %")) == 13


def test_a_subcategory_can_be_chosen(visit, bundled):
    part = "Patient-Provider Messaging"
    at = visit(WINS, **MEDHELM, part=part)
    assert number(r"messaging, on (\d+) benchmarks", at) == [4]
    shown = table(at, "Win rate, %")
    assert set(shown["Benchmarks"]) == {4}
    found = evidence_answers.win_rates(bundled, Selection("medhelm"), part)
    assert shown["Win rate, %"][0] == pytest.approx(found.rows[0].win_rate * 100)


def test_of_many_models_the_first_are_drawn_and_it_is_said(visit):
    at = visit(WINS, evidence="BRIDGE", wins_show="Head to head")
    assert number(r"The first (\d+) of (\d+) are drawn", at) == [40, 98]
    assert number(r"The first (\d+) of (\d+) models are drawn", at) == [30, 98]


def test_one_table_stands_until_a_section_is_opened(visit):
    at = visit(WINS, **MEDHELM)
    assert len(at.dataframe) == 1
    # Who may be first is named: those whose range of places begins at 1.
    shown = at.dataframe[0].value
    first = shown["Model"][shown["May be"].str.match(r"1(\s|$)")]
    assert all(name in said(at) for name in first)
    assert len(visit(WINS, **MEDHELM, wins_show=["Task categories"]).dataframe) == 2


def test_the_first_two_of_the_shortlist_stand_side_by_side(visit, bundled):
    at = visit(COMPARE, **SALE)
    rows = recommend.shortlist(bundled, ALL, evidence.today()).rows[:2]
    assert at.multiselect(key="compare").value == [row.model.name for row in rows]
    models = tuple(row.model.id for row in rows)
    (pair,) = replacing.side_by_side(bundled, ALL, models, evidence.today()).pairs
    assert number(r"on (\d+) of (\d+) benchmarks, clearly on (\d+), and clearly behind", at) == [
        *(pair.n_ahead(), 37, pair.n_ahead(clearly=True)),
    ]
    shown = table(at, "Benchmark")
    assert len(shown) == 37
    words = set(shown[f"{rows[1].model.name} against the first"].str.extract(r"^(\S+ \w+)")[0])
    assert words
    assert words <= {"▲ better", "▼ worse", "≈ cannot", "no interval"}


def test_only_the_benchmarks_of_the_task_count(visit, bundled):
    models = ("GPT-5 mini (2025-08-07)", "o3-mini (2025-01-31)")
    at = visit(COMPARE, task="Research", compare=list(models))
    assert at.selectbox(key="task").value == "Research"
    scores = data_answers.products(bundled, Selection("medhelm"))
    rows = [scores.models.index(model) for model in models]
    own = [b.category == "Medical Research Assistance" for b in scores.benchmarks]
    first, second = (normalised(scores)[0][i, own] for i in rows)
    assert len(first) == len(table(at, "Benchmark")) == 6
    assert number(r"on (\d+) of (\d+) benchmarks", at) == [int((second > first).sum()), 6]
    asked = Requirements(task="research")
    (pair,) = replacing.side_by_side(bundled, asked, models, evidence.today()).pairs
    assert len(pair.gaps) == 6
    assert pair.overall.difference == pytest.approx((second - first).mean())


def test_without_a_benchmark_for_the_task_all_count(visit):
    at = visit(COMPARE, evidence="Open LLM Leaderboard v2", task="Research")
    assert number(r"so all of its (\d+) benchmarks count alike", at) == [6]
    assert len(table(at, "Benchmark")) == 6


def test_facts_stand_beside_and_an_unknown_price_is_asked_for(visit):
    names = ["GPT-4", "Claude 2", "Alpaca 7B"]
    at = visit(COMPARE, evidence="BenchHealth", compare=names)
    assert at.multiselect(key="compare").value == names
    facts = at.table[0].value.map(lambda text: text.replace("\\", ""))
    assert facts.shape[1] == 3
    alpaca = facts.iloc[:, 2]
    assert alpaca["Price per million tokens"] == "no public price: ask the vendor"
    assert alpaca["Weights"] == "open: can be downloaded"
    assert facts.iloc[:, 0]["Price per million tokens"].startswith("$")


def test_one_model_asks_for_a_second(visit):
    at = visit(COMPARE, **MEDHELM, compare=["GPT-5 (2025-08-07)"])
    assert not at.error
    assert "GPT\\-5" in at.info[0].value


def test_the_frontier_in_a_sentence_and_in_the_table(visit, bundled):
    at = visit(COSTS, **SALE)
    found = cost.cost_quality(bundled, ALL, evidence.today(), "bill", "score")
    on = [row.model.name for row in found.rows if row.on_frontier]
    assert number(r"Of (\d+) models", at) == [13]
    shown = table(at, "On the frontier")
    assert set(shown["Model"][shown["On the frontier"] == "yes"]) == set(on)
    assert set(shown["Cost is"]) == {"estimate"}


def test_an_unpriced_model_is_named_and_never_free(visit):
    at = visit(COSTS, **SALE, cost="Cost of the benchmark runs")
    assert number(r"(\d+) models without a published cost of the benchmark runs", at) == [4]
    shown = table(at, "On the frontier")
    unknown = shown[shown["Cost is"] == "not known"]
    assert len(unknown) == 4
    assert unknown["Cost"].isna().all()
    assert set(unknown["On the frontier"]) == {"not known"}


def test_where_nothing_has_a_price_a_table_stands_all_the_same(visit):
    at = visit(COSTS, **SALE, evidence="BenchHealth", cost="Cost of the benchmark runs")
    assert at.info
    assert table(at, "Cost")["Cost"].isna().all()
    assert not at.main.get("vega_lite_chart")


def test_nothing_fits(visit):
    at = visit(COSTS, budget="1")
    assert not at.error
    assert not at.dataframe
    assert len(at.info) == 1
