"""Win rates, Compare and Costs: what they say, against the answers, and with few models."""

import pytest

from core.answers import cost, recommend, replacing
from core.answers import data as data_answers
from core.answers import evidence as evidence_answers
from core.domain import Requirements, Selection
from core.statistics.score_matrix import normalised
from core.statistics.win_rates import without
from pages.components import evidence

WINS, COMPARE, COSTS = (
    "evidence/win_rates",
    "replace/side_by_side",
    "cost/quality",
)
SUITE = "open-medical-llm"
ALL = Requirements(on_sale_months=None)
"""Every model, whether or not it can still be bought."""
SALE = {"sale": "Not asked"}


def said(at):
    """All that stands on the page in words."""
    parts = (at.markdown, at.caption, at.info, at.warning)
    return "\n".join(one.value for part in parts for one in part).replace("\\", "")


def table(at, column):
    return next(one.value for one in at.dataframe if column in one.value)


@pytest.fixture
def models(data, write_snapshot, bundled):
    """Write a snapshot of a few models with scores of their own on every benchmark."""
    ids = [b.id for b in bundled.catalogue.benchmarks[SUITE]]

    def write(*levels):
        write_snapshot(
            data,
            SUITE,
            [(f"org/m{i}", b, level) for i, level in enumerate(levels) for b in ids],
        )

    return write


# Win rates


def test_models_can_be_left_out_and_the_table_is_the_answer(visit, bundled):
    at = visit(WINS, without=["Gemini 1.5 Pro (001)", "GPT-4o (2024-05-13)"])
    shown = table(at, "Rank without")
    scores = data_answers.products(bundled, Selection("medhelm"))
    expected = without(scores, ["Gemini 1.5 Pro (001)", "GPT-4o (2024-05-13)"])
    assert len(shown) == 11
    assert list(shown["Rank with all"]) == [p.rank_before for p in expected.places]
    assert list(shown["Rank without"]) == [p.rank_after for p in expected.places]
    assert list(shown["Rate without, %"]) == pytest.approx(
        [p.rate_after * 100 for p in expected.places]
    )
    assert "Without GPT-4o (2024-05-13) and Gemini 1.5 Pro (001)" in said(at) or (
        "Without Gemini 1.5 Pro (001) and GPT-4o (2024-05-13)" in said(at)
    )


def test_a_subcategory_can_be_chosen(visit, bundled):
    at = visit(WINS, part="Patient-Provider Messaging")
    assert "compared on patient-provider messaging, on 4 benchmarks" in said(at)
    assert set(table(at, "Win rate, %")["Benchmarks"]) == {4}
    found = evidence_answers.win_rates(bundled, Selection("medhelm"), "Patient-Provider Messaging")
    assert table(at, "Win rate, %")["Win rate, %"][0] == pytest.approx(found.rows[0].win_rate * 100)


def test_of_many_models_the_first_are_drawn_and_it_is_said(visit):
    text = said(visit(WINS, evidence="BRIDGE", wins_show="Head to head"))
    assert "The first 40 of 98 are drawn." in text
    assert "The first 30 of 98 models are drawn." in text


def test_one_table_stands_until_a_section_is_opened_and_a_link_opens_its_own(visit):
    at = visit(WINS)
    assert len(at.dataframe) == 1
    # Who may be first is named: those whose range of places begins at 1.
    shown = at.dataframe[0].value
    first = shown["Model"][shown["May be"].str.match(r"1(\s|$)")]
    assert all(name in said(at) for name in first)
    at = visit(WINS, without="Gemini 1.5 Pro (001)", wins_show=["Task categories"])
    assert len(at.dataframe) == 2
    assert len(visit(WINS, without="Gemini 1.5 Pro (001)").dataframe) == 2


def test_a_model_of_a_link_that_is_not_known(visit):
    assert "is not known here" in said(visit(WINS, without="Nobody 1"))


# Compare


def test_the_first_two_of_the_shortlist_stand_side_by_side(visit, bundled):
    at = visit(COMPARE, **SALE)
    rows = recommend.shortlist(bundled, ALL, evidence.today()).rows[:2]
    assert at.multiselect(key="compare").value == [row.model.name for row in rows]
    models = tuple(row.model.id for row in rows)
    found = replacing.side_by_side(bundled, ALL, models, evidence.today())
    (pair,) = found.pairs
    assert f"ahead of {rows[0].model.name} on {pair.n_ahead()} of 37 benchmarks" in said(at)
    assert f"clearly on {pair.n_ahead(clearly=True)}, and clearly behind on" in said(at)
    shown = table(at, "Benchmark")
    assert len(shown) == 37
    words = set(shown[f"{rows[1].model.name} against the first"].str.extract(r"^(\S+ \w+)")[0])
    assert words <= {"▲ better", "▼ worse", "≈ cannot", "no interval"}
    assert {"▲ better", "▼ worse", "≈ cannot", "no interval"} & words


