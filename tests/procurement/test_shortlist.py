"""The shortlist, worked by hand on five models and three benchmarks."""

from dataclasses import replace
from math import sqrt
from typing import get_args

import pytest
from building import a_cost, sold, some_servers

from core import domain
from core.domain import OnServers
from core.evidence import catalogue
from core.procurement.conditions import SELF_HOSTED
from core.procurement.shortlist import (
    all_categories,
    benchmark_weights,
    categories,
    category_weights,
    rank_models,
)
from core.words import shortlist as sentences
from tests.conftest import DATA, a_benchmark, a_matrix, a_model

ERROR, NAN = 0.02, float("nan")
WEIGHTS = (("Notes", 0.5), ("Decisions", 0.5))
"""So n1 and n2 weigh 0.25 each, and d1 0.5."""
SCORES = {
    "beta": [0.80, 0.80, 0.76],  # 0.2 + 0.2 + 0.38 = 0.78
    "alpha": [0.90, 0.70, 0.80],  # 0.225 + 0.175 + 0.4 = 0.8
    "gamma": [0.50, 0.50, 0.50],
    "delta": [None, 0.90, 0.90],  # 0.9 over what it has
    "human": [1.00, 1.00, 1.00],
}
HUMAN = {"Not a product": ["human"]}


@pytest.fixture
def world():
    places = {"n1": "Note one", "n2": "Note two", "d1": "Decision", "e1": "Elsewhere"}
    categories = ("Notes", "Notes", "Decisions", "Other")
    benchmarks = [
        a_benchmark(key, name=name, category=category)
        for (key, name), category in zip(places.items(), categories, strict=True)
    ]
    scores = {model: [*row, 0.0] for model, row in SCORES.items()}
    models = {
        "alpha": a_model("alpha", access="closed"),
        "beta": a_model("beta", access="open", params_b=7.0, licence="mit"),
        "gamma": a_model("gamma", access="open", params_b=70.0, licence="mit"),
        "delta": a_model("delta"),
        "human": a_model("human", is_reference=True),
    }
    return {
        "weights": WEIGHTS,
        "matrix": a_matrix(scores, benchmarks, error=ERROR),
        "clusters": {"alpha": "H", "beta": "H", "gamma": "L", "human": "H"},
        "models": models,
        "costs": {model: a_cost(model) for model in models},
    }


@pytest.fixture
def listed(world):
    def of(changes=(), **limits):
        return rank_models(domain.Question.of(suite="suite", **limits), **world | dict(changes))

    return of


@pytest.fixture
def matrix(world):
    def of(every=None, errors=1.0, fields=(), **rows):
        one = world["matrix"]
        values = one.scores.copy()
        if every is not None:
            values[:] = every
        for model, row in rows.items():
            values[one.models.index(model), :3] = row
        errors = one.standard_errors * errors
        return {"matrix": replace(one, scores=values, standard_errors=errors, **dict(fields))}

    return of


@pytest.fixture
def priced(world):
    def give(**usd):
        known = {model: a_cost(model, likely) for model, likely in usd.items()}
        return {"costs": world["costs"] | known}

    return give


def models_of(found):
    return [row.model.id for row in found.rows]


def each(found, *fields):
    one = [tuple(getattr(row, field) for field in fields) for row in found.rows]
    return one if len(fields) > 1 else [value for (value,) in one]


def rules_of(found):
    return {
        sentences.rule_name(rule, found.question): [out.model for out in several]
        for rule, several in sentences.by_rule(found.left_out).items()
    }


def test_every_rule_has_its_words():
    assert {*get_args(domain.Rule)} == sentences._RULES.keys()
    assert all(all(words.values()) for words in sentences._RULES.values())


