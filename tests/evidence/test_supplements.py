"""Groups, human judgement, places and costs: what is bundled, and how faults are named."""

import csv

import pytest

from core.domain import BadDataError
from core.evidence.catalogue import load
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


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        ("benchmark_groups", "Reasoning,medqa,", "Reasoning,medq,", 'row 2: .*benchmark "medq"'),
        (
            "benchmark_groups",
            "Reasoning,medmcqa",
            "Reasoning,medqa",
            'row 3: .*benchmark "medqa" stands twice',
        ),
        ("human_evaluation", "Claude-2,29.5", "Claude-2,101", "row 2: .*must be from 0 to 100"),
        ("human_evaluation", "h,Alpaca,", "h,Alpacca,", 'row 2: the model "Alpacca" is not in'),
        ("human_evaluation", "GPT-3.5-turbo,35", "Claude-2,35", "row 3: .* stands twice"),
        ("human_evaluation", "benchhealth,Alp", "other,Alp", 'row 2: the suite "other"'),
        ("human_evaluation", ",29.5,", ",,", 'row 2: the column "win_or_tie_percent" is empty'),
        ("taxonomy_places", "MMLU medical subjects", "MMLU", 'row 2: .* has no subcategory "MMLU"'),
        ("taxonomy_places", "Planning Treatments", "Planning", "row 6: MedHELM has no subcategory"),
        ("taxonomy_places", "Summarization,Clin", "Billing & Coding,Clin", "row 10: .*twice"),
        ("other_protocols", "medical-llm,Flan", "medical,Flan", 'row 2: the suite "open-medical"'),
        ("other_protocols", "Flan-PaLM,b", "Flan,b", 'row 2: the model "Flan" is not in'),
        ("other_protocols", "2 (best),", "2 (ER),", "row 4: .* stands twice"),
        (
            "other_protocols",
            ",five examples in the prompt,",
            ",,",
            'row 5: the column "protocol" is',
        ),
    ],
)
def test_a_fault_names_its_row(data, change, file, old, new, message):
    change(f"{file}.csv", old, new)
    with pytest.raises(BadDataError, match=rf"{file}\.csv, {message}"):
        load(data / "catalogue")


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


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("778.67", "", 'row 2: the column "benchmark_cost_usd" is empty'),
        ("778.67", "much", 'row 2: "much" .* is not a number'),
        ("778.67", "-778.67", "row 2: .*must be above 0"),
        ("1570.88", "1570.91", "row 2: 778.67 and 792.21 do not add up to 1570.91"),
        ("Claude 3.5 Sonnet", "Claude 9 Sonnet", 'row 2: the model "Claude 9 .* not in models'),
        ("Claude 3.7 Sonnet (20250219)", "Claude 3.5 Sonnet (20241022)", "row 3: .* twice"),
    ],
)
def test_a_fault_of_the_costs_names_its_row(data, change, bundled, old, new, message):
    change("benchmark_costs.csv", old, new)
    with pytest.raises(BadDataError, match=rf"benchmark_costs\.csv, {message}"):
        benchmark_costs(data / "catalogue", bundled.catalogue.models)