def test_only_the_benchmarks_of_the_task_count(visit, bundled):
    asked = Requirements(task="research")
    models = ("GPT-5 mini (2025-08-07)", "o3-mini (2025-01-31)")
    at = visit(COMPARE, task="Research", compare=list(models))
    assert at.selectbox(key="task").value == "Research"
    scores = data_answers.products(bundled, Selection("medhelm"))
    rows = [scores.models.index(model) for model in models]
    own = [b.category == "Medical Research Assistance" for b in scores.benchmarks]
    first, second = (normalised(scores)[0][i, own] for i in rows)
    assert len(first) == 6
    text = said(at)
    ahead = int((second > first).sum())
    assert f"is ahead of {models[0]} on {ahead} of 6 benchmarks" in text.replace("**", "")
    assert "Only the 6 of 37 benchmarks of your task count. Overall is weighted by" in text
    assert len(table(at, "Benchmark")) == 6
    (pair,) = replacing.side_by_side(bundled, asked, models, evidence.today()).pairs
    assert len(pair.gaps) == 6
    assert pair.overall.difference == pytest.approx((second - first).mean())
    assert "of your task count" not in said(visit(COMPARE))


def test_without_a_benchmark_for_the_task_all_count_and_it_is_said(visit):
    at = visit(COMPARE, evidence="Open LLM Leaderboard v2", task="Research")
    text = said(at)
    assert "no benchmark for your task, so all of its 6 benchmarks count alike" in text
    assert "of 6 benchmarks" in text
    assert len(table(at, "Benchmark")) == 6


def test_facts_stand_beside_and_an_unknown_price_is_asked_for(visit):
    at = visit(COMPARE, evidence="BenchHealth", compare=["GPT-4", "Claude 2", "Alpaca 7B"])
    assert at.multiselect(key="compare").value == ["GPT-4", "Claude 2", "Alpaca 7B"]
    facts = at.table[0].value.map(lambda text: text.replace("\\", ""))
    assert facts.shape[1] == 3
    alpaca = facts.iloc[:, 2]
    assert alpaca["Price per million tokens"] == "no public price: ask the vendor"
    assert alpaca["Weights"] == "open: can be downloaded"
    assert facts.iloc[:, 0]["Price per million tokens"].startswith("$")
    assert "GPT-4" in said(at)
    assert "Claude 2 is ahead of GPT-4" in said(at).replace("**", "")


@pytest.mark.parametrize(
    ("chosen", "says"), [(["GPT-5 (2025-08-07)"], "Choose a second model to compare GPT-5")]
)
def test_one_model_asks_for_a_second(visit, chosen, says):
    at = visit(COMPARE, compare=chosen)
    assert not at.error
    assert says in said(at)


def test_equivalents_lead_to_the_pair(visit):
    at = visit("replace/candidates", evidence="Taxonomy paper, 33 models")
    assert not at.exception
    assert not at.error


# Costs


def test_the_frontier_in_a_sentence(visit, bundled):
    at = visit(COSTS, **SALE)
    found = cost.cost_quality(bundled, ALL, evidence.today(), "bill", "score")
    on = [row.model.name for row in found.rows if row.on_frontier]
    text = said(at)
    assert "Of 13 models, " in text
    assert "Every other is matched or beaten by one that costs no more." in text
    shown = table(at, "On the frontier")
    assert set(shown["Model"][shown["On the frontier"] == "yes"]) == set(on)
    assert set(shown["Cost is"]) == {"estimate"}
    assert "an upper estimate" in text


def test_an_unpriced_model_is_named_and_never_free(visit):
    at = visit(COSTS, **SALE, cost="Cost of the benchmark runs")
    assert "4 models without a published cost of the benchmark runs are not drawn" in said(at)
    shown = table(at, "On the frontier")
    unknown = shown[shown["Cost is"] == "not known"]
    assert len(unknown) == 4
    assert unknown["Cost"].isna().all()
    assert set(unknown["On the frontier"]) == {"not known"}


def test_where_nothing_has_a_price_the_size_stands_in(visit):
    at = visit(COSTS, evidence="Open Medical-LLM")
    assert at.selectbox(key="cost").value in ("Size in parameters", "Your monthly bill")
    at = visit(COSTS, **SALE, evidence="BenchHealth", cost="Benchmark runs including jury")
    assert "None of the 15 models has a published cost of the benchmark runs" in said(at)
    assert at.dataframe


def test_nothing_fits(visit):
    at = visit(COSTS, budget="1")
    assert not at.error
    assert "No model fits the question" in said(at)


# Few models


@pytest.mark.parametrize(
    ("page", "says"),
    [
        (WINS, "A win rate takes at least 2 models"),
        (COMPARE, "m0 is the only model of this evidence."),
        (COSTS, "None of the 1 model has a published size"),
    ],
)
def test_one_model_gives_a_sentence(page, says, models, visit):
    models(0.5)
    at = visit(page, evidence="Open Medical-LLM")
    assert not at.error
    assert at.title
    assert says in said(at)


@pytest.mark.parametrize("page", [WINS, COMPARE, COSTS])
def test_two_models_give_a_page(page, models, visit):
    models(0.5, 0.6)
    at = visit(page, evidence="Open Medical-LLM")
    assert not at.error
    assert at.dataframe
    assert "do not replace a local validation" in said(at)


@pytest.mark.parametrize(
    ("page", "says"),
    [
        (WINS, "A win rate takes at least 2 models"),
        (COMPARE, "This evidence has no model to compare."),
        (COSTS, "No model fits the question"),
    ],
)
def test_no_model_gives_a_sentence(page, says, models, visit):
    # Two models with all scores alike are flagged, so none is left.
    models(0.5, 0.5)
    at = visit(page, evidence="Open Medical-LLM")
    assert not at.error
    assert at.title
    assert says in said(at)
