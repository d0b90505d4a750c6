"""The shortlist, worked by hand on five models and three benchmarks."""

from dataclasses import replace
from math import sqrt

import pytest

from core.domain import Exclusion, Requirements
from core.procurement.equivalents import equivalent_of
from core.procurement.shortlist import judged, rank_models

ERROR = 0.02
WEIGHTS = (("Notes", 0.5), ("Decisions", 0.5))
"""So n1 and n2 weigh 0.25 each, and d1 0.5."""
SCORES = {
    "beta": [0.80, 0.80, 0.76],  # 0.2 + 0.2 + 0.38 = 0.78
    "alpha": [0.90, 0.70, 0.80],  # 0.225 + 0.175 + 0.4 = 0.8
    "gamma": [0.50, 0.50, 0.50],
    "delta": [None, 0.90, 0.90],  # 0.9 over what it has
    "human": [1.00, 1.00, 1.00],
}
MEAN_ERROR = ERROR * sqrt(0.25**2 + 0.25**2 + 0.5**2)


@pytest.fixture
def world(make_matrix, make_benchmark, make_model, make_tree):
    """The arguments of rank_models; a test changes what it is about."""
    benchmarks = [
        make_benchmark("n1", name="Note one", category="Notes"),
        make_benchmark("n2", name="Note two", category="Notes"),
        make_benchmark("d1", name="Decision", category="Decisions"),
        make_benchmark("e1", name="Elsewhere", category="Other"),
    ]
    scores = {model: [*row, 0.0] for model, row in SCORES.items()}
    models = {
        "alpha": make_model("alpha", access="closed"),
        "beta": make_model("beta", access="open", params_b=7.0, licence="mit"),
        "gamma": make_model("gamma", access="open", params_b=70.0, licence="mit"),
        "delta": make_model("delta"),
        "human": make_model("human", is_reference=True),
    }
    return {
        "weights": WEIGHTS,
        "matrices": [make_matrix(scores, benchmarks, error=ERROR)],
        "taxonomies": [make_tree({"alpha": "H", "beta": "H", "gamma": "L", "human": "H"})],
        "models": models,
        "bills": {},
        "workload": (),
    }


def shortlist(world, **limits):
    asked = Requirements(suite="suite", **limits)
    return judged(rank_models(asked, **world), asked)


def models_of(found):
    return [row.model.id for row in found.rows]


def rules_of(found):
    return {rule.rule: [left_out.model for left_out in rule.models] for rule in found.exclusions}


def test_models_are_ranked_by_weighted_mean_and_incomplete_ones_come_after(world):
    found = shortlist(world)
    assert models_of(found) == ["alpha", "beta", "gamma", "delta"]
    assert [row.rank for row in found.rows] == [1, 2, 3, None]
    assert [row.score for row in found.rows] == pytest.approx([0.80, 0.78, 0.50, 0.90])
    assert [row.n_benchmarks for row in found.rows] == [3, 3, 3, 2]
    assert found.n_compared == 5


def test_intervals_come_from_the_standard_errors(world):
    alpha, *_, delta = shortlist(world).rows
    assert alpha.interval_basis == "standard errors"
    assert alpha.ci_low == pytest.approx(0.80 - 1.959964 * MEAN_ERROR, abs=1e-6)
    assert alpha.ci_high == pytest.approx(0.80 + 1.959964 * MEAN_ERROR, abs=1e-6)
    of_two = ERROR * sqrt(0.25**2 + 0.5**2) / 0.75
    assert delta.ci_high - delta.score == pytest.approx(1.959964 * of_two, abs=1e-6)


def test_models_whose_difference_includes_0_share_a_rank_band(world):
    # alpha − beta = 0.02 ± 1.96 × √2 × 0.0122 = 0.02 ± 0.034; beta − gamma is far from 0.
    bands = [row.rank_band for row in shortlist(world).rows]
    assert bands == [(1, 2), (1, 2), (3, 3), None]


def test_certain_scores_separate_the_first_two(world, make_matrix):
    matrix = world["matrices"][0]
    certain = replace(matrix, standard_errors=matrix.standard_errors / 10)
    found = shortlist(world | {"matrices": [certain]})
    assert [row.rank_band for row in found.rows] == [(1, 1), (2, 2), (3, 3), None]


def test_a_missing_benchmark_is_named_and_gives_no_rank_band_or_cluster(world):
    delta = shortlist(world).rows[-1]
    assert delta.missing == ("Note one",)
    assert (delta.rank, delta.rank_band, delta.cluster) == (None,) * 3
    assert "delta" not in shortlist(world).equivalents.position
    assert dict(delta.category_scores) == {"Notes": 0.90, "Decisions": 0.90}
    assert "Never run: Note one." in delta.questions


def test_category_scores_are_means_and_none_without_any_score(world):
    found = shortlist(world)
    assert dict(found.rows[0].category_scores) == pytest.approx({"Notes": 0.8, "Decisions": 0.8})
    scores = {"alpha": [0.9, 0.7, 0.8, 0], "delta": [None, None, 0.9, 0]}
    matrix = world["matrices"][0]
    for model, row in scores.items():
        values = matrix.scores.copy()
        values[matrix.models.index(model)] = row
        matrix = replace(matrix, scores=values)
    delta = shortlist(world | {"matrices": [matrix]}).rows[-1]
    assert dict(delta.category_scores) == {"Notes": None, "Decisions": 0.9}


