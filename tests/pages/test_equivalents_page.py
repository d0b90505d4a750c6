"""The tab Candidates: the paper's rule, the model in use, and the proof of a candidate.

What it recommends in place of a model is in ``test_recommendation_page.py``.
"""

import pytest
from reading import said, table

from core.answers import taxonomies
from core.domain import Requirements

PAGE = "replace/candidates"
PAPER = "The taxonomy paper's rule (size only, both taxonomies)"
PORTRAITS = {"evidence": "Taxonomy paper, 33 models", "model": "Liberated-Qwen1.5-14B"}
ALL = {"sale": "Not asked"}
JANUARY = {"sale_on": "2026-01-31"}
GPT = "GPT-4o (2024-05-13)"


def test_the_papers_rule_names_the_published_replacement(visit):
    at = visit(PAGE, **PORTRAITS, rule=PAPER)
    shown = at.dataframe[0].value
    assert shown["Model"][0] == at.selectbox(key="proof").value == "Yi-1.5-9B-32K"
    assert "**Yi-1.5-9B-32K**" in said(at)
    # Closest first; 14 B to 8.83 B parameters is 37 % fewer; in one cluster in the lower share
    # of the two suites' trees.
    assert shown["Distance"].is_monotonic_increasing
    assert shown["Saves in size"][0] == pytest.approx((14 - 8.83) / 14 * 100, abs=0.5)
    assert shown["In one cluster"][0] == pytest.approx(86, abs=0.5)
    assert (shown["Size, B"] < 14).all()
    # One table of benchmarks for each taxonomy: nine exams, six general benchmarks.
    assert [len(one.value) for one in at.dataframe[1:3]] == [9, 6]


def test_the_lower_share_of_the_two_taxonomies_counts(bundled):
    suite = "open-medical-llm"
    asked = Requirements(suite=suite, cohort="taxonomy-portraits")
    model = "abacusai/Liberated-Qwen1.5-14B"
    one, other, both = (
        taxonomies.co_clustering(bundled, asked, suites, model)
        for suites in ((suite,), ("open-llm-v2",), (suite, "open-llm-v2"))
    )
    assert both == {name: min(one[name], other[name]) for name in one}
    assert both[model] == 1


def test_another_candidate_and_then_another_model(visit):
    at = visit(PAGE, **PORTRAITS, rule=PAPER, proof="zephyr-7b-beta")
    assert at.selectbox(key="proof").value == "zephyr-7b-beta"
    columns = " ".join(at.dataframe[1].value.columns)
    assert "zephyr-7b-beta" in columns
    assert "Liberated-Qwen1.5-14B" in columns
    at.selectbox(key="model").select("gemma-7b").run()
    assert not at.exception
    assert not at.warning
    assert "gemma-7b" in " ".join(at.dataframe[1].value.columns)


def test_the_proof_begins_with_the_best_buy_and_counts_the_tests_of_the_task(visit):
    at = visit(PAGE, **ALL, task="Documentation", model=GPT)
    proposed = at.dataframe[0].value
    assert list(proposed["Decision"]).count("take") == 1
    assert at.selectbox(key="proof").options == list(proposed["Model"])
    assert at.selectbox(key="proof").value == proposed["Model"][0]
    # Six of MedHELM's 37 benchmarks are notes; their weights are the whole of the score.
    proof = at.dataframe[1].value
    assert len(proof) == 6
    # A pair's difference is the mean of those of its tests, here all of one weight; each is
    # written with one decimal, "▼ worse, −3.1 (…)".
    written = proof.iloc[:, -1].str.extract(r"([+−][\d.]+)")[0].str.replace("−", "-").astype(float)
    assert written.mean() == pytest.approx(proposed["Difference"][0], abs=0.1)


def test_a_saving_is_the_difference_of_two_known_costs_and_never_a_guess(visit):
    at = visit(PAGE, **JANUARY, model=GPT)
    costs = visit(**JANUARY).dataframe[0].value.set_index("Model")["Cost, $ a month"]
    shown = at.dataframe[0].value.set_index("Model")
    assert shown["Saves, $ a month"].notna().any()
    # Today it is no longer sold: nobody pays its price, so nothing is saved.
    assert visit(PAGE, **ALL, model=GPT).dataframe[0].value["Saves, $ a month"].isna().all()
    for name, row in shown.iterrows():
        assert row["Cost, $ a month"] == costs[name]
        assert row["Saves, $ a month"] == pytest.approx(costs[GPT] - costs[name])


def test_without_a_price_nothing_is_saved_and_few_tests_are_said(visit, exams):
    ids = exams(0.5, 0.6, 0.7, 0.8, others=[("org/part", "medqa", 0.65)])
    at = visit(PAGE, evidence="Open Medical-LLM", model="m0")
    assert "$" not in said(at)
    shown = at.dataframe[0].value
    assert list(shown["Model"])
    assert shown["Cost, $ a month"].isna().all()
    assert shown["Saves, $ a month"].isna().all()
    at = visit(PAGE, evidence="Open Medical-LLM", model="part")
    assert not at.error
    assert at.selectbox(key="model").value == "part"
    # One test of nine in common, which the reasons say.
    assert said(at).count(f"1 of {len(ids)} tests") == 1
    shown = table(at, "Decision").set_index("Model")
    # On that one test 0.7 against 0.65; the mean over nine tests plays no part.
    assert shown["Difference"]["m2"] == pytest.approx(5)