def test_models_are_ranked_by_weighted_mean_and_incomplete_ones_come_after(listed, matrix):
    found = listed()
    assert models_of(found) == ["alpha", "beta", "gamma", "delta"]
    assert each(found, "rank", "n_benchmarks") == [(1, 3), (2, 3), (3, 3), (None, 2)]
    assert each(found, "score") == pytest.approx([0.80, 0.78, 0.50, 0.90])
    assert found.n_compared == 5
    # A vendor's service leaves out nobody.
    assert len(listed(access="vendor").rows) == 4
    alpha, *_, delta = listed().rows
    assert alpha.interval_basis == "on these tests"
    half = 1.959964 * ERROR * sqrt(0.25**2 + 0.25**2 + 0.5**2)
    assert (alpha.ci_low, alpha.ci_high) == pytest.approx((0.80 - half, 0.80 + half), abs=1e-6)
    of_two = ERROR * sqrt(0.25**2 + 0.5**2) / 0.75
    assert delta.ci_high - delta.score == pytest.approx(1.959964 * of_two, abs=1e-6)
    # Where no errors are published fewer than five tests give no interval and no rank.
    found = listed(matrix(errors=NAN))
    assert set(each(found, "interval_basis", "ci_low", "ci_high")) == {("none", None, None)}
    assert each(found, "rank_band") == [(1, 3)] * 3 + [None]
    found = listed()
    delta = found.rows[-1]
    assert delta.missing == ("Note one",)
    assert (delta.rank, delta.rank_band, delta.cluster) == (None,) * 3
    assert each(found, "cluster") == ["H", "H", "L", None]
    assert set(each(listed({"clusters": {}}), "cluster")) == {None}
    # Category scores are means, and none without any score.
    assert dict(delta.category_scores) == {"Notes": 0.90, "Decisions": 0.90}
    assert dict(found.rows[0].category_scores) == pytest.approx({"Notes": 0.8, "Decisions": 0.8})
    delta = listed(matrix(delta=[NAN, NAN, 0.9])).rows[-1]
    assert dict(delta.category_scores) == {"Notes": None, "Decisions": 0.9}


def test_no_product_not_chosen_and_no_run_are_rules_of_their_own(listed, matrix):
    assert rules_of(listed()) == HUMAN
    found = listed(matrix(delta=NAN))
    assert rules_of(found)["Never tested on this"] == ["delta"]
    assert "delta" not in models_of(found)
    left_out = domain.Exclusion("omega", "no run named x in this suite")
    found = listed(matrix(fields={"excluded": (left_out,)}))
    assert rules_of(found) == {"No usable run": ["omega"]} | HUMAN
    assert sentences.why_left_out(found.left_out[0]) == "no run named x in this suite"
    assert found.n_compared == 6
    found = listed(only=("gamma", "alpha", "omega"))
    assert models_of(found) == ["alpha", "gamma"]
    rules = rules_of(found)
    assert rules["Not in this evidence"] == ["omega"]
    assert sorted(rules["Not among the models you chose"]) == ["beta", "delta", "human"]
    found = listed(max_params_b=1, access="open")
    assert found.rows == ()
    assert len(found.left_out) == 5
    # Without weights there is no evidence, and nothing is ranked.
    found = listed({"weights": ()})
    assert (found.rows, found.left_out, found.benchmarks) == ((), (), ())
    assert found.n_compared == 5


def test_closed_unknown_and_large_models_leave_by_rules_of_their_own(listed):
    for access, closed, unknown in [
        ("open", "Weights are closed", "Unknown whether the weights are open"),
        (
            *("own", "Cannot run on your own servers"),
            "Unknown whether it can run on your own servers",
        ),
    ]:
        found = listed(access=access)
        assert models_of(found) == ["beta", "gamma"]
        assert each(found, "rank") == [1, 2]
        assert rules_of(found) == HUMAN | {closed: ["alpha"], unknown: ["delta"]}
    found = listed(max_params_b=8)
    assert models_of(found) == ["beta"]
    rules = {"Too large": ["gamma"], "Size not known": ["alpha", "delta"]}
    assert rules_of(found) == HUMAN | rules
    assert sentences.rule_asks("too large", found.question) == "more than 8 B parameters"
    assert sentences.why_left_out(found.left_out[1]) == "70 B parameters"
    # A model of exactly the limit stays.
    assert "beta" in models_of(listed(max_params_b=7.0))
    assert "beta" not in models_of(listed(max_params_b=6.9))