def test_only_the_benchmarks_of_the_weighted_categories_count(world):
    found = shortlist(world)
    assert [b.id for b in found.benchmarks] == ["n1", "n2", "d1"]
    only = shortlist(world | {"weights": (("Notes", 1.0),)})
    assert [b.id for b in only.benchmarks] == ["n1", "n2"]
    # delta has half of them; alpha and beta both come to 0.8, and the id decides.
    assert models_of(only) == ["alpha", "beta", "gamma", "delta"]
    assert only.rows[1].score == pytest.approx(0.8)


def test_equal_scores_are_ordered_by_id(world):
    matrix = world["matrices"][0]
    values = matrix.scores.copy()
    values[:] = 0.5
    found = shortlist(world | {"matrices": [replace(matrix, scores=values)]})
    assert models_of(found) == ["alpha", "beta", "delta", "gamma"]
    assert {row.rank_band for row in found.rows} == {(1, 4)}


def test_a_reference_line_is_left_out_by_a_rule_of_its_own(world):
    found = shortlist(world)
    assert rules_of(found) == {"Not a product": ["human"]}


def test_a_model_without_a_score_here_was_never_tested_on_this(world, make_model):
    matrix = world["matrices"][0]
    values = matrix.scores.copy()
    values[matrix.models.index("delta"), :3] = float("nan")
    found = shortlist(world | {"matrices": [replace(matrix, scores=values)]})
    assert rules_of(found)["Never tested on this"] == ["delta"]
    assert "delta" not in models_of(found)


def test_models_without_a_usable_run_are_listed_with_their_reason(world):
    left_out = Exclusion("omega", "no run named x in this suite")
    matrix = replace(world["matrices"][0], excluded=(left_out,))
    found = shortlist(world | {"matrices": [matrix]})
    assert found.exclusions[0].rule == "No usable run"
    assert found.exclusions[0].models == (left_out,)
    assert found.n_compared == 6


def test_open_access_leaves_out_closed_and_unknown_under_two_rules(world):
    found = shortlist(world, access="open")
    assert models_of(found) == ["beta", "gamma"]
    assert [row.rank for row in found.rows] == [1, 2]
    assert rules_of(found) == {
        "Not a product": ["human"],
        "Cannot run on your own servers": ["alpha"],
        "Unknown whether it can run on your own servers": ["delta"],
    }


def test_a_size_limit_has_one_rule_for_too_large_and_one_for_unknown(world):
    found = shortlist(world, max_params_b=8)
    assert models_of(found) == ["beta"]
    assert rules_of(found) == {
        "Not a product": ["human"],
        "Too large": ["gamma"],
        "Size not disclosed": ["alpha", "delta"],
    }
    details = {rule.rule: rule.detail for rule in found.exclusions}
    assert details["Too large"] == "more than 8 B parameters"
    assert found.exclusions[1].models[0].reason == "70 B parameters"


def test_a_model_of_exactly_the_limit_stays(world):
    assert "beta" in models_of(shortlist(world, max_params_b=7.0))
    assert "beta" not in models_of(shortlist(world, max_params_b=6.9))


def test_a_budget_leaves_out_dear_models_and_asks_about_unknown_prices(world, make_bill):
    bills = {"alpha": make_bill("alpha", 100.0), "beta": make_bill("beta", 20.0), "gamma": None}
    found = shortlist(world | {"bills": bills}, monthly_budget_usd=99.5)
    assert rules_of(found) == {"Not a product": ["human"], "Over budget": ["alpha"]}
    assert found.exclusions[-1].detail == "more than $99.5 a month"
    assert found.exclusions[-1].models[0].reason == "about $100.00 a month"
    assert models_of(found) == ["beta", "gamma", "delta"]
    assert found.n_unpriced == 2
    assert found.rows[0].bill.monthly_usd == 20.0
    assert not any("price" in question for question in found.rows[0].questions)
    for row in found.rows[1:]:
        assert row.bill is None
        assert any("your budget was not applied to it" in question for question in row.questions)


def test_a_bill_of_exactly_the_budget_stays_and_a_budget_of_0_keeps_the_unpriced(world, make_bill):
    bills = {"alpha": make_bill("alpha", 100.0), "beta": make_bill("beta", 20.0)}
    priced = world | {"bills": bills}
    assert "alpha" in models_of(shortlist(priced, monthly_budget_usd=100))
    assert models_of(shortlist(priced, monthly_budget_usd=0)) == ["gamma", "delta"]


def test_no_budget_leaves_nobody_out_and_mentions_none(world):
    found = shortlist(world)
    assert "Over budget" not in rules_of(found)
    assert not any("budget" in question for row in found.rows for question in row.questions)


