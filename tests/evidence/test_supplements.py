"""Groups, human judgement, places and costs: what is bundled, and how faults are named."""

import csv

from core.evidence.supplements import benchmark_costs


def test_the_groups_of_benchhealth(bundled):
    groups = bundled.catalogue.groups
    assert groups["benchhealth", "robustness"] == {
        "Question answering": ("medqa", "medmcqa", "mmlu_medicine", "pubmedqa"),
        "Report summarisation": ("mimic_cxr", "iu_xray"),
        "Entity recognition": ("bc5_disease", "ncbi_disease"),
    }
    scenarios = groups["benchhealth", "scenario"]
    assert {name: len(members) for name, members in scenarios.items()} == {
        "Reasoning": 5,
        "Generation": 3,
        "Understanding": 5,
    }


def test_the_human_evaluation_is_that_of_the_paper(bundled, figures):
    with (figures / "benchhealth_human_evaluation.csv").open(encoding="utf-8") as handle:
        printed = {
            (row["model_name"], row["criterion"], row["opponent"]): float(row["win_or_tie_percent"])
            for row in csv.DictReader(handle)
        }
    found = bundled.catalogue.human_evaluation
    assert len(found) == len(printed) == 108
    assert {(r.model, r.criterion, r.opponent): r.win_or_tie_percent for r in found} == printed
    scored = set(bundled.scores(bundled.snapshot("benchhealth"), "")["model"])
    assert {r.model for r in found} | {r.opponent for r in found} <= scored


def test_places_lead_from_other_suites_into_the_22_subcategories(bundled):
    catalogue = bundled.catalogue
    rows = {(b.category, b.subcategory) for b in catalogue.benchmarks["medhelm"]}
    assert len(rows) == 22
    assert set(catalogue.places.values()) <= rows
    assert {suite for suite, _, _ in catalogue.places} == {
        *("bridge", "benchhealth", "open-medical-llm", "chi-bench", "medagentsbench")
    }


def test_what_the_questions_are_made_of_is_known_or_empty(bundled):
    found = {b.material for of in bundled.catalogue.benchmarks.values() for b in of}
    assert found == {
        *("", "clinical notes", "clinical text", "health records", "consultation cases"),
        *("conversations", "literature", "exam questions", "patient questions"),
        *("model answers", "general questions"),
    }


def test_the_costs_are_those_of_the_paper(bundled, figures):
    with (figures / "medhelm_costs.csv").open(encoding="utf-8") as handle:
        printed = {row["model_name"]: row for row in csv.DictReader(handle)}
    found = benchmark_costs(bundled.data / "catalogue", bundled.catalogue.models)
    assert {cost.model for cost in found} == set(printed)
    for cost in found:
        row = printed[cost.model]
        assert cost.benchmark_usd == float(row["benchmark_cost_usd"])
        assert cost.jury_usd == float(row["jury_cost_usd"])
        assert cost.total_usd == float(row["total_cost_usd"])
        assert (cost.suite, cost.source) == ("medhelm", "arXiv:2505.23802, Table 3")