def test_a_budget_leaves_out_dear_models_and_asks_about_unknown_costs(listed, priced):
    costs = priced(alpha=100.0, beta=20.0)
    found = listed(costs, monthly_budget_usd=99.5)
    assert rules_of(found) == HUMAN | {"Over budget": ["alpha"]}
    assert sentences.rule_asks("over budget", found.question) == "more than $99.5 a month"
    assert sentences.why_left_out(found.left_out[-1]) == "about $100.00 a month"
    assert models_of(found) == ["beta", "gamma", "delta"]
    assert found.n_unpriced == 2
    assert [row.cost.likely for row in found.rows] == [20.0, None, None]
    # A cost of exactly the budget stays, and a budget of 0 keeps the unpriced.
    assert "alpha" in models_of(listed(costs, monthly_budget_usd=100))
    assert models_of(listed(costs, monthly_budget_usd=0)) == ["gamma", "delta"]
    assert "Over budget" not in rules_of(listed(costs))
    servers = a_cost("beta", 900.0, 50.0, 2000.0, basis=OnServers(some_servers()))
    world = {"costs": priced()["costs"] | {"beta": servers}}
    assert "beta" in models_of(listed(world, monthly_budget_usd=900))
    assert "beta" not in models_of(listed(world, monthly_budget_usd=899))


def test_the_place_among_all_stays_and_labelled_runs_have_none(listed):
    found = listed()
    assert found.places == (("alpha", 1), ("beta", 2), ("gamma", 3))
    all_three = [(1, 3, 3), (2, 3, 3), (3, 3, 3), (None, 3, 3)]
    assert each(found, "rank_all", "n_fit", "n_all") == all_three
    some = listed(access="own")
    assert each(some, "rank", "rank_all", "n_fit", "n_all") == [(1, 2, 2, 3), (2, 3, 2, 3)]
    assert some.places == found.places
    found = listed({"labels": {"alpha": "figures from elsewhere"}})
    assert models_of(found) == ["beta", "gamma", "delta", "alpha"]
    # beta is now shown to be above all others that have a rank.
    assert each(found, "rank", "rank_band") == [(1, (1, 1)), (2, (2, 2))] + [(None, None)] * 2
    assert found.places == (("beta", 1), ("gamma", 2))
    assert found.n_fit == 2
    alpha = found.rows[3]
    assert (alpha.rank_all, alpha.label) == (None, "figures from elsewhere")
    assert alpha.score == pytest.approx(0.8)


def test_what_is_soon_off_sale_or_fails_everywhere_is_left_out(listed):
    sales = {
        "alpha": sold("fails", "ends", "2027-03-01"),
        "beta": sold("passes", kept=True),
        "gamma": sold("question", "not known", conflict="Who knows?"),
        "delta": sold("passes", "ends", "2028-03-01", conflict="Two dates are given."),
        "human": sold("fails", "gone"),
    }
    found = listed({"sales": sales}, on_sale_months=9)
    assert rules_of(found) == HUMAN | {"Not on sale for long enough": ["alpha"]}
    assert sentences.rule_asks("sale", found.question) == "for at least 9 months"
    assert (
        sentences.why_left_out(found.left_out[-1]) == "on sale only until 1 March 2027, at Vendor"
    )
    assert dict(found.places)["alpha"] == found.left_out[-1].place == 1
    beta, _, delta = found.rows
    assert (beta.rank, beta.rank_all) == (1, 2)
    # Not known is not a "no"; where sources differ, that is asked.
    asked = "Until when does Vendor sell delta? Sources differ: Two dates are given."
    asked += " Used here: 1 March 2028."
    assert asked in sentences.questions(delta, found.question)
    # Unasked, nobody leaves.
    assert rules_of(listed()) == HUMAN
    # Beta and gamma meet the conditions on one way each, alpha and delta on none.
    for access in ["any", "open"]:
        terms = {
            "alpha": [terms_at("alpha", "V", "fails")],
            "beta": [terms_at("beta", "V", "fails"), terms_at("beta", SELF_HOSTED, "passes")],
            "gamma": [terms_at("gamma", "V", "passes"), terms_at("gamma", SELF_HOSTED, "fails")],
            "delta": [terms_at("delta", "V", "fails")],
        }
        found = listed({"terms": terms}, access=access)
        assert models_of(found) == ["beta", "gamma"]
        # Closed and unknown weights leave earlier where weights must be open.
        assert ("Fails a condition of purchase" in rules_of(found)) is (access != "open")
        assert [row.terms[0].status for row in found.rows] == ["passes", "passes"]