def test_of_the_models_chosen_only_those_are_ranked_and_an_untested_one_is_named(world):
    found = shortlist(world, only=("gamma", "alpha", "omega"))
    assert models_of(found) == ["alpha", "gamma"]
    rules = rules_of(found)
    assert rules["Not in this evidence"] == ["omega"]
    assert sorted(rules["Not among the models you chose"]) == ["beta", "delta", "human"]


def test_benchmarks_that_share_a_vote_weigh_as_one(world):
    # One category of three: n1 and n2 share a vote, so 1/4, 1/4 and 1/2.
    every = world | {"weights": (("All", 1.0),)}
    for benchmark in ("n1", "n2", "d1"):
        assert benchmark in dict(shortlist(world).benchmark_weights)
    matrix = world["matrices"][0]
    joined = [replace(b, category="All") for b in matrix.benchmarks[:3]]
    everything = replace(matrix, benchmarks=(*joined, matrix.benchmarks[3]))
    found = shortlist(every | {"matrices": [everything], "vote_groups": (("n1", "n2"), ("d1",))})
    assert dict(found.benchmark_weights) == pytest.approx({"n1": 0.25, "n2": 0.25, "d1": 0.5})
    by_model = {row.model.id: row.score for row in found.rows}
    assert by_model["alpha"] == pytest.approx(0.9 / 4 + 0.7 / 4 + 0.8 / 2)
    apart = shortlist(every | {"matrices": [everything]})
    assert dict(apart.benchmark_weights) == pytest.approx({"n1": 1 / 3, "n2": 1 / 3, "d1": 1 / 3})


def test_when_nobody_is_left_the_rules_say_who_went_where(world):
    found = shortlist(world, max_params_b=1, access="open")
    assert found.rows == ()
    assert sum(len(rule.models) for rule in found.exclusions) == 5


def test_without_weights_there_is_no_evidence_and_nothing_is_ranked(world):
    found = shortlist(world | {"weights": ()})
    assert (found.rows, found.exclusions, found.benchmarks) == ((), (), ())
    assert found.n_compared == 5


def test_a_smaller_cluster_mate_is_named_with_its_verdict(world, make_bill):
    bills = {"alpha": make_bill("alpha", 100.0), "beta": make_bill("beta", 20.0)}
    found = shortlist(world | {"bills": bills}, margin=0.06)
    alpha, beta, gamma, _ = found.rows
    assert (alpha.cluster, beta.cluster, gamma.cluster) == ("H", "H", "L")
    assert list(found.equivalents.position) == ["alpha"]
    other = equivalent_of(found.equivalents, "alpha")
    # beta − alpha = −0.02 ± 0.034, so its lower end, −0.054, is above −0.06 and below −0.05.
    assert (other.model, other.verdict, other.cheaper_by) == ("beta", "equivalent", "bill")
    assert other.saving_share == pytest.approx(0.8)
    assert other.difference.difference == pytest.approx(-0.02)
    assert other.difference.ci_low == pytest.approx(-0.054, abs=5e-4)
    assert equivalent_of(found.equivalents, "beta") is None
    uncertain = shortlist(world | {"bills": bills}, margin=0.05).equivalents
    assert equivalent_of(uncertain, "alpha").verdict == "cannot tell"


def test_an_equivalent_must_meet_the_requirements_too(world, make_bill):
    # gamma is of 70 B, alpha of unknown size; without beta nobody is left to replace gamma.
    tree = replace(world["taxonomies"][0], labels=("H",) * 4)
    world = world | {"taxonomies": [tree]}
    assert equivalent_of(shortlist(world).equivalents, "gamma").model == "beta"
    bills = {"beta": make_bill("beta", 500.0)}
    dear = shortlist(world | {"bills": bills}, monthly_budget_usd=100)
    assert "gamma" in models_of(dear)
    assert equivalent_of(dear.equivalents, "gamma") is None


def test_a_reference_line_is_nobodys_equivalent(world, make_model):
    models = world["models"] | {
        "beta": make_model("beta", params_b=7.0),
        "human": make_model("human", params_b=0.1, is_reference=True),
    }
    found = shortlist(world | {"models": models})
    assert found.rows[1].model.id == "beta"
    assert equivalent_of(found.equivalents, "beta") is None


def test_without_a_taxonomy_there_are_no_clusters_and_no_equivalents(world):
    found = shortlist(world | {"taxonomies": []})
    assert {row.cluster for row in found.rows} == {None}
    assert not found.equivalents.position
    assert [row.rank for row in found.rows] == [1, 2, 3, None]


def test_where_no_errors_are_published_three_benchmarks_give_an_interval_and_two_none(world):
    matrix = world["matrices"][0]
    matrix = replace(matrix, standard_errors=matrix.standard_errors * float("nan"))
    alpha, *_, delta = shortlist(world | {"matrices": [matrix]}).rows
    assert alpha.interval_basis == "benchmarks"
    assert alpha.ci_low < alpha.score < alpha.ci_high
    assert (delta.interval_basis, delta.ci_low, delta.ci_high) == ("none", None, None)
    assert any(question.startswith("No interval") for question in delta.questions)