def terms_at(model, platform, status):
    kind = domain.ConditionKind("baa", "BAA", "BAA", "platform", "yes", "", status, "")
    checks = (domain.ConditionCheck(kind, status, model, "", platform, "", "", "", "vendor"),)
    return domain.OfferTerms(model, platform, status, checks, "")


PRESET = domain.Task("notes", "Notes", "", (("suite", (("Notes", 3.0), ("Letters", 1.0))),))


@pytest.fixture
def benchmarks():
    return [
        a_benchmark("n1", category="Notes", subcategory="Summaries"),
        a_benchmark("d1", category="Decisions", subcategory="Decisions"),
        a_benchmark("n2", category="Notes", subcategory="Letters"),
        a_benchmark("n3", category="Notes", subcategory="Letters"),
    ]


def own(*weights):
    return "suite", domain.Work("own", weights)


def test_what_is_only_shown_weighs_nothing():
    some = [
        a_benchmark("kept", category="Safety", subcategory="Advice"),
        a_benchmark("shown", category="Safety", subcategory="Advice", scored=False),
        a_benchmark("time", category="Run time", subcategory="Seconds", scored=False),
    ]
    assert categories(some) == ("Safety",)
    assert all_categories(some) == ("Safety", "Advice")
    assert benchmark_weights((("Safety", 1.0),), some) == {"kept": 1.0}
    with pytest.raises(domain.BadRequestError, match='"Run time" is not a task category'):
        category_weights(*own(("Run time", 1.0)), some, None)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (
            [("Cooking", 1)],
            '"Cooking" is not a task category of suite; its categories are Notes, D',
        ),
        ([("x" * 9999, 1)], f'"{"x" * 80}" is not a task category'),
        ([("Notes", -1)], "weight of Notes must be 0 or more, not -1"),
        ([("Notes", float("nan"))], "weight of Notes must be 0 or more, not nan"),
        ([("Notes", float("inf"))], "weight of Notes must be 0 or more, not inf"),
        ([("Notes", 0)], "At least one task category needs a weight above 0"),
    ],
)
def test_impossible_weights_are_refused(benchmarks, weights, message):
    with pytest.raises(domain.BadRequestError, match=message):
        category_weights(*own(*weights), benchmarks, None)


def test_weights_of_a_task_are_scaled_and_spread_over_categories_and_subcategories(benchmarks):
    asked = domain.Work("notes")
    found = category_weights("suite", asked, benchmarks, PRESET)
    assert found == (("Notes", 0.75), ("Letters", 0.25))
    # A suite without a benchmark for the task has none.
    assert category_weights("elsewhere", asked, benchmarks, PRESET) == ()
    assert benchmark_weights((), benchmarks) == {}
    weights = category_weights(*own(("Decisions", 3), ("Notes", 1)), benchmarks, None)
    assert weights == (("Notes", 0.25), ("Decisions", 0.75))
    assert category_weights(*own(("Decisions", 2), ("Notes", 0)), benchmarks, None) == (
        ("Decisions", 1.0),
    )
    spread = benchmark_weights((("Notes", 0.6), ("Letters", 0.4)), benchmarks)
    assert spread == pytest.approx({"n1": 0.2, "n2": 0.4, "n3": 0.4})
    # One that bears the name of its category counts once.
    assert benchmark_weights((("Decisions", 1.0),), benchmarks) == {"d1": 1.0}


def test_no_interval_leaves_the_scale(listed, world):
    """0.99 on each of three tests with an error of 0.02 each: 0.99 + 1.96 · 0.0122 = 1.014."""
    near = replace(world["matrix"], scores=world["matrix"].scores * 0 + 0.99)
    row = next(row for row in listed({"matrix": near}).rows if row.ci_high is not None)
    assert row.ci_high == 1.0
    assert row.ci_low == pytest.approx(0.99 - 1.96 * 0.02 * sqrt(0.25**2 * 2 + 0.5**2), abs=1e-4)


def test_sources_that_differ_on_an_end_become_a_question():
    said = "The page of 2026-09-02 says 9 July 2027, as a customer quotes it (a-b/c.d#3465)."
    assert sentences.until_when(sold("passes", "ends", "2027-07-09", conflict=said).best, "o4") == (
        "Until when does Vendor sell o4? Sources differ: The page of 2 September 2026 says 9 July "
        "2027, as a customer quotes it."
    )
    # The day that counts is said where no source of the sentence has it.
    said = "Anthropic says not before 2027-07-24."
    assert sentences.until_when(sold("passes", "ends", "2027-07-08", conflict=said).best, "o5") == (
        "Until when does Vendor sell o5? Sources differ: Anthropic says not before 24 July 2027. "
        "Used here: 8 July 2027."
    )


AZURE = "Azure OpenAI / Azure AI Foundry"
SAY_ANOTHER_END = {
    AZURE: {
        **dict.fromkeys(("GPT-5 (2025-08-07)", "GPT-5 nano (2025-08-07)"), "6 February 2027"),
        **dict.fromkeys(("GPT-4o (2024-08-06)", "GPT-4o (2024-11-20)"), "1 October 2026"),
        "GPT-4o mini (2024-07-18)": "1 October 2026",
        **dict.fromkeys(("GPT-4.1 (2025-04-14)", "GPT-4.1 mini (2025-04-14)"), "14 October 2026"),
        "GPT-5.2": "12 December 2026",
        "GPT-5.4": "5 March 2027",
        "GPT-5.4 mini": "18 March 2027",
        "GPT-5.5": "23 April 2027",
        **dict.fromkeys(("GPT-5.6 sol", "GPT-5.6 terra", "GPT-5.6 luna"), "9 July 2027"),
        "Claude Sonnet 4.6": "not before 17 February 2027",
        "Claude Opus 4.6": "not before 5 February 2027",
        "Claude Opus 4.7": "not before 16 April 2027",
        "Claude Opus 5": "not before 24 July 2027",
        "Claude Opus 5.5": "not before 22 September 2027",
        "GLM-5.1": "1 August 2026",
        **dict.fromkeys(("DeepSeek V3.2", "gpt-oss-120b", "Kimi K2.5"), "1 July 2026"),
    },
    "Google Gemini API": {
        **dict.fromkeys(("Gemini 2.5 Pro", "Gemini 2.5 Flash"), "20 October 2026"),
        "Gemini 1.5 Pro (002)": "17 June 2026",
    },
    "AWS Bedrock": {"Claude 3.7 Sonnet (20250219)": "30 July 2026"},
}


def test_another_end_is_named_wherever_a_source_gives_one_plainly():
    """Read by hand in lifecycle.csv; not the end of a preview, of new customers, or elsewhere."""
    rows = [row for row in catalogue.load(DATA / "catalogue").lifecycle if row.conflict]
    named = {(platform, product) for platform, of in SAY_ANOTHER_END.items() for product in of}
    assert named < {(row.platform, row.product) for row in rows}
    for row in rows:
        sale = sold("passes", "ends", row.shutdown_on, conflict=row.conflict).best
        other = SAY_ANOTHER_END.get(row.platform, {}).get(row.product)
        said = sentences.sources_differ(sale)
        assert said.endswith(f" says {other}") if other else said == "sources differ", row
    several = "The list litellm of 2026-11-20 says 2027-02-06. Azure says 9 February 2027. It says "
    several += "6 February 2027, too."
    assert sentences.sources_differ(
        sold("passes", "ends", "2027-07-13", conflict=several).best
    ) == (
        "the list litellm of 20 November 2026 says 6 February 2027 and Azure says 9 February 2027"
    )
    assert sentences.sources_differ(sold("passes", "ends", "2027-07-13").best) == ""
